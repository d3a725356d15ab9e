/* More random trees than the quick test has time for. */
#include "random_trees.h"
#include "tests/test.h"

enum { SEEDS = 4000 };

static void test_random_trees(void **state) {
    (void)state;
    trees_play_core(1000, SEEDS, 1000000);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(test_random_trees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
