#include "random_streams.h"

#include "tests/quota.h"
#include "tests/test.h"

const random_mode random_modes[RANDOM_MODES] = {
    {"intersect", RTL_PE_JOINER, 0},
    {"union", RTL_PE_JOINER, 1},
    {"crddrop", RTL_PE_CRDDROP, 0},
    {"crdhold", RTL_PE_CRDHOLD, 0},
    {"add", RTL_PE_ALU, 0},
    {"sub", RTL_PE_ALU, 1},
    {"mul", RTL_PE_ALU, 2},
    {"alu", RTL_PE_ALU, 3},
    {"alu bf16", RTL_PE_ALU, 4},
    {"repeat", RTL_PE_REPEAT, 0},
    {"repeat, one reference", RTL_PE_REPEAT, 1},
    {"rsg", RTL_PE_RSG, 0},
    {"reduce", RTL_PE_REDUCE, 0},
    {"reduce bf16", RTL_PE_REDUCE, 1},
    {"reduce by any", RTL_PE_REDUCE, 2},
    {"reduce float32", RTL_PE_REDUCE, 3},
    {"regions: none", RTL_PE_REGION_JOIN, 0},
    {"regions: side 0", RTL_PE_REGION_JOIN, RTL_REGION_SIDE0},
    {"regions: side 1", RTL_PE_REGION_JOIN, RTL_REGION_SIDE1},
    {"regions: one side", RTL_PE_REGION_JOIN, RTL_REGION_SIDE0 | RTL_REGION_SIDE1},
    {"regions: both", RTL_PE_REGION_JOIN, RTL_REGION_BOTH},
    {"regions: all of side 0", RTL_PE_REGION_JOIN, RTL_REGION_BOTH | RTL_REGION_SIDE0},
    {"regions: all of side 1", RTL_PE_REGION_JOIN, RTL_REGION_BOTH | RTL_REGION_SIDE1},
    {"regions: all", RTL_PE_REGION_JOIN, RTL_REGION_BOTH | RTL_REGION_SIDE0 | RTL_REGION_SIDE1},
};

/* ---- trees ----------------------------------------------------------------------------------- */

typedef struct {
    prng random;
    arena *mem;
    uint32_t empty_pct, longest; /* share of empty fibers, longest fiber */
    uint32_t maybe_pct;          /* values that are a maybe */
    uint32_t absent_pct;         /* share of maybes among coordinates of a joiner's sides */
    uint32_t lowest; /* typical first coordinate of a fiber, to give two trees common coordinates */
    uint32_t raise; /* added to stop levels above 0: a tree uses few of the 256 levels, a tile supports all */
    bool floats;    /* values are bfloat16 */
} maker;

static bool chance(maker *m, uint32_t percent) {
    return prng_below(&m->random, 100) < percent;
}

/* The ends of the fibers of a tree with `levels` levels: stop levels, the last being levels - 1. */
static void make_ends(maker *m, uint32_t levels, u32_vec *ends) {
    uint32_t fibers = 1 + prng_below(&m->random, levels == 1 ? 1 : 10);
    for (uint32_t i = 0; i < fibers; i++) {
        bool last = i + 1 == fibers;
        /* Most stops are of low level, as in real trees. */
        uint32_t level = chance(m, 60) ? 0 : prng_below(&m->random, levels);
        level = last ? levels - 1 : level < levels - 1 ? level : 0;
        vec_push(m->mem, ends, level == 0 ? 0 : level + m->raise);
    }
}

/* Levels about a power of two, or any; up to 254, because inner streams have a level more. */
static uint32_t any_raise(maker *m) {
    return chance(m, 50) ? (4u << prng_below(&m->random, 6)) - 2 : prng_below(&m->random, 252);
}

static uint32_t fiber_length(maker *m) {
    return chance(m, m->empty_pct) ? 0 : 1 + prng_below(&m->random, m->longest);
}

/* A bfloat16: a limit of the format; a number whose sum with another has digits of both; or a number with
 * products at the lower end. Many have few digits, to put some results midway between two numbers. */
static uint32_t number(maker *m) {
    static const uint32_t limits[] = {0x0000, 0x0001, 0x007f, 0x0080, 0x3f80,
                                      0x7f00, 0x7f7f, 0x7f80, 0x7f81, 0x7fc0};
    uint32_t sign = prng_below(&m->random, 2) << 15;
    if (chance(m, 20))
        return sign | limits[prng_below(&m->random, 10)];
    uint32_t exponent = (chance(m, 20) ? 0 : 120) + prng_below(&m->random, 16);
    return sign | exponent << 7 | (prng_below(&m->random, 128) & 0x7fu << prng_below(&m->random, 7) & 0x7fu);
}

static uint32_t value(maker *m) {
    if (chance(m, m->maybe_pct))
        return RTL_MAYBE;
    return m->floats && chance(m, 70) ? number(m) : prng_below(&m->random, 0x10000);
}

/* A coordinate with room for the rest of the longest fiber: fibers count in steps of 3 at most. */
static uint32_t any_start(maker *m) {
    return prng_below(&m->random, 0x10000 - 3 * (m->longest + 1));
}

/* A tree of values; with `crds` not NULL also as many ascending coordinates. */
static void make_tree(maker *m, const u32_vec *ends, u32_vec *values, u32_vec *crds) {
    for (uint32_t i = 0; i < ends->len; i++) {
        uint32_t crd = chance(m, 5) ? any_start(m) : m->lowest + prng_below(&m->random, 2);
        for (uint32_t n = fiber_length(m); n > 0; n--) {
            vec_push(m->mem, values, value(m));
            bool absent = crds && m->absent_pct > 0 && chance(m, m->absent_pct);
            if (crds)
                vec_push(m->mem, crds, absent ? RTL_MAYBE : crd);
            crd += absent ? 0 : 1 + prng_below(&m->random, chance(m, 20) ? 3 : 2);
        }
        vec_push(m->mem, values, RTL_STOP(ends->at[i]));
        if (crds)
            vec_push(m->mem, crds, RTL_STOP(ends->at[i]));
    }
    vec_push(m->mem, values, RTL_DONE);
    if (crds)
        vec_push(m->mem, crds, RTL_DONE);
}

/* A single reference for a whole tree, in fibers of any depth. */
static void make_one_reference(maker *m, u32_vec *proc) {
    while (chance(m, 10))
        vec_push(m->mem, proc, RTL_STOP(prng_below(&m->random, 3)));
    vec_push(m->mem, proc, value(m));
    while (chance(m, 60))
        vec_push(m->mem, proc, RTL_STOP(prng_below(&m->random, 3)));
    vec_push(m->mem, proc, RTL_DONE);
}

/* The inner stream of an outer stream: a fiber for every element, as from a scanner. */
static void make_inner(maker *m, const u32_vec *outer, uint32_t first, u32_vec *inner) {
    for (uint32_t i = first; i < outer->len; i++) {
        uint32_t token = outer->at[i];
        if (rtl_is_done(token)) {
            vec_push(m->mem, inner, RTL_DONE);
            continue;
        }
        if (rtl_is_item(token))
            for (uint32_t n = fiber_length(m); n > 0; n--)
                vec_push(m->mem, inner, value(m));
        bool closes = rtl_is_item(token) && rtl_is_stop(outer->at[i + 1]);
        i += closes;
        token = outer->at[i];
        vec_push(m->mem, inner, rtl_is_stop(token) ? RTL_STOP(rtl_stop_level(token) + 1) : RTL_STOP(0));
    }
}

/* ---- cases ----------------------------------------------------------------------------------- */

static void make_joined(maker *m, const u32_vec *ends, u32_vec in[BENCH_INS]) {
    make_tree(m, ends, &in[2], &in[0]);
    make_tree(m, ends, &in[3], &in[1]);
}

/* Without empty fibers sometimes inner stops lose their level, as behind a dropper. */
static void make_nested(maker *m, const u32_vec *ends, u32_vec *outer, u32_vec *inner) {
    uint32_t first = outer->len, first_inner = inner->len;
    make_tree(m, ends, outer, NULL);
    make_inner(m, outer, first, inner);
    if (m->empty_pct > 0 || !chance(m, 50))
        return;
    for (uint32_t i = first_inner; i < inner->len; i++)
        if (rtl_is_stop(inner->at[i]) && chance(m, 30))
            inner->at[i] = RTL_STOP(0);
}

/* Stops before the tree's done without a fiber to end: no scanner sends them, a dropper passes them. */
static void add_stray_stops(maker *m, u32_vec *inner) {
    if (!chance(m, 20))
        return;
    inner->len--;
    do
        vec_push(m->mem, inner, RTL_STOP(prng_below(&m->random, 256)));
    while (chance(m, 40));
    vec_push(m->mem, inner, RTL_DONE);
}

/* Two trees of the same shape, sometimes slightly different: a unit pairs arriving tokens. */
static void make_operands(maker *m, const u32_vec *ends, u32_vec in[BENCH_INS]) {
    uint32_t first = in[0].len, odd_pct = chance(m, 20) ? 10 : 0;
    make_tree(m, ends, &in[0], NULL);
    for (uint32_t i = first; i < in[0].len; i++) {
        uint32_t token = rtl_is_item(in[0].at[i]) ? value(m) : in[0].at[i];
        if (odd_pct > 0 && chance(m, odd_pct))
            token = chance(m, 50) ? value(m) : RTL_STOP(prng_below(&m->random, 256));
        vec_push(m->mem, &in[1], token);
    }
}

static void make_instruction(maker *m, uint32_t variant, uint32_t space[3]) {
    static const uint32_t known[3][3] = {
        {0x00800001, 0x08000200, 0x90000}, /* add */
        {0x00800009, 0x08000200, 0x94000}, /* sub */
        {0x00800021, 0x08000200, 0x92000}, /* umult0 */
    };
    if (variant < 3) {
        memcpy(space, known[variant], sizeof known[variant]);
        return;
    }
    /* Any opcode, operands from inputs or constants; small constants half of the time, because c is
     * a shift amount. Register modes are 0 or 2, in bits 22:21, 40:39, 58:57 and 76:75 of the instruction. */
    for (int i = 0; i < 3; i++)
        space[i] = (uint32_t)prng_next(&m->random);
    uint32_t opcode = prng_below(&m->random, chance(m, 90) ? 20 : 32),
             kind = chance(m, 95) ? 0 : 1 + 2 * prng_below(&m->random, 2);
    bool shifts = variant == 3 && chance(m, 20); /* by the constant c */
    if (shifts) {
        opcode = chance(m, 50) ? 7 : 19;
        space[1] &= ~(1u << 27);
    }
    if (variant == 4) { /* bfloat16: sum, difference, product, or an operation with result 0 */
        static const uint32_t opcodes[] = {0, 1, 3};
        kind = 2;
        if (chance(m, 90))
            opcode = opcodes[prng_below(&m->random, 3)];
    }
    m->floats = kind == 2;
    space[0] = (space[0] & ~0xffu) | 1 | kind << 1 | opcode << 3;
    space[0] |= (uint32_t)chance(m, 50) << 8;
    space[0] &= ~(1u << 22);
    space[1] &= ~(1u << 8);
    space[1] &= ~(1u << 26);
    space[2] &= ~(1u << 12) & 0x1fffff;
    if (chance(m, 50)) { /* const2 = instruction bits 74:59 below 32 */
        space[1] &= 0x0fffffff | (prng_below(&m->random, 16) << 28);
        space[2] &= ~0xfffu | prng_below(&m->random, 2);
    }
    if (shifts && chance(m, 50)) /* shifts everything out, by a high bit */
        space[2] = (space[2] & ~0xfffu) | 1u << prng_below(&m->random, 12);
}

/* Bits 15 to 10 of a control token have no meaning; a unit that passes a token passes these bits, too. */
static void fill_idle_bits(maker *m, u32_vec *tokens) {
    for (uint32_t i = 0; i < tokens->len; i++)
        if (rtl_is_control(tokens->at[i]))
            tokens->at[i] |= prng_below(&m->random, 64) << 10;
}

void random_case(const random_mode *mode, uint64_t seed, arena *mem, spec_pe_config *config,
                 u32_vec in[BENCH_INS]) {
    static const uint32_t empty[] = {0, 10, 30, 70}, longest[] = {2, 4, 6, 12};
    maker m = {.random = prng_seed(seed), .mem = mem};
    m.empty_pct = empty[prng_below(&m.random, 4)];
    m.longest = longest[prng_below(&m.random, 4)];
    m.maybe_pct = chance(&m, 50) ? 0 : 20;
    m.absent_pct =
        (mode->mode == RTL_PE_JOINER || mode->mode == RTL_PE_REGION_JOIN) && chance(&m, 30) ? 20 : 0;
    m.lowest = chance(&m, 50) ? 0 : any_start(&m);
    m.raise = chance(&m, 30) ? any_raise(&m) : 0;
    *config = (spec_pe_config){mode->mode, {1, 0, 0}};
    if (mode->mode == RTL_PE_JOINER)
        config->space[0] |= mode->variant << 1;
    bool root = mode->mode == RTL_PE_REPEAT && chance(&m, 20);
    if (root)
        config->space[0] |= 1u << 18;
    bool one_reference = mode->mode == RTL_PE_REPEAT && mode->variant == 1;
    if (one_reference)
        config->space[0] |= 1u << 17;
    if (mode->mode == RTL_PE_REDUCE && chance(&m, 30)) {
        uint32_t default_value = prng_below(&m.random, 0x10000);
        config->space[0] |= default_value << 17;
        config->space[1] = default_value >> 15;
    }
    if (mode->mode == RTL_PE_REDUCE) {
        m.floats = mode->variant & 1 || (mode->variant == 2 && chance(&m, 30));
        config->space[1] |= (uint32_t)m.floats << 1 | (uint32_t)(mode->variant == 3) << 6;
        if (mode->variant == 2)
            config->space[1] |= (1 + prng_below(&m.random, m.floats ? 3 : 12)) << 2;
    }
    if (mode->mode == RTL_PE_REGION_JOIN)
        config->space[0] |= mode->variant << 1;
    if (mode->mode == RTL_PE_ALU)
        make_instruction(&m, mode->variant, config->space);
    for (uint32_t trees = chance(&m, 10) ? 1 : 2 + prng_below(&m.random, 3); trees > 0; trees--) {
        u32_vec ends = {0};
        if (root || !chance(&m, 5)) /* otherwise a tree with only done */
            make_ends(&m, root && !one_reference ? 1 : 1 + prng_below(&m.random, 4), &ends);
        switch (mode->mode) {
        case RTL_PE_JOINER:
        case RTL_PE_REGION_JOIN:
            make_joined(&m, &ends, in);
            break;
        case RTL_PE_CRDDROP:
            make_nested(&m, &ends, &in[1], &in[0]);
            add_stray_stops(&m, &in[0]);
            break;
        case RTL_PE_CRDHOLD:
            make_nested(&m, &ends, &in[1], &in[0]);
            break;
        case RTL_PE_REPEAT:
            if (one_reference && !root)
                make_one_reference(&m, &in[0]);
            if (root || one_reference)
                make_tree(&m, &ends, &in[1], NULL);
            else
                make_nested(&m, &ends, &in[0], &in[1]);
            break;
        case RTL_PE_ALU:
            make_operands(&m, &ends, in);
            break;
        case RTL_PE_REDUCE:
            if (chance(&m, 5)) { /* a fiber ended only by done */
                ends.len = 0;
                for (uint32_t n = fiber_length(&m); n > 0; n--)
                    vec_push(mem, &in[0], value(&m));
            }
            make_tree(&m, &ends, &in[0], NULL);
            break;
        case RTL_PE_RSG:
            make_tree(&m, &ends, &in[0], NULL);
            break;
        }
    }
    bool fill = chance(&m, 20);
    for (int i = 0; i < BENCH_INS && fill; i++)
        fill_idle_bits(&m, &in[i]);
}

/* ---- playing --------------------------------------------------------------------------------- */

bool random_plays(const random_mode *mode) {
#ifdef ONYX_MUTANTS /* a fault in a primitive shows in its modes only */
    static const char *const modules[] = {"onyx_intersect",        "onyx_crddrop",    "onyx_crdhold",
                                          "onyx_alu onyx_operate", "onyx_repeat",     "onyx_rsg",
                                          "onyx_reduce",           "onyx_region_join"};
    const char *only = getenv("ONYX_MODULE");
    return !only || strstr(modules[mode->mode], only);
#else
    (void)mode;
    return true;
#endif
}

static bench_pace random_pace(uint64_t seed) {
    static const uint32_t percent[] = {0, 0, 20, 50, 80};
    prng random = prng_seed(seed ^ 0x9ace);
    return (bench_pace){.seed = seed,
                        .in_gap_pct = percent[prng_below(&random, 5)],
                        .out_stall_pct = percent[prng_below(&random, 5)],
                        .freeze_pct = percent[prng_below(&random, 4)]};
}

static void print_stream(const char *name, int port, const u32_vec *tokens) {
    print_message("  %s%d:", name, port);
    for (uint32_t i = 0; i < tokens->len; i++)
        print_message(" %05x", tokens->at[i]);
    print_message("\n");
}

static _Noreturn void explain(const random_mode *mode, uint64_t seed, const u32_vec in[BENCH_INS],
                              const spec_streams *want, const bench_result *got, const char *difference) {
    for (int i = 0; i < BENCH_INS; i++)
        print_stream("in", i, &in[i]);
    for (int o = 0; o < BENCH_OUTS; o++) {
        print_stream("model out", o, &want->out[o]);
        print_stream("rtl   out", o, &got->out[o].token);
    }
    fail_msg("%s seed %llu: %s", mode->name, (unsigned long long)seed, difference);
    abort();
}

/* Plays a case; returns the number of output tokens. */
static uint32_t play(bench_design design, const random_mode *mode, uint64_t seed, arena *mem, quota *shown) {
    spec_pe_config config;
    spec_streams model = {.mem = mem};
    random_case(mode, seed, mem, &config, model.in);
    spec_pe(&config, &model);
    pe_design_configure(design, true, config.mode, config.space);
    bench_result got;
    bench_run(design, random_pace(seed), model.in, mem, &got);
    if (got.fault)
        explain(mode, seed, model.in, &model, &got, got.fault);
    uint32_t tokens = 0;
    for (int i = 0; i < BENCH_INS; i++)
        if (model.taken[i] != model.in[i].len)
            explain(mode, seed, model.in, &model, &got, "the model did not take every token");
    for (int o = 0; o < BENCH_OUTS; o++) {
        const char *difference = bench_difference(&got.out[o], &model.out[o], mem);
        if (difference)
            explain(mode, seed, model.in, &model, &got, arena_printf(mem, "out%d: %s", o, difference));
        tokens += model.out[o].len;
    }
    const bool never =
        mode->mode == RTL_PE_REGION_JOIN && mode->variant == 0; /* of no region nothing comes */
    quota_add(shown, true, never ? tokens == 0 : bench_gives_nothing(model.out));
    return tokens;
}

uint64_t random_play_mode(const random_mode *mode, uint64_t first, uint32_t count) {
    bench_design design = pe_design_new();
    uint64_t tokens = 0;
    quota shown = {0};
    bench_reset(design);
    for (uint64_t seed = first; seed < first + count; seed++) {
        arena mem = {0};
        tokens += play(design, mode, seed, &mem, &shown);
        arena_free(&mem);
    }
    assert_false(quota_failed(&shown));
    pe_design_free(design);
    return tokens;
}

/* The design is reset once and only flushed between cases of alternating modes: a case must not affect the
 * next. */
uint64_t random_play(uint64_t first, uint32_t count) {
    bench_design design = pe_design_new();
    bench_reset(design);
    uint64_t tokens[RANDOM_MODES] = {0}, all = 0;
    quota shown[RANDOM_MODES] = {{0}};
    bool hollow = false;
    for (uint64_t seed = first; seed < first + count; seed++) {
        for (int m = 0; m < RANDOM_MODES; m++) {
            arena mem = {0};
            if (random_plays(&random_modes[m]))
                tokens[m] += play(design, &random_modes[m], seed, &mem, &shown[m]);
            arena_free(&mem);
        }
    }
    pe_design_free(design);
    for (int m = 0; m < RANDOM_MODES; m++) {
        print_message("%s: ", random_modes[m].name);
        hollow = quota_failed(&shown[m]) || hollow;
        assert_true(tokens[m] > 10 * (uint64_t)count || !random_plays(&random_modes[m]));
        all += tokens[m];
    }
    assert_false(hollow);
    return all;
}
