/* m3_rules.h - what a Cortex-M3 refuses and Unicorn executes; private to m3*.c. */
#ifndef ONYX_RTL_MODELS_SOC_M3_RULES_H
#define ONYX_RTL_MODELS_SOC_M3_RULES_H

#include "rtl_models/soc/m3_int.h"

/* The halfwords of an instruction; the second is 0 for an instruction of 16 bits. */
typedef struct {
    uint32_t first, second;
} m3_opcode;
/* Reads an instruction from RAM; zeros where no RAM is. */
m3_opcode m3_fetch(m3 *c, uint32_t pc);

/* Returns the bits of the fault status that an instruction has before its execution: multiple or exclusive
 * accesses that are not aligned, a division by zero and unaligned accesses where CCR traps them, instructions
 * of coprocessors. 0: none. Instructions within an IT block are not looked at. */
uint32_t m3_usage_status(m3 *c, m3_opcode op);
/* Instructions are never fetched from peripherals, external devices and system registers. */
static inline bool m3_never_executes(uint32_t pc) {
    return pc >> 29 == 2 || pc >> 29 >= 5;
}
/* Device memory, by the default map. */
static inline bool m3_is_device(uint32_t address) {
    return address >> 29 == 2 || address >> 29 >= 5;
}
bool m3_is_barrier(m3_opcode op); /* DSB or DMB */
bool m3_is_unprivileged(m3 *c);

/* Makes a fault of the access under way pending; the first counts. */
void m3_refuse(m3 *c, unsigned exception, uint32_t status, uint32_t address);
/* Maps the aliases of single bits. */
bool m3_map_bits(m3 *c);
/* Reads and writes MPU registers, by their offset in the system control space from 0xD90 on. Regions without
 * any access are faults of loads and stores; regions with other attributes, and overlaps, have no effect. */
uint32_t m3_mpu_word(const m3 *c, uint32_t offset);
void m3_set_mpu_word(m3 *c, uint32_t offset, uint32_t value);
/* Hooks and unhooks unaligned accesses to memory, as CCR says. */
void m3_set_ccr(m3 *c, uint32_t value);
/* Makes unaligned accesses of Device memory faults. */
bool m3_hook_unaligned(m3 *c, uint32_t address, uint32_t bytes);
/* Enabled, and without an access for anybody; the size of a region. */
static inline bool m3_is_closed(const m3_mpu *u, unsigned n) {
    return (u->ctrl & 1) && (u->rasr[n] & 1) && !(u->rasr[n] >> 24 & 7);
}
static inline uint64_t m3_closed_bytes(const m3_mpu *u, unsigned n) {
    return UINT64_C(2) << (u->rasr[n] >> 1 & 31);
}
/* Whether an exception's registers meet a region without access. */
static inline bool m3_is_forbidden(const m3_mpu *u, uint32_t address, uint32_t bytes) {
    for (unsigned n = 0; n < M3_MPU_REGIONS; n++)
        if (m3_is_closed(u, n) && address < u->rbar[n] + m3_closed_bytes(u, n) &&
            u->rbar[n] < (uint64_t)address + bytes)
            return true;
    return false;
}
/* Undoes the stores of an instruction that faulted. */
void m3_undo_stores(m3 *c);

#endif
