/* The Pond: 32 words next to a PE, a word written and a word read in a cycle. */
#include "rtl_models/cycle/dense_units.h"

/* Returns the first set of a port: the second set if enabled alone, or with an earlier start. */
static bool begins_with_second(const dense_generator set[2]) {
    return set[1].enable && (!set[0].enable || (set[1].at.start & 0xffff) < (set[0].at.start & 0xffff));
}

static bool event(const dense_generator set[2], const dense_pond_port *s, uint32_t cycle) {
    return !s->finished[s->second] && dense_due(&set[s->second], &s->now, cycle);
}

dense_pond_outputs dense_pond_read(const dense_pond *p, const dense_pond_state *s) {
    bool due = event(p->read, &s->read, s->cycle);
    return (dense_pond_outputs){.data = s->word[s->read.now.address[0] % DENSE_POND_WORDS],
                                .event = {due && !s->read.second, due && s->read.second}};
}

/* Steps a port after an event; at the end of a set the other set follows. */
static void port_step(const dense_generator set[2], dense_pond_port *s) {
    if (dense_step(&set[s->second], &s->now) != DENSE_END)
        return;
    s->finished[s->second] = true;
    s->second = !s->second;
    dense_restart(&set[s->second], &s->now);
}

static void port_flush(const dense_generator set[2], dense_pond_port *s) {
    *s = (dense_pond_port){.second = begins_with_second(set)};
    dense_restart(&set[s->second], &s->now);
}

void dense_pond_clock(const dense_pond *p, dense_pond_state *s, const uint16_t in[2], bool flush) {
    bool write = event(p->write, &s->write, s->cycle), read = event(p->read, &s->read, s->cycle);
    if (write)
        s->word[s->write.now.address[0] % DENSE_POND_WORDS] = in[s->write.second];
    if (write)
        port_step(p->write, &s->write);
    if (read)
        port_step(p->read, &s->read);
    s->cycle++;
    if (!flush)
        return;
    port_flush(p->write, &s->write);
    port_flush(p->read, &s->read);
    s->cycle = 0;
}
