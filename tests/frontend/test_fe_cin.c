/* frontend/: concrete index notation reads back, random trees of operators included; invalid notation and
 * random text are refused.
 */
#include "frontend/language/language.h"
#include "tests/frontend/cin_equal.h"
#include "tests/frontend/scheduled.h"

static void concrete_index_notation_reads_back(void **state) {
    fixture *f = *state;
    scheduled_reads_back(f, spmm, "reorder(i,k,j)",
                         "forall(i, forall(k, forall(j, X(i,j) += B(i,k) * C(k,j))))");
    scheduled_reads_back(
        f, spmm, "split(j,j0,j1,8), reorder(i,j0,k,j1), parallelize(j1,CPUVector,NoRaces), unroll(i,2)",
        "suchthat(forall(i, forall(j0, forall(k, forall(j1, X(i,j) += B(i,k) * C(k,j), "
        "parallelize(CPUVector,NoRaces)))), unroll(2)), split(j,j0,j1,8))");
    scheduled_reads_back(
        f, sddmm, "precompute(C(i,k)*D(k,j),{i,j},{iw,jw},w), parallelize(k,Lanes(4),Temporary)",
        "where(forall(i, forall(j, X(i,j) = B(i,j) * w(i,j))), forall(iw, forall(jw, forall(k, w(iw,jw) += "
        "C(iw,k) * D(k,jw), parallelize(Lanes(4),Temporary)))))");
    scheduled_reads_back(
        f, spmm, "reorder(i,k,j), precompute(B(i,k)*C(k,j),j,jw,w)",
        "where(forall(i, forall(j, X(i,j) = w(i,j))), forall(i, forall(k, forall(jw, w(i,jw) += B(i,k) * "
        "C(k,jw)))))");
    scheduled_reads_back(
        f, sddmm, "precompute(C(i,k)*D(k,j),{},{})",
        "forall(i, forall(j, where(X(i,j) = B(i,j) * t1, forall(k, t1 += C(i,k) * D(k,j)))))");
    scheduled_reads_back(
        f, spmv, "pos(j,jp,B), bound(i,ib,8,MaxExact), divide(ib,i0,i1,2), unroll(jp,2)",
        "suchthat(forall(i0, forall(i1, forall(jp, x(i) += B(i,j) * c(j), unroll(2)))), pos(j,jp,B), "
        "bound(i,ib,8,MaxExact), divide(ib,i0,i1,2))");
    scheduled_reads_back(f, spmv, "fuse(i,j,f)", "suchthat(forall(f, x(i) += B(i,j) * c(j)), fuse(i,j,f))");
    scheduled_reads_back(
        f, "x(i) = sum(j, B(i,j) * c(j)) * d(i)", "reorder(j,i)",
        "suchthat(forall(i, where(x(i) = t1 * d(i), forall(j, t1 += B(i,j) * c(j)))), order(j,i))");
    scheduled_reads_back(f, "x(i) = B(i,k) * c(k) + D(i,k) * e(k)", "unroll(k,2)", NULL);
    scheduled_reads_back(f, "x(i) = -(2 - b(i)) / (c(i) + sum(j, D(i,j) * t1)) - -3 * sum(k, E(i,k))", "",
                         NULL);
    scheduled_reads_back(f,
                         "y(i) = sum(j, coalesce(x(permit(i+j-1)), 0) * w(j)) + coalesce(u(permit(i)), x(i))",
                         "", "forall(i, where(y(i) = t1 + uPart(i), forall(j, t1 += xPart(i,j) * w(j))))");
    scheduled_reads_back(f, "x(i) = v(i(0:7:2)) * B(i+1,j::gallop) * c(j::follow) + D(i,3)", "", NULL);
    scheduled_reads_back(f, "x = b + c(i) * sum(j, D(i,j) * sum(k, E(j,k)))", "split(k,k0,k1,2)", NULL);
}

/* The text as an expression and a schedule gives the same text. */
static void comes_back_from_commands(fixture *f, const char *text, bool integers) {
    const char *expression, *schedule;
    sam_statement s;
    fe_cin cin;
    if (!fe_cin_expression("<file>", text, &f->mem, &f->diag, &expression, &schedule))
        fail_msg("%s\n%s", text, fixture_printed(f));
    const fe_in in = {.expression = expression, .schedule = &schedule, .n_schedule = 1, .integers = integers};
    if (!fe_in_schedule(f, &in, &s, &cin))
        fail_msg("%s\n%s; %s\n%s", text, expression, schedule, fixture_printed(f));
    assert_string_equal(scheduled_text(f, &cin), text);
}

static void loops_are_commands(void **state) {
    fixture *f = *state;
    static const char *const texts[] = {
        "forall(i, forall(k, forall(j, X(i,j) += B(i,k) * C(k,j))))",
        "suchthat(forall(i, forall(j0, forall(k, forall(j1, X(i,j) += B(i,k) * C(k,j), "
        "parallelize(CPUVector,NoRaces)))), unroll(2)), split(j,j0,j1,8))",
        "suchthat(forall(i0, forall(i1, forall(jp, x(i) += B(i,j) * c(j), unroll(2)))), pos(j,jp,B), "
        "bound(i,ib,8,MaxExact), divide(ib,i0,i1,2))",
        "suchthat(forall(f, x(i) += B(i,j) * c(j)), fuse(i,j,f))",
        "forall(i, forall(j, where(X(i,j) = B(i,j) * t1, forall(k, t1 max= C(i,k) * D(k,j), "
        "parallelize(Lanes(4),Temporary)))))",
        "x = a"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        comes_back_from_commands(f, texts[i], true);
}

static void einsum_strings(void **state) {
    fixture *f = *state;
    static const char *const cases[][2] = {{"ij,jk->ik", "x(i,k) = t0(i,j) * t1(j,k)"},
                                           {" i j , kj ", "x(i,k) = t0(i,j) * t1(k,j)"},
                                           {"ij,ij->", "x = t0(i,j) * t1(i,j)"},
                                           {"ba,", "x(a,b) = t0(b,a) * t1"},
                                           {"iB->Bi", "x(B,i) = t0(i,B)"},
                                           {"ii->", "x = t0(i,i)"},
                                           {"ij->k", NULL},
                                           {"ij->ii", NULL},
                                           {"i...->i", NULL},
                                           {"ij->i,j", NULL},
                                           {"i->i->i", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(fe_is_einsum(cases[i][0]));
        const char *made = fe_einsum(cases[i][0], &f->mem, &f->diag);
        if (cases[i][1])
            assert_string_equal(made, cases[i][1]);
        assert_true((made == NULL) == (cases[i][1] == NULL));
    }
    assert_non_null(strstr(fixture_printed(f), "<einsum>:1:5: error: no operand has this index"));
    assert_non_null(strstr(fixture_printed(f), "[E0186-einsum]"));
    assert_false(fe_is_einsum("x(i) = b(i)") || fe_is_einsum("x = a") || fe_is_einsum("x"));
}

static void refuse_cin(fixture *f, const char *text, const char *expected) {
    fe_cin cin;
    diag_init(&f->diag, &f->mem);
    if (fe_cin_parse(text, &f->names, &f->mem, &f->diag, &cin))
        fail_msg("accepted: %s", text);
    const char *printed = fixture_printed(f), *line = strchr(printed, '\n');
    assert_string_equal(arena_strndup(&f->mem, printed, (size_t)(line - printed)), expected);
}

static void concrete_index_notation_is_checked(void **state) {
    fixture *f = *state;
    text_out deep;
    text_begin(&deep);
    for (uint32_t n = 0; n < 300; n++)
        fputs("forall(i, ", deep.stream);
    refuse_cin(f, text_end(&deep, &f->mem),
               "<cin>:1:2561: error: nested more than 256 deep [E0118-too-large]");
    refuse_cin(f, "forall(i, x(i) += b(i))",
               "<cin>:1:16: error: no loop around this is a sum: write '=' [E0150-cin]");
    refuse_cin(f, "forall(i, forall(j, x(i) = B(i,j)))",
               "<cin>:1:26: error: a loop around this is a sum: write '+=' [E0150-cin]");
    refuse_cin(f, "forall(i, where(x(i) = b(i), forall(j, t += c(j))))",
               "<cin>:1:40: error: the temporary is used 0 times, not once [E0150-cin]");
    refuse_cin(f, "forall(i, where(forall(j, x(i) += w(j)), forall(k, w(k) = b(k))))",
               "<cin>:1:24: error: a loop inside of the consumer of a where [E0150-cin]");
    refuse_cin(f, "forall(i, where(x(i) = w(i), forall(k, w(k) = b(k))))",
               "<cin>:1:40: error: only a scalar can be computed inside of loops [E0150-cin]");
    refuse_cin(f, "forall(i, x(i) = sum(j, B(i,j)))",
               "<cin>:1:18: error: a sum is a loop with '+=' here [E0150-cin]");
    refuse_cin(f, "forall(i, x(i) = B(i,j))",
               "<cin>:1:18: error: an index of B is neither summed over nor in the result [E0130-statement]");
    refuse_cin(f, "forall(j, forall(i, x(i) = b(i)))",
               "<cin>:1:26: error: a loop around this is a sum: write '+=' [E0150-cin]");
    refuse_cin(f, "suchthat(forall(i, x(i) = b(i)), split(i,i0,i1,4))",
               "<cin>:1:22: error: 'i' binds nothing, but has a loop [E0150-cin]");
    refuse_cin(f, "where(forall(i, x(i) = b(i)), forall(j, w(j) = c(j)))",
               "<cin>:1:41: error: nothing reads the workspace 'w' [E0150-cin]");
    refuse_cin(f, "forall(i, x(i) = b(i), unroll(0))",
               "<cin>:1:31: error: 0 is no whole number from 1 to 64 [E0142-number]");
    refuse_cin(
        f, "forall(i, x(i) = b(i), twice)",
        "<cin>:1:24: error: expected unroll(n) or parallelize(unit,strategy), found 'twice' [E0102-syntax]");
    refuse_cin(f, "forall(i x(i) = b(i))", "<cin>:1:10: error: expected ',', found 'x' [E0102-syntax]");
    refuse_cin(f, "forall(i, x(i) = b(i)", "<cin>:1:22: error: expected ')', found the end [E0102-syntax]");
    refuse_cin(f, "forall(i, x(i) = b(i)) j",
               "<cin>:1:24: error: expected the end, found 'j' [E0102-syntax]");
    refuse_cin(f, "suchthat(forall(i0, x(i) = b(i)), split(i,i0,i,4))",
               "<cin>:1:35: error: 'i' is not new [E0150-cin]");
    refuse_cin(f, "suchthat(forall(i0, x(i) = b(i)), bound(i,i0,4,MaxExact), bound(i0,i,4,MaxExact))",
               "<cin>:1:59: error: 'i' is not new [E0150-cin]");
    refuse_cin(f, "suchthat(forall(ib, x(i) = b(i)), bound(i,ib,0,MaxExact))",
               "<cin>:1:35: error: a loop without iterations [E0150-cin]");
    refuse_cin(f, "suchthat(forall(i, x(i) = b(i)), i0)",
               "<cin>:1:34: error: expected a relation such as split(i,i0,i1,4), found 'i0' [E0102-syntax]");
}

static void a_bound_kernel_has_no_loops(void **state) {
    static const char *const text[] = {
        "suchthat(forall(i, where(x(i) = b(i) + t1, forall(j, t1 += C(i,j)))), bind(host))",
        "suchthat(forall(i0, x(i) = b(i)), bound(i,i0,4,MaxExact), bind(host))",
        "suchthat(forall(i, x(i) = b(i), unroll(2)), bind(host))"};
    scheduled_reads_back(*state, "x(i) = sum(j, B(i,j) * c(j)) / d(i)", "bind(sum(j,B(i,j)*c(j))/d(i),host)",
                         "where(suchthat(forall(i, x(i) = w(i) / d(i)), bind(host)), forall(i, forall(j, "
                         "w(i) += B(i,j) * c(j))))");
    scheduled_reads_back(*state, "x(i) = b(i) * c(i) + d(i)", "bind(c(i)*b(i),host)", NULL);
    scheduled_reads_back(*state, spmm, "reorder(k,i,j), bind(B(i,k),host)", NULL);
    refuse_cin(*state, text[0], "<cin>:1:60: error: the host sums up a whole right side only [E0150-cin]");
    for (int i = 1; i < 3; i++)
        refuse_cin(*state, text[i], "onyx: error: the host has no loops to schedule [E0150-cin]");
    refuse_cin(*state, "suchthat(forall(i, x(i) = b(i)), bind(3))",
               "<cin>:1:39: error: expected 'host', or a function, found '3' [E0102-syntax]");
    refuse_cin(
        *state, "suchthat(forall(i, x(i) = b(i)), bind(f,bound(i)))",
        "<cin>:1:41: error: expected fix(i), promote(T,place) or tag(T,word), found 'bound' [E0102-syntax]");
    refuse_cin(*state, "suchthat(forall(i, x(i) = b(i), unroll(2)), bind(f))",
               "onyx: error: calls have no copies [E0150-cin]");
    refuse_cin(*state, "suchthat(forall(i0, x(i) = b(i)), bound(i,i0,4,MaxExact), bind(f))",
               "<cin>:1:35: error: the parts of calls are those of split and divide, once [E0150-cin]");
}

/* Notes about a call are kept and read back: a line a note. */
static void what_is_said_of_a_call_is_kept(void **state) {
    fixture *f = *state;
    static const char text[] = "suchthat(forall(i, forall(j, X(i,j) = B(i,j) * c(j))), "
                               "bind(f, fix(i,j), promote(c,1), promote(B,0), tag(X,rows)))";
    fe_cin cin, again;
    if (!fe_cin_parse(text, &f->names, &f->mem, &f->diag, &cin))
        fail_msg("%s", fixture_printed(f));
    const fe_kernel *k = &cin.kernels.at[0];
    static const struct {
        int kind;
        const char *tensor, *tag;
        uint32_t position;
    } notes[] = {{FE_PROMOTED, "c", NULL, 1}, {FE_PROMOTED, "B", NULL, 0}, {FE_TAGGED, "X", "rows", 0}};
    assert_true(k->on_host);
    assert_string_equal(names_text(&f->names, k->binding.function), "f");
    assert_int_equal(k->binding.fixed, 3);
    assert_int_equal(k->binding.notes.len, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const fe_binding_note *note = &k->binding.notes.at[i];
        assert_int_equal(note->kind, notes[i].kind);
        assert_string_equal(names_text(&f->names, note->tensor), notes[i].tensor);
        assert_int_equal(note->position, notes[i].position);
        if (notes[i].tag)
            assert_string_equal(names_text(&f->names, note->tag), notes[i].tag);
    }
    const char *printed = scheduled_text(f, &cin);
    assert_true(fe_cin_parse(printed, &f->names, &f->mem, &f->diag, &again));
    assert_true(cins_equal(&cin, &again));
    assert_string_equal(scheduled_text(f, &again), printed);
    for (uint32_t i = 0; i < 3; i++)
        assert_non_null(
            strstr(printed, ((const char *const[]){"promote(c,1)", "promote(B,0)", "tag(X,rows)"})[i]));
    refuse_cin(f, "suchthat(forall(i, x(i) = b(i)), bind(f,promote(b,12)))",
               "<cin>:1:51: error: 12 is no whole number from 0 to 11 [E0142-number]");
    refuse_cin(f, "suchthat(forall(i, x(i) = b(i)), bind(f,promote(b)))",
               "<cin>:1:50: error: expected ',', found ')' [E0102-syntax]");
    refuse_cin(f, "suchthat(forall(i, x(i) = b(i)), bind(f,tag(b,3)))",
               "<cin>:1:47: error: expected a tag, found '3' [E0102-syntax]");
}

/* Text made of the languages' own pieces is accepted or refused, without a crash; accepted text reads
 * back. */
static void answer_random_text(fixture *f, uint32_t n, void *of) {
    static const char *const piece[] = {
        "i",           "j",        "k",      "i0",        "w",       "(",
        ")",           ",",        "{",      "}",         "4",       "B(i,j)",
        "C(i,k)",      "*",        "split(", "fuse(",     "pos(",    "bound(",
        "precompute(", "unroll(",  "Lanes(", "NoRaces",   "forall(", "where(",
        "+=",          "=",        "x(i)",   "suchthat(", "t1",      "parallelize(",
        "reorder(",    "MaxExact", "$",      "-",         "bind(",   "host"};
    static const char *const start[] = {"", "split(i,i0", "forall(i, ", "forall(i, x(i) = ", "unroll(i,"};
    fe_random *r = of;
    const char *text = start[prng_below(&r->random, 5)];
    for (uint32_t length = prng_below(&r->random, 10); length > 0; length--)
        text =
            arena_printf(&f->mem, "%s%s", text, piece[prng_below(&r->random, sizeof piece / sizeof *piece)]);
    sam_statement s;
    fe_cin cin, again;
    fe_case c = {.expression = sddmm, .schedule = text};
    bool ok =
        n % 2 ? fe_case_schedule(f, &c, &s, &cin) : fe_cin_parse(text, &f->names, &f->mem, &f->diag, &cin);
    assert_true(ok == !diag_failed(&f->diag));
    if (!ok)
        return;
    assert_true(fe_cin_parse(scheduled_text(f, &cin), &f->names, &f->mem, &f->diag, &again));
    assert_true(cins_equal(&cin, &again));
    r->accepted++;
}

/* ---- random trees of operators -------------------------------------------------------------- */

typedef struct {
    fixture *f;
    prng *random;
    uint32_t sums; /* number of sums; each has a variable of its own */
    bool integers;
} grower;

static const char *pick(grower *g, const char *const *from, uint32_t n) {
    return from[prng_below(g->random, n)];
}
#define PICK(g, ...)                                                                                         \
    pick(g, (const char *const[]){__VA_ARGS__}, sizeof(const char *const[]){__VA_ARGS__} / sizeof(char *))

/* A leaf with variable `v`; NULL: with a variable of the result. */
static const char *grow_leaf(grower *g, const char *v) {
    arena *mem = &g->f->mem;
    if (v)
        return prng_below(g->random, 2) ? arena_printf(mem, "c(%s)", v) : arena_printf(mem, "D(i,%s)", v);
    return g->integers ? PICK(g, "B(i,j)", "c(i)", "e", "3", "-7", "struct(b(i))", "not struct(b(j))")
                       : PICK(g, "B(i,j)", "c(i)", "e", "0.5", "-7", "1e-3", "struct(b(i))");
}

static const char *grow(grower *g, uint32_t depth, const char *v);

/* Two operands, at least one with variable v. */
static void grow_two(grower *g, uint32_t depth, const char *v, const char *of[2]) {
    const uint32_t has = prng_below(g->random, 2);
    of[has] = grow(g, depth, v);
    of[!has] = grow(g, depth, prng_below(g->random, 3) ? v : NULL);
}

static const char *grow(grower *g, uint32_t depth, const char *v) {
    arena *mem = &g->f->mem;
    const uint32_t kind = depth ? prng_below(g->random, 10) : 0;
    const char *of[2];
    if (kind == 0)
        return grow_leaf(g, v);
    if (kind == 1 && g->sums < 5) {
        const char *k = arena_printf(mem, "k%u", g->sums++);
        const char *name =
            g->integers ? PICK(g, "sum", "prod", "min", "max", "and", "or", "xor", "land", "lor", "addhigh")
                        : PICK(g, "sum", "prod", "min", "max", "land", "lor", "addlow");
        grow_two(g, depth - 1, k, of);
        return v ? arena_printf(mem, "%s * %s(%s, (%s) + %s)", grow_leaf(g, v), name, k, of[0], of[1])
                 : arena_printf(mem, "%s(%s, min((%s), %s))", name, k, of[0], of[1]);
    }
    if (kind == 2)
        return arena_printf(mem,
                            g->integers ? PICK(g, "-(%s)", "~(%s)", "abs(%s)", "relu(%s)", "pow(%s, 3)",
                                               "ldexp(%s, 2)", "clamp(%s, -2, 5)", "(not (%s))")
                                        : PICK(g, "-(%s)", "abs(%s)", "fabs(%s)", "(not (%s))"),
                            grow(g, depth - 1, v));
    grow_two(g, depth - 1, v, of);
    if (kind < 5) {
        const char *name = g->integers ? PICK(g, "min", "max", "and", "or", "xor", "land", "lor", "addhigh",
                                              "addlow", "when", "unless", "reach", "absdiff", "mask")
                                       : PICK(g, "fmin", "fmax", "land", "lor", "addhigh", "addlow", "when",
                                              "unless", "reach", "mask");
        return arena_printf(mem, "%s(%s, %s)", name, of[0], of[1]);
    }
    const char *sign = g->integers
                           ? PICK(g, "||", "&&", "==", "!=", "<", "<=", ">", ">=", "|", "^", "&", "<<", ">>",
                                  "+", "-", "*", "/", "%")
                           : PICK(g, "||", "&&", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/");
    return arena_printf(mem, "(%s) %s (%s)", of[0], sign, of[1]);
}

/* Every operator next to and below every other operator, with sums between. */
static void read_back_random_tree(fixture *f, uint32_t n, void *of) {
    static const char *const semirings[] = {NULL, "min_plus", "lor_land"};
    fe_random *r = of;
    grower g = {f, &r->random, 0, n % 4 != 0};
    const char *tree = grow(&g, 1 + prng_below(g.random, 4), NULL);
    const fe_in in = {.expression = arena_printf(&f->mem, "X(i,j) = B(i,j) + (%s)", tree),
                      .integers = g.integers,
                      .semiring = semirings[n % 9 < 3 ? n % 9 : 0]};
    sam_statement s;
    fe_cin cin, again;
    if (!fe_in_schedule(f, &in, &s, &cin)) {
        assert_true(diag_failed(&f->diag));
        return;
    }
    const char *text = scheduled_text(f, &cin);
    if (!fe_cin_parse(text, &f->names, &f->mem, &f->diag, &again))
        fail_msg("%s\n%s\n%s", in.expression, text, fixture_printed(f));
    if (!cins_equal(&cin, &again) || strcmp(scheduled_text(f, &again), text) != 0)
        fail_msg("%s\n%s\n%s", in.expression, text, scheduled_text(f, &again));
    if (!in.semiring) /* its infinities are numbers in this text only */
        comes_back_from_commands(f, text, g.integers);
    r->accepted++;
}

static void random_trees_read_back(void **state) {
    (void)state;
    expect_accepted(11, 5000, read_back_random_tree, 4500);
}

static void random_texts_are_answered(void **state) {
    (void)state;
    expect_accepted(5, 5000, answer_random_text, 20);
}

RUN_TESTS(TEST(concrete_index_notation_reads_back), TEST(loops_are_commands), TEST(einsum_strings),
          TEST(concrete_index_notation_is_checked), TEST(a_bound_kernel_has_no_loops),
          TEST(what_is_said_of_a_call_is_kept), TEST(random_trees_read_back), TEST(random_texts_are_answered))
