/* formats.c - the format language: index maps, storage primitives, level kinds. */
#include "tiling/formats.h"
#include "tiling/formats_int.h"
#include "tiling/queries.h"

#include <ctype.h>

const tile_kind_row tile_kind_rows[TILE_KINDS] = {
#define KIND(KEY, name, letter, full, ordered, unique, branchless, compact, iterate, locate, assembly,       \
             arrays, leaves, doc)                                                                            \
    [TILE_KIND_##KEY] = {name, letter, arrays, (#leaves)[0] == 'Y'},
#include "sam/level_kinds.def"
};

/* The current definition. */
typedef struct {
    const char *text, *at, *end; /* the end of the line */
    uint32_t source, errors;     /* that were there before */
    arena *mem;
    diagnostics *diag;
    tile_format *f;
    bool query; /* the text is a query only */
} reader;

static bool failed(const reader *r) {
    return r->diag->errors > r->errors;
}

static src_loc here(const reader *r) {
    size_t length = 0;
    while (r->at + length < r->end && isalnum((unsigned char)r->at[length]))
        length++;
    return src_at(r->source, (size_t)(r->at - r->text), length ? length : 1);
}

static void skip_blanks(reader *r) {
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r'))
        r->at++;
}

static bool refuse(reader *r, const char *code, const char *what) {
    skip_blanks(r);
    return diag_error(r->diag, here(r), code, "%s", what);
}

/* ---- tokens ---------------------------------------------------------------------------------- */

static bool take(reader *r, const char *sign) {
    size_t n = strlen(sign);
    skip_blanks(r);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, sign, n) != 0)
        return false;
    /* A word ends where no letter follows. */
    if (isalpha((unsigned char)sign[0]) && (size_t)(r->end - r->at) > n &&
        (isalnum((unsigned char)r->at[n]) || r->at[n] == '_'))
        return false;
    r->at += n;
    return true;
}

static bool expect(reader *r, const char *sign) {
    if (take(r, sign))
        return true;
    diag_error(r->diag, here(r), "E0360-format-syntax", "'%s' should stand here", sign);
    return diag_hint(
        r->diag, "such as: %s",
        r->query ? "(i,j) -> count by (i)"
                 : "format BCSR = (i,j) -> (i div 4, j div 4, i mod 4, j mod 4) merge(0,1) trim(1,1)");
}

/* Returns the name at the current position, NULL without a name. */
static const char *take_name(reader *r) {
    skip_blanks(r);
    const char *first = r->at;
    if (r->at == r->end || !isalpha((unsigned char)*r->at))
        return NULL;
    while (r->at < r->end && (isalnum((unsigned char)*r->at) || *r->at == '_'))
        r->at++;
    return arena_strndup(r->mem, first, (size_t)(r->at - first));
}

enum { NUMBER_MOST = 1 << 30 };

static bool take_number(reader *r, uint32_t *out) {
    skip_blanks(r);
    if (r->at == r->end || !isdigit((unsigned char)*r->at))
        return false;
    uint64_t value = 0;
    const char *first = r->at;
    while (r->at < r->end && isdigit((unsigned char)*r->at) && value <= NUMBER_MOST)
        value = value * 10 + (uint64_t)(*r->at++ - '0');
    *out = (uint32_t)value;
    if (value <= NUMBER_MOST)
        return true;
    r->at = first;
    return refuse(r, "E0360-format-syntax", "numbers are at most 2^30");
}

static bool expect_number(reader *r, uint32_t low, uint32_t *out) {
    skip_blanks(r);
    const char *first = r->at;
    if (take_number(r, out) && *out >= low)
        return true;
    r->at = first;
    return failed(r)
               ? false
               : refuse(r, "E0360-format-syntax",
                        low ? "a whole number from 1 should stand here" : "a whole number should stand here");
}

/* ---- index maps ------------------------------------------------------------------------------ */

static bool read_index(reader *r, uint32_t *out) {
    skip_blanks(r);
    const char *first = r->at, *name = take_name(r);
    for (*out = 0; name && *out < r->f->order; ++*out) {
        if (strcmp(name, r->f->index[*out]) == 0)
            return true;
    }
    r->at = first;
    return refuse(r, "E0361-format-map", "this is none of the indices on the left");
}

/* A term: [number *] index {div number | mod number}, or a number. A second div divides further, and a div
 * behind a mod leaves the mod's upper digit. */
static bool read_digit(reader *r, tile_map_term *t) {
    uint32_t number;
    if (!read_index(r, &t->index))
        return false;
    for (;;) {
        if (take(r, "div")) {
            if (!expect_number(r, 1, &number))
                return false;
            if ((t->modulo && t->modulo % number) || (uint64_t)t->divide * number > NUMBER_MOST)
                return refuse(r, "E0361-format-map", "a div behind a mod must divide it");
            t->divide *= number;
            t->modulo /= number;
        } else if (take(r, "mod")) {
            if (!expect_number(r, 1, &number))
                return false;
            if (t->modulo && t->modulo % number)
                return refuse(r, "E0361-format-map", "a mod behind a mod must divide it");
            t->modulo = number;
        } else {
            return true;
        }
    }
}

const char *const tile_aggregates[] = {
    [TILE_COUNT] = "count", [TILE_COUNT_DISTINCT] = "count_distinct", [TILE_MIN] = "min", [TILE_MAX] = "max"};

/* Returns TILE_AGGREGATES where no query begins here. */
static tile_aggregate take_aggregate(reader *r) {
    tile_aggregate what = TILE_COUNT;
    while (what < TILE_AGGREGATES && !take(r, tile_aggregates[what]))
        what++;
    return what;
}

static bool read_query(reader *r, tile_query *q);

/* A query in the sum of a level; a level has at most one. */
static bool read_answer(reader *r, tile_aggregate what, int32_t times, tile_format_level *level) {
    if (!level || level->how != TILE_MAP_DIRECT) {
        r->at -= strlen(tile_aggregates[what]);
        return refuse(r, "E0361-format-map",
                      level ? "a coordinate has one query" : "a query is of indices, not of other queries");
    }
    tile_query *q = arena_new(r->mem, tile_query);
    q->what = what;
    level->how = TILE_MAP_QUERY;
    level->times = times;
    level->query = q;
    return read_query(r, q);
}

/* A term of a sum; `level` is NULL where a query cannot stand. */
static bool read_term(reader *r, int32_t sign, tile_map_sum *sum, tile_format_level *level) {
    tile_map_term t = {.factor = sign, .divide = 1};
    uint32_t number;
    if (take_number(r, &number)) {
        if (!take(r, "*")) {
            sum->constant += sign * (int32_t)number;
            return true;
        }
        t.factor = sign * (int32_t)number;
    } else if (failed(r)) {
        return false;
    }
    const tile_aggregate what = take_aggregate(r);
    if (what != TILE_AGGREGATES)
        return read_answer(r, what, t.factor, level);
    if (!read_digit(r, &t))
        return false;
    if (sum->terms == TILE_MAP_TERMS)
        return refuse(r, "E0361-format-map", "a coordinate is the sum of at most four terms");
    sum->term[sum->terms++] = t;
    return true;
}

static bool read_sum(reader *r, tile_map_sum *sum, tile_format_level *level) {
    int32_t sign = take(r, "-") ? -1 : 1;
    do {
        if (!read_term(r, sign, sum, level))
            return false;
        sign = take(r, "+") ? 1 : take(r, "-") ? -1 : 0;
    } while (sign);
    return true;
}

/* Text after the aggregate: [(sum)] by ([sum {, sum}]). */
static bool read_query(reader *r, tile_query *q) {
    const bool of = take(r, "(");
    if (of && (!read_sum(r, &q->of, NULL) || !expect(r, ")")))
        return false;
    q->of_values = !of && q->what == TILE_COUNT_DISTINCT;
    if (!of && (q->what == TILE_MIN || q->what == TILE_MAX))
        return refuse(r, "E0360-format-syntax", "the least or greatest of what should stand here: min(j)");
    if (of && q->what == TILE_COUNT)
        return refuse(r, "E0360-format-syntax", "count is of entries: count by (i)");
    if (!expect(r, "by") || !expect(r, "("))
        return false;
    if (take(r, ")"))
        return true;
    do {
        if (q->keys == SAM_MAX_ORDER)
            return refuse(r, "E0361-format-map", "a query has at most twelve keys");
        if (!read_sum(r, &q->key[q->keys++], NULL))
            return false;
    } while (take(r, ","));
    return expect(r, ")");
}

/* enumerate(i), schedule(i, banks). */
static bool read_indirect(reader *r, tile_format_level *level) {
    level->sum.terms = 1;
    level->sum.term[0] = (tile_map_term){.factor = 1, .divide = 1};
    if (!expect(r, "(") || !read_index(r, &level->sum.term[0].index))
        return false;
    if (level->how == TILE_MAP_SCHEDULE && (!expect(r, ",") || !expect_number(r, 1, &level->banks)))
        return false;
    return expect(r, ")");
}

static bool read_coordinate(reader *r, tile_format_level *level) {
    level->how = take(r, "enumerate")  ? TILE_MAP_ENUMERATE
                 : take(r, "schedule") ? TILE_MAP_SCHEDULE
                                       : TILE_MAP_DIRECT;
    return level->how != TILE_MAP_DIRECT ? read_indirect(r, level) : read_sum(r, &level->sum, level);
}

/* ---- level kinds ----------------------------------------------------------------------------- */

/* Levels named by primitives, a bit each. */
typedef struct {
    uint32_t merged, first, last; /* trimmed: first to last */
    bool trims;
} primitives;

/* Storage inference: trimmed or indirect coordinates are explicit. */
static void infer_kinds(tile_format *f, const primitives *p) {
    for (uint32_t l = 0; l < f->levels; l++) {
        bool explicit_here =
            (p->trims && l >= p->first && l <= p->last) || f->level[l].how != TILE_MAP_DIRECT;
        bool merged = (p->merged >> l & 1) || l + 1 == f->levels;
        tile_kind above = l ? f->level[l - 1].kind : TILE_KIND_DENSE;
        bool chained = l && !(p->merged >> (l - 1) & 1) && above != TILE_KIND_DENSE;
        f->level[l].kind = !explicit_here ? TILE_KIND_DENSE
                           : chained      ? (merged ? TILE_KIND_SINGLETON : TILE_KIND_SINGLETON_DUPLICATES)
                           : merged       ? TILE_KIND_COMPRESSED
                                          : TILE_KIND_COMPRESSED_DUPLICATES;
    }
    /* A chain ends without a following singleton; a lone link is a compressed level. */
    for (uint32_t l = 0; l < f->levels; l++) {
        tile_kind below = l + 1 < f->levels ? f->level[l + 1].kind : TILE_KIND_DENSE;
        if (below == TILE_KIND_SINGLETON || below == TILE_KIND_SINGLETON_DUPLICATES)
            continue;
        if (f->level[l].kind == TILE_KIND_COMPRESSED_DUPLICATES)
            f->level[l].kind = TILE_KIND_COMPRESSED;
        if (f->level[l].kind == TILE_KIND_SINGLETON_DUPLICATES)
            f->level[l].kind = TILE_KIND_SINGLETON;
    }
}

static bool read_level(reader *r, uint32_t *level) {
    skip_blanks(r);
    const char *first = r->at;
    if (!expect_number(r, 0, level))
        return false;
    if (*level < r->f->levels)
        return true;
    r->at = first;
    return refuse(r, "E0362-format-levels", "there is no such level: they count from 0");
}

static bool read_primitives(reader *r) {
    primitives p = {0};
    for (;;) {
        uint32_t level;
        if (take(r, "trim")) {
            if (!expect(r, "(") || !read_level(r, &p.first) || !expect(r, ","))
                return false;
            skip_blanks(r);
            const char *last = r->at;
            if (!read_level(r, &p.last))
                return false;
            if (p.last < p.first) {
                r->at = last;
                return refuse(r, "E0362-format-levels", "trim names the outer level first");
            }
            if (!expect(r, ")"))
                return false;
            p.trims = true;
        } else if (take(r, "merge") || take(r, "fuse")) {
            if (!expect(r, "("))
                return false;
            do {
                if (!read_level(r, &level))
                    return false;
                p.merged |= 1u << level;
            } while (take(r, ","));
            if (!expect(r, ")"))
                return false;
        } else {
            break;
        }
    }
    infer_kinds(r->f, &p);
    return true;
}

static bool read_kinds(reader *r) {
    if (!expect(r, "("))
        return false;
    for (uint32_t l = 0; l < r->f->levels; l++) {
        if (l && !expect(r, ","))
            return false;
        skip_blanks(r);
        const char *first = r->at, *name = take_name(r);
        tile_kind kind = TILE_KIND_NONE;
        for (tile_kind k = TILE_KIND_DENSE; name && k < TILE_KINDS; k++)
            kind = strcmp(name, tile_kind_rows[k].name) == 0 ? k : kind;
        r->f->level[l].kind = kind;
        if (kind)
            continue;
        const char *list = "";
        for (tile_kind k = TILE_KIND_DENSE; k < TILE_KINDS; k++)
            list = arena_printf(r->mem, "%s%s%s", list, *list ? ", " : "", tile_kind_rows[k].name);
        r->at = first;
        refuse(r, "E0362-format-levels", "there is no such kind of level");
        return diag_hint(r->diag, "the kinds are %s", list);
    }
    return expect(r, ")");
}

/* ---- definitions ----------------------------------------------------------------------------- */

static bool read_left(reader *r) {
    tile_format *f = r->f;
    if (!expect(r, "("))
        return false;
    do {
        skip_blanks(r);
        const char *first = r->at, *name = take_name(r);
        bool again = false;
        for (uint32_t i = 0; name && i < f->order; i++)
            again = again || strcmp(f->index[i], name) == 0;
        if (!name || again || f->order == SAM_MAX_ORDER) {
            r->at = first;
            return refuse(r, "E0360-format-syntax", "an index that is not yet there should stand here");
        }
        f->index[f->order++] = name;
    } while (take(r, ","));
    return expect(r, ")") && expect(r, "->");
}

static bool read_map(reader *r) {
    tile_format *f = r->f;
    if (!expect(r, "("))
        return false;
    do {
        if (f->levels == TILE_FORMAT_LEVELS)
            return refuse(r, "E0362-format-levels", "there are too many levels");
        if (!read_coordinate(r, &f->level[f->levels]))
            return false;
        f->levels++;
    } while (take(r, ","));
    if (!expect(r, ")"))
        return false;
    skip_blanks(r);
    const char *kinds = r->at;
    if (!(take(r, "levels") ? read_kinds(r) : read_primitives(r)))
        return false;
    const char *end = r->at;
    r->at = kinds;
    for (uint32_t l = 0; l < f->levels; l++) {
        const char *why = tile_unfit(f, l);
        if (why)
            return diag_error(r->diag, here(r), "E0362-format-levels", "level %u cannot be %s: %s", l,
                              tile_kind_rows[f->level[l].kind].name, why);
    }
    const char *lost = tile_index_lost(f);
    if (lost) {
        diag_error(r->diag, here(r), "E0361-format-map", "nothing says what index %s was", lost);
        return diag_hint(
            r->diag, "each index is a level, or all digits of it are (i div 4, i mod 4), or a level is a sum "
                     "of it and of others that are known");
    }
    r->at = end;
    return true;
}

const char *const tile_compares[] = {
    [TILE_AT_LEAST] = ">=", [TILE_ABOVE] = ">", [TILE_AT_MOST] = "<=", [TILE_BELOW] = "<"};

/* Reads the format of a part, which must be defined. */
static bool read_part_format(reader *r, const tile_formats *all, tile_format_part *part) {
    skip_blanks(r);
    const char *first = r->at, *name = take_name(r);
    const tile_format *found = name ? tile_format_find(all, name) : NULL;
    const char *why = !found         ? "the name of a format that is defined above should stand here"
                      : found->parts ? "a part of a tensor is not taken apart again"
                      : found->order != r->f->order ? "this format is of another order"
                                                    : NULL;
    if (why) {
        r->at = first;
        return refuse(r, found ? "E0361-format-map" : "E0363-format-unknown", why);
    }
    tile_format *kept = arena_new(r->mem, tile_format);
    *kept = *found;
    part->format = kept;
    return true;
}

/* decompose(FORMAT where QUERY >= NUMBER, ..., FORMAT). */
static bool read_decomposition(reader *r, const tile_formats *all) {
    VEC(tile_format_part) parts = {0};
    bool whole = false;
    if (!expect(r, "("))
        return false;
    do {
        tile_format_part part = {0};
        if (whole)
            return refuse(r, "E0360-format-syntax", "the part before this one takes all that is left");
        if (!read_part_format(r, all, &part))
            return false;
        whole = !take(r, "where");
        if (!whole) {
            tile_query *q = arena_new(r->mem, tile_query);
            q->what = take_aggregate(r);
            if (q->what == TILE_AGGREGATES)
                return refuse(r, "E0360-format-syntax",
                              "count, count_distinct, min or max should stand here");
            if (!read_query(r, q))
                return false;
            part.query = q;
            while (part.compare < TILE_COMPARES && !take(r, tile_compares[part.compare]))
                part.compare++;
            if (part.compare == TILE_COMPARES)
                return refuse(r, "E0360-format-syntax", ">=, >, <= or < should stand here");
            if (!expect_number(r, 0, &part.bound))
                return false;
        }
        vec_push(r->mem, &parts, part);
    } while (take(r, ","));
    if (!whole)
        return refuse(r, "E0360-format-syntax", "a part without 'where' should stand here, for what is left");
    r->f->part = parts.at;
    r->f->parts = parts.len;
    return expect(r, ")");
}

static bool read_definition(reader *r, const tile_formats *all) {
    tile_format *f = r->f;
    skip_blanks(r);
    const char *first = r->at;
    f->name = take_name(r);
    if (!f->name || !isupper((unsigned char)f->name[0]) || tile_format_find(all, f->name)) {
        r->at = first;
        return refuse(r, "E0360-format-syntax", "a new name that begins with a capital should stand here");
    }
    if (!expect(r, "=") || !read_left(r) ||
        !(take(r, "decompose") ? read_decomposition(r, all) : read_map(r)))
        return false;
    skip_blanks(r);
    return r->at == r->end || *r->at == '#' || refuse(r, "E0360-format-syntax", "the line should end here");
}

bool tile_formats_read(const char *from, const char *text, arena *mem, diagnostics *d, tile_formats *all) {
    size_t length = strlen(text);
    reader r = {.text = text,
                .at = text,
                .source = diag_add_source(d, from, text, length),
                .errors = d->errors,
                .mem = mem,
                .diag = d};
    for (const char *line = text; line < text + length; line = r.end + 1) {
        tile_format f = {0};
        const char *newline = strchr(line, '\n');
        r.at = line;
        r.end = newline ? newline : text + length;
        r.f = &f;
        skip_blanks(&r);
        if (r.at == r.end || *r.at == '#')
            continue;
        if (!expect(&r, "format") || !read_definition(&r, all))
            return false;
        vec_push(mem, all, f);
    }
    return true;
}

bool tile_query_read(const char *from, const char *text, uint32_t order, diagnostics *d, tile_query *out) {
    tile_format f = {0};
    const size_t length = strlen(text);
    reader r = {.text = text,
                .at = text,
                .end = text + length,
                .source = diag_add_source(d, from, text, length),
                .errors = d->errors,
                .mem = d->mem,
                .diag = d,
                .f = &f,
                .query = true};
    *out = (tile_query){0};
    if (!read_left(&r))
        return false;
    if (f.order != order)
        return diag_error(d, src_at(r.source, 0, length), "E0311-order",
                          "the query is of order %u, the tensor of order %u", f.order, order);
    out->what = take_aggregate(&r);
    if (out->what == TILE_AGGREGATES)
        return refuse(&r, "E0360-format-syntax", "count, count_distinct, min or max should stand here");
    if (!read_query(&r, out))
        return false;
    skip_blanks(&r);
    return r.at == r.end || refuse(&r, "E0360-format-syntax", "the query should end here");
}

bool tile_format_of_letters(const char *text, arena *mem, tile_format *out) {
    size_t n = strcspn(text, ":");
    const char *mode = text[n] ? text + n + 1 : NULL;
    *out = (tile_format){.name = text, .order = (uint32_t)n, .levels = (uint32_t)n};
    if (n > SAM_MAX_ORDER)
        return false;
    uint32_t used = 0;
    for (uint32_t l = 0; l < n; l++) {
        uint32_t index = l;
        for (tile_kind k = TILE_KIND_DENSE; k < TILE_KINDS; k++) {
            if (tile_kind_rows[k].letter && tile_kind_rows[k].letter == text[l])
                out->level[l].kind = k;
        }
        if (mode) {
            for (index = 0; isdigit((unsigned char)*mode) && index < 100; mode++)
                index = index * 10 + (uint32_t)(*mode - '0');
            if (*mode != (l + 1 < n ? ',' : '\0'))
                return false;
            mode += *mode != '\0';
        }
        if (!out->level[l].kind || index >= n || (used >> index & 1))
            return false;
        used |= 1u << index;
        out->index[l] = arena_printf(mem, "i%u", l);
        out->level[l].sum.terms = 1;
        out->level[l].sum.term[0] = (tile_map_term){.factor = 1, .index = index, .divide = 1};
    }
    for (uint32_t l = 0; l < n; l++) {
        if (tile_unfit(out, l))
            return false;
    }
    return !tile_index_lost(out);
}

const tile_format *tile_format_find(const tile_formats *all, const char *name) {
    for (uint32_t i = 0; i < all->len; i++) {
        if (strcmp(all->at[i].name, name) == 0)
            return &all->at[i];
    }
    return NULL;
}
