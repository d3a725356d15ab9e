/* Results put together of what each run has stored: where the pieces lie, and the commands that copy or
 * spread them. */
#include "programs/gather.h"
#include "programs/grid.h"

int compile_output_of(const tile_plan *plan, uint32_t copy, int level) {
    for (uint32_t o = 0; o < plan->outputs.len; o++) {
        if (plan->outputs.at[o].copy == copy && plan->outputs.at[o].stream.level == level)
            return (int)o;
    }
    return -1;
}

/* Finds the values, and the coordinates if present, of one copy in one run. */
static void read_source(const compile_deferred *l, const uint32_t *begin, int crd, int val,
                        compile_source *out) {
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

bool compile_list_sources(const compile_resident *resident, arena *mem, compile_sources *out) {
    const compile_deferred *l = &resident->deferred;
    const tile_plan *plan = &l->plan;
    const uint32_t row_bytes = fw_row_bytes(l->columns.n_in, l->columns.n_out);
    uint32_t begin[TILE_MAX_STREAMS] = {0};
    if ((uint64_t)plan->runs.len * plan->copies > COMPILE_SOURCES_MOST)
        return false;
    for (uint32_t r = 0; r < plan->runs.len; r++) {
        const uint32_t cells =
            FW_GET(&resident->step, batch, table) + r * row_bytes + fw_store_cell(l->columns.n_in, 0);
        uint32_t end[TILE_MAX_STREAMS];
        memcpy(end, begin, sizeof end);
        for (uint32_t o = 0; o < plan->outputs.len; o++) {
            if (!compile_pass_run(l, o, &end[o]))
                return false;
        }
        for (uint32_t c = 0; c < plan->copies; c++) {
            const tile_box *box = &plan->boxes.at[r * plan->copies + c];
            const int crd = compile_output_of(plan, c, 0), val = compile_output_of(plan, c, SAM_MODE_VALS);
            if (box->idle)
                continue;
            if (val < 0)
                return false;
            compile_source s = {.val_cell = cells + compile_cell_of(l, (uint32_t)val),
                                .origin = box->origin[0],
                                .size = box->size[0]};
            s.crd_cell = crd < 0 ? 0 : cells + compile_cell_of(l, (uint32_t)crd);
            read_source(l, begin, crd, val, &s);
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

/* Finds how values of one coordinate combine. Pieces without a common coordinate do not combine. Otherwise
 * values are combined like partial sums on the host, with the fill in place of a missing value; the words
 * show whether the fill changes the result. */
static bool find_meeting(const compile_resident *resident, const compile_sources *all, uint32_t *how,
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
    compile_meeting(&resident->kernel.lowered.statement, resident->kernel.data.packed.dtype, how, op);
    return *how != FW_OP_SET;
}

void compile_spread_into(const compile_source *s, int64_t first, int64_t count, const sam_operator *op,
                         uint16_t fill, uint16_t *words) {
    for (uint32_t i = 0; i < s->n; i++) {
        const int64_t at = first + (s->crd ? word_at(s->crd, i) : i);
        const uint16_t value = word_at(s->val, i);
        if (at >= 0 && at < count)
            words[at] = (op ? op->apply(words[at] ^ fill, value) : value) ^ fill;
    }
}

/* Array cycles of the processor for each word or value: combined at its coordinate; put after its
 * predecessor, or added there. Measured on engine soc: docs/notebook/repeated.md. */
static const double COMBINED = 46, FOLLOWS = 7, ADDED = 22;

/* Returns the cycles of a value of the piece. */
static double value_cycles(uint32_t how, bool follows) {
    if (how == FW_OP_SET)
        return follows ? FOLLOWS : COMPILE_PUT;
    return how == FW_OP_ADD && follows ? ADDED : COMBINED;
}

/* The sources of a block of a dense vector. */
typedef struct {
    compile_sources all;
    uint32_t how; /* where pieces meet */
    const sam_operator *op;
    uint16_t fill;
} sources;

static bool find_sources(const compile_resident *resident, uint16_t fill, arena *mem, sources *p) {
    const sam_statement *s = &resident->kernel.lowered.statement;
    *p = (sources){.fill = fill};
    return sam_tensor_at(s, s->result)->order == 1 && compile_list_sources(resident, mem, &p->all) &&
           find_meeting(resident, &p->all, &p->how, &p->op);
}

/* Lists the commands for a block at this place, and computes its words. */
static bool make_block(const sources *p, const compile_block *block, uint32_t to, uint16_t *words,
                       compile_listing list) {
    fw_commands *commands = list.commands;
    const uint32_t header = commands->len;
    int64_t put = 0; /* leading words of dense pieces without overlap */
    vec_push(list.mem, commands, FW_MAKE(block, .to = to, .words = block->words));
    for (uint32_t i = 0; i < p->all.len && !block->empty; i++) {
        const compile_source *its = &p->all.at[i];
        const int64_t first = its->origin - block->origin,
                      end = first + its->size < block->words ? first + its->size : block->words;
        if (end <= 0 || first >= end)
            continue;
        const uint32_t by = commands->len > header + 1 ? p->how : FW_OP_SET; /* the first one meets none */
        if (by == FW_OP_SET && its->follows && its->n >= its->size && first <= put)
            put = end;
        *list.cycles += COMPILE_COMMAND + its->n * value_cycles(by, its->follows);
        compile_spread_into(its, first, end, by == FW_OP_SET ? NULL : p->op, p->fill, words);
        vec_push(list.mem, commands,
                 FW_MAKE(spread, .op = by, .crd_cell = its->crd_cell, .val_cell = its->val_cell, .to = to + 2,
                         .first = (uint32_t)first, .count = (uint32_t)end, .fill = p->fill));
        if (commands->len >= COMPILE_COMMANDS_MOST)
            return false;
    }
    FW_SET(&commands->at[header], block, from, (uint32_t)put);
    *list.cycles += COMPILE_COMMAND + COMPILE_CLEARED * (double)(block->words - put);
    return true;
}

/* Lists the command that copies a block, at word `at` of the input, from an earlier input of the same result
 * with equal words. Words are copied in pairs if both addresses have equal alignment. */
static bool copy_block(const interpreter *m, const compile_resident *resident, const compile_move_in *in,
                       const compile_block *block, uint32_t at, compile_listing list) {
    const fw_segment *to = &in->batch->segments.at[in->input];
    const uint32_t bytes = 2 * (block->words + 1), glb = m->a->board.map.cgra_data;
    for (uint32_t k = 0; k < in->input && !block->empty; k++) {
        const fw_segment *from = &in->batch->segments.at[k];
        const compile_block_list *blocks = &in->moved[k].device_copy.blocks;
        uint32_t begin = 0;
        for (uint32_t b = 0; in->moved[k].of == resident && !in->moved[k].packed && b < blocks->len; b++) {
            const compile_block *other = &blocks->at[b];
            if (other->origin == block->origin && other->words == block->words && !other->empty &&
                (begin ^ at) % 2 == 0 &&
                memcmp(from->content + 2 * begin, to->content + 2 * at, bytes) == 0) {
                *list.cycles += COMPILE_COMMAND + COMPILE_COPIED * (block->words + 1);
                vec_push(list.mem, list.commands,
                         FW_MAKE(copy, .from = from->address - glb + 2 * begin, .bytes = bytes,
                                 .to = to->address - glb + 2 * at));
                return true;
            }
            begin += 1 + other->words;
        }
    }
    return false;
}

bool compile_spread_block(const interpreter *m, const compile_resident *resident, const compile_move_in *in,
                          const fw_segment *g, arena *mem, compile_move *out) {
    const compile_block_list *blocks = &out->device_copy.blocks;
    const uint16_t fill = in->data->fill;
    const compile_listing list = compile_listing_of(out, mem);
    arena scratch = {0};
    sources p;
    uint32_t at = 0;
    bool ok = find_sources(resident, fill, &scratch, &p);
    for (uint32_t b = 0; b < blocks->len && ok; b++) {
        const compile_block *block = &blocks->at[b];
        const uint32_t to = g->address - m->a->board.map.cgra_data + 2 * at;
        if (2 * (at + 1 + block->words) <= g->bytes && copy_block(m, resident, in, block, at, list)) {
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

bool compile_scalar_address(const interpreter *m, const tensor_slot *h, uint32_t *address) {
    const compile_resident *resident = h->resident;
    for (uint32_t i = 0; i < resident->device_copies.len; i++) {
        *address = resident->device_copies.at[i].put.address;
        if (compile_in_scratch(m, &resident->device_copies.at[i]))
            return true;
    }
    if (resident->gone || resident->empty || resident->deferred.plan.outputs.len != 1)
        return false;
    *address = resident->deferred.counts.output[0];
    return resident->deferred.stored[0].len == 4 && word_at(resident->deferred.stored[0].at, 0) == 1 &&
           word_at(resident->deferred.stored[0].at, 1) == (h->t.nnz ? h->t.val[0] : h->t.fill);
}

/* Lists the command that copies one value to the scratch area. */
static const compile_device_copy *save_scalar(interpreter *m, tensor_slot *h, const bool *alive,
                                              compile_listing list) {
    enum { BYTES = 4 };
    const uint32_t slot = compile_find_slot(m, h, alive, true, BYTES);
    uint32_t address;
    if (slot + BYTES > FW_SCRATCH_ROOM || !compile_scalar_address(m, h, &address))
        return NULL;
    const uint16_t block[] = {1, h->t.nnz ? h->t.val[0] : h->t.fill};
    const compile_device_copy device_copy = {.home = true,
                                             .put = {FW_SCRATCH | slot, BYTES, hash_bytes(block, BYTES)}};
    vec_push(list.mem, list.commands,
             FW_MAKE(copy, .from = address, .bytes = BYTES, .to = FW_SCRATCH | slot));
    *list.cycles += COMPILE_COMMAND;
    compile_note_device_copy(m, &device_copy);
    vec_push(&h->resident->mem, &h->resident->device_copies, device_copy);
    return &h->resident->device_copies.at[h->resident->device_copies.len - 1];
}

/* Lists the commands that put a dense matrix into the scratch area, row by row. */
static const compile_device_copy *save_matrix(interpreter *m, tensor_slot *h, const bool *alive,
                                              compile_listing list) {
    const uint64_t bytes = 2 * (uint64_t)h->t.dim[0] * h->t.dim[1] + 2;
    compile_resident *resident = h->resident;
    compile_device_copy device_copy;
    for (uint32_t i = 0; i < resident->device_copies.len; i++) {
        if (resident->device_copies.at[i].home && compile_in_scratch(m, &resident->device_copies.at[i]))
            return &resident->device_copies.at[i];
    }
    if (bytes > FW_SCRATCH_ROOM || h->t.fill)
        return NULL;
    const uint32_t slot = compile_find_slot(m, h, alive, true, (uint32_t)bytes);
    if (slot + bytes > FW_SCRATCH_ROOM || !compile_save_grid(h, slot, list, &device_copy))
        return NULL;
    compile_note_device_copy(m, &device_copy);
    vec_push(&resident->mem, &resident->device_copies, device_copy);
    return &resident->device_copies.at[resident->device_copies.len - 1];
}

const compile_device_copy *compile_spread_out(interpreter *m, tensor_slot *h, const bool *alive,
                                              compile_listing list, uint16_t **words) {
    compile_resident *resident = h->resident;
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
    for (uint32_t i = 0; i < resident->device_copies.len; i++) {
        if (compile_in_scratch(m, &resident->device_copies.at[i]))
            return &resident->device_copies.at[i];
    }
    const uint32_t slot = compile_find_slot(m, h, alive, true, bytes);
    const compile_block all = {.words = dim};
    uint16_t *found = arena_new_n(list.mem, uint16_t, dim + 1);
    arena scratch = {0};
    sources p;
    const bool ok = !resident->gone && slot + bytes <= FW_SCRATCH_ROOM &&
                    find_sources(resident, h->t.fill, &scratch, &p) &&
                    make_block(&p, &all, FW_SCRATCH | slot, found, list) &&
                    memcmp(found, *words, 2 * (size_t)dim) == 0;
    arena_free(&scratch);
    if (!ok)
        return NULL;
    const compile_device_copy device_copy = {
        .home = true, .put = {FW_SCRATCH | slot, bytes, hash_bytes(found, 2 * (size_t)dim)}};
    compile_note_device_copy(m, &device_copy);
    vec_push(&resident->mem, &resident->device_copies, device_copy);
    vec_push(&resident->mem, &resident->device_copies.at[resident->device_copies.len - 1].blocks, all);
    return &resident->device_copies.at[resident->device_copies.len - 1];
}
