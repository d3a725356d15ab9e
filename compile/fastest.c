/* The order of the loops, and dense vectors, on engine sam. A simulation takes little time, so the forms run
 * on the operands instead of being predicted: each until it takes more cycles than the best form before,
 * O(orders) runs. The written form stays if its run is short, if no form ends within the bound of -O, or if
 * no form is faster.
 */
#include "compile/fastest.h"
#include "autoschedule/autoschedule.h"
#include "compile/compile.h"
#include "engines/engines.h"
#include "graphs/graphs.h"
#include "kernel/edges.h"
#include "kernel/operands.h"
#include "kernel/trial.h"
#include "kernel/written.h"
#include "support/trial.h"

/* Cycles of a short run; cycles of a run, and orders that are tried, with -O1, and how many times more with
 * -O2. */
enum { SHORT_RUN = 10000, LONGEST_RUN = 1 << 22, MOST_ORDERS = 24, MORE_EFFORT = 16 };

/* A run of the statement in an order of its loops. */
typedef struct {
    const compile_options *o;
    const compile_data *data;
    const char *reorder; /* NULL: the written order */
    text_vec dense;      /* formats of vectors, as -f says them, added to those of the options */
    uint64_t most;       /* the run ends behind this number of cycles; 0: never */
    uint64_t cycles;     /* 0: not known */
} ordered_run;

static void add_formats(const text_vec *dense, compile_options *o, arena *mem) {
    text_vec all = {0};
    for (uint32_t i = 0; i < o->written.formats.len; i++)
        vec_push(mem, &all, o->written.formats.at[i]);
    for (uint32_t i = 0; i < dense->len; i++)
        vec_push(mem, &all, dense->at[i]);
    o->written.formats = all;
}

static bool ends(compile_context *ctx, void *of) {
    ordered_run *r = of;
    compile_options own = *r->o;
    compile_kernel k = {.data = *r->data};
    own.sam.most_cycles = r->most;
    add_formats(&r->dense, &own, ctx->mem);
    if (r->reorder)
        own.written.schedule = (text_vec){.at = &r->reorder, .len = 1};
    if (!compile_to_graph(&own, ctx, &k) || !compile_run_kernels(&own, ctx, &k, &k.data.operands))
        return false;
    r->cycles = k.ran.cycles.kernel;
    return true;
}

static bool is_open(const compile_options *o) {
    return compile_choices_open(o) && !o->asked.statement && !o->sam.as_written && !o->written.schedule.len &&
           !compile_is_graph(o->written.expression);
}

/* Runs another form until it takes as long as the best. */
static void run_against(ordered_run *best, ordered_run other, compile_context *ctx) {
    other.most = best->most;
    if (!compile_try(ctx, ends, &other).works || (best->cycles && other.cycles >= best->cycles))
        return;
    *best = other;
    best->most = other.cycles;
}

/* Returns whether every access of the tensor is a factor. */
static bool is_factor(const sam_statement *s, sam_tensor t) {
    for (uint32_t e = 1; e <= s->exprs.len; e++) {
        const sam_expr_data *x = sam_expr_at(s, (sam_expr){e});
        bool multiplied = x->kind != SAM_EXPR_ACCESS || x->tensor.v != t.v;
        for (uint32_t p = 1; p <= s->exprs.len && !multiplied; p++) {
            const sam_expr_data *product = sam_expr_at(s, (sam_expr){p});
            multiplied = product->kind == SAM_EXPR_MUL && (product->a.v == e || product->b.v == e);
        }
        if (!multiplied)
            return false;
    }
    return true;
}

/* Lists the vectors that may be dense: absent entries become zeros, by which nothing but finite values is
 * multiplied. */
static text_vec dense_vectors(const compile_options *o, compile_context *ctx, const compile_kernel *k) {
    const sam_statement *s = &k->user;
    const fe_in stated = {.formats = o->written.formats.at, .n_formats = o->written.formats.len};
    text_vec dense = {0};
    for (uint32_t t = 1; t <= s->tensors.len && compile_are_finite(&k->data.operands); t++) {
        const sam_tensor_data *x = sam_tensor_at(s, (sam_tensor){t});
        const char *name = names_text(ctx->names, x->called.v ? x->called : x->name);
        if (t != s->result.v && x->order == 1 && x->level[0] == SAM_LEVEL_COMPRESSED && !x->ones &&
            !x->fill && x->structure == SAM_VALUES && !fe_has_format(&stated, name) &&
            is_factor(s, (sam_tensor){t}))
            vec_push(ctx->mem, &dense, arena_printf(ctx->mem, "%s:d", name));
    }
    return dense;
}

/* Returns the options of the best form: -s "reorder(k,i,j)" -f x:d. */
static const char *form_text(const ordered_run *best, arena *mem) {
    const char *text = best->reorder ? arena_printf(mem, "-s \"%s\"", best->reorder) : "";
    for (uint32_t i = 0; i < best->dense.len; i++)
        text = arena_printf(mem, "%s%s-f %s", text, *text ? " " : "", best->dense.at[i]);
    return text;
}

/* Runs the written order, with vectors as they are and dense, then all other orders. */
static const char *race(ordered_run *written, compile_context *ctx, const compile_kernel *k) {
    const uint64_t effort = written->o->optimize > 1 ? MORE_EFFORT : 1;
    const sam_statement *s = &k->source->s;
    sam_statement ordered = *s;
    const uint32_t n = s->loops.len;
    uint32_t *permutation = arena_new_n(ctx->mem, uint32_t, n), tried = 0;
    ordered_run best = *written, dense;
    ordered.loops.at = arena_new_n(ctx->mem, sam_var, n);
    for (uint32_t i = 0; i < n; i++)
        permutation[i] = i;
    best.most = written->o->optimize > 2 ? 0 : effort * LONGEST_RUN;
    if (compile_try(ctx, ends, &best).works)
        best.most = written->cycles = best.cycles;
    dense = best;
    dense.dense = dense_vectors(written->o, ctx, k);
    if (dense.dense.len)
        run_against(&best, dense, ctx);
    while (tried++ < effort * MOST_ORDERS && compile_next_order(permutation, n)) {
        for (uint32_t i = 0; i < n; i++)
            ordered.loops.at[i] = s->loops.at[permutation[i]];
        ordered_run other = best;
        other.reorder = arena_printf(ctx->mem, "reorder(%s)", compile_loops_text(&ordered, ctx->mem));
        run_against(&best, other, ctx);
    }
    const bool changed = best.reorder || best.dense.len;
    const uint64_t before = written->cycles ? written->cycles : effort * LONGEST_RUN;
    written->reorder = best.reorder;
    written->dense = best.dense;
    return !changed ? NULL
                    : arena_printf(ctx->mem, "%s: %llu cycles, %s%llu in the order %s%s",
                                   form_text(&best, ctx->mem), (unsigned long long)best.cycles,
                                   written->cycles ? "" : "more than ", (unsigned long long)before,
                                   compile_loops_text(s, ctx->mem), best.dense.len ? ", compressed" : "");
}

/* Reads the statement, and the operands if there are orders to try. */
static bool read_both(const compile_options *o, compile_context *ctx, compile_kernel *k) {
    return compile_to_graph(o, ctx, k) && !k->producers.len && !k->on_host && k->source->s.loops.len > 1 &&
           compile_read_operands(o, ctx, &k->user, &k->data);
}

const char *compile_take_fastest(const compile_options *o, compile_context *ctx, compile_options *own,
                                 compile_data *data) {
    const diagnostics before = *ctx->diag;
    compile_options quiet = *o;
    compile_kernel k = {0};
    quiet.files.out = NULL;
    quiet.files.dump = (compile_dumps){.all = false};
    quiet.sam.stats = quiet.sam.trace = NULL;
    if (!is_open(o))
        return NULL;
    const bool several = read_both(&quiet, ctx, &k);
    if (several && ctx->diag->list.len == before.list.len)
        *data = k.data;
    diag_return_to(ctx->diag, &before); /* the run that follows has the same messages */
    ordered_run r = {.o = &quiet, .data = &k.data, .most = SHORT_RUN};
    if (!several || compile_try(ctx, ends, &r).works)
        return NULL;
    compile_stage(ctx, "running the orders of the loops", 0);
    const char *said = race(&r, ctx, &k);
    if (r.reorder)
        vec_push(ctx->mem, &own->written.schedule, r.reorder);
    add_formats(&r.dense, own, ctx->mem);
    return said;
}
