/* pack.c - one PE primitive a PE tile, one memory triplet a MEM tile, one global buffer stream an IO tile;
 * the settings become configuration fields. O(nodes * tiles + links log links).
 */
#include <stdlib.h>

#include "lower_onyx/lower_int.h"

/* An operand's register in this mode reads the port; 0 reads the constant of the instruction word. */
enum { REGISTER_BYPASS = 2 };

/* ---- configuration fields -------------------------------------------------------------------- */

static void add_value(netlist *n, net_cell_data *c, name_id id, uint32_t value) {
    for (uint32_t i = 0; i < c->config.len; i++) {
        if (name_eq(c->config.at[i].field, id))
            return;
    }
    if (value != 0)
        vec_push(n->mem, &c->config, (net_config){id, value});
}

static void add_register(netlist *n, net_cell_data *c, const char *field, uint32_t value) {
    add_value(n, c, names_intern(n->names, field), value);
}

/* Names a field of CONFIG_SPACE: `prefix` stands between the mode's own and the name. */
static name_id name_field(netlist *n, const net_cell_data *c, const char *prefix, const char *field) {
    return names_intern(n->names,
                        arena_printf(n->mem, "%s%s%s", net_mode_table[c->mode].prefix, prefix, field));
}

/* Adds a field of CONFIG_SPACE, which is 0 where none is added. */
static void add_field(netlist *n, net_cell_data *c, const char *prefix, const char *field, uint32_t value) {
    if (value != 0)
        add_value(n, c, name_field(n, c, prefix, field), value);
}

static void add_instruction(netlist *n, net_cell_data *c, const onyx_node_data *node) {
    static const char prefix[] = "onyxpeintf_inst.";
    static const char *const modes[] = {"rega_mode", "regb_mode", "regc_mode",
                                        "regd_mode", "rege_mode", "regf_mode"};
    static const char *const constants[] = {"const0", "const1", "const2"};
    const onyx_alu_op *op = node->op;
    uint32_t constants_of = op->constants | node->constants;
    add_field(n, c, prefix, "kind", op->kind);
    add_field(n, c, prefix, "opcode", op->opcode);
    add_field(n, c, prefix, "signed", op->is_signed);
    for (uint32_t r = 0; r < sizeof modes / sizeof *modes; r++)
        add_field(n, c, prefix, modes[r], constants_of >> r & 1 ? 0 : REGISTER_BYPASS);
    for (uint32_t r = 0; r < sizeof constants / sizeof *constants; r++)
        add_field(n, c, prefix, constants[r], node->constants >> r & 1 ? node->constant[r] : op->value[r]);
    add_field(n, c, prefix, "bit0", op->bit0);
}

/* `named` keeps the names of settings for the next node of a kind. */
static void add_node_fields(netlist *n, net_cell_data *c, const onyx_node_data *node, name_id *named) {
    const char *prefix = onyx_kind_table[node->kind].prefix;
    if (prefix == NULL)
        return;
    add_field(n, c, prefix, "tile_en", 1);
    for (uint32_t s = 1; s < ONYX_SETTINGS; s++) {
        const uint32_t value = onyx_setting_table[s].kind == node->kind ? onyx_get(node, (onyx_setting)s) : 0;
        if (value != 0 && named[s].v == 0)
            named[s] = name_field(n, c, prefix, onyx_setting_table[s].name);
        if (value != 0)
            add_value(n, c, named[s], value);
    }
    if (node->op != NULL)
        add_instruction(n, c, node);
}

/* The three units of a memory tile work only if all are enabled, even units idle in a dense scanner. */
static void add_tile_fields(netlist *n, net_cell_data *c) {
    add_register(n, c, "tile_en", 1);
    add_register(n, c, "mode", net_mode_table[c->mode].chip_mode);
    if (c->mode != NET_MODE_FIBER_ACCESS)
        return;
    add_field(n, c, "", "tile_en", 1);
    const onyx_kind kinds[] = {ONYX_WRITE_SCANNER, ONYX_BUFFET, ONYX_READ_SCANNER};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        add_field(n, c, onyx_kind_table[kinds[i]].prefix, "tile_en", 1);
    add_field(n, c, onyx_kind_table[ONYX_BUFFET].prefix, "buffet_capacity_log_0", ONYX_CAPACITY_LOG);
    add_field(n, c, onyx_kind_table[ONYX_BUFFET].prefix, "buffet_capacity_log_1", ONYX_CAPACITY_LOG);
}

static void sort_fields(const netlist *n, net_cell_data *c) {
    for (uint32_t i = 1; i < c->config.len; i++) {
        net_config field = c->config.at[i];
        uint32_t k = i;
        for (; k > 0 &&
               strcmp(names_text(n->names, c->config.at[k - 1].field), names_text(n->names, field.field)) > 0;
             k--)
            c->config.at[k] = c->config.at[k - 1];
        c->config.at[k] = field;
    }
}

/* ---- cells ----------------------------------------------------------------------------------- */

static char tag_of(net_tile tile) {
    switch (tile) {
    case NET_TILE_PE:
        return 'p';
    case NET_TILE_MEM:
        return 'm';
    case NET_TILE_IO:
        return 'I';
    case NET_TILE_NONE:
        break;
    }
    BUG("no tag for tile kind %d", (int)tile);
}

static net_cell add_cell(netlist *n, const onyx_node_data *node) {
    for (uint32_t i = 0; i < n->cells.len; i++) {
        if (name_eq(n->cells.at[i].name, node->tile))
            return (net_cell){i + 1};
    }
    net_mode mode = onyx_kind_table[node->kind].mode;
    net_cell_data cell = {.mode = mode,
                          .name = node->tile,
                          .tag = tag_of(net_mode_table[mode].tile),
                          .number = n->cells.len,
                          .sam = node->sam,
                          .loc = node->loc,
                          .output = mode == NET_MODE_IO_OUT,
                          .tensor = node->tensor,
                          .level = node->level,
                          .num_blocks = node->blocks,
                          .table = node->table};
    vec_push(n->mem, &n->cells, cell);
    return (net_cell){n->cells.len};
}

/* ---- nets ------------------------------------------------------------------------------------ */

static int compare_pins(net_pin a, net_pin b) {
    if (a.cell.v != b.cell.v)
        return a.cell.v < b.cell.v ? -1 : 1;
    return (int)a.port - (int)b.port;
}

typedef struct {
    net_pin source, sink;
} pin_pair;

static int compare_pairs(const void *left, const void *right) {
    const pin_pair *a = left, *b = right;
    int order = compare_pins(a->source, b->source);
    return order != 0 ? order : compare_pins(a->sink, b->sink);
}

static void add_nets(netlist *n, const onyx_graph *g, const net_cell *cell_of) {
    pin_pair *pairs = arena_new_n(n->mem, pin_pair, g->links.len + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < g->links.len; i++) {
        const onyx_link *l = &g->links.at[i];
        uint8_t from = onyx_port_table[l->source_port].tile_port,
                to = onyx_port_table[l->sink_port].tile_port;
        if (from != ONYX_INSIDE && to != ONYX_INSIDE)
            pairs[count++] = (pin_pair){{cell_of[l->source.v - 1], from}, {cell_of[l->sink.v - 1], to}};
    }
    qsort(pairs, count, sizeof *pairs, compare_pairs);
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || compare_pins(pairs[i].source, pairs[i - 1].source) != 0)
            vec_push(n->mem, &n->nets, (net_data){.source = pairs[i].source});
        vec_push(n->mem, &n->nets.at[n->nets.len - 1].sinks, pairs[i].sink);
    }
}

bool lower_pack(const onyx_graph *g, arena *mem, diagnostics *d, netlist *out) {
    *out = (netlist){.mem = mem, .names = g->names};
    net_cell *cell_of = arena_new_n(mem, net_cell, g->nodes.len + 1);
    name_id named[ONYX_SETTINGS] = {0};
    for (uint32_t i = 0; i < g->nodes.len; i++) {
        cell_of[i] = add_cell(out, &g->nodes.at[i]);
        add_node_fields(out, net_cell_at(out, cell_of[i]), &g->nodes.at[i], named);
    }
    for (uint32_t i = 0; i < out->cells.len; i++) {
        add_tile_fields(out, &out->cells.at[i]);
        sort_fields(out, &out->cells.at[i]);
    }
    add_nets(out, g, cell_of);
    return net_check(out, d);
}
