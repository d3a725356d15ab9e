/* m3.c - see m3.h. After the ARMv7-M architecture (ARM DDI 0403), chapters B1 (exceptions) and B3 (system).
 *
 * Unicorn decodes and executes, without exception entry or return: SVC, BKPT and a branch to an EXC_RETURN
 * value appear as "interrupts" that end the step. A device callback cannot stop its instruction; a bus fault
 * is therefore taken after the instruction, with the instruction's own address on the stack.
 */
#include "rtl_models/soc/m3.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unicorn/unicorn.h>

enum {
    EXC_NMI = 2,
    EXC_HARD_FAULT = 3,
    EXC_BUS_FAULT = 5,
    EXC_USAGE_FAULT = 6,
    EXC_SVC = 11,
    EXC_PENDSV = 14,
    EXC_SYSTICK = 15,
    EXC_IRQ0 = 16,
    EXC_COUNT = EXC_IRQ0 + M3_INTERRUPTS
};
enum { PRIORITY_BITS = 0xE0, PRIORITY_NONE = 0x100 };
enum { MAX_REGIONS = 8, FRAME_BYTES = 32, EXC_RETURN_SPACE = 0xF };

/* Unicorn's exception numbers for ARM. */
enum { UC_UNDEFINED = 1, UC_SVC = 2, UC_BKPT = 7, UC_EXCEPTION_RETURN = 8 };

#define XPSR_THUMB (1u << 24)
#define XPSR_PADDED (1u << 9)
#define XPSR_NUMBER 0x1FFu
#define CFSR_PRECISE_BUS (1u << 9 | 1u << 15) /* with a valid BFAR */
#define CFSR_FETCH_BUS (1u << 8)
#define CFSR_STACK_BUS (1u << 12)
#define CFSR_UNDEFINED (1u << 16)
#define CFSR_INVALID_RETURN (1u << 18)
#define HFSR_FORCED (1u << 30)

#define PPB_DWT 0xE0001000u
#define PPB_SCS 0xE000E000u
#define PPB_BYTES 0x1000u

typedef struct {
    m3 *core;
    uint32_t base, bytes;
    uint8_t *host; /* NULL: a device */
} region;

typedef struct {
    m3 *core;
    unsigned kinds; /* 0: the hook is not set */
    uc_hook hook;
} watch;

/* Registers of the system control space. */
typedef struct {
    uint32_t vtor, scr, ccr, shcsr, cfsr, hfsr, bfar, demcr;
    uint32_t tick_ctrl, tick_reload, tick_value;
    uint32_t dwt_ctrl, cyccnt;
} m3_system;

/* What a debugger asked for. */
typedef struct {
    bool held, catch_breakpoints, at_breakpoint, masked;
    watch watches[M3_WATCHES];
    unsigned watched;
} m3_debugged;

struct m3 {
    uc_engine *uc;
    m3_bus bus;
    region regions[MAX_REGIONS];
    unsigned n_regions;
    region dwt, scs;

    uint32_t pending, active, enabled, lines; /* bit: exception number */
    uint8_t priority[EXC_COUNT];
    bool asleep;
    m3_debugged debugged;
    bool stale;     /* instructions in memory differ from the translated code */
    int trap;       /* Unicorn's exception of this step, or -1 */
    bool bus_fault; /* a device refused an access of this step */
    uint32_t fault_address;
    uint64_t instructions;
    char stop[120];

    m3_system system;
};

/* ---- registers and memory -------------------------------------------------------------------- */

static uint32_t get(m3 *c, int reg) {
    uint32_t value = 0;
    uc_reg_read(c->uc, reg, &value);
    return value;
}
static void set(m3 *c, int reg, uint32_t value) {
    uc_reg_write(c->uc, reg, &value);
}

static int register_id(unsigned n) {
    static const int ids[] = {UC_ARM_REG_R0,  UC_ARM_REG_R1,  UC_ARM_REG_R2,  UC_ARM_REG_R3, UC_ARM_REG_R4,
                              UC_ARM_REG_R5,  UC_ARM_REG_R6,  UC_ARM_REG_R7,  UC_ARM_REG_R8, UC_ARM_REG_R9,
                              UC_ARM_REG_R10, UC_ARM_REG_R11, UC_ARM_REG_R12, UC_ARM_REG_SP, UC_ARM_REG_LR,
                              UC_ARM_REG_PC,  UC_ARM_REG_XPSR};
    return ids[n < 17 ? n : 16];
}

uint32_t m3_register(m3 *c, unsigned n) {
    return get(c, register_id(n));
}

uint32_t m3_debug_register(m3 *c, unsigned n) {
    if (n < 15 || n == 16)
        return m3_register(c, n);
    if (n == 15)
        return get(c, UC_ARM_REG_PC) & ~1u;
    if (n == 17 || n == 18)
        return get(c, n == 17 ? UC_ARM_REG_MSP : UC_ARM_REG_PSP);
    if (n != 20)
        return 0;
    return get(c, UC_ARM_REG_CONTROL) << 24 | (get(c, UC_ARM_REG_FAULTMASK) & 1) << 16 |
           (get(c, UC_ARM_REG_BASEPRI) & 0xFF) << 8 | (get(c, UC_ARM_REG_PRIMASK) & 1);
}

void m3_set_debug_register(m3 *c, unsigned n, uint32_t value) {
    if (n < 15) {
        set(c, register_id(n), value);
    } else if (n == 15) {
        set(c, UC_ARM_REG_PC, value | 1);
    } else if (n == 16) {
        set(c, UC_ARM_REG_XPSR, value);
    } else if (n == 17 || n == 18) {
        set(c, n == 17 ? UC_ARM_REG_MSP : UC_ARM_REG_PSP, value & ~3u);
    } else if (n == 20) {
        set(c, UC_ARM_REG_CONTROL, value >> 24 & 3);
        set(c, UC_ARM_REG_FAULTMASK, value >> 16 & 1);
        set(c, UC_ARM_REG_BASEPRI, value >> 8 & PRIORITY_BITS);
        set(c, UC_ARM_REG_PRIMASK, value & 1);
    }
}

/* RAM at [address, address + bytes), or NULL. */
static uint8_t *ram(m3 *c, uint32_t address, uint32_t bytes) {
    for (unsigned i = 0; i < c->n_regions; i++) {
        const region *r = &c->regions[i];
        if (r->host && address - r->base < r->bytes && bytes <= r->bytes - (address - r->base))
            return r->host + (address - r->base);
    }
    return NULL;
}

static void stop(m3 *c, const char *why, uint32_t at) {
    if (!c->stop[0])
        snprintf(c->stop, sizeof c->stop, "%s at 0x%08x", why, (unsigned)at);
}

/* ---- priorities ------------------------------------------------------------------------------ */

static int priority_of(const m3 *c, unsigned n) {
    if (n == EXC_NMI)
        return -2;
    if (n == EXC_HARD_FAULT)
        return -1;
    return c->priority[n] & PRIORITY_BITS;
}

/* Returns the current priority; a smaller number is stronger. With `masked`, PRIMASK and FAULTMASK count. */
static int running_priority(m3 *c, bool masked) {
    int p = PRIORITY_NONE;
    for (unsigned n = 1; n < EXC_COUNT; n++)
        if ((c->active >> n & 1) && priority_of(c, n) < p)
            p = priority_of(c, n);
    int base = (int)(get(c, UC_ARM_REG_BASEPRI) & PRIORITY_BITS);
    if (base && base < p)
        p = base;
    if (masked && (get(c, UC_ARM_REG_PRIMASK) & 1) && p > 0)
        p = 0;
    if (masked && (get(c, UC_ARM_REG_FAULTMASK) & 1) && p > -1)
        p = -1;
    return p;
}

/* The strongest pending exception; 0 for none. Ties go to the lower number. */
static unsigned strongest(const m3 *c) {
    uint32_t ready = c->pending & c->enabled;
    unsigned best = 0;
    for (unsigned n = 1; ready && n < EXC_COUNT; n++)
        if ((ready >> n & 1) && (!best || priority_of(c, n) < priority_of(c, best)))
            best = n;
    return best;
}

/* ---- exception entry and return -------------------------------------------------------------- */

static void enter(m3 *c, unsigned n, uint32_t return_address) {
    static const int saved[] = {UC_ARM_REG_R0, UC_ARM_REG_R1,  UC_ARM_REG_R2,
                                UC_ARM_REG_R3, UC_ARM_REG_R12, UC_ARM_REG_LR};
    uint32_t xpsr = get(c, UC_ARM_REG_XPSR), sp = get(c, UC_ARM_REG_SP);
    bool thread = (xpsr & XPSR_NUMBER) == 0, psp = thread && (get(c, UC_ARM_REG_CONTROL) & 2);
    uint32_t pad = sp & 4, frame = sp - pad - FRAME_BYTES, words[8];
    uint8_t *to = ram(c, frame, FRAME_BYTES), *vector = ram(c, c->system.vtor + 4 * n, 4);
    if (!to || !vector) {
        stop(c, to ? "lockup: no vector table" : "lockup: no memory under the stack pointer", return_address);
        return;
    }
    for (unsigned i = 0; i < 6; i++)
        words[i] = get(c, saved[i]);
    words[6] = return_address;
    words[7] = (xpsr & ~XPSR_PADDED) | (pad ? XPSR_PADDED : 0);
    memcpy(to, words, sizeof words);

    set(c, UC_ARM_REG_SP, frame); /* the stack in use before the exception */
    set(c, UC_ARM_REG_XPSR, XPSR_THUMB | (xpsr & 0xF8000000u) | n);
    uint32_t handler;
    memcpy(&handler, vector, sizeof handler);
    set(c, UC_ARM_REG_LR, !thread ? 0xFFFFFFF1u : psp ? 0xFFFFFFFDu : 0xFFFFFFF9u);
    set(c, UC_ARM_REG_PC, handler | 1);
    c->pending &= ~(1u << n);
    c->active |= 1u << n;
    c->asleep = false;
}

static void take_fault(m3 *c, unsigned n, uint32_t status, uint32_t pc) {
    unsigned shcsr_bit = n == EXC_BUS_FAULT ? 17 : 18;
    int now = running_priority(c, true);
    c->system.cfsr |= status;
    if (!(c->system.shcsr >> shcsr_bit & 1) || priority_of(c, n) >= now) {
        n = EXC_HARD_FAULT;
        c->system.hfsr |= HFSR_FORCED;
    }
    if (priority_of(c, n) >= now)
        stop(c, "lockup: a fault in the fault handler", pc);
    else
        enter(c, n, pc);
}

static void leave(m3 *c, uint32_t exc_return) {
    static const int saved[] = {UC_ARM_REG_R0,  UC_ARM_REG_R1, UC_ARM_REG_R2, UC_ARM_REG_R3,
                                UC_ARM_REG_R12, UC_ARM_REG_LR, UC_ARM_REG_PC};
    uint32_t number = get(c, UC_ARM_REG_XPSR) & XPSR_NUMBER;
    bool psp = exc_return & 4, thread = exc_return & 8;
    uint32_t kind = exc_return & 0xF, frame = get(c, psp ? UC_ARM_REG_PSP : UC_ARM_REG_MSP), words[8];
    uint8_t *from = ram(c, frame, FRAME_BYTES);
    if (number < EXC_COUNT) { /* a debugger may write any */
        c->active &= ~(1u << number);
        c->pending |= c->lines & 1u << number;
    }
    if (number != EXC_NMI)
        set(c, UC_ARM_REG_FAULTMASK, 0);
    if ((kind != 1 && kind != 9 && kind != 0xD) || thread != (c->active == 0)) {
        take_fault(c, EXC_USAGE_FAULT, CFSR_INVALID_RETURN, exc_return);
        return;
    }
    if (!from) {
        take_fault(c, EXC_BUS_FAULT, CFSR_STACK_BUS, exc_return);
        return;
    }
    memcpy(words, from, sizeof words);
    set(c, psp ? UC_ARM_REG_PSP : UC_ARM_REG_MSP, frame + FRAME_BYTES + (words[7] & XPSR_PADDED ? 4 : 0));
    set(c, UC_ARM_REG_XPSR, words[7] & ~XPSR_PADDED);
    if (thread)
        set(c, UC_ARM_REG_CONTROL, (get(c, UC_ARM_REG_CONTROL) & ~2u) | (psp ? 2 : 0));
    for (unsigned i = 0; i < 6; i++)
        set(c, saved[i], words[i]);
    set(c, UC_ARM_REG_PC, words[6] | 1);
    if (thread && (c->system.scr & 2)) /* SLEEPONEXIT */
        c->asleep = true;
}

/* ---- system control space: NVIC, system control block, SysTick; DWT -------------------------- */

static uint32_t irq_bits(uint32_t exceptions) {
    return exceptions >> EXC_IRQ0;
}
static uint32_t exception_bits(uint32_t irqs) {
    return (irqs & ((1u << M3_INTERRUPTS) - 1)) << EXC_IRQ0;
}

static uint32_t read_icsr(m3 *c) {
    unsigned next = strongest(c);
    return (get(c, UC_ARM_REG_XPSR) & XPSR_NUMBER) | (uint32_t)next << 12 |
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

static uint32_t scs_word(m3 *c, uint32_t offset) {
    unsigned first = priority_bytes(offset);
    if (first) {
        uint32_t value = 0;
        for (unsigned i = 0; i < 4 && first + i < EXC_COUNT; i++)
            value |= (uint32_t)c->priority[first + i] << 8 * i;
        return value;
    }
    switch (offset) {
    case 0x010: {
        uint32_t value = c->system.tick_ctrl;
        c->system.tick_ctrl &= ~(1u << 16); /* reading clears COUNTFLAG */
        return value;
    }
    case 0x014:
        return c->system.tick_reload;
    case 0x018:
        return c->system.tick_value;
    case 0x01C:
        return 1u << 31; /* no reference clock */
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
    case 0xD08:
        return c->system.vtor;
    case 0xD0C:
        return 0xFA050000;
    case 0xD10:
        return c->system.scr;
    case 0xD14:
        return c->system.ccr;
    case 0xD24:
        return c->system.shcsr;
    case 0xD28:
        return c->system.cfsr;
    case 0xD2C:
        return c->system.hfsr;
    case 0xD38:
        return c->system.bfar;
    case 0xDF0: /* C_DEBUGEN */
        return c->debugged.catch_breakpoints;
    case 0xDFC:
        return c->system.demcr;
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
    switch (offset) {
    case 0x010:
        c->system.tick_ctrl = value & 7;
        break;
    case 0x014:
        c->system.tick_reload = value & 0xFFFFFF;
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
    case 0xD08:
        c->system.vtor = value & 0x3FFFFF80;
        break;
    case 0xD0C:
        if (value >> 16 == 0x05FA && (value & 5))
            stop(c, "the program asked for a reset", get(c, UC_ARM_REG_PC));
        break;
    case 0xD10:
        c->system.scr = value & 0x16;
        break;
    case 0xD14:
        c->system.ccr = value & 0x31B;
        break;
    case 0xD24:
        c->system.shcsr = value & 0x70000;
        break;
    case 0xD28:
        c->system.cfsr &= ~value;
        break;
    case 0xD2C:
        c->system.hfsr &= ~value;
        break;
    case 0xD38:
        c->system.bfar = value;
        break;
    case 0xDFC:
        c->system.demcr = value;
        break;
    case 0xF00:
        c->pending |= exception_bits((value & 0x1FF) < 32 ? 1u << (value & 0x1FF) : 0);
        break;
    default:
        break;
    }
}

static uint64_t read_scs(uc_engine *uc, uint64_t offset, unsigned size, void *user) {
    (void)uc;
    region *r = user;
    uint32_t value = scs_word(r->core, (uint32_t)offset & ~3u) >> 8 * (offset & 3);
    return size == 4 ? value : value & ((1u << 8 * size) - 1);
}

static void write_scs(uc_engine *uc, uint64_t offset, unsigned size, uint64_t value, void *user) {
    (void)uc;
    region *r = user;
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

static uint64_t read_dwt(uc_engine *uc, uint64_t offset, unsigned size, void *user) {
    (void)uc;
    (void)size;
    const region *r = user;
    return offset == 0 ? 4u << 28 | r->core->system.dwt_ctrl : offset == 4 ? r->core->system.cyccnt : 0;
}

static void write_dwt(uc_engine *uc, uint64_t offset, unsigned size, uint64_t value, void *user) {
    (void)uc;
    (void)size;
    region *r = user;
    if (offset == 0)
        r->core->system.dwt_ctrl = (uint32_t)value & 0x007FFFFF;
    if (offset == 4)
        r->core->system.cyccnt = (uint32_t)value;
}

static bool system_region(m3 *c, uint32_t address, region **r) {
    *r = address - PPB_DWT < PPB_BYTES ? &c->dwt : &c->scs;
    return address - PPB_DWT < PPB_BYTES || address - PPB_SCS < PPB_BYTES;
}

bool m3_system_read(m3 *c, uint32_t address, uint32_t *value) {
    region *r;
    if (!system_region(c, address, &r))
        return false;
    *value = (uint32_t)(r == &c->dwt ? read_dwt : read_scs)(c->uc, address % PPB_BYTES, 4, r);
    return true;
}

bool m3_system_write(m3 *c, uint32_t address, uint32_t value) {
    region *r;
    if (!system_region(c, address, &r))
        return false;
    (r == &c->dwt ? write_dwt : write_scs)(c->uc, address % PPB_BYTES, 4, value, r);
    return true;
}

void m3_tick(m3 *c, uint64_t cycles) {
    if (c->debugged.held ||
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

void m3_irq(m3 *c, unsigned n, bool level) {
    uint32_t bit = 1u << (EXC_IRQ0 + n);
    if (level && !(c->lines & bit))
        c->pending |= bit;
    c->lines = level ? c->lines | bit : c->lines & ~bit;
}

/* ---- execution ------------------------------------------------------------------------------- */

static void on_interrupt(uc_engine *uc, uint32_t number, void *user) {
    ((m3 *)user)->trap = (int)number;
    uc_emu_stop(uc);
}

static uint64_t read_device(uc_engine *uc, uint64_t offset, unsigned size, void *user) {
    (void)uc;
    region *r = user;
    uint32_t value = 0, address = r->base + (uint32_t)offset;
    if (!r->core->bus.read(r->core->bus.context, address, size, &value)) {
        r->core->bus_fault = true;
        r->core->fault_address = address;
    }
    return value;
}

static void write_device(uc_engine *uc, uint64_t offset, unsigned size, uint64_t value, void *user) {
    (void)uc;
    region *r = user;
    uint32_t address = r->base + (uint32_t)offset;
    if (!r->core->bus.write(r->core->bus.context, address, size, (uint32_t)value)) {
        r->core->bus_fault = true;
        r->core->fault_address = address;
    }
}

static bool on_unmapped(uc_engine *uc, uc_mem_type type, uint64_t address, int size, int64_t value,
                        void *user) {
    (void)uc;
    (void)type;
    (void)size;
    (void)value;
    ((m3 *)user)->fault_address = (uint32_t)address;
    return false;
}

/* Handles the effects of a step other than the next instruction. */
static void after_trap(m3 *c, uint32_t pc) {
    if (c->trap == UC_SVC) {
        if (priority_of(c, EXC_SVC) < running_priority(c, true))
            enter(c, EXC_SVC, get(c, UC_ARM_REG_PC) & ~1u);
        else
            take_fault(c, EXC_USAGE_FAULT, 0, pc);
    } else if (c->trap == UC_BKPT && c->debugged.catch_breakpoints) {
        set(c, UC_ARM_REG_PC, pc | 1);
        c->debugged.held = c->debugged.at_breakpoint = true;
    } else if (c->trap == UC_BKPT) {
        stop(c, "a breakpoint instruction", pc);
    } else if (c->trap == UC_UNDEFINED) {
        take_fault(c, EXC_USAGE_FAULT, CFSR_UNDEFINED, pc);
    } else {
        snprintf(c->stop, sizeof c->stop, "an exception without a model (%d) at 0x%08x", c->trap,
                 (unsigned)pc);
    }
}

static void after_error(m3 *c, uc_err error, uint32_t pc) {
    if (error == UC_ERR_FETCH_UNMAPPED || error == UC_ERR_FETCH_PROT) {
        take_fault(c, EXC_BUS_FAULT, CFSR_FETCH_BUS, pc);
    } else if (error == UC_ERR_READ_UNMAPPED || error == UC_ERR_WRITE_UNMAPPED || error == UC_ERR_READ_PROT ||
               error == UC_ERR_WRITE_PROT) {
        c->system.bfar = c->fault_address;
        take_fault(c, EXC_BUS_FAULT, CFSR_PRECISE_BUS, pc);
    } else if (error == UC_ERR_INSN_INVALID || error == UC_ERR_EXCEPTION) {
        take_fault(c, EXC_USAGE_FAULT, CFSR_UNDEFINED, pc);
    } else {
        snprintf(c->stop, sizeof c->stop, "%s at 0x%08x", uc_strerror(error), (unsigned)pc);
    }
}

/* WFI sleeps; WFE does not wait, as the architecture allows. True if the instruction was WFI or WFE. */
static bool wait_instruction(m3 *c, uint32_t pc) {
    enum { OP_WFE = 0xBF20, OP_WFI = 0xBF30 };
    const uint8_t *at = ram(c, pc, 2);
    uint32_t op = at ? (uint32_t)at[0] | (uint32_t)at[1] << 8 : 0;
    if (op != OP_WFI && op != OP_WFE)
        return false;
    set(c, UC_ARM_REG_PC, (pc + 2) | 1);
    c->asleep = op == OP_WFI;
    return true;
}

static void execute(m3 *c, unsigned *cycles) {
    uint32_t pc = get(c, UC_ARM_REG_PC) & ~1u;
    c->instructions++;
    if (wait_instruction(c, pc))
        return;
    c->trap = -1;
    c->bus_fault = false;
    for (unsigned i = 0; c->stale && i < c->n_regions;
         i++) /* takes milliseconds for the whole address space */
        if (c->regions[i].host)
            uc_ctl_remove_cache(c->uc, c->regions[i].base,
                                c->regions[i].base + (uint64_t)c->regions[i].bytes);
    c->stale = false;
    uc_err error = uc_emu_start(c->uc, pc | 1, 0xFFFFFFFF, 0, 1);
    uint32_t next = get(c, UC_ARM_REG_PC);
    bool in_handler = (get(c, UC_ARM_REG_XPSR) & XPSR_NUMBER) != 0;
    if (c->bus_fault) {
        c->system.bfar = c->fault_address;
        take_fault(c, EXC_BUS_FAULT, CFSR_PRECISE_BUS, pc);
    } else if (in_handler && (c->trap == UC_EXCEPTION_RETURN || next >> 28 == EXC_RETURN_SPACE)) {
        leave(c, next | 1);
        *cycles = M3_EXCEPTION_CYCLES;
    } else if (c->trap >= 0) {
        after_trap(c, pc);
    } else if (error != UC_ERR_OK) {
        after_error(c, error, pc);
    }
}

m3_state m3_step(m3 *c, unsigned *cycles) {
    *cycles = 1;
    if (c->debugged.held)
        return M3_HELD;
    if (c->stop[0])
        return M3_STOPPED;
    unsigned next = c->pending & c->enabled ? strongest(c) : 0;
    if (c->debugged.masked && next >= EXC_PENDSV)
        next = 0;
    if (next && priority_of(c, next) < running_priority(c, true)) {
        enter(c, next, get(c, UC_ARM_REG_PC) & ~1u);
        *cycles = M3_EXCEPTION_CYCLES;
        return c->stop[0] ? M3_STOPPED : M3_RUNNING;
    }
    if (c->asleep) { /* PRIMASK does not keep an interrupt from ending the sleep */
        c->asleep = !next || priority_of(c, next) >= running_priority(c, false);
        if (c->asleep)
            return M3_SLEEPING;
    }
    execute(c, cycles);
    return c->stop[0] ? M3_STOPPED : M3_RUNNING;
}

/* ---- for a debugger -------------------------------------------------------------------------- */

void m3_hold(m3 *c, bool held) {
    c->debugged.held = held;
    c->stale = true;
    if (held) {
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
    const watch *w = user;
    w->core->debugged.watched |= 1u << (w - w->core->debugged.watches);
}

void m3_watch(m3 *c, unsigned n, uint32_t address, uint32_t bytes, unsigned kinds) {
    watch *w = &c->debugged.watches[n];
    if (w->kinds)
        uc_hook_del(c->uc, w->hook);
    *w = (watch){.core = c, .kinds = kinds};
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

/* ---- life ------------------------------------------------------------------------------------ */

static bool set_up(m3 *c) {
    uc_hook hook;
    c->dwt.core = c->scs.core = c;
    return uc_open(UC_ARCH_ARM, UC_MODE_THUMB | UC_MODE_MCLASS, &c->uc) == UC_ERR_OK &&
           uc_ctl_set_cpu_model(c->uc, UC_CPU_ARM_CORTEX_M3) == UC_ERR_OK &&
           uc_mmio_map(c->uc, PPB_DWT, PPB_BYTES, read_dwt, &c->dwt, write_dwt, &c->dwt) == UC_ERR_OK &&
           uc_mmio_map(c->uc, PPB_SCS, PPB_BYTES, read_scs, &c->scs, write_scs, &c->scs) == UC_ERR_OK &&
           uc_hook_add(c->uc, &hook, UC_HOOK_INTR, (void *)(uintptr_t)on_interrupt, c, 1, 0) == UC_ERR_OK &&
           uc_hook_add(c->uc, &hook, UC_HOOK_MEM_INVALID, (void *)(uintptr_t)on_unmapped, c, 1, 0) ==
               UC_ERR_OK;
}

m3 *m3_create(m3_bus bus) {
    m3 *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->bus = bus;
    if (!set_up(c)) {
        m3_destroy(c);
        return NULL;
    }
    return c;
}

void m3_destroy(m3 *c) {
    if (c && c->uc)
        uc_close(c->uc);
    free(c);
}

bool m3_map_ram(m3 *c, uint32_t address, void *host, uint32_t bytes) {
    if (c->n_regions == MAX_REGIONS || uc_mem_map_ptr(c->uc, address, bytes, UC_PROT_ALL, host) != UC_ERR_OK)
        return false;
    c->regions[c->n_regions++] = (region){c, address, bytes, host};
    return true;
}

bool m3_map_device(m3 *c, uint32_t address, uint32_t bytes) {
    if (c->n_regions == MAX_REGIONS)
        return false;
    region *r = &c->regions[c->n_regions];
    *r = (region){c, address, bytes, NULL};
    if (uc_mmio_map(c->uc, address, bytes, read_device, r, write_device, r) != UC_ERR_OK)
        return false;
    c->n_regions++;
    return true;
}

void m3_reset(m3 *c) {
    c->pending = c->active = 0;
    c->enabled = (1u << EXC_IRQ0) - 1;
    memset(c->priority, 0, sizeof c->priority);
    c->asleep = false;
    c->stop[0] = '\0';
    c->system.vtor = c->system.scr = c->system.shcsr = c->system.cfsr = c->system.hfsr = c->system.bfar =
        c->system.demcr = 0;
    c->system.ccr = 1u << 9; /* STKALIGN */
    c->system.tick_ctrl = c->system.tick_reload = c->system.tick_value = 0;
    c->system.dwt_ctrl = c->system.cyccnt = 0;
    uint32_t vectors[2] = {0, 0};
    const uint8_t *table = ram(c, 0, sizeof vectors);
    if (table)
        memcpy(vectors, table, sizeof vectors);
    set(c, UC_ARM_REG_XPSR, XPSR_THUMB);
    set(c, UC_ARM_REG_CONTROL, 0);
    set(c, UC_ARM_REG_PRIMASK, 0);
    set(c, UC_ARM_REG_FAULTMASK, 0);
    set(c, UC_ARM_REG_BASEPRI, 0);
    set(c, UC_ARM_REG_SP, vectors[0] & ~3u);
    set(c, UC_ARM_REG_LR, 0xFFFFFFFF);
    set(c, UC_ARM_REG_PC, vectors[1] | 1);
    m3_code_changed(c); /* the program may have changed */
    if (!table)
        stop(c, "no memory for the vector table", 0);
    else if (!(vectors[1] & 1)) /* a usage fault, whose handler also fails: a memory without a program */
        stop(c, "lockup: the reset vector has no Thumb bit", vectors[1]);
}

uint64_t m3_instructions(const m3 *c) {
    return c->instructions;
}
const char *m3_stop_reason(const m3 *c) {
    return c->stop;
}
