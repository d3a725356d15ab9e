/* Brings the bitstream from the global buffer into the array: by configuration DMA, or word by word. */
#include "firmware/target/hal.h"
#include "firmware/target/target.h"

enum {
    RESET_CYCLES = 16,  /* cycles of the array, to clear what an earlier kernel left */
    CONFIG_CYCLES = 32, /* an access of the configuration bus reaches the farthest tile and returns */
    SETTLE_CYCLES = 64, /* cycles of the processor, never faster than the array: pulses have died down */
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

static void configure_by_register(const kernel_description *k) {
    for (uint32_t at = IMAGE_WORDS; at < image_end(k); at += IMAGE_WORD_BYTES) {
        glc_write(GLC_CFG_ADDRESS, glb_data32(at + 4));
        glc_write(GLC_CFG_DATA, glb_data32(at));
        uint32_t start = cycles_now();
        glc_write(GLC_CFG_WRITE, CONFIG_CYCLES);
        wait_since(start, CONFIG_CYCLES);
    }
}

/* Reads every word back. Where the bus answers at once, the write of CFG_READ returns before the data have
 * come: hence the wait. */
static void read_back(const kernel_description *k) {
    for (uint32_t at = IMAGE_WORDS; at < image_end(k); at += IMAGE_WORD_BYTES) {
        uint32_t address = glb_data32(at + 4);
        glc_write(GLC_CFG_ADDRESS, address);
        uint32_t start = cycles_now();
        glc_write(GLC_CFG_READ, CONFIG_CYCLES);
        wait_since(start, CONFIG_CYCLES);
        uint32_t data = glc_read(GLC_CFG_READ_DATA);
        if (data != glb_data32(at))
            fail(FW_ERROR_CONFIG_MISMATCH, address, data);
    }
}

void configure_array(const kernel_description *k) {
    image_check(k);
    /* All clocks are on: the buffer's own gating saves power and is not described well enough to rely on. */
    glc_write(GLC_GLB_CLK_EN_MASTER, (1u << ONYX_GLB_TILES) - 1);
    glc_write(GLC_GLB_CLK_EN_BANK, (1u << ONYX_GLB_TILES) - 1);
    uint32_t start = cycles_now();
    glc_write(GLC_GLOBAL_RESET, RESET_CYCLES);
    wait_since(start, SETTLE_CYCLES);
    /* Configuring running columns leaves junk in the FIFOs of the interconnect, which no flush removes. */
    glc_write(GLC_CGRA_STALL, k->stall_mask);
    image_confirm(k);
    if (k->register_path)
        configure_by_register(k);
    else
        configure_by_dma(k);
    read_back(k);
    glc_write(GLC_FLUSH_CROSSBAR, k->flush_crossbar);
}
