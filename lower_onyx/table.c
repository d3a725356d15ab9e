/* table.c - a function of one word as tables: the upper bits of a word choose a row of its values, the lower
 * ones a word of the row. Rows that differ by a number have one shape, which is kept once.
 *
 * A list of up to 8184 values is no rows: as many tiles have its chunks. It may begin at any word: the
 * function then has one value before the list and behind it.
 *
 * Of a bfloat16 a row is the numbers of one sign and exponent, so functions with f(2x) = c f(x) have few
 * shapes. With the shapes in several tiles, tile k has those from word 896 k on and a zero behind them: the
 * index less 896 k, without a sign at most 896, finds the zero in all tiles but one, and what they give is
 * added up. Chip's part: lookups by references of fiber_access, docs/array_operators.md.
 */
#include "lower_onyx/table.h"
#include "lower_onyx/steps.h"

/* ---- the form ---------------------------------------------------------------------------------- */

/* A list of values: the function has `rest` for words below `start`, and from `end` on. */
typedef struct {
    uint32_t start, end;
    uint16_t rest;
} table_list;

static table_list list_in(const uint16_t *f, uint16_t rest) {
    table_list out = {0, TABLE_DOMAIN, rest};
    while (out.end && f[out.end - 1] == rest)
        out.end--;
    while (out.start < out.end && f[out.start] == rest)
        out.start++;
    return out;
}

/* Takes the values from `start` on, and the value of all other words. */
static void take_direct(const uint16_t *f, const table_list *list, uint32_t start, table_form *out) {
    const uint32_t n = list->end - start;
    out->direct = true;
    out->start = (uint16_t)start;
    out->tiles = 1;
    out->words = n + 1;
    memcpy(out->value[0], f + start, sizeof *f * n);
    out->value[0][n] = list->rest;
}

/* Deals the n values from `start` on to several tiles. */
static void deal_list(const uint16_t *f, uint32_t start, uint32_t n, table_form *out) {
    out->direct = true;
    out->start = (uint16_t)start;
    out->share = TABLE_LIST_SHARE;
    out->tiles = (n + TABLE_LIST_SHARE - 1) / TABLE_LIST_SHARE;
    out->words = TABLE_ROOM;
    for (uint32_t i = 0; i < n; i++)
        out->value[i / TABLE_LIST_SHARE][i % TABLE_LIST_SHARE] = (uint16_t)(f[start + i] - out->rest);
}

/* Finds the shape of a row among the first n, each TABLE_ROW words, followed by room for one more. */
static uint32_t find_shape(const uint16_t *row, uint16_t *shapes, uint32_t n) {
    uint16_t *own = shapes + (size_t)n * TABLE_ROW;
    for (uint32_t i = 0; i < TABLE_ROW; i++)
        own[i] = (uint16_t)(row[i] - row[0]);
    uint32_t s = 0;
    while (memcmp(shapes + (size_t)s * TABLE_ROW, own, sizeof *own * TABLE_ROW) != 0)
        s++;
    return s;
}

/* Deals the shapes to tiles. */
static void deal_shapes(const uint16_t *shapes, uint32_t n, table_form *out) {
    const bool alone = n * TABLE_ROW <= TABLE_ROOM;
    const uint32_t share = alone ? TABLE_ROOM : TABLE_SHARE;
    out->share = share;
    out->tiles = (n * TABLE_ROW + share - 1) / share;
    out->words = alone ? n * TABLE_ROW : TABLE_SHARE + 1;
    for (uint32_t i = 0; i < n * TABLE_ROW; i++)
        out->value[i / share][i % share] = shapes[i];
}

/* Finds the form of a list. Returns false for more values than eight tiles hold. */
static bool find_list(const uint16_t *f, uint16_t rest, table_form *out) {
    const table_list list = list_in(f, rest);
    /* without an offset if that costs no tile */
    const bool begins =
        list.end < TABLE_ROOM || (list.end - list.start >= TABLE_ROOM && list.end <= TABLE_LIST);
    const uint32_t start = begins ? 0 : list.start, n = list.end - start;
    out->rest = rest;
    if (n < TABLE_ROOM)
        take_direct(f, &list, start, out);
    else if (n <= TABLE_LIST)
        deal_list(f, start, n, out);
    return out->direct;
}

bool table_find_form(const uint16_t *f, table_form *out, uint32_t *shapes) {
    enum { MOST = TABLE_MOST_TILES * TABLE_SHAPES };
    uint16_t kept[(MOST + 1) * TABLE_ROW];
    *out = (table_form){0};
    *shapes = 0;
    if (find_list(f, f[TABLE_DOMAIN - 1], out) || find_list(f, f[0], out))
        return true;
    for (uint32_t r = 0; r < TABLE_ROWS; r++) {
        const uint32_t s = find_shape(f + (size_t)r * TABLE_ROW, kept, *shapes);
        *shapes += s == *shapes;
        if (*shapes > MOST)
            return false;
        out->place[r] = (uint16_t)(s * TABLE_ROW);
        out->first[r] = f[(size_t)r * TABLE_ROW];
    }
    deal_shapes(kept, *shapes, out);
    return true;
}

/* ---- its tiles --------------------------------------------------------------------------------- */

/* Adds tile k of several, and returns its output. */
static step_stream look_up_share(step_making *m, const table_form *form, uint32_t k, step_stream index) {
    step_stream own = index;
    if (k)
        own = step_change(m, "sub", own, (uint16_t)(k * form->share));
    if (form->tiles > 1)
        own = step_change(m, "umin", own, (uint16_t)form->share);
    return step_look_up(m, form->value[k], form->words, own);
}

static step_stream look_up_list(step_making *m, const table_form *form, step_stream x) {
    step_stream sum = look_up_share(m, form, 0, x);
    for (uint32_t k = 1; k < form->tiles; k++)
        sum = step_combine(m, "add", look_up_share(m, form, k, x), sum);
    return form->rest ? step_change(m, "add", sum, form->rest) : sum;
}

alu_made table_make(onyx_graph *g, const alu_wanted *in, const table_form *form) {
    step_making m = {.g = g, .in = in};
    step_stream x = {.operand = in->constant[0].given};
    if (form->start)
        x = step_change(&m, "sub", x, form->start);
    if (form->direct && form->tiles > 1) {
        m.out.result = look_up_list(&m, form, x).node;
        return m.out;
    }
    if (form->direct) {
        const step_stream index = step_change(&m, "umin", x, (uint16_t)(form->words - 1));
        m.out.result = step_look_up(&m, form->value[0], form->words, index).node;
        return m.out;
    }
    const step_stream row = step_change(&m, "lshr", x, TABLE_ROW_BITS);
    const step_stream low = step_change(&m, "and", x, TABLE_ROW - 1);
    const step_stream place = step_look_up(&m, form->place, TABLE_ROWS, row);
    step_stream sum = step_look_up(&m, form->first, TABLE_ROWS, row);
    const step_stream index = step_combine(&m, "add", place, low);
    for (uint32_t k = 0; k < form->tiles; k++)
        sum = step_combine(&m, "add", look_up_share(&m, form, k, index), sum);
    m.out.result = sum.node;
    return m.out;
}
