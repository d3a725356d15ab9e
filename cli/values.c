/* Values of options, and which word a user may have meant. */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>

void cli_bad_value(cli_session *s, const char *option, const char *value, const char *want) {
    compile_bad_value(&s->diag, option, value, want);
}

uint64_t cli_whole(cli_session *s, const char *option, const char *text, uint64_t low, uint64_t high) {
    char *end = NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno || end == text || *end || text[0] == '-' || value < low || value > high)
        cli_bad_value(s, option, text,
                      arena_printf(&s->mem, "a whole number from %llu to %llu", (unsigned long long)low,
                                   (unsigned long long)high));
    return value;
}

int cli_choice(cli_session *s, const char *option, const char *text, const char *const *known) {
    const char *all = "";
    for (int i = 0; known[i]; i++) {
        if (strcmp(text, known[i]) == 0)
            return i;
        all = arena_printf(&s->mem, "%s%s%s", all, i ? ", " : "one of ", known[i]);
    }
    cli_bad_value(s, option, text, all);
    return 0;
}

bool cli_nearer(const char *text, size_t length, const char *known, uint32_t *distance) {
    enum { MOST = 24 };
    uint32_t row[3][MOST + 1], *older = row[0], *before = row[1], *now = row[2];
    size_t n = strlen(known);
    if (length > MOST || n > MOST)
        return false;
    for (uint32_t j = 0; j <= n; j++)
        before[j] = j;
    for (size_t i = 1; i <= length; i++) {
        now[0] = (uint32_t)i;
        for (size_t j = 1; j <= n; j++) {
            uint32_t change = before[j - 1] + (text[i - 1] != known[j - 1]);
            uint32_t skip = 1 + (before[j] < now[j - 1] ? before[j] : now[j - 1]);
            now[j] = change < skip ? change : skip;
            bool swapped = i > 1 && j > 1 && text[i - 1] == known[j - 2] && text[i - 2] == known[j - 1];
            if (swapped && older[j - 2] + 1 < now[j])
                now[j] = older[j - 2] + 1;
        }
        uint32_t *free_row = older;
        older = before;
        before = now;
        now = free_row;
    }
    if (before[n] >= *distance || before[n] >= length)
        return false;
    *distance = before[n];
    return true;
}

const char *cli_profile(cli_session *s, const char *text) {
    static const char *const known[] = {PNR_PROFILE, "onyx-ext", NULL};
    return known[cli_choice(s, "--profile", text, known)];
}

tile_dtype cli_dtype(cli_session *s, const char *text) {
    static const char *const known[] = {"int16", "bf16", NULL};
    return (tile_dtype)cli_choice(s, "--dtype", text, known);
}

compile_severity cli_severity_of(cli_session *s, const char *option, const char *text) {
    static const char *const known[] = {"error", "warn", "off", NULL};
    return (compile_severity)cli_choice(s, option, text, known);
}

const char *const cli_engines[] = {"sam", "cycle", "rtl", "soc", NULL};

compile_edges cli_parse_edges(cli_session *s, const char *option, const char *text, uint32_t least,
                              uint32_t most) {
    compile_edges out = {0};
    char *items = arena_strdup(&s->mem, text), *rest = NULL;
    for (char *one = strtok_r(items, ",", &rest); one; one = strtok_r(NULL, ",", &rest)) {
        char *colon = strchr(one, ':');
        uint32_t edge = (uint32_t)cli_whole(s, option, colon ? colon + 1 : one, least, most);
        if (colon) {
            *colon = '\0';
            vec_push(&s->mem, &out.along, (compile_edge){one, edge});
        } else if (out.all) {
            cli_bad_value(s, option, text, "one edge for all loops, and others as LOOP:N");
        } else {
            out.all = edge;
        }
    }
    if (!*text)
        cli_bad_value(s, option, text, "an edge");
    return out;
}
