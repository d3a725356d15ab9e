/* join.c - makes a common kernel of statements of a block, if less time is expected.
 *
 * Their netlists stand beside each other, without a common wire, and start together: a run takes the time of
 * the longest, and the processor has a batch less. Every result is a tensor as before. */
#include "programs/join.h"

#include "kernel/array.h"
#include "kernel/folder.h"
#include "kernel/route.h"
#include "lower_onyx/join.h"
#include "programs/alive.h"
#include "programs/fuse.h"
#include "programs/run_steps.h"

#include <math.h>

/* ---- which may be joined ------------------------------------------------------------------------- */

/* The program whose statements are joined. */
typedef struct {
    const compile_options *o;
    compile_context *ctx;
    compile_application *a;
    bool by_processor; /* a processor starts the runs */
    bool together;     /* all kernels fit on an array */
} joining;

/* Returns whether the statement is a kernel of the array, with a single copy. */
static bool may_join(const compile_options *o, const compile_application *a, const fe_step *step) {
    if (step->kind != FE_STEP_ASSIGN)
        return false;
    const compile_statement_plan *plan = compile_plan_of_step(a, step);
    const compile_kernel *k = &plan->kernel;
    return !plan->on_host && !k->producers.len && !k->on_host && !k->graph.is && !k->prebuilt &&
           k->array.copies == 1 && !k->array.independent && !plan->options.written.schedule.len &&
           !compile_has_schedule(o, a, fe_step_result(step)) && !compile_written_why(o, step);
}

static bool share_operand(const fe_step *one, const fe_step *other) {
    bool share = false;
    for (uint32_t t = 0; t < one->statement.tensors.len; t++)
        share = share || (t + 1 != one->statement.result.v && !one->use[t].counts &&
                          compile_step_reads(other, one->use[t].shared));
    return share;
}

/* Returns whether step `at` of a block may run with the step `first`: no step between writes an
 * operand or names the result. In a multi all read the values before. */
static bool is_independent(const fe_steps *steps, uint32_t first, uint32_t at, bool multi) {
    const fe_step *step = &steps->at[at];
    const uint32_t to = fe_step_result(step);
    bool is = true;
    for (uint32_t i = first; i < at && !multi; i++) {
        const fe_step *other = &steps->at[i];
        is = is && other->kind == FE_STEP_ASSIGN && !compile_step_changes(other, step) &&
             !compile_step_writes(other, to) && (i == first || !compile_step_reads(other, to));
    }
    return is;
}

/* ---- expected time -------------------------------------------------------------------------- */

/* Array cycles of the processor for a batch, beside its streams, and for a stream of a run. */
enum { BATCH = 460, STREAM = 60 };

/* Returns whether an operand has a dense level, which a run without a sub-tile scans as any other. */
static bool scans_dense(const sam_statement *s) {
    bool dense = false;
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        const sam_tensor_data *data = &s->tensors.at[t];
        for (uint32_t l = 0; l < data->order && t + 1 != s->result.v; l++)
            dense = dense || data->level[l] == SAM_LEVEL_DENSE;
    }
    return dense;
}

/* Returns the cycles that are expected to be spared by running a kernel with another: the time of the shorter
 * in each run of both, less what the one of fewer runs takes in the other's more runs if that is longer; and
 * with a processor a batch, without streams set in vain. */
static double spared(const compile_kernel *k, const compile_kernel *with, bool by_processor) {
    const tile_candidate *one = &k->tiling.expected, *other = &with->tiling.expected;
    if (one->expected.runs > other->expected.runs)
        return spared(with, k, by_processor);
    const double runs = (double)one->expected.runs, more = (double)other->expected.runs - runs,
                 each = other->predicted / (runs + more), streams = 4;
    const double array = runs > 0 ? fmin(one->predicted, runs * each) : 0,
                 idle = runs > 0 && scans_dense(&k->lowered.statement) ? one->predicted / runs : 0;
    return array - more * fmax(idle - each, 0) + (by_processor ? BATCH - more * streams * STREAM : 0);
}

/* ---- the common kernel --------------------------------------------------------------------------- */

/* Puts the netlists beside each other: statement p has the streams of copy p. */
static bool join_nets(const compile_joint *joint, arena *mem, diagnostics *d, netlist *out) {
    const netlist *nets[COMPILE_MEMBERS_MOST];
    for (uint32_t p = 0; p < joint->n; p++)
        nets[p] = &joint->net[p];
    if (!net_join(nets, joint->n, mem, d, out))
        return false;
    for (uint32_t c = 0; c < out->cells.len; c++) {
        out->cells.at[c].copy = out->cells.at[c].kernel;
        out->cells.at[c].kernel = 0;
    }
    return true;
}

/* Places and routes the first statement's array, and makes its bitstream. */
static bool make_array(const compile_options *o, compile_context *ctx, compile_kernel *k,
                       compile_times *times) {
    return compile_route(o, ctx, &k->board, &k->array, times) && compile_find_deadlock(o, ctx, &k->array) &&
           compile_write_netlist(ctx, k->folder, &k->array.net) &&
           compile_write_design(ctx, k->folder, &k->array.design) &&
           compile_encode(ctx, k->folder, &k->array.design, &k->bits);
}

/* Gives the first statement the array of all. Returns the reason if impossible, or NULL. */
static const char *make(const compile_options *o, compile_context *ctx, compile_application *a,
                        const compile_joint *joint) {
    compile_kernel *k = &joint->of[0]->kernel;
    const compile_array before = k->array;
    const compile_bits bits = k->bits;
    compile_context own = *ctx;
    diagnostics unheard;
    compile_times times = {0};
    pnr_options rules = {.own_tiles = o->copies.buffers > 1};
    diag_init(&unheard, ctx->mem);
    own.diag = &unheard;
    k->array = (compile_array){.copies = 1, .dispatch = before.dispatch};
    const bool fit = join_nets(joint, ctx->mem, &unheard, &k->array.net) &&
                     pnr_fits(&k->array.net, &k->board, &rules, &unheard),
               ok = fit && make_array(o, &own, k, &times);
    a->times.place += times.place;
    a->times.route += times.route;
    ctx->interrupted = ctx->interrupted || own.interrupted;
    if (ok)
        return NULL;
    k->array = before;
    k->bits = bits;
    return fit ? "they are not placed or routed together" : "they do not fit on the array together";
}

/* Returns why the statement stays apart, by the cycles expected to be spared, or NULL. If bitstreams take
 * turns, each overwrites operands kept for the other, by the places of all streams. */
static const char *why_apart(const joining *j, double gain) {
    if (j->o->written.fuse == COMPILE_FUSE_ON)
        return NULL;
    if (gain <= 0)
        return "together they are not expected to take less";
    return j->by_processor && !j->together ? "the program has several bitstreams" : NULL;
}

/* Decides about a statement behind the first of a joint. */
static void decide(const joining *j, compile_joint *joint, const fe_step *step) {
    compile_statement_plan *plan = compile_plan_of_step(j->a, step);
    const compile_statement_plan *longest = joint->of[0];
    for (uint32_t p = 1; p < joint->n; p++)
        longest = compile_expected_of(joint->of[p]) > compile_expected_of(longest) ? joint->of[p] : longest;
    const double before = compile_expected_of(longest) + compile_expected_of(plan),
                 gain = spared(&longest->kernel, &plan->kernel, j->by_processor);
    compile_fusion f = {.from = step,
                        .into = joint->of[0]->step,
                        .joined = true,
                        .before = before > 0 ? before : NAN,
                        .after = before > 0 ? fmax(before - gain, 0) : NAN,
                        .why = why_apart(j, gain)};
    if (!f.why) {
        joint->of[joint->n] = plan;
        joint->net[joint->n++] = plan->kernel.array.net;
        f.why = make(j->o, j->ctx, j->a, joint);
        joint->n -= f.why != NULL;
    }
    f.done = !f.why;
    vec_push(j->ctx->mem, &j->a->fusions, f);
}

/* Joins the statements of a block that may run with step `first`. */
static void join_with(const joining *j, const fe_steps *steps, uint32_t first, bool multi) {
    compile_application *a = j->a;
    compile_joint joint = {.n = 1};
    joint.of[0] = compile_plan_of_step(a, &steps->at[first]);
    joint.net[0] = joint.of[0]->kernel.array.net;
    for (uint32_t i = first + 1; i < steps->len && joint.n < COMPILE_MEMBERS_MOST; i++) {
        bool may = may_join(j->o, a, &steps->at[i]) &&
                   !compile_joint_of(a, compile_plan_of_step(a, &steps->at[i])) &&
                   is_independent(steps, first, i, multi),
             shares = false;
        for (uint32_t p = 0; p < joint.n && may; p++)
            shares = shares || share_operand(joint.of[p]->step, &steps->at[i]);
        if (may && shares)
            decide(j, &joint, &steps->at[i]);
    }
    if (joint.n > 1)
        vec_push(j->ctx->mem, &a->joints, joint);
}

static void join_in(const joining *j, const fe_steps *steps, bool multi) {
    for (uint32_t i = 0; i < steps->len; i++) {
        const fe_step *step = &steps->at[i];
        join_in(j, &step->body, step->kind == FE_STEP_MULTI);
        if (may_join(j->o, j->a, step) && !compile_joint_of(j->a, compile_plan_of_step(j->a, step)))
            join_with(j, steps, i, multi);
    }
}

/* Returns whether an array has room for all kernels of the program. */
static bool fit_together(const compile_options *o, const compile_application *a) {
    arena scratch = {0};
    compile_kernels all = {0};
    for (uint32_t i = 0; i < a->plans.len; i++) {
        compile_statement_plan *plan = &a->plans.at[i];
        for (uint32_t n = 0; n <= plan->kernel.producers.len; n++) {
            compile_kernel *k = compile_kernel_at(&plan->kernel, n);
            if (plan->step->kind == FE_STEP_ASSIGN && !plan->on_host && !k->on_host)
                vec_push(&scratch, &all, k);
        }
    }
    const bool fit = all.len && compile_fit_together(o, &all, false);
    arena_free(&scratch);
    return fit;
}

bool compile_join_statements(const compile_options *o, compile_context *ctx, compile_application *a) {
    if (!compile_may_fuse(o) || !o->optimize || o->target.engine == ENGINE_SAM)
        return true;
    const joining j = {o, ctx, a, compile_engines[o->target.engine].by_processor, fit_together(o, a)};
    join_in(&j, &a->program.steps, false);
    return !ctx->interrupted;
}

bool compile_end_joints(compile_context *ctx, const compile_application *a) {
    bool ok = true;
    for (uint32_t i = 0; i < a->joints.len; i++) {
        const compile_joint *joint = &a->joints.at[i];
        const compile_kernel *first = &joint->of[0]->kernel;
        for (uint32_t p = 1; p < joint->n && ok; p++) {
            compile_kernel *k = &joint->of[p]->kernel;
            k->array = first->array;
            k->array.member = p;
            k->chip = first->chip;
            joint->of[p]->array = joint->of[0]->array;
            ok = compile_write_netlist(ctx, k->folder, k->array.design.net) &&
                 compile_write_design(ctx, k->folder, &k->array.design) &&
                 compile_encode(ctx, k->folder, &k->array.design, &k->bits);
        }
    }
    return ok;
}
