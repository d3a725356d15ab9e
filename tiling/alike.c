/* alike.c - how far operands with the same variables have their entries at the same places: a matrix and its
 * transpose, or two steps of a simulation, are far from independent. Of the one with fewer entries some are
 * looked up in the other. O(SAMPLES x log entries) a pair. */
#include "tiling/plan_int.h"

enum { SAMPLES = 2048 };

/* Finds the mode of x along each mode of y; returns false if their variables differ. */
static bool match_modes(const plan_operand *x, const plan_operand *y, uint32_t *mode) {
    uint32_t order = x->format->order, found = 0;
    for (uint32_t m = 0; m < y->format->order; m++) {
        for (uint32_t k = 0; k < order; k++) {
            if (x->access->index[k].v != y->access->index[m].v)
                continue;
            mode[m] = k;
            found++;
        }
    }
    return order > 0 && found == order && order == y->format->order;
}

static bool has_entry(const tile_tensor *t, const uint32_t *at) {
    uint64_t low = 0, high = t->nnz;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        const uint32_t *crd = &t->crd[middle * t->order];
        uint32_t m = 0;
        while (m < t->order && crd[m] == at[m])
            m++;
        if (m == t->order)
            return true;
        low = crd[m] < at[m] ? middle + 1 : low;
        high = crd[m] < at[m] ? high : middle;
    }
    return false;
}

/* Returns the share of few's entries present in many. */
static double shared(const plan_operand *many, const plan_operand *few) {
    const tile_tensor *t = few->data;
    uint32_t mode[SAM_MAX_ORDER], at[SAM_MAX_ORDER];
    uint64_t step = t->nnz / SAMPLES + 1, asked = 0, found = 0;
    if (!match_modes(many, few, mode))
        return 0;
    for (uint64_t e = 0; e < t->nnz; e += step) {
        for (uint32_t m = 0; m < t->order; m++)
            at[mode[m]] = t->crd[e * t->order + m];
        found += has_entry(many->data, at);
        asked++;
    }
    return asked ? (double)found / (double)asked : 0;
}

void plan_compare(tile_planner *p) {
    uint32_t n = p->statement->tensors.len;
    p->fibers.alike = arena_new_n(&p->own, double, n *n);
    for (uint32_t a = 0; a < n; a++) {
        for (uint32_t b = a + 1; b < n; b++) {
            const plan_operand *x = &p->operands[a], *y = &p->operands[b];
            if (x->access && y->access)
                p->fibers.alike[a * n + b] = p->fibers.alike[b * n + a] =
                    x->data->nnz < y->data->nnz ? shared(y, x) : shared(x, y);
        }
    }
}
