/* The units of the SAM project's published simulator, cycle for cycle. docs/simulator.md describes the
 * differences from the ideal units; here hollow depths are carried along without meaning.
 *
 * Units without a difference are those of sim_units.c. */
#include "sam/coordinates.h"
#include "sam/sim_units.h"

static bool same_stop(sim_token a, sim_token b) {
    return sim_is_stop(a) && sim_is_stop(b) && sim_level(a) == sim_level(b);
}

/* ---- level scanner --------------------------------------------------------------------------- */

static void scan_put(sim_machine *m, sim_unit *u, sim_token crd, sim_token ref) {
    sim_emit(m, u, 0, crd);
    sim_emit(m, u, 1, ref);
}

static void scan_open(sim_unit *u, uint32_t at, uint32_t end) {
    u->s.scan.at = u->s.scan.base = at;
    u->s.scan.end = end;
    u->s.scan.open = true;
}

/* The fiber is out and a token is queued: its stop. */
static void scan_close(sim_machine *m, sim_unit *u) {
    bool outer = sim_is_stop(sim_head(u->in[0]));
    sim_token stop = sim_stop(outer ? sim_level(sim_pop(u->in[0])) + 1 : 0, 0);
    scan_put(m, u, stop, stop);
    u->s.scan.open = false;
}

static void scan_control(sim_machine *m, sim_unit *u, sim_token t) {
    sim_token out = sim_is_stop(t) ? sim_stop(sim_level(t) + 1, 0) : t;
    scan_put(m, u, out, out);
    if (t == SIM_DONE)
        sim_finish(m, u);
}

/* Looks ahead: even inside a fiber the unit moves only with a queued token. */
static bool step_compressed(sim_machine *m, sim_unit *u) {
    const sam_level_data *level = u->s.scan.level;
    if (!sim_has(u->in[0]))
        return false;
    if (!u->s.scan.open) {
        sim_token t = sim_head(u->in[0]);
        if (sim_is_number(t) && t >= u->s.scan.fibers)
            return sim_refuse(m, u, "the reference is beyond the last fiber");
        sim_pop(u->in[0]);
        if (t == SIM_EMPTY) {
            scan_open(u, 0, 0);
            scan_put(m, u, t, t);
            return true;
        }
        if (!sim_is_number(t)) {
            scan_control(m, u, t);
            return true;
        }
        scan_open(u, level->seg[t], level->seg[t + 1]);
        if (u->s.scan.at == u->s.scan.end && !sim_has(u->in[0]))
            return true;
    }
    if (u->s.scan.at == u->s.scan.end) {
        scan_close(m, u);
    } else {
        scan_put(m, u, level->crd[u->s.scan.at], u->s.scan.at);
        u->s.scan.at++;
    }
    return true;
}

static bool step_dense(sim_machine *m, sim_unit *u) {
    bool in_fiber = u->s.scan.open && u->s.scan.at < u->s.scan.end;
    if (!in_fiber && !sim_has(u->in[0]))
        return false;
    if (u->s.scan.open && !in_fiber) {
        scan_close(m, u);
        return true;
    }
    if (!in_fiber) {
        sim_token t = sim_head(u->in[0]);
        if (t == SIM_EMPTY || sim_is_stop(t))
            return sim_refuse(m, u, "the published dense scanner takes only references here");
        if (sim_is_number(t) && t >= u->s.scan.fibers)
            return sim_refuse(m, u, "the reference is beyond the last fiber");
        sim_pop(u->in[0]);
        if (t == SIM_DONE) {
            scan_control(m, u, t);
            return true;
        }
        scan_open(u, t * u->s.scan.level->dim, (t + 1) * u->s.scan.level->dim);
    }
    scan_put(m, u, u->s.scan.at - u->s.scan.base, u->s.scan.at);
    u->s.scan.at++;
    return true;
}

/* ---- joiners --------------------------------------------------------------------------------- */

static void pair_advance(sim_unit *u, uint32_t operand) {
    for (uint32_t i = 2 * operand; i < 2 * operand + 2; i++)
        u->s.pairs.at[i] = sim_pop(u->in[i]);
}

static void pair_emit(sim_machine *m, sim_unit *u, sim_token crd, sim_token ref0, sim_token ref1) {
    sim_emit(m, u, 0, crd);
    sim_emit(m, u, 1, ref0);
    sim_emit(m, u, 2, ref1);
}

/* The compared pairs have left the queues; the unit moves only with more tokens queued on both sides. */
static bool pairs_wait(sim_machine *m, sim_unit *u) {
    const sim_token *at = u->s.pairs.at;
    if (u->s.pairs.loaded && at[0] == SIM_DONE && at[2] == SIM_DONE) {
        pair_emit(m, u, SIM_DONE, SIM_DONE, SIM_DONE);
        sim_finish(m, u);
        return true;
    }
    return !sim_has(u->in[0]) || !sim_has(u->in[1]) || !sim_has(u->in[2]) || !sim_has(u->in[3]);
}

static bool step_intersect(sim_machine *m, sim_unit *u) {
    if (pairs_wait(m, u))
        return u->done;
    const sim_token *at = u->s.pairs.at;
    sim_token a = at[0], b = at[2];
    bool both = !u->s.pairs.loaded;
    u->s.pairs.loaded = true;
    if (both) {
        /* The first pairs take a cycle to load. */
    } else if (a == SIM_EMPTY || b == SIM_EMPTY) {
        pair_emit(m, u, SIM_EMPTY, SIM_EMPTY, SIM_EMPTY);
        both = true;
    } else if (same_stop(a, b) || (a == b && sim_is_number(a))) {
        pair_emit(m, u, a, at[1], at[3]);
        both = true;
    } else if (!sim_is_number(a) && !sim_is_number(b)) {
        return sim_refuse(m, u, "the operands' fibers end differently");
    }
    bool first = both || !sim_is_number(b) || (sim_is_number(a) && a < b);
    if (first)
        pair_advance(u, 0);
    if (both || !first)
        pair_advance(u, 1);
    return true;
}

static bool step_union(sim_machine *m, sim_unit *u) {
    if (pairs_wait(m, u))
        return u->done;
    const sim_token *at = u->s.pairs.at;
    sim_token a = at[0], b = at[2];
    if (!u->s.pairs.loaded) {
        u->s.pairs.loaded = true;
        pair_advance(u, 0);
        pair_advance(u, 1);
        return true;
    }
    if (a == b || same_stop(a, b)) {
        pair_emit(m, u, a, at[1], at[3]);
        pair_advance(u, 0);
        pair_advance(u, 1);
        return true;
    }
    if (!sim_is_element(a) && !sim_is_element(b))
        return sim_refuse(m, u, "the operands' fibers end differently");
    /* "Nothing" counts as less than an end and as more than a coordinate: it comes out at the end of the
     * fiber, as a coordinate without a value. */
    if (a < b ? sim_is_element(a) : !sim_is_element(b)) {
        pair_emit(m, u, a, at[1], SIM_EMPTY);
        pair_advance(u, 0);
    } else {
        pair_emit(m, u, b, SIM_EMPTY, at[3]);
        pair_advance(u, 1);
    }
    return true;
}

/* ---- operations and the scalar reducer ------------------------------------------------------- */

/* A value that meets a stop is combined with 0, and the stop waits. */
static bool step_alu(sim_machine *m, sim_unit *u) {
    bool streams = u->s.alu.f && u->n_in == 2 && !u->s.alu.is_constant[0] && !u->s.alu.is_constant[1];
    if (streams && sim_has(u->in[0]) && sim_has(u->in[1])) {
        sim_token a = sim_head(u->in[0]), b = sim_head(u->in[1]);
        bool value_a = sim_is_number(a), value_b = sim_is_number(b);
        if ((value_a || value_b) && a != SIM_DONE && b != SIM_DONE) {
            uint16_t x = value_a ? (uint16_t)sim_pop(u->in[0]) : 0;
            uint16_t y = value_b ? (uint16_t)sim_pop(u->in[1]) : 0;
            sim_emit(m, u, 0, u->s.alu.f(x, y));
            return true;
        }
    }
    return sim_step(m, u);
}

/* Emits a zero for every stop that follows a stop. */
static bool step_reduce(sim_machine *m, sim_unit *u) {
    bool ends = !u->s.reduce.has_stop && sim_has(u->in[0]) && sim_is_stop(sim_head(u->in[0]));
    if (!ends)
        return sim_step(m, u);
    uint32_t level = sim_level(sim_pop(u->in[0]));
    sim_emit(m, u, 0, u->s.reduce.sum);
    u->s.reduce.sum = u->s.reduce.empty;
    u->s.reduce.has_stop = level > 0;
    u->s.reduce.stop = sim_stop(level ? level - 1 : 0, 0);
    return true;
}

/* ---- coordinate dropper and hold ------------------------------------------------------------- */

static void drop_take_outer(sim_machine *m, sim_unit *u) {
    sim_token t = sim_pop(u->in[0]);
    if (sim_is_element(t)) {
        u->s.published_drop.outer = t;
        u->s.published_drop.holds = true;
        u->s.published_drop.seen = u->s.published_drop.after_stop = false;
        return;
    }
    sim_emit(m, u, 0, t);
    u->s.published_drop.owes_inner = u->s.published_drop.after_stop;
    u->s.published_drop.after_stop = true;
}

/* The inner stream passes unchanged; an outer coordinate leaves at the end of its inner fiber. */
static bool step_drop(sim_machine *m, sim_unit *u) {
    bool moved = false;
    if (!u->s.published_drop.holds && !u->s.published_drop.owes_inner && sim_has(u->in[0])) {
        drop_take_outer(m, u);
        moved = true;
    }
    if ((!u->s.published_drop.holds && !u->s.published_drop.owes_inner) || !sim_has(u->in[1]))
        return moved;
    sim_token t = sim_head(u->in[1]);
    if (sim_is_element(t) ? u->s.published_drop.owes_inner : t == SIM_DONE && u->s.published_drop.holds)
        return sim_refuse(m, u, "the inner fibers are not those of the outer coordinates");
    sim_emit(m, u, 1, sim_pop(u->in[1]));
    if (sim_is_number(t)) {
        u->s.published_drop.seen = true;
    } else if (!sim_is_element(t)) {
        if (u->s.published_drop.holds && u->s.published_drop.seen)
            sim_emit(m, u, 0, u->s.published_drop.outer);
        u->s.published_drop.holds = u->s.published_drop.owes_inner = false;
        if (t == SIM_DONE)
            sim_finish(m, u);
    }
    return true;
}

/* A repeat signal generator on the inner stream and a repeater on the outer stream, which sees a signal a
 * cycle after the inner token. */
static bool step_hold(sim_machine *m, sim_unit *u) {
    sim_unit *repeater = u->s.hold;
    repeater->out = u->out;
    repeater->n_out = u->n_out;
    bool moved = sim_step(m, repeater);
    u->done = repeater->done;
    if (!sim_has(u->in[1]))
        return moved;
    sim_token t = sim_pop(u->in[1]);
    sim_emit(m, u, 1, t);
    sim_push(m->mem, repeater->in[1], sim_is_element(t) ? 0 : sim_is_stop(t) ? sim_stop(0, 0) : SIM_DONE);
    return true;
}

static void publish_hold(sim_machine *m, sim_unit *u) {
    sim_unit *repeater = arena_new(m->mem, sim_unit);
    *repeater = (sim_unit){.step = sim_step, .kind = SAM_REPEAT, .node = u->node, .n_in = 2};
    repeater->in = arena_new_n(m->mem, sim_queue *, 2);
    repeater->in[0] = u->in[0];
    repeater->in[1] = sim_new_queue(m->mem);
    u->s.hold = repeater;
}

/* ---- sparse accumulator on points ------------------------------------------------------------ */

typedef struct {
    uint64_t at; /* outer << 32 | inner */
    uint16_t value;
} point;

enum { INNER, VALUE, OUTER, OPERANDS };

/* Stops are deleted, a cycle later values are added up by coordinates, and in the same cycle points become
 * coordinate streams again. A vector has no outer coordinate. */
struct sim_accumulator {
    uint32_t order;    /* 1: rows come in order and leave when the next row begins; 2: all leave at the end */
    uint32_t operands; /* OUTER or OPERANDS */
    uint32_t port[OPERANDS];    /* of the node, input or output */
    sim_queue *plain[OPERANDS]; /* without stops */
    sim_operation add;
    VEC(point) points; /* points from `accumulating` on still accumulate, earlier points leave */
    uint32_t sent, accumulating;
    point *spare;
    bool ending, sums_done;   /* the end was taken in; and put out */
    sim_queue *inner, *outer; /* of the points that left */
    bool started, separated;  /* an outer coordinate is out; the stop before the next coordinate is out */
    uint32_t last_outer;
    bool closed; /* the last stops are out */
};

/* Stable: values of a point are added in order of arrival. */
static void sort_points(point *at, uint32_t n, point *spare) {
    if (n < 2)
        return;
    uint32_t half = n / 2, i = 0, j = half, k = 0;
    sort_points(at, half, spare);
    sort_points(at + half, n - half, spare);
    while (i < half || j < n)
        spare[k++] = j == n || (i < half && at[i].at <= at[j].at) ? at[i++] : at[j++];
    memcpy(at, spare, n * sizeof *at);
}

/* Adds up the points that do not leave yet. */
static void combine_points(struct sim_accumulator *a) {
    if (a->points.len == a->accumulating) /* the array may be absent */
        return;
    point *at = a->points.at + a->accumulating;
    uint32_t n = a->points.len - a->accumulating, kept = 0;
    sort_points(at, n, a->spare);
    for (uint32_t i = 0; i < n; i++) {
        if (kept && at[kept - 1].at == at[i].at)
            at[kept - 1].value = a->add(at[kept - 1].value, at[i].value);
        else
            at[kept++] = at[i];
    }
    a->points.len = a->accumulating + kept;
}

/* Room for another point: forgets points that left, adds up, and grows only if less than half became free. */
static void make_room(arena *mem, struct sim_accumulator *a) {
    if (a->points.len < a->points.cap)
        return;
    combine_points(a);
    a->points.len -= a->sent;
    a->accumulating -= a->sent;
    if (a->sent)
        memmove(a->points.at, a->points.at + a->sent, a->points.len * sizeof *a->points.at);
    a->sent = 0;
    if (a->points.len <= a->points.cap / 2 && a->points.cap)
        return;
    vec_reserve(mem, (void **)&a->points.at, a->points.cap, &a->points.cap, sizeof *a->points.at);
    a->spare = arena_new_n(mem, point, a->points.cap);
}

static bool delete_stops(sim_machine *m, sim_unit *u) {
    struct sim_accumulator *a = u->s.accumulator;
    bool moved = false;
    for (uint32_t i = 0; i < a->operands; i++) {
        sim_queue *in = u->in[a->port[i]];
        if (!sim_has(in))
            continue;
        sim_token t = sim_pop(in);
        if (!sim_is_stop(t))
            sim_push(m->mem, a->plain[i], t);
        moved = true;
    }
    return moved;
}

/* A point for each operand's head; the first point of a new row releases the previous row. */
static bool take_point(sim_machine *m, sim_unit *u) {
    struct sim_accumulator *a = u->s.accumulator;
    sim_token t[OPERANDS] = {0};
    uint32_t ended = 0;
    for (uint32_t i = 0; i < a->operands; i++) {
        if (!sim_has(a->plain[i]))
            return false;
        t[i] = sim_head(a->plain[i]);
        ended += t[i] == SIM_DONE;
    }
    if (ended && ended < a->operands)
        return sim_refuse(m, u, "coordinates and values are not in step");
    for (uint32_t i = 0; i < a->operands; i++)
        sim_pop(a->plain[i]);
    bool new_row = a->order == 1 && a->points.len > a->accumulating &&
                   a->points.at[a->accumulating].at >> 32 != t[OUTER];
    if (ended || new_row) {
        combine_points(a);
        a->accumulating = a->points.len;
        a->ending = ended;
    }
    if (!ended) {
        make_room(m->mem, a);
        a->points.at[a->points.len++] =
            (point){(uint64_t)t[OUTER] << 32 | t[INNER], t[VALUE] == SIM_EMPTY ? 0 : (uint16_t)t[VALUE]};
    }
    return true;
}

static bool send_point(sim_machine *m, sim_unit *u) {
    struct sim_accumulator *a = u->s.accumulator;
    if (a->sent < a->accumulating) {
        point p = a->points.at[a->sent++];
        sim_push(m->mem, a->outer, (sim_token)(p.at >> 32));
        sim_push(m->mem, a->inner, (sim_token)p.at);
        sim_emit(m, u, a->port[VALUE], p.value);
        return true;
    }
    if (!a->ending || a->sums_done)
        return false;
    a->sums_done = true;
    sim_push(m->mem, a->outer, SIM_DONE);
    sim_push(m->mem, a->inner, SIM_DONE);
    sim_emit(m, u, a->port[VALUE], SIM_DONE);
    return true;
}

static void put_point(sim_machine *m, sim_unit *u, sim_token inner, sim_token outer) {
    const struct sim_accumulator *a = u->s.accumulator;
    sim_emit(m, u, a->port[INNER], inner);
    if (a->operands == OPERANDS)
        sim_emit(m, u, a->port[OUTER], outer);
}

/* Points to streams: a stop between rows costs a cycle, and so do the stops at the end. */
static bool put_streams(sim_machine *m, sim_unit *u) {
    struct sim_accumulator *a = u->s.accumulator;
    if (!sim_has(a->inner))
        return false;
    sim_token inner = sim_head(a->inner), outer = sim_head(a->outer);
    bool vector = a->operands == OUTER, new_row = !a->started || outer != a->last_outer;
    if (inner == SIM_DONE && !a->closed) {
        put_point(m, u, sim_stop(vector ? 0 : 1, 0), sim_stop(0, 0));
        a->closed = true;
        return true;
    }
    if (inner == SIM_DONE) {
        put_point(m, u, SIM_DONE, SIM_DONE);
        sim_finish(m, u);
        return true;
    }
    if (a->started && new_row && !a->separated) {
        sim_emit(m, u, a->port[INNER], sim_stop(0, 0));
        a->separated = true;
        return true;
    }
    sim_pop(a->inner);
    sim_pop(a->outer);
    if (new_row)
        put_point(m, u, inner, outer);
    else
        sim_emit(m, u, a->port[INNER], inner);
    a->started = true;
    a->separated = false;
    a->last_outer = outer;
    return true;
}

static bool step_accumulator(sim_machine *m, sim_unit *u) {
    bool moved = take_point(m, u);
    moved = send_point(m, u) || moved;
    moved = put_streams(m, u) || moved;
    moved = delete_stops(m, u) || moved; /* last: its output is seen in the next cycle */
    for (uint32_t i = u->s.accumulator->port[VALUE] + 1; i < u->n_in; i++)
        u->in[i]->begin = u->in[i]->end; /* nobody reads these */
    return moved;
}

static bool publish_accumulator(sim_machine *m, sim_unit *u) {
    const sam_node_data *node = sam_node_at(m->g, u->node);
    name_id order = sam_attribute_of(m->g, u->node, "order");
    const sam_operator *monoid = sam_reducing(m->g, u->node);
    uint32_t crds = 0;
    while (sam_attribute_of(m->g, u->node, arena_printf(m->mem, "in%u", crds)).v)
        crds++;
    const char *text = order.v ? names_text(m->g->names, order) : "";
    if (crds < 1 || crds > 2 || (strcmp(text, "1") != 0 && strcmp(text, "2") != 0)) {
        diag_error(m->d, node->loc, "E0235-unsupported", "%s: order '%s' with %u coordinates",
                   sam_node_label(m->g, u->node, m->mem), text, crds);
        return diag_hint(m->d, "the published accumulators have order 1 or 2, and one or two coordinates");
    }
    struct sim_accumulator *a = arena_new(m->mem, struct sim_accumulator);
    a->order = *text == '1' ? 1 : 2;
    a->operands = crds == 1 ? OUTER : OPERANDS;
    a->port[OUTER] = 1;
    a->port[VALUE] = crds;
    a->inner = sim_new_queue(m->mem);
    a->outer = sim_new_queue(m->mem);
    for (uint32_t i = 0; i < OPERANDS; i++)
        a->plain[i] = sim_new_queue(m->mem);
    a->add = monoid->apply;
    u->s.accumulator = a;
    return true;
}

/* ---- writer ---------------------------------------------------------------------------------- */

/* "Nothing" replaces a coordinate; it reads as 0. */
static bool step_write(sim_machine *m, sim_unit *u) {
    return sim_has(u->in[0]) && sim_record(m, u);
}

/* ---- which unit ------------------------------------------------------------------------------ */

bool sim_publish(sim_machine *m, sim_unit *u) {
    static sim_step_function *const steps[SAM_PRIMITIVES] = {
        [SAM_FIBERLOOKUP] = step_compressed,
        [SAM_ARRAYVALS] = sim_step,
        [SAM_FIBERWRITE] = step_write,
        [SAM_REPEAT] = sim_step,
        [SAM_REPSIGGEN] = sim_step,
        [SAM_INTERSECT] = step_intersect,
        [SAM_UNION] = step_union,
        [SAM_ALU] = step_alu,
        [SAM_REDUCE] = step_reduce,
        [SAM_CRDDROP] = step_drop,
        [SAM_CRDHOLD] = step_hold,
        [SAM_SPACCUMULATOR] = step_accumulator,
    };
    u->step = steps[u->kind];
    bool skips = u->kind == SAM_FIBERLOOKUP && (u->n_in > 1 || u->s.scan.seg[0]);
    if (!u->step || skips || u->compress) {
        diag_error(m->d, sam_node_at(m->g, u->node)->loc, "E0235-unsupported",
                   "the published simulator has no such primitive: %s",
                   sam_node_label(m->g, u->node, m->mem));
        return diag_hint(m->d, "use the ideal timing");
    }
    if (u->kind == SAM_FIBERLOOKUP && u->s.scan.level->format == SAM_LEVEL_DENSE)
        u->step = step_dense;
    if (u->kind == SAM_INTERSECT || u->kind == SAM_UNION)
        u->s.pairs.loaded = false;
    if (u->kind == SAM_CRDDROP)
        u->s.published_drop.after_stop = true;
    if (u->kind == SAM_CRDHOLD)
        publish_hold(m, u);
    return u->kind != SAM_SPACCUMULATOR || publish_accumulator(m, u);
}
