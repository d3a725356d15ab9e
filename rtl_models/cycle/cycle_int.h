/* cycle_int.h - FIFOs, primitives and pipes of the cycle model; private to rtl_models/cycle/. */
#ifndef ONYX_CYCLE_INT_H
#define ONYX_CYCLE_INT_H

#include "rtl_models/cycle/cycle.h"
#include "rtl_models/cycle/primitives.h"
#include "rtl_models/cycle/samples.h"
#include "rtl_models/cycle/skip.h"
#include "rtl_models/cycle/work.h"

/* The FIFOs (onyx_fifo2) between two cores stand in a row, a pipe: ports of tiles, SplitFIFO pairs of the
 * route, rows inside a tile. A word stays in the ring of its pipe; from FIFO to FIFO only counts move. Up to
 * 64 pipes stand side by side in a bundle, a bit each, and move in the same instructions. */

/* Masks of FIFOs, for each place of a bundle's pipes. */
typedef enum {
    SOME,    /* a word at least, before the cycle */
    FULL,    /* two words, before the cycle */
    PUSHED,  /* by a core, in this cycle */
    POPPED,  /* by a core, in this cycle */
    HELD,    /* of a fork, while a branch has no room */
    READS,   /* a core reads the FIFO: a first word wakes the core */
    WRITES,  /* a core writes the FIFO: room wakes the core */
    WATCHED, /* the writer waits until the FIFO is empty: each word that leaves wakes the core */
    MASKS
} mask_kind;
enum { PLACES = 128 }; /* at most, of a bundle; the last two stay empty */

/* Masks of two neighbouring places: the processor works on both in an instruction. */
typedef uint64_t two __attribute__((vector_size(16), may_alias));

enum { NEXT_KIND = 2 };

/* Where a core stands at a pipe, to read or to write. */
typedef struct {
    uint64_t *at; /* its place's mask SOME; those of the next kinds stand NEXT_KIND further on each */
    uint64_t bit;
    uint32_t *ring;
    uint32_t place, mask; /* of the next word in the ring */
} fifo;

/* A core by its bit among those awake. */
typedef struct {
    uint16_t word;
    uint8_t bit;
} core_id;

enum { CORE_PORTS = 4 };

typedef enum {
    CORE_JOINER,
    CORE_CRDDROP,
    CORE_CRDHOLD,
    CORE_ALU,
    CORE_REPEAT,
    CORE_RSG,
    CORE_REDUCE,
    CORE_REGION_JOIN,
    CORE_WRITE_SCANNER,
    CORE_BUFFET,
    CORE_READ_SCANNER,
    CORE_VECTOR_REDUCE,
    CORE_IO_IN,
    CORE_IO_OUT
} core_kind;

typedef struct {
    uint8_t state;
    bool is_union;
} joiner_state;

typedef struct {
    uint8_t regions;
} region_state;

typedef struct {
    bool has_data, owed;
    bool fiber_open, empty_before; /* hazard: the outer fiber has a coordinate; an earlier fiber had none */
    bool any;                      /* hazard: some outer fiber of the tree has a coordinate */
} crddrop_state;

typedef struct {
    uint8_t state, debt;
} crdhold_state;

typedef struct {
    uint32_t space[3];
} alu_state;

typedef struct {
    uint8_t state;
    bool root, spacc, send, close;
    bool stays;   /* hazard: the chip is in its state for stops, and takes no reference */
    bool late;    /* hazard: the chip has sent the pending stop */
    bool kept;    /* hazard: the stop of an empty fiber left without its reference */
    bool fresh;   /* hazard: no signal of the tree has left */
    bool leading; /* hazard: the tree began with a stop on both streams, and no reference has come yet */
} repeat_state;

typedef struct {
    uint8_t state;
    bool bf16, float32; /* float32: the sum is one, in bf16 words only where it leaves */
    rtl_reduction by;
    uint16_t default_value;
    uint32_t sum;
} reduce_state; /* the repeat signal generator uses `state` alone */

typedef struct {
    uint8_t state;
    bool block_mode, lowest_level, compressed, spacc, init_blank;
    uint8_t stop_lvl;
    bool blank; /* the empty block of the accumulation at hand is written */
    bool have_last, ended, second, pause;
    uint16_t index, count, last;
    /* The scanner's share of a stream: blocks of others before and behind its own, the block of the tree at
     * the head, its words to come, whether its length was taken (onyx_block_share.sv). */
    uint8_t before, behind, block;
    uint16_t remaining;
    bool inside;
} writer_state;

typedef struct {
    uint16_t capacity, mask;
    uint8_t blocks;
    uint16_t head_base, next_base, head_size, next_size, used;
    bool open;
    uint16_t base, size, line_at;
    uint64_t line;
    uint8_t lanes;
    uint64_t read_line;
    uint16_t read_at;
    uint8_t lane;
    bool read_hit;
    uint32_t opened, freed; /* hazard: blocks since the flush */
    uint32_t second;        /* hazard: lines of the second block written, at the chip's first block */
} buffet_id;

/* `full`: IDs with a whole line to write, as bits 0 and 2; `merging`, `fetch`: the ID, from 1 on, of a line
 * read for a merge, or for an answer. */
typedef struct {
    buffet_id id[2];
    uint8_t full, merging, fetch;
    uint64_t rdata;
    uint64_t words[512];
} buffet_state;

/* Requests of a read scanner to a buffet. */
enum { OP_FREE, OP_READ, OP_SIZE };

/* Settings of a read scanner, as bits: the first five by the names of their fields; skips entries by the
 * other side's coordinates; other tiles' blocks come first in its store stream. */
enum {
    READ_ROOT = 1,
    READ_LOOKUP = 2,
    READ_DENSE = 4,
    READ_BLOCK = 8,
    READ_SPACC = 16,
    READ_SKIPS = 32,
    READ_CHAINED = 64
};

typedef struct {
    unsigned is;
    uint8_t stop_lvl;
    uint16_t dim_size;
} reader_config;

/* Skipping, as in onyx_read_scanner.sv. */
typedef struct {
    bool turn, begun, gapped, seeking, closing, pending;
    uint8_t tokens, asked, dropped, step;
    uint16_t next;
    skip_queue skip;
} reader_skip;

/* The scanner's place in a store stream: other tiles' blocks ahead, the block of the current tree, its
 * remaining words, whether its length has left, whether the word of an empty block is pending
 * (onyx_block_chain.sv). */
typedef struct {
    uint8_t ahead, block;
    uint16_t words;
    bool inside, pad;
} reader_chain;

/* A read-out of values: words left, answers due, the next place; the chip has another place or no request; an
 * answer came in the previous cycle. */
typedef struct {
    bool misplaced, came;
    uint8_t popped, owed, place;
} reader_values;

/* Waiting answers from memory: values, or segments, which are halves of pairs. */
typedef struct {
    uint16_t at[32];
    uint32_t head, count;
} answer_queue;
enum { VALUES, SEGMENTS };

typedef struct {
    uint8_t state, level;
    bool read_out, done_given, done_taken, to_block;
    bool second, root_done, active;
    bool crd_first; /* at the read port (cycle_design.recorded) */
    uint16_t remaining, read_addr, at;
    ring plan, out;
    answer_queue answers[2];
    uint32_t trees; /* hazard: done tokens since the flush */
    reader_config set;
    reader_skip skipper;
    reader_chain chain;
    reader_values value_out;
} reader_state;

typedef struct {
    uint8_t state;
    bool bf16, odd, open;
    rtl_reduction by;
    uint8_t inner; /* of matrices: bits of the inner coordinate */
    uint16_t line, row;
    uint64_t lines[8]; /* nonempty lines of the memory */
    bool there[RTL_VECTOR_COORDINATES];
    uint16_t sum[RTL_VECTOR_COORDINATES];
} vector_state;

typedef struct {
    cycle_stream *stream; /* of this run */
    bool stamps;
    arena *mem;
    uint32_t remaining; /* output: words of the block at hand still to come */
} io_state;

typedef struct core core;

/* A cycle of a primitive: pops, pushes and state changes; false if nothing happened. */
typedef bool cycle_step(cycle_model *m, core *c);

struct core {
    core_kind kind;
    bool late;
    uint32_t cell;
    uint64_t bundles; /* of its pipes, as bits */
    uint64_t flushed; /* first cycle after the last flush */
    uint32_t hazards; /* kinds met, as bits */
    fifo in[CORE_PORTS], out[CORE_PORTS];
    union {
        joiner_state joiner;
        region_state region;
        crddrop_state drop;
        crdhold_state hold;
        alu_state alu;
        repeat_state repeat;
        reduce_state reduce;
        writer_state writer;
        buffet_state *buffet;
        reader_state *reader;
        vector_state *vector;
        io_state io;
    } u;
};

/* Places in a pipe, counted from its reader's end: a queue behind a port, if any; the input port, or the last
 * FIFO of a row inside a tile; next SplitFIFO pairs, the output port, a queue before a port. */
enum { PLACE_QUEUE, PLACE_PORT, PLACE_ROUTE };

/* `source`: the place of the output port; `first`, `last`: of the FIFOs at the writer's and the reader's end.
 */
typedef struct {
    fifo *writer, *reader;
    uint32_t net, sink; /* of a channel */
    uint32_t from, to;  /* cells */
    uint32_t first, source, last;
    uint32_t bundle, lane; /* its bit in the bundle */
    uint64_t cycles[CYCLE_ACTIVITIES];
    cycle_activity told; /* to the watcher */
} pipe;

/* Counters of 64 pipes: bit p of the counts of all pipes is a word. */
enum { COUNT_BITS = 56, COUNT_PENDING = 8 };
typedef struct {
    uint64_t bit[COUNT_BITS];
    uint64_t pending[COUNT_PENDING]; /* cycles that are not in `bit` yet */
} lane_counts;

/* A branch of a net: its copies of the output port and of the FIFO that the core writes, which are equal in
 * all branches. */
typedef struct {
    const uint64_t *full;    /* of the FIFOs that the output's words move to */
    uint64_t *held, *pushed; /* of the copies of output port and first FIFO */
    uint64_t bit;
} branch;

/* The first branch is the writer's. */
typedef struct {
    branch *branches;
    uint32_t n;
    bool held; /* a branch has no room */
} fork;

/* FIFOs that belong to tiles in early rows, or in late rows. */
typedef struct {
    uint64_t early, late;
} flushed_fifos;

/* The channels with a word at their input ports, with room there, and with another branch that has none. */
typedef struct {
    uint64_t offered, room, held;
} channels_state;

typedef struct {
    two mask[PLACES / 2][MASKS];
    uint32_t n; /* places, an even number */
    uint32_t n_forks, n_pending;
    fork *forks;
    core_id reader[64], writer[64]; /* by bit */
    pipe *pipes[64];
    flushed_fifos *flushed;         /* by place */
    uint64_t channels;              /* pipes that lead to an input port */
    uint64_t since;                 /* the first cycle in no account */
    lane_counts cycles[CYCLE_IDLE]; /* of channels by activity from `settled` on; the rest is idle */
    uint64_t settled;
} bundle;

/* The ports of a cell (NULL: absent); of a forked output the first branch. */
typedef struct {
    pipe *in[CYCLE_INS], *out[CYCLE_OUTS];
} cell_ports;

/* Who is told each activity, or NULL, and the channels in the order of telling. */
typedef struct {
    cycle_watcher *by;
    void *context;
    uint32_t *in_turn;
} watching;

/* Who samples the model, or NULL, and in which cycle next. */
typedef struct {
    cycle_samples *by;
    uint64_t next;
} sampling;

/* What a cycle needs to know of a core. */
typedef struct {
    cycle_step *step;
    core *of;
} actor;

struct cycle_model {
    arena *mem;
    const cycle_design *design;
    pipe *pipes; /* channels first, in the order of nets and sinks */
    bundle *bundles;
    core *cores;       /* by kind */
    cell_ports *ports; /* by cell */
    uint32_t n_channels, n_pipes, n_bundles, n_cores, n_words;
    actor *actors;    /* the cores */
    uint64_t *awake;  /* of them, n_words of bits */
    uint64_t stirred; /* bundles to move in this cycle, as bits: number n is bit n % 64 */
    fifo nowhere;     /* an input that nobody drives, an output that nobody listens to */
    uint64_t now;
    uint32_t incomplete; /* outputs */
    bool unaccounted;    /* flush, and draining after a run */
    uint32_t run;
    uint64_t run_began;
    cycle_hazards hazards;
    cycle_work work;
    watching watched;
    sampling sampled;
};

static inline core_id core_number(uint32_t n) {
    return (core_id){(uint16_t)(n / 64), (uint8_t)(n % 64)};
}
/* A mask of a place of a bundle. */
static inline uint64_t *mask_of(bundle *b, mask_kind kind, uint32_t place) {
    return (uint64_t *)&b->mask[place / 2][kind] + place % 2;
}
static inline void cycle_wake_all(cycle_model *m) {
    for (uint32_t i = 0; i < m->n_cores; i++)
        m->awake[i / 64] |= (uint64_t)1 << i % 64;
}
static inline bool some(const fifo *f) {
    return f->at[SOME * NEXT_KIND] & f->bit;
}
static inline bool room(const fifo *f) {
    return !(f->at[FULL * NEXT_KIND] & f->bit);
}
static inline uint32_t token(const fifo *f) {
    return f->ring[f->place];
}
static inline void pop(fifo *f) {
    f->place = (f->place + 1) & f->mask;
    f->at[POPPED * NEXT_KIND] |= f->bit;
}
static inline void push(fifo *f, uint32_t word) {
    f->ring[f->place] = word;
    f->place = (f->place + 1) & f->mask;
    f->at[PUSHED * NEXT_KIND] |= f->bit;
}
/* Pops if `does`, without a branch that the processor must guess. */
static inline void pop_if(fifo *f, bool does) {
    f->place = (f->place + does) & f->mask;
    f->at[POPPED * NEXT_KIND] |= f->bit & (0 - (uint64_t)does);
}

/* All cores of a design, at reset and awake; with `pins` every port of a working tile has its FIFO,
 * otherwise only ports of nets. */
cycle_model *cycle_assemble(const cycle_design *design, bool pins, arena *mem);

/* Rows that see a flush in this cycle: none, the rows above, the rows below, all. */
typedef enum { FLUSH_NONE, FLUSH_EARLY, FLUSH_LATE, FLUSH_ALL } flush_group;

/* A cycle: first cores step, next pipes move; both see the FIFOs' state before the cycle. Returns whether
 * anything moves. */
bool cycle_advance(cycle_model *m, flush_group group);

void cycle_note_hazard(cycle_model *m, core *c, cycle_hazard_kind kind, uint32_t tokens, uint32_t a,
                       uint32_t b);

/* Returns the step of a configured core. */
cycle_step *cycle_step_of(const core *c);
cycle_step cycle_step_writer, cycle_step_buffet, cycle_step_vector;
/* The steps of a kind of core in a PE, and of a read scanner with its settings. */
cycle_step *cycle_step_of_pe(core_kind kind);
cycle_step *cycle_step_of_reader(unsigned is);

#endif
