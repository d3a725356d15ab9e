/* One invocation: its memory, its diagnostics, its exit code; and starting other programs. */
#include "cli/cli.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

void cli_session_begin(cli_session *s) {
    *s = (cli_session){0};
    json_begin();
    names_init(&s->names, &s->mem);
    diag_init(&s->diag, &s->mem);
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
    cli_progress_end(s);
    if (s->json)
        diag_print_json(&s->diag, 0, stderr);
    else
        diag_print(&s->diag, 0, stderr, diag_colour(stderr));
    BUG_IF(!ok && code == EXIT_OK, "a stage failed without saying why");
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
    char self[4096];
    if (s->programs)
        return arena_printf(&s->mem, "%s/%s", s->programs, name);
    ssize_t length = readlink("/proc/self/exe", self, sizeof self);
    if (length < 0 || (size_t)length >= sizeof self)
        return arena_strdup(&s->mem, name);
    while (length > 0 && self[length - 1] != '/')
        length--;
    return arena_printf(&s->mem, "%.*s%s", (int)length, self, name);
}

const char *cli_home(cli_session *s) {
    const char *home = getenv("ONYX_HOME");
    if (home && *home)
        return home;
    const char *installed = cli_program(s, ONYX_HOME_INSTALLED);
    return access(installed, F_OK) == 0 ? installed : ONYX_HOME_DEFAULT;
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
    const char *file = is_path ? name : arena_printf(&s->mem, "%s/boards/%s.json", cli_home(s), name);
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

bool cli_spawn(const char *const *argv, const char *log, diagnostics *d) {
    int status = program_run(argv, log);
    if (status == 0)
        return true;
    if (status == -SIGINT)
        exit(EXIT_INTERRUPTED);
    diag_error(d, (src_loc){0}, "E0930-tool", "'%s' failed; its output is in '%s'", argv[0], log);
    diag_hint(d, "it ended with:\n%s", file_tail(log, 12, d->mem));
    return false;
}
