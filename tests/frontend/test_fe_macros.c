/* frontend/: macro commands expand to their definition: the same concrete index notation. */
#include "frontend/functions/functions.h"
#include "frontend/language/language.h"
#include "tests/frontend/scheduled.h"

typedef struct {
    const char *expression, *before; /* a schedule that comes first */
    const char *part, *function;
    const char *staged, *mapped; /* expansion of accelerate(part,function), by hand */
} acceleration;

static const acceleration accelerations[] = {
    {"X(i,j) = A(i,k) * B(k,j)", "", "A(i,k) * B(k,j)", "gemm", "", "A(i,k) * B(k,j)"},
    {"X(i,j) = (A(i,k) + B(i,k)) * C(k,j)", "", "(A(i,k) + B(i,k)) * C(k,j)", "gemm",
     "precompute(A(i,k) + B(i,k),{i,k},{i,k},w),", "w(i,k) * C(k,j)"},
    {"X(i,j) = (A(i,k) - B(i,k)) * C(k,j)", "", "(A(i,k) - B(i,k)) * C(k,j)", "gemm",
     "precompute(A(i,k) - B(i,k),{i,k},{i,k},w),", "w(i,k) * C(k,j)"},
    {"X(i,j) = A(i,k) * (B(k,j) + C(k,j))", "reorder(i,k,j),", "A(i,k) * (B(k,j) + C(k,j))", "gemm",
     "precompute(B(k,j) + C(k,j),{k,j},{k,j},w),", "A(i,k) * w(k,j)"},
    {"X(i,j) = A(i,k) * (B(k,j) * C(k,j))", "reorder(i,k,j),", "A(i,k) * (B(k,j) * C(k,j))", "gemm",
     "precompute(B(k,j) * C(k,j),{k,j},{k,j},w),", "A(i,k) * w(k,j)"},
    {"X(i,j) = (A(i,k) + B(i,k)) * (C(k,j) + D(k,j))", "reorder(i,k,j),",
     "(A(i,k) + B(i,k)) * (C(k,j) + D(k,j))", "gemm",
     "precompute(A(i,k) + B(i,k),{i,k},{i,k},w), precompute(C(k,j) + D(k,j),{k,j},{k,j},w2),",
     "w(i,k) * w2(k,j)"},
    {"y(i) = A(i,k) * x(k)", "", "A(i,k) * x(k)", "gemv", "", "A(i,k) * x(k)"},
    {"y(i) = (A(i,k) + B(i,k)) * x(k)", "", "(A(i,k) + B(i,k)) * x(k)", "gemv",
     "precompute(A(i,k) + B(i,k),{i,k},{i,k},w),", "w(i,k) * x(k)"},
    {"y(i) = A(i,k) * (x(k) + z(k))", "", "A(i,k) * (x(k) + z(k))", "gemv",
     "precompute(x(k) + z(k),{k},{k},w),", "A(i,k) * w(k)"},
    {"y(i) = (A(i,k) + B(i,k)) * (x(k) - z(k))", "", "(A(i,k) + B(i,k)) * (x(k) - z(k))", "gemv",
     "precompute(A(i,k) + B(i,k),{i,k},{i,k},w), precompute(x(k) - z(k),{k},{k},w2),", "w(i,k) * w2(k)"},
    {"y(i) = x(k) * (A(i,k) + B(i,k))", "", "x(k) * (A(i,k) + B(i,k))", "gemv",
     "precompute(A(i,k) + B(i,k),{i,k},{i,k},w),", "x(k) * w(i,k)"},
    {"a = (b(i) + c(i)) * d(i)", "", "(b(i) + c(i)) * d(i)", "dot", "precompute(b(i) + c(i),{i},{i},w),",
     "w(i) * d(i)"},
    {"a = b(i) * (c(i) - d(i))", "", "b(i) * (c(i) - d(i))", "dot", "precompute(c(i) - d(i),{i},{i},w),",
     "b(i) * w(i)"},
    {"a = (b(i) - c(i)) * (d(i) + e(i))", "", "(b(i) - c(i)) * (d(i) + e(i))", "dot",
     "precompute(b(i) - c(i),{i},{i},w), precompute(d(i) + e(i),{i},{i},w2),", "w(i) * w2(i)"},
    {"x(i) = b(i) + c(i)", "", "b(i) + c(i)", "vector_add", "", "b(i) + c(i)"},
    {"x(i) = b(i) * c(i) + d(i)", "", "b(i) * c(i) + d(i)", "vector_add",
     "precompute(b(i) * c(i),{i},{i},w),", "w(i) + d(i)"},
    {"x(i) = b(i) * c(i) + d(i) * e(i)", "", "b(i) * c(i) + d(i) * e(i)", "vector_add",
     "precompute(b(i) * c(i),{i},{i},w), precompute(d(i) * e(i),{i},{i},w2),", "w(i) + w2(i)"},
    {"x(i) = (b(i) + c(i)) * (d(i) + e(i))", "", "(b(i) + c(i)) * (d(i) + e(i))", "vector_multiply",
     "precompute(b(i) + c(i),{i},{i},w), precompute(d(i) + e(i),{i},{i},w2),", "w(i) * w2(i)"},
    {"y(i) = a * (x(i) + b(i)) + z(i)", "", "a * (x(i) + b(i)) + z(i)", "axpy",
     "precompute(x(i) + b(i),{i},{i},w),", "a * w(i) + z(i)"},
    {"y(i) = a * x(i) + b(i) * c(i)", "", "a * x(i) + b(i) * c(i)", "axpy",
     "precompute(b(i) * c(i),{i},{i},w),", "a * x(i) + w(i)"},
};
enum { ACCELERATIONS = sizeof accelerations / sizeof *accelerations };

static const fe_functions *read_functions(fixture *f) {
    static const char *const names[] = {"gemm", "gemv", "dot", "axpy", "vector_add", "vector_multiply"};
    fe_functions *all = NULL;
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        fe_function_file file = {.name = arena_printf(&f->mem, ONYX_SOURCE_DIR "/functions/%s.xf", names[i])};
        file.text = file_read(file.name, &f->mem, &file.length, &f->diag);
        assert_non_null(file.text);
        assert_true(fe_read_described(&file, true, &f->names, &f->mem, &f->diag, &all));
    }
    return all;
}

static const char *text_of(fixture *f, const char *expression, const char *schedule,
                           const fe_functions *functions) {
    const fe_in in = {.expression = expression,
                      .schedule = &schedule,
                      .n_schedule = 1,
                      .functions = functions,
                      .integers = true};
    sam_statement s;
    fe_cin cin;
    if (!fe_in_schedule(f, &in, &s, &cin))
        fail_msg("%s -s \"%s\"\n%s", expression, schedule, fixture_printed(f));
    return scheduled_text(f, &cin);
}

static void accelerate_is_precompute_and_map(void **state) {
    fixture *f = *state;
    const fe_functions *functions = read_functions(f);
    assert_int_equal(ACCELERATIONS, 20);
    for (uint32_t i = 0; i < ACCELERATIONS; i++) {
        const acceleration *a = &accelerations[i];
        const char *short_form =
            arena_printf(&f->mem, "%s accelerate(%s,%s)", a->before, a->part, a->function);
        const char *long_form =
            arena_printf(&f->mem, "%s %s map(%s,%s)", a->before, a->staged, a->mapped, a->function);
        assert_string_equal(text_of(f, a->expression, short_form, functions),
                            text_of(f, a->expression, long_form, functions));
    }
}

static void sums_are_promoted_to_scalars(void **state) {
    static const char *const cases[][2] = {
        {spmv, "precompute(B(i,j) * c(j),{},{})"},
        {residual, "precompute(C(i,j) * d(j),{},{})"},
        {sddmm, "precompute(B(i,j) * C(i,k) * D(k,j),{},{})"},
        {"x = B(i,j) * C(i,j)", "precompute(B(i,j) * C(i,j),{},{})"},
        {"x(i) = a * sum(j, B(i,j) * c(j)) + e * d(i)", "precompute(B(i,j) * c(j),{},{})"},
        {plus, ""},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(text_of(*state, cases[i][0], "sPromote()", NULL),
                            text_of(*state, cases[i][0], cases[i][1], NULL));
}

static void expect_refused(fixture *f, const char *schedule, const char *code) {
    const fe_in in = {.expression = spmm,
                      .schedule = &schedule,
                      .n_schedule = 1,
                      .functions = read_functions(f),
                      .integers = true};
    sam_statement s;
    fe_cin cin;
    clear_diagnostics(f);
    if (fe_in_schedule(f, &in, &s, &cin) || strcmp(f->diag.list.at[0].code, code) != 0)
        fail_msg("%s is not refused by %s\n%s", schedule, code, fixture_printed(f));
}

static void mistakes_are_located(void **state) {
    expect_refused(*state, "accelerate(B(i,k) * C(k,j))", "E0102-syntax");
    expect_refused(*state, "accelerate(B(i,k) * C(k,j),3)", "E0102-syntax");
    expect_refused(*state, "accelerate(B(i,k) * C(k,j),nobody)", "E0102-syntax");
    expect_refused(*state, "accelerate(B(i,k) + C(k,j),gemm)", "E0151-subexpression");
    expect_refused(*state, "accelerate(B(i,k) * C(k,j),vector_add)", "E0167-bind");
    expect_refused(*state, "communicate(Y(i,j),j)", "E0103-unknown-tensor");
    expect_refused(*state, "communicate(X(i,j),l)", "E0114-schedule-variable");
    expect_refused(*state, "communicate(X(i,j))", "E0102-syntax");
    expect_refused(*state, "environment(warps,2)", "E0179-environment");
    expect_refused(*state, "environment(unroll,65)", "E0179-environment");
    expect_refused(*state, "environment(tile_i,0)", "E0179-environment");
    expect_refused(*state, "environment(tile)", "E0102-syntax");
}

RUN_TESTS(TEST(accelerate_is_precompute_and_map), TEST(sums_are_promoted_to_scalars),
          TEST(mistakes_are_located))
