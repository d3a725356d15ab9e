/* Streams of words: order, lookup, and the files they live in. */
#include "bitstream/bits_int.h"

#include <stdlib.h>

/* ---- order ----------------------------------------------------------------------------------- */

typedef struct {
    uint32_t key, index;
} word_key;

static int by_word_key(const void *left, const void *right) {
    const word_key *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static word_key *sorted_keys(const bits_stream *in, arena *mem) {
    word_key *keys = arena_new_n(mem, word_key, in->words.len + 1);
    for (uint32_t i = 0; i < in->words.len; i++)
        keys[i] = (word_key){bits_key(in->words.at[i].address), i};
    qsort(keys, in->words.len, sizeof *keys, by_word_key);
    return keys;
}

bits_stream bits_sorted(const bits_stream *in, arena *mem) {
    bits_stream out = {0};
    const word_key *keys = sorted_keys(in, mem);
    for (uint32_t i = 0; i < in->words.len; i++)
        vec_push(mem, &out.words, in->words.at[keys[i].index]);
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

/* Returns the position in sorted `keys` of the first entry that is not below `key`. */
static uint32_t first_key(const word_key *keys, uint32_t count, uint32_t key) {
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (keys[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void bits_order_as(bits_stream *bits, const bits_stream *model, arena *mem) {
    const word_key *keys = sorted_keys(bits, mem);
    bool *taken = arena_new_n(mem, bool, bits->words.len + 1);
    bits_stream out = {0};
    for (uint32_t m = 0; m < model->words.len; m++) {
        uint32_t key = bits_key(model->words.at[m].address);
        uint32_t i = first_key(keys, bits->words.len, key);
        for (; i < bits->words.len && keys[i].key == key && !taken[keys[i].index]; i++) {
            taken[keys[i].index] = true;
            vec_push(mem, &out.words, bits->words.at[keys[i].index]);
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

/* How messages call what stands at the reader. */
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

/* A file that ends inside a word was cut off; any other surprise is a mistake in its text. */
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
    if (r->at >= r->length || r->text[r->at] != ' ')
        return expected(r, "a blank between address and data");
    r->at++;
    if (!read_hex(r, "data", &w.data) || !end_line(r))
        return false;
    vec_push(mem, &out->words, w);
    return true;
}

bool bits_read(const char *path, arena *mem, diagnostics *d, bits_stream *out) {
    bits_reader r = {.d = d};
    *out = (bits_stream){0};
    r.text = text_read(path, d->mem, &r.length, d);
    if (!r.text)
        return false;
    r.source = diag_add_source(d, path, r.text, r.length);
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

/* ---- writing --------------------------------------------------------------------------------- */

bool bits_write(const bits_stream *bits, const char *path, diagnostics *d) {
    file_out f;
    if (!file_create(&f, path, d->mem, d))
        return false;
    for (uint32_t i = 0; i < bits->words.len; i++)
        fprintf(f.stream, "%08X %08X\n", bits->words.at[i].address, bits->words.at[i].data);
    return file_commit(&f, d);
}

static void write_u32(FILE *out, uint32_t value) {
    for (uint32_t i = 0; i < 4; i++)
        putc((int)(value >> 8 * i & 0xff), out);
}

bool bits_write_image(const bits_stream *bits, const char *path, diagnostics *d) {
    file_out f;
    if (!file_create(&f, path, d->mem, d))
        return false;
    for (uint32_t i = 0; i < bits->words.len; i++) {
        write_u32(f.stream, bits->words.at[i].data);
        write_u32(f.stream, bits->words.at[i].address);
    }
    return file_commit(&f, d);
}
