/* A read-out of values into a stalling sink, as recorded from the memory tile of the public netlist:
 * data/values_stalled.txt has lengths of blocks, the cycles of the sink's ready, and the cycles of the words.
 * Right words of the chip have the same cycles in our models, without a raised monitor; for wrong words
 * values-stalled is raised, and our words are right. */
#include "mem_design.h"
#include "rtl_models/cycle/primitives.h"
#include "tests/rtl_pe/bench.h"
#include "tests/rtl_pe/twin.h"
#include "tests/test.h"

enum { MOST_CYCLES = 6000, QUIET_CYCLES = 400, VALUES = 3, BLOCK = 0 };

typedef struct {
    bool right;
    const char *ready; /* a digit a cycle, again and again */
    u32_vec length, cycle;
} recording;

static void read_numbers(char *text, arena *mem, u32_vec *out) {
    char *rest;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        vec_push(mem, out, (uint32_t)strtoul(word, NULL, 10));
}

static recording read_line(char *line, arena *mem) {
    char *rest, *outcome = strtok_r(line, "|", &rest), *length = strtok_r(NULL, "|", &rest);
    recording r = {.right = strcmp(outcome, "right") == 0, .ready = strtok_r(NULL, "|", &rest)};
    assert_non_null(r.ready);
    read_numbers(length, mem, &r.length);
    read_numbers(rest, mem, &r.cycle);
    return r;
}

/* The input tokens, values 1, 2, .., and the expected words. */
static void make_streams(const recording *r, arena *mem, u32_vec *in, u32_vec *out) {
    uint32_t value = 0;
    for (uint32_t b = 0; b < r->length.len; b++) {
        vec_push(mem, out, r->length.at[b]);
        for (uint32_t i = 0; i < r->length.at[b]; i++) {
            vec_push(mem, in, ++value);
            vec_push(mem, out, value);
        }
        vec_push(mem, in, RTL_STOP(0));
        vec_push(mem, in, RTL_DONE);
    }
}

static void clock_once(bench_design design, bench_pins *pins) {
    design.settle(design.device, pins);
    design.clock(design.device);
}

/* Plays the values against the recorded stalls. */
static void play(bench_design design, const recording *r, const u32_vec *in, arena *mem, bench_trace *got) {
    bench_pins pins = {.enable = true, .flush = true};
    const size_t period = strlen(r->ready);
    uint32_t at = 0;
    clock_once(design, &pins);
    pins.flush = false;
    for (uint32_t now = 0, quiet = 0; now < MOST_CYCLES && quiet < QUIET_CYCLES; now++, quiet++) {
        pins.in_valid[VALUES] = at < in->len;
        pins.in_data[VALUES] = at < in->len ? in->at[at] : 0;
        pins.out_ready[BLOCK] = r->ready[now % period] == '1';
        design.settle(design.device, &pins);
        if (pins.out_valid[BLOCK] && pins.out_ready[BLOCK]) {
            vec_push(mem, &got->token, pins.out_data[BLOCK]);
            vec_push(mem, &got->cycle, now);
            quiet = 0;
        }
        if (pins.in_valid[VALUES] && pins.in_ready[VALUES]) {
            at++;
            quiet = 0;
        }
        design.clock(design.device);
    }
}

static bool tells(const cycle_hazards *met) {
    for (uint32_t i = 0; i < met->len; i++) {
        if (met->at[i].kind == CYCLE_HAZARD_VALUES_STALLED)
            return true;
    }
    return false;
}

static bool equal(const u32_vec *a, const u32_vec *b) {
    return a->len == b->len && (a->len == 0 || memcmp(a->at, b->at, a->len * sizeof *a->at) == 0);
}

static void check(bench_design design, const recording *r, uint32_t number, arena *mem) {
    /* A writer of the lowest level, compressed; a reader of values to the global buffer. */
    static const uint32_t space[4] = {0x00c00001 | 1u << 18 | 1u << 20, 1u << 27, 0x80000000 | 1u << 30,
                                      0x88};
    u32_vec in = {0}, out = {0};
    bench_trace got = {0};
    make_streams(r, mem, &in, &out);
    mem_design_configure(design, true, RTL_MEM_FIBER_ACCESS, space);
    play(design, r, &in, mem, &got);
    if (tells(twin_hazards(design)) == r->right)
        fail_msg("recording %u: the chip is %s, and the monitor says otherwise", number,
                 r->right ? "right" : "wrong");
    if (!equal(&got.token, &out))
        fail_msg("recording %u: other words", number);
    if (r->right && !equal(&got.cycle, &r->cycle))
        fail_msg("recording %u: other cycles", number);
}

static void monitor_tells_where_the_chip_is_wrong(void **state) {
    fixture *f = *state;
    uint32_t count[2] = {0};
    size_t length;
    const char *path = getenv("ONYX_VALUES_STALLED");
    char *rest, *text = arena_strdup(
                    &f->mem, file_read(path ? path : ONYX_SOURCE_DIR "/tests/rtl_mem/data/values_stalled.txt",
                                       &f->mem, &length, &f->diag));
    bench_design design = mem_design_new();
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (*line == '#')
            continue;
        const recording r = read_line(line, &f->mem);
        check(design, &r, count[0] + count[1] + 1, &f->mem);
        count[r.right]++;
    }
    mem_design_free(design);
    print_message("%u right, %u wrong\n", count[1], count[0]);
    assert_true(count[0] >= 50 && count[1] >= 50);
}

RUN_TESTS(TEST(monitor_tells_where_the_chip_is_wrong))
