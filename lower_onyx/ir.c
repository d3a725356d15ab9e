/* ir.c - tables and construction of the Onyx-aware dataflow IR. */
#include "lower_onyx/lower_int.h"

/* ---- tables: one per macro of nodes.def and neighbours.def ----------------------------------- */

/* clang-format off */
#define ONYX_NODE(kind, name, mode, prefix, doc)
#define ONYX_SETTING(kind, setting, name, bits)
#define ONYX_PORT(kind, port, name, direction, tile_port, need, when, doc)
#define ONYX_WIRE(bundle, signal, name, width, direction)

const onyx_kind_info onyx_kind_table[ONYX_KINDS] = {
#undef ONYX_NODE
#define ONYX_NODE(kind, name, mode, prefix, doc) [ONYX_##kind] = {name, prefix, doc, NET_MODE_##mode},
#include "lower_onyx/nodes.def"
#undef ONYX_NODE
#define ONYX_NODE(kind, name, mode, prefix, doc)
};

#define IN false
#define OUT true
#define REQUIRED true
#define OPTIONAL false
#define INSIDE ONYX_INSIDE
const onyx_port_info onyx_port_table[ONYX_PORTS] = {
#undef ONYX_PORT
#define ONYX_PORT(kind, port, name, direction, tile_port, need, when, doc) \
    [ONYX_PORT_##kind##_##port] = {ONYX_##kind, name, direction, tile_port, need, when, doc},
#include "lower_onyx/nodes.def"
#undef ONYX_PORT
#define ONYX_PORT(kind, port, name, direction, tile_port, need, when, doc)
};

const onyx_setting_info onyx_setting_table[ONYX_SETTINGS] = {
#undef ONYX_SETTING
#define ONYX_SETTING(kind, setting, name, bits) [ONYX_SET_##kind##_##setting] = {ONYX_##kind, name, bits},
#include "lower_onyx/nodes.def"
#undef ONYX_SETTING
#define ONYX_SETTING(kind, setting, name, bits)
};

#define FORWARD false
#define BACKWARD true
const onyx_wire_info onyx_wire_table[] = {
#undef ONYX_WIRE
#define ONYX_WIRE(bundle, signal, name, width, direction) \
    {ONYX_BUNDLE_##bundle, ONYX_SIGNAL_##signal, width, direction},
#include "lower_onyx/nodes.def"
#undef ONYX_WIRE
};
const uint32_t onyx_wire_count = sizeof onyx_wire_table / sizeof *onyx_wire_table;

#define ONE false
#define MANY true
#define NEIGHBOUR(source, source_port, sink, sink_port, bundle, count, rule) \
    {ONYX_PORT_##source##_##source_port, ONYX_PORT_##sink##_##sink_port, ONYX_BUNDLE_##bundle, count, rule},
const onyx_rule onyx_rule_table[] = {
#include "lower_onyx/neighbours.def"
};
const uint32_t onyx_rule_count = sizeof onyx_rule_table / sizeof *onyx_rule_table;

#undef NEIGHBOUR
#define NEIGHBOUR(source, source_port, sink, sink_port, bundle, count, rule) \
    RULE_##source##_##source_port##_##sink##_##sink_port,
enum {
#include "lower_onyx/neighbours.def"
};
/* 1 + the place of the rule that links two ports; 0: none does. */
#undef NEIGHBOUR
#define NEIGHBOUR(source, source_port, sink, sink_port, bundle, count, rule) \
    [ONYX_PORT_##source##_##source_port][ONYX_PORT_##sink##_##sink_port] = \
        1 + RULE_##source##_##source_port##_##sink##_##sink_port,
static const uint16_t rule_of[ONYX_PORTS][ONYX_PORTS] = {
#include "lower_onyx/neighbours.def"
};

#define A ONYX_REG_A
#define B ONYX_REG_B
#define C ONYX_REG_C
#define D ONYX_REG_D
#define ALU_OP(name, bf16, streams, kind, opcode, is_signed, constants, const0, const1, const2, bit0, constant_in) \
    {name, bf16, streams, kind, opcode, is_signed, constants, {const0, const1, const2}, bit0, constant_in},
const onyx_alu_op onyx_alu_table[] = {
#include "lower_onyx/alu.def"
};
#undef A
#undef B
#undef C
#undef D
const uint32_t onyx_alu_count = sizeof onyx_alu_table / sizeof *onyx_alu_table;
/* clang-format on */

const char *const onyx_signal_name[ONYX_SIGNALS] = {
    [ONYX_SIGNAL_NONE] = "",
    [ONYX_SIGNAL_DATA] = "data",
    [ONYX_SIGNAL_VALID] = "valid",
    [ONYX_SIGNAL_READY] = "ready",
};

/* ---- look-ups -------------------------------------------------------------------------------- */

const char *onyx_node_name(const onyx_graph *g, onyx_node h) {
    return names_text(g->names, onyx_node_at(g, h)->name);
}

const onyx_rule *onyx_rule_find(onyx_port source, onyx_port sink) {
    const uint16_t rule = rule_of[source][sink];
    return rule ? &onyx_rule_table[rule - 1] : NULL;
}

const onyx_alu_op *onyx_alu_find(const char *name, bool bf16) {
    for (uint32_t i = 0; i < onyx_alu_count; i++) {
        if (onyx_alu_table[i].bf16 == bf16 && strcmp(onyx_alu_table[i].name, name) == 0)
            return &onyx_alu_table[i];
    }
    return NULL;
}

/* Returns the position of a setting among the settings of its kind. */
static uint32_t setting_slot(onyx_setting setting) {
    uint32_t slot = 0;
    while (onyx_setting_table[setting - 1 - slot].kind == onyx_setting_table[setting].kind)
        slot++;
    BUG_IF(slot >= ONYX_MAX_SETTINGS, "more than %d settings", ONYX_MAX_SETTINGS);
    return slot;
}

void onyx_set(onyx_node_data *node, onyx_setting setting, uint32_t value) {
    BUG_IF(onyx_setting_table[setting].kind != node->kind, "setting %s of another kind",
           onyx_setting_table[setting].name);
    node->setting[setting_slot(setting)] = value;
}

uint32_t onyx_get(const onyx_node_data *node, onyx_setting setting) {
    BUG_IF(onyx_setting_table[setting].kind != node->kind, "setting %s of another kind",
           onyx_setting_table[setting].name);
    return node->setting[setting_slot(setting)];
}

static uint32_t setting_by_name(const onyx_node_data *node, const char *name, size_t length) {
    for (uint32_t s = 1; s < ONYX_SETTINGS; s++) {
        const onyx_setting_info *info = &onyx_setting_table[s];
        if (info->kind == node->kind && strlen(info->name) == length && memcmp(info->name, name, length) == 0)
            return onyx_get(node, (onyx_setting)s);
    }
    BUG("nodes.def: no setting %.*s", (int)length, name);
}

bool onyx_port_live(const onyx_node_data *node, onyx_port port) {
    for (const char *p = onyx_port_table[port].when; *p != '\0';) {
        bool negated = *p == '!';
        p += negated;
        size_t length = strcspn(p, " ");
        if ((setting_by_name(node, p, length) != 0) == negated)
            return false;
        p += length;
        p += *p == ' ';
    }
    return true;
}

/* ---- construction ---------------------------------------------------------------------------- */

onyx_node onyx_add_node(onyx_graph *g, onyx_kind kind, const char *name, const char *tile, src_loc loc) {
    vec_push(g->mem, &g->nodes,
             (onyx_node_data){.kind = kind,
                              .loc = loc,
                              .name = names_intern(g->names, name),
                              .tile = names_intern(g->names, tile)});
    return (onyx_node){g->nodes.len};
}

void onyx_connect(onyx_graph *g, onyx_node source, onyx_port source_port, onyx_node sink,
                  onyx_port sink_port) {
    const onyx_rule *rule = onyx_rule_find(source_port, sink_port);
    BUG_IF(rule == NULL, "no rule for %s.%s -> %s.%s", onyx_node_name(g, source),
           onyx_port_table[source_port].name, onyx_node_name(g, sink), onyx_port_table[sink_port].name);
    onyx_link link = {.source = source,
                      .sink = sink,
                      .source_port = source_port,
                      .sink_port = sink_port,
                      .loc = onyx_node_at(g, sink)->loc};
    for (uint32_t i = 0; i < onyx_wire_count; i++) {
        const onyx_wire_info *w = &onyx_wire_table[i];
        if (w->bundle == rule->bundle)
            link.wire[link.wires++] = (onyx_wire){w->signal, w->width, w->backward};
    }
    vec_push(g->mem, &g->links, link);
}
