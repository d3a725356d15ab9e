/* isolate.h - code of others, called in a child process: a fault, an exit or an endless loop ends the child
 * alone, and whatever the code does to memory, signals, locale or rounding stays there. One child serves all
 * calls of an isolate; call and answer lie in memory that both have. */
#ifndef ONYX_SUPPORT_ISOLATE_H
#define ONYX_SUPPORT_ISOLATE_H

#include "support/arena.h"

#include <stdbool.h>

enum { ISOLATE_SECONDS = 20 }; /* that a call may take unless somebody says otherwise */

/* What the child does. A context is as it was when the child began. */
typedef struct {
    /* Once, before any call. Returns false and writes why into `why`, of ISOLATE_WHY bytes, if there can be
     * none. */
    bool (*begin)(void *context, char *why);
    void (*serve)(void *context, void *call); /* makes the call, and leaves its answer there */
    void *context;
    int keep; /* a file that the child has, beside the standard ones; negative: none */
    double seconds;
} isolate_work;
enum { ISOLATE_WHY = 400 };

typedef struct isolate isolate;
/* Begins the child, which ends when `mem` is freed. isolate_fault says whether that went well. */
isolate *isolate_new(const isolate_work *work, arena *mem);
/* Returns where a call of so many bytes is written, aligned to 64; NULL after a fault. The child finds it at
 * the same address. */
void *isolate_room(isolate *g, size_t bytes);
/* Has the child make the call, which may take `more` seconds more than others. False after a fault, after
 * which no calls are made. */
bool isolate_call(isolate *g, double more);
/* Returns what ended the child, as the rest of a sentence ("ended by SIGSEGV"), or NULL. */
const char *isolate_fault(const isolate *g);
/* Forgets the fault, so that the next call begins another child. */
void isolate_forgive(isolate *g);

#endif
