/* cost.c - what runs cost the chip, processor included: docs/notebook/copies_notes.md. */
#include "tiling/tiling_int.h"

/* Processor cycles of a start pulse as such, and of each load and each store it starts. */
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
    return (c->start + c->load * copies * by->loads + c->store * copies * by->stores) * by->ratio;
}

/* Passes: the longest ones first, so the last pass alone may have a copy without a pair. */
static double together(const tile_forecast *f, const tile_driver *by, uint32_t copies) {
    double busy = of(&busy_together, by, copies), waits = of(&waits_together, by, copies);
    double slowest = copies > 1 ? slowest_copy : 1, cycles = 0, last = 0;
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
