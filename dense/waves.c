/* Channels of a dense array. Without handshakes a word counts as moved where an event says so: of a generator
 * at a memory, of a stream at an IO tile; a PE works in every cycle. */
#include "dense/waves.h"

#include "rtl_models/cycle/wave.h"

#define NOT_MOVED UINT32_MAX

/* An output of a node. `event`: the output that is 1 where this one means something; DENSE_OUTS: always. */
typedef struct {
    uint32_t node, out, event;
    bool stream; /* moved by dense_waves_move */
} channel;

struct dense_waves {
    wave *to;
    const dense_array *array;
    wave_channels names;
    VEC(channel) channels;
    uint32_t *moved; /* by node: the cycle of its last word, or NOT_MOVED */
    uint16_t *word;  /* by node */
    arena *mem;
};

typedef struct {
    const char *unit;
    uint8_t outs;
    const char *names[DENSE_OUTS];
    uint8_t events[DENSE_OUTS];
} unit_row;

static const unit_row rows[] = {
    [DENSE_NODE_PE] = {"pe", 2, {"out0", "bit"}, {DENSE_OUTS, DENSE_OUTS}},
    [DENSE_NODE_POND] = {"pond", 3, {"pond", "pond_bit0", "pond_bit1"}, {DENSE_OUTS, 1, 2}},
    [DENSE_NODE_UB] = {"buffer", 4, {"out0", "out1", "bit0", "bit1"}, {2, 3, 2, 3}},
    [DENSE_NODE_RAM] = {"ram", 3, {"out0", "bit0", "bit1"}, {2, DENSE_OUTS, 2}},
    [DENSE_NODE_VALID] = {"valid_bits", 1, {"bit2"}, {0}},
    [DENSE_NODE_INPUT] = {"io", 1, {"load"}, {DENSE_OUTS}},
    [DENSE_NODE_OUTPUT] = {"io", 1, {"store"}, {DENSE_OUTS}},
};

static void add_channels(dense_waves *w, uint32_t node) {
    const dense_node *n = &w->array->nodes.at[node];
    const bool known = n->kind < sizeof rows / sizeof *rows && rows[n->kind].unit;
    for (uint32_t o = 0; known && o < rows[n->kind].outs; o++) {
        const unit_row *row = &rows[n->kind];
        vec_push(w->mem, &w->channels,
                 ((channel){node, o, row->events[o],
                            n->kind == DENSE_NODE_INPUT || n->kind == DENSE_NODE_OUTPUT}));
        vec_push(w->mem, &w->names,
                 ((wave_channel){.tile = arena_printf(w->mem, "x%uy%u %s", n->x, n->y, row->unit),
                                 .port = row->names[o],
                                 .from = arena_printf(w->mem, "x%uy%u %s", n->x, n->y, row->names[o]),
                                 .kind = "dense"}));
    }
}

dense_waves *dense_waves_begin(const char *folder, const dense_array *array, diagnostics *d) {
    dense_waves *w = arena_new(d->mem, dense_waves);
    w->array = array;
    w->mem = d->mem;
    w->moved = arena_new_n(w->mem, uint32_t, array->nodes.len + 1);
    w->word = arena_new_n(w->mem, uint16_t, array->nodes.len + 1);
    for (uint32_t i = 0; i < array->nodes.len; i++) {
        w->moved[i] = NOT_MOVED;
        add_channels(w, i);
    }
    w->to = wave_begin(folder, &w->names, w->mem, d);
    return w->to ? w : NULL;
}

void dense_waves_cycle(dense_waves *w, const dense_model *m, uint32_t cycle) {
    for (uint32_t i = 0; i < w->channels.len; i++) {
        const channel *c = &w->channels.at[i];
        const uint32_t *out = w->array->nodes.at[c->node].out;
        const bool moves = c->stream ? w->moved[c->node] == cycle
                                     : c->event == DENSE_OUTS || dense_value_at(m, out[c->event]);
        const uint16_t word = c->stream ? w->word[c->node] : dense_value_at(m, out[c->out]);
        wave_put(w->to, i, cycle, moves ? CYCLE_MOVES : CYCLE_IDLE, word);
    }
}

void dense_waves_move(dense_waves *w, uint32_t node, uint32_t cycle, uint16_t word) {
    w->moved[node] = cycle;
    w->word[node] = word;
}

bool dense_waves_end(dense_waves *w, diagnostics *d) {
    return wave_end(w->to, d);
}
