/* properties.c - an author's claims about a function, checked on values. A claim that holds on the tested
 * values is proved only if all values were tested: for one unknown all words are tested, for several a sample
 * that begins with boundary words of arithmetic, and all integers from -8 to 7 of up to three unknowns.
 */
#include "frontend/functions/read_functions.h"
#include "frontend/language/check.h"
#include "sam/coordinates.h"

enum {
    SAMPLE = 20000,
    OF_SPACE = 1000,
    SMALL_BITS = 4,
    SMALL_PAIRS = 1 << 2 * SMALL_BITS,
    SMALL_TRIPLES = 1 << 3 * SMALL_BITS
};

uint16_t fe_compute(const fe_user_function *f, const uint16_t *argument) {
    return sam_compute(&f->s, f->value, argument);
}

/* Word n of a sample for parameter p. The product spreads n over all words; small numbers follow. */
static uint16_t sampled(const fe_user_function *f, uint32_t n, uint32_t p) {
    static const uint16_t turns[] = {0, 1, 0xffff, 0x7fff, 0x8000, 2, 0x3f80, 0xbf80};
    const uint32_t n_turns = sizeof turns / sizeof *turns;
    uint32_t at = n >> (3 * p);
    if (n < 512)
        return turns[at % n_turns];
    if (n >= SAMPLE)
        return sam_literal_word((int)((n - SAMPLE) >> SMALL_BITS * p & ((1 << SMALL_BITS) - 1)) - 8,
                                !f->s.integers);
    return (uint16_t)((uint64_t)n * (2654435761u + 40503u * p) >> (7 + 3 * p));
}

static bool is_nan(const fe_user_function *f, uint16_t word) {
    return !f->s.integers && (word & 0x7fff) > 0x7f80;
}

static bool alike(const fe_user_function *f, uint16_t a, uint16_t b) {
    bool zeros = !f->s.integers && !(a & 0x7fff) && !(b & 0x7fff);
    return a == b || zeros || (is_nan(f, a) && is_nan(f, b));
}

/* Puts the claim's arguments at values n into argument[], and the claimed value of the function into
 *expected.
 */
static void claim(const fe_user_function *f, const fe_property *p, uint32_t n, uint32_t at,
                  uint16_t *argument, uint16_t *expected) {
    const uint32_t last = f->parameters - 1;
    for (uint32_t i = 0; i <= last; i++)
        argument[i] = sampled(f, n, i);
    uint16_t swapped[FE_MAX_PARAMETERS];
    memcpy(swapped, argument, sizeof swapped);
    switch (p->kind) {
    case FE_COMMUTATIVE:
        swapped[at] = argument[(at + 1) % f->parameters];
        swapped[(at + 1) % f->parameters] = argument[at];
        *expected = fe_compute(f, swapped);
        return;
    case FE_ASSOCIATIVE: {
        uint16_t third = sampled(f, n, 2), right[2] = {argument[1], third};
        uint16_t left[2] = {argument[0], fe_compute(f, right)};
        *expected = fe_compute(f, left);
        argument[0] = fe_compute(f, argument);
        argument[1] = third;
        return;
    }
    case FE_IDEMPOTENT:
        for (uint32_t i = 0; i <= last; i++)
            argument[i] = (uint16_t)n;
        *expected = (uint16_t)n;
        return;
    case FE_ANNIHILATOR:
        argument[(at + 1) % f->parameters] = (uint16_t)n;
        argument[at] = p->value;
        *expected = p->value;
        return;
    case FE_IDENTITY:
        argument[1 - at] = (uint16_t)n;
        argument[at] = p->value;
        *expected = (uint16_t)n;
        return;
    case FE_SPACE:
        for (uint32_t i = 0; i <= last; i++) {
            const bool other = at >> i & 1; /* than the tested value */
            if (!other || alike(f, argument[i], p->tested[i]))
                argument[i] = (uint16_t)(p->tested[i] + other);
        }
        *expected = fe_compute(f, p->tested);
        return;
    }
    BUG("property %d", (int)p->kind);
}

static bool refuse(const fe_user_function *f, const fe_property *p, const uint16_t *argument, uint16_t value,
                   uint16_t expected, diagnostics *d) {
    const char *text = "";
    for (uint32_t i = 0; i < f->parameters; i++)
        text = f->s.integers ? arena_printf(d->mem, "%s%s%d", text, i ? ", " : "", (int16_t)argument[i])
                             : arena_printf(d->mem, "%s%s0x%04x", text, i ? ", " : "", argument[i]);
    diag_error(d, p->loc, "E0159-property", "%s does not have this property: %s(%s) is %s", f->name, f->name,
               text,
               f->s.integers ? arena_printf(d->mem, "%d, not %d", (int16_t)value, (int16_t)expected)
                             : arena_printf(d->mem, "0x%04x, not 0x%04x", value, expected));
    return diag_hint(d, "remove it, or state what is so for values of %s", f->s.integers ? "int16" : "bf16");
}

static bool holds_at(const fe_user_function *f, const fe_property *p, uint32_t at, diagnostics *d) {
    bool one = p->kind == FE_IDEMPOTENT || p->kind == FE_ANNIHILATOR || p->kind == FE_IDENTITY;
    const bool space = p->kind == FE_SPACE;
    const uint32_t end = one ? 65536 : SAMPLE + (space ? SMALL_PAIRS : SMALL_TRIPLES);
    uint16_t argument[FE_MAX_PARAMETERS] = {0}, expected;
    const sam_program *program = sam_expr_at(&f->s, f->value)->program;
    for (uint32_t n = 0; n < end; n++) {
        n = space && n == OF_SPACE ? SAMPLE : n;
        claim(f, p, n, at, argument, &expected);
        bool numbers = !is_nan(f, expected);
        for (uint32_t i = 0; i < f->parameters; i++)
            numbers = numbers && !is_nan(f, argument[i]);
        if (numbers && !alike(f, fe_compute(f, argument), expected))
            return refuse(f, p, argument, fe_compute(f, argument), expected, d);
        if (program && !sam_program_ended(program, d))
            return false;
    }
    return true;
}

/* ---- what it narrows ----------------------------------------------------------------------------- */

/* One parameter is absent, and the others are stored. */
typedef struct {
    uint32_t absent;
    const fe_user_function *f;
} point;

static void is_stored(void *at, sam_expr access, void *out) {
    const point *where = at;
    *(bool *)out = sam_expr_at(&where->f->s, access)->tensor.v != where->absent + 1;
}

/* Returns whether the value's operations imply 0 wherever the parameter is 0. */
static bool says_itself(const fe_user_function *f, uint32_t parameter, arena *mem) {
    const bool all = true;
    const sam_fold_by by = {
        .size = sizeof all, .all = &all, .stored = is_stored, .meet = sam_in_both, .unite = sam_in_either};
    sam_algebra algebra = {.mem = mem};
    sam_coordinates c = sam_coordinates_of(&algebra, &f->s, f->value, NULL);
    point at = {parameter, f};
    bool in = true;
    if (c.set.v && c.fill == 0)
        sam_fold(&algebra, c.set, &by, &at, &in);
    return !in;
}

static void narrow(fe_user_function *f, const fe_property *p, arena *mem) {
    for (uint32_t i = 0; i < f->parameters; i++) {
        bool zero = p->kind == FE_ANNIHILATOR && p->value == 0 && (p->at >> i & 1);
        if (p->kind == FE_SPACE && (p->at >> i & 1) && p->tested[i] == 0 && fe_compute(f, p->tested) == 0) {
            zero = true;
            for (uint32_t a = 0; a < 1u << f->parameters; a++)
                zero = zero && ((a >> i & 1) || !(p->space >> a & 1));
        }
        if (zero && !says_itself(f, i, mem))
            f->narrowed |= 1u << i;
    }
}

static void tell(sam_operator *of, const fe_property *p, uint32_t parameters) {
    sam_special special = {true, SAM_EACH, p->value};
    for (uint32_t i = 0; i < parameters && parameters > 1; i++) {
        if (p->at == 1u << i)
            special.at = (int8_t)i;
    }
    of->commutative |= p->kind == FE_COMMUTATIVE;
    of->idempotent |= p->kind == FE_IDEMPOTENT;
    if (p->kind == FE_ANNIHILATOR)
        of->annihilator = special;
    if (p->kind == FE_IDENTITY)
        of->identity = special;
}

bool fe_check_property(fe_user_function *f, const fe_property *p, diagnostics *d) {
    bool binary = p->kind == FE_ASSOCIATIVE || p->kind == FE_IDENTITY, several = p->kind == FE_COMMUTATIVE;
    if ((binary && f->parameters != 2) || (several && f->parameters < 2)) {
        diag_error(d, p->loc, "E0159-property", "%s has %u %s, and this is a property of two", f->name,
                   f->parameters, plural(f->parameters, "parameter", "parameters"));
        return diag_hint(d, "remove it");
    }
    if (f->s.integers && !fe_check_literals(&f->s, 0, d))
        return false; /* the check computes with these literals */
    uint32_t cases = p->kind == FE_SPACE ? 1u << f->parameters : f->parameters;
    for (uint32_t at = 0; at < cases; at++) {
        bool about = p->kind == FE_SPACE ? !(p->space >> at & 1) : (p->at >> at & 1) != 0;
        if (about && !holds_at(f, p, at, d))
            return false;
        if (p->kind == FE_ASSOCIATIVE || p->kind == FE_IDEMPOTENT)
            break;
    }
    sam_program *program = sam_expr_at(&f->s, f->value)->program;
    if (program) /* derived from its properties; an expression also from its operations */
        tell(&program->of, p, f->parameters);
    tell(&f->says, p, f->parameters);
    if (p->kind == FE_SPACE) {
        f->says.algebra = p->algebra;
        memcpy(f->says.tested, p->tested, sizeof p->tested);
    }
    narrow(f, p, d->mem);
    return true;
}
