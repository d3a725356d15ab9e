/* Two coordinate streams with their positions: coordinates in the chosen regions of three. */
#include "tests/spec/streams.h"

static bool pair(const spec_streams *s, int side) {
    return has(s, side) && has(s, side + 2);
}

static void drop_pair(spec_streams *s, int side) {
    take(s, side);
    take(s, side + 2);
}

/* Merges a fiber; false when a stream ran out first. Both heads are control tokens afterwards. */
static bool merge_fiber(spec_streams *s, uint32_t regions) {
    while (pair(s, 0) && pair(s, 1)) {
        uint32_t crd[2] = {head(s, 0), head(s, 1)}, pos[2] = {head(s, 2), head(s, 3)};
        if (rtl_is_maybe(crd[0]) || rtl_is_maybe(crd[1])) { /* no coordinate: vanishes */
            for (int side = 0; side < 2; side++)
                if (rtl_is_maybe(crd[side]))
                    drop_pair(s, side);
            continue;
        }
        if (rtl_is_control(crd[0]) && rtl_is_control(crd[1]))
            return true;
        /* A control token exceeds every data token: a finished side never comes first. */
        bool from[2] = {crd[0] <= crd[1] && !rtl_is_control(crd[0]),
                        crd[1] <= crd[0] && !rtl_is_control(crd[1])};
        if (regions >> (from[0] && from[1] ? 2 : from[1]) & 1) {
            put(s, 0, crd[from[0] ? 0 : 1]);
            for (int side = 0; side < 2; side++)
                put(s, 1 + side, from[side] ? pos[side] : RTL_MAYBE);
        }
        for (int side = 0; side < 2; side++)
            if (from[side])
                drop_pair(s, side);
    }
    return false;
}

void spec_joiner(spec_streams *s, uint32_t regions) {
    if (s->meaning >= SPEC_CHIP) {
        spec_chip_joiner(s, regions != RTL_REGION_BOTH);
        return;
    }
    while (merge_fiber(s, regions)) {
        for (int port = 0; port < 3; port++)
            put(s, port, head(s, 0));
        drop_pair(s, 0);
        drop_pair(s, 1);
    }
}
