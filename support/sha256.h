/* sha256.h - SHA-256 (FIPS 180-4), for pages whose policy names their allowed scripts. */
#ifndef ONYX_SUPPORT_SHA256_H
#define ONYX_SUPPORT_SHA256_H

#include "support/arena.h"

/* Returns the hash of the bytes as base64, 44 characters. */
const char *sha256_base64(const char *bytes, size_t length, arena *mem);

#endif
