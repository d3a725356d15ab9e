/* ahead.c - plans that will be compared in turn, counted by a second thread before their turn. */
#include "tiling/ahead.h"
#include "support/thread.h"

/* Counts the next plan, with the lock, which is open meanwhile. Returns false if none is left. */
static bool count_next(ahead *a, bool by_thread) {
    tile_candidate unused = {.edge = NULL};
    uint64_t steps = 0;
    if (a->begun == a->n)
        return false;
    const uint32_t i = a->begun++;
    const count_until limits = a->limits;
    if (by_thread)
        a->counts = i;
    pthread_mutex_unlock(&a->lock);
    count_plan(&a->of[i], limits, &unused, &steps);
    pthread_mutex_lock(&a->lock);
    if (by_thread)
        a->counts = a->n;
    return true;
}

static void *count_ahead(void *of) {
    ahead *a = of;
    pthread_mutex_lock(&a->lock);
    while (count_next(a, true))
        pthread_cond_signal(&a->counted);
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

void ahead_begin(ahead *a, counting *of, uint32_t n, count_until limits) {
    *a = (ahead){.of = of, .n = n, .begun = 1, .counts = n, .limits = limits, .alone = true};
    if (n < 2)
        return;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->counted, NULL);
    a->alone = !thread_begin(&a->thread, count_ahead, a);
}

void ahead_take(ahead *a, uint32_t i) {
    if (a->alone)
        return;
    pthread_mutex_lock(&a->lock);
    a->begun = a->begun > i ? a->begun : i + 1;
    while (a->counts == i) {
        if (!count_next(a, false))
            pthread_cond_wait(&a->counted, &a->lock);
    }
    pthread_mutex_unlock(&a->lock);
}

void ahead_limit(ahead *a, count_until limits) {
    if (a->alone)
        return;
    pthread_mutex_lock(&a->lock);
    a->limits = limits;
    pthread_mutex_unlock(&a->lock);
}

void ahead_end(ahead *a) {
    if (a->alone)
        return;
    pthread_mutex_lock(&a->lock);
    a->begun = a->n;
    pthread_mutex_unlock(&a->lock);
    BUG_IF(pthread_join(a->thread, NULL) != 0, "a thread cannot be joined");
    pthread_mutex_destroy(&a->lock);
    pthread_cond_destroy(&a->counted);
}
