/* fuse.c - decides which temporaries of a program become subexpressions of the statements that read them.
 *
 * Each pair of statements is compiled up to its copies, without placing, together and apart, on the operands
 * of all runs. The pair is fused if together it is expected to take fewer cycles. A fused statement may be
 * fused again. The reference goes through the program as written. */
#include "programs/fuse.h"

#include "frontend/schedules/schedules.h"
#include "kernel/folder.h"
#include "kernel/processor.h"
#include "programs/alive.h"
#include "programs/compile_plans.h"
#include "programs/run_steps.h"
#include "programs/temporaries.h"

#include <math.h>

/* ---- forms of a program -------------------------------------------------------------------------- */

/* A form of the program, in which a temporary is put into a statement. */
typedef struct {
    fe_steps steps;
    const compile_temporary *put; /* NULL: as it was before */
    const fe_use *use;            /* of the fused statement */
} form;

static compile_statement_plan *plan_with(const compile_application *a, const fe_use *use) {
    for (uint32_t i = 0; i < a->plans.len; i++) {
        if (a->plans.at[i].step->use == use)
            return &a->plans.at[i];
    }
    return NULL;
}

/* Adds what the reference saw of operands of the plan that the statement `of` had before. */
static void add_dry_run(compile_statement_plan *plan, const compile_application *before, const fe_use *of,
                        arena *mem) {
    const compile_statement_plan *from = plan_with(before, of);
    compile_dry_run *to = &plan->dry_run;
    to->runs = from ? from->dry_run.runs : to->runs;
    to->infinite = to->infinite || (from && from->dry_run.infinite);
    for (uint32_t i = 0; from && i < from->dry_run.of.len; i++) {
        const compile_operand_profile *profile = &from->dry_run.of.at[i];
        if (compile_step_reads(plan->step, profile->tensor) && !compile_profile_of(to, profile->tensor))
            vec_push(mem, &to->of, *profile);
    }
}

/* Makes the application of a form of the program: its plans have what the reference saw of their operands.
 */
static compile_application application_of(const interpreter *m, compile_context *ctx, const form *f) {
    compile_application app = *m->a;
    app.program.steps = f->steps;
    app.plans.at = NULL;
    app.plans.len = app.plans.cap = 0;
    compile_list_plans(m->o, ctx, &app, &f->steps, 0, false);
    for (uint32_t i = 0; i < app.plans.len; i++) {
        compile_statement_plan *plan = &app.plans.at[i];
        const bool fused = f->put && plan->step->use == f->use;
        if (fused)
            add_dry_run(plan, m->a, f->put->from->use, ctx->mem);
        add_dry_run(plan, m->a, fused ? f->put->into->use : plan->step->use, ctx->mem);
    }
    return app;
}

/* ---- predictions -------------------------------------------------------------------------------- */

/* What is predicted. */
typedef struct {
    const interpreter *m;
    const form *f;
    const fe_use *use;
    bool whole; /* with placing, routes and the search for deadlocks, which may refuse the statement */
} prediction;

/* Predicts in silence. What the statement reads and loads of functions of C outlives the trial, and their
 * list, which gets numbers in the firmware, does not. */
static compile_predicted predict(const prediction *p) {
    compile_context ctx = *p->m->ctx;
    compile_calls calls = *ctx.calls;
    diagnostics unheard;
    diag_init(&unheard, ctx.mem);
    ctx.diag = &unheard;
    ctx.calls = &calls;
    ctx.boards.at = NULL;
    ctx.boards.len = ctx.boards.cap = 0;
    compile_application app = application_of(p->m, &ctx, p->f);
    interpreter m = {.o = p->m->o, .ctx = &ctx, .a = &app, .value = p->m->value};
    compile_begin_interpreter(&m);
    const compile_predicted is = compile_predict_plan(&m, &ctx, plan_with(&app, p->use), p->whole);
    compile_end_interpreter(&m);
    for (uint32_t i = 0; i < ctx.boards.len; i++)
        pnr_board_free(&ctx.boards.at[i]);
    p->m->ctx->interrupted = p->m->ctx->interrupted || ctx.interrupted;
    return is;
}

static compile_predicted predicted(const interpreter *m, const form *f, const fe_use *use) {
    return predict(&(prediction){m, f, use, false});
}

compile_predicted compile_predict_apart(const interpreter *m, const fe_use *use,
                                        compile_kept_predictions *kept) {
    const form before = {.steps = m->a->program.steps};
    for (uint32_t i = 0; i < kept->len; i++) {
        if (kept->at[i].use == use)
            return kept->at[i].is;
    }
    vec_push(m->ctx->mem, kept, ((compile_kept_prediction){use, predicted(m, &before, use)}));
    return kept->at[kept->len - 1].is;
}

compile_predicted compile_predict_form(const interpreter *m, const fe_steps *steps, const fe_use *use,
                                       bool whole) {
    const form f = {.steps = *steps};
    return predict(&(prediction){m, &f, use, whole});
}

static bool is_mapped(const interpreter *m, const form *f) {
    return !isinf(predict(&(prediction){m, f, f->use, true}).cost);
}

/* ---- decisions ---------------------------------------------------------------------------------- */

bool compile_has_sum(const sam_statement *s) {
    bool has = false;
    for (uint32_t e = 0; e < s->exprs.len; e++)
        has = has || s->exprs.at[e].kind == SAM_EXPR_SUM;
    return has;
}

bool compile_has_schedule(const compile_options *o, const compile_application *a, uint32_t tensor) {
    const char *name = names_text(a->program.names, a->program.tensors.at[tensor].name);
    const size_t n = strlen(name);
    bool has = false;
    for (uint32_t i = 0; i < o->written.schedule.len; i++) {
        const char *text = o->written.schedule.at[i];
        has = has || (strncmp(text, name, n) == 0 && (text[n] == ':' || text[n] == '.'));
    }
    return has;
}

const char *compile_written_why(const compile_options *o, const fe_step *step) {
    for (uint32_t i = 0; i < o->tried.statements.len; i++) {
        if (o->tried.statements.at[i].at.offset == step->loc.offset)
            return o->tried.statements.at[i].why;
    }
    return NULL;
}

bool compile_may_fuse(const compile_options *o) {
    return o->written.fuse == COMPILE_FUSE_ON ||
           (o->written.fuse == COMPILE_FUSE_AUTO && o->target.engine != ENGINE_SAM && compile_edges_open(o));
}

void compile_keep_written(arena *mem, compile_application *a) {
    if (a->written)
        return;
    compile_application *written = arena_new(mem, compile_application);
    *written = *a;
    a->written = written;
}

static const char *refusal(const interpreter *m, const compile_temporary *t) {
    if (t->why)
        return t->why;
    if (compile_has_schedule(m->o, m->a, fe_step_result(t->from)) ||
        compile_has_schedule(m->o, m->a, fe_step_result(t->into)))
        return "a schedule is for the statement";
    const char *why = compile_written_why(m->o, t->into);
    return why ? why : fe_inline_refusal(t->from, t->into);
}

/* A fused program, and the prediction of the fused statement. */
typedef struct {
    form as; /* put is NULL: none works */
    compile_predicted is;
} fused_form;

/* Makes a form of the fused statement, and takes the form where the earlier one is expected to take longer.
 */
static void try_form(const interpreter *m, const compile_temporary *t, bool lifted, fused_form *best) {
    diagnostics unheard;
    fe_step step;
    diag_init(&unheard, m->ctx->mem);
    if (!fe_inline(&m->a->program, &unheard, t->from, t->into, lifted, &step))
        return;
    const compile_edit edit = {.without = t->from, .at = t->into, .with = &step};
    const form tried = {compile_edit_steps(&m->a->program.steps, &edit, m->ctx->mem), t, step.use};
    const compile_predicted is = predicted(m, &tried, step.use);
    if (!best->as.put || is.cost < best->is.cost || (isnan(best->is.cost) && !isnan(is.cost)))
        *best = (fused_form){tried, is};
}

/* Returns whether the fused statement is expected to be faster: with all that drives the array, and without,
 * where predictions are less sure than the difference of a twentieth. */
static bool is_faster(const compile_predicted *fused, const compile_predicted *from,
                      const compile_predicted *into) {
    const double slack = 1.05;
    return fused->cost < from->cost + into->cost && fused->array <= slack * (from->array + into->array);
}

/* Decides about one temporary; *best becomes the fused program. */
static compile_fusion decide(const interpreter *m, const compile_temporary *t, compile_kept_predictions *kept,
                             fused_form *best) {
    const sam_statement *from = &t->from->statement;
    compile_fusion f = {.from = t->from, .into = t->into, .before = NAN, .after = NAN, .why = refusal(m, t)};
    if (f.why)
        return f;
    f.rounds = !from->integers && (compile_has_sum(from) || compile_has_sum(&t->into->statement));
    try_form(m, t, false, best);
    if (from->integers && compile_has_sum(from))
        try_form(m, t, true, best);
    const compile_predicted one = compile_predict_apart(m, t->from->use, kept),
                            other = compile_predict_apart(m, t->into->use, kept);
    const bool wanted = best->as.put &&
                        (m->o->written.fuse == COMPILE_FUSE_ON || is_faster(&best->is, &one, &other)),
               works = best->as.put && !isinf(best->is.cost) && (!wanted || is_mapped(m, &best->as));
    f.before = one.cost + other.cost;
    f.after = best->as.put ? best->is.cost : NAN;
    f.done = wanted && works;
    f.why = f.done                              ? NULL
            : !works                            ? "the array refuses the fused statement"
            : isnan(f.after) || isnan(f.before) ? "the time is not predicted"
                                                : "the fused statement is expected to take longer";
    return f;
}

/* Returns whether the pair was decided about before. */
static bool is_decided(const compile_application *a, const compile_temporary *t) {
    bool is = false;
    for (uint32_t i = 0; i < a->fusions.len; i++) {
        const compile_fusion *f = &a->fusions.at[i];
        is = is || (!f->hoisted && !f->reused && !f->denser && !f->joined && f->from->use == t->from->use &&
                    (f->into ? f->into->use : NULL) == (t->into ? t->into->use : NULL));
    }
    return is;
}

/* Replaces the program by the fused form; the reference keeps the program as written. */
static void take(const interpreter *m, const form *f) {
    compile_application *a = m->a;
    compile_keep_written(m->ctx->mem, a);
    const compile_application fused = application_of(m, m->ctx, f);
    a->program.steps = fused.program.steps;
    a->plans = fused.plans;
}

void compile_take_form(const interpreter *m, const fe_steps *steps) {
    take(m, &(form){.steps = *steps});
}

/* Decides about the temporaries in turn, up to the first one that is fused. Returns whether one is. */
static bool fuse_next(const interpreter *m, compile_kept_predictions *kept) {
    compile_application *a = m->a;
    const compile_temporaries all = compile_find_temporaries(m->ctx->mem, a);
    for (uint32_t i = 0; i < all.len; i++) {
        fused_form best = {0};
        if (is_decided(a, &all.at[i]))
            continue;
        const compile_fusion f = decide(m, &all.at[i], kept, &best);
        vec_push(m->ctx->mem, &a->fusions, f);
        if (!f.done)
            continue;
        take(m, &best.as);
        return true;
    }
    return false;
}

bool compile_fuse_statements(const interpreter *m, compile_kept_predictions *kept) {
    bool any = false;
    if (!compile_may_fuse(m->o))
        return true;
    while (fuse_next(m, kept))
        any = true;
    return !any || compile_schedule_plans(m->o, m->ctx, m->a);
}
