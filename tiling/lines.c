/* lines.c - text read from the front: a buffer of some lines over a file, or over zlib's output. Unusual
 * files are left to the reader of whole files, with its messages. */
#include "tiling/lines.h"

#include <sys/stat.h>
#include <zlib.h>

enum { LINES_PIECE = 1 << 20, LINES_PACKED = 1 << 16, WINDOW_GZIP = 15 + 16 };

struct tile_lines {
    file_in file;
    bool packed, ended, failed;
    z_stream z;
    uint8_t *in;
    char *piece; /* LINES_PIECE bytes, and a zero */
};

/* Reads bytes of the file unchanged. */
static size_t take_plain(tile_lines *l, void *to, size_t room) {
    const uint64_t remaining = l->file.length - l->file.at;
    const size_t n = remaining < room ? (size_t)remaining : room;
    if (!n || file_take(&l->file, to, n))
        return n;
    l->failed = true;
    return 0;
}

/* Goes on to the next member of a gzip file; zeros may follow the last one. */
static void next_member(tile_lines *l) {
    do {
        while (l->z.avail_in && !*l->z.next_in) {
            l->z.next_in++;
            l->z.avail_in--;
        }
        if (l->z.avail_in)
            break;
        l->z.next_in = l->in;
        l->z.avail_in = (uInt)take_plain(l, l->in, LINES_PACKED);
    } while (l->z.avail_in);
    l->ended = !l->z.avail_in;
    l->failed = l->failed || (!l->ended && inflateReset(&l->z) != Z_OK);
}

static size_t take_packed(tile_lines *l, char *to, size_t room) {
    l->z.next_out = (Bytef *)to;
    l->z.avail_out = (uInt)room;
    while (l->z.avail_out && !l->ended && !l->failed) {
        if (!l->z.avail_in) {
            l->z.next_in = l->in;
            l->z.avail_in = (uInt)take_plain(l, l->in, LINES_PACKED);
        }
        const int state = inflate(&l->z, Z_NO_FLUSH);
        if (state == Z_STREAM_END)
            next_member(l);
        else
            l->failed = l->failed || state != Z_OK;
    }
    return room - l->z.avail_out;
}

static size_t take(tile_lines *l, char *to, size_t room) {
    const size_t n = l->packed ? take_packed(l, to, room) : take_plain(l, to, room);
    if (!l->packed)
        l->ended = l->file.at == l->file.length;
    return l->failed ? 0 : n;
}

bool tile_lines_more(tile_lines *l, const char **at, const char **end) {
    const size_t kept = (size_t)(*end - *at);
    memmove(l->piece, *at, kept);
    const size_t n = kept < LINES_PIECE && !l->ended ? take(l, l->piece + kept, LINES_PIECE - kept) : 0;
    *at = l->piece;
    *end = l->piece + kept + n;
    l->piece[kept + n] = '\0';
    l->failed = l->failed || (!l->ended && !memchr(l->piece, '\n', kept + n));
    return n != 0;
}

tile_lines *tile_lines_begin(const char *path, bool packed, arena *mem) {
    tile_lines *l = arena_new(mem, tile_lines);
    diagnostics quiet;
    struct stat info;
    diag_init(&quiet, mem);
    l->packed = packed;
    /* Opening a pipe waits for a writer, and takes the writer's bytes: the reader of whole files handles
     * pipes. */
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || !file_open(&l->file, path, &quiet))
        return NULL;
    if (l->file.length < (packed ? LINES_PACKED : LINES_PIECE) ||
        (packed && inflateInit2(&l->z, WINDOW_GZIP) != Z_OK)) {
        file_close(&l->file);
        return NULL;
    }
    l->in = packed ? arena_alloc(mem, LINES_PACKED) : NULL;
    l->piece = arena_alloc(mem, LINES_PIECE + 1);
    return l;
}

bool tile_lines_end(tile_lines *l) {
    if (l->packed)
        inflateEnd(&l->z);
    file_close(&l->file);
    return l->ended && !l->failed;
}

uint64_t tile_lines_bytes(const tile_lines *l) {
    return l->file.length;
}
