/* Many more random streams than test_rtl_pe_random. */
#include "random_streams.h"
#include "tests/test.h"

static void test_many_random_streams(void **state) {
    (void)state;
    assert_true(random_play(100000, 8000) > 1000000);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(test_many_random_streams)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
