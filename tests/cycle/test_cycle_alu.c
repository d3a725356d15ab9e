/* Every element-wise operation of sam/operations.def on the chip: the operation runs from the bitstream's
 * bytes and equals the graph simulator on awkward values, or is refused with a location and a remedy.
 */
#include "engines/cycle_load.h"
#include "tests/bitstream/bits_fixture.h"

static const char two_operands[] =
    "digraph { comment=\"x=s0,b=s0,c=s0\"\n"
    "1 [type=\"fiberlookup\" index=\"i\" tensor=\"b\" mode=\"0\" format=\"compressed\" root=\"true\"]\n"
    "2 [type=\"fiberlookup\" index=\"i\" tensor=\"c\" mode=\"0\" format=\"compressed\" root=\"true\"]\n"
    "3 [type=\"intersect\" index=\"i\"]\n"
    "4 [type=\"arrayvals\" tensor=\"b\"]\n"
    "5 [type=\"arrayvals\" tensor=\"c\"]\n"
    "6 [type=\"%s\" fp=\"%s\"]\n"
    "7 [type=\"fiberwrite\" index=\"i\" tensor=\"x\" mode=\"0\" format=\"compressed\"]\n"
    "8 [type=\"fiberwrite\" tensor=\"x\" mode=\"vals\"]\n"
    "1 -> 3 [type=\"crd\" comment=\"in-b\"]\n1 -> 3 [type=\"ref\" comment=\"in-b\"]\n"
    "2 -> 3 [type=\"crd\" comment=\"in-c\"]\n2 -> 3 [type=\"ref\" comment=\"in-c\"]\n"
    "3 -> 7 [type=\"crd\"]\n3 -> 4 [type=\"ref\" comment=\"out-b\"]\n3 -> 5 [type=\"ref\" "
    "comment=\"out-c\"]\n"
    "4 -> 6 [type=\"val\" dst_port=\"0\"]\n5 -> 6 [type=\"val\" dst_port=\"1\"]\n6 -> 8 [type=\"val\"]\n}\n";

static const char one_operand[] =
    "digraph { comment=\"x=s0,b=s0\"\n"
    "1 [type=\"fiberlookup\" index=\"i\" tensor=\"b\" mode=\"0\" format=\"compressed\" root=\"true\"]\n"
    "2 [type=\"arrayvals\" tensor=\"b\"]\n"
    "3 [type=\"%s\" fp=\"%s\"]\n"
    "4 [type=\"fiberwrite\" tensor=\"x\" mode=\"vals\"]\n"
    "5 [type=\"fiberwrite\" index=\"i\" tensor=\"x\" mode=\"0\" format=\"compressed\"]\n"
    "1 -> 5 [type=\"crd\"]\n1 -> 2 [type=\"ref\"]\n2 -> 3 [type=\"val\"]\n3 -> 4 [type=\"val\"]\n}\n";

/* Awkward values, as int16 and as bfloat16: 0, -0, 1, -1, 1.0078, 3, -0.3, 1e10, -1e-10, pi, 255, -256.
 */
enum { VALUES = 12, PAIRS = VALUES * VALUES };
static const uint16_t on_int[VALUES] = {0, 1, 2, 5, 15, 16, 100, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff};
static const uint16_t on_fp[VALUES] = {0,      0x8000, 0x3f80, 0xbf80, 0x3f81, 0x4040,
                                       0xbe9a, 0x5015, 0xaedc, 0x4049, 0x437f, 0xc380};

typedef struct {
    uint16_t b[PAIRS], c[PAIRS], level[PAIRS + 4], block[2][PAIRS + 1];
    uint32_t seg[2], crd[PAIRS];
} pairs;

static pairs *all_pairs(bool fp, arena *mem) {
    pairs *p = arena_new(mem, pairs);
    const uint16_t *value = fp ? on_fp : on_int;
    p->level[0] = 2;
    p->level[2] = p->level[3] = p->block[0][0] = p->block[1][0] = PAIRS;
    p->seg[1] = PAIRS;
    for (uint32_t i = 0; i < PAIRS; i++) {
        p->b[i] = p->block[0][i + 1] = value[i / VALUES];
        p->c[i] = p->block[1][i + 1] = value[i % VALUES];
        p->level[i + 4] = (uint16_t)(p->crd[i] = i);
    }
    return p;
}

static const uint16_t *simulated(fixture *f, const sam_graph *g, const pairs *p) {
    sam_tensor_levels operand[2];
    sam_sim_result r;
    for (uint32_t t = 0; t < 2; t++)
        operand[t] = (sam_tensor_levels){.name = names_intern(&f->names, t ? "c" : "b"),
                                         .order = 1,
                                         .level = {{SAM_LEVEL_COMPRESSED, PAIRS, p->seg, p->crd, 2, PAIRS}},
                                         .vals = t ? p->c : p->b,
                                         .n_vals = PAIRS};
    if (!sam_simulate(g, operand, g->tensors.len - 1, NULL, &f->diag, &r))
        fail_msg("%s", fixture_printed(f));
    assert_int_equal(r.result.n_vals, PAIRS);
    return r.result.vals;
}

/* The stream at the cell of a routed design, for the decoded design's cell in the same place. */
static cycle_stream stream_of(fixture *f, const net_cell_data *cell, const pairs *p) {
    const char *tensor = names_text(&f->names, cell->tensor);
    if (cell->table.n) {
        uint16_t *words = arena_new_n(&f->mem, uint16_t, cell->table.n + 1);
        words[0] = (uint16_t)cell->table.n;
        memcpy(words + 1, cell->table.word, sizeof *words * cell->table.n);
        return (cycle_stream){.words = words, .length = cell->table.n + 1};
    }
    if (cell->output)
        return (cycle_stream){.blocks = cell->level == SAM_MODE_VALS ? 1 : 2};
    if (cell->level == SAM_MODE_VALS)
        return (cycle_stream){.words = p->block[*tensor == 'c'], .length = PAIRS + 1};
    return (cycle_stream){.words = p->level, .length = PAIRS + 4};
}

/* Lowers the graph to a bitstream, and returns the bitstream's results. */
static const uint16_t *run(fixture *f, const bits_board *b, onyx_graph *g, const pairs *p) {
    netlist net;
    pnr_design design;
    bits_stream words;
    cycle_design loaded;
    const pnr_options o = pnr_options_default();
    if (!lower_check(g, &f->diag) || !lower_pack(g, &f->mem, &f->diag, &net) ||
        !pnr_place(&net, &b->board, &o, &f->mem, &f->diag, &design) ||
        !pnr_route_all(&design, &o, &f->mem, &f->diag) ||
        !bits_encode(&design, b->map, &f->mem, &f->diag, &words))
        fail_msg("%s", fixture_printed(f));
    const bits_decoded *decoded = bits_decode_new(f, b, &words);
    assert_true(decoded->good && cycle_load(&decoded->design, b->map, &f->mem, &f->diag, &loaded));
    cycle_stream streams[24];
    uint32_t n = 0, values = 0;
    for (uint32_t c = 0; c < net.cells.len; c++) {
        bool io = net.cells.at[c].mode == NET_MODE_IO_IN || net.cells.at[c].mode == NET_MODE_IO_OUT;
        for (uint32_t d = 0; io && d < decoded->design.net->cells.len; d++) {
            if (decoded->design.net->cells.at[d].mode != net.cells.at[c].mode ||
                decoded->design.site.at[d].x != design.site.at[c].x)
                continue;
            if (net.cells.at[c].output && net.cells.at[c].level == SAM_MODE_VALS)
                values = n;
            streams[n] = stream_of(f, &net.cells.at[c], p);
            streams[n++].cell = d;
        }
    }
    uint64_t cycles;
    cycle_model *m = cycle_build(&loaded, &f->mem);
    assert_int_equal(cycle_run(m, streams, n, false, &f->mem, &cycles), CYCLE_DONE);
    assert_int_equal(streams[values].got.len, PAIRS + 1);
    assert_int_equal(streams[values].got.at[0], PAIRS);
    return streams[values].got.at + 1;
}

/* Whether the chip has the operation; false: refused with the right message. */
static bool runs(fixture *f, const bits_board *b, const char *name, bool fp, uint32_t most) {
    char *text = most == 1 ? arena_printf(&f->mem, one_operand, name, fp ? "true" : "false")
                           : arena_printf(&f->mem, two_operands, name, fp ? "true" : "false");
    sam_graph sam;
    onyx_graph *g;
    const pairs *p = all_pairs(fp, &f->mem);
    diag_init(&f->diag, &f->mem);
    if (!sam_parse(name, text, strlen(text), &f->names, &f->diag, &sam) || !sam_check(&sam, &f->diag))
        fail_msg("%s", fixture_printed(f));
    if (!lower_run(&sam, &(lower_options){.tile_edge = 30}, &f->mem, &f->diag, &g)) {
        const diagnostic *why = &f->diag.list.at[0];
        assert_int_equal(f->diag.list.len, 1);
        assert_string_equal(why->code, "E0410-not-on-chip");
        assert_true(why->kind == DIAG_UNMAPPABLE && why->loc.source && why->hint &&
                    strstr(why->message, name));
        return false;
    }
    const uint16_t *got = run(f, b, g, p), *want = simulated(f, &sam, p);
    bool orders_zeros = fp && (strcmp(name, "min") == 0 || strcmp(name, "max") == 0);
    bool from_0 = strcmp(name, "addhigh") == 0;
    for (uint32_t i = 0; i < PAIRS; i++) {
        bool zeros = orders_zeros && !((got[i] | want[i]) & 0x7fff); /* -0 < 0 */
        bool outside = from_0 && ((p->b[i] | p->c[i]) & 0x8000);
        if (got[i] != want[i] && !zeros && !outside)
            fail_msg("%s%s of %04x and %04x: %04x, expected %04x", fp ? "fp_" : "", name, p->b[i], p->c[i],
                     got[i], want[i]);
    }
    return true;
}

static void operations_run_or_are_refused(void **state) {
    static const struct {
        const char *name, *function;
        uint32_t most;
        bool fp;
    } operation[] = {
#define OPERATION(name, on_int, on_fp, most, ...) {#name, #on_int, most, false}, {#name, #on_fp, most, true},
#include "sam/operations.def"
#undef OPERATION
    };
    fixture *f = *state;
    bits_board b = bits_board_onyx(f);
    bits_board_map(f, &b);
    const char *refused = ""; /* of those with a function of their type; others are refused always */
    for (size_t i = 0; i < sizeof operation / sizeof *operation; i++) {
        const bool is_fp = operation[i].fp, has = strcmp(operation[i].function, "NULL") != 0;
        const bool ran = runs(f, &b, operation[i].name, is_fp, operation[i].most);
        assert_true(has || !ran);
        if (has && !ran)
            refused = arena_printf(&f->mem, "%s %s%s", refused, is_fp ? "fp_" : "", operation[i].name);
    }
    assert_string_equal(refused, " div rem fp_and fp_or faddiexp fp_addhigh fp_addlow fp_eq fp_ne fp_lt "
                                 "fp_le fp_gt fp_ge fp_land fp_lor reach fp_reach fp_when fp_unless");
    pnr_board_free(&b.board);
}

RUN_TESTS(TEST(operations_run_or_are_refused))
