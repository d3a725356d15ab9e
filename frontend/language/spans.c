/* spans.c - parts of a text. */
#include "frontend/language/spans.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

fe_part fe_trimmed(fe_part s) {
    while (s.n && isspace((unsigned char)*s.at)) {
        s.at++;
        s.n--;
    }
    while (s.n && isspace((unsigned char)s.at[s.n - 1]))
        s.n--;
    return s;
}

fe_part fe_behind(fe_part s, size_t n) {
    return n < s.n ? (fe_part){s.at + n, s.n - n} : (fe_part){s.at + s.n, 0};
}

size_t fe_length_to(fe_part s, const char *ends, const char *brackets) {
    size_t n = 0, depth = 0;
    for (; n < s.n && (depth || !strchr(ends, s.at[n])); n++) {
        const char *bracket = strchr(brackets, s.at[n]);
        const bool arrow = n && s.at[n] == '>' && s.at[n - 1] == '-', is = bracket && *bracket && !arrow;
        depth += is && (bracket - brackets) % 2 == 0;
        depth -= is && depth && (bracket - brackets) % 2 == 1;
    }
    return n;
}

fe_part fe_next_item(fe_part *list, const char *brackets) {
    const size_t n = fe_length_to(*list, ",", brackets);
    const fe_part one = fe_trimmed((fe_part){list->at, n});
    *list = fe_behind(*list, n + 1);
    return one;
}
