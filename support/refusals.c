/* Refusals: their codes are made of their keys (refusals.def). */
#include "support/refusals.h"

static const char *const codes[] = {
    NULL,
#define REFUSAL(key, code) code,
#include "support/refusals.def"
#undef REFUSAL
};

bool diag_refuse(diagnostics *d, diag_kind kind, diag_refusal what, src_loc loc, const char *format, ...) {
    const uint32_t before = d->list.len;
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = arena_alloc(d->mem, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    if (kind == DIAG_ERROR)
        diag_error(d, loc, codes[what], "%s", text);
    else if (kind == DIAG_WARNING)
        diag_warning(d, loc, codes[what], "%s", text);
    else
        diag_unmappable(d, loc, codes[what], "%s", text);
    if (d->list.len > before)
        d->list.at[before].refusal = what;
    return false;
}
