/* Derives the function of a SAM graph backwards from the written values: loops from the streams of
 * coordinates, the expression from the operations, and intersections and unions of operands from the joiners
 * of their references. O(nodes * edges), and for every operation of two streams O(operands^2). */
#include "frontend/language/language.h"
#include "graphs/graphs.h"
#include "sam/coordinates.h"

enum { MOST_LOOPS = 2 * SAM_MAX_ORDER };

typedef struct {
    sam_var at[MOST_LOOPS];
    uint32_t n;
} loop_list;

/* The contents of a stream of values. */
typedef struct {
    bool read;
    sam_expr e;
    loop_list loops;   /* around each value, outermost first */
    uint64_t operands; /* bit (tensor handle - 1) */
    uint64_t sums;     /* variables summed inside */
    uint16_t zero;     /* the value where all operands are 0 */
    bool dropped;      /* a dropper takes zeros out */
} graph_value;

typedef struct {
    const sam_graph *g;
    compile_context *ctx;
    graph_reading *out;
    graph_value *value; /* by node */
} reading;

static bool refuse(const reading *r, sam_node h, const char *what, const char *help) {
    diag_error(r->ctx->diag, sam_node_at(r->g, h)->loc, "E0918-graph-form", "%s: %s",
               sam_node_label(r->g, h, r->ctx->mem), what);
    return diag_hint(r->ctx->diag, "%s", help);
}

/* ---- loops ------------------------------------------------------------------------------------- */

static bool loops_of(const reading *r, const sam_edge_data *edge, loop_list *out);

static bool loops_of_level(const reading *r, sam_node h, loop_list *out) {
    const sam_node_data *n = sam_node_at(r->g, h);
    sam_var v = fe_find_var(&r->out->statement, n->index);
    if (!loops_of(r, sam_edge_into(r->g, h, 0), out))
        return false;
    if (!v.v || out->n == MOST_LOOPS)
        return refuse(r, h, v.v ? "it is inside too many loops" : "the graph does not say which loop it is",
                      "give it an attribute \"index\"");
    out->at[out->n++] = v;
    return true;
}

static bool refuse_primitive(const reading *r, sam_node h) {
    if (sam_node_at(r->g, h)->kind != SAM_VECTORREDUCER)
        return refuse(r, h, "the array has no such primitive", "run the graph with --engine sam");
    return refuse(r, h, "the array adds up vectors, and no tensors of more levels",
                  "run the graph with --engine sam, or an expression with its loops, which gets two kernels");
}

/* Removes the summed loop of a reducer: the innermost loop of values, or the loop around. */
static bool without_loop(const reading *r, sam_node h, uint32_t inside, loop_list *loops) {
    if (loops->n <= inside)
        return refuse(r, h, "it reduces a stream that is inside no loop", "a reducer takes fibers of values");
    memmove(&loops->at[loops->n - 1 - inside], &loops->at[loops->n - inside], sizeof *loops->at * inside);
    loops->n--;
    return true;
}

/* Finds the loops around each token of a stream, outermost first; a missing edge is the root. */
static bool loops_of(const reading *r, const sam_edge_data *edge, loop_list *out) {
    if (!edge) {
        *out = (loop_list){0};
        return true;
    }
    const sam_node_data *n = sam_node_at(r->g, edge->src);
    switch ((int)n->kind) {
    case SAM_FIBERLOOKUP:
        return loops_of_level(r, edge->src, out);
    case SAM_INTERSECT:
    case SAM_UNION:
    case SAM_ARRAYVALS:
    case SAM_REPSIGGEN:
        return loops_of(r, sam_edge_into(r->g, edge->src, 0), out);
    case SAM_ALU:
        for (uint32_t p = 0; p < SAM_MAX_ARGUMENTS; p++) {
            if (sam_edge_into(r->g, edge->src, p))
                return loops_of(r, sam_edge_into(r->g, edge->src, p), out);
        }
        return refuse(r, edge->src, "it takes no stream", "one operand must be a stream of values");
    case SAM_REPEAT:
        return loops_of(r, sam_edge_into(r->g, edge->src, 1), out);
    case SAM_CRDDROP:
        return loops_of(r, sam_edge_into(r->g, edge->src, edge->src_port), out);
    case SAM_CRDHOLD:
        return loops_of(r, sam_edge_into(r->g, edge->src, 1), out);
    case SAM_REDUCE:
        return loops_of(r, sam_edge_into(r->g, edge->src, 0), out) && without_loop(r, edge->src, 0, out);
    case SAM_VECTORREDUCER:
        if (n->depth == 1)
            return loops_of(r, sam_edge_into(r->g, edge->src, 0), out) && without_loop(r, edge->src, 1, out);
        break;
    default:
        break;
    }
    return refuse_primitive(r, edge->src);
}

/* ---- joiners ----------------------------------------------------------------------------------- */

enum { MEET = 1, UNITE = 2 };

/* Returns the joiner's operand with the references of tensor t, or -1. */
static int operand_through(const sam_graph *g, sam_node vals, sam_node joiner) {
    const sam_edge_data *e = sam_edge_into(g, vals, 0);
    while (e) {
        bool joins = sam_is_joiner(sam_node_at(g, e->src)->kind);
        if (joins && e->src.v == joiner.v)
            return e->src_port - 1;
        e = sam_edge_into(g, e->src, joins ? 2u * e->src_port - 1 : 0);
    }
    return -1;
}

/* Returns how joiners combine the operands of a with the operands of b. */
static uint32_t joined(const reading *r, uint64_t a, uint64_t b) {
    const sam_statement *st = &r->out->statement;
    uint32_t how = 0;
    for (uint32_t j = 1; j <= r->g->nodes.len; j++) {
        const sam_primitive kind = sam_node_at(r->g, (sam_node){j})->kind;
        uint64_t through_a = 0, through_b = 0; /* operands of the joiner */
        if (kind != SAM_INTERSECT && kind != SAM_UNION)
            continue;
        for (uint32_t v = 1; v <= r->g->nodes.len; v++) {
            const sam_node_data *n = sam_node_at(r->g, (sam_node){v});
            for (uint32_t t = 1; n->kind == SAM_ARRAYVALS && t < st->tensors.len; t++) {
                if (!name_eq(st->tensors.at[t].name, n->tensor))
                    continue;
                int k = operand_through(r->g, (sam_node){v}, (sam_node){j});
                through_a |= k >= 0 && (a >> t & 1) ? UINT64_C(1) << k : 0;
                through_b |= k >= 0 && (b >> t & 1) ? UINT64_C(1) << k : 0;
            }
        }
        if (through_a && through_b && !(through_a & through_b))
            how |= kind == SAM_INTERSECT ? MEET : UNITE;
    }
    return how;
}

/* ---- operations -------------------------------------------------------------------------------- */

static const sam_operator *operator_of(const sam_graph *g, sam_node h) {
    const char *name = names_text(g->names, sam_node_at(g, h)->alu);
    bool prefixed = strncmp(name, "fp_", 3) == 0;
    sam_operation operation;
    return sam_find_operation(prefixed ? name + 3 : name, &operation)
               ? sam_operator_of(operation, prefixed || sam_node_at(g, h)->fp)
               : NULL;
}

/* Returns the operation's kind of expression, or NONE. */
static sam_expr_kind kind_of(const sam_graph *g, sam_node h) {
    static const struct {
        const char *name;
        sam_expr_kind kind;
    } kinds[] = {{"add", SAM_EXPR_ADD},
                 {"sub", SAM_EXPR_SUB},
                 {"mul", SAM_EXPR_MUL},
                 {"div", SAM_EXPR_DIV},
                 {"neg", SAM_EXPR_NEG}};
    const char *name = names_text(g->names, sam_node_at(g, h)->alu);
    name += strncmp(name, "fp_", 3) == 0 ? 3 : 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].name, name) == 0)
            return kinds[i].kind;
    }
    return SAM_EXPR_NONE;
}

static sam_expr add_expr(reading *r, sam_expr_data x) {
    sam_statement *st = &r->out->statement;
    vec_push(st->mem, &st->exprs, x);
    return (sam_expr){st->exprs.len};
}

/* Returns whether the expression sums. */
static bool has_sum(const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    return x->kind == SAM_EXPR_SUM || (x->a.v && has_sum(s, x->a)) || (x->b.v && has_sum(s, x->b));
}

/* Records values that must be `identity` in the padding: a mask of the operands makes them so. A sum has no
 * mask, since a fiber without values is one of the graph's or one of the padding, and zeros that a dropper
 * takes out have none, since the array keeps them. */
static void hide(reading *r, const graph_mask *mask, bool dropped, const char *why) {
    if (!dropped && !has_sum(&r->out->statement, mask->of)) {
        vec_push(r->ctx->mem, &r->out->masks, *mask);
        return;
    }
    r->out->shows = r->out->shows.v ? r->out->shows : mask->node;
    r->out->why = r->out->why ? r->out->why : why;
}

/* Returns whether the operation of two streams is 0 wherever either stream is 0. A product of bfloat16 counts
 * as 0, although infinity times zero is NaN. */
static bool annihilates(const sam_operator *f) {
    if (f->annihilator.given && f->annihilator.value == 0 && f->annihilator.at == SAM_EACH)
        return true;
    for (uint32_t x = 0; x <= UINT16_MAX; x++) {
        if (f->apply((uint16_t)x, 0) != 0 || f->apply(0, (uint16_t)x) != 0)
            return false;
    }
    return true;
}

/* Operands of an ALU: streams, and constants. */
typedef struct {
    graph_value *stream[2];
    uint32_t streams, operands;
    uint16_t constant;
    uint32_t constant_at; /* if streams are fewer than operands */
} operation_in;

static bool value_of(reading *r, const sam_edge_data *edge, graph_value **out);

static bool operation_input(reading *r, sam_node h, operation_in *in) {
    for (uint32_t p = 0; p < SAM_MAX_ARGUMENTS; p++) {
        const sam_edge_data *edge = sam_edge_into(r->g, h, p);
        const char *text = sam_alu_constant(r->g, h, p);
        in->operands += edge || text;
        if (text) {
            const char *name = names_text(r->g->names, sam_node_at(r->g, h)->alu);
            bool fp = sam_node_at(r->g, h)->fp || strncmp(name, "fp_", 3) == 0;
            in->constant_at = p;
            if (!sam_parse_constant(text, fp, &in->constant))
                return refuse(r, h, "its constant is no number", "an int16, or a number for bfloat16");
        } else if (edge && in->streams == 2) {
            return refuse(r, h, "it takes more than two streams", "split it into operations of two operands");
        } else if (edge && !value_of(r, edge, &in->stream[in->streams++])) {
            return false;
        }
    }
    if (!in->streams || in->operands > 2)
        return refuse(r, h, "the array's operations take one or two operands",
                      "split it into operations of two operands");
    return true;
}

/* An operation on a single stream, or on a stream and a constant. */
static void read_unary(reading *r, sam_node h, const operation_in *in, const sam_operator *f,
                       graph_value *out) {
    sam_expr_kind kind = kind_of(r->g, h);
    const src_loc loc = sam_node_at(r->g, h)->loc;
    const graph_value *a = in->stream[0];
    uint16_t first = in->operands == 2 && in->constant_at == 0 ? in->constant : a->zero;
    uint16_t second = in->operands == 2 && in->constant_at == 1 ? in->constant : a->zero;
    *out = *a;
    out->zero = f->apply(first, in->operands == 2 ? second : 0);
    bool product = kind == SAM_EXPR_MUL || kind == SAM_EXPR_NEG;
    if (!product)
        r->out->statement.uncut |= a->sums;
    if (in->operands == 1 || kind == SAM_EXPR_NONE || kind == SAM_EXPR_DIV || f->fp) {
        r->out->exact = r->out->exact && kind == SAM_EXPR_NEG;
        out->e = add_expr(r, (sam_expr_data){.kind = SAM_EXPR_NEG, .loc = loc, .a = a->e});
        return;
    }
    sam_expr constant =
        add_expr(r, (sam_expr_data){.kind = SAM_EXPR_LITERAL, .loc = loc, .literal = (int16_t)in->constant});
    bool left = in->constant_at == 0;
    out->e = add_expr(
        r,
        (sam_expr_data){.kind = kind, .loc = loc, .a = left ? constant : a->e, .b = left ? a->e : constant});
}

static bool same_loops(const loop_list *a, const loop_list *b) {
    return a->n == b->n && memcmp(a->at, b->at, sizeof *a->at * a->n) == 0;
}

/* An operation on two streams. Its replacement intersects operands as the joiners or repeaters do. */
static bool read_binary(reading *r, sam_node h, const operation_in *in, const sam_operator *f,
                        graph_value *out) {
    const graph_value *a = in->stream[0], *b = in->stream[1];
    const src_loc loc = sam_node_at(r->g, h)->loc;
    sam_expr_kind kind = kind_of(r->g, h);
    bool within_a = !(b->operands & ~a->operands), within_b = !(a->operands & ~b->operands);
    const uint32_t how = joined(r, a->operands & ~b->operands, b->operands & ~a->operands);
    if (!same_loops(&a->loops, &b->loops))
        return refuse(r, h, "its operands are inside different loops", "repeat one of them");
    *out = *a;
    out->operands |= b->operands;
    out->sums |= b->sums;
    out->dropped = a->dropped || b->dropped;
    out->zero = f->apply(a->zero, b->zero);
    if (kind == SAM_EXPR_MUL || kind == SAM_EXPR_ADD || kind == SAM_EXPR_SUB)
        r->out->statement.uncut |= a->sums & b->sums;
    else
        r->out->statement.uncut |= out->sums;
    if (within_a || within_b) { /* an operand reaches the operation on two paths */
        r->out->exact = false;
        r->out->statement.uncut |= out->sums;
        out->e = add_expr(r, (sam_expr_data){.kind = SAM_EXPR_NEG, .loc = loc, .a = within_a ? a->e : b->e});
        return true;
    }
    if (a->operands & b->operands)
        return refuse(r, h, "some operands come to both of its sides, and others to one", "store them twice");
    if (how == (MEET | UNITE))
        return refuse(r, h, "its operands meet in one loop and unite in another",
                      "sub-tiles cannot: join them alike in all loops");
    bool sum = kind == SAM_EXPR_ADD || kind == SAM_EXPR_SUB;
    if (how == UNITE ? !sum : kind != SAM_EXPR_MUL) {
        r->out->exact = false;
        kind = how == UNITE ? SAM_EXPR_ADD : SAM_EXPR_MUL;
    }
    out->e = add_expr(r, (sam_expr_data){.kind = kind, .loc = loc, .a = a->e, .b = b->e});
    if (how != UNITE && !annihilates(f)) {
        hide(r, &(graph_mask){.node = h, .results = true, .of = out->e}, out->dropped,
             "its operands meet, and it is not 0 wherever one of them is");
        out->zero = 0;
    }
    return true;
}

static bool read_operation(reading *r, sam_node h, graph_value *out) {
    const sam_operator *f = operator_of(r->g, h);
    operation_in in = {0};
    if (!f || !f->apply)
        return refuse(r, h, "there is no such operation", "docs/ir_sam.md lists them");
    if (!operation_input(r, h, &in))
        return false;
    if (in.streams == 2)
        return read_binary(r, h, &in, f, out);
    read_unary(r, h, &in, f, out);
    return true;
}

/* ---- values ------------------------------------------------------------------------------------ */

static bool read_operand(reading *r, sam_node h, graph_value *out) {
    sam_statement *st = &r->out->statement;
    const sam_node_data *n = sam_node_at(r->g, h);
    const sam_graph_tensor *tensor = sam_find_tensor(r->g, n->tensor);
    sam_tensor t = {0};
    for (uint32_t i = 2; i <= st->tensors.len; i++) {
        if (name_eq(sam_tensor_at(st, (sam_tensor){i})->name, n->tensor))
            t.v = i;
    }
    if (t.v && sam_access_of(st, t))
        return refuse(r, h, "its values are read twice", "give each use a tensor of its own");
    if (n->fill)
        return refuse(r, h, "the array pads operands with 0, which is not its fill", "--engine sam runs it");
    if (!tensor || !t.v)
        return refuse(r, h, "it reads the result", "an operand has a name of its own");
    if (!loops_of(r, sam_edge_into(r->g, h, 0), &out->loops))
        return false;
    sam_expr_data access = {.kind = SAM_EXPR_ACCESS, .loc = n->loc, .tensor = t};
    for (uint32_t i = 0; i < r->g->nodes.len; i++) {
        const sam_node_data *level = &r->g->nodes.at[i];
        if (level->kind == SAM_FIBERLOOKUP && name_eq(level->tensor, n->tensor) && level->mode >= 0)
            access.index[level->mode] = fe_find_var(st, level->index);
    }
    for (uint32_t m = 0; m < tensor->order; m++) {
        if (!access.index[m].v)
            return refuse(r, h, "a level of its tensor has no scanner, or one without an index",
                          "give every level a fiberlookup with an attribute \"index\"");
    }
    out->operands = UINT64_C(1) << (t.v - 1);
    out->e = add_expr(r, access);
    return true;
}

static bool read_sum(reading *r, sam_node h, uint32_t values, uint32_t inside, graph_value *out) {
    graph_value *body;
    if (!value_of(r, sam_edge_into(r->g, h, values), &body))
        return false;
    *out = *body;
    if (body->loops.n <= inside)
        return refuse(r, h, "it reduces a stream that is inside no loop", "a reducer takes fibers of values");
    sam_var v = body->loops.at[body->loops.n - 1 - inside];
    if (!without_loop(r, h, inside, &out->loops))
        return false;
    const sam_operator *by = sam_reducing(r->g, h);
    bool adds = !sam_node_at(r->g, h)->alu.v ||
                strcmp(names_text(r->g->names, sam_node_at(r->g, h)->alu), "add") == 0;
    if (body->zero != by->monoid.value)
        hide(r, &(graph_mask){.node = h, .port = values, .identity = by->monoid.value, .of = body->e},
             body->dropped, "it combines what its operand makes of zeros");
    out->zero = by->monoid.value;
    if (!adds) { /* partial results are added */
        r->out->exact = false;
        r->out->statement.uncut |= UINT64_C(1) << (v.v - 1);
    }
    out->sums |= UINT64_C(1) << (v.v - 1);
    out->e = add_expr(
        r, (sam_expr_data){.kind = SAM_EXPR_SUM, .loc = sam_node_at(r->g, h)->loc, .a = body->e, .var = v});
    return true;
}

static bool value_of(reading *r, const sam_edge_data *edge, graph_value **out) {
    graph_value *v = &r->value[edge->src.v - 1];
    const sam_node_data *n = sam_node_at(r->g, edge->src);
    *out = v;
    if (v->read)
        return true;
    v->read = true;
    switch ((int)n->kind) {
    case SAM_ARRAYVALS:
        return read_operand(r, edge->src, v);
    case SAM_ALU:
        return read_operation(r, edge->src, v);
    case SAM_REDUCE:
        return read_sum(r, edge->src, 0, 0, v);
    case SAM_VECTORREDUCER:
        if (n->depth == 1)
            return read_sum(r, edge->src, 1, 1, v);
        break;
    case SAM_CRDDROP:
        v->read = false;
        if (!value_of(r, sam_edge_into(r->g, edge->src, 1), out))
            return false;
        (*out)->dropped = (*out)->dropped || n->compress;
        return true;
    default:
        break;
    }
    return refuse_primitive(r, edge->src);
}

/* ---- the statement ----------------------------------------------------------------------------- */

void graph_add_tensor(const sam_graph *g, const sam_graph_tensor *t, sam_statement *st) {
    sam_tensor_data data = {.name = t->name, .loc = g->loc, .order = t->order};
    memcpy(data.level, t->level, sizeof t->level);
    memcpy(data.mode, t->mode, sizeof t->mode);
    vec_push(st->mem, &st->tensors, data);
}

static void add_variables(const sam_graph *g, sam_statement *st) {
    for (uint32_t i = 0; i < g->nodes.len; i++) {
        const sam_node_data *n = &g->nodes.at[i];
        bool level = n->kind == SAM_FIBERLOOKUP || (n->kind == SAM_FIBERWRITE && n->mode >= 0);
        if (level && n->index.v && !fe_find_var(st, n->index).v)
            vec_push(st->mem, &st->vars, (sam_var_data){.name = n->index, .loc = n->loc});
    }
}

static bool result_index(const reading *r, sam_statement *st) {
    for (uint32_t i = 0; i < r->g->nodes.len; i++) {
        const sam_node_data *n = &r->g->nodes.at[i];
        if (n->kind != SAM_FIBERWRITE || n->mode < 0 || !name_eq(n->tensor, r->g->tensors.at[0].name))
            continue;
        st->result_index[n->mode] = fe_find_var(st, n->index);
        if (!st->result_index[n->mode].v)
            return refuse(r, (sam_node){i + 1}, "the graph does not say which loop it writes",
                          "give it an attribute \"index\"");
    }
    return true;
}

/* Merges the loops of a stream into the statement's loops, which must agree in order. */
static bool add_loops(const reading *r, sam_node h, const loop_list *loops, sam_statement *st) {
    uint32_t from = 0;
    for (uint32_t i = 0; i < loops->n; i++) {
        uint32_t at = 0;
        while (at < st->loops.len && st->loops.at[at].v != loops->at[i].v)
            at++;
        if (at < from)
            return refuse(r, h, "its loops are in another order than those of an operand before it",
                          "all streams must iterate in one order");
        if (at == st->loops.len)
            vec_push(st->mem, &st->loops, loops->at[i]);
        from = at + 1;
    }
    return true;
}

/* Visits all streams of values, streams with most loops first. */
static bool list_loops(const reading *r, sam_statement *st) {
    for (uint32_t n = MOST_LOOPS; n > 0; n--) {
        for (uint32_t i = 0; i < r->g->nodes.len; i++) {
            const graph_value *v = &r->value[i];
            if (v->read && r->g->nodes.at[i].kind == SAM_ARRAYVALS && v->loops.n == n &&
                !add_loops(r, (sam_node){i + 1}, &v->loops, st))
                return false;
        }
    }
    return true;
}

bool compile_read_back(const sam_graph *g, bool integers, compile_context *ctx, graph_reading *out) {
    reading r = {g, ctx, out, arena_new_n(ctx->mem, graph_value, g->nodes.len + 1)};
    sam_statement *st = &out->statement;
    graph_value *written = NULL;
    *out = (graph_reading){
        .statement = {.mem = ctx->mem, .names = g->names, .result = {1}, .integers = integers},
        .exact = true};
    for (uint32_t t = 0; t < g->tensors.len; t++) {
        bool read = t == 0;
        for (uint32_t i = 0; i < g->nodes.len && !read; i++)
            read =
                g->nodes.at[i].kind == SAM_ARRAYVALS && name_eq(g->nodes.at[i].tensor, g->tensors.at[t].name);
        if (read)
            graph_add_tensor(g, &g->tensors.at[t], st);
    }
    add_variables(g, st);
    if (!result_index(&r, st))
        return false;
    for (uint32_t i = 0; i < g->nodes.len; i++) {
        const sam_node_data *n = &g->nodes.at[i];
        bool values = n->kind == SAM_FIBERWRITE && n->mode == SAM_MODE_VALS;
        if (sam_attribute_of(g, (sam_node){i + 1}, "lacks").v)
            return refuse(&r, (sam_node){i + 1}, "what it joins is not what its operands meet in",
                          "start from the expression, or run the graph with --engine sam");
        if (n->kind == SAM_ARRAYSTORE)
            return refuse(&r, (sam_node){i + 1}, "the array has no such primitive",
                          "write the values with a fiberwrite");
        if (!values)
            continue;
        if (!value_of(&r, sam_edge_into(g, (sam_node){i + 1}, 0), &written))
            return false;
        if (written->zero)
            hide(&r, &(graph_mask){.node = {i + 1}, .of = written->e}, written->dropped,
                 "it would write what the graph makes of zeros");
    }
    BUG_IF(!written, "a graph without values passed sam_check");
    st->rhs = written->e;
    return list_loops(&r, st);
}
