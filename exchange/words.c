/* Words of 16 bits from files of the chip's users. */
#include "exchange/exchange_int.h"

#include <ctype.h>
#include <stdlib.h>

/* Text in the form of the simulator's tools for the global buffer: a word a line, four hexadecimal digits. */
static bool read_text_words(const char *path, arena *mem, diagnostics *d, u16_vec *out) {
    size_t length = 0;
    const char *text = text_read(path, d->mem, &length, d);
    const uint32_t source = text ? diag_add_source(d, path, text, length) : 0;
    for (const char *at = text; at && *at;) {
        char *end;
        const unsigned long word = strtoul(at, &end, 16);
        const bool good = isxdigit((unsigned char)*at) && end - at <= 4 && strchr(" \t\r\n", *end);
        if (!good) {
            diag_error(d, src_at(source, (size_t)(at - text), 1), "E0970-chip-file",
                       "this is no word of up to four hexadecimal digits");
            return diag_hint(
                d,
                "words of 16 bits are in .raw (high byte first), in .leraw and .bin (low byte first), or a "
                "word a line in files without an extension");
        }
        vec_push(mem, out, (uint16_t)word);
        at = end + strspn(end, " \t\r\n");
    }
    return text != NULL;
}

bool exchange_read_words(const char *path, arena *mem, diagnostics *d, u16_vec *out) {
    size_t length = 0;
    *out = (u16_vec){0};
    if (!text_has_extension(path))
        return read_text_words(path, mem, d, out);
    const bool big = text_ends_with(path, ".raw"),
               little = text_ends_with(path, ".leraw") || text_ends_with(path, ".bin");
    if (!big && !little) {
        diag_error(d, (src_loc){0}, "E0970-chip-file", "'%s' is no file of words", path);
        return diag_hint(
            d, "words of 16 bits are in .raw (high byte first), in .leraw and .bin (low byte first), "
               "or a word a "
               "line in files without an extension");
    }
    const uint8_t *bytes = (const uint8_t *)file_read(path, mem, &length, d);
    if (!bytes)
        return false;
    if (length % 2) {
        diag_error(d, (src_loc){0}, "E0970-chip-file", "'%s' has %zu bytes: words have two each", path,
                   length);
        return diag_hint(d, "the file was cut off; write or copy it again");
    }
    for (size_t i = 0; i < length; i += 2)
        vec_push(mem, out, (uint16_t)(bytes[i] << (big ? 8 : 0) | bytes[i + 1] << (big ? 0 : 8)));
    return true;
}
