#include "tests/tiling/format_cases.h"

tile_formats shipped(fixture *f) {
    tile_formats all = {0};
    size_t length = 0;
    char *text = file_read(ONYX_SOURCE_DIR "/formats/named.formats", &f->mem, &length, &f->diag);
    assert_non_null(text);
    assert_true(tile_formats_read("named.formats", text, &f->mem, &f->diag, &all));
    return all;
}

/* Reads definitions, and returns the last definition. */
tile_format parse(fixture *f, const char *text) {
    tile_formats all = {0};
    if (!tile_formats_read("test", text, &f->mem, &f->diag, &all))
        fail_msg("%s: %s", text, fixture_printed(f));
    return all.at[all.len - 1];
}

static const char *array_text(fixture *f, const char *text, const char *name, const tile_numbers *n) {
    for (uint32_t i = 0; i < n->n; i++)
        text = arena_printf(&f->mem, "%s%s%d", text, i ? " " : name, n->at[i]);
    return n->n ? arena_printf(&f->mem, "%s; ", text) : text;
}

/* "dense 4; compressed 6 pos 0 2 crd 0 1; vals 5 1" */
const char *text_of(fixture *f, const tile_stored *s) {
    const char *text = "";
    for (uint32_t l = 0; l < s->format.levels; l++) {
        text = arena_printf(&f->mem, "%s%u; ", text, s->level[l].size);
        text = array_text(f, text, "pos ", &s->level[l].pos);
        text = array_text(f, text, "crd ", &s->level[l].crd);
        text = array_text(f, text, "ofs ", &s->level[l].ofs);
    }
    text = arena_printf(&f->mem, "%svals", text);
    for (uint32_t i = 0; i < s->n_vals; i++)
        text = arena_printf(&f->mem, "%s %d", text, (int16_t)s->vals[i]);
    return text;
}

tile_tensor tensor_of(fixture *f, uint32_t order, const uint32_t *dim, uint32_t nnz, const uint32_t *crd,
                      const double *val) {
    tile_tensor t;
    assert_true(tile_from_entries((name_id){0}, order, dim, nnz, crd, val, TILE_DTYPE_INT16, "test", &f->mem,
                                  &f->diag, &t));
    return t;
}

/* The stored tensor is read back as it was. */
void assert_restored(fixture *f, const tile_stored *s, const tile_tensor *t) {
    tile_tensor again;
    if (!tile_restore(s, TILE_DTYPE_INT16, "test", &f->mem, &f->diag, &again))
        fail_msg("%s", fixture_printed(f));
    assert_int_equal(again.nnz, t->nnz);
    assert_memory_equal(again.crd, t->crd, t->nnz * t->order * sizeof *t->crd);
    assert_memory_equal(again.val, t->val, t->nnz * sizeof *t->val);
}

static bool same_numbers(const tile_numbers *a, const tile_numbers *b) {
    return a->n == b->n && (!a->n || memcmp(a->at, b->at, sizeof *a->at * a->n) == 0);
}

bool same_stored(const tile_stored *a, const tile_stored *b) {
    bool same = a->n_vals == b->n_vals && a->format.parts == b->format.parts &&
                (!a->n_vals || memcmp(a->vals, b->vals, sizeof *a->vals * a->n_vals) == 0);
    for (uint32_t p = 0; same && p < a->format.parts; p++)
        same = same_stored(&a->part[p], &b->part[p]);
    for (uint32_t l = 0; l < a->format.levels; l++)
        same = same && a->level[l].size == b->level[l].size &&
               same_numbers(&a->level[l].pos, &b->level[l].pos) &&
               same_numbers(&a->level[l].crd, &b->level[l].crd) &&
               same_numbers(&a->level[l].ofs, &b->level[l].ofs);
    return same;
}

bool is_direct(const tile_format *f) {
    bool direct = true;
    for (uint32_t l = 0; l < f->levels; l++)
        direct = direct && f->level[l].how == TILE_MAP_DIRECT;
    return direct;
}
