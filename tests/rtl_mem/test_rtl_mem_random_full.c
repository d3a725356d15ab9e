/* More random trees than the quick test has time for. */
#include "random_trees.h"
#include "tests/test.h"

enum { SEEDS = 4000 };

static void test_random_trees(void **state) {
    (void)state;
    bench_design design = mem_design_new();
    uint64_t tokens = trees_play(design, mem_design_configure, 1000, SEEDS);
    mem_design_free(design);
    print_message("%u cases, %llu tokens\n", (unsigned)(SEEDS * TREE_USES), (unsigned long long)tokens);
    assert_true(tokens > 1000000);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(test_random_trees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
