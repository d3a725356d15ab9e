/* expand.c - fe_expand: a kernel's statement with an index for each of its loops.
 *
 * A split variable i is i0 * c + i1. A tensor with i gets a view with i0 and i1: i0 = i / c and i1 = i % c,
 * one storage level for each. Every relation becomes, for each variable of the expression, a list of loops
 * with a divisor and a modulus; nested splits compose if sizes divide each other. Variables of fused loops
 * share one list, the list of the first; the others' lists are empty (fuse.c). Levels keep their format. A
 * dimension not divisible by c is padded: operands are empty in the padding, and the merge drops the result's
 * values in the padding.
 */
#include "frontend/lowering/expand.h"
#include "frontend/language/check.h"
#include "frontend/language/relations.h"
#include "frontend/language/statement.h"
#include "frontend/lowering/fuse.h"
#include "frontend/lowering/keep.h"
#include "frontend/lowering/rows.h"

/* loop = (variable / divide) % modulo; modulo 0: no remainder taken. */
typedef struct {
    sam_var loop;
    uint32_t divide, modulo;
} digit;

typedef VEC(digit) digits;

typedef struct {
    const fe_kernel *k;
    sam_statement *s; /* the new one */
    arena *mem;
    diagnostics *d;
    digits *of; /* by variable - 1: digits of each, outermost first */
} expansion;

static bool not_lowered(expansion *x, const fe_relation *r, const char *reason) {
    return diag_unmappable(x->d, r->loc, "E0149-not-lowered", "%s", reason);
}

static bool find_digits(expansion *x, sam_var v, digits *out);

/* ---- relations present in the graph ------------------------------------------------------------ */

static bool is_hint(const fe_kernel *k, const fe_relation *r);

/* Adds the graph's loops for a loop of the kernel. */
static void add_stand_ins(const fe_kernel *k, sam_var v, arena *mem, fe_vars *out) {
    const fe_relation *r = fe_making(k, v);
    if (!r || !is_hint(k, r)) {
        bool there = false;
        for (uint32_t i = 0; i < out->len; i++)
            there = there || out->at[i].v == v.v;
        if (!there)
            vec_push(mem, out, v);
        return;
    }
    add_stand_ins(k, r->var[0], mem, out);
    if (r->kind == FE_FUSE)
        add_stand_ins(k, r->var[1], mem, out);
}

/* Returns whether the relation adds no loops to the graph: fused loops without a common level stay apart, and
 * neither they nor positions are cut. The result is independent of such a relation.
 */
static bool is_hint(const fe_kernel *k, const fe_relation *r) {
    const fe_relation *before = fe_making(k, r->var[0]);
    bool cuts = r->kind == FE_SPLIT || r->kind == FE_DIVIDE;
    return (r->kind == FE_FUSE && !fe_is_fused(k, r)) || (before && is_hint(k, before)) ||
           (cuts && fe_is_position(k, r->var[0]));
}

/* ---- digits ------------------------------------------------------------------------------------ */

/* Makes the digits of i0 and i1 digits of i = i0 * size + i1. */
static bool split_digits(expansion *x, const fe_relation *r, uint32_t size, digits *out) {
    digits outer = {0}, inner = {0};
    if (!find_digits(x, r->var[1], &outer) || !find_digits(x, r->var[2], &inner))
        return false;
    for (uint32_t i = 0; i < outer.len; i++) {
        digit p = outer.at[i];
        if (p.divide > UINT32_MAX / size)
            return diag_error(x->d, r->loc, "E0142-number",
                              "a block of this loop would have more than %u coordinates", UINT32_MAX);
        p.divide *= size;
        vec_push(x->mem, out, p);
    }
    for (uint32_t i = 0; i < inner.len; i++) {
        digit p = inner.at[i];
        uint32_t whole = p.modulo ? p.divide * p.modulo : p.divide;
        if (size % whole) {
            not_lowered(x, r, "its inner loop is split again, into parts that do not divide its size");
            return diag_hint(x->d, "use a size that is a multiple of %u", whole);
        }
        p.modulo = p.modulo ? p.modulo : size / p.divide;
        vec_push(x->mem, out, p);
    }
    return true;
}

static bool find_digits(expansion *x, sam_var v, digits *out) {
    const fe_relation *r = fe_replacing(x->k, v);
    uint32_t extent = r ? fe_known_extent(x->k, v) : 0;
    if (!r || is_hint(x->k, r)) {
        vec_push(x->mem, out, (digit){v, 1, 0});
        return true;
    }
    switch (r->kind) {
    case FE_SPLIT:
        return split_digits(x, r, r->number, out);
    case FE_DIVIDE:
        if (!extent)
            return diag_error(x->d, r->loc, "E0147-bound", "dividing a loop needs to know its extent");
        return split_digits(x, r, extent / r->number + (extent % r->number != 0), out);
    case FE_POS:
        return find_digits(x, r->var[1], out);
    case FE_BOUND:
        if (r->bound == FE_MAX_EXACT || (r->bound == FE_MIN_EXACT && r->number == 0))
            return find_digits(x, r->var[1], out);
        not_lowered(x, r, "loops start at 0, and their graph is the same for every extent");
        return diag_hint(x->d, "MaxExact states the extent, and it is checked");
    case FE_FUSE:
        return r->var[1].v == v.v || find_digits(x, r->var[2], out);
    }
    BUG("a relation of no kind");
}

/* ---- loops that are hints ---------------------------------------------------------------------- */

/* Maps each loop of the kernel to loops of the graph: itself, or, behind a hint, the loops of the hint. The
 * first of these takes the place of the hint's first loop, with the largest effect, and the others the place
 * of the last. */
static void set_loops(expansion *x) {
    const sam_statement *s = &x->k->s;
    fe_vars *of = arena_new_n(x->mem, fe_vars, s->loops.len + 1);
    x->s->loops.len = 0;
    for (uint32_t l = 0; l < s->loops.len; l++)
        add_stand_ins(x->k, s->loops.at[l], x->mem, &of[l]);
    for (uint32_t l = 0; l < s->loops.len; l++) {
        for (uint32_t i = 0; i < of[l].len; i++) {
            sam_var v = of[l].at[i];
            uint32_t first = s->loops.len, last = 0;
            for (uint32_t n = 0; n < s->loops.len; n++) {
                for (uint32_t e = 0; e < of[n].len; e++) {
                    if (of[n].at[e].v != v.v)
                        continue;
                    first = first < n ? first : n;
                    last = n;
                }
            }
            bool leads = of[first].len > 1 && of[first].at[0].v == v.v;
            if (l == (leads ? first : last))
                vec_push(x->mem, &x->s->loops, v);
        }
    }
}

/* Returns whether v is a piece of positions, or of fused loops that stay apart. */
static bool is_cut(const fe_kernel *k, sam_var v) {
    const fe_relation *r = fe_making(k, v);
    bool cuts = r && (r->kind == FE_SPLIT || r->kind == FE_DIVIDE);
    return r && r->kind != FE_FUSE && ((cuts && is_hint(k, r)) || is_cut(k, r->var[0]));
}

static void note_hints(const expansion *x) {
    const sam_statement *s = &x->k->s;
    for (uint32_t i = 0; i < x->k->relations.len; i++) {
        const fe_relation *r = &x->k->relations.at[i];
        const char *loop = fe_var_text(s, r->var[0]);
        if (r->kind == FE_FUSE && is_hint(x->k, r))
            diag_note(x->d, r->loc, "loops '%s' and '%s' stay apart, one in the other", loop,
                      fe_var_text(s, r->var[1]));
        else if (r->kind != FE_POS && r->kind != FE_BOUND && r->kind != FE_FUSE && is_hint(x->k, r) &&
                 !is_cut(x->k, r->var[0]))
            diag_note(x->d, r->loc, "loop '%s' stays whole: no level is cut by positions", loop);
    }
}

/* ---- padding --------------------------------------------------------------------------------- */

/* A sum over a padded dimension must add nothing in the padding. */
static bool sums_vanish(expansion *x, sam_expr e) {
    const sam_expr_data *y = sam_expr_at(&x->k->s, e);
    if (y->kind == SAM_EXPR_SUM && x->of[y->var.v - 1].len > 1 &&
        (y->operation || !fe_vanishes(&x->k->s, y->a, y->var))) {
        const fe_relation *r = fe_replacing(x->k, y->var);
        not_lowered(x, r,
                    "the sum over this loop has a value where no operand does, so padding would change it");
        return diag_note(x->d, y->loc, "the sum");
    }
    return (!y->a.v || sums_vanish(x, y->a)) && (!y->b.v || sums_vanish(x, y->b));
}

/* ---- tensors --------------------------------------------------------------------------------- */

/* The view of a tensor without splits. */
static sam_view whole_view(const sam_tensor_data *t) {
    sam_view view = {.source = t->name, .source_order = t->order};
    for (uint32_t m = 0; m < t->order; m++)
        view.equal[m] = (uint8_t)m;
    return view;
}

static bool same_view(const sam_view *a, const sam_view *b, uint32_t order) {
    bool same = name_eq(a->source, b->source);
    for (uint32_t v = 0; v < order; v++)
        same = same && a->from[v].mode == b->from[v].mode && a->from[v].divide == b->from[v].divide &&
               a->from[v].modulo == b->from[v].modulo;
    for (uint32_t m = 0; m < a->source_order; m++)
        same = same && a->fused[m].onto == b->fused[m].onto && a->fused[m].times == b->fused[m].times &&
               a->fused[m].extent == b->fused[m].extent;
    return same;
}

/* Returns the tensor split like its indices: an existing one, or a new one. */
static sam_tensor use_split(expansion *x, sam_tensor old, const sam_tensor_data *split, bool *used) {
    for (uint32_t t = 1; t <= x->s->tensors.len; t++) {
        const sam_tensor_data *known = sam_tensor_at(x->s, (sam_tensor){t});
        if (known->order == split->order && same_view(&known->view, &split->view, split->order))
            return (sam_tensor){t};
    }
    if (!used[old.v - 1]) {
        used[old.v - 1] = true;
        *sam_tensor_at(x->s, old) = *split;
        return old;
    }
    vec_push(x->s->mem, &x->s->tensors, *split);
    x->s->tensors.at[x->s->tensors.len - 1].name = fe_copy_name(x->s, split->name);
    return (sam_tensor){x->s->tensors.len};
}

/* Gives a tensor in blocks the levels of the blocks and then the levels inside, in the order of storage. */
static void block_levels(const sam_tensor_data *t, const uint8_t *first, sam_tensor_data *split) {
    for (uint32_t l = 0; l < t->order; l++) {
        split->level[l] = t->level[l];
        split->mode[l] = first[t->mode[l]];
        split->level[t->order + l] = t->inner[l];
        split->mode[t->order + l] = (uint8_t)(first[t->mode[l]] + 1);
    }
}

/* Returns whether each index of a tensor in blocks is split in two. E0110-format. */
static bool check_blocks(expansion *x, const sam_tensor_data *t, const sam_var *index) {
    for (uint32_t m = 0; m < t->order && t->blocked; m++) {
        if (x->of[index[m].v - 1].len == 2)
            continue;
        diag_error(x->d, t->loc, "E0110-format", "%s is in blocks, but loop '%s' is not split in two",
                   names_text(x->s->names, t->name), fe_var_text(&x->k->s, index[m]));
        return diag_hint(x->d, "split it by the size of a block: -s \"split(%s,%s0,%s1,4)\"",
                         fe_var_text(&x->k->s, index[m]), fe_var_text(&x->k->s, index[m]),
                         fe_var_text(&x->k->s, index[m]));
    }
    return true;
}

/* Marks the fused modes of a tensor, by its indices. Returns whether any are. */
static bool fuse_modes(const expansion *x, const sam_tensor_data *t, const sam_var *index, sam_view *view) {
    bool some = false;
    for (uint32_t m = 0; m < t->order; m++) {
        const fe_fusion is = fe_fusion_of(x->k, index[m]);
        for (uint32_t o = 0; o < t->order && is.times; o++) {
            if (index[o].v == is.first.v)
                view->fused[m].onto = (uint8_t)o;
        }
        view->fused[m].times = is.times;
        view->fused[m].extent = is.extent;
        some = some || is.times;
    }
    return some;
}

/* Returns the format of the level of mode m and its fused modes. */
static sam_level_format fused_level(const sam_tensor_data *t, const sam_view *view, uint32_t m) {
    sam_level_format format = SAM_LEVEL_DENSE;
    for (uint32_t l = 0; l < t->order; l++) {
        const uint32_t own = t->mode[l];
        if (own == m && !view->fused[m].times)
            return t->level[l];
        if (view->fused[own].times && view->fused[own].onto == m && t->level[l] != SAM_LEVEL_DENSE)
            format = SAM_LEVEL_COMPRESSED;
    }
    return format;
}

/* Gives an access the loops of its variables, and the tensor a level for each. */
static bool expand_access(expansion *x, sam_tensor *tensor, sam_var *index, src_loc loc, bool *used) {
    const sam_tensor_data *t = sam_tensor_at(&x->k->s, *tensor);
    sam_tensor_data split = *t;
    sam_var loops[SAM_MAX_ORDER];
    uint8_t first[SAM_MAX_ORDER + 1]; /* first[m]: the new mode of mode m's outermost digit */
    if (!check_blocks(x, t, index))
        return false;
    split.order = 0;
    split.view = whole_view(t);
    bool is_split = fuse_modes(x, t, index, &split.view);
    split.view.repeats = x->k->s.rows && fe_row_repeats(&x->k->s) ? fe_row_extent(x->k) : 0;
    for (uint32_t m = 0; m < t->order; m++) {
        const digits *of = &x->of[index[m].v - 1];
        first[m] = (uint8_t)split.order;
        for (uint32_t p = 0; p < of->len; p++) {
            if (split.order == SAM_MAX_ORDER)
                return diag_error(x->d, loc, "E0118-too-large", "split, %s has more than %d indices",
                                  names_text(x->s->names, t->name), SAM_MAX_ORDER);
            split.view.from[split.order].mode = (uint8_t)m;
            split.view.from[split.order].divide = of->at[p].divide;
            split.view.from[split.order].modulo = of->at[p].modulo;
            loops[split.order++] = of->at[p].loop;
        }
        is_split = is_split || of->len > 1;
    }
    first[t->order] = (uint8_t)split.order;
    memcpy(index, loops, sizeof *loops * split.order);
    if (!is_split) {
        used[tensor->v - 1] = true;
        return true;
    }
    uint32_t level = 0;
    if (t->blocked)
        block_levels(t, first, &split);
    for (uint32_t l = 0; l < t->order && !t->blocked; l++) {
        for (uint8_t m = first[t->mode[l]]; m < first[t->mode[l] + 1]; m++) {
            split.level[level] = fused_level(t, &split.view, t->mode[l]);
            split.mode[level++] = m;
        }
    }
    *tensor = use_split(x, *tensor, &split, used);
    return true;
}

/* Returns whether an access stays unchanged. */
static bool stays(const expansion *x, const sam_tensor_data *t, const sam_var *index) {
    bool does = true;
    for (uint32_t m = 0; m < t->order; m++)
        does = does && x->of[index[m].v - 1].len == 1 && !fe_fusion_of(x->k, index[m]).times;
    return does;
}

static bool expand_tensors(expansion *x) {
    sam_statement *s = x->s;
    bool *used = arena_new_n(x->mem, bool, s->tensors.len);
    /* Unchanged accesses keep their tensor's name. */
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t e = 0; e < s->exprs.len; e++) {
            sam_expr_data *a = &s->exprs.at[e];
            if (a->kind != SAM_EXPR_ACCESS)
                continue;
            const sam_expr_data *old = &x->k->s.exprs.at[e];
            if (stays(x, sam_tensor_at(&x->k->s, old->tensor), old->index) == (pass == 0) &&
                !expand_access(x, &a->tensor, a->index, a->loc, used))
                return false;
        }
    }
    return expand_access(x, &s->result, s->result_index, sam_tensor_at(s, s->result)->loc, used);
}

/* ---- the statement --------------------------------------------------------------------------- */

/* Replaces sums over variables by sums over each of their digits; a variable fused with another summed
 * variable has none. */
static void expand_sums(expansion *x, sam_expr e) {
    sam_expr_data y = *sam_expr_at(x->s, e);
    if (y.a.v)
        expand_sums(x, y.a);
    if (y.b.v)
        expand_sums(x, y.b);
    if (y.kind != SAM_EXPR_SUM)
        return;
    const digits *of = &x->of[y.var.v - 1];
    if (!of->len) {
        *sam_expr_at(x->s, e) = *sam_expr_at(x->s, y.a);
        return;
    }
    for (uint32_t p = of->len; p-- > 1;) {
        sam_expr_data inner = {
            .kind = SAM_EXPR_SUM, .loc = y.loc, .a = y.a, .var = of->at[p].loop, .operation = y.operation};
        vec_push(x->s->mem, &x->s->exprs, inner);
        y.a = (sam_expr){x->s->exprs.len};
    }
    y.var = of->at[0].loop;
    *sam_expr_at(x->s, e) = y;
}

bool fe_expand(const fe_kernel *k, arena *mem, diagnostics *d, sam_statement *out) {
    fe_kernel cut;
    if (k->s.rows) {
        fe_cut_rows(k, mem, &cut);
        k = &cut;
    }
    fe_copy_statement(&k->s, mem, out);
    expansion x = {.k = k, .s = out, .mem = mem, .d = d, .of = arena_new_n(mem, digits, k->s.vars.len + 1)};
    uint64_t bound;
    if (!fe_check_tree(&k->s, &bound, d))
        return false;
    for (uint32_t v = 1; v <= k->s.vars.len; v++) {
        if ((bound >> (v - 1) & 1) && !find_digits(&x, (sam_var){v}, &x.of[v - 1]))
            return false;
        const digits *of = &x.of[v - 1];
        for (uint32_t p = 0; p < of->len; p++) {
            sam_var_data *loop = sam_var_at(out, of->at[p].loop);
            loop->extent = fe_is_position(k, of->at[p].loop) ? 0 : fe_known_extent(k, of->at[p].loop);
            if (of->len > 1) {
                loop->split_of = (sam_var){v};
                loop->divide = of->at[p].divide;
                loop->modulo = of->at[p].modulo;
            }
        }
    }
    if ((!(k->s.rows && fe_row_repeats(&k->s)) && !sums_vanish(&x, k->s.rhs)) || !expand_tensors(&x))
        return false;
    expand_sums(&x, out->rhs);
    if (k->s.rows)
        fe_keep_rows(k, out);
    set_loops(&x);
    note_hints(&x);
    return true;
}
