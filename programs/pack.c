/* Compressed vectors that the chip's processor packs as they are loaded: from a vector spread out, or
 * from the stores of each run. */
#include "programs/pack.h"
#include "programs/gather.h"

/* Array cycles for each word or value packed, or examined for packing; measured as in gather.c. */
static const double PACKED = 22, TAKEN = 23;

/* Coordinates that a run loads. */
typedef struct {
    uint32_t first, count;
} range;

static bool is_empty(const uint16_t *words, range r) {
    bool empty = true;
    for (uint32_t i = 0; i < r.count; i++)
        empty = empty && !words[r.first + i];
    return empty;
}

/* Finds the coordinates of a vector in the input of run `r`; for an empty input, the coordinates of the run's
 * piece of the result. */
static bool find_range(const compile_move_in *in, uint32_t r, uint32_t dim, const uint16_t *words,
                       range *out) {
    const tile_plan *plan = &in->to->plan;
    const tile_input *input = &plan->inputs.at[in->input];
    const uint32_t b = plan->run_block.at[plan->runs.at[r].block_first + in->input];
    const tile_block *block = &input->blocks.at[b];
    const tile_box *box = &plan->boxes.at[r * plan->copies + input->copy];
    *out = (range){block->origin[0], block->size[0]};
    if (!b)
        *out = (range){box->origin[0], box->size[0]};
    if (out->first > dim)
        return false;
    out->count = out->count < dim - out->first ? out->count : dim - out->first;
    if (!b && (!out->count || !is_empty(words, *out)))
        *out = (range){0, dim};
    return b || is_empty(words, *out);
}

/* How a block is made of dense words; returns false where the processor cannot. */
static bool find_how(const sam_tensor_data *t, uint32_t *how) {
    *how = (t->padded ? FW_PACK_PADDED : 0) | (t->lacked ? FW_PACK_LACKED : 0);
    if (t->structure == SAM_STORED || (t->structure == SAM_COMPLEMENT && t->lacked))
        *how |= FW_PACK_ONES;
    else if (t->structure == SAM_COMPLEMENT)
        *how |= FW_PACK_ABSENT;
    return t->structure < SAM_FILLED && !t->whole;
}

/* Applies a command to these words: coordinates and values of a block. Returns their number. */
static uint32_t pack_words(const uint16_t *words, range r, uint32_t how, uint16_t *crd, uint16_t *val) {
    const bool absent = how & FW_PACK_ABSENT, lacked = how & FW_PACK_LACKED;
    uint32_t n = 0;
    for (uint32_t c = 0; c < r.count; c++) {
        const uint16_t word = words[r.first + c];
        const bool has = absent ? !word : word != 0;
        if (!has && (c || !(how & FW_PACK_PADDED)))
            continue;
        crd[n] = (uint16_t)c;
        val[n++] = !has ? 0 : how & (FW_PACK_ABSENT | FW_PACK_ONES) ? 1 : word;
    }
    if (!n) {
        crd[n] = (uint16_t)(lacked ? r.count : 0);
        val[n++] = lacked;
    }
    return n;
}

bool compile_is_loaded(const interpreter *m, const compile_move_in *in, uint32_t input, uint32_t r,
                       const uint16_t *words, uint32_t n) {
    const fw_segment *g = &in->batch->segments.at[input],
                     *table = &in->batch->segments.at[in->batch->segments.len - 1];
    const uint8_t *cell = table->content + (in->batch->table - table->address) +
                          r * fw_row_bytes(in->to->columns.n_in, in->to->columns.n_out) + fw_load_cell(input);
    const uint32_t at = (file_u32_at(cell + FW_AT_cell_first) - (g->address - m->a->board.map.cgra_data)) / 2;
    bool is = file_u32_at(cell + FW_AT_cell_words) == n && 2 * (at + n) <= g->bytes;
    for (uint32_t i = 0; i < n && is; i++)
        is = word_at(g->content, at + i) == words[i];
    return is;
}

/* The inputs of one vector: coordinates and values, or only one of them. */
typedef struct {
    const interpreter *m;
    const compile_move_in *in;
    const uint16_t *words;
    const compile_sources *stored; /* NULL: spread out in the scratch area */
    uint16_t fill;
    uint32_t how, first; /* words of the scratch area before this vector */
    uint32_t input[2];   /* coordinates first */
    bool has[2];
    uint32_t used[2]; /* bytes of each bank */
} packing;

/* Returns whether the blocks of a range equal the load of run `r`. */
static bool is_packed(const packing *p, range of, uint32_t r) {
    arena scratch = {0};
    uint16_t *crd = arena_new_n(&scratch, uint16_t, of.count + 6),
             *val = arena_new_n(&scratch, uint16_t, of.count + 3);
    const uint32_t n = pack_words(p->words, of, p->how, crd + 4, val + 1);
    const uint16_t head[] = {2, 0, (uint16_t)n, (uint16_t)n};
    memcpy(crd, head, sizeof head);
    val[0] = (uint16_t)n;
    const bool is = (!p->has[0] || compile_is_loaded(p->m, p->in, p->input[0], r, crd, n + 4)) &&
                    (!p->has[1] || compile_is_loaded(p->m, p->in, p->input[1], r, val, n + 1));
    arena_free(&scratch);
    return is;
}

/* Lists the pieces with coordinates in a range, if all are compressed and disjoint, and together make these
 * words. */
static bool find_sources_of(const packing *p, range of, arena *mem, compile_sources *out) {
    const int64_t first = of.first, end = first + of.count;
    int64_t last = 0;
    uint16_t *words = arena_new_n(mem, uint16_t, of.count + 1);
    bool ok = true;
    for (uint32_t i = 0; i < p->stored->len && ok; i++) {
        const compile_source *s = &p->stored->at[i];
        if (s->origin >= end || s->origin + s->size <= first)
            continue;
        ok = s->crd_cell && (!out->len || s->origin >= last) && s->origin - first <= INT16_MAX &&
             first - s->origin <= INT16_MAX;
        last = s->origin + s->size;
        compile_spread_into(s, s->origin - first, of.count, NULL, p->fill, words);
        vec_push(mem, out, *s);
    }
    return ok && out->len && memcmp(words, p->words + of.first, 2 * (size_t)of.count) == 0;
}

/* Adds the commands that make the blocks of a range from the stores of runs, from run `r` on; these cells are
 * of the table's first row. Returns whether this is possible. */
static bool pack_sources(const packing *p, range of, uint32_t r, fw_gather_fields rows, arena *mem,
                         compile_move *own) {
    arena scratch = {0};
    compile_sources all = {0};
    const bool ok = find_sources_of(p, of, &scratch, &all);
    rows.rows -= r;
    rows.crd_cell += rows.crd_cell ? r * rows.row_bytes : 0;
    rows.val_cell += rows.val_cell ? r * rows.row_bytes : 0;
    for (uint32_t i = 0; i < all.len && ok; i++) {
        const compile_source *s = &all.at[i];
        rows.more = i > 0;
        rows.open = i + 1 < all.len;
        rows.first = (uint16_t)(of.first - s->origin);
        rows.from_crd = s->crd_cell;
        rows.from_val = s->val_cell;
        own->cycles += 2 * COMPILE_COMMAND + TAKEN * s->n;
        vec_push(mem, &own->commands, fw_encode_gather(&rows));
    }
    arena_free(&scratch);
    return ok;
}

/* Adds the commands that make the blocks of a range, at their largest possible size, for run `r` and later
 * runs; place[] has the addresses. Returns whether this is possible. */
static bool pack_range(packing *p, range of, uint32_t r, arena *mem, compile_move *own, uint32_t *offset) {
    const compile_deferred *to = p->in->to;
    const uint32_t rows = to->plan.runs.len, row_bytes = fw_row_bytes(to->columns.n_in, to->columns.n_out);
    uint32_t cell[2] = {0}; /* and 1: the table is placed later */
    for (uint32_t k = 0; k < 2; k++) {
        if (!p->has[k])
            continue;
        const fw_segment *g = &p->in->batch->segments.at[p->input[k]];
        offset[k] = g->address - p->m->a->board.map.cgra_data + p->used[k];
        cell[k] = fw_load_cell(p->input[k]) + 1;
        p->used[k] += (2 * (of.count + (k ? 2 : 5)) + 3) / 4 * 4;
    }
    if (p->stored)
        return pack_sources(p, of, r,
                            (fw_gather_fields){.how = p->how,
                                               .fill = p->fill,
                                               .count = of.count,
                                               .crd_cell = cell[0],
                                               .val_cell = cell[1],
                                               .row_bytes = row_bytes,
                                               .rows = rows},
                            mem, own);
    own->cycles += COMPILE_COMMAND + PACKED * of.count;
    vec_push(mem, &own->commands,
             FW_MAKE(pack, .how = p->how, .count = of.count, .first = p->first + of.first,
                     .crd = p->has[0] ? offset[0] : 0, .val = p->has[1] ? offset[1] : 0, .crd_cell = cell[0],
                     .val_cell = cell[1], .row_bytes = row_bytes, .rows = rows));
    return true;
}

/* Finds a place for the blocks of each run; runs of the same coordinates have the same. */
static bool pack_runs(packing *p, uint32_t dim, arena *mem, compile_move *out) {
    const tile_plan *plan = &p->in->to->plan;
    const uint32_t most = fw_pinned_bytes(&p->m->a->board);
    fw_commands *commands = &out[p->in->input].commands;
    arena scratch = {0};
    range *of = arena_new_n(&scratch, range, plan->runs.len + 1);
    bool ok = true;
    for (uint32_t r = 0; r < plan->runs.len && ok; r++) {
        uint32_t same = 0, offset[2] = {0};
        ok = find_range(p->in, r, dim, p->words, &of[r]) && is_packed(p, of[r], r);
        while (same < r && (of[same].first != of[r].first || of[same].count != of[r].count))
            same++;
        if (ok && same == r)
            ok = pack_range(p, of[r], r, mem, &out[p->in->input], offset);
        ok = ok && commands->len < COMPILE_COMMANDS_MOST && p->used[0] <= most && p->used[1] <= most;
        for (uint32_t k = 0; k < 2 && ok; k++) {
            u32_vec *places = &out[p->input[k]].places;
            if (p->has[k])
                vec_push(mem, places, same < r ? places->at[same] : offset[k]);
        }
    }
    arena_free(&scratch);
    return ok;
}

/* Returns whether the stores of a result are in no bank of an input. */
static bool is_apart(const interpreter *m, const compile_resident *resident, const compile_move_in *in) {
    const uint32_t bank = m->a->board.glb_bank_bytes;
    bool apart = true;
    for (uint32_t w = 0; w < resident->words.len; w++) {
        apart = apart && compile_has_put(&in->was->stored, &resident->words.at[w]);
        for (uint32_t i = 0; i < in->to->columns.n_in; i++)
            apart = apart && (in->stay >> i & 1 ||
                              resident->words.at[w].address / bank !=
                                  (in->batch->segments.at[i].address - m->a->board.map.cgra_data) / bank);
    }
    return apart;
}

/* Packs the stores of the runs, if no coordinate is in two pieces: no command examines a coordinate without a
 * value. A vector already spread out is packed from there, and so are short vectors, if this takes no longer
 * and only one of several loads spreads the vector out. */
enum { STORED_LEAST = 64 };

double compile_packing_cycles(uint32_t count, double entries) {
    const double spread = 2 * COMPILE_COMMAND + COMPILE_CLEARED * count + COMPILE_PUT * entries,
                 packed = COMPILE_COMMAND + PACKED * count;
    return count < STORED_LEAST ? spread + packed : 2 * COMPILE_COMMAND + TAKEN * entries;
}

static bool pack_stored(packing *p, tensor_slot *h, arena *mem, compile_move *out) {
    const uint32_t dim = (uint32_t)h->t.dim[0];
    compile_move *own = &out[p->in->input];
    arena scratch = {0};
    compile_sources all = {0};
    bool ok = !(p->how & FW_PACK_ABSENT) && h->t.order == 1 && dim >= STORED_LEAST && !h->resident->gone &&
              is_apart(p->m, h->resident, p->in);
    for (uint32_t i = 0; i < h->resident->device_copies.len; i++)
        ok = ok && !compile_in_scratch(p->m, &h->resident->device_copies.at[i]);
    if (ok && compile_list_sources(h->resident, &scratch, &all)) {
        uint16_t *words = arena_new_n(&scratch, uint16_t, dim + 1);
        for (uint64_t e = 0; e < h->t.nnz; e++)
            words[h->t.crd[e]] = h->t.val[e] ^ h->t.fill;
        p->words = words;
        p->stored = &all;
        p->fill = h->t.fill;
        own->made = pack_runs(p, dim, mem, out);
        p->stored = NULL;
    }
    arena_free(&scratch);
    if (own->made)
        return true;
    for (uint32_t k = 0; k < 2; k++) {
        p->used[k] = 0;
        if (!p->has[k])
            continue;
        out[p->input[k]].commands.len = out[p->input[k]].places.len = 0;
        out[p->input[k]].cycles = 0;
    }
    return false;
}

/* Packs the vector from the scratch area, after spreading the vector out if needed. */
static bool pack_spread(packing *p, interpreter *m, tensor_slot *h, arena *mem, compile_move *out) {
    compile_move *own = &out[p->in->input];
    uint16_t *words;
    const compile_device_copy *device_copy =
        compile_spread_out(m, h, p->in->alive, compile_listing_of(own, mem), &words);
    if (!device_copy || (own->commands.len && !is_apart(m, h->resident, p->in)))
        return false;
    p->words = words;
    p->first = (device_copy->put.address & ~FW_SCRATCH) / 2 + 1;
    own->slot = device_copy->put;
    own->made = own->commands.len > 0;
    return pack_runs(p, (uint32_t)h->t.dim[0], mem, out);
}

bool compile_find_pack(interpreter *m, tensor_slot *h, const compile_move_in *in, arena *mem,
                       compile_move *out) {
    const tile_plan *plan = &in->to->plan;
    const uint32_t both[] = {in->input, in->partner};
    packing p = {.m = m, .in = in};
    for (uint32_t i = 0; i < 2; i++) {
        const int level = plan->inputs.at[both[i]].stream.level;
        const uint32_t k = level == SAM_MODE_VALS;
        if (!k && level)
            return false;
        p.input[k] = both[i];
        p.has[k] = true;
        out[both[i]] = (compile_move){.packed = true, .spread = true};
    }
    if (plan->runs.len > UINT16_MAX || !find_how(in->data, &p.how) ||
        (!pack_stored(&p, h, mem, out) && !pack_spread(&p, m, h, mem, out)))
        return false;
    for (uint32_t k = 0; k < 2; k++) {
        if (p.has[k])
            out[p.input[k]].device_copy.put = (fw_put){
                in->batch->segments.at[p.input[k]].address - m->a->board.map.cgra_data, p.used[k], 0};
    }
    return true;
}
