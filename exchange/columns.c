/* Bitstreams as others write them: lines of ADDRESS DATA, or of DATA ADDRESS. */
#include "exchange/columns.h"
#include "bitstream/bits_fields.h"

enum { COLUMNS = 32, ROWS = 17 }; /* of the chip's tiles, the IO row included */

static uint32_t word_of(const bits_word *w, bool data) {
    return data ? w->data : w->address;
}

/* Returns whether the words of a column are addresses: of the chip's tiles, and each once. */
static bool are_addresses(const bits_stream *bits, bool data) {
    for (uint32_t i = 0; i < bits->words.len; i++) {
        const uint32_t a = word_of(&bits->words.at[i], data);
        if (bits_x(a) >= COLUMNS || bits_y(a) >= ROWS)
            return false;
        for (uint32_t k = i; k > 0; k--) {
            if (word_of(&bits->words.at[k - 1], data) == a)
                return false;
        }
    }
    return true;
}

bool exchange_is_said(const diagnostics *d, const char *code) {
    for (uint32_t i = 0; i < d->list.len; i++) {
        if (strcmp(d->list.at[i].code, code) == 0)
            return true;
    }
    return false;
}

void exchange_order_columns(bits_stream *bits, diagnostics *d) {
    if (!bits->words.len || !are_addresses(bits, true) || are_addresses(bits, false))
        return;
    for (uint32_t i = 0; i < bits->words.len; i++) {
        bits_word *w = &bits->words.at[i];
        *w = (bits_word){.address = w->data, .data = w->address, .loc = w->loc};
    }
    if (exchange_is_said(d, "E0979-column-order"))
        return;
    diag_warning(d, bits->words.at[0].loc, "E0979-column-order",
                 "data come before addresses here: only the second column has addresses of the chip's tiles");
    diag_hint(d, "a line is ADDRESS DATA; the columns were exchanged");
}

bool exchange_read_bits(const char *path, arena *mem, diagnostics *d, bits_stream *out) {
    const bool ok = bits_read(path, mem, d, out);
    if (ok)
        exchange_order_columns(out, d);
    return ok;
}
