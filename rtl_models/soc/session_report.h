/* session_report.h - statistics and warnings; private to session*.c. */
#ifndef ONYX_COSIM_SESSION_REPORT_H
#define ONYX_COSIM_SESSION_REPORT_H

#include "rtl_models/soc/session_int.h"

/* Writes options.stats, if wanted; false after errors. */
bool session_write_statistics(const cosim_session *s, double seconds);
/* After any end of the run: collisions may be the cause. */
void session_warn_of_collisions(const cosim_session *s);

#endif
