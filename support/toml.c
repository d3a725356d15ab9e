/* TOML as cJSON: `valueint` of an item is the offset of its key or of its first character. */
#include "support/toml.h"
#include "support/number.h"
#include "support/support.h"

#include <ctype.h>

typedef struct {
    diagnostics *d;
    uint32_t source;
    size_t length, at;
    const char *text;
} reader;

static bool refuse(reader *r, size_t at, const char *want) {
    return diag_error(r->d, src_at(r->source, at, 1), "E0009-toml", "here should be %s", want);
}

static char here(const reader *r) {
    return r->at < r->length ? r->text[r->at] : '\0';
}

static void skip_blanks(reader *r) {
    while (here(r) == ' ' || here(r) == '\t')
        r->at++;
}

/* Skips blanks, comments and ends of lines. */
static void skip_lines(reader *r) {
    for (;;) {
        skip_blanks(r);
        if (here(r) == '#')
            r->at += strcspn(r->text + r->at, "\n");
        else if (here(r) == '\n' || here(r) == '\r')
            r->at++;
        else
            return;
    }
}

static bool end_line(reader *r) {
    skip_blanks(r);
    if (here(r) == '#')
        r->at += strcspn(r->text + r->at, "\n");
    if (here(r) == '\r')
        r->at++;
    return r->at == r->length || here(r) == '\n' || refuse(r, r->at, "the end of the line");
}

/* Returns the character of a string's escape; 0 for unsupported escapes. */
static char escaped(char letter) {
    static const char of[] = "\"\\nt", is[] = "\"\\\n\t";
    const char *at = letter ? strchr(of, letter) : NULL;
    return at ? is[at - of] : '\0';
}

/* Reads a string between quotation marks; NULL after an error. In single ones a backslash is itself. */
static const char *read_string(reader *r) {
    const char mark = here(r);
    const size_t begin = r->at++;
    char *text = arena_alloc(r->d->mem, r->length - begin + 1), *to = text;
    while (here(r) != mark) {
        char c = here(r);
        if (r->at == r->length || c == '\n') {
            refuse(r, begin, "a string that ends on this line");
            return NULL;
        }
        if (c == '\\' && mark == '"' && (c = escaped(r->text[++r->at])) == '\0') {
            refuse(r, r->at, "one of the escapes \\\" \\\\ \\n \\t");
            return NULL;
        }
        *to++ = c;
        r->at++;
    }
    r->at++;
    return text;
}

static const char *read_key(reader *r) {
    size_t length = 0;
    if (here(r) == '"' || here(r) == '\'')
        return read_string(r);
    for (char c = here(r); isalnum((unsigned char)c) || c == '_' || c == '-'; c = r->text[r->at + length])
        length++;
    if (!length) {
        refuse(r, r->at, "a key of letters, digits, '-' and '_', or in quotation marks");
        return NULL;
    }
    r->at += length;
    return arena_strndup(r->d->mem, r->text + r->at - length, length);
}

static cJSON *read_plain(reader *r) {
    const char *text = r->text + r->at;
    const size_t length = strcspn(text, " \t\r\n,]#");
    char *word = arena_strndup(r->d->mem, text, length), *end = word;
    const double value = number_read(word, &end);
    cJSON *item = strcmp(word, "true") == 0    ? cJSON_CreateTrue()
                  : strcmp(word, "false") == 0 ? cJSON_CreateFalse()
                  : length && !*end            ? cJSON_CreateNumber(value)
                                               : NULL;
    if (!item)
        refuse(r, r->at, "a string in quotation marks, a number, true, false or an array");
    r->at += length;
    return item;
}

static cJSON *read_value(reader *r);

static cJSON *read_array(reader *r) {
    cJSON *list = cJSON_CreateArray();
    r->at++;
    for (skip_lines(r); here(r) != ']'; skip_lines(r)) {
        cJSON *item = here(r) != '[' || refuse(r, r->at, "no array in an array") ? read_value(r) : NULL;
        cJSON_AddItemToArray(list, item);
        skip_lines(r);
        if (item && here(r) == ',')
            r->at++;
        else if (!item || (here(r) != ']' && !refuse(r, r->at, "',' or ']'"))) {
            cJSON_Delete(list);
            return NULL;
        }
    }
    r->at++;
    return list;
}

static cJSON *read_value(reader *r) {
    const size_t at = r->at;
    cJSON *item = NULL;
    if (here(r) == '"' || here(r) == '\'') {
        const char *text = read_string(r);
        item = text ? cJSON_CreateString(text) : NULL;
    } else if (here(r) == '[') {
        item = read_array(r);
    } else {
        item = read_plain(r);
    }
    if (item)
        item->valueint = (int)at;
    return item;
}

/* Adds an item under a key new to the table. */
static bool add(reader *r, cJSON *table, const char *key, cJSON *item, size_t at) {
    if (cJSON_GetObjectItemCaseSensitive(table, key)) {
        cJSON_Delete(item);
        return refuse(r, at, "a key that the table does not have yet");
    }
    item->valueint = (int)at;
    return cJSON_AddItemToObject(table, key, item);
}

static bool read_pair(reader *r, cJSON *table) {
    const size_t at = r->at;
    const char *key = read_key(r);
    skip_blanks(r);
    if (!key || (here(r) != '=' && !refuse(r, r->at, "'=' behind the key")))
        return false;
    r->at++;
    skip_blanks(r);
    cJSON *item = read_value(r);
    return item && add(r, table, key, item, at) && end_line(r);
}

/* Reads "[name]" or "[[name]]"; NULL after an error. */
static cJSON *read_header(reader *r, cJSON *root) {
    const size_t at = r->at;
    const bool list = r->text[at + 1] == '[';
    r->at += list ? 2 : 1;
    const char *key = read_key(r);
    const char *end = list ? "]]" : "]";
    if (!key || (strncmp(r->text + r->at, end, strlen(end)) != 0 && !refuse(r, r->at, end)))
        return NULL;
    r->at += strlen(end);
    cJSON *table = cJSON_CreateObject(), *all = cJSON_GetObjectItemCaseSensitive(root, key);
    if (!list)
        return add(r, root, key, table, at) && end_line(r) ? table : NULL;
    if (!all && !add(r, root, key, all = cJSON_CreateArray(), at))
        return NULL;
    if (!cJSON_IsArray(all)) {
        cJSON_Delete(table);
        refuse(r, at, "a name that is no table already");
        return NULL;
    }
    table->valueint = (int)at;
    cJSON_AddItemToArray(all, table);
    return end_line(r) ? table : NULL;
}

toml_file toml_read(const char *path, diagnostics *d) {
    reader r = {.d = d};
    r.text = text_read(path, d->mem, &r.length, d);
    if (!r.text)
        return (toml_file){0};
    r.source = diag_add_source(d, path, r.text, r.length);
    cJSON *root = cJSON_CreateObject(), *table = root;
    for (skip_lines(&r); table && r.at < r.length; skip_lines(&r)) {
        if (here(&r) == '[')
            table = read_header(&r, root);
        else if (!read_pair(&r, table))
            table = NULL;
    }
    if (!table) {
        cJSON_Delete(root);
        root = NULL;
    }
    return (toml_file){root, r.source};
}

src_loc toml_at(const toml_file *file, const cJSON *item) {
    return src_at(file->source, (size_t)item->valueint, item->string ? strlen(item->string) : 1);
}
