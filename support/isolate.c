/* isolate.c - calls of foreign code in a child process.
 *
 * Caller and child take turns on memory mapped at the same address in both. The waiting process yields the
 * processor for a tenth of a millisecond, the fastest way with one processor or two, and sleeps afterwards on
 * the word with the turn. The caller wakes up at intervals to check the child. A stopped process (SIGSTOP, a
 * suspended machine) has not waited in the meantime.
 */
#define _GNU_SOURCE /* close_range, on_exit, sigabbrev_np, syscall */
#include "support/isolate.h"
#include "support/caller.h"
#include "support/number.h"
#include "support/support.h"

#include <errno.h>
#include <fenv.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALLERS_TURN, CHILDS_TURN, CHILD_ENDS };
enum { PAUSE_MS = 20, FIRST_ROOM = 1 << 16, HEAD = 512 };
static const double YIELDING = 1e-4; /* s */

typedef struct {
    _Atomic uint32_t turn, sleeps; /* whose turn; number of sleeping waiters */
    bool refused;
    char why[ISOLATE_WHY]; /* of a child that failed to start */
} shared;
_Static_assert(sizeof(shared) <= HEAD, "the head of the shared memory");

struct isolate {
    isolate_work work;
    arena *mem;
    pid_t owner, child; /* child 0: none */
    shared *both;
    size_t room;
    const char *fault;
};

/* ---- turns --------------------------------------------------------------------------------------- */

static void sleep_on(_Atomic uint32_t *word, uint32_t value, const struct timespec *most) {
    syscall(SYS_futex, word, FUTEX_WAIT, value, most, NULL, 0);
}

/* Waits until the turn changes, for at most `most`; NULL: for ever. */
static bool wait_turn(shared *both, uint32_t while_it_is, const struct timespec *most) {
    const double begin = seconds_now();
    do {
        if (atomic_load(&both->turn) != while_it_is)
            return true;
        sched_yield();
    } while (seconds_now() < begin + YIELDING);
    atomic_fetch_add(&both->sleeps, 1);
    sleep_on(&both->turn, while_it_is, most);
    atomic_fetch_sub(&both->sleeps, 1);
    return atomic_load(&both->turn) != while_it_is;
}

static void give_turn(shared *both, uint32_t to) {
    atomic_store(&both->turn, to);
    if (atomic_load(&both->sleeps))
        syscall(SYS_futex, &both->turn, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* ---- the child ----------------------------------------------------------------------------------- */

/* Handlers, held-back signals, open files and limits of the caller's are about the caller's work. An
 * interrupt of the terminal is the caller's, too, whose end ends the child. */
static void become_child(const isolate *g) {
    const struct sigaction plain = {.sa_handler = SIG_DFL}, none = {.sa_handler = SIG_IGN};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != g->owner)
        _exit(126);
    for (int number = 1; number < NSIG; number++)
        sigaction(number, &plain, NULL);
    caller_defaults();
    sigaction(SIGINT, &none, NULL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0});
    const unsigned keep = g->work.keep < 0 ? 2 : (unsigned)g->work.keep;
    if (keep > 3)
        close_range(3, keep - 1, 0);
    close_range(keep + 1, ~0u, 0);
}

/* Keeps the caller's exit handlers (atexit) from running in a child whose code calls exit. */
static void leave(int code, void *unused) {
    (void)unused;
    fflush(NULL);
    _exit(code);
}

_Noreturn static void be_child(isolate *g) {
    become_child(g);
    on_exit(leave, NULL);
    g->both->refused = !g->work.begin(g->work.context, g->both->why);
    give_turn(g->both, CALLERS_TURN);
    for (;;) {
        while (!wait_turn(g->both, CALLERS_TURN, NULL)) {
        }
        if (atomic_load(&g->both->turn) == CHILD_ENDS)
            break;
        fesetenv(FE_DFL_ENV);
        g->work.serve(g->work.context, (unsigned char *)g->both + HEAD);
        give_turn(g->both, CALLERS_TURN);
    }
    fflush(NULL); /* writes what the foreign code printed */
    _exit(0);
}

/* ---- the caller ---------------------------------------------------------------------------------- */

static const char *end_text(const isolate *g, int status) {
    if (WIFSIGNALED(status)) {
        const char *name = sigabbrev_np(WTERMSIG(status));
        return name ? arena_printf(g->mem, "ended by SIG%s", name)
                    : arena_printf(g->mem, "ended by signal %d", WTERMSIG(status));
    }
    return arena_printf(g->mem, "ended its process with exit code %d", WEXITSTATUS(status));
}

static pid_t wait_child(pid_t child, int *status, int how) {
    pid_t ended;
    do
        ended = waitpid(child, status, how);
    while (ended < 0 && errno == EINTR);
    return ended;
}

/* Returns false after a fault: the child has ended, or takes too long. */
static bool wait_answer(isolate *g, double seconds) {
    const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000};
    double waited = 0, now = seconds_now();
    int status = 0;
    while (!wait_turn(g->both, CHILDS_TURN, &pause)) {
        const double before = now, longest = 10e-3 * PAUSE_MS;
        now = seconds_now();
        waited += now - before < longest ? now - before : longest;
        const pid_t ended = wait_child(g->child, &status, WNOHANG);
        if (ended == 0 && waited < seconds)
            continue;
        if (atomic_load(&g->both->turn) != CHILDS_TURN)
            return true;
        if (ended == 0) {
            kill(g->child, SIGKILL);
            wait_child(g->child, &status, 0);
            g->fault = arena_printf(g->mem, "does not end within %g s", seconds);
        } else {
            g->fault = ended < 0 ? "ended" : end_text(g, status);
        }
        g->child = 0;
        return false;
    }
    return true;
}

/* A process forked from the owner leaves the child alone. */
static void end_child(isolate *g) {
    int status;
    if (g->child && g->owner == getpid()) {
        give_turn(g->both, CHILD_ENDS);
        for (int i = 0; i < 100 && wait_child(g->child, &status, WNOHANG) == 0; i++)
            usleep(i < 50 ? 20 : 2000);
        if (wait_child(g->child, &status, WNOHANG) == 0) {
            kill(g->child, SIGKILL);
            wait_child(g->child, &status, 0);
        }
    }
    g->child = 0;
    if (g->both)
        munmap(g->both, HEAD + g->room);
    g->both = NULL;
}

static void end_isolate(void *of) {
    isolate *g = of;
    end_child(g);
    if (g->work.keep >= 0)
        close(g->work.keep);
}

static bool begin_child(isolate *g, size_t room) {
    void *both = mmap(NULL, HEAD + room, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    g->room = room;
    g->both = both == MAP_FAILED ? NULL : both;
    if (!g->both) {
        g->fault = "finds no memory for what it is handed";
        return false;
    }
    atomic_store(&g->both->turn, CHILDS_TURN);
    g->owner = getpid();
    fflush(NULL);
    g->child = fork();
    if (g->child == 0)
        be_child(g);
    if (g->child < 0) {
        g->child = 0;
        g->fault = "has no process to run in";
        return false;
    }
    if (wait_answer(g, g->work.seconds) && g->both->refused)
        g->fault = arena_strdup(g->mem, g->both->why);
    return !g->fault;
}

void *isolate_room(isolate *g, size_t bytes) {
    size_t room = g->room ? g->room : FIRST_ROOM;
    while (room < bytes)
        room *= 2;
    if (g->fault)
        return NULL;
    if (!g->child || room != g->room || g->owner != getpid()) {
        end_child(g);
        if (!begin_child(g, room))
            return NULL;
    }
    return (unsigned char *)g->both + HEAD;
}

bool isolate_call(isolate *g, double more) {
    give_turn(g->both, CHILDS_TURN);
    return wait_answer(g, g->work.seconds + more);
}

const char *isolate_fault(const isolate *g) {
    return g->fault;
}

void isolate_forgive(isolate *g) {
    g->fault = NULL;
}

isolate *isolate_new(const isolate_work *work, arena *mem) {
    isolate *g = arena_new(mem, isolate);
    *g = (isolate){.work = *work, .mem = mem};
    arena_at_end(mem, end_isolate, g);
    begin_child(g, FIRST_ROOM);
    return g;
}
