/* test_golden_array.cpp - whole kernels on the tile library: the bitstreams that ran on an array of the
 * reference netlist's tiles must give the same words here. Cycles are printed beside the recorded ones. */
#include "golden.h"
#include "rtl_models/array_glue.h"
#include "cmocka_cpp.h"

static void golden_kernels_give_their_words(void **) {
    const std::string folder = std::string(ONYX_SHARED_DIR) + "/data/onyx_bitstreams/golden_array/";
    int failed = 0, run = 0;
    printf("%-24s %6s %8s %8s %6s %10s %6s\n", "kernel", "words", "cycles", "golden", "tiles", "cycles/s",
           "ev/t/c");
    for (const char *name : golden::KERNELS) {
        golden::Kernel k;
        if (!golden::load(folder + name, k))
            continue;
        onyx::Array array;
        golden::Run r = golden::run(array, k, 4 * k.total_cycles + 1000);
        bool right = r.settled && !r.unread && r.outputs == k.expected;
        printf("%-24s %6zu %8ld %8ld %6u %10.0f %6.2f%s\n", name, k.words.size(), r.cycles, k.total_cycles,
               array.tiles(), static_cast<double>(r.cycles) / r.seconds,
               static_cast<double>(array.evaluations()) / static_cast<double>(array.cycles()) / array.tiles(),
               right ? "" : "  WRONG");
        if (!right) {
            printf("%s", array.error().c_str());
            for (const auto &out : k.expected)
                printf("  column %u: %zu words of %zu\n", out.first, r.outputs[out.first].size(),
                       out.second.size());
        }
        run++;
        failed += !right;
    }
    if (run == 0) {
        print_message("no golden array data at %s: skipped\n", folder.c_str());
        skip();
    }
    assert_int_equal(failed, 0);
}

int main() {
    const struct CMUnitTest tests[] = {cmocka_unit_test(golden_kernels_give_their_words)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
