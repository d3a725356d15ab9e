/* Inputs of the waveforms of engines soc and rtl: the channels of a decoded design by name. */
#include "engines/waves.h"

/* Places of channels other than ports of tiles: docs/cosim.md, Waveforms. */
enum { LOAD_PORT = 2, STORE_PORT = 3, OUTSIDE = 32, PROCESSOR_PORT = 0, CONFIGURATION_PORT = 1 };

/* The channel into a port of a tile: "x4y2", "intersect", "coord_in_0"; from "x3y2 fiber_access coord_out".
 */
typedef struct {
    uint32_t x, y, port;
    const char *mode, *name, *from;
} channel;
typedef VEC(channel) channels;

static const char *from_text(const pnr_design *d, const net_data *net, arena *mem) {
    const uint32_t c = net->source.cell.v - 1;
    const net_mode_info *mode = &net_mode_table[d->net->cells.at[c].mode];
    const char *port = mode->port_out[net->source.port];
    return arena_printf(mem, "x%uy%u %s %s", d->site.at[c].x, d->site.at[c].y, mode->name, port ? port : "?");
}

/* Lists the channels, those of a tile together. O(cells * sinks). */
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
                                       mode->port_in[sink->port], from_text(d, &n->nets.at[e], mem)});
            }
        }
    }
    return all;
}

static cJSON *add_channel(cJSON *list, const channel *c, const char *tile) {
    cJSON *one = json_add_item(list);
    cJSON_AddNumberToObject(one, "x", c->x);
    cJSON_AddNumberToObject(one, "y", c->y);
    cJSON_AddNumberToObject(one, "port", c->port);
    cJSON_AddStringToObject(one, "tile", tile);
    cJSON_AddStringToObject(one, "name", c->name);
    cJSON_AddStringToObject(one, "from", c->from);
    return one;
}

/* Adds a channel outside of the array: `kind` is its name, too. */
static void add_outside(cJSON *list, uint32_t y, uint32_t port, const char *kind, const char *tile) {
    const channel c = {OUTSIDE, y, port, NULL, "is", tile};
    cJSON_AddStringToObject(add_channel(list, &c, tile), "kind", kind);
}

/* Adds the loads and stores of the global buffer, and their copies of the kernel. */
static void add_streams(const pnr_design *d, cJSON *list, arena *mem) {
    const netlist *n = d->net;
    uint32_t copies = 0;
    for (uint32_t c = 0; c < n->cells.len; c++) {
        const net_cell_data *cell = &n->cells.at[c];
        const net_mode_info *mode = &net_mode_table[cell->mode];
        if (mode->tile != NET_TILE_IO)
            continue;
        const uint32_t x = d->site.at[c].x;
        const char *kind = cell->output ? "store" : "load",
                   *tile = arena_printf(mem, "x%uy0 %s", x, mode->name);
        const channel stream = {x,    0,    cell->output ? STORE_PORT : LOAD_PORT,
                                NULL, kind, cell->output ? tile : "global buffer"};
        cJSON *one = add_channel(list, &stream, tile);
        cJSON_AddStringToObject(one, "kind", kind);
        cJSON_AddNumberToObject(one, "copy", cell->copy);
        copies = cell->copy >= copies ? cell->copy + 1 : copies;
    }
    for (uint32_t c = 0; c < copies; c++)
        add_outside(list, 1 + c, 0, "copy", arena_printf(mem, "copy %u", c));
}

bool compile_write_channels(const compile_engine_in *in) {
    compile_context *ctx = in->ctx;
    const channels all = channels_of(in->decoded, ctx->mem);
    cJSON *json = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(json, "channels");
    for (uint32_t i = 0; i < all.len; i++) {
        const channel *c = &all.at[i];
        add_channel(list, c, arena_printf(ctx->mem, "x%uy%u %s", c->x, c->y, c->mode));
    }
    add_outside(list, 0, PROCESSOR_PORT, "processor", "processor");
    add_outside(list, 0, CONFIGURATION_PORT, "configuration", "configuration");
    add_streams(in->design, list, ctx->mem); /* a bitstream does not tell the copy of a tile */
    bool ok = json_write(json, arena_printf(ctx->mem, "%s/channels.json", in->folder), ctx->diag);
    cJSON_Delete(json);
    return ok;
}

/* GTKWave's translation of the control tokens: a value in hexadecimal, followed by its display text. */
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
