/* Every dense program of the chip on other sites; programs of test_dense_place use other seeds. */
#include "tests/dense/placing.h"

static placing programs[] = {
    {"pointwise", 4096, 21},
    {"conv_1_2", 4032, 22},
    {"conv_3_3", 3844, 23},
    {"gaussian_619", 12152, 24},
    {"gaussian2", 0, 25},
    {"gaussian_unroll", 0, 26},
    {"harris_color_542", 7874, 27},
    {"pointwise_gops", 4096, 28},
    {"pointwise_gops_unroll", 0, 29},
    {"pointwise_gops2_unroll", 0, 30},
    {"pointwise_gops2_unroll_pd", 0, 31},
    {"unsharp", 10788, 32},
    {"camera_pipeline_2x2_369", 14784, 33},
    {"resnet_output_stationary_437", 1568, 34},
    {"sequential_0_fp", 0, 35},
};

static void test_programs(void **state) {
    (void)state;
    TEST_SHARED("chip_programs");
    each_afresh(sizeof programs / sizeof *programs, place_number, programs);
}

RUN_TESTS(TEST(test_programs))
