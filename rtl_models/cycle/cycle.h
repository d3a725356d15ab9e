/* cycle.h - the configured array in C, cycle for cycle equal to the RTL of rtl/.
 *
 * A model is made of tiles (cells) and the routes between them (nets), as a bitstream configures them. FIFOs
 * decouple all primitives, hence a cycle is two steps: every primitive steps from the heads of its FIFOs, and
 * the FIFOs between primitives move. An idle primitive sleeps until a neighbouring FIFO changes.
 * docs/notebook/cycle_model.md.
 */
#ifndef ONYX_CYCLE_H
#define ONYX_CYCLE_H

#include "support/support.h"

/* ---- the design ------------------------------------------------------------------------------ */

enum { CYCLE_INS = 4, CYCLE_OUTS = 3 };

typedef enum { CYCLE_NONE, CYCLE_PE, CYCLE_MEM, CYCLE_IO_IN, CYCLE_IO_OUT } cycle_kind;

/* A tile. PE: ports, modes and space[0..2] as in onyx_pe_core.sv; MEM: modes 0 and 3 and space[0..3] as in
 * onyx_mem_core.sv; an IO tile has port 0 only. */
typedef struct {
    cycle_kind kind;
    bool tile_en; /* PE and MEM: nothing moves while false */
    uint32_t mode;
    uint32_t space[4]; /* CONFIG_SPACE_0 .. in the registers' layout */
    bool late;         /* sees a flush a cycle later (rows 9 and up) */
    const char *name;  /* "x4y2 intersect", for reports; NULL like the names of ports: a number will do */
    const char *port_in[CYCLE_INS], *port_out[CYCLE_OUTS];
} cycle_cell;

#define CYCLE_SOURCE UINT32_MAX /* in place of a register: the core output itself */

/* A SplitFIFO on the route; `from` is the previous register, which also precedes in the list. */
typedef struct {
    uint32_t from;
    bool start, end;
} cycle_register;

typedef struct {
    uint32_t cell, port, from; /* cells by index; `from`: the last register on the way */
} cycle_sink;

typedef struct {
    uint32_t cell, port; /* what drives it */
    VEC(cycle_register) registers;
    VEC(cycle_sink) sinks;
} cycle_net;

/* An output port drives at most one net, an input port is driven by at most one. */
typedef struct {
    VEC(cycle_cell) cells;
    VEC(cycle_net) nets;
    /* Set for the recorded whole kernels: on the public netlist, where a read scanner's coordinates go before
     * its segments (on the chip, and with false, they alternate), with a common flush for all rows. */
    bool recorded;
} cycle_design;

/* ---- hazards --------------------------------------------------------------------------------- */

/* Errata of the fabricated chip: boards/onyx/hazards.def. */
typedef enum {
#define HAZARD(kind, name, tile, what, help) CYCLE_HAZARD_##kind,
#include "boards/onyx/hazards.def"
#undef HAZARD
    CYCLE_HAZARD_KINDS
} cycle_hazard_kind;
extern const char *const cycle_hazard_name[CYCLE_HAZARD_KINDS],
    *const cycle_hazard_what[CYCLE_HAZARD_KINDS], *const cycle_hazard_help[CYCLE_HAZARD_KINDS];

/* The first of its kind at a tile; `count` occurrences. */
typedef struct {
    cycle_hazard_kind kind;
    uint32_t cell, core; /* core: of the tile, by a number of the model's */
    uint32_t run;        /* counted from 0 */
    uint64_t cycle;      /* of the run */
    uint32_t token[2];
    uint32_t tokens; /* valid entries of token[]: tokens at the heads */
    uint64_t count;
} cycle_hazard;
typedef VEC(cycle_hazard) cycle_hazards;

/* ---- running --------------------------------------------------------------------------------- */

typedef struct cycle_model cycle_model;

/* The model after reset; lives in `mem`. */
cycle_model *cycle_build(const cycle_design *design, arena *mem);

/* An IO tile's stream in a run: an input's words, or an output's number of length-headed blocks and arrived
 * words. */
typedef struct {
    uint32_t cell;
    const uint16_t *words; /* inputs */
    uint32_t length;
    uint32_t blocks; /* outputs */
    uint32_t skew;   /* cycles at the beginning of a run without words */
    uint32_t idle;   /* bit n: no word passes in cycle n of every 32 */
    u16_vec got;
    u32_vec stamp;  /* cycle of each passed word, from 0, if requested */
    uint32_t taken; /* inputs: words taken; outputs: blocks complete */
} cycle_stream;

typedef enum { CYCLE_DONE, CYCLE_STUCK } cycle_end;

/* A run: flush; every input offers a word a cycle, and every output takes a word a cycle until its blocks are
 * complete. `got` and `stamp` of the streams grow in `mem`. *cycles counts from the first cycle after the
 * flush to the last word of the outputs; the rest of the inputs is consumed afterwards. CYCLE_STUCK: the
 * state can never change again. A run may compute for any time between two words. */
cycle_end cycle_run(cycle_model *m, cycle_stream *streams, uint32_t n_streams, bool stamps, arena *mem,
                    uint64_t *cycles);

/* The hazards of all runs, in order of occurrence. */
const cycle_hazards *cycle_hazards_of(cycle_model *m);
/* "5", "S1" a stop of level 1, "D" done, "N" maybe. */
const char *cycle_token_text(uint32_t token, arena *mem);

/* ---- who waited for whom --------------------------------------------------------------------- */

/* A channel: from a core's output FIFO to an input FIFO. Cycles over all runs by activity. */
typedef struct {
    uint32_t net, sink;
    uint64_t moved;   /* a token arrived */
    uint64_t stalled; /* a token was present, the input was full: the producer waited for this consumer */
    uint64_t held;    /* token and room were present, another branch of the net was full */
    uint64_t starved; /* room was present, but no token: the consumer waited */
    uint64_t idle;    /* no token, no room */
} cycle_channel;
typedef VEC(cycle_channel) cycle_channels;

/* All channels in the order of the nets. */
void cycle_channels_of(cycle_model *m, arena *mem, cycle_channels *out);

/* Activity of a channel in a cycle, as in cycle_channel. */
typedef enum {
    CYCLE_MOVES,
    CYCLE_STALLED,
    CYCLE_HELD,
    CYCLE_STARVED,
    CYCLE_IDLE,
    CYCLE_ACTIVITIES
} cycle_activity;
/* A token is offered; the input has room; the offered token arrives. */
enum { CYCLE_OFFERED = 1, CYCLE_ROOM = 2, CYCLE_ARRIVES = 4 };
static inline cycle_activity cycle_activity_of(unsigned channel) {
    static const cycle_activity waiting[] = {CYCLE_IDLE, CYCLE_STALLED, CYCLE_STARVED, CYCLE_HELD};
    return channel & CYCLE_ARRIVES ? CYCLE_MOVES : waiting[channel & 3];
}
/* Called in every cycle (counted from reset, flushes included) for each channel whose activity may have
 * changed; `token` is valid while a token is present: moves, stalled, held. */
typedef void cycle_watcher(void *context, uint64_t cycle, uint32_t net, uint32_t sink,
                           cycle_activity activity, uint32_t token);
void cycle_watch(cycle_model *m, cycle_watcher *watcher, void *context);

/* A tile that blocked other tiles while waiting for none: the cycles of a full input, less the cycles of
 * another empty input at the same time, less the waiting cycles of its outputs. An estimate from the
 * accounts; largest first. */
typedef struct {
    uint32_t cell;
    uint64_t cycles;
} cycle_bottleneck;
typedef VEC(cycle_bottleneck) cycle_bottlenecks;
void cycle_bottlenecks_of(cycle_model *m, arena *mem, cycle_bottlenecks *out);

/* Describes a stuck model in lines of text: every waiting tile, the tokens at the heads of its FIFOs, the
 * awaited tiles, and a circle of waiting tiles if present. */
const char *cycle_wait_graph(const cycle_model *m, arena *mem);

#endif
