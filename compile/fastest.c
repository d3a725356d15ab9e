/* The order of the loops on engine sam. A simulation takes little time, so the orders run on the operands
 * instead of being predicted: each until it takes more cycles than the best one before, O(orders) runs. The
 * written order stays if its run is short, if no order ends within the bound of -O, or if no order is faster.
 */
#include "compile/fastest.h"
#include "compile/compile.h"
#include "engines/engines.h"
#include "graphs/graphs.h"
#include "kernel/edges.h"
#include "kernel/operands.h"
#include "kernel/trial.h"
#include "kernel/written.h"

/* Cycles of a short run; cycles of a run, and orders that are tried, with -O1, and how many times more with
 * -O2. */
enum { SHORT_RUN = 10000, LONGEST_RUN = 1 << 22, MOST_ORDERS = 24, MORE_EFFORT = 16 };

/* A run of the statement in an order of its loops. */
typedef struct {
    const compile_options *o;
    const compile_data *data;
    const char *reorder; /* NULL: the written order */
    uint64_t most;       /* the run ends behind this number of cycles; 0: never */
    uint64_t cycles;
} ordered_run;

static bool ends(compile_context *ctx, void *of) {
    ordered_run *r = of;
    compile_options own = *r->o;
    compile_kernel k = {.data = *r->data};
    own.sam.most_cycles = r->most;
    if (r->reorder)
        own.written.schedule = (text_vec){.at = &r->reorder, .len = 1};
    if (!compile_to_graph(&own, ctx, &k) || !compile_run_kernels(&own, ctx, &k, &k.data.operands))
        return false;
    r->cycles = k.ran.cycles.kernel;
    return true;
}

static bool is_open(const compile_options *o) {
    return compile_choices_open(o) && !o->asked.statement && !o->sam.as_written && !o->written.schedule.len &&
           !compile_is_graph(o->written.expression);
}

/* Runs the written order, then all others until they take as long as the best one. */
static const char *race(ordered_run *written, compile_context *ctx, const sam_statement *s) {
    const uint64_t effort = written->o->optimize > 1 ? MORE_EFFORT : 1;
    sam_statement ordered = *s;
    const uint32_t n = s->loops.len;
    uint32_t *place = arena_new_n(ctx->mem, uint32_t, n), tried = 0;
    ordered_run best = *written;
    ordered.loops.at = arena_new_n(ctx->mem, sam_var, n);
    for (uint32_t i = 0; i < n; i++)
        place[i] = i;
    best.most = written->o->optimize > 2 ? 0 : effort * LONGEST_RUN;
    if (compile_try(ctx, ends, &best).works)
        best.most = written->cycles = best.cycles;
    while (tried++ < effort * MOST_ORDERS && compile_next_order(place, n)) {
        for (uint32_t i = 0; i < n; i++)
            ordered.loops.at[i] = s->loops.at[place[i]];
        ordered_run other = best;
        other.reorder = arena_printf(ctx->mem, "reorder(%s)", compile_loops_text(&ordered, ctx->mem));
        if (!compile_try(ctx, ends, &other).works || (best.cycles && other.cycles >= best.cycles))
            continue;
        best = other;
        best.most = other.cycles;
    }
    written->reorder = best.reorder;
    return !best.reorder
               ? NULL
               : arena_printf(ctx->mem, "-s \"%s\": %llu cycles, %s%llu in the order %s", best.reorder,
                              (unsigned long long)best.cycles, written->cycles ? "" : "more than ",
                              (unsigned long long)(written->cycles ? written->cycles : effort * LONGEST_RUN),
                              compile_loops_text(s, ctx->mem));
}

/* Reads the statement, and the operands if there are orders to try. */
static bool read_both(const compile_options *o, compile_context *ctx, compile_kernel *k) {
    return compile_to_graph(o, ctx, k) && !k->producers.len && !k->on_host && k->source->s.loops.len > 1 &&
           compile_read_operands(o, ctx, &k->user, &k->data);
}

const char *compile_take_fastest(const compile_options *o, compile_context *ctx, compile_options *own,
                                 compile_data *data) {
    const diagnostics before = *ctx->diag;
    compile_options quiet = *o;
    compile_kernel k = {0};
    quiet.files.out = NULL;
    quiet.files.dump = (compile_dumps){.all = false};
    quiet.sam.stats = quiet.sam.trace = NULL;
    if (!is_open(o))
        return NULL;
    const bool several = read_both(&quiet, ctx, &k);
    if (several && ctx->diag->list.len == before.list.len)
        *data = k.data;
    *ctx->diag = before; /* the run that follows has the same messages */
    ordered_run r = {&quiet, &k.data, NULL, SHORT_RUN, 0};
    if (!several || compile_try(ctx, ends, &r).works)
        return NULL;
    compile_stage(ctx, "running the orders of the loops", 0);
    const char *said = race(&r, ctx, &k.source->s);
    if (r.reorder)
        vec_push(ctx->mem, &own->written.schedule, r.reorder);
    return said;
}
