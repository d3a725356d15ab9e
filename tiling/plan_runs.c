/* Runs of a plan, and the halves of a run that does not fit. */
#include "tiling/plan_runs.h"
#include "tiling/capacity.h"
#include "tiling/cut.h"
#include "tiling/model.h"

#include <math.h>

enum { RUN_STEPS = 16 }; /* that a run takes */

/* Counts the words that each stream must still load for the run, without the operands' blocks already
 * loaded. */
static bool load_fits(const tile_planner *p, const uint32_t *sub, uint64_t out_words) {
    uint64_t bank = p->options.bank_words;
    for (uint32_t t = 0; bank && t < p->statement->tensors.len; t++) {
        const plan_operand *o = &p->operands[t];
        for (uint32_t i = 0; o->access && i < o->n_inputs && o->subs.at[sub[t]].loaded_in != p->glb_load.load;
             i++) {
            const tile_input *input = &p->plan->inputs.at[o->input[i]];
            uint64_t more = input->blocks.at[o->subs.at[sub[t]].block].length;
            if (p->glb_load.in_words[o->input[i]] + more > bank)
                return false;
        }
    }
    return !bank || p->glb_load.out_words + out_words <= bank;
}

static void begin_load(tile_planner *p) {
    memset(p->glb_load.in_words, 0, sizeof p->glb_load.in_words);
    p->glb_load.out_words = 0;
    p->glb_load.load++;
    p->counts.loads++;
}

/* Counts the loads of the global buffer: as many runs as its banks hold, of one tile. */
static void account_load(tile_planner *p, const uint32_t *sub, uint64_t out_words) {
    p->counts.glb_tiles += p->glb_load.new_glb_tile;
    if (p->glb_load.new_glb_tile || p->glb_load.new_load || !load_fits(p, sub, out_words))
        begin_load(p);
    p->glb_load.new_glb_tile = p->glb_load.new_load = false;
    for (uint32_t t = 0; t < p->statement->tensors.len; t++) {
        plan_operand *o = &p->operands[t];
        if (!o->access)
            continue;
        sub_tile *used = &o->subs.at[sub[t]];
        p->counts.most_words = used->most > p->counts.most_words ? used->most : p->counts.most_words;
        for (uint32_t i = 0; i < o->n_inputs && used->loaded_in != p->glb_load.load; i++) {
            uint32_t words = p->plan->inputs.at[o->input[i]].blocks.at[used->block].length;
            uint64_t *in_bank = &p->glb_load.in_words[o->input[i]];
            *in_bank += words;
            p->counts.load_words += words;
            p->counts.most_bank_words =
                *in_bank > p->counts.most_bank_words ? *in_bank : p->counts.most_bank_words;
        }
        used->loaded_in = p->glb_load.load;
    }
    p->glb_load.out_words += out_words;
    if (p->glb_load.out_words > p->counts.most_bank_words)
        p->counts.most_bank_words = p->glb_load.out_words;
}

/* Returns whether the run has a partial sum. */
static bool has_partials(const tile_planner *p, const plan_box *box) {
    const sam_statement *s = p->statement;
    bool has = false;
    for (uint32_t l = 0; l < s->loops.len; l++) {
        const sam_var v = s->loops.at[l];
        has = has || (!sam_is_result_var(s, v) && box->size[v.v - 1] < p->extent[v.v - 1]);
    }
    return has;
}

/* Counts the values that a run leaves to be added to others. */
static void expect_partials(tile_planner *p, const plan_box *box, const uint64_t *nodes) {
    const uint32_t order = sam_tensor_at(p->statement, p->statement->result)->order;
    if (has_partials(p, box))
        p->counts.expected.partials += order ? (double)nodes[order - 1] : 1;
}

/* Counts the words that a run adds to what goes between host and chip; a sub-tile is loaded once. */
static void expect_words(tile_planner *p, const uint32_t *sub, const uint64_t *nodes) {
    const uint32_t order = sam_tensor_at(p->statement, p->statement->result)->order;
    double words = order ? (double)nodes[order - 1] : 1;
    for (uint32_t t = 0; t < p->statement->tensors.len; t++) {
        const plan_operand *o = &p->operands[t];
        sub_tile *used = o->access ? &o->subs.at[sub[t]] : NULL;
        if (!used || used->loaded_in == p->glb_load.load)
            continue;
        words += used->vals;
        for (uint32_t l = 0; l < o->format->order; l++)
            words += o->format->level[l] == SAM_LEVEL_COMPRESSED ? 2.0 * used->tree[l] : 0;
        if (p->limit.dry)
            used->loaded_in = p->glb_load.load;
    }
    p->counts.expected.words += words / 2;
}

static void expect(tile_planner *p, const uint32_t *sub, const plan_box *box) {
    tile_forecast *f = &p->counts.expected;
    p->limit.steps += RUN_STEPS;
    uint64_t nodes[SAM_MAX_ORDER];
    double cycles = plan_cost(p, sub, box, f->work, nodes);
    int bin = ilogb(cycles);
    bin = bin < 0 ? 0 : bin < TILE_COSTS ? bin : TILE_COSTS - 1;
    expect_partials(p, box, nodes);
    expect_words(p, sub, nodes);
    f->runs++;
    f->cycles += cycles;
    f->alike[bin].runs++;
    f->alike[bin].cycles += cycles;
    f->alike[bin].longest = fmax(f->alike[bin].longest, cycles);
}

static uint32_t group_of(const tile_planner *p, const plan_box *box) {
    const uint32_t v = p->options.dealt.v;
    return v ? box->low[v - 1] / p->edge[v - 1] % p->options.groups : 0;
}

static bool add_run(tile_planner *p, const uint32_t *sub, const plan_box *box, plan_bound bound) {
    const sam_statement *s = p->statement;
    tile_run run = {.block_first = p->plan->run_block.len,
                    .bound_words = (uint32_t)bound.stream,
                    .bound_array = (uint32_t)bound.widest,
                    .group = group_of(p, box)};
    tile_box result = {{0}, {0}, false};
    uint32_t block[TILE_MAX_STREAMS] = {0};
    expect(p, sub, box);
    if (p->limit.dry)
        return true;
    for (uint32_t m = 0; m < sam_tensor_at(s, s->result)->order; m++) {
        result.origin[m] = box->low[s->result_index[m].v - 1];
        result.size[m] = box->size[s->result_index[m].v - 1];
    }
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        plan_operand *o = &p->operands[t];
        uint32_t its = 0;
        if (o->access && !plan_block(p, o, sub[t], &its))
            return false;
        for (uint32_t i = 0; o->access && i < o->n_inputs; i++)
            block[o->input[i]] = its;
    }
    for (uint32_t i = 0; i < p->streams.n_inputs; i++)
        vec_push(p->mem, &p->plan->run_block, block[i]);
    account_load(p, sub, bound.stream);
    if (bound.widest > p->counts.most_words)
        p->counts.most_words = (uint32_t)bound.widest;
    vec_push(p->mem, &p->plan->runs, run);
    vec_push(p->mem, &p->plan->boxes, result);
    return true;
}

static void note_split(tile_planner *p, name_id tensor, const uint32_t *low, uint32_t order, uint64_t words) {
    tile_split *split = NULL;
    for (uint32_t i = 0; i < p->counts.splits.len; i++) {
        if (name_eq(p->counts.splits.at[i].tensor, tensor))
            split = &p->counts.splits.at[i];
    }
    if (!split) {
        vec_push(p->home, &p->counts.splits, (tile_split){.tensor = tensor, .order = order});
        split = &p->counts.splits.at[p->counts.splits.len - 1];
    }
    if (words > split->most_words)
        split->most_words = words;
    if (split->tiles < TILE_SPLITS_LISTED)
        memcpy(split->corner[split->tiles], low, sizeof *low * order);
    split->tiles++;
}

/* The fold over the right side reads this. */
typedef struct {
    const tile_planner *p;
    const uint32_t *sub; /* by tensor */
} worked_on;

static void work_stored(void *context, sam_expr access, void *out) {
    const worked_on *w = context;
    *(bool *)out = w->sub[sam_expr_at(w->p->statement, access)->tensor.v - 1] != 0;
}

bool plan_has_work(const tile_planner *p, const uint32_t *sub) {
    static const bool any = true;
    static const sam_fold_by by = {sizeof any, &any, work_stored, sam_in_both, sam_in_either, NULL};
    bool has;
    sam_fold(&p->visits.algebra, p->visits.coordinates, &by, &(worked_on){p, sub}, &has);
    return has;
}

static bool has_var(const plan_operand *o, sam_var v) {
    for (uint32_t m = 0; m < o->format->order; m++) {
        if (o->access->index[m].v == v.v)
            return true;
    }
    return false;
}

/* Finds the sub-tiles of one half of the box along v. */
static bool halve_subs(tile_planner *p, const uint32_t *sub, const plan_box *half, sam_var v, uint32_t *out) {
    for (uint32_t t = 0; t < p->statement->tensors.len; t++) {
        plan_operand *o = &p->operands[t];
        out[t] = o->access ? sub[t] : 0;
        if (!out[t])
            continue;
        if ((o->first_only & var_bit(v)) && half->low[v.v - 1] > 0)
            out[t] = 0;
        else if (has_var(o, v) && !plan_clip(p, o, sub[t], half, &out[t]))
            return false;
    }
    return true;
}

/* Finds the result's variable whose halving leaves the smallest bound; none if all pieces have length 1. */
static bool halve_result(tile_planner *p, const uint32_t *sub, const plan_box *box, uint32_t *scratch,
                         sam_var *out) {
    const sam_statement *s = p->statement;
    uint64_t least = UINT64_MAX;
    *out = (sam_var){0};
    for (uint32_t m = 0; m < sam_tensor_at(s, s->result)->order; m++) {
        uint32_t v = s->result_index[m].v - 1;
        uint64_t most = 0;
        if (box->size[v] < 2)
            continue;
        for (uint32_t half = 0; half < 2; half++) {
            plan_box other = *box;
            tile_halve(box->low[v], box->size[v], half, &other.low[v], &other.size[v]);
            if (!halve_subs(p, sub, &other, s->result_index[m], scratch))
                return false;
            uint64_t widest = plan_bound_result(p, scratch, &other).widest;
            most = widest > most ? widest : most;
        }
        if (most < least || (most == least && box->size[v] > box->size[out->v - 1])) {
            least = most;
            *out = s->result_index[m];
        }
    }
    return true;
}

static bool emit_halves(tile_planner *p, const uint32_t *sub, const plan_box *box, sam_var v) {
    uint32_t half_sub[PLAN_MAX_TENSORS];
    for (uint32_t half = 0; half < 2; half++) {
        plan_box other = *box;
        uint32_t at = v.v - 1;
        tile_halve(box->low[at], box->size[at], half, &other.low[at], &other.size[at]);
        if (!halve_subs(p, sub, &other, v, half_sub) ||
            (plan_has_work(p, half_sub) && !plan_emit(p, half_sub, &other, false)))
            return false;
    }
    return true;
}

static bool emit_operand_split(tile_planner *p, const uint32_t *sub, const plan_box *box, uint32_t t) {
    plan_operand *o = &p->operands[t];
    const sub_tile *tile = &o->subs.at[sub[t]];
    uint64_t *noted = &o->was_split[tile->tile / 64], bit = UINT64_C(1) << (tile->tile % 64);
    sam_var v;
    if (!(*noted & bit))
        note_split(p, o->format->name, tile->low, o->format->order, tile->most);
    *noted |= bit;
    return plan_halve(p, o, sub[t], box, &v) && emit_halves(p, sub, box, v);
}

bool plan_refuse_result(tile_planner *p, plan_bound bound) {
    diag_unmappable(p->diag, plan_place(p, sam_tensor_at(p->statement, p->statement->result)->loc),
                    "E0330-capacity",
                    "a %u-wide sub-tile of the result may need %llu words of one memory tile, which holds "
                    "%u, whatever is in it",
                    p->longest, (unsigned long long)bound.widest, p->options.mem_words);
    return diag_hint(p->diag, "use a smaller --tile, or compressed levels (s)");
}

static bool emit_result_split(tile_planner *p, const uint32_t *sub, const plan_box *box, plan_bound bound,
                              bool whole) {
    const sam_statement *s = p->statement;
    const sam_tensor_data *result = sam_tensor_at(s, s->result);
    uint32_t scratch[PLAN_MAX_TENSORS], low[SAM_MAX_ORDER];
    sam_var v;
    if (!halve_result(p, sub, box, scratch, &v))
        return false;
    if (!v.v)
        return plan_refuse_result(p, bound);
    for (uint32_t m = 0; m < result->order; m++)
        low[m] = box->low[s->result_index[m].v - 1];
    if (whole)
        note_split(p, result->name, low, result->order, bound.widest);
    return emit_halves(p, sub, box, v);
}

bool plan_emit(tile_planner *p, const uint32_t *sub, const plan_box *box, bool whole) {
    if (p->limit.at_once && p->limit.steps >= p->limit.most_steps) {
        p->limit.cut_short = true;
        return true;
    }
    for (uint32_t t = 0; t < p->statement->tensors.len; t++) {
        if (p->operands[t].access && !p->operands[t].subs.at[sub[t]].fits)
            return emit_operand_split(p, sub, box, t);
    }
    plan_bound bound = plan_bound_result(p, sub, box);
    if ((!p->limit.dry || !plan_result_fits(p, bound)) && !plan_count_result(p, sub, box, &bound))
        return false;
    return plan_result_fits(p, bound) ? add_run(p, sub, box, bound)
                                      : emit_result_split(p, sub, box, bound, whole);
}
