/* model.c - what a run is expected to cost, from the occupancy of its sub-tiles alone.
 *
 * Loop by loop, outermost first: an operand that has the loop's variable is scanned once for every iteration
 * of the loops outside, its fibers are as long as its tree says on average, and how many coordinates go on
 * is what the expression makes of independent operands (a product: those all have; a sum: those any has).
 * Scanners, joiners, values, reducers and writers work at the same time, so the slowest of these stages sets
 * the pace, from when the words it waits for are loaded. The expected sizes are those of the statistical
 * tiling literature (D2T2), for one tile pair instead of the average one. costs.def has the costs.
 */
#include "tiling/model.h"
#include "tiling/meet.h"

#include <math.h>

static const double cycles_of[TILE_WORKS] = {
#define ARRAY(NAME, name, cycles, each) [TILE_##NAME] = cycles,
#include "tiling/costs.def"
};

/* Returns the storage level of the operand along v, or -1. */
static int level_along(const plan_operand *o, sam_var v) {
    return o->level_along ? o->level_along[v.v - 1] : -1;
}

/* Returns whether the operand has a level along v that is not located. */
static bool is_scanned(const plan_operand *o, sam_var v) {
    return level_along(o, v) >= 0 && !(o->access->located >> (v.v - 1) & 1);
}

static bool is_stepped(const tile_planner *p, sam_var v) {
    return p->statement->stepped >> (v.v - 1) & 1;
}

static double parents_of(const sub_tile *t, int level) {
    return level > 0 ? t->tree[level - 1] : 1;
}

/* Returns how many fibers of the level may have entries: a dense level is as long as the edge, but of a run
 * that was split no coordinate outside of its box is met. */
static double fibers_of(const plan_operand *o, const sub_tile *t, int level) {
    double fibers = 1;
    for (int l = 0; l < level; l++) {
        const uint8_t mode = o->format->mode[l];
        fibers = o->format->level[l] == SAM_LEVEL_DENSE && t->n ? fibers * t->size[mode] : t->tree[l];
    }
    return fibers;
}

/* Average coordinates in a fiber of the operand along v, or -1 without v. */
static double fiber_length(const plan_operand *o, const sub_tile *t, sam_var v) {
    int level = level_along(o, v);
    if (level < 0)
        return -1;
    if (o->format->level[level] == SAM_LEVEL_DENSE)
        return parents_of(t, level) > 0 ? t->tree[level] / parents_of(t, level) : 0;
    const double fibers = fibers_of(o, t, level);
    return fibers > 0 ? t->tree[level] / fibers : 0;
}

/* Average coordinates in a fiber of operand t along v over the iterations of the loops outside, or -1. */
static double met_length(const tile_planner *p, const uint32_t *sub, uint32_t t, sam_var v) {
    const plan_operand *o = &p->operands[t];
    const double length = fiber_length(o, &o->subs.at[sub[t]], v);
    return length < 0 ? length : length * p->fibers.skew[(v.v - 1) * p->statement->tensors.len + t];
}

/* Returns the common coordinates of two fibers among `size`, for operands with a share `alike` in common. */
static double common(double a, double b, double size, double alike) {
    return fmin(fmax(a * b / size, alike * fmin(a, b)), fmin(a, b)); /* dense fibers may exceed `size` */
}

/* Passed-on coordinates of a variable. */
typedef struct {
    double n;      /* -1: the variable is not restricted */
    sam_tensor of; /* the only operand that restricts the variable, if single */
} survived;

/* Returns how many of `size` coordinates of v both have. */
static double common_along(const tile_planner *p, sam_var v, double size, survived a, survived b) {
    for (uint32_t i = 0; i < p->fibers.meetings.len; i++) {
        const plan_meeting *m = &p->fibers.meetings.at[i];
        const uint32_t x = m->of[0] + 1, y = m->of[1] + 1;
        if (m->exact && m->at.v == v.v && ((x == a.of.v && y == b.of.v) || (x == b.of.v && y == a.of.v)))
            return m->coordinates;
    }
    return common(a.n, b.n, size, plan_alike(p, a.of, b.of));
}

/* The fold over the right side reads this. */
typedef struct {
    const tile_planner *p;
    const uint32_t *sub;
    sam_var v;
    double size;
} surviving;

static void survive_stored(void *context, sam_expr access, void *out) {
    const surviving *s = context;
    const sam_tensor of = sam_expr_at(s->p->statement, access)->tensor;
    *(survived *)out = (survived){met_length(s->p, s->sub, of.v - 1, s->v), of};
}

static double survive_common(const surviving *s, const survived *a, const survived *b) {
    return common_along(s->p, s->v, s->size, *a, *b);
}

static void survive_both(void *context, sam_expr e, void *share, const void *right) {
    survived *a = share;
    const survived *b = right;
    (void)e;
    if (a->n < 0 || b->n < 0)
        *a = a->n < 0 ? *b : *a;
    else
        *a = (survived){survive_common(context, a, b), {0}};
}

static void survive_either(void *context, sam_expr e, void *share, const void *right) {
    const surviving *s = context;
    survived *a = share;
    const survived *b = right;
    (void)e;
    if (a->n < 0 || b->n < 0) {
        *a = a->n < 0 ? *b : *a;
        return;
    }
    const double all = a->n + b->n - survive_common(s, a, b);
    *a = (survived){all > s->size ? s->size : all, {0}};
}

/* Returns how many of `size` coordinates of v go on; -1 where the expression does not restrict v. */
static double survivors(const tile_planner *p, const uint32_t *sub, sam_var v, double size) {
    static const survived any = {-1, {0}};
    static const sam_fold_by by = {sizeof any, &any, survive_stored, survive_both, survive_either, NULL};
    survived go_on;
    sam_fold(&p->visits.algebra, p->visits.coordinates, &by, &(surviving){p, sub, v, size}, &go_on);
    return go_on.n;
}

/* Returns the words of the operand's array at a level. */
static double words_of(const plan_operand *o, const sub_tile *t, int level) {
    return o->format->level[level] == SAM_LEVEL_COMPRESSED ? t->tree[level] + parents_of(t, level) + 3 : 0;
}

/* Returns the words loaded up to the end of the operand's array at a level, sequentially if levels come in
 * turn. */
static double loaded_with(const tile_planner *p, const plan_operand *o, const sub_tile *t, int level) {
    double words = words_of(o, t, level);
    for (int l = 0; sam_carries(sam_sharing_table[p->options.sharing].load, l) && l < level; l++)
        words += words_of(o, t, l);
    return words;
}

static double longest_load(const tile_planner *p, const uint32_t *sub) {
    const int shared = sam_sharing_table[p->options.sharing].load;
    double longest = p->options.table_words;
    for (uint32_t t = 0; t < p->statement->tensors.len; t++) {
        const plan_operand *o = &p->operands[t];
        if (!o->access)
            continue;
        const sub_tile *used = &o->subs.at[sub[t]];
        double all = sam_carries(shared, SAM_MODE_VALS) ? used->vals : 0;
        for (uint32_t l = 0; l < o->format->order; l++) {
            longest = fmax(longest, words_of(o, used, (int)l));
            all += sam_carries(shared, (int)l) ? words_of(o, used, (int)l) : 0;
        }
        longest = fmax(longest, fmax(all, used->vals));
    }
    return longest;
}

/* The slowest stage so far. */
typedef struct {
    double cycles, work[TILE_WORKS];
} slowest;

static void consider(slowest *s, const double *work) {
    double cycles = 0;
    for (uint32_t w = 0; w < TILE_WORKS; w++)
        cycles += work[w] * cycles_of[w];
    if (cycles <= s->cycles)
        return;
    s->cycles = cycles;
    memcpy(s->work, work, sizeof s->work);
}

/* Where the model stands between two loops. */
typedef struct {
    double iterations;          /* of the loops outside */
    double loaded;              /* words that the outer loops wait for */
    double full;                /* words that the values wait for */
    double fibers;              /* of the result */
    double vectors;             /* added up in each of `fibers` */
    double kept[SAM_MAX_ORDER]; /* coordinates of the result's levels */
} walk;

/* Returns the number of operands that scan a level along v, each waiting for the others; operands scanned
 * side by side do not wait. */
static uint32_t scanned_along(const tile_planner *p, sam_var v) {
    return p->visits.scanned[v.v - 1];
}

void plan_find_levels(tile_planner *p) {
    const sam_statement *s = p->statement;
    p->visits.scanned = arena_new_n(&p->own, uint8_t, s->vars.len + 1);
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        plan_operand *o = &p->operands[t];
        if (!o->access)
            continue;
        o->level_along = arena_new_n(&p->own, int8_t, s->vars.len + 1);
        memset(o->level_along, -1, s->vars.len);
        for (uint32_t l = o->format->order; l-- > 0;)
            o->level_along[plan_level_var(o, l).v - 1] = (int8_t)l;
        for (uint32_t v = 0; v < s->vars.len; v++) {
            uint8_t *n = &p->visits.scanned[v];
            if (is_scanned(o, (sam_var){v + 1}))
                *n = (uint8_t)(o->access->aligned >> v & 1 ? 1 : *n + 1);
        }
    }
}

/* A fiber begins and ends more slowly if a joiner waits for another fiber. */
static tile_work fiber_of(uint32_t scanned) {
    return scanned > 1 ? TILE_FIBER : TILE_ALONE;
}

/* Considers the scanners and joiners of a loop of `size` coordinates. */
static void scan_loop(const tile_planner *p, const uint32_t *sub, sam_var v, double size, walk *w,
                      slowest *s) {
    const uint32_t scanned = scanned_along(p, v);
    survived joined = {0, {0}};
    for (uint32_t t = 0; t < p->statement->tensors.len; t++) {
        const plan_operand *o = &p->operands[t];
        if (!is_scanned(o, v))
            continue;
        int level = level_along(o, v);
        const sub_tile *used = &o->subs.at[sub[t]];
        double length = met_length(p, sub, t, v);
        double work[TILE_WORKS] = {0};
        work[fiber_of(scanned)] = w->iterations;
        w->loaded = fmax(w->loaded, loaded_with(p, o, used, level));
        work[TILE_LOAD] = w->loaded;
        work[o->format->level[level] == SAM_LEVEL_DENSE ? TILE_TOKEN : TILE_SCAN] = w->iterations * length;
        consider(s, work);
        const survived its = {length, {t + 1}};
        joined = (survived){joined.n + length - common_along(p, v, size, joined, its), its.of};
    }
    if (scanned > 1)
        consider(s, (double[TILE_WORKS]){[TILE_LOAD] = w->loaded,
                                         [TILE_FIBER] = w->iterations,
                                         [TILE_TOKEN] = w->iterations * joined.n});
}

/* Returns the share of passed-on coordinates of v (`share` of all) whose line of words differs from the
 * previous coordinate's: the share of the only scanned operand's entries, or of evenly spread coordinates. */
static double other_lines(const tile_planner *p, sam_var v, double share) {
    for (uint32_t t = 0; t < p->statement->tensors.len; t++) {
        const plan_operand *o = &p->operands[t];
        const int level = level_along(o, v);
        if (is_scanned(o, v) && (uint32_t)level + 1 == o->format->order && scanned_along(p, v) == 1)
            return o->format->level[level] == SAM_LEVEL_DENSE ? 1.0 / PLAN_LINE : o->cut.other_lines;
    }
    double absent = 1, same = 0;
    for (uint32_t r = 0; r < PLAN_LINE; r++) {
        same += (1 - absent) / PLAN_LINE;
        absent *= 1 - fmin(share, 1);
    }
    return 1 - same;
}

/* Considers values located along v, whose loop makes `rounds` rounds in all, each over `share` of the
 * coordinates. */
static void look_up(const tile_planner *p, sam_var v, double rounds, double share, const walk *w,
                    slowest *s) {
    for (uint32_t t = 0; t < p->statement->tensors.len; t++) {
        const plan_operand *o = &p->operands[t];
        const int level = level_along(o, v);
        if (level < 0 || is_scanned(o, v) || (uint32_t)level + 1 != o->format->order)
            continue;
        double work[TILE_WORKS] = {[TILE_LOAD] = w->full,
                                   [TILE_TOKEN] = w->iterations,
                                   [TILE_LOOKUP] = w->iterations * other_lines(p, v, share)};
        work[fiber_of(scanned_along(p, v))] = rounds;
        consider(s, work);
    }
}

/* Returns how many of `size` coordinates are expected to be in any of n independent fibers of `length`. */
static double united(double size, double length, double n) {
    return n < 1 || length >= size ? length * fmin(n, 1) : size * (1 - pow(1 - length / size, n));
}

/* Considers the writer of a level of the result, where `inside` values are expected below each coordinate. */
static void write_level(double size, double go_on, double inside, walk *w, slowest *s) {
    w->fibers *= united(size, go_on, w->vectors) * (1 - exp(-inside));
    consider(s, (double[TILE_WORKS]){[TILE_LOAD] = w->full, [TILE_WRITE] = w->fibers});
}

/* Returns the average of united() over the first fiber, the first two, and so on up to all n >= 1. */
static double united_so_far(double size, double length, double n) {
    double share = 1 - length / size;
    return share <= 0 || share >= 1 ? length : size * (1 - share * (1 - pow(share, n)) / (n * (1 - share)));
}

/* Returns whether the kernel scans compressed levels. */
static bool scans_compressed(const tile_planner *p) {
    bool any = false;
    for (uint32_t l = 0; l < p->statement->loops.len; l++) {
        const sam_var v = p->statement->loops.at[l];
        for (uint32_t t = 0; t < p->statement->tensors.len; t++) {
            const plan_operand *o = &p->operands[t];
            any = any || (is_scanned(o, v) && o->format->level[level_along(o, v)] == SAM_LEVEL_COMPRESSED);
        }
    }
    return any;
}

/* Considers the reducer of `vectors` vectors a sum, each with `length` of `size` coordinates. */
static void add_vectors(const tile_planner *p, double vectors, double length, double size, walk *w,
                        slowest *s) {
    double all = w->iterations * vectors;
    w->vectors *= vectors;
    if (p->options.vector_reducer)
        consider(s, (double[TILE_WORKS]){[TILE_LOAD] = w->full,
                                         [TILE_ENTRY] = all * length,
                                         [TILE_WRITE] = w->iterations * united(size, length, vectors)});
    else
        consider(s,
                 (double[TILE_WORKS]){[TILE_LOAD] = w->full,
                                      [TILE_VECTOR] = all,
                                      [TILE_PARTIAL] = all * united_so_far(size, length, fmax(vectors, 1)) *
                                                       (scans_compressed(p) ? 1 : tile_dense_partial()),
                                      [TILE_ACCUMULATED] = w->iterations});
}

/* Returns the storage level of the result along v. */
static uint32_t result_level(const sam_statement *st, sam_var v) {
    const sam_tensor_data *result = sam_tensor_at(st, st->result);
    uint32_t l = 0;
    while (l < result->order && st->result_index[result->mode[l]].v != v.v)
        l++;
    return l;
}

/* Returns how far the loop of v goes in a run: a dense level that is scanned is as long as the edge, also in
 * a piece of a sub-tile. */
static double reach_of(const tile_planner *p, const plan_box *box, sam_var v) {
    bool dense = false;
    for (uint32_t t = 0; t < p->statement->tensors.len; t++) {
        const plan_operand *o = &p->operands[t];
        dense = dense || (is_scanned(o, v) && o->format->level[level_along(o, v)] == SAM_LEVEL_DENSE);
    }
    return dense ? p->edge[v.v - 1] : box->size[v.v - 1];
}

/* Returns the number of runs of loop l, from the outer loops except sums beside its own. */
static double rounds_of(const tile_planner *p, uint32_t l, const double *go_on) {
    const sam_statement *st = p->statement;
    const uint64_t separate = p->visits.separate[st->loops.at[l].v - 1];
    double rounds = 1;
    for (uint32_t k = 0; k < l; k++) {
        if (!is_stepped(p, st->loops.at[k]) && !(separate & var_bit(st->loops.at[k])))
            rounds *= go_on[k];
    }
    return rounds;
}

/* Returns whether no loop is inside of loop l. */
static bool is_innermost(const tile_planner *p, uint32_t l) {
    const sam_statement *st = p->statement;
    const uint64_t separate = p->visits.separate[st->loops.at[l].v - 1];
    bool inner = true;
    for (uint32_t k = l + 1; k < st->loops.len && inner; k++)
        inner = separate & var_bit(st->loops.at[k]);
    return inner;
}

/* Considers the values of an innermost loop, begun `begun` times by the outer loops. */
static void take_values(uint32_t scanned, double begun, const walk *w, slowest *s) {
    double values[TILE_WORKS] = {[TILE_LOAD] = w->full, [TILE_TOKEN] = w->iterations};
    values[fiber_of(scanned)] = begun;
    consider(s, values);
}

/* Walks the loops, outermost first: finds the slowest stage, and in w->kept how long the result is. */
static slowest walk_loops(const tile_planner *p, const uint32_t *sub, const plan_box *box, walk *kept) {
    const sam_statement *st = p->statement;
    uint32_t n = st->loops.len;
    double go_on[TILE_MAX_VARS], inside[TILE_MAX_VARS], size[TILE_MAX_VARS], below = 1, outer = 1;
    walk w = {.iterations = 1, .full = longest_load(p, sub), .fibers = 1, .vectors = 1};
    slowest s = {.cycles = -1};
    int vector[TILE_MAX_VARS], result = -1; /* the next loop of the result inside */
    for (uint32_t l = n; l-- > 0;) {
        sam_var v = st->loops.at[l];
        size[l] = reach_of(p, box, v);
        go_on[l] = survivors(p, sub, v, size[l]);
        go_on[l] = go_on[l] < 0 || go_on[l] > size[l] ? size[l] : go_on[l];
        inside[l] = l + 1 < n ? below : INFINITY;
        below *= go_on[l];
        vector[l] = result;
        result = sam_is_result_var(st, v) ? (int)l : result;
    }
    for (uint32_t l = 0; l < n; l++) {
        if (is_stepped(p, st->loops.at[l]))
            continue;
        if (p->visits.any_apart)
            w.iterations = rounds_of(p, l, go_on);
        scan_loop(p, sub, st->loops.at[l], size[l], &w, &s);
        if (sam_is_result_var(st, st->loops.at[l])) {
            const double extent = box->size[st->loops.at[l].v - 1]; /* nothing is written beyond it */
            write_level(extent, fmin(go_on[l], extent), inside[l], &w, &s);
            w.kept[result_level(st, st->loops.at[l])] = w.fibers;
        } else if (vector[l] >= 0)
            add_vectors(p, go_on[l], go_on[vector[l]], size[vector[l]], &w, &s);
        outer = w.iterations;
        w.iterations *= go_on[l];
        look_up(p, st->loops.at[l], outer, size[l] > 0 ? go_on[l] / size[l] : 1, &w, &s);
        if (p->visits.any_apart && is_innermost(p, l))
            take_values(scanned_along(p, st->loops.at[l]), outer, &w, &s);
    }
    take_values(n ? scanned_along(p, st->loops.at[n - 1]) : 2, outer, &w, &s);
    *kept = w;
    return s;
}

/* Returns the words that leave after the words of the longest array on the result's common stream. */
static double stored_behind(const tile_planner *p, const walk *w) {
    const uint32_t order = sam_tensor_at(p->statement, p->statement->result)->order;
    const int shared = sam_sharing_table[p->options.sharing].store;
    const double values = order ? w->kept[order - 1] : 1;
    double longest = sam_carries(shared, SAM_MODE_VALS) ? values : 0, all = longest, parents = 1;
    for (uint32_t l = 0; sam_carries(shared, (int)l) && l < order; l++) {
        all += w->kept[l] + parents;
        longest = fmax(longest, w->kept[l] + parents);
        parents = w->kept[l];
    }
    return all - longest;
}

double plan_cost(tile_planner *p, const uint32_t *sub, const plan_box *box, double *work, uint64_t *nodes) {
    const uint32_t n = p->statement->loops.len;
    walk w;
    plan_meet(p, sub);
    slowest s = walk_loops(p, sub, box, &w);
    for (uint32_t l = 0; l < sam_tensor_at(p->statement, p->statement->result)->order; l++)
        nodes[l] = (uint64_t)ceil(w.kept[l]);
    s.work[TILE_START] += 1;
    s.work[TILE_LOOP] += n;
    for (uint32_t i = 0; i < TILE_WORKS; i++)
        work[i] += s.work[i];
    return s.cycles + cycles_of[TILE_START] + n * cycles_of[TILE_LOOP] + stored_behind(p, &w);
}
