/* The tile plan: operands cut into sub-tiles, and the runs of the kernel that the statement needs.
 *
 * Every variable's range is cut into pieces of one edge, and where tiles for the global buffer are asked for,
 * into pieces of those first. A run is one piece per loop variable. The search walks the digits of all
 * variables, those of the global buffer's tiles first, outermost loop first, and asks the expression at each
 * which pieces may contribute (pieces.c). Where a run's sub-tile or result may not fit a memory, the run is
 * split: one variable's piece is halved, for all operands that have it, until everything fits.
 */
#include "tiling/capacity.h"
#include "tiling/cut.h"
#include "tiling/meet.h"
#include "tiling/model.h"
#include "tiling/pieces.h"
#include "tiling/plan_runs.h"

enum { BATCH_RUNS = 1 << 14 }; /* of a bounded batch */

/* ---- choosing the edge ----------------------------------------------------------------------- */

/* Returns the largest power of two whose sub-tiles fit for any content. */
static uint32_t safe_edge(const sam_statement *s, uint32_t mem_words) {
    uint32_t order = 1;
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        if (s->tensors.at[t].order > order)
            order = s->tensors.at[t].order;
    }
    /* A full sub-tile has edge^order values; its longest segment array is edge^(order-1) + 1. */
    uint32_t edge = 1;
    for (;;) {
        uint64_t full = 1;
        for (uint32_t m = 0; m < order; m++)
            full *= edge * 2;
        if (full > mem_words)
            return edge;
        edge *= 2;
    }
}

uint32_t tile_edge(const sam_statement *s, const tile_options *options, sam_var v) {
    if (options->edge[v.v - 1])
        return options->edge[v.v - 1];
    return options->tile ? options->tile : safe_edge(s, options->mem_words);
}

uint32_t tile_longest(const sam_statement *s, const tile_options *options, const uint32_t *extent) {
    uint32_t longest = 0;
    for (uint32_t l = 0; l < s->loops.len; l++) {
        uint32_t edge = tile_edge(s, options, s->loops.at[l]);
        if (extent && extent[s->loops.at[l].v - 1] < edge)
            edge = extent[s->loops.at[l].v - 1];
        longest = edge > longest ? edge : longest;
    }
    return longest;
}

/* ---- the expression's variables -------------------------------------------------------------- */

static uint64_t note_sums(tile_planner *p, sam_expr h) {
    const sam_expr_data *x = sam_expr_at(p->statement, h);
    uint64_t *sums = &p->visits.sums[h.v - 1];
    const uint64_t a = x->a.v ? note_sums(p, x->a) : 0, b = x->b.v ? note_sums(p, x->b) : 0;
    for (uint32_t v = 0; v < p->statement->vars.len && (a & ~b) && (b & ~a); v++) {
        p->visits.separate[v] |= (a & ~b) >> v & 1 ? b & ~a : (b & ~a) >> v & 1 ? a & ~b : 0;
        p->visits.any_apart = true;
    }
    *sums = a | b | (x->kind == SAM_EXPR_SUM ? var_bit(x->var) : 0);
    return *sums;
}

/* Binds each tensor to its access (a packed statement has one) and finds the variables in whose first piece
 * alone the access takes part. */
static void bind_accesses(tile_planner *p, sam_expr h, uint64_t first_only) {
    if (!h.v)
        return;
    const sam_expr_data *x = sam_expr_at(p->statement, h);
    if (x->kind == SAM_EXPR_ACCESS) {
        plan_operand *o = &p->operands[x->tensor.v - 1];
        BUG_IF(o->access, "%s is used twice", names_text(p->statement->names, o->format->name));
        o->access = x;
        o->first_only = first_only;
        return;
    }
    uint64_t only_a = 0, only_b = 0;
    if (x->kind == SAM_EXPR_ADD || x->kind == SAM_EXPR_SUB) {
        uint64_t a = sam_vars_of(p->statement, x->a), b = sam_vars_of(p->statement, x->b);
        only_a = b & ~a & p->visits.sums[x->b.v - 1];
        only_b = a & ~b & p->visits.sums[x->a.v - 1];
    }
    bind_accesses(p, x->a, first_only | only_a);
    bind_accesses(p, x->b, first_only | only_b);
}

/* Lists the digits of all variables in the order of the search. */
static void list_digits(tile_planner *p) {
    uint32_t loops = p->statement->loops.len;
    int outer[TILE_MAX_VARS];
    p->search.digits = arena_new_n(&p->own, plan_digit, 2 * loops + 1);
    for (uint32_t l = 0; l < loops; l++) {
        sam_var v = p->statement->loops.at[l];
        uint32_t glb = p->glb[v.v - 1];
        outer[l] = glb ? (int)p->search.n_digits : PLAN_NO_DIGIT;
        if (glb)
            p->search.digits[p->search.n_digits++] = (plan_digit){v, glb, 0, PLAN_NO_DIGIT, true};
    }
    for (uint32_t l = 0; l < loops; l++) {
        uint32_t v = p->statement->loops.at[l].v - 1;
        p->search.digits[p->search.n_digits++] =
            (plan_digit){p->statement->loops.at[l], p->edge[v], p->glb[v], outer[l], false};
    }
}

static void list_operand_digits(tile_planner *p, plan_operand *o) {
    o->digit = arena_new_n(&p->own, plan_digit, p->search.n_digits + 1);
    o->digit_mode = arena_new_n(&p->own, uint8_t, p->search.n_digits + 1);
    o->cached = arena_new_n(&p->own, plan_cached_set, p->search.n_digits + 1);
    uint32_t wanted = 0;
    for (uint32_t m = 0; m < o->format->order; m++)
        wanted += p->glb[o->access->index[m].v - 1] ? 2 : 1;
    for (uint32_t d = 0; d < p->search.n_digits; d++) {
        for (uint32_t m = 0; m < o->format->order; m++) {
            if (o->access->index[m].v != p->search.digits[d].var.v)
                continue;
            o->digit[o->n_digits] = p->search.digits[d];
            o->digit_mode[o->n_digits++] = (uint8_t)m;
        }
    }
    BUG_IF(o->n_digits != wanted, "a tensor's index is missing from the loop order");
}

static void list_inputs(tile_planner *p, plan_operand *o) {
    o->input = arena_new_n(&p->own, uint8_t, p->streams.n_inputs + 1);
    for (uint32_t i = 0; i < p->streams.n_inputs; i++) {
        if (!p->streams.inputs[i].table.n && name_eq(p->streams.inputs[i].tensor, o->format->name))
            o->input[o->n_inputs++] = (uint8_t)i;
    }
}

/* ---- the search ------------------------------------------------------------------------------ */

/* Makes the run of the chosen digits. */
static bool leaf(tile_planner *p) {
    const sam_statement *s = p->statement;
    const plan_cursor *cursors = p->search.cursors[p->search.n_digits];
    uint32_t sub[PLAN_MAX_TENSORS] = {0};
    plan_box box = {{0}, {0}};
    for (uint32_t d = 0; d < p->search.n_digits; d++) {
        const plan_digit *digit = &p->search.digits[d];
        uint32_t v = digit->var.v - 1, remaining = p->extent[v] - box.low[v];
        uint32_t offset = p->search.piece[d] * digit->edge;
        remaining = digit->within && digit->within < remaining ? digit->within : remaining;
        box.low[v] += offset;
        box.size[v] = remaining - offset < digit->edge ? remaining - offset : digit->edge;
    }
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        const plan_cursor *c = &cursors[t];
        BUG_IF(c->high > c->low + 1, "a run must fix one sub-tile of every operand");
        if (c->low < c->high && !plan_whole(p, &p->operands[t], c->low, &box, &sub[t]))
            return false;
    }
    if (!plan_has_work(p, sub))
        return true;
    p->counts.tile_pairs++;
    return plan_emit(p, sub, &box, true);
}

/* Returns the cursor after piece `at` of digit d was chosen. */
static plan_cursor advance(const plan_operand *o, plan_cursor c, const plan_digit *d, uint32_t at) {
    if ((o->first_only & var_bit(d->var)) && at > 0)
        c.high = c.low;
    if (c.depth == o->n_digits || o->digit[c.depth].var.v != d->var.v ||
        o->digit[c.depth].within != d->within)
        return c;
    c.low = plan_first_at_least(o, c, at);
    c.high = plan_first_at_least(o, c, at + 1);
    c.depth++;
    return c;
}

static void push_frame(tile_planner *p, uint32_t d) {
    plan_frame *f = &p->search.frames[d];
    *f = (plan_frame){.pool = p->search.pool_used, .pieces = plan_pieces(p, d)};
    p->limit.steps += f->pieces / 64;
    f->set = plan_candidates(p, p->search.cursors[d], d);
    p->search.depth = (int)d;
    if (f->set.kind == PIECES_NONE)
        f->at = f->pieces;
}

static uint32_t next_piece(const plan_frame *f) {
    uint32_t at = f->at;
    while (at < f->pieces) {
        uint64_t remaining = f->set.bits[at / 64] >> (at % 64);
        if (remaining) {
            at += (uint32_t)__builtin_ctzll(remaining);
            return at < f->pieces ? at : f->pieces;
        }
        at = (at / 64 + 1) * 64;
    }
    return f->pieces;
}

/* Goes on to the next run's digits; false: none. */
static bool next_leaf(tile_planner *p) {
    bool alone = p->search.alone;
    p->search.alone = false;
    while (p->search.depth >= 0) {
        uint32_t d = (uint32_t)p->search.depth;
        plan_frame *f = &p->search.frames[d];
        uint32_t at = next_piece(f);
        if (at == f->pieces) {
            p->search.pool_used = f->pool;
            p->search.depth--;
            continue;
        }
        f->at = at + 1;
        p->search.piece[d] = at;
        p->glb_load.new_glb_tile = p->glb_load.new_glb_tile || p->search.digits[d].of_glb;
        for (uint32_t t = 0; t < p->statement->tensors.len; t++) {
            if (p->operands[t].access)
                p->search.cursors[d + 1][t] =
                    advance(&p->operands[t], p->search.cursors[d][t], &p->search.digits[d], at);
        }
        if (d + 1 == p->search.n_digits)
            return true;
        push_frame(p, d + 1);
    }
    return alone;
}

static void begin_search(tile_planner *p) {
    uint32_t tensors = p->statement->tensors.len;
    p->search.piece = arena_new_n(&p->own, uint32_t, p->search.n_digits + 1);
    p->search.frames = arena_new_n(&p->own, plan_frame, p->search.n_digits + 1);
    p->search.cursors = arena_new_n(&p->own, plan_cursor *, p->search.n_digits + 1);
    for (uint32_t d = 0; d <= p->search.n_digits; d++)
        p->search.cursors[d] = arena_new_n(&p->own, plan_cursor, tensors);
    for (uint32_t t = 0; t < tensors; t++)
        p->search.cursors[0][t] = (plan_cursor){0, p->operands[t].cut.n_tiles, 0};
    p->search.pool = arena_new_n(&p->own, uint64_t, plan_pool_words(p) + 1);
    p->search.depth = -1;
    p->search.alone = p->search.n_digits == 0;
    p->glb_load.new_glb_tile = true;
    if (p->search.n_digits)
        push_frame(p, 0);
}

/* Sub-tiles along an extent; the last one in each tile for the global buffer may be shorter. */
static uint32_t all_pieces(const tile_planner *p, sam_var v) {
    uint32_t glb = p->glb[v.v - 1], edge = p->edge[v.v - 1], extent = p->extent[v.v - 1];
    if (!glb)
        return tile_split_extent(extent, edge);
    return extent / glb * tile_split_extent(glb, edge) + tile_split_extent(extent % glb, edge);
}

/* A sum over nothing is a value, too: an index absent from the result has at least one piece, without entries
 * of operands. */
static void set_extents(tile_planner *p, uint32_t *extent) {
    const sam_statement *s = p->statement;
    for (uint32_t l = 0; l < s->loops.len; l++) {
        const sam_var v = s->loops.at[l];
        extent[v.v - 1] += !extent[v.v - 1] && !sam_is_result_var(s, v);
    }
    p->extent = extent;
}

static void set_edges(tile_planner *p, arena *mem) {
    const sam_statement *s = p->statement;
    p->edge = arena_new_n(mem, uint32_t, TILE_MAX_VARS);
    p->glb = arena_new_n(mem, uint32_t, TILE_MAX_VARS);
    p->longest = tile_longest(s, &p->options, NULL);
    p->longest = p->longest ? p->longest : 1;
    for (uint32_t l = 0; l < s->loops.len; l++) {
        uint32_t v = s->loops.at[l].v - 1,
                 glb = p->options.glb_edge[v] ? p->options.glb_edge[v] : p->options.glb_tile;
        p->edge[v] = tile_edge(s, &p->options, s->loops.at[l]);
        p->glb[v] = glb > p->edge[v] ? glb : 0; /* otherwise no tiles are grouped */
    }
}

/* ---- batches --------------------------------------------------------------------------------- */

tile_planner *tile_plan_begin(const sam_statement *s, const tile_operands *in, const tile_options *options,
                              const tile_stream *inputs, uint32_t n_inputs, const tile_stream *outputs,
                              uint32_t n_outputs, arena *mem, diagnostics *d) {
    uint32_t *extent = NULL;
    if (!tile_extents(s, in, mem, d, &extent))
        return NULL;
    if (s->tensors.len > PLAN_MAX_TENSORS) {
        diag_unmappable(d, sam_expr_at(s, s->rhs)->loc, "E0118-too-large", "more than %d operands",
                        PLAN_MAX_TENSORS - 1);
        diag_hint(d, "split the expression: the array streams each use of a tensor by itself");
        return NULL;
    }
    tile_planner *p = arena_new(mem, tile_planner);
    *p = (tile_planner){.statement = s, .options = *options, .limit.most_steps = UINT64_MAX};
    BUG_IF(s->vars.len > TILE_MAX_VARS || n_inputs > TILE_MAX_STREAMS, "%u index variables, %u streams",
           s->vars.len, n_inputs);
    p->visits.algebra.mem = &p->own;
    p->visits.sums = arena_new_n(&p->own, uint64_t, s->exprs.len);
    p->visits.separate = arena_new_n(&p->own, uint64_t, s->vars.len + 1);
    note_sums(p, s->rhs);
    p->visits.coordinates = sam_joined_of(&p->visits.algebra, s, s->rhs);
    set_edges(p, mem);
    set_extents(p, extent);
    p->home = mem;
    p->diag = d;
    p->streams.inputs = inputs;
    p->streams.outputs = outputs;
    p->streams.n_inputs = n_inputs;
    p->streams.n_outputs = n_outputs;
    p->operands = arena_new_n(&p->own, plan_operand, s->tensors.len);
    uint32_t most = 1;
    for (uint32_t t = 0; t < s->tensors.len; t++)
        most = s->tensors.at[t].order > most ? s->tensors.at[t].order : most;
    p->stamps.most_order = most;
    p->stamps.seen = arena_new_n(&p->own, uint16_t, (size_t)p->longest * most);
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        p->operands[t].data = &in->operand[t];
        p->operands[t].format = &s->tensors.at[t];
    }
    bind_accesses(p, s->rhs, 0);
    plan_find_levels(p);
    list_digits(p);
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        if (!p->operands[t].access)
            continue;
        list_operand_digits(p, &p->operands[t]);
        list_inputs(p, &p->operands[t]);
        plan_cut(p, &p->operands[t]);
    }
    p->counts.possible = 1;
    for (uint32_t l = 0; l < s->loops.len; l++)
        p->counts.possible *= all_pieces(p, s->loops.at[l]);
    plan_begin_walks(p);
    p->fibers.alike = arena_new_n(&p->own, double, s->tensors.len * s->tensors.len);
    plan_find_meetings(p);
    begin_search(p);
    return p;
}

static void start_streams(tile_planner *p) {
    const sam_tensor_data *result = sam_tensor_at(p->statement, p->statement->result);
    for (uint32_t i = 0; i < p->streams.n_inputs; i++)
        vec_push(p->mem, &p->plan->inputs, (tile_input){.stream = p->streams.inputs[i]});
    for (uint32_t i = 0; i < p->streams.n_outputs; i++) {
        const tile_stream s = p->streams.outputs[i];
        vec_push(p->mem, &p->plan->outputs,
                 (tile_output){s, sam_blocks_before(s.level, result->level, result->order, SAM_ARRAYS), 0});
    }
}

/* Makes the single block of each stream with a table. */
static void push_tables(tile_planner *p) {
    for (uint32_t i = 0; i < p->streams.n_inputs && !p->limit.dry; i++) {
        const sam_table *table = &p->streams.inputs[i].table;
        if (!table->n)
            continue;
        const tile_block block = {.first = p->plan->words.len, .length = table->n + 1};
        vec_push(p->mem, &p->plan->words, (uint16_t)table->n);
        for (uint32_t k = 0; k < table->n; k++)
            vec_push(p->mem, &p->plan->words, table->word[k]);
        vec_push(p->mem, &p->plan->inputs.at[i].blocks, block);
    }
}

/* Makes the first sub-tiles of a batch. False: dense levels of an operand or of the result do not fit, for
 * any content. */
static bool begin_batch(tile_planner *p) {
    const uint32_t none[PLAN_MAX_TENSORS] = {0};
    plan_box one = {{0}, {0}};
    push_tables(p);
    for (uint32_t t = 0; t < p->statement->tensors.len; t++) {
        if (p->operands[t].access && !plan_begin_batch(p, &p->operands[t]))
            return false;
    }
    for (uint32_t v = 0; v < p->statement->vars.len; v++)
        one.size[v] = 1;
    const plan_bound least = plan_bound_result(p, none, &one);
    return least.widest <= p->options.mem_words || plan_refuse_result(p, least);
}

tile_step tile_plan_next(tile_planner *p, uint32_t most_words, arena *mem, tile_plan *out) {
    *out = (tile_plan){.tile = p->longest,
                       .edge = p->edge,
                       .glb_edge = p->glb,
                       .copies = 1,
                       .runs_possible = p->counts.possible};
    p->mem = mem;
    p->plan = out;
    start_streams(p);
    if (!begin_batch(p))
        return TILE_FAILED;
    p->glb_load.new_load = true;
    while (!most_words || !out->runs.len || (out->words.len < most_words && out->runs.len < BATCH_RUNS)) {
        if (!next_leaf(p))
            return out->runs.len ? TILE_BATCH : TILE_END;
        if (!leaf(p))
            return TILE_FAILED;
    }
    return TILE_BATCH;
}

double plan_progress(const tile_planner *p) {
    double done = 0, share = 1;
    if (p->search.depth < 0)
        return p->search.alone ? 0 : 1;
    for (int d = 0; d <= p->search.depth; d++) { /* the piece before `at` is under way */
        const plan_frame *f = &p->search.frames[d];
        share /= f->pieces ? f->pieces : 1;
        done += share * (f->at && d < p->search.depth ? f->at - 1 : f->at);
    }
    return done;
}

bool tile_plan_count(tile_planner *p, double most_cycles, uint64_t most_runs, bool *complete) {
    arena mem = {0};
    tile_plan none = {0};
    bool good = true, more = true;
    const tile_forecast *f = &p->counts.expected;
    const uint64_t last = f->runs + most_runs < most_runs ? UINT64_MAX : f->runs + most_runs;
    p->limit.dry = true;
    p->plan = &none;
    p->mem = &mem;
    while (good && more && f->cycles <= most_cycles && f->runs < last &&
           p->limit.steps < p->limit.most_steps) {
        uint64_t before = f->runs;
        good = begin_batch(p);
        while (good && more && f->runs < before + BATCH_RUNS && f->runs < last && f->cycles <= most_cycles &&
               p->limit.steps < p->limit.most_steps) {
            more = next_leaf(p);
            good = !more || leaf(p);
        }
        arena_free(&mem);
    }
    *complete = !more && !p->limit.cut_short;
    return good;
}

const tile_counts *tile_plan_counts(const tile_planner *p) {
    return &p->counts;
}

void tile_plan_end(tile_planner *p) {
    arena_free(&p->own);
    arena_free(&p->scratch);
}
