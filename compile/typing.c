/* typing.c - facts about values, and the reference's judgement of a type. */
#include "compile/typing.h"
#include "kernel/functions.h"
#include "kernel/operands.h"
#include "tiling/wide.h"

#include <math.h>

enum { LARGEST_WORD = INT16_MAX, DIGITS = 53 };

/* Returns the scale at which the value's last bit is worth 1. */
static int exact_scale(double x) {
    int exponent;
    const double fraction = frexp(fabs(x), &exponent);
    const int64_t digits = isfinite(x) ? (int64_t)ldexp(fraction, DIGITS) : 0;
    return digits ? DIGITS - exponent - __builtin_ctzll((uint64_t)digits) : -DIGITS;
}

int typing_most_scale(double x) {
    if (!(x > 0))
        return DIGITS;
    const int scale = 14 - ilogb(x);
    return nearbyint(ldexp(x, scale)) <= LARGEST_WORD ? scale : scale - 1;
}

void typing_add_value(value_facts *f, double x) {
    const double size = fabs(x), whole = nearbyint(x);
    f->exact = !f->values || exact_scale(x) > f->exact ? exact_scale(x) : f->exact;
    f->values++;
    f->fractions += whole != x;
    f->beyond += !(whole >= INT16_MIN && whole <= INT16_MAX);
    f->largest = size > f->largest || isnan(x) ? size : f->largest;
}

bool typing_parse(const compile_options *o, bool scaled, compile_context *ctx, sam_statement *out) {
    fe_in in;
    compile_context own = *ctx;
    own.functions = NULL; /* functions are read for a single type */
    if (!compile_frontend_input(o, &own, &in))
        return false;
    in.scaled = scaled;
    in.keeps_absent = true; /* values are the same, and no complement is too large to read */
    return (fe_parse(&in, ctx->names, ctx->mem, ctx->diag, out) || compile_propose_functions(ctx)) &&
           fe_check(out, ctx->diag);
}

compile_options *typing_stated(const typing *t, tile_dtype dtype) {
    compile_options *own = arena_new(t->ctx->mem, compile_options);
    *own = *t->o;
    own->tensors.dtype = dtype;
    own->tensors.typing = COMPILE_TYPE_STATED;
    own->tensors.type_why = "";
    return own;
}

bool typing_judge(const typing *t, const compile_options *o, const sam_statement *st, verdict *out) {
    arena scratch = {0};
    compile_context own = t->quiet;
    compile_data data = {0};
    tile_tensor want;
    tile_accuracy accuracy;
    own.mem = &scratch;
    const bool is = compile_read_operands(o, &own, st, &data) &&
                    tile_reference(st, &data.operands, own.mem, own.diag, &want);
    if (is)
        tile_match_width(&want, tile_is_wide_alone(st));
    *out = (verdict){.fits = is && !want.wrapped};
    const double *exact = is ? tile_original(&want) : NULL;
    for (uint64_t e = 0; exact && e < want.nnz; e++)
        out->largest = fmax(out->largest, fabs(exact[e]));
    if (is) {
        tile_measure(&want, &want, o->tensors.dtype, &accuracy);
        out->lost = accuracy.lost;
    }
    arena_free(&scratch);
    return is;
}
