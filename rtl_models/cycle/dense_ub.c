/* The unified buffer: aggregators, an SRAM of one port, transpose buffers.
 *
 * A word goes into its port's aggregator; a full half (or, with padding, the last half of a row) goes to the
 * SRAM a cycle later; a line read reaches the transpose buffer two cycles later. The SRAM does one access a
 * cycle: a write wins over a read, and port 0 over port 1. An updating port gets its aggregator and SRAM
 * addresses from another port's reads, some cycles later.
 */
#include "rtl_models/cycle/dense_units.h"

enum { DELAYED_CYCLES = 2047 /* mask of the counter compared with delayed events */ };

static bool updates(const dense_ub *u, uint32_t port) {
    return u->mode[port] & 2;
}

/* Returns the half of the transpose buffers selected by bit `bit` of an address: port 0 may own both. */
static uint32_t half_of(const dense_ub *u, uint32_t port, uint32_t address, uint32_t bit) {
    return port == 0 && u->shared ? address >> bit & 1 : port;
}

dense_ub_outputs dense_ub_read(const dense_ub *u, const dense_ub_state *s, const uint16_t chain[2]) {
    dense_ub_outputs o = {.data = {0}};
    for (uint32_t p = 0; p < 2; p++) {
        uint32_t address = s->out[p].address[0];
        o.valid[p] = dense_due(&u->out[p], &s->out[p], s->cycle);
        o.data[p] = o.valid[p] ? s->transpose[half_of(u, p, address, 3)][address >> 2 & 1][address & 3]
                    : u->chain ? chain[p]
                               : 0;
    }
    return o;
}

/* ---- delayed events of an updating buffer ------------------------------------------------------ */

static void remember(dense_queue *q, uint32_t size, uint32_t at, uint32_t address) {
    uint32_t place = (q->head + q->count) % size;
    q->at[place] = at & DELAYED_CYCLES;
    q->address[place] = (uint16_t)address;
    q->count += q->count < size;
}

static bool is_due(const dense_queue *q, uint16_t cycle) {
    return q->count && q->at[q->head] == (cycle & DELAYED_CYCLES);
}

/* Returns whether the event of scheduler `g` from `delay` cycles ago takes effect now, and its address. */
static bool follows(const dense_generator *g, const dense_generator_state *s, const dense_queue *q,
                    uint16_t cycle, uint32_t *address) {
    bool now = g->delay == 0;
    *address = now ? s->address[0] : q->address[q->head];
    return now ? dense_due(g, s, cycle) : is_due(q, cycle);
}

static void queue_clock(dense_queue *q, uint32_t size, const dense_generator *g,
                        const dense_generator_state *s, uint16_t cycle) {
    q->shown = q->address[q->head];
    if (g->delay == 0)
        return;
    if (is_due(q, cycle)) {
        q->head = (q->head + 1) % size;
        q->count--;
    }
    if (dense_due(g, s, cycle))
        remember(q, size, (uint32_t)cycle + g->delay, s->address[0]);
}

/* ---- the SRAM's port --------------------------------------------------------------------------- */

/* Returns whether port `p` writes to the SRAM in this cycle, and where. */
static bool writes(const dense_ub *u, const dense_ub_state *s, uint32_t p, uint32_t *address) {
    if (updates(u, p)) {
        uint32_t q = u->mode[p] & 1;
        *address = s->read_queue[q].shown;
        return u->read[q].delay && is_due(&s->read_queue[q], s->cycle);
    }
    *address = (uint32_t)s->linear[p] + u->start[p];
    return s->full[p] || s->padding_remaining[p] == 1;
}

/* Does the access of a cycle. A write wins over a read: the lost read keeps the previous line. */
static void access(const dense_ub *u, dense_ub_state *s) {
    bool write[2];
    uint32_t address[2];
    for (uint32_t p = 0; p < 2; p++)
        write[p] = writes(u, s, p, &address[p]);
    if (write[0] || write[1]) {
        uint32_t p = write[0] ? 0 : 1, line = address[p] % DENSE_LINES;
        memcpy(s->sram[line], s->aggregator[p][line & 1], sizeof s->sram[line]);
    } else {
        for (uint32_t p = 2; p-- > 0;) {
            if (dense_due(&u->read[p], &s->read[p], s->cycle))
                memcpy(s->line, s->sram[s->read[p].address[0] % DENSE_LINES], sizeof s->line);
        }
    }
    for (uint32_t p = 0; p < 2; p++)
        s->linear[p] = (uint16_t)(s->linear[p] + (write[p] && !updates(u, p)));
}

/* Port 0's address alone where both ports read. */
static void transpose_clock(const dense_ub *u, dense_ub_state *s) {
    for (uint32_t p = 0; p < 2; p++) {
        uint32_t to = s->transpose_write[p];
        if (s->was_read[p])
            memcpy(s->transpose[half_of(u, p, to, 1)][to & 1], s->line, sizeof s->line);
    }
}

/* ---- aggregators ------------------------------------------------------------------------------- */

/* Starts or counts the cycles until the last, partly filled, line of a row is written. A row ending in the
 * cycle of this write begins a cycle late. */
static void padding_clock(const dense_ub *u, dense_ub_state *s, uint32_t p, bool row_ended) {
    const bool written = s->padding_remaining[p] == 1;
    s->padding_remaining[p] = (uint16_t)(s->padding_remaining[p] - (s->padding_remaining[p] > 0));
    if (row_ended && u->padding[p] && !s->padding_remaining[p])
        s->padding_remaining[p] = (uint16_t)(u->padding[p] + written);
}

static void aggregate(const dense_ub *u, dense_ub_state *s, uint32_t p, uint16_t word) {
    uint32_t address = s->write[p].address[0];
    bool event = !updates(u, p) && dense_due(&u->write[p], &s->write[p], s->cycle);
    if (updates(u, p)) {
        uint32_t q = u->mode[p] & 1;
        if (follows(&u->out[q], &s->out[q], &s->out_queue[q], s->cycle, &address))
            s->aggregator[p][address >> 2 & 1][address & 3] = word;
    } else if (event) {
        s->aggregator[p][address >> 2 & 1][address & 3] = word;
    }
    s->full[p] = event && (address & 3) == 3;
    uint32_t loop = event ? dense_step(&u->write[p], &s->write[p]) : 0;
    padding_clock(u, s, p, event && loop != 0);
}

/* ---- the clock edge ---------------------------------------------------------------------------- */

static void schedulers_clock(const dense_ub *u, dense_ub_state *s, uint32_t p) {
    bool read = dense_due(&u->read[p], &s->read[p], s->cycle);
    queue_clock(&s->out_queue[p], DENSE_QUEUE, &u->out[p], &s->out[p], s->cycle);
    queue_clock(&s->read_queue[p], DENSE_SRAM_QUEUE, &u->read[p], &s->read[p], s->cycle);
    s->was_read[p] = read;
    s->transpose_write[p] = (uint16_t)s->read[p].address[1];
    if (read)
        dense_step(&u->read[p], &s->read[p]);
    if (dense_due(&u->out[p], &s->out[p], s->cycle))
        dense_step(&u->out[p], &s->out[p]);
}

static void ub_flush(const dense_ub *u, dense_ub_state *s) {
    s->cycle = 0;
    for (uint32_t p = 0; p < 2; p++) {
        dense_restart(&u->write[p], &s->write[p]);
        dense_restart(&u->read[p], &s->read[p]);
        dense_restart(&u->out[p], &s->out[p]);
        s->linear[p] = s->padding_remaining[p] = 0;
        s->full[p] = s->was_read[p] = false;
        s->out_queue[p].head = s->out_queue[p].count = 0;
        s->read_queue[p].head = s->read_queue[p].count = 0;
    }
}

void dense_ub_clock(const dense_ub *u, dense_ub_state *s, const uint16_t in[2], bool flush) {
    transpose_clock(u, s);
    access(u, s);
    for (uint32_t p = 0; p < 2; p++)
        aggregate(u, s, p, in[p]);
    for (uint32_t p = 0; p < 2; p++)
        schedulers_clock(u, s, p);
    s->cycle++;
    if (flush)
        ub_flush(u, s);
}
