/* Renders Markdown for a terminal. A text is split into glyphs, each with its style; lines and table cells
 * are runs of glyphs: escape sequences take no column. */
#include "cli/terminal.h"

#include <ctype.h>
#include <stdlib.h>
#include <sys/ioctl.h>

enum { PLAIN, CODE, EMPHASIS, STRONG, LINK, RULER, STYLES };
static const char *const escape[STYLES] = {"\033[0m",   "\033[0;36m", "\033[0;3m",
                                           "\033[0;1m", "\033[0;4m",  "\033[0;2m"};

/* A character of up to four bytes in UTF-8. */
typedef struct {
    char bytes[4];
    uint8_t length, style;
} glyph;
typedef VEC(glyph) glyph_vec;

/* Where a line of wrapped glyphs begins and ends. */
typedef struct {
    uint32_t from, to;
} span;
typedef VEC(span) span_vec;

typedef struct {
    arena *mem;
    FILE *out;
    uint32_t width;
    int style; /* of what was printed last */
} terminal;

uint32_t terminal_width(FILE *out) {
    enum { WIDEST = 110, USUAL = 80, NARROWEST = 20 };
    struct winsize size = {0};
    uint32_t width = ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : USUAL;
    return width > WIDEST ? WIDEST : width < NARROWEST ? NARROWEST : width;
}

/* ---- glyphs ------------------------------------------------------------------------------------ */

static const char *push_glyph(arena *mem, glyph_vec *to, const char *at, int style) {
    glyph g = {{*at++}, 1, (uint8_t)style};
    while (g.length < sizeof g.bytes && ((unsigned char)*at & 0xc0) == 0x80)
        g.bytes[g.length++] = *at++;
    vec_push(mem, to, g);
    return at;
}

/* True if a mark such as ** at `at` opens text closed by the same mark before `end`. */
static bool opens(const char *at, const char *end, const char *mark) {
    size_t n = strlen(mark);
    if ((size_t)(end - at) <= n || strncmp(at, mark, n) != 0 || isspace((unsigned char)at[n]))
        return false;
    for (const char *c = at + n + 1; c + n <= end; c++) {
        if (strncmp(c, mark, n) == 0 && !isspace((unsigned char)c[-1]) && c[-1] != '\\')
            return true;
    }
    return false;
}

/* The end of [text](target) at `at`; NULL if none. */
static const char *link_end(const char *at, const char *end, const char **text_end) {
    const char *close = memchr(at, ']', (size_t)(end - at));
    const char *last =
        close && close + 1 < end && close[1] == '(' ? memchr(close, ')', (size_t)(end - close)) : NULL;
    *text_end = close;
    return last ? last + 1 : NULL;
}

/* Adds the glyphs of a text; white space becomes single blanks. */
static void push_text(arena *mem, glyph_vec *to, const char *at, const char *end, int base) {
    int style = base;
    while (at < end) {
        const char *text_end, *after;
        if (style == CODE && *at != '`') {
            at += strncmp(at, "\\|", 2) == 0; /* skips the backslash before a bar of a table */
            at = push_glyph(mem, to, at, style);
        } else if (*at == '`' && (style == CODE || opens(at, end, "`"))) {
            style = style == CODE ? base : CODE;
            at++;
        } else if (*at == '\\' && at + 1 < end && ispunct((unsigned char)at[1])) {
            at = push_glyph(mem, to, at + 1, style);
        } else if (strncmp(at, "**", 2) == 0 && (style == STRONG || opens(at, end, "**"))) {
            style = style == STRONG ? base : STRONG;
            at += 2;
        } else if (*at == '*' && (style == EMPHASIS || opens(at, end, "*"))) {
            style = style == EMPHASIS ? base : EMPHASIS;
            at++;
        } else if ((*at == '[' || (*at == '!' && at[1] == '[')) &&
                   (after = link_end(at, end, &text_end)) != NULL) {
            push_text(mem, to, strchr(at, '[') + 1, text_end, LINK);
            at = after;
        } else if (isspace((unsigned char)*at)) {
            if (to->len && to->at[to->len - 1].bytes[0] != ' ')
                push_glyph(mem, to, " ", style);
            at++;
        } else {
            at = push_glyph(mem, to, at, style);
        }
    }
}

/* Cuts glyphs into lines of at most `width`, between words if possible. */
static span_vec wrap(arena *mem, const glyph_vec *text, uint32_t width) {
    span_vec lines = {0};
    uint32_t from = 0;
    while (from < text->len) {
        uint32_t to = from + width, next;
        if (to >= text->len) {
            to = next = text->len;
        } else {
            uint32_t blank = to;
            while (blank > from && text->at[blank].bytes[0] != ' ')
                blank--;
            to = blank > from ? blank : to;
            next = blank > from ? blank + 1 : to;
        }
        vec_push(mem, &lines, ((span){from, to}));
        from = next;
    }
    return lines;
}

static void set_style(terminal *t, int style) {
    if (style != t->style)
        fputs(escape[style], t->out);
    t->style = style;
}

static void put_glyphs(terminal *t, const glyph_vec *text, span line) {
    for (uint32_t i = line.from; i < line.to; i++) {
        set_style(t, text->at[i].style);
        fwrite(text->at[i].bytes, 1, text->at[i].length, t->out);
    }
    set_style(t, PLAIN);
}

static void put_blanks(terminal *t, uint32_t n) {
    fprintf(t->out, "%*s", (int)n, "");
}

/* Prints wrapped text: `first` blanks before the first line, `rest` before the following lines. */
static void put_paragraph(terminal *t, const glyph_vec *text, uint32_t first, uint32_t rest) {
    const span_vec lines = wrap(t->mem, text, t->width > rest + 10 ? t->width - rest : 10);
    for (uint32_t i = 0; i < lines.len; i++) {
        put_blanks(t, i ? rest : first);
        put_glyphs(t, text, lines.at[i]);
        fputc('\n', t->out);
    }
}

/* ---- blocks ------------------------------------------------------------------------------------ */

static const char *line_end(const char *at) {
    return at + strcspn(at, "\n");
}

static const char *next_line(const char *at) {
    at = line_end(at);
    return *at ? at + 1 : at;
}

static bool is_item(const char *at) {
    size_t digits = strspn(at, "0123456789");
    return strncmp(at, "- ", 2) == 0 || (digits && strncmp(at + digits, ". ", 2) == 0);
}

static bool ends_paragraph(const char *at) {
    return *at == '\n' || *at == '\0' || *at == '#' || *at == '|' || is_item(at + strspn(at, " ")) ||
           strncmp(at, "```", 3) == 0 || strncmp(at, "<!--", 4) == 0;
}

/* Prints a paragraph, or an item of a list; returns the rest of the text. */
static const char *paragraph(terminal *t, const char *at) {
    glyph_vec text = {0};
    uint32_t indent = (uint32_t)strspn(at, " ");
    uint32_t hang = indent;
    if (is_item(at + indent))
        hang += (uint32_t)strcspn(at + indent, " ") + 1;
    do {
        const char *end = line_end(at);
        push_text(t->mem, &text, at + strspn(at, " "), end, PLAIN);
        vec_push(t->mem, &text, ((glyph){" ", 1, PLAIN}));
        at = next_line(at);
    } while (!ends_paragraph(at));
    text.len--;
    put_paragraph(t, &text, indent, hang);
    return at;
}

static const char *heading(terminal *t, const char *at) {
    size_t level = strspn(at, "#");
    const char *end = line_end(at);
    glyph_vec text = {0};
    push_text(t->mem, &text, at + level + strspn(at + level, " "), end, STRONG);
    for (uint32_t i = 0; level == 1 && i < text.len; i++) {
        if (islower((unsigned char)text.at[i].bytes[0]) && text.at[i].style == STRONG)
            text.at[i].bytes[0] = (char)toupper((unsigned char)text.at[i].bytes[0]);
    }
    put_paragraph(t, &text, 0, 0);
    return next_line(at);
}

static void code_line(terminal *t, const char *at) {
    set_style(t, CODE);
    fprintf(t->out, "    %.*s", (int)(line_end(at) - at), at);
    set_style(t, PLAIN);
    fputc('\n', t->out);
}

static const char *fence(terminal *t, const char *at) {
    for (at = next_line(at); *at && strncmp(at, "```", 3) != 0; at = next_line(at))
        code_line(t, at);
    return next_line(at);
}

static const char *comment(const char *at) {
    const char *end = strstr(at, "-->");
    return end ? next_line(end) : at + strlen(at);
}

/* ---- tables ------------------------------------------------------------------------------------ */

enum { COLUMNS_MOST = 16, BETWEEN = 2 };

typedef struct {
    uint32_t n;
    glyph_vec cell[COLUMNS_MOST];
} table_row;
typedef VEC(table_row) table_rows;

/* Splits a row at bars unprotected by a backslash or code. */
static table_row split_row(arena *mem, const char *at, int style) {
    table_row row = {0};
    const char *end = line_end(at), *begin = at + 1;
    bool code = false;
    for (const char *c = begin; c < end; c++) {
        code = code != (*c == '`');
        if (*c != '|' || c[-1] == '\\' || (code && memchr(c, '`', (size_t)(end - c)) == NULL) ||
            row.n == COLUMNS_MOST)
            continue;
        glyph_vec *cell = &row.cell[row.n++];
        push_text(mem, cell, begin + strspn(begin, " "), c, style);
        while (cell->len && cell->at[cell->len - 1].bytes[0] == ' ')
            cell->len--;
        begin = c + 1;
    }
    return row;
}

static bool is_ruler(const char *at) {
    return strspn(at, "|-: ") == strcspn(at, "\n");
}

/* Makes the columns as wide as their widest cell, and narrows the widest ones until all fit. */
static void fit_columns(const table_rows *rows, uint32_t most, uint32_t *width, uint32_t n) {
    enum { NARROWEST = 8 };
    uint32_t sum = (n - 1) * BETWEEN;
    for (uint32_t c = 0; c < n; c++) {
        width[c] = 1;
        for (uint32_t r = 0; r < rows->len; r++) {
            if (c < rows->at[r].n && rows->at[r].cell[c].len > width[c])
                width[c] = rows->at[r].cell[c].len;
        }
        sum += width[c];
    }
    while (sum > most) {
        uint32_t widest = 0;
        for (uint32_t c = 1; c < n; c++)
            widest = width[c] > width[widest] ? c : widest;
        if (width[widest] <= NARROWEST)
            return;
        width[widest]--;
        sum--;
    }
}

static void put_row(terminal *t, const table_row *row, const uint32_t *width) {
    span_vec lines[COLUMNS_MOST] = {{0}};
    uint32_t high = 1;
    for (uint32_t c = 0; c < row->n; c++) {
        lines[c] = wrap(t->mem, &row->cell[c], width[c]);
        high = lines[c].len > high ? lines[c].len : high;
    }
    for (uint32_t l = 0; l < high; l++) {
        uint32_t owed = 0; /* pending blanks, printed only before further text */
        for (uint32_t c = 0; c < row->n; c++) {
            const span line = l < lines[c].len ? lines[c].at[l] : (span){0};
            if (line.to > line.from) {
                put_blanks(t, owed);
                put_glyphs(t, &row->cell[c], line);
                owed = 0;
            }
            owed += width[c] - (line.to - line.from) + BETWEEN;
        }
        fputc('\n', t->out);
    }
}

static const char *table(terminal *t, const char *at) {
    table_rows rows = {0};
    uint32_t width[COLUMNS_MOST], n = 0, sum = 0;
    for (; *at == '|'; at = next_line(at)) {
        if (is_ruler(at))
            continue;
        const table_row row = split_row(t->mem, at, rows.len ? PLAIN : STRONG);
        vec_push(t->mem, &rows, row);
        n = row.n > n ? row.n : n;
    }
    if (!n)
        return at;
    fit_columns(&rows, t->width, width, n);
    for (uint32_t c = 0; c < n; c++)
        sum += width[c] + (c ? BETWEEN : 0);
    for (uint32_t r = 0; r < rows.len; r++) {
        put_row(t, &rows.at[r], width);
        if (r)
            continue;
        set_style(t, RULER);
        for (uint32_t i = 0; i < sum; i++)
            fputs("\u2500", t->out);
        set_style(t, PLAIN);
        fputc('\n', t->out);
    }
    return at;
}

void terminal_print(const char *markdown, uint32_t width, arena *mem, FILE *out) {
    terminal t = {mem, out, width, PLAIN};
    const char *at = markdown;
    while (*at) {
        if (*at == '\n') {
            fputc('\n', out);
            at++;
        } else if (*at == '#') {
            at = heading(&t, at);
        } else if (*at == '|') {
            at = table(&t, at);
        } else if (strncmp(at, "```", 3) == 0) {
            at = fence(&t, at);
        } else if (strncmp(at, "<!--", 4) == 0) {
            at = comment(at);
        } else if (strncmp(at, "    ", 4) == 0 && !is_item(at + strspn(at, " "))) {
            code_line(&t, at + 4);
            at = next_line(at);
        } else {
            at = paragraph(&t, at);
        }
    }
}
