/* onyx sam FILE.gv, onyx run FILE.gv: a graph from a file instead of an expression. */
#include "graphs/graphs.h"
#include "frontend/language/language.h"
#include "frontend/lowering/lowering.h"
#include "kernel/folder.h"
#include "kernel/lower.h"

/* Options may not repeat facts of the graph's comment and nodes. */
static bool no_settings(const compile_options *o, compile_context *ctx) {
    const struct {
        const text_vec *given;
        const char *option;
    } settings[] = {{&o->written.formats, "-f"}, {&o->written.schedule, "-s"}, {&o->written.types, "-t"}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        if (!settings[i].given->len)
            continue;
        diag_error(ctx->diag, (src_loc){0}, "E0915-graph-option", "%s %s says what the graph says already",
                   settings[i].option, settings[i].given->at[0]);
        return diag_hint(ctx->diag, "edit the graph, or start from an expression");
    }
    return true;
}

/* A graph with any bfloat16 node works on bfloat16 (integer operations may still read the bits), any other
 * graph with operations on integers; the operands must have the same type. */
static bool check_type(const compile_options *o, const sam_graph *g, compile_context *ctx) {
    sam_node computes = {0};
    bool fp = false, given = o->tensors.dtype == TILE_DTYPE_BF16;
    for (uint32_t v = 1; v <= g->nodes.len && !fp; v++) {
        const sam_node_data *n = sam_node_at(g, (sam_node){v});
        fp = n->fp;
        if (fp || (!computes.v && (n->kind == SAM_ALU || n->kind == SAM_REDUCE)))
            computes.v = v;
    }
    if (!computes.v || fp == given)
        return true;
    diag_error(ctx->diag, sam_node_at(g, computes)->loc, "E0916-graph-type",
               "%s computes in %s, the operands are %s", sam_node_label(g, computes, ctx->mem),
               fp ? "bfloat16" : "integers", given ? "bfloat16" : "integers");
    return diag_hint(ctx->diag, "--dtype %s", fp ? "bf16" : "int16");
}

static sam_var variable(sam_statement *st, name_id name, src_loc loc) {
    for (uint32_t v = 0; v < st->vars.len; v++)
        if (name_eq(st->vars.at[v].name, name))
            return (sam_var){v + 1};
    vec_push(st->mem, &st->vars, (sam_var_data){.name = name, .loc = loc});
    vec_push(st->mem, &st->loops, (sam_var){st->vars.len});
    return (sam_var){st->vars.len};
}

/* Returns the name of the index variable of a tensor's mode at a reading or writing node, or none. */
static name_id index_at(const sam_graph *g, sam_node h, const sam_graph_tensor *t, uint32_t mode) {
    const sam_node_data *n = sam_node_at(g, h);
    bool level = n->kind == SAM_FIBERLOOKUP || n->kind == SAM_FIBERWRITE || n->kind == SAM_BVLOOKUP ||
                 n->kind == SAM_LOCATE;
    if (!name_eq(n->tensor, t->name))
        return (name_id){0};
    if (n->kind == SAM_ARRAYSTORE)
        return sam_stored_index(g, h, (uint32_t)sam_storage_level(t, (int)mode));
    return level && n->mode == (int)mode ? n->index : (name_id){0};
}

/* Returns the index variable of a tensor's mode, from its scanner or its writer. */
static sam_var index_of(const sam_graph *g, const sam_graph_tensor *t, uint32_t mode, sam_statement *st) {
    for (uint32_t i = 1; i <= g->nodes.len; i++) {
        name_id index = index_at(g, (sam_node){i}, t, mode);
        if (index.v)
            return variable(st, index, sam_node_at(g, (sam_node){i})->loc);
    }
    const char *alone = arena_printf(st->mem, "%s%u", names_text(g->names, t->name), mode);
    return variable(st, names_intern(g->names, alone), g->loc);
}

static bool is_read(const sam_graph *g, name_id tensor) {
    for (uint32_t i = 0; i < g->nodes.len; i++) {
        const sam_node_data *n = &g->nodes.at[i];
        if ((n->kind == SAM_FIBERLOOKUP || n->kind == SAM_ARRAYVALS) && name_eq(n->tensor, tensor))
            return true;
    }
    return false;
}

/* The tensors of the graph and their indices, as a statement: the result, and the sum of all operands as the
 * right side. The statement is never evaluated; its purpose is the list of tensors and the extent of each
 * index. */
static sam_statement signature(const sam_graph *g, arena *mem) {
    sam_statement st = {.mem = mem, .names = g->names, .result = {1}};
    const sam_graph_tensor *result = &g->tensors.at[0];
    graph_add_tensor(g, result, &st);
    for (uint32_t m = 0; m < result->order; m++)
        st.result_index[m] = index_of(g, result, m, &st);
    for (uint32_t t = 1; t < g->tensors.len; t++) {
        const sam_graph_tensor *tensor = &g->tensors.at[t];
        if (!is_read(g, tensor->name))
            continue;
        graph_add_tensor(g, tensor, &st);
        sam_expr_data access = {.kind = SAM_EXPR_ACCESS, .loc = g->loc, .tensor = {st.tensors.len}};
        for (uint32_t m = 0; m < tensor->order; m++)
            access.index[m] = index_of(g, tensor, m, &st);
        vec_push(mem, &st.exprs, access);
        sam_expr here = {st.exprs.len};
        if (st.rhs.v) {
            vec_push(mem, &st.exprs,
                     (sam_expr_data){.kind = SAM_EXPR_ADD, .loc = g->loc, .a = st.rhs, .b = here});
            here.v++;
        }
        st.rhs = here;
    }
    return st;
}

bool compile_is_graph(const char *expression) {
    size_t length = strlen(expression);
    return length > 3 && strcmp(expression + length - 3, ".gv") == 0;
}

static bool read_file(const compile_options *o, compile_context *ctx, sam_graph *out) {
    size_t length = 0;
    const char *text = text_read(o->written.expression, ctx->mem, &length, ctx->diag);
    return text && sam_parse(o->written.expression, text, length, ctx->names, ctx->diag, out) &&
           sam_check(out, ctx->diag) && no_settings(o, ctx);
}

bool compile_read_graph(const compile_options *o, compile_context *ctx, compile_kernel *k) {
    if (!read_file(o, ctx, &k->lowered.sam))
        return false;
    const fe_in in = {.dimensions = o->written.dimensions.at, .n_dimensions = o->written.dimensions.len};
    k->user = signature(&k->lowered.sam, ctx->mem);
    if (!fe_parse_dimensions(&in, ctx->diag, &k->user))
        return false;
    k->lowered.statement = k->user;
    bool runs = o->tensors.inputs.len + o->tensors.generators.len;
    return !runs || check_type(o, &k->lowered.sam, ctx);
}

/* ---- on the array ------------------------------------------------------------------------------ */

/* The graph reads a level as compressed if padding has compressed the dense level. */
static void follow_padding(const sam_statement *st, sam_graph *g) {
    for (uint32_t t = 1; t < st->tensors.len; t++) {
        const sam_tensor_data *data = &st->tensors.at[t];
        for (uint32_t i = 0; i < g->tensors.len; i++) {
            if (name_eq(g->tensors.at[i].name, data->name))
                memcpy(g->tensors.at[i].level, data->level, sizeof data->level);
        }
        for (uint32_t l = 0; l < data->order; l++) {
            for (uint32_t i = 0; i < g->nodes.len; i++) {
                sam_node_data *n = &g->nodes.at[i];
                if (n->kind != SAM_FIBERLOOKUP || !name_eq(n->tensor, data->name) || n->mode != data->mode[l])
                    continue;
                n->format = data->level[l];
                if (data->whole >> l & 1)
                    vec_push(
                        g->mem, &n->extra,
                        ((sam_attribute){names_intern(g->names, "whole"), names_intern(g->names, "true")}));
            }
        }
    }
}

/* Returns whether no reference of the stream is missing; a root has no reference. */
static bool is_present(const sam_graph *g, const sam_edge_data *ref) {
    if (!ref)
        return true;
    const sam_primitive kind = sam_node_at(g, ref->src)->kind;
    if (kind == SAM_INTERSECT)
        return is_present(g, sam_edge_into(g, ref->src, 2u * ref->src_port - 1));
    return (kind == SAM_FIBERLOOKUP || kind == SAM_REPEAT) && is_present(g, sam_edge_into(g, ref->src, 0));
}

static bool level_is_padded(const sam_statement *st, const sam_node_data *n) {
    for (uint32_t t = 1; t < st->tensors.len; t++) {
        const sam_tensor_data *data = &st->tensors.at[t];
        for (uint32_t l = 0; name_eq(data->name, n->tensor) && l < data->order; l++) {
            if (data->mode[l] == n->mode)
                return data->level[l] == SAM_LEVEL_DENSE || (data->padded >> l & 1);
        }
    }
    return false;
}

/* Returns whether a union's operands include all operands of an outer union: for each outer coordinate some
 * operand stores the coordinate, and its subtree is not empty. */
static bool unites_what_was_united(const sam_graph *g, sam_node node) {
    const sam_edge_data *outer = NULL;
    uint32_t operands = 0, around = 0;
    for (;; operands++) {
        const sam_edge_data *crd = sam_edge_into(g, node, 2 * operands);
        const sam_edge_data *ref = crd ? sam_edge_into(g, crd->src, 0) : NULL;
        if (!ref || sam_node_at(g, crd->src)->kind != SAM_FIBERLOOKUP ||
            sam_node_at(g, ref->src)->kind != SAM_UNION || (outer && outer->src.v != ref->src.v))
            break;
        outer = ref;
    }
    while (outer && sam_edge_into(g, outer->src, 2 * around))
        around++;
    return around && operands == around && !sam_edge_into(g, node, 2 * operands);
}

/* Returns whether every fiber has a coordinate, or with `first` coordinate 0. */
static bool is_filled(const sam_statement *st, const sam_graph *g, const sam_edge_data *crd, bool first) {
    const sam_node_data *n = sam_node_at(g, crd->src);
    if (n->kind == SAM_VECTORREDUCER && n->depth == 1) {
        const sam_edge_data *vectors = sam_edge_into(g, crd->src, 0);
        sam_edge_data own;
        const sam_edge_data *summed = compile_around(g, vectors, &own);
        return !first && summed && is_filled(st, g, vectors, false) && is_filled(st, g, summed, false);
    }
    if (n->kind == SAM_FIBERLOOKUP)
        return (!first || level_is_padded(st, n)) && is_present(g, sam_edge_into(g, crd->src, 0));
    if (n->kind == SAM_CRDDROP && n->compress) /* the array keeps zeros */
        return is_filled(st, g, sam_edge_into(g, crd->src, crd->src_port), first);
    if (n->kind != SAM_INTERSECT && n->kind != SAM_UNION)
        return false;
    bool meets = n->kind == SAM_INTERSECT;
    if (!meets && !first && unites_what_was_united(g, crd->src))
        return true;
    bool a = is_filled(st, g, sam_edge_into(g, crd->src, 0), first || meets),
         b = is_filled(st, g, sam_edge_into(g, crd->src, 2), first || meets);
    return meets ? a && b && !sam_edge_into(g, crd->src, 4) : a || b;
}

/* Removes droppers without work (the operands are padded): the chip's droppers may err under back-pressure.
 */
static void leave_droppers_out(const sam_statement *st, sam_graph *g) {
    for (uint32_t n = 1; n <= g->nodes.len; n++) {
        const sam_node_data *dropper = sam_node_at(g, (sam_node){n});
        if (dropper->kind == SAM_CRDDROP && !dropper->compress &&
            is_filled(st, g, sam_edge_into(g, (sam_node){n}, 1), false))
            compile_bypass(g, (sam_node){n});
    }
}

/* A repeat signal per reference of a scanner or joiner equals a signal per coordinate, and coordinates have
 * wires to the chip's generator. */
static void count_coordinates(sam_graph *g) {
    for (uint32_t i = 0; i < g->edges.len; i++) {
        sam_edge_data *e = &g->edges.at[i];
        if (!e->src.v || sam_node_at(g, e->dst)->kind != SAM_REPSIGGEN)
            continue;
        const sam_primitive from = sam_node_at(g, e->src)->kind;
        if (from == SAM_FIBERLOOKUP || sam_is_joiner(from)) {
            e->src_port = 0;
            e->stream = SAM_STREAM_CRD;
        }
    }
}

/* Sub-tiles hold explicit zeros unknown to the operands: sums of them must be the sums of nothing. */
static bool hides_padding(const graph_reading *read, const sam_graph *g, compile_context *ctx) {
    if (!read->shows.v)
        return true;
    diag_unmappable(ctx->diag, sam_node_at(g, read->shows)->loc, "E0919-graph-zeros",
                    "%s: %s, and the array pads operands with zeros",
                    sam_node_label(g, read->shows, ctx->mem), read->why);
    return diag_hint(ctx->diag, "--engine sam runs the graph on operands as they are");
}

/* Makes the statement and graph of a kernel for the chip from the graph read back, as fe_build from an
 * expression. */
static bool make_tiled(const graph_reading *read, compile_context *ctx, compile_kernel *k) {
    sam_statement *st = &k->lowered.statement;
    if (!hides_padding(read, &k->lowered.sam, ctx) || !fe_check_packed(st, ctx->diag))
        return false;
    st->tiled = true;
    fe_pad(st, false, ctx->mem);
    follow_padding(st, &k->graph.file);
    follow_padding(st, &k->lowered.sam);
    leave_droppers_out(st, &k->lowered.sam);
    count_coordinates(&k->lowered.sam);
    graph_mask_padding(read, ctx, k);
    return true;
}

/* Reads back the graph's function. Without the array the function need not be known: the simulator runs any
 * graph. */
static bool read_back(const compile_options *o, bool chip, compile_context *ctx, const sam_graph *g,
                      graph_reading *out) {
    diagnostics quiet;
    compile_context alone = *ctx;
    bool integers = o->tensors.dtype == TILE_DTYPE_INT16;
    diag_init(&quiet, ctx->mem);
    alone.diag = &quiet;
    if (chip)
        return compile_read_back(g, integers, ctx, out);
    if (!compile_read_back(g, integers, &alone, out))
        *out = (graph_reading){.statement = signature(g, ctx->mem)};
    return true;
}

bool compile_graph_kernel(const compile_options *o, bool chip, compile_context *ctx, compile_kernel *k) {
    const fe_in in = {.dimensions = o->written.dimensions.at, .n_dimensions = o->written.dimensions.len};
    sam_graph file;
    graph_reading read;
    if (!read_file(o, ctx, &file) || !check_type(o, &file, ctx) ||
        !sam_remove_broadcasts(&file, ctx->mem, ctx->diag, &k->lowered.sam) ||
        !sam_remove_broadcasts(&file, ctx->mem, ctx->diag, &k->graph.file))
        return false;
    compile_context unheard = *ctx;
    diagnostics quiet;
    diag_init(&quiet, ctx->mem);
    unheard.diag = &quiet;
    compile_mend_graph(ctx, &k->lowered.sam);
    compile_mend_graph(&unheard, &k->graph.file);
    if (!read_back(o, chip, ctx, &k->graph.file, &read) ||
        !fe_parse_dimensions(&in, ctx->diag, &read.statement))
        return false;
    k->graph.is = true;
    k->graph.exact = read.exact;
    k->user = read.statement;
    k->lowered.statement = read.statement;
    k->lowered.statement.tensors.at = arena_new_n(ctx->mem, sam_tensor_data, read.statement.tensors.len);
    memcpy(k->lowered.statement.tensors.at, read.statement.tensors.at,
           sizeof *read.statement.tensors.at * read.statement.tensors.len);
    k->lowered.statement.tensors.cap = read.statement.tensors.len;
    if ((chip && !make_tiled(&read, ctx, k)) || !compile_begin_partial(o, ctx))
        return false;
    k->folder = ctx->partial;
    k->final_folder = o->files.out;
    return compile_write_graph(ctx, k->folder, "sam.gv", &k->lowered.sam) &&
           compile_dump(o, ctx, k->folder, (compile_form){.sam = &k->lowered.sam});
}
