/* machine_memory.h - memory and registers of the whole chip, as a debugger and its bus master see both. */
#ifndef ONYX_RTL_MODELS_SOC_MACHINE_MEMORY_H
#define ONYX_RTL_MODELS_SOC_MACHINE_MEMORY_H

#include "rtl_models/soc/machine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Debugger's access without time, to code, SRAM and buffer. False if the range is not inside one of them. An
 * access to a bank in use by a DMA is a collision. */
bool machine_load(machine *m, uint32_t address, const void *from, size_t bytes);
bool machine_holds(const machine *m, uint32_t address, size_t bytes); /* whether it is */
bool machine_dump(const machine *m, uint32_t address, void *to, size_t bytes);
uint32_t machine_word(const machine *m, uint32_t address); /* 0 outside of memory */
/* Access by the debug port's bus master: like the processor's own, with side effects of registers and time of
 * the array, to everything but the processor's private registers. size 1, 2 or 4, aligned; the value in the
 * low bits. False: bus error. */
bool machine_bus_read(machine *m, uint32_t address, unsigned size, uint32_t *value);
bool machine_bus_write(machine *m, uint32_t address, unsigned size, uint32_t value);

#ifdef __cplusplus
}
#endif

#endif
