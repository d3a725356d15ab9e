/* Priorities, exception entry and return (ARM DDI 0403, chapter B1). */
#include "rtl_models/soc/m3_exceptions.h"
#include "rtl_models/soc/m3_rules.h"

#include <string.h>

enum { FRAME_BYTES = 32 };

#define XPSR_PADDED (1u << 9)
#define CFSR_STACK_FORBIDDEN (1u << 4)
#define CFSR_STACK_BUS (1u << 12)
#define CFSR_INVALID_RETURN (1u << 18)
#define HFSR_FORCED (1u << 30)

int m3_priority_of(const m3 *c, unsigned n) {
    if (n == EXC_NMI)
        return -2;
    if (n == EXC_HARD_FAULT)
        return -1;
    return c->priority[n] & PRIORITY_BITS;
}

int m3_running_priority(m3 *c, bool masked) {
    int p = PRIORITY_NONE;
    for (unsigned n = 1; n < EXC_COUNT; n++)
        if ((c->active >> n & 1) && m3_priority_of(c, n) < p)
            p = m3_priority_of(c, n);
    int base = (int)(m3_get(c, UC_ARM_REG_BASEPRI) & PRIORITY_BITS);
    if (base && base < p)
        p = base;
    if (masked && (m3_get(c, UC_ARM_REG_PRIMASK) & 1) && p > 0)
        p = 0;
    if (masked && (m3_get(c, UC_ARM_REG_FAULTMASK) & 1) && p > -1)
        p = -1;
    return p;
}

unsigned m3_strongest(const m3 *c) {
    uint32_t ready = c->pending & c->enabled;
    unsigned best = 0;
    for (unsigned n = 1; ready && n < EXC_COUNT; n++)
        if ((ready >> n & 1) && (!best || m3_priority_of(c, n) < m3_priority_of(c, best)))
            best = n;
    return best;
}

void m3_enter(m3 *c, unsigned n, uint32_t return_address) {
    static const int saved[] = {UC_ARM_REG_R0, UC_ARM_REG_R1,  UC_ARM_REG_R2,
                                UC_ARM_REG_R3, UC_ARM_REG_R12, UC_ARM_REG_LR};
    uint32_t xpsr = m3_get(c, UC_ARM_REG_XPSR), sp = m3_get(c, UC_ARM_REG_SP);
    bool thread = (xpsr & XPSR_NUMBER) == 0, psp = thread && (m3_get(c, UC_ARM_REG_CONTROL) & 2);
    uint32_t pad = sp & 4, frame = sp - pad - FRAME_BYTES, words[8];
    uint8_t *to = m3_ram(c, frame, FRAME_BYTES), *vector = m3_ram(c, c->system.vtor + 4 * n, 4);
    if (!to || !vector) {
        m3_stop(c, to ? "lockup: no vector table" : "lockup: no memory under the stack pointer",
                return_address);
        return;
    }
    if (m3_running_priority(c, true) >= 0 && n > EXC_HARD_FAULT &&
        m3_is_forbidden(&c->mpu, frame, FRAME_BYTES)) {
        m3_take_fault(c, EXC_MEMORY_FAULT, CFSR_STACK_FORBIDDEN, return_address);
        return;
    }
    for (unsigned i = 0; i < 6; i++)
        words[i] = m3_get(c, saved[i]);
    words[6] = return_address;
    words[7] = (xpsr & ~XPSR_PADDED) | (pad ? XPSR_PADDED : 0);
    memcpy(to, words, sizeof words);

    m3_set(c, UC_ARM_REG_SP, frame); /* the stack in use before the exception */
    m3_set(c, UC_ARM_REG_XPSR, XPSR_THUMB | (xpsr & 0xF8000000u) | n);
    uint32_t handler;
    memcpy(&handler, vector, sizeof handler);
    m3_set(c, UC_ARM_REG_LR, !thread ? 0xFFFFFFF1u : psp ? 0xFFFFFFFDu : 0xFFFFFFF9u);
    m3_set(c, UC_ARM_REG_PC, handler | 1);
    c->pending &= ~(1u << n);
    c->active |= 1u << n;
    c->asleep = false;
}

void m3_take_fault(m3 *c, unsigned n, uint32_t status, uint32_t pc) {
    const unsigned shcsr_bit = 16 + n - EXC_MEMORY_FAULT;
    int now = m3_running_priority(c, true);
    c->system.cfsr |= status;
    if (!(c->system.shcsr >> shcsr_bit & 1) || m3_priority_of(c, n) >= now) {
        n = EXC_HARD_FAULT;
        c->system.hfsr |= HFSR_FORCED;
    }
    if (m3_priority_of(c, n) >= now)
        m3_stop(c, "lockup: a fault in the fault handler", pc);
    else
        m3_enter(c, n, pc);
}

void m3_leave(m3 *c, uint32_t exc_return) {
    static const int saved[] = {UC_ARM_REG_R0,  UC_ARM_REG_R1, UC_ARM_REG_R2, UC_ARM_REG_R3,
                                UC_ARM_REG_R12, UC_ARM_REG_LR, UC_ARM_REG_PC};
    uint32_t number = m3_get(c, UC_ARM_REG_XPSR) & XPSR_NUMBER;
    bool psp = exc_return & 4, thread = exc_return & 8;
    uint32_t kind = exc_return & 0xF, frame = m3_get(c, psp ? UC_ARM_REG_PSP : UC_ARM_REG_MSP), words[8];
    uint8_t *from = m3_ram(c, frame, FRAME_BYTES);
    if (number < EXC_COUNT) { /* a debugger may write any */
        c->active &= ~(1u << number);
        c->pending |= c->lines & 1u << number;
    }
    if (number != EXC_NMI)
        m3_set(c, UC_ARM_REG_FAULTMASK, 0);
    if ((kind != 1 && kind != 9 && kind != 0xD) || thread != (c->active == 0)) {
        m3_take_fault(c, EXC_USAGE_FAULT, CFSR_INVALID_RETURN, exc_return);
        return;
    }
    if (!from) {
        m3_take_fault(c, EXC_BUS_FAULT, CFSR_STACK_BUS, exc_return);
        return;
    }
    memcpy(words, from, sizeof words);
    m3_set(c, psp ? UC_ARM_REG_PSP : UC_ARM_REG_MSP, frame + FRAME_BYTES + (words[7] & XPSR_PADDED ? 4 : 0));
    m3_set(c, UC_ARM_REG_XPSR, words[7] & ~XPSR_PADDED);
    if (thread)
        m3_set(c, UC_ARM_REG_CONTROL, (m3_get(c, UC_ARM_REG_CONTROL) & ~2u) | (psp ? 2 : 0));
    for (unsigned i = 0; i < 6; i++)
        m3_set(c, saved[i], words[i]);
    m3_set(c, UC_ARM_REG_PC, words[6] | 1);
    if (thread && (c->system.scr & 2)) /* SLEEPONEXIT */
        c->asleep = true;
}
