#include "tests/firmware/device_parts.h"

#include <stdlib.h>
#include <string.h>

#include "firmware/target/streams.h"

const kernel_description *kernel_of;
device *the;
uint32_t *bus_sram;

uint32_t kernel_number(void) {
    if (mailbox.callee != FW_COMMAND_LIST)
        return mailbox.callee;
    const uint32_t *list = the->sram + (mailbox.table - ONYX_SRAM) / 4, n = list[0], again = list[1],
                   step = mailbox.steps, at = step < n ? step : again + (step - n) % (n - again),
                   first = list[(FW_LIST_HEAD + at * FW_COMMAND_BYTES) / 4];
    return first < kernel_of->n_kernels ? first : 0;
}

const array_kernel *kernel_now(void) {
    return &kernel_of->kernels[kernel_number()];
}

device_chip chip;

void violate(const char *what) {
    if (!the->violation)
        the->violation = what;
}

/* ---- time and interrupts --------------------------------------------------------------------- */

static void advance(uint64_t cycles) {
    chip.now += cycles;
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        for (uint32_t t = 0; t < DEVICE_TILES; t++) {
            if (chip.due[kind][t] && chip.now >= chip.due[kind][t]) {
                chip.pulse[kind][t] = chip.due[kind][t] + DONE_PULSE;
                chip.due[kind][t] = 0;
                chip.done[kind] |= 1u << t;
            }
        }
    }
    while (chip.tick_ctrl & 1 && !the->no_tick && chip.now >= chip.tick_due) {
        chip.tick_due += chip.tick_reload + 1;
        chip.tick_pending |= chip.tick_ctrl >> 1 & 1;
    }
}

static void clear_done(uint32_t kind, uint32_t tiles) {
    for (uint32_t t = 0; t < DEVICE_TILES; t++) {
        if ((tiles >> t & 1) && chip.now >= chip.pulse[kind][t])
            chip.done[kind] &= ~(1u << t);
    }
}

static uint32_t pending_kinds(void) {
    static const uint8_t ier[KINDS] = {GLC_G2F_IER, GLC_F2G_IER, GLC_PCFG_IER};
    static const uint8_t bit[KINDS] = {1, 0, 2};
    uint32_t kinds = 0;
    for (uint32_t k = 0; k < KINDS; k++)
        kinds |= (uint32_t)((chip.done[k] & chip.glc[ier[k] / 4]) != 0) << bit[k];
    return kinds;
}

/* The array's interrupt line is a level. A pending interrupt stays pending after the line falls. */
static bool irq_asks(void) {
    if (pending_kinds() & chip.glc[GLC_GLOBAL_IER / 4])
        chip.irq_pending |= 1u << ONYX_CGRA_IRQ;
    return chip.irq_pending & chip.irq_enabled;
}

static void deliver(void) {
    bool asks = irq_asks();
    if (chip.masked || chip.in_handler)
        return;
    chip.in_handler = true;
    if (asks) {
        chip.irq_pending = 0;
        the->interrupts++;
        array_interrupt();
    }
    if (chip.tick_pending) {
        chip.tick_pending = false;
        the->ticks++;
        tick_interrupt();
    }
    chip.in_handler = false;
}

static void access_takes_time(void) {
    advance(1 + prng_below(&chip.random, 8));
    deliver();
}

void hal_mask_interrupts(void) {
    chip.masked = true;
}

void hal_unmask_interrupts(void) {
    chip.masked = false;
    deliver();
}

/* Advances the time to the next event. */
void hal_sleep(void) {
    the->sleeps++;
    if (!the->debugger)
        violate("slept without a debugger: the clocks stop");
    if (!chip.masked)
        violate("slept with interrupts on: one that comes just before is missed");
    while (!irq_asks() && !chip.tick_pending) {
        uint64_t next = chip.tick_ctrl & 1 ? chip.tick_due : UINT64_MAX;
        for (uint32_t kind = 0; kind < KINDS; kind++)
            for (uint32_t t = 0; t < DEVICE_TILES; t++)
                if (chip.due[kind][t] && chip.due[kind][t] < next)
                    next = chip.due[kind][t];
        if (next == UINT64_MAX) {
            violate("sleeps for ever");
            hal_stop();
        }
        advance(next > chip.now ? next - chip.now : 1);
    }
    the->interrupts += irq_asks();
}

_Noreturn void hal_stop(void) {
    longjmp(the->stopped, 1);
}

/* ---- registers ------------------------------------------------------------------------------- */

static uint32_t platform_register(uint32_t offset) {
    if (offset == PLATFORM_ID)
        return the->platform_id;
    if (offset == PLATFORM_RESET_ACK)
        return the->stuck_reset ? 0x100 : chip.platform[PLATFORM_RESET_REQ / 4];
    return chip.platform[offset / 4];
}

/* An access to the buffer during a reset is lost or never answered. */
static void check_reset(void) {
    if (chip.now < chip.reset_until)
        violate("the buffer was touched during its reset");
}

/* A bank has no arbitration: the chip would lose one access of two. */
static void check_bank(uint32_t address) {
    check_reset();
    for (uint32_t kind = 0; kind < KINDS; kind++)
        for (uint32_t t = 0; t < DEVICE_TILES; t++)
            if (chip.due[kind][t] && chip.bank[kind][t] == address / DEVICE_BANK)
                violate("the processor touched a bank that a stream uses");
}

/* Nothing says what a DMA does whose settings change while words travel. */
static void check_rest(uint32_t tile, uint32_t offset) {
    const uint32_t load = offset - GLB_LD_CTRL, store = offset - GLB_ST_CTRL;
    if ((load < GLB_PCFG_CTRL - GLB_LD_CTRL && chip.due[LOAD][tile]) ||
        (store < GLB_LD_CTRL - GLB_ST_CTRL && chip.due[STORE][tile]))
        violate("a stream is set up while it runs");
}

static void check_clock(void) {
    the->array_clock = !(chip.platform[PLATFORM_CLK_GATE_EN / 4] & 0x100) &&
                       !(chip.platform[PLATFORM_RESET_REQ / 4] & 0x100);
    if (!the->array_clock)
        violate("the array was touched without clock or in reset");
}

static uint32_t glc_register(uint32_t offset) {
    switch (offset) {
    case GLC_CFG_READ_DATA:
        return chip.now < chip.read_due ? 0xbadda7a : *config_register(chip.read_at);
    case GLC_G2F_ISR: /* the second half of a look */
        the->idle_looks += chip.no_store && !(chip.done[LOAD] & chip.glc[GLC_G2F_IER / 4]);
        return chip.done[LOAD] & chip.glc[GLC_G2F_IER / 4];
    case GLC_F2G_ISR:
        chip.no_store = !(chip.done[STORE] & chip.glc[GLC_F2G_IER / 4]);
        return chip.done[STORE] & chip.glc[GLC_F2G_IER / 4];
    case GLC_PCFG_ISR:
        return chip.done[CONFIG] & chip.glc[GLC_PCFG_IER / 4];
    case GLC_GLOBAL_ISR:
        return pending_kinds();
    default:
        return chip.glc[offset / 4];
    }
}

static void clear_configuration(void) {
    chip.early = 0;
    for (uint32_t i = 0; i < the->n_config && !the->stuck_configuration; i++)
        the->config[i].data = 0;
    if (!the->stuck_configuration)
        the->n_config = 0;
}

/* The controller's reset: configuration and registers of the buffer; streams end. */
static void reset_streams(void) {
    clear_configuration();
    memset(chip.glb, 0, sizeof chip.glb);
    memset(chip.due, 0, sizeof chip.due);
}

/* The platform controller's: all of the array's side but the buffer's memory. */
static void reset_all(void) {
    reset_streams();
    memset(chip.glc, 0, sizeof chip.glc);
    memset(chip.done, 0, sizeof chip.done);
    the->stalled_columns = 0;
}

static void glc_register_write(uint32_t offset, uint32_t value) {
    chip.glc[offset / 4] = value;
    switch (offset) {
    case GLC_GLOBAL_RESET:
        if (!the->dead_global_reset)
            reset_streams();
        chip.reset_until = chip.now + value / 2; /* cycles of the array, which is twice as fast */
        break;
    case GLC_CGRA_STALL:
        if (the->stalled_columns && !value)
            release_columns();
        the->stalled_columns = value;
        break;
    case GLC_STREAM_START:
        check_reset();
        start_streams(value);
        break;
    case GLC_PC_START:
        check_reset();
        start_config(value);
        break;
    case GLC_G2F_ISR:
        clear_done(LOAD, value);
        break;
    case GLC_F2G_ISR:
        clear_done(STORE, value);
        break;
    case GLC_PCFG_ISR:
        clear_done(CONFIG, value);
        break;
    case GLC_CFG_WRITE:
        if (value < 32)
            violate("a configuration word is not there long enough");
        configure(chip.glc[GLC_CFG_ADDRESS / 4], chip.glc[GLC_CFG_DATA / 4]);
        break;
    case GLC_CFG_READ:
        chip.read_due = chip.now + READ_PROCESSOR_CYCLES;
        chip.read_at = chip.glc[GLC_CFG_ADDRESS / 4];
        if (value < READ_ARRAY_CYCLES)
            violate("a configuration word is not asked for long enough");
        break;
    case GLC_FLUSH_CROSSBAR:
        the->flush_crossbar = value;
        break;
    default:
        break;
    }
}

static uint32_t core_register(uint32_t offset) {
    switch (offset) {
    case CORE_DWT_CYCCNT:
        return (chip.demcr >> 24 & 1) && (chip.dwt_ctrl & 1) ? (uint32_t)(chip.now - chip.cycle_zero) : 0;
    case CORE_DEMCR:
        return chip.demcr;
    case CORE_DWT_CTRL:
        return chip.dwt_ctrl;
    case CORE_DHCSR:
        return the->debugger;
    default:
        return 0;
    }
}

static void core_register_write(uint32_t offset, uint32_t value) {
    switch (offset) {
    case CORE_DWT_CYCCNT:
        chip.cycle_zero = chip.now - value;
        break;
    case CORE_DEMCR:
        chip.demcr = value;
        break;
    case CORE_DWT_CTRL:
        chip.dwt_ctrl = value;
        break;
    case CORE_SYST_RELOAD:
        chip.tick_reload = value & 0xffffff;
        if (value > 0xffffff || value == 0)
            violate("the system tick counts 24 bits");
        break;
    case CORE_SYST_VALUE:
        chip.tick_due = chip.now + chip.tick_reload + 1;
        break;
    case CORE_SYST_CTRL: /* starting does not restart the period: writing the value does */
        chip.tick_ctrl = value;
        break;
    case CORE_NVIC_ISER:
        chip.irq_enabled |= value;
        break;
    case CORE_NVIC_ICER:
        chip.irq_enabled &= ~value;
        break;
    case CORE_NVIC_ICPR: /* pending again at once while the source asks */
        chip.irq_pending &= ~value;
        break;
    default:
        violate("an unknown register of the processor");
    }
}

/* ---- the bus --------------------------------------------------------------------------------- */

static void check_aligned(uint32_t address, uint32_t bytes) {
    if (address % bytes)
        violate("an access that is not aligned");
}

uint32_t bus_read32(uint32_t address) {
    access_takes_time();
    check_aligned(address, 4);
    if (address - ONYX_SRAM < sizeof the->sram)
        return the->sram[(address - ONYX_SRAM) / 4];
    if (address >= CORE_BASE)
        return core_register(address - CORE_BASE);
    if (address - ONYX_PLATFORM < sizeof chip.platform)
        return platform_register(address - ONYX_PLATFORM);
    check_clock();
    if (address - ONYX_CGRA_DATA < sizeof the->glb) {
        check_bank(address - ONYX_CGRA_DATA);
        return glb_word32(address - ONYX_CGRA_DATA);
    }
    if (address - ONYX_CGRA_REG < sizeof chip.glc)
        return glc_register(address - ONYX_CGRA_REG);
    violate("a read of nothing");
    return 0;
}

uint16_t bus_read16(uint32_t address) {
    access_takes_time();
    check_aligned(address, 2);
    if (address - ONYX_SRAM < sizeof the->sram)
        return (uint16_t)(the->sram[(address - ONYX_SRAM) / 4] >> address % 4 * 8);
    check_clock();
    if (address - ONYX_CGRA_DATA < sizeof the->glb) {
        check_bank(address - ONYX_CGRA_DATA);
        return glb_word(address - ONYX_CGRA_DATA);
    }
    violate("a read of nothing");
    return 0;
}

void bus_write32(uint32_t address, uint32_t value) {
    access_takes_time();
    check_aligned(address, 4);
    uint32_t glb = address - (ONYX_CGRA_REG + GLB_FROM_GLC);
    if (address - ONYX_SRAM < sizeof the->sram) {
        the->sram[(address - ONYX_SRAM) / 4] = value;
    } else if (address >= CORE_BASE) {
        core_register_write(address - CORE_BASE, value);
    } else if (address - ONYX_PLATFORM < sizeof chip.platform) {
        chip.platform[(address - ONYX_PLATFORM) / 4] = value;
        if (address - ONYX_PLATFORM == PLATFORM_RESET_REQ && (value & 0x100) && !the->dead_reset)
            reset_all();
    } else if (glb < DEVICE_TILES * GLB_TILE_STRIDE && glb % GLB_TILE_STRIDE <= GLB_PCFG_BROADCAST_MUX) {
        check_clock();
        check_reset();
        if (glb % GLB_TILE_STRIDE == GLB_ST_CTRL && !the->stalled_columns &&
            kernel_now()->image->early_stores >> glb / GLB_TILE_STRIDE & 1)
            violate("a store is set up while its column runs, which has words");
        check_rest(glb / GLB_TILE_STRIDE, glb % GLB_TILE_STRIDE);
        chip.glb[glb / GLB_TILE_STRIDE][glb % GLB_TILE_STRIDE / 4] = value;
    } else if (address - ONYX_CGRA_DATA < sizeof the->glb) {
        check_clock();
        check_bank(address - ONYX_CGRA_DATA);
        for (uint32_t b = 0; b < 4; b++)
            the->glb[address - ONYX_CGRA_DATA + b] = (uint8_t)(value >> 8 * b);
    } else if (address - ONYX_CGRA_REG < sizeof chip.glc) {
        check_clock();
        glc_register_write(address - ONYX_CGRA_REG, value);
    } else {
        violate("a write to nothing");
    }
    deliver(); /* a start pulse of a short stream may be answered at once */
}

/* Leftovers of an earlier kernel: DMA settings, a configured tile, a tick about to end, a count of cycles. */
static void leave_junk(void) {
    for (uint32_t t = 0; t < DEVICE_TILES; t++)
        for (uint32_t r = 0; r < 64; r++)
            chip.glb[t][r] = (uint32_t)prng_next(&chip.random);
    *config_register(0xff000501) = 0xdeadbeef;
    chip.tick_due = 5;
    chip.cycle_zero = UINT64_MAX - prng_next(&chip.random) % UINT32_MAX;
}

device *device_new(const kernel_description *k, uint64_t seed) {
    static const struct {
        uint32_t offset, reset;
    } platform[] = {
#define REGISTER(block, name, offset, access, reset, doc) {block##_##name, reset},
#define REGISTER_FIELD(block, reg, field, lsb, width, doc)
#include "firmware/registers.def"
#undef REGISTER
#undef REGISTER_FIELD
    };
    the = calloc(1, sizeof *the);
    bus_sram = the->sram;
    BUG_IF(!the, "out of memory");
    memset(&chip, 0, sizeof chip);
    kernel_of = k;
    chip.random = prng_seed(seed);
    leave_junk();
    the->platform_id = 0x5a5a5a5a;
    the->stream_delay = 300;
    the->debugger = true;
    the->output_banks = UINT16_MAX; /* the program's output banks before the first batch */
    /* The platform's rows come first in the table. */
    for (uint32_t i = 0; i < 6; i++)
        chip.platform[platform[i].offset / 4] = platform[i].reset;
    chip.platform[PLATFORM_SYS_CLK_SELECT / 4] = 3;
    return the;
}

void device_free(device *d) {
    free(d);
    the = NULL;
}
