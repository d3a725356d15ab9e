/* tiling/: the reference against a point-by-point evaluation, and whole plans: every run's blocks are decoded
 * again, evaluated point by point, written as result streams, and collected. */
#include "tests/tiling/plan_cases.h"

/* By variant: no levels, the innermost levels, the rest, or all levels are padded; some of them with all
 * coordinates. */
static void pad_levels(sam_statement *s, uint32_t variant) {
    for (uint32_t t = 1; t < s->tensors.len; t++) {
        sam_tensor_data *d = &s->tensors.at[t];
        for (uint32_t l = 0; l < d->order; l++) {
            bool padded = variant & (l + 1 == d->order ? 1 : 2);
            d->padded |= (uint32_t)(padded && d->level[l] == SAM_LEVEL_COMPRESSED) << l;
            d->whole |= variant % 5 == 4 ? d->padded & 1u << l : 0;
        }
    }
}

/* Each kernel on `variants` of the 16 variants of its operands. */
static void each_variant(fixture *f, uint32_t variants,
                         void (*one)(fixture *f, sam_statement *s, const tile_tensor *operand,
                                     uint32_t variant)) {
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        for (uint32_t variant = 0; variant < variants; variant++) {
            builder b;
            tile_tensor operand[16];
            make_operands(f, &b, k, variant % 16, operand);
            pad_levels(&b.s, variant / 4);
            one(f, &b.s, operand, variant);
        }
    }
}

static void check_plans(fixture *f, sam_statement *s, const tile_tensor *operand, uint32_t variant) {
    check_plan(f, s, operand, 3);
    pad_levels(s, variant);
    check_plan(f, s, operand, 0);
    const plan_case copies = {.tiling = {.tile = 3, .mem_words = 1024},
                              .copies = 2 + variant % 3,
                              .how = (tile_dispatch)(variant / 4 % 2)};
    check_case(f, s, operand, &copies);
}

static void plans_compute_what_the_statement_says(void **state) {
    each_variant(*state, 16, check_plans);
}

/* Twelve levels, stored in the order of the modes or the other way around, whole or cut in two along each. */
static void tensors_of_the_highest_order(void **state) {
    fixture *f = *state;
    static const char *const how[][3] = {
        {"Xabcdefghijkl:ssssssssssss", "Babcdefghijkl:ssssssssdsss", "abcdefghijkl"},
        {"Xabcdefghijkl:ssssssssssss:;:9876543210", "Babcdefghijkl:ssssssssssss:;:9876543210",
         "lkjihgfedcba"}};
    for (size_t i = 0; i < 2; i++) {
        builder b;
        tile_tensor operand[2];
        build(&b, f, how[i][0], (const char *const[]){how[i][1], NULL}, how[i][2]);
        assert_true(tile_generate("2x3x2x1x2x2x3x2x2x1x2x2:0.02", b.s.tensors.at[1].name, 1, 1,
                                  TILE_DTYPE_INT16, &f->mem, &f->diag, &operand[1]));
        assert_int_equal(check_plan(f, &b.s, operand, 3), 1);
        assert_true(check_plan(f, &b.s, operand, 1) == operand[1].nnz);
    }
}

static void try_edges(fixture *f, sam_statement *s, const tile_tensor *operand, uint32_t variant) {
    plan_case c = {.tiling = {.tile = 3, .mem_words = variant % 3 ? 1024 : 16},
                   .most_words = variant % 2 ? 40 : 0,
                   .copies = 1 + variant / 16};
    for (uint32_t v = 0; v < s->vars.len; v++) {
        c.tiling.edge[v] = (v + variant) % 3 ? 1 + (v * 5 + variant * 3) % 9 : 0;
        c.tiling.glb_edge[v] = (v + variant) % 4 ? 0 : 2 + (v + variant) % 12;
    }
    tile_counts counts;
    try_plan(f, s, operand, &c, &counts);
    f->diag.list.len = f->diag.unmappable = 0;
}

/* Sub-tiles and tiles for the global buffer are longer along one variable than along another. */
static void every_variable_may_have_its_own_edge(void **state) {
    fixture *f = *state;
    each_variant(f, 32, try_edges);
    builder b;
    tile_tensor operand[3];
    build_full_product(&b, f, operand);
    const plan_case c = {.tiling = {.tile = 5, .edge = {[0] = 10, [1] = 4}, .mem_words = 1024}, .copies = 1};
    tile_counts counts;
    assert_true(try_plan(f, &b.s, operand, &c, &counts));
    assert_int_equal(counts.expected.runs, 2 * 5 * 4);
}

static bool all_compressed(const sam_statement *s) {
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        for (uint32_t l = 0; l < s->tensors.at[t].order; l++) {
            if (sam_level_is_whole(&s->tensors.at[t], l))
                return false;
        }
    }
    return true;
}

/* Small memories: nearly everything is split; compressed operands are never refused. */
static void what_does_not_fit_is_split(void **state) {
    fixture *f = *state;
    uint32_t done = 0, refused = 0, split = 0;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        for (uint32_t variant = 0; variant < 16; variant++) {
            for (uint32_t words = 2; words < 30; words += 1 + words / 2) {
                builder b;
                tile_tensor operand[16];
                tile_counts counts;
                make_operands(f, &b, k, variant, operand);
                pad_levels(&b.s, words > 2 ? variant / 2 : 0);
                const plan_case c = {.tiling = {.tile = 5, .mem_words = words, .bank_words = 4 * words},
                                     .most_words = words % 2 ? 50 : 0,
                                     .copies = 1 + variant % 2};
                bool good = try_plan(f, &b.s, operand, &c, &counts);
                done += good;
                refused += !good;
                split += good && counts.splits.len;
                if (!good) {
                    if (all_compressed(&b.s) && words > 5) /* c(i) beside B(i,j) runs along a whole edge */
                        fail_msg("kernel %zu, %u words: %s", k, words, fixture_printed(f));
                    assert_non_null(strstr(fixture_printed(f), "E0330-capacity"));
                }
                f->diag.list.len = f->diag.unmappable = 0;
            }
        }
    }
    if (split < 300 || done < refused)
        fail_msg("%u done, of these %u with splits, %u refused", done, split, refused);
}

TEST_PART(tiling_plan, TEST(plans_compute_what_the_statement_says), TEST(tensors_of_the_highest_order),
          TEST(every_variable_may_have_its_own_edge), TEST(what_does_not_fit_is_split))

int main(void) {
    return tiling_plan() + plan_sizes() + plan_files() + plan_chosen();
}
