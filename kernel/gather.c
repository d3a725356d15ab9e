/* gather.c - vectors that an expression reads at the values of another tensor: made into tables. */
#include "kernel/gather.h"
#include "frontend/language/language.h"
#include "kernel/source.h"
#include "sam/binding.h"
#include "tiling/fills.h"

#include <ctype.h>

enum { SEEDS = 64 }; /* generated operands of the expression have the numbers below */

/* Reads the vector, with the fill of --fill, else the fill of its file. */
static bool read_vector(const compile_options *o, compile_context *ctx, const char *name, uint32_t number,
                        tile_tensor *out) {
    const compile_source from = compile_source_of(o, name);
    const compile_taken as = {names_intern(ctx->names, name), name, 1, 0, o->tensors.values, number};
    const char *fill = compile_argument_for(&o->written.fills, name);
    if (!compile_take(o, ctx, &from, &as, out))
        return false;
    if (!fill && from.file)
        fill = tile_stated_fill(from.file, ctx->mem);
    if (fill && !sam_parse_constant(fill, o->tensors.dtype == TILE_DTYPE_BF16, &out->fill))
        out->fill = 0;
    return tile_squeeze(out, 1, name, ctx->diag);
}

/* Returns the words of all coordinates of a vector. */
static uint16_t *words_of(const tile_tensor *v, arena *mem) {
    uint16_t *word = arena_new_n(mem, uint16_t, v->dim[0] + 1);
    for (uint32_t i = 0; i <= v->dim[0]; i++)
        word[i] = v->fill;
    for (uint64_t e = 0; e < v->nnz; e++)
        word[v->crd[e]] = v->val[e];
    return word;
}

static bool add_gather(const compile_options *o, compile_context *ctx, const char *name, fe_functions **all) {
    const uint32_t number = SEEDS + (*all ? (*all)->all.len : 0);
    tile_tensor v = {0};
    if (!read_vector(o, ctx, name, number, &v))
        return false;
    const fe_gathered gathered = {name, words_of(&v, ctx->mem), v.dim[0] ? v.dim[0] : 1};
    fe_add_gather(&gathered, o->tensors.dtype == TILE_DTYPE_INT16, ctx->names, ctx->mem, all);
    return true;
}

/* Returns the end of the parentheses at text[open]; *commas counts the commas directly inside. */
static size_t end_of(const char *text, size_t open, uint32_t *commas) {
    uint32_t depth = 0;
    size_t at = open;
    *commas = 0;
    do {
        depth += text[at] == '(';
        depth -= text[at] == ')';
        *commas += depth == 1 && text[at] == ',';
    } while (depth && text[++at]);
    return text[at] ? at + 1 : at;
}

/* Returns whether a statement of the text assigns the tensor: a table has earlier values. */
static bool is_assigned(const char *text, const char *name) {
    const size_t n = strlen(name);
    uint32_t commas;
    for (const char *at = strstr(text, name); at; at = strstr(at + n, name)) {
        const bool inside = at > text && text_in_name(at[-1]);
        if (inside || at[n] != '(')
            continue;
        const char *sign = at + end_of(at, n, &commas);
        sign += strspn(sign, " \t\r\n");
        sign += *sign == '+';
        if (sign[0] == '=' && sign[1] != '=')
            return true;
    }
    return false;
}

static bool is_operand(const compile_options *o, const char *name) {
    const compile_source of = compile_source_of(o, name);
    return compile_has_source(&of);
}

bool compile_read_gathered(const compile_options *o, compile_context *ctx, const char *text,
                           fe_functions **all) {
    const bool program = strchr(text, '\n') != NULL;
    size_t n;
    uint32_t commas;
    for (const char *at = text; *at; at += n) {
        n = text_name_length(at);
        const size_t open = n + strspn(at + n, " \t\r\n");
        const char *name = arena_strndup(ctx->mem, at, n);
        if (isalpha((unsigned char)*at) && at[open] == '(' && fe_is_call(at, strlen(at), open, false) &&
            !fe_is_defined(*all, name) && is_operand(o, name) && end_of(at, open, &commas) && !commas &&
            !(program && is_assigned(text, name)) && !add_gather(o, ctx, name, all))
            return false;
        n += !n;
    }
    return true;
}

static const fe_user_function *gather_named(const compile_context *ctx, const char *name) {
    const fe_user_function *f = fe_function_named(ctx->functions, name);
    return f && fe_is_gather(f) ? f : NULL;
}

bool compile_is_gathered(const compile_context *ctx, const char *argument) {
    return gather_named(ctx, arena_strndup(ctx->mem, argument, strcspn(argument, ":"))) != NULL;
}

uint32_t compile_count_gathered(const compile_context *ctx, const sam_statement *st) {
    uint32_t n = 0;
    for (uint32_t i = 0; ctx->functions && i < ctx->functions->all.len; i++) {
        const fe_user_function *f = &ctx->functions->all.at[i];
        bool alone = fe_is_gather(f);
        for (uint32_t t = 0; t < st->tensors.len; t++)
            alone = alone && strcmp(names_text(ctx->names, st->tensors.at[t].name), f->name) != 0;
        n += alone;
    }
    return n;
}

/* ---- indices ----------------------------------------------------------------------------------- */

static const char *place_of(const tile_tensor *x, uint64_t entry, arena *mem) {
    const char *text = "";
    for (uint32_t m = 0; m < x->order; m++)
        text = arena_printf(mem, "%s%s%u", text, m ? "," : "", x->crd[entry * x->order + m]);
    return x->order ? arena_printf(mem, "(%s)", text) : "";
}

static bool refuse_index(const sam_program *p, const sam_expr_data *index, const char *what, uint16_t word,
                         diagnostics *d) {
    diag_error(d, index->loc, "E0182-gather", "%s is %g, and %s has %u %s, from 0 to %u", what,
               sam_word_number(word, p->of.fp), p->name, p->entries, plural(p->entries, "entry", "entries"),
               p->entries - 1);
    return diag_hint(d, "an index is a whole number; coordinates count from 0");
}

bool compile_check_index(const sam_statement *st, const sam_program *p, const sam_expr_data *index,
                         const tile_tensor *x, diagnostics *d) {
    const sam_tensor_data *t = sam_tensor_at(st, index->tensor);
    const char *name = names_text(st->names, sam_user_name(t));
    for (uint64_t e = 0; e < x->nnz; e++) {
        if (!sam_is_coordinate(p, x->val[e]))
            return refuse_index(p, index, arena_printf(d->mem, "%s%s", name, place_of(x, e, d->mem)),
                                x->val[e], d);
    }
    return sam_is_coordinate(p, t->fill) ||
           refuse_index(p, index, arena_printf(d->mem, "%s where it stores nothing", name), t->fill, d);
}

bool compile_check_gathered(const sam_statement *st, const tile_operands *all, diagnostics *d) {
    bool ok = true;
    for (uint32_t e = 1; e <= st->exprs.len && ok; e++) {
        const sam_expr_data *x = sam_expr_at(st, (sam_expr){e});
        const sam_expr_data *index = x->program && x->program->entries ? sam_expr_at(st, x->a) : NULL;
        if (index && index->kind == SAM_EXPR_ACCESS && !sam_tensor_at(st, index->tensor)->windowed &&
            !sam_tensor_at(st, index->tensor)->structure)
            ok = compile_check_index(st, x->program, index, &all->operand[index->tensor.v - 1], d);
    }
    return ok;
}
