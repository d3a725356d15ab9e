/* Brings the bitstream from the global buffer into the array: by configuration DMA, or word by word. */
#include "firmware/target/hal.h"
#include "firmware/target/target.h"

enum {
    RESET_CYCLES = 16,             /* cycles of the array, to clear what an earlier kernel left */
    RESET_WAIT = RESET_CYCLES + 8, /* of the processor, never faster than the array */
    CONFIG_CYCLES = 32,            /* cycles of the array in which a word reaches the farthest tile */
    READ_CYCLES = 128,             /* what is read comes back through all tiles of the buffer at once */
    READ_WAIT =
        READ_CYCLES / 2 + 8, /* of the processor, whose clock is half the array's; and the access itself */
    REWRITES = 16,           /* of all words together, before the program gives up */
    SETTLE_CYCLES = 64,      /* cycles of the processor, never faster than the array: pulses have died down */
    CONFIG_TIMEOUT = 1 << 20, /* processor cycles; the longest bitstream takes 16384 */
};

#define BROADCAST(from) (FIELD(GLB_PCFG_BROADCAST_MUX_SOUTH, from) | FIELD(GLB_PCFG_BROADCAST_MUX_EAST, from))

/* Waits until `cycles` have passed since `start`. */
static void wait_since(uint32_t start, uint32_t cycles) {
    while (cycles_now() - start < cycles)
        continue;
}

/* Has the DMA send the words: the first GLB tile sends to its own columns and to the east, the others pass on
 * what comes from the west, up to the last that has a word. */
static void send_words(const kernel_description *k) {
    uint32_t at = glb_registers(0) + GLB_PCFG_BROADCAST_MUX, end = at + GLB_TILE_STRIDE * k->config_tiles;
    for (uint32_t mux = BROADCAST(BROADCAST_OWN_DMA); at < end; at += GLB_TILE_STRIDE) {
        bus_write32(at, mux);
        mux = BROADCAST(BROADCAST_FROM_WEST);
    }
    glb_write(0, GLB_PCFG_START_ADDR, IMAGE_WORDS);
    glb_write(0, GLB_PCFG_NUM_WORDS, k->config_words);
    glb_write(0, GLB_PCFG_CTRL, FIELD(GLB_PCFG_CTRL_MODE, 1));
    glc_write(GLC_PCFG_ISR, 1);
    glc_write(GLC_PCFG_IER, 1); /* without it the done bit is not seen; it interrupts nobody */
    glc_write(GLC_PC_START, 1);
}

/* Waits until all words have been sent; the last ones are still on their way. */
static void await_words(const kernel_description *k, uint32_t start) {
    while (!(glc_read(GLC_PCFG_ISR) & 1)) {
        if (cycles_now() - start > CONFIG_TIMEOUT)
            fail(FW_ERROR_CONFIG_TIMEOUT, glc_read(GLC_PCFG_ISR), k->config_words);
    }
}

static void write_word(uint32_t address, uint32_t data) {
    glc_write(GLC_CFG_ADDRESS, address);
    glc_write(GLC_CFG_DATA, data);
    uint32_t start = cycles_now();
    glc_write(GLC_CFG_WRITE, CONFIG_CYCLES);
    wait_since(start, CONFIG_CYCLES);
}

/* Where the bus answers at once, the write of CFG_READ returns before the data have come: hence the wait. */
static uint32_t read_word(uint32_t address) {
    glc_write(GLC_CFG_ADDRESS, address);
    uint32_t start = cycles_now();
    glc_write(GLC_CFG_READ, READ_CYCLES);
    wait_since(start, READ_WAIT);
    return glc_read(GLC_CFG_READ_DATA);
}

static void configure_by_register(const kernel_description *k) {
    for (uint32_t at = IMAGE_WORDS; at < image_end(k); at += IMAGE_WORD_BYTES)
        write_word(glb_data32(at + 4), glb_data32(at));
}

/* Reads every word back. One that differs is written again by register, and counted. */
static void read_back(const kernel_description *k) {
    uint32_t rewritten = 0;
    for (uint32_t at = IMAGE_WORDS; at < image_end(k);) {
        uint32_t address = glb_data32(at + 4), want = glb_data32(at), data = read_word(address);
        if (data == want) {
            at += IMAGE_WORD_BYTES;
            continue;
        }
        if (rewritten == REWRITES)
            fail(FW_ERROR_CONFIG_MISMATCH, address, data);
        write_word(address, want);
        mailbox.rewritten = ++rewritten;
    }
}

/* Clocks of the buffer are on: its own gating saves power and is not described well enough to rely on.
 * Columns stand still: configuring running ones leaves junk in the FIFOs of the interconnect, which no flush
 * removes. */
static void hold_array(const kernel_description *k) {
    glc_write(GLC_GLB_CLK_EN_MASTER, (1u << ONYX_GLB_TILES) - 1);
    glc_write(GLC_GLB_CLK_EN_BANK, (1u << ONYX_GLB_TILES) - 1);
    glc_write(GLC_CGRA_STALL, k->stall_mask);
}

/* Resets by the controller, which leaves the registers of the buffer as they are: those that are taken for 0,
 * chains to the next tile among them, are cleared one by one. */
static void reset_by_controller(void) {
    uint32_t start = cycles_now();
    glc_write(GLC_GLOBAL_RESET, RESET_CYCLES);
    wait_since(start, RESET_WAIT);
    for (uint32_t tile = 0; tile < ONYX_GLB_TILES; tile++) {
        glb_write(tile, GLB_DATA_NET_CTRL, 0);
        glb_write(tile, GLB_DATA_NET_LATENCY, 0);
        glb_write(tile, GLB_PCFG_NET_CTRL, 0);
        glb_write(tile, GLB_PCFG_NET_LATENCY, 0);
        glb_write(tile, GLB_LD_CYCLE_START, 0);
        glb_write(tile, GLB_ST_CYCLE_START, 0);
    }
}

/* Clears what an earlier kernel left. A word that was written before says whether the platform's reset did
 * it: no program known to run on the chip uses that one, nor the controller's, which is the other way. */
static void reset_array(const kernel_description *k) {
    uint32_t witness = glb_data32(IMAGE_WORDS + 4);
    write_word(witness, glb_data32(IMAGE_WORDS));
    platform_start_array(true);
    streams_enable(k->poll);
    hold_array(k);
    if (read_word(witness) == 0)
        return;
    reset_by_controller();
    uint32_t left = read_word(witness);
    if (left)
        fail(FW_ERROR_ARRAY_RESET, platform_read(PLATFORM_RESET_ACK), left);
}

void configure_array(const kernel_description *k) {
    image_check(k);
    hold_array(k);
    image_confirm(k);
    reset_array(k);
    if (k->register_path)
        configure_by_register(k);
    else
        send_words(k);
    uint32_t sent = cycles_now();
    dispatch_set(k, STREAM_LOAD);
    if (!k->register_path)
        await_words(k, sent);
    sent = cycles_now();
    dispatch_set(k, STREAM_STORE);
    wait_since(sent, SETTLE_CYCLES); /* the last words are still on their way */
    if (k->verify)
        read_back(k);
    glc_write(GLC_FLUSH_CROSSBAR, k->parts[0].flush_crossbar);
}
