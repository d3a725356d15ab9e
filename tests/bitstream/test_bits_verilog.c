/* The netlist of a design: clean under lint, refused where it cannot be right, and the same in every cycle as
 * the configured tiles, for random designs and for the kernels of the golden array. */
#include "tests/bitstream/random_design.h"
#include "tests/bitstream/trace_array.h"
#include "tests/quota.h"

#define GOLDEN ONYX_SHARED_DIR "/data/onyx_bitstreams/golden_array/"
#define RTL ONYX_SOURCE_DIR "/rtl_models/rtl"

static void run(fixture *f, const char *folder, const char *command) {
    const char *line = arena_printf(&f->mem, "cd '%s' && (%s) > log 2>&1", folder, command);
    size_t length = 0;
    if (system(line) != 0)
        fail_msg("%s\n%s", line,
                 file_read(arena_printf(&f->mem, "%s/log", folder), &f->mem, &length, &f->diag));
}

static const char *write_netlist(fixture *f, const bits_board *b, const pnr_design *design, bool enables) {
    const bits_verilog_options *how = &(bits_verilog_options){.enables = enables};
    const char *folder = scratch_path(f, "netlist");
    assert_true(make_folder(folder, &f->diag));
    if (!bits_to_verilog(design, b->map, how, arena_printf(&f->mem, "%s/onyx_design.sv", folder), &f->diag))
        fail_msg("%s", fixture_printed(f));
    return folder;
}

/* ---- both forms with the same stimulus -------------------------------------------------------- */

static bool is_io(const pnr_design *design, uint32_t cell, bool output) {
    return design->site.at[cell].y == 0 && design->net->cells.at[cell].output == output;
}

static uint32_t count_io(const pnr_design *design, bool output) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < design->net->cells.len; i++)
        count += is_io(design, i, output);
    return count;
}

static void write_columns(fixture *f, const char *folder, const pnr_design *design) {
    FILE *out = fopen(arena_printf(&f->mem, "%s/design_columns.h", folder), "w");
    for (uint32_t i = 0; i < design->net->cells.len; i++) {
        if (design->site.at[i].y == 0)
            fprintf(out, "%s(%u)\n", design->net->cells.at[i].output ? "OUTPUT" : "INPUT",
                    design->site.at[i].x);
    }
    assert_int_equal(fclose(out), 0);
}

/* Random words with heads of blocks, as writers expect, or the kernel's inputs when `json` has inputs. */
static void write_words(fixture *f, FILE *out, uint32_t column, const cJSON *json, prng *random) {
    const cJSON *words = cJSON_GetObjectItem(cJSON_GetObjectItem(json, "inputs"),
                                             arena_printf(&f->mem, "%u", column)),
                *word;
    fprintf(out, "%u %d\n", column, words ? cJSON_GetArraySize(words) : 300);
    cJSON_ArrayForEach(word, words) {
        fprintf(out, "%d\n", word->valueint);
    }
    for (uint32_t i = 0; !words && i < 300; i++)
        fprintf(out, "%u\n", prng_below(random, 6));
}

static void write_stimulus(fixture *f, const char *folder, const pnr_design *design, const cJSON *json,
                           uint32_t cycles, uint32_t stall_percent) {
    FILE *out = fopen(arena_printf(&f->mem, "%s/stimulus", folder), "w");
    prng random = prng_seed(cycles);
    fprintf(out, "%u %u 1 %u\n", cycles, stall_percent, count_io(design, false));
    for (uint32_t i = 0; i < design->net->cells.len; i++) {
        if (is_io(design, i, false))
            write_words(f, out, design->site.at[i].x, json, &random);
    }
    fprintf(out, "%u\n", count_io(design, true));
    for (uint32_t i = 0; i < design->net->cells.len; i++) {
        if (is_io(design, i, true))
            fprintf(out, "%u\n", design->site.at[i].x);
    }
    assert_int_equal(fclose(out), 0);
}

/* A warning of any kind is an error: the netlist is clean under lint. Without optimisation clang takes half
 * of gcc's time. */
static void build_netlist(fixture *f, const char *folder) {
    run(f, folder,
        "cxx=$(command -v clang++ || command -v g++) && verilator -Wall --cc --exe --build -j 2 "
        "--top-module onyx_design -y " RTL " -O3 -CFLAGS '-O0 -I" ONYX_SOURCE_DIR " -I.. -std=c++17' "
        "-MAKEFLAGS \"OPT_FAST=-O0 VM_PARALLEL_BUILDS=0 VM_GLOBAL_FAST= CXX=$cxx\" --Mdir obj -o trace " RTL
        "/onyx_pkg.sv onyx_design.sv " ONYX_SOURCE_DIR
        "/tests/bitstream/trace_design.cpp " ONYX_VERILATED_LIB);
}

/* Number of words at the outputs, and the cycle after the last word. */
typedef struct {
    uint32_t words, end;
} trace_summary;

static trace_summary summary(const char *trace) {
    trace_summary s = {0};
    uint32_t line = 1;
    for (const char *c = trace; *c; c++) {
        s.words += *c == '!';
        s.end = *c == '!' ? line : s.end;
        line += *c == '\n';
    }
    return s;
}

static trace_summary compare(fixture *f, const char *folder, const bits_board *b, const pnr_design *design,
                             const cJSON *json, uint32_t cycles, uint32_t stall_percent) {
    bits_stream words;
    u32_vec pairs = {0};
    assert_true(bits_encode(design, b->map, &f->mem, &f->diag, &words));
    for (uint32_t i = 0; i < words.words.len; i++) {
        vec_push(&f->mem, &pairs, words.words.at[i].address);
        vec_push(&f->mem, &pairs, words.words.at[i].data);
    }
    write_stimulus(f, folder, design, json, cycles, stall_percent);
    const char *left = arena_printf(&f->mem, "%s/array.trace", folder);
    const char *right = arena_printf(&f->mem, "%s/netlist.trace", folder);
    assert_true(trace_array(pairs.at, words.words.len, arena_printf(&f->mem, "%s/stimulus", folder), left));
    run(f, folder, "obj/trace stimulus netlist.trace");
    size_t a_length = 0, b_length = 0;
    const char *a = file_read(left, &f->mem, &a_length, &f->diag);
    const char *c = file_read(right, &f->mem, &b_length, &f->diag);
    for (size_t i = 0; i < a_length && i < b_length; i++) {
        size_t from = i;
        if (a[i] == c[i])
            continue;
        while (from > 0 && a[from - 1] != '\n')
            from--;
        fail_msg("array and netlist differ:\n%.*s\n%.*s", (int)strcspn(a + from, "\n"), a + from,
                 (int)strcspn(c + from, "\n"), c + from);
    }
    assert_int_equal(a_length, b_length);
    return summary(a);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void random_netlists_run_as_the_array(void **state) {
    bits_bench *p = *state;
    fixture *f = &p->f;
    uint32_t words = 0;
    quota shown = {0}; /* trivial: no word comes out */
    for (uint64_t seed = 1; seed <= 3; seed++) {
        pnr_design *design =
            random_design(f, &p->b, seed, &(random_options){.cells = 30 * (uint32_t)seed, .runnable = true});
        const char *folder = write_netlist(f, &p->b, design, seed == 2);
        write_columns(f, folder, design);
        build_netlist(f, folder);
        for (uint32_t stalls = 0; stalls <= 40; stalls += 40) {
            const uint32_t here = compare(f, folder, &p->b, design, NULL, 1500, stalls).words;
            quota_add(&shown, true, here == 0);
            words += here;
        }
        remove_folder(folder);
    }
    print_message("random designs gave %u words\n", words);
    assert_false(quota_failed(&shown));
    assert_true(words > 0);
}

static void golden_netlists_run_as_the_array(void **state) {
    static const char *const kernels[] = {"mat_elemmul_pipe", "matmul_ijk_nodrop"};
    bits_bench *p = *state;
    fixture *f = &p->f;
    if (access(GOLDEN "mat_identity.bs", R_OK) != 0) {
        print_message("no shared data: golden kernels are not run\n");
        skip();
    }
    for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
        bits_stream words;
        assert_true(bits_read(arena_printf(&f->mem, GOLDEN "%s.bs", kernels[k]), &f->mem, &f->diag, &words));
        cJSON *json = json_read(arena_printf(&f->mem, GOLDEN "%s.json", kernels[k]), &f->diag);
        assert_non_null(json);
        uint32_t recorded = (uint32_t)cJSON_GetObjectItem(json, "golden_total_cycles")->valueint,
                 expected = 0;
        const cJSON *column;
        cJSON_ArrayForEach(column, cJSON_GetObjectItem(json, "expected")) {
            expected += (uint32_t)cJSON_GetArraySize(column);
        }
        bits_decoded *got = bits_decode_new(f, &p->b, &words);
        const char *folder = write_netlist(f, &p->b, &got->design, k == 0);
        write_columns(f, folder, &got->design);
        build_netlist(f, folder);
        trace_summary s = compare(f, folder, &p->b, &got->design, json, 2 * recorded, 0);
        print_message("%s: %u words, %u cycles; reference netlist %u, %u\n", kernels[k], s.words, s.end,
                      expected, recorded);
        assert_int_equal(s.words, expected);
        compare(f, folder, &p->b, &got->design, json, recorded, 20);
        remove_folder(folder);
        cJSON_Delete(json);
    }
}

static void designs_without_a_netlist_are_refused(void **state) {
    bits_bench *p = *state;
    fixture *f = &p->f;
    net_cell_data cell = {.mode = NET_MODE_RSG, .name = names_intern(&f->names, "rsg"), .tag = 'p'};
    vec_push(&f->mem, &cell.config,
             (net_config){names_intern(&f->names, "PE_output_width_17_num_0_dense"), 1});
    const pnr_design design = lone_cell(p, cell);
    const char *path = scratch_path(f, "refused.sv");
    assert_false(bits_to_verilog(&design, p->b.map, &(bits_verilog_options){0}, path, &f->diag));
    assert_int_equal(access(path, F_OK), -1);
    assert_string_equal(
        fixture_printed(f),
        "onyx: error: tile x4y1: field PE_output_width_17_num_0_dense overrides the sparse handshake "
        "[E0660-not-specialised]\n"
        "    help: only sparse designs whose cores are enabled have a netlist; run the configured array "
        "instead\n"
        "onyx: error: tile x4y1: field RepeatSignalGenerator_inst_tile_en is 0, so the core never works "
        "[E0660-not-specialised]\n"
        "    help: only sparse designs whose cores are enabled have a netlist; run the configured array "
        "instead\n");
}

RUN_TESTS(ON_CHIP(designs_without_a_netlist_are_refused), ON_CHIP(random_netlists_run_as_the_array),
          ON_CHIP(golden_netlists_run_as_the_array))
