/* Child programs that answer while they run. */
#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "host/host_int.h"

static _Noreturn void become(const char *const *argv, const char *log, int channel, pid_t parent) {
    int file = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    setpgid(0, 0);
    if (getppid() != parent)
        _exit(PROGRAM_MISSING);
    int in = channel >= 0 ? channel : open("/dev/null", O_RDONLY);
    dup2(in, STDIN_FILENO);
    dup2(channel >= 0 ? channel : file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    /* execvp does not change the strings; its type predates const. */
    execvp(argv[0], (char *const *)(uintptr_t)argv);
    dprintf(STDERR_FILENO, "%s: %s\n", argv[0], strerror(errno));
    _exit(PROGRAM_MISSING);
}

bool host_child_start(host_child *c, const char *const *argv, const char *log, int channel) {
    pid_t self = getpid();
    fflush(NULL);
    *c = (host_child){.pid = fork()};
    if (c->pid == 0)
        become(argv, log, channel, self);
    if (c->pid < 0)
        c->pid = 0;
    return c->pid != 0;
}

bool host_child_alive(host_child *c) {
    if (c->pid && !c->ended && waitpid(c->pid, &c->status, WNOHANG) == c->pid)
        c->ended = true;
    return c->pid && !c->ended;
}

const char *host_child_fate(host_child *c, arena *mem) {
    if (WIFSIGNALED(c->status))
        return arena_printf(mem, "was ended by signal %d", WTERMSIG(c->status));
    return arena_printf(mem, "ended with code %d", WEXITSTATUS(c->status));
}

void host_child_end(host_child *c) {
    const struct timespec pause = {.tv_nsec = 10000000};
    if (host_child_alive(c))
        kill(c->pid, SIGTERM);
    for (int i = 0; i < 200 && host_child_alive(c); i++)
        nanosleep(&pause, NULL);
    if (host_child_alive(c)) {
        kill(c->pid, SIGKILL);
        waitpid(c->pid, &c->status, 0);
    }
    *c = (host_child){0};
}
