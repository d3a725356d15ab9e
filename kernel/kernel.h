/* kernel.h - a kernel on its way from the frontend's statement to the engines: what each stage makes of a kernel,
 * and what a run yields. */
#ifndef ONYX_KERNEL_H
#define ONYX_KERNEL_H

#include "bitstream/bitstream.h"
#include "firmware/lists.h"
#include "frontend/frontend.h"
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

/* The runs that a kernel's operands were cut into. */
typedef struct {
    tile_counts counts;
    uint64_t passes;                 /* of the array: each takes as many runs as there are copies */
    uint32_t batches;                /* they were made in; 0: none was made */
    uint32_t tile;                   /* the longest edge */
    const uint32_t *edge, *glb_edge; /* as in tile_plan */
    tile_collected partials;
    uint64_t hash; /* of the words of all batches */
    double seconds;
} compile_cut;

/* The cycle model after a run, its own or ahead of another engine; it has the hazards that were met, and who
 * waited for whom. */
typedef struct {
    cycle_model *model; /* NULL: it did not run */
    const cycle_design *design;
    uint64_t cycles;  /* more than the kernel's where copies start apart, since it computes them in turn */
    uint64_t longest; /* cycles of a batch; counted ahead of another engine */
    bool ahead;
    VEC(uint8_t) * stored; /* by output stream, what all runs together store, for a session; NULL: not kept */
} compile_modelled;

/* What one core of the host takes for the same statement (--compare-cpu). */
typedef struct {
    double seconds;    /* the fastest run of ten; 0: nothing was measured */
    const char *loops; /* "i,k,j" */
    const char *why;   /* nothing was measured; NULL: something was, or nobody asked */
} compile_cpu;

/* What functions on the chip's processor did (kernel/processor.h). */
typedef struct {
    const char *names;     /* NULL: none was called */
    uint64_t calls, words; /* of 16 bits, handed over and back */
    uint64_t cycles;       /* of the array's clock, in the functions */
    uint64_t beside;       /* of these, while runs of the array were waited for */
    bool measured;         /* there; else they are what the descriptions expect */
} compile_processed;

/* What a run of a kernel yields. */
typedef struct {
    tile_tensor result;
    uint64_t computed, calls; /* on the host: values, and calls of a function along an index */
    compile_processed processor;
    struct {
        uint64_t config, kernel, firmware, total;
        uint64_t verify; /* looking at what was loaded; not in the total */
    } cycles;
    struct {
        uint64_t loaded, kept, collected;
    } words;         /* of 32 bits, between host and chip; kept: lay there already. Engine soc */
    compile_cut cut; /* nothing with engine sam */
    compile_modelled modelled;
    double firmware_s;      /* building its program */
    double build_s, cpu_s;  /* engine rtl: building its program, wall; its runs, processor time */
    host_outcome host;      /* engine program */
    tile_accuracy accuracy; /* of the result, where it was compared with the reference */
    compile_cpu cpu;
} compile_outcome;

/* What the host has written of an operand for all runs of its kernel so far: a word goes there for each copy.
 */
typedef struct {
    name_id tensor; /* the user's name */
    sam_region stated;
    uint64_t loaded, kept; /* bytes that it wrote; that lay there from before */
    uint32_t streams;      /* that carry it */
    uint32_t times, since; /* blocks that it wrote for batches; the last of these batches, from 1 */
    uint32_t batches;
} compile_placed;

/* An index of an operand dealt to copies by banks: the operand's entries, and those of the copy that has
 * most.
 */
typedef struct {
    const char *operand, *index;
    uint32_t banks; /* 0: nothing is */
    uint64_t entries, fullest;
} compile_bank_load;

/* How the copies of a kernel share the pairs of sub-tiles, and by which figures onyx chose that, where it
 * did. */
typedef struct {
    tile_dispatch how;
    const char *why;        /* a sentence; NULL where the user chose */
    uint64_t pairs;         /* 0: the data are not known, and so is nothing below */
    double pair;            /* array cycles that a pair is expected to take on average */
    double sorted, dynamic; /* cycles that the chip is expected to take for all pairs */
    compile_bank_load load; /* TILE_DISPATCH_BANKS, of each run */
} compile_dispatch;

/* A format of an operand or an order of the loops with which a copy of a kernel asks for fewer streams of the
 * global buffer, so that there is room for more copies. */
typedef struct {
    const char *how;        /* the option that asks for it, "-f B:ds" */
    uint32_t loads, stores; /* streams of a copy */
    uint32_t copies;        /* that there is room for */
    double cycles; /* that the chip is expected to take for the kernel; INFINITY: not less than now */
} compile_freeing;
/* Streams of a copy of the kernel as it is, and all that frees some; there is nothing in it where something
 * else bounds the copies. */
typedef struct {
    uint32_t loads, stores;
    uint32_t room; /* copies that fit */
    double cycles; /* INFINITY: the data are not known */
    VEC(compile_freeing) by;
} compile_freed;

/* Another form of the statement that was tried (autoschedule/candidates.def). */
typedef struct {
    const char *name, *what;
    const char *schedule; /* it is; "": none says it */
    const char *by_hand;  /* how a user gets it otherwise */
    bool refused, taken;  /* the chip cannot run it; it is the program's form */
    double cycles; /* of the chip, expected; INFINITY: not fewer than are worth it, and no more is known */
    double before; /* of the program as it was then */
} compile_candidate;
typedef VEC(compile_candidate) compile_candidates;

/* What onyx decided where the user left it open: a sentence each, or NULL. */
typedef struct {
    const char *chosen;     /* about loops that are not in the default order, and operands stored dense */
    const char *staged;     /* about several kernels that nobody asked for */
    const char *instead;    /* why it is another mapping than the one first chosen by the data */
    const char *kernels;    /* all of them, as fe_cin_dump prints them */
    bool tried;             /* they are those of compile_tried.refused, and were not compiled once more */
    const char *as_written; /* which workspace the statement needs in its own loops, where it is one kernel */
    text_vec bindings;      /* those that --search found, best first */
    compile_candidates candidates; /* that were tried, in their order */
    text_vec dense;      /* operands that are stored dense though nobody says so, as -f would say it */
    compile_freed freed; /* freed.c */
} compile_choices;

/* The operands of a kernel. */
typedef struct {
    tile_operands operands;   /* the user's, by tensor handle - 1, if they were read before compiling */
    const tile_tensor *whole; /* likewise: the tensors that operands are parts of */
    const struct compile_runs *runs; /* likewise: where no operand changes (runs.h); NULL: nobody looked */
    tile_operands packed;            /* for the lowered statement, once all are known */
    tile_operands kept; /* of those, what an earlier run of the kernel packed and no run changes */
    uint32_t *extent;   /* of the user's variables, by handle - 1; once the operands are there */
} compile_data;

/* A kernel as a graph. */
typedef struct {
    sam_statement statement; /* packed: what the graph is made of */
    sam_graph sam, hardware; /* as lowered from the statement; after the hardware rewrites */
    bool regions;            /* the array has a joiner by regions */
} compile_lowered;

/* How a kernel's operands are to be cut into sub-tiles. */
typedef struct {
    tile_options options;
    tile_candidates candidates; /* of --tile auto */
    tile_candidate expected;    /* what all its runs are expected to take, before anything runs */
    tile_room more[2]; /* where fewer streams are asked for: with one for each level, and each operand */
    tile_room shared;  /* with one load stream for each operand; none: that is not to be chosen */
    tile_room stored;  /* .. and one store stream for the result */
} compile_tiling;

/* A kernel on the array. */
typedef struct {
    netlist net;     /* of all copies */
    uint32_t copies; /* of the kernel in the netlist */
    bool apart;      /* each copy starts by itself, with its own flush */
    compile_dispatch dispatch;
    pnr_design design; /* as routed; where kernels share the array, of all of them */
    uint32_t part;     /* which of them this is, in the order of the design's cells */
    uint32_t parts;    /* that share it; 0 and 1: this one alone */
    bool one_of;       /* one of several arrays whose bitstreams GLB tile 0 keeps: it has no load there */
    u32_vec beside;    /* pairs of cells, by index: a store, and the load whose GLB tile it is to have */
    pnr_timing timing;
    net_liveness liveness; /* of the routed netlist */
} compile_array;

/* The configuration of a kernel's tiles, and what was read back from the bitstream's bytes. */
typedef struct {
    bits_map *map;
    bits_stream stream;
    pnr_design decoded;
} compile_bits;

/* What a program is made of. */
typedef struct {
    const pnr_design *design, *decoded; /* as routed; as read back from the bitstream */
    const bits_map *map;
    const bits_stream *bits;
    bool apart;         /* each copy starts by itself */
    bool verify_config; /* the program reads the configuration back before it is ready */
    bool unchecked;     /* the program checks neither what is loaded nor its own code */
    uint64_t longest;   /* cycles of the array that a run is known to take at most; 0: nothing is known */
    fw_lists lists;     /* that it goes through by itself */
    const fw_writes *writes; /* of a program that another tool made: fw_options */
} compile_programmed;

/* A kernel that is a graph from a file. */
typedef struct {
    bool is;
    bool exact;       /* the user's statement is what the graph computes, not only where it has values */
    sam_graph file;   /* without broadcasts */
    tile_tensor want; /* what engine sam makes of it */
} compile_from_graph;

typedef struct compile_bitstream compile_bitstream; /* a bitstream at hand: stand_in.h */
typedef struct compile_session compile_session;
typedef struct compile_images compile_images; /* bitstreams of one firmware program: share.h */

/* A kernel: what each stage made of it, in the order of the stages. */
typedef struct compile_kernel compile_kernel;
typedef struct compile_later compile_later; /* engine.h */
struct compile_kernel {
    pnr_board board;
    const char *board_path;
    const char *folder, *place; /* where its files are made, and where they go then: the user's folder, or one
                                 * in there where there are several kernels */
    sam_statement user;         /* as written, what the reference evaluates (of a workspace: as scheduled) */
    VEC(compile_kernel)
    producers;                  /* kernels that fill workspaces, in the order in which they run before this */
    VEC(compile_placed) placed; /* of engines that have a global buffer */
    bool on_host; /* the host computes it (tile_each): it has a statement, and nothing on the array */
    const fe_kernel *source;        /* what the graph is lowered from; NULL where it is from a file */
    const compile_bitstream *given; /* a bitstream at hand is of it, or NULL */
    sam_binding calls;              /* or these calls of a function do (tile_call) */
    bool on_processor; /* it is on_host, and functions in it are the processor's of the chip (processor.h) */
    bool again;        /* it ran before in this command: what it runs as is in its folder */
    compile_session *session;     /* that its runs share, or NULL */
    compile_later *later;         /* its one batch runs later, and the result is the cycle model's until then;
                                            or NULL */
    fw_lists lists;               /* that its firmware program goes through by itself */
    const compile_images *images; /* that its firmware program has, if there are several, or NULL */
    uint32_t image, number;       /* which of these it is of; which of all their kernels it is */
    compile_choices choices;
    compile_from_graph graph;
    compile_lowered lowered;
    compile_tiling tiling;
    compile_data data;
    compile_array array;
    compile_bits bits;
    compile_outcome ran; /* the result is the user's */
    compile_times times;
};

/* The images of a firmware program, in their order: of each a kernel that it is of. */
struct compile_images {
    const compile_kernel *of[FW_IMAGES_MOST];
    uint32_t n;
};

typedef VEC(compile_tiling) compile_tilings;
/* A program as kernels, and what onyx decided about them. */
typedef struct {
    fe_cin cin;
    text_vec chosen;         /* compile_choices.chosen of each kernel; none: nobody chose */
    text_vec dense;          /* compile_choices.dense of the only kernel */
    compile_tilings tilings; /* what was chosen for each by the data; none: nothing yet */
    const char *staged;
    const compile_bitstream **given; /* by kernel: bitstreams that compute them (stand_in.h); NULL: none */
    compile_candidates candidates;   /* compile_choices.candidates of the statement */
} compile_schedule;

/* What is done with options: compiles, or compiles and runs. */
typedef bool compile_action(const compile_options *o, compile_context *ctx, compile_kernel *k);

/* Another order of the loops, other formats and columns are taken where they are expected to take this part
 * of what the kernel does as it stands; several kernels this: there the model is off by more, and the host
 * has more to do. */
#define COMPILE_WORTH_CHANGING 0.97
#define COMPILE_WORTH_SEVERAL 0.9

/* Returns whether no tensor of the statement has that name. */
static inline bool compile_is_free(const compile_context *ctx, const sam_statement *st, const char *name) {
    const name_id id = names_find(ctx->names, name);
    bool is = true;
    for (uint32_t t = 0; id.v && t < st->tensors.len; t++)
        is = is && !name_eq(st->tensors.at[t].name, id);
    return is;
}

#endif
