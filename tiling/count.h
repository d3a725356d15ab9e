/* count.h - the runs of a plan, counted round by round until they come to too much. */
#ifndef ONYX_TILING_COUNT_H
#define ONYX_TILING_COUNT_H

#include "tiling/choose.h"
#include "tiling/plan_int.h"

/* How far a plan is counted. */
typedef struct {
    bool first;   /* until the result can be estimated */
    double most;  /* or until the estimate exceeds this cost */
    double best;  /* or until the counted fraction exceeds this cost */
    double least; /* or until the fraction `share` costs more */
    double share;
    uint64_t steps; /* or after so many steps; 0: no limit */
    bool at_once;   /* within a sub-tile, too, with an unknown result */
} count_until;
/* Returns the counting limits of a plan without comparison. */
count_until count_to_the_end(uint64_t steps);

/* The count of a plan after a round of runs. */
typedef struct {
    tile_forecast expected; /* of the counted runs */
    double progress;
    uint64_t steps;
    bool complete, fits;
} count_round;

/* A plan and its rounds, which do not depend on limits of cost: a count can go on after other limits. Begins
 * with statement, operands and options alone. */
typedef struct {
    const sam_statement *statement;
    const tile_operands *in;
    tile_options options;
    arena mem;
    diagnostics quiet;
    tile_planner *planner;
    bool begun;
    uint64_t first_runs, next_runs; /* of the first round, and of the next */
    VEC(count_round) rounds;
} counting;
/* Counts the plan up to the limits, by the rounds that were counted before; false: a run does not fit. Adds
 * to *steps. The candidate's `limited` tells whether the steps for this plan were too few. */
bool count_plan(counting *c, count_until u, tile_candidate *out, uint64_t *steps);
void count_end(counting *c);

/* Extrapolates the counted `fraction` of the runs to all runs. */
tile_forecast count_whole(const tile_forecast *counted, double fraction);
double count_cost(const tile_options *options, const tile_forecast *f);
/* Returns the cost of the whole, from the counted `fraction`. */
double count_cost_of_whole(const tile_options *options, const tile_forecast *counted, double fraction);
/* Returns whether a memory tile holds the outer dense levels of each operand: they are as long as the edges,
 * whatever is stored. */
bool count_holds_dense(const sam_statement *s, const tile_options *options);

#endif
