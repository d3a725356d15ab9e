/* Any bytes as a batch file, sealed here: an accepted file, written out again, is equal word by word. */
#include "firmware/lists.h"
#include "firmware/sums.h"
#include "tests/fuzz/board.h"

static void put_batch(const fw_batch *b, bool list, FILE *out) {
    file_put_u32(out, b->runs);
    file_put_u32(out, b->table);
    file_put_u32(out, b->segments.len);
    for (uint32_t i = 0; i < b->segments.len; i++) {
        const fw_segment *s = &b->segments.at[i];
        file_put_u32(out, s->address);
        file_put_u32(out, s->bytes | (b->again >> i & 1 ? FW_AGAIN : 0));
        fwrite(s->content, 1, ((size_t)s->bytes + 3) / 4 * 4, out);
    }
    if (list)
        file_put_u32(out, b->stored.len);
    for (uint32_t i = 0; i < b->stored.len; i++) {
        file_put_u32(out, b->stored.at[i].address);
        file_put_u32(out, b->stored.at[i].bytes);
    }
}

/* The commands of an accepted list equal their text. */
static void check_text(fuzz_run *r, const fw_batch *b) {
    for (uint32_t i = 0; i < b->segments.len; i++) {
        const fw_segment *s = &b->segments.at[i];
        if (b->table < s->address || b->table - s->address >= s->bytes)
            continue;
        const uint8_t *at = s->content + (b->table - s->address);
        for (uint32_t n = file_u32_at(at), c = 0; c < n; c++) {
            fw_command item, again;
            text_out out;
            for (uint32_t w = 0; w < FW_COMMAND_WORDS; w++)
                item.word[w] = file_u32_at(at + FW_LIST_HEAD + c * FW_COMMAND_BYTES + 4 * w);
            text_begin(&out);
            fw_command_print(out.stream, item.word);
            const char *text = text_end(&out, &r->mem);
            FUZZ_CHECK(r, strncmp(text, "words", 5) != 0 && fw_command_parse(text, &again));
            FUZZ_CHECK(r, memcmp(&item, &again, sizeof item) == 0);
        }
        return;
    }
}

static void check_same(fuzz_run *r, fw_batches *all, const uint8_t *data, size_t size) {
    text_out out;
    text_begin(&out);
    file_put_u32(out.stream, FW_BATCH_MAGIC);
    file_put_u32(out.stream, FW_BATCH_VERSION);
    file_put_u32(out.stream, all->inputs);
    file_put_u32(out.stream, all->outputs);
    file_put_u32(out.stream, all->batches);
    file_put_u32(out.stream, all->buffers);
    file_put_u32(out.stream, all->callee);
    for (uint32_t i = 0; i < all->batches; i++) {
        fw_batch batch;
        FUZZ_CHECK(r, fw_batches_get(all, i, &r->mem, &r->diag, &batch));
        put_batch(&batch, all->callee == FW_COMMAND_LIST, out.stream);
        if (all->callee == FW_COMMAND_LIST)
            check_text(r, &batch);
    }
    const char *text = text_end(&out, &r->mem);
    FUZZ_CHECK(r, out.length == size && memcmp(text, data, size) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_run r;
    fw_batches all;
    fuzz_begin(&r);
    const char *path = fuzz_file(&r, ".bin", data, size);
    bool ok = fw_seal(path) && fw_batches_open(path, fuzz_board("onyx"), &r.mem, &r.diag, &all);
    fuzz_answer(&r, ok);
    if (ok) {
        check_same(&r, &all, data, size);
        fw_batches_close(&all);
    }
    arena_free(&r.mem);
    return 0;
}
