/* denser.h - compressed vectors and matrices of loops that statements store in dense levels. */
#ifndef ONYX_PROGRAMS_DENSER_H
#define ONYX_PROGRAMS_DENSER_H

#include "programs/fuse.h"

/* Gives compressed vectors and matrices that a loop assigns dense levels where all runs are expected to take
 * less time, the processor's for spreading vectors out and packing them included; the decisions are in
 * a->fusions, and a->written is the program before. The machine has looked ahead (compile_dry_run_plans).
 * `kept` has predictions of compile_predict_apart. Returns false after errors. */
bool compile_make_denser(const interpreter *m, compile_kept_predictions *kept);

#endif
