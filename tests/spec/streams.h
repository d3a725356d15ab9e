/* streams.h - reading and writing the streams of a primitive, for the files here only. */
#ifndef ONYX_TESTS_SPEC_STREAMS_H
#define ONYX_TESTS_SPEC_STREAMS_H

#include "tests/spec/spec.h"

/* chip.c: primitives of the PE tile as in the fabricated chip. */
void spec_chip_joiner(spec_streams *s, bool unites);
void spec_chip_crddrop(spec_streams *s);
void spec_chip_crdhold(spec_streams *s);
void spec_chip_repeat(spec_streams *s);

static inline bool has(const spec_streams *s, int port) {
    return s->taken[port] < s->in[port].len;
}
/* The token at the head of a nonempty port. */
static inline uint32_t head(const spec_streams *s, int port) {
    return s->in[port].at[s->taken[port]];
}
static inline uint32_t take(spec_streams *s, int port) {
    return s->in[port].at[s->taken[port]++];
}
static inline void put(spec_streams *s, int port, uint32_t token) {
    vec_push(s->mem, &s->out[port], token);
}

#endif
