/* Figure 5.14: X(i,j) = sum over k, l of B(i,k,l) * C(j,k) * D(j,l), fused and as two kernels, on the array;
 * B 10 x 10 x 10, C and D 10 x 10, random, over their sparsities. Unfused, w(i,j,k) = sum over l of B(i,k,l)
 * * D(j,l) comes first, then X(i,j) = sum over k of w(i,j,k) * C(j,k). Runtime is cycles of engine cycle at
 * the clock of each kernel; on the host nothing is counted. */
#include "tests/bench/command.h"
#include "tests/bench/study.h"

enum { OF_B = 6, OF_CD = 3, DRAWS = 3 };

static const char *const zeros_b[OF_B] = {"0", "0.5", "0.8", "0.9", "0.95", "0.98"};
static const char *const zeros_cd[OF_CD] = {"0", "0.5", "0.9"};

static double runtime_us(study *s, bool fused, double density_b, double density_cd, int draw) {
    arena *mem = &s->f.mem;
    /* The fused kernel's other orders put a dropper before a reducer (E0429). */
    const char *schedule = fused ? "reorder(j,i,k,l)" : "precompute(B(i,k,l)*D(j,l),{i,j,k},{iw,jw,kw},w)";
    const char *arguments =
        arena_printf(mem,
                     "'X(i,j)=B(i,k,l)*C(j,k)*D(j,l)' -s '%s' -g B:10x10x10:%g:%d -g C:10x10:%g:%d -g "
                     "D:10x10:%g:%d --tile 10 "
                     "--engine cycle --hazards warn",
                     schedule, density_b, draw, density_cd, draw + 10, density_cd, draw + 20);
    command_report r = command_run(arguments, ONYX_BINARY_DIR "/tests/study_mttkrp_out", 100, mem);
    if (r.code) {
        fprintf(stderr, "onyx run %s: %s\n", arguments, r.code);
        exit(1);
    }
    return r.time_us;
}

static void run(study *s) {
    static double us[2][OF_CD][OF_B];
    double most = 0;
    const char *csv = "zeros_of_B,zeros_of_C_and_D,fused_us,unfused_us,speedup\n";
    for (int c = 0; c < OF_CD; c++) {
        for (int b = 0; b < OF_B; b++) {
            for (int way = 0; way < 2; way++) /* the mean of some draws */
                for (int draw = 1; draw <= DRAWS; draw++)
                    us[way][c][b] += runtime_us(s, way == 0, 1 - strtod(zeros_b[b], NULL),
                                                1 - strtod(zeros_cd[c], NULL), draw) /
                                     DRAWS;
            double speedup = us[1][c][b] / us[0][c][b];
            most = speedup > most ? speedup : most;
            csv = arena_printf(&s->f.mem, "%s%s,%s,%.3f,%.3f,%.2f\n", csv, zeros_b[b], zeros_cd[c],
                               us[0][c][b], us[1][c][b], speedup);
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
            const char *name =
                arena_printf(&s->f.mem, "%s, C and D %s", way ? "unfused" : "fused", zeros_cd[c]);
            p.series[p.n_series++] = (plot_series){name, us[way][c]};
        }
    }
    study_add_text(s, "mttkrp.csv", csv);
    study_add_plot(s, "mttkrp.svg", &p);
    study_expect(s, us[1][0][OF_B - 1] / us[0][0][OF_B - 1] > us[1][0][0] / us[0][0][0],
                 "dense C and D: fusion gains more the sparser B is");
    study_expect(
        s, us[1][0][OF_B - 1] / us[0][0][OF_B - 1] > us[1][OF_CD - 1][OF_B - 1] / us[0][OF_CD - 1][OF_B - 1],
        "sparse B: fusion gains more the denser C and D are");
    printf("largest speed-up %.2f\n", most);
}

int main(int argc, char **argv) {
    return study_main(argc, argv, run);
}
