/* core_design.h - onyx_core verilated with onyx_core_bench.sv, as Vonyx_pe_core or Vonyx_mem_core, with its
 * cycle model as a design of bench.h. C++. */
#ifndef ONYX_TESTS_CORE_DESIGN_H
#define ONYX_TESTS_CORE_DESIGN_H

#include <cstdlib>

#include "rtl_models/soc/pins.h"
#include "tests/rtl_pe/twin.h"

template <class Core> struct core_design {
    static Core *of(bench_design design) { return static_cast<Core *>(twin_rtl(design)); }

    static bench_design make(twin_kind kind) {
        auto *t = new Core;
#ifdef ONYX_MUTANTS /* an environment variable selects the fault */
        const char *mutant = getenv("ONYX_MUTANT");
        t->mutant = static_cast<SData>(mutant ? atoi(mutant) : 0);
#endif
        return twin_new({t, cycle, [](void *) {}}, kind);
    }
    static void release(bench_design design) {
        delete of(design);
        twin_free(design);
    }
    static void configure(bench_design design, bool tile_en, uint32_t mode, const uint32_t *space,
                          int words) {
        twin_configure(design, tile_en, mode, space, words);
        Core *t = of(design);
        t->tile_en_i = tile_en;
        t->mode_i = mode;
        for (int i = 0; i < words; i++)
            t->space_i[i] = space[i];
    }

    static void fall(Core *t) {
#ifdef ONYX_MUTANTS /* some mutants are of a register's clock */
        t->clk_i = 0;
        t->eval();
#else
        onyx::fall(*t, 0);
#endif
    }

  private:
    /* Ends the cycle before and settles the next. Ports as in onyx_pkg: stream p at bits 18 * p and up, valid
     * on top. */
    static void cycle(void *device, bench_pins *p) {
        auto *t = static_cast<Core *>(device);
        t->rst_ni = !p->reset;
        t->en_i = p->enable;
        t->flush_i = p->flush;
        uint64_t in[BENCH_INS];
        for (int i = 0; i < BENCH_INS; i++)
            in[i] = p->in_data[i] | (p->in_valid[i] ? 1u << 17 : 0);
        uint64_t low = in[0] | in[1] << 18 | in[2] << 36 | in[3] << 54;
        t->in_i[0] = static_cast<EData>(low);
        t->in_i[1] = static_cast<EData>(low >> 32);
        t->in_i[2] = static_cast<EData>(in[3] >> 10);
        t->out_ready_i = static_cast<CData>(p->out_ready[0] | p->out_ready[1] << 1 | p->out_ready[2] << 2);
        t->clk_i = 1;
        t->eval();
        fall(t);
        for (int i = 0; i < BENCH_INS; i++)
            p->in_ready[i] = t->in_ready_o >> i & 1;
        for (int i = 0; i < BENCH_OUTS; i++) {
            p->out_data[i] = t->out_o >> 18 * i & 0x1FFFF;
            p->out_valid[i] = t->out_o >> (18 * i + 17) & 1;
        }
        p->hazards = t->hazards_o;
    }
};

/* Defines NAME_design_new, _free and _configure of pe_design.h or mem_design.h. */
#define CORE_DESIGN(name, kind, words)                                                                       \
    using core = core_design<Vonyx_##name##_core>;                                                           \
    bench_design name##_design_new(void) {                                                                   \
        return core::make(kind);                                                                             \
    }                                                                                                        \
    void name##_design_free(bench_design design) {                                                           \
        core::release(design);                                                                               \
    }                                                                                                        \
    void name##_design_configure(bench_design design, bool tile_en, uint32_t mode,                           \
                                 const uint32_t space[words]) {                                              \
        core::configure(design, tile_en, mode, space, words);                                                \
    }

#endif
