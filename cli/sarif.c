/* --diagnostics=sarif: the lines of --diagnostics=json as a SARIF 2.1.0 log. */
#include "cli/sarif.h"
#include "onyx_version.h" /* made by cmake/version.cmake */

#include <ctype.h>

static const char *text_of(const cJSON *json, const char *name) {
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, name));
}

static size_t number_of(const cJSON *json, const char *name) {
    return (size_t)cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(json, name));
}

static cJSON *add_message(cJSON *to, const char *text) {
    cJSON *message = cJSON_AddObjectToObject(to, "message");
    cJSON_AddStringToObject(message, "text", text);
    return message;
}

/* Returns a file's name as a URI reference (RFC 3986): an absolute path has a scheme, others are relative. */
static const char *uri_of(const char *file, arena *mem) {
    const char *uri = *file == '/' ? "file://" : "";
    for (const unsigned char *c = (const unsigned char *)file; *c; c++) {
        bool plain = isalnum(*c) || strchr("-._~/", *c);
        uri = arena_printf(mem, plain ? "%s%c" : "%s%%%02X", uri, *c);
    }
    return uri;
}

/* Returns the source of this name; NULL if none is kept. */
static const src_text *source_of(const diagnostics *d, const char *name) {
    for (uint32_t i = d->sources.len; i-- > 0;) {
        if (strcmp(d->sources.at[i].name, name) == 0)
            return &d->sources.at[i];
    }
    return NULL;
}

/* Returns the column in characters, from 1, of a column in bytes on a line of the source. */
static size_t characters(const src_text *s, size_t line, size_t column) {
    const char *at = s->text, *end = s->text + s->length;
    while (line > 1 && at < end)
        line -= *at++ == '\n';
    size_t n = 1;
    for (size_t i = 1; i < column && at < end && *at != '\n'; i++, at++)
        n += ((unsigned char)*at & 0xc0) != 0x80;
    return n;
}

/* Adds the place of a diagnostic or of its note; columns count characters here. */
static void add_region(const diagnostics *d, const cJSON *from, const char *file, cJSON *physical) {
    cJSON *region = cJSON_AddObjectToObject(physical, "region");
    const src_text *s = source_of(d, file);
    size_t line = number_of(from, "line"), column = number_of(from, "column"), start = column,
           end = column + number_of(from, "length");
    if (s) {
        start = characters(s, line, column);
        end = characters(s, line, end);
    }
    cJSON_AddNumberToObject(region, "startLine", (double)line);
    cJSON_AddNumberToObject(region, "startColumn", (double)start);
    cJSON_AddNumberToObject(region, "endColumn", (double)(end > start ? end : start + 1));
}

static void add_location(const diagnostics *d, const cJSON *from, arena *mem, cJSON *list, bool says) {
    const char *file = text_of(from, "file");
    cJSON *location = json_add_item(list);
    if (file) {
        cJSON *physical = cJSON_AddObjectToObject(location, "physicalLocation");
        cJSON_AddStringToObject(cJSON_AddObjectToObject(physical, "artifactLocation"), "uri",
                                uri_of(file, mem));
        add_region(d, from, file, physical);
    }
    if (says)
        add_message(location, text_of(from, "message"));
}

/* Returns the index of a code among the rules, added on first use. */
static int rule_of(cJSON *rules, const char *code, arena *mem) {
    int n = 0;
    for (const cJSON *one = rules->child; one; one = one->next, n++) {
        if (strcmp(text_of(one, "id"), code) == 0)
            return n;
    }
    cJSON *rule = json_add_item(rules);
    cJSON_AddStringToObject(rule, "id", code);
    cJSON_AddStringToObject(cJSON_AddObjectToObject(rule, "help"), "text",
                            arena_printf(mem, "onyx help %.*s", (int)strcspn(code, "-"), code));
    return n;
}

static void add_result(const diagnostics *d, const cJSON *from, arena *mem, cJSON *rules, cJSON *results) {
    const char *code = text_of(from, "code"), *severity = text_of(from, "severity"),
               *message = text_of(from, "message");
    const bool mild = strcmp(severity, "warning") == 0 || strcmp(severity, "note") == 0;
    const cJSON *one, *notes = cJSON_GetObjectItemCaseSensitive(from, "notes");
    cJSON *result = json_add_item(results);
    if (code) {
        cJSON_AddStringToObject(result, "ruleId", code);
        cJSON_AddNumberToObject(result, "ruleIndex", rule_of(rules, code, mem));
    }
    cJSON_AddStringToObject(result, "level", mild ? severity : "error");
    cJSON_ArrayForEach(one, cJSON_GetObjectItemCaseSensitive(from, "hints")) {
        message = arena_printf(mem, "%s\nhelp: %s", message, one->valuestring);
    }
    add_message(result, message);
    if (text_of(from, "file"))
        add_location(d, from, mem, cJSON_AddArrayToObject(result, "locations"), false);
    if (cJSON_GetArraySize(notes)) {
        cJSON *related = cJSON_AddArrayToObject(result, "relatedLocations");
        cJSON_ArrayForEach(one, notes) add_location(d, one, mem, related, true);
    }
    cJSON_AddStringToObject(cJSON_AddObjectToObject(result, "properties"), "severity", severity);
}

/* Returns whether JSON can hold the text unchanged, whatever its encoding. */
static bool is_ascii(const src_text *s) {
    for (size_t i = 0; i < s->length; i++) {
        if ((unsigned char)s->text[i] >= 0x80)
            return false;
    }
    return true;
}

/* Adds sources without a file, such as the expression, for the log's reader. */
static void add_artifacts(const cJSON *results, const diagnostics *d, arena *mem, cJSON *run) {
    cJSON *list = cJSON_AddArrayToObject(run, "artifacts");
    for (uint32_t i = 0; i < d->sources.len; i++) {
        const src_text *s = &d->sources.at[i];
        const char *uri = uri_of(s->name, mem);
        char *all = json_print(results, false);
        const bool named = s->name[0] == '<' && source_of(d, s->name) == s && is_ascii(s) &&
                           strstr(all, arena_printf(mem, "\"uri\":\"%s\"", uri));
        cJSON_free(all);
        if (!named)
            continue;
        cJSON *one = json_add_item(list);
        cJSON_AddStringToObject(cJSON_AddObjectToObject(one, "location"), "uri", uri);
        cJSON_AddStringToObject(cJSON_AddObjectToObject(one, "contents"), "text",
                                arena_strndup(mem, s->text, s->length));
    }
}

void sarif_print(const diagnostics *d, int code, arena *mem, FILE *out) {
    text_out lines;
    cJSON *log = cJSON_CreateObject();
    cJSON_AddStringToObject(log, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    cJSON_AddStringToObject(log, "version", "2.1.0");
    cJSON *run = json_add_item(cJSON_AddArrayToObject(log, "runs"));
    cJSON *driver = cJSON_AddObjectToObject(cJSON_AddObjectToObject(run, "tool"), "driver");
    cJSON_AddStringToObject(driver, "name", "onyx");
    cJSON_AddStringToObject(driver, "semanticVersion", ONYX_VERSION);
    cJSON_AddStringToObject(driver, "version", ONYX_VERSION " (" ONYX_REVISION ")");
    cJSON *rules = cJSON_AddArrayToObject(driver, "rules");
    cJSON *ended = json_add_item(cJSON_AddArrayToObject(run, "invocations"));
    cJSON_AddBoolToObject(ended, "executionSuccessful", code == 0);
    cJSON_AddNumberToObject(ended, "exitCode", code);
    cJSON_AddStringToObject(run, "columnKind", "unicodeCodePoints");
    cJSON *results = cJSON_AddArrayToObject(run, "results");
    text_begin(&lines);
    diag_print_json(d, 0, lines.stream);
    for (const char *at = text_end(&lines, mem); *at; at += strcspn(at, "\n") + 1) {
        cJSON *one = json_parse("", at, strcspn(at, "\n"), NULL);
        add_result(d, one, mem, rules, results);
        cJSON_Delete(one);
    }
    add_artifacts(results, d, mem, run);
    char *text = json_print(log, true);
    fprintf(out, "%s\n", text);
    cJSON_free(text);
    cJSON_Delete(log);
}
