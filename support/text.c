/* Text: printed output as a string; pieces of a text. */
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

bool text_nearer(const char *text, size_t length, const char *known, uint32_t *distance) {
    enum { MOST = 24 };
    uint32_t row[3][MOST + 1], *older = row[0], *before = row[1], *now = row[2];
    size_t n = strlen(known);
    if (length > MOST || n > MOST)
        return false;
    for (uint32_t j = 0; j <= n; j++)
        before[j] = j;
    for (size_t i = 1; i <= length; i++) {
        now[0] = (uint32_t)i;
        for (size_t j = 1; j <= n; j++) {
            uint32_t change = before[j - 1] + (text[i - 1] != known[j - 1]);
            uint32_t skip = 1 + (before[j] < now[j - 1] ? before[j] : now[j - 1]);
            now[j] = change < skip ? change : skip;
            bool swapped = i > 1 && j > 1 && text[i - 1] == known[j - 2] && text[i - 2] == known[j - 1];
            if (swapped && older[j - 2] + 1 < now[j])
                now[j] = older[j - 2] + 1;
        }
        uint32_t *free_row = older;
        older = before;
        before = now;
        now = free_row;
    }
    if (before[n] >= *distance || before[n] >= length)
        return false;
    *distance = before[n];
    return true;
}

void text_put_escaped(const char *text, FILE *out) {
    static const struct {
        char sign;
        const char *name;
    } special[] = {{'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'"', "&quot;"}};
    for (; *text; text++) {
        uint32_t i = 0;
        while (i < sizeof special / sizeof *special && special[i].sign != *text)
            i++;
        if (i < sizeof special / sizeof *special)
            fputs(special[i].name, out);
        else
            fputc(*text, out);
    }
}
