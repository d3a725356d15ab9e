/* match_int.h - a match under way; private to match.c and mapping.c. */
#ifndef ONYX_FRONTEND_MATCH_INT_H
#define ONYX_FRONTEND_MATCH_INT_H

#include "frontend/functions/match.h"
#include "frontend/language/load.h"

enum { FE_ONE = INT32_MAX, FE_MOST_VARS = 64, FE_MOST_GROUPS = 16 };
typedef struct fe_goal {
    const struct fe_goal *next;
    bool chain; /* n operands for n, in any order; otherwise a single expression */
    sam_expr p, s;
    const sam_expr *ps, *ss;
    uint32_t n;
} fe_goal;
typedef struct {
    uint32_t var[FE_MOST_VARS]; /* of the kernel, by the function's - 1; FE_ONE: one coordinate */
    sam_expr operand[FE_MOST_VARS];
    uint64_t ones[FE_MOST_VARS];                                   /* by operand: promoted places */
    uint64_t sums_of_p[FE_MOST_GROUPS], sums_of_s[FE_MOST_GROUPS]; /* of matched reductions */
    uint32_t groups;
} fe_matched;
typedef struct {
    const fe_kernel *k;
    const fe_capability *c;
    const sam_statement *p, *s; /* the function's, the kernel's */
    arena *mem;
    fe_match_step level; /* the last checked step */
    bool promotes;       /* any operand, at any place */
    bool sizes;          /* finds sizes of calls that satisfy the conditions */
    bool searches;       /* failures need no report: sizes are tried by the million */
    bool mirrors;        /* the kernel over itself, the result's indices exchanged */
    bool whole;          /* operands are passed whole: nothing is fixed, promoted, or a number */
    bool turns;          /* then: operands tagged symmetric may have exchanged indices, too */
    uint32_t steps;
    fe_matched now;
    uint32_t tile[FE_MOST_VARS]; /* by the function's index - 1; 0: all */
    const char *why;
} fe_matcher;
extern const char FE_SYMMETRIC[];
const fe_goal *fe_match_pair(fe_matcher *m, sam_expr p, sam_expr s, const fe_goal *next);
uint64_t fe_result_vars(const sam_statement *s);
bool fe_solve(fe_matcher *m, const fe_goal *g);
fe_matcher fe_matcher_of(const fe_kernel *k, const fe_user_function *f, arena *mem);
/* Returns the first failing step. */
fe_mismatch fe_judge(fe_matcher *m);

#endif
