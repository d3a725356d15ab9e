/* check_int.h - common to the files that check dense programs. */
#ifndef ONYX_DENSE_CHECK_INT_H
#define ONYX_DENSE_CHECK_INT_H

#include "dense/check.h"
#include "dense/units.h"
#include "dense/wires.h"

/* Reports a broken rule of a tile. */
void dense_broken(diagnostics *d, const dense_tile *t, uint32_t rule, const char *what);
/* Warns of a setting of a tile by a rule. */
void dense_warn(diagnostics *d, const dense_tile *t, uint32_t rule, const char *what);
/* An event of a generator: `at` counts through wraps of the 16-bit counter. */
typedef struct {
    uint64_t at;
    uint32_t address[2], loop; /* loop: the loop stepped after the event, or DENSE_END */
} dense_event;
typedef VEC(dense_event) dense_events;
/* Lists the events of a generator in order. *gap: two events are 65,536 cycles or more apart, or none
 * apart. */
dense_events dense_events_of(const dense_generator *g, arena *mem, bool *gap);
/* Returns whether the word that a PE computes depends on operand k. */
bool dense_word_reads(const dense_instruction *pe, uint32_t k);
/* Returns whether the bit that a PE computes depends on operand k. If the table gives the bit, the operation
 * may compute nothing else. */
bool dense_bit_reads(const dense_instruction *pe, uint32_t k);
/* Replays the events of a unified buffer: rules 8 to 13. */
void dense_check_buffer(const dense_design *design, const dense_tile *t, diagnostics *d);

/* Warns of settings of wires that lead to no unit: rule 22. */
void dense_check_unused(const dense_wiring *w, diagnostics *d);

#endif
