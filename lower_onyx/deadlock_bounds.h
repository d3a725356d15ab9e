/* deadlock_bounds.h - bounds between pins of a netlist; private to lower_onyx/deadlock*.c. */
#ifndef ONYX_LOWER_ONYX_DEADLOCK_BOUNDS_H
#define ONYX_LOWER_ONYX_DEADLOCK_BOUNDS_H

#include "lower_onyx/deadlock_int.h"

enum { DL_NEVER = -(1 << 20), DL_ANY = 1 << 20 }; /* no path; no bound */
/* Node 2c: the sink of channel c lacks a token. Node 2c + 1: channel c is full. */
typedef enum {
    DL_EDGE_SIBLING, /* the token is present but cannot leave: another sink of its net is full */
    DL_EDGE_UP,      /* the source has not made the token: the source lacks an input token */
    DL_EDGE_FORK,    /* the source has not made the token: another output is full */
    DL_EDGE_JOIN,    /* the sink does not take the token: another input lacks a token */
    DL_EDGE_DOWN     /* the sink does not take the token: an output is full */
} dl_edge_kind;
typedef struct {
    uint32_t from, to;
    dl_edge_kind kind;
    uint32_t process; /* the waiting process, DL_NONE for a sibling */
    int weight;       /* in the current count, DL_NEVER if the count does not concern the edge */
} dl_edge;
/* The counted unit: tokens of a family; or (`among`) the coordinates of all families below a family, in
 * order. */
typedef struct {
    uint32_t stream;
    bool among;
    uint32_t fiber; /* no fiber is longer; NET_ANY_FIBER: not known */
} dl_measure;
typedef enum { DL_OUTSIDE, DL_EXACT, DL_DEEPER } dl_place;
typedef struct {
    dl_model m;
    VEC(dl_edge) edges;
    u32_vec *leaving; /* by node: edges */
    uint32_t nodes;
    int *bound;        /* nodes * nodes: the largest sum along any path */
    uint32_t *within;  /* nodes that the measure concerns */
    uint32_t *reached; /* of these, reachable from one node */
    uint32_t n_within;
    bool *busy, *busy_process, *seen;
    u32_vec *branches; /* by process */
    uint32_t *joined;  /* branches, then processes: a connected branch or process */
    u32_vec todo;
    uint32_t start, steps;
    bool across; /* the circle must leave the family of its start's child */
    int best;
    u32_vec path, best_path; /* edges */
    dl_measure now;
    net_liveness *out;
} dl_analysis;
const dl_channel *dl_channel_of(const dl_analysis *a, uint32_t node);
bool dl_is_full(uint32_t node);
dl_place dl_place_of_node(const dl_analysis *a, uint32_t node);
int dl_sum(int a, int b);
/* Returns the child of the counted stream whose family includes a node. DL_NONE: the counted stream
 * itself. */
uint32_t dl_branch_of(const dl_analysis *a, uint32_t node);
/* Fills bound[u, v], the largest sum of a path from u to v, with repeated nodes allowed. */
void dl_find_bounds(dl_analysis *a);

#endif
