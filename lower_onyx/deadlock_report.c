/* deadlock_report.c - the findings of net_deadlock as a message and as JSON. */
#include "lower_onyx/lower_onyx.h"
#include "support/refusals.h"

static const char *cell_name(const netlist *n, net_cell cell) {
    return names_text(n->names, net_cell_at(n, cell)->name);
}

static const char *port_in(const netlist *n, net_pin pin) {
    const char *name = net_mode_table[net_cell_at(n, pin.cell)->mode].port_in[pin.port];
    return name ? name : "?";
}

static const char *port_out(const netlist *n, net_pin pin) {
    const char *name = net_mode_table[net_cell_at(n, pin.cell)->mode].port_out[pin.port];
    return name ? name : "?";
}

static void note_step(const netlist *n, const net_wait *w, diagnostics *d) {
    const net_data *net = &n->nets.at[w->net];
    net_pin sink = net->sinks.at[w->sink];
    const net_cell_data *cell = &n->cells.at[w->cell];
    const char *name = names_text(n->names, cell->name);
    if (w->full)
        diag_note(d, cell->loc, "%s waits for %s: its %s is full", name, cell_name(n, sink.cell),
                  port_in(n, sink));
    else
        diag_note(d, cell->loc, "%s waits for %s: %s is empty", name, cell_name(n, net->source.cell),
                  port_in(n, sink));
}

bool net_deadlock_report(const netlist *n, const net_liveness *found, uint32_t longest, bool warn,
                         diagnostics *d) {
    if (found->fiber >= longest && !found->undecided)
        return true;
    src_loc loc = found->circle.len ? n->cells.at[found->circle.at[0].cell].loc : (src_loc){0};
    const char *what = found->undecided
                           ? "it cannot be decided whether the FIFOs suffice: tiles on a cycle, or too many "
                             "circles of waiting"
                           : "tiles may wait for each other for good: the FIFOs on their way are too short";
    diag_refuse(d, warn ? DIAG_WARNING : DIAG_UNMAPPABLE, DIAG_REFUSED_DEADLOCK, loc, "%s", what);
    if (found->undecided)
        diag_hint(d, "--deadlock warn goes on; engine cycle finds every deadlock of the data at hand");
    else
        diag_hint(
            d,
            "they suffice for fibers of up to %u %s, the data may have %u: a smaller --tile, another loop "
            "order, or --deadlock warn",
            found->fiber, plural(found->fiber, "coordinate", "coordinates"), longest);
    for (uint32_t i = 0; i < found->circle.len; i++)
        note_step(n, &found->circle.at[i], d);
    for (uint32_t i = 0; i < found->reconvergences.len; i++) {
        const net_reconvergence *r = &found->reconvergences.at[i];
        const net_data *net = &n->nets.at[r->net];
        if (r->need <= r->have || r->need == NET_NO_ROOM)
            continue;
        uint32_t missing = (r->need - r->have + 1) / 2;
        diag_note(d, net_cell_at(n, net->source.cell)->loc, "%u SplitFIFO %s missing from %s to %s", missing,
                  plural(missing, "pair is", "pairs are"), cell_name(n, net->source.cell),
                  cell_name(n, net->sinks.at[r->sink].cell));
    }
    return warn;
}

/* Adds the bound on fibers; null: no bound. */
static void add_fiber(cJSON *json, uint32_t fiber) {
    if (fiber == NET_ANY_FIBER)
        cJSON_AddNullToObject(json, "fiber");
    else
        cJSON_AddNumberToObject(json, "fiber", fiber);
}

static cJSON *reconvergence_to_json(const netlist *n, const net_reconvergence *r) {
    const net_data *net = &n->nets.at[r->net];
    net_pin sink = net->sinks.at[r->sink];
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "fork", cell_name(n, net->source.cell));
    cJSON_AddStringToObject(json, "from", port_out(n, net->source));
    cJSON_AddStringToObject(json, "join", cell_name(n, sink.cell));
    cJSON_AddStringToObject(json, "to", port_in(n, sink));
    cJSON_AddNumberToObject(json, "have", r->have);
    if (r->need == NET_NO_ROOM)
        cJSON_AddNullToObject(json, "need");
    else
        cJSON_AddNumberToObject(json, "need", r->need);
    add_fiber(json, r->fiber);
    return json;
}

cJSON *net_deadlock_to_json(const netlist *n, const net_liveness *found) {
    cJSON *json = cJSON_CreateObject();
    bool safe = found->fiber == NET_ANY_FIBER && !found->undecided;
    cJSON_AddStringToObject(json, "verdict", safe ? "safe" : found->fiber ? "bounded" : "unsafe");
    add_fiber(json, found->fiber);
    cJSON *reconvergences = cJSON_AddArrayToObject(json, "reconvergences");
    for (uint32_t i = 0; i < found->reconvergences.len; i++)
        cJSON_AddItemToArray(reconvergences, reconvergence_to_json(n, &found->reconvergences.at[i]));
    cJSON *circle = cJSON_AddArrayToObject(json, "circle");
    for (uint32_t i = 0; i < found->circle.len; i++)
        cJSON_AddItemToArray(circle,
                             cJSON_CreateString(cell_name(n, (net_cell){found->circle.at[i].cell + 1})));
    return json;
}
