/* Checksums: XXH64; XXH3 where none is stored. */
#include "support/hash.h"

#include <xxhash.h>

uint64_t hash_bytes(const void *bytes, size_t length) {
    return XXH64(bytes, length, 0);
}

uint64_t hash_short(const void *bytes, size_t length) {
    return XXH3_64bits(bytes, length);
}

uint64_t hash_more(uint64_t hash, const void *bytes, size_t length) {
    const uint64_t words[3] = {hash, length, hash_bytes(bytes, length)};
    return hash_bytes(words, sizeof words);
}
