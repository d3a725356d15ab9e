/* What pairs of sub-tiles cost the chip, processor included: docs/firmware.md, "Which dispatch". */
#include "firmware/fw_int.h"

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
static double of(const cost *c, const fw_work *w, uint32_t copies, const pnr_board *b) {
    uint32_t ratio = b->cpu_mhz ? (b->cgra_mhz + b->cpu_mhz / 2) / b->cpu_mhz : 1;
    double cycles = c->start + c->load * copies * w->loads + c->store * copies * w->stores;
    return cycles * (ratio ? ratio : 1);
}

/* Passes: the longest ones first, so the last pass alone may have a copy without a pair. */
static double together(const fw_work *w, uint32_t copies, const pnr_board *board) {
    double busy = of(&busy_together, w, copies, board), waits = of(&waits_together, w, copies, board);
    double slowest = copies > 1 ? SLOWEST : 1, cycles = 0, last = 0;
    uint64_t pairs = 0;
    for (uint32_t i = 0; i < TILE_COSTS; i++) {
        const fw_pairs *p = &w->of[i];
        if (!p->pairs)
            continue;
        double array = slowest * p->cycles / (double)p->pairs + waits, pass = busy > array ? busy : array;
        cycles += pass * (double)p->pairs / copies;
        last = pairs ? last : pass;
        pairs += p->pairs;
    }
    uint64_t idle = (copies - pairs % copies) % copies;
    return cycles + last * (double)idle / copies;
}

/* Either the processor, which serves all copies, is never idle, or the copies are not. At the end they wait
 * for the last one: half a pair on average. */
static double apart(const fw_work *w, uint32_t copies, const pnr_board *board) {
    double busy = of(&busy_apart, w, 1, board), waits = of(&waits_apart, w, 1, board), cycles = 0, pairs = 0;
    for (uint32_t i = 0; i < TILE_COSTS; i++) {
        cycles += w->of[i].cycles;
        pairs += (double)w->of[i].pairs;
    }
    if (pairs < 1)
        return 0;
    double array = (cycles + pairs * waits) / copies, processor = pairs * busy;
    double tail = (cycles / pairs + waits) * (copies - 1) / (2 * copies);
    return (processor > array ? processor : array) + tail;
}

void fw_run_cycles(uint32_t loads, uint32_t stores, const pnr_board *board, double *waits, double *least) {
    const fw_work w = {.loads = loads, .stores = stores};
    *waits = of(&waits_together, &w, 1, board);
    *least = of(&busy_together, &w, 1, board);
}

double fw_chip_cycles(const fw_work *w, uint32_t copies, bool alone, const pnr_board *board) {
    return alone ? apart(w, copies, board) : together(w, copies, board);
}
