/* How the chip's processor makes an operand of what a statement has left: a copy, where the words are those
 * that are loaded; or the values of each run, by their coordinates, in a dense vector. What it is to do is
 * tried on the words that the cycle model has found, and taken only if it gives what is loaded. */
#include "compile/move.h"
#include "sam/operators.h"

/* ---- the blocks that an input loads ------------------------------------------------------------ */

/* Lists them in the order in which they lie: that of their first run. */
static compile_block_list blocks_of(const tile_plan *plan, uint32_t input, arena *mem) {
    const tile_input *in = &plan->inputs.at[input];
    compile_block_list out = {0};
    arena scratch = {0};
    bool *seen = arena_new_n(&scratch, bool, in->blocks.len + 1);
    for (uint32_t r = 0; r < plan->runs.len; r++) {
        const uint32_t b = plan->run_block.at[plan->runs.at[r].block_first + input];
        const tile_block *block = &in->blocks.at[b];
        if (!seen[b])
            vec_push(mem, &out, ((compile_block){block->origin, block->length - 1, b == 0}));
        seen[b] = true;
    }
    arena_free(&scratch);
    return out;
}

static uint16_t word_at(const uint8_t *words, uint32_t i) {
    return (uint16_t)(words[2 * i] | words[2 * i + 1] << 8);
}

tile_tensor compile_image_values(const compile_image *image, const uint8_t *content, const tile_tensor *shape,
                                 arena *mem) {
    tile_tensor t = *shape;
    uint32_t at = 0, *crd = arena_new_n(mem, uint32_t, image->put.bytes / 2 + 1);
    uint16_t *val = arena_new_n(mem, uint16_t, image->put.bytes / 2 + 1);
    t.nnz = 0;
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
    int64_t origin, size; /* coordinates of its part */
} source;
typedef VEC(source) sources;

enum { SOURCES_MOST = 1024, ITEMS_MOST = 1024 };

static int output_of(const tile_plan *plan, uint32_t copy, int level) {
    for (uint32_t o = 0; o < plan->outputs.len; o++) {
        if (plan->outputs.at[o].copy == copy && plan->outputs.at[o].stream.level == level)
            return (int)o;
    }
    return -1;
}

/* Moves behind the blocks of a run of an output; returns false where there are not so many words. */
static bool pass_run(const compile_later *l, uint32_t output, uint32_t *at) {
    for (uint32_t b = 0; b < l->plan.outputs.at[output].num_blocks; b++) {
        if (2 * *at >= l->stored[output].len)
            return false;
        *at += 1u + word_at(l->stored[output].at, *at);
    }
    return 2 * *at <= l->stored[output].len;
}

/* Finds the values, and the coordinates if there are any, of one copy in one run. */
static void read_part(const compile_later *l, const uint32_t *begin, int crd, int val, source *out) {
    const uint8_t *values = l->stored[val].at + 2 * (size_t)begin[val];
    out->n = word_at(values, 0);
    out->val = values + 2;
    if (crd < 0)
        return;
    const uint8_t *words = l->stored[crd].at + 2 * (size_t)begin[crd];
    const uint32_t segments = word_at(words, 0), n = word_at(words, 1 + segments);
    out->crd = words + 2 * (size_t)(2 + segments);
    out->n = n < out->n ? n : out->n;
}

/* Lists the parts that the runs have stored, of a vector. */
static bool list_sources(const compile_left *left, arena *mem, sources *out) {
    const compile_later *l = &left->later;
    const tile_plan *plan = &l->plan;
    const uint32_t row_bytes = fw_row_bytes(l->columns.n_in, l->columns.n_out);
    uint32_t begin[TILE_MAX_STREAMS] = {0};
    if ((uint64_t)plan->runs.len * plan->copies > SOURCES_MOST)
        return false;
    for (uint32_t r = 0; r < plan->runs.len; r++) {
        const uint32_t cells = left->step.word[1] + r * row_bytes + 8 * l->columns.n_in;
        uint32_t end[TILE_MAX_STREAMS];
        memcpy(end, begin, sizeof end);
        for (uint32_t o = 0; o < plan->outputs.len; o++) {
            if (!pass_run(l, o, &end[o]))
                return false;
        }
        for (uint32_t c = 0; c < plan->copies; c++) {
            const tile_part *part = &plan->parts.at[r * plan->copies + c];
            const int crd = output_of(plan, c, 0), val = output_of(plan, c, SAM_MODE_VALS);
            if (part->idle)
                continue;
            if (val < 0)
                return false;
            source s = {
                .val_cell = cells + 8 * (uint32_t)val, .origin = part->origin[0], .size = part->size[0]};
            s.crd_cell = crd < 0 ? 0 : cells + 8 * (uint32_t)crd;
            read_part(l, begin, crd, val, &s);
            vec_push(mem, out, s);
        }
        memcpy(begin, end, sizeof begin);
    }
    return true;
}

/* Finds how values meet in a coordinate: where no two parts have the same one, they do not; else they are
 * combined as the host combines parts of a sum, which is the processor's where the fill changes nothing. */
static bool find_meeting(const compile_left *left, const sources *all, uint16_t fill, uint32_t *how,
                         const sam_operator **op) {
    static const uint32_t by[SAM_OPERATIONS] = {
        [SAM_OPERATION_add] = FW_SPREAD_ADD,  [SAM_OPERATION_min] = FW_SPREAD_MIN,
        [SAM_OPERATION_smin] = FW_SPREAD_MIN, [SAM_OPERATION_max] = FW_SPREAD_MAX,
        [SAM_OPERATION_smax] = FW_SPREAD_MAX, [SAM_OPERATION_or] = FW_SPREAD_OR,
        [SAM_OPERATION_and] = FW_SPREAD_AND};
    const sam_statement *s = &left->kernel.lowered.statement;
    const sam_expr_data *root = sam_expr_at(s, s->rhs);
    const sam_operation operation =
        root->kind == SAM_EXPR_SUM ? (sam_operation)root->operation : SAM_OPERATION_add;
    bool meet = false;
    for (uint32_t i = 0; i < all->len && !meet; i++) {
        for (uint32_t k = 0; k < i && !meet; k++)
            meet = all->at[i].origin < all->at[k].origin + all->at[k].size &&
                   all->at[k].origin < all->at[i].origin + all->at[i].size;
    }
    *how = FW_SPREAD_SET;
    *op = NULL;
    if (!meet)
        return true;
    *how = by[operation];
    *op = sam_operator_of(operation, false);
    return *how != FW_SPREAD_SET && left->kernel.data.packed.dtype == TILE_DTYPE_INT16 &&
           (*op)->identity.given && (*op)->identity.value == fill;
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

/* Lists the items that make the segment of a vector, and returns whether they do. */
static bool spread(const machine *m, const compile_left *left, const compile_block_list *blocks,
                   uint16_t fill, const fw_segment *g, arena *mem, fw_items *items) {
    const sam_statement *s = &left->kernel.lowered.statement;
    arena scratch = {0};
    sources all = {0};
    uint32_t how, at = 0;
    const sam_operator *op;
    bool ok = sam_tensor_at(s, s->result)->order == 1 && list_sources(left, &scratch, &all) &&
              find_meeting(left, &all, fill, &how, &op);
    for (uint32_t b = 0; b < blocks->len && ok; b++) {
        const compile_block *block = &blocks->at[b];
        const uint32_t to = g->address - m->a->board.map.cgra_data + 2 * at;
        uint16_t *words = arena_new_n(&scratch, uint16_t, block->words + 1);
        const uint32_t header = items->len;
        int64_t put = 0; /* words from the first one on that dense parts bring without meeting others */
        vec_push(mem, items, ((fw_item){{FW_BLOCK, to, block->words}}));
        for (uint32_t i = 0; i < all.len && !block->empty && ok; i++) {
            const int64_t first = all.at[i].origin - block->origin,
                          end = first + all.at[i].size < block->words ? first + all.at[i].size : block->words;
            if (end <= 0 || first >= end)
                continue;
            const source *its = &all.at[i];
            const uint32_t by = items->len > header + 1 ? how : FW_SPREAD_SET; /* the first one meets none */
            if (by == FW_SPREAD_SET && !its->crd && its->n >= its->size && first <= put)
                put = end;
            spread_into(its, first, end, by == FW_SPREAD_SET ? NULL : op, fill, words);
            vec_push(mem, items,
                     ((fw_item){{FW_SPREAD | by, its->crd_cell, its->val_cell, to + 2, (uint32_t)first,
                                 (uint32_t)end, fill}}));
            ok = items->len < ITEMS_MOST;
        }
        items->at[header].word[3] = (uint32_t)put;
        ok = ok && 2 * (at + 1 + block->words) <= g->bytes && word_at(g->content, at) == block->words;
        for (uint32_t i = 0; i < block->words && ok; i++)
            ok = word_at(g->content, at + 1 + i) == words[i];
        at += 1 + block->words;
    }
    arena_free(&scratch);
    return ok && 2 * at == g->bytes;
}

/* ---- the move ---------------------------------------------------------------------------------- */

static bool has_put(const fw_puts *all, const fw_put *w) {
    for (uint32_t i = 0; i < all->len; i++) {
        if (memcmp(&all->at[i], w, sizeof *w) == 0)
            return true;
    }
    return false;
}

/* Returns whether the words lie there before the batch, and no other operand is put there before it runs. */
static bool is_source(const machine *m, const compile_move_in *in, const fw_put *w) {
    for (uint32_t i = 0; i < in->batch->segments.len; i++) {
        const fw_segment *g = &in->batch->segments.at[i];
        const bool stays = i < in->to->columns.n_in && (in->stay >> i & 1);
        if (i != in->input && !stays &&
            compile_overlap(g->address, g->bytes, m->a->board.map.cgra_data + w->address, w->bytes))
            return false;
    }
    return has_put(&in->was->stored, w);
}

/* Returns the item of a copy, if these words are what is loaded. */
static bool copy_of(const machine *m, const fw_segment *g, const fw_put *w, uint64_t hash, arena *mem,
                    fw_items *items) {
    if (w->bytes != g->bytes || w->hash != hash || w->address % 4 || g->address % 4)
        return false;
    vec_push(
        mem, items,
        ((fw_item){{FW_COPY, w->address, (w->bytes + 3) / 4 * 4, g->address - m->a->board.map.cgra_data}}));
    return true;
}

bool compile_find_move(const machine *m, const compile_left *left, const compile_move_in *in, arena *mem,
                       compile_move *out) {
    const fw_segment *g = &in->batch->segments.at[in->input];
    const uint64_t hash = hash_bytes(g->content, g->bytes);
    bool there = !left->gone, found = false;
    *out = (compile_move){.image.put = {g->address - m->a->board.map.cgra_data, g->bytes, hash}};
    if (in->data->order == 1 && in->data->level[0] == SAM_LEVEL_DENSE)
        out->image.blocks = blocks_of(&in->to->plan, in->input, mem);
    for (uint32_t i = 0; i < left->words.len; i++) {
        const fw_put *w = &left->words.at[i];
        const bool lies = !left->gone && is_source(m, in, w);
        there = there && lies;
        found = found || (lies && copy_of(m, g, w, hash, mem, &out->items));
    }
    for (uint32_t i = 0; i < left->images.len && !found; i++) {
        const fw_put *w = &left->images.at[i].put;
        found = is_source(m, in, w) && copy_of(m, g, w, hash, mem, &out->items);
    }
    out->spread = !found;
    return found || (there && out->image.blocks.len &&
                     spread(m, left, &out->image.blocks, in->data->fill, g, mem, &out->items));
}

bool compile_is_home(const compile_move *move, const fw_segment *g, const held *h) {
    arena scratch = {0};
    held got = {0};
    bool home = move->image.blocks.len > 0 && h->t.order == 1;
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
    bool there = !left->gone && !compile_overlap(left->step.word[1],
                                                 left->step.word[2] * fw_row_bytes(left->later.columns.n_in,
                                                                                   left->later.columns.n_out),
                                                 b->table, b->runs * row_bytes);
    for (uint32_t w = 0; w < left->words.len && there; w++)
        there = has_put(&m->session.memory.stored, &left->words.at[w]);
    return there;
}

const compile_image *compile_image_of(const machine *m, const compile_left *left) {
    for (uint32_t i = 0; i < left->images.len; i++) {
        if (left->images.at[i].home && has_put(&m->session.memory.stored, &left->images.at[i].put))
            return &left->images.at[i];
    }
    return NULL;
}
