/* engine.h - says what an engine is: what it reads, and the functions that run.c calls; and declares what
 * several of them use. A new one is a row in engines.def and a file with its compile_engine_row. */
#ifndef ONYX_ENGINES_ENGINE_H
#define ONYX_ENGINES_ENGINE_H

#include "kernel/kernel.h"

/* What engines read of the options: how a kernel is to be run. */
typedef struct {
    compile_severity hazards;
    compile_rtl rtl; /* read by engine rtl */
    bool io_trace, wave, verify_config, unchecked;
    bool kept;               /* what the cycle model stores is wanted, in compile_modelled.stored */
    const fw_writes *writes; /* register writes that engine soc makes as they stand, or NULL */
    uint32_t jobs;           /* read by engines cycle, rtl and soc */
    uint32_t shard, shards;  /* these are read by engine cycle */
    text_vec merged;
    /* These are read by engine sam. */
    sam_sim_timing timing;
    uint32_t fifo_depth;
    const char *stats, *trace;
    text_vec trace_edges;
    compile_on_board *on_board; /* read and counted by engine program */
} compile_running;

/* Returns what the options say of running, on that board. */
compile_running compile_running_of(const compile_options *o, const pnr_board *board);

/* What an engine reads. */
typedef struct {
    compile_context *ctx;
    compile_running how;
    const sam_statement *statement; /* packed */
    const sam_graph *graph;         /* of that statement; read by engine sam */
    const pnr_board *board;         /* this and what follows is read by the engines of the array */
    const char *board_path;
    const pnr_design *design, *decoded; /* as routed; as read back from the bitstream */
    const bits_map *map;
    const bits_stream *bits;
    uint32_t part;                /* the kernel, of those that share the design */
    bool shared;                  /* there are several */
    bool apart;                   /* each copy starts by itself */
    const compile_images *images; /* of its firmware program, where there are several, or NULL */
    uint32_t image, number;       /* as in compile_kernel; without `images` number is the part */
    bool calls;                   /* there is no kernel: the program makes calls of functions (processor.h) */
    bool again;                   /* the kernel ran before in this command */
    fw_lists lists;               /* that the firmware program goes through by itself */
    compile_later *later;     /* where the batch is noted in place of a run, or NULL; of a session alone */
    compile_session *session; /* where the array stays configured between runs, or NULL; read by engine soc */
    compile_kernel *counted;  /* takes what the host writes of its operands, or NULL */
    const char *folder;       /* receives the files of the run, until all are there */
    const char *place;        /* where they are then; what is kept for the next run is there now */
} compile_engine_in;

/* One kernel's run on an engine. */
typedef struct {
    const compile_engine_in *in;
    void *own;                 /* the engine's, from `prepare` on */
    tile_collector *collector; /* takes what each batch yields */
    const char *result;        /* the file to collect from, once an engine with `ahead` is finished */
    uint64_t result_cycles;    /* cycles that the file states, once it was collected */
} compile_engine_run;

typedef struct compile_firmware compile_firmware;

/* What an engine does. All functions return false after errors. An engine takes the operands whole, or
 * batches of sub-tiles; then `prepare` comes before the first batch, `finish` after the last one (`good`:
 * none failed) whenever `prepare` did not fail, and `counters` when the result is there. */
typedef struct {
    bool (*whole)(const compile_engine_in *in, const tile_operands *packed, compile_outcome *out);
    bool (*prepare)(compile_engine_run *r, compile_outcome *out);
    bool (*batch)(compile_engine_run *r, const tile_plan *plan); /* the last one has no runs */
    bool (*finish)(compile_engine_run *r, bool good, compile_outcome *out);
    bool (*counters)(const compile_engine_run *r, compile_outcome *out);
    /* Has the session of `in` do what a file of batches says, and counts what that took. */
    bool (*ask)(const compile_engine_in *in, const compile_firmware *f, compile_outcome *out);
    /* The engine runs all batches in `finish`, from a file, and leaves its result in one: the cycle model
     * runs each batch ahead of it, for what the chip would get wrong there (E0803). */
    bool ahead;
} compile_engine_row;
const compile_engine_row *compile_engine_of(compile_engine engine);
#define ENGINE(key, name, by_processor, from_job, host_word)                                                 \
    extern const compile_engine_row compile_engine_##name;
#include "kernel/engines.def"
#undef ENGINE

#endif
