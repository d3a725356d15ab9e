#include "tests/bench/command.h"

#include <string.h>

const char *command_code(const char *printed, arena *mem) {
    static const char *const word[] = {"error: ", "does not fit: ", "wrong result: "};
    const char *first = NULL;
    for (size_t i = 0; i < sizeof word / sizeof *word; i++) {
        const char *found = strstr(printed, word[i]);
        first = found && (!first || found < first) ? found : first;
    }
    const char *code = first ? strstr(first, " [E") : NULL;
    return code ? arena_printf(mem, "%.*s", (int)strcspn(code + 2, "]"), code + 2) : NULL;
}

static double number_at(const cJSON *json, const char *object, const char *key) {
    const cJSON *from = object ? cJSON_GetObjectItem(json, object) : json;
    const cJSON *item = cJSON_GetObjectItem(from, key);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

/* Adds the kinds of a section's hazards that *kinds lacks. */
static void add_hazards(const cJSON *section, const char **kinds, arena *mem) {
    const cJSON *h;
    cJSON_ArrayForEach(h, cJSON_GetObjectItem(section, "hazards")) {
        const char *kind = cJSON_GetStringValue(cJSON_GetObjectItem(h, "hazard"));
        if (!strstr(*kinds, kind))
            *kinds = arena_printf(mem, "%s%s%s", *kinds, **kinds ? ", " : "", kind);
    }
}

static void read_report(const cJSON *json, arena *mem, command_report *out) {
    out->pe = number_at(json, "tiles", "pe");
    out->mem = number_at(json, "tiles", "mem");
    out->io = number_at(json, "tiles", "io");
    out->hops = number_at(json, NULL, "hops");
    out->words = number_at(json, "bitstream", "words");
    out->fmax_mhz = number_at(json, NULL, "fmax_mhz");
    out->cycles = number_at(json, "cycles", "total");
    out->config_cycles = number_at(json, "cycles", "config");
    out->pairs = number_at(json, "subtiles", "run");
    out->time_us = number_at(json, NULL, "time_us");
    out->warned = "";
    add_hazards(json, &out->warned, mem);
    const cJSON *kernel;
    cJSON_ArrayForEach(kernel, cJSON_GetObjectItem(json, "kernels")) add_hazards(kernel, &out->warned, mem);
}

command_report command_run(const char *arguments, const char *folder, uint32_t most_seconds, arena *mem) {
    enum { TIMED_OUT = 124 }; /* timeout(1)'s */
    command_report out = {0};
    diagnostics d;
    size_t length;
    diag_init(&d, mem);
    const char *log = arena_printf(mem, "%s.log", folder);
    const char *line =
        arena_printf(mem, "exec %s/onyx run %s --quiet -o %s", ONYX_BINARY_DIR, arguments, folder);
    const char *const argv[] = {"timeout", arena_printf(mem, "%u", most_seconds), "sh", "-c", line, NULL};
    remove(log);
    int code = program_run(argv, log);
    const char *printed = file_read(log, mem, &length, &d);
    if (code != 0) {
        const char *why = printed ? command_code(printed, mem) : NULL;
        out.code = code == TIMED_OUT ? arena_printf(mem, "stopped after %u s", most_seconds)
                   : why             ? why
                                     : arena_printf(mem, "exit code %d", code);
        return out;
    }
    cJSON *json = json_read(arena_printf(mem, "%s/report.json", folder), &d);
    const char *check = cJSON_GetStringValue(cJSON_GetObjectItem(json, "check"));
    out.code = check && strcmp(check, "pass") == 0 ? NULL : "no check";
    read_report(json, mem, &out);
    if (printed && strstr(printed, "[E0450-deadlock]"))
        out.warned = arena_printf(mem, "%s%sE0450-deadlock", out.warned, *out.warned ? ", " : "");
    cJSON_Delete(json);
    return out;
}
