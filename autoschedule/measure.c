/* From -O2 on, the edges with the best predictions run on the cycle model before the choice: some runs at
 * -O2, all at -O3. Edges that fail or go wrong there are not taken. */
#include "autoschedule/search.h"
#include "engines/engines.h"

#include <math.h>

/* Number of measured candidates, and their approximate number of runs at -O2. */
enum { MEASURED = 5, SOME_RUNS = 128 };

/* Returns the plan with every `every`-th run. */
static tile_plan some_of(const tile_plan *plan, uint32_t every, arena *mem) {
    tile_plan out = *plan;
    out.runs.at = NULL;
    out.runs.len = out.runs.cap = 0;
    for (uint32_t r = 0; r < plan->runs.len; r += every)
        vec_push(mem, &out.runs, plan->runs.at[r]);
    return out;
}

/* Runs a sample of the runs on the model. Returns the cycles of all runs, INFINITY if the chip would get a
 * run wrong. */
static double run_some(const compile_options *o, compile_context *ctx, const compile_kernel *k,
                       uint32_t every) {
    const compile_engine_in in = {.ctx = ctx,
                                  .how = {.hazards = o->target.hazards},
                                  .design = &k->array.design,
                                  .decoded = &k->array.design,
                                  .map = k->bits.map,
                                  .independent = k->array.independent};
    const compile_batches_in cut = compile_batches_of(ctx, k);
    compile_outcome out = {0};
    compile_batches b;
    uint64_t all = 0, ran = 0;
    compile_model *model = compile_model_begin(&in, &out);
    if (!model || !compile_begin_batches(&cut, &b))
        return INFINITY;
    bool good = true;
    while (good && compile_next_batch(&b)) {
        const tile_plan some = some_of(&b.plan, every, &b.mem);
        all += b.plan.runs.len;
        ran += some.runs.len;
        good = compile_model_batch(model, &some, NULL, NULL);
    }
    good = good && !b.failed && ran && compile_model_report(&in, &out.modelled);
    compile_end_batches(&b);
    return good ? (double)compile_model_cycles(model) * (double)all / (double)ran : INFINITY;
}

/* Stores the candidate's measured cycles. */
static void measure(const compile_options *o, const compile_context *ctx, const compile_kernel *k,
                    compile_action *build, tile_candidate *c) {
    arena scratch = {0};
    diagnostics unheard;
    compile_context own = *ctx;
    compile_options quiet = *o;
    compile_kernel trial = *k;
    own.mem = &scratch;
    own.diag = &unheard;
    diag_init(&unheard, &scratch);
    quiet.files.dump = (compile_dumps){.shown = false};
    trial.array = (compile_array){.copies = 0};
    const uint64_t every = o->optimize > 2 ? 1 : c->expected.runs / SOME_RUNS;
    c->measured = INFINITY;
    memcpy(trial.tiling.options.edge, c->edge, sizeof trial.tiling.options.edge);
    trial.tiling.expected = *c;
    if (build(&quiet, &own, &trial)) {
        c->copies = trial.array.copies;
        c->measured = run_some(&quiet, &own, &trial, every > 1 ? (uint32_t)every : 1);
    }
    arena_free(&scratch);
}

/* Returns the chip's predicted time, corrected by the measured cycles. */
static double corrected(const tile_candidate *c) {
    return c->cost + c->measured - c->predicted / (c->copies ? c->copies : 1);
}

void compile_measure(const compile_options *o, compile_context *ctx, compile_kernel *k,
                     compile_action *build) {
    tile_candidates *all = &k->tiling.candidates;
    const tile_candidate *best = NULL;
    for (uint32_t n = 0; n < MEASURED && !ctx->interrupted; n++) {
        tile_candidate *next = NULL;
        for (uint32_t i = 0; i < all->len; i++) {
            tile_candidate *c = &all->at[i];
            if (c->measured == 0 && isfinite(c->cost) && (!next || c->cost < next->cost))
                next = c;
        }
        if (!next)
            break;
        measure(o, ctx, k, build, next);
        if (isfinite(next->measured) && (!best || corrected(next) < corrected(best)))
            best = next;
    }
    if (!best)
        return;
    memcpy(k->tiling.options.edge, best->edge, sizeof k->tiling.options.edge);
    k->tiling.expected = *best;
}
