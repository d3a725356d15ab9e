/* lowering.h - what lowering a SAM graph keeps, and what its visits share. */
#ifndef ONYX_LOWER_ONYX_LOWERING_H
#define ONYX_LOWER_ONYX_LOWERING_H

#include "lower_onyx/alu.h"

/* The counter of a vector reducer's vectors, and the memories of its sums. */
typedef struct {
    sam_node reducer;
    summed_loop sum;
    onyx_node hold, gate, read[2]; /* coordinates, values */
    onyx_node encoded;             /* takes the incoming values, if the sums have another encoding */
    onyx_node decoded;             /* gives the sums then */
} lowering_sum;
/* A node whose operands go to several PEs, or whose values come from another PE. */
typedef struct {
    sam_node node;
    alu_made made;
} lowering_composed;
/* An array of values with a fill unequal to 0, and the PE at its output. */
typedef struct {
    sam_node array;
    onyx_node values;
} lowering_filled;
typedef struct {
    const sam_graph *sam;
    const lower_options *options;
    diagnostics *d;
    onyx_graph *g;
    onyx_node
        *node; /* by SAM node index: the hardware node its streams end at; 0 = an implicit dense level */
    onyx_node outermost; /* an outermost level of one coordinate; 0 = none */
    onyx_node single;    /* gives the references of scalars; 0 = none yet */
    VEC(lowering_sum) sums;
    VEC(lowering_composed) composed;
    VEC(lowering_filled) filled;
    struct {
        onyx_node node;
        sam_node writer;
    } read_out[SAM_MAX_ORDER + 1]; /* sharing one store stream: by level, the values last */
} lowering;
/* Makes a name from `base`: characters except letters, digits and '_' are replaced, and "_2", "_3" ...
 * appended to a name already used. */
const char *lowering_unique_name(lowering *l, const char *base);
/* Names a level of a tensor, "B0" or "B_vals". */
const char *lowering_level_name(lowering *l, const char *tensor, int level);
/* Names a node, "intersect_j" or "mul", by its operation and the index variables that distinguish nodes of
 * one kind. */
const char *lowering_processing_name(lowering *l, const sam_node_data *s);
uint32_t lowering_inputs_of(const sam_graph *s, sam_node node);
/* A root has no reference stream, unless an outermost level surrounds all. */
void lowering_set_root(lowering *l, onyx_node node, onyx_setting setting, onyx_port ref_in, bool root);
/* Returns how long sub-tiles are along the index. */
uint32_t lowering_edge_along(const lower_options *o, name_id index);
/* Adds a PE with a stream and a constant as operands, behind `from` if not 0. */
onyx_node lowering_add_constant_pe(onyx_graph *g, const char *name, src_loc loc, const char *operation,
                                   uint16_t constant, onyx_node from);
/* E0410-not-on-chip; returns no node. */
onyx_node lowering_refuse(lowering *l, sam_node h, const char *hint);
/* Adds the one primitive that the node becomes. */
onyx_node lowering_add_processing(lowering *l, sam_node h, onyx_kind kind);

#endif
