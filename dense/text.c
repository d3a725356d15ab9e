/* The printer of the text form: each setting is printed once, by the first form with its field. */
#include "boards/onyx/fabric.h"
#include "dense/text_int.h"

#include <stdlib.h>

#define INSTRUCTION "PE_onyx_inst_onyxpeintf_inst."

typedef struct {
    const dense_design *design;
    const dense_tile *tile;
    bool *used; /* by setting */
    FILE *out;
} printer;

/* ---- settings ---------------------------------------------------------------------------------- */

static uint32_t place_of(const printer *p, const bits_field *f) {
    uint32_t i = 0;
    while (i < p->tile->settings.len && p->tile->settings.at[i].field != f)
        i++;
    return i;
}

/* Returns a field's value without marking the field as printed. */
static uint32_t look(const printer *p, const bits_field *f) {
    uint32_t i = place_of(p, f);
    return f && i < p->tile->settings.len ? p->tile->settings.at[i].value : 0;
}

static uint32_t take(const printer *p, const bits_field *f) {
    uint32_t i = place_of(p, f);
    if (!f || i == p->tile->settings.len)
        return 0;
    p->used[i] = true;
    return p->tile->settings.at[i].value;
}

static const bits_field *named(const printer *p, uint32_t feature, const char *name) {
    return bits_find(p->design->map, p->tile->kind, feature, name);
}

/* ---- units ------------------------------------------------------------------------------------- */

static bool holds(const printer *p, const dense_fixed *fixed) {
    bool all = fixed->tile == p->tile->kind;
    for (uint32_t i = 0; all && fixed[i].field; i++) {
        const bits_field *f = named(p, fixed[i].feature, fixed[i].field);
        all = f && look(p, f) == fixed[i].value && !p->used[place_of(p, f)];
    }
    return all;
}

static void print_operand(const printer *p, uint32_t k) {
    uint32_t mode = take(p, named(p, 0, dense_mode_fields[k]));
    if (mode == DENSE_CONST)
        fprintf(p->out, " %c=%u", 'a' + (int)k, take(p, named(p, 0, dense_constant_fields[k])));
    else
        fprintf(p->out, " %c=%s", 'a' + (int)k, dense_mode_names[mode & 3]);
}

/* Prints the rest of the line `alu`: operation, condition, table, operands. An operation without a name stays
 * in its fields. */
static void print_instruction(const printer *p) {
    const bits_field *kind = named(p, 0, INSTRUCTION "kind"), *opcode = named(p, 0, INSTRUCTION "opcode"),
                     *condition = named(p, 0, INSTRUCTION "cond");
    const uint32_t k = look(p, kind), o = look(p, opcode), c = look(p, condition);
    if (k < DENSE_KINDS && o < DENSE_OPCODES && dense_opcode_names[k][o]) {
        take(p, kind);
        take(p, opcode);
        fprintf(p->out, " %s", dense_opcode_names[k][o]);
    }
    if (take(p, named(p, 0, INSTRUCTION "signed")))
        fputs(" signed", p->out);
    if (c < DENSE_CONDITIONS) {
        take(p, condition);
        fprintf(p->out, " if=%s", dense_condition_names[c]);
    }
    fprintf(p->out, " lut=%u", take(p, named(p, 0, INSTRUCTION "lut")));
    for (uint32_t i = 0; i < DENSE_OPERANDS; i++)
        print_operand(p, i);
}

static void print_units(const printer *p) {
    for (uint32_t i = 0; i < dense_word_line_count; i++) {
        const dense_word_line *line = &dense_word_lines[i];
        if (!holds(p, line->fixed))
            continue;
        for (uint32_t k = 0; line->fixed[k].field; k++)
            take(p, named(p, line->fixed[k].feature, line->fixed[k].field));
        fprintf(p->out, "  %s", line->word);
        if (strcmp(line->word, "alu") == 0)
            print_instruction(p);
        putc('\n', p->out);
    }
}

/* ---- generators -------------------------------------------------------------------------------- */

static uint32_t width_of(const bits_field *f) {
    return f->hi - f->lo + 1u;
}

/* A number of a field's width with its highest bit as the sign. */
static int32_t as_signed(uint32_t value, uint32_t width) {
    uint32_t sign = 1u << (width - 1);
    value &= bits_mask(width);
    return (int32_t)(value & (sign - 1)) - (int32_t)(value & sign);
}

/* Prints the start and the strides of the loops: the growth of the value from one iteration to the next,
 * while the fields hold the growth from the end of the inner loops on. */
static void print_affine(const printer *p, const char *what, const bits_field *start,
                         const bits_field *const *increment, const dense_nest *nest) {
    uint32_t inner = 0; /* growth over the loops inside */
    fprintf(p->out, " %s %u", what, take(p, start));
    if (nest->dim)
        fputs(" by", p->out);
    for (uint32_t i = 0; i < nest->dim; i++) {
        uint32_t stride = take(p, increment[i]) + inner;
        fprintf(p->out, " %d", (int)as_signed(stride, width_of(increment[i])));
        inner += stride * (nest->range[i] + 1);
    }
}

static bool is_set(const printer *p, const dense_generator_fields *f) {
    return look(p, f->enable) || look(p, f->at) || look(p, f->dim) || look(p, f->address[0]) ||
           look(p, f->address[1]) || look(p, f->delay);
}

static void print_generator(const printer *p, dense_generator_key key) {
    const dense_generator_fields f = dense_fields_of(p->design->map, key);
    dense_nest nest = {.dim = look(p, f.dim)};
    if (f.tile != p->tile->kind || !f.enable || !is_set(p, &f) || nest.dim > f.dims)
        return;
    take(p, f.dim);
    fprintf(p->out, "  %s%s", f.name, take(p, f.enable) ? "" : " off");
    if (nest.dim)
        fputs(" over", p->out);
    for (uint32_t i = 0; i < nest.dim; i++) {
        nest.range[i] = take(p, f.range[i]);
        fprintf(p->out, " %u", nest.range[i] + 2);
    }
    print_affine(p, "at", f.at, f.at_stride, &nest);
    if (f.address[0])
        print_affine(p, "address", f.address[0], f.stride[0], &nest);
    if (f.address[1])
        print_affine(p, "row", f.address[1], f.stride[1], &nest);
    if (look(p, f.delay))
        fprintf(p->out, " delay %u", take(p, f.delay));
    putc('\n', p->out);
}

static void print_named(const printer *p) {
    for (uint32_t i = 0; i < dense_named_count; i++) {
        const dense_named *n = &dense_named_settings[i];
        const bits_field *f = n->tile == p->tile->kind ? named(p, n->feature, n->field) : NULL;
        if (f && look(p, f))
            fprintf(p->out, "  %s %u\n", n->name, take(p, f));
    }
}

/* ---- routing ----------------------------------------------------------------------------------- */

/* Prints the source of an input without a route, if any. */
static void print_link(const printer *p, const char *name, uint32_t port, uint32_t width) {
    for (uint32_t i = 0; i < p->design->links.len; i++) {
        const dense_link *l = &p->design->links.at[i];
        if (l->x != p->tile->x || l->y != p->tile->y || l->port != port || l->width != width)
            continue;
        fprintf(p->out, "  %s <- x%uy%u.%s", name, l->from_x, l->from_y,
                dense_output_name(pnr_site_tile(p->design->board, l->from_x, l->from_y), width, l->place));
        if (l->registers)
            fprintf(p->out, " %u", l->registers);
        putc('\n', p->out);
    }
}

static void print_box(const printer *p, dense_port port) {
    const dense_port_row *row = &dense_ports[port];
    char name[80];
    pnr_side side = PNR_EAST;
    uint32_t track = 0;
    if (row->tile != p->tile->kind)
        return;
    snprintf(name, sizeof name, "%s_enable", row->box);
    const bits_field *enable = named(p, row->feature, name);
    snprintf(name, sizeof name, "%s_sel", row->box);
    const bits_field *select = named(p, row->feature, name);
    if (!look(p, enable))
        return;
    take(p, enable);
    const uint32_t at = take(p, select);
    if (bits_cb_wire(p->design->board, at, &side, &track))
        fprintf(p->out, "  %s <- %s %u\n", row->name, bits_side_name[side], track);
    else if (dense_inner_name(port, at))
        fprintf(p->out, "  %s <- %s\n", row->name, dense_inner_name(port, at));
    else
        fprintf(p->out, "  %s <- select %u\n", row->name, at);
}

static void print_source(const printer *p, dense_origin at, uint32_t width, uint32_t select) {
    const char *core =
        select >= 3 && select < 7 ? dense_core_outputs[p->tile->kind][width][select - 3] : NULL;
    if (select < 3) {
        const uint32_t in = onyx_switch_input[at.side * ONYX_TRACKS + at.track][select];
        fprintf(p->out, "%s %u", bits_side_name[in / ONYX_TRACKS], in % ONYX_TRACKS);
    } else if (core) {
        fputs(core, p->out);
    } else {
        fprintf(p->out, "select %u", select);
    }
}

static void print_wire(const printer *p, dense_origin at, uint32_t width) {
    const bits_map *map = p->design->map;
    const net_tile kind = p->tile->kind;
    const bits_field *enable = dense_find_wire_field(map, kind, DENSE_WIRE_ENABLE, at, width);
    if (!look(p, enable))
        return;
    take(p, enable);
    fprintf(p->out, "  %c%u %s <- ", width == DENSE_WORD ? 'T' : 'B', at.track, bits_side_name[at.side]);
    print_source(p, at, width, take(p, dense_find_wire_field(map, kind, DENSE_WIRE_SELECT, at, width)));
    if (take(p, dense_find_wire_field(map, kind, DENSE_WIRE_RMUX, at, width)))
        fputs(" register", p->out);
    putc('\n', p->out);
}

static void print_routing(const printer *p) {
    for (uint32_t width = 0; width < DENSE_WIDTHS && p->tile->kind == NET_TILE_IO; width++)
        print_link(p, dense_io_names[width], DENSE_PORTS, width);
    if (p->tile->kind != NET_TILE_PE && p->tile->kind != NET_TILE_MEM)
        return;
    for (dense_port port = 0; port < DENSE_PORTS; port++) {
        print_box(p, port);
        if (dense_ports[port].tile == p->tile->kind)
            print_link(p, dense_ports[port].name, port, dense_ports[port].width);
    }
    for (uint32_t width = 0; width < DENSE_WIDTHS; width++) {
        for (uint32_t i = 0; i < 4 * p->design->board->tracks; i++)
            print_wire(p, (dense_origin){.kind = DENSE_FROM_WIRE, .side = i % 4, .track = i / 4}, width);
    }
}

/* ---- the rest ---------------------------------------------------------------------------------- */

static void print_contents(const printer *p) {
    const bits_stream *c = &p->tile->contents;
    for (uint32_t i = 0; i < c->words.len; i++) {
        uint32_t address = c->words.at[i].address;
        if (i == 0 || c->words.at[i - 1].address != address)
            fprintf(p->out, "%s  contents %u.%u", i ? "\n" : "", bits_feature(address), bits_reg(address));
        fprintf(p->out, " %u", c->words.at[i].data);
    }
    if (c->words.len)
        putc('\n', p->out);
}

static void print_zeros(const printer *p) {
    for (uint32_t i = 0; i < p->tile->zeros.len; i++) {
        uint32_t address = p->tile->zeros.at[i];
        fprintf(p->out, "%s %u.%u",
                i % 16 ? ""
                : i    ? "\n  zero"
                       : "  zero",
                bits_feature(address), bits_reg(address));
    }
    if (p->tile->zeros.len)
        putc('\n', p->out);
}

static void print_tile(const printer *p) {
    const dense_tile *t = p->tile;
    fprintf(p->out, "tile x%uy%u %s\n", t->x, t->y, bits_kind_name[t->kind]);
    print_units(p);
    for (dense_generator_key key = 0; key < DENSE_GENERATORS; key++)
        print_generator(p, key);
    print_named(p);
    print_routing(p);
    for (uint32_t i = 0; i < t->settings.len; i++) {
        const dense_setting *s = &t->settings.at[i];
        if (!p->used[i])
            fprintf(p->out, "  set %u %s %u\n", s->field->feature, s->field->name, s->value);
    }
    print_contents(p);
    print_zeros(p);
}

void dense_dump(const dense_design *design, FILE *out) {
    fprintf(out, "dense %s\n", design->board->name);
    for (uint32_t i = 0; i < design->tiles.len; i++) {
        const dense_tile *t = &design->tiles.at[i];
        arena scratch = {0};
        printer p = {design, t, arena_new_n(&scratch, bool, t->settings.len + 1), out};
        print_tile(&p);
        arena_free(&scratch);
    }
}
