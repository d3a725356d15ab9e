/* A design for a stated clock: with the least wire that reaches it. */
#include "pnr/clock.h"
#include "pnr/floor_int.h"
#include "pnr/pnr.h"

uint32_t pnr_timing_for(const netlist *n, const pnr_board *b, pnr_options o) {
    arena scratch = {0};
    diagnostics quiet;
    pnr_design design;
    pnr_timing t;
    const uint32_t asked = o.timing;
    diag_init(&quiet, &scratch);
    o.timing = 0;
    const bool met = o.mhz && asked && pnr_place(n, b, &o, &scratch, &quiet, &design) &&
                     pnr_route_all(&design, &o, &scratch, &quiet) && pnr_sta(&design, &scratch, &quiet, &t) &&
                     t.period_ps <= pnr_period_of(o.mhz);
    arena_free(&scratch);
    return met ? 0 : asked;
}

void pnr_judge_clock(const pnr_design *design, const pnr_timing *t, diagnostics *d) {
    const uint32_t wanted = pnr_period_of(design->mhz);
    if (!wanted || t->period_ps <= wanted)
        return;
    diag_warning(d, (src_loc){0}, "E0551-clock", "the design reaches %u MHz, not the %u MHz of --mhz",
                 1000000 / t->period_ps, design->mhz);
    diag_hint(d, t->floor_ps > wanted ? "no design of this netlist does"
                                      : "another --seed, or a higher --effort, may reach it");
}
