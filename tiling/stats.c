/* stats.c - how full the sub-tiles of a tensor are. */
#include "tiling/cut.h"
#include "tiling/plan_int.h"

static void include(tile_range *r, uint64_t words, bool first) {
    r->least = first || words < r->least ? words : r->least;
    r->most = words > r->most ? words : r->most;
    r->sum += words;
}

static void count(const plan_operand *o, const sub_tile *t, tile_statistics *out) {
    bool first = out->filled++ == 0;
    uint32_t bin = 0;
    while (bin + 1 < TILE_BINS && t->n >> (bin + 1))
        bin++;
    out->histogram[bin]++;
    out->overflowing += !t->fits;
    include(&out->entries, t->n, first);
    include(&out->vals, t->vals, first);
    for (uint32_t l = 0; l < o->format->order; l++) {
        bool dense = o->format->level[l] == SAM_LEVEL_DENSE;
        include(&out->seg[l], dense ? 0 : (l ? t->tree[l - 1] : 1) + 1, first);
        include(&out->crd[l], dense ? 0 : t->tree[l], first);
    }
}

/* Finds the box of a uniform sub-tile. */
static void box_of(const tile_planner *p, const plan_operand *o, uint32_t tile, plan_box *box) {
    for (uint32_t k = 0; k < o->n_digits; k++) {
        uint32_t v = o->digit[k].var.v - 1;
        uint32_t edge = p->edge[v];
        box->low[v] = plan_piece(o, tile, k) * edge;
        box->size[v] = p->extent[v] - box->low[v] < edge ? p->extent[v] - box->low[v] : edge;
    }
}

bool tile_stats(const sam_statement *s, const tile_operands *in, const tile_options *options, arena *mem,
                diagnostics *d, tile_statistics *out) {
    enum { MOST_AT_ONCE = 1 << 14 };
    tile_options one_level = *options;
    one_level.glb_tile = 0;
    memset(one_level.glb_edge, 0, sizeof one_level.glb_edge);
    tile_planner *p = tile_plan_begin(s, in, &one_level, NULL, 0, NULL, 0, mem, d);
    if (!p)
        return false;
    uint32_t t = 0;
    while (t + 1 < s->tensors.len && !p->operands[t].access)
        t++;
    plan_operand *o = &p->operands[t];
    *out = (tile_statistics){.tile = p->longest, .possible = p->counts.possible};
    for (uint32_t m = 0; m < o->format->order; m++)
        out->edge[m] = p->edge[o->access->index[m].v - 1];
    arena batch = {0};
    bool good = true;
    p->limit.dry = true;
    p->mem = &batch;
    for (uint32_t tile = 0; good && tile < o->cut.n_tiles; tile++) {
        plan_box box = {{0}, {0}};
        uint32_t sub = 0;
        if (tile % MOST_AT_ONCE == 0) {
            arena_free(&batch);
            good = plan_begin_batch(p, o);
        }
        box_of(p, o, tile, &box);
        good = good && plan_whole(p, o, tile, &box, &sub);
        if (good)
            count(o, &o->subs.at[sub], out);
    }
    arena_free(&batch);
    tile_plan_end(p);
    return good;
}
