/* Tensors of stored levels: what store made, back. */
#include "tiling/formats_int.h"
#include "tiling/stored_int.h"
#include "tiling/tiling_int.h"

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
    return diag_error(r->diag, (src_loc){0}, "E0365-stored-file", "'%s': level %u: %s", r->from, r->l, what);
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
    bool segments = tile_has_array(kind, "pos"), hashed = kind == TILE_KIND_HASHED;
    const int32_t nothing = hashed ? -1 : tile_no_coordinate(&r->s->format, r->l, r->low[r->l]);
    if (segments ? !is_segments(r, pos, parents, crd->n) : crd->n != (uint64_t)parents * each)
        return segments ? false : malformed(r, "there are not as many coordinates as places");
    for (uint32_t p = 0; p < above->len; p++) {
        uint32_t v = above->at[p].value;
        uint32_t first = segments ? (uint32_t)pos->at[v] : v * each;
        uint32_t end = segments ? (uint32_t)pos->at[v + 1] : first + each;
        for (uint32_t i = first; i < end; i++) {
            bool empty = crd->at[i] == nothing && !segments;
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
            if ((uint64_t)r->level[r->l].len + (uint64_t)(end - at) > TILE_POSITIONS_MOST)
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
    uint32_t size = r->s->level[r->l].size, words = tile_bit_words(size);
    if (crd->n != (uint64_t)parents * words)
        return malformed(r, "there are not as many bits as coordinates");
    for (uint32_t p = 0; p < above->len; p++) {
        for (uint32_t at = 0; at < words * TILE_BITS; at++) {
            if (!(crd->at[above->at[p].value * words + at / TILE_BITS] >> at % TILE_BITS & 1))
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
            tile_range_of(f, r->l, above->at[p].at, r->s->dim, &low, &high);
        else if (kind == TILE_KIND_OFFSET)
            high = low + 1;
        else if (kind != TILE_KIND_DENSE && above->at[p].at + (kind != TILE_KIND_SKEW) < high)
            high = above->at[p].at + (kind != TILE_KIND_SKEW);
        if (!restore_between(r, p, low, high))
            return false;
    }
    return true;
}

static bool restore_kind(restorer *r, const found_vec *above, uint32_t parents) {
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

/* Reads a level; where it has answers of a query, each coordinate becomes that of the level's sum. */
static bool restore_level(restorer *r, const found_vec *above, uint32_t parents) {
    const tile_numbers *ofs = &r->s->level[r->l].ofs;
    const bool answers = tile_has_answers(&r->s->format, r->l);
    if (answers && ofs->n != parents)
        return malformed(r, "there are not as many answers of the query as fibers");
    if (!restore_kind(r, above, parents))
        return false;
    for (uint32_t i = 0; answers && i < r->level[r->l].len; i++) {
        found *node = &r->level[r->l].at[i];
        node->at += ofs->at[above->at[node->parent].value];
    }
    return true;
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
        diag_error(d, (src_loc){0}, "E0366-indirect-source",
                   "'%s' is in format %s, whose map leaves an index to a query", from, f->name);
        return diag_hint(d, "the file has no answers of the query: convert from the file it was made of");
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
