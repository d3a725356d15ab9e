/* inline.c - X(i,j) = A(i,j) * T(i,j) and T(i,j) = B(i,k) * C(k,j) become X(i,j) = A(i,j) * sum(k, B(i,k) *
 * C(k,j)).
 *
 * A tensor of a program is a function of its coordinates: entries equal to the fill disappear when a
 * statement ends, so no statement sees which of them were stored. The right side has the same value at every
 * coordinate, and the same fill. What asks for more than the value is refused: struct(T), functions of whole
 * fibers, and quotients of bf16, where a stored zero over nothing is a NaN. A value of int16 wraps, and a
 * value of bf16 is rounded, after each operation; so the word in place of an entry of T is the word of the
 * entry. */
#include "frontend/schedules/inline.h"
#include "frontend/language/check.h"
#include "frontend/language/settings.h"
#include "frontend/language/statement.h"
#include "frontend/language/taken.h"
#include "frontend/schedules/program_int.h"
#include "frontend/schedules/schedule.h"

#include "sam/coordinates.h"

enum { MOST_VARS = 64 };

/* ---- what is refused --------------------------------------------------------------------------- */

/* Counts the accesses of a tensor under e, and finds one. */
static uint32_t count_accesses(const sam_statement *s, sam_expr e, sam_tensor t, sam_expr *found) {
    const sam_expr_data *x = sam_expr_at(s, e);
    uint32_t n = x->kind == SAM_EXPR_ACCESS && x->tensor.v == t.v;
    if (n)
        *found = e;
    n += x->a.v ? count_accesses(s, x->a, t, found) : 0;
    return n + (x->b.v ? count_accesses(s, x->b, t, found) : 0);
}

/* Returns the operand of `into` that has the values of the tensor; 0: none. */
static sam_tensor operand_of(const fe_step *into, uint32_t shared) {
    const sam_statement *s = &into->statement;
    for (uint32_t t = 1; t <= s->tensors.len; t++) {
        if (t != s->result.v && into->use[t - 1].shared == shared)
            return (sam_tensor){t};
    }
    return (sam_tensor){0};
}

static bool are_distinct(const sam_var *index, uint32_t n) {
    uint64_t seen = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (seen & fe_bit(index[i]))
            return false;
        seen |= fe_bit(index[i]);
    }
    return true;
}

/* Returns what the tree under e has that depends on more than values. */
static const char *beyond_values(const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    const char *why = NULL;
    if (x->kind == SAM_EXPR_CALL && x->program)
        return "a function of C is called";
    if (x->kind == SAM_EXPR_DIV && !s->integers)
        return "a quotient of bf16 depends on which zeros are stored";
    why = x->a.v ? beyond_values(s, x->a) : NULL;
    return why || !x->b.v ? why : beyond_values(s, x->b);
}

static const char *refuse_producer(const fe_step *from) {
    const sam_statement *s = &from->statement;
    const uint32_t order = sam_tensor_at(s, s->result)->order;
    uint64_t vars = 0;
    for (uint32_t i = 0; i < order; i++)
        vars |= fe_bit(s->result_index[i]);
    if (s->everywhere)
        return "its fill is not the fill of its expression";
    if (!are_distinct(s->result_index, order))
        return "it is a diagonal";
    if (vars & ~fe_free_vars(s, s->rhs))
        return "an index of it has no operand";
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        if (s->tensors.at[t].windowed)
            return "an operand is a part of a tensor";
    }
    return beyond_values(s, s->rhs);
}

static const char *refuse_consumer(const fe_step *into, uint32_t shared) {
    const sam_statement *s = &into->statement;
    const sam_tensor read = operand_of(into, shared);
    sam_expr at = {0};
    uint32_t operands = 0;
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        operands += t + 1 != s->result.v && into->use[t].shared == shared;
        if (s->tensors.at[t].border.spare)
            return "coalesce of the statement has an operand without an access";
    }
    if (operands != 1 || sam_tensor_at(s, read)->structure || into->use[read.v - 1].counts)
        return "its stored coordinates are asked for";
    if (sam_tensor_at(s, read)->windowed)
        return "a part of it is read";
    if (count_accesses(s, s->rhs, read, &at) != 1)
        return "the statement reads it several times";
    const sam_expr_data *x = sam_expr_at(s, at);
    const uint32_t order = sam_tensor_at(s, read)->order;
    for (uint32_t m = 0; m < order; m++) {
        if (x->protocol[m] != SAM_BEST)
            return "a protocol is stated for it";
    }
    return are_distinct(x->index, order) ? beyond_values(s, s->rhs) : "its diagonal is read";
}

const char *fe_inline_refusal(const fe_step *from, const fe_step *into) {
    const char *why = refuse_producer(from);
    if (!why && from->statement.vars.len + into->statement.vars.len > MOST_VARS)
        why = "the statement would have more than 64 indices";
    return why ? why : refuse_consumer(into, fe_step_result(from));
}

/* ---- the new statement ------------------------------------------------------------------------- */

typedef struct {
    sam_statement *s; /* that grows */
    const sam_statement *from;
    sam_var *var;       /* by handle of `from` - 1 */
    sam_tensor *tensor; /* likewise; 0: not used so far */
} moving;

/* Returns a name of a variable that no other one has. */
static name_id new_name(const moving *m, name_id name) {
    return fe_find_var(m->s, name).v ? fe_fresh_name(m->s, names_text(m->s->names, name), m->s->mem) : name;
}

static sam_var moved_var(moving *m, sam_var v) {
    sam_var *to = &m->var[v.v - 1];
    if (!to->v) {
        sam_var_data data = *sam_var_at(m->from, v);
        data.name = new_name(m, data.name);
        vec_push(m->s->mem, &m->s->vars, data);
        to->v = m->s->vars.len;
    }
    return *to;
}

static name_id user_name(const sam_tensor_data *t) {
    return t->called.v ? t->called : t->name;
}

/* Adds an operand as the statement that grows calls it: an earlier value of its result has a name of its
 * own. */
static sam_tensor add_operand(const moving *m, const sam_tensor_data *data) {
    sam_statement *s = m->s;
    const name_id user = user_name(data), result = sam_tensor_at(s, s->result)->name;
    sam_tensor_data added = *data;
    for (uint32_t t = 1; t <= s->tensors.len; t++) {
        const sam_tensor_data *there = &s->tensors.at[t - 1];
        if (t != s->result.v && name_eq(user_name(there), user) && there->structure == data->structure &&
            there->position.along == data->position.along && there->position.first == data->position.first &&
            !there->windowed)
            return (sam_tensor){t};
    }
    if (!data->structure) {
        const bool earlier = name_eq(user, result);
        added.called = earlier ? user : (name_id){0};
        added.name = earlier
                         ? fe_fresh_name(s, arena_printf(s->mem, "%sOld", names_text(s->names, user)), s->mem)
                         : user;
    } else if (fe_find_tensor(s, data->name).v) {
        added.name = fe_fresh_name(s, names_text(s->names, data->name), s->mem);
    }
    vec_push(s->mem, &s->tensors, added);
    return (sam_tensor){s->tensors.len};
}

static sam_expr moved_expr(moving *m, sam_expr e) {
    sam_expr_data x = *sam_expr_at(m->from, e);
    if (x.kind == SAM_EXPR_ACCESS) {
        const sam_tensor_data *of = sam_tensor_at(m->from, x.tensor);
        sam_tensor *to = &m->tensor[x.tensor.v - 1];
        for (uint32_t i = 0; i < of->order; i++)
            x.index[i] = moved_var(m, x.index[i]);
        *to = to->v ? *to : add_operand(m, of);
        x.tensor = *to;
    }
    if (x.var.v)
        x.var = moved_var(m, x.var);
    if (x.a.v)
        x.a = moved_expr(m, x.a);
    if (x.b.v)
        x.b = moved_expr(m, x.b);
    return fe_add_expr(m->s, x);
}

/* Moves sums over variables from `first` on out of the products that they are factors of. */
static sam_expr lift(sam_statement *s, sam_expr e, uint32_t first) {
    sam_expr_data x = *sam_expr_at(s, e);
    x.a = x.a.v ? lift(s, x.a, first) : x.a;
    x.b = x.b.v ? lift(s, x.b, first) : x.b;
    *sam_expr_at(s, e) = x;
    for (uint32_t side = 0; x.kind == SAM_EXPR_MUL && side < 2; side++) {
        const sam_expr_data sum = *sam_expr_at(s, side ? x.b : x.a);
        if (sum.kind != SAM_EXPR_SUM || sum.operation || sum.var.v < first)
            continue;
        *(side ? &x.b : &x.a) = sum.a;
        *sam_expr_at(s, e) = x;
        sam_expr_data around = sum;
        around.a = lift(s, e, first);
        return fe_add_expr(s, around);
    }
    return e;
}

void fe_derive(sam_statement *s) {
    s->general = sam_is_general(s);
    const uint16_t fill = s->general ? sam_fill_of(s, s->rhs) : 0;
    s->everywhere = sam_tensor_at(s, s->result)->fill != fill;
    s->general = s->general || s->everywhere;
    fe_find_taken(s);
    s->loops.len = 0;
    fe_default_loops(s);
}

static void put_in(const fe_step *from, const fe_step *into, bool lifted, sam_statement *s) {
    const sam_statement *f = &from->statement;
    const sam_tensor read = operand_of(into, fe_step_result(from));
    moving m = {s, f, arena_new_n(s->mem, sam_var, f->vars.len + 1),
                arena_new_n(s->mem, sam_tensor, f->tensors.len + 1)};
    sam_expr at = {0};
    count_accesses(s, s->rhs, read, &at);
    for (uint32_t i = 0; i < sam_tensor_at(f, f->result)->order; i++) {
        const sam_var v = sam_expr_at(s, at)->index[i];
        m.var[f->result_index[i].v - 1] = v;
        if (!sam_var_at(s, v)->extent)
            sam_var_at(s, v)->extent = sam_var_at(f, f->result_index[i])->extent;
    }
    const uint32_t first = s->vars.len + 1;
    const sam_expr value = moved_expr(&m, f->rhs);
    *sam_expr_at(s, at) = *sam_expr_at(s, value);
    if (lifted)
        s->rhs = lift(s, s->rhs, first);
    fe_compact(s);
    fe_derive(s);
}

bool fe_inline(fe_program *p, diagnostics *d, const fe_step *from, const fe_step *into, bool lifted,
               fe_step *out) {
    const fe_in in = {.integers = into->statement.integers};
    *out = *into;
    fe_copy_statement(&into->statement, p->mem, &out->statement);
    put_in(from, into, lifted, &out->statement);
    out->text = arena_printf(p->mem, "%s, %s", into->text, from->text);
    return fe_check(&out->statement, d) && fe_program_bind(p, d, out) &&
           fe_schedule(&in, &out->statement, p->mem, d, &out->cin);
}

/* ---- a value computed before --------------------------------------------------------------------- */

typedef struct {
    const fe_step *from, *into;
    sam_var *var; /* of `into`, by handle of `from` - 1 */
} matching;

/* Returns whether the variables correspond, one to one. */
static bool match_var(matching *m, sam_var from, sam_var into) {
    const uint32_t n = m->from->statement.vars.len;
    for (uint32_t v = 0; v < n && !m->var[from.v - 1].v; v++) {
        if (m->var[v].v == into.v)
            return false;
    }
    m->var[from.v - 1] = into;
    return true;
}

/* Returns whether both accesses read the same values of a tensor of the program. */
static bool match_access(matching *m, const sam_expr_data *x, const sam_expr_data *y) {
    const sam_tensor_data *a = sam_tensor_at(&m->from->statement, x->tensor),
                          *b = sam_tensor_at(&m->into->statement, y->tensor);
    const fe_use *of = &m->from->use[x->tensor.v - 1], *its = &m->into->use[y->tensor.v - 1];
    bool same = of->shared == its->shared && !of->counts && !its->counts && a->structure == b->structure &&
                !a->windowed && !b->windowed && a->position.along == b->position.along &&
                a->position.first == b->position.first && y->tensor.v != m->into->statement.result.v;
    for (uint32_t i = 0; i < a->order && same; i++) {
        const sam_var had = m->var[x->index[i].v - 1];
        same = had.v ? had.v == y->index[i].v : match_var(m, x->index[i], y->index[i]);
    }
    return same;
}

static bool match(matching *m, sam_expr from, sam_expr into) {
    if (!from.v || !into.v)
        return from.v == into.v;
    const sam_expr_data *x = sam_expr_at(&m->from->statement, from),
                        *y = sam_expr_at(&m->into->statement, into);
    if (x->kind != y->kind || x->operation != y->operation || x->program || y->program ||
        x->takes != y->takes)
        return false;
    if (x->kind == SAM_EXPR_LITERAL)
        return !(x->literal < y->literal) && !(x->literal > y->literal) && x->literal == x->literal;
    if (x->kind == SAM_EXPR_ACCESS)
        return match_access(m, x, y);
    if (x->kind == SAM_EXPR_SUM && !match_var(m, x->var, y->var))
        return false;
    return match(m, x->a, y->a) && match(m, x->b, y->b);
}

/* Finds an expression under e equal to the right side of `from`, outermost first; 0: none. */
static sam_expr find_equal(matching *m, sam_expr e) {
    const sam_statement *f = &m->from->statement;
    memset(m->var, 0, sizeof *m->var * f->vars.len);
    if (!e.v || match(m, f->rhs, e))
        return e;
    const sam_expr_data *x = sam_expr_at(&m->into->statement, e);
    const sam_expr found = find_equal(m, x->a);
    return found.v ? found : find_equal(m, x->b);
}

/* Returns the operand of the statement with the values of the other one's result. */
static sam_tensor operand_for(const fe_step *into, const fe_step *from, sam_statement *s) {
    sam_tensor_data data = *sam_tensor_at(&from->statement, from->statement.result);
    const sam_tensor there = operand_of(into, fe_step_result(from));
    const sam_tensor_data *its = there.v ? sam_tensor_at(s, there) : NULL;
    if (its && !its->structure && !its->windowed && !into->use[there.v - 1].counts)
        return there;
    data.name = user_name(&data);
    data.called = (name_id){0};
    vec_push(s->mem, &s->tensors, data);
    return (sam_tensor){s->tensors.len};
}

bool fe_reuse(fe_program *p, diagnostics *d, const fe_step *from, const fe_step *into, fe_step *out) {
    const sam_statement *f = &from->statement;
    matching m = {from, into, arena_new_n(p->mem, sam_var, f->vars.len + 1)};
    const sam_expr at = find_equal(&m, into->statement.rhs);
    const fe_in in = {.integers = into->statement.integers};
    if (!at.v || refuse_producer(from) || fe_step_result(from) == fe_step_result(into))
        return false;
    *out = *into;
    fe_copy_statement(&into->statement, p->mem, &out->statement);
    sam_statement *s = &out->statement;
    sam_expr_data read = {.kind = SAM_EXPR_ACCESS, .loc = sam_expr_at(s, at)->loc};
    read.tensor = operand_for(into, from, s);
    for (uint32_t i = 0; i < sam_tensor_at(f, f->result)->order; i++)
        read.index[i] = m.var[f->result_index[i].v - 1];
    *sam_expr_at(s, at) = read;
    fe_compact(s);
    fe_derive(s);
    return fe_check(s, d) && fe_program_bind(p, d, out) && fe_schedule(&in, s, p->mem, d, &out->cin);
}
