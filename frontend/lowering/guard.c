/* guard.c - a quotient in floating point that is a subexpression of a sum.
 *
 * Where numerator and denominator are absent the quotient is absent, and adds nothing to the outer sum. The
 * graph would compute 0 / 0 = NaN there. The denominator therefore gets 1 where the quotient is absent: d + b
 * / c becomes d + b / (c + (1 - present)) * 1. `present` is a host-made scalar 1. As an operand of the
 * quotient `present` is repeated by the quotient's own coordinates (fe_repeats_inside), and is absent, hence
 * 0, where the quotient is absent. The factor 1 keeps these coordinates apart from the coordinates of the
 * other addends. The numerator is 0 there, since fe_fill gives the numerator all indices of the denominator.
 *
 * By the notation 1 - present is 0, and needs no coordinates of its own (fe_is_zero). A quotient with another
 * fill has a value at absent operands: exp(b) / c is infinite there. Integers need no guard: a quotient by 0
 * is 0.
 */
#include "frontend/lowering/guard.h"
#include "frontend/language/statement.h"
#include "sam/coordinates.h"

static sam_expr add_binary(sam_statement *s, sam_expr_kind kind, src_loc loc, sam_expr a, sam_expr b) {
    return fe_add_expr(s, (sam_expr_data){.kind = kind, .loc = loc, .a = a, .b = b});
}

static sam_expr add_present(sam_statement *s, arena *mem, src_loc loc) {
    name_id name = fe_fresh_name(s, "present", mem);
    vec_push(mem, &s->tensors, (sam_tensor_data){.name = name, .loc = loc, .ones = true});
    sam_tensor tensor = {s->tensors.len};
    return fe_add_expr(s, (sam_expr_data){.kind = SAM_EXPR_ACCESS, .loc = loc, .tensor = tensor});
}

static sam_expr guarded(sam_statement *s, arena *mem, sam_expr a, sam_expr b, src_loc loc) {
    const sam_expr_data literal = {.kind = SAM_EXPR_LITERAL, .loc = loc, .literal = 1};
    sam_expr one = fe_add_expr(s, literal);
    sam_expr absent = add_binary(s, SAM_EXPR_SUB, loc, one, add_present(s, mem, loc));
    sam_expr denominator = add_binary(s, SAM_EXPR_ADD, loc, b, absent);
    sam_expr quotient = add_binary(s, SAM_EXPR_DIV, loc, a, denominator);
    return add_binary(s, SAM_EXPR_MUL, loc, quotient, fe_add_expr(s, literal));
}

static sam_expr guard(sam_statement *s, arena *mem, sam_expr e, bool in_union) {
    sam_expr_data x = *sam_expr_at(s, e);
    bool inside = in_union || sam_unites(s, e, NULL);
    if (x.a.v)
        x.a = guard(s, mem, x.a, inside);
    if (x.b.v)
        x.b = guard(s, mem, x.b, inside);
    *sam_expr_at(s, e) = x;
    const bool absent = x.kind == SAM_EXPR_DIV && in_union && !sam_fill_of(s, e);
    return absent ? guarded(s, mem, x.a, x.b, x.loc) : e;
}

void fe_guard_quotients(sam_statement *s, arena *mem) {
    if (!s->integers)
        s->rhs = guard(s, mem, s->rhs, false);
}
