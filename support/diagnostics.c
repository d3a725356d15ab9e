/* Diagnostics: collected in order. diagnostics_print.c prints them. */
#include "support/number.h"
#include "support/support.h"
#include "support/trial.h"

#include <ctype.h>
#include <string.h>

void diag_init(diagnostics *d, arena *mem) {
    *d = (diagnostics){.mem = mem};
}

static uint32_t add_text(diagnostics *d, const char *name, const char *text, size_t length) {
    vec_push(d->mem, &d->sources,
             ((src_text){.name = arena_strdup(d->mem, name), .text = text, .length = length}));
    return d->sources.len;
}

uint32_t diag_add_source(diagnostics *d, const char *name, const char *text, size_t length) {
    for (uint32_t i = 0; i < d->sources.len; i++) {
        const src_text *one = &d->sources.at[i];
        if (!one->typed.source && one->length == length && strcmp(one->name, name) == 0 &&
            memcmp(one->text, text, length) == 0)
            return i + 1;
    }
    return add_text(d, name, text, length);
}

uint32_t diag_add_rewritten(diagnostics *d, const char *name, const char *text, src_loc typed) {
    const uint32_t source = add_text(d, name, text, strlen(text));
    d->sources.at[source - 1].typed = typed;
    return source;
}
src_loc src_at(uint32_t source, size_t offset, size_t length) {
    return (src_loc){source, (uint32_t)offset, length ? (uint32_t)length : 1};
}

static const char *format_message(arena *mem, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int length = number_text_of(NULL, 0, format, again);
    va_end(again);
    char *text = arena_alloc(mem, (size_t)length + 1);
    number_text_of(text, (size_t)length + 1, format, args);
    return text;
}

void diag_return_to(diagnostics *d, const diagnostics *before) {
    diagnostics now = *before;
    now.list.cap = now.list.len; /* a message more moves the list */
    now.sources.at = d->sources.at;
    now.sources.len = d->sources.len;
    now.sources.cap = d->sources.cap;
    now.inputs = d->inputs;
    now.made = d->made;
    *d = now;
}

diagnostics diag_set_aside(diagnostics *d) {
    const diagnostics before = *d;
    diag_return_to(d, &(diagnostics){.mem = d->mem});
    return before;
}

uint32_t diag_failures(const diagnostics *d) {
    return d->errors + d->unmappable + d->mismatches;
}

/* ---- places in texts that were made of others --------------------------------------------------- */

typedef VEC(src_loc) words;

/* Finds the names and numbers of a piece of a text. */
static words split_words(arena *mem, const src_text *s, uint32_t from, uint32_t end) {
    words out = {0};
    while (from < end) {
        uint32_t n = 1;
        while (isalnum((unsigned char)s->text[from]) && from + n < end &&
               isalnum((unsigned char)s->text[from + n]))
            n++;
        if (isalnum((unsigned char)s->text[from]))
            vec_push(mem, &out, ((src_loc){0, from, n}));
        from += n;
    }
    return out;
}

/* Returns for each word of `made` the place of the same word in `typed`, plus 1, in a longest common sequence
 * of words; 0: none. O(words * words). */
static uint32_t *match_words(arena *mem, const src_text *made, const words *a, const src_text *typed,
                             const words *b) {
    const size_t width = (size_t)b->len + 1;
    uint16_t *most = arena_new_n(mem, uint16_t, (a->len + (size_t)1) * width);
    uint32_t *match = arena_new_n(mem, uint32_t, a->len + (size_t)1);
#define SAME(i, k)                                                                                           \
    (a->at[i].length == b->at[k].length &&                                                                   \
     memcmp(made->text + a->at[i].offset, typed->text + b->at[k].offset, a->at[i].length) == 0)
    for (uint32_t i = a->len; i-- > 0;) {
        for (uint32_t k = b->len; k-- > 0;) {
            const uint16_t down = most[(i + 1) * width + k], right = most[i * width + k + 1];
            most[i * width + k] = SAME(i, k)     ? (uint16_t)(most[(i + 1) * width + k + 1] + 1)
                                  : down > right ? down
                                                 : right;
        }
    }
    for (uint32_t i = 0, k = 0; i < a->len && k < b->len;) {
        if (SAME(i, k))
            match[i++] = ++k;
        else if (most[(i + 1) * width + k] >= most[i * width + k + 1])
            i++;
        else
            k++;
    }
#undef SAME
    return match;
}

/* Returns the place of the words that the user wrote; where there are none, all of the user's text. */
static src_loc typed_place(const diagnostics *d, src_loc loc) {
    enum { WORDS = 2000 };
    const src_text *made = loc.source && loc.source <= d->sources.len ? &d->sources.at[loc.source - 1] : NULL;
    if (!made || !made->typed.source)
        return loc;
    const src_loc whole = made->typed;
    const src_text *typed = &d->sources.at[whole.source - 1];
    const words a = split_words(d->mem, made, 0, (uint32_t)made->length),
                b = split_words(d->mem, typed, whole.offset, whole.offset + whole.length);
    if (a.len > WORDS || b.len > WORDS)
        return typed_place(d, whole);
    const uint32_t *match = match_words(d->mem, made, &a, typed, &b);
    src_loc out = {0};
    for (uint32_t i = 0; i < a.len; i++) {
        const bool inside =
            a.at[i].offset + a.at[i].length > loc.offset && a.at[i].offset < loc.offset + loc.length;
        const src_loc at = inside && match[i] ? b.at[match[i] - 1] : (src_loc){0};
        if (at.length && !out.source)
            out = (src_loc){whole.source, at.offset, at.length};
        else if (at.length)
            out.length = at.offset + at.length - out.offset;
    }
    const uint32_t end = loc.offset + loc.length, last = out.offset + out.length;
    if (out.source && end <= made->length && made->text[end - 1] == ')' && last < typed->length &&
        typed->text[last] == ')')
        out.length++;
    return typed_place(d, out.source ? out : whole);
}

static void diag_add(diagnostics *d, diag_kind kind, src_loc loc, const char *code, const char *format,
                     va_list args) {
    uint32_t before = diag_failures(d);
    if (kind == DIAG_ERROR)
        d->errors++;
    if (kind == DIAG_UNMAPPABLE)
        d->unmappable++;
    if (kind == DIAG_MISMATCH)
        d->mismatches++;
    if (kind == DIAG_WARNING)
        d->warnings++;
    const bool full = d->list.len >= DIAG_MAX_KEPT, failure = diag_failures(d) > before;
    if (kind != DIAG_NOTE)
        d->dropped = failure ? before >= DIAG_MAX_ERRORS : full;
    d->omitted += d->dropped && kind == DIAG_WARNING;
    if (d->dropped || (kind == DIAG_NOTE && full))
        return;
    const char *message = format_message(d->mem, format, args);
    vec_push(d->mem, &d->list,
             (diagnostic){kind, DIAG_REFUSED_NONE, code, typed_place(d, loc), message, NULL});
}

#define DIAG_FUNCTION(name, kind)                                                                            \
    bool name(diagnostics *d, src_loc loc, const char *code, const char *format, ...) {                      \
        va_list args;                                                                                        \
        va_start(args, format);                                                                              \
        diag_add(d, kind, loc, code, format, args);                                                          \
        va_end(args);                                                                                        \
        return false;                                                                                        \
    }
DIAG_FUNCTION(diag_error, DIAG_ERROR)
DIAG_FUNCTION(diag_unmappable, DIAG_UNMAPPABLE)
DIAG_FUNCTION(diag_mismatch, DIAG_MISMATCH)
DIAG_FUNCTION(diag_warning, DIAG_WARNING)

bool diag_note(diagnostics *d, src_loc loc, const char *format, ...) {
    va_list args;
    va_start(args, format);
    diag_add(d, DIAG_NOTE, loc, "", format, args);
    va_end(args);
    return false;
}

bool diag_hint(diagnostics *d, const char *format, ...) {
    va_list args;
    va_start(args, format);
    for (uint32_t i = d->dropped ? 0 : d->list.len; i-- > 0;) {
        if (d->list.at[i].kind != DIAG_NOTE) {
            d->list.at[i].hint = format_message(d->mem, format, args);
            break;
        }
    }
    va_end(args);
    return false;
}

bool diag_line_col(const diagnostics *d, src_loc loc, uint32_t *line, uint32_t *col) {
    if (!loc.source || loc.source > d->sources.len)
        return false;
    const src_text *s = &d->sources.at[loc.source - 1];
    *line = *col = 1;
    for (size_t i = 0; i < loc.offset && i < s->length; i++) {
        (*col)++;
        if (s->text[i] == '\n') {
            (*line)++;
            *col = 1;
        }
    }
    return true;
}
