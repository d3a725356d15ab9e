/* A recorded command: read, changed, written, run. */
#include "cli/case.h"
#include "cli/record.h"
#include "cli/shrink.h"
#include "compile/compile.h"
#include "kernel/operands.h"
#include "programs/programs.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- reading ---------------------------------------------------------------------------------- */

/* Excluded options: operands are handled separately, output files would be overwritten at each run. */
static bool goes_along(option_key key) {
    return key != OPTION_OUTPUT && key != OPTION_STATS && key != OPTION_TRACE && key != OPTION_TRACE_EDGE &&
           key != OPTION_IO_TRACE && key != OPTION_WAVE && key != OPTION_DUMP;
}

static const char *absolute(cli_session *s, const cli_case *c, const char *path) {
    return *path == '/' ? path : arena_printf(&s->mem, "%s/%s", c->from, path);
}

/* An option whose file is named from anywhere. */
static option_given from_anywhere(cli_session *s, const cli_case *c, option_given o) {
    const char *colon = o.value ? strchr(o.value, ':') : NULL;
    if (o.key == OPTION_INPUT && colon)
        o.value =
            arena_printf(&s->mem, "%.*s%s", (int)(colon + 1 - o.value), o.value, absolute(s, c, colon + 1));
    else if ((o.key == OPTION_BOARD && strstr(o.value, ".json")) || o.key == OPTION_FORMATS ||
             (o.key == OPTION_FUNCTIONS && strcmp(o.value, "library") != 0 && strcmp(o.value, "none") != 0))
        o.value = absolute(s, c, o.value);
    return o;
}

bool case_read(cli_session *s, const char *folder, cli_case *c) {
    cli_record record;
    if (!record_read(s, folder, true, &record))
        return false;
    const command_line then = record.then;
    c->command = record.command;
    c->from = record.from;
    if (compile_is_application(then.compile.written.expression)) {
        diag_error(&s->diag, (src_loc){0}, "E0950-not-compiled",
                   "'%s' holds a program of several statements, '%s': this takes one expression", folder,
                   then.compile.written.expression);
        return diag_hint(&s->diag,
                         "onyx run with the statement that fails, and -i of what its tensors hold then");
    }
    c->expression = then.compile.written.expression;
    c->dtype = then.compile.tensors.dtype;
    if (access(absolute(s, c, c->expression), R_OK) == 0)
        c->expression = absolute(s, c, c->expression);
    for (uint32_t i = 0; i < then.in_order.len; i++) {
        if (goes_along(then.in_order.at[i].key))
            vec_push(&s->mem, &c->options, from_anywhere(s, c, then.in_order.at[i]));
    }
    return true;
}

/* ---- operands --------------------------------------------------------------------------------- */

static const char *operand_file(const case_operand *o, arena *mem) {
    return arena_printf(mem, "%s.%s", o->tensor, o->data.order <= 2 ? "mtx" : "tns");
}

static const char *user_name(const cli_session *s, const sam_tensor_data *t) {
    return names_text(&s->names, t->called.v ? t->called : t->name);
}

/* Runs in a process of its own, since reading operands may be the failure. Writes the operands into the
 * folder, and a list of their names and extents. */
static bool unpack(cli_session *s, const cli_case *c, const char *folder) {
    compile_kernel k = {0};
    command_line now = options_default(c->command);
    const text_vec words = case_words(s, c, "onyx", folder, folder);
    cJSON *list = cJSON_CreateArray();
    s->progress.to = NULL; /* its thread is not in this process */
    if (!options_parse(c->command, (int)words.len - 1, words.at + 1, &s->mem, &s->diag, &now))
        return false;
    compile_options *o = &now.compile;
    o->files.out = NULL;
    o->running.executes = true;
    o->tensors.typing = COMPILE_TYPE_STATED; /* the case is of int16 */
    compile_to_graph(o, &s->compile, &k);
    s->diag.errors = s->diag.unmappable = s->diag.mismatches = 0;
    if (k.user.tensors.len)
        compile_read_operands(o, &s->compile, &k.user, &k.data);
    bool ok = k.data.operands.operand != NULL; /* their extents may disagree */
    for (uint32_t t = 0; t < k.user.tensors.len && ok; t++) {
        const sam_tensor_data *tensor = &k.user.tensors.at[t];
        const tile_tensor *all = tensor->windowed ? k.data.whole : k.data.operands.operand;
        const case_operand one = {user_name(s, tensor), all[t]};
        bool listed = t + 1 == k.user.result.v;
        for (uint32_t before = 1; before < t && !listed; before++)
            listed = strcmp(user_name(s, &k.user.tensors.at[before]), one.tensor) == 0;
        if (listed)
            continue;
        const bool there = one.data.order == sam_source_order(tensor) && (!one.data.order || one.data.dim[0]);
        ok = there &&
             tile_write(&one.data, o->tensors.dtype,
                        arena_printf(&s->mem, "%s/%s", folder, operand_file(&one, &s->mem)), &s->diag);
        cJSON *json = json_add_item(list);
        cJSON_AddStringToObject(json, "tensor", one.tensor);
        cJSON *dim = cJSON_AddArrayToObject(json, "dim");
        for (uint32_t m = 0; m < one.data.order; m++)
            cJSON_AddItemToArray(dim, cJSON_CreateNumber(one.data.dim[m]));
    }
    return ok && json_write(list, arena_printf(&s->mem, "%s/operands.json", folder), &s->diag);
}

static bool unpack_apart(cli_session *s, const cli_case *c, const char *folder) {
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(unpack(s, c, folder) ? 0 : 1);
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void case_take_operands(cli_session *s, const char *folder, cli_case *c) {
    const char *index = arena_printf(&s->mem, "%s/operands.json", folder);
    diagnostics quiet;
    diag_init(&quiet, &s->mem);
    cJSON *list = make_folder(folder, &quiet) && unpack_apart(s, c, folder) ? json_read(index, &quiet) : NULL;
    cli_case out = *c;
    for (const cJSON *one = list ? list->child : NULL; one; one = one->next) {
        const cJSON *dim = cJSON_GetObjectItemCaseSensitive(one, "dim");
        const char *name = cJSON_GetObjectItemCaseSensitive(one, "tensor")->valuestring;
        case_operand o = {.tensor = arena_strdup(&s->mem, name)};
        o.data.order = (uint32_t)cJSON_GetArraySize(dim);
        const char *path = arena_printf(&s->mem, "%s/%s", folder, operand_file(&o, &s->mem));
        if (!tile_read(path, (name_id){0}, o.data.order, c->dtype, TILE_VALUES_FILE, &s->mem, &quiet,
                       &o.data))
            break;
        for (uint32_t m = 0; m < o.data.order; m++)
            o.data.dim[m] = (uint32_t)cJSON_GetArrayItem(dim, (int)m)->valuedouble;
        vec_push(&s->mem, &out.operands, o);
    }
    cJSON_Delete(list);
    if (diag_failed(&quiet) || !out.operands.len)
        return;
    memset(&out.options, 0, sizeof out.options);
    for (uint32_t i = 0; i < c->options.len; i++) {
        const option_key key = c->options.at[i].key;
        if (key != OPTION_INPUT && key != OPTION_GENERATE && key != OPTION_VALUES)
            vec_push(&s->mem, &out.options, c->options.at[i]);
    }
    *c = out;
}

/* ---- writing ---------------------------------------------------------------------------------- */

/* Returns whether the expression has this word; a graph from a file may have any. */
static bool has_word(const cli_case *c, const char *word, size_t length, arena *mem) {
    if (*c->expression == '/')
        return true;
    const text_vec tokens = shrink_tokens(c->expression, mem);
    for (uint32_t i = 0; i < tokens.len; i++) {
        if (strlen(tokens.at[i]) == length && strncmp(tokens.at[i], word, length) == 0)
            return true;
    }
    return false;
}

static bool is_wanted(const cli_case *c, const option_given *o, arena *mem) {
    const char *value = option_rows[o->key].value;
    const bool named = value && (strncmp(value, "T:", 2) == 0 || strncmp(value, "VAR|T:", 6) == 0);
    return !named || has_word(c, o->value, strcspn(o->value, ":"), mem);
}

text_vec case_words(cli_session *s, const cli_case *c, const char *program, const char *folder,
                    const char *out) {
    arena *mem = &s->mem;
    text_vec words = {0};
    vec_push(mem, &words, program);
    vec_push(mem, &words, option_commands[c->command].name);
    vec_push(mem, &words, c->expression);
    for (uint32_t i = 0; i < c->options.len; i++) {
        const option_given *o = &c->options.at[i];
        if (!is_wanted(c, o, mem))
            continue;
        vec_push(mem, &words, options_spelling(o->key, mem));
        if (option_rows[o->key].value)
            vec_push(mem, &words, o->value);
    }
    for (uint32_t i = 0; i < c->operands.len; i++) {
        const case_operand *o = &c->operands.at[i];
        if (!has_word(c, o->tensor, strlen(o->tensor), mem))
            continue;
        vec_push(mem, &words, "-i");
        vec_push(mem, &words, arena_printf(mem, "%s:%s/%s", o->tensor, folder, operand_file(o, mem)));
        const char *dims = "";
        for (uint32_t m = 0; m < o->data.order; m++)
            dims = arena_printf(mem, "%s%s%u", dims, m ? "," : "", o->data.dim[m]);
        if (o->data.order > 2) { /* a .tns file states no extents */
            vec_push(mem, &words, "-d");
            vec_push(mem, &words, arena_printf(mem, "%s:%s", o->tensor, dims));
        }
    }
    vec_push(mem, &words, "-o");
    vec_push(mem, &words, out);
    return words;
}

bool case_write_operands(cli_session *s, const cli_case *c, const char *folder) {
    bool ok = true;
    for (uint32_t i = 0; i < c->operands.len && ok; i++) {
        const case_operand *o = &c->operands.at[i];
        if (has_word(c, o->tensor, strlen(o->tensor), &s->mem))
            ok = tile_write(&o->data, c->dtype,
                            arena_printf(&s->mem, "%s/%s", folder, operand_file(o, &s->mem)), &s->diag);
    }
    return ok;
}

/* ---- running ---------------------------------------------------------------------------------- */

/* Finds the code of an error in a line of text: "x.onx:1:2: error: no such file [E0001-file]". */
static void read_text_line(const char *line, size_t length, arena *mem, case_end *end) {
    static const char *const kinds[] = {"error: ", "does not fit: ", "wrong result: "};
    const char *text = arena_strndup(mem, line, length), *code = strrchr(text, '[');
    for (size_t i = 0; code && i < sizeof kinds / sizeof *kinds && !*end->what; i++) {
        const char *at = strstr(text, kinds[i]);
        if (at && strncmp(code, "[E", 2) == 0 && text[length - 1] == ']') {
            end->what = arena_strndup(mem, code + 1, strlen(code) - 2);
            end->says = at + strlen(kinds[i]);
        }
    }
}

/* Finds the first error among the lines of a log, or the place of an internal fault. */
static void read_log(const char *text, arena *mem, case_end *end) {
    static const char fault[] = "onyx: internal fault at ";
    for (const char *at = text; *at; at += strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n')) {
        const size_t length = strcspn(at, "\n");
        if (strncmp(at, fault, strlen(fault)) == 0) {
            end->what = arena_strndup(mem, at + strlen(fault), strcspn(at + strlen(fault), " \n"));
            end->says = arena_strndup(mem, at, length);
            return;
        }
        cJSON *json = strncmp(at, "{\"code\"", 7) == 0 ? json_parse("", at, length, NULL) : NULL;
        const char *code = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "code"));
        const char *severity = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "severity"));
        const char *says = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "message"));
        const bool error = code && severity && says && strcmp(severity, "warning") != 0 && !*end->what;
        if (error) {
            end->what = arena_strdup(mem, code);
            end->says = arena_strdup(mem, says);
        }
        if (!json && length)
            read_text_line(at, length, mem, end);
        cJSON_Delete(json);
    }
}

bool case_run(cli_session *s, text_vec words, const char *folder, const char *messages, case_end *end) {
    arena *mem = &s->mem;
    const uint32_t most = s->options.cases.time_limit;
    text_vec all = {0};
    size_t length = 0;
    vec_push(mem, &all, "timeout");
    vec_push(mem, &all, "--foreground");
    vec_push(mem, &all, arena_printf(mem, "%u", most));
    for (uint32_t i = 0; i < words.len; i++)
        vec_push(mem, &all, words.at[i]);
    if (!messages) {
        vec_push(mem, &all, "--quiet");
        vec_push(mem, &all, "--diagnostics=json");
    }
    vec_push(mem, &all, NULL);
    *end = (case_end){.what = "", .says = "", .log = messages};
    end->log = messages ? messages : arena_printf(mem, "%s/log", folder);
    remove(end->log);
    end->code = program_run(all.at, end->log);
    if (end->code == -SIGINT) {
        s->compile.interrupted = true;
        return false;
    }
    if (end->code == PROGRAM_MISSING || end->code == PROGRAM_NOT_RUN)
        return diag_error(&s->diag, (src_loc){0}, "E0930-tool", "timeout, of coreutils, cannot be started");
    if (end->code == CASE_LATE)
        end->says = arena_printf(mem, "it takes longer than %u s", most);
    const char *text = file_read_if_there(end->log, mem, &length);
    read_log(text ? text : "", mem, end);
    return true;
}
