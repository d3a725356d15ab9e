/* Calls of the program's functions, by the processor itself, on operands in the global buffer. The array is
 * idle meanwhile, or uses other banks only: no bank has another user. */
#include "firmware/target/functions.h"
#include "firmware/target/hal.h"
#include "firmware/target/mailbox.h"
#include "firmware/target/streams.h"

_Static_assert(sizeof((kernel_calls *)0)->words / sizeof(uint32_t) == FW_FUNCTION_INPUTS_MOST, "kernel.h");
static kernel_calls now; /* not on the stack, whose frames have a bound */

/* Takes an input, or room for the result, out of the table; both lie inside of `bytes` from `first` on. */
static uint32_t take(uint32_t cell, uint32_t address, uint32_t words, uint32_t first, uint32_t bytes) {
    const uint32_t offset = address - first;
    if (address % 4 || offset > bytes || words > (bytes - offset) / 2)
        fail(FW_ERROR_BAD_BATCH, cell, words);
    return ONYX_CGRA_DATA + address;
}

/* Pending rows of calls. */
static struct {
    const kernel_function *f;
    uint32_t row, rows, to, bank; /* the next row, where its result goes, and the first byte of the bank */
} pending;

/* Makes the calls of a row, with the result at `to`, in the bank that begins at `bank`. Returns their cycles.
 */
static inline __attribute__((always_inline)) uint32_t make(const kernel_function *f, uint32_t row,
                                                           uint32_t to, uint32_t bank, bool headed) {
    const uint32_t all = ONYX_GLB_TILES * ONYX_GLB_BANKS * ONYX_GLB_BANK_BYTES, start = cycles_now();
    for (uint32_t i = 0; i < f->inputs; i++, row += FW_CELL_BYTES) {
        uint32_t first, words;
        read_cell(row, &first, &words);
        now.words[i] = words;
        now.in[i] = (const void *)(uintptr_t)take(row, first, words, 0, all);
    }
    const uint32_t words = bus_read32(row + FW_AT_cell_words);
    now.out_words = words;
    now.out = (short *)(uintptr_t)take(row, to, words, bank, ONYX_GLB_BANK_BYTES);
    now.calls = 0;
    f->run(&now);
    if (headed && words)
        bus_write16(ONYX_CGRA_DATA + to, words - 1);
    bus_write32(row + FW_AT_cell_first, to);
    mailbox.calls = mailbox.calls + now.calls;
    const uint32_t cycles = cycles_now() - start;
    bus_write32(row + FW_CELL_BYTES + FW_AT_end_cycles, cycles);
    bus_write32(row + FW_CELL_BYTES + FW_AT_end_start, 0);
    return cycles;
}

/* Makes the calls of the next row. Returns their cycles. */
static uint32_t make_row(void) {
    const uint32_t cycles = make(pending.f, pending.row, pending.to, pending.bank, false);
    pending.to += (2 * now.out_words + 3) & ~3u;
    pending.row += fw_row_bytes(pending.f->inputs, 1);
    pending.rows--;
    return cycles;
}

/* Makes a row while the array runs, whose batch counts the cycles. */
static bool make_overlapped(void) {
    if (!pending.rows) {
        streams_overlap(0);
        return false;
    }
    mailbox.overlapped = mailbox.overlapped + make_row();
    return true;
}

/* Makes the rows of a list's command, whose cycles are the list's. */
static void make_headed(const kernel_function *f, uint32_t row, uint32_t rows, uint32_t bank) {
    const uint32_t row_bytes = fw_row_bytes(f->inputs, 1);
    dispatch_check(row, rows, row_bytes, 0);
    for (uint32_t to = bank; rows; rows--, row += row_bytes, to += (2 * now.out_words + 3) & ~3u)
        make(f, row, to, bank, true);
}

void functions_batch(const kernel_description *k, uint32_t number, uint32_t table, uint32_t rows,
                     uint32_t outputs) {
    const uint32_t last = ONYX_GLB_TILES - 1, which = number & ~FW_HOW;
    uint32_t bank = number >> FW_BANK_SHIFT & FW_BANK_MASK;
    if (which >= k->n_functions)
        fail(FW_ERROR_BAD_FUNCTION, which, k->n_functions);
    if (bank >= ONYX_GLB_TILES * ONYX_GLB_BANKS)
        fail(FW_ERROR_BAD_BATCH, table, bank);
    if (number & FW_HEADED) {
        make_headed(&k->functions[which], table, rows, bank * ONYX_GLB_BANK_BYTES);
        return;
    }
    if (!(number & FW_REST)) {
        if (!(number & FW_OVERLAPPED))
            bank = last * ONYX_GLB_BANKS + (outputs >> last & 1);
        pending.f = &k->functions[which];
        pending.bank = pending.to = bank * ONYX_GLB_BANK_BYTES;
        pending.to += number & FW_OVERLAPPED ? ONYX_GLB_BANK_BYTES / 2 : 0;
        pending.row = table;
        pending.rows = rows;
        dispatch_check(table, rows, fw_row_bytes(pending.f->inputs, 1), outputs);
    }
    streams_overlap(number & FW_OVERLAPPED ? make_overlapped : 0);
    while (pending.rows && !(number & FW_OVERLAPPED))
        mailbox_add_run(0, make_row());
}
