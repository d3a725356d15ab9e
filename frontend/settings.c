/* settings.c - the format language ("B:ss:1,0"), as in taco, and the loop order that needs no schedule. */
#include "frontend/fe_int.h"

/* ---- formats --------------------------------------------------------------------------------- */

static const char *tensor_list(const sam_statement *s) {
    const char *list = "";
    for (uint32_t t = 1; t <= s->tensors.len; t++)
        list = arena_printf(s->mem, "%s%s%s", list, t > 1 ? ", " : "", fe_tensor_text(s, (sam_tensor){t}));
    return list;
}

static sam_level_format level_of_letter(char letter) {
    if (letter == 'd')
        return SAM_LEVEL_DENSE;
    return letter == 's' ? SAM_LEVEL_COMPRESSED : SAM_LEVEL_NONE;
}

/* The level letters; nothing at all for a scalar. */
static bool parse_levels(fe_reader *r, const sam_statement *s, sam_tensor_data *t, diagnostics *d) {
    fe_token word = r->token;
    size_t n = word.kind == FE_NAME ? word.length : 0;
    if (n != t->order) {
        diag_error(d, word.loc, "E0110-format", "%s has %u %s, but the format has %zu",
                   names_text(s->names, t->name), t->order, t->order == 1 ? "level" : "levels", n);
        diag_hint(d, "one letter for each index, outermost level first: d (dense) or s (compressed)");
        return false;
    }
    for (uint32_t l = 0; l < t->order; l++) {
        t->level[l] = level_of_letter(word.at[l]);
        if (t->level[l] == SAM_LEVEL_NONE) {
            diag_error(d, src_at(word.loc.source, word.loc.offset + l, 1), "E0111-level-format",
                       "level format '%c' is not supported", word.at[l]);
            diag_hint(d, "use d (dense) or s (compressed)");
            return false;
        }
    }
    if (n)
        fe_advance(r);
    return true;
}

/* A mode number below the tensor's order that was not used yet. */
static bool parse_mode(fe_reader *r, sam_tensor_data *t, uint32_t l, uint32_t *used, diagnostics *d) {
    const fe_token *number = &r->token;
    uint32_t mode = number->length == 1 ? (uint32_t)(number->at[0] - '0') : SAM_MAX_ORDER;
    if (number->kind != FE_NUMBER || mode >= t->order || (*used >> mode & 1)) {
        diag_error(d, number->loc, "E0110-format", "the mode order is not a permutation of 0 to %u",
                   t->order - 1);
        diag_hint(d, "the mode order names, for each level from the outermost, the index it stores: 1,0 is "
                     "column-major");
        return false;
    }
    *used |= 1u << mode;
    t->mode[l] = (uint8_t)mode;
    fe_advance(r);
    return true;
}

static bool parse_modes(fe_reader *r, sam_tensor_data *t, diagnostics *d) {
    uint32_t used = 0;
    for (uint32_t l = 0; l < t->order; l++) {
        if (l > 0 && !fe_take_sign(r, ',')) {
            fe_expected(r, "',' and the next mode", d);
            return false;
        }
        if (!parse_mode(r, t, l, &used, d))
            return false;
    }
    return true;
}

static bool find_format_tensor(const fe_reader *r, const sam_statement *s, diagnostics *d, sam_tensor *out) {
    if (r->token.kind != FE_NAME) {
        fe_expected(r, "a format such as B:ss:1,0", d);
        return false;
    }
    *out = fe_find_tensor(s, names_intern_n(s->names, r->token.at, r->token.length));
    if (out->v)
        return true;
    diag_error(d, r->token.loc, "E0103-unknown-tensor", "the expression has no tensor '%.*s'",
               (int)r->token.length, r->token.at);
    diag_hint(d, "its tensors are %s", tensor_list(s));
    return false;
}

static bool parse_format(const char *text, diagnostics *d, sam_statement *s, src_loc *seen) {
    fe_reader r = fe_read("<format>", text, d);
    sam_tensor t;
    if (!find_format_tensor(&r, s, d, &t))
        return false;
    if (seen[t.v].source) {
        diag_error(d, r.token.loc, "E0110-format", "a second format for %s", fe_tensor_text(s, t));
        diag_note(d, seen[t.v], "the first one");
        return false;
    }
    seen[t.v] = r.token.loc;
    fe_advance(&r);
    if (!fe_take_sign(&r, ':')) {
        fe_expected(&r, "':' and the level formats", d);
        return false;
    }
    sam_tensor_data *data = sam_tensor_at(s, t);
    if (!parse_levels(&r, s, data, d) || (fe_take_sign(&r, ':') && !parse_modes(&r, data, d)))
        return false;
    if (r.token.kind != FE_END) {
        fe_expected(&r, "the end of the format", d);
        return false;
    }
    return true;
}

bool fe_parse_formats(const fe_in *in, diagnostics *d, sam_statement *s) {
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        for (uint32_t l = 0; l < s->tensors.at[t].order; l++) {
            s->tensors.at[t].level[l] = SAM_LEVEL_COMPRESSED;
            s->tensors.at[t].mode[l] = (uint8_t)l;
        }
    }
    src_loc *seen = arena_new_n(s->mem, src_loc, s->tensors.len + 1);
    bool ok = true;
    for (uint32_t i = 0; i < in->n_formats; i++)
        ok = parse_format(in->formats[i], d, s, seen) && ok;
    return ok;
}

/* ---- the default loop order ------------------------------------------------------------------ */

static void push_new_loops(sam_statement *s, const fe_scope *scope) {
    for (uint32_t i = 0; i < scope->vars.len; i++) {
        if (fe_loop_position(s, scope->vars.at[i]) == s->loops.len)
            vec_push(s->mem, &s->loops, scope->vars.at[i]);
    }
    fe_exprs inner = {0};
    fe_inner_sums(s, scope->body, s->mem, &inner);
    for (uint32_t i = 0; i < inner.len; i++) {
        fe_scope sum = fe_sum_scope(s, inner.at[i], s->mem);
        push_new_loops(s, &sum);
    }
}

void fe_default_loops(sam_statement *s) {
    const sam_tensor_data *result = sam_tensor_at(s, s->result);
    for (uint32_t l = 0; l < result->order; l++)
        vec_push(s->mem, &s->loops, s->result_index[result->mode[l]]);
    fe_scope outer = fe_outer_scope(s, s->mem);
    push_new_loops(s, &outer);
}
