/* How copies of a kernel share the pairs of sub-tiles, where the user leaves it open: by what tiling expects
 * of the data and the firmware's model of the chip. */
#include "cli/cli.h"

#include <math.h>

/* What the kernel's runs are expected to come to; no pairs where that cannot be told. */
static void predict(cli_session *s, cli_kernel *k, const tile_operands *in, fw_work *w) {
    diagnostics quiet; /* what does not fit is said when it is run */
    bool complete = false;
    diag_init(&quiet, &s->mem);
    tile_planner *p = tile_plan_begin(&k->statement, in, &k->tiling, NULL, 0, NULL, 0, &s->mem, &quiet);
    if (!p)
        return;
    const tile_counts *c = tile_plan_counts(p);
    if (tile_plan_count(p, INFINITY, UINT64_MAX, &complete) && c->runs) {
        for (uint32_t i = 0; i < TILE_COSTS; i++)
            w->of[i] = (fw_pairs){c->cost[i].runs, c->cost[i].cycles};
        k->dispatch.pairs = c->runs;
        k->dispatch.pair = c->predicted / (double)c->runs;
    }
    tile_plan_end(p);
}

static void count_streams(const netlist *one, fw_work *w) {
    for (uint32_t c = 0; c < one->cells.len; c++) {
        w->loads += one->cells.at[c].mode == NET_MODE_IO_IN;
        w->stores += one->cells.at[c].mode == NET_MODE_IO_OUT;
    }
}

/* The sentence of k->dispatch, which has everything else. */
static const char *reason(cli_session *s, const cli_dispatch *d, uint32_t together, uint32_t apart) {
    double pairs = (double)d->pairs;
    return arena_printf(&s->mem,
                        "a pair takes the array %.0f cycles; the chip is expected to take %.0f cycles a pair "
                        "with %u copies that start together, %.0f with %u that start apart",
                        d->pair, d->sorted / pairs, together, d->dynamic / pairs, apart);
}

bool cli_choose_dispatch(const cli_options *o, cli_session *s, cli_kernel *k, const netlist *one,
                         uint32_t together, uint32_t apart) {
    cli_dispatch *d = &k->dispatch;
    tile_operands packed;
    fw_work work = {.loads = 0};
    bool known;
    *d = (cli_dispatch){.how = o->dispatch};
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
    if (!k->operands.operand)
        return true;
    if (!cli_pack_known(s, k, &known, &packed))
        return false;
    if (known)
        predict(s, k, &packed, &work);
    if (!d->pairs)
        return true;
    count_streams(one, &work);
    d->sorted = fw_chip_cycles(&work, together, false, &k->board);
    d->dynamic = fw_chip_cycles(&work, apart, true, &k->board);
    if (d->dynamic < d->sorted)
        d->how = TILE_DISPATCH_DYNAMIC;
    d->why = reason(s, d, together, apart);
    return true;
}
