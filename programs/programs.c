/* A program on an engine. Each statement is compiled once, before anything runs; then the host goes through
 * the loops and tests their conditions, twice: with the engine, and with the reference, which sees nothing of
 * what the engine made. Between statements a tensor holds what is not its fill, unless it stays as it was
 * given and a statement asks where it is stored.
 *
 * What is about scalars alone is computed by the host, and so is what the array has no tiles for. */
#include "programs/programs.h"
#include "compile/compile.h"
#include "engines/engines.h"
#include "kernel/environment.h"
#include "kernel/folder.h"
#include "kernel/formats.h"
#include "kernel/functions.h"
#include "kernel/operands.h"
#include "kernel/written.h"
#include "programs/check.h"
#include "programs/condition.h"
#include "programs/parts.h"
#include "programs/scalar.h"
#include "sam/coordinates.h"
#include "sam/operators.h"
#include "support/number.h"
#include "tiling/plain.h"

#include <math.h>
#include <stdlib.h>

/* ---- what tensors hold ------------------------------------------------------------------------- */

/* Whether a statement asks where the tensor is stored (`struct`), which is compressed and nothing changes. */
static bool shows_fills(const compile_application *a, uint32_t tensor) {
    bool asked = false;
    for (uint32_t i = 0; i < a->stages.len && !a->program.tensors.at[tensor].changes; i++) {
        const fe_step *step = a->stages.at[i].step;
        for (uint32_t t = 0; t < step->statement.tensors.len; t++) {
            const sam_tensor_data *as = &step->statement.tensors.at[t];
            const bool how = as->structure == SAM_STORED || as->structure == SAM_COMPLEMENT;
            asked = asked || (step->use[t].shared == tensor && how && !sam_is_dense(as));
        }
    }
    return asked;
}

static void begin_machine(machine *m) {
    m->of = arena_new_n(m->ctx->mem, held, m->a->places + 1);
    for (uint32_t t = 0; t < m->a->program.tensors.len; t++) {
        if (shows_fills(m->a, t))
            m->of[t].t = m->a->given[t];
        else
            compile_hold(&m->of[t], &m->a->given[t], &m->a->given[t]);
    }
}

/* Finds what may wait, kernels of statements of several one by one, and makes room for their workspaces. */
static void find_waiting(machine *m) {
    compile_application *a = m->a;
    const uint32_t before = a->places;
    for (uint32_t i = 0; i < a->stages.len; i++)
        compile_find_parts(m->ctx, a, &a->stages.at[i]);
    held *all = arena_new_n(m->ctx->mem, held, a->places + 1);
    memcpy(all, m->of, sizeof *all * before);
    m->of = all;
    compile_find_waiting(m->o, m->ctx, a);
}

static void end_machine(machine *m) {
    for (uint32_t t = 0; t < m->a->places; t++) {
        compile_forget_left(&m->of[t]);
        arena_free(&m->of[t].mem);
    }
}

/* ---- operands ---------------------------------------------------------------------------------- */

/* As many as a scalar can say; the reference sees how many there are. */
static tile_tensor count_of(const machine *m, const tile_tensor *t, name_id name, arena *mem) {
    uint16_t *val = arena_new(mem, uint16_t);
    uint64_t n = 0;
    for (uint64_t e = 0; e < t->nnz; e++)
        n += t->val[e] != t->fill;
    double *given = arena_new(mem, double);
    *val = sam_literal_word(n < INT16_MAX ? (double)n : INT16_MAX, m->o->tensors.dtype == TILE_DTYPE_BF16);
    *given = (double)n;
    return (tile_tensor){.name = name, .nnz = 1, .val = val, .given = given, .given_as = val};
}

/* Returns a tensor that is stored wherever an operand of the step was in some run of it, or everywhere. */
static tile_tensor fullest(const machine *m, const fe_step *step, uint32_t tensor, arena *mem) {
    const compile_seen *seen = compile_seen_of(&compile_stage_of_step(m->a, step)->rehearsed, tensor);
    const tile_tensor *t = &m->of[tensor].t;
    if (seen)
        return seen->all;
    tile_tensor full = *t;
    uint32_t *crd = arena_new_n(mem, uint32_t, t->dim[0] + 1);
    uint16_t *val = arena_new_n(mem, uint16_t, t->dim[0] + 1);
    for (full.nnz = 0; full.nnz < t->dim[0]; full.nnz++) {
        crd[full.nnz] = (uint32_t)full.nnz;
        val[full.nnz] = t->fill == 1 ? 2 : 1;
    }
    full.crd = crd;
    full.val = val;
    return full;
}

/* Makes the operands of the step what the tensors hold now; with o->asked.fullest those that change are as
 * full as all runs of the step together make them, or vectors as they may get, where nobody has seen these.
 */
static bool operands_of(const machine *m, compile_context *ctx, const fe_step *step, compile_options *o,
                        compile_data *out) {
    const sam_statement *s = &step->statement;
    o->tensors.given.at = NULL;
    o->tensors.given.len = o->tensors.given.cap = 0;
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        const sam_tensor_data *data = &s->tensors.at[t];
        const fe_use *use = &step->use[t];
        const name_id name = data->called.v ? data->called : data->name;
        bool again = t + 1 == s->result.v;
        for (uint32_t i = 0; i < o->tensors.given.len && !again; i++)
            again = strcmp(o->tensors.given.at[i].name, names_text(ctx->names, name)) == 0;
        if (again)
            continue;
        tile_tensor now = m->of[use->shared].t;
        if (use->counts)
            now = count_of(m, &now, name, ctx->mem);
        else if (o->asked.fullest && now.order && m->a->program.tensors.at[use->shared].changes)
            now = fullest(m, step, use->shared, ctx->mem);
        vec_push(ctx->mem, &o->tensors.given, (compile_given){names_text(ctx->names, name), now});
    }
    return compile_read_operands(o, ctx, s, out);
}

/* ---- one statement ----------------------------------------------------------------------------- */

/* Notes that the host computed a statement. */
static void count_host(machine *m, compile_stage_of *stage, const tile_tensor *value) {
    const compile_visit visit = {.pass = compile_pass_text(m), .entries = value->nnz};
    if (compile_list_waits(m))
        vec_push(&m->list.mem, &m->list.runs, ((compile_waiting){stage, stage->visits.len, COMPILE_NO_STEP}));
    else
        compile_line_of(m, stage, (compile_line_run){.pass = visit.pass, .begin = m->now});
    vec_push(m->ctx->mem, &stage->visits, visit);
}

/* Notes what changes among the operands of a run. Returns whether there may be more. */
static bool see_operands(machine *m, const fe_step *step, compile_rehearsed *r) {
    enum { MOST = 1 << 24, EACH = 256 }; /* entries of all operands of all runs, and what a run is worth */
    const sam_statement *s = &step->statement;
    m->entries += EACH;
    if (step->kind != FE_STEP_ASSIGN) /* a condition */
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
        if (now->order && m->a->program.tensors.at[tensor].changes)
            compile_see(r, tensor, now, m->ctx->mem);
    }
    return m->entries <= MOST;
}

/* Computes the value of a statement or condition on what the tensors hold, by this machine. */
static bool evaluate(machine *m, compile_context *ctx, const fe_step *step, tile_tensor *out) {
    compile_stage_of *stage = compile_stage_of_step(m->a, step);
    compile_data data = {0};
    compile_options o = stage->options;
    if ((m->rehearsing && !see_operands(m, step, &stage->rehearsed)) ||
        !operands_of(m, ctx, step, &o, &data) ||
        !m->value(&step->statement, &data.operands, ctx->mem, ctx->diag, out))
        return false;
    compile_widen(m, step, ctx->mem, out);
    stage->wrapped += m->reference && !m->rehearsing ? out->wrapped : 0;
    return compile_check_alone(m, ctx, step, &data, out);
}

/* Has the statement's kernels wait, if they may. */
static bool wait_for(machine *m, compile_context *ctx, compile_stage_of *stage, compile_later_run *run) {
    const uint32_t kernels = stage->n_parts ? stage->n_parts : 1;
    uint32_t n = 0;
    bool ok = true;
    *run = (compile_later_run){.waited = COMPILE_AGAIN};
    while (n < kernels && stage->waits && ok && run->waited != COMPILE_NEVER) {
        compile_options o = stage->options;
        run->data = (compile_data){0};
        const compile_stage_of *part = stage->n_parts ? &stage->parts[n] : stage;
        ok = (part->by_items || compile_leave_program(m, ctx, part)) && /* items are of any program */
             operands_of(m, ctx, stage->step, &o, &run->data) && compile_wait_part(m, ctx, stage, n, run);
        n += run->waited == COMPILE_WAITS;
    }
    run->waited = ok && n == kernels ? COMPILE_WAITS : COMPILE_NEVER;
    compile_end_parts(m, stage, n == kernels);
    return ok;
}

/* Computes the value of a statement; *left becomes what the chip has of it, if it has it alone. */
static bool compute(machine *m, compile_context *ctx, const fe_step *step, tile_tensor *out,
                    compile_left **left) {
    compile_stage_of *stage = compile_stage_of_step(m->a, step);
    compile_later_run waiting;
    *left = NULL;
    if (m->reference)
        return evaluate(m, ctx, step, out);
    if (stage->on_host && stage->waits) {
        if (!evaluate(m, ctx, step, out))
            return false;
        if (compile_wait_scalar(m, ctx, stage, out, left)) {
            count_host(m, stage, out);
            stage->visits.at[stage->visits.len - 1].alone = 1;
            return true;
        }
    }
    if (stage->on_host) {
        if (!compile_settle_operands(m, step, false, "the host computes with them") ||
            !evaluate(m, ctx, step, out))
            return false;
        count_host(m, stage, out);
        return true;
    }
    if (!wait_for(m, ctx, stage, &waiting))
        return false;
    *left = waiting.left;
    if (waiting.waited == COMPILE_WAITS) {
        *out = waiting.value;
        return compile_check_alone(m, ctx, step, &waiting.data, out);
    }
    compile_data data = {0};
    compile_options o = stage->options;
    compile_kernel k;
    if (!compile_leave_program(m, ctx, stage) ||
        !compile_settle_operands(m, step, !compile_stage_on_host(stage) || compile_stage_on_processor(stage),
                                 stage->eager) ||
        !operands_of(m, ctx, step, &o, &data))
        return false;
    compile_begin_run(m, ctx, stage, &data, &k);
    if (!compile_end_run(m, ctx, stage, &k, compile_run_kernels(&stage->options, ctx, &k, &data.operands)))
        return false;
    *out = k.ran.result;
    m->late = (compile_late){.stage = stage, .kernel = k};
    return ((m->session.may_wait && m->session.beside) || compile_count_run(m, stage, &k)) &&
           compile_check_alone(m, ctx, step, &data, out);
}

/* ---- functions beside the array ----------------------------------------------------------------- */

static bool reads(const fe_step *step, uint32_t tensor) {
    bool is = false;
    for (uint32_t t = 0; t < step->statement.tensors.len; t++)
        is = is || (t + 1 != step->statement.result.v && step->use[t].shared == tensor);
    return is;
}

/* Returns what the array is expected to take for a run of the statement, in cycles. */
static double expected_of(const compile_stage_of *stage) {
    const compile_kernel *k = &stage->kernel;
    double cost = k->on_host ? 0 : k->tiling.expected.cost;
    for (uint32_t n = 0; n < k->producers.len; n++)
        cost += k->producers.at[n].on_host ? 0 : k->producers.at[n].tiling.expected.cost;
    return cost;
}

/* Returns whether the processor may make the calls of the statement `calls` while the array runs that of
 * `runs`: each is one or the other alone, neither needs or replaces what the other makes, and the array takes
 * long enough. Short rows of calls cost a hundredth of the time in them. */
static bool may_overlap(const machine *m, const fe_step *calls, const fe_step *runs) {
    const double worth_it = 4000;
    if (m->reference || m->o->target.engine != ENGINE_SOC || m->o->running.wave || !m->o->optimize ||
        calls->kind != FE_STEP_ASSIGN || runs->kind != FE_STEP_ASSIGN)
        return false;
    const compile_stage_of *c = compile_stage_of_step(m->a, calls), *r = compile_stage_of_step(m->a, runs);
    const uint32_t made = fe_step_result(calls), stored = fe_step_result(runs);
    return !c->on_host && c->kernel.on_processor && !c->kernel.producers.len && !compile_stage_on_host(r) &&
           !compile_stage_on_processor(r) && !r->waits && expected_of(r) >= worth_it &&
           (!r->kernel.producers.len || r->array || m->a->images) && made != stored && !reads(runs, made) &&
           !reads(calls, stored);
}

static bool assign(machine *m, const fe_step *step);

/* The calls wait until the runs begin, and are counted when these have ended. */
static bool assign_both(machine *m, const fe_step *calls, const fe_step *runs) {
    m->session.may_wait = true;
    bool ok = assign(m, calls);
    compile_late late = m->late;
    m->session.may_wait = false;
    ok = ok && assign(m, runs);
    compile_beside *b = m->session.beside;
    if (!b)
        return ok;
    ok = ok && compile_end_beside(m->ctx, b);
    compile_outcome *ran = &late.kernel.ran;
    ran->processor.cycles = b->cost.processor.cycles;
    ran->processor.beside = b->cost.processor.beside;
    ran->cycles = b->cost.cycles;
    ran->words = b->cost.words;
    m->session.beside = NULL;
    arena_free(&b->mem);
    return ok && compile_count_run(m, late.stage, &late.kernel);
}

/* ---- steps ------------------------------------------------------------------------------------- */

static bool run_steps(machine *m, const fe_steps *steps);

static const tile_tensor *shape_of(const machine *m, uint32_t tensor) {
    return &m->a->given[tensor];
}

/* Computes the value of a statement, in its place. */
static bool assign(machine *m, const fe_step *step) {
    held *to = &m->of[compile_stage_of_step(m->a, step)->to];
    compile_context ctx = *m->ctx;
    arena scratch = {0};
    tile_tensor value;
    compile_left *left = NULL;
    ctx.mem = &scratch;
    const bool ok = compute(m, &ctx, step, &value, &left);
    if (ok) {
        value.given = m->reference ? value.given : NULL; /* the engine has words */
        compile_hold(to, &value, shape_of(m, fe_step_result(step)));
        to->left = left;
    }
    if (left)
        left->mem = scratch; /* which is the result's from now on */
    else
        arena_free(&scratch);
    return ok;
}

/* The values of a multi wait in places of their own, since all of them see what was held before any. */
static bool assign_all(machine *m, const fe_steps *steps) {
    bool ok = true;
    for (uint32_t i = 0; i < steps->len && ok; i++)
        ok = assign(m, &steps->at[i]);
    for (uint32_t i = 0; i < steps->len && ok; i++) {
        held *from = &m->of[compile_stage_of_step(m->a, &steps->at[i])->to],
             *to = &m->of[fe_step_result(&steps->at[i])];
        compile_forget_left(to);
        arena_free(&to->mem);
        *to = *from;
        *from = (held){0};
    }
    return ok;
}

/* Finds whether the loop is over: by the processor, too, where a value that it needs is on the chip alone. */
static bool is_over(machine *m, const fe_step *step, bool *over) {
    compile_context ctx = *m->ctx;
    arena scratch = {0};
    tile_tensor value;
    ctx.mem = &scratch;
    const bool left = !m->reference && compile_has_left(m, step);
    bool ok = evaluate(m, &ctx, step, &value);
    *over = ok && compile_condition_holds(&value);
    if (ok && left && !compile_wait_test(m, step, *over)) {
        ok = compile_settle_operands(m, step, false, "the processor cannot test its condition") &&
             evaluate(m, &ctx, step, &value);
        *over = ok && compile_condition_holds(&value);
    }
    arena_free(&scratch);
    return ok && (!*over || m->reference || compile_run_list(m));
}

/* Keeps what there is at the end of a pass, every so many. */
static bool keep(machine *m) {
    const compile_application *a = m->a;
    compile_context ctx = *m->ctx;
    arena scratch = {0};
    compile_state s = {.line = m->line, .now = m->now};
    if (m->reference || !m->o->running.checkpoint || ++m->ended % m->o->running.checkpoint)
        return true;
    if (!compile_settle_all(m, "what the tensors hold is kept (--checkpoint)"))
        return false;
    ctx.mem = &scratch;
    s.tensors = arena_new_n(&scratch, tile_tensor, a->program.tensors.len + 1);
    for (uint32_t t = 0; t < a->program.tensors.len; t++)
        s.tensors[t] = m->of[t].t;
    for (uint32_t i = 0; i < m->passes.len; i++)
        vec_push(&scratch, &s.at, (compile_place){m->steps.at[i], m->passes.at[i] - (i + 1 < m->passes.len)});
    bool ok = compile_checkpoint_write(m->o, &ctx, m->a, m->hash, &s);
    arena_free(&scratch);
    return ok;
}

/* Begins after the last pass that was kept, if there is one, and within one whose inner loop goes on. */
static bool repeat(machine *m, const fe_step *step) {
    const uint32_t depth = m->passes.len;
    uint32_t passes = m->resumed.len > depth ? m->resumed.at[depth].passes : 0;
    bool over = false, within = m->resumed.len > depth + 1;
    const char *pass = compile_pass_text(m);
    m->resumed.len = within ? m->resumed.len : 0;
    vec_push(m->ctx->mem, &m->passes, 0);
    uint32_t alone = 0; /* passes that the processor made by itself */
    compile_stage_of *loop = compile_stage_of_step(m->a, step);
    for (;; passes++) {
        const uint32_t breaks = m->processor.breaks, stepped = m->processor.stepped;
        if (!within && step->until && !is_over(m, step, &over))
            return false;
        if (!within && (over || passes == step->passes))
            break;
        within = false;
        m->passes.at[depth] = passes + 1;
        if (!run_steps(m, &step->body) || !keep(m))
            return false;
        alone += m->processor.breaks == breaks && m->processor.stepped > stepped;
        if (m->processor.breaks != breaks && !loop->eager)
            loop->eager = m->processor.why;
        else if (m->processor.stepped == stepped && !loop->eager && !m->reference)
            loop->eager = "a pass has nothing to run on the array";
    }
    m->passes.len--;
    if (!m->reference)
        vec_push(m->ctx->mem, &loop->visits,
                 ((compile_visit){.pass = pass, .passes = passes, .alone = alone}));
    if (over || !step->until)
        return true;
    if (!m->reference && !compile_run_list(m)) /* whose last test the processor makes, too */
        return false;
    m->exhausted = true;
    diag_error(m->ctx->diag, step->loc, "E0960-passes", "after %u %s the condition does not hold%s", passes,
               plural(passes, "pass", "passes"), m->reference ? ", in the reference" : "");
    diag_hint(m->ctx->diag, "a larger max, if it would ever hold");
    return false;
}

static bool run_steps(machine *m, const fe_steps *steps) {
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
        case FE_STEP_SWAP: {
            held first = m->of[step->swap[0]];
            m->of[step->swap[0]] = m->of[step->swap[1]];
            m->of[step->swap[1]] = first;
            for (uint32_t k = 0; k < 2; k++)
                m->of[step->swap[k]].t.name = shape_of(m, step->swap[k])->name;
        }
        }
    }
    return ok;
}

/* ---- compiling --------------------------------------------------------------------------------- */

/* Returns a name that no other statement's folder has. */
static const char *folder_name(const compile_application *a, const compile_context *ctx,
                               const fe_step *step) {
    const char *name = names_text(ctx->names, a->program.tensors.at[fe_step_result(step)].name);
    uint32_t number = 1;
    for (uint32_t i = 0; i < a->stages.len; i++) {
        const fe_step *other = a->stages.at[i].step;
        number += other->kind == FE_STEP_ASSIGN && fe_step_result(other) == fe_step_result(step);
    }
    return number > 1 ? arena_printf(ctx->mem, "%s.%u", name, number) : name;
}

/* Returns -f of the operands that are declared with a format by its name, and that nothing changes. */
static text_vec named_formats(const fe_program *p, compile_context *ctx, const fe_step *step) {
    text_vec formats = {0};
    for (uint32_t t = 0; step->kind == FE_STEP_ASSIGN && t < step->statement.tensors.len; t++) {
        const fe_shared *one =
            step->use[t].shared < p->tensors.len ? &p->tensors.at[step->use[t].shared] : NULL;
        if (one && one->stored && !one->changes)
            vec_push(ctx->mem, &formats,
                     arena_printf(ctx->mem, "%s:%s", names_text(ctx->names, one->name), one->stored));
    }
    return formats;
}

/* Returns the commands of `NAME: COMMANDS` where that is the name of the statement, or NULL. */
static const char *commands_for(const char *text, const char *name) {
    const size_t n = strlen(name);
    return strncmp(text, name, n) == 0 && text[n] == ':' ? text + n + 1 : NULL;
}

/* Gives the statements what -s says of each by its name, which is that of its folder. */
static bool schedule_stages(const compile_options *o, compile_context *ctx, compile_application *a) {
    for (uint32_t i = 0; i < o->written.schedule.len; i++) {
        const char *all = "", *commands = NULL;
        for (uint32_t s = 0; s < a->stages.len && !commands; s++) {
            compile_stage_of *stage = &a->stages.at[s];
            if (!stage->within || stage->on_host)
                continue;
            all = arena_printf(ctx->mem, "%s%s%s", all, *all ? ", " : "", stage->within);
            commands = commands_for(o->written.schedule.at[i], stage->within);
            if (commands && !compile_take_environment(commands, ctx->mem, ctx->diag, &stage->options))
                return false;
            if (commands)
                vec_push(ctx->mem, &stage->options.written.schedule, commands);
        }
        if (commands)
            continue;
        diag_error(ctx->diag, (src_loc){0}, "E0903-option-value",
                   "-s '%s' names no statement that the array computes", o->written.schedule.at[i]);
        diag_hint(ctx->diag, "-s 'NAME: COMMANDS', by the name of its result, y, of a later one y.2; here %s",
                  *all ? all : "there is none");
        return false;
    }
    return true;
}

/* Adds the program's statements and loops, in the order of its text. */
static void list_stages(const compile_options *o, compile_context *ctx, compile_application *a,
                        const fe_steps *steps, uint32_t loops, bool multi) {
    for (uint32_t i = 0; i < steps->len; i++) {
        const fe_step *step = &steps->at[i];
        compile_stage_of stage = {.step = step, .options = *o, .loops = loops};
        compile_options *own = &stage.options;
        const text_vec none = {0};
        own->asked.statement = &step->statement;
        own->written.expression = step->text;
        own->tensors.inputs = own->tensors.generators = own->tensors.outputs = own->written.fills =
            own->written.schedule = none;
        own->written.formats = named_formats(&a->program, ctx, step);
        own->asked.repeated = loops && step->kind == FE_STEP_ASSIGN &&
                              sam_tensor_at(&step->statement, step->statement.result)->order < 2;
        if (step->kind == FE_STEP_ASSIGN) {
            own->asked.within = stage.within = folder_name(a, ctx, step);
            stage.to = multi ? a->program.tensors.len + i : fe_step_result(step);
            a->places = stage.to >= a->places ? stage.to + 1 : a->places;
        }
        if (step->kind == FE_STEP_ASSIGN && !step->statement.vars.len) {
            stage.on_host = true;
            stage.why = "it has scalars only";
        }
        if (step->kind == FE_STEP_ASSIGN || step->kind == FE_STEP_REPEAT)
            vec_push(ctx->mem, &a->stages, stage);
        list_stages(o, ctx, a, &step->body, loops + (step->kind == FE_STEP_REPEAT),
                    step->kind == FE_STEP_MULTI);
    }
}

/* Whether the fullest operands say what the statement's work will be: what changes are dense vectors beside a
 * tensor that does not, and nothing has values where one of them has none. How full a compressed one gets
 * nobody knows before: taken as full, breadth-first search of 494_bus takes a third of the time, that of
 * west0479, where few vertices are reached, half as much again. */
static bool follows_fullest(const machine *m, const fe_step *step) {
    enum { LONGEST = 1 << 20 };
    const sam_statement *s = &step->statement;
    bool fixed = false;
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        const fe_use *use = &step->use[t];
        if (t + 1 == s->result.v || use->counts)
            continue;
        const tile_tensor *now = &m->of[use->shared].t;
        const bool changes = m->a->program.tensors.at[use->shared].changes;
        fixed = fixed || (!changes && now->order > 1);
        if (changes && now->order &&
            (now->order > 1 || now->dim[0] > LONGEST || s->tensors.at[t].level[0] != SAM_LEVEL_DENSE))
            return false;
    }
    for (uint32_t e = 0; e < s->exprs.len; e++) {
        const sam_operation of = (sam_operation)s->exprs.at[e].operation;
        if (s->exprs.at[e].kind == SAM_EXPR_CALL &&
            (of == SAM_OPERATION_unless || of == SAM_OPERATION_reach || of == SAM_OPERATION_program))
            return false;
    }
    return fixed;
}

static bool compile_with(const machine *m, compile_context *ctx, compile_stage_of *stage) {
    return operands_of(m, ctx, stage->step, &stage->options, &stage->kernel.data) &&
           (m->o->target.engine == ENGINE_SAM ? compile_to_graph(&stage->options, ctx, &stage->kernel)
                                              : compile_statement(&stage->options, ctx, &stage->kernel));
}

/* Returns whether all runs of the statement were seen, so that what they have together bounds each. */
static bool is_rehearsed(const machine *m, const compile_stage_of *stage) {
    return stage->rehearsed.runs && (m->a->rehearsed || !stage->loops);
}

/* Returns whether a run of the statement is expected to take so long that it gains by an array of its own,
 * with copies, what it takes to configure that and the next one. */
static bool pays_alone(const compile_stage_of *stage) {
    const double configured = 2100; /* cycles: docs/firmware.md, "Another image" */
    return expected_of(stage) * compile_part_of_run(&stage->rehearsed) > 8 * configured;
}

/* Compiles the statement for operands that say what its work will be: once more with copies, where one run
 * of it is long. */
static bool compile_by_data(const machine *m, compile_context *ctx, compile_stage_of *stage) {
    const compile_kernel empty = stage->kernel;
    stage->options.asked.exact = stage->rehearsed.runs == 1 && is_rehearsed(m, stage);
    if (!compile_with(m, ctx, stage))
        return false;
    if (stage->options.asked.only || !is_rehearsed(m, stage) || !stage->options.copies.unroll_open ||
        !pays_alone(stage))
        return true;
    stage->kernel = empty;
    stage->options.asked.only = true;
    return compile_with(m, ctx, stage);
}

/* Chooses by the data where these bound what comes; what does not lower so keeps the defaults. */
static bool compile_one(const machine *m, compile_context *ctx, compile_stage_of *stage) {
    const diagnostics before = *ctx->diag;
    const compile_kernel empty = stage->kernel;
    uint32_t others = 0;
    for (uint32_t i = 0; i < m->a->stages.len; i++)
        others += m->a->stages.at[i].step->kind == FE_STEP_ASSIGN && !m->a->stages.at[i].on_host;
    const bool only = others == 1;
    stage->options.asked.only = only;
    stage->options.asked.fullest =
        m->o->target.engine != ENGINE_SAM && (is_rehearsed(m, stage) || follows_fullest(m, stage->step));
    bool ok = stage->options.asked.fullest ? compile_by_data(m, ctx, stage) : compile_with(m, ctx, stage);
    const bool again = !ok && stage->options.asked.fullest && !ctx->interrupted;
    stage->options.asked.fullest = stage->options.asked.exact =
        false; /* from now on operands are what they are */
    if (again) {
        *ctx->diag = before;
        stage->kernel = empty;
        stage->options.asked.only = only;
        ok = compile_with(m, ctx, stage);
    }
    return ok;
}

/* Hears what is said of a statement: if only the array cannot have it, nothing of that is the user's concern.
 */
static bool compile_stage_on_array(const machine *m, compile_stage_of *stage) {
    compile_context ctx = *m->ctx;
    diagnostics own = *m->ctx->diag;
    own.list.at = NULL;
    own.list.len = own.list.cap = 0;
    own.errors = own.unmappable = own.mismatches = own.warnings = 0;
    ctx.diag = &own;
    stage->kernel.board = m->a->board;
    stage->kernel.board_path = m->a->board_path;
    bool ok = compile_one(m, &ctx, stage);
    m->ctx->interrupted = m->ctx->interrupted || ctx.interrupted;
    stage->on_host =
        !ok && !own.errors && !own.mismatches && own.unmappable && !stage->options.written.schedule.len;
    if (stage->on_host) {
        stage->why = arena_printf(ctx.mem, "%s [%s]", own.list.at[0].message, own.list.at[0].code);
        stage->kernel = (compile_kernel){0};
        remove_folder(compile_kernel_folder(ctx.partial, stage->within, ctx.mem));
        return true;
    }
    if (ok && stage->kernel.on_host)
        stage->why = stage->kernel.choices.staged;
    diagnostics *d = m->ctx->diag;
    d->sources.at = own.sources.at;
    d->sources.len = own.sources.len;
    d->sources.cap = own.sources.cap;
    for (uint32_t i = 0; i < own.list.len; i++)
        vec_push(d->mem, &d->list, own.list.at[i]);
    d->errors += own.errors;
    d->unmappable += own.unmappable;
    d->mismatches += own.mismatches;
    d->warnings += own.warnings;
    stage->kernel.data = (compile_data){0};
    for (uint32_t n = 0; n < stage->kernel.producers.len; n++)
        stage->kernel.producers.at[n].data = (compile_data){0};
    return ok;
}

static bool compile_stages(const machine *m) {
    for (uint32_t i = 0; i < m->a->stages.len; i++) {
        compile_stage_of *stage = &m->a->stages.at[i];
        if (stage->step->kind != FE_STEP_ASSIGN || stage->on_host)
            continue;
        if (!compile_stage_on_array(m, stage))
            return false;
        const compile_times *t = &stage->kernel.times;
        m->a->times.frontend += t->frontend;
        m->a->times.lower += t->lower;
        m->a->times.place += t->place;
        m->a->times.route += t->route;
        m->a->times.bitstream += t->bitstream;
    }
    return true;
}

/* Goes through the program by the reference, to see what operands there will be, as far as a bound on these
 * lets it. What it would say is said when the engine comes there. */
static void rehearse(machine *engine) {
    const compile_options *o = engine->o;
    compile_context ctx = *engine->ctx;
    diagnostics unheard;
    machine m = {.o = o,
                 .ctx = &ctx,
                 .a = engine->a,
                 .reference = true,
                 .rehearsing = true,
                 .value = compile_reference};
    if (o->target.engine == ENGINE_SAM || !compile_edges_open(o))
        return;
    diag_init(&unheard, ctx.mem);
    ctx.diag = &unheard;
    compile_stage(&ctx, "looking ahead by the reference", 0);
    begin_machine(&m);
    engine->a->rehearsed = run_steps(&m, &engine->a->program.steps);
    end_machine(&m);
    engine->ctx->interrupted = engine->ctx->interrupted || ctx.interrupted;
}

/* ---- the whole --------------------------------------------------------------------------------- */

bool compile_is_application(const char *argument) {
    static const char end[] = ".onx";
    size_t length = strlen(argument);
    return length >= sizeof end && strcmp(argument + length - (sizeof end - 1), end) == 0;
}

bool compile_refuse_program_options(const compile_options *o, diagnostics *d) {
    if (!o->running.checkpoint && !o->written.settings.len)
        return true;
    diag_error(d, (src_loc){0}, "E0903-option-value",
               "%s is about a program file, and '%s' is one expression",
               o->running.checkpoint ? "--checkpoint" : "--set", o->written.expression);
    diag_hint(d, o->running.checkpoint
                     ? "onyx program keeps every batch that is done by itself: docs/program.md"
                     : "write the number into the expression");
    return false;
}

/* What is about one statement, or is in the file. */
static bool refuse_options(const compile_options *o, compile_context *ctx) {
    const struct {
        bool given;
        const char *text;
    } options[] = {{o->written.formats.len > 0, "-f"},          {o->written.fills.len > 0, "--fill"},
                   {o->written.dimensions.len > 0, "-d"},       {o->written.types.len > 0, "-t"},
                   {o->written.semiring != NULL, "--semiring"}, {o->running.shards > 0, "--shard"}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (!options[i].given)
            continue;
        diag_error(ctx->diag, (src_loc){0}, "E0903-option-value",
                   "%s is about one expression, and '%s' is a program", options[i].text,
                   o->written.expression);
        diag_hint(ctx->diag, "the program declares its tensors: docs/programs.md");
        return false;
    }
    return true;
}

static bool read_program(const compile_options *o, compile_context *ctx, compile_application *a) {
    fe_program *out = &a->program;
    size_t length = 0;
    a->text = text_read(o->written.expression, ctx->mem, &length, ctx->diag);
    if (!a->text || !compile_read_functions(o, a->text, ctx))
        return false;
    fe_program_in in = {.name = o->written.expression,
                        .text = a->text,
                        .length = length,
                        .integers = o->tensors.dtype == TILE_DTYPE_INT16,
                        .functions = ctx->functions,
                        .settings = o->written.settings.at,
                        .n_settings = o->written.settings.len};
    return compile_list_formats(o, ctx, &in) && fe_program_parse(&in, ctx->names, ctx->mem, ctx->diag, out);
}

/* The word of a fill, which the text of the program has as a number. */
static uint16_t fill_word(const compile_options *o, const fe_shared *t) {
    double fill = t->fill ? number_read(t->fill, NULL) : 0;
    if (o->tensors.dtype == TILE_DTYPE_INT16 && isinf(fill))
        fill = fill > 0 ? INT16_MAX : INT16_MIN;
    return sam_literal_word(fill, o->tensors.dtype == TILE_DTYPE_BF16);
}

/* Warns of each statement and condition with values that wrapped. */
static void warn_wrapped(compile_context *ctx, const compile_application *a) {
    for (uint32_t i = 0; i < a->stages.len; i++) {
        const fe_step *step = a->stages.at[i].step;
        const uint64_t n = a->stages.at[i].wrapped;
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

/* A loop whose condition never holds may have tested a word that wrapped. The reference's own complaint of
 * the loop is not heard. */
static void explain_passes(const machine *engine) {
    compile_context ctx = *engine->ctx;
    machine m = {.o = engine->o, .ctx = &ctx, .a = engine->a, .reference = true, .value = compile_reference};
    diagnostics quiet;
    if (!engine->exhausted || !engine->o->running.check || engine->o->tensors.dtype == TILE_DTYPE_BF16)
        return;
    diag_init(&quiet, ctx.mem);
    ctx.diag = &quiet;
    begin_machine(&m);
    run_steps(&m, &m.a->program.steps);
    end_machine(&m);
    warn_wrapped(engine->ctx, engine->a);
}

/* Measures results of bf16, each statement of which was held to the reference by itself. Where the
 * reference's own way through the program does not end, nothing is measured. */
static void measure_bf16(const machine *engine) {
    compile_context ctx = *engine->ctx;
    machine m = {.o = engine->o, .ctx = &ctx, .a = engine->a, .reference = true, .value = compile_reference};
    diagnostics quiet;
    diag_init(&quiet, ctx.mem);
    ctx.diag = &quiet;
    begin_machine(&m);
    if (run_steps(&m, &m.a->program.steps))
        compile_measure_results(engine, &m);
    end_machine(&m);
}

/* Goes through the program once more with the reference alone. */
static bool check(machine *engine) {
    compile_application *a = engine->a;
    compile_context *ctx = engine->ctx;
    machine m = {.o = engine->o, .ctx = ctx, .a = a, .reference = true, .value = compile_reference};
    bool same = true;
    a->check = engine->o->running.check ? "pass" : "none";
    if (!engine->o->running.check)
        return true;
    compile_stage(ctx, "computing the reference", 0);
    if (engine->o->tensors.dtype == TILE_DTYPE_BF16) {
        measure_bf16(engine);
        return true;
    }
    begin_machine(&m);
    bool ok = run_steps(&m, &a->program.steps);
    if (ok)
        same = compile_same_results(engine, &m);
    if (ok)
        compile_measure_results(engine, &m);
    if (ok)
        warn_wrapped(ctx, a);
    a->check = same ? "pass" : "fail";
    end_machine(&m);
    return ok;
}

static bool is_result(const compile_application *a, uint32_t tensor) {
    bool is = false;
    for (uint32_t i = 0; i < a->program.results.len; i++)
        is = is || a->program.results.at[i] == tensor;
    return is;
}

/* -o T:FILE, of results, before anything runs; and once they are there. */
static bool write_outputs(const compile_options *o, compile_context *ctx, const compile_application *a) {
    for (uint32_t i = 0; i < o->tensors.outputs.len; i++) {
        const char *text = o->tensors.outputs.at[i], *path = strchr(text, ':') + 1;
        const uint32_t t = fe_program_find(&a->program, names_intern_n(ctx->names, text, strcspn(text, ":")));
        if (t == a->program.tensors.len || !is_result(a, t)) {
            diag_error(ctx->diag, (src_loc){0}, "E0910-operand", "-o %s names no result of the program",
                       text);
            diag_hint(ctx->diag, "the program says what its results are: result T");
            return false;
        }
        const fe_shared *as = &a->program.tensors.at[t];
        const compile_written w = {path, as->stored ? as->stored : as->format, as->order};
        if (a->result ? !compile_write(o, ctx, &w, &a->result[t]) : !compile_can_write(o, ctx, &w))
            return false;
    }
    return true;
}

/* Takes what an earlier command kept of this program, if it did. */
static void resume(machine *m) {
    compile_application *a = m->a;
    compile_state s = {.line = m->line};
    m->hash = compile_checkpoint_hash(m->o, m->ctx, a);
    if (!compile_checkpoint_read(m->o, m->ctx, a, m->hash, &s))
        return;
    for (uint32_t t = 0; t < a->program.tensors.len; t++) {
        if (!shows_fills(a, t))
            compile_hold(&m->of[t], &s.tensors[t], &a->given[t]);
    }
    m->resumed = s.at;
    m->now = s.now;
    for (uint32_t i = 0; i < s.at.len; i++)
        vec_push(m->ctx->mem, &m->passes, s.at.at[i].passes + (i + 1 < s.at.len));
    a->checkpoints.resumed = compile_pass_text(m);
    m->passes.len = 0;
}

/* Takes the results that the chip alone has, and forgets all else that it has. */
static bool settle_results(machine *m) {
    bool ok = compile_run_list(m);
    for (uint32_t i = 0; i < m->a->program.results.len && ok; i++)
        ok = compile_settle(m, m->a->program.results.at[i], "the program ends");
    for (uint32_t t = 0; t < m->a->program.tensors.len; t++)
        compile_forget_left(&m->of[t]);
    return ok;
}

/* Runs the engine's way through the program, then the reference's. */
static bool run(machine *m) {
    compile_application *a = m->a;
    const uint32_t n = a->program.tensors.len;
    a->check = m->o->running.check ? "pass" : "none";
    if (m->o->running.checkpoint)
        resume(m);
    bool ok = run_steps(m, &a->program.steps) && settle_results(m) &&
              compile_leave_program(m, m->ctx, NULL) &&
              compile_line_write(m->line, m->ctx->partial, m->ctx->diag) && check(m);
    explain_passes(m);
    a->result = arena_new_n(m->ctx->mem, tile_tensor, n + 1);
    for (uint32_t i = 0; i < a->program.results.len; i++) { /* what the machine holds goes with it */
        const uint32_t t = a->program.results.at[i];
        a->result[t] = compile_copy_of(&m->of[t].t, m->ctx->mem);
    }
    for (uint32_t i = 0; i < a->program.results.len && ok; i++) {
        const uint32_t t = a->program.results.at[i];
        ok = compile_write_result(m->o, m->ctx, a->program.tensors.at[t].stored, &a->result[t]);
    }
    return ok && write_outputs(m->o, m->ctx, a);
}

static const char *operands_beyond(const compile_application *a, const compile_context *ctx) {
    for (uint32_t t = 0; t < a->program.tensors.len; t++) {
        const tile_tensor *one = &a->given[t];
        if (one->rounded || one->wrapped)
            return arena_printf(ctx->mem, "values of %s are not whole, or beyond 16 bits",
                                names_text(ctx->names, a->program.tensors.at[t].name));
    }
    return NULL;
}

const char *compile_program_beyond(const compile_options *o, compile_context *ctx) {
    compile_application a = {0};
    machine m = {.o = o, .ctx = ctx, .a = &a, .value = compile_reference, .reference = true};
    uint64_t wrapped = 0;
    if (!read_program(o, ctx, &a)) {
        compile_options other = *o;
        other.tensors.dtype = TILE_DTYPE_BF16;
        return read_program(&other, ctx, &a) ? "the program is not one of whole numbers" : NULL;
    }
    if (!compile_application_data(o, ctx, &a))
        return NULL;
    const char *why = operands_beyond(&a, ctx);
    if (why || !o->running.check || !o->running.runs)
        return why;
    for (uint32_t t = 0; t < a.program.tensors.len; t++)
        a.given[t].fill = fill_word(o, &a.program.tensors.at[t]);
    a.places = a.program.tensors.len;
    list_stages(o, ctx, &a, &a.program.steps, 0, false);
    begin_machine(&m);
    run_steps(&m, &a.program.steps);
    end_machine(&m);
    for (uint32_t i = 0; i < a.stages.len; i++)
        wrapped += a.stages.at[i].wrapped;
    return wrapped ? "values are beyond 16 bits" : NULL;
}

/* Takes the folder and the board of the program, and writes its form if --dump asks for it. */
static bool begin(const compile_options *o, compile_context *ctx, compile_application *a) {
    return compile_take_folder(ctx, o->files.out) &&
           compile_read_board(ctx, o->target.board, &a->board, &a->board_path) &&
           pnr_board_set_profile(&a->board, o->target.profile, ctx->diag) && compile_begin_partial(o, ctx) &&
           compile_dump(o, ctx, ctx->partial, (compile_form){.program = &a->program});
}

bool compile_application_run(const compile_options *o, compile_context *ctx, compile_application *a) {
    machine m = {.o = o, .ctx = ctx, .a = a, .value = tile_plain, .line = compile_line_begin(ctx->mem)};
    double start = seconds_now();
    if (!refuse_options(o, ctx) || !read_program(o, ctx, a) || !write_outputs(o, ctx, a) ||
        !compile_application_data(o, ctx, a) || !begin(o, ctx, a))
        return false;
    for (uint32_t t = 0; t < a->program.tensors.len; t++)
        a->given[t].fill = fill_word(o, &a->program.tensors.at[t]);
    a->places = a->program.tensors.len;
    list_stages(o, ctx, a, &a->program.steps, 0, false);
    if (!schedule_stages(o, ctx, a))
        return false;
    begin_machine(&m);
    a->check = "none";
    rehearse(&m);
    bool ok = compile_stages(&m) && compile_share_stages(o, ctx, a);
    for (uint32_t i = 0; i < a->stages.len; i++) {
        a->stages.at[i].options.tensors.given.len = 0;
        compile_forget_rehearsed(&a->stages.at[i].rehearsed);
    }
    if (ok)
        find_waiting(&m);
    ok = ok && (!o->running.runs || run(&m));
    if (!ok)
        compile_session_end(ctx, &m.session);
    arena_free(&m.list.mem);
    end_machine(&m);
    a->times.total = seconds_now() - start;
    return ok;
}
