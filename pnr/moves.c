/* How many moves and anneals a placement makes, by the netlist and the options alone. */
#include "pnr/moves.h"
#include "pnr/spot.h"

enum { SMALL_CELLS = 65, SMALL_MICROSECONDS = 9000, MIDDLE_MICROSECONDS = 38000, MOVES_PER_CELL = 4000 };
enum { MIDDLE_CELLS = 214, LARGE_MOVES_PER_CELL = 8000, MOST_MOVES_PER_PAIR = 600 };
enum { EFFORT_DEFAULT = 5, LANE_SHARES = 2 };
/* Placing for the clock, which leaves more wire than the least anyway, makes fewer moves. */
enum { CLOCK_DIVISOR = 3, CLOCK_DIVISOR_LARGE = 2 };
enum { COLDEST = 3, COLDEST_FOR_CLOCK = 4 }; /* tenths of a hop */
enum { RESTARTS = 2, MORE_RESTARTS = 3, MORE_RESTARTS_CELLS = 96 };

/* Estimates the time of a move on one core of 2.6 GHz, fitted to the published netlists: 18 ns, plus the
 * measuring time of every net of the moved cells. A net of k cells is met k times. */
static uint32_t move_nanoseconds(const placer *p) {
    uint32_t sum = 0;
    for (uint32_t n = 0; n < p->nets; n++) {
        uint32_t k = p->pin.from[n + 1] - p->pin.from[n];
        sum += k <= 2 ? 0 : k <= SPOTS ? 26 * k : 7 * k * k;
    }
    return 18 + sum / p->cells;
}

/* Returns the moves for n cells of the netlist's kind: as many as take 9 ms for up to 65 cells, 38 ms above,
 * but no fewer than cells need and no more than few cells can use; doubled with every step of effort. The
 * netlist alone determines them, whatever the machine. */
static uint32_t moves_for(const placer *p, uint64_t n) {
    uint64_t microseconds = n <= SMALL_CELLS ? SMALL_MICROSECONDS : MIDDLE_MICROSECONDS;
    uint64_t moves = microseconds * 1000 / move_nanoseconds(p);
    uint64_t least = n * (n <= MIDDLE_CELLS ? MOVES_PER_CELL : LARGE_MOVES_PER_CELL);
    uint64_t most = p->lanes > 1 ? UINT64_MAX : n * n * MOST_MOVES_PER_PAIR; /* few cells: few arrangements */
    moves = moves < least ? least : moves > most ? most : moves;
    uint32_t effort = p->options->effort ? p->options->effort : EFFORT_DEFAULT;
    if (p->options->timing)
        moves /= n <= MIDDLE_CELLS ? CLOCK_DIVISOR : CLOCK_DIVISOR_LARGE;
    moves = effort < EFFORT_DEFAULT ? moves >> (EFFORT_DEFAULT - effort) : moves << (effort - EFFORT_DEFAULT);
    return moves < UINT32_MAX / 2 ? (uint32_t)moves : UINT32_MAX / 2;
}

uint32_t place_moves(const placer *p) {
    uint32_t one = moves_for(p, p->cells);
    uint64_t share = (uint64_t)moves_for(p, (uint64_t)p->cells * p->lanes) * LANE_SHARES / p->lanes;
    return p->lanes > 1 && share < one ? (uint32_t)share : one;
}

uint32_t place_restarts(const placer *p) {
    if (p->options->timing)
        return p->cells <= MIDDLE_CELLS ? RESTARTS : 1;
    return p->cells <= MORE_RESTARTS_CELLS ? MORE_RESTARTS : RESTARTS;
}

uint32_t place_coldest(const placer *p) {
    return p->options->timing && p->cells <= MIDDLE_CELLS ? COLDEST_FOR_CLOCK : COLDEST;
}
