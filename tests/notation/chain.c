#include "tests/notation/chain.h"

#include <stdlib.h>

#include "frontend/frontend.h"

typedef struct {
    note *n;
    arena *mem;
    name_table names;
    diagnostics diag;
    sam_statement s; /* as it is lowered */
} chain;

static chain_outcome wrong(const char *reason) {
    return (chain_outcome){.verdict = CHAIN_WRONG, .reason = reason};
}

static const char *printed(const chain *c) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    diag_print(&c->diag, 0, out, false);
    fclose(out);
    const char *kept = arena_strdup(c->mem, text);
    free(text);
    return kept;
}

/* What a pass that returned false said. E0130 is a statement that an earlier pass should have made otherwise.
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

static bool parse(chain *c, sam_statement *out) {
    const char *formats[NOTE_TENSORS], *dimensions[SAM_MAX_ORDER], *schedule = c->n->schedule;
    fe_in in = {.expression = note_text(c->n, c->mem),
                .formats = formats,
                .dimensions = dimensions,
                .schedule = &schedule,
                .integers = true};
    in.n_schedule = *schedule != '\0';
    uint32_t used = note_used_tensors(c->n, c->n->root) | 1;
    for (uint8_t t = 0; t < c->n->n_tensors; t++) {
        const char *format = note_format(&c->n->tensor[t], c->mem);
        if (format && used >> t & 1)
            formats[in.n_formats++] = format;
    }
    for (uint8_t i = 0; i < c->n->tensor[0].order; i++) {
        uint8_t v = c->n->result_index[i];
        if (!(note_free_vars(c->n, c->n->root) >> v & 1)) /* no operand says how far it goes */
            dimensions[in.n_dimensions++] = arena_printf(c->mem, "%s:%u", c->n->var[v], c->n->extent[v]);
    }
    return fe_parse(&in, &c->names, c->mem, &c->diag, out);
}

/* ---- data ------------------------------------------------------------------------------------ */

static note_tensor *tensor_named(const chain *c, name_id name) {
    for (uint8_t t = 0; t < c->n->n_tensors; t++)
        if (strcmp(c->n->tensor[t].name, names_text(&c->names, name)) == 0)
            return &c->n->tensor[t];
    BUG("the note has no tensor %s", names_text(&c->names, name));
}

/* The user's tensor behind a stored one. */
static note_tensor *user_tensor(const chain *c, const sam_tensor_data *t) {
    return tensor_named(c, t->view.source.v ? t->view.source : t->name);
}

static uint32_t divided(uint32_t extent, uint32_t divide, uint32_t modulo) {
    uint32_t parts = divide ? (extent + divide - 1) / divide : extent;
    return modulo && modulo < parts ? modulo : parts;
}

static uint32_t extent_of(const chain *c, sam_var v) {
    const sam_var_data *var = sam_var_at(&c->s, v);
    if (var->split_of.v)
        return divided(extent_of(c, var->split_of), var->divide, var->modulo);
    for (uint8_t k = 0; k < c->n->n_vars; k++)
        if (strcmp(c->n->var[k], names_text(&c->names, var->name)) == 0)
            return c->n->extent[k];
    BUG("the note has no variable %s", names_text(&c->names, var->name));
}

/* The dimensions of a stored tensor, from those of the user's. */
static void stored_dimensions(const chain *c, const sam_tensor_data *t, uint32_t *dim) {
    const note_tensor *user = user_tensor(c, t);
    for (uint32_t i = 0; i < t->order; i++)
        dim[i] = t->view.source.v ? divided(user->dim[t->view.from[i].mode], t->view.from[i].divide,
                                            t->view.from[i].modulo)
                                  : user->dim[i];
}

static bool on_diagonal(const sam_view *view, const uint32_t *crd) {
    for (uint32_t m = 0; m < view->source_order; m++)
        if (crd[m] != crd[view->equal[m]])
            return false;
    return true;
}

/* What a stored tensor holds, by the definition of sam_view. */
static note_entries view_of(const chain *c, const sam_tensor_data *t) {
    note_entries all = note_stored(user_tensor(c, t), c->mem), kept = {0};
    const sam_view *view = &t->view;
    if (!view->source.v)
        return all;
    for (uint32_t i = 0; i < all.len; i++) {
        note_entry e = {.value = all.at[i].value};
        if (!on_diagonal(view, all.at[i].crd))
            continue;
        for (uint32_t v = 0; v < t->order; v++) {
            uint32_t crd = all.at[i].crd[view->from[v].mode];
            crd = view->from[v].divide ? crd / view->from[v].divide : crd;
            e.crd[v] = view->from[v].modulo ? crd % view->from[v].modulo : crd;
        }
        vec_push(c->mem, &kept, e);
    }
    return kept;
}

/* A tensor of ones over the variables that index it: all coordinates of a dense level, 0 of a compressed one.
 */
static note_entries ones(const chain *c, sam_tensor t, uint32_t *dim) {
    const sam_tensor_data *data = sam_tensor_at(&c->s, t);
    note_entries list = {0};
    uint64_t cells = 1;
    for (uint32_t e = 0; e < c->s.exprs.len; e++) {
        const sam_expr_data *x = &c->s.exprs.at[e];
        for (uint32_t i = 0; x->kind == SAM_EXPR_ACCESS && x->tensor.v == t.v && i < data->order; i++)
            dim[i] = extent_of(c, x->index[i]);
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

/* As the host gives them: empty ones hold an explicit zero. */
static sam_tensor_levels *operands_of(const chain *c) {
    sam_tensor_levels *levels = arena_new_n(c->mem, sam_tensor_levels, c->s.tensors.len);
    for (uint32_t t = 2; t <= c->s.tensors.len; t++) {
        const sam_tensor_data *data = sam_tensor_at(&c->s, (sam_tensor){t});
        uint32_t dim[SAM_MAX_ORDER] = {0};
        note_entries entries;
        if (data->ones) {
            entries = ones(c, (sam_tensor){t}, dim);
        } else {
            entries = view_of(c, data);
            stored_dimensions(c, data, dim);
        }
        note_fill_empty(&entries, c->mem);
        levels[t - 2] = note_pack(&entries, data->order, data->level, data->mode, dim, c->mem);
        levels[t - 2].name = data->name;
    }
    return levels;
}

/* ---- the result ------------------------------------------------------------------------------ */

static const char *point_text(const note_tensor *x, const uint32_t *crd, arena *mem) {
    const char *text = x->name;
    for (uint32_t i = 0; i < x->order; i++)
        text = arena_printf(mem, "%s%c%u", text, i ? ',' : '(', crd[i]);
    return x->order ? arena_printf(mem, "%s)", text) : text;
}

/* The user's coordinates of a stored entry of the result; false beyond its dimensions (padding of a split).
 */
static bool user_point(const sam_tensor_data *t, const note_tensor *x, const note_entry *e, uint32_t *crd) {
    for (uint32_t m = 0; m < x->order; m++)
        crd[m] = t->view.source.v ? 0 : e->crd[m];
    for (uint32_t v = 0; v < t->order && t->view.source.v; v++)
        crd[t->view.from[v].mode] += e->crd[v] * (t->view.from[v].divide ? t->view.from[v].divide : 1);
    for (uint32_t m = 0; m < x->order; m++)
        if (crd[m] >= x->dim[m])
            return false;
    return true;
}

/* NULL, or how a result differs from tensor 0 of the note. */
static const char *difference(const chain *c, const sam_tensor_levels *got) {
    const sam_tensor_data *t = sam_tensor_at(&c->s, c->s.result);
    const note_tensor *x = &c->n->tensor[0];
    uint32_t dim[SAM_MAX_ORDER] = {0}, by_level[SAM_MAX_ORDER] = {0};
    bool *seen = arena_new_n(c->mem, bool, x->cells);
    note_entries entries = {0};
    stored_dimensions(c, t, dim);
    for (uint32_t l = 0; l < t->order; l++)
        by_level[l] = dim[t->mode[l]];
    for (uint32_t l = 0; l < t->order; l++)
        if (got->level[l].format != t->level[l])
            return "a level of another format";
    const char *fault = note_unpack(got, t->mode, by_level, c->mem, &entries);
    if (fault)
        return fault;
    for (uint32_t i = 0; i < entries.len; i++) {
        uint32_t crd[SAM_MAX_ORDER], cell = 0;
        if (!user_point(t, x, &entries.at[i], crd))
            continue;
        for (uint32_t m = 0; m < x->order; m++)
            cell = cell * x->dim[m] + crd[m];
        if (seen[cell])
            return arena_printf(c->mem, "%s is stored twice", point_text(x, crd, c->mem));
        seen[cell] = true;
        if ((int16_t)entries.at[i].value != x->value[cell])
            return arena_printf(c->mem, "%s is %d, expected %d", point_text(x, crd, c->mem),
                                (int16_t)entries.at[i].value, x->value[cell]);
    }
    for (uint32_t cell = 0; cell < x->cells; cell++) {
        uint32_t crd[SAM_MAX_ORDER] = {0}, rest = cell;
        for (uint32_t m = x->order; m-- > 0;) {
            crd[m] = rest % x->dim[m];
            rest /= x->dim[m];
        }
        if (!seen[cell] && x->value[cell])
            return arena_printf(c->mem, "%s is not stored, expected %d", point_text(x, crd, c->mem),
                                x->value[cell]);
    }
    return NULL;
}

/* NULL, or what is wrong with what a graph computes. */
static const char *simulate(chain *c, const sam_graph *g, const sam_tensor_levels *operands,
                            const char *which) {
    sam_sim_result result;
    if (!sam_check(g, &c->diag))
        return arena_printf(c->mem, "the %s graph is illegal: %s", which, printed(c));
    if (!sam_simulate(g, operands, c->s.tensors.len - 1, NULL, c->mem, &c->diag, &result))
        return arena_printf(c->mem, "the %s graph does not run: %s", which, printed(c));
    const char *fault = difference(c, &result.result);
    return fault ? arena_printf(c->mem, "the %s graph: %s", which, fault) : NULL;
}

typedef struct {
    const char *name, *binary; /* of its graph, and of that with binary joiners */
    fe_lower_options options;
} variant;

static const variant variants[] = {
    {"dropping", "dropping binary", {.drop = true, .exact_stops = true}},
    {"plain", "plain binary", {.drop = false, .exact_stops = true}},
    {"chip's", "chip's binary", {.drop = true, .exact_stops = false}},
};

static chain_outcome run_variant(chain *c, const variant *v) {
    sam_graph g, binary;
    const sam_tensor_levels *operands = operands_of(c);
    if (!fe_lower(&c->s, &v->options, c->mem, &c->diag, &g))
        return refusal(c);
    const char *fault = simulate(c, &g, operands, v->name);
    if (!fault && !sam_to_binary_joiners(&g, c->mem, &c->diag, &binary))
        fault = printed(c);
    if (!fault)
        fault = simulate(c, &binary, operands, v->binary);
    return fault ? wrong(fault) : (chain_outcome){.verdict = CHAIN_RIGHT};
}

chain_outcome chain_run(note *n, arena *mem) {
    chain c = {.n = n, .mem = mem};
    sam_statement user, packed;
    names_init(&c.names, mem);
    diag_init(&c.diag, mem);
    if (!parse(&c, &user))
        return refusal(&c);
    if (!fe_check(&user, &c.diag))
        return wrong(arena_printf(mem, "the statement is malformed: %s", printed(&c)));
    if (!fe_pack(&user, mem, &c.diag, &packed))
        return refusal(&c);
    if (!fe_check_packed(&packed, &c.diag))
        return wrong(arena_printf(mem, "the packed statement is malformed: %s", printed(&c)));
    if (!fe_fill(&packed, mem, &c.diag, &c.s))
        return refusal(&c);
    if (!fe_check_packed(&c.s, &c.diag))
        return wrong(arena_printf(mem, "the filled statement is malformed: %s", printed(&c)));
    note_evaluate(n);
    for (size_t k = 0; k < sizeof variants / sizeof *variants; k++) {
        chain_outcome out = run_variant(&c, &variants[k]);
        if (out.verdict == CHAIN_WRONG || (out.verdict == CHAIN_REFUSED && variants[k].options.exact_stops))
            return out;
        c.diag.list.len = c.diag.errors = c.diag.unmappable =
            0; /* what plain streams cannot carry is no refusal */
    }
    return (chain_outcome){.verdict = CHAIN_RIGHT};
}
