/* pipes.h - a cycle of the rows of FIFOs between cores, and their accounts; private to rtl_models/cycle/. */
#ifndef ONYX_CYCLE_PIPES_H
#define ONYX_CYCLE_PIPES_H

#include "rtl_models/cycle/cycle_int.h"

/* Moves the words of a bundle, and those that cores pushed and popped. Returns whether anything moves. */
bool pipes_move(cycle_model *m, bundle *b);
/* Before the pipes move: tells the watcher each channel whose activity, or word, may differ. */
void pipes_tell(cycle_model *m);
/* Empties the FIFOs of the tiles that see a flush. */
void pipes_flush(cycle_model *m, flush_group group);
/* Brings all accounts up to date. */
void pipes_account(cycle_model *m);
/* Begins to count with this cycle: what came before is in no account. */
void pipes_skip_account(cycle_model *m);
/* Number of words in the FIFO at a place, and the k-th of them. */
uint32_t pipes_count(const cycle_model *m, const pipe *p, uint32_t place);
uint32_t pipes_token(const cycle_model *m, const pipe *p, uint32_t place, uint32_t k);

#endif
