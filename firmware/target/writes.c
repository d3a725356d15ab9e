/* The program for arrays set up by another tool's processor code: makes the register writes of this code
 * unchanged, in their order, and no other writes of the kind. Only clocks, resets, starts and done bits are
 * its own. In such a program writes.c replaces firmware.c.
 *
 * The writes are of a single run. Each further run moves the addresses of its streams, as the other code
 * does: loads to the words of the run's row, stores after the previous run's output. Stores of the dense
 * fabric have no blocks: what they write is known before. */
#include "firmware/target/functions.h"
#include "firmware/target/hal.h"
#include "firmware/target/mailbox.h"
#include "firmware/target/streams.h"
#include "firmware/target/sums.h"

SMALL_FROM_HERE

enum { CONFIG_TIMEOUT = 1 << 20, SETTLE_WAIT = 64 }; /* processor cycles */

static uint32_t stored[ONYX_GLB_TILES]; /* where each store writes next */
static bool ran;                        /* a run was made: registers differ from the writes */

static void make(const kernel_write *w, uint32_t n) {
    for (const kernel_write *end = w + n; w < end; w++)
        bus_write32(ONYX_CGRA_REG + GLB_FROM_GLC + w->offset, w->value);
}

/* Returns the value that the writes leave in a register of a tile. */
static uint32_t stated(uint32_t tile, uint32_t reg) {
    uint32_t value = 0;
    for (uint32_t i = 0; i < kernel_own.n_start; i++)
        value =
            kernel_own.start[i].offset == GLB_TILE_STRIDE * tile + reg ? kernel_own.start[i].value : value;
    return value;
}

static void configure(const kernel_description *k) {
    glc_write(GLC_GLB_CLK_EN_MASTER, (1u << ONYX_GLB_TILES) - 1);
    glc_write(GLC_GLB_CLK_EN_BANK, (1u << ONYX_GLB_TILES) - 1);
    glc_write(GLC_CGRA_STALL, k->stall_mask);
    glc_write(GLC_PCFG_IER, 1);
    make(kernel_own.configure, kernel_own.n_configure);
    glc_write(GLC_PC_START, 1);
    uint32_t start = cycles_now();
    while (!(glc_read(GLC_PCFG_ISR) & 1)) {
        if (cycles_now() - start > CONFIG_TIMEOUT)
            fail(FW_ERROR_CONFIG_TIMEOUT, glc_read(GLC_PCFG_ISR), k->images->config_words);
    }
    start = cycles_now();
    while (cycles_now() - start < SETTLE_WAIT)
        continue;
}

void firmware_boot(const kernel_description *k) {
    mailbox_clear();
    platform_start_array(false);
    core_write(CORE_DEMCR, core_read(CORE_DEMCR) | FIELD(CORE_DEMCR_TRCENA, 1));
    core_write(CORE_DWT_CYCCNT, 0);
    core_write(CORE_DWT_CTRL, core_read(CORE_DWT_CTRL) | FIELD(CORE_DWT_CTRL_CYCCNTENA, 1));
    configure(k);
    make(kernel_own.start, kernel_own.n_start);
    glc_write(GLC_FLUSH_CROSSBAR, k->kernels->flush_crossbar);
    streams_enable(k->poll);
    streams_set_timeout(k->timeout);
    glc_write(GLC_CGRA_STALL, 0);
    hal_unmask_interrupts();
    mailbox_add_cycles(mailbox.config_cycles, cycles_now());
    mailbox.state = FW_STATE_READY;
    mailbox.magic = FW_MAILBOX_MAGIC;
}

/* Stores start at the place of the writes, at the beginning of each batch. */
static void begin_stores(const array_kernel *p) {
    for (uint32_t i = 0; i < p->n_stores; i++) {
        const uint32_t tile = p->stores[i].glb_tile;
        stored[tile] = stated(tile, GLB_ST_START_ADDR);
        if (ran)
            glb_write(tile, GLB_ST_START_ADDR, stored[tile]);
    }
}

static void set_loads(const array_kernel *p, uint32_t row) {
    for (uint32_t i = 0; i < p->n_loads; i++, row += FW_CELL_BYTES) {
        const uint32_t words = bus_read32(row + FW_AT_cell_words);
        glb_write(p->loads[i].glb_tile, GLB_LD_START_ADDR, bus_read32(row + FW_AT_cell_first));
        glb_write(p->loads[i].glb_tile, GLB_LD_DIM, words > 1);
        glb_write(p->loads[i].glb_tile, GLB_LD_RANGE, words - 2);
    }
}

/* Completes the row with the run's outputs; the next run's outputs follow them. */
static void take_stores(const array_kernel *p, uint32_t row, uint32_t run) {
    uint32_t out = row + fw_store_cell(p->n_loads, 0);
    for (uint32_t i = 0; i < p->n_stores; i++) {
        const uint32_t tile = p->stores[i].glb_tile, from = stored[tile],
                       bank = from | (ONYX_GLB_BANK_BYTES - 1);
        uint32_t to = from;
        if (kernel_own.spans) {
            set_cell(&out, kernel_own.spans[i].first, kernel_own.spans[i].words);
            continue;
        }
        for (uint32_t block = 0; block < p->stores[i].num_blocks && to <= bank; block++)
            to += 2 * glb_data16(to) + 2;
        if (to > bank)
            fail(FW_ERROR_OUTPUT_OVERFLOW, tile, run);
        set_cell(&out, from, (to - from) / 2);
        stored[tile] = to;
        glb_write(tile, GLB_ST_START_ADDR, to);
    }
}

/* Makes a run, and returns the processor cycles from its start to its end. */
static uint32_t make_run(const array_kernel *p, uint32_t row, uint32_t run) {
    const uint32_t streams = p->lanes->load_mask | (uint32_t)p->lanes->store_mask << STREAM_STORES;
    uint32_t when;
    if (ran)
        set_loads(p, row);
    ran = true;
    const uint32_t start = streams_start(streams);
    if (streams_wait(&streams, 1, &when))
        fail(FW_ERROR_RUN_TIMEOUT, streams_open(streams), run);
    hal_unmask_interrupts();
    take_stores(p, row, run);
    const uint32_t end = row + fw_row_bytes(p->n_loads, p->n_stores) - FW_END_BYTES;
    bus_write32(end + FW_AT_end_cycles, when - start);
    bus_write32(end + FW_AT_end_start, run << FW_LOW_end_start);
    return when - start;
}

static void make_batch(const kernel_description *k) {
    const uint32_t table = mailbox.table, runs = mailbox.runs, begun = cycles_now();
    const array_kernel *p = k->kernels;
    const uint32_t row_bytes = fw_row_bytes(p->n_loads, p->n_stores);
    uint32_t worked = 0;
    dispatch_check(table, runs, row_bytes, mailbox.outputs);
    begin_stores(p);
    for (uint32_t run = 0; run < runs; run++)
        worked += make_run(p, table + run * row_bytes, run);
    mailbox_add_run(worked, cycles_now() - begun);
}

void firmware_serve(const kernel_description *k) {
    const uint32_t command = mailbox.command;
    if (command == mailbox.done)
        return;
    mailbox.state = FW_STATE_RUNNING;
    if (mailbox.callee == FW_CHECK)
        image_check_segment();
    else if (mailbox.callee)
        fail(FW_ERROR_BAD_KERNEL, mailbox.callee, k->n_kernels);
    else
        make_batch(k);
    mailbox.state = FW_STATE_READY;
    mailbox.done = command;
}

SMALL_TO_HERE
