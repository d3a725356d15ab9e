/* Finished batches on disk: a file each, under a folder that is named after what they are results of. */
#include <stdlib.h>

#include "host/host_int.h"

#define KEPT_MAGIC 0x44584e4fu /* "ONXD" */
enum { KEPT_VERSION = 1 };

/* A kept file: these words, the batch's part of a result file, and XXH64 of all before. */
enum { MAGIC, VERSION, BATCH, RUNS, OUTPUTS, KERNEL, FIRMWARE = KERNEL + 2, HEAD_WORDS = FIRMWARE + 2 };

static uint64_t long_at(const uint8_t *at) {
    return file_u32_at(at) | (uint64_t)file_u32_at(at + 4) << 32;
}
static void put_long(FILE *out, uint64_t value) {
    file_put_u32(out, (uint32_t)value);
    file_put_u32(out, (uint32_t)(value >> 32));
}

const char *host_kept_folder(const host_job *job, const pnr_board *board, arena *mem, diagnostics *d) {
    size_t elf_length, batches_length;
    const char *elf = file_read(job->elf, mem, &elf_length, d),
               *batches = elf ? file_read(job->batches, mem, &batches_length, d) : NULL;
    if (!batches)
        return NULL;
    uint64_t hash = hash_more(0, elf, elf_length);
    hash = hash_more(hash, batches, batches_length);
    hash = hash_more(hash, board->name, strlen(board->name));
    const char *folder = arena_printf(mem, "%s/done-%016llx", job->folder, (unsigned long long)hash);
    return make_folder(folder, d) ? folder : NULL;
}

static const char *kept_path(const char *folder, uint32_t batch, arena *mem) {
    return arena_printf(mem, "%s/%06u", folder, batch + 1);
}

host_kept host_kept_read(const char *folder, const fw_batches *all, uint32_t batch, arena *mem) {
    diagnostics quiet; /* what is not there is not done */
    size_t length = 0, head = 4 * HEAD_WORDS;
    diag_init(&quiet, mem);
    const uint8_t *bytes = (const uint8_t *)file_read(kept_path(folder, batch, mem), mem, &length, &quiet);
    if (!bytes || length < head + 8 || long_at(bytes + length - 8) != hash_bytes(bytes, length - 8))
        return (host_kept){0};
    const uint32_t wanted[] = {KEPT_MAGIC, KEPT_VERSION, batch, all->list.at[batch].runs, all->outputs};
    for (uint32_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (file_u32_at(bytes + 4 * i) != wanted[i])
            return (host_kept){0};
    return (host_kept){bytes + head, length - head - 8, long_at(bytes + 4 * KERNEL),
                       long_at(bytes + 4 * FIRMWARE)};
}

/* The runs of a batch as in a result file. */
static void put_runs(const fw_batches *all, uint32_t batch, const host_batch_result *r,
                     const pnr_board *board, FILE *out) {
    uint32_t row_words = fw_row_bytes(all->inputs, all->outputs) / 4;
    for (uint32_t run = 0; run < all->list.at[batch].runs; run++) {
        const uint32_t *row = &r->table[run * row_words];
        put_long(out, (uint64_t)row[row_words - 2] * host_cycles_ratio(board));
        for (uint32_t o = 0; o < all->outputs; o++) {
            const uint32_t *cell = &row[2 * (all->inputs + o)];
            const host_piece *p = &r->banks[cell[0] / board->glb_bank_bytes];
            file_put_u32(out, cell[1]);
            if (cell[1])
                fwrite(p->content + (cell[0] - p->first), 2, cell[1], out);
            for (uint32_t b = 0; b < cell[1] % 2 * 2; b++)
                fputc(0, out);
        }
    }
}

/* Written to memory first: the hash is of all. */
bool host_kept_write(const char *folder, const fw_batches *all, uint32_t batch, const host_batch_result *r,
                     const uint64_t before[3], const pnr_board *board, arena *mem, diagnostics *d) {
    text_out text;
    file_out f;
    text_begin(&text);
    const uint32_t head[] = {KEPT_MAGIC, KEPT_VERSION, batch, all->list.at[batch].runs, all->outputs};
    for (uint32_t i = 0; i < sizeof head / sizeof *head; i++)
        file_put_u32(text.stream, head[i]);
    put_long(text.stream, r->counters[1] - before[1]);
    put_long(text.stream, r->counters[2] - before[2]);
    put_runs(all, batch, r, board, text.stream);
    const char *bytes = text_end(&text, mem);
    if (!file_create(&f, kept_path(folder, batch, mem), mem, d))
        return false;
    fwrite(bytes, 1, text.length, f.stream);
    put_long(f.stream, hash_bytes(bytes, text.length));
    return file_commit(&f, d);
}

bool host_kept_merge(const char *path, const fw_batches *all, const host_kept *kept, arena *mem,
                     diagnostics *d) {
    file_out f;
    uint32_t runs = 0;
    for (uint32_t i = 0; i < all->list.len; i++)
        runs += all->list.at[i].runs;
    if (!file_create(&f, path, mem, d))
        return false;
    const uint32_t head[] = {0x52584e4fu /* "ONXR" */, 1, runs, all->outputs};
    for (uint32_t i = 0; i < sizeof head / sizeof *head; i++)
        file_put_u32(f.stream, head[i]);
    for (uint32_t i = 0; i < all->list.len; i++)
        fwrite(kept[i].runs, 1, kept[i].bytes, f.stream);
    return file_commit(&f, d);
}
