/* place_int.h - the placement problem in flat arrays, for the placer's files. */
#ifndef ONYX_PNR_PLACE_INT_H
#define ONYX_PNR_PLACE_INT_H

#include "pnr/place_task.h"

/* Sites of a kind: every row from `row0` on in the given columns. */
typedef struct {
    uint16_t *column; /* x by index */
    uint16_t *index;  /* by x: the nearest column, as an index */
    uint32_t columns, row0, rows;
    uint32_t spacing; /* window units per column: 1, or the period for MEM */
    bool anywhere;    /* no window */
} site_class;
enum { CLASS_PE, CLASS_MEM, CLASS_IN, CLASS_OUT, CLASSES };

/* Clock distances of links (see lead.c). A link's lead is the class of its source + 1, or 0 without a pair,
 * LEAD_SINK at the sink's end, LEAD_LOOP on a cycle of the netlist; LEAD_NEAR and a row of too_far if pairs
 * are forbidden. */
enum { LEAD_ROW = 15, LEAD_LOOP = 32, LEAD_SINK = 64, LEAD_NEAR = 128 };
enum { LEAD_REACH = 3, LEAD_SIDE = 2 * LEAD_REACH + 1, LEAD_FAR = 16 };
typedef uint8_t lead_table[LEAD_SIDE][LEAD_SIDE]; /* hops too many, by dy and dx, LEAD_REACH and beyond */

/* Lists by index: list i is item[from[i]] .. item[from[i + 1] - 1]. */
typedef struct {
    uint32_t *from, *item;
} place_lists;

/* Read-only once made: anneals of several seeds share the struct. Cell number `cells` stands for "nobody". */
struct placer {
    const netlist *net;
    const pnr_board *board;
    const pnr_options *options;
    uint32_t cells, nets;
    uint32_t lanes;   /* see place_task */
    place_lists pin;  /* by net: its cells, each once */
    place_lists use;  /* by cell: its nets, each once */
    place_lists link; /* by cell: the other end of each of its links, a two-cell net or a led branch */
    place_lists many; /* by cell: its nets with more cells */
    place_lists near; /* by cell: every other cell of its nets */
    bool *linked;     /* by net: represented by links */
    uint8_t *lead;    /* as link.item; NULL: the clock asks for nothing */
    lead_table *too_near[CLASSES]; /* by x of the source; NULL: no net of this class of source is led */
    uint16_t too_far[CLASSES * CLASSES][LEAD_FAR]; /* hops, by source * CLASSES + sink and distance */
    uint32_t *occupant;                            /* by y * width + x: the cell at this site */
    pnr_site *at;                                  /* by cell */
    uint8_t *class_of;                             /* by cell */
    bool *fixed;                                   /* by cell, including nobody */
    uint32_t *column_flush; /* by x: the flush of the column's cells; NULL: a single flush */
    u32_vec movable;
    site_class class[CLASSES];
    /* The first own.loads of every own.period GLB tiles have no store, the others no load; with a period
     * of 0 any tile has both. */
    struct {
        uint32_t period, loads;
    } own;
    double deadline; /* of seconds_now; 0 = none */
};

static inline uint32_t site_index(const placer *p, pnr_site s) {
    return (uint32_t)s.y * p->board->width + s.x;
}

/* Returns whether some cells are not allowed on every site of their class. */
static inline bool is_bound(const placer *p) {
    return p->options->region || p->column_flush;
}

/* Returns whether the cell's region and its flush allow this site. */
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

/* Anneals a copy of p's placement with the given seed; `at` has an entry per cell. Returns its cost. */
typedef struct {
    int64_t cost;
    uint32_t moves;
    bool out_of_time;
} anneal_result;
anneal_result place_anneal(const placer *p, uint64_t seed, arena *scratch, pnr_site *at);

#endif
