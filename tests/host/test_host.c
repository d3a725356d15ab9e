/* test_host.c - onyx's side of the link to a board, in front of fake_openocd.c: results, their order and
 * cycles, kept batches, and every kind of wrong answer of a board. */
#include "host/tcl.h"
#include "tests/firmware/small_design.h"
#include "tests/host/host_bench.h"

/* Runs the job again, and nothing goes wrong: `kept` batches do not run. */
static void expect_going_on(fixture *f, bench *b, uint32_t kept) {
    diag_init(&f->diag, &f->mem);
    setenv("FAKE_OPENOCD", "", 1);
    assert_true(program(f, b));
    assert_int_equal(b->outcome.kept, kept);
    check_result(f, b);
}

/* Outputs begin and end inside words of 32 bits, the link's only unit. */
static void test_results(void **state) {
    fixture *f = *state;
    bench *b = bench_new(f, "results", "odd");
    if (!program(f, b))
        fail_msg("%s", fixture_printed(f));
    check_result(f, b);
    assert_int_equal(b->outcome.batches, 2);
    assert_int_equal(b->outcome.kept, 0);
    assert_int_equal(b->outcome.config_cycles, 1000);
    assert_int_equal(b->outcome.kernel_cycles, 100 + 101 + 102 + 100 + 101);
    assert_int_equal(b->outcome.firmware_cycles, 50);
    assert_int_equal(b->told[0], 0);
    assert_int_equal(b->told[b->n_told - 1], RUNS_A + RUNS_B);
    for (uint32_t i = 1; i < b->n_told; i++)
        assert_true(b->told[i] >= b->told[i - 1]);
    end(b);
}

/* The first batch ends at the first load for the second batch, hence never with a single buffer; accesses to
 * its memory in the meantime are refused. With two buffers the result equals that with one. */
static void test_two_buffers(void **state) {
    fixture *f = *state;
    bench *b = bench_new(f, "buffers", "waits");
    assert_false(program(f, b));
    assert_non_null(strstr(fixture_printed(f), "no run has finished for 1 seconds [E0783-no-answer]"));
    diag_init(&f->diag, &f->mem);
    put_file(f, b, 2);
    if (!program(f, b))
        fail_msg("%s", fixture_printed(f));
    check_result(f, b);
    assert_int_equal(b->outcome.buffers, 2);
    assert_int_equal(b->outcome.kernel_cycles, 100 + 101 + 102 + 100 + 101);
    assert_int_equal(b->told[b->n_told - 1], RUNS_A + RUNS_B);
    for (uint32_t i = 1; i < b->n_told; i++)
        assert_true(b->told[i] >= b->told[i - 1]);
    /* Cut off in the second batch: the first, collected in the meantime, is kept. */
    setenv("FAKE_OPENOCD", "dies later", 1);
    assert_false(program(f, b));
    expect_going_on(f, b, 1);
    end(b);
}

/* OpenOCD is gone in the second batch: the first is kept, and only the second runs again. */
static void test_going_on(void **state) {
    fixture *f = *state;
    bench *b = bench_new(f, "going-on", "dies");
    assert_false(program(f, b));
    const char *printed = fixture_printed(f);
    assert_non_null(
        strstr(printed, "the link to board 'onyx' is lost: openocd ended with code 3 [E0782-link-lost]"));
    assert_int_not_equal(access(b->job.result, F_OK), 0);
    expect_going_on(f, b, 1);
    assert_int_equal(b->told[0], RUNS_A);
    assert_int_equal(b->outcome.kernel_cycles, 100 + 101 + 102 + 100 + 101);
    /* All is done and taken away: the next time everything runs again. */
    assert_true(program(f, b));
    assert_int_equal(b->outcome.kept, 0);
    end(b);
}

/* Kept batches belong to this program, these batches and this board. */
static void test_kept_batches_of_another_program(void **state) {
    fixture *f = *state;
    bench *b = bench_new(f, "another", "dies");
    file_out out;
    assert_false(program(f, b));
    assert_true(file_create(&out, b->job.elf, &f->mem, &f->diag));
    fputs("another program", out.stream);
    assert_true(file_commit(&out, &f->diag));
    expect_going_on(f, b, 0);
    end(b);
}

/* All batches are kept, but not the result: the link needs no peer. */
static void test_nothing_is_missing(void **state) {
    fixture *f = *state;
    bench *b = bench_new(f, "whole", "");
    const char *result = b->job.result;
    b->job.result = arena_printf(&f->mem, "%s/absent/result.bin", b->folder);
    assert_false(program(f, b));
    b->job.result = result;
    b->options.openocd = "no-such-openocd";
    expect_going_on(f, b, 2);
    assert_int_equal(b->outcome.kernel_cycles, 100 + 101 + 102 + 100 + 101);
    end(b);
}

/* An interruption while the program comes up is not an error of the board. */
static void test_interrupted_start(void **state) {
    fixture *f = *state;
    bench *b = bench_new(f, "interrupted", "interrupts");
    b->options.timeout = 60;
    assert_false(program(f, b));
    assert_true(b->outcome.interrupted);
    assert_string_equal(fixture_printed(f), "");
    expect_going_on(f, b, 0);
    end(b);
}

static void test_refusals(void **state) {
    fixture *f = *state;
    static const struct {
        const char *mode, *says;
    } cases[] = {
        {"init", "OpenOCD finds no adapter, or no processor behind it [E0783-no-answer]"},
        {"wires", "nothing is on the JTAG wires [E0783-no-answer]"},
        {"halt", "the processor cannot be halted [E0783-no-answer]"},
        {"platform", "identification is 0x12345678, expected 0x5a5a5a5a [E0784-wrong-board]"},
        {"cell", "0x20003000 holds 0x"},
        {"cell", "does not keep what is written: "},
        {"line", "0x20002000 holds 0x"},
        {"line", "[E0789-sram]"},
        {"load", "as it should be: checksum wrong [E0785-load]"},
        {"verify", "as it should be: it reads back differently [E0785-load]"},
        {"version", "speaks version 99 of the protocol, this onyx version 14 [E0786-firmware]"},
        {"silent", "the program has not come up for 1 seconds [E0783-no-answer]"},
        {"image", "error 5: the bitstream in the global buffer is damaged [E0787-target]"},
        {"run", "by GLB tile: 0x00010002"},
        {"run", "error 8: a run did not finish [E0787-target]"},
        {"timeout", "no run has finished for 1 seconds [E0783-no-answer]"},
        {"range", "an output of 5 words lies at 0x00400000 [E0788-output-range]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bench *b = bench_new(f, "refusals", cases[i].mode);
        diag_init(&f->diag, &f->mem);
        assert_false(program(f, b));
        const char *printed = fixture_printed(f);
        if (!strstr(printed, cases[i].says))
            fail_msg("%s: no '%s' in\n%s", cases[i].mode, cases[i].says, printed);
        assert_int_not_equal(access(b->job.result, F_OK), 0);
        assert_false(b->outcome.interrupted);
        end(b);
    }
}

/* The user decides about a TAP of another name. */
static void test_another_idcode(void **state) {
    fixture *f = *state;
    static const char *const says[] = {
        [HOST_IDCODE_WARN] =
            "warning: this may not be board 'onyx': the TAP's IDCODE is 0x2ba01477, expected "
            "0x4ba00477 [E0784-wrong-board]",
        [HOST_IDCODE_ERROR] = "error: this is not board 'onyx': the TAP's IDCODE is 0x2ba01477, expected "
                              "0x4ba00477 [E0784-wrong-board]"};
    for (host_idcode how = HOST_IDCODE_WARN; how <= HOST_IDCODE_OFF; how++) {
        bench *b = bench_new(f, "idcode", "idcode");
        diag_init(&f->diag, &f->mem);
        b->options.idcode = how;
        assert_int_equal(program(f, b), how != HOST_IDCODE_ERROR);
        const char *printed = fixture_printed(f);
        if (how == HOST_IDCODE_OFF)
            assert_string_equal(printed, "");
        else
            assert_non_null(strstr(printed, says[how]));
        if (how != HOST_IDCODE_ERROR)
            check_result(f, b);
        end(b);
    }
}

/* A chip that takes some words only on the second write: the result is right, and the user is told. */
static void test_rewritten_words_are_told(void **state) {
    fixture *f = *state;
    bench *b = bench_new(f, "rewritten", "rewritten");
    assert_true(program(f, b));
    check_result(f, b);
    assert_int_equal(b->outcome.rewritten, 3);
    assert_non_null(strstr(fixture_printed(f),
                           "warning: 3 words of the configuration did not read back and were "
                           "written again [E0790-rewritten]"));
    diag_init(&f->diag, &f->mem);
    setenv("FAKE_OPENOCD", "", 1);
    assert_true(program(f, b));
    assert_int_equal(b->outcome.rewritten, 0);
    assert_string_equal(fixture_printed(f), "");
    end(b);
}

/* Unpaired braces of a path would end OpenOCD's command elsewhere. */
static void test_paths_are_words_of_tcl(void **state) {
    fixture *f = *state;
    assert_string_equal(host_tcl_word("out dir/$x;[y]", &f->mem), "{out dir/$x;[y]}");
    assert_string_equal(host_tcl_word("a{b/c d", &f->mem), "a\\{b/c\\ d");
    assert_string_equal(host_tcl_word("}\\\n\"", &f->mem), "\\}\\\\\\n\\\"");
}

/* The program checks arrived segments; without the check nobody notices. */
static void test_flips_are_noticed(void **state) {
    fixture *f = *state;
    bench *b = bench_new(f, "flips", "flips");
    assert_false(program(f, b));
    assert_non_null(
        strstr(fixture_printed(f), "words that the host has written have not arrived as they were"));
    diag_init(&f->diag, &f->mem);
    b->options.unchecked = true;
    assert_true(program(f, b));
    end(b);
}

/* Loads of GLB tile 1, stores of GLB tile 0 are open in mode "run". */
static void test_open_streams_are_named(void **state) {
    fixture *f = *state;
    bench *b = bench_new(f, "named", "run");
    small_design *small = small_design_new(f, "onyx");
    b->job.design = &small->design;
    assert_false(program(f, b));
    const char *printed = fixture_printed(f);
    assert_non_null(strstr(printed, "open: the load of global buffer tile 1, column 2: B level 0"));
    assert_non_null(strstr(printed, "open: the store of global buffer tile 0, column 1: X level 0"));
    assert_null(strstr(printed, "column 0"));
    assert_null(strstr(printed, "column 5"));
    pnr_board_free(&small->board);
    end(b);
}

static void test_what_does_not_start(void **state) {
    fixture *f = *state;
    bench *b = bench_new(f, "start", "");
    b->options.openocd = "no-such-openocd";
    assert_false(program(f, b));
    assert_non_null(strstr(fixture_printed(f), "there is no program 'no-such-openocd' [E0781-start]"));
    diag_init(&f->diag, &f->mem);
    b->options.openocd = "false";
    assert_false(program(f, b));
    assert_non_null(strstr(fixture_printed(f), "'false' did not start [E0781-start]"));
    diag_init(&f->diag, &f->mem);
    b->options.openocd = FAKE_OPENOCD;
    b->board.link.simulated = true;
    b->options.cosim = "no-such-cosim";
    b->options.board_path = "boards/onyx.json";
    assert_false(program(f, b));
    assert_non_null(strstr(fixture_printed(f), "there is no program 'no-such-cosim' [E0781-start]"));
    diag_init(&f->diag, &f->mem);
    b->board.link.openocd = NULL;
    assert_false(program(f, b));
    assert_non_null(
        strstr(fixture_printed(f), "board 'onyx' has no link: nothing says how to reach it [E0780-no-link]"));
    end(b);
}

static void test_damaged_batches(void **state) {
    fixture *f = *state;
    bench *b = bench_new(f, "damaged", "");
    size_t length;
    const char *bytes = file_read(b->job.batches, &f->mem, &length, &f->diag);
    file_out out;
    assert_true(file_create(&out, b->job.batches, &f->mem, &f->diag));
    fwrite(bytes, 1, length - 7, out.stream);
    assert_true(file_commit(&out, &f->diag));
    assert_false(program(f, b));
    assert_non_null(strstr(fixture_printed(f), "[E0711-batch-format]"));
    end(b);
}

RUN_TESTS(TEST(test_results), TEST(test_two_buffers), TEST(test_going_on),
          TEST(test_kept_batches_of_another_program), TEST(test_nothing_is_missing),
          TEST(test_interrupted_start), TEST(test_refusals), TEST(test_another_idcode),
          TEST(test_rewritten_words_are_told), TEST(test_flips_are_noticed),
          TEST(test_paths_are_words_of_tcl), TEST(test_open_streams_are_named),
          TEST(test_what_does_not_start), TEST(test_damaged_batches))
