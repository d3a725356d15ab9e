/* unroll.c - the plan of one copy of the kernel, dealt to several copies side by side. */
#include "support/sort.h"
#include "tiling/tiling_int.h"

static bool is_lighter(const void *loads, uint32_t a, uint32_t b) {
    const uint32_t *load = loads;
    return load[a] < load[b];
}

/* Returns the runs in dealing order; the heaviest first if loads matter. */
static uint32_t *order_runs(const tile_plan *one, tile_dispatch how, arena *mem) {
    uint32_t *load = arena_new_n(mem, uint32_t, one->runs.len + 1); /* words of all operands, by run */
    for (uint32_t r = 0; r < one->runs.len && how != TILE_DISPATCH_ORDER; r++) {
        const uint32_t *block = &one->run_block.at[one->runs.at[r].block_first];
        for (uint32_t i = 0; i < one->inputs.len; i++)
            load[r] += one->inputs.at[i].blocks.at[block[i]].length;
    }
    return sort_order(one->runs.len, is_lighter, load, mem);
}

static bool same_stream(tile_stream a, tile_stream b) {
    return name_eq(a.tensor, b.tensor) && a.level == b.level && a.table.word == b.table.word;
}

/* Returns the input of the single copy's plan for the stream. */
static uint32_t input_of(const tile_plan *one, tile_stream stream) {
    for (uint32_t i = 0; i < one->inputs.len; i++) {
        if (same_stream(one->inputs.at[i].stream, stream))
            return i;
    }
    BUG("a copy has an input the kernel lacks");
}

static const tile_output *output_of(const tile_plan *one, tile_stream stream) {
    for (uint32_t o = 0; o < one->outputs.len; o++) {
        if (same_stream(one->outputs.at[o].stream, stream))
            return &one->outputs.at[o];
    }
    BUG("a copy has an output the kernel lacks");
}

static const uint32_t IDLE = UINT32_MAX; /* of taken: the copy has no run */

/* Adds the run with run taken[c] of the single copy's plan on copy c. */
static void add_run(const tile_plan *one, const uint32_t *taken, const uint32_t *source, arena *mem,
                    tile_plan *out) {
    tile_run run = {.block_first = out->run_block.len};
    for (uint32_t copy = 0; copy < out->copies; copy++) {
        const tile_box idle = {.idle = true};
        const uint32_t its = taken[copy];
        vec_push(mem, &out->boxes, its != IDLE ? one->boxes.at[its] : idle);
        /* An idle copy's result has the length of a run on empty sub-tiles, the minimum: one coordinate a
         * level. */
        const tile_run bound = its != IDLE ? one->runs.at[its] : (tile_run){0};
        run.bound_words = bound.bound_words > run.bound_words ? bound.bound_words : run.bound_words;
        run.bound_array = bound.bound_array > run.bound_array ? bound.bound_array : run.bound_array;
    }
    for (uint32_t i = 0; i < out->inputs.len; i++) {
        const uint32_t its = taken[out->inputs.at[i].copy];
        vec_push(mem, &out->run_block,
                 its != IDLE ? one->run_block.at[one->runs.at[its].block_first + source[i]] : 0);
    }
    vec_push(mem, &out->runs, run);
}

/* Takes for each copy the next run of its group, from next[copy] on in `order`. Returns false where none is
 * left. */
static bool take_of_groups(const tile_plan *one, const uint32_t *order, uint32_t copies, uint32_t *next,
                           uint32_t *taken) {
    bool any = false;
    for (uint32_t copy = 0; copy < copies; copy++) {
        uint32_t *at = &next[copy];
        while (*at < one->runs.len && one->runs.at[order[*at]].group != copy)
            ++*at;
        taken[copy] = *at < one->runs.len ? order[(*at)++] : IDLE;
        any = any || taken[copy] != IDLE;
    }
    return any;
}

/* Takes the next runs, one for each copy, from *next on in `order`. */
static bool take_next(const tile_plan *one, const uint32_t *order, uint32_t copies, uint32_t *next,
                      uint32_t *taken) {
    const bool any = *next < one->runs.len;
    for (uint32_t copy = 0; copy < copies; copy++)
        taken[copy] = *next < one->runs.len ? order[(*next)++] : IDLE;
    return any;
}

void tile_unroll(const tile_plan *one, uint32_t copies, tile_dispatch how, const tile_copy_stream *inputs,
                 uint32_t n_inputs, const tile_copy_stream *outputs, uint32_t n_outputs, arena *mem,
                 tile_plan *out) {
    arena scratch = {0};
    uint32_t *source = arena_new_n(&scratch, uint32_t, n_inputs + 1);
    const uint32_t *order = order_runs(one, how, &scratch);
    BUG_IF(one->copies != 1 || copies == 0, "%u copies of a plan for %u", copies, one->copies);
    *out = (tile_plan){.tile = one->tile,
                       .edge = one->edge,
                       .glb_edge = one->glb_edge,
                       .words = one->words,
                       .copies = copies,
                       .runs_possible = one->runs_possible};
    for (uint32_t i = 0; i < n_inputs; i++) {
        source[i] = input_of(one, inputs[i].stream);
        tile_input input = one->inputs.at[source[i]];
        input.copy = inputs[i].copy;
        vec_push(mem, &out->inputs, input);
    }
    for (uint32_t o = 0; o < n_outputs; o++) {
        tile_output output = *output_of(one, outputs[o].stream);
        output.copy = outputs[o].copy;
        vec_push(mem, &out->outputs, output);
    }
    uint32_t *next = arena_new_n(&scratch, uint32_t, copies),
             *taken = arena_new_n(&scratch, uint32_t, copies);
    const bool grouped = how == TILE_DISPATCH_BANKS;
    while (grouped ? take_of_groups(one, order, copies, next, taken)
                   : take_next(one, order, copies, next, taken))
        add_run(one, taken, source, mem, out);
    arena_free(&scratch);
}

/* Adds the words of the plans, and the streams in their columns' order; `source` becomes the inputs by their
 * numbers in their plans. */
static void unite_streams(const tile_union *u, uint32_t *source, arena *mem, tile_plan *out) {
    arena scratch = {0};
    uint32_t *before = arena_new_n(&scratch, uint32_t, u->n + 1);
    for (uint32_t p = 0; p < u->n; p++) {
        before[p] = out->words.len;
        for (uint32_t w = 0; w < u->of[p].words.len; w++)
            vec_push(mem, &out->words, u->of[p].words.at[w]);
    }
    for (uint32_t i = 0; i < u->n_inputs; i++) {
        const uint32_t p = u->inputs[i].copy;
        tile_input input = {.stream = u->inputs[i].stream, .copy = p};
        source[i] = u->of[p].copies ? input_of(&u->of[p], input.stream) : 0;
        for (uint32_t b = 0; u->of[p].copies && b < u->of[p].inputs.at[source[i]].blocks.len; b++) {
            tile_block block = u->of[p].inputs.at[source[i]].blocks.at[b];
            block.first += before[p];
            vec_push(mem, &input.blocks, block);
        }
        vec_push(mem, &out->inputs, input);
    }
    for (uint32_t o = 0; o < u->n_outputs; o++) {
        const tile_plan *its = &u->of[u->outputs[o].copy];
        tile_output output = {.stream = u->outputs[o].stream};
        if (its->copies)
            output = *output_of(its, output.stream);
        output.copy = u->outputs[o].copy;
        vec_push(mem, &out->outputs, output);
    }
    arena_free(&scratch);
}

void tile_unite(const tile_union *u, arena *mem, tile_plan *out) {
    arena scratch = {0};
    uint32_t *source = arena_new_n(&scratch, uint32_t, u->n_inputs + 1), runs = u->runs;
    *out = (tile_plan){
        .tile = u->of[0].tile, .edge = u->of[0].edge, .glb_edge = u->of[0].glb_edge, .copies = u->n};
    for (uint32_t p = 0; p < u->n; p++) {
        runs = u->of[p].runs.len > runs ? u->of[p].runs.len : runs;
        out->runs_possible += u->of[p].runs_possible;
    }
    unite_streams(u, source, mem, out);
    for (uint32_t r = 0; r < runs; r++) {
        tile_run run = {.block_first = out->run_block.len};
        for (uint32_t p = 0; p < u->n; p++) {
            const bool has = r < u->of[p].runs.len;
            const tile_run bound = has ? u->of[p].runs.at[r] : (tile_run){0};
            vec_push(mem, &out->boxes, has ? u->of[p].boxes.at[r] : (tile_box){.idle = true});
            run.bound_words = bound.bound_words > run.bound_words ? bound.bound_words : run.bound_words;
            run.bound_array = bound.bound_array > run.bound_array ? bound.bound_array : run.bound_array;
        }
        for (uint32_t i = 0; i < u->n_inputs; i++) {
            const tile_plan *its = &u->of[u->inputs[i].copy];
            vec_push(mem, &out->run_block,
                     r < its->runs.len ? its->run_block.at[its->runs.at[r].block_first + source[i]] : 0);
        }
        vec_push(mem, &out->runs, run);
    }
    arena_free(&scratch);
}
