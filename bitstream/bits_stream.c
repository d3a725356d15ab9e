/* Streams of words: order, lookup, and files. */
#include "bitstream/bits_int.h"
#include "support/sort.h"

/* ---- order ----------------------------------------------------------------------------------- */

static uint32_t key_of(const bits_stream *s, uint32_t word) {
    return bits_key(s->words.at[word].address);
}

static bool word_comes_after(const void *stream, uint32_t a, uint32_t b) {
    return key_of(stream, a) > key_of(stream, b);
}

bits_stream bits_sorted(const bits_stream *in, arena *mem) {
    bits_stream out = {0};
    const uint32_t *order = sort_order(in->words.len, word_comes_after, in, mem);
    for (uint32_t i = 0; i < in->words.len; i++)
        vec_push(mem, &out.words, in->words.at[order[i]]);
    return out;
}

bits_stream bits_canonical(const bits_stream *bits, arena *mem) {
    const bits_stream sorted = bits_sorted(bits, mem);
    bits_stream out = {0};
    for (uint32_t i = 0, end; i < sorted.words.len; i = end) {
        bits_word word = sorted.words.at[i];
        for (end = i + 1; end < sorted.words.len && sorted.words.at[end].address == word.address; end++)
            word.data |= sorted.words.at[end].data;
        if (word.data)
            vec_push(mem, &out.words, word);
    }
    return out;
}

/* Returns the position in the sorted `order` of the first word with a key of at least `key`. */
static uint32_t first_key(const bits_stream *s, const uint32_t *order, uint32_t key) {
    uint32_t low = 0, high = s->words.len;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (key_of(s, order[middle]) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void bits_order_as(bits_stream *bits, const bits_stream *model, arena *mem) {
    const uint32_t *order = sort_order(bits->words.len, word_comes_after, bits, mem);
    bool *taken = arena_new_n(mem, bool, bits->words.len + 1);
    bits_stream out = {0};
    for (uint32_t m = 0; m < model->words.len; m++) {
        uint32_t key = bits_key(model->words.at[m].address);
        uint32_t i = first_key(bits, order, key);
        for (; i < bits->words.len && key_of(bits, order[i]) == key && !taken[order[i]]; i++) {
            taken[order[i]] = true;
            vec_push(mem, &out.words, bits->words.at[order[i]]);
        }
    }
    for (uint32_t i = 0; i < bits->words.len; i++) {
        if (!taken[i])
            vec_push(mem, &out.words, bits->words.at[i]);
    }
    *bits = out;
}

uint32_t bits_data(const bits_stream *sorted, uint32_t address) {
    uint32_t low = 0, high = sorted->words.len, key = bits_key(address);
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        const bits_word *w = &sorted->words.at[middle];
        if (w->address == address)
            return w->data;
        if (bits_key(w->address) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

/* ---- reading text ---------------------------------------------------------------------------- */

typedef struct {
    const char *text;
    size_t length, at;
    uint32_t source;
    diagnostics *d;
} bits_reader;

static int hex_digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Names the text at the reader for messages. */
static const char *found(const bits_reader *r) {
    if (r->at >= r->length)
        return "the end of the file";
    char c = r->text[r->at];
    if (c == '\n' || c == '\r')
        return "the end of the line";
    if (c < ' ' || c > '~')
        return arena_printf(r->d->mem, "byte 0x%02x", (unsigned char)c);
    return arena_printf(r->d->mem, "'%c'", c);
}

/* A file with a partial last word was cut off; any other surprise is a mistake in its text. */
static bool expected(const bits_reader *r, const char *what) {
    src_loc loc = src_at(r->source, r->at, 1);
    if (r->at >= r->length) {
        diag_error(r->d, loc, "E0611-bits-truncated", "the file ends in the middle of a word: expected %s",
                   what);
        diag_hint(r->d, "the file was cut off; write or copy it again");
    } else {
        diag_error(r->d, loc, "E0610-bits-text", "expected %s, found %s", what, found(r));
        diag_hint(r->d, "a line is AAAAAAAA DDDDDDDD: address and data, 8 hexadecimal digits each");
    }
    return false;
}

static bool read_hex(bits_reader *r, const char *what, uint32_t *out) {
    *out = 0;
    for (uint32_t i = 0; i < 8; i++, r->at++) {
        int digit = r->at < r->length ? hex_digit(r->text[r->at]) : -1;
        if (digit < 0)
            return expected(r, arena_printf(r->d->mem, "hexadecimal digit %u of 8 of the %s", i + 1, what));
        *out = *out << 4 | (uint32_t)digit;
    }
    return true;
}

static void skip_blanks(bits_reader *r) {
    while (r->at < r->length && (r->text[r->at] == ' ' || r->text[r->at] == '\t' || r->text[r->at] == '\r'))
        r->at++;
}

/* Skips the rest of a line, blanks and a comment, and leaves the reader behind the line feed. */
static bool end_line(bits_reader *r) {
    skip_blanks(r);
    if (r->at < r->length && r->text[r->at] == '#') {
        while (r->at < r->length && r->text[r->at] != '\n')
            r->at++;
    }
    if (r->at < r->length && r->text[r->at] != '\n')
        return expected(r, "the end of the line");
    r->at++;
    return true;
}

static bool read_line(bits_reader *r, arena *mem, bits_stream *out) {
    skip_blanks(r);
    if (r->at >= r->length || r->text[r->at] == '#' || r->text[r->at] == '\n')
        return end_line(r);
    bits_word w = {.loc = src_at(r->source, r->at, 17)};
    if (!read_hex(r, "address", &w.address))
        return false;
    if (r->at >= r->length || (r->text[r->at] != ' ' && r->text[r->at] != '\t'))
        return expected(r, "a blank between address and data");
    skip_blanks(r);
    if (!read_hex(r, "data", &w.data) || !end_line(r))
        return false;
    vec_push(mem, &out->words, w);
    return true;
}

/* ---- order of the columns ---------------------------------------------------------------------- */

static uint32_t column_of(const bits_word *w, bool second) {
    return second ? w->data : w->address;
}

static bool are_addresses(const bits_stream *bits, bool second, uint32_t width, uint32_t height) {
    bool all = true;
    for (uint32_t i = 0; all && i < bits->words.len; i++) {
        const uint32_t a = column_of(&bits->words.at[i], second);
        all = bits_x(a) < width && bits_y(a) < height;
    }
    return all;
}

static bool are_distinct(const bits_stream *bits, bool second) {
    for (uint32_t i = 1; i < bits->words.len; i++) {
        for (uint32_t k = i; k > 0; k--) {
            if (column_of(&bits->words.at[k - 1], second) == column_of(&bits->words.at[i], second))
                return false;
        }
    }
    return true;
}

void bits_order_columns(bits_stream *bits, uint32_t width, uint32_t height, diagnostics *d) {
    const bool first = are_addresses(bits, false, width, height),
               second = are_addresses(bits, true, width, height);
    if (!bits->words.len || !second || (first && (are_distinct(bits, false) || !are_distinct(bits, true))))
        return;
    for (uint32_t i = 0; i < bits->words.len; i++) {
        bits_word *w = &bits->words.at[i];
        *w = (bits_word){.address = w->data, .data = w->address, .loc = w->loc};
    }
    diag_warning(d, bits->words.at[0].loc, "E0979-column-order",
                 "data come before addresses here: only the second column has addresses of the chip's tiles");
    diag_hint(d, "a line is ADDRESS DATA; the columns were exchanged");
}

bool bits_parse(const char *name, const char *text, size_t length, arena *mem, diagnostics *d,
                bits_stream *out) {
    bits_reader r = {
        .d = d, .text = text, .length = length, .source = diag_add_source(d, name, text, length)};
    *out = (bits_stream){0};
    while (r.at < r.length) {
        if (!read_line(&r, mem, out))
            return false;
    }
    if (!out->words.len) {
        diag_error(d, src_at(r.source, 0, 1), "E0611-bits-truncated", "the file holds no word");
        diag_hint(d, "an empty bitstream configures nothing; was the file written completely?");
    }
    return out->words.len > 0;
}

bool bits_read(const char *path, arena *mem, diagnostics *d, bits_stream *out) {
    size_t length = 0;
    const char *text = text_read(path, d->mem, &length, d);
    return text && bits_parse(path, text, length, mem, d, out);
}

bool bits_read_on(const pnr_board *board, const char *path, arena *mem, diagnostics *d, bits_stream *out) {
    const bool ok = bits_read(path, mem, d, out);
    if (ok)
        bits_order_columns(out, board->width, board->height, d);
    return ok;
}

/* ---- writing --------------------------------------------------------------------------------- */

bool bits_write(const bits_stream *bits, const char *path, diagnostics *d) {
    file_out f;
    if (!file_create(&f, path, d->mem, d))
        return false;
    for (uint32_t i = 0; i < bits->words.len; i++)
        fprintf(f.stream, "%08X %08X\n", bits->words.at[i].address, bits->words.at[i].data);
    return file_commit(&f, d);
}
