/* sim_watch.h - the counts of a watched run. */
#ifndef ONYX_SAM_SIM_WATCH_H
#define ONYX_SAM_SIM_WATCH_H

#include "sam/sim_int.h"

sim_watch *sim_watch_begin(const sim_machine *m, const sam_sim_options *options, arena *mem);
void sim_watch_queues(sim_machine *m); /* at the end of a cycle */
void sim_watch_end(const sim_machine *m, sam_sim_result *out);

#endif
