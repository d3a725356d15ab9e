/* batches.h - makes the runs of a kernel, batch by batch: memory holds a single batch at a time. */
#ifndef ONYX_ENGINES_BATCHES_H
#define ONYX_ENGINES_BATCHES_H

#include "kernel/streams.h"

/* A statement whose operands are cut. */
typedef struct {
    const sam_statement *statement; /* packed, as the operands are */
    const tile_operands *operands;
    const tile_options *tiling;
} compile_cut_in;

/* What batches are made of. */
typedef struct {
    compile_context *ctx;
    compile_cut_in of[COMPILE_MEMBERS_MOST]; /* by copy, if several statements run at once; no statement: the
                                              copy's streams carry nothing here */
    uint32_t n, runs;                        /* of these; a batch has at least so many runs */
    const pnr_design *design;
    uint32_t kernel;   /* the kernel, among the kernels of the design */
    uint32_t lockstep; /* copies of the kernel with a common start; every batch is dealt to them */
    tile_dispatch how;
} compile_batches_in;

/* Returns the inputs of the batches of a kernel with an array, and of the kernels that run with it. */
compile_batches_in compile_batches_of(compile_context *ctx, const compile_kernel *k);
/* Returns the inputs of the batches of one of several statements that have run at once, `runs` times. */
compile_batches_in compile_batches_of_member(compile_context *ctx, const compile_kernel *k, uint32_t runs);

/* The runs are dealt to the copies of the kernel, in batches limited by the global buffer: host memory stays
 * bounded. */
typedef struct {
    compile_batches_in in;
    struct {
        tile_planner *planner;                                           /* NULL: ended, or there is none */
        tile_stream inputs[TILE_MAX_STREAMS], outputs[TILE_MAX_STREAMS]; /* of one copy */
        uint32_t n_in, n_out;
        tile_plan plan; /* the present batch of one copy */
    } of[COMPILE_MEMBERS_MOST];
    compile_streams streams;
    uint32_t most_words; /* of a batch */
    arena mem;           /* of the present batch */
    tile_plan plan;      /* the present batch */
    compile_cut cut;     /* what was made so far */
    bool again;          /* the batches are made a second time and are not counted */
    bool begun;          /* a batch was made since the planners began */
    bool failed;
} compile_batches;

/* Cuts the operands; no batch is made yet. */
bool compile_begin_batches(const compile_batches_in *in, compile_batches *b);
/* Makes the next batch, in b->plan. Returns false at the end (b->plan has streams, but no runs), or after
 * errors. */
bool compile_next_batch(compile_batches *b);
/* Frees everything but b->cut. */
void compile_end_batches(compile_batches *b);
/* Makes the batches again, after the end, to collect their results from a file; *cycles is the total of all
 * runs. */
bool compile_collect_batches(compile_batches *b, const char *result, tile_collector *c, uint64_t *cycles);

#endif
