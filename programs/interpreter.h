/* interpreter.h - one way through a program: what its tensors hold, and the batches that wait, so that the
 * chip's processor makes many of them by itself. Results of these stay on the chip until the host needs their
 * values.
 */
#ifndef ONYX_PROGRAMS_INTERPRETER_H
#define ONYX_PROGRAMS_INTERPRETER_H

#include "engines/engines.h"
#include "firmware/lists.h"
#include "programs/checkpoint.h"

/* What words have of a dense matrix, by mode: the first coordinate, how many, and how many words each is
 * behind the one before it. */
typedef struct {
    uint32_t origin[2], size[2], step[2];
} compile_grid;
/* A block of a dense vector or matrix as it is loaded: its length, then words that are the values'
 * differences from the fill. */
typedef struct {
    uint32_t origin, words; /* its first coordinate, of a vector; without the length */
    bool empty;             /* it has nothing of the tensor: its words are 0 */
    compile_grid grid;      /* of a matrix */
} compile_block;
typedef VEC(compile_block) compile_block_list;
/* A vector or a dense matrix, moved to where a load wants it. */
typedef struct {
    bool home; /* all that is not the fill is in it */
    fw_put put;
    struct {
        bool is;       /* a list of a matrix's entries, in the scratch area */
        bool fresh;    /* for the batch that is being made, which reads it: until then nothing goes there */
        uint32_t way;  /* in which it is put into order (support/mlist.h) */
        uint32_t room; /* entries */
        uint32_t outer,
            next; /* the index that it is sorted by first; that will be, by the batch that is being made */
    } list;
    compile_block_list blocks; /* none: it is neither */
} compile_image;

/* A result that the chip alone has: what the tensor holds is what the cycle model ahead of it has found. */
typedef struct compile_left {
    arena mem;             /* of the statement that made it; this struct is in it, too */
    compile_kernel kernel; /* as it was run */
    compile_later later;
    fw_item step;   /* of the list: its batch */
    fw_items items; /* in place of a batch */
    fw_put between; /* where these have values in between */
    fw_puts words;  /* where its outputs are, each in one piece */
    bool empty;     /* no run made it, since it has nothing: it is not on the chip, either */
    bool gone;      /* something else is there by now, or in its rows of the run table */
    VEC(compile_image) images;
    compile_stage_of *stage;
    uint32_t visit; /* of that stage */
} compile_left;

typedef struct {
    arena mem;
    tile_tensor t;
    compile_left *left; /* NULL: the host has its values */
} held;

/* A run of a statement whose cycles are not known yet. */
typedef struct {
    compile_stage_of *stage;
    uint32_t visit, step; /* of the list; of a statement on the host no step */
} compile_waiting;
enum { COMPILE_NO_STEP = INT32_MAX };

/* A run that was made, or calls of which wait (beside.h). */
typedef struct {
    compile_stage_of *stage;
    compile_kernel kernel; /* of its operands and its result nothing is there */
} compile_late;

/* Computes a statement of the host or a condition. */
typedef bool compile_evaluator(const sam_statement *s, const tile_operands *in, arena *mem, diagnostics *d,
                               tile_tensor *out);

/* One way through the program. */
typedef struct {
    u32_vec passes; /* of the loops that we are in */
    u32_vec steps;  /* which of the steps around them these are */
    bool reference;
    compile_evaluator *value; /* of a statement of the host: tile_plain, or with `reference` tile_reference */
    bool exhausted;           /* a loop made as many passes as it may, and its condition did not hold */
    bool rehearsing;          /* the reference goes through the program to see what its operands will be */
    uint64_t entries;         /* of operands so far, while it does */
    compile_places resumed;   /* the loops in which the program goes on, those that it is not in yet */
    uint64_t hash;            /* of compile_checkpoint_hash */
    uint64_t ended;           /* passes */
    compile_session session;  /* of the statement that ran last on the array */
    const compile_stage_of *configured; /* the one that the session began with; NULL: none has */
    const compile_stage_of
        *ready;        /* the one whose batch on the array waited last, so that its program is there */
    const char *elf;   /* that program */
    compile_late late; /* the last one */
    compile_line *line;
    uint64_t now, session_began; /* cycles of the line */
    held *of;                    /* by place */
    struct {
        arena mem;
        fw_items steps;
        fw_segments segments, left; /* that the host writes before; that stores write */
        fw_segments used;           /* that stores have left, and batches load */
        VEC(compile_waiting) runs;
        const compile_stage_of *stage; /* of the first step */
        const char *elf;
        bool ends; /* the last step is a test that holds */
    } list;
    struct {
        fw_puts constants; /* operands of calls that the host has, where they stay */
        fw_items calc;     /* values to compute before the next step of a list */
        uint32_t listed;   /* lists of entries so far: which one lies there is told by that */
        uint32_t stepped;  /* steps that lists had so far */
        uint32_t lists;    /* that were run so far */
        uint32_t breaks;   /* how often the processor could not go on by itself so far */
        const char *why;   /* it could not, most recently */
    } processor;           /* which goes through lists by itself */
    compile_application *a;
    const compile_options *o;
    compile_context *ctx;
} machine;

static inline bool compile_list_waits(const machine *m) {
    return m->list.steps.len > 0;
}

/* Returns whether the tensors have the same entries. */
bool compile_is_same(const tile_tensor *a, const tile_tensor *b);
/* Returns whether two pieces of memory, each an address and bytes, have a byte in common. */
static inline bool compile_overlap(uint32_t a, uint32_t bytes_a, uint32_t b, uint32_t bytes_b) {
    return a < b + (uint64_t)bytes_b && b < a + (uint64_t)bytes_a;
}
/* Forgets what the chip alone has of a tensor. */
void compile_forget_left(held *h);
/* Replaces what is held by the entries that are not the fill; a scalar has one in any case. What the chip
 * alone had of it is forgotten. */
void compile_hold(held *to, const tile_tensor *from, const tile_tensor *shape);
/* Returns the tensor with entries of its own, in `mem`. */
tile_tensor compile_copy_of(const tile_tensor *t, arena *mem);
/* Returns whether an operand of the statement, by its name there, is a tensor that nothing changes. A
 * workspace is none, even where one of the program has its name. */
bool compile_stays(const machine *m, const fe_step *step, name_id name);
/* Returns the passes that we are in, as in compile_visit. */
const char *compile_pass_text(const machine *m);
/* Adds a run of a statement to the line; it ends at `now`, or there where it begins for a host's. */
void compile_line_of(machine *m, const compile_stage_of *stage, compile_line_run run);
/* Adds what the channels of a kernel did to the line; returns for how many cycles. */
bool compile_record_line(const machine *m, const compile_kernel *k, uint64_t begin, uint64_t *cycles);
/* Adds cycles of runs that were counted before to the statement's. */
void compile_stage_count(compile_stage_of *stage, uint64_t config, uint64_t kernel, uint64_t firmware);
/* Counts the run that ended; of one that runs later all but its cycles. */
bool compile_count_run(machine *m, compile_stage_of *stage, const compile_kernel *k);

#endif
