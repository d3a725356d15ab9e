/* test_golden_array.cpp - whole kernels on the tile library: the bitstreams that ran on an array of the
 * reference netlist's tiles must give the same words here. Cycles are printed beside the recorded ones.
 * With an argument: writes there what came out when, for onyx_array_monolithic. */
#include "golden.h"
#include "rtl_models/array_glue.h"

#include "cmocka_cpp.h"

static std::map<std::string, uint64_t> traces;

/* (In a function of its own: skip() jumps past the destructors of the test's locals.) */
static bool run_kernels(int *count) {
    const std::string folder = std::string(ONYX_SHARED_DIR) + "/data/onyx_bitstreams/golden_array/";
    return golden::run_all<onyx::Array>(folder, traces, false, count);
}

static void golden_kernels_give_their_words(void **) {
    int count = 0;
    bool right = run_kernels(&count);
    if (count == 0) {
        print_message("no golden array data in %s: skipped\n", ONYX_SHARED_DIR);
        skip();
    }
    assert_true(right);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(golden_kernels_give_their_words)};
    int failed = cmocka_run_group_tests(tests, nullptr, nullptr);
    if (argc > 1) {
        std::ofstream out(argv[1]);
        for (const auto &t : traces)
            out << t.first << " " << t.second << "\n";
    }
    return failed;
}
