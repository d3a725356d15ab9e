/* .packed files with blocks of the dense fabric, as designs fed by links. */
#include "dense/packed_int.h"
#include "dense/text_int.h"

#include <stdlib.h>

enum { MOST_REGISTERS = 255 };

typedef struct {
    const netlist *net;
    pnr_site *site;             /* by cell */
    uint32_t *inputs, *outputs; /* by cell: used ports, by their numbers */
    uint32_t *driven;           /* by cell of a register: the net it drives, plus 1 */
    bool *reached;              /* by net: a block drives it, over registers or none */
    dense_design *design;
    dense_packed *out;
    diagnostics *d;
} reader;

static bool is_register(const net_cell_data *c) {
    return c->tag == 'r';
}

static net_tile kind_of(const net_cell_data *c) {
    return c->tag == 'p' ? NET_TILE_PE : c->tag == 'm' ? NET_TILE_MEM : NET_TILE_IO;
}

/* ---- recognising ------------------------------------------------------------------------------- */

bool dense_is_packed(const char *path, diagnostics *d) {
    static const char *const marks[] = {" reg)",    "_width_1_num_", "PondTop_", "f2io_17)",
                                        "io2f_17)", "f2io_1)",       "io2f_1)"};
    size_t length = 0;
    const char *text = file_read_if_there(path, d->mem, &length);
    bool any = false;
    for (size_t i = 0; text && i < sizeof marks / sizeof *marks; i++)
        any = any || strstr(text, marks[i]);
    return any;
}

/* ---- sites ------------------------------------------------------------------------------------- */

static void count_ports(reader *r) {
    for (uint32_t i = 0; i < r->net->nets.len; i++) {
        const net_data *n = &r->net->nets.at[i];
        const uint32_t from = n->source.cell.v - 1;
        r->outputs[from] |= 1u << n->source.port;
        if (is_register(&r->net->cells.at[from]))
            r->driven[from] = i + 1;
        for (uint32_t s = 0; s < n->sinks.len; s++)
            r->inputs[n->sinks.at[s].cell.v - 1] |= 1u << n->sinks.at[s].port;
    }
}

/* Returns the words of an IO tile whose bits are this block: of its site, or the preceding number. */
static uint32_t words_of(const reader *r, uint32_t bit) {
    for (uint32_t i = 0; i < r->net->cells.len; i++) {
        if (r->net->cells.at[i].tag == 'I' && r->net->cells.at[i].number + 1 == r->net->cells.at[bit].number)
            return i;
    }
    return bit;
}

/* Takes the next free site of a kind, columns first; IO tiles feed the array from even columns. */
static bool take_site(reader *r, uint32_t cell, bool *taken) {
    const pnr_board *b = r->design->board;
    const net_cell_data *c = &r->net->cells.at[cell];
    const net_tile kind = kind_of(c);
    for (uint32_t i = 0; i < b->width * b->height; i++) {
        const uint32_t x = i / b->height, y = i % b->height;
        const bool other = kind == NET_TILE_IO && x % 2 != !r->outputs[cell];
        if (pnr_site_tile(b, x, y) != kind || other || taken[i])
            continue;
        taken[i] = true;
        r->site[cell] = (pnr_site){(uint16_t)x, (uint16_t)y};
        return true;
    }
    return diag_unmappable(r->d, c->loc, "E0510-too-large", "no site is left for block %c%u", c->tag,
                           c->number);
}

/* Gives sites to the blocks that have none, bits of IO tiles last. */
static bool take_sites(reader *r) {
    const pnr_board *b = r->design->board;
    bool *taken = arena_new_n(r->d->mem, bool, b->width * b->height + 1), ok = true;
    for (uint32_t i = 0; i < r->net->cells.len; i++) {
        if (r->site[i].x != PNR_FREE && r->site[i].x < b->width && r->site[i].y < b->height)
            taken[r->site[i].x * b->height + r->site[i].y] = true;
    }
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < r->net->cells.len && ok; i++) {
            const net_cell_data *c = &r->net->cells.at[i];
            if (r->site[i].x != PNR_FREE || is_register(c) || (c->tag == 'i') != (pass == 1))
                continue;
            const uint32_t words = c->tag == 'i' ? words_of(r, i) : i;
            r->site[i] = r->site[words];
            ok = r->site[i].x != PNR_FREE || take_site(r, i, taken);
        }
    }
    return ok;
}

/* ---- tiles ------------------------------------------------------------------------------------- */

/* Sets the fields of a line of the text form. */
static void turn_on(const reader *r, dense_tile *t, const char *word) {
    for (uint32_t i = 0; i < dense_word_line_count; i++) {
        const dense_fixed *f = dense_word_lines[i].fixed;
        for (; strcmp(dense_word_lines[i].word, word) == 0 && f->field; f++) {
            dense_set(t, bits_find(r->design->map, t->kind, f->feature, f->field), f->value, r->d->mem);
            t->mode = strcmp(f->field, "mode") == 0 ? f->value : t->mode;
        }
    }
}

static void set_pe(const reader *r, dense_tile *t, uint32_t inputs, uint32_t outputs) {
    static const dense_port operands[] = {DENSE_PORT_PE_IN0,  DENSE_PORT_PE_IN1,  DENSE_PORT_PE_IN2,
                                          DENSE_PORT_PE_BIT0, DENSE_PORT_PE_BIT1, DENSE_PORT_PE_BIT2};
    const uint32_t of_pond = 1u << DENSE_PORT_POND_IN0 | 1u << DENSE_PORT_POND_IN1,
                   from_pond = 1u << DENSE_PLACE_OF_POND | 1u << DENSE_POND_INSIDE | 3u << 5;
    if (inputs & of_pond || outputs & from_pond)
        turn_on(r, t, "pond");
    if (!(inputs & ~of_pond) && !(outputs & ~from_pond))
        return;
    turn_on(r, t, "alu");
    for (uint32_t k = 0; k < DENSE_OPERANDS; k++)
        dense_set(t, bits_find(r->design->map, NET_TILE_PE, 0, dense_mode_fields[k]),
                  inputs >> operands[k] & 1 ? DENSE_BYPASS : DENSE_CONST, r->d->mem);
}

/* Bits enter a RAM alone; words of other memories enter a buffer as links of a chain. */
static void set_mem(const reader *r, dense_tile *t, uint32_t inputs, uint32_t outputs) {
    const uint32_t bits = 1u << DENSE_PORT_MEM_BIT0 | 1u << DENSE_PORT_MEM_BIT1, valid = 1u << 6,
                   chain = 1u << DENSE_PORT_MEM_IN0 | 1u << DENSE_PORT_MEM_IN1;
    turn_on(r, t, inputs & bits ? "ram" : inputs || outputs & ~valid ? "buffer" : "no_memory");
    if (outputs & valid)
        turn_on(r, t, "valid_bits");
    if (!(inputs & bits) && inputs & chain)
        dense_set(t, bits_find(r->design->map, NET_TILE_MEM, 0, "strg_ub_vec_inst_chain_chain_en"), 1,
                  r->d->mem);
}

static void make_tile(const reader *r, uint32_t cell) {
    const net_cell_data *c = &r->net->cells.at[cell];
    dense_tile t = {.x = r->site[cell].x, .y = r->site[cell].y, .kind = kind_of(c), .loc = c->loc};
    if (t.kind == NET_TILE_PE)
        set_pe(r, &t, r->inputs[cell], r->outputs[cell]);
    if (t.kind == NET_TILE_MEM)
        set_mem(r, &t, r->inputs[cell], r->outputs[cell]);
    if (t.kind == NET_TILE_IO)
        turn_on(r, &t, "stream");
    vec_push(r->d->mem, &r->design->tiles, t);
}

static bool is_made(const dense_design *design, pnr_site at) {
    bool made = false;
    for (uint32_t i = 0; i < design->tiles.len; i++)
        made = made || (design->tiles.at[i].x == at.x && design->tiles.at[i].y == at.y);
    return made;
}

/* Words and bits of an IO tile share its site; other blocks do not. */
static bool make_tiles(const reader *r) {
    for (uint32_t i = 0; i < r->net->cells.len; i++) {
        const net_cell_data *c = &r->net->cells.at[i];
        const pnr_site at = r->site[i];
        if (is_register(c))
            continue;
        vec_push(r->d->mem, &r->out->blocks,
                 ((dense_block){c->tag, c->number, at.x, at.y, names_text(r->net->names, c->name)}));
        const bool made = is_made(r->design, at);
        if (pnr_site_tile(r->design->board, at.x, at.y) != kind_of(c) || (made && kind_of(c) != NET_TILE_IO))
            return diag_error(r->d, c->loc, "E0512-bad-fixed", "block %c%u cannot stand at (%u, %u)", c->tag,
                              c->number, at.x, at.y);
        if (!made)
            make_tile(r, i);
    }
    if (r->design->tiles.len)
        qsort(r->design->tiles.at, r->design->tiles.len, sizeof *r->design->tiles.at, dense_by_place);
    return true;
}

/* ---- links ------------------------------------------------------------------------------------- */

static bool wrong(const reader *r, const net_cell_data *c, const char *what) {
    return diag_error(r->d, c->loc, "E0541-packed-block", "block %c%u: %s", c->tag, c->number, what);
}

/* Returns whether the tile has a wire of its own from the output to the input. */
static bool is_inside(uint32_t number, dense_port port) {
    if (number == DENSE_POND_INSIDE)
        return port <= DENSE_PORT_PE_IN2;
    if (number == DENSE_PLACES + 1)
        return port == DENSE_PORT_PE_BIT0;
    return number == 0 && (port == DENSE_PORT_POND_IN0 || port == DENSE_PORT_POND_IN1);
}

/* Adds the link of a pin, or sets the wire inside its tile. */
static bool add_link(const reader *r, net_pin from, net_pin to, uint32_t registers) {
    const net_cell_data *source = net_cell_at(r->net, from.cell), *sink = net_cell_at(r->net, to.cell);
    const pnr_site a = r->site[from.cell.v - 1], b = r->site[to.cell.v - 1];
    const dense_port port = (dense_port)to.port;
    dense_tile *t = (dense_tile *)dense_tile_at(r->design, b.x, b.y);
    if (from.cell.v == to.cell.v && !registers && is_inside(from.port, port)) {
        dense_set_box(r->design->map, t, port, dense_ports[port].last - 1u, r->d->mem);
        return true;
    }
    if (from.port == DENSE_POND_INSIDE)
        return wrong(r, source, "the first output of its Pond leads to words of its own PE alone");
    if (!dense_takes(r->design, t, dense_units_of(r->design, t), port) && port != DENSE_PORTS)
        return wrong(r, sink, "no unit has all of these inputs");
    vec_push(r->d->mem, &r->design->links,
             ((dense_link){b.x, b.y, port, port == DENSE_PORTS ? sink->tag == 'i' : dense_ports[port].width,
                           a.x, a.y, from.port % DENSE_PLACES, registers, sink->loc}));
    return true;
}

/* Adds the links of a net, and of the nets behind its registers. */
static bool spread(const reader *r, net_pin from, uint32_t net, uint32_t registers) {
    const net_data *n = &r->net->nets.at[net];
    r->reached[net] = true;
    for (uint32_t s = 0; s < n->sinks.len; s++) {
        const uint32_t cell = n->sinks.at[s].cell.v - 1;
        const net_cell_data *c = &r->net->cells.at[cell];
        if (!is_register(c)) {
            if (!add_link(r, from, n->sinks.at[s], registers))
                return false;
            continue;
        }
        if (!r->driven[cell] || registers == MOST_REGISTERS)
            return wrong(r, c,
                         r->driven[cell] ? "more than 255 registers follow each other"
                                         : "this register feeds nothing");
        if (!spread(r, from, r->driven[cell] - 1, registers + 1))
            return false;
    }
    return true;
}

static bool make_links(const reader *r) {
    for (uint32_t i = 0; i < r->net->nets.len; i++) {
        const net_pin from = r->net->nets.at[i].source;
        if (!is_register(net_cell_at(r->net, from.cell)) && !spread(r, from, i, 0))
            return false;
    }
    for (uint32_t i = 0; i < r->net->nets.len; i++) {
        if (!r->reached[i])
            return wrong(r, net_cell_at(r->net, r->net->nets.at[i].source.cell),
                         "no block feeds this register");
    }
    return true;
}

/* ---- all --------------------------------------------------------------------------------------- */

static pnr_site *any_sites(const netlist *n, arena *mem) {
    pnr_site *site = arena_new_n(mem, pnr_site, n->cells.len + 1);
    for (uint32_t i = 0; i < n->cells.len; i++)
        site[i] = (pnr_site){PNR_FREE, PNR_FREE};
    return site;
}

bool dense_read_packed(const char *path, const char *placed, const dense_design *board, diagnostics *d,
                       dense_packed *out) {
    arena *mem = d->mem;
    name_table *names = arena_new(mem, name_table);
    netlist net;
    *out = (dense_packed){.design = {.board = board->board, .map = board->map, .fixed_times = true}};
    names_init(names, mem);
    if (!pnr_read_blocks(path, &dense_packed_blocks, names, mem, d, &net))
        return false;
    reader r = {.net = &net, .design = &out->design, .out = out, .d = d, .site = any_sites(&net, mem)};
    r.inputs = arena_new_n(mem, uint32_t, net.cells.len + 1);
    r.outputs = arena_new_n(mem, uint32_t, net.cells.len + 1);
    r.driven = arena_new_n(mem, uint32_t, net.cells.len + 1);
    r.reached = arena_new_n(mem, bool, net.nets.len + 1);
    if (placed && !pnr_read_place(&net, placed, mem, d, &r.site))
        return false;
    count_ports(&r);
    return take_sites(&r) && make_tiles(&r) && make_links(&r);
}
