/* Choices with a cost function of the test in place of the chip's, on both sides of each threshold; and the
 * order of a product's sums against all orders. */
#include "autoschedule/contract.h"
#include "support/prng.h"
#include "tests/autoschedule/session.h"
#include "tests/quota.h"

#include <math.h>

/* A program costs by its blocks and its first loop. */
static double cost_of_one, cost_of_block_sums, cost_of_block_results;

static bool is_blocked(const fe_cin *cin) {
    return cin->kernels.at[0].relations.len > 0;
}
static double by_blocks(const fe_cin *cin) {
    const sam_statement *s = &cin->kernels.at[0].s;
    if (!is_blocked(cin))
        return cost_of_one;
    return names_text(s->names, sam_var_at(s, s->loops.at[0])->name)[0] == 'k' ? cost_of_block_sums
                                                                               : cost_of_block_results;
}

/* The chip's predicted time as the command stands. */
static double predicted(session *of) {
    const compile_search_in by = session_search(of, NULL);
    compile_tilings tilings;
    return compile_search(&by, &of->ctx, &of->out.cin, &tilings);
}

/* ---- blocks ------------------------------------------------------------------------------------- */

/* Returns whether blocks are chosen, and by which order. */
static const char *block_loops(const char *command, double one, double sums, double results) {
    static char text[256];
    session of;
    session_begin(&of, command);
    const compile_search_in by = session_search(&of, by_blocks);
    cost_of_one = one;
    cost_of_block_sums = sums;
    cost_of_block_results = results;
    assert_true(compile_choose_blocks(&by, &of.ctx, &of.open, &of.out));
    snprintf(text, sizeof text, "%s", is_blocked(&of.out.cin) ? of.out.chosen.at[0] : "");
    compile_end(&of.ctx);
    return text;
}

static void blocks_are_chosen_by_their_cost(void **state) {
    (void)state;
    static const char command[] =
        "onyx X(i,j)=B(i,k)*C(k,j) -f B:BCSR -f C:BCSR -g B:32x32:0.9:1 -g C:32x32:0.9:2 -o o";
#define SPLITS "in blocks, -s \"split(i,i0,i1,4), split(j,j0,j1,4), split(k,k0,k1,4), "
    static const char sums[] = SPLITS "reorder(k0,i0,j0,i1,j1,k1)\": ",
                      results[] = SPLITS "reorder(i0,j0,i1,j1,k0,k1)\": ";
    const struct {
        double one, sums, results;
        const char *chosen;
    } cases[] = {{100, 100, 100, ""}, {100, 99, 100, sums},   {100, 100, 99, results},
                 {100, 98, 99, sums}, {100, 99, 98, results}, {100, 99, 99, sums},
                 {100, 101, 101, ""}, {INFINITY, 5, 6, sums}, {100, INFINITY, 99, results}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = block_loops(command, cases[i].one, cases[i].sums, cases[i].results);
        if (strncmp(text, cases[i].chosen, strlen(cases[i].chosen)) != 0 || !*text != !*cases[i].chosen)
            fail_msg("case %zu: %s", i, text);
        char said[64];
        snprintf(said, sizeof said, "%.0f cycles predicted, 100 re-packed",
                 fmin(cases[i].sums, cases[i].results));
        assert_true(!*cases[i].chosen || !isfinite(cases[i].one) || strstr(text, said));
    }
}

/* Blocks that cost nothing are taken only if formats ask for them and choices are open; the result is in
 * blocks if all its loops are split. */
static void blocks_are_those_of_the_formats(void **state) {
    (void)state;
    static const char statement[] = "X(i,j)=B(i,k)*C(k,j) -g B:32x32:0.9:1 -g C:32x32:0.9:2 -o o";
    const struct {
        const char *options;
        bool blocks, result;
    } cases[] = {{"-f B:BCSR -f C:BCSR", true, true}, {"-f B:BCSR", true, false},
                 {"-f C:BCSR", true, false},          {"-f B:BCSR -f C:BCSR -O0", false, false},
                 {"-f B:ds -f C:ds", false, false},   {"", false, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        session of;
        char command[160];
        snprintf(command, sizeof command, "onyx %s %s", statement, cases[i].options);
        session_begin(&of, command);
        const compile_search_in by = session_search(&of, by_blocks);
        cost_of_one = 100;
        cost_of_block_results = cost_of_block_sums = 1;
        assert_true(compile_choose_blocks(&by, &of.ctx, &of.open, &of.out));
        const sam_statement *s = &of.out.cin.kernels.at[0].s;
        if (is_blocked(&of.out.cin) != cases[i].blocks ||
            sam_tensor_at(s, s->result)->blocked != cases[i].result)
            fail_msg("%s: blocks %d, result %d", cases[i].options, is_blocked(&of.out.cin),
                     sam_tensor_at(s, s->result)->blocked);
        compile_end(&of.ctx);
    }
}

/* ---- an operand of parts ------------------------------------------------------------------------- */

static double cost_of_whole;
static double by_whole(const fe_cin *cin) {
    (void)cin;
    return cost_of_whole;
}

/* Chooses for a format of parts where the whole takes `whole` cycles; returns the kernels' number. */
static uint32_t parts_at(double whole, const char *command, double *cycles, const char **staged) {
    session of;
    session_begin(&of, command);
    const compile_search_in by = session_search(&of, by_whole);
    cost_of_whole = whole;
    assert_true(compile_choose_parts(&by, &of.ctx, &of.open, &of.out));
    const uint32_t n = of.out.cin.kernels.len;
    static char text[256];
    snprintf(text, sizeof text, "%s", of.out.staged ? of.out.staged : "");
    *staged = text;
    const char *number = strstr(text, "adds: ");
    *cycles = number ? strtod(number + 6, NULL) : 0;
    if (n > 1) {
        const fe_kernel *last = &of.out.cin.kernels.at[n - 1];
        assert_true(last->on_host);
        assert_int_equal(last->s.loops.len, 2);
        assert_int_equal(last->s.tensors.len, 3);
        assert_int_equal(of.out.chosen.len, n);
    }
    compile_end(&of.ctx);
    return n;
}

static void parts_stand_apart_below_their_threshold(void **state) {
    (void)state;
    static const char command[] = "run X(i,j)=B(i,j)*2 -f B:BlocksAndRows -g B:24x24:0.3:1 -o o";
    char apart[sizeof command + 16];
    snprintf(apart, sizeof apart, "%s --parts apart", command);
    double parts, unused;
    const char *staged;
    assert_int_equal(parts_at(1e9, command, &parts, &staged), 3);
    assert_non_null(strstr(staged, "a kernel for each of 2 parts of B, whose results the host adds: "));
    assert_non_null(strstr(staged, " cycles predicted, 1000000000 put together"));
    assert_true(parts > 100);
    const double threshold = parts / COMPILE_WORTH_SEVERAL;
    assert_int_equal(parts_at(threshold + 3, command, &unused, &staged), 3);
    assert_int_equal(parts_at(threshold - 3, command, &unused, &staged), 1);
    assert_int_equal(parts_at(1, apart, &unused, &staged), 3);
    assert_string_equal(staged, "a kernel for each of 2 parts of B, whose results the host adds");
}

/* Each part is predicted by its own entries: both together take about as long as the whole. */
static void parts_are_predicted_by_their_entries(void **state) {
    (void)state;
    session of;
    session_begin(&of, "run X(i,j)=B(i,j)*2 -f B:BlocksAndRows -g B:300x300:0.3:1 -o o");
    const double whole = predicted(&of);
    compile_end(&of.ctx);
    double parts;
    const char *staged;
    parts_at(1e9, "run X(i,j)=B(i,j)*2 -f B:BlocksAndRows -g B:300x300:0.3:1 -o o", &parts, &staged);
    assert_true(parts > 0.7 * whole && parts < 1.6 * whole);
}

static void formats_without_parts_stay(void **state) {
    (void)state;
    double unused;
    const char *staged;
    assert_int_equal(parts_at(1e9, "run X(i,j)=B(i,j)*2 -f B:ds -g B:24x24:0.3:1 -o o", &unused, &staged), 1);
    assert_int_equal(parts_at(1e9, "run X(i,j)=B(i,j)*2 -g B:24x24:0.3:1 -o o", &unused, &staged), 1);
    assert_string_equal(staged, "");
}

/* ---- kernels beside the host ------------------------------------------------------------------------ */

static uint32_t costed;
static double by_loops(const fe_cin *cin) {
    const sam_statement *s = &cin->kernels.at[0].s;
    costed++;
    return s->loops.len == 3 && s->loops.at[0].v == s->result_index[1].v ? 10 : 1000;
}

/* A kernel before the host's that reads the user's operands gets the order of least cost; a kernel behind
 * the host's reads what is not known yet, and stays. */
static void kernels_beside_the_host_are_chosen_by_their_operands(void **state) {
    (void)state;
    const struct {
        const char *command;
        bool chosen;
    } cases[] = {
        {"onyx X(i,j)=sort(j,A(i,k)*B(k,j)) -g A:30x30:0.2:2 -g B:30x30:0.2:3 -o o", true},
        {"onyx x(i,j)=A(i,k)*sort(j,S(k,j)) -g A:12x12:0.5:1 -g S:12x12:0.5:2 -o o", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        session of;
        session_begin(&of, cases[i].command);
        assert_int_equal(of.out.cin.kernels.len, 2);
        const uint32_t array = of.out.cin.kernels.at[0].on_host;
        assert_int_not_equal(of.out.cin.kernels.at[!array].on_host, of.out.cin.kernels.at[array].on_host);
        const fe_kernel before = of.out.cin.kernels.at[array];
        const sam_var first = before.s.loops.at[0];
        const compile_search_in by = session_search(&of, by_loops);
        costed = 0;
        compile_choose_host_overlap(&by, &of.ctx, &of.open, &of.out);
        const fe_kernel *after = &of.out.cin.kernels.at[array];
        assert_int_equal(costed > 0, cases[i].chosen);
        assert_int_equal(after->s.loops.at[0].v != first.v, cases[i].chosen);
        if (cases[i].chosen)
            assert_int_equal(after->s.loops.at[0].v, after->s.result_index[1].v);
        assert_true(of.out.cin.kernels.at[!array].on_host);
        compile_end(&of.ctx);
    }
}

/* A statement in the place of another is predicted by the operands of its own names, in any order of the
 * operands. */
static void another_statement_has_operands_by_name(void **state) {
    (void)state;
    session of;
    session_begin(&of, "onyx X(i,j)=B(i,k)*C(k,j) -g B:30x20:0.2:1 -g C:20x10:0.3:2 -o o");
    const compile_search_in by = session_search(&of, NULL);
    const double whole = predicted(&of);
    tile_tensor turned[8];
    const uint32_t n = of.data.operands.n;
    for (uint32_t t = 0; t < n; t++)
        turned[t] = of.data.operands.operand[n - 1 - t];
    compile_data data = of.data;
    data.operands.operand = turned;
    data.extent = NULL;
    compile_search_in other = by;
    other.data = &data;
    compile_schedule out = {.staged = NULL};
    const double cycles = compile_choose_instead(&other, &of.ctx, &of.open, &out);
    assert_true(isfinite(cycles));
    assert_true(cycles <= whole && cycles > 0.4 * whole);
    assert_int_equal(out.cin.kernels.len, 1);
    assert_int_equal(out.tilings.len, 1);
    compile_end(&of.ctx);
}

/* ---- functions of the host -------------------------------------------------------------------------- */

static double cost_as_written, cost_of_rest;
static double by_host(const fe_cin *cin) {
    for (uint32_t n = 0; n < cin->kernels.len; n++)
        if (cin->kernels.at[n].on_host)
            return cost_of_rest;
    return cost_as_written;
}

/* Whether a part is bound where the statement takes `written` cycles of the array, and the rest `rest`; the
 * least cost of a form with a bound part, which the list states. */
static bool binds(const char *command, double written, double rest, double *least) {
    session of;
    session_begin(&of, command);
    const compile_search_in by = session_search(&of, by_host);
    cost_as_written = written;
    cost_of_rest = rest;
    compile_schedule out = {.staged = NULL};
    text_vec listed = {0};
    of.in.extents = of.data.extent;
    of.open.data = NULL;
    const bool bound = compile_choose_bindings(&by, &of.ctx, &of.open, &out, &listed);
    *least = INFINITY;
    double before = 0;
    assert_true(listed.len > 1);
    for (uint32_t i = 0; i < listed.len; i++) {
        const char *cycles = strrchr(listed.at[i], ':') + 2;
        const double is = strstr(cycles, "cycles expected") ? strtod(cycles, NULL) : INFINITY;
        assert_true(is >= before); /* the list is in the order of cost */
        before = is;
        if (strncmp(listed.at[i], "-s", 2) == 0)
            *least = fmin(*least, is);
        else
            assert_true(is == written);
    }
    if (bound) {
        const char *best = arena_printf(&of.mem, "1 of %u by --search: %s", listed.len, listed.at[0]);
        assert_string_equal(out.staged, best);
        assert_true(out.cin.kernels.at[0].on_host);
    }
    compile_end(&of.ctx);
    return bound;
}

/* Calls of the host take 0.33 cycles a point and 7 a value of their arrays; what is left is the array's. */
static void functions_are_bound_by_their_cost(void **state) {
    (void)state;
    const struct {
        const char *command;
        double calls; /* cycles that the function's calls take */
        bool rest;    /* something is left for the array */
    } cases[] = {
        {"onyx x(i)=b(i)+c(i) --functions functions/vector_add.xf --search 1 -g b:900:1:1 -g c:900:1:2 -o o",
         0.33 * 900 + 7 * 3 * 900, false},
        {"onyx X(i,j)=B(i,k)*C(k,j) --functions functions/gemm.xf --search 1 -g B:20x30:1:1 -g C:30x40:1:2 "
         "-o o",
         0.33 * 20 * 30 * 40 + 7 * (20 * 30 + 30 * 40 + 20 * 40), false},
        {"onyx X(i,j)=M(i,j)*B(i,k)*C(k,j) --functions functions/gemm.xf --search 1 -g M:20x40:0.1:3 -g "
         "B:20x30:1:1 -g C:30x40:1:2 -o o",
         0.33 * 20 * 30 * 40 + 7 * (20 * 30 + 30 * 40 + 20 * 40), true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double rest = cases[i].rest ? 5000 : 0, all = cases[i].calls + rest;
        double least;
        if (!binds(cases[i].command, all + 2, 5000, &least) || fabs(least - all) >= 1)
            fail_msg("case %zu: %g and not %g", i, least, all);
        assert_false(binds(cases[i].command, floor(all) - 2, 5000, &least));
        assert_true(fabs(least - all) < 1);
        assert_true(binds(cases[i].command, INFINITY, 5000, &least));
    }
}

/* ---- the order of sums ---------------------------------------------------------------------------- */

enum { FACTORS = 3 };
/* y(i) = A(i,j) * B(j,k) * c(k): variables i, j, k are bits 0, 1, 2. */
static const uint32_t vars_of[FACTORS] = {3, 6, 4};

static double points(const double *extent, uint32_t vars) {
    double n = 1;
    for (int v = 0; v < 3; v++)
        n *= vars >> v & 1 ? extent[v] : 1;
    return n;
}

/* Steps of a kernel with n factors: entries read, points where all meet, entries written. */
static double steps(const double *extent, uint32_t n, const uint32_t *vars, const double *share,
                    uint32_t left, double *of_left) {
    double read = 0, met = 1;
    uint32_t all = 0;
    for (uint32_t f = 0; f < n; f++) {
        read += share[f] * points(extent, vars[f]);
        met *= share[f];
        all |= vars[f];
    }
    met *= points(extent, all);
    const double written = fmin(met, points(extent, left));
    *of_left = written / points(extent, left);
    return read + met + written;
}

/* The cheaper of: one kernel at 1.5 times its steps, the sum along k first, the sum along j first. */
static const char *best_order(const double *extent, const double *share, bool *close) {
    double unused, k[FACTORS], j[FACTORS];
    const double one = 1.5 * steps(extent, 3, vars_of, share, 1, &unused);
    /* k first: w(j) = B * c; then A * w. */
    double k_steps = steps(extent, 2, vars_of + 1, share + 1, 2, &k[1]);
    const uint32_t with_w[] = {3, 2};
    k[0] = share[0];
    k_steps += steps(extent, 2, with_w, k, 1, &unused);
    /* j first: W(i,k) = A * B; then W * c. */
    const double ab[] = {share[0], share[1]};
    double j_steps = steps(extent, 2, vars_of, ab, 5, &j[1]);
    const uint32_t with_c[] = {4, 5};
    j[0] = share[2];
    j_steps += steps(extent, 2, with_c, j, 1, &unused);
    const double least = fmin(one, fmin(k_steps, j_steps));
    *close = (one < 1.001 * least) + (k_steps < 1.001 * least) + (j_steps < 1.001 * least) > 1;
    return least == one ? "" : least == k_steps ? "k" : "j";
}

static void sums_are_taken_in_the_cheapest_order(void **state) {
    (void)state;
    session of;
    session_begin(&of, "onyx y(i)=A(i,j)*B(j,k)*c(k) -g A:9x9:0.5:1 -g B:9x9:0.5:2 -g c:9:0.5:3 -o o");
    prng r = {53};
    uint32_t seen[3] = {0};
    quota cases = {0}; /* trivial: one kernel is best */
    fe_cin written;
    assert_true(fe_schedule(&of.in, &of.user, &of.mem, of.ctx.diag, &written));
    tile_tensor operand[8];
    assert_in_range(of.data.operands.n, FACTORS + 1, 8);
    memcpy(operand, of.data.operands.operand, of.data.operands.n * sizeof *operand);
    for (int n = 0; n < 1000; n++) {
        uint32_t extent[TILE_MAX_VARS] = {0};
        double far[3], share[FACTORS];
        for (int v = 0; v < 3; v++)
            far[v] = extent[v] = 1 + prng_below(&r, (const uint32_t[]){3, 3, 20, 200}[prng_below(&r, 4)]);
        compile_data data = of.data;
        data.extent = extent;
        data.operands.operand = operand;
        for (uint32_t f = 0; f < FACTORS; f++) {
            const double all = points(far, vars_of[f]);
            operand[f + 1].nnz = 1 + (uint64_t)(all * prng_below(&r, 100) / 100);
            share[f] = fmin((double)operand[f + 1].nnz / all, 1);
        }
        bool close;
        const char *best = best_order(far, share, &close);
        const char *found = compile_contraction(&data, &written.kernels.at[0], false, &of.mem);
        quota_add(&cases, !close, !*best);
        if (close)
            continue;
        seen[!*best ? 0 : *best == 'k' ? 1 : 2]++;
        if (!*best != !found)
            fail_msg("%g %g %g: '%s' and %s", far[0], far[1], far[2], best, found ? found : "none");
        if (found)
            assert_non_null(strstr(found, *best == 'k' ? "B(j,k) * c(k)" : "A(i,j) * B(j,k)"));
    }
    assert_false(quota_failed(&cases));
    for (int k = 0; k < 3; k++)
        if (seen[k] < 20)
            fail_msg("%u as one, %u with k first, %u with j first", seen[0], seen[1], seen[2]);
    compile_end(&of.ctx);
}

/* Sums have no order without extents, or with operands whose entries are no measure. */
static void unknown_operands_have_no_order(void **state) {
    (void)state;
    session of;
    session_begin(&of, "onyx y(i)=A(i,j)*B(j,k)*c(k) -g A:40x40:0.1:1 -g B:40x40:0.1:2 -g c:40:0.5:3 -o o");
    fe_cin written;
    assert_true(fe_schedule(&of.in, &of.user, &of.mem, of.ctx.diag, &written));
    const fe_kernel *k = &written.kernels.at[0];
    compile_data data = of.data;
    assert_non_null(compile_contraction(&data, k, false, &of.mem));
    data.extent = NULL;
    assert_null(compile_contraction(&data, k, false, &of.mem));
    data = of.data;
    data.operands.n = 3; /* c is unknown */
    assert_null(compile_contraction(&data, k, false, &of.mem));
    data = of.data;
    for (uint32_t t = 1; t <= 3; t++) {
        sam_tensor_data *tensor = &k->s.tensors.at[t], kept = *tensor;
        tensor->fill = 1;
        assert_null(compile_contraction(&data, k, false, &of.mem));
        *tensor = kept;
        tensor->ones = true;
        assert_null(compile_contraction(&data, k, false, &of.mem));
        *tensor = kept;
        tensor->windowed = true;
        assert_null(compile_contraction(&data, k, false, &of.mem));
        *tensor = kept;
        tensor->structure = SAM_STORED;
        assert_null(compile_contraction(&data, k, false, &of.mem));
        *tensor = kept;
        tensor->view.source.v = 1;
        assert_null(compile_contraction(&data, k, false, &of.mem));
        *tensor = kept;
    }
    assert_non_null(compile_contraction(&data, k, false, &of.mem));
    compile_end(&of.ctx);
}

/* Returns the schedule of a statement's sums, the best or another one. */
static const char *contraction_of(const char *command, bool another, session *of) {
    fe_cin written;
    session_begin(of, command);
    assert_true(fe_schedule(&of->in, &of->user, &of->mem, of->ctx.diag, &written));
    return compile_contraction(&of->data, &written.kernels.at[0], another, &of->mem);
}

#define SPARSE "A(i,k)*H(k,l)*W(l,j)"
#define FULL "D(i,k)*E(k,l)*F(l,j)"
#define FULL_DATA "-g D:20x20:1 -g E:20x20:1 -g F:20x20:0.005 -o o"
/* A product whose other orders take far more steps keeps its order beside a product that takes another;
 * alone there is no other. */
static void one_of_two_products_takes_another_order(void **state) {
    (void)state;
    static const char both[] =
        "onyx X(i,j)=" SPARSE "+" FULL " -g A:20x20:0.5 -g H:20x20:0.5 -g W:20x20:0.5 " FULL_DATA,
                      alone[] = "onyx X(i,j)=" FULL " " FULL_DATA;
    session of[4];
    const char *best = contraction_of(both, false, &of[0]), *other = contraction_of(both, true, &of[1]);
    assert_true(best && other && strcmp(best, other) != 0);
    assert_true(strstr(best, "E(k,l) * F(l,j)") && strstr(other, "E(k,l) * F(l,j)"));
    assert_true(!strstr(best, "H(k,l) * W(l,j)") != !strstr(other, "H(k,l) * W(l,j)"));
    assert_non_null(contraction_of(alone, false, &of[2]));
    assert_null(contraction_of(alone, true, &of[3]));
    for (uint32_t i = 0; i < 4; i++)
        compile_end(&of[i].ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_are_chosen_by_their_cost),
                                       cmocka_unit_test(functions_are_bound_by_their_cost),
                                       cmocka_unit_test(kernels_beside_the_host_are_chosen_by_their_operands),
                                       cmocka_unit_test(another_statement_has_operands_by_name),
                                       cmocka_unit_test(blocks_are_those_of_the_formats),
                                       cmocka_unit_test(parts_are_predicted_by_their_entries),
                                       cmocka_unit_test(formats_without_parts_stay),
                                       cmocka_unit_test(parts_stand_apart_below_their_threshold),
                                       cmocka_unit_test(sums_are_taken_in_the_cheapest_order),
                                       cmocka_unit_test(one_of_two_products_takes_another_order),
                                       cmocka_unit_test(unknown_operands_have_no_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
