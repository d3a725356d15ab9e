/* frontend/: expressions, formats and schedules become the statement they denote. */
#include "frontend/language/language.h"
#include "frontend/lowering/lowering.h"
#include "tests/frontend/fe_case.h"

static void expect_dump(fixture *f, fe_case c, const char *expected) {
    sam_statement s;
    if (!fe_case_parse(f, &c, &s))
        fail_msg("%s\n%s", c.expression, fixture_printed(f));
    assert_true(fe_check(&s, &f->diag));
    assert_string_equal(fe_case_dump(f, &s), arena_printf(&f->mem, "%s\n", expected));
}

static void variables_missing_on_the_left_are_summed_over_in_each_term(void **state) {
    fixture *f = *state;
    expect_dump(f, (fe_case){.expression = "x(i) = b(i)"}, "forall(i, x(i) = b(i))");
    expect_dump(f, (fe_case){.expression = "x(i) = B(i,j) * c(j)"},
                "forall(i, forall(j, x(i) += B(i,j) * c(j)))");
    expect_dump(f, (fe_case){.expression = "x(i) = b(i) + B(i,j) * c(j)"},
                "forall(i, where(x(i) = b(i) + t1, forall(j, t1 += B(i,j) * c(j))))");
    expect_dump(f, (fe_case){.expression = "x(i) = B(i,j)*c(j) - D(i,j)*e(j)"},
                "forall(i, where(where(x(i) = t1 - t2, forall(j, t1 += B(i,j) * c(j))), "
                "forall(j, t2 += D(i,j) * e(j))))");
    expect_dump(f, (fe_case){.expression = "y(i) = b(i) - (A(i,j) * x(j))"},
                "forall(i, where(y(i) = b(i) - t1, forall(j, t1 += A(i,j) * x(j))))");
    expect_dump(f, (fe_case){.expression = "x = B(i,j,k) * C(i,j,k)"},
                "forall(i, forall(j, forall(k, x += B(i,j,k) * C(i,j,k))))");
    expect_dump(f, (fe_case){.expression = "x(i) = (B(i,j) + C(i,j)) * d(j)"},
                "forall(i, forall(j, x(i) += (B(i,j) + C(i,j)) * d(j)))");
    expect_dump(f, (fe_case){.expression = "x(i) = -(b(i) - B(i,j))"},
                "forall(i, where(x(i) = -(b(i) - t1), forall(j, t1 += B(i,j))))");
}

/* taco's rule: a sum covers the smallest part that holds every use, and extends only over products and
 * signs. */
static void a_sum_covers_the_smallest_part_that_uses_its_variable(void **state) {
    fixture *f = *state;
    expect_dump(f, (fe_case){.expression = "x(i) = b(i) * (c(i) + D(i,j))"},
                "forall(i, where(x(i) = b(i) * (c(i) + t1), forall(j, t1 += D(i,j))))");
    expect_dump(f, (fe_case){.expression = "x(i) = e(j) * (c(i) + D(i,j))"},
                "forall(i, forall(j, x(i) += e(j) * (c(i) + D(i,j))))");
    expect_dump(f, (fe_case){.expression = "x(i) = b(i) + a * -(B(i,j) * c(j)) + d(i)"},
                "forall(i, where(x(i) = b(i) + t1 + d(i), forall(j, t1 += a * -(B(i,j) * c(j)))))");
    expect_dump(f, (fe_case){.expression = "x(i) = a * B(i,j) * c(j) / d(i)"},
                "forall(i, where(x(i) = t1 / d(i), forall(j, t1 += a * B(i,j) * c(j))))");
    expect_dump(f, (fe_case){.expression = "x(i) = B(i,j) + c(i) + D(i,j)"},
                "forall(i, forall(j, x(i) += B(i,j) + c(i) + D(i,j)))");
    expect_dump(
        f, (fe_case){.expression = "x(i) = B(i,j) + D(i,j) + c(i)"},
        "forall(i, where(where(x(i) = t1 + t2 + c(i), forall(j, t1 += B(i,j))), forall(j, t2 += D(i,j))))");
    expect_dump(f, (fe_case){.expression = "x(i) = b(i) - a * (B(i,j) + c(i) + D(i,j))"},
                "forall(i, where(x(i) = b(i) - t1, forall(j, t1 += a * (B(i,j) + c(i) + D(i,j)))))");
    expect_dump(f, (fe_case){.expression = "x(i) = B(i,j) / c(j)"},
                "forall(i, forall(j, x(i) += B(i,j) / c(j)))");
    expect_dump(f, (fe_case){.expression = "x(i) = sum(k, b(i,k) + C(i,j,k))"},
                "forall(i, forall(k, where(x(i) += b(i,k) + t1, forall(j, t1 += C(i,j,k)))))");
    expect_dump(f, (fe_case){.expression = "x(i) += B(i,j)"}, "forall(i, forall(j, x(i) += B(i,j)))");
}

static void explicit_sums_keep_their_scope(void **state) {
    fixture *f = *state;
    expect_dump(f, (fe_case){.expression = "x(i) = c(i) * sum(j, B(i,j))"},
                "forall(i, where(x(i) = c(i) * t1, forall(j, t1 += B(i,j))))");
    expect_dump(f, (fe_case){.expression = "x = sum(k, l, B(k,l))"}, "forall(k, forall(l, x += B(k,l)))");
    expect_dump(f, (fe_case){.expression = "x(i) = sum(j, B(i,j) * sum(k, C(j,k) * d(k)))"},
                "forall(i, forall(j, where(x(i) += B(i,j) * t1, forall(k, t1 += C(j,k) * d(k)))))");
    expect_dump(f, (fe_case){.expression = "x(i) = sum(k, C(j,k)) * B(i,j)", .format = {"C:ss"}},
                "forall(i, forall(j, where(x(i) += t1 * B(i,j), forall(k, t1 += C(j,k)))))");
}

static void the_text_form_is_read_back_with_the_same_meaning(void **state) {
    fixture *f = *state;
    expect_dump(f, (fe_case){.expression = "x(i)=a(i)-(b(i)-c(i))-d(i)"},
                "forall(i, x(i) = a(i) - (b(i) - c(i)) - d(i))");
    expect_dump(f, (fe_case){.expression = "x(i)=a(i)/(b(i)*c(i))/d(i)"},
                "forall(i, x(i) = a(i) / (b(i) * c(i)) / d(i))");
    expect_dump(f, (fe_case){.expression = "x(i)=(a(i)+b(i))*-c(i)"},
                "forall(i, x(i) = (a(i) + b(i)) * -c(i))");
    expect_dump(f, (fe_case){.expression = "x(i)=2*b(i)+.5e1*c(i)"}, "forall(i, x(i) = 2 * b(i) + 5 * c(i))");
    expect_dump(f, (fe_case){.expression = "t1(i)=b(i)+B(i,j)"},
                "forall(i, where(t1(i) = b(i) + tt1, forall(j, tt1 += B(i,j))))");
}

static void scalars_and_tacos_subscripts_are_accesses(void **state) {
    fixture *f = *state;
    expect_dump(f, (fe_case){.expression = "x(i) = a * b(i)"}, "forall(i, x(i) = a * b(i))");
    expect_dump(f, (fe_case){.expression = "x() = a() * b(i)"}, "forall(i, x += a * b(i))");
    expect_dump(f, (fe_case){.expression = "X_{i,j} = B_{i,j} * c_i"},
                "forall(i, forall(j, X(i,j) = B(i,j) * c(i)))");
}

static void loops_follow_the_result_then_the_sums_then_the_schedule(void **state) {
    fixture *f = *state;
    const char *ijk = "forall(i, forall(j, forall(k, X(i,j) += B(i,k) * C(k,j))))";
    const char *ikj = "forall(i, forall(k, forall(j, X(i,j) += B(i,k) * C(k,j))))";
    const char *text = "X(i,j) = B(i,k) * C(k,j)";
    expect_dump(f, (fe_case){.expression = text, .format = {"C:ss:1,0"}}, ijk);
    expect_dump(f, (fe_case){.expression = text, .schedule = "reorder(i,k,j)"}, ikj);
    expect_dump(f, (fe_case){.expression = text, .schedule = "reorder(k,j)"}, ikj);
    expect_dump(f, (fe_case){.expression = text, .schedule = "reorder(j,i), reorder(j,i,k); reorder(i,k,j)"},
                ikj);
    expect_dump(f, (fe_case){.expression = text, .format = {"X:ss:1,0", "B:ss", "C:ss:1,0"}},
                "forall(j, forall(i, forall(k, X(i,j) += B(i,k) * C(k,j))))");
}

static void formats_say_levels_and_modes(void **state) {
    fixture *f = *state;
    sam_statement s;
    fe_case c = {.expression = "x(i) = B(i,j) * c(j) * a", .format = {"B:ds:0,1", "c:d", "a:"}};
    assert_true(fe_case_parse(f, &c, &s));
    assert_int_equal(s.tensors.len, 4);
    const sam_tensor_data *x = &s.tensors.at[0], *b = &s.tensors.at[1], *dense = &s.tensors.at[2];
    assert_int_equal(x->level[0], SAM_LEVEL_COMPRESSED);
    assert_int_equal(b->level[0], SAM_LEVEL_DENSE);
    assert_int_equal(b->level[1], SAM_LEVEL_COMPRESSED);
    assert_int_equal(b->mode[1], 1);
    assert_int_equal(dense->level[0], SAM_LEVEL_DENSE);
    fe_case column = {.expression = "X(i,j) = B(j,i)", .format = {"B:ds:1,0"}};
    assert_true(fe_case_parse(f, &column, &s));
    assert_int_equal(s.tensors.at[1].mode[0], 1);
    assert_int_equal(s.tensors.at[1].level[0], SAM_LEVEL_DENSE);
    assert_int_equal(s.tensors.at[1].mode[1], 0);
}

/* Compares a statement with its form for the chip. */
static void expect_form(fixture *f, sam_statement *s, const char *expression, const char *expected) {
    if (!fe_distribute(s, true, &f->diag) || !fe_check(s, &f->diag))
        fail_msg("%s\n%s", expression, fixture_printed(f));
    assert_string_equal(fe_case_dump(f, s), arena_printf(&f->mem, "%s\n", expected));
}

/* Only integer products of sums reach this form. */
static void expect_distributed(fixture *f, const char *expression, const char *expected) {
    sam_statement s;
    assert_true(fe_case_parse(f, &(fe_case){.expression = expression}, &s));
    expect_form(f, &s, expression,
                arena_printf(&f->mem, "%.*s", (int)strcspn(fe_case_dump(f, &s), "\n"), fe_case_dump(f, &s)));
    s.integers = true;
    expect_form(f, &s, expression, expected);
}

static void expect_met(fixture *f, const char *expression, const char *expected) {
    sam_statement s;
    assert_true(fe_in_parse(f, &(fe_in){.expression = expression, .integers = true}, &s));
    expect_form(f, &s, expression, expected);
}

static void products_of_sums_become_sums_of_products(void **state) {
    fixture *f = *state;
    expect_distributed(f, "x(i) = (b(i) + c(i)) * d(i)", "forall(i, x(i) = b(i) * d(i) + c(i) * d(i))");
    expect_distributed(f, "x(i) = d(i) * (b(i) - c(i))", "forall(i, x(i) = d(i) * b(i) - d(i) * c(i))");
    expect_distributed(f, "x(i) = (b(i) + c(i)) * (d(i) + e(i))",
                       "forall(i, x(i) = b(i) * d(i) + b(i) * e(i) + (c(i) * d(i) + c(i) * e(i)))");
    expect_distributed(f, "x(i) = (b(i) + 1) * 2 * d(i)", "forall(i, x(i) = b(i) * 2 * d(i) + 1 * 2 * d(i))");
    /* the sum has no operand to join with these factors */
    expect_distributed(f, "x(i) = 2 * (b(i) + c(i))", "forall(i, x(i) = 2 * (b(i) + c(i)))");
    expect_distributed(f, "x(i) = a * (b(i) + c(i))", "forall(i, x(i) = a * (b(i) + c(i)))");
}

/* Intersecting operations move into uniting operations, if one distributes over the other. */
static void meets_come_before_unions(void **state) {
    fixture *f = *state;
    expect_met(f, "x(i) = (b(i) ^ c(i)) & d(i)", "forall(i, x(i) = xor(b(i) & d(i), c(i) & d(i)))");
    expect_met(f, "x(i) = d(i) & (b(i) | c(i) | e(i))",
               "forall(i, x(i) = d(i) & b(i) | d(i) & c(i) | d(i) & e(i))");
    expect_met(f, "x(i) = mask(d(i), b(i) - c(i))", "forall(i, x(i) = when(d(i), b(i)) - when(d(i), c(i)))");
    /* these do not */
    expect_met(f, "x(i) = (b(i) + c(i)) & d(i)", "forall(i, x(i) = b(i) + c(i) & d(i))");
    /* without distributivity, the factor with the variables leads the part and is united with it */
    expect_met(f, "x(i) = (b(i) ^ c(i)) * d(i)",
               "forall(i, x(i) = times(d(i), xor(when(d(i), b(i)), when(d(i), c(i)))))");
    expect_met(
        f, "X(i,j) = e(j) * A(i,j) * abs(b(i) - c(j))",
        "forall(i, forall(j, X(i,j) = times(e(j) * A(i,j), abs(when(A(i,j), b(i)) - when(A(i,j), c(j))))))");
    expect_met(f, "X(i,j) = d(i) * max(B(i,j), C(i,j))",
               "forall(i, forall(j, X(i,j) = d(i) * max(B(i,j), C(i,j))))");
    /* a square uses its operand once, unless the square is joined with more operands */
    expect_met(f, "x(i) = (b(i) - c(i)) * (b(i) - c(i))", "forall(i, x(i) = square(b(i) - c(i)))");
    expect_met(f, "x(i) = (b(i) - c(i)) * (c(i) - b(i))",
               "forall(i, x(i) = b(i) * c(i) - b(i) * b(i) - (c(i) * c(i) - c(i) * b(i)))");
    expect_met(f, "x(i) = b(i) * b(i)", "forall(i, x(i) = b(i) * b(i))");
    expect_met(f, "x(i) = b(i) + sum(j, (B(i,j) + c(j)) * (B(i,j) + c(j)))",
               "forall(i, where(x(i) = b(i) + t1, forall(j, t1 += square(B(i,j) + c(j)))))");
    /* a mask of a sum is met before the sum's loop */
    expect_met(f, "x(i) = mask(d(i), B(i,j) * c(j))",
               "forall(i, forall(j, x(i) += when(d(i), B(i,j) * c(j))))");
    expect_met(f, "x(i) = mask(d(i), max(j, B(i,j)))",
               "forall(i, where(x(i) = when(d(i), t1), forall(j, t1 max= B(i,j))))");
}

/* Only terms of an addition can be absent, and only factors without the sum's variables can leave the sum. */
static void factors_leave_sums_that_may_be_absent(void **state) {
    fixture *f = *state;
    expect_distributed(f, "X(i,j) = D(i,j) + a * B(i,j,k) * 2 * c(k) * e(j)",
                       "forall(i, forall(j, where(X(i,j) = D(i,j) + a * 2 * e(j) * t1, forall(k, t1 += "
                       "B(i,j,k) * c(k)))))");
    expect_distributed(f, "x(i) = b(i) - a * B(i,j,k) * c(j)",
                       "forall(i, where(x(i) = b(i) - a * t1, forall(j, forall(k, t1 += B(i,j,k) * c(j)))))");
    expect_distributed(f, "x(i) = a * B(i,j) * c(j)", "forall(i, forall(j, x(i) += a * B(i,j) * c(j)))");
    expect_distributed(f, "x(i) = b(i) + B(i,j) * c(j)",
                       "forall(i, where(x(i) = b(i) + t1, forall(j, t1 += B(i,j) * c(j))))");
}

static void expect_packed(fixture *f, fe_case c, const char *dump, const char *repacked) {
    sam_statement s;
    const char *text = "";
    if (!fe_case_pack(f, &c, &s))
        fail_msg("%s\n%s", c.expression, fixture_printed(f));
    for (uint32_t t = 1; t <= s.tensors.len; t++) {
        const char *one = fe_repacked(&s, (sam_tensor){t}, &f->mem);
        text = one ? arena_printf(&f->mem, "%s%s%s", text, *text ? "; " : "", one) : text;
    }
    assert_string_equal(fe_case_dump(f, &s), arena_printf(&f->mem, "%s\n", dump));
    assert_string_equal(text, repacked);
}

static void packing_gives_each_access_a_plain_tensor(void **state) {
    fixture *f = *state;
    expect_packed(f, (fe_case){.expression = "X(i,j) = B(i,k) * C(k,j)"},
                  "forall(i, forall(j, forall(k, X(i,j) += B(i,k) * C(k,j))))", "C as ss:1,0");
    expect_packed(f, (fe_case){.expression = "X(i,j) = B(i,k) * C(k,j)", .format = {"C:ss:1,0"}},
                  "forall(i, forall(j, forall(k, X(i,j) += B(i,k) * C(k,j))))", "");
    expect_packed(f, (fe_case){.expression = "X(i,j) = B(i,k) * B(k,j)", .format = {"B:ds"}},
                  "forall(i, forall(j, forall(k, X(i,j) += B(i,k) * B_2(k,j))))", "B as ds:1,0, called B_2");
    expect_packed(f, (fe_case){.expression = "x(i) = B(i,i) + B(i,i)"}, "forall(i, x(i) = B(i) + B_2(i))",
                  "the diagonal of B as s; the diagonal of B as s, called B_2");
    expect_packed(f, (fe_case){.expression = "x(j) = B(i,j,i)", .format = {"B:dsd"}},
                  "forall(j, forall(i, x(j) += B(i,j)))", "the diagonal of B as ds:1,0");
    expect_packed(f, (fe_case){.expression = "X(i,i) = b(i)"}, "forall(i, X(i) = b(i))",
                  "the diagonal of X as s");
    expect_packed(f, (fe_case){.expression = "x = a * a"}, "x = a * a_2", "a as a scalar, called a_2");
    expect_packed(f, (fe_case){.expression = "X(i,j) = B(i,j)", .schedule = "reorder(j,i)"},
                  "forall(j, forall(i, X(i,j) = B(i,j)))", "X as ss:1,0; B as ss:1,0");
    expect_packed(f, (fe_case){.expression = "x(i) = B(i,j)", .format = {"B:uc"}},
                  "forall(i, forall(j, x(i) += B(i,j)))", "B as ss");
}

/* A split makes a tensor that is itself a view: packing looks through the view. */
static void packing_looks_through_views(void **state) {
    fixture *f = *state;
    fe_case c = {.expression = "x(i) = B(i,o) * d(o)", .schedule = "reorder(o,i)"};
    sam_statement s, packed;
    assert_true(fe_case_parse(f, &c, &s));
    sam_tensor_data *b = sam_tensor_at(&s, (sam_tensor){2});
    b->view = (sam_view){.source = b->name, .source_order = 1, .from = {{0, 4, 0}, {0, 1, 4}}, .equal = {0}};
    assert_true(fe_pack(&s, false, &f->mem, &f->diag, &packed));
    b = sam_tensor_at(&packed, (sam_tensor){2});
    assert_int_equal(b->mode[0], 1);
    assert_int_equal(b->view.source_order, 1);
    assert_int_equal(b->view.from[0].divide, 4);
    assert_int_equal(b->view.from[1].modulo, 4);
}

/* Tensors that the host re-packs after the graph of a case is built, for streams with or without exact
 * stops. */
static const char *built(fixture *f, fe_case c, bool exact) {
    const fe_lower_options options = {.drop = true, .exact_stops = exact};
    sam_statement s, packed;
    sam_graph g;
    if (!fe_case_parse(f, &c, &s) || !fe_build(&s, &options, &f->mem, &f->diag, &packed, &g))
        fail_msg("%s\n%s", c.expression, fixture_printed(f));
    assert_true(sam_check(&g, &f->diag));
    const char *text = fe_repacked(&packed, packed.result, &f->mem);
    return text ? text : "";
}

static void a_dense_result_is_written_as_the_loops_allow(void **state) {
    fixture *f = *state;
    fe_case sparse = {.expression = "x(i) = B(i,j) * c(j)", .format = {"x:d"}};
    assert_string_equal(built(f, sparse, false), "x as s");
    assert_string_equal(built(f, sparse, true), "");
    fe_case dense = {.expression = "x(i) = B(i,j) * c(j)", .format = {"x:d", "B:dd", "c:d"}};
    assert_string_equal(built(f, dense, false), "");
    fe_case rows = {.expression = "X(i,j) = B(i,j) * C(i,j)", .format = {"X:ds", "B:ds", "C:ds"}};
    assert_string_equal(built(f, rows, false), "X as ss");
}

static void the_checker_finds_what_the_parser_never_builds(void **state) {
    fixture *f = *state;
    fe_case c = {.expression = "x(i) = B(i,j) * c(j)"};
    sam_statement s;
    assert_true(fe_case_parse(f, &c, &s));
    assert_true(fe_check(&s, &f->diag));
    sam_statement broken = s;
    broken.loops.len--;
    assert_false(fe_check(&broken, &f->diag));
    broken = s;
    broken.rhs = sam_expr_at(&s, s.rhs)->a; /* j is no longer bound */
    assert_false(fe_check(&broken, &f->diag));
    sam_tensor_at(&s, (sam_tensor){2})->mode[1] = 0;
    assert_false(fe_check(&s, &f->diag));
    sam_tensor_at(&s, (sam_tensor){2})->mode[1] = 1;
    sam_expr_at(&s, sam_expr_at(&s, s.rhs)->a)->b = sam_expr_at(&s, sam_expr_at(&s, s.rhs)->a)->a;
    assert_false(fe_check(&s, &f->diag));
    assert_string_equal(fixture_printed(f),
                        "onyx: error: 'j' is bound but has not a loop [E0130-statement]\n"
                        "<expression>:1:8: error: an index of B is neither summed over nor in the result "
                        "[E0130-statement]\n"
                        "    x(i) = B(i,j) * c(j)\n"
                        "           ^~~~~~\n"
                        "<expression>:1:8: error: the modes of B are no permutation [E0130-statement]\n"
                        "    x(i) = B(i,j) * c(j)\n"
                        "           ^~~~~~\n"
                        "<expression>:1:8: error: an expression is used in two places [E0130-statement]\n"
                        "    x(i) = B(i,j) * c(j)\n"
                        "           ^~~~~~\n");
}

RUN_TESTS(TEST(variables_missing_on_the_left_are_summed_over_in_each_term),
          TEST(a_sum_covers_the_smallest_part_that_uses_its_variable), TEST(explicit_sums_keep_their_scope),
          TEST(the_text_form_is_read_back_with_the_same_meaning),
          TEST(scalars_and_tacos_subscripts_are_accesses),
          TEST(loops_follow_the_result_then_the_sums_then_the_schedule), TEST(formats_say_levels_and_modes),
          TEST(products_of_sums_become_sums_of_products), TEST(meets_come_before_unions),
          TEST(factors_leave_sums_that_may_be_absent), TEST(packing_gives_each_access_a_plain_tensor),
          TEST(packing_looks_through_views), TEST(a_dense_result_is_written_as_the_loops_allow),
          TEST(the_checker_finds_what_the_parser_never_builds))
