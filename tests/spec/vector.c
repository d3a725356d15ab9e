/* The vector reducer: sums by coordinate, sent when the fiber around the vectors ends. */
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
