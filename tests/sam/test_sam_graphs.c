/* Published graphs, if the data is present, with the result or the reason for refusal of each. */
#include <dirent.h>

#include "tests/sam/graph_cases.h"

#define GRAPHS ONYX_SHARED_DIR "/data/sam_graphs"

static const graph_case published[] = {
    {"custard/old/mat_elemadd.gv", "X(i,j) = B(i,j) + C(i,j)", NULL, GRAPH_ANY},
    {"custard/old/mat_elemadd3.gv", "X(i,j) = B(i,j) + C(i,j) + D(i,j)", NULL, GRAPH_ANY},
    {"custard/old/mat_elemmul.gv", "X(i,j) = B(i,j) * C(i,j)", NULL, GRAPH_ANY},
    {"custard/old/mat_sddmm.gv", "X(i,j) = B(i,j) * C(i,k) * D(k,j)", NULL, GRAPH_ANY},
    {"custard/old/mat_vecmul_ij.gv", "x(i) = B(i,j) * c(j)", NULL, GRAPH_ANY},
    {"custard/old/mat_vecmul_ji.gv", "x(i) = B(i,j) * c(j)", "E0235-unsupported", GRAPH_NEVER},
    {"custard/old/matmul_ijk.gv", "X(i,j) = B(i,k) * C(k,j)", NULL, GRAPH_ANY},
    {"custard/old/matmul_ikj.gv", "X(i,j) = B(i,k) * C(k,j)", "E0235-unsupported", GRAPH_NEVER},
    {"custard/old/matmul_kij.gv", "X(i,j) = B(i,k) * C(k,j)", "E0235-unsupported", GRAPH_NEVER},
    {"custard/old/tensor3_elemadd.gv", "X(i,j,k) = B(i,j,k) + C(i,j,k)", NULL, GRAPH_ANY},
    {"custard/old/tensor3_ttv.gv", "X(i,j) = B(i,j,k) * c(k)", NULL, GRAPH_ANY},
    {"custard/old/vec_elemadd.gv", "x(i) = b(i) + c(i)", NULL, GRAPH_ANY},
    {"custard/old/vec_elemmul.gv", "x(i) = b(i) * c(i)", NULL, GRAPH_ANY},
    {"custard/old/vec_scalar_mul.gv", "x(i) = b * c(i)", NULL, GRAPH_ANY},
    {"custard/pin/mat_vecmul_ij.gv", "x(i) = B(i,j) * c(j)", "E0232-result", GRAPH_FULL},
    {"custard/pin/matmul_ijk.gv", "X(i,j) = B(i,k) * C(k,j)", "E0232-result", GRAPH_FULL},
    {"dot/mat_mask_tri.gv", "x = B(i,j) * C(i,k) * D(k,j)", NULL, GRAPH_ANY},
    {"dot/mat_mask_tri_DA3_final.gv", "X(i,l) = Diag(i,l) * B1(i,j) * B2(j,k) * B3(k,l)", "E0232-result",
     GRAPH_FULL},
    {"dot/mat_mask_tri_DA3sum_final.gv", "x = Diag(i,l) * B1(i,j) * B2(j,k) * B3(k,l)", NULL, GRAPH_ANY},
    {"dot/mat_mask_tri_fiberwrite.gv", "x = B(i,j) * C(i,k) * D(k,j)", NULL, GRAPH_ANY},
    {"dot/mat_mask_tri_partial.gv", "X(i,j) = B(i,j) * C(i,k) * D(k,j)", NULL, GRAPH_ANY},
    {"dot/mat_mattransmul.gv", "x(i) = b * C(j,i) * d(j) + e * f(i)", "E0232-result", GRAPH_FULL},
    {"dot/mat_mattransmul_HAND.gv", "x(i) = b * C(j,i) * d(j) + e * f(i)", NULL, GRAPH_ANY},
    {"dot/mat_residual.gv", "x(i) = b(i) - C(i,j) * d(j)", "E0232-result", GRAPH_FULL},
    {"dot/mat_residual_HAND.gv", "x(i) = b(i) - C(i,j) * d(j)", NULL, GRAPH_ANY},
    {"dot/mat_vecmul_iter.gv", "x(i) = B(i,j) * C(j,k) * D(k,l) * E(l,m) * f(m)", NULL, GRAPH_ANY},
    {"dot/mat_vecmul_iter_short.gv", "x(i) = B(i,j) * C(j,k) * d(k)", NULL, GRAPH_ANY},
    {"dot/tensor3_website_expr.gv", "x = B(i) * C(j) * D(i,j,k) * E(j,l) * F(l,m,n)", NULL, GRAPH_ANY},
    {"dot/vec_ds_compression.gv", "x(i) = b(i)", NULL, GRAPH_ANY},
    {"dot/vec_ds_compression_HAND.gv", "x(i) = b(i)", NULL, GRAPH_ANY},
    {"dot/vec_sd_compression.gv", "x(i) = b(i)", "E0231-stream", GRAPH_NEVER},
    {"dot/vec_sd_compression_HAND.gv", "x(i) = b(i)", "E0231-stream", GRAPH_NEVER},
    {"dot/vec_sub.gv", "x(i) = b(i) - c(i)", "E0232-result", GRAPH_FULL},
    {"onyx-dot/mat_dn2sp.gv", "X(i,j) = B(i,j)", NULL, GRAPH_ANY},
    {"onyx-dot/mat_elemadd.gv", "X(i,j) = B(i,j) + C(i,j)", NULL, GRAPH_ANY},
    {"onyx-dot/mat_elemadd3.gv", "X(i,j) = B(i,j) + C(i,j) + D(i,j)", NULL, GRAPH_ANY},
    {"onyx-dot/mat_elemadd_leakyrelu_exp.gv", "X(i,j) = exp(relu(B(i,j) + C(i,j)))", NULL, GRAPH_STORED},
    {"onyx-dot/mat_elemadd_relu.gv", "X(i,j) = relu(B(i,j) + C(i,j))", NULL, GRAPH_ANY},
    {"onyx-dot/mat_elemmul.gv", "X(i,j) = B(i,j) * C(i,j)", NULL, GRAPH_ANY},
    {"onyx-dot/mat_identity.gv", "X(i,j) = B(i,j)", NULL, GRAPH_ANY},
    {"onyx-dot/mat_mattransmul.gv", "x(i) = b * C(j,i) * d(j) + e * f(i)", NULL, GRAPH_ANY},
    {"onyx-dot/mat_sddmm.gv", "X(i,j) = B(i,j) * C(i,k) * D(k,j)", NULL, GRAPH_ANY},
    {"onyx-dot/mat_sp2dn.gv", "X(i,j) = B(i,j) + C(i,j)", NULL, GRAPH_ANY},
    {"onyx-dot/mat_vecmul_ij.gv", "x(i) = B(i,j) * c(j)", NULL, GRAPH_ANY},
    {"onyx-dot/matmul_ijk.gv", "X(i,j) = B(i,k) * C(k,j)", NULL, GRAPH_ANY},
    {"onyx-dot/matmul_ijk_crddrop.gv", "X(i,j) = B(i,k) * C(k,j)", NULL, GRAPH_ANY},
    {"onyx-dot/matmul_ijk_crddrop_fp.gv", "X(i,j) = B(i,k) * C(k,j)", NULL, GRAPH_ANY},
    {"onyx-dot/matmul_ijk_crddrop_relu.gv", "X(i,j) = relu(B(i,k) * C(k,j))", NULL, GRAPH_ANY},
    {"onyx-dot/matmul_ijk_crddrop_relu_fp.gv", "X(i,j) = relu(B(i,k) * C(k,j))", NULL, GRAPH_ANY},
    {"onyx-dot/matmul_ikj.gv", "X(i,j) = B(i,k) * C(k,j)", NULL, GRAPH_ANY},
    {"onyx-dot/matmul_jik.gv", "X(i,j) = B(i,k) * C(k,j)", NULL, GRAPH_ANY},
    {"onyx-dot/spmm_ijk_crddrop.gv", "X(i,j) = B(i,k) * C(k,j)", NULL, GRAPH_ANY},
    {"onyx-dot/spmm_ijk_crddrop_fp.gv", "X(i,j) = B(i,k) * C(k,j)", NULL, GRAPH_ANY},
    {"onyx-dot/spmm_ijk_crddrop_relu.gv", "X(i,j) = relu(B(i,k) * C(k,j))", NULL, GRAPH_ANY},
    {"onyx-dot/spmv.gv", "x(i) = B(i,j) * c(j)", NULL, GRAPH_ANY},
    {"onyx-dot/spmv_fp.gv", "x(i) = B(i,j) * c(j)", NULL, GRAPH_ANY},
    {"onyx-dot/spmv_relu.gv", "x(i) = relu(B(i,j) * c(j))", NULL, GRAPH_ANY},
    {"onyx-dot/tensor3_elemadd.gv", "X(i,j,k) = B(i,j,k) + C(i,j,k)", NULL, GRAPH_ANY},
    {"onyx-dot/tensor3_elemmul.gv", "X(i,j,k) = B(i,j,k) * C(i,j,k)", NULL, GRAPH_ANY},
    {"onyx-dot/tensor3_identity.gv", "X(i,j,k) = B(i,j,k)", NULL, GRAPH_ANY},
    {"onyx-dot/tensor3_innerprod.gv", "x = B(i,j,k) * C(i,j,k)", NULL, GRAPH_ANY},
    {"onyx-dot/tensor3_mttkrp.gv", "X(i,j) = B(i,k,l) * C(j,k) * D(j,l)", NULL, GRAPH_ANY},
    {"onyx-dot/tensor3_ttm.gv", "X(i,j,k) = B(i,j,l) * C(k,l)", NULL, GRAPH_ANY},
    {"onyx-dot/tensor3_ttv.gv", "X(i,j) = B(i,j,k) * c(k)", NULL, GRAPH_ANY},
    {"onyx-dot/vec_elemadd.gv", "x(i) = b(i) + c(i)", NULL, GRAPH_ANY},
    {"onyx-dot/vec_elemmul.gv", "x(i) = b(i) * c(i)", NULL, GRAPH_ANY},
    {"onyx-dot/vec_identity.gv", "x(i) = b(i)", NULL, GRAPH_ANY},
    {"onyx-dot/vec_scalar_mul.gv", "x(i) = b * c(i)", NULL, GRAPH_ANY},
    {"onyx/matmul_ikj_hacked.gv", NULL, "E0212-undriven", GRAPH_ANY},
};

enum { PUBLISHED = sizeof published / sizeof *published };

/* A cmocka test a row: the row comes in as the initial state. */
typedef struct {
    void *fixture;
    const graph_case *row;
} row_state;

static int set_up(void **state) {
    row_state *r = calloc(1, sizeof *r);
    r->row = *state;
    fixture_set_up(&r->fixture);
    *state = r;
    return 0;
}

static int tear_down(void **state) {
    row_state *r = *state;
    fixture_tear_down(&r->fixture);
    free(r);
    return 0;
}

static void one_graph(void **state) {
    row_state *r = *state;
    graph_case_check(r->fixture, GRAPHS, r->row);
}

static bool has_row(const char *file) {
    for (uint32_t k = 0; k < PUBLISHED; k++)
        if (strcmp(published[k].file, file) == 0)
            return true;
    return false;
}

static void every_file_has_a_row(void **state) {
    static const char *const folders[] = {"custard/old", "custard/pin", "dot", "onyx", "onyx-dot"};
    fixture *f = *state;
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++) {
        DIR *folder = opendir(arena_printf(&f->mem, GRAPHS "/%s", folders[k]));
        assert_non_null(folder);
        for (struct dirent *e = readdir(folder); e; e = readdir(folder)) {
            const char *file = arena_printf(&f->mem, "%s/%s", folders[k], e->d_name);
            if (strstr(file, ".gv") && !has_row(file))
                fail_msg("%s has no row in the table", file);
        }
        closedir(folder);
    }
}

int main(void) {
    struct CMUnitTest tests[PUBLISHED + 1];
    if (access(GRAPHS, R_OK) != 0) {
        print_message("skipped: no published graphs at %s\n", GRAPHS);
        return 77;
    }
    for (uint32_t k = 0; k < PUBLISHED; k++)
        tests[k] = (struct CMUnitTest){published[k].file, one_graph, set_up, tear_down,
                                       (void *)(uintptr_t)&published[k]};
    tests[PUBLISHED] = (struct CMUnitTest)TEST(every_file_has_a_row);
    return cmocka_run_group_tests_name("published graphs", tests, NULL, NULL);
}
