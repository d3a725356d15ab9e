/* vectors.h - recordings of the reference tiles (../shared/data/dense_vectors), a line for each. */
#ifndef ONYX_TESTS_DENSE_VECTORS_H
#define ONYX_TESTS_DENSE_VECTORS_H

#include "tests/test.h"
#include "tiling/containers.h"

typedef void vector_check(fixture *f, const cJSON *one, uint32_t number, void *of);

static inline const uint8_t *inflate_vectors(fixture *f, const char *name, size_t *length) {
    const char *path = arena_printf(&f->mem, "%s/data/dense_vectors/%s.jsonl.gz", ONYX_SHARED_DIR, name);
    tile_bytes text = {path, (const uint8_t *)file_read(path, &f->mem, length, &f->diag), *length};
    assert_non_null(text.at);
    assert_true(tile_gunzip(text, &f->mem, &f->diag, &text));
    *length = text.length;
    return text.at;
}

/* Calls `check` for each line. Returns the number of lines. */
static inline uint32_t each_vector(fixture *f, const char *name, vector_check *check, void *of) {
    size_t length = 0;
    const char *text = (const char *)inflate_vectors(f, name, &length);
    uint32_t lines = 0;
    for (const char *at = text, *end; at < text + length; at = end + 1, lines++) {
        end = memchr(at, '\n', (size_t)(text + length - at));
        end = end ? end : text + length;
        cJSON *one = json_parse(name, at, (size_t)(end - at), &f->diag);
        assert_non_null(one);
        check(f, one, lines, of);
        cJSON_Delete(one);
    }
    return lines;
}

static inline uint32_t number_at(const cJSON *list, int i) {
    return (uint32_t)(int64_t)cJSON_GetArrayItem(list, i)->valuedouble;
}

#endif
