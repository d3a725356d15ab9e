/* source.c - the content of an operand, from memory, a file or a generator. */
#include "kernel/source.h"
#include "kernel/words.h"

compile_source compile_source_of(const compile_options *o, const char *name) {
    compile_source of = {.file = compile_argument_for(&o->tensors.inputs, name),
                         .generator = compile_argument_for(&o->tensors.generators, name)};
    for (uint32_t i = 0; i < o->tensors.given.len && !of.given; i++)
        of.given = strcmp(o->tensors.given.at[i].name, name) == 0 ? &o->tensors.given.at[i].data : NULL;
    return of;
}

bool compile_has_source(const compile_source *from) {
    return from->given || from->file || from->generator;
}

bool compile_take(const compile_options *o, compile_context *ctx, const compile_source *from,
                  const compile_taken *as, tile_tensor *out) {
    if (from->given) {
        *out = *from->given;
        if (!compile_type_given(o, ctx, as->scale, out))
            return false;
        out->name = as->name;
        return tile_squeeze(out, as->order, as->called, ctx->diag);
    }
    if (!from->file)
        return tile_generate(from->generator, as->name, as->number, o->seed, o->tensors.dtype, ctx->mem,
                             ctx->diag, out) &&
               compile_scale_words(o, ctx, as->scale, out);
    const compile_file of = {
        compile_operand_path(ctx, from->file, as->called), as->order, as->values, {.name = as->name}};
    return compile_read_values(o, ctx, &of, as->scale, out);
}
