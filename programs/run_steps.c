/* A way through a program, twice: with the engine, and with the reference, which sees nothing of what the
 * engine made. Between statements a tensor holds what is not its fill, unless it stays as it was given and a
 * statement asks where it is stored. */
#include "programs/run_steps.h"
#include "engines/engines.h"
#include "kernel/operands.h"
#include "kernel/words.h"
#include "kernel/written.h"
#include "programs/alive.h"
#include "programs/check.h"
#include "programs/command_list.h"
#include "programs/condition.h"
#include "programs/configured.h"
#include "programs/coordinate.h"
#include "programs/gathered.h"
#include "programs/kernel_plans.h"
#include "programs/print.h"
#include "programs/programs.h"
#include "programs/queue.h"
#include "programs/read_back.h"
#include "programs/scalar.h"
#include "programs/step_operands.h"
#include "sam/coordinates.h"
#include "sam/operators.h"
#include "tiling/wide.h"

#include <math.h>

void compile_begin_interpreter(interpreter *m) {
    m->of = arena_new_n(m->ctx->mem, tensor_slot, m->a->slots + 1);
    for (uint32_t t = 0; t < m->a->program.tensors.len; t++) {
        if (compile_shows_fills(m->a, t))
            m->of[t].t = m->a->initial[t];
        else
            compile_set_slot(&m->of[t], &m->a->initial[t], &m->a->initial[t], compile_keeps_exact(m));
    }
}

void compile_find_all_waiting(interpreter *m) {
    compile_application *a = m->a;
    const uint32_t before = a->slots;
    for (uint32_t i = 0; i < a->plans.len; i++)
        compile_plan_kernels(m->ctx, a, &a->plans.at[i]);
    tensor_slot *all = arena_new_n(m->ctx->mem, tensor_slot, a->slots + 1);
    memcpy(all, m->of, sizeof *all * before);
    m->of = all;
    compile_find_deferrable(m->o, m->ctx, a);
}

void compile_end_interpreter(interpreter *m) {
    for (uint32_t t = 0; t < m->a->slots; t++) {
        compile_forget_resident(&m->of[t]);
        arena_free(&m->of[t].mem);
    }
}

/* Counts a statement computed by the host. */
static void count_host(interpreter *m, compile_statement_plan *plan, const tile_tensor *value) {
    const compile_execution execution = {.pass = compile_pass_text(m), .entries = value->nnz};
    if (compile_queue_has_commands(m))
        vec_push(&m->list.mem, &m->list.runs,
                 ((compile_queued_run){plan, plan->executions.len, COMPILE_NO_STEP}));
    else
        compile_add_timeline_run(m, plan, (compile_timeline_run){.pass = execution.pass, .begin = m->now});
    vec_push(m->ctx->mem, &plan->executions, execution);
}

/* Adds the changing operands of a run to the dry run. Returns whether more may follow. */
static bool see_operands(interpreter *m, const fe_step *step, compile_dry_run *r) {
    enum { MOST = 1 << 24, EACH = 256 }; /* of operands of all runs; cost of a run */
    const sam_statement *s = &step->statement;
    m->entries += EACH;
    if (step->kind != FE_STEP_ASSIGN) /* a condition has no result */
        return m->entries <= MOST;
    r->runs++;
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        const uint32_t tensor = step->use[t].shared;
        bool again = t + 1 == s->result.v || step->use[t].counts;
        for (uint32_t before = 0; before < t; before++)
            again = again || (before + 1 != s->result.v && step->use[before].shared == tensor);
        if (again)
            continue;
        const tile_tensor *now = &m->of[tensor].t;
        m->entries += now->nnz;
        if (!s->integers)
            compile_see_infinite(r, now);
        if (now->order && m->a->program.tensors.at[tensor].changes)
            compile_see(r, tensor, now, m->ctx->mem);
    }
    return m->entries <= MOST;
}

/* Returns the terms of the longest sum that the operands are made of. */
static float longest_sum(const interpreter *m, const fe_step *step) {
    float most = 0;
    for (uint32_t t = 0; t < step->statement.tensors.len; t++) {
        if (t + 1 != step->statement.result.v)
            most = fmaxf(most, m->of[step->use[t].shared].t.addends);
    }
    return most;
}

/* Computes the value of a statement or condition on the present tensors, by this machine. */
static bool evaluate(interpreter *m, compile_context *ctx, const fe_step *step, tile_tensor *out) {
    compile_statement_plan *plan = compile_plan_of_step(m->a, step);
    compile_data data = {0};
    compile_options o = plan->options;
    if ((m->in_dry_run && !see_operands(m, step, &plan->dry_run)) ||
        !compile_operands_of(m, ctx, step, &o, &data) ||
        (m->reference && !compile_check_indices(m, ctx, step, &data)) ||
        !m->value(&step->statement, &data.operands, ctx->mem, ctx->diag, out))
        return false;
    tile_match_width(out, plan->kernel.on_host ? !plan->kernel.on_processor
                                               : tile_is_wide_alone(&step->statement));
    out->addends = fmaxf(out->addends, longest_sum(m, step));
    compile_widen(m, step, ctx->mem, out);
    plan->wrapped += m->reference && !m->in_dry_run ? out->wrapped : 0;
    return compile_check_alone(m, ctx, step, &data, out);
}

/* Finds the operands of all statements of a run. */
static bool find_operands(interpreter *m, compile_context *ctx, compile_member *members, uint32_t n) {
    bool ok = true;
    for (uint32_t p = 0; p < n && ok; p++) {
        compile_options o = members[p].plan->options;
        members[p].data = (compile_data){0};
        ok = compile_operands_of(m, ctx, members[p].plan->step, &o, &members[p].data);
    }
    return ok;
}

static bool all_wait(const compile_deferred_run *run) {
    bool all = true;
    for (uint32_t p = 0; p < run->n; p++)
        all = all && run->members[p].plan->waits;
    return all;
}

/* Adds the kernels of the statement, or of several statements at once, to the waiting list, if possible. */
static bool wait_for(interpreter *m, compile_context *ctx, compile_statement_plan *plan,
                     compile_deferred_run *run) {
    const uint32_t kernels = plan->n_kernels ? plan->n_kernels : 1;
    uint32_t n = 0;
    bool ok = true;
    run->waited = COMPILE_AGAIN;
    while (n < kernels && all_wait(run) && ok && run->waited != COMPILE_NEVER) {
        const compile_statement_plan *kernel_plan = plan->n_kernels ? &plan->kernels[n] : plan;
        ok = (kernel_plan->by_commands ||
              compile_leave_program(m, ctx, kernel_plan)) && /* commands are of any program */
             find_operands(m, ctx, run->members, run->n) &&
             (plan->n_kernels ? compile_enqueue_kernel(m, ctx, plan, n, run)
                              : compile_enqueue(m, ctx, run->members, run->n, &run->waited));
        run->members[0].plan = plan;
        n += run->waited == COMPILE_QUEUED;
    }
    run->waited = ok && n == kernels ? COMPILE_QUEUED : COMPILE_NEVER;
    compile_end_kernels(m, plan, n == kernels);
    return ok;
}

/* Holds the values of a run against the reference. */
static bool check_alone(const interpreter *m, compile_context *ctx, const compile_member *members,
                        uint32_t n) {
    bool ok = true;
    for (uint32_t p = 0; p < n && ok; p++)
        ok = compile_check_alone(m, ctx, members[p].plan->step, &members[p].data, &members[p].value);
    return ok;
}

/* Runs the statements' kernel, and takes the values. */
static bool run_now(interpreter *m, compile_context *ctx, compile_member *members, uint32_t n) {
    compile_kernel *k = arena_new_n(ctx->mem, compile_kernel, n);
    const compile_statement_plan *plan = members[0].plan;
    if (!compile_leave_program(m, ctx, plan) ||
        !compile_sync_operands(m, plan->step, !compile_runs_on_host(plan) || compile_runs_on_processor(plan),
                               plan->eager) ||
        !find_operands(m, ctx, members, n))
        return false;
    for (uint32_t p = 0; p < n; p++) {
        compile_begin_run(m, ctx, members[p].plan, &members[p].data, &k[p]);
        if (p)
            vec_push(ctx->mem, &k[0].array.others, &k[p]);
    }
    bool ok = compile_run_kernels(&plan->options, ctx, &k[0], &members[0].data.operands);
    for (uint32_t p = 0; p < n; p++) {
        ok = compile_end_run(m, ctx, members[p].plan, &k[p], ok);
        members[p].value = k[p].ran.result;
        members[p].resident = NULL;
    }
    if (!ok)
        return false;
    m->late = (compile_late){.plan = members[0].plan, .kernel = k[0]};
    for (uint32_t p = 0; p < n && !(m->session.may_wait && m->session.overlapped); p++)
        ok = ok && compile_count_run(m, members[p].plan, &k[p]);
    return ok && check_alone(m, ctx, members, n);
}

/* Computes the value of a statement by this machine. */
static bool compute_here(interpreter *m, compile_context *ctx, compile_member *member) {
    compile_statement_plan *plan = member->plan;
    const fe_step *step = plan->step;
    if (m->reference)
        return evaluate(m, ctx, step, &member->value);
    if (plan->waits) {
        if (!evaluate(m, ctx, step, &member->value))
            return false;
        if (compile_enqueue_scalar(m, ctx, plan, &member->value, &member->resident)) {
            count_host(m, plan, &member->value);
            plan->executions.at[plan->executions.len - 1].alone = 1;
            return true;
        }
    }
    if (!compile_sync_operands(m, step, false, "the host computes with them") ||
        !evaluate(m, ctx, step, &member->value))
        return false;
    count_host(m, plan, &member->value);
    return true;
}

/* Computes the values of the statements of a run; `resident` becomes the chip's result, if only the chip has
 * the value. */
static bool compute(interpreter *m, compile_context *ctx, compile_deferred_run *run) {
    if (m->reference || run->members[0].plan->on_host)
        return compute_here(m, ctx, &run->members[0]);
    if (!wait_for(m, ctx, run->members[0].plan, run))
        return false;
    return run->waited == COMPILE_QUEUED ? check_alone(m, ctx, run->members, run->n)
                                         : run_now(m, ctx, run->members, run->n);
}

double compile_expected_of(const compile_statement_plan *plan) {
    const compile_kernel *k = &plan->kernel;
    double cost = k->on_host ? 0 : k->tiling.expected.cost;
    for (uint32_t n = 0; n < k->producers.len; n++)
        cost += k->producers.at[n].on_host ? 0 : k->producers.at[n].tiling.expected.cost;
    return cost;
}

/* Returns whether the processor may make the calls of the statement `calls` while the array runs the
 * statement `runs`. Each consists of calls or of runs only, neither needs or replaces the other's result, and
 * the array takes long enough. Short rows of calls cost a hundredth of the calls' time. */
static bool may_overlap(const interpreter *m, const fe_step *calls, const fe_step *runs) {
    const double worth_it = 4000;
    if (m->reference || m->o->target.engine != ENGINE_SOC || m->o->running.wave || !m->o->optimize ||
        calls->kind != FE_STEP_ASSIGN || runs->kind != FE_STEP_ASSIGN)
        return false;
    const compile_statement_plan *c = compile_plan_of_step(m->a, calls),
                                 *r = compile_plan_of_step(m->a, runs);
    const uint32_t made = fe_step_result(calls), stored = fe_step_result(runs);
    return !c->on_host && c->kernel.on_processor && !c->kernel.producers.len && !compile_runs_on_host(r) &&
           !compile_runs_on_processor(r) && !r->waits && !compile_joint_of(m->a, r) &&
           compile_expected_of(r) >= worth_it && (!r->kernel.producers.len || r->array || m->a->configs) &&
           made != stored && !compile_step_reads(runs, made) && !compile_step_reads(calls, stored);
}

static bool assign(interpreter *m, const fe_step *step);

/* The calls wait until the runs begin, and are counted after the runs. */
static bool assign_both(interpreter *m, const fe_step *calls, const fe_step *runs) {
    m->session.may_wait = true;
    const bool called = assign(m, calls);
    compile_late late = m->late;
    m->session.may_wait = false;
    const bool ran_both = called && assign(m, runs);
    compile_overlapped *b = m->session.overlapped;
    if (!b)
        return ran_both;
    const bool ended = ran_both && compile_end_overlap(m->ctx, b);
    compile_outcome *ran = &late.kernel.ran;
    ran->processor.cycles = b->cost.processor.cycles;
    ran->processor.overlapped = b->cost.processor.overlapped;
    ran->cycles = b->cost.cycles;
    ran->words = b->cost.words;
    m->session.overlapped = NULL;
    arena_free(&b->mem);
    return ended && compile_count_run(m, late.plan, &late.kernel);
}

static const tile_tensor *shape_of(const interpreter *m, uint32_t tensor) {
    return &m->a->initial[tensor];
}

/* Returns the statement, with all statements of its kernel on the engine. */
static compile_deferred_run run_of(const interpreter *m, compile_statement_plan *plan) {
    const compile_joint *joint = m->reference ? NULL : compile_joint_of(m->a, plan);
    compile_deferred_run run = {.n = joint ? joint->n : 1};
    for (uint32_t p = 0; p < run.n; p++)
        run.members[p].plan = joint ? joint->of[p] : plan;
    return run;
}

/* Gives the results the arena of their run. */
static void own_arena(const compile_deferred_run *run, arena *mem) {
    compile_common *common = run->n > 1 ? arena_new(mem, compile_common) : NULL;
    if (common)
        *common = (compile_common){*mem, run->n};
    for (uint32_t p = 0; p < run->n; p++) {
        run->members[p].resident->common = common;
        run->members[p].resident->mem = common ? (arena){0} : *mem;
    }
}

/* Computes the value of a statement, in its place, and the values of other statements of its kernel. */
static bool assign(interpreter *m, const fe_step *step) {
    compile_context ctx = *m->ctx;
    arena scratch = {0};
    compile_deferred_run run = run_of(m, compile_plan_of_step(m->a, step));
    if (run.members[0].plan->step != step) /* has run */
        return true;
    ctx.mem = &scratch;
    const bool ok = compute(m, &ctx, &run);
    if (!ok && !m->reference)
        m->a->refused = step;
    for (uint32_t p = 0; p < run.n && ok; p++) {
        const compile_member *member = &run.members[p];
        tile_tensor value = member->value;
        tensor_slot *to = &m->of[member->plan->to];
        value.original = m->reference ? value.original : NULL; /* the engine has words */
        compile_set_slot(to, &value, shape_of(m, fe_step_result(member->plan->step)), compile_keeps_exact(m));
        to->resident = member->resident;
    }
    if (ok && run.members[0].resident)
        own_arena(&run, &scratch); /* the results own the arena */
    else
        arena_free(&scratch);
    return ok;
}

/* The values of a multi wait in separate places: all of them read the tensors before the multi. */
static bool assign_all(interpreter *m, const fe_steps *steps) {
    bool ok = true;
    for (uint32_t i = 0; i < steps->len && ok; i++)
        ok = assign(m, &steps->at[i]);
    for (uint32_t i = 0; i < steps->len && ok; i++) {
        tensor_slot *from = &m->of[compile_plan_of_step(m->a, &steps->at[i])->to],
                    *to = &m->of[fe_step_result(&steps->at[i])];
        compile_forget_resident(to);
        arena_free(&to->mem);
        *to = *from;
        *from = (tensor_slot){0};
    }
    return ok;
}

/* Finds whether the loop is over: by the processor, too, if only the chip has a needed value. */
static bool is_over(interpreter *m, const fe_step *step, bool *over) {
    compile_context ctx = *m->ctx;
    arena scratch = {0};
    tile_tensor value;
    ctx.mem = &scratch;
    const bool resident = !m->reference && compile_has_resident(m, step);
    bool ok = evaluate(m, &ctx, step, &value);
    *over = ok && compile_condition_holds(&value);
    if (ok && resident && !compile_enqueue_test(m, step, *over)) {
        ok = compile_sync_operands(m, step, false, "the processor cannot test its condition") &&
             evaluate(m, &ctx, step, &value);
        *over = ok && compile_condition_holds(&value);
    }
    arena_free(&scratch);
    return ok && (!*over || m->reference || compile_run_list(m));
}

/* Writes a checkpoint at the end of every n-th pass. */
static bool keep(interpreter *m) {
    const compile_application *a = m->a;
    compile_context ctx = *m->ctx;
    arena scratch = {0};
    compile_state s = {.line = m->line, .now = m->now};
    if (m->reference || !m->o->running.checkpoint || ++m->ended % m->o->running.checkpoint)
        return true;
    if (!compile_sync_all(m, "what the tensors hold is kept (--checkpoint)"))
        return false;
    ctx.mem = &scratch;
    s.tensors = arena_new_n(&scratch, tile_tensor, a->program.tensors.len + 1);
    for (uint32_t t = 0; t < a->program.tensors.len; t++)
        s.tensors[t] = m->of[t].t;
    for (uint32_t i = 0; i < m->passes.len; i++)
        vec_push(&scratch, &s.at,
                 (compile_loop_state){m->steps.at[i], m->passes.at[i] - (i + 1 < m->passes.len)});
    bool ok = compile_checkpoint_write(m->o, &ctx, m->a, m->hash, &s);
    arena_free(&scratch);
    return ok;
}

/* Resumes after the last pass of the checkpoint, if present, or within a pass whose inner loop continues. */
static bool repeat(interpreter *m, const fe_step *step) {
    const uint32_t depth = m->passes.len;
    uint32_t passes = m->resumed.len > depth ? m->resumed.at[depth].passes : 0;
    bool over = false, within = m->resumed.len > depth + 1;
    const char *pass = compile_pass_text(m);
    m->resumed.len = within ? m->resumed.len : 0;
    vec_push(m->ctx->mem, &m->passes, 0);
    uint32_t alone = 0; /* passes made by the processor alone */
    compile_statement_plan *loop = compile_plan_of_step(m->a, step);
    for (;; passes++) {
        const uint32_t breaks = m->processor.breaks, stepped = m->processor.stepped;
        const bool last = passes == step->passes;
        if (!within && step->until && !(step->branch && last) && !is_over(m, step, &over))
            return false;
        if (!within && (over || last))
            break;
        within = false;
        m->passes.at[depth] = passes + 1;
        if (!compile_run_steps(m, &step->body) || !keep(m))
            return false;
        alone += m->processor.breaks == breaks && m->processor.stepped > stepped;
        if (m->processor.breaks != breaks && !loop->eager)
            loop->eager = m->processor.why;
        else if (m->processor.stepped == stepped && !loop->eager && !m->reference)
            loop->eager = "a pass has nothing to run on the array";
    }
    m->passes.len--;
    if (!m->reference)
        vec_push(m->ctx->mem, &loop->executions,
                 ((compile_execution){
                     .pass = pass, .passes = passes, .alone = alone, .unmet = step->until && !over}));
    if (over || !step->fails)
        return true;
    if (!m->reference && !compile_run_list(m)) /* whose last test the processor makes, too */
        return false;
    m->exhausted = true;
    diag_error(m->ctx->diag, step->loc, "E0960-passes", "after %u %s the condition does not hold%s", passes,
               plural(passes, "pass", "passes"), m->reference ? ", in the reference" : "");
    return diag_hint(m->ctx->diag, "a larger max, if it would ever hold");
}

bool compile_run_steps(interpreter *m, const fe_steps *steps) {
    const uint32_t depth = m->passes.len;
    bool ok = true;
    for (uint32_t i = m->resumed.len > depth ? m->resumed.at[depth].step : 0; i < steps->len && ok; i++) {
        const fe_step *step = &steps->at[i];
        switch (step->kind) {
        case FE_STEP_ASSIGN:
            if (i + 1 < steps->len && may_overlap(m, step, step + 1))
                ok = assign_both(m, step, &steps->at[++i]);
            else if (i + 1 < steps->len && may_overlap(m, step + 1, step))
                ok = assign_both(m, &steps->at[++i], step);
            else
                ok = assign(m, step);
            break;
        case FE_STEP_MULTI:
            ok = assign_all(m, &step->body);
            break;
        case FE_STEP_REPEAT:
            vec_push(m->ctx->mem, &m->steps, i);
            ok = repeat(m, step);
            m->steps.len--;
            break;
        case FE_STEP_PRINT:
            ok = m->reference || compile_print(m, step);
            break;
        case FE_STEP_COORDINATE:
            ok = compile_make_coordinate(m, step);
            break;
        case FE_STEP_SWAP: {
            tensor_slot first = m->of[step->swap[0]];
            m->of[step->swap[0]] = m->of[step->swap[1]];
            m->of[step->swap[1]] = first;
            for (uint32_t k = 0; k < 2; k++)
                m->of[step->swap[k]].t.name = shape_of(m, step->swap[k])->name;
        }
        }
    }
    return ok;
}

/* ---- the whole -------------------------------------------------------------------------------- */

/* Warns of each statement and condition with wrapped values. */
static void warn_wrapped(compile_context *ctx, const compile_application *a) {
    for (uint32_t i = 0; i < a->plans.len; i++) {
        const fe_step *step = a->plans.at[i].step;
        const uint64_t n = a->plans.at[i].wrapped;
        if (!n)
            continue;
        diag_warning(ctx->diag, step->loc, "E0351-wrapped",
                     "%llu %s of this %s %s in 16 bits, as on the chip, or %s made of one that did",
                     (unsigned long long)n, plural(n, "value", "values"),
                     step->kind == FE_STEP_ASSIGN ? "statement" : "condition",
                     compile_beyond_range(&step->statement), plural(n, "is", "are"));
        diag_hint(ctx->diag, "scale the operands, or compute in floating point with --dtype bf16");
    }
}

/* Returns the program as written, for the reference. */
static compile_application *written(compile_application *a) {
    return a->written ? a->written : a;
}

/* A loop whose condition never holds may have tested a word that wrapped. The reference's own complaint of
 * the loop is not heard. */
static void explain_passes(const interpreter *engine) {
    compile_context ctx = *engine->ctx;
    interpreter m = {
        .o = engine->o, .ctx = &ctx, .a = written(engine->a), .reference = true, .value = compile_reference};
    diagnostics quiet;
    if (!engine->exhausted || !engine->o->running.check || engine->o->tensors.dtype == TILE_DTYPE_BF16)
        return;
    diag_init(&quiet, ctx.mem);
    ctx.diag = &quiet;
    compile_begin_interpreter(&m);
    compile_run_steps(&m, &m.a->program.steps);
    compile_end_interpreter(&m);
    warn_wrapped(engine->ctx, m.a);
}

/* Measures results of bf16, each statement of which was held to the reference by itself. Where the
 * reference's own way through the program does not end, nothing is measured. */
static void measure_bf16(const interpreter *engine) {
    compile_context ctx = *engine->ctx;
    interpreter m = {
        .o = engine->o, .ctx = &ctx, .a = written(engine->a), .reference = true, .value = compile_reference};
    diagnostics quiet;
    diag_init(&quiet, ctx.mem);
    ctx.diag = &quiet;
    compile_begin_interpreter(&m);
    if (compile_run_steps(&m, &m.a->program.steps))
        compile_measure_results(engine, &m);
    compile_end_interpreter(&m);
}

/* Goes through the program once more with the reference alone. */
static bool check(interpreter *engine) {
    compile_application *a = engine->a;
    compile_context *ctx = engine->ctx;
    interpreter m = {
        .o = engine->o, .ctx = ctx, .a = written(a), .reference = true, .value = compile_reference};
    bool same = true;
    a->check = engine->o->running.check ? "pass" : "none";
    if (!engine->o->running.check)
        return true;
    compile_stage(ctx, "computing the reference", 0);
    if (engine->o->tensors.dtype == TILE_DTYPE_BF16) {
        measure_bf16(engine);
        return true;
    }
    compile_begin_interpreter(&m);
    bool ok = compile_run_steps(&m, &m.a->program.steps);
    if (ok)
        same = compile_same_results(engine, &m);
    if (ok)
        compile_measure_results(engine, &m);
    if (ok)
        warn_wrapped(ctx, m.a);
    a->check = same ? "pass" : "fail";
    compile_end_interpreter(&m);
    return ok;
}

/* Restores the checkpoint of an earlier command with this program, if present. */
static void resume(interpreter *m) {
    compile_application *a = m->a;
    compile_state s = {.line = m->line};
    m->hash = compile_checkpoint_hash(m->o, m->ctx, a);
    if (!compile_checkpoint_read(m->o, m->ctx, a, m->hash, &s))
        return;
    for (uint32_t t = 0; t < a->program.tensors.len; t++) {
        if (!compile_shows_fills(a, t))
            compile_set_slot(&m->of[t], &s.tensors[t], &a->initial[t], false);
    }
    m->resumed = s.at;
    m->now = s.now;
    for (uint32_t i = 0; i < s.at.len; i++)
        vec_push(m->ctx->mem, &m->passes, s.at.at[i].passes + (i + 1 < s.at.len));
    a->checkpoints.resumed = compile_pass_text(m);
    m->passes.len = 0;
}

/* Takes the results on the chip only, and forgets the rest of the chip's results. */
static bool sync_results(interpreter *m) {
    bool ok = compile_run_list(m);
    for (uint32_t i = 0; i < m->a->program.results.len && ok; i++)
        ok = compile_sync(m, m->a->program.results.at[i], "the program ends");
    for (uint32_t t = 0; t < m->a->program.tensors.len; t++)
        compile_forget_resident(&m->of[t]);
    return ok;
}

bool compile_run_program(interpreter *m) {
    compile_application *a = m->a;
    const uint32_t n = a->program.tensors.len;
    a->check = m->o->running.check ? "pass" : "none";
    if (m->o->running.checkpoint)
        resume(m);
    bool ok = compile_run_steps(m, &a->program.steps) && sync_results(m) &&
              compile_leave_program(m, m->ctx, NULL) &&
              compile_timeline_write(m->line, m->ctx->partial, m->ctx->diag) && check(m);
    explain_passes(m);
    a->result = arena_new_n(m->ctx->mem, tile_tensor, n + 1);
    for (uint32_t i = 0; i < a->program.results.len; i++) { /* the machine's arena is freed as well */
        const uint32_t t = a->program.results.at[i];
        a->result[t] = compile_copy_of(&m->of[t].t, m->ctx->mem);
    }
    for (uint32_t i = 0; i < a->program.results.len && ok; i++) {
        const uint32_t t = a->program.results.at[i];
        ok = compile_write_result(m->o, m->ctx, a->program.tensors.at[t].stored, &a->result[t]);
    }
    return ok;
}
