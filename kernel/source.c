/* source.c - the content of an operand, from memory, a file or a generator. */
#include "kernel/source.h"
#include "kernel/words.h"
#include "support/inputs.h"

#include <stdlib.h>

compile_source compile_source_of(const compile_options *o, const char *name) {
    compile_source of = {.file = compile_argument_for(&o->tensors.inputs, name),
                         .generator = compile_argument_for(&o->tensors.generators, name)};
    for (uint32_t i = 0; i < o->tensors.in_memory.len && !of.in_memory; i++)
        of.in_memory =
            strcmp(o->tensors.in_memory.at[i].name, name) == 0 ? &o->tensors.in_memory.at[i].data : NULL;
    return of;
}

bool compile_has_source(const compile_source *from) {
    return from->in_memory || from->file || from->generator;
}

/* Generates a tensor, or takes the one that an earlier pass generated. */
static bool generate(const compile_options *o, compile_context *ctx, const char *spec,
                     const compile_taken *as, tile_tensor *out) {
    compile_generators *g = ctx->generators;
    compile_generated one = {.spec = spec, .number = as->number, .seed = o->seed, .dtype = o->tensors.dtype};
    for (uint32_t i = 0; i < g->all.len; i++) {
        const compile_generated *made = &g->all.at[i];
        if (made->number == one.number && made->seed == one.seed && made->dtype == one.dtype &&
            strcmp(made->spec, spec) == 0) {
            *out = made->t;
            out->name = as->name;
            return true;
        }
    }
    if (!tile_generate(spec, as->name, one.number, one.seed, one.dtype, g->mem, ctx->diag, &one.t))
        return false;
    one.spec = arena_strndup(g->mem, spec, strlen(spec));
    vec_push(g->mem, &g->all, one);
    *out = one.t;
    return true;
}

bool compile_take(const compile_options *o, compile_context *ctx, const compile_source *from,
                  const compile_taken *as, tile_tensor *out) {
    if (from->in_memory) {
        *out = *from->in_memory;
        if (!compile_type_original(o, ctx, as->scale, out))
            return false;
        out->name = as->name;
        return tile_squeeze(out, as->order, as->called, ctx->diag);
    }
    if (!from->file)
        return generate(o, ctx, from->generator, as, out) && compile_scale_words(o, ctx, as->scale, out);
    const compile_file of = {compile_operand_path(ctx, from->file, as->called),
                             as->order,
                             as->values,
                             {.name = as->name},
                             TILE_DTYPE_ORIGINAL};
    return compile_read_values(o, ctx, &of, as->scale, out);
}

/* Reads "42x80:0.05" as far as the colon; false for another order or a fill of taco's. */
static bool read_sizes(const char *spec, uint32_t order, uint32_t *dim) {
    uint32_t n = 0;
    char *end = (char *)spec;
    for (; n < order && *spec >= '0' && *spec <= '9'; n++, spec = end + (*end == 'x'))
        dim[n] = (uint32_t)strtoul(spec, &end, 10);
    return n == order && *end == ':';
}

bool compile_find_shape(const compile_options *o, compile_context *ctx, const compile_source *from,
                        const compile_taken *as, uint32_t *dim, bool *inferred) {
    diagnostics unheard;
    compile_context own = *ctx;
    const bool stated =
        o->tensors.typing == COMPILE_TYPE_STATED && !o->tensors.type_why && !o->tensors.scaled;
    tile_tensor t = {0};
    *inferred = false;
    diag_init(&unheard, ctx->mem);
    own.diag = &unheard;
    if (from->generator)
        return !from->in_memory && !from->file && read_sizes(from->generator, as->order, dim);
    const compile_file of = {from->file ? compile_operand_path(&own, from->file, as->called) : NULL,
                             as->order,
                             as->values,
                             {.name = as->name},
                             stated ? o->tensors.dtype : TILE_DTYPE_ORIGINAL};
    const tile_tensor *read = from->in_memory ? from->in_memory
                              : from->file    ? compile_read_once(&own, &of)
                                              : NULL;
    if (read)
        t = *read;
    const bool found =
        read && !(from->in_memory && from->file) && tile_squeeze(&t, as->order, as->called, &unheard);
    for (uint32_t m = 0; found && m < as->order; m++)
        dim[m] = t.dim[m];
    *inferred = t.dim_inferred;
    ctx->files = own.files;
    inputs_note_all(ctx->diag, &unheard);
    return found;
}
