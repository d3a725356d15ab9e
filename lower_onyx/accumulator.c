/* accumulator.c - the summed loop of a vector reducer of a SAM graph, found backwards from its coordinates.
 * Each stream of coordinates has a fiber for each coordinate of the outer stream. O(depth * edges).
 */
#include "lower_onyx/lower_int.h"

static sam_end around_crd(const sam_graph *s, sam_end crd);

static sam_end source_of(const sam_edge_data *e) {
    return e == NULL ? (sam_end){{0}, 0} : (sam_end){e->src, e->src_port};
}

/* Finds the coordinates in step with a stream of references. */
static sam_end crd_of_ref(const sam_graph *s, const sam_edge_data *ref) {
    if (ref == NULL)
        return (sam_end){{0}, 0};
    switch ((int)sam_node_at(s, ref->src)->kind) {
    case SAM_FIBERLOOKUP:
    case SAM_INTERSECT:
    case SAM_UNION:
        return (sam_end){ref->src, 0};
    case SAM_REPEAT: {
        const sam_edge_data *signal = sam_edge_into(s, ref->src, 1);
        const sam_edge_data *counted = signal == NULL ? NULL : sam_edge_into(s, signal->src, 0);
        /* Graphs may count references in place of their coordinates. */
        return counted != NULL && counted->stream == SAM_STREAM_REF ? crd_of_ref(s, counted)
                                                                    : source_of(counted);
    }
    default:
        return (sam_end){{0}, 0};
    }
}

/* Finds the coordinates whose fibers are `crd`; none if `crd` is the outermost. */
static sam_end around_crd(const sam_graph *s, sam_end crd) {
    switch ((int)sam_node_at(s, crd.node)->kind) {
    case SAM_FIBERLOOKUP:
        return crd_of_ref(s, sam_edge_into(s, crd.node, 0));
    case SAM_INTERSECT:
    case SAM_UNION: {
        sam_end operand = source_of(sam_edge_into(s, crd.node, 0));
        return operand.node.v == 0 ? operand : around_crd(s, operand);
    }
    case SAM_VECTORREDUCER: {
        sam_end in = source_of(sam_edge_into(s, crd.node, 0));
        sam_end summed = in.node.v == 0 ? in : around_crd(s, in);
        return summed.node.v == 0 ? summed : around_crd(s, summed);
    }
    default:
        return (sam_end){{0}, 0};
    }
}

summed_loop lower_summed_loop(const sam_graph *s, sam_node reducer) {
    summed_loop sum = {0};
    sam_end crd = source_of(sam_edge_into(s, reducer, 0));
    sum.loop = crd.node.v == 0 ? crd : around_crd(s, crd);
    sum.outer = sum.loop.node.v == 0 ? sum.loop : around_crd(s, sum.loop);
    for (sam_end at = sum.outer; at.node.v != 0; at = around_crd(s, at))
        sum.around++;
    return sum;
}
