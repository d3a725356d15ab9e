/* tap.h - a debugger's end of the JTAG wires: scans bit by bit, and accesses made of scans. */
#ifndef ONYX_TESTS_TAP_H
#define ONYX_TESTS_TAP_H

#include "rtl_models/soc/jtag.h"
#include "tests/test.h"

enum { DP_CTRL_STAT = 4, DP_SELECT = 8, DP_RDBUFF = 12 };
enum { AP_CSW = 0, AP_TAR = 4, AP_DRW = 12 };
enum { CSW_WORD = 2, CSW_HALF = 1, CSW_BYTE = 0, CSW_INCREMENT = 0x10, CSW_PACKED = 0x20 };
#define POWER_UP 0x50000000u

/* TMS bits, first in bit 0. */
static inline void tap_move(jtag_port *p, unsigned tms, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        jtag_clock(p, (tms >> i & 1 ? JTAG_TMS : 0) | JTAG_TDI);
}

/* From Run-Test/Idle through a shift of n bits and back; returns the bits shifted out. */
static inline uint64_t tap_scan(jtag_port *p, bool ir, uint64_t in, unsigned n) {
    uint64_t out = 0;
    tap_move(p, ir ? 3 : 1, ir ? 4 : 3);
    for (unsigned i = 0; i < n; i++) {
        out |= (uint64_t)jtag_tdo(p) << i;
        jtag_clock(p, (i + 1 == n ? JTAG_TMS : 0) | (in >> i & 1 ? JTAG_TDI : 0));
    }
    tap_move(p, 1, 2);
    return out;
}

static inline void tap_begin(jtag_port *p, jtag_bus bus) {
    jtag_begin(p, bus);
    tap_move(p, 0x1F, 6); /* five ones reset from any state; the zero enters Run-Test/Idle */
}

static inline uint32_t tap_access(jtag_port *p, unsigned instruction, bool read, unsigned address,
                                  uint32_t data) {
    tap_scan(p, true, instruction, JTAG_IR_BITS);
    uint64_t out = tap_scan(p, false, (uint64_t)data << 3 | address / 4 << 1 | read, JTAG_DP_BITS);
    assert_int_equal(out & 7, 2); /* OK */
    return (uint32_t)(out >> 3);
}

static inline void dp_write(jtag_port *p, unsigned address, uint32_t data) {
    tap_access(p, JTAG_DPACC, false, address, data);
}
static inline uint32_t dp_read(jtag_port *p, unsigned address) {
    tap_access(p, JTAG_DPACC, true, address, 0);
    return tap_access(p, JTAG_DPACC, true, DP_RDBUFF, 0);
}
static inline void ap_select(jtag_port *p, uint32_t ap, uint32_t address) {
    dp_write(p, DP_SELECT, ap << 24 | (address & 0xF0));
}
static inline void ap_write(jtag_port *p, uint32_t address, uint32_t data) {
    ap_select(p, 0, address);
    tap_access(p, JTAG_APACC, false, address & 0xF, data);
}
static inline uint32_t ap_read(jtag_port *p, uint32_t address) {
    ap_select(p, 0, address);
    tap_access(p, JTAG_APACC, true, address & 0xF, 0);
    return tap_access(p, JTAG_DPACC, true, DP_RDBUFF, 0);
}

static inline uint32_t mem_read(jtag_port *p, uint32_t address) {
    ap_write(p, AP_TAR, address);
    return ap_read(p, AP_DRW);
}
static inline void mem_write(jtag_port *p, uint32_t address, uint32_t value) {
    ap_write(p, AP_TAR, address);
    ap_write(p, AP_DRW, value);
}

#endif
