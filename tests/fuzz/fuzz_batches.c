/* Any bytes as a batch file: what is accepted is the file again when it is written out, word by word. */
#include "firmware/firmware.h"
#include "tests/fuzz/board.h"

static void put_batch(const fw_batch *b, bool list, FILE *out) {
    file_put_u32(out, b->runs);
    file_put_u32(out, b->table);
    file_put_u32(out, b->segments.len);
    for (uint32_t i = 0; i < b->segments.len; i++) {
        const fw_segment *s = &b->segments.at[i];
        file_put_u32(out, s->address);
        file_put_u32(out, s->bytes);
        fwrite(s->content, 1, ((size_t)s->bytes + 3) / 4 * 4, out);
    }
    if (list)
        file_put_u32(out, b->left.len);
    for (uint32_t i = 0; i < b->left.len; i++) {
        file_put_u32(out, b->left.at[i].address);
        file_put_u32(out, b->left.at[i].bytes);
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
    file_put_u32(out.stream, all->part);
    for (uint32_t i = 0; i < all->batches; i++) {
        fw_batch batch;
        FUZZ_CHECK(r, fw_batches_get(all, i, &r->mem, &r->diag, &batch));
        put_batch(&batch, all->part == FW_LIST, out.stream);
    }
    const char *text = text_end(&out, &r->mem);
    FUZZ_CHECK(r, out.length == size && memcmp(text, data, size) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_run r;
    fw_batches all;
    fuzz_begin(&r);
    bool ok = fw_batches_open(fuzz_file(&r, ".bin", data, size), fuzz_board("onyx"), &r.mem, &r.diag, &all);
    fuzz_answer(&r, ok);
    if (ok) {
        check_same(&r, &all, data, size);
        fw_batches_close(&all);
    }
    arena_free(&r.mem);
    return 0;
}
