/* Points as child processes, a given number at a time. */
#include "sweep/sweep_int.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    pid_t pid; /* 0 = free */
    uint32_t point;
    double start;
    bool late;
} child;

typedef struct {
    const batch *b;
    sweep_job *job;
    sigset_t waited, before;
    child *children;
    uint32_t running;
} pool;

static _Noreturn void become(const pool *p, const char *const *argv, const point_files *f, pid_t parent) {
    int out = open(f->json, O_WRONLY | O_CREAT | O_TRUNC, 0666),
        log = open(f->log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    /* A killed sweep ends its children, too. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (out < 0 || log < 0 || getppid() != parent)
        _exit(126);
    dup2(out, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    sigprocmask(SIG_SETMASK, &p->before, NULL);
    execv(argv[0], (char *const *)(uintptr_t)argv);
    fprintf(stderr, "error: %s: %s\n", argv[0], strerror(errno));
    fflush(stderr);
    _exit(126);
}

static bool start(pool *p, uint32_t point) {
    arena scratch = {0};
    const sweep_point *at = &p->job->points.at[point];
    const point_files f = files_of(p->job->store, at->key, point_engine(p->b, at), &scratch);
    const char *const *argv = point_argv(p->b, at, &f, &scratch);
    child *c = p->children;
    while (c->pid)
        c++;
    files_remove(&f); /* files of an aborted run */
    fflush(NULL);
    pid_t parent = getpid();
    *c = (child){.pid = fork(), .point = point, .start = seconds_now()};
    if (c->pid == 0)
        become(p, argv, &f, parent);
    bool ok = c->pid > 0;
    if (!ok) {
        diag_error(p->job->d, (src_loc){0}, "E0930-tool", "no further process can be started: %s",
                   strerror(errno));
        c->pid = 0;
    }
    p->running += ok;
    arena_free(&scratch);
    return ok;
}

static void kill_all(pool *p, int signal) {
    for (uint32_t i = 0; i < p->job->jobs; i++) {
        if (p->children[i].pid)
            kill(p->children[i].pid, signal);
    }
}

/* Takes in every ended child; after an interruption their results are dropped. */
static bool reap(pool *p) {
    bool ok = true;
    int status = 0;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
        child *c = p->children;
        for (uint32_t i = 0; i < p->job->jobs && c->pid != pid; i++)
            c++;
        if (c == p->children + p->job->jobs)
            continue; /* the process is no child of this sweep */
        c->pid = 0;
        p->running--;
        int code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
        if (!p->job->interrupted && code != 130)
            ok = finish_point(p->b, c->point, &(point_end){code, c->late, seconds_now() - c->start}) && ok;
    }
    return ok;
}

/* Waits until a child ends, a second is over, or somebody wants to stop. */
static void wait_a_while(pool *p) {
    const struct timespec second = {.tv_sec = 1};
    int signal = sigtimedwait(&p->waited, NULL, &second);
    if (signal == SIGINT || signal == SIGTERM) {
        p->job->interrupted = true;
        kill_all(p, SIGTERM);
    }
    for (uint32_t i = 0; i < p->job->jobs && p->job->time_limit; i++) {
        child *c = &p->children[i];
        if (c->pid && !c->late && seconds_now() - c->start > p->job->time_limit) {
            c->late = true;
            kill(c->pid, SIGKILL);
        }
    }
}

bool run_local(const batch *b) {
    sweep_job *job = b->job;
    pool p = {.b = b, .job = job};
    p.children = arena_new_n(job->mem, child, job->jobs + 1);
    sigemptyset(&p.waited);
    sigaddset(&p.waited, SIGCHLD);
    sigaddset(&p.waited, SIGINT);
    sigaddset(&p.waited, SIGTERM);
    sigprocmask(SIG_BLOCK, &p.waited, &p.before);
    uint32_t next = 0;
    bool ok = true;
    while (p.running || (ok && !job->interrupted && next < b->todo.len)) {
        while (ok && !job->interrupted && next < b->todo.len && p.running < job->jobs)
            ok = start(&p, b->todo.at[next++]);
        if (!ok)
            kill_all(&p, SIGTERM);
        if (p.running)
            wait_a_while(&p);
        ok = reap(&p) && ok;
    }
    sigprocmask(SIG_SETMASK, &p.before, NULL);
    return ok;
}
