/* Coordinates computed of indices. */
#include "frontend/language/subscripts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

size_t fe_word_length(fe_span s) {
    size_t n = 0;
    while (n < s.n && (isalnum((unsigned char)s.at[n]) || (n && s.at[n] == '_')))
        n++;
    return s.n && isalpha((unsigned char)*s.at) ? n : 0;
}

bool fe_split_call(fe_span s, fe_span *name, fe_span *inside, fe_span *rest) {
    const size_t n = fe_word_length(s);
    *name = (fe_span){s.at, n};
    *rest = fe_behind(s, n);
    while (n && rest->n && *rest->at == ' ')
        *rest = fe_behind(*rest, 1);
    if (!n || !rest->n || *rest->at != '(')
        return false;
    *inside = fe_behind(*rest, 1);
    inside->n = fe_length_to(*inside, ")", "()");
    *rest = fe_behind(*rest, inside->n + 2);
    return true;
}

/* Reads a product of a number and a variable, or one of them, with a sign. */
static bool read_term(fe_span term, long sign, fe_subscript *out) {
    long times = sign;
    fe_span v = {NULL, 0};
    while (term.n) {
        const fe_span factor = fe_trimmed((fe_span){term.at, fe_length_to(term, "*", "()")});
        term = fe_behind(term, fe_length_to(term, "*", "()") + 1);
        char *end = NULL;
        const long number = factor.n && isdigit((unsigned char)*factor.at) ? strtol(factor.at, &end, 10) : 0;
        if (end == factor.at + factor.n && number < INT16_MAX && labs(times) < INT16_MAX)
            times *= number;
        else if (!v.at && factor.n && fe_word_length(factor) == factor.n)
            v = factor;
        else
            return false;
    }
    if (v.at && out->n == SAM_MAX_ORDER - 1)
        return false;
    out->more += v.at ? 0 : times;
    out->var[out->n] = v;
    out->times[out->n] = times;
    out->n += v.at != NULL;
    return true;
}

bool fe_read_subscript(fe_span argument, fe_subscript *out) {
    long sign = 1;
    *out = (fe_subscript){.n = 0};
    while (argument.n) {
        const size_t n = fe_length_to(argument, "+-", "()");
        const fe_span term = fe_trimmed((fe_span){argument.at, n});
        if (!term.n || !read_term(term, sign, out))
            return false;
        sign = n < argument.n && argument.at[n] == '-' ? -1 : 1;
        argument = fe_behind(argument, n + 1);
        if (n && sign < 0 && !argument.n)
            return false;
    }
    return out->n > 0;
}

bool fe_same(fe_span a, fe_span b) {
    return a.n == b.n && (a.n == 0 || memcmp(a.at, b.at, a.n) == 0);
}

bool fe_is(fe_span a, const char *text) {
    return fe_same(a, (fe_span){text, strlen(text)});
}

const char *fe_text_of(fe_span span, arena *mem) {
    return arena_strndup(mem, span.at, span.n);
}

bool fe_next_command(fe_span *text, fe_span *all, fe_span *name, fe_span *inside) {
    fe_span rest;
    while (text->n && strchr(",; \t\r\n", *text->at))
        *text = fe_behind(*text, 1);
    if (!fe_split_call(*text, name, inside, &rest))
        return false;
    *all = (fe_span){text->at, text->n - rest.n};
    *text = rest;
    return true;
}

bool fe_has_word(const char *text, fe_span word) {
    bool has = false;
    for (fe_span rest = {text, strlen(text)}; rest.n && !has;) {
        const size_t n = fe_word_length(rest);
        has = n && fe_same((fe_span){rest.at, n}, word);
        rest = fe_behind(rest, n ? n : 1);
    }
    return has;
}
