/* What the waveforms of engines soc and rtl need: the channels of a decoded design by name. */
#include "compile/engine.h"

/* The channel into a port of a tile: "x4y2", "intersect", "coord_in_0". */
typedef struct {
    uint32_t x, y, port;
    const char *mode, *name;
} channel;
typedef VEC(channel) channels;

/* Lists the channels, those of one tile together. O(cells * sinks). */
static channels channels_of(const pnr_design *d, arena *mem) {
    const netlist *n = d->net;
    channels all = {0};
    for (uint32_t c = 0; c < n->cells.len; c++) {
        const net_mode_info *mode = &net_mode_table[n->cells.at[c].mode];
        for (uint32_t e = 0; e < n->nets.len; e++) {
            for (uint32_t i = 0; i < n->nets.at[e].sinks.len; i++) {
                const net_pin *sink = &n->nets.at[e].sinks.at[i];
                if (sink->cell.v == c + 1)
                    vec_push(mem, &all,
                             (channel){d->site.at[c].x, d->site.at[c].y, sink->port, mode->name,
                                       mode->port_in[sink->port]});
            }
        }
    }
    return all;
}

bool compile_write_channels(const pnr_design *d, const char *folder, compile_context *ctx) {
    const channels all = channels_of(d, ctx->mem);
    cJSON *json = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(json, "channels");
    for (uint32_t i = 0; i < all.len; i++) {
        const channel *c = &all.at[i];
        cJSON *one = json_add_item(list);
        cJSON_AddNumberToObject(one, "x", c->x);
        cJSON_AddNumberToObject(one, "y", c->y);
        cJSON_AddNumberToObject(one, "port", c->port);
        cJSON_AddStringToObject(one, "tile", arena_printf(ctx->mem, "x%uy%u %s", c->x, c->y, c->mode));
        cJSON_AddStringToObject(one, "name", c->name);
    }
    bool ok = json_write(json, arena_printf(ctx->mem, "%s/channels.json", folder), ctx->diag);
    cJSON_Delete(json);
    return ok;
}

/* GTKWave's translation of the control tokens: a value in hexadecimal, then what is shown instead. */
static bool write_tokens(const char *path, compile_context *ctx) {
    enum { STOP = 0x10000, STOPS = 64 };
    file_out f;
    if (!file_create(&f, path, ctx->mem, ctx->diag))
        return false;
    for (uint32_t level = 0; level < STOPS; level++)
        fprintf(f.stream, "%05X %s\n", STOP + level, cycle_token_text(STOP + level, ctx->mem));
    fprintf(f.stream, "10100 %s\n10200 %s\n", cycle_token_text(0x10100, ctx->mem),
            cycle_token_text(0x10200, ctx->mem));
    return file_commit(&f, ctx->diag);
}

bool compile_write_netlist_waves(const pnr_design *d, const char *folder, compile_context *ctx) {
    enum { COMMENT = 0x200, TRANSLATED_HEX = 0x2022, BIT = 0x28 }; /* GTKWave's forms of a line */
    const channels all = channels_of(d, ctx->mem);
    file_out f;
    if (!write_tokens(arena_printf(ctx->mem, "%s/tokens.txt", folder), ctx) ||
        !file_create(&f, arena_printf(ctx->mem, "%s/waves.gtkw", folder), ctx->mem, ctx->diag))
        return false;
    fputs("[dumpfile] \"waves.fst\"\n[timestart] 0\n", f.stream);
    for (uint32_t i = 0; i < all.len; i++) {
        const channel *c = &all.at[i];
        const char *wire = arena_printf(ctx->mem, "TOP.onyx_design.x%uy%u_in%u", c->x, c->y, c->port);
        fprintf(f.stream, "@%x\n-x%uy%u %s %s\n", COMMENT, c->x, c->y, c->mode, c->name);
        fprintf(f.stream, "@%x\n^1 tokens.txt\n%s.data[16:0]\n", TRANSLATED_HEX, wire);
        fprintf(f.stream, "@%x\n%s.valid\n%s_ready\n", BIT, wire, wire);
    }
    return file_commit(&f, ctx->diag);
}
