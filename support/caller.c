/* State of the caller's process: saved, replaced and restored. */
#define _GNU_SOURCE /* locale_t, NSIG */
#include "support/caller.h"
#include "support/number.h"

#include <stddef.h>

/* Whether the signal has a handler, which makes system calls fail with EINTR. Signals that end a program, and
 * faults, are let through. */
static bool interrupts(int number) {
    static const int through[] = {SIGINT, SIGTERM, SIGQUIT, SIGHUP,  SIGABRT, SIGSEGV,
                                  SIGBUS, SIGFPE,  SIGILL,  SIGTRAP, SIGSYS};
    struct sigaction now;
    for (size_t i = 0; i < sizeof through / sizeof *through; i++) {
        if (number == through[i])
            return false;
    }
    return sigaction(number, NULL, &now) == 0 && now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN &&
           !(now.sa_flags & SA_RESTART);
}

static void hold_back(sigset_t *before) {
    sigset_t blocked;
    sigemptyset(&blocked);
    for (int number = 1; number < NSIG; number++) {
        if (interrupts(number))
            sigaddset(&blocked, number);
    }
    pthread_sigmask(SIG_BLOCK, &blocked, before);
}

void caller_begin(caller_state *s) {
    const struct sigaction plain = {.sa_handler = SIG_DFL};
    *s = (caller_state){.locale = number_locale_begin()};
    fegetenv(&s->numbers);
    fesetenv(FE_DFL_ENV);
    hold_back(&s->mask);
    sigaction(SIGCHLD, NULL, &s->children);
    s->replaced = s->children.sa_handler != SIG_DFL || (s->children.sa_flags & SA_NOCLDWAIT);
    if (s->replaced)
        sigaction(SIGCHLD, &plain, NULL);
}

void caller_end(const caller_state *s) {
    if (s->replaced)
        sigaction(SIGCHLD, &s->children, NULL);
    pthread_sigmask(SIG_SETMASK, &s->mask, NULL);
    if (s->replaced && s->children.sa_handler != SIG_DFL && s->children.sa_handler != SIG_IGN)
        raise(SIGCHLD);
    fesetenv(&s->numbers);
    number_locale_end(s->locale);
}

void caller_defaults(void) {
    static const int numbers[] = {SIGCHLD, SIGTERM, SIGPIPE};
    const struct sigaction plain = {.sa_handler = SIG_DFL};
    sigset_t none;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &plain, NULL);
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
}
