/* Figure 5.14: X(i,j) = sum over k, l of B(i,k,l) * C(j,k) * D(j,l), fused and as two kernels, on the array;
 * B 10 x 10 x 10, C and D 10 x 10, random, over their sparsities. Unfused, either the product of C and D
 * comes first, w(j,k,l) = C(j,k) * D(j,l), or w(i,j,k) = sum over l of B(i,k,l) * D(j,l). Runtime is cycles
 * of engine cycle at the clock of each kernel; on the host nothing is counted. */
#include "tests/bench/command.h"
#include "tests/bench/study.h"

enum { OF_B = 6, OF_CD = 3, WAYS = 3, DRAWS = 3 };

static const char *const zeros_b[OF_B] = {"0", "0.5", "0.8", "0.9", "0.95", "0.99"};
static const char *const zeros_cd[OF_CD] = {"0", "0.5", "0.9"};

static const struct {
    const char *name, *schedule;
} ways[WAYS] = {
    {"fused", "reorder(i,j,k,l)"},
    {"unfused", "precompute(C(j,k)*D(j,l),{j,k,l},{jw,kw,lw},w)"},
    {"unfused, B first", "precompute(B(i,k,l)*D(j,l),{i,j,k},{iw,jw,kw},w)"},
};

static double runtime_us(study *s, int way, double density_b, double density_cd, int draw) {
    arena *mem = &s->f.mem;
    const char *arguments = arena_printf(
        mem,
        "'X(i,j)=B(i,k,l)*C(j,k)*D(j,l)' -s '%s' -g B:10x10x10:%g:%d -g C:10x10:%g:%d -g D:10x10:%g:%d "
        "--tile 10 --engine cycle --hazards warn",
        ways[way].schedule, density_b, draw, density_cd, draw + 10, density_cd, draw + 20);
    command_report r = command_run(arguments, ONYX_BINARY_DIR "/tests/study_mttkrp_out", 100, mem);
    if (r.code) {
        fprintf(stderr, "onyx run %s: %s\n", arguments, r.code);
        exit(1);
    }
    return r.time_us;
}

static double gain(double us[WAYS][OF_CD][OF_B], int cd, int b) {
    return us[1][cd][b] / us[0][cd][b];
}

static void run(study *s) {
    static double us[WAYS][OF_CD][OF_B];
    double most = 0;
    const char *csv = "zeros_of_B,zeros_of_C_and_D,fused_us,unfused_us,speedup,unfused_B_first_us\n";
    for (int c = 0; c < OF_CD; c++) {
        for (int b = 0; b < OF_B; b++) {
            for (int way = 0; way < WAYS; way++) /* the mean of some draws */
                for (int draw = 1; draw <= DRAWS; draw++)
                    us[way][c][b] += runtime_us(s, way, 1 - strtod(zeros_b[b], NULL),
                                                1 - strtod(zeros_cd[c], NULL), draw) /
                                     DRAWS;
            most = gain(us, c, b) > most ? gain(us, c, b) : most;
            csv = arena_printf(&s->f.mem, "%s%s,%s,%.3f,%.3f,%.2f,%.3f\n", csv, zeros_b[b], zeros_cd[c],
                               us[0][c][b], us[1][c][b], gain(us, c, b), us[2][c][b]);
        }
    }
    fputs(csv, stdout);
    plot p = {.title = "MTTKRP, fused and unfused",
              .x_label = "share of zeros in B",
              .y_label = "microseconds",
              .n = OF_B,
              .category = zeros_b,
              .log_y = true};
    for (int c = 0; c < OF_CD; c++) {
        for (int way = 0; way < 2; way++) {
            const char *name = arena_printf(&s->f.mem, "%s, C, D %s", ways[way].name, zeros_cd[c]);
            p.series[p.n_series++] = (plot_series){name, us[way][c]};
        }
    }
    study_add_text(s, "mttkrp.csv", csv);
    study_add_plot(s, "mttkrp.svg", &p);
    study_expect(s, gain(us, 0, OF_B - 1) > gain(us, 0, 0),
                 "dense C and D: fusion gains more the sparser B is");
    study_expect(s, gain(us, 0, OF_B - 1) > gain(us, OF_CD - 1, OF_B - 1),
                 "sparse B: fusion gains more the denser C and D are");
    printf("largest speed-up %.2f\n", most);
}

int main(int argc, char **argv) {
    return study_main(argc, argv, run);
}
