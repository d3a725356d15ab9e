/* model_streams.h - reading and writing the streams of a model, for model_*.c only. */
#ifndef ONYX_RTL_MODEL_STREAMS_H
#define ONYX_RTL_MODEL_STREAMS_H

#include "rtl_models/rtl_models.h"

static inline bool has(const rtl_pe_streams *s, int port) {
    return s->taken[port] < s->in[port].len;
}
/* The token at the head of a port that has one. */
static inline uint32_t head(const rtl_pe_streams *s, int port) {
    return s->in[port].at[s->taken[port]];
}
static inline uint32_t take(rtl_pe_streams *s, int port) {
    return s->in[port].at[s->taken[port]++];
}
static inline void put(rtl_pe_streams *s, int port, uint32_t token) {
    vec_push(s->mem, &s->out[port], token);
}

#endif
