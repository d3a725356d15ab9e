/* route_int.h - the router's state, shared by route.c (negotiation), grow.c (a single net) and refine.c
 * (improvement of a legal routing). */
#ifndef ONYX_PNR_ROUTE_INT_H
#define ONYX_PNR_ROUTE_INT_H

#include "pnr/floor_int.h"

#define ROUTE_NONE UINT32_MAX
enum { ROUTE_BASE = 64 };    /* cost of a wire nobody else wants */
enum { ROUTE_PRESENT = 16 }; /* value of router.present that counts another user as a further wire */

typedef struct {
    uint32_t node;
    uint32_t parent; /* index in the tree; ROUTE_NONE for a wire the core drives or an arrival node */
} tree_node;

typedef struct {
    VEC(tree_node) nodes; /* parents first */
    u32_vec sink;         /* by sink of the net: index in the tree, ROUTE_NONE while unreached */
} route_tree;

/* A switch-box port. */
typedef struct {
    uint32_t x, y, side, track;
} route_port;

typedef struct {
    uint32_t x, y; /* a sink's tile; y == 0 for an IO tile */
} target_tile;

typedef struct {
    const pnr_design *design;
    const pnr_board *board;
    arena *mem;
    uint32_t tracks, wires, nodes;
    uint8_t turn[4][8][4]; /* output track by input side, input track, output side */
    uint32_t *history;     /* by wire */
    uint16_t *uses;        /* by wire */
    uint32_t present;      /* cost factor of another user, ROUTE_PRESENT = 1 */
    bool exclusive;        /* wires in use are forbidden instead of dear */
    bool detour;           /* an IO tile's wire may not reach the target by a single hop */
    uint32_t branch_cost;  /* cost of leaving the tree a hop farther from its source */
    route_tree *tree;      /* by net */
    double deadline;       /* of seconds_now; 0 = none */
    pnr_delays delays;
    pnr_limits limits; /* without a netlist: the clock does not matter */
    uint32_t period;   /* to look for */
    uint32_t *owner;   /* by wire, for repairs; NULL before */
    uint8_t *lead; /* by net: the sides for a branch's first hop, if each branch needs a pair at once; or 0 */
    struct {
        uint8_t sides;       /* the net's */
        bool plain;          /* may it have no pair? */
        bool near_enough[2]; /* may the target be reached by no hop, by a single hop? */
        uint32_t epoch;
        uint32_t *reached, *cost, *from; /* by node; valid where reached == epoch */
        uint32_t *in_tree, *tree_index;  /* by node; valid where in_tree == tree_epoch */
        uint32_t tree_epoch;
        target_tile target;
        VEC(uint64_t)
        heap; /* cost + lookahead << 36 | lookahead << 24 | node: far-advanced nodes first among equals */
    } search; /* state of the search for a net's path */
} router;

/* Returns the sides for a branch's first hop if a pair follows at once. */
static inline uint8_t route_lead_sides(const router *r, uint32_t net) {
    pnr_site at = r->design->site.at[r->design->net->nets.at[net].source.cell.v - 1];
    return (uint8_t)pnr_lead_sides(&r->limits, at, pnr_lead_period(&r->limits, at, r->period));
}
/* Shortens legal routes on free wires; returns the hops saved. */
uint32_t route_refine(router *r, const uint32_t *order);
/* Shortens the period of legal, written and pipelined routes: nets above the floor are led again,
 * branches apart from each other: on free wires, or over wires of others, which move. Returns how often a net
 * got faster. */
uint32_t route_repair(router *r, arena *mem, pnr_design *design);

#endif
