/* Whole kernels recorded on an array of the chip's reference tiles, on the cycle model and on the RTL of the
 * array: both give the same words in the same cycles, without hazard if the chip was right; if the chip was
 * wrong or hung, they raise the monitor of the cause, or give the chip's words. The recordings are of the
 * public netlist. In the older recordings a read scanner's coordinates go first at its port, and all rows see
 * the same flush; with this setting each run is within 1 % of their cycles, and nearly all are equal, on the
 * model (test_cycle_golden_runs) and on the RTL (test_rtl_golden_runs, the same with ONYX_RECORDED and a
 * memory tile of this order). The later recordings, which name their array, have the chip's turns and flush:
 * each word before the chip's fault has its cycle, too. Today's mapping of the same kernel and data meets no
 * hazard. Skipped without the shared data. */
#include <dirent.h>

#include "kernels.h"

/* First part of the names of recordings with a wrong chip, by the chip's hazard. */
static const char *const begins[CYCLE_HAZARD_KINDS] = {[CYCLE_HAZARD_LATE_DONE] = "acc_",
                                                       [CYCLE_HAZARD_MAYBE_COORDINATE] = "union_",
                                                       [CYCLE_HAZARD_REPEAT_LEADING] = "lead_",
                                                       [CYCLE_HAZARD_DENSE_STOP] = "densestop_",
                                                       [CYCLE_HAZARD_REPEAT_MAYBE] = "repeat_signal_"};

typedef struct {
    uint32_t runs, unequal, exact, anew, words;
    double most;                /* largest difference from recorded cycles, in per cent */
    double ours, chips, turned; /* cycles: recorded turns, recorded, chip's turns */
} tally;

#ifdef ONYX_RECORDED
static const bool rtl_recorded = true;
#else
static const bool rtl_recorded = false;
#endif

/* The bitstream as a file for bits_read. */
static const char *write_bits(fixture *f, const cJSON *words) {
    const char *path = arena_printf(&f->mem, "%s/kernel.bs", test_folder(f));
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    const cJSON *word;
    cJSON_ArrayForEach(word, words) fprintf(out, "%s\n", word->valuestring);
    assert_int_equal(fclose(out), 0);
    return path;
}

/* ---- hazards --------------------------------------------------------------------------------- */

static uint32_t *hazards_by_kind(cycle_model *m, arena *mem) {
    const cycle_hazards *met = cycle_hazards_of(m);
    uint32_t *count = arena_new_n(mem, uint32_t, CYCLE_HAZARD_KINDS);
    for (uint32_t i = 0; i < met->len; i++)
        count[met->at[i].kind]++;
    return count;
}

static bool raises_cause(const char *name, const uint32_t *count) {
    bool raises = false;
    for (uint32_t k = 0; k < CYCLE_HAZARD_KINDS; k++)
        raises |= count[k] && begins[k] && strncmp(name, begins[k], strlen(begins[k])) == 0;
    return raises;
}

/* A run that the chip fails must raise the monitor of its cause, unless the model makes the chip's words;
 * another run raises none. */
static void check_hazards(const char *name, bool right, bool same, const uint32_t *count) {
    for (uint32_t k = 0; k < CYCLE_HAZARD_KINDS && (right || same); k++) {
        if (count[k])
            fail_msg("%s: %s is raised where the chip has the same words", name, cycle_hazard_name[k]);
    }
    if (!right && !same && !raises_cause(name, count))
        fail_msg("%s: the chip ends otherwise, and no monitor says why", name);
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* A recorded run: `chip` has the words that left a faultless chip. */
typedef struct {
    kernel_recording ours, chip;
    bool right;
    const cJSON *json;
} recorded_run;

static recorded_run read_run(const cJSON *json, arena *mem) {
    recorded_run r = {.json = json};
    kernel_recorded(cJSON_GetObjectItem(json, "inputs"), false, mem, &r.ours);
    r.chip = r.ours;
    kernel_recorded(cJSON_GetObjectItem(json, "expected"), true, mem, &r.ours);
    kernel_recorded(cJSON_GetObjectItem(json, "reference"), true, mem, &r.chip);
    r.right = strcmp(cJSON_GetObjectItem(json, "outcome")->valuestring, "equal") == 0;
    return r;
}

static bool has_words(const kernel_recording *r, uint32_t i, const cycle_stream *got) {
    return got->got.len == r->expected_length[i] &&
           (!got->got.len ||
            memcmp(got->got.at, r->expected[i], r->expected_length[i] * sizeof *r->expected[i]) == 0);
}

static bool has_all_words(const kernel_recording *r, const cycle_stream *got) {
    bool all = true;
    for (uint32_t i = 0; i < r->n; i++)
        all &= !r->stream[i].output || has_words(r, i, &got[i]);
    return all;
}

/* The cycles of a run in the setting of the older recordings, of the model alone. */
static uint64_t cycles_as_recorded(const kernel_pair *pair, const kernel_recording *r, arena *mem) {
    cycle_design design = pair->k->design;
    design.recorded = true;
    cycle_stream *streams = kernel_streams(pair->k, r->stream, r->n, mem);
    uint64_t cycles = 0;
    assert_int_equal(cycle_run(cycle_build(&design, mem), streams, r->n, false, mem, &cycles), CYCLE_DONE);
    kernel_expect(r, streams);
    return cycles;
}

static void count_cycles(const char *name, uint64_t cycles, double recorded, uint64_t turned, tally *t) {
    double off = 100.0 * ((double)cycles - recorded) / recorded;
    print_message("| %s | %.0f | %llu | %+.1f %% | %llu |\n", name, recorded, (unsigned long long)cycles, off,
                  (unsigned long long)turned);
    t->exact += (double)cycles == recorded;
    t->turned += (double)turned;
    t->ours += (double)cycles;
    t->chips += recorded;
    t->most = off * off > t->most * t->most ? off : t->most;
}

/* In a later recording every word of an output with the chip's words has the chip's cycle, except for one per
 * cent. */
static void compare_stamps(const char *name, const recorded_run *r, const cycle_stream *got, tally *t) {
    const cJSON *all = cJSON_GetObjectItem(r->json, "reference_cycles");
    for (uint32_t i = 0; i < r->chip.n && !rtl_recorded; i++) {
        if (!r->chip.stream[i].output || !has_words(&r->chip, i, &got[i]))
            continue;
        char column[16];
        snprintf(column, sizeof column, "%u", r->chip.stream[i].column);
        const cJSON *stamp, *list = cJSON_GetObjectItem(all, column);
        uint32_t w = 0;
        cJSON_ArrayForEach(stamp, list) {
            const double ours = got[i].stamp.at[w], off = ours - stamp->valuedouble;
            if (100 * off > stamp->valuedouble || 100 * off < -stamp->valuedouble)
                fail_msg("%s: word %u of column %s comes in cycle %.0f, on the chip in %.0f", name, w, column,
                         ours, stamp->valuedouble);
            w++;
        }
        assert_int_equal(w, got[i].got.len);
        t->words += w;
    }
}

/* Returns whether the chip has the same words, but for a value more where the result has no coordinate: who
 * reads the values goes by coordinates, and sees none. */
static bool has_one_value_more(const recorded_run *r, const cycle_stream *got) {
    uint32_t more = 0, others = 0;
    for (uint32_t i = 0; i < r->chip.n; i++) {
        if (!r->chip.stream[i].output || has_words(&r->chip, i, &got[i]))
            continue;
        const uint16_t *words = r->chip.expected[i];
        const bool one =
            r->chip.expected_length[i] == 2 && words[0] == 1 && got[i].got.len == 1 && got[i].got.at[0] == 0;
        more += one;
        others += !one;
    }
    return more == 1 && others == 0;
}

/* A run that neither the chip nor the models finish. */
static void play_hang(kernel_pair *pair, const char *name, const recorded_run *r, arena *mem, tally *t) {
    cycle_stream *got;
    kernel_hang(pair, r->ours.stream, r->ours.n, mem, &got);
    if (!has_all_words(&r->chip, got))
        fail_msg("%s: other words than on the chip", name);
    check_hazards(name, false, true, hazards_by_kind(pair->model, mem));
    t->runs++;
    t->unequal++;
}

static void play_run(kernel_pair *pair, const char *name, const recorded_run *r, arena *mem, uint64_t *all,
                     tally *t) {
    cycle_stream *got;
    const uint64_t turned = kernel_run(pair, r->ours.stream, r->ours.n, mem, &got);
    const bool same = has_all_words(&r->chip, got);
    const bool later = cJSON_GetObjectItem(r->json, "reference_cycles");
    *all += turned;
    if (!same)
        kernel_expect(&r->ours, got);
    const bool more = has_one_value_more(r, got);
    check_hazards(name, r->right, same || more, hazards_by_kind(pair->model, mem));
    t->runs++;
    t->unequal += !r->right;
    if (later && !more) /* our dropper passes both stops together, the chip the outer at once */
        compare_stamps(name, r, got, t);
    if (!same)
        return;
    const uint64_t cycles = rtl_recorded || later ? turned : cycles_as_recorded(pair, &r->ours, mem);
    count_cycles(name, cycles, cJSON_GetObjectItem(r->json, "cycles_reference")->valuedouble, turned, t);
}

/* ---- today's mapping ------------------------------------------------------------------------- */

typedef VEC(const char *) arguments;

/* Adds the operands of a later recording, stored as text. */
static void add_files(fixture *f, const cJSON *files, arguments *a) {
    const cJSON *file;
    cJSON_ArrayForEach(file, files) {
        const char *path = arena_printf(&f->mem, "%s/%s.tns", test_folder(f), file->string);
        FILE *out = fopen(path, "w");
        assert_non_null(out);
        fputs(file->valuestring, out);
        assert_int_equal(fclose(out), 0);
        vec_push(&f->mem, a, "-i");
        vec_push(&f->mem, a, arena_printf(&f->mem, "%s:%s", file->string, path));
    }
}

/* Compiles the kernel anew and runs it with every hazard an error; without its operands only their words are
 * known. */
static bool run_anew(fixture *f, const char *name, const cJSON *json) {
    const char *log = arena_printf(&f->mem, "%s/log", test_folder(f));
    arguments a = {0};
    const cJSON *option, *options = cJSON_GetObjectItem(json, "options");
    if (cJSON_IsString(options))
        return false;
    vec_push(&f->mem, &a, ONYX_BINARY_DIR "/onyx");
    vec_push(&f->mem, &a, "run");
    vec_push(&f->mem, &a, cJSON_GetObjectItem(json, "expression")->valuestring);
    if (cJSON_IsObject(options)) {
        add_files(f, cJSON_GetObjectItem(options, "files"), &a);
        options = cJSON_GetObjectItem(options, "options");
    }
    cJSON_ArrayForEach(option, options) {
        if (strcmp(option->valuestring, "-i") == 0)
            return false;
        vec_push(&f->mem, &a, option->valuestring);
    }
    const char *const rest[] = {"--engine", "cycle", "--hazards",    "error",
                                "--quiet",  "-o",    test_folder(f), NULL};
    for (int i = 0; i < 8; i++)
        vec_push(&f->mem, &a, rest[i]);
    if (program_run(a.at, log) != 0)
        fail_msg("%s: today's mapping fails, see %s", name, log);
    return true;
}

static void play(fixture *f, const char *folder, const char *name, tally *t) {
    kernel k = {0};
    uint64_t cycles = 0;
    cJSON *json = json_read(arena_printf(&f->mem, "%s/%s.json", folder, name), &f->diag);
    assert_non_null(json);
    kernel_read(write_bits(f, cJSON_GetObjectItem(json, "bitstream")), &f->names, &f->mem, &f->diag, &k);
    k.design.recorded = rtl_recorded;
    kernel_pair pair = kernel_start(&k, &f->mem);
    const bool hangs = strncmp(name, "rootlookup_", 11) == 0;
    const cJSON *run;
    cJSON_ArrayForEach(run, cJSON_GetObjectItem(json, "runs")) {
        const recorded_run r = read_run(run, &f->mem);
        if (hangs)
            play_hang(&pair, name, &r, &f->mem, t);
        else
            play_run(&pair, name, &r, &f->mem, &cycles, t);
    }
    if (!hangs)
        kernel_stop(&pair, cycles, &f->mem);
    t->anew += rtl_recorded || run_anew(f, name, json);
    pnr_board_free(&k.board);
    cJSON_Delete(json);
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_recording(const struct dirent *e) {
    const char *end = strrchr(e->d_name, '.');
    return end != NULL && strcmp(end, ".json") == 0;
}

static void test_recorded_runs(void **state) {
    fixture *f = *state;
    const char *folder = ONYX_RECORDED_DIR "/runs";
    struct dirent **file;
    int n = scandir(folder, &file, is_recording, by_name);
    if (n < 0) {
        print_message("skipped: no %s\n", folder);
        skip();
    }
    tally t = {0};
    for (int i = 0; i < n; i++) {
        char *name = file[i]->d_name;
        *strrchr(name, '.') = '\0';
        play(f, folder, name, &t);
        free(file[i]);
    }
    free(file);
    print_message("%u runs, %u of them not equal on the chip, %u in the very cycles; off by %+.2f %% at "
                  "most, by %+.3f %% in "
                  "all, by %+.2f %% in all with the chip's turns\n",
                  t.runs, t.unequal, t.exact, t.most, 100 * (t.ours / t.chips - 1),
                  100 * (t.turned / t.chips - 1));
    assert_true(t.runs >= 66 && t.unequal >= 16 && t.anew >= 40);
    assert_true(t.most < 1 && t.most > -1);
    assert_true(t.exact >= 47);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(test_recorded_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
