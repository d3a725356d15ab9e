/* Netlists made by hand whose answer is known, on all small tensors. */
#include "tests/deadlock/play.h"

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

/* x(i,j) = b(i,j) * sum over j of b(i,j): the values of a row wait for its sum, which is repeated for each.
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

/* A stream joined with what is left of it. */
static void with_its_rest(made *m) {
    net_cell b = made_scan(m, 0, 0, NULL), c = made_scan(m, 1, 0, NULL);
    const net_pin side0[] = {at(b, 1), at(b, 2)}, side1[] = {at(c, 1), at(c, 2)};
    net_cell first = made_join(m, false, side0, side1);
    const net_pin rest[] = {at(first, 0), at(first, 1)};
    made_write(m, at(made_join(m, true, side0, rest), 0), false);
}

/* Two joiners that take the same streams in the same order, as trees of joiners have them. */
static void twins(made *m) {
    net_cell b = made_scan(m, 0, 0, NULL), c = made_scan(m, 1, 0, NULL);
    const net_pin side0[] = {at(b, 1), at(b, 2)}, side1[] = {at(c, 1), at(c, 2)};
    net_cell one = made_join(m, false, side0, side1), other = made_join(m, false, side0, side1);
    const net_pin in[] = {at(made_lookup(m, 0, at(one, 1)), 1), at(made_lookup(m, 1, at(other, 2)), 1)};
    made_write(m, at(made_pe(m, NET_MODE_ALU, in, 2), 0), true);
}

static void known_answers(void **state) {
    fixture *f = *state;
    static const struct {
        const char *name;
        void (*make)(made *);
        uint32_t extent, pairs, fiber;
        bool stuck;
    } cases[] = {{"product", product, 5, 0, NET_ANY_FIBER, false},
                 {"normalise", normalise, 3, 0, 0, true},
                 {"with its rest", with_its_rest, 6, 0, 0, true},
                 {"twins", twins, 5, 0, NET_ANY_FIBER, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        made m;
        prng random = prng_seed(i);
        made_begin(&m, &f->names, &f->mem);
        cases[i].make(&m);
        judgement j = play_judge(&m.n, NULL, cases[i].pairs, cases[i].extent, 4096, &random, cases[i].name);
        print_message("%s: fiber %u, %u of %u runs stuck, %u hopeless\n", cases[i].name, j.fiber, j.deadlocks,
                      j.runs, j.hopeless);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(known_answers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
