/* windows.c - operands that are windows of the user's tensors: slices, shifts, sums of indices, and values
 * outside of indices.
 *
 * The window of a coordinate changes along an index only at the beginning or end of some window. The
 * coordinates fall into boxes between these places, and one test per box is enough. Along the indices of a
 * sum every coordinate is a box of its own. O(entries * coordinates of all but the first index of sums +
 * boxes + stored values).
 */
#include "tiling/formats.h"
#include "tiling/tiling_int.h"

enum { WINDOW_MOST = 1 << 26 };

typedef struct {
    uint32_t n, n_needed;
    const tile_cut *windows;
    const tile_needed *needed;
    const uint8_t *same;
    diagnostics *diag;
    arena scratch;
    tile_entries entries;
    tile_tensor *out;
} joining;

static bool too_large(const joining *j) {
    diag_error(j->diag, j->windows->as->loc, "E0354-part",
               "this part of %s has more than %d entries or places", j->windows->from, WINDOW_MOST);
    return diag_hint(j->diag,
                     "a sum of indices has an entry for each coordinate of all but the first; a number other "
                     "than the fill has one for each coordinate outside");
}

/* Returns whether the next index belongs to the same mode as m. */
static bool goes_on(const tile_cut *p, uint32_t m) {
    return m + 1 < p->as->order && !sam_begins_mode(p->as, m + 1);
}

/* Returns what the first index of a group is multiplied by. */
static int64_t times_of(const sam_window *w) {
    const int64_t times = w->times ? w->times : 1;
    return w->down ? -times : times;
}

/* Returns the user's coordinate of coordinate 0 of the window. */
static int64_t base_of(const sam_window *w, uint32_t dim) {
    return w->stride && w->down ? (int64_t)(w->high < dim ? w->high : dim) - 1 : w->low;
}

bool tile_cut_extents(const tile_cut *p, uint32_t *dim, diagnostics *d) {
    uint32_t source = 0;
    for (uint32_t m = 0; m < p->as->order; m++) {
        const sam_window *w = &p->as->window[m];
        const uint32_t all = p->of->dim[source], end = w->high < all ? w->high : all;
        dim[m] = sam_is_open(p->as, m) ? TILE_OPEN : all;
        const bool none = w->stride && (uint32_t)w->low >= end;
        const bool behind = none && (w->high > (uint32_t)w->low || (uint32_t)w->low > all);
        if (behind && !p->of->dim_inferred)
            return diag_error(d, p->as->loc, "E0316-outside",
                              "index %u of %s has coordinates below %u, the slice begins at %d", source,
                              p->from, all, w->low);
        if (w->stride)
            dim[m] = none ? 0 : (end - (uint32_t)w->low - 1) / w->stride + 1;
        source += !goes_on(p, m);
    }
    return true;
}

/* Returns whether all indices of the window's tensor are inside at a coordinate of the operand. */
static bool covers(const tile_cut *p, const uint32_t *crd) {
    uint32_t source = 0;
    for (uint32_t m = 0; m < p->as->order; m++, source++) {
        const sam_window *w = &p->as->window[m];
        int64_t at = crd[m] * times_of(w) + w->low;
        for (; goes_on(p, m); m++)
            at += (int64_t)p->as->window[m + 1].times_others * crd[m + 1];
        if (w->permits && (at < 0 || at >= (int64_t)p->of->dim[source]))
            return false;
    }
    return true;
}

/* Returns whether a tensor has an entry at this entry of the operand; entries are in order. */
static bool has_entry(const tile_needed *needed, const uint32_t *crd) {
    const tile_tensor *t = needed->t;
    uint64_t low = 0, high = t->nnz;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const uint32_t *at = t->crd + middle * t->order;
        uint32_t m = 0;
        while (m < t->order && at[m] == crd[needed->mode[m]])
            m++;
        if (m == t->order)
            return true;
        if (at[m] < crd[needed->mode[m]])
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

static bool add(joining *j, const uint32_t *crd, uint16_t val) {
    for (uint32_t m = 0; m < j->out->order; m++) {
        if (crd[m] != crd[j->same[m]])
            return true;
    }
    for (uint32_t k = 0; k < j->n_needed; k++) {
        if (!has_entry(&j->needed[k], crd))
            return true;
    }
    if (j->entries.val.len == WINDOW_MOST)
        return too_large(j);
    for (uint32_t m = 0; m < j->out->order; m++)
        vec_push(&j->scratch, &j->entries.crd, crd[m]);
    vec_push(&j->scratch, &j->entries.val, val);
    return true;
}

/* An entry of window p during placement: its value, and the coordinates of the operand so far. */
typedef struct {
    joining *to;
    const tile_cut *p;
    const uint32_t *from; /* the user's coordinates */
    uint32_t crd[SAM_MAX_ORDER];
    uint16_t val;
} placing;

static bool place(placing *e, const uint32_t *from, uint32_t m);

/* Returns whether a slice ends before the user's coordinate. */
static bool is_beyond(const sam_window *w, uint32_t from) {
    return w->stride && (from >= w->high || from < (uint32_t)w->low);
}

/* Finds the coordinate of index m, the first of its group, for the remainder `at`, and goes on with index
 * `next`. */
static bool place_first(placing *e, const uint32_t *from, int64_t at, uint32_t m, uint32_t next) {
    const sam_window *w = &e->p->as->window[m];
    const int64_t step = w->stride && w->down ? -(int64_t)w->stride : w->stride ? w->stride : times_of(w);
    if (at % step || at / step < 0 || is_beyond(w, *from) || at / step >= (int64_t)e->to->out->dim[m])
        return true;
    e->crd[m] = (uint32_t)(at / step);
    return place(e, from + 1, next);
}

/* Enumerates the coordinates of the indices from `next` on in the group of index m. */
static bool place_addends(placing *e, const uint32_t *from, int64_t at, uint32_t m, uint32_t next) {
    if (next == e->to->out->order || sam_begins_mode(e->p->as, next))
        return place_first(e, from, at, m, next);
    const int64_t step = e->p->as->window[next].times_others;
    bool ok = true;
    for (uint32_t c = 0; ok && c < e->to->out->dim[next]; c++) {
        e->crd[next] = c;
        ok = place_addends(e, from, at - step * c, m, next + 1);
    }
    return ok;
}

/* Adds the entry at all its places in the operand; the indices before m have their coordinates, and *from is
 * the user's coordinate for m. */
static bool place(placing *e, const uint32_t *from, uint32_t m) {
    if (m < e->to->out->order) {
        const uint32_t dim = e->p->of->dim[from - e->from];
        return place_addends(e, from, (int64_t)*from - base_of(&e->p->as->window[m], dim), m, m + 1);
    }
    for (const tile_cut *before = e->to->windows; before < e->p; before++) {
        if (covers(before, e->crd))
            return true;
    }
    return add(e->to, e->crd, e->val);
}

typedef VEC(uint32_t) places;

/* Adds a place where a box may begin, in order. */
static void add_place(joining *j, places *all, int64_t at, uint32_t dim) {
    uint32_t i = all->len;
    while (i > 0 && all->at[i - 1] > at)
        i--;
    if (at < 0 || at >= (int64_t)dim || (i > 0 && all->at[i - 1] == at))
        return;
    vec_push(&j->scratch, all, 0);
    memmove(&all->at[i + 1], &all->at[i], sizeof *all->at * (all->len - 1 - i));
    all->at[i] = (uint32_t)at;
}

/* Returns the first coordinate with times * c + low >= `at`; downwards with low - times * c < `at`. */
static int64_t first_from(const sam_window *w, int64_t at) {
    const int64_t rest = w->down ? w->low - at + 1 : at - w->low, times = w->times ? w->times : 1;
    return rest <= 0 ? 0 : (rest + times - 1) / times;
}

/* The places where boxes begin along index m, without a list where each coordinate begins one. */
static places begins(joining *j, uint32_t m) {
    places all = {0};
    const uint32_t dim = j->out->dim[m];
    add_place(j, &all, 0, dim);
    for (uint32_t k = 0; k < j->n; k++) {
        const tile_cut *p = &j->windows[k];
        const sam_window *w = &p->as->window[m];
        uint32_t source = 0;
        for (uint32_t i = 0; i < m; i++)
            source += !goes_on(p, i);
        if (goes_on(p, m) || !sam_begins_mode(p->as, m)) {
            return (places){.len = dim};
        }
        if (!w->permits)
            continue;
        add_place(j, &all, first_from(w, 0), dim);
        add_place(j, &all, first_from(w, p->of->dim[source]), dim);
    }
    return all;
}

/* Returns whether a box makes too many entries: each of its places one, where nothing leaves places out. */
static bool is_too_large(const joining *j, const uint32_t *low, const uint32_t *high) {
    uint64_t entries = 1;
    for (uint32_t m = 0; m < j->out->order; m++) {
        if (j->n_needed > 0 || j->same[m] != m)
            return false;
        entries *= entries > WINDOW_MOST ? 1 : high[m] - low[m];
    }
    return j->entries.val.len + entries > WINDOW_MOST;
}

/* Adds the number everywhere in a box, whose indices before m have their coordinates. */
static bool fill_box(joining *j, const uint32_t *low, const uint32_t *high, uint32_t m, uint32_t *crd) {
    if (m == j->out->order)
        return add(j, crd, j->windows->as->border.outside);
    bool ok = true;
    for (crd[m] = low[m]; ok && crd[m] < high[m]; crd[m]++)
        ok = fill_box(j, low, high, m + 1, crd);
    return ok;
}

static bool say_missing(const joining *j, const uint32_t *at) {
    const char *text = "";
    for (uint32_t m = 0; m < j->out->order; m++)
        text = arena_printf(j->diag->mem, "%s%s%u", text, m ? ", " : "", at[m]);
    diag_error(j->diag, j->windows->as->loc, "E0162-missing",
               "nothing says what holds at (%s), outside of %s", text,
               j->n > 1 ? "all parts" : j->windows->from);
    return diag_hint(j->diag, "end coalesce with a number: coalesce(A(permit(i)), B(permit(i-4)), 0)");
}

/* Adds the values of a box outside of all windows. */
static bool take_box(joining *j, const uint32_t *low, const uint32_t *high) {
    uint32_t crd[SAM_MAX_ORDER];
    for (uint32_t k = 0; k < j->n; k++) {
        if (covers(&j->windows[k], low))
            return true;
    }
    if (!j->windows->as->border.bounded)
        return say_missing(j, low);
    return is_too_large(j, low, high) ? too_large(j) : fill_box(j, low, high, 0, crd);
}

/* Visits all boxes. */
static bool take_boxes(joining *j) {
    places all[SAM_MAX_ORDER];
    uint64_t boxes = 1;
    for (uint32_t m = 0; m < j->out->order; m++) {
        all[m] = begins(j, m);
        boxes = boxes > WINDOW_MOST ? boxes : boxes * all[m].len;
    }
    bool ok = boxes <= WINDOW_MOST || too_large(j);
    for (uint64_t box = 0; ok && box < boxes; box++) {
        uint32_t low[SAM_MAX_ORDER], high[SAM_MAX_ORDER];
        uint64_t rest = box;
        for (uint32_t m = j->out->order; m-- > 0; rest /= all[m].len) {
            uint32_t i = (uint32_t)(rest % all[m].len);
            low[m] = all[m].at == NULL ? i : all[m].at[i];
            high[m] = i + 1 == all[m].len ? j->out->dim[m] : all[m].at == NULL ? i + 1 : all[m].at[i + 1];
        }
        ok = take_box(j, low, high);
    }
    return ok;
}

bool tile_join_windows(const tile_joint *all, arena *mem, diagnostics *d, tile_tensor *out) {
    joining j = {.n = all->n,
                 .n_needed = all->n_needed,
                 .windows = all->windows,
                 .needed = all->needed,
                 .same = all->same,
                 .diag = d,
                 .out = out};
    const tile_cut *windows = all->windows;
    const sam_tensor_data *first = windows->as;
    bool ok = true, open = false;
    for (uint32_t m = 0; m < first->order; m++)
        open = open || first->window[m].permits;
    for (uint32_t k = 0; k < all->n && ok; k++) {
        const tile_tensor *t = windows[k].of;
        for (uint64_t e = 0; e < t->nnz && ok; e++) {
            const uint32_t *from = t->crd + e * t->order;
            placing entry = {.to = &j, .p = &windows[k], .from = from, .val = t->val[e]};
            ok = place(&entry, from, 0);
        }
    }
    if (ok && open && !(first->border.bounded && first->border.outside == first->fill))
        ok = take_boxes(&j);
    if (ok)
        tile_normalise(out, &j.entries, TILE_DTYPE_INT16,
                       mem); /* coordinates are distinct: nothing is added */
    arena_free(&j.scratch);
    return ok;
}
