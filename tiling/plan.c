/* The tile plan: operands cut into sub-tiles, and the runs of the kernel that the statement needs.
 *
 * Every variable's range is cut into pieces of the same edge; a sub-tile of an operand is one piece per
 * index. A run is one piece per loop variable. The search walks the loop variables outermost first and asks
 * the expression, at each one, which pieces may contribute: a product needs all factors, a sum any term. A
 * term that lacks a variable reduced elsewhere must be counted once, so it takes part in that variable's
 * first piece only and is fed its empty sub-tile otherwise.
 */
#include "tiling/tiling_int.h"

/* One sub-tile of an operand. */
typedef struct {
    uint32_t at[SAM_MAX_ORDER];    /* piece of each of the operand's variables, in loop order */
    uint32_t nodes[SAM_MAX_ORDER]; /* distinct local coordinates, by logical mode */
    uint32_t vals;                 /* value words */
} sub_tile;

/* One operand: its sub-tiles sorted by `at`; sub-tile 0 is the empty one and stands first. */
typedef struct {
    const tile_tensor *data;
    const sam_tensor_data *format;
    const sam_expr_data *access;
    uint8_t
        mode_in_loop_order[SAM_MAX_ORDER]; /* k-th variable in loop order is index mode_in_loop_order[k] */
    VEC(sub_tile) tiles;
    uint64_t first_only; /* variables (bit = handle - 1) in whose first piece alone this operand takes part */
} operand;

/* Where the search stands in one operand: sub-tiles [low, high) match the pieces chosen so far. */
typedef struct {
    uint32_t low, high, depth; /* depth: variables of the operand fixed so far */
} cursor;

typedef struct {
    const sam_statement *statement;
    const tile_options *options;
    uint32_t edge;
    const uint32_t *extent;
    operand *operands; /* by tensor handle - 1 */
    tile_plan *plan;
    arena *mem, *scratch;
    diagnostics *diag;
    uint32_t piece[64]; /* chosen piece by variable handle - 1 */
} planner;

static uint64_t var_bit(sam_var v) {
    return UINT64_C(1) << (v.v - 1);
}

static uint32_t pieces(const planner *p, sam_var v) {
    return (p->extent[v.v - 1] + p->edge - 1) / p->edge;
}

/* ---- choosing the edge ----------------------------------------------------------------------- */

uint32_t tile_edge(const sam_statement *s, const tile_options *options) {
    if (options->tile)
        return options->tile;
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
        if (full > options->mem_words)
            return edge;
        edge *= 2;
    }
}

/* ---- the expression's variables -------------------------------------------------------------- */

static uint64_t result_vars(const sam_statement *s) {
    uint64_t vars = 0;
    for (uint32_t m = 0; m < sam_tensor_at(s, s->result)->order; m++)
        vars |= var_bit(s->result_index[m]);
    return vars;
}

/* Binds each tensor to its access (a packed statement has one) and finds the variables in whose first piece
 * alone it takes part. */
static void bind_accesses(planner *p, sam_expr h, uint64_t first_only) {
    if (!h.v)
        return;
    const sam_expr_data *x = sam_expr_at(p->statement, h);
    if (x->kind == SAM_EXPR_ACCESS) {
        operand *o = &p->operands[x->tensor.v - 1];
        BUG_IF(o->access, "%s is used twice", names_text(p->statement->names, o->format->name));
        o->access = x;
        o->first_only = first_only;
        return;
    }
    uint64_t only_a = 0, only_b = 0;
    if (x->kind == SAM_EXPR_ADD || x->kind == SAM_EXPR_SUB) {
        uint64_t a = sam_vars_of(p->statement, x->a), b = sam_vars_of(p->statement, x->b);
        only_a = b & ~a & ~result_vars(p->statement);
        only_b = a & ~b & ~result_vars(p->statement);
    }
    bind_accesses(p, x->a, first_only | only_a);
    bind_accesses(p, x->b, first_only | only_b);
}

/* ---- sub-tiles of one operand ---------------------------------------------------------------- */

static void order_by_loops(const sam_statement *s, operand *o) {
    uint32_t k = 0;
    for (uint32_t l = 0; l < s->loops.len; l++) {
        for (uint32_t m = 0; m < o->format->order; m++) {
            if (o->access->index[m].v == s->loops.at[l].v)
                o->mode_in_loop_order[k++] = (uint8_t)m;
        }
    }
    BUG_IF(k != o->format->order, "a tensor's index is missing from the loop order");
}

static void push_words(planner *p, const uint32_t *words, uint32_t n) {
    vec_push(p->mem, &p->plan->words, (uint16_t)n);
    for (uint32_t i = 0; i < n; i++)
        vec_push(p->mem, &p->plan->words, (uint16_t)words[i]);
}

/* What stream `level` of a sub-tile carries: length headers and words. */
static void push_block(planner *p, tile_input *input, const sam_tensor_levels *levels) {
    tile_block block = {.first = p->plan->words.len};
    if (input->stream.level == SAM_MODE_VALS) {
        vec_push(p->mem, &p->plan->words, (uint16_t)levels->n_vals);
        for (uint32_t i = 0; i < levels->n_vals; i++)
            vec_push(p->mem, &p->plan->words, levels->vals[i]);
    } else {
        const sam_level_data *level = &levels->level[input->stream.level];
        push_words(p, level->seg, level->n_seg);
        push_words(p, level->crd, level->n_crd);
    }
    block.length = p->plan->words.len - block.first;
    vec_push(p->mem, &input->blocks, block);
}

static bool fits(planner *p, const operand *o, const sam_tensor_levels *levels) {
    uint32_t most = levels->n_vals, limit = p->options->mem_words;
    for (uint32_t l = 0; l < levels->order; l++) {
        if (levels->level[l].n_seg > most)
            most = levels->level[l].n_seg;
        if (levels->level[l].n_crd > most)
            most = levels->level[l].n_crd;
    }
    if (most <= limit)
        return true;
    diag_unmappable(p->diag, o->access->loc, "E0330-capacity",
                    "a %u-wide sub-tile of %s needs %u words of one memory tile, which holds %u", p->edge,
                    names_text(p->statement->names, o->format->name), most, limit);
    diag_hint(p->diag, "use a smaller --tile");
    return false;
}

static void count_nodes(planner *p, const operand *o, const uint32_t *split, uint32_t width,
                        const uint32_t *perm, uint32_t n, sub_tile *t) {
    uint32_t order = o->format->order;
    for (uint32_t l = 0; l < order; l++) {
        uint8_t mode = o->format->mode[l];
        if (o->format->level[l] == SAM_LEVEL_DENSE) {
            t->nodes[mode] = p->edge;
            continue;
        }
        uint8_t *seen = arena_new_n(p->scratch, uint8_t, p->edge);
        for (uint32_t i = 0; i < n; i++) {
            uint8_t *flag = &seen[split[(size_t)perm[i] * width + order + l]];
            t->nodes[mode] += !*flag;
            *flag = 1;
        }
    }
}

/* Adds the sub-tile made of entries perm[0..n): its streams' blocks and its statistics. */
static bool add_sub_tile(planner *p, operand *o, const uint32_t *split, uint32_t width, const uint32_t *perm,
                         uint32_t n, const uint16_t *val) {
    uint32_t order = o->format->order, dim[SAM_MAX_ORDER];
    uint8_t column[SAM_MAX_ORDER];
    sam_tensor_levels levels;
    for (uint32_t l = 0; l < order; l++) {
        dim[l] = p->edge;
        column[l] = (uint8_t)(order + l);
    }
    if (!tile_build_levels(o->format, split, width, column, perm, n, val, dim, p->scratch, p->diag,
                           &levels) ||
        !fits(p, o, &levels))
        return false;
    sub_tile t = {.vals = levels.n_vals};
    for (uint32_t k = 0; k < order; k++)
        t.at[k] = split[(size_t)perm[0] * width + k];
    count_nodes(p, o, split, width, perm, n, &t);
    vec_push(p->scratch, &o->tiles, t);
    for (uint32_t i = 0; i < p->plan->inputs.len; i++) {
        if (name_eq(p->plan->inputs.at[i].stream.tensor, o->format->name))
            push_block(p, &p->plan->inputs.at[i], &levels);
    }
    return true;
}

/* The same with the explicit zeros of padded levels. */
static bool add_padded_sub_tile(planner *p, operand *o, const uint32_t *split, uint32_t width,
                                const uint32_t *perm, uint32_t n, const uint16_t *val) {
    uint32_t order = o->format->order;
    if (!o->format->padded)
        return add_sub_tile(p, o, split, width, perm, n, val);
    tile_entries in = {0}, out;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t l = 0; l < order; l++)
            vec_push(p->scratch, &in.crd, split[(size_t)perm[i] * width + order + l]);
        vec_push(p->scratch, &in.val, val[perm[i]]);
    }
    tile_pad(o->format, p->edge, &in, p->scratch, &out);
    uint32_t *again = arena_new_n(p->scratch, uint32_t, (size_t)out.val.len * width);
    uint32_t *as_is = arena_new_n(p->scratch, uint32_t, out.val.len);
    for (uint32_t i = 0; i < out.val.len; i++) {
        memcpy(again + (size_t)i * width, split + (size_t)perm[0] * width, sizeof *split * order);
        memcpy(again + (size_t)i * width + order, out.crd.at + (size_t)i * order, sizeof *split * order);
        as_is[i] = i;
    }
    return add_sub_tile(p, o, again, width, as_is, out.val.len, out.val.at);
}

/* Sub-tile 0, which stands for every sub-tile without entries: one explicit zero at its corner, because the
 * chip's repeaters and droppers must not meet an empty outermost fiber. */
static bool add_empty_sub_tile(planner *p, operand *o) {
    static const uint32_t corner[2 * SAM_MAX_ORDER] = {0}, first[1] = {0};
    static const uint16_t zero[1] = {0};
    return add_padded_sub_tile(p, o, corner, 2 * o->format->order, first, 1, zero);
}

/* Splits coordinates into pieces (loop order) and local coordinates (storage order), sorts, cuts. */
static bool cut_operand(planner *p, operand *o) {
    uint32_t order = o->format->order, width = order ? 2 * order : 1, n = (uint32_t)o->data->nnz;
    uint32_t *split = arena_new_n(p->scratch, uint32_t, (size_t)n * width + 1);
    uint32_t *perm = arena_new_n(p->scratch, uint32_t, n + 1);
    uint8_t key[2 * SAM_MAX_ORDER];
    order_by_loops(p->statement, o);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t *c = o->data->crd + (size_t)i * order;
        for (uint32_t k = 0; k < order; k++) {
            split[(size_t)i * width + k] = c[o->mode_in_loop_order[k]] / p->edge;
            split[(size_t)i * width + order + k] = c[o->format->mode[k]] % p->edge;
        }
    }
    for (uint32_t k = 0; k < 2 * order; k++)
        key[k] = (uint8_t)k;
    tile_sort(split, width, n, key, 2 * order, perm, p->scratch);
    if (!add_empty_sub_tile(p, o))
        return false;
    for (uint32_t i = 0; i < n;) {
        uint32_t end = i + 1;
        while (end < n && memcmp(split + (size_t)perm[i] * width, split + (size_t)perm[end] * width,
                                 sizeof *split * order) == 0)
            end++;
        if (!add_padded_sub_tile(p, o, split, width, perm + i, end - i, o->data->val))
            return false;
        i = end;
    }
    return true;
}

/* ---- which pieces of a variable may contribute ----------------------------------------------- */

typedef enum { PIECES_NONE, PIECES_ANY, PIECES_SOME } piece_kind;
typedef struct {
    piece_kind kind;
    uint64_t *bits; /* PIECES_SOME: one bit per piece */
} piece_set;

static uint32_t set_words(const planner *p, sam_var v) {
    return (pieces(p, v) + 63) / 64;
}

/* ANY made concrete for one side of a sum: every piece of a result variable, the first of a reduced one. */
static piece_set concrete(const planner *p, piece_set s, sam_var v) {
    if (s.kind != PIECES_ANY)
        return s;
    s = (piece_set){PIECES_SOME, arena_new_n(p->scratch, uint64_t, set_words(p, v))};
    uint32_t n = sam_is_result_var(p->statement, v) ? pieces(p, v) : 1;
    for (uint32_t i = 0; i < n; i++)
        s.bits[i / 64] |= UINT64_C(1) << (i % 64);
    return s;
}

static piece_set pieces_of_access(const planner *p, const operand *o, const cursor *c, sam_var v) {
    if (c->low == c->high)
        return (piece_set){PIECES_NONE, NULL};
    if (c->depth == o->format->order || o->access->index[o->mode_in_loop_order[c->depth]].v != v.v)
        return (piece_set){PIECES_ANY, NULL};
    piece_set s = {PIECES_SOME, arena_new_n(p->scratch, uint64_t, set_words(p, v))};
    for (uint32_t t = c->low; t < c->high; t++) {
        uint32_t at = o->tiles.at[t].at[c->depth];
        s.bits[at / 64] |= UINT64_C(1) << (at % 64);
    }
    return s;
}

/* Of an addition. A side that lacks v beside one that has it takes part in the first piece; where both lack
 * it, v is summed up elsewhere, and this addition belongs to every piece. */
static piece_set united(const planner *p, const sam_expr_data *x, piece_set a, piece_set b, sam_var v) {
    bool varies = ((sam_vars_of(p->statement, x->a) | sam_vars_of(p->statement, x->b)) & var_bit(v)) != 0;
    if (varies && !(a.kind == PIECES_ANY && b.kind == PIECES_ANY)) {
        a = concrete(p, a, v);
        b = concrete(p, b, v);
    }
    if (a.kind == PIECES_NONE || b.kind == PIECES_ANY)
        return b;
    if (b.kind == PIECES_NONE || a.kind == PIECES_ANY)
        return a;
    for (uint32_t i = 0; i < set_words(p, v); i++)
        a.bits[i] |= b.bits[i];
    return a;
}

static piece_set candidates(const planner *p, const cursor *cursors, sam_expr h, sam_var v) {
    const sam_expr_data *x = sam_expr_at(p->statement, h);
    uint32_t words = set_words(p, v);
    switch (x->kind) {
    case SAM_EXPR_ACCESS:
        return pieces_of_access(p, &p->operands[x->tensor.v - 1], &cursors[x->tensor.v - 1], v);
    case SAM_EXPR_LITERAL:
        return (piece_set){PIECES_ANY, NULL};
    case SAM_EXPR_NEG:
    case SAM_EXPR_SUM:
    case SAM_EXPR_DIV:
        return candidates(p, cursors, x->a, v);
    case SAM_EXPR_MUL: {
        piece_set a = candidates(p, cursors, x->a, v), b = candidates(p, cursors, x->b, v);
        if (a.kind == PIECES_NONE || b.kind == PIECES_ANY)
            return a;
        if (b.kind == PIECES_NONE || a.kind == PIECES_ANY)
            return b;
        for (uint32_t i = 0; i < words; i++)
            a.bits[i] &= b.bits[i];
        return a;
    }
    case SAM_EXPR_ADD:
    case SAM_EXPR_SUB:
        return united(p, x, candidates(p, cursors, x->a, v), candidates(p, cursors, x->b, v), v);
    case SAM_EXPR_NONE:
        break;
    }
    BUG("expression kind %d", (int)x->kind);
}

/* ---- how much a run may write ---------------------------------------------------------------- */

/* Most distinct coordinates of v the run iterates; UINT32_MAX where the expression does not restrict v. */
static uint32_t bound_coordinates(const planner *p, const cursor *c, sam_expr h, sam_var v) {
    const sam_expr_data *x = sam_expr_at(p->statement, h);
    if (x->kind == SAM_EXPR_ACCESS) {
        const operand *o = &p->operands[x->tensor.v - 1];
        uint32_t tile = c[x->tensor.v - 1].low < c[x->tensor.v - 1].high ? c[x->tensor.v - 1].low : 0;
        for (uint32_t m = 0; m < o->format->order; m++) {
            if (x->index[m].v == v.v)
                return o->tiles.at[tile].nodes[m];
        }
        return UINT32_MAX;
    }
    if (x->kind == SAM_EXPR_LITERAL)
        return UINT32_MAX;
    uint32_t a = bound_coordinates(p, c, x->a, v);
    if (!x->b.v)
        return a;
    uint32_t b = bound_coordinates(p, c, x->b, v);
    if (x->kind == SAM_EXPR_MUL)
        return a < b ? a : b;
    if (x->kind == SAM_EXPR_DIV)
        return a;
    if (a == UINT32_MAX && b == UINT32_MAX)
        return a;
    return a >= p->edge || b >= p->edge || a + b > p->edge ? p->edge : a + b;
}

/* Longest output stream of the run in words; checks that the result fits the writers' memories. */
static bool bound_result(planner *p, const cursor *c, uint32_t *words) {
    const sam_statement *s = p->statement;
    const sam_tensor_data *result = sam_tensor_at(s, s->result);
    uint64_t nodes = 1, most = 2, limit = p->options->mem_words, widest = 1;
    for (uint32_t l = 0; l < result->order; l++) {
        uint32_t n = bound_coordinates(p, c, s->rhs, s->result_index[result->mode[l]]);
        uint64_t parents = nodes;
        nodes *= n > p->edge || result->level[l] == SAM_LEVEL_DENSE ? p->edge : n;
        uint64_t stream = 2 + parents + 1 + nodes + 1;
        most = stream > most ? stream : most;
        widest = parents + 1 > widest ? parents + 1 : widest;
        widest = nodes > widest ? nodes : widest;
    }
    if (nodes + 1 > most)
        most = nodes + 1;
    if (widest > limit) {
        diag_unmappable(
            p->diag, result->loc, "E0330-capacity",
            "a %u-wide sub-tile of the result may need %llu words of one memory tile, which holds %llu",
            p->edge, (unsigned long long)widest, (unsigned long long)limit);
        diag_hint(p->diag, "use a smaller --tile");
        return false;
    }
    *words = (uint32_t)most;
    return true;
}

/* ---- the search ------------------------------------------------------------------------------ */

static bool add_run(planner *p, const cursor *cursors) {
    const sam_statement *s = p->statement;
    tile_run run = {.block_first = p->plan->run_block.len};
    tile_part part = {{0}, false};
    for (uint32_t m = 0; m < sam_tensor_at(s, s->result)->order; m++)
        part.origin[m] = p->piece[s->result_index[m].v - 1] * p->edge;
    for (uint32_t i = 0; i < p->plan->inputs.len; i++) {
        for (uint32_t t = 0; t < s->tensors.len; t++) {
            if (t + 1 == s->result.v || !name_eq(s->tensors.at[t].name, p->plan->inputs.at[i].stream.tensor))
                continue;
            const cursor *c = &cursors[t];
            BUG_IF(c->high > c->low + 1, "a run must fix one sub-tile of every operand");
            vec_push(p->mem, &p->plan->run_block, c->low < c->high ? c->low : 0);
        }
    }
    if (!bound_result(p, cursors, &run.bound_words))
        return false;
    vec_push(p->mem, &p->plan->runs, run);
    vec_push(p->mem, &p->plan->parts, part);
    return true;
}

/* First sub-tile of the cursor's range whose piece at the cursor's depth is at least `at`: binary search. */
static uint32_t first_at_least(const operand *o, cursor c, uint32_t at) {
    while (c.low < c.high) {
        uint32_t middle = c.low + (c.high - c.low) / 2;
        if (o->tiles.at[middle].at[c.depth] < at)
            c.low = middle + 1;
        else
            c.high = middle;
    }
    return c.low;
}

/* The cursor after piece `at` of variable v was chosen. */
static cursor advance(const operand *o, cursor c, sam_var v, uint32_t at) {
    if ((o->first_only & var_bit(v)) && at > 0)
        c.high = c.low;
    if (c.depth == o->format->order || o->access->index[o->mode_in_loop_order[c.depth]].v != v.v)
        return c;
    c.low = first_at_least(o, c, at);
    c.high = first_at_least(o, c, at + 1);
    c.depth++;
    return c;
}

static bool search(planner *p, uint32_t depth, const cursor *cursors) {
    const sam_statement *s = p->statement;
    if (depth == s->loops.len)
        return add_run(p, cursors);
    sam_var v = s->loops.at[depth];
    piece_set set = candidates(p, cursors, s->rhs, v);
    if (set.kind == PIECES_NONE)
        return true;
    set = concrete(p, set, v);
    cursor *next = arena_new_n(p->scratch, cursor, s->tensors.len);
    for (uint32_t at = 0; at < pieces(p, v); at++) {
        if (!(set.bits[at / 64] >> (at % 64) & 1))
            continue;
        p->piece[v.v - 1] = at;
        for (uint32_t t = 0; t < s->tensors.len; t++) {
            if (p->operands[t].access)
                next[t] = advance(&p->operands[t], cursors[t], v, at);
        }
        if (!search(p, depth + 1, next))
            return false;
    }
    return true;
}

static void start_streams(planner *p, const tile_stream *inputs, uint32_t n_inputs,
                          const tile_stream *outputs, uint32_t n_outputs) {
    for (uint32_t i = 0; i < n_inputs; i++)
        vec_push(p->mem, &p->plan->inputs, (tile_input){.stream = inputs[i]});
    for (uint32_t i = 0; i < n_outputs; i++)
        vec_push(p->mem, &p->plan->outputs,
                 (tile_output){outputs[i], outputs[i].level == SAM_MODE_VALS ? 1u : 2u, 0});
}

bool tile_plan_run(const sam_statement *s, const tile_operands *in, const tile_options *options,
                   const tile_stream *inputs, uint32_t n_inputs, const tile_stream *outputs,
                   uint32_t n_outputs, arena *mem, diagnostics *d, tile_plan *out) {
    arena scratch = {0};
    *out = (tile_plan){.tile = tile_edge(s, options), .runs_possible = 1, .copies = 1};
    planner p = {.statement = s,
                 .options = options,
                 .edge = out->tile,
                 .operands = arena_new_n(&scratch, operand, s->tensors.len),
                 .plan = out,
                 .mem = mem,
                 .scratch = &scratch,
                 .diag = d};
    BUG_IF(s->vars.len > 64, "%u index variables", s->vars.len);
    uint32_t *extent = NULL;
    bool good = tile_extents(s, in, &scratch, d, &extent);
    p.extent = extent;
    start_streams(&p, inputs, n_inputs, outputs, n_outputs);
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        p.operands[t].data = &in->operand[t];
        p.operands[t].format = &s->tensors.at[t];
    }
    bind_accesses(&p, s->rhs, 0);
    cursor *cursors = arena_new_n(&scratch, cursor, s->tensors.len);
    for (uint32_t t = 0; good && t < s->tensors.len; t++) {
        if (!p.operands[t].access)
            continue;
        good = cut_operand(&p, &p.operands[t]);
        cursors[t] = (cursor){.low = 1, .high = p.operands[t].tiles.len};
    }
    for (uint32_t l = 0; good && l < s->loops.len; l++)
        out->runs_possible *= pieces(&p, s->loops.at[l]);
    good = good && search(&p, 0, cursors);
    arena_free(&scratch);
    return good;
}
