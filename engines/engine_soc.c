/* Engine soc: the firmware of this kernel on an emulated Cortex-M3, with the array's RTL behind its
 * registers. A separate program (onyx-cosim) runs both, since it links Unicorn, which is GPL-2. */
#include "engines/firmware.h"
#include "engines/model.h"
#include "engines/overlap.h"
#include "engines/session.h"
#include "engines/waves.h"

/* Whether an earlier run of the session reported this monitor: a raised monitor stays raised. */
static bool was_raised(const compile_engine_in *in, uint32_t x, uint32_t y, uint32_t kind) {
    const uint32_t one = in->image << 24 | kind << 16 | x << 8 | y;
    if (!in->session)
        return false;
    for (uint32_t i = 0; i < in->session->raised.len; i++) {
        if (in->session->raised.at[i] == one)
            return true;
    }
    vec_push(in->ctx->diag->mem, &in->session->raised, one);
    return false;
}

/* Reads the monitors of the array's tiles. The firmware's global buffer has a pace of its own: the monitors
 * may differ from the model ahead of the run. */
static bool read_hazards(const compile_engine_in *in, const cJSON *stats, const char *path,
                         const compile_modelled *met) {
    diagnostics *d = in->ctx->diag;
    const cJSON *one;
    bool safe = true;
    cJSON_ArrayForEach(one, cJSON_GetObjectItem(stats, "hazards")) {
        uint32_t x = 0, y = 0, kinds = 0;
        if (!json_get_u32(one, path, "x", &x, d) || !json_get_u32(one, path, "y", &y, d) ||
            !json_get_u32(one, path, "kinds", &kinds, d))
            return false;
        for (uint32_t kind = 0; kind < CYCLE_HAZARD_KINDS; kind++) {
            if ((kinds >> kind & 1) && !was_raised(in, x, y, kind))
                safe = compile_hazard_of_array(in, met, (cycle_hazard_kind)kind,
                                               (pnr_site){(uint16_t)x, (uint16_t)y}) &&
                       safe;
        }
    }
    return safe;
}

/* Reads the monitors of the global buffer's banks: not the data's fault, hence independent of --hazards. */
static bool read_collisions(compile_context *ctx, const cJSON *stats, const char *path) {
    const cJSON *one;
    bool safe = true;
    cJSON_ArrayForEach(one, cJSON_GetObjectItem(stats, "collisions")) {
        const char *text;
        if (!json_get_text(one, path, "text", &text, ctx->diag))
            return false;
        diag_error(ctx->diag, (src_loc){0}, "E0805-bank-collision", "%s", text);
        diag_hint(ctx->diag,
                  "the firmware must touch no bank that a DMA uses (docs/firmware.md); please report it");
        safe = false;
    }
    return safe;
}

/* Subtracts what was counted before, and notes the whole. */
static void count_one(uint64_t *now, uint64_t *before) {
    const uint64_t all = *now;
    *now -= *before;
    *before = all;
}

/* A session's statistics cover all its runs: subtracts the earlier runs. */
static void count_from(compile_session *s, compile_outcome *out) {
    if (!s)
        return;
    count_one(&out->cycles.kernel, &s->counted.kernel);
    count_one(&out->cycles.total, &s->counted.total);
    count_one(&out->cycles.verify, &s->counted.verify);
    for (uint32_t end = 0; end < 2; end++)
        count_one(&out->cycles.lag[end], &s->counted.lag[end]);
    count_one(&out->words.loaded, &s->words.loaded);
    count_one(&out->words.kept, &s->words.kept);
    count_one(&out->words.collected, &s->words.collected);
}

static void read_words(const cJSON *stats, compile_outcome *out) {
    const cJSON *words = cJSON_GetObjectItem(stats, "host_words");
    out->words.loaded = (uint64_t)cJSON_GetNumberValue(cJSON_GetObjectItem(words, "loaded"));
    out->words.kept = (uint64_t)cJSON_GetNumberValue(cJSON_GetObjectItem(words, "kept"));
    out->words.collected = (uint64_t)cJSON_GetNumberValue(cJSON_GetObjectItem(words, "collected"));
}

/* Array cycles by which the processor lags behind its count, if the board states its waits. */
static void read_lag(const cJSON *stats, double ratio, compile_outcome *out) {
    const cJSON *lag = cJSON_GetObjectItem(stats, "cpu_cycles_lag");
    const cJSON *least = cJSON_GetObjectItem(lag, "least"), *most = cJSON_GetObjectItem(lag, "most");
    out->cycles.lag[0] = least ? (uint64_t)(ratio * least->valuedouble) : 0;
    out->cycles.lag[1] = most ? (uint64_t)(ratio * most->valuedouble) : 0;
}

/* Cycles of the array, from the co-simulation's own count; and its monitors. */
static bool read_stats(const compile_engine_in *in, const char *path, compile_outcome *out) {
    compile_context *ctx = in->ctx;
    cJSON *json = json_read(path, ctx->diag);
    uint32_t config = 0;
    const cJSON *cpu = json ? json_get_object(json, path, "cycles", ctx->diag) : NULL;
    const cJSON *kernel = cJSON_GetObjectItem(json, "cgra_cycles_kernel"),
                *all = cJSON_GetObjectItem(json, "cgra_cycles");
    const cJSON *cpu_all = cJSON_GetObjectItem(json, "cpu_cycles_counted");
    bool ok = cpu && json_get_u32(cpu, path, "config", &config, ctx->diag);
    if (ok && cJSON_IsNumber(kernel) && cJSON_IsNumber(all) && cJSON_IsNumber(cpu_all) &&
        cpu_all->valuedouble > 0) {
        const double verify = cJSON_GetNumberValue(cJSON_GetObjectItem(json, "check_cycles")),
                     ratio = (all->valuedouble - verify) / cpu_all->valuedouble;
        const uint32_t before = in->session ? in->session->configured : 0;
        out->cycles.config = (uint64_t)((config - before) * ratio);
        if (in->session)
            in->session->configured = config;
        out->cycles.kernel = (uint64_t)kernel->valuedouble;
        out->cycles.verify = (uint64_t)verify;
        out->cycles.total = (uint64_t)(all->valuedouble - verify); /* checks are of loading */
        read_words(json, out);
        read_lag(json, ratio, out);
        count_from(in->session, out);
        out->cycles.firmware = out->cycles.total - out->cycles.kernel - out->cycles.config;
    }
    if (ok && in->calls) {
        const uint32_t before = in->session ? in->session->calls : 0;
        uint32_t calls = 0, overlapped = 0;
        ok = json_get_u32(json, path, "function_calls", &calls, ctx->diag) &&
             json_get_u32(json, path, "function_cycles_beside", &overlapped, ctx->diag);
        out->processor.calls = calls - before;
        out->processor.overlapped = overlapped - (in->session ? in->session->worked_overlapped : 0);
        if (in->session) {
            in->session->calls = calls;
            in->session->worked_overlapped = overlapped;
        }
    }
    const bool all_read =
        ok && read_collisions(ctx, json, path) && (in->calls || read_hazards(in, json, path, &out->modelled));
    cJSON_Delete(json);
    return all_read;
}

static bool prepare(compile_engine_run *r, compile_outcome *out) {
    (void)out;
    return compile_firmware_begin(r, 1);
}

static const char *stats_path(const compile_engine_in *in, const compile_firmware *f) {
    return arena_printf(in->ctx->mem, "%s/stats.json", f->folder);
}

/* Has the co-simulation run the batches. */
static bool cosimulate(const compile_engine_in *in, const compile_firmware *f) {
    compile_context *ctx = in->ctx;
    const char *log = arena_printf(ctx->mem, "%s/cosim.log", f->folder), *stats = stats_path(in, f),
               *waves = in->how.wave ? arena_printf(ctx->mem, "%s/waves.fst", in->folder) : NULL;
    const char *argv[24] = {compile_program(ctx, "onyx-cosim"),
                            "--board",
                            in->board_path,
                            "--elf",
                            f->elf,
                            "--batches",
                            f->batches,
                            "--result",
                            f->result,
                            "--stats",
                            stats};
    size_t n = 11;
    if (in->how.wave) {
        argv[n++] = "--waves";
        argv[n++] = in->folder;
    }
    if (compile_is_dense(&in->how))
        argv[n++] = "--dense";
    if (in->session)
        argv[n++] = "--more";
    if (in->how.processor != COMPILE_PROCESSOR_COUNT) {
        argv[n++] = "--time";
        argv[n++] = in->how.processor == COMPILE_PROCESSOR_LEAST ? "least" : "most";
    }
    if (in->how.unchecked)
        argv[n++] = "--no-verify";
    if (in->how.jobs > 1 && !in->independent) {
        argv[n++] = "--jobs";
        argv[n] = arena_printf(ctx->mem, "%u", in->how.jobs);
    }
    compile_stage(ctx, "running the firmware on the chip's RTL", 0);
    const char *const files[COMPILE_SESSION_FILES] = {f->batches, f->result, stats};
    if (in->session)
        return compile_session_run(ctx, in->session, argv, files, log);
    return compile_spawn(ctx, argv, log, (const char *const[]){f->result, stats, waves, NULL});
}

static bool finish(compile_engine_run *r, bool good, compile_outcome *out) {
    const compile_engine_in *in = r->in;
    const compile_firmware *f = r->own;
    if (!compile_firmware_end(r, good) || (!in->again && !compile_firmware_build(r, out)) ||
        (in->how.wave && !compile_write_channels(in)))
        return false;
    r->result = f->result;
    if (in->deferred)
        return compile_defer_firmware_batch(r, out);
    return (in->calls || compile_begin_overlap(in, f)) && cosimulate(in, f);
}

static bool counters(const compile_engine_run *r, compile_outcome *out) {
    compile_firmware_note(r, out);
    return read_stats(r->in, stats_path(r->in, r->own), out);
}

/* Counts the calls of lists, which later batches of calls do not count. */
static bool note_calls(const compile_engine_in *in, const char *path) {
    cJSON *json = json_read(path, in->ctx->diag);
    const bool ok = !in->session ||
                    (json && json_get_u32(json, path, "function_calls", &in->session->calls, in->ctx->diag));
    cJSON_Delete(json);
    return ok;
}

static bool ask(const compile_engine_in *in, const compile_firmware *f, compile_outcome *out) {
    const char *stats = stats_path(in, f);
    return cosimulate(in, f) && read_stats(in, stats, out) && note_calls(in, stats);
}

const compile_engine_row compile_engine_soc = {.prepare = prepare,
                                               .batch = compile_firmware_batch,
                                               .finish = finish,
                                               .counters = counters,
                                               .ask = ask,
                                               .ahead = true};
