/* Masks of the padding. The array's operands hold zeros that the graph's operands do not store, of which a
 * graph may make other values, as exp does. Beside the values of such an operand B comes BReached, with the
 * levels of B: 1 where the levels lead to a value, 0 in the padding. Values made of padding are replaced
 * where they count: when(BReached, value), for united operands when(BReached or CReached, value), for
 * operands that meet the same with `and`. A mask has the references of the values, so both streams have one
 * shape. */
#include "frontend/language/language.h"
#include "graphs/graphs.h"

typedef struct {
    compile_context *ctx;
    sam_statement *st, *user; /* of the array, padded, and of the reader of operands */
    sam_graph *g;
    sam_node *masks; /* by expression - 1, made so far */
} masking;

static sam_node add_operation(sam_graph *g, const char *name, sam_node a, uint8_t port_of_a, sam_node b) {
    const sam_node node = sam_add_node(g, SAM_ALU);
    sam_node_at(g, node)->alu = names_intern(g->names, name);
    sam_node_at(g, node)->loc = sam_node_at(g, a)->loc;
    sam_add_edge(g, a, port_of_a, node, b.v ? 1 : 0, SAM_STREAM_VAL);
    if (b.v)
        sam_add_edge(g, b, 0, node, 0, SAM_STREAM_VAL);
    return node;
}

static sam_node flip(sam_graph *g, sam_node values, uint8_t port, uint16_t word) {
    const sam_node node = add_operation(g, "xor", values, port, (sam_node){0});
    const char *text = arena_printf(g->mem, "%u", word);
    vec_push(g->mem, &sam_node_at(g, node)->extra,
             ((sam_attribute){names_intern(g->names, "const1"), names_intern(g->names, text)}));
    return node;
}

/* ---- operands -------------------------------------------------------------------------------- */

/* The tensor with B's levels, and ones for values. */
static sam_tensor_data reached(const sam_tensor_data *b, name_id name) {
    sam_tensor_data out = *b;
    out.called = sam_user_name(b);
    out.name = name;
    out.structure = SAM_REACHED;
    out.filled = b->fill;
    out.fill = 0;
    return out;
}

/* Lets the statement read the mask of an operand wherever it reads the operand: both have the same sub-tiles.
 */
static void add_access(masking *m, sam_expr access, sam_tensor mask) {
    sam_statement *st = m->st;
    const sam_expr_data operand = *sam_expr_at(st, access);
    sam_expr_data other = operand;
    other.tensor = mask;
    vec_push(st->mem, &st->exprs, operand);
    vec_push(st->mem, &st->exprs, other);
    *sam_expr_at(st, access) = (sam_expr_data){
        .kind = SAM_EXPR_ADD, .loc = operand.loc, .a = {st->exprs.len - 1}, .b = {st->exprs.len}};
}

static sam_node values_of(const sam_graph *g, name_id tensor) {
    sam_node found = {0};
    for (uint32_t n = 1; n <= g->nodes.len && !found.v; n++) {
        const sam_node_data *node = sam_node_at(g, (sam_node){n});
        found.v = node->kind == SAM_ARRAYVALS && name_eq(node->tensor, tensor) ? n : 0;
    }
    BUG_IF(!found.v, "an operand without values");
    return found;
}

/* Makes the mask of an operand: values with the operand's own references. */
static sam_node mask_operand(masking *m, sam_expr access) {
    sam_graph *g = m->g;
    const sam_tensor t = sam_expr_at(m->st, access)->tensor;
    const name_id operand = sam_tensor_at(m->st, t)->name;
    const char *text = arena_printf(g->mem, "%sReached", names_text(g->names, operand));
    const name_id name = fe_fresh_name(m->st, text, g->mem);
    const sam_node values = values_of(g, operand);
    const sam_edge_data *ref = sam_edge_into(g, values, 0);
    const sam_node from = ref->src;
    const uint8_t port = ref->src_port;
    const sam_stream stream = ref->stream;
    sam_graph_tensor tensor = *sam_find_tensor(g, operand);
    tensor.name = name;
    vec_push(g->mem, &g->tensors, tensor);
    const sam_node mask = sam_add_node(g, SAM_ARRAYVALS);
    sam_node_at(g, mask)->tensor = name;
    sam_node_at(g, mask)->loc = sam_node_at(g, values)->loc;
    sam_add_edge(g, from, port, mask, 0, stream);
    const sam_tensor_data padded = reached(sam_tensor_at(m->st, t), name);
    const sam_tensor_data users = reached(sam_tensor_at(m->user, t), name);
    vec_push(m->st->mem, &m->st->tensors, padded);
    vec_push(m->user->mem, &m->user->tensors, users);
    add_access(m, access, (sam_tensor){m->st->tensors.len});
    return mask;
}

/* ---- masks ----------------------------------------------------------------------------------- */

static sam_node mask_of(masking *m, sam_expr e);

/* Scalars have no padding, and constants have none: no mask, as of both sides of a union with them. */
static sam_node mask_both(masking *m, const sam_expr_data *x) {
    const bool constant = sam_expr_at(m->st, x->a)->kind == SAM_EXPR_LITERAL ||
                          (x->b.v && sam_expr_at(m->st, x->b)->kind == SAM_EXPR_LITERAL);
    const sam_node a = mask_of(m, x->a), b = x->b.v ? mask_of(m, x->b) : (sam_node){0};
    const bool meets = x->kind == SAM_EXPR_MUL || x->kind == SAM_EXPR_NEG || constant;
    if (a.v && b.v)
        return add_operation(m->g, meets ? "and" : "or", a, 0, b);
    return meets ? (a.v ? a : b) : (sam_node){0};
}

/* Returns the stream with a word other than 0 at each value of e that is made of no padding; none: all are.
 */
static sam_node mask_of(masking *m, sam_expr e) {
    const sam_expr_data x = *sam_expr_at(m->st, e);
    if (m->masks[e.v - 1].v || x.kind == SAM_EXPR_LITERAL)
        return m->masks[e.v - 1];
    if (x.kind != SAM_EXPR_ACCESS)
        m->masks[e.v - 1] = mask_both(m, &x);
    else if (sam_tensor_at(m->st, x.tensor)->order)
        m->masks[e.v - 1] = mask_operand(m, e);
    return m->masks[e.v - 1];
}

static bool is_masked(const graph_mask *mask, const sam_edge_data *e) {
    return e->src.v &&
           (mask->results ? e->src.v == mask->node.v : e->dst.v == mask->node.v && e->dst_port == mask->port);
}

static void put_mask(masking *m, const graph_mask *mask) {
    sam_graph *g = m->g;
    const sam_node where = mask_of(m, mask->of);
    const uint32_t edges = g->edges.len;
    sam_node values = {0}, masked = {0};
    uint8_t port = 0;
    for (uint32_t i = 0; i < edges && where.v; i++) {
        if (!is_masked(mask, &g->edges.at[i]))
            continue;
        values = g->edges.at[i].src;
        port = g->edges.at[i].src_port;
    }
    if (!values.v)
        return;
    if (mask->identity) {
        values = flip(g, values, port, mask->identity);
        port = 0;
    }
    masked = add_operation(g, "when", values, port, where);
    masked = mask->identity ? flip(g, masked, 0, mask->identity) : masked;
    for (uint32_t i = 0; i < edges; i++) {
        if (!is_masked(mask, &g->edges.at[i]))
            continue;
        g->edges.at[i].src = masked;
        g->edges.at[i].src_port = 0;
    }
}

void graph_mask_padding(const graph_reading *read, compile_context *ctx, compile_kernel *k) {
    sam_statement *st = &k->lowered.statement;
    masking m = {.ctx = ctx, .st = st, .user = &k->user, .g = &k->lowered.sam};
    m.masks = arena_new_n(ctx->mem, sam_node, st->exprs.len);
    for (uint32_t i = 0; i < read->masks.len; i++)
        put_mask(&m, &read->masks.at[i]);
    k->user.exprs.at = st->exprs.at;
    k->user.exprs.len = k->user.exprs.cap = st->exprs.len;
    k->graph.exact = k->graph.exact && !read->masks.len;
}
