/* context.h - what a compilation works with: memory, names and diagnostics of whoever asks for it, where data
 * and programs of the toolchain lie, the boards that were read, and the folder that is its own. */
#ifndef ONYX_KERNEL_CONTEXT_H
#define ONYX_KERNEL_CONTEXT_H

#include "pnr/pnr.h"

typedef VEC(const char *) text_vec;

/* Exit codes of the command, and results of onyx_run: scripts depend on them. */
enum { EXIT_OK = 0, EXIT_USER = 1, EXIT_UNMAPPABLE = 2, EXIT_MISMATCH = 3, EXIT_INTERRUPTED = 130 };

/* Whom to tell what is being done now. `stage` is called when something begins, with how much of it there is
 * (0: it is not counted); `what` must outlive the stage. `count` is called with how much of it is done. */
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
    const char *programs;             /* folder of onyx-cosim with its slash; "" leaves it to the PATH */
    const compile_progress *progress; /* NULL where nobody looks */
    FILE *shown;                      /* where `--dump -` goes: standard output */
    VEC(pnr_board) boards;            /* read so far */
    struct fe_functions *functions;   /* of --functions, read once; NULL: not yet, or none */
    struct compile_formats *formats;  /* by name, of the house and of --formats, read once; NULL: not yet */
    struct compile_calls *calls;      /* functions that the chip's processor runs; copies share it */
    int folder;                       /* descriptor of the lock on the output folder, plus 1; 0 without one */
    const char *partial;              /* where its files are made until all are there; NULL where none is */
    const char *record;               /* the caller's, kept in the folder as command.json; NULL: nothing is */
    bool interrupted; /* is set where a program that was started was interrupted, so that the compilation
                         ended */
} compile_context;

/* Makes the arena, the names, the diagnostics and the context empty. Programs of the toolchain are those
 * beside this program. */
void compile_begin(compile_context *ctx, arena *mem, name_table *names, diagnostics *d);
/* Says that the programs of the toolchain are in this folder instead, whose name ends in '/'. */
void compile_set_programs(compile_context *ctx, const char *folder);
/* Returns the exit code that the diagnostics ask for. */
int compile_exit_code(const compile_context *ctx);
/* Frees all of it, the arena too; other commands may have the folder. */
void compile_end(compile_context *ctx);
/* Returns the file of a program of the toolchain, "onyx-cosim"; just its name where /proc does not tell. */
const char *compile_program(const compile_context *ctx, const char *name);
/* Makes the folder for what is produced, and keeps other commands from it until compile_end: E0007-in-use.
 * What killed commands left there half-written is removed. */
bool compile_take_folder(compile_context *ctx, const char *path);
/* Reads a board by its name or by the path of a .json file; *path becomes the file, unless path is NULL. The
 * context frees the board. */
bool compile_read_board(compile_context *ctx, const char *name, pnr_board *board, const char **path);
/* Reports E0903-option-value: `want` says what `option` must be in place of `value`. */
void compile_bad_value(diagnostics *d, const char *option, const char *value, const char *want);

/* Tell ctx->progress, if there is one, what is being done now and how much of it is done. */
void compile_stage(const compile_context *ctx, const char *what, uint64_t total);
void compile_count(const compile_context *ctx, uint64_t done);
/* Runs a program and waits; what it prints goes to `log`. `makes`, NULL at the end, are files it writes,
 * which are removed first. Returns false with E0930-tool when it fails, and with ctx->interrupted and nothing
 * else when somebody interrupted it: these files are gone then, since they are not whole. */
bool compile_spawn(compile_context *ctx, const char *const *argv, const char *log, const char *const *makes);

#endif
