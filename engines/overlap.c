/* Calls deferred to a run of the array. */
#include "engines/overlap.h"
#include "engines/firmware.h"
#include "engines/session.h"

#include <unistd.h>

/* Compares the processor's results with the results of the same C on this machine. */
static bool is_same(const compile_context *ctx, const compile_called *c, const uint16_t *made) {
    uint32_t words = 0;
    for (uint32_t r = 0; r < c->calls.n; r++)
        words += c->calls.rows[r].out_words;
    for (uint32_t i = 0; i < words; i++) {
        if (made[i] == c->want[i])
            continue;
        diag_mismatch(
            ctx->diag, c->f->program->loc, "E0343-processor",
            "%s makes 0x%04x of word %u of its results on the processor, and 0x%04x on this machine",
            c->f->program->name, made[i], i, c->want[i]);
        return diag_hint(ctx->diag,
                         "C that means the same on both: int has 32 bits, and nothing is read that was "
                         "not written");
    }
    return true;
}

static void add_outcome(const compile_outcome *of, uint64_t cycles, compile_outcome *out) {
    out->processor.cycles += cycles;
    out->processor.overlapped += of->processor.overlapped;
    out->cycles.config += of->cycles.config;
    out->cycles.kernel += of->cycles.kernel;
    out->cycles.firmware += of->cycles.firmware;
    out->cycles.total += of->cycles.total;
    for (uint32_t end = 0; end < 2; end++)
        out->cycles.lag[end] += of->cycles.lag[end];
    out->words.loaded += of->words.loaded;
    out->words.kept += of->words.kept;
    out->words.collected += of->words.collected;
    out->firmware_s += of->firmware_s;
}

bool compile_make_calls(compile_engine_in *in, const compile_engine_row *engine, const compile_called *c,
                        uint32_t when, const char *elf, compile_outcome *out) {
    compile_context *ctx = in->ctx;
    compile_engine_run r = {.in = in};
    compile_outcome own = {0};
    uint32_t words = 1;
    uint64_t cycles = 0;
    for (uint32_t i = 0; i < c->calls.n; i++)
        words += c->calls.rows[i].out_words;
    uint16_t *made = arena_new_n(ctx->mem, uint16_t, words);
    if (!compile_firmware_begin_calls(&r))
        return false;
    compile_firmware *f = r.own;
    f->elf = elf ? elf : f->elf;
    in->again = (in->session && compile_session_is_open(in->session)) || access(f->elf, R_OK) == 0;
    if (!fw_write_calls(&c->calls, in->board, when, f->batches, ctx->diag) ||
        !engine->finish(&r, true, &own) || !engine->counters(&r, &own))
        return false;
    if (when != FW_OVERLAPPED) {
        if (!fw_read_calls(&c->calls, r.result, made, &cycles, ctx->diag) || !is_same(ctx, c, made))
            return false;
        BUG_IF(own.processor.calls && own.processor.calls != c->n, "%llu calls of %llu by its own count",
               (unsigned long long)own.processor.calls, (unsigned long long)c->n);
    }
    add_outcome(&own, cycles, out);
    return true;
}

bool compile_defer_calls(const compile_engine_in *in, const compile_engine_row *engine,
                         const compile_called *c) {
    compile_session *s = in->session;
    const uint32_t table = fw_calls_table(&c->calls, in->board);
    if (!s || !s->may_wait || s->overlapped || !table)
        return false;
    compile_overlapped *b = arena_new(in->ctx->diag->mem, compile_overlapped);
    *b = (compile_overlapped){.called = *c, .in = *in, .engine = engine, .table = table};
    pnr_board *board = arena_new(&b->mem, pnr_board);
    fw_call_row *rows = arena_new_n(&b->mem, fw_call_row, c->calls.n);
    uint32_t words = 0;
    for (uint32_t r = 0; r < c->calls.n; r++) {
        rows[r] = c->calls.rows[r];
        for (uint32_t i = 0; i < c->calls.inputs; i++) {
            uint16_t *copy = arena_new_n(&b->mem, uint16_t, rows[r].in[i].words + 1);
            memcpy(copy, rows[r].in[i].word, rows[r].in[i].words * sizeof *copy);
            rows[r].in[i].word = copy;
        }
        words += rows[r].out_words;
    }
    uint16_t *want = arena_new_n(&b->mem, uint16_t, words + 1);
    memcpy(want, c->want, words * sizeof *want);
    b->called.calls.rows = rows;
    b->called.want = want;
    *board = *in->board; /* of a kernel that lives as long as its statement's run */
    b->in.board = board;
    b->in.folder = arena_strdup(&b->mem, in->folder);
    b->in.final_folder = arena_strdup(&b->mem, in->final_folder);
    s->overlapped = b;
    return true;
}

/* Adds the banks of a batch's operands or results, a bit each. */
static void add_banks(const compile_engine_in *in, const fw_columns *c, const fw_batch *batch,
                      uint64_t *used) {
    const pnr_board *b = in->board;
    const uint32_t copies = c->copies > 1 ? c->copies : 1;
    for (uint32_t i = 0; i < batch->segments.len; i++) {
        const fw_segment *s = &batch->segments.at[i];
        if (s->address >= b->map.cgra_data)
            *used |= UINT64_C(1) << (s->address - b->map.cgra_data) / b->glb_bank_bytes;
    }
    for (uint32_t i = 0; i < c->n_out * copies; i++) {
        const uint32_t tile = c->out[i] / b->columns_per_glb_tile;
        *used |= UINT64_C(1) << (tile * b->glb_banks_per_tile + (batch->outputs >> tile & 1));
    }
}

/* Finds a bank unused by all streams of a file of batches, or checks the bank of calls already begun, and
 * checks that its run tables do not overlap the calls' rows. */
static bool find_room(const compile_engine_in *in, compile_overlapped *b, const compile_firmware *f) {
    uint64_t used = 1; /* where images are */
    uint32_t bank = in->board->glb_tiles * in->board->glb_banks_per_tile;
    arena scratch = {0};
    fw_batches all;
    if (!fw_batches_open(f->batches, in->board, &scratch, in->ctx->diag, &all))
        return false;
    bool has = all.batches > 0;
    for (uint32_t i = 0; has && i < all.batches; i++) {
        fw_batch batch;
        has = fw_batches_get(&all, i, &scratch, in->ctx->diag, &batch) &&
              batch.table + batch.runs * fw_row_bytes(all.inputs, all.outputs) <= b->table;
        if (has)
            add_banks(in, &f->columns, &batch, &used);
    }
    fw_batches_close(&all);
    arena_free(&scratch);
    while (bank && (used >> (bank - 1) & 1))
        bank--;
    if (!b->begun)
        b->called.calls.bank = has && bank ? bank - 1 : 0;
    return has && b->called.calls.bank && !(used >> b->called.calls.bank & 1);
}

static bool go_on(compile_context *ctx, compile_overlapped *b, uint32_t when, const char *elf) {
    b->in.ctx = ctx;
    b->begun = true;
    b->done = when != FW_OVERLAPPED;
    return compile_make_calls(&b->in, b->engine, &b->called, when, elf, &b->cost);
}

bool compile_begin_overlap(const compile_engine_in *in, const compile_firmware *f) {
    compile_overlapped *b = in->session ? in->session->overlapped : NULL;
    if (!b || b->done)
        return true;
    const bool room = find_room(in, b, f);
    return (b->begun && room) || go_on(in->ctx, b, room ? FW_OVERLAPPED : b->begun ? FW_REST : 0, f->elf);
}

bool compile_end_overlap(compile_context *ctx, compile_overlapped *b) {
    return b->done || go_on(ctx, b, b->begun ? FW_REST : 0, NULL);
}
