/* How many cycles a second engine cycle makes on SpM*SpM in the order i, j, k: processor time of the whole
 * command, compiling and cutting included. */
#include "tests/test.h"

#include <sys/resource.h>

enum { WANTED = 2000000 };

static double children_seconds(void) {
    struct rusage use;
    getrusage(RUSAGE_CHILDREN, &use);
    return (double)use.ru_utime.tv_sec + (double)use.ru_utime.tv_usec / 1e6;
}

static void test_speed(void **state) {
    fixture *f = *state;
    static const char *const matrices[][2] = {{"B:200x200:0.1", "C:200x200:0.1"},
                                              {"B:400x400:0.01", "C:400x400:0.01"},
                                              {"B:64x64:0.5", "C:64x64:0.5"}};
    const char *folder = ONYX_BINARY_DIR "/tests/bench_cycle_out",
               *log = ONYX_BINARY_DIR "/tests/bench_cycle.log";
    for (uint32_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {
        const char *const argv[] = {ONYX_BINARY_DIR "/onyx",
                                    "run",
                                    "X(i,j)=B(i,k)*C(k,j)",
                                    "-f",
                                    "C:ss:1,0",
                                    "-g",
                                    matrices[i][0],
                                    "-g",
                                    matrices[i][1],
                                    "--tile",
                                    "32",
                                    "--engine",
                                    "cycle",
                                    "--no-check",
                                    "--quiet",
                                    "-o",
                                    folder,
                                    NULL};
        double before = children_seconds();
        remove(log);
        assert_int_equal(program_run(argv, log), 0);
        double seconds = children_seconds() - before;
        cJSON *report = json_read(arena_printf(&f->mem, "%s/report.json", folder), &f->diag);
        assert_non_null(report);
        double cycles =
            cJSON_GetNumberValue(cJSON_GetObjectItem(cJSON_GetObjectItem(report, "cycles"), "kernel"));
        cJSON_Delete(report);
        print_message("%s %s: %.0f cycles in %.2f s, %.0f a second\n", matrices[i][0], matrices[i][1], cycles,
                      seconds, cycles / seconds);
        if (i == 0)
            assert_true(cycles / seconds >= WANTED);
    }
}

RUN_TESTS(TEST(test_speed))
