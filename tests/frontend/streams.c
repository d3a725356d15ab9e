/* streams.c - see streams.h. */
#include "tests/frontend/streams.h"
#include "tests/test.h"

enum { PORTS = 64 };

typedef struct {
    uint32_t node;
    const sam_node_data *data;
    bool done;
    tokens in[PORTS], out[PORTS];
    bool connected[PORTS];
} node_state;

typedef struct {
    const sam_graph *g;
    const sam_tensor_levels *operands;
    uint32_t n_operands;
    arena *mem;
    node_state *state; /* by node */
    written *written;
} run;

static const token done_token = {TOKEN_DONE, 0};

static token data(uint32_t v) {
    return (token){TOKEN_DATA, v};
}

static token stop(uint32_t level) {
    return (token){TOKEN_STOP, level};
}

static void put(run *r, tokens *to, token t) {
    vec_push(r->mem, to, t);
}

/* Data and empty tokens are points; the rest is structure. */
static bool is_point(token t) {
    return t.kind == TOKEN_DATA || t.kind == TOKEN_EMPTY;
}

static token at(const tokens *t, uint32_t i) {
    if (i >= t->len)
        fail_msg("a stream ends without D");
    return t->at[i];
}

static void must_match(uint32_t node, token a, token b) {
    if (a.kind != b.kind || (a.kind == TOKEN_STOP && a.v != b.v))
        fail_msg("node %u: streams of different shape", node);
}

static const sam_tensor_levels *operand(const run *r, name_id name) {
    for (uint32_t i = 0; i < r->n_operands; i++) {
        if (name_eq(r->operands[i].name, name))
            return &r->operands[i];
    }
    fail_msg("no operand %s", names_text(r->g->names, name));
    return NULL;
}

static uint32_t storage_level(const run *r, name_id name, int mode) {
    for (uint32_t t = 0; t < r->g->tensors.len; t++) {
        const sam_graph_tensor *tensor = &r->g->tensors.at[t];
        for (uint32_t l = 0; name_eq(tensor->name, name) && l < tensor->order; l++) {
            if (tensor->mode[l] == mode)
                return l;
        }
    }
    fail_msg("%s has no mode %d", names_text(r->g->names, name), mode);
    return 0;
}

/* The fiber of each reference, then a stop one level above the input's next stop. */
static void run_scanner(run *r, node_state *st) {
    const sam_node_data *n = st->data;
    const sam_tensor_levels *t = operand(r, n->tensor);
    const sam_level_data *level = &t->level[storage_level(r, n->tensor, n->mode)];
    const tokens *in = &st->in[0];
    uint32_t i = 0;
    for (; at(in, i).kind != TOKEN_DONE; i++) {
        token x = at(in, i);
        if (x.kind == TOKEN_STOP) { /* an empty outer fiber */
            put(r, &st->out[0], stop(x.v + 1));
            put(r, &st->out[1], stop(x.v + 1));
            continue;
        }
        bool dense = level->format == SAM_LEVEL_DENSE;
        uint32_t from = dense ? x.v * level->dim : x.kind == TOKEN_DATA ? level->seg[x.v] : 0;
        uint32_t to = dense ? from + level->dim : x.kind == TOKEN_DATA ? level->seg[x.v + 1] : 0;
        for (uint32_t ref = from; x.kind == TOKEN_DATA && ref < to; ref++) {
            put(r, &st->out[0], data(dense ? ref - from : level->crd[ref]));
            put(r, &st->out[1], data(ref));
        }
        bool closes = at(in, i + 1).kind == TOKEN_STOP;
        token end = stop(closes ? at(in, i + 1).v + 1 : 0);
        put(r, &st->out[0], end);
        put(r, &st->out[1], end);
        i += closes;
    }
    put(r, &st->out[0], done_token);
    put(r, &st->out[1], done_token);
}

static void run_array(run *r, node_state *st) {
    const sam_node_data *n = st->data;
    const sam_tensor_levels *t = operand(r, n->tensor);
    for (uint32_t i = 0; i < st->in[0].len; i++) {
        token x = st->in[0].at[i];
        if (x.kind == TOKEN_DATA)
            assert_true(x.v < t->n_vals);
        put(r, &st->out[0], x.kind == TOKEN_DATA ? data(t->vals[x.v]) : x.kind == TOKEN_EMPTY ? data(0) : x);
    }
}

static void run_repeat(run *r, node_state *st) {
    const tokens *ref = &st->in[0], *signal = &st->in[1];
    uint32_t k = 0;
    for (uint32_t i = 0; i < signal->len; i++) {
        token s = signal->at[i], current = at(ref, k);
        if (s.kind == TOKEN_DATA) {
            assert_true(is_point(current));
            put(r, &st->out[0], current);
            continue;
        }
        put(r, &st->out[0], s);
        if (s.kind == TOKEN_DONE) {
            must_match(st->node, s, current);
            break;
        }
        k += is_point(current);
        if (s.v > 0) {
            must_match(st->node, stop(s.v - 1), at(ref, k));
            k++;
        }
    }
}

static void run_signal(run *r, node_state *st) {
    for (uint32_t i = 0; i < st->in[0].len; i++)
        put(r, &st->out[0], is_point(st->in[0].at[i]) ? data(1) : st->in[0].at[i]);
}

static void run_joiner(run *r, node_state *st) {
    bool all = st->data->kind == SAM_INTERSECT;
    uint32_t n = 0, pos[PORTS / 2] = {0};
    while (2 * n < PORTS && st->connected[2 * n])
        n++;
    for (;;) {
        uint32_t least = UINT32_MAX, points = 0, having = 0;
        for (uint32_t k = 0; k < n; k++) {
            token c = at(&st->in[2 * k], pos[k]);
            assert_true(c.kind != TOKEN_EMPTY);
            if (c.kind == TOKEN_DATA) {
                points++;
                least = c.v < least ? c.v : least;
            }
        }
        if (points == 0 || (all && points < n)) { /* the fiber ends: skip its rest */
            for (uint32_t k = 0; k < n; k++) {
                while (at(&st->in[2 * k], pos[k]).kind == TOKEN_DATA)
                    pos[k]++;
                must_match(st->node, at(&st->in[0], pos[0]), at(&st->in[2 * k], pos[k]));
                must_match(st->node, at(&st->in[0], pos[0]), at(&st->in[2 * k + 1], pos[k]));
            }
            token end = at(&st->in[0], pos[0]);
            for (uint32_t k = 0; k <= n; k++)
                put(r, &st->out[k], end);
            if (end.kind == TOKEN_DONE)
                return;
            for (uint32_t k = 0; k < n; k++)
                pos[k]++;
            continue;
        }
        for (uint32_t k = 0; k < n; k++)
            having += at(&st->in[2 * k], pos[k]).kind == TOKEN_DATA && at(&st->in[2 * k], pos[k]).v == least;
        bool emit = !all || having == n;
        if (emit)
            put(r, &st->out[0], data(least));
        for (uint32_t k = 0; k < n; k++) {
            token c = at(&st->in[2 * k], pos[k]);
            bool has = c.kind == TOKEN_DATA && c.v == least;
            if (emit)
                put(r, &st->out[k + 1], has ? at(&st->in[2 * k + 1], pos[k]) : (token){TOKEN_EMPTY, 0});
            pos[k] += has;
        }
    }
}

static uint32_t apply(const char *operation, uint32_t a, uint32_t b) {
    if (!strcmp(operation, "add"))
        return (a + b) & 0xffff;
    if (!strcmp(operation, "sub"))
        return (a - b) & 0xffff;
    if (!strcmp(operation, "div"))
        return b ? (uint32_t)((int16_t)a / (int16_t)b) & 0xffff : 0;
    assert_string_equal(operation, "mul");
    return (a * b) & 0xffff;
}

/* A constant operand takes the shape of the other operand. */
static void run_alu(run *r, node_state *st) {
    const sam_node_data *n = st->data;
    const tokens *a = &st->in[st->connected[0] ? 0 : 1], *b = &st->in[st->connected[1] ? 1 : 0];
    uint32_t constant[2] = {0};
    for (uint32_t i = 0; i < n->extra.len; i++) {
        const char *key = names_text(r->g->names, n->extra.at[i].key);
        if (!strncmp(key, "const", 5))
            constant[key[5] - '0'] = (uint32_t)atoi(names_text(r->g->names, n->extra.at[i].value));
    }
    for (uint32_t i = 0; i < a->len; i++) {
        token x = a->at[i], y = at(b, i);
        must_match(st->node, x, y);
        if (x.kind == TOKEN_DATA)
            x.v = apply(names_text(r->g->names, n->alu), st->connected[0] ? x.v : constant[0],
                        st->connected[1] ? y.v : constant[1]);
        put(r, &st->out[0], x);
    }
    assert_int_equal(a->len, b->len);
}

/* A sum for each fiber, the empty fiber included. */
static void run_reduce(run *r, node_state *st) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < st->in[0].len; i++) {
        token x = st->in[0].at[i];
        assert_true(x.kind != TOKEN_EMPTY);
        if (x.kind == TOKEN_DATA) {
            sum = (sum + x.v) & 0xffff;
        } else if (x.kind == TOKEN_DONE) {
            put(r, &st->out[0], x);
        } else {
            put(r, &st->out[0], data(sum));
            if (x.v > 0)
                put(r, &st->out[0], stop(x.v - 1));
            sum = 0;
        }
    }
}

static void run_vector_reducer(run *r, node_state *st) {
    enum { COORDINATES = 4096 };
    uint32_t *sum = arena_new_n(r->mem, uint32_t, COORDINATES);
    bool *seen = arena_new_n(r->mem, bool, COORDINATES);
    for (uint32_t i = 0; i < st->in[0].len; i++) {
        token c = st->in[0].at[i], v = at(&st->in[1], i);
        must_match(st->node, c, v);
        if (c.kind == TOKEN_DATA) {
            assert_true(c.v < COORDINATES);
            seen[c.v] = true;
            sum[c.v] = (sum[c.v] + v.v) & 0xffff;
        } else if (c.kind == TOKEN_DONE) {
            put(r, &st->out[0], c);
            put(r, &st->out[1], c);
        } else if (c.v > 0) {
            for (uint32_t k = 0; k < COORDINATES; k++) {
                if (seen[k]) {
                    put(r, &st->out[0], data(k));
                    put(r, &st->out[1], data(sum[k]));
                }
                seen[k] = false;
                sum[k] = 0;
            }
            put(r, &st->out[0], stop(c.v - 1));
            put(r, &st->out[1], stop(c.v - 1));
        }
    }
    assert_int_equal(st->in[0].len, st->in[1].len);
}

static void run_dropper(run *r, node_state *st) {
    const tokens *outer = &st->in[0], *inner = &st->in[1];
    uint32_t k = 0;
    bool after_stop = true;
    for (uint32_t i = 0; i < outer->len; i++) {
        token o = outer->at[i];
        if (o.kind == TOKEN_DATA) {
            uint32_t points = 0;
            for (; is_point(at(inner, k)); k++, points++)
                put(r, &st->out[1], at(inner, k));
            token end = at(inner, k++);
            assert_int_equal(end.kind, TOKEN_STOP);
            if (points) {
                put(r, &st->out[0], o);
                put(r, &st->out[1], end);
            }
        } else {
            put(r, &st->out[0], o);
            if (o.kind == TOKEN_STOP && after_stop) { /* an outer fiber without coordinates */
                must_match(st->node, at(inner, k), stop(o.v + 1));
                k++;
            }
            if (o.kind == TOKEN_DONE) {
                must_match(st->node, at(inner, k), o);
                put(r, &st->out[1], o);
            }
        }
        after_stop = o.kind != TOKEN_DATA;
    }
}

static void run_writer(run *r, node_state *st) {
    const sam_node_data *n = st->data;
    if (n->mode == SAM_MODE_VALS) {
        for (uint32_t i = 0; i < st->in[0].len; i++) {
            if (st->in[0].at[i].kind == TOKEN_DATA)
                vec_push(r->mem, &r->written->vals, st->in[0].at[i].v);
        }
        return;
    }
    uint32_t level = storage_level(r, n->tensor, n->mode);
    u32_vec *seg = &r->written->seg[level], *crd = &r->written->crd[level];
    vec_push(r->mem, seg, 0);
    bool after_stop = false;
    for (uint32_t i = 0; i < st->in[0].len; i++) {
        token x = st->in[0].at[i];
        assert_true(x.kind != TOKEN_EMPTY);
        if (x.kind == TOKEN_DATA)
            vec_push(r->mem, crd, x.v);
        else if (x.kind == TOKEN_STOP && !after_stop)
            vec_push(r->mem, seg, crd->len);
        after_stop = x.kind == TOKEN_STOP;
    }
}

typedef void run_step(run *r, node_state *st);

/* The primitives that lowering uses. */
static run_step *const run_steps[SAM_PRIMITIVES] = {
    [SAM_FIBERLOOKUP] = run_scanner,
    [SAM_ARRAYVALS] = run_array,
    [SAM_FIBERWRITE] = run_writer,
    [SAM_REPEAT] = run_repeat,
    [SAM_REPSIGGEN] = run_signal,
    [SAM_INTERSECT] = run_joiner,
    [SAM_UNION] = run_joiner,
    [SAM_ALU] = run_alu,
    [SAM_REDUCE] = run_reduce,
    [SAM_CRDDROP] = run_dropper,
    [SAM_VECTORREDUCER] = run_vector_reducer,
};

static void run_node(run *r, uint32_t index) {
    node_state *st = &r->state[index];
    st->node = index + 1;
    st->data = &r->g->nodes.at[index];
    if (!run_steps[st->data->kind])
        fail_msg("node %u: a primitive that lowering never uses", st->node);
    run_steps[st->data->kind](r, st);
}

/* Fills the inputs of a node; false while a source has not run. */
static bool inputs_ready(run *r, uint32_t index) {
    node_state *st = &r->state[index];
    for (uint32_t e = 0; e < r->g->edges.len; e++) {
        const sam_edge_data *edge = &r->g->edges.at[e];
        if (edge->dst.v != index + 1 || !edge->src.v)
            continue;
        if (!r->state[edge->src.v - 1].done)
            return false;
        assert_true(edge->dst_port < PORTS && edge->src_port < PORTS);
        st->connected[edge->dst_port] = true;
        st->in[edge->dst_port] = r->state[edge->src.v - 1].out[edge->src_port];
    }
    if (r->g->nodes.at[index].root && !st->connected[0]) {
        st->connected[0] = true;
        put(r, &st->in[0], data(0));
        put(r, &st->in[0], done_token);
    }
    return true;
}

void run_streams(const sam_graph *g, const sam_tensor_levels *operands, uint32_t n_operands, arena *mem,
                 written *out) {
    *out = (written){0};
    run r = {.g = g, .operands = operands, .n_operands = n_operands, .mem = mem, .written = out};
    r.state = arena_new_n(mem, node_state, g->nodes.len + 1);
    uint32_t left = g->nodes.len;
    for (bool moved = true; left && moved;) {
        moved = false;
        for (uint32_t i = 0; i < g->nodes.len; i++) {
            if (r.state[i].done || !inputs_ready(&r, i))
                continue;
            run_node(&r, i);
            r.state[i].done = moved = true;
            left--;
        }
    }
    assert_int_equal(left, 0);
}
