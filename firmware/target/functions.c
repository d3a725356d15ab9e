/* Calls of functions that the program has, by the processor itself, on operands in the global buffer. Nothing
 * runs on the array meanwhile, so no bank has another user. */
#include "firmware/target/functions.h"
#include "firmware/target/hal.h"

SMALL_FROM_HERE

_Static_assert(sizeof((kernel_calls *)0)->words / sizeof(uint32_t) == FW_FUNCTION_INPUTS_MOST, "kernel.h");
static kernel_calls now; /* not on the stack, whose frames have a bound */

/* Takes an input, or room for the result, out of the table; both lie inside of `bytes` from `first` on. */
static uint32_t take(uint32_t cell, uint32_t address, uint32_t words, uint32_t first, uint32_t bytes) {
    const uint32_t offset = address - first;
    if (address % 4 || offset > bytes || words > (bytes - offset) / 2)
        fail(FW_ERROR_BAD_BATCH, cell, words);
    return ONYX_CGRA_DATA + address;
}

void functions_batch(const kernel_description *k, uint32_t number, uint32_t table, uint32_t rows,
                     uint32_t outputs) {
    const uint32_t all = ONYX_GLB_TILES * ONYX_GLB_BANKS * ONYX_GLB_BANK_BYTES, last = ONYX_GLB_TILES - 1,
                   bank = (last * ONYX_GLB_BANKS + (outputs >> last & 1)) * ONYX_GLB_BANK_BYTES;
    if (number >= k->n_functions)
        fail(FW_ERROR_BAD_FUNCTION, number, k->n_functions);
    const kernel_function *f = &k->functions[number];
    uint32_t to = bank, row = table;
    dispatch_check(table, rows, fw_row_bytes(f->inputs, 1), outputs);
    for (; rows; rows--) {
        const uint32_t start = cycles_now();
        for (uint32_t i = 0; i < f->inputs; i++, row += 8) {
            now.words[i] = bus_read32(row + 4);
            now.in[i] = (const void *)take(row, bus_read32(row), now.words[i], 0, all);
        }
        now.out_words = bus_read32(row + 4);
        now.out = (short *)take(row, to, now.out_words, bank, ONYX_GLB_BANK_BYTES);
        now.calls = 0;
        f->run(&now);
        bus_write32(row, to);
        to += (2 * now.out_words + 3) & ~3u;
        const uint32_t cycles = cycles_now() - start;
        bus_write32(row + 8, cycles);
        bus_write32(row + 12, 0);
        row += 16;
        mailbox.calls = mailbox.calls + now.calls;
        mailbox_add_run(0, cycles);
    }
}

SMALL_TO_HERE
