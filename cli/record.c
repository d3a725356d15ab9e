/* command.json: a folder's command, written and read. */
#include "cli/trust.h"
#include "kernel/commit.h"

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
    const char *mark =
        trust_names_c(&s->options) ? trust_mark(s, record_folder(s), &s->options.words, true) : NULL;
    if (mark)
        cJSON_AddStringToObject(json, "mark", mark);
    char *text = json_print(json, true);
    const char *copy = arena_printf(&s->mem, "%s\n", text);
    cJSON_free(text);
    cJSON_Delete(json);
    return copy;
}

/* Reports E0950-not-compiled of a folder. Returns false. */
static bool report_missing(cli_session *s, const char *folder) {
    diag_error(&s->diag, (src_loc){0}, "E0950-not-compiled",
               "'%s' does not hold what onyx run or onyx compile leave there", folder);
    return diag_hint(&s->diag, "onyx compile EXPRESSION -i T:FILE ... -o %s", folder);
}

static bool all_texts(const cJSON *list, const char *path, diagnostics *d) {
    const cJSON *one;
    cJSON_ArrayForEach(one, list) {
        if (cJSON_IsString(one))
            continue;
        return diag_error(d, (src_loc){0}, "E0003-json-member",
                          "%s: every one of \"arguments\" must be a string", path);
    }
    return true;
}

/* Whether this user made the record here, in an existing folder. */
static bool is_ours(cli_session *s, const cJSON *json, const cli_record *r) {
    const char *was = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "mark"));
    const char *is = was && access(r->from, X_OK) == 0 ? trust_mark(s, r->from, &r->words, false) : NULL;
    return is && strcmp(is, was) == 0;
}

/* Reads a record at `path`, whose paths are the folder's. */
static bool read_json(cli_session *s, const char *folder, const char *path, cli_record *r) {
    uint32_t version = 0;
    cJSON *json = json_read(path, &s->diag);
    const cJSON *list = json ? json_get_array(json, path, "arguments", &s->diag) : NULL, *one;
    const bool ok = list && all_texts(list, path, &s->diag) &&
                    json_get_u32(json, path, "format_version", &version, &s->diag) &&
                    json_get_text(json, path, "folder", &r->from, &s->diag);
    if (ok) {
        const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "command"));
        const bool compile = name && strcmp(name, option_commands[COMMAND_COMPILE].name) == 0;
        r->command = compile ? COMMAND_COMPILE : COMMAND_RUN;
        cJSON_ArrayForEach(one, list) vec_push(&s->mem, &r->words, arena_strdup(&s->mem, one->valuestring));
        r->from = strcmp(r->from, ".") == 0 ? record_absolute(s, folder) : arena_strdup(&s->mem, r->from);
        r->ours = is_ours(s, json, r);
    }
    cJSON_Delete(json);
    return ok && (version == 1 || report_missing(s, folder));
}

bool record_read(cli_session *s, const char *folder, bool last, cli_record *r) {
    static const char *const reads[] = {"command.json", NULL};
    const char *failed = path_in(s, arena_printf(&s->mem, "%s/partial", folder));
    const char *path = last && access(failed, R_OK) == 0 ? failed : path_in(s, folder);
    text_vec words = {0};
    *r = (cli_record){0};
    if (access(path, R_OK) != 0)
        return report_missing(s, folder);
    if (!compile_folder_fits(&s->compile, folder, reads) || !read_json(s, folder, path, r))
        return false;
    if (!last)
        r->command = COMMAND_RUN;
    vec_push(&s->mem, &words, "onyx");
    for (uint32_t i = 0; i < r->words.len; i++)
        vec_push(&s->mem, &words, r->words.at[i]);
    r->then = options_default(r->command);
    const bool good = options_parse(r->command, (int)words.len, words.at, &s->mem, &s->diag, &r->then) &&
                      !r->then.every.help;
    const char *expression = r->then.compile.written.expression;
    const bool about = expression && *expression && (good || (last && diag_failed(&s->diag)));
    return !about ? !diag_failed(&s->diag) && report_missing(s, folder) : trust_allows(s, folder, r);
}
