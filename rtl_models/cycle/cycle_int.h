/* cycle_int.h - FIFOs, primitives and links of the cycle model; private to rtl_models/cycle/. */
#ifndef ONYX_CYCLE_INT_H
#define ONYX_CYCLE_INT_H

#include "rtl_models/cycle/cycle.h"
#include "rtl_models/cycle/primitives.h"
#include "rtl_models/cycle/samples.h"
#include "rtl_models/cycle/skip.h"
#include "rtl_models/cycle/work.h"

/* A link, joint or core by its bit among those awake; until all such actors are counted, `word` is the
 * actor's number. */
typedef struct {
    uint16_t word;
    uint8_t bit;
} actor_id;

/* onyx_fifo2: full and empty as they were before the cycle decide about both ends. `reader` is woken when a
 * first word comes, `writer` when there is room again. */
typedef struct {
    uint32_t slot[2];
    uint8_t head, count;
    bool drain;   /* an output nobody listens to: takes everything, holds nothing */
    bool watched; /* the writer waits until it is empty, not for room alone */
    actor_id reader, writer;
} fifo;

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
    fifo *queue;  /* behind the proc port */
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

typedef struct {
    uint8_t state, level;
    bool read_out, done_given, done_taken, to_block;
    bool second, root_done, seg_half, active;
    bool crd_first; /* at the read port (cycle_design.recorded) */
    uint16_t remaining, read_addr, seg_first, at;
    ring plan, pairs, out, answers;
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
    cycle_step *step;
    uint32_t cell;
    uint64_t flushed; /* first cycle after the last flush */
    uint32_t hazards; /* kinds met, as bits */
    fifo *in[CORE_PORTS], *out[CORE_PORTS];
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

/* The source of a link is node 0, register r node r + 1. */
typedef struct {
    fifo *to;
    uint32_t from; /* node */
    uint32_t cell, port;
    uint64_t cycles[CYCLE_ACTIVITIES];
} link_sink;

/* `full` follows from the link's bits, except where a link is wide: `filled` holds after the cycle. */
typedef struct {
    uint32_t from; /* node */
    bool start, end, full, filled;
} link_register;

/* A link's actions in a cycle, by the fill of its FIFOs and registers (`key`). `origin`: the node whose word,
 * of before the cycle, arrives or is loaded. */
typedef struct {
    uint8_t activity;
    uint16_t origin;
} sink_step;
typedef struct {
    fifo *to;
    uint32_t origin;
} link_push;
typedef struct {
    uint16_t node, origin;
} link_load;
typedef struct link_step {
    uint64_t key, full;      /* registers with a word after the cycle, of those in a key */
    uint64_t cycles;         /* not in the sinks' accounts yet */
    struct link_step *next;  /* in the list of steps with such cycles */
    bool moves, takes, open; /* anything; the source's word leaves; the step is in the list */
    uint16_t n_pushes, n_loads;
    link_push *pushes; /* to sinks */
    link_load *loads;  /* into registers, origins before they are loaded themselves */
    sink_step *sinks;
} link_step;

/* A net from a FIFO to its sinks. */
typedef struct {
    fifo *from, *to;  /* to: the first sink's */
    uint64_t full;    /* registers with a word, of those in a key */
    uint64_t key;     /* `step` belongs to this key, and holds from `since` on */
    link_step *step;  /* of this cycle */
    link_step *known; /* steps by their keys, the last of those with equal bits under `mask` */
    uint64_t since;
    uint32_t *word;  /* by node; of the source in a move alone */
    link_step *open; /* steps with cycles that are in no account */
    link_sink *sinks;
    link_register *registers;
    uint32_t mask;
    uint16_t n_sinks, n_registers;
    uint16_t n_key_sinks; /* in a key */
    bool wide;            /* too many sinks and registers for a key: decided anew in each cycle */
    uint32_t net;
    struct link_node *nodes; /* scratch of a cycle's decision */
} link;

/* From a FIFO to the next inside a tile. */
typedef struct {
    fifo *from, *to;
} joint;

/* The ports of a cell (NULL: absent), and the links at them. */
typedef struct {
    fifo *in[CYCLE_INS], *out[CYCLE_OUTS];
    link *from[CYCLE_INS], *to[CYCLE_OUTS];
} cell_ports;

/* Who is told each activity, or NULL. */
typedef struct {
    cycle_watcher *by;
    void *context;
} watching;

/* Who samples the model, or NULL, and in which cycle next. */
typedef struct {
    cycle_samples *by;
    uint64_t next;
} sampling;

/* Links and joints that move in this cycle. */
typedef struct {
    link **links;
    joint **joints;
    uint32_t n_links, n_joints;
} moving_actors;

/* Actors that are awake, as bits: links first, joints and cores from words of their own on. */
typedef struct {
    uint32_t first_joints, first_cores, words;
    uint64_t *awake;
} actors_awake;

struct cycle_model {
    arena *mem;
    const cycle_design *design;
    uint16_t *cell_of; /* a FIFO's: flushed with it */
    fifo *fifos;       /* fifos[NOWHERE] is always empty, an input nobody drives; fifos[WALL] always full */
    link *links;       /* links[0] connects nothing: the party of a pin */
    link **in_turn;    /* links by their numbers of sinks and registers, as awake has them */
    joint *joints;
    core *cores;       /* by kind */
    cell_ports *ports; /* by cell */
    uint32_t n_fifos, n_links, n_joints, n_cores;
    actors_awake actors;
    moving_actors moving;
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
enum { NOWHERE, WALL, FIRST_FIFO };

/* Wakes an actor if so: without a branch, which no processor could predict. */
static inline void wake_if(cycle_model *m, actor_id id, bool is) {
    m->actors.awake[id.word] |= (uint64_t)is << id.bit;
}
static inline actor_id actor_number(uint32_t n) {
    return (actor_id){(uint16_t)(n / 64), (uint8_t)(n % 64)};
}
static inline void wake(cycle_model *m, uint32_t n) {
    wake_if(m, actor_number(n), true);
}
static inline void cycle_wake_all(cycle_model *m) {
    for (uint32_t i = 0; i < m->n_links; i++)
        wake(m, i);
    for (uint32_t i = 0; i < m->n_joints; i++)
        wake(m, m->actors.first_joints * 64 + i);
    for (uint32_t i = 0; i < m->n_cores; i++)
        wake(m, m->actors.first_cores * 64 + i);
}
static inline bool some(const fifo *f) {
    return f->count != 0;
}
static inline bool room(const fifo *f) {
    return f->count != 2;
}
static inline uint32_t token(const fifo *f) {
    return f->slot[f->head];
}
static inline void pop(cycle_model *m, fifo *f) {
    f->head ^= 1;
    wake_if(m, f->writer, (f->count == 2) | f->watched);
    f->count--;
}
static inline void push(cycle_model *m, fifo *f, uint32_t word) {
    if (f->drain)
        return;
    f->slot[f->head ^ (f->count & 1)] = word;
    wake_if(m, f->reader, f->count == 0);
    f->count++;
}

/* All actors of a design, at reset and awake; with `pins` every port of a working tile has its FIFO,
 * otherwise only ports of nets. */
cycle_model *cycle_assemble(const cycle_design *design, bool pins, arena *mem);

/* Rows that see a flush in this cycle: none, the rows above, the rows below, all. */
typedef enum { FLUSH_NONE, FLUSH_EARLY, FLUSH_LATE, FLUSH_ALL } flush_group;

/* A cycle. Links decide before any core steps and move after all cores: both see the FIFOs' old state.
 * Returns whether anything moves. */
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
