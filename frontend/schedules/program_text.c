/* program_text.c - the declarations of a program file.
 *
 *   declaration := "tensor" name ["(" extents ")"] [":" format] ["fill" value] ["=" source]
 *                | "scalar" name ["=" value] | "param" name "=" value
 *   format      := levels [":" modes] ["@" region]
 *   source      := string ["ones" | "ramp"] | "random" string | "all" value | "index" | "eye" | "tril" |
 * "triu" | "{" [coordinate ":" value ("," ...)*] "}" | "[" [value ("," value)*] "]" coordinate  := whole |
 * "(" whole ("," whole)* ")" value       := ["-"] (number | "inf" | name of a param)
 */
#include "frontend/language/settings.h"
#include "frontend/language/words.h"
#include "frontend/schedules/program_int.h"
#include "support/number.h"

#include <math.h>
#include <stdlib.h>

uint32_t fe_program_find(const fe_program *p, name_id name) {
    uint32_t t = 0;
    while (t < p->tensors.len && !name_eq(p->tensors.at[t].name, name))
        t++;
    return t;
}

bool fe_program_tensor(const fe_program_reader *r, fe_reader *in, uint32_t *out) {
    const fe_token t = in->token;
    *out = t.kind == FE_NAME ? fe_program_find(r->out, names_intern_n(r->out->names, t.at, t.length)) : 0;
    if (t.kind != FE_NAME)
        return fe_expected(in, "a tensor", r->d);
    fe_advance(in);
    return *out < r->out->tensors.len ||
           diag_error(r->d, t.loc, "E0103-unknown-tensor", "the program has no tensor '%.*s' before this",
                      (int)t.length, t.at);
}

/* Returns the format with every letter and every mode, as "ss" with 0 and 1 gives "ss:0,1". */
static const char *whole_format(const char *letters, const uint8_t *modes, uint32_t n, arena *mem) {
    const char *text = arena_printf(mem, "%.*s", (int)n, letters);
    for (uint32_t m = 0; m < n; m++)
        text = arena_printf(mem, "%s%c%u", text, m ? ',' : ':', modes[m]);
    return text;
}

static const char *compressed(uint32_t order, arena *mem) {
    static const uint8_t ascending[SAM_MAX_ORDER] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    return whole_format("ssssssssssss", ascending, order < SAM_MAX_ORDER ? order : SAM_MAX_ORDER, mem);
}

uint32_t fe_program_add(fe_program *p, name_id name, src_loc loc, uint32_t order) {
    fe_shared t = {
        .name = name, .loc = loc, .order = order, .format = compressed(order, p->mem), .region = ""};
    vec_push(p->mem, &p->tensors, t);
    return p->tensors.len - 1;
}

/* ---- values ------------------------------------------------------------------------------------ */

/* Brackets and quotes are signs of declarations only. */
static bool at_sign(const fe_reader *in, char sign) {
    return (in->token.kind == FE_SIGN || in->token.kind == FE_BAD) && in->token.sign == sign;
}

static bool take(fe_reader *in, char sign, diagnostics *d) {
    return at_sign(in, sign) ? fe_advance(in) : fe_expected(in, arena_printf(d->mem, "'%c'", sign), d);
}

static const fe_shared *param_at(const fe_program_reader *r, const fe_token *t) {
    if (t->kind != FE_NAME)
        return NULL;
    uint32_t n = fe_program_find(r->out, names_intern_n(r->out->names, t->at, t->length));
    return n < r->out->tensors.len && r->out->tensors.at[n].constant ? &r->out->tensors.at[n] : NULL;
}

/* A number, or the value of a param. */
static bool read_value(const fe_program_reader *r, fe_reader *in, double *value) {
    double sign = fe_take_sign(in, '-') ? -1 : 1;
    const fe_token *t = &in->token;
    if (t->kind == FE_NUMBER) {
        *value = sign * number_read(arena_strndup(r->d->mem, t->at, t->length), NULL);
    } else if (fe_is_word(t, "inf")) {
        *value = sign * INFINITY;
    } else {
        const fe_shared *param = param_at(r, t);
        if (!param)
            return fe_expected(in, "a number, or a param that is declared before", r->d);
        *value = sign * param->val.at[0];
    }
    return fe_advance(in);
}

bool fe_program_whole(const fe_program_reader *r, fe_reader *in, uint32_t *out) {
    src_loc loc = in->token.loc;
    double value = 0;
    if (!read_value(r, in, &value))
        return false;
    if (value >= 0 && value < INT32_MAX && value == floor(value)) {
        *out = (uint32_t)value;
        return true;
    }
    return diag_error(r->d, loc, "E0170-declaration", "expected a whole number from 0 to %d", INT32_MAX - 1);
}

/* Reads "..." at the reader's token, and moves behind the string. */
const char *fe_program_string(fe_reader *in, diagnostics *d) {
    const char *start = in->token.at + 1, *end = NULL;
    if (at_sign(in, '"'))
        end = memchr(start, '"', in->length - (size_t)(start - in->text));
    if (!end) {
        fe_expected(in, "a name in quotes", d);
        return NULL;
    }
    const char *text = arena_strndup(d->mem, start, (size_t)(end - start));
    in->pos = (size_t)(end + 1 - in->text);
    fe_advance(in);
    return text;
}

/* ---- a tensor's first values ------------------------------------------------------------------- */

static bool read_coordinate(const fe_program_reader *r, fe_reader *in, fe_shared *t, uint32_t order) {
    bool several = order != 1 || fe_at_sign(in, '(');
    if (several && !take(in, '(', r->d))
        return false;
    for (uint32_t m = 0; m < order; m++) {
        uint32_t at;
        src_loc loc = in->token.loc;
        if ((m && !take(in, ',', r->d)) || !fe_program_whole(r, in, &at))
            return false;
        if (t->sized && at >= t->dim[m])
            return diag_error(r->d, loc, "E0170-declaration",
                              "coordinate %u is not below %u; the first one is 0", at, t->dim[m]);
        if (!t->sized && at >= t->dim[m])
            t->dim[m] = at + 1;
        vec_push(r->out->mem, &t->crd, at);
    }
    return !several || take(in, ')', r->d);
}

static bool read_entries(const fe_program_reader *r, fe_reader *in, fe_shared *t) {
    fe_advance(in);
    t->origin = FE_FROM_ENTRIES;
    while (!at_sign(in, '}')) {
        double value;
        if ((t->val.len && !take(in, ',', r->d)) || !read_coordinate(r, in, t, t->order) ||
            !take(in, ':', r->d) || !read_value(r, in, &value))
            return false;
        vec_push(r->out->mem, &t->val, value);
    }
    return take(in, '}', r->d);
}

/* [v, w, ...]: of a vector, from coordinate 0 on. */
static bool read_list(const fe_program_reader *r, fe_reader *in, fe_shared *t) {
    src_loc loc = in->token.loc;
    uint32_t n = 0;
    fe_advance(in);
    t->origin = FE_FROM_ENTRIES;
    while (!at_sign(in, ']')) {
        double value;
        if ((n && !take(in, ',', r->d)) || !read_value(r, in, &value))
            return false;
        vec_push(r->out->mem, &t->crd, n++);
        vec_push(r->out->mem, &t->val, value);
    }
    if (t->order != 1 || (t->sized && t->dim[0] != n))
        return diag_error(r->d, loc, "E0170-declaration", "a list of %u gives a vector of %u, and %s is none",
                          n, n, names_text(r->out->names, t->name));
    t->sized = true;
    t->dim[0] = n;
    return take(in, ']', r->d);
}

static const struct {
    const char *word;
    uint32_t order;
} patterns[] = {{"eye", 2}, {"tril", 2}, {"triu", 2}, {"index", 1}};

static fe_pattern pattern_at(const fe_reader *in) {
    fe_pattern which = FE_EYE;
    while (which < FE_NO_PATTERN && !fe_is_word(&in->token, patterns[which].word))
        which++;
    return which;
}

/* The extents are stated, so that no data change the tensor. */
static bool read_pattern(const fe_program_reader *r, fe_reader *in, fe_pattern which, fe_shared *t) {
    const char *word = patterns[which].word;
    const uint32_t order = patterns[which].order;
    if (t->order != order || !t->sized) {
        diag_error(r->d, in->token.loc, "E0170-declaration", "'%s' is of a tensor with %u stated %s", word,
                   order, plural(order, "extent", "extents"));
        return diag_hint(r->d, order == 1 ? "tensor n(100): d = index" : "tensor T(10,10): ss = %s", word);
    }
    t->origin = FE_FROM_PATTERN;
    t->made.pattern = which;
    vec_push(r->out->mem, &t->val, 0);
    return fe_advance(in);
}

static bool read_source(const fe_program_reader *r, fe_reader *in, fe_shared *t) {
    const fe_pattern which = pattern_at(in);
    if (which != FE_NO_PATTERN)
        return read_pattern(r, in, which, t);
    if (at_sign(in, '{'))
        return read_entries(r, in, t);
    if (at_sign(in, '['))
        return read_list(r, in, t);
    bool random = fe_is_word(&in->token, "random"), all = fe_is_word(&in->token, "all");
    if (random || all)
        fe_advance(in);
    if (all) {
        double value;
        t->origin = FE_FROM_NUMBER;
        if (!read_value(r, in, &value))
            return false;
        vec_push(r->out->mem, &t->val, value);
        return true;
    }
    t->origin = random ? FE_FROM_GENERATOR : FE_FROM_FILE;
    t->from = fe_program_string(in, r->d);
    bool ones = fe_is_word(&in->token, "ones"), ramp = fe_is_word(&in->token, "ramp");
    if (t->from && (ones || ramp)) {
        t->values = ones ? FE_AS_ONES : FE_AS_RAMP;
        fe_advance(in);
    }
    return t->from != NULL;
}

/* ---- declarations ------------------------------------------------------------------------------ */

static bool read_extents(const fe_program_reader *r, fe_reader *in, fe_shared *t) {
    t->sized = t->dim_declared = true;
    do {
        if (t->order == SAM_MAX_ORDER)
            return diag_error(r->d, in->token.loc, "E0118-too-large", "more than %d indices", SAM_MAX_ORDER);
        if (!fe_program_whole(r, in, &t->dim[t->order++]))
            return false;
    } while (fe_take_sign(in, ','));
    return take(in, ')', r->d);
}

/* Reads the letters and modes of an order, which may be 0 after a format's name, and the region. */
static bool read_layout(const fe_program_reader *r, fe_reader *in, sam_tensor_data *data, fe_shared *t) {
    const sam_statement names = {.names = r->out->names};
    data->name = t->name;
    if (!fe_parse_layout(in, NULL, &names, false, data, r->d))
        return false;
    if (data->region) {
        t->region = data->region == SAM_REGION_GLB ? "@glb" : "@host";
        t->region_loc = data->region_loc;
    }
    return true;
}

/* Reads the name of a format, with its letters in `found`, and the region. */
static bool read_named(const fe_program_reader *r, fe_reader *in, const fe_named_format *found,
                       fe_shared *t) {
    const uint32_t order = (uint32_t)strcspn(found->scanned, ":");
    sam_tensor_data data = {0};
    if (t->sized && order != t->order)
        return diag_error(r->d, in->token.loc, "E0170-declaration",
                          "format %s is of order %u, '%s' has %u extents", found->name, order,
                          names_text(r->out->names, t->name), t->order);
    fe_advance(in);
    t->order = order;
    t->stored = found->name;
    t->format = found->scanned;
    return read_layout(r, in, &data, t);
}

static bool read_levels(const fe_program_reader *r, fe_reader *in, fe_shared *t) {
    const fe_token letters = in->token;
    sam_tensor_data data = {.order = (uint32_t)letters.length};
    for (uint32_t m = 0; m < data.order; m++)
        data.mode[m] = (uint8_t)m;
    if (!read_layout(r, in, &data, t))
        return false;
    t->order = data.order;
    t->format = whole_format(letters.at, data.mode, data.order, r->out->mem);
    return true;
}

static bool read_format(const fe_program_reader *r, fe_reader *in, fe_shared *t) {
    const fe_token letters = in->token;
    for (uint32_t f = 0; f < r->in->n_formats; f++) {
        if (fe_is_word(&letters, r->in->formats[f].name))
            return read_named(r, in, &r->in->formats[f], t);
    }
    if (letters.kind == FE_NAME && letters.at[0] >= 'A' && letters.at[0] <= 'Z') {
        diag_error(r->d, letters.loc, "E0170-declaration", "there is no format '%.*s'", (int)letters.length,
                   letters.at);
        return diag_hint(r->d, "docs/storage.md has those that ship; --formats FILE adds others");
    }
    if (letters.kind == FE_NAME && letters.length <= SAM_MAX_ORDER &&
        (!t->sized || letters.length == t->order))
        return read_levels(r, in, t);
    return fe_expected(in, "a letter for each level, such as ds, or a format by its name", r->d);
}

/* Reads a name not used by another declaration. */
static bool read_name(const fe_program_reader *r, fe_reader *in, fe_shared **out) {
    const fe_token t = in->token;
    if (t.kind != FE_NAME)
        return fe_expected(in, "a name", r->d);
    name_id name = names_intern_n(r->out->names, t.at, t.length);
    uint32_t n = fe_program_find(r->out, name);
    const char *text = names_text(r->out->names, name);
    if (n < r->out->tensors.len) {
        diag_error(r->d, t.loc, "E0170-declaration", "a second declaration of '%s'", text);
        return diag_note(r->d, r->out->tensors.at[n].loc, "the first one");
    }
    if (fe_is_keyword(text) || strcmp(text, "nnz") == 0)
        return diag_error(r->d, t.loc, "E0117-name-clash", "'%s' is a word of the language", text);
    fe_advance(in);
    n = fe_program_add(r->out, name, t.loc, 0);
    *out = &r->out->tensors.at[n];
    (*out)->declared = true;
    return true;
}

static bool declare_tensor(const fe_program_reader *r, fe_reader *in) {
    fe_shared *t;
    if (!read_name(r, in, &t) || (fe_take_sign(in, '(') && !read_extents(r, in, t)))
        return false;
    t->format = compressed(t->order, r->out->mem);
    if (fe_take_sign(in, ':') && !read_format(r, in, t))
        return false;
    if (!t->order) {
        diag_error(r->d, t->loc, "E0170-declaration", "nothing says how many indices '%s' has",
                   names_text(r->out->names, t->name));
        return diag_hint(r->d,
                         "write its levels, as in tensor x: s, or its extents, as in tensor x(100); 'scalar' "
                         "declares one without indices");
    }
    t->fill = "0";
    if (fe_is_word(&in->token, "fill")) {
        double fill;
        fe_advance(in);
        if (!read_value(r, in, &fill))
            return false;
        t->fill = arena_printf(r->out->mem, "%.9g", fill);
        t->fill_said = true;
    }
    return !fe_take_sign(in, '=') || read_source(r, in, t);
}

/* Returns the value of --set for the name, or NULL. */
static const char *setting_of(const fe_program_reader *r, const char *name) {
    size_t length = strlen(name);
    for (uint32_t i = 0; i < r->in->n_settings; i++) {
        const char *text = r->in->settings[i];
        if (strncmp(text, name, length) == 0 && text[length] == '=')
            return text + length + 1;
    }
    return NULL;
}

static bool read_setting(const fe_program_reader *r, const fe_shared *t, double *value) {
    const char *name = names_text(r->out->names, t->name), *set = setting_of(r, name);
    char *end = NULL;
    if (!set)
        return true;
    *value = number_read(set, &end);
    return (*set && !*end && !isnan(*value)) ||
           diag_error(r->d, t->loc, "E0171-setting", "--set %s=%s: this is no number", name, set);
}

static bool declare_scalar(const fe_program_reader *r, fe_reader *in, bool constant) {
    fe_shared *t;
    double value = 0;
    if (!read_name(r, in, &t))
        return false;
    if (constant && !at_sign(in, '='))
        return fe_expected(in, "'=' and the value", r->d);
    if ((fe_take_sign(in, '=') && !read_value(r, in, &value)) || !read_setting(r, t, &value))
        return false;
    t->constant = constant;
    t->fill = "0";
    t->origin = FE_FROM_ENTRIES;
    vec_push(r->out->mem, &t->val, value);
    return true;
}

bool fe_program_declare(fe_program_reader *r, fe_reader *in, const fe_token *word) {
    if (fe_is_word(word, "tensor"))
        return declare_tensor(r, in);
    return declare_scalar(r, in, fe_is_word(word, "param"));
}
