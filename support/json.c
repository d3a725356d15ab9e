/* JSON glue: cJSON parses and prints; this adds locations and stable error codes. */
#include "support/number.h"
#include "support/support.h"

#include <stdlib.h>
#include <threads.h>

static void *allocate(size_t bytes) {
    void *p = malloc(bytes);
    if (!p)
        out_of_memory(bytes);
    return p;
}

static void set_hooks(void) {
    cJSON_InitHooks(&(cJSON_Hooks){allocate, free});
}

void json_begin(void) {
    static once_flag hooks = ONCE_FLAG_INIT; /* other threads may be using the hooks already */
    call_once(&hooks, set_hooks);
}

char *json_print(const cJSON *json, bool indented) {
    locale_t before = number_locale_begin();
    char *text = indented ? cJSON_Print(json) : cJSON_PrintUnformatted(json);
    number_locale_end(before);
    if (!text)
        out_of_memory(0);
    return text;
}

cJSON *json_parse(const char *name, const char *text, size_t length, diagnostics *d) {
    const char *end = NULL;
    locale_t before = number_locale_begin();
    cJSON *json = cJSON_ParseWithLengthOpts(text, length, &end, false);
    number_locale_end(before);
    while (json && end < text + length && strchr(" \t\r\n", *end) && *end)
        end++;
    if (json && end < text + length) { /* cJSON stops after the first document */
        cJSON_Delete(json);
        json = NULL;
    }
    if (!json && d) {
        uint32_t source = diag_add_source(d, name, text, length);
        size_t at = end && end >= text && end <= text + length ? (size_t)(end - text) : 0;
        diag_error(d, src_at(source, at, 1), "E0002-json", "this is not JSON from here on");
    }
    return json;
}

cJSON *json_read(const char *path, diagnostics *d) {
    size_t length = 0;
    char *text = text_read(path, d->mem, &length, d);
    return text ? json_parse(path, text, length, d) : NULL;
}

static void member_error(const char *where, const char *key, const char *want, diagnostics *d) {
    diag_error(d, (src_loc){0}, "E0003-json-member", "%s: member \"%s\" must be %s", where, key, want);
}

bool json_get_u32(const cJSON *object, const char *where, const char *key, uint32_t *out, diagnostics *d) {
    const cJSON *m = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!cJSON_IsNumber(m) || m->valuedouble < 0 || m->valuedouble > 4294967295.0 ||
        m->valuedouble != (double)(uint32_t)m->valuedouble) {
        member_error(where, key, "a whole number from 0 to 4294967295", d);
        return false;
    }
    *out = (uint32_t)m->valuedouble;
    return true;
}

bool json_get_text(const cJSON *object, const char *where, const char *key, const char **out,
                   diagnostics *d) {
    const cJSON *m = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!cJSON_IsString(m)) {
        member_error(where, key, "a string", d);
        return false;
    }
    *out = m->valuestring;
    return true;
}

const cJSON *json_get_container(const cJSON *object, const char *where, const char *key, int type,
                                diagnostics *d) {
    const cJSON *m = cJSON_GetObjectItemCaseSensitive(object, key);
    if (m && (m->type & 0xff) == type)
        return m;
    member_error(where, key, type == cJSON_Array ? "an array" : "an object", d);
    return NULL;
}

cJSON *json_add_item(cJSON *list) {
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToArray(list, item);
    return item;
}

bool json_write(const cJSON *json, const char *path, diagnostics *d) {
    file_out f;
    if (!file_create(&f, path, d->mem, d))
        return false;
    char *text = json_print(json, true);
    fputs(text, f.stream);
    fputc('\n', f.stream);
    cJSON_free(text);
    return file_commit(&f, d);
}
