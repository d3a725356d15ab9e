/* Job files: what an array simulator streams in, run by run, and what it streamed out. */
#include "tiling/tiling_int.h"

enum { JOB_VERSION = 1 };
static const uint32_t JOB_MAGIC = 0x4a584e4fu;    /* "ONXJ" */
static const uint32_t RESULT_MAGIC = 0x52584e4fu; /* "ONXR" */

static void put_words(FILE *out, const uint16_t *words, uint32_t n) {
    file_put_u32(out, n);
    for (uint32_t i = 0; i < n; i += 2)
        file_put_u32(out, words[i] | (i + 1 < n ? (uint32_t)words[i + 1] << 16 : 0));
}

bool tile_job_write(const tile_plan *plan, const char *path, diagnostics *d) {
    file_out f;
    if (!file_create(&f, path, d->mem, d))
        return false;
    file_put_u32(f.stream, JOB_MAGIC);
    file_put_u32(f.stream, JOB_VERSION);
    file_put_u32(f.stream, plan->inputs.len);
    file_put_u32(f.stream, plan->outputs.len);
    for (uint32_t o = 0; o < plan->outputs.len; o++)
        file_put_u32(f.stream, plan->outputs.at[o].num_blocks);
    file_put_u32(f.stream, plan->runs.len);
    for (uint32_t r = 0; r < plan->runs.len; r++) {
        for (uint32_t i = 0; i < plan->inputs.len; i++) {
            uint32_t which = plan->run_block.at[plan->runs.at[r].block_first + i];
            const tile_block *b = &plan->inputs.at[i].blocks.at[which];
            put_words(f.stream, plan->words.at + b->first, b->length);
        }
    }
    return file_commit(&f, d);
}

/* A result file being read, 32-bit word by word. */
typedef struct {
    const unsigned char *at, *end;
    bool good;
} result_reader;

static uint32_t get(result_reader *r) {
    if (r->end - r->at < 4) {
        r->good = false;
        return 0;
    }
    uint32_t word = file_u32_at(r->at);
    r->at += 4;
    return word;
}

static const uint16_t *get_words(result_reader *r, uint32_t *n, arena *mem) {
    *n = get(r);
    if (!r->good || (uint64_t)(r->end - r->at) < ((uint64_t)*n + 1) / 2 * 4) {
        r->good = false;
        return NULL;
    }
    uint16_t *words = arena_new_n(mem, uint16_t, *n + 1);
    for (uint32_t i = 0; i < *n; i += 2) {
        uint32_t pair = get(r);
        words[i] = (uint16_t)pair;
        words[i + 1] = (uint16_t)(pair >> 16);
    }
    return words;
}

enum { JOB_MAX_OUTPUTS = 32 };

bool tile_job_collect(const char *path, const tile_plan *plan, tile_collector *c, uint64_t *cycles,
                      diagnostics *d) {
    arena scratch = {0};
    size_t length = 0;
    *cycles = 0;
    const char *text = file_read(path, &scratch, &length, d);
    if (!text)
        return false;
    result_reader r = {(const unsigned char *)text, (const unsigned char *)text + length, true};
    uint32_t outputs = plan->outputs.len;
    BUG_IF(outputs > JOB_MAX_OUTPUTS, "%u outputs", outputs);
    r.good = get(&r) == RESULT_MAGIC && get(&r) == JOB_VERSION && get(&r) == plan->runs.len &&
             get(&r) == outputs && r.good;
    bool good = true;
    for (uint32_t run = 0; r.good && good && run < plan->runs.len; run++) {
        arena words_mem = {0};
        const uint16_t *words[JOB_MAX_OUTPUTS];
        uint32_t lengths[JOB_MAX_OUTPUTS];
        uint64_t low = get(&r);
        *cycles += low | (uint64_t)get(&r) << 32;
        for (uint32_t o = 0; r.good && o < outputs; o++)
            words[o] = get_words(&r, &lengths[o], &words_mem);
        good = r.good && tile_collect_run(c, run, words, lengths, d);
        arena_free(&words_mem);
    }
    if (!r.good || (good && r.at != r.end)) {
        diag_error(d, (src_loc){0}, "E0342-job-result", "'%s' is not a complete result of this job", path);
        diag_hint(d, "it was cut off or is another run's: give the same command again");
        good = false;
    }
    arena_free(&scratch);
    return good;
}
