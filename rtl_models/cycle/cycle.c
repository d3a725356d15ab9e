/* The cycle model as a whole: its cycles and its runs. */
#include "rtl_models/cycle/pipes.h"

/* ---- a cycle --------------------------------------------------------------------------------- */

static bool flushes(flush_group group, bool late) {
    return group == FLUSH_ALL || group == (late ? FLUSH_LATE : FLUSH_EARLY);
}

/* State of a core reset by flush; other state is written before its first use. */
static void flush_core(cycle_model *m, core *c) {
    c->flushed = m->now + 1;
    switch (c->kind) {
    case CORE_JOINER:
        c->u.joiner.state = 0;
        break;
    case CORE_CRDDROP:
        c->u.drop = (crddrop_state){0};
        break;
    case CORE_CRDHOLD:
        c->u.hold = (crdhold_state){0};
        break;
    case CORE_REPEAT:
        c->u.repeat = (repeat_state){.root = c->u.repeat.root, .spacc = c->u.repeat.spacc};
        break;
    case CORE_RSG:
    case CORE_REDUCE:
        c->u.reduce = (reduce_state){.bf16 = c->u.reduce.bf16,
                                     .float32 = c->u.reduce.float32,
                                     .by = c->u.reduce.by,
                                     .default_value = c->u.reduce.default_value};
        break;
    case CORE_WRITE_SCANNER:
        c->u.writer.state = 0;
        c->u.writer.pause = c->u.writer.blank = c->u.writer.inside = false;
        c->u.writer.block = 0;
        break;
    case CORE_BUFFET:
        c->u.buffet->full = c->u.buffet->merging = c->u.buffet->fetch = 0;
        for (int i = 0; i < 2; i++) {
            buffet_id *b = &c->u.buffet->id[i];
            b->blocks = b->lanes = 0;
            b->used = b->base = 0;
            b->open = b->read_hit = false;
            b->opened = b->freed = b->second = 0;
        }
        break;
    case CORE_READ_SCANNER: {
        reader_state *s = c->u.reader;
        s->state = 0;
        s->active = false;
        s->read_out = s->done_given = s->done_taken = s->to_block = false;
        s->plan = s->out = (ring){0};
        s->answers[VALUES] = s->answers[SEGMENTS] = (answer_queue){0};
        s->skipper.turn = s->skipper.begun = s->skipper.gapped = s->skipper.seeking = s->skipper.closing =
            s->skipper.pending = false;
        s->skipper.tokens = s->skipper.asked = s->skipper.dropped = 0;
        s->skipper.skip = (skip_queue){0};
        s->chain.block = 0;
        s->chain.inside = s->chain.pad = s->value_out.misplaced = s->value_out.came = false;
        s->value_out.popped = s->value_out.owed = s->value_out.place = 0;
        s->trees = 0;
        break;
    }
    case CORE_VECTOR_REDUCE:
        c->u.vector->state = 0;
        c->u.vector->open = false;
        memset(c->u.vector->lines, 0, sizeof c->u.vector->lines);
        break;
    case CORE_ALU:
    case CORE_REGION_JOIN:
    case CORE_IO_IN:
    case CORE_IO_OUT:
        break;
    }
}

static void flush(cycle_model *m, flush_group group) {
    for (uint32_t i = 0; i < m->n_cores; i++)
        if (flushes(group, m->cores[i].late))
            flush_core(m, &m->cores[i]);
    pipes_flush(m, group);
    cycle_wake_all(m);
}

/* Returns whether a core acts. A core without an action falls asleep. */
static inline bool step_cores(cycle_model *m, flush_group group) {
    const actor *actors = m->actors;
    uint64_t any = 0, stirred = m->stirred;
    for (uint32_t w = 0; w < m->n_words; w++, actors += 64) {
        uint64_t idle = 0;
        for (uint64_t bits = m->awake[w]; bits; bits &= bits - 1) {
            const int number = __builtin_ctzll(bits);
            const actor *at = &actors[number];
            if (group != FLUSH_NONE && flushes(group, at->of->late))
                continue;
            const uint64_t acts = at->step(m, at->of);
            idle |= (acts ^ 1) << number;
            stirred |= at->of->bundles & (0 - acts);
            any |= acts;
        }
        m->awake[w] &= ~idle;
    }
    m->stirred = stirred;
    return any;
}

bool cycle_advance(cycle_model *m, flush_group group) {
    const bool acts = group == FLUSH_NONE ? step_cores(m, FLUSH_NONE) : step_cores(m, group);
    const uint64_t stirred = m->stirred;
    m->stirred = 0;
    if (m->watched.by)
        pipes_tell(m);
    for (uint32_t i = 0; i < m->n_bundles; i++) {
        if (stirred >> i % 64 & 1)
            m->stirred |= (uint64_t)pipes_move(m, &m->bundles[i]) << i % 64;
    }
    const bool moves = acts || m->stirred;
    if (group != FLUSH_NONE)
        flush(m, group);
    m->now++;
    return moves;
}

/* ---- runs ------------------------------------------------------------------------------------ */

cycle_model *cycle_build(const cycle_design *design, arena *mem) {
    cycle_model *m = cycle_assemble(design, false, mem);
    /* The harness of the RTL gives a cycle between reset and the first flush. */
    m->unaccounted = true;
    cycle_advance(m, FLUSH_NONE);
    pipes_skip_account(m);
    return m;
}

static void set_streams(cycle_model *m, cycle_stream *streams, uint32_t n, bool stamps, arena *mem) {
    m->incomplete = 0;
    for (uint32_t i = 0; i < m->n_cores; i++) {
        core *c = &m->cores[i];
        if (c->kind != CORE_IO_IN && c->kind != CORE_IO_OUT)
            continue;
        c->u.io = (io_state){.stamps = stamps, .mem = mem};
        for (uint32_t s = 0; s < n; s++) {
            if (streams[s].cell == c->cell)
                c->u.io.stream = &streams[s];
        }
        m->incomplete += c->kind == CORE_IO_OUT && c->u.io.stream && c->u.io.stream->blocks > 0;
    }
    cycle_wake_all(m);
}

static void look(cycle_model *m) {
    pipes_account(m);
    cycle_samples_look(m->sampled.by);
}

static bool all_taken(const cycle_stream *streams, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (streams[i].taken < streams[i].length)
            return false;
    }
    return true;
}

/* A result may be complete before all input is in, and a flush does not empty SplitFIFOs: what is on its way
 * would be taken for the next run's. So the run's rest comes in first, as on the chip, whose firmware waits
 * for every stream. In no account. */
static cycle_end drain(cycle_model *m, const cycle_stream *streams, uint32_t n) {
    m->unaccounted = true;
    while (cycle_advance(m, FLUSH_NONE)) {
    }
    m->unaccounted = false;
    pipes_skip_account(m);
    return all_taken(streams, n) ? CYCLE_DONE : CYCLE_STUCK;
}

/* A cycle of a run, counted by what the array does. Returns whether anything moves. */
static bool advance_counted(cycle_model *m) {
    cycle_work *w = &m->work;
    const uint64_t operations = w->operations, stored = w->stored, loaded = w->loaded, written = w->written;
    const bool moves = cycle_advance(m, FLUSH_NONE);
    w->cycles[w->operations != operations ? CYCLE_COMPUTING
              : w->stored != stored       ? CYCLE_STORING
              : w->loaded != loaded       ? CYCLE_LOADING
              : w->written != written     ? CYCLE_WRITING
              : moves                     ? CYCLE_SCANNING
                                          : CYCLE_WAITING]++;
    return moves;
}

cycle_end cycle_run(cycle_model *m, cycle_stream *streams, uint32_t n_streams, bool stamps, arena *mem,
                    uint64_t *cycles) {
    pipes_account(m);
    set_streams(m, NULL, 0, false, mem);
    m->unaccounted = true;
    if (m->design->recorded) {
        cycle_advance(m, FLUSH_ALL);
    } else {
        cycle_advance(m, FLUSH_EARLY);
        cycle_advance(m, FLUSH_LATE);
    }
    m->unaccounted = false;
    pipes_skip_account(m);
    set_streams(m, streams, n_streams, stamps, mem);
    m->run_began = m->now;
    if (m->sampled.by)
        cycle_samples_began(m->sampled.by);
    cycle_end end = CYCLE_DONE;
    while (m->incomplete && end == CYCLE_DONE) {
        const bool moves = advance_counted(m);
        if (m->sampled.by && m->now >= m->sampled.next)
            look(m);
        if (!moves && m->incomplete)
            end = CYCLE_STUCK;
    }
    pipes_account(m);
    if (m->sampled.by)
        cycle_samples_look(m->sampled.by);
    *cycles = m->now - m->run_began;
    if (end == CYCLE_DONE)
        end = drain(m, streams, n_streams);
    m->run++;
    return end;
}

void cycle_watch(cycle_model *m, cycle_watcher *watcher, void *context) {
    m->watched.by = watcher;
    m->watched.context = context;
    for (uint32_t i = 0; i < m->n_channels; i++)
        m->pipes[i].told = CYCLE_ACTIVITIES;
    cycle_wake_all(m);
}
