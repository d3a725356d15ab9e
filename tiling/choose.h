/* choose.h - the edges of sub-tiles and the number of copies of a kernel with the fewest expected cycles. */
#ifndef ONYX_TILING_CHOOSE_H
#define ONYX_TILING_CHOOSE_H

#include "tiling/tiling.h"

/* Returns how many array cycles a model (docs/notebook/copies_notes.md) expects the chip to take for the
 * runs, configuration and host aside. Its copies of the kernel start together, runs of like size at a time,
 * or each `alone`. */
double tile_chip_cycles(const tile_forecast *f, const tile_driver *by, uint32_t copies, bool alone);

/* Returns how many array cycles the chip's processor takes to add a value to another partial
 * sum. */
double tile_join_cycles(tile_dtype dtype);
/* Returns how many array cycles the chip's processor takes for a run's piece of a result, of several. */
double tile_piece_cycles(void);

/* Returns the pace of a tile_driver: the table of instructions, least or most, and cycles of the processor
 * that an access of code, of SRAM and one way of the interconnect wait. */
double tile_processor_pace(bool most, double code_wait, double sram_wait, double interconnect);

/* Copies of the kernel, and the chip's expected time for all runs. */
typedef struct {
    uint32_t copies;
    bool alone;    /* each starts by itself */
    double cycles; /* with configuration, in cycles of the fastest clock */
} tile_share;
/* Returns the smallest number of copies with the least cycles. */
tile_share tile_best_share(const tile_forecast *f, const tile_driver *by, const tile_room *room);

/* Edges that were looked at. */
typedef struct {
    const uint32_t *edge; /* along each variable, by handle - 1 */
    tile_forecast
        expected;     /* of the counted runs; of all runs, by estimate, if options->steps limits counting */
    bool complete;    /* all runs were counted */
    double predicted; /* cycles of all runs, by how far the count came */
    double cost;      /* the same with the array's driver, and with copies */
    double measured;  /* cycles of all runs with `copies` copies, by the cycle model; 0: not measured */
    uint32_t copies;
    sam_sharing sharing; /* as of tile_options */
    bool limited;        /* of the result: more steps may give another result */
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
/* Finds the places with values in the workspace of s, for sums of operands, products of two operands, and
 * sums of both only: entries with arbitrary values, at a similar share of the operands. Variables of `whole`
 * (bit = handle - 1) are complete. Returns false for other statements. */
bool tile_workspace(const sam_statement *s, const tile_operands *in, uint64_t whole, arena *mem,
                    tile_tensor *out, double *share);

/* Entries of the sample of one choice, and of the sample shared by several choices. */
enum { TILE_SAMPLE = 1 << 15, TILE_SHARED_SAMPLE = 1 << 16 };
/* Makes a sample of the operands, by tensor handle - 1, of a statement whose tensors are stored unchanged:
 * about TILE_SHARED_SAMPLE entries in total, blocks of coordinates along one or two loops (tiling/sample.h),
 * and their share of the work. Returns false if the operands are small or no entry can be left out.
 * O(entries). */
bool tile_share_sample(const sam_statement *s, const tile_operands *in, arena *mem, tile_operands *out,
                       double *share);

#endif
