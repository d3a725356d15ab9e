/* interpreter.h - one execution of a program: the content of its tensors, and the waiting batches, which the
 * chip's processor runs in sequence. Results of waiting batches stay on the chip until the host needs their
 * values.
 */
#ifndef ONYX_PROGRAMS_INTERPRETER_H
#define ONYX_PROGRAMS_INTERPRETER_H

#include "engines/engines.h"
#include "firmware/lists.h"
#include "programs/checkpoint.h"

/* Range of a dense matrix held by words, by mode: first coordinate, number of coordinates, distance in words
 * between coordinates. */
typedef struct {
    uint32_t origin[2], size[2], step[2];
} compile_grid;
/* A block of a dense vector or matrix as loaded: its length, then words equal to the values' differences from
 * the fill. */
typedef struct {
    uint32_t origin, words; /* its first coordinate, of a vector; without the length */
    bool empty;             /* without content of the tensor: its words are 0 */
    compile_grid grid;      /* of a matrix */
} compile_block;
typedef VEC(compile_block) compile_block_list;
/* A vector or a dense matrix, moved to the place of a load. */
typedef struct {
    bool home; /* has every value unequal to the fill */
    fw_put put;
    struct {
        bool is;    /* a list of a matrix's entries, in the scratch area */
        bool fresh; /* for the current batch, which reads the device copy: the place is reserved until then */
        uint32_t ordering;    /* of its entries (support/mlist.h) */
        uint32_t room;        /* entries */
        uint32_t outer, next; /* the index of the first sort key; the same after the current batch */
    } list;
    compile_block_list blocks; /* none: it is neither */
} compile_device_copy;

/* Memory of several results, freed with the last of them. */
typedef struct {
    arena mem; /* also holds this struct */
    uint32_t users;
} compile_common;

/* A result on the chip only: the host's tensor has the prediction of the cycle model. */
typedef struct compile_resident {
    arena mem;              /* of the statement with this result; also holds this struct, but for: */
    compile_common *common; /* of results of one run, or NULL */
    compile_kernel kernel;  /* as it was run */
    compile_deferred deferred;
    fw_command step;      /* of the list: its batch */
    fw_commands commands; /* in place of a batch */
    fw_put between;       /* place of intermediate values */
    fw_puts words;        /* places of its outputs, each in one piece */
    bool empty;           /* no run made the result, since the result is empty: not on the chip, either */
    bool gone;            /* overwritten by now, in memory or in its rows of the run table */
    VEC(compile_device_copy) device_copies;
    compile_statement_plan *plan;
    uint32_t execution; /* of that plan */
} compile_resident;

typedef struct {
    arena mem;
    tile_tensor t;
    compile_resident *resident; /* NULL: the host has its values */
} tensor_slot;

/* A run of a statement whose cycles are not known yet. */
typedef struct {
    compile_statement_plan *plan;
    uint32_t execution, step; /* of the list; of a statement on the host no step */
} compile_queued_run;
enum { COMPILE_NO_STEP = INT32_MAX };

/* A finished run, or a run whose calls wait (overlap.h). */
typedef struct {
    compile_statement_plan *plan;
    compile_kernel kernel; /* without the content of its operands and its result */
} compile_late;

/* Computes a statement of the host or a condition. */
typedef bool compile_evaluator(const sam_statement *s, const tile_operands *in, arena *mem, diagnostics *d,
                               tile_tensor *out);

/* One way through the program. */
typedef struct {
    u32_vec passes; /* of the current loops */
    u32_vec steps;  /* their numbers among the steps around */
    bool reference;
    compile_evaluator *value; /* of a statement of the host: tile_plain, or with `reference` tile_reference */
    bool exhausted;           /* a loop reached its limit of passes, and its condition did not hold */
    bool in_dry_run;          /* the reference executes the program to find its future operands */
    uint64_t entries;         /* of operands so far, during the dry run */
    compile_loop_states resumed;              /* the loops of the resumed state, except the current loops */
    uint64_t hash;                            /* of compile_checkpoint_hash */
    uint64_t ended;                           /* passes */
    compile_session session;                  /* of the last statement on the array */
    const compile_statement_plan *configured; /* the first statement of the session; NULL: none */
    const compile_statement_plan
        *ready;        /* the statement of the last waiting batch on the array, whose program is loaded */
    const char *elf;   /* that program */
    compile_late late; /* the last one */
    compile_timeline *line;
    uint64_t now, session_began; /* cycles of the line */
    tensor_slot *of;             /* by number */
    struct {
        arena mem;
        fw_commands steps;
        fw_segments segments, resident; /* written before by the host; written by stores */
        fw_segments used;               /* left by stores, and loaded by batches */
        VEC(compile_queued_run) runs;
        const compile_statement_plan *plan; /* of the first step */
        const char *elf;
        bool ends; /* the last step is a test that holds */
    } list;
    struct {
        fw_puts constants; /* operands of calls with fixed places, from the host */
        fw_commands calc;  /* values to compute before the next step of a list */
        uint32_t listed;   /* number of lists of entries so far, the identity of a list */
        uint32_t stepped;  /* steps of lists so far */
        uint32_t lists;    /* that were run so far */
        uint32_t breaks;   /* number of times the processor had to wait for the host */
        const char *why;   /* it could not, most recently */
    } processor;           /* which goes through lists by itself */
    compile_application *a;
    const compile_options *o;
    compile_context *ctx;
} interpreter;

static inline bool compile_queue_has_commands(const interpreter *m) {
    return m->list.steps.len > 0;
}

/* Returns whether the tensors have the same entries. */
bool compile_is_same(const tile_tensor *a, const tile_tensor *b);
/* Returns whether two pieces of memory, each an address and bytes, have a byte in common. */
static inline bool compile_overlap(uint32_t a, uint32_t bytes_a, uint32_t b, uint32_t bytes_b) {
    return a < b + (uint64_t)bytes_b && b < a + (uint64_t)bytes_a;
}
/* Forgets the chip's result of a tensor. */
void compile_forget_resident(tensor_slot *h);
/* Replaces the content of the tensor by the entries unequal to the fill; a scalar always has an entry. With
 * `exact` an entry counts whose word became 0, and whose number in double precision is another one. Forgets
 * the chip's result. */
void compile_set_slot(tensor_slot *to, const tile_tensor *from, const tile_tensor *shape, bool exact);
/* Returns the tensor with entries of its own, in `mem`. */
tile_tensor compile_copy_of(const tile_tensor *t, arena *mem);
/* Returns whether an operand of the statement, by its name in the statement, is a tensor without changes. A
 * workspace never is, even with the name of a tensor of the program. */
bool compile_stays(const interpreter *m, const fe_step *step, name_id name);
/* Returns the current passes, as in compile_execution. */
const char *compile_pass_text(const interpreter *m);
/* Adds a run of a statement to the line; the run ends at `now`; a run of the host begins and ends there. */
void compile_add_timeline_run(interpreter *m, const compile_statement_plan *plan, compile_timeline_run run);
/* Adds the channel activity of a kernel to the line; returns its length in *cycles. */
bool compile_record_activity(const interpreter *m, const compile_kernel *k, uint64_t begin, uint64_t *cycles);
/* Adds cycles of runs counted before to the statement's. */
void compile_count_cycles(compile_statement_plan *plan, uint64_t config, uint64_t kernel, uint64_t firmware);
void compile_count_lag(interpreter *m, const compile_outcome *of);
/* Counts the finished run; for a deferred run all but its cycles. */
bool compile_count_run(interpreter *m, compile_statement_plan *plan, const compile_kernel *k);

#endif
