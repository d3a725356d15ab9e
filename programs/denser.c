/* denser.c - decides which compressed vectors and matrices of loops have dense levels.
 *
 * A load of a dense vector is what a store has left, or a copy. A compressed vector may have stored zeros, so
 * the processor examines each value. Tensors that are swapped have one level. The statements that name them
 * are compiled up to their copies, both ways, as for fusion (fuse.c); the array's time is that of the
 * fullest operands, of a compressed operand less by its entries. */
#include "programs/denser.h"

#include "frontend/schedules/schedules.h"
#include "programs/alive.h"
#include "programs/compile_plans.h"
#include "programs/fuse.h"
#include "programs/gathered.h"
#include "programs/pack.h"

#include <math.h>

/* Tensors that have the same levels. */
typedef struct {
    const bool *of; /* by number */
    uint32_t n;
} tensor_class;

/* Returns why the step keeps a tensor as it is. */
static const char *refuse_step(const interpreter *m, const fe_step *step, uint32_t tensor) {
    const fe_program *p = &m->a->program;
    if (step->kind == FE_STEP_COORDINATE && step->coordinate.tensor == tensor)
        return "the host makes it";
    if (step->kind != FE_STEP_ASSIGN || !compile_step_names(step, tensor))
        return NULL;
    if (compile_has_schedule(m->o, m->a, fe_step_result(step)))
        return "a schedule is for a statement of it";
    if (compile_gathers_by(p, step, tensor))
        return "its values gather, and are looked at";
    if (compile_plan_of_step(m->a, step)->dry_run.infinite)
        return "a statement of it reads an infinite value of bf16";
    const char *why = compile_written_why(m->o, step);
    return why ? why : fe_dense_refusal(step, tensor);
}

static const char *refuse_steps(const interpreter *m, const fe_steps *steps, uint32_t tensor) {
    const char *why = NULL;
    for (uint32_t i = 0; i < steps->len && !why; i++) {
        why = refuse_step(m, &steps->at[i], tensor);
        why = why ? why : refuse_steps(m, &steps->at[i].body, tensor);
    }
    return why;
}

static const char *refuse(const interpreter *m, const tensor_class *c) {
    const char *why = NULL;
    for (uint32_t t = 0; t < c->n && !why; t++) {
        const fe_shared *one = &m->a->program.tensors.at[t];
        if (!c->of[t])
            continue;
        why = one->stored || (one->region && *one->region) ? "its format or its place is stated"
                                                           : refuse_steps(m, &m->a->program.steps, t);
    }
    return why;
}

/* Makes the steps with dense levels. */
static bool make_steps(const interpreter *m, const fe_steps *steps, const tensor_class *c, fe_steps *out) {
    bool ok = true;
    for (uint32_t i = 0; i < steps->len && ok; i++) {
        fe_step copy = steps->at[i];
        diagnostics unheard;
        diag_init(&unheard, m->ctx->mem);
        if (copy.kind == FE_STEP_ASSIGN && compile_step_names_any(&copy, c->of, c->n))
            ok = fe_make_dense(&m->a->program, &unheard, &steps->at[i], c->of, &copy);
        const fe_steps body = copy.body;
        copy.body = (fe_steps){0};
        ok = ok && make_steps(m, &body, c, &copy.body);
        vec_push(m->ctx->mem, out, copy);
    }
    return ok;
}

/* Adds array cycles of the processor for the statement's loads of the class in a run: compressed, and dense.
 * A compressed matrix is mostly the host's, and counts none. */
static void add_moves(const compile_statement_plan *plan, const tensor_class *c, double *compressed,
                      double *dense) {
    const sam_statement *s = &plan->step->statement;
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        const fe_use *use = &plan->step->use[t];
        const compile_operand_profile *profile = compile_profile_of(&plan->dry_run, use->shared);
        if (t + 1 == s->result.v || use->counts || use->shared >= c->n || !c->of[use->shared] || !profile)
            continue;
        const tile_tensor *all = &profile->all;
        if (all->order == 1)
            *compressed +=
                compile_packing_cycles((uint32_t)all->dim[0], (double)profile->entries / plan->dry_run.runs);
        *dense += COMPILE_COMMAND +
                  COMPILE_COPIED * (double)all->dim[0] * (double)(all->order == 1 ? 1 : all->dim[1]);
    }
}

/* Returns whether the plan is of an assignment on the array that names the class. */
static bool names_class(const compile_statement_plan *plan, const tensor_class *c) {
    return plan->step->kind == FE_STEP_ASSIGN && !plan->on_host &&
           compile_step_names_any(plan->step, c->of, c->n);
}

static const char refused[] = "the array refuses dense levels";

/* Expects the cycles of all runs of the statements that name the class. Returns NULL, or why the cycles are
 * unknown. */
static const char *expect(const interpreter *m, const fe_steps *steps, const tensor_class *c,
                          compile_kept_predictions *kept, compile_fusion *f) {
    const char *why = NULL;
    f->before = f->after = 0;
    for (uint32_t i = 0; i < m->a->plans.len && !why; i++) {
        const compile_statement_plan *plan = &m->a->plans.at[i];
        const compile_dry_run *dry = &plan->dry_run;
        if (!dry->runs || !names_class(plan, c))
            continue;
        const compile_predicted was = compile_predict_apart(m, plan->step->use, kept),
                                is = compile_predict_form(m, steps, plan->step->use, false);
        double compressed = was.cost - was.array * (1 - compile_fraction_of_run(dry)), dense = is.cost;
        add_moves(plan, c, &compressed, &dense);
        f->before += dry->runs * compressed;
        f->after += dry->runs * dense;
        why = isinf(is.cost)                          ? refused
              : isnan(is.cost) || !isfinite(was.cost) ? "the time is not predicted"
                                                      : NULL;
    }
    return why;
}

/* Returns whether all these statements are placed and routed. */
static bool are_mapped(const interpreter *m, const fe_steps *steps, const tensor_class *c) {
    bool ok = true;
    for (uint32_t i = 0; i < m->a->plans.len && ok; i++) {
        const compile_statement_plan *plan = &m->a->plans.at[i];
        if (names_class(plan, c))
            ok = isfinite(compile_predict_form(m, steps, plan->step->use, true).cost);
    }
    return ok;
}

/* Decides about a class, which a loop assigns first in `from`. There is no margin: with a twentieth a
 * matrix of examples/kmeans.onx, predicted 4 % faster dense, stays compressed, and the program takes 75,142
 * cycles, 54,866 without a margin. */
static void decide(const interpreter *m, const fe_step *from, const tensor_class *c,
                   compile_kept_predictions *kept) {
    compile_fusion f = {.from = from, .denser = c->of, .why = refuse(m, c), .after = NAN, .before = NAN};
    fe_steps steps = {0};
    if (!f.why && !make_steps(m, &m->a->program.steps, c, &steps))
        f.why = "a statement has no form with dense levels";
    if (!f.why)
        f.why = expect(m, &steps, c, kept, &f);
    if (!f.why && !(f.after < f.before))
        f.why = "dense levels are expected to take longer";
    if (!f.why && !are_mapped(m, &steps, c))
        f.why = refused;
    f.done = !f.why;
    vec_push(m->ctx->mem, &m->a->fusions, f);
    if (f.done) {
        compile_take_form(m, &steps);
        kept->len = 0; /* statements have other levels, and each its use as before */
    }
}

/* Returns whether a loop gives the compressed tensor its values by this step. */
static bool is_assigned(const compile_statement_plan *plan, uint32_t tensor) {
    const sam_statement *s = &plan->step->statement;
    return plan->step->kind == FE_STEP_ASSIGN && !plan->on_host && plan->loops &&
           fe_step_result(plan->step) == tensor && fe_may_be_denser(sam_tensor_at(s, s->result));
}

bool compile_make_denser(const interpreter *m, compile_kept_predictions *kept) {
    const uint32_t n = m->a->program.tensors.len, before = m->a->fusions.len;
    uint32_t *class = arena_new_n(m->ctx->mem, uint32_t, n + 1);
    bool any = false;
    if (!compile_may_fuse(m->o) || !m->a->dry_run || !compile_engines[m->o->target.engine].by_processor)
        return true;
    compile_find_classes(&m->a->program.steps, class, n);
    for (uint32_t t = 0; t < n; t++) {
        bool *of = arena_new_n(m->ctx->mem, bool, n + 1);
        const fe_step *from = NULL;
        for (uint32_t i = 0; i < n; i++)
            of[i] = class[i] == t;
        for (uint32_t s = 0; s < m->a->plans.len && class[t] == t; s++) {
            for (uint32_t i = 0; i < n && !from; i++)
                from = of[i] && is_assigned(&m->a->plans.at[s], i) ? m->a->plans.at[s].step : NULL;
        }
        if (from)
            decide(m, from, &(tensor_class){of, n}, kept);
    }
    for (uint32_t i = before; i < m->a->fusions.len; i++)
        any = any || m->a->fusions.at[i].done;
    return !any || compile_schedule_plans(m->o, m->ctx, m->a);
}
