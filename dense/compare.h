/* compare.h - dense designs against words and against each other, and their counts. */
#ifndef ONYX_DENSE_COMPARE_H
#define ONYX_DENSE_COMPARE_H

#include "dense/design.h"

/* Proves that the design, written as text, read back, and encoded, gives its original words, in their order
 * except the tile's. Error: E0921-not-canonical. */
bool dense_verify(const bits_stream *bits, const dense_design *design, diagnostics *d);
/* Prints the differences of two designs, a line each. Returns whether there are none. */
bool dense_diff(const dense_design *a, const dense_design *b, FILE *out);

/* Compares who feeds whom over how many registers in two designs on the same sites: the bitstream's, and that
 * of files called `files`. Error: E0925-not-the-design, at the first difference. */
bool dense_same_links(const dense_design *bits, const dense_design *other, const char *files, diagnostics *d);

/* What a design has. */
typedef struct {
    uint32_t tiles, pes, ponds, buffers, memories, valid, streams; /* valid: generators of valid bits */
    uint32_t wires[2], registers[2]; /* switch-box outputs and their registers, of words and of bits */
    uint32_t boxes, contents;        /* connection boxes; words of memories */
} dense_counts;
dense_counts dense_count(const dense_design *design);
/* Prints the counts, a line each, as bits_stat does, and the clock. */
void dense_stat(const bits_stream *bits, const dense_design *design, FILE *out, diagnostics *d);

#endif
