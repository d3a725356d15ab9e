/* Figure 5.16: SpM*SpM, X(i,j) = sum over k of B(i,k) * C(k,j), with one copy of the kernel and with two that
 * take the pairs of sub-tiles in order, sorted by their size, or each when it is free. Engine cycle has the
 * array alone; engine soc the chip with its processor, whose cycles are counted here without configuration,
 * which is done once.
 *
 * STUDY_DISPATCH=NAME runs that matrix only, and compares nothing. */
#include <math.h>
#include <stdlib.h>

#include "tests/bench/command.h"
#include "tests/bench/study.h"

#define MATRICES ONYX_SOURCE_DIR "/../shared/data/matrices/"

enum { WAYS = 4, SETS = 4, SECONDS = 3000 };

static const char *const sets[SETS] = {"west0067", "random", "west0479", "watt_2"};
static const struct {
    const char *name, *options;
} ways[WAYS] = {{"one copy", ""},
                {"in order", "--unroll 2 --dispatch inorder"},
                {"sorted", "--unroll 2 --dispatch sorted"},
                {"dynamic", "--unroll 2 --dispatch dynamic"}};

static command_report run_once(study *s, const char *data, const char *engine, const char *options) {
    arena *mem = &s->f.mem;
    const char *operands =
        strcmp(data, "random") == 0
            ? "-g B:256x256:0.01 -g C:256x256:0.01"
            : arena_printf(mem, "-i B:" MATRICES "%s.mtx -i C:" MATRICES "%s.mtx --values ramp", data, data);
    const char *arguments =
        arena_printf(mem, "'X(i,j)=B(i,k)*C(k,j)' -f C:ss:1,0 %s %s --engine %s --hazards warn", operands,
                     options, engine);
    command_report r = command_run(arguments, ONYX_BINARY_DIR "/tests/study_dispatch_out", SECONDS, mem);
    if (r.code) {
        fprintf(stderr, "onyx run %s: %s\n", arguments, r.code);
        exit(1);
    }
    return r;
}

static void run(study *s) {
    static double gain_array[WAYS - 1][SETS], gain_chip[WAYS - 1][SETS];
    arena *mem = &s->f.mem;
    const char *only = getenv("STUDY_DISPATCH"), *csv = "matrix,dispatch,pairs,array,chip\n";
    if (access(MATRICES, R_OK) != 0) {
        puts("skipped: no matrices");
        return;
    }
    for (int m = 0; m < SETS; m++) {
        double array[WAYS], chip[WAYS];
        if (only && strcmp(only, sets[m]) != 0)
            continue;
        for (int i = 0; i < WAYS; i++) {
            command_report cycle = run_once(s, sets[m], "cycle", ways[i].options),
                           soc = run_once(s, sets[m], "soc", ways[i].options);
            array[i] = cycle.cycles;
            chip[i] = soc.cycles - soc.config_cycles;
            const char *row = arena_printf(mem, "%s,%s,%.0f,%.0f,%.0f\n", sets[m], ways[i].name, soc.pairs,
                                           array[i], chip[i]);
            fputs(row, stdout);
            fflush(stdout);
            csv = arena_printf(mem, "%s%s", csv, row);
            if (i) {
                gain_array[i - 1][m] = array[0] / array[i];
                gain_chip[i - 1][m] = chip[0] / chip[i];
            }
        }
        study_expect(
            s, array[3] <= array[2] * 1.02 && array[2] < array[1] && array[1] < array[0],
            arena_printf(mem,
                         "%s: on the array, dynamic is no slower than sorted, sorted than in order, and "
                         "all are faster than one copy",
                         sets[m]));
        study_expect(s, chip[3] < chip[0] && chip[2] < chip[0],
                     arena_printf(mem, "%s: with the processor, two copies are faster than one", sets[m]));
        command_report chosen = run_once(s, sets[m], "soc", "--unroll 2");
        double best = fmin(chip[1], fmin(chip[2], chip[3])), took = chosen.cycles - chosen.config_cycles;
        printf("%s,auto,%.0f,,%.0f\n", sets[m], chosen.pairs, took);
        study_expect(
            s, took <= best * 1.03,
            arena_printf(mem, "%s: left to onyx, it is as fast as the fastest of the three", sets[m]));
    }
    if (only)
        return;
    plot p = {.title = "SpM*SpM, two copies against one",
              .x_label = "matrix",
              .y_label = "times faster, processor included",
              .n = SETS,
              .category = sets,
              .n_series = WAYS - 1};
    for (int i = 1; i < WAYS; i++)
        p.series[i - 1] = (plot_series){ways[i].name, gain_chip[i - 1]};
    study_add_text(s, "dispatch.csv", csv);
    study_add_plot(s, "dispatch.svg", &p);
    p.y_label = "times faster, array alone";
    for (int i = 1; i < WAYS; i++)
        p.series[i - 1].y = gain_array[i - 1];
    study_add_plot(s, "dispatch_array.svg", &p);
}

int main(int argc, char **argv) {
    return study_main(argc, argv, run);
}
