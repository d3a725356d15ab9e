/* The passes of a kernel: from loops to the array's bitstream. */
#include "autoschedule/autoschedule.h"
#include "compile/passes.h"
#include "kernel/array.h"
#include "kernel/dispatch.h"
#include "kernel/edges.h"
#include "kernel/lower.h"
#include "kernel/prebuilt.h"
#include "kernel/route.h"

/* ---- graphs -------------------------------------------------------------------------------------- */

bool pass_run_lower(compile_passing *p) {
    return compile_lower_sam(p->o, p->chip, p->ctx, p->k->source, &p->k->lowered);
}

bool pass_check_lower(const compile_passing *p) {
    return sam_check(&p->k->lowered.sam, p->ctx->diag);
}

bool pass_run_legal(compile_passing *p) {
    return compile_make_legal(p->ctx, &p->k->lowered);
}

bool pass_check_legal(const compile_passing *p) {
    return sam_check(&p->k->lowered.hardware, p->ctx->diag);
}

/* ---- edges --------------------------------------------------------------------------------------- */

/* Makes the array of a kernel, for the cycle model: nothing is checked or written. */
static bool to_array(const compile_options *o, compile_context *ctx, compile_kernel *k) {
    compile_array *a = &k->array;
    onyx_graph *graph;
    netlist one;
    const compile_copied copied = {&k->board, &k->lowered, &one, &k->data, &k->tiling};
    if (!compile_choose_edges(o, ctx, &k->board, &k->lowered, &k->data, &k->tiling) ||
        !compile_lower_onyx(ctx, &k->lowered, &k->tiling.options, pnr_board_extended(&k->board), &graph) ||
        !lower_pack(graph, ctx->mem, ctx->diag, &one) || !compile_make_copies(o, ctx, &copied, a))
        return false;
    const pnr_options how = compile_pnr_options(o, ctx, a, &k->board);
    return pnr_place(&a->net, &k->board, &how, ctx->mem, ctx->diag, &a->design) &&
           pnr_route_all(&a->design, &how, ctx->mem, ctx->diag) && compile_balance(o, ctx, a) &&
           bits_map_read(&k->board, ctx->mem, ctx->diag, &k->bits.map);
}

/* Chooses edges together with the number of copies that fit. */
bool pass_run_edges(compile_passing *p) {
    const compile_options *o = p->o;
    compile_context *ctx = p->ctx;
    compile_kernel *k = p->k;
    if (compile_edges_open(o))
        compile_find_room(o, ctx, &k->board, &k->lowered, &k->tiling);
    if (!compile_choose_edges(o, ctx, &k->board, &k->lowered, &k->data, &k->tiling))
        return false;
    if (o->optimize < 2 || !compile_edges_open(o) || !k->data.packed.operand || k->tiling.candidates.len < 2)
        return true;
    compile_stage(ctx, "measuring what is expected to be best", 0);
    compile_measure(o, ctx, k, to_array);
    return compile_choose_edges(o, ctx, &k->board, &k->lowered, &k->data, &k->tiling);
}

/* Every loop has an edge. */
bool pass_check_edges(const compile_passing *p) {
    const compile_kernel *k = p->k;
    const sam_statement *s = &k->lowered.statement;
    for (uint32_t v = 1; v <= s->vars.len; v++)
        BUG_IF(!tile_edge(s, &k->tiling.options, (sam_var){v}), "loop %u has no edge", v);
    return true;
}

/* ---- tiles and nets ------------------------------------------------------------------------------ */

bool pass_run_primitives(compile_passing *p) {
    return compile_lower_onyx(p->ctx, &p->k->lowered, &p->k->tiling.options, pnr_board_extended(&p->k->board),
                              &p->primitives);
}

bool pass_check_primitives(const compile_passing *p) {
    return lower_check(p->primitives, p->ctx->diag);
}

bool pass_run_pack(compile_passing *p) {
    return lower_pack(p->primitives, p->ctx->mem, p->ctx->diag, &p->one);
}

bool pass_check_pack(const compile_passing *p) {
    return net_check(&p->one, p->ctx->diag);
}

bool pass_run_copies(compile_passing *p) {
    compile_kernel *k = p->k;
    const compile_copied copied = {&k->board, &k->lowered, &p->one, &k->data, &k->tiling};
    return compile_make_copies(p->o, p->ctx, &copied, &k->array);
}

bool pass_check_copies(const compile_passing *p) {
    return net_check(&p->k->array.net, p->ctx->diag);
}

/* ---- the array ----------------------------------------------------------------------------------- */

static bool is_at_hand(const compile_kernel *k) {
    return k->prebuilt && !k->prebuilt->emit;
}

bool pass_run_route(compile_passing *p) {
    compile_kernel *k = p->k;
    bool reused = is_at_hand(k);
    if (reused ? !compile_take_design(p->ctx, k)
               : !p->all->producers.len && !compile_reuse_design(p->o, p->ctx, k, &reused))
        return false;
    return (reused || compile_route(p->o, p->ctx, &k->board, &k->array, &k->times)) &&
           compile_find_deadlock(p->o, p->ctx, &k->array);
}

bool pass_check_route(const compile_passing *p) {
    return pnr_check(&p->k->array.design, p->ctx->diag);
}

bool pass_run_encode(compile_passing *p) {
    compile_kernel *k = p->k;
    return is_at_hand(k) ? compile_take_bits(p->ctx, k)
                         : compile_encode(p->ctx, k->folder, &k->array.design, &k->bits) &&
                               (!k->prebuilt || compile_emit(p->ctx, k));
}

bool pass_check_encode(const compile_passing *p) {
    return bits_same(&p->k->bits.decoded, &p->k->array.design, p->ctx->diag);
}

bool pass_run_freed(compile_passing *p) {
    for (uint32_t n = 0; !p->o->asked.statement && n <= p->all->producers.len; n++) {
        compile_kernel *k = compile_kernel_at(p->all, n);
        if (!k->on_host)
            compile_find_stream_relief(p->o, p->ctx, p->all, k);
    }
    tile_forget_cuts(p->ctx->cuts, true);
    return true;
}

/* Postcondition: a form listed in `freed` asks for fewer streams of a kind, and has room for more copies. */
bool pass_check_freed(const compile_passing *p) {
    for (uint32_t n = 0; n <= p->all->producers.len; n++) {
        const compile_stream_relief *all = &compile_kernel_at(p->all, n)->choices.freed;
        for (uint32_t i = 0; i < all->by.len; i++) {
            const compile_freeing *one = &all->by.at[i];
            BUG_IF((one->loads >= all->loads && one->stores >= all->stores) || one->copies <= all->room,
                   "%s leaves no room for copies", one->how);
        }
    }
    return true;
}
