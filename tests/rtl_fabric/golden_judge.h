/* golden_judge.h - the verdict of a test with golden kernels. Includes cmocka: include this header last. */
#ifndef ONYX_TESTS_GOLDEN_JUDGE_H
#define ONYX_TESTS_GOLDEN_JUDGE_H

#include "cmocka_cpp.h"

namespace golden {

/* All found kernels must be right; without any the test is skipped. */
inline void judge(bool right, int count) {
    if (count == 0) {
        print_message("no golden array data in %s: skipped\n", ONYX_SHARED_DIR);
        skip();
    }
    assert_true(right);
}

} // namespace golden

#endif
