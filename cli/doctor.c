/* onyx doctor: installed tools, connected probes, and features that will not work, with reasons. */
#include "cli/doctor.h"
#include "cli/help.h"
#include "cli/usage.h"
#include "onyx_version.h" /* made by cmake/version.cmake */

#include <stdlib.h>
#include <unistd.h>

/* An optional program: arguments that print its version (words, divided by |), its use, and its Debian
 * package, NULL: part of onyx; and the missing part if the program is present but fails. */
static const struct {
    const char *name, *asked, *wanted_for, *package, *lacks;
} needs[] = {
    {"onyx-cosim", NULL, "run --engine soc, cosim, program --board onyx-cosim", NULL, NULL},
    {"onyx-array", NULL, "run --engine rtl", NULL, NULL},
    {"arm-none-eabi-gcc", "-dumpfullversion", "run --engine soc, cosim, firmware, program",
     "gcc-arm-none-eabi", NULL},
    {"verilator", "--version", "run --engine rtl, of long runs and with --wave", "verilator", NULL},
    {"g++", "-dumpfullversion", "what Verilator makes", "g++", NULL},
    {"make", "--version", "what Verilator makes", "make", NULL},
    {"cc", "-dumpfullversion", "functions that files describe (.xf), --compare-cpu", "gcc", NULL},
    {"cc", "-x|c|-include|cblas.h|-lblas|-shared|-fPIC|-o|/dev/null|/dev/null", "the functions cblas_...",
     "libblas-dev", "a BLAS"},
    {"cc", "-x|c|-include|gsl/gsl_blas.h|-lgsl|-lgslcblas|-shared|-fPIC|-o|/dev/null|/dev/null",
     "the functions gsl_...", "libgsl-dev", "the GNU Scientific Library"},
    {"openocd", "--version", "program", "openocd", NULL},
    {"dot", "-V", "the graphs of view", "graphviz", NULL},
    {"sbatch", "--version", "sweep --slurm", "slurm-client", NULL},
    {"gtkwave", NULL, "looking at what --wave writes", "gtkwave", NULL},
    {"python3", "-c|import cffi, numpy, scipy; print(\"with cffi, numpy, scipy\")", "the Python module",
     "python3-cffi python3-scipy", "cffi, numpy or scipy"},
};
enum { NEEDS = sizeof needs / sizeof *needs, MOST_WORDS = 12 };

/* Result of a check. */
typedef struct {
    const char *path, *says; /* NULL: absent; "": without a version */
    bool works;
} finding;

/* Returns the file run by the shell for a name; NULL if none. */
static const char *on_path(const char *name, arena *mem) {
    const char *at = getenv("PATH");
    while (at && *at) {
        size_t length = strcspn(at, ":");
        const char *file = arena_printf(mem, "%.*s/%s", (int)length, at, name);
        if (length && access(file, X_OK) == 0)
            return file;
        at += length + (at[length] == ':');
    }
    return NULL;
}

/* Runs a program of the table; returns the first line of its output, "" for none. *code is its exit code. No
 * shell sees the name of a folder of PATH. */
static const char *answer_of(const char *file, const char *asked, int *code, arena *mem) {
    const char *temporary = getenv("TMPDIR");
    char *log = arena_printf(mem, "%s/onyx-doctor-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    const char *argv[MOST_WORDS + 2] = {file};
    uint32_t n = 1;
    for (const char *at = asked; at && n <= MOST_WORDS; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
        argv[n++] = arena_strndup(mem, at, strcspn(at, "|"));
    size_t length = 0;
    int made = mkstemp(log);
    if (made < 0)
        return "";
    close(made);
    *code = program_run(argv, log);
    const char *said = file_read_if_there(log, mem, &length);
    remove(log);
    return said ? arena_strndup(mem, said, strcspn(said, "\n")) : "";
}

static finding look(const cli_session *s, int i, arena *mem) {
    finding f = {needs[i].package ? on_path(needs[i].name, mem) : NULL, NULL, true};
    int code = 0;
    if (!needs[i].package) {
        const char *file = compile_program(&s->compile, needs[i].name);
        f.path = access(file, X_OK) == 0 ? file : NULL;
    }
    if (!f.path)
        return (finding){0};
    f.says = needs[i].asked ? answer_of(f.path, needs[i].asked, &code, mem) : "";
    f.works = code == 0;
    return f;
}

/* Returns the reason of a missing feature, and the remedy. */
static const char *reason(int i, const finding *f, arena *mem) {
    if (!needs[i].package)
        return arena_printf(mem, "it was not built: cmake --build build --target %s", needs[i].name);
    if (f->path && !needs[i].lacks)
        return arena_printf(mem, "%s says: %s", f->path, f->says);
    return arena_printf(
        mem, "%s: apt install %s",
        f->path ? arena_printf(mem, "%s lacks %s, which Debian's has with", f->path, needs[i].lacks)
                : "it is not on the path",
        needs[i].package);
}

static bool report_home(cli_session *s, cJSON *json) {
    const char *docs = help_docs_folder(s);
    const char *boards = arena_printf(&s->mem, "%s/boards/%s.json", s->compile.home, "onyx");
    bool has_boards = access(boards, R_OK) == 0, has_docs = access(docs, R_OK) == 0;
    cJSON_AddStringToObject(json, "version", ONYX_VERSION " (" ONYX_REVISION ")");
    cJSON_AddStringToObject(json, "home", s->compile.home);
    cJSON_AddStringToObject(json, "docs", has_docs ? docs : "");
    if (!has_boards) {
        diag_error(&s->diag, (src_loc){0}, "E0001-file", "there are no boards in '%s'", s->compile.home);
        diag_hint(&s->diag, "ONYX_HOME says where boards/, rtl_models/ and firmware/ are");
    }
    return has_boards;
}

static void report_programs(cli_session *s, cJSON *json) {
    cJSON *list = cJSON_AddArrayToObject(json, "programs");
    for (int i = 0; i < NEEDS; i++) {
        const finding f = look(s, i, &s->mem);
        cJSON *one = json_add_item(list);
        cJSON_AddStringToObject(one, "name", needs[i].name);
        cJSON_AddStringToObject(one, "wanted_for", needs[i].wanted_for);
        cJSON_AddBoolToObject(one, "works", f.path && f.works);
        if (f.path)
            cJSON_AddStringToObject(one, "path", f.path);
        if (f.path && f.works)
            cJSON_AddStringToObject(one, "version", f.says);
        else
            cJSON_AddStringToObject(one, "why", reason(i, &f, &s->mem));
    }
}

static void report_probes(cli_session *s, cJSON *json) {
    cJSON *list = cJSON_AddArrayToObject(json, "probes");
    const doctor_probes probes = doctor_find_probes("/sys/bus/usb/devices", "/dev", &s->mem);
    for (uint32_t i = 0; i < probes.len; i++) {
        cJSON *one = json_add_item(list);
        cJSON_AddStringToObject(one, "name", probes.at[i].name);
        cJSON_AddStringToObject(one, "device", probes.at[i].where);
        cJSON_AddBoolToObject(one, "open", probes.at[i].open);
    }
}

static const char *member(const cJSON *json, const char *name) {
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, name));
    return text ? text : "";
}

static bool says_true(const cJSON *json, const char *name) {
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, name));
}

static void print_summary(const cJSON *json) {
    const cJSON *one, *probes = cJSON_GetObjectItemCaseSensitive(json, "probes");
    const cJSON *programs = cJSON_GetObjectItemCaseSensitive(json, "programs");
    const char *docs = member(json, "docs");
    printf("onyx %s\n  boards, RTL and firmware are in %s\n  documentation is %s%s\n",
           member(json, "version"), member(json, "home"), *docs ? "in " : "not installed", docs);
    puts("These always work: run --engine sam and cycle, compile, sam, sweep, tile, bits, bitgen, pnr, "
         "place, route, sta, reduce, bugreport, "
         "fabric, boards, view, help.\nThese want a program:");
    cJSON_ArrayForEach(one, programs) {
        bool works = says_true(one, "works");
        const char *says = works ? member(one, "version") : member(one, "why");
        printf("  %-3s %-18s for %s%s%s\n", works ? "yes" : "no", member(one, "name"),
               member(one, "wanted_for"), *says ? (works ? "; " : ": ") : "", says);
    }
    puts(cJSON_GetArraySize(probes)
             ? "Debug probes on USB:"
             : "There is no debug probe on USB: program reaches --board onyx-cosim only.");
    cJSON_ArrayForEach(one, probes)
        printf("  %s at %s%s\n", member(one, "name"), member(one, "device"),
               says_true(one, "open") ? "" : ": this user may not open it (udev rules of OpenOCD)");
}

int command_doctor(int argc, char **argv) {
    cli_session s;
    cli_session_begin(&s);
    bool ok = cli_parse(&s, COMMAND_DOCTOR, argc, argv) && cli_want_arguments(&s, 0, "none");
    if (ok) {
        cJSON *json = cJSON_CreateObject();
        ok = report_home(&s, json);
        report_programs(&s, json);
        report_probes(&s, json);
        if (s.options.every.json)
            cli_print_json(json);
        else if (!s.options.every.quiet)
            print_summary(json);
        cJSON_Delete(json);
    }
    return cli_session_end(&s, ok);
}
