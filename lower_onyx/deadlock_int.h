/* deadlock_int.h - what streams are made of, and what waits for what; private to lower_onyx/deadlock*.c. */
#ifndef ONYX_DEADLOCK_INT_H
#define ONYX_DEADLOCK_INT_H

#include "lower_onyx/lower_onyx.h"

enum { DL_REFERENCES, DL_PAIRED, DL_BLOCK, DL_DATA }; /* inputs of a memory */
enum { DL_OUTER = 2 };                                /* of a matrix reducer, in and out */
enum { DL_INS = 4, DL_OUTS = 3 };
#define DL_NONE UINT32_MAX

/* What a cell does with its tokens. */
typedef enum {
    DL_SOURCE, /* gives without taking, or takes without giving: never part of a circle */
    DL_STEP,   /* one token of every input for one of every output: ALU, rsg, look-up, writer of pairs,
                  a joiner of a stream with itself */
    DL_SCAN,
    DL_INTERSECT,
    DL_UNION,
    DL_DROP,
    DL_HOLD,
    DL_REPEAT,
    DL_REDUCE,
    DL_MATRIX,
    DL_VECTOR, /* a vector reducer: coordinates and values in step, nothing goes before all has come;
                  DL_MATRIX of matrices: an outer coordinate stays until its fiber has come */
    DL_STORE,  /* a memory that is written and read inside the array */
    DL_SUM     /* the two memories of an accumulator, taken as one (docs/notebook/accumulate.md) */
} dl_kind;

/* A family of streams: same tokens but for what the data are worth. Every data token of `parent` stands for a
 * fiber of it. Stream 0 is the one reference every root scanner starts from. */
typedef struct {
    uint32_t parent;
    uint32_t dense; /* coordinates of each of its fibers, if a dense scanner gives it; 0: others */
    bool united;    /* it is below a union's: references may be absent */
    bool loose;     /* its stops are not those of any other: nothing is known to run in step with it */
} dl_stream;

/* Cells that are taken as one: joiners that make the same of the same coordinates move together. */
typedef struct {
    dl_kind kind;
    bool aligned;     /* its inputs are of the families that belong together */
    uint32_t regions; /* joiner: what it gives, as docs/boards.md numbers it; others: 0 */
    u32_vec in;       /* channels */
    u32_vec out;      /* nets */
    uint32_t crd[2];  /* joiner: whose coordinates it joins */
    uint32_t stream;  /* of its output 0; accumulator: of the sum so far */
    uint32_t total;   /* accumulator: of the finished sums */
} dl_process;

/* From a net's source to one of its sinks. */
typedef struct {
    uint32_t net, sink, process, port, stream;
    uint32_t room; /* tokens it holds when its source cannot send */
} dl_channel;

typedef struct {
    const netlist *n;
    arena *mem;
    VEC(dl_stream) streams;
    VEC(dl_process) processes;
    VEC(dl_channel) channels;
    uint32_t *process_of; /* by cell */
    uint32_t *stream_of;  /* by net */
    uint32_t *origin;     /* by net: equal for nets whose tokens are equal */
    bool *padded;         /* by net: before a stop there may be a value too many */
    bool *sorted;         /* by net: coordinates that grow in every fiber */
    uint32_t *first;      /* by net: its first channel */
    bool cyclic;
} dl_model;

/* Families, processes and channels of a netlist. O(cells * nets). */
void dl_build(const netlist *n, const uint32_t *const *extra, arena *mem, dl_model *out);

#endif
