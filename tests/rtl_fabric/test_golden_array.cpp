/* test_golden_array.cpp - whole kernels on the tile library: the bitstreams that ran on an array of the
 * reference netlist's tiles must give the same words here. Cycles are printed beside the recorded ones. */
#include "golden.h"
#include "rtl_models/soc/array_glue.h"

#include "golden_judge.h"

/* False if a word is wrong; *count = kernels found. (In a function of its own: skip() jumps past the
 * destructors of the test's locals.) */
static bool run_kernels(int *count) {
    const std::string folder = std::string(ONYX_SHARED_DIR) + "/data/onyx_bitstreams/golden_array/";
    bool right = true;
    printf("%-24s %6s %8s %8s %10s\n", "kernel", "words", "cycles", "golden", "cycles/s");
    for (const char *name : golden::KERNELS) {
        golden::Kernel k;
        if (!golden::load(folder + name, k))
            continue;
        onyx::Array array;
        golden::Run r = golden::run(array, k, 4 * k.total_cycles + 1000);
        const char *verdict = golden::verdict(k, r);
        right = right && *verdict == 0;
        printf("%-24s %6zu %8ld %8ld %10.0f%s\n", name, k.words.size(), r.cycles, k.total_cycles,
               golden::cycles_a_second(r), verdict);
        ++*count;
    }
    return right;
}

static void golden_kernels_give_their_words(void **) {
    int count = 0;
    bool right = run_kernels(&count);
    golden::judge(right, count);
}

int main() {
    const struct CMUnitTest tests[] = {cmocka_unit_test(golden_kernels_give_their_words)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
