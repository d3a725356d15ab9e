/* bindings.c - --search: the subexpression of a statement that a function computes, by what all is expected
 * to take.
 *
 * The kernels of the array take what compile_search expects of them, in array cycles. Calls of the host have
 * no such model: they count as CYCLES_OF_POINT for each point of their loops, and CYCLES_OF_VALUE for each
 * value of the arrays that are handed over and made. A product of 400x400 matrices took 0.45 ns a point, and
 * a sum of 2000x2000 ones 10 ns a value (docs/functions.md), which are so many cycles of 1.37 ns. A point on
 * the processor of the chip counts what its description says in place of the first.
 */
#include "autoschedule/choose.h"
#include "frontend/language/language.h"
#include "frontend/schedules/schedules.h"
#include "kernel/prebuilt.h"

#include <math.h>
#include <stdlib.h>

static const double CYCLES_OF_POINT = 0.33, CYCLES_OF_VALUE = 7;

typedef struct {
    const fe_subexpr_binding *binding; /* NULL: the statement as written */
    uint32_t at;                       /* in the order of discovery */
    bool runs;       /* the array can run the rest of the statement, in the program's kernels */
    const char *why; /* the subexpression does not run, for a reason of its own */
    double cycles;
} candidate;

static uint64_t vars_of(const sam_var *index, uint32_t order) {
    uint64_t vars = 0;
    for (uint32_t m = 0; m < order; m++)
        vars |= UINT64_C(1) << (index[m].v - 1);
    return vars;
}

static double points_of(const sam_statement *s, uint64_t vars) {
    double all = 1;
    for (uint32_t v = 1; v <= 64 && vars >> (v - 1); v++)
        all *= vars >> (v - 1) & 1 ? sam_var_at(s, (sam_var){v})->extent : 1;
    return all;
}

/* Returns how many values of an array all calls have: a call per coordinate of each fixed index and per
 * tile of each split index, also of indices that the array lacks. */
static double values_of(const fe_kernel *k, uint64_t vars) {
    double all = points_of(&k->s, vars | k->binding.fixed);
    for (uint32_t i = 0; i < k->relations.len; i++) {
        const fe_relation *r = &k->relations.at[i];
        const double extent = sam_var_at(&k->s, r->var[0])->extent;
        if (!(vars >> (r->var[0].v - 1) & 1))
            all *= r->kind == FE_SPLIT ? ceil(extent / r->number) : r->number;
    }
    return all;
}

/* Returns the estimated cycles of the host for a bound kernel. */
static double cost_of_calls(const fe_kernel *k, double point) {
    const sam_statement *s = &k->s;
    const uint64_t result = vars_of(s->result_index, sam_tensor_at(s, s->result)->order);
    uint64_t all = result;
    double values = values_of(k, result);
    for (uint32_t e = 0; e < s->exprs.len; e++) {
        const sam_expr_data *x = &s->exprs.at[e];
        const bool access = x->kind == SAM_EXPR_ACCESS;
        const uint64_t vars = access ? vars_of(x->index, sam_tensor_at(s, x->tensor)->order) : 0;
        values += access ? values_of(k, vars) : 0;
        all |= vars;
    }
    return point * points_of(s, all) + CYCLES_OF_VALUE * values;
}

/* Returns the cost of a point of the function's loops, in array cycles. */
static double cost_of_point(const fe_functions *functions, const name_table *names, name_id function,
                            const pnr_board *b) {
    const fe_user_function *f = function.v ? fe_function_named(functions, names_text(names, function)) : NULL;
    if (!f || !f->described || !f->described->on_processor)
        return CYCLES_OF_POINT;
    return f->described->per_point * (b && b->cpu_mhz ? host_cycles_ratio(b) : 1);
}

/* Returns whether the array computes a bound kernel. */
static bool is_bitstream(const fe_functions *functions, const fe_kernel *k) {
    const name_id name = k->binding.function;
    return name.v && fe_function_named(functions, names_text(k->s.names, name))->described->bitstream;
}

/* Returns the same for all kernels of a binding. */
static double cost_on_host(const compile_choosing *in, const fe_subexpr_binding *binding) {
    arena scratch = {0};
    diagnostics unheard;
    fe_cin cin;
    double cost = 0;
    if (!binding)
        return 0;
    fe_in with = *in->in;
    with.schedule = &binding->schedule;
    with.n_schedule = 1;
    diag_init(&unheard, &scratch);
    BUG_IF(!fe_schedule(&with, &binding->s, &scratch, &unheard, &cin), "'%s' was possible a moment ago",
           binding->schedule);
    for (uint32_t n = 0; n < cin.kernels.len; n++) {
        const fe_kernel *k = &cin.kernels.at[n];
        if (k->on_host && !is_bitstream(in->in->functions, k))
            cost += cost_of_calls(
                k, cost_of_point(in->in->functions, k->s.names, k->binding.function, in->board));
    }
    arena_free(&scratch);
    return cost;
}

static double cost_on_array(const compile_search_in *by, compile_context *ctx, compile_schedule *s) {
    bool array = false;
    for (uint32_t n = 0; n < s->cin.kernels.len; n++)
        array = array || !s->cin.kernels.at[n].on_host;
    return array ? compile_search(by, ctx, &s->cin, &s->tilings) : 0;
}

static int by_cycles(const void *a, const void *b) {
    const candidate *x = a, *y = b;
    if (x->runs != y->runs)
        return x->runs ? -1 : 1;
    if (x->cycles < y->cycles || x->cycles > y->cycles)
        return x->cycles < y->cycles ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* Returns whether any of the first n candidates has the same schedule and cost: a rewrite of the unbound rest
 * without effect. */
static bool is_there(const candidate *all, uint32_t n, const candidate *c) {
    bool is = false;
    for (uint32_t i = 0; i < n && c->binding; i++)
        is = is ||
             (all[i].binding && all[i].runs == c->runs && !(all[i].cycles < c->cycles) &&
              !(all[i].cycles > c->cycles) && strcmp(all[i].binding->schedule, c->binding->schedule) == 0);
    return is;
}

static const char *describe(const candidate *c, arena *mem) {
    const char *cost = c->why                ? c->why
                       : !c->runs            ? "the array cannot run what is left as one kernel"
                       : isfinite(c->cycles) ? arena_printf(mem, "%.0f cycles expected", c->cycles)
                                             : "nothing says what it takes";
    if (!c->binding)
        return arena_printf(mem, "as it stands: %s", cost);
    return arena_printf(mem, "-s \"%s\"%s%s: %s", c->binding->schedule, c->binding->text ? " of " : "",
                        c->binding->text ? c->binding->text : "", cost);
}

/* Makes the schedule of a binding, in an order of loops that the array can run. A bitstream for other
 * operands or another board is no mistake of the user here: *why has the reason. */
static bool schedule_of(const compile_search_in *by, compile_context *ctx, const compile_choosing *in,
                        const fe_subexpr_binding *binding, compile_schedule *out, const char **why) {
    const compile_choosing one = {in->in, binding ? &binding->s : in->user, in->board, NULL};
    compile_context quiet = *ctx;
    diagnostics unheard;
    diag_init(&unheard, ctx->mem);
    quiet.diag = &unheard;
    *out = (compile_schedule){0};
    *why = NULL;
    if (!compile_choose_with(by->options, ctx, &one, binding ? binding->schedule : "", out))
        return false;
    if (compile_use_prebuilt(by->options, &quiet, out))
        return true;
    *why = unheard.list.len ? unheard.list.at[0].message : NULL;
    return false;
}

/* Returns whether a binding is to a bitstream: its schedule ends in "NAME)". */
static bool binds_bitstream(const fe_functions *functions, const fe_subexpr_binding *b, arena *mem) {
    const char *name = strrchr(b->schedule, ',') + 1;
    name += strspn(name, " ");
    name = arena_strndup(mem, name, strcspn(name, ")"));
    return fe_function_named(functions, name)->described->bitstream;
}

/* Returns whether two bindings are of the same subexpression of the same statement, and leave the array the
 * same. */
static bool leave_the_same(const fe_functions *functions, const fe_subexpr_binding *a,
                           const fe_subexpr_binding *b, arena *mem) {
    const char *end_a = strrchr(a->schedule, ','), *end_b = strrchr(b->schedule, ',');
    const size_t n = (size_t)(end_a - a->schedule), m = (size_t)(end_b - b->schedule);
    return n == m && memcmp(a->schedule, b->schedule, n) == 0 && a->s.exprs.at == b->s.exprs.at &&
           !binds_bitstream(functions, a, mem) && !binds_bitstream(functions, b, mem);
}

/* Returns whether this machine has the functions' libraries. */
static bool is_installed(compile_context *ctx, const fe_functions *functions, const fe_cin *cin) {
    bool is = true;
    for (uint32_t n = 0; n < cin->kernels.len; n++) {
        const fe_kernel *k = &cin->kernels.at[n];
        if (k->binding.function.v)
            is = is &&
                 !fe_lacks_package(
                     fe_function_named(functions, names_text(ctx->names, k->binding.function))->described,
                     ctx->mem);
    }
    return is;
}

bool compile_choose_bindings(const compile_search_in *by, compile_context *ctx, const compile_choosing *in,
                             compile_schedule *out, text_vec *listed) {
    fe_subexpr_bindings found;
    VEC(candidate) all = {0};
    compile_schedule s;
    const char *why = NULL;
    bool runs = false;
    double array = INFINITY;
    fe_find_bindings(in->in, in->user, by->options->written.search - 1, ctx->mem, &found);
    for (uint32_t i = 0; i <= found.len; i++) {
        candidate one = {.binding = i ? &found.at[i - 1] : NULL, .at = i};
        if (i < 2 || !leave_the_same(in->in->functions, one.binding, one.binding - 1, ctx->mem)) {
            runs = schedule_of(by, ctx, in, one.binding, &s, &why);
            array = runs ? cost_on_array(by, ctx, &s) : INFINITY;
        }
        one.runs = runs;
        one.why = why;
        one.cycles = array + cost_on_host(in, one.binding);
        if (!is_there(all.at, all.len, &one))
            vec_push(ctx->mem, &all, one);
    }
    qsort(all.at, all.len, sizeof *all.at, by_cycles);
    for (uint32_t i = 0; i < all.len; i++)
        vec_push(ctx->mem, listed, describe(&all.at[i], ctx->mem));
    for (uint32_t i = 0; i < all.len && all.at[i].runs && all.at[i].binding; i++) {
        if (!schedule_of(by, ctx, in, all.at[i].binding, &s, &why) ||
            !is_installed(ctx, in->in->functions, &s.cin))
            continue;
        cost_on_array(by, ctx, &s); /* also chooses the edges */
        s.staged = arena_printf(ctx->mem, "1 of %u by --search: %s", all.len, listed->at[i]);
        *out = s;
        return true;
    }
    return false;
}
