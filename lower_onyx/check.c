/* check.c - the legality of an Onyx-aware graph, from nodes.def and neighbours.def alone: it knows nothing of
 * how lower_run builds graphs. O(links * rules + nodes * ports), and O(links^2) at worst for the two stream
 * analyses.
 */
#include "lower_onyx/absent.h"
#include "lower_onyx/lower_int.h"

typedef struct {
    const onyx_graph *g;
    diagnostics *d;
    const onyx_link **driver; /* [node * ONYX_PORTS + port]: the link into the input */
    uint32_t *sinks;          /* [node * ONYX_PORTS + port]: links out of the output */
} checker;

static size_t slot(onyx_node node, onyx_port port) {
    return (size_t)(node.v - 1) * ONYX_PORTS + (size_t)port;
}

/* Writes a port with its node: "B0.read.coord_out". */
static const char *end_name(const onyx_graph *g, onyx_node node, onyx_port port) {
    return arena_printf(g->mem, "%s.%s", onyx_node_name(g, node), onyx_port_table[port].name);
}

/* Writes a port with its kind of node: "read_scanner.coord_out". */
static const char *kind_port(const onyx_graph *g, onyx_port port) {
    return arena_printf(g->mem, "%s.%s", onyx_kind_table[onyx_port_table[port].kind].name,
                        onyx_port_table[port].name);
}

static const char *source_name(const onyx_graph *g, const onyx_link *l) {
    return end_name(g, l->source, l->source_port);
}

static const char *sink_name(const onyx_graph *g, const onyx_link *l) {
    return end_name(g, l->sink, l->sink_port);
}

/* Lists the ports a rule pairs with `port`, in words. */
static const char *partners(const onyx_graph *g, onyx_port port) {
    const char *list = "";
    for (uint32_t i = 0; i < onyx_rule_count; i++) {
        const onyx_rule *r = &onyx_rule_table[i];
        if (r->source == port || r->sink == port) {
            list = arena_printf(g->mem, "%s%s%s", list, list[0] == '\0' ? "" : ", ",
                                kind_port(g, r->source == port ? r->sink : r->source));
        }
    }
    return list[0] == '\0' ? "nothing" : list;
}

/* ---- single links ---------------------------------------------------------------------------- */

static const char *wire_list(const onyx_graph *g, const onyx_wire *wires, uint32_t count) {
    const char *list = count == 0 ? "no wires" : "";
    for (uint32_t i = 0; i < count; i++) {
        list = arena_printf(g->mem, "%s%s%s[%u]%c", list, i == 0 ? "" : " ",
                            onyx_signal_name[wires[i].signal], wires[i].width, wires[i].backward ? '<' : '>');
    }
    return list;
}

static void check_wires(checker *c, const onyx_link *l, const onyx_rule *rule) {
    onyx_wire wanted[ONYX_MAX_WIRES];
    uint32_t count = 0;
    for (uint32_t i = 0; i < onyx_wire_count; i++) {
        const onyx_wire_info *w = &onyx_wire_table[i];
        if (w->bundle == rule->bundle)
            wanted[count++] = (onyx_wire){w->signal, w->width, w->backward};
    }
    bool same = l->wires == count;
    for (uint32_t i = 0; same && i < count; i++) {
        same = l->wire[i].signal == wanted[i].signal && l->wire[i].width == wanted[i].width &&
               l->wire[i].backward == wanted[i].backward;
    }
    if (same)
        return;
    diag_error(c->d, l->loc, "E0421-bundle", "%s -> %s has %s, but the link consists of %s",
               source_name(c->g, l), sink_name(c->g, l), wire_list(c->g, l->wire, l->wires),
               wire_list(c->g, wanted, count));
    diag_hint(c->d, "rule: %s", rule->rule);
}

static void check_link(checker *c, const onyx_link *l) {
    const onyx_rule *rule = onyx_rule_find(l->source_port, l->sink_port);
    if (rule == NULL) {
        diag_error(c->d, l->loc, "E0420-neighbour", "%s must not drive %s: no rule links %s to %s",
                   source_name(c->g, l), sink_name(c->g, l), kind_port(c->g, l->source_port),
                   kind_port(c->g, l->sink_port));
        diag_hint(c->d, "%s may drive: %s", kind_port(c->g, l->source_port), partners(c->g, l->source_port));
        return;
    }
    check_wires(c, l, rule);
    bool inside = onyx_port_table[l->source_port].tile_port == ONYX_INSIDE;
    if (inside && !name_eq(onyx_node_at(c->g, l->source)->tile, onyx_node_at(c->g, l->sink)->tile)) {
        diag_error(c->d, l->loc, "E0426-tile", "%s is in tile %s, but %s is in tile %s", source_name(c->g, l),
                   names_text(c->g->names, onyx_node_at(c->g, l->source)->tile), sink_name(c->g, l),
                   names_text(c->g->names, onyx_node_at(c->g, l->sink)->tile));
        diag_hint(c->d, "rule: %s", rule->rule);
    }
}

/* ---- how often ports are linked -------------------------------------------------------------- */

static void count_link(checker *c, const onyx_link *l) {
    size_t in = slot(l->sink, l->sink_port);
    if (c->driver[in] != NULL) {
        diag_error(c->d, l->loc, "E0423-two-drivers", "%s is driven by %s and by %s", sink_name(c->g, l),
                   source_name(c->g, c->driver[in]), source_name(c->g, l));
        diag_hint(c->d, "an input has exactly one driver");
    } else {
        c->driver[in] = l;
    }
    c->sinks[slot(l->source, l->source_port)]++;
}

/* Two links with the same source port and sink port break a rule with fan-out ONE. */
static void check_fan_out(checker *c, uint32_t index) {
    const onyx_link *l = &c->g->links.at[index];
    const onyx_rule *rule = onyx_rule_find(l->source_port, l->sink_port);
    if (rule == NULL || rule->many || c->sinks[slot(l->source, l->source_port)] < 2)
        return;
    for (uint32_t i = 0; i < index; i++) {
        const onyx_link *first = &c->g->links.at[i];
        if (first->source.v == l->source.v && first->source_port == l->source_port &&
            first->sink_port == l->sink_port) {
            diag_error(c->d, l->loc, "E0422-fan-out", "%s drives %s and %s", source_name(c->g, l),
                       sink_name(c->g, first), sink_name(c->g, l));
            diag_hint(c->d, "rule: %s", rule->rule);
            return;
        }
    }
}

/* Returns the number of blocks in a tree of the stream of a write scanner with a share. */
static uint32_t blocks_of_share(const onyx_node_data *write, uint32_t *end) {
    *end = onyx_get(write, ONYX_SET_WRITE_SCANNER_BEFORE) +
           (onyx_get(write, ONYX_SET_WRITE_SCANNER_LOWEST_LEVEL) != 0 ? 1 : 2);
    return *end + onyx_get(write, ONYX_SET_WRITE_SCANNER_BEHIND);
}

/* Scanners of one stream must agree on the number of blocks of a tree, and their shares must be equal or
 * disjoint. */
static void check_shares(checker *c, uint32_t index) {
    const onyx_link *l = &c->g->links.at[index];
    for (uint32_t i = 0; i < index && l->source_port == ONYX_PORT_GLB_IN_DATA; i++) {
        const onyx_link *first = &c->g->links.at[i];
        const onyx_node_data *a = onyx_node_at(c->g, first->sink), *b = onyx_node_at(c->g, l->sink);
        if (first->source.v != l->source.v || a->kind != ONYX_WRITE_SCANNER || b->kind != ONYX_WRITE_SCANNER)
            continue;
        uint32_t a_end, b_end, all = blocks_of_share(a, &a_end);
        const uint32_t a_start = onyx_get(a, ONYX_SET_WRITE_SCANNER_BEFORE),
                       b_start = onyx_get(b, ONYX_SET_WRITE_SCANNER_BEFORE);
        if (all == blocks_of_share(b, &b_end) &&
            (a_end <= b_start || b_end <= a_start || (a_start == b_start && a_end == b_end)))
            continue;
        diag_error(c->d, l->loc, "E0422-fan-out", "%s drives %s and %s, which do not take its blocks in turn",
                   source_name(c->g, l), sink_name(c->g, first), sink_name(c->g, l));
        diag_hint(c->d, "before + own blocks + behind is the same for all scanners of a stream");
        return;
    }
}

/* A read-out must let pass as many blocks as the read-out ahead gives. */
static void check_chain(checker *c, const onyx_link *l) {
    const onyx_node_data *before = onyx_node_at(c->g, l->source);
    if (l->sink_port != ONYX_PORT_READ_SCANNER_CHAIN_IN || before->kind != ONYX_READ_SCANNER)
        return;
    const uint32_t given = onyx_get(before, ONYX_SET_READ_SCANNER_AHEAD) +
                           (onyx_get(before, ONYX_SET_READ_SCANNER_LOOKUP) != 0 ? 1 : 2),
                   ahead = onyx_get(onyx_node_at(c->g, l->sink), ONYX_SET_READ_SCANNER_AHEAD);
    if (given == ahead)
        return;
    diag_error(c->d, l->loc, "E0422-fan-out", "%s gives %u blocks a tree to %s, which lets %u pass",
               source_name(c->g, l), given, sink_name(c->g, l), ahead);
    diag_hint(c->d, "ahead is how many blocks leave before those of the read-out itself");
}

static void check_port(checker *c, onyx_node h, onyx_port port) {
    const onyx_node_data *node = onyx_node_at(c->g, h);
    const onyx_port_info *info = &onyx_port_table[port];
    bool linked = info->output ? c->sinks[slot(h, port)] != 0 : c->driver[slot(h, port)] != NULL;
    if (!linked && !info->required)
        return;
    bool live = onyx_port_live(node, port);
    if (linked && !live) {
        diag_error(c->d, node->loc, "E0425-dead-port",
                   "%s is linked, but %s with these settings does not use it", end_name(c->g, h, port),
                   onyx_node_name(c->g, h));
        diag_hint(c->d, "the port is live only when: %s", info->when);
    } else if (!linked && live) {
        diag_error(c->d, node->loc, "E0424-open-port", "%s (%s) is not linked", end_name(c->g, h, port),
                   info->doc);
        diag_hint(c->d, "it may be linked %s: %s", info->output ? "to" : "from", partners(c->g, port));
    }
}

/* The chip's scanner makes no reference of its own for a value memory: its START state has no branch for
 * value memories. */
static void check_root(checker *c, onyx_node h) {
    const onyx_node_data *n = onyx_node_at(c->g, h);
    if (n->kind != ONYX_READ_SCANNER || onyx_get(n, ONYX_SET_READ_SCANNER_ROOT) == 0 ||
        onyx_get(n, ONYX_SET_READ_SCANNER_LOOKUP) == 0)
        return;
    diag_error(c->d, n->loc, "E0431-root-lookup", "%s looks values up and is a root: the chip never answers",
               onyx_node_name(c->g, h));
    diag_hint(c->d, "lead it the position of a dense root with one coordinate, through a reducer");
}

/* ---- tiles ----------------------------------------------------------------------------------- */

static void check_tile(checker *c, onyx_node h) {
    const onyx_node_data *node = onyx_node_at(c->g, h);
    for (uint32_t i = 1; i < h.v; i++) {
        const onyx_node_data *other = onyx_node_at(c->g, (onyx_node){i});
        if (!name_eq(node->tile, other->tile))
            continue;
        bool fits = onyx_kind_table[node->kind].mode == NET_MODE_FIBER_ACCESS &&
                    onyx_kind_table[other->kind].mode == NET_MODE_FIBER_ACCESS && node->kind != other->kind;
        if (fits)
            continue;
        diag_error(c->d, node->loc, "E0426-tile", "%s (%s) and %s (%s) cannot share tile %s",
                   onyx_node_name(c->g, (onyx_node){i}), onyx_kind_table[other->kind].name,
                   onyx_node_name(c->g, h), onyx_kind_table[node->kind].name,
                   names_text(c->g->names, node->tile));
        diag_hint(c->d, "a PE or IO tile holds one primitive; a memory tile one write scanner, buffet, read "
                        "scanner and SRAM");
        return;
    }
}

/* ---- cycles: a loop of streams never receives its first token -------------------------------- */

/* Returns whether the link's sink waits for its source. The memory of an accumulator does not wait: its
 * reader begins with the empty block that the writer makes. A gate does not wait for an input without tokens,
 * nor a skipping scanner for the coordinates of its skip port. */
static bool orders(const onyx_graph *g, const onyx_link *l) {
    const onyx_node_data *sink = onyx_node_at(g, l->sink);
    bool sums = sink->kind == ONYX_WRITE_SCANNER && onyx_get(sink, ONYX_SET_WRITE_SCANNER_INIT_BLANK) != 0;
    return onyx_port_table[l->source_port].tile_port != ONYX_INSIDE && !sums &&
           l->sink_port != ONYX_PORT_GATE_NEVER_IN && l->sink_port != ONYX_PORT_READ_SCANNER_SKIP_IN;
}

/* Kahn's algorithm: repeatedly removes nodes without a driver; the remaining nodes are on or behind a
 * cycle. */
static bool check_cycles(checker *c) {
    const onyx_graph *g = c->g;
    uint32_t *drivers = arena_new_n(g->mem, uint32_t, g->nodes.len + 1);
    bool *removed = arena_new_n(g->mem, bool, g->nodes.len + 1);
    /* by node: 1 + its last link that orders; by link: 1 + the one before from the same node */
    uint32_t *last = arena_new_n(g->mem, uint32_t, g->nodes.len + 1);
    uint32_t *before = arena_new_n(g->mem, uint32_t, g->links.len + 1);
    for (uint32_t i = 0; i < g->links.len; i++) {
        const onyx_link *l = &g->links.at[i];
        if (!orders(g, l))
            continue;
        drivers[l->sink.v - 1]++;
        before[i] = last[l->source.v - 1];
        last[l->source.v - 1] = i + 1;
    }
    for (bool progress = true; progress;) {
        progress = false;
        for (uint32_t n = 0; n < g->nodes.len; n++) {
            if (removed[n] || drivers[n] != 0)
                continue;
            removed[n] = progress = true;
            for (uint32_t i = last[n]; i != 0; i = before[i - 1])
                drivers[g->links.at[i - 1].sink.v - 1]--;
        }
    }
    for (uint32_t n = 0; n < g->nodes.len; n++) {
        if (!removed[n]) {
            diag_error(c->d, g->nodes.at[n].loc, "E0427-cycle",
                       "%s waits, directly or not, for its own output",
                       onyx_node_name(g, (onyx_node){n + 1}));
            return diag_hint(c->d, "the streams of a dataflow graph must not form a cycle");
        }
    }
    return true;
}

/* ---- tokens the chip's primitives cannot take ------------------------------------------------ */

typedef enum { TRAIT_EMPTY_TOKEN, TRAIT_LOST_STOPS, TRAIT_VALUES } trait;

/* Returns whether the node's output port may carry the trait, given the trait of each of its inputs. */
static bool emits(const checker *c, const bool *carries, onyx_node h, onyx_port port, trait t) {
    const onyx_node_data *node = onyx_node_at(c->g, h);
    bool empty = t == TRAIT_EMPTY_TOKEN, values = t == TRAIT_VALUES;
#define INPUT(name) carries[slot(h, ONYX_PORT_##name)]
    switch (node->kind) {
    case ONYX_READ_SCANNER: /* a dense scanner passes the empty token on; the others turn the token into a
                             * fiber or 0
                             */
        if (values)
            return onyx_get(node, ONYX_SET_READ_SCANNER_LOOKUP) != 0;
        return empty && onyx_get(node, ONYX_SET_READ_SCANNER_DENSE) != 0 && INPUT(READ_SCANNER_US_POS_IN);
    case ONYX_JOINER: /* a unioner emits the empty token for a missing operand */
        if (values)
            return port == ONYX_PORT_JOINER_POS_OUT_0   ? INPUT(JOINER_POS_IN_0)
                   : port == ONYX_PORT_JOINER_POS_OUT_1 ? INPUT(JOINER_POS_IN_1)
                                                        : false;
        return empty && onyx_get(node, ONYX_SET_JOINER_OP) != 0 && port != ONYX_PORT_JOINER_COORD_OUT;
    case ONYX_REGION_JOINER: /* where a side lacks the coordinate, and for empty tokens of its input */
        if (port == ONYX_PORT_REGION_JOINER_POS_OUT_0)
            return empty && ((onyx_get(node, ONYX_SET_REGION_JOINER_REGIONS) & 2) != 0 ||
                             INPUT(REGION_JOINER_POS_IN_0));
        if (port == ONYX_PORT_REGION_JOINER_POS_OUT_1)
            return empty && ((onyx_get(node, ONYX_SET_REGION_JOINER_REGIONS) & 1) != 0 ||
                             INPUT(REGION_JOINER_POS_IN_1));
        return false;
    case ONYX_CRDDROP: /* the stop of a dropped fiber vanishes from the inner stream, level and all */
        if (port == ONYX_PORT_CRDDROP_COORD_OUT_1)
            return INPUT(CRDDROP_COORD_IN_1);
        return t == TRAIT_LOST_STOPS || INPUT(CRDDROP_COORD_IN_0);
    case ONYX_CRDHOLD:
        return port == ONYX_PORT_CRDHOLD_COORD_OUT_1 ? INPUT(CRDHOLD_COORD_IN_1) : INPUT(CRDHOLD_COORD_IN_0);
    case ONYX_REPEAT:
        return INPUT(REPEAT_PROC_DATA_IN) || INPUT(REPEAT_REPSIG_DATA_IN);
    case ONYX_GATE:
        return port == ONYX_PORT_GATE_CRD_OUT && INPUT(GATE_CRD_IN);
    case ONYX_RSG:
        return INPUT(RSG_BASE_DATA_IN);
    case ONYX_VECTOR_REDUCER:
        return values && port == ONYX_PORT_VECTOR_REDUCER_VAL_OUT;
    case ONYX_REDUCE:
        return values || (!empty && INPUT(REDUCE_DATA_IN));
    case ONYX_ALU: /* an empty operand counts as 0 */
        return values || (!empty && (INPUT(ALU_DATA0) || INPUT(ALU_DATA1)));
    case ONYX_NONE:
    case ONYX_GLB_IN:
    case ONYX_GLB_OUT:
    case ONYX_WRITE_SCANNER:
    case ONYX_BUFFET:
    case ONYX_SRAM:
    case ONYX_KINDS:
        return false;
    }
#undef INPUT
    return false;
}

/* Least fixed point: carries[sink] of a link = emits(source). Each pass settles at least one more link. */
static const bool *spread(const checker *c, trait t) {
    const onyx_graph *g = c->g;
    bool *carries = arena_new_n(g->mem, bool, ((size_t)g->nodes.len + 1) * ONYX_PORTS);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < g->links.len; i++) {
            const onyx_link *l = &g->links.at[i];
            bool *in = &carries[slot(l->sink, l->sink_port)];
            if (!*in && emits(c, carries, l->source, l->source_port, t))
                *in = changed = true;
        }
    }
    return carries;
}

/* An intersecter takes the empty token for the end of the fiber, and a reducer hangs. */
static bool takes_empty_token(const checker *c, const onyx_link *l) {
    if (l->sink_port == ONYX_PORT_REDUCE_DATA_IN)
        return false;
    bool reference = l->sink_port == ONYX_PORT_JOINER_POS_IN_0 || l->sink_port == ONYX_PORT_JOINER_POS_IN_1;
    return !reference || onyx_get(onyx_node_at(c->g, l->sink), ONYX_SET_JOINER_OP) != 0;
}

/* A joiner passes values on if its reference input carries values; only values may drive an adder. */
static void check_summands(checker *c, const onyx_link *l, const bool *values) {
    bool pos = l->source_port == ONYX_PORT_JOINER_POS_OUT_0 || l->source_port == ONYX_PORT_JOINER_POS_OUT_1;
    bool to_alu = l->sink_port == ONYX_PORT_ALU_DATA0 || l->sink_port == ONYX_PORT_ALU_DATA1;
    if (!pos || values[slot(l->sink, l->sink_port)] == to_alu)
        return;
    diag_error(c->d, l->loc, "E0420-neighbour", "%s must not drive %s: it carries %s", source_name(c->g, l),
               sink_name(c->g, l), to_alu ? "references" : "values");
    diag_hint(c->d, "values go through the unioner of an accumulator only, and to its adder");
}

/* Returns whether the node is an outermost dense level of one coordinate: its only position is 0. */
static bool is_single_root(const onyx_node_data *n) {
    return n->kind == ONYX_READ_SCANNER && onyx_get(n, ONYX_SET_READ_SCANNER_DENSE) != 0 &&
           onyx_get(n, ONYX_SET_READ_SCANNER_ROOT) != 0 && onyx_get(n, ONYX_SET_READ_SCANNER_DIM_SIZE) == 1;
}

static void refuse_reference(checker *c, const onyx_link *l, const char *carries, const char *hint) {
    diag_error(c->d, l->loc, "E0420-neighbour", "%s must not drive %s: it carries %s", source_name(c->g, l),
               sink_name(c->g, l), carries);
    diag_hint(c->d, "%s", hint);
}

/* Returns whether a stream with a table fills the read scanner's memory. */
static bool reads_table(const checker *c, onyx_node read) {
    bool found = false;
    for (uint32_t n = 1; n <= c->g->nodes.len && !found; n++) {
        const onyx_node_data *write = onyx_node_at(c->g, (onyx_node){n});
        const onyx_link *load = write->kind == ONYX_WRITE_SCANNER
                                    ? c->driver[slot((onyx_node){n}, ONYX_PORT_WRITE_SCANNER_BLOCK_WR_IN)]
                                    : NULL;
        found = load && name_eq(write->tile, onyx_node_at(c->g, read)->tile) &&
                onyx_node_at(c->g, load->source)->table.n != 0;
    }
    return found;
}

/* The result of an operation is a reference only if the result is 0 (the difference of a stream and itself),
 * or if the reference addresses a table. */
static void check_zero(checker *c, const onyx_link *l) {
    const bool values =
        l->source_port == ONYX_PORT_ALU_RES || l->source_port == ONYX_PORT_READ_SCANNER_VAL_OUT;
    if (!values || l->sink_port != ONYX_PORT_READ_SCANNER_US_POS_IN || reads_table(c, l->sink))
        return;
    if (l->source_port != ONYX_PORT_ALU_RES) {
        refuse_reference(c, l, "values", "only the words of a table are addressed by values");
        return;
    }
    const onyx_link *a = c->driver[slot(l->source, ONYX_PORT_ALU_DATA0)],
                    *b = c->driver[slot(l->source, ONYX_PORT_ALU_DATA1)];
    if (a == NULL || b == NULL || a->source.v != b->source.v || a->source_port != b->source_port ||
        onyx_node_at(c->g, l->source)->op != onyx_alu_find("sub", false))
        refuse_reference(c, l, "values", "only a stream less itself may, whose values are 0");
}

/* A reducer takes the stop behind the only position of an outermost level: its result is the reference of a
 * scalar. No other positions may drive a reducer, and no other sums are references. */
static void check_scalar(checker *c, const onyx_link *l) {
    static const char hint[] = "only a dense root with one coordinate may, through a reducer";
    if (l->source_port == ONYX_PORT_READ_SCANNER_POS_OUT && l->sink_port == ONYX_PORT_REDUCE_DATA_IN &&
        !is_single_root(onyx_node_at(c->g, l->source)))
        refuse_reference(c, l, "references", hint);
    if (l->source_port != ONYX_PORT_REDUCE_DATA_OUT || l->sink_port != ONYX_PORT_READ_SCANNER_US_POS_IN)
        return;
    const onyx_link *from = c->driver[slot(l->source, ONYX_PORT_REDUCE_DATA_IN)];
    if (from == NULL || from->source_port != ONYX_PORT_READ_SCANNER_POS_OUT)
        refuse_reference(c, l, "values", hint);
}

static void check_streams(checker *c) {
    const onyx_graph *g = c->g;
    const bool *values = spread(c, TRAIT_VALUES);
    const bool *empty = spread(c, TRAIT_EMPTY_TOKEN), *lost = spread(c, TRAIT_LOST_STOPS);
    for (uint32_t i = 0; i < g->links.len; i++) {
        const onyx_link *l = &g->links.at[i];
        check_summands(c, l, values);
        check_zero(c, l);
        check_scalar(c, l);
        if (empty[slot(l->sink, l->sink_port)] && !takes_empty_token(c, l)) {
            diag_unmappable(c->d, l->loc, "E0428-empty-token",
                            "%s may receive the empty token from %s, which the chip's %s mistakes",
                            sink_name(g, l), source_name(g, l),
                            onyx_kind_table[onyx_node_at(g, l->sink)->kind].name);
            diag_hint(c->d,
                      "a union must not feed a product in the same expression; distribute the product or "
                      "compute the sum into a temporary first");
        }
        bool counts_levels =
            l->sink_port != ONYX_PORT_WRITE_SCANNER_DATA_IN && l->sink_port != ONYX_PORT_REDUCE_DATA_IN;
        if (lost[slot(l->sink, l->sink_port)] && counts_levels) {
            diag_unmappable(
                c->d, l->loc, "E0429-lost-stop",
                "%s needs every stop, but %s comes from a coordinate dropper, which loses the stops of "
                "dropped fibers",
                sink_name(g, l), source_name(g, l));
            diag_hint(
                c->d,
                "behind a dropper's inner output only a reducer or a writer is safe; choose a loop order "
                "with the result's variable that may meet no coordinates outermost, as reorder(j,i,k,l) "
                "for X(i,j)=B(i,k,l)*C(k,j)*D(l,j), or store operands dense");
        }
    }
}

bool lower_check(const onyx_graph *g, diagnostics *d) {
    uint32_t before = d->errors + d->unmappable;
    size_t slots = ((size_t)g->nodes.len + 1) * ONYX_PORTS;
    checker c = {.g = g,
                 .d = d,
                 .driver = arena_alloc(g->mem, slots * sizeof *c.driver),
                 .sinks = arena_new_n(g->mem, uint32_t, slots)};
    for (uint32_t i = 0; i < g->links.len; i++) {
        check_link(&c, &g->links.at[i]);
        count_link(&c, &g->links.at[i]);
        check_fan_out(&c, i);
        check_shares(&c, i);
        check_chain(&c, &g->links.at[i]);
    }
    for (uint32_t n = 1; n <= g->nodes.len; n++) {
        check_tile(&c, (onyx_node){n});
        for (uint32_t p = 1; p < ONYX_PORTS; p++) {
            if (onyx_port_table[p].kind == onyx_node_at(g, (onyx_node){n})->kind)
                check_port(&c, (onyx_node){n}, (onyx_port)p);
        }
        check_root(&c, (onyx_node){n});
    }
    const bool acyclic = check_cycles(&c);
    check_streams(&c);
    if (acyclic)
        lower_check_absent(g, d);
    return d->errors + d->unmappable == before;
}
