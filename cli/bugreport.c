/* onyx bugreport: a folder to send, with everything needed to repeat the last command of a folder. */
#include "cli/carry.h"
#include "cli/reduce.h"
#include "cli/usage.h"

#include <stdlib.h>
#include <unistd.h>

typedef struct {
    cli_session *s;
    carry files;
    const char *program; /* onyx */
} report;

static const char *in_folder(const report *r, const char *name) {
    return arena_printf(&r->s->mem, "%s/%s", r->files.folder, name);
}

/* ---- paths of this machine --------------------------------------------------------------------- */

static const char *replaced(const char *text, const char *what, const char *by, arena *mem) {
    text_out out;
    const size_t length = what ? strlen(what) : 0;
    if (length < 2)
        return text;
    text_begin(&out);
    while (*text) {
        const bool here = strncmp(text, what, length) == 0;
        if (here)
            fputs(by, out.stream);
        else
            fputc(*text, out.stream);
        text += here ? length : 1;
    }
    return text_end(&out, mem);
}

/* Writes a text without this user's folders. */
static bool write_clean(const report *r, const char *name, const char *text, const char *from) {
    arena *mem = &r->s->mem;
    text = replaced(text, r->files.folder, ".", mem);
    text = replaced(text, from, ".", mem);
    text = replaced(text, r->s->compile.home, "ONYX_HOME", mem);
    text = replaced(text, getenv("HOME"), "~", mem);
    return carry_write(&r->files, name, text, strlen(text));
}

/* ---- running ----------------------------------------------------------------------------------- */

/* Runs onyx in the report's folder; *log becomes its output. */
static bool run_here(report *r, text_vec words, case_end *end, const char **log) {
    size_t length = 0;
    const char *path = in_folder(r, "log");
    words.at[0] = r->program;
    if (!case_run(r->s, words, r->files.folder, path, end))
        return false;
    *log = file_read_if_there(path, &r->s->mem, &length);
    *log = *log ? *log : "";
    remove(path);
    return true;
}

static bool ask_doctor(report *r, const char *from) {
    text_vec words = {0};
    case_end end;
    const char *log, *const question[] = {"onyx", "doctor", "--json"};
    for (size_t i = 0; i < sizeof question / sizeof *question; i++)
        vec_push(&r->s->mem, &words, question[i]);
    return run_here(r, words, &end, &log) && write_clean(r, "doctor.json", log, from);
}

/* Runs the command where its files are, as the user did. */
static bool run_there(report *r, const cli_case *c, case_end *end) {
    const char *log, *out = in_folder(r, "run");
    progress_stage(r->s->progress.to, "running the command again", 0);
    const bool ok = run_here(r, case_words(r->s, c, "onyx", r->files.folder, out), end, &log);
    remove_folder(out);
    return ok;
}

/* The report is complete if the command ends there as in its original folder. */
static void compare_ends(report *r, const case_end *there, const case_end *here) {
    diagnostics *d = &r->s->diag;
    if (there->code == here->code && strcmp(there->what, here->what) == 0)
        return;
    diag_warning(d, (src_loc){0}, "E0958-incomplete",
                 "the command ends with %d%s%s in the report, and with %d%s%s where its files are",
                 here->code, *here->what ? " " : "", here->what, there->code, *there->what ? " " : "",
                 there->what);
    diag_hint(d, "say in the report what its folder lacks; output.txt is what the command prints there");
}

/* Runs the command in the report, and keeps its output: output.txt, and report.json after a complete run. */
static bool run_again(report *r, const cli_case *c, case_end *end) {
    cli_session *s = r->s;
    const char *log;
    size_t length = 0;
    text_vec words = case_words(s, c, "onyx", ".", "run");
    const char *line = cli_shell(&words, &s->mem);
    progress_stage(s->progress.to, "running the command in the report", 0);
    bool ok = write_clean(r, "command.txt", arena_printf(&s->mem, "%s\n", line), c->from) &&
              run_here(r, words, end, &log) && write_clean(r, "output.txt", log, c->from);
    const char *made = file_read_if_there(in_folder(r, "run/report.json"), &s->mem, &length);
    if (ok && made)
        ok = write_clean(r, "report.json", made, c->from);
    const char *record = file_read_if_there(
        in_folder(r, made ? "run/command.json" : "run/partial/command.json"), &s->mem, &length);
    if (ok && record) /* "." is the folder of the record */
        ok = write_clean(r, "command.json",
                         replaced(record, arena_printf(&s->mem, "\"%s\"", r->files.folder), "\".\"", &s->mem),
                         c->from);
    remove_folder(in_folder(r, "run"));
    return ok;
}

/* ---- the command -------------------------------------------------------------------------------- */

static bool summary(report *r, const case_end *end) {
    static const char *const inputs[] = {"files", "reduced", "none"};
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "format_version", 1);
    cJSON_AddNumberToObject(json, "exit", end->code);
    cJSON_AddStringToObject(json, "inputs", inputs[r->s->options.cases.inputs]);
    cJSON_AddItemToObject(json, "files", r->files.files);
    r->files.files = NULL;
    const bool ok = json_write(json, in_folder(r, "bugreport.json"), &r->s->diag);
    cJSON_Delete(json);
    return ok;
}

/* Makes the report of a case; the current folder is the report's. */
static bool collect_case(report *r, cli_case *c, case_end *end) {
    case_end there;
    if (!run_there(r, c, &there))
        return false;
    carry_files(&r->files, c);
    bool ok = !diag_failed(&r->s->diag) && run_again(r, c, end) && ask_doctor(r, c->from) && summary(r, end);
    if (ok)
        compare_ends(r, &there, end);
    cJSON_Delete(r->files.files);
    return ok;
}

static bool enter(report *r, const char *folder) {
    char here[4096];
    if (!make_folder(folder, &r->s->diag))
        return false;
    if (chdir(folder) != 0 || !getcwd(here, sizeof here))
        return diag_error(&r->s->diag, (src_loc){0}, "E0001-file", "cannot enter '%s'", folder);
    r->files.folder = arena_strdup(&r->s->mem, here);
    return true;
}

static bool collect(cli_session *s, const char *of, const char *folder) {
    report r = {.s = s, .files.s = s, .program = compile_program(&s->compile, "onyx")};
    cli_case c = {0};
    case_end end;
    const char *line;
    if (s->options.cases.inputs == OPTIONS_INPUTS_REDUCED) {
        const char *reduced = arena_printf(&s->mem, "%s/reduced", folder);
        if (!reduce_case(s, of, reduced, &line))
            return false;
        of = reduced;
    }
    if (!case_read(s, of, &c) || !enter(&r, folder))
        return false;
    const bool ok = collect_case(&r, &c, &end);
    remove_folder(in_folder(&r, "reduced"));
    if (s->options.cases.inputs == OPTIONS_INPUTS_NONE)
        carry_remove_operands(&r.files, &c);
    if (ok && !s->options.every.quiet) {
        cli_progress_end(s);
        printf("%s: the command ends with %d; look through output.txt before you send the folder\n", folder,
               end.code);
    }
    return ok;
}

int command_bugreport(int argc, char **argv) {
    cli_session s;
    cli_session_begin(&s);
    bool ok = cli_parse(&s, COMMAND_BUGREPORT, argc, argv) &&
              cli_want_arguments(&s, 1, option_commands[COMMAND_BUGREPORT].arguments);
    if (ok) {
        const char *folder = s.options.arguments.at[0], *out = s.options.compile.files.out;
        ok = collect(&s, folder, out ? out : arena_printf(&s.mem, "%s/bugreport", folder));
    }
    return cli_session_end(&s, ok);
}
