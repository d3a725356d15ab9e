/* Selects one of several words, and finds the word closest to a misspelt one. */
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
