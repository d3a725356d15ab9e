/* number_functions.c - functions of files, of numbers of the reference.
 *
 * A function with loops is gone through with numbers: once as the words decide, which tells whether a word
 * had wrapped on the way, and where the arguments are not the words once more as double precision decides. A
 * function in C is asked for the number before it becomes a word. How far its value may be off is seen by
 * asking it for the words that its arguments may be instead.
 */
#include "sam/binding.h"
#include "tiling/numbers_int.h"
#include "tiling/rounding.h"

#include <math.h>

/* ---- step by step ------------------------------------------------------------------------------ */

typedef struct {
    tile_dtype dtype;
    bool by_exact; /* conditions are decided by double precision, not by the word */
    bool ended, wrapped;
    uint32_t remaining; /* steps */
} walk;

static tile_number walk_program(walk *w, sam_program *p, tile_number a, tile_number b);

static tile_number compute(walk *w, const sam_statement *s, sam_expr e, const tile_number *value) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (x->kind == SAM_EXPR_ACCESS)
        return value[x->tensor.v - 1];
    if (x->kind == SAM_EXPR_LITERAL)
        return tile_literal_number(w->dtype, x->literal);
    const tile_number a = compute(w, s, x->a, value), b = x->b.v ? compute(w, s, x->b, value) : a;
    return x->program ? walk_program(w, x->program, a, b) : tile_operate(w->dtype, sam_operation_of(x), a, b);
}

/* A condition on a wrapped word decides all later steps. */
static bool is_false(walk *w, tile_number n) {
    w->wrapped = w->wrapped || (w->dtype == TILE_DTYPE_INT16 && tile_has_wrapped(n));
    return w->by_exact ? n.exact == 0 : tile_is_zero(w->dtype, n);
}

static tile_number walk_steps(walk *w, sam_program *p, tile_number a, tile_number b) {
    tile_number value[SAM_MAX_VARIABLES] = {a, b};
    for (uint32_t at = 0; w->remaining; --w->remaining) {
        const sam_program_step *step = &p->steps.at[at++];
        if (step->kind == SAM_STEP_GO) {
            at = step->to;
            continue;
        }
        const tile_number made = compute(w, &p->s, step->e, value);
        if (step->kind == SAM_STEP_RETURN)
            return made;
        if (step->kind == SAM_STEP_SET)
            value[step->to - 1] = made;
        else if (is_false(w, made))
            at = step->to;
    }
    w->ended = false;
    return tile_number_of(w->dtype, 0);
}

/* ---- in C -------------------------------------------------------------------------------------- */

/* Returns whether a function may be called with a number: an int16 function may convert its argument to
 * int. */
static bool may_take(tile_dtype dtype, double x) {
    return dtype == TILE_DTYPE_BF16 ? fabs(x) < 0x1p31 || isinf(x) : x >= INT16_MIN && x <= INT16_MAX;
}

static double of_plain(tile_dtype dtype, const sam_program *p, double x, double y, double otherwise) {
    const bool good = may_take(dtype, x) && (p->parameters < 2 || may_take(dtype, y));
    return good ? sam_plain(p, x, p->parameters < 2 ? 0 : y) : otherwise;
}

static tile_number call_plain(tile_dtype dtype, const sam_program *p, tile_number a, tile_number b) {
    const double x = tile_to_double(dtype, a.bits), y = tile_to_double(dtype, b.bits);
    const double made = sam_plain(p, x, y);
    tile_number r = tile_number_of(dtype, sam_number_word(made, dtype == TILE_DTYPE_BF16));
    const double word = tile_to_double(dtype, r.bits);
    r.exact = a.exact == x && b.exact == y ? made : of_plain(dtype, p, a.exact, b.exact, word);
    if (dtype == TILE_DTYPE_INT16) {
        r.magnitude = isfinite(made) ? rint(made) : word;
        r.lost = tile_has_wrapped(a) || tile_has_wrapped(b);
    }
    return r;
}

static tile_number walk_program(walk *w, sam_program *p, tile_number a, tile_number b) {
    if (p->takes_fiber) /* a fill stays the fill */
        return a;
    return sam_is_plain(p) ? call_plain(w->dtype, p, a, b) : walk_steps(w, p, a, b);
}

/* ---- how far off ------------------------------------------------------------------------------- */

enum { NEIGHBOURS = 64 };

/* Numbers words of bfloat16 in the order of their values. */
static int32_t rank_of(uint16_t bits) {
    return bits >> 15 ? -(int32_t)(bits & 0x7fffu) : (int32_t)bits;
}

static uint16_t word_at(int32_t rank) {
    return rank < 0 ? (uint16_t)(0x8000u | (uint32_t)-rank) : (uint16_t)rank;
}

/* The possible words of an argument: every `step`-th from `low` to `high`. */
typedef struct {
    int32_t low, high, step;
} range;

static range range_of(tile_number a, int32_t most) {
    const double x = tile_to_double(TILE_DTYPE_BF16, a.bits), off = tile_tolerance(a);
    if (off == 0 || isnan(x))
        return (range){rank_of(a.bits), rank_of(a.bits), 1};
    const range r = {rank_of(bf16_from_double(x - off)), rank_of(bf16_from_double(x + off)), 1};
    return (range){r.low, r.high, 1 + (r.high - r.low) / most};
}

/* Returns the largest change of the value over the possible words of an argument. With only some words tried,
 * twice the change. */
static double program_off(sam_program *p, tile_number a, tile_number b, double value) {
    const bool two = p->parameters > 1 && tile_tolerance(b) > 0;
    const int32_t most = two ? NEIGHBOURS / 8 : NEIGHBOURS;
    const range ra = range_of(a, most),
                rb = two ? range_of(b, most) : (range){rank_of(b.bits), rank_of(b.bits), 1};
    double off = 0;
    for (int32_t i = ra.low; i <= ra.high; i += ra.step) {
        for (int32_t j = rb.low; j <= rb.high; j += rb.step) {
            const double other = tile_to_double(TILE_DTYPE_BF16, sam_apply(&p->of, word_at(i), word_at(j)));
            off = fmax(off, isnan(other) != isnan(value) ? (double)INFINITY : fabs(other - value));
        }
    }
    return ra.step > 1 || rb.step > 1 ? 2 * off : off;
}

/* ---- all --------------------------------------------------------------------------------------- */

static bool differs(tile_dtype dtype, tile_number a) {
    return a.exact != tile_to_double(dtype, a.bits);
}

/* Fills in the function's result in double precision, and whether a word wrapped. */
static void look_behind(tile_dtype dtype, sam_program *p, tile_number a, tile_number b, tile_number *r) {
    walk w = {.dtype = dtype, .ended = true, .remaining = SAM_MAX_STEPS};
    const tile_number by_words = walk_program(&w, p, a, b);
    const double word = r->exact;
    if (dtype == TILE_DTYPE_INT16) {
        r->lost = w.wrapped || tile_has_wrapped(by_words);
        r->magnitude = by_words.magnitude;
    }
    r->exact = w.ended ? by_words.exact : word;
    if (sam_is_plain(p) || !(differs(dtype, a) || differs(dtype, b) || r->lost))
        return;
    w = (walk){.dtype = dtype, .by_exact = true, .ended = true, .remaining = SAM_MAX_STEPS};
    const double exact = walk_program(&w, p, a, b).exact;
    r->exact = w.ended ? exact : word;
}

static tile_number apply_program(tile_dtype dtype, sam_program *p, tile_number a, tile_number b) {
    tile_number r = tile_number_of(dtype, sam_apply(&p->of, a.bits, b.bits));
    const bool overran = p->overran;
    look_behind(dtype, p, a, b, &r);
    if (dtype == TILE_DTYPE_BF16 && (tile_tolerance(a) > 0 || (p->parameters > 1 && tile_tolerance(b) > 0)))
        r.off = (float)program_off(p, a, b, tile_to_double(dtype, r.bits));
    p->overran = overran; /* unused values do not count */
    return r;
}

tile_number tile_apply(tile_dtype dtype, const sam_expr_data *x, tile_number a, tile_number b) {
    return x->program ? apply_program(dtype, x->program, a, b)
                      : tile_operate(dtype, sam_operation_of(x), a, b);
}

/* Gives the values of an accumulating function the sums behind their words. */
static void accumulate(tile_dtype dtype, uint32_t n, const tile_number *of, tile_number *made) {
    double exact = 0, whole = 0, off = 0;
    for (uint32_t i = 0; i < n; i++) {
        exact += of[i].exact;
        whole += of[i].magnitude;
        off += tile_tolerance(of[i]);
        made[i].exact = exact;
        if (dtype == TILE_DTYPE_INT16)
            made[i].magnitude = made[i].lost ? made[i].magnitude : whole;
        else
            made[i].off = off > 0 ? (float)(off + 0x1p-7 * fabs(tile_to_double(dtype, made[i].bits))) : 0;
    }
}

static void off_by(const sam_program *p, double most, tile_number *made) {
    if (most > 0)
        made->off = p->sensitivity > 0 ? (float)(p->sensitivity * most) : INFINITY;
}

/* Folds the values of a fiber, as sam_apply_fiber does. */
static void fold(tile_dtype dtype, const sam_program *p, uint32_t n, tile_number *value) {
    sam_program pair = *p;
    pair.takes_fiber = false;
    pair.of.program = &pair;
    for (uint32_t i = 1; i < n; i++) {
        value[0] = apply_program(dtype, &pair, value[0], value[i]);
        value[i] = tile_number_of(dtype, 0);
    }
}

void tile_apply_fiber(tile_dtype dtype, sam_program *p, uint32_t n, const int *crd, tile_number *value) {
    const bool fp = dtype == TILE_DTYPE_BF16;
    if (p->steps.len) {
        fold(dtype, p, n, value);
        return;
    }
    arena mem = {0};
    double *in = arena_new_n(&mem, double, n + 1), *made = arena_new_n(&mem, double, n + 1),
           *exact = arena_new_n(&mem, double, n + 1), most = 0;
    const double one = fp ? 1 : INT16_MAX;
    bool lost = false;
    tile_number *of = arena_new_n(&mem, tile_number, n + 1);
    memcpy(of, value, n * sizeof *of);
    for (uint32_t i = 0; i < n; i++) {
        most = fp ? fmax(most, tile_tolerance(value[i])) : 0;
        lost = lost || (!fp && tile_has_wrapped(value[i]));
        in[i] = value[i].exact;
    }
    if (n)
        sam_foreign_fiber(p->foreign, &(sam_fiber_call){(int)n, crd, in, exact, one, .behind = 0});
    for (uint32_t i = 0; i < n; i++)
        in[i] = tile_to_double(dtype, value[i].bits);
    if (n)
        sam_foreign_fiber(p->foreign, &(sam_fiber_call){(int)n, crd, in, made, one, .behind = 0});
    for (uint32_t i = 0; i < n; i++) {
        value[i] = tile_number_for(dtype, sam_number_word(made[i], fp), exact[i]);
        value[i].lost = lost;
        if (isfinite(made[i]) && (!fp || p->places))
            value[i].magnitude = rint(made[i]);
        off_by(p, most, &value[i]);
    }
    if (p->accumulates)
        accumulate(dtype, n, of, value);
    arena_free(&mem);
}
