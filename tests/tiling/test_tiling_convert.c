/* tiling/: level storage of one tensor in every order of modes, by several threads at once: each the same
 * bytes as alone, and the same entries as the tensor. */
#include "tests/test.h"

#include "tiling/tiling.h"

#include <pthread.h>

enum { ORDERS = 6, THREADS = 4 };

static const uint8_t mode_orders[ORDERS][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                               {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

static sam_tensor_data format_of(uint32_t which) {
    sam_tensor_data t = {.order = 3};
    for (uint32_t l = 0; l < 3; l++) {
        t.mode[l] = mode_orders[which][l];
        t.level[l] = l == which % 4 ? SAM_LEVEL_DENSE : SAM_LEVEL_COMPRESSED; /* 3: none is dense */
    }
    return t;
}

typedef struct {
    const tile_tensor *tensor;
    uint64_t hash[ORDERS];
    bool same; /* entries equal the tensor's entries */
} conversion;

static uint64_t hash_of(const sam_tensor_levels *s) {
    uint64_t hash = hash_more(0, s->vals, sizeof *s->vals * s->n_vals);
    for (uint32_t l = 0; l < s->order; l++) {
        hash = hash_more(hash, s->level[l].seg, sizeof(uint32_t) * s->level[l].n_seg);
        hash = hash_more(hash, s->level[l].crd, sizeof(uint32_t) * s->level[l].n_crd);
    }
    return hash;
}

/* Looks every entry up, level by level. */
static bool holds(const sam_tensor_levels *s, const uint8_t *mode, const tile_tensor *t) {
    for (uint64_t e = 0; e < t->nnz; e++) {
        uint32_t at = 0;
        for (uint32_t l = 0; l < 3; l++) {
            const sam_level_data *level = &s->level[l];
            uint32_t want = t->crd[e * 3 + mode[l]];
            if (level->format == SAM_LEVEL_DENSE) {
                at = at * level->dim + want;
                continue;
            }
            uint32_t i = level->seg[at];
            while (i < level->seg[at + 1] && level->crd[i] != want)
                i++;
            if (i == level->seg[at + 1])
                return false;
            at = i;
        }
        if (s->vals[at] != t->val[e])
            return false;
    }
    return true;
}

static void *convert(void *argument) {
    conversion *c = argument;
    c->same = true;
    for (uint32_t o = 0; o < ORDERS; o++) {
        arena mem = {0};
        diagnostics d;
        sam_tensor_levels levels;
        const sam_tensor_data format = format_of(o);
        diag_init(&d, &mem);
        c->same = tile_levels(c->tensor, &format, &mem, &d, &levels) &&
                  holds(&levels, format.mode, c->tensor) && c->same;
        c->hash[o] = hash_of(&levels);
        arena_free(&mem);
    }
    return NULL;
}

static void conversions_side_by_side_give_the_same_bytes(void **state) {
    fixture *f = *state;
    tile_tensor t;
    assert_true(tile_generate("23x17x31:0.2", names_intern(&f->names, "B"), 0, 1, TILE_DTYPE_INT16, &f->mem,
                              &f->diag, &t));
    assert_true(t.nnz > 2000);
    conversion alone = {.tensor = &t}, together[THREADS];
    pthread_t thread[THREADS];
    convert(&alone);
    assert_true(alone.same);
    for (int i = 0; i < THREADS; i++) {
        together[i] = (conversion){.tensor = &t};
        assert_int_equal(pthread_create(&thread[i], NULL, convert, &together[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_true(together[i].same);
        assert_memory_equal(together[i].hash, alone.hash, sizeof alone.hash);
    }
}

RUN_TESTS(TEST(conversions_side_by_side_give_the_same_bytes))
