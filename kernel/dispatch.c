/* Chooses the number of a kernel's copies, and their dispatch of tile pairs, if the user leaves them
 * open: by tiling's expectation from the data and the chip. */
#include "kernel/dispatch.h"
#include "kernel/edges.h"
#include "kernel/pack.h"
#include "pnr/floor.h"

/* The reason of a dispatch whose other members are set. */
static const char *reason(compile_context *ctx, const compile_dispatch *d, uint32_t lockstep,
                          uint32_t independent) {
    double tile_pairs = (double)d->tile_pairs;
    return arena_printf(ctx->mem,
                        "predicted %.0f cycles a pair with %u copies that start together, %.0f with %u that "
                        "start apart; the array alone takes %.0f",
                        d->sorted / tile_pairs, lockstep, d->dynamic / tile_pairs, independent,
                        d->pair_cycles);
}

/* The job file of --io-trace starts all copies together; a processor beside the array needs none. */
static bool is_observed(const compile_options *o) {
    return o->running.io_trace && o->target.engine != ENGINE_SOC &&
           !compile_engines[o->target.engine].from_job;
}

static void say_observed(compile_context *ctx, double lockstep, double independent) {
    diag_warning(ctx->diag, (src_loc){0}, "E0367-observed",
                 "--io-trace changes the run: copies start together, %.0f cycles expected; they would start "
                 "apart, %.0f expected",
                 lockstep, independent);
    diag_hint(ctx->diag, "cycles of a run without --io-trace are those of the kernel as it is chosen");
}

static bool is_counted(const compile_tiling *t) {
    return t->expected.complete || (t->options.steps && t->expected.expected.runs);
}

/* Returns whether several processes or commands make the runs, which must be independent in this case. */
static bool is_shared(const compile_options *o) {
    return o->target.engine == ENGINE_CYCLE &&
           (o->running.jobs || o->running.shards || o->running.merged.len);
}

/* Chooses the dispatch by the options or by the data, for the number of copies with common and with
 * independent starts (0: they do not fit). */
static bool choose_dispatch(const compile_options *o, compile_context *ctx, const compile_copied *in,
                            uint32_t lockstep, uint32_t independent, compile_dispatch *d) {
    const sam_statement *st = &in->lowered->statement;
    tile_candidate *plan = &in->tiling->expected;
    *d = (compile_dispatch){.how = o->copies.dispatch};
    if (!o->copies.dispatch_auto || (lockstep < 2 && independent < 2))
        return true;
    d->how = TILE_DISPATCH_LOAD;
    d->why = "runs of copies that start together can be shared by processes";
    if (is_shared(o))
        return true;
    d->why = "copies with a flush of their own do not fit";
    if (independent < 2)
        return true;
    d->why = "in a loop what copies that start together have loaded and stored stays on the chip";
    if (o->asked.repeated)
        return true;
    d->why = "a job file starts all copies together";
    const char *job = d->why;
    if (compile_engines[o->target.engine].from_job || (is_observed(o) && compile_copies_open(o)))
        return true;
    d->why = "the data are not known before they are run";
    if (!compile_pack_known(ctx, st, in->data))
        return false;
    /* The run reports misfits. */
    if ((!in->data->packed.operand && !is_counted(in->tiling)) ||
        (!is_counted(in->tiling) && !tile_expect(st, &in->data->packed, &in->tiling->options, plan)) ||
        !plan->expected.runs)
        return true;
    const tile_driver driver = compile_driver(in->board, in->lowered, &in->tiling->options);
    d->tile_pairs = plan->expected.runs;
    d->pair_cycles = plan->expected.cycles / (double)d->tile_pairs;
    d->sorted = tile_chip_cycles(&plan->expected, &driver, lockstep, false);
    d->dynamic = tile_chip_cycles(&plan->expected, &driver, independent, true);
    d->why = is_observed(o) ? job : reason(ctx, d, lockstep, independent);
    if (d->dynamic < d->sorted && is_observed(o))
        say_observed(ctx, d->sorted, d->dynamic);
    else if (d->dynamic < d->sorted)
        d->how = TILE_DISPATCH_DYNAMIC;
    return true;
}

static uint32_t divide_up(uint32_t a, uint32_t b) {
    return (a + b - 1) / b;
}

/* How many of the kernel the board has tiles and streams for; `independent`: each in flush groups of its own,
 * which have a like share of everything. */
static uint32_t most_copies(const compile_options *o, const netlist *one, const pnr_board *board,
                            bool independent) {
    enum { LOADS = 2 };
    pnr_resource table[PNR_RESOURCES];
    uint32_t most = UINT32_MAX, groups = divide_up(board->width, board->flush_columns);
    pnr_count_resources(one, board, table);
    if (o->copies.buffers > 1)
        pnr_own_tiles(board, table);
    if (o->asked.images && table[LOADS].have > table[LOADS].need)
        table[LOADS].have--;
    for (int i = 0; i < PNR_RESOURCES; i++) {
        uint32_t need = table[i].need, have = table[i].have, fit = UINT32_MAX;
        if (need)
            fit = independent ? groups / divide_up(need * groups, have ? have : 1) : have / need;
        most = fit < most ? fit : most;
    }
    return most;
}

tile_room compile_room_for(const compile_options *o, const netlist *one, const pnr_board *board) {
    arena scratch = {0};
    tile_room room = {.lockstep = most_copies(o, one, board, false),
                      .independent = most_copies(o, one, board, true),
                      .all = !compile_copies_open(o),
                      .cells = one->cells.len,
                      .period = pnr_fastest(one, board, o->mapping.pipeline, &scratch)};
    arena_free(&scratch);
    if (o->copies.unroll && !compile_copies_open(o)) {
        room.independent = o->copies.unroll <= room.independent ? o->copies.unroll : 0;
        room.lockstep = o->copies.unroll <= room.lockstep ? o->copies.unroll : 0;
    }
    if (o->copies.buffers > 1) /* the pattern of loads and stores is not made for groups: the user may try */
        room.independent = 0;
    if (o->copies.dispatch_auto && (o->asked.repeated || is_shared(o)))
        room.independent = 0;
    if (!o->copies.dispatch_auto && o->copies.dispatch == TILE_DISPATCH_DYNAMIC)
        room.lockstep = room.independent                              ? 1
                        : o->copies.unroll && !compile_copies_open(o) ? 0
                                                                      : room.lockstep;
    else if (!o->copies.dispatch_auto)
        room.independent = 0;
    return room;
}

/* Chooses the profitable number of copies, by the expected cycles of all runs; one copy without an
 * expectation. */
static bool choose_copies(const compile_options *o, compile_context *ctx, const compile_copied *in,
                          uint32_t *copies) {
    compile_tiling *t = in->tiling;
    tile_room room = compile_room_for(o, in->one, in->board);
    const tile_driver driver = compile_driver(in->board, in->lowered, &t->options);
    *copies = 1;
    if (!compile_pack_known(ctx, &in->lowered->statement, in->data))
        return false;
    if (!is_counted(t) &&
        !(in->data->packed.operand &&
          tile_expect(&in->lowered->statement, &in->data->packed, &t->options, &t->expected)))
        return true;
    const tile_share free = tile_best_share(&t->expected.expected, &driver, &room);
    if (compile_engines[o->target.engine].from_job ||
        is_observed(o)) /* a job file starts all copies together */
        room.independent = 0;
    const tile_share share = tile_best_share(&t->expected.expected, &driver, &room);
    if (is_observed(o) && free.alone && free.copies > 1)
        say_observed(ctx, share.cycles, free.cycles);
    *copies = share.copies;
    return true;
}

/* Takes the copies that the schedule asks for, of at most `most`, where no option says how many. Returns
 * whether the schedule asks for some. */
static bool take_asked(const compile_options *o, compile_context *ctx, const compile_copied *in,
                       uint32_t most, uint32_t *copies) {
    const uint32_t asked = in->lowered->copies;
    if (asked < 2 || !most || !o->copies.unroll_open || o->tried.plain)
        return false;
    *copies = most < asked ? most : asked;
    if (*copies < asked)
        diag_note(ctx->diag, (src_loc){0}, "the schedule asks for %u copies, and %u of the kernel %s", asked,
                  *copies, plural(*copies, "fits", "fit"));
    return true;
}

bool compile_make_copies(const compile_options *o, compile_context *ctx, const compile_copied *in,
                         compile_array *out) {
    uint32_t lockstep = most_copies(o, in->one, in->board, false),
             independent = most_copies(o, in->one, in->board, true), asked = o->copies.unroll;
    if (!take_asked(o, ctx, in, lockstep, &asked) && compile_copies_open(o) &&
        !choose_copies(o, ctx, in, &asked))
        return false;
    uint32_t of_independent = !asked ? independent : asked <= independent ? asked : 0;
    if (o->copies.buffers > 1) /* the pattern of loads and stores is not made for groups: the user may try */
        of_independent = 0;
    if (!choose_dispatch(o, ctx, in, asked ? asked : lockstep, of_independent, &out->dispatch))
        return false;
    uint32_t most = out->dispatch.how == TILE_DISPATCH_DYNAMIC ? independent : lockstep;
    out->copies = asked ? asked : most ? most : 1;
    out->independent = out->copies > 1 && out->dispatch.how == TILE_DISPATCH_DYNAMIC;
    if (!net_unroll(in->one, out->copies, ctx->mem, ctx->diag, &out->net))
        return false;
    const pnr_options rules = {.own_tiles = o->copies.buffers > 1};
    if (pnr_fits(&out->net, in->board, &rules, ctx->diag))
        return true;
    if (most)
        diag_note(ctx->diag, (src_loc){0}, "the most that fits is --unroll %u", most);
    return false;
}
