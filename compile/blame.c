/* The first impossible command of a schedule gets the blame. Commands are done in their order, but a stated
 * edge of sub-tiles is known to be too large only when the data are cut. */
#include "compile/retry.h"
#include "frontend/language/language.h"

/* Returns the length of the commands in front of the command at the offset. */
static size_t length_before(const char *schedule, size_t offset) {
    fe_span text = {schedule, strlen(schedule)}, all, name, inside;
    size_t length = 0;
    while (fe_next_command(&text, &all, &name, &inside) && (size_t)(all.at - schedule) + all.n <= offset)
        length = (size_t)(all.at - schedule) + all.n;
    return length;
}

/* Returns the commands in front of the refused one, if an edge is stated there; NULL: none is. */
static const char *edge_before(const compile_options *o, const compile_context *ctx, uint32_t *schedule) {
    const src_loc stated = o->cutting.tile.stated;
    const diagnostics *d = ctx->diag;
    for (uint32_t i = 0; i < d->list.len && stated.length; i++) {
        const src_loc at = d->list.at[i].loc;
        if (d->list.at[i].kind != DIAG_ERROR || !at.source)
            continue;
        const src_text *text = &d->sources.at[at.source - 1], *of = &d->sources.at[stated.source - 1];
        for (*schedule = 0; *schedule < o->written.schedule.len; ++*schedule) {
            const char *all = o->written.schedule.at[*schedule];
            const size_t n = strcmp(text->text, all) == 0 ? length_before(all, at.offset) : 0;
            if (n > stated.offset && strcmp(of->text, all) == 0)
                return arena_strndup(ctx->mem, all, n);
        }
    }
    return NULL;
}

void compile_blame_edge(const compile_options *o, compile_context *ctx, compile_action *action) {
    uint32_t at = 0;
    const char *before = edge_before(o, ctx, &at);
    const diagnostics refused = *ctx->diag;
    compile_options own = *o;
    compile_kernel k = {0};
    if (!before)
        return;
    own.written.schedule = (text_vec){0};
    for (uint32_t i = 0; i < at; i++)
        vec_push(ctx->mem, &own.written.schedule, o->written.schedule.at[i]);
    vec_push(ctx->mem, &own.written.schedule, before);
    ctx->diag->list.at = NULL;
    ctx->diag->list.len = ctx->diag->list.cap = 0;
    ctx->diag->errors = ctx->diag->unmappable = 0;
    if (compile_retrying(&own, ctx, &k, action) || !ctx->diag->unmappable || ctx->diag->errors)
        *ctx->diag = refused;
}
