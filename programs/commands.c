/* Statements on dense tensors computed by the chip's processor with list commands, each an operation on all
 * values. The commands replace the host, for operations absent from the array; or the array, whose vectors
 * could reduce the loads if the processor could make them in compressed form or in rows
 * (frontend/lowering/rows.c).
 */
#include "programs/commands.h"
#include "programs/layout.h"
#include "programs/scalar.h"

enum { REDUCED_MOST = 256, BETWEEN_MOST = 8 }; /* commands of a reduction; places for values in between */

/* ---- which statements --------------------------------------------------------------------------- */

static bool is_plain(const sam_tensor_data *t) {
    return !t->fill && !t->structure && !t->windowed && !t->ones && !t->blocked &&
           t->order <= COMPILE_DENSE_MODES;
}

uint32_t compile_dense_mode(const compile_dense *d, const sam_expr_data *access, uint32_t m) {
    uint32_t mode = 0;
    while (mode < d->vars && d->var[mode].v != access->index[m].v)
        mode++;
    return mode;
}

/* Adds an access, unless an access of the same operand is present, whose indices must be equal. */
static bool add_operand(compile_dense *d, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(d->s, e);
    const sam_tensor_data *t = sam_tensor_at(d->s, x->tensor);
    bool ok = is_plain(t);
    for (uint32_t m = 0; m < t->order && ok; m++)
        ok = compile_dense_mode(d, x, m) < d->vars && (!m || x->index[0].v != x->index[1].v);
    for (uint32_t i = 0; i < d->operands && ok; i++) {
        const sam_expr_data *other = sam_expr_at(d->s, d->operand[i]);
        if (other->tensor.v == x->tensor.v)
            return memcmp(other->index, x->index, sizeof *x->index * t->order) == 0;
    }
    if (!ok || d->operands == COMPILE_DENSE_OPERANDS)
        return false;
    d->operand[d->operands++] = e;
    return true;
}

static bool add_operands(compile_dense *d, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(d->s, e);
    if (x->kind == SAM_EXPR_ACCESS)
        return add_operand(d, e);
    return x->kind == SAM_EXPR_LITERAL ||
           (compile_calc_row(d->s, x) && add_operands(d, x->a) && (!x->b.v || add_operands(d, x->b)));
}

bool compile_find_dense(const sam_statement *s, compile_dense *out) {
    const sam_tensor_data *result = sam_tensor_at(s, s->result);
    compile_dense d = {.s = s, .body = s->rhs, .how = FW_OP_SET, .results = result->order};
    if (!is_plain(result))
        return false;
    for (d.vars = 0; d.vars < result->order; d.vars++)
        d.var[d.vars] = s->result_index[d.vars];
    const sam_expr_data *x = sam_expr_at(s, d.body);
    for (; x->kind == SAM_EXPR_SUM; x = sam_expr_at(s, d.body)) {
        uint32_t how;
        const sam_operator *op;
        compile_reduction((sam_operation)x->operation, s->integers ? TILE_DTYPE_INT16 : TILE_DTYPE_BF16, &how,
                          &op);
        if (how == FW_OP_SET || (d.how != FW_OP_SET && d.how != how) || d.vars == COMPILE_DENSE_MODES)
            return false;
        d.how = how;
        d.var[d.vars++] = x->var;
        d.body = x->a;
    }
    bool ok = d.vars > 0 && add_operands(&d, d.body), along[COMPILE_DENSE_MODES] = {false};
    for (uint32_t i = 0; i < d.operands && ok; i++) {
        const sam_expr_data *access = sam_expr_at(s, d.operand[i]);
        for (uint32_t m = 0; m < sam_tensor_at(s, access->tensor)->order; m++)
            along[compile_dense_mode(&d, access, m)] = true;
    }
    for (uint32_t v = 0; v < d.vars; v++)
        ok = ok && along[v];
    *out = d;
    return ok;
}

/* ---- commands -------------------------------------------------------------------------------------- */

/* Values: at a place of the buffer, or one number. */
typedef struct {
    bool number, between;
    uint32_t address;
    uint16_t value;
    uint16_t *words;
} values;
typedef struct {
    const compile_dense *d;
    const compile_layout *y;
    const fw_segments *in;
    uint32_t glb, between;
    arena *mem;
    fw_commands *commands;
} making;

static values new_between(making *g) {
    const compile_layout *y = g->y;
    return (values){.between = true,
                    .address = y->begin + (y->inputs + g->between++) * y->each + 2,
                    .words = arena_new_n(g->mem, uint16_t, y->n + 1)};
}

static uint16_t word_of(const values *v, uint32_t i) {
    return v->number ? v->value : v->words[i];
}

/* Returns the result of a list command for two words. */
static uint16_t made_of(const compile_dense *d, uint32_t how, uint16_t a, uint16_t b) {
    if (how == FW_OP_SET || (how == FW_OP_DIV && !(a | b)))
        return how == FW_OP_SET ? b : 0;
    return compile_calc_value(how, !d->s->integers, a, b);
}

/* Adds the command that combines two operands into `to`. */
static void add_command(making *g, uint32_t how, const values *a, const values *b, const values *to) {
    const uint32_t address = a->number ? to->address : a->address;
    vec_push(g->mem, g->commands,
             FW_MAKE(calc, .op = how, .number = b->number, .to = to->address, .a = address,
                     .b = b->number ? b->value : b->address, .n = g->y->n, .rows = 1));
    for (uint32_t i = 0; i < g->y->n; i++)
        to->words[i] = made_of(g->d, how, word_of(a, i), word_of(b, i));
}

static values combine(making *g, uint32_t how, values a, values b, bool again) {
    if (a.number && b.number)
        return (values){.number = true, .value = made_of(g->d, how, a.value, b.value)};
    if (a.number && (how == FW_OP_ADD || how == FW_OP_MUL)) {
        const values first = a;
        a = b;
        b = first;
    }
    if (a.number) {
        const values filled = new_between(g);
        add_command(g, FW_OP_SET, &a, &a, &filled);
        a = filled;
        again = true;
    }
    const values to = again && a.between ? a : new_between(g);
    add_command(g, how, &a, &b, &to);
    return to;
}

static values make(making *g, sam_expr e) {
    const sam_statement *s = g->d->s;
    const sam_expr_data *x = sam_expr_at(s, e);
    if (x->kind == SAM_EXPR_LITERAL)
        return (values){.number = true, .value = sam_literal_word(x->literal, !s->integers)};
    if (x->kind == SAM_EXPR_ACCESS) {
        uint32_t i = 0;
        while (sam_expr_at(s, g->d->operand[i])->tensor.v != x->tensor.v)
            i++;
        const fw_segment *block = &g->in->at[i];
        values v = {.address = block->address - g->glb + 2,
                    .words = arena_new_n(g->mem, uint16_t, g->y->n + 1)};
        for (uint32_t w = 0; w < g->y->n; w++)
            v.words[w] = word_at(block->content, 1 + w);
        return v;
    }
    const compile_calc_row_of *row = compile_calc_row(s, x);
    values of[CALC_OPERANDS] = {[CALC_FIRST] = make(g, x->a), [CALC_NUMBER] = {.number = true}};
    if (x->b.v)
        of[CALC_SECOND] = make(g, x->b);
    for (uint32_t i = 0; i < row->n; i++) {
        const compile_made_of *command = &row->command[i];
        of[CALC_NUMBER].value = command->number;
        of[CALC_SO_FAR] = combine(g, command->how, of[command->a], of[command->b], command->a == CALC_SO_FAR);
    }
    return of[CALC_SO_FAR];
}

/* Adds a command that reduces n values of `rows` rows, with the given distance between rows, into the
 * result. */
static void add_reduced(making *g, uint32_t to, uint32_t from, uint32_t rows, uint32_t step_to,
                        uint32_t step) {
    vec_push(g->mem, g->commands,
             FW_MAKE(calc, .op = g->d->how, .to = to, .a = to, .b = from, .n = 1, .rows = rows,
                     .step_to = step_to, .step_a = step_to, .step_b = step));
}

/* Adds the commands that reduce values to the result: all values, or each row of a matrix, or column by
 * column if columns are fewer. */
static bool reduce(making *g, const values *of, uint16_t *made) {
    const compile_layout *y = g->y;
    const uint32_t rows = g->d->results ? y->size[0] : 1, columns = y->n / rows, from = of->address,
                   to = y->to + 2, row = 2 * columns;
    if (row > UINT16_MAX || (rows > REDUCED_MOST && columns > REDUCED_MOST))
        return false;
    vec_push(g->mem, g->commands,
             FW_MAKE(copy, .from = from, .bytes = 2, .to = to, .times = rows, .step = row, .step_to = 2));
    for (uint32_t i = 1; i < columns && columns < rows; i++)
        add_reduced(g, to, from + 2 * i, rows, 2, row);
    for (uint32_t i = 0; i < rows && columns >= rows && columns > 1; i++)
        add_reduced(g, to + 2 * i, from + row * i + 2, columns - 1, 0, 2);
    for (uint32_t i = 0; i < y->n; i++)
        made[i / columns] =
            i % columns ? made_of(g->d, g->d->how, made[i / columns], of->words[i]) : of->words[i];
    return true;
}

const uint16_t *compile_dense_commands(const compile_dense *d, const compile_layout *y, const fw_segments *in,
                                       uint32_t glb, arena *mem, fw_commands *commands, uint32_t *between) {
    making g = {.d = d, .y = y, .in = in, .glb = glb, .mem = mem, .commands = commands};
    const values made = make(&g, d->body);
    *between = g.between;
    if (made.number || g.between > BETWEEN_MOST)
        return NULL;
    if (d->how == FW_OP_SET) {
        if (made.between)
            FW_SET(&commands->at[commands->len - 1], calc, to, y->to + 2);
        else
            vec_push(mem, commands, FW_MAKE(copy, .from = made.address, .bytes = 2 * y->n, .to = y->to + 2));
        return made.words;
    }
    uint16_t *reduced = arena_new_n(mem, uint16_t, y->results + 1);
    return reduce(&g, &made, reduced) ? reduced : NULL;
}
