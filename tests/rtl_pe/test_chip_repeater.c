/* Empty fibers at the repeater of the public netlist: data/repeat_empty.txt has streams, the cycles of their
 * tokens, and the outputs. A monitor must report a wrong output, and none a right output. */
#include "rtl_models/cycle/primitives.h"
#include "tests/spec/spec.h"
#include "tests/test.h"
#include "twin.h"

enum { FIELDS = 6, MOST_CYCLES = 400, REFERENCE = 0, SIGNAL = 1, STALLS = 2, OUT = 3 };

typedef struct {
    bool right;
    u32_vec token[2], cycle[2], stalls, out;
} recording;

static uint32_t token_of(const char *text) {
    return *text == 'S'   ? RTL_STOP(strtoul(text + 1, NULL, 10))
           : *text == 'D' ? RTL_DONE
                          : (uint32_t)strtoul(text, NULL, 16);
}

static void read_field(char *text, bool tokens, arena *mem, u32_vec *out) {
    char *rest;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        vec_push(mem, out, tokens ? token_of(word) : (uint32_t)strtoul(word, NULL, 10));
}

static void read_line(char *line, arena *mem, recording *r) {
    char *field[FIELDS + 1] = {line};
    for (int i = 1; i <= FIELDS; i++) {
        char *bar = strchr(field[i - 1], '|');
        assert_non_null(bar);
        *bar = '\0';
        field[i] = bar + 1;
    }
    *r = (recording){.right = strncmp(line, "right", 5) == 0};
    read_field(field[1], true, mem, &r->token[REFERENCE]);
    read_field(field[2], true, mem, &r->token[SIGNAL]);
    read_field(field[3], false, mem, &r->cycle[REFERENCE]);
    read_field(field[4], false, mem, &r->cycle[SIGNAL]);
    read_field(field[5], false, mem, &r->stalls);
    read_field(field[6], true, mem, &r->out);
}

static bool is_in(const u32_vec *list, uint32_t value) {
    for (uint32_t i = 0; i < list->len; i++) {
        if (list->at[i] == value)
            return true;
    }
    return false;
}

static void clock_once(bench_design design, bench_pins *pins) {
    design.settle(design.device, pins);
    design.clock(design.device);
}

/* Plays the streams; a token is offered from its recorded cycle on, tokens never taken by the chip at once.
 */
static void play(bench_design design, const recording *r, arena *mem, u32_vec *out) {
    bench_pins pins = {.enable = true, .flush = true};
    uint32_t at[2] = {0};
    clock_once(design, &pins);
    pins.flush = false;
    for (uint32_t now = 0; now < MOST_CYCLES; now++) {
        for (int p = 0; p < 2; p++) {
            const bool due = at[p] >= r->cycle[p].len || r->cycle[p].at[at[p]] <= now;
            pins.in_valid[p] = at[p] < r->token[p].len && due;
            pins.in_data[p] = pins.in_valid[p] ? r->token[p].at[at[p]] : 0;
        }
        pins.out_ready[0] = !is_in(&r->stalls, now);
        design.settle(design.device, &pins);
        if (pins.out_valid[0] && pins.out_ready[0])
            vec_push(mem, out, pins.out_data[0]);
        for (int p = 0; p < 2; p++)
            at[p] += pins.in_valid[p] && pins.in_ready[p];
        design.clock(design.device);
    }
}

static bool tells(const cycle_hazards *met) {
    for (uint32_t i = 0; i < met->len; i++) {
        if (met->at[i].kind == CYCLE_HAZARD_REPEAT_EMPTY || met->at[i].kind == CYCLE_HAZARD_REPEAT_LEADING)
            return true;
    }
    return false;
}

static void monitors_tell_where_the_chip_is_wrong(void **state) {
    fixture *f = *state;
    uint32_t count[2] = {0};
    size_t length;
    char *rest, *text = arena_strdup(&f->mem, file_read(ONYX_SOURCE_DIR "/tests/rtl_pe/data/repeat_empty.txt",
                                                        &f->mem, &length, &f->diag));
    bench_design design = pe_design_new();
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        recording r;
        u32_vec out = {0};
        if (*line == '#')
            continue;
        read_line(line, &f->mem, &r);
        pe_design_configure(design, true, RTL_PE_REPEAT, (const uint32_t[3]){1});
        play(design, &r, &f->mem, &out);
        if (tells(twin_hazards(design)) == r.right)
            fail_msg("line %u: the chip is %s, and the monitors say otherwise", count[0] + count[1] + 1,
                     r.right ? "right" : "wrong");
        if (r.right && (out.len != r.out.len || memcmp(out.at, r.out.at, out.len * sizeof *out.at) != 0))
            fail_msg("line %u: other tokens", count[0] + count[1] + 1);
        count[r.right]++;
    }
    pe_design_free(design);
    assert_int_equal(count[0], 50);
    assert_int_equal(count[1], 50);
}

RUN_TESTS(TEST(monitors_tell_where_the_chip_is_wrong))
