/* selections.c - indices read from tensors, and places computed of indices, as products.
 *
 * A selection P(i,r) is 1 where r is the index that i stands for, and absent elsewhere. So A(rows(i),j) is
 * sum(r, P(i,r) * A(r,j)), and X(rows(i),j) = e is X(r,j) = P(i,r) * (e), which adds the values that meet in
 * one place; X(4*i+k) = e is the same with P(i,k,r). Beside a semiring the product is mask(P(i,r), A(r,j)),
 * since the semiring has another: its sum over r takes the value where P is 1, and the identity elsewhere. A
 * vector that is gathered from stays a table (gather.c).
 */
#include "kernel/selections.h"
#include "frontend/language/language.h"
#include "kernel/source.h"

enum { SELECTED_MOST = 1 << 24, SEEDS = 128 };

typedef struct {
    const compile_options *o;
    compile_options reading; /* for indices: words of int16 */
    compile_options *out;
    compile_context *ctx;
    const char *text; /* the whole expression */
    bool failed;
} selecting;

/* ---- text ---------------------------------------------------------------------------------------- */

static const char *text_of(const selecting *s, fe_span span) {
    return fe_text_of(span, s->ctx->mem);
}

/* A function of the language stays one beside an operand of its name. */
static bool is_operand(const selecting *s, fe_span name) {
    const char *called = text_of(s, name);
    const compile_source of = compile_source_of(s->o, called);
    return compile_has_source(&of) && !fe_is_defined(NULL, called);
}

/* Returns the word followed by as many r or digits as make a name that the expression does not have. */
static const char *fresh(selecting *s, fe_span word, const char *more) {
    const char *name = arena_printf(s->ctx->mem, "%s%s", text_of(s, word), more);
    while (strstr(s->text, name))
        name = arena_printf(s->ctx->mem, "%sr", name);
    s->text = arena_printf(s->ctx->mem, "%s %s", s->text, name);
    return name;
}

/* ---- places -------------------------------------------------------------------------------------- */

/* Reads "rows(i,k)", an index that an operand holds. */
static bool read_indirect(const selecting *s, fe_span argument, fe_subscript *out) {
    fe_span inside, rest;
    *out = (fe_subscript){.n = 0};
    if (!fe_split_call(argument, &out->read, &inside, &rest) || rest.n || !is_operand(s, out->read))
        return false;
    for (; inside.n && out->n < SAM_MAX_ORDER - 1; out->n++) {
        const fe_span v = fe_next_item(&inside, "()");
        out->var[out->n] = v;
        if (!v.n || fe_word_length(v) != v.n)
            return false;
    }
    return out->n > 0 && !inside.n;
}

/* ---- operands ------------------------------------------------------------------------------------ */

/* Takes an operand; with ONES its extents and coordinates alone matter. */
static bool take(selecting *s, fe_span name, uint32_t order, tile_values values, tile_tensor *out) {
    const char *called = text_of(s, name);
    const compile_source from = compile_source_of(s->o, called);
    const compile_taken as = {names_intern(s->ctx->names, called), called, order, 0, values, SEEDS};
    if (from.in_memory && values == TILE_VALUES_ONES)
        *out = *from.in_memory;
    else
        s->failed = s->failed || !compile_take(&s->reading, s->ctx, &from, &as, out);
    return !s->failed;
}

/* Finds the extent of a variable in an operand of a text that has the variable as an index. */
static bool find_extent(selecting *s, fe_span text, fe_span v, uint32_t *extent) {
    fe_span name, inside, rest;
    for (; text.n && !s->failed; text = fe_behind(text, name.n + !name.n)) {
        name = (fe_span){text.at, fe_word_length(text)};
        if (!name.n || !fe_split_call(text, &name, &inside, &rest) || !is_operand(s, name))
            continue;
        uint32_t order = 0, at = UINT32_MAX;
        for (; inside.n; order++) {
            const fe_span one = fe_next_item(&inside, "()");
            at = fe_same(one, v) ? order : at;
        }
        tile_tensor t;
        if (at < SAM_MAX_ORDER && take(s, name, order, TILE_VALUES_ONES, &t)) {
            *extent = t.dim[at];
            return true;
        }
    }
    return false;
}

static void refuse_index(selecting *s, const fe_subscript *p, const char *called, long index, uint32_t most) {
    diag_error(s->ctx->diag, (src_loc){0}, "E0182-gather", "an index of %s by %s is %ld, not from 0 to %u",
               called, p->read.n ? text_of(s, p->read) : text_of(s, p->var[0]), index, most - 1);
    diag_hint(s->ctx->diag, "an index is a whole number; coordinates count from 0");
    s->failed = true;
}

/* The words of an operand that holds indices, at all coordinates. */
static uint16_t *words_of(selecting *s, const tile_tensor *t, uint64_t cells) {
    uint16_t *word = arena_new_n(s->ctx->mem, uint16_t, cells + 1);
    for (uint64_t e = 0; e < t->nnz; e++) {
        uint64_t cell = 0;
        for (uint32_t m = 0; m < t->order; m++)
            cell = cell * t->dim[m] + t->crd[e * t->order + m];
        word[cell] = t->val[e];
    }
    return word;
}

/* The extents along the variables of a place, and the words of the operand that it reads. */
typedef struct {
    uint32_t dim[SAM_MAX_ORDER];
    uint64_t cells;
    const uint16_t *word;
} domain;

static bool find_domain(selecting *s, const fe_subscript *p, fe_span right, domain *out) {
    tile_tensor t = {0};
    out->cells = 1;
    out->word = NULL;
    if (p->read.n && !take(s, p->read, p->n, TILE_VALUES_FILE, &t))
        return false;
    for (uint32_t m = 0; m < p->n; m++) {
        out->dim[m] = p->read.n ? t.dim[m] : 0;
        if (!p->read.n && !find_extent(s, right, p->var[m], &out->dim[m]))
            return false;
        out->cells = out->cells > SELECTED_MOST ? out->cells : out->cells * out->dim[m];
    }
    if (out->cells > SELECTED_MOST) {
        diag_error(s->ctx->diag, (src_loc){0}, "E0182-gather", "more than %d indices", SELECTED_MOST);
        diag_hint(s->ctx->diag, "the host makes an operand with an entry for each");
        s->failed = true;
    }
    if (p->read.n && !s->failed)
        out->word = words_of(s, &t, out->cells);
    return !s->failed;
}

/* Adds the operand with 1 at each place, below `most` along its last index; returns its name, or NULL. */
static const char *add_selection(selecting *s, const fe_subscript *p, const domain *of, const char *called,
                                 uint32_t most) {
    arena *mem = s->ctx->mem;
    const uint32_t order = p->n + 1;
    uint32_t *crd = arena_new_n(mem, uint32_t, of->cells * order + 1), dim[SAM_MAX_ORDER] = {0}, last = 0;
    double *val = arena_new_n(mem, double, of->cells + 1);
    for (uint64_t cell = 0; cell < of->cells && !s->failed; cell++) {
        long index = of->word ? (int16_t)of->word[cell] : p->more;
        uint64_t rest = cell;
        for (uint32_t m = p->n; m-- > 0; rest /= of->dim[m]) {
            crd[cell * order + m] = (uint32_t)(rest % of->dim[m]);
            index += of->word ? 0 : p->times[m] * (long)(rest % of->dim[m]);
        }
        if (index < 0 || index >= most)
            refuse_index(s, p, called, index, most);
        crd[cell * order + p->n] = (uint32_t)index;
        last = index > last ? (uint32_t)index : last;
        val[cell] = 1;
    }
    memcpy(dim, of->dim, sizeof *dim * p->n);
    dim[p->n] = most < INT32_MAX ? most : last + 1;
    compile_in_memory given = {.name = fresh(s, p->read.n ? p->read : p->var[0], "At")};
    s->failed = s->failed || order > SAM_MAX_ORDER ||
                !tile_from_entries(names_intern(s->ctx->names, given.name), order, dim, of->cells, crd, val,
                                   TILE_DTYPE_ORIGINAL, given.name, mem, s->ctx->diag, &given.data);
    given.data.dim_inferred = most == INT32_MAX;
    vec_push(mem, &s->out->tensors.in_memory, given);
    return s->failed ? NULL : given.name;
}

/* What selects a value: text in front of the value and behind. */
typedef struct {
    const char *before, *behind;
} factors;

/* Adds "name(i,k,r)" for a place to *by, and returns r; NULL after a refusal. */
static const char *select_place(selecting *s, const fe_subscript *p, const domain *of, const char *called,
                                uint32_t most, factors *by) {
    arena *mem = s->ctx->mem;
    const char *name = add_selection(s, p, of, called, most);
    if (!name)
        return NULL;
    const char *r = fresh(s, p->read.n ? p->read : p->var[0], "r"), *index = "";
    for (uint32_t m = 0; m < p->n; m++)
        index = arena_printf(mem, "%s%s,", index, text_of(s, p->var[m]));
    if (!s->o->written.semiring) {
        by->before = arena_printf(mem, "%s%s(%s%s) * ", by->before, name, index, r);
        return r;
    }
    by->before = arena_printf(mem, "%smask(%s(%s%s), ", by->before, name, index, r);
    by->behind = arena_printf(mem, "%s)", by->behind);
    vec_push(mem, &s->out->written.fills, arena_printf(mem, "%s:0", name));
    return r;
}

/* ---- sides --------------------------------------------------------------------------------------- */

/* Rewrites "A(rows(i),j)" as "sum(r, P(i,r) * A(r,j))"; NULL if no index is read from an operand. */
static const char *gather(selecting *s, fe_span name, fe_span inside) {
    arena *mem = s->ctx->mem;
    const char *index = "", *over = "";
    factors by = {"", ""};
    uint32_t order = 0, m = 0;
    for (fe_span all = inside; all.n; order++)
        fe_next_item(&all, "()");
    if (order > SAM_MAX_ORDER)
        return NULL;
    tile_tensor t = {0};
    for (; inside.n && !s->failed; m++) {
        const fe_span one = fe_next_item(&inside, "()");
        const char *r = text_of(s, one);
        fe_subscript p;
        domain of;
        if (read_indirect(s, one, &p) && (t.order || take(s, name, order, TILE_VALUES_ONES, &t)) &&
            find_domain(s, &p, one, &of)) {
            r = select_place(s, &p, &of, text_of(s, name), t.dim[m], &by);
            over = r ? arena_printf(mem, "%s%s, ", over, r) : over;
        }
        index = arena_printf(mem, "%s%s%s", index, m ? "," : "", r ? r : "");
    }
    return *over && order > 1
               ? arena_printf(mem, "sum(%s%s%s(%s)%s)", over, by.before, text_of(s, name), index, by.behind)
               : NULL;
}

static const char *rewrite_right(selecting *s, fe_span text) {
    arena *mem = s->ctx->mem;
    const char *out = "";
    while (text.n && !s->failed) {
        fe_span name, inside, rest;
        const size_t n = fe_word_length(text);
        if (!fe_split_call(text, &name, &inside, &rest)) {
            out = arena_printf(mem, "%s%s", out, text_of(s, (fe_span){text.at, n ? n : 1}));
            text = fe_behind(text, n ? n : 1);
            continue;
        }
        const bool several = fe_length_to(inside, ",", "()") < inside.n;
        const char *made = several && is_operand(s, name) ? gather(s, name, inside) : NULL;
        out = made ? arena_printf(mem, "%s%s", out, made)
                   : arena_printf(mem, "%s%s(%s)", out, text_of(s, name), rewrite_right(s, inside));
        text = rest;
    }
    return out;
}

/* Beside a semiring, reduces what a mask selects over the variables of a place of the left side: a call says
 * so. */
static void reduce_places(const selecting *s, const fe_subscript *p, factors *by) {
    for (uint32_t v = p->n; v-- > 0 && s->o->written.semiring;) {
        by->before = arena_printf(s->ctx->mem, "sum(%s, %s", text_of(s, p->var[v]), by->before);
        by->behind = arena_printf(s->ctx->mem, "%s)", by->behind);
    }
}

/* Rewrites the left side; *by is the selections of its places. */
static const char *rewrite_left(selecting *s, fe_span left, fe_span right, factors *by) {
    arena *mem = s->ctx->mem;
    fe_span name, inside, rest;
    const char *index = "";
    left = fe_trimmed(left);
    if (!fe_split_call(left, &name, &inside, &rest) || rest.n)
        return text_of(s, left);
    for (uint32_t m = 0; inside.n && !s->failed; m++) {
        const fe_span one = fe_next_item(&inside, "()");
        const char *r = text_of(s, one);
        fe_subscript p;
        domain of;
        const bool plain = fe_word_length(one) == one.n;
        if (!plain && (read_indirect(s, one, &p) || fe_read_subscript(one, &p)) &&
            find_domain(s, &p, right, &of)) {
            r = select_place(s, &p, &of, text_of(s, name), INT32_MAX, by);
            reduce_places(s, &p, by);
        }
        index = arena_printf(mem, "%s%s%s", index, m ? "," : "", r ? r : "");
    }
    return arena_printf(mem, "%s(%s)", text_of(s, name), index);
}

/* Leaves out the arguments "rows:FILE" of operands that the expression has no more. */
static text_vec without_read(const selecting *s, const text_vec *all) {
    text_vec kept = {0};
    for (uint32_t i = 0; i < all->len; i++) {
        const char *name = all->at[i];
        const fe_span word = {name, strcspn(name, ":")};
        if (fe_has_word(s->out->written.expression, word) || !fe_has_word(s->o->written.expression, word))
            vec_push(s->ctx->mem, &kept, name);
    }
    return kept;
}

/* Leaves out operands in memory that the expression has no more. */
static void keep_read(compile_options *o) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < o->tensors.in_memory.len; i++) {
        const compile_in_memory one = o->tensors.in_memory.at[i];
        if (fe_has_word(o->written.expression, (fe_span){one.name, strlen(one.name)}))
            o->tensors.in_memory.at[n++] = one;
    }
    o->tensors.in_memory.len = n;
}

const compile_options *compile_select(const compile_options *o, compile_context *ctx) {
    const char *text = o->written.expression;
    compile_options own = *o;
    selecting s = {.o = o, .reading = *o, .out = &own, .ctx = ctx, .text = text};
    const fe_span all = {text, strlen(text)};
    size_t n = fe_length_to(all, "=", "()");
    const bool adds = n && n < all.n && text[n - 1] == '+';
    if (n == all.n)
        return o;
    s.reading.tensors.dtype = TILE_DTYPE_INT16;
    s.reading.tensors.typing = COMPILE_TYPE_STATED;
    s.reading.tensors.type_why = NULL;
    s.reading.tensors.scaled = NULL;
    own.written.fills.at = NULL;
    own.written.fills.len = own.written.fills.cap = 0;
    for (uint32_t i = 0; i < o->written.fills.len; i++)
        vec_push(ctx->mem, &own.written.fills, o->written.fills.at[i]);
    own.tensors.in_memory.at = NULL;
    own.tensors.in_memory.len = own.tensors.in_memory.cap = 0;
    for (uint32_t i = 0; i < o->tensors.in_memory.len; i++)
        vec_push(ctx->mem, &own.tensors.in_memory, o->tensors.in_memory.at[i]);
    const fe_span right = fe_behind(all, n + 1);
    factors by = {"", ""};
    const char *left = rewrite_left(&s, (fe_span){text, n - adds}, right, &by),
               *made = rewrite_right(&s, right);
    if (own.tensors.in_memory.len == o->tensors.in_memory.len || s.failed)
        return s.failed ? NULL : o;
    compile_options *chosen = arena_new(ctx->mem, compile_options);
    own.written.expression = *by.before ? arena_printf(ctx->mem, "%s %s %s(%s)%s", left, adds ? "+=" : "=",
                                                       by.before, made, by.behind)
                                        : arena_printf(ctx->mem, "%s %s%s", left, adds ? "+=" : "=", made);
    keep_read(&own);
    own.tensors.inputs = without_read(&s, &o->tensors.inputs);
    own.tensors.generators = without_read(&s, &o->tensors.generators);
    own.written.fills = without_read(&s, &own.written.fills);
    own.written.formats = without_read(&s, &o->written.formats);
    own.written.typed = o->written.typed ? o->written.typed : text;
    *chosen = own;
    diag_note(ctx->diag, (src_loc){0}, "indices are selected by products: %s", own.written.expression);
    return chosen;
}
