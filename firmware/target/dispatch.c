/* The runs of a batch, one start pulse each. A lane is what starts together: all copies of the kernel, or
 * each of several by itself, which then takes the next run of the table whenever it is idle. While a run's
 * outputs drain, the loads of the lane's next run are set up; what only tells of the run before is written
 * once the next one runs.
 */
#include "firmware/target/hal.h"
#include "firmware/target/target.h"

#define NO_RUN UINT16_MAX

/* What the DMAs are set to now, with everything that does not change worked out once: registers are slow to
 * write, and between two runs nothing else happens on the array.
 */
static struct {
    uint32_t registers;      /* address of the GLB tile's */
    uint32_t offset;         /* from the first lane's bank to this one's, bytes */
    uint32_t address, words; /* of the run that is set up */
} loads[KERNEL_MAX_STREAMS];
static struct {
    uint32_t registers;
    uint32_t address, end; /* where the next run's output begins, where the bank ends */
    uint32_t blocks;
} stores[KERNEL_MAX_STREAMS];

static struct {
    uint32_t started;   /* cycle */
    uint16_t run, next; /* under way; whose loads are set up already, or NO_RUN */
    uint16_t number;    /* of the start pulse in the batch */
} lanes[KERNEL_MAX_LANES];
static stream_set waits[KERNEL_MAX_LANES]; /* by lane: its loads, then its stores; nothing when idle */

static struct {
    const kernel_description *k;
    uint32_t table, row_bytes;
    uint16_t runs, taken;      /* taken: runs that are a lane's, from the first on */
    uint16_t starts, open;     /* start pulses; lanes at work */
    uint32_t since;            /* cycle at which the first lane started, or the last one became idle */
    uint64_t kernel, firmware; /* cycles; the mailbox has them when the batch is over */
} batch;

static uint32_t row_of(uint32_t run) {
    return batch.table + run * batch.row_bytes;
}

/* A field of the run table: stream `i` of the row, words 0 address and 1 length. */
static uint32_t cell(uint32_t row, uint32_t i, uint32_t word) {
    return row + 8 * i + 4 * word;
}

static uint32_t glb_tile_of(uint32_t registers) {
    return (registers - glb_registers(0)) / GLB_TILE_STRIDE;
}

static uint32_t bank_start(uint32_t glb_tile, uint32_t bank) {
    return (glb_tile * ONYX_GLB_BANKS + bank) * ONYX_GLB_BANK_BYTES;
}

static void prepare_load(const kernel_description *k, uint32_t i) {
    const kernel_stream *s = &k->loads[i];
    glb_write(s->glb_tile, GLB_LD_CTRL,
              FIELD(GLB_LD_CTRL_MODE, DMA_ONCE) | FIELD(GLB_LD_CTRL_VALID_MODE, LD_READY_VALID) |
                  FIELD(GLB_LD_CTRL_DATA_MUX, s->data_mux));
    glb_write(s->glb_tile, GLB_LD_DIM, 1);
    glb_write(s->glb_tile, GLB_LD_CYCLE_START, 0);
    glb_write(s->glb_tile, GLB_LD_STRIDE, 2);
    glb_write(s->glb_tile, GLB_LD_CYCLE_STRIDE, 1);
    glb_write(s->glb_tile, GLB_LD_RANGE, 0);
    loads[i].registers = glb_registers(s->glb_tile);
    loads[i].offset = bank_start(s->glb_tile, 0) - bank_start(k->loads[i % k->n_loads].glb_tile, 0);
    loads[i].address = UINT32_MAX;
    loads[i].words = 2; /* what a range of 0 means */
}

static void prepare_store(const kernel_description *k, uint32_t i) {
    const kernel_stream *s = &k->stores[i];
    glb_write(s->glb_tile, GLB_ST_CTRL,
              FIELD(GLB_ST_CTRL_MODE, DMA_ONCE) | FIELD(GLB_ST_CTRL_VALID_MODE, ST_READY_VALID) |
                  FIELD(GLB_ST_CTRL_DATA_MUX, s->data_mux));
    glb_write(s->glb_tile, GLB_ST_NUM_BLOCKS, s->num_blocks);
    stores[i].registers = glb_registers(s->glb_tile);
    stores[i].end = bank_start(s->glb_tile, 1) + ONYX_GLB_BANK_BYTES;
    stores[i].blocks = s->num_blocks;
}

void dispatch_prepare(const kernel_description *k) {
    for (uint32_t i = 0; i < k->n_lanes * k->n_loads; i++)
        prepare_load(k, i);
    for (uint32_t i = 0; i < k->n_lanes * k->n_stores; i++)
        prepare_store(k, i);
    streams_set_timeout(k->timeout);
}

/* ---- loads ----------------------------------------------------------------------------------- */

/* A loop has an extent of at least 2: a single word is no loop at all. */
static void set_load_length(uint32_t i, uint32_t words, uint32_t from) {
    if (words == 0)
        fail(FW_ERROR_BAD_BATCH, from, 0);
    if (words == 1 || loads[i].words == 1)
        bus_write32(loads[i].registers + GLB_LD_DIM, words != 1);
    if (words != 1)
        bus_write32(loads[i].registers + GLB_LD_RANGE, words - 2);
    loads[i].words = words;
}

/* Rows have the addresses of the first lane; the other lanes' banks hold the same at the same places. */
static void set_loads(uint32_t lane, uint32_t run) {
    uint32_t n = batch.k->n_loads, row = row_of(run);
    for (uint32_t i = lane * n, end = i + n; i < end; i++, row += 8) {
        uint32_t address = bus_read32(row) + loads[i].offset, words = bus_read32(row + 4);
        if (address != loads[i].address) {
            bus_write32(loads[i].registers + GLB_LD_START_ADDR, address);
            loads[i].address = address;
        }
        if (words != loads[i].words)
            set_load_length(i, words, row + 4);
    }
}

/* ---- stores ---------------------------------------------------------------------------------- */

static void set_stores(uint32_t lane, uint32_t run) {
    uint32_t n = batch.k->n_stores;
    for (uint32_t i = lane * n, end = i + n; i < end; i++) {
        if (stores[i].address == stores[i].end)
            fail(FW_ERROR_OUTPUT_OVERFLOW, glb_tile_of(stores[i].registers), run);
        bus_write32(stores[i].registers + GLB_ST_START_ADDR, stores[i].address);
    }
}

/* Words from `address` on that `blocks` blocks take, their lengths included; more than `limit` when they do
 * not end within so many. */
static uint32_t stored_words(uint32_t address, uint32_t blocks, uint32_t limit) {
    uint32_t words = 1u + glb_data16(address);
    while (--blocks) {
        if (words >= limit)
            return limit + 1;
        words += 1u + glb_data16(address + 2 * words);
    }
    return words;
}

/* Writes where the run's outputs are into its row; the next ones come behind them. */
static void take_outputs(uint32_t lane, uint32_t row) {
    uint32_t n = batch.k->n_stores, out = cell(row, batch.k->n_loads, 0);
    for (uint32_t i = lane * n, end = i + n; i < end; i++, out += 8) {
        uint32_t address = stores[i].address, left = (stores[i].end - address) / 2;
        uint32_t words = stored_words(address, stores[i].blocks, left);
        if (words > left)
            fail(FW_ERROR_OUTPUT_OVERFLOW, glb_tile_of(stores[i].registers), lanes[lane].run);
        bus_write32(out, address);
        bus_write32(out + 4, words);
        stores[i].address = address + 2 * words;
    }
}

/* ---- lanes ----------------------------------------------------------------------------------- */

/* The run the lane does next: the one it is set up for, or the next of the table. When there is none left,
 * one that another lane is set up for and has no time for yet; NO_RUN if there is none of those either. */
static uint32_t take_run(uint32_t lane) {
    uint32_t from = lane;
    if (lanes[lane].next == NO_RUN && batch.taken < batch.runs)
        return batch.taken++;
    for (uint32_t l = 0; lanes[from].next == NO_RUN && l < batch.k->n_lanes; l++)
        from = l;
    uint32_t run = lanes[from].next;
    lanes[from].next = NO_RUN;
    return run;
}

/* Loads and stores start with one write: the flush it makes must not meet words of this run. */
static void start_run(uint32_t lane) {
    const kernel_lane *l = &batch.k->lanes[lane];
    bool ready = lanes[lane].next != NO_RUN; /* its loads are set up */
    uint32_t run = take_run(lane);
    if (run == NO_RUN)
        return;
    if (!ready)
        set_loads(lane, run);
    set_stores(lane, run);
    streams_expect(l->load_mask, l->store_mask);
    uint32_t start = cycles_now();
    glc_write(GLC_STREAM_START,
              FIELD(GLC_STREAM_START_G2F, l->load_mask) | FIELD(GLC_STREAM_START_F2G, l->store_mask));
    waits[lane] = (stream_set){.mask = l->load_mask, .kind = STREAM_LOAD};
    lanes[lane].started = start;
    lanes[lane].run = (uint16_t)run;
    lanes[lane].number = (uint16_t)batch.starts++;
    if (batch.open++ == 0) {
        batch.firmware += start - batch.since;
        batch.since = start;
    }
}

static void end_loads(uint32_t lane) {
    waits[lane] = (stream_set){.mask = batch.k->lanes[lane].store_mask, .kind = STREAM_STORE};
    if (batch.taken < batch.runs) {
        lanes[lane].next = batch.taken++;
        set_loads(lane, lanes[lane].next);
    }
}

static void end_run(uint32_t lane) {
    uint32_t end = streams_last_done(), row = row_of(lanes[lane].run);
    uint32_t last = cell(row, batch.k->n_loads + batch.k->n_stores, 0);
    waits[lane].mask = 0;
    if (--batch.open == 0) {
        batch.kernel += end - batch.since;
        batch.since = end;
    }
    take_outputs(lane, row);
    bus_write32(last, end - lanes[lane].started);
    bus_write32(last + 4, lane | (uint32_t)lanes[lane].number << FW_ROW_START_SHIFT);
    start_run(lane);
}

static _Noreturn void report_timeout(void) {
    const kernel_description *k = batch.k;
    uint32_t open_loads = 0, open_stores = 0, run = 0;
    for (uint32_t lane = k->n_lanes; lane-- > 0;) {
        if (!waits[lane].mask)
            continue;
        open_loads |= streams_open(STREAM_LOAD, k->lanes[lane].load_mask);
        open_stores |= streams_open(STREAM_STORE, k->lanes[lane].store_mask);
        run = lanes[lane].run;
    }
    fail(FW_ERROR_RUN_TIMEOUT,
         FIELD(GLC_STREAM_START_G2F, open_loads) | FIELD(GLC_STREAM_START_F2G, open_stores), run);
}

void dispatch_batch(const kernel_description *k, uint32_t table, uint32_t runs) {
    uint32_t room = ONYX_SRAM + FW_TABLE_END - table;
    if (table < ONYX_SRAM + FW_TABLE_OFFSET || table % 4 || room > FW_TABLE_END ||
        runs > room / fw_row_bytes(k->n_loads, k->n_stores))
        fail(FW_ERROR_BAD_BATCH, table, runs);
    batch.k = k;
    batch.table = table;
    batch.row_bytes = fw_row_bytes(k->n_loads, k->n_stores);
    batch.runs = (uint16_t)runs;
    batch.taken = batch.starts = batch.open = 0;
    batch.kernel = batch.firmware = 0;
    batch.since = cycles_now();
    for (uint32_t i = 0; i < k->n_lanes * k->n_stores; i++)
        stores[i].address = stores[i].end - ONYX_GLB_BANK_BYTES;
    for (uint32_t lane = 0; lane < k->n_lanes; lane++) {
        lanes[lane].next = NO_RUN;
        waits[lane].mask = 0;
    }
    for (uint32_t lane = 0; lane < k->n_lanes; lane++)
        start_run(lane);
    while (batch.open) {
        uint32_t lane = streams_wait(waits, k->n_lanes);
        if (lane == k->n_lanes)
            report_timeout();
        if (waits[lane].kind == STREAM_LOAD)
            end_loads(lane);
        else
            end_run(lane);
    }
    batch.firmware += cycles_now() - batch.since;
    mailbox_add_cycles(mailbox.kernel_cycles, batch.kernel);
    mailbox_add_cycles(mailbox.firmware_cycles, batch.firmware);
}
