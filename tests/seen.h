/* seen.h - texts that a test program saw, case by case, written to the file cases.txt of the folder that the
 * environment names (SEEN). A later run with the same folder fails where its texts differ from the file.
 * Without SEEN nothing is written. record/behaviour.py does the same for commands.
 */
#ifndef ONYX_TESTS_SEEN_H
#define ONYX_TESTS_SEEN_H

#include <stdlib.h>
#include <unistd.h>

#include "support/support.h"

typedef struct {
    char path[4096], before[4096]; /* the file, and the file of an earlier run, or "" */
    uint32_t cases;
    FILE *texts; /* NULL: nothing is written */
} seen_list;

static inline void seen_begin(seen_list *s) {
    const char *folder = getenv("SEEN");
    *s = (seen_list){.cases = 0};
    if (!folder)
        return;
    snprintf(s->path, sizeof s->path, "%s/cases.txt", folder);
    if (access(s->path, R_OK) == 0) {
        snprintf(s->before, sizeof s->before, "%s", s->path);
        snprintf(s->path, sizeof s->path, "%s/cases.now", folder);
    }
    s->texts = fopen(s->path, "w");
}

/* Records a part of the current case's result. */
static inline void seen_bytes(seen_list *s, const void *bytes, size_t length) {
    if (s->texts) {
        fwrite(bytes, 1, length, s->texts);
        fputc('\n', s->texts);
    }
}

static inline void seen_text(seen_list *s, const char *text) {
    seen_bytes(s, text, strlen(text));
}

/* The case is over. */
static inline void seen_case(seen_list *s) {
    if (s->texts)
        fprintf(s->texts, "---- %u\n", s->cases);
    s->cases++;
}

/* All cases are over. Returns false if an earlier run wrote other texts; later texts are not written. */
static inline bool seen_same(seen_list *s) {
    arena mem = {0};
    diagnostics d;
    size_t length = 0, length_before = 0;
    bool same = true;
    diag_init(&d, &mem);
    if (s->texts && fclose(s->texts) == 0 && s->before[0]) {
        const char *now = file_read(s->path, &mem, &length, &d);
        const char *before = file_read(s->before, &mem, &length_before, &d);
        same = now && before && length == length_before && memcmp(now, before, length) == 0;
        if (!same)
            printf("%s and %s differ\n", s->before, s->path);
    }
    *s = (seen_list){.cases = s->cases};
    arena_free(&mem);
    return same;
}

#endif
