/* csv.c - tensors in files of comma-separated values (.csv).
 *
 * Without a header a line is a row of a dense matrix, whose zeros and empty fields are not stored. With a
 * header, a first line with a field that is no number, a line is an entry: coordinates from 0, then its
 * value.
 */
#include "support/number.h"
#include "tiling/text_files.h"

#include <string.h>

typedef struct {
    tile_reader *r;
    const char *at, *end; /* of the current line, without its end */
} row;

static src_loc here(const tile_reader *r, const char *at, size_t length) {
    return src_at(r->source, (size_t)(at - r->text), length ? length : 1);
}

/* Goes to the next line with text, and not of a comment. */
static bool next_row(tile_reader *r, row *out) {
    while (r->at < r->end) {
        const char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));
        end = end ? end : r->end;
        *out = (row){r, r->at, end};
        r->at = end < r->end ? end + 1 : end;
        while (out->end > out->at && strchr(" \t\r", out->end[-1]))
            out->end--;
        while (out->at < out->end && strchr(" \t", *out->at))
            out->at++;
        if (out->at < out->end && *out->at != r->comment)
            return true;
    }
    return false;
}

/* A field: its text without blanks around. */
typedef struct {
    const char *at;
    size_t length;
} field;

/* Takes the field that begins here; *more: a comma follows. */
static field take_field(row *line, bool *more) {
    const char *comma = memchr(line->at, ',', (size_t)(line->end - line->at));
    const char *at = line->at, *end = comma ? comma : line->end;
    *more = comma != NULL;
    line->at = comma ? comma + 1 : line->end;
    while (at < end && strchr(" \t", *at))
        at++;
    while (end > at && strchr(" \t", end[-1]))
        end--;
    return (field){at, (size_t)(end - at)};
}

static bool read_number(const field *f, double *out) {
    char *end;
    *out = f->length ? number_read(f->at, &end) : 0;
    return !f->length || end == f->at + f->length;
}

static bool refuse_number(const tile_reader *r, const field *f, const char *what) {
    diag_error(r->diag, here(r, f->at, f->length), "E0302-number", "%s must be a %s here", what,
               strcmp(what, "the value") == 0 ? "number" : "whole number");
    if (memchr(f->at, ';', f->length) || memchr(f->at, '\t', f->length))
        diag_hint(r->diag, "fields are separated by commas");
    return false;
}

static uint32_t count_fields(row line) {
    uint32_t n = 0;
    for (bool more = true; more; n++)
        take_field(&line, &more);
    return n;
}

/* Whether the first field of the first line is a name: the line is a header then, and has names alone. */
static bool find_header(const tile_reader *r, row line, bool *header) {
    bool more = true;
    double x;
    const row first = line;
    const field f = take_field(&line, &more);
    *header = !read_number(&f, &x);
    line = first;
    for (more = *header; more;) {
        const field name = take_field(&line, &more);
        if (name.length && !read_number(&name, &x))
            continue;
        return diag_error(r->diag, here(r, name.at, name.length), "E0302-number",
                          "a header has names, and this is none");
    }
    return f.length || diag_error(r->diag, here(r, f.at, 1), "E0302-number",
                                  "the first field must be a number or a name");
}

/* Refuses a line with another number of fields than the first one. */
static bool has_fields(const tile_reader *r, row line, uint32_t want) {
    const uint32_t got = count_fields(line);
    return got == want || diag_error(r->diag, here(r, line.at, 1), "E0310-tns-line",
                                     "this line has %u %s, and the first one has %u", got,
                                     plural(got, "field", "fields"), want);
}

static bool take_value(tile_reader *r, const field *f, bool keeps_zero, tile_raw *e, bool *stored) {
    double x;
    if (!read_number(f, &x))
        return refuse_number(r, f, "the value");
    *stored = x != 0 || keeps_zero;
    if (!*stored)
        return true;
    if (!tile_to_value(r, x, here(r, f->at, f->length), e->val.len, &x))
        return false;
    vec_push(r->diag->mem, &e->val, x);
    return true;
}

/* Takes coordinates from 0, and the value. */
static bool take_entry(tile_reader *r, row line, tile_tensor *t, tile_raw *e) {
    bool more, stored;
    for (uint32_t m = 0; m < t->order; m++) {
        const field f = take_field(&line, &more);
        double c;
        if (!read_number(&f, &c) || !f.length || c != (double)(int64_t)c)
            return refuse_number(r, &f, "the coordinate");
        if (c < 0 || c >= INT32_MAX)
            return diag_error(r->diag, here(r, f.at, f.length), "E0303-range",
                              "coordinate %.*s is outside 0..%d", (int)f.length, f.at, INT32_MAX - 1);
        vec_push(r->diag->mem, &e->crd, (uint32_t)c);
        t->dim[m] = (uint32_t)c >= t->dim[m] ? (uint32_t)c + 1 : t->dim[m];
    }
    const field f = take_field(&line, &more);
    return take_value(r, &f, true, e, &stored);
}

/* Takes a row of a dense matrix. */
static bool take_row(tile_reader *r, row line, tile_tensor *t, tile_raw *e) {
    bool stored;
    for (uint32_t column = 0; column < t->dim[1]; column++) {
        bool more;
        const field f = take_field(&line, &more);
        if (!take_value(r, &f, false, e, &stored))
            return false;
        if (!stored)
            continue;
        vec_push(r->diag->mem, &e->crd, t->dim[0]);
        vec_push(r->diag->mem, &e->crd, column);
    }
    t->dim[0]++;
    return true;
}

/* Begins a tensor of `order` indices, 0 if any number will do. */
static bool begin_table(tile_reader *r, const row *line, uint32_t fields, bool entries, tile_tensor *t) {
    const uint32_t order = t->order;
    t->dim_inferred = entries;
    t->order = entries ? fields - 1 : 2;
    if (entries && order && t->order != order) {
        diag_error(r->diag, here(r, line->at, 1), "E0311-order",
                   "a line holds %u %s and a value, and %u %s used", t->order,
                   plural(t->order, "coordinate", "coordinates"), order,
                   plural(order, "index is", "indices are"));
        return diag_hint(r->diag, "%s",
                         fields == 1 ? "fields are separated by commas"
                                     : "a matrix has a line for each row, and no line of names above");
    }
    if (t->order <= SAM_MAX_ORDER) {
        t->dim[1] = entries ? t->dim[1] : fields;
        return true;
    }
    return diag_error(r->diag, here(r, line->at, 1), "E0310-tns-line",
                      "a line holds up to %d coordinates and a value", SAM_MAX_ORDER);
}

bool tile_read_csv(tile_reader *r, uint32_t order, tile_tensor *t, tile_raw *e) {
    row line;
    bool entries;
    t->order = order;
    if (!next_row(r, &line)) {
        t->dim_inferred = true;
        return true;
    }
    const uint32_t fields = count_fields(line);
    bool good = find_header(r, line, &entries) && begin_table(r, &line, fields, entries, t);
    for (bool more = !entries || next_row(r, &line); good && more; more = next_row(r, &line))
        good = has_fields(r, line, fields) && (entries ? take_entry(r, line, t, e) : take_row(r, line, t, e));
    return good;
}
