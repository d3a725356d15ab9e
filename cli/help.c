/* onyx help prints the pages of docs/ (the manual) and of docs/notebook/, or the row of an error code. */
#include "cli/help.h"
#include "cli/terminal.h"
#include "cli/usage.h"

#include <ctype.h>
#include <unistd.h>

#define NOTEBOOK "notebook" /* its folder, below the manual's */

/* Returns the pages of a folder without its index, since the list replaces the index. */
static text_vec pages_of(cli_session *s, const char *folder) {
    text_vec pages = {0};
    const text_vec all = cli_names_in(s, folder, ".md");
    for (uint32_t i = 0; i < all.len; i++) {
        if (strcmp(all.at[i], "README") != 0)
            vec_push(&s->mem, &pages, all.at[i]);
    }
    return pages;
}

static const char *page_text(cli_session *s, const char *folder, const char *page) {
    size_t length;
    return file_read(arena_printf(&s->mem, "%s/%s.md", folder, page), &s->mem, &length, &s->diag);
}

/* Prints each page of a folder with its title, the first line: "# title". */
static bool list_pages(cli_session *s, const char *folder) {
    const text_vec pages = pages_of(s, folder);
    for (uint32_t i = 0; i < pages.len; i++) {
        const char *text = page_text(s, folder, pages.at[i]);
        if (!text)
            return false;
        text += strspn(text, "# ");
        printf("  %-14s %.*s\n", pages.at[i], (int)strcspn(text, "\n"), text);
    }
    return pages.len > 0;
}

static bool list_topics(cli_session *s, const char *docs) {
    if (!list_pages(s, docs))
        return false;
    printf("  %-14s the errors of a part: errors/frontend, ...\n  %-14s one error\n", "errors/PART", "E0301");
    puts("\nPages of the notebook, which say what was measured and proved:");
    return list_pages(s, arena_printf(&s->mem, "%s/" NOTEBOOK, docs));
}

/* Returns whether the topic is an error code, E0301 or E0301-banner. */
static bool is_code(const char *topic) {
    return toupper((unsigned char)topic[0]) == 'E' && strspn(topic + 1, "0123456789") == 4 &&
           (topic[5] == '-' || !topic[5]);
}

/* Returns a cell of a row without surrounding blanks; *at moves after the cell. */
static const char *cell(arena *mem, const char **at) {
    const char *begin = *at + strspn(*at, "| "), *end = begin + strcspn(begin, "|\n");
    *at = end;
    while (end > begin && end[-1] == ' ')
        end--;
    return arena_strndup(mem, begin, (size_t)(end - begin));
}

/* Prints a text of the documentation: formatted for a terminal, or, without colours, unchanged. */
static void print_text(cli_session *s, const char *text) {
    if (diag_colour(stdout))
        terminal_print(text, terminal_width(stdout), &s->mem, stdout);
    else
        fputs(text, stdout);
}

/* Prints the rows of a table of errors whose code begins with `code`; returns their number. */
static uint32_t print_rows(cli_session *s, const char *page, const char *text, const char *code) {
    uint32_t found = 0;
    char wanted[8] = "| E";
    snprintf(wanted + 3, sizeof wanted - 3, "%.4s", code + 1);
    for (const char *at = text; (at = strstr(at, wanted)) != NULL; at++) {
        const char *next = at + 1;
        const char *name = cell(&s->mem, &next), *meaning = cell(&s->mem, &next);
        if (code[5] && strcmp(name + 5, code + 5) != 0)
            continue;
        const char *helps = *next == '|' && next[1] == ' ' && next[2] == '|' ? "" : cell(&s->mem, &next);
        const bool styled = diag_colour(stdout);
        print_text(s, arena_printf(&s->mem, styled ? "**%s** (%s)\n%s%s\n" : "%s (%s)\n%s%s\n", name, page,
                                   styled ? "\n" : "    ", meaning));
        if (*helps)
            print_text(s, arena_printf(&s->mem, styled ? "**help:** %s\n" : "    help: %s\n", helps));
        found++;
    }
    return found;
}

static bool print_code(cli_session *s, const char *folder, const char *code) {
    uint32_t found = 0;
    const text_vec pages = pages_of(s, folder);
    for (uint32_t i = 0; i < pages.len; i++) {
        const char *text = page_text(s, folder, pages.at[i]);
        if (!text)
            return false;
        found += print_rows(s, pages.at[i], text, code);
    }
    return found > 0;
}

/* Returns whether the topic is a path out of the documentation. */
static bool leaves_docs(const char *topic) {
    return strstr(topic, "..") || topic[0] == '/';
}

/* Returns the folder of the page: the manual's or else the notebook's; NULL if absent. */
static const char *folder_of(cli_session *s, const char *docs, const char *topic) {
    if (leaves_docs(topic))
        return NULL;
    const char *const books[] = {docs, arena_printf(&s->mem, "%s/" NOTEBOOK, docs)};
    for (size_t i = 0; i < sizeof books / sizeof *books; i++) {
        if (access(arena_printf(&s->mem, "%s/%s.md", books[i], topic), R_OK) == 0)
            return books[i];
    }
    return NULL;
}

bool help_is_page(const char *topic) {
    cli_session s;
    cli_session_begin(&s);
    bool is = folder_of(&s, help_docs_folder(&s), topic) != NULL;
    cli_session_end(&s, true);
    return is;
}

static bool print_topic(cli_session *s, const char *docs, const char *topic) {
    if (is_code(topic))
        return print_code(s, arena_printf(&s->mem, "%s/errors", docs), topic);
    const char *folder = folder_of(s, docs, topic);
    if (!folder)
        return false;
    const char *text = page_text(s, folder, topic);
    if (text)
        print_text(s, text);
    return text != NULL;
}

/* ---- search -------------------------------------------------------------------------------------- */

enum { FOUND_LINES = 2, FOUND_WIDTH = 100 }; /* of each page */

/* Returns where the words are in a text, whatever the size of their letters; NULL: nowhere. */
static const char *find_words(const char *text, const char *words) {
    const size_t length = strlen(words);
    for (; *text; text++) {
        size_t n = 0;
        while (n < length && tolower((unsigned char)text[n]) == tolower((unsigned char)words[n]))
            n++;
        if (n == length)
            return text;
    }
    return NULL;
}

/* Prints the first lines of a page that contain the words; false if none does. */
static bool print_found(const char *page, const char *text, const char *words) {
    const char *at = text;
    for (int n = 0; n < FOUND_LINES && (at = find_words(at, words)) != NULL; n++) {
        const char *begin = at;
        while (begin > text && begin[-1] != '\n' && at - begin < FOUND_WIDTH / 2)
            begin--;
        size_t length = strcspn(begin, "\n");
        length = length < FOUND_WIDTH ? length : FOUND_WIDTH;
        printf("  %-14s %.*s\n", n ? "" : page, (int)length, begin);
        at = begin + strcspn(begin, "\n");
    }
    return find_words(text, words) != NULL;
}

/* Returns the words of all arguments. */
static text_vec words_of(const text_vec *arguments, arena *mem) {
    text_vec words = {0};
    for (uint32_t i = 0; i < arguments->len; i++) {
        for (const char *at = arguments->at[i]; *(at += strspn(at, " ")); at += strcspn(at, " "))
            vec_push(mem, &words, arena_printf(mem, "%.*s", (int)strcspn(at, " "), at));
    }
    return words;
}

static const char *phrase_of(const text_vec *words, arena *mem) {
    const char *phrase = words->len ? words->at[0] : "";
    for (uint32_t i = 1; i < words->len; i++)
        phrase = arena_printf(mem, "%s %s", phrase, words->at[i]);
    return phrase;
}

/* Prints the line with most of the words, of a page that contains all of them; false if a word is missing. */
static bool print_line_of(const char *page, const char *text, const text_vec *words, arena *mem) {
    const char *best = text;
    uint32_t most = 0;
    for (uint32_t i = 0; i < words->len; i++) {
        if (!find_words(text, words->at[i]))
            return false;
    }
    for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        const char *line = arena_printf(mem, "%.*s", (int)strcspn(at, "\n"), at);
        uint32_t n = 0;
        for (uint32_t i = 0; i < words->len; i++)
            n += find_words(line, words->at[i]) != NULL;
        best = n > most ? at : best;
        most = n > most ? n : most;
    }
    const size_t length = strcspn(best, "\n");
    printf("  %-14s %.*s\n", page, (int)(length < FOUND_WIDTH ? length : FOUND_WIDTH), best);
    return true;
}

/* Prints the pages of both books and of errors that contain the phrase or, if there are none, all of its
 * words; false if no page does. */
static bool search(cli_session *s, const char *docs, const text_vec *words) {
    const char *const books[] = {docs, arena_printf(&s->mem, "%s/errors", docs),
                                 arena_printf(&s->mem, "%s/" NOTEBOOK, docs)};
    const char *phrase = phrase_of(words, &s->mem);
    bool found = false;
    for (int by_word = 0; by_word <= (words->len > 1) && !found && strlen(phrase) > 2; by_word++) {
        for (size_t b = 0; b < sizeof books / sizeof *books; b++) {
            const text_vec pages = pages_of(s, books[b]);
            for (uint32_t i = 0; i < pages.len; i++) {
                const char *text = page_text(s, books[b], pages.at[i]);
                const char *page = b == 1 ? arena_printf(&s->mem, "errors/%s", pages.at[i]) : pages.at[i];
                found = (text && (by_word ? print_line_of(page, text, words, &s->mem)
                                          : print_found(page, text, phrase))) ||
                        found;
            }
        }
    }
    return found;
}

/* Returns the page of either book with the most similar name; NULL: none is similar. */
static const char *nearest_page(cli_session *s, const char *docs, const char *topic) {
    const text_vec books[] = {pages_of(s, docs), pages_of(s, arena_printf(&s->mem, "%s/" NOTEBOOK, docs))};
    const char *nearest = NULL;
    uint32_t distance = TEXT_TOO_FAR;
    for (size_t b = 0; b < sizeof books / sizeof *books; b++) {
        for (uint32_t i = 0; i < books[b].len; i++) {
            if (text_nearer(topic, strlen(topic), books[b].at[i], &distance))
                nearest = books[b].at[i];
        }
    }
    return nearest;
}

/* Says that nothing was found, and what there is instead. */
static void refuse_topic(cli_session *s, const char *docs, const char *topic) {
    const bool code = is_code(topic);
    diag_error(&s->diag, (src_loc){0}, "E0908-topic", "there is no %s '%s' in '%s'", code ? "error" : "page",
               topic, docs);
    const char *nearest = code ? NULL : nearest_page(s, docs, topic);
    if (nearest)
        diag_hint(&s->diag, "there is 'onyx help %s'", nearest);
    else
        diag_hint(&s->diag, code ? "errors are in the pages errors/PART: onyx help errors/tiling"
                                 : "onyx help lists the pages");
}

/* Prints the topic, or else the pages that have its words. */
static bool print_or_search(cli_session *s, const char *docs, const text_vec *words) {
    const char *topic = phrase_of(words, &s->mem);
    if (!s->options.every.keyword && print_topic(s, docs, topic))
        return true;
    const bool is_words = s->options.every.keyword || !(is_code(topic) || leaves_docs(topic));
    if (!diag_failed(&s->diag) && is_words && search(s, docs, words))
        return true;
    if (!diag_failed(&s->diag))
        refuse_topic(s, docs, topic);
    return false;
}

int command_help(int argc, char **argv) {
    cli_session s;
    cli_session_begin(&s);
    bool ok = cli_parse(&s, COMMAND_HELP, argc, argv);
    const text_vec words = words_of(&s.options.arguments, &s.mem);
    if (ok && !words.len && s.options.every.keyword)
        ok = cli_want_arguments(&s, 1, option_commands[COMMAND_HELP].arguments);
    const char *docs = help_docs_folder(&s);
    if (ok)
        ok = words.len ? print_or_search(&s, docs, &words) : list_topics(&s, docs);
    return cli_session_end(&s, ok);
}
