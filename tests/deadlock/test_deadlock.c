/* Netlists made by hand whose answer is known, on all small tensors. */
#include "tests/deadlock/play.h"
#include "tests/quota.h"

static net_pin at(net_cell cell, uint8_t port) {
    return made_pin(cell, port);
}

/* x(i) = b(i) * c(i) */
static void product(made *m) {
    net_cell b = made_scan(m, 0, 0, NULL), c = made_scan(m, 1, 0, NULL);
    const net_pin side0[] = {at(b, 1), at(b, 2)}, side1[] = {at(c, 1), at(c, 2)};
    net_cell join = made_join(m, false, side0, side1);
    const net_pin in[] = {at(made_lookup(m, 0, at(join, 1)), 1), at(made_lookup(m, 1, at(join, 2)), 1)};
    net_cell mul = made_pe(m, NET_MODE_ALU, in, 2);
    made_write(m, at(join, 0), false);
    made_write(m, at(mul, 0), true);
}

/* x(i,j) = b(i,j) * sum over j of b(i,j): the values of a row wait for its sum, repeated for each value.
 */
static void normalise(made *m) {
    net_cell i = made_scan(m, 0, 0, NULL);
    net_pin refs = at(i, 2);
    net_cell j = made_scan(m, 0, 1, &refs);
    net_pin values = at(made_lookup(m, 0, at(j, 2)), 1);
    net_pin sum = at(made_pe(m, NET_MODE_REDUCE, &values, 1), 0);
    const net_pin in[] = {values, at(made_repeat(m, &sum, at(j, 1)), 0)};
    made_write(m, at(made_pe(m, NET_MODE_ALU, in, 2), 0), true);
}

/* A stream joined with its own remainder. */
static void with_its_rest(made *m) {
    net_cell b = made_scan(m, 0, 0, NULL), c = made_scan(m, 1, 0, NULL);
    const net_pin side0[] = {at(b, 1), at(b, 2)}, side1[] = {at(c, 1), at(c, 2)};
    net_cell first = made_join(m, false, side0, side1);
    const net_pin rest[] = {at(first, 0), at(first, 1)};
    made_write(m, at(made_join(m, true, side0, rest), 0), false);
}

/* Two joiners of the same streams in the same order, as in trees of joiners. */
static void twins(made *m) {
    net_cell b = made_scan(m, 0, 0, NULL), c = made_scan(m, 1, 0, NULL);
    const net_pin side0[] = {at(b, 1), at(b, 2)}, side1[] = {at(c, 1), at(c, 2)};
    net_cell one = made_join(m, false, side0, side1), other = made_join(m, false, side0, side1);
    const net_pin in[] = {at(made_lookup(m, 0, at(one, 1)), 1), at(made_lookup(m, 1, at(other, 2)), 1)};
    made_write(m, at(made_pe(m, NET_MODE_ALU, in, 2), 0), true);
}

/* Joins the outer coordinates, once for each inner coordinate, with the inner coordinates: streams of
 * independent length, both next to the same references. */
static void outer_and_inner(made *m) {
    net_cell i = made_scan(m, 0, 0, NULL);
    net_pin refs = at(i, 2);
    net_cell j = made_scan(m, 0, 1, &refs);
    const net_pin both[] = {at(j, 1), at(i, 1)};
    net_cell hold = made_pe(m, NET_MODE_CRDHOLD, both, 2);
    const net_pin side0[] = {at(hold, 1), at(j, 2)}, side1[] = {at(hold, 0), at(j, 2)};
    made_write(m, at(made_join(m, false, side0, side1), 0), false);
}

static void known_answers(void **state) {
    fixture *f = *state;
    static const struct {
        const char *name;
        void (*make)(made *);
        uint32_t extent, pairs, fiber;
        bool stuck;
    } cases[] = {{"product", product, 5, 0, NET_ANY_FIBER, false},
                 {"twins", twins, 5, 0, NET_ANY_FIBER, false},
                 {"normalise", normalise, 3, 0, 0, true},
                 {"normalise, a pair", normalise, 3, 1, 1, true},
                 {"normalise, three pairs", normalise, 3, 3, 3, false},
                 {"with its rest", with_its_rest, 6, 0, 1, true},
                 {"with its rest, three pairs", with_its_rest, 6, 3, 7, false},
                 {"outer and inner", outer_and_inner, 4, 0, 0, true}};
    quota shown = {0}; /* trivial: a data set without a point */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        made m;
        prng random = prng_seed(i);
        made_begin(&m, &f->names, &f->mem);
        cases[i].make(&m);
        judgement j = play_judge(&m.n, NULL, cases[i].pairs, cases[i].extent, 1100, &random, cases[i].name);
        print_message("%s: fibers up to %u, %u of %u runs stuck\n", cases[i].name, j.fiber, j.deadlocks,
                      j.runs);
        assert_int_equal(j.fiber, cases[i].fiber);
        assert_int_equal(j.deadlocks > 0, cases[i].stuck);
        assert_int_equal(j.hopeless, 0);
        for (uint32_t run = 0; run < j.runs; run++)
            quota_add(&shown, true, run < j.empty);
    }
    assert_false(quota_failed(&shown));
}

/* With a pair on each path, fibers of a single coordinate fit. */
static net_liveness find_in_normalise(fixture *f, made *m) {
    net_liveness found;
    made_begin(m, &f->names, &f->mem);
    normalise(m);
    const uint32_t **extra = arena_new_n(&f->mem, const uint32_t *, m->n.nets.len);
    for (uint32_t k = 0; k < m->n.nets.len; k++) {
        uint32_t *tokens = arena_new_n(&f->mem, uint32_t, 2);
        tokens[0] = tokens[1] = 2; /* a pair */
        extra[k] = tokens;
    }
    net_deadlock(&m->n, extra, &f->mem, &found);
    return found;
}

static void the_circle_is_named(void **state) {
    fixture *f = *state;
    made m;
    net_liveness found = find_in_normalise(f, &m);
    assert_true(net_deadlock_report(&m.n, &found, 1, false, &f->diag));
    assert_int_equal(f->diag.list.len, 0);
    assert_false(net_deadlock_report(&m.n, &found, 2, false, &f->diag));
    assert_string_equal(
        fixture_printed(f),
        "onyx: does not fit: tiles may wait for each other for good: the FIFOs on their way are too short "
        "[E0450-deadlock]\n"
        "    help: they suffice for fibers of up to 1 coordinate, the data may have 2: a smaller --tile, "
        "another loop "
        "order, or --deadlock warn\n"
        "onyx: note: repeat_8 waits for reduce_6: proc_data_in is empty\n"
        "onyx: note: reduce_6 waits for fiber_access_4: data_in is empty\n"
        "onyx: note: fiber_access_4 waits for alu_9: its data0 is full\n"
        "onyx: note: alu_9 waits for repeat_8: data1 is empty\n");
    assert_true(net_deadlock_report(&m.n, &found, 2, true, &f->diag));
    assert_int_equal(f->diag.unmappable, 1); /* the earlier error; the second message is a warning */
}

static void the_report_says_what_is_needed(void **state) {
    fixture *f = *state;
    made m;
    net_liveness found = find_in_normalise(f, &m);
    cJSON *json = net_deadlock_to_json(&m.n, &found);
    char *text = cJSON_PrintUnformatted(json);
    assert_non_null(strstr(text, "{\"verdict\":\"bounded\",\"fiber\":1,\"reconvergences\":["));
    assert_non_null(strstr(text,
                           "{\"fork\":\"fiber_access_4\",\"from\":\"coord_out\",\"join\":\"alu_9\",\"to\":"
                           "\"data0\",\"have\":4,\"need\":null,\"fiber\":1}"));
    assert_non_null(strstr(text, "\"circle\":[\"repeat_8\",\"reduce_6\",\"fiber_access_4\",\"alu_9\"]}"));
    free(text);
    cJSON_Delete(json);
}

RUN_TESTS(TEST(known_answers), TEST(the_circle_is_named), TEST(the_report_says_what_is_needed))
