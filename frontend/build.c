/* build.c - the passes from a scheduled statement to its graph, and the choice of what to write.
 *
 * A dense result level has a place for every coordinate, so its writer must meet them all. Where the loops do
 * not, fe_fill adds operands of ones, which costs time; and some graphs still cannot be. The host can do the
 * same for nothing: the kernel writes the level compressed, and tile_unpack makes of it what was asked for.
 *
 * A partial sum inside a loop that may run empty needs exact stops (E0126). As a sum of the whole right side,
 * with what it was added to in its first iteration, it does not: a dropper in front of the reducer removes
 * the points that are not.
 */
#include "frontend/fe_int.h"

static bool fill_and_lower(const sam_statement *plain, const fe_lower_options *options, arena *mem,
                           diagnostics *d, sam_statement *packed, sam_graph *out) {
    if (!fe_fill(plain, mem, d, packed))
        return false;
    if (options->pad)
        fe_pad(packed, mem);
    if (options->locate)
        fe_locate(packed, mem);
    return fe_lower(packed, options, mem, d, out);
}

static bool lowers(const sam_statement *plain, const fe_lower_options *options, arena *mem,
                   sam_statement *packed, sam_graph *out) {
    diagnostics quiet;
    diag_init(&quiet, mem);
    return fill_and_lower(plain, options, mem, &quiet, packed, out);
}

static bool build(const sam_statement *s, bool sparse_result, const fe_lower_options *options, arena *mem,
                  diagnostics *d, sam_statement *packed, sam_graph *out) {
    sam_statement plain, pulled;
    if (!fe_pack(s, sparse_result, mem, d, &plain))
        return false;
    if (!options->exact_stops && !lowers(&plain, options, mem, packed, out)) {
        fe_copy_statement(&plain, mem, &pulled);
        if (fe_pull_sums(&pulled, mem) && lowers(&pulled, options, mem, packed, out))
            return true;
    }
    return fill_and_lower(&plain, options, mem, d, packed, out);
}

static bool has_dense_result(const sam_statement *s) {
    const sam_tensor_data *t = sam_tensor_at(s, s->result);
    for (uint32_t l = 0; l < t->order; l++) {
        if (t->level[l] == SAM_LEVEL_DENSE)
            return true;
    }
    return false;
}

static uint32_t count_ones(const sam_statement *s) {
    uint32_t n = 0;
    for (uint32_t t = 0; t < s->tensors.len; t++)
        n += s->tensors.at[t].ones;
    return n;
}

bool fe_build(const sam_statement *s, const fe_lower_options *options, arena *mem, diagnostics *d,
              sam_statement *packed, sam_graph *out) {
    if (has_dense_result(s)) {
        diagnostics quiet;
        sam_statement sparse_packed;
        sam_graph sparse;
        diag_init(&quiet, mem);
        bool as_declared = build(s, false, options, mem, &quiet, packed, out);
        bool filled = as_declared && count_ones(packed) > 0;
        if ((!as_declared || (filled && !options->exact_stops)) &&
            build(s, true, options, mem, &quiet, &sparse_packed, &sparse) &&
            (!as_declared || count_ones(&sparse_packed) < count_ones(packed))) {
            *packed = sparse_packed;
            *out = sparse;
            return true;
        }
        if (as_declared)
            return true;
    }
    return build(s, false, options, mem, d, packed, out);
}
