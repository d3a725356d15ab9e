/* Diagnostics printed: with their source line and a caret, or as JSON. */
#include "support/support.h"

#include <stdlib.h>
#include <unistd.h>

/* Returns the length in bytes of the UTF-8 character at `at`, with at most `left` bytes available; 0 for an
 * invalid character (RFC 3629: surrogates and overlong forms). */
static size_t character(const unsigned char *at, size_t remaining) {
    size_t length = *at < 0x80 ? 1 : *at < 0xc2 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : *at < 0xf5 ? 4 : 0;
    if (length > remaining)
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    }
    bool wrong = length > 2 && ((*at == 0xe0 && at[1] < 0xa0) || (*at == 0xed && at[1] > 0x9f) ||
                                (*at == 0xf0 && at[1] < 0x90) || (*at == 0xf4 && at[1] > 0x8f));
    return wrong ? 0 : length;
}

/* Prints user bytes in a form safe for a terminal: '?' replaces invalid characters, and control characters
 * other than line ends and tabs. */
static void print_text(const char *text, size_t length, FILE *out) {
    const unsigned char *at = (const unsigned char *)text, *end = at + length;
    while (at < end) {
        size_t bytes = character(at, (size_t)(end - at));
        bool control =
            (*at < ' ' && *at != '\n' && *at != '\t') || *at == 0x7f || (*at == 0xc2 && at[1] < 0xa0);
        if (bytes && !control)
            fwrite(at, 1, bytes, out);
        else
            fputc('?', out);
        at += bytes ? bytes : 1;
    }
}

/* Prints as many of `mark` as `length` bytes of text have characters; tabs stay tabs, to align the marks with
 * the text. */
static void print_under(const char *text, size_t length, char mark, FILE *out) {
    const unsigned char *at = (const unsigned char *)text, *end = at + length;
    while (at < end) {
        size_t bytes = character(at, (size_t)(end - at));
        fputc(*at == '\t' && mark == ' ' ? '\t' : mark, out);
        at += bytes ? bytes : 1;
    }
}

/* Prints the line of `loc`, or the surrounding part of a long line, and a line of carets. */
static void print_caret(const src_text *s, src_loc loc, FILE *out) {
    enum { WHOLE = 160, BEFORE = 60, AFTER = 100 };
    size_t at = loc.offset < s->length ? loc.offset : s->length;
    size_t begin = at, end = at;
    while (begin > 0 && s->text[begin - 1] != '\n' && at - begin < WHOLE)
        begin--;
    while (end < s->length && s->text[end] != '\n' && end - at < WHOLE)
        end++;
    if (end - begin > WHOLE) {
        begin = at - begin > BEFORE ? at - BEFORE : begin;
        end = end - at > AFTER ? at + AFTER : end;
    }
    bool cut = begin > 0 && s->text[begin - 1] != '\n', more = end < s->length && s->text[end] != '\n';
    if (end > at && end < s->length && s->text[end] == '\n' && s->text[end - 1] == '\r')
        end--;
    size_t last = at + loc.length < end ? at + loc.length : end;
    fputs(cut ? "    ..." : "    ", out);
    print_text(s->text + begin, end - begin, out);
    fputs(more ? "...\n" : "\n", out);
    fputs(cut ? "       " : "    ", out);
    print_under(s->text + begin, at - begin, ' ', out);
    fputc('^', out);
    size_t first = at < end ? character((const unsigned char *)s->text + at, end - at) : 0;
    if (at + first < last)
        print_under(s->text + at + (first ? first : 1), last - at - (first ? first : 1), '~', out);
    fputc('\n', out);
}

/* Text about dropped diagnostics; NULL: none were dropped. */
static const char *not_shown(const diagnostics *d, arena *mem) {
    const uint32_t all = diag_failures(d), errors = all > DIAG_MAX_ERRORS ? all - DIAG_MAX_ERRORS : 0,
                   warnings = d->omitted;
    const char *of_errors = errors ? arena_printf(mem, "%u more %s not shown", errors,
                                                  plural(errors, "error is", "errors are"))
                                   : NULL,
               *of_warnings = warnings ? arena_printf(mem, "%u more %s not shown", warnings,
                                                      plural(warnings, "warning is", "warnings are"))
                                       : NULL;
    return errors && warnings ? arena_printf(mem, "%s, %s", of_errors, of_warnings)
           : errors           ? of_errors
                              : of_warnings;
}

/* Prints the command that explains the first failure, for a reader at a terminal. */
static void print_pointer(const diagnostics *d, uint32_t first, FILE *out) {
    for (uint32_t i = first; i < d->list.len; i++) {
        const diagnostic *g = &d->list.at[i];
        if (g->code[0] && g->kind < DIAG_WARNING) {
            fprintf(out, "onyx: 'onyx help %.5s' explains the error\n", g->code);
            return;
        }
    }
}

void diag_print(const diagnostics *d, uint32_t first, FILE *out, bool colour) {
    static const char *const word[] = {"", "error", "does not fit", "wrong result", "warning", "note"};
    static const char *const tint[] = {"",           "\033[1;31m", "\033[1;31m",
                                       "\033[1;31m", "\033[1;35m", "\033[1;36m"};
    for (uint32_t i = first; i < d->list.len; i++) {
        const diagnostic *g = &d->list.at[i];
        uint32_t line = 0, col = 0;
        bool placed = diag_line_col(d, g->loc, &line, &col);
        if (placed)
            fprintf(out, "%s:%u:%u: ", d->sources.at[g->loc.source - 1].name, line, col);
        else
            fputs("onyx: ", out);
        fprintf(out, "%s%s:%s ", colour ? tint[g->kind] : "", word[g->kind], colour ? "\033[0m" : "");
        print_text(g->message, strlen(g->message), out);
        if (g->code[0])
            fprintf(out, " [%s]", g->code);
        fputc('\n', out);
        if (placed)
            print_caret(&d->sources.at[g->loc.source - 1], g->loc, out);
        if (g->hint) {
            fputs("    help: ", out);
            print_text(g->hint, strlen(g->hint), out);
            fputc('\n', out);
        }
    }
    const char *more = not_shown(d, d->mem);
    if (more)
        fprintf(out, "onyx: note: %s\n", more);
    if (colour)
        print_pointer(d, first, out);
}

bool diag_colour(FILE *out) {
    const char *term = getenv("TERM"), *no = getenv("NO_COLOR");
    return isatty(fileno(out)) && !(no && *no) && !(term && strcmp(term, "dumb") == 0);
}

/* ---- as JSON --------------------------------------------------------------------------------- */

/* Makes JSON of a message, which may quote any user bytes: U+FFFD replaces invalid characters, since JSON has
 * only valid ones. */
static cJSON *json_text(const char *text, arena *mem) {
    char *copy = arena_alloc(mem, 3 * strlen(text) + 1), *to = copy;
    const unsigned char *end = (const unsigned char *)text + strlen(text);
    for (const unsigned char *at = (const unsigned char *)text; at < end;) {
        size_t length = character(at, (size_t)(end - at));
        memcpy(to, length ? (const char *)at : "\xef\xbf\xbd", length ? length : 3);
        to += length ? length : 3;
        at += length ? length : 1;
    }
    return cJSON_CreateString(copy);
}

static void add_place(const diagnostics *d, const diagnostic *g, arena *mem, cJSON *json) {
    uint32_t line, col;
    bool placed = diag_line_col(d, g->loc, &line, &col);
    cJSON_AddItemToObject(
        json, "file", placed ? json_text(d->sources.at[g->loc.source - 1].name, mem) : cJSON_CreateNull());
    cJSON_AddItemToObject(json, "line", placed ? cJSON_CreateNumber(line) : cJSON_CreateNull());
    cJSON_AddItemToObject(json, "column", placed ? cJSON_CreateNumber(col) : cJSON_CreateNull());
    cJSON_AddItemToObject(json, "length", placed ? cJSON_CreateNumber(g->loc.length) : cJSON_CreateNull());
    cJSON_AddItemToObject(json, "message", json_text(g->message, mem));
}

static cJSON *diagnostic_json(const diagnostics *d, const diagnostic *g, arena *mem) {
    static const char *const severity[] = {"", "error", "unmappable", "mismatch", "warning", "note"};
    cJSON *json = cJSON_CreateObject();
    cJSON_AddItemToObject(json, "code", g->code[0] ? cJSON_CreateString(g->code) : cJSON_CreateNull());
    cJSON_AddStringToObject(json, "severity", severity[g->kind]);
    add_place(d, g, mem, json);
    cJSON *hints = cJSON_AddArrayToObject(json, "hints");
    if (g->hint)
        cJSON_AddItemToArray(hints, json_text(g->hint, mem));
    cJSON_AddArrayToObject(json, "notes");
    return json;
}

static void print_line(cJSON *json, FILE *out) {
    if (!json)
        return;
    char *text = json_print(json, false);
    fprintf(out, "%s\n", text);
    cJSON_free(text);
    cJSON_Delete(json);
}

void diag_print_json(const diagnostics *d, uint32_t first, FILE *out) {
    arena scratch = {0};
    cJSON *json = NULL; /* the latest diagnostic other than a note; receives its notes */
    for (uint32_t i = first; i < d->list.len; i++) {
        const diagnostic *g = &d->list.at[i];
        if (g->kind == DIAG_NOTE && json) {
            cJSON *note = cJSON_CreateObject();
            add_place(d, g, &scratch, note);
            cJSON_AddItemToArray(cJSON_GetObjectItem(json, "notes"), note);
            continue;
        }
        print_line(json, out);
        json = diagnostic_json(d, g, &scratch);
    }
    print_line(json, out);
    const char *message = not_shown(d, &scratch);
    if (message) {
        print_line(
            diagnostic_json(d, &(diagnostic){DIAG_NOTE, DIAG_REFUSED_NONE, "", {0}, message, NULL}, &scratch),
            out);
    }
    arena_free(&scratch);
}
