/* How copies of a kernel share the pairs of sub-tiles, where the user leaves it open: by what tiling expects
 * of the data and of the chip. */
#include "compile/compile_int.h"

/* The sentence of k->array.dispatch, which has everything else. */
static const char *reason(compile_context *ctx, const compile_dispatch *d, uint32_t together,
                          uint32_t apart) {
    double pairs = (double)d->pairs;
    return arena_printf(ctx->mem,
                        "a pair takes the array %.0f cycles; the chip is expected to take %.0f cycles a pair "
                        "with %u copies that start together, %.0f with %u that start apart",
                        d->pair, d->sorted / pairs, together, d->dynamic / pairs, apart);
}

bool compile_choose_dispatch(const compile_options *o, compile_context *ctx, compile_kernel *k,
                             uint32_t together, uint32_t apart) {
    compile_dispatch *d = &k->array.dispatch;
    tile_candidate *plan = &k->tiling.expected;
    *d = (compile_dispatch){.how = o->dispatch};
    if (!o->dispatch_auto || (together < 2 && apart < 2))
        return true;
    d->how = TILE_DISPATCH_LOAD;
    d->why = "copies with a flush of their own do not fit";
    if (apart < 2)
        return true;
    d->why = "a job file starts all copies together";
    if (o->engine == ENGINE_RTL || o->io_trace)
        return true;
    d->why = "the data are not known before they are run";
    if (!compile_pack_known(ctx, k))
        return false;
    /* What does not fit is said when it is run. */
    if (!k->data.packed.operand ||
        (!plan->complete && !tile_expect(&k->lowered.statement, &k->data.packed, &k->tiling.options, plan)) ||
        !plan->expected.runs)
        return true;
    const tile_driver driver = compile_driver(k);
    d->pairs = plan->expected.runs;
    d->pair = plan->expected.cycles / (double)d->pairs;
    d->sorted = tile_chip_cycles(&plan->expected, &driver, together, false);
    d->dynamic = tile_chip_cycles(&plan->expected, &driver, apart, true);
    if (d->dynamic < d->sorted)
        d->how = TILE_DISPATCH_DYNAMIC;
    d->why = reason(ctx, d, together, apart);
    return true;
}
