/* work.h - counts of a model's events, over all its runs: for energy (report/energy.def) and roofline. */
#ifndef ONYX_CYCLE_WORK_H
#define ONYX_CYCLE_WORK_H

#include "rtl_models/cycle/cycle.h"

/* Occupations of the array in a cycle: the first in this order. A result of an ALU or a reducer; a word
 * leaves the array; a word enters; a MEM tile writes a line; tokens move; nothing moves. */
/* clang-format off */
typedef enum {
    CYCLE_COMPUTING, CYCLE_STORING, CYCLE_LOADING, CYCLE_WRITING,
    CYCLE_SCANNING, CYCLE_WAITING, CYCLE_OCCUPATIONS
} cycle_occupation;
/* clang-format on */

/* `operations`: results of ALUs, and values added by reducers; passing tokens do not count. `accesses`: lines
 * of 64 bits read or written by MEM tiles, `written` the latter alone. `loaded`, `stored`: words in and out.
 */
typedef struct {
    uint64_t operations, accesses, written, loaded, stored;
    uint64_t cycles[CYCLE_OCCUPATIONS]; /* of runs, by occupation */
} cycle_work;

void cycle_work_of(const cycle_model *m, cycle_work *out);

#endif
