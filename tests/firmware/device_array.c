/* The array of the model: words of configuration, streams of a lane, and what a program must have set for
 * them. */
#include "tests/firmware/device_parts.h"

uint16_t glb_word(uint32_t address) {
    return (uint16_t)(the->glb[address] | the->glb[address + 1] << 8);
}

uint32_t *config_register(uint32_t address) {
    uint32_t i = 0;
    while (i < the->n_config && the->config[i].address != address)
        i++;
    if (i == the->n_config && i < DEVICE_CONFIG)
        the->config[the->n_config++].address = address;
    return &the->config[i].data;
}

void configure(uint32_t address, uint32_t data) {
    uint32_t column = address >> 8 & 0xff;
    if (!(the->stalled_columns >> column & 1))
        violate("a running column was configured");
    if (chip.now < chip.reset_until)
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
        mux = chip.glb[t][GLB_PCFG_BROADCAST_MUX / 4];
        if ((mux >> 2 & 3) != (t ? 2u : 1u))
            return false;
    }
    mux = chip.glb[column / 2][GLB_PCFG_BROADCAST_MUX / 4];
    return (mux >> 4 & 3) == (column / 2 ? 2u : 1u);
}

uint32_t glb_word32(uint32_t address) {
    return glb_word(address) | (uint32_t)glb_word(address + 2) << 16;
}

/* A tile's DMA reaches the tile's own banks without delay, with running clocks. */
static void check_tile(uint32_t tile, uint32_t chain, uint32_t latency) {
    if (chip.glb[tile][chain / 4] || chip.glb[tile][latency / 4])
        violate("a tile of the buffer is chained to the next one, or delayed");
    if (!(chip.glc[GLC_GLB_CLK_EN_MASTER / 4] & chip.glc[GLC_GLB_CLK_EN_BANK / 4] & 1u << tile))
        violate("a tile of the buffer may lose its clock");
}

void start_config(uint32_t tiles) {
    if (tiles != 1 || chip.glb[0][GLB_PCFG_CTRL / 4] != 1) {
        violate("the model streams configuration from GLB tile 0 only");
        return;
    }
    check_tile(0, GLB_PCFG_NET_CTRL, GLB_PCFG_NET_LATENCY);
    uint32_t at = chip.glb[0][GLB_PCFG_START_ADDR / 4], n = chip.glb[0][GLB_PCFG_NUM_WORDS / 4];
    for (uint32_t i = 0; i < n; i++, at += 8) {
        uint32_t address = glb_word32(at + 4);
        if (reaches(address >> 8 & 0xff))
            configure(address, glb_word32(at));
    }
    chip.bank[CONFIG][0] = 0;
    chip.due[CONFIG][0] =
        the->hang_config ? 0 : chip.now + n + 1000; /* longer than the words need to arrive */
}

uint32_t device_expected(const kernel_description *k, uint32_t i, const uint16_t *words, uint32_t n,
                         uint16_t *out) {
    uint32_t written = 0;
    for (uint32_t b = 0; b < k->kernels[kernel_number()].stores[i].num_blocks; b++) {
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
    while (lane < kernel_now()->n_lanes && value != (kernel_now()->lanes[lane].load_mask |
                                                     (uint32_t)kernel_now()->lanes[lane].store_mask << 16))
        lane++;
    if (lane == kernel_now()->n_lanes)
        violate("what starts is not all of one lane's streams");
    return lane;
}

/* A lane's first load flushes the columns of the lane's streams; a single lane flushes all columns. */
static void check_flush(uint32_t lane) {
    const kernel_stream *loads = kernel_now()->loads + lane * kernel_now()->n_loads;
    uint32_t groups = 0;
    for (uint32_t t = 0; t < DEVICE_TILES; t++) {
        if ((kernel_now()->lanes[lane].load_mask | kernel_now()->lanes[lane].store_mask) >> t & 1)
            groups |= 1u << t / 2;
    }
    if (kernel_now()->n_lanes == 1)
        groups = 0xff;
    for (uint32_t g = 0; g < 8; g++) {
        bool flushes = (the->flush_crossbar >> 4 * g & 15) == loads[0].glb_tile;
        if ((groups >> g & 1) && !flushes)
            violate("some columns are not flushed by the lane's first load");
        for (uint32_t other = 0; flushes && other < kernel_now()->n_lanes; other++) {
            uint32_t tiles = kernel_now()->lanes[other].load_mask | kernel_now()->lanes[other].store_mask;
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
    const uint32_t *r = chip.glb[load->glb_tile];
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
    chip.bank[LOAD][load->glb_tile] = address / DEVICE_BANK;
    return n;
}

static void store_words(const kernel_stream *store, const uint16_t *words, uint32_t n) {
    const uint32_t *r = chip.glb[store->glb_tile];
    uint32_t address = r[GLB_ST_START_ADDR / 4], step = r[GLB_ST_DIM / 4] ? r[GLB_ST_STRIDE / 4] : 0;
    check_tile(store->glb_tile, GLB_DATA_NET_CTRL, GLB_DATA_NET_LATENCY);
    if (r[GLB_ST_CTRL / 4] != (1u | 1u << 2 | (uint32_t)store->data_mux << 4) ||
        r[GLB_ST_NUM_BLOCKS / 4] != store->num_blocks || r[GLB_ST_DIM / 4] > 1 || r[GLB_ST_CYCLE_START / 4] ||
        r[GLB_ST_RANGE / 4] + 2 < n)
        violate("a store DMA is not set to its ready-valid stream");
    if (address >> 17 != (uint32_t)store->glb_tile * 2 + output_bank(store->glb_tile))
        violate("a store leaves the outputs' bank");
    chip.bank[STORE][store->glb_tile] = address / DEVICE_BANK;
    for (uint32_t w = 0; w < n; w++, address += step) {
        uint32_t wrapped =
            (address & 0x1ffff) | (uint32_t)store->glb_tile << 18 | output_bank(store->glb_tile) << 17;
        the->glb[wrapped] = (uint8_t)words[w];
        the->glb[wrapped + 1] = (uint8_t)(words[w] >> 8);
    }
}

/* Only stores whose words depend on no load may start without a load. */
static void start_early(uint32_t stores) {
    if (stores != kernel_now()->image->early_stores || !the->stalled_columns)
        violate("what starts without a load is not what needs none, or not in time");
    for (uint32_t i = 0; i < kernel_now()->n_lanes * kernel_now()->n_stores; i++) {
        if (stores >> kernel_now()->stores[i].glb_tile & 1)
            store_words(&kernel_now()->stores[i], NULL, 0);
    }
    chip.early = stores;
}

/* Stores outside the image's kernels are off. */
static void check_others(void) {
    const kernel_image *image = kernel_now()->image;
    uint32_t stores = 0;
    for (uint32_t i = 0; i < image->n_stores; i++)
        stores |= 1u << image->stores[i].glb_tile;
    for (uint32_t t = 0; t < DEVICE_TILES; t++) {
        if (chip.glb[t][GLB_ST_CTRL / 4] && !(stores >> t & 1))
            violate("a store is set up that no kernel of the image has");
    }
}

/* The columns run: outputs without a load arrive now. A disabled store swallows three words. */
void release_columns(void) {
    if (chip.early != kernel_now()->image->early_stores)
        violate("words come to a store that does not run");
    if (chip.due[CONFIG][0])
        violate("columns run while words are sent");
    check_others();
    for (uint32_t t = 0; t < DEVICE_TILES; t++) {
        if ((chip.early >> t & 1) && !(the->hang_stores >> t & 1))
            chip.due[STORE][t] = chip.now + 1 + prng_below(&chip.random, the->stream_delay);
    }
}

void start_streams(uint32_t value) {
    static uint16_t loaded[16][65536], stored[3 * 65536];
    if ((value & 0xffff) == 0) {
        start_early(value >> 16);
        return;
    }
    uint32_t n[16] = {0}, lane = lane_of(value), loads = kernel_now()->n_loads,
             stores = kernel_now()->n_stores;
    the->starts++;
    if (lane == kernel_now()->n_lanes)
        return;
    the->lane_starts[lane]++;
    if (the->stalled_columns)
        violate("started with columns stalled");
    if (chip.platform[PLATFORM_SYS_CLK_SELECT / 4] != 1)
        violate("the processor's clock is what another program left");
    check_flush(lane);
    for (uint32_t k = 0; k < 2; k++)
        for (uint32_t t = 0; t < DEVICE_TILES; t++)
            if ((value >> 16 * k >> t & 1) && (chip.due[k][t] || chip.done[k] >> t & 1))
                violate("started before the last run was over");
    for (uint32_t i = 0; i < loads; i++) {
        const kernel_stream *load = &kernel_now()->loads[lane * loads + i];
        n[i] = load_words(load, loaded[i]);
        if (!(the->hang_loads >> load->glb_tile & 1))
            chip.due[LOAD][load->glb_tile] = chip.now + 1 + prng_below(&chip.random, the->stream_delay);
    }
    for (uint32_t i = 0; i < stores; i++) {
        const kernel_stream *store = &kernel_now()->stores[lane * stores + i];
        uint32_t from = i % loads;
        if (the->stream && i == 0)
            store_words(store, the->stream, the->stream_words);
        else
            store_words(store, stored, device_expected(kernel_of, i, loaded[from], n[from], stored));
        if (!(the->hang_stores >> store->glb_tile & 1))
            chip.due[STORE][store->glb_tile] = chip.now + 1 +
                                               prng_below(&chip.random, 2 * the->stream_delay) +
                                               (lane == 0 ? the->slow_lane : 0);
    }
}
