/* windows.c - index modifiers: i(lo:hi:st), i + n, 2*i + j and permit(i) in place of an index, coalesce(...)
 * of such accesses, and protocols, i::walk. The host cuts the window out of the user's tensor as a separate
 * operand. */
#include "frontend/language/windows.h"
#include "frontend/language/settings.h"
#include "frontend/language/statement.h"
#include "sam/operators.h"

/* Reads a number if present. Returns false without a number, or with a number that is no coordinate. */
static bool take_number(fe_reader *in, uint32_t *out) {
    uint32_t value = fe_whole_number(&in->token, UINT32_MAX);
    if (value == UINT32_MAX)
        return false;
    *out = value;
    return fe_advance(in);
}

static bool refuse(src_loc loc, const char *what, diagnostics *d) {
    diag_error(d, loc, "E0156-modifier", "%s", what);
    return diag_hint(
        d,
        "B(i(0:7:2), j) takes coordinates 0, 2, 4 and 6 as 0 to 3; B(i+1, j) has at i what B has at i + 1");
}

/* Reports the expected alternatives, and explains coordinates if the text resembles one. */
static bool expected(fe_reader *in, const char *what, const char *help, diagnostics *d) {
    fe_expected(in, what, d);
    if (fe_at_sign(in, '-') || in->token.kind == FE_NUMBER)
        help = "coordinates count from 0 to at most 2147483646, none from the end; i(9:2:-1) goes down from "
               "9 to 3";
    if (help)
        diag_hint(d, "%s", help);
    return false;
}

/* Sets the coordinates of a slice that begins at `first` and ends before `end`; UINT32_MAX: not said. A slice
 * that runs downwards begins with its largest coordinate. */
static void set_bounds(sam_window *w, uint32_t first, uint32_t end) {
    const uint32_t least = w->down && end != UINT32_MAX ? end + 1 : 0;
    const uint32_t most = first == UINT32_MAX ? first : first + 1;
    w->low = (int32_t)(w->down ? least : first == UINT32_MAX ? 0 : first);
    w->high = w->down ? most : end;
}

/* Reads the text after an opening parenthesis: lo:hi:st), each possibly missing. */
static bool parse_slice(fe_reader *in, src_loc loc, sam_window *w, diagnostics *d) {
    uint32_t first = UINT32_MAX, end = UINT32_MAX;
    *w = (sam_window){.stride = 1};
    take_number(in, &first);
    if (!fe_take_sign(in, ':'))
        return expected(in, "':' and the end of the slice",
                        "behind an index, parentheses hold a slice, as i(0:7:2); functions are those of "
                        "docs/operators.md, and those of files: onyx functions lists what ships",
                        d);
    take_number(in, &end);
    if (fe_take_sign(in, ':')) {
        w->down = fe_take_sign(in, '-');
        if (!take_number(in, &w->stride) && w->down)
            return expected(in, "a whole number", NULL, d);
    }
    if (!fe_take_sign(in, ')'))
        return expected(in, "')'", NULL, d);
    if (w->stride == 0)
        return refuse(loc, "the slice has no stride", d);
    set_bounds(w, first, end);
    if (w->high <= (uint32_t)w->low) {
        diag_warning(d, loc, "E0176-empty-slice", "the slice has no coordinate");
        diag_hint(d, w->down ? "it begins with its first number, and goes down: i(3:2:-1) is coordinate 3"
                             : "it ends before its second number: i(3:4) is coordinate 3");
    }
    return true;
}

/* Reads a slice or a shift, if present. */
static bool parse_range(fe_reader *in, sam_window *w, diagnostics *d) {
    src_loc loc = in->token.loc;
    uint32_t distance;
    *w = (sam_window){.stride = 0};
    if (fe_take_sign(in, '('))
        return parse_slice(in, loc, w, d);
    bool plus = fe_at_sign(in, '+');
    if (!plus && !fe_at_sign(in, '-'))
        return true;
    fe_advance(in);
    if (!take_number(in, &distance))
        return expected(in, "a whole number", NULL, d);
    w->low = plus ? (int32_t)distance : -(int32_t)distance;
    return true;
}

static const char *const protocols[] = {
    [SAM_WALK] = "walk", [SAM_FOLLOW] = "follow", [SAM_GALLOP] = "gallop", [SAM_LEAD] = "lead"};

bool fe_parse_window(fe_reader *in, sam_window *w, uint8_t *protocol, diagnostics *d) {
    *protocol = SAM_BEST;
    if (!parse_range(in, w, d))
        return false;
    if (!fe_at_sign(in, ':') || fe_peek(in) != ':')
        return true;
    fe_advance(in);
    fe_advance(in);
    for (uint8_t p = SAM_WALK; p <= SAM_LEAD; p++) {
        if (fe_is_word(&in->token, protocols[p])) {
            fe_advance(in);
            *protocol = p;
            return true;
        }
    }
    return fe_expected(in, "walk, follow, gallop or lead", d);
}

/* Stores an operand dense along its outermost level, if an access follows this index and no format is set:
 * for this access alone, if the tensor has others. */
static void store_followed(const fe_in *in, sam_statement *s, sam_expr_data *x) {
    sam_tensor_data *t = sam_tensor_at(s, x->tensor);
    const char *name = names_text(s->names, t->called.v ? t->called : t->name);
    if (!t->order || x->protocol[t->mode[0]] != SAM_FOLLOW || t->structure || t->fill ||
        fe_has_format(in, name))
        return;
    if (sam_count_reads(s, x->tensor, s->exprs.len) > 1)
        x->outer_dense = true;
    else
        t->level[0] = SAM_LEVEL_DENSE;
}

/* Takes note of an access's levels that the scanners of engine sam read by another kind. */
static void set_scans(const fe_in *in, const sam_statement *s, sam_expr_data *x) {
    const sam_tensor_data *t = sam_tensor_at(s, x->tensor);
    const char *name = names_text(s->names, t->called.v ? t->called : t->name);
    for (uint32_t i = 0; in->scans && !t->structure && i < in->n_formats; i++) {
        const bool its =
            strncmp(in->formats[i], name, strlen(name)) == 0 && in->formats[i][strlen(name)] == ':';
        for (uint32_t l = 0; its && l < t->order; l++) {
            const uint64_t loop = fe_bit(x->index[t->mode[l]]);
            const fe_scans *level = &in->scans[i];
            x->scans.bits |= level->bits >> l & 1 ? loop : 0;
            x->scans.tables |= level->tables >> l & 1 ? loop : 0;
            x->scans.spans |= level->spans >> l & 1 ? loop : 0;
            x->scans.blocks |= level->blocks >> l & 1 ? loop : 0;
            x->scans.runs |= level->runs >> l & 1 ? loop : 0;
            x->scans.singles |= level->singles >> l & 1 ? loop : 0;
        }
    }
}

void fe_set_protocols(const fe_in *in, sam_statement *s, diagnostics *d) {
    for (uint32_t e = 1; e <= s->exprs.len; e++) {
        sam_expr_data *x = sam_expr_at(s, (sam_expr){e});
        if (x->kind != SAM_EXPR_ACCESS)
            continue;
        store_followed(in, s, x);
        set_scans(in, s, x);
    }
    for (uint32_t e = 1; e <= s->exprs.len; e++) {
        sam_expr_data *x = sam_expr_at(s, (sam_expr){e});
        const sam_tensor_data *t = x->kind == SAM_EXPR_ACCESS ? sam_tensor_at(s, x->tensor) : NULL;
        for (uint32_t m = 0; t && m < t->order; m++) {
            bool follows = x->protocol[m] == SAM_FOLLOW && t->mode[0] == m &&
                           (t->level[0] == SAM_LEVEL_DENSE || x->outer_dense);
            if (x->protocol[m] == SAM_BEST || follows)
                continue;
            const bool leaps = x->protocol[m] == SAM_GALLOP && in->leaps;
            x->scanned |= fe_bit(x->index[m]);
            x->leapt |= leaps ? fe_bit(x->index[m]) : 0;
            if (x->protocol[m] == SAM_WALK || leaps)
                continue;
            diag_warning(d, x->loc, "E0157-walked", "the chip does not %s here: it walks the level of '%s'",
                         protocols[x->protocol[m]], fe_var_text(s, x->index[m]));
            diag_hint(d, "it follows where the level is outermost and dense, and others have the loop: "
                         "c(j::follow) with "
                         "-f c:d");
        }
    }
}

static bool permits(const sam_tensor_data *t) {
    bool any = false;
    for (uint32_t m = 0; m < t->order; m++)
        any = any || t->window[m].permits;
    return any;
}

sam_tensor fe_window_of(sam_statement *s, sam_tensor of, const sam_window *w, uint32_t order) {
    sam_tensor_data data = *sam_tensor_at(s, of);
    data.called = data.name;
    data.windowed = true;
    data.order = order;
    memcpy(data.window, w, sizeof data.window);
    for (uint32_t t = 1; t <= s->tensors.len && !permits(&data); t++) {
        const sam_tensor_data *known = sam_tensor_at(s, (sam_tensor){t});
        if (known->windowed && !known->border.spare && name_eq(known->called, data.called) &&
            memcmp(known->window, data.window, sizeof data.window) == 0)
            return (sam_tensor){t};
    }
    data.name = fe_fresh_name(s, arena_printf(s->mem, "%sPart", names_text(s->names, data.called)), s->mem);
    vec_push(s->mem, &s->tensors, data);
    return (sam_tensor){s->tensors.len};
}

/* ---- what holds outside ---------------------------------------------------------------------- */

bool fe_at_factor(const fe_reader *in) {
    fe_reader ahead = *in;
    return fe_whole_number(&ahead.token, UINT32_MAX) != UINT32_MAX && fe_peek(in) == '*';
}

enum { TIMES_MOST = 1 << 16 };

bool fe_take_factor(fe_reader *in, uint32_t *times, diagnostics *d) {
    const src_loc loc = in->token.loc;
    *times = 1;
    if (!fe_at_factor(in))
        return true;
    take_number(in, times);
    fe_advance(in);
    return (*times && *times <= TIMES_MOST) ||
           diag_error(d, loc, "E0156-modifier", "an index is taken 1 to %d times", TIMES_MOST);
}

bool fe_at_permit(const fe_reader *in) {
    fe_reader ahead = *in;
    if (!fe_is_word(&in->token, "permit") || fe_peek(in) != '(')
        return false;
    fe_advance(&ahead);
    fe_advance(&ahead);
    const char next = fe_peek(&ahead);
    return ahead.token.kind == FE_NAME || fe_at_factor(&ahead) || fe_at_sign(&ahead, '-') ||
           (ahead.token.kind == FE_NUMBER && (next == '-' || next == '+'));
}

bool fe_check_index(src_loc loc, const fe_base *base, sam_window *w, const sam_var *index, uint32_t addends,
                    diagnostics *d) {
    const char *what = NULL;
    const int64_t low = (int64_t)w->low + base->number;
    w->down = w->down || base->down;
    if (low > INT32_MAX)
        what = "the numbers of an index are too large";
    else if (w->stride && (addends > 1 || w->permits || w->times || base->said))
        what = addends > 1              ? "a sum of indices has no slice"
               : w->times || base->said ? "a multiple of an index has no slice"
                                        : "an index that may be outside has no slice";
    w->low = what ? 0 : (int32_t)low;
    for (uint32_t a = 0; a < addends; a++) {
        for (uint32_t b = 0; b < a; b++)
            what = index[a].v == index[b].v ? "a sum of indices has each of them once" : what;
    }
    if (!what)
        return true;
    diag_error(d, loc, "E0156-modifier", "%s", what);
    return diag_hint(d,
                     "x(i+j-1) has at i and j what x has at i + j - 1, and x(2*i) at i what it has at 2 i; "
                     "permit(i+1) may be outside of the tensor");
}

bool fe_check_missing(const sam_statement *s, const sam_expr_data *access, diagnostics *d) {
    const sam_tensor_data *t = sam_tensor_at(s, access->tensor);
    if (!permits(t))
        return true;
    diag_error(d, access->loc, "E0162-missing", "nothing says what holds outside of %s",
               names_text(s->names, t->called));
    return diag_hint(d, "say it around the access, with nothing between: coalesce(B(permit(i+1), j), 0)");
}

static bool refuse_argument(src_loc loc, const char *what, diagnostics *d) {
    diag_error(d, loc, "E0162-missing", "%s", what);
    return diag_hint(
        d, "coalesce has accesses with the same indices, the first with permit, and then a number or an "
           "access: coalesce(A(permit(i)), B(permit(i-4)), 0)");
}

bool fe_begin_coalesce(sam_statement *s, const sam_expr_data *first, diagnostics *d) {
    if (first->kind == SAM_EXPR_LITERAL || !permits(sam_tensor_at(s, first->tensor)))
        return refuse_argument(first->loc, "nothing is missing here: the first argument has no permit", d);
    sam_tensor_at(s, first->tensor)->loc = first->loc;
    return true;
}

bool fe_add_beyond(sam_statement *s, const sam_expr_data *first, sam_tensor *last, const sam_expr_data *next,
                   diagnostics *d) {
    if (sam_tensor_at(s, *last)->border.bounded || !permits(sam_tensor_at(s, *last)))
        return refuse_argument(next->loc, "nothing is missing before this argument", d);
    if (next->kind == SAM_EXPR_LITERAL) {
        sam_tensor_at(s, first->tensor)->border.bounded = sam_tensor_at(s, *last)->border.bounded = true;
        sam_tensor_at(s, first->tensor)->border.outside =
            next->literal == 0 ? 0 : sam_literal_word(next->literal, !s->integers);
        return true;
    }
    sam_tensor_data rest = *sam_tensor_at(s, next->tensor);
    if (rest.order != sam_tensor_at(s, first->tensor)->order ||
        memcmp(next->index, first->index, sizeof *next->index * rest.order) != 0)
        return refuse_argument(next->loc, "this argument has other indices than the first", d);
    rest.called = rest.windowed ? rest.called : rest.name;
    rest.windowed = rest.border.spare = true;
    rest.loc = next->loc;
    rest.name = fe_fresh_name(s, arena_printf(s->mem, "%sRest", names_text(s->names, rest.called)), s->mem);
    vec_push(s->mem, &s->tensors, rest);
    sam_tensor_at(s, *last)->border.beyond = rest.name;
    last->v = s->tensors.len;
    return true;
}

bool fe_check_fills(const sam_statement *s, diagnostics *d) {
    for (uint32_t t = 1; t <= s->tensors.len; t++) {
        const sam_tensor_data *operand = sam_tensor_at(s, (sam_tensor){t});
        const sam_tensor_data *next =
            operand->border.beyond.v ? sam_tensor_at(s, fe_find_tensor(s, operand->border.beyond)) : NULL;
        if (!next || next->fill == operand->fill)
            continue;
        return diag_error(d, next->loc, "E0153-fill",
                          "%s has another fill than %s, whose place it takes outside",
                          names_text(s->names, next->called), names_text(s->names, operand->called));
    }
    return true;
}

void fe_keep_spare(const sam_statement *from, sam_statement *s) {
    for (uint32_t t = 0; t < from->tensors.len; t++) {
        if (from->tensors.at[t].border.spare)
            vec_push(s->mem, &s->tensors, from->tensors.at[t]);
    }
}
