/* Replays the recordings of the reference netlist (with the round-robin arbiter of the chip) on the RTL of
 * the MEM core and on the specification: same configuration words, same tokens, same cycles. Where a
 * recording shows a defect of the chip, the RTL must agree with the model instead. */
#include "mem_design.h"
#include "tests/rtl_pe/golden.h"
#include "tests/rtl_pe/twin.h"
#include "tests/test.h"

static const char *const files[] = {"fa_blockwrite_scan",
                                    "fa_blockwrite_scan_root",
                                    "fa_capacity_small",
                                    "fa_dense",
                                    "fa_lookup",
                                    "fa_write_dense_vals",
                                    "fa_write_stream_scan",
                                    "fa_write_upper_blockread",
                                    "fa_write_vals_blockread"};
enum {
    FILES = sizeof files / sizeof *files,
    MOST_LATE = 0 /* cycles a single token may come earlier or later than recorded */
};

typedef struct {
    uint32_t cases, defects, tokens_equal, stamps_equal, most_late;
    uint32_t streams,
        streams_equal; /* ports with tokens, of sound cases; ports with every token in its cycle */
    double worst_end;  /* largest shift of the last token of a stream, per cent */
} tally;

typedef struct {
    golden_case seen;
    bool defect; /* the recorded outputs are wrong for a fiber access */
    spec_mem_config config;
} recording;

/* The registers of the MEM core sort as text: CONFIG_SPACE_2 and _3 are numbers 12 and 23. */
static void read_config(const cJSON *json, spec_mem_config *config) {
    uint32_t reg[256] = {0};
    golden_registers(json, reg);
    assert_int_equal(reg[46], 1u << 24); /* tile_en, mode 0 */
    *config = (spec_mem_config){{reg[0], reg[1], reg[12], reg[23]}};
}

/* Only the first set of recordings marks defects. An unmarked defect: a dense scanner with a stop before any
 * reference sends stop 0 twice instead of the stop one level up. */
static bool is_defect(const cJSON *marked, const char *file, const char *name) {
    const cJSON *c;
    cJSON_ArrayForEach(c, cJSON_GetObjectItem(marked, "cases")) {
        if (strcmp(cJSON_GetObjectItem(c, "name")->valuestring, name) == 0)
            return cJSON_IsTrue(cJSON_GetObjectItem(c, "hardware_defect")) ||
                   (strcmp(file, "fa_dense") == 0 && strcmp(name, "empty") == 0);
    }
    fail_msg("%s %s: not in the marked set", file, name);
    return false;
}

/* Compares the cycles of a port, prints a line for a difference; returns the largest difference. */
static uint32_t compare_cycles(const char *file, const char *name, const char *port, const u32_vec *want,
                               const u32_vec *have, tally *t) {
    assert_int_equal(want->len, have->len);
    t->streams += want->len != 0;
    uint32_t most = 0, differ = 0;
    int last = 0;
    for (uint32_t i = 0; i < want->len; i++) {
        last = (int)have->at[i] - (int)want->at[i];
        differ += last != 0;
        most = (uint32_t)abs(last) > most ? (uint32_t)abs(last) : most;
    }
    if (differ == 0) {
        t->streams_equal += want->len != 0;
        return 0;
    }
    uint32_t end = want->at[want->len - 1];
    double off = 100.0 * abs(last) / end;
    t->worst_end = off > t->worst_end ? off : t->worst_end;
    print_message("  %-24s %-22s %s: %4u of %4u tokens differ, by %u at most, the last by %+d of %u\n", file,
                  name, port, differ, want->len, most, last, end);
    return most;
}

static uint32_t compare_all_cycles(const golden_case *c, const bench_result *got, tally *t) {
    uint32_t most = 0;
    for (int p = 0; p < BENCH_INS + BENCH_OUTS; p++) {
        bool input = p < BENCH_INS;
        int number = input ? p : p - BENCH_INS;
        char port[] = {input ? 'i' : 'o', (char)('0' + number), 0};
        uint32_t late =
            input ? compare_cycles(c->file, c->name, port, &c->accepted[p], &got->in[p].cycle, t)
                  : compare_cycles(c->file, c->name, port, &c->out[number].cycle, &got->out[number].cycle, t);
        most = late > most ? late : most;
    }
    return most;
}

/* A defect of the recording must raise its monitor in the cycle model; a sound recording raises only monitors
 * of intended merges of a writer. */
static void check_hazards(const golden_case *c, const cycle_hazards *met) {
    static const struct {
        const char *file, *name;
        cycle_hazard_kind kind;
    } monitors[] = {{"fa_capacity_small", "crd9", CYCLE_HAZARD_OVERFLOW},
                    {"fa_capacity_small", "val17", CYCLE_HAZARD_OVERFLOW},
                    {"fa_dense", "b2b", CYCLE_HAZARD_DENSE_AGAIN},
                    {"fa_dense", "empty", CYCLE_HAZARD_DENSE_STOP},
                    {"fa_write_dense_vals", "sparse_addr", CYCLE_HAZARD_WRITE_ORDER},
                    {"fa_write_upper_blockread", "two_trees", CYCLE_HAZARD_SECOND_BLOCK},
                    {"fa_write_upper_blockread", "three_trees", CYCLE_HAZARD_SECOND_BLOCK},
                    {"fa_write_upper_blockread", "crd1025_overflow", CYCLE_HAZARD_OVERFLOW},
                    {"fa_write_vals_blockread", "v1025_overflow", CYCLE_HAZARD_OVERFLOW},
                    {"fa_write_vals_blockread", "two_trees_600", CYCLE_HAZARD_SECOND_BLOCK}};
    uint32_t due = 0;
    for (uint32_t k = 0; k < sizeof monitors / sizeof *monitors; k++) {
        if (strcmp(c->file, monitors[k].file) != 0 || strcmp(c->name, monitors[k].name) != 0)
            continue;
        bool raised = false;
        for (uint32_t i = 0; i < met->len; i++)
            raised |= met->at[i].kind == monitors[k].kind;
        if (!raised)
            fail_msg("%s %s: no hazard", c->file, c->name);
        due++;
    }
    for (uint32_t i = 0; i < met->len && due == 0; i++) {
        cycle_hazard_kind kind = met->at[i].kind;
        print_message("  %-24s %-22s hazard %s\n", c->file, c->name, cycle_hazard_name[kind]);
        assert_true(kind == CYCLE_HAZARD_EQUAL_CRD || kind == CYCLE_HAZARD_EMPTY_FIBER);
    }
}

static void play_case(bench_design design, const recording *r, arena *mem, tally *t) {
    const golden_case *seen = &r->seen;
    spec_streams model = {.mem = mem};
    memcpy(model.in, seen->in, sizeof model.in);
    spec_fiber_access(&r->config, &model);
    if (!r->defect)
        golden_check("recording", seen, seen->out, model.out, mem);

    mem_design_configure(design, true, 0, r->config.space);
    bench_result got = golden_play(design, seen, model.out, mem);
    check_hazards(seen, twin_hazards(design));
    t->cases++;
    t->defects += r->defect;
    if (!r->defect) {
        uint32_t late = compare_all_cycles(seen, &got, t);
        t->tokens_equal++;
        t->stamps_equal += late == 0;
        t->most_late = late > t->most_late ? late : t->most_late;
    }
    golden_play_stalled(design, seen, model.out, mem);
}

static void play_file(fixture *f, bench_design design, const char *folder, const char *file, tally *t) {
    cJSON *json = json_read(arena_printf(&f->mem, "%s/t_arbiter/%s.json", folder, file), &f->diag);
    cJSON *marked = json_read(arena_printf(&f->mem, "%s/%s.json", folder, file), &f->diag);
    assert_non_null(json);
    assert_non_null(marked);
    const cJSON *c;
    cJSON_ArrayForEach(c, cJSON_GetObjectItem(json, "cases")) {
        recording r;
        golden_read(file, c, &f->mem, &r.seen);
        read_config(c, &r.config);
        r.defect = is_defect(marked, file, r.seen.name);
        play_case(design, &r, &f->mem, t);
    }
    cJSON_Delete(marked);
    cJSON_Delete(json);
}

/* A line of the table of docs/notebook/fidelity_mem.md (target golden_tables). */
static void print_row(const char *name, const tally *t) {
    print_message("| %s | %u | %u | %u | %u | %u of %u | %u | %.1f %% |\n", name, t->cases,
                  t->cases - t->defects, t->tokens_equal, t->stamps_equal, t->streams_equal, t->streams,
                  t->most_late, t->worst_end);
}

static void add(tally *total, const tally *t) {
    total->cases += t->cases;
    total->defects += t->defects;
    total->tokens_equal += t->tokens_equal;
    total->stamps_equal += t->stamps_equal;
    total->streams += t->streams;
    total->streams_equal += t->streams_equal;
    total->most_late = t->most_late > total->most_late ? t->most_late : total->most_late;
    total->worst_end = t->worst_end > total->worst_end ? t->worst_end : total->worst_end;
}

static void test_recordings(void **state) {
    fixture *f = *state;
    const char *folder = TEST_RECORDED("vectors");
    tally total = {0}, by_file[FILES] = {{0}};
    bench_design design = mem_design_new();
    for (int i = 0; i < FILES; i++) {
        play_file(f, design, folder, files[i], &by_file[i]);
        add(&total, &by_file[i]);
    }
    print_message(
        "| recordings | cases | sound | same tokens | same cycles, every port | streams with the same cycles "
        "| "
        "a token off by at most | a stream's end by at most |\n|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < FILES; i++)
        print_row(files[i], &by_file[i]);
    print_row("all", &total);
    mem_design_free(design);
    assert_true(total.cases > 0);
    assert_true(total.most_late <= MOST_LATE);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(test_recordings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
