/* target.h - the program on the board and its batches. */
#ifndef ONYX_HOST_TARGET_H
#define ONYX_HOST_TARGET_H

#include "host/host_int.h"

/* Tests the memory needed by a program with the batches (NULL: with any batches), loads the program, verifies
 * the load, starts the program and waits for ready. *rewritten becomes the number of configuration words
 * written twice. */
bool host_target_start(host_link *l, const char *elf, const fw_batches *all, uint32_t *rewritten);
/* Steps of a batch; `b` is batch number `batch`. A batch of the other buffer may be loaded after the first
 * batch began, and may begin after the wait for the first. Loaded segments are checked `now`, if nothing
 * runs, or at the begin of the batch. */
bool host_target_load(host_link *l, const fw_batch *b, bool now);
bool host_target_begin(host_link *l, const fw_batches *all, uint32_t batch, const fw_batch *b);
bool host_target_wait(host_link *l, const fw_batches *all, uint32_t batch, const fw_batch *b,
                      host_batch_result *out); /* the counters only */
bool host_target_collect(host_link *l, const fw_batches *all, const fw_batch *b, arena *mem,
                         host_batch_result *out); /* all but the counters, in `mem` */
/* Tells the watcher the number of finished runs of the batch. */
void host_tell(const host_link *l, const fw_batches *all, uint32_t batch, uint32_t done);

#endif
