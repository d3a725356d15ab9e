/* Kernels bound to bitstreams, and descriptions of bitstreams. */
#include "kernel/prebuilt.h"
#include "frontend/functions/functions.h"
#include "frontend/language/language.h"
#include "kernel/array.h"
#include "kernel/edges.h"
#include "kernel/folder.h"

#include <unistd.h>

static bool refuse(compile_context *ctx, src_loc loc, const char *what, const char *hint) {
    diag_error(ctx->diag, loc, "E0177-bitstream", "%s", what);
    return diag_hint(ctx->diag, "%s", hint);
}

/* ---- kernels ----------------------------------------------------------------------------------- */

static bool has_dense_level(const sam_statement *s, sam_var v) {
    for (uint32_t t = 1; t <= s->tensors.len; t++) {
        const sam_tensor_data *data = sam_tensor_at(s, (sam_tensor){t});
        const sam_var *index = sam_index_of(s, (sam_tensor){t});
        for (uint32_t l = 0; l < data->order; l++) {
            if (index[data->mode[l]].v == v.v && data->level[l] == SAM_LEVEL_DENSE)
                return true;
        }
    }
    return false;
}

/* Returns the edge along a loop: the bitstream's for dense levels, a call's length otherwise. */
static uint32_t edge_of(const fe_bitstream *b, const sam_binding *by, const sam_statement *s, uint32_t v) {
    const uint32_t extent = sam_var_at(s, by->var[v])->extent;
    if (b->edge[v])
        return b->edge[v];
    return by->tile[v] ? by->tile[v] : extent ? extent : 1;
}

/* Returns the options of the command with the bitstream's compile options. */
static compile_options options_of(const compile_options *o, compile_context *ctx, const fe_bitstream *b,
                                  const sam_binding *by, const sam_statement *s) {
    compile_options own = *o;
    own.cutting.tile = (compile_edges){.all = 1};
    own.cutting.glb_tile = (compile_edges){0};
    for (uint32_t v = 0; v < by->pattern->vars.len; v++)
        vec_push(ctx->mem, &own.cutting.tile.along,
                 (compile_edge){names_text(s->names, sam_var_at(s, by->var[v])->name), edge_of(b, by, s, v)});
    own.cutting.tile_auto = own.copies.dispatch_auto = own.copies.unroll_open = false;
    own.optimize = own.optimize ? own.optimize : 1;
    own.copies.unroll = b->copies;
    /* A job file starts all copies together, allowed by a flush for each copy. */
    own.copies.dispatch =
        b->apart && !compile_engines[o->target.engine].from_job ? TILE_DISPATCH_DYNAMIC : TILE_DISPATCH_LOAD;
    return own;
}

/* Returns the folder of a generator's bitstream for a call: bitstreams of a description differ only in the
 * edges of dense levels. */
static const char *shape_folder(compile_context *ctx, const fe_bitstream *b, const sam_binding *by,
                                const sam_statement *s) {
    const char *shape = s->integers ? "int16" : "bf16";
    for (uint32_t v = 0; v < by->pattern->vars.len; v++) {
        if (has_dense_level(by->pattern, (sam_var){v + 1}))
            shape = arena_printf(ctx->mem, "%s_%s%u", shape, fe_var_text(by->pattern, (sam_var){v + 1}),
                                 edge_of(b, by, s, v));
    }
    return arena_printf(ctx->mem, "%s/%s", b->folder, shape);
}

static bool stand_in(const compile_options *o, compile_context *ctx, const fe_user_function *f, fe_kernel *k,
                     const compile_bitstream **out) {
    const fe_bitstream *b = f->described->bitstream;
    compile_bitstream *prebuilt = arena_new(ctx->mem, compile_bitstream);
    fe_kernel stated;
    sam_binding by;
    BUG_IF(fe_match(k, f, ctx->mem, &by).step != FE_MATCHED, "%s no longer computes what it is bound to",
           f->name);
    const sam_tensor other = fe_as_stated(k, &by, ctx->mem, &stated);
    *prebuilt = (compile_bitstream){.folder = b->generated ? shape_folder(ctx, b, &by, &k->s) : b->folder,
                                    .name = k->binding.function,
                                    .loc = b->loc,
                                    .options = options_of(o, ctx, b, &by, &k->s)};
    prebuilt->emit =
        b->generated && access(arena_printf(ctx->mem, "%s/bitstream.bs", prebuilt->folder), R_OK) != 0;
    *out = prebuilt;
    *k = stated;
    if (other.v)
        return refuse(ctx, b->loc,
                      arena_printf(ctx->mem, "%s has another fill than what the bitstream reads",
                                   fe_tensor_text(&k->s, other)),
                      "bind what has the fill of the capability, 0");
    if (strcmp(o->target.board, b->board) != 0 || strcmp(o->target.profile, b->profile) != 0)
        return refuse(
            ctx, b->loc,
            arena_printf(ctx->mem, "the bitstream is of board %s, profile %s", b->board, b->profile),
            arena_printf(ctx->mem, "--board %s --profile %s", b->board, b->profile));
    return true;
}

bool compile_use_prebuilt(const compile_options *o, compile_context *ctx, compile_schedule *schedule) {
    const compile_bitstream **prebuilt =
        arena_new_n(ctx->mem, const compile_bitstream *, schedule->cin.kernels.len + 1);
    for (uint32_t n = 0; n < schedule->cin.kernels.len; n++) {
        fe_kernel *k = &schedule->cin.kernels.at[n];
        const char *name = k->binding.function.v ? names_text(ctx->names, k->binding.function) : NULL;
        const fe_user_function *f = name ? fe_function_named(ctx->functions, name) : NULL;
        if (!k->on_host && schedule->prebuilt)
            prebuilt[n] = schedule->prebuilt[n];
        if (k->on_host && f && f->described->bitstream && !stand_in(o, ctx, f, k, &prebuilt[n]))
            return false;
    }
    schedule->prebuilt = prebuilt;
    return true;
}

/* ---- files of its folder ------------------------------------------------------------------------ */

static const char WITH[] = "loops, formats, edges, copies, --functions and options as they were when it was "
                           "compiled: onyx functions "
                           "bitstream FOLDER NAME writes them";

/* Returns whether two .packed files have the same wires: all before the names of cells. */
static bool has_same_wires(compile_context *ctx, const char *one, const char *other) {
    static const char names[] = "ID to Names:";
    size_t n;
    const char *a = file_read(one, ctx->mem, &n, ctx->diag),
               *b = a ? file_read(other, ctx->mem, &n, ctx->diag) : NULL,
               *end_a = a ? strstr(a, names) : NULL, *end_b = b ? strstr(b, names) : NULL;
    return end_a && end_b && end_a - a == end_b - b && memcmp(a, b, (size_t)(end_a - a)) == 0;
}

/* The netlist, whose cells have names of other tensors in the files of the bitstream. */
static netlist without_names(const netlist *n, arena *mem) {
    netlist out = *n;
    out.cells.at = arena_new_n(mem, net_cell_data, n->cells.len + 1);
    memcpy(out.cells.at, n->cells.at, sizeof *n->cells.at * n->cells.len);
    for (uint32_t i = 0; i < n->cells.len; i++)
        out.cells.at[i].name = (name_id){0};
    return out;
}

/* Reads sites and routes of the kernel's netlist from a folder; the checks judge both. */
static bool read_design(compile_context *ctx, compile_kernel *k, const char *folder, pnr_options how) {
    compile_array *a = &k->array;
    const netlist unnamed = without_names(&a->net, ctx->mem);
    pnr_site *site;
    if (!pnr_read_place(&unnamed, arena_printf(ctx->mem, "%s/design.place", folder), ctx->mem, ctx->diag,
                        &site))
        return false;
    how.fixed = site; /* nothing is left to place, but the sites are judged */
    return pnr_place(&a->net, &k->board, &how, ctx->mem, ctx->diag, &a->design) &&
           pnr_read_route(&a->design, arena_printf(ctx->mem, "%s/design.route", folder), ctx->mem,
                          ctx->diag) &&
           pnr_check(&a->design, ctx->diag) && pnr_sta(&a->design, ctx->mem, ctx->diag, &a->timing);
}

bool compile_take_design(compile_context *ctx, compile_kernel *k) {
    const compile_bitstream *prebuilt = k->prebuilt;
    if (!has_same_wires(ctx, arena_printf(ctx->mem, "%s/design.packed", k->folder),
                        arena_printf(ctx->mem, "%s/design.packed", prebuilt->folder)))
        return !diag_failed(ctx->diag) &&
               refuse(ctx, prebuilt->loc, "the bitstream has other wires than what the description states",
                      WITH);
    return read_design(ctx, k, prebuilt->folder,
                       compile_pnr_options(&prebuilt->options, ctx, &k->array, &k->board));
}

bool compile_reuse_design(const compile_options *o, compile_context *ctx, compile_kernel *k, bool *reused) {
    static const char *const files[] = {"design.packed", "design.place", "design.route"};
    const char *folder = o->files.reuse;
    *reused = folder != NULL;
    for (size_t i = 0; i < sizeof files / sizeof *files && *reused; i++)
        *reused = access(arena_printf(ctx->mem, "%s/%s", folder, files[i]), R_OK) == 0;
    *reused = *reused && has_same_wires(ctx, arena_printf(ctx->mem, "%s/design.packed", k->folder),
                                        arena_printf(ctx->mem, "%s/design.packed", folder));
    return !*reused || read_design(ctx, k, folder, compile_pnr_options(o, ctx, &k->array, &k->board));
}

bool compile_take_bits(compile_context *ctx, compile_kernel *k) {
    const char *file = arena_printf(ctx->mem, "%s/bitstream.bs", k->prebuilt->folder);
    compile_bits *b = &k->bits;
    uint32_t unknown = 0;
    diagnostics unheard;
    diag_init(&unheard, ctx->mem);
    if (!bits_map_read(&k->board, ctx->mem, ctx->diag, &b->map) ||
        !bits_read(file, ctx->mem, ctx->diag, &b->stream) ||
        !bits_decode(&b->stream, b->map, ctx->names, ctx->diag, &b->decoded, &unknown))
        return false;
    if (!bits_same(&b->decoded, &k->array.design, &unheard))
        return refuse(ctx, k->prebuilt->loc,
                      "the bitstream configures tiles otherwise than the description states", WITH);
    return bits_write(&b->stream, arena_printf(ctx->mem, "%s/bitstream.bs", k->folder), ctx->diag);
}

bool compile_emit(compile_context *ctx, const compile_kernel *k) {
    const char *folder = k->prebuilt->folder;
    return make_folder(folder, ctx->diag) && compile_write_netlist(ctx, folder, &k->array.net) &&
           compile_write_design(ctx, folder, &k->array.design) &&
           bits_write(&k->bits.stream, arena_printf(ctx->mem, "%s/bitstream.bs", folder), ctx->diag);
}

/* ---- descriptions ------------------------------------------------------------------------------ */

/* Returns the only stored tensor of a user's tensor; NULL: several, or a window. */
static const sam_tensor_data *stored_of(const sam_statement *packed, const sam_tensor_data *of) {
    const sam_tensor_data *found = NULL;
    for (uint32_t t = 0; t < packed->tensors.len; t++) {
        const sam_tensor_data *one = &packed->tensors.at[t];
        if (one->ones || !name_eq(sam_stored_name(one), of->name))
            continue;
        if (found || one->order != of->order)
            return NULL;
        found = one;
    }
    return found;
}

static uint32_t edge_along(const compile_kernel *k, sam_var v) {
    const uint32_t along = k->tiling.options.edge[v.v - 1];
    return along ? along : k->tiling.options.tile;
}

/* Adds a stored tensor's conditions and formats. Bits of *dense: loops of dense levels. */
static void describe_tensor(const compile_kernel *k, const sam_tensor_data *t, const sam_var *index,
                            const char **conditions, const char **formats, uint64_t *dense) {
    arena *mem = k->lowered.statement.mem;
    uint64_t words = 1;
    const char *levels = "", *modes = "";
    for (uint32_t l = 0; l < t->order; l++) {
        const sam_var v = index[t->mode[l]];
        const bool whole = sam_level_is_whole(t, l);
        *dense |= whole ? UINT64_C(1) << (v.v - 1) : 0;
        words = words < UINT16_MAX ? words * edge_along(k, v) : words;
        levels = arena_printf(mem, "%s%c", levels, whole ? 'd' : 's');
        modes = arena_printf(mem, "%s%s%u", modes, l ? "," : "", t->mode[l]);
    }
    if (!t->order)
        return;
    const char *name = names_text(k->lowered.statement.names, sam_stored_name(t));
    const uint64_t most = k->tiling.options.mem_words;
    *formats = arena_printf(mem, "%s %s:%s:%s", *formats, name, levels, modes);
    *conditions = arena_printf(mem, "%s%s words(%s,%u) <= %llu", *conditions, **conditions ? " &&" : " when",
                               name, t->order - 1, (unsigned long long)(words > most ? words : most));
}

const char *compile_describe(const compile_options *o, const compile_context *ctx, const compile_kernel *k) {
    arena *mem = ctx->mem;
    const sam_statement *s = &k->lowered.statement;
    const char *conditions = "", *formats = "", *edges = "";
    uint64_t dense = 0;
    const bool plain = !k->graph.is && !k->producers.len && !k->on_host && o->optimize &&
                       !o->written.semiring && !o->written.fills.len && s->loops.len == k->user.vars.len &&
                       k->array.net.cells.len;
    for (uint32_t t = 1; t <= k->user.tensors.len && plain; t++) {
        const sam_tensor_data *of = &k->user.tensors.at[t - 1], *stored = stored_of(s, of);
        if (!stored || of->called.v || of->windowed || of->structure != SAM_VALUES)
            return NULL;
        const sam_tensor at = {(uint32_t)(stored - s->tensors.at) + 1};
        describe_tensor(k, stored, sam_index_of(s, at), &conditions, &formats, &dense);
    }
    for (uint32_t v = 1; v <= s->vars.len && plain; v++) {
        if (!(dense >> (v - 1) & 1))
            continue;
        const char *name = fe_var_text(s, (sam_var){v});
        edges = arena_printf(mem, "%s%s%s:%u", edges, *edges ? "," : "edges: ", name,
                             edge_along(k, (sam_var){v}));
        conditions = arena_printf(mem, "%s%s %s <= %u", conditions, *conditions ? " &&" : " when", name,
                                  edge_along(k, (sam_var){v}));
    }
    return plain
               ? arena_printf(mem,
                              "capability: %s%s\ndatatypes: %s\nbitstream: .\nloops: %s\nformats:%s\n%s%s"
                              "copies: %u%s\nboard: %s %s\n",
                              o->written.expression, conditions,
                              o->tensors.dtype == TILE_DTYPE_BF16 ? "bf16" : "int16",
                              compile_loops_text(s, mem), formats, edges, *edges ? "\n" : "", k->array.copies,
                              k->array.independent ? " apart" : "", o->target.board, o->target.profile)
               : NULL;
}
