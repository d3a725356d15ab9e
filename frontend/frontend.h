/* frontend.h - from what the user types to a SAM graph: tensor index notation, formats and a schedule
 * become a sam_statement (every reduction explicit, loops ordered), and that becomes a SAM graph.
 */
#ifndef ONYX_FRONTEND_H
#define ONYX_FRONTEND_H

#include "sam/sam.h"

typedef struct {
    const char *expression;     /* "X(i,j) = B(i,k) * C(k,j)" */
    const char *const *formats; /* taco's -f: "B:ss", "C:ss:1,0", "x:d" */
    uint32_t n_formats;
    const char *const *schedule; /* taco's -s: "reorder(i,j,k)"; several commands may share one string */
    uint32_t n_schedule;
} fe_in;

/* Parses and checks; implicit summation over every variable absent from the result becomes SAM_EXPR_SUM at
 * the widest scope taco gives it; default format is compressed in every level, default loop order is the
 * order of first appearance (result first). Errors E01nn, located in the expression, a format or the
 * schedule. */
bool fe_parse(const fe_in *in, name_table *names, arena *mem, diagnostics *d, sam_statement *out);
/* Every invariant of a sam_statement; independent of fe_parse. */
bool fe_check(const sam_statement *s, diagnostics *d);
/* Concrete index notation: "forall(i, forall(j, X(i,j) += B(i,k) * C(k,j)))", loop order explicit. */
void fe_dump(const sam_statement *s, FILE *out);

typedef struct {
    bool drop; /* insert coordinate droppers where an intersection may leave empty fibers */
} fe_lower_options;
/* Statement to SAM graph (section 4.7 of the dissertation): per variable and operand a scanner or a repeater,
 * a joiner where several operands meet, then the compute tree, reducers, and the writers. */
bool fe_lower(const sam_statement *s, const fe_lower_options *options, arena *mem, diagnostics *d,
              sam_graph *out);

#endif
