/* Statements of a program, each compiled once, before anything runs. What is about scalars alone is computed
 * by the host, and so is what the array has no tiles for. */
#include "programs/compile_stages.h"
#include "compile/compile.h"
#include "kernel/environment.h"
#include "kernel/folder.h"
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
    for (uint32_t i = 0; i < a->stages.len; i++) {
        const fe_step *other = a->stages.at[i].step;
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

bool compile_schedule_stages(const compile_options *o, compile_context *ctx, compile_application *a) {
    for (uint32_t i = 0; i < o->written.schedule.len; i++) {
        const char *all = "", *commands = NULL;
        for (uint32_t s = 0; s < a->stages.len && !commands; s++) {
            compile_statement_plan *stage = &a->stages.at[s];
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

void compile_list_stages(const compile_options *o, compile_context *ctx, compile_application *a,
                         const fe_steps *steps, uint32_t loops, bool multi) {
    for (uint32_t i = 0; i < steps->len; i++) {
        const fe_step *step = &steps->at[i];
        compile_statement_plan stage = {.step = step, .options = *o, .loops = loops};
        compile_options *own = &stage.options;
        const text_vec none = {0};
        own->asked.statement = &step->statement;
        own->written.expression = step->text;
        own->tensors.inputs = own->tensors.generators = own->tensors.outputs = own->written.fills =
            own->written.schedule = none;
        own->written.formats = named_formats(&a->program, ctx, step);
        own->asked.repeated = loops && step->kind == FE_STEP_ASSIGN &&
                              sam_tensor_at(&step->statement, step->statement.result)->order < 2;
        own->asked.joins = own->asked.repeated && !reads_changed_matrix(&a->program, step);
        if (step->kind == FE_STEP_ASSIGN) {
            try_after_refusal(step, &own->tried);
            own->asked.within = stage.within = folder_name(a, ctx, step);
            stage.to = multi ? a->program.tensors.len + i : fe_step_result(step);
            a->slots = stage.to >= a->slots ? stage.to + 1 : a->slots;
        }
        if (step->kind == FE_STEP_ASSIGN && !step->statement.vars.len) {
            stage.on_host = true;
            stage.why = "it has scalars only";
        }
        if (step->kind == FE_STEP_ASSIGN || step->kind == FE_STEP_REPEAT)
            vec_push(ctx->mem, &a->stages, stage);
        compile_list_stages(o, ctx, a, &step->body, loops + (step->kind == FE_STEP_REPEAT),
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

static bool compile_with(const interpreter *m, compile_context *ctx, compile_statement_plan *stage) {
    return compile_operands_of(m, ctx, stage->step, &stage->options, &stage->kernel.data) &&
           (m->o->target.engine == ENGINE_SAM ? compile_to_graph(&stage->options, ctx, &stage->kernel)
                                              : compile_statement(&stage->options, ctx, &stage->kernel));
}

/* Returns whether all runs of the statement were observed: their union then bounds each run. */
static bool has_dry_run(const interpreter *m, const compile_statement_plan *stage) {
    return stage->dry_run.runs && (m->a->dry_run || !stage->loops);
}

/* Returns whether a run of the statement is expected to gain more by its own array, with copies, than
 * configuring this array and the next one costs. */
static bool pays_alone(const compile_statement_plan *stage) {
    const double configured = 2100; /* cycles: docs/firmware.md, "Another image" */
    return compile_expected_of(stage) * compile_part_of_run(&stage->dry_run) > 8 * configured;
}

/* Compiles the statement for operands that predict its work: a second time with copies if one run is long. */
static bool compile_by_data(const interpreter *m, compile_context *ctx, compile_statement_plan *stage) {
    const compile_kernel empty = stage->kernel;
    stage->options.asked.exact = stage->dry_run.runs == 1 && has_dry_run(m, stage);
    if (!compile_with(m, ctx, stage))
        return false;
    if (stage->options.asked.only || !has_dry_run(m, stage) || !stage->options.copies.unroll_open ||
        !pays_alone(stage))
        return true;
    stage->kernel = empty;
    stage->options.asked.only = true;
    return compile_with(m, ctx, stage);
}

/* Chooses by the data if the data bound the operands; keeps the defaults if lowering fails. */
static bool compile_one(const interpreter *m, compile_context *ctx, compile_statement_plan *stage) {
    const diagnostics before = *ctx->diag;
    const compile_kernel empty = stage->kernel;
    uint32_t others = 0;
    bool repeated = false; /* a boot costs more than a copy saves where it comes back in every pass */
    for (uint32_t i = 0; i < m->a->stages.len; i++) {
        const compile_statement_plan *other = &m->a->stages.at[i];
        const bool computes = other->step->kind == FE_STEP_ASSIGN && !other->on_host;
        others += computes;
        repeated = repeated || (computes && other->loops);
    }
    const bool only = others == 1;
    stage->options.asked.only = only;
    stage->options.asked.images = !only && repeated && compile_engines[m->o->target.engine].by_processor;
    stage->options.asked.fullest =
        m->o->target.engine != ENGINE_SAM && (has_dry_run(m, stage) || follows_fullest(m, stage->step));
    bool ok = stage->options.asked.fullest ? compile_by_data(m, ctx, stage) : compile_with(m, ctx, stage);
    const bool again = !ok && stage->options.asked.fullest && !ctx->interrupted;
    stage->options.asked.fullest = stage->options.asked.exact = false; /* from now on operands are exact */
    if (again) {
        diag_return_to(ctx->diag, &before);
        stage->kernel = empty;
        stage->options.asked.only = only;
        ok = compile_with(m, ctx, stage);
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

compile_predicted compile_predict_stage(const interpreter *m, compile_context *ctx,
                                        compile_statement_plan *stage, bool whole) {
    compile_predicted out = {0};
    stage->options.files.stop_after = whole ? 0 : last_pass();
    stage->kernel.board = m->a->board;
    stage->kernel.board_path = m->a->board_path;
    bool on_array = !stage->on_host && compile_one(m, ctx, stage), known = m->o->target.engine != ENGINE_SAM;
    for (uint32_t n = 0; on_array && n <= stage->kernel.producers.len; n++) {
        const compile_kernel *k = compile_kernel_at(&stage->kernel, n);
        const tile_candidate *expected = &k->tiling.expected;
        on_array = !k->on_host;
        known = known && expected->cost > 0;
        out.cost += expected->cost;
        out.array += expected->predicted / (k->array.copies ? k->array.copies : 1);
    }
    if (on_array && whole && m->o->target.engine != ENGINE_SAM) { /* unchosen edges may pass the data */
        const uint32_t most = known ? UINT32_MAX : longest_extent(&stage->kernel);
        on_array = compile_check_edges(&stage->options, ctx, &stage->kernel, most);
    }
    if (stage->within)
        remove_folder(compile_kernel_folder(ctx->partial, stage->within, ctx->mem));
    if (!on_array || !known)
        out.cost = out.array = on_array ? NAN : INFINITY;
    return out;
}

/* Collects the diagnostics of a statement; drops them if only the array refuses the statement. */
static bool compile_stage_on_array(const interpreter *m, compile_statement_plan *stage) {
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
    for (uint32_t n = 0; n <= stage->kernel.producers.len; n++)
        compile_kernel_at(&stage->kernel, n)->data = (compile_data){0};
    return ok;
}

bool compile_every_stage(const interpreter *m) {
    for (uint32_t i = 0; i < m->a->stages.len; i++) {
        compile_statement_plan *stage = &m->a->stages.at[i];
        if (stage->step->kind != FE_STEP_ASSIGN || stage->on_host)
            continue;
        if (!compile_stage_on_array(m, stage)) {
            m->a->refused = stage->step;
            return false;
        }
        const compile_times *t = &stage->kernel.times;
        m->a->times.frontend += t->frontend;
        m->a->times.lower += t->lower;
        m->a->times.place += t->place;
        m->a->times.route += t->route;
        m->a->times.bitstream += t->bitstream;
    }
    return true;
}

void compile_dry_run_stages(interpreter *engine) {
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
