/* A cycle of 64 pipes at a time. What a FIFO does depends on its fill and its neighbours' alone, not on
 * words: a few operations on masks move the counts of all FIFOs at a place. O(places of a bundle) for a
 * cycle. */
#include "rtl_models/cycle/pipes.h"

/* ---- accounts -------------------------------------------------------------------------------- */

/* Adds 2^bit to the counts of `lanes`. */
static inline void count_at(lane_counts *c, uint64_t lanes, unsigned bit) {
    for (; lanes; bit++) {
        const uint64_t carry = c->bit[bit] & lanes;
        c->bit[bit] ^= lanes;
        lanes = carry;
    }
}

static void count_often(lane_counts *c, uint64_t lanes, uint64_t times) {
    for (unsigned bit = 0; times; bit++, times >>= 1) {
        if (times & 1)
            count_at(c, lanes, bit);
    }
}

static inline channels_state look(bundle *b) {
    return (channels_state){*mask_of(b, SOME, PLACE_ROUTE) & b->channels,
                            ~*mask_of(b, FULL, PLACE_PORT) & b->channels, *mask_of(b, HELD, PLACE_ROUTE)};
}

/* Adds two masks to the sums of a bit. Returns the carries. */
static inline uint64_t add(uint64_t *sum, uint64_t a, uint64_t b) {
    const uint64_t before = *sum, one = a ^ b;
    *sum = before ^ one;
    return (a & b) | (before & one);
}

/* Counts all pending cycles: two at a time, then their carries. */
static void count_pending(lane_counts *c) {
    uint64_t n[COUNT_PENDING / 2];
    for (unsigned i = 0; i < COUNT_PENDING / 2; i++)
        n[i] = add(&c->bit[0], c->pending[2 * i], c->pending[2 * i + 1]);
    const uint64_t low = add(&c->bit[1], n[0], n[1]), high = add(&c->bit[1], n[2], n[3]);
    count_at(c, add(&c->bit[2], low, high), 3);
}

/* Counts the cycles up to `now`, in which nothing moved. */
static void catch_up(bundle *b, uint64_t now) {
    const channels_state s = look(b);
    const uint64_t times = now - b->since;
    count_often(&b->cycles[CYCLE_STALLED], s.offered & ~s.room, times);
    count_often(&b->cycles[CYCLE_HELD], s.offered & s.room, times);
    count_often(&b->cycles[CYCLE_STARVED], ~s.offered & s.room, times);
    b->since = now;
}

/* Puts the counts of a bundle to the accounts of its channels; the other cycles are idle. No count exceeds
 * the cycles since. */
static void settle(bundle *b) {
    const uint64_t since = b->since - b->settled;
    for (int a = 0; a < CYCLE_IDLE; a++) {
        for (uint32_t i = 0; i < b->n_pending; i++)
            count_at(&b->cycles[a], b->cycles[a].pending[i], 0);
    }
    b->n_pending = 0;
    for (uint64_t lanes = b->channels; lanes; lanes &= lanes - 1)
        b->pipes[__builtin_ctzll(lanes)]->cycles[CYCLE_IDLE] += since;
    for (unsigned bit = 0; since >> bit; bit++) {
        for (int a = 0; a < CYCLE_IDLE; a++) {
            uint64_t *lanes = &b->cycles[a].bit[bit];
            for (; *lanes; *lanes &= *lanes - 1) {
                uint64_t *cycles = b->pipes[__builtin_ctzll(*lanes)]->cycles;
                cycles[a] += (uint64_t)1 << bit;
                cycles[CYCLE_IDLE] -= (uint64_t)1 << bit;
            }
        }
    }
}

void pipes_account(cycle_model *m) {
    for (uint32_t i = 0; i < m->n_bundles; i++) {
        bundle *b = &m->bundles[i];
        if (b->since < m->now)
            catch_up(b, m->now);
        if (b->settled < m->now)
            settle(b);
        b->settled = m->now;
    }
}

void pipes_skip_account(cycle_model *m) {
    for (uint32_t i = 0; i < m->n_bundles; i++)
        m->bundles[i].since = m->bundles[i].settled = m->now;
}

/* ---- words ----------------------------------------------------------------------------------- */

uint32_t pipes_count(const cycle_model *m, const pipe *p, uint32_t place) {
    bundle *b = &m->bundles[p->bundle];
    return (uint32_t)(*mask_of(b, SOME, place) >> p->lane & 1) +
           (uint32_t)(*mask_of(b, FULL, place) >> p->lane & 1);
}

uint32_t pipes_token(const cycle_model *m, const pipe *p, uint32_t place, uint32_t k) {
    for (uint32_t i = p->last; i < place; i++)
        k += pipes_count(m, p, i);
    return p->reader->ring[(p->reader->place + k) & p->reader->mask];
}

/* ---- a cycle --------------------------------------------------------------------------------- */

/* A forked output moves into all its branches or into none; what its core pushes goes to all. */
static inline void decide_fork(fork *f) {
    const branch *first = f->branches, *end = first + f->n, *next = first;
    uint64_t full = 0;
    do
        full |= *next->full & next->bit;
    while (++next < end);
    if (f->held != (full != 0)) {
        for (const branch *at = first; at < end; at++)
            *at->held ^= at->bit;
        f->held = !f->held;
    }
    if (*first->pushed & first->bit)
        for (const branch *at = first + 1; at < end; at++)
            *at->pushed |= at->bit;
}

static inline void decide_forks(bundle *b) {
    for (fork *f = b->forks, *end = f + b->n_forks; f < end; f++)
        decide_fork(f);
}

/* A popped word is still counted, and `place` is the next one. */
void pipes_tell(cycle_model *m) {
    for (uint32_t i = 0; i < m->n_bundles; i++)
        decide_forks(&m->bundles[i]);
    for (uint32_t i = 0; i < m->n_channels; i++) {
        pipe *p = &m->pipes[m->watched.in_turn[i]];
        const uint64_t bit = p->reader->bit;
        const channels_state s = look(&m->bundles[p->bundle]);
        const bool popped = p->reader->at[POPPED * NEXT_KIND] & bit;
        const cycle_activity is =
            cycle_activity_of((s.offered & s.room & ~s.held & bit ? CYCLE_ARRIVES : 0) |
                              (s.offered & bit ? CYCLE_OFFERED : 0) | (s.room & bit ? CYCLE_ROOM : 0));
        if (is != p->told || is == CYCLE_MOVES)
            m->watched.by(m->watched.context, m->now, p->net, p->sink, is,
                          pipes_token(m, p, PLACE_ROUTE, 0u - popped));
        p->told = is;
    }
}

static inline void wake(cycle_model *m, const core_id *cores, uint64_t lanes) {
    for (; lanes; lanes &= lanes - 1) {
        const core_id id = cores[__builtin_ctzll(lanes)];
        m->awake[id.word] |= (uint64_t)1 << id.bit;
    }
}

static inline void count_cycle(cycle_model *m, bundle *b, const channels_state *s, uint64_t moved) {
    if (b->since < m->now)
        catch_up(b, m->now);
    const uint32_t i = b->n_pending++;
    b->cycles[CYCLE_MOVES].pending[i] = moved;
    b->cycles[CYCLE_STALLED].pending[i] = s->offered & ~s->room;
    b->cycles[CYCLE_HELD].pending[i] = s->offered & s->room & ~moved;
    b->cycles[CYCLE_STARVED].pending[i] = ~s->offered & s->room;
    b->since = m->now + 1;
    if (b->n_pending < COUNT_PENDING)
        return;
    for (int a = 0; a < CYCLE_IDLE; a++)
        count_pending(&b->cycles[a]);
    b->n_pending = 0;
}

/* Moves all words by a FIFO. */
static bool move_words(cycle_model *m, bundle *b) {
    two below = {0}, moves = {0}, readers = {0}, writers = {0}, gives = b->mask[0][SOME] & ~b->mask[0][HELD];
    for (two *at = b->mask[0], *end = b->mask[b->n / 2]; at < end; at += MASKS) {
        const two some = at[SOME], full = at[FULL], given = gives;
        gives = at[MASKS + SOME] & ~at[MASKS + HELD];
        const two comes = __builtin_shufflevector(given, gives, 1, 2) & ~full, arrives = at[PUSHED] | comes,
                  leaves = at[POPPED] | __builtin_shufflevector(below, comes, 1, 2);
        readers |= arrives & ~some & at[READS];
        writers |= leaves & ((full & at[WRITES]) | at[WATCHED]);
        at[SOME] = arrives | full | (some & ~leaves);
        at[FULL] = ~leaves & (full | (some & arrives));
        at[PUSHED] = at[POPPED] = (two){0};
        moves |= arrives | leaves;
        below = comes;
    }
    wake(m, b->reader, readers[0] | readers[1]);
    wake(m, b->writer, writers[0] | writers[1]);
    return moves[0] | moves[1];
}

bool pipes_move(cycle_model *m, bundle *b) {
    decide_forks(b);
    const channels_state state = look(b);
    const uint64_t moved = state.offered & state.room & ~state.held;
    if (!m->unaccounted)
        count_cycle(m, b, &state, moved);
    return move_words(m, b);
}

/* Words before the route are those that the writer pushed last, words behind the route the reader's next. */
void pipes_flush(cycle_model *m, flush_group group) {
    for (uint32_t i = 0; i < m->n_bundles; i++) {
        bundle *b = &m->bundles[i];
        for (uint32_t place = 0; place < b->n; place++) {
            const uint64_t lost = (group == FLUSH_LATE ? 0 : b->flushed[place].early) |
                                  (group == FLUSH_EARLY ? 0 : b->flushed[place].late);
            for (uint64_t lanes = *mask_of(b, SOME, place) & lost; lanes; lanes &= lanes - 1) {
                pipe *p = b->pipes[__builtin_ctzll(lanes)];
                const uint32_t words = pipes_count(m, p, place);
                if (place >= p->source)
                    p->writer->place = (p->writer->place - words) & p->writer->mask;
                else
                    p->reader->place = (p->reader->place + words) & p->reader->mask;
            }
            *mask_of(b, SOME, place) &= ~lost;
            *mask_of(b, FULL, place) &= ~lost;
        }
    }
    m->stirred = UINT64_MAX;
}
