#include "tests/cycle/one_tile.h"
#include "rtl_models/cycle/cycle_int.h"

cycle_model *tile_build(const cycle_cell *cell, arena *mem) {
    cycle_design *design = arena_new(mem, cycle_design);
    vec_push(mem, &design->cells, *cell);
    return cycle_assemble(design, true, mem);
}

void tile_settle(const cycle_model *m, tile_pins *pins) {
    const cell_ports *p = &m->ports[0];
    for (int i = 0; i < CYCLE_INS; i++)
        pins->in_ready[i] = p->in[i] && room(p->in[i]->writer);
    for (int o = 0; o < CYCLE_OUTS; o++) {
        pins->out_valid[o] = some(p->out[o]->reader);
        pins->out_data[o] = token(p->out[o]->reader);
    }
}

void tile_clock(cycle_model *m, const tile_pins *pins) {
    cell_ports *p = &m->ports[0];
    for (int i = 0; i < CYCLE_INS; i++)
        if (pins->in_valid[i] && p->in[i] && room(p->in[i]->writer) && !pins->flush)
            push(p->in[i]->writer, pins->in_data[i] & 0x1ffff);
    for (int o = 0; o < CYCLE_OUTS; o++)
        if (pins->out_ready[o] && some(p->out[o]->reader) && !pins->flush)
            pop(p->out[o]->reader);
    m->stirred = UINT64_MAX;
    cycle_advance(m, pins->flush ? FLUSH_ALL : FLUSH_NONE);
}
