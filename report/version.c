/* version.c - the program that made a report. It is built anew for every commit, and nothing else is. */
#include "report/report.h"

#include "onyx_version.h" /* made by cmake/version.cmake */

void compile_version_json(cJSON *json) {
    cJSON_AddStringToObject(json, "version", ONYX_VERSION " (" ONYX_REVISION ")");
}
