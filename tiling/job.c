/* Job files: an array simulator's input streams, run by run, and its output streams. */
#include "tiling/tiling_int.h"

enum { JOB_VERSION = 1 };
static const uint32_t JOB_MAGIC = 0x4a584e4fu;    /* "ONXJ" */
static const uint32_t RESULT_MAGIC = 0x52584e4fu; /* "ONXR" */

static void put_words(FILE *out, const uint16_t *words, uint32_t n) {
    file_put_u32(out, n);
    for (uint32_t i = 0; i < n; i += 2)
        file_put_u32(out, words[i] | (i + 1 < n ? (uint32_t)words[i + 1] << 16 : 0));
}

/* The number of runs stands behind the outputs' blocks and is known at the end. */
static long count_offset(uint32_t outputs) {
    return 4 * (4 + (long)outputs);
}

bool tile_job_begin(tile_job *j, const char *path, bool more, diagnostics *d) {
    arena scratch = {0};
    size_t length = 0;
    const char *before = more ? file_read_if_there(path, &scratch, &length) : NULL;
    *j = (tile_job){.plans = 0};
    const bool ok = file_create(&j->file, path, d->mem, d);
    if (ok && before) {
        const uint8_t *head = (const uint8_t *)before;
        j->plans = 1;
        j->outputs = file_u32_at(head + 12);
        j->runs = file_u32_at(head + count_offset(j->outputs));
        fwrite(before, 1, length, j->file.stream);
    }
    arena_free(&scratch);
    return ok;
}

static void put_head(FILE *out, const tile_plan *plan) {
    file_put_u32(out, JOB_MAGIC);
    file_put_u32(out, JOB_VERSION);
    file_put_u32(out, plan->inputs.len);
    file_put_u32(out, plan->outputs.len);
    for (uint32_t o = 0; o < plan->outputs.len; o++)
        file_put_u32(out, plan->outputs.at[o].num_blocks);
    file_put_u32(out, 0);
}

void tile_job_add(tile_job *j, const tile_plan *plan) {
    FILE *out = j->file.stream;
    if (j->plans++ == 0)
        put_head(out, plan);
    for (uint32_t r = 0; r < plan->runs.len; r++) {
        for (uint32_t i = 0; i < plan->inputs.len; i++) {
            uint32_t which = plan->run_block.at[plan->runs.at[r].block_first + i];
            const tile_block *b = &plan->inputs.at[i].blocks.at[which];
            put_words(out, plan->words.at + b->first, b->length);
        }
    }
    j->outputs = plan->outputs.len;
    j->runs += plan->runs.len;
}

bool tile_job_end(tile_job *j, bool keep, diagnostics *d) {
    BUG_IF(keep && !j->plans, "a job of no plan");
    if (!keep)
        return file_abandon(&j->file);
    if (fseek(j->file.stream, count_offset(j->outputs), SEEK_SET) == 0)
        file_put_u32(j->file.stream, j->runs);
    return file_commit(&j->file, d);
}

/* ---- results --------------------------------------------------------------------------------- */

static bool get(tile_results *r, uint32_t *word) {
    uint8_t bytes[4];
    bool good = file_take(&r->file, bytes, sizeof bytes);
    *word = good ? file_u32_at(bytes) : 0;
    return good;
}

/* A stream's words; padding follows an incomplete pair. */
static bool get_words(tile_results *r, uint32_t *n, const uint16_t **out, arena *mem) {
    if (!get(r, n) || r->file.length - r->file.at < ((uint64_t)*n + 1) / 2 * 4)
        return false;
    size_t padded = ((size_t)*n + 1) / 2 * 4;
    uint8_t *bytes = arena_alloc(mem, padded);
    uint16_t *words = arena_new_n(mem, uint16_t, *n + 1);
    if (!file_take(&r->file, bytes, padded))
        return false;
    for (uint32_t i = 0; i < *n; i++)
        words[i] = (uint16_t)(bytes[2 * i] | bytes[2 * i + 1] << 8);
    *out = words;
    return true;
}

static bool incomplete(const tile_results *r, diagnostics *d) {
    diag_error(d, (src_loc){0}, "E0342-job-result", "'%s' is not a complete result of this job", r->path);
    return diag_hint(d, "it was cut off or is another run's: give the same command again");
}

bool tile_results_open(tile_results *r, const char *path, uint64_t runs, diagnostics *d) {
    uint32_t magic, version, stated;
    *r = (tile_results){.path = path};
    if (!file_open(&r->file, path, d))
        return false;
    if (get(r, &magic) && get(r, &version) && get(r, &stated) && get(r, &r->outputs) &&
        magic == RESULT_MAGIC && version == JOB_VERSION && stated == runs)
        return true;
    file_close(&r->file);
    return incomplete(r, d);
}

bool tile_results_take(tile_results *r, const uint16_t **words, uint32_t *lengths, arena *mem,
                       diagnostics *d) {
    uint32_t low = 0, high = 0;
    BUG_IF(r->outputs > TILE_MAX_STREAMS, "%u outputs", r->outputs);
    bool whole = get(r, &low) && get(r, &high);
    for (uint32_t o = 0; whole && o < r->outputs; o++)
        whole = get_words(r, &lengths[o], &words[o], mem);
    r->cycles += low | (uint64_t)high << 32;
    return whole || incomplete(r, d);
}

bool tile_results_collect(tile_results *r, const tile_plan *plan, tile_collector *c, diagnostics *d) {
    bool good = true;
    if (r->outputs != plan->outputs.len)
        return incomplete(r, d);
    for (uint32_t run = 0; good && run < plan->runs.len; run++) {
        arena scratch = {0};
        const uint16_t *words[TILE_MAX_STREAMS];
        uint32_t lengths[TILE_MAX_STREAMS];
        good =
            tile_results_take(r, words, lengths, &scratch, d) && tile_collect_run(c, run, words, lengths, d);
        arena_free(&scratch);
    }
    return good;
}

bool tile_results_close(tile_results *r, bool good, diagnostics *d) {
    bool over = r->file.at == r->file.length;
    file_close(&r->file);
    return good && (over || incomplete(r, d));
}
