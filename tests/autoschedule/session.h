/* session.h - a command up to its choices, for tests that take a cost function for the chip's. */
#ifndef ONYX_TESTS_AUTOSCHEDULE_SESSION_H
#define ONYX_TESTS_AUTOSCHEDULE_SESSION_H

#include "autoschedule/autoschedule.h"
#include "autoschedule/choose_by_data.h"
#include "compile/compile.h"
#include "frontend/language/language.h"
#include "frontend/schedules/schedules.h"
#include "kernel/operands.h"
#include "options/options.h"
#include "tests/test.h"

/* A command's context, which compile_end ends, its statement and operands. */
typedef struct {
    arena mem;
    name_table names;
    diagnostics diag;
    compile_context ctx;
    command_line line;
    sam_statement user;
    compile_data data;
    pnr_board board;
    fe_in in;
    compile_choosing open;
    compile_schedule out; /* chosen by the board, before the data */
} session;

/* Reads the command, "onyx EXPRESSION ..." compiled or "run EXPRESSION ...", whose words have no blanks, and
 * schedules the kernels as written. */
static inline void session_read(session *of, const char *command) {
    compile_begin(&of->ctx, &of->mem, &of->names, &of->diag);
    compile_context *ctx = &of->ctx;
    const char *argv[16];
    int n = 0;
    for (char *word = strtok(arena_strdup(&of->mem, command), " "); word; word = strtok(NULL, " "))
        argv[n++] = word;
    const option_command kind = strcmp(argv[0], "run") ? COMMAND_COMPILE : COMMAND_RUN;
    of->line = options_default(kind);
    of->out = (compile_schedule){.staged = NULL};
    of->data = (compile_data){.extent = NULL};
    if (!options_parse(kind, n, argv, &of->mem, ctx->diag, &of->line))
        fail_msg("%s: %s", command, of->diag.list.at[0].message);
    const compile_options *o = &of->line.compile;
    assert_true(compile_read_board(ctx, o->target.board, &of->board, NULL));
    assert_true(pnr_board_set_profile(&of->board, o->target.profile, ctx->diag));
    assert_true(compile_frontend_input(o, ctx, &of->in));
    assert_true(fe_parse(&of->in, ctx->names, &of->mem, ctx->diag, &of->user));
    const bool with_data = strstr(command, " -g ");
    assert_true(!with_data || compile_read_operands(o, ctx, &of->user, &of->data));
    assert_true(fe_schedule(&of->in, &of->user, &of->mem, ctx->diag, &of->out.cin));
    of->open = (compile_choosing){&of->in, &of->user, &of->board, with_data ? &of->data : NULL};
}

/* Chooses for the command what the board can run. */
static inline void session_begin(session *of, const char *command) {
    session_read(of, command);
    compile_choose(&of->line.compile, &of->ctx, &of->open, &of->out);
}

static inline compile_search_in session_search(const session *of, compile_cost *cost) {
    return (compile_search_in){
        .options = &of->line.compile, .board = &of->board, .data = &of->data, .cost = cost};
}

#endif
