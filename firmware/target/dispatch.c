/* Runs a batch of one of the kernels, with one start pulse for each run. A lane is what starts together: all
 * copies of the kernel, or each of several by itself, which then takes the next run of the table whenever it
 * is idle. Registers are slow to write, and between two runs nothing else happens on the array: so what holds
 * its value is not written, loads are set up for the next run while the outputs of this one drain, and what
 * only tells of the run before is written once the next one runs. */
#include "firmware/target/functions.h"
#include "firmware/target/hal.h"

/* What the DMAs of a GLB tile are set to now. Addresses of loads are those of the first lane. */
typedef struct {
    uint32_t address;
    int32_t range;      /* the words but two; NOT_SET, which no run has: nothing is known */
    uint32_t registers; /* address of the tile's */
    uint32_t offset;    /* from the first lane's bank to this one's, bytes */
} load_state;
typedef struct {
    uint32_t address; /* where the run's output begins */
    uint32_t blocks;
} store_state;
static load_state loads[ONYX_GLB_TILES];
static store_state stores[ONYX_GLB_TILES];
enum { NOT_SET = INT32_MIN, NO_ADDRESS = -1 };

/* Rows of the run table are named by their addresses; 0 is no row. */
typedef struct {
    uint32_t row, next; /* under way; whose loads are set up already */
    uint32_t started;   /* cycle */
    uint32_t number;    /* of the start pulse in the batch */
} lane_state;
static lane_state lanes[KERNEL_MAX_LANES];
static uint32_t waits[KERNEL_MAX_LANES]; /* by lane: its loads, then its stores, too; nothing when idle */

static struct {
    const kernel_part *part;
    uint32_t row_bytes;         /* of the part */
    uint32_t table, fresh, end; /* rows: the first, the first that is no lane's, what is behind the last */
    uint32_t starts, open;      /* start pulses; lanes at work */
    uint32_t since, worked;     /* cycle up to which all is counted; of those behind, with a lane at work */
    uint32_t busy, when;        /* cycle at which the first lane started; of what was waited for */
} batch;

static uint32_t bank_start(uint32_t glb_tile, uint32_t bank) {
    return (glb_tile * ONYX_GLB_BANKS + bank) * ONYX_GLB_BANK_BYTES;
}

static uint32_t run_of(uint32_t row) {
    return (row - batch.table) / batch.row_bytes;
}

static inline __attribute__((always_inline)) void set_store(uint32_t tile, uint32_t address) {
    if (stores[tile].address == address)
        return;
    stores[tile].address = address;
    glb_write(tile, GLB_ST_START_ADDR, address);
}

SMALL_FROM_HERE

/* ---- what all runs share --------------------------------------------------------------------- */

/* A word's address is the start plus a stride a word, in one loop over the words of the stream: reset leaves
 * a stride of 0, and all words on one address; and 0 as the first cycle, which is right. */
static inline void set_up_load(const kernel_stream *s, load_state *l) {
    const uint32_t registers = glb_registers(s->glb_tile);
    bus_write32(registers + GLB_LD_CTRL, FIELD(GLB_LD_CTRL_MODE, DMA_ONCE) |
                                             FIELD(GLB_LD_CTRL_VALID_MODE, LD_READY_VALID) |
                                             FIELD(GLB_LD_CTRL_DATA_MUX, s->data_mux));
    bus_write32(registers + GLB_LD_STRIDE, 2);
    bus_write32(registers + GLB_LD_CYCLE_STRIDE, 1);
    l->registers = registers;
    l->address = (uint32_t)NO_ADDRESS;
    l->range = NOT_SET;
}

/* The blocks end a store; its loop only has to be as long as a bank. */
static void set_up_store(const kernel_stream *s, uint32_t early, const kernel_image *old, store_state *to) {
    uint32_t registers = glb_registers(s->glb_tile);
    if (!old || !(old->store_mask >> s->glb_tile & 1))
        bus_write32(registers + GLB_ST_CTRL, FIELD(GLB_ST_CTRL_MODE, DMA_ONCE) |
                                                 FIELD(GLB_ST_CTRL_VALID_MODE, ST_READY_VALID) |
                                                 FIELD(GLB_ST_CTRL_DATA_MUX, s->data_mux));
    if (!old || to->blocks != s->num_blocks)
        bus_write32(registers + GLB_ST_NUM_BLOCKS, s->num_blocks);
    to->blocks = s->num_blocks;
    if (!old) {
        bus_write32(registers + GLB_ST_DIM, 1);
        bus_write32(registers + GLB_ST_RANGE, ONYX_GLB_BANK_BYTES / 2 - 2);
        bus_write32(registers + GLB_ST_STRIDE, 2);
        bus_write32(registers + GLB_ST_CYCLE_STRIDE, 1);
        to->address = (uint32_t)NO_ADDRESS;
    }
    if (early >> s->glb_tile & 1)
        set_store(s->glb_tile, bank_start(s->glb_tile, 1));
}

static void set_up_loads(const kernel_image *image, bool known) {
    const kernel_stream *s = image->loads;
    const uint32_t of_lane = image->lane_loads;
    uint32_t i = of_lane, back = 0; /* to the first lane's stream of the kind */
    for (uint32_t left = image->n_loads; left; left--, s++) {
        load_state *l = &loads[s->glb_tile];
        l->offset = bank_start(s->glb_tile, 0) - bank_start((s - back)->glb_tile, 0);
        if (!known)
            set_up_load(s, l);
        if (--i == 0) {
            i = of_lane;
            back += of_lane;
        }
    }
}

static void set_up_stores(const kernel_image *image, const kernel_image *old, bool known) {
    uint32_t others = old ? old->store_mask & ~(uint32_t)image->store_mask : 0;
    for (; others; others &= others - 1) /* a store that is set up takes words whether it runs or not */
        glb_write((uint32_t)__builtin_ctz(others), GLB_ST_CTRL, 0);
    const kernel_stream *s = image->stores;
    for (uint32_t n = 0; n < image->n_stores; n++, s++)
        set_up_store(s, image->early_stores, known ? old : 0, &stores[s->glb_tile]);
}

void dispatch_set(const kernel_image *i, stream_kind kind, const kernel_image *old, bool known) {
    if (kind == STREAM_LOAD)
        set_up_loads(i, known);
    else
        set_up_stores(i, old, known);
}

static void take_part(const kernel_part *p) {
    batch.part = p;
    batch.row_bytes = fw_row_bytes(p->n_loads, p->n_stores);
}

/* Lets the columns run. A store has room for words whether it runs or not, and its start forgets them: so
 * those that need no load, and come now, go to where the first batch will write. The flush of the first run
 * makes them once more. */
void dispatch_release(const kernel_description *k, const kernel_part *p) {
    const uint32_t early = (uint32_t)p->image->early_stores << STREAM_STORES;
    uint32_t when;
    take_part(p);
    streams_set_timeout(k->timeout);
    if (early)
        streams_start(early);
    glc_write(GLC_CGRA_STALL, 0);
    if (early && streams_wait(&early, 1, &when) != 0)
        fail(FW_ERROR_EARLY_OUTPUT, streams_open(early) >> STREAM_STORES, early >> STREAM_STORES);
    hal_unmask_interrupts();
}

SMALL_TO_HERE

/* ---- loads ----------------------------------------------------------------------------------- */

/* A loop has an extent of at least 2: a single word is no loop at all. */
static ONCE __attribute__((noinline)) void set_loops(const load_state *l, int32_t range, uint32_t from) {
    if (range == -2)
        fail(FW_ERROR_BAD_BATCH, from, 0);
    bus_write32(l->registers + GLB_LD_DIM, range >= 0);
}

/* Sets a lane's loads up for a run. Rows have the addresses of the first lane; the other lanes' banks hold
 * the same at the same places. */
static __attribute__((noinline)) void set_loads(uint32_t lane, uint32_t row) {
    const uint32_t n = batch.part->n_loads;
    const kernel_stream *at = batch.part->loads + lane * n, *const end = at + n;
    do {
        load_state *l = &loads[at++->glb_tile];
        uint32_t address = bus_read32(row);
        int32_t range = (int32_t)(bus_read32(row + 4) - 2);
        row += 8;
        if (address != l->address) {
            l->address = address;
            bus_write32(l->registers + GLB_LD_START_ADDR, address + l->offset);
        }
        if (range != l->range) {
            if ((range | l->range) < 0)
                set_loops(l, range, row - 4);
            l->range = range;
            bus_write32(l->registers + GLB_LD_RANGE, (uint32_t)range); /* unused without a loop */
        }
    } while (at < end);
}

/* ---- stores ---------------------------------------------------------------------------------- */

/* Sets a lane's stores to the start of the batch's banks, a bit a GLB tile, before its first run. */
static void start_outputs(uint32_t lane, uint32_t banks) {
    const uint32_t n = batch.part->n_stores;
    const kernel_stream *at = batch.part->stores + lane * n, *const last = at + n;
    do
        set_store(at->glb_tile, bank_start(at->glb_tile, banks >> at->glb_tile & 1));
    while (++at < last);
}

/* A run's output goes beyond its bank, or only leaves no word for the next one. */
static ONCE _Noreturn __attribute__((noinline)) void overflow(uint32_t tile, uint32_t row) {
    fail(FW_ERROR_OUTPUT_OVERFLOW, tile, run_of(row));
}

/* Writes into the run's row where its outputs are, and how long; the stores go on behind them in the lane's
 * next run, if there is one. Each block has its length before it. */
static __attribute__((noinline)) void take_outputs(uint32_t lane, uint32_t row, uint32_t next) {
    const kernel_part *p = batch.part;
    const kernel_stream *at = p->stores + lane * p->n_stores, *const last = at + p->n_stores;
    uint32_t out = row + 8 * p->n_loads;
    do {
        const uint32_t tile = at->glb_tile, from = stores[tile].address,
                       bank = from | (ONYX_GLB_BANK_BYTES - 1);
        uint32_t to = from, blocks = stores[tile].blocks;
        do
            to += 2 * glb_data16(to) + 2;
        while (--blocks && to <= bank);
        if (blocks || to > bank) {
            if (blocks || to > bank + 1)
                overflow(tile, row);
            if (next)
                overflow(tile, next);
        }
        bus_write32(out, from);
        bus_write32(out + 4, (to - from) / 2);
        out += 8;
        if (next)
            set_store(tile, to);
    } while (++at < last);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static uint32_t streams_of(uint32_t lane) {
    const kernel_lane *l = &batch.part->lanes[lane];
    return l->load_mask | (uint32_t)l->store_mask << STREAM_STORES;
}

static inline void end_row(uint32_t row, uint32_t cycles, uint32_t start) {
    const uint32_t last = row + batch.row_bytes - 8;
    bus_write32(last, cycles);
    bus_write32(last + 4, start);
}

static ONCE _Noreturn __attribute__((noinline)) void report_timeout(void) {
    uint32_t open = 0, row = 0;
    for (uint32_t lane = batch.part->n_lanes; lane-- > 0;) {
        if (!waits[lane])
            continue;
        open |= streams_open(streams_of(lane));
        row = lanes[lane].row;
    }
    fail(FW_ERROR_RUN_TIMEOUT, open, run_of(row));
}

/* Waits for these streams of the only lane. */
static inline void wait_for(uint32_t streams) {
    waits[0] = streams;
    if (streams_wait(waits, 1, &batch.when))
        report_timeout();
}

static void count(uint32_t now) {
    mailbox_add_run(batch.worked, now - batch.since);
    batch.worked = 0;
    batch.since = now;
}

/* The array was at work for so many cycles, up to now. */
static inline void add_work(uint32_t cycles, uint32_t now) {
    batch.worked += cycles;
    if ((now - batch.since) >> 31) /* a clock counts to 2^32 */
        count(now);
}

/* Runs the rows one behind the other, on all streams at once. One write starts loads and stores: the flush it
 * makes must not meet words of this run. Loads are waited for where there is a run to set them up for; a
 * short one may be over then. */
static void run_alone(uint32_t outputs) {
    const uint32_t streams = streams_of(0);
    uint32_t row = batch.fresh, next, last = 0, cycles = 0, number = 0;
    set_loads(0, row);
    start_outputs(0, outputs);
    do {
        const uint32_t start = streams_start(streams);
        lanes[0].row = row;
        if (last) {
            end_row(last, cycles, number);
            number += 1 << FW_ROW_START_SHIFT;
        }
        last = row;
        next = row + batch.row_bytes;
        if (next == batch.end) {
            next = 0;
        } else {
            wait_for(streams & STREAM_LOADS);
            set_loads(0, next);
        }
        if (streams_open(streams))
            wait_for(streams);
        take_outputs(0, row, next);
        cycles = batch.when - start;
        add_work(cycles, batch.when);
        row = next;
    } while (next);
    end_row(last, cycles, number);
}

SMALL_FROM_HERE

/* ---- lanes ----------------------------------------------------------------------------------- */

static ONCE uint32_t fresh_row(void) {
    uint32_t row = batch.fresh;
    if (row == batch.end)
        return 0;
    batch.fresh = row + batch.row_bytes;
    return row;
}

/* Returns the run that a lane does next, with its loads set up: the one it is set up for, or the next of the
 * table, or, when there is none left, one that another lane is set up for and has no time for yet; 0 if there
 * is none of those either. */
static ONCE uint32_t take_run(uint32_t lane) {
    uint32_t row = lanes[lane].next;
    lanes[lane].next = 0;
    if (row)
        return row;
    row = fresh_row();
    for (uint32_t other = 0; !row && other < batch.part->n_lanes; other++) {
        row = lanes[other].next;
        lanes[other].next = 0;
    }
    if (row)
        set_loads(lane, row);
    return row;
}

static ONCE void start_run(uint32_t lane, uint32_t row) {
    const uint32_t streams = streams_of(lane), start = streams_start(streams);
    waits[lane] = batch.fresh == batch.end ? streams : streams & STREAM_LOADS;
    lanes[lane].row = row;
    lanes[lane].started = start;
    lanes[lane].number = batch.starts++;
    if (batch.open++ == 0)
        batch.busy = start;
}

static ONCE void end_loads(uint32_t lane) {
    waits[lane] = streams_of(lane);
    lanes[lane].next = fresh_row();
    if (lanes[lane].next)
        set_loads(lane, lanes[lane].next);
}

static ONCE void end_run(uint32_t lane, uint32_t end) {
    const lane_state ended = lanes[lane];
    if (--batch.open == 0)
        add_work(end - batch.busy, end);
    waits[lane] = 0;
    uint32_t next = take_run(lane);
    take_outputs(lane, ended.row, next);
    if (next)
        start_run(lane, next);
    end_row(ended.row, end - ended.started, lane | ended.number << FW_ROW_START_SHIFT);
}

/* A lane takes the next row whenever it is idle, and sets it up when its loads are done. */
static ONCE void run_apart(uint32_t outputs) {
    const uint32_t n = batch.part->n_lanes;
    uint32_t row;
    batch.starts = batch.open = 0;
    for (uint32_t lane = 0; lane < n; lane++)
        waits[lane] = lanes[lane].next = 0;
    for (uint32_t lane = 0; lane < n && (row = take_run(lane)) != 0; lane++) {
        start_outputs(lane, outputs);
        start_run(lane, row);
    }
    while (batch.open) {
        uint32_t lane = streams_wait(waits, n, &batch.when);
        if (lane == n)
            report_timeout();
        if (waits[lane] >> STREAM_STORES)
            end_run(lane, batch.when);
        else
            end_loads(lane);
    }
}

SMALL_TO_HERE

/* ---- batches --------------------------------------------------------------------------------- */

/* Makes a kernel the one that runs. Of those that share the image it only needs the flush of all columns,
 * with what the others have left in theirs, by its first load. */
static ONCE __attribute__((noinline)) void choose_part(const kernel_description *k, uint32_t number) {
    if (number >= k->n_parts)
        fail(FW_ERROR_BAD_PART, number, k->n_parts);
    const kernel_part *p = &k->parts[number];
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

void dispatch_check(uint32_t table, uint32_t rows, uint32_t row_bytes, uint32_t outputs) {
    const uint32_t most = FW_TABLE_END - FW_TABLE_OFFSET, offset = table - (ONYX_SRAM + FW_TABLE_OFFSET);
    if (offset % 4 || offset > most || (uint64_t)rows * row_bytes > most - offset)
        fail(FW_ERROR_BAD_BATCH, table, rows);
    if (outputs >> ONYX_GLB_TILES)
        fail(FW_ERROR_OUTPUT_BANK, outputs, ONYX_GLB_TILES);
}

void dispatch_batch(const kernel_description *k, uint32_t part, uint32_t table, uint32_t runs,
                    uint32_t outputs) {
    if (batch.part != &k->parts[part])
        choose_part(k, part);
    dispatch_check(table, runs, batch.row_bytes, outputs);
    batch.table = batch.fresh = table;
    batch.end = table + runs * batch.row_bytes;
    batch.since = cycles_now();
    batch.worked = 0;
    if (batch.part->n_lanes > 1)
        run_apart(outputs);
    else if (runs)
        run_alone(outputs);
    hal_unmask_interrupts();
    count(cycles_now());
}
