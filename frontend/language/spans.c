/* spans.c - spans of a text. */
#include "frontend/language/spans.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

fe_span fe_trimmed(fe_span s) {
    while (s.n && isspace((unsigned char)*s.at)) {
        s.at++;
        s.n--;
    }
    while (s.n && isspace((unsigned char)s.at[s.n - 1]))
        s.n--;
    return s;
}

fe_span fe_behind(fe_span s, size_t n) {
    return n < s.n ? (fe_span){s.at + n, s.n - n} : (fe_span){s.at + s.n, 0};
}

size_t fe_length_to(fe_span s, const char *ends, const char *brackets) {
    size_t n = 0, depth = 0;
    for (; n < s.n && (depth || !strchr(ends, s.at[n])); n++) {
        const char *bracket = strchr(brackets, s.at[n]);
        const bool arrow = n && s.at[n] == '>' && s.at[n - 1] == '-', is = bracket && *bracket && !arrow;
        depth += is && (bracket - brackets) % 2 == 0;
        depth -= is && depth && (bracket - brackets) % 2 == 1;
    }
    return n;
}

fe_span fe_next_item(fe_span *list, const char *brackets) {
    const size_t n = fe_length_to(*list, ",", brackets);
    const fe_span one = fe_trimmed((fe_span){list->at, n});
    *list = fe_behind(*list, n + 1);
    return one;
}
