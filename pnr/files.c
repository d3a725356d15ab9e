/* The text files of the public tools: .packed in and out, .place in and out, .route out (docs/pnr.md). */
#include "pnr/pnr_int.h"

#include <ctype.h>
#include <stdlib.h>

/* ---- reading: lines of words ----------------------------------------------------------------- */

typedef struct {
    const char *at;
    size_t length;
} word;

typedef struct {
    const char *text, *end, *next; /* next: first character not yet read */
    const char *start;             /* of the line read last */
    uint32_t source;
    diagnostics *d;
    arena *mem;
    VEC(word) words; /* of the line read last */
    const char *code;
} reader;

static bool is_separator(char c) {
    return c == ':' || c == ' ' || c == '\t' || c == ',' || c == '(' || c == ')' || c == '\r';
}

static bool reader_open(reader *r, const char *path, const char *code, arena *mem, diagnostics *d) {
    size_t length = 0;
    char *text = text_read(path, d->mem, &length, d);
    if (!text)
        return false;
    *r = (reader){
        .text = text, .next = text, .start = text, .end = text + length, .d = d, .mem = mem, .code = code};
    r->source = diag_add_source(d, path, text, length);
    const char *zero = memchr(text, '\0', length);
    if (zero) /* a name would end there */
        diag_error(d, src_at(r->source, (size_t)(zero - text), 1), code, "a zero byte is no text");
    return !zero;
}

static bool read_line(reader *r) {
    if (r->next == r->end)
        return false;
    r->words.len = 0;
    r->start = r->next;
    const char *p = r->next;
    while (p < r->end && *p != '\n') {
        const char *begin = p;
        while (p < r->end && *p != '\n' && !is_separator(*p))
            p++;
        if (p > begin)
            vec_push(r->mem, &r->words, (word){begin, (size_t)(p - begin)});
        else
            p++;
    }
    r->next = p < r->end ? p + 1 : p;
    return true;
}

static src_loc loc_of(const reader *r, word w) {
    return src_at(r->source, (size_t)(w.at - r->text), w.length);
}

static bool wrong(const reader *r, word at, const char *message) {
    diag_error(r->d, loc_of(r, at), r->code, "%s", message);
    return false;
}

static word line_word(const reader *r) {
    size_t length = (size_t)(r->next - r->start);
    return (word){r->start, length > 1 ? length - 1 : 1};
}

static bool word_is(word w, const char *text) {
    return strlen(text) == w.length && memcmp(w.at, text, w.length) == 0;
}

static bool word_number(word w, uint32_t *out) {
    uint64_t value = 0;
    for (size_t i = 0; i < w.length; i++) {
        if (!isdigit((unsigned char)w.at[i]) || value > UINT32_MAX)
            return false;
        value = value * 10 + (uint64_t)(w.at[i] - '0');
    }
    *out = (uint32_t)value;
    return w.length > 0 && value <= UINT32_MAX;
}

/* Reads a block id, "p3": a letter and a number. */
static bool word_block(word w, char *tag, uint32_t *number) {
    *tag = w.length ? w.at[0] : '\0';
    return w.length > 1 && isalpha((unsigned char)*tag) &&
           word_number((word){w.at + 1, w.length - 1}, number);
}

/* ---- .packed --------------------------------------------------------------------------------- */

enum { PORTS_IN = 4, PORTS_OUT = 3 };

static bool word_port(word w, net_tile tile, bool *output, uint8_t *port) {
    for (int out = 0; out < 2; out++) {
        uint8_t ports = tile == NET_TILE_IO ? 1 : out ? PORTS_OUT : PORTS_IN;
        for (*port = 0; *port < ports; ++*port) {
            *output = out;
            if (word_is(w, net_port_name(tile, out, *port)))
                return true;
        }
    }
    return false;
}

/* Finds the cell of a block id, made on first mention. */
static net_cell block_cell(const reader *r, word w, arena *mem, netlist *n) {
    char tag;
    uint32_t number;
    if (!word_block(w, &tag, &number) || !strchr("pmI", tag)) {
        diag_error(r->d, loc_of(r, w), r->code, "'%.*s' is no block of a 17-bit Onyx netlist", (int)w.length,
                   w.at);
        diag_hint(r->d, "blocks are p (PE), m (MEM) or I (IO) with a number, for example p3");
        return (net_cell){0};
    }
    for (uint32_t i = 0; i < n->cells.len; i++)
        if (n->cells.at[i].tag == tag && n->cells.at[i].number == number)
            return (net_cell){i + 1};
    vec_push(mem, &n->cells, (net_cell_data){.tag = tag, .number = number, .loc = loc_of(r, w)});
    return (net_cell){n->cells.len};
}

/* An IO block has the direction of its first used port. */
static bool set_direction(const reader *r, word w, net_cell_data *cell, bool drives, bool *known) {
    if (*known && cell->output == drives) {
        diag_error(r->d, loc_of(r, w), "E0541-packed-block", "IO block %c%u is both an input and an output",
                   cell->tag, cell->number);
        return false;
    }
    cell->output = !drives;
    *known = true;
    return true;
}

typedef struct {
    netlist *net;
    arena *mem;
    VEC(bool) direction_known; /* by cell */
    VEC(word) nets, widths;    /* ids as written, of nets and in 'Netlist Bus:' */
} packed;

static bool read_pin(const reader *r, packed *p, word block, word port, bool drives, net_pin *out) {
    bool output = false;
    out->cell = block_cell(r, block, p->mem, p->net);
    if (!out->cell.v)
        return false;
    while (p->direction_known.len < p->net->cells.len)
        vec_push(p->mem, &p->direction_known, false);
    net_cell_data *cell = net_cell_at(p->net, out->cell);
    if (!word_port(port, pnr_cell_tile(cell), &output, &out->port))
        return wrong(r, port, "no such port on this kind of tile");
    bool io = pnr_cell_tile(cell) == NET_TILE_IO;
    if (output != drives) {
        wrong(r, port, drives ? "the first pin of a net must be an output" : "a sink must be an input");
        return false;
    }
    return !io || set_direction(r, block, cell, drives, &p->direction_known.at[out->cell.v - 1]);
}

static bool read_net(const reader *r, packed *p) {
    net_data net = {0};
    if (r->words.len < 5 || r->words.len % 2 == 0)
        return wrong(r, line_word(r), "expected 'eN: (block, port) (block, port) ...'");
    if (!read_pin(r, p, r->words.at[1], r->words.at[2], true, &net.source))
        return false;
    for (uint32_t i = 3; i < r->words.len; i += 2) {
        net_pin pin;
        if (!read_pin(r, p, r->words.at[i], r->words.at[i + 1], false, &pin))
            return false;
        vec_push(p->mem, &net.sinks, pin);
    }
    net.id = names_intern_n(p->net->names, r->words.at[0].at, r->words.at[0].length);
    vec_push(p->mem, &p->net->nets, net);
    vec_push(p->mem, &p->nets, r->words.at[0]);
    return true;
}

static bool read_name(const reader *r, packed *p) {
    if (r->words.len != 2)
        return wrong(r, line_word(r), "expected 'block: name'");
    net_cell cell = block_cell(r, r->words.at[0], p->mem, p->net);
    if (!cell.v)
        return false;
    net_cell_data *data = net_cell_at(p->net, cell);
    data->name = names_intern_n(p->net->names, r->words.at[1].at, r->words.at[1].length);
    for (uint32_t i = 0; i < p->net->cells.len; i++)
        if (i + 1 != cell.v && name_eq(p->net->cells.at[i].name, data->name)) {
            diag_error(r->d, loc_of(r, r->words.at[1]), "E0541-packed-block", "two blocks are named '%s'",
                       names_text(p->net->names, data->name));
            return false;
        }
    return true;
}

static bool read_bus(const reader *r, packed *p) {
    if (r->words.len != 2)
        return wrong(r, line_word(r), "expected 'eN: width'");
    vec_push(p->mem, &p->widths, r->words.at[0]);
    return word_is(r->words.at[1], "17") || wrong(r, r->words.at[1], "only nets of width 17 are routed");
}

static bool read_section_line(reader *r, packed *p, const char *section) {
    if (strcmp(section, "Netlists") == 0)
        return read_net(r, p);
    if (strcmp(section, "ID") == 0)
        return read_name(r, p);
    if (strcmp(section, "Netlist") == 0)
        return read_bus(r, p);
    return wrong(r, line_word(r), "expected 'Netlists:', 'ID to Names:' or 'Netlist Bus:'");
}

static const char *section_of(const reader *r) {
    if (r->words.len == 1 && word_is(r->words.at[0], "Netlists"))
        return "Netlists";
    if (r->words.len == 3 && word_is(r->words.at[0], "ID") && word_is(r->words.at[2], "Names"))
        return "ID";
    if (r->words.len == 2 && word_is(r->words.at[0], "Netlist") && word_is(r->words.at[1], "Bus"))
        return "Netlist";
    return NULL;
}

static bool read_packed_lines(reader *r, packed *p) {
    const char *section = "";
    while (read_line(r)) {
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
    const word *l = a, *r = b;
    int order = memcmp(l->at, r->at, l->length < r->length ? l->length : r->length);
    if (order == 0 && l->length != r->length)
        order = l->length < r->length ? -1 : 1;
    return order ? order : (l->at > r->at) - (l->at < r->at);
}

static bool same_text(word a, word b) {
    return a.length == b.length && memcmp(a.at, b.at, a.length) == 0;
}

/* Every net has exactly one width: the public tools count both and lose unmatched ones.
 */
static bool widths_match(const reader *r, packed *p) {
    uint32_t nets = p->nets.len, widths = p->widths.len;
    if (nets)
        qsort(p->nets.at, nets, sizeof *p->nets.at, by_text);
    if (widths)
        qsort(p->widths.at, widths, sizeof *p->widths.at, by_text);
    for (uint32_t i = 0; i < nets || i < widths; i++) {
        const word *net = i < nets ? &p->nets.at[i] : NULL, *width = i < widths ? &p->widths.at[i] : NULL;
        if (net && i > 0 && same_text(net[-1], *net)) {
            diag_error(r->d, loc_of(r, *net), "E0541-packed-block", "two nets are called %.*s",
                       (int)net->length, net->at);
            return false;
        }
        if (net && width && same_text(*net, *width))
            continue;
        bool lacks = net && (!width || by_text(net, width) < 0);
        word which = lacks ? *net : *width;
        diag_error(r->d, loc_of(r, which), "E0546-packed-width",
                   lacks ? "net %.*s has no width of its own in 'Netlist Bus:'"
                         : "a width too many: %.*s is no net, or has one already",
                   (int)which.length, which.at);
        return false;
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

static bool one_net_a_driver(const reader *r, const netlist *n) {
    for (uint32_t i = 1; i < n->nets.len; i++)
        if (by_source(&n->nets.at[i - 1], &n->nets.at[i]) == 0) {
            const net_cell_data *cell = net_cell_at(n, n->nets.at[i].source.cell);
            diag_error(r->d, cell->loc, "E0541-packed-block", "output %u of %c%u drives two nets",
                       n->nets.at[i].source.port, cell->tag, cell->number);
            diag_hint(r->d, "list all sinks of an output in one net");
            return false;
        }
    return true;
}

/* Refuses two drivers of an input, and an input listed twice, which other tools silently merge. */
static bool one_driver_an_input(const reader *r, const netlist *n) {
    uint8_t *driven = arena_new_n(r->mem, uint8_t, n->cells.len * PORTS_IN + 1);
    for (uint32_t i = 0; i < n->nets.len; i++)
        for (uint32_t s = 0; s < n->nets.at[i].sinks.len; s++) {
            net_pin pin = n->nets.at[i].sinks.at[s];
            const net_cell_data *cell = net_cell_at(n, pin.cell);
            if (driven[(pin.cell.v - 1) * PORTS_IN + pin.port]++) {
                diag_error(r->d, cell->loc, "E0541-packed-block", "input %u of %c%u is driven twice",
                           pin.port, cell->tag, cell->number);
                return false;
            }
        }
    return true;
}

bool pnr_read_packed(const char *path, name_table *names, arena *mem, diagnostics *d, netlist *out) {
    *out = (netlist){.mem = mem, .names = names};
    reader r;
    packed p = {.net = out, .mem = mem};
    if (!reader_open(&r, path, "E0540-packed-syntax", mem, d) || !read_packed_lines(&r, &p))
        return false;
    if (!out->cells.len)
        return wrong(&r, (word){r.text, 0}, "a netlist without a block");
    name_the_rest(out);
    if (out->nets.len)
        qsort(out->nets.at, out->nets.len, sizeof *out->nets.at, by_source); /* ties are errors */
    return one_net_a_driver(&r, out) && one_driver_an_input(&r, out) && widths_match(&r, &p);
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

/* ---- .place ---------------------------------------------------------------------------------- */

static bool read_place_row(const reader *r, const netlist *n, pnr_site *fixed) {
    uint32_t x, y, number;
    char tag;
    word id = r->words.len == 4 ? r->words.at[3] : (word){0}, called = r->words.at[0];
    if (id.length < 2 || id.at[0] != '#' || !word_block((word){id.at + 1, id.length - 1}, &tag, &number) ||
        !word_number(r->words.at[1], &x) || !word_number(r->words.at[2], &y) || x >= PNR_FREE ||
        y >= PNR_FREE)
        return wrong(r, line_word(r), "expected 'name x y #block'");
    for (uint32_t i = 0; i < n->cells.len; i++) {
        if (n->cells.at[i].tag != tag || n->cells.at[i].number != number)
            continue;
        if (fixed[i].x != PNR_FREE) {
            diag_error(r->d, loc_of(r, id), "E0543-place-block", "block %c%u is placed twice", tag, number);
            return false;
        }
        if (n->cells.at[i].name.v && !word_is(called, names_text(n->names, n->cells.at[i].name))) {
            diag_error(r->d, loc_of(r, called), "E0543-place-block", "block %c%u is called '%s', not '%.*s'",
                       tag, number, names_text(n->names, n->cells.at[i].name), (int)called.length, called.at);
            return false;
        }
        fixed[i] = (pnr_site){(uint16_t)x, (uint16_t)y};
        return true;
    }
    diag_error(r->d, loc_of(r, id), "E0543-place-block", "the netlist has no block %c%u", tag, number);
    return false;
}

/* Reads the two lines above the rows. */
static bool read_place_heading(reader *r) {
    static const char *const names[] = {"Block", "Name", "X", "Y", "#Block", "ID"};
    enum { NAMES = sizeof names / sizeof *names };
    bool good = read_line(r) && r->words.len == NAMES;
    for (uint32_t i = 0; good && i < NAMES; i++)
        good = word_is(r->words.at[i], names[i]);
    const word rule = good && read_line(r) && r->words.len == 1 ? r->words.at[0] : (word){0};
    for (size_t i = 0; i < rule.length; i++)
        good = good && rule.at[i] == '-';
    return (good && rule.length) ||
           wrong(r, line_word(r),
                 "expected the heading 'Block Name X Y #Block ID', and a line of dashes below");
}

bool pnr_read_place(const netlist *n, const char *path, arena *mem, diagnostics *d, pnr_site **fixed) {
    reader r;
    if (!reader_open(&r, path, "E0542-place-syntax", mem, d))
        return false;
    *fixed = arena_new_n(mem, pnr_site, n->cells.len + 1);
    for (uint32_t i = 0; i < n->cells.len; i++)
        (*fixed)[i].x = (*fixed)[i].y = PNR_FREE;
    bool good = read_place_heading(&r);
    while (good && read_line(&r))
        good = !r.words.len || read_place_row(&r, n, *fixed);
    return good;
}

bool pnr_write_place(const pnr_design *design, const char *path, diagnostics *d) {
    const netlist *n = design->net;
    file_out f;
    if (!file_create(&f, path, d->mem, d))
        return false;
    fputs("Block Name\t\t\tX\tY\t\t#Block ID\n---------------------------\n", f.stream);
    for (uint32_t i = 0; i < n->cells.len; i++)
        fprintf(f.stream, "%s\t\t%u\t%u\t\t#%c%u\n", names_text(n->names, n->cells.at[i].name),
                design->site.at[i].x, design->site.at[i].y, n->cells.at[i].tag, n->cells.at[i].number);
    return file_commit(&f, d);
}

/* ---- .route ---------------------------------------------------------------------------------- */

typedef struct {
    const pnr_design *design;
    FILE *to; /* NULL: only count */
    uint32_t lines;
    const pnr_hop *off; /* a hop out of the array, or NULL */
} route_writer;

static const char *const side_words[] = {"EAST", "SOUTH", "WEST", "NORTH"};

static void line(route_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void line(route_writer *w, const char *format, ...) {
    w->lines++;
    if (!w->to)
        return;
    va_list args;
    va_start(args, format);
    vfprintf(w->to, format, args);
    va_end(args);
    fputc('\n', w->to);
}

static void port_line(route_writer *w, net_pin pin, bool output) {
    net_tile tile = pnr_cell_tile(net_cell_at(w->design->net, pin.cell));
    pnr_site at = w->design->site.at[pin.cell.v - 1];
    line(w, "PORT %s (%u, %u, 17)", net_port_name(tile, output, pin.port), at.x, at.y);
}

/* Writes the switch-box output, its register if used, and the register mux. */
static void hop_lines(route_writer *w, const pnr_hop *h) {
    line(w, "SB (%u, %u, %u, %u, 1, 17)", h->track, h->x, h->y, h->side);
    if (h->registered)
        line(w, "REG T%u_%s (%u, %u, %u, 17)", h->track, side_words[h->side], h->track, h->x, h->y);
    line(w, "RMUX %u_%u (%u, %u, 17)", h->side, h->track, h->x, h->y);
}

/* Writes the switch-box input at the end of a hop's wire; an IO tile has none. */
static void arrival_line(route_writer *w, const pnr_hop *h) {
    uint32_t x = 0, y = 0;
    pnr_side side = (pnr_side)h->side;
    if (!pnr_neighbour(w->design->board, h->x, h->y, side, &x, &y))
        w->off = h;
    else if (y > 0)
        line(w, "SB (%u, %u, %u, %d, 0, 17)", h->track, x, y, (int)pnr_opposite(side));
}

/* Writes the hops from the driver, or from where the net's earlier segments were left, to `hop`. */
static void path_lines(route_writer *w, const net_data *net, const pnr_route *r, uint32_t hop,
                       const bool *drawn) {
    const pnr_hop *h = &r->hops.at[hop];
    if (h->from_core) {
        port_line(w, net->source, true);
    } else if (h->parent == PNR_NO_HOP) {
        port_line(w, net->source, true);
        line(w, "SB (%u, %u, %u, %u, 0, 17)", h->from_track, h->x, h->y, h->from_side);
    } else if (drawn[h->parent]) {
        arrival_line(w, &r->hops.at[h->parent]);
    } else {
        path_lines(w, net, r, h->parent, drawn);
        arrival_line(w, &r->hops.at[h->parent]);
    }
    hop_lines(w, h);
}

static void segment_lines(route_writer *w, const net_data *net, const pnr_route *r, uint32_t s,
                          const bool *drawn) {
    const pnr_sink *sink = &r->sinks.at[s];
    if (sink->hop == PNR_NO_HOP) {
        port_line(w, net->source, true);
        pnr_site at = w->design->site.at[net->sinks.at[s].cell.v - 1];
        line(w, "SB (%u, %u, %u, %u, 0, 17)", sink->track, at.x, at.y, sink->side);
    } else {
        if (!drawn[sink->hop])
            path_lines(w, net, r, sink->hop, drawn);
        arrival_line(w, &r->hops.at[sink->hop]);
    }
    port_line(w, net->sinks.at[s], false);
}

static void write_net(route_writer *w, uint32_t n, arena *scratch) {
    const pnr_route *r = &w->design->route.at[n];
    FILE *to = w->to;
    bool *drawn = arena_new_n(scratch, bool, r->hops.len + 1);
    fprintf(to, "Net ID: %s Segment Size: %u\n", net_id_text(w->design->net, n, scratch), r->sinks.len);
    for (uint32_t s = 0; s < r->sinks.len; s++) {
        w->to = NULL;
        w->lines = 0;
        segment_lines(w, &w->design->net->nets.at[n], r, s, drawn);
        w->to = to;
        fprintf(to, "Segment: %u Size: %u\n", s, w->lines);
        segment_lines(w, &w->design->net->nets.at[n], r, s, drawn);
        for (uint32_t i = r->sinks.at[s].hop; i != PNR_NO_HOP; i = r->hops.at[i].parent)
            drawn[i] = true;
    }
}

/* An unrouted net has no hops; routes read from a file may be anything. */
static bool writable(const pnr_design *design, uint32_t n, diagnostics *d) {
    uint32_t want = design->net->nets.at[n].sinks.len, have = design->route.at[n].sinks.len;
    if (have > want)
        diag_error(d, (src_loc){0}, "E0533-sink-missed", "net %s has %u %s, its route %u",
                   net_id_text(design->net, n, d->mem), want, plural(want, "sink", "sinks"), have);
    return have <= want;
}

bool pnr_write_route(const pnr_design *design, const char *path, diagnostics *d) {
    file_out f;
    arena scratch = {0};
    if (!file_create(&f, path, d->mem, d))
        return false;
    route_writer w = {.design = design, .to = f.stream};
    bool good = true;
    for (uint32_t n = 0; n < design->route.len && good; n++) {
        good = writable(design, n, d);
        if (good)
            write_net(&w, n, &scratch);
        if (good && w.off) {
            good = false;
            diag_error(d, (src_loc){0}, "E0537-off-array", "the route of net %s leaves the array at (%u, %u)",
                       net_id_text(design->net, n, d->mem), w.off->x, w.off->y);
        }
    }
    arena_free(&scratch);
    if (good)
        return file_commit(&f, d);
    file_abandon(&f);
    return false;
}

/* ---- .route in ------------------------------------------------------------------------------- */

typedef enum { ROUTE_PORT, ROUTE_ARRIVES, ROUTE_LEAVES, ROUTE_REGISTER, ROUTE_MUX } route_node_kind;

typedef struct {
    route_node_kind kind;
    uint32_t x, y, side, track;
    word name; /* of a port or a register */
} route_node;

/* Reads a side and a track, "2_0". */
static bool mux_words(word w, route_node *out) {
    return w.length == 3 && w.at[1] == '_' && word_number((word){w.at, 1}, &out->side) &&
           word_number((word){w.at + 2, 1}, &out->track);
}

static bool read_node_words(const reader *r, route_node *out) {
    const word *w = r->words.at;
    uint32_t n = r->words.len, io = 0, last = 0;
    *out = (route_node){0};
    if (n == 0 || !word_number(w[n - 1], &last) || last != 17)
        return false;
    if (n == 5 && word_is(w[0], "PORT")) {
        out->kind = ROUTE_PORT;
        out->name = w[1];
        return word_number(w[2], &out->x) && word_number(w[3], &out->y);
    }
    if (n == 7 && word_is(w[0], "SB")) {
        bool good = word_number(w[1], &out->track) && word_number(w[2], &out->x) &&
                    word_number(w[3], &out->y) && word_number(w[4], &out->side) && word_number(w[5], &io);
        out->kind = io ? ROUTE_LEAVES : ROUTE_ARRIVES;
        return good && io < 2;
    }
    if (n == 6 && word_is(w[0], "REG")) {
        out->kind = ROUTE_REGISTER;
        out->name = w[1];
        return word_number(w[2], &out->track) && word_number(w[3], &out->x) && word_number(w[4], &out->y);
    }
    if (n == 5 && word_is(w[0], "RMUX")) {
        out->kind = ROUTE_MUX;
        return mux_words(w[1], out) && word_number(w[2], &out->x) && word_number(w[3], &out->y);
    }
    return false;
}

/* Reads a node possible on some board: a larger number would become another wire in a hop. */
static bool route_node_words(const reader *r, route_node *out) {
    return read_node_words(r, out) && out->side < 4 && out->x <= UINT16_MAX && out->y <= UINT16_MAX &&
           out->track <= UINT8_MAX;
}

static uint32_t find_hop(const pnr_route *r, uint32_t x, uint32_t y, uint32_t side, uint32_t track) {
    for (uint32_t i = 0; i < r->hops.len; i++)
        if (r->hops.at[i].x == x && r->hops.at[i].y == y && r->hops.at[i].side == side &&
            r->hops.at[i].track == track)
            return i;
    return PNR_NO_HOP;
}

/* Finds the hop whose wire arrives at this node; PNR_NO_HOP when an IO tile or nothing of the net drives the
 * wire. */
static uint32_t hop_arriving(const pnr_design *design, const pnr_route *r, const route_node *n) {
    uint32_t x, y;
    if (!pnr_neighbour(design->board, n->x, n->y, (pnr_side)n->side, &x, &y))
        return PNR_NO_HOP;
    return find_hop(r, x, y, pnr_opposite((pnr_side)n->side), n->track);
}

/* Adds the output unless present; returns its index. A registered hop after a SplitFIFO's start is its
 * end. */
static uint32_t add_hop(const pnr_design *design, arena *mem, pnr_route *r, const route_node *before,
                        const route_node *n, uint8_t port) {
    uint32_t known = find_hop(r, n->x, n->y, n->side, n->track);
    if (known != PNR_NO_HOP)
        return known;
    pnr_hop h = {
        .x = (uint16_t)n->x, .y = (uint16_t)n->y, .side = (uint8_t)n->side, .track = (uint8_t)n->track};
    h.parent = PNR_NO_HOP;
    h.from_core = before->kind == ROUTE_PORT;
    if (h.from_core) {
        h.port = port;
    } else {
        h.from_side = (uint8_t)before->side;
        h.from_track = (uint8_t)before->track;
        h.parent = hop_arriving(design, r, before);
    }
    vec_push(mem, &r->hops, h);
    return r->hops.len - 1;
}

static void register_hop(pnr_route *r, uint32_t hop) {
    pnr_hop *h = &r->hops.at[hop];
    if (h->registered)
        return;
    bool ends = h->parent != PNR_NO_HOP && r->hops.at[h->parent].fifo_start;
    h->registered = true;
    h->fifo_end = ends;
    h->fifo_start = !ends;
}

/* Checks that a register or its mux is on the wire of the previous line, and has this wire's name. */
static bool on_hop(const reader *r, const pnr_hop *h, const route_node *n) {
    char name[32];
    snprintf(name, sizeof name, "T%u_%s", h->track, side_words[h->side]);
    const bool there = n->x == h->x && n->y == h->y && n->track == h->track;
    if (n->kind == ROUTE_REGISTER ? there && word_is(n->name, name) : there && n->side == h->side)
        return true;
    diag_error(r->d, loc_of(r, line_word(r)), r->code, "the wire before is %s of (%u, %u), not this", name,
               h->x, h->y);
    return false;
}

/* Checks that a port is the net's expected pin. */
static bool is_pin(const reader *r, const netlist *n, net_pin pin, bool output, word name) {
    const net_cell_data *cell = net_cell_at(n, pin.cell);
    const char *want = net_port_name(pnr_cell_tile(cell), output, pin.port);
    if (word_is(name, want))
        return true;
    diag_error(r->d, loc_of(r, name), r->code, "the net's pin is port %s of %c%u, not '%.*s'", want,
               cell->tag, cell->number, (int)name.length, name.at);
    return false;
}

static bool read_segment(reader *r, pnr_design *design, uint32_t net, uint32_t nodes, arena *mem) {
    pnr_route *route = &design->route.at[net];
    route_node before = {0}, node = {0};
    const net_data *pins = &design->net->nets.at[net];
    uint32_t hop = PNR_NO_HOP;
    for (uint32_t i = 0; i < nodes; i++) {
        if (!read_line(r) || !route_node_words(r, &node))
            return wrong(r, line_word(r), "expected a PORT, SB, REG or RMUX node of width 17");
        if (node.kind == ROUTE_LEAVES) {
            if (i == 0)
                return wrong(r, line_word(r), "a segment starts at a port or where a wire arrives");
            hop = add_hop(design, mem, route, &before, &node, design->net->nets.at[net].source.port);
        } else if (node.kind == ROUTE_ARRIVES) {
            hop = hop_arriving(design, route, &node);
        } else if (node.kind == ROUTE_PORT) {
            if (i == 0 && !is_pin(r, design->net, pins->source, true, node.name))
                return false;
        } else if (hop != PNR_NO_HOP) {
            if (!on_hop(r, &route->hops.at[hop], &node))
                return false;
            if (node.kind == ROUTE_MUX) {
                before = i + 1 < nodes ? node : before;
                continue;
            }
            register_hop(route, hop);
            continue; /* where data came from stays the hop */
        }
        if (i + 1 < nodes)
            before = node;
    }
    if (node.kind != ROUTE_PORT)
        return wrong(r, line_word(r), "a segment ends at a port");
    if (route->sinks.len < pins->sinks.len &&
        !is_pin(r, design->net, pins->sinks.at[route->sinks.len], false, node.name))
        return false;
    pnr_sink sink = {.hop = hop};
    if (before.kind == ROUTE_ARRIVES) {
        sink.side = (uint8_t)before.side;
        sink.track = (uint8_t)before.track;
    }
    vec_push(mem, &route->sinks, sink);
    return true;
}

/* Finds the net of this id; false if absent. */
static bool find_net(const netlist *n, word id, uint32_t *out) {
    name_id name = names_find(n->names, arena_printf(n->mem, "%.*s", (int)id.length, id.at));
    for (uint32_t i = 0; i < n->nets.len && name.v; i++) {
        if (name_eq(n->nets.at[i].id, name)) {
            *out = i;
            return true;
        }
    }
    return id.length > 1 && word_number((word){id.at + 1, id.length - 1}, out) && *out < n->nets.len &&
           !n->nets.at[*out].id.v;
}

static bool is_heading(const reader *r, const char *first, const char *second, const char *fourth) {
    const word *w = r->words.at;
    return word_is(w[0], first) && word_is(w[1], second) && word_is(w[3], fourth);
}

bool pnr_read_route(pnr_design *design, const char *path, arena *mem, diagnostics *d) {
    reader r;
    uint32_t net = 0, number = 0, segments = 0, nodes = 0, given = 0;
    if (!reader_open(&r, path, "E0544-route-syntax", mem, d))
        return false;
    design->route.len = 0;
    for (uint32_t n = 0; n < design->net->nets.len; n++)
        vec_push(mem, &design->route, (pnr_route){0});
    while (read_line(&r)) {
        const word *w = r.words.at;
        if (r.words.len == 0)
            continue;
        if (r.words.len == 6 && is_heading(&r, "Net", "ID", "Segment") && word_is(w[4], "Size") &&
            word_number(w[5], &segments)) {
            if (!find_net(design->net, w[2], &net) || design->route.at[net].sinks.len)
                return wrong(&r, w[2], "no such net, or a net for the second time");
            number = 0;
        } else if (r.words.len == 4 && word_is(w[0], "Segment") && word_is(w[2], "Size") &&
                   word_number(w[1], &given) && given == number && word_number(w[3], &nodes) &&
                   number < segments) {
            number++;
            if (!read_segment(&r, design, net, nodes, mem))
                return false;
        } else {
            return wrong(&r, line_word(&r), "expected 'Net ID: eN Segment Size: n' or 'Segment: k Size: n'");
        }
    }
    return true;
}

/* ---- .info -------------------------------------------------------------------------------- */

bool pnr_write_info(const char *layout, const char *graph_17, const char *graph_1, const char *path,
                    diagnostics *d) {
    file_out f;
    if (!file_create(&f, path, d->mem, d))
        return false;
    fprintf(f.stream, "layout=%s\ngraph=17 %s 1 %s\n", layout, graph_17, graph_1);
    return file_commit(&f, d);
}
