/* check.c - the invariants of a statement: its tensors and expressions fit together (E0130), and once it is
 * packed every tensor is stored in the order of the loops (E0115). */
#include "frontend/language/check.h"
#include "frontend/language/settings.h"
#include "frontend/language/statement.h"
#include "sam/operators.h"

#include <math.h>

/* ---- structure ------------------------------------------------------------------------------- */

#define REQUIRE(condition, loc, ...) FE_REQUIRE("E0130-statement", condition, loc, __VA_ARGS__)

static bool check_tensor(const sam_statement *s, const sam_tensor_data *t, diagnostics *d) {
    const char *name = names_text(s->names, t->name);
    REQUIRE(*name, t->loc, "a tensor has no name");
    REQUIRE(t->order <= SAM_MAX_ORDER, t->loc, "%s has %u indices", name, t->order);
    uint32_t modes = 0;
    for (uint32_t l = 0; l < t->order; l++) {
        REQUIRE(fe_level_letter(t->level[l]), t->loc, "level %u of %s has no format", l, name);
        REQUIRE(t->mode[l] < t->order && !(modes >> t->mode[l] & 1), t->loc,
                "the modes of %s are no permutation", name);
        modes |= 1u << t->mode[l];
    }
    return true;
}

/* `index` holds variables of s; adds them to *vars. */
static bool check_index(const sam_statement *s, sam_tensor t, const sam_var *index, src_loc loc,
                        uint64_t *vars, diagnostics *d) {
    REQUIRE(t.v >= 1 && t.v <= s->tensors.len, loc, "an access of no tensor");
    for (uint32_t i = 0; i < sam_tensor_at(s, t)->order; i++) {
        REQUIRE(index[i].v >= 1 && index[i].v <= s->vars.len, loc, "index %u of %s is no variable", i,
                fe_tensor_text(s, t));
        *vars |= (uint64_t)1 << (index[i].v - 1);
    }
    return true;
}

/* Progress of check_tree: visited expressions by handle - 1, variables bound anywhere (bit v - 1). */
typedef struct {
    uint8_t *visited;
    uint64_t bound;
} tree_check;

/* Checks the tree under e: each expression occurs once, has the operands of its kind, and has its variables
 * bound. */
static bool check_tree(const sam_statement *s, sam_expr e, uint64_t bound, tree_check *check,
                       diagnostics *d) {
    const src_loc nowhere = {0};
    REQUIRE(e.v >= 1 && e.v <= s->exprs.len, nowhere, "an operand is missing");
    const sam_expr_data *x = sam_expr_at(s, e);
    REQUIRE(!check->visited[e.v - 1], x->loc, "an expression is used in two places");
    check->visited[e.v - 1] = 1;
    check->bound |= bound;
    uint64_t used = 0;
    switch (x->kind) {
    case SAM_EXPR_ACCESS:
        if (!check_index(s, x->tensor, x->index, x->loc, &used, d))
            return false;
        REQUIRE(x->tensor.v != s->result.v, x->loc, "the result is an operand");
        REQUIRE(!(used & ~bound), x->loc, "an index of %s is neither summed over nor in the result",
                fe_tensor_text(s, x->tensor));
        return true;
    case SAM_EXPR_LITERAL:
        return true;
    case SAM_EXPR_SUM:
        REQUIRE(x->var.v >= 1 && x->var.v <= s->vars.len, x->loc, "a sum over no variable");
        REQUIRE(!(bound >> (x->var.v - 1) & 1), x->loc, "'%s' is bound twice", fe_var_text(s, x->var));
        return check_tree(s, x->a, bound | (uint64_t)1 << (x->var.v - 1), check, d);
    case SAM_EXPR_NEG:
        return check_tree(s, x->a, bound, check, d);
    case SAM_EXPR_ADD:
    case SAM_EXPR_SUB:
    case SAM_EXPR_MUL:
    case SAM_EXPR_DIV:
        return check_tree(s, x->a, bound, check, d) && check_tree(s, x->b, bound, check, d);
    case SAM_EXPR_CALL:
        REQUIRE(!sam_takes_fiber(x) || (x->var.v && bound >> (x->var.v - 1) & 1), x->loc,
                "a function along no variable");
        return check_tree(s, x->a, bound, check, d) && (!x->b.v || check_tree(s, x->b, bound, check, d));
    case SAM_EXPR_NONE:
        break;
    }
    REQUIRE(false, x->loc, "an expression of no kind");
    return false;
}

/* Checks the presence of one loop for each bound variable. Further variables are allowed: a split variable
 * has the loops of its subexpressions. */
static bool check_loop_list(const sam_statement *s, uint64_t bound, diagnostics *d) {
    const src_loc nowhere = {0};
    uint64_t seen = 0;
    for (uint32_t i = 0; i < s->loops.len; i++) {
        sam_var v = s->loops.at[i];
        REQUIRE(v.v >= 1 && v.v <= s->vars.len, nowhere, "loop %u has no variable", i);
        REQUIRE(!(seen >> (v.v - 1) & 1), nowhere, "'%s' has two loops", fe_var_text(s, v));
        seen |= (uint64_t)1 << (v.v - 1);
    }
    for (uint32_t v = 1; v <= s->vars.len; v++) {
        bool has_loop = seen >> (v - 1) & 1, needs_loop = bound >> (v - 1) & 1;
        REQUIRE(has_loop == needs_loop, nowhere, "'%s' is %s a loop", fe_var_text(s, (sam_var){v}),
                has_loop ? "not bound but has" : "bound but has not");
    }
    return true;
}

bool fe_check_tree(const sam_statement *s, uint64_t *bound, diagnostics *d) {
    const src_loc nowhere = {0};
    REQUIRE(s->vars.len <= 64, nowhere, "more than 64 variables");
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        if (!check_tensor(s, &s->tensors.at[t], d))
            return false;
    }
    uint64_t free = 0;
    REQUIRE(s->result.v == 1 && s->tensors.len >= 1, nowhere, "the result is not the first tensor");
    if (!check_index(s, s->result, s->result_index, sam_tensor_at(s, s->result)->loc, &free, d))
        return false;
    arena scratch = {0};
    tree_check check = {.visited = arena_new_n(&scratch, uint8_t, s->exprs.len + 1), .bound = free};
    bool ok = check_tree(s, s->rhs, free, &check, d);
    arena_free(&scratch);
    *bound = check.bound;
    return ok;
}

bool fe_check(const sam_statement *s, diagnostics *d) {
    uint64_t bound;
    return fe_check_tree(s, &bound, d) && check_loop_list(s, bound, d);
}

/* ---- packed statements ----------------------------------------------------------------------- */

static bool check_plain(const sam_statement *s, sam_tensor t, const sam_var *index, src_loc loc,
                        uint8_t *used, diagnostics *d) {
    const sam_tensor_data *data = sam_tensor_at(s, t);
    const char *name = fe_tensor_text(s, t);
    REQUIRE(!used[t.v - 1], loc, "two accesses share the stored tensor %s", name);
    used[t.v - 1] = 1;
    for (uint32_t l = 0; l < data->order; l++) {
        const char *v = fe_var_text(s, index[data->mode[l]]);
        REQUIRE(data->level[l] == SAM_LEVEL_DENSE || data->level[l] == SAM_LEVEL_COMPRESSED, loc,
                "level %u of %s is neither dense nor compressed", l, name);
        for (uint32_t k = 0; k < l; k++)
            REQUIRE(index[data->mode[k]].v != index[data->mode[l]].v, loc, "%s has the index '%s' twice",
                    name, v);
        if (l > 0 &&
            fe_loop_position(s, index[data->mode[l - 1]]) > fe_loop_position(s, index[data->mode[l]]))
            return diag_error(d, loc, "E0115-storage-order",
                              "%s stores '%s' outside of '%s', but loops the other way", name,
                              fe_var_text(s, index[data->mode[l - 1]]), v);
    }
    return true;
}

static bool check_plain_tree(const sam_statement *s, sam_expr e, uint8_t *used, diagnostics *d) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (x->kind == SAM_EXPR_ACCESS)
        return check_plain(s, x->tensor, x->index, x->loc, used, d);
    return (!x->a.v || check_plain_tree(s, x->a, used, d)) && (!x->b.v || check_plain_tree(s, x->b, used, d));
}

bool fe_check_packed(const sam_statement *s, diagnostics *d) {
    if (!fe_check(s, d))
        return false;
    arena scratch = {0};
    uint8_t *used = arena_new_n(&scratch, uint8_t, s->tensors.len + 1);
    bool ok = check_plain(s, s->result, s->result_index, sam_tensor_at(s, s->result)->loc, used, d) &&
              check_plain_tree(s, s->rhs, used, d);
    arena_free(&scratch);
    return ok;
}

bool fe_check_scaled_literals(const sam_statement *s, diagnostics *d) {
    for (uint32_t e = 0; e < s->exprs.len; e++) {
        const sam_expr_data *x = &s->exprs.at[e];
        if (x->kind != SAM_EXPR_LITERAL || fabs(x->literal) <= UINT16_MAX)
            continue;
        diag_error(d, x->loc, "E0127-literal", "%g is too large for a scaled integer", x->literal);
        return diag_hint(d, "compute in floating point with --dtype bf16");
    }
    return true;
}

bool fe_check_literals(const sam_statement *s, uint32_t from, diagnostics *d) {
    for (uint32_t e = from; e < s->exprs.len; e++) {
        const sam_expr_data *x = &s->exprs.at[e];
        if (x->kind != SAM_EXPR_LITERAL ||
            (x->literal <= UINT16_MAX && x->literal == (double)(uint32_t)x->literal))
            continue;
        diag_error(d, x->loc, "E0127-literal", "%g is no 16-bit integer", x->literal);
        return diag_hint(d, "compute in floating point with --dtype bf16");
    }
    return true;
}
