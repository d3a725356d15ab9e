/* jtag.c - see jtag.h. */
#include "rtl_models/soc/jtag.h"

/* ---- the AHB-AP ------------------------------------------------------------------------------ */

enum {
    AP_CSW = 0x00,
    AP_TAR = 0x04,
    AP_DRW = 0x0C,
    AP_BD0 = 0x10,
    AP_BD3 = 0x1C,
    AP_BASE = 0xF8,
    AP_IDR = 0xFC
};
#define AP_IDR_VALUE 0x24770011u  /* AHB-AP of a Cortex-M3 */
#define AP_BASE_VALUE 0xE00FF003u /* ROM table, present */
#define CSW_DEVICE_ENABLED 0x40u
#define CSW_AT_RESET 0x23000002u
#define CSW_WRITABLE 0x7F000037u
enum { CSW_SIZE = 0x7, CSW_INCREMENT = 0x30, CSW_INCREMENT_SINGLE = 0x10 };
#define TAR_WRAP 0xFFFu

static void set_csw(jtag_port *p, uint32_t value) {
    p->csw = value & CSW_WRITABLE;
    if ((p->csw & CSW_SIZE) > 2)
        p->csw = (p->csw & ~(uint32_t)CSW_SIZE) | 2;
    if ((p->csw & CSW_INCREMENT) != CSW_INCREMENT_SINGLE)
        p->csw &= ~(uint32_t)CSW_INCREMENT;
}

/* By the data register: sub-words stand on the byte lanes of their address. */
static bool transfer(jtag_port *p, bool read, uint32_t *value) {
    unsigned size = 1u << (p->csw & CSW_SIZE);
    uint32_t address = p->tar & ~(size - 1), lane = 8 * (address & 3);
    uint32_t mask = size == 4 ? UINT32_MAX : (1u << 8 * size) - 1, data = *value >> lane & mask;
    bool good = read ? p->bus.read(p->bus.context, address, size, &data)
                     : p->bus.write(p->bus.context, address, size, data);
    *value = (data & mask) << lane;
    if (good && (p->csw & CSW_INCREMENT))
        p->tar = (p->tar & ~TAR_WRAP) | ((p->tar + size) & TAR_WRAP);
    return good;
}

static bool ap_read(jtag_port *p, uint32_t offset, uint32_t *value) {
    *value = 0;
    if (offset == AP_CSW)
        *value = p->csw | CSW_DEVICE_ENABLED;
    else if (offset == AP_TAR)
        *value = p->tar;
    else if (offset == AP_DRW)
        return transfer(p, true, value);
    else if (offset >= AP_BD0 && offset <= AP_BD3)
        return p->bus.read(p->bus.context, (p->tar & ~0xFu) | (offset & 0xC), 4, value);
    else if (offset == AP_BASE)
        *value = AP_BASE_VALUE;
    else if (offset == AP_IDR)
        *value = AP_IDR_VALUE;
    return true;
}

static bool ap_write(jtag_port *p, uint32_t offset, uint32_t value) {
    if (offset == AP_CSW)
        set_csw(p, value);
    else if (offset == AP_TAR)
        p->tar = value;
    else if (offset == AP_DRW)
        return transfer(p, false, &value);
    else if (offset >= AP_BD0 && offset <= AP_BD3)
        return p->bus.write(p->bus.context, (p->tar & ~0xFu) | (offset & 0xC), 4, value);
    return true;
}

/* ---- the JTAG-DP ----------------------------------------------------------------------------- */

enum { DP_CTRL_STAT = 0x4, DP_SELECT = 0x8, DP_RDBUFF = 0xC };
enum { ACK_OK_FAULT = 2 };
#define STICKY 0x32u /* overrun, compare, error: written 1 to clear */
#define STICKY_ERROR 0x20u
#define POWER_REQUESTS 0x54000000u /* system, debug, debug reset; each acknowledged a bit above */
#define SYSTEM_POWERED 0x40000000u
#define CTRL_WRITABLE 0x54FFFF0Du

static void dp_access(jtag_port *p, bool read, uint32_t address, uint32_t data) {
    if (read)
        p->result = address == DP_CTRL_STAT ? p->ctrl_stat | (p->ctrl_stat & POWER_REQUESTS) << 1
                    : address == DP_SELECT  ? p->select
                    : address == DP_RDBUFF  ? p->result
                                            : 0;
    else if (address == DP_CTRL_STAT)
        p->ctrl_stat = (data & CTRL_WRITABLE) | (p->ctrl_stat & STICKY & ~data);
    else if (address == DP_SELECT)
        p->select = data;
}

/* After an error, accesses are dropped until the debugger clears the error. */
static void ap_access(jtag_port *p, bool read, uint32_t address, uint32_t data) {
    uint32_t offset = (p->select & 0xF0) | address, value = 0;
    if (p->ctrl_stat & STICKY_ERROR)
        return;
    bool good = (p->ctrl_stat & SYSTEM_POWERED) != 0, there = p->select >> 24 == 0;
    if (good && there)
        good = read ? ap_read(p, offset, &value) : ap_write(p, offset, data);
    if (!good)
        p->ctrl_stat |= STICKY_ERROR;
    if (read)
        p->result = value; /* an absent AP reads 0 */
}

static void update_dr(jtag_port *p) {
    bool read = p->dr & 1;
    uint32_t address = (uint32_t)(p->dr >> 1 & 3) << 2, data = (uint32_t)(p->dr >> 3);
    if (p->ir == JTAG_DPACC)
        dp_access(p, read, address, data);
    else if (p->ir == JTAG_APACC)
        ap_access(p, read, address, data);
}

/* ---- the TAP --------------------------------------------------------------------------------- */

enum {
    RESET,
    IDLE,
    SELECT_DR,
    CAPTURE_DR,
    SHIFT_DR,
    EXIT1_DR,
    PAUSE_DR,
    EXIT2_DR,
    UPDATE_DR,
    SELECT_IR,
    CAPTURE_IR,
    SHIFT_IR,
    EXIT1_IR,
    PAUSE_IR,
    EXIT2_IR,
    UPDATE_IR
};

static const uint8_t next_state[16][2] = {
    [RESET] = {IDLE, RESET},
    [IDLE] = {IDLE, SELECT_DR},
    [SELECT_DR] = {CAPTURE_DR, SELECT_IR},
    [CAPTURE_DR] = {SHIFT_DR, EXIT1_DR},
    [SHIFT_DR] = {SHIFT_DR, EXIT1_DR},
    [EXIT1_DR] = {PAUSE_DR, UPDATE_DR},
    [PAUSE_DR] = {PAUSE_DR, EXIT2_DR},
    [EXIT2_DR] = {SHIFT_DR, UPDATE_DR},
    [UPDATE_DR] = {IDLE, SELECT_DR},
    [SELECT_IR] = {CAPTURE_IR, RESET},
    [CAPTURE_IR] = {SHIFT_IR, EXIT1_IR},
    [SHIFT_IR] = {SHIFT_IR, EXIT1_IR},
    [EXIT1_IR] = {PAUSE_IR, UPDATE_IR},
    [PAUSE_IR] = {PAUSE_IR, EXIT2_IR},
    [EXIT2_IR] = {SHIFT_IR, UPDATE_IR},
    [UPDATE_IR] = {IDLE, SELECT_DR},
};

static unsigned dr_bits(const jtag_port *p) {
    return p->ir == JTAG_READ_IDCODE                                           ? 32
           : p->ir == JTAG_ABORT || p->ir == JTAG_DPACC || p->ir == JTAG_APACC ? JTAG_DP_BITS
                                                                               : 1;
}

static uint64_t captured_dr(const jtag_port *p) {
    if (p->ir == JTAG_READ_IDCODE)
        return p->idcode;
    return dr_bits(p) == JTAG_DP_BITS ? (uint64_t)p->result << 3 | ACK_OK_FAULT : 0;
}

void jtag_begin(jtag_port *p, jtag_bus bus) {
    *p = (jtag_port){.bus = bus, .state = RESET, .idcode = JTAG_IDCODE, .ir = JTAG_READ_IDCODE, .csw = CSW_AT_RESET};
}

void jtag_trst(jtag_port *p) {
    p->state = RESET;
    p->ir = JTAG_READ_IDCODE;
}

void jtag_clock(jtag_port *p, unsigned pins) {
    const bool tms = pins & JTAG_TMS, tdi = pins & JTAG_TDI;
    if (p->state == CAPTURE_DR)
        p->dr = captured_dr(p);
    else if (p->state == SHIFT_DR)
        p->dr = p->dr >> 1 | (uint64_t)tdi << (dr_bits(p) - 1);
    else if (p->state == CAPTURE_IR)
        p->ir_shift = 1; /* IEEE 1149.1: the last two bits are 01 */
    else if (p->state == SHIFT_IR)
        p->ir_shift = p->ir_shift >> 1 | (uint32_t)tdi << (JTAG_IR_BITS - 1);
    p->state = next_state[p->state][tms];
    if (p->state == RESET)
        p->ir = JTAG_READ_IDCODE;
    else if (p->state == UPDATE_IR)
        p->ir = p->ir_shift;
    else if (p->state == UPDATE_DR)
        update_dr(p);
}

bool jtag_tdo(const jtag_port *p) {
    return p->state == SHIFT_DR ? p->dr & 1 : p->state == SHIFT_IR ? p->ir_shift & 1 : true;
}
