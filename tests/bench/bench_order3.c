/* An order-3 tensor with 10^5 nonzeros in a .tns file through TTV, TTM and MTTKRP on engine cycle: right by
 * the reference, and the time each stage takes. "quick": 10^3 nonzeros. */
#include "tests/bench/command.h"
#include "tests/test.h"

#define FOLDER ONYX_BINARY_DIR "/tests/bench_order3_out"

static const uint32_t dim[3] = {400, 300, 200};
static uint32_t nonzeros = 100000;

static const struct {
    const char *name, *arguments;
} kernels[] = {
    {"TTV", "'X(i,j)=B(i,j,k)*c(k)' -g c:200:1"},
    {"TTM", "'X(i,j,l)=B(i,j,k)*C(l,k)' -g C:8x200:0.5"},
    {"MTTKRP", "'X(i,j)=B(i,k,l)*C(k,j)*D(l,j)' -g C:300x8:0.5 -g D:200x8:0.5"},
};

/* Coordinates ascend and are distinct: of all points, the next that a hash of its number picks. */
static const char *write_tensor(fixture *f) {
    const char *path = FOLDER "/B.tns";
    uint64_t points = (uint64_t)dim[0] * dim[1] * dim[2], step = points / nonzeros, mark = 0;
    prng random = prng_seed(1);
    file_out out;
    assert_true(make_folder(FOLDER, &f->diag) && file_create(&out, path, &f->mem, &f->diag));
    for (uint32_t e = 0; e < nonzeros; e++, mark += step) {
        uint64_t at = mark + prng_below(&random, (uint32_t)step);
        fprintf(out.stream, "%u %u %u %u\n", (uint32_t)(at / dim[2] / dim[1]) + 1,
                (uint32_t)(at / dim[2] % dim[1]) + 1, (uint32_t)(at % dim[2]) + 1,
                1 + prng_below(&random, 9));
    }
    assert_true(file_commit(&out, &f->diag));
    return path;
}

static double wall(const cJSON *report, const char *stage) {
    return cJSON_GetNumberValue(cJSON_GetObjectItem(cJSON_GetObjectItem(report, "wall_s"), stage));
}

static void every_kernel_is_right(void **state) {
    fixture *f = *state;
    const char *path = write_tensor(f);
    printf("| kernel, %u nonzeros | runs | cycles | compile s | tile s | run s | in all s | MiB |\n",
           nonzeros);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        const char *arguments = arena_printf(&f->mem, "%s -d B:%u,%u,%u -i B:%s --tile auto --engine cycle",
                                             kernels[k].arguments, dim[0], dim[1], dim[2], path);
        command_report r = command_run(arguments, FOLDER "/run", 3000, &f->mem);
        if (r.code)
            fail_msg("%s: %s", kernels[k].name, r.code);
        cJSON *report = json_read(FOLDER "/run/report.json", &f->diag);
        assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(report, "check")), "pass");
        const cJSON *runs = cJSON_GetObjectItem(cJSON_GetObjectItem(report, "subtiles"), "run");
        printf("| %s | %.0f | %.0f | %.2f | %.2f | %.2f | %.2f | %.0f |\n", kernels[k].name,
               cJSON_GetNumberValue(runs), r.cycles,
               wall(report, "frontend") + wall(report, "lower") + wall(report, "place") +
                   wall(report, "route") + wall(report, "bitstream"),
               wall(report, "tile"), wall(report, "run"), wall(report, "total"),
               cJSON_GetNumberValue(cJSON_GetObjectItem(report, "peak_rss_mb")));
        cJSON_Delete(report);
    }
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "quick") == 0)
        nonzeros = 1000;
    const struct CMUnitTest tests[] = {TEST(every_kernel_is_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
