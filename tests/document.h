/* document.h - a page of docs/ generated from a table by a test, which also finds stale pages. */
#ifndef ONYX_TESTS_DOCUMENT_H
#define ONYX_TESTS_DOCUMENT_H

#include "tests/test.h"

typedef char *document_text(arena *mem);

/* `program --write` writes the page anew. */
static inline void expect_document(fixture *f, const char *path, document_text *text, const char *program) {
    size_t length;
    const char *found = file_read(path, &f->mem, &length, &f->diag);
    if (!found || strcmp(found, text(&f->mem)) != 0)
        fail_msg("%s is stale: run build/tests/%s --write", path, program);
}

/* Whether the program was called to write the page; *code is its exit code in this case. */
static inline bool document_written(int argc, char **argv, const char *path, document_text *text, int *code) {
    if (argc != 2 || strcmp(argv[1], "--write") != 0)
        return false;
    arena mem = {0};
    FILE *out = fopen(path, "w");
    *code = !out || fputs(text(&mem), out) == EOF || fclose(out) == EOF;
    if (*code)
        perror(path);
    arena_free(&mem);
    return true;
}

/* The program of such a test: writes the page, or runs the named tests. */
#define RUN_DOCUMENT_TESTS(path, text, ...)                                                                  \
    int main(int argc, char **argv) {                                                                        \
        const struct CMUnitTest tests[] = {__VA_ARGS__};                                                     \
        int code;                                                                                            \
        if (document_written(argc, argv, path, text, &code))                                                 \
            return code;                                                                                     \
        return cmocka_run_group_tests(tests, NULL, NULL);                                                    \
    }

#endif
