/* lower.c - a statement becomes a SAM graph: the construction of section 4.7 of the dissertation,
 * generalised to nested sums and products.
 *
 * A scope is a set of loops around one expression: the outermost scope has the loops of the result and of
 * the sums around the whole right side, and each sum inside an expression starts an inner scope. For each
 * loop v of a scope, outermost first:
 *   - an operand that v indexes gets a scanner of its next level;
 *   - the operands' coordinate streams meet as the expression says: products intersect, sums unite. A
 *     joiner carries the references of all operands below it, so a nested joiner passes several
 *     (coordinate, reference) pairs with the same coordinates;
 *   - an operand of the scope that v does not index is repeated for each joined coordinate.
 * Invariant after loop v: the reference streams of all operands of the scope, and the coordinate stream of
 * v, have the same shape (a token for each point, the same stops). So inside all loops the values combine
 * point by point.
 *
 * Agreement of the writers. A writer closes one segment for a run of stops, so a coordinate of one level
 * may reach its writer only if its fiber in the next level is not empty there, and the values must be as
 * many as the innermost coordinates:
 *   - No reduction: values and innermost coordinates come in pairs. If a loop may run empty inside another,
 *     droppers between all loops, from the innermost outwards, each fed by the kept outer coordinates of
 *     the one below, remove exactly the coordinates with nothing under them.
 *   - Scalar reductions innermost, and no result loop may run empty inside another: the reducer emits one
 *     value for each fiber, empty or not, so one for each innermost result coordinate, and no coordinate
 *     is dropped.
 *   - Scalar reductions, and some result loop may run empty inside another: the stop of an outer coordinate
 *     without inner ones looks to a reducer like one more empty fiber, so a value too many would appear.
 *     Then (and with options->drop, to leave out the zeros of empty reductions) a dropper removes the empty
 *     fibers in front of the reducer together with their coordinates, and droppers go on outwards.
 *   - A vector reducer passes coordinates and values in pairs; outside of it as without a reduction.
 *   - A sum inside an expression feeds an operation whose other side has one value for each point: only
 *     sound if no loop around it may run empty. Otherwise a sum that is a factor is moved outwards over
 *     the product, and any other is refused (E0126).
 * All of this takes operands as non-empty tensors whose stored coordinates have something below them; a
 * caller with an empty operand stores one explicit zero in it.
 */
#include "frontend/fe_int.h"

/* An output port; node 0: the stream "0, D" that starts at a root. */
typedef struct {
    sam_node node;
    uint8_t port;
} stream;

typedef struct {
    uint32_t leaf;
    stream ref;
} leaf_stream;

/* Coordinates of one loop with the references of the operands that iterate over it. */
typedef struct {
    bool universe; /* no operand is indexed by the loop's variable */
    stream crd;
    VEC(leaf_stream) refs;
} joined;

typedef struct {
    sam_var var;
    bool in_result;
    stream crd;
    bool may_be_empty; /* its fiber for some coordinate of the loop around it (outermost: altogether) */
    bool full;         /* every coordinate of the dimension, in every fiber */
} loop;

typedef VEC(loop) loops;

/* A value stream or a constant. */
typedef struct {
    stream val;
    bool negative; /* the stream carries minus the value */
    bool is_constant;
    double constant;
} value;

typedef struct {
    sam_statement *s; /* a copy: absorbing sums adds expressions */
    const fe_lower_options *options;
    arena *mem;
    diagnostics *d;
    sam_graph *g;
    fe_leaves leaves;
    stream *refs; /* by leaf: its reference stream so far */
} lowering;

/* ---- nodes and edges ------------------------------------------------------------------------- */

static sam_node add_node(lowering *w, sam_primitive kind, src_loc loc) {
    sam_node n = sam_add_node(w->g, kind);
    sam_node_at(w->g, n)->loc = loc;
    return n;
}

static sam_node add_loop_node(lowering *w, sam_primitive kind, sam_var v, src_loc loc) {
    sam_node n = add_node(w, kind, loc);
    sam_node_at(w->g, n)->index = sam_var_at(w->s, v)->name;
    return n;
}

/* An edge, or the node's root flag where the stream is the root's. */
static void feed(lowering *w, stream from, sam_node to, uint8_t port, sam_stream type) {
    if (from.node.v)
        sam_add_edge(w->g, from.node, from.port, to, port, type);
    else
        sam_node_at(w->g, to)->root = true;
}

/* ---- iteration ------------------------------------------------------------------------------- */

static stream out(sam_node n, uint8_t port) {
    return (stream){n, port};
}

static joined join_leaf(lowering *w, uint32_t number, sam_var v) {
    fe_leaf *leaf = &w->leaves.list.at[number];
    if (!fe_has_index(w->s, leaf->access, v))
        return (joined){.universe = true};
    const sam_tensor_data *t = sam_tensor_at(w->s, leaf->tensor);
    sam_node n = add_loop_node(w, SAM_FIBERLOOKUP, v, sam_expr_at(w->s, leaf->access)->loc);
    sam_node_data *node = sam_node_at(w->g, n);
    node->tensor = t->name;
    node->mode = t->mode[leaf->level];
    node->format = t->level[leaf->level];
    feed(w, w->refs[number], n, 0, SAM_STREAM_REF);
    leaf->level++;
    joined j = {.crd = out(n, 0)};
    vec_push(w->mem, &j.refs, (leaf_stream){number, out(n, 1)});
    return j;
}

/* The operands of a chain of products, or of a chain of additions and subtractions. Signs and sums do not
 * change where an expression has coordinates. */
static void chain_operands(const sam_statement *s, sam_expr e, bool product, arena *mem, fe_exprs *operands) {
    const sam_expr_data *x = sam_expr_at(s, e);
    bool same = product ? x->kind == SAM_EXPR_MUL || x->kind == SAM_EXPR_DIV
                        : x->kind == SAM_EXPR_ADD || x->kind == SAM_EXPR_SUB;
    if (same) {
        chain_operands(s, x->a, product, mem, operands);
        chain_operands(s, x->b, product, mem, operands);
    } else if (x->kind == SAM_EXPR_NEG || x->kind == SAM_EXPR_SUM) {
        chain_operands(s, x->a, product, mem, operands);
    } else {
        vec_push(mem, operands, e);
    }
}

typedef VEC(joined) joined_vec;

/* One joiner over all streams; a single stream needs none. */
static joined add_joiner(lowering *w, sam_primitive kind, sam_var v, const joined_vec *streams, src_loc loc) {
    if (streams->len == 1)
        return streams->at[0];
    sam_node n = add_loop_node(w, kind, v, loc);
    joined j = {.crd = out(n, 0)};
    for (uint32_t i = 0; i < streams->len; i++) {
        const joined *in = &streams->at[i];
        for (uint32_t r = 0; r < in->refs.len; r++) {
            uint8_t pair = (uint8_t)j.refs.len;
            feed(w, in->crd, n, (uint8_t)(2 * pair), SAM_STREAM_CRD);
            feed(w, in->refs.at[r].ref, n, (uint8_t)(2 * pair + 1), SAM_STREAM_REF);
            vec_push(w->mem, &j.refs, (leaf_stream){in->refs.at[r].leaf, out(n, (uint8_t)(pair + 1))});
        }
    }
    return j;
}

static joined join_expr(lowering *w, sam_expr e, sam_var v) {
    const sam_expr_data *x = sam_expr_at(w->s, e);
    if (x->kind == SAM_EXPR_ACCESS)
        return join_leaf(w, w->leaves.number[e.v - 1], v);
    if (x->kind == SAM_EXPR_LITERAL)
        return (joined){.universe = true};
    if (x->kind == SAM_EXPR_NEG || x->kind == SAM_EXPR_SUM)
        return join_expr(w, x->a, v);
    bool product = x->kind == SAM_EXPR_MUL || x->kind == SAM_EXPR_DIV;
    fe_exprs operands = {0};
    chain_operands(w->s, e, product, w->mem, &operands);
    joined_vec streams = {0};
    for (uint32_t i = 0; i < operands.len; i++) {
        joined j = join_expr(w, operands.at[i], v);
        if (!j.universe)
            vec_push(w->mem, &streams, j);
    }
    if (!streams.len)
        return (joined){.universe = true};
    return add_joiner(w, product ? SAM_INTERSECT : SAM_UNION, v, &streams, x->loc);
}

/* Repeats each operand of e that v does not index, once for each coordinate. */
static void repeat_others(lowering *w, sam_expr e, sam_var v, stream crd, sam_node *signal) {
    const sam_expr_data *x = sam_expr_at(w->s, e);
    if (x->kind == SAM_EXPR_ACCESS) {
        if (fe_has_index(w->s, e, v))
            return;
        uint32_t number = w->leaves.number[e.v - 1];
        if (!signal->v) {
            *signal = add_loop_node(w, SAM_REPSIGGEN, v, sam_var_at(w->s, v)->loc);
            feed(w, crd, *signal, 0, SAM_STREAM_CRD);
        }
        sam_node n = add_loop_node(w, SAM_REPEAT, v, x->loc);
        sam_node_at(w->g, n)->tensor = sam_tensor_at(w->s, x->tensor)->name;
        feed(w, w->refs[number], n, 0, SAM_STREAM_REF);
        feed(w, out(*signal, 0), n, 1, SAM_STREAM_REPSIG);
        w->refs[number] = out(n, 0);
        return;
    }
    if (x->a.v)
        repeat_others(w, x->a, v, crd, signal);
    if (x->b.v)
        repeat_others(w, x->b, v, crd, signal);
}

static bool iterate(lowering *w, sam_expr body, sam_var v, fe_presence *presence, loops *done) {
    fe_domain domain = fe_domain_of(&w->leaves, presence, body, v);
    if (domain.bad.v) {
        diag_unmappable(
            w->d, sam_expr_at(w->s, domain.bad)->loc, "E0122-broadcast-addition",
            "one side of this addition is indexed by '%s', the other has the same value for every '%s'",
            fe_var_text(w->s, v), fe_var_text(w->s, v));
        diag_hint(w->d, "the result is dense along '%s': store the indexed side dense there (format d)",
                  fe_var_text(w->s, v));
        return false;
    }
    *presence = fe_presence_inside(&w->leaves, presence, body, v, w->mem);
    joined j = join_expr(w, body, v);
    BUG_IF(j.universe, "loop %s iterates over nothing", fe_var_text(w->s, v));
    for (uint32_t i = 0; i < j.refs.len; i++)
        w->refs[j.refs.at[i].leaf] = j.refs.at[i].ref;
    sam_node signal = {0};
    repeat_others(w, body, v, j.crd, &signal);
    vec_push(w->mem, done,
             (loop){.var = v,
                    .in_result = fe_is_result_var(w->s, v),
                    .crd = j.crd,
                    .may_be_empty = !domain.nonempty,
                    .full = domain.full});
    return true;
}

/* The first of loops [from, to) that may be empty, or to. */
static uint32_t first_empty(const loops *l, uint32_t from, uint32_t to) {
    while (from < to && !l->at[from].may_be_empty)
        from++;
    return from;
}

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
    if (x.kind == SAM_EXPR_SUM && !has_var(taken, x.var) && !has_var(moved, x.var)) {
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

/* Sums left inside a body whose values would meet nothing: refused. */
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

/* Iterates over a scope. Where one of its loops may be empty, a sum inside its body would have to match
 * values that do not exist; so sums that are factors of the body become loops of this scope. */
static bool iterate_scope(lowering *w, fe_scope *scope, fe_presence *presence, loops *done) {
    fe_vars todo = scope->vars;
    while (todo.len) {
        fe_scope part = {.vars = todo, .body = scope->body};
        fe_scope_order(w->s, &part);
        for (uint32_t i = 0; i < todo.len; i++) {
            if (!iterate(w, scope->body, todo.at[i], presence, done))
                return false;
        }
        todo = (fe_vars){0};
        uint32_t empty = first_empty(done, 0, done->len);
        if (empty == done->len)
            break;
        scope->body = absorb_sums(w, scope->body, &scope->vars, &todo);
        if (!no_sums_left(w, scope->body, done->at[empty].var))
            return false;
        for (uint32_t i = 0; i < todo.len; i++)
            vec_push(w->mem, &scope->vars, todo.at[i]);
    }
    return true;
}

/* ---- computation ----------------------------------------------------------------------------- */

static bool compute(lowering *w, sam_expr e, const fe_presence *in, value *result);

static value load_value(lowering *w, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(w->s, e);
    sam_node n = add_node(w, SAM_ARRAYVALS, x->loc);
    sam_node_at(w->g, n)->tensor = sam_tensor_at(w->s, x->tensor)->name;
    feed(w, w->refs[w->leaves.number[e.v - 1]], n, 0, SAM_STREAM_REF);
    return (value){.val = out(n, 0)};
}

static void feed_operand(lowering *w, const value *from, sam_node alu, uint8_t port) {
    if (!from->is_constant) {
        feed(w, from->val, alu, port, SAM_STREAM_VAL);
        return;
    }
    name_id key = names_intern(w->g->names, port ? "const1" : "const0");
    name_id text = names_intern(w->g->names, arena_printf(w->mem, "%.17g", from->constant));
    vec_push(w->g->mem, &sam_node_at(w->g, alu)->extra, (sam_attribute){key, text});
}

/* One operation on streams and at most one constant; `negative` is up to the caller. */
static value add_alu(lowering *w, const char *operation, const value *a, const value *b, src_loc loc) {
    sam_node n = add_node(w, SAM_ALU, loc);
    sam_node_at(w->g, n)->alu = names_intern(w->g->names, operation);
    feed_operand(w, a, n, 0);
    feed_operand(w, b, n, 1);
    return (value){.val = out(n, 0)};
}

/* A constant never is `negative`: its sign is its own. */
static value negated(value v) {
    if (v.is_constant)
        v.constant = -v.constant;
    else
        v.negative = !v.negative;
    return v;
}

/* a + b where either may carry its negation. */
static value add_values(lowering *w, value a, value b, src_loc loc) {
    if (a.is_constant && b.is_constant)
        return (value){.is_constant = true, .constant = a.constant + b.constant};
    if (a.negative != b.negative)
        return a.negative ? add_alu(w, "sub", &b, &a, loc) : add_alu(w, "sub", &a, &b, loc);
    if (a.negative) { /* neither is a constant */
        value sum = add_alu(w, "add", &a, &b, loc);
        sum.negative = true;
        return sum;
    }
    return add_alu(w, "add", &a, &b, loc);
}

static value multiply_values(lowering *w, value a, value b, src_loc loc) {
    if (a.is_constant && b.is_constant)
        return (value){.is_constant = true, .constant = a.constant * b.constant};
    value product = add_alu(w, "mul", &a, &b, loc);
    product.negative = a.negative != b.negative;
    return product;
}

static bool compute_binary(lowering *w, const sam_expr_data *x, const fe_presence *in, value *result) {
    value a, b;
    if (!compute(w, x->a, in, &a) || !compute(w, x->b, in, &b))
        return false;
    if (x->kind == SAM_EXPR_MUL)
        *result = multiply_values(w, a, b, x->loc);
    else
        *result = add_values(w, a, x->kind == SAM_EXPR_SUB ? negated(b) : b, x->loc);
    return true;
}

static stream add_reducer(lowering *w, stream val, src_loc loc) {
    sam_node n = add_node(w, SAM_REDUCE, loc);
    feed(w, val, n, 0, SAM_STREAM_VAL);
    return out(n, 0);
}

/* A sum inside an expression: its loops, its body, a reducer for each of its variables. */
static bool compute_sum(lowering *w, sam_expr e, const fe_presence *in, value *result) {
    src_loc loc = sam_expr_at(w->s, e)->loc;
    fe_scope scope = fe_sum_scope(w->s, e, w->mem);
    fe_presence inside = *in;
    loops l = {0};
    if (!iterate_scope(w, &scope, &inside, &l) || !compute(w, scope.body, &inside, result))
        return false;
    for (uint32_t i = 0; i < l.len; i++)
        result->val = add_reducer(w, result->val, loc);
    return true;
}

static bool compute(lowering *w, sam_expr e, const fe_presence *in, value *result) {
    const sam_expr_data *x = sam_expr_at(w->s, e);
    switch (x->kind) {
    case SAM_EXPR_ACCESS:
        *result = load_value(w, e);
        return true;
    case SAM_EXPR_LITERAL:
        *result = (value){.is_constant = true, .constant = x->literal};
        return true;
    case SAM_EXPR_NEG:
        if (!compute(w, x->a, in, result))
            return false;
        *result = negated(*result);
        return true;
    case SAM_EXPR_ADD:
    case SAM_EXPR_SUB:
    case SAM_EXPR_MUL:
        return compute_binary(w, x, in, result);
    case SAM_EXPR_SUM:
        return compute_sum(w, e, in, result);
    case SAM_EXPR_DIV:
        diag_unmappable(w->d, x->loc, "E0121-division", "the array has no divider");
        diag_hint(w->d, "multiply by a tensor of reciprocals");
        return false;
    case SAM_EXPR_NONE:
        break;
    }
    BUG("an expression of no kind");
}

/* ---- reduction, dropping, writing ------------------------------------------------------------ */

static bool needs_matrix_reducer(lowering *w, const loops *l, uint32_t reduction) {
    const char *order = "";
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < l->len; i++) {
            if (l->at[i].in_result == (pass == 0))
                order =
                    arena_printf(w->mem, "%s%s%s", order, *order ? "," : "", fe_var_text(w->s, l->at[i].var));
        }
    }
    sam_var v = l->at[reduction].var;
    diag_unmappable(w->d, sam_var_at(w->s, v)->loc, "E0123-reducer",
                    "the sum over '%s' has two or more result loops inside it: it would accumulate a matrix",
                    fe_var_text(w->s, v));
    diag_hint(w->d, "sum innermost: -s \"reorder(%s)\"", order);
    return false;
}

/* Removes coordinates of loop `outer` that have nothing in `inner`; both streams continue at the dropper. */
static void add_dropper(lowering *w, loop *outer, sam_var inner_var, stream *inner, sam_stream type) {
    sam_node n = add_node(w, SAM_CRDDROP, sam_var_at(w->s, outer->var)->loc);
    sam_node_at(w->g, n)->outer = sam_var_at(w->s, outer->var)->name;
    sam_node_at(w->g, n)->inner = sam_var_at(w->s, inner_var)->name;
    feed(w, outer->crd, n, 0, SAM_STREAM_CRD);
    feed(w, *inner, n, 1, type);
    outer->crd = out(n, 0);
    *inner = out(n, 1);
    outer->full = false;
}

/* Droppers between every two loops. All of them from the innermost on, also if only an outer one may be
 * empty: a fiber with nothing in it would otherwise leave its stop at the head of the inner streams, where a
 * writer closes a segment for it. */
static void add_coordinate_droppers(lowering *w, loops *l) {
    for (uint32_t i = l->len; i-- > 1;)
        add_dropper(w, &l->at[i - 1], l->at[i].var, &l->at[i].crd, SAM_STREAM_CRD);
}

/* Whether some loop may be empty for a coordinate of the one around it. */
static bool any_empty_inside(const loops *l, uint32_t to) {
    return to > 1 && first_empty(l, 1, to) < to;
}

static bool any_dense_level(const lowering *w) {
    const sam_tensor_data *t = sam_tensor_at(w->s, w->s->result);
    for (uint32_t l = 0; l < t->order; l++) {
        if (t->level[l] == SAM_LEVEL_DENSE)
            return true;
    }
    return false;
}

/* Loops [0, results) are the result's, the others are reduced to a scalar each. Droppers are optional only
 * before a single reducer: the chip's dropper loses stops, which a second reducer would need. */
static void reduce_scalars(lowering *w, loops *l, uint32_t results, stream *val) {
    bool must_drop = any_empty_inside(l, results);
    bool want_drop = w->options->drop && results > 0 && results + 1 == l->len &&
                     any_empty_inside(l, l->len) && !any_dense_level(w);
    for (; l->len > results; l->len--) {
        loop *inner = &l->at[l->len - 1];
        if (must_drop || want_drop)
            add_dropper(w, inner - 1, inner->var, val, SAM_STREAM_VAL);
        *val = add_reducer(w, *val, sam_var_at(w->s, inner->var)->loc);
    }
    if (must_drop || want_drop)
        add_coordinate_droppers(w, l);
}

/* Loops [reduction, l->len) are reductions and, among them, one result loop, `vector`. */
static bool reduce_vectors(lowering *w, loops *l, uint32_t reduction, uint32_t vector, stream *val) {
    uint32_t empty = first_empty(l, 0, vector + 1);
    if (vector + 1 < l->len && empty <= vector) {
        sam_var v = l->at[vector + 1].var;
        diag_unmappable(
            w->d, sam_var_at(w->s, v)->loc, "E0126-partial-sum",
            "the sum over '%s' runs inside loop '%s', which may meet no coordinate at all, and its values "
            "are then accumulated with other coordinates",
            fe_var_text(w->s, v), fe_var_text(w->s, l->at[empty].var));
        diag_hint(w->d, "make the sums the innermost loops with -s \"reorder(...)\"");
        return false;
    }
    for (; l->len > vector + 1; l->len--)
        *val = add_reducer(w, *val, sam_var_at(w->s, l->at[l->len - 1].var)->loc);
    loop *last = &l->at[vector];
    for (uint32_t i = vector; i > reduction; i--) {
        sam_node n = add_loop_node(w, SAM_VECTORREDUCER, last->var, sam_var_at(w->s, l->at[i - 1].var)->loc);
        feed(w, last->crd, n, 0, SAM_STREAM_CRD);
        feed(w, *val, n, 1, SAM_STREAM_VAL);
        last->crd = out(n, 0);
        *val = out(n, 1);
        last->may_be_empty = last->may_be_empty || l->at[i - 1].may_be_empty;
    }
    last->full = last->full && !last->may_be_empty;
    l->at[reduction] = *last;
    l->len = reduction + 1;
    return true;
}

/* Afterwards l holds the result's loops only, with the coordinates and values that reach the writers. */
static bool reduce_and_drop(lowering *w, loops *l, stream *val) {
    uint32_t reduction = 0, inside = 0, vector = 0;
    while (reduction < l->len && l->at[reduction].in_result)
        reduction++;
    for (uint32_t i = reduction; i < l->len; i++) {
        if (l->at[i].in_result) {
            inside++;
            vector = i;
        }
    }
    if (inside > 1)
        return needs_matrix_reducer(w, l, reduction);
    if (inside == 0 && reduction < l->len) {
        reduce_scalars(w, l, reduction, val);
        return true;
    }
    if (inside == 1 && !reduce_vectors(w, l, reduction, vector, val))
        return false;
    if (any_empty_inside(l, l->len))
        add_coordinate_droppers(w, l);
    return true;
}

/* A level that stores no coordinates must receive every coordinate, and each with a segment of its own. */
static bool check_dense_level(lowering *w, const loops *l, uint32_t level) {
    const sam_tensor_data *result = sam_tensor_at(w->s, w->s->result);
    bool segments = level + 1 == l->len || !l->at[level + 1].may_be_empty;
    if (l->at[level].full && segments)
        return true;
    const char *levels = "", *modes = "";
    for (uint32_t i = 0; i < result->order; i++) {
        bool dense = i != level && result->level[i] == SAM_LEVEL_DENSE;
        levels = arena_printf(w->mem, "%s%c", levels, dense ? 'd' : 's');
        modes = arena_printf(w->mem, "%s%c%u", modes, i ? ',' : ':', result->mode[i]);
    }
    diag_error(w->d, result->loc, "E0124-dense-result",
               "level %u of %s is dense, but loop '%s' does not reach every coordinate of it", level,
               fe_tensor_text(w->s, w->s->result), fe_var_text(w->s, l->at[level].var));
    diag_hint(w->d, "store it compressed: -f %s:%s%s", fe_tensor_text(w->s, w->s->result), levels, modes);
    return false;
}

static void write_level(lowering *w, const loops *l, uint32_t level) {
    const sam_tensor_data *result = sam_tensor_at(w->s, w->s->result);
    sam_node n = add_loop_node(w, SAM_FIBERWRITE, l->at[level].var, result->loc);
    sam_node_data *node = sam_node_at(w->g, n);
    node->tensor = result->name;
    node->mode = result->mode[level];
    node->format = result->level[level];
    feed(w, l->at[level].crd, n, 0, SAM_STREAM_CRD);
}

static bool write_result(lowering *w, const loops *l, stream val) {
    const sam_tensor_data *result = sam_tensor_at(w->s, w->s->result);
    BUG_IF(l->len != result->order, "%u loops write %u levels", l->len, result->order);
    for (uint32_t level = 0; level < l->len; level++) {
        if (result->level[level] == SAM_LEVEL_DENSE && !check_dense_level(w, l, level))
            return false;
        write_level(w, l, level);
    }
    sam_node n = add_node(w, SAM_FIBERWRITE, result->loc);
    sam_node_at(w->g, n)->tensor = result->name;
    sam_node_at(w->g, n)->mode = SAM_MODE_VALS;
    feed(w, val, n, 0, SAM_STREAM_VAL);
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool lower_statement(lowering *w) {
    fe_scope scope = fe_outer_scope(w->s, w->mem);
    fe_presence presence = fe_presence_start(&w->leaves, w->mem);
    loops l = {0};
    value v;
    if (!iterate_scope(w, &scope, &presence, &l) || !compute(w, scope.body, &presence, &v))
        return false;
    if (v.is_constant) {
        diag_unmappable(w->d, sam_expr_at(w->s, w->s->rhs)->loc, "E0120-constant",
                        "the result is a constant");
        diag_hint(w->d, "the array computes with tensors: name at least one operand");
        return false;
    }
    if (v.negative) {
        value zero = {.is_constant = true};
        v = add_alu(w, "sub", &zero, &v, sam_expr_at(w->s, w->s->rhs)->loc);
    }
    return reduce_and_drop(w, &l, &v.val) && write_result(w, &l, v.val);
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
    lowering w = {.s = &copy, .options = options, .mem = mem, .d = d, .g = result};
    w.leaves = fe_collect_leaves(&copy, mem);
    w.refs = arena_new_n(mem, stream, w.leaves.list.len + 1);
    if (w.leaves.list.len > 127) {
        diag_unmappable(d, sam_expr_at(s, s->rhs)->loc, "E0118-too-large", "more than 127 operands");
        return false;
    }
    return lower_statement(&w);
}
