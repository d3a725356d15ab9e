/* Lowered SAM graphs are placed and routed on the chip by all of its rules, IO free. */
#include "tests/lower_onyx/netlist_of.h"
#include "tests/pnr/design.h"

static void lowered_graphs_route_on_the_chip(void **state) {
    pnr_bench *p = *state;
    fixture *f = &p->f;
    static const char *const names[] = {"mat_identity", "mat_elemadd", "mat_elemmul", "tensor3_elemadd",
                                        "vec_elemadd",  "vec_elemmul", "vec_identity"};
    if (access(ONYX_SHARED_DIR "/data/sam_graphs/onyx-dot", R_OK) != 0) {
        print_message("the shared SAM graphs are not here\n");
        skip();
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        netlist n;
        pnr_design design;
        clear_diagnostics(f);
        if (!netlist_of(f, arena_printf(&f->mem, ONYX_SHARED_DIR "/data/sam_graphs/onyx-dot/%s.gv", names[i]),
                        &n))
            fail_msg("%s is not lowered\n%s", names[i], fixture_printed(f));
        place_and_route(f, &n, &p->b, &p->o, &design);
    }
}

RUN_TESTS(ON_BOARD("onyx", lowered_graphs_route_on_the_chip))
