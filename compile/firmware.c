/* The program of a kernel in a folder: built, or found there whole from an earlier run. */
#include "compile/engine.h"

/* Of what decides the program: the words, and whether copies start apart. */
static const char *design_hash(compile_context *ctx, const compile_kernel *k) {
    uint64_t hash =
        hash_more(0, k->bits.stream.words.at, sizeof *k->bits.stream.words.at * k->bits.stream.words.len);
    return arena_printf(ctx->mem, "%016llx",
                        (unsigned long long)hash_more(hash, &k->array.apart, sizeof k->array.apart));
}

/* NULL where there is no such file. */
static const char *file_hash(compile_context *ctx, const char *path) {
    size_t length = 0;
    const char *text = file_read_if_there(path, ctx->mem, &length);
    return text ? arena_printf(ctx->mem, "%016llx", (unsigned long long)hash_bytes(text, length)) : NULL;
}

bool compile_build_firmware(compile_context *ctx, const compile_kernel *k, const char *folder, fw_app *app) {
    fw_options options = fw_options_default(ctx->home, folder);
    options.apart = k->array.apart;
    compile_stage(ctx, "building the firmware", 0);
    if (!fw_build(&k->array.design, &k->bits.stream, &options, ctx->mem, ctx->diag, app))
        return false;
    const char *elf = file_hash(ctx, app->elf);
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "elf", elf ? elf : "");
    cJSON_AddStringToObject(json, "design", design_hash(ctx, k));
    bool ok = json_write(json, arena_printf(ctx->mem, "%s/app.json", folder), ctx->diag);
    cJSON_Delete(json);
    return ok;
}

bool compile_firmware_is_there(compile_context *ctx, const compile_kernel *k, const char *folder) {
    diagnostics quiet;
    const char *elf = file_hash(ctx, arena_printf(ctx->mem, "%s/app.elf", folder)),
               *path = arena_printf(ctx->mem, "%s/app.json", folder), *was = NULL, *design = NULL;
    diag_init(&quiet, ctx->mem);
    cJSON *json = elf ? json_read(path, &quiet) : NULL;
    bool same = json && json_get_text(json, path, "elf", &was, &quiet) &&
                json_get_text(json, path, "design", &design, &quiet) && strcmp(was, elf) == 0 &&
                strcmp(design, design_hash(ctx, k)) == 0;
    cJSON_Delete(json);
    return same;
}
