/* The streams counted by the cost model against the streams of the netlist: of every kernel of
 * tests/flow/array_kernels.sh, and of its predecessors, on the chip and on onyx-ext. */
#include "compile/compile.h"
#include "kernel/edges.h"
#include "options/options.h"
#include "tests/test.h"

enum { MOST_WORDS = 32 };

static void count_cells(const netlist *n, uint32_t *loads, uint32_t *stores) {
    for (uint32_t c = 0; c < n->cells.len; c++) {
        *loads += n->cells.at[c].mode == NET_MODE_IO_IN;
        *stores += n->cells.at[c].mode == NET_MODE_IO_OUT;
    }
}

static void streams_are_counted(const compile_kernel *k, const char *name) {
    const tile_driver by = compile_driver(&k->board, &k->lowered, &k->tiling.options);
    uint32_t loads = 0, stores = 0;
    count_cells(&k->array.net, &loads, &stores);
    if (by.loads != loads || by.stores != stores)
        fail_msg("%s: %u loads and %u stores, the netlist has %u and %u", name, by.loads, by.stores, loads,
                 stores);
}

/* True if the profile supports the kernel: "onyx", or onyx-ext with the word of --streams. */
static bool compiled(const char *name, char *expression, char *words, const char *profile) {
    const char *argv[MOST_WORDS] = {
        "onyx",      expression, "-o",        ONYX_BINARY_DIR "/tests/test_lower_streams_out",
        "--profile", "onyx-ext", "--streams", profile};
    const bool chip = strcmp(profile, "onyx") == 0;
    int argc = chip ? 6 : 8;
    argv[5] = chip ? profile : argv[5];
    for (char *word = strtok(words, " \n"); word && argc < MOST_WORDS; word = strtok(NULL, " \n"))
        argv[argc++] = word;
    arena mem;
    name_table names;
    diagnostics d;
    compile_context ctx;
    compile_kernel k = {0};
    command_line line = options_default(COMMAND_COMPILE);
    compile_begin(&ctx, &mem, &names, &d);
    bool ok = options_parse(COMMAND_COMPILE, argc, argv, &mem, &d, &line) &&
              compile_to_bitstream(&line.compile, &ctx, &k);
    if (ok) {
        for (uint32_t n = 0; n < k.producers.len; n++)
            streams_are_counted(&k.producers.at[n], name);
        streams_are_counted(&k, name);
    }
    if (!ok)
        diag_print(&d, 0, stderr, false);
    compile_end(&ctx);
    return ok;
}

static void every_kernel(void **state) {
    fixture *f = *state;
    FILE *list = fopen(ONYX_SOURCE_DIR "/tests/flow/array_kernels.sh", "r");
    char line[512];
    uint32_t kernels = 0;
    assert_non_null(list);
    while (fgets(line, sizeof line, list)) {
        char *part[5] = {line}, *bar = line;
        int parts = 1;
        for (; parts < 5 && (bar = strstr(bar, " |")); parts++) {
            *bar = '\0';
            part[parts] = bar += 2;
        }
        if (parts < 5 || *line == '#')
            continue;
        kernels++;
        assert_true(compiled(part[0], part[1], arena_strdup(&f->mem, part[4]), "onyx"));
        assert_true(compiled(part[0], part[1], arena_strdup(&f->mem, part[4]), "levels"));
        assert_true(compiled(part[0], part[1], arena_strdup(&f->mem, part[4]), "tensors"));
    }
    fclose(list);
    assert_true(kernels > 50);
}

RUN_TESTS(TEST(every_kernel))
