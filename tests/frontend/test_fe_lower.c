/* frontend/: lowered graphs compute their statement, under the chip's writers and droppers, on random data
 * with empty rows; their shape equals the shape of the published graphs of the same kernels. */
#include "frontend/language/language.h"
#include "frontend/lowering/lowering.h"
#include "tests/frontend/lowered.h"
#include "tests/sam/graph_equal.h"

static const fe_case kernels[] = {
    {"x(i) = b(i)", {0}, NULL},
    {"x(i) = b(i) * c(i)", {0}, NULL},
    {"x(i) = b(i) + c(i)", {0}, NULL},
    {"x(i) = b(i) - c(i)", {0}, NULL},
    {"x(i) = b(i) * c(i) * d(i)", {0}, NULL},
    {"x(i) = b(i) + c(i) + d(i)", {0}, NULL},
    {"x(i) = b(i) - c(i) - d(i) + e(i)", {0}, NULL},
    {"x(i) = b(i) - (c(i) - d(i))", {0}, NULL},
    {"x(i) = -b(i) + c(i)", {0}, NULL},
    {"x(i) = -b(i) - c(i)", {0}, NULL},
    {"x(i) = 3 * b(i) - c(i) * 2 * -1", {0}, NULL},
    {"x(i) = 4 - b(i)", {"b:d"}, NULL},
    {"x(i) = (b(i) + c(i)) * d(i)", {0}, NULL},
    {"x(i) = (b(i) * c(i) + d(i)) * (e(i) - b(i))", {0}, NULL},
    {"x(i) = a * b(i)", {0}, NULL},
    {"x(i) = b(i) * c(i)", {"c:d"}, NULL},
    {"x(i) = b(i) + c(i)", {"c:d"}, NULL},
    {"x(i) = b(i) + c(i)", {"c:d", "x:d"}, NULL},
    {"x(i) = b(i)", {"b:d", "x:d"}, NULL},
    {"x = b(i)", {0}, NULL},
    {"x = b(i) * c(i)", {0}, NULL},
    {"x = a * b(i) * c(i)", {0}, NULL},
    {"x = a + b(i) * c(i)", {0}, NULL},
    {"x = a * sum(i, b(i)) - 7", {0}, NULL},
    {"x = a * b", {0}, NULL},
    {"X(i,j) = B(i,j)", {0}, NULL},
    {"X(i,j) = B(i,j)", {"B:ds"}, NULL},
    {"X(i,j) = B(i,j)", {"B:sd"}, NULL},
    {"X(i,j) = B(i,j)", {"B:sd", "X:sd"}, NULL},
    {"X(i,j) = B(i,j)", {"B:dd", "X:dd"}, NULL},
    {"X(i,j) = B(j,i)", {"B:ss:1,0"}, NULL},
    {"X(i,j) = B(j,i)", {"X:ss:1,0"}, NULL},
    {"X(i,j) = B(i,j) * C(i,j)", {0}, NULL},
    {"X(i,j) = B(i,j) * C(i,j)", {"C:dd"}, NULL},
    {"X(i,j) = B(i,j) * C(i,j)", {"B:ds"}, NULL},
    {"X(i,j) = B(i,j) + C(i,j)", {0}, NULL},
    {"X(i,j) = B(i,j) + C(i,j)", {"B:ds"}, NULL},
    {"X(i,j) = B(i,j) + C(i,j)", {"B:dd", "C:sd", "X:dd"}, NULL},
    {"X(i,j) = B(i,j) + C(i,j) + D(i,j)", {0}, NULL},
    {"X(i,j) = B(i,j) * C(i,j) * D(i,j)", {0}, NULL},
    {"X(i,j) = B(i,j) * C(i,j) + D(i,j)", {0}, NULL},
    {"X(i,j) = B(i,j) * C(i,j) + D(i,j) * E(i,j)", {0}, NULL},
    {"X(i,j) = (B(i,j) + C(i,j)) * D(i,j)", {0}, NULL},
    {"X(i,j) = (B(i,j) + C(i,j)) * (D(i,j) - B(i,j))", {0}, NULL},
    {"X(i,j) = b(i) * c(j)", {0}, NULL},
    {"X(i,j) = B(i,j) * c(i)", {0}, NULL},
    {"X(i,j) = B(i,j) * c(j)", {0}, NULL},
    {"X(i,j) = B(i,j) + c(i)", {"B:dd"}, NULL},
    {"X(i,j) = B(i,j) + D(i,j) * c(i)", {0}, NULL},
    {"X(i,j,k) = B(i,j,k)", {0}, NULL},
    {"X(i,j,k) = B(i,j,k) * C(i,j,k)", {0}, NULL},
    {"X(i,j,k) = B(i,j,k) + C(i,j,k)", {0}, NULL},
    {"X(i,j,k) = D(i,j,k) + B(i,k) * c(j)", {0}, NULL},
    {"X(i,j,k) = B(i,j,k) * C(i,j)", {"B:sds"}, NULL},
    {"X(i,j,k) = B(i,j,k) * C(i,j,k) - D(i,j,k)", {"B:dss", "C:sds"}, NULL},
    {"x(i) = B(i,j)", {0}, NULL},
    {"x(i) = B(i,j) * c(j)", {0}, NULL},
    {"x(i) = B(i,j) * c(j)", {"B:ds", "x:d"}, NULL},
    {"x(i) = B(i,j) * c(j)", {"c:d"}, NULL},
    {"x(j) = B(i,j) * c(i)", {"B:ss:1,0"}, NULL},
    {"x(j) = B(i,j) * c(i)", {0}, "reorder(i,j)"},
    {"x(i) = B(i,j) * C(i,j)", {0}, NULL},
    {"x(i) = b(i) + B(i,j) * c(j)", {0}, NULL},
    {"y(i) = b(i) - A(i,j) * x(j)", {0}, NULL},
    {"x(i) = a * B(j,i) * c(j) + e * d(i)", {"B:ss:1,0"}, NULL},
    {"x(i) = B(i,j) * c(j) - D(i,k) * e(k)", {0}, NULL},
    {"x(i) = B(i,j) * c(j) + D(i,j) * e(j)", {0}, NULL},
    {"x(i) = B(i,j) * C(j,k) * d(k)", {0}, NULL},
    {"x(i) = sum(j, B(i,j) * (c(j) + d(j)))", {0}, NULL},
    {"x(i) = sum(j, B(i,j) * 2 - C(i,j))", {0}, NULL},
    {"X(i,j) = B(i,k) * C(k,j)", {"C:ss:1,0"}, NULL},
    {"X(i,j) = B(i,k) * C(k,j)", {"B:ds", "C:ss:1,0", "X:ds"}, NULL},
    {"X(i,j) = B(i,k) * C(k,j)", {"B:dd", "C:dd:1,0", "X:dd"}, NULL},
    {"X(i,j) = B(i,k) * C(k,j)", {"B:dd", "C:ss:1,0"}, NULL},
    {"X(i,j) = B(i,k) * C(k,j)", {"X:ss:1,0", "C:ss:1,0"}, "reorder(j,i,k)"},
    {"X(i,j) = B(i,k) * C(k,j)", {0}, "reorder(i,k,j)"},
    {"X(i,j) = B(i,k) * B(k,j)", {0}, "reorder(i,k,j)"},
    {"X(i,j) = B(i,j) * B(i,j)", {0}, NULL},
    {"X(i,j) = -B(i,k) * C(k,j)", {"C:ss:1,0"}, NULL},
    {"X(i,j) = D(i,j) + B(i,k) * C(k,j)", {"C:ss:1,0"}, NULL},
    {"X(i,j) = B(i,j) * C(i,k) * D(k,j)", {"D:ss:1,0"}, NULL},
    {"X(i,j) = B(i,j) * C(i,k) * D(j,k)", {"C:dd", "D:dd"}, NULL},
    {"X(i,j) = B(i,j,k) * C(i,j,k)", {0}, NULL},
    {"X(i,j) = B(i,j,k) * C(i,j)", {0}, NULL},
    {"X(i,j) = B(i,j,k) * c(k)", {0}, NULL},
    {"X(i,j) = B(i,j,k) * c(k)", {"B:sds"}, NULL},
    {"X(i,k) = B(i,j,k) * c(j)", {0}, "reorder(i,j,k)"},
    {"X(i,j,k) = B(i,j,l) * C(k,l)", {0}, NULL},
    {"x = B(i,j,k) * C(i,j,k)", {0}, NULL},
    {"x(i) = c(i) * sum(j, B(i,j))", {0}, NULL},
    {"x(i) = -c(i) * sum(j, B(i,j) * d(j)) * sum(k, e(k))", {0}, NULL},
    {"X(i,j) = B(i,j) * sum(k, C(i,k) * D(k,j))", {"D:ss:1,0"}, NULL},
    {"X(i,j) = 5 * B(i,j) * -sum(k, C(i,k) * D(k,j))", {"D:ss:1,0"}, NULL},
    {"x(i) = b(i) / c(i)", {0}, NULL},
    {"x(i) = b(i) / 3 - 2 / c(i)", {0}, NULL},
    {"x(i) = -b(i) / c(i) / -d(i)", {0}, NULL},
    {"x(i) = (b(i) + c(i)) / (d(i) - e(i))", {0}, NULL},
    {"x(i) = b(i) / (c(i) * d(i))", {0}, NULL},
    {"X(i,j) = B(i,j) / c(i)", {0}, NULL},
    {"X(i,j) = b(i) / C(i,j)", {0}, NULL},
    {"X(i,j) = B(i,j) + c(i)", {0}, NULL},
    {"X(i,j) = B(i,j) - c(j)", {0}, NULL},
    {"X(i,j) = B(i,j) + c(i) * d(j)", {0}, NULL},
    {"X(i,j) = b(i) + c(j)", {0}, NULL},
    {"X(i,j,k) = b(i) + C(j,k)", {0}, NULL},
    {"X(i,j) = B(i,j) * (c(i) + d(j))", {0}, NULL},
    {"x(i) = b(i) + 1", {0}, NULL},
    {"x(i) = 2 - b(i)", {0}, NULL},
    {"x(i) = b(i) + a", {0}, NULL},
    {"x(i) = (1 - b(i)) * c(i)", {0}, NULL},
    {"x(i) = b(i) + 0", {0}, NULL},
    {"x(i) = b(i) + sum(j, c(j))", {0}, NULL},
    {"x = sum(i, b(i) + 1)", {0}, NULL},
    {"X(i,j) = 2 * B(i,j) + 3", {"X:dd"}, NULL},
    {"x = 3 * 4", {0}, NULL},
    {"x = 6 / 3 - 2", {0}, NULL},
    {"x(i) = b(i) * c(i)", {"x:d"}, NULL},
    {"x(i) = B(i,j) * c(j)", {"x:d"}, NULL},
    {"x(i) = b(i) * c(i) + D(i,j) * e(j)", {"x:d"}, NULL},
    {"X(i,j) = B(i,k) * C(k,j)", {"C:ss:1,0", "X:dd"}, NULL},
};

enum { RUNS = 24 };

/* On streams of the chip's kind, and with empty operands on streams whose stops are exact. */
static void graphs_compute_what_the_statement_says(void **state) {
    fixture *f = *state;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        for (int drop = 0; drop < 2; drop++) {
            lowered l;
            lowered_must(f, &kernels[k], (fe_lower_options){.drop = drop}, &l);
            lowered_check(f, &l, CHIP, false, RUNS);
            lowered_must(f, &kernels[k], (fe_lower_options){.drop = drop, .exact_stops = true}, &l);
            lowered_check(f, &l, TIMED, true, RUNS);
            lowered_must(f, &kernels[k], (fe_lower_options){.drop = drop, .locate = true}, &l);
            lowered_check(f, &l, CHIP, false, RUNS);
        }
    }
}

/* Kernels that need exact stops, or primitives absent from the chip. */
static const fe_case exact_kernels[] = {
    /* two sums inside a result whose coordinates may vanish: droppers that keep levels */
    {"X(i,j) = B(i,k,l) * C(j,k) * D(j,l)", {0}, NULL},
    {"X(i,j) = B(i,k) * C(k,j)", {"B:ss:1,0"}, "reorder(k,i,j)"},
    {"X(i,j) = B(i,k) * C(k,j)", {"X:ss:1,0", "B:ss:1,0"}, "reorder(k,j,i)"},
    {"X(i,j) = B(i,k) * C(k,j)", {"X:dd", "B:ss:1,0"}, "reorder(k,i,j)"},
    {"X(i,j) = B(i,k) * C(k,j)", {"X:ds", "B:ss:1,0"}, "reorder(k,i,j)"},
    {"X(i,j) = B(i,k) * C(k,j)", {"X:sd", "B:ss:1,0"}, "reorder(k,i,j)"},
    {"X(i,j) = B(i,k) * C(k,j)", {"X:dd"}, "reorder(i,k,j)"},
    {"X(i,j) = B(i,k) * C(k,j)", {"X:ds"}, "reorder(i,k,j)"},
    {"X(i,j,k) = B(l,i,j) * C(l,k)", {0}, "reorder(l,i,j,k)"},
    {"X(i,k) = B(i,j) * C(j,l) * D(l,k)", {0}, "reorder(i,j,l,k)"},
    {"X(i,k) = B(i,j) * C(j,l) * D(l,k)", {"X:dd"}, "reorder(i,j,l,k)"},
    {"X(i,j) = B(i,k) * C(k,j) * D(j,l)", {0}, "reorder(i,k,j,l)"},
    {"X(j,i) = B(i,j) * C(i,j)", {"X:ds:1,0"}, "reorder(i,j)"},
    {"X(i,j,k) = B(i,j) * C(j,k)", {"X:dss"}, NULL},
    {"X(i,j,k) = B(i,j) * C(j,k)", {"X:sds"}, NULL},
    {"X(i,j,k) = B(i,j) * C(j,k)", {"X:dsd"}, NULL},
    {"X(i,j) = B(i,j,k) * c(k)", {"X:ds"}, NULL},
    {"X(i,j) = B(i,j) * D(i,j) * sum(k, C(i,k) - E(k,j))", {"E:ss:1,0"}, NULL},
    {"x(i) = a(i) * (b(i) - sum(j, C(i,j) * d(j)))", {0}, NULL},
    {"x(i) = sum(j, B(i,j)) * sum(j, C(i,j))", {0}, NULL},
    {"x(i) = sum(j, B(i,j) / c(j)) / d(i)", {0}, NULL},
    {"x(i) = sum(j, B(i,j) * sum(k, C(j,k) * d(k)) + e(j))", {0}, NULL},
    {"X(i,j) = B(i,j) * C(i,j) + sum(k, D(i,k) * E(j,k)) * F(i,j)", {0}, NULL},
    {"X(i,j) = D(i,j) + B(i,k) * C(k,j)", {0}, "reorder(i,k,j)"},
    {"X(i,j) = D(i,j) + B(i,k) * C(k,j)", {0}, "reorder(k,i,j)"},
    {"X(i,j) = B(i,j) * sum(k, C(i,k) * D(k,j))", {0}, "reorder(k,i,j)"},
    {"x(i) = 1 - b(i) * sum(j, C(i,j) * d(j))", {0}, "reorder(j,i)"},
    {"x(i) = B(i,j) * c(j) - sum(j, D(i,j)) * sum(k, E(i,k))", {0}, "reorder(j,k,i)"},
    {"x(i) = b(i) + sum(j, C(i,j) + sum(k, D(j,k)))", {"x:d"}, "reorder(k,j,i)"},
};

static void exact_stops_carry_the_rest(void **state) {
    fixture *f = *state;
    for (size_t k = 0; k < sizeof exact_kernels / sizeof *exact_kernels; k++) {
        for (int drop = 0; drop < 2; drop++) {
            lowered l;
            lowered_must(f, &exact_kernels[k], (fe_lower_options){.drop = drop, .exact_stops = true}, &l);
            lowered_check(f, &l, TIMED, true, RUNS);
        }
    }
}

static bool has_deep_reducer(const sam_graph *g) {
    for (uint32_t i = 0; i < g->nodes.len; i++) {
        if (g->nodes.at[i].kind == SAM_VECTORREDUCER && g->nodes.at[i].depth > 1)
            return true;
    }
    return false;
}

/* ---- random statements ----------------------------------------------------------------------- */

enum { MAX_SCOPE = 5 };

/* Writes statements over i, j, k, and p, q for sums inside. */
typedef struct {
    prng random;
    arena *mem;
    char scope[MAX_SCOPE + 1]; /* usable variables */
    uint32_t sums;             /* used names of p and q */
    uint32_t tensors;
    uint32_t order[FE_CASE_FORMATS];
    const char *format[FE_CASE_FORMATS];
} writer;

static uint32_t below(writer *w, uint32_t n) {
    return prng_below(&w->random, n);
}

/* "i,k": `n` of the letters in random order, each at most once. */
static const char *random_list(writer *w, const char *letters, uint32_t n) {
    char left[MAX_SCOPE + 1], *text = arena_new_n(w->mem, char, 2 * MAX_SCOPE + 1);
    uint32_t count = (uint32_t)strlen(letters);
    memcpy(left, letters, count + 1);
    for (uint32_t k = 0; k < n; k++, count--) {
        uint32_t pick = below(w, count);
        text[2 * k] = left[pick];
        text[2 * k + 1] = k + 1 < n ? ',' : 0;
        memmove(left + pick, left + pick + 1, count - pick);
    }
    return text;
}

/* ":ds:1,0" */
static const char *random_format(writer *w, uint32_t order) {
    char level[4] = {0};
    for (uint32_t l = 0; l < order; l++)
        level[l] = below(w, 3) ? 's' : 'd';
    char modes[4] = {'0', '1', '2', 0};
    modes[order] = 0;
    return arena_printf(w->mem, ":%s%s%s", level, order ? ":" : "", random_list(w, modes, order));
}

/* A tensor over some variables of the scope, always with `v` unless v is 0; sometimes an earlier tensor. */
static const char *random_access(writer *w, char v) {
    uint32_t in_scope = (uint32_t)strlen(w->scope), most = in_scope < 3 ? in_scope : 3;
    uint32_t order = below(w, most + 1), t = w->tensors;
    if (v && !order)
        order = 1;
    if (t == FE_CASE_FORMATS || (t && !below(w, 5))) {
        t = below(w, w->tensors);
        order = w->order[t] <= most ? w->order[t] : most;
        if (order != w->order[t] || (v && !order))
            return arena_printf(w->mem, v ? "v(%c)" : "a", v);
    } else {
        w->order[t] = order;
        w->format[w->tensors++] = arena_printf(w->mem, "%c%s", (char)('B' + t), random_format(w, order));
    }
    char *index = arena_strdup(w->mem, random_list(w, w->scope, order));
    if (v && !strchr(index, v))
        index[2 * below(w, order)] = v;
    return arena_printf(w->mem, "%c(%s)", (char)('B' + t), index);
}

static const char *random_expr(writer *w, uint32_t depth);

/* A sum over a variable of its own, used inside the sum. */
static const char *random_sum(writer *w, uint32_t depth) {
    char v = "pq"[w->sums++];
    size_t n = strlen(w->scope);
    w->scope[n] = v;
    const char *with_v = random_access(w, v), *rest = random_expr(w, depth - 1);
    w->scope[n] = 0;
    return arena_printf(w->mem, "sum(%c, %s %c %s)", v, with_v, "**+-"[below(w, 4)], rest);
}

static const char *random_expr(writer *w, uint32_t depth) {
    uint32_t kind = depth ? below(w, 14) : 0;
    if (kind < 3)
        return random_access(w, 0);
    if (kind == 3)
        return arena_printf(w->mem, "-%s", random_expr(w, depth - 1));
    if (kind == 4)
        return arena_printf(w->mem, "(%s %c %u)", random_expr(w, depth - 1), "*/+-"[below(w, 4)],
                            below(w, 5));
    if (kind == 5)
        return arena_printf(w->mem, "(%u %c %s)", 1 + below(w, 5), "*/+-"[below(w, 4)],
                            random_expr(w, depth - 1));
    if (kind == 6 && w->sums < 2)
        return random_sum(w, depth);
    const char *operator= kind<10 ? "*" : kind<12 ? "+" : kind<13 ? "-" : "/";
    const char *a = random_expr(w, depth - 1);
    return arena_printf(w->mem, "(%s %s %s)", a, operator, random_expr(w, depth - 1));
}

/* Variables absent from the result are summed by an explicit sum around everything, or by taco's rule. */
static fe_case random_case(writer *w) {
    uint32_t order = below(w, 4);
    const char *index = random_list(w, "ijk", order);
    memcpy(w->scope, "ijk", 4);
    const char *body = random_expr(w, 3), *sum = "", *used = "";
    for (const char *v = "ijk"; *v; v++) {
        if (strchr(body, *v) && !strchr(index, *v) && below(w, 2))
            sum = arena_printf(w->mem, "%s%c,", sum, *v);
    }
    if (*sum)
        body = arena_printf(w->mem, "sum(%s %s)", sum, body);
    for (const char *v = "ijkpq"; *v; v++) {
        if (strchr(body, *v) || strchr(index, *v))
            used = arena_printf(w->mem, "%s%c", used, *v);
    }
    fe_case c = {.expression = arena_printf(w->mem, "X(%s) = %s", index, body)};
    memcpy(c.format, w->format, sizeof c.format);
    if (w->tensors < FE_CASE_FORMATS)
        c.format[w->tensors] = arena_printf(w->mem, "X%s", random_format(w, order));
    if (*used && below(w, 4))
        c.schedule = arena_printf(w->mem, "reorder(%s)", random_list(w, used, (uint32_t)strlen(used)));
    return c;
}

/* Gives every variable a size. Half of the statements are lowered as for floating point, which is right for
 * integers, too. */
static const sam_statement *with_sizes(sam_statement *s, bool integers) {
    s->integers = integers;
    for (uint32_t v = 0; v < s->vars.len; v++)
        s->vars.at[v].extent = 6;
    return s;
}

static bool computes_plainly(const lowered *l, fe_lower_options options) {
    return !options.exact_stops && lowered_count(&l->g, SAM_REDUCE) < 2 && !has_deep_reducer(&l->g);
}

/* For a partial sum refused by fe_lower, fe_build sums the whole expression, if possible. */
static bool computed_as_whole_sum(fixture *f, const lowered *refused, fe_lower_options options,
                                  bool integers) {
    lowered l = *refused;
    l.packed = *with_sizes(&l.packed, integers);
    if (!fe_build(&l.packed, &options, &f->mem, &f->diag, &l.filled, &l.g))
        return false;
    assert_true(fe_check_packed(&l.filled, &f->diag) && sam_check(&l.g, &f->diag));
    lowered_check(f, &l, computes_plainly(&l, options) ? CHIP : TIMED, false, 20);
    return true;
}

/* Every random statement is either refused with a reason or computed right. */
static void random_statements_are_refused_or_computed(void **state) {
    static struct {
        const char *code;
        bool plain_only; /* exact stops avoid this case */
        uint32_t count;
    } reasons[] = {{"E0109-ambiguous-sum", false, 0},
                   {"E0125-loop-order", false, 0},
                   {"E0124-dense-result", true, 0},
                   {"E0126-partial-sum", true, 0}};
    enum { REASONS = sizeof reasons / sizeof *reasons };
    uint32_t computed = 0, as_whole = 0, statements = 4000;
    (void)state;
    for (uint32_t n = 0; n < statements; n++) {
        fixture *own;
        fixture_set_up((void **)&own);
        writer w = {.random = prng_seed(n), .mem = &own->mem};
        fe_case c = random_case(&w);
        lowered l;
        fe_lower_options options = {.drop = n % 2, .exact_stops = n % 4 < 2};
        if (fe_case_pack(own, &c, &l.packed) &&
            lowered_from_packed(own, with_sizes(&l.packed, n % 8 < 4), options, &l)) {
            lowered_check(own, &l, computes_plainly(&l, options) ? CHIP : TIMED, options.exact_stops, 5);
            computed++;
        } else {
            size_t r = 0;
            uint32_t first = 0; /* warnings may come before the reason */
            while (first < own->diag.list.len && own->diag.list.at[first].kind == DIAG_WARNING)
                first++;
            assert_true(first < own->diag.list.len);
            while (r < REASONS && (strcmp(own->diag.list.at[first].code, reasons[r].code) ||
                                   (options.exact_stops && reasons[r].plain_only)))
                r++;
            if (r == REASONS)
                fail_msg("%s\n%s", c.expression, fixture_printed(own));
            reasons[r].count++;
            if (strcmp(reasons[r].code, "E0126-partial-sum") == 0)
                as_whole += computed_as_whole_sum(own, &l, options, n % 8 < 4);
        }
        fixture_tear_down((void **)&own);
    }
    print_message("%u of %u random statements were lowered\n", computed, statements);
    for (size_t r = 0; r < REASONS; r++)
        print_message("  %4u refused: %s\n", reasons[r].count, reasons[r].code);
    print_message("  %4u of the partial sums were computed as sums of everything\n", as_whole);
    assert_true(as_whole > 0);
    assert_true(computed > statements / 4 * 3);
}

/* ---- shape ----------------------------------------------------------------------------------- */

typedef struct {
    fe_case c;
    uint32_t scan, repeat, intersect, unite, alu, reduce, drop, write, array;
} shape;

/* Primitive counts of the SAM paper's Table 1, from the paper's compiler, with droppers. Two rows differ on
 * purpose: residual and mattransmul have one dropper in the paper, which removes coordinates with remaining
 * values. */
static const shape shapes[] = {
    {{"x(i) = B(i,j) * c(j)", {0}, NULL}, 3, 1, 1, 0, 1, 1, 1, 2, 2},
    {{"X(i,j) = B(i,k) * C(k,j)", {"C:ss:1,0"}, NULL}, 4, 2, 1, 0, 1, 1, 2, 3, 2},
    {{"X(i,j) = B(i,j) * C(i,k) * D(j,k)", {0}, NULL}, 6, 3, 3, 0, 2, 1, 2, 3, 3},
    {{"x = B(i,j,k) * C(i,j,k)", {0}, NULL}, 6, 0, 3, 0, 1, 3, 0, 1, 2},
    {{"X(i,j) = B(i,j,k) * c(k)", {0}, NULL}, 4, 2, 1, 0, 1, 1, 2, 3, 2},
    {{"X(i,j,k) = B(i,j,l) * C(k,l)", {0}, NULL}, 5, 3, 1, 0, 1, 1, 3, 4, 2},
    {{"X(i,j) = B(i,k,l) * C(j,k) * D(j,l)", {0}, NULL}, 7, 5, 3, 0, 2, 2, 3, 3, 3},
    {{"x(i) = b(i) - C(i,j) * d(j)", {0}, NULL}, 4, 1, 1, 1, 2, 1, 0, 2, 3},
    {{"x(i) = a * B(j,i) * c(j) + e * d(i)", {"B:ss:1,0"}, NULL}, 4, 4, 1, 1, 4, 1, 0, 2, 5},
    {{"X(i,j) = B(i,j) + C(i,j)", {0}, NULL}, 4, 0, 0, 2, 1, 0, 0, 3, 2},
    {{"X(i,j) = B(i,j) + C(i,j) + D(i,j)", {0}, NULL}, 6, 0, 0, 2, 2, 0, 0, 3, 3},
    {{"X(i,j,k) = B(i,j,k) + C(i,j,k)", {0}, NULL}, 6, 0, 0, 3, 1, 0, 0, 4, 2},
};

static void graphs_have_the_published_primitive_counts(void **state) {
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        const shape *e = &shapes[k];
        lowered l;
        lowered_must(*state, &e->c, (fe_lower_options){.drop = true}, &l);
        const uint32_t expected[] = {e->scan,   e->repeat, e->intersect, e->unite, e->alu,
                                     e->reduce, e->drop,   e->write,     e->array};
        const sam_primitive kind[] = {SAM_FIBERLOOKUP, SAM_REPEAT,  SAM_INTERSECT,  SAM_UNION,    SAM_ALU,
                                      SAM_REDUCE,      SAM_CRDDROP, SAM_FIBERWRITE, SAM_ARRAYVALS};
        for (size_t i = 0; i < sizeof kind / sizeof *kind; i++) {
            if (lowered_count(&l.g, kind[i]) != expected[i])
                fail_msg("%s: %u %s, expected %u", e->c.expression, lowered_count(&l.g, kind[i]),
                         sam_primitive_table[kind[i]].type, expected[i]);
        }
    }
}

/* Remaining scanners, repeaters and joiners of any kind, and edges of coordinates into references. */
static void outermost_dense_factors_are_located(void **state) {
    static const struct {
        fe_case c;
        uint32_t scan, repeat, join, located;
    } expected[] = {
        {{"x(i) = B(i,j) * c(j)", {"c:d"}, NULL}, 2, 0, 0, 1},
        {{"x(i) = b(i) * c(i)", {"b:d", "c:d"}, NULL}, 1, 0, 0, 1},
        {{"x(i) = b(i) * c(i)", {"b:d"}, NULL}, 1, 0, 0, 1},
        {{"x = b(i) * c(i) * d(i)", {"d:d"}, NULL}, 2, 0, 1, 1},
        {{"x(i) = B(i,j) * c(j)", {"B:dd", "c:d"}, NULL}, 2, 0, 0, 1},
        /* below the located level, a scanner; through a repeater, the value */
        {{"X(i,j) = B(i,k) * C(k,j)", {"C:ds"}, "reorder(i,k,j)"}, 3, 1, 0, 1},
        {{"X(i,j) = B(i,j) * C(i,k) * D(j,k)", {"C:dd", "D:dd"}, NULL}, 4, 2, 0, 2},
        /* dense levels are scanned side by side, except in a union with operands that may be absent */
        {{"x(i) = B(i,j) * C(i,j)", {"B:sd", "C:sd"}, NULL}, 4, 0, 1, 0},
        {{"x(i) = B(i,j) * C(i,j) * d(j)", {"B:sd", "C:sd", "d:d"}, NULL}, 4, 0, 1, 1},
        {{"x(i) = B(i,j) * C(i,j) * d(j)", {"B:sd", "C:sd"}, NULL}, 5, 1, 2, 0},
        {{"X(i,j) = B(i,j) + C(i,j)", {"B:sd", "C:sd"}, NULL}, 4, 0, 2, 0},
        /* not inside another level, not in a union, not alone */
        {{"x(i) = B(i,j) * c(j)", {"B:ds"}, NULL}, 3, 1, 1, 0},
        {{"X(i,j) = B(i,j) * C(i,j)", {"C:sd"}, NULL}, 4, 0, 2, 0},
        {{"x(i) = b(i) + c(i)", {"c:d"}, NULL}, 2, 0, 1, 0},
        {{"x(i) = c(i)", {"c:d"}, NULL}, 1, 0, 0, 0},
        /* a term of a union hands the coordinates on as references */
        {{"x(i) = b(i) * c(i) + d(i)", {"c:d"}, NULL}, 2, 0, 1, 1},
        {{"x(i) = (b(i) + d(i)) * c(i)", {"c:d"}, NULL}, 2, 0, 1, 1},
    };
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        lowered l;
        uint32_t located = 0;
        lowered_must(*state, &expected[k].c,
                     (fe_lower_options){.drop = true, .exact_stops = true, .locate = true}, &l);
        for (uint32_t e = 0; e < l.g.edges.len; e++) {
            const sam_edge_data *edge = &l.g.edges.at[e];
            sam_primitive to = sam_node_at(&l.g, edge->dst)->kind;
            bool reference = to == SAM_ARRAYVALS || to == SAM_FIBERLOOKUP || to == SAM_REPEAT ||
                             (sam_is_joiner(to) && edge->dst_port % 2);
            located += edge->stream == SAM_STREAM_CRD && reference && !(to == SAM_REPEAT && edge->dst_port);
        }
        const uint32_t found[] = {lowered_count(&l.g, SAM_FIBERLOOKUP), lowered_count(&l.g, SAM_REPEAT),
                                  lowered_count(&l.g, SAM_INTERSECT) + lowered_count(&l.g, SAM_UNION),
                                  located};
        const uint32_t wanted[] = {expected[k].scan, expected[k].repeat, expected[k].join,
                                   expected[k].located};
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
            if (found[i] != wanted[i])
                fail_msg("%s: %u of the %zuth kind, expected %u", expected[k].c.expression, found[i], i,
                         wanted[i]);
        }
        lowered_check(*state, &l, TIMED, true, 5);
    }
}

static void droppers_stand_only_where_a_fiber_may_be_empty(void **state) {
    static const struct {
        fe_case c;
        uint32_t plain, dropping; /* droppers without and with options.drop */
    } expected[] = {
        {{"X(i,j) = B(i,j)", {0}, NULL}, 0, 0},
        {{"X(i,j) = B(i,j)", {"B:ds"}, NULL}, 1, 1},
        {{"X(i,j) = B(i,j) * C(i,j)", {0}, NULL}, 1, 1},
        {{"X(i,j) = B(i,j) * C(i,j)", {"C:sd"}, NULL}, 0, 0},
        {{"X(i,j) = B(i,j) * c(i)", {0}, NULL}, 0, 0},
        {{"X(i,j,k) = B(i,j,k) * C(i,j,k)", {0}, NULL}, 2, 2},
        {{"X(i,j) = B(i,j) * C(i,j) + D(i,j)", {0}, NULL}, 1, 1},
        {{"X(i,j) = B(i,k) * C(k,j)", {"C:ss:1,0"}, NULL}, 0, 2},
        {{"X(i,j) = B(i,k) * C(k,j)", {"B:dd", "C:dd:1,0"}, NULL}, 0, 0},
        {{"X(i,j) = B(i,k) * C(k,j)", {0}, "reorder(i,k,j)"}, 1, 1},
        {{"X(i,j) = B(i,j) * C(i,k) * D(k,j)", {"D:ss:1,0"}, NULL}, 2, 2},
        {{"y(i) = b(i) - A(i,j) * x(j)", {0}, NULL}, 0, 0},
    };
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        lowered l;
        lowered_must(*state, &expected[k].c, (fe_lower_options){0}, &l);
        assert_int_equal(lowered_count(&l.g, SAM_CRDDROP), expected[k].plain);
        lowered_must(*state, &expected[k].c, (fe_lower_options){.drop = true}, &l);
        assert_int_equal(lowered_count(&l.g, SAM_CRDDROP), expected[k].dropping);
    }
}

/* "B1 C0w": padded storage levels of the operands, w: with every coordinate, and how many droppers are left
 * in front of reducers. */
static void no_loop_is_empty_where_a_repeater_or_a_writer_hangs_on_it(void **state) {
    fixture *f = *state;
    static const struct {
        fe_case c;
        const char *padded;
        uint32_t droppers;
    } expected[] = {
        {{"X(i,j) = B(i,j) + C(i,j)", {0}, NULL}, "", 0},
        {{"x(i) = b(i) * c(i)", {0}, NULL}, "", 0},
        {{"X(i,j) = B(i,j) * C(i,j)", {0}, NULL}, "B1 C1 ", 0},
        {{"X(i,j) = B(i,j) * C(i,j)", {"C:sd"}, NULL}, "B0 C0 ", 0},
        {{"X(i,j) = B(i,j)", {"B:ds"}, NULL}, "B1 ", 0},
        {{"X(i,j,k) = B(i,j,k) * C(i,j,k)", {"B:sds"}, NULL}, "B0 B2 C0 C2 ", 0},
        {{"X(i,j) = B(i,j) * D(i,j) + C(i,j) * D(i,j)", {0}, NULL}, "B1 D1 C1 D_21 ", 0},
        {{"X(i,j) = B(i,k) * C(k,j)", {"C:ss:1,0"}, NULL}, "", 2},
        {{"X(i,j) = B(i,k) * C(k,j)", {0}, "reorder(i,k,j)"}, "B1 C0 ", 0},
        {{"x(i) = B(i,j) * c(j)", {"B:ss:1,0"}, "reorder(j,i)"}, "", 0},
        {{"X(i,j) = B(i,k) * C(k,j)", {0}, "reorder(k,i,j)"}, "", 0},
        {{"x = B(i,j,k) * C(i,j,k)", {0}, NULL}, "", 0},
        {{"x = B(i,j,k) * C(i,j,k)", {"C:ssd"}, NULL}, "B0 B1 C0 C1 ", 0},
        {{"X(i,j) = b(i) * C(i,j)", {"C:sd"}, NULL}, "b0 C0 ", 0},
        {{"X(i,j) = B(i,j) * C(i,k) * D(k,j)", {"D:ss:1,0"}, NULL}, "B1 C1 D0 D1 ", 0},
        {{"X(i,j) = B(i,k,l) * C(j,k) * D(j,l)", {0}, NULL}, "B1 B2 C0 C1 D0 D1 ", 0},
        {{"X(i,j) = B(i,j,k) * C(i,j,k)", {0}, NULL}, "B1 C1 ", 2},
        /* the sum moves out, and its factor is repeated along the sum */
        {{"x(i) = b(i) * sum(j, B(i,j) * c(j))", {0}, NULL}, "B1 c0 ", 0},
        {{"X(i,j) = B(i,j) * sum(k, C(i,k) * D(k,j))", {"D:ss:1,0"}, NULL}, "B1 C1 D0 D1 ", 0},
        {{"x(i) = e(i) * sum(j, B(i,j) * sum(k, C(j,k) * d(k)))", {0}, NULL}, "B1 C0 C1 d0 ", 0},
        /* c is repeated inside of the loop over k, whose first fibers would be empty for the repeater, too */
        {{"x(i) = B(i,k,l) * c(k)", {0}, NULL}, "B1 c0 ", 0},
        /* a dense level of an operand that may be absent */
        {{"X(i,j) = B(i,j) + C(i,j)", {"B:sd"}, NULL}, "B1w ", 0},
        {{"X(i,j) = B(i,j) + C(i,j)", {"B:dd"}, NULL}, "", 0},
        {{"X(i,j) = c(i) + B(i,j)", {0}, NULL}, "ones0w ", 0},
        /* a single operand whose coordinates repeat D and f */
        {{"x(j) = e(j) + b(j,i) * D(j,r) * f(r)", {"b:sd"}, NULL}, "b1w D1 f0 ", 0},
        {{"x(i) = e(i) + sum(j, B(i,j))", {"B:sd"}, NULL}, "", 0},
        /* dense levels inside loops that are empty without B, at any depth */
        {{"x(i) = d(i) + B(i,j) * C(j,k) * e(k)", {"C:sd", "e:d"}, NULL}, "C1w e0w ", 0},
        {{"x(i) = d(i) + B(i,j,k) * c(k)", {"B:ssd", "c:d"}, NULL}, "B2w c0w ", 0},
        {{"x(i) = d(i) + B(i,j,k,l) * c(l)", {"B:sssd", "c:d"}, NULL}, "B3w c0w ", 0},
        {{"x(i) = d(i) + B(i,j,k,l)", {"B:sdsd"}, NULL}, "B2 B3w ", 0},
        {{"x(i) = d(i) + B(i,j,k)", {"B:dsd"}, NULL}, "B1 ", 0},
        /* B may be absent: nothing can keep its fibers over k from being empty */
        {{"X(i,j) = D(i,j) + sum(k, a * B(i,j,k) * c(k))", {0}, NULL}, "", 0},
    };
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        const fe_lower_options options = {.drop = true, .pad = true};
        sam_statement s, packed;
        sam_graph g;
        const char *padded = "";
        if (!fe_case_parse(f, &expected[k].c, &s) || !fe_build(&s, &options, &f->mem, &f->diag, &packed, &g))
            fail_msg("%s\n%s", expected[k].c.expression, fixture_printed(f));
        for (uint32_t t = 0; t < packed.tensors.len; t++) {
            for (uint32_t l = 0; l < packed.tensors.at[t].order; l++) {
                if (packed.tensors.at[t].padded >> l & 1)
                    padded = arena_printf(&f->mem, "%s%s%u%s ", padded,
                                          names_text(&f->names, packed.tensors.at[t].name), l,
                                          packed.tensors.at[t].whole >> l & 1 ? "w" : "");
            }
        }
        assert_string_equal(padded, expected[k].padded);
        assert_int_equal(lowered_count(&g, SAM_CRDDROP), expected[k].droppers);
    }
}

/* The graph of a kernel as DOT, the form read by later passes and by the published tools. */
static void a_lowered_graph_survives_its_text_form(void **state) {
    fixture *f = *state;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        lowered l;
        sam_graph back;
        lowered_must(f, &kernels[k], (fe_lower_options){.drop = true}, &l);
        text_out out;
        text_begin(&out);
        sam_dump(&l.g, out.stream);
        const char *text = text_end(&out, &f->mem);
        if (!sam_parse("graph", text, out.length, &f->names, &f->diag, &back))
            fail_msg("%s\n%s", kernels[k].expression, fixture_printed(f));
        if (!graphs_equal(&l.g, &back))
            fail_msg("%s: parse(dump(g)) differs from g", kernels[k].expression);
    }
}

/* ---- rewrites, before and after ------------------------------------------------------------------ */

static void expect_graph(fixture *f, const sam_graph *g, const char *name) {
    size_t length;
    sam_graph expected;
    const char *path = arena_printf(&f->mem, "%s/tests/frontend/data/%s", ONYX_SOURCE_DIR, name);
    const char *text = file_read(path, &f->mem, &length, &f->diag);
    if (!text || !sam_parse(name, text, length, &f->names, &f->diag, &expected))
        fail_msg("%s", fixture_printed(f));
    if (!graphs_equal(g, &expected)) {
        sam_dump(g, stderr);
        fail_msg("%s says otherwise", name);
    }
}

static const char *expect_built(fixture *f, const char *expression, bool drop, sam_graph *g) {
    const fe_lower_options options = {.drop = drop};
    const fe_case c = {.expression = expression};
    sam_statement s, packed;
    if (!fe_case_parse(f, &c, &s))
        fail_msg("%s", fixture_printed(f));
    s.integers = true;
    if (!fe_distribute(&s, true, &f->diag) || !fe_build(&s, &options, &f->mem, &f->diag, &packed, g))
        fail_msg("%s", fixture_printed(f));
    return fe_case_dump(f, &packed);
}

static void rewrites_are_as_written(void **state) {
    fixture *f = *state;
    sam_graph g;
    expect_built(f, "X(i,j) = B(i,k) * C(k,j)", false, &g);
    expect_graph(f, &g, "droppers.before.gv");
    expect_built(f, "X(i,j) = B(i,k) * C(k,j)", true, &g);
    expect_graph(f, &g, "droppers.after.gv");
    assert_string_equal(expect_built(f, "x(i) = b(i) - sum(j, C(i,j) * d(j))", true, &g),
                        "forall(i, where(x(i) = b(i) - t1, forall(j, t1 += C(i,j) * d(j))))\n");
    assert_string_equal(expect_built(f, "x(i) = a(i) * (b(i) - sum(j, C(i,j) * d(j)))", true, &g),
                        "forall(i, forall(j, x(i) += a(i) * b(i) * first(j) - a_2(i) * (C(i,j) * d(j))))\n");
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void expect_refusal(fixture *f, fe_case c, const char *expected) {
    diag_init(&f->diag, &f->mem);
    lowered l;
    if (lowered_try(f, &c, (fe_lower_options){0}, &l))
        fail_msg("lowered: %s", c.expression);
    assert_string_equal(fixture_printed(f), expected);
}

static void what_cannot_be_lowered_says_why(void **state) {
    fixture *f = *state;
    expect_refusal(f, (fe_case){"x(i) = b(i) * (7 / 2)", {0}, NULL},
                   "<expression>:1:16: error: 7 / 2 has no exact value [E0121-division]\n"
                   "    x(i) = b(i) * (7 / 2)\n"
                   "                   ^~~~~\n"
                   "    help: write the number that is meant\n");
    expect_refusal(f, (fe_case){"X(i,j) = b(i)", {0}, NULL},
                   "<expression>:1:5: error: no operand says which values 'j' takes [E0105-result-index]\n"
                   "    X(i,j) = b(i)\n"
                   "        ^\n"
                   "    help: give its size with -d j:100, or index an operand with it\n");
    expect_refusal(f, (fe_case){"x(i) = b(i) / sum(j, C(i,j))", {0}, "reorder(j,i)"},
                   "<expression>:1:15: error: the sum over 'j' is only a part of what loop 'i' computes, but "
                   "loop 'j' is outside of it [E0125-loop-order]\n"
                   "    x(i) = b(i) / sum(j, C(i,j))\n"
                   "                  ^~~~~~~~~~~~~~\n"
                   "    help: put the loop of a partial sum inside: -s \"reorder(i,j)\"\n");
    expect_refusal(f, (fe_case){"X(i,j) = B(i,j) * C(i,j)", {"X:ds"}, NULL},
                   "<expression>:1:1: does not fit: level 0 of X is dense, but some of its coordinates may "
                   "have nothing below them, and the writers cannot tell how many [E0124-dense-result]\n"
                   "    X(i,j) = B(i,j) * C(i,j)\n"
                   "    ^~~~~~\n"
                   "    help: store it compressed: -f X:ss:0,1\n");
    expect_refusal(f, (fe_case){"x(i) = a(i) * (b(i) - sum(j, C(i,j) * d(j)))", {0}, NULL},
                   "<expression>:1:23: does not fit: this sum is a part of an expression inside loop 'i', "
                   "which may meet no coordinate at all; the sum would then yield a zero that nothing else "
                   "matches [E0126-partial-sum]\n"
                   "    x(i) = a(i) * (b(i) - sum(j, C(i,j) * d(j)))\n"
                   "                          ^~~~~~~~~~~~~~~~~~~~~\n"
                   "    help: compute the sum as a statement of its own; a sum that is only multiplied may "
                   "stay if no other sum there runs over the same variable\n");
    expect_refusal(
        f, (fe_case){"X(i,j) = B(i,k) * C(k,j) * D(j,l)", {0}, "reorder(i,k,j,l)"},
        "<expression>:1:32: does not fit: the sum over 'l' runs inside loop 'k', which may meet no "
        "coordinate at all, and its values are then accumulated with other coordinates [E0126-partial-sum]\n"
        "    X(i,j) = B(i,k) * C(k,j) * D(j,l)\n"
        "                                   ^\n"
        "    help: make the sums the innermost loops with -s \"reorder(...)\"\n");
}

RUN_TESTS(TEST(graphs_compute_what_the_statement_says), TEST(exact_stops_carry_the_rest),
          TEST(random_statements_are_refused_or_computed), TEST(graphs_have_the_published_primitive_counts),
          TEST(outermost_dense_factors_are_located), TEST(droppers_stand_only_where_a_fiber_may_be_empty),
          TEST(no_loop_is_empty_where_a_repeater_or_a_writer_hangs_on_it),
          TEST(a_lowered_graph_survives_its_text_form), TEST(rewrites_are_as_written),
          TEST(what_cannot_be_lowered_says_why))
