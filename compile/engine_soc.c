/* Engine soc: the firmware of this kernel on an emulated Cortex-M3, the array's RTL behind its registers. A
 * program of its own (onyx-cosim) runs it: it links Unicorn, which is GPL-2. */
#include "compile/engine.h"

/* The monitors of the array's tiles. The firmware's global buffer has a pace of its own, so they may meet
 * what the model ahead of the run did not. */
static bool read_hazards(const compile_options *o, compile_context *ctx, const cJSON *stats, const char *path,
                         const compile_outcome *out) {
    const cJSON *one;
    bool safe = true;
    cJSON_ArrayForEach(one, cJSON_GetObjectItem(stats, "hazards")) {
        uint32_t x = 0, y = 0, kinds = 0;
        if (!json_get_u32(one, path, "x", &x, ctx->diag) || !json_get_u32(one, path, "y", &y, ctx->diag) ||
            !json_get_u32(one, path, "kinds", &kinds, ctx->diag))
            return false;
        for (uint32_t kind = 0; kind < CYCLE_HAZARD_KINDS; kind++) {
            if (kinds >> kind & 1)
                safe = compile_hazard_of_array(o, ctx, out, (cycle_hazard_kind)kind, x, y) && safe;
        }
    }
    return safe;
}

/* The monitors of the global buffer's banks: not the data's fault, so --hazards has no say. */
static bool read_collisions(compile_context *ctx, const cJSON *stats, const char *path) {
    const cJSON *one;
    bool safe = true;
    cJSON_ArrayForEach(one, cJSON_GetObjectItem(stats, "collisions")) {
        uint32_t tile = 0, bank = 0;
        const char *lost, *to;
        if (!json_get_u32(one, path, "glb_tile", &tile, ctx->diag) ||
            !json_get_u32(one, path, "bank", &bank, ctx->diag) ||
            !json_get_text(one, path, "lost", &lost, ctx->diag) ||
            !json_get_text(one, path, "to", &to, ctx->diag))
            return false;
        diag_error(ctx->diag, (src_loc){0}, "E0805-bank-collision",
                   "GLB tile %u, bank %u: on the chip an access of the %s is lost to the %s", tile, bank,
                   lost, to);
        diag_hint(ctx->diag,
                  "the firmware must touch no bank that a DMA uses (docs/firmware.md); please report it");
        safe = false;
    }
    return safe;
}

/* Cycles of the array, from the co-simulation's own count; and its monitors. */
static bool read_stats(const compile_options *o, compile_context *ctx, const char *path,
                       compile_outcome *out) {
    cJSON *json = json_read(path, ctx->diag);
    uint32_t config = 0;
    const cJSON *cpu = json ? json_get_object(json, path, "cycles", ctx->diag) : NULL;
    const cJSON *kernel = cJSON_GetObjectItem(json, "cgra_cycles_kernel"),
                *all = cJSON_GetObjectItem(json, "cgra_cycles");
    const cJSON *cpu_all = cJSON_GetObjectItem(json, "cpu_cycles");
    bool ok = cpu && json_get_u32(cpu, path, "config", &config, ctx->diag);
    if (ok && cJSON_IsNumber(kernel) && cJSON_IsNumber(all) && cJSON_IsNumber(cpu_all) &&
        cpu_all->valuedouble > 0) {
        double ratio = all->valuedouble / cpu_all->valuedouble;
        out->config_cycles = (uint64_t)(config * ratio);
        out->kernel_cycles = (uint64_t)kernel->valuedouble;
        out->total_cycles = (uint64_t)all->valuedouble;
        out->firmware_cycles = out->total_cycles - out->kernel_cycles - out->config_cycles;
    }
    ok = ok && read_collisions(ctx, json, path) && read_hazards(o, ctx, json, path, out);
    cJSON_Delete(json);
    return ok;
}

static bool put_plan(void *to, const tile_plan *plan) {
    return fw_batches_add(to, plan);
}

bool compile_write_batch_file(const compile_options *o, compile_context *ctx, compile_kernel *k,
                              uint32_t buffers, const char *path, compile_batches *batches,
                              compile_outcome *out) {
    fw_columns columns;
    fw_batch_stats counts;
    if (!fw_columns_of(&k->array.design, k->array.apart, ctx->mem, ctx->diag, &columns))
        return false;
    columns.buffers = columns.buffers < buffers ? columns.buffers : buffers;
    fw_batch_writer *w = fw_batches_begin(&columns, &k->board, path, ctx->mem, ctx->diag);
    return w && fw_batches_end(w, compile_write_batches(o, batches, out, put_plan, w), &counts);
}

static bool build(compile_context *ctx, compile_kernel *k, const char *folder, fw_app *app) {
    double start = seconds_now();
    bool ok = compile_build_firmware(ctx, k, folder, app);
    k->times.firmware = seconds_now() - start;
    return ok;
}

bool compile_run_soc(const compile_options *o, compile_context *ctx, compile_kernel *k, compile_batches *b,
                     tile_collector *c, compile_outcome *out) {
    arena *mem = ctx->mem;
    const char *folder = arena_printf(mem, "%s/firmware", o->out),
               *log = arena_printf(mem, "%s/cosim.log", folder);
    const char *batches = arena_printf(mem, "%s/batches.bin", folder),
               *stats = arena_printf(mem, "%s/stats.json", folder);
    const char *result = arena_printf(mem, "%s/result.bin", folder);
    fw_app app;
    uint64_t cycles = 0;
    if (!make_folder(folder, ctx->diag) || !compile_write_batch_file(o, ctx, k, 1, batches, b, out) ||
        !build(ctx, k, folder, &app) || (o->wave && !compile_write_channels(&k->bits.decoded, o->out, ctx)))
        return false;
    remove(log);
    remove(result);
    const char *cosim = compile_program(ctx, "onyx-cosim");
    const char *const argv[] = {cosim,   "--board",   k->board_path, "--elf",
                                app.elf, "--batches", batches,       "--result",
                                result,  "--stats",   stats,         o->wave ? "--waves" : NULL,
                                o->out,  NULL};
    compile_stage(ctx, "running the firmware on the chip's RTL", 0);
    return compile_spawn(ctx, argv, log) && compile_collect_batches(b, result, c, &cycles) &&
           read_stats(o, ctx, stats, out);
}
