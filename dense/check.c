/* Rules of dense tiles: enabled units, driven wires, schedules within the counter's range, memories with
 * valid contents at each read. */
#include "dense/check_int.h"
#include "dense/load.h"
#include "dense/wires.h"

enum {
    RULE_UNIT = 1,
    RULE_MIX,
    RULE_WIRE,
    RULE_NEST,
    RULE_SCHEDULE,
    RULE_POND = 14,
    RULE_RAM = 15,
    RULE_EARLY = 20,
    RULE_OLD,
    RULE_FLUSH = 24
};
enum { CONDITION_LUT = 14 };

/* ---- schedules --------------------------------------------------------------------------------- */

/* The strides of a schedule must lead forward by less than the counter's wrap. */
static bool leads_forward(const dense_generator *g) {
    int64_t inner = 0; /* growth over the loops inside, with strides read as signed */
    for (uint32_t i = 0; i < g->nest.dim; i++) {
        const int64_t increment = (int16_t)(g->at.increment[i] & 0xffff), stride = increment + inner;
        if (increment == 0)
            return false;
        inner += stride * ((int64_t)g->nest.range[i] + 1);
    }
    return true;
}

/* ---- units ------------------------------------------------------------------------------------- */

static void check_pe(const dense_design *design, const dense_tile *t, diagnostics *d) {
    static const char *const fields[] = {"PE_onyx_inst_tile_en", "PE_onyx_inst_dense_mode",
                                         "PE_input_width_17_num_0_dense", "PE_input_width_17_num_1_dense",
                                         "PE_output_width_17_num_0_dense"};
    bool any = false, all = dense_value(design, t, 0, "tile_en") && t->mode == 3;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const bool on = dense_value(design, t, 0, fields[i]);
        any = any || on;
        all = all && on;
    }
    if (any && !all)
        dense_broken(
            d, t, RULE_UNIT,
            "a PE is an ALU only with mode 3, tile_en, PE_onyx tile_en, dense_mode and all dense bits");
    if (!any && dense_value(design, t, 0, "tile_en"))
        dense_broken(d, t, RULE_MIX, "a sparse primitive stands among dense tiles");
}

static void check_mem(const dense_design *design, const dense_tile *t, diagnostics *d) {
    const bool on = dense_value(design, t, 0, "tile_en");
    const bool used = t->mode || dense_value(design, t, 0, "mode_excl");
    if (used && !on)
        dense_broken(d, t, RULE_UNIT, "the memory has a mode, and tile_en is 0");
    if (on && t->mode == 0 && !dense_value(design, t, 0, "mode_excl"))
        dense_broken(d, t, RULE_MIX, "a sparse memory stands among dense tiles");
}

static void check_io(const dense_design *design, const dense_tile *t, diagnostics *d) {
    static const char *const fields[] = {"tile_en",
                                         "glb2io_17_valid_reg_sel",
                                         "glb2io_17_valid_reg_value",
                                         "glb2io_1_valid_reg_sel",
                                         "glb2io_1_valid_reg_value",
                                         "io2glb_17_ready_reg_sel",
                                         "io2glb_17_ready_reg_value",
                                         "io2glb_1_ready_reg_sel",
                                         "io2glb_1_ready_reg_value"};
    bool any = false, all = true;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const bool on = dense_value(design, t, 0, fields[i]);
        any = any || on;
        all = all && on;
    }
    if (any && !all)
        dense_broken(d, t, RULE_UNIT, "an IO tile has tile_en and all four constants, or its streams stop");
}

/* ---- wires ------------------------------------------------------------------------------------- */

/* Follows a wire back. Returns whether the wire has a driver; *fifo: a SplitFIFO is on the path. */
static bool is_driven(const dense_wiring *w, dense_origin at, uint32_t width, bool *fifo) {
    const pnr_board *b = w->design->board;
    for (uint32_t steps = 0; steps < 4 * b->width * b->height * b->tracks; steps++) {
        if (at.kind == DENSE_FROM_IO || at.kind == DENSE_FROM_CORE) {
            const dense_tile *t = dense_tile_at(w->design, at.x, at.y);
            return t && dense_units_of(w->design, t);
        }
        if (at.kind != DENSE_FROM_WIRE)
            return at.kind == DENSE_FROM_ZERO;
        const dense_wire *wire = dense_wire_at(w, at, width);
        if (!wire->enable)
            return false;
        *fifo = *fifo || wire->fifo;
        at = dense_behind_wire(w, at, width);
    }
    return false;
}

/* Returns whether entries of a table of three bits differ by bit k. */
static bool table_depends(uint32_t table, uint32_t k) {
    static const uint32_t low[3] = {0x55, 0x33, 0x0f}; /* entries where the bit is 0 */
    return (table & low[k]) != (table >> (1u << k) & low[k]);
}

bool dense_word_reads(const dense_instruction *pe, uint32_t k) {
    static const char *const reads[][20] = {
        {"abd", "abd", "a",   "abd", "ab",   "ab",   "ab",   "ac",   "ab",  "ab",
         "ab",  "ab",  "abc", "abc", "abcd", "abcd", "abcd", "abcd", "abc", "abc"},
        {"a", "ab", "ab", "a", "a", "a", "a"},
        {"ab", "ab", "ab", "ab"},
    };
    const char *own = pe->kind < 3 && pe->opcode < 20 ? reads[pe->kind][pe->opcode] : NULL;
    return own && strchr(own, 'a' + (int)k);
}

bool dense_bit_reads(const dense_instruction *pe, uint32_t k) {
    return pe->condition == CONDITION_LUT ? k >= 3 && table_depends(pe->lut, k - 3) : dense_word_reads(pe, k);
}

/* Returns whether a result depends on the port's input. */
static bool needs(const dense_design *design, const dense_tile *t, uint32_t units, dense_port port) {
    static const dense_port operands[DENSE_OPERANDS] = {DENSE_PORT_PE_IN0,  DENSE_PORT_PE_IN1,
                                                        DENSE_PORT_PE_IN2,  DENSE_PORT_PE_BIT0,
                                                        DENSE_PORT_PE_BIT1, DENSE_PORT_PE_BIT2};
    dense_instruction pe;
    dense_ub ub;
    if (port == DENSE_PORT_POND_IN0 || port == DENSE_PORT_POND_IN1)
        return dense_generator_of(design, t,
                                  port == DENSE_PORT_POND_IN0 ? DENSE_GENERATOR_POND_WRITE
                                                              : DENSE_GENERATOR_POND_WRITE2)
            .enable;
    if (port == DENSE_PORT_MEM_IN2 || port == DENSE_PORT_MEM_IN3) {
        const uint32_t p = port == DENSE_PORT_MEM_IN3;
        dense_ub_of(design, t, &ub);
        return (units & DENSE_HAS_RAM) || ub.write[p].enable || ub.mode[p] & 2;
    }
    dense_instruction_of(design, t, &pe);
    for (uint32_t k = 0; t->kind == NET_TILE_PE && k < DENSE_OPERANDS; k++) {
        if (operands[k] == port)
            return dense_bit_reads(&pe, k);
    }
    return false;
}

static void check_input(const dense_wiring *w, const dense_tile *t, uint32_t units, dense_port port,
                        diagnostics *d) {
    const dense_port_row *row = &dense_ports[port];
    const dense_box box = dense_box_of(w, t, port);
    bool fifo = false;
    if (!box.enable && !dense_is_constant(w->design, t, port) && needs(w->design, t, units, port))
        dense_broken(d, t, RULE_WIRE,
                     arena_printf(d->mem, "%s is used, and its connection box is off", row->name));
    if (!box.enable)
        return;
    if (box.select > row->last)
        dense_broken(d, t, RULE_WIRE,
                     arena_printf(d->mem, "%s selects %u, which is no wire", row->name, box.select));
    else if (!is_driven(w, dense_behind_box(w, t, port, box.select), row->width, &fifo))
        dense_broken(d, t, RULE_WIRE, arena_printf(d->mem, "%s takes a wire that nothing drives", row->name));
    if (fifo)
        dense_broken(d, t, RULE_MIX, arena_printf(d->mem, "a SplitFIFO is on the way to %s", row->name));
}

/* A store's word or bit leaves by NORTH of the tile below; wires that no unit drives are left over. */
static void check_output(const dense_wiring *w, const dense_tile *t, diagnostics *d) {
    const dense_origin below = {.kind = DENSE_FROM_WIRE, .x = t->x, .y = 1, .side = PNR_NORTH};
    for (uint32_t width = 0; width < DENSE_WIDTHS; width++) {
        bool fifo = false;
        if (is_driven(w, below, width, &fifo) && fifo)
            dense_broken(d, t, RULE_MIX, "a SplitFIFO is on the way to the global buffer");
    }
}

/* An operand whose register is never loaded is 0, whatever its connection box takes. */
static void check_old(const dense_wiring *w, const dense_tile *t, uint32_t units, diagnostics *d) {
    static const dense_port words[] = {DENSE_PORT_PE_IN0, DENSE_PORT_PE_IN1, DENSE_PORT_PE_IN2};
    dense_instruction pe;
    if (!(units & DENSE_HAS_PE))
        return;
    dense_instruction_of(w->design, t, &pe);
    for (uint32_t k = 0; k < sizeof words / sizeof *words; k++) {
        if (pe.mode[k] == DENSE_OLD && dense_word_reads(&pe, k) && dense_box_of(w, t, words[k]).enable)
            dense_warn(d, t, RULE_OLD,
                       arena_printf(d->mem, "the operand of %s is 0, since its register is never loaded",
                                    dense_ports[words[k]].name));
    }
}

static void check_inputs(const dense_wiring *w, const dense_tile *t, uint32_t units, diagnostics *d) {
    for (dense_port port = 0; port < DENSE_PORTS; port++) {
        if (dense_ports[port].tile == t->kind && dense_takes(w->design, t, units, port))
            check_input(w, t, units, port, d);
    }
}

/* ---- schedules, Pond, ROM ---------------------------------------------------------------------- */

static void check_generators(const dense_design *design, const dense_tile *t, uint32_t units,
                             diagnostics *d) {
    for (dense_generator_key key = 0; key < DENSE_GENERATORS; key++) {
        if (!(units & dense_unit_of_generator(key)))
            continue;
        const dense_generator g = dense_generator_of(design, t, key);
        if (!g.enable)
            continue;
        const dense_generator_fields f = dense_fields_of(design->map, key);
        if (g.nest.dim > f.dims)
            dense_broken(
                d, t, RULE_NEST,
                arena_printf(d->mem, "%s has %u loops, and the unit %u", f.name, g.nest.dim, f.dims));
        else if (!leads_forward(&g))
            dense_broken(d, t, RULE_SCHEDULE,
                         arena_printf(d->mem, "%s has two events in one cycle, or 65,536 apart", f.name));
    }
}

/* Reports unless all events of one set precede the other set's. */
static void check_sets(const dense_tile *t, const dense_generator set[2], const char *what, diagnostics *d) {
    arena scratch = {0};
    bool gap = false;
    if (set[0].enable && set[1].enable) {
        const dense_events a = dense_events_of(&set[0], &scratch, &gap),
                           b = dense_events_of(&set[1], &scratch, &gap);
        const bool before = a.at[a.len - 1].at < b.at[0].at, behind = b.at[b.len - 1].at < a.at[0].at;
        if (!before && !behind)
            dense_broken(d, t, RULE_POND,
                         arena_printf(d->mem, "the two sets of %s overlap, or begin at once", what));
    }
    arena_free(&scratch);
}

static void check_pond(const dense_design *design, const dense_tile *t, diagnostics *d) {
    dense_pond pond;
    dense_pond_of(design, t, &pond);
    check_sets(t, pond.write, "writes", d);
    check_sets(t, pond.read, "reads", d);
    if (t->contents.words.len && (pond.write[0].enable || pond.write[1].enable))
        dense_broken(d, t, RULE_EARLY,
                     "a generator writes the Pond before the first flush, over its contents");
}

/* A bit input is a constant of this value, or is wired. */
static bool bit_is(const dense_wiring *w, const dense_tile *t, dense_port port, uint32_t value) {
    char name[80];
    snprintf(name, sizeof name, "%s_reg_sel", dense_ports[port].box + 3);
    const bool constant = dense_value(w->design, t, 0, name);
    snprintf(name, sizeof name, "%s_reg_value", dense_ports[port].box + 3);
    return constant ? dense_value(w->design, t, 0, name) == value : dense_box_of(w, t, port).enable;
}

static void check_ram(const dense_wiring *w, const dense_tile *t, diagnostics *d) {
    const bits_stream *c = &t->contents;
    uint32_t lanes = 0;
    if (c->words.len && !bit_is(w, t, DENSE_PORT_MEM_BIT0, 1))
        dense_broken(d, t, RULE_RAM, "a ROM is read only with 1 at bit0, from a wire or as its constant");
    if (!bit_is(w, t, DENSE_PORT_MEM_BIT1, 0))
        dense_broken(d, t, RULE_RAM, "bit1, which writes, has neither a wire nor the constant 0");
    for (uint32_t i = 0; i < c->words.len; i++) {
        const bool ends = i + 1 == c->words.len || c->words.at[i + 1].address != c->words.at[i].address;
        lanes++;
        if (ends && lanes % DENSE_LANES)
            dense_broken(d, t, RULE_RAM, "a line of the ROM has not four words");
        lanes = ends ? 0 : lanes;
    }
}

/* ---- all --------------------------------------------------------------------------------------- */

static void check_tile(const dense_wiring *w, const dense_tile *t, diagnostics *d) {
    const dense_design *design = w->design;
    const uint32_t units = dense_units_of(design, t);
    if (t->kind == NET_TILE_PE)
        check_pe(design, t, d);
    if (t->kind == NET_TILE_MEM)
        check_mem(design, t, d);
    if (t->kind == NET_TILE_IO)
        check_io(design, t, d);
    if (units && !dense_flush_is_hard(design, t))
        dense_broken(d, t, RULE_FLUSH,
                     "a constant or a bit takes the place of the flush, which starts all schedules at once");
    check_inputs(w, t, units, d);
    if (units & DENSE_HAS_IO)
        check_output(w, t, d);
    check_old(w, t, units, d);
    check_generators(design, t, units, d);
    if (units & DENSE_HAS_POND)
        check_pond(design, t, d);
    if (units & DENSE_HAS_RAM)
        check_ram(w, t, d);
    if (units & DENSE_HAS_UB)
        dense_check_buffer(design, t, d);
}

bool dense_check(const dense_design *design, diagnostics *d) {
    const uint32_t errors = d->errors;
    arena scratch = {0};
    const dense_wiring w = dense_wire_up(design, &scratch);
    for (uint32_t i = 0; i < design->tiles.len; i++)
        check_tile(&w, &design->tiles.at[i], d);
    dense_check_unused(&w, d);
    arena_free(&scratch);
    return d->errors == errors;
}

void dense_check_rounding(const dense_design *design, const dense_program *p, diagnostics *d) {
    enum { KIND_FPU = 2, OPCODE_MUL = 3 };
    const dense_tile *first = NULL;
    uint32_t products = 0, expected = 0;
    for (uint32_t i = 0; i < p->outputs.len; i++)
        expected += p->outputs.at[i].words.len;
    for (uint32_t i = 0; i < design->tiles.len && expected; i++) {
        const dense_tile *t = &design->tiles.at[i];
        dense_instruction pe;
        if (t->kind != NET_TILE_PE || !(dense_units_of(design, t) & DENSE_HAS_PE))
            continue;
        dense_instruction_of(design, t, &pe);
        if (pe.kind != KIND_FPU || pe.opcode != OPCODE_MUL)
            continue;
        first = first ? first : t;
        products++;
    }
    if (first)
        dense_warn(d, first, RULE_OLD,
                   arena_printf(d->mem,
                                "expected words are compared, and %u %s bf16, not rounded to the nearest "
                                "as exact products are: words may differ by a unit",
                                products, plural(products, "PE multiplies", "PEs multiply")));
}

bool dense_check_order(const bits_stream *bits, const dense_design *design, diagnostics *d) {
    const uint32_t errors = d->errors;
    for (uint32_t i = 0; i < design->tiles.len; i++) {
        const dense_tile *t = &design->tiles.at[i];
        const bits_field *on = bits_find(design->map, t->kind, 0, "tile_en");
        bool contents = false, late = false;
        for (uint32_t k = 0; t->kind == NET_TILE_MEM && t->contents.words.len && k < bits->words.len; k++) {
            const uint32_t a = bits->words.at[k].address;
            if (bits_x(a) != t->x || bits_y(a) != t->y)
                continue;
            late = late || (contents && bits_feature(a) == 0 && bits_reg(a) == on->reg);
            contents = contents || dense_is_contents(t->kind, bits_feature(a));
        }
        if (late)
            dense_broken(d, t, RULE_RAM, "contents come before the word that turns the tile on");
    }
    return d->errors == errors;
}
