/* Results: output streams of each run are read back as fibertrees and added up into one tensor. */
#include "tiling/tiling_int.h"

struct tile_collector {
    const sam_tensor_data *result;
    const tile_plan *plan;
    sam_var var[SAM_MAX_ORDER];     /* of the result, by logical mode */
    uint32_t extent[SAM_MAX_ORDER]; /* of the result, by logical mode */
    tile_dtype dtype;
    arena entries_mem; /* the partial results so far */
    tile_entries entries;
    uint32_t compact_at; /* merge partial results when there are this many */
    uint64_t runs;       /* of all plans so far */
    tile_collected cost;
};

enum { COLLECT_COMPACT_FIRST = 1 << 20 };

tile_collector *tile_collect_begin(const sam_statement *s, const tile_plan *plan, const uint32_t *extent,
                                   tile_dtype dtype, arena *mem) {
    tile_collector *c = arena_new(mem, tile_collector);
    *c = (tile_collector){.result = sam_tensor_at(s, s->result),
                          .plan = plan,
                          .dtype = dtype,
                          .compact_at = COLLECT_COMPACT_FIRST};
    memcpy(c->var, s->result_index, sizeof c->var);
    tile_result_dim(s, extent, c->extent);
    if (sam_expr_at(s, s->rhs)->kind == SAM_EXPR_SUM)
        c->entries.merge = sam_expr_at(s, s->rhs)->operation;
    c->entries.fill = c->result->fill;
    return c;
}

/* Adds up entries with equal coordinates, in a fresh arena. */
static void compact(tile_collector *c) {
    arena fresh = {0};
    tile_tensor merged = {.order = c->result->order};
    double start = seconds_now();
    tile_normalise(&merged, &c->entries, c->dtype, &fresh);
    c->cost.seconds += seconds_now() - start;
    uint32_t n = (uint32_t)merged.nnz;
    tile_entries entries = {
        .crd = {(uint32_t *)(uintptr_t)merged.crd, n * merged.order, n * merged.order},
        .val = {(uint16_t *)(uintptr_t)merged.val, n, n},
        .merge = c->entries.merge,
        .fill = c->entries.fill,
    };
    arena_free(&c->entries_mem);
    c->entries_mem = fresh;
    c->entries = entries;
    c->compact_at = n * 2 > COLLECT_COMPACT_FIRST ? n * 2 : COLLECT_COMPACT_FIRST;
}

static int output_of(const tile_collector *c, uint32_t copy, int level) {
    for (uint32_t o = 0; o < c->plan->outputs.len; o++) {
        if (c->plan->outputs.at[o].copy == copy && c->plan->outputs.at[o].stream.level == level)
            return (int)o;
    }
    return -1;
}

static bool broken(const tile_collector *c, diagnostics *d, int level, const char *what, uint32_t got,
                   uint32_t want) {
    char where[24];
    snprintf(where, sizeof where, level == SAM_MODE_VALS ? "values" : "level %d", level);
    diag_mismatch(d, (src_loc){0}, "E0341-result-stream", "run %llu, result %s: %s %u, expected %u",
                  (unsigned long long)c->runs, where, what, got, want);
    return false;
}

/* Returns how many coordinates a sub-tile has at a storage level of the result. */
static uint32_t level_edge(const tile_collector *c, uint32_t level) {
    return c->plan->edge[c->var[c->result->mode[level]].v - 1];
}

static bool read_compressed(const tile_collector *c, int level, const uint16_t *w, uint32_t length,
                            uint32_t parents, arena *scratch, diagnostics *d, tile_nodes *out) {
    uint32_t segs = length ? w[0] : 0;
    if (length < segs + 2 || length != segs + 2 + w[segs + 1])
        return broken(c, d, level, "words", length, length ? segs + 2 : 2);
    uint32_t crds = w[segs + 1], edge = level_edge(c, (uint32_t)level);
    const uint16_t *seg = w + 1, *crd = w + segs + 2;
    uint32_t *parent = arena_new_n(scratch, uint32_t, crds + 1),
             *at = arena_new_n(scratch, uint32_t, crds + 1);
    /* A result without any coordinate still closes one fiber. */
    if (segs != parents + 1 && !(parents == 0 && crds == 0))
        return broken(c, d, level, "segments", segs, parents + 1);
    for (uint32_t f = 0, i = 0; f < parents; f++) {
        if (seg[f + 1] < seg[f] || seg[f + 1] > crds)
            return broken(c, d, level, "segment", seg[f + 1], crds);
        for (; i < seg[f + 1]; i++) {
            if (crd[i] >= edge)
                return broken(c, d, level, "coordinate", crd[i], edge - 1);
            parent[i] = f;
            at[i] = crd[i];
        }
    }
    if (parents && seg[parents] != crds)
        return broken(c, d, level, "coordinates", crds, seg[parents]);
    *out = (tile_nodes){crds, parent, at};
    return true;
}

/* Adds leaf `leaf` at its coordinates, unless padding put it outside the part. */
static void add_leaf(tile_collector *c, const tile_part *part, const tile_nodes *nodes, uint32_t leaf,
                     uint16_t value) {
    uint32_t at[SAM_MAX_ORDER], end[SAM_MAX_ORDER];
    for (uint32_t m = 0; m < c->result->order; m++)
        end[m] = part->origin[m] + part->size[m];
    if (!tile_leaf_at(c->result, nodes, leaf, part->origin, end, at))
        return;
    for (uint32_t m = 0; m < c->result->order; m++)
        vec_push(&c->entries_mem, &c->entries.crd, at[m]);
    vec_push(&c->entries_mem, &c->entries.val, value);
    c->cost.entries++;
}

/* Reports a writer that wrote more than the plan has room for. */
static bool is_bounded(const tile_collector *c, uint32_t run, int level, const uint16_t *w, uint32_t length,
                       uint32_t *most, diagnostics *d) {
    const tile_run *planned = &c->plan->runs.at[run];
    uint32_t longest = length ? w[0] : 0;
    if (length > longest + 1u && w[longest + 1] > longest)
        longest = w[longest + 1];
    *most = longest > *most ? longest : *most;
    if (length > planned->bound_words)
        return broken(c, d, level, "words", length, planned->bound_words);
    return longest <= planned->bound_array ||
           broken(c, d, level, "words of one array", longest, planned->bound_array);
}

static bool collect_part(tile_collector *c, uint32_t run, uint32_t copy, const uint16_t *const *words,
                         const uint32_t *lengths, diagnostics *d) {
    arena scratch = {0};
    tile_nodes nodes[SAM_MAX_ORDER];
    uint32_t parents = 1, most = 0;
    bool good = true;
    for (uint32_t l = 0; good && l < c->result->order; l++) {
        int o = output_of(c, copy, (int)l);
        if (o >= 0)
            good = read_compressed(c, (int)l, words[o], lengths[o], parents, &scratch, d, &nodes[l]) &&
                   is_bounded(c, run, (int)l, words[o], lengths[o], &most, d);
        else
            nodes[l] = tile_dense_nodes(parents, level_edge(c, l), &scratch);
        parents = good ? nodes[l].n : 0;
    }
    int o = output_of(c, copy, SAM_MODE_VALS);
    BUG_IF(o < 0, "the kernel has no stream of result values");
    /* A result without coordinates may still deliver the sum of nothing. */
    if (good && (!lengths[o] || lengths[o] != 1u + words[o][0]))
        good = broken(c, d, SAM_MODE_VALS, "words", lengths[o], lengths[o] ? 1u + words[o][0] : 1);
    if (good && words[o][0] != parents && parents)
        good = broken(c, d, SAM_MODE_VALS, "values", words[o][0], parents);
    good = good && is_bounded(c, run, SAM_MODE_VALS, words[o], lengths[o], &most, d);
    for (uint32_t leaf = 0; good && leaf < parents; leaf++)
        add_leaf(c, &c->plan->parts.at[run * c->plan->copies + copy], nodes, leaf, words[o][1 + leaf]);
    c->cost.words += most;
    c->cost.bound_words += c->plan->runs.at[run].bound_array;
    arena_free(&scratch);
    if (c->entries.val.len >= c->compact_at)
        compact(c);
    return good;
}

bool tile_collect_run(tile_collector *c, uint32_t run, const uint16_t *const *words, const uint32_t *lengths,
                      diagnostics *d) {
    bool good = true;
    for (uint32_t copy = 0; good && copy < c->plan->copies; copy++) {
        if (!c->plan->parts.at[run * c->plan->copies + copy].idle)
            good = collect_part(c, run, copy, words, lengths, d);
    }
    c->runs++;
    return good;
}

tile_collected tile_collect_cost(const tile_collector *c) {
    return c->cost;
}

bool tile_collect_end(tile_collector *c, arena *mem, tile_tensor *out) {
    compact(c);
    *out = (tile_tensor){.name = c->result->name, .order = c->result->order};
    memcpy(out->dim, c->extent, sizeof out->dim);
    tile_without_fill(out, &c->entries, c->dtype, mem);
    arena_free(&c->entries_mem);
    return true;
}
