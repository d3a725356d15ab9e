/* Figure 4.15: kinds of tokens in the streams of X(i,j) = B(i,j), at the coordinate outputs of the two
 * scanners, over real matrices. A token is idle in a cycle without output of the scanner. */
#include "tests/bench/study.h"

enum { MATRICES = 10, LEVELS = 2, KINDS = 4 };

#define MATRIX(name) ONYX_SHARED_DIR "/data/matrices/" name ".mtx"

static const struct {
    const char *name, *path;
} matrix[MATRICES] = {
    {"ash219", MATRIX("ash219")},         {"west0067", MATRIX("west0067")},
    {"watt_2", MATRIX("watt_2")},         {"adder_dcop_05", MATRIX("adder_dcop_05")},
    {"west0479", MATRIX("west0479")},     {"494_bus", MATRIX("494_bus")},
    {"olm500", MATRIX("olm500")},         {"bcspwr06", MATRIX("bcspwr06")},
    {"lp_share1b", MATRIX("lp_share1b")}, {"G51", MATRIX("G51")},
};

static const char *const kind_name[KINDS] = {"coordinates", "stops", "done", "idle"};

/* Shares of a scanner's coordinate output, in per cent of all cycles. */
static void shares_of(const study_kernel *k, const sam_sim_result *r, int mode, double *share) {
    for (uint32_t e = 0; e < r->n_edges; e++) {
        const sam_edge_statistics *edge = &r->edges[e];
        for (uint32_t n = 0; n < k->graph.nodes.len; n++) {
            const sam_node_data *node = &k->graph.nodes.at[n];
            if (node->kind != SAM_FIBERLOOKUP || node->mode != mode || edge->stream != SAM_STREAM_CRD ||
                !name_eq(node->id, edge->src))
                continue;
            share[0] = (double)edge->tokens[SAM_TOKEN_NUMBER];
            share[1] = (double)edge->tokens[SAM_TOKEN_STOP];
            share[2] = (double)edge->tokens[SAM_TOKEN_DONE];
        }
    }
    share[3] = (double)r->cycles - share[0] - share[1] - share[2];
    for (int i = 0; i < KINDS; i++)
        share[i] *= 100 / (double)r->cycles;
}

static void run(study *s) {
    static const char *const formats[] = {"X:ss", "B:ss", NULL};
    static const char *const title[LEVELS] = {"Outer level scanner", "Inner level scanner"};
    double share[LEVELS][KINDS][MATRICES + 2] = {{{0}}}, control[LEVELS] = {0}, idle = 0, worst = 0,
                                           least = 100;
    const char *name[MATRICES + 2] = {[MATRICES] = "mean", "published"}, *csv = "matrix,rows,nonzeros,cycles";
    for (int l = 0; l < LEVELS; l++)
        for (int i = 0; i < KINDS; i++)
            csv = arena_printf(&s->f.mem, "%s,%s_%s", csv, l ? "inner" : "outer", kind_name[i]);
    for (int m = 0; m < MATRICES; m++) {
        tile_tensor operand[2] = {0};
        if (access(matrix[m].path, R_OK) != 0) {
            printf("skipped: no %s\n", matrix[m].path);
            return;
        }
        study_must(s, tile_read(matrix[m].path, names_intern(&s->f.names, "B"), 2, TILE_DTYPE_INT16,
                                TILE_VALUES_RAMP, &s->f.mem, &s->f.diag, &operand[1]));
        study_kernel k = study_make(s, "X(i,j) = B(i,j)", formats, NULL);
        sam_sim_result r = study_run(s, &k, operand, 0).sim;
        name[m] = matrix[m].name;
        csv = arena_printf(&s->f.mem, "%s\n%s,%u,%llu,%llu", csv, name[m], operand[1].dim[0],
                           (unsigned long long)operand[1].nnz, (unsigned long long)r.cycles);
        for (int l = 0; l < LEVELS; l++) {
            double of[KINDS] = {0};
            shares_of(&k, &r, l, of);
            for (int i = 0; i < KINDS; i++) {
                share[l][i][m] = of[i];
                share[l][i][MATRICES] += of[i] / MATRICES;
                csv = arena_printf(&s->f.mem, "%s,%.2f", csv, of[i]);
            }
            control[l] += (of[1] + of[2]) / MATRICES;
            idle += l ? 0 : of[3] / MATRICES;
        }
        worst = share[1][1][m] > worst ? share[1][1][m] : worst;
        least = share[1][1][m] < least ? share[1][1][m] : least;
    }
    csv = arena_printf(&s->f.mem, "%s\nmean,,,,,%.2f,,%.2f,,%.2f,,\n", csv, control[0], idle, control[1]);
    fputs(csv, stdout);
    study_add_text(s, "tokens.csv", csv);
    /* Means over 15 other matrices, from the text, which omits the idle share of the inner scanner. */
    static const double published[][LEVELS][MATRICES + 2] = {
        {{[MATRICES + 1] = 0.95}, {[MATRICES + 1] = 16.20}}, {{[MATRICES + 1] = 83.32}}};
    for (int l = 0; l < LEVELS; l++) {
        plot p = {.title = title[l],
                  .x_label = "matrix",
                  .y_label = "per cent of all cycles",
                  .n = MATRICES + 2,
                  .category = name,
                  .stacked = true,
                  .n_series = l ? KINDS + 1 : KINDS + 2};
        for (int i = 0; i < KINDS; i++)
            p.series[i] = (plot_series){kind_name[i], share[l][i], false};
        p.series[KINDS] = (plot_series){"control, published", published[0][l], true};
        p.series[KINDS + 1] = (plot_series){"idle, published", published[1][l], true};
        study_add_plot(s, l ? "tokens_inner.svg" : "tokens_outer.svg", &p);
    }
    study_expect(s, idle > 50, "the outer scanner is idle most of the time");
    study_expect(s, control[0] < 5, "control tokens are less than a twentieth of the outer stream");
    study_expect(s, control[1] > control[0] && control[1] < 33.4,
                 "there are more of them in the inner stream, less than a third");
    study_expect(s, least < worst / 2, "their share in the inner stream depends on the matrix");
}

int main(int argc, char **argv) {
    return study_main(argc, argv, run);
}
