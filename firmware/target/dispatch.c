/* Runs a batch of a kernel, with a start pulse for each run. A lane is the set of streams with a common
 * start: all copies of the kernel, or each of several copies by itself, which takes the next run of the table
 * whenever idle. Registers are slow to write, and the array idles between two runs: unchanged values are not
 * written, loads are set up for the next run while this run's outputs drain, and the report of a run is
 * written once the next run is active. */
#include "firmware/target/commands.h"
#include "firmware/target/functions.h"
#include "firmware/target/hal.h"
#include "firmware/target/mailbox.h"
#include "firmware/target/streams.h"
#include "firmware/target/switch.h"

/* Current settings of a GLB tile's DMAs. A load's address is that of its run's row: the first lane's. */
typedef struct {
    uint32_t address;
    int32_t range; /* the words but two */
} load_state;
static load_state loads[ONYX_GLB_TILES];
static uint32_t stores[ONYX_GLB_TILES]; /* first address of the run's output */
enum { NO_ADDRESS = -1 };
/* By bank, a bit for each GLB tile: stores that stand at its start. By the tile of a kernel's first load: its
 * streams are set up since its image came in. */
static uint32_t at_start[ONYX_GLB_BANKS], kernels_set;
/* By the tile of a kernel's first load: the single run for which its streams are set up, if dispatch_settled
 * has the bit. */
static struct { uint32_t row[ONYX_GLB_TILES], outputs[ONYX_GLB_TILES]; } settled;

/* Rows of the run table are named by their addresses; 0 is no row. */
typedef struct {
    uint32_t row, next; /* under way; whose loads are set up already */
    uint32_t started;   /* cycle */
    uint32_t number;    /* of the start pulse in the batch */
} lane_state;
static lane_state lanes[KERNEL_MAX_LANES];
static uint32_t waits[KERNEL_MAX_LANES]; /* by lane: pending loads, later with its stores; 0: idle */

static struct {
    const array_kernel *kernel;
    uint32_t row_bytes;         /* of the kernel */
    uint32_t outputs;           /* banks, a bit a GLB tile */
    uint32_t setting;           /* row of the prepared loads */
    uint32_t ready;             /* the row whose streams are set up: the first, behind a switch */
    uint32_t table, fresh, end; /* rows: the first, the first without a lane, the end */
    uint32_t starts, open;      /* start pulses; lanes at work */
    uint32_t since, worked;     /* cycle up to which all work is counted; worked cycles since */
    uint32_t busy, when;        /* cycle of the first lane's start; cycle of the awaited end */
} batch;

static uint32_t bank_start(uint32_t glb_tile, uint32_t bank) {
    return (glb_tile * ONYX_GLB_BANKS + bank) * ONYX_GLB_BANK_BYTES;
}

static uint32_t streams_of(uint32_t lane) {
    const kernel_lane *l = &batch.kernel->lanes[lane];
    return l->load_mask | (uint32_t)l->store_mask << STREAM_STORES;
}

/* Returns the same place in another GLB tile: a bit field is one instruction. */
static uint32_t place_in(uint32_t glb_tile, uint32_t address) {
    return bank_start(glb_tile, 0) | (address & (ONYX_GLB_BANKS * ONYX_GLB_BANK_BYTES - 1));
}

static uint32_t run_of(uint32_t row) {
    return (row - batch.table) / batch.row_bytes;
}

static inline __attribute__((always_inline)) void set_store(uint32_t tile, uint32_t address) {
    if (stores[tile] == address)
        return;
    stores[tile] = address;
    glb_write(tile, GLB_ST_START_ADDR, address);
}

/* ---- settings of a run ------------------------------------------------------------------------ */

/* A run has no word for the load before `next`. */
static ONCE _Noreturn __attribute__((noinline)) void no_words(const kernel_stream *next) {
    const array_kernel *p = batch.kernel;
    fail(FW_ERROR_BAD_BATCH,
         batch.setting + fw_load_cell((uint32_t)(next - 1 - p->loads) % p->n_loads) + FW_AT_cell_words, 0);
}

/* Sets loads up for a run: those of a lane from `at` on, before `end`. Rows have the addresses of the first
 * lane; the other lanes' banks hold the same at the same places. */
static inline __attribute__((always_inline)) void set_loads_of(const kernel_stream *at,
                                                               const kernel_stream *end, uint32_t row) {
    batch.setting = row;
    do {
        const uint32_t tile = at++->glb_tile;
        load_state *l = &loads[tile];
        uint32_t address, words;
        HAL_KEEP(l);
        read_cell(row, &address, &words);
        row += FW_CELL_BYTES;
        const int32_t range = (int32_t)(words - 2);
        const load_state was = *l;
        if (address != was.address) {
            l->address = address;
            glb_write(tile, GLB_LD_START_ADDR, place_in(tile, address));
        }
        if (range != was.range) {
            if ((range | was.range) < 0) { /* a single word is no loop at all: an extent is at least 2 */
                if (range == -2)
                    no_words(at);
                glb_write(tile, GLB_LD_DIM, range >= 0);
            }
            l->range = range;
            glb_write(tile, GLB_LD_RANGE, (uint32_t)range); /* unused if the stream has no loop */
        }
    } while (at < end);
}

static __attribute__((noinline)) void set_loads(uint32_t lane, uint32_t row) {
    const uint32_t n = batch.kernel->n_loads;
    const kernel_stream *at = batch.kernel->loads + lane * n;
    set_loads_of(at, at + n, row);
}

/* Sets a lane's stores to the start of the batch's banks, a bit a GLB tile, before its first run. A single
 * lane's stores keep this start. */
static __attribute__((noinline)) void start_outputs(uint32_t lane, uint32_t banks) {
    const uint32_t mask = batch.kernel->lanes[lane].store_mask, first = at_start[0], second = at_start[1],
                   stay = batch.table + batch.row_bytes == batch.end ? mask : 0;
    uint32_t others = mask & ~((first & ~banks) | (second & banks));
    at_start[0] = (first & ~mask) | (stay & ~banks);
    at_start[1] = (second & ~mask) | (stay & banks);
    for (; others; others &= others - 1) {
        const uint32_t tile = (uint32_t)__builtin_ctz(others);
        set_store(tile, bank_start(tile, banks >> tile & 1));
    }
}

/* ---- common to all runs ---------------------------------------------------------------------- */

/* Sets a kernel's loads, and for the run of this row, if any. A word's address is the start plus a stride a
 * word, in one loop over the words of the stream. Reset leaves a stride of 0 (all words on one address); no
 * loop, which is right for a single word; and 0 as the first cycle and as the stride of cycles, ignored by a
 * ready-valid stream. */
static __attribute__((noinline)) void set_up_loads(const array_kernel *p, uint32_t row) {
    const kernel_stream *s = p->loads, *const first = s + (row ? p->n_loads : 0),
                        *const end = s + p->n_lanes * p->n_loads;
    batch.setting = row;
    for (; s < end; s++) {
        const uint32_t tile = s->glb_tile, registers = glb_registers(tile);
        uint32_t address = (uint32_t)NO_ADDRESS, words = 1;
        bus_write32(registers + GLB_LD_CTRL, FIELD(GLB_LD_CTRL_MODE, DMA_ONCE) |
                                                 FIELD(GLB_LD_CTRL_VALID_MODE, LD_READY_VALID) |
                                                 (uint32_t)s->data_mux << GLB_LD_CTRL_DATA_MUX_LSB);
        bus_write32(registers + GLB_LD_STRIDE, 2);
        if (s < first) {
            read_cell(row, &address, &words);
            row += FW_CELL_BYTES;
            bus_write32(registers + GLB_LD_START_ADDR, place_in(tile, address));
        }
        if (words != 1) {
            if (!words)
                no_words(s + 1);
            bus_write32(registers + GLB_LD_DIM, 1);
            bus_write32(registers + GLB_LD_RANGE, words - 2);
        }
        loads[tile] = (load_state){address, (int32_t)(words - 2)};
    }
}

/* The blocks end a store; its loop only has to cover a bank. From here on the store takes words whether
 * running or not, three at most, and its next start forgets them. */
static void set_up_store(const kernel_stream *s, uint32_t bank) {
    const uint32_t tile = s->glb_tile, registers = glb_registers(tile), address = bank_start(tile, bank);
    bus_write32(registers + GLB_ST_NUM_BLOCKS, s->num_blocks);
    bus_write32(registers + GLB_ST_DIM, 1);
    bus_write32(registers + GLB_ST_START_ADDR, address);
    bus_write32(registers + GLB_ST_RANGE, ONYX_GLB_BANK_BYTES / 2 - 2);
    bus_write32(registers + GLB_ST_STRIDE, 2);
    bus_write32(registers + GLB_ST_CTRL, FIELD(GLB_ST_CTRL_MODE, DMA_ONCE) |
                                             FIELD(GLB_ST_CTRL_VALID_MODE, ST_READY_VALID) |
                                             (uint32_t)s->data_mux << GLB_ST_CTRL_DATA_MUX_LSB);
    stores[tile] = address;
}

/* Sets the stores of this list that are in `tiles`, to the start of banks by tile. */
static __attribute__((noinline)) void set_up_stores(const kernel_stream *s, uint32_t n, uint32_t tiles,
                                                    uint32_t banks) {
    uint32_t set = 0;
    for (const kernel_stream *const end = s + n; s < end; s++) {
        const uint32_t tile = s->glb_tile;
        set |= tiles & 1u << tile;
        if (tiles >> tile & 1)
            set_up_store(s, banks >> tile & 1);
    }
    at_start[0] |= set & ~banks;
    at_start[1] |= set & banks;
}

/* Sets the streams of a kernel and all its lanes, but stores that are set already, and stand at a start. */
static void set_up_kernel(const array_kernel *p, uint32_t row, uint32_t outputs) {
    set_up_loads(p, row);
    set_up_stores(p->stores, p->n_lanes * p->n_stores, ~(at_start[0] | at_start[1]),
                  row ? outputs : UINT32_MAX);
    kernels_set |= 1u << p->loads->glb_tile;
}

static inline __attribute__((always_inline)) bool is_set_up(const array_kernel *p) {
    return kernels_set >> p->loads->glb_tile & 1;
}

/* Sets the stores with words before the first run, of any kernel of an image that comes in, after a reset of
 * the buffer and while columns stall. They write to the second bank. */
static void set_early_stores(const kernel_image *i) {
    kernels_set = 0;
    at_start[0] = at_start[1] = 0;
    if (i->early_stores)
        set_up_stores(i->stores, i->n_stores, i->early_stores, i->early_stores);
}

/* Sets the streams of a kernel whose image comes in, for the batch's run of this row, if any. The image's
 * other kernels are set up when they run. */
static void set_streams(const array_kernel *p, uint32_t row) {
    set_early_stores(p->image);
    set_up_kernel(p, row, batch.outputs);
    if (row) {
        start_outputs(0, batch.outputs);
        streams_rest(streams_of(0));
        batch.ready = row;
    }
}

SMALL_FROM_HERE

static inline __attribute__((always_inline)) void take_kernel(const array_kernel *p) {
    batch.kernel = p;
    batch.row_bytes = fw_row_bytes(p->n_loads, p->n_stores);
}

/* Lets the columns run if some stores have words without a load. A store has room for words whether running
 * or not, and its start forgets them: the words that come now go to the first batch's place. The flush of the
 * first run makes them once more. */
static ONCE __attribute__((noinline)) void release_early(uint32_t early) {
    uint32_t when;
    streams_start(early);
    glc_write(GLC_CGRA_STALL, 0);
    if (streams_wait(&early, 1, &when) != 0)
        fail(FW_ERROR_EARLY_OUTPUT, streams_open(early) >> STREAM_STORES, early >> STREAM_STORES);
}

/* Lets the columns run. */
static inline __attribute__((always_inline)) void release(void) {
    const uint32_t early = (uint32_t)batch.kernel->image->early_stores << STREAM_STORES;
    if (early)
        release_early(early);
    else
        glc_write(GLC_CGRA_STALL, 0);
}

void dispatch_begin(const kernel_description *k) {
    const array_kernel *const p = k->kernels;
    set_early_stores(p->image);
    set_up_kernel(p, 0, 0);
    configure_end(k, p);
    take_kernel(p);
    streams_set_timeout(k->timeout);
    release();
    hal_unmask_interrupts();
}

SMALL_TO_HERE

/* ---- outputs ---------------------------------------------------------------------------------- */

/* A run's output exceeds its bank, or leaves no word for the next output. */
static ONCE _Noreturn __attribute__((noinline)) void overflow(uint32_t tile, uint32_t row) {
    fail(FW_ERROR_OUTPUT_OVERFLOW, tile, run_of(row));
}

/* Writes the places and lengths of the run's outputs into the cells of its row, from `out` on; in the lane's
 * next run, if any, the stores continue after them. Each block has its length in front. */
static inline __attribute__((always_inline)) void take_outputs_of(const kernel_stream *at,
                                                                  const kernel_stream *last, uint32_t out,
                                                                  uint32_t row, uint32_t next) {
    do {
        const uint32_t tile = at->glb_tile, from = stores[tile], bank = from | (ONYX_GLB_BANK_BYTES - 1);
        uint32_t to = from, blocks = at->num_blocks;
        do
            to += 2 * glb_data16(to) + 2;
        while (--blocks && to <= bank);
        if (blocks || to > bank) {
            if (blocks || to > bank + 1)
                overflow(tile, row);
            if (next)
                overflow(tile, next);
        }
        set_cell(&out, from, (to - from) / 2);
        if (next)
            set_store(tile, to);
    } while (++at < last);
}

static __attribute__((noinline)) void take_outputs(uint32_t lane, uint32_t row, uint32_t next) {
    const array_kernel *p = batch.kernel;
    const kernel_stream *at = p->stores + lane * p->n_stores;
    take_outputs_of(at, at + p->n_stores, row + fw_store_cell(p->n_loads, 0), row, next);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static inline void end_row(uint32_t row, uint32_t cycles, uint32_t start) {
    const uint32_t end = row + batch.row_bytes - FW_END_BYTES;
    bus_write32(end + FW_AT_end_cycles, cycles);
    bus_write32(end + FW_AT_end_start, start);
}

static ONCE _Noreturn __attribute__((noinline)) void report_timeout(void) {
    uint32_t open = 0, row = 0;
    for (uint32_t lane = batch.kernel->n_lanes; lane-- > 0;) {
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

/* Adds `cycles` cycles of array work, up to now. */
static inline void add_work(uint32_t cycles, uint32_t now) {
    batch.worked += cycles;
    if ((now - batch.since) >> 31) /* a clock counts to 2^32 */
        count(now);
}

/* Runs the rows in order, on all streams at once. A single write starts loads and stores: its flush must not
 * meet words of this run. Loads are awaited only to set them up for another run; a short run may be over by
 * this time. */
static void run_alone(void) {
    const uint32_t streams = streams_of(0);
    uint32_t row = batch.fresh, next, last = 0, cycles = 0, number = 0;
    if (batch.ready != row) {
        set_loads(0, row);
        start_outputs(0, batch.outputs);
    }
    batch.ready = 0;
    do {
        const uint32_t start = streams_start(streams);
        lanes[0].row = row;
        if (last) {
            end_row(last, cycles, number);
            number += 1 << FW_LOW_end_start;
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

/* Returns a lane's next run, with its loads set up: the prepared run, or the next of the table, or, at the
 * table's end, a run prepared for another busy lane; 0 if none is left. */
static ONCE uint32_t take_run(uint32_t lane) {
    uint32_t row = lanes[lane].next;
    lanes[lane].next = 0;
    if (row)
        return row;
    row = fresh_row();
    for (uint32_t other = 0; !row && other < batch.kernel->n_lanes; other++) {
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
    end_row(ended.row, end - ended.started, lane | ended.number << FW_LOW_end_start);
}

/* A lane takes the next row whenever idle, and prepares the row when its loads are done. */
static ONCE void run_apart(void) {
    const uint32_t n = batch.kernel->n_lanes;
    uint32_t row;
    batch.starts = batch.open = 0;
    for (uint32_t lane = 0; lane < n; lane++)
        waits[lane] = lanes[lane].next = 0;
    for (uint32_t lane = 0; lane < n && (row = take_run(lane)) != 0; lane++) {
        start_outputs(lane, batch.outputs);
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

static inline __attribute__((always_inline)) void check_rows(uint32_t table, uint32_t rows,
                                                             uint32_t row_bytes, uint32_t outputs) {
    const uint32_t most = FW_TABLE_END - FW_TABLE_OFFSET, offset = table - (ONYX_SRAM + FW_TABLE_OFFSET);
    if (offset % 4 || offset > most || (uint64_t)rows * row_bytes > most - offset)
        fail(FW_ERROR_BAD_BATCH, table, rows);
    if (outputs >> ONYX_GLB_TILES)
        fail(FW_ERROR_OUTPUT_BANK, outputs, ONYX_GLB_TILES);
}

void dispatch_check(uint32_t table, uint32_t rows, uint32_t row_bytes, uint32_t outputs) {
    check_rows(table, rows, row_bytes, outputs);
}

/* Kernels of the same image need the flush of all columns, with other kernels' leftovers, by their own first
 * load, and their streams set up the first time. */
static bool take_turns(const array_kernel *p, uint32_t row) {
    const bool fresh = !is_set_up(p);
    glc_write(GLC_FLUSH_CROSSBAR, p->flush_crossbar);
    if (fresh)
        set_up_kernel(p, row, batch.outputs);
    return fresh;
}

/* When another image comes in, work unrelated to the image is done while its words travel. */
void dispatch_batch(const kernel_description *k, uint32_t number, uint32_t table, uint32_t runs,
                    uint32_t outputs) {
    const array_kernel *const old = batch.kernel, *const p = &k->kernels[number];
    const uint32_t start = cycles_now();
    if (old != p && number >= k->n_kernels)
        fail(FW_ERROR_BAD_KERNEL, number, k->n_kernels);
    const bool other = old->image != p->image;
    bool sets = other;
    if (other)
        configure_begin(k, p->image);
    if (old != p)
        take_kernel(p);
    dispatch_check(table, runs, batch.row_bytes, outputs);
    batch.table = batch.fresh = table;
    batch.end = table + runs * batch.row_bytes;
    batch.outputs = outputs;
    const uint32_t first = runs && p->n_lanes == 1 ? table : 0;
    if (other) {
        set_streams(p, first);
        configure_end(k, p);
    } else if (old != p) {
        sets = take_turns(p, first);
    }
    batch.worked = 0;
    batch.since = cycles_now();
    const uint32_t configuration = batch.since - start;
    if (other)
        release();
    if (p->n_lanes > 1)
        run_apart();
    else if (runs)
        run_alone();
    hal_unmask_interrupts();
    if (sets)
        mailbox_add_cycles(mailbox.config_cycles, configuration);
    count(cycles_now());
}

#include "firmware/target/list_runs.h"
