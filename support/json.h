/* json.h - located errors and atomic writing around cJSON. */
#ifndef ONYX_SUPPORT_JSON_H
#define ONYX_SUPPORT_JSON_H

#include "support/diagnostics.h"
#include <cjson/cJSON.h>

/* Must be called first by every program with cJSON: a failed allocation of cJSON ends the program, while
 * cJSON itself would drop the data. */
void json_begin(void);
/* cJSON does the parsing and printing; these functions add locations and diagnostics. json_read reads and
 * parses a file and returns NULL after a located error (E0001-file, E0002-json). json_parse without `d`
 * returns NULL alone. The caller frees the result with cJSON_Delete. */
cJSON *json_read(const char *path, diagnostics *d);
cJSON *json_parse(const char *name, const char *text, size_t length, diagnostics *d);
cJSON *json_add_item(cJSON *list); /* a new object at its end */
/* Get a required member; a missing member, or one of another type, is reported as E0003-json-member, which
 * names `where`.`key`. */
bool json_get_u32(const cJSON *object, const char *where, const char *key, uint32_t *out, diagnostics *d);
bool json_get_text(const cJSON *object, const char *where, const char *key, const char **out, diagnostics *d);
/* `type`: cJSON_Array or cJSON_Object; NULL after the error. */
const cJSON *json_get_container(const cJSON *object, const char *where, const char *key, int type,
                                diagnostics *d);
static inline const cJSON *json_get_array(const cJSON *object, const char *where, const char *key,
                                          diagnostics *d) {
    return json_get_container(object, where, key, cJSON_Array, d);
}
static inline const cJSON *json_get_object(const cJSON *object, const char *where, const char *key,
                                           diagnostics *d) {
    return json_get_container(object, where, key, cJSON_Object, d);
}
/* Prints as cJSON_Print and cJSON_PrintUnformatted do, but never returns NULL; the caller frees the text with
 * cJSON_free. */
char *json_print(const cJSON *json, bool indented);
bool json_write(const cJSON *json, const char *path, diagnostics *d); /* atomic, indented, final newline */

#endif
