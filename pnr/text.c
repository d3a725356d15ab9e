/* Lines of words, as the chip's own flow writes them. */
#include "pnr/text.h"

#include <ctype.h>

static bool is_separator(char c) {
    return c == ':' || c == ' ' || c == '\t' || c == ',' || c == '(' || c == ')' || c == '\r';
}

bool pnr_reader_open(pnr_reader *r, const char *path, const char *code, arena *mem, diagnostics *d) {
    size_t length = 0;
    char *text = text_read(path, d->mem, &length, d);
    if (!text)
        return false;
    *r = (pnr_reader){
        .text = text, .next = text, .start = text, .end = text + length, .d = d, .mem = mem, .code = code};
    r->source = diag_add_source(d, path, text, length);
    const char *zero = memchr(text, '\0', length);
    if (zero) /* a name would end there */
        diag_error(d, src_at(r->source, (size_t)(zero - text), 1), code, "a zero byte is no text");
    return !zero;
}

bool pnr_read_line(pnr_reader *r) {
    if (r->next == r->end)
        return false;
    r->words.len = 0;
    r->start = r->next;
    const char *p = r->next;
    while (p < r->end && *p != '\n') {
        const char *begin = p;
        while (p < r->end && *p != '\n' && !is_separator(*p))
            p++;
        if (p > begin)
            vec_push(r->mem, &r->words, (pnr_word){begin, (size_t)(p - begin)});
        else
            p++;
    }
    r->next = p < r->end ? p + 1 : p;
    return true;
}

src_loc pnr_line_loc(const pnr_reader *r, pnr_word w) {
    return src_at(r->source, (size_t)(w.at - r->text), w.length);
}

bool pnr_wrong(const pnr_reader *r, pnr_word at, const char *message) {
    return diag_error(r->d, pnr_line_loc(r, at), r->code, "%s", message);
}

pnr_word pnr_line_word(const pnr_reader *r) {
    size_t length = (size_t)(r->next - r->start);
    return (pnr_word){r->start, length > 1 ? length - 1 : 1};
}

bool pnr_word_is(pnr_word w, const char *text) {
    return strlen(text) == w.length && memcmp(w.at, text, w.length) == 0;
}

bool pnr_word_number(pnr_word w, uint32_t *out) {
    uint64_t value = 0;
    for (size_t i = 0; i < w.length; i++) {
        if (!isdigit((unsigned char)w.at[i]) || value > UINT32_MAX)
            return false;
        value = value * 10 + (uint64_t)(w.at[i] - '0');
    }
    *out = (uint32_t)value;
    return w.length > 0 && value <= UINT32_MAX;
}

bool pnr_word_block(pnr_word w, char *tag, uint32_t *number) {
    *tag = w.length ? w.at[0] : '\0';
    return w.length > 1 && isalpha((unsigned char)*tag) &&
           pnr_word_number((pnr_word){w.at + 1, w.length - 1}, number);
}
