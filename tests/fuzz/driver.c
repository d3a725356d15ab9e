/* Runs a harness over kept inputs: every file named, and every file of every folder named. */
#include <dirent.h>

#include "tests/fuzz/fuzz.h"

static uint32_t run_file(const char *path) {
    arena mem = {0};
    diagnostics d;
    size_t length = 0;
    diag_init(&d, &mem);
    const char *text = file_read(path, &mem, &length, &d);
    if (text)
        LLVMFuzzerTestOneInput((const uint8_t *)text, length);
    arena_free(&mem);
    return text != NULL;
}

static uint32_t run_folder(const char *path, DIR *folder) {
    uint32_t runs = 0;
    for (struct dirent *e = readdir(folder); e; e = readdir(folder)) {
        arena mem = {0};
        if (e->d_name[0] != '.')
            runs += run_file(arena_printf(&mem, "%s/%s", path, e->d_name));
        arena_free(&mem);
    }
    return runs;
}

int main(int argc, char **argv) {
    uint32_t runs = 0;
    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        runs += folder ? run_folder(argv[i], folder) : run_file(argv[i]);
        if (folder)
            closedir(folder);
    }
    printf("%u inputs\n", runs);
    return runs == 0;
}
