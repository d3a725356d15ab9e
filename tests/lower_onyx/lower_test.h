/* lower_test.h - common to the tests of lower_onyx/: files of tests/lower_onyx/data, edited texts, dumps. */
#ifndef ONYX_TESTS_LOWER_TEST_H
#define ONYX_TESTS_LOWER_TEST_H

#include "lower_onyx/lower_onyx.h"
#include "tests/test.h"

static inline char *read_data(fixture *f, const char *name) {
    size_t length;
    char *path = arena_printf(&f->mem, "%s/tests/lower_onyx/data/%s", ONYX_SOURCE_DIR, name);
    char *text = file_read(path, &f->mem, &length, &f->diag);
    assert_non_null(text);
    return text;
}

/* The text with its first `old` replaced; `old` must occur. */
static inline char *replaced(fixture *f, const char *text, const char *old, const char *new) {
    const char *at = strstr(text, old);
    assert_non_null(at);
    return arena_printf(&f->mem, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
}

static inline char *dumped(fixture *f, const onyx_graph *g) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    lower_dump(g, out);
    fclose(out);
    char *kept = arena_strdup(&f->mem, text);
    free(text);
    return kept;
}

static inline onyx_graph *parsed_ir(fixture *f, const char *text) {
    onyx_graph *g = NULL;
    if (!lower_parse("test.onyx", text, strlen(text), &f->names, &f->diag, &g))
        print_message("%s", fixture_printed(f));
    assert_false(diag_failed(&f->diag));
    return g;
}

/* The dump without the wires, and without the inside of memory tiles. */
static inline char *outline(fixture *f, const onyx_graph *g) {
    static const char *const inside[] = {"node buffet ", "node sram ", ".buffet.", ".sram."};
    char *text = dumped(f, g), *rest = NULL;
    const char *kept = "";
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        bool skip = false;
        for (size_t i = 0; i < sizeof inside / sizeof *inside; i++)
            skip = skip || strstr(line, inside[i]) != NULL;
        char *wires = strstr(line, " data[");
        if (wires != NULL)
            *wires = '\0';
        if (!skip)
            kept = arena_printf(&f->mem, "%s%s\n", kept, line);
    }
    return arena_strdup(&f->mem, kept);
}

/* With ONYX_UPDATE set the expectation is rewritten instead: read the difference before a commit. */
static inline void expect_data(fixture *f, const char *name, const char *text) {
    if (getenv("ONYX_UPDATE") != NULL) {
        file_out out;
        char *path = arena_printf(&f->mem, "%s/tests/lower_onyx/data/%s", ONYX_SOURCE_DIR, name);
        assert_true(file_create(&out, path, &f->mem, &f->diag));
        fputs(text, out.stream);
        assert_true(file_commit(&out, &f->diag));
    }
    assert_string_equal(text, read_data(f, name));
}

/* The first diagnostic as "code: message | hint". */
static inline const char *first_message(fixture *f) {
    assert_true(f->diag.list.len > 0);
    const diagnostic *m = &f->diag.list.at[0];
    return arena_printf(&f->mem, "%s: %s | %s", m->code, m->message, m->hint == NULL ? "" : m->hint);
}

#endif
