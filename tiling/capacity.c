/* capacity.c - how many words a run's result takes at each level.
 *
 * First a bound: the product of the most coordinates along each of its variables. Where that is too much, or
 * the run is to be made, the loops visit the operands' sub-tiles as the graph's joiners, droppers
 * and reducers do, without values: every coordinate that reaches a writer is counted once. The loops
 * are those of the result, of the sums around the whole right side, and of sums that are factors, since
 * lowering moves those out where a loop around them may be empty; a sum inside of a term adds no coordinate.
 * What the walk does not know of the graph (tile_options.drops) only makes it count too much, so
 * the smaller of both is never exceeded; tile_collect_run holds every run to it. It takes as many steps as
 * the graph takes tokens, and ends as soon as there is more than fits.
 */
#include "tiling/capacity.h"
#include "tiling/cut.h"
#include "tiling/model.h"

enum { NO_LEVEL = -1 };
static const uint32_t ABSENT = UINT32_MAX;

typedef struct {
    sam_var var;
    int result_level; /* or NO_LEVEL */
    bool merged;      /* a reduced loop is outside: the result's coordinates may come again */
    bool last;        /* no inner loop of the result: only the existence of a coordinate matters */
    uint64_t drops;   /* the variable whose inner coordinates this loop requires, a bit */
    int8_t *level;    /* by tensor: its level along var, or NO_LEVEL */
} walk_loop;

/* A node of the result below a reduced loop: several visits are possible. */
typedef struct {
    uint32_t parent, id;
    uint32_t walk; /* the entry is of this walk, or none */
    uint16_t crd;
    bool kept;
} walk_node;

struct plan_walk {
    walk_loop *loops;
    uint32_t n_loops, tensors;
    uint32_t **pos;          /* by depth, then tensor: the current node, or ABSENT */
    const plan_level **tree; /* by tensor */
    uint16_t *pool;          /* of coordinate lists, a stack */
    size_t used;
    walk_node *nodes; /* a hash table; NULL before the first walk */
    uint32_t slots, filled, walk, next_id;
    uint64_t kept[SAM_MAX_ORDER]; /* nodes by level of the result; dense ones are not counted */
    uint64_t most;                /* of any level: the walk ends */
    bool over;
    uint64_t steps; /* coordinates so far */
};

/* ---- the bound --------------------------------------------------------------------------------- */

/* Input of the fold over the right side. Its sets are upper bounds of the distinct coordinates of v that the
 * run iterates; UINT32_MAX: v is not restricted. */
typedef struct {
    const tile_planner *p;
    const uint32_t *sub;
    sam_var v;
    uint32_t edge, size; /* of v in the sub-tile, and in the box */
} bounded;

static void bound_stored(void *context, sam_expr access, void *out) {
    const bounded *b = context;
    const sam_expr_data *x = sam_expr_at(b->p->statement, access);
    const plan_operand *o = &b->p->operands[x->tensor.v - 1];
    uint32_t m = 0;
    while (m < o->format->order && x->index[m].v != b->v.v)
        m++;
    *(uint32_t *)out = m < o->format->order ? o->subs.at[b->sub[x->tensor.v - 1]].nodes[m] : UINT32_MAX;
}

static void bound_both(void *context, sam_expr e, void *left, const void *right) {
    uint32_t *a = left, b = *(const uint32_t *)right;
    (void)context;
    (void)e;
    *a = *a < b ? *a : b;
}

/* A compressed level has no coordinate outside of the box, a dense level all up to the edge. */
static void bound_either(void *context, sam_expr e, void *left, const void *right) {
    const bounded *within = context;
    uint32_t *a = left, b = *(const uint32_t *)right, most = *a > b ? *a : b;
    (void)e;
    if (*a == UINT32_MAX && b == UINT32_MAX)
        return;
    if (*a >= within->edge || b >= within->edge)
        *a = within->edge;
    else
        *a = *a + b <= within->size ? *a + b : most > within->size ? most : within->size;
}

static uint32_t bound_coordinates(const tile_planner *p, const uint32_t *sub, const plan_box *box,
                                  sam_var v) {
    static const uint32_t any = UINT32_MAX;
    static const sam_fold_by by = {sizeof any, &any, bound_stored, bound_both, bound_either, NULL};
    uint32_t most;
    sam_fold(&p->visits.algebra, p->visits.coordinates, &by,
             &(bounded){p, sub, v, p->edge[v.v - 1], box->size[v.v - 1]}, &most);
    return most;
}

/* From the nodes of each level; dense levels have all coordinates. */
static plan_bound bound_of(const tile_planner *p, const uint64_t *nodes) {
    const sam_tensor_data *result = sam_tensor_at(p->statement, p->statement->result);
    const int shared = sam_sharing_table[p->options.sharing].store;
    uint64_t parents = 1, all = 0;
    plan_bound r = {2, 1};
    for (uint32_t l = 0; l < result->order; l++) {
        uint64_t stream = 2 + parents + 1 + nodes[l] + 1;
        all += sam_carries(shared, (int)l) ? stream : 0;
        r.stream = stream > r.stream ? stream : r.stream;
        r.widest = parents + 1 > r.widest ? parents + 1 : r.widest;
        r.widest = nodes[l] > r.widest ? nodes[l] : r.widest;
        parents = nodes[l] ? nodes[l] : 1; /* an empty result still closes one fiber */
    }
    all += sam_carries(shared, SAM_MODE_VALS) ? parents + 1 : 0;
    r.stream = parents + 1 > r.stream ? parents + 1 : r.stream;
    r.stream = all > r.stream ? all : r.stream;
    return r;
}

plan_bound plan_bound_result(const tile_planner *p, const uint32_t *sub, const plan_box *box) {
    const sam_statement *s = p->statement;
    const sam_tensor_data *result = sam_tensor_at(s, s->result);
    uint64_t nodes[SAM_MAX_ORDER] = {0}, parents = 1;
    for (uint32_t l = 0; l < result->order; l++) {
        sam_var v = s->result_index[result->mode[l]];
        uint32_t n = bound_coordinates(p, sub, box, v), edge = p->edge[v.v - 1];
        parents = nodes[l] = parents * (n > edge || result->level[l] == SAM_LEVEL_DENSE ? edge : n);
    }
    return bound_of(p, nodes);
}

bool plan_result_fits(const tile_planner *p, plan_bound r) {
    return r.widest <= p->options.mem_words && (!p->options.bank_words || r.stream <= p->options.bank_words);
}

/* ---- visited loops --------------------------------------------------------------------------- */

/* Returns the variables of the sums around h and around its factors. */
static uint64_t outer_sums(const sam_statement *s, sam_expr h) {
    const sam_expr_data *x = sam_expr_at(s, h);
    switch (x->kind) {
    case SAM_EXPR_SUM:
        return var_bit(x->var) | outer_sums(s, x->a);
    case SAM_EXPR_NEG:
        return outer_sums(s, x->a);
    case SAM_EXPR_MUL:
        return outer_sums(s, x->a) | outer_sums(s, x->b);
    case SAM_EXPR_ADD:
    case SAM_EXPR_SUB:
    case SAM_EXPR_DIV:
    case SAM_EXPR_CALL:
    case SAM_EXPR_ACCESS:
    case SAM_EXPR_LITERAL:
    case SAM_EXPR_NONE:
        break;
    }
    return 0;
}

/* Levels of each operand along the loop; an operand's loops must come in the order of its levels. */
static bool find_levels(tile_planner *p, walk_loop *loop, uint32_t *passed) {
    const sam_statement *s = p->statement;
    loop->level = arena_new_n(&p->own, int8_t, s->tensors.len);
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        const plan_operand *o = &p->operands[t];
        loop->level[t] = NO_LEVEL;
        for (uint32_t l = 0; o->access && l < o->format->order; l++) {
            if (plan_level_var(o, l).v != loop->var.v)
                continue;
            if (l != passed[t])
                return false;
            loop->level[t] = (int8_t)l;
            passed[t]++;
            break;
        }
    }
    return true;
}

/* Finds the result's levels in the order of the loops; returns false for another order. */
static bool find_result_levels(const tile_planner *p, plan_walk *w) {
    const sam_statement *s = p->statement;
    const sam_tensor_data *result = sam_tensor_at(s, s->result);
    uint32_t level = 0;
    bool reduced = false;
    for (uint32_t d = 0; d < w->n_loops; d++) {
        walk_loop *loop = &w->loops[d];
        loop->merged = reduced;
        loop->result_level = NO_LEVEL;
        loop->last = level == result->order;
        if (!sam_is_result_var(s, loop->var)) {
            reduced = true;
            continue;
        }
        if (level == result->order || s->result_index[result->mode[level]].v != loop->var.v)
            return false;
        loop->result_level = (int)level++;
    }
    return level == result->order;
}

/* Removes loops without an inner loop of the result and without influence on coordinates. A variable outside
 * the walk drops no coordinate. */
static void cut_loops(plan_walk *w) {
    uint64_t wanted = 0, looped = 0;
    for (uint32_t d = 0; d < w->n_loops; d++)
        looped |= var_bit(w->loops[d].var);
    for (uint32_t d = 0; d < w->n_loops; d++)
        wanted |= w->loops[d].drops &= looped;
    while (w->n_loops && w->loops[w->n_loops - 1].result_level == NO_LEVEL &&
           !(wanted & var_bit(w->loops[w->n_loops - 1].var)))
        w->n_loops--;
}

/* Total room of the coordinate lists of one loop. */
static size_t list_words(const tile_planner *p, sam_expr h, size_t *accesses) {
    const sam_expr_data *x = sam_expr_at(p->statement, h);
    size_t a = 0, b = 0, words = 0;
    if (x->a.v)
        words += list_words(p, x->a, &a);
    if (x->b.v)
        words += list_words(p, x->b, &b);
    *accesses = x->kind == SAM_EXPR_ACCESS ? 1 : a + b;
    return words + (x->b.v ? (a + b) * p->options.mem_words : 0);
}

void plan_begin_walks(tile_planner *p) {
    const sam_statement *s = p->statement;
    const uint64_t sums = outer_sums(s, s->rhs);
    plan_walk *w = arena_new(&p->own, plan_walk);
    uint32_t *passed = arena_new_n(&p->own, uint32_t, s->tensors.len);
    size_t accesses = 0;
    w->tensors = s->tensors.len;
    w->loops = arena_new_n(&p->own, walk_loop, s->loops.len + 1);
    for (uint32_t l = 0; l < s->loops.len; l++) {
        sam_var v = s->loops.at[l];
        if (!sam_is_result_var(s, v) && !(sums & var_bit(v)))
            continue;
        walk_loop *loop = &w->loops[w->n_loops++];
        loop->var = v;
        loop->drops = p->options.drops[v.v - 1] ? UINT64_C(1) << (p->options.drops[v.v - 1] - 1) : 0;
        if (!find_levels(p, loop, passed))
            return;
    }
    if (!find_result_levels(p, w))
        return;
    cut_loops(w);
    w->pos = arena_new_n(&p->own, uint32_t *, w->n_loops + 1);
    for (uint32_t d = 0; d <= w->n_loops; d++)
        w->pos[d] = arena_new_n(&p->own, uint32_t, w->tensors);
    w->tree = arena_new_n(&p->own, const plan_level *, w->tensors);
    w->pool = arena_new_n(&p->own, uint16_t, w->n_loops * list_words(p, s->rhs, &accesses) + 1);
    for (w->slots = 64; w->slots < 4 * (uint64_t)p->options.mem_words;)
        w->slots *= 2;
    p->walk = w;
}

/* ---- a loop's coordinates -------------------------------------------------------------------- */

/* In ascending order. ANY: unrestricted; RANGE: 0 to n - 1. */
typedef struct {
    enum { WALK_ANY, WALK_RANGE, WALK_LIST } kind;
    const uint16_t *at;
    uint32_t n;
} coordinates;

/* The folds over the right side read this. */
typedef struct {
    const tile_planner *p;
    uint32_t depth; /* of the loop */
} loop_at;

static void walk_stored(void *context, sam_expr access, void *out) {
    const loop_at *at = context;
    const plan_walk *w = at->p->walk;
    uint32_t t = sam_expr_at(at->p->statement, access)->tensor.v - 1, node = w->pos[at->depth][t];
    int level = w->loops[at->depth].level[t];
    coordinates *c = out;
    *c = (coordinates){level == NO_LEVEL ? WALK_ANY : WALK_LIST, NULL, 0};
    if (level == NO_LEVEL || node == ABSENT)
        return;
    const plan_level *tree = &w->tree[t][level];
    if (tree->seg)
        *c = (coordinates){WALK_LIST, tree->crd + tree->seg[node],
                           (uint32_t)tree->seg[node + 1] - tree->seg[node]};
    else
        *c = (coordinates){WALK_RANGE, NULL, at->p->edge[w->loops[at->depth].var.v - 1]};
}

static void walk_both(void *context, sam_expr e, void *left, const void *right) {
    const loop_at *at = context;
    plan_walk *w = at->p->walk;
    coordinates *a = left, b = *(const coordinates *)right;
    (void)e;
    if (a->kind == WALK_ANY || (a->kind == WALK_RANGE && b.kind == WALK_LIST)) {
        *a = b;
        return;
    }
    if (b.kind != WALK_LIST)
        return;
    uint16_t *both = w->pool + w->used;
    uint32_t n = 0;
    for (uint32_t i = 0, j = 0; i < a->n && j < b.n;) {
        uint16_t x = a->at[i], y = b.at[j];
        if (x == y)
            both[n++] = x;
        i += x <= y;
        j += y <= x;
    }
    w->used += n;
    *a = (coordinates){WALK_LIST, both, n};
}

/* An addend without the variable has all coordinates. */
static void walk_either(void *context, sam_expr e, void *left, const void *right) {
    const loop_at *at = context;
    plan_walk *w = at->p->walk;
    coordinates *a = left, b = *(const coordinates *)right;
    (void)e;
    if (a->kind == WALK_ANY && b.kind == WALK_ANY)
        return;
    if (a->kind != WALK_LIST || b.kind != WALK_LIST) {
        *a = (coordinates){WALK_RANGE, NULL, at->p->edge[w->loops[at->depth].var.v - 1]};
        return;
    }
    uint16_t *any = w->pool + w->used;
    uint32_t n = 0;
    for (uint32_t i = 0, j = 0; i < a->n || j < b.n;) {
        uint32_t x = i < a->n ? a->at[i] : UINT32_MAX, y = j < b.n ? b.at[j] : UINT32_MAX;
        any[n++] = (uint16_t)(x < y ? x : y);
        i += x <= y;
        j += y <= x;
    }
    w->used += n;
    *a = (coordinates){WALK_LIST, any, n};
}

static coordinates domain(const tile_planner *p, uint32_t depth) {
    static const coordinates any = {WALK_ANY, NULL, 0};
    static const sam_fold_by by = {sizeof any, &any, walk_stored, walk_both, walk_either, NULL};
    coordinates all;
    sam_fold(&p->visits.algebra, p->visits.coordinates, &by, &(loop_at){p, depth}, &all);
    return all;
}

/* ---- where the operands stand ---------------------------------------------------------------- */

typedef enum { STANDS_ANY, STANDS, STANDS_NOT } standing; /* ANY: lacks the variable */

/* Ends the accesses under h with the loop's variable: their product has no coordinate. */
static void end_accesses(const tile_planner *p, sam_expr h, uint32_t depth) {
    const sam_expr_data *x = sam_expr_at(p->statement, h);
    if (x->kind == SAM_EXPR_ACCESS && p->walk->loops[depth].level[x->tensor.v - 1] != NO_LEVEL)
        p->walk->pos[depth + 1][x->tensor.v - 1] = ABSENT;
    if (x->a.v)
        end_accesses(p, x->a, depth);
    if (x->b.v)
        end_accesses(p, x->b, depth);
}

static void standing_stored(void *context, sam_expr access, void *out) {
    const loop_at *at = context;
    const plan_walk *w = at->p->walk;
    uint32_t t = sam_expr_at(at->p->statement, access)->tensor.v - 1;
    bool absent = w->pos[at->depth + 1][t] == ABSENT;
    *(standing *)out = w->loops[at->depth].level[t] == NO_LEVEL ? STANDS_ANY : absent ? STANDS_NOT : STANDS;
}

static void standing_both(void *context, sam_expr e, void *left, const void *right) {
    const loop_at *at = context;
    standing *a = left, b = *(const standing *)right;
    if (*a == b)
        return;
    bool ends = *a == STANDS_NOT || b == STANDS_NOT;
    if (ends)
        end_accesses(at->p, e, at->depth);
    *a = ends ? STANDS_NOT : STANDS;
}

static void standing_either(void *context, sam_expr e, void *left, const void *right) {
    standing *a = left;
    (void)context;
    (void)e;
    *a = *a == *(const standing *)right ? *a : STANDS;
}

/* Finds the operands with the chosen coordinate; if a product lacks the coordinate, all its factors do. */
static void find_standing(const tile_planner *p, uint32_t depth) {
    static const standing any = STANDS_ANY;
    static const sam_fold_by by = {sizeof any, &any, standing_stored, standing_both, standing_either, NULL};
    standing whole;
    sam_fold(&p->visits.algebra, p->visits.coordinates, &by, &(loop_at){p, depth}, &whole);
}

/* Steps every operand to coordinate c of the loop; next[t]: from where on in its fiber c may be. */
static void step(const tile_planner *p, uint32_t depth, uint32_t c, uint32_t *next) {
    const plan_walk *w = p->walk;
    const walk_loop *loop = &w->loops[depth];
    for (uint32_t t = 0; t < w->tensors; t++) {
        uint32_t from = w->pos[depth][t], *to = &w->pos[depth + 1][t];
        if (loop->level[t] == NO_LEVEL || from == ABSENT) {
            *to = from;
            continue;
        }
        const plan_level *tree = &w->tree[t][loop->level[t]];
        if (!tree->seg) {
            *to = from * p->edge[loop->var.v - 1] + c;
            continue;
        }
        while (next[t] < tree->seg[from + 1] && tree->crd[next[t]] < c)
            next[t]++;
        *to = next[t] < tree->seg[from + 1] && tree->crd[next[t]] == c ? next[t] : ABSENT;
    }
    find_standing(p, depth);
}

/* ---- the walk -------------------------------------------------------------------------------- */

/* Returns the node of a result's level below a reduced loop; NULL if the table is full. */
static walk_node *node_at(plan_walk *w, uint32_t parent, uint32_t c) {
    uint32_t at = (parent * 0x9e3779b1u ^ c * 0x85ebca6bu) * 0xc2b2ae35u;
    for (at = at >> 7 & (w->slots - 1);; at = (at + 1) & (w->slots - 1)) {
        walk_node *n = &w->nodes[at];
        if (n->walk == w->walk && n->parent == parent && n->crd == c)
            return n;
        if (n->walk == w->walk)
            continue;
        if (++w->filled > w->slots / 2)
            return NULL;
        *n = (walk_node){parent, w->next_id++, w->walk, (uint16_t)c, false};
        return n;
    }
}

static void keep(plan_walk *w, int level) {
    w->over = w->over || ++w->kept[level] > w->most;
}

/* Returns the bits of the variables with a coordinate inside of node `parent` of the result. */
static uint64_t walk_from(const tile_planner *p, uint32_t depth, uint32_t parent) {
    plan_walk *w = p->walk;
    if (depth == w->n_loops)
        return 0;
    const walk_loop *loop = &w->loops[depth];
    size_t used = w->used;
    uint32_t next[PLAN_MAX_TENSORS];
    uint64_t found = 0;
    coordinates all = domain(p, depth);
    uint32_t n = all.kind == WALK_ANY ? p->edge[loop->var.v - 1] : all.n;
    for (uint32_t t = 0; t < w->tensors; t++) {
        bool fiber = loop->level[t] != NO_LEVEL && w->pos[depth][t] != ABSENT;
        const plan_level *tree = fiber ? &w->tree[t][loop->level[t]] : NULL;
        next[t] = fiber && tree->seg ? tree->seg[w->pos[depth][t]] : 0;
    }
    for (uint32_t i = 0; i < n && !w->over && !(loop->last && found); i++) {
        uint32_t c = all.kind == WALK_LIST ? all.at[i] : i, id = parent;
        w->steps++;
        walk_node *node = NULL;
        if (loop->result_level != NO_LEVEL && loop->merged) {
            node = node_at(w, parent, c);
            if (!node) {
                w->over = true;
                break;
            }
            id = node->id;
        } else if (loop->result_level != NO_LEVEL) {
            id = w->next_id++;
        }
        step(p, depth, c, next);
        uint64_t inside = walk_from(p, depth + 1, id);
        if (loop->drops && !(inside & loop->drops))
            continue;
        found |= inside | var_bit(loop->var);
        if (loop->result_level != NO_LEVEL && !(node && node->kept))
            keep(w, loop->result_level);
        if (node)
            node->kept = true;
    }
    w->used = used;
    return found;
}

/* Lowers the bound to the model's expectation, without a walk. */
static void expect_result(tile_planner *p, const uint32_t *sub, const plan_box *box, plan_bound *bound) {
    const sam_tensor_data *result = sam_tensor_at(p->statement, p->statement->result);
    uint64_t nodes[SAM_MAX_ORDER] = {0};
    double work[TILE_WORKS] = {0};
    plan_cost(p, sub, box, work, nodes);
    for (uint32_t l = 0; l < result->order; l++) {
        if (result->level[l] == SAM_LEVEL_DENSE)
            nodes[l] = (l ? nodes[l - 1] : 1) * p->edge[p->statement->result_index[result->mode[l]].v - 1];
    }
    plan_bound expected = bound_of(p, nodes);
    bound->stream = expected.stream < bound->stream ? expected.stream : bound->stream;
    bound->widest = expected.widest < bound->widest ? expected.widest : bound->widest;
}

bool plan_count_result(tile_planner *p, const uint32_t *sub, const plan_box *box, plan_bound *bound) {
    const sam_tensor_data *result = sam_tensor_at(p->statement, p->statement->result);
    plan_walk *w = p->walk;
    if (p->limit.most_steps < UINT64_MAX) {
        expect_result(p, sub, box, bound);
        return true;
    }
    if (!w)
        return true;
    for (uint32_t t = 0; t < w->tensors; t++) {
        w->pos[0][t] = 0;
        if (p->operands[t].access && !plan_tree(p, &p->operands[t], sub[t], &w->tree[t]))
            return false;
    }
    memset(w->kept, 0, sizeof w->kept);
    w->most = p->options.mem_words;
    w->over = false;
    w->used = w->filled = w->next_id = 0;
    if (!w->nodes)
        w->nodes = arena_new_n(&p->own, walk_node, w->slots);
    if (++w->walk == 0) {
        memset(w->nodes, 0, sizeof *w->nodes * w->slots);
        w->walk = 1;
    }
    w->steps = 0;
    walk_from(p, 0, w->next_id++);
    p->limit.steps += w->steps;
    if (w->over)
        return true;
    for (uint32_t l = 0; l < result->order; l++) {
        if (result->level[l] == SAM_LEVEL_DENSE)
            w->kept[l] =
                (l ? w->kept[l - 1] : 1) * p->edge[p->statement->result_index[result->mode[l]].v - 1];
    }
    plan_bound counted = bound_of(p, w->kept);
    bound->stream = counted.stream < bound->stream ? counted.stream : bound->stream;
    bound->widest = counted.widest < bound->widest ? counted.widest : bound->widest;
    return true;
}
