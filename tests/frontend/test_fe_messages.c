/* frontend/: the message for each mistake, word for word. */
#include "frontend/language/language.h"
#include "tests/frontend/fe_case.h"

/* The complete messages of a failing case. */
static void expect(fixture *f, fe_case c, const char *expected) {
    diag_init(&f->diag, &f->mem);
    sam_statement s;
    if (fe_case_parse(f, &c, &s))
        fail_msg("accepted: %s", c.expression);
    assert_string_equal(fixture_printed(f), expected);
}

/* As expect, with up to two dimensions and integer literals. */
static void expect_sized(fixture *f, const char *expression, const char *first, const char *second,
                         const char *expected) {
    const char *const dimensions[] = {first, second};
    fe_in in = {.expression = expression, .dimensions = dimensions, .integers = true};
    in.n_dimensions = !first ? 0 : second ? 2 : 1;
    diag_init(&f->diag, &f->mem);
    sam_statement s;
    if (fe_parse(&in, &f->names, &f->mem, &f->diag, &s))
        fail_msg("accepted: %s", expression);
    assert_string_equal(fixture_printed(f), expected);
}

static void characters_and_syntax(void **state) {
    fixture *f = *state;
    expect(f, (fe_case){.expression = "x(i) = b(i) $ c(i)"},
           "<expression>:1:13: error: '$' has no meaning here [E0101-character]\n"
           "    x(i) = b(i) $ c(i)\n"
           "                ^\n");
    expect(f, (fe_case){.expression = "x(i) = b(i) *"},
           "<expression>:1:14: error: expected a tensor, a number or '(', found the end [E0102-syntax]\n"
           "    x(i) = b(i) *\n"
           "                 ^\n");
    expect(f, (fe_case){.expression = "x(i) = b(i c(i)"},
           "<expression>:1:12: error: expected ',' or ')', found 'c' [E0102-syntax]\n"
           "    x(i) = b(i c(i)\n"
           "               ^\n");
    expect(f, (fe_case){.expression = "x(i) = (b(i) + c(i)"},
           "<expression>:1:20: error: expected an operator or ')', found the end [E0102-syntax]\n"
           "    x(i) = (b(i) + c(i)\n"
           "                       ^\n");
    expect(f, (fe_case){.expression = "x(i) = b(i) c(i)"},
           "<expression>:1:13: error: expected an operator or the end, found 'c' [E0102-syntax]\n"
           "    x(i) = b(i) c(i)\n"
           "                ^\n");
    expect(f, (fe_case){.expression = "x(i) b(i)"},
           "<expression>:1:6: error: expected '=', found 'b' [E0102-syntax]\n"
           "    x(i) b(i)\n"
           "         ^\n");
    expect(f, (fe_case){.expression = "= b(i)"},
           "<expression>:1:1: error: expected the result, e.g. X(i,j) =, found '=' [E0102-syntax]\n"
           "    = b(i)\n"
           "    ^\n");
    expect(f, (fe_case){.expression = "x(i) = b(*)"},
           "<expression>:1:10: error: expected an index variable, found '*' [E0102-syntax]\n"
           "    x(i) = b(*)\n"
           "             ^\n");
    expect(f, (fe_case){.expression = "x(i) = b_1"},
           "<expression>:1:10: error: expected an index variable, found '1' [E0102-syntax]\n"
           "    x(i) = b_1\n"
           "             ^\n");
    expect(f, (fe_case){.expression = "x(i) = sum(b(i))"},
           "<expression>:1:12: error: expected sum(variable, expression), found 'b' [E0102-syntax]\n"
           "    x(i) = sum(b(i))\n"
           "               ^\n");
    expect(f, (fe_case){.expression = "x(i) = sum(k, b(i,k)"},
           "<expression>:1:21: error: expected ')', found the end [E0102-syntax]\n"
           "    x(i) = sum(k, b(i,k)\n"
           "                        ^\n");
    expect(f, (fe_case){.expression = ""},
           "<expression>:1:1: error: expected the result, e.g. X(i,j) =, found the end [E0102-syntax]\n"
           "    \n"
           "    ^\n");
}

static void tensors_and_indices(void **state) {
    fixture *f = *state;
    expect(f, (fe_case){.expression = "X(i,j) = B(i,k) * C(k,j) + C(i,j,k)"},
           "<expression>:1:28: error: C is used with 3 indices here, with 2 there [E0104-rank]\n"
           "    X(i,j) = B(i,k) * C(k,j) + C(i,j,k)\n"
           "                               ^~~~~~~~\n"
           "    help: every access of a tensor has the same number of indices\n"
           "<expression>:1:19: note: the other use of C\n"
           "    X(i,j) = B(i,k) * C(k,j) + C(i,j,k)\n"
           "                      ^~~~~~\n");
    expect(f, (fe_case){.expression = "x(i) = b(i) * i"},
           "<expression>:1:15: error: 'i' is an index here, whose value is no operand [E0117-name-clash]\n"
           "    x(i) = b(i) * i\n"
           "                  ^\n"
           "    help: a scalar of that name is (i), in parentheses\n"
           "<expression>:1:3: note: the index variable\n"
           "    x(i) = b(i) * i\n"
           "      ^\n");
    expect(f, (fe_case){.expression = "x(i) = B(i,j,k,l,m,n,o,p,q,r,s,t,u)"},
           "<expression>:1:34: error: more than 12 indices [E0118-too-large]\n"
           "    x(i) = B(i,j,k,l,m,n,o,p,q,r,s,t,u)\n"
           "                                     ^\n");
}

static void sums(void **state) {
    fixture *f = *state;
    expect(f, (fe_case){.expression = "x(i) = sum(i, b(i))"},
           "<expression>:1:12: error: the sum runs over 'i', which indexes the result [E0108-sum]\n"
           "    x(i) = sum(i, b(i))\n"
           "               ^\n"
           "    help: rename the variable of the sum, or remove it from the result\n");
    expect(f, (fe_case){.expression = "x(i) = b(i) * sum(k, c(i))"},
           "<expression>:1:15: error: nothing in the sum over 'k' is indexed by it [E0108-sum]\n"
           "    x(i) = b(i) * sum(k, c(i))\n"
           "                  ^~~~~~~~~~~~\n"
           "    help: index one of its operands by 'k', or remove the sum\n");
    expect(f, (fe_case){.expression = "x(i) = sum(k, B(i,k)) * c(k)"},
           "<expression>:1:8: error: 'k' is already bound around this sum [E0108-sum]\n"
           "    x(i) = sum(k, B(i,k)) * c(k)\n"
           "           ^~~~~~~~~~~~~~\n"
           "    help: rename the variable of one of them\n");
    expect(f, (fe_case){.expression = "x = sum(k, b(k) * sum(k, c(k)))"},
           "<expression>:1:19: error: 'k' is already bound around this sum [E0108-sum]\n"
           "    x = sum(k, b(k) * sum(k, c(k)))\n"
           "                      ^~~~~~~~~~~~\n"
           "    help: rename the variable of one of them\n");
    expect(f, (fe_case){.expression = "x(i) = 2 * b(i) / D(i,j)"},
           "<expression>:1:8: error: does the sum over 'j' cover this quotient, or only what divides? "
           "[E0109-ambiguous-sum]\n"
           "    x(i) = 2 * b(i) / D(i,j)\n"
           "           ^~~~~~~~~~~~~~~~~\n"
           "    help: write the sum out: sum(j, ...)\n");
    sam_statement s;
    fe_case gap = {.expression = "x(i) = B(i,j) + c(i) - D(i,j)"};
    diag_init(&f->diag, &f->mem);
    assert_true(fe_case_parse(f, &gap, &s));
    assert_string_equal(
        fixture_printed(f),
        "<expression>:1:17: warning: this addend is not indexed by 'j', but the sum over 'j' covers it: it "
        "counts "
        "once for each 'j' [E0128-counted-often]\n"
        "    x(i) = B(i,j) + c(i) - D(i,j)\n"
        "                    ^~~~\n"
        "    help: write sum(j, ...) around the addends that 'j' indexes if it should count once\n");
}

static void formats(void **state) {
    fixture *f = *state;
    expect(f, (fe_case){.expression = "x(i) = B(i,j) * c(j)", .format = {"D:ss"}},
           "<format>:1:1: error: the expression has no tensor 'D' [E0103-unknown-tensor]\n"
           "    D:ss\n"
           "    ^\n"
           "    help: its tensors are x, B, c\n");
    expect(f, (fe_case){.expression = "x(i) = B(i,j) * c(j)", .format = {"B:s"}},
           "<format>:1:3: error: B has 2 levels, but the format has 1 [E0110-format]\n"
           "    B:s\n"
           "      ^\n"
           "    help: one letter for each index, outermost level first: d (dense) or s (compressed)\n");
    expect(
        f, (fe_case){.expression = "x(i) = B(i,j) * c(j)", .format = {"B:sq"}},
        "<format>:1:4: error: level 1 of B is a singleton, but the level above it holds each coordinate once "
        "[E0112-singleton]\n"
        "    B:sq\n"
        "       ^\n"
        "    help: coordinate lists are u, then c, with q last: uq, ucq; or use s (compressed)\n");
    expect(
        f, (fe_case){.expression = "x(i) = B(i,j) * c(j)", .format = {"B:sh"}},
        "<format>:1:4: error: level 1 of B: there is no level format 'h' [E0111-level-format]\n"
        "    B:sh\n"
        "       ^\n"
        "    help: use d (dense), s (compressed), u (compressed, repeating), q (singleton) or c (singleton, "
        "repeating)\n");
    expect(f, (fe_case){.expression = "x(i) = B(i,j) * c(j)", .format = {"B:ss:0,2"}},
           "<format>:1:8: error: the mode order is not a permutation of 0 to 1 [E0110-format]\n"
           "    B:ss:0,2\n"
           "           ^\n"
           "    help: the mode order names, for each level from the outermost, the index it stores: 1,0 is "
           "column-major\n");
    expect(f, (fe_case){.expression = "x(i) = B(i,j) * c(j)", .format = {"B:ss:0"}},
           "<format>:1:7: error: expected ',' and the next mode, found the end [E0102-syntax]\n"
           "    B:ss:0\n"
           "          ^\n");
    expect(f, (fe_case){.expression = "x(i) = B(i,j) * c(j)", .format = {"B:ss:0,1,2"}},
           "<format>:1:9: error: expected the end of the format, found ',' [E0102-syntax]\n"
           "    B:ss:0,1,2\n"
           "            ^\n");
    expect(f, (fe_case){.expression = "x(i) = B(i,j) * c(j)", .format = {"B:ss", "c:s", "B:ds"}},
           "<format>:1:1: error: a second format for B [E0110-format]\n"
           "    B:ds\n"
           "    ^\n"
           "<format>:1:1: note: the first one\n"
           "    B:ss\n"
           "    ^\n");
    expect(f, (fe_case){.expression = "x(i) = B(i,j) * c(j)", .format = {"B"}},
           "<format>:1:2: error: expected ':' and the level formats, found the end [E0102-syntax]\n"
           "    B\n"
           "     ^\n");
    expect(f, (fe_case){.expression = "x(i) = B(i,j) * c(j)", .format = {":ss"}},
           "<format>:1:1: error: expected a format such as B:ss:1,0, found ':' [E0102-syntax]\n"
           "    :ss\n"
           "    ^\n");
}

static void dimensions(void **state) {
    fixture *f = *state;
    expect_sized(f, "x(i) = B(i,j)", "B:4,5", "j:6",
                 "<dimension>:1:1: error: index 'j' runs to 6 here, to 5 there [E0119-dimension]\n"
                 "    j:6\n"
                 "    ^\n"
                 "<dimension>:1:1: note: the other dimension\n"
                 "    B:4,5\n"
                 "    ^\n");
    expect_sized(f, "x(i) = B(i,i)", "B:4,5", NULL,
                 "<dimension>:1:1: error: index 'i' runs to 5 here, to 4 there [E0119-dimension]\n"
                 "    B:4,5\n"
                 "    ^\n"
                 "<dimension>:1:1: note: the other dimension\n"
                 "    B:4,5\n"
                 "    ^\n");
    expect_sized(f, "x(i) = B(i,j)", "B:4", NULL,
                 "<dimension>:1:4: error: B has 2 dimensions, but 1 is given [E0119-dimension]\n"
                 "    B:4\n"
                 "       ^\n");
    expect_sized(
        f, "x(i) = B(i,j)", "i:0", NULL,
        "<dimension>:1:3: error: a dimension is a whole number from 1 to 2147483647 [E0119-dimension]\n"
        "    i:0\n"
        "      ^\n");
    expect_sized(
        f, "x(i) = B(i,j)", "k:3", NULL,
        "<dimension>:1:1: error: the expression has no index variable and no tensor 'k' [E0119-dimension]\n"
        "    k:3\n"
        "    ^\n"
        "    help: its tensors are x, B\n");
}

static void literals(void **state) {
    fixture *f = *state;
    expect_sized(f, "x(i) = 2.5 * b(i)", NULL, NULL,
                 "<expression>:1:8: error: 2.5 is no 16-bit integer [E0127-literal]\n"
                 "    x(i) = 2.5 * b(i)\n"
                 "           ^~~\n"
                 "    help: compute in floating point with --dtype bf16\n");
    expect_sized(f, "x(i) = 70000 * b(i)", NULL, NULL,
                 "<expression>:1:8: error: 70000 is no 16-bit integer [E0127-literal]\n"
                 "    x(i) = 70000 * b(i)\n"
                 "           ^~~~~\n"
                 "    help: compute in floating point with --dtype bf16\n");
}

/* Text made of the language's own pieces is accepted or refused, without a crash; accepted text is well
 * formed. */
static void answer_random_text(fixture *f, uint32_t n, void *of) {
    static const char *const piece[] = {"x",   "B",       "i",    "j",    "k",        "(", ")",  ",",
                                        "=",   "+",       "-",    "*",    "/",        "_", "{",  "}",
                                        ":",   ";",       "2",    "sum(", "reorder(", " ", "s",  "d",
                                        "(i)", "=B(i,j)", "x(i)", "0",    "1",        "$", ".5", "e9"};
    fe_random *r = of;
    const char *text[3] = {n % 2 ? "x(i) = " : "", "B:", "reorder("};
    for (uint32_t part = 0; part < 3; part++) {
        for (uint32_t length = prng_below(&r->random, 12); length > 0; length--)
            text[part] = arena_printf(&f->mem, "%s%s", text[part],
                                      piece[prng_below(&r->random, sizeof piece / sizeof *piece)]);
    }
    fe_case c = {
        .expression = text[0], .format = {n % 3 ? NULL : text[1]}, .schedule = n % 5 ? NULL : text[2]};
    sam_statement s;
    bool ok = fe_case_parse(f, &c, &s);
    assert_true(ok == !diag_failed(&f->diag));
    assert_true(!ok || fe_check(&s, &f->diag));
    r->accepted += ok;
}

static void random_texts_are_answered(void **state) {
    (void)state;
    expect_accepted(7, 20000, answer_random_text, 20);
}

static char *repeated(fixture *f, const char *first, const char *again, uint32_t times) {
    size_t step = strlen(again), length = strlen(first);
    char *text = arena_alloc(&f->mem, length + step * times + 1);
    memcpy(text, first, length);
    for (uint32_t i = 0; i < times; i++)
        memcpy(text + length + i * step, again, step);
    return text;
}

static void size_is_bounded(void **state) {
    fixture *f = *state;
    sam_statement s;
    const char *const huge[] = {repeated(f, "x(i) = b(i)", "+b(i)", 5000), repeated(f, "x(i) = ", "(", 5000),
                                repeated(f, "x(i) = ", "-", 5000), repeated(f, "x(i) = ", "sum(k, ", 5000)};
    for (size_t i = 0; i < sizeof huge / sizeof *huge; i++) {
        diag_init(&f->diag, &f->mem);
        fe_case c = {.expression = huge[i]};
        assert_false(fe_case_parse(f, &c, &s));
        assert_string_equal(f->diag.list.at[0].code, "E0118-too-large");
    }
    fe_case large = {.expression = repeated(f, "x(i) = b(i)", "+b(i)", 120)};
    diag_init(&f->diag, &f->mem);
    assert_true(fe_case_parse(f, &large, &s) && fe_check(&s, &f->diag));
}

static void names_of_semirings(void **state) {
    const fe_in in = {.expression = "x(i) = b(i)", .semiring = "plus_power"};
    fixture *f = *state;
    sam_statement s;
    assert_false(fe_in_parse(f, &in, &s));
    const char *said = fixture_printed(f);
    assert_non_null(strstr(said, "onyx: error: there is no semiring 'plus_power' [E0154-semiring]"));
    assert_non_null(
        strstr(said, "help: two names, as min_plus or min,first: first one of plus, times, min,"));
    assert_non_null(strstr(said, "isgt, isge, eq, ne, lt, le, gt, ge, band, bor, bxor, firsti, firstj, "
                                 "secondi, secondj and the same"));
}

/* Statements without the order that fe_pack makes. */
static void storage_against_the_loops(void **state) {
    fixture *f = *state;
    sam_statement s;
    assert_true(fe_case_parse(f, &(fe_case){.expression = "X(i,j) = B(j,i)"}, &s));
    assert_false(fe_check_packed(&s, &f->diag));
    assert_string_equal(fixture_printed(f),
                        "<expression>:1:10: error: B stores 'j' outside of 'i', but loops the other way "
                        "[E0115-storage-order]\n"
                        "    X(i,j) = B(j,i)\n"
                        "             ^~~~~~\n");
}

RUN_TESTS(TEST(characters_and_syntax), TEST(tensors_and_indices), TEST(sums), TEST(formats), TEST(dimensions),
          TEST(literals), TEST(random_texts_are_answered), TEST(size_is_bounded), TEST(names_of_semirings),
          TEST(storage_against_the_loops))
