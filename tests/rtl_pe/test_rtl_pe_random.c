/* Random streams: RTL against models, and the bench's own promises. */
#include "random_streams.h"
#include "tests/support/bf16_products.h"
#include "tests/test.h"

enum { SEEDS = 1000 };
#ifdef ONYX_MUTANTS /* slower, and run a hundred times; fewer cases have to notice the same faults */
enum { FEWER_SEEDS = 250, FLUSH_SEEDS = 50 };
#else
enum { FEWER_SEEDS = SEEDS, FLUSH_SEEDS = 200 };
#endif

/* Faults of one operation of the ALU show in few cases. */
static uint32_t seeds(void) {
    const char *module = getenv("ONYX_MODULE");
    return module && strstr("onyx_alu onyx_operate", module) ? SEEDS : FEWER_SEEDS;
}

static void test_random_streams(void **state) {
    (void)state;
    print_message("%u cases of each mode, %llu tokens\n", seeds(),
                  (unsigned long long)random_play(1, seeds()));
}

/* A flush or a reset in the middle of a tree leaves nothing behind: another stream in another configuration
 * comes out as it must. */
static void test_flush_and_reset_forget(void **state) {
    fixture *f = *state;
    bench_design design = pe_design_new();
    bench_reset(design);
    for (int m = 0; m < RANDOM_MODES; m++) {
        for (uint64_t seed = 0; seed < FLUSH_SEEDS && random_plays(&random_modes[m]); seed++) {
            spec_pe_config config;
            bench_result got;
            u32_vec cut[BENCH_INS] = {{0}};
            random_case(&random_modes[m], seed, &f->mem, &config, cut);
            for (int i = 0; i < BENCH_INS; i++)
                cut[i].len = (uint32_t)((cut[i].len + seed) / (2 + seed % 3)) % (cut[i].len + 1);
            pe_design_configure(design, true, config.mode, config.space);
            /* Every other stream stalls: the queues hold tokens to be forgotten. */
            const bench_pace paces[2] = {{seed, 20, 60, 0, false}, {seed, 20, 100, 0, false}};
            bench_run(design, paces[seed % 2], cut, &f->mem, &got);
            spec_streams model = {.mem = &f->mem};
            random_case(&random_modes[m], seed + 1, &f->mem, &config, model.in);
            spec_pe(&config, &model);
            pe_design_configure(design, true, config.mode, config.space);
            const bench_pace pace = {.seed = seed, .in_gap_pct = seed % 4 ? 50 : 0, .reset = seed % 3 == 0};
            bench_run(design, pace, model.in, &f->mem, &got);
            bench_expect(&got, model.out, &f->mem);
        }
    }
    pe_design_free(design);
}

/* Without its enable, of the tile or of the primitive, the core takes nothing and gives nothing. */
static void test_unused_stands_still(void **state) {
    fixture *f = *state;
    bench_design design = pe_design_new();
    bench_reset(design);
    for (int m = 0; m < RANDOM_MODES; m++) {
        for (int without = 0; without < 2; without++) {
            spec_pe_config config;
            u32_vec in[BENCH_INS] = {{0}};
            random_case(&random_modes[m], 7, &f->mem, &config, in);
            if (without == 1)
                config.space[0] &= ~1u;
            pe_design_configure(design, without == 1, config.mode, config.space);
            bench_result got;
            bench_run(design, (bench_pace){0}, in, &f->mem, &got);
            bench_expect_nothing_in(&got);
            bench_expect_nothing_out(&got);
        }
    }
    pe_design_free(design);
}

/* All pairs of significands, a stream each. */
static void test_bf16_products(void **state) {
    fixture *f = *state;
    bench_design design = pe_design_new();
    u32_vec in[BENCH_INS] = {{0}}, want[BENCH_OUTS] = {{0}};
    bench_result got;
    bench_reset(design);
    for (uint32_t n = 0; n < BF16_PRODUCTS; n++) {
        const bf16_case c = bf16_case_at(n);
        vec_push(&f->mem, &in[0], c.a);
        vec_push(&f->mem, &in[1], c.b);
        vec_push(&f->mem, &want[0], c.chip);
    }
    pe_design_configure(design, true, RTL_PE_ALU,
                        (const uint32_t[3]){1 | 2 << 1 | 3 << 3 | 2u << 22, 2u << 8 | 2u << 26, 2u << 12});
    bench_run(design, (bench_pace){0}, in, &f->mem, &got);
    bench_expect(&got, want, &f->mem);
    pe_design_free(design);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_random_streams),
        TEST(test_bf16_products),
        TEST(test_flush_and_reset_forget),
        TEST(test_unused_stands_still),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
