/* .packed: the cells of a netlist, and its nets. */
#include "pnr/blocks.h"

#include <stdlib.h>

enum { PORTS_IN = 4, PORTS_OUT = 3, WIDTH_OF_STREAMS = 17 };

static bool find_port(char tag, pnr_word w, bool drives, pnr_port *port) {
    const net_tile tile = pnr_cell_tile(&(net_cell_data){.tag = tag});
    (void)drives;
    port->width = WIDTH_OF_STREAMS;
    for (int out = 0; out < 2; out++) {
        uint8_t ports = tile == NET_TILE_IO ? 1 : out ? PORTS_OUT : PORTS_IN;
        port->output = out;
        for (port->number = 0; port->number < ports; port->number++) {
            if (pnr_word_is(w, net_port_name(tile, out, port->number)))
                return true;
        }
    }
    return false;
}

static const pnr_blocks blocks_of_streams = {"pmI", "p (PE), m (MEM) or I (IO)", find_port};

/* An id as written, of a net or in 'Netlist Bus:', and the width of its ports, or its stated width. */
typedef struct {
    pnr_word id;
    uint32_t width; /* 0: no port has a width of its own */
} net_width;

typedef struct {
    const pnr_blocks *blocks;
    netlist *net;
    arena *mem;
    VEC(bool) direction_known; /* by cell */
    VEC(net_width) nets, widths;
} packed;

/* Finds the cell of a block id, made on first mention. */
static net_cell block_cell(const pnr_reader *r, pnr_word w, const packed *p) {
    netlist *n = p->net;
    char tag;
    uint32_t number;
    if (!pnr_word_block(w, &tag, &number) || !strchr(p->blocks->tags, tag)) {
        diag_error(r->d, pnr_line_loc(r, w), r->code, "'%.*s' is no block of a 17-bit Onyx netlist",
                   (int)w.length, w.at);
        diag_hint(r->d, "blocks are %s with a number, for example p3", p->blocks->what);
        return (net_cell){0};
    }
    for (uint32_t i = 0; i < n->cells.len; i++)
        if (n->cells.at[i].tag == tag && n->cells.at[i].number == number)
            return (net_cell){i + 1};
    vec_push(p->mem, &n->cells, (net_cell_data){.tag = tag, .number = number, .loc = pnr_line_loc(r, w)});
    return (net_cell){n->cells.len};
}

/* An IO block of a stream has the direction of its first used port. */
static bool set_direction(const pnr_reader *r, pnr_word w, net_cell_data *cell, bool drives, bool *known) {
    if (*known && cell->output == drives)
        return diag_error(r->d, pnr_line_loc(r, w), "E0541-packed-block",
                          "IO block %c%u is both an input and an output", cell->tag, cell->number);
    cell->output = !drives;
    *known = true;
    return true;
}

/* Reads a pin of a net of this width, or of unknown width. */
static bool read_pin(const pnr_reader *r, packed *p, uint32_t word, net_pin *out, uint32_t *width) {
    const pnr_word block = r->words.at[word], port = r->words.at[word + 1];
    const bool drives = word == 1;
    pnr_port found = {0};
    out->cell = block_cell(r, block, p);
    if (!out->cell.v)
        return false;
    while (p->direction_known.len < p->net->cells.len)
        vec_push(p->mem, &p->direction_known, false);
    net_cell_data *cell = net_cell_at(p->net, out->cell);
    if (!p->blocks->find(cell->tag, port, drives, &found))
        return pnr_wrong(r, port, "no such port on this kind of tile");
    out->port = found.number;
    const bool io = cell->tag == 'I' && p->blocks == &blocks_of_streams;
    if (found.output != drives) {
        pnr_wrong(r, port, drives ? "the first pin of a net must be an output" : "a sink must be an input");
        return false;
    }
    if (found.width && *width && found.width != *width)
        return pnr_wrong(r, port, "ports of a net have one width");
    *width = found.width ? found.width : *width;
    return !io || set_direction(r, block, cell, drives, &p->direction_known.at[out->cell.v - 1]);
}

static bool read_net(const pnr_reader *r, packed *p) {
    net_data net = {0};
    uint32_t width = 0;
    if (r->words.len < 5 || r->words.len % 2 == 0)
        return pnr_wrong(r, pnr_line_word(r), "expected 'eN: (block, port) (block, port) ...'");
    if (!read_pin(r, p, 1, &net.source, &width))
        return false;
    for (uint32_t i = 3; i < r->words.len; i += 2) {
        net_pin pin;
        if (!read_pin(r, p, i, &pin, &width))
            return false;
        vec_push(p->mem, &net.sinks, pin);
    }
    net.id = names_intern_n(p->net->names, r->words.at[0].at, r->words.at[0].length);
    vec_push(p->mem, &p->net->nets, net);
    vec_push(p->mem, &p->nets, ((net_width){r->words.at[0], width}));
    return true;
}

static bool read_name(const pnr_reader *r, packed *p) {
    if (r->words.len != 2)
        return pnr_wrong(r, pnr_line_word(r), "expected 'block: name'");
    net_cell cell = block_cell(r, r->words.at[0], p);
    if (!cell.v)
        return false;
    net_cell_data *data = net_cell_at(p->net, cell);
    data->name = names_intern_n(p->net->names, r->words.at[1].at, r->words.at[1].length);
    for (uint32_t i = 0; i < p->net->cells.len; i++)
        if (i + 1 != cell.v && name_eq(p->net->cells.at[i].name, data->name))
            return diag_error(r->d, pnr_line_loc(r, r->words.at[1]), "E0541-packed-block",
                              "two blocks are named '%s'", names_text(p->net->names, data->name));
    return true;
}

static bool read_bus(const pnr_reader *r, packed *p) {
    if (r->words.len != 2)
        return pnr_wrong(r, pnr_line_word(r), "expected 'eN: width'");
    const bool bit = pnr_word_is(r->words.at[1], "1") && p->blocks != &blocks_of_streams;
    vec_push(p->mem, &p->widths, ((net_width){r->words.at[0], bit ? 1 : WIDTH_OF_STREAMS}));
    return bit || pnr_word_is(r->words.at[1], "17") ||
           pnr_wrong(r, r->words.at[1], "only nets of width 17 are routed");
}

static bool read_section_line(pnr_reader *r, packed *p, const char *section) {
    if (strcmp(section, "Netlists") == 0)
        return read_net(r, p);
    if (strcmp(section, "ID") == 0)
        return read_name(r, p);
    if (strcmp(section, "Netlist") == 0)
        return read_bus(r, p);
    return pnr_wrong(r, pnr_line_word(r), "expected 'Netlists:', 'ID to Names:' or 'Netlist Bus:'");
}

static const char *section_of(const pnr_reader *r) {
    if (r->words.len == 1 && pnr_word_is(r->words.at[0], "Netlists"))
        return "Netlists";
    if (r->words.len == 3 && pnr_word_is(r->words.at[0], "ID") && pnr_word_is(r->words.at[2], "Names"))
        return "ID";
    if (r->words.len == 2 && pnr_word_is(r->words.at[0], "Netlist") && pnr_word_is(r->words.at[1], "Bus"))
        return "Netlist";
    return NULL;
}

static bool read_packed_lines(pnr_reader *r, packed *p) {
    const char *section = "";
    while (pnr_read_line(r)) {
        if (r->words.len == 0)
            section = "";
        if (r->words.len == 0 || r->words.at[0].at[0] == '#')
            continue;
        const char *next = section[0] ? NULL : section_of(r);
        if (next)
            section = next;
        else if (!read_section_line(r, p, section))
            return false;
    }
    return true;
}

static int by_text(const void *a, const void *b) {
    const pnr_word *l = &((const net_width *)a)->id, *r = &((const net_width *)b)->id;
    int order = memcmp(l->at, r->at, l->length < r->length ? l->length : r->length);
    if (order == 0 && l->length != r->length)
        order = l->length < r->length ? -1 : 1;
    return order ? order : (l->at > r->at) - (l->at < r->at);
}

static bool same_text(const net_width *a, const net_width *b) {
    return a->id.length == b->id.length && memcmp(a->id.at, b->id.at, a->id.length) == 0;
}

/* Every net has exactly one width: the public tools count both and lose unmatched ones. */
static bool widths_match(const pnr_reader *r, packed *p) {
    uint32_t nets = p->nets.len, widths = p->widths.len;
    if (nets)
        qsort(p->nets.at, nets, sizeof *p->nets.at, by_text);
    if (widths)
        qsort(p->widths.at, widths, sizeof *p->widths.at, by_text);
    for (uint32_t i = 0; i < nets || i < widths; i++) {
        const net_width *net = i < nets ? &p->nets.at[i] : NULL,
                        *width = i < widths ? &p->widths.at[i] : NULL;
        if (net && i > 0 && same_text(net - 1, net))
            return diag_error(r->d, pnr_line_loc(r, net->id), "E0541-packed-block",
                              "two nets are called %.*s", (int)net->id.length, net->id.at);
        if (net && width && same_text(net, width) && net->width && net->width != width->width)
            return diag_error(r->d, pnr_line_loc(r, width->id), "E0546-packed-width",
                              "net %.*s has ports of width %u", (int)net->id.length, net->id.at, net->width);
        if (net && width && same_text(net, width))
            continue;
        bool lacks = net && (!width || by_text(net, width) < 0);
        pnr_word which = lacks ? net->id : width->id;
        return diag_error(r->d, pnr_line_loc(r, which), "E0546-packed-width",
                          lacks ? "net %.*s has no width of its own in 'Netlist Bus:'"
                                : "a width too many: %.*s is no net, or has one already",
                          (int)which.length, which.at);
    }
    return true;
}

/* Other tools would silently lose a block without a name: here its id becomes its name. A block without a net
 * keeps the direction "input". */
static void name_the_rest(netlist *n) {
    for (uint32_t i = 0; i < n->cells.len; i++) {
        char id[16];
        if (!n->cells.at[i].name.v)
            n->cells.at[i].name = names_intern(n->names, pnr_block_id(&n->cells.at[i], id));
    }
}

static int by_source(const void *a, const void *b) {
    const net_pin *l = &((const net_data *)a)->source, *r = &((const net_data *)b)->source;
    if (l->cell.v != r->cell.v)
        return l->cell.v < r->cell.v ? -1 : 1;
    return (l->port > r->port) - (l->port < r->port);
}

static bool one_net_a_driver(const pnr_reader *r, const netlist *n) {
    for (uint32_t i = 1; i < n->nets.len; i++)
        if (by_source(&n->nets.at[i - 1], &n->nets.at[i]) == 0) {
            const net_cell_data *cell = net_cell_at(n, n->nets.at[i].source.cell);
            diag_error(r->d, cell->loc, "E0541-packed-block", "output %u of %c%u drives two nets",
                       n->nets.at[i].source.port, cell->tag, cell->number);
            return diag_hint(r->d, "list all sinks of an output in one net");
        }
    return true;
}

/* Refuses two drivers of an input, and an input listed twice, which other tools silently merge. */
static bool one_driver_an_input(const pnr_reader *r, const netlist *n) {
    uint8_t *driven = arena_new_n(r->mem, uint8_t, n->cells.len * PNR_BLOCK_PORTS + 1);
    for (uint32_t i = 0; i < n->nets.len; i++)
        for (uint32_t s = 0; s < n->nets.at[i].sinks.len; s++) {
            net_pin pin = n->nets.at[i].sinks.at[s];
            const net_cell_data *cell = net_cell_at(n, pin.cell);
            if (driven[(pin.cell.v - 1) * PNR_BLOCK_PORTS + pin.port]++)
                return diag_error(r->d, cell->loc, "E0541-packed-block", "input %u of %c%u is driven twice",
                                  pin.port, cell->tag, cell->number);
        }
    return true;
}

bool pnr_read_blocks(const char *path, const pnr_blocks *blocks, name_table *names, arena *mem,
                     diagnostics *d, netlist *out) {
    *out = (netlist){.mem = mem, .names = names};
    pnr_reader r;
    packed p = {.blocks = blocks, .net = out, .mem = mem};
    if (!pnr_reader_open(&r, path, "E0540-packed-syntax", mem, d) || !read_packed_lines(&r, &p))
        return false;
    if (!out->cells.len)
        return pnr_wrong(&r, (pnr_word){r.text, 0}, "a netlist without a block");
    name_the_rest(out);
    if (out->nets.len)
        qsort(out->nets.at, out->nets.len, sizeof *out->nets.at, by_source); /* ties are errors */
    return one_net_a_driver(&r, out) && one_driver_an_input(&r, out) && widths_match(&r, &p);
}

bool pnr_read_packed(const char *path, name_table *names, arena *mem, diagnostics *d, netlist *out) {
    return pnr_read_blocks(path, &blocks_of_streams, names, mem, d, out);
}

static void write_pin(const netlist *n, net_pin pin, bool output, FILE *to) {
    const net_cell_data *cell = net_cell_at(n, pin.cell);
    fprintf(to, "(%c%u, %s)", cell->tag, cell->number, net_port_name(pnr_cell_tile(cell), output, pin.port));
}

bool pnr_write_packed(const netlist *n, const char *path, diagnostics *d) {
    file_out f;
    if (!file_create(&f, path, d->mem, d))
        return false;
    fputs("Netlists:\n", f.stream);
    for (uint32_t i = 0; i < n->nets.len; i++) {
        fprintf(f.stream, "%s: ", net_id_text(n, i, d->mem));
        write_pin(n, n->nets.at[i].source, true, f.stream);
        for (uint32_t s = 0; s < n->nets.at[i].sinks.len; s++) {
            fputc('\t', f.stream);
            write_pin(n, n->nets.at[i].sinks.at[s], false, f.stream);
        }
        fputc('\n', f.stream);
    }
    fputs("\nID to Names:\n", f.stream);
    for (uint32_t i = 0; i < n->cells.len; i++)
        fprintf(f.stream, "%c%u: %s\n", n->cells.at[i].tag, n->cells.at[i].number,
                names_text(n->names, n->cells.at[i].name));
    fputs("\nNetlist Bus:\n", f.stream);
    for (uint32_t i = 0; i < n->nets.len; i++)
        fprintf(f.stream, "%s: 17\n", net_id_text(n, i, d->mem));
    return file_commit(&f, d);
}
