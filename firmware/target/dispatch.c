/* The runs of a batch, one start pulse each. While a run's outputs drain, the loads of the next are set up;
 * the lengths its outputs carry say where the next run's outputs go.
 */
#include "firmware/target/hal.h"
#include "firmware/target/target.h"

/* What the DMAs are set to now, and where each store's next run begins: registers are slow to write. */
static struct {
    uint32_t load_address[KERNEL_MAX_STREAMS], load_words[KERNEL_MAX_STREAMS];
    uint32_t store_address[KERNEL_MAX_STREAMS];
} now;

/* A field of the run table: stream `i` of the row, words 0 address and 1 length. */
static uint32_t cell(uint32_t row, uint32_t i, uint32_t word) {
    return row + 8 * i + 4 * word;
}

static uint32_t bank_start(uint32_t glb_tile, uint32_t bank) {
    return (glb_tile * ONYX_GLB_BANKS + bank) * ONYX_GLB_BANK_BYTES;
}

void dispatch_prepare(const kernel_description *k) {
    for (uint32_t i = 0; i < k->n_loads; i++) {
        const kernel_stream *s = &k->loads[i];
        glb_write(s->glb_tile, GLB_LD_CTRL,
                  FIELD(GLB_LD_CTRL_MODE, DMA_ONCE) | FIELD(GLB_LD_CTRL_VALID_MODE, LD_READY_VALID) |
                      FIELD(GLB_LD_CTRL_DATA_MUX, s->data_mux));
        glb_write(s->glb_tile, GLB_LD_DIM, 1);
        glb_write(s->glb_tile, GLB_LD_CYCLE_START, 0);
        glb_write(s->glb_tile, GLB_LD_STRIDE, 2);
        glb_write(s->glb_tile, GLB_LD_CYCLE_STRIDE, 1);
        now.load_address[i] = UINT32_MAX;
        now.load_words[i] = 2; /* more than one, and its range is written below */
        glb_write(s->glb_tile, GLB_LD_RANGE, 0);
    }
    for (uint32_t i = 0; i < k->n_stores; i++) {
        const kernel_stream *s = &k->stores[i];
        glb_write(s->glb_tile, GLB_ST_CTRL,
                  FIELD(GLB_ST_CTRL_MODE, DMA_ONCE) | FIELD(GLB_ST_CTRL_VALID_MODE, ST_READY_VALID) |
                      FIELD(GLB_ST_CTRL_DATA_MUX, s->data_mux));
        glb_write(s->glb_tile, GLB_ST_NUM_BLOCKS, s->num_blocks);
    }
}

/* A loop has an extent of at least 2: a single word is no loop at all. */
static void set_load_length(uint32_t glb_tile, uint32_t before, uint32_t words) {
    if ((before == 1) != (words == 1))
        glb_write(glb_tile, GLB_LD_DIM, words != 1);
    if (words != 1)
        glb_write(glb_tile, GLB_LD_RANGE, words - 2);
}

static void set_loads(const kernel_description *k, uint32_t row) {
    for (uint32_t i = 0; i < k->n_loads; i++) {
        uint32_t glb_tile = k->loads[i].glb_tile;
        uint32_t address = bus_read32(cell(row, i, 0)), words = bus_read32(cell(row, i, 1));
        if (words == 0)
            fail(FW_ERROR_BAD_BATCH, cell(row, i, 1), 0);
        if (address != now.load_address[i])
            glb_write(glb_tile, GLB_LD_START_ADDR, address);
        if (words != now.load_words[i])
            set_load_length(glb_tile, now.load_words[i], words);
        now.load_address[i] = address;
        now.load_words[i] = words;
    }
}

/* Where the outputs of run `run` begin. */
static void set_store(const kernel_description *k, uint32_t i, uint32_t address, uint32_t run) {
    uint32_t glb_tile = k->stores[i].glb_tile;
    if (address == bank_start(glb_tile, 1) + ONYX_GLB_BANK_BYTES)
        fail(FW_ERROR_OUTPUT_OVERFLOW, glb_tile, run);
    now.store_address[i] = address;
    glb_write(glb_tile, GLB_ST_START_ADDR, address);
}

/* Words from `address` on that `blocks` blocks take, their lengths included; more than `limit` when they do
 * not end within so many. */
static uint32_t stored_words(uint32_t address, uint32_t blocks, uint32_t limit) {
    uint32_t words = 0;
    for (uint32_t b = 0; b < blocks; b++) {
        if (words >= limit)
            return limit + 1;
        words += 1u + glb_data16(address + 2 * words);
    }
    return words;
}

/* Writes where the run's outputs are into its row, and points the stores behind them. */
static void take_outputs(const kernel_description *k, uint32_t row, uint32_t run, bool last) {
    for (uint32_t i = 0; i < k->n_stores; i++) {
        const kernel_stream *s = &k->stores[i];
        uint32_t address = now.store_address[i], column = k->n_loads + i;
        uint32_t left = (bank_start(s->glb_tile, 1) + ONYX_GLB_BANK_BYTES - address) / 2;
        uint32_t words = stored_words(address, s->num_blocks, left);
        if (words > left)
            fail(FW_ERROR_OUTPUT_OVERFLOW, s->glb_tile, run);
        bus_write32(cell(row, column, 0), address);
        bus_write32(cell(row, column, 1), words);
        if (!last)
            set_store(k, i, address + 2 * words, run + 1);
    }
}

static void expect_done(const kernel_description *k, stream_kind kind, uint32_t mask, uint32_t run) {
    uint32_t open;
    if (!streams_wait(kind, mask, &open))
        fail(FW_ERROR_RUN_TIMEOUT,
             FIELD(GLC_STREAM_START_G2F, streams_open(STREAM_LOAD, k->load_mask)) |
                 FIELD(GLC_STREAM_START_F2G, streams_open(STREAM_STORE, k->store_mask)),
             run);
}

/* Cycles from the start pulse to the last store. Loads and stores start with one write: the flush it makes
 * must not meet words of this run. */
static uint32_t run_once(const kernel_description *k, uint32_t row, uint32_t run, bool last) {
    streams_expect(k->timeout);
    uint32_t start = cycles_now();
    glc_write(GLC_STREAM_START,
              FIELD(GLC_STREAM_START_G2F, k->load_mask) | FIELD(GLC_STREAM_START_F2G, k->store_mask));
    expect_done(k, STREAM_LOAD, k->load_mask, run);
    if (!last)
        set_loads(k, row + fw_row_bytes(k->n_loads, k->n_stores));
    expect_done(k, STREAM_STORE, k->store_mask, run);
    return streams_last_done() - start;
}

void dispatch_batch(const kernel_description *k, uint32_t table, uint32_t runs) {
    uint32_t row_bytes = fw_row_bytes(k->n_loads, k->n_stores), begin = cycles_now();
    uint32_t room = ONYX_SRAM + FW_TABLE_END - table;
    if (table < ONYX_SRAM + FW_TABLE_OFFSET || table % 4 || room > FW_TABLE_END || runs > room / row_bytes)
        fail(FW_ERROR_BAD_BATCH, table, runs);
    if (runs)
        set_loads(k, table);
    for (uint32_t i = 0; i < k->n_stores; i++)
        set_store(k, i, bank_start(k->stores[i].glb_tile, 1), 0);
    for (uint32_t run = 0; run < runs; run++) {
        uint32_t row = table + run * row_bytes;
        uint32_t cycles = run_once(k, row, run, run + 1 == runs);
        take_outputs(k, row, run, run + 1 == runs);
        bus_write32(cell(row, k->n_loads + k->n_stores, 0), cycles);
        mailbox_add_cycles(mailbox.kernel_cycles, cycles);
        uint32_t end = cycles_now();
        mailbox_add_cycles(mailbox.firmware_cycles, end - begin - cycles);
        begin = end;
    }
}
