/* list_runs.h - batches of a list, with the state of dispatch.c, which alone includes this file. */
#ifndef ONYX_TARGET_LIST_RUNS_H
#define ONYX_TARGET_LIST_RUNS_H

/* ---- batches of a list ------------------------------------------------------------------------ */

_Static_assert(FW_AT_batch_config - FW_COMMAND_CYCLES == 0 && FW_AT_batch_rest + 4 - FW_COMMAND_BYTES == 0,
               "a command ends with three of the mailbox's counters");

uint32_t dispatch_short_work, dispatch_settled;

/* The last run, whose report is written when the next one is active; command 0: it is written. */
static struct {
    uint32_t command, end; /* of its row */
    uint32_t worked, rest; /* cycles */
} last_run;

void dispatch_report(void) {
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

/* Runs any batch of a command. */
static __attribute__((noinline)) void run_batch(const kernel_description *k, uint32_t command,
                                                uint32_t number) {
    dispatch_report(); /* the row may be that of this batch */
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

/* The kernels that were set up when the next run was looked at. */
static uint32_t none_ahead;

/* Whether the command is a single run of this kernel, on the present image, with copies that start together.
 */
static inline __attribute__((always_inline)) bool is_short(const array_kernel *p, uint32_t command) {
    return p->image == batch.kernel->image && p->n_lanes == 1 && command_field(command, batch, runs) == 1;
}

/* Sets up the streams of a kernel, which is not at work, before its first run on the image, while another run
 * is under way. A run that is none fails in its turn. */
static __attribute__((noinline)) void set_up_ahead(const kernel_description *k, uint32_t command) {
    const uint32_t number = command_field(command, batch, callee), row = command_field(command, batch, table),
                   outputs = command_field(command, batch, outputs),
                   offset = row - (ONYX_SRAM + FW_TABLE_OFFSET);
    const array_kernel *const p = &k->kernels[number];
    if (number >= k->n_kernels || !is_short(p, command) || is_set_up(p) || offset % 4 ||
        offset > FW_TABLE_END - FW_TABLE_OFFSET - fw_row_bytes(p->n_loads, p->n_stores) ||
        outputs >> ONYX_GLB_TILES)
        return;
    for (uint32_t i = 0; i < p->n_loads; i++) {
        if (!bus_read32(row + fw_load_cell(i) + FW_AT_cell_words))
            return;
    }
    set_up_kernel(p, row, outputs);
}

/* Sets up a run whose streams have other settings. Returns whether these are its kernel's first on the image.
 */
static __attribute__((noinline)) bool settle(const array_kernel *p, uint32_t row, uint32_t outputs) {
    const uint32_t mask = p->lanes->store_mask, tile = p->loads->glb_tile;
    const bool fresh = !is_set_up(p);
    check_rows(row, 1, batch.row_bytes, outputs);
    batch.end = row + batch.row_bytes;
    if (fresh)
        set_up_kernel(p, row, outputs);
    else
        set_loads_of(p->loads, p->loads + p->n_loads, row);
    if (mask & ~((at_start[0] & ~outputs) | (at_start[1] & outputs)))
        start_outputs(0, outputs);
    dispatch_settled |= 1u << tile;
    settled.row[tile] = row;
    settled.outputs[tile] = outputs;
    return fresh;
}

void dispatch_command(const kernel_description *k, uint32_t command) {
    const uint32_t number = command_field(command, batch, callee);
    const array_kernel *const p = &k->kernels[number];
    if (number >= k->n_kernels || !is_short(p, command)) {
        run_batch(k, command, number);
        return;
    }
    const uint32_t row = command_field(command, batch, table),
                   outputs = command_field(command, batch, outputs);
    uint32_t since = cycles_now();
    if (batch.kernel != p) {
        take_kernel(p);
        glc_write(GLC_FLUSH_CROSSBAR, p->flush_crossbar);
    }
    batch.table = row;
    const uint32_t tile = p->loads->glb_tile;
    const bool as_before = (kernels_set & dispatch_settled) >> tile & 1 && settled.row[tile] == row &&
                           settled.outputs[tile] == outputs;
    if (!as_before && settle(p, row, outputs)) {
        const uint32_t begin = since, at = command + FW_AT_batch_config; /* it is configuration up to here */
        since = cycles_now();
        mailbox_add_cycles(mailbox.config_cycles, since - begin);
        bus_write32(at, bus_read32(at) + since - begin);
    }
    waits[0] = p->lanes->load_mask | (uint32_t)p->lanes->store_mask << STREAM_STORES;
    lanes[0].row = row;
    const uint32_t start = streams_start(waits[0]);
    dispatch_report();
    if (!as_before && none_ahead != kernels_set) {
        const uint32_t next = batch_behind(command);
        if (next)
            set_up_ahead(k, next);
        none_ahead = kernels_set;
    }
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
