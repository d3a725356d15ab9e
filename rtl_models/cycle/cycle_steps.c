/* The step of each kind of core; the steps of IO tiles. */
#include "rtl_models/cycle/cycle_int.h"

static void stamp(cycle_model *m, io_state *s) {
    if (s->stamps)
        vec_push(s->mem, &s->stream->stamp, (uint32_t)(m->now - m->run_began));
}

/* Whether the stream pauses; a paused stream must not sleep, since nothing would wake the stream. */
static bool pauses(const cycle_model *m, const cycle_stream *s) {
    uint64_t cycle = m->now - m->run_began;
    return cycle < s->skew || (s->idle >> (cycle & 31) & 1);
}

static bool step_io_in(cycle_model *m, core *c) {
    io_state *s = &c->u.io;
    if (!s->stream || s->stream->taken == s->stream->length || !room(&c->out[0]))
        return false;
    if (pauses(m, s->stream))
        return true;
    push(&c->out[0], s->stream->words[s->stream->taken++]);
    m->work.loaded++;
    stamp(m, s);
    return true;
}

static bool step_io_out(cycle_model *m, core *c) {
    io_state *s = &c->u.io;
    if (!s->stream || s->stream->taken == s->stream->blocks || !some(&c->in[0]))
        return false;
    if (pauses(m, s->stream))
        return true;
    uint16_t word = (uint16_t)token(&c->in[0]);
    vec_push(s->mem, &s->stream->got, word);
    m->work.stored++;
    stamp(m, s);
    pop(&c->in[0]);
    if (s->remaining == 0)
        s->remaining = word;
    else
        s->remaining--;
    if (s->remaining == 0 && ++s->stream->taken == s->stream->blocks)
        m->incomplete--;
    return true;
}

cycle_step *cycle_step_of(const core *c) {
    switch (c->kind) {
    case CORE_WRITE_SCANNER:
        return cycle_step_writer;
    case CORE_BUFFET:
        return cycle_step_buffet;
    case CORE_READ_SCANNER:
        return cycle_step_of_reader(c->u.reader->set.is);
    case CORE_VECTOR_REDUCE:
        return cycle_step_vector;
    case CORE_IO_IN:
        return step_io_in;
    case CORE_IO_OUT:
        return step_io_out;
    case CORE_JOINER:
    case CORE_CRDDROP:
    case CORE_CRDHOLD:
    case CORE_ALU:
    case CORE_REPEAT:
    case CORE_RSG:
    case CORE_REDUCE:
    case CORE_REGION_JOIN:
        break;
    }
    return cycle_step_of_pe(c->kind);
}
