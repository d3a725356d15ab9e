/* Engine program: the kernel's firmware and batches on a board, by host/. */
#include "compile/engine.h"

bool compile_run_program(const compile_options *o, compile_context *ctx, compile_kernel *k,
                         compile_batches *batches, tile_collector *c, compile_outcome *out) {
    arena *mem = ctx->mem;
    const char *folder = arena_printf(mem, "%s/firmware", o->out);
    const host_job job = {.elf = arena_printf(mem, "%s/app.elf", folder),
                          .batches = arena_printf(mem, "%s/batches.bin", folder),
                          .result = arena_printf(mem, "%s/result.bin", folder),
                          .folder = folder,
                          .design = &k->array.design};
    fw_app app;
    host_outcome done;
    uint64_t cycles = 0, ratio = host_cycles_ratio(&k->board);
    if (!make_folder(folder, ctx->diag) ||
        !compile_write_batch_file(o, ctx, k, FW_BUFFERS_MOST, job.batches, batches, out))
        return false;
    double start = seconds_now();
    if (!compile_firmware_is_there(ctx, k, folder) && !compile_build_firmware(ctx, k, folder, &app))
        return false;
    k->times.firmware = seconds_now() - start;
    compile_stage(ctx, "loading the board", 0);
    bool ok = host_program(&o->on_board->board, &job, &o->on_board->host, mem, ctx->diag, &done);
    if (!ok && done.interrupted) {
        ctx->interrupted = true;
        return false;
    }
    out->host = done;
    out->config_cycles = done.config_cycles * ratio;
    out->kernel_cycles = done.kernel_cycles * ratio;
    out->firmware_cycles = done.firmware_cycles * ratio;
    out->total_cycles = out->config_cycles + out->kernel_cycles + out->firmware_cycles;
    return ok && compile_collect_batches(batches, job.result, c, &cycles);
}
