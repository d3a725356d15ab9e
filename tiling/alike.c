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

/* Returns <0, 0 or >0: entry e comes before the coordinates, has them, or comes after them. */
static int compare_entry(const tile_tensor *t, uint64_t e, const uint32_t *at) {
    const uint32_t *crd = &t->crd[e * t->order];
    uint32_t m = 0;
    while (m + 1 < t->order && crd[m] == at[m])
        m++;
    return (crd[m] > at[m]) - (crd[m] < at[m]);
}

/* Whether an entry from *first on has the coordinates. *first becomes its place, or the place of the first
 * entry behind. The search goes on from *first by `step` entries, twice as many, and so on. */
static bool has_entry(const tile_tensor *t, const uint32_t *at, uint64_t step, uint64_t *first) {
    uint64_t low = *first;
    while (low + step <= t->nnz && compare_entry(t, low + step - 1, at) < 0) {
        low += step;
        step *= 2;
    }
    uint64_t high = low + step - 1 < t->nnz ? low + step - 1 : t->nnz;
    while (low < high) {
        const uint64_t middle = (low + high) / 2;
        if (compare_entry(t, middle, at) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *first = low;
    return low < t->nnz && compare_entry(t, low, at) == 0;
}

/* Returns the share of few's entries present in many. */
static double shared(const plan_operand *many, const plan_operand *few) {
    const tile_tensor *t = few->data;
    uint32_t mode[SAM_MAX_ORDER], at[SAM_MAX_ORDER];
    uint64_t step = t->nnz / SAMPLES + 1, asked = 0, found = 0, first = 0;
    bool ascending = true;
    if (!match_modes(many, few, mode))
        return 0;
    for (uint32_t m = 0; m < t->order; m++)
        ascending = ascending && mode[m] == m;
    for (uint64_t e = 0; e < t->nnz; e += step) {
        for (uint32_t m = 0; m < t->order; m++)
            at[mode[m]] = t->crd[e * t->order + m];
        first = ascending ? first : 0;
        found += has_entry(many->data, at, ascending ? 1 : many->data->nnz, &first);
        asked++;
    }
    return asked ? (double)found / (double)asked : 0;
}

double plan_alike(const tile_planner *p, sam_tensor a, sam_tensor b) {
    if (!a.v || !b.v || a.v == b.v)
        return 0;
    const uint32_t low = (a.v < b.v ? a.v : b.v) - 1, high = (a.v < b.v ? b.v : a.v) - 1;
    const plan_operand *x = &p->operands[low], *y = &p->operands[high];
    double *known = &p->fibers.alike[low * p->statement->tensors.len + high];
    if (*known == 0)
        *known = 1 + (!x->access || !y->access      ? 0
                      : x->data->nnz < y->data->nnz ? shared(y, x)
                                                    : shared(x, y));
    return *known - 1;
}
