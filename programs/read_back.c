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
static bool fetch(interpreter *m, compile_context *ctx, tensor_slot *h, const compile_firmware *f,
                  compile_outcome *out, tile_tensor *got) {
    const compile_device_copy *device_copy = compile_device_copy_of(m, h->resident);
    const uint8_t *words;
    BUG_IF(!device_copy, "a result is nowhere");
    if (!fw_write_fetch(&device_copy->put, &m->a->board, f->batches, ctx->diag) ||
        !compile_ask_chip(m, ctx, compile_array_plan(m, h->resident->plan), f, out) ||
        !fw_read_fetched(f->result, device_copy->put.bytes / 2, ctx->mem, ctx->diag, &words))
        return false;
    *got = device_copy->list.is ? compile_list_values(m, device_copy, words, &h->t, ctx->mem)
                                : compile_copy_values(device_copy, words, &h->t, ctx->mem);
    return true;
}

static bool collect(interpreter *m, compile_context *ctx, compile_resident *resident,
                    const compile_firmware *f, compile_outcome *out, tile_tensor *got) {
    if (!fw_write_collect(&resident->deferred.columns, FW_GET(&resident->step, batch, runs),
                          FW_GET(&resident->step, batch, table), f->batches, ctx->diag) ||
        !compile_ask_chip(m, ctx, compile_array_plan(m, resident->plan), f, out) ||
        !compile_take_results(ctx, &resident->kernel, f->result))
        return false;
    *got = resident->kernel.ran.result;
    return true;
}

/* Takes the result off the chip, in place of the model's prediction. */
static bool take(interpreter *m, tensor_slot *h) {
    compile_context ctx = *m->ctx;
    arena scratch = {0};
    compile_resident *resident = h->resident;
    compile_outcome out = {0};
    tile_tensor got;
    ctx.mem = &scratch;
    const compile_statement_plan *plan = compile_array_plan(m, resident->plan);
    const compile_firmware f = compile_files_of(&scratch, plan, "collect", resident->deferred.elf);
    const tile_tensor found = compile_copy_of(&h->t, &scratch);
    bool ok = resident->gone || resident->deferred.operands ? fetch(m, &ctx, h, &f, &out, &got)
                                                            : collect(m, &ctx, resident, &f, &out, &got);
    if (ok) {
        tile_set_wide(&got, got.nnz == found.nnz ? tile_wide(&found) : NULL); /* the chip has words */
        if (resident->plan)
            compile_whole(resident->plan)->executions.at[resident->execution].collected +=
                out.words.collected;
        const src_loc loc = plan->step->loc;
        const char *name = names_text(ctx.names, found.name);
        compile_set_slot(h, &got, &found, false);
        ok = compile_is_same(&found, &h->t) ||
             compile_differs(
                 m, arena_printf(ctx.diag->mem, "%s on the chip is not what the cycle model has found", name),
                 loc);
    }
    arena_free(&scratch);
    return ok;
}

bool compile_sync(interpreter *m, uint32_t tensor, const char *why) {
    if (m->of[tensor].resident && m->of[tensor].resident->empty)
        compile_forget_resident(&m->of[tensor]);
    if (!m->of[tensor].resident)
        return true;
    m->processor.breaks++;
    m->processor.why = why;
    if (!m->of[tensor].resident->plan &&
        m->processor.calc.len) { /* the value may be pending, and the host knows the value */
        compile_forget_resident(&m->of[tensor]);
        return compile_run_list(m);
    }
    return compile_run_list(m) && take(m, &m->of[tensor]);
}

bool compile_sync_all(interpreter *m, const char *why) {
    bool ok = compile_run_list(m);
    for (uint32_t t = 0; t < m->a->slots && ok; t++)
        ok = compile_sync(m, t, why);
    return ok;
}

bool compile_has_resident(const interpreter *m, const fe_step *step) {
    bool has = false;
    for (uint32_t t = 0; t < step->statement.tensors.len; t++)
        has = has || compile_resident_operand(m, step, t) != FE_NO_TENSOR;
    return has;
}

bool compile_sync_operands(interpreter *m, const fe_step *step, bool array, const char *why) {
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
