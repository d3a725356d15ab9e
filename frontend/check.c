/* check.c - the invariants of a statement: its parts fit together (E0130), its loops nest as its sums do
 * (E0125), and every tensor is stored in the order of the loops (E0115). */
#include "frontend/fe_int.h"

/* ---- storage order --------------------------------------------------------------------------- */

static bool in_loop_order(const sam_statement *s, sam_tensor t, const sam_var *index) {
    const sam_tensor_data *data = sam_tensor_at(s, t);
    for (uint32_t l = 1; l < data->order; l++) {
        if (fe_loop_position(s, index[data->mode[l - 1]]) > fe_loop_position(s, index[data->mode[l]]))
            return false;
    }
    return true;
}

/* "C:ss:1,0": the levels of t in the order of the loops, each mode keeping its format. */
static const char *fitting_format(const sam_statement *s, sam_tensor t, const sam_var *index, arena *mem) {
    const sam_tensor_data *data = sam_tensor_at(s, t);
    sam_level_format of_mode[SAM_MAX_ORDER];
    for (uint32_t l = 0; l < data->order; l++)
        of_mode[data->mode[l]] = data->level[l];
    char levels[SAM_MAX_ORDER + 1] = {0};
    const char *modes = "";
    uint32_t done = 0;
    for (uint32_t p = 0; p < s->loops.len; p++) {
        for (uint32_t m = 0; m < data->order; m++) {
            if (index[m].v != s->loops.at[p].v)
                continue;
            levels[done] = of_mode[m] == SAM_LEVEL_DENSE ? 'd' : 's';
            modes = arena_printf(mem, "%s%s%u", modes, done++ ? "," : "", m);
        }
    }
    return arena_printf(mem, "%s:%s:%s", fe_tensor_text(s, t), levels, modes);
}

/* after[v - 1]: the variables that some tensor stores outside of v. */
static void add_precedence(const sam_statement *s, sam_tensor t, const sam_var *index, uint64_t *after) {
    const sam_tensor_data *data = sam_tensor_at(s, t);
    for (uint32_t l = 1; l < data->order; l++)
        after[index[data->mode[l]].v - 1] |= (uint64_t)1 << (index[data->mode[l - 1]].v - 1);
}

/* "i,k,j": the order closest to the current loops that fits every tensor as stored, or NULL. Repeatedly takes
 * the first loop that nothing untaken must precede: O(loops^2). */
static const char *fitting_loops(const sam_statement *s, arena *mem) {
    uint64_t after[64] = {0}, taken = 0;
    add_precedence(s, s->result, s->result_index, after);
    for (uint32_t e = 0; e < s->exprs.len; e++) {
        if (s->exprs.at[e].kind == SAM_EXPR_ACCESS)
            add_precedence(s, s->exprs.at[e].tensor, s->exprs.at[e].index, after);
    }
    const char *list = "";
    for (uint32_t n = 0; n < s->loops.len; n++) {
        uint32_t p = 0;
        while (p < s->loops.len) {
            uint32_t v = s->loops.at[p].v - 1;
            if (!(taken >> v & 1) && !(after[v] & ~taken))
                break;
            p++;
        }
        if (p == s->loops.len)
            return NULL;
        taken |= (uint64_t)1 << (s->loops.at[p].v - 1);
        list = arena_printf(mem, "%s%s%s", list, n ? "," : "", fe_var_text(s, s->loops.at[p]));
    }
    return list;
}

static const char *loop_list(const sam_statement *s, arena *mem) {
    const char *list = "";
    for (uint32_t i = 0; i < s->loops.len; i++)
        list = arena_printf(mem, "%s%s%s", list, i ? "," : "", fe_var_text(s, s->loops.at[i]));
    return list;
}

static bool check_storage(const sam_statement *s, sam_tensor t, const sam_var *index, src_loc loc, arena *mem,
                          diagnostics *d) {
    if (in_loop_order(s, t, index))
        return true;
    const sam_tensor_data *data = sam_tensor_at(s, t);
    const char *stored = "";
    for (uint32_t l = 0; l < data->order; l++)
        stored = arena_printf(mem, "%s%s%s", stored, l ? "," : "", fe_var_text(s, index[data->mode[l]]));
    diag_error(d, loc, "E0115-storage-order",
               "%s is stored in the order %s, but the loops run in the order %s",
               fe_access_text(s, t, index, mem), stored, loop_list(s, mem));
    const char *loops = fitting_loops(s, mem);
    const char *format = fitting_format(s, t, index, mem);
    if (loops)
        diag_hint(d,
                  "store it to fit the loops with -f %s, or loop to fit every tensor with -s \"reorder(%s)\"",
                  format, loops);
    else
        diag_hint(d, "store it to fit the loops with -f %s", format);
    return false;
}

/* ---- loops and scopes ------------------------------------------------------------------------ */

/* The first loop of `inner` that is outside of one of `outer`, with that one. */
static bool nested(const sam_statement *s, const fe_vars *outer, const fe_vars *inner, sam_var *wrong,
                   sam_var *around) {
    for (uint32_t i = 0; i < inner->len; i++) {
        for (uint32_t o = 0; o < outer->len; o++) {
            if (fe_loop_position(s, inner->at[i]) < fe_loop_position(s, outer->at[o])) {
                *wrong = inner->at[i];
                *around = outer->at[o];
                return false;
            }
        }
    }
    return true;
}

static bool check_scope(const fe_kernel *k, const fe_scope *scope, arena *mem, diagnostics *d) {
    const sam_statement *s = &k->s;
    fe_vars around_loops = fe_scope_loops(k, scope, mem);
    fe_exprs inner = {0};
    fe_inner_sums(s, scope->body, mem, &inner);
    for (uint32_t i = 0; i < inner.len; i++) {
        fe_scope sum = fe_sum_scope(s, inner.at[i], mem);
        fe_vars loops = fe_scope_loops(k, &sum, mem);
        sam_var wrong, around;
        if (!nested(s, &around_loops, &loops, &wrong, &around)) {
            diag_error(
                d, sam_expr_at(s, inner.at[i])->loc, "E0125-loop-order",
                "the sum over '%s' is only a part of what loop '%s' computes, but loop '%s' is outside of it",
                fe_var_text(s, wrong), fe_var_text(s, around), fe_var_text(s, wrong));
            diag_hint(d, "put the loop of a partial sum inside: -s \"reorder(%s,%s)\"",
                      fe_var_text(s, around), fe_var_text(s, wrong));
            return false;
        }
        if (!check_scope(k, &sum, mem, d))
            return false;
    }
    return true;
}

bool fe_check_nesting(const fe_kernel *k, arena *mem, diagnostics *d) {
    fe_scope outer = fe_outer_scope(&k->s, mem);
    return check_scope(k, &outer, mem, d);
}

bool fe_check_loops(const sam_statement *s, arena *mem, diagnostics *d) {
    if (!fe_check_nesting(&(fe_kernel){.s = *s}, mem, d))
        return false;
    bool ok = check_storage(s, s->result, s->result_index, sam_tensor_at(s, s->result)->loc, mem, d);
    for (uint32_t e = 0; e < s->exprs.len; e++) {
        const sam_expr_data *x = &s->exprs.at[e];
        if (x->kind == SAM_EXPR_ACCESS)
            ok = check_storage(s, x->tensor, x->index, x->loc, mem, d) && ok;
    }
    return ok;
}

/* ---- structure ------------------------------------------------------------------------------- */

#define REQUIRE(condition, loc, ...)                                                                         \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            diag_error(d, loc, "E0130-statement", __VA_ARGS__);                                              \
            return false;                                                                                    \
        }                                                                                                    \
    } while (0)

static bool check_tensor(const sam_statement *s, const sam_tensor_data *t, diagnostics *d) {
    const char *name = names_text(s->names, t->name);
    REQUIRE(*name, t->loc, "a tensor has no name");
    REQUIRE(t->order <= SAM_MAX_ORDER, t->loc, "%s has %u indices", name, t->order);
    uint32_t modes = 0;
    for (uint32_t l = 0; l < t->order; l++) {
        REQUIRE(t->level[l] == SAM_LEVEL_DENSE || t->level[l] == SAM_LEVEL_COMPRESSED, t->loc,
                "level %u of %s has no format", l, name);
        REQUIRE(t->mode[l] < t->order && !(modes >> t->mode[l] & 1), t->loc,
                "the modes of %s are no permutation", name);
        modes |= 1u << t->mode[l];
    }
    return true;
}

/* `index` holds distinct variables of s; adds them to *vars. */
static bool check_index(const sam_statement *s, sam_tensor t, const sam_var *index, src_loc loc,
                        uint64_t *vars, diagnostics *d) {
    REQUIRE(t.v >= 1 && t.v <= s->tensors.len, loc, "an access of no tensor");
    uint64_t own = 0;
    for (uint32_t i = 0; i < sam_tensor_at(s, t)->order; i++) {
        REQUIRE(index[i].v >= 1 && index[i].v <= s->vars.len, loc, "index %u of %s is no variable", i,
                fe_tensor_text(s, t));
        uint64_t bit = (uint64_t)1 << (index[i].v - 1);
        REQUIRE(!(own & bit), loc, "%s has the index '%s' twice", fe_tensor_text(s, t),
                fe_var_text(s, index[i]));
        own |= bit;
    }
    *vars |= own;
    return true;
}

/* What check_tree has met: expressions by handle - 1, variables bound anywhere (bit v - 1). */
typedef struct {
    uint8_t *visited;
    uint64_t bound;
} seen_parts;

/* The tree under e: each expression in one place only, operands as its kind demands, variables bound. */
static bool check_tree(const sam_statement *s, sam_expr e, uint64_t bound, seen_parts *seen, diagnostics *d) {
    const src_loc nowhere = {0};
    REQUIRE(e.v >= 1 && e.v <= s->exprs.len, nowhere, "an operand is missing");
    const sam_expr_data *x = sam_expr_at(s, e);
    REQUIRE(!seen->visited[e.v - 1], x->loc, "an expression is used in two places");
    seen->visited[e.v - 1] = 1;
    seen->bound |= bound;
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
        return check_tree(s, x->a, bound | (uint64_t)1 << (x->var.v - 1), seen, d);
    case SAM_EXPR_NEG:
        return check_tree(s, x->a, bound, seen, d);
    case SAM_EXPR_ADD:
    case SAM_EXPR_SUB:
    case SAM_EXPR_MUL:
    case SAM_EXPR_DIV:
        return check_tree(s, x->a, bound, seen, d) && check_tree(s, x->b, bound, seen, d);
    case SAM_EXPR_NONE:
        break;
    }
    REQUIRE(false, x->loc, "an expression of no kind");
    return false;
}

/* One loop for each bound variable. Others may be left over: one that was split has the loops of its parts.
 */
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

bool fe_check_parts(const sam_statement *s, uint64_t *bound, diagnostics *d) {
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
    seen_parts seen = {.visited = arena_new_n(&scratch, uint8_t, s->exprs.len + 1), .bound = free};
    bool ok = check_tree(s, s->rhs, free, &seen, d);
    arena_free(&scratch);
    *bound = seen.bound;
    return ok;
}

bool fe_check(const sam_statement *s, diagnostics *d) {
    uint64_t bound;
    arena scratch = {0};
    bool ok = fe_check_parts(s, &bound, d) && check_loop_list(s, bound, d) && fe_check_loops(s, &scratch, d);
    arena_free(&scratch);
    return ok;
}
