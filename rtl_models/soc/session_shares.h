/* session_shares.h - batches in several processes, and what all of them counted; private to session*.c. */
#ifndef ONYX_COSIM_SESSION_SHARES_H
#define ONYX_COSIM_SESSION_SHARES_H

#include "rtl_models/soc/session_int.h"

/* Returns the counts of this process. */
cosim_counts session_count_now(const cosim_session *s);
/* Adds another process' counts to *c, `times` times. */
void session_add_counts(cosim_counts *c, const cosim_counts *of, uint64_t times);
/* Returns how many tiles there are, and the raised monitors of one. */
uint32_t session_hazard_tiles(const cosim_session *s);
uint32_t *session_tile_hazards(const cosim_session *s, uint32_t x, uint32_t y);
/* If a process fails or meets a collision, this process runs all batches, and reports. */
bool session_run_shares(cosim_session *s, fw_batches *all, uint32_t n, FILE *out, arena *mem);
/* Returns how many processes make the batches. */
uint32_t session_processes(const cosim_options *o, const fw_batches *all);

#endif
