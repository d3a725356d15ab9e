/* coordinates.c - the coordinate algebra of an expression, derived from the properties of its operators, and
 * its fold.
 *
 * The cases are tried in order of increasing coordinate sets: an explicit algebra, an annihilator,
 * idempotence, an identity, constant propagation, everything. In each case the set keeps the promise of
 * coordinates.h if the arguments' sets do: outside of the set enough arguments have their fill, and the
 * property, or f of all fills, decides the value.
 */
#include "sam/coordinates.h"

/* ---- sets ------------------------------------------------------------------------------------ */

static sam_set add_set(sam_algebra *to, sam_set_data x) {
    vec_push(to->mem, &to->sets, x);
    return (sam_set){to->sets.len};
}

static sam_set everything(sam_algebra *to, sam_expr of) {
    return add_set(to, (sam_set_data){.kind = SAM_SET_ALL, .of = of});
}

/* A derived set may be too large, and its complement too small: only stored sets have a complement. Set 0
 * means everywhere. */
static sam_set complement(sam_algebra *to, sam_expr of, sam_set a) {
    if (!a.v || to->sets.at[a.v - 1].kind != SAM_SET_STORED)
        return everything(to, of);
    return add_set(to, (sam_set_data){.kind = SAM_SET_NOT, .of = of, .a = a});
}

/* Joins two sets; 0 is the empty set. */
static sam_set join(sam_algebra *to, sam_set_kind kind, sam_expr of, sam_set a, sam_set b) {
    if (a.v && b.v)
        return add_set(to, (sam_set_data){kind, of, a, b});
    return kind == SAM_SET_MEET ? (sam_set){0} : a.v ? a : b;
}

/* ---- the derivation -------------------------------------------------------------------------- */

/* Combination of the arguments' sets: ALL, or MEET or UNITE of the arguments with a bit; NONE: the operator's
 * own algebra. */
typedef struct {
    sam_set_kind how;
    uint32_t arguments;
    uint16_t fill;
} rule;

/* Returns the bits of the arguments whose fill is a special value valid at their place. */
static uint32_t filled_with(const sam_operator *f, const sam_special *special, const uint16_t *fill,
                            uint32_t n) {
    uint32_t arguments = 0;
    for (uint32_t i = 0; special->given && i < n; i++) {
        bool holds = f->commutative || special->at == SAM_EACH || special->at == (int)i;
        arguments |= (uint32_t)(holds && fill[i] == special->value) << i;
    }
    return arguments;
}

enum { MINUS_ZERO = 0x8000 };

static uint16_t apply(const sam_operator *f, const uint16_t *fill, uint32_t n) {
    uint16_t value = n > 1 ? fill[0] : sam_apply(f, fill[0], 0);
    for (uint32_t i = 1; i < n; i++)
        value = sam_apply(f, value, fill[i]);
    return f->fp && value == MINUS_ZERO ? 0 : value;
}

static bool is_known(const sam_operator *f) {
    return f->apply || f->program;
}

/* Returns whether every argument named by the operator's own algebra has the tested fill. */
static bool is_tested(const sam_operator *f, const uint16_t *fill, uint32_t n) {
    for (const char *term = f->algebra; *term; term++) {
        uint32_t argument = (uint32_t)(*term - '0');
        if (argument < n && fill[argument] != f->tested[argument])
            return false;
    }
    return true;
}

/* The rule without the author's fill. */
static rule rule_of_properties(const sam_operator *f, const uint16_t *fill, uint32_t n) {
    const uint32_t all = (1u << n) - 1;
    uint32_t arguments = filled_with(f, &f->annihilator, fill, n), alike = 1;
    if (f->algebra && is_tested(f, fill, n) && (f->fill_is_given || is_known(f)))
        return (rule){SAM_SET_NONE, all, f->fill_is_given ? f->fill : apply(f, fill, n)};
    if (f->algebra)
        return (rule){SAM_SET_ALL, all, is_known(f) ? apply(f, fill, n) : f->fill};
    if (arguments)
        return (rule){SAM_SET_MEET, arguments, f->annihilator.value};
    while (alike < n && fill[alike] == fill[0])
        alike++;
    if (f->idempotent && alike == n)
        return (rule){SAM_SET_UNITE, all, fill[0]};
    arguments = filled_with(f, &f->identity, fill, n);
    if (arguments == all)
        return (rule){SAM_SET_UNITE, all, f->identity.value};
    for (uint32_t i = 0; i < n && n > 1; i++) {
        if (arguments == (all & ~(1u << i)))
            return (rule){SAM_SET_UNITE, all, fill[i]};
    }
    return is_known(f) ? (rule){SAM_SET_UNITE, all, apply(f, fill, n)} : (rule){SAM_SET_ALL, all, f->fill};
}

static rule rule_of(const sam_operator *f, const uint16_t *fill, uint32_t n) {
    rule r = rule_of_properties(f, fill, n);
    bool other = f->fill_is_given && !f->algebra && f->fill != r.fill;
    return other ? (rule){SAM_SET_ALL, r.arguments, f->fill} : r;
}

/* An operator's own algebra during reading, from its end. */
typedef struct {
    sam_algebra *to;
    const sam_operator *f;
    sam_expr of;
    const sam_coordinates *argument;
    uint32_t n;
    size_t remaining; /* unread terms */
} own_algebra;

/* Makes the set of the last unread term, or its complement: De Morgan's laws move the complement to the
 * arguments, and no derived set is complemented. */
static sam_set last_term(own_algebra *own, bool complemented) {
    BUG_IF(!own->remaining, "the algebra %s", own->f->algebra);
    const char term = own->f->algebra[--own->remaining];
    if (term == '~')
        return last_term(own, !complemented);
    if (term == '|' || term == '&') {
        sam_set b = last_term(own, complemented), a = last_term(own, complemented);
        return join(own->to, (term == '|') != complemented ? SAM_SET_UNITE : SAM_SET_MEET, own->of, a, b);
    }
    if (term == '*')
        return complemented ? (sam_set){0} : everything(own->to, own->of);
    BUG_IF(term < '0' || (uint32_t)(term - '0') >= own->n, "the algebra %s", own->f->algebra);
    sam_set set = own->argument[term - '0'].set;
    return complemented ? complement(own->to, own->of, set) : set;
}

sam_coordinates sam_derive(sam_algebra *to, const sam_operator *f, sam_expr of,
                           const sam_coordinates *argument, uint32_t n) {
    uint16_t fill[SAM_MAX_ARGUMENTS];
    BUG_IF(!n || n > SAM_MAX_ARGUMENTS, "%u arguments", n);
    for (uint32_t i = 0; i < n; i++)
        fill[i] = argument[i].fill;
    const rule r = rule_of(f, fill, n);
    if (r.how == SAM_SET_ALL)
        return (sam_coordinates){everything(to, of), r.fill};
    if (r.how == SAM_SET_NONE) {
        own_algebra own = {to, f, of, argument, n, strlen(f->algebra)};
        const sam_set set = last_term(&own, false);
        BUG_IF(own.remaining, "the algebra %s", f->algebra);
        return (sam_coordinates){set, r.fill};
    }
    sam_set all = {0};
    for (uint32_t i = 0; i < n; i++) {
        if (!(r.arguments >> i & 1) || !argument[i].set.v)
            continue;
        all = all.v ? add_set(to, (sam_set_data){r.how, of, all, argument[i].set}) : argument[i].set;
    }
    return (sam_coordinates){all.v ? all : everything(to, of), r.fill};
}

/* ---- expressions ----------------------------------------------------------------------------- */

/* A sum applies its operator once per coordinate of its variable: only properties tell the result for a
 * fill. */
static sam_operator operator_of(const sam_statement *s, const sam_expr_data *x) {
    sam_operator f = x->program ? x->program->of : *sam_operator_of(sam_operation_of(x), !s->integers);
    if (x->kind == SAM_EXPR_SUM) {
        f.apply = NULL;
        f.identity = f.monoid; /* for lor and land the identity holds among their sums, which are 0 or 1 */
    }
    return f;
}

/* Returns whether e consists of literals and operations with words: `%` has none in bf16. */
static bool is_constant(const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (x->kind == SAM_EXPR_LITERAL || x->kind == SAM_EXPR_ACCESS || x->kind == SAM_EXPR_SUM)
        return x->kind == SAM_EXPR_LITERAL;
    const sam_operator f = operator_of(s, x);
    return (f.program || f.apply) && is_constant(s, x->a) && (!x->b.v || is_constant(s, x->b));
}

static uint16_t fill_at(const sam_statement *s, sam_expr e, const uint16_t *fill);

/* The words of constants, by the operations themselves. */
static uint16_t constant_word(const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (x->kind == SAM_EXPR_LITERAL)
        return sam_literal_word(x->literal, !s->integers);
    sam_operator f = operator_of(s, x);
    return sam_apply(&f, constant_word(s, x->a), x->b.v ? constant_word(s, x->b) : 0);
}

static uint16_t argument_fill(const sam_statement *s, const sam_expr_data *of, sam_expr e,
                              const uint16_t *fill) {
    return of->kind == SAM_EXPR_CALL && is_constant(s, e) ? constant_word(s, e) : fill_at(s, e, fill);
}

static rule rule_at(const sam_statement *s, sam_expr e, const uint16_t *fill) {
    const sam_expr_data *x = sam_expr_at(s, e);
    sam_operator f = operator_of(s, x);
    uint16_t of[2] = {argument_fill(s, x, x->a, fill), x->b.v ? argument_fill(s, x, x->b, fill) : 0};
    return rule_of(&f, of, x->b.v ? 2 : 1);
}

/* A literal is everywhere, hence any fill is true in + - * /; 0 keeps the earlier behaviour. */
static uint16_t fill_at(const sam_statement *s, sam_expr e, const uint16_t *fill) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (x->kind == SAM_EXPR_ACCESS)
        return fill ? fill[x->tensor.v - 1] : sam_tensor_at(s, x->tensor)->fill;
    return x->kind == SAM_EXPR_LITERAL ? 0 : rule_at(s, e, fill).fill;
}

static sam_coordinates argument_of(sam_algebra *to, const sam_statement *s, const sam_expr_data *of,
                                   sam_expr e, const uint16_t *fill) {
    if (of->kind == SAM_EXPR_CALL && is_constant(s, e))
        return (sam_coordinates){{0}, constant_word(s, e)};
    return sam_coordinates_of(to, s, e, fill);
}

/* ---- functions of files ---------------------------------------------------------------------- */

static bool same_expr(const sam_statement *s, sam_expr a, sam_expr b) {
    if (!a.v || !b.v)
        return a.v == b.v;
    const sam_expr_data *x = sam_expr_at(s, a), *y = sam_expr_at(s, b);
    return x->kind == y->kind && x->tensor.v == y->tensor.v && x->var.v == y->var.v &&
           x->literal == y->literal && x->operation == y->operation && x->program == y->program &&
           memcmp(x->index, y->index, sizeof x->index) == 0 && same_expr(s, x->a, y->a) &&
           same_expr(s, x->b, y->b);
}

/* Finds the arguments of e at the places of `value`'s parameters; a repeated parameter needs equal
 * arguments. */
static bool find_arguments(const sam_claim *by, sam_expr value, const sam_statement *s, sam_expr e,
                           sam_expr *argument) {
    const sam_expr_data *of = sam_expr_at(&by->s, value), *x = sam_expr_at(s, e);
    if (of->kind == SAM_EXPR_ACCESS) {
        sam_expr *first = &argument[of->tensor.v - 1];
        if (first->v)
            return same_expr(s, *first, e);
        *first = e;
        return true;
    }
    return of->kind == x->kind && of->operation == x->operation && of->literal == x->literal &&
           of->program == x->program && (!of->a.v || find_arguments(by, of->a, s, x->a, argument)) &&
           (!of->b.v || find_arguments(by, of->b, s, x->b, argument));
}

bool sam_claimed_arguments(const sam_statement *s, sam_expr e, sam_expr argument[SAM_MAX_ARGUMENTS]) {
    const sam_claim *by = sam_expr_at(s, e)->claim;
    memset(argument, 0, sizeof *argument * SAM_MAX_ARGUMENTS);
    return by && find_arguments(by, by->value, s, e, argument);
}

/* An algebra has no answer for a constant other than the tested constant. */
static bool names_constant(const sam_operator *f, const sam_coordinates *argument, uint32_t i) {
    return f->algebra && strchr(f->algebra, (char)('0' + i)) && !argument[i].set.v &&
           argument[i].fill != f->tested[i];
}

/* Derives e from the claim of a function's author about its value. Returns false if the operations of the
 * value decide: the claim does not cover such arguments, or a literal next to + - * / makes the value
 * everywhere, with a fill other than that of the arguments' fills. */
static bool derive_claimed(sam_algebra *to, const sam_statement *s, sam_expr e, const uint16_t *fill,
                           sam_coordinates *out) {
    const sam_claim *by = sam_expr_at(s, e)->claim;
    sam_expr at[SAM_MAX_ARGUMENTS];
    if (!sam_claimed_arguments(s, e, at))
        return false;
    sam_operator f = by->of;
    sam_coordinates argument[SAM_MAX_ARGUMENTS];
    uint16_t fills[SAM_MAX_ARGUMENTS];
    for (uint32_t i = 0; i < by->parameters; i++) {
        argument[i] = !at[i].v ? (sam_coordinates){{0}, f.tested[i]} /* the argument is absent everywhere */
                      : is_constant(s, at[i]) ? (sam_coordinates){{0}, constant_word(s, at[i])}
                                              : sam_coordinates_of(to, s, at[i], fill);
        fills[i] = argument[i].fill;
        if (names_constant(&f, argument, i))
            f.algebra = NULL;
    }
    f.fill_is_given = true;
    f.fill = sam_compute(&by->s, by->value, fills);
    if (f.fill != fill_at(s, e, fill) ||
        (!f.algebra && rule_of(&f, fills, by->parameters).how == SAM_SET_ALL))
        return false;
    *out = sam_derive(to, &f, e, argument, by->parameters);
    return true;
}

sam_coordinates sam_coordinates_of(sam_algebra *to, const sam_statement *s, sam_expr e,
                                   const uint16_t *fill) {
    const sam_expr_data *x = sam_expr_at(s, e);
    sam_coordinates said;
    if (derive_claimed(to, s, e, fill, &said))
        return said;
    if (x->kind == SAM_EXPR_ACCESS) {
        sam_set stored = add_set(to, (sam_set_data){.kind = SAM_SET_STORED, .of = e});
        return (sam_coordinates){stored, fill_at(s, e, fill)};
    }
    if (x->kind == SAM_EXPR_LITERAL)
        return (sam_coordinates){everything(to, e), 0};
    if (sam_takes_fiber(x) && x->takes != SAM_TAKES_STORED)
        return (sam_coordinates){everything(to, e), fill_at(s, e, fill)};
    sam_operator f = operator_of(s, x);
    sam_coordinates argument[2] = {argument_of(to, s, x, x->a, fill)};
    if (x->b.v)
        argument[1] = argument_of(to, s, x, x->b, fill);
    return sam_derive(to, &f, e, argument, x->b.v ? 2 : 1);
}

/* Returns whether the expression is a mask outside of which none of its operands counts, and wherever which
 * all are stored. */
static bool leads(const sam_expr_data *x) {
    return x->located && x->kind == SAM_EXPR_CALL && x->operation == SAM_OPERATION_when;
}

static sam_set joined_set(sam_algebra *to, const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    sam_set_data made = {.kind = SAM_SET_STORED, .of = e};
    if (leads(x))
        return joined_set(to, s, x->a);
    if (x->kind == SAM_EXPR_LITERAL) {
        made.kind = SAM_SET_ALL;
    } else if (x->a.v) {
        made.a = joined_set(to, s, x->a);
        made.b = x->b.v ? joined_set(to, s, x->b) : (sam_set){0};
        bool call = x->kind == SAM_EXPR_CALL;
        if (!x->b.v || (call && is_constant(s, x->b)))
            return made.a;
        if (call && is_constant(s, x->a))
            return made.b;
        made.kind = sam_unites(s, e, NULL) ? SAM_SET_UNITE : SAM_SET_MEET;
    }
    return add_set(to, made);
}

sam_set sam_joined_of(sam_algebra *to, const sam_statement *s, sam_expr e) {
    return s->general ? joined_set(to, s, e) : sam_coordinates_of(to, s, e, NULL).set;
}

uint16_t sam_fill_of(const sam_statement *s, sam_expr e) {
    return fill_at(s, e, NULL);
}

bool sam_unites(const sam_statement *s, sam_expr e, uint32_t *needed) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (needed)
        *needed = 3;
    if (!x->b.v || x->located)
        return false;
    bool kept = s->unites && e.v <= s->n_unites;
    if (kept && !needed && s->unites[e.v - 1])
        return s->unites[e.v - 1] == 2;
    sam_operator f = operator_of(s, x);
    rule r = s->general ? rule_at(s, e, NULL) : rule_of(&f, (uint16_t[2]){0}, 2);
    bool unites = r.how != SAM_SET_MEET || r.arguments != 3;
    if (needed && r.how == SAM_SET_MEET)
        *needed = r.arguments;
    if (kept)
        s->unites[e.v - 1] = unites ? 2 : 1;
    return unites;
}

sam_sum_reach sam_reach_of_sum(const sam_statement *s, sam_expr sum) {
    const sam_expr_data *x = sam_expr_at(s, sum);
    const sam_operator *f = sam_operator_of((sam_operation)x->operation, !s->integers);
    if (!s->general || sam_fill_of(s, x->a) == f->monoid.value)
        return SAM_SUM_STORED;
    return rule_at(s, sum, NULL).how == SAM_SET_ALL ? SAM_SUM_EVERYWHERE : SAM_SUM_ALONG;
}

/* ---- the fold -------------------------------------------------------------------------------- */

void sam_fold(const sam_algebra *algebra, sam_set set, const sam_fold_by *by, void *context, void *out) {
    const sam_set_data *x = &algebra->sets.at[set.v - 1];
    union {
        max_align_t aligned;
        unsigned char bytes[SAM_FOLD_BYTES];
    } b;
    BUG_IF(by->size > sizeof b, "a set of %zu bytes", by->size);
    if (x->kind == SAM_SET_STORED) {
        by->stored(context, x->of, out);
        return;
    }
    if (x->kind == SAM_SET_NOT && by->absent) {
        by->absent(context, algebra->sets.at[x->a.v - 1].of, out);
        return;
    }
    if (x->kind == SAM_SET_ALL || x->kind == SAM_SET_NOT) {
        memcpy(out, by->all, by->size);
        return;
    }
    sam_fold(algebra, x->a, by, context, out);
    sam_fold(algebra, x->b, by, context, &b);
    (x->kind == SAM_SET_MEET ? by->meet : by->unite)(context, x->of, out, &b);
}

bool sam_is_general(const sam_statement *s) {
    bool general = false;
    for (uint32_t t = 0; t < s->tensors.len; t++)
        general = general || s->tensors.at[t].fill || s->tensors.at[t].structure;
    for (uint32_t e = 0; e < s->exprs.len; e++) {
        const sam_expr_data *x = &s->exprs.at[e];
        general = general || x->kind == SAM_EXPR_CALL ||
                  (x->kind == SAM_EXPR_SUM && x->operation != SAM_OPERATION_add);
    }
    return general;
}
