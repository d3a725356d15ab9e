/* C headers of a program, in the form of the public demonstrations: NAME_script.h (configuration words),
 * NAME_input_script.h (arrays), NAME_reg_write.h (register writes) and NAME_unrolling.h (places of arrays).
 * Their contents become a program as a JSON file, read by one_file.c. */
#include "exchange/dense_files.h"

#include <ctype.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
    const char *at;
    cJSON *json, *function; /* the function whose register writes are being read, or NULL */
    u32_vec addresses, words;
    arena *mem;
} scanner;

/* Goes on behind blanks and comments. */
static void skip_blanks(scanner *s) {
    for (;;) {
        while (isspace((unsigned char)*s->at))
            s->at++;
        const char *end = strncmp(s->at, "/*", 2) == 0   ? strstr(s->at, "*/")
                          : strncmp(s->at, "//", 2) == 0 ? strchr(s->at, '\n')
                                                         : NULL;
        if (!end)
            return;
        s->at = end + (*end == '*' ? 2 : 1);
    }
}

/* *wide: the number is written with more than 32 bits. */
static bool take_wide(scanner *s, uint64_t *out, bool *wide) {
    char *end;
    skip_blanks(s);
    *out = strtoull(s->at, &end, 0);
    if (end == s->at)
        return false;
    *wide = end - s->at > (ptrdiff_t)strlen("0x00000000");
    end += text_name_length(end); /* skips a suffix */
    s->at = end;
    skip_blanks(s);
    s->at += *s->at == ',';
    return true;
}

static bool take_number(scanner *s, uint32_t *out) {
    uint64_t value = 0;
    bool wide;
    const bool taken = take_wide(s, &value, &wide);
    *out = (uint32_t)value;
    return taken;
}

static cJSON *member(cJSON *json, const char *name, bool list) {
    cJSON *there = cJSON_GetObjectItemCaseSensitive(json, name);
    return there ? there : list ? cJSON_AddArrayToObject(json, name) : cJSON_AddObjectToObject(json, name);
}

static void add_array(scanner *s, const char *table, const char *name, size_t length) {
    cJSON *list = member(member(s->json, table, false), arena_strndup(s->mem, name, length), true);
    uint32_t value;
    while (take_number(s, &value))
        cJSON_AddItemToArray(list, cJSON_CreateNumber(value));
}

/* Numbers of 64 bits are addresses and words at once. */
static void take_words(scanner *s, u32_vec *to) {
    uint64_t value;
    bool wide;
    while (take_wide(s, &value, &wide)) {
        if (wide) {
            vec_push(s->mem, &s->addresses, (uint32_t)(value >> 32));
            vec_push(s->mem, &s->words, (uint32_t)value);
        } else {
            vec_push(s->mem, to, (uint32_t)value);
        }
    }
}

/* Reads an array between its braces, if wanted. */
static void take_array(scanner *s, const char *name) {
    static const struct {
        const char *end, *table;
    } kinds[] = {{"_unroll_array", "glb_tile_of_input"}, {"_bank_array", "glb_tile_of_output"}};
    const size_t length = strlen(name);
    if (strcmp(name, "app_addrs_script") == 0 || strcmp(name, "app_datas_script") == 0) {
        take_words(s, name[4] == 'a' ? &s->addresses : &s->words);
        return;
    }
    if (text_ends_with(name, "_data")) {
        const size_t prefix = strncmp(name, "app_", 4) == 0 ? 4 : 0;
        add_array(s, "data", name + prefix, length - prefix - strlen("_data"));
    }
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (text_ends_with(name, kinds[k].end))
            add_array(s, kinds[k].table, name, length - strlen(kinds[k].end));
    }
}

/* After the name of an array: goes to the opening brace of its values; false without values. */
static bool find_values(scanner *s) {
    while (*s->at && *s->at != ';' && *s->at != '=')
        s->at++;
    if (*s->at != '=')
        return false;
    s->at++;
    skip_blanks(s);
    if (*s->at != '{')
        return false;
    s->at++;
    return true;
}

/* Reads the arguments of a call writing a register. */
static void take_write(scanner *s, const char *name) {
    const char *kind = strstr(name, "Glc") || strstr(name, "glc")     ? "Glc"
                       : strstr(name, "Tile") || strstr(name, "tile") ? "Tile"
                                                                      : "Glb";
    uint32_t offset, value;
    s->at++;
    if (!s->function || !take_number(s, &offset) || !take_number(s, &value))
        return;
    cJSON *row = cJSON_CreateArray();
    cJSON_AddItemToArray(row, cJSON_CreateString(kind));
    cJSON_AddItemToArray(row, cJSON_CreateNumber(offset));
    cJSON_AddItemToArray(row, cJSON_CreateNumber(value));
    cJSON_AddItemToArray(s->function, row);
}

static const char *take_name(scanner *s) {
    const char *from = s->at;
    s->at += text_name_length(s->at);
    const char *name = arena_strndup(s->mem, from, (size_t)(s->at - from));
    skip_blanks(s);
    return name;
}

static void scan(scanner *s, const char *text) {
    bool is_function = false; /* behind void */
    s->at = text;
    for (skip_blanks(s); *s->at; skip_blanks(s)) {
        if (!text_in_name(*s->at)) {
            s->at++;
            continue;
        }
        const char *name = take_name(s);
        if (is_function)
            s->function = member(member(s->json, "register_writes", false), name, true);
        else if (*s->at == '[' && find_values(s))
            take_array(s, name);
        else if (*s->at == '(' && (text_ends_with(name, "WriteReg") || text_ends_with(name, "reg_write")))
            take_write(s, name);
        is_function = strcmp(name, "void") == 0;
    }
}

static void add_bitstream(scanner *s) {
    cJSON *list = cJSON_AddArrayToObject(s->json, "bitstream");
    for (uint32_t i = 0; i < s->addresses.len && i < s->words.len; i++)
        cJSON_AddItemToArray(
            list, cJSON_CreateString(arena_printf(s->mem, "%08X %08X", s->addresses.at[i], s->words.at[i])));
}

cJSON *exchange_writes_of_header(const char *path, arena *mem, diagnostics *d) {
    size_t length = 0;
    const char *text = text_read(path, d->mem, &length, d);
    scanner s = {.json = cJSON_CreateObject(), .mem = mem};
    if (text)
        scan(&s, text);
    return s.json;
}

cJSON *exchange_of_headers(const char *path, arena *mem, diagnostics *d) {
    static const char *const endings[] = {"_script.h", "_input_script.h", "_reg_write.h", "_unrolling.h"};
    const char *stem = arena_strndup(mem, path, strlen(path) - strlen(endings[0]));
    scanner s = {.json = cJSON_CreateObject(), .mem = mem};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const char *file = arena_printf(mem, "%s%s", stem, endings[i]);
        size_t length = 0;
        if (i && access(file, R_OK) != 0)
            continue; /* the reader of the whole reports missing files */
        const char *text = text_read(file, d->mem, &length, d);
        if (!text) {
            cJSON_Delete(s.json);
            return NULL;
        }
        s.function = NULL;
        scan(&s, text);
    }
    add_bitstream(&s);
    return s.json;
}
