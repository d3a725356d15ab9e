/* stored.c - tensors in a format: level by level from sorted entries, and back. */
#include "tiling/formats_int.h"
#include "tiling/queries.h"
#include "tiling/stored_int.h"
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
    const tile_tensor *of;
    tile_dtype dtype;
    uint32_t l, size; /* the level, and its number of possible coordinates */
    int64_t low[TILE_FORMAT_LEVELS];
    arena *mem, *scratch;
    diagnostics *diag;
    node_vec nodes;         /* of the level */
    i32_vec pos, crds, ofs; /* its arrays */
    uint32_t limit[SAM_MAX_ORDER];
} builder;

static uint32_t at_of(const builder *b, uint32_t entry, uint32_t level) {
    return b->crd[(size_t)b->perm[entry] * b->f->levels + level];
}

/* Returns the bits of a number: of an integer of 32 bits, or a float32, whose upper half is a bf16. */
static uint32_t value_of(const builder *b, uint32_t entry) {
    const uint32_t e = b->perm[entry];
    const double *wide = tile_wide(b->of);
    const double number = wide ? wide[e] : tile_to_double(b->dtype, b->of->val[e]);
    const float single = (float)number;
    uint32_t bits = (uint32_t)(int32_t)(b->dtype == TILE_DTYPE_BF16 ? 0 : number);
    if (b->dtype == TILE_DTYPE_BF16)
        memcpy(&bits, &single, sizeof bits);
    return bits;
}

static uint32_t negated(const builder *b, uint32_t bits) {
    if (b->dtype == TILE_DTYPE_BF16)
        return bits ^ 0x80000000u;
    return tile_wide(b->of) ? 0 - bits : (uint32_t)(int16_t)(0 - bits); /* a word wraps */
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
    for (uint32_t c = low; c < high && b->nodes.len <= TILE_POSITIONS_MOST; c++) {
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
    return diag_hint(b->diag, "choose a format that the data have, such as CSR");
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

int32_t tile_no_coordinate(const tile_format *f, uint32_t l, int64_t low) {
    return f->level[l].how == TILE_MAP_DIRECT ? (int32_t)(low - 1) : INT32_MIN;
}

/* One coordinate for each parent. */
static bool store_singleton(builder *b, const node *parent) {
    bool empty = parent->first == parent->end;
    uint32_t at = empty ? 0 : at_of(b, parent->first, b->l);
    if (!empty && at_of(b, parent->end - 1, b->l) != at)
        return not_stored(b, "a coordinate above it has several");
    add_number(b, &b->crds, empty ? tile_no_coordinate(b->f, b->l, b->low[b->l]) : at + b->low[b->l]);
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

void tile_range_of(const tile_format *f, uint32_t l, int64_t at, const uint32_t *dim, int64_t *low,
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
    tile_range_of(b->f, b->l, parent->at + b->low[b->l - 1], b->limit, &low, &high);
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
    uint32_t value = first ? value_of(b, *e) : 0;
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

uint32_t tile_bit_words(uint32_t size) {
    return size / TILE_BITS + (size % TILE_BITS != 0);
}

static void store_bitmap(builder *b, const node *parent) {
    uint32_t base = b->crds.len;
    for (uint32_t w = 0; w < tile_bit_words(b->size); w++)
        add_number(b, &b->crds, 0);
    for (uint32_t e = parent->first, next; e < parent->end; e = next) {
        uint32_t at = at_of(b, e, b->l);
        next = end_of(b, e, parent->end, at);
        b->crds.at[base + at / TILE_BITS] |= INT32_C(1) << at % TILE_BITS;
        add_node(b, e, next, at);
    }
}

/* Finds the entry at (row, column), possibly without value. */
static uint32_t value_at(const builder *b, uint32_t n, uint32_t row, uint32_t column) {
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

static bool store_half(builder *b, const node *parent, uint32_t n) {
    tile_kind kind = b->f->level[b->l].kind;
    uint32_t end = parent->first, high = parent->at + (kind != TILE_KIND_SKEW);
    if (kind != TILE_KIND_TRIANGULAR && b->limit[0] != b->limit[1])
        return not_stored(b, "the tensor is not square");
    high = high < b->size ? high : b->size;
    while (end < parent->end && at_of(b, end, b->l) < high)
        end++;
    for (uint32_t e = parent->first; e < parent->end; e++) {
        uint32_t mirrored = kind == TILE_KIND_TRIANGULAR ? 0 : value_at(b, n, at_of(b, e, b->l), parent->at);
        if (kind == TILE_KIND_SKEW && mirrored)
            mirrored = negated(b, mirrored);
        bool checked = kind != TILE_KIND_TRIANGULAR || e >= end;
        if (checked && value_of(b, e) != mirrored)
            return not_stored(b, kind == TILE_KIND_TRIANGULAR ? "there are entries above the diagonal"
                                                              : "the other triangle does not mirror it");
    }
    add_all(b, parent->first, end, 0, high);
    return true;
}

static bool store_node(builder *b, const node *parent, uint32_t n) {
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
        return store_half(b, parent, n);
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

bool tile_has_array(tile_kind kind, const char *name) {
    return strstr(tile_kind_rows[kind].arrays, name) != NULL;
}

/* Adds the number that makes the level's sum of the coordinates of a fiber: the answer of the query. Returns
 * false beyond 2^31. */
static bool add_answer(builder *b, const node *parent) {
    const tile_format_level *level = &b->f->level[b->l];
    const bool whole = tile_has_array(level->kind, "crd"); /* the array has coordinates, not places */
    int64_t answer = 0;
    if (parent->first < parent->end)
        answer =
            tile_map_coordinate(&level->sum, b->of->crd + (size_t)b->perm[parent->first] * b->of->order) -
            at_of(b, parent->first, b->l) - (whole ? b->low[b->l] : 0);
    add_number(b, &b->ofs, answer);
    return answer == (int32_t)answer || not_stored(b, "an answer of its query is beyond 2^31");
}

/* Makes level b->l from the nodes of the outer level, and replaces them. */
static bool store_level(builder *b, uint32_t n, tile_stored *out) {
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
    if ((kind == TILE_KIND_DENSE || kind == TILE_KIND_HASHED || kind == TILE_KIND_BITMAP) &&
        (uint64_t)above.len * b->size > TILE_POSITIONS_MOST)
        return diag_error(b->diag, (src_loc){0}, "E0331-dense",
                          "level %u of format %s needs more than 2^26 positions", b->l, b->f->name);
    bool pos = tile_has_array(kind, "pos"), ofs = tile_has_array(kind, "ofs");
    if (pos)
        add_number(b, &b->pos, 0);
    if (ofs)
        add_number(b, &b->ofs, 0);
    for (uint32_t p = 0; p < above.len; p++) {
        if (!store_node(b, &above.at[p], n))
            return false;
        if (tile_has_answers(b->f, b->l) && !add_answer(b, &above.at[p]))
            return false;
        if (pos)
            add_number(b, &b->pos,
                       kind == TILE_KIND_BAND || kind == TILE_KIND_RAGGED ? b->nodes.len : b->crds.len);
        if (b->nodes.len > TILE_POSITIONS_MOST)
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
    uint32_t *counts =
        level->how == TILE_MAP_ENUMERATE ? arena_new_n(b->scratch, uint32_t, t->dim[index] + 1) : NULL;
    for (uint64_t e = 0; e < t->nnz; e++) {
        const uint32_t *at = t->crd + e * t->order;
        uint32_t *to = crd + e * f->levels;
        *to = bank     ? bank[at[index]]
              : counts ? counts[at[index]]++
                       : (uint32_t)(tile_map_coordinate(&level->sum, at) - b->low[l]);
        if (counts && *to >= *size)
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

/* Takes the values of all leaves, and the numbers behind their words. */
static void take_values(const builder *b, tile_stored *out) {
    const tile_tensor *t = b->of;
    uint16_t *vals = arena_new_n(b->mem, uint16_t, b->nodes.len + 1);
    double *wide = tile_wide(t) ? arena_new_n(b->mem, double, b->nodes.len + 1) : NULL;
    for (uint32_t i = 0; i < b->nodes.len; i++) {
        const bool is = b->nodes.at[i].first < b->nodes.at[i].end;
        const uint32_t e = is ? b->perm[b->nodes.at[i].first] : 0;
        vals[i] = is ? t->val[e] : t->fill;
        if (wide)
            wide[i] = is ? t->wide[e] : tile_to_double(b->dtype, t->fill);
    }
    out->vals = vals;
    out->wide = wide;
    out->n_vals = b->nodes.len;
    out->scale = t->scale;
}

static bool store_whole(const tile_tensor *t, const tile_format *f, tile_dtype dtype, arena *mem,
                        diagnostics *d, tile_stored *out) {
    static const uint8_t key[TILE_FORMAT_LEVELS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    arena scratch = {0};
    uint64_t size[TILE_FORMAT_LEVELS];
    builder b = {.f = f, .of = t, .dtype = dtype, .mem = mem, .scratch = &scratch, .diag = d};
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
        good = store_level(&b, n, out);
    }
    if (good)
        take_values(&b, out);
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
