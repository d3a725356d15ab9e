/* lowering.h - what lowering a SAM graph keeps, and what its visits share. */
#ifndef ONYX_LOWER_ONYX_LOWERING_H
#define ONYX_LOWER_ONYX_LOWERING_H

#include "lower_onyx/alu.h"

/* What counts a vector reducer's vectors, and the memories that its sums leave from. */
typedef struct {
    sam_node reducer;
    summed_loop sum;
    onyx_node hold, gate, read[2]; /* coordinates, values */
    onyx_node encoded;             /* takes the values that come, if the sums are kept in another form */
    onyx_node decoded;             /* gives the sums then */
} lowering_sum;
/* A node whose operands go to several PEs, or whose values come from another one. */
typedef struct {
    sam_node node;
    alu_made made;
} lowering_composed;
/* An array of values whose fill is not 0, and the PE that they leave from. */
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
    onyx_node outermost; /* a level of one coordinate around all others; 0 = none */
    onyx_node single;    /* gives the references of scalars; 0 = none yet */
    VEC(lowering_sum) sums;
    VEC(lowering_composed) composed;
    VEC(lowering_filled) filled;
    onyx_node read_out[SAM_MAX_ORDER + 1]; /* those that share a store stream: by level, the values last */
    sam_node stored_values;                /* what writes them */
} lowering;
/* Makes a name of `base`: everything but letters, digits and '_' is replaced, and "_2", "_3" ... appended
 * when it is taken. */
const char *lowering_unique_name(lowering *l, const char *base);
/* Names a level of a tensor, "B0" or "B_vals". */
const char *lowering_level_name(lowering *l, const char *tensor, int level);
/* Names a node, "intersect_j" or "mul", by its operation and the index variables that tell nodes of one kind
 * apart. */
const char *lowering_processing_name(lowering *l, const sam_node_data *s);
uint32_t lowering_inputs_of(const sam_graph *s, sam_node node);
/* A root has no reference stream, unless there is a level around all. */
void lowering_set_root(lowering *l, onyx_node node, onyx_setting setting, onyx_port ref_in, bool root);
/* Returns how long sub-tiles are along the index. */
uint32_t lowering_edge_along(const lower_options *o, name_id index);
/* Adds a PE that does something with a stream and a constant, behind `from` if that is one. */
onyx_node lowering_add_constant_pe(onyx_graph *g, const char *name, src_loc loc, const char *operation,
                                   uint16_t constant, onyx_node from);
/* E0410-not-on-chip; returns no node. */
onyx_node lowering_refuse(lowering *l, sam_node h, const char *hint);
/* Adds the one primitive that the node becomes. */
onyx_node lowering_add_processing(lowering *l, sam_node h, onyx_kind kind);

#endif
