/* kernel.h - a kernel from the frontend's statement to the engines: the results of each pass, and of a
 * run. */
#ifndef ONYX_KERNEL_H
#define ONYX_KERNEL_H

#include "bitstream/bitstream.h"
#include "firmware/lists.h"
#include "frontend/language/language.h"
#include "host/host.h"
#include "kernel/context.h"
#include "kernel/options.h"
#include "rtl_models/cycle/cycle.h"
#include "sam/binding.h"
#include "tiling/choose.h"
#include "tiling/compare.h"

/* Wall seconds of each stage. */
typedef struct {
    double frontend, lower, place, route, bitstream, tile, firmware, run, total;
} compile_times;

/* The runs of a kernel's cut operands. */
typedef struct {
    tile_counts counts;
    uint64_t passes;                 /* of the array: a pass makes a run of each copy */
    uint32_t batches;                /* number of batches; 0: none was made */
    uint32_t tile;                   /* the longest edge */
    const uint32_t *edge, *glb_edge; /* as in tile_plan */
    tile_collected partials;
    uint64_t hash; /* of the words of all batches */
    double seconds;
} compile_cut;

/* The cycle model after a run, its own or ahead of another engine; with the hazards met, and the waiting
 * times. */
typedef struct {
    cycle_model *model; /* NULL: it did not run */
    const cycle_design *design;
    uint64_t cycles;  /* above the kernel's with independent starts of copies, computed in turn */
    uint64_t longest; /* cycles of a batch; counted ahead of another engine */
    bool ahead;
    VEC(uint8_t) * stored; /* by output stream, words of all runs together, for a session; or NULL */
} compile_modelled;

/* A kernel's runs with the finite memory of engine sam (engines/memory.h). */
typedef struct {
    uint64_t runs, kernel;           /* 0: the memory has no bound; cycles of the graph, in sequence */
    uint64_t fetched, moved, stored; /* bytes, from DRAM, from the buffer into the element, and back */
    double cycles;                   /* until the last word is in DRAM */
} compile_memory_counts;

/* Time of a host core for the same statement (--compare-cpu). */
typedef struct {
    double seconds;    /* the fastest run of ten; 0: nothing was measured */
    const char *loops; /* "i,k,j" */
    const char *why;   /* nothing was measured; NULL: something was, or nobody asked */
} compile_cpu;

/* Work of functions on the chip's processor (kernel/processor.h). */
typedef struct {
    const char *names;     /* NULL: none was called */
    uint64_t calls, words; /* of 16 bits, handed over and back */
    uint64_t cycles;       /* of the array's clock, in the functions */
    uint64_t overlapped;   /* of these, during runs of the array */
    bool measured;         /* measured; false: expected by the descriptions */
} compile_processed;

/* The results of a kernel's run. */
typedef struct {
    tile_tensor result;
    uint64_t computed, calls; /* on the host: values, and calls of a function along an index */
    compile_processed processor;
    struct {
        uint64_t config, kernel, firmware, total;
        uint64_t verify; /* checking loaded segments; not in the total */
        uint64_t lag[2]; /* by which the processor's time exceeds its count, least and most: docs/cosim.md */
    } cycles;
    struct {
        uint64_t loaded, kept, collected;
    } words;         /* of 32 bits, between host and chip; kept: already resident. Engine soc */
    compile_cut cut; /* nothing with engine sam */
    compile_modelled modelled;
    compile_memory_counts memory;
    double firmware_s;      /* building its program */
    double build_s, cpu_s;  /* engine rtl: building its program, wall; its runs, processor time */
    host_outcome host;      /* engine program */
    tile_accuracy accuracy; /* of the result, if compared with the reference */
    compile_cpu cpu;
} compile_outcome;

/* The host's writes of an operand for all runs of its kernel up to now: a word is written for each copy. */
typedef struct {
    name_id tensor; /* the user's name */
    sam_region stated;
    uint64_t loaded, kept; /* bytes written; bytes already resident */
    uint32_t streams;      /* that carry it */
    uint32_t times, since; /* blocks written for batches; the last of these batches, from 1 */
    uint32_t batches;
} compile_placed;

/* An index of an operand dealt to copies by banks: the operand's entries, and the entries of the fullest
 * copy.
 */
typedef struct {
    const char *operand, *index;
    uint32_t banks; /* 0: nothing is */
    uint64_t entries, fullest;
} compile_bank_load;

/* The dispatch of tile pairs to a kernel's copies, and the figures of onyx's choice, if onyx
 * chose. */
typedef struct {
    tile_dispatch how;
    const char *why;        /* a sentence; NULL where the user chose */
    uint64_t tile_pairs;    /* 0: the data are unknown, and the members below are unset */
    double pair_cycles;     /* expected average array cycles of a pair */
    double sorted, dynamic; /* expected cycles of the chip for all pairs */
    compile_bank_load load; /* TILE_DISPATCH_BANKS, of each run */
} compile_dispatch;

/* A format of an operand or an order of the loops that needs fewer streams of the global buffer for a copy of
 * the kernel, and makes room for more copies. */
typedef struct {
    const char *how;        /* its option, "-f B:ds" */
    uint32_t loads, stores; /* streams of a copy */
    uint32_t copies;        /* that there is room for */
    double cycles;          /* expected cycles of the chip for the kernel; INFINITY: no improvement */
} compile_freeing;
/* Streams of a copy of the kernel, and all ways to free some; empty if another limit bounds the copies. */
typedef struct {
    uint32_t loads, stores;
    uint32_t room; /* copies that fit */
    double cycles; /* INFINITY: the data are not known */
    VEC(compile_freeing) by;
} compile_stream_relief;

/* Another form of the statement under trial (autoschedule/candidates.def). */
typedef struct {
    const char *name, *what;
    const char *schedule; /* its schedule; "": not expressible */
    const char *by_hand;  /* another way for the user to get the form */
    bool refused, taken;  /* the chip cannot run the form; the program has this form */
    double cycles;        /* of the chip, expected; INFINITY: below the required gain, otherwise unknown */
    double before;        /* of the program at the time of the trial */
} compile_candidate;
typedef VEC(compile_candidate) compile_candidates;

/* Decisions of onyx about open choices: a sentence each, or NULL. */
typedef struct {
    const char *chosen;            /* loops out of the default order, and operands stored dense */
    const char *staged;            /* unrequested split into several kernels */
    const char *instead;           /* reason for a mapping other than the first choice by the data */
    const char *kernels;           /* all kernels, as printed by fe_cin_dump */
    bool tried;                    /* equal to compile_tried.refused, not compiled again */
    const char *as_written;        /* workspace of the statement in its own loops, for a single kernel */
    text_vec bindings;             /* found by --search, best first */
    compile_candidates candidates; /* tried candidates, in order */
    text_vec dense;                /* unrequested dense operands, in the form of -f */
    compile_stream_relief freed;   /* stream_relief.c */
} compile_choices;

/* The operands of a kernel. */
typedef struct {
    tile_operands operands;          /* the user's operands, by tensor handle - 1, if read before compiling */
    const tile_tensor *whole;        /* likewise: the source tensors of windows */
    const struct compile_runs *runs; /* likewise: places without a changed operand (runs.h); or NULL */
    tile_operands packed;            /* for the lowered statement, once all are known */
    tile_operands kept; /* operands packed by an earlier run of the kernel and unchanged by all runs */
    uint32_t *extent;   /* of the user's variables, by handle - 1; set with the operands */
} compile_data;

/* A kernel as a graph. */
typedef struct {
    uint32_t copies;         /* of the kernel, stated by its schedule (unroll); 0: none */
    sam_statement statement; /* packed: the input of the graph */
    sam_graph sam, hardware; /* as lowered from the statement; after the hardware rewrites */
    bool regions;            /* the array has a joiner by regions */
} compile_lowered;

/* How a kernel's operands are to be cut into sub-tiles. */
typedef struct {
    tile_options options;
    tile_candidates candidates;    /* of --tile auto */
    tile_candidate expected;       /* expected cycles of all its runs, before any run */
    tile_room rooms[SAM_SHARINGS]; /* with more streams than requested, or fewer; none: excluded */
    bool full;                     /* of a prediction: the copies are all that the board has room for */
} compile_tiling;

/* Statements that run at once, at most (programs/join.h). */
enum { COMPILE_MEMBERS_MOST = 4 };

/* A kernel on the array. */
typedef struct {
    netlist net;      /* of all copies */
    uint32_t copies;  /* of the kernel in the netlist */
    bool independent; /* each copy starts by itself, with its own flush */
    compile_dispatch dispatch;
    pnr_design design; /* as routed; of all kernels on the same array */
    uint32_t kernel;   /* number of this kernel, in the order of the design's cells */
    uint32_t kernels;  /* kernels on the array; 0 and 1: this kernel alone */
    bool one_of;       /* one of several arrays whose bitstreams are in GLB tile 0, which has no load */
    u32_vec colocated; /* pairs of cells, by index: a store, and the load with the same GLB tile */
    pnr_timing timing;
    net_liveness liveness; /* of the routed netlist */
    uint32_t member; /* of several statements on one array at once (programs/join.h): the copy of the net that
                        has the kernel's streams */
    VEC(struct compile_kernel *) others; /* in a run of copy 0: the kernels of copies 1, 2 .. */
} compile_array;

/* The configuration of a kernel's tiles, and the design read back from the bitstream's bytes. */
typedef struct {
    bits_map *map;
    bits_stream stream;
    pnr_design decoded;
} compile_bits;

/* Inputs of a firmware program. */
typedef struct {
    const pnr_design *design, *decoded; /* as routed; as read back from the bitstream */
    const bits_map *map;
    const bits_stream *bits;
    bool independent;        /* each copy starts by itself */
    bool verify_config;      /* the program reads the configuration back before becoming ready */
    bool unchecked;          /* the program checks neither loaded segments nor its own code */
    uint64_t longest;        /* upper bound of a run's array cycles; 0: unknown */
    fw_command_lists lists;  /* run by the program itself */
    const fw_writes *writes; /* of a program made by another tool: fw_options */
} compile_programmed;

/* A kernel from a graph's file. */
typedef struct {
    bool is;
    bool exact; /* the graph computes exactly the user's statement, not only at its coordinates with values */
    sam_graph file;   /* without broadcasts */
    tile_tensor want; /* result of engine sam */
} compile_from_graph;

typedef struct compile_bitstream compile_bitstream; /* a bitstream at hand: prebuilt.h */
typedef struct compile_session compile_session;
typedef struct compile_config_set compile_config_set; /* bitstreams of a firmware program: share.h */

typedef struct compile_deferred compile_deferred; /* engine.h */

/* A kernel among those that a chip runs in a command. */
typedef struct {
    compile_session *session;          /* common to its runs, or NULL */
    compile_deferred *deferred;        /* its only batch is deferred, by the cycle model meanwhile; or NULL */
    fw_command_lists lists;            /* run by its firmware program itself */
    const compile_config_set *configs; /* of its firmware program, if several, or NULL */
    uint32_t image, number;            /* its image; its number among all kernels of the images */
} compile_on_chip;

/* A kernel: the results of each pass, in the order of the passes. */
typedef struct compile_kernel compile_kernel;
struct compile_kernel {
    pnr_board board;
    const char *board_path;
    const char *folder,
        *final_folder;  /* of incomplete files; final: the user's, or inside for several kernels */
    sam_statement user; /* as written, evaluated by the reference (of a workspace: as scheduled) */
    VEC(compile_kernel)
    producers;                  /* kernels that fill workspaces, in execution order */
    VEC(compile_placed) placed; /* of engines with a global buffer */
    bool on_host; /* computed by the host (tile_each): the kernel has a statement, and nothing on the array */
    const fe_kernel *source;           /* source of the graph; NULL for a graph from a file */
    const compile_bitstream *prebuilt; /* an existing bitstream of the kernel, or NULL */
    sam_binding calls;                 /* computed by these calls of a function (tile_call) */
    bool on_processor;                 /* on_host, with functions run by the chip's processor (processor.h) */
    bool again;                        /* ran before in this command: its artifacts are in its folder */
    compile_on_chip chip;
    compile_choices choices;
    compile_from_graph graph;
    compile_lowered lowered;
    compile_tiling tiling;
    compile_data data;
    compile_array array;
    compile_bits bits;
    compile_outcome ran;                  /* the result is the user's */
    struct compile_evaluation *reference; /* evaluated beside the run (compile/reference.h), or NULL */
    compile_times times;
};

/* Kernel `n` of a statement in the order of execution: producers of workspaces first, then the result's. */
#define compile_kernel_at(last, n) ((n) < (last)->producers.len ? &(last)->producers.at[n] : (last))

/* The images of a firmware program, in order: a kernel of each. */
struct compile_config_set {
    const compile_kernel *of[FW_IMAGES_MOST];
    uint32_t n;
};

typedef VEC(compile_tiling) compile_tilings;
/* A program as kernels, and onyx's decisions about them. */
typedef struct {
    fe_cin cin;
    text_vec chosen;         /* compile_choices.chosen of each kernel; none: nobody chose */
    text_vec dense;          /* compile_choices.dense of the only kernel */
    compile_tilings tilings; /* chosen for each by the data; none: not chosen yet */
    const char *staged;
    const compile_bitstream **prebuilt; /* by kernel: existing bitstreams (prebuilt.h); NULL: none */
    compile_candidates candidates;      /* compile_choices.candidates of the statement */
} compile_schedule;

/* The action on options: compiles, or compiles and runs. */
typedef bool compile_action(const compile_options *o, compile_context *ctx, compile_kernel *k);

/* Another order of the loops, other formats and columns are taken if expected to take at most this fraction
 * of the present kernel's time; several kernels this fraction: there the model's error is larger, and the
 * host has more work. */
#define COMPILE_WORTH_CHANGING 0.97
#define COMPILE_WORTH_SEVERAL 0.9

/* Returns whether no tensor of the statement has this name. */
static inline bool compile_is_free(const compile_context *ctx, const sam_statement *st, const char *name) {
    const name_id id = names_find(ctx->names, name);
    bool is = true;
    for (uint32_t t = 0; id.v && t < st->tensors.len; t++)
        is = is && !name_eq(st->tensors.at[t].name, id);
    return is;
}

#endif
