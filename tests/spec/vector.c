/* The vector and the matrix reducer: sums by coordinate or point, sent when the fiber around the tensors
 * ends. */
#include "tests/spec/streams.h"

typedef struct {
    bool there[SPEC_VECTOR_COORDINATES];
    uint16_t sum[SPEC_VECTOR_COORDINATES];
} sums;

static void add(sums *all, uint32_t crd, uint32_t value, spec_reduction by) {
    uint16_t v = spec_entry(by, rtl_is_control(value) ? 0 : (uint16_t)value);
    if (crd >= SPEC_VECTOR_COORDINATES)
        return;
    if (!all->there[crd])
        all->sum[crd] = v;
    else
        all->sum[crd] = spec_combine(by, all->sum[crd], v);
    all->there[crd] = true;
}

static void send(spec_streams *s, sums *all) {
    for (uint32_t crd = 0; crd < SPEC_VECTOR_COORDINATES; crd++) {
        if (!all->there[crd])
            continue;
        put(s, 0, crd);
        put(s, 1, all->sum[crd]);
        all->there[crd] = false;
    }
}

void spec_vector_reduce(spec_streams *s, spec_reduction by) {
    sums *all = arena_new(s->mem, sums);
    while (has(s, 0) && has(s, 1)) {
        uint32_t crd = take(s, 0), value = take(s, 1), end = crd;
        if (rtl_is_item(crd)) {
            add(all, crd, value, by);
            continue;
        }
        if (rtl_is_stop(crd) && rtl_stop_level(crd) == 0)
            continue;
        if (rtl_is_stop(crd))
            end = RTL_STOP(rtl_stop_level(crd) - 1);
        send(s, all);
        put(s, 0, end);
        put(s, 1, end);
    }
}

/* ---- matrices -------------------------------------------------------------------------------- */

enum { CRD, VAL, OUTER };

static void send_points(spec_streams *s, sums *all, uint32_t inner) {
    uint32_t last = UINT32_MAX;
    for (uint32_t point = 0; point < SPEC_VECTOR_COORDINATES; point++) {
        const uint32_t row = point / inner;
        if (!all->there[point])
            continue;
        if (row != last && last != UINT32_MAX) {
            put(s, CRD, RTL_STOP(0));
            put(s, VAL, RTL_STOP(0));
        }
        if (row != last)
            put(s, OUTER, row);
        last = row;
        put(s, CRD, point % inner);
        put(s, VAL, all->sum[point]);
        all->there[point] = false;
    }
}

/* The fiber of an outer coordinate; returns its closing stop, or 0 if missing. */
static uint32_t add_row(spec_streams *s, sums *all, uint32_t outer, uint32_t inner, spec_reduction by) {
    while (has(s, CRD) && has(s, VAL)) {
        const uint32_t crd = take(s, CRD), value = take(s, VAL);
        if (!rtl_is_item(crd))
            return crd;
        if (!rtl_is_control(crd) && !rtl_is_control(outer) && crd < inner)
            add(all, outer * inner + crd, value, by);
    }
    return 0;
}

void spec_matrix_reduce(spec_streams *s, uint32_t inner_bits, spec_reduction by) {
    const uint32_t inner = 1u << inner_bits;
    sums *all = arena_new(s->mem, sums);
    while (has(s, OUTER)) {
        uint32_t outer = take(s, OUTER), end = 0;
        for (; rtl_is_item(outer) && has(s, OUTER); outer = take(s, OUTER))
            end = add_row(s, all, outer, inner, by);
        if (end == 0 || rtl_stop_level(end) == 0) { /* no row: the matrix has an end of its own */
            end = take(s, CRD);
            take(s, VAL);
        }
        if (rtl_is_stop(outer) && rtl_stop_level(outer) == 0)
            continue;
        send_points(s, all, inner);
        put(s, OUTER, rtl_is_stop(outer) ? RTL_STOP(rtl_stop_level(outer) - 1) : outer);
        put(s, CRD, rtl_is_stop(end) ? RTL_STOP(rtl_stop_level(end) - 1) : end);
        put(s, VAL, rtl_is_stop(end) ? RTL_STOP(rtl_stop_level(end) - 1) : end);
    }
}
