/* m3.c - see m3.h. After the ARMv7-M architecture (ARM DDI 0403), chapters B1 (exceptions) and B3 (system).
 *
 * Unicorn decodes and executes, without exception entry or return: SVC, BKPT and a branch to an EXC_RETURN
 * value appear as "interrupts" that end the step. A device callback cannot stop its instruction; a bus fault
 * is therefore taken after the instruction, with the instruction's own address on the stack.
 */
#include "rtl_models/soc/m3.h"
#include "rtl_models/soc/m3_barrier.h"
#include "rtl_models/soc/m3_exceptions.h"
#include "rtl_models/soc/m3_rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXC_RETURN_SPACE = 0xF };

/* Unicorn's exception numbers for ARM. */
enum {
    UC_UNDEFINED = 1,
    UC_SVC = 2,
    UC_PREFETCH = 3,
    UC_BKPT = 7,
    UC_EXCEPTION_RETURN = 8,
    UC_INVALID_STATE = 18
};

#define CFSR_FETCH_FORBIDDEN (1u << 0)
#define CFSR_FETCH_BUS (1u << 8)
#define CFSR_IMPRECISE_BUS (1u << 10)
#define CFSR_UNDEFINED (1u << 16)
#define CFSR_INVALID_STATE (1u << 17)
#define ACTLR_NO_WRITE_BUFFER (1u << 1)
enum { LATE_FAULT = 3 }; /* instructions from a buffered store to its bus fault */

/* ---- execution ------------------------------------------------------------------------------- */

static void on_interrupt(uc_engine *uc, uint32_t number, void *user) {
    ((m3 *)user)->now.trap = (int)number;
    uc_emu_stop(uc);
}

static uint64_t read_device(uc_engine *uc, uint64_t offset, unsigned size, void *user) {
    (void)uc;
    m3_region *r = user;
    m3 *c = r->core;
    uint32_t value = 0, address = r->base + (uint32_t)offset;
    if (!c->now.refused.exception && !c->bus.read(c->bus.context, address, size, &value))
        m3_refuse(c, EXC_BUS_FAULT, M3_CFSR_PRECISE, address);
    return value;
}

/* A store waits in the write buffer: the processor goes on, and hears of a refusal some instructions later.
 */
static void write_device(uc_engine *uc, uint64_t offset, unsigned size, uint64_t value, void *user) {
    (void)uc;
    m3_region *r = user;
    m3 *c = r->core;
    uint32_t address = r->base + (uint32_t)offset;
    if (c->now.refused.exception || c->bus.write(c->bus.context, address, size, (uint32_t)value))
        return;
    if (c->system.actlr & ACTLR_NO_WRITE_BUFFER)
        m3_refuse(c, EXC_BUS_FAULT, M3_CFSR_PRECISE, address);
    else if (!c->now.late_fault)
        c->now.late_fault = LATE_FAULT;
}

static bool on_unmapped(uc_engine *uc, uc_mem_type type, uint64_t address, int size, int64_t value,
                        void *user) {
    (void)uc;
    (void)type;
    (void)size;
    (void)value;
    ((m3 *)user)->now.fault_address = (uint32_t)address;
    return false;
}

/* Handles the effects of a step other than the next instruction. */
static void after_trap(m3 *c, uint32_t pc) {
    if (c->now.trap == UC_SVC) {
        if (m3_priority_of(c, EXC_SVC) < m3_running_priority(c, true))
            m3_enter(c, EXC_SVC, m3_get(c, UC_ARM_REG_PC) & ~1u);
        else
            m3_take_fault(c, EXC_USAGE_FAULT, 0, pc);
    } else if (c->now.trap == UC_BKPT && c->debugged.catch_breakpoints) {
        m3_set(c, UC_ARM_REG_PC, pc | 1);
        c->debugged.halted = c->debugged.at_breakpoint = true;
    } else if (c->now.trap == UC_BKPT) {
        m3_stop(c, "a breakpoint instruction", pc);
    } else if (c->now.trap == UC_UNDEFINED) {
        m3_take_fault(c, EXC_USAGE_FAULT, CFSR_UNDEFINED, pc);
    } else if (c->now.trap == UC_PREFETCH) { /* the fetch of a branch target failed */
        const uint32_t to = m3_get(c, UC_ARM_REG_PC) & ~1u;
        if (m3_never_executes(to))
            m3_take_fault(c, EXC_MEMORY_FAULT, CFSR_FETCH_FORBIDDEN, to);
        else
            m3_take_fault(c, EXC_BUS_FAULT, CFSR_FETCH_BUS, to);
    } else if (c->now.trap == UC_INVALID_STATE) {
        m3_take_fault(c, EXC_USAGE_FAULT, CFSR_INVALID_STATE, pc);
    } else {
        snprintf(c->stop, sizeof c->stop, "an exception without a model (%d) at 0x%08x", c->now.trap,
                 (unsigned)pc);
    }
}

static void after_error(m3 *c, uc_err error, uint32_t pc) {
    if (error == UC_ERR_FETCH_UNMAPPED || error == UC_ERR_FETCH_PROT) {
        m3_take_fault(c, EXC_BUS_FAULT, CFSR_FETCH_BUS, pc);
    } else if (error == UC_ERR_READ_UNMAPPED || error == UC_ERR_WRITE_UNMAPPED || error == UC_ERR_READ_PROT ||
               error == UC_ERR_WRITE_PROT) {
        c->system.bfar = c->now.fault_address;
        m3_take_fault(c, EXC_BUS_FAULT, M3_CFSR_PRECISE, pc);
    } else if (error == UC_ERR_INSN_INVALID || error == UC_ERR_EXCEPTION) {
        m3_take_fault(c, EXC_USAGE_FAULT, CFSR_UNDEFINED, pc);
    } else {
        snprintf(c->stop, sizeof c->stop, "%s at 0x%08x", uc_strerror(error), (unsigned)pc);
    }
}

/* WFI sleeps; WFE does not wait, as the architecture allows. True if the instruction was WFI or WFE. */
static bool wait_instruction(m3 *c, m3_opcode op, uint32_t pc) {
    enum { OP_WFE = 0xBF20, OP_WFI = 0xBF30 };
    if (op.first != OP_WFI && op.first != OP_WFE)
        return false;
    m3_set(c, UC_ARM_REG_PC, (pc + 2) | 1);
    c->asleep = op.first == OP_WFI;
    return true;
}

/* Faults before the instruction at pc is executed. */
static bool faults_before(m3 *c, m3_opcode op, uint32_t pc) {
    const uint32_t status = m3_usage_status(c, op);
    if (c->now.late_fault && --c->now.late_fault == 0)
        m3_take_fault(c, EXC_BUS_FAULT, CFSR_IMPRECISE_BUS, pc);
    else if (!(m3_get(c, UC_ARM_REG_XPSR) & XPSR_THUMB))
        m3_take_fault(c, EXC_USAGE_FAULT, CFSR_INVALID_STATE, pc);
    else if (m3_never_executes(pc) && pc >> 28 != EXC_RETURN_SPACE)
        m3_take_fault(c, EXC_MEMORY_FAULT, CFSR_FETCH_FORBIDDEN, pc);
    else if (status)
        m3_take_fault(c, EXC_USAGE_FAULT, status, pc);
    else
        return false;
    return true;
}

/* Instructions in memory may differ from the translated ones. */
static void forget_translations(m3 *c) {
    for (unsigned i = 0; c->stale && i < c->n_regions;
         i++) /* takes milliseconds for the whole address space */
        if (c->regions[i].host)
            uc_ctl_remove_cache(c->uc, c->regions[i].base,
                                c->regions[i].base + (uint64_t)c->regions[i].bytes);
    c->stale = false;
}

/* Takes the fault of an access, before which the instruction has stored nothing. */
static void take_refusal(m3 *c, uint32_t pc) {
    m3_undo_stores(c);
    if (c->now.refused.exception == EXC_BUS_FAULT)
        c->system.bfar = c->now.refused.address;
    if (c->now.refused.exception == EXC_MEMORY_FAULT)
        c->system.mmfar = c->now.refused.address;
    m3_take_fault(c, c->now.refused.exception, c->now.refused.status, pc);
}

/* Eight registers are stored or loaded meanwhile. */
static const m3_time exception_time = {.least = M3_EXCEPTION_CYCLES, .most = M3_EXCEPTION_CYCLES, .words = 8};

/* The time of an instruction at pc, which read the clock or not. */
static void take_time(m3 *c, m3_opcode op, uint32_t pc, uint32_t next) {
    const bool reads = c->now.time.reads_clock, sets = c->now.time.sets_clock;
    c->now.time = m3_time_of(op.first, op.second, next != pc + (op.first >> 11 >= 0x1D ? 4 : 2));
    c->now.time.reads_clock = reads;
    c->now.time.sets_clock = sets;
}

static void execute(m3 *c, unsigned *cycles) {
    uint32_t pc = m3_get(c, UC_ARM_REG_PC) & ~1u;
    const m3_opcode op = m3_fetch(c, pc);
    c->instructions++;
    if (faults_before(c, op, pc) || wait_instruction(c, op, pc))
        return;
    c->now.trap = -1;
    c->now.refused.exception = 0;
    c->now.n_kept = 0;
    forget_translations(c);
    uc_err error = uc_emu_start(c->uc, pc | 1, 0xFFFFFFFF, 0, 1);
    uint32_t next = m3_get(c, UC_ARM_REG_PC);
    const uint32_t xpsr = m3_get(c, UC_ARM_REG_XPSR);
    bool in_handler = (xpsr & XPSR_NUMBER) != 0;
    c->barrier = m3_is_barrier(op);
    take_time(c, op, pc, next & ~1u);
    if (c->barrier && c->now.late_fault)
        c->now.late_fault = 1;
    if (c->now.refused.exception) {
        take_refusal(c, pc);
    } else if (in_handler && (c->now.trap == UC_EXCEPTION_RETURN || next >> 28 == EXC_RETURN_SPACE)) {
        m3_leave(c, next | 1);
        *cycles = M3_EXCEPTION_CYCLES;
        c->now.time = exception_time;
    } else if (!(xpsr & XPSR_THUMB)) { /* a branch went to an even address */
        m3_take_fault(c, EXC_USAGE_FAULT, CFSR_INVALID_STATE, next & ~1u);
    } else if (c->now.trap >= 0) {
        after_trap(c, pc);
    } else if (error != UC_ERR_OK) {
        after_error(c, error, pc);
    }
}

m3_state m3_step(m3 *c, unsigned *cycles) {
    *cycles = 1;
    c->now.time = (m3_time){.least = 1, .most = 1};
    if (c->debugged.halted)
        return M3_HALTED;
    if (c->stop[0])
        return M3_STOPPED;
    unsigned next = c->pending & c->enabled ? m3_strongest(c) : 0;
    if (c->debugged.masked && next >= EXC_PENDSV)
        next = 0;
    if (next && m3_priority_of(c, next) < m3_running_priority(c, true)) {
        m3_enter(c, next, m3_get(c, UC_ARM_REG_PC) & ~1u);
        *cycles = M3_EXCEPTION_CYCLES;
        c->now.time = exception_time;
        return c->stop[0] ? M3_STOPPED : M3_RUNNING;
    }
    if (c->asleep) { /* PRIMASK does not keep an interrupt from ending the sleep */
        c->asleep = !next || m3_priority_of(c, next) >= m3_running_priority(c, false);
        if (c->asleep)
            return M3_SLEEPING;
    }
    execute(c, cycles);
    return c->stop[0] ? M3_STOPPED : M3_RUNNING;
}

/* ---- life ------------------------------------------------------------------------------------ */

static bool set_up(m3 *c) {
    uc_hook hook;
    c->dwt = (m3_region){c, PPB_DWT, PPB_BYTES, NULL};
    c->scs = (m3_region){c, PPB_SCS, PPB_BYTES, NULL};
    return uc_open(UC_ARCH_ARM, UC_MODE_THUMB | UC_MODE_MCLASS, &c->uc) == UC_ERR_OK &&
           uc_ctl_set_cpu_model(c->uc, UC_CPU_ARM_CORTEX_M3) == UC_ERR_OK &&
           uc_mmio_map(c->uc, PPB_DWT, PPB_BYTES, m3_read_dwt, &c->dwt, m3_write_dwt, &c->dwt) == UC_ERR_OK &&
           uc_mmio_map(c->uc, PPB_SCS, PPB_BYTES, m3_read_scs, &c->scs, m3_write_scs, &c->scs) == UC_ERR_OK &&
           m3_map_bits(c) &&
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
    c->regions[c->n_regions++] = (m3_region){c, address, bytes, host};
    return true;
}

bool m3_map_device(m3 *c, uint32_t address, uint32_t bytes) {
    if (c->n_regions == MAX_REGIONS)
        return false;
    m3_region *r = &c->regions[c->n_regions];
    *r = (m3_region){c, address, bytes, NULL};
    if (uc_mmio_map(c->uc, address, bytes, read_device, r, write_device, r) != UC_ERR_OK ||
        (m3_is_device(address) && !m3_hook_unaligned(c, address, bytes)))
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
    m3_set_ccr(c, 0);
    m3_set_mpu_word(c, 0xD94, 0);
    c->system = (m3_system){.ccr = 1u << 9 /* STKALIGN */};
    c->now.late_fault = 0;
    uint32_t vectors[2] = {0, 0};
    const uint8_t *table = m3_ram(c, 0, sizeof vectors);
    if (table)
        memcpy(vectors, table, sizeof vectors);
    m3_set(c, UC_ARM_REG_XPSR, XPSR_THUMB);
    m3_set(c, UC_ARM_REG_CONTROL, 0);
    m3_set(c, UC_ARM_REG_PRIMASK, 0);
    m3_set(c, UC_ARM_REG_FAULTMASK, 0);
    m3_set(c, UC_ARM_REG_BASEPRI, 0);
    m3_set(c, UC_ARM_REG_SP, vectors[0] & ~3u);
    m3_set(c, UC_ARM_REG_LR, 0xFFFFFFFF);
    m3_set(c, UC_ARM_REG_PC, vectors[1] | 1);
    m3_code_changed(c); /* the program may have changed */
    if (!table)
        m3_stop(c, "no memory for the vector table", 0);
    else if (!(vectors[1] & 1)) /* a usage fault, whose handler also fails: a memory without a program */
        m3_stop(c, "lockup: the reset vector has no Thumb bit", vectors[1]);
}

bool m3_take_barrier(m3 *c) {
    const bool was = c->barrier;
    c->barrier = false;
    return was;
}

uint64_t m3_instructions(const m3 *c) {
    return c->instructions;
}

const char *m3_stop_reason(const m3 *c) {
    return c->stop;
}
