/* Random trees beside random coordinates of the other side of an intersecter. */
#include "random_trees.h"
#include "tests/test.h"

enum { IN_REF, IN_PARTNER, IN_BLOCK };

static bool chance(prng *random, uint32_t percent) {
    return prng_below(random, 100) < percent;
}

static void append(arena *mem, u32_vec *to, const u32_vec *from) {
    for (uint32_t i = 0; i < from->len; i++)
        vec_push(mem, to, from->at[i]);
}

/* Adds the blocks of a level with this many fibers; coordinates of a fiber ascend, `near` at a time. */
static void put_level(prng *random, arena *mem, uint32_t fibers, uint32_t longest, uint32_t near,
                      u32_vec *block) {
    u32_vec seg = {0}, crd = {0};
    vec_push(mem, &seg, 0);
    for (; fibers > 0; fibers--) {
        uint32_t n = chance(random, 15) ? 0 : prng_below(random, longest + 1), at = prng_below(random, near);
        for (; n > 0 && crd.len < 1000 && at < 0x10000; n--, at += 1 + prng_below(random, near))
            vec_push(mem, &crd, at);
        vec_push(mem, &seg, crd.len);
    }
    vec_push(mem, block, seg.len);
    append(mem, block, &seg);
    vec_push(mem, block, crd.len);
    append(mem, block, &crd);
}

static void put_refs(prng *random, arena *mem, uint32_t fibers, u32_vec *refs) {
    for (uint32_t n = prng_below(random, 2 * fibers + 2); n > 0; n--) {
        if (chance(random, 90))
            vec_push(mem, refs, chance(random, 3) ? RTL_MAYBE : prng_below(random, fibers));
        if (chance(random, 20))
            vec_push(mem, refs, RTL_STOP(prng_below(random, 3)));
    }
    vec_push(mem, refs, RTL_STOP(0));
    vec_push(mem, refs, RTL_DONE);
}

/* The other side's fibers of a stream: a share of its coordinates, and others in between.
 */
static void put_partner(prng *random, arena *mem, const u32_vec *all, uint32_t share, uint32_t others,
                        u32_vec *to) {
    uint32_t least = 0;
    for (uint32_t i = 0; i < all->len; i++) {
        const uint32_t token = all->at[i], end = rtl_is_control(token) ? 0x10000 : token;
        for (uint32_t crd = least + prng_below(random, 40);
             !rtl_is_done(token) && chance(random, others) && crd < end; crd += 1 + prng_below(random, 40))
            vec_push(mem, to, crd);
        if (chance(random, 1))
            vec_push(mem, to, RTL_MAYBE);
        if (rtl_is_control(token) || chance(random, share))
            vec_push(mem, to, token);
        least = rtl_is_control(token) ? 0 : token + 1;
    }
}

void skip_case(uint64_t seed, arena *mem, spec_mem_config *config, u32_vec in[BENCH_INS], u32_vec all[2]) {
    static const uint32_t lengths[] = {6, 12, 20, 80, 400, 1000},
                          shares[] = {0, 1, 3, 5, 10, 10, 20, 20, 30, 40, 50, 100};
    prng random = prng_seed(seed);
    const bool root = chance(&random, 15);
    *config = tree_config(&tree_uses[root], 8, 8, 0);
    memset(in, 0, BENCH_INS * sizeof *in);
    const uint32_t longest = lengths[prng_below(&random, 6)],
                   near = 1 + prng_below(&random, longest > 100 ? 20 : 60);
    for (uint32_t trees = 1 + prng_below(&random, 3); trees > 0; trees--) {
        const uint32_t fibers = root ? 1 : 1 + prng_below(&random, longest > 100 ? 4 : 12);
        put_level(&random, mem, fibers, longest, near, &in[IN_BLOCK]);
        if (!root)
            put_refs(&random, mem, fibers, &in[IN_REF]);
    }
    spec_streams alone = {.mem = mem};
    memcpy(alone.in, in, BENCH_INS * sizeof *in);
    spec_fiber_access(config, &alone);
    all[0] = alone.out[1];
    all[1] = alone.out[2];
    put_partner(&random, mem, &all[0], shares[prng_below(&random, 12)], prng_below(&random, 3) * 20,
                &in[IN_PARTNER]);
    config->space[3] |= SKIPS;
}

/* Plays a case; how many coordinates were left out. */
static uint32_t play(bench_design design, mem_configure *configure, uint64_t seed, arena *mem) {
    spec_mem_config config;
    u32_vec in[BENCH_INS], all[2];
    bench_result got;
    skip_case(seed, mem, &config, in, all);
    configure(design, true, 0, config.space);
    bench_run(design, trees_pace(seed), in, mem, &got);
    const char *fault = got.fault;
    for (int i = 0; i <= IN_BLOCK && !fault; i++)
        if (got.in[i].token.len != in[i].len && !(i == IN_REF && in[i].len == 0))
            fault = arena_printf(mem, "in%d: %u of %u tokens taken", i, got.in[i].token.len, in[i].len);
    if (!fault)
        fault = spec_skip_fault(all, &in[IN_PARTNER], &got.out[1].token, &got.out[2].token);
    if (fault)
        fail_msg("seed %llu: %s", (unsigned long long)seed, fault);
    return all[0].len - got.out[1].token.len;
}

uint64_t skips_play(bench_design design, mem_configure *configure, uint64_t first, uint64_t cases,
                    quota *shown) {
    uint64_t left_out = 0;
    arena mem = {0};
    bench_reset(design);
    for (uint64_t seed = first; seed < first + cases; seed++, arena_free(&mem)) {
        const uint32_t here = play(design, configure, seed, &mem);
        quota_add(shown, true, here == 0);
        left_out += here;
    }
    return left_out;
}
