/* frontend/: lowered graphs compute their statement, under the chip's writers and droppers, on random data
 * with empty rows; their shape equals the shape of the published graphs of the same kernels. */
#include "tests/frontend/dense.h"
#include "tests/frontend/lower_cases.h"
#include "tests/quota.h"

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

/* Returns whether the result has two values on two of three sets of data: `B(i) - B(i)` never has. */
static bool is_telling(const sam_statement *s) {
    static dense_data data;
    prng random = prng_seed(s->exprs.len);
    uint32_t shown = 0;
    for (uint32_t run = 0; run < 3; run++) {
        dense_random(s, &random, 4, 30 + 30 * run, &data);
        dense_evaluate(s, &data);
        shown += !dense_is_constant(&data);
    }
    return shown > 1;
}

/* A statement, drawn again up to five times while data could not tell a fault: a sixteenth are left as they
 * come. Returns whether the last one is packed. */
static bool telling_case(fixture *f, uint32_t n, fe_case *c, sam_statement *packed) {
    writer w = {.random = prng_seed(n), .mem = &f->mem};
    for (uint32_t draws = 0;; draws++) {
        w = (writer){.random = w.random, .mem = &f->mem};
        *c = random_case(&w);
        if (!fe_case_pack(f, c, packed))
            return false;
        if (draws == 5 || n % 16 == 0 || is_telling(packed))
            return true;
    }
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
    enum { REASONS = sizeof reasons / sizeof *reasons, DATA = 5 };
    quota q = {0}; /* of the data; trivial: a result of one value */
    uint32_t computed = 0, as_whole = 0, statements = 4000;
    (void)state;
    for (uint32_t n = 0; n < statements; n++) {
        fixture *own;
        fixture_set_up((void **)&own);
        fe_case c;
        lowered l;
        fe_lower_options options = {.drop = n % 2, .exact_stops = n % 4 < 2};
        if (telling_case(own, n, &c, &l.packed) &&
            lowered_from_packed(own, with_sizes(&l.packed, n % 8 < 4), options, &l)) {
            const uint32_t trivial = lowered_check(own, &l, computes_plainly(&l, options) ? CHIP : TIMED,
                                                   options.exact_stops, DATA);
            for (uint32_t run = 0; run < DATA; run++)
                quota_add(&q, true, run < trivial);
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
    assert_false(quota_failed(&q));
    print_message("%u of %u random statements were lowered\n", computed, statements);
    for (size_t r = 0; r < REASONS; r++)
        print_message("  %4u refused: %s\n", reasons[r].count, reasons[r].code);
    print_message("  %4u of the partial sums were computed as sums of everything\n", as_whole);
    assert_true(as_whole > 0);
    assert_true(computed > statements / 4 * 3);
}

TEST_PART(lower_statements, TEST(graphs_compute_what_the_statement_says), TEST(exact_stops_carry_the_rest),
          TEST(random_statements_are_refused_or_computed))

int main(void) {
    return lower_statements() + lower_shapes();
}
