/* Reads batch files back, and checks the rules of a batch file. */
#include "firmware/command_list.h"
#include "firmware/controller.h"
#include "firmware/fw_int.h"
#include "firmware/sums.h"
#include "support/mlist.h"

typedef struct {
    fw_batches *all;
    arena *mem;
    diagnostics *d;
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
    return file_u32_at(word);
}

static bool inside(uint32_t address, uint32_t bytes, uint32_t begin, uint32_t size) {
    return address >= begin && address - begin <= size && bytes <= size - (address - begin);
}

/* Whether a segment lies in an inputs' bank of some GLB tile, or in the run table's area, both of this batch:
 * with a single buffer either bank may have inputs. */
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

/* Reads a segment, with its flag "write always". */
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
    if (s.address % 4 || !allowed(r->all, &s, batch)) { /* hence no segment exceeds a bank */
        wrong(r, "a segment may not lie at", batch, s.address);
        return (fw_segment){0};
    }
    uint8_t *content = arena_alloc(r->mem, padded);
    if (!file_take(&r->all->file, content, padded))
        damaged(r, "the file ends early");
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
            const uint8_t *cell = row + fw_load_cell(i);
            uint32_t address = file_u32_at(cell + FW_AT_cell_first),
                     words = file_u32_at(cell + FW_AT_cell_words);
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

/* Returns whether the bytes lie inside of the buffer, or of the scratch area. */
static bool has_place(const pnr_board *b, uint32_t address, uint32_t bytes) {
    const uint32_t buffer = b->glb_tiles * b->glb_banks_per_tile * b->glb_bank_bytes;
    return bytes <= b->glb_bank_bytes &&
           inside(address & ~FW_SCRATCH, bytes, 0,
                  address & FW_SCRATCH ? FW_SCRATCH_END - FW_SCRATCH_OFFSET : buffer);
}

static bool has_cell(const pnr_board *b, uint32_t cell, uint32_t bytes) {
    return cell % 4 == 0 &&
           inside(cell, bytes, b->map.sram + FW_TABLE_OFFSET, FW_TABLE_END - FW_TABLE_OFFSET);
}

/* Each function returns the name of a misplaced field of a command, and sets *good to false. */

static uint32_t check_block(const pnr_board *b, const fw_command *command, bool *good) {
    const uint32_t to = FW_GET(command, block, to), words = FW_GET(command, block, words),
                   from = FW_GET(command, block, from);
    *good = to % 2 == 0 && words < b->glb_bank_bytes / 2 && has_place(b, to, 2 * words + 2) && from <= words;
    return from > words ? from : to;
}

/* Makes a dense vector from stored words: cells of run tables, and words of the buffer. */
static uint32_t check_spread(const pnr_board *b, const fw_command *command, bool *good) {
    const uint32_t crd = FW_GET(command, spread, crd_cell), val = FW_GET(command, spread, val_cell),
                   to = FW_GET(command, spread, to), words = FW_GET(command, spread, count);
    const bool place = to % 2 == 0 && words < b->glb_bank_bytes / 2 && has_place(b, to, 2 * words);
    *good = place && FW_GET(command, spread, op) < FW_SPREADS && (!crd || has_cell(b, crd, FW_CELL_BYTES)) &&
            has_cell(b, val, FW_CELL_BYTES);
    return place ? val : to;
}

/* Makes a compressed vector from a run's stores: cells of its row, and of rows with loads of the vector. */
static uint32_t check_gather(const pnr_board *b, const fw_command *command, bool *good) {
    const uint32_t rows = FW_GET(command, gather, rows), row_bytes = FW_GET(command, gather, row_bytes),
                   from[] = {FW_GET(command, gather, from_crd), FW_GET(command, gather, from_val)},
                   to[] = {FW_GET(command, gather, crd_cell), FW_GET(command, gather, val_cell)};
    *good = rows && (rows - 1) * row_bytes <= FW_TABLE_END - FW_TABLE_OFFSET && (to[0] | to[1]) &&
            !(FW_GET(command, gather, how) & FW_PACK_ABSENT);
    for (uint32_t i = 0; i < 2; i++)
        *good = *good && from[i] && has_cell(b, from[i], FW_CELL_BYTES) &&
                (!to[i] || has_cell(b, to[i], (rows - 1) * row_bytes + FW_CELL_BYTES));
    return from[0];
}

/* Makes a compressed vector of words in the scratch area: blocks of the buffer, and cells of rows. */
static uint32_t check_pack(const pnr_board *b, const fw_command *command, bool *good) {
    const uint32_t first = FW_GET(command, pack, first), count = FW_GET(command, pack, count),
                   rows = FW_GET(command, pack, rows), row_bytes = FW_GET(command, pack, row_bytes),
                   to[] = {FW_GET(command, pack, crd), FW_GET(command, pack, val)},
                   cell[] = {FW_GET(command, pack, crd_cell), FW_GET(command, pack, val_cell)};
    *good = (cell[0] || cell[1]) && has_place(b, FW_SCRATCH | 2 * first, 2 * count);
    for (uint32_t i = 0; i < 2; i++) {
        if (cell[i] && (to[i] % 4 || to[i] & FW_SCRATCH || !has_place(b, to[i], 2 * count + (i ? 4 : 10)) ||
                        !rows || (rows - 1) * row_bytes > FW_TABLE_END - FW_TABLE_OFFSET ||
                        !has_cell(b, cell[i], (rows - 1) * row_bytes + FW_CELL_BYTES))) {
            *good = false;
            return to[i];
        }
    }
    return first;
}

/* Returns the distance from the begin of the first piece to the end of the last, for pieces of the given
 * bytes. */
static uint32_t reach_of(uint32_t bytes, uint32_t times, uint32_t step) {
    const uint64_t reach = bytes + (uint64_t)(times ? times - 1 : 0) * step;
    return reach > UINT32_MAX ? UINT32_MAX : (uint32_t)reach;
}

static uint32_t check_copy(const pnr_board *b, const fw_command *command, bool *good) {
    const uint32_t from = FW_GET(command, copy, from), bytes = FW_GET(command, copy, bytes),
                   to = FW_GET(command, copy, to), inner = FW_GET(command, copy, times),
                   outer = FW_GET(command, copy, times_outer),
                   steps[] = {FW_GET(command, copy, step), FW_GET(command, copy, step_outer),
                              FW_GET(command, copy, step_to), FW_GET(command, copy, step_to_outer)};
    *good = (from | bytes | to | steps[0] | steps[1] | steps[2] | steps[3]) % 2 == 0 &&
            has_place(b, from, reach_of(reach_of(bytes, inner, steps[0]), outer, steps[1])) &&
            has_place(b, to, reach_of(reach_of(bytes, inner, steps[2]), outer, steps[3]));
    return from;
}

/* Computes values of two. */
static uint32_t check_calc(const pnr_board *b, const fw_command *command, bool *good) {
    const uint32_t n = FW_GET(command, calc, n), rows = FW_GET(command, calc, rows), times = n | rows,
                   place[] = {FW_GET(command, calc, to), FW_GET(command, calc, a), FW_GET(command, calc, b)},
                   step[] = {FW_GET(command, calc, step_to), FW_GET(command, calc, step_a),
                             FW_GET(command, calc, step_b) & 0xffff},
                   places = FW_GET(command, calc, number) ? 2 : 3;
    *good = FW_GET(command, calc, op) < FW_OPS;
    for (uint32_t i = 0; i < 3 && *good; i++) {
        const uint32_t bytes = times ? reach_of(2 * n, rows, step[i]) : 4;
        *good = !(times && step[i] % 2) &&
                (i >= places || (place[i] % (i || times ? 2 : 4) == 0 && has_place(b, place[i], bytes)));
        if (!*good)
            return place[i];
    }
    return place[0];
}

/* A list of entries lies in the scratch area. */
static uint32_t check_begin(const pnr_board *b, const fw_command *command, bool *good) {
    enum { MOST = FW_SCRATCH_END - FW_SCRATCH_OFFSET };
    const uint32_t place = FW_GET(command, begin, place), room = FW_GET(command, begin, room),
                   ordering = FW_GET(command, begin, ordering);
    *good = place & FW_SCRATCH && place % 4 == 0 && room <= MOST && mlist_is_ordering(ordering, MOST) &&
            has_place(b, place, FW_ENTRIES_HEAD + mlist_bytes(room, ordering));
    return place;
}

static uint32_t check_take(const pnr_board *b, const fw_command *command, bool *good) {
    const uint32_t outer = FW_GET(command, take, outer), inner = FW_GET(command, take, inner);
    *good = (!outer || has_cell(b, outer, FW_CELL_BYTES)) && (!inner || has_cell(b, inner, FW_CELL_BYTES)) &&
            has_cell(b, FW_GET(command, take, values), FW_CELL_BYTES);
    return outer;
}

static uint32_t check_shape(const pnr_board *b, const fw_command *command, bool *good) {
    const uint32_t rows = FW_GET(command, shape, rows), row_bytes = FW_GET(command, shape, row_bytes),
                   table = FW_GET(command, shape, table),
                   input[] = {FW_GET(command, shape, outer), FW_GET(command, shape, inner),
                              FW_GET(command, shape, values)};
    *good = rows * row_bytes <= FW_SCRATCH_END - FW_SCRATCH_OFFSET && has_cell(b, table, rows * row_bytes);
    for (uint32_t i = 0; i < 3; i++)
        *good = *good && (input[i] == FW_ENTRIES_NONE || fw_load_cell(input[i] + 1) <= row_bytes);
    return table;
}

static uint32_t check_levels(const pnr_board *b, const fw_command *command, bool *good) {
    const uint32_t place[] = {FW_GET(command, levels, outer), FW_GET(command, levels, inner),
                              FW_GET(command, levels, values)};
    *good = true;
    for (uint32_t i = 0; i < 3; i++)
        *good = *good && place[i] % 2 == 0 && !(place[i] & FW_SCRATCH) && has_place(b, place[i], 2);
    return FW_GET(command, levels, outer_size);
}

static uint32_t check_test(const pnr_board *b, const fw_command *command, bool *good) {
    const uint32_t place = FW_GET(command, test, place), words = FW_GET(command, test, words);
    *good = place % 2 == 0 && words <= b->glb_bank_bytes / 2 && has_place(b, place, 2 * words);
    return place;
}

static uint32_t check_step(const pnr_board *b, const fw_command *command, bool *good) {
    const uint32_t callee = FW_GET(command, batch, callee), table = FW_GET(command, batch, table),
                   bank = callee & FW_HEADED ? callee >> FW_BANK_SHIFT & FW_BANK_MASK : 0,
                   function = callee - FW_FUNCTION - (callee & FW_HEADED) - (bank << FW_BANK_SHIFT);
    *good = (callee < FW_KERNELS_MOST || function < FW_FUNCTIONS_MOST) &&
            bank < b->glb_tiles * b->glb_banks_per_tile && has_cell(b, table, 0);
    return table;
}

/* A list lies in one segment, and its commands are kernels' batches with tables in the tables' area, or other
 * commands on words of the buffer and the scratch area. */
static void check_list(reader *r, const fw_batch *batch, uint32_t number) {
    static uint32_t (*const checks[FW_COMMANDS])(const pnr_board *, const fw_command *, bool *) = {
        [FW_COMMAND_batch] = check_step,    [FW_COMMAND_begin] = check_begin,
        [FW_COMMAND_take] = check_take,     [FW_COMMAND_shape] = check_shape,
        [FW_COMMAND_levels] = check_levels, [FW_COMMAND_again] = check_begin,
        [FW_COMMAND_calc] = check_calc,     [FW_COMMAND_pack] = check_pack,
        [FW_COMMAND_gather] = check_gather, [FW_COMMAND_block] = check_block,
        [FW_COMMAND_spread] = check_spread, [FW_COMMAND_copy] = check_copy,
        [FW_COMMAND_test] = check_test};
    const pnr_board *b = r->all->board;
    const uint32_t bytes = FW_TABLE_END - FW_TABLE_OFFSET;
    const fw_segment *head = segment_of(batch, batch->table, FW_LIST_HEAD);
    const uint32_t commands = head ? word_of(head, batch->table) : 0;
    const fw_segment *s = commands && commands <= bytes / FW_COMMAND_BYTES
                              ? segment_of(batch, batch->table, FW_LIST_HEAD + commands * FW_COMMAND_BYTES)
                              : NULL;
    if (!s || batch->table % 4 || word_of(s, batch->table + 4) >= commands) {
        wrong(r, "no list at", number, batch->table);
        return;
    }
    for (uint32_t i = 0; i < commands; i++) {
        const uint32_t at = batch->table + FW_LIST_HEAD + i * FW_COMMAND_BYTES;
        fw_command command;
        for (uint32_t w = 0; w < FW_COMMAND_WORDS; w++)
            command.word[w] = word_of(s, at + 4 * w);
        const uint32_t kind = fw_command_of(command.word);
        uint32_t where = command.word[0];
        bool good = kind < FW_COMMANDS && fw_command_is_plain(kind, command.word);
        if (good)
            where = checks[kind](b, &command, &good);
        if (!good)
            wrong(r, "a command of a list has no", number, where);
    }
}

/* Outputs go to the bank of their GLB tile without inputs of the batch. */
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
        if (again && i >= 32)
            damaged(r, "a segment behind all streams is written again");
        batch->again |= i < 32 && again ? UINT32_C(1) << i : 0;
        vec_push(r->mem, &batch->segments, s);
    }
    const bool list = r->all->callee == FW_COMMAND_LIST;
    const uint32_t stored = list ? get(r) : 0;
    for (uint32_t i = 0; r->good && i < stored; i++) {
        fw_segment s = {.address = get(r)};
        s.bytes = get(r);
        vec_push(r->mem, &batch->stored, s);
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

/* Checks the file's hash, its last bytes; readers see the file end before the hash. */
static void check_seal(reader *r) {
    enum { SEAL = 8 };
    fw_batches *all = r->all;
    file_in *f = &all->file;
    uint8_t seal[SEAL] = {0};
    const uint64_t bytes = f->length < SEAL ? 0 : f->length - SEAL;
    const bool good = f->length >= SEAL && file_go(f, 0) && fw_hash_file(f->stream, bytes, &all->hash) &&
                      fread(seal, 1, SEAL, f->stream) == SEAL &&
                      (file_u32_at(seal) | (uint64_t)file_u32_at(seal + 4) << 32) == all->hash;
    f->length = bytes;
    if (!good)
        damaged(r, "it is not as it was written");
}

/* Reads all batches once, to validate them and to find their offsets. */
static void survey(reader *r, arena *mem) {
    fw_batches *all = r->all;
    enum { HEAD = 8, LEAST_BATCH = 12 }; /* bytes */
    if (get(r) != FW_BATCH_MAGIC || get(r) != FW_BATCH_VERSION)
        damaged(r, "not a batch file of this version");
    if (r->good)
        check_seal(r);
    file_go(&all->file, HEAD);
    all->inputs = get(r);
    all->outputs = get(r);
    all->batches = get(r);
    all->buffers = get(r);
    all->callee = get(r);
    if (!all->inputs || all->inputs > FW_MAX_STREAMS || !all->outputs || all->outputs > FW_MAX_STREAMS)
        damaged(r, "impossible number of streams");
    if (!all->buffers || all->buffers > FW_BUFFERS_MOST)
        damaged(r, "impossible number of buffers");
    const bool list = all->callee == FW_COMMAND_LIST, function = all->callee >= FW_FUNCTION && !list;
    const uint32_t callee = function ? all->callee & ~FW_HOW : all->callee;
    if (list ? all->inputs != 1 || all->outputs != 1 || all->batches != 1 || all->buffers != 1
             : callee - (function                ? FW_FUNCTION
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
}

bool fw_batches_open(const char *path, const pnr_board *board, arena *mem, diagnostics *d, fw_batches *out) {
    reader r = {.all = out, .d = d, .good = true};
    *out = (fw_batches){.path = arena_strdup(mem, path), .board = board};
    if (!fw_is_controlled(board, d) || !file_open(&out->file, path, d))
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
