/* chain.h - a note through the compiler's passes and the simulator, and its result against the definition. */
#ifndef ONYX_TESTS_CHAIN_H
#define ONYX_TESTS_CHAIN_H

#include "tests/notation/notation.h"

typedef enum { CHAIN_RIGHT, CHAIN_REFUSED, CHAIN_WRONG } chain_verdict;

typedef struct {
    chain_verdict verdict;
    const char *code; /* REFUSED: of the first error */
    const char
        *reason; /* REFUSED: the message; WRONG: the difference from the definition, or the broken pass */
} chain_outcome;

/* The passes of the command line, with droppers and without; each graph simulated as it is and with binary
 * joiners; values and structure of every result against note_evaluate. A refusal without a code or a place is
 * WRONG. */
chain_outcome chain_run(note *n, arena *mem);

/* Called with the texts of the passes' results and messages, unless NULL. */
extern void (*chain_told)(const char *text);

#endif
