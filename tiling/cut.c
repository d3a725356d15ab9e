/* cut.c - one operand of a plan: whole or partial sub-tiles as the words of memory tiles. */
#include "tiling/cut.h"
#include "tiling/plan_int.h"

/* ---- levels, shape, words -------------------------------------------------------------------- */

/* The entries in storage order, local coordinates by storage level, with the explicit zeros of padded levels;
 * of sub-tile 0 one zero at the corner, because the chip's repeaters and droppers must not meet an empty
 * outermost fiber. */
static void local_entries(const plan_operand *o, const sub_tile *t, const uint32_t *dim, arena *mem,
                          tile_entries *out) {
    uint32_t order = o->format->order, n = t->n ? t->n : 1;
    tile_entries in = {.crd = {arena_new_n(mem, uint32_t, (size_t)n * order + 1), n * order, n * order + 1},
                       .val = {arena_new_n(mem, uint16_t, n), n, n}};
    uint32_t mode[SAM_MAX_ORDER], low[SAM_MAX_ORDER], *to = in.crd.at;
    for (uint32_t l = 0; l < order; l++) {
        mode[l] = o->format->mode[l];
        low[l] = t->low[mode[l]];
    }
    in.val.at[0] = o->format->fill;
    for (uint32_t i = 0; i < t->n; i++, to += order) {
        const uint32_t *c = o->data->crd + (size_t)t->entry[i] * order;
        for (uint32_t l = 0; l < order; l++)
            to[l] = c[mode[l]] - low[l];
        in.val.at[i] = o->data->val[t->entry[i]];
    }
    if (o->format->padded)
        tile_pad(o->format, dim, &in, mem, out);
    else
        *out = in;
}

/* Makes levels of entries in storage order, in p->scratch. */
static bool levels_of(tile_planner *p, const plan_operand *o, const tile_entries *e, const uint32_t *dim,
                      sam_tensor_levels *levels) {
    static const uint8_t column[SAM_MAX_ORDER] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    uint32_t n = e->val.len, *as_is = arena_new_n(&p->scratch, uint32_t, n);
    p->limit.steps += n;
    for (uint32_t i = 0; i < n; i++)
        as_is[i] = i;
    const tile_sorted in = {tile_list(e->crd.at, o->format->order, e->val.at, n), as_is, column, dim};
    return tile_build_levels(o->format, &in, &p->scratch, p->diag, levels);
}

/* Fills the edges of sub-tiles by storage level. */
static void list_edges(const tile_planner *p, const plan_operand *o, uint32_t *dim) {
    for (uint32_t l = 0; l < o->format->order; l++)
        dim[l] = p->edge[plan_level_var(o, l).v - 1];
}

/* Makes the sub-tile's entries and levels in p->scratch. */
static bool build(tile_planner *p, const plan_operand *o, const sub_tile *t, tile_entries *e,
                  sam_tensor_levels *levels) {
    uint32_t dim[SAM_MAX_ORDER];
    list_edges(p, o, dim);
    local_entries(o, t, dim, &p->scratch, e);
    return levels_of(p, o, e, dim, levels);
}

/* Whether every array fits its memory tile and every block a bank of the global buffer. */
static void measure(const tile_planner *p, const sam_tensor_levels *levels, sub_tile *t) {
    uint32_t bank = p->options.bank_words ? p->options.bank_words : UINT32_MAX;
    const int shared = sam_sharing_table[p->options.sharing].load;
    uint32_t longest = levels->n_vals + 1, all = sam_carries(shared, SAM_MODE_VALS) ? longest : 0;
    t->most = t->vals = levels->n_vals;
    for (uint32_t l = 0, parents = 1; l < levels->order; l++) {
        const sam_level_data *level = &levels->level[l];
        parents = level->format == SAM_LEVEL_DENSE ? parents * level->dim : level->n_crd;
        t->tree[l] = parents;
        uint32_t block = level->n_seg + level->n_crd + 2;
        t->most = level->n_seg > t->most ? level->n_seg : t->most;
        t->most = level->n_crd > t->most ? level->n_crd : t->most;
        longest = block > longest ? block : longest;
        all += sam_carries(shared, (int)l) ? block : 0;
    }
    longest = all > longest ? all : longest;
    t->fits = t->most <= p->options.mem_words && longest <= bank;
}

/* The entries absent from the sub-tile, in storage order: all but the last level are dense. Without an absent
 * entry, one entry beyond the last coordinate, not present in any other operand. */
static void lacked_entries(const plan_operand *o, const sub_tile *t, const uint32_t *dim, arena *mem,
                           tile_entries *out) {
    const uint32_t order = o->format->order;
    uint64_t cells = 1, next = 0;
    *out = (tile_entries){0};
    for (uint32_t l = 0; l < order; l++)
        cells *= dim[l];
    const uint32_t last = o->format->mode[order - 1], edge = dim[order - 1];
    const uint32_t remaining =
        t->n ? o->data->dim[last] - t->low[last] : edge; /* ends at the last coordinate of the data */
    for (uint64_t cell = 0; cell <= cells; cell++) {
        const uint32_t *c = next < t->n ? o->data->crd + (size_t)t->entry[next] * order : NULL;
        uint32_t at[SAM_MAX_ORDER] = {0};
        uint64_t rest = cell;
        bool stored = c != NULL;
        for (uint32_t l = order; l-- > 0; rest /= dim[l]) {
            at[l] = (uint32_t)(rest % dim[l]);
            stored = stored && c[o->format->mode[l]] - t->low[o->format->mode[l]] == at[l];
        }
        next += stored;
        if (cell == cells)
            at[order - 1] = dim[order - 1];
        if (stored || (cell < cells && at[order - 1] >= remaining) || (cell == cells && out->val.len))
            continue;
        for (uint32_t l = 0; l < order; l++)
            vec_push(mem, &out->crd, at[l]);
        vec_push(mem, &out->val, 1);
    }
}

/* Makes the complementary levels of a sub-tile, for a joiner that takes absent coordinates. */
static bool build_lacked(tile_planner *p, const plan_operand *o, sub_tile *t, sam_tensor_levels *levels) {
    tile_entries e;
    uint32_t dim[SAM_MAX_ORDER];
    sub_tile stored = *t;
    list_edges(p, o, dim);
    lacked_entries(o, t, dim, &p->scratch, &e);
    if (!levels_of(p, o, &e, dim, levels))
        return false;
    measure(p, levels, &stored);
    t->most = stored.most;
    t->fits = stored.fits;
    return true;
}

static void push_array(tile_planner *p, const uint32_t *words, uint32_t n) {
    vec_push(p->mem, &p->plan->words, (uint16_t)n);
    for (uint32_t i = 0; i < n; i++)
        vec_push(p->mem, &p->plan->words, (uint16_t)words[i]);
}

/* Adds the content of a stream of one level, or of the values: length headers and words. */
static void push_level(tile_planner *p, const plan_operand *o, const sam_tensor_levels *levels, int level) {
    if (level == SAM_MODE_VALS) {
        vec_push(p->mem, &p->plan->words, (uint16_t)levels->n_vals);
        for (uint32_t k = 0; k < levels->n_vals; k++)
            vec_push(p->mem, &p->plan->words, (uint16_t)(levels->vals[k] ^ o->format->fill));
    } else {
        push_array(p, levels->level[level].seg, levels->level[level].n_seg);
        push_array(p, levels->level[level].crd, levels->level[level].n_crd);
    }
}

/* Content of each stream of the operand for the sub-tile. */
static void push_blocks(tile_planner *p, const plan_operand *o, const sam_tensor_levels *levels,
                        sub_tile *t) {
    t->block = 0;
    for (uint32_t i = 0; i < o->n_inputs; i++) {
        tile_input *input = &p->plan->inputs.at[o->input[i]];
        tile_block block = {.first = p->plan->words.len};
        block.row = levels->order == 2 ? levels->level[1].dim : 0;
        for (uint32_t m = 0; m < TILE_BLOCK_MODES; m++) {
            block.origin[m] = t->low[m];
            block.size[m] = t->size[m];
        }
        t->block = input->blocks.len;
        for (int l = 0; l < (int)levels->order; l++) {
            if (sam_carries(input->stream.level, l) && levels->level[l].format != SAM_LEVEL_DENSE)
                push_level(p, o, levels, l);
        }
        if (sam_carries(input->stream.level, SAM_MODE_VALS))
            push_level(p, o, levels, SAM_MODE_VALS);
        block.length = p->plan->words.len - block.first;
        vec_push(p->mem, &input->blocks, block);
    }
}

enum { SCRATCH_KEPT = 1 << 20 };

static void trim_scratch(tile_planner *p) {
    if (p->scratch.bytes > SCRATCH_KEPT)
        arena_free(&p->scratch);
}

/* Counted entries, in storage order: coordinate l of an entry is mode[l] of entry[i], less low[l]. */
typedef struct {
    const uint32_t *crd, *entry; /* entry NULL: all of crd, in its order */
    uint32_t n, order, low[SAM_MAX_ORDER];
    uint8_t mode[SAM_MAX_ORDER];
    uint32_t padded; /* levels in which a fiber without coordinate 0 gets one, with zeros below: a corner */
    uint32_t fibers; /* number of fibers of the second level with a corner if empty; 0: none */
    bool once;       /* of several entries at one place only one counts */
} listed_entries;

/* Counts including corners. */
typedef struct {
    uint32_t entries;
    uint32_t begun[SAM_MAX_ORDER + 1]; /* by the first level that differs from the previous entry */
    uint32_t distinct[SAM_MAX_ORDER];  /* coordinates, by level */
} entry_counts;

/* Returns 1 for the first visit of a coordinate of the level since counting began, else 0. */
static inline uint32_t count_new(plan_stamps stamps, uint32_t longest, uint32_t level, uint32_t coordinate) {
    uint16_t *stamp = &stamps.seen[(size_t)level * longest + coordinate];
    const bool is_new = *stamp != stamps.now;
    *stamp = stamps.now;
    return is_new;
}

/* Counts in O(entries x levels). */
static void count_entries(tile_planner *p, const listed_entries *e, entry_counts *out) {
    const uint32_t order = e->order, longest = p->longest, *before = NULL;
    uint32_t corner = order; /* the outermost level of one */
    if (++p->stamps.now == 0) {
        memset(p->stamps.seen, 0, sizeof *p->stamps.seen * longest * p->stamps.most_order);
        p->stamps.now = 1;
    }
    const plan_stamps stamps = p->stamps;
    for (uint32_t i = 0; i < e->n; i++) {
        const uint32_t *c = e->crd + (size_t)(e->entry ? e->entry[i] : i) * order;
        uint32_t l = 0;
        while (before && l < order && c[e->mode[l]] == before[e->mode[l]])
            l++;
        out->begun[l]++;
        out->entries += l < order || !e->once;
        for (bool begins = !before; l < order; l++, begins = true) {
            const uint32_t at = c[e->mode[l]] - e->low[l];
            out->distinct[l] += count_new(stamps, longest, l, at);
            if (!begins || at == 0 || !(e->padded >> l & 1))
                continue;
            out->begun[l]++;
            out->entries++;
            corner = l < corner ? l : corner;
        }
        before = c;
    }
    if (e->fibers > out->distinct[0]) {
        out->entries += e->fibers - out->distinct[0];
        out->begun[0] += e->fibers - out->distinct[0];
        corner = corner > 1 ? 1 : corner;
    }
    for (uint32_t l = corner; l < order; l++)
        out->distinct[l] += count_new(stamps, longest, l, 0);
}

/* Returns whether padding adds corners to a sub-tile with entries, and nothing else. */
static bool adds_corners_only(const sam_tensor_data *format) {
    bool dense = false, only = !format->lacked && (!format->whole || format->ones);
    for (uint32_t l = 0; l < format->order; l++) {
        only = only && !(dense && (format->padded >> l & 1));
        dense = dense || (l && format->level[l] == SAM_LEVEL_DENSE);
    }
    return only;
}

/* Lists the sub-tile's entries for counting, in p->scratch if padding adds entries. */
static listed_entries list_entries(tile_planner *p, const plan_operand *o, const sub_tile *t,
                                   const uint32_t *dim) {
    const sam_tensor_data *format = o->format;
    listed_entries out = {.crd = o->data->crd, .entry = t->entry, .n = t->n, .order = format->order};
    tile_entries made;
    if (t->n && adds_corners_only(format)) {
        for (uint32_t l = 0; l < format->order; l++) {
            out.mode[l] = format->mode[l];
            out.low[l] = t->low[out.mode[l]];
            out.padded |= format->level[l] == SAM_LEVEL_DENSE ? 0 : format->padded & 1u << l;
        }
        out.once = format->padded;
        out.fibers = format->order && format->level[0] == SAM_LEVEL_DENSE && (out.padded & 2) ? dim[0] : 0;
        return out;
    }
    local_entries(o, t, dim, &p->scratch, &made);
    out = (listed_entries){.crd = made.crd.at, .n = made.val.len, .order = format->order};
    for (uint32_t l = 0; l < format->order; l++)
        out.mode[l] = (uint8_t)l;
    return out;
}

/* Computes the array lengths of the levels that tile_build_levels makes of the counted entries. Returns false
 * if tile_build_levels must report an error. */
static bool size_levels(const sam_tensor_data *format, const entry_counts *counts, const uint32_t *dim,
                        sam_tensor_levels *out) {
    uint32_t parents = 1, nodes = 0;
    out->order = format->order;
    for (uint32_t l = 0; l < format->order; l++) {
        nodes += counts->begun[l];
        out->level[l] = (sam_level_data){.format = format->level[l], .dim = dim[l]};
        if (format->level[l] == SAM_LEVEL_COMPRESSED) {
            out->level[l].n_seg = parents + 1;
            out->level[l].n_crd = parents = nodes;
        } else if ((uint64_t)parents * dim[l] > TILE_MOST_DENSE)
            return false;
        else
            parents *= dim[l];
    }
    out->n_vals = parents;
    return true;
}

/* Finds the shape, and makes the words if requested and if they fit. */
static bool form(tile_planner *p, const plan_operand *o, sub_tile *t, bool words) {
    sam_tensor_levels levels;
    tile_entries entries;
    uint32_t dim[SAM_MAX_ORDER];
    list_edges(p, o, dim);
    const listed_entries listed = list_entries(p, o, t, dim);
    entry_counts counts = {.entries = 0};
    count_entries(p, &listed, &counts);
    if (p->limit.dry && size_levels(o->format, &counts, dim, &levels))
        p->limit.steps += counts.entries;
    else if (!build(p, o, t, &entries, &levels))
        return false;
    for (uint32_t l = 0; l < listed.order; l++) /* a dense level is as long as the edge */
        t->nodes[o->format->mode[l]] =
            (uint16_t)(o->format->level[l] == SAM_LEVEL_DENSE ? dim[l] : counts.distinct[l]);
    measure(p, &levels, t);
    if (o->format->lacked && !build_lacked(p, o, t, &levels))
        return false;
    if (words && t->fits && !p->limit.dry)
        push_blocks(p, o, &levels, t);
    trim_scratch(p);
    return true;
}

/* ---- the sub-tiles a batch met --------------------------------------------------------------- */

static uint32_t hash_of(const plan_operand *o, const sub_tile *t) {
    uint32_t hash = t->tile * 0x9e3779b1u;
    for (uint32_t m = 0; m < o->format->order; m++)
        hash = (hash ^ (t->low[m] + t->size[m] * 0x10001u)) * 0x85ebca6bu;
    return (hash ^ hash >> 15) & (o->n_heads - 1);
}

static void link_sub(plan_operand *o, uint32_t sub) {
    uint32_t *head = &o->head[hash_of(o, &o->subs.at[sub])];
    o->subs.at[sub].next = *head;
    *head = sub;
}

enum { FIRST_HEADS = 64 };

static uint32_t remember(tile_planner *p, plan_operand *o, const sub_tile *t) {
    uint32_t sub = o->subs.len;
    vec_push(p->mem, &o->subs, *t);
    if (sub < o->n_heads) {
        link_sub(o, sub);
        return sub;
    }
    o->n_heads *= 2;
    o->head = arena_new_n(p->mem, uint32_t, o->n_heads);
    for (uint32_t s = 1; s <= sub; s++)
        link_sub(o, s);
    return sub;
}

static uint32_t look_up(const plan_operand *o, const sub_tile *t) {
    uint32_t order = o->format->order;
    for (uint32_t s = o->head[hash_of(o, t)]; s; s = o->subs.at[s].next) {
        const sub_tile *other = &o->subs.at[s];
        if (other->tile == t->tile && memcmp(other->low, t->low, sizeof *t->low * order) == 0 &&
            memcmp(other->size, t->size, sizeof *t->size * order) == 0)
            return s;
    }
    return 0;
}

static sub_tile in_box(const plan_operand *o, uint32_t tile, const plan_box *box) {
    sub_tile t = {.tile = tile, .block = PLAN_NO_BLOCK, .halve = SAM_MAX_ORDER};
    for (uint32_t m = 0; m < o->format->order; m++) {
        t.low[m] = box->low[o->access->index[m].v - 1];
        t.size[m] = (uint16_t)box->size[o->access->index[m].v - 1];
    }
    return t;
}

bool plan_begin_batch(tile_planner *p, plan_operand *o) {
    sub_tile empty = {.block = PLAN_NO_BLOCK, .halve = SAM_MAX_ORDER};
    memset(&o->subs, 0, sizeof o->subs);
    o->n_heads = FIRST_HEADS;
    o->head = arena_new_n(p->mem, uint32_t, o->n_heads);
    if (!form(p, o, &empty, true))
        return false;
    vec_push(p->mem, &o->subs, empty);
    if (empty.fits)
        return true;
    diag_unmappable(
        p->diag, plan_place(p, o->access->loc), "E0330-capacity",
        "a %u-wide sub-tile of %s needs %u words of one memory tile, which holds %u, whatever is in it",
        p->longest, names_text(p->statement->names, o->format->name), empty.most, p->options.mem_words);
    return diag_hint(p->diag,
                     "use a smaller --tile, or compressed levels (s), which are split where they overflow");
}

bool plan_whole(tile_planner *p, plan_operand *o, uint32_t tile, const plan_box *box, uint32_t *sub) {
    sub_tile t = in_box(o, tile, box);
    *sub = look_up(o, &t);
    if (*sub)
        return true;
    t.entry = o->cut.entry + o->cut.tile_first[tile];
    t.n = o->cut.tile_first[tile + 1] - o->cut.tile_first[tile];
    if (!form(p, o, &t, true))
        return false;
    *sub = remember(p, o, &t);
    return true;
}

/* Returns the first of the entries whose coordinate of the outermost storage level is at least `at`. */
static uint32_t first_from(const plan_operand *o, const sub_tile *t, uint32_t at) {
    const uint32_t order = o->format->order, mode = o->format->mode[0];
    uint32_t low = 0, high = t->n;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (o->data->crd[(size_t)t->entry[middle] * order + mode] < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Finds the entries of a sub-tile with a known box: contiguous if only the outermost level is narrower. */
static void clip(tile_planner *p, const plan_operand *o, const sub_tile *whole, sub_tile *clipped) {
    const uint32_t order = o->format->order, outer = o->format->mode[0];
    const uint32_t first = first_from(o, whole, clipped->low[outer]),
                   end = first_from(o, whole, clipped->low[outer] + clipped->size[outer]);
    clipped->entry = whole->entry + first;
    clipped->n = end - first;
    for (uint32_t m = 0; m < order; m++) {
        if (m == outer || (clipped->low[m] == whole->low[m] && clipped->size[m] == whole->size[m]))
            continue;
        uint32_t *inside = arena_new_n(p->mem, uint32_t, clipped->n + 1), n = 0;
        for (uint32_t i = 0; i < clipped->n; i++) {
            inside[n] = clipped->entry[i];
            n += o->data->crd[(size_t)clipped->entry[i] * order + m] - clipped->low[m] < clipped->size[m];
        }
        clipped->entry = inside;
        clipped->n = n;
    }
}

bool plan_clip(tile_planner *p, plan_operand *o, uint32_t from, const plan_box *box, uint32_t *sub) {
    const sub_tile whole = o->subs.at[from];
    sub_tile t = in_box(o, whole.tile, box);
    *sub = look_up(o, &t);
    if (!*sub) {
        clip(p, o, &whole, &t);
        if (t.n && !form(p, o, &t, false))
            return false;
        *sub = remember(p, o, &t);
    }
    if (!o->subs.at[*sub].n)
        *sub = 0;
    return true;
}

/* Returns whether halving a run along v halves its result and another operand, too. */
static bool halves_all(const tile_planner *p, const plan_operand *o, sam_var v) {
    uint32_t n = 0;
    for (uint32_t t = 0; t < p->statement->tensors.len; t++) {
        const plan_operand *other = &p->operands[t];
        for (uint32_t m = 0; other != o && other->access && m < other->format->order; m++)
            n += other->access->index[m].v == v.v;
    }
    return n && sam_is_result_var(p->statement, v);
}

bool plan_halve(tile_planner *p, plan_operand *o, uint32_t sub, const plan_box *box, sam_var *out) {
    enum { EIGHTH = 8 };
    uint32_t least = UINT32_MAX;
    uint8_t halve = o->subs.at[sub].halve;
    for (uint8_t m = 0; halve == SAM_MAX_ORDER && m < o->format->order; m++) {
        uint32_t v = o->access->index[m].v - 1, most = 0;
        if (box->size[v] < 2 || (p->statement->uncut >> v & 1))
            continue;
        for (uint32_t half = 0; half < 2; half++) {
            plan_box other = *box;
            uint32_t clipped;
            tile_halve(box->low[v], box->size[v], half, &other.low[v], &other.size[v]);
            if (!plan_clip(p, o, sub, &other, &clipped))
                return false;
            most = o->subs.at[clipped].most > most ? o->subs.at[clipped].most : most;
        }
        most -= halves_all(p, o, o->access->index[m]) ? most / EIGHTH : 0;
        /* Among equals, halves the longer side to keep sub-tiles square. */
        uint32_t so_far = o->subs.at[sub].halve;
        if (most < least || (most == least && box->size[v] > box->size[o->access->index[so_far].v - 1])) {
            least = most;
            o->subs.at[sub].halve = m;
        }
    }
    halve = o->subs.at[sub].halve;
    if (halve == SAM_MAX_ORDER && p->statement->uncut) {
        diag_unmappable(
            p->diag, plan_place(p, o->access->loc), "E0330-capacity",
            "a sub-tile of %s needs %u words of one memory tile, which holds %u, and an operation "
            "takes whole sums over its other indices",
            names_text(p->statement->names, o->format->name), o->subs.at[sub].most, p->options.mem_words);
        return diag_hint(p->diag,
                         "compute the sum in one kernel, and the operation on its result in another");
    }
    BUG_IF(halve == SAM_MAX_ORDER, "a sub-tile of one coordinate does not fit");
    *out = o->access->index[halve];
    return true;
}

static const uint16_t *narrowed(const uint32_t *words, uint32_t n, arena *mem) {
    uint16_t *out = arena_new_n(mem, uint16_t, n + 1);
    for (uint32_t i = 0; i < n; i++)
        out[i] = (uint16_t)words[i];
    return out;
}

bool plan_tree(tile_planner *p, plan_operand *o, uint32_t sub, const plan_level **levels) {
    sub_tile *t = &o->subs.at[sub];
    sam_tensor_levels built;
    tile_entries entries;
    *levels = t->levels;
    if (t->levels)
        return true;
    if (!build(p, o, t, &entries, &built))
        return false;
    plan_level *its = arena_new_n(p->mem, plan_level, o->format->order + 1);
    for (uint32_t l = 0; l < o->format->order; l++) {
        const sam_level_data *level = &built.level[l];
        if (level->format == SAM_LEVEL_COMPRESSED)
            its[l] = (plan_level){narrowed(level->seg, level->n_seg, p->mem),
                                  narrowed(level->crd, level->n_crd, p->mem)};
    }
    *levels = t->levels = its;
    trim_scratch(p);
    return true;
}

bool plan_block(tile_planner *p, plan_operand *o, uint32_t sub, uint32_t *block) {
    if (o->subs.at[sub].block == PLAN_NO_BLOCK && !form(p, o, &o->subs.at[sub], true))
        return false;
    *block = o->subs.at[sub].block;
    return true;
}
