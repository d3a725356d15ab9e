/* C of the kind that taco emits (Kjolstad et al., OOPSLA 2017; workspaces: CGO 2019): one loop nest a
 * statement, loops over coordinates that merge compressed levels by a lattice.
 *
 * A lattice point is a set of accesses, bit by access, whose compressed level has the coordinate at hand; the
 * loop of a point ends with the first of its accesses, and exhausted accesses are 0 in the points below. The
 * empty point is every coordinate. Sums around the whole right side may be outside of loops of the result,
 * whose values are then accumulated: in place, for a dense result, or in a workspace of one dimension. */
#include "report/cpu.h"

#include <math.h>

typedef struct {
    uint64_t at[64];
    uint32_t n;
} lattice;

typedef struct {
    const cpu_plan *p;
    FILE *out;
} writer;

/* Loops around an expression: all loops of the result, or the loops of a sum, into its temporary. */
typedef struct {
    sam_var var[CPU_MAX_VARS];
    uint32_t n;
    sam_expr body, sum; /* no sum: the result's */
} nest;

static const sam_expr_data *expr_at(const cpu_plan *p, sam_expr e) {
    return sam_expr_at(p->st, e);
}

static uint32_t extent_of(const cpu_plan *p, sam_var v) {
    return p->extent[v.v - 1];
}

static uint32_t access_of(const cpu_plan *p, sam_expr e) {
    uint32_t a = 0;
    while (p->access[a].expr.v != e.v)
        a++;
    return a;
}

/* Returns the level of the variable, or -1. */
static int level_of(const cpu_access *a, sam_var v) {
    for (uint32_t l = 0; l < a->order; l++) {
        if (a->var[l].v == v.v)
            return (int)l;
    }
    return -1;
}

static uint32_t place_of(const cpu_plan *p, sam_var v) {
    uint32_t i = 0;
    while (i < p->loops && p->loop[i].v != v.v)
        i++;
    return i;
}

static uint32_t result_order(const cpu_plan *p) {
    return sam_tensor_at(p->st, p->st->result)->order;
}

/* Removes directly nested sums; returns their variables, bit (handle - 1). */
static uint64_t chain_of(const cpu_plan *p, sam_expr e, sam_expr *body) {
    uint64_t vars = 0;
    for (*body = e; expr_at(p, *body)->kind == SAM_EXPR_SUM; *body = expr_at(p, *body)->a)
        vars |= (uint64_t)1 << (expr_at(p, *body)->var.v - 1);
    return vars;
}

static bool has_sum(const cpu_plan *p, sam_expr e) {
    const sam_expr_data *x = expr_at(p, e);
    return x->kind == SAM_EXPR_SUM || (x->a.v && has_sum(p, x->a)) || (x->b.v && has_sum(p, x->b));
}

/* ---- statements with C ----------------------------------------------------------------------- */

static void refuse(cpu_plan *p, src_loc where, const char *why) {
    if (!p->why) {
        p->why = why;
        p->where = where;
    }
}

static void add_var(cpu_plan *p, sam_var v) {
    const sam_var_data *x = sam_var_at(p->st, v);
    if (place_of(p, v) < p->loops)
        return;
    if (p->loops == CPU_MAX_VARS)
        refuse(p, x->loc, "it has more than 6 index variables");
    else
        p->loop[p->loops++] = v;
}

static void add_access(cpu_plan *p, sam_expr e) {
    const sam_expr_data *x = expr_at(p, e);
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
        if (level_of(a, v) >= 0)
            refuse(p, x->loc, "an operand has an index twice");
        a->var[l] = v;
        if (t->level[l] != SAM_LEVEL_DENSE && t->level[l] != SAM_LEVEL_COMPRESSED)
            refuse(p, x->loc, "a level of an operand is neither dense nor compressed");
        add_var(p, v);
    }
}

static void collect(cpu_plan *p, sam_expr e) {
    const sam_expr_data *x = expr_at(p, e);
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

/* ---- the order of the loops ------------------------------------------------------------------ */

/* A sum in a sum follows it. */
static bool sums_are_nested(const cpu_plan *p, sam_expr e, uint64_t around) {
    const sam_expr_data *x = expr_at(p, e);
    sam_expr body;
    const uint64_t vars = chain_of(p, e, &body);
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
    const uint32_t order = result_order(p);
    p->outer = 0;
    while (p->outer < p->loops && sam_is_result_var(p->st, p->loop[p->outer]))
        p->outer++;
    chain_of(p, p->st->rhs, &body);
    if (p->outer < order && (has_sum(p, body) || (!p->dense && p->outer + 1 < order)))
        return false;
    return sums_are_nested(p, p->st->rhs, 0);
}

/* Returns the number of coordinates of an access in the variables of `in`, for evenly spread entries. */
static double points(const cpu_plan *p, const cpu_access *a, uint64_t in) {
    double all = 1, stored = (double)p->operand[expr_at(p, a->expr)->tensor.v - 1].nnz;
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
    const sam_expr_data *x = expr_at(p, e);
    if (x->kind == SAM_EXPR_ACCESS) {
        const cpu_access *a = &p->access[access_of(p, e)];
        uint64_t own = 0;
        for (uint32_t l = 0; l < a->order; l++)
            own |= (uint64_t)1 << (a->var[l].v - 1);
        return points(p, a, in) / fmax(1, extent_of_all(p, in & own));
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
            const int l = level_of(&p->access[a], p->loop[i]);
            if (l >= 0 && !p->access[a].dense[l])
                scanned += points(p, &p->access[a], in | bit) / fmax(1, points(p, &p->access[a], in));
        }
        all += extent_of_all(p, in) * density(p, p->st->rhs, in) *
               (scanned > 0 ? scanned : extent_of(p, p->loop[i]));
        in |= bit;
    }
    return p->outer < result_order(p) ? 1.25 * all : all; /* a workspace costs, too */
}

static bool is_product(const cpu_plan *p, sam_expr e) {
    const sam_expr_data *x = expr_at(p, e);
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
        while (first < p->loops && level_of(&p->access[a], p->loop[first]) < 0)
            first++;
        bool scanned = false;
        for (uint32_t b = 0; b < p->accesses && first > 0 && first < p->loops; b++) {
            const int l = level_of(&p->access[b], p->loop[first]);
            scanned = scanned || (b != a && l >= 0 && !p->access[b].dense[l]);
        }
        if (scanned && p->access[a].order > 1 && extent_of(p, p->loop[first]) <= MOST_ROWS)
            p->access[a].dense[level_of(&p->access[a], p->loop[first])] = true;
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
    const sam_expr_data *x = expr_at(p, a->expr);
    uint32_t n = 0;
    bool dense[SAM_MAX_ORDER];
    memcpy(dense, a->dense, sizeof dense);
    const cpu_access was = *a;
    for (uint32_t i = 0; i < p->loops; i++) {
        const int l = level_of(&was, p->loop[i]);
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
    const sam_tensor t = expr_at(p, a->expr)->tensor;
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

/* ---- the loops as C -------------------------------------------------------------------------- */

/* Returns whether the expression is 0 where the accesses of `dead` are. */
static bool is_nothing(const cpu_plan *p, sam_expr e, uint64_t dead) {
    const sam_expr_data *x = expr_at(p, e);
    if (x->kind == SAM_EXPR_ACCESS)
        return dead >> access_of(p, e) & 1;
    if (x->kind == SAM_EXPR_LITERAL)
        return false;
    const bool a = is_nothing(p, x->a, dead);
    if (!x->b.v)
        return a;
    const bool b = is_nothing(p, x->b, dead);
    return x->kind == SAM_EXPR_ADD || x->kind == SAM_EXPR_SUB ? a && b : a || b;
}

static void add_point(lattice *out, uint64_t point) {
    for (uint32_t i = 0; i < out->n; i++) {
        if (out->at[i] == point)
            return;
    }
    BUG_IF(out->n == 64, "a lattice of more than 64 points");
    out->at[out->n++] = point;
}

static void lattice_of(const cpu_plan *p, sam_expr e, sam_var v, uint64_t dead, lattice *out) {
    const sam_expr_data *x = expr_at(p, e);
    lattice a = {.n = 0}, b = {.n = 0};
    out->n = 0;
    if (is_nothing(p, e, dead))
        return;
    if (x->kind == SAM_EXPR_LITERAL) {
        add_point(out, 0);
        return;
    }
    if (x->kind == SAM_EXPR_ACCESS) {
        const uint32_t n = access_of(p, e);
        const int l = level_of(&p->access[n], v);
        add_point(out, l >= 0 && !p->access[n].dense[l] ? (uint64_t)1 << n : 0);
        return;
    }
    if (!x->b.v) {
        lattice_of(p, x->a, v, dead, out);
        return;
    }
    lattice_of(p, x->a, v, dead, &a);
    lattice_of(p, x->b, v, dead, &b);
    for (uint32_t i = 0; i < a.n; i++) {
        for (uint32_t j = 0; j < b.n; j++)
            add_point(out, a.at[i] | b.at[j]);
    }
    for (uint32_t i = 0; i < a.n && x->kind != SAM_EXPR_MUL && x->kind != SAM_EXPR_DIV; i++)
        add_point(out, a.at[i]);
    for (uint32_t j = 0; j < b.n && x->kind != SAM_EXPR_MUL && x->kind != SAM_EXPR_DIV; j++)
        add_point(out, b.at[j]);
}

static int size_of(uint64_t point) {
    return __builtin_popcountll(point);
}

/* Larger points first: each point comes before its parts. */
static void sort_points(lattice *l) {
    for (uint32_t i = 1; i < l->n; i++) {
        for (uint32_t j = i; j > 0 && size_of(l->at[j]) > size_of(l->at[j - 1]); j--) {
            const uint64_t point = l->at[j];
            l->at[j] = l->at[j - 1];
            l->at[j - 1] = point;
        }
    }
}

static void write_value(const writer *w, sam_expr e, uint64_t dead) {
    static const char sign[] = {
        [SAM_EXPR_ADD] = '+', [SAM_EXPR_SUB] = '-', [SAM_EXPR_MUL] = '*', [SAM_EXPR_DIV] = '/'};
    const sam_expr_data *x = expr_at(w->p, e);
    if (is_nothing(w->p, e, dead)) {
        fputs("(V)0", w->out);
    } else if (x->kind == SAM_EXPR_ACCESS) {
        const uint32_t a = access_of(w->p, e), order = w->p->access[a].order;
        fprintf(w->out, order ? "a%u_val[p%u_%u]" : "a%u_val[0]", a, a, order - 1);
    } else if (x->kind == SAM_EXPR_LITERAL) {
        fprintf(w->out, "(V)(%lld)", (long long)x->literal);
    } else if (x->kind == SAM_EXPR_SUM) {
        fprintf(w->out, "t%u", e.v);
    } else {
        fputs(x->kind == SAM_EXPR_NEG ? "(V)(-" : x->kind == SAM_EXPR_DIV ? "divided(" : "(V)(", w->out);
        write_value(w, x->a, dead);
        if (x->b.v) {
            fprintf(w->out, " %c ", x->kind == SAM_EXPR_DIV ? ',' : sign[x->kind]);
            write_value(w, x->b, dead);
        }
        fputc(')', w->out);
    }
}

static void write_loops(const writer *w, const nest *n, uint32_t at, uint64_t dead);

/* Computes the outermost sums of the expression. */
static void write_sums(const writer *w, sam_expr e, uint64_t dead) {
    const cpu_plan *p = w->p;
    const sam_expr_data *x = expr_at(p, e);
    if (is_nothing(p, e, dead))
        return;
    if (x->kind != SAM_EXPR_SUM) {
        if (x->a.v)
            write_sums(w, x->a, dead);
        if (x->b.v)
            write_sums(w, x->b, dead);
        return;
    }
    nest inner = {.sum = e};
    const uint64_t vars = chain_of(p, e, &inner.body);
    for (uint32_t i = 0; i < p->loops; i++) {
        if (vars >> (p->loop[i].v - 1) & 1)
            inner.var[inner.n++] = p->loop[i];
    }
    fprintf(w->out, "V t%u = 0;\n{\n", e.v);
    write_loops(w, &inner, 0, dead);
    fputs("}\n", w->out);
}

/* The result's variables in the order of the loops; returns how many. */
static uint32_t result_vars(const cpu_plan *p, sam_var out[CPU_MAX_VARS]) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->loops; i++) {
        if (sam_is_result_var(p->st, p->loop[i]))
            out[n++] = p->loop[i];
    }
    return n;
}

static void write_target(const writer *w) {
    sam_var var[CPU_MAX_VARS];
    const uint32_t n = result_vars(w->p, var);
    fputs("out_val[", w->out);
    for (uint32_t i = 1; i < n; i++)
        fputc('(', w->out);
    fprintf(w->out, n ? "(size_t)v%u" : "0", n ? var[0].v : 0);
    for (uint32_t i = 1; i < n; i++)
        fprintf(w->out, ") * e%u + v%u", var[i].v, var[i].v);
    fputc(']', w->out);
}

static void write_leaf(const writer *w, const nest *n, uint64_t dead) {
    const cpu_plan *p = w->p;
    const bool adds = p->outer < result_order(p);
    sam_var var[CPU_MAX_VARS];
    const uint32_t order = result_vars(p, var);
    write_sums(w, n->body, dead);
    if (n->sum.v) {
        fprintf(w->out, "t%u += ", n->sum.v);
    } else if (p->dense) {
        write_target(w);
        fputs(adds ? " += " : " = ", w->out);
    } else if (adds) {
        const uint32_t v = var[order - 1].v;
        fprintf(w->out,
                "if (!work_set[v%u]) {\nwork_set[v%u] = 1;\nwork[v%u] = 0;\nwork_list[work_n++] = v%u;\n}\n",
                v, v, v, v);
        fprintf(w->out, "work[v%u] += ", v);
    } else {
        fprintf(w->out, "append(%u, v%u);\nout_val[level[%u].n - 1] = ", order - 1, var[order - 1].v,
                order - 1);
    }
    write_value(w, n->body, dead);
    fputs(";\n", w->out);
}

/* Continues inside of the loops of the result outside of every sum. Entries of a workspace are appended in
 * order: sorted, or found by a scan if the workspace is full enough. */
static void write_below(const writer *w, const nest *n, uint32_t at, uint64_t dead) {
    sam_var var[CPU_MAX_VARS];
    const uint32_t order = result_vars(w->p, var);
    const bool work = !n->sum.v && !w->p->dense && w->p->outer < order && at == w->p->outer;
    if (work)
        fputs("work_n = 0;\n", w->out);
    write_loops(w, n, at, dead);
    if (work)
        fprintf(w->out,
                "if (work_n > e%u / 16) {\n"
                "work_n = 0;\nfor (unsigned c = 0; c < e%u; c++) {\nwork_list[work_n] = c;\n"
                "work_n += work_set[c];\n}\n"
                "} else {\nsort(work_list, work_n);\n}\n"
                "for (unsigned q = 0; q < work_n; q++) {\n"
                "append(%u, work_list[q]);\n"
                "out_val[level[%u].n - 1] = work[work_list[q]];\nwork_set[work_list[q]] = 0;\n}\n",
                var[order - 1].v, var[order - 1].v, order - 1, order - 1);
}

/* Writes the body of a loop, once its variable has its coordinate. */
static void write_inside(const writer *w, const nest *n, uint32_t at, uint64_t dead) {
    const cpu_plan *p = w->p;
    const bool level = !n->sum.v && !p->dense && at + 1 < result_order(p);
    for (uint32_t a = 0; a < p->accesses; a++) {
        const int l = level_of(&p->access[a], n->var[at]);
        if (l < 0 || !p->access[a].dense[l] || (dead >> a & 1))
            continue;
        fprintf(w->out, "size_t p%u_%d = ", a, l);
        if (l > 0)
            fprintf(w->out, "p%u_%d * e%u + ", a, l - 1, n->var[at].v);
        fprintf(w->out, "v%u;\n", n->var[at].v);
    }
    if (level)
        fprintf(w->out, "unsigned had%u = level[%u].n;\n", at, at + 1);
    write_below(w, n, at + 1, dead);
    if (level)
        fprintf(w->out,
                "if (level[%u].n > had%u) {\nappend(%u, v%u);\nlevel[%u].end[level[%u].n - 1] = "
                "level[%u].n;\n}\n",
                at + 1, at, at, n->var[at].v, at, at, at + 1);
}

static void write_all_of(const writer *w, uint64_t point, const uint8_t *level, const char *format,
                         const char *between) {
    const char *before = "";
    for (uint32_t a = 0; a < w->p->accesses; a++) {
        if (!(point >> a & 1))
            continue;
        fputs(before, w->out);
        for (const char *c = format; *c; c++) {
            if (*c == '@')
                fprintf(w->out, "%u_%u", a, level[a]);
            else
                fputc(*c, w->out);
        }
        before = between;
    }
}

/* A loop of a nest, with the points of its lattice, and by access the level along the loop. */
typedef struct {
    const nest *n;
    uint32_t at;
    uint64_t dead;
    lattice points;
    uint8_t level[CPU_MAX_ACCESSES];
} merging;

/* Writes the cases of a loop: the parts of the point `top`. */
static void write_cases(const writer *w, const merging *m, uint64_t top) {
    const lattice *l = &m->points;
    const char *before = "";
    uint64_t all = 0;
    for (uint32_t i = 0; i < l->n; i++)
        all |= l->at[i];
    for (uint32_t i = 0; i < l->n; i++) {
        if ((l->at[i] & top) != l->at[i])
            continue;
        fputs(before, w->out);
        if (l->at[i]) {
            fputs("if (", w->out);
            write_all_of(w, l->at[i], m->level, "has@", " & ");
            fputs(") ", w->out);
        }
        fputs("{\n", w->out);
        write_inside(w, m->n, m->at, m->dead | (all & ~l->at[i]));
        fputs("}\n", w->out);
        before = "else ";
    }
}

/* Writes the loop of the point `top`: while all its fibers go on. */
static void write_merge(const writer *w, const merging *in, uint64_t top) {
    const uint8_t *level = in->level;
    const uint32_t v = in->n->var[in->at].v;
    fputs("while (", w->out);
    write_all_of(w, top, level, "p@ < end@", " && ");
    fprintf(w->out, ") {\nunsigned v%u = UINT_MAX;\n", v);
    for (uint32_t a = 0; a < w->p->accesses; a++) {
        const uint32_t m = level[a];
        if (top >> a & 1)
            fprintf(w->out,
                    "const unsigned c%u_%u = a%u_crd%u[p%u_%u];\nv%u = c%u_%u < v%u ? c%u_%u : v%u;\n", a, m,
                    a, m, a, m, v, a, m, v, a, m, v);
    }
    for (uint32_t a = 0; a < w->p->accesses; a++) {
        if (top >> a & 1)
            fprintf(w->out, "const int has%u_%u = c%u_%u == v%u;\n", a, level[a], a, level[a], v);
    }
    write_cases(w, in, top);
    write_all_of(w, top, level, "p@ += has@;\n", "");
    fputs("}\n", w->out);
}

/* Declares where the fibers of the accesses `all` begin and end. */
static void write_fibers(const writer *w, uint64_t all, const uint8_t *level) {
    for (uint32_t a = 0; a < w->p->accesses; a++) {
        const uint32_t l = level[a];
        if (!(all >> a & 1))
            continue;
        if (l)
            fprintf(w->out, "size_t p%u_%u = a%u_pos%u[p%u_%u], end%u_%u = a%u_pos%u[p%u_%u + 1];\n", a, l, a,
                    l, a, l - 1, a, l, a, l, a, l - 1);
        else
            fprintf(w->out, "size_t p%u_0 = a%u_pos0[0], end%u_0 = a%u_pos0[1];\n", a, a, a, a);
    }
}

/* A single operand has all relevant coordinates. */
static void write_scan(const writer *w, const merging *m, uint64_t all) {
    uint32_t a = 0;
    while (!(all >> a & 1))
        a++;
    const uint32_t v = m->n->var[m->at].v, l = m->level[a];
    fprintf(w->out, "for (; p%u_%u < end%u_%u; p%u_%u++) {\nconst unsigned v%u = a%u_crd%u[p%u_%u];\n", a, l,
            a, l, a, l, v, a, l, a, l);
    write_inside(w, m->n, m->at, m->dead);
    fputs("}\n", w->out);
}

/* Every coordinate counts; compressed operands go along. */
static void write_everywhere(const writer *w, const merging *m, uint64_t all) {
    const uint8_t *level = m->level;
    const uint32_t v = m->n->var[m->at].v;
    fprintf(w->out, "for (unsigned v%u = 0; v%u < e%u; v%u++) {\n", v, v, v, v);
    for (uint32_t a = 0; a < w->p->accesses; a++) {
        const uint32_t l = level[a];
        if (all >> a & 1)
            fprintf(w->out, "const int has%u_%u = p%u_%u < end%u_%u && a%u_crd%u[p%u_%u] == v%u;\n", a, l, a,
                    l, a, l, a, l, a, l, v);
    }
    write_cases(w, m, all);
    write_all_of(w, all, level, "p@ += has@;\n", "");
    fputs("}\n", w->out);
}

/* Writes the loops of a variable, and their bodies. */
static void write_loops(const writer *w, const nest *n, uint32_t at, uint64_t dead) {
    merging m = {.n = n, .at = at, .dead = dead};
    const lattice *l = &m.points;
    uint64_t all = 0;
    if (at == n->n) {
        write_leaf(w, n, dead);
        return;
    }
    lattice_of(w->p, n->body, n->var[at], dead, &m.points);
    sort_points(&m.points);
    for (uint32_t i = 0; i < l->n; i++)
        all |= l->at[i];
    for (uint32_t a = 0; a < w->p->accesses; a++) {
        if (all >> a & 1)
            m.level[a] = (uint8_t)level_of(&w->p->access[a], n->var[at]);
    }
    write_fibers(w, all, m.level);
    if (l->at[l->n - 1] == 0) {
        write_everywhere(w, &m, all);
    } else if (l->n == 1 && size_of(all) == 1) {
        write_scan(w, &m, all);
    } else {
        for (uint32_t i = 0; i < l->n; i++)
            write_merge(w, &m, l->at[i]);
    }
}

/* ---- the program ----------------------------------------------------------------------------- */

static const char head[] =
    "#include <limits.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "#include <time.h>\n"
    "typedef int16_t V;\n"
    "static void *in[2048];\n"
    "static struct {\nunsigned *crd;\nsize_t *end, n, room;\n} level[16];\n"
    "static V *out_val, *work;\n"
    "static unsigned char *work_set;\n"
    "static unsigned *work_list, work_n;\n"
    "static inline V divided(V a, V b) {\nreturn (V)(b ? a / b : 0);\n}\n"
    "static void *checked(void *p) {\nif (!p)\nexit(3);\nreturn p;\n}\n"
    "static inline void sort(unsigned *a, unsigned n) {\n" /* Shell's, by Ciura's gaps: no call for each
                                                              comparison */
    "static const unsigned gap[] = {1750, 701, 301, 132, 57, 23, 10, 4, 1};\n"
    "for (int g = 0; g < 9; g++) {\nfor (unsigned i = gap[g]; i < n; i++) {\nconst unsigned x = a[i];\n"
    "unsigned j = i;\nfor (; j >= gap[g] && a[j - gap[g]] > x; j -= gap[g])\na[j] = a[j - gap[g]];\n"
    "a[j] = x;\n}\n}\n}\n"
    "static inline void append(unsigned l, unsigned c) {\n"
    "if (level[l].n == level[l].room) {\n"
    "const size_t room = level[l].room = 2 * level[l].room + 64;\n"
    "level[l].crd = checked(realloc(level[l].crd, room * sizeof *level[l].crd));\n"
    "level[l].end = checked(realloc(level[l].end, room * sizeof *level[l].end));\n"
    "if (l + 1 == ORDER)\nout_val = checked(realloc(out_val, room * sizeof *out_val));\n}\n"
    "level[l].crd[level[l].n++] = c;\n}\n";

static const char tail[] =
    "static void entries(FILE *f, unsigned l, size_t from, size_t to, unsigned *at) {\n"
    "for (size_t i = from; i < to; i++) {\nat[l] = level[l].crd[i];\n"
    "if (l + 1 < ORDER) {\nentries(f, l + 1, i ? level[l].end[i - 1] : 0, level[l].end[i], at);\n"
    "} else {\nfwrite(at, sizeof *at, ORDER, f);\nfwrite(&out_val[i], sizeof *out_val, 1, f);\n}\n}\n}\n"
    "static double now(void) {\nstruct timespec t;\nclock_gettime(CLOCK_MONOTONIC, &t);\n"
    "return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;\n}\n"
    "int main(int argc, char **argv) {\n"
    "FILE *f = argc == 3 ? fopen(argv[1], \"rb\") : NULL;\nuint64_t n;\n"
    "for (int i = 0; f && fread(&n, sizeof n, 1, f) == 1; i++) {\nin[i] = checked(malloc(n + 1));\n"
    "if (fread(in[i], 1, n, f) != n)\nreturn 3;\n}\n"
    "if (!f || fclose(f))\nreturn 3;\n"
    "prepare();\n"
    "double best = 1e30;\n"
    "for (int i = 0; i < 10; i++) {\nconst double start = now();\nkernel();\nconst double took = now() - "
    "start;\n"
    "best = took < best ? took : best;\n}\n"
    "f = fopen(argv[2], \"wb\");\nif (!f)\nreturn 3;\n"
    "if (DENSE) {\nfwrite(out_val, sizeof *out_val, out_n, f);\n} else {\nunsigned at[ORDER + 1];\n"
    "entries(f, 0, 0, level[0].n, at);\n}\n"
    "printf(\"%.9f\\n\", best);\nreturn fclose(f) != 0;\n}\n";

/* Names the arrays of the operands, in the program's order of reading. */
static void write_arrays(const cpu_plan *p, FILE *out) {
    uint32_t at = 1;
    for (uint32_t i = 0; i < p->loops; i++)
        fprintf(out, "const unsigned e%u = ((const unsigned *)in[0])[%u];\n", p->loop[i].v, i);
    for (uint32_t a = 0; a < p->accesses; a++) {
        for (uint32_t l = 0; l < p->access[a].order; l++) {
            if (p->access[a].dense[l])
                continue;
            fprintf(out, "const unsigned *restrict a%u_pos%u = in[%u], *restrict a%u_crd%u = in[%u];\n", a, l,
                    at, a, l, at + 1);
            at += 2;
        }
        fprintf(out, "const V *restrict a%u_val = in[%u];\n", a, at++);
    }
}

const char *cpu_program(const cpu_plan *p, arena *mem) {
    text_out text;
    sam_var var[CPU_MAX_VARS];
    const uint32_t order = result_vars(p, var);
    nest all = {.body = p->st->rhs};
    if (p->outer < order)
        chain_of(p, p->st->rhs, &all.body);
    all.n = p->outer < order ? p->loops : order;
    memcpy(all.var, p->loop, sizeof all.var);
    text_begin(&text);
    const writer w = {p, text.stream};
    fprintf(w.out, "enum { ORDER = %u, DENSE = %d };\n%s", order, p->dense, head);
    fputs("static size_t out_n = 1;\nstatic void prepare(void) {\nconst unsigned *e = in[0];\n", w.out);
    for (uint32_t i = 0; i < p->loops; i++) {
        if (p->dense && sam_is_result_var(p->st, p->loop[i]))
            fprintf(w.out, "out_n *= e[%u];\n", i);
    }
    if (p->dense)
        fputs("out_val = checked(malloc((out_n + 1) * sizeof *out_val));\n", w.out);
    else if (p->outer < order)
        fprintf(
            w.out,
            "work = checked(malloc((e[%u] + 1) * sizeof *work));\nwork_set = checked(calloc(e[%u] + 1, 1));\n"
            "work_list = checked(malloc((e[%u] + 1) * sizeof *work_list));\n",
            place_of(p, var[order - 1]), place_of(p, var[order - 1]), place_of(p, var[order - 1]));
    fputs("}\nstatic void kernel(void) {\n", w.out);
    write_arrays(p, w.out);
    fputs(p->dense ? "memset(out_val, 0, out_n * sizeof *out_val);\n"
                   : "for (unsigned l = 0; l < ORDER; l++)\nlevel[l].n = 0;\n",
          w.out);
    write_below(&w, &all, 0, 0);
    fprintf(w.out, "}\n%s", tail);
    return text_end(&text, mem);
}
