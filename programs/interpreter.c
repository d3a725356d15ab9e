/* The state of an execution of a program: the content of its tensors, and the costs of its statements'
 * runs. */
#include "programs/interpreter.h"
#include "tiling/wide.h"

#include <math.h>

/* ---- what tensors hold ------------------------------------------------------------------------- */

bool compile_is_same(const tile_tensor *a, const tile_tensor *b) {
    return a->nnz == b->nnz &&
           (!a->nnz || (memcmp(a->val, b->val, sizeof *a->val * a->nnz) == 0 &&
                        (!a->order || memcmp(a->crd, b->crd, sizeof *a->crd * a->order * a->nnz) == 0)));
}

void compile_forget_resident(tensor_slot *h) {
    if (!h->resident)
        return;
    arena mem = h->resident->mem; /* may hold the result itself */
    compile_common *common = h->resident->common;
    h->resident = NULL;
    arena_free(&mem);
    if (!common || --common->users)
        return;
    mem = common->mem;
    arena_free(&mem);
}

/* Returns whether an entry has the value of what is not stored. */
static bool is_fill(const tile_tensor *from, uint64_t e, const tile_tensor *shape) {
    const double *wide = tile_wide(from);
    return from->val[e] == shape->fill && (!wide || fabs(wide[e]) <= INT16_MAX);
}

void compile_set_slot(tensor_slot *to, const tile_tensor *from, const tile_tensor *shape, bool exact) {
    compile_forget_resident(to);
    arena old = to->mem;
    to->mem = (arena){0};
    const uint32_t order = shape->order;
    uint32_t *crd = arena_new_n(&to->mem, uint32_t, from->nnz * order + 1);
    uint16_t *val = arena_new_n(&to->mem, uint16_t, from->nnz + 1);
    const double *original = tile_original(from);
    double *kept = original ? arena_new_n(&to->mem, double, from->nnz + 1) : NULL;
    const double *wide = tile_wide(from);
    double *kept_wide = wide ? arena_new_n(&to->mem, double, from->nnz + 1) : NULL;
    uint64_t n = 0;
    for (uint64_t e = 0; e < from->nnz; e++) {
        const bool counts = exact && original && !shape->fill && original[e] != 0;
        if (order && !counts && is_fill(from, e, shape))
            continue;
        if (order)
            memcpy(crd + n * order, from->crd + e * order, sizeof *crd * order);
        if (kept)
            kept[n] = original[e];
        if (wide)
            kept_wide[n] = wide[e];
        val[n++] = from->val[e];
    }
    if (!order && !n)
        val[n++] = from->fill;
    to->t = *shape;
    to->t.nnz = n;
    to->t.addends = from->addends;
    to->t.crd = crd;
    to->t.val = val;
    to->t.original = n ? kept : NULL;
    to->t.original_as = val;
    tile_set_wide(&to->t, n ? kept_wide : NULL);
    arena_free(&old);
}

tile_tensor compile_copy_of(const tile_tensor *t, arena *mem) {
    tile_tensor copy = *t;
    uint32_t *crd = arena_new_n(mem, uint32_t, t->nnz * t->order + 1);
    uint16_t *val = arena_new_n(mem, uint16_t, t->nnz + 1);
    if (t->order && t->nnz)
        memcpy(crd, t->crd, sizeof *crd * t->nnz * t->order);
    if (t->nnz)
        memcpy(val, t->val, sizeof *val * t->nnz);
    copy.crd = crd;
    copy.val = val;
    tile_set_wide(&copy, tile_copy_wide(t, mem));
    return copy;
}

/* ---- runs of statements ------------------------------------------------------------------------- */

bool compile_stays(const interpreter *m, const fe_step *step, name_id name) {
    const sam_statement *s = &step->statement;
    bool same = false;
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        const uint32_t shared = step->use[t].shared;
        same =
            same || (t + 1 != s->result.v && name_eq(s->tensors.at[t].name, name) && !step->use[t].counts &&
                     shared < m->a->program.tensors.len && !m->a->program.tensors.at[shared].changes);
    }
    return same;
}

const char *compile_pass_text(const interpreter *m) {
    const char *text = "";
    for (uint32_t i = 0; i < m->passes.len; i++)
        text = arena_printf(m->ctx->mem, "%s%s%u", text, i ? "," : "", m->passes.at[i]);
    return text;
}

void compile_add_timeline_run(interpreter *m, const compile_statement_plan *plan, compile_timeline_run run) {
    for (const compile_statement_plan *one = m->a->plans.at; one != plan && one != plan->whole; one++)
        run.statement += one->step->kind == FE_STEP_ASSIGN;
    run.cycles = m->now - run.begin;
    compile_timeline_add(m->line, &run);
}

bool compile_record_activity(const interpreter *m, const compile_kernel *k, uint64_t begin,
                             uint64_t *cycles) {
    const char *name = k->folder + strlen(m->ctx->partial) + 1;
    *cycles = 0;
    const bool recorded = m->o->running.wave || m->o->target.engine == ENGINE_CYCLE;
    return !recorded || compile_timeline_record(m->line, name, k->folder, begin, m->ctx->diag, cycles);
}

/* The names are the same each time. */
static void add_processed(const compile_processed *p, compile_processed *sum) {
    if (!p->names)
        return;
    sum->names = p->names;
    sum->calls += p->calls;
    sum->words += p->words;
    sum->cycles += p->cycles;
    sum->overlapped += p->overlapped;
    sum->measured = p->measured;
}

void compile_count_cycles(compile_statement_plan *plan, uint64_t config, uint64_t kernel, uint64_t firmware) {
    uint32_t n = 0;
    while (n < plan->kernel.producers.len && compile_kernel_at(&plan->kernel, n)->on_host)
        n++;
    compile_kernel k = *compile_kernel_at(&plan->kernel, n); /* that has a clock */
    plan->cycles.config += config;
    plan->cycles.kernel += kernel;
    plan->cycles.firmware += firmware;
    plan->cycles.total += config + kernel + firmware;
    k.ran.cycles.firmware = firmware;
    k.ran.cycles.total = config + kernel + firmware;
    compile_activity_add_time(&k, &plan->activity);
    plan->counted = plan->activity.time_us > 0;
}

/* Adds the execution, or adds the counts of further kernels to the execution of the first kernels. */
static void add_execution(interpreter *m, compile_statement_plan *plan, const compile_execution *execution) {
    if (!plan->begun) {
        vec_push(m->ctx->mem, &plan->executions, *execution);
        return;
    }
    compile_execution *all = &plan->executions.at[plan->executions.len - 1];
    all->entries = execution->entries;
    all->cycles += execution->cycles;
    all->loaded += execution->loaded;
    all->kept += execution->kept;
    all->collected += execution->collected;
}

void compile_count_lag(interpreter *m, const compile_outcome *of) {
    for (uint32_t end = 0; end < 2; end++)
        m->a->lag[end] += of->cycles.lag[end];
}

/* In a session the channels' record comes when the session ends. */
bool compile_count_run(interpreter *m, compile_statement_plan *ran, const compile_kernel *k) {
    compile_statement_plan *plan = compile_whole(ran);
    compile_execution execution = {.pass = compile_pass_text(m), .entries = k->ran.result.nnz};
    compile_timeline_run run = {.pass = execution.pass, .begin = m->now};
    bool ok = true;
    for (uint32_t n = 0; n <= k->producers.len; n++) {
        const compile_kernel *one = compile_kernel_at(k, n);
        uint64_t recorded = 0;
        run.config += one->ran.cycles.config;
        run.kernel += one->ran.cycles.kernel;
        run.firmware += one->ran.cycles.firmware;
        plan->cycles.verify += one->ran.cycles.verify;
        compile_count_lag(m, &one->ran);
        execution.cycles += one->ran.cycles.total;
        add_processed(&one->ran.processor, &plan->processor);
        execution.loaded += one->ran.words.loaded;
        execution.kept += one->ran.words.kept;
        execution.collected += one->ran.words.collected;
        m->a->times.tile += one->times.tile;
        m->a->times.firmware += one->times.firmware;
        m->a->times.run += one->times.run;
        ok = ok && (one->chip.session || compile_record_activity(m, one, m->now, &recorded));
        m->now += recorded > one->ran.cycles.total ? recorded : one->ran.cycles.total;
    }
    plan->counted = compile_activity_add(k, &plan->activity);
    add_execution(m, plan, &execution);
    plan->begun = ran != plan;
    if (k->chip.deferred) /* its cycles are known when the list has run */
        return true;
    plan->cycles.config += run.config;
    plan->cycles.kernel += run.kernel;
    plan->cycles.firmware += run.firmware;
    plan->cycles.total += execution.cycles;
    run.loaded = execution.loaded;
    run.kept = execution.kept;
    run.collected = execution.collected;
    compile_add_timeline_run(m, plan, run);
    return ok;
}
