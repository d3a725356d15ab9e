/* onyx sam FILE.gv: a graph from a file instead of an expression. */
#include "compile/compile_int.h"
#include "frontend/settings.h"

/* What the graph's comment and nodes say already cannot be said by an option. */
static bool no_settings(const compile_options *o, compile_context *ctx) {
    const struct {
        const text_vec *given;
        const char *option;
    } settings[] = {{&o->formats, "-f"}, {&o->schedule, "-s"}, {&o->types, "-t"}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        if (!settings[i].given->len)
            continue;
        diag_error(ctx->diag, (src_loc){0}, "E0915-graph-option", "%s %s says what the graph says already",
                   settings[i].option, settings[i].given->at[0]);
        diag_hint(ctx->diag, "edit the graph, or start from an expression");
        return false;
    }
    return true;
}

/* A graph with any bfloat16 node works on bfloat16 (integer operations may still look at the bits), every
 * other one that computes at all on integers; the operands must be of that type. */
static bool check_type(const compile_options *o, const sam_graph *g, compile_context *ctx) {
    sam_node computes = {0};
    bool fp = false, given = o->dtype == TILE_DTYPE_BF16;
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
    diag_hint(ctx->diag, "--dtype %s", fp ? "bf16" : "int16");
    return false;
}

static sam_var variable(sam_statement *st, name_id name, src_loc loc) {
    for (uint32_t v = 0; v < st->vars.len; v++)
        if (name_eq(st->vars.at[v].name, name))
            return (sam_var){v + 1};
    vec_push(st->mem, &st->vars, (sam_var_data){.name = name, .loc = loc});
    vec_push(st->mem, &st->loops, (sam_var){st->vars.len});
    return (sam_var){st->vars.len};
}

/* Returns the index variable of a tensor's mode: that of its scanner, or of its writer. */
static sam_var index_of(const sam_graph *g, const sam_graph_tensor *t, uint32_t mode, sam_statement *st) {
    for (uint32_t i = 0; i < g->nodes.len; i++) {
        const sam_node_data *n = &g->nodes.at[i];
        bool level = n->kind == SAM_FIBERLOOKUP || n->kind == SAM_FIBERWRITE;
        if (level && name_eq(n->tensor, t->name) && n->mode == (int)mode && n->index.v)
            return variable(st, n->index, n->loc);
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

static void add_tensor(const sam_graph *g, const sam_graph_tensor *t, sam_statement *st) {
    sam_tensor_data data = {.name = t->name, .loc = g->loc, .order = t->order};
    memcpy(data.level, t->level, sizeof t->level);
    memcpy(data.mode, t->mode, sizeof t->mode);
    vec_push(st->mem, &st->tensors, data);
}

/* The tensors of the graph and what they are indexed by, as a statement: the result, and as its right side
 * the sum of all operands. Nobody evaluates it; it says which data belong to the graph and how far each index
 * runs.
 */
static sam_statement signature(const sam_graph *g, arena *mem) {
    sam_statement st = {.mem = mem, .names = g->names, .result = {1}};
    const sam_graph_tensor *result = &g->tensors.at[0];
    add_tensor(g, result, &st);
    for (uint32_t m = 0; m < result->order; m++)
        st.result_index[m] = index_of(g, result, m, &st);
    for (uint32_t t = 1; t < g->tensors.len; t++) {
        const sam_graph_tensor *tensor = &g->tensors.at[t];
        if (!is_read(g, tensor->name))
            continue;
        add_tensor(g, tensor, &st);
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

bool compile_read_graph(const compile_options *o, compile_context *ctx, compile_kernel *k) {
    size_t length = 0;
    const char *text = text_read(o->expression, ctx->mem, &length, ctx->diag);
    if (!text || !sam_parse(o->expression, text, length, ctx->names, ctx->mem, ctx->diag, &k->lowered.sam) ||
        !sam_check(&k->lowered.sam, ctx->diag) || !no_settings(o, ctx))
        return false;
    const fe_in in = {.dimensions = o->dimensions.at, .n_dimensions = o->dimensions.len};
    k->user = signature(&k->lowered.sam, ctx->mem);
    if (!fe_parse_dimensions(&in, ctx->diag, &k->user))
        return false;
    k->lowered.statement = k->user;
    bool runs = o->inputs.len + o->generators.len;
    return compile_check_names(o, ctx, &k->user) && (!runs || check_type(o, &k->lowered.sam, ctx));
}
