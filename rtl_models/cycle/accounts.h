/* accounts.h - lets several models of a design, each in a process of its own, share the runs of a program:
 * one process adds up the counts. */
#ifndef ONYX_CYCLE_ACCOUNTS_H
#define ONYX_CYCLE_ACCOUNTS_H

#include "rtl_models/cycle/cycle.h"

/* Makes the next run number `run`. */
void cycle_number_run(cycle_model *m, uint32_t run);
/* Begins the accounts of channels, work and hazards anew. */
void cycle_forget(cycle_model *m);
/* Writes the accounts, for a process forked from the same parent. */
void cycle_put_accounts(const cycle_model *m, FILE *out);
/* Adds accounts of other runs than its own. Returns false if the file ends too soon. */
bool cycle_add_accounts(cycle_model *m, FILE *in);

#endif
