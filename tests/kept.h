/* kept.h - what a program of the tests saw, as checksums held against a file that the environment names
 * (KEPT): as flow/golden.py does with commands. It says that something has changed, not that it is wrong.
 * What each case said is written to the file that KEPT_TEXT names, so that diff shows what two programs said.
 */
#ifndef ONYX_TESTS_KEPT_H
#define ONYX_TESTS_KEPT_H

#include <stdlib.h>

#include "support/support.h"

typedef struct {
    const char *path; /* NULL: nothing is kept */
    uint32_t each, cases;
    uint64_t sum;
    text_out lines; /* a checksum for each so many cases */
    FILE *texts;
} kept_list;

static inline void kept_begin(kept_list *k, uint32_t each) {
    const char *texts = getenv("KEPT_TEXT");
    *k = (kept_list){.path = getenv("KEPT"), .each = each, .texts = texts ? fopen(texts, "w") : NULL};
    if (k->path)
        text_begin(&k->lines);
}

/* Some of what there is to see of the case at hand. */
static inline void kept_bytes(kept_list *k, const void *bytes, size_t length) {
    const uint64_t both[] = {k->sum, hash_bytes(bytes, length)};
    k->sum = hash_bytes(both, sizeof both);
    if (k->texts)
        fprintf(k->texts, "%.*s\n", (int)length, (const char *)bytes);
}

static inline void kept_text(kept_list *k, const char *text) {
    kept_bytes(k, text, strlen(text));
}

static inline void kept_end_line(kept_list *k) {
    if (k->path)
        fprintf(k->lines.stream, "%06llx\n", (unsigned long long)(k->sum & 0xffffff));
    k->sum = 0;
}

/* The case is over. */
static inline void kept_case(kept_list *k) {
    if (k->texts)
        fprintf(k->texts, "---- %u\n", k->cases);
    if (++k->cases % k->each == 0)
        kept_end_line(k);
}

/* All cases are over: whether they are as they were kept. GOLDEN=renew keeps them. */
static inline bool kept_same(kept_list *k) {
    arena mem = {0};
    diagnostics d;
    size_t length = 0;
    diag_init(&d, &mem);
    if (k->texts)
        fclose(k->texts);
    if (!k->path)
        return true;
    if (k->cases % k->each)
        kept_end_line(k);
    const char *renew = getenv("GOLDEN"), *lines = text_end(&k->lines, &mem);
    FILE *out = renew && strcmp(renew, "renew") == 0 ? fopen(k->path, "w") : NULL;
    if (out) {
        fputs(lines, out);
        fclose(out);
    }
    const char *was = file_read(k->path, &mem, &length, &d);
    const bool same = was && strcmp(was, lines) == 0;
    uint32_t line = 1;
    for (size_t i = 0; !same && was && was[i] == lines[i]; i++)
        line += was[i] == '\n';
    if (!same)
        printf("%s: line %u: not as it was kept (cases %u to %u): KEPT_TEXT=FILE writes what they said;\n"
               "what is meant: GOLDEN=renew ctest (tests/README.md)\n",
               k->path, line, (line - 1) * k->each, line * k->each - 1);
    *k = (kept_list){.each = k->each}; /* what comes now is kept no more */
    arena_free(&mem);
    return same;
}

#endif
