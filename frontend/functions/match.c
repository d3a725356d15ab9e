/* match.c - matching of a described function with a kernel, expression by expression.
 *
 * A list of goals has the pending matches. Each choice - the assignment of a product's operands, the order of
 * a commutative operation's operands - is a branch; a failing branch is undone. Each index of the function is
 * matched with one index of the kernel, everywhere, a reduced index with a reduced one; for a promoted
 * operand with none, and runs over one coordinate. Exponential in operands of a chain.
 */
#include "frontend/functions/capability.h"
#include "frontend/functions/match_int.h"
#include "frontend/language/cin_dump.h"
#include "frontend/language/relations.h"
#include "frontend/language/statement.h"

const char FE_SYMMETRIC[] = "symmetric"; /* the only tag derived from expressions */

enum { MOST_STEPS = 1 << 20 };

const char *fe_step_text(fe_match_step step) {
    static const char *const text[] = {"checker", "datatypes", "operators", "index variables", "constraints"};
    return text[step];
}

const fe_goal *fe_match_pair(fe_matcher *m, sam_expr p, sam_expr s, const fe_goal *next) {
    fe_goal *g = arena_new(m->mem, fe_goal);
    *g = (fe_goal){.next = next, .p = p, .s = s};
    return g;
}

static bool is_fixed(const fe_matcher *m, sam_var v) {
    return m->k->binding.fixed >> (v.v - 1) & 1;
}

/* ---- indices ----------------------------------------------------------------------------------- */

static bool assign(fe_matcher *m, sam_var p, uint32_t to) {
    uint32_t *of = &m->now.var[p.v - 1];
    for (uint32_t v = 0; !*of && to != FE_ONE && v < m->p->vars.len; v++) {
        if (m->now.var[v] == to)
            return false;
    }
    *of = *of ? *of : to;
    return *of == to;
}

/* Assigns the kernel's indices to an operand's indices of the function, with one coordinate at the places in
 * `ones`. */
static bool assign_indices(fe_matcher *m, const sam_expr_data *p, const uint32_t *index, uint64_t ones) {
    const uint32_t order = sam_tensor_at(m->p, p->tensor)->order;
    bool ok = true;
    for (uint32_t l = 0, next = 0; ok && l < order; l++)
        ok = assign(m, p->index[l], ones >> l & 1 ? FE_ONE : index[next++]);
    m->now.ones[p->tensor.v - 1] = ones;
    return ok;
}

/* Returns the promoted places of the binding's notes in a tensor of `order` indices. */
static uint64_t promoted_places(const fe_matcher *m, sam_tensor t, uint32_t *order) {
    uint64_t ones = 0;
    for (uint32_t i = 0; i < m->k->binding.notes.len; i++) {
        const fe_binding_note *note = &m->k->binding.notes.at[i];
        if (note->kind != FE_PROMOTED || !name_eq(note->tensor, sam_tensor_at(m->s, t)->name))
            continue;
        const uint64_t below = ((uint64_t)1 << note->position) - 1;
        ones = (ones & below) | (uint64_t)1 << note->position | (ones & ~below) << 1;
        ++*order;
    }
    return ones;
}

static bool is_tagged(const fe_matcher *m, sam_tensor t, const char *tag) {
    bool has = false;
    for (uint32_t i = 0; i < m->k->binding.notes.len; i++) {
        const fe_binding_note *note = &m->k->binding.notes.at[i];
        has = has || (note->kind == FE_TAGGED && name_eq(note->tensor, sam_tensor_at(m->s, t)->name) &&
                      strcmp(names_text(m->s->names, note->tag), tag) == 0);
    }
    return has;
}

/* Matches two operands of the kernel: the same tensor, with indices in order or exchanged. */
static bool mirror_access(fe_matcher *m, const fe_goal *g) {
    const sam_expr_data *p = sam_expr_at(m->p, g->p), *s = sam_expr_at(m->s, g->s);
    if (s->kind != SAM_EXPR_ACCESS || s->tensor.v != p->tensor.v)
        return false;
    const uint32_t order = sam_tensor_at(m->s, s->tensor)->order;
    const bool turns = m->turns && order == 2 && is_tagged(m, s->tensor, FE_SYMMETRIC);
    for (uint32_t turn = 0; turn <= turns; turn++) {
        const fe_matched state = m->now;
        bool ok = true;
        for (uint32_t l = 0; ok && l < order; l++)
            ok = assign(m, p->index[l], s->index[turn ? 1 - l : l].v);
        if (ok && fe_solve(m, g->next))
            return true;
        m->now = state;
    }
    return false;
}

/* Returns whether both the description and the schedule declare an operand symmetric: its indices may then
 * have any order. */
static bool turns_around(const fe_matcher *m, const sam_expr_data *p, const sam_expr_data *s) {
    bool wanted = false;
    for (uint32_t i = 0; i < m->c->tags.len; i++)
        wanted = wanted || (m->c->tags.at[i].tensor.v == p->tensor.v &&
                            strcmp(m->c->tags.at[i].tag, FE_SYMMETRIC) == 0);
    return wanted && s->kind == SAM_EXPR_ACCESS && is_tagged(m, s->tensor, FE_SYMMETRIC);
}

/* An operand's indices matched with the function's, in this order or, from `at` on, in any. */
typedef struct {
    uint32_t index[SAM_MAX_ORDER], n, at;
    uint64_t ones;
} laid;

static bool lay(fe_matcher *m, const fe_goal *g, laid l) {
    const fe_matched state = m->now;
    if (l.at >= l.n && assign_indices(m, sam_expr_at(m->p, g->p), l.index, l.ones) && fe_solve(m, g->next))
        return true;
    m->now = state;
    for (uint32_t i = l.at; i < l.n; i++) {
        laid other = l;
        other.index[l.at] = l.index[i];
        other.index[i] = l.index[l.at];
        other.at++;
        if (lay(m, g, other))
            return true;
    }
    return false;
}

static bool match_access(fe_matcher *m, const fe_goal *g) {
    if (m->mirrors)
        return mirror_access(m, g);
    const sam_expr_data *p = sam_expr_at(m->p, g->p), *s = sam_expr_at(m->s, g->s);
    const uint32_t order = sam_tensor_at(m->p, p->tensor)->order;
    const sam_expr before = m->now.operand[p->tensor.v - 1];
    laid l = {.n = 0};
    if (s->kind != SAM_EXPR_ACCESS && (s->kind != SAM_EXPR_LITERAL || order))
        return false;
    const sam_expr_data *other = before.v ? sam_expr_at(m->s, before) : s;
    if (other->kind != s->kind || other->tensor.v != s->tensor.v || other->literal != s->literal ||
        memcmp(other->index, s->index, sizeof s->index) != 0)
        return false;
    m->now.operand[p->tensor.v - 1] = g->s;
    if (m->level == FE_OPERATORS)
        return fe_solve(m, g->next);
    for (uint32_t i = 0; s->kind == SAM_EXPR_ACCESS && i < sam_tensor_at(m->s, s->tensor)->order; i++) {
        if (!is_fixed(m, s->index[i]))
            l.index[l.n++] = s->index[i].v;
    }
    uint32_t has = l.n;
    l.at = turns_around(m, p, s) ? 0 : l.n;
    l.ones = s->kind == SAM_EXPR_ACCESS ? promoted_places(m, s->tensor, &has) : 0;
    if (!m->promotes)
        return has == order && lay(m, g, l);
    for (l.ones = 0; l.ones < (uint64_t)1 << order; l.ones++) {
        if (l.n + (uint32_t)__builtin_popcountll(l.ones) == order && lay(m, g, l))
            return true;
    }
    return false;
}

/* ---- operations -------------------------------------------------------------------------------- */

/* Removes reductions by one operation; returns their variables. */
static uint64_t peel(const sam_statement *s, sam_expr *e, uint8_t operation) {
    uint64_t vars = 0;
    for (const sam_expr_data *x; (x = sam_expr_at(s, *e))->kind == SAM_EXPR_SUM && x->operation == operation;
         *e = x->a)
        vars |= (uint64_t)1 << (x->var.v - 1);
    return vars;
}

static bool has_promotion(const fe_matcher *m) {
    bool has = m->promotes;
    for (uint32_t i = 0; i < m->k->binding.notes.len; i++)
        has = has || m->k->binding.notes.at[i].kind == FE_PROMOTED;
    return has;
}

/* A reduction is an operator. A reduction over an index of one coordinate has none in the kernel. */
static bool match_sums(fe_matcher *m, const fe_goal *g) {
    const uint8_t operation = sam_expr_at(m->p, g->p)->operation;
    sam_expr p = g->p, s = g->s;
    const uint64_t of_p = peel(m->p, &p, operation), of_s = peel(m->s, &s, operation);
    const int more = __builtin_popcountll(of_p) - __builtin_popcountll(of_s);
    if (more < 0 || (more > 0 && !has_promotion(m)) || m->now.groups == FE_MOST_GROUPS)
        return false;
    m->now.sums_of_p[m->now.groups] = of_p;
    m->now.sums_of_s[m->now.groups++] = of_s;
    return fe_solve(m, fe_match_pair(m, p, s, g->next));
}

static void collect(const sam_statement *s, sam_expr e, sam_operation by, arena *mem, fe_exprs *out) {
    const sam_expr_data *x = sam_expr_at(s, e);
    const bool operation = x->a.v && x->b.v && !x->program;
    if (operation && sam_operation_of(x) == by) {
        collect(s, x->a, by, mem, out);
        collect(s, x->b, by, mem, out);
    } else {
        vec_push(mem, out, e);
    }
}

/* Lays the first of the function's operands over each of the kernel's. */
static bool match_chain(fe_matcher *m, const fe_goal *g) {
    for (uint32_t i = 0; i < g->n; i++) {
        const fe_matched state = m->now;
        sam_expr *others = arena_new_n(m->mem, sam_expr, g->n);
        memcpy(others, g->ss, i * sizeof *others);
        memcpy(others + i, g->ss + i + 1, (g->n - i - 1) * sizeof *others);
        fe_goal *rest = arena_new(m->mem, fe_goal);
        *rest = (fe_goal){.next = g->next, .chain = true, .ps = g->ps + 1, .ss = others, .n = g->n - 1};
        if (fe_solve(m, fe_match_pair(m, g->ps[0], g->ss[i], g->n > 1 ? rest : g->next)))
            return true;
        m->now = state;
    }
    return false;
}

static bool match_operands(fe_matcher *m, const fe_goal *g) {
    const sam_expr_data *p = sam_expr_at(m->p, g->p), *s = sam_expr_at(m->s, g->s);
    const sam_operation by = sam_operation_of(p);
    if (sam_operation_of(s) != by || p->program != s->program || !p->b.v != !s->b.v ||
        (sam_takes_fiber(p) && p->var.v))
        return false;
    if (!p->b.v)
        return fe_solve(m, fe_match_pair(m, p->a, s->a, g->next));
    if (p->program || !sam_operator_of(by, !m->s->integers)->commutative)
        return fe_solve(m, fe_match_pair(m, p->a, s->a, fe_match_pair(m, p->b, s->b, g->next)));
    const bool exact = m->s->integers || !m->mirrors,
               associative = exact && (by == SAM_OPERATION_add || by == SAM_OPERATION_mul);
    fe_exprs ps = {0}, ss = {0};
    if (associative) {
        collect(m->p, g->p, by, m->mem, &ps);
        collect(m->s, g->s, by, m->mem, &ss);
    } else {
        vec_push(m->mem, &ps, p->a);
        vec_push(m->mem, &ps, p->b);
        vec_push(m->mem, &ss, s->a);
        vec_push(m->mem, &ss, s->b);
    }
    const fe_goal chain = {.next = g->next, .chain = true, .ps = ps.at, .ss = ss.at, .n = ps.len};
    return ps.len == ss.len && match_chain(m, &chain);
}

/* ---- conditions -------------------------------------------------------------------------------- */

/* Returns the sums that calls may cut, since their results add up: the sums around the function's right
 * side. */
static uint64_t sums_around(const sam_statement *p) {
    sam_expr body = p->rhs;
    return peel(p, &body, SAM_OPERATION_add);
}

static bool may_cut(const fe_matcher *m, uint32_t p) {
    return sam_is_result_var(m->p, (sam_var){p + 1}) || (sums_around(m->p) >> p & 1);
}

static uint32_t extent_of(const fe_matcher *m, uint32_t p) {
    return m->now.var[p] == FE_ONE ? 1 : sam_var_at(m->s, (sam_var){m->now.var[p]})->extent;
}

/* Evaluates a condition for whole calls and calls at the ends. Bit p of `ends`: index p is at its end. */
static bool holds_at(fe_matcher *m, uint32_t condition, uint64_t ends) {
    uint32_t extent[FE_MOST_VARS] = {0};
    const uint64_t vars = fe_condition_vars(m->c, condition);
    for (uint32_t p = 0; p < m->p->vars.len; p++) {
        const uint32_t all = extent_of(m, p), tile = m->tile[p];
        extent[p] = !tile || (all && all < tile) ? all : tile;
        if (ends >> p & 1)
            extent[p] = all % tile;
        if (!extent[p] && (vars >> p & 1)) {
            m->why = arena_printf(m->mem, "nothing says how far '%s' goes, which %s needs",
                                  fe_var_text(m->s, (sam_var){m->now.var[p]}),
                                  fe_condition_text(m->c, condition, m->mem));
            return false;
        }
    }
    if (fe_condition_value(m->c, condition, extent))
        return true;
    if (m->searches)
        return false;
    const char *text = fe_condition_text(m->c, condition, m->mem), *where = "";
    for (uint32_t p = 0; p < m->p->vars.len; p++) {
        if (vars >> p & 1)
            where = arena_printf(m->mem, "%s%s%s is %u", where, *where ? ", " : "",
                                 fe_var_text(m->p, (sam_var){p + 1}), extent[p]);
    }
    m->why = arena_printf(m->mem, "%s does not hold, where %s", text, where);
    return false;
}

static bool conditions_hold(fe_matcher *m) {
    uint64_t cut = 0;
    for (uint32_t p = 0; p < m->p->vars.len; p++) {
        const uint32_t all = extent_of(m, p);
        if (m->tile[p] && all > m->tile[p] && all % m->tile[p])
            cut |= (uint64_t)1 << p;
    }
    for (uint32_t i = 0; i < m->c->conditions.len; i++) {
        const uint32_t condition = m->c->conditions.at[i];
        const uint64_t of = cut & fe_condition_vars(m->c, condition);
        for (uint64_t ends = of;; ends = (ends - 1) & of) {
            if (!holds_at(m, condition, ends))
                return false;
            if (!ends)
                break;
        }
    }
    return true;
}

/* Returns whether an index belongs to an operand that needs a tag. */
static bool is_of_tagged(const fe_matcher *m, uint32_t p) {
    bool is = false;
    for (uint32_t i = 0; i < m->c->tags.len; i++) {
        const sam_tensor t = m->c->tags.at[i].tensor;
        for (uint32_t l = 0; l < sam_tensor_at(m->p, t)->order; l++)
            is = is || sam_index_of(m->p, t)[l].v == p + 1;
    }
    return is;
}

/* A tag is of all of an operand, and says nothing of what is cut: tiles of a symmetric matrix beside its
 * diagonal are not. */
static bool is_cut(const fe_matcher *m, sam_tensor t) {
    bool cut = m->now.ones[t.v - 1] != 0;
    for (uint32_t l = 0; l < sam_tensor_at(m->p, t)->order; l++) {
        const uint32_t p = sam_index_of(m->p, t)[l].v - 1;
        cut = cut || (m->tile[p] && m->tile[p] != extent_of(m, p));
    }
    return cut;
}

static bool has_tags(fe_matcher *m) {
    for (uint32_t i = 0; i < m->c->tags.len; i++) {
        const fe_required_tag *tag = &m->c->tags.at[i];
        const sam_expr operand = m->now.operand[tag->tensor.v - 1];
        const sam_expr_data *x = sam_expr_at(m->s, operand);
        const bool has = x->kind == SAM_EXPR_ACCESS && is_tagged(m, x->tensor, tag->tag);
        if (has && !is_cut(m, tag->tensor))
            continue;
        m->why =
            arena_printf(m->mem,
                         has ? "%s is a part of %s in each call, and no part has the tag '%s'"
                             : "%s is %s, which has no tag '%s'",
                         fe_tensor_text(m->p, tag->tensor), fe_expr_text(m->k, operand, m->mem), tag->tag);
        return false;
    }
    return true;
}

/* ---- sizes of calls ------------------------------------------------------------------------------ */

typedef struct {
    fe_matcher *m;
    VEC(uint32_t) vars; /* of the function, which are cut */
    bool every;         /* size, also sizes with unequal calls */
    double best;        /* coordinates of a call, of all cut indices */
    uint32_t best_tile[FE_MOST_VARS];
} sizing;

/* Tries sizes from large to small: the product of all remaining extents bounds a branch. */
static void try_sizes(sizing *z, uint32_t at, double product) {
    fe_matcher *m = z->m;
    double most = product;
    for (uint32_t i = at; i < z->vars.len; i++)
        most *= extent_of(m, z->vars.at[i]);
    if (most <= z->best)
        return;
    if (at == z->vars.len) {
        if (conditions_hold(m)) {
            z->best = product;
            memcpy(z->best_tile, m->tile, sizeof m->tile);
        }
        return;
    }
    const uint32_t p = z->vars.at[at], all = extent_of(m, p);
    for (uint32_t size = all, calls = 1; size; calls++) {
        const uint32_t equal = (all + calls - 1) / calls;
        m->tile[p] = size;
        try_sizes(z, at + 1, product * size);
        while (!z->every && size > 1 && (all + calls) / (calls + 1) == equal)
            calls++;
        size = z->every || size == 1 ? size - 1 : (all + calls) / (calls + 1);
    }
}

/* Finds the sizes of calls with the largest product: exact up to 2^22 of them. */
static bool find_sizes(fe_matcher *m) {
    sizing z = {.m = m};
    uint64_t all = 1;
    for (uint32_t p = 0; p < m->p->vars.len; p++) {
        const uint32_t extent = extent_of(m, p);
        if (m->now.var[p] == FE_ONE || !may_cut(m, p) || is_of_tagged(m, p) || !extent)
            continue;
        vec_push(m->mem, &z.vars, p);
        all = all > (1 << 22) ? all : all * extent;
    }
    z.every = all <= 1 << 22;
    const char *why = m->why;
    m->searches = true;
    try_sizes(&z, 0, 1);
    m->searches = false;
    memcpy(m->tile, z.best_tile, sizeof m->tile);
    for (uint32_t p = 0; z.best > 0 && p < m->p->vars.len; p++)
        m->tile[p] = m->tile[p] < extent_of(m, p) ? m->tile[p] : 0;
    m->why = z.best > 0 ? NULL : why;
    return z.best > 0;
}

/* ---- the whole --------------------------------------------------------------------------------- */

/* Returns the kernel's variables that match the function's variables. */
static uint64_t matched_vars(const fe_matcher *m, uint64_t of) {
    uint64_t bits = 0;
    for (uint32_t p = 0; p < m->p->vars.len; p++) {
        if ((of >> p & 1) && m->now.var[p] != FE_ONE && m->now.var[p])
            bits |= (uint64_t)1 << (m->now.var[p] - 1);
    }
    return bits;
}

uint64_t fe_result_vars(const sam_statement *s) {
    uint64_t bits = 0;
    for (uint32_t l = 0; l < sam_tensor_at(s, s->result)->order; l++)
        bits |= (uint64_t)1 << (s->result_index[l].v - 1);
    return bits;
}

/* Takes sizes from split loops. */
static bool take_sizes(fe_matcher *m) {
    memset(m->tile, 0, sizeof m->tile);
    for (uint32_t p = 0; p < m->p->vars.len; p++) {
        const fe_relation *r = m->now.var[p] == FE_ONE ? NULL : fe_replacing(m->k, (sam_var){m->now.var[p]});
        const uint32_t all = extent_of(m, p);
        if (!r)
            continue;
        m->tile[p] = r->kind == FE_SPLIT ? r->number : (all + r->number - 1) / r->number;
        if (!may_cut(m, p)) {
            m->why = arena_printf(m->mem, "'%s' is split, and the parts of what it reduces do not add up",
                                  fe_var_text(m->s, r->var[0]));
            return false;
        }
    }
    return true;
}

/* A bitstream reads operands of the same order, and has a loop for each index. */
static bool is_whole(fe_matcher *m) {
    bool is = !m->k->binding.fixed;
    for (uint32_t p = 0; p < m->p->vars.len; p++)
        is = is && m->now.var[p] != FE_ONE;
    for (uint32_t t = 1; t < m->p->tensors.len; t++)
        is = is && sam_expr_at(m->s, m->now.operand[t])->kind == SAM_EXPR_ACCESS;
    if (!m->whole || is)
        return true;
    m->why = "a bitstream is given whole operands: no index is fixed, none promoted, and no operand a number";
    return false;
}

static bool accept(fe_matcher *m) {
    if (m->level == FE_OPERATORS)
        return true;
    const uint64_t fixed = m->k->binding.fixed;
    if ((matched_vars(m, fe_result_vars(m->p)) | fixed) != fe_result_vars(m->s) ||
        (matched_vars(m, fe_result_vars(m->p)) & fixed))
        return false;
    for (uint32_t g = 0; g < m->now.groups; g++) {
        if (matched_vars(m, m->now.sums_of_p[g]) != m->now.sums_of_s[g])
            return false;
    }
    if (m->mirrors)
        return true;
    if (!take_sizes(m) || !is_whole(m))
        return false;
    return m->level == FE_INDICES || (has_tags(m) && (conditions_hold(m) || (m->sizes && find_sizes(m))));
}

bool fe_solve(fe_matcher *m, const fe_goal *g) {
    const fe_matched state = m->now;
    if (!g)
        return accept(m);
    if (++m->steps > MOST_STEPS)
        return false;
    bool ok;
    if (g->chain) {
        ok = match_chain(m, g);
    } else {
        const sam_expr_data *p = sam_expr_at(m->p, g->p), *s = sam_expr_at(m->s, g->s);
        if (p->kind == SAM_EXPR_SUM)
            ok = match_sums(m, g);
        else if (p->kind == SAM_EXPR_ACCESS)
            ok = match_access(m, g);
        else if (p->kind == SAM_EXPR_LITERAL)
            ok = s->kind == SAM_EXPR_LITERAL && s->literal == p->literal && fe_solve(m, g->next);
        else
            ok = s->kind != SAM_EXPR_SUM && s->a.v && match_operands(m, g);
    }
    if (!ok)
        m->now = state;
    return ok;
}

static bool reaches(fe_matcher *m, fe_match_step level) {
    m->level = level;
    m->steps = 0;
    m->why = NULL;
    memset(&m->now, 0, sizeof m->now);
    return fe_solve(m, fe_match_pair(m, m->p->rhs, m->s->rhs, NULL));
}

fe_matcher fe_matcher_of(const fe_kernel *k, const fe_user_function *f, arena *mem) {
    return (fe_matcher){.k = k,
                        .c = &f->described->states,
                        .p = &f->described->states.s,
                        .s = &k->s,
                        .whole = f->described->bitstream != NULL,
                        .mem = mem};
}

fe_mismatch fe_judge(fe_matcher *m) {
    const char *text = fe_capability_text(m->c, m->mem);
    if (!reaches(m, FE_OPERATORS))
        return (fe_mismatch){FE_OPERATORS, arena_printf(m->mem, "they are not those of %s", text)};
    if (!reaches(m, FE_INDICES))
        return (fe_mismatch){FE_INDICES,
                             m->why ? m->why : arena_printf(m->mem, "none match those of %s", text)};
    if (!reaches(m, FE_CONSTRAINTS))
        return (fe_mismatch){FE_CONSTRAINTS, m->why ? m->why : "there are too many ways to match it"};
    return (fe_mismatch){.step = FE_MATCHED};
}

fe_mismatch fe_match(const fe_kernel *k, const fe_user_function *f, arena *mem, sam_binding *out) {
    fe_matcher m = fe_matcher_of(k, f, mem);
    const fe_mismatch what = fe_judge(&m);
    const uint32_t vars = m.p->vars.len, tensors = m.p->tensors.len;
    if (what.step != FE_MATCHED)
        return what;
    *out = (sam_binding){.name = f->name,
                         .pattern = m.p,
                         .var = arena_new_n(mem, sam_var, vars + 1),
                         .tile = arena_new_n(mem, uint32_t, vars + 1),
                         .operand = arena_new_n(mem, sam_expr, tensors),
                         .fixed = k->binding.fixed};
    for (uint32_t p = 0; p < vars; p++) {
        out->var[p].v = m.now.var[p] == FE_ONE ? 0 : m.now.var[p];
        out->tile[p] = m.tile[p];
    }
    memcpy(out->operand, m.now.operand, tensors * sizeof *out->operand);
    return what;
}
