/* Any bytes as a .tns file. */
#include "tests/fuzz/tensor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_tensor(".tns", data, size);
    return 0;
}
