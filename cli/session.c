/* One invocation: its memory, its diagnostics, its folders, its exit code. */
#include "cli/cli.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static void show_stage(void *to, const char *what, uint64_t total) {
    cli_progress_stage(to, what, total);
}

static void show_count(void *to, uint64_t done) {
    cli_progress_count(to, done);
}

/* The folder of this program, with its slash; "" where /proc does not tell. */
static const char *own_folder(arena *mem) {
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self);
    if (length < 0 || (size_t)length >= sizeof self)
        return "";
    while (length > 0 && self[length - 1] != '/')
        length--;
    return arena_strndup(mem, self, (size_t)length);
}

/* Data lie in $ONYX_HOME, or beside the installed program, or in the tree it was built from. */
void cli_set_programs(cli_session *s, const char *folder) {
    const char *home = getenv("ONYX_HOME");
    s->compile.programs = folder;
    if (!home || !*home) {
        home = cli_program(s, ONYX_HOME_INSTALLED);
        home = access(home, F_OK) == 0 ? home : ONYX_HOME_DEFAULT;
    }
    s->compile.home = home;
}

void cli_session_begin(cli_session *s) {
    *s = (cli_session){0};
    json_begin();
    names_init(&s->names, &s->mem);
    diag_init(&s->diag, &s->mem);
    s->progress = (compile_progress){show_stage, show_count, s};
    s->compile = (compile_context){
        .mem = &s->mem, .names = &s->names, .diag = &s->diag, .progress = &s->progress, .shown = stdout};
    cli_set_programs(s, own_folder(&s->mem));
}

int cli_session_end(cli_session *s, bool ok) {
    int code = EXIT_OK;
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout))
        diag_error(&s->diag, (src_loc){0}, "E0004-write", "cannot write standard output: %s",
                   strerror(errno ? errno : EIO));
    if (s->diag.mismatches)
        code = EXIT_MISMATCH;
    else if (s->diag.errors)
        code = EXIT_USER;
    else if (s->diag.unmappable)
        code = EXIT_UNMAPPABLE;
    if (s->compile.interrupted) {
        code = EXIT_INTERRUPTED;
        s->diag.list.len = 0; /* what was said so far is not why it ends */
    }
    cli_progress_end(s);
    if (s->options.json_diagnostics)
        diag_print_json(&s->diag, 0, stderr);
    else
        diag_print(&s->diag, 0, stderr, diag_colour(stderr));
    BUG_IF(!ok && code == EXIT_OK && !s->options.help, "a stage failed without saying why");
    for (uint32_t i = 0; i < s->boards.len; i++)
        pnr_board_free(&s->boards.at[i]);
    if (s->folder)
        close(s->folder - 1);
    arena_free(&s->mem);
    return code;
}

bool cli_take_folder(cli_session *s, const char *path) {
    int lock = -1;
    if (!make_folder(path, &s->diag))
        return false;
    bool ok = s->folder || folder_take(path, &s->diag, &lock);
    if (lock >= 0)
        s->folder = lock + 1;
    return ok;
}

const char *cli_program(cli_session *s, const char *name) {
    return arena_printf(&s->mem, "%s%s", s->compile.programs, name);
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

text_vec cli_names_in(cli_session *s, const char *folder, const char *end) {
    text_vec names = {0};
    size_t n = strlen(end);
    DIR *dir = opendir(folder);
    for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
        size_t length = strlen(e->d_name);
        if (length > n && strcmp(e->d_name + length - n, end) == 0)
            vec_push(&s->mem, &names, arena_strndup(&s->mem, e->d_name, length - n));
    }
    if (dir)
        closedir(dir);
    if (names.len)
        qsort(names.at, names.len, sizeof *names.at, by_name);
    return names;
}

bool cli_read_board(cli_session *s, const char *name, pnr_board *board, const char **path) {
    bool is_path = strstr(name, ".json") != NULL;
    const char *file = is_path ? name : arena_printf(&s->mem, "%s/boards/%s.json", s->compile.home, name);
    if (path)
        *path = file;
    if (!pnr_board_read(file, &s->mem, &s->diag, board)) {
        if (access(file, F_OK) != 0)
            diag_hint(&s->diag, "'onyx boards' lists the boards; a file of your own ends in .json");
        return false;
    }
    vec_push(&s->mem, &s->boards, *board);
    return true;
}
