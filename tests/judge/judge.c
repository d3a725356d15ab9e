/* Random kernels, each judged by the meaning of its configured array: chip_judge [COUNT [SEED]]
 *
 * The command compiles and runs each kernel of SEED, SEED + 1, ..; the judge reads the array back from the
 * command's bitstream, and its runs from the job file. The specification of the primitives computes each run
 * twice: by the graph's meaning, and by the fabricated chip's behaviour (tests/spec). A kernel with equal
 * results is equal, a kernel refused by the command is refused; any other kernel is silent, is printed as a
 * command, and makes the exit code 1.
 */
#include "tests/judge/judge.h"
#include "engines/cycle_load.h"
#include "tests/quota.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { CODES = 64, STREAMS = 64, MOST_PRINTED = 20, PACES = 40 };

typedef enum { EQUAL, REFUSED, SILENT, WRONG } verdict;

typedef struct {
    pnr_board board;
    bits_map *map;
    arena mem;   /* of the two */
    quota shown; /* trivial: a result without entries */
    const char *folder;
    uint32_t count[WRONG + 1], runs, surplus, timed, codes;
    struct {
        char code[32];
        uint32_t count;
    } refused[CODES];
} judge;

/* ---- files of the command --------------------------------------------------------------------- */

/* A job file (docs/dump.md): words of 32 bits, the lowest byte first, the order of this machine. */
typedef struct {
    const char *at, *end;
} reader;

static const void *take_bytes(reader *r, size_t bytes) {
    const char *at = r->at;
    BUG_IF((size_t)(r->end - at) < bytes, "the job file ends early");
    r->at += bytes;
    return at;
}

static uint32_t word(reader *r) {
    uint32_t w;
    memcpy(&w, take_bytes(r, sizeof w), sizeof w);
    return w;
}

static void read_words(reader *r, arena *mem, judge_stream *s) {
    s->length = word(r);
    const size_t bytes = (s->length + 1) / 2 * sizeof(uint32_t);
    s->words = memcpy(arena_alloc(mem, bytes + 1), take_bytes(r, bytes), bytes);
}

/* The IO tiles in the order of a job file: inputs, followed by outputs, each by column. */
static uint32_t list_streams(const cycle_design *design, judge_stream *streams) {
    uint32_t n = 0;
    for (int output = 0; output < 2; output++) {
        for (uint32_t c = 0; c < design->cells.len; c++) {
            if (design->cells.at[c].kind != (output ? CYCLE_IO_OUT : CYCLE_IO_IN))
                continue;
            BUG_IF(n == STREAMS, "more than %d streams", STREAMS);
            streams[n++] = (judge_stream){.cell = c, .output = output};
        }
    }
    return n;
}

static bool read_design(judge *j, const char *path, arena *mem, diagnostics *d, cycle_design *out) {
    name_table names;
    bits_stream bits;
    pnr_design decoded;
    uint32_t unknown = 0;
    names_init(&names, mem);
    return bits_read(path, mem, d, &bits) && bits_decode(&bits, j->map, &names, d, &decoded, &unknown) &&
           !unknown && cycle_load(&decoded, j->map, mem, d, out);
}

/* ---- judging --------------------------------------------------------------------------------- */

/* Plays the run on the cycle model at random paces. Returns whether the run ends without a raised monitor. */
static bool is_right_at_each_pace(const cycle_design *design, const judge_stream *streams, uint32_t n,
                                  arena *mem) {
    bool right = true;
    for (uint32_t p = 0; p < PACES && right; p++) {
        cycle_stream paced[STREAMS] = {0};
        cycle_model *m = cycle_build(design, mem);
        uint64_t cycles;
        judge_pace(p, streams, n, paced);
        right = cycle_run(m, paced, n, false, mem, &cycles) == CYCLE_DONE && cycle_hazards_of(m)->len == 0;
    }
    return right;
}

/* Judges a run by its meaning and by the chip's possible behaviour; `why` describes the difference. If only
 * some orders of a repeater's streams are wrong, the cycle model's monitors tell whether any pace of the
 * streams has such an order. */
static bool judge_run(judge *j, const cycle_design *design, const judge_stream *streams, uint32_t n,
                      arena *mem, const char **why) {
    judge_stream meant[STREAMS], chip[STREAMS];
    uint32_t right = 0;
    memcpy(meant, streams, n * sizeof *streams);
    judge_evaluate(design, SPEC_SAM, meant, n, mem);
    *why = judge_complete(meant, n) ? NULL : "its graph gives no whole result";
    for (spec_meaning m = SPEC_CHIP; m < SPEC_MEANINGS && judge_complete(meant, n); m++) {
        memcpy(chip, streams, n * sizeof *streams);
        judge_evaluate(design, m, chip, n, mem);
        const bool whole = judge_complete(chip, n), same = whole && judge_equal(meant, chip, n, &j->surplus);
        right += same;
        if (!same)
            *why = whole ? "the chip gives other words" : "the chip stands still";
    }
    if (!*why || right == 0)
        return !*why;
    j->timed++;
    return is_right_at_each_pace(design, streams, n, mem);
}

static bool judge_job(judge *j, const char *folder, arena *mem, const char **why) {
    diagnostics d;
    cycle_design design = {.recorded = false};
    judge_stream streams[STREAMS];
    size_t length = 0;
    diag_init(&d, mem);
    const char *bytes = file_read(arena_printf(mem, "%s/job.bin", folder), mem, &length, &d);
    if (!bytes) {
        *why = NULL; /* no run of this kernel was needed */
        return true;
    }
    *why = "its files cannot be read";
    if (!read_design(j, arena_printf(mem, "%s/bitstream.bs", folder), mem, &d, &design)) {
        diag_print(&d, 0, stderr, false);
        return false;
    }
    reader r = {bytes, bytes + length};
    const uint32_t n = list_streams(&design, streams), magic = word(&r), version = word(&r),
                   inputs = word(&r);
    if (magic != 0x4a584e4f || version != 1 || inputs + word(&r) != n)
        return false;
    for (uint32_t i = inputs; i < n; i++)
        streams[i].blocks = word(&r);
    for (uint32_t runs = word(&r); runs > 0; runs--) {
        for (uint32_t i = 0; i < inputs; i++)
            read_words(&r, mem, &streams[i]);
        j->runs++;
        if (!judge_run(j, &design, streams, n, mem, why))
            return false;
    }
    *why = NULL;
    return true;
}

static void count_refusal(judge *j, const char *code) {
    uint32_t k = 0;
    while (k < j->codes && strcmp(j->refused[k].code, code) != 0)
        k++;
    BUG_IF(k == CODES, "more than %d codes", CODES);
    if (k == j->codes)
        snprintf(j->refused[j->codes++].code, sizeof j->refused[k].code, "%s", code);
    j->refused[k].count++;
}

/* The code of the first error in the command's log, with the name of the hazard if present. */
static const char *code_of(const char *log, arena *mem) {
    const char *at = strstr(log, " [E");
    return at ? arena_printf(mem, "%.*s", (int)strcspn(at + 2, "]"), at + 2) : "";
}

static bool gave_nothing(const char *folder, diagnostics *d, arena *mem) {
    cJSON *report = json_read(arena_printf(mem, "%s/report.json", folder), d);
    uint32_t entries = 0;
    BUG_IF(!report || !json_get_u32(report, "report.json", "result_nnz", &entries, d), "%s has no report",
           folder);
    cJSON_Delete(report);
    return entries == 0;
}

static verdict judge_kernel(judge *j, uint64_t seed, arena *mem, const char **why, judge_words *words) {
    diagnostics d;
    size_t length;
    const char *log = arena_printf(mem, "%s/log", j->folder), *out = arena_printf(mem, "%s/out", j->folder);
    const char *const first[] = {ONYX_BINARY_DIR "/onyx", "run"};
    const char *const rest[] = {"--engine", "cycle", "--io-trace", "--effort", "1",
                                "--quiet",  "-o",    out,          NULL};
    diag_init(&d, mem);
    remove_folder(out);
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        vec_push(mem, words, first[i]);
    judge_generate(seed, j->folder, mem, words);
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        vec_push(mem, words, rest[i]);
    const int code = program_run(words->at, log);
    quota_add(&j->shown, code == 0, code == 0 && gave_nothing(out, &d, mem));
    if (code != 0) {
        const char *text = file_read(log, mem, &length, &d);
        const char *refusal = code_of(text ? text : "", mem);
        *why = text ? text : "no log";
        if ((code != 1 && code != 2) || !*refusal)
            return WRONG;
        count_refusal(j, refusal);
        return REFUSED;
    }
    return judge_job(j, out, mem, why) ? EQUAL : SILENT;
}

static void print_kernel(uint64_t seed, const judge_words *words, const char *why) {
    printf("seed %llu: %s\n ", (unsigned long long)seed, why);
    for (uint32_t i = 0; i < words->len && words->at[i]; i++)
        printf(strpbrk(words->at[i], "(*+ ") ? " '%s'" : " %s", words->at[i]);
    printf("\n");
}

static bool begin(judge *j, char *folder) {
    diagnostics d;
    diag_init(&d, &j->mem);
    j->folder = mkdtemp(folder);
    return j->folder && pnr_board_read("onyx", &j->mem, &d, &j->board) &&
           bits_map_read(&j->board, &j->mem, &d, &j->map);
}

int main(int argc, char **argv) {
    const uint32_t count = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1000;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    judge j = {.runs = 0};
    char folder[4096];
    if (getenv("KEEP"))
        snprintf(folder, sizeof folder, "%s/judge-XXXXXX", getenv("KEEP"));
    else
        snprintf(folder, sizeof folder, "%s/judge-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    if (!begin(&j, folder)) {
        fprintf(stderr, "judge: no folder, or no board\n");
        return 1;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (uint64_t s = seed; s < seed + count; s++) {
        arena mem = {0};
        judge_words words = {0};
        const char *why = NULL;
        const verdict v = judge_kernel(&j, s, &mem, &why, &words);
        if (v >= SILENT && j.count[SILENT] + j.count[WRONG] < MOST_PRINTED)
            print_kernel(s, &words, why);
        j.count[v]++;
        arena_free(&mem);
    }
    printf("%u kernels, %u runs: %u equal in both meanings, %u refused, %u silent, %u wrong otherwise\n",
           count, j.runs, j.count[EQUAL], j.count[REFUSED], j.count[SILENT], j.count[WRONG]);
    printf("  one value more where the result is empty: %u times; right by the order of a repeater's "
           "streams: %u runs\n",
           j.surplus, j.timed);
    for (uint32_t k = 0; k < j.codes; k++)
        printf("  %s %u\n", j.refused[k].code, j.refused[k].count);
    if (!getenv("KEEP"))
        remove_folder(folder);
    pnr_board_free(&j.board);
    arena_free(&j.mem);
    return quota_failed(&j.shown) || j.count[SILENT] + j.count[WRONG] != 0;
}
