/* options.h - a command's options, by the pass that reads them; a program's requests for a statement; the
 * trials of a statement. */
#ifndef ONYX_KERNEL_OPTIONS_H
#define ONYX_KERNEL_OPTIONS_H

#include "host/host.h"
#include "pnr/pnr.h"
#include "sam/sam.h"
#include "tiling/tiling.h"

#include <string.h>

typedef enum {
    ENGINE_NONE,
#define ENGINE(key, name, ...) ENGINE_##key,
#include "kernel/engines.def"
#undef ENGINE
    ENGINES
} compile_engine;
/* Properties of each engine, from engines.def. With ENGINE_NONE a kernel is compiled for the chip and not
 * run. */
typedef struct {
    double host_word; /* array cycles */
    bool by_processor, from_job;
    const char *name; /* "none", "sam" */
} compile_engine_facts;
extern const compile_engine_facts compile_engines[ENGINES];
/* of --processor-time */
typedef enum {
    COMPILE_PROCESSOR_COUNT,
    COMPILE_PROCESSOR_LEAST,
    COMPILE_PROCESSOR_MOST
} compile_processor_time;
/* of --rtl */
typedef enum { COMPILE_RTL_AUTO, COMPILE_RTL_TILES, COMPILE_RTL_NETLIST, COMPILE_RTL_COVERAGE } compile_rtl;
typedef enum { REPORT_ERROR, REPORT_WARN, REPORT_OFF } compile_severity; /* of --hazards and --deadlock */

typedef struct {
    const char *name;
    tile_tensor data;
} compile_in_memory;

/* The value of --tile or --glb-tile: an edge along some loops, and an edge along all others. */
typedef struct {
    const char *loop;
    uint32_t edge;
} compile_edge;
typedef struct {
    uint32_t all; /* 0: left open */
    VEC(compile_edge) along;
    src_loc stated; /* by a schedule; no length: by options */
} compile_edges;

/* The board of engine program, and its connection. */
typedef struct {
    pnr_board board;
    host_options host;
    uint32_t started, ready; /* number of starts, and of times found ready */
} compile_on_board;

/* The forms of the program between the passes kept as text by --dump. */
enum {
#define DUMP(stage, type, end, doc) COMPILE_DUMP_##stage,
#include "kernel/dumps.def"
#undef DUMP
    COMPILE_DUMPS
};
extern const char *const compile_dump_names[]; /* the stages, "-", NULL */
typedef struct {
    bool of[COMPILE_DUMPS];
    bool all;   /* that are made */
    bool shown; /* printed to compile_context.shown, instead of a file each */
} compile_dumps;

/* Storage of operands that are slices: the slice's contents, or the whole tensor, intersected with the slice.
 */
typedef enum { COMPILE_SLICES_CUT, COMPILE_SLICES_KEPT } compile_slices;

/* An operand split by its format gets a kernel for each part if expected to be faster; or a single kernel; or
 * a kernel for each part in any case. */
typedef enum { COMPILE_PARTS_AUTO, COMPILE_PARTS_TOGETHER, COMPILE_PARTS_APART } compile_parts;

/* Whether scanners skip coordinates absent from their intersecter's other side (onyx-ext). */
typedef enum { COMPILE_SKIP_AUTO, COMPILE_SKIP_OFF, COMPILE_SKIP_ON } compile_skip;

/* Whether statements of a program become subexpressions of the statements that read their results: where
 * expected to be faster; never; wherever no value changes. */
typedef enum { COMPILE_FUSE_AUTO, COMPILE_FUSE_OFF, COMPILE_FUSE_ON } compile_fuse;

/* A program's requests for a statement; all zeros: no program. */
typedef struct {
    const sam_statement *statement; /* as it was parsed */
    const char *within;             /* the folder in `out` of this statement's kernels */
    bool fullest;  /* changing operands are given at their fullest, for the choice of edges */
    bool exact;    /* these are the operands of its only run */
    bool only;     /* no other statement shall share the array */
    bool repeated; /* in a loop, and makes a vector or a single value */
    bool joins;    /* the chip puts its pieces together, and no operand needs other cuts */
    bool images;   /* other bitstreams may lie in the first GLB tile, whose load copies leave free */
} compile_asked;

/* A statement of a program that the chip refused in a run, by its place in the text, and what the next run
 * does: the statement stays as written, then nothing is chosen for it, then its kernels are smaller. */
typedef struct {
    src_loc at;
    const char *why;
    bool plain;
    uint32_t operands; /* of a kernel, at most; 0: any number */
} compile_refused;

/* Failed trials of a statement, which force another mapping (compile/fallback.c). All zeros: none. */
typedef struct {
    VEC(compile_refused) statements; /* of a program, in the order of the runs */
    bool any_sign;  /* operands hold negative values: the chip does not add negative values with infinity */
    bool met_first; /* Treats a stalled union as stalling both operands; pessimistic, used after a deadlock
                       report */
    bool keeps_absent;   /* fe_in.keeps_absent: the complement would be too large */
    bool plain;          /* nothing is chosen by the data */
    uint32_t operands;   /* of a kernel on the array, at most; 0: any number */
    const char *refused; /* compile_choices.kernels of a trial with fewer changes; NULL: none */
} compile_tried;

/* The computation: read by frontend/ and by rewrites of statements. */
typedef struct {
    const char *expression;
    const char *typed;   /* what the user wrote in place of a rewritten expression; NULL: the expression */
    text_vec settings;   /* of a program: --set "steps=3" */
    double call_seconds; /* time limit of a call of a C function; 0: ISOLATE_SECONDS */
    text_vec functions; /* --functions PATH; "none": operations absent from the array are refused, not left to
                           the host */
    text_vec schedule;  /* -s */
    text_vec formats;   /* -f */
    text_vec format_files;           /* --formats */
    text_vec dimensions;             /* -d "i:100", "B:100,80" */
    text_vec types;                  /* -t "B:int16" */
    text_vec fills;                  /* --fill "B:inf" */
    const char *semiring;            /* NULL: plus_times */
    const struct fe_single *singles; /* operands to broadcast (frontend/language/parse.h) */
    uint32_t n_singles;
    compile_fuse fuse; /* --fuse-statements */
    uint32_t search;   /* --search N: 1 more than how many rewrites; 0: none is asked for */
    bool explain;      /* --explain: list the findings, and the workspaces */
    const struct compile_options
        *uncut; /* to go back to from an operand in blocks of entries; NULL: none is */
} compile_written_options;

/* The type of values is stated; or chosen by the data; or int16 with scales that are. */
typedef enum { COMPILE_TYPE_STATED, COMPILE_TYPE_AUTO, COMPILE_TYPE_SCALED } compile_typing;

/* Where tensors come from and go to: read by tiling/. */
typedef struct {
    VEC(compile_in_memory) in_memory;     /* operands of programs that link the command */
    text_vec inputs, generators, outputs; /* -i "B:file", -g "B:dims:density:seed" or "B:s", -o "X:file" */
    tile_dtype dtype;
    compile_typing typing; /* while `dtype` is not known: before compile_choose_type */
    const char *type_why;  /* the sentence about a type that the data chose; NULL: somebody stated it */
    text_vec scales;       /* --scale "B:8" */
    const struct fe_scales *scaled; /* of int16, whose words are scaled; NULL: they are numbers */
    tile_values values;
} compile_tensor_options;

/* The target, and the refused deviations of the chip. */
typedef struct {
    compile_engine engine;
    compile_severity hazards, deadlock;
    const char *board, *profile;
    compile_rtl rtl;
} compile_target_options;

/* How operands are cut into sub-tiles. */
typedef struct {
    compile_edges tile; /* 0 = by the tensors' orders */
    compile_edges glb_tile;
    compile_slices slices;
    compile_parts parts;
    bool tile_auto; /* `tile` is by the data instead */
} compile_cutting_options;

/* Copies of the kernel, their dispatch, and their streams. */
typedef struct {
    uint32_t unroll;  /* copies of the kernel; 0 = as many as fit */
    bool unroll_open; /* nobody says how many: as many as pay, from optimize = 1 on */
    uint32_t buffers; /* 2: streams have GLB tiles of their own, for fw_columns.buffers */
    tile_dispatch dispatch;
    bool dispatch_auto;  /* by the data instead */
    sam_sharing streams; /* open: by the data */
} compile_copy_options;

/* How a kernel becomes a routed netlist. */
typedef struct {
    compile_skip skip;
    uint32_t effort; /* of placement, 1 .. 10; 0 = 5 */
    uint32_t mhz;    /* the clock that is enough; 0: the fastest */
    bool pipeline, balance;
} compile_mapping_options;

/* The run of a compiled kernel, and the comparison of its result. */
typedef struct {
    bool executes; /* onyx run, which needs operands */
    bool bounded;  /* a result may have no larger relative error than this */
    double tolerance;
    bool check, io_trace, wave;
    uint32_t jobs; /* processes for the runs of a kernel; 0 is 1 */
    uint32_t shard,
        shards;      /* only every shards-th run is made, from number `shard` on (from 1); 0: all are */
    text_vec merged; /* folders of the commands that made the runs */
    compile_on_board *on_board;
    bool compare_cpu;                 /* measure a host core's time, too */
    const char *source;               /* the file for the C of a host core; NULL: none */
    bool verify_config;               /* the program reads the configuration back before becoming ready */
    bool unchecked;                   /* the program checks neither loaded segments nor its own code */
    compile_processor_time processor; /* of instructions of the chip's processor */
    uint32_t checkpoint; /* of a program: its tensors are saved after this number of loop passes; 0: never */
    uint32_t host_bandwidth,
        host_latency; /* KB/s, us; 0: the engine's price is taken, and nothing reported */
} compile_run_options;

/* Engine sam: --timing, --fifo, --memory-model, --order, --stats, --trace, and --trace-edge "SRC,DST". */
typedef struct {
    uint64_t most_cycles; /* the run fails behind this number, in trials of an order; 0: no bound */
    bool as_written;      /* the loops keep their written order */
    sam_sim_timing timing;
    uint32_t fifo_depth;
    const char *memory; /* a file (engines/memory.h), or NULL: no bound */
    const char *stats, *trace;
    text_vec trace_edges;
} compile_sam_options;

/* Files left in the folder. */
typedef struct {
    const char *out;   /* folder */
    const char *reuse; /* folder with a placement to take for the same netlist, or NULL */
    bool passing;      /* the folder is removed when the command ends: only files of `outputs` stay */
    compile_dumps dump;
    bool again;          /* the folder holds this kernel's files: compile_command_again */
    uint32_t stop_after; /* 1 more than the last pass (compile/passes.def); 0: all passes */
} compile_file_options;

/* The user's options, by pass; a program's requests; failed trials. */
typedef struct compile_options {
    compile_written_options written;
    compile_tensor_options tensors;
    /* 0; 1: locates dense operands, ends dense levels with the data, and makes open choices by the data
     * within a bound; 2, 3: with larger bounds, without a bound. */
    uint32_t optimize;
    uint64_t seed; /* of placement, and of generated operands */
    compile_target_options target;
    compile_cutting_options cutting;
    compile_copy_options copies;
    compile_mapping_options mapping;
    compile_run_options running;
    compile_sam_options sam;
    compile_file_options files;
    struct {
        bool dtype, profile, board, functions;
    } said; /* by the command line, in place of what a program file states */
    compile_asked asked;
    compile_tried tried;
} compile_options;

/* ---- the host's time ----------------------------------------------------------------------------- */

/* Array cycles of a word of 32 bits between host and chip, and of a request to the host. */
typedef struct {
    double word, asked;
} compile_host_price;
/* Returns the price stated by the options, a request of 10 us where only a bandwidth is; or the engine's: a
 * request then takes as long as 500 words. */
static inline compile_host_price compile_host_price_of(const compile_options *o, const pnr_board *board) {
    const double kilobytes = o->running.host_bandwidth, us = o->running.host_latency, mhz = board->cgra_mhz;
    const double word = kilobytes > 0 ? 4000 * mhz / kilobytes : compile_engines[o->target.engine].host_word;
    return (compile_host_price){word, us > 0 ? us * mhz : kilobytes > 0 ? 10 * mhz : 500 * word};
}
/* Returns whether the options state what the host takes. */
static inline bool compile_counts_host(const compile_options *o) {
    return o->running.host_bandwidth || o->running.host_latency;
}

/* ---- choices left open by options ---------------------------------------------------------------- */

/* Returns whether the data may choose values left open by the options; for a statement of a program, whose
 * data change from step to step, the fullest data do. */
static inline bool compile_choices_open(const compile_options *o) {
    return o->optimize && !o->tried.plain && (!o->asked.statement || o->asked.fullest);
}
/* Returns whether the edges of some loops are to be chosen unasked. */
static inline bool compile_edges_open(const compile_options *o) {
    return compile_choices_open(o) && !o->cutting.tile.all && !o->cutting.tile_auto;
}
/* Returns whether the number of copies is: of a statement of a program where nothing else wants their
 * streams. */
static inline bool compile_copies_open(const compile_options *o) {
    return o->optimize && !o->tried.plain && (!o->asked.statement || (o->asked.fullest && o->asked.only)) &&
           o->copies.unroll_open;
}
/* Returns whether the options allow loops over blocks of an operand. */
static inline bool compile_blocks_open(const compile_options *o) {
    return compile_edges_open(o) && !o->asked.statement && !o->written.schedule.len &&
           !o->cutting.tile.along.len && o->target.engine != ENGINE_SAM;
}
/* Returns whether the host must not compute operations absent from the array (--functions none). */
static inline bool compile_array_alone(const compile_options *o) {
    bool none = false;
    for (uint32_t i = 0; i < o->written.functions.len; i++)
        none = none || strcmp(o->written.functions.at[i], "none") == 0;
    return none;
}
/* Returns the text after "T:" of the argument for `tensor`, or NULL. A vector of "T:rest" arguments. */
static inline const char *compile_argument_for(const text_vec *arguments, const char *tensor) {
    const size_t length = strlen(tensor);
    for (uint32_t i = 0; i < arguments->len; i++) {
        if (strncmp(arguments->at[i], tensor, length) == 0 && arguments->at[i][length] == ':')
            return arguments->at[i] + length + 1;
    }
    return NULL;
}

#endif
