/* Random legal designs: random cells with random settings, nets over random wires with random registers and
 * branches. Each design is encoded, decoded and compared; afterwards its words are damaged, a bit or a word
 * at a time. */
#include "bitstream/bits_fields.h"
#include "tests/bitstream/random_design.h"
#include "tests/quota.h"

/* ---- tests ----------------------------------------------------------------------------------- */

static void assert_same_words(const bits_stream *a, const bits_stream *b) {
    assert_int_equal(a->words.len, b->words.len);
    for (uint32_t i = 0; i < a->words.len; i++) {
        assert_int_equal(a->words.at[i].address, b->words.at[i].address);
        assert_int_equal(a->words.at[i].data, b->words.at[i].data);
    }
}

/* Whether the wire of a hop ends at a place. */
static bool leads_to(const pnr_hop *h, uint32_t x, uint32_t y) {
    const int to_x = h->x + (h->side == PNR_EAST) - (h->side == PNR_WEST),
              to_y = h->y + (h->side == PNR_SOUTH) - (h->side == PNR_NORTH);
    return to_x == (int)x && to_y == (int)y;
}

/* The order of a decoded route, which bits_same leaves out: each hop follows from an earlier one, from a core
 * or from an IO tile, and the hop of each sink ends at the sink. */
static void assert_connected(const pnr_design *d) {
    for (uint32_t n = 0; n < d->net->nets.len; n++) {
        const pnr_route *r = &d->route.at[n];
        for (uint32_t i = 0; i < r->hops.len; i++) {
            const pnr_hop *h = &r->hops.at[i];
            const bool starts = h->from_core || (h->y == 1 && h->from_side == PNR_NORTH);
            assert_int_equal(h->parent == PNR_NO_HOP, starts);
            if (starts)
                continue;
            assert_true(h->parent < i);
            const pnr_hop *before = &r->hops.at[h->parent];
            assert_true(leads_to(before, h->x, h->y));
            assert_true(before->track == h->from_track && pnr_opposite(before->side) == h->from_side);
        }
        for (uint32_t i = 0; i < r->sinks.len; i++) {
            const pnr_site at = d->site.at[d->net->nets.at[n].sinks.at[i].cell.v - 1];
            assert_true(r->sinks.at[i].hop == PNR_NO_HOP ||
                        leads_to(&r->hops.at[r->sinks.at[i].hop], at.x, at.y));
        }
    }
}

static void random_designs_survive_the_round_trip(void **state) {
    bits_bench *p = *state;
    fixture *f = &p->f;
    uint32_t hops = 0, sinks = 0, nets = 0;
    quota shown = {0}; /* trivial: no net goes beyond a hop */
    for (uint64_t seed = 1; seed <= 25; seed++) {
        random_options o = {.cells = 1 + (uint32_t)(seed * seed) % 300};
        pnr_design *design = random_design(f, &p->b, seed, &o);
        bits_stream words, again;
        if (!bits_encode(design, p->b.map, &f->mem, &f->diag, &words))
            fail_msg("seed %u: %s", (unsigned)seed, fixture_printed(f));
        for (uint32_t i = 1; i < words.words.len; i++)
            assert_true(bits_key(words.words.at[i - 1].address) < bits_key(words.words.at[i].address));
        bits_decoded *got = bits_decode_new(f, &p->b, &words);
        if (!got->good || !bits_same(&got->design, design, &f->diag) ||
            !bits_same(design, &got->design, &f->diag))
            fail_msg("seed %u: %s", (unsigned)seed, fixture_printed(f));
        assert_connected(&got->design);
        assert_true(bits_encode(&got->design, p->b.map, &f->mem, &f->diag, &again));
        assert_same_words(&words, &again);
        nets += design->net->nets.len;
        const uint32_t before = hops;
        for (uint32_t i = 0; i < design->net->nets.len; i++) {
            hops += design->route.at[i].hops.len;
            sinks += design->net->nets.at[i].sinks.len;
        }
        quota_add(&shown, true, hops - before <= design->net->nets.len);
    }
    /* The generator must really make nets, long ones and with branches. */
    assert_false(quota_failed(&shown));
    assert_true(nets > 1000 && hops > 4 * nets && 2 * sinks > 3 * nets);
}

/* Decodes without keeping messages; true when the result is the given design. */
static bool decodes_to(const bits_board *b, const bits_stream *words, const pnr_design *design) {
    arena mem = {0};
    diagnostics d;
    pnr_design got;
    uint32_t unknown = 0;
    diag_init(&d, &mem);
    name_table names;
    names_init(&names, &mem);
    bool same = bits_decode(words, b->map, &names, &d, &got, &unknown) && bits_same(&got, design, &d);
    assert_true(same != diag_failed(&d)); /* every refusal says why */
    arena_free(&mem);
    return same;
}

/* A small design and its words. */
static pnr_design *encoded_design(bits_bench *p, uint64_t seed, bits_stream *words) {
    pnr_design *design = random_design(&p->f, &p->b, seed, &(random_options){.cells = 12});
    assert_true(bits_encode(design, p->b.map, &p->f.mem, &p->f.diag, words));
    return design;
}

static void no_flipped_bit_goes_unnoticed(void **state) {
    bits_bench *p = *state;
    bits_stream words;
    const pnr_design *design = encoded_design(p, 7, &words);
    assert_true(decodes_to(&p->b, &words, design));
    prng random = prng_seed(1);
    for (uint32_t i = 0; i < 400; i++) {
        bits_word *w = &words.words.at[prng_below(&random, words.words.len)];
        uint32_t flip = 1u << prng_below(&random, 32);
        uint32_t *half = prng_below(&random, 3) ? &w->data : &w->address;
        *half ^= flip;
        if (decodes_to(&p->b, &words, design))
            fail_msg("flipping %08X in %08X %08X changes nothing", flip, w->address, w->data);
        *half ^= flip;
    }
}

static void no_lost_word_goes_unnoticed(void **state) {
    bits_bench *p = *state;
    bits_stream words;
    const pnr_design *design = encoded_design(p, 11, &words);
    for (uint32_t i = 0; i < words.words.len; i++) {
        bits_word lost = words.words.at[i];
        words.words.at[i] = words.words.at[words.words.len - 1];
        words.words.len--;
        assert_false(decodes_to(&p->b, &words, design));
        words.words.len++;
        words.words.at[i] = lost;
    }
}

RUN_TESTS(ON_CHIP(random_designs_survive_the_round_trip), ON_CHIP(no_flipped_bit_goes_unnoticed),
          ON_CHIP(no_lost_word_goes_unnoticed))
