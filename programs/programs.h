/* programs.h - a program file on an engine: each statement is compiled once, then the host goes through
 * the loops, and gives the engine every statement's data of the moment. */
#ifndef ONYX_PROGRAMS_H
#define ONYX_PROGRAMS_H

#include "frontend/schedules/schedules.h"
#include "programs/dry_run.h"
#include "programs/share.h"
#include "report/report.h"

/* One run of a statement, or one execution of a loop. */
typedef struct {
    const char *pass;                 /* of the loops around, "2" or "2,5"; "" outside of all */
    uint64_t cycles, entries;         /* entries of the result */
    uint64_t loaded, kept, collected; /* words, as in compile_outcome */
    uint32_t passes,
        alone;  /* of a loop; passes by the processor alone; of a scalar statement: 1 if by the processor */
    bool unmet; /* of a loop: its condition did not hold after the last pass */
} compile_execution;

typedef struct compile_statement_plan compile_statement_plan;
/* A statement or a loop of the program, in the order of the text; or a kernel of a statement of several,
 * a separate plan whose workspaces are tensors with places of their own (kernel_plans.c). */
struct compile_statement_plan {
    const fe_step *step;
    const char *within; /* its folder, relative to the program's folder */
    uint32_t loops;     /* that it stands in */
    uint32_t array;     /* number, from 1 on, of the array shared by all its kernels; 0: none */
    bool on_host;
    const char *why;   /* it is there */
    uint32_t to;       /* the slot that gets its value: a tensor, or one behind the tensors */
    bool by_commands;  /* the processor may compute the statement by commands of a list (commands.c) */
    bool waits;        /* its result may stay on the chip, and its batches wait */
    const char *eager; /* why not; of a loop why its passes are the host's */
    const bool *alive; /* by slot: its content after the statement may be read later */
    compile_options options;
    compile_dry_run dry_run; /* until it is compiled */
    compile_kernel kernel;
    compile_statement_plan *kernels; /* of a statement of several kernels that may wait, in turn */
    uint32_t n_kernels;
    compile_statement_plan *whole; /* of one of several kernels: the statement, with its executions */
    bool begun;                    /* some kernels of the last execution have run */
    VEC(compile_execution) executions;
    struct {
        uint64_t config, kernel, firmware, total, verify;
    } cycles;                    /* of all executions */
    compile_processed processor; /* of all executions */
    compile_activity activity;
    bool counted;     /* the activity was */
    uint64_t wrapped; /* values of the reference beyond 16 bits */
};

/* A temporary, and whether the statement that reads it computes it (fuse.h). */
typedef struct {
    const fe_step *from, *into; /* into: NULL where no single statement reads it */
    double after, before; /* predicted cycles with the decision and without it, of a run, with `denser` of
                             all runs; INFINITY: the array refuses; NAN: unknown */
    bool done;
    bool hoisted; /* `from` stands in front of the loop `into` (hoist.h) */
    const bool
        *denser;     /* by tensor: `done`: these vectors or matrices have dense levels (denser.h); or NULL */
    bool joined;     /* `from` runs with `into`, as a common kernel (join.h) */
    bool reused;     /* `into` reads the result of `from` in place of an equal expression (reuse.h) */
    bool rounds;     /* sums of bf16: the orders of additions may differ */
    const char *why; /* it stays a statement; NULL where `done` */
} compile_fusion;

/* Statements with a common kernel (join.h). */
typedef struct {
    compile_statement_plan
        *of[COMPILE_MEMBERS_MOST];     /* in the order of the text; the first runs the kernel */
    netlist net[COMPILE_MEMBERS_MOST]; /* of each alone */
    uint32_t n;
} compile_joint;

typedef struct compile_application compile_application;
struct compile_application {
    fe_program program;
    compile_application *written; /* before statements were fused, for the reference; NULL: none was */
    VEC(compile_fusion) fusions;
    const fe_step *refused; /* the statement whose run failed; NULL: none */
    pnr_board board;
    const char *board_path;
    tile_tensor *initial; /* by tensor: its first content; its extents hold throughout */
    uint32_t slots; /* of tensors, of the values of a multi before their assignment, and of workspaces */
    VEC(compile_statement_plan) plans;
    VEC(compile_joint) joints;
    bool dry_run;                      /* plans have the union of their operands over all runs */
    const compile_config_set *configs; /* together in the global buffer; NULL: separate programs */
    tile_tensor *result;               /* by tensor: at the end */
    compile_times times;               /* of all statements */
    uint64_t lag[2];                   /* as of compile_outcome, of all runs */
    tile_accuracy *accuracy;           /* of each result; NULL: not measured */
    const char *check;                 /* "pass", "fail", "none" */
    const char *text;                  /* of the program file */
    struct {
        uint32_t written;
        uint64_t words; /* of 32 bits, of all tensors in checkpoints */
        const char
            *resumed; /* the last pass before the resumption, as in compile_execution; NULL: not resumed */
    } checkpoints;
};

/* Returns whether nothing of the statement is on the array. */
static inline bool compile_runs_on_host(const compile_statement_plan *plan) {
    bool host = plan->on_host || plan->kernel.on_host;
    for (uint32_t n = 0; n < plan->kernel.producers.len; n++)
        host = host && plan->kernel.producers.at[n].on_host;
    return host;
}
/* Returns whether functions of the statement run on the processor. */
static inline bool compile_runs_on_processor(const compile_statement_plan *plan) {
    bool is = plan->kernel.on_processor;
    for (uint32_t n = 0; n < plan->kernel.producers.len; n++)
        is = is || plan->kernel.producers.at[n].on_processor;
    return is;
}
/* Returns the statement itself, or the statement of a kernel. */
static inline compile_statement_plan *compile_whole(compile_statement_plan *plan) {
    return plan->whole ? plan->whole : plan;
}
/* Returns whether the program results in the tensor. */
static inline bool compile_is_result(const fe_program *p, uint32_t tensor) {
    bool is = false;
    for (uint32_t i = 0; i < p->results.len; i++)
        is = is || p->results.at[i] == tensor;
    return is;
}
/* Returns the plan of a step of the program. */
static inline compile_statement_plan *compile_plan_of_step(const compile_application *a,
                                                           const fe_step *step) {
    uint32_t i = 0;
    while (a->plans.at[i].step != step)
        i++;
    return &a->plans.at[i];
}
/* Returns the statements that share the plan's kernel, or NULL. */
static inline const compile_joint *compile_joint_of(const compile_application *a,
                                                    const compile_statement_plan *plan) {
    for (uint32_t i = 0; i < a->joints.len; i++) {
        for (uint32_t p = 0; p < a->joints.at[i].n; p++) {
            if (a->joints.at[i].of[p] == plan)
                return &a->joints.at[i];
        }
    }
    return NULL;
}

/* Returns whether an earlier statement runs the plan's kernel. */
static inline bool compile_is_joined_to(const compile_application *a, const compile_statement_plan *plan) {
    const compile_joint *joint = compile_joint_of(a, plan);
    return joint && joint->of[0] != plan;
}

/* Returns the statement with the streams of this copy in the kernel of `plan`. */
static inline compile_statement_plan *compile_member_of(const compile_application *a,
                                                        compile_statement_plan *plan, uint32_t copy) {
    const compile_joint *joint = compile_joint_of(a, plan);
    return joint ? joint->of[copy] : plan;
}

/* Returns whether a statement of the plan's kernel gives the slot a value. */
static inline bool compile_gives(const compile_application *a, const compile_statement_plan *plan,
                                 uint32_t slot) {
    const compile_joint *joint = compile_joint_of(a, plan);
    bool gives = plan->to == slot;
    for (uint32_t p = 0; joint && p < joint->n; p++)
        gives = gives || joint->of[p]->to == slot;
    return gives;
}
typedef struct {
    const compile_options *o;
    compile_context *ctx;
} compile_finding;
/* Returns whether the command's argument is the path of a program file, with the suffix ".onx", or a
 * statement of two results. */
bool compile_is_application(const char *argument);
/* Returns the text of the program; of a statement of two results behind declarations of -f and --fill. NULL
 * after E0001. */
const char *compile_program_text(const compile_options *o, compile_context *ctx, size_t *length);
/* Refuses options for program files if the argument is one expression: E0903-option-value. */
bool compile_refuse_program_options(const compile_options *o, diagnostics *d);
/* Does all of `onyx run`, or of `onyx compile` where o->runs is false, with the program file o->expression.
 * Those of fe_program_parse, E0910, E0911, E0320, E0321, E0960, and of each statement. */
bool compile_application_run(const compile_options *o, compile_context *ctx, compile_application *a);
/* Returns options with the program file's settings (dtype, profile, board, functions), unless the command
 * line has others; and without a stated type the type chosen by the data: int16 if all operands, and by the
 * reference all values, are integers of 16 bits, else bf16, whose sums are the host's if the array has none,
 * or scaled integers, by the smaller error of the worst result. NULL after an error: E0102 of the file,
 * E0184-scale. */
const compile_options *compile_choose_program_type(const compile_options *o, compile_context *ctx);
/* Lets statements share arrays, statements of innermost loops first, as far as the board has room, and, on
 * engine soc, a firmware program with all their bitstreams; if onyx chooses (-O1 and up): sharing.c.
 * Returns false after errors. */
bool compile_share_plans(const compile_options *o, compile_context *ctx, compile_application *a);
/* Returns the pairs of kernels on a shared array in which one loads the other's stores, best first: innermost
 * loops first, then the shortest time between store and load. */
compile_colocated_list compile_list_colocated(compile_context *ctx, const compile_application *a,
                                              const compile_kernels *group);
/* Removes the checkpoint of a finished program, if present (--checkpoint). */
void compile_checkpoint_remove(const compile_options *o, compile_context *ctx);
/* report.json (docs/programs.md), and the summary for people. */
cJSON *compile_application_report(const compile_options *o, const compile_context *ctx,
                                  const compile_application *a);
void compile_application_summary(const compile_options *o, const compile_context *ctx,
                                 const compile_application *a, FILE *out);

/* ---- shared by the files of programs/ ---------------------------------------------------------- */

/* Finds the extents of an operand in its data (extents of fe_program_in); `of` is a compile_finding. */
bool compile_find_extents(void *of, const fe_shared *operand, uint32_t *dim, bool *inferred);
/* Reads the first content of the tensors, and finds the extent of each index (data.c). */
bool compile_application_data(const compile_options *o, compile_context *ctx, compile_application *a);
#endif
