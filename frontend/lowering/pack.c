/* pack.c - makes every access plain: a stored tensor of its own, indexed by distinct variables, with dense or
 * compressed levels in the order of the loops.
 *
 * If the user's tensor differs, the plain one is a view (sam_view): the host re-packs the operand before the
 * run, and the result afterwards. Level formats stay with the level, not with the index: a CSR matrix needed
 * by columns becomes CSC.
 */
#include "frontend/lowering/pack.h"
#include "frontend/language/check.h"
#include "frontend/language/settings.h"
#include "frontend/language/statement.h"

typedef struct {
    const sam_statement *from;
    sam_statement *to;
    bool *used; /* by tensor handle - 1: its own name is taken by an earlier access */
    bool sparse_result;
} packing;

/* This is an access on its way to be plain. */
typedef struct {
    uint32_t order;
    sam_var index[SAM_MAX_ORDER];           /* its distinct variables, in order of appearance */
    uint8_t first[SAM_MAX_ORDER];           /* the mode of the first appearance of each */
    sam_var stored[SAM_MAX_ORDER];          /* the same variables by storage level */
    sam_level_format level[SAM_MAX_ORDER];  /* by storage level */
    bool diagonal, reordered, other_format; /* differences from the declared tensor */
} plain_access;

/* Insertion sort of the stored variables by loop; the formats keep their places. */
static void sort_by_loops(const sam_statement *s, plain_access *a) {
    for (uint32_t l = 1; l < a->order; l++) {
        for (uint32_t k = l; k > 0; k--) {
            if (fe_loop_position(s, a->stored[k - 1]) <= fe_loop_position(s, a->stored[k]))
                break;
            sam_var swap = a->stored[k];
            a->stored[k] = a->stored[k - 1];
            a->stored[k - 1] = swap;
            a->reordered = true;
        }
    }
}

/* Returns whether a loop is the inner loop of a split one. */
static bool is_inner(const sam_statement *s, sam_var v) {
    return sam_var_at(s, v)->split_of.v && sam_var_at(s, v)->modulo;
}

/* The formats of a tensor in blocks keep their places among the levels of the blocks, and among the levels
 * inside; `before` has the declared formats. */
static void keep_in_blocks(const sam_statement *s, const plain_access *before, plain_access *a) {
    for (uint32_t inner = 0; inner < 2; inner++) {
        uint32_t from = 0;
        for (uint32_t l = 0; l < a->order; l++) {
            if (is_inner(s, a->stored[l]) != (inner == 1))
                continue;
            while (is_inner(s, before->stored[from]) != (inner == 1))
                from++;
            a->level[l] = before->level[from++];
        }
    }
}

static plain_access make_plain(const packing *p, sam_tensor h, const sam_var *index, bool outer_dense) {
    const sam_tensor_data *t = sam_tensor_at(p->from, h);
    bool sparse = p->sparse_result && h.v == p->from->result.v;
    plain_access a = {0};
    for (uint32_t m = 0; m < t->order; m++) {
        if (fe_var_place(a.index, a.order, index[m]) < a.order) {
            a.diagonal = true;
            continue;
        }
        a.first[a.order] = (uint8_t)m;
        a.index[a.order++] = index[m];
    }
    uint32_t n = 0;
    for (uint32_t l = 0; l < t->order; l++) {
        sam_var v = index[t->mode[l]];
        uint32_t at = fe_var_place(a.stored, n, v);
        bool dense = !sparse && (t->level[l] == SAM_LEVEL_DENSE || (!l && outer_dense)) &&
                     (at == n || a.level[at] == SAM_LEVEL_DENSE);
        a.level[at] = dense ? SAM_LEVEL_DENSE : SAM_LEVEL_COMPRESSED;
        a.other_format = a.other_format || a.level[at] != t->level[l];
        if (at == n)
            a.stored[n++] = v;
    }
    const plain_access before = a;
    sort_by_loops(p->from, &a);
    if (t->blocked)
        keep_in_blocks(p->from, &before, &a);
    return a;
}

/* Makes the view of the plain tensor: of the declared one, through the declared tensor's own view, if any. */
static sam_view plain_view(const sam_tensor_data *t, const sam_var *index, const plain_access *a) {
    sam_view base = t->view;
    if (!base.source.v) {
        base = (sam_view){.source = t->name, .source_order = t->order};
        for (uint32_t m = 0; m < t->order; m++) {
            base.from[m].mode = base.equal[m] = (uint8_t)m;
            base.from[m].divide = 1;
        }
    }
    sam_view view = base;
    for (uint32_t i = 0; i < a->order; i++)
        view.from[i] = base.from[a->first[i]];
    for (uint32_t m = 0; m < t->order; m++) {
        uint32_t first = a->first[fe_var_place(a->index, a->order, index[m])];
        if (first != m)
            view.equal[base.from[m].mode] = view.equal[base.from[first].mode];
    }
    return view;
}

/* Gives the access a tensor of its own; index[] becomes its distinct variables. */
static sam_tensor pack_access(packing *p, sam_tensor t, sam_var *index, bool outer_dense) {
    const sam_tensor_data *declared = sam_tensor_at(p->from, t);
    plain_access a = make_plain(p, t, index, outer_dense);
    sam_tensor_data packed = *declared;
    bool again = p->used[t.v - 1];
    p->used[t.v - 1] = true;
    packed.order = a.order;
    for (uint32_t l = 0; l < a.order; l++) {
        packed.level[l] = a.level[l];
        packed.mode[l] = (uint8_t)fe_var_place(a.index, a.order, a.stored[l]);
    }
    if (!packed.ones && (again || a.diagonal || a.reordered || a.other_format))
        packed.view = plain_view(declared, index, &a);
    memcpy(index, a.index, sizeof *index * a.order);
    if (!again) {
        *sam_tensor_at(p->to, t) = packed;
        return t;
    }
    packed.name = fe_copy_name(p->to, declared->name);
    vec_push(p->to->mem, &p->to->tensors, packed);
    return (sam_tensor){p->to->tensors.len};
}

static void pack_expr(packing *p, sam_expr e) {
    sam_expr_data *x = sam_expr_at(p->to, e);
    if (x->kind == SAM_EXPR_ACCESS)
        x->tensor = pack_access(p, x->tensor, x->index, x->outer_dense);
    if (x->a.v)
        pack_expr(p, x->a);
    if (x->b.v)
        pack_expr(p, x->b);
}

bool fe_pack(const sam_statement *s, bool sparse_result, arena *mem, diagnostics *d, sam_statement *out) {
    *out = *s;
    out->mem = mem;
    out->unites = NULL;
    out->tensors.at = NULL;
    out->exprs.at = NULL;
    out->tensors.len = out->tensors.cap = out->exprs.len = out->exprs.cap = 0;
    for (uint32_t t = 0; t < s->tensors.len; t++)
        vec_push(mem, &out->tensors, s->tensors.at[t]);
    for (uint32_t e = 0; e < s->exprs.len; e++)
        vec_push(mem, &out->exprs, s->exprs.at[e]);
    packing p = {s, out, arena_new_n(mem, bool, s->tensors.len), sparse_result};
    pack_access(&p, out->result, out->result_index, false);
    pack_expr(&p, out->rhs);
    return fe_check_packed(out, d);
}

/* Returns a format as text: "ss:1,0". */
static const char *format_text(const sam_tensor_data *t, arena *mem) {
    const char *text = "", *modes = "";
    bool in_order = true;
    for (uint32_t l = 0; l < t->order; l++) {
        text = arena_printf(mem, "%s%c", text, fe_level_letter(t->level[l]));
        modes = arena_printf(mem, "%s%c%u", modes, l ? ',' : ':', t->mode[l]);
        in_order = in_order && t->mode[l] == l;
    }
    return in_order ? text : arena_printf(mem, "%s%s", text, modes);
}

const char *fe_repacked(const sam_statement *s, sam_tensor t, arena *mem) {
    const sam_tensor_data *data = sam_tensor_at(s, t);
    const sam_view *view = &data->view;
    if (!view->source.v)
        return NULL;
    bool diagonal = false, split = false, placed = false, fused = false;
    for (uint32_t m = 0; m < view->source_order; m++) {
        diagonal = diagonal || view->equal[m] != m;
        placed = placed || view->place[m].stride;
        fused = fused || view->fused[m].times;
    }
    for (uint32_t v = 0; v < data->order; v++)
        split = split || view->from[v].divide > 1 || view->from[v].modulo;
    bool renamed = !name_eq(data->name, view->source);
    if (data->windowed && !placed)
        return arena_printf(mem, "%s, of which a slice is taken, as %s, called %s",
                            names_text(s->names, view->source), format_text(data, mem),
                            names_text(s->names, data->name));
    return arena_printf(mem, "%s%s as %s%s%s%s%s%s", diagonal ? "the diagonal of " : "",
                        names_text(s->names, view->source), data->order ? format_text(data, mem) : "a scalar",
                        fused ? ", fused" : "", split ? ", split" : "",
                        placed ? ", at a slice's coordinates" : "", renamed ? ", called " : "",
                        renamed ? names_text(s->names, data->name) : "");
}
