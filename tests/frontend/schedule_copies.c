#include "tests/frontend/schedule_cases.h"

static void precomputed_parts_are_kernels_of_their_own(void **state) {
    fixture *f = *state;
    static const char *const schedule[] = {
        "precompute(C(i,k)*D(k,j),{i,j},{iw,jw},w)",          "precompute(D(k,j)*C(i,k),{i,j},{i,j})",
        "precompute(B(i,j)*C(i,k),{i,j,k},{i,j,k},w)",        "precompute(B(i,j)*C(i,k),j,jw,w)",
        "precompute(D(k,j),{k,j},{kw,jw},d), reorder(jw,kw)", "precompute(C(i,k)*D(k,j),{},{})"};
    for (size_t i = 0; i < sizeof schedule / sizeof *schedule; i++)
        expect_equal(f, (fe_case){.expression = sddmm, .schedule = schedule[i]});
    expect_equal(
        f, (fe_case){.expression = spmm, .schedule = "reorder(i,k,j), precompute(B(i,k)*C(k,j),j,jw,w)"});
    expect_equal(f,
                 (fe_case){.expression = mttkrp,
                           .schedule = "precompute(B(i,k,l)*D(j,l),{i,j,k},{i,j,k},w), precompute(w(i,j,k),k,"
                                       "kw,v), split(kw,k0,k1,2)"});
    expect_equal(f, (fe_case){.expression = residual, .schedule = "precompute(sum(j,C(i,j)*d(j)),i,iw,w)"});
    expect_equal(f, (fe_case){.expression = residual, .schedule = "precompute(C(i,j)*d(j),i,iw,w)"});
    expect_equal(f, (fe_case){.expression = residual, .schedule = "precompute(C(i,j)*d(j),{i,j},{i,j},w)"});
    expect_equal(f, (fe_case){.expression = "x(i) = sum(j, B(i,j) * c(j) + d(j))",
                              .schedule = "precompute(B(i,j)*c(j),i,iw,w)"});
}

static fe_cin scheduled(fixture *f, const fe_case *c, sam_statement *s) {
    fe_cin cin;
    if (!fe_case_schedule(f, c, s, &cin))
        fail_msg("%s\n%s", c->expression, fixture_printed(f));
    return cin;
}

/* Compares a generated schedule with `expected` (NULL: none), and its result with the case.
 */
static void expect_scheduled(fixture *f, fe_case c, const char *schedule, const char *expected) {
    if (!expected) {
        assert_null(schedule);
        return;
    }
    assert_string_equal(schedule ? schedule : "nothing", expected);
    c.schedule = schedule;
    expect_equal(f, c);
}

/* The schedule that splits the kernel of a case: its text, and an equal result. */
static void expect_staged(fixture *f, fe_case c, fe_staging how, const char *expected) {
    sam_statement s;
    const fe_cin cin = scheduled(f, &c, &s);
    const char *schedule = fe_staged(&cin.kernels.at[0], how, &f->mem);
    expect_scheduled(f, c, schedule, expected);
}

static void stages_compute_the_same(void **state) {
    fixture *f = *state;
    const fe_case sampled = {.expression = "X(i,j) = D(i,j) * (B(i,k) * C(k,j) + E(i,j))"};
    expect_staged(f, sampled, FE_STAGE_PARTIAL_SUMS, "precompute(B(i,k) * C(k,j),{i,j},{i,j})");
    expect_staged(f, sampled, FE_STAGE_FACTORS, "precompute(sum(k, B(i,k) * C(k,j)) + E(i,j),{i,j},{i,j})");
    expect_staged(f, sampled, FE_STAGE_PHASES, NULL);
    const fe_case products = {.expression = "X(i,j) = -(B(i,j) + C(i,j)) * (D(i,j) - E(j,i))"};
    expect_staged(f, products, FE_STAGE_FACTORS,
                  "precompute(B(i,j) + C(i,j),{i,j},{i,j}), precompute(D(i,j) - E(j,i),{i,j},{i,j})");
    expect_staged(f, (fe_case){.expression = "x = (b + c) * d(i)"}, FE_STAGE_FACTORS, NULL);
    expect_staged(f, (fe_case){.expression = "X(i,j) = B(i,j) * C(i,j) - (d(i) - 2 * E(i,j) * f(j))"},
                  FE_STAGE_TERMS,
                  "precompute(B(i,j) * C(i,j),{i,j},{i,j}), precompute(2 * E(i,j) * f(j),{i,j},{i,j})");
    expect_staged(f, (fe_case){.expression = plus}, FE_STAGE_TERMS, NULL);
    const fe_case outer = {.expression = spmm, .schedule = "reorder(k,i,j)"};
    expect_staged(f, outer, FE_STAGE_PARTIAL_SUMS, NULL);
    expect_staged(f, outer, FE_STAGE_PHASES,
                  "reorder(k,i,j), precompute(B(i,k) * C(k,j),{k,i,j},{kw,iw,jw}), reorder(i,j,k)");
    expect_staged(f, (fe_case){.expression = "X(i,j) = kw(i,k) * B(k,j)"}, FE_STAGE_PHASES,
                  "precompute(kw(i,k) * B(k,j),{i,j,k},{iww,jww,kww}), reorder(i,j,k)");
    expect_staged(f, (fe_case){.expression = mttkrp, .schedule = "reorder(k,l,i,j)"}, FE_STAGE_PHASES,
                  "reorder(k,l,i,j), precompute(B(i,k,l) * C(j,k) * D(j,l),{k,l,i,j},{kw,lw,iw,jw}), "
                  "reorder(i,j,k,l)");
    expect_staged(f, (fe_case){.expression = spmm, .schedule = "split(i,i0,i1,2)"}, FE_STAGE_PHASES, NULL);
    expect_staged(f, (fe_case){.expression = plus}, FE_STAGE_PHASES, NULL);
}

/* The schedule that first sums a product along the variables `first`, and an equal result. */
static void expect_contracted(fixture *f, fe_case c, const char *first, const char *expected) {
    sam_statement s;
    sam_var order[4];
    const fe_product *product;
    const fe_cin cin = scheduled(f, &c, &s);
    const fe_kernel *k = &cin.kernels.at[0];
    const uint32_t n = (uint32_t)strlen(first);
    for (uint32_t i = 0; i < n; i++)
        order[i] = fe_find_var(&k->s, names_intern_n(k->s.names, &first[i], 1));
    assert_int_equal(fe_products(k, &f->mem, &product), 1);
    const fe_contraction sums = {product[0], order, n};
    const char *schedule = fe_contracted(k, &sums, 1, &f->mem);
    expect_scheduled(f, c, schedule, expected);
}

static void sums_in_turn_compute_the_same(void **state) {
    fixture *f = *state;
    const fe_case chain = {.expression = "y(i) = A(i,j) * B(j,k) * x(k)"};
    expect_contracted(f, chain, "k", "precompute(B(j,k) * x(k),{j},{j},w1)");
    expect_contracted(f, chain, "j", "precompute(A(i,j) * B(j,k),{i,k},{i,k},w1)");
    expect_contracted(f, chain, "jk", NULL); /* the last kernel has the last sum */
    expect_contracted(f, chain, "", NULL);
    expect_contracted(f, (fe_case){.expression = "X(i,l) = w1(i,j) * B(j,k) * C(k,l)"}, "k",
                      "precompute(B(j,k) * C(k,l),{l,j},{l,j},w2)");
    expect_contracted(f, (fe_case){.expression = "y(i) = b(i) - A(i,j) * B(j,k) * x(k) * c(j)"}, "k",
                      "precompute(B(j,k) * x(k),{j},{j},w1)");
    expect_contracted(f, (fe_case){.expression = "y(i) = c(i) * b(k) * A(i,j)"}, "k", NULL); /* a scalar */
}

static void copies_compute_the_same(void **state) {
    fixture *f = *state;
    static const struct {
        const char *expression, *order, *loops;
        const char *format[3];
    } c[] = {{spmm, "reorder(i,j,k)", "ijk", {NULL}},
             {spmm, "reorder(i,k,j)", "ikj", {NULL}},
             {spmm, "reorder(k,i,j)", "kij", {NULL}},
             {spmm, "reorder(j,k,i)", "jki", {"X:dd"}},
             {spmv, "reorder(i,j)", "ij", {"c:d"}},
             {spmv, "reorder(j,i)", "ji", {"x:d"}},
             {sddmm, "reorder(i,j,k)", "ijk", {NULL}},
             {residual, "reorder(i,j)", "ij", {NULL}},
             {plus, "reorder(i,j)", "ij", {"B:ds"}},
             {mttkrp, "reorder(i,j,k,l)", "ijkl", {NULL}},
             {mttkrp, "reorder(i,k,l,j)", "iklj", {NULL}},
             {"x = B(i,j) * C(i,j)", "reorder(i,j)", "ij", {NULL}},
             {"X(i,j) = B(i,j) + c(i)", "reorder(i,j)", "ij", {NULL}},
             {"x(i) = b(i) + c(i) * 2", "reorder(i)", "i", {NULL}},
             {"x(i) = 3 * b(i) - 2 * c(i)", "reorder(i)", "i", {NULL}},
             {"x(i) = 3 * sum(j, B(i,j) * (5 - c(j)))", "reorder(i,j)", "ij", {NULL}},
             {"x(i) = B(i,k) * c(k) + D(i,k) * e(k)", "reorder(i,k)", "ik", {NULL}}};
    for (size_t n = 0; n < sizeof c / sizeof *c; n++) {
        for (const char *loop = c[n].loops; *loop; loop++) {
            for (uint32_t copies = 2; copies <= 4; copies++) {
                fe_case one = {.expression = c[n].expression, .format = {c[n].format[0]}};
                one.schedule = arena_printf(&f->mem, "%s, unroll(%c,%u)", c[n].order, *loop, copies);
                expect_equal(f, one);
            }
        }
    }
    static const char *const schedule[] = {
        "unroll(i,2), unroll(j,3)",
        "unroll(i,2), unroll(j,2), unroll(k,2)",
        "parallelize(i,Lanes(2),NoRaces), parallelize(k,Lanes(3),Temporary)",
        "split(i,i0,i1,4), parallelize(i1,CPUVector,NoRaces)",
        "split(k,k0,k1,2), reorder(k0,i,j,k1), unroll(k0,2), unroll(i,3)",
        "parallelize(i,NotParallel,NoRaces)",
        "unroll(i,1)"};
    expect_all_equal(f, spmm, schedule, sizeof schedule / sizeof *schedule);
}

static void copies_are_in_the_graph(void **state) {
    fixture *f = *state;
    sam_statement s;
    fe_cin cin;
    scheduled_kernel one, four;
    fe_case plain = {.expression = spmm}, unrolled = {.expression = spmm, .schedule = "unroll(i,4)"};
    assert_true(fe_case_schedule(f, &plain, &s, &cin) && scheduled_lower(f, &cin.kernels.at[0], &one));
    assert_true(fe_case_schedule(f, &unrolled, &s, &cin) && scheduled_lower(f, &cin.kernels.at[0], &four));
    assert_int_equal(lowered_count(&four.g, SAM_ARRAYVALS), 4 * lowered_count(&one.g, SAM_ARRAYVALS));
    assert_int_equal(lowered_count(&four.g, SAM_REDUCE), 4);
    assert_int_equal(lowered_count(&four.g, SAM_FIBERWRITE), lowered_count(&one.g, SAM_FIBERWRITE));
    assert_int_equal(lowered_count(&four.g, SAM_PARALLELIZE), 2); /* B's and C's references */
    assert_int_equal(lowered_count(&four.g, SAM_SERIALIZE), 2);   /* j's coordinates, the values */
}

/* ---- at random ------------------------------------------------------------------------------- */

static const char *loop_name(const sam_statement *s, sam_var v) {
    return names_text(s->names, sam_var_at(s, v)->name);
}

/* A command about existing or absent loops. */
static const char *random_command(fixture *f, prng *random, const fe_cin *cin, uint32_t number) {
    const sam_statement *s = &cin->kernels.at[prng_below(random, cin->kernels.len)].s;
    uint32_t i = prng_below(random, s->loops.len), j = prng_below(random, s->loops.len);
    const char *a = loop_name(s, s->loops.at[i]), *b = loop_name(s, s->loops.at[j]);
    uint32_t n = 1 + prng_below(random, 4);
    switch (prng_below(random, 13)) {
    case 0:
        return arena_printf(&f->mem, "split(%s,p%u,q%u,%u)", a, number, number, n);
    case 1:
        return arena_printf(&f->mem, "unroll(%s,%u)", a, n);
    case 2:
        return arena_printf(&f->mem, "parallelize(%s,Lanes(%u),%s)", a, n, n % 2 ? "NoRaces" : "Temporary");
    case 3:
        return arena_printf(&f->mem, "bound(%s,p%u,9,MaxExact), divide(p%u,r%u,s%u,%u)", a, number, number,
                            number, number, n);
    case 4:
        return arena_printf(&f->mem, "pos(%s,p%u,B)", a, number);
    case 5:
        return arena_printf(&f->mem, "precompute(C(i,k)*D(k,j),{i,j},{i%u,j%u},w%u)", number, number, number);
    case 6:
        return arena_printf(&f->mem, "precompute(B(i,j),%s,%s)", n % 2 ? "i" : "j", n % 2 ? "i" : "j");
    case 8:
        return arena_printf(&f->mem, "fuse(%s,%s,p%u)", a, b, number);
    case 9:
        return arena_printf(&f->mem, "pos(%s,p%u,B), split(p%u,r%u,s%u,%u)", a, number, number, number,
                            number, n);
    case 10:
        return arena_printf(&f->mem, "parallelize(%s,%s,Atomics)", a, n % 2 ? "GPUBlock" : "CPUThread");
    case 11:
        return arena_printf(&f->mem, "precompute(B(i,j),%s,p%u)", a, number);
    case 7:
        return arena_printf(&f->mem, "precompute(%s,{},{})", n % 2 ? "C(i,k)*D(k,j)" : "B(i,j)*c(j)");
    default:
        return arena_printf(&f->mem, "reorder(%s,%s)", a, b);
    }
}

static void compute_random_schedule(fixture *f, uint32_t n, void *of) {
    static const char *const expression[] = {sddmm,
                                             spmv,
                                             residual,
                                             plus,
                                             "X(i,j) = B(i,j) + C(i,k) * D(k,j)",
                                             "x(i) = sum(j, B(i,j) * c(j)) * d(i)",
                                             "x = B(i,j) * c(j) * B(j,i)",
                                             "X(i,j) = (B(i,j) + c(j)) * C(i,k) * D(k,j)"};
    fe_random *r = of;
    fe_case c = {.expression = expression[n % (sizeof expression / sizeof *expression)]};
    sam_statement s;
    fe_cin cin;
    bool ok = fe_case_schedule(f, &c, &s, &cin);
    for (uint32_t k = 1 + prng_below(&r->random, 4); ok && k > 0; k--) {
        const char *command = random_command(f, &r->random, &cin, k);
        const char *longer = c.schedule ? arena_printf(&f->mem, "%s, %s", c.schedule, command) : command;
        fe_case next = {.expression = c.expression, .schedule = longer};
        diag_init(&f->diag, &f->mem);
        if (fe_case_schedule(f, &next, &s, &cin))
            c = next;
        else
            assert_true(diag_failed(&f->diag));
        diag_init(&f->diag, &f->mem);
        ok = fe_case_schedule(f, &c, &s, &cin);
    }
    assert_true(ok);
    scheduled_reads_back(f, c.expression, c.schedule ? c.schedule : "", NULL);
    r->accepted += expect_equal_if_lowered(f, c, 10);
}

static void random_schedules_compute_the_same(void **state) {
    (void)state;
    expect_accepted(11, 400, compute_random_schedule, 250);
    assert_false(quota_failed(&schedule_data));
}

TEST_PART(schedule_copies, TEST(precomputed_parts_are_kernels_of_their_own), TEST(stages_compute_the_same),
          TEST(sums_in_turn_compute_the_same), TEST(copies_compute_the_same), TEST(copies_are_in_the_graph),
          TEST(random_schedules_compute_the_same))
