/* Statements of a program, each compiled once, before anything runs. What is about scalars alone is computed
 * by the host, and so is what the array has no tiles for. */
#include "programs/compile_plans.h"
#include "compile/compile.h"
#include "kernel/environment.h"
#include "kernel/folder.h"
#include "programs/alive.h"
#include "programs/check.h"
#include "programs/run_steps.h"
#include "programs/step_operands.h"
#include "sam/coordinates.h"
#include "sam/operators.h"
#include "support/trial.h"

#include <math.h>

/* Returns a folder name not used by another statement. */
static const char *folder_name(const compile_application *a, const compile_context *ctx,
                               const fe_step *step) {
    const char *name = names_text(ctx->names, a->program.tensors.at[fe_step_result(step)].name);
    uint32_t number = 1;
    for (uint32_t i = 0; i < a->plans.len; i++) {
        const fe_step *other = a->plans.at[i].step;
        number += other->kind == FE_STEP_ASSIGN && fe_step_result(other) == fe_step_result(step);
    }
    return number > 1 ? arena_printf(ctx->mem, "%s.%u", name, number) : name;
}

/* Returns the -f arguments of the unchanged operands declared with a named format. */
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

/* Returns the commands of `NAME: COMMANDS` if NAME is the name of the statement, or NULL. */
static const char *commands_for(const char *text, const char *name) {
    const size_t n = strlen(name);
    return strncmp(text, name, n) == 0 && text[n] == ':' ? text + n + 1 : NULL;
}

bool compile_schedule_plans(const compile_options *o, compile_context *ctx, compile_application *a) {
    for (uint32_t i = 0; i < o->written.schedule.len; i++) {
        const char *all = "", *commands = NULL;
        for (uint32_t s = 0; s < a->plans.len && !commands; s++) {
            compile_statement_plan *plan = &a->plans.at[s];
            if (!plan->within || plan->on_host)
                continue;
            all = arena_printf(ctx->mem, "%s%s%s", all, *all ? ", " : "", plan->within);
            commands = commands_for(o->written.schedule.at[i], plan->within);
            if (commands && !compile_take_environment(commands, ctx->mem, ctx->diag, &plan->options))
                return false;
            if (commands)
                vec_push(ctx->mem, &plan->options.written.schedule, commands);
        }
        if (commands)
            continue;
        diag_error(ctx->diag, (src_loc){0}, "E0903-option-value",
                   "-s '%s' names no statement that the array computes", o->written.schedule.at[i]);
        return diag_hint(ctx->diag,
                         "-s 'NAME: COMMANDS', by the name of its result, y, of a later one y.2; here %s",
                         *all ? all : "there is none");
    }
    return true;
}

/* Sets what an earlier run of the program leaves to be tried for the statement. */
static void try_after_refusal(const fe_step *step, compile_tried *tried) {
    for (uint32_t i = 0; i < tried->statements.len; i++) {
        const compile_refused *one = &tried->statements.at[i];
        if (one->at.offset != step->loc.offset)
            continue;
        tried->plain = one->plain;
        tried->operands = one->operands;
    }
}

/* Returns whether an operand of the statement is a matrix that changes, whose cuts are best the ones of the
 * statement that makes it. */
static bool reads_changed_matrix(const fe_program *p, const fe_step *step) {
    bool reads = false;
    for (uint32_t t = 0; t < step->statement.tensors.len; t++) {
        const fe_shared *one =
            step->use[t].shared < p->tensors.len ? &p->tensors.at[step->use[t].shared] : NULL;
        reads = reads || (t + 1 != step->statement.result.v && one && one->changes &&
                          step->statement.tensors.at[t].order > 1);
    }
    return reads;
}

static bool makes_vector(const fe_step *step) {
    return step->kind == FE_STEP_ASSIGN && sam_tensor_at(&step->statement, step->statement.result)->order < 2;
}

/* Returns whether a statement that makes a vector or a single value reads the tensor: such a statement has no
 * copies that start apart, and the processor may put its operands together. */
static bool is_read_for_vector(const fe_steps *steps, uint32_t tensor) {
    bool is = false;
    for (uint32_t i = 0; i < steps->len; i++)
        is = is || (makes_vector(&steps->at[i]) && compile_step_reads(&steps->at[i], tensor)) ||
             is_read_for_vector(&steps->at[i].body, tensor);
    return is;
}

void compile_list_plans(const compile_options *o, compile_context *ctx, compile_application *a,
                        const fe_steps *steps, uint32_t loops, bool multi) {
    for (uint32_t i = 0; i < steps->len; i++) {
        const fe_step *step = &steps->at[i];
        compile_statement_plan plan = {.step = step, .options = *o, .loops = loops};
        compile_options *own = &plan.options;
        const text_vec none = {0};
        own->asked.statement = &step->statement;
        own->written.expression = step->text;
        own->tensors.inputs = own->tensors.generators = own->tensors.outputs = own->written.fills =
            own->written.schedule = none;
        own->written.formats = named_formats(&a->program, ctx, step);
        own->asked.repeated = loops && makes_vector(step);
        own->asked.joins = makes_vector(step) && !reads_changed_matrix(&a->program, step) &&
                           (loops || is_read_for_vector(&a->program.steps, fe_step_result(step)));
        if (step->kind == FE_STEP_ASSIGN) {
            try_after_refusal(step, &own->tried);
            own->asked.within = plan.within = folder_name(a, ctx, step);
            plan.to = multi ? a->program.tensors.len + i : fe_step_result(step);
            a->slots = plan.to >= a->slots ? plan.to + 1 : a->slots;
        }
        if (step->kind == FE_STEP_ASSIGN && !step->statement.vars.len) {
            plan.on_host = true;
            plan.why = "it has scalars only";
        }
        if (step->kind == FE_STEP_ASSIGN || step->kind == FE_STEP_REPEAT)
            vec_push(ctx->mem, &a->plans, plan);
        compile_list_plans(o, ctx, a, &step->body, loops + (step->kind == FE_STEP_REPEAT),
                           step->kind == FE_STEP_MULTI);
    }
}

/* Whether the fullest operands predict the statement's work: changing operands are dense vectors beside a
 * constant tensor, and the result is empty wherever one of them is. The fill of a compressed operand is
 * unknown beforehand. With full operands, breadth-first search of 494_bus takes a third of the time;
 * west0479, with few reached vertices, takes half as much again. */
static bool follows_fullest(const interpreter *m, const fe_step *step) {
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

static bool compile_with(const interpreter *m, compile_context *ctx, compile_statement_plan *plan) {
    return compile_operands_of(m, ctx, plan->step, &plan->options, &plan->kernel.data) &&
           (m->o->target.engine == ENGINE_SAM ? compile_to_graph(&plan->options, ctx, &plan->kernel)
                                              : compile_statement(&plan->options, ctx, &plan->kernel));
}

/* Returns whether all runs of the statement were observed: their union then bounds each run. */
static bool has_dry_run(const interpreter *m, const compile_statement_plan *plan) {
    return plan->dry_run.runs && (m->a->dry_run || !plan->loops);
}

/* Returns whether a run of the statement is expected to gain more by its own array, with copies, than
 * configuring this array and the next one costs. */
static bool pays_alone(const compile_statement_plan *plan) {
    const double configured = 2100; /* cycles: docs/firmware.md, "Another image" */
    return compile_expected_of(plan) * compile_fraction_of_run(&plan->dry_run) > 8 * configured;
}

/* Compiles the statement for operands that predict its work: a second time with copies if one run is long. */
static bool compile_by_data(const interpreter *m, compile_context *ctx, compile_statement_plan *plan) {
    const compile_kernel empty = plan->kernel;
    plan->options.asked.exact = plan->dry_run.runs == 1 && has_dry_run(m, plan);
    if (!compile_with(m, ctx, plan))
        return false;
    if (plan->options.asked.only || !has_dry_run(m, plan) || !plan->options.copies.unroll_open ||
        !pays_alone(plan))
        return true;
    plan->kernel = empty;
    plan->options.asked.only = true;
    return compile_with(m, ctx, plan);
}

/* Chooses by the data if the data bound the operands; keeps the defaults if lowering fails. */
static bool compile_one(const interpreter *m, compile_context *ctx, compile_statement_plan *plan) {
    const diagnostics before = *ctx->diag;
    const compile_kernel empty = plan->kernel;
    uint32_t others = 0;
    bool repeated = false; /* a boot costs more than a copy saves where it comes back in every pass */
    for (uint32_t i = 0; i < m->a->plans.len; i++) {
        const compile_statement_plan *other = &m->a->plans.at[i];
        const bool computes = other->step->kind == FE_STEP_ASSIGN && !other->on_host;
        others += computes;
        repeated = repeated || (computes && other->loops);
    }
    const bool only = others == 1;
    plan->options.asked.only = only;
    plan->options.asked.images = !only && repeated && compile_engines[m->o->target.engine].by_processor;
    plan->options.asked.fullest =
        m->o->target.engine != ENGINE_SAM && (has_dry_run(m, plan) || follows_fullest(m, plan->step));
    bool ok = plan->options.asked.fullest ? compile_by_data(m, ctx, plan) : compile_with(m, ctx, plan);
    const bool again = !ok && plan->options.asked.fullest && !ctx->interrupted;
    plan->options.asked.fullest = plan->options.asked.exact = false; /* from now on operands are exact */
    if (again) {
        diag_return_to(ctx->diag, &before);
        plan->kernel = empty;
        plan->options.asked.only = only;
        ok = compile_with(m, ctx, plan);
    }
    return ok;
}

/* Returns the number of the pass behind which a prediction needs no more, counted from 1. */
static uint32_t last_pass(void) {
    uint32_t i = 0;
    while (compile_pass_at(i).name && strcmp(compile_pass_at(i).name, "copies") != 0)
        i++;
    return i + 1;
}

/* Returns the largest extent of the statement's variables, which bounds its fibers. */
static uint32_t longest_extent(const compile_kernel *k) {
    uint32_t longest = 1;
    for (uint32_t v = 0; v < k->user.vars.len; v++)
        longest = k->data.extent[v] > longest ? k->data.extent[v] : longest;
    return longest;
}

compile_predicted compile_predict_plan(const interpreter *m, compile_context *ctx,
                                       compile_statement_plan *plan, bool whole) {
    compile_predicted out = {0};
    plan->options.files.stop_after = whole ? 0 : last_pass();
    plan->kernel.board = m->a->board;
    plan->kernel.board_path = m->a->board_path;
    bool on_array = !plan->on_host && compile_one(m, ctx, plan), known = m->o->target.engine != ENGINE_SAM;
    for (uint32_t n = 0; on_array && n <= plan->kernel.producers.len; n++) {
        const compile_kernel *k = compile_kernel_at(&plan->kernel, n);
        const tile_candidate *expected = &k->tiling.expected;
        on_array = !k->on_host;
        known = known && expected->cost > 0;
        out.cost += expected->cost;
        out.array += expected->predicted / (k->array.copies ? k->array.copies : 1);
    }
    if (on_array && whole && m->o->target.engine != ENGINE_SAM) { /* unchosen edges may pass the data */
        const uint32_t most = known ? UINT32_MAX : longest_extent(&plan->kernel);
        on_array = compile_check_edges(&plan->options, ctx, &plan->kernel, most);
    }
    if (plan->within)
        remove_folder(compile_kernel_folder(ctx->partial, plan->within, ctx->mem));
    if (!on_array || !known)
        out.cost = out.array = on_array ? NAN : INFINITY;
    return out;
}

/* Collects the diagnostics of a statement; drops them if only the array refuses the statement. */
static bool compile_runs_on_array(const interpreter *m, compile_statement_plan *plan) {
    compile_context ctx = *m->ctx;
    diagnostics own = *m->ctx->diag;
    own.list.at = NULL;
    own.list.len = own.list.cap = 0;
    own.errors = own.unmappable = own.mismatches = own.warnings = 0;
    ctx.diag = &own;
    plan->kernel.board = m->a->board;
    plan->kernel.board_path = m->a->board_path;
    bool ok = compile_one(m, &ctx, plan);
    m->ctx->interrupted = m->ctx->interrupted || ctx.interrupted;
    plan->on_host =
        !ok && !own.errors && !own.mismatches && own.unmappable && !plan->options.written.schedule.len;
    if (plan->on_host) {
        plan->why = arena_printf(ctx.mem, "%s [%s]", own.list.at[0].message, own.list.at[0].code);
        plan->kernel = (compile_kernel){0};
        remove_folder(compile_kernel_folder(ctx.partial, plan->within, ctx.mem));
        return true;
    }
    if (ok && plan->kernel.on_host)
        plan->why = plan->kernel.choices.staged;
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
    for (uint32_t n = 0; n <= plan->kernel.producers.len; n++)
        compile_kernel_at(&plan->kernel, n)->data = (compile_data){0};
    return ok;
}

bool compile_every_plan(const interpreter *m) {
    for (uint32_t i = 0; i < m->a->plans.len; i++) {
        compile_statement_plan *plan = &m->a->plans.at[i];
        if (plan->step->kind != FE_STEP_ASSIGN || plan->on_host)
            continue;
        if (!compile_runs_on_array(m, plan)) {
            m->a->refused = plan->step;
            return false;
        }
        const compile_times *t = &plan->kernel.times;
        m->a->times.frontend += t->frontend;
        m->a->times.lower += t->lower;
        m->a->times.place += t->place;
        m->a->times.route += t->route;
        m->a->times.bitstream += t->bitstream;
    }
    return true;
}

void compile_dry_run_plans(interpreter *engine) {
    const compile_options *o = engine->o;
    compile_context ctx = *engine->ctx;
    diagnostics unheard;
    interpreter m = {.o = o,
                     .ctx = &ctx,
                     .a = engine->a,
                     .reference = true,
                     .in_dry_run = true,
                     .value = compile_reference};
    if (o->target.engine == ENGINE_SAM || !compile_edges_open(o))
        return;
    diag_init(&unheard, ctx.mem);
    ctx.diag = &unheard;
    compile_stage(&ctx, "looking ahead by the reference", 0);
    compile_begin_interpreter(&m);
    engine->a->dry_run = compile_run_steps(&m, &engine->a->program.steps);
    compile_end_interpreter(&m);
    engine->ctx->interrupted = engine->ctx->interrupted || ctx.interrupted;
}
