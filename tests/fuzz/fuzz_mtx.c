/* Any bytes as a .mtx file. */
#include "tests/fuzz/tensor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_tensor(".mtx", data, size);
    return 0;
}
