/* cmocka_cpp.h - cmocka in C++. Include it last: its macro fail() collides with the streams of the C++
 * library. */
#ifndef ONYX_TESTS_CMOCKA_CPP_H
#define ONYX_TESTS_CMOCKA_CPP_H

/* cmocka.h needs these before it, in this order: */
/* clang-format off */
#include <cstdarg>
#include <cstddef>
#include <csetjmp>
#include <cstdint>
extern "C" {
#include <cmocka.h>
}
/* clang-format on */

#endif
