/* Coordinates with values of expressions: a row for each case of the derivation, its promise (outside of the
 * set the value is the fill) checked exhaustively over small domains, and the sets of statements. */
#include "sam/coordinates.h"
#include "tests/quota.h"
#include "tests/test.h"

enum { OPERANDS = 3, NO_FILL = 0 };

/* Accesses A, B, C, ..., each a scalar: expressions 1 to n. */
static sam_statement scalars(fixture *f, bool integers, uint32_t n) {
    sam_statement s = {.mem = &f->mem, .names = &f->names, .integers = integers};
    for (uint32_t t = 0; t < n; t++) {
        const char name[] = {(char)('A' + t), 0};
        vec_push(&f->mem, &s.tensors, (sam_tensor_data){.name = names_intern(&f->names, name)});
        vec_push(&f->mem, &s.exprs, (sam_expr_data){.kind = SAM_EXPR_ACCESS, .tensor = {t + 1}});
    }
    return s;
}

static sam_statement three_operands(fixture *f, bool integers) {
    return scalars(f, integers, OPERANDS);
}

static sam_expr add_expr(sam_statement *s, sam_expr_kind kind, sam_expr a, sam_expr b) {
    vec_push(s->mem, &s->exprs, (sam_expr_data){.kind = kind, .a = a, .b = b});
    return (sam_expr){s->exprs.len};
}

static const char *set_text(fixture *f, const sam_algebra *algebra, sam_set set) {
    const sam_set_data *x = &algebra->sets.at[set.v - 1];
    switch (x->kind) {
    case SAM_SET_STORED:
        return arena_printf(&f->mem, "%c", 'A' + (int)x->of.v - 1);
    case SAM_SET_ALL:
        return "all";
    case SAM_SET_NOT:
        return arena_printf(&f->mem, "~%s", set_text(f, algebra, x->a));
    case SAM_SET_MEET:
    case SAM_SET_UNITE:
        return arena_printf(&f->mem, "(%s%c%s)", set_text(f, algebra, x->a),
                            x->kind == SAM_SET_MEET ? '&' : '|', set_text(f, algebra, x->b));
    case SAM_SET_NONE:
        break;
    }
    fail();
    return NULL;
}

/* ---- operators of the tests' own ------------------------------------------------------------- */

static uint16_t larger(uint16_t a, uint16_t b) {
    return a > b ? a : b;
}
static uint16_t smaller(uint16_t a, uint16_t b) {
    return a < b ? a : b;
}
static uint16_t both_bits(uint16_t a, uint16_t b) {
    return a & b;
}
static uint16_t divisor(uint16_t a, uint16_t b) {
    return b ? divisor(b, (uint16_t)(a % b)) : a;
}
static uint16_t sum(uint16_t a, uint16_t b) {
    return (uint16_t)(a + b);
}
static uint16_t difference(uint16_t a, uint16_t b) {
    return (uint16_t)(a - b);
}
static uint16_t unless(uint16_t a, uint16_t b) {
    return b ? 0 : a;
}
static uint16_t quotient(uint16_t a, uint16_t b) {
    if (b == 0)
        return a ? UINT16_MAX : 0;
    return a / b;
}
static uint16_t reversed_quotient(uint16_t a, uint16_t b) {
    return quotient(b, a);
}

enum { TOP = UINT16_MAX };

/* These operators work on unsigned numbers, whose greatest is UINT16_MAX. A property irrelevant to the case
 * is left out. */
static const sam_operator gcd = {.algebra = "01|", .apply = divisor},
                          and_not = {.algebra = "01~&", .apply = unless},
                          greatest = {.commutative = true, .annihilator = {true, 0, TOP}, .apply = larger},
                          least = {.idempotent = true, .apply = smaller},
                          raised = {.identity = {true, SAM_EACH, 0}, .apply = larger},
                          masked = {.annihilator = {true, SAM_EACH, 0}, .apply = both_bits},
                          divided = {.annihilator = {true, 0, 0}, .apply = quotient},
                          divides = {.annihilator = {true, 1, 0}, .apply = reversed_quotient},
                          minus = {.identity = {true, 1, 0}, .apply = difference}, plain = {.apply = sum},
                          said = {.fill_is_given = true, .fill = 5, .apply = sum},
                          said_max = {.commutative = true,
                                      .annihilator = {true, 0, TOP},
                                      .fill_is_given = true,
                                      .fill = 7,
                                      .apply = larger},
                          quotient_of_two = {.algebra = "01|",
                                             .fill_is_given = true,
                                             .fill = 5,
                                             .apply = quotient},
                          unknown = {.commutative = false};

/* ---- the derivation, case by case ------------------------------------------------------------ */

static const struct {
    const sam_operator *f;
    uint32_t n;
    uint16_t fill[OPERANDS];
    const char *set;
    uint16_t is;
} rows[] = {
    /* An algebra of its own holds if the fills equal the tested fills. */
    {&gcd, 2, {0, 0}, "(A|B)", 0},
    {&gcd, 2, {0, 1}, "all", 1},
    {&quotient_of_two, 2, {0, 0}, "(A|B)", 5},
    {&quotient_of_two, 2, {9, 2}, "all", 4},
    {&and_not, 2, {0, 0}, "(A&~B)", 0},
    /* An annihilator: operands with this fill intersect. */
    {&greatest, 3, {TOP, TOP, 0}, "(A&B)", TOP},
    {&greatest, 3, {TOP, 3, 0}, "A", TOP},
    {&masked, 2, {0, 0}, "(A&B)", 0},
    {&masked, 2, {6, 0}, "B", 0},
    /* The annihilator of a non-commutative operator counts only in its own place. */
    {&divided, 2, {0, 1}, "A", 0},
    {&divided, 2, {0, 0}, "A", 0},
    {&divided, 2, {4, 2}, "(A|B)", 2},
    {&divides, 2, {1, 0}, "B", 0},
    /* Idempotence: all fills are equal. */
    {&least, 2, {9, 9}, "(A|B)", 9},
    {&least, 3, {9, 9, 9}, "((A|B)|C)", 9},
    /* An identity: all fills but one equal the identity, or all fills do. */
    {&raised, 2, {0, 42}, "(A|B)", 42},
    {&raised, 2, {0, 0}, "(A|B)", 0},
    {&minus, 2, {7, 0}, "(A|B)", 7},
    /* Otherwise the value of all fills. */
    {&plain, 2, {2, 3}, "(A|B)", 5},
    {&minus, 2, {0, 7}, "(A|B)", (uint16_t)-7},
    {&raised, 3, {1, 42, 3}, "((A|B)|C)", 42},
    {&unknown, 2, {0, 0}, "all", NO_FILL},
    /* The author's fill holds everywhere, unless the case already gives the same fill. */
    {&said, 2, {2, 3}, "(A|B)", 5},
    {&said, 2, {2, 2}, "all", 5},
    {&said_max, 2, {TOP, 1}, "all", 7},
};

static void each_case_of_the_derivation(void **state) {
    fixture *f = *state;
    sam_statement s = three_operands(f, true);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sam_algebra algebra = {.mem = &f->mem};
        sam_coordinates argument[OPERANDS];
        for (uint32_t k = 0; k < rows[i].n; k++)
            argument[k] = sam_coordinates_of(&algebra, &s, (sam_expr){k + 1}, rows[i].fill);
        sam_coordinates got = sam_derive(&algebra, rows[i].f, (sam_expr){0}, argument, rows[i].n);
        const char *set = set_text(f, &algebra, got.set);
        if (strcmp(set, rows[i].set) != 0 || got.fill != rows[i].is)
            fail_msg("row %zu: %s, fill %u; expected %s, fill %u", i, set, got.fill, rows[i].set, rows[i].is);
    }
}

static void arguments_may_be_derived(void **state) {
    fixture *f = *state;
    sam_statement s = three_operands(f, true);
    sam_algebra algebra = {.mem = &f->mem};
    sam_coordinates of[OPERANDS];
    for (uint32_t k = 0; k < OPERANDS; k++)
        of[k] = sam_coordinates_of(&algebra, &s, (sam_expr){k + 1}, NULL);
    sam_coordinates inner = sam_derive(&algebra, &gcd, (sam_expr){0}, of, 2);
    sam_coordinates outer =
        sam_derive(&algebra, &masked, (sam_expr){0}, (sam_coordinates[]){inner, of[2]}, 2);
    assert_string_equal(set_text(f, &algebra, outer.set), "((A|B)&C)");
    assert_int_equal(outer.fill, 0);
    /* De Morgan: the complement applies to the operands, and no complement of a union is needed. */
    static const sam_operator neither = {.algebra = "01|~", .apply = unless},
                              nor = {.algebra = "01&~2~|", .apply = unless};
    outer = sam_derive(&algebra, &neither, (sam_expr){0}, of, 2);
    assert_string_equal(set_text(f, &algebra, outer.set), "(~A&~B)");
    outer = sam_derive(&algebra, &nor, (sam_expr){0}, of, 3);
    assert_string_equal(set_text(f, &algebra, outer.set), "((~A|~B)|~C)");
    /* A derived set may be too large; its complement would leave values out. */
    outer = sam_derive(&algebra, &and_not, (sam_expr){0}, (sam_coordinates[]){of[2], inner}, 2);
    assert_string_equal(set_text(f, &algebra, outer.set), "(C&all)");
}

/* ---- the promise ----------------------------------------------------------------------------- */

static void is_stored(void *context, sam_expr access, void *out) {
    *(bool *)out = *(const uint32_t *)context >> (access.v - 1) & 1;
}

/* Whether a point where the operands of `stored` are stored, a bit each, is in the set. */
static bool is_in(const sam_algebra *algebra, sam_set set, uint32_t stored) {
    static const bool all = true;
    static const sam_fold_by by = {sizeof all, &all, is_stored, sam_in_both, sam_in_either, NULL};
    bool in;
    sam_fold(algebra, set, &by, &stored, &in);
    return in;
}

/* Whether two words are the same value; zeros are, and a NaN stands for whatever the notation says. */
static bool same_value(bool fp, uint16_t a, uint16_t b) {
    bool nan = fp && ((a & 0x7fff) > 0x7f80 || (b & 0x7fff) > 0x7f80);
    return a == b || nan || (fp && !(a & 0x7fff) && !(b & 0x7fff));
}

/* f(g(A, B), C), or without g: f(A, B). */
typedef struct {
    const sam_operator *f, *g;
} pair;

static uint16_t value_of(const pair *p, const uint16_t *value) {
    return p->g ? p->f->apply(p->g->apply(value[0], value[1]), value[2]) : p->f->apply(value[0], value[1]);
}

static sam_coordinates derive_pair(sam_algebra *algebra, const sam_statement *s, const pair *p,
                                   const uint16_t *fill) {
    sam_coordinates of[OPERANDS];
    for (uint32_t k = 0; k < OPERANDS; k++)
        of[k] = sam_coordinates_of(algebra, s, (sam_expr){k + 1}, fill);
    if (!p->g)
        return sam_derive(algebra, p->f, (sam_expr){0}, of, 2);
    sam_coordinates inner = sam_derive(algebra, p->g, (sam_expr){0}, of, 2);
    return sam_derive(algebra, p->f, (sam_expr){0}, (sam_coordinates[]){inner, of[2]}, 2);
}

/* Digit `at` of a number whose digits select from n words. */
static uint16_t nth(uint32_t number, uint32_t at, const uint16_t *word, uint32_t n) {
    while (at-- > 0)
        number /= n;
    return word[number % n];
}

static uint32_t power(uint32_t n, uint32_t times) {
    return times ? n * power(n, times - 1) : 1;
}

static uint32_t breaches(fixture *f, const pair *p, const uint16_t *word, uint32_t n) {
    arena scratch = {0};
    uint32_t found = 0;
    sam_statement s = three_operands(f, true);
    uint32_t operands = p->g ? 3 : 2, all = power(n, operands);
    for (uint32_t fills = 0; fills < all; fills++) {
        sam_algebra algebra = {.mem = &scratch};
        uint16_t fill[OPERANDS], value[OPERANDS];
        for (uint32_t k = 0; k < OPERANDS; k++)
            fill[k] = nth(fills, k, word, n);
        sam_coordinates got = derive_pair(&algebra, &s, p, fill);
        for (uint32_t stored = 0; stored < 1u << operands; stored++) {
            for (uint32_t values = 0; !is_in(&algebra, got.set, stored) && values < all; values++) {
                bool explicit_fill = false;
                for (uint32_t k = 0; k < OPERANDS; k++) {
                    bool has = stored >> k & 1;
                    value[k] = has ? nth(values, k, word, n) : fill[k];
                    explicit_fill = explicit_fill || (has && value[k] == fill[k]);
                }
                found += !explicit_fill && !same_value(p->f->fp, value_of(p, value), got.fill);
            }
        }
        arena_free(&scratch);
    }
    return found;
}

static void outside_the_value_is_the_fill(void **state) {
    static const sam_operator *const own[] = {&gcd,    &and_not, &greatest, &least, &raised,
                                              &masked, &divided, &divides,  &minus, &plain};
    static const uint16_t words[] = {0, 1, 6, TOP};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        assert_int_equal(breaches(*state, &(pair){own[i], NULL}, words, 4), 0);
        for (size_t k = 0; k < sizeof own / sizeof *own; k++)
            assert_int_equal(breaches(*state, &(pair){own[i], own[k]}, words, 4), 0);
    }
}

/* A false property makes the derived sets too small, and the check notices. */
static void a_false_property_is_noticed(void **state) {
    static const uint16_t words[] = {0, 1, 6, TOP};
    static const sam_operator wrong[] = {{.annihilator = {true, 1, 0}, .apply = quotient},
                                         {.annihilator = {true, 0, 0}, .apply = sum},
                                         {.idempotent = true, .apply = difference},
                                         {.identity = {true, 0, 0}, .apply = difference},
                                         {.algebra = "0", .apply = divisor},
                                         {.algebra = "01&", .apply = larger}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_true(breaches(*state, &(pair){&wrong[i], NULL}, words, 4) > 0);
}

/* The rows of operations.def. Infinities are left out if they make NaNs of zeros. */
static void the_properties_of_operations_hold(void **state) {
    static const uint16_t ints[] = {0, 1, 2, 3, 0x7fff, 0x8000, 0xffff},
                          fps[] = {0, 0x3f80, 0xbf80, 0x4000, 0x3f00, 0xc040, 0x7f7f},
                          with_infinities[] = {0, 0x3f80, 0xc040, 0x7f80, 0xff80};
    for (sam_operation i = 0; i < SAM_OPERATIONS; i++) {
        const sam_operator *of_int = sam_operator_of(i, false), *of_fp = sam_operator_of(i, true);
        if (of_int->apply)
            assert_int_equal(breaches(*state, &(pair){of_int, NULL}, ints, 7), 0);
        if (of_fp->apply)
            assert_int_equal(breaches(*state, &(pair){of_fp, NULL}, fps, 7), 0);
        if (i == SAM_OPERATION_max || i == SAM_OPERATION_min)
            assert_int_equal(breaches(*state, &(pair){of_fp, NULL}, with_infinities, 5), 0);
    }
}

/* ---- algebras of operators' own --------------------------------------------------------------- */

enum { MOST_OPERANDS = 5, TRUTHS = 1 << MOST_OPERANDS };

/* A random algebra in postfix and its truths, a bit for each set of stored operands. */
typedef struct {
    const char *text;
    uint32_t truths;
} random_algebra;

static random_algebra make_algebra(fixture *f, prng *random, uint32_t operands, uint32_t depth) {
    const uint32_t kind = depth ? prng_below(random, 8) : 0;
    random_algebra out = {"*", UINT32_MAX};
    if (depth && kind < 2) {
        out = make_algebra(f, random, operands, depth - 1);
        return (random_algebra){arena_printf(&f->mem, "%s~", out.text), ~out.truths};
    }
    if (depth && kind < 7) {
        random_algebra a = make_algebra(f, random, operands, depth - 1),
                       b = make_algebra(f, random, operands, depth - 1);
        return (random_algebra){arena_printf(&f->mem, "%s%s%c", a.text, b.text, kind % 2 ? '|' : '&'),
                                kind % 2 ? a.truths | b.truths : a.truths & b.truths};
    }
    if (!prng_below(random, 20))
        return out;
    const uint32_t operand = prng_below(random, operands);
    out = (random_algebra){arena_printf(&f->mem, "%u", operand), 0};
    for (uint32_t stored = 0; stored < TRUTHS; stored++)
        out.truths |= (stored >> operand & 1) << stored;
    return out;
}

static void is_absent(void *context, sam_expr access, void *out) {
    is_stored(context, access, out);
    *(bool *)out = !*(bool *)out;
}

static const bool yes = true;
static const sam_fold_by exactly = {.size = sizeof yes,
                                    .all = &yes,
                                    .stored = is_stored,
                                    .meet = sam_in_both,
                                    .unite = sam_in_either,
                                    .absent = is_absent};

typedef struct {
    prng random;
    quota shown; /* trivial: everywhere or nowhere, whatever is stored */
} algebras;

static void one_random_algebra(fixture *f, uint32_t n, void *of) {
    algebras *const all = of;
    prng *random = &all->random;
    /* Most algebras of one operand are everywhere or nowhere. */
    static const uint32_t many[] = {1, 2, 3, 4, MOST_OPERANDS, 3, 4, MOST_OPERANDS, 2, 4};
    const uint32_t operands = many[n % 10];
    sam_statement s = scalars(f, true, operands);
    const random_algebra r = make_algebra(f, random, operands, prng_below(random, 7));
    sam_operator own = {.algebra = r.text, .fill_is_given = true, .fill = 3};
    sam_coordinates argument[MOST_OPERANDS];
    sam_algebra algebra = {.mem = &f->mem};
    for (uint32_t k = 0; k < operands; k++) {
        s.tensors.at[k].fill = own.tested[k] = (uint16_t)prng_next(random);
        argument[k] = sam_coordinates_of(&algebra, &s, (sam_expr){k + 1}, NULL);
    }
    const sam_coordinates got = sam_derive(&algebra, &own, (sam_expr){0}, argument, operands);
    assert_int_equal(got.fill, 3);
    const uint32_t every = UINT32_MAX >> (32 - (1u << operands));
    quota_add(&all->shown, true, (r.truths & every) == 0 || (r.truths & every) == every);
    for (uint32_t i = 0; i < algebra.sets.len; i++) { /* De Morgan's form */
        const sam_set_data *x = &algebra.sets.at[i];
        assert_true(x->kind != SAM_SET_NOT || algebra.sets.at[x->a.v - 1].kind == SAM_SET_STORED);
    }
    for (uint32_t stored = 0; stored < 1u << operands; stored++) {
        bool in = false, expected = r.truths >> stored & 1;
        if (got.set.v)
            sam_fold(&algebra, got.set, &exactly, &stored, &in);
        if (in != expected)
            fail_msg("algebra %u, %s: operands %#x are %s it", n, r.text, stored, in ? "in" : "out of");
        /* Who knows no complement gets more, never less. */
        assert_true(!expected || is_in(&algebra, got.set, stored));
    }
    /* The algebra has no answer for a fill other than the tested fill. */
    const char *named = strpbrk(r.text, "01234");
    if (named) {
        argument[*named - '0'].fill++;
        const sam_coordinates other = sam_derive(&algebra, &own, (sam_expr){0}, argument, operands);
        assert_int_equal(algebra.sets.at[other.set.v - 1].kind, SAM_SET_ALL);
    }
}

static void random_algebras_have_their_truths(void **state) {
    algebras all = {.random = prng_seed(17)};
    (void)state;
    each_afresh(100000, one_random_algebra, &all);
    assert_false(quota_failed(&all.shown));
}

/* ---- statements ------------------------------------------------------------------------------ */

static const char *coordinates_text(fixture *f, const sam_statement *s, sam_expr e, const uint16_t *fill) {
    sam_algebra algebra = {.mem = &f->mem};
    sam_coordinates c = sam_coordinates_of(&algebra, s, e, fill);
    return arena_printf(&f->mem, "%s, %u", set_text(f, &algebra, c.set), c.fill);
}

static void statements_come_to_what_their_operators_do(void **state) {
    fixture *f = *state;
    const sam_expr a = {1}, b = {2}, c = {3};
    const uint16_t ones[] = {1, 1, 1}, mixed[] = {0, 1, 0};
    for (int integers = 0; integers < 2; integers++) {
        sam_statement s = three_operands(f, integers);
        sam_expr both = add_expr(&s, SAM_EXPR_MUL, a, b),
                 negative = add_expr(&s, SAM_EXPR_NEG, both, (sam_expr){0});
        sam_expr two = add_expr(&s, SAM_EXPR_LITERAL, (sam_expr){0}, (sam_expr){0});
        assert_string_equal(coordinates_text(f, &s, add_expr(&s, SAM_EXPR_ADD, negative, c), NULL),
                            "((A&B)|C), 0");
        assert_string_equal(coordinates_text(f, &s, add_expr(&s, SAM_EXPR_MUL, negative, c), NULL),
                            "((A&B)&C), 0");
        assert_string_equal(coordinates_text(f, &s, add_expr(&s, SAM_EXPR_SUB, a, b), NULL), "(A|B), 0");
        assert_string_equal(coordinates_text(f, &s, add_expr(&s, SAM_EXPR_MUL, a, two), NULL), "(A&all), 0");
        assert_string_equal(coordinates_text(f, &s, add_expr(&s, SAM_EXPR_SUM, a, (sam_expr){0}), NULL),
                            "A, 0");
        assert_string_equal(coordinates_text(f, &s, add_expr(&s, SAM_EXPR_DIV, a, b), NULL),
                            integers ? "(A&B), 0" : "(A|B), 0");
        assert_string_equal(coordinates_text(f, &s, both, mixed), "A, 0");
        assert_true(sam_unites(&s, add_expr(&s, SAM_EXPR_ADD, a, b), NULL));
        assert_true(sam_unites(&s, add_expr(&s, SAM_EXPR_SUB, a, b), NULL));
        assert_true(!sam_unites(&s, both, NULL) && !sam_unites(&s, negative, NULL));
        assert_int_equal(sam_unites(&s, add_expr(&s, SAM_EXPR_DIV, a, b), NULL), !integers);
    }
    sam_statement s = three_operands(f, true);
    assert_string_equal(coordinates_text(f, &s, add_expr(&s, SAM_EXPR_ADD, a, b), ones), "(A|B), 2");
    /* How often a sum adds the fill is for the data to say. */
    assert_string_equal(coordinates_text(f, &s, add_expr(&s, SAM_EXPR_SUM, a, (sam_expr){0}), ones),
                        "all, 0");
}

RUN_TESTS(TEST(each_case_of_the_derivation), TEST(arguments_may_be_derived),
          TEST(outside_the_value_is_the_fill), TEST(a_false_property_is_noticed),
          TEST(the_properties_of_operations_hold), TEST(random_algebras_have_their_truths),
          TEST(statements_come_to_what_their_operators_do))
