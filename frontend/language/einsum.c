/* einsum.c - NumPy's einsum strings as expressions: operands are t0, t1, ..., the result is x. Without an
 * arrow the result has the indices that occur once, in the order of the alphabet, as with NumPy. */
#include "frontend/language/einsum.h"

#include <ctype.h>
#include <string.h>

typedef struct {
    const char *text;
    uint32_t source;
    arena *mem;
    diagnostics *d;
    uint32_t count[UINT8_MAX + 1]; /* how often operands have the letter */
} einsum;

bool fe_is_einsum(const char *text) {
    const size_t letters = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ,. ");
    const char *rest = text + letters;
    return strncmp(rest, "->", 2) == 0 || (!*rest && strchr(text, ',') != NULL);
}

static const char *refuse(const einsum *e, const char *at, const char *what, const char *hint) {
    const size_t offset = (size_t)(at - e->text);
    diag_error(e->d, src_at(e->source, offset, 1), "E0186-einsum", "%s", what);
    diag_hint(e->d, "%s", hint);
    return NULL;
}

/* Adds the indices up to the end of an operand, or of the result, to *out. NULL after an error. */
static const char *take_indices(einsum *e, const char *at, bool counts, const char **out) {
    const char *list = "";
    for (; *at && *at != ',' && *at != '-'; at++) {
        if (*at == ' ')
            continue;
        if (!isalpha((unsigned char)*at))
            return refuse(e, at, "an einsum string has letters, commas and ->",
                          "onyx.einsum of Python takes an ellipsis: the orders of operands are known there");
        list = arena_printf(e->mem, "%s%s%c", list, *list ? "," : "", *at);
        e->count[(unsigned char)*at] += counts;
    }
    *out = *list ? arena_printf(e->mem, "(%s)", list) : "";
    return at;
}

/* The indices of a result without an arrow. */
static const char *implied(const einsum *e) {
    const char *list = "";
    for (uint32_t c = 0; c <= UINT8_MAX; c++) {
        if (e->count[c] == 1)
            list = arena_printf(e->mem, "%s%s%c", list, *list ? "," : "", (char)c);
    }
    return *list ? arena_printf(e->mem, "(%s)", list) : "";
}

/* Checks the result's indices, from `at` on. */
static bool check_result(const einsum *e, const char *at) {
    bool seen[UINT8_MAX + 1] = {0};
    for (; *at; at++) {
        const unsigned char c = (unsigned char)*at;
        if (!isalpha(c))
            continue;
        if (!e->count[c])
            return refuse(e, at, "no operand has this index of the result",
                          "each index of the result is an operand's");
        if (seen[c])
            return refuse(e, at, "the result has this index twice", "write x(i,i) = ... for a diagonal");
        seen[c] = true;
    }
    return true;
}

const char *fe_einsum(const char *text, arena *mem, diagnostics *d) {
    einsum e = {.text = arena_strndup(mem, text, strlen(text)), .mem = mem, .d = d};
    e.source = diag_add_source(d, "<einsum>", e.text, strlen(text));
    const char *at = e.text, *right = "", *one, *result;
    uint32_t operands = 0;
    do {
        at = take_indices(&e, at + (operands > 0), true, &one);
        if (!at)
            return NULL;
        right = arena_printf(mem, "%s%st%u%s", right, operands ? " * " : "", operands, one);
        operands++;
    } while (*at == ',');
    if (!*at)
        return arena_printf(mem, "x%s = %s", implied(&e), right);
    if (at[1] != '>')
        return refuse(&e, at, "an einsum string has letters, commas and ->", "for example ij,jk->ik");
    const char *end = take_indices(&e, at + 2, false, &result);
    if (!end || !check_result(&e, at + 2))
        return NULL;
    if (*end)
        return refuse(&e, end, "an einsum string ends with the indices of the result",
                      "for example ij,jk->ik");
    return arena_printf(mem, "x%s = %s", result, right);
}
