/* The context of a compilation, common to every pass: progress, other programs, and errors about values of
 * options. */
#include "kernel/context.h"
#include "kernel/commit.h"
#include "kernel/processor.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

/* Returns the folder of this program, with its slash, by the name that the kernel started it by; "" where
 * that name is no file of this folder. */
static const char *own_folder(arena *mem) {
    char *self = realpath((const char *)getauxval(AT_EXECFN), NULL);
    if (!self)
        return "";
    const char *folder = arena_strndup(mem, self, (size_t)(strrchr(self, '/') + 1 - self));
    free(self);
    return folder;
}

/* Data lie in $ONYX_HOME, or next to the installed program, or in the build's source tree. */
void compile_set_programs(compile_context *ctx, const char *folder) {
    const char *home = getenv("ONYX_HOME");
    ctx->programs = folder;
    if (!home || !*home) {
        home = compile_program(ctx, ONYX_HOME_INSTALLED);
        home = access(home, F_OK) == 0 ? home : ONYX_HOME_DEFAULT;
    }
    ctx->home = home;
}

void compile_begin(compile_context *ctx, arena *mem, name_table *names, diagnostics *d) {
    json_begin();
    *mem = (arena){0};
    names_init(names, mem);
    diag_init(d, mem);
    *ctx = (compile_context){.mem = mem,
                             .names = names,
                             .diag = d,
                             .shown = stdout,
                             .generators = arena_new(mem, compile_generators),
                             .cuts = tile_keep_cuts(mem),
                             .calls = arena_new(mem, compile_calls)};
    ctx->generators->mem = ctx->calls->mem = mem;
    compile_set_programs(ctx, own_folder(mem));
}

int compile_exit_code(const compile_context *ctx) {
    const diagnostics *d = ctx->diag;
    return ctx->interrupted ? EXIT_INTERRUPTED
           : d->mismatches  ? EXIT_MISMATCH
           : d->errors      ? EXIT_USER
           : d->unmappable  ? EXIT_UNMAPPABLE
                            : EXIT_OK;
}

void compile_end(compile_context *ctx) {
    for (uint32_t i = 0; i < ctx->boards.len; i++)
        pnr_board_free(&ctx->boards.at[i]);
    if (ctx->partial)
        rmdir(ctx->partial); /* a nonempty folder stays */
    if (ctx->folder)
        close(ctx->folder - 1);
    arena_free(ctx->mem);
}

/* The process writing "NAME.PID.part"; 0: another kind of name. */
static pid_t writer_of(const char *name) {
    const char *end = strrchr(name, '.'), *digits = end;
    if (!end || strcmp(end, ".part") != 0)
        return 0;
    while (digits > name && isdigit((unsigned char)digits[-1]))
        digits--;
    return digits > name && digits < end && digits[-1] == '.' ? (pid_t)strtol(digits, NULL, 10) : 0;
}

/* The folder's owner removes them; files of a living process, such as onyx view, stay. */
static void sweep_temporaries(const char *path, arena *mem) {
    DIR *list = opendir(path);
    for (struct dirent *e = list ? readdir(list) : NULL; e; e = readdir(list)) {
        pid_t writer = writer_of(e->d_name);
        if (writer > 0 && kill(writer, 0) != 0 && errno == ESRCH)
            unlink(arena_printf(mem, "%s/%s", path, e->d_name));
    }
    if (list)
        closedir(list);
}

bool compile_take_folder(compile_context *ctx, const char *path) {
    int lock = -1;
    if (!make_folder(path, ctx->diag))
        return false;
    bool ok = ctx->folder || folder_take(path, ctx->diag, &lock);
    if (lock >= 0) {
        ctx->folder = lock + 1;
        sweep_temporaries(path, ctx->mem);
    }
    return ok && compile_folder_recover(ctx, path);
}

bool compile_read_board(compile_context *ctx, const char *name, pnr_board *board, const char **path) {
    bool is_path = strstr(name, ".json") != NULL;
    const char *file = is_path ? name : arena_printf(ctx->mem, "%s/boards/%s.json", ctx->home, name);
    if (path)
        *path = file;
    if (!pnr_board_read(file, ctx->mem, ctx->diag, board)) {
        if (access(file, F_OK) != 0)
            diag_hint(ctx->diag, "'onyx boards' lists the boards; a file of your own ends in .json");
        return false;
    }
    vec_push(ctx->mem, &ctx->boards, *board);
    return true;
}

const compile_engine_facts compile_engines[ENGINES] = {
    [ENGINE_NONE] = {0, true, false, "none"},
#define ENGINE(key, name, by_option, by_processor, from_job, host_word)                                      \
    [ENGINE_##key] = {host_word, by_processor, from_job, #name},
#include "kernel/engines.def"
#undef ENGINE
};

bool compile_bad_value(diagnostics *d, const char *option, const char *value, const char *want) {
    return diag_error(d, (src_loc){0}, "E0903-option-value", "%s '%s' must be %s", option, value, want);
}

void compile_stage(const compile_context *ctx, const char *what, uint64_t total) {
    if (ctx->progress)
        ctx->progress->stage(ctx->progress->to, what, total);
}

void compile_count(const compile_context *ctx, uint64_t done) {
    if (ctx->progress)
        ctx->progress->count(ctx->progress->to, done);
}

const char *compile_program(const compile_context *ctx, const char *name) {
    return arena_printf(ctx->mem, "%s%s", ctx->programs, name);
}

static void remove_all(const char *const *paths) {
    for (; *paths; paths++)
        remove(*paths);
}

bool compile_spawn(compile_context *ctx, const char *const *argv, const char *log, const char *const *makes) {
    remove(log);
    remove_all(makes);
    int status = program_run(argv, log);
    if (status == 0)
        return true;
    if (status == -SIGINT) {
        ctx->interrupted = true;
        remove_all(makes);
        return false;
    }
    size_t length = 0;
    const char *said = file_read_if_there(log, ctx->mem, &length);
    diag_error(ctx->diag, (src_loc){0}, "E0930-tool", "'%s' failed; its output is in '%s'", argv[0], log);
    return diag_hint(ctx->diag, "it ended with:\n%s", said ? text_tail(said, length, 12) : "");
}
