#include "tests/judge/judge.h"

#include <stdio.h>

enum { VARS = 4, TENSORS = 6, MOST_EXTENT = 5, MOST_POINTS = MOST_EXTENT * MOST_EXTENT * MOST_EXTENT };

typedef struct {
    prng random;
    arena *mem;
    const char *folder;
    uint32_t vars, extent[VARS], tensors;
    bool used[VARS]; /* by an operand */
    judge_words *words;
} maker;

static bool chance(maker *m, uint32_t percent) {
    return prng_below(&m->random, 100) < percent;
}

static void add(maker *m, const char *word) {
    vec_push(m->mem, m->words, word);
}

static void add_pair(maker *m, const char *option, const char *value) {
    add(m, option);
    add(m, value);
}

/* ---- operands -------------------------------------------------------------------------------- */

/* Draws whether each row, and each point of it, has an entry. */
static void write_points(maker *m, FILE *out, const uint32_t *dim, uint32_t order) {
    static const uint32_t share[] = {0, 20, 50, 60, 80, 80, 100, 100, 100, 100};
    const uint32_t percent = share[prng_below(&m->random, 10)], rows = chance(m, 70) ? 100 : 50;
    uint32_t points = 1, n = 0;
    bool row = true;
    for (uint32_t k = 0; k < order; k++)
        points *= dim[k];
    for (uint32_t p = 0; p < points; p++) {
        if (p % (points / dim[0]) == 0)
            row = chance(m, rows);
        if (!chance(m, percent) || !row)
            continue;
        for (uint32_t k = 0, rest = points; k < order; k++) {
            rest /= dim[k];
            fprintf(out, "%u ", p / rest % dim[k] + 1);
        }
        fprintf(out, "%u\n", 1 + prng_below(&m->random, 9));
        n++;
    }
    if (n == 0) { /* an explicit zero */
        for (uint32_t k = 0; k < order; k++)
            fprintf(out, "1 ");
        fprintf(out, "0\n");
    }
}

/* Letters of levels, and of their storage order: the order of the modes or its reverse. */
static const char *draw_format(maker *m, uint32_t order) {
    const char *levels = "", *modes = "";
    const bool reversed = order > 1 && chance(m, 20);
    for (uint32_t k = 0; k < order; k++) {
        levels = arena_printf(m->mem, "%s%c", levels, chance(m, 40) ? 'd' : 's');
        modes = arena_printf(m->mem, "%s%s%u", modes, k ? "," : "", reversed ? order - 1 - k : k);
    }
    return reversed ? arena_printf(m->mem, "%s:%s", levels, modes) : levels;
}

static void write_operand(maker *m, char name, const uint32_t *dim, uint32_t order) {
    const char *path = arena_printf(m->mem, "%s/%c.tns", m->folder, name), *dims = "";
    FILE *out = fopen(path, "w");
    BUG_IF(!out, "%s", path);
    if (order)
        write_points(m, out, dim, order);
    else
        fprintf(out, "%u\n", 1 + prng_below(&m->random, 9));
    BUG_IF(fclose(out) != 0, "%s", path);
    add_pair(m, "-i", arena_printf(m->mem, "%c:%s", name, path));
    for (uint32_t k = 0; k < order; k++)
        dims = arena_printf(m->mem, "%s%s%u", dims, k ? "," : "", dim[k]);
    if (order)
        add_pair(m, "-d", arena_printf(m->mem, "%c:%s", name, dims));
    if (order && chance(m, 60))
        add_pair(m, "-f", arena_printf(m->mem, "%c:%s", name, draw_format(m, order)));
}

/* ---- expressions ----------------------------------------------------------------------------- */

/* An operand over some of the variables, or none; the variables in ascending order. */
static const char *draw_access(maker *m) {
    const char name = (char)('A' + m->tensors++);
    const bool scalar = chance(m, 14);
    uint32_t dim[VARS], order = 0;
    const char *text = "";
    for (uint32_t v = 0; v < m->vars && order < 3; v++) {
        if (scalar || !chance(m, order ? 50 : 70))
            continue;
        text = arena_printf(m->mem, "%s%s%c", text, order ? "," : "", (char)('i' + v));
        dim[order++] = m->extent[v];
        m->used[v] = true;
    }
    write_operand(m, name, dim, order);
    return order ? arena_printf(m->mem, "%c(%s)", name, text) : arena_printf(m->mem, "%c", name);
}

static const char *draw_product(maker *m) {
    const char *text = draw_access(m);
    if (chance(m, 8))
        text = arena_printf(m->mem, "%u*%s", 2 + prng_below(&m->random, 3), text);
    for (uint32_t f = prng_below(&m->random, 3); f-- > 0 && m->tensors < TENSORS;)
        text = arena_printf(m->mem, "%s*%s", text, draw_access(m));
    return text;
}

static const char *draw_result(maker *m) {
    const char *text = "";
    for (uint32_t v = 0; v < m->vars; v++) {
        if (m->used[v] && chance(m, 60))
            text = arena_printf(m->mem, "%s%s%c", text, *text ? "," : "", (char)('i' + v));
    }
    return *text ? arena_printf(m->mem, "X(%s)", text) : "X";
}

static const char *draw_order(maker *m) {
    uint32_t of[VARS] = {0, 1, 2, 3};
    const char *text = "";
    for (uint32_t v = m->vars; v-- > 1;) {
        const uint32_t other = prng_below(&m->random, v + 1), swap = of[v];
        of[v] = of[other];
        of[other] = swap;
    }
    for (uint32_t v = 0; v < m->vars; v++)
        text = arena_printf(m->mem, "%s%s%c", text, v ? "," : "", (char)('i' + of[v]));
    return arena_printf(m->mem, "reorder(%s)", text);
}

void judge_generate(uint64_t seed, const char *folder, arena *mem, judge_words *words) {
    maker m = {.random = prng_seed(seed), .mem = mem, .folder = folder, .words = words};
    const uint32_t place = m.words->len;
    m.vars = 1 + prng_below(&m.random, VARS - (chance(&m, 70) ? 1 : 0));
    for (uint32_t v = 0; v < m.vars; v++)
        m.extent[v] = 1 + prng_below(&m.random, MOST_EXTENT);
    add(&m, NULL); /* the expression's place */
    const char *text = draw_product(&m);
    for (uint32_t terms = prng_below(&m.random, 3); terms-- > 0 && m.tensors < TENSORS;)
        text = arena_printf(mem, "%s%c%s", text, chance(&m, 70) ? '+' : '-', draw_product(&m));
    m.words->at[place] = arena_printf(mem, "%s=%s", draw_result(&m), text);
    if (m.vars > 1 && chance(&m, 15))
        add_pair(&m, "-s", draw_order(&m));
    if (chance(&m, 50))
        add(&m, "-O0");
}

void judge_pace(uint64_t seed, const judge_stream *streams, uint32_t n, cycle_stream *paced) {
    prng random = prng_seed(seed);
    for (uint32_t i = 0; i < n; i++) {
        const judge_stream *s = &streams[i];
        paced[i] =
            (cycle_stream){.cell = s->cell, .words = s->words, .length = s->length, .blocks = s->blocks};
        if (s->output)
            continue;
        paced[i].skew = prng_below(&random, 60);
        for (uint32_t bit = 0; bit < 31; bit++)
            paced[i].idle |= (uint32_t)(prng_below(&random, 3) == 0) << bit;
    }
}
