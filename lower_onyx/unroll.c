/* unroll.c - a netlist several times on one array. */
#include "lower_onyx/lower_onyx.h"

static name_id name_in_copy(const netlist *one, uint32_t cell, const char *suffix, uint32_t copy) {
    const char *name = names_text(one->names, one->cells.at[cell].name);
    return names_intern(one->names, arena_printf(one->mem, "%s%s%u", name, suffix, copy));
}

/* Does a cell of the kernel have a name that a copy would get? Copies' names differ: the last part tells the
 * copy, what is before it the cell. */
static bool suffix_taken(const netlist *one, const char *suffix, uint32_t copies) {
    for (uint32_t i = one->cells.len; i < one->cells.len * copies; i++) {
        name_id name = name_in_copy(one, i % one->cells.len, suffix, i / one->cells.len);
        for (uint32_t c = 0; c < one->cells.len; c++) {
            if (name_eq(one->cells.at[c].name, name))
                return true;
        }
    }
    return false;
}

bool net_unroll(const netlist *one, uint32_t copies, arena *mem, diagnostics *d, netlist *out) {
    const char *suffix = "_u";
    uint32_t cells = one->cells.len, numbers = 0;
    *out = (netlist){.mem = mem, .names = one->names};
    while (suffix_taken(one, suffix, copies))
        suffix = arena_printf(mem, "%su", suffix);
    for (uint32_t i = 0; i < cells; i++)
        numbers = one->cells.at[i].number >= numbers ? one->cells.at[i].number + 1 : numbers;
    for (uint32_t i = 0; i < cells * copies; i++) {
        net_cell_data cell = one->cells.at[i % cells];
        cell.copy = i / cells;
        cell.number += cell.copy * numbers;
        if (cell.copy)
            cell.name = name_in_copy(one, i % cells, suffix, cell.copy);
        vec_push(mem, &out->cells, cell);
    }
    for (uint32_t i = 0; i < one->nets.len * copies; i++) {
        const net_data *net = &one->nets.at[i % one->nets.len];
        uint32_t first = i / one->nets.len * cells;
        net_data copy = {.source = {{net->source.cell.v + first}, net->source.port}};
        for (uint32_t s = 0; s < net->sinks.len; s++) {
            net_pin sink = {{net->sinks.at[s].cell.v + first}, net->sinks.at[s].port};
            vec_push(mem, &copy.sinks, sink);
        }
        vec_push(mem, &out->nets, copy);
    }
    return net_check(out, d);
}
