/* An invocation: its memory, its diagnostics, its exit code. */
#include "cli/cli.h"
#include "cli/log.h"
#include "cli/sarif.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

void cli_session_begin(cli_session *s) {
    *s = (cli_session){.progress = {progress_stage, progress_count, NULL}};
    compile_begin(&s->compile, &s->mem, &s->names, &s->diag);
    s->compile.progress = &s->progress;
}

/* Returns whether --no-warning names the code: "E0803-hazard" is named by "E0803", too. */
static bool is_unwanted(const cli_session *s, const char *code) {
    for (uint32_t i = 0; i < s->options.every.no_warning.len; i++) {
        const char *one = s->options.every.no_warning.at[i];
        const size_t length = strlen(one);
        if (strncmp(code, one, length) == 0 && (!code[length] || code[length] == '-'))
            return true;
    }
    return false;
}

/* Removes the warnings of --no-warning, with their notes; --werror turns the remaining warnings into
 * errors. */
static void judge_warnings(cli_session *s) {
    diagnostics *d = &s->diag;
    uint32_t kept = 0;
    bool unwanted = false; /* the latest diagnostic other than a note; notes belong to it */
    for (uint32_t i = 0; i < d->list.len; i++) {
        diagnostic g = d->list.at[i];
        const bool warning = g.kind == DIAG_WARNING;
        unwanted = g.kind == DIAG_NOTE ? unwanted : warning && is_unwanted(s, g.code);
        if (warning && s->options.every.werror && !unwanted) {
            g.kind = DIAG_ERROR;
            d->errors++;
        }
        if (!unwanted)
            d->list.at[kept++] = g;
    }
    d->list.len = kept;
}

void cli_progress_begin(cli_session *s) {
    const command_line *o = &s->options;
    const bool terminal = isatty(STDERR_FILENO);
    if (!s->progress.to && !o->every.diagnostics && (o->every.progress || (terminal && !o->every.quiet)))
        s->progress.to = progress_begin(&s->mem);
}

void cli_progress_end(cli_session *s) {
    progress_end(s->progress.to);
    s->progress.to = NULL;
}

int cli_session_end(cli_session *s, bool ok) {
    BUG_IF(ok && s->diag.errors, "a stage went on after an error");
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout) || !log_copy_out(s->log))
        diag_error(&s->diag, (src_loc){0}, "E0004-write", "cannot write standard output: %s",
                   strerror(errno ? errno : EIO));
    judge_warnings(s);
    int code = compile_exit_code(&s->compile);
    if (code == EXIT_INTERRUPTED)
        s->diag.list.len = 0; /* earlier messages are not the cause */
    cli_progress_end(s);
    if (s->options.every.diagnostics == OPTIONS_JSON)
        diag_print_json(&s->diag, 0, stderr);
    else if (s->options.every.diagnostics == OPTIONS_SARIF)
        sarif_print(&s->diag, code, &s->mem, stderr);
    else
        diag_print(&s->diag, 0, stderr, diag_colour(stderr));
    log_end(s->log, &s->diag, code);
    BUG_IF(!ok && code == EXIT_OK && !s->options.every.help, "a stage failed without saying why");
    compile_end(&s->compile);
    return code;
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

void cli_print_json(const cJSON *json) {
    char *text = json_print(json, true);
    puts(text);
    cJSON_free(text);
}
