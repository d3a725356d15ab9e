/* The cost function alone decides the choice: a cost that favours several kernels selects a candidate of
 * several, the opposite cost keeps a single kernel; every candidate records its outcome. Each row of
 * candidates.def has a statement, and is taken at a cost just below its threshold and not just above. */
#include "tests/autoschedule/session.h"

#include <math.h>

static double likes_several(const fe_cin *cin) {
    return cin->kernels.len > 1 ? 100 : 1000;
}
static double likes_one(const fe_cin *cin) {
    return cin->kernels.len > 1 ? 1000 : 100;
}

/* Costs of forms: the form of the row costs other_way, all others as much as the statement as one kernel.
 * Products come before their sums in a workspace of every loop. */
enum { AS_ONE = 100000 };
static double other_way;
static const char *row_of_form;
static bool has_dense_level(const sam_statement *s) {
    bool dense = false;
    for (uint32_t t = 0; t < s->tensors.len; t++)
        dense = dense || s->tensors.at[t].level[0] == SAM_LEVEL_DENSE;
    return dense;
}
static bool is_form(const char *row, const fe_cin *cin) {
    const sam_statement *first = &cin->kernels.at[0].s;
    const bool several = cin->kernels.len > 1,
               products = several && sam_tensor_at(first, first->result)->order > 2;
    if (strcmp(row, "columns") == 0)
        return !several && first->single;
    if (strcmp(row, "fused") == 0)
        return !several && cin->kernels.at[0].relations.len;
    if (strcmp(row, "streams") == 0)
        return !several && !first->single && has_dense_level(first);
    if (strcmp(row, "another") == 0)
        return several && !products && sam_operand_named(first, names_intern(first->names, "A")).v;
    return several && products == (strcmp(row, "phases") == 0 || strcmp(row, "matrices") == 0);
}
static double by_form(const fe_cin *cin) {
    return is_form(row_of_form, cin) ? other_way : AS_ONE;
}

static const char product[] =
    "onyx x(i)=A(i,j)*B(j,k)*c(k) -g A:20x20:0.2:1 -g B:20x20:0.2:2 -g c:20:0.5:3 -o o";

/* Chooses a schedule for the command by `cost`. */
static compile_schedule chosen_by(compile_cost *cost, const char *command, session *of) {
    session_begin(of, command);
    const compile_search_in by = session_search(of, cost);
    compile_choose_by_data(&by, &of->ctx, &of->open, &of->out);
    return of->out;
}

static void choose(compile_cost *cost, bool several) {
    session own;
    const compile_schedule s = chosen_by(cost, product, &own);
    uint32_t taken = 0;
    assert_true(s.candidates.len >= 3);
    for (uint32_t i = 0; i < s.candidates.len; i++) {
        const compile_candidate *one = &s.candidates.at[i];
        assert_false(one->taken && one->refused);
        assert_true(!one->taken || one->cycles < one->before);
        taken += one->taken;
    }
    assert_int_equal(s.cin.kernels.len > 1, several);
    assert_int_equal(taken, several);
    compile_end(&own.ctx);
}

static void several_are_taken(void **state) {
    (void)state;
    choose(likes_several, true);
}
static void one_stays(void **state) {
    (void)state;
    choose(likes_one, false);
}

/* Kernels of a staged form have loops to fuse, as far as all operands go, also where a sample of the operands
 * serves the search. */
static void a_sample_fuses_loops_of_all_operands(void **state) {
    (void)state;
    session own;
    const compile_schedule s = chosen_by(
        likes_several,
        "onyx X(i,r)=B(i,j,k)*c(r,j)*d(r,k) -g B:500x8x4000:0.005:1 -g c:4x8:1 -g d:4x4000:1 -o o", &own);
    for (uint32_t n = 0; n < s.cin.kernels.len; n++) {
        const fe_kernel *kernel = &s.cin.kernels.at[n];
        for (uint32_t v = 0; v < kernel->s.vars.len; v++)
            assert_true(kernel->s.vars.at[v].extent <= 500u * 8 * 4000);
    }
    assert_true(s.cin.kernels.len > 1);
    compile_end(&own.ctx);
}

/* ---- thresholds -------------------------------------------------------------------------------- */

/* A command for each row; other rows that apply cost as much as the statement as one kernel. */
static const struct {
    const char *row;
    double worth; /* part of the present cost */
    const char *command;
} cases[] = {
    {"columns", 0.97, "onyx X(i,j)=B(i,k)*C(k,j) -g B:30x20:0.1:1 -g C:20x4:1:2 -f C:dd -o o"},
    {"phases", 0.9, "onyx X(i,j)=B(i,k)*C(k,j) -g B:20x20:0.2:1 -g C:20x20:0.2:2 -o o"},
    {"partial", 0.9,
     "onyx X(i,j)=mask(B(i,j),C(i,k)*D(k,j)) -g B:20x20:0.1:1 -g C:20x9:0.5:2 -g D:9x20:0.5:3 -o o"},
    {"contracted", 0.9,
     "onyx y(i)=a*A(j,i)*x(j)+b*z(i) -g a::1 -g A:20x20:0.2:1 -g x:20:0.5:2 -g b::1 -g z:20:0.5:3 -o o"},
    {"another", 0.97, "onyx X(i,j)=A(i,k)*H(k,l)*W(l,j) -g A:20x20:0.2:1 -g H:20x8:0.5:2 -g W:8x4:1:3 -o o"},
    {"factors", 0.9, "onyx X(i,j)=(A(i,k)-A(k,i))*B(k,j) -g A:20x20:0.2:1 -g B:20x20:0.2:2 -o o"},
    {"scaled", 0.9, "onyx X(i,j)=B(i,k)*C(k,j)*d(k) -g B:20x20:0.2:1 -g C:20x20:0.2:2 -g d:20:0.5:3 -o o"},
    {"matrices", 0.9,
     "onyx X(i,j)=B(i,k)*C(k,j) -s reorder(k,i,j) --profile onyx-ext -g B:20x20:0.2:1 -g C:20x20:0.2:2 -o o"},
    {"sums", 0.9, "onyx X(i,j)=B(i,k)*C(k,j)+D(i,j) -g B:20x20:0.2:1 -g C:20x20:0.2:2 -g D:20x20:0.2:3 -o o"},
    {"fused", 0.97, "onyx X(i,j)=B(i,j)+C(i,j) -g B:20x20:0.2:1 -g C:20x20:0.2:2 -o o"},
    {"streams", 0.9,
     "onyx X(i,j)=B(i,j)+C(i,j)+D(i,j) -g B:20x20:0.2:1 -g C:20x20:0.2:2 -g D:20x20:0.2:3 -o o"},
};

static double worth_of(const char *name) {
    for (uint32_t r = 0; r < sizeof cases / sizeof *cases; r++) {
        if (strcmp(cases[r].row, name) == 0)
            return cases[r].worth;
    }
    fail_msg("no row %s", name);
    return 0;
}

/* Chooses at a cost of the other forms: whether the row's form was taken; no record contradicts itself. */
static bool takes(uint32_t n, double cost) {
    session own;
    other_way = cost;
    row_of_form = cases[n].row;
    const compile_schedule s = chosen_by(by_form, cases[n].command, &own);
    bool there = false, taken = false;
    double least = AS_ONE;
    for (uint32_t i = 0; i < s.candidates.len; i++) {
        const compile_candidate *one = &s.candidates.at[i];
        const bool mine = strcmp(one->name, cases[n].row) == 0;
        there = there || mine;
        taken = taken || (mine && one->taken);
        assert_true(one->before == least);
        assert_int_equal(one->taken, !one->refused && one->cycles < worth_of(one->name) * one->before);
        least = one->taken ? one->cycles : least;
    }
    if (!there)
        fail_msg("%s is no candidate for %s", cases[n].row, cases[n].command);
    compile_end(&own.ctx);
    return taken;
}

static void each_row_is_taken_below_its_threshold_alone(void **state) {
    (void)state;
    for (uint32_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        const double edge = AS_ONE * cases[n].worth;
        const bool below = takes(n, edge - 1), above = takes(n, edge + 1);
        if (!below || above)
            fail_msg("%s: taken below its threshold %d, above %d", cases[n].row, below, above);
    }
}

/* By the chip's predicted time, of a sample for the candidates before the last, and of all operands for the
 * last. */
static void streams_are_taken_below_a_time_by_all_operands(void **state) {
    (void)state;
    static const struct {
        const char *command;
        bool taken;
    } sampled[] = {{"onyx X(i,j)=B(i,k)*C(k,j) -g B:3000x3000:0.005:1 -g C:3000x3000:0.005:2 -o o", false},
                   {"onyx y(i)=B(i,k)*C(k,i) -g B:4000x4000:0.006 -g C:4000x4000:0.006 -o o", true}};
    for (uint32_t n = 0; n < sizeof sampled / sizeof *sampled; n++) {
        session own;
        const compile_schedule s = chosen_by(NULL, sampled[n].command, &own);
        const compile_candidate *last = &s.candidates.at[s.candidates.len - 1];
        bool dense = false;
        for (uint32_t k = 0; k < s.chosen.len; k++)
            dense = dense || (s.chosen.at[k] && strstr(s.chosen.at[k], "dense, so that more copies"));
        assert_string_equal(last->name, "streams");
        assert_true(isfinite(last->cycles) && last->taken == sampled[n].taken && dense == last->taken);
        assert_int_equal(last->taken, last->cycles < worth_of(last->name) * last->before);
        compile_end(&own.ctx);
    }
}

/* Copies that the runs do not take need no streams: the candidate is not tried. */
static void copies_without_runs_need_no_streams(void **state) {
    (void)state;
    session own;
    const compile_schedule s =
        chosen_by(NULL, "onyx X(i,j)=B(i,k)*C(k,j) -g B:10x10:0.3:1 -g C:10x10:0.3:2 -o o", &own);
    for (uint32_t i = 0; i < s.candidates.len; i++)
        assert_string_not_equal(s.candidates.at[i].name, "streams");
    compile_end(&own.ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(several_are_taken),
                                       cmocka_unit_test(one_stays),
                                       cmocka_unit_test(a_sample_fuses_loops_of_all_operands),
                                       cmocka_unit_test(each_row_is_taken_below_its_threshold_alone),
                                       cmocka_unit_test(streams_are_taken_below_a_time_by_all_operands),
                                       cmocka_unit_test(copies_without_runs_need_no_streams)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
