/* Batches of calls of a function on the chip's processor, and their results. */
#include "firmware/calls.h"
#include "firmware/fw_int.h"
#include "firmware/sums.h"

/* The rows of a batch, and the words of its banks. */
typedef struct {
    uint32_t first, rows, in_words, out_words;
} call_batch;

/* Every input and result begins at a multiple of four bytes. */
static uint32_t padded(uint32_t words) {
    return (words + 1) / 2 * 2;
}

static uint32_t words_in(const fw_call_row *row, uint32_t inputs) {
    uint32_t words = 0;
    for (uint32_t i = 0; i < inputs; i++)
        words += padded(row->in[i].words);
    return words;
}

static void write_words(const uint16_t *word, uint32_t n, FILE *out) {
    for (uint32_t i = 0; i < n; i += 2)
        file_put_u32(out, word[i] | (i + 1 < n ? (uint32_t)word[i + 1] << 16 : 0));
}

static void write_cell(uint32_t first, uint32_t words, FILE *out) {
    const uint32_t cell[] = {[FW_WORD_cell_first] = first, [FW_WORD_cell_words] = words};
    for (uint32_t w = 0; w < sizeof cell / sizeof *cell; w++)
        file_put_u32(out, cell[w]);
}

static void write_batch(const fw_calls *c, const call_batch *batch, const pnr_board *b, uint32_t table,
                        FILE *out) {
    const fw_call_row *rows = c->rows;
    const uint32_t inputs = c->inputs;
    uint32_t at = c->bank ? c->bank * b->glb_bank_bytes : fw_bank_address(b, b->glb_tiles - 1, 0);
    file_put_u32(out, batch->rows);
    file_put_u32(out, table);
    file_put_u32(out, 2); /* the list has 2 segments */
    file_put_u32(out, b->map.cgra_data + at);
    file_put_u32(out, 2 * batch->in_words);
    for (uint32_t r = batch->first; r < batch->first + batch->rows; r++) {
        for (uint32_t i = 0; i < inputs; i++)
            write_words(rows[r].in[i].word, rows[r].in[i].words, out);
    }
    file_put_u32(out, table);
    file_put_u32(out, batch->rows * fw_row_bytes(inputs, 1));
    for (uint32_t r = batch->first; r < batch->first + batch->rows; r++) {
        for (uint32_t i = 0; i < inputs; i++) {
            write_cell(at, rows[r].in[i].words, out);
            at += 2 * padded(rows[r].in[i].words);
        }
        write_cell(0, rows[r].out_words, out);
        for (uint32_t w = 0; w < FW_END_BYTES / 4; w++)
            file_put_u32(out, 0);
    }
}

static bool has_room(const call_batch *batch, const fw_call_row *row, uint32_t inputs, const pnr_board *b) {
    const uint32_t bank = b->glb_bank_bytes / 2;
    return batch->in_words + words_in(row, inputs) <= bank &&
           batch->out_words + padded(row->out_words) <= bank &&
           (batch->rows + 1) * fw_row_bytes(inputs, 1) <= fw_table_bytes(1);
}

/* Fills the batch with rows from `first` on, up to its room. */
static call_batch batch_of(const fw_call_row *rows, uint32_t n, uint32_t first, uint32_t inputs,
                           const pnr_board *b) {
    call_batch batch = {.first = first};
    while (first + batch.rows < n && has_room(&batch, &rows[first + batch.rows], inputs, b)) {
        const fw_call_row *row = &rows[first + batch.rows++];
        batch.in_words += words_in(row, inputs);
        batch.out_words += padded(row->out_words);
    }
    return batch;
}

uint32_t fw_calls_table(const fw_calls *c, const pnr_board *b) {
    const call_batch batch = batch_of(c->rows, c->n, 0, c->inputs, b);
    const uint32_t bytes = c->n * fw_row_bytes(c->inputs, 1), half = b->glb_bank_bytes / 2;
    const bool fits = batch.rows == c->n && bytes <= fw_table_bytes(1) / 2 && 2 * batch.in_words <= half &&
                      2 * batch.out_words <= half;
    return fits ? b->map.sram + FW_TABLE_END - bytes : 0;
}

bool fw_write_calls(const fw_calls *c, const pnr_board *b, uint32_t when, const char *path, diagnostics *d) {
    const uint32_t table = when ? fw_calls_table(c, b) : b->map.sram + FW_TABLE_OFFSET;
    file_out f;
    uint32_t batches = 0, done = 0;
    while (done < c->n) {
        const call_batch batch = batch_of(c->rows, c->n, done, c->inputs, b);
        if (!batch.rows) {
            diag_unmappable(
                d, (src_loc){0}, "E0710-batch-capacity",
                "a call alone has %u words of operands and %u of the result; a bank of the global "
                "buffer holds %u",
                words_in(&c->rows[done], c->inputs), c->rows[done].out_words, b->glb_bank_bytes / 2);
            return diag_hint(d, "let the host compute it, or a schedule call the function on parts: split");
        }
        done += batch.rows;
        batches++;
    }
    const uint32_t head[] = {FW_BATCH_MAGIC,
                             FW_BATCH_VERSION,
                             c->inputs,
                             1,
                             batches,
                             1,
                             FW_FUNCTION + when + (c->bank << FW_BANK_SHIFT) + c->function};
    if (!file_create(&f, path, d->mem, d))
        return false;
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        file_put_u32(f.stream, head[i]);
    for (done = 0; done < c->n;) {
        const call_batch batch = batch_of(c->rows, c->n, done, c->inputs, b);
        write_batch(c, &batch, b, table, f.stream);
        done += batch.rows;
    }
    return fw_commit_batches(&f, d);
}

bool fw_read_calls(const fw_calls *c, const char *path, uint16_t *made, uint64_t *cycles, diagnostics *d) {
    const uint32_t n = c->n;
    size_t length = 0, at = 16;
    const uint8_t *bytes = (const uint8_t *)file_read(path, d->mem, &length, d);
    if (!bytes)
        return false;
    bool good = length >= at && file_u32_at(bytes + 8) == n && file_u32_at(bytes + 12) == 1;
    *cycles = 0;
    for (uint32_t r = 0; r < n && good; r++) {
        const uint32_t words = c->rows[r].out_words, size = 12 + 2 * padded(words);
        good = length - at >= size && file_u32_at(bytes + at + 8) == words;
        if (!good)
            break;
        *cycles += file_u32_at(bytes + at) | (uint64_t)file_u32_at(bytes + at + 4) << 32;
        for (uint32_t i = 0; i < words; i++)
            *made++ = (uint16_t)(bytes[at + 12 + 2 * i] | bytes[at + 13 + 2 * i] << 8);
        at += size;
    }
    if (!good || at != length) {
        diag_error(d, (src_loc){0}, "E0717-call-results", "'%s' has not the results of %u rows of calls",
                   path, n);
        diag_hint(d, "please report it");
    }
    return good && at == length;
}
