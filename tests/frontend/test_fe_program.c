/* The text forms of programs: text reads back unchanged, with the expected meaning. */
#include "frontend/functions/functions.h"
#include "frontend/language/language.h"
#include "frontend/schedules/schedules.h"
#include "tests/quota.h"
#include "tests/test.h"

static const char *dump_of(fixture *f, const fe_program *p) {
    text_out text;
    text_begin(&text);
    fe_program_cin_dump(p, text.stream);
    return text_end(&text, &f->mem);
}

static void parse(fixture *f, const char *text, fe_program *p) {
    const fe_program_in in = {.name = "p.onx", .text = text, .length = strlen(text), .integers = true};
    if (!fe_program_parse(&in, &f->names, &f->mem, &f->diag, p)) {
        diag_print(&f->diag, 0, stderr, false);
        fail_msg("%s", text);
    }
}

/* Expects the program to have the form `want`, which reads back unchanged. */
static void expect_form(fixture *f, const char *program, const char *want) {
    fe_program p, again;
    parse(f, program, &p);
    assert_string_equal(dump_of(f, &p), want);
    if (!fe_program_cin_parse(want, &f->names, &f->mem, &f->diag, &again)) {
        diag_print(&f->diag, 0, stderr, false);
        fail_msg("%s", want);
    }
    assert_string_equal(dump_of(f, &again), want);
}

static void forms(void **state) {
    fixture *f = *state;
    expect_form(f, "x(i) = a(i)", "forall(i, x(i) = a(i))\n");
    expect_form(f, "x(i) = a(i); y = x(i)\nz = 2 * y",
                "sequence(forall(i, x(i) = a(i)),\nsequence(forall(i, y += x(i)),\nz = 2 * y))\n");
    expect_form(f, "repeat 3 { x(i) = A(i,j) * y(j); swap x, y }",
                "repeat(3,\n  sequence(forall(i, forall(j, x(i) += A(i,j) * y(j))),\n  swap(x, y)))\n");
    expect_form(
        f,
        "tensor x: s = {}; scalar n = 9\nrepeat until nnz(x) == 0 && max(n, 3) > 2 max 7 {\n x(i) = A(i,j) * "
        "x(j)\n repeat 2 { n = n - 1 "
        "}\n}",
        "repeat(until(nnz(x) == 0 && max(n, 3) > 2, 7),\n"
        "  sequence(forall(i, forall(j, x(i) += A(i,j) * xOld(j))),\n  repeat(2,\n    n = nOld - 1)))\n");
    expect_form(
        f, "multi { x(i) = a(i); y(i) = b(i); z(i) = c(i) }\nw(i) = x(i)",
        "sequence(multi(forall(i, x(i) = a(i)),\nmulti(forall(i, y(i) = b(i)),\nforall(i, z(i) = c(i)))),\n"
        "forall(i, w(i) = x(i)))\n");
    expect_form(f, "tensor d: s = {}\nd(i) += s * a(i)", "forall(i, d(i) = dOld(i) + s * a(i))\n");
}

static void declarations(void **state) {
    fixture *f = *state;
    fe_program p;
    parse(f,
          "param n = 2 # a number\ntensor A(4,5): ds:1,0 fill -inf = {(n,1): 7, (0,0): -n}\ntensor b: s = "
          "\"b;{#.mtx\" ramp; scalar c\nx(i) = A(i,j) * b(j) * c * n\nresult x, c",
          &p);
    const fe_shared *A = &p.tensors.at[1], *b = &p.tensors.at[2];
    assert_int_equal(p.tensors.len, 5);
    assert_true(p.tensors.at[0].constant && !A->constant);
    assert_string_equal(A->format, "ds:1,0");
    assert_string_equal(A->fill, "-inf");
    assert_int_equal(A->dim[1], 5);
    assert_int_equal(A->crd.len, 4);
    assert_int_equal(A->crd.at[0], 2);
    assert_true(A->val.at[1] == -2);
    assert_string_equal(b->from, "b;{#.mtx");
    assert_int_equal(b->values, FE_AS_RAMP);
    assert_int_equal(p.results.len, 2);
    assert_int_equal(p.results.at[1], 3);
    assert_string_equal(p.steps.at[0].text, "x(i) = A(i,j) * b(j) * c * n");
}

/* Every beginning of a program, and of its text form, is a program or a located mistake. */
static void beginnings(void **state) {
    fixture *f = *state;
    const char *program = "param k = 1\ntensor A: ds:0,1 fill inf = \"a.mtx\" ones\ntensor v(3): s = {k: "
                          "2}\ntensor w: s = [1, 2]\n"
                          "repeat until nnz(v) == 0 max 3 { v(j) += min(i, A(i,j) + v(i)); swap v, v "
                          "}\nmulti { a = k; b = k }\nresult v";
    const char *cin =
        "sequence(repeat(until(nnz(v) == 0, 3), swap(v, w)), multi(forall(i, x += v(i)), y = z))";
    for (size_t n = 0; n < strlen(program); n++) {
        fe_program p;
        char *begin = arena_strndup(&f->mem, program, n);
        const fe_program_in in = {.name = "p.onx", .text = begin, .length = n, .integers = true};
        fixture other = *f;
        diag_init(&other.diag, &f->mem);
        assert_true(fe_program_parse(&in, &f->names, &f->mem, &other.diag, &p) || other.diag.errors);
    }
    for (size_t n = 0; n < strlen(cin); n++) {
        fe_program p;
        fixture other = *f;
        diag_init(&other.diag, &f->mem);
        assert_false(
            fe_program_cin_parse(arena_strndup(&f->mem, cin, n), &f->names, &f->mem, &other.diag, &p));
        assert_true(other.diag.errors > 0);
    }
    text_out deep;
    text_begin(&deep);
    for (uint32_t n = 0; n < 300; n++)
        fputs("repeat(2, ", deep.stream);
    const char *const refused[][2] = {
        {arena_printf(&f->mem, "%s, swap(v, w)", cin), "expected the end, found ','"},
        {text_end(&deep, &f->mem), "nested more than 256 deep"}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        fe_program p;
        clear_diagnostics(f);
        assert_false(fe_program_cin_parse(refused[i][0], &f->names, &f->mem, &f->diag, &p));
        assert_string_equal(f->diag.list.at[0].message, refused[i][1]);
    }
}

static quota changed; /* trivial: the text as it was */

/* A program of any bytes is read or refused. */
static void answer_changed_text(fixture *f, uint32_t n, void *of) {
    static const char put[] = "(){}[]\"#;,:=+-*0123456789 \nijAvw_until repeat max nnz swap all inf";
    const char *program = of;
    char *text = arena_strdup(&f->mem, program);
    const size_t length = strlen(text);
    prng random = prng_seed(n);
    for (uint32_t i = 0, changes = 1 + prng_below(&random, 4); i < changes; i++) {
        char *at = &text[prng_below(&random, (uint32_t)length)], *digit = strpbrk(at, "0123456789");
        if (n % 3 == 0 && digit) /* most programs stay programs with another digit */
            *digit = (char)('0' + ((uint32_t)(*digit - '0') + 1 + prng_below(&random, 9)) % 10);
        else
            *at = put[prng_below(&random, sizeof put - 1)];
    }
    const fe_program_in in = {.name = "p.onx", .text = text, .length = length, .integers = n % 2 == 0};
    fe_program p;
    const bool accepted = fe_program_parse(&in, &f->names, &f->mem, &f->diag, &p);
    quota_add(&changed, accepted, strcmp(text, program) == 0);
    if (!accepted) {
        assert_true(f->diag.errors + f->diag.unmappable > 0);
        return;
    }
    const char *form = dump_of(f, &p);
    fe_program again;
    if (fe_program_cin_parse(form, &f->names, &f->mem, &f->diag, &again))
        assert_string_equal(dump_of(f, &again), form);
    else
        assert_true(f->diag.errors > 0);
}

static void changed_texts_are_answered(void **state) {
    static char program[] =
        "param k = 1\ntensor A: ds:0,1 fill inf = \"a.mtx\" ones\ntensor v(3): s = {k: 2, 0: -1}\n"
        "tensor w: s = [1, 2, 3]; scalar n = 4\nrepeat until nnz(v) == 0 || n < 1 max 3 {\n"
        "  v(j) += min(i, A(i,j) + v(i)); swap v, w\n  n = n - 1\n}\nmulti { a = k; b = k }\nresult v, n";
    (void)state;
    each_afresh(4000, answer_changed_text, program);
    assert_false(quota_failed(&changed));
}

static bool read_capability(fixture *f, const char *text, fe_capability *out) {
    const fe_capability_in in = {.text = {.source = diag_add_source(&f->diag, "c", text, strlen(text)),
                                          .text = text,
                                          .end = strlen(text)},
                                 .integers = true};
    return fe_read_capability(&in, &f->names, &f->diag, out);
}

/* The nodes of conditions of y(i) = A(i,k) * x(k), checked by hand; the text reads back unchanged. */
static void conditions_of_functions(void **state) {
    fixture *f = *state;
    static const struct {
        const char *text;
        uint32_t i, k;
        int64_t value;
        uint64_t vars;
    } cases[] = {
        {"i <= 8", 8, 0, 1, 1},
        {"i <= 8", 9, 0, 0, 1},
        {"i < 8", 8, 0, 0, 1},
        {"i < 8", 7, 0, 1, 1},
        {"k >= 8", 0, 8, 1, 2},
        {"k >= 8", 0, 7, 0, 2},
        {"k > 8", 0, 8, 0, 2},
        {"k > 8", 0, 9, 1, 2},
        {"i == k", 3, 3, 1, 3},
        {"i == k", 3, 4, 0, 3},
        {"i != k", 3, 3, 0, 3},
        {"i != k", 3, 4, 1, 3},
        {"i - k - 1 == 2", 8, 5, 1, 3},
        {"i - (k - 1) == 4", 8, 5, 1, 3},
        {"i - k * 2 == 0", 10, 5, 1, 3},
        {"(i - k) * 2 == 6", 8, 5, 1, 3},
        {"i / k * k + i % k == 17", 17, 5, 1, 3},
        {"i / k == 3", 17, 5, 1, 3},
        {"i % k == 2", 17, 5, 1, 3},
        {"i / (k - k) == 0", 17, 5, 1, 3},
        {"i % (k - k) == 0", 17, 5, 1, 3},
        {"i == 1 || k == 2", 1, 3, 1, 3},
        {"i == 1 || k == 2", 2, 2, 1, 3},
        {"i == 1 || k == 2", 2, 3, 0, 3},
        {"words(A,0) == i", 7, 9, 1, 1},
        {"words(A,1) == 63", 7, 9, 1, 3},
        {"words(x,0) == 9", 7, 9, 1, 2},
        /* From 2^63 on a value stays at the end of its range. */
        {"words(A,1) * 2 == words(A,1)", UINT32_MAX, UINT32_MAX, 1, 3},
        {"words(A,1) + words(A,1) == words(A,1)", UINT32_MAX, UINT32_MAX, 1, 3},
        {"0 - words(A,1) - words(A,1) < 0", UINT32_MAX, UINT32_MAX, 1, 3},
        {"(0 - words(A,1)) * words(A,1) < 0", UINT32_MAX, UINT32_MAX, 1, 3},
        {"(0 - words(A,1)) * (0 - words(A,1)) > 0", UINT32_MAX, UINT32_MAX, 1, 3},
        {"words(A,1) - 1 == words(A,1)", 3, 3, 0, 3},
    };
    fe_capability c;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        const uint32_t extent[] = {cases[n].i, cases[n].k};
        if (!read_capability(f, arena_printf(&f->mem, "y(i) = A(i,k) * x(k) when %s", cases[n].text), &c))
            fail_msg("%s", fixture_printed(f));
        assert_int_equal(c.conditions.len, 1);
        const uint32_t node = c.conditions.at[0];
        assert_string_equal(fe_condition_text(&c, node, &f->mem), cases[n].text);
        assert_int_equal(fe_condition_vars(&c, node), cases[n].vars);
        if (fe_condition_value(&c, node, extent) != cases[n].value)
            fail_msg("%s with i = %u, k = %u", cases[n].text, cases[n].i, cases[n].k);
    }
    static const char whole[] =
        "y(i) = sum(k, A(i,k) * x(k)) when i < 64 && k == 8 || k == 9 && words(A,1) % 4 == 0";
    assert_true(read_capability(f, whole, &c));
    assert_int_equal(c.conditions.len, 3);
    assert_string_equal(fe_capability_text(&c, &f->mem), whole);
    static const char *const refused[][2] = {
        {"i", "a number is no condition"},
        {"i + 3", "a number is no condition"},
        {"words(A,2) < 3", "A has no such level"},
        {"words(A) < 3", "expected ',' and a level"},
        {"i < ", "expected a number, an index or words(T,level)"},
        {"i < 3 k", "expected '&&' or the end"},
        {"(i < 3", "expected ')'"},
    };
    for (size_t n = 0; n < sizeof refused / sizeof *refused; n++) {
        diag_init(&f->diag, &f->mem);
        assert_false(
            read_capability(f, arena_printf(&f->mem, "y(i) = A(i,k) * x(k) when %s", refused[n][0]), &c));
        if (!strstr(fixture_printed(f), refused[n][1]))
            fail_msg("%s: %s", refused[n][0], fixture_printed(f));
    }
}

RUN_TESTS(TEST(conditions_of_functions), TEST(changed_texts_are_answered), TEST(forms), TEST(declarations),
          TEST(beginnings))
