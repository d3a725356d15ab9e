/* Replays the recordings of the reference netlist on the RTL of the PE core and on the specification: same
 * configuration words, same inputs, same tokens, same cycles. Where a recording shows a defect of the chip,
 * the RTL must agree with the model instead. Skipped without the shared data. */
#include "bench.h"
#include "tests/test.h"
#include "twin.h"

static const char *const files[] = {"intersect", "union",   "crddrop", "crdhold", "alu_add",
                                    "alu_sub",   "alu_mul", "repeat",  "rsg",     "reduce"};
enum { FILES = sizeof files / sizeof *files, PACES = 4 };

typedef struct {
    uint32_t cases, defects, tokens_equal, stamps_equal;
} tally;

typedef struct {
    const char *name;
    bool defect; /* the recorded outputs are not what the primitive means */
    spec_pe_config config;
    u32_vec in[BENCH_INS];
    bench_trace accepted[BENCH_INS], out[BENCH_OUTS];
    u32_vec meant[BENCH_OUTS]; /* of a defect, where the file says it */
    bool has_meant;
} recording;

static uint32_t hex(const cJSON *text) {
    assert_true(cJSON_IsString(text));
    return (uint32_t)strtoul(text->valuestring, NULL, 16);
}

/* Tile configuration from (address, data) words: feature 0 is the PE core, registers 0..2 CONFIG_SPACE. */
static void read_config(const cJSON *words, spec_pe_config *config) {
    uint32_t reg[4] = {0};
    const cJSON *word;
    cJSON_ArrayForEach(word, words) {
        uint32_t address = hex(cJSON_GetArrayItem(word, 0));
        if ((address >> 16 & 0xff) == 0)
            reg[address >> 24 & 3] = hex(cJSON_GetArrayItem(word, 1));
    }
    assert_true(reg[3] >> 19 & 1);
    *config = (spec_pe_config){(rtl_pe_mode)(reg[3] >> 16 & 7), {reg[0], reg[1], reg[2] & 0x3fffff}};
}

static void read_tokens(const cJSON *list, arena *mem, u32_vec *out) {
    const cJSON *item;
    cJSON_ArrayForEach(item, list) vec_push(mem, out, hex(item));
}

static void read_case(const cJSON *c, arena *mem, recording *r) {
    *r = (recording){.name = cJSON_GetObjectItem(c, "name")->valuestring};
    read_config(cJSON_GetObjectItem(c, "config"), &r->config);
    const cJSON *meant = cJSON_GetObjectItem(c, "sam_semantics_outputs");
    r->has_meant = meant != NULL;
    r->defect = cJSON_IsTrue(cJSON_GetObjectItem(c, "hardware_defect")) ||
                cJSON_IsFalse(cJSON_GetObjectItem(c, "matches_sam_semantics"));
    for (int i = 0; i < BENCH_INS; i++) {
        char port[] = {'i', 'n', (char)('0' + i), 0};
        read_tokens(cJSON_GetObjectItem(cJSON_GetObjectItem(c, "inputs"), port), mem, &r->in[i]);
        const cJSON *cycle;
        cJSON_ArrayForEach(cycle, cJSON_GetObjectItem(cJSON_GetObjectItem(c, "input_accept_cycles"), port))
            vec_push(mem, &r->accepted[i].cycle, (uint32_t)cycle->valueint);
    }
    for (int o = 0; o < BENCH_OUTS; o++) {
        char port[] = {'o', 'u', 't', (char)('0' + o), 0};
        const cJSON *stamped;
        cJSON_ArrayForEach(stamped, cJSON_GetObjectItem(cJSON_GetObjectItem(c, "outputs"), port)) {
            vec_push(mem, &r->out[o].cycle, (uint32_t)cJSON_GetArrayItem(stamped, 0)->valueint);
            vec_push(mem, &r->out[o].token, hex(cJSON_GetArrayItem(stamped, 1)));
        }
        read_tokens(cJSON_GetObjectItem(meant, port), mem, &r->meant[o]);
    }
}

static bool same(const u32_vec *a, const u32_vec *b) {
    return a->len == b->len && (a->len == 0 || memcmp(a->at, b->at, a->len * sizeof *a->at) == 0);
}

/* One line for each port whose cycles differ from the recording; true if none does. */
static bool same_cycles(const char *file, const recording *r, const bench_result *got) {
    bool all = true;
    for (int p = 0; p < BENCH_INS + BENCH_OUTS; p++) {
        bool input = p < BENCH_INS;
        const u32_vec *want = input ? &r->accepted[p].cycle : &r->out[p - BENCH_INS].cycle;
        const u32_vec *have = input ? &got->in[p].cycle : &got->out[p - BENCH_INS].cycle;
        if (same(want, have))
            continue;
        uint32_t i = 0;
        while (i < want->len && i < have->len && want->at[i] == have->at[i])
            i++;
        print_message("  %-9s %-20s %s%d: token %u at cycle %d, recorded %d\n", file, r->name,
                      input ? "in" : "out", input ? p : p - BENCH_INS, i,
                      i < have->len ? (int)have->at[i] : -1, i < want->len ? (int)want->at[i] : -1);
        all = false;
    }
    return all;
}

static void check_tokens(const char *file, const recording *r, const bench_trace got[BENCH_OUTS],
                         const u32_vec want[BENCH_OUTS], arena *mem) {
    for (int o = 0; o < BENCH_OUTS; o++) {
        const char *difference = bench_difference(&got[o], &want[o], mem);
        if (difference)
            fail_msg("%s %s out%d: %s", file, r->name, o, difference);
    }
}

/* A recorded defect must raise its monitor in the cycle model; nothing else may raise any. */
static void check_hazards(const char *file, const recording *r, const cycle_hazards *met) {
    static const struct {
        const char *file;
        cycle_hazard_kind kind;
    } monitors[] = {{"intersect", CYCLE_HAZARD_MAYBE_REFERENCE},
                    {"crddrop", CYCLE_HAZARD_DROP_EMPTY},
                    {"repeat", CYCLE_HAZARD_REPEAT_EMPTY},
                    {"reduce", CYCLE_HAZARD_REDUCE_MAYBE}};
    bool raised = false;
    for (uint32_t i = 0; i < met->len; i++) {
        bool expected = strcmp(r->name, "stop_vs_data") == 0 && met->at[i].kind == CYCLE_HAZARD_ALU_STOP;
        for (uint32_t k = 0; k < sizeof monitors / sizeof *monitors && r->defect; k++)
            expected |= strcmp(file, monitors[k].file) == 0 && met->at[i].kind == monitors[k].kind;
        if (!expected)
            fail_msg("%s %s: hazard %s", file, r->name, cycle_hazard_name[met->at[i].kind]);
        raised = true;
    }
    if (r->defect && !raised)
        fail_msg("%s %s: no hazard", file, r->name);
}

static void play_case(bench_design design, const char *file, const recording *r, arena *mem, tally *t) {
    spec_streams model = {.mem = mem};
    memcpy(model.in, r->in, sizeof model.in);
    spec_pe(&r->config, &model);

    /* The model against the recording. */
    bench_trace modelled[BENCH_OUTS] = {0};
    u32_vec meant[BENCH_OUTS];
    for (int o = 0; o < BENCH_OUTS; o++) {
        modelled[o].token = model.out[o];
        meant[o] = r->has_meant ? r->meant[o] : r->defect ? model.out[o] : r->out[o].token;
    }
    check_tokens(file, r, modelled, meant, mem);

    /* The RTL against both, at full speed and then with gaps, stalls and freezes. */
    static const bench_pace paces[PACES] = {
        {0}, {1, 0, 50, 0, false}, {2, 40, 0, 10, false}, {.seed = 3, .in_gap_pct = 30, .out_stall_pct = 70}};
    pe_design_configure(design, true, r->config.mode, r->config.space);
    bench_reset(design);
    for (int p = 0; p < PACES; p++) {
        bench_result got;
        bench_run(design, paces[p], r->in, mem, &got);
        if (got.fault)
            fail_msg("%s %s: %s", file, r->name, got.fault);
        check_tokens(file, r, got.out, meant, mem);
        if (p > 0)
            continue;
        check_hazards(file, r, twin_hazards(design));
        t->cases++;
        t->defects += r->defect;
        t->tokens_equal += !r->defect;
        t->stamps_equal += !r->defect && same_cycles(file, r, &got);
    }
}

/* A line of the table of docs/notebook/fidelity.md (target golden_tables). */
static void print_row(const char *name, const tally *t) {
    print_message("| %s | %u | %u | %u | %u |\n", name, t->cases, t->tokens_equal, t->stamps_equal,
                  t->defects);
}

static void test_recordings(void **state) {
    fixture *f = *state;
    const char *folder = ONYX_SHARED_DIR "/data/golden_vectors";
    if (access(folder, R_OK) != 0) {
        print_message("skipped: no %s\n", folder);
        skip();
    }
    tally total = {0};
    bench_design design = pe_design_new();
    print_message(
        "| mode | cases | same tokens | same cycles | defects of the chip |\n|---|---|---|---|---|\n");
    for (int i = 0; i < FILES; i++) {
        cJSON *json = json_read(arena_printf(&f->mem, "%s/%s.json", folder, files[i]), &f->diag);
        assert_non_null(json);
        tally t = {0};
        const cJSON *c;
        cJSON_ArrayForEach(c, cJSON_GetObjectItem(json, "cases")) {
            recording r;
            read_case(c, &f->mem, &r);
            play_case(design, files[i], &r, &f->mem, &t);
        }
        print_row(files[i], &t);
        cJSON_Delete(json);
        total.cases += t.cases;
        total.defects += t.defects;
        total.tokens_equal += t.tokens_equal;
        total.stamps_equal += t.stamps_equal;
    }
    print_row("all", &total);
    pe_design_free(design);
    assert_true(total.cases > 0);
    assert_int_equal(total.stamps_equal, total.tokens_equal);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(test_recordings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
