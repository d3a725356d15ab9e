/* lower.c - a statement becomes a SAM graph: the construction of section 4.7 of the dissertation,
 * generalised to nested sums, products, unions and quotients.
 *
 * A scope is a set of loops around one expression: the outermost scope has the loops of the result and of
 * the sums around the whole right side, and each sum inside an expression starts an inner scope. The loops of
 * a scope are iterated outermost first (lower_iterate.c), then its values are computed (lower_compute.c,
 * which meets the inner scopes), then those of the outermost scope are reduced, cleaned and written
 * (lower_reduce.c). Each file's head says why its part is right.
 *
 * A sum inside an expression feeds an operation whose other side has one value for each point. Where a loop
 * around it may run empty, its reducer must tell an empty fiber (a zero) from no fiber (nothing). Exact stops
 * say so. Without them a sum that is a factor is moved outwards over the product, to the loops of the scope,
 * and any other is refused (E0126).
 */
#include "frontend/lower_int.h"

/* ---- nodes and edges ------------------------------------------------------------------------- */

sam_node lower_add_node(lowering *w, sam_primitive kind, src_loc loc) {
    sam_node n = sam_add_node(w->g, kind);
    sam_node_at(w->g, n)->loc = loc;
    return n;
}

sam_node lower_add_loop_node(lowering *w, sam_primitive kind, sam_var v, src_loc loc) {
    sam_node n = lower_add_node(w, kind, loc);
    sam_node_at(w->g, n)->index = sam_var_at(w->s, v)->name;
    return n;
}

void lower_feed(lowering *w, stream from, sam_node to, uint8_t port, sam_stream type) {
    if (from.node.v)
        sam_add_edge(w->g, from.node, from.port, to, port, from.located ? SAM_STREAM_CRD : type);
    else
        sam_node_at(w->g, to)->root = true;
}

stream lower_out(sam_node n, uint8_t port) {
    return (stream){.node = n, .port = port};
}

/* ---- scopes ---------------------------------------------------------------------------------- */

static bool has_var(const fe_vars *vars, sam_var v) {
    for (uint32_t i = 0; i < vars->len; i++) {
        if (vars->at[i].v == v.v)
            return true;
    }
    return false;
}

/* Sums that are factors of e move out of it: a * sum(k, b) = sum(k, a * b). Adds their variables to `moved`;
 * a sum over one that is already among `taken` or `moved` stays. */
static sam_expr absorb_sums(lowering *w, sam_expr e, const fe_vars *taken, fe_vars *moved) {
    sam_expr_data x = *sam_expr_at(w->s, e);
    if (x.kind == SAM_EXPR_SUM && !x.operation && !has_var(taken, x.var) && !has_var(moved, x.var)) {
        vec_push(w->mem, moved, x.var);
        return absorb_sums(w, x.a, taken, moved);
    }
    if (x.kind != SAM_EXPR_MUL && x.kind != SAM_EXPR_NEG)
        return e;
    x.a = absorb_sums(w, x.a, taken, moved);
    if (x.b.v)
        x.b = absorb_sums(w, x.b, taken, moved);
    vec_push(w->mem, &w->s->exprs, x);
    return (sam_expr){w->s->exprs.len};
}

/* Refuses sums that are left inside a body and whose values would meet nothing. */
static bool no_sums_left(lowering *w, sam_expr body, sam_var empty_loop) {
    fe_exprs left = {0};
    fe_inner_sums(w->s, body, w->mem, &left);
    if (!left.len)
        return true;
    diag_unmappable(w->d, sam_expr_at(w->s, left.at[0])->loc, "E0126-partial-sum",
                    "this sum is a part of an expression inside loop '%s', which may meet no coordinate at "
                    "all; the sum would then yield a zero that nothing else matches",
                    fe_var_text(w->s, empty_loop));
    diag_hint(w->d, "compute the sum as a statement of its own; a sum that is only multiplied may stay if no "
                    "other sum there runs over the same variable");
    return false;
}

/* Without exact stops, and if one of the loops may be empty: what remains to be iterated after sums that are
 * factors of the body have become loops of the scope. */
static bool move_sums(lowering *w, fe_scope *scope, const loops *done, fe_vars *todo) {
    uint32_t empty = lower_first_empty(done, 0, done->len);
    if (w->options->exact_stops || empty == done->len)
        return true;
    scope->body = absorb_sums(w, scope->body, &scope->vars, todo);
    for (uint32_t i = 0; i < todo->len; i++)
        vec_push(w->mem, &scope->vars, todo->at[i]);
    return no_sums_left(w, scope->body, done->at[empty].var);
}

bool lower_scope(lowering *w, fe_scope *scope, fe_presence *presence, loops *done) {
    fe_vars todo = scope->vars;
    while (todo.len) {
        fe_scope part = {.vars = todo, .body = scope->body};
        fe_scope_order(w->s, &part);
        for (uint32_t i = 0; i < todo.len; i++) {
            if (!lower_loop(w, scope->body, todo.at[i], presence, done))
                return false;
            done->at[done->len - 1].operation = scope->operation;
        }
        todo = (fe_vars){0};
        if (!move_sums(w, scope, done, &todo))
            return false;
    }
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* by node: whether some writer needs its tokens. Sources come before sinks in the list, so one pass from the
 * end finds all: O(nodes + edges). */
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

/* An operand of ones often only lends its coordinates, and a factor 0 takes its product along: what nobody
 * reads goes. */
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
    if (w.leaves.list.len > 127) {
        diag_unmappable(d, sam_expr_at(s, s->rhs)->loc, "E0118-too-large", "more than 127 operands");
        return false;
    }
    return lower_statement(&w);
}
