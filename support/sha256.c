/* SHA-256 and its text as base64. */
#include "support/sha256.h"

#include <string.h>

enum { BLOCK = 64, DIGEST = 32 };

static const uint32_t round_constant[BLOCK] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turned(uint32_t x, unsigned by) {
    return x >> by | x << (32 - by);
}

static void add_block(uint32_t state[8], const uint8_t block[BLOCK]) {
    uint32_t w[BLOCK], v[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < BLOCK; i++) {
        const uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (turned(a, 7) ^ turned(a, 18) ^ a >> 3) +
               (turned(b, 17) ^ turned(b, 19) ^ b >> 10);
    }
    memcpy(v, state, sizeof v);
    for (int i = 0; i < BLOCK; i++) {
        const uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]),
                       majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]),
                       first = v[7] + (turned(v[4], 6) ^ turned(v[4], 11) ^ turned(v[4], 25)) + choice +
                               round_constant[i] + w[i],
                       second = (turned(v[0], 2) ^ turned(v[0], 13) ^ turned(v[0], 22)) + majority;
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += first;
        v[0] = first + second;
    }
    for (int i = 0; i < 8; i++)
        state[i] += v[i];
}

static void digest_of(const char *bytes, size_t length, uint8_t digest[DIGEST]) {
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint8_t last[2 * BLOCK] = {0};
    const size_t whole = length / BLOCK * BLOCK, rest = length - whole,
                 end = rest + 9 > BLOCK ? 2 * BLOCK : BLOCK;
    for (size_t at = 0; at < whole; at += BLOCK)
        add_block(state, (const uint8_t *)bytes + at);
    memcpy(last, bytes + whole, rest);
    last[rest] = 0x80;
    for (int i = 0; i < 8; i++)
        last[end - 1 - (size_t)i] = (uint8_t)((uint64_t)length * 8 >> 8 * i);
    for (size_t at = 0; at < end; at += BLOCK)
        add_block(state, last + at);
    for (int i = 0; i < DIGEST; i++)
        digest[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
}

const char *sha256_base64(const char *bytes, size_t length, arena *mem) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint8_t digest[DIGEST + 1] = {0};
    char *text = arena_alloc(mem, 45);
    digest_of(bytes, length, digest);
    for (size_t i = 0; i < 43; i++) {
        const size_t bit = 6 * i;
        const uint32_t two = (uint32_t)digest[bit / 8] << 8 | digest[bit / 8 + (bit / 8 < DIGEST)];
        text[i] = letters[two >> (10 - bit % 8) & 63];
    }
    text[43] = '=';
    return text;
}
