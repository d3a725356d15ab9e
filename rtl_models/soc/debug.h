/* debug.h - the Cortex-M3's debug registers, and the step of a debugged machine.
 *
 * After the ARMv7-M architecture (ARM DDI 0403), chapter C1: DHCSR, DCRSR, DCRDR, DEMCR (VC_CORERESET only),
 * DFSR, AIRCR's reset, FPB with 6 instruction comparators (no remapping, no literals), DWT with 4 comparators
 * for addresses of data, ROM table. A reset resets the processor: memories, platform controller and array
 * keep their state. The array runs on while the processor is halted.
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
/* machine_reset, and on request a halt before the first instruction. */
void debug_reset(debug_unit *g);
/* machine_step, or a cycle of the array while halted. False: the machine stopped (machine_stop_reason) since
 * the last call; a locked-up processor can be halted or reset. */
bool debug_step(debug_unit *g);

#ifdef __cplusplus
}
#endif

#endif
