/* Reading batch files back, and what must hold for every one of them. */
#include "firmware/fw_int.h"
#include "support/mlist.h"

typedef struct {
    fw_batches *all;
    arena *mem;
    diagnostics *d;
    uint64_t hash; /* of what was read */
    bool good;
} reader;

static void damaged(reader *r, const char *what) {
    if (r->good) {
        diag_error(r->d, (src_loc){0}, "E0711-batch-format", "'%s', byte %llu: %s", r->all->path,
                   (unsigned long long)r->all->file.at, what);
        diag_hint(r->d, "the file is damaged: compile again, or 'onyx program', which makes it anew");
    }
    r->good = false;
}

static void wrong(reader *r, const char *format, uint32_t batch, uint32_t value) {
    if (r->good) {
        diag_error(r->d, (src_loc){0}, "E0712-batch-content", "'%s', batch %u: %s 0x%x", r->all->path, batch,
                   format, value);
        diag_hint(r->d, "the file is another board's or damaged: compile again for this one");
    }
    r->good = false;
}

static uint32_t get(reader *r) {
    uint8_t word[4];
    if (!r->good || !file_take(&r->all->file, word, sizeof word)) {
        damaged(r, "the file ends early");
        return 0;
    }
    r->hash = hash_more(r->hash, word, sizeof word);
    return file_u32_at(word);
}

static bool inside(uint32_t address, uint32_t bytes, uint32_t begin, uint32_t size) {
    return address >= begin && address - begin <= size && bytes <= size - (address - begin);
}

/* Whether a segment lies in an inputs' bank of some GLB tile, or in the run table's area, both those of this
 * batch: with one buffer either bank may have inputs. */
static bool allowed(const fw_batches *all, const fw_segment *s, uint32_t batch) {
    const pnr_board *b = all->board;
    uint32_t tile_bytes = b->glb_banks_per_tile * b->glb_bank_bytes,
             bank = fw_input_bank(all->buffers, batch) * b->glb_bank_bytes;
    if (inside(s->address, s->bytes, b->map.sram + fw_table_offset(all->buffers, batch),
               fw_table_bytes(all->buffers)))
        return true;
    if (!inside(s->address, s->bytes, b->map.cgra_data, b->glb_tiles * tile_bytes))
        return false;
    const uint32_t at = (s->address - b->map.cgra_data) % tile_bytes;
    if (all->buffers == 1 && at >= b->glb_bank_bytes)
        bank = b->glb_bank_bytes;
    return inside(at, s->bytes, bank, b->glb_bank_bytes);
}

/* Reads a segment, and whether it is written though it may be there. */
static fw_segment get_segment(reader *r, uint32_t batch, bool *again) {
    fw_segment s = {0};
    s.address = get(r);
    const uint32_t bytes = get(r);
    s.bytes = bytes & ~FW_AGAIN;
    *again = bytes & FW_AGAIN;
    size_t padded = ((size_t)s.bytes + 3) / 4 * 4;
    const file_in *file = &r->all->file;
    if (!r->good || file->length - file->at < padded) {
        damaged(r, "a segment is longer than the file");
        return (fw_segment){0};
    }
    if (s.address % 4 || !allowed(r->all, &s, batch)) { /* so no segment is longer than a bank */
        wrong(r, "a segment may not lie at", batch, s.address);
        return (fw_segment){0};
    }
    uint8_t *content = arena_alloc(r->mem, padded);
    if (!file_take(&r->all->file, content, padded))
        damaged(r, "the file ends early");
    r->hash = hash_more(r->hash, content, padded);
    s.content = content;
    return s;
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
        for (uint32_t k = 0; k < i; k++) {
            const fw_segment *other = &batch->segments.at[k];
            if (s->address < other->address + (uint64_t)other->bytes &&
                other->address < s->address + (uint64_t)s->bytes)
                wrong(r, "segments overlap at", number, s->address);
        }
    }
}

static void check_rows(reader *r, const fw_batch *batch, uint32_t number) {
    const fw_batches *file = r->all;
    uint32_t row_bytes = fw_row_bytes(file->inputs, file->outputs);
    uint32_t most = fw_table_bytes(file->buffers) / row_bytes;
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
            const fw_segment *s = words && words <= file->board->glb_bank_bytes / 2 && address % 2 == 0
                                      ? segment_of(batch, file->board->map.cgra_data + address, 2 * words)
                                      : NULL;
            if (!s || s == table)
                wrong(r, "a load without its words at", number, address);
        }
    }
}

static uint32_t word_of(const fw_segment *s, uint32_t address) {
    return file_u32_at(s->content + (address - s->address));
}

/* Returns whether so many bytes are in the buffer, or in the scratch area. */
static bool has_place(const pnr_board *b, uint32_t address, uint32_t bytes) {
    const uint32_t buffer = b->glb_tiles * b->glb_banks_per_tile * b->glb_bank_bytes;
    return bytes <= b->glb_bank_bytes &&
           inside(address & ~FW_SCRATCH, bytes, 0,
                  address & FW_SCRATCH ? FW_SCRATCH_END - FW_SCRATCH_OFFSET : buffer);
}

/* What makes a dense vector of what was stored: cells of run tables, and words of the buffer. */
static void check_spread(reader *r, const fw_segment *s, uint32_t at, uint32_t number) {
    const pnr_board *b = r->all->board;
    const uint32_t area = b->map.sram + FW_TABLE_OFFSET, bytes = FW_TABLE_END - FW_TABLE_OFFSET;
    const bool block = word_of(s, at) == FW_BLOCK;
    const uint32_t crd = word_of(s, at + 4), val = word_of(s, at + 8), to = block ? crd : word_of(s, at + 12),
                   words = block ? val : word_of(s, at + 20);
    if (to % 2 || words >= b->glb_bank_bytes / 2 || !has_place(b, to, 2 * words + (block ? 2 : 0)))
        wrong(r, "an item of a list has no", number, to);
    if (block && word_of(s, at + 12) > words)
        wrong(r, "an item of a list has no", number, word_of(s, at + 12));
    if (!block &&
        ((crd && (crd % 4 || !inside(crd, 8, area, bytes))) || val % 4 || !inside(val, 8, area, bytes)))
        wrong(r, "an item of a list has no", number, val);
}

/* What makes a compressed vector of what a run has stored: cells of its row, and of rows that load it. */
static void check_stored(reader *r, const fw_segment *s, uint32_t at, uint32_t number) {
    const pnr_board *b = r->all->board;
    const uint32_t area = b->map.sram + FW_TABLE_OFFSET, bytes = FW_TABLE_END - FW_TABLE_OFFSET,
                   rows = word_of(s, at + 24) >> 16, row_bytes = word_of(s, at + 24) & 0xffff;
    bool good = rows && (rows - 1) * row_bytes <= bytes && (word_of(s, at + 16) | word_of(s, at + 20));
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t cell = word_of(s, at + 8 + 4 * i), length = i < 2 ? 8 : (rows - 1) * row_bytes + 8;
        good = good && (i < 2 ? cell != 0 : true) && cell % 4 == 0 &&
               (!cell || inside(cell, length, area, bytes));
    }
    if (!good)
        wrong(r, "an item of a list has no", number, word_of(s, at + 8));
}

/* What makes a compressed vector of words in the scratch area: blocks of the buffer, and cells of rows. */
static void check_pack(reader *r, const fw_segment *s, uint32_t at, uint32_t number) {
    const pnr_board *b = r->all->board;
    const uint32_t area = b->map.sram + FW_TABLE_OFFSET, bytes = FW_TABLE_END - FW_TABLE_OFFSET,
                   first = word_of(s, at + 4) >> 16, count = word_of(s, at + 4) & 0xffff,
                   rows = word_of(s, at + 24) >> 16, row_bytes = word_of(s, at + 24) & 0xffff;
    uint32_t streams = 0;
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t to = word_of(s, at + 8 + 4 * i), cell = word_of(s, at + 16 + 4 * i);
        streams += cell != 0;
        if (cell &&
            (to % 4 || to & FW_SCRATCH || !has_place(b, to, 2 * count + (i ? 4 : 10)) || cell % 4 || !rows ||
             (rows - 1) * row_bytes > bytes || !inside(cell, (rows - 1) * row_bytes + 8, area, bytes)))
            wrong(r, "an item of a list has no", number, to);
    }
    if (!streams || !has_place(b, FW_SCRATCH | 2 * first, 2 * count))
        wrong(r, "an item of a list has no", number, first);
}

/* Returns how far it is from the begin of the first piece to the end of the last one, of so many bytes. */
static uint32_t reach_of(uint32_t bytes, uint32_t times, uint32_t steps) {
    uint64_t reach = bytes;
    for (uint32_t way = 0; way < 2; way++, times >>= 16, steps >>= 16)
        reach += (uint64_t)((times & 0xffff) ? (times & 0xffff) - 1 : 0) * (steps & 0xffff);
    return reach > UINT32_MAX ? UINT32_MAX : (uint32_t)reach;
}

/* What copies words. */
static void check_copy(reader *r, const fw_segment *s, uint32_t at, uint32_t number) {
    const uint32_t from = word_of(s, at + 4), bytes = word_of(s, at + 8), to = word_of(s, at + 12),
                   times = word_of(s, at + 16), steps = word_of(s, at + 20), steps_to = word_of(s, at + 24);
    if ((from | bytes | to) % 2 || (steps | steps_to) & 0x10001 ||
        !has_place(r->all->board, from, reach_of(bytes, times, steps)) ||
        !has_place(r->all->board, to, reach_of(bytes, times, steps_to)))
        wrong(r, "an item of a list has no", number, from);
}

/* What computes values of two. */
static void check_calc(reader *r, const fw_segment *s, uint32_t at, uint32_t number) {
    const pnr_board *b = r->all->board;
    const uint32_t times = word_of(s, at + 16), steps = word_of(s, at + 20),
                   step[] = {steps & 0xffff, steps >> 16, word_of(s, at + 24) & 0xffff};
    const bool b_is_number = word_of(s, at) & FW_CALC_NUMBER;
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t place = word_of(s, at + 4 + 4 * i),
                       bytes = times ? reach_of(2 * (times & 0xffff), times >> 16, step[i]) : 4;
        if ((times && step[i] % 2) ||
            ((i < 2 || !b_is_number) && (place % (i || times ? 2 : 4) || !has_place(b, place, bytes))))
            wrong(r, "an item of a list has no", number, place);
    }
}

static bool has_cell(const pnr_board *b, uint32_t cell, uint32_t bytes) {
    return cell % 4 == 0 &&
           inside(cell, bytes, b->map.sram + FW_TABLE_OFFSET, FW_TABLE_END - FW_TABLE_OFFSET);
}

/* What makes a compressed matrix: a list in the scratch area, cells, rows of a table, and places of the
 * buffer.
 */
static void check_entries(reader *r, const fw_segment *s, uint32_t at, uint32_t number) {
    enum { MOST = FW_SCRATCH_END - FW_SCRATCH_OFFSET };
    const pnr_board *b = r->all->board;
    const uint32_t kind = word_of(s, at) & FW_ENTRIES_KIND, first = word_of(s, at + 4),
                   second = word_of(s, at + 8), third = word_of(s, at + 12);
    bool good = true;
    if (kind == FW_ENTRIES_BEGIN || kind == FW_ENTRIES_AGAIN) {
        good = first & FW_SCRATCH && first % 4 == 0 && second <= MOST && mlist_is_way(third, MOST) &&
               has_place(b, first, FW_ENTRIES_HEAD + mlist_bytes(second, third));
    } else if (kind == FW_ENTRIES_TAKE) {
        good =
            (!first || has_cell(b, first, 8)) && (!second || has_cell(b, second, 8)) && has_cell(b, third, 8);
    } else if (kind == FW_ENTRIES_SHAPE) {
        const uint32_t rows = second >> 16, row_bytes = second & 0xffff;
        good = rows * row_bytes <= MOST && has_cell(b, first, rows * row_bytes);
        for (uint32_t k = 0; k < 24; k += 8) {
            const uint32_t input = third >> k & FW_ENTRIES_NONE;
            good = good && (input == FW_ENTRIES_NONE || 8 * input + 8 <= row_bytes);
        }
    } else if (kind == FW_ENTRIES_LEVELS) {
        for (uint32_t k = 12; k <= 20; k += 4) {
            const uint32_t place = word_of(s, at + k);
            good = good && place % 2 == 0 && !(place & FW_SCRATCH) && has_place(b, place, 2);
        }
    } else {
        good = false;
    }
    if (!good)
        wrong(r, "an item of a list has no", number, first);
}

/* A list lies in one segment, and its items are kernels' batches with tables in the tables' area, or tests of
 * words in the buffer. */
static void check_list(reader *r, const fw_batch *batch, uint32_t number) {
    const pnr_board *b = r->all->board;
    const uint32_t area = b->map.sram + FW_TABLE_OFFSET, bytes = FW_TABLE_END - FW_TABLE_OFFSET;
    const fw_segment *head = segment_of(batch, batch->table, FW_LIST_HEAD);
    const uint32_t items = head ? word_of(head, batch->table) : 0;
    const fw_segment *s = items && items <= bytes / FW_ITEM_BYTES
                              ? segment_of(batch, batch->table, FW_LIST_HEAD + items * FW_ITEM_BYTES)
                              : NULL;
    if (!s || batch->table % 4 || word_of(s, batch->table + 4) >= items) {
        wrong(r, "no list at", number, batch->table);
        return;
    }
    for (uint32_t i = 0; i < items; i++) {
        const uint32_t at = batch->table + FW_LIST_HEAD + i * FW_ITEM_BYTES, what = word_of(s, at),
                       first = word_of(s, at + 4), length = word_of(s, at + 8);
        const bool test = (what & ~(uint32_t)FW_TEST_BITS) == FW_TEST;
        if (what == FW_BLOCK || (what >= FW_SPREAD && what < FW_SPREAD + FW_SPREADS)) {
            check_spread(r, s, at, number);
            continue;
        }
        if (what >= FW_PACK && what <= FW_PACK + FW_PACK_BITS) {
            check_pack(r, s, at, number);
            continue;
        }
        if (what >> FW_KIND_SHIFT == FW_PACK >> FW_KIND_SHIFT && what & FW_PACK_STORED &&
            !(what & FW_PACK_ABSENT)) {
            check_stored(r, s, at, number);
            continue;
        }
        if (what >= FW_ENTRIES && what <= FW_ENTRIES + FW_ENTRIES_BITS) {
            check_entries(r, s, at, number);
            continue;
        }
        if ((what & ~(uint32_t)FW_CALC_NUMBER) - FW_CALC < FW_OPS) {
            check_calc(r, s, at, number);
            continue;
        }
        if (what == FW_COPY) {
            check_copy(r, s, at, number);
            continue;
        }
        if (test ? first % 2 || length > b->glb_bank_bytes / 2 || !has_place(b, first, 2 * length)
                 : (what >= FW_KERNELS_MOST && what - FW_FUNCTION >= FW_FUNCTIONS_MOST) || first % 4 ||
                       !inside(first, 0, area, bytes))
            wrong(r, "an item of a list has no", number, first);
    }
}

/* Outputs go to the bank of their GLB tile in which the batch has no input. */
static void find_outputs(reader *r, fw_batch *batch, uint32_t number) {
    const pnr_board *b = r->all->board;
    uint32_t inputs[2] = {0}; /* tiles, by bank */
    for (uint32_t i = 0; i < batch->segments.len; i++) {
        const fw_segment *s = &batch->segments.at[i];
        if (s->address < b->map.cgra_data)
            continue;
        const uint32_t bank = (s->address - b->map.cgra_data) / b->glb_bank_bytes;
        inputs[bank % b->glb_banks_per_tile] |= 1u << bank / b->glb_banks_per_tile;
        if (inputs[0] & inputs[1])
            wrong(r, "inputs in both banks of a tile, at", number, s->address);
    }
    batch->outputs = fw_output_bank(r->all->buffers, number) ? ~inputs[1] & ((1u << b->glb_tiles) - 1) : 0;
}

static void get_batch(reader *r, uint32_t number, fw_batch *batch) {
    *batch = (fw_batch){0};
    batch->runs = get(r);
    batch->table = get(r);
    uint32_t segments = get(r);
    for (uint32_t i = 0; r->good && i < segments; i++) {
        bool again;
        fw_segment s = get_segment(r, number, &again);
        batch->again |= i < 32 && again ? UINT32_C(1) << i : 0;
        vec_push(r->mem, &batch->segments, s);
    }
    const bool list = r->all->part == FW_LIST;
    const uint32_t left = list ? get(r) : 0;
    for (uint32_t i = 0; r->good && i < left; i++) {
        fw_segment s = {.address = get(r)};
        s.bytes = get(r);
        vec_push(r->mem, &batch->left, s);
    }
    if (r->good)
        check_segments(r, batch, number);
    if (r->good && fw_is_collecting(r->all)) {
        const uint32_t most = fw_table_bytes(1) / fw_row_bytes(r->all->inputs, r->all->outputs);
        if (segments > 1 || batch->table % 4 || batch->runs > most ||
            (segments &&
             !segment_of(batch, batch->table, batch->runs * fw_row_bytes(r->all->inputs, r->all->outputs))) ||
            !inside(batch->table, batch->runs * fw_row_bytes(r->all->inputs, r->all->outputs),
                    r->all->board->map.sram + FW_TABLE_OFFSET, fw_table_bytes(1)))
            wrong(r, "no run table at", number, batch->table);
        return;
    }
    if (r->good && list)
        check_list(r, batch, number);
    if (r->good && !list)
        check_rows(r, batch, number);
    if (r->good && !list)
        find_outputs(r, batch, number);
}

/* Reads all batches once, to see that they are good and where they are. */
static void survey(reader *r, arena *mem) {
    fw_batches *all = r->all;
    enum { LEAST_BATCH = 12 }; /* bytes */
    if (get(r) != FW_BATCH_MAGIC || get(r) != FW_BATCH_VERSION)
        damaged(r, "not a batch file of this version");
    all->inputs = get(r);
    all->outputs = get(r);
    all->batches = get(r);
    all->buffers = get(r);
    all->part = get(r);
    if (!all->inputs || all->inputs > FW_MAX_STREAMS || !all->outputs || all->outputs > FW_MAX_STREAMS)
        damaged(r, "impossible number of streams");
    if (!all->buffers || all->buffers > FW_BUFFERS_MOST)
        damaged(r, "impossible number of buffers");
    const bool list = all->part == FW_LIST, function = all->part >= FW_FUNCTION && !list;
    const uint32_t part = function ? all->part & ~FW_HOW : all->part;
    if (list ? all->inputs != 1 || all->outputs != 1 || all->batches != 1 || all->buffers != 1
             : part - (function                ? FW_FUNCTION
                       : fw_is_collecting(all) ? FW_COLLECT
                                               : 0) >=
                       (uint32_t)(function ? FW_FUNCTIONS_MOST : FW_KERNELS_MOST) ||
                   (function && all->outputs != 1))
        damaged(r, "impossible number of a kernel or function");
    if (all->batches > (all->file.length - all->file.at) / LEAST_BATCH)
        damaged(r, "the file ends early");
    if (r->good)
        all->list = arena_alloc(mem, sizeof *all->list * ((size_t)all->batches + 1));
    for (uint32_t i = 0; r->good && i < all->batches; i++) {
        arena scratch = {0};
        fw_batch batch;
        r->mem = &scratch;
        all->list[i].at = all->file.at;
        get_batch(r, i, &batch);
        all->list[i].runs = batch.runs;
        all->runs += batch.runs;
        arena_free(&scratch);
    }
    if (r->good && all->file.at != all->file.length)
        damaged(r, "more bytes than batches");
    all->hash = r->hash;
}

bool fw_batches_open(const char *path, const pnr_board *board, arena *mem, diagnostics *d, fw_batches *out) {
    reader r = {.all = out, .d = d, .good = true};
    *out = (fw_batches){.path = arena_strdup(mem, path), .board = board};
    if (!file_open(&out->file, path, d))
        return false;
    survey(&r, mem);
    if (!r.good)
        fw_batches_close(out);
    return r.good;
}

bool fw_batches_get(fw_batches *all, uint32_t i, arena *mem, diagnostics *d, fw_batch *out) {
    reader r = {.all = all, .mem = mem, .d = d, .good = true};
    if (!file_go(&all->file, all->list[i].at))
        damaged(&r, "the file ends early");
    get_batch(&r, i, out);
    if (r.good && out->runs != all->list[i].runs)
        damaged(&r, "the file was changed meanwhile");
    return r.good;
}

static void take_away(fw_puts *there, const fw_segment *g) {
    const uint64_t end = g->address + (uint64_t)g->bytes;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < there->len; i++) {
        const fw_put *p = &there->at[i];
        if (p->address + (uint64_t)p->bytes <= g->address || end <= p->address)
            there->at[kept++] = *p;
    }
    there->len = kept;
}

bool fw_is_there(fw_puts *there, const fw_segment *g, arena *mem) {
    const uint64_t hash = g->content ? hash_bytes(g->content, g->bytes) : 0;
    for (uint32_t i = 0; i < there->len && g->content; i++) {
        const fw_put *p = &there->at[i];
        if (p->address == g->address && p->bytes == g->bytes && p->hash == hash)
            return true;
    }
    take_away(there, g);
    if (g->content)
        vec_push(mem, there, (fw_put){g->address, g->bytes, hash});
    return false;
}
