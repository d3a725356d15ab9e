/* Child programs: started with their output in a log, waited for. */
#include "support/support.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void become(const char *const *argv, const char *log) {
    int file = open(log, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (file >= 0) {
        dup2(file, STDOUT_FILENO);
        dup2(file, STDERR_FILENO);
    }
    /* execvp does not change the strings; its type predates const. */
    execvp(argv[0], (char *const *)(uintptr_t)argv);
    int why = errno;
    fprintf(stderr, "%s: %s\n", argv[0], strerror(why));
    fflush(stderr);
    _exit(why == ENOENT ? PROGRAM_MISSING : 126);
}

int program_run(const char *const *argv, const char *log) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        become(argv, log);
    if (child < 0)
        return PROGRAM_NOT_RUN;
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            return PROGRAM_NOT_RUN;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}
