/* lower.c - a statement becomes a SAM graph: the construction of section 4.7 of the dissertation, generalised
 * to nested sums, products, unions and quotients.
 *
 * A scope is a set of loops around one expression: the outermost scope has the loops of the result and of the
 * sums around the whole right side, and each sum inside an expression starts an inner scope. The loops of a
 * scope are iterated outermost first (lower_iterate.c), then its values are computed (lower_compute.c,
 * including inner scopes), then the values of the outermost scope are reduced, cleaned and written
 * (lower_reduce.c). Each file's head has the argument for its correctness.
 *
 * A sum inside an expression feeds an operation whose other side has one value for each point. If an outer
 * loop may be empty, the sum's reducer must distinguish an empty fiber (a zero) from no fiber (no value).
 * Exact stops make the difference. Without them a sum that is a factor moves outwards over the product, to
 * the loops of the scope, and any other is refused (E0126).
 */

/* by node: whether some writer needs its tokens. Sources come before sinks in the list, and one pass from the
 * end finds all: O(nodes + edges). */
#include "frontend/lowering/lower_int.h"

static bool *needed_nodes(const lowering *w) {
    const sam_graph *g = w->g;
    bool *needed = arena_new_n(w->mem, bool, g->nodes.len + 1);
    uint32_t *last = arena_new_n(w->mem, uint32_t, g->nodes.len + 1);
    uint32_t *before = arena_new_n(w->mem, uint32_t, g->edges.len + 1);
    for (uint32_t e = 1; e <= g->edges.len; e++) {
        uint32_t *into = &last[g->edges.at[e - 1].dst.v];
        before[e] = *into;
        *into = e;
    }
    for (uint32_t v = g->nodes.len; v > 0; v--) {
        needed[v] = needed[v] || g->nodes.at[v - 1].kind == SAM_FIBERWRITE;
        for (uint32_t e = last[v]; e && needed[v]; e = before[e])
            needed[g->edges.at[e - 1].src.v] = true;
    }
    return needed;
}

/* An operand of ones often only contributes its coordinates, and a factor 0 removes its product: nodes
 * without a reader are removed. */
static void remove_unneeded(const lowering *w) {
    sam_graph *g = w->g;
    const bool *needed = needed_nodes(w);
    uint32_t *number = arena_new_n(w->mem, uint32_t, g->nodes.len + 1), nodes = 0, edges = 0;
    for (uint32_t v = 1; v <= g->nodes.len; v++) {
        if (!needed[v])
            continue;
        g->nodes.at[nodes] = g->nodes.at[v - 1];
        number[v] = ++nodes;
    }
    for (uint32_t e = 0; e < g->edges.len; e++) {
        sam_edge_data edge = g->edges.at[e];
        edge.src.v = number[edge.src.v];
        edge.dst.v = number[edge.dst.v];
        if (edge.dst.v)
            g->edges.at[edges++] = edge;
    }
    g->nodes.len = nodes;
    g->edges.len = edges;
}

static bool lower_statement(lowering *w) {
    fe_scope scope = fe_outer_scope(w->s, w->mem);
    fe_presence presence = fe_presence_start(&w->leaves, w->mem);
    loops l = {0};
    stream val;
    if (!lower_scope(w, &scope, &presence, &l) || !lower_values(w, scope.body, &presence, &val) ||
        !lower_result(w, &l, val))
        return false;
    remove_unneeded(w);
    return true;
}

static void copy_tensors(const sam_statement *s, sam_graph *g) {
    for (uint32_t i = 0; i < s->tensors.len; i++) {
        const sam_tensor_data *t = &s->tensors.at[i];
        sam_graph_tensor copy = {.name = t->name, .order = t->order};
        memcpy(copy.level, t->level, sizeof copy.level);
        memcpy(copy.mode, t->mode, sizeof copy.mode);
        vec_push(g->mem, &g->tensors, copy);
    }
}

bool fe_lower(const sam_statement *s, const fe_lower_options *options, arena *mem, diagnostics *d,
              sam_graph *result) {
    sam_graph_init(result, mem, s->names);
    copy_tensors(s, result);
    sam_statement copy = *s;
    copy.exprs.at = arena_new_n(mem, sam_expr_data, s->exprs.len);
    copy.exprs.cap = s->exprs.len;
    memcpy(copy.exprs.at, s->exprs.at, s->exprs.len * sizeof *s->exprs.at);
    fe_keep_joins(&copy, mem);
    lowering w = {.s = &copy, .options = options, .mem = mem, .d = d, .g = result};
    w.leaves = fe_collect_leaves(&copy, mem);
    w.refs = arena_new_n(mem, stream, w.leaves.list.len + 1);
    if (w.leaves.list.len > 127)
        return diag_unmappable(d, sam_expr_at(s, s->rhs)->loc, "E0118-too-large", "more than 127 operands");
    return lower_statement(&w);
}
