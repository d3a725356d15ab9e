/* inflate.c - gzip files and the members of zip archives, over zlib. */
#include "tiling/containers.h"

#include <zlib.h>

bool tile_is_gzip(tile_bytes b) {
    return b.length >= 2 && b.at[0] == 0x1f && b.at[1] == 0x8b;
}

bool tile_is_archive(tile_bytes b) {
    return b.length >= 4 && b.at[0] == 'P' && b.at[1] == 'K' && b.at[2] < 8 && b.at[3] == b.at[2] + 1;
}

static bool bad_archive(tile_bytes in, uint64_t byte, const char *what, diagnostics *d) {
    diag_error(d, (src_loc){0}, "E0315-archive", "'%s', byte %llu: %s", in.from, (unsigned long long)byte,
               what);
    return diag_hint(d, "it was cut off or changed: fetch it again, or unpack it with another program");
}

/* ---- streams of deflate ---------------------------------------------------------------------- */

enum { WINDOW_ZIP = -15, WINDOW_GZIP = 15 + 16, PIECE = 1 << 16 };
#define INFLATED_MOST (UINT64_C(1) << 32)

/* The outcome of a stream: bytes written, bytes read, and the reason of an early end. */
typedef struct {
    uint64_t length, taken;
    const char *why;
} inflated;

/* Inflates the stream at `in` to `to`, with room for `room` bytes; to == NULL only counts bytes. */
static inflated inflate_stream(tile_bytes in, int window, uint8_t *to, uint64_t room) {
    uint8_t piece[PIECE];
    inflated done = {0};
    z_stream z = {0};
    if (inflateInit2(&z, window) != Z_OK) {
        done.why = "zlib has no memory";
        return done;
    }
    uint64_t given = 0;
    int state = Z_OK;
    while (state == Z_OK) {
        uint64_t remaining = in.length - given, free_room = to ? room - done.length : PIECE;
        if (!z.avail_in) {
            z.next_in = (Bytef *)(uintptr_t)(in.at + given);
            z.avail_in = (uInt)(remaining < PIECE ? remaining : PIECE);
            given += z.avail_in;
        }
        uInt want = (uInt)(free_room < PIECE ? free_room : PIECE);
        z.next_out = to ? to + done.length : piece;
        z.avail_out = want;
        state = inflate(&z, Z_NO_FLUSH);
        done.length += want - z.avail_out;
        if (state == Z_OK &&
            (done.length > INFLATED_MOST || (to && done.length == room && z.avail_out == want)))
            state = Z_MEM_ERROR;
    }
    done.taken = given - z.avail_in;
    if (state == Z_BUF_ERROR)
        done.why = "the compressed data end too early";
    else if (state == Z_MEM_ERROR)
        done.why = "it holds more than it may";
    else if (state != Z_STREAM_END)
        done.why = "the compressed data are damaged";
    inflateEnd(&z);
    return done;
}

/* Inflates all members of a gzip file; zeros may follow. */
static bool gunzip_members(tile_bytes in, uint8_t *to, uint64_t room, diagnostics *d, uint64_t *length) {
    uint64_t at = 0;
    *length = 0;
    do {
        const tile_bytes rest = {in.from, in.at + at, in.length - (size_t)at};
        const inflated one = inflate_stream(rest, WINDOW_GZIP, to ? to + *length : NULL, room - *length);
        *length += one.length;
        at += one.taken;
        if (one.why || *length > INFLATED_MOST)
            return bad_archive(in, at, one.why ? one.why : "it holds more than 4 GiB", d);
        while (at < in.length && !in.at[at])
            at++;
    } while (at < in.length);
    return true;
}

bool tile_gunzip(tile_bytes in, arena *mem, diagnostics *d, tile_bytes *out) {
    uint64_t length = 0, again = 0;
    if (!gunzip_members(in, NULL, INFLATED_MOST, d, &length))
        return false;
    uint8_t *bytes = arena_alloc(mem, (size_t)length + 1);
    *out = (tile_bytes){in.from, bytes, (size_t)length};
    return gunzip_members(in, bytes, length + 1, d, &again);
}

/* ---- zip ------------------------------------------------------------------------------------- */

enum { LOCAL_BYTES = 30, CENTRAL_BYTES = 46, END_BYTES = 22, LONGEST_COMMENT = 65535 };

static uint32_t u16_at(const uint8_t *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static uint64_t u64_at(const uint8_t *p) {
    return file_u32_at(p) | (uint64_t)file_u32_at(p + 4) << 32;
}

/* One file of an archive, from its directory. */
typedef struct {
    const char *name;
    uint32_t flags, method, crc;
    uint64_t packed, length, at;
} member;

/* Takes the 64-bit sizes in place of fields with all ones. */
static void take_long_sizes(const uint8_t *extra, size_t n, member *m) {
    for (size_t i = 0; i + 4 <= n; i += 4 + u16_at(extra + i + 2)) {
        const uint8_t *p = extra + i + 4, *end = p + u16_at(extra + i + 2);
        uint64_t *const wanted[] = {&m->length, &m->packed, &m->at};
        if (u16_at(extra + i) != 1 || end > extra + n)
            continue;
        for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++) {
            if (*wanted[w] == UINT32_MAX && p + 8 <= end) {
                *wanted[w] = u64_at(p);
                p += 8;
            }
        }
    }
}

/* Reads the directory's row at *at and goes on to the next. */
static bool next_member(tile_bytes in, uint64_t *at, arena *mem, diagnostics *d, member *m) {
    const uint8_t *p = in.at + *at;
    if (*at > in.length || in.length - *at < CENTRAL_BYTES || memcmp(p, "PK\1\2", 4) != 0)
        return bad_archive(in, *at, "here the directory should go on", d);
    uint32_t name = u16_at(p + 28), extra = u16_at(p + 30), comment = u16_at(p + 32);
    if (in.length - *at - CENTRAL_BYTES < (uint64_t)name + extra + comment)
        return bad_archive(in, *at, "the directory ends too early", d);
    *m = (member){.name = arena_strndup(mem, (const char *)p + CENTRAL_BYTES, name),
                  .flags = u16_at(p + 8),
                  .method = u16_at(p + 10),
                  .crc = file_u32_at(p + 16),
                  .packed = file_u32_at(p + 20),
                  .length = file_u32_at(p + 24),
                  .at = file_u32_at(p + 42)};
    take_long_sizes(p + CENTRAL_BYTES + name, extra, m);
    *at += CENTRAL_BYTES + name + extra + comment;
    return true;
}

/* Returns the unpacked bytes of the file. */
static bool unpack(tile_bytes in, const member *m, arena *mem, diagnostics *d, tile_bytes *out) {
    const uint8_t *local = in.at + m->at;
    if (m->flags & 1)
        return bad_archive(in, m->at, arena_printf(mem, "%s is encrypted", m->name), d);
    if (m->method != 0 && m->method != Z_DEFLATED)
        return bad_archive(in, m->at, arena_printf(mem, "%s is packed by method %u", m->name, m->method), d);
    if (m->at > in.length || in.length - m->at < LOCAL_BYTES || memcmp(local, "PK\3\4", 4) != 0)
        return bad_archive(in, m->at, arena_printf(mem, "%s should begin here", m->name), d);
    uint64_t first = m->at + LOCAL_BYTES + u16_at(local + 26) + u16_at(local + 28);
    if (first > in.length || in.length - first < m->packed)
        return bad_archive(in, first, arena_printf(mem, "%s ends too early", m->name), d);
    tile_bytes packed = {in.from, in.at + first, (size_t)m->packed};
    *out = (tile_bytes){arena_printf(mem, "%s', '%s", in.from, m->name), packed.at, packed.length};
    if (m->method == Z_DEFLATED) {
        /* Deflate packs at best to a thousandth; a false length takes no memory. */
        const inflated found = inflate_stream(packed, WINDOW_ZIP, NULL, 0);
        if (found.why || found.length != m->length)
            return bad_archive(in, first, found.why ? found.why : "its length is not what the directory says",
                               d);
        uint8_t *bytes = arena_alloc(mem, (size_t)m->length + 1);
        inflate_stream(packed, WINDOW_ZIP, bytes, m->length + 1);
        out->at = bytes;
        out->length = (size_t)m->length;
    }
    if (out->length != m->length || crc32_z(0, out->at, out->length) != m->crc)
        return bad_archive(in, first, arena_printf(mem, "the checksum of %s differs", m->name), d);
    return true;
}

bool tile_member(tile_bytes archive, const char *name, arena *mem, diagnostics *d, tile_bytes *out) {
    size_t least =
        archive.length > END_BYTES + LONGEST_COMMENT ? archive.length - END_BYTES - LONGEST_COMMENT : 0;
    size_t end = archive.length < END_BYTES ? 0 : archive.length - END_BYTES + 1;
    *out = (tile_bytes){0};
    while (end > least && memcmp(archive.at + end - 1, "PK\5\6", 4) != 0)
        end--;
    if (end <= least)
        return bad_archive(archive, archive.length, "the archive has no directory", d);
    const uint8_t *last = archive.at + end - 1;
    uint64_t at = file_u32_at(last + 16);
    uint32_t n = u16_at(last + 10);
    if (!name && n != 1)
        return bad_archive(archive, at,
                           arena_printf(mem, "it holds %u files and none is format.npy or coords.npy", n), d);
    member found = {0};
    for (uint32_t i = 0; i < n; i++) {
        member m = {0};
        if (!next_member(archive, &at, mem, d, &m))
            return false;
        if (name && strcmp(m.name, name) != 0)
            continue;
        if (found.name)
            return bad_archive(archive, m.at, arena_printf(mem, "it holds two files called %s", m.name), d);
        found = m;
    }
    return !found.name || unpack(archive, &found, mem, d, out);
}
