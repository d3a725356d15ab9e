/* Whole kernels recorded on an array of the chip's reference tiles, on the cycle model and on the RTL of the
 * array: both the same words in the same cycles, and no hazard where the chip was right; where it went wrong
 * or hung, the monitor of what it met. The recordings are of the public netlist, in which a read scanner's
 * coordinates go first at its port, and of one flush for all rows: in that setting each run is within 1 % of
 * their cycles, and equal in nearly all, on the model (test_cycle_golden_runs) and on the RTL
 * (test_rtl_golden_runs, the same with ONYX_RECORDED and a memory tile that has this order). Today's mapping
 * of the same kernel and data meets no hazard. Skipped without the shared data. */
#include <dirent.h>

#include "kernels.h"

/* By how a recording's name begins: what the chip meets where it is not equal. */
static const struct {
    const char *begins;
    cycle_hazard_kind met;
} causes[] = {{"acc_", CYCLE_HAZARD_LATE_DONE},
              {"union_", CYCLE_HAZARD_MAYBE_COORDINATE},
              {"lead_", CYCLE_HAZARD_REPEAT_LEADING}};

typedef struct {
    uint32_t runs, unequal, exact, anew;
    double most;                /* by how much a run's cycles differ from those recorded, in per cent */
    double ours, chips, turned; /* cycles of all that are right: as recorded, recorded, of the chip's turns */
} tally;

/* The bitstream as a file that bits_read takes. */
static const char *write_bits(fixture *f, const cJSON *words) {
    const char *path = arena_printf(&f->mem, "%s/kernel.bs", test_folder(f));
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    const cJSON *word;
    cJSON_ArrayForEach(word, words) fprintf(out, "%s\n", word->valuestring);
    assert_int_equal(fclose(out), 0);
    return path;
}

static uint32_t *hazards_by_kind(cycle_model *m, arena *mem) {
    const cycle_hazards *met = cycle_hazards_of(m);
    uint32_t *count = arena_new_n(mem, uint32_t, CYCLE_HAZARD_KINDS);
    for (uint32_t i = 0; i < met->len; i++)
        count[met->at[i].kind]++;
    return count;
}

/* A run that the chip does not finish as it should must raise the monitor of its cause, another none. */
static void check_hazards(const char *name, const char *outcome, cycle_model *m, arena *mem) {
    const uint32_t *count = hazards_by_kind(m, mem);
    bool equal = strcmp(outcome, "equal") == 0, expected = equal;
    for (size_t i = 0; i < sizeof causes / sizeof *causes && !equal; i++)
        expected |= strncmp(name, causes[i].begins, strlen(causes[i].begins)) == 0 && count[causes[i].met];
    for (uint32_t k = 0; k < CYCLE_HAZARD_KINDS && equal; k++) {
        if (count[k])
            fail_msg("%s: the chip is right, and %s is raised", name, cycle_hazard_name[k]);
    }
    if (!expected)
        fail_msg("%s: the chip ends with %s, and no monitor says why", name, outcome);
}

#ifdef ONYX_RECORDED
static const bool rtl_recorded = true;
#else
static const bool rtl_recorded = false;
#endif

/* The cycles of a run in the setting of the recordings, of the model alone. */
static uint64_t cycles_as_recorded(const kernel_pair *pair, const kernel_recording *r, arena *mem) {
    cycle_design design = pair->k->design;
    design.recorded = true;
    cycle_stream *streams = kernel_streams(pair->k, r->stream, r->n, mem);
    uint64_t cycles = 0;
    assert_int_equal(cycle_run(cycle_build(&design, mem), streams, r->n, false, mem, &cycles), CYCLE_DONE);
    kernel_expect(r, streams);
    return cycles;
}

static void play_run(kernel_pair *pair, const char *name, const cJSON *run, arena *mem, uint64_t *all,
                     tally *t) {
    kernel_recording r = {.n = 0};
    cycle_stream *got;
    const char *outcome = cJSON_GetObjectItem(run, "outcome")->valuestring;
    kernel_recorded(cJSON_GetObjectItem(run, "inputs"), false, mem, &r);
    kernel_recorded(cJSON_GetObjectItem(run, "expected"), true, mem, &r);
    uint64_t turned = kernel_run(pair, r.stream, r.n, mem, &got);
    *all += turned;
    kernel_expect(&r, got);
    check_hazards(name, outcome, pair->model, mem);
    t->runs++;
    const cJSON *recorded = cJSON_GetObjectItem(run, "cycles_reference");
    if (strcmp(outcome, "equal") != 0) {
        t->unequal++;
        return;
    }
    uint64_t cycles = rtl_recorded ? turned : cycles_as_recorded(pair, &r, mem);
    double off = 100.0 * ((double)cycles - recorded->valuedouble) / recorded->valuedouble;
    print_message("| %s | %.0f | %llu | %+.1f %% | %llu |\n", name, recorded->valuedouble,
                  (unsigned long long)cycles, off, (unsigned long long)turned);
    t->exact += (double)cycles == recorded->valuedouble;
    t->turned += (double)turned;
    t->ours += (double)cycles;
    t->chips += recorded->valuedouble;
    t->most = off * off > t->most * t->most ? off : t->most;
}

/* Compiles the kernel anew and runs it with every hazard an error; of one whose operands are files nothing is
 * known but their words. */
static bool run_anew(fixture *f, const char *name, const cJSON *json) {
    const char *log = arena_printf(&f->mem, "%s/log", test_folder(f));
    VEC(const char *) a = {0};
    const cJSON *option;
    vec_push(&f->mem, &a, ONYX_BINARY_DIR "/onyx");
    vec_push(&f->mem, &a, "run");
    vec_push(&f->mem, &a, cJSON_GetObjectItem(json, "expression")->valuestring);
    cJSON_ArrayForEach(option, cJSON_GetObjectItem(json, "options")) {
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
    const cJSON *run;
    cJSON_ArrayForEach(run, cJSON_GetObjectItem(json, "runs"))
        play_run(&pair, name, run, &f->mem, &cycles, t);
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
    const char *folder = ONYX_SHARED_DIR "/data/golden_runs";
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
