/* test.h - the start of every cmocka test: cmocka itself and a fixture with an arena and diagnostics. */
#ifndef ONYX_TESTS_TEST_H
#define ONYX_TESTS_TEST_H

/* cmocka.h needs these before it, in this order: */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */
#include <stdlib.h>
#include <unistd.h>

#include "support/support.h"

typedef struct {
    arena mem;
    diagnostics diag;
    name_table names;
} fixture;

static inline void fixture_begin(fixture *f) {
    diag_init(&f->diag, &f->mem);
    names_init(&f->names, &f->mem);
}

static inline int fixture_set_up(void **state) {
    fixture *f = calloc(1, sizeof *f);
    fixture_begin(f);
    *state = f;
    return 0;
}

static inline int fixture_tear_down(void **state) {
    fixture *f = *state;
    arena_free(&f->mem);
    free(f);
    return 0;
}

/* Runs `one` for 0 .. n - 1, each time with a fixture of its own. */
static inline void each_afresh(uint32_t n, void (*one)(fixture *f, uint32_t i, void *of), void *of) {
    for (uint32_t i = 0; i < n; i++) {
        fixture f = {0};
        fixture_begin(&f);
        one(&f, i, of);
        arena_free(&f.mem);
    }
}

/* All diagnostics in the form printed by onyx. */
static inline char *fixture_printed(fixture *f) {
    text_out out;
    text_begin(&out);
    diag_print(&f->diag, 0, out.stream, false);
    return text_end(&out, &f->mem);
}

/* Forgets the reported diagnostics. */
static inline void clear_diagnostics(fixture *f) {
    diag_init(&f->diag, &f->mem);
}

/* A new folder of this test's own, below TMPDIR, which ctest sets to a folder of the build tree. */
static inline char *test_folder(fixture *f) {
    const char *below = getenv("TMPDIR");
    char *folder = arena_printf(&f->mem, "%s/onyx-XXXXXX", below ? below : "/tmp");
    assert_non_null(mkdtemp(folder));
    return folder;
}

/* Skips the test if the file or folder `path` is absent; returns `path`. */
static inline const char *test_needs(const char *path) {
    if (access(path, R_OK) != 0) {
        print_message("skipped: no %s\n", path);
        skip();
    }
    return path;
}
/* A recording of the chip's netlist. */
#define TEST_RECORDED(name) test_needs(ONYX_RECORDED_DIR "/" name)
#define TEST_SHARED(name) test_needs(ONYX_SHARED_DIR "/data/" name)

#define TEST(function) cmocka_unit_test_setup_teardown(function, fixture_set_up, fixture_tear_down)

/* A part of a test program: runs the named tests in turn and returns how many failed. */
#define TEST_PART(part, ...)                                                                                 \
    int part(void) {                                                                                         \
        const struct CMUnitTest part##_tests[] = {__VA_ARGS__};                                              \
        return cmocka_run_group_tests(part##_tests, NULL, NULL);                                             \
    }

/* The program of a test file. */
#define RUN_TESTS(...) TEST_PART(main, __VA_ARGS__)

#endif
