/* Selects one of several words, and lists words in texts. */
#include "options/options_int.h"

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

const char *options_join(const char *const *words, uint32_t chosen, arena *mem) {
    const char *text = "";
    for (uint32_t i = 0; words[i] && chosen >> i; i++) {
        if (chosen >> i & 1)
            text = arena_printf(mem, "%s%s%s", text,
                                !*text                              ? ""
                                : chosen >> i == 1 || !words[i + 1] ? " or "
                                                                    : ", ",
                                words[i]);
    }
    return text;
}
