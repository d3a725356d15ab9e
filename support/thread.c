/* thread.c - threads beside the command's own. */
#include "support/thread.h"

#include <signal.h>

bool thread_begin(pthread_t *thread, void *(*run)(void *of), void *of) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(thread, NULL, run, of) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}
