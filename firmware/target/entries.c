/* Lists of entries, for programs that make compressed matrices from runs' stored results: in other sub-tiles,
 * in another order of levels, from several pieces, without fill entries. */
#include "firmware/target/commands.h"
#include "firmware/target/functions.h"
#include "firmware/target/hal.h"
#include "firmware/target/mailbox.h"
#include "support/mlist.h"

enum { UPPER = 16, LOWER = 0xffff, NO_WORD = 0x10000 };

/* Lies in the scratch area, before the memory of the list. */
typedef struct {
    mlist of;
    uint32_t fill, mask, how;
} entries;
_Static_assert(sizeof(entries) + FW_ENTRIES_ALIGNED - 4 <= FW_ENTRIES_HEAD, "the head of a list of entries");
static entries *list;  /* the list of the current commands */
static uint32_t shape; /* the command with the shape of its streams; 0: none yet */

static uint32_t upper(uint32_t pair) {
    return pair >> UPPER;
}
static uint32_t lower(uint32_t pair) {
    return pair & LOWER;
}

SMALL_FROM_HERE

/* Selects the list of a command, which begins or has begun. */
static void go_to(uint32_t command, uint32_t what) {
    const uint32_t place = command_field(command, begin, place), room = command_field(command, begin, room),
                   ordering = command_field(command, begin, ordering);
    if (!(place & FW_SCRATCH) || place % 4 || room > FW_SCRATCH_END - FW_SCRATCH_OFFSET ||
        !mlist_is_ordering(ordering, FW_SCRATCH_END - FW_SCRATCH_OFFSET))
        fail(FW_ERROR_BAD_BATCH, command, room);
    const uint32_t at = lists_address(command, place, FW_ENTRIES_HEAD + mlist_bytes(room, ordering));
    list = bus_memory((at + FW_ENTRIES_ALIGNED - 1) & ~(FW_ENTRIES_ALIGNED - 1u));
    shape = 0;
    if ((what & FW_ENTRIES_KIND) == FW_ENTRIES_BEGIN) {
        mlist_begin(&list->of, bus_memory(at + FW_ENTRIES_HEAD), room, ordering);
        list->fill = command_field(command, begin, fill);
        list->how = command_field(command, begin, how);
        list->mask = command_field(command, begin, mask);
    } else if (list->of.room != room || list->of.n > room || list->of.ordering != ordering ||
               (list->of.pitch && list->of.other)) {
        fail(FW_ERROR_BAD_BATCH, command, list->of.n);
    }
    if (what & FW_ENTRIES_TURNED)
        mlist_turn(&list->of);
}

/* Returns the combination of two values; NULL: an addition. */
static mlist_combine *combine_of(const kernel_description *k) {
    return list->how == FW_OP_ADD && k->combine == lists_combine ? NULL : k->combine;
}

/* Sorts, and merges values of equal coordinates; fill values are removed only if `drops`. */
static __attribute__((noinline)) void merge(const kernel_description *k, uint32_t command, bool drops) {
    const bool pending = list->of.pitch && list->of.other;
    if (pending ? !mlist_walk(&list->of, list->mask, list->fill) : mlist_sort(&list->of) < 0)
        fail(FW_ERROR_BAD_BATCH, command, list->of.n);
    if (list->how != FW_OP_SET && !list->of.pitch)
        mlist_merge(&list->of, list->how, combine_of(k), list->mask, drops ? list->fill : NO_WORD);
}

/* A level of a run's stored result; no addresses: a dense level. */
typedef struct {
    uint32_t segments, coordinates, n;
} level;

static __attribute__((noinline)) level level_of(uint32_t command, uint32_t cell, uint32_t parents,
                                                uint32_t edge) {
    if (!cell)
        return (level){0, 0, parents * edge};
    const uint64_t stored = lists_words(command, cell);
    const uint32_t at = (uint32_t)stored, words = (uint32_t)(stored >> 32),
                   segments = lists_begin(command, at, words),
                   n = lists_begin(command, at + 2 * segments + 2, words - segments - 1);
    if (parents && segments != parents + 1)
        fail(FW_ERROR_BAD_BATCH, command, segments);
    return (level){at + 2, at + 2 * segments + 4, parents ? n : 0};
}

SMALL_TO_HERE

/* A row of a piece. */
typedef struct {
    uint32_t coordinates, values, n; /* addresses; no coordinates: 0, 1, ... */
    uint32_t size;
    uint32_t key;        /* of coordinate 0; of a dense workspace its place */
    uint32_t step;       /* distance between coordinates */
    uint32_t scale;      /* distance between outer coordinates */
    uint32_t mask, drop; /* dropped value, in these bits */
} row;

/* Adds entries of a row from value `from` on, while room remains; returns the number reached. */
static __attribute__((noinline)) uint32_t take_row(const row *r, uint32_t from) {
    const uint32_t size = r->size, step = r->step, first = r->key, mask = r->mask, drop = r->drop;
    uint32_t *const begin = list->of.key + list->of.n,
                    *key = begin, *const end = list->of.key + list->of.room;
    uint16_t *val = list->of.val + list->of.n;
    uint32_t crd = r->coordinates ? r->coordinates + 2 * from : 0, at = r->values + 2 * from, c = from;
    for (const uint32_t last = r->values + 2 * r->n; at < last; at += 2, c++) {
        if (crd) {
            c = bus_read16(crd);
            crd += 2;
        }
        const uint32_t value = bus_read16(at);
        if (c >= size || (value & mask) == drop)
            continue;
        if (key == end)
            break;
        *key++ = first + c * step;
        *val++ = (uint16_t)value;
    }
    if (key > begin) /* coordinates of a fiber must ascend */
        mlist_note(&list->of, *begin, key[-1]);
    list->of.n = (uint32_t)(key - list->of.key);
    return (at - r->values) / 2;
}

/* Puts the entries of a row into the dense workspace; fill values are removed at listing. */
static __attribute__((noinline)) void put_values(const row *r, mlist_combine *combine) {
    const uint32_t size = r->size, step = r->step, first = r->key, how = list->how;
    const mlist of = list->of;
    uint32_t crd = r->coordinates, at = r->values, c = 0;
    for (const uint32_t last = at + 2 * r->n; at < last; at += 2, c++) {
        if (crd) {
            c = bus_read16(crd);
            crd += 2;
        }
        if (c < size)
            mlist_put(&of, first + c * step, bus_read16(at), how, combine);
    }
}

SMALL_FROM_HERE

/* Returns whether a piece lies inside the dense workspace, before any listing. */
static bool fits(uint32_t corner, uint32_t size, uint32_t turned) {
    const uint32_t ordering = list->of.ordering, inner = list->of.pitch,
                   outer = upper(ordering) + lower(ordering) - inner, rows = upper(corner) + upper(size),
                   columns = lower(corner) + lower(size);
    return list->of.other && rows <= (turned ? inner : outer) && columns <= (turned ? outer : inner);
}

/* Adds the entries of a run's piece. */
static __attribute__((noinline)) void take(const kernel_description *k, uint32_t command, uint32_t turned) {
    const uint32_t corner = command_field(command, take, corner), size = command_field(command, take, size),
                   edges = command_field(command, take, edges);
    static level rows, columns; /* not on the stack, to keep the stack small */
    rows = level_of(command, command_field(command, take, outer), 1, upper(edges));
    columns = level_of(command, command_field(command, take, inner), rows.n, lower(edges));
    const uint64_t values = lists_words(command, command_field(command, take, values));
    const uint32_t n = lists_begin(command, (uint32_t)values, (uint32_t)(values >> 32));
    static row r;
    r.size = lower(size);
    r.scale = list->of.pitch ? list->of.pitch : 1u << UPPER;
    r.step = turned ? r.scale : 1;
    r.mask = list->mask;
    r.drop = list->how == FW_OP_SET ? list->fill : NO_WORD;
    uint32_t from = 0;
    if (columns.n > n || shape || (list->of.pitch && !fits(corner, size, turned)))
        fail(FW_ERROR_BAD_BATCH, command, n);
    for (uint32_t i = 0; i < rows.n; i++) {
        const uint32_t c = rows.coordinates ? bus_read16(rows.coordinates + 2 * i) : i,
                       to = columns.coordinates ? bus_read16(columns.segments + 2 * i + 2)
                                                : from + lower(edges);
        if (to < from || to > columns.n)
            fail(FW_ERROR_BAD_BATCH, command, to);
        r.n = c < upper(size) ? to - from : 0;
        r.values = (uint32_t)values + 2 * from + 2;
        r.coordinates = columns.coordinates ? columns.coordinates + 2 * from : 0;
        r.key = turned ? lower(corner) * r.scale + upper(corner) + c
                       : (upper(corner) + c) * r.scale + lower(corner);
        if (list->of.pitch)
            put_values(&r, combine_of(k));
        for (uint32_t taken = list->of.pitch ? r.n : 0; taken < r.n && (taken = take_row(&r, taken)) < r.n;) {
            merge(k, command, false);
            if (list->of.n == list->of.room)
                fail(FW_ERROR_BAD_BATCH, command, list->of.room);
        }
        from = to;
    }
}

SMALL_TO_HERE

/* The streams of a sub-tile under construction: nothing is written for an address of 0. */
enum { STRIDE = 8 };
typedef struct {
    uint32_t e, end;          /* its next entry; end of its rows */
    uint32_t row, low, width; /* the first row; the first column, and how many */
    uint32_t edge;            /* of a dense second level; 0: compressed */
    uint32_t outer, segment, inner, value;
    uint32_t n;  /* number of coordinates of the second level */
    bool padded; /* that level is */
    bool few;    /* entries in a row */
} streams;

/* Coordinates of the first level, and of the second. */
typedef struct {
    uint32_t rows, n;
    bool none; /* no entry is in the sub-tile */
} counts;

/* Returns the next entry inside the sub-tile after an entry outside. Long runs of outside entries in a row
 * are skipped several at a time. */
static __attribute__((noinline)) const uint32_t *pass_outside(const streams *s, const uint32_t *key) {
    const uint32_t *const end = list->of.key + s->end;
    const uint32_t low = s->low, width = s->width;
    if (s->few) {
        while (key < end && lower(*key) - low >= width)
            key++;
        return key;
    }
    do {
        const uint32_t begin = *key & ~(uint32_t)LOWER, span = *key - begin < low ? low : 1u << UPPER;
        while (key + STRIDE <= end && key[STRIDE - 1] - begin < span)
            key += STRIDE;
        while (key < end && *key - begin < span)
            key++;
    } while (key < end && lower(*key) - low >= width);
    return key;
}

/* Returns the first entry inside the sub-tile from here on. */
static inline const uint32_t *in_box(const streams *s, const uint32_t *key, const uint32_t *end) {
    return key < end && lower(*key) - s->low >= s->width ? pass_outside(s, key) : key;
}

/* Counts the words of the streams. */
static __attribute__((noinline)) counts count(const streams *s, uint32_t what, uint32_t edge) {
    const uint32_t low = s->low, width = s->width, padded = s->padded;
    const uint32_t *key = list->of.key + s->e, *const end = list->of.key + s->end;
    uint32_t rows = 0, n = 0, first = NO_WORD;
    for (; key < end; key = in_box(s, key, end)) {
        const uint32_t corner = (*key & ~(uint32_t)LOWER) + low, *const begin = key;
        first = rows++ ? first : upper(*key);
        n += padded && *key != corner;
        while (key < end && *key - corner < width)
            key++;
        n += (uint32_t)(key - begin);
    }
    const bool none = !rows;
    if (what & FW_ENTRIES_DENSE) {
        n += padded ? edge - rows : none;
        rows = edge;
    } else if (none || (what & FW_ENTRIES_PADDED && first != s->row)) {
        rows++;
        n++;
    }
    return (counts){rows, s->edge ? rows * s->edge : n, none};
}

static inline void put_word(uint32_t *at, uint32_t word) {
    if (*at) {
        bus_write16(*at, word);
        *at += 2;
    }
}

/* Makes a fiber of a dense second level. */
static __attribute__((noinline)) void put_dense(streams *s, uint32_t outer) {
    const uint32_t values = s->value, corner = (outer << UPPER) + s->low;
    const uint32_t *const keys = list->of.key, *const end = keys + s->end, *key = keys + s->e;
    if (!values)
        return;
    for (uint32_t c = 0; c < s->edge; c++)
        put_word(&s->value, 0);
    for (; key < end && *key - corner < s->width; key++)
        bus_write16(values + 2 * (*key - corner), list->of.val[key - keys] ^ list->fill);
    s->e = (uint32_t)(in_box(s, key, end) - keys);
}

/* Makes a fiber of a compressed level: the row's entries or, for an empty row that is `needed`, a fill. */
static __attribute__((noinline)) void put_fiber(streams *s, uint32_t outer, bool needed) {
    const uint32_t corner = (outer << UPPER) + s->low, width = s->width, fill = list->fill;
    const uint32_t *const keys = list->of.key, *const end = keys + s->end, *key = keys + s->e;
    const uint16_t *val = list->of.val + (key - keys);
    uint32_t inner = s->inner, value = s->value, n = s->n;
    const bool any = key < end && *key - corner < width;
    if (any ? s->padded && *key != corner : needed) {
        put_word(&inner, 0);
        put_word(&value, 0);
        n++;
    }
    for (; key < end && *key - corner < width; key++, val++) {
        put_word(&inner, *key - corner);
        put_word(&value, *val ^ fill);
        n++;
    }
    s->e = (uint32_t)(in_box(s, key, end) - keys);
    s->inner = inner;
    s->value = value;
    s->n = n;
    put_word(&s->segment, n);
}

SMALL_FROM_HERE

static void put_row(streams *s, uint32_t outer, bool needed) {
    if (s->edge)
        put_dense(s, outer);
    else
        put_fiber(s, outer, needed);
}

/* Makes all fibers of a sub-tile. */
static __attribute__((noinline)) void put_rows(streams *s, uint32_t what, uint32_t edge, bool none) {
    if (what & FW_ENTRIES_DENSE) {
        for (uint32_t r = 0; r < edge; r++)
            put_row(s, s->row + r, s->padded || (none && !r));
        return;
    }
    for (bool first = true;; first = false) {
        const bool over = s->e == s->end, corner = first && (over || what & FW_ENTRIES_PADDED);
        if (over && !corner)
            return;
        const uint32_t r = corner ? 0 : upper(list->of.key[s->e]) - s->row;
        put_word(&s->outer, r);
        put_row(s, s->row + r, true);
    }
}

/* Returns the place of a stream's block of `words` words, and records the length in its rows; 0: no such
 * stream. */
static __attribute__((noinline)) uint32_t stream_of(uint32_t command, uint32_t stream, uint32_t words) {
    const uint32_t input = command_word(shape, shape, outer) >> 8 * stream & FW_ENTRIES_NONE,
                   place = command_field(command + 4 * stream, levels, outer);
    if (input == FW_ENTRIES_NONE)
        return 0;
    if (place % 2 || place & FW_SCRATCH)
        fail(FW_ERROR_BAD_BATCH, command, place);
    lists_complete(command_field(shape, shape, table) + fw_load_cell(input), command_word(shape, shape, rows),
                   place, words);
    return lists_address(command, place, 2 * words);
}

/* Says how the streams of sub-tiles are. */
static void take_shape(uint32_t command) {
    const uint32_t rows = command_word(command, shape, rows), inputs = command_word(command, shape, outer);
    dispatch_check(command_field(command, shape, table), upper(rows), lower(rows), 0);
    for (uint32_t stream = 0; stream < 3; stream++) {
        const uint32_t input = inputs >> 8 * stream & FW_ENTRIES_NONE;
        if (input != FW_ENTRIES_NONE && fw_load_cell(input + 1) > lower(rows))
            fail(FW_ERROR_BAD_BATCH, command, inputs);
    }
    shape = command;
}

/* Makes the streams of a sub-tile. */
static __attribute__((noinline)) void put_levels(uint32_t command) {
    if (!shape)
        fail(FW_ERROR_BAD_BATCH, command, 0);
    const uint32_t what = command_word(shape, shape, dense), edges = command_field(shape, shape, edges),
                   rows = command_word(command, levels, outer_size),
                   columns = command_word(command, levels, inner_size);
    static streams s;
    s.row = upper(rows);
    s.low = upper(columns);
    s.width = lower(columns);
    s.edge = what & FW_ENTRIES_DENSE << 1 ? lower(edges) : 0;
    s.padded = what & FW_ENTRIES_PADDED << 1;
    s.end = mlist_find(&list->of, s.row + lower(rows));
    const uint32_t *const keys = list->of.key;
    s.e = mlist_find(&list->of, s.row);
    s.few = s.end - s.e < STRIDE * lower(rows);
    s.e = (uint32_t)(in_box(&s, keys + s.e, keys + s.end) - keys);
    const counts all = count(&s, what, upper(edges));
    s.n = 0;
    s.outer = stream_of(command, 0, all.rows + 4);
    s.segment = stream_of(command, 1, all.rows + all.n + 3);
    s.value = stream_of(command, 2, all.n + 1);
    s.inner = s.segment ? s.segment + 2 * all.rows + 4 : 0;
    if (s.outer) {
        put_word(&s.outer, 2);
        put_word(&s.outer, 0);
        put_word(&s.outer, all.rows);
        put_word(&s.outer, all.rows);
    }
    put_word(&s.segment, all.rows + 1);
    put_word(&s.segment, 0);
    put_word(&s.inner, all.n);
    put_word(&s.value, all.n);
    put_rows(&s, what, upper(edges), all.none);
}

void entries_command(const kernel_description *k, uint32_t command, uint32_t what) {
    const uint32_t kind = what & FW_ENTRIES_KIND, goes = kind == FW_ENTRIES_BEGIN || kind == FW_ENTRIES_AGAIN;
    if (what > FW_ENTRIES_BITS || kind > FW_ENTRIES_AGAIN || (!goes && !list))
        fail(FW_ERROR_BAD_BATCH, command, what);
    if (goes)
        go_to(command, what);
    else if (kind == FW_ENTRIES_TAKE)
        take(k, command, what & FW_ENTRIES_TURNED);
    else if (kind == FW_ENTRIES_LEVELS)
        put_levels(command);
    else {
        take_shape(command);
        merge(k, command, true);
    }
}

SMALL_TO_HERE
