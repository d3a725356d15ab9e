/* netlist.c - the netlist of tiles: tables, JSON form. */
#include "lower_onyx/lower_onyx.h"

#include "boards/onyx/fabric.h"

/* clang-format off */
enum {
#define ONYX_NODE(kind, name, mode, prefix, doc) MODE_OF_##kind = NET_MODE_##mode,
#define ONYX_SETTING(kind, setting, name, bits)
#define ONYX_PORT(kind, port, name, direction, tile_port, need, when, doc)
#define ONYX_SHARED_PORT(...)
#define ONYX_INNER_PORT(...)
#define ONYX_WIRE(bundle, signal, name, width, direction)
#include "lower_onyx/nodes.def"
#undef ONYX_NODE
#undef ONYX_PORT
};

#define PORTS_IN port_in
#define PORTS_OUT port_out
const net_mode_info net_mode_table[NET_MODES] = {
    [NET_MODE_NONE] = {.name = "none", .doc = ""},
#define TILE_MODE(constant, mode_name, kind, value, fields, early, flow, module, in, out, constants, monitors, hazards, what) \
    [NET_MODE_##constant] = {.name = mode_name, .tile = NET_TILE_##kind, .chip_mode = value, .prefix = fields, .doc = what},
#include "lower_onyx/tiles.def"
#undef TILE_MODE
#define ONYX_NODE(kind, name, mode, prefix, doc)
#define ONYX_PORT(kind, port, name, direction, tile_port, need, when, doc) \
    [MODE_OF_##kind].PORTS_##direction[tile_port] = name,
#include "lower_onyx/nodes.def"
    [NET_MODE_IO_IN].port_out[0] = "io2f", /* an IO tile's ports are named after their connections */
    [NET_MODE_IO_OUT].port_in[0] = "f2io",
};
/* clang-format on */

const net_config *net_find_config(const netlist *n, const net_cell_data *c, const char *field) {
    const name_id id = names_find(n->names, field);
    for (uint32_t i = 0; i < c->config.len && id.v != 0; i++) {
        if (name_eq(c->config.at[i].field, id))
            return &c->config.at[i];
    }
    return NULL;
}

uint32_t net_config_of(const netlist *n, const net_cell_data *c, const char *field) {
    const net_config *config = net_find_config(n, c, field);
    return config ? config->value : 0;
}

const char *net_id_text(const netlist *n, uint32_t net, arena *mem) {
    name_id id = n->nets.at[net].id;
    return id.v ? names_text(n->names, id) : arena_printf(mem, "e%u", net);
}

const char *net_port_name(net_tile tile, bool output, uint8_t port) {
    static const char *const pe_in[] = {"PE_input_width_17_num_0", "PE_input_width_17_num_1",
                                        "PE_input_width_17_num_2", "PE_input_width_17_num_3"};
    static const char *const pe_out[] = {"PE_output_width_17_num_0", "PE_output_width_17_num_1",
                                         "PE_output_width_17_num_2"};
    static const char *const mem_in[] = {"MEM_input_width_17_num_0", "MEM_input_width_17_num_1",
                                         "MEM_input_width_17_num_2", "MEM_input_width_17_num_3"};
    static const char *const mem_out[] = {"MEM_output_width_17_num_0", "MEM_output_width_17_num_1",
                                          "MEM_output_width_17_num_2"};
    uint8_t ports = tile == NET_TILE_IO ? 1 : output ? 3 : 4;
    BUG_IF(port >= ports, "%s port %u of tile kind %d", output ? "output" : "input", port, (int)tile);
    switch (tile) {
    case NET_TILE_PE:
        return output ? pe_out[port] : pe_in[port];
    case NET_TILE_MEM:
        return output ? mem_out[port] : mem_in[port];
    case NET_TILE_IO:
        return output ? "io2f_17_0" : "f2io_17_0";
    case NET_TILE_NONE:
        break;
    }
    BUG("tile kind %d has no ports", (int)tile);
}

enum { DATA_IN = 3 }; /* of a fiber access */

/* Returns whether the pin's cell sends words before the first input at the pin: the memory of an accumulator,
 * a scanner that skips, or a gate, without input from itself. */
static bool starts_itself(const netlist *n, net_pin source, net_pin sink) {
    const net_cell_data *c = net_cell_at(n, sink.cell);
    return source.cell.v == sink.cell.v || net_listens(n, sink) ||
           (c->mode == NET_MODE_FIBER_ACCESS && sink.port == DATA_IN &&
            net_config_of(n, c, "fiber_access_16_inst_write_scanner_init_blank") != 0);
}

void net_sort_cells(const netlist *n, arena *mem, u32_vec *order, u32_vec *driven) {
    uint32_t *waits = arena_new_n(mem, uint32_t, n->cells.len + 1);
    for (uint32_t i = 0; i < n->nets.len; i++) {
        const net_data *net = &n->nets.at[i];
        vec_push(mem, &driven[net->source.cell.v - 1], i);
        for (uint32_t s = 0; s < net->sinks.len; s++)
            waits[net->sinks.at[s].cell.v - 1] += !starts_itself(n, net->source, net->sinks.at[s]);
    }
    for (uint32_t c = 0; c < n->cells.len; c++) {
        if (waits[c] == 0)
            vec_push(mem, order, c);
    }
    for (uint32_t i = 0; i < order->len; i++) {
        const u32_vec *nets = &driven[order->at[i]];
        for (uint32_t k = 0; k < nets->len; k++) {
            const net_data *net = &n->nets.at[nets->at[k]];
            for (uint32_t s = 0; s < net->sinks.len; s++) {
                net_pin sink = net->sinks.at[s];
                if (!starts_itself(n, net->source, sink) && --waits[sink.cell.v - 1] == 0)
                    vec_push(mem, order, sink.cell.v - 1);
            }
        }
    }
}

/* ---- to JSON --------------------------------------------------------------------------------- */

static cJSON *config_to_json(const netlist *n, const net_cell_data *c) {
    cJSON *config = cJSON_CreateObject();
    for (uint32_t i = 0; i < c->config.len; i++) {
        cJSON_AddNumberToObject(config, names_text(n->names, c->config.at[i].field), c->config.at[i].value);
    }
    return config;
}

static cJSON *cell_to_json(const netlist *n, const net_cell_data *c) {
    cJSON *json = cJSON_CreateObject();
    char tag[2] = {c->tag, '\0'};
    cJSON_AddStringToObject(json, "name", names_text(n->names, c->name));
    cJSON_AddStringToObject(json, "mode", net_mode_table[c->mode].name);
    cJSON_AddStringToObject(json, "tag", tag);
    cJSON_AddNumberToObject(json, "number", c->number);
    if (c->sam.v)
        cJSON_AddStringToObject(json, "sam", names_text(n->names, c->sam));
    cJSON_AddItemToObject(json, "config", config_to_json(n, c));
    if (net_mode_table[c->mode].tile == NET_TILE_IO) {
        cJSON *stream = cJSON_AddObjectToObject(json, "stream");
        cJSON_AddStringToObject(stream, "tensor", names_text(n->names, c->tensor));
        cJSON_AddNumberToObject(stream, "level", c->level);
        cJSON_AddNumberToObject(stream, "num_blocks", c->num_blocks);
        cJSON *words = c->table.n ? cJSON_AddArrayToObject(stream, "words") : NULL;
        for (uint32_t i = 0; i < c->table.n; i++)
            cJSON_AddItemToArray(words, cJSON_CreateNumber(c->table.word[i]));
        if (c->copy)
            cJSON_AddNumberToObject(stream, "copy", c->copy);
        if (c->kernel)
            cJSON_AddNumberToObject(stream, "part", c->kernel);
    } else if (c->kernel) {
        cJSON_AddNumberToObject(json, "part", c->kernel);
    }
    return json;
}

static cJSON *pin_to_json(const netlist *n, net_pin pin) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "cell", names_text(n->names, net_cell_at(n, pin.cell)->name));
    cJSON_AddNumberToObject(json, "port", pin.port);
    return json;
}

cJSON *net_to_json(const netlist *n) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "format_version", 1);
    cJSON *cells = cJSON_AddArrayToObject(json, "cells");
    for (uint32_t i = 0; i < n->cells.len; i++)
        cJSON_AddItemToArray(cells, cell_to_json(n, &n->cells.at[i]));
    cJSON *nets = cJSON_AddArrayToObject(json, "nets");
    for (uint32_t i = 0; i < n->nets.len; i++) {
        cJSON *net = cJSON_CreateObject();
        cJSON_AddItemToObject(net, "source", pin_to_json(n, n->nets.at[i].source));
        cJSON *sinks = cJSON_AddArrayToObject(net, "sinks");
        for (uint32_t s = 0; s < n->nets.at[i].sinks.len; s++)
            cJSON_AddItemToArray(sinks, pin_to_json(n, n->nets.at[i].sinks.at[s]));
        cJSON_AddItemToArray(nets, net);
    }
    return json;
}

/* ---- from JSON ------------------------------------------------------------------------------- */

static bool json_fault(diagnostics *d, const char *where, const char *key, const char *what) {
    diag_error(d, (src_loc){0}, "E0440-netlist-json", "%s: \"%s\" %s", where, key, what);
    return diag_hint(d, "docs/dump.md describes the file");
}

static bool is_u32(const cJSON *v) {
    return cJSON_IsNumber(v) && v->valuedouble >= 0 && v->valuedouble <= UINT32_MAX &&
           v->valuedouble == (double)(uint32_t)v->valuedouble;
}

static bool config_from_json(const cJSON *json, netlist *n, net_cell_data *c, diagnostics *d) {
    const cJSON *field;
    cJSON_ArrayForEach(field, json) {
        if (!is_u32(field))
            return json_fault(d, field->string, "config", "is not a number of 32 bits");
        vec_push(n->mem, &c->config,
                 (net_config){names_intern(n->names, field->string), (uint32_t)field->valuedouble});
    }
    return true;
}

/* Reads the words of a stream's table, if present. */
static bool table_from_json(const cJSON *stream, const char *name, netlist *n, net_cell_data *c,
                            diagnostics *d) {
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(stream, "words"), *item;
    uint16_t *words = arena_new_n(n->mem, uint16_t, (size_t)cJSON_GetArraySize(list) + 1);
    cJSON_ArrayForEach(item, list) {
        if (!is_u32(item) || item->valuedouble > UINT16_MAX)
            return json_fault(d, name, "words", "are not all numbers of 16 bits");
        words[c->table.n++] = (uint16_t)item->valuedouble;
    }
    c->table.word = words;
    return true;
}

/* Message about a number without contents. */
static const char no_stream[] = "is no storage level"
#define CONTENTS(constant, number, text, words, ...) ", nor -" #number " (" words ")"
#include "sam/contents.def"
    ;

/* Reads an IO cell's stream. */
static bool stream_from_json(const cJSON *json, const char *name, netlist *n, net_cell_data *c,
                             diagnostics *d) {
    const char *tensor;
    const cJSON *stream = json_get_object(json, name, "stream", d);
    if (stream == NULL || !json_get_text(stream, name, "tensor", &tensor, d) ||
        !json_get_u32(stream, name, "num_blocks", &c->num_blocks, d))
        return false;
    const cJSON *level = cJSON_GetObjectItemCaseSensitive(stream, "level");
    if (!cJSON_IsNumber(level) || !sam_is_stream(level->valuedouble))
        return json_fault(d, name, "level", no_stream);
    if ((cJSON_HasObjectItem(stream, "copy") && !json_get_u32(stream, name, "copy", &c->copy, d)) ||
        (cJSON_HasObjectItem(stream, "part") && !json_get_u32(stream, name, "part", &c->kernel, d)))
        return false;
    if (!table_from_json(stream, name, n, c, d))
        return false;
    c->level = level->valueint;
    c->tensor = names_intern(n->names, tensor);
    c->output = c->mode == NET_MODE_IO_OUT;
    return true;
}

static bool cell_from_json(const cJSON *json, netlist *n, diagnostics *d) {
    const char *name, *mode, *tag;
    net_cell_data c = {.mode = NET_MODE_NONE};
    if (!json_get_text(json, "cell", "name", &name, d) || !json_get_text(json, name, "mode", &mode, d) ||
        !json_get_text(json, name, "tag", &tag, d) || !json_get_u32(json, name, "number", &c.number, d))
        return false;
    for (uint32_t m = 1; m < NET_MODES; m++) {
        if (strcmp(net_mode_table[m].name, mode) == 0)
            c.mode = (net_mode)m;
    }
    if (c.mode == NET_MODE_NONE)
        return json_fault(d, name, "mode", "is no tile mode");
    c.name = names_intern(n->names, name);
    c.tag = tag[0];
    const cJSON *sam = cJSON_GetObjectItemCaseSensitive(json, "sam");
    if (cJSON_IsString(sam))
        c.sam = names_intern(n->names, sam->valuestring);
    const cJSON *config = json_get_object(json, name, "config", d);
    if (config == NULL || !config_from_json(config, n, &c, d))
        return false;
    if (cJSON_HasObjectItem(json, "part") && !json_get_u32(json, name, "part", &c.kernel, d))
        return false;
    if (net_mode_table[c.mode].tile == NET_TILE_IO && !stream_from_json(json, name, n, &c, d))
        return false;
    vec_push(n->mem, &n->cells, c);
    return true;
}

static bool pin_from_json(const cJSON *json, const netlist *n, diagnostics *d, net_pin *out) {
    const char *name;
    uint32_t port;
    if (!json_get_text(json, "pin", "cell", &name, d) || !json_get_u32(json, name, "port", &port, d))
        return false;
    name_id id = names_find(n->names, name);
    *out = (net_pin){.port = (uint8_t)port};
    for (uint32_t i = 0; i < n->cells.len && id.v != 0; i++) {
        if (name_eq(n->cells.at[i].name, id))
            out->cell = (net_cell){i + 1};
    }
    if (out->cell.v == 0)
        return json_fault(d, name, "cell", "of a net names no cell");
    return port <= 3 || json_fault(d, name, "port", "of a net is above 3");
}

static bool net_from_json_one(const cJSON *json, netlist *n, diagnostics *d) {
    net_data net = {.source = {{0}, 0}};
    const cJSON *source = json_get_object(json, "net", "source", d);
    const cJSON *sinks = source == NULL ? NULL : json_get_array(json, "net", "sinks", d);
    if (sinks == NULL || !pin_from_json(source, n, d, &net.source))
        return false;
    const cJSON *sink;
    cJSON_ArrayForEach(sink, sinks) {
        net_pin pin;
        if (!pin_from_json(sink, n, d, &pin))
            return false;
        vec_push(n->mem, &net.sinks, pin);
    }
    vec_push(n->mem, &n->nets, net);
    return true;
}

bool net_from_json(const cJSON *json, name_table *names, arena *mem, diagnostics *d, netlist *out) {
    *out = (netlist){.mem = mem, .names = names};
    uint32_t version;
    if (!json_get_u32(json, "netlist", "format_version", &version, d))
        return false;
    if (version != 1)
        return json_fault(d, "netlist", "format_version", "is not 1");
    const cJSON *cells = json_get_array(json, "netlist", "cells", d);
    const cJSON *nets = cells == NULL ? NULL : json_get_array(json, "netlist", "nets", d);
    if (nets == NULL)
        return false;
    const cJSON *item;
    cJSON_ArrayForEach(item, cells) {
        if (!cell_from_json(item, out, d))
            return false;
    }
    cJSON_ArrayForEach(item, nets) {
        if (!net_from_json_one(item, out, d))
            return false;
    }
    return true;
}
