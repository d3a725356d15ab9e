/* Any bytes as a .npy, a .npz and a gzip file. */
#include "tests/fuzz/tensor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_tensor(".npy", data, size);
    fuzz_tensor(".npz", data, size);
    fuzz_tensor(".tns.gz", data, size);
    return 0;
}
