/* unit_run.h - a primitive of the simulator on hand-written token streams. */
#ifndef ONYX_TESTS_UNIT_RUN_H
#define ONYX_TESTS_UNIT_RUN_H

#include "sam/sim_units.h"
#include "tests/test.h"

enum { MAX_STREAMS = 8 };

/* A run of a node: its DOT attributes, a stream for each input, the expected stream of each output. */
typedef struct {
    const char *attributes;
    const char *in[MAX_STREAMS];
    const char *out[MAX_STREAMS];
} unit_run;

/* "3 N S0 S2/1 D" and R for a repeat signal. */
static inline uint32_t read_tokens(const char *text, sim_token *out) {
    uint32_t n = 0;
    for (const char *at = text; *at; at += strspn(at, " ")) {
        char *end = (char *)at + 1;
        if (*at == 'S') {
            uint32_t level = (uint32_t)strtoul(at + 1, &end, 10), hollow = 0;
            if (*end == '/')
                hollow = (uint32_t)strtoul(end + 1, &end, 10);
            out[n++] = sim_stop(level, hollow);
        } else if (*at == 'N' || *at == 'D') {
            out[n++] = *at == 'N' ? SIM_EMPTY : SIM_DONE;
        } else {
            out[n++] = *at == 'R' ? 0 : (sim_token)strtoul(at, &end, 0);
        }
        at = end;
    }
    return n;
}

static inline const char *write_tokens(arena *mem, sim_queue *q) {
    const char *text = "";
    while (sim_has(q))
        text = arena_printf(mem, "%s%s%s", text, *text ? " " : "", sim_token_text(mem, sim_pop(q)));
    return text;
}

/* Builds the machine of a node `n` over tensor B. A stub stands for the driving node of each input fed by the
 * test. */
static inline void build(fixture *f, unit_run r, const sam_tensor_levels *b, sam_graph *g, sim_machine *m) {
    bool is_dense = b && b->level[0].format == SAM_LEVEL_DENSE;
    const char *text = arena_printf(&f->mem, "digraph { comment=\"x=none,B=%s\" n [%s]\n",
                                    is_dense ? "d0" : "s0", r.attributes);
    for (uint32_t i = 0; i < MAX_STREAMS && r.in[i]; i++)
        if (*r.in[i])
            text = arena_printf(&f->mem, "%s s%u [type=reduce] s%u -> n [type=val src_port=0 dst_port=%u]\n",
                                text, i, i, i);
    text = arena_printf(&f->mem, "%s}", text);
    assert_true(sam_parse("unit", text, strlen(text), &f->names, &f->diag, g));
    sam_tensor_levels none = {0};
    sam_tensor_levels operand = b ? *b : none;
    operand.name = names_intern(&f->names, "B");
    sam_tensor_levels *kept = arena_new(&f->mem, sam_tensor_levels);
    *kept = operand;
    *m = (sim_machine){.g = g, .operands = kept, .n_operands = 1, .mem = &f->mem, .d = &f->diag};
    assert_true(sim_build(m, NULL));
    for (uint32_t v = 2; v <= g->nodes.len; v++, m->unfinished -= !m->has_writers)
        m->units[v].done = true;
    sim_token tokens[256];
    for (uint32_t i = 0; i < MAX_STREAMS && r.in[i]; i++)
        sim_feed(m, (sam_node){1}, i, tokens, read_tokens(r.in[i], tokens));
}

/* A queue that receives all tokens of the port. */
static inline sim_queue *probe_output(sim_machine *m, sam_node n, uint32_t port) {
    sim_queue *q = sim_new_queue(m->mem);
    sim_add_sink(m->mem, &m->units[n.v], port, q);
    return q;
}

static inline void run_unit(fixture *f, unit_run r, const sam_tensor_levels *b) {
    sam_graph g;
    sim_machine m;
    sim_queue *probe[MAX_STREAMS] = {0};
    sam_node n = {1};
    build(f, r, b, &g, &m);
    for (uint32_t i = 0; i < MAX_STREAMS && r.out[i]; i++)
        probe[i] = probe_output(&m, n, i);
    assert_int_equal(sim_run(&m, 1000), SIM_RUN_FINISHED);
    for (uint32_t i = 0; i < MAX_STREAMS && r.out[i]; i++)
        assert_string_equal(write_tokens(&f->mem, probe[i]), r.out[i]);
    for (uint32_t i = 0; i < m.units[1].n_in; i++)
        assert_false(sim_has(m.units[1].in[i]));
}

#define RUN(...) run_unit(*state, (unit_run){__VA_ARGS__}, NULL)
#define IN(...) .in = {__VA_ARGS__}
#define OUT(...) .out = {__VA_ARGS__}

#endif
