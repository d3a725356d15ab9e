/* design.h - small netlists made in code, and a call to place, route and check them. */
#ifndef ONYX_TESTS_PNR_DESIGN_H
#define ONYX_TESTS_PNR_DESIGN_H

#include "pnr/pnr.h"
#include "tests/test.h"

static inline netlist *new_netlist(fixture *f) {
    netlist *n = arena_new(&f->mem, netlist);
    *n = (netlist){.mem = &f->mem, .names = &f->names};
    return n;
}

/* Kind: 'p', 'm', '<' an input of the array, '>' an output. */
static inline net_cell add_cell(fixture *f, netlist *n, char kind) {
    net_cell_data c = {
        .tag = kind == '<' || kind == '>' ? 'I' : kind, .number = n->cells.len, .output = kind == '>'};
    c.name = names_intern(&f->names, arena_printf(&f->mem, "cell_%u", c.number));
    vec_push(&f->mem, &n->cells, c);
    return (net_cell){n->cells.len};
}

static inline net_data *add_net(fixture *f, netlist *n, net_cell source, uint8_t port) {
    vec_push(&f->mem, &n->nets, (net_data){.source = {source, port}});
    return &n->nets.at[n->nets.len - 1];
}

static inline void add_sink(fixture *f, net_data *net, net_cell cell, uint8_t port) {
    vec_push(&f->mem, &net->sinks, (net_pin){cell, port});
}

static inline void connect_cells(fixture *f, netlist *n, net_cell from, uint8_t out, net_cell to,
                                 uint8_t in) {
    add_sink(f, add_net(f, n, from, out), to, in);
}

/* Input -> MEM -> `layers` layers of two PEs, each feeding both of the next (fan-out 2) -> MEM -> output; the
 * first MEM broadcasts to the first layer. Legal for the chip. */
static inline netlist *diamond_netlist(fixture *f, uint32_t layers) {
    netlist *n = new_netlist(f);
    net_cell in = add_cell(f, n, '<'), first = add_cell(f, n, 'm'), last, out, from[2] = {first, first};
    connect_cells(f, n, in, 0, first, 2);
    for (uint32_t i = 0; i < layers; i++) {
        net_cell to[2] = {add_cell(f, n, 'p'), add_cell(f, n, 'p')};
        for (uint8_t k = 0; k < (i ? 2 : 1); k++) {
            net_data *net = add_net(f, n, from[k], 0);
            add_sink(f, net, to[0], k);
            add_sink(f, net, to[1], k);
        }
        from[0] = to[0];
        from[1] = to[1];
    }
    last = add_cell(f, n, 'm');
    out = add_cell(f, n, '>');
    connect_cells(f, n, from[0], 0, last, 0);
    connect_cells(f, n, from[1], 0, last, 1);
    connect_cells(f, n, last, 0, out, 0);
    return n;
}

static inline pnr_board read_board(fixture *f, const char *name) {
    pnr_board b;
    if (!pnr_board_read(name, &f->mem, &f->diag, &b))
        fail_msg("%s", fixture_printed(f));
    return b;
}

static inline bool has_code(const fixture *f, const char *code) {
    for (uint32_t i = 0; i < f->diag.list.len; i++)
        if (strcmp(f->diag.list.at[i].code, code) == 0)
            return true;
    return false;
}

static inline void place_and_route(fixture *f, const netlist *n, const pnr_board *b, const pnr_options *o,
                                   pnr_design *out) {
    if (!pnr_place(n, b, o, &f->mem, &f->diag, out) || !pnr_route_all(out, o, &f->mem, &f->diag) ||
        !pnr_check(out, &f->diag))
        fail_msg("%s", fixture_printed(f));
}

/* Start of most tests: a board, the default options, and the results. */
typedef struct {
    fixture f; /* first: a test may take the state for either */
    pnr_board b;
    pnr_options o;
    pnr_design design;
    pnr_timing t;
} pnr_bench;

/* `state` holds the name of the board. */
static inline int pnr_bench_set_up(void **state) {
    const char *board = *state;
    pnr_bench *p = calloc(1, sizeof *p);
    fixture_begin(&p->f);
    p->b = read_board(&p->f, board);
    p->o = pnr_options_default();
    *state = p;
    return 0;
}

static inline int pnr_bench_tear_down(void **state) {
    pnr_bench *p = *state;
    pnr_board_free(&p->b);
    return fixture_tear_down(state);
}

#define ON_BOARD(board, test)                                                                                \
    { #test, test, pnr_bench_set_up, pnr_bench_tear_down, board }

static inline void bench_design(pnr_bench *p, const netlist *n) {
    place_and_route(&p->f, n, &p->b, &p->o, &p->design);
}

/* A site for each cell, all free. */
static inline pnr_site *free_sites(fixture *f, const netlist *n) {
    pnr_site *site = arena_new_n(&f->mem, pnr_site, n->cells.len);
    for (uint32_t c = 0; c < n->cells.len; c++)
        site[c] = (pnr_site){PNR_FREE, PNR_FREE};
    return site;
}

/* Elements on the paths of a design's nets. */
typedef struct {
    uint32_t registered; /* hops */
    uint32_t pairs;      /* SplitFIFOs */
} way_counts;

static inline way_counts count_ways(const pnr_design *d) {
    way_counts sum = {0};
    for (uint32_t n = 0; n < d->route.len; n++)
        for (uint32_t i = 0; i < d->route.at[n].hops.len; i++) {
            sum.registered += d->route.at[n].hops.at[i].registered;
            sum.pairs += d->route.at[n].hops.at[i].fifo_start;
        }
    return sum;
}

#endif
