/* Child programs: started with their output in a log, waited for. */
#include "support/caller.h"
#include "support/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A command bounds its own memory (cli/usage.c); programs started by the command get the system's limit. */
static void lift_memory_limit(void) {
    struct rlimit data;
    if (getrlimit(RLIMIT_DATA, &data) == 0) {
        data.rlim_cur = data.rlim_max;
        setrlimit(RLIMIT_DATA, &data);
    }
}

_Noreturn void child_become(const char *const *argv, int in, int out, int err, pid_t parent) {
    const int given[] = {[STDIN_FILENO] = in, [STDOUT_FILENO] = out, [STDERR_FILENO] = err};
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++) {
        if (given[i] >= 0)
            dup2(given[i], i);
    }
    caller_defaults();
    lift_memory_limit();
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) /* it ended before that */
        _exit(126);
    /* execvp does not change the strings; its type predates const. */
    execvp(argv[0], (char *const *)(uintptr_t)argv);
    int why = errno;
    fprintf(stderr, "%s: %s\n", argv[0], strerror(why));
    fflush(stderr);
    _exit(why == ENOENT ? PROGRAM_MISSING : 126);
}

static bool ignores_interrupts(void) {
    struct sigaction now;
    return sigaction(SIGINT, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

/* Waits for the child. The waiting thread blocks SIGINT (`blocked`; empty if ignored), takes the signal here,
 * and passes it on; a child that an interrupt does not end is killed. No handler is changed, since the thread
 * may belong to another program. */
static int wait_for(pid_t child, const sigset_t *blocked, bool *interrupted) {
    enum { LONGEST_PAUSE = 10000000, PATIENCE = 300 }; /* ns: short to notice a short child's end; pauses */
    struct timespec pause = {.tv_nsec = 500000};
    int status = 0, waited = 0;
    for (;;) {
        pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child)
            return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
        if (ended < 0 && errno != EINTR)
            return PROGRAM_NOT_RUN;
        if (sigtimedwait(blocked, NULL, &pause) == SIGINT) {
            *interrupted = true;
            kill(child, SIGINT);
        }
        waited += *interrupted;
        if (waited > PATIENCE)
            kill(child, SIGKILL);
        pause.tv_nsec = pause.tv_nsec < LONGEST_PAUSE / 2 ? 2 * pause.tv_nsec : LONGEST_PAUSE;
    }
}

int program_run(const char *const *argv, const char *log) {
    const struct timespec now = {0};
    sigset_t blocked, before;
    bool interrupted = false;
    sigemptyset(&blocked);
    if (!ignores_interrupts())
        sigaddset(&blocked, SIGINT);
    fflush(NULL);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    pid_t self = getpid(), child = fork();
    if (child == 0) {
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        int file = open(log, O_WRONLY | O_CREAT | O_APPEND, 0666);
        child_become(argv, -1, file, file, self);
    }
    int end = child < 0 ? PROGRAM_NOT_RUN : wait_for(child, &blocked, &interrupted);
    /* A terminal interrupts both: the child may have been faster. */
    interrupted = sigtimedwait(&blocked, NULL, &now) == SIGINT || interrupted;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return interrupted ? -SIGINT : end;
}

_Noreturn static void do_work(child_work *work, void *context, uint32_t n, FILE *out, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(126);
    if (!ignores_interrupts())
        signal(SIGINT, SIG_DFL); /* a handler of the parent's is about its own work */
    bool ok = work(context, n, out);
    _exit(ok && fflush(out) == 0 && !ferror(out) ? 0 : 1);
}

static int end_of(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            return PROGRAM_NOT_RUN;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

void child_run(child_result *results, uint32_t n, child_work *work, void *context) {
    pid_t *child = calloc(n, sizeof *child), self = getpid();
    if (!child)
        out_of_memory(n * sizeof *child);
    for (uint32_t i = 0; i < n; i++) {
        results[i].found = tmpfile();
        child[i] = results[i].found ? fork() : -1;
        if (child[i] == 0)
            do_work(work, context, i, results[i].found, self);
    }
    bool failed = false;
    for (uint32_t i = 0; i < n; i++) {
        if (failed && child[i] > 0)
            kill(child[i], SIGKILL);
        results[i].end = child[i] > 0 ? end_of(child[i]) : PROGRAM_NOT_RUN;
        failed = failed || results[i].end != 0;
        if (results[i].found)
            rewind(results[i].found);
    }
    free(child);
}

double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
