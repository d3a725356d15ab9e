/* The kernels of a statement in turn: packed, cut, run on an engine, collected; and the check against the
 * reference. */
#include "engines/engines.h"
#include "engines/banks.h"
#include "engines/batches.h"
#include "engines/calls.h"
#include "engines/memory.h"
#include "engines/model.h"
#include "engines/record.h"
#include "kernel/array.h"
#include "kernel/edges.h"
#include "kernel/lower.h"
#include "kernel/runs.h"
#include "sam/coordinates.h"
#include "support/refusals.h"
#include "tiling/call.h"
#include "tiling/wide.h"

static const compile_engine_row *const engines[ENGINES] = {
#define ENGINE(key, name, ...) [ENGINE_##key] = &compile_engine_##name,
#include "kernel/engines.def"
#undef ENGINE
};

/* Returns the largest number of coordinates of a sub-tile's fiber: a memory tile limits each operand. */
static uint32_t longest_fiber(const compile_kernel *k, const uint32_t *extent) {
    uint32_t most = tile_longest(&k->lowered.statement, &k->tiling.options, extent);
    uint64_t capacity = (uint64_t)k->tiling.options.mem_words * k->lowered.statement.tensors.len;
    return most < capacity ? most : (uint32_t)capacity;
}

/* A side's wires in each direction of the verilated tiles: TRACKS of onyx_fabric_pkg. */
enum { TILE_TRACKS = 5 };

/* Returns the form of the RTL: on a fabric other than the tiles' the netlist of the kernel. */
static compile_rtl rtl_for(const compile_options *o, const pnr_board *board) {
    return o->target.rtl == COMPILE_RTL_AUTO && board->tracks != TILE_TRACKS ? COMPILE_RTL_NETLIST
                                                                             : o->target.rtl;
}

static bool has_tiles(const compile_options *o, compile_context *ctx, const pnr_board *board) {
    if (o->target.engine != ENGINE_RTL || o->target.rtl != COMPILE_RTL_TILES || board->tracks == TILE_TRACKS)
        return true;
    diag_error(ctx->diag, (src_loc){0}, "E0902-option",
               "--rtl tiles: the verilated tiles have %d tracks, board '%s' has %u", TILE_TRACKS, board->name,
               board->tracks);
    return diag_hint(ctx->diag, "--rtl netlist takes any board");
}

compile_running compile_running_of(const compile_options *o, const pnr_board *board) {
    return (compile_running){.hazards = o->target.hazards,
                             .rtl = rtl_for(o, board),
                             .io_trace = o->running.io_trace,
                             .wave = o->running.wave,
                             .jobs = o->running.jobs,
                             .shard = o->running.shard,
                             .shards = o->running.shards,
                             .timing = o->sam.timing,
                             .fifo_depth = o->sam.fifo_depth,
                             .most_cycles = o->sam.most_cycles,
                             .stats = o->sam.stats,
                             .trace = o->sam.trace,
                             .trace_edges = o->sam.trace_edges,
                             .on_board = o->running.on_board,
                             .unchecked = o->running.unchecked,
                             .processor = o->running.processor,
                             .verify_config = o->running.verify_config};
}

const compile_engine_row *compile_engine_of(compile_engine engine) {
    return engines[engine];
}

static compile_engine_in engine_input(const compile_options *o, compile_context *ctx,
                                      const compile_kernel *k) {
    compile_running how = compile_running_of(o, &k->board);
    how.merged = compile_shards_of(o, ctx, k);
    return (compile_engine_in){.ctx = ctx,
                               .how = how,
                               .statement = &k->lowered.statement,
                               .graph = &k->lowered.sam,
                               .board = &k->board,
                               .board_path = k->board_path,
                               .design = &k->array.design,
                               .decoded = &k->bits.decoded,
                               .map = k->bits.map,
                               .bits = &k->bits.stream,
                               .kernel = k->array.kernel,
                               .shared = k->array.kernels > 1,
                               .independent = k->array.independent,
                               .configs = k->chip.configs,
                               .image = k->chip.image,
                               .number = k->chip.configs ? k->chip.number : k->array.kernel,
                               .again = k->again,
                               .lists = k->chip.lists,
                               .deferred = k->chip.deferred,
                               .session = k->chip.session,
                               .folder = k->folder,
                               .final_folder = k->final_folder};
}

/* Runs every batch on the engine; for engines that run batches from a file, the cycle model runs each batch
 * ahead. */
static bool run_recorded(const compile_engine_row *engine, compile_engine_run *r, compile_batches *b,
                         compile_record *record, compile_outcome *out) {
    compile_model *ahead = NULL;
    if (!engine->prepare(r, out))
        return false;
    if (engine->ahead)
        ahead = compile_model_begin(r->in, out);
    out->modelled.ahead = engine->ahead;
    bool good = ahead || !engine->ahead, more = good;
    while (good && more) {
        uint64_t before = out->modelled.cycles;
        more = compile_next_batch(b);
        if (!b->failed)
            compile_record_add(record, &b->plan);
        good = !b->failed &&
               (!ahead || compile_model_share(ahead, &b->plan, r->in->deferred ? r->collector : NULL,
                                              r->in->how.jobs)) &&
               engine->batch(r, &b->plan);
        uint64_t took = out->modelled.cycles - before;
        out->modelled.longest = took > out->modelled.longest ? took : out->modelled.longest;
    }
    good = good && (!ahead || compile_model_report(r->in, &out->modelled));
    compile_end_batches(b); /* the engine needs no batches */
    if (r->in->deferred)
        return engine->finish(r, good, out);
    return engine->finish(r, good, out) &&
           (!ahead || compile_collect_batches(b, r->result, r->collector, &r->result_cycles)) &&
           engine->counters(r, out);
}

static bool run_batches(const compile_engine_row *engine, compile_engine_run *r, compile_batches *b,
                        compile_outcome *out) {
    compile_record record;
    return compile_record_begin(r->in, &record) &&
           compile_record_end(r->in, &record, run_recorded(engine, r, b, &record, out));
}

/* The results of the statements of a run, and the extents of their indices. */
typedef struct {
    compile_outcome *out[COMPILE_MEMBERS_MOST];
    uint32_t *extent[COMPILE_MEMBERS_MOST];
} run_of;

/* Begins to collect the results of all statements of the run; collectors[] becomes theirs. */
static void begin_collecting(const compile_batches_in *cut, const compile_batches *b, const run_of *of,
                             tile_collector **collectors) {
    for (uint32_t p = cut->n; p-- > 0;) {
        const compile_cut_in *one = &cut->of[p];
        collectors[p] =
            tile_collect_begin(one->statement, &b->plan, of->extent[p], one->operands->dtype, cut->ctx->mem);
        if (cut->n > 1)
            tile_collect_copy(collectors[p], p, &b->of[p].plan, p + 1 < cut->n ? collectors[p + 1] : NULL);
    }
}

/* Cuts the packed operands, lets the engine run every pair, collects. */
static bool run_tiled(const compile_engine_row *engine, const compile_engine_in *in,
                      const compile_batches_in *cut, const run_of *of) {
    compile_engine_run r = {.in = in};
    compile_batches b;
    tile_collector *collectors[COMPILE_MEMBERS_MOST];
    if (!compile_begin_batches(cut, &b))
        return false;
    begin_collecting(cut, &b, of, collectors);
    r.collector = collectors[0];
    bool ok = run_batches(engine, &r, &b, of->out[0]);
    for (uint32_t p = 0; p < cut->n; p++)
        ok = tile_collect_end(collectors[p], in->ctx->mem, &of->out[p]->result) && ok;
    compile_end_batches(&b);
    for (uint32_t p = 0; p < cut->n; p++) {
        of->out[p]->cut = b.cut;
        of->out[p]->cut.tile = b.of[p].plan.tile;
        of->out[p]->cut.edge = b.of[p].plan.edge;
        of->out[p]->cut.glb_edge = b.of[p].plan.glb_edge;
        of->out[p]->cut.partials = tile_collect_cost(collectors[p]);
    }
    return ok;
}

/* Runs engine sam on a graph from a file, on whole operands: a senseless graph shows before the array
 * runs. */
static bool simulate_graph(const compile_options *o, compile_context *ctx, compile_kernel *k) {
    compile_engine_in in = engine_input(o, ctx, k);
    compile_outcome out;
    in.how = (compile_running){.as_stored = true};
    in.graph = &k->graph.file;
    if (!compile_engine_sam.whole(&in, &k->data.packed, &out))
        return false;
    k->graph.want = out.result;
    return true;
}

/* Lets the engine run a kernel whose copies may have coordinates of their own. */
static bool run_dealt(const compile_engine_row *engine, const compile_engine_in *in, compile_kernel *k,
                      const compile_banked *banked, run_of *of) {
    compile_batches_in cut = compile_batches_of(in->ctx, k);
    uint32_t *extent = of->extent[0];
    if (!banked->is)
        return run_tiled(engine, in, &cut, of);
    compile_engine_in dealt = *in;
    dealt.statement = cut.of[0].statement = &banked->statement;
    cut.of[0].operands = &banked->operands;
    cut.of[0].tiling = &banked->tiling;
    if (!tile_extents(dealt.statement, cut.of[0].operands, in->ctx->mem, in->ctx->diag, &of->extent[0]) ||
        !run_tiled(engine, &dealt, &cut, of))
        return false;
    compile_take_back(in->ctx, banked, extent, &k->ran.result);
    return true;
}

static bool is_in_range(compile_context *ctx, const compile_kernel *k) {
    const sam_statement *st = &k->lowered.statement;
    if (!compile_adds_infinity(&k->lowered.hardware))
        return true;
    for (uint32_t t = 0; t < st->tensors.len; t++) {
        const tile_tensor *data = &k->data.packed.operand[t];
        for (uint64_t e = 0; t + 1 != st->result.v && e < data->nnz; e++) {
            if (data->val[e] <= INT16_MAX)
                continue;
            diag_refuse(ctx->diag, DIAG_UNMAPPABLE, DIAG_REFUSED_RANGE, st->tensors.at[t].loc,
                        "%s holds %d, and the chip adds with infinity from 0 to 32767",
                        names_text(ctx->names, st->tensors.at[t].name), (int16_t)data->val[e]);
            return diag_hint(ctx->diag, "--engine sam adds any values");
        }
    }
    return true;
}

/* Reads the memory around the graph, and cuts for it. */
static bool take_memory(const compile_options *o, compile_context *ctx, const compile_kernel *k,
                        compile_running *how) {
    compile_finite *f = arena_new(ctx->mem, compile_finite);
    uint32_t *extent;
    how->finite = f;
    if (!compile_memory_read(o->sam.memory, ctx->mem, ctx->diag, &f->machine) ||
        !tile_extents(&k->lowered.statement, &k->data.packed, ctx->mem, ctx->diag, &extent))
        return false;
    f->open = o->optimize && compile_edges_open(o);
    f->cut = compile_cuts_of(o, ctx, &k->lowered, extent,
                             compile_memory_array(&f->machine, &k->lowered.statement));
    return true;
}

/* Returns the kernel of statement `p` of a run. */
static compile_kernel *member_of(compile_kernel *k, uint32_t p) {
    return p ? k->array.others.at[p - 1] : k;
}

/* Finds the extents of all statements of the run, whose values and fibers the array must bear. */
static bool may_run(const compile_options *o, compile_context *ctx, compile_kernel *k, run_of *of) {
    uint32_t longest = 0;
    for (uint32_t p = 0; p <= k->array.others.len; p++) {
        compile_kernel *member = member_of(k, p);
        of->out[p] = &member->ran;
        if (!is_in_range(ctx, member) || !tile_extents(&member->lowered.statement, &member->data.packed,
                                                       ctx->mem, ctx->diag, &of->extent[p]))
            return false;
        const uint32_t own = longest_fiber(member, of->extent[p]);
        longest = own > longest ? own : longest;
    }
    return compile_check_deadlock(o, ctx, k, longest);
}

/* Runs the packed statement on the packed operands. */
static bool run_packed(const compile_options *o, compile_context *ctx, compile_kernel *k) {
    const compile_engine_row *engine = engines[o->target.engine];
    compile_engine_in in = engine_input(o, ctx, k);
    in.counted = k;
    in.how.as_stored = k->graph.is;
    run_of of = {0};
    if (engine->whole)
        return (!o->sam.memory || take_memory(o, ctx, k, &in.how)) &&
               engine->whole(&in, &k->data.packed, &k->ran);
    if (!has_tiles(o, ctx, &k->board) || (k->graph.is && o->running.check && !simulate_graph(o, ctx, k)))
        return false;
    compile_banked banked;
    bool ok = may_run(o, ctx, k, &of) && compile_deal_banks(o, ctx, k, of.extent[0], &banked) &&
              run_dealt(engine, &in, k, &banked, &of);
    k->times.tile += k->ran.cut.seconds;
    k->times.firmware = k->ran.firmware_s;
    return ok;
}

bool compile_run_on_host(compile_context *ctx, compile_kernel *k, const tile_operands *in) {
    double start = seconds_now();
    tile_each_work work = {0};
    const sam_statement *s = &k->lowered.statement;
    const tile_call_in calls = {&k->calls, s, in, k->data.extent};
    bool ok = k->calls.call ? tile_call(&calls, ctx->mem, ctx->diag, &k->ran.result, &work)
                            : tile_each(s, in, k->data.extent, ctx->mem, ctx->diag, &k->ran.result, &work);
    if (k->on_processor)
        tile_set_wide(&k->ran.result, NULL);
    k->ran.computed = work.computed;
    k->ran.calls = work.calls;
    k->times.run = seconds_now() - start;
    return ok;
}

/* Converts the result to the user's statement. */
static void unpack(compile_context *ctx, compile_kernel *k, tile_dtype dtype) {
    const tile_tensor got = k->ran.result;
    uint32_t dim[SAM_MAX_ORDER] = {0};
    tile_result_dim(&k->user, k->data.extent, dim);
    tile_unpack(sam_tensor_at(&k->lowered.statement, k->lowered.statement.result), &got, dim, dtype, ctx->mem,
                &k->ran.result);
    compile_expand_runs(ctx, k, &k->ran.result);
}

bool compile_ask(const compile_options *o, compile_context *ctx, const compile_kernel *k,
                 const compile_firmware *f, compile_outcome *out) {
    const compile_engine_in in = engine_input(o, ctx, k);
    return engines[o->target.engine]->ask(&in, f, out);
}

bool compile_take_results(compile_context *ctx, compile_kernel *k, const char *path) {
    const bool member = k->array.member || k->array.others.len;
    const uint32_t at = k->array.member, runs = (uint32_t)k->ran.cut.passes;
    const compile_batches_in cut =
        member ? compile_batches_of_member(ctx, k, runs) : compile_batches_of(ctx, k);
    const tile_dtype dtype = k->data.packed.dtype;
    uint32_t *extent = NULL;
    compile_batches b;
    uint64_t cycles;
    if (!tile_extents(&k->lowered.statement, &k->data.packed, ctx->mem, ctx->diag, &extent) ||
        !compile_begin_batches(&cut, &b))
        return false;
    tile_collector *c = tile_collect_begin(cut.of[at].statement, &b.plan, extent, dtype, ctx->mem);
    if (member)
        tile_collect_copy(c, at, &b.of[at].plan, NULL);
    compile_end_batches(&b);
    b.cut.passes = k->ran.cut.passes;
    bool ok = compile_collect_batches(&b, path, c, &cycles);
    ok = tile_collect_end(c, ctx->mem, &k->ran.result) && ok;
    compile_end_batches(&b);
    if (ok)
        unpack(ctx, k, dtype);
    return ok;
}

/* Packs the operands, unless they are. */
static bool pack(compile_context *ctx, compile_kernel *k, const tile_operands *in) {
    if (k->data.packed.operand)
        return true;
    k->data.packed = k->data.kept;
    return tile_pack(&k->lowered.statement, in, ctx->mem, ctx->diag, &k->data.packed);
}

/* Runs a kernel on operands and workspaces, found by name, with the kernels that run with it on theirs; the
 * result is that of k->user. */
static bool run_kernel(const compile_options *o, compile_context *ctx, compile_kernel *k,
                       const tile_operands *in) {
    if (k->on_host)
        return k->on_processor
                   ? compile_run_calls(
                         &(compile_calls_in){o, engines[o->target.engine], in, compile_run_on_host}, ctx, k)
                   : compile_run_on_host(ctx, k, in);
    double start = seconds_now();
    bool ok = true;
    for (uint32_t p = 0; p <= k->array.others.len && ok; p++)
        ok = pack(ctx, member_of(k, p), p ? &member_of(k, p)->data.operands : in);
    if (!ok || !run_packed(o, ctx, k))
        return false;
    for (uint32_t p = 0; p <= k->array.others.len; p++)
        unpack(ctx, member_of(k, p), in->dtype);
    k->times.run = seconds_now() - start - k->times.tile - k->times.firmware;
    return true;
}

bool compile_workspace_extents(compile_context *ctx, const compile_kernel *p, const tile_operands *now,
                               uint32_t **extent, bool *inferred) {
    tile_tensor *own = arena_new_n(ctx->mem, tile_tensor, p->user.tensors.len);
    *inferred = false;
    for (uint32_t t = 0; t < p->user.tensors.len; t++) {
        for (uint32_t i = 0; i < now->n; i++) {
            if (name_eq(now->operand[i].name, p->user.tensors.at[t].name))
                own[t] = now->operand[i];
        }
        *inferred = *inferred || own[t].dim_inferred;
    }
    const tile_operands in = {own, p->user.tensors.len, now->dtype};
    return tile_known_extents(&p->user, &in, ctx->mem, ctx->diag, extent);
}

/* Runs the kernel of a workspace and adds the workspace to `all`, where its operands are, by name. */
static bool run_producer(const compile_options *o, compile_context *ctx, compile_kernel *p, tile_tensor *all,
                         tile_operands *now) {
    bool inferred;
    if (!compile_workspace_extents(ctx, p, now, &p->data.extent, &inferred) || !run_kernel(o, ctx, p, now))
        return false;
    p->ran.result.name = sam_tensor_at(&p->user, p->user.result)->name;
    p->ran.result.dim_inferred = inferred; /* an operand of a later kernel may reach further */
    all[now->n++] = p->ran.result;
    return true;
}

/* Every value takes a cycle at least, and the reference stores all values: larger results are refused at the
 start.
 */
enum { MOST_VALUES = 1 << 28 };

static void is_stored(void *context, sam_expr access, void *out) {
    (void)context;
    (void)access;
    *(bool *)out = false;
}
static void is_absent(void *context, sam_expr access, void *out) {
    (void)context;
    (void)access;
    *(bool *)out = true;
}

/* Returns whether an expression has a value at every coordinate, whatever is stored. */
static bool is_everywhere(const sam_statement *s, sam_expr e, arena *mem) {
    const bool all = true;
    bool is = false;
    const sam_fold_by by = {sizeof is, &all, is_stored, sam_in_both, sam_in_either, is_absent};
    sam_algebra algebra = {.mem = mem};
    const sam_coordinates c = sam_coordinates_of(&algebra, s, e, NULL);
    if (!c.set.v)
        return c.fill != 0;
    sam_fold(&algebra, c.set, &by, NULL, &is);
    return is || c.fill != sam_tensor_at(s, s->result)->fill;
}

/* Returns how many points have a value whatever is stored: of the result, and of sums below. */
static double points_everywhere(const compile_kernel *k, arena *mem, src_loc *loc) {
    const sam_statement *s = &k->user;
    const bool everywhere = is_everywhere(s, s->rhs, mem);
    double points = 1;
    *loc = sam_expr_at(s, s->rhs)->loc;
    for (uint32_t m = 0; everywhere && m < sam_tensor_at(s, s->result)->order; m++)
        points *= k->data.extent[s->result_index[m].v - 1];
    for (uint32_t e = 1; e <= s->exprs.len; e++) {
        const sam_expr_data *x = sam_expr_at(s, (sam_expr){e});
        if (x->kind == SAM_EXPR_SUM && is_everywhere(s, x->a, mem))
            points *= k->data.extent[x->var.v - 1];
    }
    return points;
}

/* Returns false after E0303-range where the result reaches further than files and tensors do. */
static bool has_extents(compile_context *ctx, const compile_kernel *k) {
    const sam_statement *s = &k->user;
    for (uint32_t m = 0; m < sam_tensor_at(s, s->result)->order; m++) {
        const uint32_t extent = k->data.extent[s->result_index[m].v - 1];
        if (extent <= INT32_MAX)
            continue;
        return diag_error(ctx->diag, sam_expr_at(s, s->rhs)->loc, "E0303-range",
                          "extent %u of mode %u of the result is outside 0..%d", extent, m, INT32_MAX);
    }
    return true;
}

static bool has_room(compile_context *ctx, const compile_kernel *k) {
    src_loc loc;
    if (!has_extents(ctx, k))
        return false;
    const double points = points_everywhere(k, ctx->mem, &loc);
    if (points <= MOST_VALUES)
        return true;
    diag_error(ctx->diag, loc, "E0331-dense",
               "this has a value at each of %.0f points, whatever is stored; at most %d are computed", points,
               MOST_VALUES);
    return diag_hint(ctx->diag,
                     "a mask, as mask(struct(B(i,j)), ...), computes where its operand is stored alone");
}

bool compile_run_kernels(const compile_options *o, compile_context *ctx, compile_kernel *k,
                         const tile_operands *in) {
    for (uint32_t p = 0; p <= k->array.others.len; p++) {
        if (member_of(k, p)->data.extent && !has_room(ctx, member_of(k, p)))
            return false;
    }
    tile_tensor *all = arena_new_n(ctx->mem, tile_tensor, in->n + k->producers.len);
    tile_operands now = {all, in->n, in->dtype}; /* the user's operands, and the workspaces made up to now */
    memcpy(all, in->operand, sizeof *all * in->n);
    const compile_kernel *last = o->running.shards ? compile_without_shards(o, ctx, k) : k;
    for (uint32_t n = 0; n < k->producers.len; n++) {
        if (!run_producer(o, ctx, &k->producers.at[n], all, &now))
            return false;
        if (&k->producers.at[n] == last)
            return true; /* later kernels read what all shards make */
    }
    return run_kernel(o, ctx, k, &now);
}
