/* A command line: first finds its options, next takes their values. */
#include "frontend/language/language.h"
#include "kernel/environment.h"
#include "options/options_int.h"

#include <ctype.h>

/* ---- what is given ----------------------------------------------------------------------------- */

/* A command line on its way. */
typedef struct {
    option_command command;
    int argc;
    const char *const *argv;
    command_line *o;
    arena *mem;
    diagnostics *diag;
} parsing;

static bool is_help(const option_row *row) {
    return row == &option_rows[OPTION_HELP] || row == &option_rows[OPTION_USAGE] ||
           row == &option_rows[OPTION_VERSION] || row == &option_rows[OPTION_PASSES];
}

static bool reads(const parsing *p, const option_row *row) {
    return row->name && row->commands & 1u << p->command && !(p->o->every.embedded && is_help(row));
}

/* True if a row has this long name of `length` characters, or, where length is 0, this letter. */
static bool is_named(const option_row *row, const char *name, size_t length) {
    if (!length)
        return row->letter == (unsigned char)*name;
    return row->name && strlen(row->name) == length && strncmp(row->name, name, length) == 0;
}

/* NULL: the command has no option of this name. */
static const option_row *find(const parsing *p, const char *name, size_t length) {
    for (const option_row *row = option_rows; row < option_rows + OPTIONS; row++) {
        if (reads(p, row) && is_named(row, name, length))
            return row;
    }
    return !length && *name == 'h' && reads(p, &option_rows[OPTION_HELP]) ? &option_rows[OPTION_HELP] : NULL;
}

/* The commands with this option, as the begin of a sentence; NULL: none. */
static const char *readers(const parsing *p, const char *name, size_t length) {
    const char *text = NULL;
    uint32_t commands = 0;
    for (const option_row *row = option_rows; row < option_rows + OPTIONS; row++)
        commands |= is_named(row, name, length) ? row->commands : 0;
    for (int k = 0; k < COMMANDS; k++) {
        if (commands & 1u << k)
            text = arena_printf(p->mem, "%s%sonyx %s", text ? text : "", text ? ", " : "",
                                option_commands[k].name);
    }
    return text;
}

/* `name`, without the dashes: long, of `length` characters, or a letter (0). */
static void no_option(const parsing *p, const char *name, size_t length) {
    const char *nearest = NULL, *others = p->o->every.embedded ? NULL : readers(p, name, length);
    const char *dashes = length ? "--" : "-";
    int shown = length ? (int)length : 1;
    uint32_t distance = TEXT_TOO_FAR;
    if (others) {
        diag_error(p->diag, (src_loc){0}, "E0902-option", "onyx %s does not read '%s%.*s'",
                   option_commands[p->command].name, dashes, shown, name);
        diag_hint(p->diag, "it is an option of %s", others);
        return;
    }
    diag_error(p->diag, (src_loc){0}, "E0902-option", "there is no option '%s%.*s'", dashes, shown, name);
    for (const option_row *row = option_rows; length && row < option_rows + OPTIONS; row++) {
        if (reads(p, row) && text_nearer(name, length, row->name, &distance))
            nearest = row->name;
    }
    if (nearest)
        diag_hint(p->diag, "there is --%s", nearest);
}

static bool is_common(const option_row *row) {
    return row->commands == option_rows[OPTION_HELP].commands;
}

/* Takes options common to every command at once, even after errors. */
static void give(parsing *p, const option_row *row, const char *value) {
    option_given given = {(option_key)(row - option_rows), value};
    if (value && row->letter && *value == '=')
        given.value++; /* taco writes -f=X:ss */
    p->o->given[given.key] = true;
    if (is_common(row) || is_help(row))
        row->take(&(option_values){p->o, p->mem, p->diag}, row, given.value);
    else
        vec_push(p->mem, &p->o->in_order, given);
}

/* The option at argv[i] takes a value: the next word, or NULL after an error. */
static const char *value_after(const parsing *p, const char *option, size_t length, int i) {
    if (i + 1 < p->argc)
        return p->argv[i + 1];
    diag_error(p->diag, (src_loc){0}, "E0903-option-value", "%.*s needs a value", (int)length, option);
    return NULL;
}

/* Reads a long option at argv[i]; returns the index of its last word. */
static int long_option(parsing *p, int i) {
    const char *text = p->argv[i], *name = text + 2, *value = strchr(name, '=');
    size_t length = value ? (size_t)(value - name) : strlen(name);
    const option_row *row = length ? find(p, name, length) : NULL;
    if (!row) {
        no_option(p, name, length);
        return i;
    }
    if (!row->value && value) {
        diag_error(p->diag, (src_loc){0}, "E0903-option-value", "--%s takes no value", row->name);
    } else if (!row->value || value) {
        give(p, row, value ? value + 1 : NULL);
    } else if ((value = value_after(p, text, length + 2, i)) != NULL) {
        give(p, row, value);
        i++;
    }
    return i;
}

/* Words typed by users of taco, with their equivalents here. A word ending in '-' stands for all words with
 * this begin. Words without influence on the result are accepted with an expression: a taco command line with
 * such words is valid here. */
static const struct {
    const char *word, *here;
    bool taken;
} taco_words[] = {
    {"print-", "onyx sam EXPRESSION prints the graph, --dump STAGE what is between the passes", false},
    {"nthreads", "one processor computes; --unroll N puts copies of the kernel on the array", false},
    {"prefix", "the C of -write-source has no names of taco", true},
    {"time", "the summary and report.json have the cycles, and the seconds of every stage", true},
    {"write-",
     "onyx run writes the C by -write-source=FILE; the folder of -o DIR has the graph, the netlist and the "
     "bitstream",
     true},
    {"read-source", "no C is read; onyx sam FILE.gv reads a graph", false},
    {"help", "--help lists the options", false},
    {"version", "--version prints the version", false}};

/* Refuses a word with a single dash and no letter known to the command. */
static void no_letters(const parsing *p, const char *word) {
    size_t length = strcspn(word, "=");
    if (length < 2) {
        no_option(p, word, 0);
        return;
    }
    diag_error(p->diag, (src_loc){0}, "E0902-option", "there is no option '-%.*s'", (int)length, word);
    for (size_t i = 0; i < sizeof taco_words / sizeof *taco_words; i++) {
        if (strncmp(word, taco_words[i].word, strlen(taco_words[i].word)) == 0) {
            diag_hint(p->diag, "%s", taco_words[i].here);
            return;
        }
    }
    if (find(p, word, length))
        diag_hint(p->diag, "there is --%.*s", (int)length, word);
}

/* Reads letters at argv[i]; returns the index of the last letter's value. */
static int letters(parsing *p, int i) {
    for (const char *letter = p->argv[i] + 1; *letter; letter++) {
        const option_row *row = find(p, letter, 0);
        const char option[] = {'-', *letter, '\0'};
        if (!row && letter == p->argv[i] + 1)
            no_letters(p, letter);
        else if (!row)
            no_option(p, letter, 0);
        if (!row)
            return i;
        if (row->value) {
            const char *value = letter[1] ? letter + 1 : value_after(p, option, 2, i);
            if (value)
                give(p, row, value);
            return value && !letter[1] ? i + 1 : i;
        }
        give(p, row, NULL);
    }
    return i;
}

/* ---- taco's words ------------------------------------------------------------------------------ */

static bool takes_expression(option_command command) {
    return command == COMMAND_RUN || command == COMMAND_COMPILE || command == COMMAND_SAM ||
           command == COMMAND_SWEEP;
}

/* Takes "-write-source=FILE", the C that --compare-cpu measures. */
static bool take_source(const parsing *p, const char *text) {
    static const char word[] = "-write-source=";
    const bool is = p->command == COMMAND_RUN && strncmp(text, word, strlen(word)) == 0 && text[strlen(word)];
    if (is)
        p->o->compile.running.source = text + strlen(word);
    return is;
}

/* Explains a word of taco's; false unless accepted. */
static bool take_taco_word(const parsing *p, const char *text) {
    size_t length = strcspn(text, "=");
    if (take_source(p, text))
        return true;
    for (size_t i = 0; takes_expression(p->command) && i < sizeof taco_words / sizeof *taco_words; i++) {
        size_t known = strlen(taco_words[i].word);
        bool begins = *text == '-' && strncmp(text + 1, taco_words[i].word, known) == 0;
        bool all = taco_words[i].word[known - 1] == '-' ? length > known + 1 : length == known + 1;
        if (taco_words[i].taken && begins && all) {
            diag_note(p->diag, (src_loc){0}, "%.*s changes nothing: %s", (int)length, text,
                      taco_words[i].here);
            return true;
        }
    }
    return false;
}

/* Finds all options and arguments; words after "--" are arguments. */
static bool find_all(parsing *p) {
    bool options_end = false;
    for (int i = 1; i < p->argc; i++) {
        const char *text = p->argv[i];
        if (options_end || text[0] != '-' || !text[1]) {
            vec_push(p->mem, &p->o->arguments, text);
            continue;
        }
        options_end = strcmp(text, "--") == 0;
        bool said = options_end || take_taco_word(p, text);
        int last = said ? i : text[1] == '-' ? long_option(p, i) : letters(p, i);
        vec_push(p->mem, &p->o->words, text);
        while (i < last)
            vec_push(p->mem, &p->o->words, p->argv[++i]);
    }
    for (uint32_t i = 0; i < p->o->arguments.len; i++)
        vec_push(p->mem, &p->o->words, p->o->arguments.at[i]);
    return !diag_failed(p->diag);
}

/* ---- what it means ----------------------------------------------------------------------------- */

/* Options of onyx run unread by its engine, or mutually exclusive. */
static void check_engine(const command_line *all, arena *mem, diagnostics *d) {
    const compile_options *o = &all->compile;
    bool sam = o->target.engine == ENGINE_SAM;
    for (const option_row *row = option_rows; row < option_rows + OPTIONS; row++) {
        if (!all->given[row - option_rows] || !row->engines || row->engines & 1u << o->target.engine)
            continue;
        diag_error(d, (src_loc){0}, "E0906-engine-option", "--%s is an option of engine %s", row->name,
                   options_join(option_rows[OPTION_ENGINE].words, row->engines >> ENGINE_SAM, mem));
        diag_hint(d, "onyx run --engine %s", row->engines & 1u << ENGINE_SAM ? "sam" : "cycle");
    }
    if (sam && o->copies.unroll != 1) {
        diag_error(d, (src_loc){0}, "E0906-engine-option", "--unroll makes copies on the array");
        diag_hint(d, "the schedule's unroll(i,n) makes copies in the graph: docs/schedule.md");
    }
    const bool published = o->sam.timing == SAM_TIMING_PUBLISHED;
    if (o->sam.memory && (o->sam.stats || o->sam.trace || published)) {
        diag_error(d, (src_loc){0}, "E0906-engine-option", "--memory-model with --%s",
                   published      ? "timing sam"
                   : o->sam.stats ? "stats"
                                  : "trace");
        diag_hint(
            d, published
                   ? "the published simulator has whole operands, and refuses some sub-tiles without entries"
                   : "a graph runs for every pair of sub-tiles: without --memory-model a single one does");
    }
    for (uint32_t i = COMPILE_DUMP_sam + 1; sam && i < COMPILE_DUMPS; i++) {
        if (o->files.dump.of[i])
            diag_error(d, (src_loc){0}, "E0906-engine-option",
                       "--dump %s: engine sam runs the graph as it is", compile_dump_names[i]);
    }
    const bool covers = o->target.engine == ENGINE_RTL && o->target.rtl == COMPILE_RTL_COVERAGE;
    if (o->running.jobs > 1 && (o->running.io_trace || o->running.wave || covers)) {
        diag_error(d, (src_loc){0}, "E0906-engine-option", "--jobs %u with --%s", o->running.jobs,
                   o->running.wave       ? "wave"
                   : o->running.io_trace ? "io-trace"
                                         : "rtl coverage");
        diag_hint(d, "one process writes it: leave --jobs out");
    }
    if (o->running.shards && (o->running.io_trace || o->running.wave || o->running.compare_cpu ||
                              o->running.jobs > 1 || o->tensors.outputs.len)) {
        diag_error(d, (src_loc){0}, "E0906-engine-option", "--shard with %s",
                   o->running.wave          ? "--wave"
                   : o->running.io_trace    ? "--io-trace"
                   : o->running.compare_cpu ? "--compare-cpu"
                   : o->running.jobs > 1    ? "--jobs"
                                            : "-o T:FILE");
        diag_hint(d, "a shard has no result of its own, and makes its runs in one process");
    }
    bool apart =
        o->copies.unroll != 1 && o->copies.dispatch == TILE_DISPATCH_DYNAMIC && !o->copies.dispatch_auto;
    if (apart &&
        (o->target.engine == ENGINE_RTL || (o->running.io_trace && o->target.engine != ENGINE_SOC))) {
        diag_error(d, (src_loc){0}, "E0906-engine-option",
                   "--dispatch dynamic is for engines cycle and soc, without --io-trace");
        diag_hint(d, "a job file starts all copies together");
    }
}

/* End of an example of each command with an expression. */
static const char *const examples[COMMANDS] = {[COMMAND_RUN] = " --engine cycle -o out",
                                               [COMMAND_COMPILE] = " -o out",
                                               [COMMAND_SAM] = "",
                                               [COMMAND_SWEEP] = " --tile 8,16"};

/* Reads a file of concrete index notation; the commands of its loops come before those of the command line.
 */
static bool take_loops(const char *path, command_line *o, arena *mem, diagnostics *d) {
    size_t length;
    option_given loops = {.key = OPTION_SCHEDULE};
    text_vec all = {0};
    const char *text = text_read(path, mem, &length, d);
    if (!text || !fe_cin_expression(path, text, mem, d, &o->compile.written.expression, &loops.value))
        return false;
    if (!*loops.value) /* the statement has no loops */
        return true;
    vec_push(mem, &all, loops.value);
    for (uint32_t i = 0; i < o->compile.written.schedule.len; i++)
        vec_push(mem, &all, o->compile.written.schedule.at[i]);
    o->compile.written.schedule = all;
    vec_push(mem, &o->in_order, loops);
    o->given[OPTION_SCHEDULE] = true;
    return true;
}

/* Reads a file of MLIR; formats of its encodings come before those of the command line, which replace them.
 */
static bool take_module(const char *path, command_line *o, arena *mem, diagnostics *d) {
    size_t length;
    text_vec all = {0};
    const char *formats, *text = text_read(path, mem, &length, d);
    if (!text || !fe_mlir_expression(path, text, mem, d, &o->compile.written.expression, &formats))
        return false;
    for (size_t n; *formats; formats += n + (formats[n] == ' ')) {
        n = strcspn(formats, " ");
        const option_given one = {.key = OPTION_FORMAT, .value = arena_strndup(mem, formats, n)};
        bool replaced = false;
        for (uint32_t i = 0; i < o->compile.written.formats.len; i++) {
            const char *stated = o->compile.written.formats.at[i];
            replaced = replaced || strncmp(stated, one.value, strcspn(one.value, ":") + 1) == 0;
        }
        if (replaced)
            continue;
        vec_push(mem, &all, one.value);
        vec_push(mem, &o->in_order, one);
        o->given[OPTION_FORMAT] = true;
    }
    for (uint32_t i = 0; i < o->compile.written.formats.len; i++)
        vec_push(mem, &all, o->compile.written.formats.at[i]);
    o->compile.written.formats = all;
    return true;
}

/* Returns whether the text is an einsum string: of one operand, "ii", where t0 is given. */
static bool is_einsum(const char *text, const command_line *o) {
    bool given = false;
    for (uint32_t i = 0; i < o->compile.tensors.inputs.len; i++)
        given = given || strncmp(o->compile.tensors.inputs.at[i], "t0:", 3) == 0;
    for (uint32_t i = 0; i < o->compile.tensors.generators.len; i++)
        given = given || strncmp(o->compile.tensors.generators.at[i], "t0:", 3) == 0;
    for (size_t n = 0; given && text[n]; n++)
        given = isalpha((unsigned char)text[n]) != 0;
    return given || fe_is_einsum(text);
}

/* Takes an expression, an einsum string, or a file. */
static bool take_notation(const char *text, command_line *o, arena *mem, diagnostics *d) {
    if (text_ends_with(text, ".cin"))
        return take_loops(text, o, mem, d);
    if (text_ends_with(text, ".mlir"))
        return take_module(text, o, mem, d);
    o->compile.written.expression = is_einsum(text, o) ? fe_einsum(text, mem, d) : text;
    return o->compile.written.expression != NULL;
}

/* The only argument is the expression. */
static bool take_expression(option_command command, command_line *o, arena *mem, diagnostics *d) {
    for (uint32_t i = 1; i < o->arguments.len; i++) {
        diag_error(d, (src_loc){0}, "E0904-argument", "unexpected argument '%s'", o->arguments.at[i]);
        diag_hint(d, "an expression is one argument: put it in quotes");
    }
    if (diag_failed(d))
        return false;
    if (o->arguments.len) {
        if (!take_notation(o->arguments.at[0], o, mem, d))
            return false;
    } else if (!o->given[OPTION_KERNELS]) {
        diag_error(d, (src_loc){0}, "E0904-argument", "an expression is missing");
        diag_hint(d, "for example: onyx %s \"y(i) = B(i,j) * c(j)\" -g B:40x40:0.1 -g c:40%s",
                  option_commands[command].name, examples[command]);
    }
    if (o->compile.copies.streams > SAM_SHARING_LEVELS &&
        strcmp(o->compile.target.profile, PNR_PROFILE) == 0) {
        diag_error(d, (src_loc){0}, "E0906-engine-option", "--streams %s with profile %s",
                   sam_sharing_table[o->compile.copies.streams].word, PNR_PROFILE);
        diag_hint(d, "the fabricated chip's scanners take all that a load stream brings: --profile onyx-ext");
    }
    if (o->compile.mapping.skip == COMPILE_SKIP_ON && strcmp(o->compile.target.profile, PNR_PROFILE) == 0) {
        diag_error(d, (src_loc){0}, "E0906-engine-option", "--skip on with profile %s", PNR_PROFILE);
        diag_hint(d, "the fabricated chip's scanners give all that they hold: --profile onyx-ext");
    }
    if (o->given[OPTION_TRACE_EDGE] && !o->compile.sam.trace)
        diag_error(d, (src_loc){0}, "E0906-engine-option", "--trace-edge without --trace FILE");
    if (command == COMMAND_RUN)
        check_engine(o, mem, d);
    return !diag_failed(d);
}

command_line options_default(option_command command) {
    command_line o = {.compile = {.target.board = "onyx",
                                  .target.profile = PNR_PROFILE,
                                  .target.engine = command == COMMAND_SWEEP ? ENGINE_CYCLE : ENGINE_SOC,
                                  .seed = 1,
                                  .running.executes = command == COMMAND_RUN,
                                  .running.check = true,
                                  .mapping.pipeline = true,
                                  .mapping.balance = true,
                                  .copies.unroll = 1,
                                  .optimize = 1,
                                  .copies.buffers = 1,
                                  .copies.dispatch = TILE_DISPATCH_LOAD,
                                  .copies.dispatch_auto = true},
                      .pnr = pnr_options_default(),
                      .host = host_options_default(),
                      .cases = {.time_limit = 60},
                      .sweep = {.db = "sweep.db", .best = 1, .array_most = 1000}};
    o.pnr.timing = PNR_TIMING_OF_RUN;
    o.pnr.pipeline = (pnr_pipelining)PNR_PIPELINE_OF_RUN;
    return o;
}

/* The schedules of a program file belong to its statements, "NAME: COMMANDS", and are read with the
 * statements. */
static bool take_environment(command_line *o, arena *mem, diagnostics *d) {
    bool good = true;
    for (uint32_t i = 0; i < o->compile.written.schedule.len && good; i++) {
        const char *text = o->compile.written.schedule.at[i];
        if (text[strcspn(text, ":(")] != ':')
            good = compile_take_environment(text, mem, d, &o->compile);
    }
    return good;
}

bool options_parse(option_command command, int argc, const char *const *argv, arena *mem, diagnostics *d,
                   command_line *o) {
    parsing p = {command, argc, argv, o, mem, d};
    if (!find_all(&p))
        return false;
    if (o->every.help)
        return true;
    for (uint32_t i = 0; i < o->in_order.len; i++) {
        const option_row *row = &option_rows[o->in_order.at[i].key];
        row->take(&(option_values){o, mem, d}, row, o->in_order.at[i].value);
    }
    o->compile.copies.unroll_open = !o->given[OPTION_UNROLL];
    o->compile.said.dtype = o->dtype_from != NULL;
    o->compile.said.profile = o->given[OPTION_PROFILE];
    o->compile.said.board = o->given[OPTION_BOARD];
    o->compile.said.functions = o->given[OPTION_FUNCTIONS];
    if (!o->dtype_from && (command == COMMAND_RUN || command == COMMAND_COMPILE))
        o->compile.tensors.typing = COMPILE_TYPE_AUTO;
    if (takes_expression(command) && !take_environment(o, mem, d))
        return false;
    return takes_expression(command) ? take_expression(command, o, mem, d) : !diag_failed(d);
}

bool options_want_folder(const command_line *o, diagnostics *d) {
    if (!o->compile.files.out)
        diag_error(d, (src_loc){0}, "E0905-folder", "-o DIR is missing: where should the results go?");
    return o->compile.files.out != NULL;
}
