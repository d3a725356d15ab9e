/* chain.h - a note through the compiler's passes and the simulator, and its result against the definition. */
#ifndef ONYX_TESTS_CHAIN_H
#define ONYX_TESTS_CHAIN_H

#include "tests/notation/notation.h"

typedef enum { CHAIN_RIGHT, CHAIN_REFUSED, CHAIN_WRONG } chain_verdict;

typedef struct {
    chain_verdict verdict;
    const char *code; /* REFUSED: of the first error */
    const char
        *reason; /* REFUSED: what was printed; WRONG: what differs from the definition, or which pass broke */
} chain_outcome;

/* The passes of the command line, with droppers and without; each graph simulated as it is and with binary
 * joiners; values and structure of every result against note_evaluate. A refusal without a code or a place is
 * WRONG. */
chain_outcome chain_run(note *n, arena *mem);

/* Is given the texts of what the passes make and say, where somebody wants to know. */
extern void (*chain_told)(const char *text);

#endif
