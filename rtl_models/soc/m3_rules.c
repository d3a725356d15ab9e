/* Faults of ARMv7-M (ARM DDI 0403, A3.2, B1.5, B3.5) that Unicorn does not raise. */
#include "rtl_models/soc/m3_rules.h"
#include "rtl_models/soc/m3_exceptions.h"

#include <string.h>

#define CFSR_NO_COPROCESSOR (1u << 19)
#define CFSR_UNALIGNED (1u << 24)
#define CFSR_DIVIDE (1u << 25)
#define CFSR_DATA_FORBIDDEN (1u << 1 | 1u << 7) /* with a valid MMFAR */
#define CCR_UNALIGNED (1u << 3)
#define CCR_DIVIDE (1u << 4)

enum { BAND_BYTES = 0x2000000, SRAM_BITS = 0x22000000, PERIPHERAL_BITS = 0x42000000 };

/* ---- instructions -------------------------------------------------------------------------------- */

m3_opcode m3_fetch(m3 *c, uint32_t pc) {
    const uint8_t *at = m3_ram(c, pc, 2);
    m3_opcode op = {at ? (uint32_t)at[0] | (uint32_t)at[1] << 8 : 0, 0};
    if (op.first >> 11 >= 0x1D && (at = m3_ram(c, pc + 2, 2)) != NULL)
        op.second = (uint32_t)at[0] | (uint32_t)at[1] << 8;
    return op;
}

bool m3_is_barrier(m3_opcode op) {
    return op.first == 0xF3BF && (op.second >> 4 == 0x8F4 || op.second >> 4 == 0x8F5);
}

bool m3_is_unprivileged(m3 *c) {
    return !(m3_get(c, UC_ARM_REG_XPSR) & XPSR_NUMBER) && (m3_get(c, UC_ARM_REG_CONTROL) & 1);
}

/* Returns the low bits of the address that must be 0, for instructions whose addresses are always aligned; 0
 * for others. *base is the register with the address. */
static uint32_t alignment_of(m3_opcode op, unsigned *base) {
    const uint32_t first = op.first;
    *base = first & 15;
    if (first >> 12 == 0xC) { /* LDM, STM */
        *base = first >> 8 & 7;
        return 3;
    }
    if ((first & 0xFE40) == 0xE800 ||
        ((first & 0xFE40) == 0xE840 && (first & 0x120))) /* LDM, STM; LDRD, STRD */
        return 3;
    if ((first & 0xFFE0) == 0xE840) /* LDREX, STREX */
        return 3;
    return (first & 0xFFE0) == 0xE8C0 && (op.second >> 4 & 15) == 5 ? 1 : 0; /* halfwords have alignment 1 */
}

uint32_t m3_usage_status(m3 *c, m3_opcode op) {
    unsigned base;
    const uint32_t low = op.first >> 12 >= 0xC ? alignment_of(op, &base) : 0;
    if (low && base != 15 && (m3_register(c, base) & low))
        return CFSR_UNALIGNED;
    if (op.first >> 12 < 0xE)
        return 0;
    if ((op.first & 0xEC00) == 0xEC00)
        return CFSR_NO_COPROCESSOR;
    const bool divides = (op.first & 0xFFD0) == 0xFB90 && (op.second >> 4 & 15) == 15;
    return divides && (c->system.ccr & CCR_DIVIDE) && !m3_register(c, op.second & 15) ? CFSR_DIVIDE : 0;
}

void m3_refuse(m3 *c, unsigned exception, uint32_t status, uint32_t address) {
    if (!c->now.refused.exception)
        c->now.refused = (m3_refusal){exception, status, address};
}

/* ---- stores that did not happen ------------------------------------------------------------------ */

static void keep_word(m3 *c, uint32_t address) {
    const uint8_t *at = m3_ram(c, address & ~3u, 4);
    if (at && c->now.n_kept < M3_KEPT_WORDS) {
        c->now.kept[c->now.n_kept].address = address & ~3u;
        memcpy(&c->now.kept[c->now.n_kept++].value, at, 4);
    }
}

void m3_undo_stores(m3 *c) {
    while (c->now.n_kept) {
        uint8_t *at = m3_ram(c, c->now.kept[--c->now.n_kept].address, 4);
        memcpy(at, &c->now.kept[c->now.n_kept].value, 4);
    }
}

/* ---- unaligned accesses -------------------------------------------------------------------------- */

static void on_any_access(uc_engine *uc, uc_mem_type type, uint64_t address, int size, int64_t value,
                          void *user) {
    m3 *c = user;
    (void)uc, (void)value;
    if (address % (unsigned)size == 0)
        return;
    if (type == UC_MEM_WRITE) {
        keep_word(c, (uint32_t)address);
        keep_word(c, (uint32_t)address + (unsigned)size - 1);
    }
    m3_refuse(c, EXC_USAGE_FAULT, CFSR_UNALIGNED, 0);
}

/* Unicorn splits an unaligned access of a device: its callbacks would not know. */
bool m3_hook_unaligned(m3 *c, uint32_t address, uint32_t bytes) {
    uc_hook hook;
    return uc_hook_add(c->uc, &hook, UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, (void *)(uintptr_t)on_any_access,
                       c, address, (uint64_t)address + bytes - 1) == UC_ERR_OK;
}

void m3_set_ccr(m3 *c, uint32_t value) {
    const bool was = c->system.ccr & CCR_UNALIGNED, is = value & CCR_UNALIGNED;
    c->system.ccr = value & 0x31B;
    if (was == is)
        return;
    if (is)
        uc_hook_add(c->uc, &c->unaligned, UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE,
                    (void *)(uintptr_t)on_any_access, c, 1, 0);
    else
        uc_hook_del(c->uc, c->unaligned);
    m3_code_changed(c);
}

/* ---- memory protection --------------------------------------------------------------------------- */

static void on_forbidden(uc_engine *uc, uc_mem_type type, uint64_t address, int size, int64_t value,
                         void *user) {
    m3 *c = user;
    (void)uc, (void)size, (void)value;
    if (m3_running_priority(c, true) < 0) /* HFNMIENA is 0: hard fault and NMI have every access */
        return;
    if (type == UC_MEM_WRITE)
        keep_word(c, (uint32_t)address);
    m3_refuse(c, EXC_MEMORY_FAULT, CFSR_DATA_FORBIDDEN, (uint32_t)address);
}

static void hook_regions(m3 *c) {
    for (unsigned n = 0; n < M3_MPU_REGIONS; n++) {
        if (c->mpu.hooked >> n & 1)
            uc_hook_del(c->uc, c->mpu.hook[n]);
        c->mpu.hooked &= ~(1u << n);
        if (!m3_is_closed(&c->mpu, n))
            continue;
        uc_hook_add(c->uc, &c->mpu.hook[n], UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE,
                    (void *)(uintptr_t)on_forbidden, c, c->mpu.rbar[n],
                    c->mpu.rbar[n] + m3_closed_bytes(&c->mpu, n) - 1);
        c->mpu.hooked |= 1u << n;
    }
    m3_code_changed(c);
}

uint32_t m3_mpu_word(const m3 *c, uint32_t offset) {
    const m3_mpu *u = &c->mpu;
    switch (offset) {
    case 0xD90:
        return M3_MPU_REGIONS << 8;
    case 0xD94:
        return u->ctrl;
    case 0xD98:
        return u->number;
    case 0xD9C:
        return u->rbar[u->number] | u->number;
    default:
        return offset == 0xDA0 ? u->rasr[u->number] : 0;
    }
}

void m3_set_mpu_word(m3 *c, uint32_t offset, uint32_t value) {
    m3_mpu *u = &c->mpu;
    if (offset == 0xD94)
        u->ctrl = value & 7;
    else if (offset == 0xD98)
        u->number = value % M3_MPU_REGIONS;
    else if (offset == 0xD9C && (value & 16))
        u->number = value % M3_MPU_REGIONS;
    if (offset == 0xD9C)
        u->rbar[u->number] = value & ~31u;
    if (offset == 0xDA0)
        u->rasr[u->number] = value;
    hook_regions(c);
}

/* ---- aliases of bits ----------------------------------------------------------------------------- */

/* A word of an alias is a bit of the first megabyte of SRAM or of the peripherals. */
static uint32_t byte_of(const m3_region *r, uint64_t offset) {
    return (r->base & 0xF0000000u) + (uint32_t)(offset / 32);
}

static bool read_byte(m3 *c, uint32_t address, uint32_t *value) {
    const uint8_t *at = m3_ram(c, address, 1);
    if (at)
        *value = *at;
    else if (!c->bus.read(c->bus.context, address & ~3u, 4, value))
        return false;
    else
        *value = *value >> 8 * (address % 4) & 0xFF;
    return true;
}

static uint64_t read_bit(uc_engine *uc, uint64_t offset, unsigned size, void *user) {
    m3_region *r = user;
    uint32_t value = 0;
    (void)uc, (void)size;
    if (!read_byte(r->core, byte_of(r, offset), &value))
        m3_refuse(r->core, EXC_BUS_FAULT, M3_CFSR_PRECISE, r->base + (uint32_t)offset);
    return value >> (offset / 4 % 8) & 1;
}

static void write_bit(uc_engine *uc, uint64_t offset, unsigned size, uint64_t value, void *user) {
    m3_region *r = user;
    m3 *c = r->core;
    const uint32_t address = byte_of(r, offset), bit = 1u << (offset / 4 % 8);
    uint32_t word = 0;
    uint8_t *at = m3_ram(c, address, 1);
    (void)uc, (void)size;
    if (at) {
        *at = (uint8_t)(value & 1 ? *at | bit : *at & ~bit);
        return;
    }
    const uint32_t mask = bit << 8 * (address % 4);
    if (!c->bus.read(c->bus.context, address & ~3u, 4, &word) ||
        !c->bus.write(c->bus.context, address & ~3u, 4, value & 1 ? word | mask : word & ~mask))
        m3_refuse(c, EXC_BUS_FAULT, M3_CFSR_PRECISE, r->base + (uint32_t)offset);
}

bool m3_map_bits(m3 *c) {
    c->bits[0] = (m3_region){c, SRAM_BITS, BAND_BYTES, NULL};
    c->bits[1] = (m3_region){c, PERIPHERAL_BITS, BAND_BYTES, NULL};
    for (unsigned i = 0; i < 2; i++)
        if (uc_mmio_map(c->uc, c->bits[i].base, BAND_BYTES, read_bit, &c->bits[i], write_bit, &c->bits[i]) !=
            UC_ERR_OK)
            return false;
    return true;
}
