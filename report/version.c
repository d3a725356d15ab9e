/* version.c - the head of a report, with the program that made it. It is built anew for every commit, and
 * nothing else is. */
#include "report/report.h"

#include "onyx_version.h" /* made by cmake/version.cmake */

cJSON *compile_begin_report(const compile_options *o, const char *kind, bool ran, const char *check) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "format_version", 1);
    cJSON_AddStringToObject(json, "version", ONYX_VERSION " (" ONYX_REVISION ")");
    cJSON_AddStringToObject(json, kind, o->written.expression);
    cJSON_AddStringToObject(json, "board", o->target.board);
    cJSON_AddStringToObject(json, "profile", o->target.profile);
    cJSON_AddStringToObject(json, "engine", compile_engines[ran ? o->target.engine : ENGINE_NONE].name);
    cJSON_AddNumberToObject(json, "seed", (double)o->seed);
    cJSON_AddStringToObject(json, "check", check);
    return json;
}
