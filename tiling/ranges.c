/* Ranges of an index of the result with like numbers of entries. */
#include "tiling/ranges.h"
#include "tiling/tiling_int.h"

enum { SAMPLES = 1024, READ_AGAIN = 4 };

/* Entries that an expression reads. */
typedef struct {
    uint32_t var;
    uint64_t all, with; /* with: of operands with the variable */
    bool along;         /* an operation combines values at several coordinates of the variable */
    const tile_tensor *largest;
    uint32_t mode;
} counted;

static void count(const sam_statement *s, const tile_operands *in, sam_expr h, counted *c) {
    const sam_expr_data *x = sam_expr_at(s, h);
    c->along = c->along || x->var.v == c->var;
    if (x->a.v)
        count(s, in, x->a, c);
    if (x->b.v)
        count(s, in, x->b, c);
    if (x->kind != SAM_EXPR_ACCESS)
        return;
    const tile_tensor *t = &in->operand[x->tensor.v - 1];
    uint32_t m = 0;
    while (m < t->order && x->index[m].v != c->var)
        m++;
    c->all += t->nnz;
    c->with += m < t->order ? t->nnz : 0;
    if (m < t->order && (!c->largest || t->nnz > c->largest->nnz)) {
        c->largest = t;
        c->mode = m;
    }
}

/* Cuts where equally many of the sampled entries are. */
static void cut(const counted *c, reference_ranges *p) {
    arena mem = {0};
    const tile_tensor *t = c->largest;
    uint32_t crd[SAMPLES], order[SAMPLES];
    for (uint64_t i = 0; i < SAMPLES; i++)
        crd[i] = t->crd[i * t->nnz / SAMPLES * t->order + c->mode];
    tile_sort(crd, 1, SAMPLES, (clist_by){tile_logical, 1}, order, &mem);
    arena_free(&mem);
    for (uint32_t i = 0; i < p->n; i++)
        p->at[i] = (reference_range){c->var, i ? crd[order[i * SAMPLES / p->n]] : 0, UINT32_MAX};
    for (uint32_t i = 1; i < p->n; i++)
        p->at[i - 1].end = p->at[i].first;
}

reference_ranges reference_ranges_of(const sam_statement *s, const tile_operands *in, uint64_t entries) {
    counted best = {0};
    for (uint32_t m = 0; m < sam_tensor_at(s, s->result)->order; m++) {
        counted c = {.var = s->result_index[m].v};
        count(s, in, s->rhs, &c);
        best = c.with > best.with && !c.along ? c : best;
    }
    const uint64_t again = READ_AGAIN * best.with / (best.all - best.with + 1);
    uint64_t n = best.with / entries;
    n = n < again ? n : again;
    reference_ranges p = {.n = (uint32_t)(n > REFERENCE_RANGES_MOST ? REFERENCE_RANGES_MOST : n)};
    if (p.n < 2)
        return (reference_ranges){.n = 1};
    cut(&best, &p);
    return p;
}
