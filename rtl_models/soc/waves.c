/* waves.c - see waves.h. */
#include "rtl_models/soc/waves.h"

enum { COLUMNS = 32, ROWS = 256, PORTS = 4 };
#define NOBODY UINT32_MAX

typedef struct {
    wave *w;
    uint32_t channel[COLUMNS * ROWS * PORTS];
} watched;

static uint32_t place(uint32_t x, uint32_t y, uint32_t port) {
    return (x * ROWS + y) * PORTS + port;
}

static void watch(void *context, uint64_t cycle, uint32_t x, uint32_t y, uint32_t port, bool offered,
                  bool room, bool moves, uint32_t token) {
    watched *all = context;
    uint32_t channel = all->channel[place(x, y, port)];
    if (channel != NOBODY)
        wave_put(all->w, channel, cycle, cycle_activity_of(moves, offered, room), token);
}

static bool read_channel(const cJSON *json, const char *path, arena *mem, diagnostics *d,
                         wave_channels *channels, watched *all) {
    uint32_t x = 0, y = 0, port = 0;
    wave_channel c;
    if (!json_get_u32(json, path, "x", &x, d) || !json_get_u32(json, path, "y", &y, d) ||
        !json_get_u32(json, path, "port", &port, d) || !json_get_text(json, path, "tile", &c.tile, d) ||
        !json_get_text(json, path, "name", &c.port, d))
        return false;
    if (x >= COLUMNS || y >= ROWS || port >= PORTS) {
        diag_error(d, (src_loc){0}, "E0003-json-member", "%s: there is no port %u at x%uy%u", path, port, x,
                   y);
        return false;
    }
    c = (wave_channel){arena_strdup(mem, c.tile), arena_strdup(mem, c.port)};
    all->channel[place(x, y, port)] = channels->len;
    vec_push(mem, channels, c);
    return true;
}

wave *cosim_waves_begin(const char *folder, machine *m, arena *mem, diagnostics *d) {
    const char *path = arena_printf(mem, "%s/channels.json", folder);
    watched *all = arena_new(mem, watched);
    wave_channels channels = {0};
    memset(all->channel, 0xff, sizeof all->channel);
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
