/* diagnostics.h - sources, and messages about them. */
#ifndef ONYX_SUPPORT_DIAGNOSTICS_H
#define ONYX_SUPPORT_DIAGNOSTICS_H

#include "support/arena.h"
#include <stdbool.h>

#define DIAG_MAX_ERRORS 20 /* further errors are counted, but not kept, nor their notes */
#define DIAG_MAX_KEPT 4096 /* limit of diagnostics and notes; later warnings and notes are dropped */

/* A place in a text of the user: a file, or an argument such as the expression. */
typedef struct {
    uint32_t source; /* index + 1 into diagnostics.sources; 0 = nowhere */
    uint32_t offset; /* byte offset of the first character */
    uint32_t length; /* characters to underline, at least 1 */
} src_loc;

typedef enum { DIAG_NONE, DIAG_ERROR, DIAG_UNMAPPABLE, DIAG_MISMATCH, DIAG_WARNING, DIAG_NOTE } diag_kind;

/* Refusals with a remedy for the caller. */
typedef enum {
    DIAG_REFUSED_NONE,
#define REFUSAL(key, code) DIAG_REFUSED_##key,
#include "support/refusals.def"
#undef REFUSAL
} diag_refusal;

typedef struct {
    diag_kind kind;
    diag_refusal refusal;
    const char *code; /* "E0104-rank"; "" for notes */
    src_loc loc;
    const char *message;
    const char *hint; /* what would help, or NULL */
} diagnostic;

typedef struct {
    const char *name; /* file name, or "<expression>" */
    const char *text;
    size_t length;
    src_loc typed; /* the place of the text that the user wrote, where this one was made of it */
} src_text;

/* A file, whatever its names are. */
typedef struct {
    uint64_t device, inode;
    uint64_t born; /* ns: a removed file's number is given to others; 0: unknown */
} file_id;
typedef VEC(file_id) file_ids;

/* Collects diagnostics; prints nothing by itself. */
typedef struct {
    arena *mem;
    VEC(diagnostic) list;
    VEC(src_text) sources;
    uint32_t errors, unmappable, mismatches, warnings; /* counts by kind */
    uint32_t omitted;                                  /* warnings that are not kept */
    bool dropped;          /* the latest diagnostic other than a note is not kept */
    file_ids inputs, made; /* support/inputs.h: input files read, and files written since */
} diagnostics;

void diag_init(diagnostics *d, arena *mem);
/* Registers a text (not copied; the text must live as long as `d`) and returns its 1-based index, that of the
 * same text if it has one. */
uint32_t diag_add_source(diagnostics *d, const char *name, const char *text, size_t length);
/* Registers a text made of a piece of the user's text: messages about the new text point to words of that
 * piece. */
uint32_t diag_add_rewritten(diagnostics *d, const char *name, const char *text, src_loc typed);
src_loc src_at(uint32_t source, size_t offset, size_t length);

/* Reports a mistake of the user's (exit 1). CODE never changes its meaning: "E0104-rank". Returns false, as
 * every report does: "return diag_error(...)". */
bool diag_error(diagnostics *d, src_loc loc, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Reports a misfit with the hardware (exit 2). */
bool diag_unmappable(diagnostics *d, src_loc loc, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Reports a wrong or unreadable result of a run (exit 3). */
bool diag_mismatch(diagnostics *d, src_loc loc, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool diag_warning(diagnostics *d, src_loc loc, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Adds a second place or an explanation to the previous diagnostic. */
bool diag_note(diagnostics *d, src_loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Attaches "help: ..." to the latest diagnostic other than a note. */
bool diag_hint(diagnostics *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

uint32_t diag_failures(const diagnostics *d); /* the number of all but warnings and notes */
static inline bool diag_failed(const diagnostics *d) {
    return diag_failures(d) > 0;
}
/* Finds the 1-based line and column of a location; false for no location. */
bool diag_line_col(const diagnostics *d, src_loc loc, uint32_t *line, uint32_t *col);

#endif
