/* onyx bugreport: a folder to send, with what is wanted to see again what the last command of a folder did.
 */
#include "cli/reduce.h"
#include "cli/usage.h"
#include "support/inputs.h"

#include <stdlib.h>
#include <unistd.h>

typedef struct {
    cli_session *s;
    const char *folder;  /* the report's, absolute */
    const char *program; /* onyx */
    cJSON *inputs;
} report;

static const char *in_folder(const report *r, const char *name) {
    return arena_printf(&r->s->mem, "%s/%s", r->folder, name);
}

/* ---- operands and other files ------------------------------------------------------------------ */

static const char *extension_of(const char *path) {
    const char *name = strrchr(path, '/'), *dot = strchr(name ? name : path, '.');
    return dot ? dot : "";
}

static bool write_bytes(const report *r, const char *name, const char *bytes, size_t length) {
    file_out f;
    if (!file_create(&f, in_folder(r, name), &r->s->mem, &r->s->diag))
        return false;
    fwrite(bytes, 1, length, f.stream);
    return file_commit(&f, &r->s->diag);
}

/* Lists a file that the command reads, and copies it. One that cannot be read is what the report may be
 * about. Returns the name that it has in the report. */
static const char *take_file(report *r, const char *path, const char *name) {
    cli_session *s = r->s;
    size_t length = 0;
    const char *bytes = file_read_if_there(path, &s->mem, &length);
    cJSON *one = json_add_item(r->inputs);
    cJSON_AddStringToObject(one, "file", name);
    if (!bytes)
        return name;
    inputs_note(&s->diag, path);
    cJSON_AddNumberToObject(one, "bytes", (double)length);
    cJSON_AddStringToObject(one, "xxh64",
                            arena_printf(&s->mem, "%016llx", (unsigned long long)hash_bytes(bytes, length)));
    write_bytes(r, name, bytes, length);
    return name;
}

/* Names every file that the command reads as the report has it: operands by their tensors. */
static void take_files(report *r, cli_case *c) {
    arena *mem = &r->s->mem;
    if (*c->expression == '/')
        c->expression = take_file(r, c->expression, "graph.gv");
    for (uint32_t i = 0; i < c->options.len; i++) {
        option_given *o = &c->options.at[i];
        const size_t tensor = o->value ? strcspn(o->value, ":") : 0;
        if (o->key == OPTION_INPUT && o->value[tensor]) {
            const char *path = o->value + tensor + 1;
            const char *name = arena_printf(mem, "%.*s%s", (int)tensor, o->value, extension_of(path));
            o->value = arena_printf(mem, "%.*s:%s", (int)tensor, o->value, take_file(r, path, name));
        } else if (o->key == OPTION_BOARD && *o->value == '/') {
            o->value = take_file(r, o->value, "board.json");
        }
    }
}

/* Takes operands out again, once the command has read them. */
static void leave_operands_out(const report *r, const cli_case *c) {
    for (uint32_t i = 0; i < c->options.len; i++) {
        const option_given *o = &c->options.at[i];
        if (o->key == OPTION_INPUT && strchr(o->value, ':'))
            remove(in_folder(r, strchr(o->value, ':') + 1));
    }
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

/* Writes a text without the folders that are this user's. */
static bool write_clean(const report *r, const char *name, const char *text, const char *from) {
    arena *mem = &r->s->mem;
    text = replaced(text, r->folder, ".", mem);
    text = replaced(text, from, ".", mem);
    text = replaced(text, r->s->compile.home, "ONYX_HOME", mem);
    text = replaced(text, getenv("HOME"), "~", mem);
    return write_bytes(r, name, text, strlen(text));
}

/* ---- running ----------------------------------------------------------------------------------- */

/* Runs onyx in the report's folder; *log becomes what it printed. */
static bool run_here(report *r, text_vec words, case_end *end, const char **log) {
    size_t length = 0;
    const char *path = in_folder(r, "log");
    words.at[0] = r->program;
    if (!case_run(r->s, words, r->folder, path, end))
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

/* Runs the command, and keeps what it says: output.txt, report.json where it came to its end. */
static bool run_again(report *r, const cli_case *c, case_end *end) {
    cli_session *s = r->s;
    const char *log;
    size_t length = 0;
    text_vec words = case_words(s, c, "onyx", ".", "run");
    const char *line = cli_shell(&words, &s->mem);
    cli_progress_stage(s, "running the command again", 0);
    bool ok = write_clean(r, "command.txt", arena_printf(&s->mem, "%s\n", line), c->from) &&
              run_here(r, words, end, &log) && write_clean(r, "output.txt", log, c->from);
    const char *made = file_read_if_there(in_folder(r, "run/report.json"), &s->mem, &length);
    if (ok && made)
        ok = write_clean(r, "report.json", made, c->from);
    const char *record = file_read_if_there(
        in_folder(r, made ? "run/command.json" : "run/partial/command.json"), &s->mem, &length);
    if (ok && record) /* "." is the folder of the record */
        ok = write_clean(r, "command.json",
                         replaced(record, arena_printf(&s->mem, "\"%s\"", r->folder), "\".\"", &s->mem),
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
    cJSON_AddItemToObject(json, "files", r->inputs);
    const bool ok = json_write(json, in_folder(r, "bugreport.json"), &r->s->diag);
    cJSON_Delete(json);
    return ok;
}

static bool collect(cli_session *s, const char *of, const char *folder) {
    report r = {.s = s, .program = compile_program(&s->compile, "onyx"), .inputs = cJSON_CreateArray()};
    cli_case c = {0};
    case_end end;
    char here[4096];
    const char *line;
    if (s->options.cases.inputs == OPTIONS_INPUTS_REDUCED) {
        const char *reduced = arena_printf(&s->mem, "%s/reduced", folder);
        if (!reduce_case(s, of, reduced, &line))
            return false;
        of = reduced;
    }
    if (!case_read(s, of, &c) || !make_folder(folder, &s->diag))
        return false;
    if (chdir(folder) != 0 || !getcwd(here, sizeof here)) {
        diag_error(&s->diag, (src_loc){0}, "E0001-file", "cannot enter '%s'", folder);
        return false;
    }
    r.folder = here;
    take_files(&r, &c);
    if (diag_failed(&s->diag))
        return false;
    const bool ok = run_again(&r, &c, &end) && ask_doctor(&r, c.from) && summary(&r, &end);
    remove_folder(in_folder(&r, "reduced"));
    if (s->options.cases.inputs == OPTIONS_INPUTS_NONE)
        leave_operands_out(&r, &c);
    if (ok && !s->options.quiet) {
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
        const char *folder = s.options.arguments.at[0], *out = s.options.compile.out;
        ok = collect(&s, folder, out ? out : arena_printf(&s.mem, "%s/bugreport", folder));
    }
    return cli_session_end(&s, ok);
}
