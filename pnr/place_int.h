/* place_int.h - the placement problem in flat arrays, shared by place.c (start, constraints) and anneal.c. */
#ifndef ONYX_PNR_PLACE_INT_H
#define ONYX_PNR_PLACE_INT_H

#include "pnr/pnr_int.h"

/* Sites of one kind: every row from `row0` on in the given columns. */
typedef struct {
    uint16_t *column; /* x by index */
    uint16_t *index;  /* by x: the column nearest to it, as an index */
    uint32_t columns, row0, rows;
    uint32_t spacing; /* window units per column: 1, or the period for MEM */
    bool anywhere;    /* no window */
} site_class;
enum { CLASS_PE, CLASS_MEM, CLASS_IN, CLASS_OUT, CLASSES };

/* Distances that the clock asks of links (see lead.c). A link's lead is the class of its source + 1, or 0 if
 * it needs no pair, LEAD_SINK at the sink's end, LEAD_LOOP on a cycle of the netlist; LEAD_NEAR and a row of
 * too_far if no pair may stand on it. */
enum { LEAD_ROW = 15, LEAD_LOOP = 32, LEAD_SINK = 64, LEAD_NEAR = 128 };
enum { LEAD_REACH = 3, LEAD_SIDE = 2 * LEAD_REACH + 1, LEAD_FAR = 16 };
typedef uint8_t lead_table[LEAD_SIDE][LEAD_SIDE]; /* hops too many, by dy and dx, LEAD_REACH and beyond */

/* Read-only once made: anneals of several seeds share it. Cell number `cells` stands for "nobody". */
typedef struct {
    const netlist *net;
    const pnr_board *board;
    const pnr_options *options;
    uint32_t cells, nets;
    uint32_t lanes;           /* of the netlist this is one of; 1: it is no lane */
    uint32_t *pin_at, *pin;   /* cells of net n: pin[pin_at[n]] .. pin[pin_at[n + 1] - 1], each cell once */
    uint32_t *use_at, *use;   /* nets of cell c, each once */
    uint32_t *link_at, *link; /* the other end of each link of cell c: a two-cell net, or a led branch */
    uint32_t *many_at, *many; /* nets of cell c with more cells */
    bool *linked;             /* by net: it is among the links */
    uint8_t *lead;            /* as link; NULL: the clock asks for nothing */
    lead_table *too_near[CLASSES]; /* by x of the source; NULL: no net of this class of source is led */
    uint16_t too_far[CLASSES * CLASSES][LEAD_FAR]; /* hops, by source * CLASSES + sink and distance */
    uint32_t *near_at, *near;                      /* every other cell of every net of cell c */
    uint32_t *occupant;                            /* by y * width + x: the cell there */
    pnr_site *at;                                  /* by cell */
    uint8_t *class_of;                             /* by cell */
    bool *fixed;                                   /* by cell, including nobody */
    uint32_t *column_flush; /* by x: the flush whose cells may stand there; NULL: there is but one */
    uint32_t *movable, movable_len;
    site_class class[CLASSES];
    /* The first `own_loads` of every `own_period` GLB tiles have no store, the others no load; with a period
     * of 0 any tile has both. */
    uint32_t own_period, own_loads;
    double deadline; /* of seconds_now; 0 = none */
} placer;

static inline uint32_t site_index(const placer *p, pnr_site s) {
    return (uint32_t)s.y * p->board->width + s.x;
}

/* Returns whether there are cells that may not stand on every site of their class. */
static inline bool is_bound(const placer *p) {
    return p->options->region || p->column_flush;
}

/* Returns whether the cell's region and its flush allow it there. */
static inline bool region_allows(const placer *p, uint32_t cell, pnr_site s) {
    if (cell == p->cells)
        return true;
    if (p->column_flush && p->column_flush[s.x] != p->options->flush[cell])
        return false;
    if (!p->options->region)
        return true;
    const pnr_region *r = &p->options->region[cell];
    return r->x0 == PNR_FREE || (s.x >= r->x0 && s.x <= r->x1 && s.y >= r->y0 && s.y <= r->y1);
}

/* Deals the flush groups to the flushes of p->options->flush (p->column_flush). Errors: E0512-bad-fixed,
 * E0514-flush-groups. */
bool place_deal_flushes(placer *p, arena *mem, diagnostics *d);

/* Places a netlist, one lane of `lanes`, cell by cell. Gives `at` by cell and its cost, and adds to `stats`.
 * Errors: as pnr_place. */
bool place_whole(const netlist *n, const pnr_board *b, const pnr_options *o, uint32_t lanes, arena *scratch,
                 diagnostics *d, pnr_stats *stats, pnr_site *at, int64_t *cost);
/* Places a netlist of equal lanes; false if it is none, or its lanes do not fit side by side. */
bool place_lanes(const netlist *n, const pnr_board *b, const pnr_options *o, arena *mem, pnr_stats *stats,
                 pnr_site *at);

/* Anneals a copy of p's placement with the given seed; `at` has one entry per cell. Returns its cost. */
typedef struct {
    int64_t cost;
    uint32_t moves;
    bool out_of_time;
} anneal_result;
anneal_result place_anneal(const placer *p, uint64_t seed, arena *scratch, pnr_site *at);

#endif
