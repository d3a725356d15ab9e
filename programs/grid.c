/* How the chip's processor makes a dense matrix from the stores of statements: the processor copies rows, or
 * single values if the other index is the inner one, and adds up overlapping pieces. As in move.c, the host
 * tries the commands on the words of the cycle model. */
#include "programs/grid.h"

/* Array cycles for a word copied in a row, copied alone, cleared, combined; and for a row. */
static const double IN_ROW = 4, ALONE = 40, CLEARED = 2, ROW = 60;
enum { COMMANDS_MOST = 1024, HALF = 0xffff };

/* ---- what there is ------------------------------------------------------------------------------ */

/* A piece of a matrix: its place and its words. */
typedef struct {
    compile_grid grid;
    uint32_t address;
    const uint8_t *words;
} piece;
typedef struct {
    VEC(piece) all;
    uint32_t how;           /* where pieces meet */
    const sam_operator *op; /* likewise */
    tile_dtype dtype;
} pieces;

bool compile_is_grid(const sam_tensor_data *t) {
    return t->order == 2 && t->level[0] == SAM_LEVEL_DENSE && t->level[1] == SAM_LEVEL_DENSE && !t->fill &&
           !t->structure && !t->windowed && !t->blocked && !t->ones;
}

/* Finds the distances between coordinates of a result's box; calls make a matrix by rows. */
static compile_grid grid_of(const compile_resident *resident, const tile_box *box) {
    const compile_deferred *l = &resident->deferred;
    const sam_statement *s = &resident->kernel.lowered.statement;
    const sam_tensor_data *t = sam_tensor_at(s, s->result);
    compile_grid g = {{box->origin[0], box->origin[1]}, {box->size[0], box->size[1]}, {box->size[1], 1}};
    if (!l->operands) {
        g.step[t->mode[0]] = l->plan.edge[s->result_index[t->mode[1]].v - 1];
        g.step[t->mode[1]] = 1;
    }
    return g;
}

static uint32_t words_of(const compile_grid *g) {
    return (g->size[0] - 1) * g->step[0] + (g->size[1] - 1) * g->step[1] + 1;
}

/* Lists the stored pieces of a statement's dense matrix. */
static bool list_stored(const compile_resident *resident, arena *mem, pieces *out) {
    const compile_deferred *l = &resident->deferred;
    const sam_statement *s = &resident->kernel.lowered.statement;
    const sam_tensor_data *t = sam_tensor_at(s, s->result);
    uint32_t begin[TILE_MAX_STREAMS] = {0};
    if (t->order != 2 || t->fill || !(l->operands || compile_is_grid(t)) ||
        l->plan.outputs.len != l->plan.copies)
        return false;
    for (uint32_t r = 0; r < l->plan.runs.len; r++) {
        for (uint32_t o = 0; o < l->plan.outputs.len; o++) {
            const tile_box *box = &l->plan.boxes.at[r * l->plan.copies + l->plan.outputs.at[o].copy];
            const uint8_t *words = l->stored[o].at + 2 * (size_t)begin[o];
            const piece p = {grid_of(resident, box), resident->words.at[o].address + 2 * begin[o] + 2,
                             words + 2};
            if (out->all.len == COMMANDS_MOST || !compile_pass_run(l, o, &begin[o]))
                return false;
            if (box->idle || !box->size[0] || !box->size[1])
                continue;
            if (words_of(&p.grid) > word_at(words, 0))
                return false;
            vec_push(mem, &out->all, p);
        }
    }
    return true;
}

/* Makes the words of a device copy's block, behind its length. */
static const uint8_t *block_words(const compile_block *b, const tile_tensor *t, arena *mem) {
    uint8_t *words = arena_new_n(mem, uint8_t, 2 * b->words + 2);
    const compile_grid *g = &b->grid;
    for (uint64_t e = 0; e < t->nnz; e++) {
        const uint32_t i = t->crd[2 * e] - g->origin[0], k = t->crd[2 * e + 1] - g->origin[1];
        const size_t at = 2 * ((size_t)i * g->step[0] + (size_t)k * g->step[1]);
        if (i >= g->size[0] || k >= g->size[1] || at >= 2 * (size_t)b->words)
            continue;
        words[at] = (uint8_t)t->val[e];
        words[at + 1] = (uint8_t)(t->val[e] >> 8);
    }
    return words;
}

/* Lists the pieces of a device copy of the whole matrix. */
static void list_image(const tensor_slot *h, const compile_device_copy *device_copy, arena *mem,
                       pieces *out) {
    uint32_t at = device_copy->put.address;
    for (uint32_t b = 0; b < device_copy->blocks.len; b++) {
        const compile_block *block = &device_copy->blocks.at[b];
        if (!block->empty)
            vec_push(mem, &out->all, ((piece){block->grid, at + 2, block_words(block, &h->t, mem)}));
        at += 2 * (block->words + 1);
    }
}

/* Lists the pieces of a device copy; NULL: of the stores, whose pieces may overlap. */
static bool find_pieces(const tensor_slot *h, const compile_device_copy *device_copy, arena *mem,
                        pieces *out) {
    const compile_resident *resident = h->resident;
    *out = (pieces){.how = FW_OP_SET, .dtype = resident->kernel.data.packed.dtype};
    if (device_copy)
        list_image(h, device_copy, mem, out);
    else
        compile_meeting(&resident->kernel.lowered.statement, resident->kernel.data.packed.dtype, &out->how,
                        &out->op);
    return device_copy || list_stored(resident, mem, out);
}

/* ---- commands -------------------------------------------------------------------------------------- */

/* A transfer between two places, by two modes. */
typedef struct {
    uint32_t from, to, size[2], step[2], step_to[2];
} region;

static void push(fw_commands *commands, fw_command command, arena *mem) {
    vec_push(mem, commands, command);
}

/* Returns the mode contiguous in both places, the longer of two; 2: none. */
static uint32_t inner_of(const region *r) {
    uint32_t inner = 2;
    for (uint32_t m = 0; m < 2; m++) {
        const bool follows = r->size[m] == 1 || (r->step[m] == 1 && r->step_to[m] == 1);
        inner = follows && (inner == 2 || r->size[m] > r->size[inner]) ? m : inner;
    }
    return inner;
}

static void copy_region(const region *r, arena *mem, fw_commands *commands, double *cycles) {
    const uint32_t inner = inner_of(r), words = r->size[0] * r->size[1];
    fw_copy_fields copy = {.from = r->from, .bytes = 2, .to = r->to};
    *cycles += COMPILE_COMMAND_CYCLES;
    if (inner == 2) {
        copy.times = r->size[0];
        copy.times_outer = r->size[1];
        copy.step = 2 * r->step[0];
        copy.step_outer = 2 * r->step[1];
        copy.step_to = 2 * r->step_to[0];
        copy.step_to_outer = 2 * r->step_to[1];
        *cycles += ALONE * words;
    } else {
        const uint32_t n = r->size[inner], other = 1 - inner, rows = r->size[other];
        const bool whole = rows == 1 || (r->step[other] == n && r->step_to[other] == n);
        copy.bytes = whole ? 2 * words : 2 * n;
        copy.times = whole ? 0 : rows;
        copy.step = whole ? 0 : 2 * r->step[other];
        copy.step_to = whole ? 0 : 2 * r->step_to[other];
        *cycles += IN_ROW * words + (whole ? 0 : ROW * rows);
    }
    push(commands, fw_encode_copy(&copy), mem);
}

static void combine_region(const region *r, uint32_t how, tile_dtype dtype, arena *mem, fw_commands *commands,
                           double *cycles) {
    const uint32_t inner = inner_of(r), m = inner == 2 ? 0 : inner, other = 1 - m,
                   n = inner == 2 ? 1 : r->size[m], step = 2 * r->step[other], to = 2 * r->step_to[other];
    for (uint32_t i = 0; i < (inner == 2 ? r->size[0] : 1); i++) {
        const uint32_t at = r->to + 2 * i * r->step_to[0];
        push(commands,
             FW_MAKE(calc, .op = how, .to = at, .a = at, .b = r->from + 2 * i * r->step[0], .n = n,
                     .rows = r->size[other], .step_to = to, .step_a = to, .step_b = step),
             mem);
        *cycles += COMPILE_COMMAND_CYCLES + (compile_combined_cycles(dtype) * n + ROW) * r->size[other];
    }
}

/* Returns whether the fields of a command can hold the region. */
static bool has_room(const region *r) {
    bool has = true;
    for (uint32_t m = 0; m < 2; m++)
        has = has && r->size[m] <= HALF && 2 * r->step[m] <= HALF && 2 * r->step_to[m] <= HALF;
    return has;
}

/* Intersects two grids; returns whether the intersection is not empty. */
static bool find_common(const compile_grid *a, const compile_grid *b, compile_grid *both) {
    bool any = true;
    for (uint32_t m = 0; m < 2; m++) {
        const uint32_t begin = a->origin[m] > b->origin[m] ? a->origin[m] : b->origin[m],
                       end_a = a->origin[m] + a->size[m], end_b = b->origin[m] + b->size[m],
                       end = end_a < end_b ? end_a : end_b;
        any = any && begin < end;
        both->origin[m] = begin;
        both->size[m] = end - begin;
    }
    return any;
}

static uint32_t offset_of(const compile_grid *g, const uint32_t *at) {
    return (at[0] - g->origin[0]) * g->step[0] + (at[1] - g->origin[1]) * g->step[1];
}

/* Applies the commands of a region to the words of a block. */
static void apply(const piece *p, const compile_grid *both, const compile_grid *to, const sam_operator *op,
                  uint16_t *words) {
    for (uint32_t i = 0; i < both->size[0]; i++) {
        for (uint32_t k = 0; k < both->size[1]; k++) {
            const uint32_t at[] = {both->origin[0] + i, both->origin[1] + k}, put = offset_of(to, at);
            const uint16_t value = word_at(p->words, offset_of(&p->grid, at));
            words[put] = op ? op->apply(words[put], value) : value;
        }
    }
}

/* Lists the commands for a block and its length at this place, and computes its words. */
static bool make_block(const pieces *p, const compile_block *block, uint32_t to, uint16_t *words,
                       compile_listing list) {
    fw_commands *commands = list.commands;
    arena *mem = list.mem;
    const uint32_t header = commands->len;
    uint64_t put = 0;
    bool ok = true;
    push(commands, FW_MAKE(block, .to = to, .words = block->words), mem);
    for (uint32_t i = 0; i < p->all.len && ok && !block->empty; i++) {
        const piece *its = &p->all.at[i];
        compile_grid both, again;
        if (!find_common(&its->grid, &block->grid, &both))
            continue;
        bool meets = false;
        for (uint32_t k = 0; k < i && !meets; k++)
            meets = find_common(&both, &p->all.at[k].grid, &again);
        const region r = {its->address + 2 * offset_of(&its->grid, both.origin),
                          to + 2 + 2 * offset_of(&block->grid, both.origin),
                          {both.size[0], both.size[1]},
                          {its->grid.step[0], its->grid.step[1]},
                          {block->grid.step[0], block->grid.step[1]}};
        ok = has_room(&r) && !(meets && p->how == FW_OP_SET) &&
             (uint64_t)offset_of(&block->grid, both.origin) + (r.size[0] - 1) * r.step_to[0] +
                     (r.size[1] - 1) * r.step_to[1] <
                 block->words;
        if (!ok)
            break;
        apply(its, &both, &block->grid, meets ? p->op : NULL, words);
        put += meets ? 0 : (uint64_t)both.size[0] * both.size[1];
        if (meets)
            combine_region(&r, p->how, p->dtype, mem, commands, list.cycles);
        else
            copy_region(&r, mem, commands, list.cycles);
        ok = commands->len < COMMANDS_MOST;
    }
    const uint32_t from = put == block->words ? block->words : 0;
    FW_SET(&commands->at[header], block, from, from);
    *list.cycles += COMPILE_COMMAND_CYCLES + CLEARED * (block->words - from);
    return ok;
}

bool compile_move_grid(const tensor_slot *h, const compile_device_copy *device_copy, const fw_segment *g,
                       uint32_t to, arena *mem, compile_move *out) {
    const compile_block_list *blocks = &out->device_copy.blocks;
    arena scratch = {0};
    pieces p;
    uint32_t at = 0;
    bool ok = find_pieces(h, device_copy, &scratch, &p);
    out->commands.len = 0;
    out->cycles = 0;
    for (uint32_t b = 0; b < blocks->len && ok; b++) {
        const compile_block *block = &blocks->at[b];
        uint16_t *words = arena_new_n(&scratch, uint16_t, block->words + 1);
        ok = 2 * ((uint64_t)at + 1 + block->words) <= g->bytes &&
             make_block(&p, block, to + 2 * at, words, compile_listing_of(out, mem)) &&
             word_at(g->content, at) == block->words;
        for (uint32_t i = 0; i < block->words && ok; i++)
            ok = word_at(g->content, at + 1 + i) == words[i];
        at += 1 + block->words;
    }
    arena_free(&scratch);
    out->spread = !device_copy;
    return ok && 2 * at == g->bytes;
}

bool compile_save_grid(const tensor_slot *h, uint32_t slot, compile_listing list, compile_device_copy *out) {
    const uint32_t rows = h->t.dim[0], columns = h->t.dim[1];
    const compile_block all = {.words = rows * columns, .grid = {{0}, {rows, columns}, {columns, 1}}};
    uint16_t *found = arena_new_n(list.mem, uint16_t, all.words + 1);
    arena scratch = {0};
    pieces p;
    bool ok = find_pieces(h, NULL, &scratch, &p) && make_block(&p, &all, FW_SCRATCH | slot, found, list);
    const uint8_t *want = block_words(&all, &h->t, &scratch);
    for (uint32_t i = 0; i < all.words && ok; i++)
        ok = word_at(want, i) == found[i];
    arena_free(&scratch);
    *out = (compile_device_copy){
        .home = true,
        .put = {FW_SCRATCH | slot, 2 * all.words + 2, hash_bytes(found, 2 * (size_t)all.words)}};
    vec_push(&h->resident->mem, &out->blocks, all);
    return ok;
}

/* ---- values ------------------------------------------------------------------------------------- */

tile_tensor compile_grid_values(const compile_device_copy *device_copy, const uint8_t *content,
                                const tile_tensor *shape, arena *mem) {
    const uint32_t rows = shape->dim[0], columns = shape->dim[1];
    const size_t n = (size_t)rows * columns;
    arena scratch = {0};
    uint16_t *all = arena_new_n(&scratch, uint16_t, n + 1);
    tile_tensor t = *shape;
    uint32_t at = 1, *crd = arena_new_n(mem, uint32_t, 2 * n + 1);
    uint16_t *val = arena_new_n(mem, uint16_t, n + 1);
    for (uint32_t b = 0; b < device_copy->blocks.len; b++) {
        const compile_block *block = &device_copy->blocks.at[b];
        const compile_grid *g = &block->grid, whole = {{0}, {rows, columns}, {columns, 1}};
        for (uint32_t i = 0; i < g->size[0] && !block->empty; i++) {
            for (uint32_t k = 0; k < g->size[1]; k++) {
                const uint32_t to[] = {g->origin[0] + i, g->origin[1] + k};
                if (to[0] < rows && to[1] < columns)
                    all[offset_of(&whole, to)] = word_at(content, at + offset_of(g, to));
            }
        }
        at += 1 + block->words;
    }
    t.nnz = 0;
    for (size_t i = 0; i < n; i++) {
        if (!all[i])
            continue;
        crd[2 * t.nnz] = (uint32_t)(i / columns);
        crd[2 * t.nnz + 1] = (uint32_t)(i % columns);
        val[t.nnz++] = all[i];
    }
    arena_free(&scratch);
    t.crd = crd;
    t.val = val;
    return t;
}
