/* Brings the bitstream from the global buffer into the array: by configuration DMA, or word by word. */
#include "firmware/target/hal.h"
#include "firmware/target/target.h"

enum {
    RESET_CYCLES = 16,  /* cycles of the array, to clear what an earlier kernel left */
    CONFIG_CYCLES = 32, /* cycles of the array in which a word reaches the farthest tile */
    READ_CYCLES = 128,  /* what is read comes back through all tiles of the buffer at once */
    READ_WAIT =
        READ_CYCLES / 2 + 8, /* of the processor, whose clock is half the array's; and the access itself */
    REWRITES = 16,           /* of all words together, before the program gives up */
    SETTLE_CYCLES = 64,      /* cycles of the processor, never faster than the array: pulses have died down */
    CONFIG_TIMEOUT = 1 << 20, /* processor cycles; the longest bitstream takes 16384 */
};

/* Waits until `cycles` have passed since `start`. */
static void wait_since(uint32_t start, uint32_t cycles) {
    while (cycles_now() - start < cycles)
        continue;
}

/* Configures by DMA: the first GLB tile sends to its own columns and to the east, the others pass on what
 * comes from the west. */
static void configure_by_dma(const kernel_description *k) {
    for (uint32_t tile = 0; tile < ONYX_GLB_TILES; tile++) {
        uint32_t from = tile == 0 ? BROADCAST_OWN_DMA : BROADCAST_FROM_WEST;
        glb_write(tile, GLB_PCFG_BROADCAST_MUX,
                  FIELD(GLB_PCFG_BROADCAST_MUX_SOUTH, from) | FIELD(GLB_PCFG_BROADCAST_MUX_EAST, from));
    }
    glb_write(0, GLB_PCFG_START_ADDR, IMAGE_WORDS);
    glb_write(0, GLB_PCFG_NUM_WORDS, k->config_words);
    glb_write(0, GLB_PCFG_CTRL, FIELD(GLB_PCFG_CTRL_MODE, 1));
    const stream_set configuration = {.mask = 1, .kind = STREAM_CONFIG};
    streams_set_timeout(CONFIG_TIMEOUT);
    hal_mask_interrupts();
    glc_write(GLC_PC_START, 1);
    if (streams_wait(&configuration, 1) != 0)
        fail(FW_ERROR_CONFIG_TIMEOUT, glc_read(GLC_PCFG_ISR), k->config_words);
    hal_unmask_interrupts();
    wait_since(streams_last_done(), SETTLE_CYCLES); /* the last words are still on their way */
    glb_write(0, GLB_PCFG_CTRL, 0);
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

/* Clears what an earlier kernel left. A word that was written before says whether the controller's reset did
 * it: no program known to run on the chip uses that one. */
static void reset_array(const kernel_description *k) {
    uint32_t witness = glb_data32(IMAGE_WORDS + 4);
    write_word(witness, glb_data32(IMAGE_WORDS));
    uint32_t start = cycles_now();
    glc_write(GLC_GLOBAL_RESET, RESET_CYCLES);
    wait_since(start, SETTLE_CYCLES);
    if (read_word(witness) == 0)
        return;
    platform_start_array(true);
    streams_enable(k->poll);
    hold_array(k);
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
        configure_by_dma(k);
    read_back(k);
    glc_write(GLC_FLUSH_CROSSBAR, k->flush_crossbar);
}
