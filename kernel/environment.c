/* Applies environment(name,n) of schedules to copies and edges of sub-tiles, like options. */
#include "kernel/environment.h"
#include "frontend/schedules/schedules.h"

static bool contradicts(diagnostics *d, const fe_environment *one, const char *option) {
    const char *what = one->loop ? "tile" : "unroll";
    diag_error(d, one->loc, "E0179-environment", "environment(%s%s%s,%u) contradicts %s", what,
               one->loop && *one->loop ? "_" : "", one->loop ? one->loop : "", one->value, option);
    return diag_hint(d, "leave one of them out");
}

/* Finds a contradicting option; NULL: none. */
static const char *said_by_option(const compile_options *o, const fe_environment *one, arena *mem) {
    if (!one->loop) {
        const bool other = !o->copies.unroll_open && o->copies.unroll != one->value;
        return !other             ? NULL
               : o->copies.unroll ? arena_printf(mem, "--unroll %u", o->copies.unroll)
                                  : "--unroll auto";
    }
    if (o->cutting.tile_auto)
        return "--tile auto";
    if (!*one->loop)
        return o->cutting.tile.all && o->cutting.tile.all != one->value
                   ? arena_printf(mem, "--tile %u", o->cutting.tile.all)
                   : NULL;
    for (uint32_t i = 0; i < o->cutting.tile.along.len; i++) {
        const compile_edge *edge = &o->cutting.tile.along.at[i];
        if (strcmp(edge->loop, one->loop) == 0 && edge->edge != one->value)
            return arena_printf(mem, "--tile %s:%u", edge->loop, edge->edge);
    }
    return NULL;
}

bool compile_take_environment(const char *schedule, arena *mem, diagnostics *d, compile_options *o) {
    fe_environments all = {0};
    if (!strstr(schedule, "env"))
        return true;
    fe_find_environment(schedule, mem, d, &all);
    compile_edges edges = {.all = o->cutting.tile.all}; /* a list of this statement's own */
    for (uint32_t i = 0; i < o->cutting.tile.along.len; i++)
        vec_push(mem, &edges.along, o->cutting.tile.along.at[i]);
    for (uint32_t i = 0; i < all.len; i++) {
        const fe_environment *one = &all.at[i];
        const char *option = said_by_option(o, one, mem);
        if (option)
            return contradicts(d, one, option);
        if (one->loop && !edges.stated.length)
            edges.stated = one->loc;
        if (one->loop && *one->loop)
            vec_push(mem, &edges.along, ((compile_edge){one->loop, one->value}));
        else if (one->loop && !edges.all) /* fe_schedule refuses another number */
            edges.all = one->value;
    }
    for (uint32_t i = all.len; i-- > 0;) {
        if (!all.at[i].loop) {
            o->copies.unroll = all.at[i].value;
            o->copies.unroll_open = false;
        }
    }
    o->cutting.tile = edges;
    return true;
}
