/* graph_cases.h - a graph as text against its expression. */
#ifndef ONYX_TESTS_GRAPH_CASES_H
#define ONYX_TESTS_GRAPH_CASES_H

#include "tests/notation/notation.h"
#include "tests/test.h"

typedef struct {
    const char *file;       /* below the folder the graphs are in */
    const char *expression; /* the graph's expression; NULL if the check refuses the graph */
    const char *code;       /* NULL: right on all data; else the error of some or all data */
    enum {
        GRAPH_ANY,   /* with a code: every other run is right */
        GRAPH_FULL,  /* and right on operands without holes */
        GRAPH_NEVER, /* and it never runs */
        GRAPH_STORED /* no code: right where an operand has an entry, and nothing elsewhere */
    } when;
} graph_case;

/* Reads, checks, prints and reads again, and runs the graph on random data of many densities; the outcome
 * must be the row's, every value the expression's, and every error located. */
void graph_case_check(fixture *f, const char *folder, const graph_case *c);

#endif
