/* Batch files: as many runs as the memories hold at once, each block of operand words stored once a batch. An
 * operand stays in its banks throughout a plan if every batch, except perhaps the last, wants all of its
 * blocks: the blocks lie at the same places in each batch, and the host writes them once. */
#include "firmware/fw_int.h"
#include "firmware/sums.h"

struct fw_batch_writer {
    const fw_columns *columns;
    const pnr_board *board;
    diagnostics *diag;
    file_out file;
    fw_batch_stats stats;
    uint32_t runs; /* of the plans before */
    fw_memory own; /* contents of the chip, if nothing else knows the contents */
    bool failed;
};

/* The current batch: */
typedef struct {
    const tile_plan *plan;
    const fw_columns *columns;
    const pnr_board *board;
    fw_memory *puts;                   /* places of earlier words */
    uint32_t free[FW_MAX_STREAMS];     /* first byte of each input's bank behind fixed inputs */
    uint32_t first, runs;              /* of the plan */
    uint32_t in_words[FW_MAX_STREAMS]; /* of each input's bank in use */
    uint64_t out_words;                /* bound for every output's bank */
    u32_vec blocks[FW_MAX_STREAMS];    /* unique blocks by input, in order of use */
    uint32_t *batch_of[FW_MAX_STREAMS],
        *at[FW_MAX_STREAMS];    /* by block: the last batch with the block, first word in the batch */
    uint32_t number;            /* of the batch, from 1 */
    uint32_t in_file;           /* number of earlier batches in the file */
    bool stays[FW_MAX_STREAMS]; /* each batch of the plan has all blocks of the input */
    uint32_t place[FW_MAX_STREAMS],
        table; /* of the first copy's inputs in the buffer; of the table in SRAM */
} packer;

typedef struct {
    uint8_t *at;
    uint32_t bytes;
} content;

static uint32_t block_of(const packer *p, uint32_t run, uint32_t input) {
    return p->plan->run_block.at[p->plan->runs.at[run].block_first + input];
}
static uint32_t block_words(const packer *p, uint32_t input, uint32_t block) {
    return p->plan->inputs.at[input].blocks.at[block].length;
}
static uint32_t bank_words(const packer *p) {
    return p->board->glb_bank_bytes / 2;
}
static uint32_t bank_bytes(const packer *p) {
    return p->board->glb_bank_bytes;
}
static uint32_t row_bytes(const packer *p) {
    return fw_row_bytes(p->columns->n_in, p->columns->n_out);
}

static bool is_in(const packer *p, uint32_t input, uint32_t block) {
    return p->stays[input] || p->batch_of[input][block] == p->number;
}

/* Returns the memory overflown by the run; NULL if the run fits. */
static const char *overflows(const packer *p, uint32_t run) {
    for (uint32_t i = 0; i < p->columns->n_in; i++) {
        uint32_t block = block_of(p, run, i);
        uint32_t more = is_in(p, i, block) ? 0 : block_words(p, i, block);
        if ((uint64_t)p->in_words[i] + more + p->free[i] / 2 > bank_words(p))
            return "the global-buffer bank of an input";
    }
    if (p->out_words + p->plan->runs.at[run].bound_words > bank_words(p))
        return "the global-buffer bank of an output";
    if ((p->runs + 1) * row_bytes(p) > fw_table_bytes(p->columns->buffers))
        return "the run table";
    return NULL;
}

static void add_run(packer *p, uint32_t run, arena *mem) {
    for (uint32_t i = 0; i < p->columns->n_in; i++) {
        uint32_t block = block_of(p, run, i);
        if (is_in(p, i, block))
            continue;
        p->batch_of[i][block] = p->number;
        p->at[i][block] = p->in_words[i];
        p->in_words[i] += block_words(p, i, block);
        vec_push(mem, &p->blocks[i], block);
    }
    p->out_words += p->plan->runs.at[run].bound_words;
    p->runs++;
}

static void begin_batch(packer *p, uint32_t first, const fw_batch_stats *stats) {
    p->first = first;
    p->in_file = stats->batches;
    p->runs = 0;
    p->out_words = 0;
    p->number++;
    for (uint32_t i = 0; i < p->columns->n_in; i++) {
        if (p->stays[i])
            continue;
        p->in_words[i] = 0;
        p->blocks[i].len = 0;
    }
}

static uint32_t copies_of(const fw_columns *c) {
    return c->copies ? c->copies : 1;
}

/* Returns the first byte, in the global buffer, of an input's bank. */
static uint32_t bank_of(const packer *p, uint32_t input, uint32_t copy) {
    uint32_t column = p->columns->in[copy * p->columns->n_in + input];
    return fw_bank_address(p->board, column / p->board->columns_per_glb_tile,
                           fw_input_bank(p->columns->buffers, p->in_file));
}

/* Returns the unique blocks of an input, back to back. */
static content blocks_of(const packer *p, uint32_t input, arena *mem) {
    content c = {arena_alloc(mem, 2 * (size_t)p->in_words[input] + 1), 0};
    for (uint32_t k = 0; k < p->blocks[input].len; k++) {
        const tile_block *b = &p->plan->inputs.at[input].blocks.at[p->blocks[input].at[k]];
        for (uint32_t w = 0; w < b->length; w++) {
            const uint16_t word = p->plan->words.at[b->first + w];
            c.at[c.bytes++] = (uint8_t)word;
            c.at[c.bytes++] = (uint8_t)(word >> 8);
        }
    }
    return c;
}

static void put_u32(uint8_t *to, uint32_t word) {
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(word >> 8 * i);
}

static content table_of(const packer *p, arena *mem) {
    content c = {arena_alloc(mem, p->runs * row_bytes(p)), p->runs * row_bytes(p)};
    uint8_t *at = c.at;
    memset(c.at, 0, c.bytes); /* the firmware writes the rest */
    for (uint32_t run = p->first; run < p->first + p->runs; run++, at += row_bytes(p)) {
        for (uint32_t i = 0; i < p->columns->n_in; i++) {
            const uint32_t block = block_of(p, run, i);
            uint8_t *cell = at + fw_load_cell(i);
            put_u32(cell + FW_AT_cell_first, p->place[i] + 2 * p->at[i][block]);
            put_u32(cell + FW_AT_cell_words, block_words(p, i, block));
        }
    }
    return c;
}

static void write_segment(uint32_t address, content c, bool again, FILE *out) {
    file_put_u32(out, address);
    file_put_u32(out, c.bytes | (again ? FW_AGAIN : 0));
    fwrite(c.at, 1, c.bytes, out);
    for (uint32_t n = c.bytes; n % 4; n++)
        fputc(0, out);
}

/* ---- contents of the chip -------------------------------------------------------------------- */

static const fw_put *find_words(const fw_puts *all, content c, uint32_t from, uint32_t bytes) {
    const uint64_t hash = hash_bytes(c.at, c.bytes);
    for (uint32_t i = 0; i < all->len; i++) {
        const fw_put *one = &all->at[i];
        if (one->bytes == c.bytes && one->hash == hash && one->address >= from && one->address - from < bytes)
            return one;
    }
    return NULL;
}

static bool is_fixed(const packer *p, uint32_t input) {
    return p->columns->region && p->columns->region[input].fixed;
}

/* Returns the place of a fixed input's words; NULL before the words are put. */
static const fw_put *place_of_fixed(const packer *p, uint32_t input) {
    for (uint32_t f = 0; f < p->puts->fixed.len; f++) {
        const fw_fixed *one = &p->puts->fixed.at[f];
        if (one->kernel == p->columns->kernel && one->input == input)
            return &one->put;
    }
    return NULL;
}

/* Returns the first byte of the input's bank behind other fixed inputs. */
static uint32_t find_free(const packer *p, uint32_t input) {
    const uint32_t own = bank_of(p, input, 0);
    const fw_put *there = place_of_fixed(p, input);
    uint32_t free = 0;
    if (there)
        return there->address - own;
    for (uint32_t f = 0; f < p->puts->fixed.len; f++) {
        const fw_put *put = &p->puts->fixed.at[f].put;
        const uint32_t end = (put->address + put->bytes + 3) / 4 * 4;
        if (put->address >= own && put->address - own < bank_bytes(p) && end - own > free)
            free = end - own;
    }
    return free;
}

/* E0719: reports why an input cannot stay at its first place. */
static bool cannot_stay(const packer *p, diagnostics *d, uint32_t input, const char *why) {
    const fw_region *r = &p->columns->region[input];
    diag_unmappable(d, r->loc, "E0719-stays", "%s cannot stay in the global buffer: %s", r->called, why);
    return diag_hint(
        d, "without @glb it is loaded again where it has to be; smaller operands, or sub-tiles as large as "
           "the operand (--tile), stay");
}

/* Records the place of a fixed input's words; false after E0719. */
static bool keep_fixed(const packer *p, diagnostics *d, uint32_t input, content c) {
    const fw_put put = {p->place[input], c.bytes, hash_bytes(c.at, c.bytes)},
                 *before = place_of_fixed(p, input);
    if (!is_fixed(p, input))
        return true;
    if (before && (before->bytes != put.bytes || before->hash != put.hash))
        return cannot_stay(p, d, input,
                           arena_printf(d->mem, "later batches want other sub-tiles of it, %u words after %u",
                                        put.bytes / 2, before->bytes / 2));
    if (!before)
        vec_push(p->puts->mem, &p->puts->fixed, ((fw_fixed){put, p->columns->kernel, input}));
    return true;
}

/* Counts the host's words of an input's segment; false after E0719, if a fixed input was overwritten. */
static bool count_put(const packer *p, fw_batch_writer *w, uint32_t input, bool before, const fw_segment *g) {
    const bool again = p->columns->region && p->columns->region[input].again;
    const bool there = fw_may_stay(&p->puts->loaded, g, again, p->puts->mem);
    *(there ? &w->stats.input[input].kept : &w->stats.input[input].loaded) += g->bytes;
    if (!there && w->stats.input[input].since <= w->stats.batches) { /* of several copies the first */
        w->stats.input[input].since = w->stats.batches + 1;
        w->stats.input[input].times++;
    }
    return there || !before || cannot_stay(p, w->diag, input, "its words are written over between batches");
}

/* Places an input where a store has left its words, or else in the bank of inputs; returns true in the first
 * case. */
static bool place_input(packer *p, uint32_t input, content c) {
    const uint32_t own = bank_of(p, input, 0), tile_bytes = p->board->glb_banks_per_tile * bank_bytes(p);
    fw_memory *m = p->columns->memory;
    const bool pinned = p->columns->pinned >> input & 1,
               own_place = pinned || p->free[input] || is_fixed(p, input) ||
                           (p->columns->region && p->columns->region[input].again);
    const fw_put *resident =
        m && !own_place ? find_words(&m->stored, c, own / tile_bytes * tile_bytes, tile_bytes) : NULL;
    p->place[input] = resident ? resident->address : own + p->free[input];
    if (pinned && c.bytes <= fw_pinned_bytes(p->board)) /* the block follows constant operands */
        p->place[input] = own + fw_pinned_place(p->board, p->columns->kernel);
    if (!resident) /* stores' words there are overwritten */
        fw_is_there(&p->puts->stored, &(fw_segment){.address = p->place[input], .bytes = c.bytes},
                    p->puts->mem);
    return resident != NULL;
}

/* Places outputs in the bank of their tile without inputs of the batch. */
static void place_outputs(const packer *p, uint32_t *output) {
    const fw_columns *c = p->columns;
    const uint32_t bank = fw_output_bank(c->buffers, p->in_file);
    for (uint32_t o = 0; o < c->n_out; o++) {
        output[o] = fw_bank_address(p->board, c->out[o] / p->board->columns_per_glb_tile, bank);
        for (uint32_t i = 0; i < c->n_in; i++) {
            if (p->place[i] / bank_bytes(p) == output[o] / bank_bytes(p))
                output[o] -= bank_bytes(p);
        }
        fw_forget(p->puts, output[o], bank_bytes(p));
    }
}

/* Places the run table at its earlier place, or after all other tables, or over them if no room is left. */
static void place_table(packer *p, content c) {
    const uint32_t sram = p->board->map.sram, buffers = p->columns->buffers,
                   first = fw_table_offset(buffers, p->in_file);
    fw_memory *m = p->columns->memory;
    const fw_put *there = m ? find_words(&m->tables, c, sram, UINT32_MAX) : NULL;
    p->table = there ? there->address : sram + first;
    if (there || !m)
        return;
    if (m->table_end + c.bytes > FW_TABLES_KEPT)
        m->tables.len = m->table_end = 0;
    p->table += m->table_end;
    m->table_end += c.bytes;
    vec_push(m->mem, &m->tables, (fw_put){p->table, c.bytes, hash_bytes(c.at, c.bytes)});
}

static bool write_batch(packer *p, fw_batch_writer *w) {
    FILE *out = w->file.stream;
    arena scratch = {0};
    content block[FW_MAX_STREAMS];
    uint32_t before = 0; /* fixed inputs already on the chip, a bit each */
    bool good = true;
    w->stats.resident = 0;
    for (uint32_t i = 0; i < p->columns->n_in; i++) {
        block[i] = blocks_of(p, i, &scratch);
        w->stats.resident |= (uint32_t)place_input(p, i, block[i]) << i;
        before |= (uint32_t)(place_of_fixed(p, i) != NULL) << i;
        good = good && keep_fixed(p, w->diag, i, block[i]);
    }
    place_outputs(p, w->stats.output);
    const content table = table_of(p, &scratch);
    place_table(p, table);
    file_put_u32(out, p->runs);
    file_put_u32(out, p->table);
    file_put_u32(out, copies_of(p->columns) * p->columns->n_in + 1);
    for (uint32_t copy = 0; copy < copies_of(p->columns); copy++) {
        for (uint32_t i = 0; i < p->columns->n_in; i++) {
            const uint32_t at = p->place[i] + bank_of(p, i, copy) - bank_of(p, i, 0);
            const bool again = p->columns->region && p->columns->region[i].again;
            good =
                good && count_put(p, w, i, before >> i & 1, &(fw_segment){at, block[i].bytes, block[i].at});
            write_segment(p->board->map.cgra_data + at, block[i], again, out);
            w->stats.block_words += p->in_words[i];
        }
    }
    write_segment(p->table, table, false, out);
    w->stats.batches++;
    arena_free(&scratch);
    return good;
}

static void count_run(const packer *p, uint32_t run, fw_batch_stats *stats) {
    for (uint32_t i = 0; i < p->columns->n_in; i++)
        stats->run_words += block_words(p, i, block_of(p, run, i));
}

/* Gives each batch all blocks of the input used by the plan, in the order of their numbers. */
static void make_stay(packer *p, uint32_t input, arena *mem) {
    p->stays[input] = true;
    p->in_words[input] = 0;
    p->blocks[input].len = 0;
    for (uint32_t block = 0; block < p->plan->inputs.at[input].blocks.len; block++) {
        if (!p->batch_of[input][block])
            continue;
        p->at[input][block] = p->in_words[input];
        p->in_words[input] += block_words(p, input, block);
        vec_push(mem, &p->blocks[input], block);
    }
}

/* Demands of a plan's runs on the inputs. */
typedef struct {
    uint64_t of_runs[FW_MAX_STREAMS]; /* words, if every run brought its own */
    uint64_t used[FW_MAX_STREAMS];    /* words of the used blocks */
    uint32_t whole[FW_MAX_STREAMS];   /* batches, except the last, with all used blocks */
    uint32_t batches;
} wanted;

/* Fills all batches of the plan without writing them. */
static void survey(packer *p, const fw_batch_stats *stats, arena *mem, wanted *out) {
    const uint32_t inputs = p->columns->n_in;
    for (uint32_t run = 0; run < p->plan->runs.len; run++) {
        for (uint32_t i = 0; i < inputs; i++) {
            const uint32_t block = block_of(p, run, i);
            out->used[i] += p->batch_of[i][block] ? 0 : block_words(p, i, block);
            out->of_runs[i] += block_words(p, i, block);
            p->batch_of[i][block] = 1;
        }
    }
    p->number = 1;
    begin_batch(p, 0, stats);
    for (uint32_t run = 0; run < p->plan->runs.len; run++) {
        if (p->runs && overflows(p, run)) {
            for (uint32_t i = 0; i < inputs; i++)
                out->whole[i] += p->in_words[i] == out->used[i];
            begin_batch(p, run, stats);
            out->batches++;
        }
        add_run(p, run, mem);
    }
}

/* Fixes the place of inputs whose region is @glb; false after E0719. */
static bool make_fixed(packer *p, fw_batch_writer *w, const wanted *all, arena *mem) {
    for (uint32_t i = 0; i < p->columns->n_in; i++) {
        const uint64_t room = bank_words(p) - p->free[i] / 2;
        if (!is_fixed(p, i))
            continue;
        if (all->used[i] > room)
            return cannot_stay(
                p, w->diag, i,
                arena_printf(w->diag->mem, "they want %llu words, and %s has %llu",
                             (unsigned long long)all->used[i],
                             p->free[i] ? "what another operand leaves of its bank" : "its bank",
                             (unsigned long long)room));
        make_stay(p, i, mem);
    }
    return true;
}

/* Finds the staying inputs. The file must not grow beyond a file whose runs bring their own blocks. */
static bool find_staying(packer *p, fw_batch_writer *writer, arena *mem) {
    wanted w = {0};
    if (p->columns->memory && !p->columns->region) /* the memory knows where operands lie */
        return true;
    survey(p, &writer->stats, mem, &w);
    if (!make_fixed(p, writer, &w, mem))
        return false;
    if (p->columns->memory)
        return true;
    for (uint32_t i = 0; i < p->columns->n_in && w.batches; i++) {
        const bool free = !p->columns->region || (!is_fixed(p, i) && !p->columns->region[i].again);
        if (free && w.whole[i] == w.batches && (w.batches + 1) * w.used[i] <= w.of_runs[i])
            make_stay(p, i, mem);
    }
    return true;
}

/* Writes every batch of a plan; false after E0710. */
static bool pack(packer *p, fw_batch_writer *w, arena *mem) {
    uint32_t runs = p->plan->runs.len;
    for (uint32_t i = 0; i < p->columns->n_in; i++)
        p->free[i] = find_free(p, i);
    if (!find_staying(p, w, mem))
        return false;
    begin_batch(p, 0, &w->stats);
    for (uint32_t run = 0; run < runs; run++) {
        if (p->runs && overflows(p, run)) {
            if (!write_batch(p, w))
                return false;
            begin_batch(p, run, &w->stats);
        }
        const char *what = overflows(p, run);
        if (what) {
            diag_unmappable(w->diag, (src_loc){0}, "E0710-batch-capacity", "run %u alone overflows %s",
                            w->runs + run, what);
            return diag_hint(w->diag, "cut the operands into smaller sub-tiles: --tile below %u",
                             p->plan->tile);
        }
        add_run(p, run, mem);
        count_run(p, run, &w->stats);
    }
    return !p->runs || write_batch(p, w);
}

/* Forgets words overwritten by a new image's stores without loads. */
static void forget_early(fw_memory *m, const pnr_board *b) {
    for (; m->early; m->early &= m->early - 1) {
        const uint32_t tile = (uint32_t)__builtin_ctz(m->early);
        fw_forget(m, fw_bank_address(b, tile, 1), b->glb_bank_bytes);
    }
}

static void check_columns(const uint32_t *column, uint32_t n, uint32_t copies, uint32_t width) {
    BUG_IF(n == 0 || n * copies > FW_MAX_STREAMS, "%u columns of %u copies", n, copies);
    for (uint32_t i = 0; i < n * copies; i++)
        BUG_IF(column[i] >= width || (i && i < n && column[i] <= column[i - 1]), "IO column %u out of order",
               column[i]);
}

fw_batch_writer *fw_batches_begin(const fw_columns *columns, const pnr_board *board, const char *path,
                                  arena *mem, diagnostics *d) {
    fw_batch_writer *w = arena_new(mem, fw_batch_writer);
    *w = (fw_batch_writer){.columns = columns, .board = board, .diag = d};
    check_columns(columns->in, columns->n_in, copies_of(columns), board->width);
    check_columns(columns->out, columns->n_out, copies_of(columns), board->width);
    BUG_IF(columns->buffers < 1 || columns->buffers > FW_BUFFERS_MOST, "%u buffers", columns->buffers);
    BUG_IF(columns->memory && columns->buffers * copies_of(columns) > 1,
           "%u buffers, %u copies with a memory", columns->buffers, copies_of(columns));
    w->own.mem = mem;
    if (columns->memory)
        forget_early(columns->memory, board);
    if (!file_create(&w->file, path, mem, d))
        return NULL;
    file_put_u32(w->file.stream, FW_BATCH_MAGIC);
    file_put_u32(w->file.stream, FW_BATCH_VERSION);
    file_put_u32(w->file.stream, columns->n_in);
    file_put_u32(w->file.stream, columns->n_out);
    file_put_u32(w->file.stream, 0);
    file_put_u32(w->file.stream, columns->buffers);
    file_put_u32(w->file.stream, columns->kernel);
    return w;
}

bool fw_batches_add(fw_batch_writer *w, const tile_plan *plan) {
    arena scratch = {0};
    packer p = {.plan = plan,
                .columns = w->columns,
                .board = w->board,
                .puts = w->columns->memory ? w->columns->memory : &w->own};
    BUG_IF(plan->inputs.len != w->columns->n_in || plan->outputs.len != w->columns->n_out,
           "columns for %u and %u streams, a plan with %u and %u", w->columns->n_in, w->columns->n_out,
           plan->inputs.len, plan->outputs.len);
    for (uint32_t i = 0; i < w->columns->n_in; i++) {
        p.batch_of[i] = arena_new_n(&scratch, uint32_t, plan->inputs.at[i].blocks.len + 1);
        p.at[i] = arena_new_n(&scratch, uint32_t, plan->inputs.at[i].blocks.len + 1);
    }
    w->failed = w->failed || !pack(&p, w, &scratch);
    w->runs += plan->runs.len;
    arena_free(&scratch);
    return !w->failed;
}

/* Writes the number of batches into the header at the front; the number is known at the end only. */
static void patch_count(FILE *out, uint32_t batches) {
    enum { COUNT_OFFSET = 16 };
    if (fseek(out, COUNT_OFFSET, SEEK_SET) == 0)
        file_put_u32(out, batches);
}

bool fw_batches_end(fw_batch_writer *w, bool keep, fw_batch_stats *stats) {
    *stats = w->stats;
    if (w->failed || !keep)
        return file_abandon(&w->file);
    patch_count(w->file.stream, w->stats.batches);
    return fw_commit_batches(&w->file, w->diag);
}
