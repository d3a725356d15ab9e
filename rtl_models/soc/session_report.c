/* Statistics of a session, and the warnings that end it. */
#include "rtl_models/soc/session_report.h"
#include "firmware/lists.h"
#include "firmware/sums.h"
#include "rtl_models/cycle/dense_streams.h"
#include "rtl_models/soc/machine_dense.h"
#include "rtl_models/soc/machine_watch.h"
#include "rtl_models/soc/session_shares.h"

#include <inttypes.h>

static void collision_kind(const machine_collision *c, char *to, size_t size) {
    snprintf(to, size, "GLB tile %u, bank %u: on the chip an access of the %s is lost to the %s", c->glb_tile,
             c->bank, c->lost, c->to);
}

void cosim_collision_text(const machine_collision *c, char *to, size_t size) {
    char kind[160];
    collision_kind(c, kind, sizeof kind);
    snprintf(to, size, "%s (array cycle %" PRIu64 ")", kind, c->cycle);
}

/* "hazards": the tiles with raised monitors, with their kinds, a bit each. */
static void list_hazards(const cosim_session *s, cJSON *json) {
    cJSON *list = cJSON_AddArrayToObject(json, "hazards");
    for (uint32_t y = 1; y <= s->board->height; y++) {
        for (uint32_t x = 0; x < s->board->width; x++) {
            uint32_t kinds = machine_hazards(s->m, x, y) | *session_tile_hazards(s, x, y);
            if (!kinds)
                continue;
            cJSON *one = cJSON_CreateObject();
            cJSON_AddNumberToObject(one, "x", x);
            cJSON_AddNumberToObject(one, "y", y);
            cJSON_AddNumberToObject(one, "kinds", kinds);
            cJSON_AddItemToArray(list, one);
        }
    }
}

/* "switches": by the loaded words of the bitstream. */
static void list_switches(const cosim_session *s, cJSON *json) {
    cJSON *list = cJSON_AddArrayToObject(json, "switches");
    for (uint32_t i = 0; i < s->switches.len; i++) {
        const cosim_switches *of = &s->switches.at[i];
        cJSON *one = json_add_item(list);
        cJSON_AddNumberToObject(one, "words", (double)of->words);
        cJSON_AddNumberToObject(one, "times", (double)of->times);
        cJSON_AddNumberToObject(one, "first", (double)of->first);
        if (of->times > 1) {
            cJSON_AddNumberToObject(one, "least", (double)of->least);
            cJSON_AddNumberToObject(one, "most", (double)of->most);
        }
    }
}

/* "collisions": where two accesses met in a bank of the global buffer, and whose is lost on the chip. */
static void list_collisions(const cosim_session *s, cJSON *json) {
    cJSON *list = cJSON_AddArrayToObject(json, "collisions");
    machine_collision c;
    char text[200];
    for (size_t i = 0; machine_collided(s->m, i, &c); i++) {
        cJSON *one = cJSON_CreateObject();
        collision_kind(&c, text, sizeof text);
        cJSON_AddStringToObject(one, "text", text);
        cJSON_AddNumberToObject(one, "glb_tile", c.glb_tile);
        cJSON_AddNumberToObject(one, "bank", c.bank);
        cJSON_AddStringToObject(one, "lost", c.lost);
        cJSON_AddStringToObject(one, "to", c.to);
        cJSON_AddNumberToObject(one, "cycle", (double)c.cycle);
        cJSON_AddItemToArray(list, one);
    }
}

/* "dense_streams": the streams of a dense program, in cycles of the array. */
static void list_dense_streams(const cosim_session *s, cJSON *json) {
    cJSON *list = s->options->dense ? cJSON_AddArrayToObject(json, "dense_streams") : NULL;
    dense_side_stream of;
    for (uint32_t i = 0; list && machine_dense_stream(s->m, i, &of); i++) {
        const dense_stream stream = {.column = of.column, .store = of.store};
        const dense_stream_state state = {.now.finished = of.done,
                                          .words = of.words,
                                          .first = of.first + DENSE_FIRST_CYCLE,
                                          .last = of.last + DENSE_FIRST_CYCLE};
        dense_list_stream(&stream, &state, list);
    }
}

/* "cpu_cycles_lag": by which the processor's time by the table of instructions exceeds the counted time,
 * where an instruction counts a cycle and the board states its waits. */
static void list_lag(const cosim_session *s, const cosim_counts *all, cJSON *json) {
    static const char *const names[MACHINE_ENDS] = {"least", "most"};
    if (!s->board->waits.known || s->options->clocking != MACHINE_BY_COUNT)
        return;
    cJSON *lag = cJSON_AddObjectToObject(json, "cpu_cycles_lag");
    for (unsigned end = 0; end < MACHINE_ENDS; end++)
        cJSON_AddNumberToObject(lag, names[end], (double)((all->machine.lag[end] - all->lag[end]) / 2));
}

bool session_write_statistics(const cosim_session *s, double seconds) {
    static const char *const names[MAILBOX_COUNTERS] = {"config", "kernel", "firmware", "total"};
    cosim_counts all = session_count_now(s);
    session_add_counts(&all, &s->others, 1);
    const machine_counters c = all.machine;
    cJSON *json = cJSON_CreateObject(), *cpu = cJSON_AddObjectToObject(json, "cycles");
    for (uint32_t i = 0; i < MAILBOX_COUNTERS; i++)
        cJSON_AddNumberToObject(cpu, names[i], (double)all.cycles[i]);
    cJSON_AddNumberToObject(json, "check_cycles", (double)all.checked);
    cJSON_AddNumberToObject(json, "runs", (double)c.runs);
    cJSON_AddNumberToObject(json, "function_calls", session_mailbox(s, FW_MAILBOX_CALLS));
    cJSON_AddNumberToObject(json, "function_cycles_beside",
                            (double)session_mailbox(s, FW_MAILBOX_OVERLAPPED) * (double)session_ratio(s));
    cJSON_AddNumberToObject(json, "cgra_cycles", (double)c.array_cycles);
    cJSON_AddNumberToObject(json, "cgra_cycles_kernel", (double)c.kernel);
    cJSON_AddNumberToObject(json, "cgra_cycles_evaluated", (double)c.array_stepped);
    cJSON_AddNumberToObject(json, "tile_evaluations", (double)c.evaluations);
    cJSON_AddNumberToObject(json, "cpu_cycles", (double)c.cpu_cycles);
    cJSON_AddNumberToObject(json, "cpu_cycles_counted", (double)(c.cpu_cycles - all.uncounted));
    cJSON_AddNumberToObject(json, "instructions", (double)c.instructions);
    list_lag(s, &all, json);
    cJSON_AddNumberToObject(json, "wall_seconds", seconds);
    cJSON_AddNumberToObject(json, "cgra_cycles_per_second",
                            seconds > 0 ? (double)c.array_cycles / seconds : 0);
    cJSON *host = cJSON_AddObjectToObject(json, "host_words");
    cJSON_AddNumberToObject(host, "loaded", (double)(all.bytes.loaded / 4));
    cJSON_AddNumberToObject(host, "kept", (double)(all.bytes.kept / 4));
    cJSON_AddNumberToObject(host, "collected", (double)(all.bytes.collected / 4));
    list_hazards(s, json);
    list_switches(s, json);
    list_collisions(s, json);
    list_dense_streams(s, json);
    bool good = json_write(json, s->stats, s->d);
    cJSON_Delete(json);
    return good;
}

void session_warn_of_collisions(const cosim_session *s) {
    machine_collision c;
    char text[200];
    for (size_t i = 0; machine_collided(s->m, i, &c); i++) {
        cosim_collision_text(&c, text, sizeof text);
        diag_warning(s->d, (src_loc){0}, "E0805-bank-collision", "%s", text);
    }
}
