/* objects.c - see objects.h. An object is NAME.so, with NAME the hash of the compiler, the command line and
 * the text; NAME.inputs, written last, has a line "HASH PATH" for each file that the compiler read. */
#include "frontend/language/objects.h"
#include "support/file.h"
#include "support/folder.h"
#include "support/hash.h"
#include "support/sha256.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FILES = 512 }; /* all are removed before one more */

static const char *cache_folder(arena *mem) {
    return folder_of_user("XDG_CACHE_HOME", ".cache", mem);
}

/* Tells a compiler from another, or a newer one, by its file. */
static const char *compiler_of(const char *name, arena *mem) {
    const char *path = getenv("PATH");
    for (const char *at = path ? path : ""; *at; at += *at == ':') {
        const size_t length = strcspn(at, ":");
        struct stat info;
        const char *file = arena_printf(mem, "%.*s/%s", (int)length, at, name);
        if (stat(file, &info) == 0 && S_ISREG(info.st_mode) && access(file, X_OK) == 0)
            return arena_printf(mem, "%s %" PRIdMAX " %" PRIdMAX, file, (intmax_t)info.st_size,
                                (intmax_t)info.st_mtime);
        at += length;
    }
    return "";
}

const char *fe_objects_place(const char *const *command, const char *text, arena *mem) {
    static const char *const read_by_gcc[] = {"CPATH", "C_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH",
                                              "GCC_EXEC_PREFIX"};
    char here[4096];
    const char *folder = cache_folder(mem);
    if (!folder || !getcwd(here, sizeof here))
        return NULL;
    const char *all = compiler_of(command[0], mem);
    for (size_t i = 0; i < sizeof read_by_gcc / sizeof *read_by_gcc; i++) {
        const char *value = getenv(read_by_gcc[i]);
        all = arena_printf(mem, "%s\n%s", all, value ? value : "");
    }
    for (uint32_t i = 0; command[i]; i++) /* a relative path is of this folder */
        all = arena_printf(mem, "%s\n%s%s", all,
                           i > 0 && command[i][0] != '-' && command[i][0] != '/' ? here : "", command[i]);
    all = arena_printf(mem, "%s\n%s", all, text);
    char *name = arena_strdup(mem, sha256_base64(all, strlen(all), mem));
    for (char *c = name; *c; c++)
        *c = *c == '/' ? '_' : *c;
    return arena_printf(mem, "%s/%s", folder, name);
}

static bool is_as_it_was(const char *line, arena *mem) {
    char *path;
    const uint64_t hash = strtoull(line, &path, 16);
    size_t length;
    const char *bytes = *path == ' ' ? file_read_if_there(path + 1, mem, &length) : NULL;
    return bytes && hash_bytes(bytes, length) == hash;
}

int fe_objects_open(const char *place, arena *mem) {
    size_t length;
    char *inputs = place ? file_read_if_there(arena_printf(mem, "%s.inputs", place), mem, &length) : NULL;
    if (!inputs)
        return -1;
    for (char *line = strtok(inputs, "\n"); line; line = strtok(NULL, "\n")) {
        if (!is_as_it_was(line, mem))
            return -1;
    }
    return open(arena_printf(mem, "%s.so", place), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
}

/* Returns the inputs of a make rule, a line each, but for those in the temporary folder; NULL: a file cannot
 * be read. */
static const char *inputs_of(char *rule, const char *folder, arena *mem) {
    char here[4096], *from = strstr(rule, ": ");
    const char *lines = "";
    if (!getcwd(here, sizeof here))
        return NULL;
    for (char *path = from ? strtok(from + 2, " \\\n") : NULL; path; path = strtok(NULL, " \\\n")) {
        size_t length;
        if (strncmp(path, folder, strlen(folder)) == 0)
            continue;
        const char *whole = *path == '/' ? path : arena_printf(mem, "%s/%s", here, path);
        const char *bytes = file_read_if_there(whole, mem, &length);
        if (!bytes) /* a path with a blank was cut, too */
            return NULL;
        lines = arena_printf(mem, "%s%016" PRIx64 " %s\n", lines, hash_bytes(bytes, length), whole);
    }
    return lines;
}

static bool write_file(const char *path, const char *bytes, size_t length, diagnostics *d) {
    file_out out;
    if (!file_create(&out, path, d->mem, d))
        return false;
    fwrite(bytes, 1, length, out.stream);
    return file_commit(&out, d);
}

static void make_room(const char *folder) {
    uint32_t files = 0;
    DIR *all = opendir(folder);
    while (all && readdir(all))
        files++;
    if (all)
        closedir(all);
    if (files > MOST_FILES)
        remove_folder(folder);
}

void fe_objects_keep(const char *place, const char *folder, arena *mem) {
    diagnostics unheard;
    size_t length, rule_length;
    diag_init(&unheard, mem);
    const char *cache = cache_folder(mem), *listed = arena_printf(mem, "%s.inputs", place);
    const char *object = file_read_if_there(arena_printf(mem, "%s/function.so", folder), mem, &length);
    char *rule = file_read_if_there(arena_printf(mem, "%s/function.d", folder), mem, &rule_length);
    const char *inputs = place && object && rule ? inputs_of(rule, folder, mem) : NULL;
    if (!inputs)
        return;
    make_room(cache);
    /* An old list beside a new object, after a kill, would let stale objects pass. */
    if (make_folder(cache, &unheard) && chmod(cache, 0700) == 0 && (unlink(listed) == 0 || errno == ENOENT) &&
        write_file(arena_printf(mem, "%s.so", place), object, length, &unheard))
        write_file(listed, inputs, strlen(inputs), &unheard);
}
