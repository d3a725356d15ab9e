#include "tests/random/cases.h"

void case_count(case_counts *c, const char *what, const note *n) {
    uint32_t k = 0;
    while (k < c->kinds && strcmp(c->of[k].what, what) != 0)
        k++;
    BUG_IF(k == CASE_KINDS, "more than %d kinds", CASE_KINDS);
    if (k == c->kinds) {
        c->of[k].what = arena_strdup(&c->mem, what);
        c->of[k].example = case_settings(n, &c->mem);
        c->kinds++;
    }
    c->of[k].count++;
    c->total++;
}

void case_print_counts(case_counts *c) {
    bool printed[CASE_KINDS] = {false};
    for (uint32_t i = 0; i < c->kinds; i++) {
        uint32_t most = CASE_KINDS;
        for (uint32_t k = 0; k < c->kinds; k++)
            if (!printed[k] && (most == CASE_KINDS || c->of[k].count > c->of[most].count))
                most = k;
        printed[most] = true;
        printf("  %5u  %-28s %s\n", c->of[most].count, c->of[most].what, c->of[most].example);
    }
    arena_free(&c->mem);
}
