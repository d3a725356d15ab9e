/* --tile auto against every power of two, by engine cycle: the chosen edge must be within 1.2 times the best.
 * "quick": small operands; else real matrices, and a table of all edges. */
#include "tests/bench/command.h"
#include "tests/test.h"

#include <unistd.h>

#define MATRICES ONYX_SOURCE_DIR "/../shared/data/matrices/"
#define KARATE ONYX_SOURCE_DIR "/tests/data/karate.mtx"
#define FOLDER ONYX_BINARY_DIR "/tests/bench_tile_auto_out"

typedef struct {
    const char *name, *arguments;
} workload;

static const workload quick[] = {
    {"SpM*SpM karate", "'X(i,j)=B(i,k)*C(k,j)' -f C:ss:1,0 -i B:" KARATE " -i C:" KARATE},
    {"SpMV random", "'x(i)=B(i,j)*c(j)' -g B:300x300:0.01 -g c:300:1"},
    {"A+B random", "'X(i,j)=B(i,j)+C(i,j)' -g B:200x200:0.01 -g C:200x200:0.02"},
    {"TTV random", "'X(i,j)=B(i,j,k)*c(k)' -g B:40x40x40:0.005 -g c:40:1"},
};
static const workload real[] = {
    {"SpM*SpM west0067",
     "'X(i,j)=B(i,k)*C(k,j)' -f C:ss:1,0 -i B:" MATRICES "west0067.mtx -i C:" MATRICES "west0067.mtx"},
    {"SpM*SpM west0479",
     "'X(i,j)=B(i,k)*C(k,j)' -f C:ss:1,0 -i B:" MATRICES "west0479.mtx -i C:" MATRICES "west0479.mtx"},
    {"SpM*SpM olm500",
     "'X(i,j)=B(i,k)*C(k,j)' -f C:ss:1,0 -i B:" MATRICES "olm500.mtx -i C:" MATRICES "olm500.mtx"},
    {"SpM*SpM watt_2",
     "'X(i,j)=B(i,k)*C(k,j)' -f C:ss:1,0 -i B:" MATRICES "watt_2.mtx -i C:" MATRICES "watt_2.mtx"},
    {"SpMV watt_2", "'x(i)=B(i,j)*c(j)' -i B:" MATRICES "watt_2.mtx -g c:1856:1"},
    {"SpMV adder_dcop_05", "'x(i)=B(i,j)*c(j)' -i B:" MATRICES "adder_dcop_05.mtx -g c:1813:1"},
    {"SpMV bcspwr06", "'x(i)=B(i,j)*c(j)' -i B:" MATRICES "bcspwr06.mtx -g c:1454:1"},
    {"A.*A' west0479",
     "'X(i,j)=B(i,j)*C(j,i)' -f C:ss:1,0 -i B:" MATRICES "west0479.mtx -i C:" MATRICES "west0479.mtx"},
    {"A+A' 494_bus",
     "'X(i,j)=B(i,j)+C(j,i)' -f C:ss:1,0 -i B:" MATRICES "494_bus.mtx -i C:" MATRICES "494_bus.mtx"},
    {"A+A' watt_2",
     "'X(i,j)=B(i,j)+C(j,i)' -f C:ss:1,0 -i B:" MATRICES "watt_2.mtx -i C:" MATRICES "watt_2.mtx"},
};
static const uint32_t edges[] = {4, 8, 16, 32, 64, 128, 256, 512, 1024};
enum { EDGES = sizeof edges / sizeof *edges };

static double cycles_of(fixture *f, const workload *w, const char *tile) {
    command_report r = command_run(
        arena_printf(&f->mem, "%s --values ramp --engine cycle --hazards off --tile %s", w->arguments, tile),
        FOLDER, 300, &f->mem);
    return r.code ? 0 : r.cycles;
}

/* The chosen edge's cycles over the least of all. */
static double compare(fixture *f, const workload *w) {
    double best = 0, chosen = cycles_of(f, w, "auto");
    printf("| %s | %.0f |", w->name, chosen);
    for (int e = 0; e < EDGES; e++) {
        double cycles = cycles_of(f, w, arena_printf(&f->mem, "%u", edges[e]));
        if (cycles > 0 && (best <= 0 || cycles < best))
            best = cycles;
        if (cycles > 0)
            printf(" %.0f |", cycles);
        else
            printf(" - |");
    }
    assert_true(chosen > 0 && best > 0);
    printf(" %.2f |\n", chosen / best);
    return chosen / best;
}

static const workload *workloads = real;
static size_t n_workloads = sizeof real / sizeof *real;

static void the_chosen_edge_is_near_the_best(void **state) {
    fixture *f = *state;
    double worst = 0;
    if (workloads == real && access(MATRICES, R_OK) != 0)
        skip();
    printf("| kernel and matrix | auto |");
    for (int e = 0; e < EDGES; e++)
        printf(" %u |", edges[e]);
    printf(" auto / best |\n");
    for (size_t i = 0; i < n_workloads; i++) {
        double ratio = compare(f, &workloads[i]);
        worst = ratio > worst ? ratio : worst;
    }
    if (worst > 1.2)
        fail_msg("the chosen edge takes %.2f times the cycles of the best", worst);
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "quick") == 0) {
        workloads = quick;
        n_workloads = sizeof quick / sizeof *quick;
    }
    const struct CMUnitTest tests[] = {TEST(the_chosen_edge_is_near_the_best)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
