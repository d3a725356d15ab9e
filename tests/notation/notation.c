/* The tree: parser, printer, free variables, and its value at every point. */
#include "tests/notation/notation.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct {
    note *n;
    const char *at;
    bool good;
} reader;

static char peek(reader *r) {
    while (*r->at == ' ')
        r->at++;
    return *r->at;
}

static bool take(reader *r, char c) {
    if (peek(r) != c)
        return false;
    r->at++;
    return true;
}

static void want(reader *r, char c) {
    r->good = take(r, c) && r->good;
}

static uint8_t add_node(reader *r, note_node node) {
    if (r->n->n_nodes == NOTE_NODES) {
        r->good = false;
        return 0;
    }
    r->n->node[r->n->n_nodes] = node;
    return r->n->n_nodes++;
}

static void name(reader *r, char *out) {
    uint32_t n = 0;
    for (peek(r); isalnum((unsigned char)*r->at); r->at++) {
        if (n + 1 < NOTE_NAME)
            out[n++] = *r->at;
    }
    out[n] = '\0';
    r->good = r->good && n > 0 && !isdigit((unsigned char)out[0]);
}

static uint8_t find_var(reader *r) {
    char text[NOTE_NAME];
    name(r, text);
    for (uint8_t v = 0; v < r->n->n_vars; v++)
        if (strcmp(r->n->var[v], text) == 0)
            return v;
    if (r->n->n_vars == NOTE_VARS) {
        r->good = false;
        return 0;
    }
    memcpy(r->n->var[r->n->n_vars], text, sizeof text);
    return r->n->n_vars++;
}

static uint8_t find_tensor(reader *r, const char *text, uint8_t order) {
    for (uint8_t t = 0; t < r->n->n_tensors; t++) {
        if (strcmp(r->n->tensor[t].name, text) != 0)
            continue;
        r->good = r->good && r->n->tensor[t].order == order;
        return t;
    }
    if (r->n->n_tensors == NOTE_TENSORS) {
        r->good = false;
        return 0;
    }
    note_tensor *t = &r->n->tensor[r->n->n_tensors];
    memcpy(t->name, text, NOTE_NAME);
    t->order = order;
    for (uint8_t l = 0; l < order; l++) {
        t->level[l] = 's';
        t->mode[l] = l;
    }
    return r->n->n_tensors++;
}

static const char *const functions[] = {[NOTE_RELU] = "relu", [NOTE_EXP] = "exp"};

static uint8_t terms(reader *r);

static uint8_t sum(reader *r) {
    uint8_t vars[NOTE_VARS], n_vars = 0;
    for (;;) { /* variables until no comma follows */
        const char *back = r->at;
        char text[NOTE_NAME];
        name(r, text);
        bool variable = r->good && peek(r) == ',' && n_vars < NOTE_VARS;
        r->at = back;
        r->good = true;
        if (!variable)
            break;
        vars[n_vars++] = find_var(r);
        want(r, ',');
    }
    uint8_t e = terms(r);
    want(r, ')');
    while (n_vars > 0)
        e = add_node(r, (note_node){.kind = NOTE_SUM, .a = e, .var = vars[--n_vars]});
    return e;
}

/* After the name: indices, or none. */
static note_node access_of(reader *r, const char *text) {
    note_node node = {.kind = NOTE_ACCESS};
    uint8_t order = 0;
    if (take(r, '(')) {
        do {
            r->good = r->good && order < SAM_MAX_ORDER;
            if (r->good)
                node.index[order++] = find_var(r);
        } while (r->good && take(r, ','));
        want(r, ')');
    }
    node.tensor = find_tensor(r, text, order);
    return node;
}

static uint8_t factor(reader *r) {
    char text[NOTE_NAME];
    if (take(r, '-'))
        return add_node(r, (note_node){.kind = NOTE_NEG, .a = factor(r)});
    if (take(r, '(')) {
        uint8_t e = terms(r);
        want(r, ')');
        return e;
    }
    if (isdigit((unsigned char)peek(r)))
        return add_node(
            r, (note_node){.kind = NOTE_LITERAL, .literal = (int)strtol(r->at, (char **)&r->at, 10)});
    name(r, text);
    if (strcmp(text, "sum") == 0 && take(r, '('))
        return sum(r);
    for (note_kind function = NOTE_RELU; function <= NOTE_EXP; function++) {
        if (strcmp(text, functions[function]) != 0 || !take(r, '('))
            continue;
        uint8_t e = terms(r);
        want(r, ')');
        return add_node(r, (note_node){.kind = function, .a = e});
    }
    return add_node(r, access_of(r, text));
}

/* Operands separated by either of two signs, from left to right. */
static uint8_t chain(reader *r, uint8_t (*operand)(reader *), const char signs[2], const note_kind kinds[2]) {
    uint8_t e = operand(r);
    while (r->good && (peek(r) == signs[0] || peek(r) == signs[1])) {
        note_kind kind = kinds[*r->at++ == signs[1]];
        e = add_node(r, (note_node){.kind = kind, .a = e, .b = operand(r)});
    }
    return e;
}

static uint8_t product(reader *r) {
    return chain(r, factor, "*/", (const note_kind[]){NOTE_MUL, NOTE_DIV});
}

static uint8_t terms(reader *r) {
    return chain(r, product, "+-", (const note_kind[]){NOTE_ADD, NOTE_SUB});
}

bool note_parse(const char *text, note *n) {
    char result[NOTE_NAME];
    memset(n, 0, sizeof *n);
    reader r = {.n = n, .at = text, .good = true};
    name(&r, result);
    note_node left = access_of(&r, result);
    memcpy(n->result_index, left.index, sizeof left.index);
    want(&r, '=');
    n->root = terms(&r);
    return r.good && peek(&r) == '\0';
}

/* ---- printing -------------------------------------------------------------------------------- */

static char *access_text(const note *n, uint8_t tensor, const uint8_t *index, arena *mem) {
    const note_tensor *t = &n->tensor[tensor];
    char *text = arena_strdup(mem, t->name);
    for (uint8_t i = 0; i < t->order; i++)
        text = arena_printf(mem, "%s%s%s%s", text, i ? "," : "(", n->var[index[i]],
                            i + 1 == t->order ? ")" : "");
    return text;
}

static int strength(note_kind kind) {
    switch (kind) {
    case NOTE_ADD:
    case NOTE_SUB:
        return 1;
    case NOTE_MUL:
    case NOTE_DIV:
        return 2;
    case NOTE_NEG:
        return 3;
    case NOTE_NONE:
    case NOTE_ACCESS:
    case NOTE_LITERAL:
    case NOTE_SUM:
    case NOTE_RELU:
    case NOTE_EXP:
        break;
    }
    return 4;
}

static char *expression_text(const note *n, uint8_t e, int least, arena *mem) {
    static const char *const sign[] = {
        [NOTE_ADD] = " + ", [NOTE_SUB] = " - ", [NOTE_MUL] = " * ", [NOTE_DIV] = " / "};
    const note_node *x = &n->node[e];
    int mine = strength(x->kind);
    char *text;
    switch (x->kind) {
    case NOTE_ACCESS:
        text = access_text(n, x->tensor, x->index, mem);
        break;
    case NOTE_LITERAL:
        text = arena_printf(mem, "%d", x->literal);
        break;
    case NOTE_NEG:
        text = arena_printf(mem, "-%s", expression_text(n, x->a, mine, mem));
        break;
    case NOTE_SUM:
        text = arena_printf(mem, "sum(%s, %s)", n->var[x->var], expression_text(n, x->a, 0, mem));
        break;
    case NOTE_RELU:
    case NOTE_EXP:
        text = arena_printf(mem, "%s(%s)", functions[x->kind], expression_text(n, x->a, 0, mem));
        break;
    case NOTE_ADD:
    case NOTE_SUB:
    case NOTE_MUL:
    case NOTE_DIV:
        text = arena_printf(mem, "%s%s%s", expression_text(n, x->a, mine, mem), sign[x->kind],
                            expression_text(n, x->b, mine + 1, mem));
        break;
    case NOTE_NONE:
    default:
        BUG("no text for node kind %d", (int)x->kind);
    }
    return mine < least ? arena_printf(mem, "(%s)", text) : text;
}

char *note_text_of(const note *n, uint8_t node, arena *mem) {
    return expression_text(n, node, 0, mem);
}

char *note_text(const note *n, arena *mem) {
    return arena_printf(mem, "%s = %s", access_text(n, 0, n->result_index, mem),
                        expression_text(n, n->root, 0, mem));
}

char *note_format(const note_tensor *t, arena *mem) {
    if (!t->order)
        return NULL;
    char *text = arena_printf(mem, "%s:%s", t->name, t->level);
    for (uint8_t l = 0; l < t->order; l++)
        text = arena_printf(mem, "%s%c%u", text, l ? ',' : ':', t->mode[l]);
    return text;
}

/* ---- occurrences in an expression ------------------------------------------------------------- */

static uint8_t operands_of(note_kind kind) {
    switch (kind) {
    case NOTE_NONE:
    case NOTE_LITERAL:
    case NOTE_ACCESS:
        return 0;
    case NOTE_NEG:
    case NOTE_RELU:
    case NOTE_EXP:
    case NOTE_SUM:
        return 1;
    case NOTE_ADD:
    case NOTE_SUB:
    case NOTE_MUL:
    case NOTE_DIV:
        break;
    }
    return 2;
}

uint32_t note_free_vars(const note *n, uint8_t e) {
    const note_node *x = &n->node[e];
    uint8_t operands = operands_of(x->kind);
    uint32_t vars = 0;
    for (uint8_t i = 0; x->kind == NOTE_ACCESS && i < n->tensor[x->tensor].order; i++)
        vars |= 1u << x->index[i];
    vars |= operands > 0 ? note_free_vars(n, x->a) : 0;
    vars |= operands > 1 ? note_free_vars(n, x->b) : 0;
    return x->kind == NOTE_SUM ? vars & ~(1u << x->var) : vars;
}

uint32_t note_used_tensors(const note *n, uint8_t e) {
    const note_node *x = &n->node[e];
    uint8_t operands = operands_of(x->kind);
    uint32_t own = x->kind == NOTE_ACCESS ? 1u << x->tensor : 0;
    return own | (operands > 0 ? note_used_tensors(n, x->a) : 0) |
           (operands > 1 ? note_used_tensors(n, x->b) : 0);
}

/* ---- evaluation ------------------------------------------------------------------------------ */

static uint32_t cell_of(const note_tensor *t, const uint8_t *index, const uint32_t *point) {
    uint32_t cell = 0;
    for (uint8_t i = 0; i < t->order; i++)
        cell = cell * t->dim[i] + point[index[i]];
    return cell;
}

static int16_t wrap(int32_t x) {
    return (int16_t)(uint16_t)(uint32_t)x;
}

static int16_t value(const note *n, uint8_t e, uint32_t *point) {
    const note_node *x = &n->node[e];
    int32_t total = 0;
    switch (x->kind) {
    case NOTE_ACCESS:
        return n->tensor[x->tensor].value[cell_of(&n->tensor[x->tensor], x->index, point)];
    case NOTE_LITERAL:
        return wrap(x->literal);
    case NOTE_NEG:
        return wrap(-value(n, x->a, point));
    case NOTE_RELU:
    case NOTE_EXP:
        total = value(n, x->a, point);
        return x->kind == NOTE_EXP ? wrap((int32_t)exp(total)) : total < 0 ? 0 : (int16_t)total;
    case NOTE_ADD:
        return wrap(value(n, x->a, point) + value(n, x->b, point));
    case NOTE_SUB:
        return wrap(value(n, x->a, point) - value(n, x->b, point));
    case NOTE_MUL:
        return wrap(value(n, x->a, point) * value(n, x->b, point));
    case NOTE_DIV:
        total = value(n, x->b, point);
        return total ? wrap(value(n, x->a, point) / total) : 0;
    case NOTE_SUM: {
        uint32_t outside = point[x->var];
        for (point[x->var] = 0; point[x->var] < n->extent[x->var]; point[x->var]++)
            total = wrap(total + value(n, x->a, point));
        point[x->var] = outside;
        return (int16_t)total;
    }
    case NOTE_NONE:
        break;
    }
    BUG("no value of node kind %d", (int)x->kind);
}

/* ---- implicit sums --------------------------------------------------------------------------- */

/* Puts the sum over v around the smallest part of *slot with every use of v. */
static void sum_over(note *n, uint8_t *slot, uint8_t v) {
    for (;;) {
        note_node *x = &n->node[*slot];
        bool in_a = x->kind > NOTE_LITERAL && note_free_vars(n, x->a) >> v & 1;
        bool in_b = x->kind >= NOTE_ADD && x->kind <= NOTE_DIV && note_free_vars(n, x->b) >> v & 1;
        if (in_a == in_b)
            break;
        slot = in_a ? &x->a : &x->b;
    }
    BUG_IF(n->n_nodes == NOTE_NODES, "expression too large");
    n->node[n->n_nodes] = (note_node){.kind = NOTE_SUM, .a = *slot, .var = v};
    *slot = n->n_nodes++;
}

void note_evaluate(note *n) {
    note_tensor *x = &n->tensor[0];
    note_node written[NOTE_NODES];
    uint8_t n_written = n->n_nodes, root = n->root;
    uint32_t point[NOTE_VARS] = {0}, result_vars = 0;
    memcpy(written, n->node, sizeof written);
    for (uint8_t i = 0; i < x->order; i++)
        result_vars |= 1u << n->result_index[i];
    uint32_t sums = note_free_vars(n, n->root) & ~result_vars;
    for (uint8_t v = 0; v < n->n_vars; v++) {
        if (sums >> v & 1)
            sum_over(n, &n->root, v);
    }
    for (uint32_t c = 0; c < x->cells; c++) {
        uint32_t rest = c;
        for (uint8_t i = x->order; i-- > 0;) {
            point[n->result_index[i]] = rest % x->dim[i];
            rest /= x->dim[i];
        }
        x->value[c] = value(n, n->root, point);
    }
    memcpy(n->node, written, sizeof written);
    n->n_nodes = n_written;
    n->root = root;
}
