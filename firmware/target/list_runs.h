/* list_runs.h - batches of a list, with the state of dispatch.c, which alone includes this file. */
#ifndef ONYX_TARGET_LIST_RUNS_H
#define ONYX_TARGET_LIST_RUNS_H

/* ---- batches of a list ------------------------------------------------------------------------ */

_Static_assert(FW_AT_batch_config - FW_COMMAND_CYCLES == 0 && FW_AT_batch_rest + 4 - FW_COMMAND_BYTES == 0,
               "a command ends with three of the mailbox's counters");

uint32_t dispatch_short_work, dispatch_settled;

/* The next run of the list, at dispatch_ahead, whose streams have been set up beside the run before. Settings
 * of a kernel that was at work itself wait for its end: writes of loads, and stores that go to the start of
 * `outputs`, a bit a GLB tile. */
uint32_t dispatch_ahead;
enum { LATE_MOST = 6 };
static struct {
    const array_kernel *kernel;
    uint32_t row, outputs, stores, n;
    struct {
        uint32_t address, value;
    } late[LATE_MOST];
} ahead;

static __attribute__((noinline)) void set_late(void) {
    for (uint32_t i = 0; i < ahead.n; i++)
        bus_write32(ahead.late[i].address, ahead.late[i].value);
    ahead.n = 0;
    for (; ahead.stores; ahead.stores &= ahead.stores - 1) {
        const uint32_t tile = (uint32_t)__builtin_ctz(ahead.stores);
        set_store(tile, bank_start(tile, ahead.outputs >> tile & 1));
    }
}

static inline __attribute__((always_inline)) bool is_late(void) {
    return ahead.n | ahead.stores;
}

/* The last run, whose report is written when the next one is active; command 0: it is written. */
static struct {
    uint32_t command, end; /* of its row */
    uint32_t worked, rest; /* cycles */
} last_run;

static inline __attribute__((always_inline)) void report(void) {
    const uint32_t at = last_run.command + FW_AT_batch_kernel, worked = last_run.worked;
    if (!last_run.command)
        return;
    last_run.command = 0;
    dispatch_short_work += worked;
    bus_write32(last_run.end + FW_AT_end_cycles, worked);
    bus_write32(last_run.end + FW_AT_end_start, 0);
    bus_write32(at, bus_read32(at) + worked);
    bus_write32(at + 4, bus_read32(at + 4) + last_run.rest);
}

void dispatch_report(void) {
    report();
    set_late();
}

/* Runs any batch of a command. No setting is late: a run that was looked at comes first. */
static __attribute__((noinline)) void run_batch(const kernel_description *k, uint32_t command,
                                                uint32_t number) {
    report(); /* the row may be that of this batch */
    const uint32_t config = mailbox.config_cycles[0], kernel_ = mailbox.kernel_cycles[0],
                   rest = mailbox.firmware_cycles[0], at = command + FW_AT_batch_config;
    dispatch_batch(k, number, command_field(command, batch, table), command_field(command, batch, runs),
                   command_field(command, batch, outputs));
    dispatch_settled &= kernels_set & ~(1u << batch.kernel->loads->glb_tile); /* an image may have come in */
    bus_write32(at, bus_read32(at) + mailbox.config_cycles[0] - config);
    bus_write32(at + 4, bus_read32(at + 4) + mailbox.kernel_cycles[0] - kernel_);
    bus_write32(at + 8, bus_read32(at + 8) + mailbox.firmware_cycles[0] - rest);
}

uint32_t dispatch_list[2];

/* Returns the batch that comes behind a command of the list; 0: there is none nearby. */
static uint32_t batch_behind(uint32_t command) {
    for (uint32_t looks = 8; looks; looks--) {
        command += FW_COMMAND_BYTES;
        if (command == dispatch_list[0])
            command = dispatch_list[1];
        if (bus_read32(command) < FW_ENTRIES)
            return command;
    }
    return 0;
}

/* Whether the command is a single run of this kernel, on the present image, with copies that start together.
 */
static inline __attribute__((always_inline)) bool is_short(const array_kernel *p, uint32_t command) {
    return p->image == batch.kernel->image && p->n_lanes == 1 && command_field(command, batch, runs) == 1;
}

/* Whether the kernel's streams are set up for this run. */
static inline __attribute__((always_inline)) bool is_settled(const array_kernel *p, uint32_t row,
                                                             uint32_t outputs) {
    const uint32_t tile = p->loads->glb_tile;
    return (kernels_set & dispatch_settled) >> tile & 1 && settled.row[tile] == row &&
           settled.outputs[tile] == outputs;
}

static inline __attribute__((always_inline)) void turn_to(const array_kernel *p) {
    take_kernel(p);
    glc_write(GLC_FLUSH_CROSSBAR, p->flush_crossbar);
}

static inline void put_late(uint32_t tile, uint32_t offset, uint32_t value) {
    ahead.late[ahead.n].address = glb_registers(tile) + offset;
    ahead.late[ahead.n++].value = value;
}

/* The kernel's streams are set up for this run, but for settings that are late. */
static inline __attribute__((always_inline)) void mark_settled(const array_kernel *p, uint32_t row,
                                                               uint32_t outputs) {
    const uint32_t mask = p->lanes->store_mask, tile = p->loads->glb_tile, first = at_start[0],
                   second = at_start[1];
    ahead.stores = mask & ~((first & ~outputs) | (second & outputs));
    ahead.outputs = outputs;
    at_start[0] = (first & ~mask) | (mask & ~outputs);
    at_start[1] = (second & ~mask) | (mask & outputs);
    dispatch_settled |= 1u << tile;
    settled.row[tile] = row;
    settled.outputs[tile] = outputs;
}

/* Makes the loads' settings of a run late. Returns whether all of them have words and room. */
static inline __attribute__((always_inline)) bool put_loads(const array_kernel *p, uint32_t cell) {
    for (const kernel_stream *s = p->loads, *const end = s + p->n_loads; s < end;
         s++, cell += FW_CELL_BYTES) {
        const uint32_t tile = s->glb_tile;
        load_state *l = &loads[tile];
        uint32_t address, words;
        HAL_KEEP(l);
        read_cell(cell, &address, &words);
        const int32_t range = (int32_t)(words - 2);
        const load_state was = *l;
        if (!words || ahead.n > LATE_MOST - 3)
            return false;
        if (address != was.address) {
            l->address = address;
            put_late(tile, GLB_LD_START_ADDR, place_in(tile, address));
        }
        if (range != was.range) {
            l->range = range;
            if ((range | was.range) < 0)
                put_late(tile, GLB_LD_DIM, range >= 0);
            put_late(tile, GLB_LD_RANGE, (uint32_t)range);
        }
    }
    return true;
}

/* Whether all loads have words. */
static bool has_words(const array_kernel *p, uint32_t row) {
    for (uint32_t i = 0; i < p->n_loads; i++) {
        if (!bus_read32(row + fw_load_cell(i) + FW_AT_cell_words))
            return false;
    }
    return true;
}

/* Sets up the streams of the next run while another run is under way. Returns false for a run that is none:
 * it fails in its turn. */
static __attribute__((noinline)) bool set_up_ahead(const array_kernel *p, uint32_t row, uint32_t outputs) {
    const uint32_t offset = row - (ONYX_SRAM + FW_TABLE_OFFSET);
    if (offset % 4 || offset > FW_TABLE_END - FW_TABLE_OFFSET - fw_row_bytes(p->n_loads, p->n_stores) ||
        outputs >> ONYX_GLB_TILES)
        return false;
    if (is_set_up(p) ? !put_loads(p, row) : !has_words(p, row))
        return false;
    if (!is_set_up(p))
        set_up_kernel(p, row, outputs);
    mark_settled(p, row, outputs);
    if (p != batch.kernel)
        set_late();
    return true;
}

/* By the place of a command in the list: a command with a run, and the single run behind, if any. */
enum { FOLLOWERS = 8 };
uint32_t dispatch_followed; /* the bits of those that are known */
static struct { uint32_t command, next; } followers[FOLLOWERS];

/* Finds the run behind a command, once for all passes of a loop. */
static __attribute__((noinline)) void find_follower(const kernel_description *k, uint32_t slot,
                                                    uint32_t command) {
    const uint32_t next = batch_behind(command),
                   number = next ? command_field(next, batch, callee) : k->n_kernels;
    dispatch_followed |= 1u << slot;
    followers[slot].command = command;
    followers[slot].next = number < k->n_kernels && is_short(&k->kernels[number], next) ? next : 0;
}

/* Looks at the run behind the command that is under way. */
static inline __attribute__((always_inline)) void follow(const kernel_description *k, uint32_t command) {
    const uint32_t slot = command / 4 % FOLLOWERS; /* neighbours, 28 bytes apart, have different ones */
    if (!(dispatch_followed >> slot & 1) || followers[slot].command != command)
        find_follower(k, slot, command);
    const uint32_t next = followers[slot].next;
    if (!next)
        return;
    const array_kernel *const p = &k->kernels[command_field(next, batch, callee)];
    const uint32_t row = command_field(next, batch, table), outputs = command_field(next, batch, outputs);
    if (!is_settled(p, row, outputs) && !set_up_ahead(p, row, outputs))
        return;
    ahead.kernel = p;
    ahead.row = row;
    dispatch_ahead = next;
}

/* Sets up the streams of a run that nobody has looked at ahead. Returns when the run begins: streams that are
 * set up the first time on the image are configuration. */
static __attribute__((noinline)) uint32_t settle(const array_kernel *p, uint32_t command, uint32_t since) {
    const uint32_t row = command_field(command, batch, table),
                   outputs = command_field(command, batch, outputs);
    if (is_settled(p, row, outputs))
        return since;
    if (batch.kernel != p)
        turn_to(p);
    check_rows(row, 1, batch.row_bytes, outputs);
    batch.table = row;
    const bool fresh = !is_set_up(p);
    if (fresh)
        set_up_kernel(p, row, outputs);
    else
        set_loads_of(p->loads, p->loads + p->n_loads, row);
    mark_settled(p, row, outputs);
    set_late();
    if (!fresh)
        return since;
    const uint32_t now = cycles_now(), at = command + FW_AT_batch_config;
    mailbox_add_cycles(mailbox.config_cycles, now - since);
    bus_write32(at, bus_read32(at) + now - since);
    return now;
}

void dispatch_command(const kernel_description *k, uint32_t command) {
    const array_kernel *p = ahead.kernel;
    uint32_t row = ahead.row;
    if (dispatch_ahead != command) {
        const uint32_t number = command_field(command, batch, callee);
        p = &k->kernels[number];
        if (number >= k->n_kernels || !is_short(p, command)) {
            run_batch(k, command, number);
            return;
        }
        row = command_field(command, batch, table);
    }
    uint32_t since = cycles_now();
    if (is_late())
        set_late();
    if (dispatch_ahead != command)
        since = settle(p, command, since);
    dispatch_ahead = 0;
    if (batch.kernel != p)
        turn_to(p);
    const uint32_t streams = p->lanes->load_mask | (uint32_t)p->lanes->store_mask << STREAM_STORES,
                   start = streams_start(streams);
    waits[0] = streams;
    lanes[0].row = batch.table = row;
    report();
    follow(k, command);
    if (!streams_end(waits, &batch.when))
        report_timeout();
    take_outputs_of(p->stores, p->stores + p->n_stores, row + fw_store_cell(p->n_loads, 0), row, 0);
    hal_unmask_interrupts();
    last_run.command = command;
    last_run.end = row + batch.row_bytes - FW_END_BYTES;
    last_run.worked = batch.when - start;
    last_run.rest = cycles_now() - since - last_run.worked;
}

#endif
