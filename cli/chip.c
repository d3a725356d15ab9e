/* onyx run of a program made for the chip by other tools. */
#include "cli/chip.h"
#include "cli/dense_run.h"
#include "cli/usage.h"
#include "kernel/folder.h"

/* Refuses options about expressions: the program runs unchanged. */
static bool refuse_options(cli_session *s) {
    static const option_key read[] = {OPTION_DATA,    OPTION_OUTPUT,  OPTION_ENGINE,   OPTION_BOARD,
                                      OPTION_PROFILE, OPTION_HAZARDS, OPTION_NO_CHECK, OPTION_JSON,
                                      OPTION_RTL,     OPTION_WAVE,    OPTION_IO_TRACE, OPTION_VERIFY_CONFIG};
    option_key key;
    if (cli_unread_option(&s->options, read, sizeof read / sizeof *read, &key))
        return diag_error(&s->diag, (src_loc){0}, "E0902-option",
                          "%s says how an expression is compiled, and '%s' is a "
                          "program of the chip, which is run as it stands",
                          options_spelling(key, &s->mem), s->options.compile.written.expression);
    if (s->options.compile.target.engine != ENGINE_SAM)
        return true;
    diag_error(&s->diag, (src_loc){0}, "E0906-engine-option", "a program of the chip has no SAM graph");
    return diag_hint(&s->diag, "--engine cycle, rtl or soc");
}

bool cli_run_chip(cli_session *s, const command_line *line) {
    const compile_options *o = &line->compile;
    const bool first = line == &s->options;
    compile_context *ctx = &s->compile;
    exchange_program *p = arena_new(&s->mem, exchange_program);
    exchange_array *a = arena_new(&s->mem, exchange_array);
    exchange_outcome ran = {0};
    bool dense = false;
    if (first && !refuse_options(s))
        return false;
    const bool dense_right = first && cli_dense_run(s, &dense);
    if (dense || diag_failed(&s->diag))
        return dense_right;
    if (!compile_take_folder(ctx, o->files.out) || !compile_begin_partial(o, ctx) ||
        !exchange_read(o->written.expression, &line->data, &s->mem, &s->diag, p) ||
        !exchange_place(o, ctx, p, a))
        return false;
    const bool right = exchange_run(o, ctx, p, a, &ran);
    if (!ran.stored)
        return false;
    cJSON *json = exchange_report(o, ctx, p, a, &ran);
    const bool ok = compile_publish(o, ctx, json);
    if (ok && s->options.every.json)
        cli_print_json(json);
    else if (ok && !s->options.every.quiet)
        exchange_summary(o, p, a, &ran, json, stdout);
    cJSON_Delete(json);
    return ok && right;
}
