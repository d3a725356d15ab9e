/* play.h - netlists made by hand or at random, run on the cycle model with as many SplitFIFO pairs as wanted,
 * on sparse tensors given as bit patterns.
 */
#ifndef ONYX_TESTS_DEADLOCK_PLAY_H
#define ONYX_TESTS_DEADLOCK_PLAY_H

#include "lower_onyx/lower_onyx.h"
#include "rtl_models/cycle/cycle.h"
#include "tests/test.h"

/* ---- building -------------------------------------------------------------------------------- */

/* A memory filled with a level of a tensor, or with its values. */
typedef struct {
    net_cell cell;
    uint32_t tensor;
    int level;
} made_load;
/* Tensors are called "T0", "T1", .. */
typedef struct {
    netlist n;
    bool in_turn; /* the levels and values of a tensor come on a common load stream (profile onyx-ext) */
    VEC(made_load) loads;
} made;

void made_begin(made *m, name_table *names, arena *mem);
net_pin made_pin(net_cell cell, uint8_t port);
net_cell made_cell(made *m, net_mode mode);
void made_connect(made *m, net_pin from, net_cell to, uint8_t port);
/* A level of a tensor, from the global buffer: coordinates at port 1, references at port 2. `ref` NULL: root.
 */
net_cell made_scan(made *m, uint32_t tensor, uint32_t level, const net_pin *ref);
/* Lets a scanner skip by the coordinates of the other side of its intersecter (profile onyx-ext). */
void made_skip(made *m, net_cell scanner, net_pin partner);
net_cell made_lookup(made *m, uint32_t tensor, net_pin ref); /* values at port 1 */
/* Tells the memories of complete shared load streams their blocks. */
void made_share_loads(made *m);
/* A compressed result: to memory, and on to the global buffer. */
void made_write(made *m, net_pin from, bool values);
/* Several results that leave on a common store stream in turn (profile onyx-ext). */
void made_write_in_turn(made *m, const net_pin *from, const bool *values, uint32_t n);
/* Both operands are {coordinates, references}. Outputs: port 0 coordinates, 1 and 2 references. */
net_cell made_join(made *m, bool is_union, const net_pin side0[2], const net_pin side1[2]);
/* Adds a joiner of profile onyx-ext for `regions`. */
net_cell made_region_join(made *m, uint32_t regions, const net_pin side0[2], const net_pin side1[2]);
/* The reference once for every coordinate; `ref` NULL: the root's. Output at port 0. */
net_cell made_repeat(made *m, const net_pin *ref, net_pin crd);
/* A vector reducer: coordinates at port 0, sums at port 1. */
net_cell made_vector_sum(made *m, net_pin crd, net_pin val);
net_cell made_matrix_sum(made *m, net_pin outer, net_pin crd, net_pin val);
/* Any other PE primitive, inputs in the order of its ports. */
net_cell made_pe(made *m, net_mode mode, const net_pin *in, uint8_t n_in);

/* Connections between cells that are connected already, in whatever direction: without one no data stand
 * still. */
uint32_t made_rings(const netlist *n, arena *mem);

/* ---- running --------------------------------------------------------------------------------- */

enum { PLAY_TENSORS = 8 };
/* Pairs: more than the tokens of these tests' streams, and a number that mostly suffices, at a tenth of the
 * time. */
enum { PLAY_UNBOUNDED = 48, PLAY_ROOMY = 6 };

/* A design of a netlist: `pairs` has for every net the pairs before each sink; NULL: `all` pairs. */
void play_design(const netlist *n, const uint32_t *const *pairs, uint32_t all, arena *mem, cycle_design *out);

/* ---- judging --------------------------------------------------------------------------------- */

typedef struct {
    uint32_t fiber; /* of net_deadlock */
    bool undecided;
    uint32_t runs, deadlocks; /* data sets; sets stuck only with bounded FIFOs */
    uint32_t empty;           /* data sets without a point */
    uint32_t rings;           /* made_rings */
    uint32_t hopeless;        /* stuck with unbounded FIFOs, too, or data never given to the chip */
} judgement;

/* Every data set if at most `most`, otherwise `most` random sets. Fails the test at a deadlock excluded by
 * the analysis; `what` is for its message. */
judgement play_judge(const netlist *n, const uint32_t *const *pairs, uint32_t all, uint32_t extent,
                     uint32_t most, prng *random, const char *what);

#endif
