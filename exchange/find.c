/* What a path means: the folder of a file, the headers in a folder, which file has a program. */
#include "exchange/find.h"
#include "exchange/exchange_int.h"
#include "support/folder.h"
#include "support/text.h"

#include <dirent.h>
#include <sys/stat.h>

#define SCRIPT "_script.h"
#define INPUT_SCRIPT "_input_script.h"

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

/* Returns NAME_script.h of NAME_input_script.h; any other path unchanged. */
static const char *script_of(const char *path, arena *mem) {
    const size_t length = strlen(path), n = strlen(INPUT_SCRIPT);
    if (length <= n || !text_ends_with(path, INPUT_SCRIPT))
        return path;
    return arena_printf(mem, "%.*s%s", (int)(length - n), path, SCRIPT);
}

const char *exchange_run_folder(const char *path, uint32_t run, arena *mem) {
    const char *all = exchange_meta_folder(path, mem);
    if (all)
        return run ? NULL : all;
    return exchange_meta_folder(arena_printf(mem, "%s/tile%u", path, run), mem);
}

/* Returns the folder of a meta file named itself; any other path unchanged. */
static const char *folder_of_meta(const char *path, arena *mem) {
    static const char name[] = "design_meta.json";
    const size_t length = strlen(path), n = sizeof name - 1;
    if (length < n || strcmp(path + length - n, name) != 0 || (length > n && path[length - n - 1] != '/'))
        return path;
    return length == n ? "." : arena_strndup(mem, path, length - n - 1);
}

const char *exchange_stand_for(const char *path, arena *mem) {
    const char *headers =
        is_folder(path) && !exchange_run_folder(path, 0, mem) ? exchange_headers_in(path, mem) : NULL;
    return headers ? headers : script_of(folder_of_meta(path, mem), mem);
}
