/* Runs a batch of one of the kernels, with one start pulse for each run. A lane is what starts together: all
 * copies of the kernel, or each of several by itself, which then takes the next run of the table whenever it
 * is idle. While a run's outputs drain, the loads of the lane's next run are set up; what only tells of the
 * run before is written once the next one runs. */
#include "firmware/target/hal.h"
#include "firmware/target/target.h"

#define NO_RUN UINT16_MAX

/* This is what the DMAs are set to now, with everything that does not change worked out once: registers are
 * slow to write, and between two runs nothing else happens on the array. */
typedef struct {
    uint32_t registers;      /* address of the GLB tile's */
    uint32_t offset;         /* from the first lane's bank to this one's, bytes */
    uint32_t address, words; /* of the run that is set up */
} load;
typedef struct {
    uint32_t registers;
    uint32_t address, end; /* where the next run's output begins, where the batch's bank ends */
    uint32_t blocks;
} store;
static load loads[KERNEL_MAX_STREAMS];
static store stores[KERNEL_MAX_STREAMS];
static uint16_t blocks_of[ONYX_GLB_TILES]; /* what the buffer's registers say */

static struct {
    uint32_t started;   /* cycle */
    uint16_t run, next; /* under way; whose loads are set up already, or NO_RUN */
    uint16_t number;    /* of the start pulse in the batch */
} lanes[KERNEL_MAX_LANES];
static stream_set waits[KERNEL_MAX_LANES]; /* by lane: its loads, then its stores; nothing when idle */

static struct {
    const kernel_part *part;
    load *loads;   /* of the part */
    store *stores; /* likewise */
    uint32_t table, row_bytes;
    uint16_t runs, taken;      /* taken: runs that are a lane's, from the first on */
    uint16_t starts, open;     /* start pulses; lanes at work */
    uint32_t since;            /* cycle at which the first lane started, or the last one became idle */
    uint64_t kernel, firmware; /* cycles; the mailbox has them when the batch is over */
} batch;

static uint32_t row_of(uint32_t run) {
    return batch.table + run * batch.row_bytes;
}

/* Returns the address of a field of the run table: stream `i` of the row, whose word 0 is an address and word
 * 1 a length. */
static uint32_t cell(uint32_t row, uint32_t i, uint32_t word) {
    return row + 8 * i + 4 * word;
}

static uint32_t glb_tile_of(uint32_t registers) {
    return (registers - glb_registers(0)) / GLB_TILE_STRIDE;
}

static uint32_t bank_start(uint32_t glb_tile, uint32_t bank) {
    return (glb_tile * ONYX_GLB_BANKS + bank) * ONYX_GLB_BANK_BYTES;
}

/* A word's address is the start plus a stride a word, in one loop over the words of the stream: reset leaves
 * a stride of 0, and all words on one address; and 0 as the first cycle, which is right. */
static void set_up_load(const kernel_stream *s, const kernel_stream *of_first_lane, bool known, load *l) {
    uint32_t registers = glb_registers(s->glb_tile);
    if (!known) {
        bus_write32(registers + GLB_LD_CTRL, FIELD(GLB_LD_CTRL_MODE, DMA_ONCE) |
                                                 FIELD(GLB_LD_CTRL_VALID_MODE, LD_READY_VALID) |
                                                 FIELD(GLB_LD_CTRL_DATA_MUX, s->data_mux));
        bus_write32(registers + GLB_LD_STRIDE, 2);
        bus_write32(registers + GLB_LD_CYCLE_STRIDE, 1);
    }
    l->registers = registers;
    l->offset = bank_start(s->glb_tile, 0) - bank_start(of_first_lane->glb_tile, 0);
    l->address = UINT32_MAX;
    l->words = UINT32_MAX; /* no run has so many: the first one sets the loop */
}

/* The blocks end a store; its loop only has to be as long as a bank. */
static void set_up_store(const kernel_stream *s, uint32_t early, const kernel_image *old, store *to) {
    uint32_t registers = glb_registers(s->glb_tile);
    if (!old || !(old->store_mask >> s->glb_tile & 1))
        bus_write32(registers + GLB_ST_CTRL, FIELD(GLB_ST_CTRL_MODE, DMA_ONCE) |
                                                 FIELD(GLB_ST_CTRL_VALID_MODE, ST_READY_VALID) |
                                                 FIELD(GLB_ST_CTRL_DATA_MUX, s->data_mux));
    if (!old || blocks_of[s->glb_tile] != s->num_blocks)
        bus_write32(registers + GLB_ST_NUM_BLOCKS, s->num_blocks);
    blocks_of[s->glb_tile] = s->num_blocks;
    if (!old) {
        bus_write32(registers + GLB_ST_DIM, 1);
        bus_write32(registers + GLB_ST_RANGE, ONYX_GLB_BANK_BYTES / 2 - 2);
        bus_write32(registers + GLB_ST_STRIDE, 2);
        bus_write32(registers + GLB_ST_CYCLE_STRIDE, 1);
    }
    if (early >> s->glb_tile & 1)
        bus_write32(registers + GLB_ST_START_ADDR, bank_start(s->glb_tile, 1));
    to->registers = registers;
    to->blocks = s->num_blocks;
}

static inline __attribute__((always_inline)) void take_part(const kernel_part *p) {
    batch.part = p;
    batch.loads = loads + (p->loads - p->image->loads);
    batch.stores = stores + (p->stores - p->image->stores);
}

/* Lets the columns run. A store has room for words whether it runs or not, and its start forgets them: so
 * those that need no load, and come now, go to where the first batch will write. The flush of the first run
 * makes them once more. */
void dispatch_release(const kernel_description *k, const kernel_part *p) {
    const uint16_t early = p->image->early_stores;
    const stream_set stores_of_early = {.mask = early, .kind = STREAM_STORE};
    hal_mask_interrupts();
    take_part(p);
    streams_set_timeout(k->timeout);
    if (early) {
        streams_expect(0, early);
        glc_write(GLC_STREAM_START, FIELD(GLC_STREAM_START_F2G, early));
    }
    glc_write(GLC_CGRA_STALL, 0);
    if (early && streams_wait(&stores_of_early, 1) != 0)
        fail(FW_ERROR_EARLY_OUTPUT, streams_open(STREAM_STORE, early), early);
    hal_unmask_interrupts();
}

static void set_up_loads(const kernel_image *image, bool known) {
    const kernel_stream *s = image->loads;
    uint32_t all = image->n_loads, of_lane = image->lane_loads;
    for (uint32_t n = 0, i = 0; n < all; n++, s++) {
        set_up_load(s, &image->loads[i], known, &loads[n]);
        i = i + 1 == of_lane ? 0 : i + 1;
    }
}

static void set_up_stores(const kernel_image *image, const kernel_image *old, bool known) {
    const kernel_stream *s = image->stores;
    uint32_t early = image->early_stores, others = old ? old->store_mask & ~(uint32_t)image->store_mask : 0;
    for (; others; others &= others - 1) /* a store that is set up takes words whether it runs or not */
        glb_write((uint32_t)__builtin_ctz(others), GLB_ST_CTRL, 0);
    for (store *to = stores, *end = to + image->n_stores; to < end; to++, s++)
        set_up_store(s, early, known ? old : 0, to);
}

void dispatch_set(const kernel_image *i, stream_kind kind, const kernel_image *old, bool known) {
    if (kind == STREAM_LOAD)
        set_up_loads(i, known);
    else
        set_up_stores(i, old, known);
}

/* ---- loads ----------------------------------------------------------------------------------- */

/* A loop has an extent of at least 2: a single word is no loop at all. */
static void set_loops(const load *l, uint32_t words, uint32_t from) {
    if (words == 0)
        fail(FW_ERROR_BAD_BATCH, from, 0);
    bus_write32(l->registers + GLB_LD_DIM, words != 1);
}

/* Sets a lane's loads up for a run. Rows have the addresses of the first lane; the other lanes' banks hold
 * the same at the same places. */
static void set_loads(uint32_t lane, uint32_t run) {
    uint32_t n = batch.part->n_loads, row = row_of(run);
    for (load *l = &batch.loads[lane * n], *end = l + n; l < end; l++, row += 8) {
        uint32_t address = bus_read32(row) + l->offset, words = bus_read32(row + 4);
        if (address != l->address) {
            bus_write32(l->registers + GLB_LD_START_ADDR, address);
            l->address = address;
        }
        if (words != l->words) {
            if (words <= 1 || l->words + 1 <= 2)
                set_loops(l, words, row + 4);
            bus_write32(l->registers + GLB_LD_RANGE, words - 2); /* unused without a loop */
            l->words = words;
        }
    }
}

/* ---- stores ---------------------------------------------------------------------------------- */

/* Says where the outputs of run `run` begin. */
static void set_store(store *s, uint32_t address, uint32_t run) {
    if (address == s->end)
        fail(FW_ERROR_OUTPUT_OVERFLOW, glb_tile_of(s->registers), run);
    s->address = address;
    bus_write32(s->registers + GLB_ST_START_ADDR, address);
}

/* Counts the words from `address` on that `blocks` blocks take, their lengths included; the result is more
 * than `limit` when they do not end within so many. */
static uint32_t stored_words(uint32_t address, uint32_t blocks, uint32_t limit) {
    uint32_t words = 1u + glb_data16(address);
    while (--blocks) {
        if (words >= limit)
            return limit + 1;
        words += 1u + glb_data16(address + 2 * words);
    }
    return words;
}

/* Writes where the run's outputs are into its row, and points the stores behind them for the next one. */
static void take_outputs(uint32_t lane, uint32_t row, uint32_t next) {
    uint32_t n = batch.part->n_stores, out = cell(row, batch.part->n_loads, 0);
    for (store *s = &batch.stores[lane * n], *end = s + n; s < end; s++, out += 8) {
        uint32_t address = s->address, left = (s->end - address) / 2;
        uint32_t words = stored_words(address, s->blocks, left);
        if (words > left)
            fail(FW_ERROR_OUTPUT_OVERFLOW, glb_tile_of(s->registers), lanes[lane].run);
        bus_write32(out, address);
        bus_write32(out + 4, words);
        if (next != NO_RUN)
            set_store(s, address + 2 * words, next);
    }
}

/* ---- lanes ----------------------------------------------------------------------------------- */

/* Returns the run that the lane does next, with its loads set up: the one it is set up for, or the next of
 * the table. When there is none left, it is one that another lane is set up for and has no time for yet;
 * NO_RUN if there is none of those either. */
static uint32_t take_run(uint32_t lane) {
    uint32_t run = lanes[lane].next, n = batch.part->n_lanes;
    lanes[lane].next = NO_RUN;
    if (run != NO_RUN)
        return run;
    if (batch.taken < batch.runs)
        run = batch.taken++;
    for (uint32_t other = 0; run == NO_RUN && other < n; other++) {
        run = lanes[other].next;
        lanes[other].next = NO_RUN;
    }
    if (run != NO_RUN)
        set_loads(lane, run);
    return run;
}

/* Starts loads and stores with one write: the flush it makes must not meet words of this run. */
static void start_run(uint32_t lane, uint32_t run) {
    const kernel_lane *l = &batch.part->lanes[lane];
    streams_expect(l->load_mask, l->store_mask);
    uint32_t start = cycles_now();
    glc_write(GLC_STREAM_START,
              FIELD(GLC_STREAM_START_G2F, l->load_mask) | FIELD(GLC_STREAM_START_F2G, l->store_mask));
    waits[lane] = (stream_set){.mask = l->load_mask, .kind = STREAM_LOAD};
    lanes[lane].started = start;
    lanes[lane].run = (uint16_t)run;
    lanes[lane].number = batch.starts++;
    if (batch.open++ == 0) {
        batch.firmware += start - batch.since;
        batch.since = start;
    }
}

static void end_loads(uint32_t lane) {
    waits[lane] = (stream_set){.mask = batch.part->lanes[lane].store_mask, .kind = STREAM_STORE};
    if (batch.taken < batch.runs) {
        lanes[lane].next = batch.taken++;
        set_loads(lane, lanes[lane].next);
    }
}

static void end_run(uint32_t lane) {
    uint32_t end = streams_last_done(), cycles = end - lanes[lane].started, number = lanes[lane].number;
    uint32_t row = row_of(lanes[lane].run), last = cell(row, batch.part->n_loads + batch.part->n_stores, 0);
    if (--batch.open == 0) {
        batch.kernel += end - batch.since;
        batch.since = end;
    }
    waits[lane].mask = 0;
    uint32_t next = take_run(lane);
    take_outputs(lane, row, next);
    if (next != NO_RUN)
        start_run(lane, next);
    bus_write32(last, cycles);
    bus_write32(last + 4, lane | number << FW_ROW_START_SHIFT);
}

static _Noreturn void report_timeout(void) {
    const kernel_part *p = batch.part;
    uint32_t open_loads = 0, open_stores = 0, run = 0;
    for (uint32_t lane = p->n_lanes; lane-- > 0;) {
        if (!waits[lane].mask)
            continue;
        open_loads |= streams_open(STREAM_LOAD, p->lanes[lane].load_mask);
        open_stores |= streams_open(STREAM_STORE, p->lanes[lane].store_mask);
        run = lanes[lane].run;
    }
    fail(FW_ERROR_RUN_TIMEOUT,
         FIELD(GLC_STREAM_START_G2F, open_loads) | FIELD(GLC_STREAM_START_F2G, open_stores), run);
}

/* Sets a lane's stores to the start of the batch's bank, before its first run. */
static void start_outputs(uint32_t lane, uint32_t bank, uint32_t run) {
    uint32_t n = batch.part->n_stores;
    for (uint32_t i = lane * n; i < (lane + 1) * n; i++) {
        uint32_t start = bank_start(batch.part->stores[i].glb_tile, bank);
        batch.stores[i].end = start + ONYX_GLB_BANK_BYTES;
        set_store(&batch.stores[i], start, run);
    }
}

/* Makes a kernel the one that runs. Of those that share the image it only needs the flush of all columns,
 * with what the others have left in theirs, by its first load. */
static ONCE __attribute__((noinline)) void choose_part(const kernel_description *k, uint32_t number) {
    if (number >= k->n_parts)
        fail(FW_ERROR_BAD_PART, number, k->n_parts);
    const kernel_part *p = &k->parts[number];
    if (batch.part == p)
        return;
    if (batch.part->image == p->image) {
        glc_write(GLC_FLUSH_CROSSBAR, p->flush_crossbar);
        take_part(p);
        return;
    }
    uint32_t start = cycles_now();
    configure_array(k, p);
    dispatch_release(k, p);
    mailbox_add_cycles(mailbox.config_cycles, cycles_now() - start);
}

void dispatch_batch(const kernel_description *k, uint32_t part, uint32_t table, uint32_t runs,
                    uint32_t outputs) {
    uint32_t room = ONYX_SRAM + FW_TABLE_END - table;
    choose_part(k, part);
    const kernel_part *p = batch.part;
    if (table < ONYX_SRAM + FW_TABLE_OFFSET || table % 4 || room > FW_TABLE_END ||
        runs > room / fw_row_bytes(p->n_loads, p->n_stores))
        fail(FW_ERROR_BAD_BATCH, table, runs);
    if (outputs >= ONYX_GLB_BANKS)
        fail(FW_ERROR_OUTPUT_BANK, outputs, ONYX_GLB_BANKS);
    batch.table = table;
    batch.row_bytes = fw_row_bytes(p->n_loads, p->n_stores);
    batch.runs = (uint16_t)runs;
    batch.taken = batch.starts = batch.open = 0;
    batch.kernel = batch.firmware = 0;
    batch.since = cycles_now();
    hal_mask_interrupts();
    for (uint32_t lane = 0; lane < p->n_lanes; lane++) {
        lanes[lane].next = NO_RUN;
        waits[lane].mask = 0;
    }
    for (uint32_t lane = 0; lane < p->n_lanes && lane < runs; lane++) {
        uint32_t run = take_run(lane);
        start_outputs(lane, outputs, run);
        start_run(lane, run);
    }
    while (batch.open) {
        uint32_t lane = streams_wait(waits, p->n_lanes);
        if (lane == p->n_lanes)
            report_timeout();
        if (waits[lane].kind == STREAM_LOAD)
            end_loads(lane);
        else
            end_run(lane);
    }
    hal_unmask_interrupts();
    batch.firmware += cycles_now() - batch.since;
    mailbox_add_cycles(mailbox.kernel_cycles, batch.kernel);
    mailbox_add_cycles(mailbox.firmware_cycles, batch.firmware);
}
