/* isolate.h - foreign code, called in a child process: a fault, an exit or an endless loop ends only the
 * child, and the code's changes of memory, signals, locale or rounding stay there. A single child serves all
 * calls of an isolate; call and answer lie in shared memory. */
#ifndef ONYX_SUPPORT_ISOLATE_H
#define ONYX_SUPPORT_ISOLATE_H

#include "support/arena.h"

#include <stdbool.h>

enum { ISOLATE_SECONDS = 20 }; /* default time limit of a call */

/* The child's work. A context has its state of the child's start. */
typedef struct {
    /* Called once, before any call. Returns false and writes the reason into `why`, of ISOLATE_WHY bytes, if
     * calls are impossible. */
    bool (*begin)(void *context, char *why);
    void (*serve)(void *context, void *call); /* makes the call, and leaves its answer in `call` */
    void *context;
    int keep; /* a file kept open in the child, besides the standard ones; negative: none */
    double seconds;
} isolate_work;
enum { ISOLATE_WHY = 400 };

typedef struct isolate isolate;
/* Starts the child, which ends when `mem` is freed. isolate_fault reports a failure. */
isolate *isolate_new(const isolate_work *work, arena *mem);
/* Returns the memory for a call of `bytes` bytes, aligned to 64; NULL after a fault. The child sees the same
 * address. */
void *isolate_room(isolate *g, size_t bytes);
/* Makes the child do the call, with `more` seconds in addition to the limit. False after a fault, which ends
 * all calls. */
bool isolate_call(isolate *g, double more);
/* Returns the cause of the child's end, as the rest of a sentence ("ended by SIGSEGV"), or NULL. */
const char *isolate_fault(const isolate *g);
/* Forgets the fault: the next call starts another child. */
void isolate_forgive(isolate *g);

#endif
