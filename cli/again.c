/* The command that made a folder is left there, and gone through again: `onyx cosim` and `onyx firmware`, and
 * `onyx program` (program.c). Files are read as they are now. */
#include "cli/cli.h"

#include <stdlib.h>
#include <unistd.h>

static const char *current_folder(cli_session *s) {
    char here[4096];
    return getcwd(here, sizeof here) ? arena_strdup(&s->mem, here) : ".";
}

const char *cli_absolute(cli_session *s, const char *path) {
    return *path == '/' ? path : arena_printf(&s->mem, "%s/%s", current_folder(s), path);
}

static const char *record_path(cli_session *s, const char *folder) {
    return arena_printf(&s->mem, "%s/command.json", folder);
}

bool cli_record_command(cli_session *s, int argc, char **argv, const char *folder) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "format_version", 1);
    cJSON_AddStringToObject(json, "folder", current_folder(s));
    cJSON *list = cJSON_AddArrayToObject(json, "arguments");
    for (int i = 1; i < argc; i++)
        cJSON_AddItemToArray(list, cJSON_CreateString(argv[i]));
    bool ok = json_write(json, record_path(s, folder), &s->diag);
    cJSON_Delete(json);
    return ok;
}

static bool not_recorded(cli_session *s, const char *folder) {
    diag_error(&s->diag, (src_loc){0}, "E0950-not-compiled",
               "'%s' does not hold what onyx run or onyx compile leave there", folder);
    diag_hint(&s->diag, "onyx compile EXPRESSION -i T:FILE ... -o %s", folder);
    return false;
}

/* Files among the arguments are named from where the command ran; that folder may be gone. */
static bool replay(cli_session *s, const char *folder, compile_options *o) {
    const char *path = record_path(s, folder), *where = NULL;
    uint32_t version = 0;
    if (access(path, R_OK) != 0)
        return not_recorded(s, folder);
    cJSON *json = json_read(path, &s->diag);
    const cJSON *list = json ? json_get_array(json, path, "arguments", &s->diag) : NULL, *one;
    if (!list || !json_get_u32(json, path, "format_version", &version, &s->diag) ||
        !json_get_text(json, path, "folder", &where, &s->diag)) {
        cJSON_Delete(json);
        return false;
    }
    int argc = 1;
    char **argv = arena_new_n(&s->mem, char *, cJSON_GetArraySize(list) + 2);
    cJSON_ArrayForEach(one, list) {
        argv[argc++] = arena_strdup(&s->mem, cJSON_IsString(one) ? one->valuestring : "");
    }
    const char *self = cli_absolute(s, folder);
    if (strcmp(where, current_folder(s)) != 0 && chdir(where) == 0)
        folder = self;
    cJSON_Delete(json);
    if (version != 1)
        return not_recorded(s, folder);
    bool quiet = s->quiet, as_json = s->json; /* are of the command at hand */
    bool ok = cli_parse_options(CLI_RUN, argc, argv, s, o);
    s->quiet = quiet;
    s->json = as_json;
    o->out = folder;
    o->again = true;
    o->runs = false; /* onyx firmware needs no operands */
    return ok;
}

/* ---- a command on such a folder ----------------------------------------------------------------- */

error_t cli_parse_again(int key, char *arg, struct argp_state *state) {
    cli_again *o = state->input;
    switch (key) {
    case CLI_OPT_WAVE:
        o->wave = true;
        return 0;
    case CLI_OPT_NO_CHECK:
        o->no_check = true;
        return 0;
    case CLI_OPT_HAZARDS:
        o->judges_hazards = true;
        o->hazards = cli_severity_of(o->tool.session, "--hazards", arg);
        return 0;
    default:
        return cli_parse_tool(key, arg, state);
    }
}

int cli_command_again(const struct argp *parser, cli_command command, int argc, char **argv, cli_again *again,
                      bool (*action)(cli_again *, compile_options *)) {
    cli_session s;
    compile_options o;
    cli_session_begin(&s);
    again->tool.session = &s;
    bool ok = cli_parse(parser, command, argc, argv, &s, again) &&
              cli_want_arguments(&again->tool, 1, parser->args_doc) &&
              replay(&s, again->tool.arguments.at[0], &o);
    if (ok) {
        o.json = again->tool.json;
        o.wave = again->wave;
        o.io_trace = false;
        o.check = o.check && !again->no_check;
        o.hazards = again->judges_hazards ? again->hazards : o.hazards;
        ok = action(again, &o);
    }
    return cli_session_end(&s, ok);
}

/* ---- onyx cosim, onyx firmware ----------------------------------------------------------------- */

static bool cosim(cli_again *again, compile_options *o) {
    compile_kernel k = {0};
    o->engine = ENGINE_SOC;
    return cli_run(o, again->tool.session, &k);
}

/* The program of one kernel: a line, or an object of the list. */
static bool build(const cli_tool *tool, const compile_kernel *k, cJSON *list) {
    cli_session *s = tool->session;
    fw_app app;
    if (!compile_build_firmware(&s->compile, k, arena_printf(&s->mem, "%s/firmware", k->folder), &app))
        return false;
    if (tool->json) {
        cJSON *one = json_add_item(list);
        cJSON_AddStringToObject(one, "elf", app.elf);
        cJSON_AddNumberToObject(one, "code_bytes", app.code_bytes);
        cJSON_AddNumberToObject(one, "data_bytes", app.data_bytes);
        cJSON_AddNumberToObject(one, "stack_bytes", app.stack_bytes);
        cJSON_AddNumberToObject(one, "bitstream_bytes", app.bitstream_bytes);
    } else if (!s->quiet) {
        cli_progress_end(s);
        printf("%s: %u bytes of program, %u of data, at most %u of stack; a bitstream of %u bytes\n", app.elf,
               app.code_bytes, app.data_bytes, app.stack_bytes, app.bitstream_bytes);
    }
    return true;
}

static bool firmware(cli_again *again, compile_options *o) {
    const cli_tool *tool = &again->tool;
    compile_kernel k = {0};
    cJSON *list = cJSON_CreateArray();
    bool ok = cli_compile(o, tool->session, &k);
    for (uint32_t n = 0; ok && n < k.producers.len; n++)
        ok = build(tool, &k.producers.at[n], list);
    ok = ok && build(tool, &k, list);
    if (ok && tool->json)
        cli_print_json(list);
    cJSON_Delete(list);
    return ok;
}

int command_cosim(int argc, char **argv) {
    static const struct argp parser = {
        .parser = cli_parse_again,
        .args_doc = "DIR",
        .doc =
            "Runs what onyx run or onyx compile left in DIR on the co-simulated chip, by its firmware, and "
            "checks the result: onyx run --engine soc with the command of then and the data of now."};
    return cli_command_again(&parser, CLI_COSIM, argc, argv, &(cli_again){0}, cosim);
}

int command_firmware(int argc, char **argv) {
    static const struct argp parser = {
        .parser = cli_parse_again,
        .args_doc = "DIR",
        .doc = "Builds the Cortex-M3 program of what onyx run or onyx compile left in DIR, "
               "DIR/firmware/app.elf, and says what it takes of the chip's memories. A machine without the "
               "compiler can then program a board with it (onyx program)."};
    return cli_command_again(&parser, CLI_FIRMWARE, argc, argv, &(cli_again){0}, firmware);
}
