/* Reducers of a graph: of scalars as a primitive; of vectors as the loop that an accumulator is, or, like
 * those of matrices, as the primitive of profile onyx-ext. */
#include "lower_onyx/lower_reducers.h"
#include "lower_onyx/lowering.h"
#include "lower_onyx/memory.h"
#include "sam/coordinates.h"
#include "sam/operators.h"

/* Returns whether the node adds up bfloat16 numbers where nothing does. */
static bool sums_bf16_in_vain(lowering *l, sam_node h) {
    if (!sam_node_at(l->sam, h)->fp || l->options->extended)
        return false;
    lowering_refuse(
        l, h,
        "the chip's reducer adds 16-bit integers only; use --profile onyx-ext, whose reducers add bf16, "
        "--dtype int16, --engine sam, or an expression without reductions");
    return true;
}

/* Returns the operation of a reducer. */
static const char *reducing(const lowering *l, sam_node h) {
    const name_id by = sam_node_at(l->sam, h)->alu;
    return by.v == 0 ? "add" : names_text(l->sam->names, by);
}

/* An operation of onyx-ext reducers. */
typedef struct {
    const char *name;
    uint32_t value;
    bool bf16;
} reduction;

/* Returns the row for the operation of a reducer; NULL: no row, or a profile with sums only. */
static const reduction *find_reduction(const lowering *l, sam_node h) {
    static const reduction rows[] = {
#define REDUCTION(kind, name, value, bf16) {#name, value, bf16},
#include "boards/onyx/reductions.def"
#undef REDUCTION
    };
    for (size_t i = 0; l->options->extended && i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].name, reducing(l, h)) == 0 && (rows[i].bf16 || !sam_node_at(l->sam, h)->fp))
            return &rows[i];
    }
    return NULL;
}

static onyx_node not_reduced(lowering *l, sam_node h) {
    diag_unmappable(l->d, sam_node_at(l->sam, h)->loc, "E0410-not-on-chip",
                    "%s: nothing on Onyx reduces by %s", sam_node_label(l->sam, h, l->g->mem),
                    reducing(l, h));
    diag_hint(l->d,
              "an accumulator combines by add, min, max, and, or, xor, land or lor; --engine sam by any");
    return (onyx_node){0};
}

/* Returns whether the reducer, which adds, may stand for another operation, for fibers of one value. */
static bool reduces_singly(const sam_graph *g, sam_node h) {
    const sam_node_data *s = sam_node_at(g, h);
    return s->kind == SAM_REDUCE && s->alu.v != 0 && s->index.v != 0 && !s->compress &&
           sam_attribute_of(g, h, "singly").v != 0;
}

onyx_node lower_reduce(lowering *l, sam_node h) {
    const sam_node_data *s = sam_node_at(l->sam, h);
    const reduction *by = find_reduction(l, h);
    if (!by && reduces_singly(l->sam, h) && lowering_edge_along(l->options, s->index) == 1) {
        diag_note(l->d, s->loc, "%s: a run has one coordinate of '%s', and the host combines by %s",
                  sam_node_label(l->sam, h, l->g->mem), names_text(l->sam->names, s->index), reducing(l, h));
        return lowering_add_processing(l, h, ONYX_REDUCE);
    }
    if (!by && strcmp(reducing(l, h), "add") != 0) {
        diag_unmappable(l->d, sam_node_at(l->sam, h)->loc, "E0410-not-on-chip",
                        "%s: the chip's reducer adds, and does not combine by %s",
                        sam_node_label(l->sam, h, l->g->mem), reducing(l, h));
        diag_hint(l->d,
                  "an accumulator does, in an order whose summed loop is outside of a loop of the result%s",
                  sam_node_at(l->sam, h)->fp ? "" : "; so does the reducer of --profile onyx-ext");
        return (onyx_node){0};
    }
    if (sums_bf16_in_vain(l, h))
        return (onyx_node){0};
    if (sam_node_at(l->sam, h)->compress)
        return lowering_refuse(
            l, h, "the chip's reducer makes a zero of an empty fiber; drop coordinates before it");
    onyx_node node = lowering_add_processing(l, h, ONYX_REDUCE);
    const bool fp = sam_node_at(l->sam, h)->fp;
    onyx_set(onyx_node_at(l->g, node), ONYX_SET_REDUCE_BF16, fp);
    onyx_set(onyx_node_at(l->g, node), ONYX_SET_REDUCE_FLOAT32, fp && (!by || by->value == 0));
    if (by && by->value != 0) {
        onyx_set(onyx_node_at(l->g, node), ONYX_SET_REDUCE_OP, by->value);
        onyx_set(onyx_node_at(l->g, node), ONYX_SET_REDUCE_DEFAULT_VALUE,
                 sam_reducing(l->sam, h)->monoid.value);
    }
    return node;
}

const char *lower_reducer_alternative(const lowering *l) {
    const sam_graph *s = l->sam;
    const char *order = "";
    name_id *listed = arena_new_n(l->g->mem, name_id, s->nodes.len + 1);
    uint32_t count = 0;
    for (int results = 1; results >= 0; results--) {
        for (uint32_t i = 0; i < s->nodes.len; i++) {
            const sam_node_data *n = &s->nodes.at[i];
            bool known = n->index.v == 0 || n->kind != (results ? SAM_FIBERWRITE : SAM_FIBERLOOKUP);
            for (uint32_t k = 0; !known && k < count; k++)
                known = name_eq(listed[k], n->index);
            if (known)
                continue;
            order = arena_printf(l->g->mem, "%s%s%s", order, count == 0 ? "" : ",",
                                 names_text(s->names, n->index));
            listed[count++] = n->index;
        }
    }
    return arena_printf(
        l->g->mem, "in the loop order -s \"reorder(%s)\" the sums are innermost and scalar reducers suffice",
        order);
}

/* Adds the memory of an accumulator: each stop ends a block, and an empty block comes first. */
static onyx_memory add_sum_memory(lowering *l, const char *tile, src_loc loc, bool values) {
    onyx_memory t = onyx_add_memory(l->g, tile, loc, values);
    onyx_set(onyx_node_at(l->g, t.write), ONYX_SET_WRITE_SCANNER_SPACC_MODE, 1);
    onyx_set(onyx_node_at(l->g, t.write), ONYX_SET_WRITE_SCANNER_INIT_BLANK, 1);
    onyx_set(onyx_node_at(l->g, t.read), ONYX_SET_READ_SCANNER_SPACC_MODE, 1);
    return t;
}

/* Adds the PEs that convert values to the encoding of an accumulator, and back. */
static void add_forms(lowering *l, const char *name, const alu_monoid *by, onyx_node joiner,
                      lowering_sum *out) {
    onyx_graph *g = l->g;
    const src_loc loc = onyx_node_at(g, joiner)->loc;
    onyx_node last = {0};
    if (by->truth)
        last = out->encoded =
            lowering_add_constant_pe(g, arena_printf(g->mem, "%s_truth", name), loc, "umin", 1, last);
    if (by->mask != 0)
        last = lowering_add_constant_pe(g, arena_printf(g->mem, "%s_in", name), loc, "xor", by->mask, last);
    if (!by->truth)
        out->encoded = last;
    onyx_connect(g, last, ONYX_PORT_ALU_RES, joiner, ONYX_PORT_JOINER_POS_IN_0);
    if (by->mask == 0)
        return;
    out->decoded = lowering_add_constant_pe(g, arena_printf(g->mem, "%s_out", name), loc, "xor", by->mask,
                                            (onyx_node){0});
    for (int port = 0; port < 2; port++)
        onyx_connect(g, out->read[1], ONYX_PORT_READ_SCANNER_SUM_VAL_OUT, out->decoded,
                     port ? ONYX_PORT_ALU_DATA1 : ONYX_PORT_ALU_DATA0);
}

/* Unites each incoming vector with the partial sum, held by two memories; the result becomes the partial sum.
 * The summed loop's coordinates, minus themselves, tell the memories the number of vectors. Their done token
 * must not arrive: the chip takes a late done for data. A holder passes the coordinates on, and holds the
 * coordinates of the outer loop, whose end a gate keeps back. */
static onyx_node add_accumulator(lowering *l, sam_node h, summed_loop sum, const alu_monoid *by) {
    onyx_graph *g = l->g;
    const char *name = lowering_processing_name(l, sam_node_at(l->sam, h));
    src_loc loc = sam_node_at(l->sam, h)->loc;
#define PE(kind, suffix)                                                                                     \
    onyx_add_node(g, ONYX_##kind, arena_printf(g->mem, "%s_" suffix, name),                                  \
                  arena_printf(g->mem, "%s_" suffix, name), loc)
    onyx_node gate = PE(GATE, "gate"), hold = PE(CRDHOLD, "hold"), zero = PE(ALU, "zero");
    onyx_node joiner = PE(JOINER, "union");
#undef PE
    const alu_made adder = alu_make(
        g, &(alu_wanted){
               by->combine, by->bf16, 2, {{0}}, arena_printf(g->mem, "%s_%s", name, by->combine), loc});
    onyx_memory crd = add_sum_memory(l, arena_printf(g->mem, "%s_crd", name), loc, false);
    onyx_memory val = add_sum_memory(l, arena_printf(g->mem, "%s_vals", name), loc, true);
    onyx_set(onyx_node_at(g, joiner), ONYX_SET_JOINER_OP, 1);
    onyx_node_at(g, zero)->op = onyx_alu_find("sub", false);
    onyx_connect(g, gate, ONYX_PORT_GATE_NEVER_OUT, gate, ONYX_PORT_GATE_NEVER_IN);
    onyx_connect(g, gate, ONYX_PORT_GATE_CRD_OUT, hold, ONYX_PORT_CRDHOLD_COORD_IN_1);
    onyx_connect(g, hold, ONYX_PORT_CRDHOLD_COORD_OUT_0, zero, ONYX_PORT_ALU_DATA0);
    onyx_connect(g, hold, ONYX_PORT_CRDHOLD_COORD_OUT_0, zero, ONYX_PORT_ALU_DATA1);
    onyx_connect(g, zero, ONYX_PORT_ALU_RES, crd.read, ONYX_PORT_READ_SCANNER_US_POS_IN);
    onyx_connect(g, crd.read, ONYX_PORT_READ_SCANNER_POS_OUT, val.read, ONYX_PORT_READ_SCANNER_US_POS_IN);
    onyx_connect(g, crd.read, ONYX_PORT_READ_SCANNER_COORD_OUT, joiner, ONYX_PORT_JOINER_COORD_IN_1);
    onyx_connect(g, val.read, ONYX_PORT_READ_SCANNER_VAL_OUT, joiner, ONYX_PORT_JOINER_POS_IN_1);
    onyx_connect(g, joiner, ONYX_PORT_JOINER_COORD_OUT, crd.write, ONYX_PORT_WRITE_SCANNER_DATA_IN);
    for (uint32_t k = 0; k < adder.sinks; k++) {
        const alu_sink *to = &adder.sink[k];
        onyx_connect(g, joiner, to->operand == 0 ? ONYX_PORT_JOINER_POS_OUT_0 : ONYX_PORT_JOINER_POS_OUT_1,
                     to->node, to->port);
    }
    onyx_connect(g, adder.result, ONYX_PORT_ALU_RES, val.write, ONYX_PORT_WRITE_SCANNER_DATA_IN);
    lowering_sum made = {h, sum, hold, gate, {crd.read, val.read}, {0}, {0}};
    if (by->truth || by->mask != 0)
        add_forms(l, name, by, joiner, &made);
    vec_push(g->mem, &l->sums, made);
    return joiner;
}

/* Returns whether a memory tile has room for a vector as wide as a sub-tile. */
static bool has_sum_room(lowering *l, sam_node h) {
    name_id index = sam_node_at(l->sam, h)->index;
    uint32_t most = lower_widest(l->sam, index, l->options->extended),
             edge = lowering_edge_along(l->options, index);
    if (edge <= most)
        return true;
    diag_unmappable(l->d, sam_node_at(l->sam, h)->loc, "E0417-sum-room",
                    "%s: a vector of up to %u sums, and a memory tile accumulates %u",
                    sam_node_label(l->sam, h, l->g->mem), edge, most);
    return diag_hint(
        l->d, "choose --tile %u or less, or %s:%u along it%s", most, names_text(l->sam->names, index), most,
        l->options->extended ? "" : ", or --profile onyx-ext, whose vector reducer has more room");
}

/* Lowers a vector reducer to the chip's form, made of seven tiles. */
static onyx_node lower_accumulator(lowering *l, sam_node h) {
    summed_loop sum = lower_summed_loop(l->sam, h);
    uint32_t around = sum.around + (l->outermost.v != 0);
    if (sum.loop.node.v == 0 || around != 1) {
        diag_unmappable(l->d, sam_node_at(l->sam, h)->loc, "E0416-accumulator",
                        "%s: the chip accumulates inside one loop of the result, not %u",
                        sam_node_label(l->sam, h, l->g->mem), around);
        diag_hint(l->d, "%s; --profile onyx-ext has a vector reducer for any loops",
                  lower_reducer_alternative(l));
        return (onyx_node){0};
    }
    const alu_monoid *by = alu_find_monoid(reducing(l, h), sam_node_at(l->sam, h)->fp);
    if (by == NULL)
        return not_reduced(l, h);
    return has_sum_room(l, h) ? add_accumulator(l, h, sum, by) : (onyx_node){0};
}

/* Returns the loop of a matrix reducer's outer coordinates. */
static name_id outer_index(const sam_graph *g, sam_node reducer) {
    const sam_edge_data *crd = sam_edge_into(g, reducer, 0);
    while (crd && sam_node_at(g, crd->src)->kind == SAM_CRDDROP)
        crd = sam_edge_into(g, crd->src, crd->src_port);
    return crd ? sam_node_at(g, crd->src)->index : (name_id){0};
}

uint32_t lower_widest(const sam_graph *g, name_id index, bool extended) {
    for (uint32_t i = 0; i < g->nodes.len; i++) {
        const bool matrix = g->nodes.at[i].kind == SAM_VECTORREDUCER && g->nodes.at[i].depth == 2;
        if (matrix && extended &&
            (name_eq(g->nodes.at[i].index, index) || name_eq(outer_index(g, (sam_node){i + 1}), index)))
            return ONYX_MATRIX_EDGE;
        if (!name_eq(g->nodes.at[i].index, index))
            continue;
        if (reduces_singly(g, (sam_node){i + 1}))
            return 1;
        if (g->nodes.at[i].kind == SAM_VECTORREDUCER)
            return extended ? ONYX_VECTOR_EDGE : ONYX_SUM_EDGE;
    }
    return UINT16_MAX;
}

/* Finds the number of bits of a matrix reducer's inner coordinates, at least one; false: its memory is too
 * small for the points of a sub-tile. */
static bool find_inner_bits(lowering *l, sam_node h, uint8_t *inner) {
    const name_id name[2] = {outer_index(l->sam, h), sam_node_at(l->sam, h)->index};
    const uint32_t outer = lowering_edge_along(l->options, name[0]),
                   edge = lowering_edge_along(l->options, name[1]);
    for (*inner = 1; edge > 1u << *inner && *inner < ONYX_MATRIX_POINT_BITS;)
        ++*inner;
    if (edge <= 1u << *inner && outer <= 1u << (ONYX_MATRIX_POINT_BITS - *inner))
        return true;
    diag_unmappable(l->d, sam_node_at(l->sam, h)->loc, "E0417-sum-room",
                    "%s: matrices of up to %u by %u sums, and a memory tile accumulates %u",
                    sam_node_label(l->sam, h, l->g->mem), outer, edge, 1u << ONYX_MATRIX_POINT_BITS);
    return diag_hint(l->d, "choose --tile %u or less, or %s:%u,%s:%u along them", ONYX_MATRIX_EDGE,
                     names_text(l->sam->names, name[0]), ONYX_MATRIX_EDGE, names_text(l->sam->names, name[1]),
                     ONYX_MATRIX_EDGE);
}

/* Lowers a reducer of vectors or matrices to the reducer of onyx-ext. */
static onyx_node add_vector_reducer(lowering *l, sam_node h) {
    const reduction *by = find_reduction(l, h);
    const bool matrix = sam_node_at(l->sam, h)->depth == 2;
    uint8_t inner = 0;
    if (!by)
        return not_reduced(l, h);
    if (matrix ? !find_inner_bits(l, h, &inner) : !has_sum_room(l, h))
        return (onyx_node){0};
    onyx_node node = lowering_add_processing(l, h, ONYX_VECTOR_REDUCER);
    onyx_set(onyx_node_at(l->g, node), ONYX_SET_VECTOR_REDUCER_BF16, sam_node_at(l->sam, h)->fp);
    onyx_set(onyx_node_at(l->g, node), ONYX_SET_VECTOR_REDUCER_OP, by->value);
    onyx_set(onyx_node_at(l->g, node), ONYX_SET_VECTOR_REDUCER_INNER, inner);
    return node;
}

onyx_node lower_vector_reducer(lowering *l, sam_node h) {
    const sam_node_data *s = sam_node_at(l->sam, h);
    const uint8_t most = l->options->extended ? 2 : 1;
    if (s->depth > most) {
        diag_unmappable(l->d, s->loc, "E0410-not-on-chip",
                        "%s: %s adds up %s, this adds up tensors of order %u",
                        sam_node_label(l->sam, h, l->g->mem), most == 1 ? "Onyx" : "onyx-ext",
                        most == 1 ? "vectors" : "vectors and matrices", s->depth);
        diag_hint(l->d, "%s%s", lower_reducer_alternative(l),
                  s->depth == 2 ? "; --profile onyx-ext has a matrix reducer" : "");
        return (onyx_node){0};
    }
    if (s->depth == 0)
        return lowering_refuse(l, h, lower_reducer_alternative(l));
    return l->options->extended ? add_vector_reducer(l, h) : lower_accumulator(l, h);
}
