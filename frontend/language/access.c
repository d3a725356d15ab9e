/* Accesses of tensors: their indices, and what stands behind these. */
#include "frontend/language/access.h"
#include "frontend/language/statement.h"
#include "frontend/language/windows.h"
#include "frontend/language/words.h"

const sam_expr fe_no_expr = {0};

src_loc fe_span(src_loc first, src_loc last) {
    return src_at(first.source, first.offset, last.offset + last.length - first.offset);
}

sam_expr fe_push_expr(fe_parser *p, sam_expr_data data) {
    if (p->s->exprs.len == FE_MAX_EXPRS) {
        diag_error(p->d, data.loc, "E0118-too-large", "the expression has more than %d parts", FE_MAX_EXPRS);
        return fe_no_expr;
    }
    return fe_add_expr(p->s, data);
}

sam_expr fe_add_binary(fe_parser *p, sam_expr_kind kind, sam_expr a, sam_expr b) {
    src_loc loc = fe_span(sam_expr_at(p->s, a)->loc, sam_expr_at(p->s, b)->loc);
    return fe_push_expr(p, (sam_expr_data){.kind = kind, .loc = loc, .a = a, .b = b});
}

sam_var fe_use_var(sam_statement *s, const fe_token *t, diagnostics *d) {
    name_id name = names_intern_n(s->names, t->at, t->length);
    sam_var v = fe_find_var(s, name);
    if (v.v)
        return v;
    if (s->vars.len == 64) {
        diag_error(d, t->loc, "E0118-too-large", "more than 64 index variables");
        return (sam_var){0};
    }
    vec_push(s->mem, &s->vars, (sam_var_data){.name = name, .loc = t->loc});
    return (sam_var){s->vars.len};
}

/* Reads one variable of an index list; `at` collects them. */
static bool parse_index(fe_parser *p, sam_expr_data *access, uint32_t *order) {
    if (p->in.token.kind != FE_NAME) {
        fe_expected(&p->in, "an index variable", p->d);
        if (fe_at_sign(&p->in, '-'))
            diag_hint(p->d, "a number here is a coordinate: they count from 0, none from the end");
        return false;
    }
    if (*order == SAM_MAX_ORDER)
        return diag_error(p->d, p->in.token.loc, "E0118-too-large", "more than %d indices", SAM_MAX_ORDER);
    sam_var v = fe_use_var(p->s, &p->in.token, p->d);
    if (!v.v)
        return false;
    access->index[(*order)++] = v;
    return fe_advance(&p->in);
}

/* Reads + or -, an index and its factor, if present: index m is a sum. */
static bool parse_addend(fe_parser *p, sam_expr_data *access, uint32_t *order, bool *more) {
    fe_reader ahead = p->in;
    uint32_t times;
    *more = false;
    if (!fe_at_sign(&ahead, '+') && !fe_at_sign(&ahead, '-'))
        return true;
    const bool minus = fe_at_sign(&ahead, '-');
    fe_advance(&ahead);
    if (!fe_at_factor(&ahead) && ahead.token.kind != FE_NAME)
        return true;
    p->in = ahead;
    if (!fe_take_factor(&p->in, &times, p->d) || !parse_index(p, access, order))
        return false;
    p->window[*order - 1].times_others = minus ? -(int32_t)times : (int32_t)times;
    p->addends++;
    *more = true;
    return true;
}

/* Reads an index and all its addends. */
static bool parse_added(fe_parser *p, sam_expr_data *access, uint32_t *order) {
    const uint32_t m = *order;
    uint32_t times;
    bool more = true;
    if (!fe_take_factor(&p->in, &times, p->d) || !parse_index(p, access, order))
        return false;
    p->window[m].times = times;
    while (more) {
        if (!parse_addend(p, access, order, &more))
            return false;
    }
    return true;
}

/* A number in place of an index: a slice of one coordinate along a new variable, over which the access is
 * summed. */
static bool parse_coordinate(fe_parser *p, sam_expr_data *access, uint32_t *order) {
    const src_loc loc = p->in.token.loc;
    const uint32_t at = fe_whole_number(&p->in.token, INT32_MAX), m = *order;
    const char *name = arena_printf(p->s->mem, "at%u", at);
    for (uint32_t n = 1; strstr(p->in.text, name) || fe_find_var(p->s, names_intern(p->s->names, name)).v;
         n++)
        name = arena_printf(p->s->mem, "at%ux%u", at, n);
    const fe_token variable = {.kind = FE_NAME, .loc = loc, .at = name, .length = strlen(name)};
    sam_var v = *order == SAM_MAX_ORDER ? (sam_var){0} : fe_use_var(p->s, &variable, p->d);
    if (!v.v)
        return parse_index(p, access, order);
    access->index[(*order)++] = v;
    p->window[m] = (sam_window){.low = (int32_t)at, .high = at + 1, .stride = 1};
    p->windowed = p->modified = true;
    return fe_advance(&p->in);
}

/* Reads the text before an index, if present: 9 - i, -i. */
static fe_base take_base(fe_reader *in) {
    fe_reader ahead = *in;
    const uint32_t number = fe_whole_number(&in->token, UINT32_MAX);
    const bool says = number != UINT32_MAX && !fe_at_factor(in);
    if (says)
        fe_advance(&ahead);
    const bool minus = fe_at_sign(&ahead, '-');
    if (!minus && !(says && fe_at_sign(&ahead, '+')))
        return (fe_base){0};
    fe_advance(&ahead);
    if (ahead.token.kind != FE_NAME && !fe_at_factor(&ahead))
        return (fe_base){0};
    *in = ahead;
    return (fe_base){.said = true, .down = minus, .number = says ? (int32_t)number : 0};
}

/* An index between parentheses, with its modifiers. */
static bool parse_modified_index(fe_parser *p, sam_expr_data *access, uint32_t *order) {
    const src_loc loc = p->in.token.loc;
    const uint32_t m = *order;
    sam_window window;
    const bool permits = fe_at_permit(&p->in);
    if (permits) {
        fe_advance(&p->in);
        fe_advance(&p->in);
    }
    const fe_base base = take_base(&p->in);
    if (!base.said && !permits && fe_whole_number(&p->in.token, INT32_MAX) != INT32_MAX &&
        !fe_at_factor(&p->in))
        return parse_coordinate(p, access, order);
    if (!parse_added(p, access, order) || !fe_parse_window(&p->in, &window, &access->protocol[m], p->d))
        return false;
    const src_loc all = fe_span(loc, p->in.token.loc);
    window.permits = permits;
    window.times = p->window[m].times > 1 ? p->window[m].times : 0;
    if (!fe_check_index(all, &base, &window, &access->index[m], *order - m, p->d))
        return false;
    p->window[m] = window;
    if (permits && !fe_take_sign(&p->in, ')'))
        return fe_expected(&p->in, "')'", p->d);
    p->windowed = p->windowed || window.stride || window.low || window.times || window.down || permits ||
                  *order > m + 1;
    p->modified = p->modified || p->windowed || access->protocol[m];
    return true;
}

/* Returns whether a comma stands in any _{...} of the text: names in braces are whole names then. */
static bool has_commas(const fe_reader *in) {
    bool inside = false;
    for (size_t i = 1; i < in->length; i++) {
        inside = (inside || (in->text[i] == '{' && in->text[i - 1] == '_')) && in->text[i] != '}';
        if (inside && in->text[i] == ',')
            return true;
    }
    return false;
}

void fe_cut_letter(fe_reader *in) {
    bool letters = in->token.kind == FE_NAME && in->token.length > 1 && !has_commas(in) && !fe_at_permit(in);
    for (size_t i = 0; letters && i < in->token.length; i++)
        letters = in->token.at[i] > '9';
    if (!letters)
        return;
    in->token.length = 1;
    in->token.loc.length = 1;
    in->pos = (size_t)(in->token.at - in->text) + 1;
}

static bool parse_index_list(fe_parser *p, char close, sam_expr_data *access, uint32_t *order) {
    const bool braces = close == '}';
    bool more = !fe_at_sign(&p->in, close);
    while (more) {
        if (braces)
            fe_cut_letter(&p->in);
        if (!parse_modified_index(p, access, order))
            return false;
        more = fe_take_sign(&p->in, ',') || (braces && p->in.token.kind == FE_NAME);
    }
    if (fe_at_sign(&p->in, close))
        return true;
    fe_expected(&p->in, close == ')' ? "',' or ')'" : "',' or '}'", p->d);
    if (fe_at_sign(&p->in, '('))
        diag_hint(p->d, "a name and parentheses are a tensor and its indices; what computes is + - * / and "
                        "the functions of docs/operators.md");
    return false;
}

/* Reads the indices after the tensor's name; *last becomes the last token of the access. */
static bool parse_indices(fe_parser *p, sam_expr_data *access, uint32_t *order, src_loc *last) {
    if (fe_take_sign(&p->in, '_') && !fe_at_sign(&p->in, '{')) {
        *last = p->in.token.loc;
        if (!parse_index(p, access, order))
            return false;
        if (!fe_at_sign(&p->in, '('))
            return true;
        fe_expected(&p->in, "an operator, '=' or the end", p->d);
        return diag_hint(p->d, "'_' begins an index, as in B_ij or y_i: a name has letters and digits only");
    }
    char close = fe_at_sign(&p->in, '{') ? '}' : ')';
    if (!fe_at_sign(&p->in, '{') && !fe_at_sign(&p->in, '('))
        return true;
    fe_advance(&p->in);
    if (!parse_index_list(p, close, access, order))
        return false;
    *last = p->in.token.loc;
    return fe_advance(&p->in);
}

sam_tensor fe_use_tensor(fe_parser *p, name_id name, src_loc loc, uint32_t order) {
    sam_tensor t = fe_find_tensor(p->s, name);
    if (!t.v) {
        vec_push(p->s->mem, &p->s->tensors, (sam_tensor_data){.name = name, .loc = loc, .order = order});
        return (sam_tensor){p->s->tensors.len};
    }
    const sam_tensor_data *known = sam_tensor_at(p->s, t);
    if (known->order == order)
        return t;
    diag_error(p->d, loc, "E0104-rank", "%s is used with %u %s here, with %u there",
               names_text(p->s->names, name), order, plural(order, "index", "indices"), known->order);
    diag_hint(p->d, "every access of a tensor has the same number of indices");
    diag_note(p->d, known->loc, "the other use of %s", names_text(p->s->names, name));
    return (sam_tensor){0};
}

bool fe_read_access(fe_parser *p, sam_expr_data *access) {
    src_loc first = p->in.token.loc, last = first;
    name_id name = names_intern_n(p->s->names, p->in.token.at, p->in.token.length);
    uint32_t order = 0;
    access->kind = SAM_EXPR_ACCESS;
    p->windowed = p->modified = false;
    p->addends = 0;
    memset(p->window, 0, sizeof p->window);
    fe_advance(&p->in);
    if (!parse_indices(p, access, &order, &last))
        return false;
    access->loc = fe_span(first, last);
    if (order && fe_is_keyword(names_text(p->s->names, name))) {
        diag_error(p->d, access->loc, "E0117-name-clash", "'%s' is a word of the language",
                   names_text(p->s->names, name));
        return diag_hint(p->d, "a tensor with indices needs another name");
    }
    access->tensor = fe_use_tensor(p, name, access->loc, order - p->addends);
    const uint32_t tensors = p->s->tensors.len;
    if (access->tensor.v && p->windowed)
        access->tensor = fe_window_of(p->s, access->tensor, p->window, order);
    if (p->s->tensors.len > tensors && p->windowed)
        sam_tensor_at(p->s, access->tensor)->loc = access->loc;
    return access->tensor.v != 0;
}
