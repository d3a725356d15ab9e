/* A program that takes requests over a socket in place of its standard input and output, as names ending in a
 * zero byte, and answers with lines. */
#include "engines/session.h"
#include "support/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static bool failed(compile_context *ctx, const compile_session *s) {
    size_t length = 0;
    const char *said = file_read_if_there(s->log, ctx->mem, &length);
    diag_error(ctx->diag, (src_loc){0}, "E0930-tool", "'%s' failed; its output is in '%s'", s->program,
               s->log);
    return diag_hint(ctx->diag, "it ended with:\n%s", said ? text_tail(said, length, 12) : "");
}

static bool begin(compile_session *s, const char *const *argv) {
    int ends[2];
    fflush(NULL);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    pid_t self = getpid();
    s->pid = fork();
    if (s->pid == 0)
        child_become(argv, ends[1], ends[1], open(s->log, O_WRONLY | O_CREAT | O_TRUNC, 0666), self);
    close(ends[1]);
    s->channel = ends[0];
    if (s->pid > 0)
        return true;
    close(ends[0]);
    s->pid = 0;
    return false;
}

/* Returns whether a line came; the program has ended otherwise. SIGINT is held back, and passed on. */
static bool answers(const compile_session *s, const sigset_t *blocked, bool *interrupted) {
    const struct timespec now = {0};
    struct pollfd wait = {.fd = s->channel, .events = POLLIN};
    for (char c = 0; c != '\n';) {
        int ready = poll(&wait, 1, 20);
        if (sigtimedwait(blocked, NULL, &now) == SIGINT) {
            *interrupted = true;
            kill(s->pid, SIGINT);
        }
        if (ready > 0 && read(s->channel, &c, 1) <= 0)
            return false;
    }
    return true;
}

static int end(compile_session *s) {
    int status = 0;
    close(s->channel);
    while (waitpid(s->pid, &status, 0) < 0 && errno == EINTR)
        ;
    s->pid = 0;
    return status;
}

/* Requests the execution of these files. */
static bool ask(const compile_session *s, const char *const *files) {
    bool good = true;
    for (int i = 0; i < COMPILE_SESSION_FILES && good; i++) {
        const size_t n = strlen(files[i]) + 1;
        good = send(s->channel, files[i], n, MSG_NOSIGNAL) == (ssize_t)n;
    }
    return good;
}

bool compile_session_run(compile_context *ctx, compile_session *s, const char *const *argv,
                         const char *const *files, const char *log) {
    sigset_t blocked, before;
    struct sigaction action;
    bool interrupted = false, first = !s->pid;
    if (first)
        *s = (compile_session){.program = arena_strdup(ctx->diag->mem, argv[0]),
                               .log = arena_strdup(ctx->diag->mem, log),
                               .memory = s->memory,
                               .may_wait = s->may_wait,
                               .overlapped = s->overlapped,
                               .last_image = s->last_image};
    sigemptyset(&blocked);
    if (sigaction(SIGINT, NULL, &action) != 0 || action.sa_handler != SIG_IGN)
        sigaddset(&blocked, SIGINT);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    const bool good = (first ? begin(s, argv) : ask(s, files)) && answers(s, &blocked, &interrupted);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    ctx->interrupted = ctx->interrupted || interrupted;
    if (good && !interrupted)
        return true;
    if (s->pid)
        end(s);
    return !interrupted && failed(ctx, s);
}

bool compile_session_end(compile_context *ctx, compile_session *s) {
    host_session_end(s->board);
    s->board = NULL;
    s->memory = (fw_memory){0};
    return !s->pid || end(s) == 0 || failed(ctx, s);
}
