/* steps.c - PEs and tables of an operation, each linked to its operands. */
#include "lower_onyx/steps.h"
#include "lower_onyx/memory.h"

static const char *node_name(const step_making *m, const char *suffix) {
    return onyx_free_name(m->g, arena_printf(m->g->mem, "%s_%s", m->in->name, suffix));
}

static void lead(step_making *m, step_stream from, onyx_node to, onyx_port port) {
    if (from.node.v) {
        onyx_connect(m->g, from.node, from.port, to, port);
        return;
    }
    BUG_IF(m->out.sinks == ALU_MAX_SINKS, "%s has too many sinks", m->in->name);
    m->out.sink[m->out.sinks++] = (alu_sink){from.operand, to, port};
}

static step_stream add_pe(step_making *m, const alu_wanted *wanted, step_stream a, step_stream b) {
    const alu_made pe = alu_make(m->g, wanted);
    BUG_IF(!pe.result.v, "no PE for %s", wanted->operation);
    for (uint32_t k = 0; k < pe.sinks; k++)
        lead(m, pe.sink[k].operand ? b : a, pe.sink[k].node, pe.sink[k].port);
    return (step_stream){.node = pe.result, .port = ONYX_PORT_ALU_RES};
}

step_stream step_combine(step_making *m, const char *operation, step_stream a, step_stream b) {
    const alu_wanted wanted = {
        .operation = operation, .operands = 2, .name = node_name(m, operation), .loc = m->in->loc};
    return add_pe(m, &wanted, a, b);
}

step_stream step_change(step_making *m, const char *operation, step_stream a, uint16_t constant) {
    const alu_wanted wanted = {.operation = operation,
                               .operands = 2,
                               .constant = {{0}, {true, constant}},
                               .name = node_name(m, operation),
                               .loc = m->in->loc};
    return add_pe(m, &wanted, a, a);
}

step_stream step_change_by(step_making *m, const char *operation, uint16_t constant, step_stream b) {
    const alu_wanted wanted = {.operation = operation,
                               .operands = 2,
                               .constant = {{true, constant}, {0}},
                               .name = node_name(m, operation),
                               .loc = m->in->loc};
    return add_pe(m, &wanted, b, b);
}

step_stream step_look_up(step_making *m, const uint16_t *words, uint32_t n, step_stream index) {
    onyx_graph *g = m->g;
    const char *tile = node_name(m, "table"), *name = onyx_free_name(g, arena_printf(g->mem, "in_%s", tile));
    const onyx_node glb = onyx_add_node(g, ONYX_GLB_IN, name, name, m->in->loc);
    onyx_node_data *stream = onyx_node_at(g, glb);
    uint16_t *kept = arena_new_n(g->mem, uint16_t, n);
    memcpy(kept, words, sizeof *kept * n);
    stream->tensor = names_intern(g->names, tile);
    stream->level = SAM_MODE_VALS;
    stream->blocks = 1;
    stream->table = (sam_table){kept, n};
    const onyx_memory memory = onyx_add_memory(g, tile, m->in->loc, true);
    onyx_set(onyx_node_at(g, memory.write), ONYX_SET_WRITE_SCANNER_BLOCK_MODE, 1);
    onyx_connect(g, glb, ONYX_PORT_GLB_IN_DATA, memory.write, ONYX_PORT_WRITE_SCANNER_BLOCK_WR_IN);
    lead(m, index, memory.read, ONYX_PORT_READ_SCANNER_US_POS_IN);
    return (step_stream){.node = memory.read, .port = ONYX_PORT_READ_SCANNER_VAL_OUT};
}
