/* Statements of scalars in a loop of the chip's processor: operations on two values, in its scratch area. The
 * host computes the values as well, and predicts the processor's results. */
#include "programs/scalar.h"
#include "programs/command_list.h"
#include "programs/gather.h"
#include "sam/operators.h"

enum {
    VALUE_BYTES = 4, /* a block of one value */
    CALCS_MOST = 64, /* that wait for a batch */
    MADE_MOST = 32   /* of a statement */
};

/* ---- the commands of a statement ------------------------------------------------------------------- */

/* An operand: a place on the chip, or a number; and its value. */
typedef struct {
    bool on_chip;
    uint32_t address;
    uint16_t value;
} scalar;

enum { ANYWHERE = 1 }; /* no place is odd */
typedef struct {
    interpreter *m;
    const fe_step *step;
    uint32_t to;  /* where the value goes */
    uint32_t put; /* the operand written before by the host; FE_NO_TENSOR: none */
    fw_command command[MADE_MOST];
    uint32_t n, between; /* places in use, at the end of the scratch area */
    bool good;
} calc;

static uint16_t value_of(const tensor_slot *h) {
    return h->t.nnz ? h->t.val[0] : h->t.fill;
}

static void put_block(uint8_t *content, uint16_t value) {
    const uint32_t word = (uint32_t)value << 16 | 1;
    for (uint32_t i = 0; i < VALUE_BYTES; i++)
        content[i] = (uint8_t)(word >> 8 * i);
}

static uint32_t scratch_address(calc *c) {
    c->good = c->good && c->between < FW_SCRATCH_VALUES;
    return compile_scratch_address(c->between++);
}

static void add_command(calc *c, uint32_t how, uint32_t to, uint32_t a, scalar b) {
    c->good = c->good && c->n < MADE_MOST;
    if (c->good)
        c->command[c->n++] = FW_MAKE(calc, .op = how, .number = !b.on_chip, .to = to, .a = a,
                                     .b = b.on_chip ? b.address : b.value);
}

/* Adds the command that combines two values, and returns the result; two numbers give a number. */
static scalar combine(calc *c, uint32_t how, scalar a, scalar b, uint32_t to) {
    const uint16_t value = compile_calc_value(how, !c->step->statement.integers, a.value, b.value);
    scalar made = {.on_chip = a.on_chip || b.on_chip, .value = value};
    if (!made.on_chip)
        return made;
    made.address = to == ANYWHERE ? scratch_address(c) : to;
    if (!a.on_chip && (how == FW_OP_ADD || how == FW_OP_MUL)) {
        const scalar first = a;
        a = b;
        b = first;
    } else if (!a.on_chip) {
        const uint32_t address = made.address == b.address ? scratch_address(c) : made.address;
        add_command(c, FW_OP_SET, address, address, a);
        a.address = address;
    }
    add_command(c, how, made.address, a.address, b);
    return made;
}

/* Finds an operand; the chip's form of the operand may differ from a single value. */
static scalar find_scalar(calc *c, uint32_t t) {
    const tensor_slot *h = &c->m->of[c->step->use[t].shared];
    scalar one = {.on_chip = h->resident || c->put == t, .address = c->to, .value = value_of(h)};
    if (h->resident)
        c->good = c->good && compile_scalar_address(c->m, h, &one.address);
    return one;
}

/* Adds the commands of an expression; the last command writes to this place. */
static scalar add_commands(calc *c, sam_expr e, uint32_t to) {
    const sam_statement *s = &c->step->statement;
    const sam_expr_data *x = sam_expr_at(s, e);
    if (x->kind == SAM_EXPR_ACCESS)
        return find_scalar(c, x->tensor.v - 1);
    if (x->kind == SAM_EXPR_LITERAL)
        return (scalar){.value = sam_literal_word(x->literal, !s->integers)};
    const compile_calc_row_of *row = compile_calc_row(s, x);
    scalar of[CALC_OPERANDS] = {[CALC_FIRST] = add_commands(c, x->a, ANYWHERE)};
    if (x->b.v)
        of[CALC_SECOND] = add_commands(c, x->b, ANYWHERE);
    for (uint32_t i = 0; i < row->n; i++) {
        const compile_made_of *command = &row->command[i];
        of[CALC_NUMBER].value = command->number;
        of[CALC_SO_FAR] =
            combine(c, command->how, of[command->a], of[command->b], i + 1 < row->n ? ANYWHERE : to);
    }
    return of[CALC_SO_FAR];
}

static bool changes(const calc *c, uint32_t t) {
    const compile_application *a = c->m->a;
    const uint32_t shared = c->step->use[t].shared;
    return t + 1 != c->step->statement.result.v && shared < a->program.tensors.len &&
           a->program.tensors.at[shared].changes;
}

/* If the chip has no operand yet, the host writes a changing operand before the list: the first pass then
 * equals the others. */
static void put_first(calc *c) {
    const sam_statement *s = &c->step->statement;
    uint8_t content[VALUE_BYTES];
    bool on_chip = false;
    for (uint32_t t = 0; t < s->tensors.len; t++)
        on_chip = on_chip || (t + 1 != s->result.v && c->m->of[c->step->use[t].shared].resident);
    if (on_chip || sam_expr_at(s, s->rhs)->kind == SAM_EXPR_ACCESS)
        return;
    for (uint32_t e = 0; e < s->exprs.len; e++) {
        const sam_expr_data *x = &s->exprs.at[e];
        if (x->kind != SAM_EXPR_ACCESS || !changes(c, x->tensor.v - 1))
            continue;
        put_block(content, value_of(&c->m->of[c->step->use[x->tensor.v - 1].shared]));
        if (compile_write_before(c->m,
                                 &(fw_segment){fw_address(&c->m->a->board, c->to), VALUE_BYTES, content}))
            c->put = x->tensor.v - 1;
        return;
    }
}

/* Finds the commands; a value independent of the chip's values takes one command. */
static bool find_commands(calc *c, uint16_t want) {
    put_first(c);
    const scalar value = add_commands(c, c->step->statement.rhs, c->to);
    if (!c->n)
        add_command(c, FW_OP_SET, c->to, value.on_chip ? value.address : c->to, value);
    return c->good && value.value == want;
}

bool compile_enqueue_scalar(interpreter *m, compile_context *ctx, compile_statement_plan *plan,
                            const tile_tensor *value, compile_resident **resident) {
    const uint16_t want = value->nnz ? value->val[0] : value->fill;
    bool *alive = arena_new_n(ctx->mem, bool, m->a->slots + 1);
    memcpy(alive, plan->alive, m->a->slots);
    alive[plan->to] = false;
    if (!compile_is_calc(plan->step))
        return false;
    const uint32_t slot = compile_find_slot(m, NULL, alive, true, VALUE_BYTES);
    calc c = {.m = m, .step = plan->step, .to = FW_SCRATCH | slot, .put = FE_NO_TENSOR, .good = true};
    if (slot + VALUE_BYTES > FW_SCRATCH_ROOM || !find_commands(&c, want) ||
        m->processor.calc.len + c.n > CALCS_MOST)
        return false;
    uint8_t content[VALUE_BYTES];
    put_block(content, want);
    compile_resident *l = arena_new(ctx->mem, compile_resident);
    const compile_device_copy device_copy = {.home = true,
                                             .put = {c.to, VALUE_BYTES, hash_bytes(content, VALUE_BYTES)}};
    vec_push(ctx->mem, &l->device_copies, device_copy);
    l->gone = true; /* no store has left it */
    compile_note_device_copy(m, &device_copy);
    for (uint32_t i = 0; i < c.n; i++)
        compile_add_calc(m, &c.command[i]);
    *resident = l;
    return true;
}
