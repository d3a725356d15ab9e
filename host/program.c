/* Everything from files to a result file: see host.h. */
#include "host/host_int.h"

host_options host_options_default(void) {
    return (host_options){.openocd = "openocd", .timeout = 120};
}

static bool run_batch(host_link *l, const fw_batches *all, const char *folder, uint32_t batch,
                      host_kept *kept, uint64_t counters[3]) {
    host_batch_result result;
    if (!host_target_run(l, all, batch, &result) ||
        !host_kept_write(folder, all, batch, &result, counters, l->board, l->mem, l->d))
        return false;
    memcpy(counters, result.counters, sizeof result.counters);
    *kept = host_kept_read(folder, all, batch, l->mem);
    if (!kept->runs) {
        diag_error(l->d, (src_loc){0}, "E0001-file",
                   "batch %u, written just now, cannot be read back from '%s'", batch + 1, folder);
        diag_hint(l->d, "does another program write there? the same command runs this batch again");
        return false;
    }
    host_tell(l, all, batch, all->list.at[batch].runs);
    l->runs_before += all->list.at[batch].runs;
    return true;
}

/* The batches that are not done. */
static bool run_missing(host_link *l, const fw_batches *all, const char *folder, host_kept *kept,
                        host_outcome *out) {
    uint64_t counters[3] = {0};
    for (uint32_t i = 0; i < all->list.len; i++)
        l->runs_before += kept[i].runs ? all->list.at[i].runs : 0;
    for (uint32_t i = 0; i < all->list.len; i++) {
        if (!kept[i].runs && !run_batch(l, all, folder, i, &kept[i], counters))
            return false;
    }
    out->config_cycles = counters[0];
    return true;
}

bool host_program(const pnr_board *board, const host_job *job, const host_options *o, arena *mem,
                  diagnostics *d, host_outcome *out) {
    fw_batches all = {0};
    host_link link;
    *out = (host_outcome){0};
    host_interrupted = 0;
    if (!fw_batches_read(job->batches, board, mem, d, &all))
        return false;
    const char *folder = host_kept_folder(job, board, mem, d);
    if (!folder)
        return false;
    host_kept *kept = arena_new_n(mem, host_kept, all.list.len + 1);
    for (uint32_t i = 0; i < all.list.len; i++) {
        kept[i] = host_kept_read(folder, &all, i, mem);
        out->kept += kept[i].runs != NULL;
    }
    bool good = true;
    if (out->kept < all.list.len) {
        good = host_link_open(&link, board, o, job->folder, mem, d) && host_target_start(&link, job->elf) &&
               run_missing(&link, &all, folder, kept, out);
        host_link_close(&link);
        out->interrupted = host_interrupted;
    }
    if (!good || !host_kept_merge(job->result, &all, kept, mem, d))
        return false;
    out->batches = all.list.len;
    for (uint32_t i = 0; i < all.list.len; i++) {
        out->kernel_cycles += kept[i].kernel_cycles;
        out->firmware_cycles += kept[i].firmware_cycles;
    }
    remove_folder(folder);
    return true;
}
