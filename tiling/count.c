/* count.c - the runs of a plan, counted round by round, without making any words. */
#include "tiling/count.h"

#include <math.h>

/* What is counted of a plan to see what it comes to. */
enum {
    LOOK_RUNS = 1 << 6, /* runs before the comparison of a plan's cost with the best */
    FIRST_RUNS = 1 << 12,
    MOST_RUNS = 1 << 16,
    MOST_POOL = 1 << 20 /* words of piece sets, where steps are bounded */
};
static const double MOST_CYCLES = 1e8;

count_until count_to_the_end(uint64_t steps) {
    return (count_until){.most = INFINITY, .best = INFINITY, .least = INFINITY, .steps = steps};
}

tile_forecast count_whole(const tile_forecast *counted, double fraction) {
    tile_forecast all = *counted;
    all.runs = (uint64_t)((double)counted->runs / fraction);
    all.cycles /= fraction;
    all.partials /= fraction;
    all.words /= fraction;
    for (uint32_t i = 0; i < TILE_WORKS; i++)
        all.work[i] /= fraction;
    for (uint32_t i = 0; i < TILE_COSTS; i++) {
        all.alike[i].runs = (uint64_t)((double)counted->alike[i].runs / fraction);
        all.alike[i].cycles /= fraction;
    }
    return all;
}

double count_cost(const tile_options *options, const tile_forecast *f) {
    return tile_best_share(f, &options->driver, &options->room).cycles;
}

double count_cost_of_whole(const tile_options *options, const tile_forecast *counted, double fraction) {
    const tile_forecast all = count_whole(counted, fraction);
    return count_cost(options, &all);
}

/* Returns whether the counted fraction of a plan costs too much. */
static bool is_too_much(const tile_options *options, const tile_forecast *counted, const count_until *u) {
    return (u->best < INFINITY && count_cost(options, counted) > u->best) ||
           (u->least < INFINITY && count_cost_of_whole(options, counted, u->share) > u->least);
}

static bool has_room(const sam_statement *s, const tile_options *options, const uint32_t *extent) {
    uint64_t words = 0;
    for (uint32_t l = 0; l < s->loops.len; l++) {
        sam_var v = s->loops.at[l];
        words += extent[v.v - 1] / tile_edge(s, options, v) / 64 + 1;
    }
    return words * (2 * s->exprs.len + 1) <= MOST_POOL;
}

bool count_holds_dense(const sam_statement *s, const tile_options *options) {
    for (uint32_t e = 1; e <= s->exprs.len; e++) {
        const sam_expr_data *x = sam_expr_at(s, (sam_expr){e});
        const sam_tensor_data *t = x->kind == SAM_EXPR_ACCESS ? sam_tensor_at(s, x->tensor) : NULL;
        uint64_t words = 1;
        for (uint32_t l = 0; t && l < t->order && t->level[l] == SAM_LEVEL_DENSE; l++) {
            words *= tile_edge(s, options, x->index[t->mode[l]]);
            if (words > options->mem_words)
                return false;
        }
    }
    return true;
}

static void begin(counting *c, const count_until *u, uint64_t first_runs) {
    uint32_t *extent = NULL;
    *c = (counting){.statement = c->statement, .in = c->in, .options = c->options};
    c->begun = true;
    c->first_runs = c->next_runs = first_runs;
    diag_init(&c->quiet, &c->mem);
    if (!count_holds_dense(c->statement, &c->options) ||
        !tile_known_extents(c->statement, c->in, &c->mem, &c->quiet, &extent) ||
        (u->steps && !has_room(c->statement, &c->options, extent)))
        return;
    c->planner = tile_plan_begin(c->statement, c->in, &c->options, NULL, 0, NULL, 0, &c->mem, &c->quiet);
    if (c->planner) {
        c->planner->limit.most_steps = u->steps ? u->steps : UINT64_MAX;
        c->planner->limit.at_once = u->at_once;
    }
}

static void count_next_round(counting *c, bool first) {
    count_round r = {.complete = false};
    r.fits = tile_plan_count(c->planner, first ? MOST_CYCLES : INFINITY, first ? c->next_runs : UINT64_MAX,
                             &r.complete);
    r.progress = plan_progress(c->planner);
    r.expected = tile_plan_counts(c->planner)->expected;
    r.steps = c->planner->limit.steps;
    vec_push(&c->mem, &c->rounds, r);
    c->next_runs = 2 * c->next_runs < FIRST_RUNS ? 2 * c->next_runs : FIRST_RUNS;
}

/* Estimates the whole from a round. Returns whether another round may tell more. */
static bool judge(const counting *c, const count_round *r, const count_until *u, tile_candidate *out) {
    const double fraction = r->complete || r->progress <= 0 ? 1 : r->progress;
    const tile_forecast all = count_whole(&r->expected, fraction);
    out->complete = r->complete;
    out->expected = u->steps ? all : r->expected;
    out->predicted = all.cycles;
    out->cost = count_cost(&c->options, &all);
    return !r->complete && r->expected.runs < MOST_RUNS && r->expected.cycles < MOST_CYCLES &&
           (r->expected.runs < FIRST_RUNS || out->cost <= u->most) && (!u->steps || r->steps < u->steps) &&
           !is_too_much(&c->options, &r->expected, u);
}

bool count_plan(counting *c, count_until u, tile_candidate *out, uint64_t *steps) {
    const uint64_t first_runs = u.best < INFINITY || u.least < INFINITY ? LOOK_RUNS : FIRST_RUNS;
    const count_round *r = NULL;
    if (c->begun && c->first_runs != first_runs)
        count_end(c);
    if (!c->begun)
        begin(c, &u, first_runs);
    for (uint32_t i = 0; c->planner && (!r || (r->fits && judge(c, r, &u, out))); i++) {
        if (i == c->rounds.len)
            count_next_round(c, u.first);
        r = &c->rounds.at[i];
    }
    if (!r)
        return false;
    if (!r->fits)
        judge(c, r, &u, out);
    if (r->fits && !r->complete && !r->expected.runs)
        out->predicted = out->cost = INFINITY; /* of no run nothing can be estimated */
    *steps += r->steps;
    out->limited = u.steps && r->steps >= u.steps;
    return r->fits;
}

void count_end(counting *c) {
    if (c->planner)
        tile_plan_end(c->planner);
    arena_free(&c->mem);
    *c = (counting){.statement = c->statement, .in = c->in, .options = c->options};
}
