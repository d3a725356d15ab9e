/* Netlists of expressions, without any SplitFIFO, on all small tensors or many of them: the known kernels are
 * safe, and no deadlock of a random expression is excluded. test_deadlock_kernels [EXPRESSIONS [SEED [RUNS of
 * each]]]
 */
#include "frontend/language/language.h"
#include "frontend/lowering/lowering.h"
#include "frontend/schedules/schedules.h"
#include "tests/deadlock/play.h"
#include "tests/quota.h"

static uint32_t expressions = 60, first_seed = 1, most_runs = 100;

/* Operands are T0, T1, ..: play.h uses their numbers. */
typedef struct {
    const char *expression, *schedule;
} kernel;
static const kernel kernels[] = {{"X(i) = T0(i)", NULL},
                                 {"X(i,j,k) = T0(i,j,k)", NULL},
                                 {"X(i) = T0(i) + T1(i)", NULL},
                                 {"X(i) = T0(i) * T1(i)", NULL},
                                 {"X(i,j) = T0(i,j) * T1(i,j)", NULL},
                                 {"X(i,j) = T0(i,j) + T1(i,j)", NULL},
                                 {"X(i,j,k) = T0(i,j,k) + T1(i,j,k)", NULL},
                                 {"X(i,j,k) = T0(i,j,k) * T1(i,j,k)", NULL},
                                 {"X(i,j) = T0(i,j) + T1(i,j) + T2(i,j)", NULL},
                                 {"X(i,j) = T0(i,j) * T1(i,j) * T2(i,j)", NULL},
                                 {"X(i) = T0(i,j) * T1(j)", NULL},
                                 {"X(i,j) = T0(i,k) * T1(k,j)", "reorder(i,j,k)"},
                                 {"X(i,j) = T0(i,k) * T1(k,j)", "reorder(j,i,k)"},
                                 {"X(i,j) = T0(i,j) * T1(i,k) * T2(k,j)", NULL},
                                 {"X = T0(i,j,k) * T1(i,j,k)", NULL},
                                 {"X(i,j) = T0(i,j,k) * T1(k)", NULL},
                                 {"X(i,j,k) = T0(i,j,l) * T1(k,l)", NULL},
                                 {"X(i,j) = T0(i,k,l) * T1(j,k) * T2(j,l)", "reorder(j,i,k,l)"},
                                 {"X(i) = T0(i) - T1(i,j) * T2(j)", NULL},
                                 {"X(i) = T3 * T0(j,i) * T1(j) + T3 * T2(i)", NULL},
                                 {"X(i,j) = (T0(i,j) + T1(i,j)) * T2(i,j)", NULL},
                                 {"X(i) = (T0(i,k) + T1(i,k)) * T2(k)", NULL},
                                 /* sums of vectors */
                                 {"X(i,j) = T0(i,k) * T1(k,j)", "reorder(i,k,j)"},
                                 {"X(i,j) = T0(i,k) * T1(k,j)", "reorder(j,k,i)"},
                                 {"X(i) = T0(i,j) * T1(j)", "reorder(j,i)"},
                                 {"X(i) = T2(i) - T0(i,j) * T1(j)", "reorder(j,i)"},
                                 {"X(i,j) = T0(i,j) * T1(i,k) * T2(k,j)", "reorder(i,k,j)"},
                                 {"X(i,j) = T0(i,j,k) * T1(k)", "reorder(i,k,j)"}};

/* Sums of vectors on profile onyx-ext, also where the chip has none. */
static const kernel extended_kernels[] = {{"X(i,j) = T0(i,k) * T1(k,j)", "reorder(i,k,j)"},
                                          {"X(i) = T0(i,j) * T1(j)", "reorder(j,i)"},
                                          {"X(i) = T2(i) - T0(i,j) * T1(j)", "reorder(j,i)"},
                                          {"X(i,j) = T0(i,j) * T1(i,k) * T2(k,j)", "reorder(i,k,j)"},
                                          {"X(i,j,k) = T0(i,j,l) * T1(k,l)", "reorder(i,j,l,k)"},
                                          {"X(i,j) = T0(i,k,l) * T1(k,j) * T2(l,j)", "reorder(i,k,l,j)"}};

static const lower_options chip = {.tile_edge = 4}, ours = {.tile_edge = 4, .extended = true},
                           in_turn = {.tile_edge = 4, .extended = true, .sharing = SAM_SHARING_ALL};

static bool lowered(fixture *f, const char *expression, const char *schedule, const lower_options *onto,
                    netlist *out) {
    const char *schedules[] = {schedule};
    const fe_in in = {
        .expression = expression, .schedule = schedules, .n_schedule = schedule != NULL, .integers = true};
    const fe_lower_options options = {.drop = true};
    sam_statement user, expanded, statement;
    sam_graph once, graph, joined, hardware;
    onyx_graph *onyx = NULL;
    fe_cin cin;
    if (!fe_parse(&in, &f->names, &f->mem, &f->diag, &user) || !fe_check(&user, &f->diag) ||
        !fe_schedule(&in, &user, &f->mem, &f->diag, &cin) || cin.kernels.len != 1 ||
        !fe_expand(&cin.kernels.at[0], &f->mem, &f->diag, &expanded))
        return false;
    return fe_distribute(&expanded, true, &f->diag) &&
           fe_build(&expanded, &options, &f->mem, &f->diag, &statement, &once) &&
           fe_unroll(&cin.kernels.at[0], &once, &f->mem, &f->diag, &graph) &&
           sam_to_binary_joiners(&graph, &f->mem, &f->diag, &joined) &&
           sam_remove_broadcasts(&joined, &f->mem, &f->diag, &hardware) &&
           lower_run(&hardware, onto, &f->mem, &f->diag, &onyx) && lower_check(onyx, &f->diag) &&
           lower_pack(onyx, &f->mem, &f->diag, out);
}

static void are_safe(fixture *f, const kernel *list, size_t n_list, const lower_options *onto) {
    for (size_t i = 0; i < n_list; i++) {
        netlist n;
        prng random = prng_seed(i);
        if (!lowered(f, list[i].expression, list[i].schedule, onto, &n))
            fail_msg("%s: %s", list[i].expression, fixture_printed(f));
        judgement small = play_judge(&n, NULL, 0, 2, most_runs, &random, list[i].expression);
        judgement large = play_judge(&n, NULL, 0, 3, most_runs, &random, list[i].expression);
        print_message("%-40s %u runs, fibers up to %u\n", list[i].expression, small.runs + large.runs,
                      small.fiber);
        assert_int_equal(small.fiber, NET_ANY_FIBER);
        assert_int_equal(small.deadlocks + large.deadlocks, 0);
    }
}

static void known_kernels_are_safe(void **state) {
    are_safe(*state, kernels, sizeof kernels / sizeof *kernels, &chip);
}

static void extended_kernels_are_safe(void **state) {
    are_safe(*state, extended_kernels, sizeof extended_kernels / sizeof *extended_kernels, &ours);
}

/* A load shared by several memories adds no circle: each takes every word, its own blocks and foreign blocks.
 * A store adds none either: a memory has a whole tree before giving a word. */
static void shared_streams_are_safe(void **state) {
    fixture *f = *state;
    uint32_t chained = 0;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        netlist n;
        net_liveness found;
        uint32_t shared = 0;
        if (!lowered(f, kernels[i].expression, kernels[i].schedule, &in_turn, &n))
            fail_msg("%s: %s", kernels[i].expression, fixture_printed(f));
        for (uint32_t k = 0; k < n.nets.len; k++) {
            chained += net_chains(&n, n.nets.at[k].sinks.at[0]);
            shared += net_cell_at(&n, n.nets.at[k].source.cell)->mode == NET_MODE_IO_IN &&
                      n.nets.at[k].sinks.len > 1;
        }
        net_deadlock(&n, NULL, &f->mem, &found);
        assert_true(shared > 0 && !found.undecided);
        assert_int_equal(found.fiber, NET_ANY_FIBER);
    }
    assert_true(chained > sizeof kernels / sizeof *kernels);
}

/* Some of the letters of "ijk", in this order or, rarely, another. */
static const char *indices(prng *random, uint32_t most, arena *mem) {
    char chosen[4] = "";
    uint32_t n = 0;
    for (const char *c = "ijk"; *c; c++) {
        if (n < most && prng_below(random, 3))
            chosen[n++] = *c;
    }
    chosen[n] = '\0';
    if (n > 1 && prng_below(random, 4) == 0) {
        char swap = chosen[0];
        chosen[0] = chosen[1];
        chosen[1] = swap;
    }
    const char *text = "";
    for (uint32_t i = 0; i < n; i++)
        text = arena_printf(mem, "%s%s%c", text, i ? "," : "(", chosen[i]);
    return n ? arena_printf(mem, "%s)", text) : "";
}

static const char *random_expression(prng *random, arena *mem) {
    const char *text = arena_printf(mem, "X%s = ", indices(random, 2, mem));
    uint32_t tensors = 0, terms = 1 + prng_below(random, 2);
    for (uint32_t t = 0; t < terms; t++) {
        uint32_t factors = 1 + prng_below(random, 3);
        text = arena_printf(mem, "%s%s", text, t == 0 ? "" : prng_below(random, 2) ? " + " : " - ");
        for (uint32_t k = 0; k < factors; k++, tensors++)
            text = arena_printf(mem, "%s%sT%u%s", text, k ? " * " : "", tensors, indices(random, 3, mem));
    }
    return text;
}

static void no_deadlock_of_an_expression_is_overlooked(void **state) {
    (void)state;
    uint32_t mapped = 0, safe = 0, real = 0, hopeless = 0, runs = 0;
    quota shown = {0}; /* trivial: no ring, or mostly data without a point */
    for (uint32_t i = 0; i < expressions; i++) {
        fixture f = {0};
        netlist n;
        diag_init(&f.diag, &f.mem);
        names_init(&f.names, &f.mem);
        prng random = prng_seed(1000003ull * first_seed + i);
        const char *expression = random_expression(&random, &f.mem);
        const bool accepted = lowered(&f, expression, NULL, &chip, &n);
        judgement j = {0};
        if (accepted) {
            j = play_judge(&n, NULL, prng_below(&random, 2), 2 + prng_below(&random, 2), most_runs, &random,
                           expression);
            mapped++;
            safe += j.fiber == NET_ANY_FIBER;
            real += j.deadlocks > 0;
            hopeless += j.hopeless > 0;
            runs += j.runs;
        }
        quota_add(&shown, accepted, !j.rings || 2 * j.empty > j.runs);
        arena_free(&f.mem);
    }
    print_message(
        "%u of %u expressions have a netlist, %u runs: %u safe, %u deadlock, %u stand still whatever the "
        "FIFOs\n",
        mapped, expressions, runs, safe, real, hopeless);
    assert_false(quota_failed(&shown));
    assert_true(mapped * 2 >= expressions);
    assert_int_equal(safe, mapped);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {TEST(known_kernels_are_safe), TEST(extended_kernels_are_safe),
                                       TEST(shared_streams_are_safe),
                                       TEST(no_deadlock_of_an_expression_is_overlooked)};
    if (argc > 1)
        expressions = (uint32_t)strtoul(argv[1], NULL, 10);
    if (argc > 2)
        first_seed = (uint32_t)strtoul(argv[2], NULL, 10);
    if (argc > 3)
        most_runs = (uint32_t)strtoul(argv[3], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
