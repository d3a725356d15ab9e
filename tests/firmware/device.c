#include "tests/firmware/device.h"

#include <stdlib.h>
#include <string.h>

#include "firmware/target/hal.h"
#include "firmware/target/mailbox.h"
#include "firmware/target/streams.h"
#include "support/support.h"

enum { LOAD, STORE, CONFIG, KINDS };
enum { READ_ARRAY_CYCLES = 128, READ_PROCESSOR_CYCLES = 64 }; /* until a word of configuration is read */
enum { DONE_PULSE = 5 }; /* array cycles of a finished stream's done bit, also after a clear */

static const kernel_description *kernel_of;
static device *the;
uint32_t *bus_sram;

/* The kernel of the batch last requested by the host. Lists of these tests use kernel 0 only. */
static const kernel_part *part_now(void) {
    return &kernel_of->parts[mailbox.part == FW_COMMAND_LIST ? 0 : mailbox.part];
}

static struct {
    uint32_t platform[32], glc[32], glb[DEVICE_TILES][64];
    uint32_t done[KINDS];                /* isr bits */
    uint64_t due[KINDS][DEVICE_TILES];   /* cycle at which a stream finishes; 0 = not running */
    uint64_t pulse[KINDS][DEVICE_TILES]; /* cycle at which the done pulse of a stream is over */
    uint32_t bank[KINDS][DEVICE_TILES];  /* of the buffer, counted from its start, that a stream uses */
    uint64_t now, reset_until, read_due, tick_due;
    uint32_t read_at;
    uint32_t tick_reload, tick_ctrl, irq_enabled, irq_pending, demcr, dwt_ctrl;
    uint64_t cycle_zero;
    bool tick_pending, masked, in_handler;
    bool no_store;  /* was done when the program last asked */
    uint32_t early; /* stores that were started before the columns ran */
    prng random;
} s;

static void violate(const char *what) {
    if (!the->violation)
        the->violation = what;
}

/* ---- time and interrupts --------------------------------------------------------------------- */

static void advance(uint64_t cycles) {
    s.now += cycles;
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        for (uint32_t t = 0; t < DEVICE_TILES; t++) {
            if (s.due[kind][t] && s.now >= s.due[kind][t]) {
                s.pulse[kind][t] = s.due[kind][t] + DONE_PULSE;
                s.due[kind][t] = 0;
                s.done[kind] |= 1u << t;
            }
        }
    }
    while (s.tick_ctrl & 1 && !the->no_tick && s.now >= s.tick_due) {
        s.tick_due += s.tick_reload + 1;
        s.tick_pending |= s.tick_ctrl >> 1 & 1;
    }
}

static void clear_done(uint32_t kind, uint32_t tiles) {
    for (uint32_t t = 0; t < DEVICE_TILES; t++) {
        if ((tiles >> t & 1) && s.now >= s.pulse[kind][t])
            s.done[kind] &= ~(1u << t);
    }
}

static uint32_t pending_kinds(void) {
    static const uint8_t ier[KINDS] = {GLC_G2F_IER, GLC_F2G_IER, GLC_PCFG_IER};
    static const uint8_t bit[KINDS] = {1, 0, 2};
    uint32_t kinds = 0;
    for (uint32_t k = 0; k < KINDS; k++)
        kinds |= (uint32_t)((s.done[k] & s.glc[ier[k] / 4]) != 0) << bit[k];
    return kinds;
}

/* The array's interrupt line is a level. A pending interrupt stays pending after the line falls. */
static bool irq_asks(void) {
    if (pending_kinds() & s.glc[GLC_GLOBAL_IER / 4])
        s.irq_pending |= 1u << ONYX_CGRA_IRQ;
    return s.irq_pending & s.irq_enabled;
}

static void deliver(void) {
    bool asks = irq_asks();
    if (s.masked || s.in_handler)
        return;
    s.in_handler = true;
    if (asks) {
        s.irq_pending = 0;
        the->interrupts++;
        array_interrupt();
    }
    if (s.tick_pending) {
        s.tick_pending = false;
        the->ticks++;
        tick_interrupt();
    }
    s.in_handler = false;
}

static void access_takes_time(void) {
    advance(1 + prng_below(&s.random, 8));
    deliver();
}

void hal_mask_interrupts(void) {
    s.masked = true;
}

void hal_unmask_interrupts(void) {
    s.masked = false;
    deliver();
}

/* Advances the time to the next event. */
void hal_sleep(void) {
    the->sleeps++;
    if (!the->debugger)
        violate("slept without a debugger: the clocks stop");
    if (!s.masked)
        violate("slept with interrupts on: one that comes just before is missed");
    while (!irq_asks() && !s.tick_pending) {
        uint64_t next = s.tick_ctrl & 1 ? s.tick_due : UINT64_MAX;
        for (uint32_t kind = 0; kind < KINDS; kind++)
            for (uint32_t t = 0; t < DEVICE_TILES; t++)
                if (s.due[kind][t] && s.due[kind][t] < next)
                    next = s.due[kind][t];
        if (next == UINT64_MAX) {
            violate("sleeps for ever");
            hal_stop();
        }
        advance(next > s.now ? next - s.now : 1);
    }
    the->interrupts += irq_asks();
}

_Noreturn void hal_stop(void) {
    longjmp(the->stopped, 1);
}

/* ---- the array ------------------------------------------------------------------------------- */

static uint16_t glb_word(uint32_t address) {
    return (uint16_t)(the->glb[address] | the->glb[address + 1] << 8);
}

static uint32_t *config_register(uint32_t address) {
    uint32_t i = 0;
    while (i < the->n_config && the->config[i].address != address)
        i++;
    if (i == the->n_config && i < DEVICE_CONFIG)
        the->config[the->n_config++].address = address;
    return &the->config[i].data;
}

static void configure(uint32_t address, uint32_t data) {
    uint32_t column = address >> 8 & 0xff;
    if (!(the->stalled_columns >> column & 1))
        violate("a running column was configured");
    if (s.now < s.reset_until)
        violate("configured during reset");
    the->config_writes++;
    bool flips = address == the->flip_address && the->flips;
    the->flips -= flips;
    *config_register(address) = flips ? data ^ 0x100 : data;
}

/* Words travel east from tile 0's DMA. A tile that neither forwards nor takes them drops them. */
static bool reaches(uint32_t column) {
    uint32_t mux = 0;
    for (uint32_t t = 0; t < column / 2; t++) {
        mux = s.glb[t][GLB_PCFG_BROADCAST_MUX / 4];
        if ((mux >> 2 & 3) != (t ? 2u : 1u))
            return false;
    }
    mux = s.glb[column / 2][GLB_PCFG_BROADCAST_MUX / 4];
    return (mux >> 4 & 3) == (column / 2 ? 2u : 1u);
}

static uint32_t glb_word32(uint32_t address) {
    return glb_word(address) | (uint32_t)glb_word(address + 2) << 16;
}

/* A tile's DMA reaches the tile's own banks without delay, with running clocks. */
static void check_tile(uint32_t tile, uint32_t chain, uint32_t latency) {
    if (s.glb[tile][chain / 4] || s.glb[tile][latency / 4])
        violate("a tile of the buffer is chained to the next one, or delayed");
    if (!(s.glc[GLC_GLB_CLK_EN_MASTER / 4] & s.glc[GLC_GLB_CLK_EN_BANK / 4] & 1u << tile))
        violate("a tile of the buffer may lose its clock");
}

static void start_config(uint32_t tiles) {
    if (tiles != 1 || s.glb[0][GLB_PCFG_CTRL / 4] != 1) {
        violate("the model streams configuration from GLB tile 0 only");
        return;
    }
    check_tile(0, GLB_PCFG_NET_CTRL, GLB_PCFG_NET_LATENCY);
    uint32_t at = s.glb[0][GLB_PCFG_START_ADDR / 4], n = s.glb[0][GLB_PCFG_NUM_WORDS / 4];
    for (uint32_t i = 0; i < n; i++, at += 8) {
        uint32_t address = glb_word32(at + 4);
        if (reaches(address >> 8 & 0xff))
            configure(address, glb_word32(at));
    }
    s.bank[CONFIG][0] = 0;
    s.due[CONFIG][0] = the->hang_config ? 0 : s.now + n + 1000; /* longer than the words need to arrive */
}

uint32_t device_expected(const kernel_description *k, uint32_t i, const uint16_t *words, uint32_t n,
                         uint16_t *out) {
    uint32_t written = 0;
    for (uint32_t b = 0;
         b < k->parts[mailbox.part == FW_COMMAND_LIST ? 0 : mailbox.part].stores[i].num_blocks; b++) {
        uint32_t length = n < 7 * b + 3 ? n : 7 * b + 3;
        out[written++] = (uint16_t)length;
        for (uint32_t w = 0; w < length; w++)
            out[written++] = words[w];
    }
    return written;
}

/* The lane started by this pulse; n_lanes after a violation. */
static uint32_t lane_of(uint32_t value) {
    uint32_t lane = 0;
    while (lane < part_now()->n_lanes &&
           value != (part_now()->lanes[lane].load_mask | (uint32_t)part_now()->lanes[lane].store_mask << 16))
        lane++;
    if (lane == part_now()->n_lanes)
        violate("what starts is not all of one lane's streams");
    return lane;
}

/* A lane's first load flushes the columns of the lane's streams; a single lane flushes all columns. */
static void check_flush(uint32_t lane) {
    const kernel_stream *loads = part_now()->loads + lane * part_now()->n_loads;
    uint32_t groups = 0;
    for (uint32_t t = 0; t < DEVICE_TILES; t++) {
        if ((part_now()->lanes[lane].load_mask | part_now()->lanes[lane].store_mask) >> t & 1)
            groups |= 1u << t / 2;
    }
    if (part_now()->n_lanes == 1)
        groups = 0xff;
    for (uint32_t g = 0; g < 8; g++) {
        bool flushes = (the->flush_crossbar >> 4 * g & 15) == loads[0].glb_tile;
        if ((groups >> g & 1) && !flushes)
            violate("some columns are not flushed by the lane's first load");
        for (uint32_t other = 0; flushes && other < part_now()->n_lanes; other++) {
            uint32_t tiles = part_now()->lanes[other].load_mask | part_now()->lanes[other].store_mask;
            if (other != lane && (tiles >> 2 * g & 3))
                violate("a start flushes columns of another lane");
        }
    }
}

/* Words that a tile's load DMA streams; 0 words after a violation. */
static uint32_t output_bank(uint32_t tile) {
    return the->output_banks >> tile & 1;
}

static uint32_t load_words(const kernel_stream *load, uint16_t *out) {
    const uint32_t *r = s.glb[load->glb_tile];
    uint32_t want = 1u | 2u << 2 | (uint32_t)load->data_mux << 5, dim = r[GLB_LD_DIM / 4];
    uint32_t n = dim == 0 ? 1 : r[GLB_LD_RANGE / 4] + 2, address = r[GLB_LD_START_ADDR / 4];
    check_tile(load->glb_tile, GLB_DATA_NET_CTRL, GLB_DATA_NET_LATENCY);
    if (r[GLB_LD_CTRL / 4] != want || dim > 1 || r[GLB_LD_CYCLE_START / 4] ||
        (dim && r[GLB_LD_STRIDE / 4] != 2))
        violate("a load DMA is not set to a linear ready-valid stream");
    if (n > 65536 || address >> 17 != (uint32_t)load->glb_tile * 2 + !output_bank(load->glb_tile) ||
        address + 2 * n > sizeof the->glb) {
        violate("a load leaves the inputs' bank");
        return 0;
    }
    for (uint32_t w = 0; w < n; w++)
        out[w] = glb_word(address + 2 * w);
    s.bank[LOAD][load->glb_tile] = address / DEVICE_BANK;
    return n;
}

static void store_words(const kernel_stream *store, const uint16_t *words, uint32_t n) {
    const uint32_t *r = s.glb[store->glb_tile];
    uint32_t address = r[GLB_ST_START_ADDR / 4], step = r[GLB_ST_DIM / 4] ? r[GLB_ST_STRIDE / 4] : 0;
    check_tile(store->glb_tile, GLB_DATA_NET_CTRL, GLB_DATA_NET_LATENCY);
    if (r[GLB_ST_CTRL / 4] != (1u | 1u << 2 | (uint32_t)store->data_mux << 4) ||
        r[GLB_ST_NUM_BLOCKS / 4] != store->num_blocks || r[GLB_ST_DIM / 4] > 1 || r[GLB_ST_CYCLE_START / 4] ||
        r[GLB_ST_RANGE / 4] + 2 < n)
        violate("a store DMA is not set to its ready-valid stream");
    if (address >> 17 != (uint32_t)store->glb_tile * 2 + output_bank(store->glb_tile))
        violate("a store leaves the outputs' bank");
    s.bank[STORE][store->glb_tile] = address / DEVICE_BANK;
    for (uint32_t w = 0; w < n; w++, address += step) {
        uint32_t wrapped =
            (address & 0x1ffff) | (uint32_t)store->glb_tile << 18 | output_bank(store->glb_tile) << 17;
        the->glb[wrapped] = (uint8_t)words[w];
        the->glb[wrapped + 1] = (uint8_t)(words[w] >> 8);
    }
}

/* Only stores whose words depend on no load may start without a load. */
static void start_early(uint32_t stores) {
    if (stores != part_now()->image->early_stores || !the->stalled_columns)
        violate("what starts without a load is not what needs none, or not in time");
    for (uint32_t i = 0; i < part_now()->n_lanes * part_now()->n_stores; i++) {
        if (stores >> part_now()->stores[i].glb_tile & 1)
            store_words(&part_now()->stores[i], NULL, 0);
    }
    s.early = stores;
}

/* Stores outside the image's kernels are off. */
static void check_others(void) {
    const kernel_image *image = part_now()->image;
    uint32_t stores = 0;
    for (uint32_t i = 0; i < image->n_stores; i++)
        stores |= 1u << image->stores[i].glb_tile;
    for (uint32_t t = 0; t < DEVICE_TILES; t++) {
        if (s.glb[t][GLB_ST_CTRL / 4] && !(stores >> t & 1))
            violate("a store is set up that no kernel of the image has");
    }
}

/* The columns run: outputs without a load arrive now. A disabled store swallows three words. */
static void release_columns(void) {
    if (s.early != part_now()->image->early_stores)
        violate("words come to a store that does not run");
    if (s.due[CONFIG][0])
        violate("columns run while words are sent");
    check_others();
    for (uint32_t t = 0; t < DEVICE_TILES; t++) {
        if ((s.early >> t & 1) && !(the->hang_stores >> t & 1))
            s.due[STORE][t] = s.now + 1 + prng_below(&s.random, the->stream_delay);
    }
}

static void start_streams(uint32_t value) {
    static uint16_t loaded[16][65536], stored[3 * 65536];
    if ((value & 0xffff) == 0) {
        start_early(value >> 16);
        return;
    }
    uint32_t n[16] = {0}, lane = lane_of(value), loads = part_now()->n_loads, stores = part_now()->n_stores;
    the->starts++;
    if (lane == part_now()->n_lanes)
        return;
    the->lane_starts[lane]++;
    if (the->stalled_columns)
        violate("started with columns stalled");
    if (s.platform[PLATFORM_SYS_CLK_SELECT / 4] != 1)
        violate("the processor's clock is what another program left");
    check_flush(lane);
    for (uint32_t k = 0; k < 2; k++)
        for (uint32_t t = 0; t < DEVICE_TILES; t++)
            if ((value >> 16 * k >> t & 1) && (s.due[k][t] || s.done[k] >> t & 1))
                violate("started before the last run was over");
    for (uint32_t i = 0; i < loads; i++) {
        const kernel_stream *load = &part_now()->loads[lane * loads + i];
        n[i] = load_words(load, loaded[i]);
        if (!(the->hang_loads >> load->glb_tile & 1))
            s.due[LOAD][load->glb_tile] = s.now + 1 + prng_below(&s.random, the->stream_delay);
    }
    for (uint32_t i = 0; i < stores; i++) {
        const kernel_stream *store = &part_now()->stores[lane * stores + i];
        uint32_t from = i % loads;
        if (the->stream && i == 0)
            store_words(store, the->stream, the->stream_words);
        else
            store_words(store, stored, device_expected(kernel_of, i, loaded[from], n[from], stored));
        if (!(the->hang_stores >> store->glb_tile & 1))
            s.due[STORE][store->glb_tile] =
                s.now + 1 + prng_below(&s.random, 2 * the->stream_delay) + (lane == 0 ? the->slow_lane : 0);
    }
}

/* ---- registers ------------------------------------------------------------------------------- */

static uint32_t platform_register(uint32_t offset) {
    if (offset == PLATFORM_ID)
        return the->platform_id;
    if (offset == PLATFORM_RESET_ACK)
        return the->stuck_reset ? 0x100 : s.platform[PLATFORM_RESET_REQ / 4];
    return s.platform[offset / 4];
}

/* An access to the buffer during a reset is lost or never answered. */
static void check_reset(void) {
    if (s.now < s.reset_until)
        violate("the buffer was touched during its reset");
}

/* A bank has no arbitration: the chip would lose one access of two. */
static void check_bank(uint32_t address) {
    check_reset();
    for (uint32_t kind = 0; kind < KINDS; kind++)
        for (uint32_t t = 0; t < DEVICE_TILES; t++)
            if (s.due[kind][t] && s.bank[kind][t] == address / DEVICE_BANK)
                violate("the processor touched a bank that a stream uses");
}

static void check_clock(void) {
    the->array_clock =
        !(s.platform[PLATFORM_CLK_GATE_EN / 4] & 0x100) && !(s.platform[PLATFORM_RESET_REQ / 4] & 0x100);
    if (!the->array_clock)
        violate("the array was touched without clock or in reset");
}

static uint32_t glc_register(uint32_t offset) {
    switch (offset) {
    case GLC_CFG_READ_DATA:
        return s.now < s.read_due ? 0xbadda7a : *config_register(s.read_at);
    case GLC_G2F_ISR: /* the second half of a look */
        the->idle_looks += s.no_store && !(s.done[LOAD] & s.glc[GLC_G2F_IER / 4]);
        return s.done[LOAD] & s.glc[GLC_G2F_IER / 4];
    case GLC_F2G_ISR:
        s.no_store = !(s.done[STORE] & s.glc[GLC_F2G_IER / 4]);
        return s.done[STORE] & s.glc[GLC_F2G_IER / 4];
    case GLC_PCFG_ISR:
        return s.done[CONFIG] & s.glc[GLC_PCFG_IER / 4];
    case GLC_GLOBAL_ISR:
        return pending_kinds();
    default:
        return s.glc[offset / 4];
    }
}

static void clear_configuration(void) {
    s.early = 0;
    for (uint32_t i = 0; i < the->n_config && !the->stuck_configuration; i++)
        the->config[i].data = 0;
    if (!the->stuck_configuration)
        the->n_config = 0;
}

/* The controller's reset: configuration and registers of the buffer; streams end. */
static void reset_streams(void) {
    clear_configuration();
    memset(s.glb, 0, sizeof s.glb);
    memset(s.due, 0, sizeof s.due);
}

/* The platform controller's: all of the array's side but the buffer's memory. */
static void reset_all(void) {
    reset_streams();
    memset(s.glc, 0, sizeof s.glc);
    memset(s.done, 0, sizeof s.done);
    the->stalled_columns = 0;
}

static void glc_register_write(uint32_t offset, uint32_t value) {
    s.glc[offset / 4] = value;
    switch (offset) {
    case GLC_GLOBAL_RESET:
        if (!the->dead_global_reset)
            reset_streams();
        s.reset_until = s.now + value / 2; /* cycles of the array, which is twice as fast */
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
        configure(s.glc[GLC_CFG_ADDRESS / 4], s.glc[GLC_CFG_DATA / 4]);
        break;
    case GLC_CFG_READ:
        s.read_due = s.now + READ_PROCESSOR_CYCLES;
        s.read_at = s.glc[GLC_CFG_ADDRESS / 4];
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
        return (s.demcr >> 24 & 1) && (s.dwt_ctrl & 1) ? (uint32_t)(s.now - s.cycle_zero) : 0;
    case CORE_DEMCR:
        return s.demcr;
    case CORE_DWT_CTRL:
        return s.dwt_ctrl;
    case CORE_DHCSR:
        return the->debugger;
    default:
        return 0;
    }
}

static void core_register_write(uint32_t offset, uint32_t value) {
    switch (offset) {
    case CORE_DWT_CYCCNT:
        s.cycle_zero = s.now - value;
        break;
    case CORE_DEMCR:
        s.demcr = value;
        break;
    case CORE_DWT_CTRL:
        s.dwt_ctrl = value;
        break;
    case CORE_SYST_RELOAD:
        s.tick_reload = value & 0xffffff;
        if (value > 0xffffff || value == 0)
            violate("the system tick counts 24 bits");
        break;
    case CORE_SYST_VALUE:
        s.tick_due = s.now + s.tick_reload + 1;
        break;
    case CORE_SYST_CTRL: /* starting does not restart the period: writing the value does */
        s.tick_ctrl = value;
        break;
    case CORE_NVIC_ISER:
        s.irq_enabled |= value;
        break;
    case CORE_NVIC_ICER:
        s.irq_enabled &= ~value;
        break;
    case CORE_NVIC_ICPR: /* pending again at once while the source asks */
        s.irq_pending &= ~value;
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
    if (address - ONYX_PLATFORM < sizeof s.platform)
        return platform_register(address - ONYX_PLATFORM);
    check_clock();
    if (address - ONYX_CGRA_DATA < sizeof the->glb) {
        check_bank(address - ONYX_CGRA_DATA);
        return glb_word32(address - ONYX_CGRA_DATA);
    }
    if (address - ONYX_CGRA_REG < sizeof s.glc)
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
    } else if (address - ONYX_PLATFORM < sizeof s.platform) {
        s.platform[(address - ONYX_PLATFORM) / 4] = value;
        if (address - ONYX_PLATFORM == PLATFORM_RESET_REQ && (value & 0x100) && !the->dead_reset)
            reset_all();
    } else if (glb < DEVICE_TILES * GLB_TILE_STRIDE && glb % GLB_TILE_STRIDE <= GLB_PCFG_BROADCAST_MUX) {
        check_clock();
        check_reset();
        if (glb % GLB_TILE_STRIDE == GLB_ST_CTRL && !the->stalled_columns &&
            part_now()->image->early_stores >> glb / GLB_TILE_STRIDE & 1)
            violate("a store is set up while its column runs, which has words");
        s.glb[glb / GLB_TILE_STRIDE][glb % GLB_TILE_STRIDE / 4] = value;
    } else if (address - ONYX_CGRA_DATA < sizeof the->glb) {
        check_clock();
        check_bank(address - ONYX_CGRA_DATA);
        for (uint32_t b = 0; b < 4; b++)
            the->glb[address - ONYX_CGRA_DATA + b] = (uint8_t)(value >> 8 * b);
    } else if (address - ONYX_CGRA_REG < sizeof s.glc) {
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
            s.glb[t][r] = (uint32_t)prng_next(&s.random);
    *config_register(0xff000501) = 0xdeadbeef;
    s.tick_due = 5;
    s.cycle_zero = UINT64_MAX - prng_next(&s.random) % UINT32_MAX;
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
    memset(&s, 0, sizeof s);
    kernel_of = k;
    s.random = prng_seed(seed);
    leave_junk();
    the->platform_id = 0x5a5a5a5a;
    the->stream_delay = 300;
    the->debugger = true;
    the->output_banks = UINT16_MAX; /* the program's output banks before the first batch */
    /* The platform's rows come first in the table. */
    for (uint32_t i = 0; i < 6; i++)
        s.platform[platform[i].offset / 4] = platform[i].reset;
    s.platform[PLATFORM_SYS_CLK_SELECT / 4] = 3;
    return the;
}

void device_free(device *d) {
    free(d);
    the = NULL;
}
