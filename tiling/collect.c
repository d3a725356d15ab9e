/* Results: reads the output streams of each run as fibertrees and adds them up in one tensor. Entries arrive
 * in any order. They accumulate up to the number of merged entries, then are sorted and merged: each entry is
 * merged O(log) times at most. */
#include "sam/operators.h"
#include "support/clist.h"
#include "tiling/tiling_int.h"

struct tile_collector {
    const sam_tensor_data *result;
    const tile_plan *plan, *edges;  /* edges: with the edges of the statement's variables */
    uint32_t from, to;              /* the copies with its result; to: 0, all from there on */
    tile_collector *next;           /* takes each run, too; or NULL */
    sam_var var[SAM_MAX_ORDER];     /* of the result, by logical mode */
    uint32_t extent[SAM_MAX_ORDER]; /* of the result, by logical mode */
    tile_dtype dtype;
    sam_operation merge; /* combines two partial results */
    bool in_float32;
    arena all_mem, some_mem;
    clist all;     /* sorted partial results, each place once */
    clist some;    /* later entries, in any order */
    uint32_t most; /* limit of `some` before a merge */
    uint64_t runs; /* of all plans so far */
    tile_collected cost;
};

enum { COLLECT_MERGE_FIRST = 1 << 20, COLLECT_ROOM_FIRST = 1 << 10 };

tile_collector *tile_collect_begin(const sam_statement *s, const tile_plan *plan, const uint32_t *extent,
                                   tile_dtype dtype, arena *mem) {
    tile_collector *c = arena_new(mem, tile_collector);
    *c = (tile_collector){.result = sam_tensor_at(s, s->result),
                          .plan = plan,
                          .edges = plan,
                          .dtype = dtype,
                          .most = COLLECT_MERGE_FIRST};
    c->all.width = c->some.width = c->result->order;
    memcpy(c->var, s->result_index, sizeof c->var);
    tile_result_dim(s, extent, c->extent);
    if (sam_expr_at(s, s->rhs)->kind == SAM_EXPR_SUM)
        c->merge = (sam_operation)sam_expr_at(s, s->rhs)->operation;
    c->in_float32 = dtype == TILE_DTYPE_BF16 && c->merge == SAM_OPERATION_add;
    return c;
}

void tile_collect_copy(tile_collector *c, uint32_t copy, const tile_plan *own, tile_collector *next) {
    c->edges = own;
    c->from = copy;
    c->to = copy + 1;
    c->next = next;
}

static clist new_list(const tile_collector *c, uint32_t room, arena *mem) {
    return (clist){.width = c->result->order,
                   .room = room,
                   .crd = arena_new_n(mem, uint32_t, (size_t)room * c->result->order + 1),
                   .val = arena_new_n(mem, uint16_t, room + 1)};
}

static bool at_one_place(const clist *l, uint32_t a, uint32_t b) {
    return !l->width || memcmp(l->crd + (size_t)a * l->width, l->crd + (size_t)b * l->width,
                               l->width * sizeof *l->crd) == 0;
}

/* Adds up the entries of each place in float32: the first entry becomes the sum, order[] has an entry of each
 * place. */
static void add_in_float32(clist *l, uint32_t *order) {
    uint32_t places = 0;
    for (uint32_t i = 0, first = 0; i < l->n; first = i) {
        float sum = 0;
        for (; i < l->n && at_one_place(l, order[first], order[i]); i++)
            sum = i == first ? bf16_to_float(l->val[order[i]]) : sum + bf16_to_float(l->val[order[i]]);
        l->val[order[first]] = bf16_from_float(sum);
        order[places++] = order[first];
    }
    l->n = places;
}

/* Merges `some` into `all`, in a fresh arena. */
static void merge(tile_collector *c) {
    arena fresh = {0}, scratch = {0};
    double start = seconds_now();
    uint32_t *order = arena_new_n(&scratch, uint32_t, c->some.n + 1);
    clist merged = new_list(c, c->all.n + c->some.n, &fresh);
    const sam_operator *op = sam_operator_of(c->merge, c->dtype == TILE_DTYPE_BF16);
    tile_sort(c->some.crd, c->some.width, c->some.n, (clist_by){tile_logical, c->some.width}, order,
              &scratch);
    if (c->in_float32)
        add_in_float32(&c->some, order);
    clist_merge(&c->all, &c->some, (clist_by){tile_logical, c->some.width}, order, op->apply, &merged);
    arena_free(&scratch);
    arena_free(&c->all_mem);
    c->all_mem = fresh;
    c->all = merged;
    c->some.n = 0;
    c->most = merged.n > COLLECT_MERGE_FIRST ? merged.n : COLLECT_MERGE_FIRST;
    c->cost.seconds += seconds_now() - start;
}

/* Makes room for another entry. */
static void make_room(tile_collector *c) {
    arena fresh = {0};
    if (c->some.n >= c->most) {
        merge(c);
        return;
    }
    clist wider = new_list(c, c->some.room ? 2 * c->some.room : COLLECT_ROOM_FIRST, &fresh);
    wider.n = c->some.n;
    if (wider.n && wider.width)
        memcpy(wider.crd, c->some.crd, sizeof *wider.crd * wider.n * wider.width);
    if (wider.n)
        memcpy(wider.val, c->some.val, sizeof *wider.val * wider.n);
    arena_free(&c->some_mem);
    c->some_mem = fresh;
    c->some = wider;
}

/* Returns the stream with an array of the result of one copy; -1: none. */
static int output_of(const tile_collector *c, uint32_t copy, int array) {
    for (uint32_t o = 0; o < c->plan->outputs.len; o++) {
        if (c->plan->outputs.at[o].copy == copy && sam_carries(c->plan->outputs.at[o].stream.level, array))
            return (int)o;
    }
    return -1;
}

static bool broken(const tile_collector *c, diagnostics *d, int level, const char *what, uint32_t got,
                   uint32_t want) {
    char where[24];
    snprintf(where, sizeof where, level == SAM_MODE_VALS ? "values" : "level %d", level);
    return diag_mismatch(d, (src_loc){0}, "E0341-result-stream", "run %llu, result %s: %s %u, expected %u",
                         (unsigned long long)c->runs, where, what, got, want);
}

/* Returns how many coordinates a sub-tile has at a storage level of the result. */
static uint32_t level_edge(const tile_collector *c, uint32_t level) {
    return c->edges->edge[c->var[c->result->mode[level]].v - 1];
}

/* The words of a level, or of the values. */
typedef struct {
    const uint16_t *at;
    uint32_t length;
} level_words;

static uint32_t pass_blocks(const uint16_t *words, uint32_t length, uint32_t at, uint32_t blocks) {
    for (; blocks && at < length; blocks--)
        at += 1u + words[at];
    return at;
}

/* Returns the words of a level of one copy, from a separate stream or a common stream of all levels, in which
 * the word 0 is an empty block (onyx_block_chain.sv). `at` NULL: a dense level, without words.
 */
static level_words words_of(const tile_collector *c, uint32_t copy, int level, const uint16_t *const *words,
                            const uint32_t *lengths, arena *scratch) {
    const int o = output_of(c, copy, level);
    if (o < 0 || (level >= 0 && c->result->level[level] == SAM_LEVEL_DENSE))
        return (level_words){NULL, 0};
    const int stream = c->plan->outputs.at[o].stream.level;
    if (stream == level)
        return (level_words){words[o], lengths[o]};
    const uint32_t at = pass_blocks(words[o], lengths[o], 0,
                                    sam_blocks_before(stream, c->result->level, c->result->order, level));
    uint32_t end = level == SAM_MODE_VALS ? lengths[o] : pass_blocks(words[o], lengths[o], at, 2);
    end = end < lengths[o] ? end : lengths[o];
    const uint16_t *own = words[o] + at;
    const uint32_t length = end > at ? end - at : 0, segments = length ? own[0] : 0;
    if (level == SAM_MODE_VALS || length != segments + 3 || segments == 0 || own[segments] != 0)
        return (level_words){own, length};
    uint16_t *none = arena_new_n(scratch, uint16_t, length);
    memcpy(none, own, sizeof *none * length);
    none[segments + 1] = 0;
    return (level_words){none, length - 1};
}

/* The words of the current run. */
typedef struct {
    const tile_collector *c;
    uint32_t run, most; /* words of one array, the maximum so far */
    arena *scratch;
    diagnostics *d;
} reading;

static bool read_compressed(const reading *r, int level, level_words words, uint32_t parents,
                            tile_nodes *out) {
    const tile_collector *c = r->c;
    const uint16_t *w = words.at;
    const uint32_t length = words.length;
    arena *scratch = r->scratch;
    diagnostics *d = r->d;
    uint32_t segs = length ? w[0] : 0;
    if (length < segs + 2 || length != segs + 2 + w[segs + 1])
        return broken(c, d, level, "words", length, length ? segs + 2 : 2);
    uint32_t crds = w[segs + 1], edge = level_edge(c, (uint32_t)level);
    const uint16_t *seg = w + 1, *crd = w + segs + 2;
    uint32_t *parent = arena_new_n(scratch, uint32_t, crds + 1),
             *at = arena_new_n(scratch, uint32_t, crds + 1);
    /* A result without coordinates still closes one fiber. */
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

/* Adds leaf `leaf` at its coordinates, except padding outside the box. */
static void add_leaf(tile_collector *c, const tile_box *box, const tile_nodes *nodes, uint32_t leaf,
                     uint16_t value) {
    uint32_t at[SAM_MAX_ORDER], end[SAM_MAX_ORDER];
    for (uint32_t m = 0; m < c->result->order; m++)
        end[m] = box->origin[m] + box->size[m];
    if (!tile_leaf_at(c->result, nodes, leaf, box->origin, end, at))
        return;
    while (!clist_insert(&c->some, at, value))
        make_room(c);
    c->cost.entries++;
}

/* Reports a writer that exceeds the plan's room. */
static bool is_bounded(reading *r, int level, level_words words) {
    const tile_collector *c = r->c;
    const tile_run *planned = &c->plan->runs.at[r->run];
    const uint16_t *w = words.at;
    const uint32_t length = words.length;
    uint32_t longest = length ? w[0] : 0;
    if (length > longest + 1u && w[longest + 1] > longest)
        longest = w[longest + 1];
    r->most = longest > r->most ? longest : r->most;
    if (length > planned->bound_words)
        return broken(c, r->d, level, "words", length, planned->bound_words);
    return longest <= planned->bound_array ||
           broken(c, r->d, level, "words of one array", longest, planned->bound_array);
}

static bool collect_box(tile_collector *c, uint32_t run, uint32_t copy, const uint16_t *const *words,
                        const uint32_t *lengths, diagnostics *d) {
    arena scratch = {0};
    tile_nodes nodes[SAM_MAX_ORDER];
    reading r = {.c = c, .run = run, .scratch = &scratch, .d = d};
    uint32_t parents = 1;
    bool good = true;
    for (uint32_t l = 0; good && l < c->result->order; l++) {
        const level_words w = words_of(c, copy, (int)l, words, lengths, &scratch);
        if (w.at)
            good = read_compressed(&r, (int)l, w, parents, &nodes[l]) && is_bounded(&r, (int)l, w);
        else
            nodes[l] = tile_dense_nodes(parents, level_edge(c, l), &scratch);
        parents = good ? nodes[l].n : 0;
    }
    const level_words w = words_of(c, copy, SAM_MODE_VALS, words, lengths, &scratch);
    BUG_IF(!w.at, "the kernel has no stream of result values");
    /* A result without coordinates may still deliver the sum of nothing. */
    if (good && (!w.length || w.length != 1u + w.at[0]))
        good = broken(c, d, SAM_MODE_VALS, "words", w.length, w.length ? 1u + w.at[0] : 1);
    if (good && w.at[0] != parents && parents)
        good = broken(c, d, SAM_MODE_VALS, "values", w.at[0], parents);
    good = good && is_bounded(&r, SAM_MODE_VALS, w);
    for (uint32_t leaf = 0; good && leaf < parents; leaf++)
        add_leaf(c, &c->plan->boxes.at[run * c->plan->copies + copy], nodes, leaf, w.at[1 + leaf]);
    c->cost.words += r.most;
    c->cost.bound_words += c->plan->runs.at[run].bound_array;
    arena_free(&scratch);
    return good;
}

bool tile_collect_run(tile_collector *c, uint32_t run, const uint16_t *const *words, const uint32_t *lengths,
                      diagnostics *d) {
    bool good = true;
    const uint32_t end = c->to ? c->to : c->plan->copies;
    for (uint32_t copy = c->from; good && copy < end; copy++) {
        if (!c->plan->boxes.at[run * c->plan->copies + copy].idle)
            good = collect_box(c, run, copy, words, lengths, d);
    }
    c->runs++;
    return good && (!c->next || tile_collect_run(c->next, run, words, lengths, d));
}

tile_collected tile_collect_cost(const tile_collector *c) {
    return c->cost;
}

/* Returns whether the places are those of rows, whose values are added up to one (sam_statement.rows). */
static bool are_added_rows(const tile_collector *c) {
    return c->result->view.source.v && !c->result->view.source_order && c->merge == SAM_OPERATION_add;
}

/* Adds up all values in the order of their arrival, as the chip's processor does. */
static void add_rows(tile_collector *c) {
    const sam_operator *add = sam_operator_of(c->merge, c->dtype == TILE_DTYPE_BF16);
    const clist *l = &c->some;
    float sum = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        sum += bf16_to_float(l->val[i]);
        l->val[0] = i ? add->apply(l->val[0], l->val[i]) : l->val[0];
    }
    if (l->n && c->in_float32)
        l->val[0] = bf16_from_float(sum);
    c->some.n = l->n > 0;
}

bool tile_collect_end(tile_collector *c, arena *mem, tile_tensor *out) {
    if (are_added_rows(c) &&
        !c->all.n) /* of fewer values than are merged at a time: frontend/lowering/rows.c */
        add_rows(c);
    merge(c);
    *out = (tile_tensor){.name = c->result->name, .order = c->result->order};
    memcpy(out->dim, c->extent, sizeof out->dim);
    const uint32_t words = c->all.n * c->all.width;
    const tile_entries entries = {.crd = {c->all.crd, words, words},
                                  .val = {c->all.val, c->all.n, c->all.n},
                                  .merge = (uint8_t)c->merge,
                                  .fill = c->result->fill};
    tile_without_fill(out, &entries, c->dtype, mem);
    arena_free(&c->all_mem);
    arena_free(&c->some_mem);
    return true;
}
