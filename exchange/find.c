/* What a path means: the folder of a file, the headers in a folder, which file has a program. */
#include "exchange/find.h"
#include "support/text.h"

#include <dirent.h>
#include <sys/stat.h>

#define SCRIPT "_script.h"
#define INPUT_SCRIPT "_input_script.h"

bool exchange_is_folder(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

const char *exchange_folder_of(const char *path, arena *mem) {
    const char *slash = strrchr(path, '/');
    return slash ? arena_strndup(mem, path, slash == path ? 1 : (size_t)(slash - path)) : ".";
}

const char *exchange_headers_in(const char *folder, arena *mem) {
    DIR *list = opendir(folder);
    const char *found = NULL;
    uint32_t count = 0;
    for (const struct dirent *one; list && (one = readdir(list)) != NULL;) {
        if (!text_ends_with(one->d_name, SCRIPT) || text_ends_with(one->d_name, INPUT_SCRIPT))
            continue;
        found = arena_printf(mem, "%s/%s", folder, one->d_name);
        count++;
    }
    if (list)
        closedir(list);
    return count == 1 ? found : NULL;
}

const char *exchange_script_of(const char *path, arena *mem) {
    const size_t length = strlen(path), n = strlen(INPUT_SCRIPT);
    if (length <= n || !text_ends_with(path, INPUT_SCRIPT))
        return path;
    return arena_printf(mem, "%.*s%s", (int)(length - n), path, SCRIPT);
}
