/* The table of options, and the reading of each kind of value. */
#include "options/options_int.h"
#include "support/number.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

const char *options_spelling(option_key key, arena *mem) {
    const option_row *row = &option_rows[key];
    return row->letter ? arena_printf(mem, "-%c", row->letter) : arena_printf(mem, "--%s", row->name);
}

const char *options_help(const option_row *row, arena *mem) {
    const char *gap = row->doc ? strstr(row->doc, "%s") : NULL;
    const char *const *words = row->separators ? option_rows[row->axis].words : row->words;
    return gap ? arena_printf(mem, "%.*s%s%s", (int)(gap - row->doc), row->doc,
                              options_join(words, UINT32_MAX, mem), gap + strlen("%s"))
               : row->doc;
}

static void bad_value(const option_values *to, const option_row *row, const char *value, const char *want) {
    compile_bad_value(to->diag, options_spelling((option_key)(row - option_rows), to->mem), value, want);
}

static void *member_of(const option_values *to, const option_row *row) {
    return (char *)to->o + row->member;
}

/* Stores a value in a bool, an enum or a number. */
static void store(const option_values *to, const option_row *row, uint64_t value) {
    const uint8_t byte = (uint8_t)value;
    const uint32_t word = (uint32_t)value;
    const void *from = row->size == sizeof byte   ? (const void *)&byte
                       : row->size == sizeof word ? &word
                                                  : (const void *)&value;
    memcpy(member_of(to, row), from, row->size);
}

/* ---- kinds of values --------------------------------------------------------------------------- */

static void take_set(option_values *to, const option_row *row, const char *value) {
    (void)value;
    store(to, row, row->low);
}

static void take_text(option_values *to, const option_row *row, const char *value) {
    if (!*value) /* as from an unset shell variable; a folder of no name would be the root */
        bad_value(to, row, value, "a name");
    *(const char **)member_of(to, row) = value;
}

static void take_list(option_values *to, const option_row *row, const char *value) {
    text_vec *list = member_of(to, row);
    vec_push(to->mem, list, value);
}

static uint64_t whole(const option_values *to, const option_row *row, const char *text) {
    char *end = NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno || end == text || *end || text[0] == '-' || value < row->low || value > row->high)
        bad_value(to, row, text,
                  arena_printf(to->mem, "a whole number from %llu to %llu", (unsigned long long)row->low,
                               (unsigned long long)row->high));
    return value;
}

static void take_whole(option_values *to, const option_row *row, const char *value) {
    store(to, row, whole(to, row, value));
}

static void take_seconds(option_values *to, const option_row *row, const char *value) {
    *(double *)member_of(to, row) = (double)whole(to, row, value);
}

/* Reads "0.01" or "1%". */
static void take_relative(option_values *to, const option_row *row, const char *value) {
    char *end = NULL;
    double x = number_read(value, &end);
    const bool given = true, percent = *end == '%';
    if (end == value || end[percent] || !(x >= 0))
        bad_value(to, row, value, "a number from 0 on, or one of percent, as 1%");
    *(double *)member_of(to, row) = percent ? x / 100 : x;
    memcpy((char *)to->o + row->is_auto, &given, sizeof given);
}

static bool says_auto(const char *value) {
    return strcmp(value, "auto") == 0;
}

static void take_whole_or_auto(option_values *to, const option_row *row, const char *value) {
    store(to, row, says_auto(value) ? 0 : whole(to, row, value));
}

/* Reads "2/4": number and total. */
static void take_share(option_values *to, const option_row *row, const char *value) {
    char *number = arena_strdup(to->mem, value), *slash = strchr(number, '/');
    uint64_t of = 0, which = 0;
    if (slash) {
        *slash = '\0';
        of = whole(to, row, slash + 1);
        which = whole(to, row, number);
    }
    if (!slash || (!diag_failed(to->diag) && which > of))
        bad_value(to, row, value, "which of how many, from 1/N to N/N");
    to->o->compile.running.shard = (uint32_t)which;
    to->o->compile.running.shards = (uint32_t)of;
}

static uint32_t choose(const option_values *to, const option_row *row, const char *value) {
    return options_choose(options_spelling((option_key)(row - option_rows), to->mem), value, row->words,
                          to->mem, to->diag);
}

static void take_choice(option_values *to, const option_row *row, const char *value) {
    store(to, row, row->low + choose(to, row, value));
}

static void take_word(option_values *to, const option_row *row, const char *value) {
    take_text(to, row, row->words[choose(to, row, value)]);
}

/* Reads "32", or "i:3072,k:32,64". */
static void take_edges(option_values *to, const option_row *row, const char *value) {
    compile_edges *out = member_of(to, row);
    *out = (compile_edges){0};
    char *items = arena_strdup(to->mem, value), *rest = NULL;
    for (char *one = strtok_r(items, ",", &rest); one; one = strtok_r(NULL, ",", &rest)) {
        char *colon = strchr(one, ':');
        uint32_t edge = (uint32_t)whole(to, row, colon ? colon + 1 : one);
        if (colon) {
            *colon = '\0';
            vec_push(to->mem, &out->along, (compile_edge){one, edge});
        } else if (out->all) {
            bad_value(to, row, value, "one edge for all loops, and others as LOOP:N");
        } else {
            out->all = edge;
        }
    }
    if (!*value)
        bad_value(to, row, value, "an edge");
}

static void take_edges_or_auto(option_values *to, const option_row *row, const char *value) {
    bool is_auto = says_auto(value);
    memcpy((char *)to->o + row->is_auto, &is_auto, sizeof is_auto);
    if (is_auto)
        *(compile_edges *)member_of(to, row) = (compile_edges){0};
    else
        take_edges(to, row, value);
}

static option_size size_of(option_values *to, const option_row *row, char *text) {
    option_size out = {0};
    char *rest = NULL;
    for (char *one = strtok_r(text, "x", &rest); one; one = strtok_r(NULL, "x", &rest)) {
        uint32_t edge = (uint32_t)whole(to, row, one);
        if (out.n < SAM_MAX_ORDER)
            out.edge[out.n] = edge;
        out.n++;
    }
    return out;
}

/* Reads "16,32,64x8". */
static void take_sizes(option_values *to, const option_row *row, const char *value) {
    option_sizes *sizes = member_of(to, row);
    char *text = arena_strdup(to->mem, value), *rest = NULL;
    for (char *one = strtok_r(text, ",", &rest); one; one = strtok_r(NULL, ",", &rest))
        vec_push(to->mem, sizes, size_of(to, row, one));
}

/* Reads "sam,netlist,-". */
static void take_dumps(option_values *to, const option_row *row, const char *value) {
    compile_dumps *out = member_of(to, row);
    char *stages = arena_strdup(to->mem, value), *rest = NULL;
    bool any = false;
    for (char *one = strtok_r(stages, ",", &rest); one; one = strtok_r(NULL, ",", &rest)) {
        uint32_t stage = choose(to, row, one);
        if (stage < COMPILE_DUMPS)
            out->of[stage] = any = true;
        else if (stage == COMPILE_DUMPS)
            out->shown = true;
        else
            out->all = any = true;
    }
    if (!any)
        bad_value(to, row, value, "a stage, or several with commas");
}

/* Each value becomes an argument of a point, where it is checked. */
static void take_axis(option_values *to, const option_row *row, const char *value) {
    (void)to, (void)row, (void)value;
}

/* ---- options with a meaning of their own -------------------------------------------------------- */

static void set_dtype(option_values *to, tile_dtype dtype, const char *option) {
    command_line *o = to->o;
    if (o->dtype_from && o->compile.tensors.dtype != dtype) {
        diag_error(to->diag, (src_loc){0}, "E0903-option-value", "%s contradicts %s", option, o->dtype_from);
        diag_hint(to->diag, "all tensors of a kernel have the same type");
    }
    o->compile.tensors.dtype = dtype;
    o->compile.tensors.typing = COMPILE_TYPE_STATED;
    o->dtype_from = option;
}

static void take_dtype(option_values *to, const option_row *row, const char *value) {
    static const struct {
        tile_dtype dtype;
        compile_typing typing;
    } of[] = {{TILE_DTYPE_INT16, COMPILE_TYPE_STATED},
              {TILE_DTYPE_BF16, COMPILE_TYPE_STATED},
              {TILE_DTYPE_INT16, COMPILE_TYPE_SCALED},
              {TILE_DTYPE_INT16, COMPILE_TYPE_AUTO}};
    const uint32_t which = choose(to, row, value);
    set_dtype(to, of[which].dtype, arena_printf(to->mem, "--dtype %s", value));
    to->o->compile.tensors.typing = of[which].typing;
}

/* "B:8". */
static void take_scale(option_values *to, const option_row *row, const char *value) {
    enum { MOST_SCALE = 60 };
    const char *colon = strchr(value, ':');
    char *end = NULL;
    const long scale = colon ? strtol(colon + 1, &end, 10) : 0;
    if (!colon || colon == value || end == colon + 1 || *end || scale < -MOST_SCALE || scale > MOST_SCALE)
        bad_value(to, row, value, "an operand, a colon, and a whole number from -60 to 60");
    vec_push(to->mem, &to->o->compile.tensors.scales, value);
}

/* taco's -O=DIR says where files go. */
static void take_optimize(option_values *to, const option_row *row, const char *value) {
    to->o->compile.optimize = choose(to, row, value);
    if (*value < '0' || *value > '9')
        diag_hint(to->diag, "-o DIR says where results go");
}

/* "B:int16", by taco's names of the hardware's types: bf16 is the last of the words. */
static void take_type(option_values *to, const option_row *row, const char *value) {
    const char *type = strchr(value, ':');
    for (uint32_t i = 0; type && row->words[i]; i++) {
        if (strcmp(type + 1, row->words[i]) != 0)
            continue;
        vec_push(to->mem, &to->o->compile.written.types, value);
        set_dtype(to, row->words[i + 1] ? TILE_DTYPE_INT16 : TILE_DTYPE_BF16,
                  arena_printf(to->mem, "-t %s", value));
        return;
    }
    bad_value(to, row, value, "a tensor, a colon, and int16 or bf16: the array's words have 16 bits");
}

/* A name, a colon and a file, as taco writes a tensor; anything else is a folder. */
static void take_output(option_values *to, const option_row *row, const char *value) {
    size_t name = 0;
    while (isalnum((unsigned char)value[name]))
        name++;
    if (name && isalpha((unsigned char)value[0]) && value[name] == ':')
        vec_push(to->mem, &to->o->compile.tensors.outputs, value);
    else if (!*value)
        bad_value(to, row, value, "a folder, or the result's name, a colon and a file");
    else
        to->o->compile.files.out =
            *value == '-' ? arena_printf(to->mem, "./%s", value) : value; /* other programs take no option */
}

/* Codes, separated by commas. */
static void take_no_warning(option_values *to, const option_row *row, const char *value) {
    for (const char *at = value, *end; at; at = *end ? end + 1 : NULL) {
        end = at + strcspn(at, ",");
        if (*at != 'E' || strspn(at + 1, "0123456789") != 4 || (at + 5 != end && at[5] != '-'))
            bad_value(to, row, value, "codes as in E0420 or E0420-values-stalled");
        vec_push(to->mem, &to->o->every.no_warning, arena_strndup(to->mem, at, (size_t)(end - at)));
    }
}

/* Reads "cycles=2,time=0.5". */
static void take_tolerance(option_values *to, const option_row *row, const char *value) {
    char *list = arena_strdup(to->mem, value), *rest = NULL;
    for (char *one = strtok_r(list, ",", &rest); one; one = strtok_r(NULL, ",", &rest)) {
        char *number = strchr(one, '='), *end = number;
        if (number)
            *number++ = '\0';
        const double percent = number ? number_read(number, &end) : 0;
        if (!number || end == number || *end || !(percent >= 0 && percent <= 1e6))
            bad_value(to, row, value, "per cent of what may be worse, as in cycles=2,time=0.5");
        to->o->sweep.tolerance[choose(to, row, one)] = percent;
    }
}

/* The first words are a tile_dispatch each, the next two are older names of the first two, the last is
 * auto. */
static void take_dispatch(option_values *to, const option_row *row, const char *value) {
    enum { DISPATCHES = TILE_DISPATCH_BANKS + 1 };
    to->o->compile.copies.dispatch = (tile_dispatch)(choose(to, row, value) % DISPATCHES);
    to->o->compile.copies.dispatch_auto = says_auto(value);
}

/* ---- the tables -------------------------------------------------------------------------------- */

enum {
#define COMMAND(key, name, arguments, does, help) key = 1 << COMMAND_##key,
#define SUBCOMMAND(key, name, arguments, help) key = 1 << COMMAND_##key,
#include "options/commands.def"
#undef COMMAND
#undef SUBCOMMAND
    EVERY = (1 << COMMANDS) - 1
};
enum {
#define ENGINE(key, ...) ON_##key = 1 << ENGINE_##key,
#include "kernel/engines.def"
#undef ENGINE
    ANY = 0
};
static const char *const engine_names[] = {
#define ENGINE(key, name, by_option, ...) (by_option) ? #name : NULL,
#include "kernel/engines.def"
#undef ENGINE
    NULL};

#define AT(m) .member = offsetof(command_line, m), .size = sizeof(((command_line *)NULL)->m)
#define ONE_OF(...)                                                                                          \
    .words = (const char *const[]) {                                                                         \
        __VA_ARGS__, NULL                                                                                    \
    }
#define SETS(m, constant) .take = take_set, AT(m), .low = (constant)
#define TEXT(m) .take = take_text, AT(m)
#define LIST(m) .take = take_list, AT(m)
#define SHARE(most) .take = take_share, .low = 1, .high = (most)
#define WHOLE(m, least, most) .take = take_whole, AT(m), .low = (least), .high = (most)
#define WHOLE_OR_AUTO(m, least, most) .take = take_whole_or_auto, AT(m), .low = (least), .high = (most)
#define SECONDS(m, least, most) .take = take_seconds, AT(m), .low = (least), .high = (most)
#define CHOICE(m, first, ...) .take = take_choice, AT(m), .low = (first), ONE_OF(__VA_ARGS__)
#define WORD(m, ...) .take = take_word, AT(m), ONE_OF(__VA_ARGS__)
#define RELATIVE(m, flag) .take = take_relative, AT(m), .is_auto = offsetof(command_line, flag)
#define SEVERITY(m) CHOICE(m, REPORT_ERROR, "error", "warn", "off")
#define EDGES(m, least, most) .take = take_edges, AT(m), .low = (least), .high = (most)
#define EDGES_OR_AUTO(m, flag, least, most)                                                                  \
    .take = take_edges_or_auto, AT(m), .is_auto = offsetof(command_line, flag), .low = (least), .high = (most)
#define SIZES(m, least, most) .take = take_sizes, AT(m), .low = (least), .high = (most)
#define AXIS(key, between) .take = take_axis, .axis = OPTION_##key, .separators = (between)
static const char *const pass_names[] = {
#define PASS(name, ...) #name,
#include "compile/passes.def"
#undef PASS
    NULL};
#define ENGINE_OF(m) .take = take_choice, AT(m), .low = ENGINE_SAM, .words = engine_names
#define PASS_OF(m) .take = take_choice, AT(m), .low = 1, .words = pass_names
#define DUMPS(m) .take = take_dumps, AT(m), .words = compile_dump_names
#define OWN(what, ...) .take = take_##what, ONE_OF(__VA_ARGS__)

const option_row option_rows[OPTIONS] = {
#define HEADING(key, in, read_by, text)                                                                      \
    [OPTION_##key] = {.group = (in), .commands = (read_by), .doc = (text)},
#define OPTION(key, known_as, short_name, takes, in, read_by, on, type, text)                                \
    [OPTION_##key] = {.name = (known_as),                                                                    \
                      .letter = (short_name),                                                                \
                      .value = (takes),                                                                      \
                      .group = (in),                                                                         \
                      .commands = (read_by),                                                                 \
                      .engines = (on),                                                                       \
                      .doc = (text),                                                                         \
                      type},
#include "options/options.def"
#undef HEADING
#undef OPTION
};

const option_command_row option_commands[COMMANDS] = {
#define COMMAND(key, name, arguments, does, help) [COMMAND_##key] = {#name, arguments, does, help},
#define SUBCOMMAND(key, name, arguments, help) [COMMAND_##key] = {name, arguments, NULL, help},
#include "options/commands.def"
#undef COMMAND
#undef SUBCOMMAND
};
