/* tensor.h - any bytes as a tensor file: an accepted tensor is written and reads back unchanged. */
#ifndef ONYX_TESTS_FUZZ_TENSOR_H
#define ONYX_TESTS_FUZZ_TENSOR_H

#include "tests/fuzz/fuzz.h"

/* `end`: extension of the file's name. Binary data are written as .tns. */
void fuzz_tensor(const char *end, const uint8_t *data, size_t size);

#endif
