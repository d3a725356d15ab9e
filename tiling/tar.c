/* A tensor file within a tar archive, like the matrices of the SuiteSparse collection: NAME.tar.gz holds
 * NAME/NAME.mtx, sometimes with right sides and coordinates. Headers of 512 bytes (POSIX ustar), then the
 * file, padded to a multiple of 512. */
#include "tiling/containers.h"

enum { BLOCK = 512, NAME = 100, SIZE_AT = 124, SIZE = 12, KIND_AT = 156 };

/* Reads an octal number; UINT64_MAX without a number. */
static uint64_t octal(const uint8_t *at) {
    uint64_t value = 0;
    uint32_t digits = 0;
    for (uint32_t i = 0; i < SIZE && at[i] && at[i] != ' '; i++, digits++) {
        if (at[i] < '0' || at[i] > '7')
            return UINT64_MAX;
        value = value * 8 + (uint64_t)(at[i] - '0');
    }
    return digits ? value : UINT64_MAX;
}

static bool bad(tile_bytes in, uint64_t byte, const char *what, diagnostics *d) {
    return diag_error(d, (src_loc){0}, "E0315-archive", "'%s', byte %llu of the archive: %s", in.from,
                      (unsigned long long)byte, what);
}

bool tile_tar_member(tile_bytes in, const char *stem, arena *mem, diagnostics *d, tile_bytes *out) {
    const char *wanted = arena_printf(mem, "/%s.mtx", stem), *names = "";
    tile_bytes only = {0};
    uint32_t matrices = 0;
    uint64_t length;
    for (uint64_t at = 0; in.length - at >= BLOCK && in.at[at];
         at += BLOCK + (length + BLOCK - 1) / BLOCK * BLOCK) {
        const uint8_t *p = in.at + at;
        const char *name = arena_printf(mem, "/%.*s", NAME, (const char *)p);
        length = octal(p + SIZE_AT);
        if (length > in.length - at - BLOCK)
            return bad(in, at, "here should be a file, which is cut off or is none", d);
        if ((p[KIND_AT] != '0' && p[KIND_AT]) || !text_ends_with(name, ".mtx"))
            continue;
        only = (tile_bytes){arena_printf(mem, "%s', '%s", in.from, name + 1), p + BLOCK, (size_t)length};
        if (text_ends_with(name, wanted)) {
            *out = only;
            return true;
        }
        names = arena_printf(mem, "%s%s%s", names, matrices++ ? ", " : "", name + 1);
    }
    *out = only;
    if (matrices == 1)
        return true;
    bad(in, 0, arena_printf(mem, "it holds no %s", wanted + 1), d);
    return diag_hint(d, matrices ? "unpack it, and name one of these: %s" : "unpack it%s", names);
}
