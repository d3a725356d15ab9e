/* Random trees: the RTL of the MEM core against the token model. */
#include "random_trees.h"
#include "tests/test.h"

enum { SEEDS = 300 };

static void test_random_trees(void **state) {
    (void)state;
    uint64_t tokens = trees_play(1, SEEDS);
    print_message("%u cases, %llu tokens\n", (unsigned)(SEEDS * TREE_USES), (unsigned long long)tokens);
    assert_true(tokens > 50000);
}

/* A flush in the middle of a tree leaves nothing behind. */
static void test_flush_forgets(void **state) {
    (void)state;
    bench_design design = mem_design_new();
    bench_reset(design);
    for (int u = 0; u < TREE_USES; u++) {
        for (uint64_t seed = 1; seed <= 30; seed++) {
            arena mem = {0};
            rtl_mem_config config;
            rtl_pe_streams model = {.mem = &mem};
            tree_case(&tree_uses[u], seed, &mem, &config, model.in);
            mem_design_configure(design, true, 0, config.space);
            bench_result got;
            u32_vec cut[BENCH_INS];
            memcpy(cut, model.in, sizeof cut);
            for (int i = 0; i < BENCH_INS; i++)
                cut[i].len = (uint32_t)((cut[i].len + seed) / (2 + seed % 3)) % (cut[i].len + 1);
            bench_run(design, (bench_pace){seed, 20, 60, 0}, cut, &mem, &got);
            bench_run(design, (bench_pace){0}, model.in, &mem, &got);
            rtl_model_fiber_access(&config, &model);
            assert_null(got.fault);
            for (int o = 0; o < BENCH_OUTS; o++)
                assert_null(bench_difference(&got.out[o], &model.out[o], &mem));
            arena_free(&mem);
        }
    }
    mem_design_free(design);
}

/* Without one of its enables, or in another mode, the core gives nothing; without its tile it takes nothing.
 */
static void test_unused_stands_still(void **state) {
    fixture *f = *state;
    static const struct {
        bool tile_en;
        uint32_t mode;
        int word, bit; /* of CONFIG_SPACE, cleared */
    } ways[] = {{false, 0, 3, 31}, {true, 1, 3, 31}, {true, 0, 0, 22}, {true, 0, 0, 23}};
    bench_design design = mem_design_new();
    bench_reset(design);
    for (uint32_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        for (int u = 0; u < TREE_USES; u++) {
            rtl_mem_config config;
            u32_vec in[BENCH_INS];
            tree_case(&tree_uses[u], 7, &f->mem, &config, in);
            config.space[ways[w].word] &= ~(1u << ways[w].bit);
            mem_design_configure(design, ways[w].tile_en, ways[w].mode, config.space);
            bench_result got;
            bench_run(design, (bench_pace){0}, in, &f->mem, &got);
            for (int i = 0; i < BENCH_INS && w < 2; i++)
                assert_int_equal(got.in[i].token.len, 0);
            for (int o = 0; o < BENCH_OUTS; o++)
                assert_int_equal(got.out[o].token.len, 0);
        }
    }
    mem_design_free(design);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_random_trees),
        TEST(test_flush_forgets),
        TEST(test_unused_stands_still),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
