/* Settings of a tile as units of the cycle model. */
#include "dense/units.h"

#define PE "PE_onyx_inst_onyxpeintf_inst."
#define BUFFER "strg_ub_vec_inst_"

/* ---- generators -------------------------------------------------------------------------------- */

typedef struct {
    const char *name;
    net_tile tile;
    uint32_t feature, dims;
    const char *suffix, *loops, *schedule, *address[2];
} generator_row;

static const generator_row rows[DENSE_GENERATORS] = {
#define GENERATOR(key, name, tile, feature, dims, suffix, loops, schedule, address, second)                  \
    {name, tile, feature, dims, suffix, loops, schedule, {address, second}},
#include "dense/generators.def"
#undef GENERATOR
};

/* Returns the field BEGINNING WORD SUFFIX, or with a loop BEGINNING WORD SUFFIX _ LOOP. */
static const bits_field *field_of(const bits_map *map, const generator_row *row, const char *beginning,
                                  const char *word, int loop) {
    char name[160], number[16] = "";
    if (!beginning)
        return NULL;
    if (loop >= 0)
        snprintf(number, sizeof number, "_%d", loop);
    snprintf(name, sizeof name, "%s%s%s%s", beginning, word, row->suffix, number);
    return bits_find(map, row->tile, row->feature, name);
}

dense_generator_fields dense_fields_of(const bits_map *map, dense_generator_key key) {
    const generator_row *row = &rows[key];
    dense_generator_fields f = {.name = row->name, .tile = row->tile, .dims = row->dims};
    f.enable = field_of(map, row, row->schedule, "enable", -1);
    f.delay = field_of(map, row, row->schedule, "sched_addr_gen_delay", -1);
    f.dim = field_of(map, row, row->loops, "dimensionality", -1);
    f.at = field_of(map, row, row->schedule, "sched_addr_gen_starting_addr", -1);
    for (uint32_t k = 0; k < 2; k++)
        f.address[k] = field_of(map, row, row->address[k], "starting_addr", -1);
    for (int i = 0; i < (int)row->dims; i++) {
        f.range[i] = field_of(map, row, row->loops, "ranges", i);
        f.at_stride[i] = field_of(map, row, row->schedule, "sched_addr_gen_strides", i);
        for (uint32_t k = 0; k < 2; k++)
            f.stride[k][i] = field_of(map, row, row->address[k], "strides", i);
    }
    return f;
}

dense_unit dense_unit_of_generator(dense_generator_key key) {
    return rows[key].tile == NET_TILE_PE  ? DENSE_HAS_POND
           : key == DENSE_GENERATOR_VALID ? DENSE_HAS_VALID
                                          : DENSE_HAS_UB;
}

static uint32_t setting(const dense_tile *t, const bits_field *f) {
    for (uint32_t i = 0; f && i < t->settings.len; i++) {
        if (t->settings.at[i].field == f)
            return t->settings.at[i].value;
    }
    return 0;
}

dense_generator dense_generator_of(const dense_design *design, const dense_tile *t, dense_generator_key key) {
    const dense_generator_fields f = dense_fields_of(design->map, key);
    dense_generator g = {.enable = setting(t, f.enable), .delay = (uint16_t)setting(t, f.delay)};
    /* Four bits allow more loops than exist: rule 4. */
    const uint32_t dim = setting(t, f.dim);
    g.nest.dim = dim < DENSE_LOOPS ? dim : DENSE_LOOPS;
    g.at.start = setting(t, f.at);
    for (uint32_t k = 0; k < 2; k++)
        g.address[k].start = setting(t, f.address[k]);
    for (uint32_t i = 0; i < f.dims; i++) {
        g.nest.range[i] = setting(t, f.range[i]);
        g.at.increment[i] = setting(t, f.at_stride[i]);
        for (uint32_t k = 0; k < 2; k++)
            g.address[k].increment[i] = setting(t, f.stride[k][i]);
    }
    return g;
}

/* ---- units ------------------------------------------------------------------------------------- */

/* Returns the value of field BEFORE PORT AFTER of the core. */
static uint16_t of_port(const dense_design *design, const dense_tile *t, const char *before, uint32_t port,
                        const char *after) {
    char name[160];
    snprintf(name, sizeof name, "%s%u%s", before, port, after);
    return (uint16_t)dense_value(design, t, 0, name);
}

void dense_ub_of(const dense_design *design, const dense_tile *t, dense_ub *out) {
    *out = (dense_ub){.chain = dense_value(design, t, 0, BUFFER "chain_chain_en"),
                      .shared = dense_value(design, t, 0, BUFFER "tb_only_shared_tb_0")};
    for (uint32_t p = 0; p < 2; p++) {
        out->write[p] = dense_generator_of(design, t, p ? DENSE_GENERATOR_WRITE1 : DENSE_GENERATOR_WRITE0);
        out->read[p] = dense_generator_of(design, t, p ? DENSE_GENERATOR_READ1 : DENSE_GENERATOR_READ0);
        out->out[p] = dense_generator_of(design, t, p ? DENSE_GENERATOR_OUT1 : DENSE_GENERATOR_OUT0);
        out->padding[p] =
            of_port(design, t, BUFFER "agg_sram_shared_agg_read_sched_gen_", p, "_agg_read_padding");
        out->start[p] =
            of_port(design, t, BUFFER "agg_sram_shared_agg_sram_shared_addr_gen_", p, "_starting_addr");
        out->mode[p] = (uint8_t)of_port(design, t, BUFFER "agg_sram_shared_mode_", p, "");
    }
}

void dense_pond_of(const dense_design *design, const dense_tile *t, dense_pond *out) {
    out->write[0] = dense_generator_of(design, t, DENSE_GENERATOR_POND_WRITE);
    out->write[1] = dense_generator_of(design, t, DENSE_GENERATOR_POND_WRITE2);
    out->read[0] = dense_generator_of(design, t, DENSE_GENERATOR_POND_READ);
    out->read[1] = dense_generator_of(design, t, DENSE_GENERATOR_POND_READ2);
}

void dense_instruction_of(const dense_design *design, const dense_tile *t, dense_instruction *out) {
    static const char *const mode[DENSE_OPERANDS] = {PE "rega_mode", PE "regb_mode", PE "regc_mode",
                                                     PE "regd_mode", PE "rege_mode", PE "regf_mode"};
    static const char *const constant[DENSE_OPERANDS] = {PE "const0", PE "const1", PE "const2",
                                                         PE "bit0",   PE "bit1",   PE "bit2"};
    *out = (dense_instruction){.kind = (uint8_t)dense_value(design, t, 0, PE "kind"),
                               .opcode = (uint8_t)dense_value(design, t, 0, PE "opcode"),
                               .lut = (uint8_t)dense_value(design, t, 0, PE "lut"),
                               .condition = (uint8_t)dense_value(design, t, 0, PE "cond"),
                               .is_signed = dense_value(design, t, 0, PE "signed")};
    for (uint32_t k = 0; k < DENSE_OPERANDS; k++) {
        out->mode[k] = (uint8_t)dense_value(design, t, 0, mode[k]);
        out->constant[k] = (uint16_t)dense_value(design, t, 0, constant[k]);
    }
}

uint32_t dense_units_of(const dense_design *design, const dense_tile *t) {
    uint32_t on = t->kind == NET_TILE_NONE ? 0 : dense_value(design, t, 0, "tile_en"), units = 0;
    if (t->kind == NET_TILE_IO)
        return on ? DENSE_HAS_IO : 0;
    if (t->kind == NET_TILE_PE) {
        if (on && t->mode == 3 && dense_value(design, t, 0, "PE_onyx_inst_tile_en"))
            units |= DENSE_HAS_PE;
        return units | (dense_value(design, t, 1, "tile_en") ? DENSE_HAS_POND : 0);
    }
    if (on && t->mode == 1)
        units |= DENSE_HAS_UB;
    if (on && t->mode == 2)
        units |= DENSE_HAS_RAM;
    return units | (on && dense_value(design, t, 0, "mode_excl") ? DENSE_HAS_VALID : 0);
}

/* The operand of a PE fed by the port; DENSE_OPERANDS: none. */
static uint32_t operand_of(dense_port port) {
    static const dense_port operands[DENSE_OPERANDS] = {DENSE_PORT_PE_IN0,  DENSE_PORT_PE_IN1,
                                                        DENSE_PORT_PE_IN2,  DENSE_PORT_PE_BIT0,
                                                        DENSE_PORT_PE_BIT1, DENSE_PORT_PE_BIT2};
    uint32_t k = 0;
    while (k < DENSE_OPERANDS && operands[k] != port)
        k++;
    return k;
}

/* A buffer takes bits at none of its inputs, and other tiles' words only in a chain. */
static bool memory_takes(const dense_design *design, const dense_tile *t, uint32_t units, dense_port port) {
    if (port == DENSE_PORT_MEM_IN0 || port == DENSE_PORT_MEM_IN1)
        return (units & DENSE_HAS_RAM && port == DENSE_PORT_MEM_IN0) ||
               (units & DENSE_HAS_UB && dense_value(design, t, 0, BUFFER "chain_chain_en"));
    if (port == DENSE_PORT_MEM_IN2)
        return units & (DENSE_HAS_UB | DENSE_HAS_RAM);
    return port == DENSE_PORT_MEM_IN3 ? units & DENSE_HAS_UB
                                      : port != DENSE_PORT_MEM_FLUSH && units & DENSE_HAS_RAM;
}

bool dense_takes(const dense_design *design, const dense_tile *t, uint32_t units, dense_port port) {
    const uint32_t k = operand_of(port);
    dense_instruction pe;
    if (port == DENSE_PORT_POND_IN0 || port == DENSE_PORT_POND_IN1)
        return units & DENSE_HAS_POND;
    if (t->kind != NET_TILE_PE)
        return memory_takes(design, t, units, port);
    dense_instruction_of(design, t, &pe);
    return k < DENSE_OPERANDS && (units & DENSE_HAS_PE) &&
           (pe.mode[k] == DENSE_BYPASS || pe.mode[k] == DENSE_DELAY);
}

bool dense_is_constant(const dense_design *design, const dense_tile *t, dense_port port) {
    char name[80];
    snprintf(name, sizeof name, "%s_reg_sel", dense_ports[port].box + strlen("CB_"));
    return dense_ports[port].width == DENSE_BIT && dense_value(design, t, 0, name);
}

bool dense_flush_is_hard(const dense_design *design, const dense_tile *t) {
    return !dense_value(design, t, 0, "flush_mux_sel") && !dense_value(design, t, 0, "flush_reg_sel");
}
