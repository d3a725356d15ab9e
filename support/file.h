/* file.h - whole files, long files, and files with a name only when complete. */
#ifndef ONYX_SUPPORT_FILE_H
#define ONYX_SUPPORT_FILE_H

#include "support/diagnostics.h"
#include <stdio.h>

/* Reads a whole file into the arena, NUL-terminated; NULL after error E0001-file. */
char *file_read(const char *path, arena *mem, size_t *length, diagnostics *d);
/* Reads a whole file like file_read, but returns NULL without a diagnostic for an unreadable file. */
char *file_read_if_there(const char *path, arena *mem, size_t *length);
/* Reads a text that a user may have edited anywhere: a UTF-8 byte-order mark in front is left out; UTF-16 is
 * E0006-encoding. Line ends may be LF or CRLF: readers take \r for a blank. */
char *text_read(const char *path, arena *mem, size_t *length, diagnostics *d);

/* A regular file read from the front, piece by piece, because its length may exceed the memory. file_open
 * returns false after error E0001-file. file_take copies the next bytes; it returns false, and takes nothing,
 * if too few bytes are left or the system refuses. */
typedef struct {
    FILE *stream;
    uint64_t length, at;
} file_in;
bool file_open(file_in *f, const char *path, diagnostics *d);
bool file_take(file_in *f, void *to, size_t bytes);
bool file_go(file_in *f, uint64_t at); /* goes on at this byte of the file, or at its end */
void file_close(file_in *f);

/* A file with its name only when complete: write to ->stream, and commit. file_commit: flushes, checks for
 * write errors, renames; false after error E0004-write (nothing is left). For a symbolic link the target is
 * replaced. A device, a pipe, /dev/stdout is written directly, without seeking; a pipe without a reader waits
 * for its reader. */
typedef struct {
    FILE *stream;
    const char *path, *target, *temporary; /* as named; the replaced file; NULL: written directly */
    const int *through; /* the reason of a failed direct write, or 0; NULL: not written directly */
} file_out;
bool file_create(file_out *f, const char *path, arena *mem, diagnostics *d);
bool file_commit(file_out *f, diagnostics *d);
bool file_abandon(file_out *f); /* returns false */
/* Reports E0004-write: cannot WHAT the path, with the reason of errno. */
void file_write_error(const char *what, const char *path, int why, diagnostics *d);

void file_put_u32(FILE *out, uint32_t word);            /* little-endian, whatever the machine */
static inline uint32_t file_u32_at(const uint8_t *at) { /* what file_put_u32 wrote */
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

#endif
