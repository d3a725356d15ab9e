/* program.c - computes words: expressions of scalars, and functions with loops, step by step.
 *
 * All steps of a value, including the steps of called functions, count together: every value ends after at
 * most SAM_MAX_STEPS steps.
 */
#include "sam/binding.h"
#include "sam/calls.h"
#include "support/number.h"

#include <math.h>

sam_operation sam_operation_of(const sam_expr_data *x) {
    static const sam_operation of_kind[] = {[SAM_EXPR_NEG] = SAM_OPERATION_neg,
                                            [SAM_EXPR_ADD] = SAM_OPERATION_add,
                                            [SAM_EXPR_SUB] = SAM_OPERATION_sub,
                                            [SAM_EXPR_MUL] = SAM_OPERATION_mul,
                                            [SAM_EXPR_DIV] = SAM_OPERATION_div};
    bool named = x->kind == SAM_EXPR_CALL || x->kind == SAM_EXPR_SUM;
    BUG_IF(!named && (x->kind < SAM_EXPR_NEG || x->kind > SAM_EXPR_DIV), "expression %d has no operation",
           (int)x->kind);
    return named ? (sam_operation)x->operation : of_kind[x->kind];
}

uint16_t sam_literal_word(double literal, bool fp) {
    uint16_t word = 0;
    char text[40];
    if (!fp && literal >= INT16_MIN && literal <= UINT16_MAX)
        return (uint16_t)(int32_t)literal;
    number_text(text, sizeof text, "%.17g", literal);
    BUG_IF(!sam_parse_constant(text, fp, &word), "the literal %s", text);
    return word;
}

double sam_word_number(uint16_t word, bool fp) {
    const uint32_t bits = (uint32_t)word << 16;
    float f;
    memcpy(&f, &bits, sizeof f);
    return fp ? (double)f : (double)(int16_t)word;
}

static uint16_t run(sam_program *p, uint16_t a, uint16_t b, uint32_t *remaining);

static uint16_t compute(const sam_statement *s, sam_expr e, const uint16_t *value, uint32_t *remaining) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (x->kind == SAM_EXPR_ACCESS)
        return value[x->tensor.v - 1];
    if (x->kind == SAM_EXPR_LITERAL)
        return sam_literal_word(x->literal, !s->integers);
    uint16_t a = compute(s, x->a, value, remaining), b = x->b.v ? compute(s, x->b, value, remaining) : 0;
    return x->program ? run(x->program, a, b, remaining)
                      : sam_operator_of(sam_operation_of(x), !s->integers)->apply(a, b);
}

enum { NOT_A_NUMBER = 0x7fc0 }; /* bf16 */

uint16_t sam_number_word(double x, bool fp) {
    if (fp)
        return isnan(x) ? NOT_A_NUMBER : sam_literal_word(x, true);
    if (x >= INT16_MIN && x <= INT16_MAX)
        return (uint16_t)(int32_t)rint(x);
    return isfinite(x) ? (uint16_t)(int32_t)fmod(rint(x), 65536) : 0;
}

void sam_calls_give(sam_calls *c, uint32_t operand, const uint16_t *word, uint64_t n) {
    for (uint64_t i = 0; i < n && !c->made; i++)
        vec_push(c->mem, &c->in[operand], word[i]);
    c->operands = operand >= c->operands ? operand + 1 : c->operands;
}

void sam_calls_take(sam_calls *c, uint16_t *word, uint64_t n) {
    if (!c->made) {
        for (uint64_t i = 0; i < n; i++)
            vec_push(c->mem, &c->out, word[i]);
        c->calls++;
        return;
    }
    c->differs = c->differs || n > c->out.len - c->taken;
    for (uint64_t i = 0; i < n && !c->differs; i++)
        word[i] = c->made[c->taken++];
}

/* Folds the values of a fiber by the steps of a function of two values; the value stands at the first
 * coordinate. */
static void fold(const sam_program *p, uint32_t n, uint16_t *word) {
    sam_program pair = *p;
    pair.takes_fiber = false;
    for (uint32_t i = 1; i < n; i++) {
        uint32_t remaining = SAM_MAX_STEPS;
        word[0] = run(&pair, word[0], word[i], &remaining);
        word[i] = 0;
    }
}

void sam_apply_fiber(const sam_program *p, uint32_t n, const int *crd, uint16_t *word) {
    arena mem = {0};
    if (!n)
        return;
    if (p->steps.len) {
        fold(p, n, word);
        return;
    }
    double *in = arena_new_n(&mem, double, n), *out = arena_new_n(&mem, double, n);
    for (uint32_t i = 0; i < n; i++)
        in[i] = sam_word_number(word[i], p->of.fp);
    if (p->calls) {
        sam_calls_give(p->calls, 0, word, n);
        for (uint32_t i = 0; i < n && !p->calls->made; i++)
            vec_push(p->calls->mem, &p->calls->coordinates, crd[i]);
        if (!p->calls->made)
            vec_push(p->calls->mem, &p->calls->extents, (int32_t)n);
    }
    sam_foreign_fiber(p->foreign,
                      &(sam_fiber_call){(int)n, crd, in, out, p->of.fp ? 1 : INT16_MAX, .behind = 0});
    for (uint32_t i = 0; i < n; i++)
        word[i] = sam_number_word(out[i], p->of.fp);
    if (p->calls)
        sam_calls_take(p->calls, word, n);
    arena_free(&mem);
}

double sam_plain(const sam_program *p, double x, double y) {
    const bool fp = p->of.fp;
    if (p->plain)
        return p->plain(x, y);
    return p->foreign ? sam_foreign_plain(p->foreign, x, y)
                      : sam_word_number(p->words[sam_number_word(x, fp)], fp);
}

static uint16_t call_plain(const sam_program *p, uint16_t a, uint16_t b) {
    const bool fp = p->of.fp;
    return sam_number_word(sam_plain(p, sam_word_number(a, fp), sam_word_number(b, fp)), fp);
}

const uint16_t *sam_words_of(sam_program *p) {
    enum { WORDS = 1 << 16 };
    if (p->words || p->no_words || !p->foreign || p->takes_fiber || p->parameters != 1)
        return p->words;
    arena mem = {0};
    double *in = arena_new_n(&mem, double, WORDS), *out = arena_new_n(&mem, double, WORDS);
    for (uint32_t x = 0; x < WORDS; x++)
        in[x] = sam_word_number((uint16_t)x, p->of.fp);
    sam_foreign_each(p->foreign, WORDS, in, out);
    p->no_words = sam_foreign_has_fault(p->foreign);
    uint16_t *words = p->no_words ? NULL : arena_new_n(sam_foreign_memory(p->foreign), uint16_t, WORDS);
    for (uint32_t x = 0; x < WORDS && words; x++)
        words[x] = sam_number_word(out[x], p->of.fp);
    arena_free(&mem);
    if (p->no_words)
        sam_foreign_anew(p->foreign);
    p->words = words;
    return words;
}

uint16_t sam_call(sam_program *p, uint16_t a, uint16_t b) {
    uint16_t word = sam_apply(&p->of, a, b);
    if (!p->calls)
        return word;
    sam_calls_give(p->calls, 0, &a, 1);
    if (p->parameters > 1)
        sam_calls_give(p->calls, 1, &b, 1);
    sam_calls_take(p->calls, &word, 1);
    return word;
}

/* Keeps the arguments of the first value that did not come. Returns the value that stands for it. */
static uint16_t overrun(sam_program *p, uint16_t a, uint16_t b) {
    if (!p->overran) {
        p->overran_at[0] = a;
        p->overran_at[1] = b;
    }
    p->overran = true;
    return 0;
}

bool sam_is_coordinate(const sam_program *p, uint16_t word) {
    const double x = sam_word_number(word, p->of.fp);
    return x >= 0 && x < p->entries && x == floor(x);
}

static uint16_t run(sam_program *p, uint16_t a, uint16_t b, uint32_t *remaining) {
    if (p->takes_fiber) /* a fill stays the fill */
        return p->chooses ? 0 : a;
    if (p->entries && !sam_is_coordinate(p, a))
        return overrun(p, a, b);
    if (sam_is_plain(p))
        return call_plain(p, a, b);
    uint16_t value[SAM_MAX_VARIABLES] = {a, b};
    for (uint32_t at = 0; *remaining; --*remaining) {
        const sam_program_step *step = &p->steps.at[at++];
        switch (step->kind) {
        case SAM_STEP_SET:
            value[step->to - 1] = compute(&p->s, step->e, value, remaining);
            break;
        case SAM_STEP_UNLESS:
            if (!(compute(&p->s, step->e, value, remaining) & (p->of.fp ? 0x7fff : 0xffff)))
                at = step->to;
            break;
        case SAM_STEP_GO:
            at = step->to;
            break;
        case SAM_STEP_RETURN:
            return compute(&p->s, step->e, value, remaining);
        }
        if (!*remaining)
            break;
    }
    return overrun(p, a, b);
}

const sam_expr_data *sam_fiber_function_in(const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e), *found = sam_takes_fiber(x) ? x : NULL;
    if (!found && x->a.v)
        found = sam_fiber_function_in(s, x->a);
    return found || !x->b.v ? found : sam_fiber_function_in(s, x->b);
}

uint16_t sam_compute(const sam_statement *s, sam_expr e, const uint16_t *value) {
    uint32_t remaining = SAM_MAX_STEPS;
    return compute(s, e, value, &remaining);
}

uint16_t sam_apply(const sam_operator *f, uint16_t a, uint16_t b) {
    uint32_t remaining = SAM_MAX_STEPS;
    return f->program ? run(f->program, a, b, &remaining) : f->apply(a, b);
}

static bool refuse_index(const sam_program *p, diagnostics *d) {
    diag_error(d, p->loc, "E0182-gather", "%s(%g) is gathered, and %s has %u %s, from 0 to %u", p->name,
               sam_word_number(p->overran_at[0], p->of.fp), p->name, p->entries,
               plural(p->entries, "entry", "entries"), p->entries - 1);
    return diag_hint(
        d,
        "whole numbers from 0 to %u are its coordinates; where nothing is stored the index is its "
        "fill, which is 0 unless said",
        p->entries - 1);
}

bool sam_program_ended(const sam_program *p, diagnostics *d) {
    for (uint32_t e = 0; e < p->s.exprs.len && p->takes_fiber; e++) { /* the folded function */
        const sam_program *of = p->s.exprs.at[e].program;
        if (of && !sam_program_ended(of, d))
            return false;
    }
    if (p->foreign && !sam_foreign_ended(p->foreign, p->name, p->loc, d))
        return false;
    if (!p->overran)
        return true;
    if (p->entries)
        return refuse_index(p, d);
    const char *text = "";
    for (uint32_t i = 0; i < p->parameters; i++) {
        uint16_t word = p->overran_at[i];
        text = p->of.fp ? arena_printf(d->mem, "%s%s0x%04x", text, i ? ", " : "", word)
                        : arena_printf(d->mem, "%s%s%d", text, i ? ", " : "", (int16_t)word);
    }
    diag_error(d, p->loc, "E0161-endless", "%s(%s) comes to no end within %d steps", p->name, text,
               SAM_MAX_STEPS);
    return diag_hint(d, "let every loop count up or down to a value that it reaches, for every argument");
}
