/* SAM graphs all the way: lowered, placed, routed and assembled; the design read back equals the routed
 * design. */
#include "tests/bitstream/bits_fixture.h"
#include "tests/lower_onyx/netlist_of.h"

/* Both directions: neither side has surplus nets. */
static void check_round_trip(fixture *f, const bits_board *b, const char *name, const pnr_design *design) {
    bits_stream words, again;
    if (!bits_encode(design, b->map, &f->mem, &f->diag, &words))
        fail_msg("%s: %s", name, fixture_printed(f));
    bits_decoded *got = bits_decode_new(f, b, &words);
    if (!got->good || !bits_same(&got->design, design, &f->diag) || !net_check(got->design.net, &f->diag))
        fail_msg("%s: %s", name, fixture_printed(f));
    assert_true(bits_same(design, &got->design, &f->diag));
    assert_true(bits_encode(&got->design, b->map, &f->mem, &f->diag, &again));
    assert_int_equal(again.words.len, words.words.len);
    for (uint32_t i = 0; i < words.words.len; i++) {
        assert_int_equal(again.words.at[i].address, words.words.at[i].address);
        assert_int_equal(again.words.at[i].data, words.words.at[i].data);
    }
}

static void lowered_graphs_survive_the_round_trip(void **state) {
    static const char *const names[] = {"mat_identity", "mat_elemadd", "mat_elemmul", "matmul_ijk",
                                        "vec_elemadd",  "vec_elemmul", "vec_identity"};
    bits_bench *p = *state;
    fixture *f = &p->f;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (uint32_t pipeline = 0; pipeline < 2; pipeline++) {
            pnr_options o = pnr_options_default();
            pnr_design design;
            netlist net;
            o.pipeline = pipeline;
            if (!netlist_of(f,
                            arena_printf(&f->mem, ONYX_SOURCE_DIR "/tests/lower_onyx/data/%s.gv", names[i]),
                            &net) ||
                !pnr_place(&net, &p->b.board, &o, &f->mem, &f->diag, &design) ||
                !pnr_route_all(&design, &o, &f->mem, &f->diag) || !pnr_check(&design, &f->diag))
                fail_msg("%s: %s", names[i], fixture_printed(f));
            check_round_trip(f, &p->b, names[i], &design);
        }
    }
}

RUN_TESTS(ON_CHIP(lowered_graphs_survive_the_round_trip))
