/* A statement compiled, run and compared with the reference. */
#include "compile/compile.h"
#include "compile/fallback.h"
#include "compile/fastest.h"
#include "compile/reference.h"
#include "engines/engines.h"
#include "kernel/array.h"
#include "kernel/operands.h"
#include "kernel/words.h"
#include "kernel/written.h"
#include "tiling/wide.h"

bool compile_check_edges(const compile_options *o, compile_context *ctx, const compile_kernel *k,
                         uint32_t most) {
    bool ok = true;
    for (uint32_t n = 0; ok && n <= k->producers.len; n++) {
        const compile_kernel *one = n ? &k->producers.at[n - 1] : k;
        const uint32_t longest = tile_longest(&one->lowered.statement, &one->tiling.options, NULL);
        ok = one->on_host || compile_check_deadlock(o, ctx, one, longest < most ? longest : most);
    }
    return ok;
}

/* A sum of equal terms of bfloat16 stands still at 256 of them; the bound on other orders is as wide. */
static void warn_stagnation(compile_context *ctx, name_id name, const tile_accuracy *a) {
    const uint32_t long_sum = 64;
    const double much = 0.1;
    if (a->addends < long_sum || !(a->largest_relative > much))
        return;
    diag_warning(
        ctx->diag, (src_loc){0}, "E0346-stagnated",
        "%s is off by up to %.3g %% of what double precision makes of the data: sums of %u bf16 terms "
        "stagnate or cancel",
        names_text(ctx->names, name), 100 * a->largest_relative, a->addends);
    diag_hint(ctx->diag, "--engine cycle adds parts of sums in float32; --dtype q16 adds exactly");
}

void compile_refuse_error(const compile_options *o, compile_context *ctx, name_id name,
                          const tile_accuracy *a) {
    warn_stagnation(ctx, name, a);
    if (!o->running.bounded || a->largest_relative <= o->running.tolerance)
        return;
    const char *off = isfinite(a->largest_relative)
                          ? arena_printf(ctx->mem, "off by up to %.3g %% of what", 100 * a->largest_relative)
                          : arena_printf(ctx->mem, "%.3g in place of %.3g, which", a->value, a->exact);
    diag_mismatch(ctx->diag, (src_loc){0}, "E0345-tolerance",
                  "%s is %s double precision makes of the data, and --tolerance is %.3g %%",
                  names_text(ctx->names, name), off, 100 * o->running.tolerance);
    diag_hint(ctx->diag, "the line 'accuracy' of the summary says why; --dtype bf16 keeps fractions, "
                         "--profile onyx-ext sums of bf16");
}

const char *compile_check(const compile_options *o, compile_context *ctx, compile_kernel *k,
                          const tile_operands *in, const tile_tensor *got) {
    tile_tensor want;
    if (!o->running.check || (k->graph.is && !k->graph.exact && o->target.engine == ENGINE_SAM))
        return "none";
    compile_stage(ctx, "computing the reference", 0);
    if (k->graph.is && o->target.engine != ENGINE_SAM) {
        bool same = tile_equal(got, &k->graph.want, o->tensors.dtype, ctx->names, ctx->diag);
        if (!same || !k->graph.exact)
            return same ? "pass" : "fail";
    }
    if (!compile_take_reference(ctx, k, in, &want))
        return "none";
    tile_match_width(&want, tile_wide(got) != NULL);
    if (want.wrapped) {
        diag_warning(ctx->diag, (src_loc){0}, "E0351-wrapped",
                     "%llu of %llu %s of %s %s in 16 bits, as on the chip, or %s made of one that did",
                     (unsigned long long)want.wrapped, (unsigned long long)(want.nnz + want.fill_wrapped),
                     plural(want.nnz + want.fill_wrapped, "value", "values"),
                     names_text(ctx->names, want.name), compile_beyond_range(&k->user),
                     plural(want.wrapped, "is", "are"));
        diag_hint(ctx->diag, "scale the operands, or compute in floating point with --dtype bf16");
    }
    tile_measure(got, &want, o->tensors.dtype, &k->ran.accuracy);
    if (!tile_equal(got, &want, o->tensors.dtype, ctx->names, ctx->diag))
        return "fail";
    compile_refuse_error(o, ctx, want.name, &k->ran.accuracy);
    return "pass";
}

/* Makes the graph of the statement, with the loops in the order with the fewest cycles. */
static bool to_fastest_graph(const compile_options *o, compile_context *ctx, compile_kernel *k) {
    compile_options own = *o;
    if (!compile_take_folder(ctx, o->files.out))
        return false;
    const char *said = compile_take_fastest(o, ctx, &own, &k->data);
    const bool ok = compile_to_graph(&own, ctx, k);
    k->choices.staged = said ? said : k->choices.staged;
    return ok;
}

static bool run_once(const compile_options *o, compile_context *ctx, compile_kernel *k) {
    bool ok =
        o->target.engine == ENGINE_SAM ? to_fastest_graph(o, ctx, k) : compile_to_bitstream_once(o, ctx, k);
    if (!ok || !compile_read_operands(o, ctx, &k->user, &k->data) || !compile_may_divide(o, ctx, k))
        return false;
    compile_begin_reference(o, ctx, k);
    const bool ran = compile_run_kernels(o, ctx, k, &k->data.operands);
    if (!ran)
        compile_drop_reference(k);
    return ran;
}

bool compile_and_run(const compile_options *o, compile_context *ctx, compile_kernel *k, const char **check) {
    double start = seconds_now();
    uint32_t errors;
    if (!compile_with_fallbacks(o, ctx, k, run_once)) {
        compile_blame_edge(o, ctx, run_once);
        return false;
    }
    if (o->running.shards) { /* the result needs all shards */
        *check = "none";
        k->times.total = seconds_now() - start;
        return true;
    }
    errors = ctx->diag->errors;
    k->ran.result.scale = sam_tensor_at(&k->user, k->user.result)->scale;
    *check = compile_check(o, ctx, k, &k->data.operands, &k->ran.result);
    if (ctx->diag->errors > errors) /* some value of the reference does not exist */
        return false;
    k->times.total = seconds_now() - start;
    const char *said = compile_argument_for(&o->written.formats, names_text(ctx->names, k->ran.result.name));
    return compile_write_outputs(o, ctx, &k->ran.result) &&
           compile_write_result(o, ctx, said, &k->ran.result);
}
