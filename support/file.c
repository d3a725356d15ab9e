/* Whole files, and files with a name only when complete. */
#define _GNU_SOURCE /* fopencookie, statx */
#include "support/inputs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

enum { DEVICE_MOST = 1 << 26, PIPE_PATIENCE_MS = 10000 };

/* Opens a file to read. Of a pipe with a name somebody has to write the first byte in time. */
static FILE *open_whole(const char *path) {
    enum { NAMELESS = 0x50495045 }; /* PIPEFS_MAGIC: its writer is present from the start */
    struct stat info;
    struct statfs where;
    bool named = stat(path, &info) == 0 && S_ISFIFO(info.st_mode) && statfs(path, &where) == 0 &&
                 where.f_type != NAMELESS;
    int file = named ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (file < 0)
        return named ? NULL : fopen(path, "rb");
    struct pollfd wait = {.fd = file, .events = POLLIN};
    int ready = poll(&wait, 1, PIPE_PATIENCE_MS);
    if (ready <= 0) {
        close(file);
        errno = ready == 0 ? ETIMEDOUT : errno;
        return NULL;
    }
    fcntl(file, F_SETFL, O_RDONLY);
    return fdopen(file, "rb");
}

/* Reads the whole file, or returns NULL and says why not. */
static char *read_whole(const char *path, arena *mem, size_t *length, int *why) {
    FILE *in = open_whole(path);
    struct stat info = {0};
    char *text = NULL;
    errno = in ? 0 : errno;
    if (in && fstat(fileno(in), &info) == 0 && S_ISDIR(info.st_mode))
        errno = EISDIR;
    if (in && !errno) {
        size_t size = info.st_size > 0 ? (size_t)info.st_size : 0;
        size_t capacity = size + 1, used = 0;
        text = arena_alloc(mem, capacity);
        for (;;) {
            used += fread(text + used, 1, capacity - used, in);
            if (used < capacity)
                break;
            if (used >= DEVICE_MOST && S_ISCHR(info.st_mode)) { /* /dev/zero never ends */
                errno = EFBIG;
                break;
            }
            /* The file is longer than fstat said, as a pipe is: double the space and go on. */
            char *larger = arena_alloc(mem, capacity * 2);
            memcpy(larger, text, used);
            text = larger;
            capacity *= 2;
        }
        if (ferror(in) || errno == EFBIG)
            text = NULL;
        else
            text[used] = '\0';
        *length = used;
    }
    *why = errno ? errno : EIO;
    if (in)
        fclose(in);
    return text;
}

static void cannot_read(const char *path, int why, diagnostics *d) {
    diag_error(d, (src_loc){0}, "E0001-file", "cannot read '%s': %s", path, strerror(why));
    if (why == EISDIR)
        diag_hint(
            d,
            "a file is wanted here: name one in the folder, such as %s/NAME.mtx of a tensor, NAME.bs of "
            "a bitstream, NAME.gv of a graph or NAME.onx of a program",
            path);
}

char *file_read(const char *path, arena *mem, size_t *length, diagnostics *d) {
    int why;
    char *text = read_whole(path, mem, length, &why);
    if (!text)
        cannot_read(path, why, d);
    return text;
}

char *file_read_if_there(const char *path, arena *mem, size_t *length) {
    int why;
    return read_whole(path, mem, length, &why);
}

bool file_open(file_in *f, const char *path, diagnostics *d) {
    struct stat info;
    *f = (file_in){.stream = fopen(path, "rb")};
    int why = f->stream ? 0 : errno;
    if (f->stream && fstat(fileno(f->stream), &info) != 0)
        why = errno;
    else if (f->stream && !S_ISREG(info.st_mode))
        why = S_ISDIR(info.st_mode) ? EISDIR : ESPIPE;
    if (why) {
        cannot_read(path, why, d);
        file_close(f);
        return false;
    }
    f->length = (uint64_t)info.st_size;
    inputs_note(d, path);
    return true;
}

bool file_take(file_in *f, void *to, size_t bytes) {
    if (f->length - f->at < bytes || fread(to, 1, bytes, f->stream) != bytes)
        return false;
    f->at += bytes;
    return true;
}

bool file_go(file_in *f, uint64_t at) {
    if (at > f->length || fseeko(f->stream, (off_t)at, SEEK_SET) != 0)
        return false;
    f->at = at;
    return true;
}

void file_close(file_in *f) {
    if (f->stream)
        fclose(f->stream);
    f->stream = NULL;
}

/* ---- inputs: inputs.h ------------------------------------------------------------------------------ */

/* Returns whether this is a regular file, with its identity: an open file where `path` is empty. */
static bool identify(int file, const char *path, file_id *out) {
    struct statx info;
    if (statx(file, path, AT_EMPTY_PATH, STATX_TYPE | STATX_INO | STATX_BTIME, &info) != 0 ||
        !S_ISREG(info.stx_mode))
        return false;
    const uint64_t born = (uint64_t)info.stx_btime.tv_sec * 1000000000 + info.stx_btime.tv_nsec;
    *out = (file_id){(uint64_t)info.stx_dev_major << 32 | info.stx_dev_minor, info.stx_ino,
                     info.stx_mask & STATX_BTIME ? born : 0};
    return true;
}

static bool has(const file_ids *list, const file_id *one) {
    for (uint32_t i = 0; i < list->len; i++) {
        const file_id *is = &list->at[i];
        if (is->device == one->device && is->inode == one->inode && is->born == one->born)
            return true;
    }
    return false;
}

void inputs_note(diagnostics *d, const char *path) {
    file_id id;
    if (identify(AT_FDCWD, path, &id) && !has(&d->made, &id) && !has(&d->inputs, &id))
        vec_push(d->mem, &d->inputs, id);
}

void inputs_note_all(diagnostics *d, const diagnostics *other) {
    for (uint32_t i = 0; i < other->inputs.len; i++)
        vec_push(d->mem, &d->inputs, other->inputs.at[i]);
}

/* The number of a removed input file may be reused for an output, on file systems without times of birth. */
void inputs_note_made(diagnostics *d, FILE *stream) {
    file_id id;
    if (!identify(fileno(stream), "", &id))
        return;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < d->inputs.len; i++) {
        if (!has(&(file_ids){.at = &id, .len = 1}, &d->inputs.at[i]))
            d->inputs.at[kept++] = d->inputs.at[i];
    }
    d->inputs.len = kept;
    if (!has(&d->made, &id))
        vec_push(d->mem, &d->made, id);
}

bool inputs_spared(diagnostics *d, const char *path) {
    file_id id;
    if (!identify(AT_FDCWD, path, &id) || !has(&d->inputs, &id))
        return true;
    diag_error(d, (src_loc){0}, "E0008-overwrites", "'%s' was read: it would be lost if it were written",
               path);
    return diag_hint(d, "name another file or folder for what is written");
}

/* ---- output files: messages about a failure -------------------------------------------------------- */

void file_write_error(const char *what, const char *path, int why, diagnostics *d) {
    diag_error(d, (src_loc){0}, "E0004-write", "cannot %s '%s': %s", what, path, strerror(why));
    if (why == ENOSPC || why == EDQUOT || why == EFBIG)
        diag_hint(d, "make room there, or write elsewhere; nothing half-written is left");
    else if (why == EACCES || why == EPERM || why == EROFS)
        diag_hint(d, "name a folder that may be written");
}

/* ---- existing special files: a device, a pipe, a descriptor of this program ------------------------- */

/* A special file is written directly, and keeps its kind. A stream forgets the reason of a failed write; this
 * struct keeps the reason. */
typedef struct {
    int to, why;
} through;

static ssize_t put_through(void *cookie, const char *bytes, size_t n) {
    through *t = cookie;
    size_t done = 0;
    while (done < n && !t->why) {
        ssize_t put = write(t->to, bytes + done, n - done);
        if (put > 0)
            done += (size_t)put;
        else if (put < 0 && errno != EINTR)
            t->why = errno;
    }
    return (ssize_t)done;
}

static int end_through(void *cookie) {
    through *t = cookie;
    return close(t->to);
}

/* The descriptor behind a name: /dev/fd/3, or the file of standard output or error. The descriptor is
 * duplicated, since reopening would start at its first byte. -1: none. */
static int own_descriptor(const char *path, const struct stat *there) {
    int number = -1, end = 0;
    struct stat info;
    if (sscanf(path, "/dev/fd/%d%n", &number, &end) == 1 && !path[end])
        return number;
    if (sscanf(path, "/proc/self/fd/%d%n", &number, &end) == 1 && !path[end])
        return number;
    for (number = STDOUT_FILENO; number <= STDERR_FILENO; number++) {
        if (fstat(number, &info) == 0 && info.st_dev == there->st_dev && info.st_ino == there->st_ino)
            return number;
    }
    return -1;
}

/* False after an error. A pipe without a reader waits for its reader. */
static bool open_through(file_out *f, int descriptor, arena *mem, diagnostics *d) {
    through *t = arena_new(mem, through);
    fflush(stdout);
    t->to = descriptor < 0 ? open(f->path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
                           : fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (t->to >= 0)
        f->stream = fopencookie(t, "w", (cookie_io_functions_t){.write = put_through, .close = end_through});
    if (!f->stream) {
        file_write_error("write", f->path, errno, d);
        if (t->to >= 0)
            close(t->to);
        return false;
    }
    f->through = &t->why;
    return true;
}

/* ---- output files ---------------------------------------------------------------------------------- */

/* Follows symbolic links at the end of the path, also to missing files; NULL: a cycle of links. */
static const char *target_of(const char *path, arena *mem) {
    char link[4096];
    for (int links = 0; links < 40; links++) {
        ssize_t length = readlink(path, link, sizeof link);
        if (length < 0 || (size_t)length == sizeof link)
            return path;
        const char *slash = strrchr(path, '/'), *target = arena_strndup(mem, link, (size_t)length);
        path = *target == '/' || !slash ? target
                                        : arena_printf(mem, "%.*s/%s", (int)(slash - path), path, target);
    }
    return NULL;
}

bool file_create(file_out *f, const char *path, arena *mem, diagnostics *d) {
    struct stat there;
    *f = (file_out){.path = arena_strdup(mem, path)};
    if (stat(path, &there) == 0 && !S_ISDIR(there.st_mode)) {
        int descriptor = own_descriptor(path, &there);
        if (descriptor >= 0 || !S_ISREG(there.st_mode))
            return open_through(f, descriptor, mem, d);
    }
    if (!inputs_spared(d, path))
        return false;
    const char *target = target_of(path, mem);
    f->target = target ? arena_strdup(mem, target) : f->path;
    f->temporary = arena_printf(mem, "%s.%ld.part", f->target, (long)getpid());
    errno = ELOOP;
    f->stream = target ? fopen(f->temporary, "wb") : NULL;
    if (!f->stream)
        file_write_error("write", path, errno, d);
    return f->stream != NULL;
}

/* A stream remembers a failed write, but not its reason; the next write to the temporary file fails for the
 * same reason. */
static int write_failure(const file_out *f) {
    static const char block[4096];
    ssize_t n = 0;
    if (f->through)
        return *f->through;
    for (int tries = 0; tries < 2 && n >= 0; tries++) {
        errno = 0;
        n = write(fileno(f->stream), block, sizeof block);
    }
    return errno;
}

bool file_commit(file_out *f, diagnostics *d) {
    errno = 0;
    bool failed = ferror(f->stream) != 0, bad = failed || fflush(f->stream) != 0;
    int why = failed ? write_failure(f) : errno;
    if (!bad && f->temporary && !inputs_spared(d, f->target)) { /* it was read since */
        return file_abandon(f);
    }
    if (f->temporary)
        inputs_note_made(d, f->stream);
    if (fclose(f->stream) != 0 && !bad) {
        bad = true;
        why = errno;
    }
    f->stream = NULL;
    if (!bad && f->temporary && rename(f->temporary, f->target) != 0) {
        bad = true;
        why = errno;
    }
    if (bad) {
        if (f->temporary)
            unlink(f->temporary);
        file_write_error("write", f->path, why ? why : EIO, d);
    }
    return !bad;
}

bool file_abandon(file_out *f) {
    if (f->stream)
        fclose(f->stream);
    f->stream = NULL;
    if (f->temporary)
        unlink(f->temporary);
    return false;
}

void file_put_u32(FILE *out, uint32_t word) {
    const unsigned char bytes[4] = {(unsigned char)word, (unsigned char)(word >> 8),
                                    (unsigned char)(word >> 16), (unsigned char)(word >> 24)};
    fwrite(bytes, 1, sizeof bytes, out);
}

char *text_read(const char *path, arena *mem, size_t *length, diagnostics *d) {
    char *text = file_read(path, mem, length, d);
    if (!text)
        return NULL;
    inputs_note(d, path);
    return text_checked(path, text, length, d);
}

char *text_checked(const char *path, char *text, size_t *length, diagnostics *d) {
    if (*length >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0)) {
        diag_error(d, src_at(diag_add_source(d, path, text, *length), 0, 2), "E0006-encoding",
                   "the text is in UTF-16");
        diag_hint(d, "save it as UTF-8: iconv -f utf-16 -t utf-8");
        return NULL;
    }
    const char *zero = *length ? memchr(text, 0, *length) : NULL;
    if (zero) {
        const size_t at = (size_t)(zero - text);
        diag_error(d, src_at(diag_add_source(d, path, text, *length), at, 1), "E0006-encoding",
                   "byte %zu of the file is a zero, so it is no text", at);
        diag_hint(d, "a text that was cut off by a full disk may end in zeros; or this is another file");
        return NULL;
    }
    size_t mark = *length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    *length -= mark;
    return text + mark;
}
