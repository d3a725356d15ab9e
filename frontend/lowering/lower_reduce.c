/* lower_reduce.c - from the values inside all loops to the writers: reducers, droppers, level writers.
 *
 * The outermost scope has the result's loops and those of the sums around the whole right side, in any order.
 * From the innermost outwards, a sum with no result loop inside it is a scalar reducer, one with n of them an
 * order-n reducer (vector, matrix, ...): it takes their coordinate streams and the values, and gives the same
 * without the sum's level. What is left are the result's loops.
 *
 * Agreement of the writers: a coordinate may reach its writer only with a fiber in the next level, and the
 * values must be as many as the innermost coordinates.
 *   - No reduction: values and innermost coordinates come in pairs. If a loop may run empty inside another,
 *     droppers between all loops, from the innermost outwards, each fed by the kept outer coordinates of
 *     the one below, remove exactly the coordinates with nothing under them.
 *   - Scalar reductions innermost, and no result loop may run empty inside another: the reducer emits one
 *     value for each fiber, empty or not, so one for each innermost result coordinate, and no coordinate
 *     is dropped.
 *   - Scalar reductions, and some result loop may run empty inside another: on streams whose stops do not say
 *     what they close, the stop of an outer coordinate without inner ones looks to a reducer like one more
 *     empty fiber, so a value too many would appear. Then (and with options->drop, to leave out the zeros of
 *     empty reductions) a dropper removes the empty fibers in front of the reducer together with their
 *     coordinates, and droppers go on outwards.
 *   - An order-n reducer passes coordinates and values together; outside of it as without a reduction.
 *   - A dense level of the result keeps every coordinate, so nothing is dropped from it: where something
 * below may be empty, only exact stops say how many fibers to write.
 */
#include "frontend/language/statement.h"
#include "frontend/lowering/lower_int.h"
#include "frontend/lowering/reach.h"

/* ---- droppers -------------------------------------------------------------------------------- */

/* Removes coordinates of loop `outer` without coordinates in `inner`; both streams continue at the
 * dropper. */
static void add_dropper(lowering *w, loop *outer, sam_var inner_var, stream *inner, sam_stream type) {
    sam_node n = lower_add_node(w, SAM_CRDDROP, sam_var_at(w->s, outer->var)->loc);
    sam_node_at(w->g, n)->outer = sam_var_at(w->s, outer->var)->name;
    sam_node_at(w->g, n)->inner = sam_var_at(w->s, inner_var)->name;
    lower_feed(w, outer->crd, n, 0, SAM_STREAM_CRD);
    lower_feed(w, *inner, n, 1, type);
    outer->crd = lower_out(n, 0);
    *inner = lower_out(n, 1);
    outer->full = false;
}

/* Droppers between every two loops. All of them from the innermost on, even if only an outer one may be
 * empty: an empty fiber would otherwise leave its stop at the head of the inner streams, where a writer
 * closes a segment. */
static void add_coordinate_droppers(lowering *w, loops *l) {
    for (uint32_t i = l->len; i-- > 1;) {
        if (!l->at[i - 1].dense)
            add_dropper(w, &l->at[i - 1], l->at[i].var, &l->at[i].crd, SAM_STREAM_CRD);
    }
}

/* Returns whether some loop may be empty for a coordinate of the loop around. */
static bool any_empty_inside(const loops *l, uint32_t to) {
    return to > 1 && lower_first_empty(l, 1, to) < to;
}

static bool any_dense(const loops *l) {
    for (uint32_t i = 0; i < l->len; i++) {
        if (l->at[i].dense)
            return true;
    }
    return false;
}

/* ---- reducers -------------------------------------------------------------------------------- */

/* Returns whether the loop's coordinates come from one scanner, without a joiner. The values of these fibers
 * come as fast as a writer takes coordinates, and the chip's dropper errs if exactly one of its sinks is
 * full. The dropper would drop little: the number of fibers is the scanned operand's. */
static bool is_scanned_alone(const lowering *w, const loop *l) {
    return l->crd.node.v && sam_node_at(w->g, l->crd.node)->kind == SAM_FIBERLOOKUP;
}

/* Loops [0, results) are the result's, the others are reduced to a scalar each. Droppers are optional only
 * before a single reducer: the chip's dropper loses stops needed by a second reducer. */
static void reduce_scalars(lowering *w, loops *l, uint32_t results, stream *val) {
    bool must_drop = any_empty_inside(l, results);
    /* A reduction over nothing gives the result's fill, unless the user set another fill. */
    bool want_drop = w->options->drop && !w->s->everywhere && results > 0 && results + 1 == l->len &&
                     any_empty_inside(l, l->len) &&
                     !(w->options->pad && is_scanned_alone(w, &l->at[l->len - 1]));
    bool drop_values = (must_drop || want_drop) && !any_dense(l);
    for (; l->len > results; l->len--) {
        loop *inner = &l->at[l->len - 1];
        if (drop_values) {
            add_dropper(w, inner - 1, inner->var, val, SAM_STREAM_VAL);
            inner->may_be_empty = false;
        }
        *val = lower_reducer(w, *val, inner, sam_var_at(w->s, inner->var)->loc);
    }
    if (must_drop || drop_values)
        add_coordinate_droppers(w, l);
}

/* Sums `sum` over the loops `inside`, which are the result's. */
static void add_tensor_reducer(lowering *w, const loop *sum, loops *inside, stream *val) {
    uint8_t order = (uint8_t)inside->len;
    loop *first = &inside->at[0];
    sam_node n =
        lower_add_loop_node(w, SAM_VECTORREDUCER, inside->at[order - 1].var, sam_var_at(w->s, sum->var)->loc);
    sam_node_at(w->g, n)->depth = order;
    sam_node_at(w->g, n)->alu = lower_reduction_name(w, sum->operation);
    for (uint8_t i = 0; i < order; i++) {
        lower_feed(w, inside->at[i].crd, n, i, SAM_STREAM_CRD);
        inside->at[i].crd = lower_out(n, i);
    }
    lower_feed(w, *val, n, order, SAM_STREAM_VAL);
    *val = lower_out(n, order);
    for (uint8_t i = order; i-- > 1;) { /* only points leave a reducer */
        loop *outer = &inside->at[i - 1];
        outer->may_be_empty = outer->may_be_empty || inside->at[i].may_be_empty;
        outer->full = outer->full && !inside->at[i].may_be_empty;
        inside->at[i].may_be_empty = false;
    }
    first->may_be_empty = first->may_be_empty || sum->may_be_empty;
    first->full = first->full && !first->may_be_empty;
}

/* Without exact stops, a scalar reducer inside a possibly empty result loop makes a value too many for an
 * outer order-n reducer. */
static bool scalar_is_sound(lowering *w, const loops *l, uint32_t at) {
    uint32_t results = at;
    while (!l->at[results - 1].in_result)
        results--;
    uint32_t empty = lower_first_empty(l, 0, results);
    if (w->options->exact_stops || empty == results)
        return true;
    sam_var v = l->at[at].var;
    diag_unmappable(
        w->d, sam_var_at(w->s, v)->loc, "E0126-partial-sum",
        "the sum over '%s' runs inside loop '%s', which may meet no coordinate at all, and its values "
        "are then accumulated with other coordinates",
        fe_var_text(w->s, v), fe_var_text(w->s, l->at[empty].var));
    return diag_hint(w->d, "make the sums the innermost loops with -s \"reorder(...)\"");
}

static bool reduce_tensors(lowering *w, loops *l, stream *val) {
    loops inside = {0};
    for (uint32_t i = l->len; i-- > 0;) {
        if (l->at[i].in_result) {
            vec_push(w->mem, &inside, (loop){0});
            memmove(inside.at + 1, inside.at, (inside.len - 1) * sizeof *inside.at);
            inside.at[0] = l->at[i];
        } else if (inside.len) {
            add_tensor_reducer(w, &l->at[i], &inside, val);
        } else if (scalar_is_sound(w, l, i)) {
            *val = lower_reducer(w, *val, &l->at[i], sam_var_at(w->s, l->at[i].var)->loc);
        } else {
            return false;
        }
    }
    *l = inside;
    return true;
}

/* Afterwards l holds the result's loops only, with the coordinates and values for the writers. */
static bool reduce_and_drop(lowering *w, loops *l, stream *val) {
    uint32_t results = 0, reduction = 0;
    for (uint32_t i = 0; i < l->len; i++)
        results += l->at[i].in_result;
    while (reduction < l->len && l->at[reduction].in_result)
        reduction++;
    if (reduction == results && results < l->len) {
        reduce_scalars(w, l, results, val);
        return true;
    }
    if (results < l->len && !reduce_tensors(w, l, val))
        return false;
    if (any_empty_inside(l, l->len))
        add_coordinate_droppers(w, l);
    return true;
}

/* ---- writers --------------------------------------------------------------------------------- */

/* Returns the result's format with this level compressed, as "X:ss:1,0". */
static const char *compressed_format(const lowering *w, uint32_t level) {
    const sam_tensor_data *result = sam_tensor_at(w->s, w->s->result);
    const char *levels = "", *modes = "";
    for (uint32_t i = 0; i < result->order; i++) {
        bool dense = i != level && result->level[i] == SAM_LEVEL_DENSE;
        levels = arena_printf(w->mem, "%s%c", levels, dense ? 'd' : 's');
        modes = arena_printf(w->mem, "%s%c%u", modes, i ? ',' : ':', result->mode[i]);
    }
    return arena_printf(w->mem, "%s:%s%s", fe_tensor_text(w->s, w->s->result), levels, modes);
}

/* A level without stored coordinates must receive every coordinate, each with a segment of its own. */
static bool check_dense_level(lowering *w, const loops *l, uint32_t level, bool reduced) {
    const sam_tensor_data *result = sam_tensor_at(w->s, w->s->result);
    if (!l->at[level].full && !l->at[level].filled)
        diag_error(w->d, result->loc, "E0124-dense-result",
                   "level %u of %s is dense, but loop '%s' does not reach every coordinate of it", level,
                   fe_tensor_text(w->s, w->s->result), fe_var_text(w->s, l->at[level].var));
    else if (!w->options->exact_stops && any_empty_inside(l, l->len) && (reduced || level + 1 < l->len))
        diag_unmappable(w->d, result->loc, "E0124-dense-result",
                        "level %u of %s is dense, but some of its coordinates may have nothing below them, "
                        "and the writers cannot tell how many",
                        level, fe_tensor_text(w->s, w->s->result));
    else
        return true;
    return diag_hint(w->d, "store it compressed: -f %s", compressed_format(w, level));
}

static void write_level(lowering *w, const loops *l, uint32_t level) {
    const sam_tensor_data *result = sam_tensor_at(w->s, w->s->result);
    sam_node n = lower_add_loop_node(w, SAM_FIBERWRITE, l->at[level].var, result->loc);
    sam_node_data *node = sam_node_at(w->g, n);
    node->tensor = result->name;
    node->mode = result->mode[level];
    node->format = result->level[level];
    lower_feed(w, l->at[level].crd, n, 0, SAM_STREAM_CRD);
}

static void note_filled(lowering *w, loops *l) {
    fe_vars vars = {0};
    for (uint32_t i = 0; i < l->len; i++)
        vec_push(w->mem, &vars, l->at[i].var);
    for (uint32_t i = 0; i < l->len; i++)
        l->at[i].filled = l->at[i].dense && fe_level_is_filled(w->s, &vars, l->at[i].var, w->mem);
}

bool lower_result(lowering *w, loops *l, stream val) {
    const sam_tensor_data *result = sam_tensor_at(w->s, w->s->result);
    bool reduced = l->len > result->order;
    note_filled(w, l);
    if (!reduce_and_drop(w, l, &val))
        return false;
    BUG_IF(l->len != result->order, "%u loops write %u levels", l->len, result->order);
    for (uint32_t level = 0; level < l->len; level++) {
        if (l->at[level].dense && !check_dense_level(w, l, level, reduced))
            return false;
        write_level(w, l, level);
    }
    sam_node n = lower_add_node(w, SAM_FIBERWRITE, result->loc);
    sam_node_at(w->g, n)->tensor = result->name;
    sam_node_at(w->g, n)->mode = SAM_MODE_VALS;
    lower_feed(w, val, n, 0, SAM_STREAM_VAL);
    return true;
}
