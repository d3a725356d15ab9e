/* keep.c - slices whose operand keeps its storage: intersected with the coordinates of the slice.
 *
 * B(i(lo:hi:st), j) is B(i,j) at the coordinates lo, lo + st, ... of i. The loop of i runs over the
 * coordinates of B, an operand S(i) has ones at the slice's coordinates, and B(i,j) * S(i) is the slice. The
 * result, and other operands with i, count in the slice's own coordinates: the host's views place them at the
 * coordinates of B (sam_view.place). The words of B are the same for every slice.
 *
 * A loop runs over one slice of one tensor; another slice of the same loop is cut, and placed. A sum over the
 * loop must add nothing at absent operands, since the loop visits more coordinates.
 */
#include "frontend/lowering/keep.h"
#include "frontend/language/statement.h"

/* The slice of a loop. */
typedef struct {
    name_id of;          /* the user's tensor; 0: the loop runs over its own coordinates */
    uint8_t mode;        /* of that tensor */
    const sam_window *w; /* of the operand */
    sam_tensor ones;     /* S */
} slice;

typedef struct {
    const sam_statement *from;
    sam_statement *s;
    slice *of;      /* by variable - 1 */
    uint64_t plain; /* bit v - 1: a kept operand has v unchanged */
} keeping;

name_id fe_slice_name(const sam_statement *s, const sam_tensor_data *operand, uint32_t mode) {
    const sam_window *w = &operand->window[mode];
    return names_intern(s->names,
                        arena_printf(s->mem, "%s_slice%u_%d_%u_%u", names_text(s->names, operand->called),
                                     mode, w->low, w->high, w->stride));
}

bool fe_is_sliced(const sam_tensor_data *t) {
    bool any = false;
    for (uint32_t m = 0; m < t->order; m++) {
        const sam_window *w = &t->window[m];
        if (sam_is_open(t, m) || w->down || (!w->stride && w->low))
            return false;
        any = any || w->stride;
    }
    return any && t->windowed && !t->border.spare && !t->border.beyond.v && !t->border.bounded &&
           t->structure == SAM_VALUES && !t->fill;
}

bool fe_vanishes(const sam_statement *s, sam_expr e, sam_var v) {
    const sam_expr_data *x = sam_expr_at(s, e);
    switch (x->kind) {
    case SAM_EXPR_ACCESS:
        return fe_has_index(s, e, v) && !sam_tensor_at(s, x->tensor)->fill;
    case SAM_EXPR_NEG:
    case SAM_EXPR_SUM:
        return fe_vanishes(s, x->a, v);
    case SAM_EXPR_ADD:
    case SAM_EXPR_SUB:
        return fe_vanishes(s, x->a, v) && fe_vanishes(s, x->b, v);
    case SAM_EXPR_MUL:
        return fe_vanishes(s, x->a, v) || fe_vanishes(s, x->b, v);
    case SAM_EXPR_DIV:
        return fe_vanishes(s, x->a, v) && !(fe_free_vars(s, x->b) >> (v.v - 1) & 1);
    case SAM_EXPR_LITERAL:
        return x->literal == 0;
    case SAM_EXPR_CALL: /* a function may make a value of nothing */
    case SAM_EXPR_NONE:
        break;
    }
    return false;
}

/* Whether sums over v add nothing where no operand has an entry. */
static bool sums_vanish(const sam_statement *s, sam_expr e, sam_var v) {
    const sam_expr_data *x = sam_expr_at(s, e);
    return (x->kind != SAM_EXPR_SUM || x->var.v != v.v || (!x->operation && fe_vanishes(s, x->a, v))) &&
           (!x->a.v || sums_vanish(s, x->a, v)) && (!x->b.v || sums_vanish(s, x->b, v));
}

/* Returns whether loop v may run over this slice. */
static bool may_run_over(const keeping *k, sam_var v, const sam_tensor_data *t, uint32_t mode) {
    const slice *known = &k->of[v.v - 1];
    const sam_window *w = &t->window[mode];
    if (!w->stride)
        return !known->of.v;
    if (known->of.v)
        return name_eq(known->of, t->called) && known->mode == mode && known->w->low == w->low &&
               known->w->high == w->high && known->w->stride == w->stride;
    return !(k->plain >> (v.v - 1) & 1) && sums_vanish(k->from, k->from->rhs, v);
}

/* The operand of ones at the slice's coordinates, made by the host from its name. */
static sam_tensor add_ones(sam_statement *s, const sam_tensor_data *t, uint32_t mode) {
    const sam_tensor_data ones = {
        .name = fe_slice_name(s, t, mode), .loc = t->loc, .order = 1, .level = {SAM_LEVEL_COMPRESSED}};
    vec_push(s->mem, &s->tensors, ones);
    return (sam_tensor){s->tensors.len};
}

/* Lets the loops of an access run over its slices, if all may. */
static bool choose_access(keeping *k, const sam_expr_data *x) {
    const sam_tensor_data *t = sam_tensor_at(k->from, x->tensor);
    bool ok = fe_is_sliced(t);
    for (uint32_t m = 0; m < t->order && ok; m++) {
        ok = may_run_over(k, x->index[m], t, m);
        for (uint32_t before = 0; before < m; before++)
            ok = ok && x->index[before].v != x->index[m].v;
    }
    for (uint32_t m = 0; m < t->order && ok; m++) {
        const uint32_t v = x->index[m].v - 1;
        if (!t->window[m].stride)
            k->plain |= UINT64_C(1) << v;
        else if (!k->of[v].of.v)
            k->of[v] = (slice){t->called, (uint8_t)m, &t->window[m], add_ones(k->s, t, m)};
    }
    return ok;
}

static sam_view as_it_is(const sam_tensor_data *t, name_id source) {
    sam_view view = {.source = source, .source_order = t->order};
    for (uint32_t m = 0; m < t->order; m++) {
        view.from[m].mode = view.equal[m] = (uint8_t)m;
        view.from[m].divide = 1;
    }
    return view;
}

/* Places the indices of an access along loops over slices. Returns whether any exist. */
static bool place(const keeping *k, const sam_tensor_data *t, const sam_var *index, sam_view *view) {
    bool any = false;
    *view = as_it_is(t, t->name);
    for (uint32_t m = 0; m < t->order; m++) {
        const slice *over = &k->of[index[m].v - 1];
        if (!over->of.v)
            continue;
        any = true;
        view->place[m].slice = sam_tensor_at(k->s, over->ones)->name;
        view->place[m].low = (uint32_t)over->w->low;
        view->place[m].stride = over->w->stride;
    }
    return any;
}

/* Gives the access a tensor of its own with this view. */
static void view_access(keeping *k, sam_expr e, const sam_view *view) {
    sam_tensor_data viewed = *sam_tensor_at(k->s, sam_expr_at(k->s, e)->tensor);
    viewed.view = *view;
    viewed.name = fe_copy_name(k->s, viewed.name);
    vec_push(k->s->mem, &k->s->tensors, viewed);
    sam_expr_at(k->s, e)->tensor = (sam_tensor){k->s->tensors.len};
}

/* Makes of B(i,j) the product B(i,j) * S(i). */
static void intersect(keeping *k, sam_expr e) {
    const sam_expr_data access = *sam_expr_at(k->s, e);
    sam_expr product = fe_add_expr(k->s, access);
    for (uint32_t m = 0; m < sam_tensor_at(k->s, access.tensor)->order; m++) {
        const slice *over = &k->of[access.index[m].v - 1];
        if (!over->of.v)
            continue;
        const sam_expr ones = fe_add_expr(k->s, (sam_expr_data){.kind = SAM_EXPR_ACCESS,
                                                                .loc = access.loc,
                                                                .tensor = over->ones,
                                                                .index = {access.index[m]}});
        product = fe_add_expr(
            k->s, (sam_expr_data){.kind = SAM_EXPR_MUL, .loc = access.loc, .a = ones, .b = product});
    }
    *sam_expr_at(k->s, e) = *sam_expr_at(k->s, product);
}

bool fe_keep(const fe_kernel *from, arena *mem, fe_kernel *out) {
    const sam_statement *s = &from->s;
    *out = *from;
    if (s->general || s->everywhere || from->relations.len || s->vars.len > 64)
        return false;
    fe_copy_statement(s, mem, &out->s);
    keeping k = {.from = s, .s = &out->s, .of = arena_new_n(mem, slice, s->vars.len + 1)};
    const uint32_t accesses = s->exprs.len;
    bool *kept = arena_new_n(mem, bool, accesses + 1), any = false;
    for (uint32_t e = 1; e <= accesses; e++) {
        const sam_expr_data *x = sam_expr_at(s, (sam_expr){e});
        kept[e] = x->kind == SAM_EXPR_ACCESS && choose_access(&k, x);
        any = any || kept[e];
    }
    for (uint32_t e = 1; any && e <= accesses; e++) {
        const sam_expr_data *x = sam_expr_at(s, (sam_expr){e});
        const sam_tensor_data *t = x->kind == SAM_EXPR_ACCESS ? sam_tensor_at(s, x->tensor) : NULL;
        sam_view view;
        if (kept[e]) {
            view = as_it_is(t, t->called);
            view_access(&k, (sam_expr){e}, &view);
            intersect(&k, (sam_expr){e});
        } else if (t && place(&k, t, x->index, &view)) {
            view_access(&k, (sam_expr){e}, &view);
        }
    }
    sam_tensor_data *result = sam_tensor_at(&out->s, s->result);
    sam_view placed;
    if (any && place(&k, result, s->result_index, &placed))
        result->view = placed;
    for (uint32_t v = 0; v < s->vars.len; v++) {
        if (k.of[v].of.v)
            out->s.vars.at[v].extent = 0;
    }
    fe_compact(&out->s);
    return any;
}
