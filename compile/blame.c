/* The first impossible command of a schedule gets the blame. Commands are done in their order, but a stated
 * edge of sub-tiles is known to be too large only when the data are cut. */
#include "compile/fallback.h"
#include "frontend/language/language.h"
#include "support/trial.h"

/* Returns the length of the commands in front of the command at the offset. */
static size_t length_before(const char *schedule, size_t offset) {
    fe_span text = {schedule, strlen(schedule)}, all, name, inside;
    size_t length = 0;
    while (fe_next_command(&text, &all, &name, &inside) && (size_t)(all.at - schedule) + all.n <= offset)
        length = (size_t)(all.at - schedule) + all.n;
    return length;
}

/* Returns the refused text of a schedule, if a command in it, behind one that states an edge, is refused;
 * *length: of the commands in front. NULL: none is. */
static const char *text_refused(const compile_options *o, const diagnostics *d, size_t *length) {
    const src_loc stated = o->cutting.tile.stated;
    for (uint32_t i = 0; i < d->list.len && stated.length; i++) {
        const src_loc at = d->list.at[i].loc;
        if (d->list.at[i].kind != DIAG_ERROR || at.source != stated.source)
            continue;
        const char *text = d->sources.at[at.source - 1].text;
        *length = length_before(text, at.offset);
        if (*length > stated.offset)
            return text;
    }
    return NULL;
}

void compile_blame_edge(const compile_options *o, compile_context *ctx, compile_action *action) {
    compile_options own = *o;
    compile_kernel k = {0};
    size_t length = 0;
    const char *text = text_refused(o, ctx->diag, &length);
    if (!text)
        return;
    own.written.schedule = (text_vec){0};
    for (uint32_t i = 0; i < o->written.schedule.len && strcmp(o->written.schedule.at[i], text) != 0; i++)
        vec_push(ctx->mem, &own.written.schedule, o->written.schedule.at[i]);
    vec_push(ctx->mem, &own.written.schedule, arena_strndup(ctx->mem, text, length));
    const diagnostics refused = diag_set_aside(ctx->diag);
    if (compile_with_fallbacks(&own, ctx, &k, action) || !ctx->diag->unmappable || ctx->diag->errors)
        diag_return_to(ctx->diag, &refused);
}
