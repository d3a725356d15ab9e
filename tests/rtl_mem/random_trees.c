#include "random_trees.h"

#include "tests/test.h"

const tree_use tree_uses[TREE_USES] = {
    {"block, scan", WRITE_BLOCK, READ_SCAN},
    {"block, root scan", WRITE_BLOCK, READ_ROOT},
    {"block, lookup", WRITE_BLOCK, READ_LOOKUP},
    {"stream, scan", WRITE_STREAM, READ_SCAN},
    {"stream, root scan", WRITE_STREAM, READ_ROOT},
    {"stream, lookup", WRITE_STREAM, READ_LOOKUP},
    {"stream, read-out", WRITE_STREAM, READ_OUT},
    {"stream, read-out of values", WRITE_STREAM, READ_OUT_VALUES},
    {"pairs, lookup", WRITE_PAIRS, READ_LOOKUP},
    {"dense scan", WRITE_BLOCK, READ_DENSE},
    {"dense root scan", WRITE_BLOCK, READ_DENSE_ROOT},
    {"shared block, scan", WRITE_SHARED, READ_SCAN},
    {"shared block, lookup", WRITE_SHARED, READ_LOOKUP},
    {"sums, coordinates", WRITE_SUMS, READ_SUMS},
    {"sums, values", WRITE_SUMS, READ_SUM_VALUES},
    {"stream, chained read-out", WRITE_CHAINED, READ_OUT},
    {"stream, chained read-out of values", WRITE_CHAINED, READ_OUT_VALUES},
};

enum { IN_REF, IN_ADDR, IN_BLOCK, IN_DATA };

typedef struct {
    prng random;
    arena *mem;
    u32_vec *in;
    uint32_t most[2];        /* entries a block of ID 0 and 1 may have */
    uint32_t longest;        /* entries aimed at */
    uint32_t before, behind; /* blocks of other scanners, before and behind its own */
    bool odd_ends;           /* trees without their last stop, or without contents */
} maker;

static uint32_t below(maker *m, uint32_t n) {
    return prng_below(&m->random, n);
}

static bool chance(maker *m, uint32_t percent) {
    return below(m, 100) < percent;
}

static void put_in(maker *m, int port, uint32_t token) {
    vec_push(m->mem, &m->in[port], token);
}

/* Explicit zeros and the largest value are worth more than their share. */
static uint32_t value(maker *m) {
    return chance(m, 10) ? 0 : chance(m, 5) ? 0xffff : below(m, 0x10000);
}

/* The next coordinate of a fiber: near, or anywhere. */
static uint32_t beyond(maker *m, uint32_t at) {
    return (at + 1 + below(m, chance(m, 5) ? 0x8000 : 3)) & 0xffff;
}

/* Some stop below `levels`, or a much higher stop; sometimes with idle bits set. */
static uint32_t stop(maker *m, uint32_t levels) {
    return RTL_STOP(below(m, chance(m, 3) ? 250 : levels)) | (chance(m, 10) ? below(m, 64) << 10 : 0);
}

static uint32_t length(maker *m, uint32_t most) {
    uint32_t longest = most < m->longest ? most : m->longest;
    return chance(m, 15) ? 0 : chance(m, 5) ? longest : below(m, longest + 1);
}

/* Segments and coordinates in the global buffer's form; returns the number of fibers. */
static uint32_t put_level_block(maker *m, bool one_fiber) {
    u32_vec seg = {0}, crd = {0};
    uint32_t fibers = one_fiber ? 1 : length(m, m->most[0] - 1);
    uint32_t total = length(m, m->most[1]);
    vec_push(m->mem, &seg, 0);
    for (uint32_t i = 0; i < fibers; i++) {
        uint32_t left = total - crd.len, entries = one_fiber ? left : 0;
        if (!one_fiber && left > 0 && !chance(m, 25))
            entries = i + 1 == fibers || chance(m, 5) ? left : below(m, left / (1 + below(m, 8)) + 1);
        uint32_t at = below(m, 3);
        for (uint32_t k = 0; k < entries; k++, at = beyond(m, at))
            vec_push(m->mem, &crd, at);
        vec_push(m->mem, &seg, crd.len);
    }
    put_in(m, IN_BLOCK, seg.len);
    for (uint32_t i = 0; i < seg.len; i++)
        put_in(m, IN_BLOCK, seg.at[i]);
    put_in(m, IN_BLOCK, crd.len);
    for (uint32_t i = 0; i < crd.len; i++)
        put_in(m, IN_BLOCK, crd.at[i]);
    return fibers;
}

static uint32_t put_value_block(maker *m) {
    uint32_t n = length(m, m->most[0]);
    put_in(m, IN_BLOCK, n);
    for (uint32_t i = 0; i < n; i++)
        put_in(m, IN_BLOCK, value(m));
    return n;
}

/* A stream of coordinates with consecutive stops, doubled coordinates and maybes; returns the number of its
 * segments after the leading zero. */
static uint32_t put_level_stream(maker *m, bool one_fiber) {
    uint32_t left = length(m, m->most[1]), room = m->most[0] - 1, fibers = 0;
    bool open = true; /* the next control token makes a segment */
    uint32_t stops = one_fiber ? 1 : 1 + below(m, 12);
    for (uint32_t s = 0; s < stops; s++) {
        uint32_t entries = one_fiber || chance(m, 10) ? left : below(m, left + 1) / 2, at = below(m, 4);
        if (chance(m, 30) || fibers + 1 >= room)
            entries = one_fiber ? entries : 0;
        for (uint32_t k = 0; k < entries; k++, at = beyond(m, at)) {
            for (uint32_t times = chance(m, 10) ? 2 + below(m, 2) : 1; times > 0; times--)
                put_in(m, IN_DATA, at);
            open = true;
        }
        left -= entries;
        if (m->odd_ends && s + 1 == stops)
            break;
        put_in(m, IN_DATA, chance(m, 10) && !one_fiber ? RTL_MAYBE : stop(m, 3));
        fibers += open;
        open = false;
    }
    put_in(m, IN_DATA, RTL_DONE);
    return fibers + open;
}

static uint32_t put_value_stream(maker *m) {
    uint32_t n = length(m, m->most[0]);
    for (uint32_t i = 0; i < n; i++) {
        while (chance(m, 20))
            put_in(m, IN_DATA, chance(m, 20) ? RTL_MAYBE : stop(m, 3));
        put_in(m, IN_DATA, value(m));
    }
    if (!m->odd_ends)
        put_in(m, IN_DATA, stop(m, 3));
    put_in(m, IN_DATA, RTL_DONE);
    return n;
}

/* Every address below the result once, in any order, some of them twice. */
static uint32_t put_pairs(maker *m) {
    uint32_t n = length(m, m->most[0]);
    uint32_t *order = arena_new_n(m->mem, uint32_t, n + 1);
    bool shuffle = chance(m, 60);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = shuffle ? below(m, i + 1) : i;
        order[i] = order[j];
        order[j] = i;
    }
    for (uint32_t i = 0; i < n; i++) {
        bool again = chance(m, 10);
        put_in(m, IN_ADDR, order[i]);
        put_in(m, IN_DATA, value(m));
        if (again) {
            put_in(m, IN_ADDR, order[below(m, i + 1)]);
            put_in(m, IN_DATA, value(m));
        }
        if (chance(m, 10)) {
            put_in(m, IN_ADDR, RTL_STOP(0));
            put_in(m, IN_DATA, RTL_STOP(0));
        }
    }
    put_in(m, IN_ADDR, RTL_DONE);
    put_in(m, IN_DATA, RTL_DONE);
    return n;
}

/* References below `n` in the shape of a tree; sometimes out of order, repeated, or none. */
static void put_refs(maker *m, uint32_t n) {
    bool in_order = chance(m, 60);
    uint32_t items = in_order ? n + below(m, 4) : below(m, 2 * n + 4), next = 0;
    items = items > 3 * m->longest ? 3 * m->longest : items;
    for (uint32_t i = 0; i < items; i++) {
        if (chance(m, 10))
            put_in(m, IN_REF, stop(m, 3));
        if (chance(m, 10) || n == 0)
            put_in(m, IN_REF, RTL_MAYBE);
        else
            put_in(m, IN_REF, in_order && next < n ? next++ : below(m, n));
    }
    if (!m->odd_ends)
        put_in(m, IN_REF, stop(m, 4));
    put_in(m, IN_REF, RTL_DONE);
}

static bool of_values(const tree_use *use) {
    return use->reader == READ_LOOKUP || use->reader == READ_OUT_VALUES || use->reader == READ_SUM_VALUES;
}

/* A block of a sum: coordinates ended by the stop; below this level other stops among them. */
static void put_sum_block(maker *m, uint32_t block_level, uint32_t end) {
    uint32_t most = m->most[0] < m->most[1] ? m->most[0] : m->most[1], at = 0;
    uint32_t entries = length(m, most), stops = most - 2;
    for (uint32_t k = 0; k < entries; k++, at = beyond(m, at)) {
        put_in(m, IN_DATA, at);
        if (block_level > 0 && stops > 0 && chance(m, 10)) {
            put_in(m, IN_DATA, RTL_STOP(below(m, block_level)));
            stops--;
        }
    }
    put_in(m, IN_DATA, RTL_STOP(end));
}

/* The tree of sub-fibers seen by both tiles: references to the current block, and data with the same stops
 * one level up. A pass has one reference, or several below the level that ends a block. */
static void put_sums(maker *m, uint32_t block_level) {
    uint32_t sums = below(m, 6);
    for (uint32_t i = 0; i < sums || i == 0; i++) {
        uint32_t passes = sums == 0 || chance(m, 25) ? 0 : 1 + below(m, 5);
        bool last = i + 1 >= sums;
        for (uint32_t p = 0; p < passes; p++) {
            uint32_t refs = block_level > 0 ? 1 + below(m, chance(m, 20) ? 12 : 3) : 1;
            for (; refs > 0; refs--) {
                put_in(m, IN_REF, chance(m, 5) ? RTL_MAYBE : 0);
                while (block_level > 1 && refs > 1 && chance(m, 30))
                    put_in(m, IN_REF, RTL_STOP(chance(m, 50) ? block_level - 2 : below(m, block_level - 1)));
            }
            if (block_level > 0 && p + 1 < passes)
                put_in(m, IN_REF, RTL_STOP(block_level - 1));
            put_sum_block(m, block_level, block_level + (p + 1 < passes ? 0 : last ? 2 : 1));
        }
        put_in(m, IN_REF, RTL_STOP(block_level + last));
        if (passes == 0)
            put_sum_block(m, block_level, block_level + (last ? 2 : 1));
    }
    put_in(m, IN_REF, RTL_DONE);
    put_in(m, IN_DATA, RTL_DONE);
}

/* The positions an accumulator's coordinates send to its values. */
static void refs_to_positions(maker *m, const spec_mem_config *values) {
    spec_streams s = {.mem = m->mem, .in = {m->in[IN_REF], {0}, {0}, m->in[IN_DATA]}};
    spec_mem_config coordinates = *values;
    coordinates.space[0] &= ~(1u << 18);
    coordinates.space[1] &= ~(1u << 27);
    spec_fiber_access(&coordinates, &s);
    m->in[IN_REF] = s.out[2];
}

/* Blocks of other scanners on the same stream, of any length. */
static void put_others(maker *m, uint32_t n) {
    for (; n > 0; n--) {
        const uint32_t words = chance(m, 10) ? 0 : below(m, chance(m, 5) ? 1500 : 40);
        put_in(m, IN_BLOCK, words);
        for (uint32_t i = 0; i < words; i++)
            put_in(m, IN_BLOCK, value(m));
    }
}

/* The read part of the tree's own blocks: fibers or values. */
static uint32_t put_own(maker *m, const tree_use *use) {
    return of_values(use) ? put_value_block(m) : put_level_block(m, use->reader == READ_ROOT);
}

static uint32_t put_tree(maker *m, const tree_use *use) {
    if (use->writer == WRITE_PAIRS)
        return put_pairs(m);
    if (use->writer == WRITE_SHARED) {
        put_others(m, m->before);
        const uint32_t n = put_own(m, use);
        put_others(m, m->behind);
        return n;
    }
    if (use->writer == WRITE_BLOCK)
        return put_own(m, use);
    if (use->writer == WRITE_CHAINED)
        put_others(m, m->before);
    return of_values(use) ? put_value_stream(m) : put_level_stream(m, use->reader == READ_ROOT);
}

spec_mem_config tree_config(const tree_use *use, uint32_t capacity_log_0, uint32_t capacity_log_1,
                            uint32_t dim_size) {
    spec_mem_config c = {{0x00c00001, 0, 0x80000000, capacity_log_0 << 4 | capacity_log_1}};
    if (of_values(use))
        c.space[0] |= 1u << 18;
    if (use->writer != WRITE_PAIRS)
        c.space[0] |= 1u << 20;
    if (use->writer == WRITE_BLOCK || use->writer == WRITE_SHARED)
        c.space[0] |= 1u << 21;
    if (use->reader == READ_ROOT || use->reader == READ_DENSE_ROOT)
        c.space[1] |= 1u << 9;
    if (of_values(use))
        c.space[1] |= 1u << 27;
    if (use->reader == READ_DENSE || use->reader == READ_DENSE_ROOT)
        c.space[2] |= 1u << 29 | dim_size << 13;
    if (use->reader == READ_OUT || use->reader == READ_OUT_VALUES)
        c.space[2] |= 1u << 30;
    if (use->writer == WRITE_SUMS) {
        c.space[0] |= 1u << 17 | 1u << 19;
        c.space[1] |= 1u << 8;
    }
    return c;
}

void tree_case(const tree_use *use, uint64_t seed, arena *mem, spec_mem_config *config,
               u32_vec in[BENCH_INS]) {
    memset(in, 0, BENCH_INS * sizeof *in);
    maker m = {.random = prng_seed(seed), .mem = mem, .in = in};
    uint32_t log0 = chance(&m, 60) ? 8 : 1 + below(&m, 8), log1 = chance(&m, 60) ? 8 : 1 + below(&m, 8);
    if (of_values(use) && use->writer != WRITE_SUMS && chance(&m, 20))
        log0 = 9; /* all of the memory */
    m.most[0] = 4u << log0;
    m.most[1] = 4u << log1;
    m.longest = chance(&m, 80) ? 1 + below(&m, 24) : chance(&m, 80) ? 1 + below(&m, 200) : m.most[0];
    if (use->reader == READ_DENSE && m.longest > 20)
        m.longest = 20; /* each reference makes a fiber */
    uint32_t block_level = use->writer == WRITE_SUMS ? below(&m, chance(&m, 30) ? 250 : 2) : 0;
    uint32_t dim = use->reader == READ_DENSE_ROOT && chance(&m, 5) ? 4000 : 20;
    *config = tree_config(use, log0 == 9 ? 9 + below(&m, 7) : log0, log1, below(&m, dim));
    config->space[0] |= block_level << 1 | block_level << 24;
    if (use->writer == WRITE_SHARED) {
        m.before = below(&m, chance(&m, 10) ? 16 : 4);
        m.behind = below(&m, chance(&m, 10) ? 16 : 4);
        config->space[3] |= m.before << 8 | m.behind << 12;
    }
    if (use->writer == WRITE_CHAINED) {
        m.before = 1 + below(&m, chance(&m, 10) ? 15 : 5);
        config->space[3] |= m.before << 17;
    }
    for (uint32_t trees = chance(&m, 10) ? 1 : 2 + below(&m, m.longest > 200 ? 2 : 5); trees > 0; trees--) {
        m.odd_ends = chance(&m, 15);
        if (use->writer == WRITE_SUMS) {
            put_sums(&m, block_level);
            continue;
        }
        if (use->reader == READ_DENSE_ROOT)
            continue;
        uint32_t n = use->reader == READ_DENSE ? 1 + below(&m, 0x10000) : put_tree(&m, use);
        if (use->reader == READ_SCAN || use->reader == READ_LOOKUP || use->reader == READ_DENSE)
            put_refs(&m, n);
    }
    if (use->reader == READ_SUM_VALUES)
        refs_to_positions(&m, config);
}

bench_pace trees_pace(uint64_t seed) {
    prng random = prng_seed(seed * 2 + 1);
    static const uint32_t percents[] = {0, 0, 10, 30, 50, 70, 90};
    enum { PERCENTS = sizeof percents / sizeof *percents };
    uint32_t gap = percents[prng_below(&random, PERCENTS)], stall = percents[prng_below(&random, PERCENTS)];
    return (bench_pace){seed, gap, stall, prng_below(&random, 5) == 0 ? 20 : 0, false};
}

/* Plays a case; returns the number of output tokens. */
static uint32_t play(bench_design design, mem_configure *configure, const tree_use *use, uint64_t seed,
                     arena *mem, quota *shown) {
    spec_mem_config config;
    spec_streams model = {.mem = mem};
    tree_case(use, seed, mem, &config, model.in);
    bench_result got;
    configure(design, true, 0, config.space);
    bench_run(design, trees_pace(seed), model.in, mem, &got);
    spec_fiber_access(&config, &model);
    const char *fault = got.fault;
    uint32_t tokens = 0;
    for (int i = 0; i < BENCH_INS; i++)
        if (model.taken[i] != model.in[i].len)
            fault = "the model did not take every token";
    for (int i = 0; i < BENCH_INS && !fault; i++)
        if (use->reader != READ_ROOT && use->reader != READ_DENSE_ROOT &&
            got.in[i].token.len != model.in[i].len)
            fault = arena_printf(mem, "in%d: %u of %u tokens taken", i, got.in[i].token.len, model.in[i].len);
    for (int o = 0; o < BENCH_OUTS && !fault; o++) {
        const char *difference = bench_difference(&got.out[o], &model.out[o], mem);
        if (difference)
            fault = arena_printf(mem, "out%d: %s", o, difference);
        tokens += model.out[o].len;
    }
    if (fault)
        fail_msg("%s, seed %llu: %s", use->name, (unsigned long long)seed, fault);
    quota_add(shown, true, bench_gives_nothing(model.out));
    return tokens;
}

/* The design is reset once and only flushed between cases: a case must not affect the next.
 */
uint64_t trees_play(bench_design design, mem_configure *configure, uint64_t first, uint32_t count) {
    bench_reset(design);
    uint64_t tokens = 0;
    quota shown[TREE_USES] = {{0}};
    for (uint64_t seed = first; seed < first + count; seed++) {
        for (int u = 0; u < TREE_USES; u++) {
            arena mem = {0};
            tokens += play(design, configure, &tree_uses[u], seed, &mem, &shown[u]);
            arena_free(&mem);
        }
    }
    for (int u = 0; u < TREE_USES; u++) {
        print_message("%s: ", tree_uses[u].name);
        assert_false(quota_failed(&shown[u]));
    }
    return tokens;
}

void trees_play_core(uint64_t first, uint32_t count, uint64_t least) {
    bench_design design = mem_design_new();
    uint64_t tokens = trees_play(design, mem_design_configure, first, count);
    mem_design_free(design);
    print_message("%u cases, %llu tokens\n", count * TREE_USES, (unsigned long long)tokens);
    assert_true(tokens > least);
}
