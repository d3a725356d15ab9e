/* check.h - rules of a right dense program; their numbers are those of docs/dense.md. */
#ifndef ONYX_DENSE_CHECK_H
#define ONYX_DENSE_CHECK_H

#include "dense/program.h"

/* Judges the tiles, without the global buffer. Each broken rule of a tile is an error E0983-dense-rule. */
bool dense_check(const dense_design *design, diagnostics *d);
/* Judges the order of the words: a memory takes contents only when its tile is on. E0983-dense-rule. */
bool dense_check_order(const bits_stream *bits, const dense_design *design, diagnostics *d);
/* Judges the register writes: none stalls columns or configures tiles where streams are set up.
 * E0983-dense-rule. */
bool dense_check_writes(const dense_program *p, diagnostics *d);
/* Judges the streams of the global buffer around the tiles. E0983-dense-rule. */
bool dense_check_streams(const dense_design *design, const dense_streams *streams, diagnostics *d);

/* Judges who flushes the array: in each group of columns with tiles a load that starts. E0983-dense-rule. */
bool dense_check_flush(const dense_design *design, const dense_streams *streams, const dense_program *p,
                       diagnostics *d);

/* Warns where expected words may come of exact products: the chip's multiplier of bf16 rounds otherwise.
 * E0985-dense-doubt. */
void dense_check_rounding(const dense_design *design, const dense_program *p, diagnostics *d);

/* Runs the streams on marks in place of words: each stored word must come of words that loads, constants or
 * contents gave (rule 6), with schedules of late rows a cycle less (rule 7). Warnings, since a
 * select may leave such a word unread. E0985-dense-doubt. */
void dense_check_arrivals(const dense_design *design, const dense_streams *streams, diagnostics *d);

#endif
