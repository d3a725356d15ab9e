/* The configured array of the dense fabric: nodes in an order that makes a cycle a single pass. */
#include "rtl_models/cycle/dense.h"

typedef union {
    uint16_t word[4]; /* of a register or an IO tile: data and bit; of an input, both of the next cycle */
    dense_pe_state pe;
    dense_pond_state pond;
    dense_ub_state *ub;
    dense_ram_state *ram;
    dense_valid_state valid;
} node_state;

struct dense_model {
    const dense_array *array;
    node_state *state;
    uint16_t *value;
    dense_order order;
    uint32_t flush_before; /* groups of columns, in the cycle before */
};

/* ---- order ------------------------------------------------------------------------------------- */

/* Returns whether an output depends on input k in the same cycle. */
static bool passes(const dense_node *n, uint32_t k) {
    if (n->kind == DENSE_NODE_PE || n->kind == DENSE_NODE_ALL)
        return ((const dense_instruction *)n->config)->mode[k] ==
               DENSE_BYPASS; /* dense_all has the modes, too */
    return n->kind == DENSE_NODE_UB && (k == 2 || k == 3) && ((const dense_ub *)n->config)->chain;
}

static bool passes_any(const dense_node *n) {
    bool any = false;
    for (uint32_t k = 0; k < DENSE_INS; k++)
        any = any || passes(n, k);
    return any;
}

typedef struct {
    const dense_array *array;
    uint32_t *source; /* of a value: its node, plus 1 */
    uint8_t *mark;    /* of a node: 1 in progress, 2 done */
    u32_vec *order;
    uint32_t ring; /* a node, plus 1 */
    arena *mem;
} sorter;

static void visit(sorter *s, uint32_t node) {
    const dense_node *n = &s->array->nodes.at[node];
    if (s->mark[node] == 1)
        s->ring = node + 1;
    if (s->mark[node] || !passes_any(n))
        return;
    s->mark[node] = 1;
    for (uint32_t k = 0; k < DENSE_INS; k++) {
        if (passes(n, k) && s->source[n->in[k]])
            visit(s, s->source[n->in[k]] - 1);
    }
    s->mark[node] = 2;
    vec_push(s->mem, s->order, node);
}

bool dense_sort(const dense_array *array, arena *mem, dense_order *out, uint32_t *ring) {
    sorter s = {.array = array, .order = &out->combinational, .mem = mem};
    *out = (dense_order){.before = {0}};
    s.source = arena_new_n(mem, uint32_t, array->values);
    s.mark = arena_new_n(mem, uint8_t, array->nodes.len + 1);
    for (uint32_t i = 0; i < array->nodes.len; i++) {
        for (uint32_t o = 0; o < DENSE_OUTS; o++)
            s.source[array->nodes.at[i].out[o]] = i + 1;
    }
    s.source[0] = s.source[1] = 0; /* unused outputs are value 0 */
    for (uint32_t i = 0; i < array->nodes.len; i++) {
        if (passes_any(&array->nodes.at[i]))
            visit(&s, i);
        else
            vec_push(mem, &out->before, i);
    }
    *ring = s.ring - 1;
    return !s.ring;
}

/* ---- making ------------------------------------------------------------------------------------ */

static void reset_node(dense_model *m, uint32_t i, arena *mem) {
    const dense_node *n = &m->array->nodes.at[i];
    node_state *s = &m->state[i];
    if (n->kind == DENSE_NODE_UB)
        s->ub = arena_new(mem, dense_ub_state);
    if (n->kind == DENSE_NODE_RAM)
        s->ram = arena_new(mem, dense_ram_state);
    if (n->kind == DENSE_NODE_RAM && n->contents)
        memcpy(s->ram->word, n->contents, sizeof s->ram->word);
    if (n->kind == DENSE_NODE_POND && n->contents)
        memcpy(s->pond.word, n->contents, sizeof s->pond.word);
}

dense_model *dense_build(const dense_array *array, arena *mem, uint32_t *ring) {
    dense_model *m = arena_new(mem, dense_model);
    m->array = array;
    m->state = arena_new_n(mem, node_state, array->nodes.len + 1);
    m->value = arena_new_n(mem, uint16_t, array->values);
    m->value[1] = 1;
    for (uint32_t i = 0; i < array->nodes.len; i++)
        reset_node(m, i, mem);
    return dense_sort(array, mem, &m->order, ring) ? m : NULL;
}

/* ---- a cycle ----------------------------------------------------------------------------------- */

static void read_ins(const dense_model *m, const dense_node *n, uint16_t in[DENSE_INS]) {
    for (uint32_t k = 0; k < DENSE_INS; k++)
        in[k] = m->value[n->in[k]];
}

/* Works out the outputs of node `i` in this cycle. */
static void read_node(const dense_model *m, uint32_t i, uint16_t out[DENSE_OUTS]) {
    const dense_node *n = &m->array->nodes.at[i];
    const node_state *s = &m->state[i];
    uint16_t in[DENSE_INS];
    dense_pe_outputs pe;
    dense_pond_outputs pond;
    dense_ub_outputs ub;
    switch (n->kind) {
    case DENSE_NODE_PE:
    case DENSE_NODE_ALL:
        read_ins(m, n, in);
        pe = n->kind == DENSE_NODE_PE ? dense_pe_read(n->config, &s->pe, in)
                                      : dense_all_read(n->config, &s->pe, in);
        out[0] = pe.data;
        out[1] = pe.bit;
        break;
    case DENSE_NODE_POND:
        pond = dense_pond_read(n->config, &s->pond);
        out[0] = pond.data;
        out[1] = pond.event[0];
        out[2] = pond.event[1];
        break;
    case DENSE_NODE_UB:
        read_ins(m, n, in);
        ub = dense_ub_read(n->config, s->ub, in + 2);
        for (uint32_t p = 0; p < 2; p++) {
            out[p] = ub.data[p];
            out[p + 2] = ub.valid[p];
        }
        break;
    case DENSE_NODE_RAM:
        out[0] = s->ram->data;
        out[1] = !s->ram->busy;
        out[2] = s->ram->valid;
        break;
    case DENSE_NODE_VALID:
        out[0] = dense_valid_read(n->config, &s->valid);
        break;
    case DENSE_NODE_REGISTER:
    case DENSE_NODE_INPUT:
    case DENSE_NODE_OUTPUT:
        out[0] = s->word[0];
        out[1] = s->word[1];
        break;
    }
}

static void settle_node(dense_model *m, uint32_t i) {
    uint16_t out[DENSE_OUTS] = {0};
    const dense_node *n = &m->array->nodes.at[i];
    read_node(m, i, out);
    for (uint32_t o = 0; o < DENSE_OUTS; o++) {
        if (n->out[o])
            m->value[n->out[o]] = out[o];
    }
}

static void clock_node(dense_model *m, uint32_t i, bool flush) {
    const dense_node *n = &m->array->nodes.at[i];
    node_state *s = &m->state[i];
    uint16_t in[DENSE_INS];
    switch (n->kind) {
    case DENSE_NODE_PE:
    case DENSE_NODE_ALL:
        read_ins(m, n, in);
        dense_pe_clock(n->config, &s->pe, in);
        break;
    case DENSE_NODE_POND:
        read_ins(m, n, in);
        dense_pond_clock(n->config, &s->pond, in, flush);
        break;
    case DENSE_NODE_UB:
        read_ins(m, n, in);
        dense_ub_clock(n->config, s->ub, in, flush);
        break;
    case DENSE_NODE_RAM:
        read_ins(m, n, in);
        dense_ram_clock(s->ram, in);
        break;
    case DENSE_NODE_VALID:
        dense_valid_clock(n->config, &s->valid, flush);
        break;
    case DENSE_NODE_REGISTER:
    case DENSE_NODE_OUTPUT:
        s->word[0] = m->value[n->in[0]];
        s->word[1] = m->value[n->in[1]];
        break;
    case DENSE_NODE_INPUT:
        s->word[0] = s->word[2];
        s->word[1] = s->word[3];
        break;
    }
}

void dense_cycle(dense_model *m, uint32_t groups) {
    for (uint32_t i = 0; i < m->order.before.len; i++)
        settle_node(m, m->order.before.at[i]);
    for (uint32_t i = 0; i < m->order.combinational.len; i++)
        settle_node(m, m->order.combinational.at[i]);
    for (uint32_t i = 0; i < m->array->nodes.len; i++) {
        const dense_node *n = &m->array->nodes.at[i];
        clock_node(m, i, (n->late ? m->flush_before : groups) >> n->x / DENSE_FLUSH_COLUMNS & 1);
    }
    m->flush_before = groups;
}

void dense_drive(dense_model *m, uint32_t node, uint16_t word, bool bit) {
    m->state[node].word[2] = word;
    m->state[node].word[3] = bit;
}

uint32_t dense_taken(const dense_model *m, uint32_t node) {
    return m->state[node].word[0] | (uint32_t)m->state[node].word[1] << 16;
}

uint16_t dense_value_at(const dense_model *m, uint32_t value) {
    return m->value[value];
}

uint32_t dense_io_node(const dense_array *a, dense_node_kind kind, uint32_t column) {
    for (uint32_t i = 0; i < a->nodes.len; i++) {
        if (a->nodes.at[i].kind == kind && a->nodes.at[i].x == column)
            return i;
    }
    return UINT32_MAX;
}
