/* The legality check of a graph. It looks only at the graph and the primitive table, never at how the graph
 * was made. O(nodes + edges) times the ports of a node. */
#include "sam/coordinates.h"

#define PORTS_HINT "docs/ir_sam.md lists the ports of every primitive"

typedef VEC(const sam_edge_data *) edge_vec;

typedef struct {
    const sam_graph *g;
    diagnostics *d;
    arena mem;    /* scratch */
    edge_vec *in; /* by node: the edge into each port, NULL for none */
    bool good;
} checker;

/* Reports a fault of node n; the caller adds the hint. */
__attribute__((format(printf, 4, 5))) static void fault(checker *c, sam_node n, const char *code,
                                                        const char *format, ...) {
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    diag_error(c->d, sam_node_at(c->g, n)->loc, code, "%s %s", sam_node_label(c->g, n, &c->mem), text);
    c->good = false;
}

static const char *name_of(const checker *c, name_id id) {
    return names_text(c->g->names, id);
}

/* ---- edges: ports exist, streams fit, nothing is driven twice -------------------------------- */

/* Returns the letter of a port in a row of the primitive table; 'x' where the position does not tell. */
static char port_letter(const char *ports, uint32_t port) {
    size_t lead = strcspn(ports, "(");
    if (port < lead)
        return ports[port];
    const char *group = ports + lead + (ports[lead] == '(');
    size_t n = strcspn(group, ")");
    bool last = n && group[n] && !group[n + 2]; /* nothing follows ")+" or ")?" */
    return last ? group[(port - lead) % n] : 'x';
}

static bool stream_fits(char letter, sam_stream s) {
    switch (letter) {
    case 'c':
        return s == SAM_STREAM_CRD;
    case 'r':
        return s == SAM_STREAM_REF;
    case 'n':
        return s == SAM_STREAM_CRD || s == SAM_STREAM_REF;
    case 'v':
        return s == SAM_STREAM_VAL;
    case 's':
        return s == SAM_STREAM_REPSIG;
    case 'b':
        return s == SAM_STREAM_BV;
    case 'k':
        return s == SAM_STREAM_SKIP;
    default:
        return s != SAM_STREAM_NONE;
    }
}

static const char *stream_word(sam_stream s) {
    return s == SAM_STREAM_NONE ? "no type" : sam_stream_name(s);
}

/* Returns the letter of port `port` of a reducer with a memory. */
static char reducer_letter(const sam_node_data *n, uint32_t port) {
    return port < n->depth ? 'c' : 'v';
}

/* Returns the number of ports where the node alone tells, otherwise SAM_ANY. */
static int fixed_ports(const sam_node_data *n, int in_table) {
    return n->kind == SAM_VECTORREDUCER ? n->depth + 1 : in_table;
}

static int most_inputs(const sam_node_data *n) {
    return n->kind == SAM_FIBERLOOKUP ? 2 : fixed_ports(n, sam_primitive_table[n->kind].in);
}

static char output_letter(const sam_node_data *n, uint32_t port) {
    if (n->kind == SAM_VECTORREDUCER)
        return reducer_letter(n, port);
    return port_letter(sam_primitive_table[n->kind].ports_out, port);
}

static char input_letter(const sam_node_data *n, uint32_t port) {
    if (n->kind == SAM_FIBERWRITE)
        return n->mode == SAM_MODE_VALS ? 'v' : 'c';
    if (n->kind == SAM_VECTORREDUCER)
        return reducer_letter(n, port);
    if (n->kind == SAM_CRDDROP && n->compress && port == 1)
        return 'v';
    return port_letter(sam_primitive_table[n->kind].ports_in, port);
}

/* The coordinates of a tensor's outermost level are its references if the level is dense. A joiner does not
 * know the tensor of the coordinates it forwards. */
static bool takes_coordinates(const checker *c, const sam_node_data *n) {
    const sam_graph_tensor *t = sam_find_tensor(c->g, n->tensor);
    return n->kind == SAM_INTERSECT || n->kind == SAM_UNION ||
           (n->kind == SAM_REPEAT && t && t->order && t->level[0] == SAM_LEVEL_DENSE);
}

static void check_stream(checker *c, const sam_edge_data *e, sam_node at, char letter, bool output) {
    static const char letters[] = "crnvsbk";
    static const char *const wanted[] = {"crd", "ref", "crd or ref", "val", "repsig", "bv", "skip"};
    if (stream_fits(letter, e->stream))
        return;
    const char *found = strchr(letters, letter);
    diag_error(c->d, e->loc.source ? e->loc : sam_node_at(c->g, at)->loc, "E0211-stream-type",
               "%s port %u of %s carries %s, not %s", output ? "output" : "input",
               output ? e->src_port : e->dst_port, sam_node_label(c->g, at, &c->mem),
               found && letter ? wanted[found - letters] : "a stream", stream_word(e->stream));
    diag_hint(c->d, PORTS_HINT);
    c->good = false;
}

static void check_edge(checker *c, const sam_edge_data *e) {
    const sam_node_data *src = sam_node_at(c->g, e->src), *dst = sam_node_at(c->g, e->dst);
    int outputs = fixed_ports(src, sam_primitive_table[src->kind].out);
    int inputs = most_inputs(dst);
    bool ports_exist = true;
    if (outputs != SAM_ANY && e->src_port >= outputs) {
        fault(c, e->src, "E0210-arity", "has %d output %s, an edge leaves port %u", outputs,
              plural((uint64_t)outputs, "port", "ports"), e->src_port);
        diag_hint(c->d, PORTS_HINT);
        ports_exist = false;
    }
    if (inputs != SAM_ANY && e->dst_port >= inputs) {
        fault(c, e->dst, "E0210-arity", "has %d input %s, an edge enters port %u", inputs,
              plural((uint64_t)inputs, "port", "ports"), e->dst_port);
        diag_hint(c->d, PORTS_HINT);
        ports_exist = false;
    }
    if (!ports_exist)
        return;
    check_stream(c, e, e->src, output_letter(src, e->src_port), true);
    char letter = input_letter(dst, e->dst_port);
    if (letter == 'r' && e->stream == SAM_STREAM_CRD && takes_coordinates(c, dst))
        letter = 'n';
    check_stream(c, e, e->dst, letter, false);
    edge_vec *in = &c->in[e->dst.v];
    while (in->len <= e->dst_port)
        vec_push(&c->mem, in, NULL);
    if (in->at[e->dst_port]) {
        fault(c, e->dst, "E0213-driven-twice", "receives two streams at port %u: from %s and from %s",
              e->dst_port, sam_node_label(c->g, in->at[e->dst_port]->src, &c->mem),
              sam_node_label(c->g, e->src, &c->mem));
        diag_hint(c->d, "one stream a port; streams meet in joiners and operations");
        return;
    }
    in->at[e->dst_port] = e;
}

/* ---- nodes: every input driven, the number of operands right --------------------------------- */

/* Returns the required number of inputs of the node, given its connected inputs. */
static uint32_t wanted_inputs(checker *c, sam_node n) {
    const sam_node_data *node = sam_node_at(c->g, n);
    uint32_t connected = c->in[n.v].len;
    if (sam_is_joiner(node->kind)) {
        uint32_t least = node->kind == SAM_INTERSECT || node->kind == SAM_UNION ? 4 : 2;
        connected = connected + connected % 2;
        return connected < least ? least : connected;
    }
    if (node->kind == SAM_ALU) {
        while (sam_alu_constant(c->g, n, connected))
            connected++;
        return connected ? connected : 1;
    }
    if (node->kind == SAM_SPACCUMULATOR)
        return connected < 2 ? 2 : connected;
    if (node->kind == SAM_SERIALIZE || node->kind == SAM_FIBERLOOKUP)
        return connected ? connected : 1;
    return (uint32_t)fixed_ports(node, sam_primitive_table[node->kind].in);
}

static void check_inputs(checker *c, sam_node n) {
    const sam_node_data *node = sam_node_at(c->g, n);
    uint32_t wanted = wanted_inputs(c, n), streams = 0;
    for (uint32_t port = 0; port < wanted; port++) {
        bool driven = port < c->in[n.v].len && c->in[n.v].at[port];
        bool given = (node->root && port == 0) || (node->kind == SAM_ALU && sam_alu_constant(c->g, n, port));
        streams += driven;
        if (driven && given) {
            fault(c, n, "E0213-driven-twice", "has an edge into port %u, which is %s", port,
                  node->root ? "fed by the root reference" : "a constant");
            diag_hint(c->d, "%s",
                      node->root ? "remove the edge or root=\"true\"" : "remove the edge or the constant");
        } else if (!driven && !given) {
            fault(c, n, "E0212-undriven", "has no edge into port %u", port);
            bool may_be_root = port == 0 && (sam_reads_level(node->kind) || node->kind == SAM_REPEAT);
            diag_hint(c->d, "%s",
                      may_be_root ? "the outermost node of a tensor has root=\"true\" instead" : PORTS_HINT);
        }
    }
    for (uint32_t port = 1; node->kind == SAM_SERIALIZE && port < c->in[n.v].len; port++) {
        const sam_edge_data *first = c->in[n.v].at[0], *other = c->in[n.v].at[port];
        if (first && other && first->stream != other->stream) {
            fault(c, n, "E0211-stream-type", "joins %s and %s", stream_word(first->stream),
                  stream_word(other->stream));
            diag_hint(c->d, "the copies of one stream have its type");
        }
    }
    if (node->kind == SAM_ALU && !streams) {
        fault(c, n, "E0210-arity", "has no operand that is a stream");
        diag_hint(c->d, "fold constants before they reach the graph");
    }
}

/* Skip requests go from an intersecter to the scanner of an operand; nobody else may need the skipped
 * coordinates. */
static void check_skip(checker *c, const sam_edge_data *e, uint32_t operand) {
    const edge_vec *in = &c->in[e->src.v];
    const sam_edge_data *feed = 2 * operand < in->len ? in->at[2 * operand] : NULL;
    if (feed && feed->src.v != e->dst.v) {
        fault(c, e->src, "E0218-skip", "sends skip requests to %s, which does not feed its operand %u",
              sam_node_label(c->g, e->dst, &c->mem), operand);
        diag_hint(c->d, "output 1+n+k of n operands goes to the scanner of operand k");
    }
    for (uint32_t i = 0; i < c->g->edges.len; i++) {
        const sam_edge_data *other = &c->g->edges.at[i];
        if (other->src.v == e->dst.v && other->dst.v != e->src.v) {
            fault(c, e->dst, "E0218-skip", "leaves out what %s needs",
                  sam_node_label(c->g, other->dst, &c->mem));
            diag_hint(c->d, "a scanner that skips feeds one intersecter and nobody else");
            return;
        }
    }
}

/* Outputs of a joiner of n operands: coordinates, n references, and for an intersecter n skip requests. */
static void check_joiner_output(checker *c, const sam_edge_data *e) {
    uint32_t operands = wanted_inputs(c, e->src) / 2;
    bool may_skip = sam_node_at(c->g, e->src)->kind == SAM_INTERSECT;
    if (e->src_port > (may_skip ? 2 * operands : operands)) {
        fault(c, e->src, "E0210-arity", "has %u %s, an edge leaves port %u", operands,
              plural(operands, "operand", "operands"), e->src_port);
        diag_hint(c->d, "port 0 is the coordinates, port k the references of the k-th operand");
    } else if (e->src_port > operands && e->stream == SAM_STREAM_SKIP) {
        check_skip(c, e, e->src_port - operands - 1);
    } else if (e->src_port) {
        check_stream(c, e, e->src, e->src_port > operands ? 'k' : 'r', true);
    }
}

static bool is_fork(sam_primitive k) {
    return k == SAM_BROADCAST || k == SAM_PARALLELIZE || k == SAM_SERIALIZE;
}

/* Words of bits do not meet words of runs, neither directly nor through forks. */
static void check_words(checker *c, const sam_edge_data *e) {
    const sam_node_data *dst = sam_node_at(c->g, e->dst), *src = sam_node_at(c->g, e->src);
    const sam_edge_data *from = e;
    for (uint32_t n = c->g->nodes.len; n && from && is_fork(src->kind); n--) {
        from = c->in[from->src.v].len ? c->in[from->src.v].at[0] : NULL;
        src = from ? sam_node_at(c->g, from->src) : src;
    }
    const bool joins = dst->kind == SAM_BVINTERSECT || dst->kind == SAM_BVUNION;
    if (!joins || e->dst_port % 2 || e->stream != SAM_STREAM_BV || !src->words == !dst->words)
        return;
    fault(c, e->dst, "E0211-stream-type", "joins words of %s, not of %s", sam_words_name[dst->words],
          sam_words_name[src->words]);
    diag_hint(c->d, "words=\"runs\" at a joiner of blocks or runs, words=\"bits\" or none at others");
}

static void check_outputs(checker *c, const sam_edge_data *e) {
    const sam_node_data *src = sam_node_at(c->g, e->src);
    check_words(c, e);
    edge_vec *in = &c->in[e->src.v];
    if (sam_is_joiner(src->kind))
        check_joiner_output(c, e);
    uint32_t same = is_fork(src->kind) ? 0 : (src->kind == SAM_CRDDROP || src->kind == SAM_CRDHOLD) ? 1 : 2;
    bool passes = same == 0 || (same == 1 && e->src_port == 1);
    if (passes && in->len > same && in->at[same] && in->at[same]->stream != e->stream) {
        fault(c, e->src, "E0211-stream-type", "passes %s on as %s", stream_word(in->at[same]->stream),
              stream_word(e->stream));
        diag_hint(c->d, "the stream keeps its type");
    }
}

/* ---- attributes ------------------------------------------------------------------------------ */

static void missing(checker *c, sam_node n, const char *what, const char *hint) {
    fault(c, n, "E0217-missing-attribute", "has no %s", what);
    diag_hint(c->d, "%s", hint);
}

static bool has_level(const sam_node_data *n) {
    return sam_reads_level(n->kind) || (n->kind == SAM_FIBERWRITE && n->mode != SAM_MODE_VALS);
}

static void check_attributes(checker *c, sam_node n) {
    const sam_node_data *node = sam_node_at(c->g, n);
    bool level = has_level(node);
    bool dropper = node->kind == SAM_CRDDROP || node->kind == SAM_CRDHOLD;
    bool may_be_root = sam_reads_level(node->kind) || node->kind == SAM_ARRAYVALS || node->kind == SAM_REPEAT;
    if (node->kind == SAM_VECTORREDUCER && !node->depth)
        missing(c, n, "depth", "depth=\"1\": one level of coordinates to add up");
    if (level && node->format == SAM_LEVEL_NONE)
        missing(c, n, "format", "format=\"dense\" or format=\"compressed\"");
    if (node->kind == SAM_ALU && !node->alu.v)
        missing(c, n, "operation", "set sam_node_data.alu");
    if (node->kind == SAM_ALU && strncmp(name_of(c, node->alu), "fp_", 3) == 0) {
        fault(c, n, "E0217-missing-attribute", "says fp_ in its operation");
        diag_hint(c->d, "set sam_node_data.fp and name the operation alone");
    }
    bool reduces =
        node->kind == SAM_REDUCE || node->kind == SAM_VECTORREDUCER || node->kind == SAM_SPACCUMULATOR;
    if (reduces && !sam_reducing(c->g, n)) {
        fault(c, n, "E0217-missing-attribute", "cannot reduce by '%s%s'", node->fp ? "fp_" : "",
              name_of(c, node->alu));
        diag_hint(c->d, "the order of values must not matter, and nothing must have a value: add, mul, min, "
                        "max, and, or, xor and others that docs/ir_sam.md lists");
    }
    if (dropper && (!node->outer.v || !node->inner.v))
        missing(c, n, node->outer.v ? "inner" : "outer",
                "outer=\"i\" inner=\"j\": the indices of the two streams");
    if (node->root && !may_be_root) {
        fault(c, n, "E0217-missing-attribute", "is root but reads no references");
        diag_hint(c->d, "root is for scanners, locate, repeat and arrayvals");
    }
}

static void check_tensor(checker *c, sam_node n) {
    const sam_node_data *node = sam_node_at(c->g, n);
    bool level = has_level(node);
    if (!level && node->kind != SAM_ARRAYVALS && node->kind != SAM_ARRAYSTORE && node->kind != SAM_FIBERWRITE)
        return;
    const sam_graph_tensor *t = sam_find_tensor(c->g, node->tensor);
    bool stores = t && node->kind == SAM_ARRAYSTORE, is_dense = true;
    for (uint32_t i = 0; stores && i < t->order; i++)
        is_dense = is_dense && t->level[i] == SAM_LEVEL_DENSE;
    if (stores && (t != &c->g->tensors.at[0] || !is_dense)) {
        fault(c, n, "E0215-tensor", "stores into %s, which is no dense result", name_of(c, t->name));
        diag_hint(c->d, "only a dense tensor has a place for each value; others take level writers");
    }
    for (uint32_t i = 0; stores && i < t->order; i++)
        if (!sam_stored_index(c->g, n, i).v)
            missing(c, n, arena_printf(&c->mem, "in%u", i),
                    "in0=\"i\" in1=\"j\": the index variables of the result's levels, outermost first");
    int l = t && level ? sam_storage_level(t, node->mode) : -1;
    if (!t) {
        fault(c, n, "E0215-tensor", "belongs to tensor '%s', which the graph does not describe",
              name_of(c, node->tensor));
        diag_hint(c->d, "name it in the graph's comment: comment=\"X=ss01,B=ss01\"");
    } else if (level && l < 0) {
        fault(c, n, "E0215-tensor", "has mode %d, but %s has %u %s", node->mode, name_of(c, t->name),
              t->order, plural(t->order, "mode", "modes"));
        diag_hint(c->d, "modes are counted from 0");
    } else if (level && node->format != SAM_LEVEL_NONE && node->format != t->level[l]) {
        fault(c, n, "E0215-tensor", "is %s, but the graph's comment says %s",
              node->format == SAM_LEVEL_DENSE ? "dense" : "compressed",
              t->level[l] == SAM_LEVEL_DENSE ? "dense" : "compressed");
        diag_hint(c->d, "d in the comment is dense, s is compressed");
    } else if (node->kind == SAM_BVLOOKUP && node->format == SAM_LEVEL_DENSE) {
        fault(c, n, "E0215-tensor", "makes bit vectors of a dense level");
        diag_hint(c->d, "bit vectors say which coordinates of a compressed level are there");
    } else if (node->kind == SAM_FIBERLOOKUP && l + node->depth >= (int)t->order) {
        fault(c, n, "E0215-tensor", "has %u %s below, but %s has %u %s", node->depth,
              plural(node->depth, "level of singletons", "levels of singletons"), name_of(c, t->name),
              t->order, plural(t->order, "level", "levels"));
        diag_hint(c->d, "singletons are levels of the same tensor, below the scanned level");
    }
}

/* ---- the graph as a whole -------------------------------------------------------------------- */

/* Each level of the result, and its values, has exactly one writer. With values stored by an array, a dense
 * level needs no writer, since it holds no coordinates. */
static void check_writers(checker *c) {
    if (!c->g->tensors.len) {
        diag_error(c->d, c->g->loc, "E0216-writer", "the graph describes no tensors");
        diag_hint(c->d, "add comment=\"X=ss01,B=ss01\": the result first, then the operands");
        c->good = false;
        return;
    }
    const sam_graph_tensor *t = &c->g->tensors.at[0];
    uint32_t writers[SAM_MAX_ORDER + 1] = {0}; /* by mode; the values last */
    bool stores = false;
    for (uint32_t i = 0; i < c->g->nodes.len; i++) {
        const sam_node_data *n = &c->g->nodes.at[i];
        if (n->kind == SAM_FIBERWRITE && name_eq(n->tensor, t->name) && n->mode < (int)t->order)
            writers[n->mode == SAM_MODE_VALS ? t->order : (uint32_t)n->mode]++;
        if (n->kind == SAM_ARRAYSTORE && name_eq(n->tensor, t->name)) {
            writers[t->order]++;
            stores = true;
        }
    }
    for (uint32_t m = 0; m <= t->order; m++) {
        bool stored = stores && m < t->order && t->level[sam_storage_level(t, (int)m)] == SAM_LEVEL_DENSE;
        if (writers[m] == !stored)
            continue;
        const char *what = m == t->order ? "values" : arena_printf(&c->mem, "mode %u", m);
        diag_error(c->d, c->g->loc, "E0216-writer", "%s of the result %s: %u %s, expected %s", what,
                   name_of(c, t->name), writers[m], plural(writers[m], "writer", "writers"),
                   stored ? "none beside the arraystore" : "one");
        diag_hint(c->d, "%s",
                  stored ? "an arraystore has the coordinates in its references"
                         : "one fiberwrite a mode, and one with mode=\"vals\"");
        c->good = false;
    }
}

/* Kahn's algorithm: a node is taken when all its sources are. An untaken node lies on or behind a cycle. */
static void check_cycles(checker *c) {
    uint32_t n = c->g->nodes.len, done = 0;
    uint32_t *waits = arena_new_n(&c->mem, uint32_t, n + 1);
    u32_vec ready = {0}, *sinks = arena_new_n(&c->mem, u32_vec, n + 1);
    for (uint32_t i = 0; i < c->g->edges.len; i++) {
        const sam_edge_data *e = &c->g->edges.at[i];
        if (e->src.v && e->stream != SAM_STREAM_SKIP) {
            waits[e->dst.v]++;
            vec_push(&c->mem, &sinks[e->src.v], e->dst.v);
        }
    }
    for (uint32_t v = 1; v <= n; v++)
        if (!waits[v])
            vec_push(&c->mem, &ready, v);
    for (; done < ready.len; done++) {
        u32_vec *next = &sinks[ready.at[done]];
        for (uint32_t i = 0; i < next->len; i++)
            if (--waits[next->at[i]] == 0)
                vec_push(&c->mem, &ready, next->at[i]);
    }
    for (uint32_t v = 1; v <= n && done < n; v++) {
        if (waits[v]) {
            fault(c, (sam_node){v}, "E0214-cycle", "waits for its own output");
            diag_hint(c->d, "only skip requests may lead back");
            return;
        }
    }
}

static void check_ids(checker *c) {
    uint32_t size = 0;
    for (uint32_t v = 1; v <= c->g->nodes.len; v++) {
        const sam_node_data *n = &c->g->nodes.at[v - 1];
        size = n->id.v > size ? n->id.v : size;
    }
    uint32_t *owner = arena_new_n(&c->mem, uint32_t, size + 1);
    for (uint32_t v = 1; v <= c->g->nodes.len; v++) {
        const sam_node_data *n = &c->g->nodes.at[v - 1];
        if (n->kind == SAM_NONE)
            continue;
        if (!n->id.v || owner[n->id.v]) {
            fault(c, (sam_node){v}, "E0217-missing-attribute", "%s",
                  n->id.v ? "has the same id as another node" : "has no id");
            diag_hint(c->d, "every node has an id of its own");
        }
        owner[n->id.v] = v;
    }
}

bool sam_check(const sam_graph *g, diagnostics *d) {
    checker c = {.g = g, .d = d, .good = true};
    c.in = arena_new_n(&c.mem, edge_vec, g->nodes.len + 1);
    for (uint32_t i = 0; i < g->edges.len; i++)
        if (g->edges.at[i].src.v)
            check_edge(&c, &g->edges.at[i]);
    for (uint32_t v = 1; v <= g->nodes.len; v++) {
        if (g->nodes.at[v - 1].kind == SAM_NONE)
            continue;
        check_inputs(&c, (sam_node){v});
        check_attributes(&c, (sam_node){v});
        check_tensor(&c, (sam_node){v});
    }
    for (uint32_t i = 0; i < g->edges.len; i++)
        if (g->edges.at[i].src.v)
            check_outputs(&c, &g->edges.at[i]);
    check_writers(&c);
    check_cycles(&c);
    check_ids(&c);
    arena_free(&c.mem);
    return c.good;
}
