/* Tensors as the published simulator of SAM has them: text files STEM_mode_M_seg and STEM_mode_M_crd of each
 * compressed level, by the mode that it stores, STEM_mode_vals and STEM_mode_shape, a number a line. A mode
 * without files is a dense level. Which level is outside of which is not said: the order of modes is the
 * first that fits. */
#include "tiling/level_files.h"
#include "support/number.h"

#include <unistd.h>

typedef struct {
    bool compressed;
    u32_vec seg, crd;
} level;

typedef struct {
    const char *stem;
    arena *mem; /* scratch */
    diagnostics *d;
    uint32_t order, dim[SAM_MAX_ORDER];
    level mode[SAM_MAX_ORDER];
    f64_vec val;
} reader;

static const char *file_of(const reader *r, const char *ending) {
    return arena_printf(r->d->mem, "%s_mode_%s", r->stem, ending);
}

static bool is_there(const reader *r, const char *ending) {
    return access(file_of(r, ending), R_OK) == 0;
}

bool tile_is_level_files(const char *stem, arena *mem) {
    return access(arena_printf(mem, "%s_mode_vals", stem), R_OK) == 0;
}

/* ---- numbers ----------------------------------------------------------------------------------- */

static bool read_numbers(const reader *r, const char *ending, double most, f64_vec *out) {
    const char *path = file_of(r, ending);
    size_t length = 0;
    const char *text = text_read(path, r->d->mem, &length, r->d);
    const uint32_t source = text ? diag_add_source(r->d, path, text, length) : 0;
    for (const char *at = text ? text + strspn(text, " \t\r\n") : NULL; at && *at;) {
        char *end = NULL;
        const double value = number_read(at, &end);
        const bool whole = most == 0 || (value >= 0 && value <= most && value == (double)(uint32_t)value);
        if (end == at || !strchr(" \t\r\n", *end) || !whole)
            return diag_error(r->d, src_at(source, (size_t)(at - text), 1), "E0317-level-files",
                              most == 0 ? "this is no number" : "this is no whole number from 0 to %.0f",
                              most);
        vec_push(r->mem, out, value);
        at = end + strspn(end, " \t\r\n");
    }
    return text != NULL;
}

static bool read_whole(const reader *r, const char *ending, u32_vec *out) {
    f64_vec numbers = {0};
    if (!read_numbers(r, ending, 4294967294.0, &numbers))
        return false;
    for (uint32_t i = 0; i < numbers.len; i++)
        vec_push(r->mem, out, (uint32_t)numbers.at[i]);
    return true;
}

static bool wrong(const reader *r, const char *what) {
    diag_error(r->d, (src_loc){0}, "E0317-level-files", "%s_mode_*: %s", r->stem, what);
    return diag_hint(
        r->d,
        "a tensor as SAM's simulator has it: _mode_0_seg, _mode_0_crd .. of compressed levels, _mode_vals, "
        "_mode_shape");
}

static bool read_files(reader *r) {
    u32_vec shape = {0};
    if (!is_there(r, "shape"))
        return wrong(r, "there is no _mode_shape");
    if (!read_whole(r, "shape", &shape) || !read_numbers(r, "vals", 0, &r->val))
        return false;
    r->order = shape.len;
    if (r->order > SAM_MAX_ORDER)
        return wrong(r, "there are too many dimensions");
    for (uint32_t m = 0; m < r->order; m++) {
        const char *seg = arena_printf(r->mem, "%u_seg", m), *crd = arena_printf(r->mem, "%u_crd", m);
        r->dim[m] = shape.at[m];
        r->mode[m].compressed = is_there(r, seg);
        if (r->mode[m].compressed &&
            (!read_whole(r, seg, &r->mode[m].seg) || !read_whole(r, crd, &r->mode[m].crd)))
            return false;
    }
    return true;
}

/* ---- levels ------------------------------------------------------------------------------------ */

/* Returns the number of positions of a level below `above` positions; UINT64_MAX if its files do not
 * match. */
static uint64_t positions(const reader *r, uint32_t m, uint64_t above) {
    const level *l = &r->mode[m];
    if (!l->compressed)
        return above * r->dim[m];
    bool fits = l->seg.len == above + 1 && l->seg.at[0] == 0 && l->seg.at[above] == l->crd.len;
    for (uint32_t i = 0; fits && i + 1 < l->seg.len; i++)
        fits = l->seg.at[i] <= l->seg.at[i + 1];
    for (uint32_t i = 0; fits && i < l->crd.len; i++)
        fits = l->crd.at[i] < r->dim[m];
    return fits ? l->crd.len : UINT64_MAX;
}

/* Finds an order of modes that matches the files: which[l] is the mode of level l. */
static bool find_order(const reader *r, uint32_t l, uint64_t above, uint32_t used, uint32_t *which) {
    if (l == r->order)
        return above == r->val.len;
    for (uint32_t m = 0; m < r->order; m++) {
        const uint64_t below = used >> m & 1 ? UINT64_MAX : positions(r, m, above);
        which[l] = m;
        if (below <= r->val.len && find_order(r, l + 1, below, used | 1u << m, which))
            return true;
    }
    return false;
}

/* Lists the coordinates of all values below position `at` of level l. */
static void list(const reader *r, const uint32_t *which, uint32_t l, uint32_t at, uint32_t *path,
                 u32_vec *crd) {
    if (l == r->order) {
        for (uint32_t m = 0; m < r->order; m++)
            vec_push(r->mem, crd, path[m]);
        return;
    }
    const level *one = &r->mode[which[l]];
    const uint32_t from = one->compressed ? one->seg.at[at] : at * r->dim[which[l]],
                   end = one->compressed ? one->seg.at[at + 1] : from + r->dim[which[l]];
    for (uint32_t p = from; p < end; p++) {
        path[which[l]] = one->compressed ? one->crd.at[p] : p - from;
        list(r, which, l + 1, p, path, crd);
    }
}

bool tile_read_level_files(const tile_level_files *files, arena *mem, diagnostics *d, tile_tensor *out) {
    arena scratch = {0};
    reader r = {.stem = files->stem, .mem = &scratch, .d = d};
    uint32_t which[SAM_MAX_ORDER], path[SAM_MAX_ORDER];
    u32_vec crd = {0};
    bool ok = read_files(&r) &&
              (find_order(&r, 0, 1, 0, which) || wrong(&r, "no order of its levels fits their files"));
    for (uint32_t i = 0; ok && i < r.val.len && files->values != TILE_VALUES_FILE; i++)
        r.val.at[i] = files->values == TILE_VALUES_ONES ? 1 : 1 + i % 127;
    if (ok)
        list(&r, which, 0, 0, path, &crd);
    ok = ok && tile_from_entries(files->name, r.order, r.dim, r.val.len, crd.at, r.val.at, files->dtype,
                                 files->stem, mem, d, out);
    arena_free(&scratch);
    return ok;
}
