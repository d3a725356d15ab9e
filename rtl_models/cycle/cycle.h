/* cycle.h - the configured array in C, cycle for cycle what the RTL of rtl/ does.
 *
 * A model is made of tiles (cells) and the routes between them (nets), as a bitstream configures them.
 * Between two FIFOs nothing waits for anything, so a cycle is three steps: every net decides from the FIFOs'
 * fill what moves, every primitive steps from the heads of its FIFOs, then the nets move. What cannot change
 * sleeps until a FIFO beside it does; a cycle costs what happens in it. docs/notebook/cycle_model.md.
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
    bool tile_en; /* PE and MEM: without it nothing moves */
    uint32_t mode;
    uint32_t space[4]; /* CONFIG_SPACE_0 .. as the registers hold them */
    bool late;         /* sees a flush one cycle later (rows 9 and up) */
    const char *name;  /* "x4y2 intersect", for reports; NULL like the names of ports: a number will do */
    const char *port_in[CYCLE_INS], *port_out[CYCLE_OUTS];
} cycle_cell;

#define CYCLE_SOURCE UINT32_MAX /* in place of a register: the core output itself */

/* A SplitFIFO on the way; `from` is the register before it, which comes before it in the list too. */
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
    /* As whole kernels were recorded: on the public netlist, where a read scanner's coordinates go before its
     * segments (on the chip, and without this, they take turns), and with one flush for all rows. */
    bool recorded;
} cycle_design;

/* ---- hazards --------------------------------------------------------------------------------- */

/* What the fabricated chip gets wrong: boards/onyx/hazards.def. */
typedef enum {
#define HAZARD(kind, name, tile, what, help) CYCLE_HAZARD_##kind,
#include "boards/onyx/hazards.def"
#undef HAZARD
    CYCLE_HAZARD_KINDS
} cycle_hazard_kind;
extern const char *const cycle_hazard_name[CYCLE_HAZARD_KINDS],
    *const cycle_hazard_what[CYCLE_HAZARD_KINDS], *const cycle_hazard_help[CYCLE_HAZARD_KINDS];

/* The first of its kind at a tile; `count` of them came. */
typedef struct {
    cycle_hazard_kind kind;
    uint32_t cell, core; /* core: the part of the tile, by a number of the model's */
    uint32_t run;        /* counted from 0 */
    uint64_t cycle;      /* of the run */
    uint32_t token[2];
    uint32_t tokens; /* of token[] that mean something: what was at the heads */
    uint64_t count;
} cycle_hazard;
typedef VEC(cycle_hazard) cycle_hazards;

/* ---- running --------------------------------------------------------------------------------- */

typedef struct cycle_model cycle_model;

/* The model after reset; lives in `mem`. */
cycle_model *cycle_build(const cycle_design *design, arena *mem);

/* An IO tile's stream in a run: an input's words, or an output's number of length-headed blocks and what
 * came. */
typedef struct {
    uint32_t cell;
    const uint16_t *words; /* inputs */
    uint32_t length;
    uint32_t blocks; /* outputs */
    uint32_t skew;   /* cycles at the beginning of a run in which no word passes */
    uint32_t idle;   /* bit n: nor does one in cycle n of every 32 */
    u16_vec got;
    u32_vec stamp;  /* cycle of each word that passed, from 0, if asked for */
    uint32_t taken; /* inputs: words taken; outputs: blocks complete */
} cycle_stream;

typedef enum { CYCLE_DONE, CYCLE_STUCK } cycle_end;

/* One run: flush, then every input offers a word a cycle and every output takes one until its blocks are
 * there. `got` and `stamp` of the streams grow in `mem`. *cycles counts from the first cycle after the flush
 * to the last word of the outputs; then what is left of the inputs comes in, too. CYCLE_STUCK: no state can
 * ever change again. A run may compute as long as it likes between two words. */
cycle_end cycle_run(cycle_model *m, cycle_stream *streams, uint32_t n_streams, bool stamps, arena *mem,
                    uint64_t *cycles);

/* The hazards of all runs so far, in the order in which they were met. */
const cycle_hazards *cycle_hazards_of(cycle_model *m);
/* "5", "S1" a stop of level 1, "D" done, "N" maybe. */
const char *cycle_token_text(uint32_t token, arena *mem);

/* ---- who waited for whom --------------------------------------------------------------------- */

/* A channel: from a core's output FIFO to one input FIFO. Cycles over all runs so far by what happened. */
typedef struct {
    uint32_t net, sink;
    uint64_t moved;   /* a token arrived */
    uint64_t stalled; /* a token was there, the input was full: the producer waited for this consumer */
    uint64_t held;    /* a token was there and there was room, another branch of the net was full */
    uint64_t starved; /* there was room, but no token: the consumer waited */
    uint64_t idle;    /* no token, no room */
} cycle_channel;
typedef VEC(cycle_channel) cycle_channels;

/* All channels in the order of the nets. */
void cycle_channels_of(cycle_model *m, arena *mem, cycle_channels *out);

/* What a channel does in a cycle, as in cycle_channel. */
typedef enum {
    CYCLE_MOVES,
    CYCLE_STALLED,
    CYCLE_HELD,
    CYCLE_STARVED,
    CYCLE_IDLE,
    CYCLE_ACTIVITIES
} cycle_activity;
/* A token is offered; there is room at the input; the token offered arrives. */
enum { CYCLE_OFFERED = 1, CYCLE_ROOM = 2, CYCLE_ARRIVES = 4 };
static inline cycle_activity cycle_activity_of(unsigned channel) {
    static const cycle_activity waiting[] = {CYCLE_IDLE, CYCLE_STALLED, CYCLE_STARVED, CYCLE_HELD};
    return channel & CYCLE_ARRIVES ? CYCLE_MOVES : waiting[channel & 3];
}
/* Called in every cycle (counted from reset, flushes included) for each channel that may do something else
 * than before; `token` means something while there is one: moves, stalled, held. */
typedef void cycle_watcher(void *context, uint64_t cycle, uint32_t net, uint32_t sink,
                           cycle_activity activity, uint32_t token);
void cycle_watch(cycle_model *m, cycle_watcher *watcher, void *context);

/* A tile others waited for while it waited for nobody: the cycles an input of it was full, less those another
 * input must have been empty meanwhile, less those its outputs waited. An estimate from the accounts; largest
 * first. */
typedef struct {
    uint32_t cell;
    uint64_t cycles;
} cycle_bottleneck;
typedef VEC(cycle_bottleneck) cycle_bottlenecks;
void cycle_bottlenecks_of(cycle_model *m, arena *mem, cycle_bottlenecks *out);

/* Describes a stuck model in lines of text: every tile that waits, the tokens at the heads of its FIFOs, whom
 * it waits for, and a circle of waiting tiles if there is one. */
const char *cycle_wait_graph(const cycle_model *m, arena *mem);

#endif
