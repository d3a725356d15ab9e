/* m3.h - a Cortex-M3 (r2p0, 13 interrupts, 3 priority bits) behind a narrow interface.
 *
 * Unicorn executes instructions one at a time; this module adds exceptions, NVIC, system control block,
 * SysTick, DWT cycle counter, sleep, faults. Only this module uses Unicorn: another core can replace Unicorn.
 *
 * Time: an instruction takes a cycle, exception entry and return M3_EXCEPTION_CYCLES; the caller adds the
 * time of devices, and reports all passing time with m3_tick.
 */
#ifndef ONYX_COSIM_M3_H
#define ONYX_COSIM_M3_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { M3_EXCEPTION_CYCLES = 12, M3_INTERRUPTS = 13 };

typedef struct m3 m3;

/* Devices: address is absolute, size 1, 2 or 4 bytes, perhaps unaligned. False: bus fault. A callback must
 * not call back into the core. */
typedef struct {
    void *context;
    bool (*read)(void *context, uint32_t address, unsigned size, uint32_t *value);
    bool (*write)(void *context, uint32_t address, unsigned size, uint32_t value);
} m3_bus;

typedef enum {
    M3_RUNNING,
    M3_SLEEPING, /* WFI: nothing was executed */
    M3_HALTED,   /* by a debugger: nothing was executed, SysTick and CYCCNT stand still */
    M3_STOPPED   /* lockup, breakpoint or reset request: m3_stop_reason */
} m3_state;

/* NULL if Unicorn cannot be had. Memory is mapped before m3_reset; `address` and `bytes` multiples of 4096.
 */
m3 *m3_create(m3_bus bus);
void m3_destroy(m3 *c);
bool m3_map_ram(m3 *c, uint32_t address, void *host, uint32_t bytes); /* host memory outlives the core */
bool m3_map_device(m3 *c, uint32_t address, uint32_t bytes);

/* Stack pointer and program counter from the vector table at 0. */
void m3_reset(m3 *c);
/* An instruction, exception entry or exception return; *cycles is its time. */
m3_state m3_step(m3 *c, unsigned *cycles);
/* `cycles` processor cycles have passed: SysTick and CYCCNT count. */
void m3_tick(m3 *c, uint64_t cycles);
/* Level of interrupt line n (0..12). */
void m3_irq(m3 *c, unsigned n, bool level);
uint32_t m3_register(m3 *c, unsigned n); /* r0..r15; 16: xPSR */
uint64_t m3_instructions(const m3 *c);
const char *m3_stop_reason(const m3 *c); /* "" while it runs */

#ifdef __cplusplus
}
#endif

#endif
