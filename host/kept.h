/* kept.h - finished batches, which a later job does not run again. */
#ifndef ONYX_HOST_KEPT_H
#define ONYX_HOST_KEPT_H

#include "host/host_int.h"

typedef struct {
    bool done;
    uint64_t kernel_cycles, firmware_cycles;
} host_kept;

/* Returns the folder of finished batches of the program and the batch file; NULL after an error. */
const char *host_kept_folder(const host_job *job, const fw_batches *all, arena *mem, diagnostics *d);
/* Reads a finished batch; a missing or damaged file means an unfinished batch. */
host_kept host_kept_read(const char *folder, const fw_batches *all, uint32_t batch);
/* Keeps a finished batch; `before` has the counters after the previous batch. Error: E0004-write. */
bool host_kept_write(const char *folder, const fw_batches *all, uint32_t batch, const host_batch_result *r,
                     const uint64_t before[3], diagnostics *d);
/* Writes the result file of all batches, all finished. Error: E0001-file if a kept file has vanished. */
bool host_kept_merge(const char *path, const char *folder, const fw_batches *all, arena *mem, diagnostics *d);

#endif
