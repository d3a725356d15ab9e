/* Replays the recordings of the reference netlist on the RTL of the PE core and on the specification: same
 * configuration words, same inputs, same tokens, same cycles. Where a recording shows a defect of the chip,
 * the RTL must agree with the model instead. Skipped without the shared data. */
#include "golden.h"
#include "tests/test.h"
#include "twin.h"

static const char *const files[] = {"intersect", "union",   "crddrop", "crdhold", "alu_add",
                                    "alu_sub",   "alu_mul", "repeat",  "rsg",     "reduce"};
enum { FILES = sizeof files / sizeof *files };

typedef struct {
    uint32_t cases, defects, tokens_equal, stamps_equal;
} tally;

typedef struct {
    golden_case seen;
    bool defect; /* the recorded outputs contradict the primitive's meaning */
    spec_pe_config config;
    u32_vec meant[BENCH_OUTS]; /* of a defect, if the file has it */
    bool has_meant;
} recording;

/* Registers 0..2 of the PE core are CONFIG_SPACE. */
static void read_config(const cJSON *json, spec_pe_config *config) {
    uint32_t reg[256] = {0};
    golden_registers(json, reg);
    assert_true(reg[3] >> 19 & 1);
    *config = (spec_pe_config){(rtl_pe_mode)(reg[3] >> 16 & 7), {reg[0], reg[1], reg[2] & 0x3fffff}};
}

static void read_case(const char *file, const cJSON *json, arena *mem, recording *r) {
    *r = (recording){.defect = cJSON_IsTrue(cJSON_GetObjectItem(json, "hardware_defect")) ||
                               cJSON_IsFalse(cJSON_GetObjectItem(json, "matches_sam_semantics"))};
    golden_read(file, json, mem, &r->seen);
    read_config(json, &r->config);
    const cJSON *meant = cJSON_GetObjectItem(json, "sam_semantics_outputs");
    r->has_meant = meant != NULL;
    for (int o = 0; o < BENCH_OUTS; o++)
        golden_tokens(meant, (char[]){'o', 'u', 't', (char)('0' + o), 0}, mem, &r->meant[o]);
}

static bool same(const u32_vec *a, const u32_vec *b) {
    return a->len == b->len && (a->len == 0 || memcmp(a->at, b->at, a->len * sizeof *a->at) == 0);
}

/* A line for each port with different cycles; true if all are equal. */
static bool same_cycles(const golden_case *c, const bench_result *got) {
    bool all = true;
    for (int p = 0; p < BENCH_INS + BENCH_OUTS; p++) {
        bool input = p < BENCH_INS;
        const u32_vec *want = input ? &c->accepted[p] : &c->out[p - BENCH_INS].cycle;
        const u32_vec *have = input ? &got->in[p].cycle : &got->out[p - BENCH_INS].cycle;
        if (same(want, have))
            continue;
        uint32_t i = 0;
        while (i < want->len && i < have->len && want->at[i] == have->at[i])
            i++;
        print_message("  %-9s %-20s %s%d: token %u at cycle %d, recorded %d\n", c->file, c->name,
                      input ? "in" : "out", input ? p : p - BENCH_INS, i,
                      i < have->len ? (int)have->at[i] : -1, i < want->len ? (int)want->at[i] : -1);
        all = false;
    }
    return all;
}

/* A recorded defect must raise its monitor in the cycle model; nothing else may raise any. */
static void check_hazards(const recording *r, const cycle_hazards *met) {
    const char *file = r->seen.file, *name = r->seen.name;
    static const struct {
        const char *file;
        cycle_hazard_kind kind;
    } monitors[] = {{"intersect", CYCLE_HAZARD_MAYBE_REFERENCE},
                    {"crddrop", CYCLE_HAZARD_DROP_EMPTY},
                    {"repeat", CYCLE_HAZARD_REPEAT_EMPTY},
                    {"reduce", CYCLE_HAZARD_REDUCE_MAYBE}};
    bool raised = false;
    for (uint32_t i = 0; i < met->len; i++) {
        bool expected = strcmp(name, "stop_vs_data") == 0 && met->at[i].kind == CYCLE_HAZARD_ALU_STOP;
        for (uint32_t k = 0; k < sizeof monitors / sizeof *monitors && r->defect; k++)
            expected |= strcmp(file, monitors[k].file) == 0 && met->at[i].kind == monitors[k].kind;
        if (!expected)
            fail_msg("%s %s: hazard %s", file, name, cycle_hazard_name[met->at[i].kind]);
        raised = true;
    }
    if (r->defect && !raised)
        fail_msg("%s %s: no hazard", file, name);
}

static void play_case(bench_design design, const recording *r, arena *mem, tally *t) {
    const golden_case *seen = &r->seen;
    spec_streams model = {.mem = mem};
    memcpy(model.in, seen->in, sizeof model.in);
    spec_pe(&r->config, &model);

    /* The model against the recording. */
    bench_trace modelled[BENCH_OUTS] = {0};
    u32_vec meant[BENCH_OUTS];
    for (int o = 0; o < BENCH_OUTS; o++) {
        modelled[o].token = model.out[o];
        meant[o] = r->has_meant ? r->meant[o] : r->defect ? model.out[o] : seen->out[o].token;
    }
    golden_check("specification", seen, modelled, meant, mem);

    /* The RTL against both. */
    pe_design_configure(design, true, r->config.mode, r->config.space);
    bench_result got = golden_play(design, seen, meant, mem);
    check_hazards(r, twin_hazards(design));
    t->cases++;
    t->defects += r->defect;
    t->tokens_equal += !r->defect;
    t->stamps_equal += !r->defect && same_cycles(seen, &got);
    golden_play_stalled(design, seen, meant, mem);
}

/* A line of the table of docs/notebook/fidelity.md (target golden_tables). */
static void print_row(const char *name, const tally *t) {
    print_message("| %s | %u | %u | %u | %u |\n", name, t->cases, t->tokens_equal, t->stamps_equal,
                  t->defects);
}

static void test_recordings(void **state) {
    fixture *f = *state;
    const char *folder = TEST_RECORDED("vectors");
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
            read_case(files[i], c, &f->mem, &r);
            play_case(design, &r, &f->mem, &t);
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
