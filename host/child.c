/* Child programs with a channel to the parent. */
#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "host/child.h"
#include "host/host_int.h"
#include "support/child.h"

bool host_child_start(host_child *c, const char *const *argv, const char *log, int channel) {
    pid_t self = getpid();
    fflush(NULL);
    *c = (host_child){.pid = fork()};
    if (c->pid == 0) {
        int file = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        setpgid(0, 0);
        child_become(argv, channel >= 0 ? channel : open("/dev/null", O_RDONLY),
                     channel >= 0 ? channel : file, file, self);
    }
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
