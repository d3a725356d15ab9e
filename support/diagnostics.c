/* Diagnostics: collected in order. diagnostics_print.c prints them. */
#include "support/number.h"
#include "support/support.h"

void diag_init(diagnostics *d, arena *mem) {
    *d = (diagnostics){.mem = mem};
}

uint32_t diag_add_source(diagnostics *d, const char *name, const char *text, size_t length) {
    vec_push(d->mem, &d->sources, (src_text){arena_strdup(d->mem, name), text, length});
    return d->sources.len;
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

uint32_t diag_failures(const diagnostics *d) {
    return d->errors + d->unmappable + d->mismatches;
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
    d->left_out += d->dropped && kind == DIAG_WARNING;
    if (d->dropped || (kind == DIAG_NOTE && full))
        return;
    const char *message = format_message(d->mem, format, args);
    vec_push(d->mem, &d->list, (diagnostic){kind, DIAG_REFUSED_NONE, code, loc, message, NULL});
}

#define DIAG_FUNCTION(name, kind)                                                                            \
    void name(diagnostics *d, src_loc loc, const char *code, const char *format, ...) {                      \
        va_list args;                                                                                        \
        va_start(args, format);                                                                              \
        diag_add(d, kind, loc, code, format, args);                                                          \
        va_end(args);                                                                                        \
    }
DIAG_FUNCTION(diag_error, DIAG_ERROR)
DIAG_FUNCTION(diag_unmappable, DIAG_UNMAPPABLE)
DIAG_FUNCTION(diag_mismatch, DIAG_MISMATCH)
DIAG_FUNCTION(diag_warning, DIAG_WARNING)

void diag_note(diagnostics *d, src_loc loc, const char *format, ...) {
    va_list args;
    va_start(args, format);
    diag_add(d, DIAG_NOTE, loc, "", format, args);
    va_end(args);
}

void diag_hint(diagnostics *d, const char *format, ...) {
    va_list args;
    va_start(args, format);
    for (uint32_t i = d->dropped ? 0 : d->list.len; i-- > 0;) {
        if (d->list.at[i].kind != DIAG_NOTE) {
            d->list.at[i].hint = format_message(d->mem, format, args);
            break;
        }
    }
    va_end(args);
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
