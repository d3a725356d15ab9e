/* program_steps.c - a statement of a program: the result of fe_parse, and its shared tensors. */
#include "frontend/language/check.h"
#include "frontend/language/expression.h"
#include "frontend/language/singles.h"
#include "frontend/language/tables.h"
#include "frontend/schedules/program_names.h"
#include "frontend/schedules/schedule.h"

typedef VEC(const char *) texts;

static bool is_adding(const fe_piece *piece) {
    fe_reader in = fe_read_piece(piece);
    while (in.token.kind != FE_END && !fe_at_sign(&in, '=') && !fe_at_sign(&in, '+'))
        fe_advance(&in);
    return !piece->value && fe_at_sign(&in, '+');
}

/* A scalar is always stored. */
static const char *fill_text(const sam_statement *s) {
    if (!sam_tensor_at(s, s->result)->order)
        return "0";
    return arena_printf(s->mem, "%.9g", sam_word_number(sam_tensor_at(s, s->result)->fill, !s->integers));
}

/* ---- what was given ---------------------------------------------------------------------------- */

bool fe_program_knows(fe_program_reader *r, uint32_t tensor) {
    while (r->known.len < r->out->tensors.len) {
        const fe_shared *t = &r->out->tensors.at[r->known.len];
        vec_push(r->out->mem, &r->known, t->origin != FE_FROM_NOTHING);
    }
    return r->known.at[tensor];
}

void fe_program_assigned(fe_program_reader *r, uint32_t tensor) {
    fe_program_knows(r, tensor);
    r->known.at[tensor] = true;
    r->out->tensors.at[tensor].changes = true;
}

uint32_t fe_step_result(const fe_step *step) {
    return step->use[step->statement.result.v - 1].shared;
}

/* The operands first, in reading order. */
static bool mark(fe_program_reader *r, const fe_step *step, bool adds) {
    const sam_statement *s = &step->statement;
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        uint32_t n = step->use[t].shared;
        if (t + 1 == s->result.v || fe_program_knows(r, n))
            continue;
        fe_shared *one = &r->out->tensors.at[n];
        bool added = adds && !step->use[t].counts && n == fe_step_result(step);
        one->added_first = one->added_first || added;
        one->read_first = one->read_first || !added;
    }
    if (step->kind == FE_STEP_REPEAT)
        return true;
    fe_shared *result = &r->out->tensors.at[fe_step_result(step)];
    if (result->constant) {
        diag_error(r->d, step->loc, "E0170-declaration", "'%s' is a param, which nothing assigns",
                   names_text(r->out->names, result->name));
        return diag_hint(r->d, "declare it as a scalar");
    }
    result->fill = result->fill ? result->fill : fill_text(s);
    fe_program_assigned(r, fe_step_result(step));
    return true;
}

/* ---- statements -------------------------------------------------------------------------------- */

bool fe_program_bind(fe_program *p, diagnostics *d, fe_step *step) {
    const sam_statement *s = &step->statement;
    fe_use *use = arena_new_n(p->mem, fe_use, s->tensors.len + 1);
    step->use = use;
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        const sam_tensor_data *data = &s->tensors.at[t];
        name_id name = data->called.v ? data->called : data->name;
        const char *text = names_text(p->names, name);
        use[t] = (fe_use){.shared = FE_NO_TENSOR, .counts = strncmp(text, "nnz(", 4) == 0};
        if (step->kind == FE_STEP_REPEAT && t + 1 == s->result.v)
            continue;
        if (use[t].counts)
            name = names_intern_n(p->names, text + 4, strlen(text) - 5);
        use[t].shared = fe_program_find(p, name);
        bool counted = use[t].counts;
        if (use[t].shared == p->tensors.len && counted && !p->undeclared)
            return diag_error(d, data->loc, "E0103-unknown-tensor",
                              "the program has no tensor '%s' before this", names_text(p->names, name));
        if (use[t].shared == p->tensors.len)
            fe_program_add(p, name, data->loc, counted ? FE_NO_ORDER : sam_source_order(data));
        fe_shared *known = &p->tensors.at[use[t].shared];
        const uint32_t order = sam_source_order(data);
        if (known->order == FE_NO_ORDER && !counted)
            known->order = order;
        if (counted || known->order == order)
            continue;
        diag_error(d, data->loc, "E0104-rank", "%s is used with %u %s here, with %u there", text, order,
                   plural(order, "index", "indices"), known->order);
        return diag_note(d, known->loc, "the other use of %s", text);
    }
    return true;
}

/* Counts, and expressions of counts, are for the host. */
static bool check_scalars(const fe_step *step, diagnostics *d) {
    const sam_statement *s = &step->statement;
    for (uint32_t t = 0; t < s->tensors.len && s->vars.len; t++) {
        bool condition = step->kind == FE_STEP_REPEAT;
        if (!condition && !step->use[t].counts)
            continue;
        diag_error(d, s->tensors.at[t].loc, "E0173-scalars",
                   condition ? "a condition is of scalars, and this one has indices"
                             : "nnz() stands in statements of scalars");
        return diag_hint(d, "assign it to a scalar first");
    }
    return true;
}

fe_piece fe_program_semiring(const fe_program_reader *r, const fe_piece *piece, fe_in *in) {
    static const char word[] = "semiring";
    fe_piece rest = *piece;
    fe_reader ahead = fe_read_piece(piece);
    while (ahead.token.kind != FE_END && !fe_at_sign(&ahead, '='))
        fe_advance(&ahead);
    for (; ahead.token.kind != FE_END; fe_advance(&ahead)) {
        const size_t end = (size_t)(ahead.token.at - ahead.text), from = end + ahead.token.length;
        if (!fe_is_word(&ahead.token, word) || from >= piece->end || piece->text[from] != ' ')
            continue;
        const fe_piece name = {.text = piece->text, .first = from + 1, .end = piece->end};
        rest.end = end;
        in->semiring = fe_program_trimmed(r, &name);
        in->semiring += strspn(in->semiring, " ");
        in->semiring_at = src_at(piece->source, end, strlen(word));
    }
    return rest;
}

/* Returns how far the indices of a tensor run by what was found before. */
static fe_reach *found_reach(fe_program_reader *r, uint32_t tensor) {
    while (r->reach.len < r->out->tensors.len)
        vec_push(r->out->mem, &r->reach, (fe_reach){.looked = false});
    return &r->reach.at[tensor];
}

/* Finds how far the indices of a tensor run: its declaration, its data or an earlier statement say so. 0:
 * unknown, or one entry alone says so. */
static fe_extents find_reach(fe_program_reader *r, uint32_t tensor) {
    const fe_shared *of = &r->out->tensors.at[tensor];
    fe_reach *reach = found_reach(r, tensor);
    fe_extents data = {0};
    bool inferred = false;
    if (of->sized)
        memcpy(reach->of.dim, of->dim, sizeof of->dim);
    else if (!reach->looked && r->in->extents && r->in->extents(r->in->data, of, data.dim, &inferred))
        reach->of = data;
    for (uint32_t m = 0; m < of->order && inferred; m++)
        reach->of.dim[m] = reach->of.dim[m] == 1 ? 0 : reach->of.dim[m];
    reach->looked = true;
    return reach->of;
}

/* Finds the operands of an assignment that are broadcast, and how far the indices of a new result run. */
static void find_singles(fe_program_reader *r, const fe_step *step, fe_in *in) {
    const sam_statement *s = &step->statement;
    fe_extents *of = arena_new_n(s->mem, fe_extents, s->tensors.len + 1);
    const uint32_t result = fe_step_result(step);
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        const sam_tensor_data *data = &s->tensors.at[t];
        const uint32_t shared = step->use[t].shared;
        if (data->order && !data->structure && !data->called.v &&
            (shared != result || found_reach(r, shared)->looked))
            of[t] = find_reach(r, shared);
    }
    const fe_singles all = fe_find_singles(s, of, step->loc, r->d);
    in->singles = all.at;
    in->n_singles = all.len;
    const sam_tensor_data *data = sam_tensor_at(s, s->result);
    const uint32_t *reach = fe_reach_of_vars(s, of, true);
    uint32_t *dim = found_reach(r, result)->of.dim;
    for (uint32_t m = 0; m < data->order && !data->called.v; m++)
        dim[m] = dim[m] ? dim[m] : reach[s->result_index[m].v - 1];
}

/* Reads the piece once for its tensors, and lists the program's settings of these. */
static bool list_settings(fe_program_reader *r, fe_in *of, const fe_step *step, texts *formats,
                          texts *fills) {
    fe_program *p = r->out;
    const fe_piece *piece = of->piece;
    const fe_in in = {.piece = piece, .functions = r->in->functions, .integers = r->in->integers};
    fe_step first = *step;
    first.statement = (sam_statement){.mem = p->mem, .names = p->names, .integers = r->in->integers};
    if (!fe_parse_expression(&in, r->d, &first.statement) || !fe_program_bind(p, r->d, &first))
        return false;
    if (step->kind == FE_STEP_ASSIGN)
        find_singles(r, &first, of);
    for (uint32_t t = 0; t < first.statement.tensors.len; t++) {
        const sam_tensor_data *data = &first.statement.tensors.at[t];
        if (!data->order || data->structure || data->called.v)
            continue;
        const fe_shared *one = &p->tensors.at[first.use[t].shared];
        const char *name = names_text(p->names, one->name);
        if (*one->region && t + 1 == first.statement.result.v) {
            diag_error(r->d, one->region_loc, "E0178-region",
                       "a region is that of an operand, and %s is the result of a statement", name);
            return diag_note(r->d, src_at(piece->source, (uint32_t)piece->first, 1), "this one");
        }
        vec_push(p->mem, formats, arena_printf(p->mem, "%s:%s%s", name, one->format, one->region));
        /* A semiring changes no fill of a tensor that other statements have, too. */
        const char *zero = of->semiring && t + 1 != first.statement.result.v ? "0" : NULL;
        const char *fill = one->fill ? one->fill : zero;
        if (fill)
            vec_push(p->mem, fills, arena_printf(p->mem, "%s:%s", name, fill));
    }
    return true;
}

/* Regions were said where tensors are declared, not in this statement's formats. */
static bool locate_regions(const fe_program *p, fe_step *step) {
    for (uint32_t t = 0; t < step->statement.tensors.len; t++) {
        sam_tensor_data *data = &step->statement.tensors.at[t];
        if (data->region)
            data->region_loc = p->tensors.at[step->use[t].shared].region_loc;
    }
    return true;
}

/* Names of indices are separate: an index with the name of a param or a scalar is not the number. */
static bool warn_of_indices(const fe_program *p, const fe_step *step, diagnostics *d) {
    for (uint32_t v = 0; v < step->statement.vars.len; v++) {
        const sam_var_data *var = &step->statement.vars.at[v];
        const uint32_t param = fe_program_find(p, var->name);
        const fe_shared *named = param < p->tensors.len ? &p->tensors.at[param] : NULL;
        if (!named || !(named->constant || named->order == 0))
            continue;
        const char *what = named->constant ? "param" : "scalar";
        diag_warning(d, var->loc, "E0180-index-name",
                     "'%s' is an index of this statement, and not the %s of that name",
                     names_text(p->names, var->name), what);
        diag_hint(d, "a %s stands for a value, and not for a coordinate: call the index otherwise", what);
    }
    return true;
}

/* Refuses a statement whose result is a gathered vector: a table holds earlier values. */
static bool refuse_gathered(const fe_program_reader *r, const fe_step *step) {
    const sam_statement *s = &step->statement;
    const sam_tensor_data *result = sam_tensor_at(s, s->result);
    const fe_user_function *f =
        fe_function_named(r->in->functions, names_text(s->names, sam_user_name(result)));
    if (!f || !fe_is_gather(f))
        return false;
    diag_error(r->d, result->loc, "E0182-gather", "%s is gathered from, and a statement writes it", f->name);
    diag_hint(r->d, "a vector that is gathered from is an operand of the program, which stays as it is");
    return true;
}

bool fe_program_statement(fe_program_reader *r, const fe_piece *piece, fe_step *step) {
    fe_program *p = r->out;
    texts formats = {0}, fills = {0};
    fe_in in = {.functions = r->in->functions,
                .scales = r->in->scales,
                .scaled = r->in->scaled,
                .integers = r->in->integers};
    const fe_piece plain = fe_program_semiring(r, piece, &in);
    in.piece = &plain;
    if (!list_settings(r, &in, step, &formats, &fills))
        return false;
    in.formats = formats.at;
    in.n_formats = formats.len;
    in.fills = fills.at;
    in.n_fills = fills.len;
    step->text = fe_program_trimmed(r, piece);
    return fe_parse(&in, p->names, p->mem, r->d, &step->statement) && !refuse_gathered(r, step) &&
           fe_check(&step->statement, r->d) && fe_program_bind(p, r->d, step) &&
           warn_of_indices(p, step, r->d) && locate_regions(p, step) && check_scalars(step, r->d) &&
           mark(r, step, is_adding(piece)) && fe_schedule(&in, &step->statement, p->mem, r->d, &step->cin);
}

bool fe_program_add_value(fe_program_reader *r, const char *what, src_loc loc, const char *text,
                          fe_steps *steps, const char **name) {
    *name = fe_program_new_name(r, what, loc);
    return fe_program_assign_value(r, *name, loc, text, steps);
}

bool fe_program_assign_value(fe_program_reader *r, const char *name, src_loc loc, const char *text,
                             fe_steps *steps) {
    const fe_piece piece = {.source = diag_add_rewritten(r->d, "a value before the statement", text, loc),
                            .text = text,
                            .end = strlen(text),
                            .value = true,
                            .as = name};
    fe_step step = {.loc = loc, .hidden = true};
    if (!fe_program_statement(r, &piece, &step))
        return false;
    step.text = arena_printf(r->out->mem, "%s = %s", name, text);
    vec_push(r->out->mem, steps, step);
    return true;
}
