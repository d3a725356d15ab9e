/* Results that stay on the chip until somebody needs their values, and are then held against what the cycle
 * model has found. */
#include "programs/read_back.h"
#include "engines/engines.h"
#include "programs/ask_chip.h"
#include "programs/command_list.h"
#include "programs/entries.h"
#include "programs/move.h"
#include "tiling/wide.h"

/* Reads the words of a load of the result, if the words of its stores are gone. */
static bool fetch(machine *m, compile_context *ctx, held *h, const compile_firmware *f, compile_outcome *out,
                  tile_tensor *got) {
    const compile_device_copy *image = compile_device_copy_of(m, h->left);
    const uint8_t *words;
    BUG_IF(!image, "a result is nowhere");
    if (!fw_write_fetch(&image->put, &m->a->board, f->batches, ctx->diag) ||
        !compile_ask_chip(m, ctx, compile_array_stage(m, h->left->stage), f, out) ||
        !fw_read_fetched(f->result, image->put.bytes / 2, ctx->mem, ctx->diag, &words))
        return false;
    *got = image->list.is ? compile_list_values(m, image, words, &h->t, ctx->mem)
                          : compile_copy_values(image, words, &h->t, ctx->mem);
    return true;
}

static bool collect(machine *m, compile_context *ctx, compile_resident *left, const compile_firmware *f,
                    compile_outcome *out, tile_tensor *got) {
    if (!fw_write_collect(&left->later.columns, FW_GET(&left->step, batch, runs),
                          FW_GET(&left->step, batch, table), f->batches, ctx->diag) ||
        !compile_ask_chip(m, ctx, left->stage, f, out) ||
        !compile_take_results(ctx, &left->kernel, f->result))
        return false;
    *got = left->kernel.ran.result;
    return true;
}

/* Takes the result off the chip, in place of the model's prediction. */
static bool take(machine *m, held *h) {
    compile_context ctx = *m->ctx;
    arena scratch = {0};
    compile_resident *left = h->left;
    compile_outcome out = {0};
    tile_tensor got;
    ctx.mem = &scratch;
    const compile_statement_plan *stage = compile_array_stage(m, left->stage);
    const compile_firmware f = compile_files_of(&scratch, stage, "collect", left->later.elf);
    const tile_tensor found = compile_copy_of(&h->t, &scratch);
    bool ok = left->gone || left->later.operands ? fetch(m, &ctx, h, &f, &out, &got)
                                                 : collect(m, &ctx, left, &f, &out, &got);
    if (ok) {
        tile_set_wide(&got, got.nnz == found.nnz ? tile_wide(&found) : NULL); /* the chip has words */
        if (left->stage)
            compile_whole(left->stage)->visits.at[left->visit].collected += out.words.collected;
        const src_loc loc = stage->step->loc;
        const char *name = names_text(ctx.names, found.name);
        compile_hold(h, &got, &found, false);
        ok = compile_is_same(&found, &h->t) ||
             compile_differs(
                 m, arena_printf(ctx.diag->mem, "%s on the chip is not what the cycle model has found", name),
                 loc);
    }
    arena_free(&scratch);
    return ok;
}

bool compile_sync(machine *m, uint32_t tensor, const char *why) {
    if (m->of[tensor].left && m->of[tensor].left->empty)
        compile_forget_left(&m->of[tensor]);
    if (!m->of[tensor].left)
        return true;
    m->processor.breaks++;
    m->processor.why = why;
    if (!m->of[tensor].left->stage &&
        m->processor.calc.len) { /* the value may be pending, and the host knows the value */
        compile_forget_left(&m->of[tensor]);
        return compile_run_list(m);
    }
    return compile_run_list(m) && take(m, &m->of[tensor]);
}

bool compile_sync_all(machine *m, const char *why) {
    bool ok = compile_run_list(m);
    for (uint32_t t = 0; t < m->a->places && ok; t++)
        ok = compile_sync(m, t, why);
    return ok;
}

bool compile_has_left(const machine *m, const fe_step *step) {
    bool has = false;
    for (uint32_t t = 0; t < step->statement.tensors.len; t++)
        has = has || compile_resident_operand(m, step, t) != FE_NO_TENSOR;
    return has;
}

bool compile_sync_operands(machine *m, const fe_step *step, bool array, const char *why) {
    bool ok = true;
    if (array) { /* its stores may overwrite any of them */
        m->processor.breaks++;
        m->processor.why = why;
        return compile_sync_all(m, why);
    }
    for (uint32_t t = 0; t < step->statement.tensors.len && ok; t++) {
        const uint32_t shared = compile_resident_operand(m, step, t);
        ok = shared == FE_NO_TENSOR || compile_sync(m, shared, why);
    }
    return ok;
}
