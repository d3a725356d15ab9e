/* waves.c - see waves.h. */
#include "rtl_models/soc/waves.h"
#include "rtl_models/soc/machine_watch.h"

/* The column after the array's columns stands for the outside. */
enum { COLUMNS = MACHINE_OUTSIDE + 1, ROWS = 256, PORTS = 4, COPIES = 64 };
#define NOBODY UINT32_MAX

typedef struct {
    wave *w;
    uint32_t channel[COLUMNS * ROWS * PORTS];
    uint32_t copy[COLUMNS * PORTS]; /* by stream: its copy of the kernel, or NOBODY */
    bool busy[COLUMNS * PORTS];
    uint32_t streams[COPIES]; /* busy streams of the copy */
} watched;

static uint32_t place(uint32_t x, uint32_t y, uint32_t port) {
    return (x * ROWS + y) * PORTS + port;
}

/* A copy works while any of its streams is not idle. */
static void follow_copy(watched *all, uint64_t cycle, uint32_t stream, bool busy) {
    const uint32_t copy = all->copy[stream];
    if (copy == NOBODY || all->busy[stream] == busy)
        return;
    all->busy[stream] = busy;
    all->streams[copy] += busy ? 1u : UINT32_MAX;
    const uint32_t channel = all->channel[place(MACHINE_OUTSIDE, 1 + copy, 0)];
    if (channel != NOBODY)
        wave_put(all->w, channel, cycle, all->streams[copy] ? CYCLE_MOVES : CYCLE_IDLE, 0);
}

static void watch(void *context, const machine_channel *now) {
    watched *all = context;
    uint32_t channel = all->channel[place(now->x, now->y, now->port)];
    const cycle_activity activity = cycle_activity_of(
        (now->moves ? CYCLE_ARRIVES : 0) | (now->offered ? CYCLE_OFFERED : 0) | (now->room ? CYCLE_ROOM : 0));
    if (channel != NOBODY)
        wave_put(all->w, channel, now->cycle, activity, now->token);
    if (!now->y)
        follow_copy(all, now->cycle, now->x * PORTS + now->port, activity != CYCLE_IDLE);
}

static bool read_channel(const cJSON *json, const char *path, arena *mem, diagnostics *d,
                         wave_channels *channels, watched *all) {
    uint32_t x = 0, y = 0, port = 0, copy = NOBODY;
    wave_channel c = {0};
    if (!json_get_u32(json, path, "x", &x, d) || !json_get_u32(json, path, "y", &y, d) ||
        !json_get_u32(json, path, "port", &port, d) || !json_get_text(json, path, "tile", &c.tile, d) ||
        !json_get_text(json, path, "name", &c.port, d) || !json_get_text(json, path, "from", &c.from, d))
        return false;
    if (cJSON_HasObjectItem(json, "kind") && !json_get_text(json, path, "kind", &c.kind, d))
        return false;
    if (cJSON_HasObjectItem(json, "copy") && !json_get_u32(json, path, "copy", &copy, d))
        return false;
    if (x >= COLUMNS || y >= ROWS || port >= PORTS || (copy != NOBODY && (copy >= COPIES || y))) {
        diag_error(d, (src_loc){0}, "E0003-json-member", "%s: there is no port %u at x%uy%u", path, port, x,
                   y);
        return false;
    }
    c.tile = arena_strdup(mem, c.tile);
    c.port = arena_strdup(mem, c.port);
    c.from = arena_strdup(mem, c.from);
    c.kind = c.kind ? arena_strdup(mem, c.kind) : NULL;
    all->channel[place(x, y, port)] = channels->len;
    if (copy != NOBODY)
        all->copy[x * PORTS + port] = copy;
    vec_push(mem, channels, c);
    return true;
}

wave *cosim_waves_begin(const char *folder, machine *m, arena *mem, diagnostics *d) {
    const char *path = arena_printf(mem, "%s/channels.json", folder);
    watched *all = arena_new(mem, watched);
    wave_channels channels = {0};
    memset(all->channel, 0xff, sizeof all->channel);
    memset(all->copy, 0xff, sizeof all->copy);
    cJSON *json = json_read(path, d);
    const cJSON *list = json ? json_get_array(json, path, "channels", d) : NULL, *one;
    bool ok = list != NULL;
    cJSON_ArrayForEach(one, list) {
        ok = ok && read_channel(one, path, mem, d, &channels, all);
    }
    cJSON_Delete(json);
    all->w = ok ? wave_begin(folder, &channels, mem, d) : NULL;
    if (all->w)
        machine_watch(m, watch, all);
    return all->w;
}
