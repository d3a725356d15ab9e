/* Figure 5.17: what each step of the compiler gains on SpM*SpM, X(i,j) = sum over k of B(i,k) * C(k,j), on
 * the array: no pipelining, exhaustive pipelining, balancing before it, the best edge of a sub-tile, copies
 * of the kernel, the best edge with copies. Runtime is cycles of engine cycle at the clock by the board's
 * delay table. */
#include "tests/bench/command.h"
#include "tests/bench/study.h"

#define MATRICES ONYX_SOURCE_DIR "/../shared/data/matrices/"

enum { STEPS = 6, SETS = 3 };

static const char *const sets[SETS] = {"random", "west0479", "watt_2"};
/* Also what the bars are called. */
static const char *const names[STEPS] = {"none", "exhaustive", "balanced", "tiles", "unrolled", "both"};
static const struct {
    const char *options;
    bool sweep;
} steps[STEPS] = {{"--no-pipeline", false},
                  {"--no-balance", false},
                  {"", false},
                  {"", true},
                  {"--unroll auto --dispatch sorted", false},
                  {"--unroll auto --dispatch sorted", true}};
static const uint32_t edges[] = {8, 12, 16, 24, 32, 48, 64};

static command_report run_once(study *s, const char *data, const char *options) {
    arena *mem = &s->f.mem;
    bool random = strcmp(data, "random") == 0;
    const char *operands =
        random
            ? "-g B:256x256:0.01 -g C:256x256:0.01"
            : arena_printf(mem, "-i B:" MATRICES "%s.mtx -i C:" MATRICES "%s.mtx --values ramp", data, data);
    return command_run(arena_printf(mem,
                                    "'X(i,j)=B(i,k)*C(k,j)' -f C:ss:1,0 %s %s --engine cycle --hazards warn",
                                    operands, options),
                       ONYX_BINARY_DIR "/tests/study_pipelining_out", 600, mem);
}

/* The fastest of all edges that fit; one with more nonzeros in a sub-tile than a memory tile holds does not.
 */
static command_report sweep(study *s, const char *data, const char *options, uint32_t *best) {
    command_report fastest = {.code = "no edge fits"};
    for (size_t e = 0; e < sizeof edges / sizeof *edges; e++) {
        command_report r = run_once(s, data, arena_printf(&s->f.mem, "%s --tile %u", options, edges[e]));
        if (r.code || (!fastest.code && r.time_us >= fastest.time_us))
            continue;
        fastest = r;
        *best = edges[e];
    }
    return fastest;
}

static void run(study *s) {
    static double us[SETS][STEPS];
    const char *csv = "matrix,step,edge,cycles,mhz,us\n";

    if (access(MATRICES, R_OK) != 0) {
        puts("skipped: no matrices");
        return;
    }
    for (int m = 0; m < SETS; m++) {
        for (int i = 0; i < STEPS; i++) {
            uint32_t edge = 32; /* by the order of the tensors */
            command_report r = steps[i].sweep ? sweep(s, sets[m], steps[i].options, &edge)
                                              : run_once(s, sets[m], steps[i].options);
            if (r.code) {
                fprintf(stderr, "%s, %s: %s\n", sets[m], names[i], r.code);
                exit(1);
            }
            us[m][i] = r.time_us;
            csv = arena_printf(&s->f.mem, "%s%s,%s,%u,%.0f,%.0f,%.1f\n", csv, sets[m], names[i], edge,
                               r.cycles, r.fmax_mhz, r.time_us);
        }
    }
    fputs(csv, stdout);
    plot p = {.title = "SpM*SpM on the array, step by step",
              .x_label = "what the compiler does",
              .y_label = "microseconds",
              .n = STEPS,
              .category = names,
              .log_y = true,
              .n_series = SETS};
    for (int m = 0; m < SETS; m++)
        p.series[m] = (plot_series){sets[m], us[m]};
    study_add_text(s, "pipelining.csv", csv);
    study_add_plot(s, "pipelining.svg", &p);
    for (int m = 0; m < SETS; m++) {
        study_expect(s, us[m][1] < us[m][0],
                     arena_printf(&s->f.mem, "%s: pipelining is faster than none", sets[m]));
        study_expect(s, us[m][2] < us[m][1],
                     arena_printf(&s->f.mem, "%s: balancing is faster than pipelining alone", sets[m]));
        study_expect(s, us[m][5] <= us[m][4] && us[m][4] < us[m][2],
                     arena_printf(&s->f.mem, "%s: copies are faster than one kernel", sets[m]));
    }
}

int main(int argc, char **argv) {
    return study_main(argc, argv, run);
}
