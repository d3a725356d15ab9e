/* plan_cases.h - shared by the parts of test_tiling_plan; a part runs its tests and returns how many failed.
 */
#ifndef ONYX_TESTS_TILING_PLAN_CASES_H
#define ONYX_TESTS_TILING_PLAN_CASES_H

#include "tests/test.h"
#include "tiling/choose.h"
#include "tiling/sample.h"

/* A statement as it is built. */
typedef struct {
    fixture *f;
    sam_statement s;
} builder;
/* "Bik:ss" or "Ckj:ss:10": tensor, indices, formats, mode order. */
sam_tensor tensor(builder *b, const char *spec, sam_var *index);
/* Postfix: tensors, and '*', '+', '-', '~' (negate), "Sk" (sum over k). */
void build(builder *b, fixture *f, const char *result, const char *const *words, const char *loops);
typedef struct {
    tile_options tiling;
    uint32_t most_words; /* of a batch; 0: a single batch */
    uint32_t copies;
    tile_dispatch how;
    bool exact; /* the result's arrays are as long as the plan says, not only at most */
} plan_case;
/* Plans, runs all batches, and compares with both evaluations. False: refused, for want of capacity. */
bool try_plan(fixture *f, const sam_statement *s, const tile_tensor *operand, const plan_case *c,
              tile_counts *counts);
/* Plans a case that must not be refused; returns the number of runs of a copy. */
uint32_t check_case(fixture *f, const sam_statement *s, const tile_tensor *operand, const plan_case *c);
uint32_t check_plan(fixture *f, const sam_statement *s, const tile_tensor *operand, uint32_t edge);
static const struct {
    const char *result, *words[12], *loops, *dims;
} kernels[] = {
    {"xi:s", {"bi:s", "ci:s", "*"}, "i", "i"},
    {"xi:s", {"bi:s", "ci:s", "+"}, "i", "i"},
    {"Xij:ss", {"Bij:ss"}, "ij", "ij"},
    {"Xij:ss", {"Bij:ss", "Cij:ss", "*"}, "ij", "ij"},
    {"Xij:ss", {"Bij:ss", "Cij:ds", "+"}, "ij", "ij"},
    {"xi:s", {"Bij:ss", "cj:d", "*", "Sj"}, "ij", "ij"},
    {"Xij:ss", {"Bik:ss", "Ckj:ss:10", "*", "Sk"}, "ijk", "ijk"},
    {"Xij:ss:10", {"Bik:ss:10", "Ckj:ss:10", "*", "Sk"}, "kji", "ijk"},
    {"yi:s", {"bi:s", "Aij:ss", "xj:s", "*", "Sj", "-"}, "ij", "ij"},
    {"yi:s", {"Aij:ss", "Sj", "~", "bi:s", "+"}, "ij", "ij"},
    {"Xij:ss", {"Dij:ss", "Bik:ss", "Ckj:ss:10", "*", "Sk", "*"}, "ijk", "ijk"},
    {"Xij:ss", {"Dij:ss", "Eij:ss", "+", "Bik:ss", "Ckj:ss:10", "*", "Sk", "*"}, "ijk", "ijk"},
    {"a:", {"Bij:ss", "Cij:ss", "*", "Sj", "Si"}, "ij", "ij"},
    {"xi:s", {"Bij:ss", "Sj", "Cik:ss", "Sk", "*"}, "ijk", "ijk"},
    {"Xij:ss", {"Bij:ss", "ci:s", "+"}, "ij", "ij"},
    {"Xij:ss", {"a:", "Bij:ss", "*"}, "ij", "ij"},
    {"Xijk:sss", {"Bijk:sss", "Cijk:dsd", "Dijk:dds", "*", "*"}, "ijk", "ijk"},
    {"Xijk:sss", {"Bijk:sds", "Cijk:ssd:201", "+"}, "kij", "ijk"},
};
/* Operands of kernel k: extents and density by variant. */
void make_operands(fixture *f, builder *b, size_t k, uint32_t variant, tile_tensor *operand);
/* X(i,j) = sum over k of B(i,k) * C(k,j) with full operands of 20 x 20. */
void build_full_product(builder *b, fixture *f, tile_tensor *operand);
/* The whole plan at once, of a kernel with `n` streams each way. */
bool plan_all(fixture *f, const sam_statement *s, const tile_operands *in, const tile_options *options,
              const tile_stream *inputs, const tile_stream *outputs, uint32_t n, tile_plan *out);
tile_tensor one_entry(fixture *f, const char *name, uint32_t dim, uint32_t row, uint32_t col);

int tiling_plan(void);
int plan_sizes(void);
int plan_files(void);
int plan_chosen(void);

#endif
