/* contract.c - the order of the sums of a product. y(i) = A(i,j) * B(j,k) * x(k) as a single kernel visits
 * every path along A and B; B * x first takes as many steps as A and B have entries. The steps of a kernel
 * are estimated for independent operands: points with entries of all factors, entries read, and entries
 * written. compile_search costs the outcome, and only the order found here needs to be right. */
#include "autoschedule/contract.h"
#include "frontend/language/language.h"
#include "frontend/schedules/schedules.h"

enum { MOST_FACTORS = 16, MOST_SUMS = 6, MOST_PRODUCTS = 8 };
/* Several kernels are considered up to this many times the steps of a single kernel, whose steps wait for
 * more joiners; another first sum, up to this many times the steps of the best order. */
static const double WORTH_COSTING = 1.5, WORTH_ANOTHER = 2;

/* A product, and for each factor its density: entries per point of its variables. */
typedef struct {
    fe_factor factor[MOST_FACTORS];
    double share[MOST_FACTORS];
    fe_product of; /* these */
} product;

typedef struct {
    const sam_statement *s;
    const compile_data *data;
    sam_var sum[MOST_SUMS], order[MOST_SUMS], best[MOST_SUMS];
    uint32_t n_sums, n_best;
    double least;
    sam_var but; /* not the first sum; 0: every sum may be */
} contracting;

static double points_of(const contracting *c, uint64_t vars) {
    double points = 1;
    for (uint32_t v = 0; v < c->s->vars.len; v++)
        points *= vars >> v & 1 ? (double)c->data->extent[v] : 1;
    return points;
}

/* Returns the steps of a kernel that multiplies the factors of `inside` and leaves the variables `remaining`;
 * *share gets the density of the outcome. */
static double steps_of(const contracting *c, const product *p, uint64_t inside, uint64_t remaining,
                       double *share) {
    uint64_t vars = 0;
    double met = 1, read = 0;
    for (uint32_t f = 0; f < p->of.n; f++) {
        if (!(inside >> f & 1))
            continue;
        vars |= p->factor[f].vars;
        met *= p->share[f];
        read += p->share[f] * points_of(c, p->factor[f].vars);
    }
    met *= points_of(c, vars);
    const double points = points_of(c, remaining), written = met < points ? met : points;
    *share = points > 0 ? written / points : 0;
    return read + met + written;
}

static void add_factor(product *p, fe_factor factor, double share) {
    p->share[p->of.n] = share;
    p->factor[p->of.n++] = factor;
    p->of.factor = p->factor;
}

/* Takes the sum along `next` of the factors with `next`; false: no factor or every factor has `next`, or a
 * scalar would remain. */
static bool contract(const contracting *c, const product *p, sam_var next, product *out, double *steps) {
    uint64_t inside;
    const uint64_t remaining = fe_summed_first(&p->of, next, &inside);
    double share;
    out->of = (fe_product){out->factor, 0, p->of.kept};
    for (uint32_t f = 0; f < p->of.n; f++) {
        if (!(inside >> f & 1))
            add_factor(out, p->factor[f], p->share[f]);
    }
    if (!inside || !remaining || !out->of.n)
        return false;
    *steps += steps_of(c, p, inside, remaining, &share);
    add_factor(out, (fe_factor){.vars = remaining}, share);
    return true;
}

/* Tries all orders of the remaining sums, and a single kernel for all remaining sums. */
static void try_orders(contracting *c, const product *p, uint32_t depth, double steps) {
    double share;
    const double all = steps + steps_of(c, p, (UINT64_C(1) << p->of.n) - 1, p->of.kept, &share);
    if (!depth || all < c->least) {
        c->least = depth ? all : all * WORTH_COSTING;
        c->n_best = depth;
        memcpy(c->best, c->order, sizeof c->best);
    }
    for (uint32_t i = 0; i < c->n_sums; i++) {
        product rest;
        double taken = steps;
        if ((!depth && c->sum[i].v == c->but.v) || !contract(c, p, c->sum[i], &rest, &taken))
            continue;
        c->order[depth] = c->sum[i];
        try_orders(c, &rest, depth + 1, taken);
    }
}

/* Adds an operand with a known number of entries and fill 0. */
static bool add_known(const contracting *c, const fe_factor *f, product *p) {
    const sam_expr_data *x = sam_expr_at(c->s, f->access);
    const sam_tensor_data *t = sam_tensor_at(c->s, x->tensor);
    if (x->tensor.v > c->data->operands.n || t->ones || t->windowed || t->fill ||
        t->structure != SAM_VALUES || t->view.source.v)
        return false;
    const double points = points_of(c, f->vars),
                 share = points > 0 ? (double)c->data->operands.operand[x->tensor.v - 1].nnz / points : 0;
    add_factor(p, *f, share < 1 ? share : 1);
    return true;
}

/* Finds the sums to take first; an empty list if a single kernel is best. */
static void find_order(contracting *c, const fe_product *of) {
    product all = {.of = {.kept = of->kept}};
    uint64_t vars = 0;
    for (uint32_t f = 0; f < of->n; f++) {
        if (of->n < 3 || of->n > MOST_FACTORS || !add_known(c, &of->factor[f], &all))
            return;
        vars |= of->factor[f].vars;
    }
    for (uint32_t l = 0; l < c->s->loops.len && c->n_sums < MOST_SUMS; l++) {
        if ((vars & ~of->kept) >> (c->s->loops.at[l].v - 1) & 1)
            c->sum[c->n_sums++] = c->s->loops.at[l];
    }
    try_orders(c, &all, 0, 0);
}

/* Takes the best order with another first sum, unless that takes far more steps. Returns whether the order
 * changed. */
static bool find_another(contracting *c, const fe_product *of) {
    contracting other = {.s = c->s, .data = c->data, .but = c->best[0]};
    if (c->n_best)
        find_order(&other, of);
    const bool near = other.n_best && other.least <= WORTH_ANOTHER * c->least;
    if (near)
        *c = other;
    return near;
}

const char *compile_contraction(const compile_data *data, const fe_kernel *kernel, bool another, arena *mem) {
    const fe_product *of;
    const uint32_t n = data->extent ? fe_products(kernel, mem, &of) : 0;
    fe_contraction all[MOST_PRODUCTS];
    contracting c[MOST_PRODUCTS];
    bool changed = !another;
    for (uint32_t i = 0; i < n && i < MOST_PRODUCTS; i++) {
        c[i] = (contracting){.s = &kernel->s, .data = data};
        find_order(&c[i], &of[i]);
        if (another && find_another(&c[i], &of[i]))
            changed = true;
        all[i] = (fe_contraction){of[i], c[i].best, c[i].n_best};
    }
    return changed ? fe_contracted(kernel, all, n < MOST_PRODUCTS ? n : MOST_PRODUCTS, mem) : NULL;
}
