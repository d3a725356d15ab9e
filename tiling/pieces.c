/* pieces.c - which pieces of a variable may contribute to the result: the coordinate algebra of the right
 * side (sam/coordinates.h), in pieces. A term that lacks a variable reduced elsewhere must be counted once,
 * so it takes part in that variable's first piece only and is fed its empty sub-tile otherwise. */
#include "tiling/pieces.h"
#include "tiling/cut.h"
#include "tiling/plan_int.h"

uint32_t plan_pieces(const tile_planner *p, uint32_t d) {
    const plan_digit *digit = &p->search.digits[d];
    uint32_t extent = p->extent[digit->var.v - 1];
    if (digit->within) {
        uint32_t before = p->search.piece[digit->outer] * digit->within;
        extent = extent - before < digit->within ? extent - before : digit->within;
    }
    return tile_split_extent(extent, digit->edge);
}

static uint32_t most_pieces(const tile_planner *p, uint32_t d) {
    const plan_digit *digit = &p->search.digits[d];
    uint32_t extent = p->extent[digit->var.v - 1];
    return tile_split_extent(digit->within && digit->within < extent ? digit->within : extent, digit->edge);
}

static uint32_t set_words(const tile_planner *p, uint32_t d) {
    return (most_pieces(p, d) + 63) / 64;
}

size_t plan_pool_words(const tile_planner *p) {
    size_t words = 0;
    for (uint32_t d = 0; d < p->search.n_digits; d++) /* makes every access and term concrete */
        words += (size_t)set_words(p, d) * (2 * p->statement->exprs.len + 1);
    return words;
}

static piece_set empty_set(tile_planner *p, uint32_t d) {
    piece_set s = {PIECES_SOME, p->search.pool + p->search.pool_used};
    p->search.pool_used += set_words(p, d);
    memset(s.bits, 0, sizeof *s.bits * set_words(p, d));
    return s;
}

static void put(piece_set s, uint32_t at) {
    s.bits[at / 64] |= UINT64_C(1) << (at % 64);
}

/* Makes ANY concrete for one side of e: the first piece of a variable summed by e, every piece of another. */
static piece_set concrete(tile_planner *p, piece_set s, sam_expr e, uint32_t d) {
    if (s.kind != PIECES_ANY)
        return s;
    s = empty_set(p, d);
    uint32_t n = p->visits.sums[e.v - 1] & var_bit(p->search.digits[d].var) ? 1 : plan_pieces(p, d);
    for (uint32_t i = 0; i < n; i++)
        put(s, i);
    return s;
}

/* Doubles its steps, then halves them: O(log of the distance). */
uint32_t plan_first_at_least(const plan_operand *o, plan_cursor c, uint32_t at) {
    uint32_t low = c.low, step = 1;
    while (low + step < c.high && plan_piece(o, low + step, c.depth) < at) {
        low += step;
        step *= 2;
    }
    uint32_t high = low + step < c.high ? low + step : c.high;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (plan_piece(o, middle, c.depth) < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool has_digit(const plan_operand *o, const plan_cursor *c, const plan_digit *d) {
    return c->depth < o->n_digits && o->digit[c->depth].var.v == d->var.v &&
           o->digit[c->depth].edge == d->edge && o->digit[c->depth].within == d->within;
}

static void put_pieces(const plan_operand *o, plan_cursor at, piece_set s) {
    while (at.low < at.high) {
        uint32_t piece = plan_piece(o, at.low, at.depth);
        put(s, piece);
        at.low = plan_first_at_least(o, at, piece + 1);
    }
}

static piece_set pieces_of_access(tile_planner *p, const plan_operand *o, const plan_cursor *c, uint32_t d) {
    enum { WORTH_KEEPING = 64 };
    if (c->low == c->high)
        return (piece_set){PIECES_NONE, NULL};
    if (!has_digit(o, c, &p->search.digits[d]))
        return (piece_set){PIECES_ANY, NULL};
    piece_set s = empty_set(p, d);
    plan_cached_set *kept = &o->cached[c->depth];
    uint32_t words = set_words(p, d);
    if (c->high - c->low < WORTH_KEEPING) {
        put_pieces(o, *c, s);
    } else if (kept->bits && kept->low == c->low && kept->high == c->high) {
        memcpy(s.bits, kept->bits, sizeof *s.bits * words);
    } else {
        put_pieces(o, *c, s);
        if (!kept->bits)
            kept->bits = arena_new_n(&p->own, uint64_t, words);
        kept->low = c->low;
        kept->high = c->high;
        memcpy(kept->bits, s.bits, sizeof *s.bits * words);
    }
    return s;
}

/* The fold over the right side reads this. */
typedef struct {
    tile_planner *p;
    const plan_cursor *cursors;
    uint32_t d; /* the digit */
} usable;

static void usable_stored(void *context, sam_expr access, void *out) {
    const usable *u = context;
    uint32_t t = sam_expr_at(u->p->statement, access)->tensor.v - 1;
    *(piece_set *)out = pieces_of_access(u->p, &u->p->operands[t], &u->cursors[t], u->d);
}

static void usable_both(void *context, sam_expr e, void *left, const void *right) {
    const usable *u = context;
    piece_set *a = left, b = *(const piece_set *)right;
    (void)e;
    if (a->kind == PIECES_NONE || b.kind == PIECES_ANY)
        return;
    if (b.kind == PIECES_NONE || a->kind == PIECES_ANY) {
        *a = b;
        return;
    }
    for (uint32_t i = 0; i < set_words(u->p, u->d); i++)
        a->bits[i] &= b.bits[i];
}

/* A side without v beside a side that sums over v takes part in the first piece; if both lack v, v is summed
 * elsewhere, and this addition belongs to every piece. */
static void usable_either(void *context, sam_expr e, void *left, const void *right) {
    const usable *u = context;
    const sam_statement *s = u->p->statement;
    const sam_expr_data *x = sam_expr_at(s, e);
    piece_set *a = left, b = *(const piece_set *)right;
    bool varies =
        ((sam_vars_of(s, x->a) | sam_vars_of(s, x->b)) & var_bit(u->p->search.digits[u->d].var)) != 0;
    if (varies && !(a->kind == PIECES_ANY && b.kind == PIECES_ANY)) {
        *a = concrete(u->p, *a, e, u->d);
        b = concrete(u->p, b, e, u->d);
    }
    if (b.kind == PIECES_NONE || a->kind == PIECES_ANY)
        return;
    if (a->kind == PIECES_NONE || b.kind == PIECES_ANY) {
        *a = b;
        return;
    }
    for (uint32_t i = 0; i < set_words(u->p, u->d); i++)
        a->bits[i] |= b.bits[i];
}

piece_set plan_candidates(tile_planner *p, const plan_cursor *cursors, uint32_t d) {
    static const piece_set any = {PIECES_ANY, NULL};
    static const sam_fold_by by = {sizeof any, &any, usable_stored, usable_both, usable_either, NULL};
    piece_set all;
    sam_fold(&p->visits.algebra, p->visits.coordinates, &by, &(usable){p, cursors, d}, &all);
    return concrete(p, all, p->statement->rhs, d);
}
