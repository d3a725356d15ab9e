/* test_m3_probes.c - the processor model faults where a Cortex-M3 does, and nowhere else: a program for each
 * row of m3_probes.def. */
#include "m3_probes.h"
#include "rtl_models/soc/m3.h"
#include "tests/test.h"

enum { MEMORY_BYTES = 0x20000, MOST_STEPS = 2000 };

typedef struct {
    uint8_t code[MEMORY_BYTES], sram[MEMORY_BYTES];
} memories;

static bool read_device(void *context, uint32_t address, unsigned size, uint32_t *value) {
    (void)context, (void)size;
    *value = 0;
    return address != PROBE_REFUSED;
}
static bool write_device(void *context, uint32_t address, unsigned size, uint32_t value) {
    (void)context, (void)size, (void)value;
    return address != PROBE_REFUSED;
}

static const struct {
    const char *name;
    uint32_t exception, status, result;
} probes[] = {
#define PROBE(name, exception, status, result, code) {#name, exception, status, result},
#include "m3_probes.def"
#undef PROBE
};

static m3_probe run(fixture *f, const char *program, size_t length, uint32_t which) {
    memories *m = arena_new(&f->mem, memories);
    m3_probe *state = (m3_probe *)(void *)m->sram;
    m3 *core = m3_create((m3_bus){m, read_device, write_device});
    assert_non_null(core);
    memcpy(m->code, program, length);
    assert_true(m3_map_ram(core, 0, m->code, MEMORY_BYTES) &&
                m3_map_ram(core, PROBE_STATE, m->sram, MEMORY_BYTES) &&
                m3_map_device(core, PROBE_DEVICE, 0x1000));
    state->which = which;
    m3_reset(core);
    for (uint32_t i = 0; i < MOST_STEPS && !state->done; i++) {
        unsigned cycles;
        if (m3_step(core, &cycles) == M3_STOPPED)
            fail_msg("%s: stopped: %s", probes[which].name, m3_stop_reason(core));
    }
    m3_destroy(core);
    return *state;
}

static void the_model_faults_as_the_processor(void **state) {
    fixture *f = *state;
    size_t length;
    const char *program = file_read(ONYX_M3_PROBES, &f->mem, &length, &f->diag);
    assert_non_null(program);
    assert_in_range(length, 100, MEMORY_BYTES);
    assert_true(sizeof probes / sizeof *probes >= 17);
    for (uint32_t i = 0; i < sizeof probes / sizeof *probes; i++) {
        const m3_probe end = run(f, program, length, i);
        const uint32_t value = end.exception ? end.address : end.result;
        if (!end.done || end.exception != probes[i].exception || end.status != probes[i].status ||
            value != probes[i].result)
            fail_msg("%s: done %u, exception %u, status 0x%x, value 0x%x", probes[i].name, end.done,
                     end.exception, end.status, value);
    }
}

RUN_TESTS(TEST(the_model_faults_as_the_processor))
