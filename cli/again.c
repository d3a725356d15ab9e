/* The command that made a folder is left there, and gone through again: `onyx cosim` and `onyx firmware`, and
 * `onyx program` (program.c). Files are read as they are now. */
#include "cli/cli.h"

#include <stdlib.h>
#include <unistd.h>

enum { OPT_WAVE = CLI_OPT_BOARD + 1, OPT_JSON };

typedef struct {
    cli_tool tool;
    bool json, wave;
} again_options;

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
bool cli_replay(cli_session *s, const char *folder, cli_options *o) {
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
    bool ok = cli_parse_options("run", argc, argv, s, o);
    s->quiet = quiet;
    s->json = as_json;
    o->out = folder;
    o->again = true;
    o->runs = false; /* onyx firmware needs no operands */
    return ok;
}

/* ---- onyx cosim, onyx firmware ----------------------------------------------------------------- */

static error_t parse_again(int key, char *arg, struct argp_state *state) {
    again_options *o = state->input;
    switch (key) {
    case OPT_WAVE:
        o->wave = true;
        return 0;
    case OPT_JSON:
        o->json = true;
        return 0;
    default:
        return cli_parse_tool(key, arg, state);
    }
}

static int command(const struct argp *parser, const char *name, int argc, char **argv,
                   bool (*action)(const again_options *, cli_session *, cli_options *)) {
    cli_session s;
    cli_options o;
    again_options again = {.tool = {.session = &s}};
    cli_session_begin(&s);
    bool ok = cli_parse(parser, name, argc, argv, &s, &again) &&
              cli_want_arguments(&again.tool, 1, parser->args_doc) &&
              cli_replay(&s, again.tool.arguments.at[0], &o) && action(&again, &s, &o);
    return cli_session_end(&s, ok);
}

static bool cosim(const again_options *again, cli_session *s, cli_options *o) {
    cli_kernel k = {0};
    o->engine = ENGINE_SOC;
    o->json = again->json;
    o->wave = again->wave;
    o->io_trace = false;
    return cli_run(o, s, &k);
}

/* The program of one kernel: a line, or an object of the list. */
static bool build(const again_options *again, cli_session *s, const cli_kernel *k, cJSON *list) {
    fw_app app;
    if (!cli_build_firmware(s, k, arena_printf(&s->mem, "%s/firmware", k->folder), &app))
        return false;
    if (again->json) {
        cJSON *one = cJSON_CreateObject();
        cJSON_AddStringToObject(one, "elf", app.elf);
        cJSON_AddNumberToObject(one, "code_bytes", app.code_bytes);
        cJSON_AddNumberToObject(one, "data_bytes", app.data_bytes);
        cJSON_AddNumberToObject(one, "stack_bytes", app.stack_bytes);
        cJSON_AddNumberToObject(one, "bitstream_bytes", app.bitstream_bytes);
        cJSON_AddItemToArray(list, one);
    } else if (!s->quiet) {
        cli_progress_end(s);
        printf("%s: %u bytes of program, %u of data, at most %u of stack; a bitstream of %u bytes\n", app.elf,
               app.code_bytes, app.data_bytes, app.stack_bytes, app.bitstream_bytes);
    }
    return true;
}

static bool firmware(const again_options *again, cli_session *s, cli_options *o) {
    cli_kernel k = {0};
    cJSON *list = cJSON_CreateArray();
    bool ok = cli_compile(o, s, &k);
    for (uint32_t n = 0; ok && n < k.producers.len; n++)
        ok = build(again, s, &k.producers.at[n], list);
    ok = ok && build(again, s, &k, list);
    if (ok && again->json)
        cli_print_json(list);
    cJSON_Delete(list);
    return ok;
}

int command_cosim(int argc, char **argv) {
    static const struct argp_option table[] = {
        {"wave", OPT_WAVE, NULL, 0, "Write what every channel does in every cycle to DIR/waves.fst", 1},
        {"json", OPT_JSON, NULL, 0, "Print report.json instead of a summary", 2},
        {0}};
    static const struct argp parser = {
        .options = table,
        .parser = parse_again,
        .args_doc = "DIR",
        .doc =
            "Runs what onyx run or onyx compile left in DIR on the co-simulated chip, by its firmware, and "
            "checks the result: onyx run --engine soc with the command of then and the data of now."};
    return command(&parser, "cosim", argc, argv, cosim);
}

int command_firmware(int argc, char **argv) {
    static const struct argp_option table[] = {{"json", OPT_JSON, NULL, 0, "Print a list of objects", 1},
                                               {0}};
    static const struct argp parser = {
        .options = table,
        .parser = parse_again,
        .args_doc = "DIR",
        .doc = "Builds the Cortex-M3 program of what onyx run or onyx compile left in DIR, "
               "DIR/firmware/app.elf, and says what it takes of the chip's memories. A machine without the "
               "compiler can then program a board with it (onyx program)."};
    return command(&parser, "firmware", argc, argv, firmware);
}
