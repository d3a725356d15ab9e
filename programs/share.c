/* Several kernels on one array. Their netlists are placed beside each other without a common wire; the flush
 * that starts a kernel clears the state of the others, and streams without a start move no word. */
#include "programs/share.h"
#include "engines/engines.h"
#include "kernel/array.h"
#include "kernel/folder.h"
#include "kernel/route.h"
#include "lower_onyx/join.h"

bool compile_may_share(compile_context *ctx, const compile_kernel *k) {
    const compile_programmed p = {
        .design = &k->array.design, .decoded = &k->bits.decoded, .map = k->bits.map, .bits = &k->bits.stream};
    compile_context own = *ctx;
    diagnostics unheard;
    uint32_t early = 0;
    arena scratch = {0};
    diag_init(&unheard, &scratch);
    own.diag = &unheard;
    const bool may = !k->array.independent && compile_find_early(&own, &p, &early) && !early;
    arena_free(&scratch);
    return may;
}

static bool join(const compile_kernels *all, arena *mem, diagnostics *d, netlist *out) {
    const netlist **nets = arena_new_n(mem, const netlist *, all->len);
    for (uint32_t i = 0; i < all->len; i++)
        nets[i] = &all->at[i]->array.net;
    return net_join(nets, all->len, mem, d, out);
}

static bool fits(const compile_options *o, const compile_kernels *all, bool one_of, arena *scratch) {
    enum { LOADS = 2 };
    const pnr_options rules = {.own_tiles = o->copies.buffers > 1};
    const pnr_board *board = &all->at[0]->board;
    pnr_resource table[PNR_RESOURCES];
    diagnostics unheard;
    netlist net;
    diag_init(&unheard, scratch);
    if (all->len > FW_IMAGE_KERNELS_MOST || !join(all, scratch, &unheard, &net) ||
        !pnr_fits(&net, board, &rules, &unheard))
        return false;
    pnr_count_resources(&net, board, table);
    return table[LOADS].need + one_of <= table[LOADS].have;
}

bool compile_fit_together(const compile_options *o, const compile_kernels *all, bool one_of) {
    arena scratch = {0};
    const bool fit = fits(o, all, one_of, &scratch);
    arena_free(&scratch);
    return fit;
}

/* Runs the deadlock analysis of a kernel: on its own netlist, with the register pairs of its routes on the
 * shared array. */
static bool find_deadlock(const compile_options *o, compile_context *ctx, const compile_array *shared,
                          uint32_t first_net, compile_array *own) {
    compile_array view = *own;
    view.design = shared->design;
    view.design.route.at += first_net;
    bool ok = compile_find_deadlock(o, ctx, &view);
    own->liveness = view.liveness;
    return ok;
}

/* Gives kernel `i` the shared array. */
static bool take_array(const compile_options *o, compile_context *ctx, const compile_kernels *all, uint32_t i,
                       const compile_array *shared, uint32_t first_net) {
    compile_kernel *k = all->at[i];
    compile_array *a = &k->array;
    if (!find_deadlock(o, ctx, shared, first_net, a))
        return false;
    a->design = shared->design;
    a->timing = shared->timing;
    a->kernel = i;
    a->kernels = all->len;
    a->one_of = shared->one_of;
    return compile_write_netlist(ctx, k->folder, shared->design.net) &&
           compile_write_design(ctx, k->folder, &a->design) &&
           compile_encode(ctx, k->folder, &a->design, &k->bits);
}

static bool loads_at_first_tile(const pnr_design *design) {
    bool any = false;
    for (uint32_t c = 0; c < design->net->cells.len; c++)
        any = any || (design->net->cells.at[c].mode == NET_MODE_IO_IN &&
                      design->site.at[c].x < design->board->columns_per_glb_tile);
    return any;
}

/* Adds the streams of a pair, level by level, for one copy; each is placed beside one other. */
static void add_colocated(compile_context *ctx, const compile_colocated *p, compile_array *a) {
    const netlist *n = &a->net;
    for (uint32_t s = 0; s < n->cells.len; s++) {
        const net_cell_data *store = &n->cells.at[s];
        if (store->mode != NET_MODE_IO_OUT || store->kernel != p->from || !name_eq(store->tensor, p->stored))
            continue;
        for (uint32_t l = 0; l < n->cells.len; l++) {
            const net_cell_data *load = &n->cells.at[l];
            bool free = load->mode == NET_MODE_IO_IN && load->kernel == p->to &&
                        name_eq(load->tensor, p->loaded) && load->level == store->level;
            for (uint32_t i = 0; i < a->colocated.len; i++)
                free = free && a->colocated.at[i] != (i % 2 ? l : s);
            if (!free)
                continue;
            vec_push(ctx->mem, &a->colocated, s);
            vec_push(ctx->mem, &a->colocated, l);
        }
    }
}

static void list_colocated(compile_context *ctx, const compile_colocated_list *colocated, compile_array *a) {
    a->colocated.len = 0;
    for (uint32_t i = 0; i < colocated->len; i++)
        add_colocated(ctx, &colocated->at[i], a);
}

bool compile_make_again(const compile_options *o, compile_context *ctx, compile_kernel *k, bool one_of,
                        const compile_colocated_list *colocated, compile_times *times) {
    const compile_array before = k->array;
    compile_array *a = &k->array;
    compile_context own = *ctx;
    diagnostics unheard;
    *times = (compile_times){0};
    a->one_of = one_of;
    list_colocated(ctx, colocated, a);
    if (!a->colocated.len && !(one_of && loads_at_first_tile(&a->design)))
        return true;
    diag_init(&unheard, ctx->mem);
    own.diag = &unheard;
    if (!compile_route(o, &own, &k->board, a, times)) {
        *a = before;
        return true;
    }
    return compile_find_deadlock(o, ctx, a) && compile_write_design(ctx, k->folder, &a->design) &&
           compile_encode(ctx, k->folder, &a->design, &k->bits);
}

bool compile_share(const compile_options *o, compile_context *ctx, const compile_kernels *all, bool one_of,
                   const compile_colocated_list *colocated, compile_times *times) {
    compile_array *shared = arena_new(ctx->mem, compile_array);
    compile_context own = *ctx;
    diagnostics unheard;
    uint32_t net = 0;
    diag_init(&unheard, ctx->mem);
    own.diag = &unheard;
    shared->one_of = one_of;
    if (!join(all, ctx->mem, ctx->diag, &shared->net))
        return false;
    list_colocated(ctx, colocated, shared);
    if (!compile_route(o, &own, &all->at[0]->board, shared, times))
        return true;
    bool ok = true;
    for (uint32_t i = 0; i < all->len && ok; i++) {
        ok = take_array(o, ctx, all, i, shared, net);
        net += all->at[i]->array.net.nets.len;
    }
    return ok;
}
