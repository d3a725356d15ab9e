/* Words of 16 bits from files of the chip's users. */
#include "exchange/exchange_int.h"

static bool ends_with(const char *path, const char *end) {
    const size_t length = strlen(path), n = strlen(end);
    return length > n && strcmp(path + length - n, end) == 0;
}

bool exchange_read_words(const char *path, arena *mem, diagnostics *d, u16_vec *out) {
    size_t length = 0;
    const bool big = ends_with(path, ".raw"), little = ends_with(path, ".leraw") || ends_with(path, ".bin");
    if (!big && !little) {
        diag_error(d, (src_loc){0}, "E0970-chip-file", "'%s' is no file of words", path);
        diag_hint(d, "words of 16 bits are in .raw (high byte first) or .leraw and .bin (low byte first)");
        return false;
    }
    const uint8_t *bytes = (const uint8_t *)file_read(path, mem, &length, d);
    if (!bytes)
        return false;
    if (length % 2) {
        diag_error(d, (src_loc){0}, "E0970-chip-file", "'%s' has %zu bytes: words have two each", path,
                   length);
        diag_hint(d, "the file was cut off; write or copy it again");
        return false;
    }
    *out = (u16_vec){0};
    for (size_t i = 0; i < length; i += 2)
        vec_push(mem, out, (uint16_t)(bytes[i] << (big ? 8 : 0) | bytes[i + 1] << (big ? 0 : 8)));
    return true;
}
