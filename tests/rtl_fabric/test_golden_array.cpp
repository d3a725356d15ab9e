/* test_golden_array.cpp - whole kernels on the tile library: the bitstreams that ran on an array of the
 * reference netlist's tiles must give the same words here. Cycles are printed beside the recorded ones.
 * With an argument: writes there what came out when, for onyx_array_monolithic. */
#include "golden.h"
#include "rtl_models/array_glue.h"

#include "cmocka_cpp.h"

static std::map<std::string, uint64_t> traces;

static void golden_kernels_give_their_words(void **) {
    const std::string folder = std::string(ONYX_SHARED_DIR) + "/data/onyx_bitstreams/golden_array/";
    int count = 0;
    bool right = golden::run_all<onyx::Array>(folder, traces, false, &count);
    if (count == 0) {
        print_message("no golden array data at %s: skipped\n", folder.c_str());
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
