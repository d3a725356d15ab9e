/* m3_int.h - the state of the core and its system control space; private to m3*.c. */
#ifndef ONYX_RTL_MODELS_SOC_M3_INT_H
#define ONYX_RTL_MODELS_SOC_M3_INT_H

#include "rtl_models/soc/m3_debug.h"
#include "rtl_models/soc/m3_time.h"

#include <unicorn/unicorn.h>

enum {
    EXC_NMI = 2,
    EXC_HARD_FAULT = 3,
    EXC_MEMORY_FAULT = 4,
    EXC_BUS_FAULT = 5,
    EXC_USAGE_FAULT = 6,
    EXC_SVC = 11,
    EXC_PENDSV = 14,
    EXC_SYSTICK = 15,
    EXC_IRQ0 = 16,
    EXC_COUNT = EXC_IRQ0 + M3_INTERRUPTS
};
enum { PRIORITY_BITS = 0xE0, PRIORITY_NONE = 0x100 };
enum { MAX_REGIONS = 8, M3_MPU_REGIONS = 8, M3_KEPT_WORDS = 32 };
#define M3_CFSR_PRECISE (1u << 9 | 1u << 15) /* with a valid BFAR */
#define XPSR_THUMB (1u << 24)
#define XPSR_NUMBER 0x1FFu
#define PPB_DWT 0xE0001000u
#define PPB_SCS 0xE000E000u
#define PPB_BYTES 0x1000u
typedef struct {
    m3 *core;
    uint32_t base, bytes;
    uint8_t *host; /* NULL: a device */
} m3_region;
typedef struct {
    m3 *core;
    unsigned kinds; /* 0: the hook is not set */
    uc_hook hook;
} m3_watched;
/* Registers of the system control space. */
typedef struct {
    uint32_t vtor, scr, ccr, shcsr, cfsr, hfsr, mmfar, bfar, demcr, actlr;
    uint32_t tick_ctrl, tick_reload, tick_value;
    uint32_t dwt_ctrl, cyccnt;
} m3_system;
/* What a debugger asked for. */
typedef struct {
    bool halted, catch_breakpoints, at_breakpoint, masked, accesses;
    m3_watched watches[M3_WATCHES];
    unsigned watched;
} m3_debugged;
/* A fault of this step's accesses; exception 0: none. */
typedef struct {
    unsigned exception;
    uint32_t status, address;
} m3_refusal;
typedef struct {
    uint32_t ctrl, number, rbar[M3_MPU_REGIONS], rasr[M3_MPU_REGIONS], hooked;
    uc_hook hook[M3_MPU_REGIONS];
} m3_mpu;
/* What the step under way has met. */
typedef struct {
    int trap; /* Unicorn's exception, or -1 */
    m3_refusal refused;
    unsigned late_fault;    /* instructions until the bus fault of an earlier store; 0: none */
    uint32_t fault_address; /* without memory */
    struct {
        uint32_t address, value;
    } kept[M3_KEPT_WORDS]; /* words before the step's stores */
    unsigned n_kept;
    m3_time time;
} m3_step_state;
struct m3 {
    uc_engine *uc;
    m3_bus bus;
    m3_region regions[MAX_REGIONS];
    unsigned n_regions;
    m3_region dwt, scs, bits[2];
    m3_mpu mpu;
    uc_hook unaligned; /* where CCR traps such accesses */

    uint32_t pending, active, enabled, lines; /* bit: exception number */
    uint8_t priority[EXC_COUNT];
    bool asleep, barrier;
    m3_debugged debugged;
    bool stale; /* instructions in memory differ from the translated code */
    m3_step_state now;
    uint64_t instructions;
    char stop[120];

    m3_system system;
};
/* Read and write a register by the number Unicorn gives it, which the third returns for r0..r15 and 16, xPSR.
 */
uint32_t m3_get(m3 *c, int reg);
void m3_set(m3 *c, int reg, uint32_t value);
int m3_register_id(unsigned n);
/* RAM at [address, address + bytes), or NULL. */
uint8_t *m3_ram(m3 *c, uint32_t address, uint32_t bytes);
/* Stops the core for good; the first reason counts. */
void m3_stop(m3 *c, const char *why, uint32_t at);
/* Devices of Unicorn: the system control space, and the DWT. */
uint64_t m3_read_scs(uc_engine *uc, uint64_t offset, unsigned size, void *user);
void m3_write_scs(uc_engine *uc, uint64_t offset, unsigned size, uint64_t value, void *user);
uint64_t m3_read_dwt(uc_engine *uc, uint64_t offset, unsigned size, void *user);
void m3_write_dwt(uc_engine *uc, uint64_t offset, unsigned size, uint64_t value, void *user);

#endif
