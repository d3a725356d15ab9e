/* choose.h - which edges of sub-tiles and how many copies of a kernel are expected to take the fewest cycles.
 */
#ifndef ONYX_TILING_CHOOSE_H
#define ONYX_TILING_CHOOSE_H

#include "tiling/tiling.h"

/* Returns how many array cycles a model (docs/notebook/copies_notes.md) expects the chip to take for the
 * runs, configuration and host aside. Its copies of the kernel start together, runs of like size at a time,
 * or each `alone`. */
double tile_chip_cycles(const tile_forecast *f, const tile_driver *by, uint32_t copies, bool alone);

/* Copies of the kernel, and what the chip is expected to take for all runs with them. */
typedef struct {
    uint32_t copies;
    bool alone; /* each starts by itself */
    double
        cycles; /* with what configuring the copies takes, as many of them as a faster clock has meanwhile */
} tile_share;
/* Returns the fewest copies among those with the least cycles. */
tile_share tile_best_share(const tile_forecast *f, const tile_driver *by, const tile_room *room);

/* Edges that were looked at. */
typedef struct {
    const uint32_t *edge; /* along each variable, by handle - 1 */
    tile_forecast
        expected;  /* of the runs that were counted; of all, by estimate, where options->steps bounds them */
    bool complete; /* all runs were counted */
    double predicted; /* cycles of all runs, by how far the count came */
    double cost;      /* the same with what drives the array, and with copies */
    double measured;  /* cycles of all runs with so many copies, by the cycle model; 0: nobody measured */
    uint32_t copies;
    bool in_turn, stored; /* as of tile_options */
    bool limited;         /* of the result: with more steps it may be another one */
} tile_candidate;
typedef VEC(tile_candidate) tile_candidates;
/* Chooses the edges whose runs are expected to take the fewest cycles (tiling/model.c), with what drives the
 * array, along the variables for which options->edge has none. They are powers of two, at most widest[] of
 * each variable; `tried` lists all that were looked at: one edge for all variables first, then the best of
 * these with other edges along single ones, as long as that helps; options->begin before all. Of plans of
 * more than 2^16 runs the first ones are counted, and the best three in full; each costs what tile_plan_begin
 * does, and its runs. The result is one of `tried`, complete, or where none fits the default edges, but not
 * wider.
 *
 * With options->steps all of it takes about so many steps whatever the data: what is cut is a sample
 * of the operands where they have more than TILE_SAMPLE entries, and counts are left where they
 * take too long. The result may then not be complete. */
tile_candidate tile_choose(const sam_statement *s, const tile_operands *in, const tile_options *options,
                           const uint32_t *widest, arena *mem, tile_candidates *tried);
/* Counts the plan with the options' edges, in full or within options->steps, and fills all of `out` but its
 * edges. Returns false if the plan does not fit. */
bool tile_expect(const sam_statement *s, const tile_operands *in, const tile_options *options,
                 tile_candidate *out);
/* Finds where the workspace that s makes will have values, if it is operands that are added to each other,
 * the product of two, or sums of such, and nothing else: entries with any values, of about that share of the
 * operands. Along the variables of `whole` (bit = handle - 1) nothing is left out. Returns false where it
 * cannot tell. */
bool tile_workspace(const sam_statement *s, const tile_operands *in, uint64_t whole, arena *mem,
                    tile_tensor *out, double *share);

/* Entries of the sample that one choice goes by, and of the one that several choices share. */
enum { TILE_SAMPLE = 1 << 15, TILE_SHARED_SAMPLE = 1 << 16 };
/* Makes a sample of the operands, by tensor handle - 1, of a statement whose tensors are stored as they are:
 * about TILE_SHARED_SAMPLE entries of all together, blocks of coordinates along one loop or two
 * (tiling/sample.h), and which part of all work they are. Returns false where they have no more, or nothing
 * can be left out. O(entries). */
bool tile_share_sample(const sam_statement *s, const tile_operands *in, arena *mem, tile_operands *out,
                       double *share);

#endif
