/* deadlock.h - where a netlist can stand still (docs/deadlock.md). */
#ifndef ONYX_LOWER_ONYX_DEADLOCK_H
#define ONYX_LOWER_ONYX_DEADLOCK_H

#include "lower_onyx/netlist.h"

/* Two ways between the same tiles: while the join waits for the other path, this pin's path holds tokens. */
typedef struct {
    uint32_t net, sink; /* the path with the tokens; the net's source is the fork, the sink's cell the join */
    uint32_t have, need; /* tokens; need NET_NO_ROOM: no number is enough for all data */
    uint32_t fiber;      /* enough if no fiber has more coordinates; NET_ANY_FIBER: whatever the data */
} net_reconvergence;
enum { NET_NO_ROOM = UINT16_MAX, NET_ANY_FIBER = UINT16_MAX };

/* A step of a circle of waiting: the cell waits for the source of the pin's net to send (`full` false), or
 * for the pin's cell to take a token. Net and sink by index. */
typedef struct {
    uint32_t cell, net, sink;
    bool full;
} net_wait;

typedef struct {
    VEC(net_reconvergence) reconvergences; /* by net and sink */
    VEC(net_wait) circle;                  /* of the worst reconvergence, empty where all are safe */
    uint32_t fiber; /* the least of all; 0: unsafe even with fibers of one coordinate */
    bool undecided; /* cells on a cycle, or too many circles to look at: counted as unsafe */
} net_liveness;

/* Decides whether the FIFOs of a netlist suffice for every input that completes with unbounded FIFOs.
 * `extra[net]` has for each sink of the net the tokens in SplitFIFOs on its own path; NULL: none. The method
 * overlooks no deadlock; a reported circle of waiting may be impossible. Method, proof and cost:
 * docs/notebook/deadlock_proof.md. */
void net_deadlock(const netlist *n, const uint32_t *const *extra, arena *mem, net_liveness *out);

/* Reports a netlist that is unsafe with fibers of up to `longest` coordinates: E0450-deadlock (exit 2), or a
 * warning if `warn`, with the circle and the channels without room. False after the error. */
bool net_deadlock_report(const netlist *n, const net_liveness *found, uint32_t longest, bool warn,
                         diagnostics *d);
/* Returns {"verdict": "safe" | "bounded" | "unsafe", "fiber", "reconvergences", "circle"} (docs/report.md);
 * the caller frees the object. */
cJSON *net_deadlock_to_json(const netlist *n, const net_liveness *found);

#endif
