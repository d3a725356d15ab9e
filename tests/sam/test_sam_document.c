/* docs/primitives.md is generated from the table of primitives: this program compares the file, and writes
 * the file with --write. */
#include "lower_onyx/lower_onyx.h"
#include "sam/sim_int.h"
#include "tests/document.h"

#define DOCUMENT ONYX_SOURCE_DIR "/docs/primitives.md"

/* The tiles of Onyx that implement a primitive; NULL: none. */
static const char *onyx_tiles(sam_primitive k) {
    switch (k) {
    case SAM_FIBERLOOKUP:
    case SAM_ARRAYVALS:
    case SAM_FIBERWRITE:
        return "MEM, IO";
    case SAM_REPEAT:
    case SAM_REPSIGGEN:
    case SAM_INTERSECT:
    case SAM_UNION:
    case SAM_ALU:
    case SAM_CRDDROP:
    case SAM_CRDHOLD:
        return "PE";
    case SAM_REDUCE:
        return "PE; bf16, other operations: onyx-ext";
    case SAM_VECTORREDUCER:
        return "PE, MEM (depth 1, int16); onyx-ext: MEM (depth 1)";
    case SAM_BROADCAST:
        return "wires";
    case SAM_ARRAYSTORE:
    case SAM_LOCATE:
    case SAM_SPACCUMULATOR:
    case SAM_PARALLELIZE:
    case SAM_SERIALIZE:
    case SAM_BVLOOKUP:
    case SAM_BVCONVERT:
    case SAM_BVINTERSECT:
    case SAM_BVUNION:
    case SAM_NONE:
    case SAM_PRIMITIVES:
        break;
    }
    return NULL;
}

static bool reported(const fixture *f, const char *code) {
    for (uint32_t i = 0; i < f->diag.list.len; i++)
        if (strcmp(f->diag.list.at[i].code, code) == 0)
            return true;
    return false;
}

/* A node of this kind with more attributes and, if their number is free, more inputs than needed. */
static void sample(fixture *f, sam_primitive kind, sam_graph *g) {
    const char *type = kind == SAM_ALU ? "add" : sam_primitive_table[kind].type;
    const char *text =
        arena_printf(&f->mem,
                     "digraph { comment=\"x=none,B=s0\" s [type=reduce] n [type=%s tensor=B %s "
                     "format=compressed outer=i inner=j order=1 in0=j in1=i]\n",
                     type, kind == SAM_CRDDROP ? "" : "mode=0");
    for (int port = 0; port < (kind == SAM_FIBERLOOKUP ? 1 : 4); port++)
        text = arena_printf(&f->mem, "%s s -> n [type=val src_port=0 dst_port=%d]\n", text, port);
    text = arena_printf(&f->mem, "%s }", text);
    assert_true(sam_parse("sample", text, strlen(text), &f->names, &f->diag, g));
}

/* Whether the simulator has the primitive in this timing: building its machine tells. */
static bool has_timing(sam_primitive kind, sam_sim_timing timing) {
    static const uint32_t seg[] = {0, 1}, crd[] = {0};
    static const uint16_t vals[] = {1};
    const sam_sim_options options = {.timing = timing};
    fixture *f;
    fixture_set_up((void **)&f);
    sam_graph g;
    sample(f, kind, &g);
    sam_tensor_levels b = {names_intern(&f->names, "B"), .order = 1, .vals = vals, .n_vals = 1};
    b.level[0] = (sam_level_data){SAM_LEVEL_COMPRESSED, 1, seg, crd, 2, 1};
    sim_machine m = {.g = &g, .operands = &b, .n_operands = 1, .mem = &f->mem, .d = &f->diag};
    bool built = sim_build(&m, &options);
    assert_true(built || reported(f, "E0235-unsupported"));
    fixture_tear_down((void **)&f);
    return built;
}

/* The lowering refuses exactly the primitives without tiles. */
static void tiles_are_what_the_lowering_says(void **state) {
    (void)state;
    for (sam_primitive k = SAM_NONE + 1; k < SAM_PRIMITIVES; k++) {
        if (onyx_tiles(k))
            continue;
        fixture *f;
        fixture_set_up((void **)&f);
        sam_graph g;
        onyx_graph *out;
        sam_graph_init(&g, &f->mem, &f->names);
        sam_add_node(&g, k);
        assert_false(lower_run(&g, &(lower_options){.tile_edge = 16}, &f->mem, &f->diag, &out));
        assert_true(reported(f, "E0410-not-on-chip"));
        fixture_tear_down((void **)&f);
    }
}

/* "crd, (ref)+" from "c(r)+". */
static void write_ports(FILE *out, const char *ports) {
    static const char letters[] = "crnvsbkx";
    static const char *const word[] = {"crd", "ref", "crd or ref", "val", "repsig", "bv", "skip", "any"};
    for (const char *c = ports; *c; c++) {
        const char *letter = strchr(letters, *c);
        bool begins = letter || *c == '(';
        fputs(begins && c > ports && c[-1] != '(' ? ", " : "", out);
        if (letter)
            fputs(word[letter - letters], out);
        else
            fputc(*c, out);
    }
}

static void write_row(FILE *out, sam_primitive k) {
    const sam_primitive_info *p = &sam_primitive_table[k];
    bool ideal = k == SAM_BROADCAST || has_timing(k, SAM_TIMING_IDEAL);
    bool published = k == SAM_BROADCAST || has_timing(k, SAM_TIMING_PUBLISHED);
    const char *tiles = onyx_tiles(k);
    fprintf(out, "| `%s` | ", *p->type ? p->type : "add, mul, ...");
    write_ports(out, p->ports_in);
    fprintf(out, " | ");
    write_ports(out, p->ports_out);
    fprintf(out, " | %s | %s%s%s | %s |\n", p->doc, ideal ? "ideal" : "", ideal && published ? ", " : "",
            published ? "sam" : "", tiles ? tiles : "-");
}

static char *document(arena *mem) {
    text_out out;
    text_begin(&out);
    fputs(
        "# The primitives of SAM\n\n"
        "Ports and purpose of every primitive. For people who write SAM graphs, or add a primitive.\n\n"
        "Written from `sam/primitives.def` by `build/tests/test_sam_document --write`; the test of that name "
        "fails when this\nfile is stale.\n\n"
        "Ports are listed in the order of their numbers. `( )+`: the group repeats; `( )?`: it may be "
        "absent. "
        "Timings: which\nmodels the simulator has, `ideal` or `sam`, the published simulator's. Onyx: the "
        "tiles that do it on the chip.\nAttributes and exact meanings are in `ir_sam.md`.\n\n"
        "| type | in | out | what it does | timings | Onyx |\n|---|---|---|---|---|---|\n",
        out.stream);
    for (sam_primitive k = SAM_NONE + 1; k < SAM_PRIMITIVES; k++)
        write_row(out.stream, k);
    return text_end(&out, mem);
}

static void the_document_is_up_to_date(void **state) {
    expect_document(*state, DOCUMENT, document, "test_sam_document");
}

RUN_DOCUMENT_TESTS(DOCUMENT, document, TEST(tiles_are_what_the_lowering_says),
                   TEST(the_document_is_up_to_date))
