/* types.c - the type of a program's values by its file and its data. */
#include "programs/scales.h"
#include "support/inputs.h"
#include "support/number.h"

/* Takes a word of the file, unless the command line says another one. */
static void take(compile_context *ctx, const char *what, const char *word, bool said, const char **out) {
    if (!word)
        return;
    if (said && strcmp(*out, word) != 0)
        diag_note(ctx->diag, (src_loc){0}, "%s %s of the command line, in place of %s in the program file",
                  what, *out, word);
    *out = said ? *out : word;
}

static const char *type_word(const compile_options *o) {
    return o->tensors.typing == COMPILE_TYPE_SCALED ? "q16"
           : o->tensors.typing == COMPILE_TYPE_AUTO ? "auto"
           : o->tensors.dtype == TILE_DTYPE_BF16    ? "bf16"
                                                    : "int16";
}

static bool take_type(compile_context *ctx, const char *word, compile_options *own) {
    static const char *const words[] = {"int16", "bf16", "auto", "q16", NULL};
    static const compile_typing typings[] = {COMPILE_TYPE_STATED, COMPILE_TYPE_STATED, COMPILE_TYPE_AUTO,
                                             COMPILE_TYPE_SCALED};
    const char *type = type_word(own);
    uint32_t which = 0;
    take(ctx, "dtype", word, own->said.dtype, &type);
    while (words[which] && strcmp(words[which], type) != 0)
        which++;
    if (!words[which])
        return compile_bad_value(ctx->diag, "dtype of the program", type, "int16, bf16, q16 or auto");
    own->tensors.dtype = which == 1 ? TILE_DTYPE_BF16 : TILE_DTYPE_INT16;
    own->tensors.typing = typings[which];
    return true;
}

/* Takes what the file states of itself. */
static bool take_stated(compile_context *ctx, compile_options *own) {
    fe_program_options stated;
    size_t length = 0;
    const char *text = compile_program_text(own, ctx, &length);
    const fe_program_in in = {.name = own->written.expression, .text = text, .length = length};
    if (!text || !fe_program_stated(&in, ctx->mem, ctx->diag, &stated))
        return false;
    take(ctx, "profile", stated.profile, own->said.profile, &own->target.profile);
    take(ctx, "board", stated.board, own->said.board, &own->target.board);
    if (stated.functions && !own->said.functions)
        vec_push(ctx->mem, &own->written.functions, stated.functions);
    return take_type(ctx, stated.dtype, own);
}

static compile_options *copy_of(const compile_options *o, arena *mem) {
    compile_options *own = arena_new(mem, compile_options);
    *own = *o;
    return own;
}

static const char *operands_beyond(const compile_application *a, const compile_context *ctx) {
    for (uint32_t t = 0; t < a->program.tensors.len; t++) {
        const tile_tensor *one = &a->initial[t];
        const uint64_t n = one->rounded ? one->rounded : one->wrapped;
        if (n)
            return arena_printf(ctx->mem, "%llu of %llu %s of %s %s", (unsigned long long)n,
                                (unsigned long long)one->nnz, plural(one->nnz, "value", "values"),
                                names_text(ctx->names, a->program.tensors.at[t].name),
                                one->rounded ? plural(n, "is not whole", "are not whole")
                                             : plural(n, "is beyond 16 bits", "are beyond 16 bits"));
    }
    return NULL;
}

/* Returns whether the program and its data are of bf16, or of scaled integers. */
static bool reads_otherwise(const compile_options *o, compile_context *ctx) {
    compile_application a = {0};
    compile_options other = *o;
    other.tensors.dtype = TILE_DTYPE_BF16;
    if (compile_program_read(&other, ctx, &a))
        return true;
    other.tensors.dtype = TILE_DTYPE_INT16;
    other.tensors.typing = COMPILE_TYPE_SCALED;
    return compile_program_read(&other, ctx, &a);
}

/* Returns the reason why 16-bit integers do not hold the program's operands, or its values by the reference;
 * NULL: they hold, or the answer is unknown. */
static const char *integers_beyond(const compile_options *o, compile_context *ctx) {
    compile_application a = {0};
    uint64_t wrapped = 0;
    if (!compile_program_read(o, ctx, &a))
        return reads_otherwise(o, ctx) ? "the program is not one of whole numbers" : NULL;
    const char *why = operands_beyond(&a, ctx);
    if (why || !o->running.check || !o->running.executes)
        return why;
    a = (compile_application){0};
    compile_program_reference(o, ctx, &a);
    for (uint32_t i = 0; i < a.plans.len; i++)
        wrapped += a.plans.at[i].wrapped;
    return wrapped ? "values are beyond 16 bits" : NULL;
}

const compile_options *compile_choose_program_type(const compile_options *o, compile_context *ctx) {
    compile_options *own = copy_of(o, ctx->mem);
    diagnostics unheard;
    if (!take_stated(ctx, own))
        return NULL;
    if (own->tensors.typing == COMPILE_TYPE_STATED)
        return own;
    if (own->tensors.typing == COMPILE_TYPE_SCALED)
        return compile_program_scales(own, NULL, ctx);
    compile_context quiet = *ctx;
    diag_init(&unheard, ctx->mem);
    quiet.diag = &unheard;
    own->tensors.dtype = TILE_DTYPE_INT16;
    own->tensors.typing = COMPILE_TYPE_STATED;
    own->tensors.type_why = "int16 by the data: all values and results are whole and fit";
    const char *why = integers_beyond(own, &quiet);
    ctx->files = quiet.files;
    inputs_note_all(ctx->diag, &unheard);
    return why ? compile_program_scales(own, why, ctx) : own;
}
