/* support.h - what every room of the house stands on: arenas, vectors, interned names, source
 * locations and diagnostics, JSON, seeded random numbers, hashing, whole files.
 *
 * Conventions: nothing here is global and mutable; zero-initialised structures are valid and empty;
 * memory comes from arenas and is released with them; a program that runs out of it ends (E0005-memory, exit
 * 1).
 */
#ifndef ONYX_SUPPORT_H
#define ONYX_SUPPORT_H

#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- internal faults ------------------------------------------------------------------------- */

/* BUG is for a broken invariant of ours, never for a mistake of the user's: it prints file:line and
 * aborts. */
#define BUG(...) bug_report(__FILE__, __LINE__, __VA_ARGS__)
#define BUG_IF(cond, ...)                                                                                    \
    do {                                                                                                     \
        if (cond)                                                                                            \
            BUG(__VA_ARGS__);                                                                                \
    } while (0)
_Noreturn void bug_report(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Called when there is no memory for something of `bytes` (0: of unknown size): says so with E0005-memory and
 * ends the program with exit code 1. What was being written has no name yet; a NAME.PID.part may stay, as
 * after a kill. */
_Noreturn void out_of_memory(size_t bytes);

/* ---- arena ----------------------------------------------------------------------------------- */

typedef struct arena_chunk arena_chunk;
typedef struct {
    arena_chunk *last;
    size_t bytes; /* handed out so far */
} arena;

void *arena_alloc(arena *a, size_t bytes);      /* zeroed, aligned to 16; never NULL */
char *arena_strdup(arena *a, const char *text); /* a copy */
char *arena_strndup(arena *a, const char *text, size_t length);
char *arena_printf(arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
void arena_free(arena *a); /* frees everything at once; the arena may be used again */

#define arena_new(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define arena_new_n(a, type, n) ((type *)arena_alloc((a), sizeof(type) * (size_t)(n)))

/* ---- vectors --------------------------------------------------------------------------------- */

/* VEC declares an array that grows in an arena: `typedef VEC(int) int_vec;`, then vec_push(a, &v, 7),
 * v.at[i], v.len. Growth copies inside the arena: indices stay valid, pointers to elements do not. */
#define VEC(type)                                                                                            \
    struct {                                                                                                 \
        type *at;                                                                                            \
        uint32_t len, cap;                                                                                   \
    }
#define vec_push(a, v, ...)                                                                                  \
    (vec_reserve((a), (void **)&(v)->at, (v)->len, &(v)->cap, sizeof *(v)->at),                              \
     (v)->at[(v)->len++] = (__VA_ARGS__))
void vec_reserve(arena *a, void **at, uint32_t len, uint32_t *cap, size_t element_bytes);

typedef VEC(uint32_t) u32_vec;
typedef VEC(uint16_t) u16_vec;

/* ---- interned names -------------------------------------------------------------------------- */

/* A name is a 32-bit index into one table; 0 is "no name". Equal text means equal index. */
typedef struct {
    uint32_t v;
} name_id;
typedef struct {
    arena *mem;
    VEC(const char *) text; /* text.at[i - 1] is name i */
    VEC(uint32_t) slot;     /* open-addressing hash table of name indices */
} name_table;

void names_init(name_table *names, arena *mem);
name_id names_intern(name_table *names, const char *text);
name_id names_intern_n(name_table *names, const char *text, size_t length);
name_id names_find(const name_table *names, const char *text); /* 0 if unknown */
const char *names_text(const name_table *names, name_id id);   /* "" for 0 */
static inline bool name_eq(name_id a, name_id b) {
    return a.v == b.v;
}

/* ---- sources and diagnostics ----------------------------------------------------------------- */

/* A place in a text the user gave: a file, or an argument such as the expression. */
typedef struct {
    uint32_t source; /* index + 1 into diagnostics.sources; 0 = nowhere */
    uint32_t offset; /* byte offset of the first character */
    uint32_t length; /* characters to underline, at least 1 */
} src_loc;

typedef enum { DIAG_NONE, DIAG_ERROR, DIAG_UNMAPPABLE, DIAG_MISMATCH, DIAG_WARNING, DIAG_NOTE } diag_kind;

/* What a caller may do something about. */
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
} src_text;

/* A file, whatever its names are. */
typedef struct {
    uint64_t device, inode;
} file_id;
typedef VEC(file_id) file_ids;

/* Collects what went wrong; prints nothing by itself. */
typedef struct {
    arena *mem;
    VEC(diagnostic) list;
    VEC(src_text) sources;
    file_ids inputs, made; /* support/inputs.h: files of others that were read, and files written since */
    uint32_t errors, unmappable, mismatches, warnings; /* counts by kind */
} diagnostics;

#define DIAG_MAX_ERRORS 20 /* further errors are counted, not kept */

void diag_init(diagnostics *d, arena *mem);
/* Registers a text (not copied; it must live as long as `d`) and returns its 1-based index. */
uint32_t diag_add_source(diagnostics *d, const char *name, const char *text, size_t length);
src_loc src_at(uint32_t source, size_t offset, size_t length);

/* Reports a mistake of the user's (exit 1). CODE never changes its meaning: "E0104-rank". */
void diag_error(diagnostics *d, src_loc loc, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Reports that something does not fit the hardware (exit 2). */
void diag_unmappable(diagnostics *d, src_loc loc, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Reports that what ran gave a wrong result, or one that cannot be read (exit 3). */
void diag_mismatch(diagnostics *d, src_loc loc, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void diag_warning(diagnostics *d, src_loc loc, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Adds a second place or an explanation to the diagnostic before it. */
void diag_note(diagnostics *d, src_loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Attaches "help: ..." to the latest diagnostic that is not a note. */
void diag_hint(diagnostics *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

bool diag_failed(const diagnostics *d); /* whether there is anything but warnings and notes */
/* Writes every diagnostic from index `first` on as `name:line:col: error: message [code]`, the
 * line, a caret. */
void diag_print(const diagnostics *d, uint32_t first, FILE *out, bool colour);
/* Writes them as one JSON object a line, for programs: docs/diagnostics.md, docs/diagnostics.schema.json. */
void diag_print_json(const diagnostics *d, uint32_t first, FILE *out);
/* Returns whether colours belong on `out`: it is a terminal, TERM is not dumb, and NO_COLOR is unset or
 * empty. */
bool diag_colour(FILE *out);
/* Finds the 1-based line and column of a location; false when it is nowhere. */
bool diag_line_col(const diagnostics *d, src_loc loc, uint32_t *line, uint32_t *col);

/* Returns the word for n things, where a number is shown to people: plural(n, "copy", "copies"). */
static inline const char *plural(uint64_t n, const char *one, const char *many) {
    return n == 1 ? one : many;
}

/* ---- text in memory ------------------------------------------------------------------------- */

/* Collects what is printed to `stream` between text_begin and text_end. It must not be moved in between. */
typedef struct {
    FILE *stream;
    char *text;
    size_t length; /* after text_end */
} text_out;

void text_begin(text_out *out);
/* Returns the text, ended by 0, in `mem`. */
char *text_end(text_out *out, arena *mem);

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Every program that uses cJSON calls this first: an allocation of cJSON that fails then ends the program,
 * where cJSON itself would leave out what it has no memory for. */
void json_begin(void);
/* cJSON does the parsing and printing; these functions add locations and diagnostics. json_read reads and
 * parses a file and returns NULL after a located error (E0001-file, E0002-json). json_parse without `d`
 * returns NULL alone. The caller frees the result with cJSON_Delete. */
cJSON *json_read(const char *path, diagnostics *d);
cJSON *json_parse(const char *name, const char *text, size_t length, diagnostics *d);
cJSON *json_add_item(cJSON *list); /* a new object at its end */
/* These get a required member; if it is missing or of another type, they report E0003-json-member, which
 * names `where`.`key`. */
bool json_get_u32(const cJSON *object, const char *where, const char *key, uint32_t *out, diagnostics *d);
bool json_get_text(const cJSON *object, const char *where, const char *key, const char **out, diagnostics *d);
/* `type`: cJSON_Array or cJSON_Object; NULL after the error. */
const cJSON *json_get_parts(const cJSON *object, const char *where, const char *key, int type,
                            diagnostics *d);
static inline const cJSON *json_get_array(const cJSON *object, const char *where, const char *key,
                                          diagnostics *d) {
    return json_get_parts(object, where, key, cJSON_Array, d);
}
static inline const cJSON *json_get_object(const cJSON *object, const char *where, const char *key,
                                           diagnostics *d) {
    return json_get_parts(object, where, key, cJSON_Object, d);
}
/* Prints as cJSON_Print and cJSON_PrintUnformatted do, but never returns NULL; the caller frees the text with
 * cJSON_free. */
char *json_print(const cJSON *json, bool indented);
bool json_write(const cJSON *json, const char *path, diagnostics *d); /* atomic, indented, final newline */

/* ---- random numbers and hashing -------------------------------------------------------------- */

typedef struct {
    uint64_t state;
} prng; /* splitmix64 (Steele, Lea, Flood 2014): the whole state is the seed */

static inline prng prng_seed(uint64_t seed) {
    return (prng){seed};
}
static inline uint64_t prng_next(prng *p) {
    uint64_t z = (p->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
/* Draws a number that is uniform in [0, n) for n >= 1, with a bias below 2^-32. */
static inline uint32_t prng_below(prng *p, uint32_t n) {
    return (uint32_t)(((prng_next(p) >> 32) * n) >> 32);
}

uint64_t hash_bytes(const void *bytes, size_t length); /* XXH64, seed 0 */
/* Hashes a row of pieces, one a call: `hash` is that of the pieces before, 0 at first. The cuts count: "ab",
 * "c" and "a", "bc" have different hashes. */
uint64_t hash_more(uint64_t hash, const void *bytes, size_t length);

/* ---- files ----------------------------------------------------------------------------------- */

/* Reads a whole file into the arena, NUL-terminated; NULL after error E0001-file. */
char *file_read(const char *path, arena *mem, size_t *length, diagnostics *d);
/* Reads a whole file as file_read does, but returns NULL without a diagnostic when it cannot be read. */
char *file_read_if_there(const char *path, arena *mem, size_t *length);
/* Returns the first line of a log that has "error:" in it, or else its first line; "" if there is none. */
const char *file_error_line(const char *log, arena *mem);
/* Returns the last `lines` lines of a text. */
const char *text_tail(const char *text, size_t length, uint32_t lines);
/* Reads a text that a user may have edited anywhere: a UTF-8 byte-order mark in front is left out; UTF-16 is
 * E0006-encoding. Line ends may be LF or CRLF: readers take \r for a blank. */
char *text_read(const char *path, arena *mem, size_t *length, diagnostics *d);

/* A regular file that is read from the front, piece by piece, because it may be longer than memory should be.
 * file_open returns false after error E0001-file. file_take copies the next bytes; it returns false, and
 * takes nothing, when not so many are left or the system refuses them. */
typedef struct {
    FILE *stream;
    uint64_t length, at;
} file_in;
bool file_open(file_in *f, const char *path, diagnostics *d);
bool file_take(file_in *f, void *to, size_t bytes);
bool file_go(file_in *f, uint64_t at); /* goes on at this byte of the file, or at its end */
void file_close(file_in *f);

/* A file that appears under its name only when it is complete: write to ->stream, then commit.
 * file_commit: flushes, checks for write errors, renames; false after error E0004-write (nothing is
 * left). Of a symbolic link the target is replaced. A device, a pipe, /dev/stdout is written through as bytes
 * come, and cannot be sought in; a pipe that nobody reads waits for its reader. */
typedef struct {
    FILE *stream;
    const char *path, *target, *temporary; /* as named; what is replaced; NULL: written through */
    const int *through;                    /* why that failed, or 0; NULL: not written through */
} file_out;
bool file_create(file_out *f, const char *path, arena *mem, diagnostics *d);
bool file_commit(file_out *f, diagnostics *d);
void file_abandon(file_out *f);

void file_put_u32(FILE *out, uint32_t word); /* little-endian, whatever the machine */
uint32_t file_u32_at(const uint8_t *at);     /* what file_put_u32 wrote */

/* Runs a program, appends what it prints to `log`, and waits for it. Returns its exit code; PROGRAM_MISSING
 * when there is no such program (126 when it cannot be started otherwise, and the log says why); minus the
 * signal that ended it; PROGRAM_NOT_RUN when no process could be had. SIGINT to this program ends the wait:
 * the child gets it, too, and whatever it makes of it, the answer is -SIGINT. */
enum { PROGRAM_MISSING = 127, PROGRAM_NOT_RUN = -1000 };
int program_run(const char *const *argv, const char *log);

bool make_folder(const char *path, diagnostics *d); /* with parents; it may exist already */
/* Keeps other processes, and other descriptors of this one, from the folder until *lock is closed or the
 * process ends; leaves no file. E0007-in-use. A file system without locks keeps nobody out; *lock may be -1
 * then. */
bool folder_take(const char *path, diagnostics *d, int *lock);
void remove_folder(const char *path); /* with all in it; it may be missing */
double seconds_now(void);             /* monotonic clock */

#endif
