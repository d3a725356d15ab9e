/* match.c - matching of a described function with a kernel, expression by expression.
 *
 * A list of goals has the pending matches. Each choice - the assignment of a product's operands, the order of
 * a commutative operation's operands - is a branch; a failing branch is undone. Each index of the function is
 * matched with one index of the kernel, everywhere, a reduced index with a reduced one; for a promoted
 * operand with none, and runs over one coordinate. Exponential in operands of a chain.
 */
#include "frontend/match.h"
#include "frontend/rows.h"

static const char SYMMETRIC[] = "symmetric"; /* the only tag derived from expressions */

enum { ONE = INT32_MAX, MOST_STEPS = 1 << 20, MOST_VARS = 64, MOST_GROUPS = 16 };

typedef struct goal {
    const struct goal *next;
    bool chain; /* n operands for n, in any order; otherwise a single expression */
    sam_expr p, s;
    const sam_expr *ps, *ss;
    uint32_t n;
} goal;

typedef struct {
    uint32_t var[MOST_VARS]; /* of the kernel, by the function's - 1; ONE: one coordinate */
    sam_expr operand[MOST_VARS];
    uint64_t ones[MOST_VARS];                                /* by operand: promoted places */
    uint64_t sums_of_p[MOST_GROUPS], sums_of_s[MOST_GROUPS]; /* of matched reductions */
    uint32_t groups;
} matched;

typedef struct {
    const fe_kernel *k;
    const fe_capability *c;
    const sam_statement *p, *s; /* the function's, the kernel's */
    arena *mem;
    fe_match_step level; /* the last checked step */
    bool promotes;       /* any operand, at any place */
    bool sizes;          /* finds sizes of calls that satisfy the conditions */
    bool searches;       /* failures need no report: sizes are tried by the million */
    bool mirrors;        /* the kernel over itself, the result's indices exchanged */
    bool whole;          /* operands are passed whole: nothing is fixed, promoted, or a number */
    bool turns;          /* then: operands tagged symmetric may have exchanged indices, too */
    uint32_t steps;
    matched now;
    uint32_t tile[MOST_VARS]; /* by the function's index - 1; 0: all */
    const char *why;
} matcher;

const char *fe_step_text(fe_match_step step) {
    static const char *const text[] = {"checker", "datatypes", "operators", "index variables", "constraints"};
    return text[step];
}

static bool solve(matcher *m, const goal *g);

static const goal *pair(matcher *m, sam_expr p, sam_expr s, const goal *next) {
    goal *g = arena_new(m->mem, goal);
    *g = (goal){.next = next, .p = p, .s = s};
    return g;
}

static bool is_fixed(const matcher *m, sam_var v) {
    return m->k->binding.fixed >> (v.v - 1) & 1;
}

/* ---- indices ----------------------------------------------------------------------------------- */

static bool assign(matcher *m, sam_var p, uint32_t to) {
    uint32_t *of = &m->now.var[p.v - 1];
    for (uint32_t v = 0; !*of && to != ONE && v < m->p->vars.len; v++) {
        if (m->now.var[v] == to)
            return false;
    }
    *of = *of ? *of : to;
    return *of == to;
}

/* Assigns the kernel's indices to an operand's indices of the function, with one coordinate at the places in
 * `ones`. */
static bool assign_indices(matcher *m, const sam_expr_data *p, const uint32_t *index, uint64_t ones) {
    const uint32_t order = sam_tensor_at(m->p, p->tensor)->order;
    bool ok = true;
    for (uint32_t l = 0, next = 0; ok && l < order; l++)
        ok = assign(m, p->index[l], ones >> l & 1 ? ONE : index[next++]);
    m->now.ones[p->tensor.v - 1] = ones;
    return ok;
}

/* Returns the promoted places of the binding's notes in a tensor of `order` indices. */
static uint64_t promoted_places(const matcher *m, sam_tensor t, uint32_t *order) {
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

static bool is_tagged(const matcher *m, sam_tensor t, const char *tag) {
    bool has = false;
    for (uint32_t i = 0; i < m->k->binding.notes.len; i++) {
        const fe_binding_note *note = &m->k->binding.notes.at[i];
        has = has || (note->kind == FE_TAGGED && name_eq(note->tensor, sam_tensor_at(m->s, t)->name) &&
                      strcmp(names_text(m->s->names, note->tag), tag) == 0);
    }
    return has;
}

/* Matches two operands of the kernel: the same tensor, with indices in order or exchanged. */
static bool mirror_access(matcher *m, const goal *g) {
    const sam_expr_data *p = sam_expr_at(m->p, g->p), *s = sam_expr_at(m->s, g->s);
    if (s->kind != SAM_EXPR_ACCESS || s->tensor.v != p->tensor.v)
        return false;
    const uint32_t order = sam_tensor_at(m->s, s->tensor)->order;
    const bool turns = m->turns && order == 2 && is_tagged(m, s->tensor, SYMMETRIC);
    for (uint32_t turn = 0; turn <= turns; turn++) {
        const matched state = m->now;
        bool ok = true;
        for (uint32_t l = 0; ok && l < order; l++)
            ok = assign(m, p->index[l], s->index[turn ? 1 - l : l].v);
        if (ok && solve(m, g->next))
            return true;
        m->now = state;
    }
    return false;
}

/* Returns whether both the description and the schedule declare an operand symmetric: its indices may then
 * have any order. */
static bool turns_around(const matcher *m, const sam_expr_data *p, const sam_expr_data *s) {
    bool wanted = false;
    for (uint32_t i = 0; i < m->c->tags.len; i++)
        wanted = wanted ||
                 (m->c->tags.at[i].tensor.v == p->tensor.v && strcmp(m->c->tags.at[i].tag, SYMMETRIC) == 0);
    return wanted && s->kind == SAM_EXPR_ACCESS && is_tagged(m, s->tensor, SYMMETRIC);
}

/* An operand's indices matched with the function's, in this order or, from `at` on, in any. */
typedef struct {
    uint32_t index[SAM_MAX_ORDER], n, at;
    uint64_t ones;
} laid;

static bool lay(matcher *m, const goal *g, laid l) {
    const matched state = m->now;
    if (l.at >= l.n && assign_indices(m, sam_expr_at(m->p, g->p), l.index, l.ones) && solve(m, g->next))
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

static bool match_access(matcher *m, const goal *g) {
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
        return solve(m, g->next);
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

static bool has_promotion(const matcher *m) {
    bool has = m->promotes;
    for (uint32_t i = 0; i < m->k->binding.notes.len; i++)
        has = has || m->k->binding.notes.at[i].kind == FE_PROMOTED;
    return has;
}

/* A reduction is an operator. A reduction over an index of one coordinate has none in the kernel. */
static bool match_sums(matcher *m, const goal *g) {
    const uint8_t operation = sam_expr_at(m->p, g->p)->operation;
    sam_expr p = g->p, s = g->s;
    const uint64_t of_p = peel(m->p, &p, operation), of_s = peel(m->s, &s, operation);
    const int more = __builtin_popcountll(of_p) - __builtin_popcountll(of_s);
    if (more < 0 || (more > 0 && !has_promotion(m)) || m->now.groups == MOST_GROUPS)
        return false;
    m->now.sums_of_p[m->now.groups] = of_p;
    m->now.sums_of_s[m->now.groups++] = of_s;
    return solve(m, pair(m, p, s, g->next));
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
static bool match_chain(matcher *m, const goal *g) {
    for (uint32_t i = 0; i < g->n; i++) {
        const matched state = m->now;
        sam_expr *others = arena_new_n(m->mem, sam_expr, g->n);
        memcpy(others, g->ss, i * sizeof *others);
        memcpy(others + i, g->ss + i + 1, (g->n - i - 1) * sizeof *others);
        goal *rest = arena_new(m->mem, goal);
        *rest = (goal){.next = g->next, .chain = true, .ps = g->ps + 1, .ss = others, .n = g->n - 1};
        if (solve(m, pair(m, g->ps[0], g->ss[i], g->n > 1 ? rest : g->next)))
            return true;
        m->now = state;
    }
    return false;
}

static bool match_operands(matcher *m, const goal *g) {
    const sam_expr_data *p = sam_expr_at(m->p, g->p), *s = sam_expr_at(m->s, g->s);
    const sam_operation by = sam_operation_of(p);
    if (sam_operation_of(s) != by || p->program != s->program || !p->b.v != !s->b.v ||
        (sam_takes_fiber(p) && p->var.v))
        return false;
    if (!p->b.v)
        return solve(m, pair(m, p->a, s->a, g->next));
    if (p->program || !sam_operator_of(by, !m->s->integers)->commutative)
        return solve(m, pair(m, p->a, s->a, pair(m, p->b, s->b, g->next)));
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
    const goal chain = {.next = g->next, .chain = true, .ps = ps.at, .ss = ss.at, .n = ps.len};
    return ps.len == ss.len && match_chain(m, &chain);
}

/* ---- conditions -------------------------------------------------------------------------------- */

/* Returns the sums that calls may cut, since their results add up: the sums around the function's right
 * side. */
static uint64_t sums_around(const sam_statement *p) {
    sam_expr body = p->rhs;
    return peel(p, &body, SAM_OPERATION_add);
}

static bool may_cut(const matcher *m, uint32_t p) {
    return sam_is_result_var(m->p, (sam_var){p + 1}) || (sums_around(m->p) >> p & 1);
}

static uint32_t extent_of(const matcher *m, uint32_t p) {
    return m->now.var[p] == ONE ? 1 : sam_var_at(m->s, (sam_var){m->now.var[p]})->extent;
}

/* Evaluates a condition for whole calls and calls at the ends. Bit p of `ends`: index p is at its end. */
static bool holds_at(matcher *m, uint32_t condition, uint64_t ends) {
    uint32_t extent[MOST_VARS] = {0};
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

static bool conditions_hold(matcher *m) {
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
static bool is_of_tagged(const matcher *m, uint32_t p) {
    bool is = false;
    for (uint32_t i = 0; i < m->c->tags.len; i++) {
        const sam_tensor t = m->c->tags.at[i].tensor;
        for (uint32_t l = 0; l < sam_tensor_at(m->p, t)->order; l++)
            is = is || sam_index_of(m->p, t)[l].v == p + 1;
    }
    return is;
}

/* A tag is of all of an operand, and says nothing of its parts: those of a symmetric matrix beside its
 * diagonal are not. */
static bool takes_part(const matcher *m, sam_tensor t) {
    bool part = m->now.ones[t.v - 1] != 0;
    for (uint32_t l = 0; l < sam_tensor_at(m->p, t)->order; l++) {
        const uint32_t p = sam_index_of(m->p, t)[l].v - 1;
        part = part || (m->tile[p] && m->tile[p] != extent_of(m, p));
    }
    return part;
}

static bool has_tags(matcher *m) {
    for (uint32_t i = 0; i < m->c->tags.len; i++) {
        const fe_required_tag *tag = &m->c->tags.at[i];
        const sam_expr operand = m->now.operand[tag->tensor.v - 1];
        const sam_expr_data *x = sam_expr_at(m->s, operand);
        const bool has = x->kind == SAM_EXPR_ACCESS && is_tagged(m, x->tensor, tag->tag);
        if (has && !takes_part(m, tag->tensor))
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
    matcher *m;
    VEC(uint32_t) vars; /* of the function, which are cut */
    bool every;         /* size, also sizes with unequal calls */
    double best;        /* coordinates of a call, of all cut indices */
    uint32_t best_tile[MOST_VARS];
} sizing;

/* Tries sizes from large to small: the product of all remaining extents bounds a branch. */
static void try_sizes(sizing *z, uint32_t at, double product) {
    matcher *m = z->m;
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
    for (uint32_t size = all, parts = 1; size; parts++) {
        const uint32_t equal = (all + parts - 1) / parts;
        m->tile[p] = size;
        try_sizes(z, at + 1, product * size);
        while (!z->every && size > 1 && (all + parts) / (parts + 1) == equal)
            parts++;
        size = z->every || size == 1 ? size - 1 : (all + parts) / (parts + 1);
    }
}

/* Finds the sizes of calls with the largest product: exact up to 2^22 of them. */
static bool find_sizes(matcher *m) {
    sizing z = {.m = m};
    uint64_t all = 1;
    for (uint32_t p = 0; p < m->p->vars.len; p++) {
        const uint32_t extent = extent_of(m, p);
        if (m->now.var[p] == ONE || !may_cut(m, p) || is_of_tagged(m, p) || !extent)
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

/* Returns the images of the function's variables. */
static uint64_t images(const matcher *m, uint64_t of) {
    uint64_t bits = 0;
    for (uint32_t p = 0; p < m->p->vars.len; p++) {
        if ((of >> p & 1) && m->now.var[p] != ONE && m->now.var[p])
            bits |= (uint64_t)1 << (m->now.var[p] - 1);
    }
    return bits;
}

static uint64_t result_vars(const sam_statement *s) {
    uint64_t bits = 0;
    for (uint32_t l = 0; l < sam_tensor_at(s, s->result)->order; l++)
        bits |= (uint64_t)1 << (s->result_index[l].v - 1);
    return bits;
}

/* Takes sizes from split loops. */
static bool take_sizes(matcher *m) {
    memset(m->tile, 0, sizeof m->tile);
    for (uint32_t p = 0; p < m->p->vars.len; p++) {
        const fe_relation *r = m->now.var[p] == ONE ? NULL : fe_replacing(m->k, (sam_var){m->now.var[p]});
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
static bool is_whole(matcher *m) {
    bool is = !m->k->binding.fixed;
    for (uint32_t p = 0; p < m->p->vars.len; p++)
        is = is && m->now.var[p] != ONE;
    for (uint32_t t = 1; t < m->p->tensors.len; t++)
        is = is && sam_expr_at(m->s, m->now.operand[t])->kind == SAM_EXPR_ACCESS;
    if (!m->whole || is)
        return true;
    m->why = "a bitstream is given whole operands: no index is fixed, none promoted, and no operand a number";
    return false;
}

static bool accept(matcher *m) {
    if (m->level == FE_OPERATORS)
        return true;
    const uint64_t fixed = m->k->binding.fixed;
    if ((images(m, result_vars(m->p)) | fixed) != result_vars(m->s) || (images(m, result_vars(m->p)) & fixed))
        return false;
    for (uint32_t g = 0; g < m->now.groups; g++) {
        if (images(m, m->now.sums_of_p[g]) != m->now.sums_of_s[g])
            return false;
    }
    if (m->mirrors)
        return true;
    if (!take_sizes(m) || !is_whole(m))
        return false;
    if (m->level == FE_INDICES)
        return true;
    return has_tags(m) && (conditions_hold(m) || (m->sizes && find_sizes(m)));
}

static bool solve(matcher *m, const goal *g) {
    const matched state = m->now;
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
            ok = s->kind == SAM_EXPR_LITERAL && s->literal == p->literal && solve(m, g->next);
        else
            ok = s->kind != SAM_EXPR_SUM && s->a.v && match_operands(m, g);
    }
    if (!ok)
        m->now = state;
    return ok;
}

static bool reaches(matcher *m, fe_match_step level) {
    m->level = level;
    m->steps = 0;
    m->why = NULL;
    memset(&m->now, 0, sizeof m->now);
    return solve(m, pair(m, m->p->rhs, m->s->rhs, NULL));
}

static matcher matcher_of(const fe_kernel *k, const fe_user_function *f, arena *mem) {
    return (matcher){.k = k,
                     .c = &f->described->states,
                     .p = &f->described->states.s,
                     .s = &k->s,
                     .whole = f->described->bitstream != NULL,
                     .mem = mem};
}

/* Returns the first failing step. */
static fe_mismatch judge(matcher *m) {
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
    matcher m = matcher_of(k, f, mem);
    const fe_mismatch what = judge(&m);
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
        out->var[p].v = m.now.var[p] == ONE ? 0 : m.now.var[p];
        out->tile[p] = m.tile[p];
    }
    memcpy(out->operand, m.now.operand, tensors * sizeof *out->operand);
    return what;
}

/* ---- tags that follow ---------------------------------------------------------------------------- */

/* Returns whether the values come only from sums and products: other operations, such as masks, depend on the
 * stored places, and zeros of a symmetric operand may be stored on one side only. */
static bool is_polynomial(const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    return x->kind != SAM_EXPR_CALL && x->kind != SAM_EXPR_DIV && !x->operation &&
           (!x->a.v || is_polynomial(s, x->a)) && (!x->b.v || is_polynomial(s, x->b));
}

/* Returns whether a kernel is unchanged by exchanging the two indices of its result: its expression with
 * exchanged indices matches itself. No sum of bf16 then changes its order. */
static bool is_symmetric(const fe_kernel *k, arena *mem) {
    const sam_statement *s = &k->s;
    matcher m = {.k = k, .p = s, .s = s, .mem = mem, .level = FE_INDICES, .mirrors = true};
    const sam_var a = s->result_index[0], b = s->result_index[1];
    if (sam_tensor_at(s, s->result)->order != 2 || a.v == b.v || s->vars.len > MOST_VARS)
        return false;
    m.turns = is_polynomial(s, s->rhs);
    for (uint32_t v = 1; v <= s->vars.len && !s->integers; v++)
        m.now.var[v - 1] = v;
    m.now.var[a.v - 1] = b.v;
    m.now.var[b.v - 1] = a.v;
    return solve(&m, pair(&m, s->rhs, s->rhs, NULL));
}

/* Returns whether a rule matches a kernel's computation, with the result's indices in the same order. */
static bool follows(const fe_kernel *k, const fe_user_function *rule, arena *mem) {
    sam_binding by;
    const sam_statement *p = &rule->described->states.s;
    bool is =
        !rule->other_type && k->s.vars.len <= MOST_VARS && fe_match(k, rule, mem, &by).step == FE_MATCHED;
    for (uint32_t l = 0; is && l < sam_tensor_at(p, p->result)->order; l++)
        is = by.var[p->result_index[l].v - 1].v == k->s.result_index[l].v;
    return is;
}

/* State of the search for a binding's workspaces. */
typedef struct {
    const fe_kernel *reads;
    fe_binding all, *said;
    arena *mem;
} deriving;

static void add_tag(deriving *t, const sam_statement *s, const char *tag) {
    const fe_binding_note note = {
        .kind = FE_TAGGED, .tensor = sam_tensor_at(s, s->result)->name, .tag = names_intern(s->names, tag)};
    vec_push(t->mem, &t->all.notes, note);
    if (fe_find_tensor(&t->reads->s, note.tensor).v)
        vec_push(t->mem, &t->said->notes, note);
}

void fe_derive_tags(const fe_cin *cin, const fe_kernel *reads, const fe_functions *rules, arena *mem,
                    fe_binding *said) {
    deriving t = {.reads = reads, .said = said, .mem = mem};
    for (uint32_t i = 0; i < said->notes.len; i++) {
        if (said->notes.at[i].kind == FE_TAGGED)
            vec_push(mem, &t.all.notes, said->notes.at[i]);
    }
    for (uint32_t n = 0; n + 1 < cin->kernels.len; n++) {
        fe_kernel k = cin->kernels.at[n];
        k.binding = (fe_binding){.notes = t.all.notes};
        if (is_symmetric(&k, mem))
            add_tag(&t, &k.s, SYMMETRIC);
        for (uint32_t i = 0; rules && i < rules->all.len; i++) {
            const fe_user_function *f = &rules->all.at[i];
            if (f->described && f->described->rule && follows(&k, f, mem))
                add_tag(&t, &k.s, f->described->rule);
        }
    }
}

/* ---- map --------------------------------------------------------------------------------------- */

static void note_promotions(const matcher *m, fe_kernel *k) {
    for (uint32_t t = 1; t < m->p->tensors.len; t++) {
        const sam_expr_data *x = sam_expr_at(m->s, m->now.operand[t]);
        for (uint32_t place = 0; x->kind == SAM_EXPR_ACCESS && place < SAM_MAX_ORDER; place++) {
            if (m->now.ones[t] >> place & 1)
                vec_push(m->mem, &k->binding.notes,
                         ((fe_binding_note){.kind = FE_PROMOTED,
                                            .tensor = sam_tensor_at(m->s, x->tensor)->name,
                                            .position = place}));
        }
    }
}

/* Stores the match in a kernel if valid. */
static bool say(const matcher *m, const fe_user_function *f, fe_kernel *k) {
    fe_kernel as = *k;
    sam_binding unused;
    fe_copy_statement(&k->s, k->s.mem, &as.s);
    as.binding.notes.at = NULL;
    as.binding.notes.len = as.binding.notes.cap = 0;
    for (uint32_t i = 0; i < k->binding.notes.len; i++) {
        if (k->binding.notes.at[i].kind == FE_TAGGED)
            vec_push(m->mem, &as.binding.notes, k->binding.notes.at[i]);
    }
    note_promotions(m, &as);
    for (uint32_t p = 0; p < m->p->vars.len; p++) {
        if (m->tile[p] && m->now.var[p] != ONE && k->s.vars.len + 2 <= MOST_VARS)
            fe_split_loop(&as, (sam_var){m->now.var[p]}, m->tile[p], m->mem);
    }
    if (fe_match(&as, f, m->mem, &unused).step != FE_MATCHED)
        return false;
    *k = as;
    return true;
}

fe_mismatch fe_find_mapping(fe_kernel *k, const fe_user_function *f, arena *mem) {
    const uint64_t vars = result_vars(&k->s);
    fe_mismatch best = {0};
    const fe_kernel given = *k;
    for (int fixed = 0; fixed <= __builtin_popcountll(vars); fixed++) {
        for (uint64_t some = vars;; some = (some - 1) & vars) {
            for (int promotes = 0; promotes < 2 && __builtin_popcountll(some) == fixed; promotes++) {
                *k = given;
                k->binding.fixed |= some;
                matcher m = matcher_of(k, f, mem);
                m.promotes = promotes;
                m.sizes = true;
                const fe_mismatch what = judge(&m);
                if (what.step == FE_MATCHED && say(&m, f, k))
                    return what;
                best = what.step > best.step && what.step != FE_MATCHED ? what : best;
            }
            if (!some)
                break;
        }
    }
    *k = given;
    return best;
}

/* ---- kernels of bitstreams ---------------------------------------------------------------------- */

/* Puts a tensor of the function in place of one of the kernel's. A second operand of the same tensor is a
 * view, since its storage may differ. */
static void stand_for(sam_statement *s, sam_tensor at, const sam_tensor_data *as) {
    const sam_tensor_data stated = *sam_tensor_at(s, at);
    sam_tensor_data *data = sam_tensor_at(s, at);
    const name_id source = sam_stored_name(as);
    bool again = false;
    for (uint32_t t = 1; t < at.v; t++)
        again = again || name_eq(s->tensors.at[t - 1].name, as->name);
    *data = *as;
    memcpy(data->level, stated.level, sizeof data->level);
    memcpy(data->mode, stated.mode, sizeof data->mode);
    data->blocked = false;
    if (!again)
        return;
    data->name = fe_copy_name(s, as->name);
    if (as->view.source.v)
        return;
    data->view = (sam_view){.source = source, .source_order = as->order};
    for (uint32_t m = 0; m < as->order; m++) {
        data->view.from[m].mode = data->view.equal[m] = (uint8_t)m;
        data->view.from[m].divide = 1;
    }
}

sam_tensor fe_as_stated(const fe_kernel *k, const sam_binding *by, arena *mem, fe_kernel *out) {
    const sam_statement *p = by->pattern, *s = &k->s;
    sam_tensor other = {0};
    *out = (fe_kernel){.ordered = true, .binding = k->binding};
    fe_copy_statement(p, mem, &out->s);
    for (uint32_t v = 0; v < p->vars.len; v++)
        out->s.vars.at[v] = *sam_var_at(s, by->var[v]);
    for (uint32_t t = 1; t <= p->tensors.len; t++) {
        const sam_tensor of = t == p->result.v ? s->result : sam_expr_at(s, by->operand[t - 1])->tensor;
        const uint16_t fill = p->tensors.at[t - 1].fill;
        stand_for(&out->s, (sam_tensor){t}, sam_tensor_at(s, of));
        other = other.v || sam_tensor_at(s, of)->fill == fill ? other : of;
    }
    return other;
}
