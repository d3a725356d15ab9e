/* sim_units.h - a function a primitive, and what they share. */
#ifndef ONYX_SAM_SIM_UNITS_H
#define ONYX_SAM_SIM_UNITS_H

#include "sam/sim_step.h"

sim_step_function sim_step;                          /* of every unit in the ideal timing */
const char *sim_token_text(arena *mem, sim_token t); /* "5", "S0", "N", "D" */

/* ---- sim_locate.c ---------------------------------------------------------------------------- */
sim_step_function sim_step_locate;
sim_step_function sim_step_store;
/* Position of the first coordinate >= crd from position `at` to `end` of a level whose dense fiber begins at
 * `base`; `end` if none. */
uint32_t sim_lower_bound(const sam_level_data *level, uint32_t at, uint32_t end, uint32_t base, uint32_t crd);

/* ---- sim_bits.c ------------------------------------------------------------------------------ */
sim_step_function sim_step_bv_convert;
sim_step_function sim_step_bv_join;
/* Emits the next word of a bit-vector scanner's fiber. */
void sim_scan_word(sim_machine *m, sim_unit *u);
sim_step_function sim_step_run_join;
void sim_scan_run(sim_machine *m, sim_unit *u); /* emits the next block or run of the fiber */
uint32_t sim_listed(const sim_unit *u,
                    uint32_t position); /* entries of a list at a position of its level, 1 at least */

/* ---- sim_reduce.c ---------------------------------------------------------------------------- */
sim_step_function sim_step_vector;

/* ---- sim_parallel.c -------------------------------------------------------------------------- */
sim_step_function sim_step_parallelize;
sim_step_function sim_step_serialize;

#endif
