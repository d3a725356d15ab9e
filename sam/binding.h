/* binding.h - functions of whole tensors called by the host: the operands of their calls, and their matching
 * with a statement.
 */
#ifndef ONYX_SAM_BINDING_H
#define ONYX_SAM_BINDING_H

#include "sam/operators.h"

/* Returns the word nearest to a number; an int16 wraps, and NaN becomes 0. */
uint16_t sam_number_word(double x, bool fp);

/* Returns the values of a C function of one value for all 65,536 words, computed once; NULL without such a
 * function, or after a fault of a call. */
const uint16_t *sam_words_of(sam_program *p);

/* Returns the value of a function of one value or two that C or a list of words computes. */
double sam_plain(const sam_program *p, double x, double y);
/* Returns whether a word is a coordinate of the vector that a program gathers from. */
bool sam_is_coordinate(const sam_program *p, uint16_t word);

/* A match of a function with another statement. Its `pattern` is the function's own statement. */
typedef struct {
    const char *name;
    sam_foreign *call; /* NULL: no function computes it */
    const sam_statement *pattern;
    sam_var *var;      /* by the pattern's variable - 1: the statement's variable; 0: a single coordinate */
    uint32_t *tile;    /* by the same: how many coordinates a call has; 0: all */
    sam_expr *operand; /* by the pattern's tensor - 1: the statement's access, or literal of a scalar */
    uint64_t fixed;    /* bit v - 1 of the statement's variables: a call has a single coordinate along v */
    bool on_processor; /* the chip's processor computes the function if present; otherwise `call` does */
    struct sam_calls *calls; /* as in sam_program; operands are the pattern's without the result */
} sam_binding;

#endif
