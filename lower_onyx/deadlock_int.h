/* deadlock_int.h - families of streams and the order of waiting; private to lower_onyx/deadlock*.c. */
#ifndef ONYX_DEADLOCK_INT_H
#define ONYX_DEADLOCK_INT_H

#include "lower_onyx/lower_onyx.h"

enum { DL_REFERENCES, DL_PAIRED, DL_BLOCK, DL_DATA }; /* inputs of a memory */
enum { DL_OUTER = 2 };                                /* of a matrix reducer, in and out */
enum { DL_INS = 4, DL_OUTS = 3 };
#define DL_NONE UINT32_MAX

/* Behaviour of a cell. */
typedef enum {
    DL_SOURCE, /* gives without taking, or takes without giving: never part of a circle */
    DL_STEP,   /* one token of every input for one token of every output: ALU, rsg, look-up, writer of pairs,
                  joiner with equal operands */
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
    DL_STORE,  /* a memory that the array both writes and reads */
    DL_SUM     /* both memories of an accumulator, as one process (docs/notebook/accumulate.md) */
} dl_kind;

/* A family of streams: equal tokens except for the values of data. Every data token of `parent` stands for a
 * fiber of the family. Stream 0 is the single reference from which every root scanner starts. */
typedef struct {
    uint32_t parent;
    uint32_t dense; /* coordinates per fiber of a dense scanner; 0: other sources */
    bool united;    /* below a union: references may be absent */
    bool loose;     /* its stops match no other family: no stream is known to run in step */
} dl_stream;

/* Cells treated as one: joiners with equal operands and equal coordinates move together. */
typedef struct {
    dl_kind kind;
    bool aligned;     /* its inputs belong to matching families */
    uint32_t regions; /* joiner: its regions, numbered as in docs/boards.md; others: 0 */
    u32_vec in;       /* channels */
    u32_vec out;      /* nets */
    uint32_t crd[2];  /* joiner: whose coordinates it joins */
    uint32_t stream;  /* of its output 0; accumulator: of the partial sum */
    uint32_t total;   /* accumulator: of the finished sums */
} dl_process;

/* A channel: from a net's source to one sink. */
typedef struct {
    uint32_t net, sink, process, port, stream;
    uint32_t room; /* tokens in the channel when its source cannot send */
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
    bool *padded;         /* by net: a value too many may precede a stop */
    bool *sorted;         /* by net: coordinates increase in every fiber */
    uint32_t *first;      /* by net: its first channel */
    bool cyclic;
} dl_model;

/* Families, processes and channels of a netlist. O(cells * nets). */
void dl_build(const netlist *n, const uint32_t *const *extra, arena *mem, dl_model *out);

#endif
