/* random_plan.h - plans of random words in the form that tiling makes, for the tests of firmware/. */
#ifndef ONYX_TESTS_RANDOM_PLAN_H
#define ONYX_TESTS_RANDOM_PLAN_H

#include "firmware/firmware.h"
#include "tests/test.h"

typedef struct {
    uint32_t inputs, outputs, blocks, runs; /* blocks of each input */
    uint32_t most_words;                    /* of a block; at least 1 */
    uint32_t bound;                         /* words of an output and run */
} plan_shape;

static inline void add_random_input(fixture *f, prng *p, const plan_shape *shape, tile_plan *plan) {
    tile_input input = {0};
    for (uint32_t b = 0; b < shape->blocks; b++) {
        uint32_t length = 1 + prng_below(p, shape->most_words);
        const tile_block block = {.first = plan->words.len, .length = length};
        vec_push(&f->mem, &input.blocks, block);
        for (uint32_t w = 0; w < length; w++)
            vec_push(&f->mem, &plan->words, (uint16_t)prng_next(p));
    }
    vec_push(&f->mem, &plan->inputs, input);
}

static inline tile_plan random_plan(fixture *f, prng *p, const plan_shape *shape) {
    tile_plan plan = {.tile = 8};
    for (uint32_t i = 0; i < shape->inputs; i++)
        add_random_input(f, p, shape, &plan);
    for (uint32_t o = 0; o < shape->outputs; o++) {
        const tile_output output = {.num_blocks = 1 + o % 2};
        vec_push(&f->mem, &plan.outputs, output);
    }
    for (uint32_t r = 0; r < shape->runs; r++) {
        const tile_run run = {.block_first = plan.run_block.len, .bound_words = shape->bound};
        vec_push(&f->mem, &plan.runs, run);
        for (uint32_t i = 0; i < shape->inputs; i++)
            vec_push(&f->mem, &plan.run_block, prng_below(p, shape->blocks));
    }
    return plan;
}

static inline const tile_block *plan_block(const tile_plan *plan, uint32_t run, uint32_t input) {
    uint32_t which = plan->run_block.at[plan->runs.at[run].block_first + input];
    return &plan->inputs.at[input].blocks.at[which];
}

/* The chip's rule: inputs on even columns, outputs on odd ones. */
typedef struct {
    uint32_t in[16], out[16];
    fw_columns columns;
} plan_columns;
static inline void set_columns(plan_columns *c, uint32_t inputs, uint32_t outputs) {
    for (uint32_t i = 0; i < 16; i++) {
        c->in[i] = 2 * i;
        c->out[i] = 2 * i + 1;
    }
    c->columns = (fw_columns){c->in, c->out, inputs, outputs, 1, 1, 0, 0, NULL, NULL};
}

static inline pnr_board onyx_board(fixture *f) {
    pnr_board b;
    if (!pnr_board_read("onyx", &f->mem, &f->diag, &b))
        fail_msg("%s", fixture_printed(f));
    return b;
}

/* Writes all plans into a single batch file; false after errors. */
static inline bool write_plans(fixture *f, const tile_plan *plans, uint32_t n, const fw_columns *c,
                               const pnr_board *b, const char *path, fw_batch_stats *stats) {
    fw_batch_writer *w = fw_batches_begin(c, b, path, &f->mem, &f->diag);
    bool good = w != NULL;
    for (uint32_t i = 0; good && i < n; i++)
        good = fw_batches_add(w, &plans[i]);
    return w && fw_batches_end(w, good, stats);
}

/* A file of the build folder, named after the test program's process. */
static inline const char *scratch_path(fixture *f, const char *name) {
    return arena_printf(&f->mem, ONYX_BINARY_DIR "/tests/%ld.%s", (long)getpid(), name);
}

#endif
