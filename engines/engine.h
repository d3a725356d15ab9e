/* engine.h - the interface of an engine: its inputs, and the functions called by run.c; and declarations
 * common to several engines. A new engine is a row in engines.def and a file with its compile_engine_row. */
#ifndef ONYX_ENGINES_ENGINE_H
#define ONYX_ENGINES_ENGINE_H

#include "kernel/kernel.h"

/* Options read by engines: how to run a kernel. */
typedef struct {
    compile_severity hazards;
    compile_rtl rtl; /* read by engine rtl */
    bool io_trace, wave, verify_config, unchecked;
    bool kept;               /* keep the words stored by the cycle model in compile_modelled.stored */
    const fw_writes *writes; /* register writes made unchanged by engine soc, or NULL */
    compile_processor_time processor; /* read by engine soc */
    uint32_t jobs;                    /* read by engines cycle, rtl and soc */
    uint32_t shard, shards;           /* read by engine cycle */
    text_vec merged;
    /* Read by engine sam. */
    bool as_stored; /* an operand without entries has none; else it has a zero, as on the array */
    sam_sim_timing timing;
    uint32_t fifo_depth;
    uint64_t most_cycles;                /* 0: no bound */
    const struct compile_finite *finite; /* the memory around the graph (memory.h), or NULL: no bound */
    const char *stats, *trace;
    text_vec trace_edges;
    compile_on_board *on_board; /* read and counted by engine program */
} compile_running;

/* Returns whether the processor's writes are those of a dense program. */
static inline bool compile_is_dense(const compile_running *how) {
    return how->writes && how->writes->spans.len;
}
/* Returns the options of running, on this board. */
compile_running compile_running_of(const compile_options *o, const pnr_board *board);

/* What an engine reads. */
typedef struct {
    compile_context *ctx;
    compile_running how;
    const sam_statement *statement; /* packed */
    const sam_graph *graph;         /* of the statement; read by engine sam */
    const pnr_board *board;         /* this member and the following are read by the engines of the array */
    const char *board_path;
    const pnr_design *design, *decoded; /* as routed; as read back from the bitstream */
    const bits_map *map;
    const bits_stream *bits;
    uint32_t kernel;                   /* the kernel, among the kernels of the design */
    bool shared;                       /* there are several */
    bool independent;                  /* each copy starts by itself */
    const compile_config_set *configs; /* of its firmware program, if several, or NULL */
    uint32_t image, number;            /* as in compile_kernel; without `images` number is `kernel` */
    bool calls;                        /* no kernel: the program makes calls of functions (processor.h) */
    bool again;                        /* the kernel ran before in this command */
    fw_command_lists lists;            /* run by the firmware program itself */
    compile_deferred *deferred; /* where the batch is noted in place of a run, or NULL; of a session alone */
    compile_session *session; /* where the array stays configured between runs, or NULL; read by engine soc */
    compile_kernel *counted;  /* receives the host's writes of its operands, or NULL */
    const char *folder;       /* receives the files of the run, until complete */
    const char *final_folder; /* their final folder; files kept for the next run are there already */
} compile_engine_in;

/* A kernel's run on an engine. */
typedef struct {
    const compile_engine_in *in;
    void *own;                 /* the engine's, from `prepare` on */
    tile_collector *collector; /* takes what each batch yields */
    const char *result;        /* the file to collect from, once an engine with `ahead` is finished */
    uint64_t result_cycles;    /* cycles stated by the file, once collected */
} compile_engine_run;

typedef struct compile_firmware compile_firmware;

/* Functions of an engine. All return false after errors. An engine takes the operands whole, or batches of
 * sub-tiles; with batches `prepare` precedes the first batch, `finish` follows the last one (`good`: none
 * failed) whenever `prepare` succeeded, and `counters` follows the result. */
typedef struct {
    bool (*whole)(const compile_engine_in *in, const tile_operands *packed, compile_outcome *out);
    bool (*prepare)(compile_engine_run *r, compile_outcome *out);
    bool (*batch)(compile_engine_run *r, const tile_plan *plan); /* the last batch has no runs */
    bool (*finish)(compile_engine_run *r, bool good, compile_outcome *out);
    bool (*counters)(const compile_engine_run *r, compile_outcome *out);
    /* Makes the session of `in` execute a file of batches, and adds the counts. */
    bool (*ask)(const compile_engine_in *in, const compile_firmware *f, compile_outcome *out);
    /* The engine runs all batches in `finish`, from a file, and leaves its result in a file: the cycle model
     * runs each batch ahead of the engine, to find the chip's hazards (E0803). */
    bool ahead;
} compile_engine_row;
const compile_engine_row *compile_engine_of(compile_engine engine);
#define ENGINE(key, name, ...) extern const compile_engine_row compile_engine_##name;
#include "kernel/engines.def"
#undef ENGINE

#endif
