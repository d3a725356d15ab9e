/* bench.h - drives a clocked design with token streams at its ports, with gaps and stalls, and records taken
 * and given tokens with their cycles. The design is known only by the pins below. */
#ifndef ONYX_TESTS_BENCH_H
#define ONYX_TESTS_BENCH_H

#include "pe_design.h"
#include "tests/spec/spec.h"

typedef struct {
    uint64_t seed;
    uint32_t in_gap_pct;    /* an input with a token to offer waits a cycle, this often */
    uint32_t out_stall_pct; /* an output is not ready in a cycle */
    uint32_t freeze_pct;    /* the whole design is not enabled in a cycle */
    bool reset;             /* in place of the flush */
} bench_pace;

typedef struct {
    u32_vec token, cycle;
} bench_trace;

typedef struct {
    bench_trace in[BENCH_INS], out[BENCH_OUTS];
    const char *fault; /* a broken rule of the handshake, or NULL */
} bench_result;

/* Flushes for a cycle, or resets, and plays the streams from cycle 0 on until nothing has moved for a while.
 * Without gaps, stalls and freezes every input offers its next token at once. */
void bench_run(bench_design design, bench_pace pace, const u32_vec in[BENCH_INS], arena *mem,
               bench_result *result);
/* Resets the design; outputs are not looked at. */
void bench_reset(bench_design design);

/* First difference of a trace's tokens and the expected ones as a sentence, or NULL. */
const char *bench_difference(const bench_trace *got, const u32_vec *expected, arena *mem);
/* Fails the test unless the handshake was kept and the expected tokens came out. */
void bench_expect(const bench_result *got, const u32_vec expected[BENCH_OUTS], arena *mem);
/* Whether none of the tokens that should come out is an item. */
bool bench_gives_nothing(const u32_vec expected[BENCH_OUTS]);
/* Fails the test if a token went in, or came out. */
void bench_expect_nothing_in(const bench_result *got);
void bench_expect_nothing_out(const bench_result *got);

#endif
