/* The ports of the edges. The dialect names ports only by hints in an edge's comment ("in-B", "outer-i",
 * "inner-val", "j") or, if the comment is empty, in its label ("crd_in-B"); docs/ir_sam.md lists the
 * rules. */
#include "sam/parse_int.h"

/* Ends of an edge with a port attribute. */
typedef struct {
    bool src_given, dst_given;
} given_ends;

typedef struct {
    u32_vec name;     /* joiners: name_id.v of each operand, in order of the first coordinate edge */
    uint32_t used[8]; /* ALUs: used input ports, as a bit set */
    uint32_t outputs; /* broadcasts, parallelizers: number of outgoing edges */
    uint32_t inputs;  /* serializers: edges in so far */
    uint32_t unread;  /* sparse accumulators: incoming coordinate streams without an inK name */
} node_ports;

static const sam_node_data *node_of(const parser *p, sam_node n) {
    return sam_node_at(p->g, n);
}

static bool no_port(const parser *p, uint32_t edge, const char *what, const char *hint) {
    diag_error(p->d, p->g->edges.at[edge].loc, "E0207-port", "%s", what);
    return diag_hint(p->d, "%s", hint);
}

/* ---- the hints of an edge -------------------------------------------------------------------- */

/* Returns the port part of the comment or, if empty, of the label: "in-B" of "crd_in-B". */
static const char *hint_text(const parser *p, uint32_t edge, bool label) {
    const dot_edge *e = &p->dot.edges.at[edge];
    const dot_attribute *a = dot_find(&e->attributes, p->g->names, label ? "label" : "comment");
    const char *text = a ? names_text(p->g->names, a->value) : "";
    const char *type = label ? strchr(text, '_') : NULL;
    return type ? type + 1 : label ? "" : text;
}

/* Returns whether a hint names `index`: the whole hint, or the part after its last '-' or '_'. */
static bool hint_names(const char *hint, const char *index) {
    const char *dash = strrchr(hint, '-'), *bar = strrchr(hint, '_');
    return *index && (strcmp(hint, index) == 0 || (dash && strcmp(dash + 1, index) == 0) ||
                      (bar && strcmp(bar + 1, index) == 0));
}

static bool edge_names(const parser *p, uint32_t edge, name_id index) {
    const char *text = names_text(p->g->names, index);
    return hint_names(hint_text(p, edge, false), text) || hint_names(hint_text(p, edge, true), text);
}

/* Returns the text after "in-" or "out-"; 0 if the hint has another form. */
static name_id operand_hint(const parser *p, uint32_t edge, const char *direction) {
    size_t n = strlen(direction);
    for (int label = 0; label < 2; label++) {
        const char *hint = hint_text(p, edge, label);
        if (strncmp(hint, direction, n) == 0 && (hint[n] == '-' || hint[n] == '_') && hint[n + 1])
            return names_intern(p->g->names, hint + n + 1);
    }
    return (name_id){0};
}

/* ---- explicit ports -------------------------------------------------------------------------- */

static bool explicit_port(const parser *p, uint32_t edge, const char *key, uint8_t *port, bool *given) {
    const dot_attribute *a = dot_find(&p->dot.edges.at[edge].attributes, p->g->names, key);
    *given = a;
    if (!a)
        return true;
    const char *text = names_text(p->g->names, a->value);
    uint32_t value = 0;
    for (const char *c = text; *c && value < 1000; c++)
        value = *c >= '0' && *c <= '9' ? value * 10 + (uint32_t)(*c - '0') : 1000;
    if (!*text || value > UINT8_MAX) {
        diag_error(p->d, a->loc, "E0206-port-number", "'%s' is no port number", text);
        return diag_hint(p->d, "a number from 0 to 255");
    }
    *port = (uint8_t)value;
    return true;
}

/* ---- joiners --------------------------------------------------------------------------------- */

/* Returns whether the edge carries a joiner's joined stream: coordinates or bit vectors. */
static bool leads(const sam_edge_data *e) {
    return e->stream == SAM_STREAM_CRD || e->stream == SAM_STREAM_BV;
}

static uint32_t find_operand(const node_ports *ports, name_id name) {
    uint32_t k = 0;
    while (k < ports->name.len && ports->name.at[k] != name.v)
        k++;
    return k;
}

/* Numbers the operands of every joiner: by an explicit port, else by the order of coordinate edges. */
static void number_operands(const parser *p, const given_ends *ends, node_ports *ports) {
    for (uint32_t i = 0; i < p->g->edges.len; i++) {
        const sam_edge_data *e = &p->g->edges.at[i];
        node_ports *joiner = &ports[e->dst.v - 1];
        name_id name = operand_hint(p, i, "in");
        if (!sam_is_joiner(node_of(p, e->dst)->kind) || !leads(e) || !name.v)
            continue;
        if (ends[i].dst_given) {
            while (joiner->name.len <= e->dst_port / 2u)
                vec_push(p->g->mem, &joiner->name, 0);
            joiner->name.at[e->dst_port / 2u] = name.v;
        } else if (find_operand(joiner, name) == joiner->name.len) {
            vec_push(p->g->mem, &joiner->name, name.v);
        }
    }
}

static bool joiner_input(const parser *p, uint32_t edge, const node_ports *ports, uint8_t *port) {
    const sam_edge_data *e = &p->g->edges.at[edge];
    name_id name = operand_hint(p, edge, "in");
    uint32_t k = find_operand(ports, name);
    if (!name.v)
        return no_port(p, edge, "this edge does not say which operand of the joiner it feeds",
                       "add comment=\"in-NAME\", the same NAME on the coordinate and the reference edge");
    if (k == ports->name.len)
        return no_port(p, edge, "no coordinate edge into this joiner belongs to this reference edge",
                       "give the coordinate edge of the same operand the same comment=\"in-NAME\"");
    if (k > (UINT8_MAX - 1) / 2)
        return no_port(p, edge, "this joiner has too many operands", "at most 127");
    *port = (uint8_t)(2 * k + !leads(e));
    return true;
}

static bool joiner_output(const parser *p, uint32_t edge, const node_ports *ports, uint8_t *port) {
    if (p->g->edges.at[edge].stream == SAM_STREAM_CRD) {
        *port = 0;
        return true;
    }
    bool skips = p->g->edges.at[edge].stream == SAM_STREAM_SKIP;
    name_id name = operand_hint(p, edge, skips ? "skip" : "out");
    uint32_t k = find_operand(ports, name);
    if (skips && name.v && k < ports->name.len && ports->name.len + k < UINT8_MAX) {
        *port = (uint8_t)(1 + ports->name.len + k);
        return true;
    }
    if (!name.v || k == ports->name.len)
        return no_port(
            p, edge,
            skips ? "this edge does not say which operand it lets skip"
                  : "this edge does not say which operand's references it carries",
            skips ? "add comment=\"skip-NAME\" with the NAME of an edge comment=\"in-NAME\" into the joiner"
                  : "add comment=\"out-NAME\" with the NAME of an edge comment=\"in-NAME\" into the joiner");
    *port = (uint8_t)(1 + k);
    return true;
}

/* ---- droppers, holds, accumulators ----------------------------------------------------------- */

static bool dropper_port(const parser *p, uint32_t edge, sam_node n, uint8_t *port) {
    const sam_node_data *node = node_of(p, n);
    if (p->g->edges.at[edge].stream != SAM_STREAM_CRD || edge_names(p, edge, node->inner))
        *port = 1;
    else if (edge_names(p, edge, node->outer))
        *port = 0;
    else
        return no_port(
            p, edge,
            "this edge names neither the outer nor the inner index of the coordinate dropper or hold",
            "add comment=\"outer-INDEX\" or \"inner-INDEX\"");
    return true;
}

/* Ports 0 .. m-1: the coordinates named by in0, in1, ...; m: the values. */
static bool accumulator_port(const parser *p, uint32_t edge, sam_node n, uint8_t *port, uint8_t *values) {
    *values = 0;
    for (;; ++*values) {
        char key[8];
        snprintf(key, sizeof key, "in%u", *values);
        name_id index = sam_attribute_of(p->g, n, key);
        if (!index.v)
            break;
        if (p->g->edges.at[edge].stream == SAM_STREAM_CRD && edge_names(p, edge, index)) {
            *port = *values;
            return true;
        }
    }
    *port = *values;
    return p->g->edges.at[edge].stream == SAM_STREAM_VAL;
}

static bool accumulator_output(const parser *p, uint32_t edge, uint8_t *port) {
    uint8_t values;
    return accumulator_port(p, edge, p->g->edges.at[edge].src, port, &values) ||
           no_port(p, edge, "this edge names none of the accumulator's indices", "add comment=\"out-INDEX\"");
}

/* Coordinates without an inK name come after the values; nobody reads these coordinates. */
static void accumulator_input(const parser *p, uint32_t edge, node_ports *ports, uint8_t *port) {
    uint8_t values;
    if (!accumulator_port(p, edge, p->g->edges.at[edge].dst, port, &values))
        *port = (uint8_t)(values + 1u + ports->unread++);
}

/* A locator's own references come and go with its tensor in the comment; the root needs no comment in. */
static bool is_located(const parser *p, uint32_t edge, sam_node n, const char *direction) {
    name_id tensor = node_of(p, n)->tensor;
    return tensor.v && name_eq(operand_hint(p, edge, direction), tensor);
}

/* The dialect has vector reducers only; explicit ports give the levels of a deeper reducer. */
static bool reducer_port(const parser *p, uint32_t edge, sam_node n, uint8_t *port) {
    uint8_t depth = node_of(p, n)->depth;
    bool values = p->g->edges.at[edge].stream == SAM_STREAM_VAL;
    *port = values ? depth : 0;
    return values || depth == 1 ||
           no_port(p, edge, "this edge does not say which level of the reducer it carries",
                   "add src_port or dst_port: 0 for the outermost level");
}

/* Ports with one port per edge are counted in order of the edges. */
static bool next_port(const parser *p, uint32_t edge, const char *too_many, uint32_t *count, uint8_t *port) {
    *port = (uint8_t)*count;
    return (*count)++ <= UINT8_MAX || no_port(p, edge, too_many, "at most 256");
}

/* ---- all ends -------------------------------------------------------------------------------- */

static bool source_port(const parser *p, uint32_t edge, node_ports *ports, uint8_t *port) {
    const sam_edge_data *e = &p->g->edges.at[edge];
    switch (node_of(p, e->src)->kind) {
    case SAM_FIBERLOOKUP:
    case SAM_BVLOOKUP:
    case SAM_BVCONVERT:
        *port = !leads(e);
        return true;
    case SAM_LOCATE:
        *port = leads(e) ? 0 : is_located(p, edge, e->src, "out") ? 2 : 1;
        return true;
    case SAM_VECTORREDUCER:
        return reducer_port(p, edge, e->src, port);
    case SAM_INTERSECT:
    case SAM_UNION:
    case SAM_BVINTERSECT:
    case SAM_BVUNION:
        return joiner_output(p, edge, ports, port);
    case SAM_CRDDROP:
    case SAM_CRDHOLD:
        return dropper_port(p, edge, e->src, port);
    case SAM_SPACCUMULATOR:
        return accumulator_output(p, edge, port);
    case SAM_BROADCAST:
    case SAM_PARALLELIZE:
        return next_port(p, edge, "this fork has too many outputs", &ports->outputs, port);
    case SAM_ARRAYVALS:
    case SAM_ARRAYSTORE:
    case SAM_FIBERWRITE:
    case SAM_REPEAT:
    case SAM_REPSIGGEN:
    case SAM_ALU:
    case SAM_REDUCE:
    case SAM_SERIALIZE:
        *port = 0;
        return true;
    case SAM_NONE:
    case SAM_PRIMITIVES:
        break;
    }
    BUG("edge from a node without kind");
}

/* Finds the first free operand; constants take theirs. */
static bool alu_input(const parser *p, uint32_t edge, node_ports *ports, uint8_t *port) {
    sam_node n = p->g->edges.at[edge].dst;
    for (uint32_t k = 0; k <= UINT8_MAX; k++) {
        if (!(ports->used[k / 32] & 1u << k % 32) && !sam_alu_constant(p->g, n, k)) {
            ports->used[k / 32] |= 1u << k % 32;
            *port = (uint8_t)k;
            return true;
        }
    }
    return no_port(p, edge, "this operation has too many operands", "at most 256");
}

static bool destination_port(const parser *p, uint32_t edge, node_ports *ports, uint8_t *port) {
    const sam_edge_data *e = &p->g->edges.at[edge];
    switch (node_of(p, e->dst)->kind) {
    case SAM_INTERSECT:
    case SAM_UNION:
    case SAM_BVINTERSECT:
    case SAM_BVUNION:
        return joiner_input(p, edge, ports, port);
    case SAM_REPEAT:
        *port = e->stream == SAM_STREAM_REPSIG;
        return true;
    case SAM_LOCATE:
        *port = leads(e) ? 1 : is_located(p, edge, e->dst, "in") ? 0 : 2;
        return true;
    case SAM_ARRAYSTORE:
        *port = e->stream == SAM_STREAM_VAL;
        return true;
    case SAM_FIBERLOOKUP:
        *port = e->stream == SAM_STREAM_SKIP;
        return true;
    case SAM_VECTORREDUCER:
        return reducer_port(p, edge, e->dst, port);
    case SAM_CRDDROP:
    case SAM_CRDHOLD:
        return dropper_port(p, edge, e->dst, port);
    case SAM_SPACCUMULATOR:
        accumulator_input(p, edge, ports, port);
        return true;
    case SAM_SERIALIZE:
        return next_port(p, edge, "this serializer has too many inputs", &ports->inputs, port);
    case SAM_ALU:
        return alu_input(p, edge, ports, port);
    case SAM_BVLOOKUP:
    case SAM_BVCONVERT:
    case SAM_ARRAYVALS:
    case SAM_FIBERWRITE:
    case SAM_REPSIGGEN:
    case SAM_REDUCE:
    case SAM_BROADCAST:
    case SAM_PARALLELIZE:
        *port = 0;
        return true;
    case SAM_NONE:
    case SAM_PRIMITIVES:
        break;
    }
    BUG("edge to a node without kind");
}

/* ---- the minuend ----------------------------------------------------------------------------- */

/* Returns the smallest position in the graph comment of a tensor whose values reach `from` along value edges.
 */
static uint32_t first_tensor(const parser *p, sam_node from, arena *scratch) {
    bool *seen = arena_new_n(scratch, bool, p->g->nodes.len + 1);
    u32_vec stack = {0};
    uint32_t first = UINT32_MAX;
    vec_push(scratch, &stack, from.v);
    while (stack.len) {
        sam_node n = {stack.at[--stack.len]};
        if (seen[n.v])
            continue;
        seen[n.v] = true;
        const sam_node_data *node = node_of(p, n);
        const sam_graph_tensor *t = node->kind == SAM_ARRAYVALS ? sam_find_tensor(p->g, node->tensor) : NULL;
        if (t && t - p->g->tensors.at < first)
            first = (uint32_t)(t - p->g->tensors.at);
        for (uint32_t i = 0; i < p->g->edges.len; i++)
            if (p->g->edges.at[i].dst.v == n.v && p->g->edges.at[i].stream == SAM_STREAM_VAL)
                vec_push(scratch, &stack, p->g->edges.at[i].src.v);
    }
    return first;
}

/* The dialect does not record the order of a subtraction's operands: the minuend holds the tensor named first
 * in the graph comment. O(subtractions x nodes x edges). */
static void order_subtractions(const parser *p, const given_ends *ends) {
    arena scratch = {0};
    for (uint32_t i = 0; i < p->g->nodes.len; i++) {
        const sam_node_data *node = &p->g->nodes.at[i];
        if (node->kind != SAM_ALU || strcmp(names_text(p->g->names, node->alu), "sub") != 0)
            continue;
        uint32_t operand[2] = {0}, found = 0;
        for (uint32_t e = 0; e < p->g->edges.len; e++)
            if (p->g->edges.at[e].dst.v == i + 1 && !ends[e].dst_given && found++ < 2)
                operand[found - 1] = e;
        if (found != 2)
            continue;
        sam_edge_data *a = &p->g->edges.at[operand[0]], *b = &p->g->edges.at[operand[1]];
        if (first_tensor(p, b->src, &scratch) < first_tensor(p, a->src, &scratch)) {
            uint8_t port = a->dst_port;
            a->dst_port = b->dst_port;
            b->dst_port = port;
        }
    }
    arena_free(&scratch);
}

bool parse_ports(parser *p) {
    arena *mem = p->g->mem;
    node_ports *ports = arena_new_n(mem, node_ports, p->g->nodes.len + 1);
    given_ends *ends = arena_new_n(mem, given_ends, p->g->edges.len + 1);
    bool good = true;
    for (uint32_t i = 0; i < p->g->edges.len; i++) {
        sam_edge_data *e = &p->g->edges.at[i];
        good = explicit_port(p, i, "src_port", &e->src_port, &ends[i].src_given) && good;
        good = explicit_port(p, i, "dst_port", &e->dst_port, &ends[i].dst_given) && good;
        if (ends[i].dst_given && node_of(p, e->dst)->kind == SAM_ALU)
            ports[e->dst.v - 1].used[e->dst_port / 32] |= 1u << e->dst_port % 32;
    }
    number_operands(p, ends, ports);
    for (uint32_t i = 0; i < p->g->edges.len; i++) {
        sam_edge_data *e = &p->g->edges.at[i];
        if (!ends[i].src_given)
            good = source_port(p, i, &ports[e->src.v - 1], &e->src_port) && good;
        if (!ends[i].dst_given)
            good = destination_port(p, i, &ports[e->dst.v - 1], &e->dst_port) && good;
    }
    if (good)
        order_subtractions(p, ends);
    return good;
}
