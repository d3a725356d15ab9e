/* masks.c - work saved by the masks of a kernel.
 *
 * A mask is `when` of its condition and its guarded expression (frontend/language/resolve.c). If the two
 * intersect, the joiner of the condition's outermost loop drops the coordinates absent from the condition,
 * and no inner loop runs there. The loops outside of it run as without the mask, and so do the scanners of
 * its own loop: an accumulator, whose summed loop is outside of a loop of the result, walks every entry.
 */
#include "report/masks.h"
#include "sam/coordinates.h"

const char *const compile_saving_name[] = {"scans", "lookups", "nothing"};

typedef struct {
    const compile_kernel *last;
    const sam_statement *s;
    arena *mem;
    compile_masks found;
} search;

static const char *var_text(const search *f, sam_var v) {
    return names_text(f->s->names, sam_var_at(f->s, v)->name);
}

/* Returns the earlier kernel of a tensor, or NULL. */
static const compile_kernel *maker_of(const search *f, sam_tensor t) {
    for (uint32_t n = 0; n < f->last->producers.len; n++) {
        const sam_statement *made = &f->last->producers.at[n].user;
        if (name_eq(sam_tensor_at(made, made->result)->name, sam_user_name(sam_tensor_at(f->s, t))))
            return &f->last->producers.at[n];
    }
    return NULL;
}

/* Lists the accesses under e, from left to right, except tensors made by the host to fill loops. */
static void accesses_of(const search *f, sam_expr e, u32_vec *out) {
    const sam_expr_data *x = sam_expr_at(f->s, e);
    if (x->kind == SAM_EXPR_ACCESS && !sam_tensor_at(f->s, x->tensor)->ones)
        vec_push(f->mem, out, e.v);
    if (x->a.v)
        accesses_of(f, x->a, out);
    if (x->b.v)
        accesses_of(f, x->b, out);
}

/* Returns "m(i)", or "not struct(m(i))"; of a condition of several "m(i) and c(i,j)". */
static const char *condition_text(const search *f, const u32_vec *accesses) {
    const char *text = "";
    for (uint32_t n = 0; n < accesses->len; n++) {
        const sam_expr_data *x = &f->s->exprs.at[accesses->at[n] - 1];
        const sam_tensor_data *t = sam_tensor_at(f->s, x->tensor);
        const char *one = names_text(f->s->names, sam_user_name(t));
        for (uint32_t i = 0; i < t->order; i++)
            one = arena_printf(f->mem, "%s%s%s", one, i ? "," : "(", var_text(f, x->index[i]));
        one = t->order ? arena_printf(f->mem, "%s)", one) : one;
        one = t->structure == SAM_STORED       ? arena_printf(f->mem, "struct(%s)", one)
              : t->structure == SAM_COMPLEMENT ? arena_printf(f->mem, "not struct(%s)", one)
                                               : one;
        text = n ? arena_printf(f->mem, "%s and %s", text, one) : one;
    }
    return text;
}

/* Returns the first loop in vars, outermost first from `from` on; loops.len without any. */
static uint32_t loop_of(const search *f, uint64_t vars, uint32_t from) {
    while (from < f->s->loops.len && !(vars >> (f->s->loops.at[from].v - 1) & 1))
        from++;
    return from;
}

static void add_mask(search *f, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(f->s, e);
    u32_vec condition = {0}, guarded = {0};
    accesses_of(f, x->a, &condition);
    accesses_of(f, x->b, &guarded);
    const uint64_t vars = sam_vars_of(f->s, x->b);
    const uint32_t own = loop_of(f, sam_vars_of(f->s, x->a), 0);
    if (own == f->s->loops.len)
        return;
    const uint32_t inner = loop_of(f, vars, own + 1), outer = loop_of(f, vars, 0);
    const compile_kernel *maker = NULL;
    for (uint32_t n = 0; n < guarded.len && !maker; n++)
        maker = maker_of(f, f->s->exprs.at[guarded.at[n] - 1].tensor);
    compile_mask made = {.mask = condition_text(f, &condition)};
    const char *loop = var_text(f, f->s->loops.at[own]);
    if (maker) {
        made.saves = COMPILE_SAVES_NOTHING;
        made.why =
            arena_printf(f->mem, "mask %s saves nothing: kernel %s computes all of what it guards", made.mask,
                         names_text(f->s->names, sam_tensor_at(&maker->user, maker->user.result)->name));
    } else if (sam_unites(f->s, e, NULL)) {
        made.saves = COMPILE_SAVES_NOTHING;
        made.why =
            arena_printf(f->mem, "mask %s saves nothing: there are values where it has none", made.mask);
    } else if (inner < f->s->loops.len) {
        made.saves = COMPILE_SAVES_SCANS;
        made.why = arena_printf(f->mem, "mask %s saves scans: where it has nothing, loop %s does not run",
                                made.mask, var_text(f, f->s->loops.at[inner]));
    } else {
        made.saves = COMPILE_SAVES_LOOKUPS;
        made.why = arena_printf(f->mem, "mask %s saves lookups, not scans: ", made.mask);
        made.why = outer < own ? arena_printf(f->mem, "%sloop %s is outside of loop %s", made.why,
                                              var_text(f, f->s->loops.at[outer]), loop)
                               : arena_printf(f->mem, "%sno loop is inside of loop %s", made.why, loop);
    }
    vec_push(f->mem, &f->found, made);
}

static void find_masks(search *f, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(f->s, e);
    if (x->kind == SAM_EXPR_CALL && x->operation == SAM_OPERATION_when)
        add_mask(f, e);
    if (x->a.v)
        find_masks(f, x->a);
    if (x->b.v)
        find_masks(f, x->b);
}

compile_masks compile_masks_of(const compile_kernel *last, const compile_kernel *k, arena *mem) {
    search f = {.last = last, .s = &k->lowered.statement, .mem = mem};
    if (f.s->rhs.v)
        find_masks(&f, f.s->rhs);
    return f.found;
}
