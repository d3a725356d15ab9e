/* System control space: NVIC, system control block, SysTick; DWT (ARM DDI 0403, chapter B3). */
#include "rtl_models/soc/m3_debug.h"
#include "rtl_models/soc/m3_exceptions.h"
#include "rtl_models/soc/m3_nmi.h"
#include "rtl_models/soc/m3_rules.h"

static uint32_t irq_bits(uint32_t exceptions) {
    return exceptions >> EXC_IRQ0;
}

static uint32_t exception_bits(uint32_t irqs) {
    return (irqs & ((1u << M3_INTERRUPTS) - 1)) << EXC_IRQ0;
}

static uint32_t read_icsr(m3 *c) {
    unsigned next = m3_strongest(c);
    return (m3_get(c, UC_ARM_REG_XPSR) & XPSR_NUMBER) | (uint32_t)next << 12 |
           (uint32_t)(irq_bits(c->pending) != 0) << 22 | (c->pending >> EXC_SYSTICK & 1) << 26 |
           (c->pending >> EXC_PENDSV & 1) << 28 | (c->pending >> EXC_NMI & 1) << 31;
}

/* First exception number of the priority bytes at a word offset: 0 for none. */
static unsigned priority_bytes(uint32_t offset) {
    if (offset >= 0x400 && offset < 0x400 + M3_INTERRUPTS)
        return EXC_IRQ0 + (offset - 0x400);
    if (offset >= 0xD18 && offset < 0xD24)
        return 4 + (offset - 0xD18);
    return 0;
}

/* A register that keeps these bits of what is written, without any effect at once; NULL: another register. */
static uint32_t *plain_register(m3 *c, uint32_t offset, uint32_t *bits) {
    m3_system *s = &c->system;
    const struct {
        uint32_t offset, bits, *word;
    } all[] = {{0x008, 7, &s->actlr},         {0x014, 0xFFFFFF, &s->tick_reload},
               {0xD08, 0x3FFFFF80, &s->vtor}, {0xD10, 0x16, &s->scr},
               {0xD24, 0x70000, &s->shcsr},   {0xD34, UINT32_MAX, &s->mmfar},
               {0xD38, UINT32_MAX, &s->bfar}, {0xDFC, UINT32_MAX, &s->demcr}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].offset == offset) {
            *bits = all[i].bits;
            return all[i].word;
        }
    return NULL;
}

static uint32_t scs_word(m3 *c, uint32_t offset) {
    uint32_t bits;
    const uint32_t *plain = plain_register(c, offset, &bits);
    if (plain)
        return *plain;
    unsigned first = priority_bytes(offset);
    if (first) {
        uint32_t value = 0;
        for (unsigned i = 0; i < 4 && first + i < EXC_COUNT; i++)
            value |= (uint32_t)c->priority[first + i] << 8 * i;
        return value;
    }
    if (offset >= 0xD90 && offset <= 0xDA0)
        return m3_mpu_word(c, offset);
    switch (offset) {
    case 0x010: {
        uint32_t value = c->system.tick_ctrl;
        c->system.tick_ctrl &= ~(1u << 16); /* reading clears COUNTFLAG */
        return value;
    }
    case 0x018:
        return c->system.tick_value;
    case 0x01C:
        return 1u << 31; /* the chip has no reference clock */
    case 0x100:
    case 0x180:
        return irq_bits(c->enabled);
    case 0x200:
    case 0x280:
        return irq_bits(c->pending);
    case 0x300:
        return irq_bits(c->active);
    case 0xD00:
        return 0x412FC230;
    case 0xD04:
        return read_icsr(c);
    case 0xD0C:
        return 0xFA050000;
    case 0xD14:
        return c->system.ccr;
    case 0xD28:
        return c->system.cfsr;
    case 0xD2C:
        return c->system.hfsr;
    case 0xDF0: /* C_DEBUGEN */
        return c->debugged.catch_breakpoints;
    default:
        return 0;
    }
}

static void write_icsr(m3 *c, uint32_t value) {
    c->pending |=
        (value >> 31 & 1) << EXC_NMI | (value >> 28 & 1) << EXC_PENDSV | (value >> 26 & 1) << EXC_SYSTICK;
    c->pending &= ~((value >> 27 & 1) << EXC_PENDSV | (value >> 25 & 1) << EXC_SYSTICK);
}

static void scs_set_word(m3 *c, uint32_t offset, uint32_t value) {
    uint32_t bits, *plain = plain_register(c, offset, &bits);
    if (plain) {
        *plain = value & bits;
        return;
    }
    if (offset >= 0xD90 && offset <= 0xDA0) {
        m3_set_mpu_word(c, offset, value);
        return;
    }
    switch (offset) {
    case 0x010:
        c->system.tick_ctrl = value & 7;
        break;
    case 0x018:
        c->system.tick_value = 0;
        c->system.tick_ctrl &= ~(1u << 16);
        break;
    case 0x100:
        c->enabled |= exception_bits(value);
        break;
    case 0x180:
        c->enabled &= ~exception_bits(value);
        break;
    case 0x200:
        c->pending |= exception_bits(value);
        break;
    case 0x280:
        c->pending = (c->pending & ~exception_bits(value)) | (c->lines & ~c->active);
        break;
    case 0xD04:
        write_icsr(c, value);
        break;
    case 0xD0C:
        if (value >> 16 == 0x05FA && (value & 5))
            m3_stop(c, "the program asked for a reset", m3_get(c, UC_ARM_REG_PC));
        break;
    case 0xD14:
        m3_set_ccr(c, value);
        break;
    case 0xD28:
        c->system.cfsr &= ~value;
        break;
    case 0xD2C:
        c->system.hfsr &= ~value;
        break;
    case 0xF00:
        c->pending |= exception_bits((value & 0x1FF) < 32 ? 1u << (value & 0x1FF) : 0);
        break;
    default:
        break;
    }
}

/* Registers of the system are not for unprivileged code; a debugger has every access. */
static bool is_refused(m3_region *r, uint64_t offset) {
    m3 *c = r->core;
    if (c->debugged.accesses || !m3_is_unprivileged(c))
        return false;
    m3_refuse(c, EXC_BUS_FAULT, M3_CFSR_PRECISE, r->base + (uint32_t)offset);
    return true;
}

uint64_t m3_read_scs(uc_engine *uc, uint64_t offset, unsigned size, void *user) {
    (void)uc;
    m3_region *r = user;
    if (is_refused(r, offset))
        return 0;
    uint32_t value = scs_word(r->core, (uint32_t)offset & ~3u) >> 8 * (offset & 3);
    return size == 4 ? value : value & ((1u << 8 * size) - 1);
}

void m3_write_scs(uc_engine *uc, uint64_t offset, unsigned size, uint64_t value, void *user) {
    (void)uc;
    m3_region *r = user;
    if (is_refused(r, offset))
        return;
    if (!priority_bytes((uint32_t)offset & ~3u)) {
        scs_set_word(r->core, (uint32_t)offset & ~3u, (uint32_t)(value << 8 * (offset & 3)));
        return;
    }
    for (unsigned i = 0; i < size; i++) {
        unsigned n = priority_bytes((uint32_t)offset + i);
        if (n)
            r->core->priority[n] = (uint8_t)(value >> 8 * i & PRIORITY_BITS);
    }
}

uint64_t m3_read_dwt(uc_engine *uc, uint64_t offset, unsigned size, void *user) {
    (void)uc;
    (void)size;
    m3_region *r = user;
    if (is_refused(r, offset))
        return 0;
    r->core->now.time.reads_clock = offset == 4;
    return offset == 0 ? 4u << 28 | r->core->system.dwt_ctrl : offset == 4 ? r->core->system.cyccnt : 0;
}

void m3_write_dwt(uc_engine *uc, uint64_t offset, unsigned size, uint64_t value, void *user) {
    (void)uc;
    (void)size;
    m3_region *r = user;
    if (is_refused(r, offset))
        return;
    if (offset == 0)
        r->core->system.dwt_ctrl = (uint32_t)value & 0x007FFFFF;
    if (offset == 4)
        r->core->system.cyccnt = (uint32_t)value;
    r->core->now.time.sets_clock = offset == 4;
}

static bool system_region(m3 *c, uint32_t address, m3_region **r) {
    *r = address - PPB_DWT < PPB_BYTES ? &c->dwt : &c->scs;
    return address - PPB_DWT < PPB_BYTES || address - PPB_SCS < PPB_BYTES;
}

bool m3_system_read(m3 *c, uint32_t address, uint32_t *value) {
    m3_region *r;
    if (!system_region(c, address, &r))
        return false;
    c->debugged.accesses = true;
    *value = (uint32_t)(r == &c->dwt ? m3_read_dwt : m3_read_scs)(c->uc, address % PPB_BYTES, 4, r);
    c->debugged.accesses = false;
    return true;
}

bool m3_system_write(m3 *c, uint32_t address, uint32_t value) {
    m3_region *r;
    if (!system_region(c, address, &r))
        return false;
    c->debugged.accesses = true;
    (r == &c->dwt ? m3_write_dwt : m3_write_scs)(c->uc, address % PPB_BYTES, 4, value, r);
    c->debugged.accesses = false;
    return true;
}

void m3_tick(m3 *c, uint64_t cycles) {
    if (c->debugged.halted ||
        (c->asleep && !c->debugged.catch_breakpoints)) /* no debugger keeps the clock on */
        return;
    if ((c->system.demcr >> 24 & 1) && (c->system.dwt_ctrl & 1))
        c->system.cyccnt += (uint32_t)cycles;
    while ((c->system.tick_ctrl & 1) && cycles) {
        if (c->system.tick_value == 0) { /* the reload takes a cycle */
            if (c->system.tick_reload == 0)
                return;
            c->system.tick_value = c->system.tick_reload;
            cycles--;
            continue;
        }
        uint32_t step = cycles < c->system.tick_value ? (uint32_t)cycles : c->system.tick_value;
        c->system.tick_value -= step;
        cycles -= step;
        if (c->system.tick_value == 0) {
            c->system.tick_ctrl |= 1u << 16;
            if (c->system.tick_ctrl & 2)
                c->pending |= 1u << EXC_SYSTICK;
        }
    }
}

static void set_line(m3 *c, unsigned exception, bool level) {
    const uint32_t bit = 1u << exception;
    if (level && !(c->lines & bit))
        c->pending |= bit;
    c->lines = level ? c->lines | bit : c->lines & ~bit;
}

void m3_irq(m3 *c, unsigned n, bool level) {
    set_line(c, EXC_IRQ0 + n, level);
}

void m3_nmi(m3 *c, bool level) {
    set_line(c, EXC_NMI, level);
}

void m3_request_reset(m3 *c, const char *why) {
    m3_stop(c, why, m3_get(c, UC_ARM_REG_PC));
}
