/* alu.c - operations as PEs: a row of alu.def is one PE, a row of compositions.def one PE for each step. */
#include "lower_onyx/alu.h"
#include "sam/coordinates.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *name;
    bool bf16;
    const char *steps;
} compositions[] = {
#define COMPOSED(name, bf16, steps) {name, bf16, steps},
#include "lower_onyx/compositions.def"
#undef COMPOSED
};

static bool is_taken(const onyx_graph *g, name_id name) {
    for (uint32_t i = 0; i < g->nodes.len; i++) {
        if (name_eq(g->nodes.at[i].tile, name) || name_eq(g->nodes.at[i].name, name))
            return true;
    }
    return false;
}

/* Marks n if the text is `name`, '_' and number n, as printf writes them. */
static void mark_number(const char *text, const char *name, bool *taken, uint32_t most) {
    const size_t length = strlen(name);
    if (strncmp(text, name, length) != 0 || text[length] != '_' || text[length + 1] < '1' ||
        text[length + 1] > '9')
        return;
    char *end;
    const unsigned long n = strtoul(text + length + 1, &end, 10);
    if (!*end && n < most)
        taken[n] = true;
}

const char *onyx_free_name(const onyx_graph *g, const char *name) {
    if (!is_taken(g, names_intern(g->names, name)))
        return name;
    arena scratch = {0};
    const uint32_t most = 2 * g->nodes.len + 3; /* a node has two names */
    bool *taken = arena_new_n(&scratch, bool, most);
    for (uint32_t i = 0; i < g->nodes.len; i++) {
        mark_number(names_text(g->names, g->nodes.at[i].tile), name, taken, most);
        mark_number(names_text(g->names, g->nodes.at[i].name), name, taken, most);
    }
    uint32_t n = 2;
    while (taken[n])
        n++;
    arena_free(&scratch);
    return arena_printf(g->mem, "%s_%u", name, n);
}

const char *alu_composition(const char *operation, bool bf16) {
    for (size_t i = 0; i < sizeof compositions / sizeof *compositions; i++) {
        if (compositions[i].bf16 == bf16 && strcmp(compositions[i].name, operation) == 0)
            return compositions[i].steps;
    }
    return NULL;
}

const alu_monoid *alu_find_monoid(const char *name, bool bf16) {
    static const alu_monoid monoids[] = {
#define MONOID(name, bf16, truth, mask, combine) {#name, bf16, truth, mask, #combine},
#include "lower_onyx/monoids.def"
#undef MONOID
    };
    for (size_t i = 0; i < sizeof monoids / sizeof *monoids; i++) {
        if (monoids[i].bf16 == bf16 && strcmp(monoids[i].name, name) == 0)
            return &monoids[i];
    }
    return NULL;
}

/* An operand of a step: a constant, the result of a PE, or an operand of the whole operation. */
typedef struct {
    alu_constant constant;
    onyx_node node; /* 0: `operand` of the whole */
    uint32_t operand;
} term;

typedef struct {
    onyx_graph *g;
    const alu_wanted *in;
    alu_made out;
} making;

/* ---- one PE ------------------------------------------------------------------------------------ */

static void feed(making *m, const term *from, onyx_node node, onyx_port port) {
    if (from->node.v) {
        onyx_connect(m->g, from->node, ONYX_PORT_ALU_RES, node, port);
        return;
    }
    BUG_IF(m->out.sinks == ALU_MAX_SINKS, "%s is too long", m->in->operation);
    m->out.sink[m->out.sinks++] = (alu_sink){from->operand, node, port};
}

/* The PE pairs the tokens of both its ports: a single stream drives both ports. */
static void add_pe(making *m, const onyx_alu_op *op, const char *name, const term *t, uint32_t operands,
                   term *out) {
    static const onyx_port ports[2] = {ONYX_PORT_ALU_DATA0, ONYX_PORT_ALU_DATA1};
    onyx_node node = onyx_add_node(m->g, ONYX_ALU, name, name, m->in->loc);
    onyx_node_data *data = onyx_node_at(m->g, node);
    bool alone = operands == 1 || t[0].constant.given || t[1].constant.given;
    data->op = op;
    for (uint32_t k = 0; k < operands; k++) {
        uint32_t at = k && op->constant_in ? 2 : k;
        if (t[k].constant.given) {
            data->constants |= (uint8_t)(1u << at);
            data->constant[at] = t[k].constant.value;
        }
    }
    for (uint32_t k = 0; k < operands; k++) {
        if (t[k].constant.given)
            continue;
        feed(m, &t[k], node, ports[k]);
        if (alone)
            feed(m, &t[k], node, ports[1 - k]);
    }
    *out = (term){.node = node};
}

static uint16_t fold(const char *name, bool bf16, const term *t, uint32_t operands) {
    sam_operation operation;
    BUG_IF(!sam_find_operation(name, &operation), "no operation %s", name);
    return sam_operator_of(operation, bf16)
        ->apply(t[0].constant.value, operands == 2 ? t[1].constant.value : 0);
}

static bool is_commutative(const char *name, bool bf16) {
    sam_operation operation;
    return sam_find_operation(name, &operation) && sam_operator_of(operation, bf16)->commutative;
}

typedef struct {
    const char *operation, *name; /* operation and name of the PE */
    bool bf16;
    uint32_t operands;
    term of[2];
} alu_step;

/* Adds one operation of the chip's PE; false if the PE lacks this form. */
static bool add_step(making *m, const alu_step *step, term *out) {
    const char *operation = step->operation;
    const uint32_t operands = step->operands;
    const bool bf16 = step->bf16;
    const onyx_alu_op *op = onyx_alu_find(operation, bf16);
    term t[2] = {step->of[0], step->of[1]};
    if (t[0].constant.given && (operands == 1 || t[1].constant.given)) {
        *out = (term){.constant = {true, fold(operation, bf16, t, operands)}};
        return true;
    }
    if (op && op->constant_in && t[0].constant.given && is_commutative(operation, bf16)) {
        t[0] = step->of[1];
        t[1] = step->of[0];
    }
    if (!op || operands != op->streams + (op->constant_in ? 1u : 0u) ||
        (op->constant_in && !t[1].constant.given))
        return false;
    add_pe(m, op, step->name, t, operands, out);
    return true;
}

/* ---- several ------------------------------------------------------------------------------------ */

static term term_of(const making *m, const char *word, const term *steps) {
    if (*word == '#')
        return (term){.constant = {true, (uint16_t)atoi(word + 1)}};
    if (*word == 'a' || *word == 'b') {
        uint32_t k = *word == 'b';
        return (term){.constant = m->in->constant[k], .operand = k};
    }
    return steps[atoi(word) - 1];
}

static term add_steps(making *m, const char *text) {
    term steps[ALU_MAX_STEPS];
    uint32_t n = 0;
    while (text) {
        char operation[16] = "", left[16] = "", right[16] = "";
        int words = sscanf(text, "%15[^ |] %15[^ |] %15[^ |]", operation, left, right);
        alu_step step = {.operation = operation, .operands = (uint32_t)words - 1};
        step.of[0] = term_of(m, left, steps);
        if (words == 3)
            step.of[1] = term_of(m, right, steps);
        step.name = onyx_free_name(m->g, arena_printf(m->g->mem, "%s_%u_%s", m->in->name, n + 1, operation));
        bool made = words >= 2 && n < ALU_MAX_STEPS && add_step(m, &step, &steps[n]);
        BUG_IF(!made, "the composition of %s: '%s'", m->in->operation, text);
        n++;
        text = strchr(text, '|');
        text = text ? text + 1 : NULL;
    }
    return steps[n - 1];
}

alu_made alu_make(onyx_graph *g, const alu_wanted *in) {
    making m = {.g = g, .in = in};
    const alu_step whole = {in->operation,
                            in->name,
                            in->bf16,
                            in->operands,
                            {{.constant = in->constant[0]}, {.constant = in->constant[1], .operand = 1}}};
    const char *steps = alu_composition(in->operation, in->bf16);
    bool relu = strcmp(in->operation, "max") == 0 && in->bf16 &&
                ((in->constant[0].given && in->constant[0].value == 0) ||
                 (in->constant[1].given && in->constant[1].value == 0));
    term result = {0};
    if (!add_step(&m, &whole, &result) && relu) {
        const uint32_t stream = in->constant[0].given;
        add_step(&m, &(alu_step){"smax", in->name, false, 2, {whole.of[stream], whole.of[!stream]}}, &result);
    } else if (!result.node.v && steps) {
        result = add_steps(&m, steps);
    }
    m.out.result = result.node;
    return m.out;
}

/* ---- ranges ------------------------------------------------------------------------------------- */

/* Returns whether the operation keeps values in 0..32767 if its operands are in 0..32767. */
static bool keeps_nonnegative(const char *operation) {
    static const char *const keep[] = {"addhigh", "min", "max",  "smin",   "smax", "umin", "umax", "and",
                                       "or",      "xor", "eq",   "ne",     "lt",   "le",   "gt",   "ge",
                                       "land",    "lor", "when", "unless", "relu", "abs",  "lshr", "ashr"};
    for (size_t i = 0; i < sizeof keep / sizeof *keep; i++) {
        if (strcmp(keep[i], operation) == 0)
            return true;
    }
    return false;
}

static bool constants_are_nonnegative(const sam_graph *g, sam_node n) {
    for (uint32_t port = 0; port < 2; port++) {
        const char *text = sam_alu_constant(g, n, port);
        uint16_t value = 0;
        if (text != NULL && (!sam_parse_constant(text, false, &value) || value > INT16_MAX))
            return false;
    }
    return true;
}

bool alu_is_nonnegative(const sam_graph *g, const sam_edge_data *values) {
    const sam_node_data *n = values == NULL ? NULL : sam_node_at(g, values->src);
    if (n == NULL || n->kind == SAM_ARRAYVALS)
        return n == NULL || n->fill <= INT16_MAX;
    if (n->kind == SAM_CRDDROP || n->kind == SAM_VECTORREDUCER)
        return (n->kind == SAM_CRDDROP ||
                (n->alu.v != 0 && keeps_nonnegative(names_text(g->names, n->alu)))) &&
               alu_is_nonnegative(g, sam_edge_into(g, values->src, 1));
    return n->kind == SAM_ALU && keeps_nonnegative(names_text(g->names, n->alu)) &&
           constants_are_nonnegative(g, values->src) &&
           alu_is_nonnegative(g, sam_edge_into(g, values->src, 0)) &&
           alu_is_nonnegative(g, sam_edge_into(g, values->src, 1));
}
