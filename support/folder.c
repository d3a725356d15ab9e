/* Folders: made, taken, removed. */
#include "support/support.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

bool make_folder(const char *path, diagnostics *d) {
    if (!*path) { /* names inside would belong to the root */
        file_write_error("make folder", path, ENOENT, d);
        return false;
    }
    char *copy = arena_strdup(d->mem, path);
    for (char *p = copy + 1;; p++) {
        if (*p != '/' && *p != '\0')
            continue;
        char kept = *p;
        *p = '\0';
        if (mkdir(copy, 0777) != 0 && errno != EEXIST) {
            file_write_error("make folder", copy, errno, d);
            return false;
        }
        *p = kept;
        if (!kept)
            return true;
    }
}

bool folder_take(const char *path, diagnostics *d, int *lock) {
    *lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*lock < 0 || flock(*lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return true;
    close(*lock);
    *lock = -1;
    diag_error(d, (src_loc){0}, "E0007-in-use", "another onyx works in '%s'", path);
    return diag_hint(d, "wait for it, or name another folder");
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *at) {
    (void)info;
    (void)kind;
    (void)at;
    return remove(path);
}

void remove_folder(const char *path) {
    if (nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS) != 0 && errno == ENOMEM)
        out_of_memory(0); /* otherwise files to be removed stay, without a message */
}

const char *folder_of_user(const char *variable, const char *in_home, arena *mem) {
    const char *stated = getenv(variable), *home = getenv("HOME");
    if (stated && *stated == '/')
        return arena_printf(mem, "%s/onyx", stated);
    return home && *home == '/' ? arena_printf(mem, "%s/%s/onyx", home, in_home) : NULL;
}

bool is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}
