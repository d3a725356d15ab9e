#include <stdarg.h>

#include "tests/random/cases.h"

enum { MAX_POINTS = 4096, MAX_POOL = 10, MAX_ORDER = 7, DENSER = 4 };

static const char variables[] = "ijklmopqrs";

/* Distribution of choices: weights, and percentages. */
typedef struct {
    uint8_t pool[8];     /* variables to choose from, by number */
    uint8_t depth[4];    /* of the expression */
    uint8_t operator[6]; /* + - * / negation, sum */
    uint8_t literal, diagonal, fitting, commands;
    bool factors; /* expressions are products with sums as factors, instead of anything */
} mix;

static const mix language = {.pool = {0, 6, 28, 36, 20, 6, 2, 2},
                             .depth = {2, 30, 42, 26},
                             .operator= {28, 13, 46, 4, 4, 5},
                             .literal = 7,
                             .diagonal = 4,
                             .fitting = 60,
                             .commands = 35};

/* Limits of the array's tiles and streams: no quotients, no schedules but loop orders, few tensors. */
static const mix array = {.pool = {0, 16, 36, 32, 14, 2, 0, 0},
                          .depth = {6, 56, 34, 4},
                          .operator= {30, 12, 48, 0, 5, 5},
                          .literal = 4,
                          .diagonal = 2,
                          .fitting = 90};

/* As many tiles and streams as the array has, in most cases. */
static const mix factors = {
    .pool = {0, 0, 45, 40, 15, 0, 0, 0}, .depth = {50, 40, 10, 0}, .fitting = 70, .factors = true};

typedef struct {
    note *n;
    prng random;
    const mix *mix;
    uint8_t pool;   /* variables to choose from */
    uint32_t bound; /* variables of explicit sums */
} generator;

static bool chance(generator *g, uint32_t percent) {
    return prng_below(&g->random, 100) < percent;
}

/* Index of a weighted choice. */
static uint32_t weighted(generator *g, const uint8_t *weight, uint32_t n) {
    uint32_t total = 0, k = 0;
    for (uint32_t i = 0; i < n; i++)
        total += weight[i];
    for (uint32_t drawn = prng_below(&g->random, total); drawn >= weight[k]; k++)
        drawn -= weight[k];
    return k;
}

static void shuffle(generator *g, uint8_t *at, uint32_t n) {
    for (uint32_t i = n; i > 1; i--) {
        uint32_t k = prng_below(&g->random, i);
        uint8_t swap = at[i - 1];
        at[i - 1] = at[k];
        at[k] = swap;
    }
}

/* ---- the expression -------------------------------------------------------------------------- */

static uint8_t add_node(generator *g, note_node node) {
    BUG_IF(g->n->n_nodes == NOTE_NODES, "expression too large");
    g->n->node[g->n->n_nodes] = node;
    return g->n->n_nodes++;
}

/* A tensor of the order: sometimes an existing tensor. */
static uint8_t tensor_of(generator *g, uint8_t order) {
    if (chance(g, 15) || g->n->n_tensors == NOTE_TENSORS)
        for (uint8_t t = 1; t < g->n->n_tensors; t++)
            if (g->n->tensor[t].order == order)
                return t;
    BUG_IF(g->n->n_tensors == NOTE_TENSORS, "too many tensors");
    note_tensor *t = &g->n->tensor[g->n->n_tensors];
    snprintf(t->name, sizeof t->name, "%c", 'A' + g->n->n_tensors);
    t->order = order;
    return g->n->n_tensors++;
}

static uint8_t access_node(generator *g) {
    static const uint8_t weight[] = {6, 34, 42, 13, 5};
    note_node node = {.kind = NOTE_ACCESS};
    uint8_t vars[NOTE_VARS], n = 0, order = (uint8_t)weighted(g, weight, sizeof weight);
    for (uint8_t v = 0; v < g->pool; v++) {
        if (!g->mix->factors || !(g->bound >> v & 1)) /* otherwise a rare mistake */
            vars[n++] = v;
    }
    shuffle(g, vars, n);
    order = order > n ? n : order;
    if (n == g->pool && n > 4 && chance(g, 70))
        order = g->pool < MAX_ORDER ? g->pool : MAX_ORDER;
    node.tensor = tensor_of(g, order);
    memcpy(node.index, vars, order);
    if (order > 1 && chance(g, g->mix->diagonal))
        node.index[0] = node.index[1];
    return add_node(g, node);
}

static void rename_variable(note *n, uint8_t e, uint8_t from, uint8_t to) {
    note_node *x = &n->node[e];
    for (uint8_t i = 0; x->kind == NOTE_ACCESS && i < n->tensor[x->tensor].order; i++)
        x->index[i] = x->index[i] == from ? to : x->index[i];
    if (x->kind > NOTE_LITERAL)
        rename_variable(n, x->a, from, to);
    if (x->kind >= NOTE_ADD && x->kind <= NOTE_DIV)
        rename_variable(n, x->b, from, to);
}

/* A variable of its own for a sum over `old` below node e, absent from the outside. */
static uint8_t fresh_variable(generator *g, uint8_t e, uint8_t old) {
    rename_variable(g->n, e, old, g->pool);
    return g->pool++;
}

/* An access with variable v, if v has a value. */
static uint8_t access_along(generator *g, uint8_t v) {
    uint8_t e = access_node(g);
    note_node *x = &g->n->node[e];
    bool has = false;
    for (uint8_t i = 0; i < g->n->tensor[x->tensor].order; i++)
        has = has || x->index[i] == v;
    if (!has && g->n->tensor[x->tensor].order)
        x->index[g->n->tensor[x->tensor].order - 1] = v;
    return e;
}

/* a * sum(v, B * c), where c may have this form, too, next to another factor, or a sign. */
static uint8_t factored(generator *g, uint32_t depth) {
    uint8_t v, a, b;
    do
        v = (uint8_t)prng_below(&g->random, g->pool);
    while (g->bound >> v & 1);
    a = access_along(g, v);
    b = depth && chance(g, 45) ? factored(g, depth - 1) : access_along(g, v);
    a = add_node(g, (note_node){.kind = NOTE_MUL, .a = a, .b = b});
    if (note_free_vars(g->n, a) >> v & 1 && g->pool < MAX_POOL) {
        v = fresh_variable(g, a, v);
        a = add_node(g, (note_node){.kind = NOTE_SUM, .a = a, .var = v});
        g->bound |= 1u << v;
    }
    b = access_node(g);
    bool swapped = chance(g, 30);
    a = add_node(g, (note_node){.kind = NOTE_MUL, .a = swapped ? a : b, .b = swapped ? b : a});
    if (chance(g, 10))
        a = add_node(g, (note_node){.kind = NOTE_NEG, .a = a});
    if (!depth || chance(g, 70))
        return a;
    note_kind kind = (note_kind[]){NOTE_ADD, NOTE_SUB, NOTE_MUL}[prng_below(&g->random, 3)];
    return add_node(g, (note_node){.kind = kind, .a = a, .b = factored(g, depth - 1)});
}

static uint8_t expression(generator *g, uint32_t depth) {
    static const note_kind kind[] = {NOTE_ADD, NOTE_SUB, NOTE_MUL, NOTE_DIV, NOTE_NEG, NOTE_SUM};
    if (depth == 0 || chance(g, 12)) {
        if (chance(g, g->mix->literal))
            return add_node(g, (note_node){.kind = NOTE_LITERAL, .literal = (int)prng_below(&g->random, 6)});
        return access_node(g);
    }
    note_node node = {.kind = kind[weighted(g, g->mix->operator, sizeof g->mix->operator)]};
    node.a = expression(g, depth - 1);
    if (node.kind == NOTE_SUM) {
        uint32_t free = note_free_vars(g->n, node.a) & ~g->bound;
        if (!free)
            return node.a;
        do
            node.var = (uint8_t)prng_below(&g->random, g->pool);
        while (!(free >> node.var & 1));
        if (g->pool < MAX_POOL && chance(g, 70))
            node.var = fresh_variable(g, node.a, node.var);
        g->bound |= 1u << node.var;
    } else if (node.kind != NOTE_NEG) {
        node.b = expression(g, depth - 1);
    }
    return add_node(g, node);
}

/* Some of the variables the right side has, in any order. */
static void choose_result(generator *g) {
    uint32_t free = note_free_vars(g->n, g->n->root) & ~g->bound;
    uint32_t percent = chance(g, g->mix->factors ? 80 : 20) ? 100 : 65;
    note_tensor *x = &g->n->tensor[0];
    for (uint8_t v = 0; v < g->pool && x->order < MAX_ORDER; v++)
        if (free >> v & 1 && chance(g, percent))
            g->n->result_index[x->order++] = v;
    if (chance(g, 40))
        shuffle(g, g->n->result_index, x->order);
}

/* ---- formats, loops, data -------------------------------------------------------------------- */

/* Every variable once, the result's often first. */
static void choose_loops(generator *g, uint8_t *loops) {
    uint32_t in_result = 0;
    uint8_t at = 0;
    for (uint8_t i = 0; i < g->n->tensor[0].order; i++)
        in_result |= 1u << g->n->result_index[i];
    for (int wanted = 1; wanted >= 0; wanted--)
        for (uint8_t v = 0; v < g->pool; v++)
            if ((int)(in_result >> v & 1) == wanted)
                loops[at++] = v;
    uint8_t results = g->n->tensor[0].order;
    if (chance(g, 40)) {
        shuffle(g, loops, g->pool);
    } else {
        shuffle(g, loops, results);
        shuffle(g, loops + results, g->pool - results);
    }
}

static uint32_t position(const uint8_t *loops, uint8_t v) {
    uint32_t p = 0;
    while (loops[p] != v)
        p++;
    return p;
}

static void choose_format(generator *g, note_tensor *t, const uint8_t *index, const uint8_t *loops) {
    uint32_t dense = chance(g, 40) ? 40 : 0;
    for (uint8_t l = 0; l < t->order; l++) {
        t->level[l] = chance(g, dense) ? 'd' : 's';
        t->mode[l] = l;
    }
    if (!loops) {
        if (chance(g, 25))
            shuffle(g, t->mode, t->order);
        return;
    }
    for (uint8_t l = 1; l < t->order; l++) /* the mode whose loop is outermost comes first */
        for (uint8_t k = l;
             k > 0 && position(loops, index[t->mode[k - 1]]) > position(loops, index[t->mode[k]]); k--) {
            uint8_t swap = t->mode[k];
            t->mode[k] = t->mode[k - 1];
            t->mode[k - 1] = swap;
        }
}

static void choose_formats(generator *g, const uint8_t *loops) {
    uint32_t done = 1;
    choose_format(g, &g->n->tensor[0], g->n->result_index, loops);
    for (uint8_t e = 0; e < g->n->n_nodes; e++) {
        const note_node *x = &g->n->node[e];
        if (x->kind != NOTE_ACCESS || done >> x->tensor & 1)
            continue;
        choose_format(g, &g->n->tensor[x->tensor], x->index, loops);
        done |= 1u << x->tensor;
    }
}

/* The loops while commands are made up, by name. */
typedef struct {
    char name[2 * NOTE_VARS][NOTE_NAME];
    uint8_t n;
    size_t at; /* end of the text */
} loop_list;

__attribute__((format(printf, 3, 4))) static void command(generator *g, loop_list *l, const char *format,
                                                          ...) {
    va_list args;
    char *text = g->n->schedule;
    if (l->at + 1 >= sizeof g->n->schedule)
        return;
    va_start(args, format);
    l->at += (size_t)vsnprintf(text + l->at, sizeof g->n->schedule - l->at, format, args);
    va_end(args);
    BUG_IF(l->at >= sizeof g->n->schedule, "schedule too long");
}

static void reorder_command(generator *g, loop_list *l) {
    for (uint8_t i = 0; i < l->n; i++)
        command(g, l, "%s%s", i ? "," : l->at ? ", reorder(" : "reorder(", l->name[i]);
    command(g, l, ")");
}

static void shuffle_loops(generator *g, loop_list *l) {
    for (uint8_t i = l->n; i > 1; i--) {
        uint32_t k = prng_below(&g->random, i);
        char swap[NOTE_NAME];
        memcpy(swap, l->name[i - 1], sizeof swap);
        memcpy(l->name[i - 1], l->name[k], sizeof swap);
        memcpy(l->name[k], swap, sizeof swap);
    }
}

/* Loop k becomes two: k with a suffix 0 and, inside, k with a suffix 1. */
static void split_command(generator *g, loop_list *l, const char *what, uint8_t k) {
    char name[NOTE_NAME];
    memcpy(name, l->name[k], sizeof name);
    if (strlen(name) + 2 > NOTE_NAME || l->n == 2 * NOTE_VARS)
        return;
    memmove(l->name + k + 1, l->name + k, sizeof *l->name * (l->n - k));
    l->n++;
    snprintf(l->name[k], NOTE_NAME, "%.9s0", name);
    snprintf(l->name[k + 1], NOTE_NAME, "%.9s1", name);
    command(g, l, "%s%s(%s,%s,%s,%u)", l->at ? ", " : "", what, name, l->name[k], l->name[k + 1],
            1 + prng_below(&g->random, 4));
}

/* A product or an access of the expression as a workspace over some of its variables. */
static void precompute_command(generator *g, loop_list *l) {
    arena mem = {0};
    uint8_t e = (uint8_t)prng_below(&g->random, g->n->n_nodes);
    const note_node *x = &g->n->node[e];
    if (x->kind == NOTE_ACCESS || x->kind == NOTE_MUL || x->kind == NOTE_SUM) {
        const char *old = "", *new = "";
        for (uint8_t v = 0; v < g->pool; v++) {
            if (!(note_free_vars(g->n, e) >> v & 1) || chance(g, 40))
                continue;
            old = arena_printf(&mem, "%s%s%s", old, *old ? "," : "", g->n->var[v]);
            new =
                arena_printf(&mem, "%s%s%s%s", new, *new ? "," : "", g->n->var[v], chance(g, 50) ? "w" : "");
        }
        command(g, l, "%sprecompute(%s,{%s},{%s},W)", l->at ? ", " : "", note_text_of(g->n, e, &mem), old,
                new);
    }
    arena_free(&mem);
}

static void any_command(generator *g, loop_list *l) {
    static const uint8_t weight[] = {34, 14, 16, 16, 10, 4, 3, 3};
    static const char *const strategy[] = {"NoRaces", "IgnoreRaces", "Temporary", "ParallelReduction"};
    uint8_t k = (uint8_t)prng_below(&g->random, l->n);
    const char *comma = l->at ? ", " : "", *loop = l->name[k];
    uint32_t copies = 1 + prng_below(&g->random, 4), s = prng_below(&g->random, 4);
    switch (weighted(g, weight, sizeof weight)) {
    case 0:
        split_command(g, l, "split", k);
        break;
    case 1:
        split_command(g, l, "divide", k);
        break;
    case 2:
        command(g, l, "%sunroll(%s,%u)", comma, loop, copies);
        break;
    case 3:
        command(g, l, "%sparallelize(%s,Lanes(%u),%s)", comma, loop, copies, strategy[s]);
        break;
    case 4:
        precompute_command(g, l);
        break;
    case 5:
        for (uint8_t v = 0; v < g->pool;
             v++) /* up to its extent: another number would be the user's mistake */
            if (strcmp(g->n->var[v], loop) == 0)
                command(g, l, "%sbound(%s,%sb,%u,MaxExact)", comma, loop, loop, g->n->extent[v]);
        break;
    case 6:
        command(g, l, "%sfuse(%s,%s,f)", comma, loop, l->name[(k + 1) % l->n]);
        break;
    default:
        command(g, l, "%spos(%s,%sp,B)", comma, loop, loop);
        break;
    }
}

static void choose_schedule(generator *g, const uint8_t *loops, bool reordered) {
    uint32_t used = g->bound | note_free_vars(g->n, g->n->root);
    loop_list l = {0};
    for (uint8_t i = 0; i < g->pool; i++)
        if (used >> loops[i] & 1)
            memcpy(l.name[l.n++], g->n->var[loops[i]], NOTE_NAME);
    if (!l.n)
        return;
    if (reordered)
        reorder_command(g, &l);
    if (!chance(g, g->mix->commands))
        return;
    for (uint32_t n = 1 + prng_below(&g->random, 2); n > 0; n--)
        any_command(g, &l);
    g->n->sized = strstr(g->n->schedule, "divide") && chance(g, 85); /* divide needs them */
    if (chance(g, 40) && !strstr(g->n->schedule, "precompute")) {
        shuffle_loops(g, &l);
        reorder_command(g, &l);
    }
}

static void choose_extents(generator *g) {
    uint64_t points = 1;
    for (uint8_t v = 0; v < g->pool; v++) {
        uint32_t most = g->pool > 5 && !g->mix->factors ? 2 : g->pool > 4 ? 4 : 6;
        g->n->extent[v] = chance(g, 10) ? 1 : 1 + prng_below(&g->random, most);
        points *= g->n->extent[v];
        if (points > MAX_POINTS) {
            points /= g->n->extent[v];
            g->n->extent[v] = 1;
        }
    }
    BUG_IF(!note_set_dimensions(g->n), "a tensor of more than %d cells", NOTE_CELLS);
}

/* Data of all operands; fuller ones where the result of sparser ones was all 0, since most cases would have
 * no point in common. */
static void choose_data(generator *g, uint32_t tries) {
    static const uint8_t density[] = {4, 10, 20, 30, 50, 70, 95, 100};
    const uint32_t sparse = g->mix->factors || tries ? DENSER : 0;
    for (uint8_t t = 1; t < g->n->n_tensors; t++) {
        uint32_t percent =
            !tries && chance(g, 4) ? 0 : density[sparse + prng_below(&g->random, sizeof density - sparse)];
        note_random_data(&g->n->tensor[t], &g->random, percent, -9, 9);
    }
}

bool case_is_trivial(note *n) {
    const note_tensor *x = &n->tensor[0];
    bool zero = true;
    note_evaluate(n);
    for (uint32_t cell = 0; cell < x->cells; cell++)
        zero = zero && !x->value[cell];
    return zero;
}

static void generate(uint64_t seed, const mix *m, note *n) {
    generator g = {.n = n, .random = prng_seed(seed), .mix = m};
    uint8_t loops[NOTE_VARS];
    memset(n, 0, sizeof *n);
    g.pool = (uint8_t)weighted(&g, m->pool, sizeof m->pool);
    n->n_tensors = 1;
    snprintf(n->tensor[0].name, sizeof n->tensor[0].name, "X");
    uint32_t depth = weighted(&g, m->depth, sizeof m->depth);
    n->root = m->factors ? factored(&g, depth) : expression(&g, depth);
    if (n->n_tensors == 1) /* nothing but literals */
        n->root = add_node(&g, (note_node){.kind = NOTE_MUL, .a = n->root, .b = access_node(&g)});
    n->n_vars = g.pool;
    for (uint8_t v = 0; v < g.pool; v++)
        snprintf(n->var[v], sizeof n->var[v], "%c", variables[v]);
    choose_result(&g);
    choose_loops(&g, loops);
    bool fitting = chance(&g, m->fitting);
    choose_formats(&g, fitting ? loops : NULL);
    choose_extents(&g);
    choose_schedule(&g, loops, fitting || chance(&g, 40));
    const bool any = chance(&g, 12); /* some cases with nothing in the result stay */
    for (uint32_t tries = 0; tries == 0 || (!any && tries < 4 && case_is_trivial(n)); tries++)
        choose_data(&g, tries);
}

void case_random(uint64_t seed, note *n) {
    generate(seed, &language, n);
}

void case_random_array(uint64_t seed, note *n) {
    generate(seed, &array, n);
    n->sized = true; /* a .tns file does not say */
}

void case_random_factors(uint64_t seed, note *n) {
    generate(seed, &factors, n);
    n->sized = true;
}
