/* How the chip's processor makes the streams of a compressed matrix from the stores of runs, if the streams
 * are no copies: the processor lists the entries of every piece, sorts and merges them, and makes the levels
 * of each loaded sub-tile. The host tries the result with the processor's own library (support/mlist.h), on
 * the words of the cycle model, and accepts only streams equal to the load. */
#include "programs/entries.h"
#include "programs/entry_list.h"
#include "programs/gather.h"
#include "programs/pack.h"
#include "support/mlist.h"

enum { MANY = 8 }; /* entries of a row from which on the processor skips several at a time */

/* Array cycles of the processor in a sub-tile's streams: for an entry, for an entry beside the sub-tile
 * in rows with few or many (`MANY`) entries, and for a row. Measured on engine soc:
 * docs/notebook/repeated.md. */
static const double MADE = 40, OUTSIDE = 35, PASSED = 10, MADE_ROW = 232;

static const char otherwise[] = "a result is loaded otherwise than it was stored";

/* ---- what is asked --------------------------------------------------------------------------- */

/* Returns whether the operand's entries are exactly the entries of the result. */
static bool is_plain(const sam_tensor_data *t) {
    bool plain = t->order == 2 && !t->structure && !t->blocked && !t->ones && !t->whole && !t->lacked &&
                 !t->windowed && !t->border.beyond.v;
    for (uint32_t g = 0; g < SAM_MAX_GAPS; g++)
        plain = plain && !t->gaps.of[g].v;
    return plain;
}

/* Finds how long the sub-tiles of an operand's levels are. */
static bool find_edges(const sam_statement *s, const sam_tensor_data *t, const tile_plan *plan,
                       uint32_t *edge) {
    for (uint32_t e = 0; e < s->exprs.len; e++) {
        const sam_expr_data *x = &s->exprs.at[e];
        if (x->kind != SAM_EXPR_ACCESS || sam_tensor_at(s, x->tensor) != t)
            continue;
        for (uint32_t l = 0; l < 2; l++)
            edge[l] = plan->edge[x->index[t->mode[l]].v - 1];
        return true;
    }
    return false;
}

/* Finds the inputs with the operand's streams, made by the processor. */
static bool find_streams(compile_making *g) {
    const tile_plan *plan = &g->in->to->plan;
    const tile_input *first = &plan->inputs.at[g->in->input];
    for (uint32_t i = 0; i < plan->inputs.len; i++) {
        const tile_input *one = &plan->inputs.at[i];
        if (!name_eq(one->stream.tensor, first->stream.tensor) || one->copy != first->copy)
            continue;
        if (one->stream.level != SAM_MODE_VALS && (one->stream.level < 0 || one->stream.level > 1))
            return false;
        const uint32_t k = one->stream.level == SAM_MODE_VALS ? COMPILE_VALUES : (uint32_t)one->stream.level;
        g->input[k] = i;
        g->has[k] = !(g->in->stay >> i & 1);
    }
    return true;
}

/* Returns whether the words of the stores are complete until the end of listing. */
static bool is_there(const compile_making *g) {
    const compile_move_in *in = g->in;
    bool there = !g->resident->gone && (g->resident->words.len > 0 || g->resident->empty);
    for (uint32_t w = 0; w < g->resident->words.len && there; w++) {
        const fw_put *put = &g->resident->words.at[w];
        there = compile_has_put(&in->was->stored, put);
        for (uint32_t i = 0; i < in->batch->segments.len && there; i++) {
            const fw_segment *s = &in->batch->segments.at[i];
            bool own = i < in->to->columns.n_in && (in->stay >> i & 1);
            for (uint32_t k = 0; k < COMPILE_LEVELS; k++)
                own = own || (g->has[k] && g->input[k] == i);
            there = own || !compile_overlap(s->address, s->bytes, g->m->a->board.map.cgra_data + put->address,
                                            put->bytes);
        }
    }
    return there;
}

/* ---- the list -------------------------------------------------------------------------------- */

/* ---- the streams of a sub-tile --------------------------------------------------------------- */

/* The bounds of a sub-tile, by level of the operand. */
typedef struct {
    uint32_t low[2], size[2];
} box;

/* The words of its streams. */
typedef struct {
    u16_vec rows, segments, columns, values;
    arena *mem;
} streams;

static void add_entry(streams *s, uint32_t column, uint32_t value) {
    vec_push(s->mem, &s->columns, (uint16_t)column);
    vec_push(s->mem, &s->values, (uint16_t)value);
}

/* Adds a row of these entries of the list, restricted to the box. */
static void add_row(const compile_making *g, const box *b, uint32_t low, uint32_t high, bool needed,
                    streams *s) {
    const bool dense = g->to->level[1] == SAM_LEVEL_DENSE, padded = g->to->padded >> 1 & 1;
    const uint32_t begin = s->values.len;
    for (uint32_t c = 0; c < g->to_edge[1] && dense; c++)
        vec_push(s->mem, &s->values, 0);
    for (uint32_t e = low; e < high; e++) {
        const uint32_t c = (g->list.key[e] & 0xffff) - b->low[1], value = g->list.val[e] ^ g->fill;
        if (c >= b->size[1])
            continue;
        if (dense) {
            s->values.at[begin + c] = (uint16_t)value;
            continue;
        }
        if (s->values.len == begin && c && padded)
            add_entry(s, 0, 0);
        add_entry(s, c, value);
    }
    if (!dense && s->values.len == begin && needed)
        add_entry(s, 0, 0);
    vec_push(s->mem, &s->segments, (uint16_t)s->values.len);
}

static bool has_entry(const compile_making *g, const box *b, uint32_t low, uint32_t high) {
    bool has = false;
    for (uint32_t e = low; e < high; e++)
        has = has || (g->list.key[e] & 0xffff) - b->low[1] < b->size[1];
    return has;
}

/* Makes all rows of a box. */
static void make_rows(const compile_making *g, const box *b, streams *s) {
    const bool dense = g->to->level[0] == SAM_LEVEL_DENSE;
    const uint32_t all = dense ? g->to_edge[0] : b->size[0] ? b->size[0] : 1;
    bool none = true;
    for (uint32_t r = 0; r < b->size[0]; r++)
        none = none &&
               !has_entry(g, b, mlist_find(&g->list, b->low[0] + r), mlist_find(&g->list, b->low[0] + r + 1));
    for (uint32_t r = 0; r < all; r++) {
        const bool within = r < b->size[0];
        const uint32_t low = within ? mlist_find(&g->list, b->low[0] + r) : 0,
                       high = within ? mlist_find(&g->list, b->low[0] + r + 1) : 0;
        const bool corner = r == 0 && (none || (g->to->padded & 1 && !dense));
        if (!dense && !corner && !has_entry(g, b, low, high))
            continue;
        vec_push(s->mem, &s->rows, (uint16_t)r);
        add_row(g, b, low, high, corner || (dense && g->to->padded >> 1 & 1), s);
    }
}

static void add_block(u16_vec *to, const u16_vec *words, arena *mem) {
    vec_push(mem, to, (uint16_t)words->len);
    for (uint32_t i = 0; i < words->len; i++)
        vec_push(mem, to, words->at[i]);
}

/* Returns whether the streams of a box equal the loads of run `r`. */
static bool is_made(compile_making *g, const box *b, uint32_t r) {
    arena scratch = {0};
    streams s = {.mem = &scratch};
    u16_vec stream[COMPILE_LEVELS] = {{0}}, outer = {0};
    vec_push(&scratch, &s.segments, 0);
    make_rows(g, b, &s);
    vec_push(&scratch, &outer, 0);
    vec_push(&scratch, &outer, (uint16_t)s.rows.len);
    add_block(&stream[0], &outer, &scratch);
    add_block(&stream[0], &s.rows, &scratch);
    add_block(&stream[1], &s.segments, &scratch);
    add_block(&stream[1], &s.columns, &scratch);
    add_block(&stream[COMPILE_VALUES], &s.values, &scratch);
    bool made = true;
    for (uint32_t k = 0; k < COMPILE_LEVELS && made; k++)
        made = !g->has[k] || compile_is_loaded(g->m, g->in, g->input[k], r, stream[k].at, stream[k].len);
    const uint32_t all = mlist_find(&g->list, b->low[0] + b->size[0]) - mlist_find(&g->list, b->low[0]);
    g->cycles +=
        MADE * s.values.len + MADE_ROW * s.rows.len +
        (all < MANY * b->size[0] ? OUTSIDE : PASSED) * (all > s.columns.len ? all - s.columns.len : 0);
    arena_free(&scratch);
    return made;
}

/* Returns where run `r` loads a stream from: the first byte in the global buffer. */
static uint32_t place_of(const compile_making *g, uint32_t input, uint32_t r) {
    const compile_move_in *in = g->in;
    const fw_segment *table = &in->batch->segments.at[in->batch->segments.len - 1];
    return file_u32_at(table->content + (in->batch->table - table->address) +
                       r * fw_row_bytes(in->to->columns.n_in, in->to->columns.n_out) + fw_load_cell(input));
}

static box box_of(const compile_making *g, const tile_block *block) {
    box b;
    for (uint32_t l = 0; l < 2; l++) {
        b.low[l] = block->origin[g->to->mode[l]];
        b.size[l] = block->size[g->to->mode[l]];
    }
    return b;
}

/* Adds the commands for the streams of every loaded sub-tile. */
static bool make_blocks(compile_making *g, arena *mem, compile_move *moves) {
    const tile_plan *plan = &g->in->to->plan;
    const uint32_t row_bytes = fw_row_bytes(g->in->to->columns.n_in, g->in->to->columns.n_out);
    fw_commands *commands = &moves[g->in->input].commands;
    fw_shape_fields shape = {.rows = plan->runs.len,
                             .row_bytes = row_bytes,
                             .outer = g->has[0] ? g->input[0] : FW_ENTRIES_NONE,
                             .inner = g->has[1] ? g->input[1] : FW_ENTRIES_NONE,
                             .values = g->has[COMPILE_VALUES] ? g->input[COMPILE_VALUES] : FW_ENTRIES_NONE,
                             .edges = g->to_edge[0] << 16 | g->to_edge[1]};
    arena scratch = {0};
    bool *seen = arena_new_n(&scratch, bool, plan->inputs.at[g->in->input].blocks.len + 1), ok = true;
    for (uint32_t l = 0; l < 2; l++) {
        shape.dense |= g->to->level[l] == SAM_LEVEL_DENSE ? 1u << l : 0;
        shape.padded |= g->to->padded >> l & 1 ? 1u << l : 0;
    }
    vec_push(mem, commands, fw_encode_shape(&shape));
    for (uint32_t r = 0; r < plan->runs.len && ok; r++) {
        const uint32_t b = plan->run_block.at[plan->runs.at[r].block_first + g->in->input];
        for (uint32_t k = 0; k < COMPILE_LEVELS; k++) {
            if (g->has[k])
                vec_push(mem, &moves[g->input[k]].places, place_of(g, g->input[k], r));
        }
        if (seen[b])
            continue;
        seen[b] = true;
        const box at = box_of(g, &plan->inputs.at[g->in->input].blocks.at[b]);
        uint32_t address[COMPILE_LEVELS];
        for (uint32_t k = 0; k < COMPILE_LEVELS; k++)
            address[k] = g->has[k] ? place_of(g, g->input[k], r) : 0;
        vec_push(mem, commands,
                 FW_MAKE(levels, .outer_low = at.low[0], .outer_size = at.size[0], .inner_low = at.low[1],
                         .inner_size = at.size[1], .outer = address[0], .inner = address[1],
                         .values = address[COMPILE_VALUES]));
        ok = commands->len < COMPILE_COMMANDS_MOST && is_made(g, &at, r);
    }
    arena_free(&scratch);
    return ok;
}

/* Describes the matrix and its result; false: the processor cannot list the matrix. */
static bool begin_making(interpreter *m, const tensor_slot *h, const compile_move_in *in, compile_making *g) {
    const compile_deferred *l = &h->resident->deferred;
    const sam_statement *s = &h->resident->kernel.lowered.statement;
    const bool bf16 = h->resident->kernel.data.packed.dtype == TILE_DTYPE_BF16;
    *g = (compile_making){
        .m = m, .resident = h->resident, .in = in, .from = sam_tensor_at(s, s->result), .ascend = true};
    g->to = in->data ? in->data : g->from;
    bool may = h->resident->kernel.chip.lists & FW_ENTRY_LISTS && h->resident->plan && !l->operands &&
               is_plain(g->from) && is_plain(g->to) && g->from->fill == g->to->fill;
    for (uint32_t d = 0; d < 2 && may; d++) {
        may = h->t.dim[d] <= UINT16_MAX;
        if (!h->resident->empty)
            g->from_edge[d] = l->plan.edge[s->result_index[g->from->mode[d]].v - 1];
    }
    g->fill = g->to->fill;
    g->mask = bf16 && !g->fill ? 0x7fff : 0xffff; /* which has two zeros */
    g->outer = g->to->mode[0];
    g->turned = g->from->mode[0] != g->outer;
    return may;
}

/* Lists the stored entries of the pieces; returns NULL, or the reason for failure. */
static const char *list_stored(compile_making *g, tensor_slot *h, bool sorts, arena *mem, compile_move *out) {
    arena scratch = {0};
    const char *why = otherwise;
    g->all = (compile_stored_pieces){0};
    if (compile_list_pieces(g, &scratch)) {
        const bool meet = compile_pieces_meet(&g->all);
        g->how = FW_OP_SET;
        if (meet)
            compile_meeting(&h->resident->kernel.lowered.statement, h->resident->kernel.data.packed.dtype,
                            &g->how, &g->op);
        if (!meet || g->how)
            why = compile_make_list(g, h, sorts, mem, out);
    }
    arena_free(&scratch);
    return why;
}

const compile_device_copy *compile_list_matrix(interpreter *m, tensor_slot *h, const compile_move_in *in,
                                               arena *mem, compile_move *move) {
    compile_making g;
    if (!begin_making(m, h, in, &g))
        return NULL;
    g.before = true;
    if (list_stored(&g, h, true, mem, move) && (g.cycles = 0, list_stored(&g, h, false, mem, move)))
        return NULL;
    vec_push(mem, &move->commands,
             FW_MAKE(shape, .table = m->a->board.map.sram + FW_TABLE_OFFSET, .outer = FW_ENTRIES_NONE,
                     .inner = FW_ENTRIES_NONE, .values = FW_ENTRIES_NONE));
    return &h->resident->device_copies.at[h->resident->device_copies.len - 1];
}

/* Marks the streams as moved by lists. */
static void say_moved(const compile_making *g, compile_resident *resident, compile_move *out) {
    for (uint32_t k = 0; k < COMPILE_LEVELS; k++) {
        if (!g->has[k])
            continue;
        const fw_segment *s = &g->in->batch->segments.at[g->input[k]];
        out[g->input[k]] = (compile_move){.packed = true, .spread = true, .of = resident};
        out[g->input[k]].device_copy.put = (fw_put){s->address - g->m->a->board.map.cgra_data, s->bytes, 0};
    }
}

const char *compile_find_entries(interpreter *m, tensor_slot *h, const compile_move_in *in, arena *mem,
                                 compile_move *out) {
    compile_making g;
    if (!begin_making(m, h, in, &g) || in->to->plan.runs.len > UINT16_MAX ||
        !find_edges(in->statement, g.to, &in->to->plan, g.to_edge) || !find_streams(&g))
        return otherwise;
    say_moved(&g, h->resident, out);
    compile_move *own = &out[in->input];
    compile_device_copy *list = compile_find_list(&g, h);
    const bool there = is_there(&g);
    own->made = !list || (list->list.next != g.outer && there);
    const char *why = !own->made ? compile_use_list(&g, h, list, mem, own)
                      : there    ? list_stored(&g, h, false, mem, own)
                                 : otherwise;
    if (!why && !make_blocks(&g, mem, out))
        why = otherwise;
    own->cycles = g.cycles + COMPILE_COMMAND * own->commands.len;
    return why;
}

void compile_keep_lists(interpreter *m, const bool *alive) {
    for (uint32_t t = 0; t < m->a->slots; t++) {
        compile_resident *resident = m->of[t].resident;
        for (uint32_t i = 0; resident && i < resident->device_copies.len; i++) {
            compile_device_copy *device_copy = &resident->device_copies.at[i];
            if (device_copy->list.is && alive && !alive[t] &&
                compile_has_put(&m->session.memory.stored, &device_copy->put))
                fw_forget(&m->session.memory, device_copy->put.address, device_copy->put.bytes);
            device_copy->list.fresh = false;
            if (alive)
                device_copy->list.outer = device_copy->list.next;
            device_copy->list.next = device_copy->list.outer;
        }
    }
}

/* The list's head has the number of entries, after its room, and its address. */
tile_tensor compile_list_values(const interpreter *m, const compile_device_copy *device_copy,
                                const uint8_t *content, const tile_tensor *shape, arena *mem) {
    enum { N_AT = 4, KEYS_AT = 8, VALUES_AT = 12 };
    const uint32_t base = fw_address(&m->a->board, device_copy->put.address);
    const uint8_t *head = content + (-base & (FW_ENTRIES_ALIGNED - 1u));
    const uint32_t n = file_u32_at(head + N_AT), keys = file_u32_at(head + KEYS_AT) - base,
                   values = file_u32_at(head + VALUES_AT) - base;
    const bool good = n <= device_copy->list.room && keys <= device_copy->put.bytes &&
                      values <= device_copy->put.bytes && keys + 4 * n <= device_copy->put.bytes &&
                      values + 2 * n <= device_copy->put.bytes;
    tile_tensor t = *shape;
    mlist all;
    mlist_begin(&all, arena_alloc(mem, mlist_bytes(good ? n : 0, MLIST_SORTS) + 4), good ? n : 0,
                MLIST_SORTS);
    for (uint32_t e = 0; e < n && good; e++)
        mlist_insert(&all, file_u32_at(content + keys + 4 * e), word_at(content + values, e));
    if (device_copy->list.outer)
        mlist_turn(&all);
    mlist_sort(&all);
    uint32_t *crd = arena_new_n(mem, uint32_t, 2 * (size_t)all.n + 1);
    for (uint32_t e = 0; e < all.n; e++) {
        crd[2 * e] = all.key[e] >> 16;
        crd[2 * e + 1] = all.key[e] & 0xffff;
    }
    t.nnz = all.n;
    t.crd = crd;
    t.val = all.val;
    return t;
}
