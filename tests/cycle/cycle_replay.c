/* cycle_replay DIR: the job of `onyx run --engine cycle --io-trace -o DIR` on the RTL too. Both are compared
 * word by word and cycle by cycle, and with io.trace. */
#include "kernels.h"

static const char *folder;

static void test_replay(void **state) {
    fixture *f = *state;
    const char *trace;
    size_t length = 0;
    kernel_replay(f, arena_printf(&f->mem, "%s/bitstream.bs", folder),
                  arena_printf(&f->mem, "%s/job.bin", folder), &trace);
    const char *written = file_read(arena_printf(&f->mem, "%s/io.trace", folder), &f->mem, &length, &f->diag);
    assert_non_null(written);
    assert_string_equal(written, trace);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fputs("cycle_replay DIR\n", stderr);
        return 2;
    }
    folder = argv[1];
    const struct CMUnitTest tests[] = {TEST(test_replay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
