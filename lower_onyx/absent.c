/* absent.c - places that the empty token, and the empty fibers of an absent operand, may reach for any data.
 *
 * A unioner gives the empty token to an operand without a coordinate. A compressed scanner turns the empty
 * token into an empty fiber: a stop directly behind a stop, in all streams of all inner loops. The chip's
 * dense scanner takes the second stop for a reference. Joiners, repeaters, droppers and writers take an empty
 * token among their coordinates or signals for a stop, or stand still.
 *
 * The check enumerates points of the loops: at a point each scanner of a compressed level that is not whole
 * either has the coordinate or lacks the coordinate. A choice is possible if every joiner around has its
 * coordinate. Assumptions: operands are independent of each other, and each stored coordinate has something
 * below. Padding and the monitors handle intersections that are empty by their data. O(2^scanners * links *
 * depth), for up to MOST scanners below unioners; the check says nothing of graphs with more.
 */
#include "lower_onyx/absent.h"

enum { MOST = 12 };

/* A point: the stored coordinates of the counted scanners. */
typedef struct {
    const onyx_graph *g;
    const onyx_link **driver; /* [node * ONYX_PORTS + port]: the link into the input */
    uint8_t *bit;             /* by node: 1 + its bit in `having`; 0: the node has every coordinate */
    uint32_t scanners;
    uint32_t having;
    bool *numbered;        /* by node: the joiner's scanners have their bits */
    uint32_t *has, *empty; /* by node: what the joiner's coordinates are at one point (recall) */
} point;

/* The driver of an input; node 0: none. */
typedef struct {
    onyx_node node;
    onyx_port port;
} origin;

static origin into(const point *p, onyx_node node, onyx_port port) {
    const onyx_link *l = p->driver[(size_t)(node.v - 1) * ONYX_PORTS + (size_t)port];
    return l ? (origin){l->source, l->source_port} : (origin){0};
}

static bool is_set(const point *p, onyx_node node, onyx_setting setting) {
    return onyx_get(onyx_node_at(p->g, node), setting) != 0;
}

static origin references_of(const point *p, onyx_node scanner) {
    return into(p, scanner, ONYX_PORT_READ_SCANNER_US_POS_IN);
}

/* ---- joiners of both kinds ------------------------------------------------------------------- */

static bool is_joiner(onyx_kind kind) {
    return kind == ONYX_JOINER || kind == ONYX_REGION_JOINER;
}

static origin side_coordinates(const point *p, onyx_node joiner, int side) {
    const bool plain = onyx_node_at(p->g, joiner)->kind == ONYX_JOINER;
    return into(p, joiner,
                plain ? (side ? ONYX_PORT_JOINER_COORD_IN_1 : ONYX_PORT_JOINER_COORD_IN_0)
                      : (side ? ONYX_PORT_REGION_JOINER_COORD_IN_1 : ONYX_PORT_REGION_JOINER_COORD_IN_0));
}

static origin side_references(const point *p, onyx_node joiner, int side) {
    const bool plain = onyx_node_at(p->g, joiner)->kind == ONYX_JOINER;
    return into(p, joiner,
                plain ? (side ? ONYX_PORT_JOINER_POS_IN_1 : ONYX_PORT_JOINER_POS_IN_0)
                      : (side ? ONYX_PORT_REGION_JOINER_POS_IN_1 : ONYX_PORT_REGION_JOINER_POS_IN_0));
}

static bool is_second(onyx_port port) {
    return port == ONYX_PORT_JOINER_POS_OUT_1 || port == ONYX_PORT_REGION_JOINER_POS_OUT_1;
}

static bool is_coordinates(onyx_port port) {
    return port == ONYX_PORT_JOINER_COORD_OUT || port == ONYX_PORT_REGION_JOINER_COORD_OUT;
}

/* Returns the regions that a joiner gives, as bits of RTL's regions: side 0 alone, side 1 alone, both. */
static uint32_t regions_of(const point *p, onyx_node joiner) {
    if (onyx_node_at(p->g, joiner)->kind == ONYX_REGION_JOINER)
        return onyx_get(onyx_node_at(p->g, joiner), ONYX_SET_REGION_JOINER_REGIONS);
    return is_set(p, joiner, ONYX_SET_JOINER_OP) ? 7 : 4;
}

/* `sides`: the sides with the coordinate, a bit each. */
static bool gives(uint32_t regions, uint32_t sides) {
    return sides != 0 && (regions >> (sides - 1) & 1);
}

/* ---- a point ---------------------------------------------------------------------------------- */

static bool is_absent(const point *p, origin ref);

/* Operands share joiners, so each one is decided once a point: 2 * (1 + the point), and the answer. */
static bool recall(const point *p, uint32_t known, bool *answer) {
    *answer = known & 1;
    return known >> 1 == p->having + 1;
}

static uint32_t note(const point *p, bool answer) {
    return (p->having + 1) << 1 | (uint32_t)answer;
}

/* Droppers, holders and gates pass coordinates on. */
static origin passed_by(const point *p, origin crd) {
    switch ((int)crd.port) {
    case ONYX_PORT_CRDDROP_COORD_OUT_0:
        return into(p, crd.node, ONYX_PORT_CRDDROP_COORD_IN_0);
    case ONYX_PORT_CRDDROP_COORD_OUT_1:
        return into(p, crd.node, ONYX_PORT_CRDDROP_COORD_IN_1);
    case ONYX_PORT_CRDHOLD_COORD_OUT_0:
        return into(p, crd.node, ONYX_PORT_CRDHOLD_COORD_IN_0);
    case ONYX_PORT_CRDHOLD_COORD_OUT_1:
        return into(p, crd.node, ONYX_PORT_CRDHOLD_COORD_IN_1);
    case ONYX_PORT_GATE_CRD_OUT:
        return into(p, crd.node, ONYX_PORT_GATE_CRD_IN);
    default:
        return (origin){0};
    }
}

/* Returns whether the coordinate stream has the coordinate of the point. */
static bool has(const point *p, origin crd) {
    if (crd.node.v == 0)
        return true;
    const onyx_kind kind = onyx_node_at(p->g, crd.node)->kind;
    if (kind == ONYX_READ_SCANNER) {
        const uint8_t bit = p->bit[crd.node.v];
        return !is_absent(p, references_of(p, crd.node)) && (bit == 0 || p->having >> (bit - 1) & 1);
    }
    if (!is_joiner(kind))
        return has(p, passed_by(p, crd));
    bool known;
    if (recall(p, p->has[crd.node.v], &known))
        return known;
    known = gives(regions_of(p, crd.node), (uint32_t)has(p, side_coordinates(p, crd.node, 0)) |
                                               (uint32_t)has(p, side_coordinates(p, crd.node, 1)) << 1);
    p->has[crd.node.v] = note(p, known);
    return known;
}

/* Returns whether the reference stream has the empty token. */
static bool is_absent(const point *p, origin ref) {
    if (ref.node.v == 0)
        return false;
    const onyx_kind kind = onyx_node_at(p->g, ref.node)->kind;
    if (kind == ONYX_READ_SCANNER)
        return is_set(p, ref.node, ONYX_SET_READ_SCANNER_DENSE) && is_absent(p, references_of(p, ref.node));
    if (kind == ONYX_REPEAT)
        return is_absent(p, into(p, ref.node, ONYX_PORT_REPEAT_PROC_DATA_IN));
    if (!is_joiner(kind) || is_coordinates(ref.port))
        return false;
    const int side = is_second(ref.port);
    return is_absent(p, side_references(p, ref.node, side)) ||
           ((regions_of(p, ref.node) & 3) && !has(p, side_coordinates(p, ref.node, side)));
}

/* Returns whether the fiber of a side of a joiner, or of what makes a repeat signal, has no coordinate
 * because operands are absent. */
static bool is_empty(const point *p, origin crd) {
    if (crd.node.v == 0)
        return false;
    const onyx_kind kind = onyx_node_at(p->g, crd.node)->kind;
    if (kind == ONYX_READ_SCANNER)
        return is_absent(p, references_of(p, crd.node));
    if (!is_joiner(kind))
        return is_empty(p, passed_by(p, crd));
    bool known;
    if (recall(p, p->empty[crd.node.v], &known))
        return known;
    const bool first = is_empty(p, side_coordinates(p, crd.node, 0)),
               second = is_empty(p, side_coordinates(p, crd.node, 1));
    const uint32_t regions = regions_of(p, crd.node);
    known = (first && second) || (first && !(regions & 2)) || (second && !(regions & 1));
    p->empty[crd.node.v] = note(p, known);
    return known;
}

/* ---- loops around ------------------------------------------------------------------------------ */

/* State of a reference stream: all loops around have the point; or one loop is empty, with the point in all
 * loops around. */
typedef struct {
    bool valid, empty;
} journey;

/* `here`: whether the loop has the point, and whether its fiber is empty. */
static journey inside_loop(journey around, journey here) {
    return (journey){around.valid && here.valid, around.empty || (around.valid && here.empty)};
}

static journey travel(const point *p, origin ref);

/* Returns the state of a reference stream ahead of the current loop. Several references go through one
 * joiner. */
static journey travel_below(const point *p, origin ref) {
    const onyx_kind kind = ref.node.v ? onyx_node_at(p->g, ref.node)->kind : ONYX_NONE;
    if (kind == ONYX_READ_SCANNER)
        return travel(p, references_of(p, ref.node));
    if (kind == ONYX_REPEAT)
        return travel(p, into(p, ref.node, ONYX_PORT_REPEAT_PROC_DATA_IN));
    if (is_joiner(kind))
        return travel_below(p, side_references(p, ref.node, is_second(ref.port)));
    return (journey){true, false};
}

static journey travel(const point *p, origin ref) {
    const onyx_kind kind = ref.node.v ? onyx_node_at(p->g, ref.node)->kind : ONYX_NONE;
    const journey around = travel_below(p, ref);
    if (kind == ONYX_READ_SCANNER) { /* a dense scanner passes the empty token on */
        const bool dense = is_set(p, ref.node, ONYX_SET_READ_SCANNER_DENSE);
        const origin crd = {ref.node, ONYX_PORT_READ_SCANNER_COORD_OUT};
        return inside_loop(around, (journey){dense || has(p, crd), !dense && is_empty(p, crd)});
    }
    if (kind == ONYX_REPEAT) {
        const origin signal = into(p, ref.node, ONYX_PORT_REPEAT_REPSIG_DATA_IN);
        const origin base = signal.node.v ? into(p, signal.node, ONYX_PORT_RSG_BASE_DATA_IN) : (origin){0};
        return inside_loop(around, (journey){has(p, base), is_empty(p, base)});
    }
    if (is_joiner(kind)) {
        const origin crd = {ref.node, kind == ONYX_JOINER ? ONYX_PORT_JOINER_COORD_OUT
                                                          : ONYX_PORT_REGION_JOINER_COORD_OUT};
        return inside_loop(around, (journey){has(p, crd), is_empty(p, crd)});
    }
    return around;
}

/* ---- what is refused --------------------------------------------------------------------------- */

/* Returns whether the link may carry the empty token to where coordinates or signals are wanted. */
static bool misleads(const point *p, const onyx_link *l) {
    const onyx_port out = l->source_port, in = l->sink_port;
    const bool crd = out == ONYX_PORT_READ_SCANNER_COORD_OUT, pos = out == ONYX_PORT_READ_SCANNER_POS_OUT;
    if ((!crd && !pos) || !is_set(p, l->source, ONYX_SET_READ_SCANNER_DENSE))
        return false;
    const origin refs = references_of(p, l->source);
    return crd && in != ONYX_PORT_READ_SCANNER_US_POS_IN && in != ONYX_PORT_REPEAT_PROC_DATA_IN &&
           is_absent(p, refs) && travel(p, refs).valid;
}

/* Returns whether a dense scanner may get a stop right behind a stop, or before any reference. */
static bool meets_stops(const point *p, onyx_node h) {
    const origin refs = onyx_node_at(p->g, h)->kind == ONYX_READ_SCANNER ? references_of(p, h) : (origin){0};
    return refs.node.v && is_set(p, h, ONYX_SET_READ_SCANNER_DENSE) && travel(p, refs).empty;
}

static void refuse_token(const point *p, const onyx_link *l, diagnostics *d) {
    diag_unmappable(d, l->loc, "E0428-empty-token",
                    "%s.%s may receive the empty token from %s.%s, which the chip's %s mistakes",
                    onyx_node_name(p->g, l->sink), onyx_port_table[l->sink_port].name,
                    onyx_node_name(p->g, l->source), onyx_port_table[l->source_port].name,
                    onyx_kind_table[onyx_node_at(p->g, l->sink)->kind].name);
    diag_hint(d, "the level is dense, and its operand may be absent: store it compressed");
}

static void refuse_stops(const point *p, onyx_node h, diagnostics *d) {
    diag_unmappable(
        d, onyx_node_at(p->g, h)->loc, "E0432-dense-stop",
        "%s is dense, and a loop around it is empty where an operand is absent: the chip's scanner "
        "takes the stop behind a stop for a reference",
        onyx_node_name(p->g, h));
    diag_hint(d, "store the level compressed, or iterate its loop further outside");
}

/* ---- all points -------------------------------------------------------------------------------- */

/* Gives the scanners behind a coordinate stream their bits. */
static void number_scanners(point *p, origin crd) {
    if (crd.node.v == 0)
        return;
    const onyx_node_data *n = onyx_node_at(p->g, crd.node);
    if (is_joiner(n->kind)) {
        if (p->numbered[crd.node.v])
            return;
        p->numbered[crd.node.v] = true;
        number_scanners(p, side_coordinates(p, crd.node, 0));
        number_scanners(p, side_coordinates(p, crd.node, 1));
    } else if (n->kind != ONYX_READ_SCANNER) {
        number_scanners(p, passed_by(p, crd));
    } else if (!is_set(p, crd.node, ONYX_SET_READ_SCANNER_DENSE) && !n->whole && p->bit[crd.node.v] == 0 &&
               p->scanners <= MOST) {
        p->bit[crd.node.v] = (uint8_t)++p->scanners;
    }
}

static void find_drivers(point *p) {
    const onyx_graph *g = p->g;
    p->driver = arena_alloc(g->mem, ((size_t)g->nodes.len + 1) * ONYX_PORTS * sizeof *p->driver);
    p->bit = arena_new_n(g->mem, uint8_t, g->nodes.len + 2);
    p->numbered = arena_new_n(g->mem, bool, g->nodes.len + 2);
    p->has = arena_new_n(g->mem, uint32_t, g->nodes.len + 2);
    p->empty = arena_new_n(g->mem, uint32_t, g->nodes.len + 2);
    for (uint32_t i = 0; i < g->links.len; i++) {
        const onyx_link *l = &g->links.at[i];
        p->driver[(size_t)(l->sink.v - 1) * ONYX_PORTS + (size_t)l->sink_port] = l;
    }
    for (uint32_t n = 1; n <= g->nodes.len; n++) {
        const onyx_node h = {n};
        if (is_joiner(onyx_node_at(g, h)->kind) && (regions_of(p, h) & 3)) {
            number_scanners(p, side_coordinates(p, h, 0));
            number_scanners(p, side_coordinates(p, h, 1));
        }
    }
}

static bool at_some_point(point *p, const onyx_link *l, onyx_node h) {
    bool found = false;
    for (p->having = 0; !found && p->having < 1u << p->scanners; p->having++)
        found = l ? misleads(p, l) : meets_stops(p, h);
    return found;
}

void lower_check_absent(const onyx_graph *g, diagnostics *d) {
    point p = {.g = g};
    find_drivers(&p);
    if (p.scanners > MOST)
        return;
    for (uint32_t i = 0; i < g->links.len; i++) {
        if (at_some_point(&p, &g->links.at[i], (onyx_node){0}))
            refuse_token(&p, &g->links.at[i], d);
    }
    for (uint32_t n = 1; n <= g->nodes.len; n++) {
        if (at_some_point(&p, NULL, (onyx_node){n}))
            refuse_stops(&p, (onyx_node){n}, d);
    }
}
