/* Less of a set, less of a text. */
#include "cli/shrink.h"

#include <ctype.h>

/* ---- sets ------------------------------------------------------------------------------------- */

/* Removes chunks of `size` of the kept things; returns whether any was removed. */
static bool leave_out(uint32_t n, bool *keep, uint32_t size, bool *candidate, shrink_set_test *test,
                      void *to) {
    bool any = false;
    for (uint32_t at = 0; at < n;) {
        uint32_t remaining = size, end = at;
        memcpy(candidate, keep, n * sizeof *keep);
        for (; end < n && remaining; end++) {
            remaining -= keep[end];
            candidate[end] = false;
        }
        if (remaining < size && test(to, candidate)) {
            memcpy(keep, candidate, n * sizeof *keep);
            any = true;
        }
        at = end;
    }
    return any;
}

static uint32_t count(uint32_t n, const bool *keep) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++)
        kept += keep[i];
    return kept;
}

void shrink_set(uint32_t n, bool *keep, shrink_set_test *test, void *to) {
    arena scratch = {0};
    bool *candidate = arena_new_n(&scratch, bool, n + 1);
    uint32_t size = count(n, keep);
    while (size) {
        bool any = leave_out(n, keep, size, candidate, test, to);
        const uint32_t kept = count(n, keep);
        if (size == 1 && !any)
            break;
        size = size > 1 ? (size + 1) / 2 : size;
        size = size < kept ? size : kept;
    }
    arena_free(&scratch);
}

/* ---- texts ------------------------------------------------------------------------------------ */

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

text_vec shrink_tokens(const char *text, arena *mem) {
    text_vec tokens = {0};
    while (*text) {
        size_t length = 1;
        while (is_word(*text) && is_word(text[length]))
            length++;
        if (!isspace((unsigned char)*text))
            vec_push(mem, &tokens, arena_strndup(mem, text, length));
        text += length;
    }
    return tokens;
}

/* Returns 1 for an opening bracket, -1 for a closing bracket. */
static int depth_of(const char *token) {
    return strchr("([{", *token) ? 1 : strchr(")]}", *token) ? -1 : 0;
}

static bool is_sign(const char *token) {
    return !is_word(*token) && depth_of(token) == 0;
}

/* Returns whether the tokens from `at` up to `end` hold brackets in pairs only. */
static bool is_balanced(const text_vec *t, uint32_t at, uint32_t end) {
    int depth = 0;
    for (uint32_t i = at; i < end && depth >= 0; i++)
        depth += depth_of(t->at[i]);
    return depth == 0;
}

/* Returns the closing bracket for the opening bracket at `at`; t->len if missing. */
static uint32_t closing(const text_vec *t, uint32_t at) {
    int depth = 0;
    for (uint32_t i = at; i < t->len; i++) {
        depth += depth_of(t->at[i]);
        if (depth == 0)
            return i;
    }
    return t->len;
}

/* Joins the tokens except [at, end) and the token at `besides`; blanks separate words. */
static const char *join(const text_vec *t, uint32_t at, uint32_t end, uint32_t besides, arena *mem) {
    const char *text = "";
    bool word = false;
    for (uint32_t i = 0; i < t->len; i++) {
        if ((i >= at && i < end) || i == besides)
            continue;
        const bool parted = word && is_word(*t->at[i]);
        text = arena_printf(mem, "%s%s%s", text, parted ? " " : "", t->at[i]);
        word = is_word(*t->at[i]);
    }
    return text;
}

/* A text on its way. */
typedef struct {
    text_vec tokens;
    const char *best;
    shrink_text_test *test;
    void *to;
    arena *mem;
} shrinking;

static bool holds(shrinking *s, uint32_t at, uint32_t end, uint32_t besides) {
    const char *candidate = join(&s->tokens, at, end, besides, s->mem);
    if (!s->test(s->to, candidate))
        return false;
    s->best = candidate;
    s->tokens = shrink_tokens(candidate, s->mem);
    return true;
}

/* Tries to remove every piece of `length` tokens; returns whether a piece was removed. */
static bool leave_out_piece(shrinking *s, uint32_t length) {
    for (uint32_t at = 0; at + length <= s->tokens.len; at++) {
        const text_vec *t = &s->tokens;
        const uint32_t end = at + length;
        const bool piece = is_sign(t->at[at]) != is_sign(t->at[end - 1]) || length == 1;
        if (piece && is_balanced(t, at, end) && holds(s, at, end, t->len))
            return true;
        /* This bracket's closing bracket is the last token of a piece of this length; a name in front goes
         along.
         */
        const uint32_t last = depth_of(t->at[at]) == 1 ? closing(t, at) : t->len;
        const bool named = at > 0 && is_word(*t->at[at - 1]);
        if (last + 1 == end && last < t->len && holds(s, named ? at - 1 : at, at + 1, last))
            return true;
    }
    return false;
}

const char *shrink_text(const char *text, shrink_text_test *test, void *to, arena *mem) {
    shrinking s = {shrink_tokens(text, mem), text, test, to, mem};
    for (uint32_t length = s.tokens.len; length > 0;)
        length = leave_out_piece(&s, length) ? s.tokens.len : length - 1;
    return s.best;
}
