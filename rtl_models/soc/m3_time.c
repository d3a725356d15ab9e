/* m3_time.c - see m3_time.h. */
#include "rtl_models/soc/m3_time.h"
#include "rtl_models/soc/m3_int.h"

/* Data of a single load or store. A neighbour's address phase may hide a cycle of a load; a store goes
 * through the write buffer. */
static m3_time single(bool load) {
    return (m3_time){.least = 1, .most = load ? 2 : 1, .words = 1};
}

static m3_time several(uint32_t registers) {
    const uint8_t n = (uint8_t)__builtin_popcount(registers);
    return (m3_time){.least = 1 + n, .most = 1 + n, .words = n};
}

static m3_time cycles(uint8_t least, uint8_t most) {
    return (m3_time){.least = least, .most = most};
}

/* Instructions of one halfword. */
static m3_time narrow(uint32_t op) {
    m3_time t = cycles(1, 1);
    switch (op >> 12) {
    case 4:
        if (op >> 11 == 9) { /* LDR reads a literal */
            t = single(true);
            t.literal = true;
        }
        return t;
    case 5:
        return single((op >> 9 & 7) > 2);
    case 6:
    case 7:
    case 8:
    case 9:
        return single(op >> 11 & 1);
    case 11:
        if ((op & 0x0600) == 0x0400) /* PUSH, POP */
            return several(op & 0x1FF);
        return (op & 0xFFE8) == 0xB660 ? cycles(1, 2) : t; /* CPS */
    case 12:
        return several(op & 0xFF);
    default:
        return t;
    }
}

/* Products and quotients; a quotient's time depends on the operands, and a long product's, too. */
static m3_time product(uint32_t first, uint32_t second) {
    const uint32_t kind = first >> 4 & 7;
    if (!(first & 0x80)) /* a product with a sum takes two cycles */
        return (second >> 12) == 15 ? cycles(1, 1) : cycles(2, 2);
    if (kind == 1 || kind == 3)
        return cycles(2, 12);
    return kind < 4 ? cycles(3, 5) : cycles(4, 7);
}

/* LDM, STM; LDRD, STRD; TBB, TBH; LDREX, STREX. */
static m3_time multiple(uint32_t first, uint32_t second) {
    if (!(first & 0x40))
        return several(second);
    if (first & 0x120)
        return several(3);
    m3_time t = single(true);
    t.least = 2;
    t.literal = (first & 0xFFF0) == 0xE8D0 && (second & 0xFFE0) == 0xF000;
    return t;
}

static m3_time wide(uint32_t first, uint32_t second) {
    if ((first & 0xFE00) == 0xE800)
        return multiple(first, second);
    if ((first & 0xFE00) == 0xF800) {
        m3_time t = single(first & 0x10);
        t.literal = (first & 15) == 15;
        return t;
    }
    if ((first & 0xFF00) == 0xFB00)
        return product(first, second);
    const bool moves = (first & 0xFFE0) == 0xF380 || (first & 0xFFE0) == 0xF3E0; /* MSR, MRS */
    return moves && (second & 0xD000) == 0x8000 ? cycles(1, 2) : cycles(1, 1);
}

m3_time m3_time_of(uint32_t first, uint32_t second, bool branched) {
    const bool is_wide = first >> 11 >= 0x1D, barrier = first == 0xF3BF && second >> 4 == 0x8F6; /* ISB */
    m3_time t = is_wide ? wide(first, second) : narrow(first);
    t.halfwords = is_wide ? 2 : 1;
    t.refill = branched || barrier;
    return t;
}

m3_time m3_last_time(const m3 *c) {
    return c->now.time;
}
