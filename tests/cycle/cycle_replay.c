/* cycle_replay DIR [RESULT]: the job of `onyx run --engine cycle --io-trace -o DIR` on the RTL too. Both are
 * compared word by word and cycle by cycle, and with io.trace; with RESULT also with the result file of a
 * netlist (engine rtl). whole_replay is the same on the whole chip as one model. */
#include "kernels.h"

#include <time.h>

static const char *folder, *result;

static const char *in_folder(fixture *f, const char *name) {
    return arena_printf(&f->mem, "%s/%s", folder, name);
}

static void test_replay(void **state) {
    fixture *f = *state;
    size_t length = 0;
    kernel_replayed r = kernel_replay(f, in_folder(f, "bitstream.bs"), in_folder(f, "job.bin"));
    const char *written = file_read(in_folder(f, "io.trace"), &f->mem, &length, &f->diag);
    assert_non_null(written);
    assert_string_equal(written, r.trace);
    if (result) {
        const char *bytes = file_read(result, &f->mem, &length, &f->diag);
        assert_non_null(bytes);
        assert_int_equal(length, r.result_length);
        assert_memory_equal(bytes, r.result, length);
    }
    print_message("%llu cycles, %.0f a second on the RTL; checksum of words %016llx, of cycles %016llx\n",
                  (unsigned long long)r.cycles,
                  (double)r.cycles * CLOCKS_PER_SEC / (double)(r.rtl_clocks + 1),
                  (unsigned long long)hash_bytes(r.result, r.result_length),
                  (unsigned long long)hash_bytes(r.trace, strlen(r.trace)));
}

int main(int argc, char **argv) {
    if (argc != 2 && argc != 3) {
        fputs("cycle_replay DIR [RESULT]\n", stderr);
        return 2;
    }
    folder = argv[1];
    result = argv[2];
    const struct CMUnitTest tests[] = {TEST(test_replay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
