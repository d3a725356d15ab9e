/* The joiner by regions (profile onyx-ext): random streams with gaps, stalls and freezes on RTL, cycle model
 * and specification: test_rtl_regions [CASES of each of the eight sets of regions]. */
#include "random_streams.h"
#include "tests/test.h"

enum { CASES = 4000 };

static uint32_t cases = CASES;

static void test_all_regions(void **state) {
    (void)state;
    uint64_t tokens = 0;
    for (int regions = 0; regions < 8; regions++) {
        const random_mode *mode = &random_modes[RANDOM_REGIONS + regions];
        assert_int_equal(mode->variant, regions);
        tokens += random_play_mode(mode, 1000000, cases);
    }
    print_message("%u cases of each of 8 sets of regions, %llu tokens\n", cases, (unsigned long long)tokens);
    assert_true(tokens > 100ull * cases);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {TEST(test_all_regions)};
    if (argc > 1)
        cases = (uint32_t)strtoul(argv[1], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
