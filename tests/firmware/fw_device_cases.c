#include "tests/firmware/fw_device_cases.h"

bool serve(device *d, const test_kernel *t) {
    if (setjmp(d->stopped))
        return false;
    firmware_serve(&t->k);
    return true;
}

void expect_failure(uint32_t error, uint32_t detail0, uint32_t detail1) {
    assert_int_equal(mailbox.magic, FW_MAILBOX_MAGIC);
    assert_int_equal(mailbox.state, FW_STATE_FAILED);
    assert_int_equal(mailbox.error, error);
    assert_int_equal(mailbox.detail[0], detail0);
    assert_int_equal(mailbox.detail[1], detail1);
}

/* Frees the device; no access may have violated the chip's rules. */
void device_end(device *d) {
    assert_null(d->violation);
    device_free(d);
}

uint64_t counter(const volatile uint32_t c[2]) {
    return c[0] | (uint64_t)c[1] << 32;
}

uint32_t cell(const cJSON *row, int i) {
    return (uint32_t)cJSON_GetArrayItem(row, i)->valuedouble;
}

device *with_batch(device *d, test_kernel *t, uint32_t runs) {
    load_bitstream(d, t, 5);
    assert_true(boot(d, t));
    uint32_t *row = d->sram + FW_TABLE_OFFSET / 4;
    for (uint32_t r = 0; r < runs; r++, row += fw_row_bytes(t->kernel.n_loads, t->kernel.n_stores) / 4) {
        for (uint32_t i = 0; i < t->kernel.n_loads; i++) {
            row[2 * i + FW_WORD_cell_first] = (uint32_t)t->loads[i].glb_tile << 18;
            row[2 * i + FW_WORD_cell_words] = 1;
        }
    }
    d->output_banks = UINT16_MAX;
    mailbox.runs = runs;
    mailbox.table = 0x20000000 + FW_TABLE_OFFSET;
    mailbox.outputs = d->output_banks;
    mailbox.command = 1;
    return d;
}

device *device_with_batch(test_kernel *t, uint32_t runs, uint64_t seed) {
    return with_batch(device_new(&t->k, seed), t, runs);
}

/* Words that store `s` of a kernel writes for a load of `n` words: its blocks, with their lengths. */
static uint32_t words_stored(const kernel_stream *store, uint32_t n) {
    uint32_t words = 0;
    for (uint32_t b = 0; b < store->num_blocks; b++)
        words += 1 + (n < 7 * b + 3 ? n : 7 * b + 3);
    return words;
}

/* Writes the table of a batch of `runs` runs, of one word and more. Batches store to the banks in turn. */
static void put_rows(device *d, const array_kernel *p, uint32_t runs) {
    uint32_t *row = d->sram + FW_TABLE_OFFSET / 4;
    d->output_banks = p->image->early_stores || mailbox.command % 2 ? UINT16_MAX : 0;
    for (uint32_t r = 0; r < runs; r++, row += fw_row_bytes(p->n_loads, p->n_stores) / 4)
        for (uint32_t l = 0; l < p->n_loads; l++) {
            row[2 * l + FW_WORD_cell_first] =
                (uint32_t)p->loads[l].glb_tile << 18 | (d->output_banks ? 0 : 1u << 17);
            row[2 * l + FW_WORD_cell_words] = 1 + mailbox.command % 3 + r;
        }
}

/* Every store of each run lies in its bank, with the words of its load. */
static void expect_rows(const device *d, const array_kernel *p, uint32_t runs) {
    const uint32_t *row = d->sram + FW_TABLE_OFFSET / 4;
    for (uint32_t r = 0; r < runs; r++, row += fw_row_bytes(p->n_loads, p->n_stores) / 4)
        for (uint32_t s = 0; s < p->n_stores; s++) {
            const uint32_t *out = &row[2 * (p->n_loads + s)];
            assert_int_equal(out[FW_WORD_cell_first] >> 17,
                             p->stores[s].glb_tile * 2u + (d->output_banks != 0));
            assert_int_equal(out[FW_WORD_cell_words],
                             words_stored(&p->stores[s], row[2 * (s % p->n_loads) + FW_WORD_cell_words]));
        }
}

/* A function of its own: longjmp can change no local variable here. */
__attribute__((noinline)) bool is_served(device *d, const kernel_description *k) {
    if (setjmp(d->stopped))
        return false;
    firmware_serve(k);
    return true;
}

static void expect_runs(const device *d, const kernel_description *k, uint32_t number, uint32_t runs,
                        uint32_t starts) {
    if (d->violation)
        fail_msg("kernel %u: %s", number, d->violation);
    assert_int_equal(d->flush_crossbar, k->kernels[number].flush_crossbar);
    assert_int_equal(d->starts, starts + runs);
    expect_rows(d, &k->kernels[number], runs);
}

/* Has kernel `number` of the description run `runs` runs; returns whether the program did. */
bool serve_kernel(device *d, const kernel_description *k, uint32_t number, uint32_t runs) {
    const uint32_t before = d->starts;
    put_rows(d, &k->kernels[number], runs);
    mailbox.runs = runs;
    mailbox.table = 0x20000000 + FW_TABLE_OFFSET;
    mailbox.outputs = d->output_banks;
    mailbox.callee = number;
    mailbox.command++;
    if (!is_served(d, k))
        return false;
    expect_runs(d, k, number, runs, before);
    return true;
}

/* Writes a list of these items, and its command. */
static void put_list(device *d, const uint32_t (*items)[ITEM_WORDS], uint32_t n, uint32_t again,
                     uint32_t steps) {
    uint32_t *head = list_item(d, 0) - FW_LIST_HEAD / 4;
    head[0] = n;
    head[1] = again;
    memcpy(list_item(d, 0), items, n * sizeof *items);
    mailbox.callee = FW_COMMAND_LIST;
    mailbox.table = 0x20000000 + FW_TABLE_END - LIST_MOST * FW_COMMAND_BYTES - FW_LIST_HEAD;
    mailbox.runs = steps;
    mailbox.outputs = 0;
    mailbox.command++;
}

bool list_kernel(device *d, const kernel_description *k, uint32_t number) {
    const uint32_t before = d->starts;
    put_rows(d, &k->kernels[number], 1);
    const uint32_t item[][ITEM_WORDS] = {{number, 0x20000000 + FW_TABLE_OFFSET, 1, d->output_banks}};
    put_list(d, item, 1, 0, 1);
    if (!is_served(d, k))
        return false;
    expect_runs(d, k, number, 1, before);
    return true;
}

uint32_t *list_item(device *d, uint32_t i) {
    return d->sram + (FW_TABLE_END - LIST_MOST * FW_COMMAND_BYTES) / 4 + i * ITEM_WORDS;
}

/* Runs a list of these items, for at most `steps` steps. */
bool serve_list(device *d, const test_kernel *t, const uint32_t (*items)[ITEM_WORDS], uint32_t n,
                uint32_t again, uint32_t steps) {
    put_list(d, items, n, again, steps);
    mailbox.command = mailbox.done + 1;
    return serve(d, t);
}

/* Returns a chip whose processor takes lists of the batches of a kernel with a load and a store. */
device *device_with_lists(test_kernel *t, uint32_t runs, uint64_t seed) {
    make_kernel(t, 0, 1, 1);
    t->k.call = lists_batch;
    t->k.combine = lists_combine;
    t->k.entries = entries_command;
    return device_with_batch(t, runs, seed);
}

/* A row of two stores: coordinates 1, 3, 4 of five segments' room, values -2, 0, 9 and a value beyond
 * them. */
void put_vector(device *d) {
    static const uint16_t crd[] = {2, 0, 3, 3, 1, 3, 4}, val[] = {4, (uint16_t)-2, 0, 9, 77};
    for (uint32_t i = 0; i < 7; i++)
        memcpy(d->glb + 0x100 + 2 * i, &crd[i], 2);
    for (uint32_t i = 0; i < 5; i++)
        memcpy(d->glb + 0x206 + 2 * i, &val[i], 2);
    const uint32_t row[] = {[FW_WORD_cell_first] = 0x100,
                            [FW_WORD_cell_words] = 7,
                            [2 + FW_WORD_cell_first] = 0x206,
                            [2 + FW_WORD_cell_words] = 5};
    memcpy(d->sram + FW_TABLE_OFFSET / 4, row, sizeof row);
}
