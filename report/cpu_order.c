/* Which statements have C of a core, the order of its loops with the fewest expected steps, and the formats
 * of its operands. */
#include "report/cpu_order.h"

#include <math.h>

const sam_expr_data *cpu_expr_at(const cpu_plan *p, sam_expr e) {
    return sam_expr_at(p->st, e);
}

static uint32_t extent_of(const cpu_plan *p, sam_var v) {
    return p->extent[v.v - 1];
}

uint32_t cpu_access_of(const cpu_plan *p, sam_expr e) {
    uint32_t a = 0;
    while (p->access[a].expr.v != e.v)
        a++;
    return a;
}

int cpu_level_of(const cpu_access *a, sam_var v) {
    for (uint32_t l = 0; l < a->order; l++) {
        if (a->var[l].v == v.v)
            return (int)l;
    }
    return -1;
}

uint32_t cpu_place_of(const cpu_plan *p, sam_var v) {
    uint32_t i = 0;
    while (i < p->loops && p->loop[i].v != v.v)
        i++;
    return i;
}

uint32_t cpu_result_order(const cpu_plan *p) {
    return sam_tensor_at(p->st, p->st->result)->order;
}

uint64_t cpu_chain_of(const cpu_plan *p, sam_expr e, sam_expr *body) {
    uint64_t vars = 0;
    for (*body = e; cpu_expr_at(p, *body)->kind == SAM_EXPR_SUM; *body = cpu_expr_at(p, *body)->a)
        vars |= (uint64_t)1 << (cpu_expr_at(p, *body)->var.v - 1);
    return vars;
}

static bool has_sum(const cpu_plan *p, sam_expr e) {
    const sam_expr_data *x = cpu_expr_at(p, e);
    return x->kind == SAM_EXPR_SUM || (x->a.v && has_sum(p, x->a)) || (x->b.v && has_sum(p, x->b));
}

static void refuse(cpu_plan *p, src_loc where, const char *why) {
    if (!p->why) {
        p->why = why;
        p->where = where;
    }
}

static void add_var(cpu_plan *p, sam_var v) {
    const sam_var_data *x = sam_var_at(p->st, v);
    if (cpu_place_of(p, v) < p->loops)
        return;
    if (p->loops == CPU_MAX_VARS)
        refuse(p, x->loc, "it has more than 6 index variables");
    else
        p->loop[p->loops++] = v;
}

static void add_access(cpu_plan *p, sam_expr e) {
    const sam_expr_data *x = cpu_expr_at(p, e);
    const sam_tensor_data *t = sam_tensor_at(p->st, x->tensor);
    if (p->accesses == CPU_MAX_ACCESSES) {
        refuse(p, x->loc, "it reads more than 16 operands");
        return;
    }
    cpu_access *a = &p->access[p->accesses++];
    *a = (cpu_access){.expr = e, .order = t->order};
    if (t->fill || t->windowed || t->blocked || t->structure != SAM_VALUES)
        refuse(p, x->loc, "it reads a part of a tensor, blocks, or one with a fill");
    for (uint32_t l = 0; l < t->order; l++) {
        const sam_var v = x->index[t->mode[l]];
        if (cpu_level_of(a, v) >= 0)
            refuse(p, x->loc, "an operand has an index twice");
        a->var[l] = v;
        if (t->level[l] != SAM_LEVEL_DENSE && t->level[l] != SAM_LEVEL_COMPRESSED)
            refuse(p, x->loc, "a level of an operand is neither dense nor compressed");
        add_var(p, v);
    }
}

static void collect(cpu_plan *p, sam_expr e) {
    const sam_expr_data *x = cpu_expr_at(p, e);
    if (x->kind == SAM_EXPR_CALL || (x->kind == SAM_EXPR_SUM && x->operation))
        refuse(p, x->loc, "it has an operation besides + - * /");
    if (x->kind == SAM_EXPR_ACCESS)
        add_access(p, e);
    if (x->kind == SAM_EXPR_SUM)
        add_var(p, x->var);
    if (x->a.v)
        collect(p, x->a);
    if (x->b.v)
        collect(p, x->b);
}

/* A sum in a sum follows it. */
static bool sums_are_nested(const cpu_plan *p, sam_expr e, uint64_t around) {
    const sam_expr_data *x = cpu_expr_at(p, e);
    sam_expr body;
    const uint64_t vars = cpu_chain_of(p, e, &body);
    for (uint32_t i = 0; i < p->loops; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if ((around >> (p->loop[i].v - 1) & 1) && (vars >> (p->loop[j].v - 1) & 1))
                return false;
        }
    }
    if (vars)
        return sums_are_nested(p, body, around | vars);
    return (!x->a.v || sums_are_nested(p, x->a, around)) && (!x->b.v || sums_are_nested(p, x->b, around));
}

static bool order_is_possible(cpu_plan *p) {
    sam_expr body;
    const uint32_t order = cpu_result_order(p);
    p->outer = 0;
    while (p->outer < p->loops && sam_is_result_var(p->st, p->loop[p->outer]))
        p->outer++;
    cpu_chain_of(p, p->st->rhs, &body);
    if (p->outer < order && (has_sum(p, body) || (!p->dense && p->outer + 1 < order)))
        return false;
    return sums_are_nested(p, p->st->rhs, 0);
}

/* Returns the number of coordinates of an access in the variables of `in`, for evenly spread entries. */
static double points_of(const cpu_plan *p, const cpu_access *a, uint64_t in) {
    double all = 1, stored = (double)p->operand[cpu_expr_at(p, a->expr)->tensor.v - 1].nnz;
    bool sparse = false;
    for (uint32_t l = 0; l < a->order; l++) {
        sparse = sparse || (!a->dense[l] && (in >> (a->var[l].v - 1) & 1));
        if (in >> (a->var[l].v - 1) & 1)
            all *= extent_of(p, a->var[l]);
    }
    return sparse ? fmin(all, stored) : all;
}

static double extent_of_all(const cpu_plan *p, uint64_t in) {
    double all = 1;
    for (uint32_t i = 0; i < p->loops; i++)
        all *= in >> (p->loop[i].v - 1) & 1 ? extent_of(p, p->loop[i]) : 1;
    return all;
}

/* Returns the expected share of the coordinates of `in` at which the expression has values. */
static double density(const cpu_plan *p, sam_expr e, uint64_t in) {
    const sam_expr_data *x = cpu_expr_at(p, e);
    if (x->kind == SAM_EXPR_ACCESS) {
        const cpu_access *a = &p->access[cpu_access_of(p, e)];
        uint64_t own = 0;
        for (uint32_t l = 0; l < a->order; l++)
            own |= (uint64_t)1 << (a->var[l].v - 1);
        return points_of(p, a, in) / fmax(1, extent_of_all(p, in & own));
    }
    if (x->kind == SAM_EXPR_LITERAL)
        return 1;
    const double a = density(p, x->a, in), b = x->b.v ? density(p, x->b, in) : 0;
    return !x->b.v ? a : x->kind == SAM_EXPR_ADD || x->kind == SAM_EXPR_SUB ? fmin(1, a + b) : a * b;
}

/* Returns how many coordinates all loops are expected to visit. */
static double steps(const cpu_plan *p) {
    double all = 0;
    uint64_t in = 0;
    for (uint32_t i = 0; i < p->loops; i++) {
        const uint64_t bit = (uint64_t)1 << (p->loop[i].v - 1);
        double scanned = 0;
        for (uint32_t a = 0; a < p->accesses; a++) {
            const int l = cpu_level_of(&p->access[a], p->loop[i]);
            if (l >= 0 && !p->access[a].dense[l])
                scanned += points_of(p, &p->access[a], in | bit) / fmax(1, points_of(p, &p->access[a], in));
        }
        all += extent_of_all(p, in) * density(p, p->st->rhs, in) *
               (scanned > 0 ? scanned : extent_of(p, p->loop[i]));
        in |= bit;
    }
    return p->outer < cpu_result_order(p) ? 1.25 * all : all; /* a workspace costs, too */
}

static bool is_product(const cpu_plan *p, sam_expr e) {
    const sam_expr_data *x = cpu_expr_at(p, e);
    if (x->kind == SAM_EXPR_SUM)
        return is_product(p, x->a);
    return x->kind == SAM_EXPR_ACCESS ||
           (x->kind == SAM_EXPR_MUL && is_product(p, x->a) && is_product(p, x->b));
}

/* Stores factors as a core would, rows as in CSR: an operand's outermost level is dense if another factor is
 * scanned along its loop, to find a fiber in a single step. */
static void locate(cpu_plan *p) {
    enum { MOST_ROWS = 1 << 24 };
    for (uint32_t a = 0; a < p->accesses && is_product(p, p->st->rhs); a++) {
        uint32_t first = 0;
        while (first < p->loops && cpu_level_of(&p->access[a], p->loop[first]) < 0)
            first++;
        bool scanned = false;
        for (uint32_t b = 0; b < p->accesses && first > 0 && first < p->loops; b++) {
            const int l = cpu_level_of(&p->access[b], p->loop[first]);
            scanned = scanned || (b != a && l >= 0 && !p->access[b].dense[l]);
        }
        if (scanned && p->access[a].order > 1 && extent_of(p, p->loop[first]) <= MOST_ROWS)
            p->access[a].dense[cpu_level_of(&p->access[a], p->loop[first])] = true;
    }
}

static void try_orders(cpu_plan *p, uint32_t at, cpu_plan *best, double *least) {
    if (at == p->loops && order_is_possible(p)) {
        cpu_plan located = *p;
        locate(&located);
        const double all = steps(&located);
        if (all < *least) {
            *least = all;
            *best = located;
        }
    }
    for (uint32_t i = at; i < p->loops; i++) {
        const sam_var v = p->loop[i], first = p->loop[at];
        p->loop[at] = v;
        p->loop[i] = first;
        try_orders(p, at + 1, best, least);
        p->loop[i] = v;
        p->loop[at] = first;
    }
}

/* Sorts the levels of an access by the loops; a full level is dense. */
static void store_in_order(cpu_plan *p, cpu_access *a) {
    const sam_expr_data *x = cpu_expr_at(p, a->expr);
    uint32_t n = 0;
    bool dense[SAM_MAX_ORDER];
    memcpy(dense, a->dense, sizeof dense);
    const cpu_access was = *a;
    for (uint32_t i = 0; i < p->loops; i++) {
        const int l = cpu_level_of(&was, p->loop[i]);
        for (uint8_t m = 0; l >= 0 && m < a->order; m++) {
            if (x->index[m].v != p->loop[i].v)
                continue;
            a->var[n] = p->loop[i];
            a->dense[n] = dense[l];
            a->mode[n++] = m;
        }
    }
}

static void find_dense(cpu_plan *p, cpu_access *a) {
    const sam_tensor t = cpu_expr_at(p, a->expr)->tensor;
    uint64_t in = 0;
    for (uint32_t l = 0; l < a->order; l++)
        in |= (uint64_t)1 << (a->var[l].v - 1);
    const bool full = (double)p->operand[t.v - 1].nnz >= extent_of_all(p, in);
    for (uint32_t l = 0; l < a->order; l++)
        a->dense[l] = full || sam_tensor_at(p->st, t)->level[l] == SAM_LEVEL_DENSE;
}

void cpu_choose(const sam_statement *st, const tile_operands *in, const uint32_t *extent, cpu_plan *p) {
    const sam_tensor_data *result = sam_tensor_at(st, st->result);
    double least = INFINITY;
    *p = (cpu_plan){.st = st, .operand = in->operand, .extent = extent, .dense = true};
    if (in->dtype != TILE_DTYPE_INT16)
        refuse(p, result->loc, "a core has no bfloat16");
    if (st->general || result->fill)
        refuse(p, result->loc, "there are fills, or operations besides + - * /");
    for (uint32_t m = 0; m < result->order; m++)
        add_var(p, st->result_index[m]);
    for (uint32_t l = 0; l < result->order; l++)
        p->dense = p->dense && result->level[l] == SAM_LEVEL_DENSE;
    collect(p, st->rhs);
    for (uint32_t i = 0; i < p->loops && !p->why; i++) {
        if (sam_var_at(st, p->loop[i])->split_of.v)
            refuse(p, sam_var_at(st, p->loop[i])->loc, "a loop is split");
    }
    if (p->why)
        return;
    uint64_t results = 0;
    for (uint32_t m = 0; m < result->order; m++)
        results |= (uint64_t)1 << (st->result_index[m].v - 1);
    if (p->dense && extent_of_all(p, results) > 0x1p28)
        refuse(p, result->loc, "the dense result has more than 2^28 values");
    for (uint32_t a = 0; a < p->accesses; a++)
        find_dense(p, &p->access[a]);
    cpu_plan all = *p;
    try_orders(&all, 0, p, &least);
    if (isinf(least))
        refuse(p, result->loc, "no order of the loops suits its sums");
    for (uint32_t a = 0; a < p->accesses; a++)
        store_in_order(p, &p->access[a]);
}
