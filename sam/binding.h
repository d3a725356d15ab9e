/* binding.h - functions of whole tensors, which the host calls: what their calls take, and make of a
 * statement.
 */
#ifndef ONYX_SAM_BINDING_H
#define ONYX_SAM_BINDING_H

#include "sam/operators.h"

/* Returns the word nearest to a number; an int16 wraps, and what is no number is 0 there. */
uint16_t sam_number_word(double x, bool fp);

/* Returns the values of a function of one value in C for all 65,536 words, which are computed once; NULL
 * where there is none, or a call had a fault. */
const uint16_t *sam_words_of(sam_program *p);

/* Returns the value of a function of one value or two that C or a list of words computes. */
double sam_plain(const sam_program *p, double x, double y);
/* Returns whether a word is a coordinate of the vector that a program gathers from. */
bool sam_is_coordinate(const sam_program *p, uint16_t word);

/* How calls of such a function compute another statement. Its `pattern` is what the function computes. */
typedef struct {
    const char *name;
    sam_foreign *call; /* NULL: no function computes it */
    const sam_statement *pattern;
    sam_var *var;      /* by the pattern's variable - 1: the statement's; 0: it has one coordinate only */
    uint32_t *tile;    /* by the same: how many coordinates a call has; 0: all */
    sam_expr *operand; /* by the pattern's tensor - 1: the statement's access, or literal of a scalar */
    uint64_t fixed;    /* bit v - 1 of the statement's variables: a call has one coordinate of it */
    bool on_processor; /* the chip's computes it, where there is one; `call` does elsewhere */
    struct sam_calls
        *calls; /* as in sam_program; their operands are those of the pattern without the result */
} sam_binding;

#endif
