/* thread.h - threads beside the command's own. */
#ifndef ONYX_SUPPORT_THREAD_H
#define ONYX_SUPPORT_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Starts a thread that gets no signals: signals are about the command, whose own thread waits for them.
 * Returns false if there is none to be had. */
bool thread_begin(pthread_t *thread, void *(*run)(void *of), void *of);

#endif
