/* Events of generators in order, and how a broken rule is reported. */
#include "dense/check_int.h"

enum { WRAP = 0x10000, MOST_EVENTS = 1 << 20 };

void dense_broken(diagnostics *d, const dense_tile *t, uint32_t rule, const char *what) {
    diag_error(d, t->loc, "E0983-dense-rule", "tile x%uy%u: rule %u: %s", t->x, t->y, rule, what);
    diag_hint(d, "docs/dense.md has the rules");
}

void dense_warn(diagnostics *d, const dense_tile *t, uint32_t rule, const char *what) {
    diag_warning(d, t->loc, "E0985-dense-doubt", "tile x%uy%u: rule %u: %s", t->x, t->y, rule, what);
}

dense_events dense_events_of(const dense_generator *g, arena *mem, bool *gap) {
    dense_events all = {0};
    dense_generator_state s;
    uint64_t at = g->at.start & (WRAP - 1);
    dense_restart(g, &s);
    *gap = false;
    while (g->enable && !s.finished && all.len < MOST_EVENTS) {
        dense_event e = {.at = at, .address = {s.address[0], s.address[1]}};
        const uint32_t before = s.at;
        e.loop = dense_step(g, &s);
        vec_push(mem, &all, e);
        const uint32_t step = (s.at - before) & (WRAP - 1);
        *gap = *gap || (!s.finished && !step);
        at += step;
    }
    return all;
}
