/* elf_segments.h - segments that a debugger loads from a program of fw_build, read by the ELF specification
 * and without the readers under test. */
#ifndef ONYX_TESTS_ELF_SEGMENTS_H
#define ONYX_TESTS_ELF_SEGMENTS_H

#include "tests/test.h"

typedef struct {
    uint32_t address, bytes; /* physical */
    const uint8_t *content;
} elf_segment;
typedef VEC(elf_segment) elf_segments;

/* The loadable segments that hold something. */
static inline elf_segments elf_segments_of(fixture *f, const char *path) {
    enum { PHOFF = 28, PHNUM = 44, PHDR_BYTES = 32, PT_LOAD_KIND = 1 };
    elf_segments all = {0};
    size_t length = 0;
    const uint8_t *e = (const uint8_t *)file_read(path, &f->mem, &length, &f->diag);
    assert_non_null(e);
    for (uint32_t i = 0; i < e[PHNUM]; i++) {
        const uint8_t *p = e + file_u32_at(e + PHOFF) + PHDR_BYTES * i;
        const elf_segment s = {file_u32_at(p + 12), file_u32_at(p + 16), e + file_u32_at(p + 4)};
        if (file_u32_at(p) == PT_LOAD_KIND && s.bytes)
            vec_push(&f->mem, &all, s);
    }
    return all;
}

#endif
