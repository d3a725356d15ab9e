/* kernel.h - a kernel on its way from the frontend's statement to the engines: what the user said of it, what
 * each stage makes of it, and what a run yields. */
#ifndef ONYX_KERNEL_H
#define ONYX_KERNEL_H

#include "bitstream/bitstream.h"
#include "firmware/lists.h"
#include "frontend/frontend.h"
#include "host/host.h"
#include "kernel/context.h"
#include "rtl_models/cycle/cycle.h"
#include "sam/binding.h"
#include "tiling/choose.h"
#include "tiling/compare.h"

typedef enum {
    ENGINE_NONE,
#define ENGINE(key, name, ...) ENGINE_##key,
#include "kernel/engines.def"
#undef ENGINE
    ENGINES
} compile_engine;
/* What engines.def says of each engine. With ENGINE_NONE a kernel is compiled for the chip and not run. */
typedef struct {
    double host_word; /* array cycles */
    bool by_processor, from_job;
    const char *name; /* "none", "sam" */
} compile_engine_facts;
extern const compile_engine_facts compile_engines[ENGINES];
/* of --rtl */
typedef enum { COMPILE_RTL_AUTO, COMPILE_RTL_TILES, COMPILE_RTL_NETLIST, COMPILE_RTL_COVERAGE } compile_rtl;
typedef enum { REPORT_ERROR, REPORT_WARN, REPORT_OFF } compile_severity; /* of --hazards and --deadlock */

typedef struct {
    const char *name;
    tile_tensor data;
} compile_given;

/* The value of --tile or --glb-tile: an edge along some loops, and one along all others. */
typedef struct {
    const char *loop;
    uint32_t edge;
} compile_edge;
typedef struct {
    uint32_t all; /* 0: left open */
    VEC(compile_edge) along;
} compile_edges;

/* The board that engine program runs on, and how it is reached. */
typedef struct {
    pnr_board board;
    host_options host;
    uint32_t started, ready; /* how often it was started so far, and found ready instead */
} compile_on_board;

/* The forms of the program between the passes that --dump keeps as text. */
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
    bool shown; /* they go to compile_context.shown, instead of each to a file */
} compile_dumps;

/* What a load stream brings: by the data; a level of an operand or its values; on onyx-ext all of them, in
 * turn; so, and the levels and values of the result leave on one store stream. */
typedef enum { COMPILE_BY_DATA, COMPILE_OF_LEVELS, COMPILE_OF_TENSORS, COMPILE_OF_ALL } compile_loads;

/* What is stored of operands that are slices: what is in them, or all, which is intersected with the slice.
 */
typedef enum { COMPILE_SLICES_CUT, COMPILE_SLICES_KEPT } compile_slices;

/* An operand that its format takes apart gets a kernel for each part where that is expected to take less; or
 * one for all of it; or one for each part whatever it takes. */
typedef enum { COMPILE_PARTS_AUTO, COMPILE_PARTS_TOGETHER, COMPILE_PARTS_APART } compile_parts;

/* Whether scanners leave out coordinates that the other side of their intersecter lacks (onyx-ext). */
typedef enum { COMPILE_SKIP_AUTO, COMPILE_SKIP_OFF, COMPILE_SKIP_ON } compile_skip;

/* What a program asks of one of its statements; all zeros: it is of none. */
typedef struct {
    const sam_statement *statement; /* as it was parsed */
    const char *within;             /* the folder in `out` of this statement's kernels */
    bool fullest;  /* operands that change are given as full as they may get, so that edges may be chosen by
                      them */
    bool exact;    /* these are the operands of its only run */
    bool only;     /* no other statement is to share the array with it */
    bool repeated; /* it is in a loop, and makes a vector or one value */
} compile_asked;

/* What was tried of a statement and does not run, so that it is mapped otherwise (compile/retry.c). All
 * zeros: nothing was. */
typedef struct {
    bool any_sign;  /* operands hold what is negative: the chip does not add them with infinity */
    bool met_first; /* what meets a union meets its operands, whatever the joiner takes: it may stand still */
    bool keeps_absent;   /* fe_in.keeps_absent: the complement would be too large */
    bool plain;          /* nothing is chosen by the data */
    uint32_t operands;   /* of a kernel on the array, at most; 0: any number */
    const char *refused; /* compile_choices.kernels of what was tried with fewer changes; NULL: nothing was */
} compile_tried;

/* What the user said; what a program asks; what was tried. */
typedef struct {
    const char *expression;
    text_vec settings;     /* of a program: --set "steps=3" */
    text_vec formats;      /* -f */
    text_vec format_files; /* --formats */
    text_vec dimensions;   /* -d "i:100", "B:100,80" */
    text_vec types;        /* -t "B:int16" */
    text_vec fills;        /* --fill "B:inf" */
    const char *semiring;  /* NULL: plus_times */
    uint32_t search;       /* --search N: 1 more than how many rewrites; 0: none is asked for */
    bool explain;          /* --explain: list what it finds, and say which workspaces there are */
    text_vec functions;  /* --functions PATH; "none": what the array lacks is refused, not left to the host */
    text_vec schedule;   /* -s */
    text_vec inputs;     /* -i "B:file" */
    text_vec generators; /* -g "B:dims:density:seed", "B:s" */
    text_vec outputs;    /* -o "X:file" */
    VEC(compile_given) given; /* operands in memory, of programs that link the command */
    const char *board, *profile;
    compile_engine engine;
    compile_severity hazards, deadlock;
    compile_rtl rtl;
    tile_dtype dtype;
    tile_values values;
    compile_edges tile; /* 0 = by the tensors' orders */
    bool tile_auto;     /* by the data instead */
    compile_edges glb_tile;
    uint32_t unroll;   /* copies of the kernel; 0 = as many as fit */
    bool unroll_open;  /* nobody says how many: as many as pay, from optimize = 1 on */
    uint32_t optimize; /* 0; or 1: dense operands are located, dense levels end with the data, and what is
                        * left open is chosen by the data, within a bound; 2, 3: by more of them, by all */
    uint32_t buffers;  /* 2: streams have GLB tiles of their own, for fw_columns.buffers */
    tile_dispatch dispatch;
    bool dispatch_auto; /* by the data instead */
    compile_loads streams;
    compile_skip skip;
    compile_slices slices;
    compile_parts parts;
    uint64_t seed;
    uint32_t effort; /* of placement, 1 .. 10; 0 = 5 */
    bool runs;       /* onyx run, which needs operands */
    bool again;      /* what the folder holds is this kernel's: compile_command_again */
    bool bounded;    /* a result may have no larger relative error than this */
    double tolerance;
    bool check, pipeline, balance, io_trace, wave;
    uint32_t jobs; /* processes that share the runs of a kernel; 0 is 1 */
    uint32_t shard,
        shards;         /* only every shards-th run is made, from number `shard` on (from 1); 0: all are */
    text_vec merged;    /* folders of such commands, which made the runs */
    bool compare_cpu;   /* what one core of the host takes is measured, too */
    bool verify_config; /* the program reads the configuration back before it is ready */
    bool unchecked;     /* the program checks neither what is loaded nor its own code */
    const char *out;    /* folder */
    bool passing;       /* it goes when the command ends: only files that `outputs` names are left */
    /* Engine sam: --timing, --fifo, --stats, --trace, and --trace-edge "SRC,DST". */
    sam_sim_timing timing;
    uint32_t fifo_depth;
    const char *stats, *trace;
    text_vec trace_edges;
    compile_on_board *on_board;
    uint32_t checkpoint; /* of a program: what its tensors hold is kept after so many passes of its loops; 0:
                            never */
    compile_dumps dump;
    compile_asked asked;
    compile_tried tried;
    uint32_t stop_after; /* 1 more than the pass after which compiling ends (compile/passes.def); 0: the last
                            one */
} compile_options;

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

/* ---- what options leave open --------------------------------------------------------------------- */

/* Returns whether the data may choose what the options do not state; of a statement of a program, whose data
 * change from step to step, by the fullest that they may be. */
static inline bool compile_choices_open(const compile_options *o) {
    return o->optimize && !o->tried.plain && (!o->asked.statement || o->asked.fullest);
}
/* Returns whether the edges of some loops are to be chosen unasked. */
static inline bool compile_edges_open(const compile_options *o) {
    return compile_choices_open(o) && !o->tile.all && !o->tile_auto;
}
/* Returns whether the number of copies is: of a statement of a program where nothing else wants their
 * streams. */
static inline bool compile_copies_open(const compile_options *o) {
    return o->optimize && !o->tried.plain && (!o->asked.statement || (o->asked.fullest && o->asked.only)) &&
           o->unroll_open;
}
/* Returns whether the options leave it open that the loops go through blocks of an operand. */
static inline bool compile_blocks_open(const compile_options *o) {
    return compile_edges_open(o) && !o->asked.statement && !o->schedule.len && !o->tile.along.len &&
           o->engine != ENGINE_SAM;
}
/* Returns whether the host is to compute nothing that the array lacks (--functions none). */
static inline bool compile_array_alone(const compile_options *o) {
    bool none = false;
    for (uint32_t i = 0; i < o->functions.len; i++)
        none = none || strcmp(o->functions.at[i], "none") == 0;
    return none;
}
/* Returns the part after "T:" of the argument that names `tensor`, or NULL. A vector of "T:rest" arguments.
 */
static inline const char *compile_argument_for(const text_vec *arguments, const char *tensor) {
    const size_t length = strlen(tensor);
    for (uint32_t i = 0; i < arguments->len; i++) {
        if (strncmp(arguments->at[i], tensor, length) == 0 && arguments->at[i][length] == ':')
            return arguments->at[i] + length + 1;
    }
    return NULL;
}
/* Returns whether no tensor of the statement has that name. */
static inline bool compile_is_free(const compile_context *ctx, const sam_statement *st, const char *name) {
    const name_id id = names_find(ctx->names, name);
    bool is = true;
    for (uint32_t t = 0; id.v && t < st->tensors.len; t++)
        is = is && !name_eq(st->tensors.at[t].name, id);
    return is;
}

#endif
