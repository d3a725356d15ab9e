/* The list of entries of a compressed matrix in the scratch area, made of what each run has stored. */
#include "programs/entry_list.h"
#include "programs/gather.h"
#include "support/mlist.h"

enum { PIECES_MOST = 1024 };

const char compile_no_room[] = "a matrix has more entries than the processor has room for";

/* Array cycles of the processor: for each stored value, and each row of values; in a sort pass, for an entry
 * and for a digit; for a merged entry; for an entry put into a dense workspace instead, a listed entry of the
 * workspace, 32 of its places, and the saving per row; and for an entry with turned levels. Measured as in
 * entries.c. */
static const double TAKEN = 38, TAKEN_ROW = 190, SORTED = 50, DIGIT = 18, MERGED = 40, PUT = 12, SCANNED = 40,
                    WORD = 24, ROW_LESS = 80, TURNED = 20;

/* Adds the store of a copy in a run, with outputs from these words on. */
static bool add_piece(compile_making *g, uint32_t run, uint32_t copy, const uint32_t *begin, arena *mem) {
    const compile_deferred *l = &g->resident->deferred;
    const tile_box *of = &l->plan.boxes.at[run * l->plan.copies + copy];
    const uint32_t cells = FW_GET(&g->resident->step, batch, table) +
                           run * fw_row_bytes(l->columns.n_in, l->columns.n_out) +
                           fw_store_cell(l->columns.n_in, 0);
    compile_stored_piece p = {.cell = {0}};
    if (of->idle)
        return true;
    for (uint32_t k = 0; k < COMPILE_LEVELS; k++) {
        const int o = compile_output_of(&l->plan, copy, k == COMPILE_VALUES ? SAM_MODE_VALS : (int)k);
        const bool dense = k != COMPILE_VALUES && g->from->level[k] == SAM_LEVEL_DENSE;
        if (dense != (o < 0))
            return false;
        p.cell[k] = dense ? 0 : cells + compile_cell_of(l, (uint32_t)o);
        p.words[k] = dense ? NULL : l->stored[o].at + 2 * (size_t)begin[o];
    }
    for (uint32_t k = 0; k < 2; k++) {
        p.corner[k] = of->origin[g->from->mode[k]];
        p.size[k] = of->size[g->from->mode[k]];
    }
    vec_push(mem, &g->all, p);
    return g->all.len <= PIECES_MOST;
}

bool compile_list_pieces(compile_making *g, arena *mem) {
    const compile_deferred *l = &g->resident->deferred;
    uint32_t begin[TILE_MAX_STREAMS] = {0}, end[TILE_MAX_STREAMS] = {0};
    for (uint32_t r = 0; r < l->plan.runs.len; r++) {
        for (uint32_t o = 0; o < l->plan.outputs.len; o++) {
            if (!compile_pass_run(l, o, &end[o]))
                return false;
        }
        for (uint32_t c = 0; c < l->plan.copies; c++) {
            if (!add_piece(g, r, c, begin, mem))
                return false;
        }
        memcpy(begin, end, sizeof begin);
    }
    return true;
}

bool compile_pieces_meet(const compile_stored_pieces *all) {
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

/* A level of a compile_stored_piece; no coordinates: a dense level. */
typedef struct {
    const uint8_t *segments, *coordinates;
    uint32_t n, edge;
} level;

static level level_of(const compile_stored_piece *p, uint32_t k, uint32_t parents, uint32_t edge) {
    const uint8_t *w = p->words[k];
    if (!w)
        return (level){.n = parents * edge, .edge = edge};
    const uint32_t segments = word_at(w, 0);
    return (level){w + 2, w + 2 * (size_t)(segments + 2), parents ? word_at(w, segments + 1) : 0, 0};
}

static uint32_t coordinate_of(const level *l, uint32_t i) {
    return l->coordinates ? word_at(l->coordinates, i) : i % l->edge;
}

static const sam_operator *combined_by; /* of the merged list */

static uint32_t combine(uint32_t how, uint32_t earlier, uint32_t later) {
    return how ? combined_by->apply((uint16_t)earlier, (uint16_t)later) : later;
}

/* Sorts and merges, and drops entries equal to `drop`; for a dense workspace lists its entries. */
static void merge(compile_making *g, uint32_t drop) {
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

/* Adds an entry of a piece. */
static void add_listed(compile_making *g, const compile_stored_piece *p, uint32_t row, uint32_t column,
                       uint32_t value) {
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

/* Lists the entries of a piece like the processor; counts them if the list has no room. */
static uint32_t list_entries(compile_making *g, const compile_stored_piece *p) {
    const level rows = level_of(p, 0, 1, g->from_edge[0]), columns = level_of(p, 1, rows.n, g->from_edge[1]);
    uint32_t n = 0;
    for (uint32_t r = 0, i = 0; r < rows.n; r++) {
        const uint32_t row = coordinate_of(&rows, r), begin = i,
                       end = columns.coordinates ? word_at(columns.segments, r + 1) : (r + 1) * columns.edge;
        for (; i < end; i++) {
            const uint32_t column = coordinate_of(&columns, i),
                           value = word_at(p->words[COMPILE_VALUES], i + 1);
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

/* Makes a list of a tensor's entries, sorted. */
static void list_tensor(const compile_making *g, const tile_tensor *t, arena *mem, mlist *out) {
    const uint32_t n = (uint32_t)t->nnz;
    mlist_begin(out, arena_alloc(mem, mlist_bytes(n, MLIST_SORTS) + 4), n, MLIST_SORTS);
    for (uint64_t e = 0; e < t->nnz; e++)
        mlist_insert(out, t->crd[2 * e + g->outer] << 16 | t->crd[2 * e + 1 - g->outer], t->val[e]);
    mlist_sort(out);
}

/* Returns whether the list has exactly the entries found by the host. */
static bool is_found(const compile_making *g, const tile_tensor *t, arena *scratch) {
    mlist want;
    list_tensor(g, t, scratch, &want);
    return want.n == g->list.n && memcmp(want.key, g->list.key, sizeof *want.key * want.n) == 0 &&
           memcmp(want.val, g->list.val, sizeof *want.val * want.n) == 0;
}

/* Returns the cycles of `n` entries in a way, besides listing; the list has the remaining entries. */
static double cycles_of(const compile_making *g, uint32_t n, uint32_t ordering) {
    const uint32_t words = (mlist_places(ordering) + 31) / 32,
                   digits = (g->list.used >> 16) + (g->list.used & 0xffff) + 2;
    if (words)
        return PUT * n + SCANNED * g->list.n + WORD * words - ROW_LESS * g->rows;
    return SORTED * n * g->passes + (g->passes ? DIGIT * digits : 0) + (g->how ? MERGED * n : 0);
}

/* Lists the entries of all pieces, like the processor; returns NULL, or the reason for failure. */
static const char *list_all(compile_making *g, const tile_tensor *t, uint32_t n, uint32_t room,
                            uint32_t ordering, arena *mem) {
    arena scratch = {0};
    mlist_begin(&g->list, arena_alloc(mem, mlist_bytes(room, ordering) + 4), room, ordering);
    g->passes = 0;
    g->full = false;
    combined_by = g->op;
    for (uint32_t i = 0; i < g->all.len && !g->full; i++)
        list_entries(g, &g->all.at[i]);
    merge(g, g->fill);
    g->cycles += cycles_of(g, n, ordering);
    const bool found = g->full || (g->ascend && is_found(g, t, &scratch));
    arena_free(&scratch);
    return g->full  ? compile_no_room
           : !found ? "a matrix is otherwise than the processor puts it together"
                    : NULL;
}

/* Returns the room of a list in the scratch area, in entries, and its place: all entries, or fewer if the
 * list may be merged early. */
static uint32_t find_room(const compile_making *g, const tensor_slot *h, uint32_t n, uint32_t ordering,
                          uint32_t *slot) {
    const bool fewer = g->how && !mlist_places(ordering);
    uint32_t room = 1;
    while (room < n) /* as in other passes, which may have a few more */
        room *= 2;
    for (; room; room = room > n ? n : room / 8 * 7) {
        const uint32_t bytes = FW_ENTRIES_HEAD + mlist_bytes(room, ordering);
        *slot = compile_find_slot(g->m, h, g->in->alive, g->before, bytes);
        if (*slot + bytes <= FW_SCRATCH_ROOM)
            return room;
        if (!fewer && room <= n)
            return 0;
    }
    return 0;
}

/* Notes a list in the scratch area, for the current batch. */
static const compile_device_copy *note_list(compile_making *g, tensor_slot *h, uint32_t slot, uint32_t room,
                                            uint32_t ordering) {
    const compile_device_copy device_copy = {
        .home = true,
        .put = {FW_SCRATCH | slot, FW_ENTRIES_HEAD + mlist_bytes(room, ordering), ++g->m->processor.listed},
        .list = {.is = true,
                 .fresh = true,
                 .ordering = ordering,
                 .room = room,
                 .outer = g->outer,
                 .next = g->outer}};
    compile_note_device_copy(g->m, &device_copy);
    vec_push(&h->resident->mem, &h->resident->device_copies, device_copy);
    return &h->resident->device_copies.at[h->resident->device_copies.len - 1];
}

/* Chooses how to order `n` listed entries: by a dense workspace if the workspace fits and is faster than
 * sorting and merging. Returns the room in entries, and its place. */
static uint32_t choose_ordering(const compile_making *g, const tensor_slot *h, uint32_t n, uint32_t *ordering,
                                uint32_t *slot) {
    const uint32_t dense = h->t.dim[g->outer] << 16 | h->t.dim[1 - g->outer], listed = g->list.n;
    const bool less = (g->passes || g->how) && cycles_of(g, n, dense) < cycles_of(g, n, *ordering);
    uint32_t room = less ? 0 : find_room(g, h, n, *ordering, slot);
    if (room < n && dense > MLIST_SORTS && mlist_is_ordering(dense, FW_SCRATCH_ROOM)) {
        const uint32_t of_dense = find_room(g, h, listed, dense, slot);
        if (of_dense) {
            *ordering = dense;
            return of_dense;
        }
    }
    return less || !room ? find_room(g, h, n, *ordering, slot) : room;
}

const char *compile_make_list(compile_making *g, tensor_slot *h, bool sorts, arena *mem, compile_move *out) {
    uint32_t n = 0, slot = 0;
    g->rows = 0;
    for (uint32_t i = 0; i < g->all.len; i++)
        n += list_entries(g, &g->all.at[i]);
    const double before = g->cycles;
    const char *why = list_all(g, &h->t, n, n + 1, MLIST_SORTS, mem);
    uint32_t ordering = sorts || g->passes ? MLIST_SORTS : MLIST_IN_ORDER;
    const uint32_t room = why ? 0 : choose_ordering(g, h, n, &ordering, &slot);
    if (!why && !room)
        return compile_no_room;
    if (!why && (room < n || mlist_places(ordering))) { /* merged before complete, or not sorted */
        g->cycles = before;
        why = list_all(g, &h->t, n, room, ordering, mem);
    }
    if (why)
        return why;
    const compile_device_copy *device_copy = note_list(g, h, slot, room, ordering);
    out->slot = device_copy->put;
    vec_push(mem, &out->commands,
             FW_MAKE(begin, .place = device_copy->put.address, .room = room, .ordering = ordering,
                     .fill = g->fill, .how = g->how, .mask = g->mask));
    for (uint32_t i = 0; i < g->all.len; i++) {
        const compile_stored_piece *p = &g->all.at[i];
        vec_push(mem, &out->commands,
                 FW_MAKE(take, .turned = g->turned, .outer = p->cell[0], .inner = p->cell[1],
                         .values = p->cell[COMPILE_VALUES], .corner = p->corner[0] << 16 | p->corner[1],
                         .size = p->size[0] << 16 | p->size[1],
                         .edges = g->from_edge[0] << 16 | g->from_edge[1]));
    }
    return NULL;
}

compile_device_copy *compile_find_list(const compile_making *g, tensor_slot *h) {
    compile_device_copy *found = NULL;
    for (uint32_t i = 0; i < h->resident->device_copies.len; i++) {
        compile_device_copy *device_copy = &h->resident->device_copies.at[i];
        if (device_copy->list.is && compile_has_put(&g->m->session.memory.stored, &device_copy->put) &&
            (!found || device_copy->list.next == g->outer))
            found = device_copy;
    }
    return found;
}

const char *compile_use_list(compile_making *g, const tensor_slot *h, compile_device_copy *device_copy,
                             arena *mem, compile_move *out) {
    const bool turns = device_copy->list.next != g->outer;
    if (turns && device_copy->list.ordering == MLIST_IN_ORDER)
        return compile_no_room;
    list_tensor(g, &h->t, mem, &g->list);
    if (turns) {
        g->how = FW_OP_SET;
        mlist_turn(&g->list);
        mlist_turn(&g->list);
        g->passes = (uint32_t)mlist_sort(&g->list);
        g->cycles += TURNED * g->list.n + cycles_of(g, g->list.n, device_copy->list.ordering);
    }
    device_copy->list.next = g->outer;
    device_copy->list.fresh = true;
    out->slot = device_copy->put;
    vec_push(mem, &out->commands,
             FW_MAKE(again, .turned = turns, .place = device_copy->put.address,
                     .room = device_copy->list.room, .ordering = device_copy->list.ordering));
    return NULL;
}
