/* batches.h - makes the runs of a kernel, batch by batch: memory holds a single batch at a time. */
#ifndef ONYX_ENGINES_BATCHES_H
#define ONYX_ENGINES_BATCHES_H

#include "kernel/streams.h"

/* What batches are made of. */
typedef struct {
    compile_context *ctx;
    const sam_statement *statement; /* packed, as the operands are */
    const tile_operands *operands;
    const tile_options *tiling;
    const pnr_design *design;
    uint32_t kernel;   /* the kernel, among the kernels of the design */
    uint32_t lockstep; /* copies of the kernel with a common start; every batch is dealt to them */
    tile_dispatch how;
} compile_batches_in;

/* Returns the inputs of the batches of a kernel with an array. */
static inline compile_batches_in compile_batches_of(compile_context *ctx, const compile_kernel *k) {
    return (compile_batches_in){.ctx = ctx,
                                .statement = &k->lowered.statement,
                                .operands = &k->data.packed,
                                .tiling = &k->tiling.options,
                                .design = &k->array.design,
                                .kernel = k->array.kernel,
                                .lockstep = k->array.independent ? 1 : k->array.copies,
                                .how = k->array.dispatch.how};
}

/* The runs are dealt to the copies of the kernel, in batches limited by the global buffer: host memory stays
 * bounded. */
typedef struct {
    compile_batches_in in;
    tile_planner *planner; /* NULL: ended */
    compile_streams streams;
    tile_stream inputs[TILE_MAX_STREAMS], outputs[TILE_MAX_STREAMS]; /* of one copy */
    uint32_t n_in, n_out;
    uint32_t most_words; /* of a batch */
    arena mem;           /* of the present batch */
    tile_plan plan;      /* the present batch */
    compile_cut cut;     /* what was made so far */
    bool again;          /* the batches are made a second time and are not counted */
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
