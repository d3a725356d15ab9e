#include "tests/notation/chain.h"
#include "frontend/language/language.h"
#include "frontend/lowering/lowering.h"
#include "frontend/schedules/schedules.h"

#include <stdlib.h>

#include "tests/frontend/cin_equal.h"
#include "tests/sam/graph_equal.h"

/* A tensor named by statements: an operand of the note, or the workspace of an earlier kernel. */
typedef struct {
    name_id name;
    uint32_t dim[SAM_MAX_ORDER];
    note_entries entries;
} named;

typedef struct {
    note *n;
    arena *mem;
    name_table names;
    diagnostics diag;
    VEC(named) store;
    const sam_statement *user; /* of the kernel at hand */
    sam_statement s;           /* as it is lowered */
} chain;

void (*chain_told)(const char *text);

static chain_outcome wrong(const char *reason) {
    return (chain_outcome){.verdict = CHAIN_WRONG, .reason = reason};
}

static const char *printed(const chain *c) {
    text_out out;
    text_begin(&out);
    diag_print(&c->diag, 0, out.stream, false);
    return text_end(&out, c->mem);
}

/* The message of a failed pass. E0130 is a statement that an earlier pass should have rewritten.
 */
static chain_outcome refusal(const chain *c) {
    for (uint32_t i = 0; i < c->diag.list.len; i++) {
        const diagnostic *d = &c->diag.list.at[i];
        uint32_t line, col;
        if ((d->kind == DIAG_ERROR || d->kind == DIAG_UNMAPPABLE) && d->code[0] == 'E' &&
            diag_line_col(&c->diag, d->loc, &line, &col) && strcmp(d->code, "E0130-statement") != 0)
            return (chain_outcome){.verdict = CHAIN_REFUSED, .code = d->code, .reason = printed(c)};
    }
    return wrong(arena_printf(c->mem, "refused without a located error of the user's: %s", printed(c)));
}

/* ---- compiling ------------------------------------------------------------------------------- */

/* The texts for the command line. */
static fe_in texts(const chain *c) {
    const char **formats = arena_new_n(c->mem, const char *, NOTE_TENSORS);
    const char **dimensions = arena_new_n(c->mem, const char *, NOTE_VARS);
    const char **schedule = arena_new(c->mem, const char *);
    fe_in in = {.expression = note_text(c->n, c->mem),
                .formats = formats,
                .dimensions = dimensions,
                .schedule = schedule,
                .n_schedule = *c->n->schedule != '\0',
                .integers = true};
    *schedule = c->n->schedule;
    uint32_t used = note_used_tensors(c->n, c->n->root) | 1;
    for (uint8_t t = 0; t < c->n->n_tensors; t++) {
        const char *format = note_format(&c->n->tensor[t], c->mem);
        if (format && used >> t & 1)
            formats[in.n_formats++] = format;
    }
    uint32_t free = note_free_vars(c->n, c->n->root), in_result = 0;
    for (uint8_t i = 0; i < c->n->tensor[0].order; i++)
        in_result |= 1u << c->n->result_index[i];
    for (uint8_t v = 0; v < c->n->n_vars; v++) {
        bool unknown = in_result & ~free & 1u << v; /* no operand gives its extent */
        if (unknown || (c->n->sized && (in_result | free) >> v & 1))
            dimensions[in.n_dimensions++] = arena_printf(c->mem, "%s:%u", c->n->var[v], c->n->extent[v]);
    }
    return in;
}

/* ---- data ------------------------------------------------------------------------------------ */

static void store_operands(chain *c) {
    for (uint8_t t = 1; t < c->n->n_tensors; t++) {
        const note_tensor *tensor = &c->n->tensor[t];
        named x = {.name = names_intern(&c->names, tensor->name), .entries = note_stored(tensor, c->mem)};
        memcpy(x.dim, tensor->dim, sizeof x.dim);
        vec_push(c->mem, &c->store, x);
    }
}

/* NULL for the result of the kernel at hand. */
static const named *tensor_named(const chain *c, name_id name) {
    for (uint32_t i = 0; i < c->store.len; i++)
        if (name_eq(c->store.at[i].name, name))
            return &c->store.at[i];
    return NULL;
}

/* An inner loop of a split has the requested length, padding included. */
static uint32_t divided(uint32_t extent, uint32_t divide, uint32_t modulo) {
    return modulo ? modulo : divide ? (extent + divide - 1) / divide : extent;
}

/* The dimension of an operand that statement s indexes by v, 0 without such an operand. */
static uint32_t dimension_by(const chain *c, const sam_statement *s, sam_var v);

/* Extent of a variable: from an operand, from the variable of its split, or from the note. */
static uint32_t extent_of(const chain *c, const sam_statement *s, sam_var v) {
    const sam_var_data *var = sam_var_at(s, v);
    uint32_t dimension = dimension_by(c, s, v);
    if (dimension || var->extent)
        return dimension ? dimension : var->extent;
    if (var->split_of.v)
        return divided(extent_of(c, s, var->split_of), var->divide, var->modulo);
    for (uint8_t k = 0; k < c->n->n_vars; k++)
        if (strcmp(c->n->var[k], names_text(&c->names, var->name)) == 0)
            return c->n->extent[k];
    BUG("nothing says how far %s runs", names_text(&c->names, var->name));
}

/* The tensor behind a stored tensor; for the result of the current kernel only the dimensions. */
static named behind(const chain *c, const sam_tensor_data *t) {
    const named *data = tensor_named(c, t->view.source.v ? t->view.source : t->name);
    named result = {.name = sam_tensor_at(c->user, c->user->result)->name};
    if (data)
        return *data;
    for (uint32_t m = 0; m < sam_tensor_at(c->user, c->user->result)->order; m++)
        result.dim[m] = extent_of(c, c->user, c->user->result_index[m]);
    return result;
}

/* The dimensions of a stored tensor, from its source's dimensions. */
static void stored_dimensions(const sam_tensor_data *t, const named *source, uint32_t *dim) {
    for (uint32_t i = 0; i < t->order; i++)
        dim[i] =
            t->view.source.v
                ? divided(source->dim[t->view.from[i].mode] * (t->view.fused[t->view.from[i].mode].times
                                                                   ? t->view.fused[t->view.from[i].mode].times
                                                                   : 1),
                          t->view.from[i].divide, t->view.from[i].modulo)
                : source->dim[i];
}

static uint32_t dimension_by(const chain *c, const sam_statement *s, sam_var v) {
    for (uint32_t e = 0; e < s->exprs.len; e++) {
        const sam_expr_data *x = &s->exprs.at[e];
        const sam_tensor_data *t = x->kind == SAM_EXPR_ACCESS ? sam_tensor_at(s, x->tensor) : NULL;
        for (uint32_t i = 0; t && !t->ones && i < t->order; i++) {
            uint32_t dim[SAM_MAX_ORDER];
            if (x->index[i].v != v.v)
                continue;
            named source = behind(c, t);
            stored_dimensions(t, &source, dim);
            return dim[i];
        }
    }
    return 0;
}

static bool on_diagonal(const sam_view *view, const uint32_t *crd) {
    for (uint32_t m = 0; m < view->source_order; m++)
        if (crd[m] != crd[view->equal[m]])
            return false;
    return true;
}

/* A coordinate of the source tensor, fused with its neighbours. */
static uint32_t fused_at(const sam_view *view, uint32_t mode, const uint32_t *crd) {
    uint32_t at = 0;
    for (uint32_t m = 0; m < view->source_order; m++)
        at += view->fused[m].onto == mode ? crd[m] * view->fused[m].times : 0;
    return view->fused[mode].times ? at : crd[mode];
}

/* Entries of a stored tensor, by the definition of sam_view. */
static note_entries view_of(const chain *c, const sam_tensor_data *t, const named *source) {
    note_entries kept = {0};
    const sam_view *view = &t->view;
    for (uint32_t i = 0; i < source->entries.len; i++) {
        const note_entry *from = &source->entries.at[i];
        note_entry e = *from;
        if (view->source.v && !on_diagonal(view, from->crd))
            continue;
        for (uint32_t v = 0; v < t->order && view->source.v; v++) {
            uint32_t crd = fused_at(view, view->from[v].mode, from->crd);
            crd = view->from[v].divide ? crd / view->from[v].divide : crd;
            e.crd[v] = view->from[v].modulo ? crd % view->from[v].modulo : crd;
        }
        vec_push(c->mem, &kept, e);
    }
    return kept;
}

/* A tensor of ones over its variables: all coordinates of a dense level, 0 of a compressed level.
 */
static note_entries ones(const chain *c, sam_tensor t, uint32_t *dim) {
    const sam_tensor_data *data = sam_tensor_at(&c->s, t);
    note_entries list = {0};
    uint64_t cells = 1;
    for (uint32_t e = 0; e < c->s.exprs.len; e++) {
        const sam_expr_data *x = &c->s.exprs.at[e];
        for (uint32_t i = 0; x->kind == SAM_EXPR_ACCESS && x->tensor.v == t.v && i < data->order; i++)
            dim[i] = extent_of(c, &c->s, x->index[i]);
    }
    for (uint32_t i = 0; i < data->order; i++)
        cells *= dim[i];
    for (uint64_t at = 0; at < cells; at++) {
        note_entry e = {.value = 1};
        uint64_t rest = at;
        bool kept = true;
        for (uint32_t i = data->order; i-- > 0;) {
            e.crd[i] = (uint32_t)(rest % dim[i]);
            rest /= dim[i];
        }
        for (uint32_t l = 0; l < data->order; l++)
            kept = kept && (data->level[l] == SAM_LEVEL_DENSE || !e.crd[data->mode[l]]);
        if (kept)
            vec_push(c->mem, &list, e);
    }
    return list;
}

/* Operands in the host's form: an empty operand holds an explicit zero. */
static sam_tensor_levels *operands_of(const chain *c) {
    sam_tensor_levels *levels = arena_new_n(c->mem, sam_tensor_levels, c->s.tensors.len);
    for (uint32_t t = 2; t <= c->s.tensors.len; t++) {
        const sam_tensor_data *data = sam_tensor_at(&c->s, (sam_tensor){t});
        uint32_t dim[SAM_MAX_ORDER] = {0};
        note_entries entries;
        if (data->ones) {
            entries = ones(c, (sam_tensor){t}, dim);
        } else {
            named source = behind(c, data);
            entries = view_of(c, data, &source);
            stored_dimensions(data, &source, dim);
        }
        note_fill_empty(&entries, c->mem);
        levels[t - 2] = note_pack(&entries, data->order, data->level, data->mode, dim, c->mem);
        levels[t - 2].name = data->name;
    }
    return levels;
}

/* ---- the result ------------------------------------------------------------------------------ */

/* The source coordinates of a stored entry of the result; false beyond the dimensions (padding of a
 * split). */
static bool user_point(const sam_tensor_data *t, const uint32_t *dim, uint32_t order, const note_entry *e,
                       uint32_t *crd) {
    for (uint32_t m = 0; m < order; m++)
        crd[m] = t->view.source.v ? 0 : e->crd[m];
    for (uint32_t v = 0; v < t->order && t->view.source.v; v++)
        crd[t->view.from[v].mode] += e->crd[v] * (t->view.from[v].divide ? t->view.from[v].divide : 1);
    for (uint32_t m = 0; m < order; m++)
        if (t->view.source.v && t->view.fused[m].extent)
            crd[m] = crd[t->view.fused[m].onto] / t->view.fused[m].times % t->view.fused[m].extent;
    for (uint32_t m = 0; m < order; m++)
        if (t->view.source.v && t->view.fused[m].times && !t->view.fused[m].extent)
            crd[m] /= t->view.fused[m].times;
    for (uint32_t m = 0; m < order; m++)
        if (crd[m] >= dim[m])
            return false;
    return true;
}

/* The tensor written by the current kernel. Returns NULL, or the fault of the levels. */
static const char *read_result(const chain *c, const sam_tensor_levels *got, named *out) {
    const sam_tensor_data *t = sam_tensor_at(&c->s, c->s.result);
    uint32_t by_level[SAM_MAX_ORDER] = {0};
    uint32_t order = sam_tensor_at(c->user, c->user->result)->order;
    note_entries stored = {0};
    *out = behind(c, t);
    for (uint32_t l = 0; l < t->order; l++) {
        by_level[l] = extent_of(c, &c->s, c->s.result_index[t->mode[l]]);
        if (got->level[l].format != t->level[l])
            return "a level of another format";
    }
    const char *fault = note_unpack(got, t->mode, by_level, c->mem, &stored);
    for (uint32_t i = 0; !fault && i < stored.len; i++) {
        note_entry e = {.value = stored.at[i].value};
        if (user_point(t, out->dim, order, &stored.at[i], e.crd))
            vec_push(c->mem, &out->entries, e);
    }
    return fault;
}

static const char *point_text(const note_tensor *x, uint32_t cell, arena *mem) {
    const char *text = ")";
    for (uint32_t i = x->order; i-- > 0;) {
        text = arena_printf(mem, "%c%u%s", i ? ',' : '(', cell % x->dim[i], text);
        cell /= x->dim[i];
    }
    return arena_printf(mem, "%s%s", x->name, x->order ? text : "");
}

/* NULL, or how the last kernel's result differs from tensor 0 of the note. */
static const char *difference(const chain *c, const named *got) {
    const note_tensor *x = &c->n->tensor[0];
    bool *seen = arena_new_n(c->mem, bool, x->cells);
    for (uint32_t i = 0; i < got->entries.len; i++) {
        const note_entry *e = &got->entries.at[i];
        uint32_t cell = 0;
        for (uint32_t m = 0; m < x->order; m++)
            cell = cell * x->dim[m] + e->crd[m];
        if (seen[cell])
            return arena_printf(c->mem, "%s is stored twice", point_text(x, cell, c->mem));
        seen[cell] = true;
        if ((int16_t)e->value != x->value[cell])
            return arena_printf(c->mem, "%s is %d, expected %d", point_text(x, cell, c->mem),
                                (int16_t)e->value, x->value[cell]);
    }
    for (uint32_t cell = 0; cell < x->cells; cell++)
        if (!seen[cell] && x->value[cell])
            return arena_printf(c->mem, "%s is not stored, expected %d", point_text(x, cell, c->mem),
                                x->value[cell]);
    return NULL;
}

/* ---- kernels --------------------------------------------------------------------------------- */

typedef struct {
    const char *name; /* of its graphs */
    fe_lower_options options;
    bool binary; /* joiners have two operands */
} variant;

static const variant variants[] = {
    {"dropping", {.drop = true, .exact_stops = true}, false},
    {"dropping binary", {.drop = true, .exact_stops = true, .locate = true}, true},
    {"plain", {.drop = false, .exact_stops = true, .locate = true}, false},
    {"plain binary", {.drop = false, .exact_stops = true}, true},
    {"chip's", {.drop = true, .exact_stops = false, .locate = true}, false},
    {"chip's binary", {.drop = true, .exact_stops = false}, true},
};

static const chain_outcome right = {.verdict = CHAIN_RIGHT};

static chain_outcome build(chain *c, const fe_kernel *k, const variant *v, sam_graph *g) {
    sam_statement expanded;
    sam_graph once, whole;
    if (!fe_expand(k, c->mem, &c->diag, &expanded))
        return refusal(c);
    if (!fe_check(&expanded, &c->diag))
        return wrong(arena_printf(c->mem, "the expanded statement is malformed: %s", printed(c)));
    expanded.tiled = !v->options.exact_stops; /* as for the array */
    if (!fe_build(&expanded, &v->options, c->mem, &c->diag, &c->s, &once))
        return refusal(c);
    if (!fe_check_packed(&c->s, &c->diag) || !sam_check(&once, &c->diag))
        return wrong(arena_printf(c->mem, "the %s graph is illegal: %s", v->name, printed(c)));
    if (!fe_unroll(k, &once, c->mem, &c->diag, &whole))
        return refusal(c);
    *g = whole;
    if (!sam_check(g, &c->diag) ||
        (v->binary && (!sam_to_binary_joiners(&whole, c->mem, &c->diag, g) || !sam_check(g, &c->diag))))
        return wrong(arena_printf(c->mem, "the %s graph is illegal: %s", v->name, printed(c)));
    return right;
}

/* Runs a kernel on the stored tensors; stores its result, too. */
static chain_outcome run_kernel(chain *c, const fe_kernel *k, const variant *v, named *result) {
    sam_graph g;
    sam_sim_result run;
    c->user = &k->s;
    chain_outcome out = build(c, k, v, &g);
    if (out.verdict != CHAIN_RIGHT)
        return out;
    if (chain_told)
        chain_told(graph_text(&g, c->mem));
    if (!sam_simulate(&g, operands_of(c), c->s.tensors.len - 1, NULL, &c->diag, &run))
        return wrong(arena_printf(c->mem, "the %s graph does not run: %s", v->name, printed(c)));
    const char *fault = read_result(c, &run.result, result);
    if (fault)
        return wrong(arena_printf(c->mem, "the %s graph: %s", v->name, fault));
    vec_push(c->mem, &c->store, *result);
    return right;
}

static chain_outcome run_variant(chain *c, const fe_cin *cin, const variant *v) {
    named result = {0};
    c->store.len = 0;
    store_operands(c);
    for (uint32_t k = 0; k < cin->kernels.len; k++) {
        chain_outcome out = run_kernel(c, &cin->kernels.at[k], v, &result);
        if (out.verdict != CHAIN_RIGHT)
            return out;
    }
    const char *fault = difference(c, &result);
    return fault ? wrong(arena_printf(c->mem, "the %s graph: %s", v->name, fault)) : right;
}

/* The text form of the scheduled statement reads back as the same. */
static const char *round_trip(chain *c, const fe_cin *cin) {
    fe_cin again;
    text_out out;
    text_begin(&out);
    fe_cin_dump(cin, out.stream);
    const char *text = text_end(&out, c->mem);
    if (chain_told)
        chain_told(text);
    if (!fe_cin_parse(text, &c->names, c->mem, &c->diag, &again))
        return arena_printf(c->mem, "its own text form does not parse: %s%s", text, printed(c));
    return cins_equal(cin, &again) ? NULL : arena_printf(c->mem, "its text form is another: %s", text);
}

chain_outcome chain_run(note *n, arena *mem) {
    chain c = {.n = n, .mem = mem};
    sam_statement user;
    fe_cin cin;
    const fe_in in = texts(&c);
    names_init(&c.names, mem);
    diag_init(&c.diag, mem);
    if (!fe_parse(&in, &c.names, mem, &c.diag, &user))
        return refusal(&c);
    if (!fe_check(&user, &c.diag))
        return wrong(arena_printf(mem, "the statement is malformed: %s", printed(&c)));
    if (!fe_schedule(&in, &user, mem, &c.diag, &cin))
        return refusal(&c);
    if (!fe_cin_check(&cin, &c.diag))
        return wrong(arena_printf(mem, "the scheduled statement is malformed: %s", printed(&c)));
    const char *fault = round_trip(&c, &cin);
    if (fault)
        return wrong(fault);
    note_evaluate(n);
    for (size_t k = 0; k < sizeof variants / sizeof *variants; k++) {
        chain_outcome out = run_variant(&c, &cin, &variants[k]);
        if (out.verdict == CHAIN_WRONG || (out.verdict == CHAIN_REFUSED && variants[k].options.exact_stops))
            return out;
        c.diag.list.len = c.diag.errors = c.diag.unmappable = 0; /* plain streams carry less: no refusal */
    }
    return right;
}
