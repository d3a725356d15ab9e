/* How the chip's processor makes an operand from the stores of a statement: a copy if the stored words equal
 * the load; or a dense vector, with the values of each run at their coordinates. The host tries the commands
 * on the words of the cycle model, and accepts only a result equal to the load. */
#include "programs/move.h"
#include "programs/gather.h"
#include "programs/grid.h"

/* ---- blocks of an input's load ----------------------------------------------------------------- */

/* Returns the first coordinate of a block: of a vector cut in rows (sam_statement.rows) the vector's. */
static uint32_t origin_of(const tile_block *block, const sam_tensor_data *t) {
    const sam_view *view = &t->view;
    const bool rows = t->order == 2 && view->source.v && view->source_order == 1;
    return rows ? block->origin[0] * view->from[0].divide + block->origin[1] * view->from[1].divide
                : block->origin[0];
}

/* Lists the tensor's blocks in memory order: the order of their first run. */
static compile_block_list blocks_of(const tile_plan *plan, uint32_t input, const sam_tensor_data *t,
                                    arena *mem) {
    const tile_input *in = &plan->inputs.at[input];
    compile_block_list out = {0};
    arena scratch = {0};
    bool *seen = arena_new_n(&scratch, bool, in->blocks.len + 1);
    for (uint32_t r = 0; r < plan->runs.len; r++) {
        const uint32_t b = plan->run_block.at[plan->runs.at[r].block_first + input];
        const tile_block *block = &in->blocks.at[b];
        compile_block one = {.origin = origin_of(block, t), .words = block->length - 1, .empty = b == 0};
        if (t->order == 2) {
            one.grid = (compile_grid){
                {block->origin[0], block->origin[1]}, {block->size[0], block->size[1]}, {0, 0}};
            one.grid.step[t->mode[0]] = block->row;
            one.grid.step[t->mode[1]] = 1;
        }
        if (!seen[b])
            vec_push(mem, &out, one);
        seen[b] = true;
    }
    arena_free(&scratch);
    return out;
}

tile_tensor compile_copy_values(const compile_device_copy *device_copy, const uint8_t *content,
                                const tile_tensor *shape, arena *mem) {
    tile_tensor t = *shape;
    if (t.order == 2)
        return compile_grid_values(device_copy, content, shape, mem);
    uint32_t at = 0, *crd = arena_new_n(mem, uint32_t, device_copy->put.bytes / 2 + 1);
    uint16_t *val = arena_new_n(mem, uint16_t, device_copy->put.bytes / 2 + 1);
    t.nnz = !t.order;
    val[0] = word_at(content, 1); /* a scalar has a single value */
    for (uint32_t b = 0; b < device_copy->blocks.len; b++) {
        const compile_block *block = &device_copy->blocks.at[b];
        for (uint32_t i = 0; i < block->words && !block->empty; i++) {
            const uint16_t word = word_at(content, at + 1 + i);
            if (!word || block->origin + i >= shape->dim[0])
                continue;
            crd[t.nnz] = block->origin + i;
            val[t.nnz++] = word ^ shape->fill;
        }
        at += 1 + block->words;
    }
    t.crd = crd;
    t.val = val;
    return t;
}

/* ---- compressed vectors ------------------------------------------------------------------------ */

static const double ALONE = 40; /* array cycles for a word that is copied by itself */

/* ---- the move ---------------------------------------------------------------------------------- */

/* Returns the command of a copy if these words equal the load. */
static bool copy_of(const interpreter *m, const fw_segment *g, const fw_put *w, uint64_t hash, arena *mem,
                    compile_move *out) {
    if (w->bytes != g->bytes || w->hash != hash || (w->address ^ g->address) % 4)
        return false;
    const uint32_t bytes = w->address % 4 ? w->bytes : (w->bytes + 3) / 4 * 4; /* two words at a time */
    out->cycles = COMPILE_COMMAND + COMPILE_COPIED * bytes / 2;
    vec_push(mem, &out->commands,
             FW_MAKE(copy, .from = w->address, .bytes = bytes, .to = g->address - m->a->board.map.cgra_data));
    return true;
}

/* Lists the commands that make the segment of a vector from its spread-out form; returns whether this is
 * possible. */
static bool copy_spread(const interpreter *m, const tensor_slot *h, const fw_put *from, const fw_segment *g,
                        arena *mem, compile_move *out) {
    const compile_block_list *blocks = &out->device_copy.blocks;
    const uint32_t begin = g->address - m->a->board.map.cgra_data, dim = (uint32_t)h->t.dim[0];
    arena scratch = {0};
    uint16_t *words = arena_new_n(&scratch, uint16_t, dim + 1);
    uint32_t at = 0;
    bool ok = blocks->len > 0;
    for (uint64_t e = 0; e < h->t.nnz; e++)
        words[h->t.crd[e]] = h->t.val[e] ^ h->t.fill;
    for (uint32_t b = 0; b < blocks->len && ok; b++) {
        const compile_block *block = &blocks->at[b];
        const uint32_t there = block->empty || block->origin > dim ? 0 : dim - block->origin,
                       n = there < block->words ? there : block->words, to = begin + 2 * at;
        ok = 2 * (at + 1 + block->words) <= g->bytes && word_at(g->content, at) == block->words;
        for (uint32_t i = 0; i < block->words && ok; i++)
            ok = word_at(g->content, at + 1 + i) == (i < n ? words[block->origin + i] : 0);
        vec_push(mem, &out->commands, FW_MAKE(block, .to = to, .words = block->words, .from = n));
        if (n)
            vec_push(
                mem, &out->commands,
                FW_MAKE(copy, .from = from->address + 2 * (block->origin + 1), .bytes = 2 * n, .to = to + 2));
        out->cycles += 2 * COMPILE_COMMAND + COMPILE_CLEARED * (block->words - n) + COMPILE_COPIED * n;
        at += 1 + block->words;
    }
    arena_free(&scratch);
    if (ok && 2 * at == g->bytes)
        return true;
    out->commands.len = 0;
    out->cycles = 0;
    return false;
}

/* The stored words of a stream in a run: a block of a load with equal cuts. */
typedef struct {
    uint32_t output, begin, words; /* begin: in words */
    uint64_t hash;
} piece;

typedef VEC(piece) pieces;

/* Lists the stored pieces of the runs, of streams of a level. */
static bool list_pieces(const compile_deferred *l, int level, arena *mem, pieces *out) {
    for (uint32_t o = 0; o < l->plan.outputs.len; o++) {
        uint32_t at = 0;
        for (uint32_t r = 0; r < l->plan.runs.len && l->plan.outputs.at[o].stream.level == level; r++) {
            const uint32_t begin = at;
            if (out->len == COMPILE_SOURCES_MOST || !compile_pass_run(l, o, &at))
                return false;
            const uint32_t words = at - begin;
            vec_push(mem, out,
                     ((piece){o, begin, words, hash_bytes(l->stored[o].at + 2 * begin, 2 * (size_t)words)}));
        }
    }
    return true;
}

/* Lists the command that copies these bytes, or extends the last command. */
static void add_copy(uint32_t from, uint32_t bytes, uint32_t to, arena *mem, compile_move *out) {
    fw_command *last = out->commands.len ? &out->commands.at[out->commands.len - 1] : NULL;
    out->cycles += COMPILE_COPIED * bytes / 2;
    if (last && fw_command_of(last->word) == FW_COMMAND_copy && !FW_GET(last, copy, times) &&
        !FW_GET(last, copy, times_outer)) {
        const uint32_t had = FW_GET(last, copy, bytes);
        if (FW_GET(last, copy, from) + had == from && FW_GET(last, copy, to) + had == to) {
            FW_SET(last, copy, bytes, had + bytes);
            return;
        }
    }
    out->cycles += COMPILE_COMMAND;
    vec_push(mem, &out->commands, FW_MAKE(copy, .from = from, .bytes = bytes, .to = to));
}

/* Lists the commands for words that are blocks of zeros; returns false for other words. */
static bool add_zeros(const uint8_t *content, uint32_t words, uint32_t to, arena *mem, compile_move *out) {
    uint32_t at = 0;
    while (at < words) {
        const uint32_t n = word_at(content, at);
        for (uint32_t i = 1; i <= n; i++) {
            if (at + i >= words || word_at(content, at + i))
                return false;
        }
        vec_push(mem, &out->commands, FW_MAKE(block, .to = to + 2 * at, .words = n));
        out->cycles += COMPILE_COMMAND + COMPILE_CLEARED * n;
        at += 1 + n;
    }
    return true;
}

/* Lists the commands that copy stores of runs to the load, block by block; returns whether they make the
 * segment: equal cuts, and no value equal to the fill. O(blocks * runs). */
static bool copy_pieces(const interpreter *m, const compile_resident *resident, const compile_move_in *in,
                        const fw_segment *g, arena *mem, compile_move *out) {
    const tile_plan *plan = &in->to->plan;
    const tile_input *input = &plan->inputs.at[in->input];
    arena scratch = {0};
    bool *seen = arena_new_n(&scratch, bool, input->blocks.len + 1);
    pieces all = {0};
    uint32_t at = 0;
    bool ok = list_pieces(&resident->deferred, input->stream.level, &scratch, &all);
    for (uint32_t r = 0; r < plan->runs.len && ok; r++) {
        const uint32_t b = plan->run_block.at[plan->runs.at[r].block_first + in->input],
                       words = input->blocks.at[b].length,
                       to = g->address - m->a->board.map.cgra_data + 2 * at;
        if (seen[b])
            continue;
        seen[b] = true;
        ok = 2 * (at + words) <= g->bytes && out->commands.len < COMPILE_COMMANDS_MOST;
        const uint64_t hash = ok ? hash_bytes(g->content + 2 * at, 2 * (size_t)words) : 0;
        uint32_t k = 0;
        while (k < all.len && (all.at[k].words != words || all.at[k].hash != hash))
            k++;
        if (ok && k < all.len)
            add_copy(resident->words.at[all.at[k].output].address + 2 * all.at[k].begin, 2 * words, to, mem,
                     out);
        else
            ok = ok && add_zeros(g->content + 2 * at, words, to, mem, out);
        at += words;
    }
    arena_free(&scratch);
    return ok && 2 * at == g->bytes;
}

/* Finds how a dense matrix becomes the load: from its stores, or from a device copy. */
static bool move_matrix(const interpreter *m, const tensor_slot *h, const compile_move_in *in, arena *mem,
                        compile_move *out) {
    const compile_resident *resident = h->resident;
    const fw_segment *g = &in->batch->segments.at[in->input];
    const uint32_t to = g->address - m->a->board.map.cgra_data;
    bool there = !resident->gone && resident->words.len > 0, found = false;
    for (uint32_t w = 0; w < resident->words.len; w++) {
        const fw_put *put = &resident->words.at[w];
        there = there && compile_lies_before(m, in, put) &&
                !compile_overlap(put->address, put->bytes, to, g->bytes);
    }
    found = there && compile_move_grid(h, NULL, g, to, mem, out);
    for (uint32_t i = 0; i < resident->device_copies.len && !found; i++) {
        const compile_device_copy *device_copy = &resident->device_copies.at[i];
        found = device_copy->home &&
                (compile_in_scratch(m, device_copy) || compile_lies_before(m, in, &device_copy->put)) &&
                !compile_overlap(device_copy->put.address, device_copy->put.bytes, to, g->bytes) &&
                compile_move_grid(h, device_copy, g, to, mem, out);
    }
    return found;
}

/* Returns whether the device copy has all of a vector in a block, as in the scratch area, apart from the
 * load. */
static bool is_whole_vector(const tensor_slot *h, const compile_device_copy *device_copy,
                            const fw_put *load) {
    return h->t.order == 1 && device_copy->home && device_copy->blocks.len == 1 &&
           !device_copy->blocks.at[0].origin && !device_copy->blocks.at[0].empty &&
           device_copy->blocks.at[0].words >= h->t.dim[0] &&
           !compile_overlap(device_copy->put.address, device_copy->put.bytes, load->address, load->bytes);
}

/* Makes the load from another input of the batch that has been moved before, with equal words. */
static bool copy_input(const interpreter *m, const compile_resident *resident, const compile_move_in *in,
                       arena *mem, compile_move *out) {
    const fw_segment *to = &in->batch->segments.at[in->input];
    bool found = false;
    for (uint32_t k = 0; k < in->input && !found; k++) {
        const fw_segment *from = &in->batch->segments.at[k];
        if (in->moved[k].of != resident || in->moved[k].packed)
            continue;
        const fw_put words = {from->address - m->a->board.map.cgra_data, from->bytes,
                              hash_bytes(from->content, from->bytes)};
        found = copy_of(m, to, &words, out->device_copy.put.hash, mem, out);
    }
    return found;
}

/* Makes the load from an earlier load of the result; `apart`: without a common word. */
static bool copy_load(const interpreter *m, const tensor_slot *h, const compile_move_in *in, bool apart,
                      arena *mem, compile_move *out) {
    const compile_resident *resident = h->resident;
    const fw_segment *g = &in->batch->segments.at[in->input];
    const fw_put *to = &out->device_copy.put;
    bool found = false;
    for (uint32_t i = 0; i < resident->device_copies.len && !found; i++) {
        const compile_device_copy *device_copy = &resident->device_copies.at[i];
        const fw_put *from = &device_copy->put;
        const bool scratch = h->t.order == 1 && compile_in_scratch(m, device_copy),
                   lies = !scratch && compile_lies_before(m, in, from);
        if (apart && compile_overlap(from->address, from->bytes, to->address, to->bytes))
            continue;
        found = (lies && copy_of(m, g, from, to->hash, mem, out)) ||
                ((scratch || (lies && is_whole_vector(h, device_copy, to))) &&
                 copy_spread(m, h, from, g, mem, out));
    }
    return found;
}

bool compile_find_move(const interpreter *m, const tensor_slot *h, const compile_move_in *in, arena *mem,
                       compile_move *out) {
    const compile_resident *resident = h->resident;
    const fw_segment *g = &in->batch->segments.at[in->input];
    const uint64_t hash = hash_bytes(g->content, g->bytes);
    bool there = !resident->gone, found = false;
    *out = (compile_move){.device_copy.put = {g->address - m->a->board.map.cgra_data, g->bytes, hash}};
    if (compile_is_grid(in->data) || (in->data->order == 1 && in->data->level[0] == SAM_LEVEL_DENSE))
        out->device_copy.blocks = blocks_of(&in->to->plan, in->input, in->data, mem);
    if (compile_is_grid(in->data) && h->t.order == 2 &&
        (copy_load(m, h, in, true, mem, out) || copy_input(m, resident, in, mem, out) ||
         move_matrix(m, h, in, mem, out)))
        return true;
    out->commands.len = 0;
    out->cycles = 0;
    for (uint32_t i = 0; i < resident->words.len; i++) {
        const fw_put *w = &resident->words.at[i];
        const bool lies = !resident->gone && compile_lies_before(m, in, w);
        there = there && lies;
        found = found || (lies && copy_of(m, g, w, hash, mem, out));
    }
    found = found || copy_load(m, h, in, false, mem, out);
    /* A block-by-block move reads some words after other words were written. */
    for (uint32_t i = 0; i < resident->words.len; i++)
        there = there && !compile_overlap(resident->words.at[i].address, resident->words.at[i].bytes,
                                          out->device_copy.put.address, g->bytes);
    if (!found && there && h->t.order > 1 && in->data->order > 1) {
        out->commands.len = 0;
        out->cycles = 0;
        return copy_pieces(m, resident, in, g, mem, out);
    }
    out->spread = !found;
    return found ||
           (there && out->device_copy.blocks.len && compile_spread_block(m, resident, in, g, mem, out));
}

bool compile_find_broadcast(const interpreter *m, const tensor_slot *h, const compile_move_in *in, arena *mem,
                            compile_move *out) {
    const fw_segment *g = &in->batch->segments.at[in->input];
    const uint32_t to = g->address - m->a->board.map.cgra_data, words = g->bytes / 2 - 1;
    uint32_t address, more = 1;
    *out = (compile_move){.device_copy.put = {to, g->bytes, hash_bytes(g->content, g->bytes)}};
    if (!words || !compile_scalar_address(m, h, &address) ||
        (!(address & FW_SCRATCH) && !compile_lies_before(m, in, &h->resident->words.at[0])))
        return false;
    if (words > 1)
        vec_push(mem, &out->commands, FW_MAKE(block, .to = to, .words = words, .from = words));
    vec_push(mem, &out->commands,
             words > 1 ? FW_MAKE(copy, .from = address + 2, .bytes = 2, .to = to + 2)
                       : FW_MAKE(copy, .from = address, .bytes = 4, .to = to));
    for (uint32_t done = 1; done < words; done += more) { /* doubles the copied words */
        more = done < words - done ? done : words - done;
        vec_push(mem, &out->commands,
                 FW_MAKE(copy, .from = to + 2, .bytes = 2 * more, .to = to + 2 + 2 * done));
    }
    out->cycles = COMPILE_COMMAND * out->commands.len + COMPILE_COPIED * words;
    return true;
}

bool compile_repeat_vector(interpreter *m, tensor_slot *h, const compile_move_in *in, arena *mem,
                           compile_move *out) {
    const fw_segment *g = &in->batch->segments.at[in->input];
    const uint32_t *size = in->to->plan.boxes.at[1].size, mode = in->data->mode[0], words = size[0] * size[1],
                   to = g->address - m->a->board.map.cgra_data;
    bool ok = h->t.order == 1 && h->t.dim[0] == size[mode];
    uint16_t *values;
    *out = (compile_move){.packed = true, .spread = true, .device_copy.put = {to, g->bytes, 0}};
    for (uint32_t w = 0; w < h->resident->words.len && !h->resident->gone; w++)
        ok = ok && compile_lies_before(m, in, &h->resident->words.at[w]);
    const compile_device_copy *device_copy =
        ok ? compile_spread_out(m, h, in->alive, compile_listing_of(out, mem), &values) : NULL;
    if (!device_copy)
        return false;
    out->slot = device_copy->put;
    out->made = out->commands.len > 0;
    for (uint32_t i = 0; i < words; i++)
        ok = ok && word_at(g->content, 1 + i) == values[mode ? i % size[1] : i / size[1]];
    if (!ok || 2 * size[1] > UINT16_MAX)
        return false;
    vec_push(mem, &out->commands, FW_MAKE(block, .to = to, .words = words, .from = words));
    vec_push(mem, &out->commands,
             FW_MAKE(copy, .from = device_copy->put.address + 2, .bytes = 2, .to = to + 2, .times = size[0],
                     .times_outer = size[1], .step = mode ? 0 : 2, .step_outer = mode ? 2 : 0,
                     .step_to = 2 * size[1], .step_to_outer = 2));
    out->cycles += 2 * COMPILE_COMMAND + ALONE * words;
    return true;
}

bool compile_is_home(const compile_move *move, const fw_segment *g, const tensor_slot *h) {
    arena scratch = {0};
    tensor_slot got = {0};
    bool home = move->device_copy.blocks.len > 0 && (h->t.order == 1 || h->t.order == 2);
    if (home) {
        const tile_tensor found = compile_copy_values(&move->device_copy, g->content, &h->t, &scratch);
        compile_set_slot(&got, &found, &h->t, false);
        home = compile_is_same(&got.t, &h->t);
    }
    arena_free(&got.mem);
    arena_free(&scratch);
    return home;
}

/* ---- where a result is ------------------------------------------------------------------------- */

bool compile_is_stored(const interpreter *m, const compile_resident *resident, const fw_batch *b,
                       uint32_t row_bytes) {
    bool there = !resident->gone && !compile_overlap(FW_GET(&resident->step, batch, table),
                                                     FW_GET(&resident->step, batch, runs) *
                                                         fw_row_bytes(resident->deferred.columns.n_in,
                                                                      resident->deferred.columns.n_out),
                                                     b->table, b->runs * row_bytes);
    for (uint32_t w = 0; w < resident->words.len && there; w++)
        there = compile_has_put(&m->session.memory.stored, &resident->words.at[w]);
    return there;
}

const compile_device_copy *compile_device_copy_of(const interpreter *m, const compile_resident *resident) {
    for (uint32_t i = 0; i < resident->device_copies.len; i++) {
        if (resident->device_copies.at[i].home &&
            compile_has_put(&m->session.memory.stored, &resident->device_copies.at[i].put))
            return &resident->device_copies.at[i];
    }
    return NULL;
}
