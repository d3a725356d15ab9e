/* m3_debug.h - what a debugger needs of the core (debug.h). */
#ifndef ONYX_COSIM_M3_DEBUG_H
#define ONYX_COSIM_M3_DEBUG_H

#include "rtl_models/soc/m3.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Registers by their DCRSR number: r0..r15, 16 xPSR, 17 MSP, 18 PSP, 20 CONTROL, FAULTMASK, BASEPRI and
 * PRIMASK, a byte each from the top. Other numbers read 0. */
uint32_t m3_debug_register(m3 *c, unsigned n);
void m3_set_debug_register(m3 *c, unsigned n, uint32_t value);
/* Words of the DWT (0xE0001000) and of the system control space (0xE000E000), 4096 bytes each; false
 * elsewhere. */
bool m3_system_read(m3 *c, uint32_t address, uint32_t *value);
bool m3_system_write(m3 *c, uint32_t address, uint32_t value);
/* Halting ends a sleep, and a stop: the debugger may look, and go on somewhere else. */
void m3_halt(m3 *c, bool halted);
bool m3_asleep(const m3 *c);
/* BKPT instructions hold the processor at their own address instead of stopping the machine;
 * m3_take_breakpoint reports each once. */
void m3_catch_breakpoints(m3 *c, bool caught);
bool m3_take_breakpoint(m3 *c);
/* PendSV, SysTick and interrupts wait. */
void m3_mask_interrupts(m3 *c, bool masked);
/* Somebody other than the program wrote instructions. */
void m3_code_changed(m3 *c);
/* Reads (bit 0) or writes (bit 1) of [address, address + bytes) set what m3_take_watched returns, with the
 * number of the watch; kinds 0: none. n below M3_WATCHES, bytes at most 2^31. */
enum { M3_WATCHES = 4 };
void m3_watch(m3 *c, unsigned n, uint32_t address, uint32_t bytes, unsigned kinds);
/* Bit n: watch n met an access since the last call. */
unsigned m3_take_watched(m3 *c);

#ifdef __cplusplus
}
#endif

#endif
