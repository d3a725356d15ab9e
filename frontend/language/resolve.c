/* resolve.c - fills and masks: what an expression means once its formats are known.
 *
 * A semiring gives every tensor of which nothing else is said the identity of its addition as fill. mask(c,e)
 * is e where c is true and the fill f elsewhere:
 * ((e xor f) where c is true, else 0) xor f, which is exact for any word.
 */
#include "frontend/language/resolve.h"
#include "frontend/language/absent.h"
#include "frontend/language/cin.h"
#include "frontend/language/folds.h"
#include "frontend/language/statement.h"
#include "frontend/language/taken.h"
#include "frontend/language/windows.h"
#include "sam/coordinates.h"
#include "support/number.h"

#include <math.h>
#include <stdlib.h>

/* ---- fills ----------------------------------------------------------------------------------- */

static bool bad_fill(const char *text, const char *why, diagnostics *d) {
    diag_error(d, (src_loc){0}, "E0153-fill", "--fill %s: %s", text, why);
    return diag_hint(d, "a tensor, a colon, and a number or inf or -inf: --fill B:inf");
}

static bool read_fill(const char *text, bool integers, uint16_t *out, diagnostics *d) {
    const char *number = strchr(text, ':') + 1;
    char *end;
    double value = number_read(number, &end);
    if (!*number || *end || isnan(value))
        return bad_fill(text, "this is no number", d);
    if (integers && isinf(value))
        value = value > 0 ? INT16_MAX : INT16_MIN;
    if (integers && (value != floor(value) || value < INT16_MIN || value > INT16_MAX))
        return bad_fill(text, "an int16 is a whole number from -32768 to 32767", d);
    *out = sam_literal_word(value, !integers);
    if (!integers && *out == 0x8000)
        *out = 0;
    return true;
}

bool fe_read_fills(const fe_in *in, const fe_semiring *r, diagnostics *d, sam_statement *s, bool *stated) {
    const sam_operator *plus = sam_operator_of(r->plus, !s->integers);
    *stated = false;
    for (uint32_t t = 0; t < s->tensors.len; t++)
        s->tensors.at[t].fill = s->tensors.at[t].structure ? 0 : plus->monoid.value;
    for (uint32_t i = 0; i < in->n_fills; i++) {
        const char *text = in->fills[i], *colon = strchr(text, ':');
        size_t length = colon ? (size_t)(colon - text) : 0;
        bool used = false;
        uint16_t word = 0;
        if (!colon || !length)
            return bad_fill(text, "which tensor has which fill?", d);
        if (!read_fill(text, s->integers, &word, d))
            return false;
        for (uint32_t t = 1; t <= s->tensors.len; t++) {
            sam_tensor_data *data = sam_tensor_at(s, (sam_tensor){t});
            const char *name =
                names_text(s->names, data->called.v && !data->structure ? data->called : data->name);
            if (strlen(name) != length || strncmp(name, text, length) != 0)
                continue;
            used = true;
            data->fill = word;
            *stated = *stated || t == s->result.v;
        }
        if (!used)
            return bad_fill(text, "the expression has no such tensor", d);
    }
    return true;
}

/* ---- infinities ------------------------------------------------------------------------------ */

/* A sum with an infinite fill on one side absorbs the fill. In bfloat16 every sum does. */
static void absorb(sam_statement *s, sam_expr e) {
    const sam_expr_data x = *sam_expr_at(s, e);
    bool sum = x.kind == SAM_EXPR_SUM && x.operation == SAM_OPERATION_add;
    if (x.kind != SAM_EXPR_ADD && !sum)
        return;
    uint16_t a = sam_fill_of(s, x.a), b = x.b.v ? sam_fill_of(s, x.b) : 0;
    bool high = a == INT16_MAX || b == INT16_MAX, low = a == 0x8000 || b == 0x8000;
    if (!high && !low)
        return;
    sam_expr_at(s, e)->operation = high ? SAM_OPERATION_addhigh : SAM_OPERATION_addlow;
    if (!sum)
        sam_expr_at(s, e)->kind = SAM_EXPR_CALL;
}

/* Makes the sum of what smallest or largest of the library chooses along an index the least or largest value
 * itself, if the fill is that operation's identity: a fiber without values then has the fill, and no 0. */
static void choose(sam_statement *s, sam_expr e) {
    sam_expr_data *x = sam_expr_at(s, e);
    const sam_expr_data *of = x->a.v ? sam_expr_at(s, x->a) : NULL;
    if (x->kind != SAM_EXPR_SUM || x->operation != SAM_OPERATION_add || !sam_takes_fiber(of) ||
        !of->program->chooses || x->var.v != of->var.v)
        return;
    const bool least = strcmp(of->program->name, "smallest") == 0;
    const sam_operation to = least ? SAM_OPERATION_min : SAM_OPERATION_max;
    if ((!least && strcmp(of->program->name, "largest") != 0) ||
        sam_fill_of(s, of->a) != sam_operator_of(to, !s->integers)->monoid.value)
        return;
    x->operation = (uint8_t)to;
    x->a = of->a;
}

/* ---- masks ----------------------------------------------------------------------------------- */

typedef struct {
    sam_statement *s;
    const uint16_t *stated; /* the result's fill, or NULL */
    fe_exprs masks;         /* with the stated fill elsewhere; their conditions follow each */
    bool keeps_absent;
    diagnostics *d;
} resolution;

/* Returns whether an operand below e has a fill set by the user. */
static bool has_fill(const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (x->kind == SAM_EXPR_ACCESS)
        return sam_tensor_at(s, x->tensor)->fill != 0;
    return (x->a.v && has_fill(s, x->a)) || (x->b.v && has_fill(s, x->b));
}

/* Returns the value outside of a mask if the result's fill is not stated: 0, unless the user sets the fill of
 * an operand. An operation that makes another value of zeros, as d < 3, does not count. */
static uint16_t fill_of_mask(const sam_statement *s, const sam_expr_data *mask) {
    return has_fill(s, mask->b) ? sam_fill_of(s, mask->b) : 0;
}

static bool is_complement(const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    return x->kind == SAM_EXPR_ACCESS && sam_tensor_at(s, x->tensor)->structure == SAM_COMPLEMENT;
}

/* Writes a condition on what a tensor does not store as one on what it stores, where the complement would be
 * too large: when(not struct(c), e), and the product of both, as unless(struct(c), e). */
static void turn_complement(sam_statement *s, sam_expr_data *x) {
    const bool when = x->operation == SAM_OPERATION_when;
    if (x->kind == SAM_EXPR_MUL && (is_complement(s, x->a) || is_complement(s, x->b))) {
        const bool first = is_complement(s, x->a);
        const sam_expr other = first ? x->b : x->a;
        *x = (sam_expr_data){.kind = SAM_EXPR_CALL, .loc = x->loc, .a = first ? x->a : x->b, .b = other};
        x->operation = SAM_OPERATION_unless;
        x->a = fe_not(s, x->loc, x->a);
        return;
    }
    if (x->kind != SAM_EXPR_CALL || x->program || (!when && x->operation != SAM_OPERATION_unless) ||
        !is_complement(s, x->a))
        return;
    x->operation = when ? SAM_OPERATION_unless : SAM_OPERATION_when;
    x->a = fe_not(s, x->loc, x->a);
}

/* Warns of a condition that is true wherever its tensor stores nothing. */
static void warn_of_fill(const resolution *r, sam_expr condition) {
    const sam_statement *s = r->s;
    const sam_expr_data *x = sam_expr_at(s, condition);
    const uint16_t fill = x->kind == SAM_EXPR_ACCESS ? sam_tensor_at(s, x->tensor)->fill : 0;
    if (!fill || sam_is_dense(sam_tensor_at(s, x->tensor)))
        return;
    const char *name = names_text(s->names, sam_user_name(sam_tensor_at(s, x->tensor)));
    diag_warning(r->d, x->loc, "E0185-mask-fill",
                 "this mask is true wherever %s stores nothing, since the fill of %s is not 0", name, name);
    diag_hint(r->d, "struct(%s(...)) is 1 where %s stores something, and 0 elsewhere", name, name);
}

/* From the operands on, since fills follow from their fills. Before the end a mask with the stated fill
 * outside has the condition 0: any condition at absent places then gives the fill, and sums absorb the
 * fill. */
static sam_expr resolved(resolution *r, sam_expr e) {
    sam_statement *s = r->s;
    sam_expr_data x = *sam_expr_at(s, e);
    if (x.a.v)
        x.a = resolved(r, x.a);
    if (x.b.v)
        x.b = resolved(r, x.b);
    if (r->keeps_absent)
        turn_complement(s, &x);
    bool mask = x.kind == SAM_EXPR_CALL && x.literal == FE_MASK;
    uint16_t fill = r->stated ? *r->stated : mask ? fill_of_mask(s, &x) : 0;
    x.literal = mask ? 0 : x.literal;
    if (mask)
        warn_of_fill(r, x.a);
    if (mask && fill)
        x.b = fe_add_call(s, x.loc, SAM_OPERATION_xor, x.b, fe_add_literal(s, x.loc, fill));
    if (mask && r->stated) {
        vec_push(s->mem, &r->masks, e);
        vec_push(s->mem, &r->masks, x.a);
        x.a = fe_add_literal(s, x.loc, x.operation == SAM_OPERATION_unless);
    }
    *sam_expr_at(s, e) = x;
    choose(s, e);
    if (s->integers)
        absorb(s, e);
    if (x.claim && !r->keeps_absent)
        return fe_leave_absent(s, e);
    return mask && fill ? fe_add_call(s, x.loc, SAM_OPERATION_xor, e, fe_add_literal(s, x.loc, fill)) : e;
}

static sam_expr resolve(sam_statement *s, const uint16_t *stated, bool keeps_absent, diagnostics *d) {
    resolution r = {.s = s, .stated = stated, .keeps_absent = keeps_absent, .d = d};
    sam_expr rhs = resolved(&r, s->rhs);
    for (uint32_t i = 0; i < r.masks.len; i += 2)
        sam_expr_at(s, r.masks.at[i])->a = r.masks.at[i + 1];
    return rhs;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* A tensor of ones has the levels of the user's tensor. Returns whether there is one, or a window of a
 * tensor. */
static bool copy_levels(sam_statement *s) {
    bool any = false;
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        sam_tensor_data *data = &s->tensors.at[t];
        for (uint32_t u = 0; data->structure && u < s->tensors.len; u++) {
            const sam_tensor_data *of = &s->tensors.at[u];
            if (of->structure || !name_eq(of->called.v ? of->called : of->name, data->called))
                continue;
            memcpy(data->level, of->level, sizeof data->level);
            memcpy(data->mode, of->mode, sizeof data->mode);
            data->filled = of->fill;
        }
        any = any || data->structure || data->windowed;
    }
    return any;
}

/* Returns the position of the user's first use of a tensor, in the whole expression. */
static uint32_t named_at(const sam_statement *all, const sam_tensor_data *t) {
    uint32_t at = 0;
    while (at < all->tensors.len && !name_eq(sam_user_name(&all->tensors.at[at]), sam_user_name(t)))
        at++;
    return at;
}

/* Puts operands into the order of the user's first uses, which determines generators. O(operands^2 *
 * expressions), of moved operands. */
static void keep_order(const sam_statement *all, sam_statement *s) {
    for (uint32_t t = 3; t <= s->tensors.len; t++) {
        for (uint32_t v = t;
             v > 2 && named_at(all, &s->tensors.at[v - 1]) < named_at(all, &s->tensors.at[v - 2]); v--) {
            const sam_tensor_data before = s->tensors.at[v - 2];
            s->tensors.at[v - 2] = s->tensors.at[v - 1];
            s->tensors.at[v - 1] = before;
            for (uint32_t e = 0; e < s->exprs.len; e++) {
                sam_tensor *of = &s->exprs.at[e].tensor;
                of->v = of->v == v ? v - 1 : of->v == v - 1 ? v : of->v;
            }
        }
    }
}

bool fe_resolve(const fe_in *in, bool stated, diagnostics *d, sam_statement *s) {
    if (!fe_check_fills(s, d))
        return false;
    s->general = true; /* requests fills */
    sam_tensor_data *result = sam_tensor_at(s, s->result);
    const uint16_t fill = result->fill;
    s->rhs = resolve(s, stated ? &fill : NULL, in->keeps_absent, d);
    const sam_statement all = *s;
    if (copy_levels(s)) {
        fe_compact(s); /* tensors used only in struct(), or in windows, are no operands */
        keep_order(&all, s);
        fe_keep_spare(&all, s);
    }
    s->general = sam_is_general(s);
    result = sam_tensor_at(s, s->result);
    uint16_t derived = s->general ? sam_fill_of(s, s->rhs) : 0;
    if (stated && fill != derived) {
        /* Everywhere: a result dense for the loops, reduced by the host to values unequal to the fill. */
        s->everywhere = true;
        s->general = true;
    }
    result->fill = stated ? fill : derived;
    fe_find_taken(s);
    return fe_check_folds(s, d);
}
