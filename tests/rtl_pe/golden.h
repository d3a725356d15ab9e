/* golden.h - the recordings of the reference netlist in the shared data, as the tests of the PE and of the
 * MEM core play them. */
#ifndef ONYX_TESTS_GOLDEN_H
#define ONYX_TESTS_GOLDEN_H

#include <cjson/cJSON.h>

#include "bench.h"

/* A recorded case: input tokens and output tokens with their cycles. */
typedef struct {
    const char *file, *name;
    u32_vec in[BENCH_INS], accepted[BENCH_INS];
    bench_trace out[BENCH_OUTS];
} golden_case;

void golden_read(const char *file, const cJSON *json, arena *mem, golden_case *c);
/* The registers of feature 0 configured by a case, by number. */
void golden_registers(const cJSON *json, uint32_t reg[256]);
/* Appends the tokens of a port, a list of hexadecimal numbers in the file. */
void golden_tokens(const cJSON *ports, const char *port, arena *mem, u32_vec *out);

/* Fails the test if the outputs of `who` differ from `want`. */
void golden_check(const char *who, const golden_case *c, const bench_trace got[BENCH_OUTS],
                  const u32_vec want[BENCH_OUTS], arena *mem);
/* Resets the design and plays a case at full speed; plays the case with gaps, stalls and freezes. The output
 * must be `want`. */
bench_result golden_play(bench_design design, const golden_case *c, const u32_vec want[BENCH_OUTS],
                         arena *mem);
void golden_play_stalled(bench_design design, const golden_case *c, const u32_vec want[BENCH_OUTS],
                         arena *mem);

#endif
