/* deadlock.h - where a netlist can stand still (docs/deadlock.md). */
#ifndef ONYX_LOWER_ONYX_DEADLOCK_H
#define ONYX_LOWER_ONYX_DEADLOCK_H

#include "lower_onyx/netlist.h"

/* Two ways between the same tiles: while the join waits for the other one, the pins' way holds tokens. */
typedef struct {
    uint32_t net, sink;  /* the way that must hold; its fork is the net's source, its join the sink's cell */
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
    VEC(net_reconvergence) pairs; /* by net and sink */
    VEC(net_wait) circle;         /* of the worst reconvergence, empty where all are safe */
    uint32_t fiber;               /* the least of all pairs; 0: not even with fibers of one */
    bool undecided;               /* cells on a cycle, or too many circles to look at: counted as unsafe */
} net_liveness;

/* Whether the FIFOs of a netlist suffice for every input that unbounded ones would suffice for. `extra[net]`
 * has for each sink of the net the tokens that SplitFIFOs on its own way hold; NULL: none. No deadlock is
 * overlooked; a circle of waiting that is reported may be impossible. The method, why it is right and what it
 * costs: docs/notebook/deadlock_proof.md. */
void net_deadlock(const netlist *n, const uint32_t *const *extra, arena *mem, net_liveness *out);

/* Reports what is not safe with fibers of up to `longest` coordinates: E0450-deadlock (exit 2), or a warning
 * if `warn`, which names the circle and where room is missing. False after the error. */
bool net_deadlock_report(const netlist *n, const net_liveness *found, uint32_t longest, bool warn,
                         diagnostics *d);
/* Returns {"verdict": "safe" | "bounded" | "unsafe", "fiber", "reconvergences", "circle"} (docs/report.md);
 * the caller deletes it. */
cJSON *net_deadlock_to_json(const netlist *n, const net_liveness *found);

#endif
