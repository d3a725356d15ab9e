/* The program of a kernel in a folder: built, or found there whole from an earlier run. */
#include "cli/cli.h"

/* Of what decides the program: the words, and whether copies start apart. */
static const char *design_hash(cli_session *s, const cli_kernel *k) {
    uint64_t hash = hash_more(0, k->bits.words.at, sizeof *k->bits.words.at * k->bits.words.len);
    return arena_printf(&s->mem, "%016llx", (unsigned long long)hash_more(hash, &k->apart, sizeof k->apart));
}

/* NULL where there is no such file. */
static const char *file_hash(cli_session *s, const char *path) {
    size_t length = 0;
    const char *text = file_read_if_there(path, &s->mem, &length);
    return text ? arena_printf(&s->mem, "%016llx", (unsigned long long)hash_bytes(text, length)) : NULL;
}

bool cli_build_firmware(cli_session *s, const cli_kernel *k, const char *folder, fw_app *app) {
    fw_options options = fw_options_default(cli_home(s), folder);
    options.apart = k->apart;
    cli_progress_stage(s, "building the firmware", 0);
    if (!fw_build(&k->design, &k->bits, &options, &s->mem, &s->diag, app))
        return false;
    const char *elf = file_hash(s, app->elf);
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "elf", elf ? elf : "");
    cJSON_AddStringToObject(json, "design", design_hash(s, k));
    bool ok = json_write(json, arena_printf(&s->mem, "%s/app.json", folder), &s->diag);
    cJSON_Delete(json);
    return ok;
}

bool cli_firmware_is_there(cli_session *s, const cli_kernel *k, const char *folder) {
    diagnostics quiet;
    const char *elf = file_hash(s, arena_printf(&s->mem, "%s/app.elf", folder)),
               *path = arena_printf(&s->mem, "%s/app.json", folder), *was = NULL, *design = NULL;
    diag_init(&quiet, &s->mem);
    cJSON *json = elf ? json_read(path, &quiet) : NULL;
    bool same = json && json_get_text(json, path, "elf", &was, &quiet) &&
                json_get_text(json, path, "design", &design, &quiet) && strcmp(was, elf) == 0 &&
                strcmp(design, design_hash(s, k)) == 0;
    cJSON_Delete(json);
    return same;
}
