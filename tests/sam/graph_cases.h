/* graph_cases.h - a graph as text against the expression it stands for. */
#ifndef ONYX_TESTS_GRAPH_CASES_H
#define ONYX_TESTS_GRAPH_CASES_H

#include "tests/notation/notation.h"
#include "tests/test.h"

typedef struct {
    const char *file;       /* below the folder the graphs are in */
    const char *expression; /* what it computes; NULL if the check refuses the graph */
    const char *code;       /* NULL: right on all data. Else: the error that some data, or any, leads to */
    enum {
        GRAPH_ANY,   /* with a code: every other run is right */
        GRAPH_FULL,  /* and it is right on operands without a hole */
        GRAPH_NEVER, /* and it never runs */
        GRAPH_STORED /* no code: right where an operand has an entry, and nothing elsewhere */
    } when;
} graph_case;

/* Reads, checks, prints and reads again, and runs the graph on random data of many densities; the outcome
 * must be the row's, every value the expression's, and every error located. */
void graph_case_check(fixture *f, const char *folder, const graph_case *c);

#endif
