/* The fabric as a file .graph (every node and its fan-out), written from the board and read back to be
 * compared with it; and the fabric's own proof (pnr_fabric_check).
 *
 * A graph is compared as a set of edges, each the hash of "node > node" or of one line of a switch: the
 * file's text and the board's own text go through the same reader. O(edges log edges).
 */
#include "pnr/pnr_int.h"

#include <stdlib.h>

/* ---- writing .graph -------------------------------------------------------------------------- */

static const char *const side_words[] = {"EAST", "SOUTH", "WEST", "NORTH"};

typedef struct {
    const pnr_board *b;
    uint32_t width; /* of the network: 17 or 1 */
    FILE *to;
} graph_writer;

/* Returns the number of a tile's ports in a network. In the 1-bit network these are the ports with connection
 * boxes and outputs on the chip. */
static uint32_t port_count(net_tile tile, bool output, uint32_t width) {
    static const uint8_t count[2][2][4] = {{{0, 4, 4, 1}, {0, 3, 3, 1}}, {{0, 3, 4, 1}, {0, 1, 3, 1}}};
    return count[width == 1][output][tile];
}

static void put_port(const graph_writer *w, uint32_t x, uint32_t y, bool output, uint32_t port) {
    net_tile tile = pnr_site_tile(w->b, x, y);
    if (tile == NET_TILE_IO)
        fprintf(w->to, "PORT %s_%u_0 (%u, %u, %u)\n", output ? "io2f" : "f2io", w->width, x, y, w->width);
    else
        fprintf(w->to, "PORT %s_%s_width_%u_num_%u (%u, %u, %u)\n", tile == NET_TILE_PE ? "PE" : "MEM",
                output ? "output" : "input", w->width, port, x, y, w->width);
}

static void put_switch_box(const graph_writer *w, uint32_t track, uint32_t x, uint32_t y, uint32_t side,
                           int io) {
    fprintf(w->to, "SB (%u, %u, %u, %u, %d, %u)\n", track, x, y, side, io, w->width);
}

static void put_mux(const graph_writer *w, uint32_t track, uint32_t x, uint32_t y, uint32_t side) {
    fprintf(w->to, "RMUX (%u, %u, %u, %u, %u)\n", track, x, y, side, w->width);
}

static void put_register(const graph_writer *w, uint32_t track, uint32_t x, uint32_t y, uint32_t side) {
    fprintf(w->to, "REG T%u_%s (%u, %u, %u, %u)\n", track, side_words[side], track, x, y, w->width);
}

static void put_arriving(const graph_writer *w, uint32_t x, uint32_t y, uint32_t side, uint32_t track) {
    net_tile tile = pnr_site_tile(w->b, x, y);
    put_switch_box(w, track, x, y, side, 0);
    fputs("BEGIN\n", w->to);
    for (uint32_t i = 0; i < port_count(tile, false, w->width); i++)
        put_port(w, x, y, false, i);
    fputs("END\n", w->to);
}

static void put_leaving(const graph_writer *w, uint32_t x, uint32_t y, uint32_t side, uint32_t track) {
    uint32_t to_x, to_y;
    put_switch_box(w, track, x, y, side, 1);
    fputs("BEGIN\n", w->to);
    put_register(w, track, x, y, side);
    put_mux(w, track, x, y, side);
    fputs("END\n", w->to);
    put_register(w, track, x, y, side);
    fputs("BEGIN\n", w->to);
    put_mux(w, track, x, y, side);
    fputs("END\n", w->to);
    put_mux(w, track, x, y, side);
    fputs("BEGIN\n", w->to);
    if (pnr_neighbour(w->b, x, y, (pnr_side)side, &to_x, &to_y)) {
        if (to_y > 0)
            put_switch_box(w, track, to_x, to_y, pnr_opposite((pnr_side)side), 0);
        else if (track == 0)
            put_port(w, to_x, to_y, false, 0);
    }
    fputs("END\n", w->to);
}

static void put_outputs(const graph_writer *w, uint32_t x, uint32_t y) {
    net_tile tile = pnr_site_tile(w->b, x, y);
    for (uint32_t i = 0; i < port_count(tile, true, w->width); i++) {
        put_port(w, x, y, true, i);
        fputs("BEGIN\n", w->to);
        for (uint32_t track = 0; track < w->b->tracks; track++) {
            if (tile == NET_TILE_IO)
                put_switch_box(w, track, x, 1, PNR_NORTH, 0);
            for (uint32_t side = 0; tile != NET_TILE_IO && side < 4; side++)
                put_switch_box(w, track, x, y, side, 1);
        }
        fputs("END\n", w->to);
    }
}

static void put_switch(const graph_writer *w) {
    fprintf(w->to, "SWITCH %u 0 %u\nBEGIN\n", w->width, w->b->tracks);
    for (uint32_t in = 0; in < 4; in++)
        for (uint32_t track = 0; track < w->b->tracks; track++)
            for (uint32_t out = 0; out < 4; out++) {
                uint32_t to;
                if (pnr_switch_track(w->b, (pnr_side)in, track, (pnr_side)out, &to))
                    fprintf(w->to, "%u %u %u %u\n", track, in, to, out);
            }
    fprintf(w->to, "END\nSWITCH %u 1 0\nBEGIN\nEND\n", w->width);
}

static void put_graph(const graph_writer *w) {
    put_switch(w);
    for (uint32_t y = 0; y < w->b->height; y++)
        for (uint32_t x = 0; x < w->b->width; x++) {
            fprintf(w->to, "TILE (%u, %u, 1, %d)\n", x, y, y == 0);
            for (uint32_t side = 0; y > 0 && side < 4; side++)
                for (uint32_t track = 0; track < w->b->tracks; track++) {
                    put_arriving(w, x, y, side, track);
                    put_leaving(w, x, y, side, track);
                }
            put_outputs(w, x, y);
        }
}

bool pnr_write_graph(const pnr_board *b, uint32_t width, const char *path, diagnostics *d) {
    BUG_IF(width != 17 && width != 1, "there is no %u-bit network", width);
    file_out f;
    if (!file_create(&f, path, d->mem, d))
        return false;
    graph_writer w = {b, width, f.stream};
    put_graph(&w);
    return file_commit(&f, d);
}

/* ---- reading .graph -------------------------------------------------------------------------- */

typedef struct {
    uint64_t hash;
    uint32_t line; /* line of the file, from 1 */
} graph_edge;

typedef struct {
    VEC(graph_edge) edges;
    arena *mem;
    char node[96]; /* whose fan-out is being read, or "switch" */
    char last[96]; /* line before */
    bool inside;   /* between BEGIN and END */
} graph_reader;

/* Reduces a line to words with single blanks between them: "SB (0, 5, 5, 3, 0, 17)" becomes "SB 0 5 5 3 0
 * 17". */
static void normal_line(const char *at, size_t length, char out[96]) {
    size_t used = 0;
    for (size_t i = 0; i < length && used < 94; i++) {
        if (!strchr(" \t,():\r", at[i]))
            out[used++] = at[i];
        else if (used && out[used - 1] != ' ')
            out[used++] = ' ';
    }
    while (used && out[used - 1] == ' ')
        used--;
    out[used] = '\0';
}

static void add_edge(graph_reader *r, const char *to, uint32_t line) {
    char text[200];
    int length = snprintf(text, sizeof text, "%s > %s", r->node, to);
    vec_push(r->mem, &r->edges, (graph_edge){hash_bytes(text, (size_t)length), line});
}

/* A switch's header in four words or, from newer generators, five: the last is left aside. */
static void graph_line(graph_reader *r, const char *text, uint32_t line) {
    if (strcmp(text, "BEGIN") == 0) {
        r->inside = true;
        snprintf(r->node, sizeof r->node, "%s", r->last);
        unsigned width, id, tracks;
        if (sscanf(r->last, "SWITCH %u %u %u", &width, &id, &tracks) == 3)
            snprintf(r->node, sizeof r->node, "switch %u %s", width, tracks ? "box" : "none");
    } else if (strcmp(text, "END") == 0) {
        r->inside = false;
    } else if (r->inside) {
        add_edge(r, text, line);
    } else if (strncmp(text, "TILE ", 5) == 0) {
        snprintf(r->node, sizeof r->node, "tile");
        add_edge(r, text, line);
    }
    snprintf(r->last, sizeof r->last, "%s", text);
}

static int by_hash(const void *a, const void *b) {
    const graph_edge *l = a, *r = b;
    if (l->hash != r->hash)
        return l->hash < r->hash ? -1 : 1;
    return (l->line > r->line) - (l->line < r->line);
}

static void read_graph(const char *text, size_t length, arena *mem, graph_reader *r) {
    *r = (graph_reader){.mem = mem};
    uint32_t line = 1;
    for (size_t at = 0; at < length; line++) {
        const char *end = memchr(text + at, '\n', length - at);
        size_t next = end ? (size_t)(end - text) : length;
        char words[96];
        normal_line(text + at, next - at, words);
        if (words[0])
            graph_line(r, words, line);
        at = next + 1;
    }
    if (r->edges.len)
        qsort(r->edges.at, r->edges.len, sizeof *r->edges.at, by_hash);
}

static src_loc line_loc(uint32_t source, const char *text, uint32_t line) {
    const char *at = text;
    for (uint32_t i = 1; i < line; i++)
        at = strchr(at, '\n') + 1;
    return src_at(source, (size_t)(at - text), strcspn(at, "\n"));
}

/* Finds the first edge of `one` missing from `other`; NULL if none. Both are sorted. */
static const graph_edge *first_missing(const graph_reader *one, const graph_reader *other) {
    uint32_t k = 0;
    for (uint32_t i = 0; i < one->edges.len; i++) {
        while (k < other->edges.len && other->edges.at[k].hash < one->edges.at[i].hash)
            k++;
        if (k == other->edges.len || other->edges.at[k].hash != one->edges.at[i].hash)
            return &one->edges.at[i];
    }
    return NULL;
}

static bool compare_graphs(const char *path, char *file, size_t file_length, const char *own,
                           size_t own_length, diagnostics *d) {
    arena mem = {0};
    graph_reader theirs, ours;
    read_graph(file, file_length, &mem, &theirs);
    read_graph(own, own_length, &mem, &ours);
    const graph_edge *extra = first_missing(&theirs, &ours), *missing = first_missing(&ours, &theirs);
    if (extra)
        diag_error(d, line_loc(diag_add_source(d, path, file, file_length), file, extra->line),
                   "E0560-graph-differs", "the board's fabric has no such connection");
    if (missing) {
        src_loc at =
            line_loc(diag_add_source(d, "<the board's fabric>", own, own_length), own, missing->line);
        diag_error(d, at, "E0560-graph-differs", "%s lacks this connection of the board's fabric", path);
        diag_hint(d, "is it the graph of a board of this size, and of this network (17 or 1 bit)?");
    }
    arena_free(&mem);
    return !extra && !missing;
}

bool pnr_check_graph(const pnr_board *b, uint32_t width, const char *path, diagnostics *d) {
    BUG_IF(width != 17 && width != 1, "there is no %u-bit network", width);
    size_t file_length = 0;
    char *file = text_read(path, d->mem, &file_length, d);
    if (!file)
        return false;
    text_out own;
    text_begin(&own);
    put_graph(&(graph_writer){b, width, own.stream});
    text_end(&own, d->mem); /* diagnostics may point into it */
    return compare_graphs(path, file, file_length, own.text, own.length, d);
}

/* ---- the fabric's proof ---------------------------------------------------------------------- */

void pnr_wire_name(uint32_t x, uint32_t y, pnr_side side, uint32_t track, char out[48]) {
    snprintf(out, 48, "x%uy%u.%s.%u", x, y, side_words[side], track);
}

/* Reads the x, y, side and track of a wire's name; false for anything else, or a wire the board lacks. */
static bool wire_parse(const pnr_board *b, const char *name, pnr_hop *out) {
    unsigned x, y, track;
    char side[8], again[48];
    if (sscanf(name, "x%uy%u.%7[A-Z].%u", &x, &y, side, &track) != 4 || x >= b->width || y == 0 ||
        y >= b->height || track >= b->tracks)
        return false;
    for (uint32_t i = 0; i < 4; i++)
        if (strcmp(side, side_words[i]) == 0) {
            *out = (pnr_hop){.x = (uint16_t)x, .y = (uint16_t)y, .side = (uint8_t)i, .track = (uint8_t)track};
            pnr_wire_name(x, y, (pnr_side)i, track, again);
            return strcmp(again, name) == 0; /* refuses leading zeros and trailing text */
        }
    return false;
}

/* Returns whether the switch box joins two tracks, by their sum or difference as in the chip's generator.
 * Like the statement of check.c, this one is independent of fabric.c's tables. */
static bool formula_joins(uint32_t w, uint32_t from, uint32_t i, uint32_t to, uint32_t o) {
    uint32_t track[4] = {0};
    track[from] = i;
    track[to] = o;
    switch (1u << from | 1u << to) {
    case 1u << PNR_WEST | 1u << PNR_NORTH:
        return (track[PNR_WEST] + track[PNR_NORTH]) % w == 0;
    case 1u << PNR_NORTH | 1u << PNR_EAST:
        return track[PNR_EAST] == (track[PNR_NORTH] + 1) % w;
    case 1u << PNR_SOUTH | 1u << PNR_EAST:
        return (track[PNR_SOUTH] + track[PNR_EAST] + 2) % w == 0;
    case 1u << PNR_WEST | 1u << PNR_SOUTH:
        return track[PNR_WEST] == (track[PNR_SOUTH] + 1) % w;
    default:
        return from != to && i == o;
    }
}

#define FABRIC_FAULT(d, ...) (diag_error((d), (src_loc){0}, "E0562-fabric", __VA_ARGS__), false)

static bool check_switch_wire(const pnr_board *b, uint32_t in, uint32_t i, uint32_t out, diagnostics *d) {
    uint32_t to = 0, back = 0, select = 3;
    bool joined = pnr_switch_track(b, (pnr_side)in, i, (pnr_side)out, &to);
    if (joined != (in != out) || (joined && !formula_joins(b->tracks, in, i, out, to)))
        return FABRIC_FAULT(d, "switch box: %s track %u to %s is not the formula's", side_words[in], i,
                            side_words[out]);
    if (!joined)
        return true;
    if (!pnr_switch_track(b, (pnr_side)out, to, (pnr_side)in, &back) || back != i)
        return FABRIC_FAULT(d, "switch box: %s track %u to %s has no wire back", side_words[in], i,
                            side_words[out]);
    if (!pnr_switch_select(b, (pnr_side)in, i, (pnr_side)out, to, &select) || select > 2)
        return FABRIC_FAULT(d, "switch box: %s track %u to %s has no select", side_words[in], i,
                            side_words[out]);
    return true;
}

typedef struct {
    uint32_t track, x, y, side, io;
} graph_wire;

static bool check_wire(const pnr_board *b, graph_wire w, pnr_fabric *count, diagnostics *d) {
    char name[48];
    pnr_hop parsed;
    uint32_t to_x, to_y, back_x, back_y;
    pnr_wire_name(w.x, w.y, (pnr_side)w.side, w.track, name);
    if (!wire_parse(b, name, &parsed) || parsed.x != w.x || parsed.y != w.y || parsed.side != w.side ||
        parsed.track != w.track)
        return FABRIC_FAULT(d, "wire %s is not found by its name", name);
    count->outputs++;
    if (!pnr_neighbour(b, w.x, w.y, (pnr_side)w.side, &to_x, &to_y))
        return true;
    count->wires++;
    if (!pnr_neighbour(b, to_x, to_y, pnr_opposite((pnr_side)w.side), &back_x, &back_y) || back_x != w.x ||
        back_y != w.y)
        return FABRIC_FAULT(d, "wire %s has no wire that comes back", name);
    return true;
}

/* Declarations of a network's graph text. Wires are numbered by wire_index. */
typedef struct {
    const pnr_board *b;
    uint32_t width;
    uint8_t *declared[2]; /* arriving, leaving: how often */
    uint8_t *driven;      /* arriving: by how many wires and IO tiles */
    uint8_t *switches;    /* by (in side, track, out side): count, later the output's track + 1 */
} proof;

static uint32_t wire_index(const proof *p, graph_wire w) {
    return ((w.y * p->b->width + w.x) * 4 + w.side) * p->b->tracks + w.track;
}

/* Reads "SB 0 5 5 3 1 17", a wire of this board and network written as the names are. */
static bool parse_wire(const proof *p, const char *text, graph_wire *w) {
    char again[96];
    uint32_t width;
    if (sscanf(text, "SB %u %u %u %u %u %u", &w->track, &w->x, &w->y, &w->side, &w->io, &width) != 6)
        return false;
    snprintf(again, sizeof again, "SB %u %u %u %u %u %u", w->track, w->x, w->y, w->side, w->io, p->width);
    return strcmp(again, text) == 0 && w->track < p->b->tracks && w->x < p->b->width && w->y > 0 &&
           w->y < p->b->height && w->side < 4 && w->io < 2;
}

/* Wires between tiles run straight on: east of (x, y) is west of (x + 1, y), on the same track. */
static bool meets(graph_wire from, graph_wire to) {
    static const int step_x[] = {1, 0, -1, 0}, step_y[] = {0, 1, 0, -1};
    return to.io == 0 && to.track == from.track && to.side == (from.side + 2) % 4 &&
           (int)to.x == (int)from.x + step_x[from.side] && (int)to.y == (int)from.y + step_y[from.side];
}

/* Proves an edge of the graph, from `node` to `text`: an edge of a switch box, or of a driven arriving
 * wire. */
static bool prove_edge(proof *p, const char *node, const char *text) {
    graph_wire from = {0}, to;
    uint32_t in, track, out, out_track, width, x, y;
    uint32_t tracks = p->b->tracks;
    if (sscanf(node, "SWITCH %u", &width) == 1) {
        if (width != p->width || sscanf(text, "%u %u %u %u", &track, &in, &out_track, &out) != 4 || in > 3 ||
            out > 3 || track >= tracks || out_track >= tracks ||
            !formula_joins(tracks, in, track, out, out_track))
            return false;
        uint8_t *joined = &p->switches[(in * tracks + track) * 4 + out];
        bool first = *joined == 0;
        *joined = (uint8_t)(out_track + 1);
        return first;
    }
    if (!parse_wire(p, text, &to))
        return strncmp(text, "SB ", 3) != 0;
    if (to.io == 1)
        return strstr(node, "_output_width_") != NULL; /* a core drives outputs of its own tile */
    p->driven[wire_index(p, to)]++;
    if (sscanf(node, "RMUX %u %u %u %u %u", &from.track, &from.x, &from.y, &from.side, &width) == 5)
        return width == p->width && from.side < 4 && meets(from, to);
    return sscanf(node, "PORT io2f_%*u_0 %u %u %u", &x, &y, &width) == 3 && width == p->width && y == 0 &&
           x == to.x && to.y == 1 && to.side == PNR_NORTH;
}

static bool prove_line(proof *p, graph_reader *r, const char *text) {
    graph_wire w;
    bool good = true;
    if (strcmp(text, "BEGIN") == 0) {
        r->inside = true;
        snprintf(r->node, sizeof r->node, "%s", r->last);
    } else if (strcmp(text, "END") == 0) {
        r->inside = false;
    } else if (r->inside) {
        good = prove_edge(p, r->node, text);
    } else if (strncmp(text, "SB ", 3) == 0) {
        good = parse_wire(p, text, &w);
        if (good)
            p->declared[w.io][wire_index(p, w)]++;
    }
    snprintf(r->last, sizeof r->last, "%s", text);
    return good;
}

/* Proves that every wire exists once, that each wire from a tile is driven once, and that every pair of
 * switch-box sides is joined both ways. */
static bool prove_totals(const proof *p, diagnostics *d) {
    const pnr_board *b = p->b;
    for (uint32_t y = 1; y < b->height; y++)
        for (uint32_t x = 0; x < b->width; x++)
            for (uint32_t i = 0; i < 4 * b->tracks; i++) {
                graph_wire w = {i % b->tracks, x, y, i / b->tracks, 0};
                uint32_t at = wire_index(p, w);
                bool edge = (w.side == PNR_EAST && x + 1 == b->width) || (w.side == PNR_WEST && x == 0) ||
                            (w.side == PNR_SOUTH && y + 1 == b->height);
                if (p->declared[0][at] != 1 || p->declared[1][at] != 1 || p->driven[at] != !edge)
                    return FABRIC_FAULT(
                        d, "%u-bit network: wires of (%u, %u), %s track %u are not there once each", p->width,
                        x, y, side_words[w.side], w.track);
            }
    for (uint32_t i = 0; i < 16 * b->tracks; i++) {
        uint32_t in = i / 4 / b->tracks, track = i / 4 % b->tracks, out = i % 4, to = p->switches[i];
        if ((in == out) != (to == 0) || (to && p->switches[(out * b->tracks + to - 1) * 4 + in] != track + 1))
            return FABRIC_FAULT(d, "%u-bit network: switch box: %s track %u to %s is not joined both ways",
                                p->width, side_words[in], track, side_words[out]);
    }
    return true;
}

/* Proves a network by its graph, the text used by other tools for routing. */
static bool prove_network(const pnr_board *b, uint32_t width, arena *mem, diagnostics *d) {
    text_out own;
    text_begin(&own);
    put_graph(&(graph_writer){b, width, own.stream});
    const char *text = text_end(&own, mem);
    uint32_t wires = b->width * b->height * 4 * b->tracks;
    proof p = {.b = b, .width = width};
    p.declared[0] = arena_new_n(mem, uint8_t, wires);
    p.declared[1] = arena_new_n(mem, uint8_t, wires);
    p.driven = arena_new_n(mem, uint8_t, wires);
    p.switches = arena_new_n(mem, uint8_t, 16 * b->tracks);
    graph_reader r = {.mem = mem};
    bool good = true;
    for (size_t at = 0; good && at < own.length;) {
        size_t line = strcspn(text + at, "\n");
        char words[96];
        normal_line(text + at, line, words);
        good = prove_line(&p, &r, words) ||
               FABRIC_FAULT(d, "%u-bit network: '%s' of '%s' is wrong", width, words, r.node);
        at += line + 1;
    }
    return good && prove_totals(&p, d);
}

bool pnr_fabric_check(const pnr_board *b, diagnostics *d, pnr_fabric *out) {
    *out = (pnr_fabric){0};
    bool good = true;
    for (uint32_t in = 0; in < 4; in++)
        for (uint32_t i = 0; i < b->tracks; i++)
            for (uint32_t to = 0; to < 4; to++) {
                good = good && check_switch_wire(b, in, i, to, d);
                out->switch_wires += in != to;
            }
    for (uint32_t y = 1; y < b->height; y++)
        for (uint32_t x = 0; x < b->width; x++)
            for (uint32_t side = 0; side < 4; side++)
                for (uint32_t track = 0; track < b->tracks; track++)
                    good = good &&
                           check_wire(b, (graph_wire){.track = track, .x = x, .y = y, .side = side}, out, d);
    uint32_t rows = b->height - 1, tiles = b->width * rows;
    uint32_t inside = 2 * (b->width * (rows - 1) + rows * (b->width - 1)) +
                      b->width; /* the last term counts links to the IO row */
    if (good && (out->outputs != tiles * 4 * b->tracks || out->wires != inside * b->tracks))
        good = FABRIC_FAULT(d, "%u of %u outputs, %u of %u wires are declared", out->outputs,
                            tiles * 4 * b->tracks, out->wires, inside * b->tracks);
    arena scratch = {0};
    good = good && prove_network(b, 17, &scratch, d) && prove_network(b, 1, &scratch, d);
    arena_free(&scratch);
    return good;
}
