/* A routed dense design in the files of the chip's own flow. Wires are followed back from each input to a
 * register or an output: such a piece is a pin of a net, and a segment of its route. */
#include "dense/links.h"
#include "dense/packed_int.h"

#include <stdlib.h>

/* A stretch of wires, from the source on. */
typedef struct {
    dense_origin from;          /* an output of a tile, or the wire of a register */
    uint32_t width, x, y, port; /* the input: a dense_port, DENSE_PORTS of an IO tile, or DENSE_PORTS + 1 */
    dense_origin to;            /* DENSE_PORTS + 1: the wire of the register at the end */
    VEC(dense_origin) path;
} piece;
enum { TO_REGISTER = DENSE_PORTS + 1 };

typedef struct {
    const dense_design *design;
    const dense_blocks *blocks;
    dense_wiring wiring;
    uint32_t *number; /* by wire: of its register, or 0 */
    VEC(piece) pieces;
    VEC(dense_origin) registers;
    u32_vec widths; /* of registers */
    uint32_t next;  /* number of a block */
    arena *mem;
} writer;

/* ---- pieces ------------------------------------------------------------------------------------ */

static bool is_register(const writer *w, dense_origin at, uint32_t width) {
    return at.kind == DENSE_FROM_WIRE && dense_wire_at(&w->wiring, at, width)->registered;
}

/* A register is found where a piece begins at its wire. */
static void note_register(writer *w, dense_origin at, uint32_t width) {
    uint32_t *number = &w->number[dense_wire_number(w->design->board, at, width)];
    if (*number)
        return;
    *number = w->next++;
    vec_push(w->mem, &w->registers, at);
    vec_push(w->mem, &w->widths, width);
}

/* Returns whether a unit drives the wire, over registers or none. */
static bool is_driven(const writer *w, dense_origin at, uint32_t width) {
    const pnr_board *b = w->design->board;
    for (uint32_t steps = 4 * b->width * b->height * b->tracks; at.kind == DENSE_FROM_WIRE && steps; steps--)
        at = dense_behind_wire(&w->wiring, at, width);
    const dense_tile *t = dense_tile_at(w->design, at.x, at.y);
    return (at.kind == DENSE_FROM_CORE || at.kind == DENSE_FROM_IO) && t && dense_units_of(w->design, t);
}

/* Follows a driven wire back. */
static void add_piece(writer *w, piece p, dense_origin at) {
    while (at.kind == DENSE_FROM_WIRE && !is_register(w, at, p.width)) {
        vec_push(w->mem, &p.path, at);
        at = dense_behind_wire(&w->wiring, at, p.width);
    }
    p.from = at;
    for (uint32_t i = 0; 2 * i + 1 < p.path.len; i++) {
        const dense_origin other = p.path.at[i];
        p.path.at[i] = p.path.at[p.path.len - 1 - i];
        p.path.at[p.path.len - 1 - i] = other;
    }
    if (at.kind == DENSE_FROM_WIRE)
        note_register(w, at, p.width);
    vec_push(w->mem, &w->pieces, p);
}

static void add_inputs(writer *w, const dense_tile *t) {
    const uint32_t units = dense_units_of(w->design, t);
    for (dense_port port = 0; port < DENSE_PORTS; port++) {
        const dense_box box = dense_box_of(&w->wiring, t, port);
        const uint32_t width = dense_ports[port].width;
        if (dense_ports[port].tile != t->kind || !dense_takes(w->design, t, units, port) || !box.enable ||
            dense_is_constant(w->design, t, port))
            continue;
        const dense_origin at = dense_behind_box(&w->wiring, t, port, box.select);
        if (is_driven(w, at, width))
            add_piece(w, (piece){.width = width, .x = t->x, .y = t->y, .port = port}, at);
    }
    for (uint32_t width = 0; width < DENSE_WIDTHS && units & DENSE_HAS_IO; width++) {
        const dense_origin below = {.kind = DENSE_FROM_WIRE, .x = t->x, .y = 1, .side = PNR_NORTH};
        if (dense_wire_at(&w->wiring, below, width)->enable && is_driven(w, below, width))
            add_piece(w, (piece){.width = width, .x = t->x, .y = t->y, .port = DENSE_PORTS}, below);
    }
}

static void find_pieces(writer *w) {
    for (uint32_t i = 0; i < w->design->tiles.len; i++)
        add_inputs(w, &w->design->tiles.at[i]);
    for (uint32_t i = 0; i < w->registers.len; i++) {
        const dense_origin at = w->registers.at[i];
        const uint32_t width = w->widths.at[i];
        piece p = {.width = width, .port = TO_REGISTER, .to = at};
        add_piece(w, p, dense_behind_wire(&w->wiring, at, width));
    }
}

static int order(const dense_origin *a, const dense_origin *b) {
    const bool wire = a->kind == DENSE_FROM_WIRE, core = a->kind == DENSE_FROM_CORE;
    const uint32_t l[] = {a->x, a->y, (uint32_t)a->kind, wire * a->side, wire * a->track, core * a->port},
                   r[] = {b->x, b->y, (uint32_t)b->kind, wire * b->side, wire * b->track, core * b->port};
    for (size_t i = 0; i < sizeof l / sizeof *l; i++) {
        if (l[i] != r[i])
            return l[i] < r[i] ? -1 : 1;
    }
    return 0;
}

/* Orders pieces by net: the wire inside a Pond's tile is a net of its own. */
static bool inside_pond(const piece *p) {
    return p->from.kind == DENSE_FROM_CORE && p->width == DENSE_WORD && !p->path.len &&
           p->from.port == DENSE_PLACE_OF_POND;
}

static int by_net(const void *left, const void *right) {
    const piece *a = left, *b = right;
    const int first = (int)a->width - (int)b->width, second = order(&a->from, &b->from),
              third = (int)inside_pond(a) - (int)inside_pond(b);
    if (first || second || third)
        return first ? first : second ? second : third;
    const int fourth = (int)a->port - (int)b->port, fifth = order(&a->to, &b->to);
    const int64_t site = ((int64_t)a->x - b->x) * UINT16_MAX + a->y - b->y;
    return fourth ? fourth : fifth ? fifth : site < 0 ? -1 : site > 0;
}

static bool same_net(const piece *a, const piece *b) {
    return a->width == b->width && !order(&a->from, &b->from) && inside_pond(a) == inside_pond(b);
}

/* ---- names ------------------------------------------------------------------------------------- */

static const char *block_at(const writer *w, uint32_t x, uint32_t y, uint32_t width) {
    for (uint32_t i = 0; i < w->blocks->len; i++) {
        const dense_block *b = &w->blocks->at[i];
        if (b->x == x && b->y == y && (y > 0 || (b->tag == 'i') == (width == DENSE_BIT)))
            return arena_printf(w->mem, "%c%u", b->tag, b->number);
    }
    return "none";
}

static net_tile kind_at(const writer *w, uint32_t x, uint32_t y) {
    return pnr_site_tile(w->design->board, x, y);
}

static const char *register_id(const writer *w, dense_origin at, uint32_t width) {
    return arena_printf(w->mem, "r%u", w->number[dense_wire_number(w->design->board, at, width)]);
}

static const char *source_pin(const writer *w, const piece *p) {
    const dense_origin at = p->from;
    if (at.kind == DENSE_FROM_WIRE)
        return arena_printf(w->mem, "(%s, reg)", register_id(w, at, p->width));
    return arena_printf(w->mem, "(%s, %s)", block_at(w, at.x, at.y, p->width),
                        dense_output_port(kind_at(w, at.x, at.y), p->width,
                                          at.kind == DENSE_FROM_IO ? 0 : at.port, !p->path.len));
}

static const char *sink_pin(const writer *w, const piece *p) {
    if (p->port == TO_REGISTER)
        return arena_printf(w->mem, "(%s, reg)", register_id(w, p->to, p->width));
    return arena_printf(w->mem, "(%s, %s)", block_at(w, p->x, p->y, p->width),
                        dense_input_port((dense_port)p->port, p->width));
}

/* ---- .packed, .place, .id_to_name -------------------------------------------------------------- */

static bool open_file(const char *folder, const char *end, diagnostics *d, file_out *f) {
    return file_create(f, arena_printf(d->mem, "%s/design.%s", folder, end), d->mem, d);
}

/* Calls `print` for each block, registers last. */
static void each_block(const writer *w, void (*print)(const dense_block *b, FILE *to), FILE *to) {
    for (uint32_t i = 0; i < w->blocks->len; i++)
        print(&w->blocks->at[i], to);
    for (uint32_t i = 0; i < w->registers.len; i++) {
        const dense_origin at = w->registers.at[i];
        const uint32_t width = w->widths.at[i];
        const dense_block b = {'r', w->number[dense_wire_number(w->design->board, at, width)], at.x, at.y,
                               arena_printf(w->mem, "register_x%uy%u_T%u_%s_%u", at.x, at.y, at.track,
                                            bits_side_name[at.side], dense_file_width(width))};
        print(&b, to);
    }
}

static void print_name(const dense_block *b, FILE *to) {
    fprintf(to, "%c%u: %s\n", b->tag, b->number, b->name);
}

static void print_site(const dense_block *b, FILE *to) {
    fprintf(to, "%s\t\t%u\t%u\t\t#%c%u\n", b->name, b->x, b->y, b->tag, b->number);
}

static bool write_netlist(const writer *w, const char *folder, diagnostics *d) {
    file_out f;
    uint32_t nets = 0;
    if (!open_file(folder, "packed", d, &f))
        return false;
    fputs("Netlists:", f.stream);
    for (uint32_t i = 0; i < w->pieces.len; i++) {
        const piece *p = &w->pieces.at[i];
        if (!i || !same_net(p - 1, p))
            fprintf(f.stream, "\ne%u: %s", nets++, source_pin(w, p));
        fprintf(f.stream, "\t%s", sink_pin(w, p));
    }
    fputs("\n\nID to Names:\n", f.stream);
    each_block(w, print_name, f.stream);
    fputs("\nNetlist Bus:\n", f.stream);
    nets = 0;
    for (uint32_t i = 0; i < w->pieces.len; i++) {
        if (!i || !same_net(&w->pieces.at[i - 1], &w->pieces.at[i]))
            fprintf(f.stream, "e%u: %u\n", nets++, dense_file_width(w->pieces.at[i].width));
    }
    return file_commit(&f, d);
}

static bool write_blocks(const writer *w, const char *folder, diagnostics *d) {
    file_out place, names;
    if (!open_file(folder, "place", d, &place))
        return false;
    fputs("Block Name\t\t\tX\tY\t\t#Block ID\n---------------------------\n", place.stream);
    each_block(w, print_site, place.stream);
    if (!file_commit(&place, d) || !open_file(folder, "id_to_name", d, &names))
        return false;
    each_block(w, print_name, names.stream);
    return file_commit(&names, d);
}

/* ---- .route ------------------------------------------------------------------------------------ */

typedef struct {
    const writer *w;
    FILE *to; /* NULL: lines are counted */
    uint32_t lines, width;
} route_text;

static void line(route_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void line(route_text *t, const char *format, ...) {
    va_list args;
    t->lines++;
    if (!t->to)
        return;
    va_start(args, format);
    vfprintf(t->to, format, args);
    va_end(args);
    fprintf(t->to, ", %u)\n", t->width);
}

static void register_line(route_text *t, dense_origin at) {
    line(t, "REG T%u_%s (%u, %u, %u", at.track, bits_side_name[at.side], at.track, at.x, at.y);
}

/* The mux behind a switch-box output, and where its wire arrives. */
static void leave_lines(route_text *t, dense_origin at) {
    uint32_t x = 0, y = 0;
    line(t, "RMUX %u_%u (%u, %u", at.side, at.track, at.x, at.y);
    if (pnr_neighbour(t->w->design->board, at.x, at.y, (pnr_side)at.side, &x, &y) && y)
        line(t, "SB (%u, %u, %u, %u, 0", at.track, x, y, (unsigned)pnr_opposite((pnr_side)at.side));
}

static void begin_lines(route_text *t, const piece *p) {
    const dense_origin at = p->from;
    if (at.kind == DENSE_FROM_WIRE) {
        register_line(t, at);
        leave_lines(t, at);
        return;
    }
    line(t, "PORT %s (%u, %u",
         dense_output_port(kind_at(t->w, at.x, at.y), p->width, at.kind == DENSE_FROM_IO ? 0 : at.port,
                           !p->path.len),
         at.x, at.y);
    if (at.kind == DENSE_FROM_IO)
        line(t, "SB (%u, %u, 1, %u, 0", at.track, at.x, (unsigned)PNR_NORTH);
}

static void piece_lines(route_text *t, const piece *p) {
    begin_lines(t, p);
    for (uint32_t i = 0; i < p->path.len; i++) {
        const dense_origin at = p->path.at[i];
        line(t, "SB (%u, %u, %u, %u, 1", at.track, at.x, at.y, at.side);
        leave_lines(t, at);
    }
    if (p->port == TO_REGISTER) {
        line(t, "SB (%u, %u, %u, %u, 1", p->to.track, p->to.x, p->to.y, p->to.side);
        register_line(t, p->to);
    } else {
        line(t, "PORT %s (%u, %u", dense_input_port((dense_port)p->port, p->width), p->x, p->y);
    }
}

static uint32_t sinks_from(const writer *w, uint32_t first) {
    uint32_t n = 1;
    while (first + n < w->pieces.len && same_net(&w->pieces.at[first], &w->pieces.at[first + n]))
        n++;
    return n;
}

static bool write_routes(const writer *w, const char *folder, diagnostics *d) {
    file_out f;
    uint32_t nets = 0;
    if (!open_file(folder, "route", d, &f))
        return false;
    for (uint32_t i = 0, n; i < w->pieces.len; i += n) {
        n = sinks_from(w, i);
        fprintf(f.stream, "%sNet ID: e%u Segment Size: %u\n", i ? "\n" : "", nets++, n);
        for (uint32_t s = 0; s < n; s++) {
            route_text text = {.w = w, .width = dense_file_width(w->pieces.at[i].width)};
            piece_lines(&text, &w->pieces.at[i + s]);
            text.to = f.stream;
            fprintf(f.stream, "Segment: %u Size: %u\n", s, text.lines);
            piece_lines(&text, &w->pieces.at[i + s]);
        }
    }
    return file_commit(&f, d);
}

/* ---- all --------------------------------------------------------------------------------------- */

static void name_block(dense_blocks *out, char tag, const dense_tile *t, const char *what, arena *mem) {
    vec_push(mem, out,
             ((dense_block){tag, out->len, t->x, t->y, arena_printf(mem, "%s_x%uy%u", what, t->x, t->y)}));
}

/* Returns whether the words, or the bits, of an IO tile go anywhere or come from somewhere. */
static bool is_used(const dense_links *links, const dense_tile *t, uint32_t width) {
    bool used = false;
    for (uint32_t i = 0; i < links->len; i++) {
        const dense_link *l = &links->at[i];
        used = used || (l->width == width &&
                        ((l->x == t->x && l->y == t->y) || (l->from_x == t->x && l->from_y == t->y)));
    }
    return used;
}

static void name_tile(dense_blocks *out, const dense_tile *t, const dense_links *links, arena *mem) {
    if (t->kind == NET_TILE_PE)
        name_block(out, 'p', t, "pe", mem);
    if (t->kind == NET_TILE_MEM)
        name_block(out, 'm', t, "mem", mem);
    for (uint32_t width = 0; t->kind == NET_TILE_IO && width < DENSE_WIDTHS; width++) {
        if (is_used(links, t, width))
            name_block(out, width ? 'i' : 'I', t, width ? "io1" : "io17", mem);
    }
}

dense_blocks dense_name_blocks(const dense_design *design, arena *mem) {
    const dense_links links = dense_links_of(design, mem);
    dense_blocks out = {0};
    for (const dense_tile *t = design->tiles.at; t < design->tiles.at + design->tiles.len; t++) {
        if (dense_units_of(design, t))
            name_tile(&out, t, &links, mem);
    }
    return out;
}

bool dense_write_packed(const dense_design *design, const dense_blocks *blocks, const char *folder,
                        diagnostics *d) {
    const pnr_board *b = design->board;
    writer w = {.design = design, .blocks = blocks, .mem = d->mem, .next = 1};
    w.wiring = dense_wire_up(design, d->mem);
    w.number = arena_new_n(d->mem, uint32_t, b->width * b->height * DENSE_WIDTHS * 4 * b->tracks + 1);
    for (uint32_t i = 0; i < blocks->len; i++)
        w.next = blocks->at[i].number >= w.next ? blocks->at[i].number + 1 : w.next;
    find_pieces(&w);
    if (w.pieces.len)
        qsort(w.pieces.at, w.pieces.len, sizeof *w.pieces.at, by_net);
    return write_netlist(&w, folder, d) && write_blocks(&w, folder, d) && write_routes(&w, folder, d);
}
