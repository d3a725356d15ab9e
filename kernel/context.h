/* context.h - the context of a compilation: the caller's memory, names and diagnostics, the places of data
 * and programs of the toolchain, the boards read, and the command's own folder. */
#ifndef ONYX_KERNEL_CONTEXT_H
#define ONYX_KERNEL_CONTEXT_H

#include "pnr/pnr.h"
#include "tiling/files.h"

typedef VEC(const char *) text_vec;

/* A file, how it is read, and its tensor. */
typedef struct {
    const char *path;
    uint32_t order;
    tile_values values;
    tile_tensor t;
    tile_dtype dtype;
} compile_file;
typedef VEC(compile_file) compile_files;

/* A tensor of -g, and the inputs of its generator. */
typedef struct {
    const char *spec;
    uint32_t number;
    uint64_t seed;
    tile_dtype dtype;
    tile_tensor t;
} compile_generated;

/* Tensors that were generated, each once for all copies of a context, in the memory of the first. */
typedef struct {
    arena *mem;
    VEC(compile_generated) all;
} compile_generators;

/* Exit codes of the command, and results of onyx_run, used by scripts. */
enum { EXIT_OK = 0, EXIT_USER = 1, EXIT_UNMAPPABLE = 2, EXIT_MISMATCH = 3, EXIT_INTERRUPTED = 130 };

/* Receiver of progress. `stage` is called at the start of an activity, with its total amount (0: uncounted);
 * `what` must outlive the stage. `count` is called with the amount done. */
typedef struct {
    void (*stage)(void *to, const char *what, uint64_t total);
    void (*count)(void *to, uint64_t done);
    void *to;
} compile_progress;

typedef struct {
    arena *mem;
    name_table *names;
    diagnostics *diag;
    const char *home;                 /* where boards, RTL and firmware sources lie */
    const char *programs;             /* folder of onyx-cosim with its slash; "" means the PATH */
    const compile_progress *progress; /* NULL where nobody looks */
    FILE *shown;                      /* where `--dump -` goes: standard output */
    VEC(pnr_board) boards;            /* read so far */
    compile_files files;              /* operands that were read before the statement's own pass */
    compile_generators *generators;   /* shared by copies */
    struct tile_cuts *cuts;           /* kept for all searches; shared by copies */
    struct fe_functions *functions;   /* of --functions, read once; NULL: not yet, or none */
    struct compile_formats *formats;  /* by name, of the house and of --formats, read once; NULL: not yet */
    struct compile_calls *calls;      /* functions run by the chip's processor; shared by copies */
    int folder;                       /* descriptor of the lock on the output folder, plus 1; 0: none */
    const char *partial;              /* folder of incomplete files, published when complete; NULL for none */
    const char *record;               /* the caller's, kept in the folder as command.json; NULL: nothing is */
    bool interrupted; /* set if a started program was interrupted, which ended the compilation */
} compile_context;

/* Makes the arena, the names, the diagnostics and the context empty. Programs of the toolchain are next to
 * this program. */
void compile_begin(compile_context *ctx, arena *mem, name_table *names, diagnostics *d);
/* Sets the folder of the toolchain's programs, with a final '/'. */
void compile_set_programs(compile_context *ctx, const char *folder);
/* Returns the exit code for the diagnostics. */
int compile_exit_code(const compile_context *ctx);
/* Frees the whole context, the arena included; releases the folder's lock. */
void compile_end(compile_context *ctx);
/* Returns the file of a program of the toolchain, "onyx-cosim"; just its name where its folder is unknown. */
const char *compile_program(const compile_context *ctx, const char *name);
/* Makes the output folder, and locks out other commands until compile_end: E0007-in-use. Half-written files
 * of killed commands are removed. */
bool compile_take_folder(compile_context *ctx, const char *path);
/* Reads a board by its name or by the path of a .json file; *path becomes the file, unless path is NULL. The
 * context frees the board. */
bool compile_read_board(compile_context *ctx, const char *name, pnr_board *board, const char **path);
/* Reports E0903-option-value: `want` describes valid values of `option` in place of `value`. Returns
 * false. */
bool compile_bad_value(diagnostics *d, const char *option, const char *value, const char *want);

/* Report the current activity and the amount done to ctx->progress, if set. */
void compile_stage(const compile_context *ctx, const char *what, uint64_t total);
void compile_count(const compile_context *ctx, uint64_t done);
/* Runs a program and waits; its output goes to `log`. `makes`, ended by NULL, are its output files, removed
 * first. Returns false with E0930-tool when the program fails, and with only ctx->interrupted after an
 * interruption: its incomplete files are removed. */
bool compile_spawn(compile_context *ctx, const char *const *argv, const char *log, const char *const *makes);

#endif
