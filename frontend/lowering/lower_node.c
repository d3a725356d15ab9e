/* lower_node.c - nodes of the graph, their outputs, and their input streams. */
#include "frontend/lowering/lower_int.h"

sam_node lower_add_node(lowering *w, sam_primitive kind, src_loc loc) {
    sam_node n = sam_add_node(w->g, kind);
    sam_node_at(w->g, n)->loc = loc;
    return n;
}

sam_node lower_add_loop_node(lowering *w, sam_primitive kind, sam_var v, src_loc loc) {
    sam_node n = lower_add_node(w, kind, loc);
    sam_node_at(w->g, n)->index = sam_var_at(w->s, v)->name;
    return n;
}

void lower_feed(lowering *w, stream from, sam_node to, uint8_t port, sam_stream type) {
    if (from.node.v)
        sam_add_edge(w->g, from.node, from.port, to, port, from.located ? SAM_STREAM_CRD : type);
    else
        sam_node_at(w->g, to)->root = true;
}

stream lower_out(sam_node n, uint8_t port) {
    return (stream){.node = n, .port = port};
}
