/* Bit vectors and length-coded levels: scanners, converter, joiners. A word of a fiber stands for `width`
 * neighbouring coordinates, the lowest bit for the first; the word's reference is the position of its first
 * set bit: any other bit's position is this reference plus the number of set bits below the bit. Words at the
 * end of a fiber without bits may be absent. */
#include "sam/sim_units.h"

static sim_token new_word(sim_machine *m, uint64_t bits) {
    vec_push(m->mem, &m->words, bits);
    return m->words.len - 1;
}

void sim_scan_word(sim_machine *m, sim_unit *u) {
    const sam_level_data *level = u->s.scan.level;
    uint32_t width = u->s.scan.width, first = u->s.scan.at * width, at = u->s.scan.word_at;
    uint64_t bits = 0;
    for (; at < level->seg[u->s.scan.base + 1] && level->crd[at] - first < width; at++)
        bits |= UINT64_C(1) << (level->crd[at] - first);
    sim_emit(m, u, 0, new_word(m, bits));
    sim_emit(m, u, 1, u->s.scan.word_at);
    u->s.scan.word_at = at;
    u->s.scan.at++;
}

/* ---- converter ------------------------------------------------------------------------------- */

static void emit_word(sim_machine *m, sim_unit *u) {
    sim_emit(m, u, 0, new_word(m, u->s.bits.bits));
    sim_emit(m, u, 1, u->s.bits.count);
    u->s.bits.count += (uint32_t)__builtin_popcountll(u->s.bits.bits);
    u->s.bits.bits = 0;
    u->s.bits.word++;
}

bool sim_step_bv_convert(sim_machine *m, sim_unit *u) {
    if (!sim_has(u->in[0]))
        return false;
    sim_token t = sim_head(u->in[0]);
    uint32_t width = u->s.bits.width;
    if (sim_is_number(t) && t / width < u->s.bits.word)
        return sim_refuse(m, u, "the coordinates of a fiber do not ascend");
    if (t == SIM_EMPTY)
        return sim_refuse(m, u, "nothing where a coordinate is expected");
    if (sim_is_number(t) ? t / width > u->s.bits.word : u->s.bits.bits != 0) {
        emit_word(m, u);
        return true;
    }
    sim_pop(u->in[0]);
    if (sim_is_number(t)) {
        u->s.bits.bits |= UINT64_C(1) << t % width;
        return true;
    }
    sim_emit(m, u, 0, t);
    sim_emit(m, u, 1, t);
    u->s.bits.word = 0;
    return sim_passed(m, u, t);
}

/* ---- joiners --------------------------------------------------------------------------------- */

/* The lowest bit of the current word, with the position of each operand that has the bit. */
static void emit_bit(sim_machine *m, sim_unit *u) {
    uint64_t bit = u->s.bits.bits & (~u->s.bits.bits + 1), below = bit - 1;
    sim_emit(m, u, 0, (u->s.bits.word - 1) * u->s.bits.width + (uint32_t)__builtin_popcountll(below));
    for (uint32_t k = 0; k < u->n_in / 2; k++) {
        uint64_t present = u->s.bits.present[k];
        sim_emit(m, u, 1 + k,
                 present & bit ? u->s.bits.first[k] + (uint32_t)__builtin_popcountll(present & below)
                               : SIM_EMPTY);
    }
    u->s.bits.bits ^= bit;
}

bool sim_step_bv_join(sim_machine *m, sim_unit *u) {
    if (u->s.bits.bits) {
        emit_bit(m, u);
        return true;
    }
    uint32_t operands = u->n_in / 2, words = 0;
    for (uint32_t i = 0; i < u->n_in; i++)
        if (!sim_has(u->in[i]))
            return false;
    for (uint32_t k = 0; k < operands; k++) {
        bool word = sim_is_number(sim_head(u->in[2 * k]));
        if (word != sim_is_number(sim_head(u->in[2 * k + 1])))
            return sim_refuse(m, u, "words and references of an operand are not in step");
        words += word;
    }
    if (!words) {
        sim_join_control(m, u);
        u->s.bits.word = 0;
        return true;
    }
    uint64_t any = 0, all = UINT64_MAX;
    for (uint32_t k = 0; k < operands; k++) {
        bool word = sim_is_number(sim_head(u->in[2 * k]));
        u->s.bits.present[k] = word ? m->words.at[sim_pop(u->in[2 * k])] : 0;
        u->s.bits.first[k] = word ? sim_pop(u->in[2 * k + 1]) : 0;
        any |= u->s.bits.present[k];
        all &= u->s.bits.present[k];
    }
    u->s.bits.bits = u->kind == SAM_BVUNION ? any : all;
    u->s.bits.word++;
    if (u->s.bits.bits)
        emit_bit(m, u);
    return true;
}

/* ---- words of blocks and runs ---------------------------------------------------------------- */

/* Such a word is the coordinates from a first one up to an end, the reference beside the word the position of
 * the first; a word without coordinates is a stretch of the fiber up to its end. */
static uint32_t begin_of(uint64_t word) {
    return (uint32_t)(word >> 32);
}

static uint32_t end_of(uint64_t word) {
    return (uint32_t)word;
}

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
    sim_emit(m, u, 0, new_word(m, (uint64_t)begin << 32 | end));
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
