/* fuse.h - statements of a program put into the statements that read their results, where the chip is
 * expected to take less time. */
#ifndef ONYX_PROGRAMS_FUSE_H
#define ONYX_PROGRAMS_FUSE_H

#include "programs/compile_plans.h"

/* Predictions of statements by themselves, which hold whatever else is fused. */
typedef struct {
    const fe_use *use;
    compile_predicted is;
} compile_kept_prediction;
typedef VEC(compile_kept_prediction) compile_kept_predictions;

/* Fuses statements of the program (--fuse-statements), and lists the decisions in a->fusions. The machine has
 * looked ahead (compile_dry_run_plans). If a statement was fused, a->written becomes the program before,
 * with its plans, and the plans of the fused program are listed anew. Returns false after errors. */
bool compile_fuse_statements(const interpreter *m, compile_kept_predictions *kept);
/* Returns whether the options let statements move or become subexpressions of others. */
bool compile_may_fuse(const compile_options *o);
/* Returns why the statement reads results as written: the chip refused it in an earlier run of the program.
 * NULL: nothing is known against other forms. */
const char *compile_written_why(const compile_options *o, const fe_step *step);
/* Returns whether -s is about a statement that assigns the tensor. */
bool compile_has_schedule(const compile_options *o, const compile_application *a, uint32_t tensor);
/* Returns whether the statement has a sum, or another reduction. */
bool compile_has_sum(const sam_statement *s);
/* Keeps the program as written, with its plans, for the reference, unless an earlier call did. */
void compile_keep_written(arena *mem, compile_application *a);
/* Predicts the statement with this `use` in another form of the program, whose statements have the operands
 * that they have; `whole` as of compile_predict_plan. */
compile_predicted compile_predict_form(const interpreter *m, const fe_steps *steps, const fe_use *use,
                                       bool whole);
/* Predicts the statement with this `use` as the program has it, once. */
compile_predicted compile_predict_apart(const interpreter *m, const fe_use *use,
                                        compile_kept_predictions *kept);
/* Gives the program this form; the reference keeps the program as written. */
void compile_take_form(const interpreter *m, const fe_steps *steps);

#endif
