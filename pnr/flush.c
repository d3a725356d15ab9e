/* Flush groups: neighbouring columns share a flush wire, hence cells with different flush times stand in
 * different groups. Every group is dealt to a flush before placement: groups of fixed cells and of regions
 * first; next, from west to east, the groups needed by each flush and its share, by cells, of the unneeded
 * groups. Neighbouring groups go to the same flush, since nets do not leave a flush. O(cells + groups *
 * flushes).
 */
#include "pnr/place_int.h"

#define NOBODY UINT32_MAX
enum { KINDS = CLASSES };

typedef struct {
    uint32_t number, cells;
    uint32_t need[KINDS], have[KINDS]; /* sites by class */
    uint32_t groups;
} flush;

typedef struct {
    const placer *p;
    VEC(flush) flushes;
    uint32_t *of_cell;  /* by cell: index into flushes */
    uint32_t *owner;    /* by group: the same, or NOBODY */
    uint32_t *fixed_by; /* by group: a cell fixed in the group, or NOBODY */
    uint32_t groups;
} dealer;

/* Returns the class that cells of class k are counted in: IO tiles take inputs and outputs alike when columns
 * do not matter. */
static uint32_t kind_of(const placer *p, uint32_t k) {
    return k == CLASS_OUT && p->options->fabric_only ? CLASS_IN : k;
}

static uint32_t find_flush(dealer *a, uint32_t number, arena *mem) {
    for (uint32_t i = 0; i < a->flushes.len; i++)
        if (a->flushes.at[i].number == number)
            return i;
    vec_push(mem, &a->flushes, (flush){.number = number});
    return a->flushes.len - 1;
}

static void count_needs(dealer *a, arena *mem) {
    const placer *p = a->p;
    for (uint32_t c = 0; c < p->cells; c++) {
        uint32_t i = find_flush(a, p->options->flush[c], mem);
        a->of_cell[c] = i;
        a->flushes.at[i].need[kind_of(p, p->class_of[c])]++;
        a->flushes.at[i].cells++;
    }
}

static void give(dealer *a, uint32_t group, uint32_t to) {
    const placer *p = a->p;
    uint32_t width = p->board->flush_columns;
    a->owner[group] = to;
    a->flushes.at[to].groups++;
    for (uint32_t k = 0; k < CLASSES; k++)
        for (uint32_t i = 0; kind_of(p, k) == k && i < p->class[k].columns; i++)
            if (p->class[k].column[i] / width == group)
                a->flushes.at[to].have[k] += p->class[k].rows;
}

static bool is_short(const flush *f) {
    bool lacks = false;
    for (int k = 0; k < KINDS; k++)
        lacks |= f->need[k] > f->have[k];
    return lacks;
}

/* Gives a fixed cell's group to its flush. */
static bool claim_fixed(dealer *a, diagnostics *d) {
    const placer *p = a->p;
    for (uint32_t c = 0; c < p->cells && p->options->fixed; c++) {
        uint32_t x = p->options->fixed[c].x, width = p->board->flush_columns, group = x / width;
        if (x >= p->board->width)
            continue; /* free; or off the array (reported later) */
        if (a->owner[group] == NOBODY) {
            give(a, group, a->of_cell[c]);
            a->fixed_by[group] = c;
        } else if (a->owner[group] != a->of_cell[c]) {
            const net_cell_data *cell = &p->net->cells.at[c], *other = &p->net->cells.at[a->fixed_by[group]];
            char id[16], other_id[16];
            return diag_error(
                d, cell->loc, "E0512-bad-fixed",
                "%s cannot be fixed in column %u: %s, of another flush, is fixed in flush group %u "
                "(columns %u to %u)",
                pnr_block_id(cell, id), x, pnr_block_id(other, other_id), group, group * width,
                (group + 1) * width - 1);
        }
    }
    return true;
}

/* Gives a region's unclaimed groups to its flush. */
static void claim_regions(dealer *a) {
    const placer *p = a->p;
    for (uint32_t c = 0; c < p->cells && p->options->region; c++) {
        const pnr_region *r = &p->options->region[c];
        for (uint32_t x = r->x0; r->x0 != PNR_FREE && x <= r->x1 && x < p->board->width; x++)
            if (a->owner[x / p->board->flush_columns] == NOBODY)
                give(a, x / p->board->flush_columns, a->of_cell[c]);
    }
}

/* Deals free groups from the west on until flush `i` has `least` groups and lacks nothing. */
static void deal_one(dealer *a, uint32_t i, uint32_t least) {
    const flush *f = &a->flushes.at[i];
    for (uint32_t g = 0; g < a->groups && (f->groups < least || is_short(f)); g++)
        if (a->owner[g] == NOBODY)
            give(a, g, i);
}

/* Finds the first flush without enough groups; NULL: none. */
static const flush *deal(dealer *a, const uint32_t *least) {
    claim_regions(a);
    for (uint32_t i = 0; i < a->flushes.len; i++) {
        deal_one(a, i, least[i]);
        if (is_short(&a->flushes.at[i]))
            return &a->flushes.at[i];
    }
    return NULL;
}

static void report_short(const dealer *a, const flush *f, diagnostics *d) {
    const uint32_t *n = f->need, *h = f->have;
    diag_unmappable(
        d, (src_loc){0}, "E0514-flush-groups",
        "the board's %u flush groups of %u columns are too few for %u flushes: flush %u needs %u "
        "PE tiles, %u MEM tiles, %u load and %u store streams, but is left with %u, %u, %u and %u",
        a->groups, a->p->board->flush_columns, a->flushes.len, f->number, n[CLASS_PE], n[CLASS_MEM],
        n[CLASS_IN], n[CLASS_OUT], h[CLASS_PE], h[CLASS_MEM], h[CLASS_IN], h[CLASS_OUT]);
    diag_hint(d, "use fewer flushes, a larger board, or other fixed sites and regions");
}

/* Decides the number of groups of each flush: its dealt groups, and its share of the rest. */
static void share_rest(const dealer *a, uint32_t *least) {
    uint32_t rest = 0;
    for (uint32_t g = 0; g < a->groups; g++)
        rest += a->owner[g] == NOBODY;
    for (uint32_t i = 0; i < a->flushes.len; i++)
        least[i] = a->flushes.at[i].groups;
    for (; rest > 0; rest--) {
        uint32_t most = 0;
        for (uint32_t i = 1; i < a->flushes.len; i++)
            if ((uint64_t)a->flushes.at[i].cells * least[most] >
                (uint64_t)a->flushes.at[most].cells * least[i])
                most = i;
        least[most]++;
    }
}

/* Keeps only the claims of fixed cells. */
static bool start_deal(dealer *a, diagnostics *d) {
    for (uint32_t g = 0; g < a->groups; g++)
        a->owner[g] = NOBODY;
    for (uint32_t i = 0; i < a->flushes.len; i++) {
        memset(a->flushes.at[i].have, 0, sizeof a->flushes.at[i].have);
        a->flushes.at[i].groups = 0;
    }
    return claim_fixed(a, d);
}

bool place_deal_flushes(placer *p, arena *mem, diagnostics *d) {
    uint32_t width = p->board->flush_columns;
    dealer a = {.p = p, .groups = (p->board->width + width - 1) / width};
    a.of_cell = arena_new_n(mem, uint32_t, p->cells);
    a.owner = arena_new_n(mem, uint32_t, a.groups);
    a.fixed_by = arena_new_n(mem, uint32_t, a.groups);
    count_needs(&a, mem);
    uint32_t *none = arena_new_n(mem, uint32_t, a.flushes.len);
    uint32_t *shares = arena_new_n(mem, uint32_t, a.flushes.len);
    if (!start_deal(&a, d))
        return false;
    const flush *lacking = deal(&a, none);
    if (lacking) {
        report_short(&a, lacking, d);
        return false;
    }
    share_rest(&a, shares);
    start_deal(&a, d);
    if (deal(&a, shares)) { /* groups are not alike, and shares took the wrong ones */
        start_deal(&a, d);
        deal(&a, none);
    }
    p->column_flush = arena_new_n(mem, uint32_t, p->board->width);
    for (uint32_t x = 0; x < p->board->width; x++) {
        uint32_t owner = a.owner[x / width];
        p->column_flush[x] = a.flushes.at[owner == NOBODY ? 0 : owner].number;
    }
    return true;
}
