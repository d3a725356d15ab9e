/* What a debugger sees of the core, and what it asks for. */
#include "rtl_models/soc/m3_debug.h"
#include "rtl_models/soc/m3_int.h"

uint32_t m3_debug_register(m3 *c, unsigned n) {
    if (n < 15 || n == 16)
        return m3_register(c, n);
    if (n == 15)
        return m3_get(c, UC_ARM_REG_PC) & ~1u;
    if (n == 17 || n == 18)
        return m3_get(c, n == 17 ? UC_ARM_REG_MSP : UC_ARM_REG_PSP);
    if (n != 20)
        return 0;
    return m3_get(c, UC_ARM_REG_CONTROL) << 24 | (m3_get(c, UC_ARM_REG_FAULTMASK) & 1) << 16 |
           (m3_get(c, UC_ARM_REG_BASEPRI) & 0xFF) << 8 | (m3_get(c, UC_ARM_REG_PRIMASK) & 1);
}

void m3_set_debug_register(m3 *c, unsigned n, uint32_t value) {
    if (n < 15) {
        m3_set(c, m3_register_id(n), value);
    } else if (n == 15) {
        m3_set(c, UC_ARM_REG_PC, value | 1);
    } else if (n == 16) {
        m3_set(c, UC_ARM_REG_XPSR, value);
    } else if (n == 17 || n == 18) {
        m3_set(c, n == 17 ? UC_ARM_REG_MSP : UC_ARM_REG_PSP, value & ~3u);
    } else if (n == 20) {
        m3_set(c, UC_ARM_REG_CONTROL, value >> 24 & 3);
        m3_set(c, UC_ARM_REG_FAULTMASK, value >> 16 & 1);
        m3_set(c, UC_ARM_REG_BASEPRI, value >> 8 & PRIORITY_BITS);
        m3_set(c, UC_ARM_REG_PRIMASK, value & 1);
    }
}

void m3_halt(m3 *c, bool halted) {
    c->debugged.halted = halted;
    c->stale = true;
    if (halted) {
        c->asleep = false;
        c->stop[0] = '\0';
    }
}

bool m3_asleep(const m3 *c) {
    return c->asleep;
}

void m3_catch_breakpoints(m3 *c, bool caught) {
    c->debugged.catch_breakpoints = caught;
}

bool m3_take_breakpoint(m3 *c) {
    bool was = c->debugged.at_breakpoint;
    c->debugged.at_breakpoint = false;
    return was;
}

void m3_mask_interrupts(m3 *c, bool masked) {
    c->debugged.masked = masked;
}

void m3_code_changed(m3 *c) {
    c->stale = true;
}

static void on_watched(uc_engine *uc, uc_mem_type type, uint64_t address, int size, int64_t value,
                       void *user) {
    (void)uc;
    (void)type;
    (void)address;
    (void)size;
    (void)value;
    const m3_watched *w = user;
    w->core->debugged.watched |= 1u << (w - w->core->debugged.watches);
}

void m3_watch(m3 *c, unsigned n, uint32_t address, uint32_t bytes, unsigned kinds) {
    m3_watched *w = &c->debugged.watches[n];
    if (w->kinds)
        uc_hook_del(c->uc, w->hook);
    *w = (m3_watched){.core = c, .kinds = kinds};
    if (kinds)
        uc_hook_add(c->uc, &w->hook, (kinds & 1 ? UC_HOOK_MEM_READ : 0) | (kinds & 2 ? UC_HOOK_MEM_WRITE : 0),
                    (void *)(uintptr_t)on_watched, w, address, address + bytes - 1);
    m3_code_changed(c); /* instructions translated before have no hooks */
}

unsigned m3_take_watched(m3 *c) {
    unsigned all = c->debugged.watched;
    c->debugged.watched = 0;
    return all;
}
