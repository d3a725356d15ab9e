/* cost.c - what runs cost the chip, processor included: docs/firmware.md, "Which dispatch". */
#include "tiling/tiling_int.h"

/* Processor cycles of a start pulse as such, and of each load and each store it starts. */
typedef struct {
    double start, load, store;
} cost;
/* All that the processor does for it, one after the other; and what the array waits for however long it
 * works. Fitted to the co-simulated chip, five kernels with one and two copies, as docs/firmware.md has them.
 */
static const cost busy_together = {335, 62, 4}, busy_apart = {220, 50, 62};
static const cost waits_together = {176, 3, 39}, waits_apart = {88, 8, 75};

/* The slowest copy of a pass, against the average one, when pairs of like size start together. */
static const double SLOWEST = 1.05;

/* In array cycles. */
static double of(const cost *c, const tile_driver *by, uint32_t copies) {
    return (c->start + c->load * copies * by->loads + c->store * copies * by->stores) * by->ratio;
}

/* Passes: the longest ones first, so the last pass alone may have a copy without a pair. */
static double together(const tile_forecast *f, const tile_driver *by, uint32_t copies) {
    double busy = of(&busy_together, by, copies), waits = of(&waits_together, by, copies);
    double slowest = copies > 1 ? SLOWEST : 1, cycles = 0, last = 0;
    uint64_t runs = 0;
    for (uint32_t i = 0; i < TILE_COSTS; i++) {
        double here = (double)f->alike[i].runs;
        if (here < 1)
            continue;
        double array = slowest * f->alike[i].cycles / here + waits, pass = busy > array ? busy : array;
        cycles += pass * here / copies;
        last = runs ? last : pass;
        runs += f->alike[i].runs;
    }
    uint64_t idle = (copies - runs % copies) % copies;
    return cycles + last * (double)idle / copies;
}

/* Either the processor, which serves all copies, is never idle, or the copies are not. At the end they wait
 * for the last one: half a run on average. */
static double apart(const tile_forecast *f, const tile_driver *by, uint32_t copies) {
    double busy = of(&busy_apart, by, 1), waits = of(&waits_apart, by, 1), runs = (double)f->runs;
    if (!f->runs)
        return 0;
    double array = (f->cycles + runs * waits) / copies, processor = runs * busy;
    double tail = (f->cycles / runs + waits) * (copies - 1) / (2 * copies);
    return (processor > array ? processor : array) + tail;
}

double tile_chip_cycles(const tile_forecast *f, const tile_driver *by, uint32_t copies, bool alone) {
    return alone ? apart(f, by, copies) : together(f, by, copies);
}
