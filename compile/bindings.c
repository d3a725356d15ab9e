/* bindings.c - --search: the part of a statement that a function computes, by what all is expected to take.
 *
 * The kernels of the array take what compile_search expects of them, in array cycles. Calls of the host have
 * no such model: they count as CYCLES_OF_POINT for each point of their loops, and CYCLES_OF_VALUE for each
 * value of the arrays that are handed over and made. A product of 400x400 matrices took 1.1 ns a point, and a
 * sum of 2000x2000 ones 30 ns a value (docs/functions.md), which are so many cycles of 1.37 ns.
 */
#include "frontend/bindings.h"
#include "compile/choose.h"

#include <math.h>
#include <stdlib.h>

static const double CYCLES_OF_POINT = 0.8, CYCLES_OF_VALUE = 22;

typedef struct {
    const fe_part_binding *binding; /* NULL: as it stands */
    uint32_t at;                    /* in the order in which they were found */
    bool runs;                      /* the array can run what is left, in as many kernels as there are */
    double cycles;
} candidate;

static double values_of(const sam_statement *s, uint32_t order, const sam_var *index) {
    double all = 1;
    for (uint32_t m = 0; m < order; m++)
        all *= sam_var_at(s, index[m])->extent;
    return all;
}

/* Returns what the host is taken to need for a kernel that is bound. */
static double cost_of_calls(const fe_kernel *k) {
    const sam_statement *s = &k->s;
    uint64_t vars = 0;
    double points = 1, values = values_of(s, sam_tensor_at(s, s->result)->order, s->result_index);
    for (uint32_t e = 0; e < s->exprs.len; e++) {
        const sam_expr_data *x = &s->exprs.at[e];
        const uint32_t order = x->kind == SAM_EXPR_ACCESS ? sam_tensor_at(s, x->tensor)->order : 0;
        values += x->kind == SAM_EXPR_ACCESS ? values_of(s, order, x->index) : 0;
        for (uint32_t m = 0; m < order; m++)
            vars |= UINT64_C(1) << (x->index[m].v - 1);
    }
    for (uint32_t v = 1; vars >> (v - 1); v++)
        points *= vars >> (v - 1) & 1 ? sam_var_at(s, (sam_var){v})->extent : 1;
    return CYCLES_OF_POINT * points + CYCLES_OF_VALUE * values;
}

static double cost_of(const compile_search_in *by, compile_context *ctx, compile_schedule *s) {
    double host = 0;
    bool array = false;
    for (uint32_t n = 0; n < s->cin.kernels.len; n++) {
        const fe_kernel *k = &s->cin.kernels.at[n];
        array = array || !k->on_host;
        host += k->on_host ? cost_of_calls(k) : 0;
    }
    return host + (array ? compile_search(by, ctx, &s->cin, &s->tilings) : 0);
}

static int by_cycles(const void *a, const void *b) {
    const candidate *x = a, *y = b;
    if (x->runs != y->runs)
        return x->runs ? -1 : 1;
    if (x->cycles < y->cycles || x->cycles > y->cycles)
        return x->cycles < y->cycles ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static const char *describe(const candidate *c, arena *mem) {
    const char *cost = !c->runs              ? "the array cannot run what is left as one kernel"
                       : isfinite(c->cycles) ? arena_printf(mem, "%.0f cycles expected", c->cycles)
                                             : "nothing says what it takes";
    if (!c->binding)
        return arena_printf(mem, "as it stands: %s", cost);
    return arena_printf(mem, "-s \"%s\"%s%s: %s", c->binding->schedule, c->binding->text ? " of " : "",
                        c->binding->text ? c->binding->text : "", cost);
}

/* Makes the schedule of a binding, in an order of loops that the array can run. */
static bool schedule_of(const compile_search_in *by, compile_context *ctx, const compile_choosing *in,
                        const fe_part_binding *binding, compile_schedule *out) {
    const compile_choosing one = {in->in, binding ? &binding->s : in->user, in->board};
    *out = (compile_schedule){0};
    return compile_choose_with(by->options, ctx, &one, binding ? binding->schedule : "", out);
}

/* Returns whether two bindings are of the same part of the same statement. */
static bool is_same_part(const fe_part_binding *a, const fe_part_binding *b) {
    const char *end_a = strrchr(a->schedule, ','), *end_b = strrchr(b->schedule, ',');
    const size_t n = (size_t)(end_a - a->schedule), m = (size_t)(end_b - b->schedule);
    return n == m && memcmp(a->schedule, b->schedule, n) == 0 && a->s.exprs.at == b->s.exprs.at;
}

bool compile_choose_bindings(const compile_search_in *by, compile_context *ctx, const compile_choosing *in,
                             compile_schedule *out, text_vec *listed) {
    fe_part_bindings found;
    VEC(candidate) all = {0};
    compile_schedule s;
    fe_find_bindings(in->in, in->user, by->options->search - 1, ctx->mem, &found);
    for (uint32_t i = 0; i <= found.len; i++) {
        candidate one = {.binding = i ? &found.at[i - 1] : NULL, .at = i, .cycles = INFINITY};
        if (i > 1 && is_same_part(one.binding, one.binding - 1)) {
            one.runs = all.at[i - 1].runs; /* whatever the function */
            one.cycles = all.at[i - 1].cycles;
        } else {
            one.runs = schedule_of(by, ctx, in, one.binding, &s);
            one.cycles = one.runs ? cost_of(by, ctx, &s) : INFINITY;
        }
        vec_push(ctx->mem, &all, one);
    }
    qsort(all.at, all.len, sizeof *all.at, by_cycles);
    for (uint32_t i = 0; i < all.len; i++)
        vec_push(ctx->mem, listed, describe(&all.at[i], ctx->mem));
    const candidate *best = &all.at[0];
    if (!best->runs || !best->binding || !schedule_of(by, ctx, in, best->binding, &s))
        return false;
    cost_of(by, ctx, &s); /* which chooses edges */
    s.staged = arena_printf(ctx->mem, "1 of %u by --search: %s", all.len, listed->at[0]);
    *out = s;
    return true;
}
