/* progress.h - activities of over a second, named on standard error: on a terminal by a line that is
 * overwritten, with a bar for counted work, and removed at the end; elsewhere by a line now and then. */
#ifndef ONYX_PROGRESS_H
#define ONYX_PROGRESS_H

#include "support/arena.h"

struct progress;

/* Returns NULL, which every function takes, where no thread can be had: progress stays invisible. */
struct progress *progress_begin(arena *mem);
/* The current activity, a `struct progress`, and its amount: `what` must outlive the stage; a total of 0
 * means uncounted. */
void progress_stage(void *shown, const char *what, uint64_t total);
void progress_count(void *shown, uint64_t done);
/* Removes the line and ends the thread. */
void progress_end(struct progress *p);

#endif
