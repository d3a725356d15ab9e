/* lists.c - descriptions with lists of indices whose length is open.
 *
 *   list      := "list" ":" L "(" [least] "..." [most] ")"
 *
 * in a line of its own; elsewhere in the file
 *
 *   L...              its indices, with commas          order(L)      how many these are
 *   product(L)        of how far they run               all(L, c)     condition c with each in place of L,
 * and all hold any(L, c)         the same, and one holds           L             in a call: how far they run,
 * const int *
 *
 * That is written out as text for each length, line by line, so that lines keep their numbers and everything
 * else reads descriptions without lists. Without `most`, a tensor may have as many indices as any
 * (SAM_MAX_ORDER).
 */
#include "frontend/functions/lists.h"

#include <ctype.h>

typedef struct {
    const char *name;
    size_t length; /* of the name */
    uint32_t least, most, now;
} list;

typedef struct {
    list all[FE_MOST_LISTS];
    uint32_t n;
    arena *mem;
} lists;

typedef VEC(char) chars;

static void put(const lists *l, chars *out, const char *text) {
    for (; *text; text++)
        vec_push(l->mem, out, *text);
}

/* Returns the list whose name stands here as a word of its own, or NULL. */
static const list *list_at(const lists *l, const char *start, const char *at, const char *end) {
    const char *stop = at;
    while (stop < end && text_in_name(*stop))
        stop++;
    if (stop == at || (at > start && text_in_name(at[-1])))
        return NULL;
    for (uint32_t i = 0; i < l->n; i++) {
        if (l->all[i].length == (size_t)(stop - at) && memcmp(l->all[i].name, at, l->all[i].length) == 0)
            return &l->all[i];
    }
    return NULL;
}

static const char *past_blanks(const char *at, const char *end) {
    while (at < end && *at == ' ')
        at++;
    return at;
}

/* Writes the indices out; without indices, removes an adjacent comma and empty parentheses. */
static const char *write_indices(const lists *l, const list *of, const char *at, const char *end,
                                 chars *out) {
    for (uint32_t i = 1; i <= of->now; i++)
        put(l, out, arena_printf(l->mem, "%s%.*s%u", i > 1 ? "," : "", (int)of->length, of->name, i));
    if (of->now)
        return at;
    const char *next = past_blanks(at, end);
    if (next < end && *next == ',')
        return past_blanks(next + 1, end);
    while (out->len && out->at[out->len - 1] == ' ')
        out->len--;
    if (out->len && out->at[out->len - 1] == ',')
        out->len--;
    if (out->len && out->at[out->len - 1] == '(' && next < end && *next == ')') {
        out->len--;
        return next + 1;
    }
    return at;
}

/* Returns the position after the parenthesis that closes the one open at `at`, or NULL. */
static const char *closing(const char *at, const char *end) {
    for (int depth = 1; at < end; at++) {
        depth += (*at == '(') - (*at == ')');
        if (!depth)
            return at;
    }
    return NULL;
}

/* Writes a condition for each index of a list. */
static void write_each(const lists *l, const list *of, const char *at, const char *end, const char *between,
                       chars *out) {
    for (uint32_t i = 1; i <= of->now; i++) {
        put(l, out, i > 1 ? between : "");
        put(l, out, "(");
        for (const char *c = at; c < end;) {
            if (list_at(l, at, c, end) == of) {
                put(l, out, arena_printf(l->mem, "%.*s%u", (int)of->length, of->name, i));
                c += of->length;
            } else {
                vec_push(l->mem, out, *c++);
            }
        }
        put(l, out, ")");
    }
}

/* Writes the expansion of a word of a list, order(L) and others; returns the rest, or NULL for another
 * word. */
static const char *write_word(const lists *l, const char *start, const char *at, const char *end,
                              chars *out) {
    static const char *const words[] = {"order(", "product(", "all(", "any("};
    uint32_t word = 0;
    while (word < 4 &&
           ((size_t)(end - at) < strlen(words[word]) || memcmp(at, words[word], strlen(words[word])) != 0))
        word++;
    if (word == 4 || (at > start && text_in_name(at[-1])))
        return NULL;
    const char *inside = past_blanks(at + strlen(words[word]), end), *stop = closing(inside, end);
    const list *of = list_at(l, inside, inside, end);
    if (!of || !stop)
        return NULL;
    const char *next = past_blanks(inside + of->length, end);
    if (word < 2 ? next != stop : *next != ',')
        return NULL;
    if (word == 0) {
        put(l, out, arena_printf(l->mem, "%u", of->now));
    } else if (word == 1) {
        put(l, out, of->now ? "(" : "1");
        for (uint32_t i = 1; i <= of->now; i++)
            put(l, out, arena_printf(l->mem, "%s%.*s%u", i > 1 ? " * " : "", (int)of->length, of->name, i));
        put(l, out, of->now ? ")" : "");
    } else if (!of->now) {
        put(l, out, word == 2 ? "1 == 1" : "1 == 0");
    } else {
        put(l, out, word == 2 ? "" : "(");
        write_each(l, of, past_blanks(next + 1, end), stop, word == 2 ? " && " : " || ", out);
        put(l, out, word == 2 ? "" : ")");
    }
    return stop + 1;
}

static void write_line(const lists *l, const char *line, const char *end, chars *out) {
    for (const char *at = line; at < end;) {
        const list *of = list_at(l, line, at, end);
        const char *next = write_word(l, line, at, end, out);
        if (next) {
            at = next;
        } else if (of && (size_t)(end - at) >= of->length + 3 && memcmp(at + of->length, "...", 3) == 0) {
            at = write_indices(l, of, at + of->length + 3, end, out);
        } else {
            vec_push(l->mem, out, *at++);
        }
    }
}

/* Writes the replacement of a list's line: the extents of its indices, for the call. */
static void write_object(const lists *l, const list *of, chars *out) {
    put(l, out,
        arena_printf(l->mem, "object: const int %.*s[%u] = {", (int)of->length, of->name,
                     of->now ? of->now : 1));
    for (uint32_t i = 1; i <= of->now; i++)
        put(l, out, arena_printf(l->mem, "%s%.*s%u", i > 1 ? ", " : "", (int)of->length, of->name, i));
    put(l, out, of->now ? "}" : "0}");
}

/* ---- the lists of a file ----------------------------------------------------------------------- */

/* Returns the text after "list:" in a line, or NULL. */
static const char *of_list(const char *line, const char *end) {
    line += strspn(line, " \t");
    if (end - line < 5 || memcmp(line, "list", 4) != 0)
        return NULL;
    line = past_blanks(line + 4, end);
    return line < end && *line == ':' ? past_blanks(line + 1, end) : NULL;
}

static uint32_t number_at(const char **at, const char *end, uint32_t otherwise) {
    uint32_t n = 0;
    const char *first = *at;
    while (*at < end && isdigit((unsigned char)**at) && n <= SAM_MAX_ORDER)
        n = 10 * n + (uint32_t)(*(*at)++ - '0');
    return *at > first ? n : otherwise;
}

/* Reads "I(2...4)". */
static bool read_list(const char *at, const char *end, list *out) {
    while (end > at && strchr(" \t\r", end[-1]))
        end--;
    *out = (list){.name = at};
    while (at < end && text_in_name(*at))
        at++;
    out->length = (size_t)(at - out->name);
    if (!out->length || isdigit((unsigned char)*out->name) || at == end || *at++ != '(')
        return false;
    out->least = number_at(&at, end, 0);
    if (end - at < 3 || memcmp(at, "...", 3) != 0)
        return false;
    at += 3;
    out->most = number_at(&at, end, SAM_MAX_ORDER);
    return end - at == 1 && *at == ')' && out->least <= out->most && out->most <= SAM_MAX_ORDER;
}

/* For a list without bound: as many indices as leave room for the other indices in each tensor. */
static void bound_by_tensors(const fe_function_file *file, lists *l) {
    const char *end = file->text + file->length;
    for (const char *at = file->text; at < end; at++) {
        list *of = NULL;
        for (uint32_t i = 0; i < l->n; i++)
            of = list_at(l, file->text, at, end) == &l->all[i] ? &l->all[i] : of;
        if (!of || (size_t)(end - at) < of->length + 3 || memcmp(at + of->length, "...", 3) != 0)
            continue;
        const char *open = at;
        uint32_t commas = 0;
        while (open > file->text && *open != '(' && *open != '\n')
            open--;
        const char *stop = *open == '(' ? closing(open + 1, end) : NULL;
        for (const char *c = open; stop && c < stop; c++)
            commas += *c == ',';
        of->most = of->most > SAM_MAX_ORDER - commas ? SAM_MAX_ORDER - commas : of->most;
    }
}

static bool refuse(const fe_function_file *file, const char *at, const char *end, const char *what,
                   const char *hint, diagnostics *d) {
    const uint32_t source = diag_add_source(d, file->name, file->text, file->length);
    diag_error(d, src_at(source, (size_t)(at - file->text), (size_t)(end - at)), "E0163-description", "%s",
               what);
    return diag_hint(d, "%s", hint);
}

static bool find_lists(const fe_function_file *file, diagnostics *d, lists *l) {
    const char *end = file->text + file->length;
    for (const char *line = file->text, *stop; line < end; line = stop + 1) {
        stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop ? stop : end;
        const char *at = of_list(line, stop);
        if (!at)
            continue;
        if (l->n == FE_MOST_LISTS)
            return refuse(file, at, stop, "a description has at most 4 lists", "leave one out", d);
        if (!read_list(at, stop, &l->all[l->n]))
            return refuse(file, at, stop, "expected a name and how many indices it stands for",
                          "list: I(1...4), I(2...), I(...4) or I(...); a tensor has at most 12", d);
        l->n++;
    }
    bound_by_tensors(file, l);
    return true;
}

static fe_member member_of(const lists *l, const fe_function_file *file) {
    chars text = {0};
    fe_member m = {.file = *file, .suffix = ""};
    const char *end = file->text + file->length;
    for (const char *line = file->text, *stop; line < end; line = stop + 1) {
        stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop ? stop : end;
        const char *at = of_list(line, stop);
        if (at)
            write_object(l, list_at(l, at, at, stop), &text);
        else
            write_line(l, line, stop, &text);
        vec_push(l->mem, &text, '\n');
    }
    m.file.length = text.len;
    vec_push(l->mem, &text, '\0');
    m.file.text = text.at;
    for (uint32_t i = 0; i < l->n; i++)
        m.suffix = arena_printf(l->mem, "%s_%u", m.suffix, l->all[i].now);
    return m;
}

bool fe_write_out_lists(const fe_function_file *file, diagnostics *d, fe_members *out) {
    lists l = {.mem = d->mem};
    if (!find_lists(file, d, &l))
        return false;
    if (!l.n) {
        vec_push(l.mem, out, ((fe_member){*file, ""}));
        return true;
    }
    for (uint32_t i = 0; i < l.n; i++)
        l.all[i].now = l.all[i].least;
    for (uint32_t i = 0; i < l.n;) {
        if (out->len == FE_MOST_MEMBERS)
            return refuse(file, file->text, file->text + strcspn(file->text, "\n"),
                          "its lists have more than 64 lengths together",
                          "say how long they are: list: I(1...4)", d);
        vec_push(l.mem, out, member_of(&l, file));
        for (i = 0; i < l.n && l.all[i].now == l.all[i].most; i++)
            l.all[i].now = l.all[i].least;
        if (i < l.n)
            l.all[i].now++;
    }
    return true;
}
