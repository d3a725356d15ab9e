/* cost.c - the chip's cost of runs, processor included: docs/notebook/copies_notes.md. */
#include "tiling/choose.h"
#include "tiling/tiling_int.h"

/* Processor cycles of a start pulse itself, and of each load and each store of the pulse. */
typedef struct {
    double start, load, store;
} cost;
#define PROCESSOR(name, start, load, store) static const cost name = {start, load, store};
#define FACTOR(name, value) static const double name = value;
#include "tiling/costs.def"

const char *const tile_work_name[TILE_WORKS] = {
#define ARRAY(NAME, name, cycles, each) name,
#include "tiling/costs.def"
};

/* Returns the cost in array cycles. */
static double of(const cost *c, const tile_driver *by, uint32_t copies) {
    return (c->start + c->load * copies * by->loads + c->store * copies * by->stores) * by->ratio *
           (by->pace > 0 ? by->pace : 1);
}

/* Returns the predicted mean length of the runs number first, first + step, ... of a class of n. Assumes that
 * run lengths fall linearly from `longest`, with mean `average`. */
static double spread(double longest, double average, uint64_t n, uint64_t first, uint64_t step) {
    const uint64_t last = first + (n - 1 - first) / step * step;
    return n > 1 ? longest + (average - longest) * (double)(first + last) / (double)(n - 1) : longest;
}

/* Passes: the longest runs first, and the first run of a pass is its longest. */
static double lockstep(const tile_forecast *f, const tile_driver *by, uint32_t copies) {
    const double busy = of(&busy_together, by, copies), waits = of(&waits_together, by, copies),
                 slowest = copies > 1 ? slowest_copy : 1;
    double cycles = 0;
    uint64_t begun = 0; /* places in the pass left open by the longer runs */
    for (uint32_t i = TILE_COSTS; i-- > 0;) {
        const uint64_t n = f->alike[i].runs, open = begun;
        begun = n > open ? (copies - (n - open) % copies) % copies : open - n;
        if (n <= open)
            continue;
        const uint64_t passes = (n - open + copies - 1) / copies;
        const double average = f->alike[i].cycles / (double)n,
                     array = slowest * spread(f->alike[i].longest, average, n, open, copies) + waits;
        cycles += (double)passes * (busy > array ? busy : array);
    }
    return cycles;
}

/* Returns the time of the longest run, a lower bound for any number of copies. */
static double longest_run(const tile_forecast *f) {
    double longest = 0;
    for (uint32_t i = 0; i < TILE_COSTS; i++)
        longest = f->alike[i].runs ? f->alike[i].longest : longest;
    return longest;
}

/* Either the processor, which serves all copies, is never idle, or the copies are never idle. At the end they
 * wait for the last copy: half a run on average. With a copy for each run, the longest run ends last. */
static double independent(const tile_forecast *f, const tile_driver *by, uint32_t copies) {
    double busy = of(&busy_apart, by, 1), waits = of(&waits_apart, by, 1), runs = (double)f->runs;
    if (!f->runs)
        return 0;
    double array = (f->cycles + runs * waits) / copies, processor = runs * busy;
    double tail = (f->cycles / runs + waits) * (copies - 1) / (2 * copies);
    if (f->runs <= copies) {
        array = longest_run(f) + waits;
        tail = 0;
    }
    return (processor > array ? processor : array) + tail;
}

double tile_chip_cycles(const tile_forecast *f, const tile_driver *by, uint32_t copies, bool alone) {
    const double all = alone ? independent(f, by, copies) : lockstep(f, by, copies), longest = longest_run(f);
    return all > longest ? all : longest;
}

/* Returns the ratio of the clock period to the fastest period of a design. */
static double slower(const tile_room *room) {
    return room->period > fastest_period ? room->period / fastest_period : 1;
}

double tile_processor_pace(bool most, double code_wait, double sram_wait, double interconnect) {
    return (most ? paced_most : paced_least) + paced_code * code_wait + paced_sram * sram_wait +
           paced_interconnect * interconnect;
}

double tile_join_cycles(tile_dtype dtype) {
    return dtype == TILE_DTYPE_BF16 ? added_bf16 : added_word;
}

double tile_piece_cycles(void) {
    return placed_piece;
}

double tile_dense_partial(void) {
    return dense_partial;
}

/* Returns the array cycles to put the pieces of a result together, and to add partial sums: by the processor,
 * or by the host if sooner. */
static double joined(const tile_forecast *f, const tile_driver *by) {
    const double host = by->asked + f->partials * by->put / 2, pieces = f->runs > 1 ? (double)f->runs : 0,
                 own = (f->partials * by->join + pieces * by->piece) * (by->pace > 0 ? by->pace : 1);
    return own < host ? own : host;
}

/* Returns the array cycles of the words between host and chip; a row of the run table has two words a load.
 */
static double handed(const tile_forecast *f, const tile_driver *by) {
    return by->word * (f->words + (double)f->runs * (2 * by->loads + by->stores));
}

static void consider(const tile_forecast *f, const tile_driver *by, const tile_room *room, tile_share with,
                     tile_share *best) {
    with.cycles = slower(room) * (tile_chip_cycles(f, by, with.copies, with.alone) +
                                  with.copies * room->cells * configured_cell) +
                  joined(f, by) + handed(f, by);
    if (!best->copies || with.cycles < best->cycles)
        *best = with;
}

tile_share tile_best_share(const tile_forecast *f, const tile_driver *by, const tile_room *room) {
    tile_share best = {0};
    uint32_t most = room->lockstep ? room->lockstep : 1;
    for (uint32_t n = room->all ? most : 1; n <= most; n++)
        consider(f, by, room, (tile_share){.copies = n}, &best);
    for (uint32_t n = room->all ? room->independent : 2; n <= room->independent && n > 1; n++)
        consider(f, by, room, (tile_share){.copies = n, .alone = true}, &best);
    return best;
}
