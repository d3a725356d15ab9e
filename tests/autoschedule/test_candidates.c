/* The cost function alone decides the choice: a cost that favours several kernels selects a candidate of
 * several, the opposite cost keeps a single kernel; every candidate records its outcome. */
#include "autoschedule/autoschedule.h"
#include "compile/compile.h"
#include "frontend/schedules/schedules.h"
#include "kernel/operands.h"
#include "options/options.h"
#include "tests/test.h"

static double likes_several(const fe_cin *cin) {
    return cin->kernels.len > 1 ? 100 : 1000;
}
static double likes_one(const fe_cin *cin) {
    return cin->kernels.len > 1 ? 1000 : 100;
}

/* Chooses a schedule for a product of three operands by `cost`. */
static compile_schedule chosen_by(compile_cost *cost, compile_context *ctx, arena *mem) {
    const char *argv[] = {"onyx", "x(i) = A(i,j) * B(j,k) * c(k)",
                          "-g",   "A:20x20:0.2:1",
                          "-g",   "B:20x20:0.2:2",
                          "-g",   "c:20:0.5:3",
                          "-o",   "unused"};
    command_line *line = arena_new(mem, command_line);
    sam_statement *user = arena_new(mem, sam_statement);
    compile_data *data = arena_new(mem, compile_data);
    pnr_board *board = arena_new(mem, pnr_board);
    fe_in *in = arena_new(mem, fe_in);
    compile_schedule out = {.staged = NULL};
    *line = options_default(COMMAND_COMPILE);
    assert_true(options_parse(COMMAND_COMPILE, sizeof argv / sizeof *argv, argv, mem, ctx->diag, line));
    const compile_options *o = &line->compile;
    assert_true(compile_read_board(ctx, o->target.board, board, NULL));
    assert_true(pnr_board_set_profile(board, o->target.profile, ctx->diag));
    assert_true(compile_frontend_input(o, ctx, in));
    assert_true(fe_parse(in, ctx->names, mem, ctx->diag, user));
    assert_true(compile_read_operands(o, ctx, user, data));
    assert_true(fe_schedule(in, user, mem, ctx->diag, &out.cin));
    const compile_choosing open = {in, user, board, data};
    compile_choose(o, ctx, &open, &out);
    compile_choose_by_data(&(compile_search_in){.options = o, .board = board, .data = data, .cost = cost},
                           ctx, &open, &out);
    return out;
}

static void choose(compile_cost *cost, bool several) {
    arena mem;
    name_table names;
    diagnostics d;
    compile_context ctx;
    compile_begin(&ctx, &mem, &names, &d);
    const compile_schedule s = chosen_by(cost, &ctx, &mem);
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
    compile_end(&ctx);
}

static void several_are_taken(void **state) {
    (void)state;
    choose(likes_several, true);
}
static void one_stays(void **state) {
    (void)state;
    choose(likes_one, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(several_are_taken), cmocka_unit_test(one_stays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
