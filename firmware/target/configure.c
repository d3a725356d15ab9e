/* Brings a bitstream from the global buffer into the array: by configuration DMA, or word by word. */
#include "firmware/target/hal.h"
#include "firmware/target/mailbox.h"
#include "firmware/target/streams.h"
#include "firmware/target/switch.h"

SMALL_FROM_HERE

enum {
    CLOCK_RATIO = 2,                             /* of the array's to the processor's: platform.c */
    RESET_CYCLES = 16,                           /* cycles of the array, to clear an earlier kernel's state */
    RESET_WAIT = RESET_CYCLES / CLOCK_RATIO + 8, /* of the processor: accesses before the end are lost */
    CONFIG_CYCLES = 32, /* cycles of the array for a word to reach the farthest tile */
    READ_CYCLES = 128,  /* read data come back through all tiles of the buffer at once */
    READ_WAIT = READ_CYCLES / CLOCK_RATIO + 8, /* of the processor; and the access itself */
    REWRITES = 16,                             /* of all words together, before the program gives up */
    SETTLE_CYCLES = 64, /* of the array, until the last word has arrived and pulses end */
    SETTLE_WAIT = SETTLE_CYCLES / CLOCK_RATIO + 8,
    CONFIG_TIMEOUT = 1 << 20, /* processor cycles; the longest bitstream takes 16384 */
};

static const kernel_image *configured; /* NULL: none is yet */
static uint32_t trusted;               /* images, a bit each, that came in by a reset known to work */
static bool doubted;                   /* the controller's reset has failed once */
static uint32_t sent_at;               /* cycle of the first sent word */

#define BROADCAST(from) (FIELD(GLB_PCFG_BROADCAST_MUX_SOUTH, from) | FIELD(GLB_PCFG_BROADCAST_MUX_EAST, from))

/* Waits until `cycles` have passed since `start`. */
static void wait_since(uint32_t start, uint32_t cycles) {
    while (cycles_now() - start < cycles)
        continue;
}

/* Sets the route of the words, which a reset has cleared: the first GLB tile sends them to its own columns
 * and to the east, the other tiles forward words from the west, up to the last tile with a word. */
static __attribute__((noinline)) void set_route(const kernel_image *i) {
    uint32_t at = glb_registers(0) + GLB_PCFG_BROADCAST_MUX, end = at + GLB_TILE_STRIDE * i->config_tiles;
    bus_write32(at, BROADCAST(BROADCAST_OWN_DMA));
    while ((at += GLB_TILE_STRIDE) < end)
        bus_write32(at, BROADCAST(BROADCAST_FROM_WEST));
}

/* Makes the configuration DMA send the words. */
static void send_words(const kernel_image *i) {
    glb_write(0, GLB_PCFG_CTRL, FIELD(GLB_PCFG_CTRL_MODE, 1));
    glb_write(0, GLB_PCFG_START_ADDR, i->at + IMAGE_WORDS);
    glb_write(0, GLB_PCFG_NUM_WORDS, i->config_words);
    glc_write(GLC_PCFG_ISR, 1);
    glc_write(GLC_PC_START, 1);
}

/* Waits until all words have been sent, a word a cycle; the last words are still on their way. */
static void await_words(const kernel_image *i) {
    while (!(glc_read(GLC_PCFG_ISR) & 1)) {
        if (cycles_now() - sent_at > CONFIG_TIMEOUT)
            fail(FW_ERROR_CONFIG_TIMEOUT, glc_read(GLC_PCFG_ISR), i->config_words);
    }
}

/* Writes a register of the controller and waits until `cycles` of the processor have passed since the store
 * has arrived: the interconnect may hold a store. */
static __attribute__((noinline)) void write_and_settle(uint32_t offset, uint32_t value, uint32_t cycles) {
    glc_write(offset, value);
    hal_finish();
    wait_since(cycles_now(), cycles);
}

static void write_word(uint32_t address, uint32_t data) {
    glc_write(GLC_CFG_ADDRESS, address);
    glc_write(GLC_CFG_DATA, data);
    write_and_settle(GLC_CFG_WRITE, CONFIG_CYCLES, CONFIG_CYCLES);
}

/* Asks for a word; returns the cycle. */
static __attribute__((noinline)) uint32_t ask_word(uint32_t address) {
    glc_write(GLC_CFG_ADDRESS, address);
    glc_write(GLC_CFG_READ, READ_CYCLES);
    hal_finish();
    return cycles_now();
}

/* Where the bus answers at once, the write of CFG_READ returns before the data have come: hence the wait. */
static __attribute__((noinline)) uint32_t take_word(uint32_t asked) {
    wait_since(asked, READ_WAIT);
    return glc_read(GLC_CFG_READ_DATA);
}

static uint32_t read_word(uint32_t address) {
    return take_word(ask_word(address));
}

static void configure_by_register(const kernel_image *i) {
    for (uint32_t at = i->at + IMAGE_WORDS; at < image_end(i); at += IMAGE_WORD_BYTES)
        write_word(glb_data32(at + 4), glb_data32(at));
}

/* Reads every word back. A different word is written again by register, and counted. */
static void read_back(const kernel_image *i) {
    uint32_t rewritten = 0;
    for (uint32_t at = i->at + IMAGE_WORDS; at < image_end(i);) {
        uint32_t address = glb_data32(at + 4), want = glb_data32(at), data = read_word(address);
        if (data == want) {
            at += IMAGE_WORD_BYTES;
            continue;
        }
        if (rewritten == REWRITES)
            fail(FW_ERROR_CONFIG_MISMATCH, address, data);
        write_word(address, want);
        rewritten++;
        mailbox.rewritten = mailbox.rewritten + 1;
    }
}

/* Clocks of the buffer are on: its own gating saves power and is not described well enough to rely on.
 * Columns stand still: configuring running ones leaves junk in the FIFOs of the interconnect, which no flush
 * removes. The done bit of the configuration DMA is not seen without its enable; it interrupts nobody. */
static void hold_array(const kernel_description *k) {
    glc_write(GLC_GLB_CLK_EN_MASTER, (1u << ONYX_GLB_TILES) - 1);
    glc_write(GLC_GLB_CLK_EN_BANK, (1u << ONYX_GLB_TILES) - 1);
    glc_write(GLC_CGRA_STALL, k->stall_mask);
    glc_write(GLC_PCFG_IER, 1);
}

/* Resets the array and the buffer's registers by the controller, which keeps its own registers. The buffer
 * loses stores that arrive during the reset: results that the program itself has written are there before. */
static void reset_by_controller(void) {
    hal_order();
    write_and_settle(GLC_GLOBAL_RESET, RESET_CYCLES, RESET_WAIT);
}

/* Resets all of the array's side, the controller included. */
static void reset_by_platform(const kernel_description *k) {
    platform_start_array(true);
    streams_enable(k->poll);
    hold_array(k);
}

/* Clears an earlier kernel's state. A previously written word, of this image or the previous one, shows
 * whether the reset worked: no program known to run on the chip uses the platform's reset or the
 * controller's. Between two images of this program the controller's reset comes first, since it keeps the
 * controller's registers.
 */
static ONCE void reset_array(const kernel_description *k, const kernel_image *i) {
    const kernel_image *old = configured;
    uint32_t words = (old ? old : i)->at + IMAGE_WORDS, witness = glb_data32(words + 4);
    if (old) {
        reset_by_controller();
    } else {
        write_word(witness, glb_data32(words));
        reset_by_platform(k);
    }
    const uint32_t asked = ask_word(witness);
    set_route(i);
    uint32_t remaining = take_word(asked);
    if (!remaining)
        return;
    if (old) {
        doubted = true;
        reset_by_platform(k);
    } else {
        reset_by_controller();
    }
    remaining = read_word(witness);
    if (remaining)
        fail(FW_ERROR_ARRAY_RESET, platform_read(PLATFORM_RESET_ACK), remaining);
    set_route(i);
}

/* The first time an image comes in, or always in doubt, it is asked whether the reset works. An image found
 * whole at boot stays whole: its bank has no other user as long as the program lives. */
static ONCE __attribute__((noinline)) void prepare_image(const kernel_description *k, const kernel_image *i) {
    if (configured) {
        glc_write(GLC_CGRA_STALL, k->stall_mask);
    } else {
        hold_array(k);
        image_confirm(i);
    }
    reset_array(k, i);
    trusted = doubted || k->verify ? 0 : trusted | 1u << (i - k->images);
}

void configure_begin(const kernel_description *k, const kernel_image *i) {
    if (trusted >> (i - k->images) & 1) {
        glc_write(GLC_CGRA_STALL, k->stall_mask);
        reset_by_controller();
        set_route(i);
    } else {
        prepare_image(k, i);
    }
    configured = i;
    if (k->register_path)
        configure_by_register(i);
    else
        send_words(i);
    sent_at = cycles_now();
}

void configure_end(const kernel_description *k, const array_kernel *p) {
    const kernel_image *i = p->image;
    glc_write(GLC_FLUSH_CROSSBAR, p->flush_crossbar);
    if (!k->register_path)
        await_words(i);
    wait_since(sent_at, i->config_words / CLOCK_RATIO + SETTLE_WAIT); /* they have arrived */
    if (k->verify)
        read_back(i);
}

void configure_boot(const kernel_description *k) {
    if (!k->n_images) {
        hold_array(k);
        return;
    }
    configured = 0;
    trusted = 0;
    doubted = false;
    configure_begin(k, k->images);
}
