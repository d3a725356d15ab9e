/* dense_streams.h - the load and store streams of the global buffer in dense use.
 *
 * Cycles count from the start pulse at the buffer's tiles: the flush reaches the array in cycle 7, array
 * cycle 0 is cycle 8.
 */
#ifndef ONYX_DENSE_STREAMS_H
#define ONYX_DENSE_STREAMS_H

#include "rtl_models/cycle/dense_units.h"
#include "support/json.h"

enum { DENSE_FLUSH_CYCLE = 7, DENSE_FIRST_CYCLE = 8 };

typedef enum { DENSE_STREAM_OFF, DENSE_STREAM_STATIC, DENSE_STREAM_VALID } dense_stream_mode;

/* A word moves by its schedule or, for a store with valid bits, with each valid bit. */
typedef struct {
    dense_stream_mode mode;
    bool store;
    uint32_t column;   /* of the array */
    dense_generator g; /* address[0]: bytes in the global buffer */
} dense_stream;
typedef VEC(dense_stream) dense_streams;

typedef struct {
    dense_generator_state now;
    uint32_t words;       /* moved */
    uint32_t first, last; /* cycles of the first and the last */
} dense_stream_state;

void dense_stream_start(const dense_stream *s, dense_stream_state *state);
/* Returns whether a load gives a word in the cycle, from *address. */
bool dense_stream_load(const dense_stream *s, dense_stream_state *state, uint32_t cycle, uint32_t *address);
/* Returns whether a store takes the output's word in the cycle, given its valid bit, to *address. */
bool dense_stream_store(const dense_stream *s, dense_stream_state *state, uint32_t cycle, bool valid,
                        uint32_t *address);
/* Adds what a stream did to a list, in cycles of the array, for "dense_streams" of a file. */
void dense_list_stream(const dense_stream *s, const dense_stream_state *did, cJSON *list);

#endif
