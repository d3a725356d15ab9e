/* Any bytes as formats and schedules: the first line is the number of an expression below, every other line a
 * format ("B:ss") or, after a blank, a schedule (" reorder(i,j)"). */
#include "tests/fuzz/statement.h"

static const char *const expressions[] = {
    "X(i,j) = B(i,k) * C(k,j)",
    "y(i) = b(i) - A(i,j) * x(j)",
    "X(i,j) = B(i,j) + C(i,j) + D(i,j)",
    "A(i,j) = B(i,k,l) * C(k,j) * D(l,j)",
    "a = b(i) * c(i)",
    "X(i,j,k) = B(i,j,k) * c + D(i,j,k)",
    "X(i,j) = B(i,j) * C(i,k) * D(k,j)",
    "y(i) = 2 * b(i) + sum(j, A(i,j) * x(j))",
};

enum { MAX_LINES = 32 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_run r;
    const char *formats[MAX_LINES], *schedule[MAX_LINES];
    fuzz_begin(&r);
    char *line = arena_strndup(&r.mem, (const char *)data, size);
    fe_in in = {.expression =
                    expressions[(unsigned char)line[0] % (sizeof expressions / sizeof *expressions)],
                .formats = formats,
                .schedule = schedule};
    for (line = strchr(line, '\n'); line && in.n_formats < MAX_LINES && in.n_schedule < MAX_LINES;
         line = strchr(line, '\n')) {
        *line++ = '\0';
        if (*line == ' ')
            schedule[in.n_schedule++] = line + 1;
        else if (*line && *line != '\n')
            formats[in.n_formats++] = line;
    }
    fuzz_statement(&r, &in);
    arena_free(&r.mem);
    return 0;
}
