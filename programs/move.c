/* How the chip's processor makes an operand of what a statement has left: a copy, where the words are those
 * that are loaded; or the values of each run, by their coordinates, in a dense vector. What it is to do is
 * tried on the words that the cycle model has found, and taken only if it gives what is loaded. */
#include "programs/move.h"
#include "programs/entries.h"
#include "programs/grid.h"

/* ---- the blocks that an input loads ------------------------------------------------------------ */

/* Lists those of the tensor in the order in which they lie: that of their first run. */
static compile_block_list blocks_of(const tile_plan *plan, uint32_t input, const sam_tensor_data *t,
                                    arena *mem) {
    const tile_input *in = &plan->inputs.at[input];
    compile_block_list out = {0};
    arena scratch = {0};
    bool *seen = arena_new_n(&scratch, bool, in->blocks.len + 1);
    for (uint32_t r = 0; r < plan->runs.len; r++) {
        const uint32_t b = plan->run_block.at[plan->runs.at[r].block_first + input];
        const tile_block *block = &in->blocks.at[b];
        compile_block one = {.origin = block->origin[0], .words = block->length - 1, .empty = b == 0};
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

tile_tensor compile_image_values(const compile_image *image, const uint8_t *content, const tile_tensor *shape,
                                 arena *mem) {
    tile_tensor t = *shape;
    if (t.order == 2)
        return compile_grid_values(image, content, shape, mem);
    uint32_t at = 0, *crd = arena_new_n(mem, uint32_t, image->put.bytes / 2 + 1);
    uint16_t *val = arena_new_n(mem, uint16_t, image->put.bytes / 2 + 1);
    t.nnz = !t.order;
    val[0] = word_at(content, 1); /* of a scalar */
    for (uint32_t b = 0; b < image->blocks.len; b++) {
        const compile_block *block = &image->blocks.at[b];
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

/* ---- what each run has stored ------------------------------------------------------------------ */

typedef struct {
    uint32_t crd_cell, val_cell; /* of the run table, addresses in SRAM; no crd_cell: a dense part */
    const uint8_t *crd, *val;    /* what the model has found: coordinates and values alone */
    uint32_t n;
    bool follows;         /* no coordinate between the first and the last is left out */
    int64_t origin, size; /* coordinates of its part */
} source;
typedef VEC(source) sources;

enum { SOURCES_MOST = 1024, ITEMS_MOST = 1024 };

int compile_output_of(const tile_plan *plan, uint32_t copy, int level) {
    for (uint32_t o = 0; o < plan->outputs.len; o++) {
        if (plan->outputs.at[o].copy == copy && plan->outputs.at[o].stream.level == level)
            return (int)o;
    }
    return -1;
}

/* Finds the values, and the coordinates if there are any, of one copy in one run. */
static void read_part(const compile_later *l, const uint32_t *begin, int crd, int val, source *out) {
    const uint8_t *values = l->stored[val].at + 2 * (size_t)begin[val];
    out->n = word_at(values, 0);
    out->val = values + 2;
    out->follows = crd < 0;
    if (crd < 0)
        return;
    const uint8_t *words = l->stored[crd].at + 2 * (size_t)begin[crd];
    const uint32_t segments = word_at(words, 0), n = word_at(words, 1 + segments);
    out->crd = words + 2 * (size_t)(2 + segments);
    out->n = n < out->n ? n : out->n;
    out->follows = n && word_at(out->crd, n - 1) - word_at(out->crd, 0) == (int)n - 1;
}

/* Lists the parts that the runs have stored, of a vector, by their origins. */
static bool list_sources(const compile_left *left, arena *mem, sources *out) {
    const compile_later *l = &left->later;
    const tile_plan *plan = &l->plan;
    const uint32_t row_bytes = fw_row_bytes(l->columns.n_in, l->columns.n_out);
    uint32_t begin[TILE_MAX_STREAMS] = {0};
    if ((uint64_t)plan->runs.len * plan->copies > SOURCES_MOST)
        return false;
    for (uint32_t r = 0; r < plan->runs.len; r++) {
        const uint32_t cells =
            FW_GET(&left->step, batch, table) + r * row_bytes + fw_store_cell(l->columns.n_in, 0);
        uint32_t end[TILE_MAX_STREAMS];
        memcpy(end, begin, sizeof end);
        for (uint32_t o = 0; o < plan->outputs.len; o++) {
            if (!compile_pass_run(l, o, &end[o]))
                return false;
        }
        for (uint32_t c = 0; c < plan->copies; c++) {
            const tile_part *part = &plan->parts.at[r * plan->copies + c];
            const int crd = compile_output_of(plan, c, 0), val = compile_output_of(plan, c, SAM_MODE_VALS);
            if (part->idle)
                continue;
            if (val < 0)
                return false;
            source s = {.val_cell = cells + fw_store_cell(0, (uint32_t)val),
                        .origin = part->origin[0],
                        .size = part->size[0]};
            s.crd_cell = crd < 0 ? 0 : cells + fw_store_cell(0, (uint32_t)crd);
            read_part(l, begin, crd, val, &s);
            vec_push(mem, out, s);
            for (uint32_t i = out->len - 1; i && out->at[i - 1].origin > s.origin; i--) {
                out->at[i] = out->at[i - 1];
                out->at[i - 1] = s;
            }
        }
        memcpy(begin, end, sizeof begin);
    }
    return true;
}

/* Finds how values meet in a coordinate: where no two parts have the same one, they do not; else they are
 * combined as the host combines parts of a sum, but with the fill as well, where a part has no value: whether
 * that changes anything is seen by the words. */
static bool find_meeting(const compile_left *left, const sources *all, uint32_t *how,
                         const sam_operator **op) {
    bool meet = false;
    for (uint32_t i = 0; i < all->len && !meet; i++) {
        for (uint32_t k = 0; k < i && !meet; k++)
            meet = all->at[i].origin < all->at[k].origin + all->at[k].size &&
                   all->at[k].origin < all->at[i].origin + all->at[i].size;
    }
    *how = FW_OP_SET;
    *op = NULL;
    if (!meet)
        return true;
    compile_meeting(&left->kernel.lowered.statement, left->kernel.data.packed.dtype, how, op);
    return *how != FW_OP_SET;
}

/* Does what an item says, on the words of a block. */
static void spread_into(const source *s, int64_t first, int64_t count, const sam_operator *op, uint16_t fill,
                        uint16_t *words) {
    for (uint32_t i = 0; i < s->n; i++) {
        const int64_t at = first + (s->crd ? word_at(s->crd, i) : i);
        const uint16_t value = word_at(s->val, i);
        if (at >= 0 && at < count)
            words[at] = (op ? op->apply(words[at] ^ fill, value) : value) ^ fill;
    }
}

/* Array cycles that the processor takes for an item as such, and for each word or value: copied; set to 0;
 * put where its coordinate says, or combined there; put behind the one before it, or added there; looked at
 * to be packed. Measured on engine soc: docs/notebook/repeated.md. */
static const double ITEM = COMPILE_ITEM_CYCLES, COPIED = 4, CLEARED = 2, PUT = 26, COMBINED = 46, FOLLOWS = 7,
                    ADDED = 22, PACKED = 22, TAKEN = 23, ALONE = 40;

/* Returns what a value of the part takes. */
static double value_cycles(uint32_t how, bool follows) {
    if (how == FW_OP_SET)
        return follows ? FOLLOWS : PUT;
    return how == FW_OP_ADD && follows ? ADDED : COMBINED;
}

/* What a block of a dense vector is made of. */
typedef struct {
    sources all;
    uint32_t how; /* where parts meet */
    const sam_operator *op;
    uint16_t fill;
} parts;

static bool find_parts(const compile_left *left, uint16_t fill, arena *mem, parts *p) {
    const sam_statement *s = &left->kernel.lowered.statement;
    *p = (parts){.fill = fill};
    return sam_tensor_at(s, s->result)->order == 1 && list_sources(left, mem, &p->all) &&
           find_meeting(left, &p->all, &p->how, &p->op);
}

/* Lists the items that make a block at this place, and makes its words. */
static bool make_block(const parts *p, const compile_block *block, uint32_t to, uint16_t *words,
                       compile_listing list) {
    fw_items *items = list.items;
    const uint32_t header = items->len;
    int64_t put = 0; /* words from the first one on that dense parts bring without meeting others */
    vec_push(list.mem, items, FW_MAKE(block, .to = to, .words = block->words));
    for (uint32_t i = 0; i < p->all.len && !block->empty; i++) {
        const source *its = &p->all.at[i];
        const int64_t first = its->origin - block->origin,
                      end = first + its->size < block->words ? first + its->size : block->words;
        if (end <= 0 || first >= end)
            continue;
        const uint32_t by = items->len > header + 1 ? p->how : FW_OP_SET; /* the first one meets none */
        if (by == FW_OP_SET && its->follows && its->n >= its->size && first <= put)
            put = end;
        *list.cycles += ITEM + its->n * value_cycles(by, its->follows);
        spread_into(its, first, end, by == FW_OP_SET ? NULL : p->op, p->fill, words);
        vec_push(list.mem, items,
                 FW_MAKE(spread, .op = by, .crd_cell = its->crd_cell, .val_cell = its->val_cell, .to = to + 2,
                         .first = (uint32_t)first, .count = (uint32_t)end, .fill = p->fill));
        if (items->len >= ITEMS_MOST)
            return false;
    }
    FW_SET(&items->at[header], block, from, (uint32_t)put);
    *list.cycles += ITEM + CLEARED * (double)(block->words - put);
    return true;
}

/* Lists the item that copies a block which begins at word `at` of the input, if an input before it, of the
 * same result, has one of these words. Words are copied two at a time, where they lie so in both. */
static bool copy_block(const machine *m, const compile_left *left, const compile_move_in *in,
                       const compile_block *block, uint32_t at, compile_listing list) {
    const fw_segment *to = &in->batch->segments.at[in->input];
    const uint32_t bytes = 2 * (block->words + 1), glb = m->a->board.map.cgra_data;
    for (uint32_t k = 0; k < in->input && !block->empty; k++) {
        const fw_segment *from = &in->batch->segments.at[k];
        const compile_block_list *blocks = &in->moved[k].image.blocks;
        uint32_t begin = 0;
        for (uint32_t b = 0; in->moved[k].of == left && !in->moved[k].packed && b < blocks->len; b++) {
            const compile_block *other = &blocks->at[b];
            if (other->origin == block->origin && other->words == block->words && !other->empty &&
                (begin ^ at) % 2 == 0 &&
                memcmp(from->content + 2 * begin, to->content + 2 * at, bytes) == 0) {
                *list.cycles += ITEM + COPIED * (block->words + 1);
                vec_push(list.mem, list.items,
                         FW_MAKE(copy, .from = from->address - glb + 2 * begin, .bytes = bytes,
                                 .to = to->address - glb + 2 * at));
                return true;
            }
            begin += 1 + other->words;
        }
    }
    return false;
}

/* Lists the items that make the segment of a vector, and returns whether they do. */
static bool spread(const machine *m, const compile_left *left, const compile_move_in *in, const fw_segment *g,
                   arena *mem, compile_move *out) {
    const compile_block_list *blocks = &out->image.blocks;
    const uint16_t fill = in->data->fill;
    const compile_listing list = compile_listing_of(out, mem);
    arena scratch = {0};
    parts p;
    uint32_t at = 0;
    bool ok = find_parts(left, fill, &scratch, &p);
    for (uint32_t b = 0; b < blocks->len && ok; b++) {
        const compile_block *block = &blocks->at[b];
        const uint32_t to = g->address - m->a->board.map.cgra_data + 2 * at;
        if (2 * (at + 1 + block->words) <= g->bytes && copy_block(m, left, in, block, at, list)) {
            at += 1 + block->words;
            continue;
        }
        uint16_t *words = arena_new_n(&scratch, uint16_t, block->words + 1);
        ok = make_block(&p, block, to, words, list) && 2 * (at + 1 + block->words) <= g->bytes &&
             word_at(g->content, at) == block->words;
        for (uint32_t i = 0; i < block->words && ok; i++)
            ok = word_at(g->content, at + 1 + i) == words[i];
        at += 1 + block->words;
    }
    arena_free(&scratch);
    return ok && 2 * at == g->bytes;
}

/* ---- compressed vectors ------------------------------------------------------------------------ */

bool compile_scalar_place(const machine *m, const held *h, uint32_t *place) {
    const compile_left *left = h->left;
    for (uint32_t i = 0; i < left->images.len; i++) {
        *place = left->images.at[i].put.address;
        if (compile_in_scratch(m, &left->images.at[i]))
            return true;
    }
    if (left->gone || left->empty || left->later.plan.outputs.len != 1)
        return false;
    *place = left->later.counts.output[0];
    return left->later.stored[0].len == 4 && word_at(left->later.stored[0].at, 0) == 1 &&
           word_at(left->later.stored[0].at, 1) == (h->t.nnz ? h->t.val[0] : h->t.fill);
}

/* Lists the item that copies one value to the scratch area. */
static const compile_image *save_scalar(machine *m, held *h, const bool *alive, compile_listing list) {
    enum { BYTES = 4 };
    const uint32_t slot = compile_find_slot(m, h, alive, true, BYTES);
    uint32_t place;
    if (slot + BYTES > FW_SCRATCH_ROOM || !compile_scalar_place(m, h, &place))
        return NULL;
    const uint16_t block[] = {1, h->t.nnz ? h->t.val[0] : h->t.fill};
    const compile_image image = {.home = true, .put = {FW_SCRATCH | slot, BYTES, hash_bytes(block, BYTES)}};
    vec_push(list.mem, list.items, FW_MAKE(copy, .from = place, .bytes = BYTES, .to = FW_SCRATCH | slot));
    *list.cycles += ITEM;
    compile_note_image(m, &image);
    vec_push(&h->left->mem, &h->left->images, image);
    return &h->left->images.at[h->left->images.len - 1];
}

/* Lists the items that put a dense matrix into the scratch area, row by row. */
static const compile_image *save_matrix(machine *m, held *h, const bool *alive, compile_listing list) {
    const uint64_t bytes = 2 * (uint64_t)h->t.dim[0] * h->t.dim[1] + 2;
    compile_left *left = h->left;
    compile_image image;
    for (uint32_t i = 0; i < left->images.len; i++) {
        if (left->images.at[i].home && compile_in_scratch(m, &left->images.at[i]))
            return &left->images.at[i];
    }
    if (bytes > FW_SCRATCH_ROOM || h->t.fill)
        return NULL;
    const uint32_t slot = compile_find_slot(m, h, alive, true, (uint32_t)bytes);
    if (slot + bytes > FW_SCRATCH_ROOM || !compile_save_grid(h, slot, list, &image))
        return NULL;
    compile_note_image(m, &image);
    vec_push(&left->mem, &left->images, image);
    return &left->images.at[left->images.len - 1];
}

const compile_image *compile_spread_out(machine *m, held *h, const bool *alive, compile_listing list,
                                        uint16_t **words) {
    compile_left *left = h->left;
    const uint32_t dim = (uint32_t)h->t.dim[0], bytes = 2 * dim + 2;
    if (!h->t.order)
        return save_scalar(m, h, alive, list);
    if (h->t.order == 2)
        return save_matrix(m, h, alive, list);
    if (h->t.order != 1 || h->t.dim[0] >= FW_SCRATCH_ROOM / 2)
        return NULL;
    *words = arena_new_n(list.mem, uint16_t, dim + 1);
    for (uint64_t e = 0; e < h->t.nnz; e++)
        (*words)[h->t.crd[e]] = h->t.val[e] ^ h->t.fill;
    for (uint32_t i = 0; i < left->images.len; i++) {
        if (compile_in_scratch(m, &left->images.at[i]))
            return &left->images.at[i];
    }
    const uint32_t slot = compile_find_slot(m, h, alive, true, bytes);
    const compile_block all = {.words = dim};
    uint16_t *found = arena_new_n(list.mem, uint16_t, dim + 1);
    arena scratch = {0};
    parts p;
    const bool ok =
        !left->gone && slot + bytes <= FW_SCRATCH_ROOM && find_parts(left, h->t.fill, &scratch, &p) &&
        make_block(&p, &all, FW_SCRATCH | slot, found, list) && memcmp(found, *words, 2 * (size_t)dim) == 0;
    arena_free(&scratch);
    if (!ok)
        return NULL;
    const compile_image image = {.home = true,
                                 .put = {FW_SCRATCH | slot, bytes, hash_bytes(found, 2 * (size_t)dim)}};
    compile_note_image(m, &image);
    vec_push(&left->mem, &left->images, image);
    vec_push(&left->mem, &left->images.at[left->images.len - 1].blocks, all);
    return &left->images.at[left->images.len - 1];
}

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

/* Finds which coordinates run `r` has of a vector in its input; of nothing, those of its part of the result.
 */
static bool find_range(const compile_move_in *in, uint32_t r, uint32_t dim, const uint16_t *words,
                       range *out) {
    const tile_plan *plan = &in->to->plan;
    const tile_input *input = &plan->inputs.at[in->input];
    const uint32_t b = plan->run_block.at[plan->runs.at[r].block_first + in->input];
    const tile_block *block = &input->blocks.at[b];
    const tile_part *part = &plan->parts.at[r * plan->copies + input->copy];
    *out = (range){block->origin[0], block->size[0]};
    if (!b)
        *out = (range){part->origin[0], part->size[0]};
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
    return t->structure != SAM_FILLED && !t->whole;
}

/* Does what an item says, on these words: coordinates and values of a block. Returns how many. */
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

bool compile_is_loaded(const machine *m, const compile_move_in *in, uint32_t input, uint32_t r,
                       const uint16_t *words, uint32_t n) {
    const fw_segment *g = &in->batch->segments.at[input],
                     *table = &in->batch->segments.at[in->batch->segments.len - 1];
    const uint8_t *cell = table->content + (in->batch->table - table->address) +
                          r * fw_row_bytes(in->to->columns.n_in, in->to->columns.n_out) + fw_load_cell(input);
    const uint32_t at = (file_u32_at(cell) - (g->address - m->a->board.map.cgra_data)) / 2;
    bool is = file_u32_at(cell + FW_AT_cell_words) == n && 2 * (at + n) <= g->bytes;
    for (uint32_t i = 0; i < n && is; i++)
        is = word_at(g->content, at + i) == words[i];
    return is;
}

/* The inputs of one vector: its coordinates and its values, or one of them alone. */
typedef struct {
    const machine *m;
    const compile_move_in *in;
    const uint16_t *words;
    const sources *stored; /* NULL: they are spread out in the scratch area */
    uint16_t fill;
    uint32_t how, first; /* words of the scratch area before these */
    uint32_t input[2];   /* coordinates first */
    bool has[2];
    uint32_t used[2]; /* bytes of each bank */
} packing;

/* Returns whether the blocks of a range are what run `r` loads. */
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

/* Lists the parts that have coordinates of a range, if these are compressed, no two have the same, and
 * together they make these words there. */
static bool find_parts_of(const packing *p, range of, arena *mem, sources *out) {
    const int64_t first = of.first, end = first + of.count;
    int64_t last = 0;
    uint16_t *words = arena_new_n(mem, uint16_t, of.count + 1);
    bool ok = true;
    for (uint32_t i = 0; i < p->stored->len && ok; i++) {
        const source *s = &p->stored->at[i];
        if (s->origin >= end || s->origin + s->size <= first)
            continue;
        ok = s->crd_cell && (!out->len || s->origin >= last) && s->origin - first <= INT16_MAX &&
             first - s->origin <= INT16_MAX;
        last = s->origin + s->size;
        spread_into(s, s->origin - first, of.count, NULL, p->fill, words);
        vec_push(mem, out, *s);
    }
    return ok && out->len && memcmp(words, p->words + of.first, 2 * (size_t)of.count) == 0;
}

/* Adds the items that make the blocks of a range of what runs have stored, whose first run is `r`; these
 * cells are of the table's first row. Returns whether there are such. */
static bool pack_parts(const packing *p, range of, uint32_t r, fw_gather_fields rows, arena *mem,
                       compile_move *own) {
    arena scratch = {0};
    sources all = {0};
    const bool ok = find_parts_of(p, of, &scratch, &all);
    rows.rows -= r;
    rows.crd_cell += rows.crd_cell ? r * rows.row_bytes : 0;
    rows.val_cell += rows.val_cell ? r * rows.row_bytes : 0;
    for (uint32_t i = 0; i < all.len && ok; i++) {
        const source *s = &all.at[i];
        rows.more = i > 0;
        rows.open = i + 1 < all.len;
        rows.first = (uint16_t)(of.first - s->origin);
        rows.from_crd = s->crd_cell;
        rows.from_val = s->val_cell;
        own->cycles += 2 * ITEM + TAKEN * s->n;
        vec_push(mem, &own->items, fw_encode_gather(&rows));
    }
    arena_free(&scratch);
    return ok;
}

/* Adds the items that make the blocks of a range, which have room for all that they may hold, for run `r` and
 * those behind it; place[] is where they go. Returns whether there are such. */
static bool pack_range(packing *p, range of, uint32_t r, arena *mem, compile_move *own, uint32_t *place) {
    const compile_later *to = p->in->to;
    const uint32_t rows = to->plan.runs.len, row_bytes = fw_row_bytes(to->columns.n_in, to->columns.n_out);
    uint32_t cell[2] = {0}; /* and 1: the table is placed later */
    for (uint32_t k = 0; k < 2; k++) {
        if (!p->has[k])
            continue;
        const fw_segment *g = &p->in->batch->segments.at[p->input[k]];
        place[k] = g->address - p->m->a->board.map.cgra_data + p->used[k];
        cell[k] = fw_load_cell(p->input[k]) + 1;
        p->used[k] += (2 * (of.count + (k ? 2 : 5)) + 3) / 4 * 4;
    }
    if (p->stored)
        return pack_parts(p, of, r,
                          (fw_gather_fields){.how = p->how,
                                             .fill = p->fill,
                                             .count = of.count,
                                             .crd_cell = cell[0],
                                             .val_cell = cell[1],
                                             .row_bytes = row_bytes,
                                             .rows = rows},
                          mem, own);
    own->cycles += ITEM + PACKED * of.count;
    vec_push(mem, &own->items,
             FW_MAKE(pack, .how = p->how, .count = of.count, .first = p->first + of.first,
                     .crd = p->has[0] ? place[0] : 0, .val = p->has[1] ? place[1] : 0, .crd_cell = cell[0],
                     .val_cell = cell[1], .row_bytes = row_bytes, .rows = rows));
    return true;
}

/* Finds a place for the blocks of each run; runs of the same coordinates have the same. */
static bool pack_runs(packing *p, uint32_t dim, arena *mem, compile_move *out) {
    const tile_plan *plan = &p->in->to->plan;
    const uint32_t most = fw_pinned_bytes(&p->m->a->board);
    fw_items *items = &out[p->in->input].items;
    arena scratch = {0};
    range *of = arena_new_n(&scratch, range, plan->runs.len + 1);
    bool ok = true;
    for (uint32_t r = 0; r < plan->runs.len && ok; r++) {
        uint32_t same = 0, place[2] = {0};
        ok = find_range(p->in, r, dim, p->words, &of[r]) && is_packed(p, of[r], r);
        while (same < r && (of[same].first != of[r].first || of[same].count != of[r].count))
            same++;
        if (ok && same == r)
            ok = pack_range(p, of[r], r, mem, &out[p->in->input], place);
        ok = ok && items->len < ITEMS_MOST && p->used[0] <= most && p->used[1] <= most;
        for (uint32_t k = 0; k < 2 && ok; k++) {
            u32_vec *places = &out[p->input[k]].places;
            if (p->has[k])
                vec_push(mem, places, same < r ? places->at[same] : place[k]);
        }
    }
    arena_free(&scratch);
    return ok;
}

/* Returns whether what a result's stores have left lies in no bank that an input has. */
static bool is_apart(const machine *m, const compile_left *left, const compile_move_in *in) {
    const uint32_t bank = m->a->board.glb_bank_bytes;
    bool apart = true;
    for (uint32_t w = 0; w < left->words.len; w++) {
        apart = apart && compile_has_put(&in->was->stored, &left->words.at[w]);
        for (uint32_t i = 0; i < in->to->columns.n_in; i++)
            apart = apart && (in->stay >> i & 1 ||
                              left->words.at[w].address / bank !=
                                  (in->batch->segments.at[i].address - m->a->board.map.cgra_data) / bank);
    }
    return apart;
}

/* Packs what the runs have stored, where no coordinate is in two of their parts: then none is looked at that
 * has no value. What is spread out already is packed from there, and short vectors are, where that takes as
 * long and one of several loads alone spreads them out. */
enum { STORED_LEAST = 64 };
static bool pack_stored(packing *p, held *h, arena *mem, compile_move *out) {
    const uint32_t dim = (uint32_t)h->t.dim[0];
    compile_move *own = &out[p->in->input];
    arena scratch = {0};
    sources all = {0};
    bool ok = !(p->how & FW_PACK_ABSENT) && h->t.order == 1 && dim >= STORED_LEAST && !h->left->gone &&
              is_apart(p->m, h->left, p->in);
    for (uint32_t i = 0; i < h->left->images.len; i++)
        ok = ok && !compile_in_scratch(p->m, &h->left->images.at[i]);
    if (ok && list_sources(h->left, &scratch, &all)) {
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
        out[p->input[k]].items.len = out[p->input[k]].places.len = 0;
        out[p->input[k]].cycles = 0;
    }
    return false;
}

/* Packs what is spread out in the scratch area, or is first. */
static bool pack_spread(packing *p, machine *m, held *h, arena *mem, compile_move *out) {
    compile_move *own = &out[p->in->input];
    uint16_t *words;
    const compile_image *image = compile_spread_out(m, h, p->in->alive, compile_listing_of(own, mem), &words);
    if (!image || (own->items.len && !is_apart(m, h->left, p->in)))
        return false;
    p->words = words;
    p->first = (image->put.address & ~FW_SCRATCH) / 2 + 1;
    own->slot = image->put;
    own->made = own->items.len > 0;
    return pack_runs(p, (uint32_t)h->t.dim[0], mem, out);
}

bool compile_find_pack(machine *m, held *h, const compile_move_in *in, arena *mem, compile_move *out) {
    const tile_plan *plan = &in->to->plan;
    const uint32_t both[] = {in->input, in->pair};
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
            out[p.input[k]].image.put = (fw_put){
                in->batch->segments.at[p.input[k]].address - m->a->board.map.cgra_data, p.used[k], 0};
    }
    return true;
}

/* ---- the move ---------------------------------------------------------------------------------- */

/* Returns the item of a copy, if these words are what is loaded. */
static bool copy_of(const machine *m, const fw_segment *g, const fw_put *w, uint64_t hash, arena *mem,
                    compile_move *out) {
    if (w->bytes != g->bytes || w->hash != hash || (w->address ^ g->address) % 4)
        return false;
    const uint32_t bytes = w->address % 4 ? w->bytes : (w->bytes + 3) / 4 * 4; /* two words at a time */
    out->cycles = ITEM + COPIED * bytes / 2;
    vec_push(mem, &out->items,
             FW_MAKE(copy, .from = w->address, .bytes = bytes, .to = g->address - m->a->board.map.cgra_data));
    return true;
}

/* Lists the items that make the segment of a vector which is spread out there, and returns whether they do.
 */
static bool copy_spread(const machine *m, const held *h, const fw_put *from, const fw_segment *g, arena *mem,
                        compile_move *out) {
    const compile_block_list *blocks = &out->image.blocks;
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
        vec_push(mem, &out->items, FW_MAKE(block, .to = to, .words = block->words, .from = n));
        if (n)
            vec_push(
                mem, &out->items,
                FW_MAKE(copy, .from = from->address + 2 * (block->origin + 1), .bytes = 2 * n, .to = to + 2));
        out->cycles += 2 * ITEM + CLEARED * (block->words - n) + COPIED * n;
        at += 1 + block->words;
    }
    arena_free(&scratch);
    if (!ok)
        out->items.len = 0;
    return ok && 2 * at == g->bytes;
}

/* What a run has stored of a stream, which is a block of a load that is cut alike. */
typedef struct {
    uint32_t output, begin, words; /* begin: in words */
    uint64_t hash;
} piece;
typedef VEC(piece) pieces;

/* Lists what the runs have stored of streams of a level. */
static bool list_pieces(const compile_later *l, int level, arena *mem, pieces *out) {
    for (uint32_t o = 0; o < l->plan.outputs.len; o++) {
        uint32_t at = 0;
        for (uint32_t r = 0; r < l->plan.runs.len && l->plan.outputs.at[o].stream.level == level; r++) {
            const uint32_t begin = at;
            if (out->len == SOURCES_MOST || !compile_pass_run(l, o, &at))
                return false;
            const uint32_t words = at - begin;
            vec_push(mem, out,
                     ((piece){o, begin, words, hash_bytes(l->stored[o].at + 2 * begin, 2 * (size_t)words)}));
        }
    }
    return true;
}

/* Lists the item that copies so many bytes, or lengthens the last one. */
static void add_copy(uint32_t from, uint32_t bytes, uint32_t to, arena *mem, compile_move *out) {
    fw_item *last = out->items.len ? &out->items.at[out->items.len - 1] : NULL;
    out->cycles += COPIED * bytes / 2;
    if (last && fw_command_of(last->word) == FW_COMMAND_copy && !FW_GET(last, copy, times) &&
        !FW_GET(last, copy, times_outer)) {
        const uint32_t had = FW_GET(last, copy, bytes);
        if (FW_GET(last, copy, from) + had == from && FW_GET(last, copy, to) + had == to) {
            FW_SET(last, copy, bytes, had + bytes);
            return;
        }
    }
    out->cycles += ITEM;
    vec_push(mem, &out->items, FW_MAKE(copy, .from = from, .bytes = bytes, .to = to));
}

/* Lists the items that make words that are blocks of zeros; returns false where they are not. */
static bool add_zeros(const uint8_t *content, uint32_t words, uint32_t to, arena *mem, compile_move *out) {
    uint32_t at = 0;
    while (at < words) {
        const uint32_t n = word_at(content, at);
        for (uint32_t i = 1; i <= n; i++) {
            if (at + i >= words || word_at(content, at + i))
                return false;
        }
        vec_push(mem, &out->items, FW_MAKE(block, .to = to + 2 * at, .words = n));
        out->cycles += ITEM + CLEARED * n;
        at += 1 + n;
    }
    return true;
}

/* Lists the items that copy what runs have stored to where it is loaded, block by block, and returns whether
 * they make the segment: where both are cut alike, and nothing is a fill. O(blocks * runs). */
static bool copy_pieces(const machine *m, const compile_left *left, const compile_move_in *in,
                        const fw_segment *g, arena *mem, compile_move *out) {
    const tile_plan *plan = &in->to->plan;
    const tile_input *input = &plan->inputs.at[in->input];
    arena scratch = {0};
    bool *seen = arena_new_n(&scratch, bool, input->blocks.len + 1);
    pieces all = {0};
    uint32_t at = 0;
    bool ok = list_pieces(&left->later, input->stream.level, &scratch, &all);
    for (uint32_t r = 0; r < plan->runs.len && ok; r++) {
        const uint32_t b = plan->run_block.at[plan->runs.at[r].block_first + in->input],
                       words = input->blocks.at[b].length,
                       to = g->address - m->a->board.map.cgra_data + 2 * at;
        if (seen[b])
            continue;
        seen[b] = true;
        ok = 2 * (at + words) <= g->bytes && out->items.len < ITEMS_MOST;
        const uint64_t hash = ok ? hash_bytes(g->content + 2 * at, 2 * (size_t)words) : 0;
        uint32_t k = 0;
        while (k < all.len && (all.at[k].words != words || all.at[k].hash != hash))
            k++;
        if (ok && k < all.len)
            add_copy(left->words.at[all.at[k].output].address + 2 * all.at[k].begin, 2 * words, to, mem, out);
        else
            ok = ok && add_zeros(g->content + 2 * at, words, to, mem, out);
        at += words;
    }
    arena_free(&scratch);
    return ok && 2 * at == g->bytes;
}

/* Finds how a dense matrix becomes what is loaded: of what its stores have left, or of an image. */
static bool move_matrix(const machine *m, const held *h, const compile_move_in *in, arena *mem,
                        compile_move *out) {
    const compile_left *left = h->left;
    const fw_segment *g = &in->batch->segments.at[in->input];
    const uint32_t to = g->address - m->a->board.map.cgra_data;
    bool there = !left->gone && left->words.len > 0, found = false;
    for (uint32_t w = 0; w < left->words.len; w++) {
        const fw_put *put = &left->words.at[w];
        there = there && compile_lies_before(m, in, put) &&
                !compile_overlap(put->address, put->bytes, to, g->bytes);
    }
    found = there && compile_move_grid(h, NULL, g, to, mem, out);
    for (uint32_t i = 0; i < left->images.len && !found; i++) {
        const compile_image *image = &left->images.at[i];
        found = image->home && (compile_in_scratch(m, image) || compile_lies_before(m, in, &image->put)) &&
                !compile_overlap(image->put.address, image->put.bytes, to, g->bytes) &&
                compile_move_grid(h, image, g, to, mem, out);
    }
    return found;
}

bool compile_find_move(const machine *m, const held *h, const compile_move_in *in, arena *mem,
                       compile_move *out) {
    const compile_left *left = h->left;
    const fw_segment *g = &in->batch->segments.at[in->input];
    const uint64_t hash = hash_bytes(g->content, g->bytes);
    bool there = !left->gone, found = false;
    *out = (compile_move){.image.put = {g->address - m->a->board.map.cgra_data, g->bytes, hash}};
    if (compile_is_grid(in->data) || (in->data->order == 1 && in->data->level[0] == SAM_LEVEL_DENSE))
        out->image.blocks = blocks_of(&in->to->plan, in->input, in->data, mem);
    if (compile_is_grid(in->data) && h->t.order == 2 && move_matrix(m, h, in, mem, out))
        return true;
    out->items.len = 0;
    out->cycles = 0;
    for (uint32_t i = 0; i < left->words.len; i++) {
        const fw_put *w = &left->words.at[i];
        const bool lies = !left->gone && compile_lies_before(m, in, w);
        there = there && lies;
        found = found || (lies && copy_of(m, g, w, hash, mem, out));
    }
    for (uint32_t i = 0; i < left->images.len && !found; i++) {
        const fw_put *w = &left->images.at[i].put;
        found = h->t.order == 1 && compile_in_scratch(m, &left->images.at[i])
                    ? copy_spread(m, h, w, g, mem, out)
                    : compile_lies_before(m, in, w) && copy_of(m, g, w, hash, mem, out);
    }
    /* What is moved block by block is read after some of it is written. */
    for (uint32_t i = 0; i < left->words.len; i++)
        there = there && !compile_overlap(left->words.at[i].address, left->words.at[i].bytes,
                                          out->image.put.address, g->bytes);
    if (!found && there && h->t.order > 1 && in->data->order > 1) {
        out->items.len = 0;
        out->cycles = 0;
        return copy_pieces(m, left, in, g, mem, out);
    }
    out->spread = !found;
    return found || (there && out->image.blocks.len && spread(m, left, in, g, mem, out));
}

bool compile_find_broadcast(const machine *m, const held *h, const compile_move_in *in, arena *mem,
                            compile_move *out) {
    const fw_segment *g = &in->batch->segments.at[in->input];
    const uint32_t to = g->address - m->a->board.map.cgra_data, words = g->bytes / 2 - 1;
    uint32_t place, more = 1;
    *out = (compile_move){.image.put = {to, g->bytes, hash_bytes(g->content, g->bytes)}};
    if (!words || !compile_scalar_place(m, h, &place) ||
        (!(place & FW_SCRATCH) && !compile_lies_before(m, in, &h->left->words.at[0])))
        return false;
    vec_push(mem, &out->items, FW_MAKE(block, .to = to, .words = words, .from = words));
    vec_push(mem, &out->items, FW_MAKE(copy, .from = place + 2, .bytes = 2, .to = to + 2));
    for (uint32_t done = 1; done < words; done += more) { /* twice as many each time */
        more = done < words - done ? done : words - done;
        vec_push(mem, &out->items, FW_MAKE(copy, .from = to + 2, .bytes = 2 * more, .to = to + 2 + 2 * done));
    }
    out->cycles = ITEM * out->items.len + COPIED * words;
    return true;
}

bool compile_repeat_vector(machine *m, held *h, const compile_move_in *in, arena *mem, compile_move *out) {
    const fw_segment *g = &in->batch->segments.at[in->input];
    const uint32_t *size = in->to->plan.parts.at[1].size, mode = in->data->mode[0], words = size[0] * size[1],
                   to = g->address - m->a->board.map.cgra_data;
    bool ok = h->t.order == 1 && h->t.dim[0] == size[mode];
    uint16_t *values;
    *out = (compile_move){.packed = true, .spread = true, .image.put = {to, g->bytes, 0}};
    for (uint32_t w = 0; w < h->left->words.len && !h->left->gone; w++)
        ok = ok && compile_lies_before(m, in, &h->left->words.at[w]);
    const compile_image *image =
        ok ? compile_spread_out(m, h, in->alive, compile_listing_of(out, mem), &values) : NULL;
    if (!image)
        return false;
    out->slot = image->put;
    out->made = out->items.len > 0;
    for (uint32_t i = 0; i < words; i++)
        ok = ok && word_at(g->content, 1 + i) == values[mode ? i % size[1] : i / size[1]];
    if (!ok || 2 * size[1] > UINT16_MAX)
        return false;
    vec_push(mem, &out->items, FW_MAKE(block, .to = to, .words = words, .from = words));
    vec_push(mem, &out->items,
             FW_MAKE(copy, .from = image->put.address + 2, .bytes = 2, .to = to + 2, .times = size[0],
                     .times_outer = size[1], .step = mode ? 0 : 2, .step_outer = mode ? 2 : 0,
                     .step_to = 2 * size[1], .step_to_outer = 2));
    out->cycles += 2 * ITEM + ALONE * words;
    return true;
}

bool compile_is_home(const compile_move *move, const fw_segment *g, const held *h) {
    arena scratch = {0};
    held got = {0};
    bool home = move->image.blocks.len > 0 && (h->t.order == 1 || h->t.order == 2);
    if (home) {
        const tile_tensor found = compile_image_values(&move->image, g->content, &h->t, &scratch);
        compile_hold(&got, &found, &h->t);
        home = compile_is_same(&got.t, &h->t);
    }
    arena_free(&got.mem);
    arena_free(&scratch);
    return home;
}

/* ---- where a result is ------------------------------------------------------------------------- */

bool compile_is_stored(const machine *m, const compile_left *left, const fw_batch *b, uint32_t row_bytes) {
    bool there =
        !left->gone && !compile_overlap(FW_GET(&left->step, batch, table),
                                        FW_GET(&left->step, batch, runs) *
                                            fw_row_bytes(left->later.columns.n_in, left->later.columns.n_out),
                                        b->table, b->runs * row_bytes);
    for (uint32_t w = 0; w < left->words.len && there; w++)
        there = compile_has_put(&m->session.memory.stored, &left->words.at[w]);
    return there;
}

const compile_image *compile_image_of(const machine *m, const compile_left *left) {
    for (uint32_t i = 0; i < left->images.len; i++) {
        if (left->images.at[i].home && compile_has_put(&m->session.memory.stored, &left->images.at[i].put))
            return &left->images.at[i];
    }
    return NULL;
}
