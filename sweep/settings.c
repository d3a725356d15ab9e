/* Settings of points: JSON objects, an axis to its value. */
#include "sweep/settings.h"

void put_settings(const char *settings, FILE *out) {
    cJSON *json = json_parse("", settings, strlen(settings), NULL);
    const char *between = "";
    for (const cJSON *m = cJSON_IsObject(json) ? json->child : NULL; m; m = m->next) {
        fprintf(out, "%s%s %s", between, m->string, cJSON_IsString(m) ? m->valuestring : "?");
        between = ", ";
    }
    cJSON_Delete(json);
}

bool sweep_alike(const sweep_row *a, const sweep_row *b) {
    return strcmp(a->plan, b->plan) == 0 && strcmp(a->expression, b->expression) == 0 &&
           strcmp(a->operands, b->operands) == 0 && strcmp(a->engine, b->engine) == 0;
}
