/* settings.c - the format language ("B:ss:1,0") and the dimension language ("i:100"), as in taco, and the
 * loop order without a schedule. */
#include "frontend/language/settings.h"
#include "frontend/language/statement.h"

/* ---- formats --------------------------------------------------------------------------------- */

static const char *tensor_list(const sam_statement *s) {
    const char *list = "";
    for (uint32_t t = 1; t <= s->tensors.len; t++)
        list = arena_printf(s->mem, "%s%s%s", list, t > 1 ? ", " : "", fe_tensor_text(s, (sam_tensor){t}));
    return list;
}

static const char level_letters[] = {
    0,
#define KIND(KEY, name, letter, ...) letter,
#include "sam/level_kinds.def"
};

char fe_level_letter(sam_level_format format) {
    return format <= SAM_LEVEL_SINGLETON_DUPLICATES ? level_letters[format] : 0;
}

static sam_level_format level_of_letter(char letter) {
    for (size_t f = 1; f <= SAM_LEVEL_SINGLETON_DUPLICATES; f++) {
        if (level_letters[f] == letter)
            return (sam_level_format)f;
    }
    return SAM_LEVEL_NONE;
}

static bool is_singleton(sam_level_format level) {
    return level == SAM_LEVEL_SINGLETON || level == SAM_LEVEL_SINGLETON_DUPLICATES;
}

/* A singleton level holds exactly one coordinate below each coordinate of the outer level, which must be able
 * to repeat coordinates: u or c. The outermost level is one list of coordinates whatever its letter, and taco
 * takes any. */
static bool check_singleton(const sam_statement *s, const sam_tensor_data *t, uint32_t l, src_loc loc,
                            diagnostics *d) {
    if (!is_singleton(t->level[l]) || !l)
        return true;
    const sam_level_format above = t->level[l - 1];
    if (above == SAM_LEVEL_COMPRESSED_DUPLICATES || above == SAM_LEVEL_SINGLETON_DUPLICATES)
        return true;
    diag_error(d, loc, "E0112-singleton",
               "level %u of %s is a singleton, but the level above it holds each coordinate once", l,
               names_text(s->names, t->name));
    return diag_hint(d, "coordinate lists are u, then c, with q last: uq, ucq; or use s (compressed)");
}

/* Reads two letters for each index: of the blocks, then of the elements inside. */
static bool parse_blocks(fe_reader *r, const sam_statement *s, sam_tensor_data *t, diagnostics *d) {
    const fe_token word = r->token;
    for (uint32_t l = 0; l < 2 * t->order; l++) {
        const sam_level_format level = level_of_letter(word.at[l]);
        if (level != SAM_LEVEL_DENSE && level != SAM_LEVEL_COMPRESSED)
            return diag_error(d, src_at(word.loc.source, word.loc.offset + l, 1), "E0111-level-format",
                              "level %u of %s, which is in blocks, is d (dense) or s (compressed)", l,
                              names_text(s->names, t->name));
        if (l < t->order)
            t->level[l] = level;
        else
            t->inner[l - t->order] = level;
    }
    t->blocked = true;
    return fe_advance(r);
}

/* Returns whether an equal number of modes follows the letters: then each letter is a level, and none of a
 * block. */
static bool has_modes(const fe_token *word) {
    const char *rest = word->at + word->length;
    size_t modes = *rest == ':';
    for (; *rest && *rest != '@'; rest++)
        modes += *rest == ',';
    return modes == word->length;
}

/* Reads the level letters; a scalar has none. `called` is the format's name, or NULL. */
static bool parse_levels(fe_reader *r, const char *called, const sam_statement *s, sam_tensor_data *t,
                         diagnostics *d) {
    fe_token word = r->token;
    size_t n = word.kind == FE_NAME ? word.length : 0;
    if (n && n == 2 * (size_t)t->order && !has_modes(&word))
        return parse_blocks(r, s, t, d);
    if (n != t->order && called)
        return diag_error(d, word.loc, "E0110-format", "%s has %u %s, but format %s is of order %zu",
                          names_text(s->names, t->name), t->order, plural(t->order, "index", "indices"),
                          called, n);
    if (n != t->order) {
        diag_error(d, word.loc, "E0110-format", "%s has %u %s, but the format has %zu",
                   names_text(s->names, t->name), t->order, plural(t->order, "level", "levels"), n);
        return diag_hint(d, "one letter for each index, outermost level first: d (dense) or s (compressed)");
    }
    for (uint32_t l = 0; l < t->order; l++) {
        src_loc letter = src_at(word.loc.source, word.loc.offset + l, 1);
        t->level[l] = level_of_letter(word.at[l]);
        if (t->level[l] == SAM_LEVEL_NONE) {
            diag_error(d, letter, "E0111-level-format", "level %u of %s: there is no level format '%c'", l,
                       names_text(s->names, t->name), word.at[l]);
            return diag_hint(d,
                             "use d (dense), s (compressed), u (compressed, repeating), q (singleton) or c "
                             "(singleton, repeating)");
        }
        if (!check_singleton(s, t, l, letter, d))
            return false;
    }
    if (n)
        fe_advance(r);
    return true;
}

/* Reads an unused mode number below the tensor's order. */
static bool parse_mode(fe_reader *r, sam_tensor_data *t, uint32_t l, uint32_t *used, diagnostics *d) {
    const fe_token *number = &r->token;
    uint32_t mode = fe_whole_number(number, SAM_MAX_ORDER);
    if (mode >= t->order || (*used >> mode & 1)) {
        diag_error(d, number->loc, "E0110-format", "the mode order is not a permutation of 0 to %u",
                   t->order - 1);
        return diag_hint(
            d, "the mode order names, for each level from the outermost, the index it stores: 1,0 is "
               "column-major");
    }
    *used |= 1u << mode;
    t->mode[l] = (uint8_t)mode;
    return fe_advance(r);
}

static bool parse_modes(fe_reader *r, sam_tensor_data *t, diagnostics *d) {
    uint32_t used = 0;
    for (uint32_t l = 0; l < t->order; l++) {
        if (l > 0 && !fe_take_sign(r, ','))
            return fe_expected(r, "',' and the next mode", d);
        if (!parse_mode(r, t, l, &used, d))
            return false;
    }
    return true;
}

/* Returns whether the last argument of a command, whose text begins at its parenthesis, is the name. */
static bool ends_with_name(const char *command, const fe_token *name) {
    const char *last = command, *at = command;
    uint32_t depth = 0;
    do {
        depth += *at == '(' || *at == '{';
        depth -= *at == ')' || *at == '}';
        if (depth == 1 && *at == ',')
            last = at;
    } while (depth && *at++);
    last++;
    while (*last == ' ')
        last++;
    const char *end = last + name->length;
    while (end < at && *end == ' ')
        end++;
    return end == at && strncmp(last, name->at, name->length) == 0;
}

/* Returns whether a command `precompute` of the schedule gives the name to a workspace. */
static bool is_workspace(const fe_in *in, const fe_token *name) {
    static const char word[] = "precompute";
    bool is = false;
    for (uint32_t i = 0; i < in->n_schedule; i++) {
        for (const char *at = strstr(in->schedule[i], word); at && !is; at = strstr(at, word)) {
            at += strlen(word);
            at += strspn(at, " ");
            is = *at == '(' && ends_with_name(at, name);
        }
    }
    return is;
}

static bool find_format_tensor(const fe_reader *r, const sam_statement *s, diagnostics *d, sam_tensor *out) {
    if (r->token.kind != FE_NAME)
        return fe_expected(r, "a format such as B:ss:1,0", d);
    *out = fe_find_tensor(s, names_intern_n(s->names, r->token.at, r->token.length));
    if (out->v)
        return true;
    diag_error(d, r->token.loc, "E0103-unknown-tensor", "the expression has no tensor '%.*s'",
               (int)r->token.length, r->token.at);
    return diag_hint(d, "its tensors are %s", tensor_list(s));
}

/* Whether an access of the tensor has an index twice. */
static bool has_diagonal(const sam_statement *s, sam_tensor t, uint32_t order) {
    bool twice = false;
    for (uint32_t e = 0; e < s->exprs.len; e++) {
        const sam_expr_data *x = &s->exprs.at[e];
        for (uint32_t m = 0; x->kind == SAM_EXPR_ACCESS && x->tensor.v == t.v && m < order; m++) {
            for (uint32_t n = 0; n < m; n++)
                twice = twice || x->index[n].v == x->index[m].v;
        }
    }
    return twice;
}

static bool is_dense(const sam_tensor_data *t) {
    bool dense = !t->blocked;
    for (uint32_t l = 0; l < t->order; l++)
        dense = dense && t->level[l] == SAM_LEVEL_DENSE;
    return dense;
}

/* Gives the format to the operands that are windows of the tensor. A window with added indices is compressed,
 * except windows with values nearly everywhere: of a dense vector, or of diagonals of a dense matrix. */
static void format_windows(sam_statement *s, const sam_tensor_data *given) {
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        sam_tensor_data *operand = &s->tensors.at[t];
        if (!operand->called.v || !name_eq(operand->called, given->name))
            continue;
        operand->region = given->region;
        operand->region_loc = given->region_loc;
        if (operand->order == given->order) {
            memcpy(operand->level, given->level, sizeof operand->level);
            memcpy(operand->inner, given->inner, sizeof operand->inner);
            operand->blocked = given->blocked;
            memcpy(operand->mode, given->mode, sizeof operand->mode);
        } else if (is_dense(given) &&
                   (given->order == 1 || has_diagonal(s, (sam_tensor){t + 1}, operand->order))) {
            for (uint32_t l = 0; l < operand->order; l++)
                operand->level[l] = SAM_LEVEL_DENSE;
        }
    }
}

/* Returns the region probably meant by a word of other tools. */
static const char *region_like(const fe_token *word) {
    static const char *const off_chip[] = {"dram", "offChip", "offchip", "ddr", "hbm", "memory"};
    for (size_t i = 0; i < sizeof off_chip / sizeof *off_chip; i++) {
        if (fe_is_word(word, off_chip[i]))
            return "@host";
    }
    return "@glb";
}

/* Reads "@glb" or "@host", if present. */
static bool parse_region(fe_reader *r, const sam_statement *s, bool result, sam_tensor_data *t,
                         diagnostics *d) {
    const src_loc loc = r->token.loc;
    if (r->token.kind != FE_BAD || r->token.sign != '@')
        return true;
    fe_advance(r);
    const bool glb = fe_is_word(&r->token, "glb");
    if (!glb && !fe_is_word(&r->token, "host")) {
        const bool named = r->token.kind == FE_NAME;
        diag_error(d, named ? r->token.loc : loc, "E0178-region", "'@%.*s' is no region of this chip",
                   named ? (int)r->token.length : 0, r->token.at);
        return diag_hint(
            d,
            "%s may be meant: @glb is in the global buffer from the first batch to the last, @host is "
            "loaded for each",
            region_like(&r->token));
    }
    if (result)
        return diag_error(d, loc, "E0178-region", "a region is that of an operand, and %s is the result",
                          names_text(s->names, t->name));
    t->region = glb ? SAM_REGION_GLB : SAM_REGION_HOST;
    t->region_loc = src_at(loc.source, loc.offset, (uint32_t)r->token.length + 1);
    return fe_advance(r);
}

bool fe_parse_layout(fe_reader *r, const char *called, const sam_statement *s, bool result,
                     sam_tensor_data *t, diagnostics *d) {
    return parse_levels(r, called, s, t, d) && (!fe_take_sign(r, ':') || parse_modes(r, t, d)) &&
           parse_region(r, s, result, t, d);
}

/* Reads the colon and the layout of tensor t. */
static bool parse_rest(fe_reader *r, const char *called, const sam_statement *s, sam_tensor t,
                       sam_tensor_data *given, diagnostics *d) {
    *given = *sam_tensor_at(s, t);
    if (!fe_take_sign(r, ':'))
        return fe_expected(r, "':' and the level formats", d);
    return fe_parse_layout(r, called, s, t.v == s->result.v, given, d) &&
           (r->token.kind == FE_END || fe_expected(r, "the end of the format", d));
}

bool fe_format_workspaces(const fe_in *in, const sam_statement *user, fe_cin *cin, diagnostics *d) {
    bool ok = true;
    for (uint32_t i = 0; i < in->n_formats && cin->kernels.len > 1; i++) {
        const fe_reader start = fe_read("<format>", in->formats[i], d);
        const char *called = in->format_names ? in->format_names[i] : NULL;
        const name_id name = names_intern_n(user->names, start.token.at, start.token.length);
        for (uint32_t n = 0; n < cin->kernels.len && ok && !fe_find_tensor(user, name).v; n++) {
            sam_statement *s = &cin->kernels.at[n].s;
            const sam_tensor t = fe_find_tensor(s, name);
            fe_reader r = start;
            fe_advance(&r);
            ok = !t.v || parse_rest(&r, called, s, t, sam_tensor_at(s, t), d);
        }
    }
    return ok;
}

static bool parse_format(const fe_in *in, uint32_t n, diagnostics *d, sam_statement *s, src_loc *first) {
    fe_reader r = fe_read("<format>", in->formats[n], d);
    sam_tensor t;
    if (is_workspace(in, &r.token))
        return true;
    if (!find_format_tensor(&r, s, d, &t))
        return false;
    if (first[t.v].source) {
        diag_error(d, r.token.loc, "E0110-format", "a second format for %s", fe_tensor_text(s, t));
        return diag_note(d, first[t.v], "the first one");
    }
    first[t.v] = r.token.loc;
    fe_advance(&r);
    sam_tensor_data given;
    if (!parse_rest(&r, in->format_names ? in->format_names[n] : NULL, s, t, &given, d))
        return false;
    *sam_tensor_at(s, t) = given; /* the default loops need a whole format, also after an error */
    format_windows(s, &given);
    return true;
}

bool fe_parse_formats(const fe_in *in, diagnostics *d, sam_statement *s) {
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        for (uint32_t l = 0; l < s->tensors.at[t].order; l++) {
            s->tensors.at[t].level[l] = SAM_LEVEL_COMPRESSED;
            s->tensors.at[t].mode[l] = (uint8_t)l;
        }
    }
    src_loc *first = arena_new_n(s->mem, src_loc, s->tensors.len + 1);
    bool ok = true;
    for (uint32_t i = 0; i < in->n_formats; i++)
        ok = parse_format(in, i, d, s, first) && ok;
    return ok;
}

/* ---- dimensions ------------------------------------------------------------------------------ */

/* The extents stated by -d; stated[v - 1] is the place of a variable's statement. */
typedef struct {
    sam_statement *s;
    src_loc *stated;
    diagnostics *d;
} extents;

/* Sets one extent of a variable. */
static bool set_extent(extents *x, sam_var v, uint32_t extent, src_loc loc) {
    sam_var_data *var = sam_var_at(x->s, v);
    if (var->extent && var->extent != extent) {
        diag_error(x->d, loc, "E0119-dimension", "index '%s' runs to %u here, to %u there",
                   fe_var_text(x->s, v), extent, var->extent);
        return diag_note(x->d, x->stated[v.v - 1], "the other dimension");
    }
    var->extent = extent;
    x->stated[v.v - 1] = loc;
    return true;
}

/* Returns the extent of an index of a tensor of this size; 0: a slice that begins beyond the end. */
static uint32_t extent_in(const sam_window *w, uint32_t size) {
    const uint32_t end = w->high < size ? w->high : size;
    if (!w->stride)
        return size;
    return (uint32_t)w->low < end ? (end - (uint32_t)w->low - 1) / w->stride + 1 : 0;
}

/* States the extents of a tensor's indices. The tensor does not determine the extent of an index that may be
 * outside. */
static bool set_extents(extents *x, const sam_tensor_data *of, const sam_var *index, const uint32_t *size,
                        src_loc loc) {
    for (uint32_t m = 0, source = 0; m < of->order; m++) {
        const uint32_t extent = extent_in(&of->window[m], size[source]);
        if (extent && !sam_is_open(of, m) && !set_extent(x, index[m], extent, loc))
            return false;
        source += m + 1 < of->order && sam_begins_mode(of, m + 1);
    }
    return true;
}

static bool set_tensor_extents(extents *to, sam_tensor t, const uint32_t *size, src_loc loc) {
    const sam_statement *s = to->s;
    const name_id name = sam_tensor_at(s, t)->name;
    if (t.v == s->result.v && !set_extents(to, sam_tensor_at(s, t), s->result_index, size, loc))
        return false;
    for (uint32_t e = 0; e < s->exprs.len; e++) {
        const sam_expr_data *x = &s->exprs.at[e];
        bool meant = x->kind == SAM_EXPR_ACCESS &&
                     (x->tensor.v == t.v || name_eq(sam_tensor_at(s, x->tensor)->called, name));
        if (meant && !set_extents(to, sam_tensor_at(s, x->tensor), x->index, size, loc))
            return false;
    }
    return true;
}

/* Reads as many sizes as `want`: "10,20". */
static bool parse_sizes(fe_reader *r, uint32_t want, const char *name, uint32_t *size, diagnostics *d) {
    uint32_t n = 0;
    do {
        src_loc loc = r->token.loc;
        uint32_t value = fe_whole_number(&r->token, 0);
        if (!value)
            return diag_error(d, loc, "E0119-dimension", "a dimension is a whole number from 1 to %d",
                              INT32_MAX);
        fe_advance(r);
        if (n < want)
            size[n] = value;
        n++;
    } while (fe_take_sign(r, ','));
    if (r->token.kind != FE_END)
        return fe_expected(r, "',' or the end of the dimensions", d);
    return n == want || diag_error(d, r->token.loc, "E0119-dimension", "%s has %u %s, but %u %s given", name,
                                   want, plural(want, "dimension", "dimensions"), n, plural(n, "is", "are"));
}

static bool parse_dimension(const char *text, extents *to) {
    sam_statement *s = to->s;
    diagnostics *d = to->d;
    fe_reader r = fe_read("<dimension>", text, d);
    fe_token word = r.token;
    if (word.kind != FE_NAME)
        return fe_expected(&r, "a dimension such as i:100 or B:100,80", d);
    name_id name = names_intern_n(s->names, word.at, word.length);
    sam_var v = fe_find_var(s, name);
    sam_tensor t = fe_find_tensor(s, name);
    if (t.v && sam_tensor_at(s, t)->order > 1 && strchr(text, ','))
        v.v = 0; /* a tensor and an index share the name */
    if (!v.v && !t.v) {
        diag_error(d, word.loc, "E0119-dimension", "the expression has no index variable and no tensor '%s'",
                   names_text(s->names, name));
        return diag_hint(d, "its tensors are %s", tensor_list(s));
    }
    fe_advance(&r);
    if (!fe_take_sign(&r, ':'))
        return fe_expected(&r, "':' and the size", d);
    uint32_t size[SAM_MAX_ORDER];
    return parse_sizes(&r, v.v ? 1 : sam_tensor_at(s, t)->order, names_text(s->names, name), size, d) &&
           (v.v ? set_extent(to, v, size[0], word.loc) : set_tensor_extents(to, t, size, word.loc));
}

bool fe_parse_dimensions(const fe_in *in, diagnostics *d, sam_statement *s) {
    extents to = {s, arena_new_n(s->mem, src_loc, s->vars.len + 1), d};
    bool ok = true;
    for (uint32_t i = 0; i < in->n_dimensions; i++)
        ok = parse_dimension(in->dimensions[i], &to) && ok;
    return ok;
}

/* ---- the default loop order ------------------------------------------------------------------ */

static void push_new_loop(sam_statement *s, sam_var v) {
    if (fe_loop_position(s, v) == s->loops.len)
        vec_push(s->mem, &s->loops, v);
}

static void push_new_loops(sam_statement *s, const fe_scope *scope) {
    for (uint32_t i = 0; i < scope->vars.len; i++)
        push_new_loop(s, scope->vars.at[i]);
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
        push_new_loop(s, s->result_index[result->mode[l]]);
    fe_scope outer = fe_outer_scope(s, s->mem);
    push_new_loops(s, &outer);
}

bool fe_has_format(const fe_in *in, const char *name) {
    const size_t length = strlen(name);
    for (uint32_t i = 0; i < in->n_formats; i++) {
        if (strncmp(in->formats[i], name, length) == 0 && in->formats[i][length] == ':')
            return true;
    }
    return false;
}
