/* How the chip's processor makes the streams of a compressed matrix of what runs have stored, where they are
 * no copies: it lists the entries of every part, sorts and merges them, and makes the levels of each sub-tile
 * that is loaded. What that gives is tried with the library that the processor has, too (support/mlist.h), on
 * the words that the cycle model has found, and taken only if it is what is loaded. */
#include "programs/entries.h"
#include "support/mlist.h"

/* Array cycles that the processor takes for an item as such; for each value that a run has stored, and each
 * row of them; in a pass that sorts, for an entry and for a digit; for one that is merged; for one that is
 * put into a dense workspace in place of that, one that is listed of it, 32 of its places, and how much less
 * a row takes; and in a sub-tile's streams, for an entry, for one that lies beside it, where rows have few
 * entries or so many (`MANY`) that several are gone past at a time, and for a row. Measured on engine soc:
 * docs/notebook/repeated.md. */
static const double ITEM = COMPILE_ITEM_CYCLES, TAKEN = 38, TAKEN_ROW = 190, SORTED = 50, DIGIT = 18,
                    MERGED = 40, PUT = 12, WALKED = 40, WORD = 24, ROW_LESS = 80, MADE = 40, BESIDE = 35,
                    PASSED = 10, MADE_ROW = 232, TURNED = 20;

enum { MANY = 8, PARTS_MOST = 1024, ITEMS_MOST = 1024, STREAMS = 3, VALUES = 2 };

/* What a run has stored of one of its parts, in storage order. */
typedef struct {
    uint32_t cell[STREAMS]; /* of the run table, addresses in SRAM; 0: the level is dense */
    const uint8_t *words[STREAMS];
    uint32_t corner[2], size[2];
} part;
typedef VEC(part) parts;

static const char otherwise[] = "a result is loaded otherwise than it was stored";
static const char no_room[] = "a matrix has more entries than the processor has room for";

typedef struct {
    machine *m;
    const compile_left *left;
    const compile_move_in *in;
    const sam_tensor_data *from, *to; /* the result; the operand */
    uint32_t from_edge[2], to_edge[2];
    uint32_t input[STREAMS];
    bool has[STREAMS];
    uint32_t outer;  /* the operand's index that its outer level has */
    uint32_t passes; /* that sorted the list */
    uint32_t rows;   /* stored ones, of all parts */
    bool before;     /* it is listed before what the batch's moves list */
    bool full;       /* there is no room for an entry */
    bool ascend;     /* the coordinates of every fiber do */
    bool turned;     /* its outer level is the result's inner one */
    parts all;
    uint32_t how, fill, mask;
    const sam_operator *op;
    mlist list;
    double cycles;
} making;

/* ---- what is asked --------------------------------------------------------------------------- */

/* Returns whether the operand's entries are those of the result, and nothing else. */
static bool is_plain(const sam_tensor_data *t) {
    bool plain = t->order == 2 && !t->structure && !t->blocked && !t->ones && !t->whole && !t->lacked &&
                 !t->windowed && !t->border.beyond.v;
    for (uint32_t g = 0; g < SAM_MAX_GAPS; g++)
        plain = plain && !t->gaps[g].v;
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

/* Finds the inputs that have the operand's streams, those that the processor makes. */
static bool find_streams(making *g) {
    const tile_plan *plan = &g->in->to->plan;
    const tile_input *first = &plan->inputs.at[g->in->input];
    for (uint32_t i = 0; i < plan->inputs.len; i++) {
        const tile_input *one = &plan->inputs.at[i];
        if (!name_eq(one->stream.tensor, first->stream.tensor) || one->copy != first->copy)
            continue;
        if (one->stream.level != SAM_MODE_VALS && (one->stream.level < 0 || one->stream.level > 1))
            return false;
        const uint32_t k = one->stream.level == SAM_MODE_VALS ? VALUES : (uint32_t)one->stream.level;
        g->input[k] = i;
        g->has[k] = !(g->in->stay >> i & 1);
    }
    return true;
}

/* Returns whether what the stores have left is there until all of it is listed. */
static bool is_there(const making *g) {
    const compile_move_in *in = g->in;
    bool there = !g->left->gone && (g->left->words.len > 0 || g->left->empty);
    for (uint32_t w = 0; w < g->left->words.len && there; w++) {
        const fw_put *put = &g->left->words.at[w];
        there = compile_has_put(&in->was->stored, put);
        for (uint32_t i = 0; i < in->batch->segments.len && there; i++) {
            const fw_segment *s = &in->batch->segments.at[i];
            bool own = i < in->to->columns.n_in && (in->stay >> i & 1);
            for (uint32_t k = 0; k < STREAMS; k++)
                own = own || (g->has[k] && g->input[k] == i);
            there = own || !compile_overlap(s->address, s->bytes, g->m->a->board.map.cgra_data + put->address,
                                            put->bytes);
        }
    }
    return there;
}

/* ---- what each run has stored ---------------------------------------------------------------- */

/* Adds what a copy has stored in a run, whose outputs begin at these words. */
static bool add_part(making *g, uint32_t run, uint32_t copy, const uint32_t *begin, arena *mem) {
    const compile_later *l = &g->left->later;
    const tile_part *of = &l->plan.parts.at[run * l->plan.copies + copy];
    const uint32_t cells = FW_GET(&g->left->step, batch, table) +
                           run * fw_row_bytes(l->columns.n_in, l->columns.n_out) +
                           fw_store_cell(l->columns.n_in, 0);
    part p = {.cell = {0}};
    if (of->idle)
        return true;
    for (uint32_t k = 0; k < STREAMS; k++) {
        const int o = compile_output_of(&l->plan, copy, k == VALUES ? SAM_MODE_VALS : (int)k);
        const bool dense = k != VALUES && g->from->level[k] == SAM_LEVEL_DENSE;
        if (dense != (o < 0))
            return false;
        p.cell[k] = dense ? 0 : cells + fw_store_cell(0, (uint32_t)o);
        p.words[k] = dense ? NULL : l->stored[o].at + 2 * (size_t)begin[o];
    }
    for (uint32_t k = 0; k < 2; k++) {
        p.corner[k] = of->origin[g->from->mode[k]];
        p.size[k] = of->size[g->from->mode[k]];
    }
    vec_push(mem, &g->all, p);
    return g->all.len <= PARTS_MOST;
}

static bool list_parts(making *g, arena *mem) {
    const compile_later *l = &g->left->later;
    uint32_t begin[TILE_MAX_STREAMS] = {0}, end[TILE_MAX_STREAMS] = {0};
    for (uint32_t r = 0; r < l->plan.runs.len; r++) {
        for (uint32_t o = 0; o < l->plan.outputs.len; o++) {
            if (!compile_pass_run(l, o, &end[o]))
                return false;
        }
        for (uint32_t c = 0; c < l->plan.copies; c++) {
            if (!add_part(g, r, c, begin, mem))
                return false;
        }
        memcpy(begin, end, sizeof begin);
    }
    return true;
}

/* Returns whether two parts have coordinates in common. O(parts^2). */
static bool parts_meet(const parts *all) {
    bool meet = false;
    for (uint32_t i = 0; i < all->len && !meet; i++) {
        for (uint32_t k = 0; k < i && !meet; k++) {
            meet = true;
            for (uint32_t l = 0; l < 2; l++)
                meet = meet && compile_overlap(all->at[i].corner[l], all->at[i].size[l], all->at[k].corner[l],
                                               all->at[k].size[l]);
        }
    }
    return meet;
}

/* A level of a part; no coordinates: a dense one. */
typedef struct {
    const uint8_t *segments, *coordinates;
    uint32_t n, edge;
} level;

static level level_of(const part *p, uint32_t k, uint32_t parents, uint32_t edge) {
    const uint8_t *w = p->words[k];
    if (!w)
        return (level){.n = parents * edge, .edge = edge};
    const uint32_t segments = word_at(w, 0);
    return (level){w + 2, w + 2 * (size_t)(segments + 2), parents ? word_at(w, segments + 1) : 0, 0};
}

static uint32_t coordinate_of(const level *l, uint32_t i) {
    return l->coordinates ? word_at(l->coordinates, i) : i % l->edge;
}

static const sam_operator *combined_by; /* of the list that is merged */

static uint32_t combine(uint32_t how, uint32_t earlier, uint32_t later) {
    return how ? combined_by->apply((uint16_t)earlier, (uint16_t)later) : later;
}

/* Sorts and merges; what is `drop` goes. Of a dense workspace the entries are listed. */
static void merge(making *g, uint32_t drop) {
    if (g->list.pitch) {
        g->full = !mlist_walk(&g->list, g->mask, drop);
        return;
    }
    const int passes = mlist_sort(&g->list);
    g->full = g->full || passes < 0;
    g->passes += passes < 0 ? 0 : (uint32_t)passes;
    if (g->how)
        mlist_merge(&g->list, g->how, combine, g->mask, drop);
}

/* Adds an entry of a part. */
static void add_listed(making *g, const part *p, uint32_t row, uint32_t column, uint32_t value) {
    const uint32_t first = p->corner[0] + row, second = p->corner[1] + column,
                   outer = g->turned ? second : first, inner = g->turned ? first : second;
    if (g->list.pitch) {
        mlist_put(&g->list, outer * g->list.pitch + inner, value, g->how, combine);
        return;
    }
    if (g->list.n == g->list.room)
        merge(g, UINT32_MAX);
    if (!mlist_insert(&g->list, outer << 16 | inner, value))
        g->full = true;
}

/* Lists the entries of a part as the processor does; with room for none it counts them. */
static uint32_t list_entries(making *g, const part *p) {
    const level rows = level_of(p, 0, 1, g->from_edge[0]), columns = level_of(p, 1, rows.n, g->from_edge[1]);
    uint32_t n = 0;
    for (uint32_t r = 0, i = 0; r < rows.n; r++) {
        const uint32_t row = coordinate_of(&rows, r), begin = i,
                       end = columns.coordinates ? word_at(columns.segments, r + 1) : (r + 1) * columns.edge;
        for (; i < end; i++) {
            const uint32_t column = coordinate_of(&columns, i), value = word_at(p->words[VALUES], i + 1);
            g->ascend = g->ascend && (i == begin || coordinate_of(&columns, i - 1) < column);
            if (row >= p->size[0] || column >= p->size[1] || (!g->how && (value & g->mask) == g->fill))
                continue;
            n++;
            if (g->list.room)
                add_listed(g, p, row, column, value);
        }
    }
    g->rows += g->list.room ? 0 : rows.n;
    g->cycles += g->list.room ? TAKEN * columns.n + TAKEN_ROW * rows.n : 0;
    return n;
}

/* ---- the list -------------------------------------------------------------------------------- */

/* Makes a list of a tensor's entries, sorted. */
static void list_tensor(const making *g, const tile_tensor *t, arena *mem, mlist *out) {
    const uint32_t n = (uint32_t)t->nnz;
    mlist_begin(out, arena_alloc(mem, mlist_bytes(n, MLIST_SORTS) + 4), n, MLIST_SORTS);
    for (uint64_t e = 0; e < t->nnz; e++)
        mlist_insert(out, t->crd[2 * e + g->outer] << 16 | t->crd[2 * e + 1 - g->outer], t->val[e]);
    mlist_sort(out);
}

/* Returns whether the list has the entries that the host has found, and no other. */
static bool is_found(const making *g, const tile_tensor *t, arena *scratch) {
    mlist want;
    list_tensor(g, t, scratch, &want);
    return want.n == g->list.n && memcmp(want.key, g->list.key, sizeof *want.key * want.n) == 0 &&
           memcmp(want.val, g->list.val, sizeof *want.val * want.n) == 0;
}

/* What `n` entries take in a way, beside being listed, which has left as many as the list has. */
static double cycles_of(const making *g, uint32_t n, uint32_t way) {
    const uint32_t words = (mlist_places(way) + 31) / 32,
                   digits = (g->list.used >> 16) + (g->list.used & 0xffff) + 2;
    if (words)
        return PUT * n + WALKED * g->list.n + WORD * words - ROW_LESS * g->rows;
    return SORTED * n * g->passes + (g->passes ? DIGIT * digits : 0) + (g->how ? MERGED * n : 0);
}

/* Lists the entries of all parts, as the processor does; returns NULL, or why it cannot. */
static const char *list_all(making *g, const tile_tensor *t, uint32_t n, uint32_t room, uint32_t way,
                            arena *mem) {
    arena scratch = {0};
    mlist_begin(&g->list, arena_alloc(mem, mlist_bytes(room, way) + 4), room, way);
    g->passes = 0;
    g->full = false;
    combined_by = g->op;
    for (uint32_t i = 0; i < g->all.len && !g->full; i++)
        list_entries(g, &g->all.at[i]);
    merge(g, g->fill);
    g->cycles += cycles_of(g, n, way);
    const bool found = g->full || (g->ascend && is_found(g, t, &scratch));
    arena_free(&scratch);
    return g->full ? no_room : !found ? "a matrix is otherwise than the processor puts it together" : NULL;
}

/* Returns how many entries a list has room for in the scratch area, and where: as many as there are, or
 * fewer, if it may be merged before all are there. */
static uint32_t find_room(const making *g, const held *h, uint32_t n, uint32_t way, uint32_t *slot) {
    const bool fewer = g->how && !mlist_places(way);
    uint32_t room = 1;
    while (room < n) /* as in other passes, which may have some more */
        room *= 2;
    for (; room; room = room > n ? n : room / 8 * 7) {
        const uint32_t bytes = FW_ENTRIES_HEAD + mlist_bytes(room, way);
        *slot = compile_find_slot(g->m, h, g->in->alive, g->before, bytes);
        if (*slot + bytes <= FW_SCRATCH_ROOM)
            return room;
        if (!fewer && room <= n)
            return 0;
    }
    return 0;
}

/* Notes a list in the scratch area, for the batch that is being made. */
static const compile_image *note_list(making *g, held *h, uint32_t slot, uint32_t room, uint32_t way) {
    const compile_image image = {
        .home = true,
        .put = {FW_SCRATCH | slot, FW_ENTRIES_HEAD + mlist_bytes(room, way), ++g->m->processor.listed},
        .list = {.is = true, .fresh = true, .way = way, .room = room, .outer = g->outer, .next = g->outer}};
    compile_note_image(g->m, &image);
    vec_push(&h->left->mem, &h->left->images, image);
    return &h->left->images.at[h->left->images.len - 1];
}

/* Chooses the way in which `n` entries, which are listed, are put into order: where a dense workspace fits
 * and takes less than sorting and merging, by one. Returns how many entries there is room for, and where. */
static uint32_t choose_way(const making *g, const held *h, uint32_t n, uint32_t *way, uint32_t *slot) {
    const uint32_t dense = h->t.dim[g->outer] << 16 | h->t.dim[1 - g->outer], listed = g->list.n;
    const bool less = (g->passes || g->how) && cycles_of(g, n, dense) < cycles_of(g, n, *way);
    uint32_t room = less ? 0 : find_room(g, h, n, *way, slot);
    if (room < n && dense > MLIST_SORTS && mlist_is_way(dense, FW_SCRATCH_ROOM)) {
        const uint32_t of_dense = find_room(g, h, listed, dense, slot);
        if (of_dense) {
            *way = dense;
            return of_dense;
        }
    }
    return less || !room ? find_room(g, h, n, *way, slot) : room;
}

/* Makes the list of all entries, and the items that make it there, in the scratch area. Returns NULL, or why
 * the processor cannot. */
static const char *make_list(making *g, held *h, bool sorts, arena *mem, compile_move *out) {
    uint32_t n = 0, slot = 0;
    g->rows = 0;
    for (uint32_t i = 0; i < g->all.len; i++)
        n += list_entries(g, &g->all.at[i]);
    const double before = g->cycles;
    const char *why = list_all(g, &h->t, n, n + 1, MLIST_SORTS, mem);
    uint32_t way = sorts || g->passes ? MLIST_SORTS : MLIST_IN_ORDER;
    const uint32_t room = why ? 0 : choose_way(g, h, n, &way, &slot);
    if (!why && !room)
        return no_room;
    if (!why && (room < n || mlist_places(way))) { /* it is merged before all is there, or not sorted */
        g->cycles = before;
        why = list_all(g, &h->t, n, room, way, mem);
    }
    if (why)
        return why;
    const compile_image *image = note_list(g, h, slot, room, way);
    out->slot = image->put;
    vec_push(mem, &out->items,
             FW_MAKE(begin, .place = image->put.address, .room = room, .way = way, .fill = g->fill,
                     .how = g->how, .mask = g->mask));
    for (uint32_t i = 0; i < g->all.len; i++) {
        const part *p = &g->all.at[i];
        vec_push(mem, &out->items,
                 FW_MAKE(take, .turned = g->turned, .outer = p->cell[0], .inner = p->cell[1],
                         .values = p->cell[VALUES], .corner = p->corner[0] << 16 | p->corner[1],
                         .size = p->size[0] << 16 | p->size[1],
                         .edges = g->from_edge[0] << 16 | g->from_edge[1]));
    }
    return NULL;
}

/* Returns the list that the scratch area has of a matrix, in the order that is wanted, if there is one. */
static compile_image *find_list(const making *g, held *h) {
    compile_image *found = NULL;
    for (uint32_t i = 0; i < h->left->images.len; i++) {
        compile_image *image = &h->left->images.at[i];
        if (image->list.is && compile_has_put(&g->m->session.memory.stored, &image->put) &&
            (!found || image->list.next == g->outer))
            found = image;
    }
    return found;
}

/* Goes back to a list that is there, and makes it as it is. Returns NULL, or why the processor cannot. */
static const char *use_list(making *g, const held *h, compile_image *image, arena *mem, compile_move *out) {
    const bool turns = image->list.next != g->outer;
    if (turns && image->list.way == MLIST_IN_ORDER)
        return no_room;
    list_tensor(g, &h->t, mem, &g->list);
    if (turns) {
        g->how = FW_OP_SET;
        mlist_turn(&g->list);
        mlist_turn(&g->list);
        g->passes = (uint32_t)mlist_sort(&g->list);
        g->cycles += TURNED * g->list.n + cycles_of(g, g->list.n, image->list.way);
    }
    image->list.next = g->outer;
    image->list.fresh = true;
    out->slot = image->put;
    vec_push(mem, &out->items,
             FW_MAKE(again, .turned = turns, .place = image->put.address, .room = image->list.room,
                     .way = image->list.way));
    return NULL;
}

/* ---- the streams of a sub-tile --------------------------------------------------------------- */

/* What is in a sub-tile, by level of the operand. */
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

/* Adds a row of these entries of the list: those that are in the box. */
static void add_row(const making *g, const box *b, uint32_t low, uint32_t high, bool needed, streams *s) {
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

static bool has_entry(const making *g, const box *b, uint32_t low, uint32_t high) {
    bool has = false;
    for (uint32_t e = low; e < high; e++)
        has = has || (g->list.key[e] & 0xffff) - b->low[1] < b->size[1];
    return has;
}

/* Makes all rows of a box. */
static void make_rows(const making *g, const box *b, streams *s) {
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

/* Returns whether the streams of a box are what run `r` loads. */
static bool is_made(making *g, const box *b, uint32_t r) {
    arena scratch = {0};
    streams s = {.mem = &scratch};
    u16_vec stream[STREAMS] = {{0}}, outer = {0};
    vec_push(&scratch, &s.segments, 0);
    make_rows(g, b, &s);
    vec_push(&scratch, &outer, 0);
    vec_push(&scratch, &outer, (uint16_t)s.rows.len);
    add_block(&stream[0], &outer, &scratch);
    add_block(&stream[0], &s.rows, &scratch);
    add_block(&stream[1], &s.segments, &scratch);
    add_block(&stream[1], &s.columns, &scratch);
    add_block(&stream[VALUES], &s.values, &scratch);
    bool made = true;
    for (uint32_t k = 0; k < STREAMS && made; k++)
        made = !g->has[k] || compile_is_loaded(g->m, g->in, g->input[k], r, stream[k].at, stream[k].len);
    const uint32_t all = mlist_find(&g->list, b->low[0] + b->size[0]) - mlist_find(&g->list, b->low[0]);
    g->cycles +=
        MADE * s.values.len + MADE_ROW * s.rows.len +
        (all < MANY * b->size[0] ? BESIDE : PASSED) * (all > s.columns.len ? all - s.columns.len : 0);
    arena_free(&scratch);
    return made;
}

/* Returns where run `r` loads a stream from: the first byte in the global buffer. */
static uint32_t place_of(const making *g, uint32_t input, uint32_t r) {
    const compile_move_in *in = g->in;
    const fw_segment *table = &in->batch->segments.at[in->batch->segments.len - 1];
    return file_u32_at(table->content + (in->batch->table - table->address) +
                       r * fw_row_bytes(in->to->columns.n_in, in->to->columns.n_out) + fw_load_cell(input));
}

static box box_of(const making *g, const tile_block *block) {
    box b;
    for (uint32_t l = 0; l < 2; l++) {
        b.low[l] = block->origin[g->to->mode[l]];
        b.size[l] = block->size[g->to->mode[l]];
    }
    return b;
}

/* Adds the items that make the streams of every sub-tile that is loaded. */
static bool make_blocks(making *g, arena *mem, compile_move *moves) {
    const tile_plan *plan = &g->in->to->plan;
    const uint32_t row_bytes = fw_row_bytes(g->in->to->columns.n_in, g->in->to->columns.n_out);
    fw_items *items = &moves[g->in->input].items;
    fw_shape_fields shape = {.rows = plan->runs.len,
                             .row_bytes = row_bytes,
                             .outer = g->has[0] ? g->input[0] : FW_ENTRIES_NONE,
                             .inner = g->has[1] ? g->input[1] : FW_ENTRIES_NONE,
                             .values = g->has[VALUES] ? g->input[VALUES] : FW_ENTRIES_NONE,
                             .edges = g->to_edge[0] << 16 | g->to_edge[1]};
    arena scratch = {0};
    bool *seen = arena_new_n(&scratch, bool, plan->inputs.at[g->in->input].blocks.len + 1), ok = true;
    for (uint32_t l = 0; l < 2; l++) {
        shape.dense |= g->to->level[l] == SAM_LEVEL_DENSE ? 1u << l : 0;
        shape.padded |= g->to->padded >> l & 1 ? 1u << l : 0;
    }
    vec_push(mem, items, fw_encode_shape(&shape));
    for (uint32_t r = 0; r < plan->runs.len && ok; r++) {
        const uint32_t b = plan->run_block.at[plan->runs.at[r].block_first + g->in->input];
        for (uint32_t k = 0; k < STREAMS; k++) {
            if (g->has[k])
                vec_push(mem, &moves[g->input[k]].places, place_of(g, g->input[k], r));
        }
        if (seen[b])
            continue;
        seen[b] = true;
        const box at = box_of(g, &plan->inputs.at[g->in->input].blocks.at[b]);
        uint32_t place[STREAMS];
        for (uint32_t k = 0; k < STREAMS; k++)
            place[k] = g->has[k] ? place_of(g, g->input[k], r) : 0;
        vec_push(mem, items,
                 FW_MAKE(levels, .outer_low = at.low[0], .outer_size = at.size[0], .inner_low = at.low[1],
                         .inner_size = at.size[1], .outer = place[0], .inner = place[1],
                         .values = place[VALUES]));
        ok = items->len < ITEMS_MOST && is_made(g, &at, r);
    }
    arena_free(&scratch);
    return ok;
}

/* Finds what the matrix and its result are; false: the processor does not list it. */
static bool begin_making(machine *m, const held *h, const compile_move_in *in, making *g) {
    const compile_later *l = &h->left->later;
    const sam_statement *s = &h->left->kernel.lowered.statement;
    const bool bf16 = h->left->kernel.data.packed.dtype == TILE_DTYPE_BF16;
    *g = (making){.m = m, .left = h->left, .in = in, .from = sam_tensor_at(s, s->result), .ascend = true};
    g->to = in->data ? in->data : g->from;
    bool may = h->left->kernel.chip.lists & FW_ENTRY_LISTS && h->left->stage && !l->operands &&
               is_plain(g->from) && is_plain(g->to) && g->from->fill == g->to->fill;
    for (uint32_t d = 0; d < 2 && may; d++) {
        may = h->t.dim[d] <= UINT16_MAX;
        if (!h->left->empty)
            g->from_edge[d] = l->plan.edge[s->result_index[g->from->mode[d]].v - 1];
    }
    g->fill = g->to->fill;
    g->mask = bf16 && !g->fill ? 0x7fff : 0xffff; /* which has two zeros */
    g->outer = g->to->mode[0];
    g->turned = g->from->mode[0] != g->outer;
    return may;
}

/* Lists what the parts have stored; returns NULL, or why the processor cannot. */
static const char *list_stored(making *g, held *h, bool sorts, arena *mem, compile_move *out) {
    arena scratch = {0};
    const char *why = otherwise;
    g->all = (parts){0};
    if (list_parts(g, &scratch)) {
        const bool meet = parts_meet(&g->all);
        g->how = FW_OP_SET;
        if (meet)
            compile_meeting(&h->left->kernel.lowered.statement, h->left->kernel.data.packed.dtype, &g->how,
                            &g->op);
        if (!meet || g->how)
            why = make_list(g, h, sorts, mem, out);
    }
    arena_free(&scratch);
    return why;
}

const compile_image *compile_list_matrix(machine *m, held *h, const compile_move_in *in, arena *mem,
                                         compile_move *move) {
    making g;
    if (!begin_making(m, h, in, &g))
        return NULL;
    g.before = true;
    if (list_stored(&g, h, true, mem, move) && (g.cycles = 0, list_stored(&g, h, false, mem, move)))
        return NULL;
    vec_push(mem, &move->items,
             FW_MAKE(shape, .table = m->a->board.map.sram + FW_TABLE_OFFSET, .outer = FW_ENTRIES_NONE,
                     .inner = FW_ENTRIES_NONE, .values = FW_ENTRIES_NONE));
    return &h->left->images.at[h->left->images.len - 1];
}

/* Says of the streams that they are moved so. */
static void say_moved(const making *g, compile_left *left, compile_move *out) {
    for (uint32_t k = 0; k < STREAMS; k++) {
        if (!g->has[k])
            continue;
        const fw_segment *s = &g->in->batch->segments.at[g->input[k]];
        out[g->input[k]] = (compile_move){.packed = true, .spread = true, .of = left};
        out[g->input[k]].image.put = (fw_put){s->address - g->m->a->board.map.cgra_data, s->bytes, 0};
    }
}

const char *compile_find_entries(machine *m, held *h, const compile_move_in *in, arena *mem,
                                 compile_move *out) {
    making g;
    if (!begin_making(m, h, in, &g) || in->to->plan.runs.len > UINT16_MAX ||
        !find_edges(in->statement, g.to, &in->to->plan, g.to_edge) || !find_streams(&g))
        return otherwise;
    say_moved(&g, h->left, out);
    compile_move *own = &out[in->input];
    compile_image *list = find_list(&g, h);
    const bool there = is_there(&g);
    own->made = !list || (list->list.next != g.outer && there);
    const char *why = !own->made ? use_list(&g, h, list, mem, own)
                      : there    ? list_stored(&g, h, false, mem, own)
                                 : otherwise;
    if (!why && !make_blocks(&g, mem, out))
        why = otherwise;
    own->cycles = g.cycles + ITEM * own->items.len;
    return why;
}

void compile_keep_lists(machine *m, const bool *alive) {
    for (uint32_t t = 0; t < m->a->places; t++) {
        compile_left *left = m->of[t].left;
        for (uint32_t i = 0; left && i < left->images.len; i++) {
            compile_image *image = &left->images.at[i];
            if (image->list.is && alive && !alive[t] &&
                compile_has_put(&m->session.memory.stored, &image->put))
                fw_forget(&m->session.memory, image->put.address, image->put.bytes);
            image->list.fresh = false;
            if (alive)
                image->list.outer = image->list.next;
            image->list.next = image->list.outer;
        }
    }
}

/* The list's head has how many entries there are, behind the room, and where: an address. */
tile_tensor compile_list_values(const machine *m, const compile_image *image, const uint8_t *content,
                                const tile_tensor *shape, arena *mem) {
    enum { N_AT = 4, KEYS_AT = 8, VALUES_AT = 12 };
    const uint32_t base = fw_place(&m->a->board, image->put.address);
    const uint8_t *head = content + (-base & (FW_ENTRIES_ALIGNED - 1u));
    const uint32_t n = file_u32_at(head + N_AT), keys = file_u32_at(head + KEYS_AT) - base,
                   values = file_u32_at(head + VALUES_AT) - base;
    const bool good = n <= image->list.room && keys <= image->put.bytes && values <= image->put.bytes &&
                      keys + 4 * n <= image->put.bytes && values + 2 * n <= image->put.bytes;
    tile_tensor t = *shape;
    mlist all;
    mlist_begin(&all, arena_alloc(mem, mlist_bytes(good ? n : 0, MLIST_SORTS) + 4), good ? n : 0,
                MLIST_SORTS);
    for (uint32_t e = 0; e < n && good; e++)
        mlist_insert(&all, file_u32_at(content + keys + 4 * e), word_at(content + values, e));
    if (image->list.outer)
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
