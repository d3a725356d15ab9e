/* array_play.h - the RTL of the array (tile library; with ONYX_WHOLE_ARRAY the whole chip as one model),
 * configured by a bitstream and run as design_main.cpp runs a specialised design: same flush, inputs offering
 * a word a cycle, outputs taking a word until their blocks are complete. Read by C and C++. */
#ifndef ONYX_TESTS_ARRAY_PLAY_H
#define ONYX_TESTS_ARRAY_PLAY_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint32_t column;
    bool output;
    const uint16_t *words; /* inputs */
    uint32_t length;
    uint32_t blocks; /* outputs: length-headed blocks to take */
    uint16_t *got;   /* outputs: room for `most` words */
    uint32_t *stamp; /* room for `most` cycles */
    uint32_t most, count;
} array_stream;

#ifdef __cplusplus
extern "C" {
#endif
/* Configures stalled; words[2 * i] is an address, words[2 * i + 1] its data. */
void *array_open(const uint32_t *words, uint32_t n);
void array_close(void *array);
/* Plays a run. False if the outputs are incomplete after `limit` cycles, or do not fit. */
bool array_play(void *array, array_stream *streams, uint32_t n, uint64_t limit, uint64_t *cycles);
/* Monitors of a tile raised in all runs: bit n is hazard n of rtl_models/cycle/cycle.h. */
uint32_t array_hazards(const void *array, uint32_t x, uint32_t y);
#ifdef __cplusplus
}
#endif

#endif
