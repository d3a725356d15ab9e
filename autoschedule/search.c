/* Predicts the chip's time for a program, kernel by kernel, with the best edges and copies for its data, to
 * compare programs that compute the same result. Workspaces are estimated from the operands. */
#include "autoschedule/search.h"
#include "kernel/dispatch.h"
#include "kernel/edges.h"
#include "kernel/lower.h"

#include <math.h>

tile_room compile_kernel_room(const compile_options *o, compile_context *ctx, const pnr_board *board,
                              const compile_lowered *k, const tile_options *edges) {
    const bool extended = pnr_board_extended(board);
    compile_context own = *ctx;
    diagnostics unheard;
    tile_options limited = *edges;
    onyx_graph *graph;
    netlist one;
    diag_init(&unheard, ctx->mem);
    own.diag = &unheard;
    compile_limit_edges(k, extended, &limited);
    bool good =
        compile_lower_onyx(&own, k, &limited, extended, &graph) && lower_pack(graph, own.mem, own.diag, &one);
    return good ? compile_room_for(o, &one, board) : (tile_room){0};
}

void compile_find_room(const compile_options *o, compile_context *ctx, const pnr_board *board,
                       const compile_lowered *k, compile_tiling *tiling) {
    const bool open = o->copies.streams == SAM_SHARING_OPEN;
    const sam_sharing first = open ? SAM_SHARING_LEVELS + 1 : SAM_SHARING_LEVELS,
                      end = !open                ? tiling->options.sharing
                            : o->asked.statement ? SAM_SHARING_TENSORS + 1
                                                 : SAM_SHARINGS;
    tiling->options.room = compile_kernel_room(o, ctx, board, k, &tiling->options);
    memset(tiling->rooms, 0, sizeof tiling->rooms);
    for (sam_sharing i = first; i < end && pnr_board_extended(board) && compile_edges_open(o); i++) {
        tile_options other = tiling->options;
        other.sharing = i;
        tiling->rooms[i] = compile_kernel_room(o, ctx, board, k, &other);
        if (open && !tiling->rooms[i].lockstep)
            break;
    }
}

typedef struct {
    const compile_search_in *in;
    compile_context ctx;    /* whose memory goes, and whose diagnostics nobody hears */
    VEC(tile_tensor) known; /* the user's operands and earlier workspaces */
    double share;           /* share of the whole in a sample */
    arena *mem;             /* arena for results */
} searching;

static tile_candidate keep(tile_candidate c, arena *mem) {
    uint32_t *edge = arena_new_n(mem, uint32_t, TILE_MAX_VARS);
    if (c.edge)
        memcpy(edge, c.edge, sizeof *edge * TILE_MAX_VARS);
    c.edge = c.edge ? edge : NULL;
    return c;
}

/* Returns whether the expected edges are fastest with as many copies as there is room for. */
static bool takes_all(const compile_tiling *t) {
    const tile_room *room = &t->options.room;
    const tile_share best = tile_best_share(&t->expected.expected, &t->options.driver, room);
    return best.copies >= (best.alone ? room->independent : room->lockstep);
}

/* Chooses for a kernel whose operands are known. Returns the chip's predicted time, INFINITY if unknown. A
 * value above `most` means only that the time exceeds `most`. */
static double look_for(searching *s, const fe_kernel *kernel, double most, compile_tiling *out) {
    const compile_search_in *in = s->in;
    compile_lowered lowered;
    compile_tiling tiling = {.expected = {.complete = false}};
    compile_data data = {.operands = {s->known.at, s->known.len, in->data->operands.dtype}};
    compile_options asked = *in->options;
    if (!compile_lower_sam(in->options, true, &s->ctx, kernel, &lowered))
        return INFINITY;
    asked.cutting.tile.all = 0; /* a stated edge is the only candidate along each loop */
    tiling.options = compile_tiling_of(&asked, in->board, &lowered);
    for (uint32_t l = 0; l < lowered.statement.loops.len; l++) {
        uint32_t *edge = &tiling.options.edge[lowered.statement.loops.at[l].v - 1];
        *edge = *edge ? *edge : in->options->cutting.tile.all;
    }
    tiling.options.share = in->fraction > 0 || s->share < 1 ? s->share : 0;
    tiling.options.least = isfinite(most) ? fmax(most - COMPILE_BOOT, 1) : 0;
    if (in->share && tiling.options.steps)
        tiling.options.steps /= in->share;
    if (!compile_make_legal(&s->ctx, &lowered))
        return INFINITY;
    compile_find_room(&asked, &s->ctx, in->board, &lowered, &tiling);
    if (asked.copies.unroll && !compile_copies_open(&asked) && !tiling.options.room.lockstep)
        return INFINITY; /* fewer copies fit than are stated */
    for (sam_sharing i = SAM_SHARING_OPEN; i < SAM_SHARINGS; i++) {
        if (sam_sharing_table[i].store != SAM_MODE_VALS)
            tiling.rooms[i] = (tile_room){0}; /* too fine a gain to choose orders of loops by */
    }
    if (!compile_choose_edges(&asked, &s->ctx, in->board, &lowered, &data, &tiling) || !tiling.expected.edge)
        return INFINITY;
    tiling.expected.edge = tiling.options.edge; /* no wider than may be */
    out->expected = keep(tiling.expected, s->mem);
    out->full = takes_all(&tiling);
    for (uint32_t i = 0; i < tiling.candidates.len; i++)
        vec_push(s->mem, &out->candidates, keep(tiling.candidates.at[i], s->mem));
    return tiling.expected.cost > 0 ? tiling.expected.cost + COMPILE_BOOT : INFINITY;
}

struct compile_foreseen {
    uint64_t key;
    uint32_t share;      /* of the steps; an outcome within its limit serves larger shares, too */
    double cycles, most; /* cycles are exact up to this */
    compile_tiling tiling;
};

/* Returns the hash of all inputs of a kernel's prediction, except the share of steps. */
static uint64_t key_of(const searching *s, const fe_kernel *k) {
    const sam_statement *st = &k->s;
    const uint64_t numbers[] = {(uintptr_t)s->in->data,
                                k->ordered,
                                st->result.v,
                                st->rhs.v,
                                st->integers,
                                st->uncut,
                                st->general,
                                st->tiled,
                                st->exact,
                                st->everywhere,
                                st->singly,
                                st->stepped,
                                st->single,
                                st->rows};
    const double shares[] = {s->in->fraction, s->share};
    uint64_t h = hash_more(0, numbers, sizeof numbers);
    h = hash_more(h, shares, sizeof shares);
    h = hash_more(h, st->result_index, sizeof st->result_index);
    h = hash_more(h, st->vars.at, sizeof *st->vars.at * st->vars.len);
    h = hash_more(h, st->tensors.at, sizeof *st->tensors.at * st->tensors.len);
    h = hash_more(h, st->exprs.at, sizeof *st->exprs.at * st->exprs.len);
    h = hash_more(h, st->loops.at, sizeof *st->loops.at * st->loops.len);
    h = hash_more(h, k->relations.at, sizeof *k->relations.at * k->relations.len);
    h = hash_more(h, k->tags.at, sizeof *k->tags.at * k->tags.len);
    for (uint32_t i = s->in->data->operands.n; i < s->known.len; i++) {
        const tile_tensor *t = &s->known.at[i];
        h = hash_more(h, &t->name, sizeof t->name);
        h = hash_more(h, t->dim, sizeof *t->dim * t->order);
        h = hash_more(h, t->crd, sizeof *t->crd * t->order * t->nnz);
        h = hash_more(h, t->val, sizeof *t->val * t->nnz);
    }
    return h;
}

/* Chooses for a kernel, or reuses the choice of an equal search. Compared forms of a program have most
 * kernels in common. */
static double choose_kernel(searching *s, const fe_kernel *kernel, double most, compile_tiling *out) {
    compile_searched *searched = s->in->searched;
    if (!searched)
        return look_for(s, kernel, most, out);
    const uint64_t key = key_of(s, kernel);
    const uint32_t share = s->in->share ? s->in->share : 1;
    for (uint32_t i = 0; i < searched->all.len; i++) {
        const struct compile_foreseen *known = &searched->all.at[i];
        if (known->key == key && (known->cycles <= known->most || known->most >= most) &&
            (known->share == share || (known->share > share && !known->tiling.expected.limited))) {
            *out = known->tiling;
            return known->cycles;
        }
    }
    const double cycles = look_for(s, kernel, most, out);
    vec_push(s->mem, &searched->all, ((struct compile_foreseen){key, share, cycles, most, *out}));
    return cycles;
}

/* A tensor filled by calls of a function is taken to have a value everywhere. */
static bool add_full_workspace(searching *s, const sam_statement *st) {
    enum { MOST = 1 << 22 };
    const sam_tensor_data *result = sam_tensor_at(st, st->result);
    tile_tensor full = {.name = result->name, .order = result->order, .nnz = 1};
    for (uint32_t m = 0; m < full.order; m++) {
        full.dim[m] = sam_var_at(st, st->result_index[m])->extent;
        full.nnz = full.nnz > MOST ? full.nnz : full.nnz * full.dim[m];
    }
    if (full.nnz > MOST)
        return false;
    uint32_t *crd = arena_new_n(s->ctx.mem, uint32_t, full.nnz * full.order + 1);
    uint16_t *val = arena_new_n(s->ctx.mem, uint16_t, full.nnz + 1);
    for (uint64_t i = 0; i < full.nnz; i++) {
        uint64_t rest = i;
        for (uint32_t m = full.order; m-- > 0; rest /= full.dim[m])
            crd[i * full.order + m] = (uint32_t)(rest % full.dim[m]);
        val[i] = 1;
    }
    full.crd = crd;
    full.val = val;
    vec_push(s->ctx.mem, &s->known, full);
    return true;
}

/* Adds the kernel's result to the known operands; false: the result cannot be estimated. */
static bool add_workspace(searching *s, const sam_statement *st, const sam_statement *reader) {
    tile_tensor *own = arena_new_n(s->ctx.mem, tile_tensor, st->tensors.len + 1), out;
    uint64_t whole = 0;
    const name_id name = sam_tensor_at(st, st->result)->name;
    double share;
    for (uint32_t t = 0; t < st->tensors.len; t++) {
        bool found = t + 1 == st->result.v;
        for (uint32_t i = 0; i < s->known.len; i++) {
            if (!name_eq(s->known.at[i].name, st->tensors.at[t].name))
                continue;
            own[t] = s->known.at[i];
            found = true;
        }
        if (!found)
            return false;
    }
    for (uint32_t e = 1; e <= reader->exprs.len; e++) { /* loops summed by the reader stay whole */
        const sam_expr_data *x = sam_expr_at(reader, (sam_expr){e});
        if (x->kind != SAM_EXPR_ACCESS || !name_eq(sam_tensor_at(reader, x->tensor)->name, name))
            continue;
        for (uint32_t m = 0; m < sam_tensor_at(st, st->result)->order; m++) {
            if (!sam_is_result_var(reader, x->index[m]))
                whole |= UINT64_C(1) << (st->result_index[m].v - 1);
        }
    }
    const tile_operands in = {own, st->tensors.len, s->in->data->operands.dtype};
    if (!tile_workspace(st, &in, whole, s->ctx.mem, &out, &share))
        return false;
    s->share *= share;
    vec_push(s->ctx.mem, &s->known, out);
    return true;
}

/* Returns the first kernel that reads the result of kernel n, the last kernel if no kernel between reads the
 * result. */
static const sam_statement *reader_of(const fe_cin *cin, uint32_t n) {
    const sam_statement *of = &cin->kernels.at[n].s;
    const name_id name = sam_tensor_at(of, of->result)->name;
    uint32_t at = n + 1;
    while (at + 1 < cin->kernels.len && !sam_operand_named(&cin->kernels.at[at].s, name).v)
        at++;
    return &cin->kernels.at[at].s;
}

double compile_search(const compile_search_in *in, compile_context *ctx, const fe_cin *cin,
                      compile_tilings *out) {
    arena scratch = {0};
    diagnostics quiet;
    searching s = {.in = in, .ctx = *ctx, .share = in->fraction > 0 ? in->fraction : 1, .mem = ctx->mem};
    const double most = in->most > 0 ? in->most : INFINITY;
    double cycles = 0;
    bool known = true;
    *out = (compile_tilings){0};
    for (uint32_t n = 0; in->cost && n < cin->kernels.len; n++)
        vec_push(ctx->mem, out, ((compile_tiling){.expected = {.complete = false}, .full = true}));
    if (in->cost)
        return in->cost(cin);
    s.ctx.mem = &scratch;
    diag_init(&quiet, &scratch);
    s.ctx.diag = &quiet;
    for (uint32_t i = 0; i < in->data->operands.n; i++)
        vec_push(&scratch, &s.known, in->data->operands.operand[i]);
    for (uint32_t n = 0; n < cin->kernels.len; n++) {
        const fe_kernel *kernel = &cin->kernels.at[n];
        compile_tiling tiling = {.expected = {.complete = false}};
        if (!kernel->on_host)
            cycles += known ? choose_kernel(&s, kernel, fmax(most - cycles, 0), &tiling) : INFINITY;
        known = known && n + 1 < cin->kernels.len &&
                (kernel->binding.function.v ? add_full_workspace(&s, &kernel->s)
                                            : add_workspace(&s, &kernel->s, reader_of(cin, n)));
        vec_push(ctx->mem, out, tiling);
    }
    arena_free(&scratch);
    return cycles;
}

compile_search_in compile_below(const compile_search_in *by, double least) {
    compile_search_in out = *by;
    if (isfinite(least) && (!(out.most > 0) || least < out.most))
        out.most = least;
    return out;
}

double compile_expect(const compile_search_in *by, compile_context *ctx, const fe_cin *cin, uint32_t share,
                      uint32_t n, double *own) {
    compile_search_in shared = *by;
    compile_tilings tilings;
    shared.share = share;
    const double all = compile_search(&shared, ctx, cin, &tilings);
    *own = cin->kernels.len > 1 && tilings.at[n].expected.cost > 0 ? fmin(tilings.at[n].expected.cost, all)
                                                                   : all;
    return all;
}

double compile_expect_below(const compile_search_in *by, compile_context *ctx, const fe_cin *cin,
                            uint32_t share, double least) {
    const compile_search_in less = compile_below(by, least);
    double unused;
    return compile_expect(&less, ctx, cin, share, 0, &unused);
}
