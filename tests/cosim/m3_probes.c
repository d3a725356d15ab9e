/* m3_probes.c - program of test_m3_probes.c: runs the probe of m3_probes.def that the host chose, and records
 * the first fault. Built for Cortex-M3 without any library. */
#include "m3_probes.h"

#define REG(address) (*(volatile uint32_t *)(address))
static volatile m3_probe *const state = (volatile m3_probe *)PROBE_STATE;

#define PROBE(name, exception, status, result, code)                                                         \
    static __attribute__((naked)) uint32_t name(uint32_t words, uint32_t device, uint32_t system) {          \
        __asm volatile("push {r4, lr}\n" code "\n pop {r4, pc}\n .ltorg");                                   \
    }
#include "m3_probes.def"
#undef PROBE

static uint32_t (*const probes[])(uint32_t, uint32_t, uint32_t) = {
#define PROBE(name, exception, status, result, code) name,
#include "m3_probes.def"
#undef PROBE
};

static void end(void) {
    state->done = 1;
    for (;;)
        __asm volatile("wfi");
}

void fault(void) {
    uint32_t number;
    __asm volatile("mrs %0, ipsr" : "=r"(number));
    state->exception = number;
    state->status = REG(0xE000ED28u);
    state->address = state->status & 1u << 15  ? REG(0xE000ED38u)
                     : state->status & 1u << 7 ? REG(0xE000ED34u)
                                               : 0;
    end();
}

void start(void) {
    REG(0xE000ED24u) = 7u << 16; /* each kind of fault has its handler */
    for (uint32_t i = 0; i < 64; i++)
        ((volatile uint8_t *)PROBE_WORDS)[i] = (uint8_t)i;
    state->result = probes[state->which](PROBE_WORDS, PROBE_DEVICE, 0xE000ED00u);
    end();
}

__attribute__((section(".vectors"), used)) static void (*const vectors[16])(void) = {
    [0] = (void (*)(void))PROBE_STACK,
    [1] = start,
    [2] = fault,
    [3] = fault,
    [4] = fault,
    [5] = fault,
    [6] = fault};
