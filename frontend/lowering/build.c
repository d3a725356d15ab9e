/* build.c - the passes from a scheduled statement to its graph, and the choice of the written format.
 *
 * A dense result level has a place for every coordinate: its writer must receive all coordinates. If the
 * loops do not visit them all, fe_fill adds operands of ones, at a cost of time; some graphs remain
 * impossible. The host does the same at no cost: the kernel writes the level compressed, and tile_unpack
 * makes the requested format.
 *
 * A partial sum inside a possibly empty loop needs exact stops (E0126). As a sum of the whole right side,
 * with its other addend in the first iteration, no exact stops are needed: a dropper before the reducer
 * removes the absent points.
 */
#include "frontend/lowering/build.h"
#include "frontend/language/cin.h"
#include "frontend/lowering/fill.h"
#include "frontend/lowering/locate.h"
#include "frontend/lowering/nest.h"
#include "frontend/lowering/pack.h"
#include "frontend/lowering/pad.h"
#include "frontend/lowering/stepped.h"
#include "sam/coordinates.h"

/* ---- sums that must be whole ------------------------------------------------------------------- */

/* Returns whether partial results of the operand, `left` or right, may pass through x one by one, for a merge
 * by operation `merge` after x. */
static bool passes_partials(const sam_statement *s, const sam_expr_data *x, bool left, sam_operation merge) {
    switch (x->kind) {
    case SAM_EXPR_SUM:
        return x->operation == merge;
    case SAM_EXPR_NEG:
    case SAM_EXPR_MUL:
        return merge == SAM_OPERATION_add;
    case SAM_EXPR_ADD:
    case SAM_EXPR_SUB: /* the other operand must be 0 if absent */
        return merge == SAM_OPERATION_add && sam_fill_of(s, left ? x->b : x->a) == 0;
    case SAM_EXPR_DIV:
        return merge == SAM_OPERATION_add && left;
    case SAM_EXPR_CALL: /* these give 0 or the operand */
        return merge == SAM_OPERATION_add && ((x->operation == SAM_OPERATION_when && !left) ||
                                              (x->operation == SAM_OPERATION_unless && left));
    case SAM_EXPR_NONE:
    case SAM_EXPR_ACCESS:
    case SAM_EXPR_LITERAL:
        break;
    }
    return false;
}

static uint64_t whole_below(const sam_statement *s, sam_expr e, bool partials, sam_operation merge) {
    const sam_expr_data *x = sam_expr_at(s, e);
    bool of_a = partials && passes_partials(s, x, true, merge),
         of_b = partials && passes_partials(s, x, false, merge);
    uint64_t own = x->kind == SAM_EXPR_SUM && !of_a ? UINT64_C(1) << (x->var.v - 1) : 0;
    return own | (x->a.v ? whole_below(s, x->a, of_a, merge) : 0) |
           (x->b.v ? whole_below(s, x->b, of_b, merge) : 0);
}

/* Returns the variables, bit (handle - 1), summed over inside of an operation that needs the whole sum:
 * results of their sub-tiles cannot be merged. Example: j in relu(sum(j, e)). */
static uint64_t whole_sums(const sam_statement *s) {
    const sam_expr_data *x = sam_expr_at(s, s->rhs);
    sam_operation merge = x->kind == SAM_EXPR_SUM ? (sam_operation)x->operation : SAM_OPERATION_add;
    return s->general ? whole_below(s, s->rhs, true, merge) : 0;
}

/* Returns the place in a row of a sum (sam_statement.rows), bit (handle - 1): sub-tiles that are cut there
 * would leave as many values to the host, and operands that no vector in memory is. */
static uint64_t place_in_row(const sam_statement *s) {
    const sam_tensor_data *result = sam_tensor_at(s, s->result);
    const bool rows = result->view.source.v && !result->view.source_order && result->order == 1;
    return rows && sam_expr_at(s, s->rhs)->operation == SAM_OPERATION_add
               ? UINT64_C(1) << (s->result_index[0].v - 1)
               : 0;
}

/* ---- passes ------------------------------------------------------------------------------------ */

static bool fill_and_lower(const sam_statement *plain, const fe_lower_options *options, arena *mem,
                           diagnostics *d, sam_statement *packed, sam_graph *out) {
    if (!fe_fill(plain, mem, d, packed))
        return false;
    if (options->pad)
        fe_pad(packed, options->locate, mem);
    if (options->locate)
        fe_locate(packed, mem);
    packed->uncut = whole_sums(packed) | place_in_row(packed);
    return fe_lower(packed, options, mem, d, out);
}

static bool lowers(const sam_statement *plain, const fe_lower_options *options, arena *mem,
                   sam_statement *packed, sam_graph *out) {
    diagnostics quiet;
    diag_init(&quiet, mem);
    return fill_and_lower(plain, options, mem, &quiet, packed, out);
}

typedef struct {
    sam_statement packed;
    sam_graph graph;
} built;

static bool build(const sam_statement *s, bool sparse_result, const fe_lower_options *options, arena *mem,
                  diagnostics *d, built *out) {
    sam_statement plain, pulled;
    if (!fe_pack(s, sparse_result, mem, d, &plain))
        return false;
    if (plain.singly)
        fe_step_loops(&plain);
    if (!options->exact_stops && !lowers(&plain, options, mem, &out->packed, &out->graph)) {
        fe_copy_statement(&plain, mem, &pulled);
        if (fe_pull_sums(&pulled, mem) && lowers(&pulled, options, mem, &out->packed, &out->graph))
            return true;
    }
    return fill_and_lower(&plain, options, mem, d, &out->packed, &out->graph);
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
    built declared = {0};
    bool done = false;
    if (has_dense_result(s)) {
        diagnostics quiet;
        built sparse;
        diag_init(&quiet, mem);
        done = build(s, false, options, mem, &quiet, &declared);
        bool filled = done && count_ones(&declared.packed) > 0;
        if ((!done || (filled && !options->exact_stops)) && build(s, true, options, mem, &quiet, &sparse) &&
            (!done || count_ones(&sparse.packed) < count_ones(&declared.packed))) {
            declared = sparse;
            done = true;
        }
    }
    done = done || build(s, false, options, mem, d, &declared);
    *packed = declared.packed;
    *out = declared.graph;
    return done;
}
