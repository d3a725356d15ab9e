/* The specification of the fiber access against streams written by hand. */
#include "tests/spec/spec.h"
#include "tests/test.h"

enum { IN_REF, IN_ADDR, IN_BLOCK, IN_DATA, MOST = 24 };

/* A stream as text: numbers, S<level>, D, N, R<0 or 1> for a routing token. */
static u32_vec parse(arena *mem, const char *text) {
    u32_vec v = {0};
    for (const char *p = text; *p;) {
        char *end = (char *)p + 1;
        if (*p == ' ') {
            p++;
            continue;
        }
        if (*p == 'S')
            vec_push(mem, &v, RTL_STOP(strtoul(p + 1, &end, 10)));
        else if (*p == 'D')
            vec_push(mem, &v, RTL_DONE);
        else if (*p == 'R')
            vec_push(mem, &v, RTL_ROUTE | (uint32_t)strtoul(p + 1, &end, 10));
        else if (*p == 'N')
            vec_push(mem, &v, RTL_MAYBE);
        else
            vec_push(mem, &v, (uint32_t)strtoul(p, &end, 10));
        p = end;
    }
    return v;
}

typedef struct {
    const char *name;
    uint32_t space[4];
    const char *in[4], *out[3];
} example;

#define CAPACITIES 0x88u
#define BUFFET 0x80000000u
#define PARTS 0x00c00001u
#define LOWEST (1u << 18)
#define COMPRESSED (1u << 20)
#define BLOCK (1u << 21)
#define ROOT (1u << 9)
#define LOOKUP (1u << 27)
#define DENSE(n) (1u << 29 | (n) << 13)
#define READ_OUT (1u << 30)
#define SUMS_WRITE (1u << 17 | 1u << 19)
#define SUMS_READ (1u << 8)

static const example examples[] = {
    {"scan: a stop is consumed and raised, rows of stops, a maybe, an empty fiber",
     {PARTS | COMPRESSED | BLOCK, 0, BUFFET, CAPACITIES},
     {"0 1 S0 S1 N 2 S1 D", "", "4 0 2 2 3 3 5 6 7", ""},
     {"", "5 6 S0 S1 S2 S0 7 S2 D", "0 1 S0 S1 S2 S0 2 S2 D"}},
    {"root scan of two trees",
     {PARTS | COMPRESSED | BLOCK, ROOT, BUFFET, CAPACITIES},
     {"", "", "2 0 2 2 8 9 2 0 0 0", ""},
     {"", "8 9 S0 D S0 D", "0 1 S0 D S0 D"}},
    {"lookup: maybe is zero",
     {PARTS | LOWEST | COMPRESSED | BLOCK, LOOKUP, BUFFET, CAPACITIES},
     {"2 N S0 0 S1 D", "", "3 10 0 30", ""},
     {"", "30 0 S0 10 S1 D", ""}},
    {"level from a stream: equal neighbours once, one segment for a row of stops",
     {PARTS | COMPRESSED, 0, BUFFET | READ_OUT, CAPACITIES},
     {"", "", "", "4 4 9 S0 S1 9 N 3 S2 D D"},
     {"4 0 2 3 4 4 4 9 9 3 2 0 0 0", "", ""}},
    {"values from a stream: control tokens vanish",
     {PARTS | LOWEST | COMPRESSED, LOOKUP, BUFFET | READ_OUT, CAPACITIES},
     {"", "", "", "4 S0 N 0 S1 D S0 D"},
     {"2 4 0 0", "", ""}},
    {"values by address",
     {PARTS | LOWEST, LOOKUP, BUFFET, CAPACITIES},
     {"0 1 2 S0 D", "2 0 S0 1 D", "", "7 8 S0 9 D"},
     {"", "8 9 7 S0 D", ""}},
    {"dense",
     {PARTS, 0, BUFFET | DENSE(2u), CAPACITIES},
     {"S0 3 N S1 D 1 S0 D", "", "", ""},
     {"", "S1 0 1 S0 N S2 D 0 1 S1 D", "S1 6 7 S0 N S2 D 2 3 S1 D"}},
    {"coordinates of sums: of two vectors, of none, of one", /* docs/notebook/accumulate.md */
     {PARTS | COMPRESSED | SUMS_WRITE, SUMS_READ, BUFFET, CAPACITIES},
     {"0 0 S0 S0 0 S1 D", "", "", "1 4 S0 1 4 5 S1 S1 7 S2 D"},
     {"1 4 5 S0 S0 7 S1 D", "S0 1 4 S1 S1 S2 D",
      "R0 S0 R0 0 1 S1 R1 0 1 2 S0 R0 S1 R1 S0 R0 S2 D R1 0 S1 D"}},
    {"values of the same sums",
     {PARTS | LOWEST | COMPRESSED | SUMS_WRITE, LOOKUP | SUMS_READ, BUFFET, CAPACITIES},
     {"R0 S0 R0 0 1 S1 R1 0 1 2 S0 R0 S1 R1 S0 R0 S2 D R1 0 S1 D", "", "", "10 40 S0 11 40 50 S1 S1 70 S2 D"},
     {"11 40 50 S0 S0 70 S1 D", "S0 10 40 S1 S1 S2 D", ""}},
    {"a tree without sums, then another tree",
     {PARTS | COMPRESSED | SUMS_WRITE, SUMS_READ, BUFFET, CAPACITIES},
     {"S1 D 0 S1 D", "", "", "S2 D 3 S2 D"},
     {"S1 D 3 S1 D", "S2 D S2 D", "R0 S2 D R1 S1 D R0 S2 D R1 0 S1 D"}},
    {"a block too large never ends",
     {PARTS | LOWEST | COMPRESSED, LOOKUP, BUFFET | READ_OUT, 0x10},
     {"", "", "", "1 2 3 4 5 6 7 8 9 S0 D"},
     {"", "", ""}},
};

static void test_examples(void **state) {
    fixture *f = *state;
    for (uint32_t e = 0; e < sizeof examples / sizeof *examples; e++) {
        spec_mem_config config;
        memcpy(config.space, examples[e].space, sizeof config.space);
        spec_streams s = {.mem = &f->mem};
        for (int i = 0; i < SPEC_INS; i++)
            s.in[i] = parse(&f->mem, examples[e].in[i]);
        spec_fiber_access(&config, &s);
        for (int o = 0; o < SPEC_OUTS; o++) {
            u32_vec want = parse(&f->mem, examples[e].out[o]);
            if (want.len != s.out[o].len ||
                (want.len > 0 && memcmp(want.at, s.out[o].at, want.len * sizeof *want.at) != 0))
                fail_msg("%s: out%d", examples[e].name, o);
        }
    }
}

RUN_TESTS(TEST(test_examples))
