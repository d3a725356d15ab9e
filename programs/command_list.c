/* The list of commands that waits for the chip's processor: its steps, what it writes and reads, its run and
 * what that took. */
#include "programs/command_list.h"
#include "kernel/folder.h"
#include "programs/ask_chip.h"

/* Returns the share of `all` due after `now` of `sum`, less the shares given before. */
static uint64_t share_of(uint64_t all, double now, double sum, uint64_t *given) {
    const uint64_t due = sum > 0 ? (uint64_t)((double)all * (now / sum)) : 0,
                   more = due > *given ? due - *given : 0;
    *given += more;
    return more;
}

/* Returns whether two kernels are of the same run of a statement. */
static bool is_one_run(const compile_queued_run *a, const compile_queued_run *b) {
    return a->plan == b->plan && a->execution == b->execution;
}

/* Divides the list's cycles by the work of its commands; the steps of a command get equal shares, and the
 * boot of the first list belongs to its first run. */
static void count_list(interpreter *m, const fw_list_result *r, uint32_t again, const compile_outcome *out) {
    enum { CONFIG, KERNEL, FIRMWARE };
    compile_count_lag(m, out);
    const uint64_t all[] = {out->cycles.config, out->cycles.kernel,
                            out->cycles.total - out->cycles.config - out->cycles.kernel};
    const double ratio = host_cycles_ratio(&m->a->board);
    double sum[FW_COMMAND_COUNTERS] = {0}, now[FW_COMMAND_COUNTERS] = {0};
    uint64_t given[FW_COMMAND_COUNTERS] = {0};
    arena scratch = {0};
    uint32_t *times = arena_new_n(&scratch, uint32_t, r->n + 1);
    const uint32_t period = r->n - again;
    for (uint32_t s = 0; s < m->list.steps.len; s++)
        times[s < r->n ? s : again + (s - r->n) % period]++;
    for (uint32_t i = 0; i < r->n; i++) {
        const bool batch = fw_command_of(m->list.steps.at[i].word) == FW_COMMAND_batch;
        for (uint32_t c = 0; c < FW_COMMAND_COUNTERS && batch; c++)
            sum[c] += r->cycles[i][c];
    }
    bool first = true;
    compile_timeline_run run = {.pass = NULL};
    for (uint32_t i = 0; i < m->list.runs.len; i++) {
        const compile_queued_run *w = &m->list.runs.at[i];
        compile_execution *execution = &w->plan->executions.at[w->execution];
        if (!i || !is_one_run(w, w - 1))
            run = (compile_timeline_run){.pass = execution->pass, .begin = m->now};
        if (w->step != COMPILE_NO_STEP) {
            const uint32_t command = w->step < r->n ? w->step : again + (w->step - r->n) % period;
            for (uint32_t c = 0; c < FW_COMMAND_COUNTERS; c++)
                now[c] += (double)r->cycles[command][c] / times[command];
            uint64_t config = (uint64_t)((double)r->cycles[command][CONFIG] / times[command] * ratio);
            if (first) {
                const uint64_t others = (uint64_t)(sum[CONFIG] * ratio);
                config += all[CONFIG] > others ? all[CONFIG] - others : 0;
                w->plan->cycles.verify += out->cycles.verify;
                execution->loaded += out->words.loaded;
                execution->kept += out->words.kept;
                execution->collected += out->words.collected;
            }
            first = false;
            const uint64_t kernel = share_of(all[KERNEL], now[KERNEL], sum[KERNEL], &given[KERNEL]),
                           firmware = share_of(all[FIRMWARE], now[FIRMWARE], sum[FIRMWARE], &given[FIRMWARE]);
            run.config += config;
            run.kernel += kernel;
            run.firmware += firmware;
            run.loaded = execution->loaded;
            run.kept = execution->kept;
            run.collected = execution->collected;
            if (FW_GET(&m->list.steps.at[command], batch, callee) >= FW_FUNCTION)
                w->plan->processor.cycles += firmware;
            execution->cycles += config + kernel + firmware;
            m->now += config + kernel + firmware;
            compile_count_cycles(w->plan, config, kernel, firmware);
        }
        if (i + 1 == m->list.runs.len || !is_one_run(w, w + 1))
            compile_add_timeline_run(m, w->plan, run);
    }
    arena_free(&scratch);
}

/* Lists are numbered from 1 on, in the order of their runs; each has a folder for --dump. */
static bool dump_list(interpreter *m, const fw_list *list) {
    const char *folder = arena_printf(m->ctx->mem, "%s/list%u", m->ctx->partial, ++m->processor.lists);
    return compile_dump(m->o, m->ctx, folder, (compile_form){.list = list});
}

bool compile_run_list(interpreter *m) {
    if (!compile_queue_has_commands(m))
        return true;
    compile_context ctx = *m->ctx;
    arena scratch = {0};
    ctx.mem = &scratch;
    const pnr_board *b = &m->a->board;
    const compile_firmware f = compile_files_of(&scratch, m->list.plan, "list", m->list.elf);
    compile_outcome out = {0};
    fw_list_result r = {0};
    uint32_t again;
    const uint32_t n = fw_fold_steps(&m->list.steps, &again);
    const fw_list list = {&m->list.steps, n, again};
    bool ok = dump_list(m, &list) &&
              fw_write_list(&list, &m->list.segments, &m->list.resident, b, f.batches, ctx.diag) &&
              compile_ask_chip(m, &ctx, m->list.plan, &f, &out) &&
              fw_read_list_result(f.result, n, &scratch, ctx.diag, &r);
    const uint32_t wanted = m->list.steps.len - m->list.ends;
    if (ok && r.steps != wanted)
        ok = compile_differs(
            m,
            arena_printf(ctx.diag->mem,
                         "the processor made %u of %u steps of a list: a test came out otherwise", r.steps,
                         wanted),
            m->list.plan->step->loc);
    if (ok)
        count_list(m, &r, again, &out);
    arena_free(&scratch);
    arena_free(&m->list.mem);
    memset(&m->list, 0, sizeof m->list);
    return ok;
}

bool compile_may_write(const interpreter *m, const fw_segment *g) {
    bool may = true;
    for (uint32_t i = 0; i < m->list.segments.len; i++) {
        const fw_segment *s = &m->list.segments.at[i];
        const bool begins = s->address == g->address &&
                            memcmp(s->content, g->content, s->bytes < g->bytes ? s->bytes : g->bytes) == 0;
        const bool table = g->address < m->a->board.map.sram + FW_TABLE_OFFSET + FW_TABLES_KEPT;
        if (begins && table && s->bytes == g->bytes) /* which stays as it is */
            return true;
        may = may && ((begins && !table) || !compile_overlap(s->address, s->bytes, g->address, g->bytes));
    }
    for (uint32_t i = 0; i < m->list.resident.len; i++)
        may = may && !compile_overlap(m->list.resident.at[i].address, m->list.resident.at[i].bytes,
                                      g->address, g->bytes);
    for (uint32_t i = 0; i < m->list.used.len; i++)
        may = may &&
              !compile_overlap(m->list.used.at[i].address, m->list.used.at[i].bytes, g->address, g->bytes);
    return may;
}

void compile_add_segment(interpreter *m, const fw_segment *g) {
    fw_segment own = *g, *begun = NULL;
    for (uint32_t i = 0; i < m->list.segments.len && !begun; i++)
        begun = m->list.segments.at[i].address == g->address ? &m->list.segments.at[i] : NULL;
    if (begun && begun->bytes >= g->bytes)
        return;
    uint8_t *content = arena_alloc(&m->list.mem, g->bytes + 1);
    if (g->bytes)
        memcpy(content, g->content, g->bytes);
    own.content = content;
    if (begun)
        *begun = own;
    else
        vec_push(&m->list.mem, &m->list.segments, own);
}

void compile_add_step(interpreter *m, const compile_statement_plan *plan, const char *elf,
                      const fw_command *command) {
    if (!compile_queue_has_commands(m)) {
        m->list.plan = compile_array_plan(m, plan);
        m->list.elf = elf ? arena_strdup(&m->list.mem, elf) : NULL;
    }
    vec_push(&m->list.mem, &m->list.steps, *command);
    m->processor.stepped++;
}

bool compile_write_before(interpreter *m, const fw_segment *g) {
    bool may = compile_may_write(m, g);
    for (uint32_t i = 0; i < m->processor.calc.len; i++)
        may = may && fw_address(&m->a->board, FW_GET(&m->processor.calc.at[i], calc, to)) != g->address;
    if (may)
        compile_add_segment(m, g);
    return may;
}

void compile_add_calc(interpreter *m, const fw_command *command) {
    vec_push(m->ctx->mem, &m->processor.calc, *command);
}

void compile_add_calcs(interpreter *m, const compile_statement_plan *plan, const char *elf) {
    for (uint32_t i = 0; i < m->processor.calc.len; i++) {
        const fw_command *command = &m->processor.calc.at[i];
        compile_add_step(m, plan, elf, command);
        const uint32_t of[] = {FW_GET(command, calc, a), FW_GET(command, calc, b)};
        vec_push(&m->list.mem, &m->list.resident,
                 ((fw_segment){fw_address(&m->a->board, FW_GET(command, calc, to)), 4, NULL}));
        for (uint32_t k = 0; k < (FW_GET(command, calc, number) ? 1u : 2u); k++)
            vec_push(&m->list.mem, &m->list.used, ((fw_segment){fw_address(&m->a->board, of[k]), 4, NULL}));
    }
    m->processor.calc.len = 0;
}

void compile_add_scratch(interpreter *m, const fw_put *slot) {
    vec_push(&m->list.mem, &m->list.resident,
             ((fw_segment){fw_address(&m->a->board, slot->address), slot->bytes, NULL}));
}

void compile_add_used(interpreter *m, const compile_resident *of) {
    for (uint32_t i = 0; i < of->words.len; i++)
        vec_push(
            &m->list.mem, &m->list.used,
            ((fw_segment){m->a->board.map.cgra_data + of->words.at[i].address, of->words.at[i].bytes, NULL}));
    vec_push(&m->list.mem, &m->list.used,
             ((fw_segment){FW_GET(&of->step, batch, table),
                           FW_GET(&of->step, batch, runs) *
                               fw_row_bytes(of->deferred.columns.n_in, of->deferred.columns.n_out),
                           NULL}));
}

/* Returns the length in bytes of the range read by a copy. */
static uint32_t copied_from(const fw_command *copy) {
    const uint32_t inner = FW_GET(copy, copy, times), outer = FW_GET(copy, copy, times_outer);
    return FW_GET(copy, copy, bytes) + (inner ? (inner - 1) * FW_GET(copy, copy, step) : 0) +
           (outer ? (outer - 1) * FW_GET(copy, copy, step_outer) : 0);
}

void compile_add_move(interpreter *m, const compile_statement_plan *plan, const char *elf,
                      const compile_move *move) {
    const compile_resident *of = move->of;
    for (uint32_t i = 0; i < move->commands.len; i++)
        compile_add_step(m, plan, elf, &move->commands.at[i]);
    vec_push(&m->list.mem, &m->list.resident,
             ((fw_segment){fw_address(&m->a->board, move->device_copy.put.address),
                           (move->device_copy.put.bytes + 3) / 4 * 4, NULL}));
    for (uint32_t i = 0; i < move->commands.len && !move->spread; i++) {
        const fw_command *copy = &move->commands.at[i];
        if (fw_command_of(copy->word) == FW_COMMAND_copy)
            vec_push(
                &m->list.mem, &m->list.used,
                ((fw_segment){fw_address(&m->a->board, FW_GET(copy, copy, from)), copied_from(copy), NULL}));
    }
    if (!move->spread)
        return;
    if (move->packed && move->slot.bytes)
        compile_add_scratch(m, &move->slot);
    if (!move->packed || move->made)
        compile_add_used(m, of);
}

bool compile_break_list(interpreter *m, const char *why) {
    m->processor.breaks++;
    m->processor.why = why;
    return compile_run_list(m);
}
