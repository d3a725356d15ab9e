/* jtag.h - the chip's debug port as wires: JTAG TAP, JTAG-DP, one AHB-AP.
 *
 * After ARM IHI 0031 (ADIv5): instructions of 4 bits, IDCODE 0x4BA00477 as on the chip, DP of version 0, the
 * AHB-AP of a Cortex-M3 as AP 0. An access of the AP is done at once when its scan is updated, so no answer
 * is ever WAIT. Packed transfers are not supported and read back so; the address counter wraps at 4 KB.
 */
#ifndef ONYX_COSIM_JTAG_H
#define ONYX_COSIM_JTAG_H

#include <stdbool.h>
#include <stdint.h>

enum { JTAG_IR_BITS = 4, JTAG_DP_BITS = 35 };
#define JTAG_IDCODE 0x4BA00477u

/* Instructions. */
enum { JTAG_ABORT = 8, JTAG_DPACC = 10, JTAG_APACC = 11, JTAG_READ_IDCODE = 14, JTAG_BYPASS = 15 };

/* The bus behind the AHB-AP: size 1, 2 or 4, aligned; value in the low bits. False: error response. */
typedef struct {
    void *context;
    bool (*read)(void *context, uint32_t address, unsigned size, uint32_t *value);
    bool (*write)(void *context, uint32_t address, unsigned size, uint32_t value);
} jtag_bus;

typedef struct {
    jtag_bus bus;
    unsigned state; /* of the TAP, IEEE 1149.1 */
    uint32_t idcode, ir, ir_shift;
    uint64_t dr;
    uint32_t result; /* of the last read; returned by the next DPACC or APACC scan */
    uint32_t ctrl_stat, select;
    uint32_t csw, tar;
} jtag_port;

/* As at power-up. */
void jtag_begin(jtag_port *p, jtag_bus bus);
enum { JTAG_TDI = 1, JTAG_TMS = 2 };
/* A rising edge of TCK with these pins high. */
void jtag_clock(jtag_port *p, unsigned pins);
/* Value of TDO before the next edge. */
bool jtag_tdo(const jtag_port *p);
/* TRST: to Test-Logic-Reset. */
void jtag_trst(jtag_port *p);

#endif
