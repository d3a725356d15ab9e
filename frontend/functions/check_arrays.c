/* check_arrays.c - compares functions with their stated expressions, on random arrays.
 *
 * The expression is computed literally, coordinate by coordinate: int16 in words, each operation wrapped,
 * which suits only functions that give the same result when they wrap at the end; bf16 in doubles, within
 * 1e-9 of the added magnitudes, or the description's accuracy; q15 in doubles, with a saturated value, within
 * one unit.
 */
#include "frontend/functions/capability.h"
#include "frontend/functions/library.h"
#include "frontend/language/statement.h"

#include <math.h>

enum { LARGEST_EXTENT = 9, GUARD = 4, MOST_TRIES = 10000 };

typedef struct {
    const fe_user_function *f;
    const fe_capability *c;
    const sam_statement *s;
    prng random;
    uint32_t extent[64], at[64]; /* by variable - 1; `at` is the current point */
    double **operand;            /* by tensor - 2 */
    bool fp;
    double unit; /* of a word: 1, or 2^-15 of q15 */
    arena mem;
    diagnostics *d;
} trial;

static bool fails(trial *t, const char *what) {
    const char *where = "";
    if (!sam_foreign_ended(t->f->described->foreign, t->f->name, t->f->loc, t->d))
        return false;
    for (uint32_t v = 0; v < t->s->vars.len; v++)
        where = arena_printf(t->d->mem, "%s%s%s = %u", where, v ? ", " : "",
                             fe_var_text(t->s, (sam_var){v + 1}), t->extent[v]);
    diag_mismatch(t->d, t->f->loc, "E0166-function-check", "%s of %s, where %s: %s", t->f->name,
                  t->f->described->q15 ? "q15"
                  : t->fp              ? "bf16"
                                       : "int16",
                  where, what);
    return diag_hint(t->d, "what is called, or the description's capability: docs/functions.md");
}

/* Chooses extents that satisfy the conditions. */
static bool choose_extents(trial *t) {
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        bool holds = true;
        for (uint32_t v = 0; v < t->s->vars.len; v++)
            t->extent[v] = 1 + (uint32_t)prng_below(&t->random, LARGEST_EXTENT);
        for (uint32_t i = 0; holds && i < t->c->conditions.len; i++)
            holds = fe_condition_value(t->c, t->c->conditions.at[i], t->extent);
        if (holds)
            return true;
    }
    return false;
}

/* ---- arrays ------------------------------------------------------------------------------------ */

static uint64_t size_of(const trial *t, sam_tensor tensor) {
    const sam_var *index = sam_index_of(t->s, tensor);
    uint64_t size = 1;
    for (uint32_t m = 0; m < sam_tensor_at(t->s, tensor)->order; m++)
        size *= t->extent[index[m].v - 1];
    return size;
}

/* Returns where the point lies in an array; with `mirrored`, where the point of its first two indices swapped
 * does. */
static uint64_t place_of(const trial *t, sam_tensor tensor, bool mirrored) {
    const sam_tensor_data *data = sam_tensor_at(t->s, tensor);
    const sam_var *index = sam_index_of(t->s, tensor);
    uint64_t place = 0;
    for (uint32_t l = 0; l < data->order; l++) {
        const uint32_t m = data->mode[l], of = mirrored && m < 2 ? 1 - m : m;
        place = place * t->extent[index[m].v - 1] + t->at[index[of].v - 1];
    }
    return place;
}

static bool is_symmetric(const trial *t, sam_tensor tensor) {
    bool is = false;
    for (uint32_t i = 0; i < t->c->tags.len; i++)
        is = is || (t->c->tags.at[i].tensor.v == tensor.v && strcmp(t->c->tags.at[i].tag, "symmetric") == 0);
    return is && sam_tensor_at(t->s, tensor)->order >= 2;
}

/* Goes to the next point of the indices of a tensor. */
static bool next_point(trial *t, sam_tensor tensor) {
    const sam_var *index = sam_index_of(t->s, tensor);
    for (uint32_t m = sam_tensor_at(t->s, tensor)->order; m-- > 0;) {
        uint32_t *at = &t->at[index[m].v - 1];
        if (++*at < t->extent[index[m].v - 1])
            return true;
        *at = 0;
    }
    return false;
}

static double *make_operand(trial *t, sam_tensor tensor) {
    const uint64_t size = size_of(t, tensor);
    double *array = arena_new_n(&t->mem, double, size + GUARD);
    for (uint64_t i = 0; i < size + GUARD; i++) {
        const int small = (int)prng_below(&t->random, 129) - 64;
        const bool q15 = t->f->described->q15, wide = (!t->fp || q15) && prng_below(&t->random, 8) == 0;
        array[i] = wide    ? (int)prng_below(&t->random, 0x10000) - 0x8000
                   : q15   ? 256 * small
                   : t->fp ? small / 8.0
                           : small;
    }
    memset(t->at, 0, sizeof t->at);
    for (bool more = is_symmetric(t, tensor); more; more = next_point(t, tensor))
        array[place_of(t, tensor, true)] = array[place_of(t, tensor, false)];
    return array;
}

/* ---- the expression ------------------------------------------------------------------------------ */

typedef struct {
    uint16_t word;            /* int16 */
    double number, magnitude; /* bf16: and the magnitude of all addends */
} value;

static value combine(const trial *t, sam_operation by, value a, value b) {
    const sam_operator *of = sam_operator_of(by, t->fp);
    if (!t->fp)
        return (value){.word = sam_apply(of, a.word, b.word)};
    if (by == SAM_OPERATION_add || by == SAM_OPERATION_sub)
        return (value){0, by == SAM_OPERATION_add ? a.number + b.number : a.number - b.number,
                       a.magnitude + b.magnitude};
    if (by == SAM_OPERATION_mul)
        return (value){0, a.number * b.number, a.magnitude * b.magnitude};
    const double x = sam_word_number(
        sam_apply(of, sam_number_word(a.number, true), sam_number_word(b.number, true)), true);
    return (value){0, x, fmax(fabs(x), a.magnitude + b.magnitude)};
}

static value evaluate(trial *t, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(t->s, e);
    if (x->kind == SAM_EXPR_ACCESS || x->kind == SAM_EXPR_LITERAL) {
        const double n = x->kind == SAM_EXPR_LITERAL
                             ? sam_word_number(sam_literal_word(x->literal, t->fp), t->fp)
                             : t->unit * t->operand[x->tensor.v - 2][place_of(t, x->tensor, false)];
        return (value){sam_number_word(n, t->fp), n, fabs(n)};
    }
    const sam_operation by = sam_operation_of(x);
    if (x->kind != SAM_EXPR_SUM) {
        const value a = evaluate(t, x->a);
        return combine(t, by, a, x->b.v ? evaluate(t, x->b) : (value){0});
    }
    uint32_t *at = &t->at[x->var.v - 1];
    *at = 0;
    value all = evaluate(t, x->a);
    for (*at = 1; *at < t->extent[x->var.v - 1]; ++*at)
        all = combine(t, by, all, evaluate(t, x->a));
    *at = 0;
    return all;
}

static bool is_same(const trial *t, double got, value want) {
    const double stated = t->f->described->accuracy, accuracy = stated > 0 ? stated : 1e-9;
    if (t->f->described->q15)
        return fabs(got - fmin(fmax(want.number / t->unit, INT16_MIN), INT16_MAX)) <= 1;
    return t->fp ? fabs(got - want.number) <= accuracy * want.magnitude
                 : sam_number_word(got, false) == want.word;
}

/* Holds every value of the result against the expression. */
static bool is_right(trial *t, const double *result) {
    memset(t->at, 0, sizeof t->at);
    do {
        const double got = result[place_of(t, t->s->result, false)];
        const value want = evaluate(t, t->s->rhs);
        if (!is_same(t, got, want))
            return fails(t, arena_printf(t->d->mem, "a value is %g, and its expression %g", got,
                                         t->fp ? want.number / t->unit : sam_word_number(want.word, false)));
    } while (next_point(t, t->s->result));
    return true;
}

/* Hands arrays over with the GUARD values behind each. */
static void call_arrays(trial *t, const int *extent, double *result) {
    const uint32_t arrays = t->s->tensors.len;
    double **array = arena_new_n(&t->mem, double *, arrays);
    uint64_t *values = arena_new_n(&t->mem, uint64_t, arrays);
    for (uint32_t i = 0; i < arrays; i++) {
        array[i] = i ? t->operand[i - 1] : result;
        values[i] = size_of(t, (sam_tensor){i + 1}) + GUARD;
    }
    sam_foreign_arrays(t->f->described->foreign, &(sam_array_call){.vars = t->s->vars.len,
                                                                   .arrays = arrays,
                                                                   .extent = extent,
                                                                   .array = array,
                                                                   .values = values,
                                                                   .back = true});
}

static bool try_arrays(trial *t) {
    const uint32_t operands = t->s->tensors.len - 1;
    if (!choose_extents(t))
        return fails(t, "no extents up to 9 keep its conditions");
    int extent[64];
    for (uint32_t v = 0; v < t->s->vars.len; v++)
        extent[v] = (int)t->extent[v];
    double **before = arena_new_n(&t->mem, double *, operands + 1);
    t->operand = arena_new_n(&t->mem, double *, operands + 1);
    for (uint32_t o = 0; o < operands; o++) {
        const sam_tensor tensor = {o + 2};
        const uint64_t size = size_of(t, tensor) + GUARD;
        t->operand[o] = make_operand(t, tensor);
        before[o] = arena_new_n(&t->mem, double, size);
        memcpy(before[o], t->operand[o], size * sizeof(double));
    }
    const uint64_t size = size_of(t, t->s->result);
    double *result = arena_new_n(&t->mem, double, size + GUARD);
    for (uint64_t i = size; i < size + GUARD; i++)
        result[i] = -12345.5;
    call_arrays(t, extent, result);
    for (uint64_t i = size; i < size + GUARD; i++) {
        if (result[i] != -12345.5)
            return fails(t, "it writes behind its result");
    }
    for (uint32_t o = 0; o < operands; o++) {
        if (memcmp(before[o], t->operand[o], (size_of(t, (sam_tensor){o + 2}) + GUARD) * sizeof(double)) != 0)
            return fails(t, "it writes an operand");
    }
    return sam_foreign_ended(t->f->described->foreign, t->f->name, t->f->loc, t->d) && is_right(t, result);
}

bool fe_check_arrays(const fe_user_function *f, uint64_t seed, diagnostics *d) {
    trial t = {.f = f,
               .c = &f->described->states,
               .s = &f->described->states.s,
               .random = prng_seed(seed),
               .fp = !f->described->states.s.integers,
               .unit = f->described->q15 ? 1.0 / 32768 : 1,
               .d = d};
    bool ok = true;
    for (int i = 0; ok && i < FE_CHECK_INPUTS; i++) {
        ok = try_arrays(&t);
        arena_free(&t.mem);
        t.mem = (arena){0};
    }
    return ok;
}
