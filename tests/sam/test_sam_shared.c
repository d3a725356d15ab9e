/* sam/: every published graph of the shared data runs on random data, or gives a reason; all timings of a
 * graph agree. */
#include "tests/test.h"

#include "tiling/tiling.h"

#include <dirent.h>

enum { EXTENT = 6 };

/* A graph and its operands, with a common extent for all indices. */
typedef struct {
    fixture *f;
    sam_graph graph;
    sam_tensor_data formats[16]; /* by tensor of the graph */
    sam_tensor_levels operands[16];
    uint32_t n_operands;
} shared_graph;

static sam_tensor_data format_of(const sam_graph_tensor *t) {
    sam_tensor_data format = {.name = t->name, .order = t->order};
    memcpy(format.level, t->level, sizeof t->level);
    memcpy(format.mode, t->mode, sizeof t->mode);
    return format;
}

static void make_operands(shared_graph *g, uint64_t seed) {
    fixture *f = g->f;
    assert_in_range(g->graph.tensors.len, 1, 16);
    g->formats[0] = format_of(&g->graph.tensors.at[0]);
    g->n_operands = 0;
    for (uint32_t t = 1; t < g->graph.tensors.len; t++) {
        tile_tensor data;
        const char *spec = "";
        g->formats[t] = format_of(&g->graph.tensors.at[t]);
        for (uint32_t m = 0; m < g->formats[t].order; m++)
            spec = arena_printf(&f->mem, "%s%s%d", spec, m ? "x" : "", EXTENT);
        spec = arena_printf(&f->mem, "%s:0.4", spec);
        assert_true(tile_generate(spec, g->formats[t].name, t - 1, seed, TILE_DTYPE_INT16, &f->mem, &f->diag,
                                  &data) &&
                    tile_levels(&data, &g->formats[t], &f->mem, &f->diag, &g->operands[g->n_operands++]));
    }
}

/* How often an error stopped a run, by code. */
typedef struct {
    const char *code;
    uint32_t count;
} refusal;

typedef struct {
    const char *name;
    sam_sim_options options;
    uint32_t runs, refused;
    refusal refusals[16];
} way;

static void count_refusal(way *w, const char *code) {
    w->refused++;
    for (size_t i = 0; i < sizeof w->refusals / sizeof *w->refusals; i++) {
        if (w->refusals[i].code && strcmp(w->refusals[i].code, code) != 0)
            continue;
        w->refusals[i].code = code;
        w->refusals[i].count++;
        return;
    }
}

/* The codes outlive the fixtures. */
static const char *known_code(const char *code) {
    static const char *const codes[] = {"E0230-deadlock", "E0231-stream",      "E0232-result",
                                        "E0234-alu",      "E0235-unsupported", "E0233-operand"};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (strcmp(codes[i], code) == 0)
            return codes[i];
    fail_msg("stopped by %s", code);
    return NULL;
}

/* The result as a tensor without zeros; false if the run was refused, with exactly one located error. */
static bool run_way(shared_graph *g, way *w, tile_tensor *out) {
    static const uint32_t extent[SAM_MAX_ORDER] = {EXTENT, EXTENT, EXTENT, EXTENT,
                                                   EXTENT, EXTENT, EXTENT, EXTENT};
    fixture *f = g->f;
    sam_sim_result r;
    uint32_t errors = f->diag.errors, first = f->diag.list.len;
    w->options.max_cycles = 1000000;
    w->runs++;
    if (!sam_simulate(&g->graph, g->operands, g->n_operands, &w->options, &f->diag, &r)) {
        assert_int_equal(f->diag.errors, errors + 1);
        assert_true(f->diag.list.at[first].loc.source);
        count_refusal(w, known_code(f->diag.list.at[first].code));
        return false;
    }
    for (uint32_t l = 0; l < r.result.order; l++)
        r.result.level[l].dim = EXTENT;
    assert_true(
        tile_from_levels(&r.result, &g->formats[0], extent, TILE_DTYPE_INT16, &f->mem, &f->diag, out));
    return true;
}

/* The published union stores zeros at coordinate 0 of a fiber; their exponential is 1. */
static bool published_is_wrong(const char *file) {
    return strstr(file, "/mat_elemadd_leakyrelu_exp.gv");
}

static void run_ways(shared_graph *g, way *ways, uint32_t n_ways, const char *file) {
    tile_tensor first, next;
    bool have = run_way(g, &ways[0], &first);
    for (uint32_t w = 1; w < n_ways; w++) {
        bool ran = run_way(g, &ways[w], &next);
        if (ways[w].options.timing == SAM_TIMING_PUBLISHED && published_is_wrong(file))
            continue;
        if (have && ran && !tile_equal(&next, &first, TILE_DTYPE_INT16, &g->f->names, &g->f->diag))
            fail_msg("%s: %s and %s differ: %s", file, ways[w].name, ways[0].name, fixture_printed(g->f));
    }
}

static uint32_t read_folder(arena *mem, const char *path, way *ways, uint32_t n_ways) {
    DIR *folder = opendir(path);
    uint32_t count = 0;
    if (!folder)
        return 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        const char *file = arena_printf(mem, "%s/%s", path, entry->d_name);
        size_t name_length = strlen(entry->d_name), length;
        if (!strchr(entry->d_name, '.'))
            count += read_folder(mem, file, ways, n_ways);
        if (name_length < 3 || strcmp(entry->d_name + name_length - 3, ".gv") != 0)
            continue;
        for (uint64_t seed = 1; seed <= 5; seed++) {
            shared_graph g;
            fixture_set_up((void **)&g.f);
            const char *text = file_read(file, &g.f->mem, &length, &g.f->diag);
            assert_true(text && sam_parse(file, text, length, &g.f->names, &g.f->diag, &g.graph));
            make_operands(&g, seed);
            if (sam_check(&g.graph, &g.f->diag))
                run_ways(&g, ways, n_ways, file);
            fixture_tear_down((void **)&g.f);
        }
        count++;
    }
    closedir(folder);
    return count;
}

static void published_graphs_run_or_say_why(void **state) {
    fixture *f = *state;
    way ways[] = {{.name = "ideal"},
                  {.name = "FIFOs of 256", .options = {.fifo_depth = 256}},
                  {.name = "FIFOs of 2", .options = {.fifo_depth = 2}},
                  {.name = "published", .options = {.timing = SAM_TIMING_PUBLISHED}}};
    const uint32_t n_ways = sizeof ways / sizeof *ways;
    uint32_t count = read_folder(&f->mem, ONYX_SHARED_DIR "/data/sam_graphs", ways, n_ways);
    if (!count) {
        print_message("no published graphs in " ONYX_SHARED_DIR "/data/sam_graphs\n");
        skip();
    }
    print_message("%u graphs\n", count);
    for (uint32_t w = 0; w < n_ways; w++) {
        print_message("%s: %u runs, %u refused", ways[w].name, ways[w].runs, ways[w].refused);
        for (size_t i = 0; i < 16 && ways[w].refusals[i].code; i++)
            print_message(", %u %s", ways[w].refusals[i].count, ways[w].refusals[i].code);
        print_message("\n");
    }
    assert_int_equal(ways[0].refused, ways[1].refused);
}

RUN_TESTS(TEST(published_graphs_run_or_say_why))
