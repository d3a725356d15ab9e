/* Length-coded levels: words of blocks and of runs, and lists of entries. A word of a stream is the
 * coordinates from a first one up to an end, the reference beside the word the position of the first; a word
 * without coordinates is a stretch of the fiber up to its end. */
#include "sam/sim_units.h"

static uint32_t begin_of(uint64_t word) {
    return (uint32_t)(word >> 32);
}

static uint32_t end_of(uint64_t word) {
    return (uint32_t)word;
}

/* ---- scanners -------------------------------------------------------------------------------- */

void sim_scan_run(sim_machine *m, sim_unit *u) {
    const sam_level_data *level = u->s.scan.level;
    const uint16_t *vals = u->s.scan.vals;
    const bool runs = sam_node_at(m->g, u->node)->words == SAM_WORDS_RUNS;
    const uint32_t first = u->s.scan.word_at, last = level->seg[u->s.scan.base + 1];
    const uint32_t begin = first < last ? level->crd[first] : level->dim;
    uint32_t end = begin, at = first;
    if (!runs || begin == u->s.scan.at) /* no stretch without coordinates comes first */
        for (; at < last && level->crd[at] == end && (!vals || vals[at] == vals[first]); at++)
            end++;
    vec_push(m->mem, &m->words, (uint64_t)begin << 32 | end);
    sim_emit(m, u, 0, m->words.len - 1);
    sim_emit(m, u, 1, first);
    u->s.scan.word_at = at;
    u->s.scan.at = runs ? end : at;
}

uint32_t sim_listed(const sim_unit *u, uint32_t position) {
    uint32_t from = position, to = position + 1;
    for (uint32_t below = 0; below < SAM_MAX_ORDER && u->s.scan.seg[below]; below++) {
        from = u->s.scan.seg[below][from];
        to = u->s.scan.seg[below][to];
    }
    return to > from ? to - from : 1;
}

/* ---- joiners --------------------------------------------------------------------------------- */

/* The next coordinate of the piece, with the reference of each operand that has the piece. */
static void emit_place(sim_machine *m, sim_unit *u) {
    sim_emit(m, u, 0, u->s.bits.word++);
    for (uint32_t k = 0; k < u->n_in / 2; k++)
        sim_emit(m, u, 1 + k, u->s.bits.present[k] ? u->s.bits.first[k]++ : SIM_EMPTY);
}

/* Takes the piece from the first coordinate of all words up to the next end or begin of a word. */
static void take_piece(sim_machine *m, sim_unit *u) {
    const uint32_t operands = u->n_in / 2, done = u->s.bits.count;
    uint32_t begin = UINT32_MAX, end = UINT32_MAX, have = 0;
    for (uint32_t k = 0; k < operands; k++) {
        const sim_token t = sim_head(u->in[2 * k]);
        const uint32_t from = sim_is_number(t) ? begin_of(m->words.at[t]) : UINT32_MAX;
        begin = from < begin ? from : begin;
    }
    begin = begin < done ? done : begin;
    for (uint32_t k = 0; k < operands; k++) {
        const sim_token t = sim_head(u->in[2 * k]);
        if (!sim_is_number(t))
            continue;
        const uint64_t word = m->words.at[t];
        const uint32_t to = begin_of(word) <= begin ? end_of(word) : begin_of(word);
        end = to < end ? to : end;
    }
    for (uint32_t k = 0; k < operands; k++) {
        const sim_token t = sim_head(u->in[2 * k]);
        const uint64_t word = sim_is_number(t) ? m->words.at[t] : 0;
        u->s.bits.present[k] = begin_of(word) <= begin && end_of(word) > begin && end > begin;
        u->s.bits.first[k] = sim_is_number(t) ? sim_head(u->in[2 * k + 1]) + (begin - begin_of(word)) : 0;
        have += u->s.bits.present[k] != 0;
        if (sim_is_number(t) && end_of(word) <= end) {
            sim_pop(u->in[2 * k]);
            sim_pop(u->in[2 * k + 1]);
        }
    }
    u->s.bits.count = end;
    u->s.bits.word = have == operands || (have && u->kind == SAM_BVUNION) ? begin : end;
}

bool sim_step_run_join(sim_machine *m, sim_unit *u) {
    if (u->s.bits.word < u->s.bits.count) {
        emit_place(m, u);
        return true;
    }
    uint32_t words = 0;
    for (uint32_t i = 0; i < u->n_in; i++)
        if (!sim_has(u->in[i]))
            return false;
    for (uint32_t k = 0; k < u->n_in / 2; k++) {
        const bool word = sim_is_number(sim_head(u->in[2 * k]));
        if (word != sim_is_number(sim_head(u->in[2 * k + 1])))
            return sim_refuse(m, u, "words and references of an operand are not in step");
        words += word;
    }
    if (!words) {
        sim_join_control(m, u);
        u->s.bits.word = u->s.bits.count = 0;
        return true;
    }
    take_piece(m, u);
    if (u->s.bits.word < u->s.bits.count)
        emit_place(m, u);
    return true;
}
