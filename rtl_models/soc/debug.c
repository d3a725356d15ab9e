/* debug.c - see debug.h. */
#include "rtl_models/soc/debug.h"
#include "rtl_models/soc/machine_memory.h"

#include "rtl_models/soc/m3_debug.h"

enum { C_DEBUGEN = 1, C_HALT = 2, C_STEP = 4, C_MASKINTS = 8 };
enum { S_REGRDY = 1 << 16, S_HALT = 1 << 17, S_SLEEP = 1 << 18, S_LOCKUP = 1 << 19 };
enum { S_RETIRE_ST = 1 << 24, S_RESET_ST = 1 << 25 };
enum { DFSR_HALTED = 1, DFSR_BKPT = 2, DFSR_DWTTRAP = 4, DFSR_VCATCH = 8 };
#define DBGKEY 0xA05Fu
#define VECTKEY 0x05FAu
enum { AIRCR_VECTRESET = 1, AIRCR_SYSRESETREQ = 4 };
enum { VC_CORERESET = 1 };

#define ITM 0xE0000000u
#define DWT 0xE0001000u
#define FPB 0xE0002000u
#define SCS 0xE000E000u
#define TPIU 0xE0040000u
#define ROM_TABLE 0xE00FF000u
enum { AIRCR = 0xD0C, DFSR = 0xD30, DHCSR = 0xDF0, DCRSR = 0xDF4, DCRDR = 0xDF8, DEMCR = 0xDFC };

enum { FP_LITERALS = 0, FP_KEY = 2, FP_ENABLE = 1 };
enum { DWT_COMP0 = 0x20, DWT_MATCHED = 1 << 24, DWT_ON_READ = 5, DWT_ON_WRITE = 6, DWT_ON_BOTH = 7 };

/* ---- halting --------------------------------------------------------------------------------- */

static void halt(debug_unit *g, uint32_t reason) {
    g->halted = true;
    g->locked_up = false;
    g->dfsr |= reason;
    g->dhcsr |= C_HALT;
    m3_halt(machine_core(g->m), true);
}

static void resume(debug_unit *g) {
    m3 *core = machine_core(g->m);
    g->halted = false;
    g->dhcsr &= ~(uint32_t)C_HALT;
    m3_take_breakpoint(core);
    m3_take_watched(core);
    m3_halt(core, false);
}

static void write_dhcsr(debug_unit *g, uint32_t value) {
    if (value >> 16 != DBGKEY)
        return;
    m3 *core = machine_core(g->m);
    g->dhcsr = value & C_DEBUGEN ? value & (C_DEBUGEN | C_HALT | C_STEP | C_MASKINTS) : 0;
    m3_catch_breakpoints(core, g->dhcsr & C_DEBUGEN);
    m3_mask_interrupts(core, g->dhcsr & C_MASKINTS);
    if ((g->dhcsr & C_HALT) && !g->halted)
        halt(g, DFSR_HALTED);
    else if (!(g->dhcsr & C_HALT) && g->halted)
        resume(g);
}

static uint32_t read_dhcsr(debug_unit *g) {
    uint32_t value = g->dhcsr | S_REGRDY | (g->halted ? S_HALT : 0) | (g->locked_up ? S_LOCKUP : 0) |
                     (m3_asleep(machine_core(g->m)) ? S_SLEEP : 0) | (g->retired ? S_RETIRE_ST : 0) |
                     (g->was_reset ? S_RESET_ST : 0);
    g->retired = g->was_reset = false; /* reading clears them */
    return value;
}

void debug_reset(debug_unit *g) {
    m3 *core = machine_core(g->m);
    machine_reset(g->m);
    resume(g);
    g->was_reset = true;
    g->locked_up = false;
    m3_mask_interrupts(core, g->dhcsr & C_MASKINTS);
    if (g->catch_reset && (g->dhcsr & C_DEBUGEN))
        halt(g, DFSR_VCATCH);
}

void debug_begin(debug_unit *g, machine *m) {
    *g = (debug_unit){.m = m};
}

/* ---- system control space -------------------------------------------------------------------- */

static bool scs_read(debug_unit *g, uint32_t address, uint32_t *value) {
    switch (address - SCS) {
    case DFSR:
        *value = g->dfsr;
        return true;
    case DHCSR:
        *value = read_dhcsr(g);
        return true;
    case DCRDR:
        *value = g->dcrdr;
        return true;
    case DEMCR:
        m3_system_read(machine_core(g->m), address, value);
        *value = (*value & ~1u) | g->catch_reset;
        return true;
    default:
        return m3_system_read(machine_core(g->m), address, value);
    }
}

static bool scs_write(debug_unit *g, uint32_t address, uint32_t value) {
    m3 *core = machine_core(g->m);
    switch (address - SCS) {
    case DFSR:
        g->dfsr &= ~value;
        return true;
    case DHCSR:
        write_dhcsr(g, value);
        return true;
    case DCRSR: /* the registers belong to the running processor */
        if (g->halted && (value >> 16 & 1))
            m3_set_debug_register(core, value & 0x1F, g->dcrdr);
        else if (g->halted)
            g->dcrdr = m3_debug_register(core, value & 0x1F);
        return true;
    case DCRDR:
        g->dcrdr = value;
        return true;
    case DEMCR:
        g->catch_reset = value & VC_CORERESET;
        return m3_system_write(core, address, value);
    case AIRCR:
        if (value >> 16 != VECTKEY)
            return true;
        if (value & (AIRCR_SYSRESETREQ | AIRCR_VECTRESET))
            debug_reset(g);
        return true;
    default:
        return m3_system_write(core, address, value);
    }
}

/* ---- breakpoints and watchpoints ------------------------------------------------------------- */

/* A comparator selects a word of the code space, and its halves. */
static bool breaks_at(uint32_t comp, uint32_t pc) {
    return (comp & 1) && (comp & 0x1FFFFFFCu) == (pc & ~2u) && (comp >> 30 & (pc & 2 ? 2u : 1u));
}

static bool at_breakpoint(const debug_unit *g) {
    m3 *core = machine_core(g->m);
    if (!(g->fp_ctrl & FP_ENABLE) || !(g->dhcsr & C_DEBUGEN))
        return false;
    for (unsigned i = 0; i < DEBUG_BREAKPOINTS; i++)
        if ((g->fp_comp[i] & 1) && !m3_asleep(core) && breaks_at(g->fp_comp[i], m3_debug_register(core, 15)))
            return true;
    return false;
}

static bool fpb_read(const debug_unit *g, uint32_t offset, uint32_t *value) {
    if (offset == 0)
        *value = (uint32_t)DEBUG_BREAKPOINTS << 4 | (uint32_t)FP_LITERALS << 8 | g->fp_ctrl;
    else if (offset >= 8 && offset < 8 + 4 * DEBUG_BREAKPOINTS)
        *value = g->fp_comp[(offset - 8) / 4];
    return true;
}

static bool fpb_write(debug_unit *g, uint32_t offset, uint32_t value) {
    if (offset == 0 && (value & FP_KEY))
        g->fp_ctrl = value & FP_ENABLE;
    else if (offset >= 8 && offset < 8 + 4 * DEBUG_BREAKPOINTS)
        g->fp_comp[(offset - 8) / 4] = value & 0xDFFFFFFDu;
    return true;
}

static bool dwt_register(uint32_t offset, unsigned *n, unsigned *which) {
    *n = (offset - DWT_COMP0) / 16;
    *which = offset % 16 / 4;
    return offset >= DWT_COMP0 && offset < DWT_COMP0 + 16 * DEBUG_WATCHPOINTS && *which < 3;
}

static bool dwt_read(debug_unit *g, uint32_t offset, uint32_t *value) {
    unsigned n, which;
    if (!dwt_register(offset, &n, &which))
        return m3_system_read(machine_core(g->m), DWT + offset, value);
    if (which == 2) {
        *value = g->dwt[n].function | (g->dwt[n].matched ? (uint32_t)DWT_MATCHED : 0);
        g->dwt[n].matched = false;
    } else {
        *value = which == 0 ? g->dwt[n].comp : g->dwt[n].mask;
    }
    return true;
}

static bool dwt_write(debug_unit *g, uint32_t offset, uint32_t value) {
    unsigned n, which;
    m3 *core = machine_core(g->m);
    if (!dwt_register(offset, &n, &which))
        return m3_system_write(core, DWT + offset, value);
    if (which == 0)
        g->dwt[n].comp = value;
    else if (which == 1)
        g->dwt[n].mask = value & 0x1F;
    else
        g->dwt[n].function = value & 0xF;
    uint32_t function = g->dwt[n].function, bytes = 1u << g->dwt[n].mask;
    unsigned kinds = function == DWT_ON_READ    ? 1
                     : function == DWT_ON_WRITE ? 2
                     : function == DWT_ON_BOTH  ? 3
                                                : 0;
    m3_watch(core, n, g->dwt[n].comp & ~(bytes - 1), bytes, kinds);
    return true;
}

/* After an instruction: the reason to halt, or 0. */
static uint32_t reason_to_halt(debug_unit *g) {
    m3 *core = machine_core(g->m);
    unsigned watched = m3_take_watched(core);
    for (unsigned i = 0; i < DEBUG_WATCHPOINTS; i++)
        g->dwt[i].matched = g->dwt[i].matched || (watched >> i & 1);
    if (m3_take_breakpoint(core))
        return DFSR_BKPT;
    if (!(g->dhcsr & C_DEBUGEN))
        return 0;
    return watched ? DFSR_DWTTRAP : g->dhcsr & C_STEP ? DFSR_HALTED : 0;
}

bool debug_step(debug_unit *g) {
    if (!g->halted && at_breakpoint(g))
        halt(g, DFSR_BKPT);
    bool ran = !g->halted, good = machine_step(g->m);
    if (ran) {
        uint32_t reason = reason_to_halt(g);
        g->retired = true;
        if (reason)
            halt(g, reason);
    }
    if (good || g->locked_up)
        return true;
    g->locked_up = true;
    return false;
}

/* ---- the bus --------------------------------------------------------------------------------- */

/* Component and peripheral identification: the last 12 words of each block. */
static bool identification(uint32_t address, uint32_t *value) {
    static const struct {
        uint32_t base, number, class;
    } blocks[] = {{ITM, 0x001, 0xE}, {DWT, 0x002, 0xE},  {FPB, 0x003, 0xE},
                  {SCS, 0x000, 0xE}, {TPIU, 0x923, 0x9}, {ROM_TABLE, 0x4C3, 0x1}};
    uint32_t offset = address & 0xFFF;
    for (unsigned i = 0; offset >= 0xFD0 && i < sizeof blocks / sizeof *blocks; i++) {
        if (blocks[i].base != address - offset)
            continue;
        const uint32_t words[12] = {4,
                                    0,
                                    0,
                                    0,
                                    blocks[i].number & 0xFF,
                                    0xB0 | blocks[i].number >> 8,
                                    0x0B,
                                    0,
                                    0x0D,
                                    blocks[i].class << 4,
                                    0x05,
                                    0xB1};
        *value = words[(offset - 0xFD0) / 4];
        return true;
    }
    return false;
}

static bool rom_table(uint32_t offset, uint32_t *value) {
    static const uint32_t blocks[] = {SCS, DWT, FPB, ITM, TPIU};
    if (offset / 4 < sizeof blocks / sizeof *blocks)
        *value = (blocks[offset / 4] - ROM_TABLE) | 3;
    else if (offset == 0xFCC)
        *value = 1; /* system memory is on this bus, too */
    return true;
}

/* The processor's private registers, word by word. */
static bool private_read(debug_unit *g, uint32_t address, uint32_t *value) {
    *value = 0;
    if (identification(address, value))
        return true;
    switch (address & ~0xFFFu) {
    case ITM:
    case TPIU:
        return true; /* the model has no trace */
    case DWT:
        return dwt_read(g, address - DWT, value);
    case FPB:
        return fpb_read(g, address - FPB, value);
    case SCS:
        return scs_read(g, address, value);
    case ROM_TABLE:
        return rom_table(address - ROM_TABLE, value);
    default:
        return false;
    }
}

static bool private_write(debug_unit *g, uint32_t address, uint32_t value) {
    switch (address & ~0xFFFu) {
    case ITM:
    case TPIU:
        return true;
    case DWT:
        return dwt_write(g, address - DWT, value);
    case FPB:
        return fpb_write(g, address - FPB, value);
    case SCS:
        return scs_write(g, address, value);
    default:
        return false;
    }
}

static bool is_private(uint32_t address) {
    return address >> 20 == 0xE00;
}

bool debug_read(void *context, uint32_t address, unsigned size, uint32_t *value) {
    debug_unit *g = context;
    if (!is_private(address))
        return machine_bus_read(g->m, address, size, value);
    if (!private_read(g, address & ~3u, value))
        return false;
    *value >>= 8 * (address & 3);
    return true;
}

bool debug_write(void *context, uint32_t address, unsigned size, uint32_t value) {
    debug_unit *g = context;
    if (!is_private(address))
        return machine_bus_write(g->m, address, size, value);
    return size == 4 && private_write(g, address, value);
}
