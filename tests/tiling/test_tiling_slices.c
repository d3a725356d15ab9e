/* Kept slices (fe_keep): a random matrix and 1,000 random slices of the matrix, whose results equal the
 * definition. Batch files hold the words of each sub-tile in the plan's order; the words hash equally for
 * every slice, and exactly the sub-tiles met by the slice are loaded.
 */
#include "frontend/language/language.h"
#include "frontend/lowering/lowering.h"
#include "frontend/schedules/schedules.h"
#include "tests/quota.h"
#include "tests/test.h"

#include "tiling/tiling.h"

enum { ROWS = 61, COLUMNS = 45, EDGE = 8, SLICES = 1000, TILES = (ROWS / EDGE + 1) * (COLUMNS / EDGE + 1) };

/* lo:hi:st of an extent; not sliced: a stride of 0. */
typedef struct {
    uint32_t low, high, stride, n;
} slice;

static slice any_slice(prng *random, uint32_t extent) {
    slice s = {.low = (uint32_t)prng_below(random, extent), .stride = 1 + (uint32_t)prng_below(random, 9)};
    s.high = s.low + 1 + (uint32_t)prng_below(random, extent + 3 - s.low);
    const uint32_t end = s.high < extent ? s.high : extent;
    s.n = (end - s.low - 1) / s.stride + 1;
    return s;
}

static slice whole(uint32_t extent) {
    return (slice){.high = extent, .stride = 1, .n = extent};
}

static const char *index_text(fixture *f, char v, const slice *s) {
    return arena_printf(&f->mem, "%c(%u:%u:%u)", v, s->low, s->high, s->stride);
}

/* A kernel that keeps these slices, packed, and its operands. */
typedef struct {
    sam_statement packed;
    tile_operands operands;
} kept;

static void keep(fixture *f, const tile_tensor *matrix, const slice *i, const slice *j, kept *out) {
    sam_statement user;
    fe_cin cin;
    fe_kernel k;
    const fe_in in = {.expression = arena_printf(&f->mem, "X(i,j) = B(%s,%s)", index_text(f, 'i', i),
                                                 index_text(f, 'j', j)),
                      .integers = true};
    assert_true(fe_parse(&in, &f->names, &f->mem, &f->diag, &user) &&
                fe_schedule(&in, &user, &f->mem, &f->diag, &cin));
    assert_true(fe_keep(&cin.kernels.at[0], &f->mem, &k) &&
                fe_pack(&k.s, false, &f->mem, &f->diag, &out->packed));
    const sam_tensor_data *operand = &user.tensors.at[1];
    tile_tensor all[3] = {*matrix};
    for (uint32_t m = 0; m < 2; m++) {
        const slice *s = m ? j : i;
        tile_tensor *ones = &all[1 + m];
        uint32_t *crd = arena_new_n(&f->mem, uint32_t, s->n);
        uint16_t *val = arena_new_n(&f->mem, uint16_t, s->n);
        for (uint32_t c = 0; c < s->n; c++) {
            crd[c] = s->low + c * s->stride;
            val[c] = 1;
        }
        *ones = (tile_tensor){.name = fe_slice_name(&user, operand, m),
                              .order = 1,
                              .dim = {matrix->dim[m]},
                              .nnz = s->n,
                              .crd = crd,
                              .val = val};
    }
    const tile_operands given = {all, 3, TILE_DTYPE_INT16};
    out->operands = (tile_operands){0};
    assert_true(tile_pack(&out->packed, &given, &f->mem, &f->diag, &out->operands));
}

/* The result, against B at lo + c * st of both indices. Returns whether the slice has no entry. */
static bool check_result(fixture *f, const kept *k, const tile_tensor *matrix, const slice *i,
                         const slice *j) {
    const uint32_t dim[2] = {i->n, j->n};
    tile_tensor computed, got;
    assert_true(tile_reference(&k->packed, &k->operands, &f->mem, &f->diag, &computed));
    tile_unpack(sam_tensor_at(&k->packed, k->packed.result), &computed, dim, TILE_DTYPE_INT16, &f->mem, &got);
    uint64_t e = 0;
    for (uint64_t b = 0; b < matrix->nnz; b++) {
        const uint32_t x = matrix->crd[2 * b], y = matrix->crd[2 * b + 1];
        if (x < i->low || x >= i->high || (x - i->low) % i->stride || y < j->low || y >= j->high ||
            (y - j->low) % j->stride)
            continue;
        assert_true(e < got.nnz);
        assert_int_equal(got.crd[2 * e], (x - i->low) / i->stride);
        assert_int_equal(got.crd[2 * e + 1], (y - j->low) / j->stride);
        assert_int_equal(got.val[e++], matrix->val[b]);
    }
    assert_int_equal(e, got.nnz);
    return e == 0;
}

/* The hash of the matrix's words in each run, by sub-tile of the matrix; 0: not loaded. */
static void hash_tiles(fixture *f, const kept *k, uint64_t hash[TILES]) {
    const sam_statement *s = &k->packed;
    const tile_options options = {.tile = EDGE, .mem_words = 1024};
    tile_stream inputs[16], outputs[3] = {{.tensor = s->tensors.at[0].name, .level = 0},
                                          {.tensor = s->tensors.at[0].name, .level = 1},
                                          {.tensor = s->tensors.at[0].name, .level = SAM_MODE_VALS}};
    uint32_t n = 0, first = 0;
    for (uint32_t t = 1; t < s->tensors.len; t++) {
        if (name_eq(s->tensors.at[t].view.source, names_find(&f->names, "B")))
            first = n;
        for (uint32_t l = 0; l < s->tensors.at[t].order; l++)
            inputs[n++] = (tile_stream){.tensor = s->tensors.at[t].name, .level = (int)l};
        inputs[n++] = (tile_stream){.tensor = s->tensors.at[t].name, .level = SAM_MODE_VALS};
    }
    tile_planner *p = tile_plan_begin(s, &k->operands, &options, inputs, n, outputs, 3, &f->mem, &f->diag);
    tile_plan plan;
    assert_non_null(p);
    assert_int_equal(tile_plan_next(p, 0, &f->mem, &plan), TILE_BATCH);
    memset(hash, 0, sizeof *hash * TILES);
    for (uint32_t r = 0; r < plan.runs.len; r++) {
        /* A run's result lies where the sub-tile does. */
        const uint32_t *corner = plan.boxes.at[r].origin;
        uint64_t *own = &hash[corner[0] / EDGE * (COLUMNS / EDGE + 1) + corner[1] / EDGE];
        assert_int_equal(*own, 0);
        for (uint32_t i = first; i < first + 3; i++) {
            const uint32_t block = plan.run_block.at[plan.runs.at[r].block_first + i];
            const tile_block *b = &plan.inputs.at[i].blocks.at[block];
            *own = hash_more(*own, plan.words.at + b->first, b->length * sizeof *plan.words.at);
        }
    }
    tile_plan_end(p);
}

/* Returns whether a sub-tile has coordinates of the slice. */
static bool meets(const slice *s, uint32_t tile) {
    for (uint32_t c = s->low; c < s->low + s->n * s->stride; c += s->stride) {
        if (c / EDGE == tile)
            return true;
    }
    return false;
}

static void a_slice_leaves_the_words_as_they_are(void **state) {
    fixture *f = *state;
    tile_tensor matrix;
    prng random = prng_seed(19);
    quota shown = {0};
    uint64_t all[TILES], got[TILES];
    assert_true(tile_generate("61x45:0.4:3", names_intern(&f->names, "B"), 1, 1, TILE_DTYPE_INT16, &f->mem,
                              &f->diag, &matrix));
    for (uint32_t n = 0; n <= SLICES; n++) {
        fixture *own = NULL;
        kept k;
        fixture_set_up((void **)&own);
        matrix.name = names_intern(&own->names, "B");
        const slice i = n ? any_slice(&random, ROWS) : whole(ROWS),
                    j = n ? any_slice(&random, COLUMNS) : whole(COLUMNS);
        keep(own, &matrix, &i, &j, &k);
        quota_add(&shown, true, check_result(own, &k, &matrix, &i, &j));
        hash_tiles(own, &k, n ? got : all);
        for (uint32_t t = 0; n && t < TILES; t++) {
            const bool met = meets(&i, t / (COLUMNS / EDGE + 1)) && meets(&j, t % (COLUMNS / EDGE + 1));
            if (got[t] != (met ? all[t] : 0))
                fail_msg("slice %u: sub-tile %u has other words", n, t);
        }
        fixture_tear_down((void **)&own);
    }
    assert_false(quota_failed(&shown));
}

RUN_TESTS(TEST(a_slice_leaves_the_words_as_they_are))
