/* Registers and memory of the core. */
#include "rtl_models/soc/m3_int.h"

#include <stdio.h>

uint32_t m3_get(m3 *c, int reg) {
    uint32_t value = 0;
    uc_reg_read(c->uc, reg, &value);
    return value;
}

void m3_set(m3 *c, int reg, uint32_t value) {
    uc_reg_write(c->uc, reg, &value);
}

int m3_register_id(unsigned n) {
    static const int ids[] = {UC_ARM_REG_R0,  UC_ARM_REG_R1,  UC_ARM_REG_R2,  UC_ARM_REG_R3, UC_ARM_REG_R4,
                              UC_ARM_REG_R5,  UC_ARM_REG_R6,  UC_ARM_REG_R7,  UC_ARM_REG_R8, UC_ARM_REG_R9,
                              UC_ARM_REG_R10, UC_ARM_REG_R11, UC_ARM_REG_R12, UC_ARM_REG_SP, UC_ARM_REG_LR,
                              UC_ARM_REG_PC,  UC_ARM_REG_XPSR};
    return ids[n < 17 ? n : 16];
}

uint32_t m3_register(m3 *c, unsigned n) {
    return m3_get(c, m3_register_id(n));
}

uint8_t *m3_ram(m3 *c, uint32_t address, uint32_t bytes) {
    for (unsigned i = 0; i < c->n_regions; i++) {
        const m3_region *r = &c->regions[i];
        if (r->host && address - r->base < r->bytes && bytes <= r->bytes - (address - r->base))
            return r->host + (address - r->base);
    }
    return NULL;
}

void m3_stop(m3 *c, const char *why, uint32_t at) {
    if (!c->stop[0])
        snprintf(c->stop, sizeof c->stop, "%s at 0x%08x", why, (unsigned)at);
}
