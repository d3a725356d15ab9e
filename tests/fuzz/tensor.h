/* tensor.h - any bytes as a tensor file: what is read is written and read again the same. */
#ifndef ONYX_TESTS_FUZZ_TENSOR_H
#define ONYX_TESTS_FUZZ_TENSOR_H

#include "tests/fuzz/fuzz.h"

/* `end`: how the file's name ends. What is no text is written as .tns. */
void fuzz_tensor(const char *end, const uint8_t *data, size_t size);

#endif
