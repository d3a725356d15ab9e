/* Selects one of several words, and finds the word that a user may have meant. */
#include "options/options.h"

uint32_t options_choose(const char *what, const char *text, const char *const *words, arena *mem,
                        diagnostics *d) {
    const char *all = "";
    for (uint32_t i = 0; words[i]; i++) {
        if (strcmp(text, words[i]) == 0)
            return i;
        all = arena_printf(mem, "%s%s%s", all, i ? ", " : "one of ", words[i]);
    }
    compile_bad_value(d, what, text, all);
    return 0;
}

bool options_nearer(const char *text, size_t length, const char *known, uint32_t *distance) {
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
