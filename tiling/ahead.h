/* ahead.h - plans that will be compared in turn, counted by a second thread before their turn. */
#ifndef ONYX_TILING_AHEAD_H
#define ONYX_TILING_AHEAD_H

#include "tiling/count.h"

#include <pthread.h>

/* The plans, which only one thread counts at a time, and the limits of those counted ahead. Limits fall with
 * each comparison: what is counted up to earlier ones suffices for later ones. */
typedef struct {
    counting *of;
    uint32_t n, begun; /* plans before `begun` are counted, being counted, or past their turn */
    uint32_t counts;   /* the plan that the thread counts; n: none */
    count_until limits;
    pthread_mutex_t lock;
    pthread_cond_t counted;
    pthread_t thread;
    bool alone; /* there is no second thread */
} ahead;

/* Begins to count the plans, but the first, which is the caller's. Of a single plan, and without a second
 * thread, none is counted ahead. */
void ahead_begin(ahead *a, counting *of, uint32_t n, count_until limits);
/* Plan i is the caller's from here on. */
void ahead_take(ahead *a, uint32_t i);
/* Sets the limits of what is not yet begun. */
void ahead_limit(ahead *a, count_until limits);
void ahead_end(ahead *a);

#endif
