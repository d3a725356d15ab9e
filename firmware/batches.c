/* Batch files: as many runs as the memories hold at once, each block of operand words stored once a batch. */
#include "firmware/fw_int.h"

struct fw_batch_writer {
    const fw_columns *columns;
    const pnr_board *board;
    diagnostics *diag;
    file_out file;
    fw_batch_stats stats;
    uint32_t runs; /* of the plans before */
    bool failed;
};

/* The batch that is being filled. */
typedef struct {
    const tile_plan *plan;
    const fw_columns *columns;
    const pnr_board *board;
    uint32_t first, runs;              /* of the plan */
    uint32_t in_words[FW_MAX_STREAMS]; /* of each input's bank in use */
    uint64_t out_words;                /* bound for every output's bank */
    u32_vec blocks[FW_MAX_STREAMS];    /* unique blocks by input, in order of use */
    uint32_t *batch_of[FW_MAX_STREAMS],
        *at[FW_MAX_STREAMS]; /* by block: last batch it is in, first word there */
    uint32_t number;         /* of the batch, from 1 */
    uint32_t in_file;        /* batches in the file before it */
} packer;

static uint32_t block_of(const packer *p, uint32_t run, uint32_t input) {
    return p->plan->run_block.at[p->plan->runs.at[run].block_first + input];
}
static uint32_t block_words(const packer *p, uint32_t input, uint32_t block) {
    return p->plan->inputs.at[input].blocks.at[block].length;
}
static uint32_t bank_words(const packer *p) {
    return p->board->glb_bank_bytes / 2;
}
static uint32_t table_offset(const packer *p) {
    return fw_table_offset(p->columns->buffers, p->in_file);
}
static uint32_t row_bytes(const packer *p) {
    return fw_row_bytes(p->columns->n_in, p->columns->n_out);
}

/* Says which memory the run would overflow; NULL when it fits. */
static const char *overflows(const packer *p, uint32_t run) {
    for (uint32_t i = 0; i < p->columns->n_in; i++) {
        uint32_t block = block_of(p, run, i);
        uint32_t more = p->batch_of[i][block] == p->number ? 0 : block_words(p, i, block);
        if ((uint64_t)p->in_words[i] + more > bank_words(p))
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
        if (p->batch_of[i][block] == p->number)
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

/* Writes the unique blocks of one input, one behind the other, for one copy. */
static void write_blocks(const packer *p, uint32_t input, uint32_t copy, FILE *out) {
    uint32_t pending = 0, n = 0;
    file_put_u32(out, p->board->map.cgra_data + bank_of(p, input, copy));
    file_put_u32(out, 2 * p->in_words[input]);
    for (uint32_t k = 0; k < p->blocks[input].len; k++) {
        const tile_block *b = &p->plan->inputs.at[input].blocks.at[p->blocks[input].at[k]];
        for (uint32_t w = 0; w < b->length; w++, n++) {
            uint32_t word = p->plan->words.at[b->first + w];
            if (n % 2 == 0)
                pending = word;
            else
                file_put_u32(out, pending | word << 16);
        }
    }
    if (n % 2)
        file_put_u32(out, pending);
}

static void write_table(const packer *p, FILE *out) {
    file_put_u32(out, p->board->map.sram + table_offset(p));
    file_put_u32(out, p->runs * row_bytes(p));
    for (uint32_t run = p->first; run < p->first + p->runs; run++) {
        for (uint32_t i = 0; i < p->columns->n_in; i++) {
            uint32_t block = block_of(p, run, i);
            file_put_u32(out, bank_of(p, i, 0) + 2 * p->at[i][block]);
            file_put_u32(out, block_words(p, i, block));
        }
        for (uint32_t word = 0; word < 2 * (p->columns->n_out + 1); word++)
            file_put_u32(out, 0); /* the firmware writes these */
    }
}

static void write_batch(const packer *p, FILE *out, fw_batch_stats *stats) {
    file_put_u32(out, p->runs);
    file_put_u32(out, p->board->map.sram + table_offset(p));
    file_put_u32(out, copies_of(p->columns) * p->columns->n_in + 1);
    for (uint32_t copy = 0; copy < copies_of(p->columns); copy++) {
        for (uint32_t i = 0; i < p->columns->n_in; i++) {
            write_blocks(p, i, copy, out);
            stats->block_words += p->in_words[i];
        }
    }
    write_table(p, out);
    stats->batches++;
}

static void count_run(const packer *p, uint32_t run, fw_batch_stats *stats) {
    for (uint32_t i = 0; i < p->columns->n_in; i++)
        stats->run_words += block_words(p, i, block_of(p, run, i));
}

/* Writes every batch of a plan; false after E0710. */
static bool pack(packer *p, fw_batch_writer *w, arena *mem) {
    uint32_t runs = p->plan->runs.len;
    begin_batch(p, 0, &w->stats);
    for (uint32_t run = 0; run < runs; run++) {
        if (p->runs && overflows(p, run)) {
            write_batch(p, w->file.stream, &w->stats);
            begin_batch(p, run, &w->stats);
        }
        const char *what = overflows(p, run);
        if (what) {
            diag_unmappable(w->diag, (src_loc){0}, "E0710-batch-capacity", "run %u alone overflows %s",
                            w->runs + run, what);
            diag_hint(w->diag, "cut the operands into smaller sub-tiles: --tile below %u", p->plan->tile);
            return false;
        }
        add_run(p, run, mem);
        count_run(p, run, &w->stats);
    }
    if (p->runs)
        write_batch(p, w->file.stream, &w->stats);
    return true;
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
    if (!file_create(&w->file, path, mem, d))
        return NULL;
    file_put_u32(w->file.stream, FW_BATCH_MAGIC);
    file_put_u32(w->file.stream, FW_BATCH_VERSION);
    file_put_u32(w->file.stream, columns->n_in);
    file_put_u32(w->file.stream, columns->n_out);
    file_put_u32(w->file.stream, 0);
    file_put_u32(w->file.stream, columns->buffers);
    file_put_u32(w->file.stream, columns->part);
    return w;
}

bool fw_batches_add(fw_batch_writer *w, const tile_plan *plan) {
    arena scratch = {0};
    packer p = {.plan = plan, .columns = w->columns, .board = w->board};
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

/* Writes the number of batches into the header, which stands at the front and is known at the end only. */
static void patch_count(FILE *out, uint32_t batches) {
    enum { COUNT_OFFSET = 16 };
    if (fseek(out, COUNT_OFFSET, SEEK_SET) == 0)
        file_put_u32(out, batches);
}

bool fw_batches_end(fw_batch_writer *w, bool keep, fw_batch_stats *stats) {
    *stats = w->stats;
    if (w->failed || !keep) {
        file_abandon(&w->file);
        return false;
    }
    patch_count(w->file.stream, w->stats.batches);
    return file_commit(&w->file, w->diag);
}
