/* See log.h. The file replaces standard output while the command works: printing code needs no change, and an
 * aborted command's output is in the file. */
#include "cli/log.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct cli_log {
    FILE *file;
    off_t begin; /* of what was printed */
    int printed; /* the original standard output; -1: already restored */
};

/* An existing file must be a log: any other content would be lost. */
static bool may_become_log(const char *path, diagnostics *d) {
    static const char begin[] = "$ onyx ";
    char text[sizeof begin] = "";
    struct stat info;
    FILE *there = stat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_size ? fopen(path, "rb") : NULL;
    if (!there)
        return true;
    bool log = fread(text, 1, sizeof begin - 1, there) == sizeof begin - 1 && strcmp(text, begin) == 0;
    fclose(there);
    if (!log) {
        diag_error(d, (src_loc){0}, "E0008-overwrites", "--log '%s': the file is there, and is no log", path);
        diag_hint(d, "name another file: a log begins with '%s'", begin);
    }
    return log;
}

cli_log *log_begin(const char *path, const char *command, arena *mem, diagnostics *d) {
    cli_log *log = arena_new(mem, cli_log);
    if (!may_become_log(path, d))
        return NULL;
    log->file = fopen(path, "w+");
    if (log->file) {
        fprintf(log->file, "$ onyx %s\n", command);
        fflush(stdout);
        log->printed = fflush(log->file) == 0 ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3) : -1;
        log->begin = ftello(log->file);
        if (log->printed >= 0 && dup2(fileno(log->file), STDOUT_FILENO) >= 0)
            return log;
    }
    diag_error(d, (src_loc){0}, "E0004-write", "cannot write '%s': %s", path, strerror(errno));
    if (log->file)
        fclose(log->file);
    return NULL;
}

/* Writes all bytes, in any number of partial writes. */
static bool write_all(int to, const char *text, size_t length) {
    while (length) {
        const ssize_t taken = write(to, text, length);
        if (taken < 0 && errno != EINTR)
            return false;
        text += taken > 0 ? taken : 0;
        length -= taken > 0 ? (size_t)taken : 0;
    }
    return true;
}

bool log_copy_out(cli_log *log) {
    if (!log || log->printed < 0)
        return true;
    char chunk[4096];
    bool good = true;
    ssize_t length;
    off_t at = log->begin;
    while (good && (length = pread(fileno(log->file), chunk, sizeof chunk, at)) > 0) {
        good = write_all(log->printed, chunk, (size_t)length);
        at += length;
    }
    dup2(log->printed, STDOUT_FILENO);
    close(log->printed);
    log->printed = -1;
    fseeko(log->file, 0, SEEK_END);
    return good;
}

void log_end(cli_log *log, const diagnostics *d, int code) {
    if (!log)
        return;
    diag_print(d, 0, log->file, false);
    fprintf(log->file, "exit code %d\n", code);
    fclose(log->file);
}
