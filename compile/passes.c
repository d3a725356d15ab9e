/* The driver: a loop over the passes (passes.def). Each is run, checked, and written down. */
#include "compile/passes.h"

/* ---- files of passes ---------------------------------------------------------------------------- */

/* Writes a form of all kernels if --dump names the form. */
static bool dump_whole(const compile_passing *p, compile_form form) {
    return compile_dump(p->o, p->ctx, compile_home_of(p->o, p->ctx, p->ctx->partial), form);
}
static bool dump_form(const compile_passing *p, compile_form form) {
    return compile_dump(p->o, p->ctx, p->k->folder, form);
}
static bool dump_nothing(const compile_passing *p) {
    (void)p;
    return true;
}
static bool dump_statement(const compile_passing *p) {
    return dump_whole(p, (compile_form){.statement = &p->all->user}) &&
           dump_whole(p, (compile_form){.coordinates = &p->all->user});
}
static bool dump_cin(const compile_passing *p) {
    return dump_whole(p, (compile_form){.cin = &p->schedule.cin});
}
static bool dump_sam(const compile_passing *p) {
    return compile_write_graph(p->ctx, p->k->folder, "sam.gv", &p->k->lowered.sam) &&
           dump_form(p, (compile_form){.sam = &p->k->lowered.sam});
}
static bool dump_graph(const compile_passing *p) {
    compile_passing own = *p;
    own.k = p->all;
    return dump_sam(&own);
}
static bool dump_sam_hw(const compile_passing *p) {
    return compile_write_graph(p->ctx, p->k->folder, "sam_hw.gv", &p->k->lowered.hardware) &&
           dump_form(p, (compile_form){.sam_hw = &p->k->lowered.hardware});
}
static bool dump_onyx(const compile_passing *p) {
    return dump_form(p, (compile_form){.onyx = p->primitives});
}
static bool dump_netlist(const compile_passing *p) {
    return dump_form(p, (compile_form){.netlist = &p->k->array.net}) &&
           compile_write_netlist(p->ctx, p->k->folder, &p->k->array.net);
}
static bool dump_design(const compile_passing *p) {
    return dump_form(p, (compile_form){.timing = &p->k->array}) &&
           compile_write_design(p->ctx, p->k->folder, &p->k->array.design);
}

/* ---- the passes --------------------------------------------------------------------------------- */

enum { OF_STATEMENT, OF_KERNEL };
enum { FROM_ANY, FROM_EXPRESSION, FROM_GRAPH };
enum { ON_ANY, ON_CHIP };
enum { CLOCK_own, CLOCK_frontend, CLOCK_lower, CLOCK_bitstream };

typedef struct {
    compile_pass_facts facts;
    int of, from, on, clock;
    bool (*run)(compile_passing *p);
    bool (*check)(const compile_passing *p);
    bool (*dump)(const compile_passing *p);
} pass_row;

static const pass_row passes[] = {
#define PASS(name, of, from, on, clock, reads, makes, dump, doc)                                             \
    {{#name, reads, makes, doc}, OF_##of,    FROM_##from, ON_##on, CLOCK_##clock, pass_run_##name,           \
     pass_check_##name,          dump_##dump},
#include "compile/passes.def"
#undef PASS
};

compile_pass_facts compile_pass_at(uint32_t i) {
    return i < sizeof passes / sizeof *passes ? passes[i].facts : (compile_pass_facts){.name = NULL};
}

/* Returns the clock of a pass; *unheard for a pass with a clock of its own. */
static double *clock_of(const compile_passing *p, const pass_row *row, double *unheard) {
    return row->clock == CLOCK_frontend ? &p->all->times.frontend
           : row->clock == CLOCK_lower  ? &p->k->times.lower
           : row->clock == CLOCK_own    ? unheard
                                        : &p->k->times.bitstream;
}

/* Runs a pass, checks the outcome, and writes the outcome's files. */
static bool do_pass(compile_passing *p, const pass_row *row) {
    const bool applies = row->from == FROM_ANY || p->graph == (row->from == FROM_GRAPH);
    if (!applies || (row->on == ON_CHIP && !p->chip))
        return true;
    const double began = seconds_now();
    double unheard = 0;
    const bool ok = row->run(p) && row->check(p) && row->dump(p);
    *clock_of(p, row, &unheard) += seconds_now() - began;
    return ok;
}

/* Runs the passes of a kernel for every kernel except the host's. */
static bool do_kernels(compile_passing *p, const pass_row *from, const pass_row *end) {
    compile_passing own = *p;
    for (uint32_t n = 0; n <= p->all->producers.len; n++) {
        own.k = compile_kernel_at(p->all, n);
        own.o = compile_options_of(p->o, own.k);
        for (const pass_row *row = from; !own.k->on_host && row < end; row++) {
            if (!do_pass(&own, row))
                return false;
        }
    }
    return true;
}

bool compile_go_through(compile_passing *p) {
    const uint32_t all = sizeof passes / sizeof *passes;
    const pass_row *end = passes + (p->o->files.stop_after ? p->o->files.stop_after : all);
    for (const pass_row *row = passes, *next; row < end; row = next) {
        for (next = row + 1; row->of == OF_KERNEL && next < end && next->of == OF_KERNEL;)
            next++;
        if (row->of == OF_KERNEL ? !do_kernels(p, row, next) : !do_pass(p, row))
            return false;
    }
    return true;
}
