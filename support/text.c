/* Text: printed output as a string; parts of a text. */
#include "support/support.h"

#include <stdlib.h>

const char *text_tail(const char *text, size_t length, uint32_t lines) {
    size_t at = length;
    uint32_t ends = 0;
    while (at > 0 && (ends += text[at - 1] == '\n') <= lines)
        at--;
    return text + at;
}

/* A refusal of the system is the reason, anywhere in the text; a compiler's own "error:" follows it, as "ld
 * returned 1 exit status". */
static const char *first_reason(const char *text) {
    static const char *const signs[] = {
        "No space left on device", "Disk quota exceeded", "File too large", "Cannot allocate memory",
        "Read-only file",          "cannot find",         "error:"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        const char *at = strstr(text, signs[i]);
        if (at)
            return at;
    }
    return NULL;
}

const char *file_error_line(const char *log, arena *mem) {
    size_t length = 0;
    const char *text = file_read_if_there(log, mem, &length), *error = text ? first_reason(text) : NULL,
               *begin = error ? error : text;
    while (begin > text && begin[-1] != '\n')
        begin--;
    return text ? arena_strndup(mem, begin, strcspn(begin, "\n")) : "";
}

const char *text_thousands(uint64_t n, arena *mem) {
    const char *rest = "";
    for (; n >= 1000; n /= 1000)
        rest = arena_printf(mem, ",%03u%s", (unsigned)(n % 1000), rest);
    return arena_printf(mem, "%u%s", (unsigned)n, rest);
}

void text_begin(text_out *out) {
    *out = (text_out){0};
    out->stream = open_memstream(&out->text, &out->length);
    if (!out->stream)
        out_of_memory(0);
}

char *text_end(text_out *out, arena *mem) {
    bool bad = ferror(out->stream) != 0;
    if (fclose(out->stream) != 0 || bad || !out->text) /* glibc leaves NULL where the last fit fails */
        out_of_memory(0);
    char *kept = arena_strndup(mem, out->text, out->length);
    free(out->text);
    *out = (text_out){.text = kept, .length = out->length};
    return kept;
}
