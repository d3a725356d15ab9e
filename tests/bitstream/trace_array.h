/* trace_array.h - the configured array under the stimulus of trace.h, for tests written in C. */
#ifndef ONYX_TESTS_TRACE_ARRAY_H
#define ONYX_TESTS_TRACE_ARRAY_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
/* Configures a stalled array with `count` pairs {address, data}, releases and flushes it in the same cycle,
 * runs the stimulus file, writes the trace. False if a file fails or the array does not settle. */
bool trace_array(const uint32_t *pairs, uint32_t count, const char *stimulus, const char *trace);
#ifdef __cplusplus
}
#endif

#endif
