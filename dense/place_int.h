/* place_int.h - common to the files that place dense designs. */
#ifndef ONYX_DENSE_PLACE_INT_H
#define ONYX_DENSE_PLACE_INT_H

#include "dense/links.h"
#include "dense/place.h"
#include "dense/units.h"

/* Sites and routes on their way. A tile of `from` is a cell of the netlists, a run of its links with one
 * output a net. */
typedef struct {
    dense_design from; /* without routes */
    netlist all, net[DENSE_WIDTHS];
    pnr_design placed, routed[DENSE_WIDTHS];
    u32_vec first[DENSE_WIDTHS]; /* by net: its first link */
    u32_vec tile_of[2];          /* by link: the tile of its output, of its input */
    int32_t *delay;              /* by unit: cycles by which the unit works later than in the old design */
    bool *delayed;               /* by link: the operand's register holds the word */
    uint32_t lengthened, period_ps;
} dense_placing;

/* A tile has up to two units with independent times: a MEM tile's generator of valid bits and an IO tile's
 * output to the array are the second unit. */
enum { DENSE_UNITS = 2 };
/* Returns the unit of a link's output, and of its input. */
uint32_t dense_source_unit(const dense_placing *p, uint32_t link);
uint32_t dense_sink_unit(const dense_placing *p, uint32_t link);
/* Returns whether the input is an operand of a PE that may pass the PE's register: in a design with
 * schedules. */
bool dense_is_operand(const dense_placing *p, const dense_link *link);
/* Returns the unit whose schedule a generator is. */
uint32_t dense_generator_unit(uint32_t tile, dense_generator_key key);

/* Nodes of the search for registers: node 0 is the first cycle; units follow, then hops. */
enum { DENSE_NODE_ZERO, DENSE_FIRST_UNIT };
static inline uint32_t dense_unit_node(uint32_t unit) {
    return DENSE_FIRST_UNIT + unit;
}
/* Returns the old registers of a link, its operand's included. */
uint32_t dense_had(const dense_placing *p, uint32_t link);
/* Finds a link's net of its width, and its sink there. */
void dense_net_of_link(const dense_placing *p, uint32_t link, uint32_t *net, uint32_t *sink);

/* A path without a register between two nodes; had: registers that its links into units had. */
typedef struct {
    uint32_t from, to;
    int32_t had;
} dense_cut;
typedef VEC(dense_cut) dense_cuts;
/* Lists paths slower than `limit`, in picoseconds; first_hop: by width and net the node of its first hop.
 * Returns the period, 0 without delays of the board. */
uint32_t dense_find_cuts(const dense_placing *p, const uint32_t *const first_hop[DENSE_WIDTHS],
                         uint32_t nodes, uint32_t limit, arena *mem, dense_cuts *out);

/* Gives links their registers: sets hops' `registered`, `delayed`, and `delay`. Where a path is too short it
 * is led over more wires. Error: E0984-dense-registers. */
bool dense_place_registers(dense_placing *p, diagnostics *d);

#endif
