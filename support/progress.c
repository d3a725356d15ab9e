/* Progress on standard error. A thread watches the clock: stages need not report by themselves. */
#include "support/progress.h"
#include "support/number.h"
#include "support/program.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct progress {
    pthread_t thread;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t ended;
    const char *what;
    uint64_t done, total;
    double begin; /* of the stage */
    bool terminal, end, drawn;
};

/* A second after a stage begins, and at this interval afterwards: a terminal moves, a log does not fill. */
static double pause_of(const struct progress *p) {
    return p->terminal ? 0.2 : 5;
}

static void draw(struct progress *p) {
    enum { WIDTH = 30 };
    char count[64] = "";
    int full = p->total ? (int)(p->done * WIDTH / p->total) : 0;
    if (p->total)
        snprintf(count, sizeof count, ", %llu of %llu", (unsigned long long)p->done,
                 (unsigned long long)p->total);
    if (p->terminal)
        fputs("\r\033[K", stderr);
    if (p->terminal && p->total)
        fprintf(stderr, "[%.*s%*s] ", full, "##############################", WIDTH - full, "");
    number_print(stderr, "onyx: %s%s, %.0f s%s", p->what, count, seconds_now() - p->begin,
                 p->terminal ? "" : "\n");
    fflush(stderr);
    p->drawn = p->terminal;
}

static void clear(struct progress *p) {
    if (p->drawn)
        fputs("\r\033[K", stderr);
    p->drawn = false;
}

static void wait_for(struct progress *p, double seconds) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    long nanoseconds = until.tv_nsec + (long)(seconds * 1e9) % 1000000000L;
    until.tv_sec += (time_t)seconds + nanoseconds / 1000000000L;
    until.tv_nsec = nanoseconds % 1000000000L;
    pthread_cond_timedwait(&p->ended, &p->lock, &until);
}

static void *watch(void *context) {
    struct progress *p = context;
    double next = 0;
    const char *last = NULL;
    pthread_mutex_lock(&p->lock);
    while (!p->end) {
        if (p->what != last)
            next = p->begin + 1;
        last = p->what;
        if (p->what && seconds_now() >= next) {
            draw(p);
            next = seconds_now() + pause_of(p);
        }
        wait_for(p, 0.1);
    }
    clear(p);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

struct progress *progress_begin(arena *mem) {
    struct progress *p = arena_new(mem, struct progress);
    p->terminal = isatty(STDERR_FILENO);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->ended, NULL);
    return pthread_create(&p->thread, NULL, watch, p) == 0 ? p : NULL;
}

void progress_stage(void *shown, const char *what, uint64_t total) {
    struct progress *p = shown;
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    clear(p);
    p->what = what;
    p->done = 0;
    p->total = total;
    p->begin = seconds_now();
    pthread_mutex_unlock(&p->lock);
}

void progress_count(void *shown, uint64_t done) {
    struct progress *p = shown;
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->done = done;
    pthread_mutex_unlock(&p->lock);
}

void progress_end(struct progress *p) {
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->end = true;
    pthread_cond_signal(&p->ended);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->ended);
}
