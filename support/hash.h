/* hash.h - checksums. */
#ifndef ONYX_SUPPORT_HASH_H
#define ONYX_SUPPORT_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t hash_bytes(const void *bytes, size_t length); /* XXH64, seed 0 */
/* XXH3, which takes half as long for a word: for tables in memory, never for files. */
uint64_t hash_short(const void *bytes, size_t length);
/* Hashes a sequence of pieces, a piece a call: `hash` is the hash of the earlier pieces, 0 at first. The cuts
 * count: "ab", "c" and "a", "bc" have different hashes. */
uint64_t hash_more(uint64_t hash, const void *bytes, size_t length);

#endif
