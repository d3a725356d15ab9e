/* Reading batch files back, and what must hold for every one of them. */
#include "firmware/fw_int.h"

typedef struct {
    const uint8_t *bytes;
    size_t length, at;
    const char *path;
    arena *mem;
    diagnostics *d;
    const pnr_board *board;
    bool good;
} reader;

static void damaged(reader *r, const char *what) {
    if (r->good) {
        diag_error(r->d, (src_loc){0}, "E0711-batch-format", "'%s', byte %zu: %s", r->path, r->at, what);
        diag_hint(r->d, "the file is damaged: compile again, or 'onyx program', which makes it anew");
    }
    r->good = false;
}

static void wrong(reader *r, const char *format, uint32_t batch, uint32_t value) {
    if (r->good) {
        diag_error(r->d, (src_loc){0}, "E0712-batch-content", "'%s', batch %u: %s 0x%x", r->path, batch,
                   format, value);
        diag_hint(r->d, "the file is another board's or damaged: compile again for this one");
    }
    r->good = false;
}

static uint32_t get(reader *r) {
    if (!r->good || r->length - r->at < 4) {
        damaged(r, "the file ends early");
        return 0;
    }
    r->at += 4;
    return file_u32_at(r->bytes + r->at - 4);
}

static fw_segment get_segment(reader *r) {
    fw_segment s = {0};
    s.address = get(r);
    s.bytes = get(r);
    size_t padded = ((size_t)s.bytes + 3) / 4 * 4;
    if (!r->good || r->length - r->at < padded) {
        damaged(r, "a segment is longer than the file");
        return (fw_segment){0};
    }
    s.content = r->bytes + r->at;
    r->at += padded;
    return s;
}

static bool inside(uint32_t address, uint32_t bytes, uint32_t begin, uint32_t size) {
    return address >= begin && address - begin <= size && bytes <= size - (address - begin);
}

/* In bank 0 of some GLB tile, or in the run table's area. */
static bool allowed(const pnr_board *b, const fw_segment *s) {
    uint32_t tile_bytes = b->glb_banks_per_tile * b->glb_bank_bytes;
    if (inside(s->address, s->bytes, b->map.sram + FW_TABLE_OFFSET, FW_TABLE_END - FW_TABLE_OFFSET))
        return true;
    if (!inside(s->address, s->bytes, b->map.cgra_data, b->glb_tiles * tile_bytes))
        return false;
    return (s->address - b->map.cgra_data) % tile_bytes + (uint64_t)s->bytes <= b->glb_bank_bytes;
}

static const fw_segment *segment_of(const fw_batch *batch, uint32_t address, uint32_t bytes) {
    for (uint32_t i = 0; i < batch->segments.len; i++) {
        const fw_segment *s = &batch->segments.at[i];
        if (inside(address, bytes, s->address, s->bytes))
            return s;
    }
    return NULL;
}

static void check_segments(reader *r, const fw_batch *batch, uint32_t number) {
    for (uint32_t i = 0; i < batch->segments.len; i++) {
        const fw_segment *s = &batch->segments.at[i];
        if (s->address % 4 || !allowed(r->board, s))
            wrong(r, "a segment may not lie at", number, s->address);
        for (uint32_t k = 0; k < i; k++) {
            const fw_segment *other = &batch->segments.at[k];
            if (s->address < other->address + (uint64_t)other->bytes &&
                other->address < s->address + (uint64_t)s->bytes)
                wrong(r, "segments overlap at", number, s->address);
        }
    }
}

static void check_rows(reader *r, const fw_batches *file, const fw_batch *batch, uint32_t number) {
    uint32_t row_bytes = fw_row_bytes(file->inputs, file->outputs);
    uint32_t most = (FW_TABLE_END - FW_TABLE_OFFSET) / row_bytes;
    const fw_segment *table =
        batch->runs <= most ? segment_of(batch, batch->table, batch->runs * row_bytes) : NULL;
    if (!table || batch->table % 4) {
        wrong(r, "no run table at", number, batch->table);
        return;
    }
    const uint8_t *row = table->content + (batch->table - table->address);
    for (uint32_t run = 0; run < batch->runs; run++, row += row_bytes) {
        for (uint32_t i = 0; i < file->inputs; i++) {
            uint32_t address = file_u32_at(row + 8 * i), words = file_u32_at(row + 8 * i + 4);
            const fw_segment *s = words && words <= r->board->glb_bank_bytes / 2 && address % 2 == 0
                                      ? segment_of(batch, r->board->map.cgra_data + address, 2 * words)
                                      : NULL;
            if (!s || s == table)
                wrong(r, "a load without its words at", number, address);
        }
    }
}

static void get_batch(reader *r, const fw_batches *file, uint32_t number, fw_batch *batch) {
    *batch = (fw_batch){0};
    batch->runs = get(r);
    batch->table = get(r);
    uint32_t segments = get(r);
    for (uint32_t i = 0; r->good && i < segments; i++) {
        fw_segment s = get_segment(r);
        vec_push(r->mem, &batch->segments, s);
    }
    if (r->good)
        check_segments(r, batch, number);
    if (r->good)
        check_rows(r, file, batch, number);
}

bool fw_batches_read(const char *path, const pnr_board *board, arena *mem, diagnostics *d, fw_batches *out) {
    reader r = {.path = path, .mem = mem, .d = d, .board = board, .good = true};
    *out = (fw_batches){0};
    r.bytes = (const uint8_t *)file_read(path, mem, &r.length, d);
    if (!r.bytes)
        return false;
    if (get(&r) != FW_BATCH_MAGIC || get(&r) != FW_BATCH_VERSION)
        damaged(&r, "not a batch file of this version");
    out->inputs = get(&r);
    out->outputs = get(&r);
    uint32_t batches = get(&r);
    if (!out->inputs || out->inputs > FW_MAX_STREAMS || !out->outputs || out->outputs > FW_MAX_STREAMS)
        damaged(&r, "impossible number of streams");
    for (uint32_t i = 0; r.good && i < batches; i++) {
        fw_batch batch;
        get_batch(&r, out, i, &batch);
        vec_push(mem, &out->list, batch);
    }
    if (r.good && r.at != r.length)
        damaged(&r, "more bytes than batches");
    return r.good;
}
