/* stored.c - tensors in a format: level by level from sorted entries, and back. */
#include "tiling/formats_int.h"
#include "tiling/queries.h"
#include "tiling/tiling_int.h"

typedef VEC(int32_t) i32_vec;

/* The nodes of a level while a tensor is stored: a node has entries first to end, in storage order, and the
 * coordinate `at`, counted from the level's lowest one. */
typedef struct {
    uint32_t first, end, at;
} node;
typedef VEC(node) node_vec;

/* A tensor under construction in its format. */
typedef struct {
    const tile_format *f;
    const uint32_t *crd;  /* entry by entry, a coordinate for each level, from its lowest one */
    const uint32_t *perm; /* entries in storage order */
    const uint16_t *val;
    uint32_t l, size; /* the level, and its number of possible coordinates */
    int64_t low[TILE_FORMAT_LEVELS];
    arena *mem, *scratch;
    diagnostics *diag;
    node_vec nodes;         /* of the level */
    i32_vec pos, crds, ofs; /* its arrays */
    uint32_t limit[SAM_MAX_ORDER];
} builder;

#define POSITIONS_MOST (UINT32_C(1) << 26)

static uint32_t at_of(const builder *b, uint32_t entry, uint32_t level) {
    return b->crd[(size_t)b->perm[entry] * b->f->levels + level];
}

static uint16_t value_of(const builder *b, uint32_t entry) {
    return b->val[b->perm[entry]];
}

static void add_node(builder *b, uint32_t first, uint32_t end, uint32_t at) {
    vec_push(b->scratch, &b->nodes, ((node){first, end, at}));
}

static void add_number(builder *b, i32_vec *to, int64_t number) {
    vec_push(b->scratch, to, (int32_t)number);
}

/* Returns the end of the entries of coordinate `at` from `first` on. */
static uint32_t end_of(const builder *b, uint32_t first, uint32_t end, uint32_t at) {
    while (first < end && at_of(b, first, b->l) == at)
        first++;
    return first;
}

/* Adds a node for each coordinate from low to high - 1, an empty node without entries. */
static uint32_t add_all(builder *b, uint32_t first, uint32_t end, uint32_t low, uint32_t high) {
    for (uint32_t c = low; c < high && b->nodes.len <= POSITIONS_MOST; c++) {
        uint32_t next = end_of(b, first, end, c);
        add_node(b, first, next, c);
        first = next;
    }
    return first;
}

static bool not_stored(builder *b, const char *why) {
    diag_error(b->diag, (src_loc){0}, "E0364-not-stored",
               "format %s cannot hold this tensor: level %u is %s, but %s", b->f->name, b->l,
               tile_kind_rows[b->f->level[b->l].kind].name, why);
    diag_hint(b->diag, "choose a format that the data have, such as CSR");
    return false;
}

/* ---- level kinds ----------------------------------------------------------------------------- */

/* Stored coordinates, each once; of a chain of singletons, each tuple. */
static void store_compressed(builder *b, const node *parent) {
    uint32_t last = b->l;
    if (b->f->level[b->l].kind == TILE_KIND_COMPRESSED_DUPLICATES) {
        while (b->f->level[last].kind != TILE_KIND_SINGLETON)
            last++;
    }
    for (uint32_t e = parent->first; e < parent->end;) {
        uint32_t next = e + 1;
        bool same = true;
        while (next < parent->end && same) {
            for (uint32_t l = b->l; l <= last; l++)
                same = same && at_of(b, next, l) == at_of(b, e, l);
            next += same;
        }
        add_number(b, &b->crds, at_of(b, e, b->l) + b->low[b->l]);
        add_node(b, e, next, at_of(b, e, b->l));
        e = next;
    }
}

/* One coordinate, -1 below the lowest one for a parent without entry. */
static bool store_singleton(builder *b, const node *parent) {
    bool empty = parent->first == parent->end;
    uint32_t at = empty ? 0 : at_of(b, parent->first, b->l);
    if (!empty && at_of(b, parent->end - 1, b->l) != at)
        return not_stored(b, "a coordinate above it has several");
    add_number(b, &b->crds, empty ? b->low[b->l] - 1 : at + b->low[b->l]);
    add_node(b, parent->first, parent->end, at);
    return true;
}

static uint32_t distinct(const builder *b, const node *parent) {
    uint32_t n = 0;
    for (uint32_t e = parent->first; e < parent->end; e++)
        n += e == parent->first || at_of(b, e, b->l) != at_of(b, e - 1, b->l);
    return n;
}

/* A table of b->size places. */
static void store_hashed(builder *b, const node *parent) {
    uint32_t base = b->nodes.len;
    for (uint32_t w = 0; w < b->size; w++) {
        add_node(b, parent->first, parent->first, 0);
        add_number(b, &b->crds, -1);
    }
    for (uint32_t e = parent->first, next; e < parent->end; e = next) {
        uint32_t at = at_of(b, e, b->l), w = at % b->size;
        next = end_of(b, e, parent->end, at);
        while (b->crds.at[base + w] != -1)
            w = (w + 1) % b->size;
        b->crds.at[base + w] = (int32_t)at;
        b->nodes.at[base + w] = (node){e, next, at};
    }
}

/* Returns the coordinates of a range level below coordinate `at` of the outer difference. */
static void range_of(const tile_format *f, uint32_t l, int64_t at, const uint32_t *dim, int64_t *low,
                     int64_t *high) {
    uint32_t plus = 0, minus = 0;
    tile_difference(f, l - 1, &plus, &minus);
    bool of_plus = f->level[l].sum.term[0].index == plus;
    int64_t shift = of_plus ? at : -at, other = dim[of_plus ? minus : plus],
            own = dim[of_plus ? plus : minus];
    *low = shift > 0 ? shift : 0;
    *high = own < other + shift ? own : other + shift;
    *high = *high < *low ? *low : *high;
}

static void store_range(builder *b, const node *parent) {
    int64_t low, high;
    range_of(b->f, b->l, parent->at + b->low[b->l - 1], b->limit, &low, &high);
    add_all(b, parent->first, parent->end, (uint32_t)low, (uint32_t)high);
}

static void store_band(builder *b, const node *parent) {
    bool empty = parent->first == parent->end;
    uint32_t low = empty ? 0 : at_of(b, parent->first, b->l);
    uint32_t high = empty ? 0 : at_of(b, parent->end - 1, b->l) + 1;
    if (b->f->level[b->l].kind == TILE_KIND_RAGGED)
        low = 0;
    else
        add_number(b, &b->crds, low + b->low[b->l]);
    add_all(b, parent->first, parent->end, low, high);
}

/* Returns where the run of equal values that begins at coordinate `at` ends, and moves *e, its first entry,
 * on to the next run's. */
static uint32_t run_end(const builder *b, const node *parent, uint32_t at, uint32_t *e) {
    bool first = *e < parent->end && at_of(b, *e, b->l) == at;
    uint16_t value = first ? value_of(b, *e) : 0;
    while (at < b->size) {
        bool here = *e < parent->end && at_of(b, *e, b->l) == at;
        if (here ? value_of(b, *e) != value : value != 0)
            break;
        at = here ? at + 1 : *e < parent->end ? at_of(b, *e, b->l) : b->size;
        *e += here;
    }
    return at;
}

enum { SHORTEST_RUN = 3 };

static void store_runs(builder *b, const node *parent) {
    bool packed = b->f->level[b->l].kind == TILE_KIND_PACKBITS;
    uint32_t e = parent->first;
    for (uint32_t at = 0; at < b->size;) {
        uint32_t first = e, end = run_end(b, parent, at, &e);
        if (packed && end - at < SHORTEST_RUN) {
            /* Written out, up to the next run of sufficient length. */
            uint32_t literal = end, ahead = e;
            while (literal < b->size) {
                end = run_end(b, parent, literal, &ahead);
                if (end - literal >= SHORTEST_RUN)
                    break;
                literal = end;
                e = ahead;
            }
            add_all(b, first, e, at, literal);
            end = literal;
        } else {
            bool there = first < parent->end && at_of(b, first, b->l) == at;
            add_node(b, first, there ? first + 1 : first, at);
        }
        add_number(b, &b->crds, end + b->low[b->l]);
        if (packed)
            add_number(b, &b->ofs, b->nodes.len);
        at = end;
    }
}

static void store_blocks(builder *b, const node *parent) {
    for (uint32_t e = parent->first; e < parent->end;) {
        uint32_t low = at_of(b, e, b->l), high = low + 1, last = end_of(b, e, parent->end, low);
        while (last < parent->end && at_of(b, last, b->l) == high) {
            last = end_of(b, last, parent->end, high);
            high++;
        }
        add_all(b, e, last, low, high);
        add_number(b, &b->crds, high + b->low[b->l]);
        add_number(b, &b->ofs, b->nodes.len);
        e = last;
    }
}

enum { BITS = 16 };
static uint32_t bit_words(uint32_t size) {
    return size / BITS + (size % BITS != 0);
}

static void store_bitmap(builder *b, const node *parent) {
    uint32_t base = b->crds.len;
    for (uint32_t w = 0; w < bit_words(b->size); w++)
        add_number(b, &b->crds, 0);
    for (uint32_t e = parent->first, next; e < parent->end; e = next) {
        uint32_t at = at_of(b, e, b->l);
        next = end_of(b, e, parent->end, at);
        b->crds.at[base + at / BITS] |= INT32_C(1) << at % BITS;
        add_node(b, e, next, at);
    }
}

/* Finds the entry at (row, column), possibly without value. */
static uint16_t value_at(const builder *b, uint32_t n, uint32_t row, uint32_t column) {
    uint32_t low = 0, high = n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2, r = at_of(b, middle, b->l - 1), c = at_of(b, middle, b->l);
        if (r == row && c == column)
            return value_of(b, middle);
        if (r < row || (r == row && c < column))
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

static bool store_half(builder *b, const node *parent, uint32_t n, tile_dtype dtype) {
    tile_kind kind = b->f->level[b->l].kind;
    uint32_t end = parent->first, high = parent->at + (kind != TILE_KIND_SKEW);
    if (kind != TILE_KIND_TRIANGULAR && b->limit[0] != b->limit[1])
        return not_stored(b, "the tensor is not square");
    high = high < b->size ? high : b->size;
    while (end < parent->end && at_of(b, end, b->l) < high)
        end++;
    for (uint32_t e = parent->first; e < parent->end; e++) {
        uint16_t mirrored = kind == TILE_KIND_TRIANGULAR ? 0 : value_at(b, n, at_of(b, e, b->l), parent->at);
        if (kind == TILE_KIND_SKEW && mirrored)
            mirrored = dtype == TILE_DTYPE_BF16 ? mirrored ^ 0x8000u : (uint16_t)-mirrored;
        bool checked = kind != TILE_KIND_TRIANGULAR || e >= end;
        if (checked && value_of(b, e) != mirrored)
            return not_stored(b, kind == TILE_KIND_TRIANGULAR ? "there are entries above the diagonal"
                                                              : "the other triangle does not mirror it");
    }
    add_all(b, parent->first, end, 0, high);
    return true;
}

static bool store_node(builder *b, const node *parent, uint32_t n, tile_dtype dtype) {
    switch (b->f->level[b->l].kind) {
    case TILE_KIND_DENSE:
        add_all(b, parent->first, parent->end, 0, b->size);
        return true;
    case TILE_KIND_COMPRESSED:
    case TILE_KIND_COMPRESSED_DUPLICATES:
        store_compressed(b, parent);
        return true;
    case TILE_KIND_SINGLETON:
    case TILE_KIND_SINGLETON_DUPLICATES:
        return store_singleton(b, parent);
    case TILE_KIND_HASHED:
        store_hashed(b, parent);
        return true;
    case TILE_KIND_RANGE:
        store_range(b, parent);
        return true;
    case TILE_KIND_OFFSET:
        add_node(b, parent->first, parent->end, 0);
        return true;
    case TILE_KIND_BAND:
    case TILE_KIND_RAGGED:
        store_band(b, parent);
        return true;
    case TILE_KIND_RUNS:
    case TILE_KIND_PACKBITS:
        store_runs(b, parent);
        return true;
    case TILE_KIND_BLOCKS:
        store_blocks(b, parent);
        return true;
    case TILE_KIND_BITMAP:
        store_bitmap(b, parent);
        return true;
    case TILE_KIND_TRIANGULAR:
    case TILE_KIND_SYMMETRIC:
    case TILE_KIND_SKEW:
        return store_half(b, parent, n, dtype);
    case TILE_KIND_NONE:
    case TILE_KINDS:
        break;
    }
    BUG("a level without a kind");
}

/* ---- a whole tensor -------------------------------------------------------------------------- */

static tile_numbers keep(const i32_vec *from, arena *mem) {
    int32_t *at = arena_new_n(mem, int32_t, from->len + 1);
    if (from->len)
        memcpy(at, from->at, sizeof *at * from->len);
    return (tile_numbers){from->len, at};
}

static bool has_array(tile_kind kind, const char *name) {
    return strstr(tile_kind_rows[kind].arrays, name) != NULL;
}

/* Makes level b->l from the nodes of the outer level, and replaces them. */
static bool store_level(builder *b, uint32_t n, tile_dtype dtype, tile_stored *out) {
    const node_vec above = b->nodes;
    tile_kind kind = b->f->level[b->l].kind;
    b->nodes = (node_vec){0};
    b->pos = b->crds = b->ofs = (i32_vec){0};
    if (kind == TILE_KIND_HASHED) {
        uint32_t most = 0;
        for (uint32_t p = 0; p < above.len; p++) {
            uint32_t d = distinct(b, &above.at[p]);
            most = d > most ? d : most;
        }
        b->size = most + (most + 1) / 2 + !most;
    }
    bool pos = has_array(kind, "pos"), ofs = has_array(kind, "ofs");
    if (pos)
        add_number(b, &b->pos, 0);
    if (ofs)
        add_number(b, &b->ofs, 0);
    for (uint32_t p = 0; p < above.len; p++) {
        if ((kind == TILE_KIND_DENSE || kind == TILE_KIND_HASHED || kind == TILE_KIND_BITMAP) &&
            (uint64_t)b->nodes.len + b->size > POSITIONS_MOST) {
            diag_error(b->diag, (src_loc){0}, "E0331-dense",
                       "level %u of format %s needs more than 2^26 positions", b->l, b->f->name);
            return false;
        }
        if (!store_node(b, &above.at[p], n, dtype))
            return false;
        if (pos)
            add_number(b, &b->pos,
                       kind == TILE_KIND_BAND || kind == TILE_KIND_RAGGED ? b->nodes.len : b->crds.len);
        if (b->nodes.len > POSITIONS_MOST)
            return not_stored(b, "it has more than 2^26 positions");
    }
    out->level[b->l].size = b->size;
    out->level[b->l].pos = keep(&b->pos, b->mem);
    out->level[b->l].crd = keep(&b->crds, b->mem);
    out->level[b->l].ofs = keep(&b->ofs, b->mem);
    return true;
}

const uint32_t *tile_deal_banks(const tile_tensor *t, uint32_t index, uint32_t banks, arena *mem) {
    uint32_t n = t->dim[index];
    uint32_t *load = arena_new_n(mem, uint32_t, n + 1), *order = arena_new_n(mem, uint32_t, n + 1);
    uint32_t *bank = arena_new_n(mem, uint32_t, n + 1), *key = arena_new_n(mem, uint32_t, n + 1);
    uint64_t *loads = arena_new_n(mem, uint64_t, banks);
    static const uint8_t column[] = {0};
    for (uint64_t e = 0; e < t->nnz; e++)
        load[t->crd[e * t->order + index]]++;
    for (uint32_t i = 0; i < n; i++)
        key[i] = UINT32_MAX - load[i];
    tile_sort(key, 1, n, (clist_by){column, 1}, order, mem);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t least = 0;
        for (uint32_t b = 1; b < banks; b++)
            least = loads[b] < loads[least] ? b : least;
        bank[order[i]] = least;
        loads[least] += load[order[i]];
    }
    return bank;
}

/* Makes the coordinates of a level with a query on the data, and finds their possible number. Returns false
 * beyond 2^31. */
static bool map_answers(const tile_tensor *t, const tile_format_level *level, uint32_t *crd, uint32_t levels,
                        int64_t *low, uint64_t *size) {
    arena scratch = {0};
    int64_t *value = arena_new_n(&scratch, int64_t, t->nnz + 1), least = 0, most = -1;
    tile_ask_entries(t, level->query, &scratch, value);
    for (uint64_t e = 0; e < t->nnz; e++) {
        value[e] = value[e] * level->times + tile_map_coordinate(&level->sum, t->crd + e * t->order);
        least = !e || value[e] < least ? value[e] : least;
        most = !e || value[e] > most ? value[e] : most;
    }
    const bool near = least > INT32_MIN && most < INT32_MAX;
    for (uint64_t e = 0; e < t->nnz && near; e++)
        crd[e * levels] = (uint32_t)(value[e] - least);
    arena_free(&scratch);
    *low = least;
    *size = (uint64_t)(most - least + 1);
    return near;
}

/* Makes the coordinates of a level, from its lowest one. */
static bool map_level(const tile_tensor *t, const tile_format *f, uint32_t l, uint32_t *crd, builder *b,
                      uint64_t *size) {
    const tile_format_level *level = &f->level[l];
    const uint32_t index = level->sum.terms ? level->sum.term[0].index : 0;
    if (level->how == TILE_MAP_QUERY)
        return map_answers(t, level, crd, f->levels, &b->low[l], size);
    const uint32_t *bank =
        level->how == TILE_MAP_SCHEDULE ? tile_deal_banks(t, index, level->banks, b->scratch) : NULL;
    uint32_t *seen =
        level->how == TILE_MAP_ENUMERATE ? arena_new_n(b->scratch, uint32_t, t->dim[index] + 1) : NULL;
    for (uint64_t e = 0; e < t->nnz; e++) {
        const uint32_t *at = t->crd + e * t->order;
        uint32_t *to = crd + e * f->levels;
        *to = bank   ? bank[at[index]]
              : seen ? seen[at[index]]++
                     : (uint32_t)(tile_map_coordinate(&level->sum, at) - b->low[l]);
        if (seen && *to >= *size)
            *size = *to + 1;
    }
    return true;
}

/* Makes the stored coordinates of all entries. */
static bool map_entries(const tile_tensor *t, const tile_format *f, builder *b, uint64_t *size) {
    uint32_t *crd = arena_new_n(b->scratch, uint32_t, t->nnz * f->levels + 1);
    bool near = true;
    for (uint32_t l = 0; near && l < f->levels; l++)
        near = map_level(t, f, l, crd + l, b, &size[l]);
    b->crd = crd;
    return near;
}

static bool store_whole(const tile_tensor *t, const tile_format *f, tile_dtype dtype, arena *mem,
                        diagnostics *d, tile_stored *out) {
    static const uint8_t key[TILE_FORMAT_LEVELS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    arena scratch = {0};
    uint64_t size[TILE_FORMAT_LEVELS];
    builder b = {.f = f, .val = t->val, .mem = mem, .scratch = &scratch, .diag = d};
    *out = (tile_stored){.format = *f};
    BUG_IF(t->order != f->order, "a tensor of order %u in a format of order %u", t->order, f->order);
    memcpy(out->dim, t->dim, sizeof out->dim);
    memcpy(b.limit, t->dim, sizeof b.limit);
    bool good = tile_map_extents(f, t->dim, b.low, size) && map_entries(t, f, &b, size);
    if (!good)
        not_stored(&b, "its coordinates are beyond 2^31");
    uint32_t n = (uint32_t)t->nnz, *perm = arena_new_n(&scratch, uint32_t, n + 1);
    if (good) {
        tile_sort(b.crd, f->levels, n, (clist_by){key, f->levels}, perm, &scratch);
        b.perm = perm;
        add_node(&b, 0, n, 0);
    }
    for (b.l = 0; good && b.l < f->levels; b.l++) {
        b.size = (uint32_t)size[b.l];
        good = store_level(&b, n, dtype, out);
    }
    if (good) {
        uint16_t *vals = arena_new_n(mem, uint16_t, b.nodes.len + 1);
        for (uint32_t i = 0; i < b.nodes.len; i++)
            vals[i] = b.nodes.at[i].first < b.nodes.at[i].end ? value_of(&b, b.nodes.at[i].first) : t->fill;
        out->vals = vals;
        out->n_vals = b.nodes.len;
        out->scale = t->scale;
    }
    arena_free(&scratch);
    return good;
}

bool tile_store(const tile_tensor *t, const tile_format *f, tile_dtype dtype, arena *mem, diagnostics *d,
                tile_stored *out) {
    tile_tensor rest = *t;
    if (!f->parts)
        return store_whole(t, f, dtype, mem, d, out);
    tile_stored *part = arena_new_n(mem, tile_stored, f->parts);
    *out = (tile_stored){.format = *f, .part = part};
    memcpy(out->dim, t->dim, sizeof out->dim);
    for (uint32_t p = 0; p < f->parts; p++) {
        tile_tensor own;
        tile_take_part(&f->part[p], mem, &rest, &own);
        if (!store_whole(&own, f->part[p].format, dtype, mem, d, &part[p]))
            return false;
    }
    return true;
}

uint64_t tile_stored_bytes(const tile_stored *s, uint64_t *metadata) {
    uint64_t bytes = 0, all = 0;
    for (uint32_t p = 0; p < s->format.parts; p++) {
        bytes += tile_stored_bytes(&s->part[p], metadata);
        all += *metadata;
    }
    *metadata = all;
    if (s->format.parts)
        return bytes;
    for (uint32_t l = 0; l < s->format.levels; l++)
        *metadata += 2 * ((uint64_t)s->level[l].pos.n + s->level[l].crd.n + s->level[l].ofs.n);
    return *metadata + 2 * (uint64_t)s->n_vals;
}

/* ---- and back -------------------------------------------------------------------------------- */

/* The nodes of a level read back: node i's parent and coordinate, its value or fiber of the next level
 * (several coordinates of a run share one), and whether the node and all nodes below are empty places. */
typedef struct {
    uint32_t parent, value;
    bool empty;
    int64_t at;
} found;
typedef VEC(found) found_vec;

typedef struct {
    const tile_stored *s;
    const char *from;
    diagnostics *diag;
    arena *mem;
    uint32_t l, next; /* the level; its nodes so far with own values or levels */
    uint64_t most;    /* places a level may have: each has a number somewhere */
    int64_t low[TILE_FORMAT_LEVELS];
    found_vec level[TILE_FORMAT_LEVELS];
} restorer;

static bool malformed(const restorer *r, const char *what) {
    diag_error(r->diag, (src_loc){0}, "E0365-stored-file", "'%s': level %u: %s", r->from, r->l, what);
    return false;
}

static void push(restorer *r, uint32_t parent, int64_t at) {
    vec_push(r->mem, &r->level[r->l], ((found){parent, r->next++, false, at}));
}

/* Adds coordinates with a value each. */
static void push_each(restorer *r, uint32_t parent, int64_t low, int64_t high) {
    for (int64_t at = low; at < high; at++)
        push(r, parent, at);
}

/* Adds several coordinates with a common value. */
static void push_run(restorer *r, uint32_t parent, int64_t low, int64_t high) {
    for (int64_t at = low; at < high; at++)
        vec_push(r->mem, &r->level[r->l], ((found){parent, r->next, false, at}));
    r->next++;
}

/* Checks an array of where fibers begin: 0 first, `end` last, never less than before. */
static bool is_segments(const restorer *r, const tile_numbers *n, uint32_t fibers, int64_t end) {
    if (n->n != (uint64_t)fibers + 1 || n->at[0] != 0 || (end >= 0 && n->at[fibers] != end))
        return malformed(
            r, "there are not as many segments as fibers, or they do not end where the coordinates do");
    for (uint32_t i = 0; i < fibers; i++) {
        if (n->at[i + 1] < n->at[i])
            return malformed(r, "a segment ends before it begins");
    }
    return true;
}

/* Reads a level with single coordinates in `crd`, as many per parent as `pos` has, or `each`. */
static bool restore_listed(restorer *r, const found_vec *above, uint32_t parents, uint32_t each) {
    const tile_numbers *pos = &r->s->level[r->l].pos, *crd = &r->s->level[r->l].crd;
    tile_kind kind = r->s->format.level[r->l].kind;
    bool segments = has_array(kind, "pos");
    if (segments ? !is_segments(r, pos, parents, crd->n) : crd->n != (uint64_t)parents * each)
        return segments ? false : malformed(r, "there are not as many coordinates as places");
    for (uint32_t p = 0; p < above->len; p++) {
        uint32_t v = above->at[p].value;
        uint32_t first = segments ? (uint32_t)pos->at[v] : v * each;
        uint32_t end = segments ? (uint32_t)pos->at[v + 1] : first + each;
        for (uint32_t i = first; i < end; i++) {
            bool hashed = kind == TILE_KIND_HASHED;
            bool empty = crd->at[i] == (hashed ? -1 : r->low[r->l] - 1) && !segments;
            push(r, p, empty ? r->low[r->l] : crd->at[i] + (hashed ? r->low[r->l] : 0));
            r->level[r->l].at[r->level[r->l].len - 1].empty = empty;
        }
    }
    return true;
}

/* Reads a level of all coordinates from `low` to `high` of each parent. */
static bool restore_between(restorer *r, uint32_t p, int64_t low, int64_t high) {
    if ((uint64_t)r->level[r->l].len + (uint64_t)(high - low) > r->most)
        return malformed(r, "it has more places than there are numbers");
    push_each(r, p, low, high);
    return true;
}

static bool restore_band(restorer *r, const found_vec *above, uint32_t parents) {
    const tile_numbers *pos = &r->s->level[r->l].pos, *crd = &r->s->level[r->l].crd;
    bool ragged = r->s->format.level[r->l].kind == TILE_KIND_RAGGED;
    if (!is_segments(r, pos, parents, -1))
        return false;
    if (!ragged && crd->n != parents)
        return malformed(r, "there are not as many bands as fibers");
    for (uint32_t p = 0; p < above->len; p++) {
        uint32_t v = above->at[p].value;
        int64_t low = ragged ? r->low[r->l] : crd->at[v];
        if (!restore_between(r, p, low, low + pos->at[v + 1] - pos->at[v]))
            return false;
    }
    return true;
}

/* Reads runs, packbits and blocks: stretches that end at crd, with a value each, or one for every coordinate.
 */
static bool restore_stretches(restorer *r, const found_vec *above, uint32_t parents) {
    const tile_numbers *pos = &r->s->level[r->l].pos, *crd = &r->s->level[r->l].crd,
                       *ofs = &r->s->level[r->l].ofs;
    tile_kind kind = r->s->format.level[r->l].kind;
    int64_t lowest = r->low[r->l], highest = lowest + r->s->level[r->l].size;
    if (!is_segments(r, pos, parents, crd->n) || (kind != TILE_KIND_RUNS && !is_segments(r, ofs, crd->n, -1)))
        return false;
    for (uint32_t p = 0; p < above->len; p++) {
        uint32_t v = above->at[p].value;
        int64_t at = lowest;
        for (int32_t i = pos->at[v]; i < pos->at[v + 1]; i++) {
            int64_t end = crd->at[i], length = kind == TILE_KIND_RUNS ? 1 : ofs->at[i + 1] - ofs->at[i];
            at = kind == TILE_KIND_BLOCKS ? end - length : at;
            bool run = kind != TILE_KIND_BLOCKS && length == 1;
            if (at < lowest || end <= at || end > highest || (!run && end - at != length))
                return malformed(r, "a stretch is not as long as its values, or outside of the tensor");
            if ((uint64_t)r->level[r->l].len + (uint64_t)(end - at) > POSITIONS_MOST)
                return malformed(r, "it has more than 2^26 positions");
            if (kind != TILE_KIND_BLOCKS && r->next + (uint64_t)length > r->s->n_vals)
                return malformed(r, "there are not as many values as runs");
            if (kind == TILE_KIND_BLOCKS && !restore_between(r, p, at, end))
                return false;
            if (run)
                push_run(r, p, at, r->s->vals[r->next] ? end : at);
            else if (kind != TILE_KIND_BLOCKS)
                push_each(r, p, at, end);
            at = end;
        }
        if (kind != TILE_KIND_BLOCKS && at != highest)
            return malformed(r, "the runs of a fiber do not end where the tensor does");
    }
    return true;
}

static bool restore_bitmap(restorer *r, const found_vec *above, uint32_t parents) {
    const tile_numbers *crd = &r->s->level[r->l].crd;
    uint32_t size = r->s->level[r->l].size, words = bit_words(size);
    if (crd->n != (uint64_t)parents * words)
        return malformed(r, "there are not as many bits as coordinates");
    for (uint32_t p = 0; p < above->len; p++) {
        for (uint32_t at = 0; at < words * BITS; at++) {
            if (!(crd->at[above->at[p].value * words + at / BITS] >> at % BITS & 1))
                continue;
            if (at >= size)
                return malformed(r, "a bit is outside of the tensor");
            push(r, p, r->low[r->l] + at);
        }
    }
    return true;
}

/* Reads a level without arrays, whose coordinates follow from the extents and the outer level. */
static bool restore_computed(restorer *r, const found_vec *above) {
    const tile_format *f = &r->s->format;
    tile_kind kind = f->level[r->l].kind;
    for (uint32_t p = 0; p < above->len; p++) {
        int64_t low = r->low[r->l], high = low + r->s->level[r->l].size;
        if (kind == TILE_KIND_RANGE)
            range_of(f, r->l, above->at[p].at, r->s->dim, &low, &high);
        else if (kind == TILE_KIND_OFFSET)
            high = low + 1;
        else if (kind != TILE_KIND_DENSE && above->at[p].at + (kind != TILE_KIND_SKEW) < high)
            high = above->at[p].at + (kind != TILE_KIND_SKEW);
        if (!restore_between(r, p, low, high))
            return false;
    }
    return true;
}

static bool restore_level(restorer *r, const found_vec *above, uint32_t parents) {
    r->next = 0;
    switch (r->s->format.level[r->l].kind) {
    case TILE_KIND_COMPRESSED:
    case TILE_KIND_COMPRESSED_DUPLICATES:
    case TILE_KIND_SINGLETON:
    case TILE_KIND_SINGLETON_DUPLICATES:
        return restore_listed(r, above, parents, 1);
    case TILE_KIND_HASHED:
        return restore_listed(r, above, parents, r->s->level[r->l].size);
    case TILE_KIND_BAND:
    case TILE_KIND_RAGGED:
        return restore_band(r, above, parents);
    case TILE_KIND_RUNS:
    case TILE_KIND_PACKBITS:
    case TILE_KIND_BLOCKS:
        return restore_stretches(r, above, parents);
    case TILE_KIND_BITMAP:
        return restore_bitmap(r, above, parents);
    case TILE_KIND_DENSE:
    case TILE_KIND_RANGE:
    case TILE_KIND_OFFSET:
    case TILE_KIND_TRIANGULAR:
    case TILE_KIND_SYMMETRIC:
    case TILE_KIND_SKEW:
        return restore_computed(r, above);
    case TILE_KIND_NONE:
    case TILE_KINDS:
        break;
    }
    BUG("a level without a kind");
}

/* Adds the entry of a leaf, and its mirror image. */
static bool add_leaf(restorer *r, uint32_t leaf, tile_dtype dtype, tile_entries *entries) {
    const tile_stored *s = r->s;
    const tile_format *f = &s->format;
    tile_kind last = f->level[f->levels - 1].kind;
    int64_t at[TILE_FORMAT_LEVELS];
    uint32_t crd[SAM_MAX_ORDER];
    uint16_t value = s->vals[r->level[f->levels - 1].at[leaf].value];
    bool empty = !value && !tile_kind_rows[last].leaves;
    for (uint32_t l = f->levels, n = leaf; l-- > 0; n = r->level[l].at[n].parent) {
        at[l] = r->level[l].at[n].at;
        empty = empty || r->level[l].at[n].empty;
    }
    if (empty)
        return true;
    bool inside = tile_map_invert(f, at, crd);
    for (uint32_t i = 0; i < f->order; i++)
        inside = inside && crd[i] < s->dim[i];
    if (!inside)
        return malformed(r, "a value stands outside of the tensor, or where the index map has none");
    for (uint32_t i = 0; i < f->order; i++)
        vec_push(r->mem, &entries->crd, crd[i]);
    vec_push(r->mem, &entries->val, value);
    if ((last != TILE_KIND_SYMMETRIC && last != TILE_KIND_SKEW) || at[f->levels - 1] == at[f->levels - 2])
        return true;
    uint32_t one = f->level[f->levels - 1].sum.term[0].index,
             other = f->level[f->levels - 2].sum.term[0].index, kept = crd[one];
    crd[one] = crd[other];
    crd[other] = kept;
    if (last == TILE_KIND_SKEW)
        value = dtype == TILE_DTYPE_BF16 ? value ^ 0x8000u : (uint16_t)-value;
    for (uint32_t i = 0; i < f->order; i++)
        vec_push(r->mem, &entries->crd, crd[i]);
    vec_push(r->mem, &entries->val, value);
    return true;
}

bool tile_is_indirect(const tile_format *f) {
    bool indirect = false;
    for (uint32_t l = 0; l < f->levels; l++)
        indirect = indirect || f->level[l].how != TILE_MAP_DIRECT;
    for (uint32_t p = 0; p < f->parts; p++)
        indirect = indirect || tile_is_indirect(f->part[p].format);
    return indirect;
}

/* Adds the entries of a stored tensor without parts. */
static bool restore_whole(const tile_stored *s, tile_dtype dtype, restorer *r, tile_entries *entries) {
    const tile_format *f = &s->format;
    uint64_t size[TILE_FORMAT_LEVELS];
    found_vec root = {0};
    bool good = tile_map_extents(f, s->dim, r->low, size) || malformed(r, "its coordinates are beyond 2^31");
    vec_push(r->mem, &root, ((found){0}));
    r->next = 1;
    uint64_t metadata;
    r->most = tile_stored_bytes(s, &metadata) / 2 + 2;
    for (r->l = 0; good && r->l < f->levels; r->l++)
        good = restore_level(r, r->l ? &r->level[r->l - 1] : &root, r->next);
    r->l = f->levels ? f->levels - 1 : 0;
    uint32_t leaves = f->levels ? r->level[r->l].len : 1;
    if (good && s->n_vals != r->next)
        good = malformed(r, "there are not as many values as places");
    if (good && !f->levels)
        vec_push(r->mem, &entries->val, s->vals[0]);
    for (uint32_t leaf = 0; good && f->levels && leaf < leaves; leaf++)
        good = add_leaf(r, leaf, dtype, entries);
    return good;
}

bool tile_restore(const tile_stored *s, tile_dtype dtype, const char *from, arena *mem, diagnostics *d,
                  tile_tensor *out) {
    arena scratch = {0};
    const tile_format *f = &s->format;
    const uint32_t wholes = f->parts ? f->parts : 1;
    tile_entries entries = {0};
    *out = (tile_tensor){.order = f->order};
    memcpy(out->dim, s->dim, sizeof out->dim);
    if (tile_is_indirect(f)) {
        diag_error(d, (src_loc){0}, "E0366-indirect-source", "'%s' is in format %s, whose map is indirect",
                   from, f->name);
        diag_hint(d, "such formats are made, not read: convert from the file it was made of");
        return false;
    }
    bool good = true;
    for (uint32_t p = 0; p < wholes && good; p++) {
        restorer r = {.s = f->parts ? &s->part[p] : s, .from = from, .diag = d, .mem = &scratch};
        good = restore_whole(r.s, dtype, &r, &entries);
    }
    if (good)
        tile_normalise(out, &entries, dtype, mem);
    arena_free(&scratch);
    return good;
}
