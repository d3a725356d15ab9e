/* Random cases on the array: array_cases [RIGHT [SEED [factors|shared|skipping]]]; factors: cases of
 * case_random_factors; shared: with streams of all levels of an operand and of the whole result, skipping:
 * with scanners that skip coordinates absent from the other side, both on onyx-ext, each on rtl and soc. The
 * command compiles each case to a bitstream, which engine cycle decodes and runs; its result file is compared
 * with the definition of tests/notation, and every eighth case runs once more on the RTL. Cases are made
 * until RIGHT cases are right. The remaining cases are refused with a code, and counted by code. A wrong case
 * is printed in full and reduced, as a command.
 *
 * A process a case: placement takes most of a case's time, and a fault of the command is another reducible
 * finding. */
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/quota.h"
#include "tests/random/cases.h"

enum { MAX_FAILURES = 20, MAX_OPTIONS = 7, RTL_EVERY = 8, MOST_SECONDS = 60, SOC_CYCLES = 200000 };

typedef enum { RIGHT, REFUSED, WRONG } verdict;

typedef struct {
    verdict verdict;
    const char *code, *reason; /* REFUSED; WRONG */
} outcome;

/* How the command runs a case. */
typedef struct {
    const char *folder, *option[MAX_OPTIONS];
    uint32_t n_options;
    bool rtl;             /* on the RTL, too */
    const char *extended; /* options of profile onyx-ext, and on soc, too */
} setting;

typedef struct {
    case_counts refused, hazards;
    const char *folder; /* of the current case; with $EACH a folder for each below it */
    quota shares;
    uint32_t right, wrong, hazardous, on_rtl;
    bool factors;         /* cases of case_random_factors */
    const char *extended; /* options of profile onyx-ext; every case on rtl and soc, too. NULL: other cases */
} tally;

/* ---- how a case is run ----------------------------------------------------------------------- */

static void add_option(setting *s, arena *mem, const char *option, uint32_t value) {
    BUG_IF(s->n_options == MAX_OPTIONS, "too many options");
    s->option[s->n_options++] = value == UINT32_MAX ? option : arena_printf(mem, "%s %u", option, value);
}

static void choose_options(setting *s, uint64_t seed, arena *mem) {
    prng random = prng_seed(seed ^ 0x6f7074696f6e73);
    uint32_t copies = prng_below(&random, 20);
    if (prng_below(&random, 2))
        add_option(s, mem, "--tile", 1 + prng_below(&random, 5));
    if (copies < 3)
        add_option(s, mem, "--unroll", 2 + copies);
    else if (copies == 3)
        add_option(s, mem, "--unroll auto", UINT32_MAX);
    if (prng_below(&random, 8) == 0)
        add_option(s, mem, "--no-pipeline", UINT32_MAX);
    else if (prng_below(&random, 4) == 0)
        add_option(s, mem, "--no-balance", UINT32_MAX);
    add_option(s, mem, "--seed", prng_below(&random, 100));
    const bool extended = prng_below(&random, 3) == 0;
    if (extended || s->extended)
        add_option(s, mem, s->extended ? s->extended : "--profile onyx-ext", UINT32_MAX);
    if (prng_below(&random, 2))
        add_option(s, mem, "-O0", UINT32_MAX); /* the search's result is a case as well */
}

/* The code of the first error in onyx's output, or NULL. */
static const char *command_code(const char *printed, arena *mem) {
    static const char *const word[] = {"error: ", "does not fit: ", "wrong result: "};
    const char *first = NULL;
    for (size_t i = 0; i < sizeof word / sizeof *word; i++) {
        const char *found = strstr(printed, word[i]);
        first = found && (!first || found < first) ? found : first;
    }
    const char *code = first ? strstr(first, " [E") : NULL;
    return code ? arena_printf(mem, "%.*s", (int)strcspn(code + 2, "]"), code + 2) : NULL;
}

static char *command_on(const note *n, const setting *s, const char *engine, arena *mem) {
    char *text = case_command(n, "run", s->folder, mem);
    for (uint32_t i = 0; i < s->n_options; i++)
        text = arena_printf(mem, "%s %s", text, s->option[i]);
    return arena_printf(mem, "%s --dtype int16 --engine %s --hazards warn --effort 1 --quiet -o %s/out", text,
                        engine, s->folder);
}

static char *command_of(const note *n, const setting *s, arena *mem) {
    return command_on(n, s, "cycle --io-trace", mem);
}

/* Runs the command (words, some in quotation marks) for at most `seconds` of processor time, independent of
 * the machine's load. No shell stands between, which would take a tenth of the time.
 */
static int run_limited(char *command, rlim_t seconds, const char *log) {
    enum { MAX_WORDS = 128 };
    const char *argv[MAX_WORDS + 1] = {NULL};
    struct rlimit before, limit;
    struct rusage own;
    for (uint32_t n = 0; *command; n++) {
        BUG_IF(n == MAX_WORDS, "too many words");
        const char end = *command == '"' ? '"' : ' ';
        argv[n] = command += end == '"';
        command += strcspn(command, (const char[]){end, '\0'});
        if (*command)
            *command++ = '\0';
        command += strspn(command, " ");
    }
    getrusage(RUSAGE_SELF, &own); /* the limit also holds for this process until the child has the limit */
    getrlimit(RLIMIT_CPU, &before);
    limit = before;
    limit.rlim_cur = seconds + (rlim_t)(own.ru_utime.tv_sec + own.ru_stime.tv_sec + 1);
    setrlimit(RLIMIT_CPU, &limit);
    int end = program_run(argv, log);
    setrlimit(RLIMIT_CPU, &before);
    return end;
}

/* ---- outcomes ---------------------------------------------------------------------------------- */

/* A refusal is a limit of the hardware (exit code 2), or a mistake in the expression, its formats or its
 * sizes; E0130 is a statement that an earlier pass should have rewritten. */
static outcome judge_refusal(int code, const char *log, arena *mem) {
    const char *id = command_code(log, mem);
    bool users = id && (strncmp(id, "E01", 3) == 0 || strncmp(id, "E03", 3) == 0);
    if (id && (code == 2 || (code == 1 && users)) && strcmp(id, "E0130-statement") != 0)
        return (outcome){.verdict = REFUSED, .code = id};
    return (outcome){.verdict = WRONG, .reason = arena_printf(mem, "exit code %d: %s", code, log)};
}

/* The next line without a comment. */
static const char *next_line(const char **text) {
    const char *line = *text;
    while (*line == '%')
        line = strchr(line, '\n') + 1;
    if (!*line)
        return NULL;
    *text = line + strcspn(line, "\n");
    *text += **text == '\n';
    return line;
}

/* Reads the numbers of a line, `order` coordinates of at least two in a .mtx file and a value, into a cell.
 */
static bool read_entry(const note_tensor *x, const char *line, uint32_t *cell, long *value) {
    char *at = NULL;
    *cell = 0;
    for (uint32_t m = 0; m < x->order || (x->order < 2 && m < 2); m++, line = at) {
        long crd = strtol(line, &at, 10);
        if (at == line || crd < 1 || crd > (m < x->order ? (long)x->dim[m] : 1))
            return false;
        *cell = m < x->order ? *cell * x->dim[m] + (uint32_t)crd - 1 : *cell;
    }
    *value = strtol(line, &at, 10);
    return at != line;
}

/* NULL, or how the result's file differs from tensor 0 of the note. */
static const char *difference(const note *n, const char *folder, arena *mem, diagnostics *d) {
    const note_tensor *x = &n->tensor[0];
    size_t length;
    const char *line,
        *text = file_read(arena_printf(mem, "%s/out/X.%s", folder, x->order <= 2 ? "mtx" : "tns"), mem,
                          &length, d);
    bool *seen = arena_new_n(mem, bool, x->cells + 1);
    if (!text || (x->order <= 2 && !next_line(&text)))
        return "no result was written";
    while ((line = next_line(&text))) {
        uint32_t cell;
        long value;
        if (!read_entry(x, line, &cell, &value))
            return arena_printf(mem, "X has a line '%.*s'", (int)strcspn(line, "\n"), line);
        if (seen[cell] || value != x->value[cell])
            return arena_printf(mem, "cell %u of X is %ld, expected %d%s", cell, value, x->value[cell],
                                seen[cell] ? "; it is there twice" : "");
        seen[cell] = true;
    }
    for (uint32_t cell = 0; cell < x->cells; cell++)
        if (!seen[cell] && x->value[cell])
            return arena_printf(mem, "cell %u of X is not there, expected %d", cell, x->value[cell]);
    return NULL;
}

static const char *read_log(const char *path, arena *mem, diagnostics *d) {
    size_t length;
    const char *text = file_read(path, mem, &length, d);
    return text ? text : "";
}

/* Cycles of the run whose report is in the folder. */
static double cycles_of(const setting *s, arena *mem, diagnostics *d) {
    cJSON *report = json_read(arena_printf(mem, "%s/out/report.json", s->folder), d);
    const cJSON *cycles = cJSON_GetObjectItem(report, "cycles");
    const double total = cJSON_GetNumberValue(cJSON_GetObjectItem(cycles, "total"));
    cJSON_Delete(report);
    return total;
}

static outcome run(note *n, const setting *s, arena *mem) {
    diagnostics d;
    diag_init(&d, mem);
    const char *log = arena_printf(mem, "%s/log", s->folder);
    remove(log);
    note_evaluate(n);
    int code = run_limited(command_of(n, s, mem), MOST_SECONDS, log);
    if (code)
        return judge_refusal(code, read_log(log, mem, &d), mem);
    const char *fault = difference(n, s->folder, mem, &d);
    bool one = access(arena_printf(mem, "%s/out/bitstream.bs", s->folder), R_OK) == 0; /* kernel */
    if (!fault && s->rtl && one &&
        run_limited(arena_printf(mem, "cycle_replay %s/out", s->folder), 10 * MOST_SECONDS, log) != 0)
        fault = read_log(log, mem, &d);
    if (!fault && s->extended && cycles_of(s, mem, &d) < SOC_CYCLES)
        fault = run_limited(command_on(n, s, "soc", mem), 10 * MOST_SECONDS, log) != 0
                    ? read_log(log, mem, &d)
                    : difference(n, s->folder, mem, &d);
    return fault ? (outcome){.verdict = WRONG, .reason = fault} : (outcome){.verdict = RIGHT};
}

/* Each kind of errata data counts once a case. */
static void count_hazards(const note *n, const setting *s, tally *t, arena *mem) {
    diagnostics d;
    diag_init(&d, mem);
    cJSON *report = json_read(arena_printf(mem, "%s/out/report.json", s->folder), &d);
    const cJSON *list = cJSON_GetObjectItem(report, "hazards"), *h;
    t->hazardous += cJSON_GetArraySize(list) > 0;
    cJSON_ArrayForEach(h, list) {
        const char *kind = cJSON_GetStringValue(cJSON_GetObjectItem(h, "hazard"));
        const cJSON *before = list->child;
        while (before != h && strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(before, "hazard")), kind) != 0)
            before = before->next;
        if (before == h)
            case_count(&t->hazards, kind, n);
    }
    cJSON_Delete(report);
}

/* ---- wrong cases ----------------------------------------------------------------------------- */

static bool still_wrong(note *n, void *context) {
    arena mem = {0};
    bool wrong = run(n, context, &mem).verdict == WRONG;
    arena_free(&mem);
    return wrong;
}

static void drop_options(note *n, setting *s) {
    for (uint32_t i = s->n_options; i-- > 0;) {
        setting fewer = *s;
        memmove(fewer.option + i, fewer.option + i + 1, sizeof *fewer.option * (--fewer.n_options - i));
        if (still_wrong(n, &fewer))
            *s = fewer;
    }
}

static void report(uint64_t seed, const char *reason, note *n, setting *s) {
    arena mem = {0};
    diagnostics d;
    diag_init(&d, &mem);
    printf("WRONG seed 0x%llx: %s\n  %s\n", (unsigned long long)seed, reason, command_of(n, s, &mem));
    s->folder = arena_printf(&mem, "array_%016llx", (unsigned long long)seed);
    make_folder(s->folder, &d);
    drop_options(n, s);
    case_shrink(n, still_wrong, s);
    printf("  smallest%s: %s\n  %s\n", s->rtl ? " (maybe on the RTL only: cycle_replay)" : "",
           run(n, s, &mem).reason, command_of(n, s, &mem));
    fflush(stdout);
    arena_free(&mem);
}

static void run_case(uint64_t seed, note *n, tally *t) {
    arena mem = {0};
    setting s = {
        .folder = t->folder, .rtl = t->extended || t->right % RTL_EVERY == 0, .extended = t->extended};
    if (getenv("EACH")) {
        diagnostics d;
        diag_init(&d, &mem);
        s.folder = arena_printf(&mem, "%s/%llu", t->folder, (unsigned long long)(seed & UINT32_MAX));
        make_folder(s.folder, &d);
    }
    (t->factors ? case_random_factors : case_random_array)(seed, n);
    choose_options(&s, seed, &mem);
    outcome out = run(n, &s, &mem);
    quota_add(&t->shares, out.verdict == RIGHT, case_is_trivial(n));
    switch (out.verdict) {
    case RIGHT:
        t->right++;
        t->on_rtl += s.rtl;
        count_hazards(n, &s, t, &mem);
        break;
    case REFUSED:
        case_count(&t->refused, out.code, n);
        break;
    case WRONG:
        t->wrong++;
        report(seed, out.reason, n, &s);
        break;
    }
    arena_free(&mem);
}

static const char *extended_by(const char *word) {
    return strcmp(word, "shared") == 0     ? "--profile onyx-ext --streams all"
           : strcmp(word, "skipping") == 0 ? "--profile onyx-ext --skip on"
                                           : NULL;
}

int main(int argc, char **argv) {
    uint32_t wanted = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 0) : 50;
    uint64_t base = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    arena mem = {0};
    tally t = {.factors = argc > 3 && strcmp(argv[3], "factors") == 0,
               .extended = argc > 3 ? extended_by(argv[3]) : NULL};
    t.folder = getenv("EACH") ? getenv("EACH")
                              : arena_printf(&mem, "array_cases_%u_%llx%s", wanted, (unsigned long long)base,
                                             argc > 3 ? argv[3] : "");
    diagnostics d;
    diag_init(&d, &mem);
    note *n = malloc(sizeof *n);
    const char *path = arena_printf(&mem, "%s:%s/tests:%s", ONYX_BINARY_DIR, ONYX_BINARY_DIR, getenv("PATH"));
    if (!n || setenv("PATH", path, 1) != 0 || !make_folder(t.folder, &d))
        return 1;
    double start = seconds_now();
    uint64_t i = 0, most = 4 * (uint64_t)wanted;
    for (; t.right < wanted && i < most && t.wrong < MAX_FAILURES; i++) /* a single case uses its own seed */
        run_case(wanted == 1 ? base : base << 32 | i, n, &t);
    printf("%llu cases in %.1f s: %u right, %u of them on the RTL too, %u refused (%.1f %%), %u wrong\n",
           (unsigned long long)i, seconds_now() - start, t.right, t.on_rtl, t.refused.total,
           100.0 * t.refused.total / (double)i, t.wrong);
    printf("rate right: %u of %llu\nrefused:\n", t.right, (unsigned long long)i);
    case_print_counts(&t.refused);
    printf("hazards, in %u of the right cases:\n", t.hazardous);
    case_print_counts(&t.hazards);
    arena_free(&mem);
    free(n);
    return quota_failed(&t.shares) || t.wrong != 0 || t.right < wanted;
}
