/* Room for wires: a placement whose nets need most of the wires of some place is stretched over
 * free sites. Annealing makes nets short, so cells of a netlist with many long nets crowd in the middle of
 * the array, where their routes would not end.
 *
 * The need is an estimate: a net needs its half perimeter in wires, spread evenly over its box. Where a
 * square of tiles needs more than FULL percent of its wires, columns and rows move apart in STEPS, up to the
 * need of each, until no square does, and every cell takes the nearest free site. O(board + nets * squares of
 * a box + cells * sites looked at) a step.
 */
#include "pnr/spread.h"
#include "support/least.h"

#include <stdlib.h>

enum { SQUARE = 8, NEED_ONE = 256, PERCENT = 100, FULL = 55, STEPS = 4 };

typedef struct {
    uint32_t x0, x1, y0, y1;
} box;

static box box_of(const placer *p, uint32_t net) {
    box b = {UINT32_MAX, 0, UINT32_MAX, 0};
    for (uint32_t i = p->pin.from[net]; i < p->pin.from[net + 1]; i++) {
        const pnr_site s = p->at[p->pin.item[i]];
        b.x0 = s.x < b.x0 ? s.x : b.x0;
        b.x1 = s.x > b.x1 ? s.x : b.x1;
        b.y0 = s.y < b.y0 ? s.y : b.y0;
        b.y1 = s.y > b.y1 ? s.y : b.y1;
    }
    return b;
}

/* Adds a net's wires to the squares that its box covers, each by the tiles in it. */
static void add_need(box b, uint32_t columns, uint64_t *need) {
    const uint64_t length = b.x1 - b.x0 + b.y1 - b.y0, area = (uint64_t)(b.x1 - b.x0 + 1) * (b.y1 - b.y0 + 1);
    for (uint32_t py = b.y0 / SQUARE; py <= b.y1 / SQUARE; py++)
        for (uint32_t px = b.x0 / SQUARE; px <= b.x1 / SQUARE; px++) {
            const uint32_t x0 = b.x0 > px * SQUARE ? b.x0 : px * SQUARE,
                           x1 = least(b.x1, px * SQUARE + SQUARE - 1);
            const uint32_t y0 = b.y0 > py * SQUARE ? b.y0 : py * SQUARE,
                           y1 = least(b.y1, py * SQUARE + SQUARE - 1);
            need[py * columns + px] += length * NEED_ONE * (x1 - x0 + 1) * (y1 - y0 + 1) / area;
        }
}

/* Returns the largest share of its wires that a square needs, in percent. */
static uint32_t fullest_square(const placer *p, arena *mem) {
    const uint32_t columns = p->board->width / SQUARE + 1, rows = p->board->height / SQUARE + 1;
    const uint64_t wires = (uint64_t)SQUARE * SQUARE * 4 * p->board->tracks * NEED_ONE;
    uint64_t *need = arena_new_n(mem, uint64_t, (size_t)columns * rows), most = 0;
    for (uint32_t n = 0; n < p->nets; n++)
        add_need(box_of(p, n), columns, need);
    for (uint32_t i = 0; i < columns * rows; i++)
        most = need[i] > most ? need[i] : most;
    return (uint32_t)(most * PERCENT / wires);
}

/* Adds a net's wires to the columns and rows of its box. */
static void add_to_lines(const placer *p, uint32_t net, uint64_t *column, uint64_t *row) {
    const box b = box_of(p, net);
    const uint64_t length = NEED_ONE * (uint64_t)(b.x1 - b.x0 + b.y1 - b.y0);
    for (uint32_t x = b.x0; x <= b.x1; x++)
        column[x] += length / (b.x1 - b.x0 + 1);
    for (uint32_t y = b.y0; y <= b.y1; y++)
        row[y] += length / (b.y1 - b.y0 + 1);
}

/* The free site found nearest to a point. */
typedef struct {
    uint32_t x, y, away;
    pnr_site at;
} nearest_site;

/* Takes the site in the class's column number `column` if it is free and nearer. */
static void offer(const placer *p, const site_class *k, int column, int y, nearest_site *to) {
    if (column < 0 || column >= (int)k->columns || y < (int)k->row0 || y >= (int)(k->row0 + k->rows))
        return;
    const pnr_site s = {k->column[column], (uint16_t)y};
    const uint32_t away = (uint32_t)(abs(s.x - (int)to->x) + abs(y - (int)to->y));
    if (away >= to->away || p->occupant[site_index(p, s)] != p->cells)
        return;
    to->away = away;
    to->at = s;
}

/* Puts the cell on the free site of its kind nearest to the point, the northernmost of several. */
static void put_near(placer *p, uint32_t cell, uint32_t x, uint32_t y) {
    const site_class *k = &p->class[p->class_of[cell]];
    const int column = k->index[x];
    nearest_site to = {x, y < k->row0 ? k->row0 : least(y, k->row0 + k->rows - 1), UINT32_MAX, {0}};
    for (int far = 0; (uint32_t)far < to.away; far++)
        for (int dy = -far; dy <= far; dy++) {
            const int dx = far - abs(dy);
            offer(p, k, column - dx, (int)to.y + dy, &to);
            offer(p, k, column + dx, (int)to.y + dy, &to);
        }
    p->at[cell] = to.at;
    p->occupant[site_index(p, to.at)] = cell;
}

/* Says where each of `n` columns or rows goes. A share `weight` of STEPS + 1 of its width is in proportion to
 * its need, the rest the same for all. */
static uint32_t *stretch(const uint64_t *need, uint32_t n, uint32_t weight, arena *mem) {
    uint32_t *to = arena_new_n(mem, uint32_t, n);
    uint64_t all = 0, before = 0;
    for (uint32_t i = 0; i < n; i++)
        all += need[i];
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t room = weight * n * need[i] + (STEPS + 1 - weight) * all;
        to[i] = (uint32_t)((before + room / 2) / ((STEPS + 1) * all));
        before += room;
    }
    return to;
}

void place_spread(placer *p, arena *mem) {
    const uint32_t width = p->board->width, height = p->board->height;
    uint64_t *column = arena_new_n(mem, uint64_t, width), *row = arena_new_n(mem, uint64_t, height);
    if (p->movable.len < p->cells || is_bound(p))
        return;
    for (uint32_t n = 0; n < p->nets; n++)
        add_to_lines(p, n, column, row);
    pnr_site *before = arena_new_n(mem, pnr_site, p->cells);
    memcpy(before, p->at, p->cells * sizeof *before);
    for (uint32_t weight = 1; weight <= STEPS && fullest_square(p, mem) > FULL; weight++) {
        const uint32_t *x = stretch(column, width, weight, mem), *y = stretch(row, height, weight, mem);
        for (uint32_t i = 0; i < width * height; i++)
            p->occupant[i] = p->cells;
        for (uint32_t c = 0; c < p->cells; c++)
            put_near(p, c, x[before[c].x], y[before[c].y]);
    }
}
