/* The axes of a sweep: options of onyx run with several values. */
#include "cli/sweep.h"

#include <glob.h>
#include <unistd.h>

/* Reports onyx run's error about a value once instead of at every point, and refuses a duplicate. */
static void check_value(sweep_command *c, const sweep_axis *axis) {
    cli_session *s = c->session;
    command_line point = options_default(COMMAND_RUN);
    const uint32_t last = axis->values.len - 1;
    const sweep_value *value = &axis->values.at[last];
    text_vec words = {0};
    vec_push(&s->mem, &words, "run");
    for (uint32_t w = 0; w < value->words.len; w++)
        vec_push(&s->mem, &words, value->words.at[w]);
    if (*value->words.at[0] == '-')
        vec_push(&s->mem, &words, "x=y");
    options_parse(COMMAND_RUN, (int)words.len, words.at, &s->mem, &s->diag, &point);
    for (uint32_t v = 0; v < last; v++) {
        if (strcmp(axis->values.at[v].label, value->label) == 0)
            diag_error(&s->diag, (src_loc){0}, "E0914-twice", "--%s has %s twice", axis->name, value->label);
    }
}

static void add_axis(sweep_command *c, const sweep_axis *axis) {
    for (uint32_t a = 0; a < c->job.plan.axes.len; a++) {
        if (strcmp(c->job.plan.axes.at[a].name, axis->name) == 0)
            diag_error(&c->session->diag, (src_loc){0}, "E0914-twice", "a second --%s", axis->name);
    }
    vec_push(&c->session->mem, &c->job.plan.axes, *axis);
}

static void add_word(const sweep_command *c, sweep_value *value, const char *word) {
    vec_push(&c->session->mem, &value->words, word);
}

void sweep_add_value(sweep_command *c, sweep_axis *axis, const sweep_value *value) {
    vec_push(&c->session->mem, &axis->values, *value);
    check_value(c, axis);
}

void sweep_pass_on(sweep_command *c, option_key key, const char *value) {
    arena *mem = &c->session->mem;
    vec_push(mem, &c->job.plan.arguments, options_spelling(key, mem));
    if (value)
        vec_push(mem, &c->job.plan.arguments, value);
}

/* Returns the nonempty values of a list. E0903-option-value. */
static text_vec split(sweep_command *c, const char *name, const char *list, char separator) {
    arena *mem = &c->session->mem;
    text_vec values = {0};
    for (const char *at = list;; at++) {
        const size_t length = strcspn(at, (const char[]){separator, '\0'});
        if (!length)
            compile_bad_value(&c->session->diag, arena_printf(mem, "--%s", name), list,
                              arena_printf(mem, "values between '%c'", separator));
        vec_push(mem, &values, arena_strndup(mem, at, length));
        at += length;
        if (!*at)
            return values;
    }
}

void sweep_add_axis(sweep_command *c, option_key key, const char *list, const char *pattern) {
    arena *mem = &c->session->mem;
    const option_row *row = &option_rows[key];
    const char *separators = row->separators ? row->separators : ";";
    const char separator = separators[strchr(list, ':') && separators[1]];
    const option_key of = row->axis ? row->axis : OPTION_SCHEDULE;
    sweep_axis axis = {.name = row->name};
    const text_vec labels = split(c, axis.name, list, separator);
    axis.chosen = labels.len > 1 && (of == OPTION_TILE || of == OPTION_UNROLL || of == OPTION_DISPATCH ||
                                     of == OPTION_SCHEDULE);
    for (uint32_t v = 0; v < labels.len && !diag_failed(&c->session->diag); v++) {
        sweep_value value = {.label = labels.at[v]};
        add_word(c, &value, options_spelling(of, mem));
        add_word(c, &value, pattern ? arena_printf(mem, "%s(%s)", pattern, value.label) : value.label);
        sweep_add_value(c, &axis, &value);
    }
    add_axis(c, &axis);
}

/* ---- operands ------------------------------------------------------------------------------------ */

/* Returns the name of a file without its folder and its type endings. */
static const char *base_of(const char *path, arena *mem) {
    static const char *const ends[] = {".gz", ".mtx", ".tns", ".csv", ".npy", ".npz", ".onx", ".gv"};
    const char *slash = strrchr(path, '/');
    const char *base = arena_strdup(mem, slash ? slash + 1 : path);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        if (text_ends_with(base, ends[i]) && strlen(base) > strlen(ends[i]))
            base = arena_strndup(mem, base, strlen(base) - strlen(ends[i]));
    }
    return base;
}

static bool is_pattern(const char *text) {
    return strpbrk(text, "*?[") && access(text, F_OK) != 0;
}

/* Returns the files named by a list, patterns expanded. E0001-file for a pattern without a match. */
static text_vec files_named(sweep_command *c, const char *list) {
    arena *mem = &c->session->mem;
    text_vec files = {0}, values = {0};
    if (access(list, F_OK) == 0)
        vec_push(mem, &values, list);
    else
        values = split(c, "input", list, ',');
    for (uint32_t i = 0; i < values.len; i++) {
        glob_t found = {0};
        if (!is_pattern(values.at[i])) {
            vec_push(mem, &files, values.at[i]);
            continue;
        }
        if (glob(values.at[i], 0, NULL, &found) != 0)
            diag_error(&c->session->diag, (src_loc){0}, "E0001-file", "no file is named like '%s'",
                       values.at[i]);
        for (size_t f = 0; f < found.gl_pathc; f++)
            vec_push(mem, &files, arena_strdup(mem, found.gl_pathv[f]));
        globfree(&found);
    }
    return files;
}

/* Adds "-i B:FILE" for each of the operands "B,C". */
static void add_operands(const sweep_command *c, const char *names, const char *option, const char *what,
                         sweep_value *value) {
    arena *mem = &c->session->mem;
    for (const char *at = names; *at;) {
        const size_t length = strcspn(at, ",");
        add_word(c, value, option);
        add_word(c, value, arena_printf(mem, "%.*s:%s", (int)length, at, what));
        at += length + (at[length] == ',');
    }
}

/* Returns every combination of the choices between the colons: "9x9:0.1,0.2". */
static text_vec combinations(sweep_command *c, const char *how) {
    arena *mem = &c->session->mem;
    text_vec all = {0};
    vec_push(mem, &all, "");
    const text_vec fields = split(c, "generate", how, ':');
    for (uint32_t f = 0; f < fields.len; f++) {
        const text_vec choices = split(c, "generate", fields.at[f], ',');
        text_vec longer = {0};
        for (uint32_t i = 0; i < all.len * choices.len; i++)
            vec_push(mem, &longer,
                     arena_printf(mem, "%s%s%s", all.at[i / choices.len], f ? ":" : "",
                                  choices.at[i % choices.len]));
        all = longer;
    }
    return all;
}

/* Adds an axis of several values; a single value becomes an option of all points. */
static void add_axis_or_option(sweep_command *c, const sweep_axis *axis) {
    arena *mem = &c->session->mem;
    sweep_plan *plan = &c->job.plan;
    if (axis->values.len != 1) {
        add_axis(c, axis);
        return;
    }
    const sweep_value *only = &axis->values.at[0];
    for (uint32_t w = 0; w < only->words.len; w++)
        vec_push(mem, &plan->arguments, only->words.at[w]);
    for (uint32_t i = 0; i < only->inputs.len; i++)
        vec_push(mem, &plan->inputs, only->inputs.at[i]);
}

/* Takes "B:FILE,FILE", "B:PATTERN", "B,C:FILE" and "B:HOW,HOW". The names of files keep only their
 * differences. */
static void take_operand(sweep_command *c, option_key key, const char *given) {
    arena *mem = &c->session->mem;
    const bool files = key == OPTION_INPUT;
    const size_t name = strcspn(given, ":");
    if (!given[name]) { /* onyx run reports the missing field */
        sweep_pass_on(c, key, given);
        return;
    }
    sweep_axis axis = {.name = arena_strndup(mem, given, name)};
    const text_vec all = files ? files_named(c, given + name + 1) : combinations(c, given + name + 1);
    for (uint32_t v = 0; v < all.len && !diag_failed(&c->session->diag); v++) {
        sweep_value value = {.label = files ? base_of(all.at[v], mem) : all.at[v]};
        for (uint32_t o = 0; o < all.len && files; o++) {
            if (o != v && strcmp(base_of(all.at[o], mem), value.label) == 0)
                value.label = all.at[v];
        }
        add_operands(c, axis.name, options_spelling(key, mem), all.at[v], &value);
        if (files)
            vec_push(mem, &value.inputs, all.at[v]);
        sweep_add_value(c, &axis, &value);
    }
    add_axis_or_option(c, &axis);
}

/* ---- other options ------------------------------------------------------------------------------- */

/* Takes "C:ss:1,0;ds:1,0" and "n=1,2": a name, followed by values that are each prefixed by the name. */
static void take_named(sweep_command *c, option_key key, const char *given) {
    arena *mem = &c->session->mem;
    const char *kind = key == OPTION_FORMAT ? "format " : "";
    const char between = key == OPTION_SET ? '=' : ':', separator = key == OPTION_SET ? ',' : ';';
    const size_t name = strcspn(given, (const char[]){between, '\0'});
    if (!given[name]) {
        sweep_pass_on(c, key, given);
        return;
    }
    const char *front = arena_strndup(mem, given, name + 1);
    sweep_axis axis = {.name = arena_printf(mem, "%s%.*s", kind, (int)name, given)};
    const text_vec all = split(c, option_rows[key].name, given + name + 1, separator);
    axis.chosen = key == OPTION_FORMAT && all.len > 1;
    for (uint32_t v = 0; v < all.len && !diag_failed(&c->session->diag); v++) {
        const bool again = strncmp(all.at[v], front, name + 1) == 0;
        sweep_value value = {.label = all.at[v] + (again ? name + 1 : 0)};
        add_word(c, &value, options_spelling(key, mem));
        add_word(c, &value, arena_printf(mem, "%s%s", front, value.label));
        sweep_add_value(c, &axis, &value);
    }
    add_axis_or_option(c, &axis);
}

/* Takes a list of engines, profiles or data types. */
static void take_words(sweep_command *c, option_key key, const char *given) {
    arena *mem = &c->session->mem;
    sweep_axis axis = {.name = option_rows[key].name};
    const text_vec all = split(c, axis.name, given, ',');
    for (uint32_t v = 0; v < all.len && !diag_failed(&c->session->diag); v++) {
        sweep_value value = {.label = all.at[v]};
        add_word(c, &value, options_spelling(key, mem));
        add_word(c, &value, all.at[v]);
        sweep_add_value(c, &axis, &value);
    }
    if (key == OPTION_ENGINE)
        c->job.plan.engine = all.at[0];
    if (key != OPTION_ENGINE || all.len > 1)
        add_axis_or_option(c, &axis);
}

void sweep_add_kernel(const sweep_command *c, const char *text, sweep_value *value) {
    add_word(c, value, text);
    if (text_ends_with(text, ".onx") || text_ends_with(text, ".gv"))
        vec_push(&c->session->mem, &value->inputs, text);
}

static void take_kernels(sweep_command *c, option_key key, const char *list) {
    (void)key;
    sweep_axis axis = {.name = "kernel"};
    const text_vec all = split(c, "kernels", list, ';');
    for (uint32_t v = 0; v < all.len; v++) {
        sweep_value value = {.label = base_of(all.at[v], &c->session->mem)};
        sweep_add_kernel(c, all.at[v], &value);
        sweep_add_value(c, &axis, &value);
    }
    add_axis(c, &axis);
}

/* Takes an option whose values become points. */
static void take_axis(sweep_command *c, const option_given *given) {
    static const struct {
        option_key key;
        void (*take)(sweep_command *c, option_key key, const char *given);
    } kinds[] = {{OPTION_INPUT, take_operand}, {OPTION_GENERATE, take_operand}, {OPTION_FORMAT, take_named},
                 {OPTION_SET, take_named},     {OPTION_ENGINE, take_words},     {OPTION_PROFILE, take_words},
                 {OPTION_DTYPE, take_words},   {OPTION_KERNELS, take_kernels}};
    const option_key key = option_rows[given->key].axis;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].key == key) {
            kinds[i].take(c, key, given->value);
            return;
        }
    }
    sweep_add_axis(c, given->key, given->value, NULL);
}

static void take_own(sweep_command *c) {
    const command_line *o = &c->session->options;
    c->order = o->sweep.order;
    c->job.slurm = o->sweep.slurm;
    c->job.array_most = o->sweep.array_most;
    c->job.keep = o->sweep.keep;
    c->job.time_limit = o->sweep.time_limit;
    c->job.quiet = o->every.quiet;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    c->job.jobs = o->sweep.jobs ? o->sweep.jobs : processors > 0 ? (uint32_t)processors : 1;
}

bool sweep_take_options(sweep_command *c) {
    const command_line *o = &c->session->options;
    c->job.plan.engine = "cycle";
    for (uint32_t i = 0; i < o->in_order.len; i++) {
        const option_given *given = &o->in_order.at[i];
        const option_row *row = &option_rows[given->key];
        if (row->separators)
            take_axis(c, given);
        else if (row->commands & 1u << COMMAND_RUN)
            sweep_pass_on(c, given->key, given->value);
    }
    take_own(c);
    return !diag_failed(&c->session->diag);
}

text_vec sweep_boards(const sweep_command *c) {
    text_vec names = {0};
    for (uint32_t a = 0; a < c->job.plan.axes.len; a++) {
        const sweep_axis *axis = &c->job.plan.axes.at[a];
        for (uint32_t v = 0; v < axis->values.len && strcmp(axis->name, "board") == 0; v++)
            vec_push(&c->session->mem, &names, axis->values.at[v].label);
    }
    if (!names.len)
        vec_push(&c->session->mem, &names, "onyx");
    return names;
}
