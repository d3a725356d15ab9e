/* command.json: what a folder's command was, written and read. */
#include "cli/record.h"
#include "kernel/settle.h"

#include <unistd.h>

const char *record_folder(cli_session *s) {
    char here[4096];
    return getcwd(here, sizeof here) ? arena_strdup(&s->mem, here) : ".";
}

const char *record_absolute(cli_session *s, const char *path) {
    return *path == '/' ? path : arena_printf(&s->mem, "%s/%s", record_folder(s), path);
}

static const char *path_in(cli_session *s, const char *folder) {
    return arena_printf(&s->mem, "%s/command.json", folder);
}

const char *record_command(cli_session *s, option_command command) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "format_version", 1);
    cJSON_AddStringToObject(json, "command", option_commands[command].name);
    cJSON_AddStringToObject(json, "folder", record_folder(s));
    cJSON *list = cJSON_AddArrayToObject(json, "arguments");
    for (uint32_t i = 0; i < s->options.words.len; i++)
        cJSON_AddItemToArray(list, cJSON_CreateString(s->options.words.at[i]));
    char *text = json_print(json, true);
    const char *copy = arena_printf(&s->mem, "%s\n", text);
    cJSON_free(text);
    cJSON_Delete(json);
    return copy;
}

bool record_missing(cli_session *s, const char *folder) {
    diag_error(&s->diag, (src_loc){0}, "E0950-not-compiled",
               "'%s' does not hold what onyx run or onyx compile leave there", folder);
    diag_hint(&s->diag, "onyx compile EXPRESSION -i T:FILE ... -o %s", folder);
    return false;
}

static bool all_texts(const cJSON *list, const char *path, diagnostics *d) {
    const cJSON *one;
    cJSON_ArrayForEach(one, list) {
        if (cJSON_IsString(one))
            continue;
        diag_error(d, (src_loc){0}, "E0003-json-member", "%s: every one of \"arguments\" must be a string",
                   path);
        return false;
    }
    return true;
}

/* Reads a record at `path`, whose paths are the folder's. */
static bool read_record(cli_session *s, const char *folder, const char *path, option_command *command,
                        const char **where, text_vec *words) {
    static const char *const reads[] = {"command.json", NULL};
    uint32_t version = 0;
    if (access(path, R_OK) != 0)
        return record_missing(s, folder);
    if (!compile_folder_fits(&s->compile, folder, reads))
        return false;
    cJSON *json = json_read(path, &s->diag);
    const cJSON *list = json ? json_get_array(json, path, "arguments", &s->diag) : NULL, *one;
    if (!list || !all_texts(list, path, &s->diag) ||
        !json_get_u32(json, path, "format_version", &version, &s->diag) ||
        !json_get_text(json, path, "folder", where, &s->diag)) {
        cJSON_Delete(json);
        return false;
    }
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "command"));
    *command =
        name && strcmp(name, option_commands[COMMAND_COMPILE].name) == 0 ? COMMAND_COMPILE : COMMAND_RUN;
    vec_push(&s->mem, words, "onyx");
    cJSON_ArrayForEach(one, list) vec_push(&s->mem, words, arena_strdup(&s->mem, one->valuestring));
    *where = strcmp(*where, ".") == 0 ? record_absolute(s, folder) : arena_strdup(&s->mem, *where);
    cJSON_Delete(json);
    return version == 1 || record_missing(s, folder);
}

bool record_read(cli_session *s, const char *folder, option_command *command, const char **where,
                 text_vec *words) {
    return read_record(s, folder, path_in(s, folder), command, where, words);
}

bool record_last(cli_session *s, const char *folder, option_command *command, const char **where,
                 command_line *then) {
    const char *failed = path_in(s, arena_printf(&s->mem, "%s/partial", folder));
    const char *path = access(failed, R_OK) == 0 ? failed : path_in(s, folder);
    text_vec words = {0};
    if (!read_record(s, folder, path, command, where, &words))
        return false;
    *then = options_default(*command);
    const bool good =
        options_parse(*command, (int)words.len, words.at, &s->mem, &s->diag, then) && !then->help;
    if (!then->compile.expression || !*then->compile.expression)
        return !diag_failed(&s->diag) && record_missing(s, folder);
    return good || diag_failed(&s->diag) || record_missing(s, folder);
}
