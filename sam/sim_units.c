/* A cycle of each primitive: take at most one token from each input, give at most one to each output. A
 * return without a move means waiting. */
#include "sam/sim_units.h"
#include "sam/operators.h"

/* ---- level scanner --------------------------------------------------------------------------- */

static bool scan_close(sim_machine *m, sim_unit *u) {
    if (!sim_has(u->in[0]))
        return false;
    sim_token next = sim_head(u->in[0]);
    sim_token stop = sim_stop(0, 0);
    if (sim_is_stop(next))
        stop = sim_stop(sim_level(sim_pop(u->in[0])) + 1, 0);
    u->s.scan.closing = false;
    u->s.scan.fiber++;
    sim_emit(m, u, 0, stop);
    sim_emit(m, u, 1, stop);
    return true;
}

static void scan_element(sim_machine *m, sim_unit *u) {
    if (u->kind == SAM_BVLOOKUP) {
        (sam_node_at(m->g, u->node)->words ? sim_scan_run : sim_scan_word)(m, u);
        u->s.scan.closing = u->s.scan.at == u->s.scan.end;
        return;
    }
    uint32_t at = u->s.scan.at++;
    const sam_level_data *level = u->s.scan.level;
    sim_emit(m, u, 0, level->format == SAM_LEVEL_DENSE ? at - u->s.scan.base : level->crd[at]);
    sim_emit(m, u, 1, at);
    u->s.scan.reading = u->s.scan.seg[0] ? sim_listed(u, at) - 1 : 0;
    u->s.scan.closing = u->s.scan.at == u->s.scan.end;
}

/* The scanner sets out to scan fiber t. */
static void scan_open(const sim_machine *m, sim_unit *u, uint32_t t) {
    const sam_level_data *level = u->s.scan.level;
    const sam_words words = sam_node_at(m->g, u->node)->words;
    if (u->kind == SAM_BVLOOKUP) {
        const bool blocks = words == SAM_WORDS_BLOCKS;
        u->s.scan.at = blocks ? level->seg[t] : 0;
        u->s.scan.end = blocks  ? level->seg[t + 1]
                        : words ? level->dim
                                : (level->dim + u->s.scan.width - 1) / u->s.scan.width;
        u->s.scan.base = t;
        u->s.scan.word_at = level->seg[t];
        return;
    }
    bool dense = level->format == SAM_LEVEL_DENSE;
    u->s.scan.at = u->s.scan.base = dense ? t * level->dim : level->seg[t];
    u->s.scan.end = dense ? u->s.scan.base + level->dim : level->seg[t + 1];
}

/* Takes the arrived skip requests. Requests of this fiber remove coordinates not yet emitted; a stop removes
 * the rest. */
static void scan_skip(sim_unit *u) {
    sim_queue *skips = u->in[1];
    for (; u->s.scan.skips; u->s.scan.skips--) {
        sim_token t = sim_pop(skips);
        bool here = u->s.scan.skip_fiber == u->s.scan.fiber;
        u->s.scan.skip_fiber += sim_is_stop(t);
        if (!here || u->s.scan.at == u->s.scan.end)
            continue;
        u->s.scan.at = sim_is_stop(t)
                           ? u->s.scan.end
                           : sim_lower_bound(u->s.scan.level, u->s.scan.at, u->s.scan.end, u->s.scan.base, t);
        u->s.scan.closing = u->s.scan.at == u->s.scan.end;
    }
}

static bool step_scan(sim_machine *m, sim_unit *u) {
    if (u->s.scan.reading) {
        u->s.scan.reading--;
        return true;
    }
    if (u->s.scan.closing)
        return scan_close(m, u);
    if (u->s.scan.at < u->s.scan.end) {
        scan_element(m, u);
        return true;
    }
    if (!sim_has(u->in[0]))
        return false;
    sim_token t = sim_head(u->in[0]);
    if (sim_is_number(t)) {
        if (t >= u->s.scan.fibers)
            return sim_refuse(m, u, "the reference is beyond the last fiber");
        scan_open(m, u, t);
    }
    sim_pop(u->in[0]);
    if (sim_is_element(t)) {
        u->s.scan.closing = u->s.scan.at == u->s.scan.end;
        if (u->s.scan.closing)
            scan_close(m, u);
        else
            scan_element(m, u);
    } else {
        /* A stop right after a stop: the fiber of references was empty, and opens no fiber here. */
        sim_token out = sim_is_stop(t) ? sim_stop(sim_level(t) + 1, sim_hollow(t) + 1) : t;
        u->s.scan.fiber++;
        sim_emit(m, u, 0, out);
        sim_emit(m, u, 1, out);
        if (t == SIM_DONE)
            sim_finish(m, u);
    }
    return true;
}

static bool step_skipping_scan(sim_machine *m, sim_unit *u) {
    scan_skip(u);
    bool moved = step_scan(m, u);
    u->s.scan.skips = (uint32_t)(u->in[1]->end - u->in[1]->begin);
    return moved;
}

/* ---- value array ----------------------------------------------------------------------------- */

static bool step_array(sim_machine *m, sim_unit *u) {
    if (!sim_has(u->in[0]))
        return false;
    sim_token t = sim_head(u->in[0]);
    if (sim_is_number(t)) {
        if (t >= u->s.array.n_vals)
            return sim_refuse(m, u, "the reference is beyond the last value");
        t = u->s.array.vals[t];
    } else if (t == SIM_EMPTY) {
        t = u->s.array.fill;
    }
    sim_pop(u->in[0]);
    sim_emit(m, u, 0, t);
    return sim_passed(m, u, t);
}

/* ---- repeater -------------------------------------------------------------------------------- */

static bool repeat_close(sim_machine *m, sim_unit *u) {
    if (!sim_has(u->in[0]))
        return false;
    sim_token next = sim_head(u->in[0]);
    sim_emit(m, u, 0, sim_is_stop(next) ? sim_stop(sim_level(sim_pop(u->in[0])) + 1, 0) : sim_stop(0, 0));
    u->s.repeat.closing = false;
    return true;
}

static bool step_repeat(sim_machine *m, sim_unit *u) {
    sim_queue *references = u->in[0], *signals = u->in[1];
    if (u->s.repeat.closing)
        return repeat_close(m, u);
    bool moved = false;
    if (!u->s.repeat.holds && sim_has(references)) {
        u->s.repeat.reference = sim_pop(references);
        u->s.repeat.holds = moved = true;
    }
    if (!u->s.repeat.holds || !sim_has(signals))
        return moved;
    sim_token r = u->s.repeat.reference, signal = sim_head(signals);
    if (sim_is_number(signal) && !sim_is_element(r))
        return sim_refuse(m, u, "a repeat signal, but no reference to repeat");
    if ((signal == SIM_DONE) != (r == SIM_DONE))
        return sim_refuse(m, u, "one input is done, the other is not");
    sim_pop(signals);
    if (sim_is_number(signal)) {
        sim_emit(m, u, 0, r);
        return true;
    }
    u->s.repeat.holds = false;
    if (signal == SIM_DONE) {
        sim_emit(m, u, 0, SIM_DONE);
        sim_finish(m, u);
    } else if (sim_is_stop(r)) {
        sim_emit(m, u, 0, sim_stop(sim_level(r) + 1, sim_hollow(r) + 1));
    } else {
        u->s.repeat.closing = true;
        repeat_close(m, u);
    }
    return true;
}

static bool step_signal(sim_machine *m, sim_unit *u) {
    if (!sim_has(u->in[0]))
        return false;
    sim_token t = sim_pop(u->in[0]);
    sim_emit(m, u, 0, sim_is_element(t) ? 0 : sim_is_stop(t) ? sim_stop(0, 0) : SIM_DONE);
    return sim_passed(m, u, t);
}

/* ---- joiners --------------------------------------------------------------------------------- */

static void joiner_advance(const sim_unit *u, uint32_t operand) {
    sim_pop(u->in[2 * operand]);
    sim_pop(u->in[2 * operand + 1]);
}

/* Tells the scanner of an operand the next needed coordinate, or by a stop the end of need in this fiber.
 * Each fiber gets exactly one stop. */
static void joiner_skip(sim_machine *m, sim_unit *u, uint32_t operand, sim_token t) {
    sim_token *asked = &u->s.join.asked[operand];
    if (*asked == t || sim_is_stop(*asked))
        return;
    *asked = t;
    sim_emit(m, u, 1 + u->n_in / 2 + operand, t);
}

static bool joiner_skips(const sim_unit *u) {
    return u->n_out > 1 + u->n_in / 2;
}

/* The coordinate that an operand offers; at the end of its fiber a stop, above all coordinates. */
static sim_token joiner_offer(const sim_unit *u, uint32_t operand) {
    const sim_queue *q = u->in[2 * operand];
    const sim_token t = sim_has(q) ? sim_head(q) : 0;
    return sim_is_number(t) ? t : sim_stop(0, 0);
}

/* Leaves out what no match can have, below the largest coordinate on offer or anywhere once a fiber has
 * ended: the first coordinate of an operand that is walked, all arrived ones of an operand that leaps, whose
 * scanner is asked for the next. Each operand has its turn once, the last one the operand with the largest
 * coordinate. */
static void joiner_leave_out(sim_machine *m, sim_unit *u, bool walks) {
    const uint32_t operands = u->n_in / 2;
    uint32_t first = 0;
    for (uint32_t k = 1; k < operands; k++)
        first = joiner_offer(u, k) > joiner_offer(u, first) ? k : first;
    const sim_token offered = joiner_offer(u, first);
    sim_token most = offered;
    for (uint32_t n = 1; n <= operands; n++) {
        const uint32_t k = (first + n) % operands, port = 1 + operands + k;
        const bool leaps = port < u->n_out && u->out[port].n;
        if (!leaps && walks && joiner_offer(u, k) < offered)
            joiner_advance(u, k);
        if (leaps && sim_has(u->in[2 * k]) && joiner_offer(u, k) < most)
            joiner_skip(m, u, k, most);
        while (leaps && sim_has(u->in[2 * k]) && joiner_offer(u, k) < most)
            joiner_advance(u, k);
        most = joiner_offer(u, k) > most ? joiner_offer(u, k) : most;
    }
}

static bool joiner_control(sim_machine *m, sim_unit *u) {
    sim_token t = sim_join_control(m, u);
    for (uint32_t k = 0; joiner_skips(u) && sim_is_stop(t) && k < u->n_in / 2; k++) {
        joiner_skip(m, u, k, sim_stop(0, 0));
        u->s.join.asked[k] = 0;
    }
    return true;
}

/* Emits `crd` with the references of the operands at this coordinate, nothing for the rest, and advances
 * these operands. */
static void joiner_emit(sim_machine *m, sim_unit *u, sim_token crd) {
    sim_emit(m, u, 0, crd);
    for (uint32_t k = 0; k < u->n_in / 2; k++) {
        bool here = sim_head(u->in[2 * k]) == crd;
        sim_emit(m, u, 1 + k, here ? sim_head(u->in[2 * k + 1]) : SIM_EMPTY);
        if (here)
            joiner_advance(u, k);
    }
}

static bool step_joiner(sim_machine *m, sim_unit *u) {
    for (uint32_t i = 0; i < u->n_in; i++)
        if (!sim_has(u->in[i]))
            return false;
    uint32_t operands = u->n_in / 2, numbers = 0, least = UINT32_MAX, most = 0;
    for (uint32_t k = 0; k < operands; k++) {
        sim_token crd = sim_head(u->in[2 * k]);
        if (sim_is_number(crd) != sim_is_element(sim_head(u->in[2 * k + 1])))
            return sim_refuse(m, u, "coordinates and references of an operand are not in step");
        if (!sim_is_number(crd))
            continue;
        numbers++;
        least = crd < least ? crd : least;
        most = crd > most ? crd : most;
    }
    if (!numbers)
        return joiner_control(m, u);
    if (u->s.join.lacks) {
        const uint32_t lacked = u->s.join.lacks - 1;
        const bool there = sim_head(u->in[2 * lacked]) == least;
        if (there)
            joiner_advance(u, lacked);
        if (sim_head(u->in[2 * (1 - lacked)]) == least && !there)
            joiner_emit(m, u, least);
        else if (sim_head(u->in[2 * (1 - lacked)]) == least)
            joiner_advance(u, 1 - lacked);
        return true;
    }
    bool unite = u->kind == SAM_UNION;
    const bool meets = numbers == operands && least == most;
    if (unite || meets)
        joiner_emit(m, u, least);
    if (!unite && (!meets || joiner_skips(u)))
        joiner_leave_out(m, u, !meets);
    return true;
}

/* ---- operations and the scalar reducer ------------------------------------------------------- */

/* Every stream operand is at the same control token, which passes. */
static bool alu_control(sim_machine *m, sim_unit *u) {
    sim_token t = SIM_EMPTY;
    for (uint32_t i = 0; i < u->n_in; i++) {
        if (u->s.alu.is_constant[i])
            continue;
        sim_token other = sim_head(u->in[i]);
        if (t == SIM_EMPTY)
            t = other;
        if (sim_is_stop(t) ? !sim_is_stop(other) || sim_level(other) != sim_level(t) : other != t)
            return sim_refuse(m, u, "the operands' fibers differ");
        if (sim_is_stop(t) && sim_hollow(other) < sim_hollow(t))
            t = other;
    }
    for (uint32_t i = 0; i < u->n_in; i++)
        if (!u->s.alu.is_constant[i])
            sim_pop(u->in[i]);
    sim_emit(m, u, 0, t);
    return sim_passed(m, u, t);
}

/* A function value that never comes stops the unit. */
static uint16_t operate(sim_machine *m, const sim_unit *u, uint16_t a, uint16_t b) {
    sam_program *program = sam_node_at(m->g, u->node)->program;
    if (!program)
        return u->s.alu.f(a, b);
    uint16_t value = sam_apply(&program->of, a, b);
    m->failed = !sam_program_ended(program, m->d) || m->failed;
    return value;
}

static bool step_alu(sim_machine *m, sim_unit *u) {
    uint32_t numbers = 0, constants = 0;
    for (uint32_t i = 0; i < u->n_in; i++) {
        if (u->s.alu.is_constant[i])
            constants++;
        else if (!sim_has(u->in[i]))
            return false;
        else
            numbers += sim_is_element(sim_head(u->in[i]));
    }
    if (!numbers)
        return alu_control(m, u);
    if (numbers + constants < u->n_in)
        return sim_refuse(m, u, "a value meets the end of a fiber");
    uint16_t result = 0;
    for (uint32_t i = 0; i < u->n_in; i++) {
        sim_token t = u->s.alu.is_constant[i] ? u->s.alu.constant[i] : sim_pop(u->in[i]);
        uint16_t value = t == SIM_EMPTY ? 0 : (uint16_t)t;
        result = i ? operate(m, u, result, value) : value;
    }
    if (u->n_in == 1)
        result = operate(m, u, result, 0);
    sim_emit(m, u, 0, result);
    return true;
}

static bool step_reduce(sim_machine *m, sim_unit *u) {
    if (u->s.reduce.has_stop) {
        sim_emit(m, u, 0, u->s.reduce.stop);
        u->s.reduce.has_stop = false;
        return true;
    }
    if (!sim_has(u->in[0]))
        return false;
    sim_token t = sim_pop(u->in[0]);
    if (sim_is_number(t)) {
        u->s.reduce.sum = u->s.reduce.add(u->s.reduce.sum, (uint16_t)t);
        u->s.reduce.any = true;
    } else if (sim_is_stop(t) && sim_hollow(t)) {
        sim_emit(m, u, 0, sim_stop(sim_level(t) - 1, sim_hollow(t) - 1)); /* no fiber is left to add up */
    } else if (sim_is_stop(t) && u->compress && !u->s.reduce.any) {
        if (sim_level(t))
            sim_emit(m, u, 0, sim_stop(sim_level(t) - 1, 0));
    } else if (sim_is_stop(t)) {
        sim_emit(m, u, 0, u->s.reduce.sum);
        u->s.reduce.sum = u->s.reduce.empty;
        u->s.reduce.any = false;
        u->s.reduce.has_stop = sim_level(t) > 0;
        u->s.reduce.stop = sim_level(t) ? sim_stop(sim_level(t) - 1, 0) : 0;
    } else if (t == SIM_DONE) {
        sim_emit(m, u, 0, t);
        sim_finish(m, u);
    }
    return true;
}

/* ---- coordinate dropper and hold ------------------------------------------------------------- */

/* Both streams are at the same control token, which passes. */
static bool pass_both(sim_machine *m, sim_unit *u) {
    sim_token a = sim_pop(u->in[0]), b = sim_pop(u->in[1]);
    sim_emit(m, u, 0, a);
    sim_emit(m, u, 1, b);
    return sim_passed(m, u, a);
}

static bool step_compress(sim_machine *m, sim_unit *u) {
    if (!sim_has(u->in[0]) || !sim_has(u->in[1]))
        return false;
    sim_token crd = sim_head(u->in[0]), value = sim_head(u->in[1]);
    if (!sim_is_element(value) &&
        (sim_is_stop(value) ? sim_is_stop(crd) && sim_level(crd) == sim_level(value) : crd == value))
        return pass_both(m, u);
    if (!sim_is_number(crd) || !sim_is_element(value))
        return sim_refuse(m, u, "coordinates and values are not in step");
    bool zero = value == SIM_EMPTY || (u->fp ? (value & 0x7fff) == 0 : value == 0);
    if (!zero)
        return pass_both(m, u);
    sim_pop(u->in[0]);
    sim_pop(u->in[1]);
    return true;
}

/* The outer stream is at a stop or done; the inner stream must be at the same place. */
static bool outer_control(sim_machine *m, sim_unit *u, sim_token outer) {
    if (u->s.drop.in_fiber) { /* the inner stop that closed this outer fiber has already come */
        if (!sim_is_stop(outer) || u->s.drop.level != sim_level(outer) + 1)
            return sim_refuse(m, u, "the outer fiber ends where the inner one does not");
        u->s.drop.in_fiber = u->s.drop.kept = false;
        sim_pop(u->in[0]);
        if (u->kind == SAM_CRDDROP)
            sim_emit(m, u, 0, outer);
        return true;
    }
    if (!sim_has(u->in[1]))
        return false;
    sim_token inner = sim_head(u->in[1]);
    bool fits = sim_is_stop(outer) ? sim_is_stop(inner) && sim_level(inner) == sim_level(outer) + 1
                                   : inner == SIM_DONE;
    if (!fits)
        return sim_refuse(m, u, "the outer fiber is empty, the inner one is not");
    if (u->kind == SAM_CRDDROP || outer == SIM_DONE)
        return pass_both(m, u);
    sim_pop(u->in[0]);
    sim_pop(u->in[1]);
    sim_emit(m, u, 0, inner);
    sim_emit(m, u, 1, inner);
    return true;
}

/* Returns whether the inner stream may continue under the current outer number: not after a stop above S0. */
static bool inner_continues(const sim_unit *u) {
    return !u->s.drop.in_fiber || u->s.drop.level == 0;
}

/* The action of a dropper or a hold on an outer coordinate and its inner fiber's next token: both are at the
 * heads of their queues. */
typedef void inner_step(sim_machine *m, sim_unit *u, sim_token outer, sim_token inner);

static bool step_inside(sim_machine *m, sim_unit *u, inner_step *step) {
    if (!sim_has(u->in[0]))
        return false;
    sim_token outer = sim_head(u->in[0]);
    if (!sim_is_element(outer))
        return outer_control(m, u, outer);
    if (!sim_has(u->in[1]))
        return false;
    sim_token inner = sim_head(u->in[1]);
    if (!inner_continues(u) || inner == SIM_DONE)
        return sim_refuse(m, u, "the inner stream has no fiber for this outer coordinate");
    step(m, u, outer, inner);
    return true;
}

static void drop_inside(sim_machine *m, sim_unit *u, sim_token outer, sim_token inner) {
    if (sim_is_element(inner)) {
        if (!u->s.drop.started)
            sim_emit(m, u, 0, outer);
        u->s.drop.started = u->s.drop.kept = true;
        bool stop_first = u->s.drop.owes_stop;
        sim_emit(m, u, 1, stop_first ? sim_stop(0, 0) : sim_pop(u->in[1]));
        u->s.drop.owes_stop = false;
        return;
    }
    sim_pop(u->in[0]);
    sim_pop(u->in[1]);
    u->s.drop.level = sim_level(inner);
    u->s.drop.in_fiber = true;
    if (sim_level(inner) > 0) { /* the outer fiber ends, hollow without any kept fiber */
        sim_emit(m, u, 1, sim_stop(sim_level(inner), u->s.drop.kept ? 0 : 1));
        u->s.drop.owes_stop = false;
    } else if (u->s.drop.started) {
        u->s.drop.owes_stop = true;
    }
    u->s.drop.started = false;
}

static bool step_drop(sim_machine *m, sim_unit *u) {
    return u->compress ? step_compress(m, u) : step_inside(m, u, drop_inside);
}

static void hold_inside(sim_machine *m, sim_unit *u, sim_token outer, sim_token inner) {
    sim_pop(u->in[1]);
    sim_emit(m, u, 1, inner);
    sim_emit(m, u, 0, sim_is_element(inner) ? outer : inner);
    if (sim_is_stop(inner)) {
        sim_pop(u->in[0]);
        u->s.drop.level = sim_level(inner);
        u->s.drop.in_fiber = true;
    }
}

static bool step_hold(sim_machine *m, sim_unit *u) {
    return step_inside(m, u, hold_inside);
}

/* ---- writer ---------------------------------------------------------------------------------- */

static bool step_write(sim_machine *m, sim_unit *u) {
    if (!sim_has(u->in[0]))
        return false;
    bool vals = sam_node_at(m->g, u->node)->mode == SAM_MODE_VALS;
    if (sim_head(u->in[0]) == SIM_EMPTY && !vals)
        return sim_refuse(m, u, "nothing where a coordinate is expected");
    return sim_record(m, u);
}

bool sim_step(sim_machine *m, sim_unit *u) {
    switch (u->kind) {
    case SAM_FIBERLOOKUP:
        return u->n_in > 1 ? step_skipping_scan(m, u) : step_scan(m, u);
    case SAM_BVLOOKUP:
        return step_scan(m, u);
    case SAM_LOCATE:
        return sim_step_locate(m, u);
    case SAM_ARRAYSTORE:
        return sim_step_store(m, u);
    case SAM_BVCONVERT:
        return sim_step_bv_convert(m, u);
    case SAM_BVINTERSECT:
    case SAM_BVUNION:
        return sam_node_at(m->g, u->node)->words ? sim_step_run_join(m, u) : sim_step_bv_join(m, u);
    case SAM_ARRAYVALS:
        return step_array(m, u);
    case SAM_FIBERWRITE:
        return step_write(m, u);
    case SAM_REPEAT:
        return step_repeat(m, u);
    case SAM_REPSIGGEN:
        return step_signal(m, u);
    case SAM_INTERSECT:
    case SAM_UNION:
        return step_joiner(m, u);
    case SAM_ALU:
        return step_alu(m, u);
    case SAM_REDUCE:
        return step_reduce(m, u);
    case SAM_CRDDROP:
        return step_drop(m, u);
    case SAM_CRDHOLD:
        return step_hold(m, u);
    case SAM_VECTORREDUCER:
        return sim_step_vector(m, u);
    case SAM_PARALLELIZE:
        return sim_step_parallelize(m, u);
    case SAM_SERIALIZE:
        return sim_step_serialize(m, u);
    case SAM_SPACCUMULATOR:
    case SAM_BROADCAST:
    case SAM_NONE:
    case SAM_PRIMITIVES:
        break;
    }
    BUG("no unit for primitive %d", (int)u->kind);
}
