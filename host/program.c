/* Everything from files to a result file: see host.h. */
#include "host/host_int.h"

host_options host_options_default(void) {
    return (host_options){.openocd = "openocd", .timeout = 120};
}

static bool changed_meanwhile(host_link *l, const char *folder, uint32_t batch) {
    diag_error(l->d, (src_loc){0}, "E0001-file", "batch %u, written just now, cannot be read back from '%s'",
               batch + 1, folder);
    diag_hint(l->d, "does another program write there? the same command runs this batch again");
    return false;
}

/* Nothing of a batch stays in memory. */
static bool run_batch(host_link *l, fw_batches *all, const char *folder, uint32_t batch, host_kept *kept,
                      uint64_t counters[3]) {
    arena mem = {0};
    fw_batch b;
    host_batch_result result;
    bool good = fw_batches_get(all, batch, &mem, l->d, &b) &&
                host_target_run(l, all, batch, &b, &mem, &result) && host_nothing_lost(l) &&
                host_kept_write(folder, all, batch, &result, counters, l->d);
    if (good) {
        memcpy(counters, result.counters, sizeof result.counters);
        *kept = host_kept_read(folder, all, batch);
        good = kept->done || changed_meanwhile(l, folder, batch);
    }
    if (good) {
        host_tell(l, all, batch, b.runs);
        l->runs_before += b.runs;
    }
    arena_free(&mem);
    return good;
}

/* The batches that are not done. */
static bool run_missing(host_link *l, fw_batches *all, const char *folder, host_kept *kept,
                        host_outcome *out) {
    uint64_t counters[3] = {0};
    for (uint32_t i = 0; i < all->batches; i++)
        l->runs_before += kept[i].done ? all->list[i].runs : 0;
    for (uint32_t i = 0; i < all->batches; i++) {
        if (!kept[i].done && !run_batch(l, all, folder, i, &kept[i], counters))
            return false;
    }
    out->config_cycles = counters[0];
    return true;
}

static bool run_all(fw_batches *all, const host_job *job, const host_options *o, arena *mem, diagnostics *d,
                    host_outcome *out) {
    host_link link;
    const char *folder = host_kept_folder(job, all, mem, d);
    if (!folder)
        return false;
    host_kept *kept = arena_new_n(mem, host_kept, all->batches + 1);
    for (uint32_t i = 0; i < all->batches; i++) {
        kept[i] = host_kept_read(folder, all, i);
        out->kept += kept[i].done;
    }
    bool good = true;
    if (out->kept < all->batches) {
        good = host_link_open(&link, all->board, o, job->folder, mem, d) &&
               host_target_start(&link, job->elf) && run_missing(&link, all, folder, kept, out);
        host_link_close(&link);
        out->interrupted = host_interrupted;
    }
    if (!good || !host_kept_merge(job->result, folder, all, mem, d))
        return false;
    out->batches = all->batches;
    for (uint32_t i = 0; i < all->batches; i++) {
        out->kernel_cycles += kept[i].kernel_cycles;
        out->firmware_cycles += kept[i].firmware_cycles;
    }
    remove_folder(folder);
    return true;
}

bool host_program(const pnr_board *board, const host_job *job, const host_options *o, arena *mem,
                  diagnostics *d, host_outcome *out) {
    fw_batches all;
    *out = (host_outcome){0};
    host_interrupted = 0;
    if (!fw_batches_open(job->batches, board, mem, d, &all))
        return false;
    bool good = run_all(&all, job, o, mem, d, out);
    fw_batches_close(&all);
    return good;
}
