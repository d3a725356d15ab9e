#include "tests/bench/study.h"
#include "frontend/language/language.h"
#include "frontend/lowering/lowering.h"
#include "frontend/schedules/schedules.h"

#define FOLDER ONYX_SOURCE_DIR "/docs/notebook/studies"

/* ---- the program ----------------------------------------------------------------------------- */

void study_must(study *s, bool good) {
    if (good)
        return;
    fputs(fixture_printed(&s->f), stderr);
    exit(1);
}

void study_expect(study *s, bool holds, const char *what) {
    printf("%s: %s\n", holds ? "holds" : "DOES NOT HOLD", what);
    s->failed += !holds;
}

void study_add_text(study *s, const char *name, const char *text) {
    vec_push(&s->f.mem, &s->files, (study_file){name, arena_strdup(&s->f.mem, text)});
}

void study_add_plot(study *s, const char *name, const plot *p) {
    text_out out;
    text_begin(&out);
    plot_write(p, out.stream);
    study_add_text(s, name, text_end(&out, &s->f.mem));
}

plot study_bars(const char *title, const char *x_label, uint32_t n, const char *const *category) {
    return (plot){
        .title = title, .x_label = x_label, .y_label = "cycles", .n = n, .category = category, .log_y = true};
}

void study_add_cycles(study *s, const char *name, const char *csv, plot *p, uint32_t n_series,
                      const char *const *series, const double *cycles) {
    p->n_series = n_series;
    for (uint32_t i = 0; i < n_series; i++)
        p->series[i] = (plot_series){series[i], cycles + (size_t)i * p->n, false};
    fputs(csv, stdout);
    study_add_text(s, arena_printf(&s->f.mem, "%s.csv", name), csv);
    study_add_plot(s, arena_printf(&s->f.mem, "%s.svg", name), p);
}

static void keep_file(study *s, const study_file *file) {
    const char *path = arena_printf(&s->f.mem, FOLDER "/%s", file->name);
    file_out out;
    study_must(s, make_folder(FOLDER, &s->f.diag) && file_create(&out, path, &s->f.mem, &s->f.diag));
    fputs(file->text, out.stream);
    study_must(s, file_commit(&out, &s->f.diag));
}

static void compare_file(study *s, const study_file *file) {
    size_t length;
    const char *kept =
        file_read(arena_printf(&s->f.mem, FOLDER "/%s", file->name), &s->f.mem, &length, &s->f.diag);
    study_must(s, kept);
    study_expect(s, strcmp(kept, file->text) == 0,
                 arena_printf(&s->f.mem, "docs/notebook/studies/%s is what was measured", file->name));
}

int study_main(int argc, char **argv, void (*run)(study *)) {
    bool write = argc == 2 && strcmp(argv[1], "--write") == 0;
    study s = {0};
    diag_init(&s.f.diag, &s.f.mem);
    names_init(&s.f.names, &s.f.mem);
    run(&s);
    for (uint32_t i = 0; i < s.files.len; i++) {
        if (write)
            keep_file(&s, &s.files.at[i]);
        else if (strstr(s.files.at[i].name, ".csv"))
            compare_file(&s, &s.files.at[i]);
    }
    arena_free(&s.f.mem);
    return s.failed > 0;
}

/* ---- kernels and runs ------------------------------------------------------------------------ */

study_kernel study_make(study *s, const char *expression, const char *const *formats, const char *schedule) {
    const fe_lower_options options = {.exact_stops = true};
    study_kernel k;
    sam_statement loops;
    fe_cin scheduled;
    fe_in in = {.expression = expression,
                .formats = formats,
                .schedule = &schedule,
                .n_schedule = schedule ? 1 : 0,
                .integers = true};
    while (formats[in.n_formats])
        in.n_formats++;
    arena *mem = &s->f.mem;
    diagnostics *d = &s->f.diag;
    study_must(s, fe_parse(&in, &s->f.names, mem, d, &k.user) &&
                      fe_schedule(&in, &k.user, mem, d, &scheduled) &&
                      fe_expand(&scheduled.kernels.at[0], mem, d, &loops) &&
                      fe_build(&loops, &options, mem, d, &k.packed, &k.graph));
    return k;
}

static void result_extents(study *s, const sam_statement *st, const tile_operands *in, uint32_t *out) {
    uint32_t *extent;
    study_must(s, tile_extents(st, in, &s->f.mem, &s->f.diag, &extent));
    tile_result_dim(st, extent, out);
}

study_result study_run(study *s, const study_kernel *k, const tile_tensor *operand, uint32_t fifo_depth) {
    const sam_sim_options options = {.statistics = true, .fifo_depth = fifo_depth};
    arena *mem = &s->f.mem;
    diagnostics *d = &s->f.diag;
    const tile_operands user = {operand, k->user.tensors.len, TILE_DTYPE_INT16};
    const sam_tensor_data *format = sam_tensor_at(&k->packed, k->packed.result);
    tile_operands packed = {0};
    tile_tensor got, want;
    uint32_t dim[SAM_MAX_ORDER] = {0}, user_dim[SAM_MAX_ORDER] = {0}, n = 0;
    study_result r;
    study_must(s, tile_pack(&k->packed, &user, mem, d, &packed));
    sam_tensor_levels *levels = arena_new_n(mem, sam_tensor_levels, k->packed.tensors.len);
    for (uint32_t t = 0; t < k->packed.tensors.len; t++)
        if (t + 1 != k->packed.result.v)
            study_must(s, tile_levels(&packed.operand[t], &k->packed.tensors.at[t], mem, d, &levels[n++]));
    study_must(s, sam_simulate(&k->graph, levels, n, &options, d, &r.sim));
    result_extents(s, &k->packed, &packed, dim);
    result_extents(s, &k->user, &user, user_dim);
    sam_tensor_levels written = r.sim.result;
    for (uint32_t l = 0; l < written.order; l++)
        written.level[l].dim = dim[format->mode[l]];
    study_must(s, tile_from_levels(&written, format, dim, TILE_DTYPE_INT16, mem, d, &got));
    tile_unpack(format, &got, user_dim, TILE_DTYPE_INT16, mem, &r.result);
    study_must(s, tile_reference(&k->user, &user, mem, d, &want) &&
                      tile_equal(&r.result, &want, TILE_DTYPE_INT16, &s->f.names, d));
    return r;
}

/* ---- other ways to iterate ------------------------------------------------------------------- */

/* The edge into port `port` of n, or NULL. */
static sam_edge_data *edge_into(const sam_graph *g, sam_node n, uint32_t port) {
    for (uint32_t i = 0; i < g->edges.len; i++) {
        sam_edge_data *e = &g->edges.at[i];
        if (e->src.v && e->dst.v == n.v && e->dst_port == port)
            return e;
    }
    return NULL;
}

static uint32_t operands_of(const sam_graph *g, sam_node joiner) {
    uint32_t n = 0;
    while (edge_into(g, joiner, 2 * n))
        n++;
    return n;
}

/* Whether n feeds `only` and nothing else. */
static bool feeds_only(const sam_graph *g, sam_node n, sam_node only) {
    for (uint32_t i = 0; i < g->edges.len; i++)
        if (g->edges.at[i].src.v == n.v && g->edges.at[i].dst.v != only.v)
            return false;
    return true;
}

void study_skip(sam_graph *g) {
    for (uint32_t v = 1; v <= g->nodes.len; v++) {
        sam_node joiner = {v};
        uint32_t n = operands_of(g, joiner);
        for (uint32_t k = 0; g->nodes.at[v - 1].kind == SAM_INTERSECT && k < n; k++) {
            sam_node scanner = edge_into(g, joiner, 2 * k)->src;
            if (sam_node_at(g, scanner)->kind == SAM_FIBERLOOKUP && feeds_only(g, scanner, joiner))
                sam_add_edge(g, joiner, (uint8_t)(1 + n + k), scanner, 1, SAM_STREAM_SKIP);
        }
    }
}

void study_use_bits(sam_graph *g) {
    for (uint32_t v = 1; v <= g->nodes.len; v++) {
        sam_node_data *n = &g->nodes.at[v - 1];
        n->kind = n->kind == SAM_FIBERLOOKUP ? SAM_BVLOOKUP
                  : n->kind == SAM_INTERSECT ? SAM_BVINTERSECT
                  : n->kind == SAM_UNION     ? SAM_BVUNION
                                             : n->kind;
    }
    for (uint32_t i = 0; i < g->edges.len; i++) {
        sam_edge_data *e = &g->edges.at[i];
        if (e->src.v && sam_node_at(g, e->src)->kind == SAM_BVLOOKUP && e->src_port == 0)
            e->stream = SAM_STREAM_BV;
    }
}

/* Operand `dense` of an intersecter of two is located with the coordinates of the other. */
static void locate_operand(sam_graph *g, sam_node joiner, uint32_t dense) {
    sam_node located = edge_into(g, joiner, 2 * dense)->src;
    sam_edge_data *crd = edge_into(g, joiner, 2 * (1 - dense)),
                  *ref = edge_into(g, joiner, 2 * (1 - dense) + 1);
    edge_into(g, joiner, 2 * dense)->src.v = 0;
    edge_into(g, joiner, 2 * dense + 1)->src.v = 0;
    sam_node_at(g, located)->kind = SAM_LOCATE;
    crd->dst = ref->dst = located;
    crd->dst_port = 1;
    ref->dst_port = 2;
    for (uint32_t i = 0; i < g->edges.len; i++) {
        sam_edge_data *e = &g->edges.at[i];
        if (e->src.v != joiner.v)
            continue;
        e->src = located;
        e->src_port = e->src_port == 0 ? 0 : e->src_port == 1 + dense ? 2 : 1;
    }
    sam_node_at(g, joiner)->kind = SAM_NONE;
}

void study_locate(sam_graph *g) {
    for (uint32_t v = 1; v <= g->nodes.len; v++) {
        sam_node joiner = {v};
        if (g->nodes.at[v - 1].kind != SAM_INTERSECT || operands_of(g, joiner) != 2)
            continue;
        for (uint32_t k = 0; k < 2; k++) {
            const sam_node_data *a = sam_node_at(g, edge_into(g, joiner, 2 * k)->src);
            const sam_node_data *b = sam_node_at(g, edge_into(g, joiner, 2 * (1 - k))->src);
            bool dense = a->kind == SAM_FIBERLOOKUP && a->format == SAM_LEVEL_DENSE;
            bool other = b->kind == SAM_FIBERLOOKUP && b->format == SAM_LEVEL_DENSE;
            if (dense && !other) {
                locate_operand(g, joiner, k);
                break;
            }
        }
    }
}
