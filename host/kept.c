/* Finished batches on disk: a file each, in a folder named after the program and the batch file. */
#include <stdlib.h>

#include "host/host_int.h"
#include "host/kept.h"

#define KEPT_MAGIC 0x44584e4fu /* "ONXD" */
enum { KEPT_VERSION = 1 };

/* A kept file: a head of words, the batch's words of a result file, the XXH64 of everything before. */
enum { MAGIC, VERSION, BATCH, RUNS, OUTPUTS, KERNEL, FIRMWARE = KERNEL + 2, HEAD_WORDS = FIRMWARE + 2 };

static uint64_t long_at(const uint8_t *at) {
    return file_u32_at(at) | (uint64_t)file_u32_at(at + 4) << 32;
}
static void put_long(FILE *out, uint64_t value) {
    file_put_u32(out, (uint32_t)value);
    file_put_u32(out, (uint32_t)(value >> 32));
}

const char *host_kept_folder(const host_job *job, const fw_batches *all, arena *mem, diagnostics *d) {
    size_t length;
    const char *elf = file_read(job->elf, mem, &length, d);
    if (!elf)
        return NULL;
    uint64_t hash = hash_more(0, elf, length);
    hash = hash_more(hash, &all->hash, sizeof all->hash);
    hash = hash_more(hash, all->board->name, strlen(all->board->name));
    const char *folder = arena_printf(mem, "%s/done-%016llx", job->folder, (unsigned long long)hash);
    return make_folder(folder, d) ? folder : NULL;
}

static const char *kept_path(const char *folder, uint32_t batch, arena *mem) {
    return arena_printf(mem, "%s/%06u", folder, batch + 1);
}

/* Reads a kept file; returns NULL unless the file is whole and belongs to the batch. */
static const uint8_t *read_whole(const char *folder, const fw_batches *all, uint32_t batch, arena *mem,
                                 size_t *length, diagnostics *d) {
    const uint8_t *bytes = (const uint8_t *)file_read(kept_path(folder, batch, mem), mem, length, d);
    const uint32_t wanted[] = {KEPT_MAGIC, KEPT_VERSION, batch, all->list[batch].runs, all->outputs};
    if (!bytes || *length < 4 * HEAD_WORDS + 8 ||
        long_at(bytes + *length - 8) != hash_bytes(bytes, *length - 8))
        return NULL;
    for (uint32_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (file_u32_at(bytes + 4 * i) != wanted[i])
            return NULL;
    return bytes;
}

host_kept host_kept_read(const char *folder, const fw_batches *all, uint32_t batch) {
    arena mem = {0};
    diagnostics quiet; /* a missing file is an unfinished batch */
    size_t length = 0;
    host_kept kept = {.done = false};
    diag_init(&quiet, &mem);
    const uint8_t *bytes = read_whole(folder, all, batch, &mem, &length, &quiet);
    if (bytes)
        kept = (host_kept){true, long_at(bytes + 4 * KERNEL), long_at(bytes + 4 * FIRMWARE)};
    arena_free(&mem);
    return kept;
}

/* Writes the runs of a batch in the form of a result file. */
static void put_runs(const fw_batches *all, uint32_t batch, const host_batch_result *r, FILE *out) {
    const pnr_board *board = all->board;
    uint32_t row_words = fw_row_bytes(all->inputs, all->outputs) / 4;
    for (uint32_t run = 0; run < all->list[batch].runs; run++) {
        const uint32_t *row = &r->table[run * row_words];
        put_long(out,
                 (uint64_t)row[row_words - (FW_END_BYTES - FW_AT_end_cycles) / 4] * host_cycles_ratio(board));
        for (uint32_t o = 0; o < all->outputs; o++) {
            const uint32_t *cell = &row[fw_store_cell(all->inputs, o) / 4], first = cell[FW_WORD_cell_first],
                           words = cell[FW_WORD_cell_words];
            const host_piece *p = &r->banks[host_bank_of(board, first)];
            file_put_u32(out, words);
            if (words)
                fwrite(p->content + (first - p->first), 2, words, out);
            for (uint32_t b = 0; b < words % 2 * 2; b++)
                fputc(0, out);
        }
    }
}

/* The file is assembled in memory, since the hash covers the whole file. */
bool host_kept_write(const char *folder, const fw_batches *all, uint32_t batch, const host_batch_result *r,
                     const uint64_t before[3], diagnostics *d) {
    arena mem = {0};
    text_out text;
    file_out f;
    text_begin(&text);
    const uint32_t head[] = {KEPT_MAGIC, KEPT_VERSION, batch, all->list[batch].runs, all->outputs};
    for (uint32_t i = 0; i < sizeof head / sizeof *head; i++)
        file_put_u32(text.stream, head[i]);
    put_long(text.stream, r->counters[1] - before[1]);
    put_long(text.stream, r->counters[2] - before[2]);
    put_runs(all, batch, r, text.stream);
    const char *bytes = text_end(&text, &mem);
    bool good = file_create(&f, kept_path(folder, batch, &mem), &mem, d);
    if (good) {
        fwrite(bytes, 1, text.length, f.stream);
        put_long(f.stream, hash_bytes(bytes, text.length));
        good = file_commit(&f, d);
    }
    arena_free(&mem);
    return good;
}

static bool copy_runs(const char *folder, const fw_batches *all, uint32_t batch, FILE *out, diagnostics *d) {
    arena mem = {0};
    size_t length = 0, head = 4 * HEAD_WORDS;
    uint32_t errors = d->list.len;
    const uint8_t *bytes = read_whole(folder, all, batch, &mem, &length, d);
    if (bytes)
        fwrite(bytes + head, 1, length - head - 8, out);
    else if (d->list.len == errors)
        diag_error(d, (src_loc){0}, "E0001-file", "cannot read '%s': it was changed meanwhile",
                   kept_path(folder, batch, &mem));
    arena_free(&mem);
    return bytes != NULL;
}

bool host_kept_merge(const char *path, const char *folder, const fw_batches *all, arena *mem,
                     diagnostics *d) {
    file_out f;
    bool good = true;
    if (!file_create(&f, path, mem, d))
        return false;
    const uint32_t head[] = {0x52584e4fu /* "ONXR" */, 1, (uint32_t)all->runs, all->outputs};
    for (uint32_t i = 0; i < sizeof head / sizeof *head; i++)
        file_put_u32(f.stream, head[i]);
    for (uint32_t i = 0; good && i < all->batches; i++)
        good = copy_runs(folder, all, i, f.stream, d);
    if (!good)
        file_abandon(&f);
    return good && file_commit(&f, d);
}
