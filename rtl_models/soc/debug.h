/* debug.h - the Cortex-M3's debug registers, and the step of a machine that obeys them.
 *
 * After the ARMv7-M architecture (ARM DDI 0403), chapter C1: DHCSR, DCRSR, DCRDR, DEMCR (VC_CORERESET only),
 * DFSR, AIRCR's reset, FPB with 6 instruction comparators (no remapping, no literals), DWT with 4 comparators
 * for addresses of data, ROM table. A reset resets the processor: memories, platform controller and array
 * keep what they have. While the processor is halted the array goes on.
 */
#ifndef ONYX_COSIM_DEBUG_H
#define ONYX_COSIM_DEBUG_H

#include "rtl_models/soc/machine.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { DEBUG_BREAKPOINTS = 6, DEBUG_WATCHPOINTS = 4 };

typedef struct {
    machine *m;
    uint32_t dhcsr; /* C_DEBUGEN, C_HALT, C_STEP, C_MASKINTS */
    bool halted, was_reset, retired, locked_up, catch_reset;
    uint32_t dfsr, dcrdr;
    uint32_t fp_ctrl, fp_comp[DEBUG_BREAKPOINTS];
    struct {
        uint32_t comp, mask, function;
        bool matched;
    } dwt[DEBUG_WATCHPOINTS];
} debug_unit;

void debug_begin(debug_unit *g, machine *m);
/* The debugger's accesses: jtag_bus callbacks, with a debug_unit as context. */
bool debug_read(void *context, uint32_t address, unsigned size, uint32_t *value);
bool debug_write(void *context, uint32_t address, unsigned size, uint32_t value);
/* machine_reset, and a halt before the first instruction if that is asked for. */
void debug_reset(debug_unit *g);
/* machine_step, unless halted: then a cycle of the array. False: the machine stopped (machine_stop_reason)
 * since the last call; a processor that locked up can be halted or reset. */
bool debug_step(debug_unit *g);

#ifdef __cplusplus
}
#endif

#endif
