/* unroll.c - copies of a netlist on one array, and several netlists on one array. */
#include "lower_onyx/join.h"

static name_id name_in_copy(const netlist *one, uint32_t cell, const char *suffix, uint32_t copy) {
    const char *name = names_text(one->names, one->cells.at[cell].name);
    return names_intern(one->names, arena_printf(one->mem, "%s%s%u", name, suffix, copy));
}

/* Returns whether a cell of the kernel has a name of a future copy. Names of copies differ: the last word is
 * the copy, the rest the cell. */
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

static uint32_t first_free_number(const netlist *n) {
    uint32_t numbers = 0;
    for (uint32_t i = 0; i < n->cells.len; i++)
        numbers = n->cells.at[i].number >= numbers ? n->cells.at[i].number + 1 : numbers;
    return numbers;
}

/* Adds the nets of one netlist to another, whose cells come after `first` others. */
static void add_nets(const netlist *one, uint32_t first, netlist *out) {
    for (uint32_t i = 0; i < one->nets.len; i++) {
        const net_data *net = &one->nets.at[i];
        net_data copy = {.source = {{net->source.cell.v + first}, net->source.port}};
        for (uint32_t s = 0; s < net->sinks.len; s++) {
            net_pin sink = {{net->sinks.at[s].cell.v + first}, net->sinks.at[s].port};
            vec_push(out->mem, &copy.sinks, sink);
        }
        vec_push(out->mem, &out->nets, copy);
    }
}

bool net_unroll(const netlist *one, uint32_t copies, arena *mem, diagnostics *d, netlist *out) {
    const char *suffix = "_u";
    const uint32_t cells = one->cells.len, numbers = first_free_number(one);
    *out = (netlist){.mem = mem, .names = one->names};
    while (suffix_taken(one, suffix, copies))
        suffix = arena_printf(mem, "%su", suffix);
    for (uint32_t i = 0; i < cells * copies; i++) {
        net_cell_data cell = one->cells.at[i % cells];
        cell.copy = i / cells;
        cell.number += cell.copy * numbers;
        if (cell.copy)
            cell.name = name_in_copy(one, i % cells, suffix, cell.copy);
        vec_push(mem, &out->cells, cell);
    }
    for (uint32_t c = 0; c < copies; c++)
        add_nets(one, c * cells, out);
    return net_check(out, d);
}

/* Does a cell have this name? */
static bool is_cell(const netlist *n, name_id name) {
    bool is = false;
    for (uint32_t c = 0; c < n->cells.len; c++)
        is = is || name_eq(n->cells.at[c].name, name);
    return is;
}

bool net_join(const netlist *const *kernels, uint32_t n, arena *mem, diagnostics *d, netlist *out) {
    *out = (netlist){.mem = mem, .names = kernels[0]->names};
    for (uint32_t p = 0; p < n; p++) {
        const uint32_t first = out->cells.len, number = first_free_number(out);
        for (uint32_t i = 0; i < kernels[p]->cells.len; i++) {
            net_cell_data cell = kernels[p]->cells.at[i];
            cell.kernel = p;
            cell.number += number;
            for (const char *suffix = "_p"; is_cell(out, cell.name);
                 suffix = arena_printf(mem, "%sp", suffix))
                cell.name = name_in_copy(kernels[p], i, suffix, p);
            vec_push(mem, &out->cells, cell);
        }
        add_nets(kernels[p], first, out);
    }
    return net_check(out, d);
}
