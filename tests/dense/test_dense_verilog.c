/* The netlist of a dense bitstream: clean under lint, and on the words of a run at every pin in every cycle
 * the same as the cycle model, whose words are gold. Arguments are public programs; without one the example.
 */
#include "exchange/exchange.h"
#include "support/file.h"
#include "tests/dense/board.h"

#define RTL ONYX_SOURCE_DIR "/rtl_models"
#define SOURCES " -y " RTL "/dense -y " RTL "/rtl --top-module onyx_design " RTL "/dense/onyx_dense_pkg.sv "

static char **names;
static uint32_t count;

/* ---- the cycle model, with its pins in a file -------------------------------------------------- */

typedef struct {
    const dense_array *array;
    dense_model *model;
    uint32_t *driven; /* of a node, in this cycle: the word, and the bit at 16 */
    const char *netlist;
    FILE *pins;
    fixture *f;
} recorder;

static void drive(void *of, uint32_t node, uint16_t word, bool bit) {
    const recorder *r = of;
    r->driven[node] = word | (uint32_t)bit << 16;
    dense_drive(r->model, node, word, bit);
}

static uint32_t taken(const void *of, uint32_t node) {
    return dense_taken(((const recorder *)of)->model, node);
}

/* Returns whether the netlist has pins for the node's side of the global buffer. */
static bool has_pins(const recorder *r, const dense_node *n, dense_node_kind kind) {
    const char *pin =
        arena_printf(&r->f->mem, kind == DENSE_NODE_INPUT ? " in_%u_data_i" : " out_%u_data_o", n->x);
    return n->kind == kind && strstr(r->netlist, pin);
}

static void list_ports(const recorder *r, dense_node_kind kind, const char *list, FILE *out) {
    fprintf(out, "#define %s(X)", list);
    for (uint32_t i = 0; i < r->array->nodes.len; i++) {
        if (has_pins(r, &r->array->nodes.at[i], kind))
            fprintf(out, " X(%u)", r->array->nodes.at[i].x);
    }
    fputc('\n', out);
}

static void cycle(void *of, uint32_t groups) {
    const recorder *r = of;
    fprintf(r->pins, "%d", groups != 0);
    for (uint32_t k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < r->array->nodes.len; i++) {
            const uint32_t value = k ? dense_taken(r->model, i) : r->driven[i];
            if (has_pins(r, &r->array->nodes.at[i], k ? DENSE_NODE_OUTPUT : DENSE_NODE_INPUT))
                fprintf(r->pins, " %x %x", value & 0xffff, value >> 16);
        }
    }
    fputc('\n', r->pins);
    dense_cycle(r->model, groups);
}

/* ---- a program --------------------------------------------------------------------------------- */

static void run(fixture *f, const char *folder, const char *command) {
    const char *line =
        arena_printf(&f->mem, "cd '%s' && { (%s) > log 2>&1 || { cat log; false; }; }", folder, command);
    if (system(line) != 0)
        fail_msg("%s", line);
}

typedef struct {
    dense_board on;
    dense_program program;
    dense_design design;
    dense_streams streams;
    dense_array array;
} loaded;

static void load(fixture *f, const char *path, loaded *l) {
    open_board(f, &l->on);
    bool ok = exchange_read_dense(path, &f->mem, &f->diag, &l->program) &&
              dense_decode(&l->program.bits, &l->on.board, l->on.map, &f->diag, &l->design) &&
              dense_load(&l->design, &f->diag, &l->array);
    if (ok && l->program.writes.len)
        ok = dense_streams_of(&l->program, &f->mem, &f->diag, &l->streams);
    else if (ok)
        dense_linear_streams(&l->design, &l->program, &f->mem, &l->streams);
    if (!ok)
        fail_msg("%s: %s", path, fixture_printed(f));
}

/* Runs the model into FOLDER/pins, whose lists of pins are FOLDER/ports.h. */
static void record(fixture *f, const loaded *l, const char *folder) {
    size_t length = 0;
    uint32_t ring = 0, first = 0;
    dense_outcome out;
    recorder r = {.array = &l->array, .f = f, .model = dense_build(&l->array, &f->mem, &ring)};
    const dense_machine machine = {&r, drive, cycle, taken, NULL};
    FILE *ports = fopen(arena_printf(&f->mem, "%s/ports.h", folder), "w");
    r.netlist = file_read(arena_printf(&f->mem, "%s/onyx_design.sv", folder), &f->mem, &length, &f->diag);
    r.driven = arena_new_n(&f->mem, uint32_t, l->array.nodes.len);
    r.pins = fopen(arena_printf(&f->mem, "%s/pins", folder), "w");
    assert_true(ports && r.pins && r.netlist && r.model);
    list_ports(&r, DENSE_NODE_INPUT, "ONYX_INPUTS", ports);
    list_ports(&r, DENSE_NODE_OUTPUT, "ONYX_OUTPUTS", ports);
    uint16_t *memory = dense_memory_of(&l->program, &f->mem);
    assert_true(dense_run_machine(&machine, &l->array, &l->streams, memory, &f->diag, &out));
    assert_int_equal(fclose(ports) | fclose(r.pins), 0);
    assert_true(out.done);
    for (uint32_t i = 0; i < l->program.outputs.len; i++)
        assert_int_equal(dense_equal_words(&l->program.outputs.at[i], memory, &first),
                         l->program.outputs.at[i].words.len);
}

static void check(fixture *f, uint32_t number, void *of) {
    const char *path = count ? arena_printf(&f->mem, ONYX_SHARED_DIR "/data/chip_programs/%s.json.gz",
                                            names[number])
                             : ONYX_SOURCE_DIR "/examples/product_8_8_8.json",
               *folder = test_folder(f);
    loaded l = {.program = {.path = path}};
    (void)of;
    load(f, path, &l);
    if (!dense_to_verilog(&l.design, arena_printf(&f->mem, "%s/onyx_design.sv", folder), &f->diag))
        fail_msg("%s", fixture_printed(f));
    record(f, &l, folder);
    /* A warning of any kind is an error. Without optimisation clang takes half of gcc's time. */
    run(f, folder,
        "cxx=$(clang++ -x c++ -include cstdint -fsyntax-only /dev/null && echo clang++ || echo g++) && "
        "verilator -Wall --cc --exe --build -O3 --x-assign "
        "fast "
        "--x-initial fast -Mdir obj -o sim -CFLAGS '-O0 -I..' -MAKEFLAGS \"OPT_FAST=-O0 VM_PARALLEL_BUILDS=0 "
        "VM_GLOBAL_FAST= CXX=$cxx\"" SOURCES "onyx_design.sv " ONYX_SOURCE_DIR
        "/tests/dense/verilog_main.cpp " ONYX_VERILATED_LIB);
    run(f, folder, "obj/sim pins");
    print_message("%s: every pin in every cycle as on the cycle model\n", path);
    pnr_board_free(&l.on.board);
}

static void test_netlists(void **state) {
    (void)state;
    if (count)
        TEST_SHARED("chip_programs");
    each_afresh(count ? count : 1, check, NULL);
}

/* Contents that a program may change have no constants. */
static void test_contents(void **state) {
    fixture *f = *state;
    dense_board b;
    dense_design design;
    static const char *const text = "dense onyx\ntile x1y1 PE\n  pond\n  contents 2.0 5\n";
    open_board(f, &b);
    if (!dense_parse("pond.dense", text, &b.board, b.map, &f->diag, &design))
        fail_msg("%s", fixture_printed(f));
    const char *path = arena_printf(&f->mem, "%s/pond.sv", test_folder(f));
    assert_false(dense_to_verilog(&design, path, &f->diag));
    assert_non_null(strstr(fixture_printed(f), "E0660-not-specialised"));
    assert_int_not_equal(access(path, F_OK), 0);
    pnr_board_free(&b.board);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {TEST(test_netlists), TEST(test_contents)};
    names = argv + 1;
    count = (uint32_t)argc - 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
