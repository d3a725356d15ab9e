/* Operands of all runs of a statement, merged into one tensor each. */
#include "programs/dry_run.h"
#include "support/clist.h"

static uint16_t latest(uint16_t earlier, uint16_t later) {
    (void)earlier;
    return later;
}

static clist as_list(const tile_tensor *t) {
    return (clist){t->order, (uint32_t)t->nnz, (uint32_t)t->nnz, (uint32_t *)t->crd, (uint16_t *)t->val};
}

/* Merges two tensors of one shape: an entry wherever either has one; b's entry if both do. */
static tile_tensor merge(const tile_tensor *a, const tile_tensor *b, arena *mem) {
    const clist all = as_list(a), more = as_list(b);
    clist out = {.width = b->order, .room = all.n + more.n};
    uint8_t key[SAM_MAX_ORDER];
    uint32_t *order = arena_new_n(mem, uint32_t, more.n + 1);
    for (uint32_t e = 0; e < more.n; e++)
        order[e] = e;
    for (uint8_t m = 0; m < b->order; m++)
        key[m] = m;
    out.crd = arena_new_n(mem, uint32_t, (uint64_t)out.room * out.width + 1);
    out.val = arena_new_n(mem, uint16_t, out.room + 1);
    clist_merge(&all, &more, (clist_by){key, b->order}, order, latest, &out);
    tile_tensor both = *b;
    both.nnz = out.n;
    both.crd = out.crd;
    both.val = out.val;
    return both;
}

static compile_operand_profile *find(const compile_dry_run *r, uint32_t tensor) {
    for (uint32_t i = 0; i < r->of.len; i++) {
        if (r->of.at[i].tensor == tensor)
            return &r->of.at[i];
    }
    return NULL;
}

const compile_operand_profile *compile_profile_of(const compile_dry_run *r, uint32_t tensor) {
    return find(r, tensor);
}

void compile_see(compile_dry_run *r, uint32_t tensor, const tile_tensor *now, arena *mem) {
    compile_operand_profile *profile = find(r, tensor);
    if (!profile) {
        vec_push(mem, &r->of, ((compile_operand_profile){.tensor = tensor, .all = *now}));
        profile = &r->of.at[r->of.len - 1];
        profile->all.nnz = 0;
    }
    arena old = profile->mem;
    profile->mem = (arena){0};
    profile->all = merge(&profile->all, now, &profile->mem);
    profile->entries += now->nnz;
    arena_free(&old);
}

void compile_see_infinite(compile_dry_run *r, const tile_tensor *now) {
    enum { EXPONENT = 0x7f80 };
    r->infinite = r->infinite || (now->fill & EXPONENT) == EXPONENT;
    for (uint64_t e = 0; e < now->nnz && !r->infinite; e++)
        r->infinite = (now->val[e] & EXPONENT) == EXPONENT;
}

double compile_fraction_of_run(const compile_dry_run *r) {
    double least = 1;
    for (uint32_t i = 0; i < r->of.len; i++) {
        const compile_operand_profile *profile = &r->of.at[i];
        const double all = (double)r->runs * (double)profile->all.nnz;
        if (all > 0 && (double)profile->entries < least * all)
            least = (double)profile->entries / all;
    }
    return least;
}

void compile_forget_dry_run(compile_dry_run *r) {
    for (uint32_t i = 0; i < r->of.len; i++)
        arena_free(&r->of.at[i].mem);
    *r = (compile_dry_run){0};
}
