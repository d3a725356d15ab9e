/* program_coordinates.c - scalars and params as coordinates: B(i,s), v(s) = e.
 *
 * A vector with 1 at the scalar's coordinate, made by a step before the statement, masks the tensor along an
 * index of its own: B(i,s) is sum(k, when(at(k), B(i,k))), and v(s) = e keeps v elsewhere: v(k) = when(at(k),
 * e) + when(not struct(at(k)), v(k)). The statement is written so, and read as any other. Where B has an
 * infinite fill B(i,s) is min(k, ifelse(at(k), B(i,k), inf)), whose fill is that of B; where v has a fill,
 * unless(at(k), v(k)) keeps v and its fill. Of a semiring, which has another sum, ifelse(at(k), e, v(k))
 * keeps v, and outside of a place is the identity of the sum.
 */
#include "frontend/schedules/program_coordinates.h"
#include "frontend/language/semirings.h"
#include "frontend/schedules/program_gather.h"
#include "frontend/schedules/program_names.h"
#include "sam/operators.h"
#include "support/number.h"

#include <math.h>

enum { MOST = SAM_MAX_ORDER };

/* An access with scalars among its coordinates, as it is written anew. */
typedef struct {
    const char *indices;    /* "k1,k2": the indices in place of the scalars */
    const char *reduce;     /* "sum(" */
    const char *outside;    /* what counts outside of a place, as the reader's */
    const char *mask;       /* "when(p1(k1), when(p2(k2), " */
    const char *inside;     /* the same for kept values: "when(r1(k1), when(p2(k2), " */
    const char *within;     /* "r1(k1) && r2(k2)" */
    const char *kept[MOST]; /* of what is kept, by scalar: "when(p1(k1), when(not struct(p2(k2)), " */
    const char *over;       /* "i,": indices of slices, on the left the sum's */
    const char *access;     /* "B(i,k1)" */
    uint32_t count;         /* of scalars */
    bool whole;             /* all coordinates are scalars: the access is one value */
    bool bounds;            /* params in slices and shifts are numbers now */
    size_t end;             /* behind its ')' */
} placed;

static uint32_t tensor_of(const fe_program_reader *r, const fe_token *t) {
    return t->kind == FE_NAME ? fe_program_find(r->out, names_intern_n(r->out->names, t->at, t->length))
                              : r->out->tensors.len;
}

static bool is_scalar(const fe_program_reader *r, const fe_token *t) {
    const uint32_t n = tensor_of(r, t);
    return n < r->out->tensors.len && r->out->tensors.at[n].order == 0;
}

/* Whether the token begins the access of a known tensor with indices. */
static bool is_access(const fe_program_reader *r, const fe_reader *in) {
    const uint32_t n = tensor_of(r, &in->token);
    return fe_peek(in) == '(' && n < r->out->tensors.len && r->out->tensors.at[n].order != 0;
}

/* A coordinate with scalars, or on the left with numbers: k, i(k:l), k:l, i+k, k-i. */
typedef struct {
    fe_placing of;
    fe_token index; /* i; of a slice without an index, and of a point, no name */
    bool scalars;
} window;

/* Adds the tensor of a placing and its step; returns its name. */
static const char *add_placing(fe_program_reader *r, const char *what, uint32_t order, fe_placing of,
                               src_loc loc, fe_steps *steps) {
    const char *name = fe_program_new_name(r, what, loc);
    fe_step step = {.kind = FE_STEP_COORDINATE, .loc = loc};
    of.tensor = fe_program_add(r->out, names_intern(r->out->names, name), loc, order);
    step.coordinate = of;
    r->out->tensors.at[of.tensor].fill = "0";
    r->out->tensors.at[of.tensor].made.square = true;
    const uint32_t scalars[] = {of.low.scalar, of.high.scalar};
    for (uint32_t i = 0; i < 2; i++) {
        if (scalars[i] != FE_NO_TENSOR && !fe_program_knows(r, scalars[i]))
            r->out->tensors.at[scalars[i]].read_first = true;
    }
    fe_program_assigned(r, of.tensor);
    vec_push(r->out->mem, steps, step);
    return name;
}

/* Adds the operands of a window, and their pieces of the texts; with `keeps` also the operands of kept
 * values. */
static void add_window(fe_program_reader *r, const window *w, const fe_token *at, bool keeps, placed *p,
                       fe_steps *steps) {
    arena *mem = r->out->mem;
    const bool indexed = w->index.kind == FE_NAME;
    const char *what = at->kind == FE_NAME ? arena_strndup(mem, at->at, at->length) : "part";
    const char *name = add_placing(r, what, indexed ? 2 : 1, w->of, at->loc, steps),
               *index = arena_printf(mem, "%sAt", name), *range = name;
    fe_placing ranges = w->of;
    ranges.ranges = true;
    if (indexed && keeps)
        range = add_placing(r, arena_printf(mem, "%sRange", what), 1, ranges, at->loc, steps);
    const char *i = indexed ? arena_printf(mem, "%.*s,", (int)w->index.length, w->index.at) : "";
    p->indices = arena_printf(mem, "%s%s%s", p->indices, p->count ? "," : "", index);
    p->over = arena_printf(mem, "%s%s", p->over, i);
    p->kept[p->count] = arena_printf(mem, "%swhen(not struct(%s(%s)), ", p->inside, range, index);
    p->inside = arena_printf(mem, "%swhen(%s(%s), ", p->inside, range, index);
    p->within = arena_printf(mem, "%s%s%s(%s)", p->within, p->count ? " && " : "", range, index);
    p->mask = arena_printf(mem, "%s%s(%s(%s%s), ", p->mask, p->outside ? "ifelse" : "when", name, i, index);
    p->access = arena_printf(mem, "%s%s", p->access, index);
    p->count++;
}

/* Reads a scalar, a param or a number; a missing bound stays. */
static bool read_bound(const fe_program_reader *r, fe_reader *in, fe_bound *out, bool *scalars) {
    const uint32_t n = tensor_of(r, &in->token), number = fe_whole_number(&in->token, INT32_MAX);
    if (fe_at_sign(in, ':') || fe_at_sign(in, ')') || fe_at_sign(in, ','))
        return true;
    const bool scalar = is_scalar(r, &in->token), param = scalar && r->out->tensors.at[n].constant;
    if (!scalar && number == INT32_MAX)
        return false;
    *out = (fe_bound){FE_NO_TENSOR, (int32_t)number};
    if (scalar)
        *out = (fe_bound){n, 0};
    *scalars = *scalars || (scalar && !param);
    return fe_advance(in);
}

/* Reads "k:l", and of a slice with an index its parentheses. */
static bool read_slice(const fe_program_reader *r, fe_reader *in, window *out) {
    return read_bound(r, in, &out->of.low, &out->scalars) && fe_take_sign(in, ':') &&
           read_bound(r, in, &out->of.high, &out->scalars) && (!out->index.length || fe_take_sign(in, ')'));
}

/* Reads "i+k", "i-k", "k+i", "k-i" with a scalar k. */
static bool read_shift(const fe_program_reader *r, fe_reader *in, window *out) {
    const bool first = is_scalar(r, &in->token);
    fe_token scalar = in->token, index = in->token;
    fe_advance(in);
    const bool minus = fe_at_sign(in, '-');
    if (!fe_take_sign(in, '+') && !fe_take_sign(in, '-'))
        return false;
    *(first ? &index : &scalar) = in->token;
    out->index = index;
    out->of.minus = minus && !first;
    out->of.shifts = true;
    out->of.along = minus && first ? -1 : 1;
    out->of.low = (fe_bound){tensor_of(r, &scalar), 0};
    out->scalars = is_scalar(r, &scalar) && !r->out->tensors.at[out->of.low.scalar].constant;
    fe_advance(in);
    return out->scalars && index.kind == FE_NAME && !is_scalar(r, &index);
}

/* Reads a window, a coordinate of an access, and goes behind; with `left` a coordinate of a result. */
static bool read_window(const fe_program_reader *r, fe_reader *in, bool left, window *out) {
    const fe_bound none = {FE_NO_TENSOR, INT32_MAX};
    fe_reader at = *in;
    const fe_token first = at.token;
    const char next = fe_peek(in);
    bool is;
    *out = (window){.of = {.low = {FE_NO_TENSOR, 0}, .high = none, .along = 1}};
    if (first.kind == FE_NAME && next == '(' && tensor_of(r, &first) == r->out->tensors.len && !r->outside) {
        out->index = first;
        fe_advance(&at);
        fe_advance(&at);
        is = read_slice(r, &at, out) && (left || out->scalars);
    } else if (next == ',' || next == ')') {
        is = (left || is_scalar(r, &first)) && read_bound(r, &at, &out->of.low, &out->scalars);
        out->scalars = is;
    } else if (next == ':' || fe_at_sign(&at, ':')) {
        is = left && read_slice(r, &at, out);
        out->of.ranges = true;
    } else {
        is = !left && read_shift(r, &at, out);
    }
    is = is && (fe_at_sign(&at, ',') || fe_at_sign(&at, ')'));
    *in = is ? at : *in;
    return is;
}

/* Returns the fill of a tensor, 0 where it is not known yet. */
static double fill_of(const fe_program_reader *r, uint32_t n) {
    const char *fill = n < r->out->tensors.len ? r->out->tensors.at[n].fill : NULL;
    return fill ? number_read(fill, NULL) : 0;
}

/* Returns an infinity of the statement's type as a literal: one of 1e39 is infinite in bf16. */
static const char *infinity(const fe_program_reader *r, bool high) {
    return r->in->integers ? (high ? "32767" : "-32768") : (high ? "1e39" : "-1e39");
}

/* Sets how an access of tensor n reads: a sum with an infinite fill would be infinite everywhere. */
static void set_reduction(const fe_program_reader *r, uint32_t n, placed *p) {
    const double fill = fill_of(r, n);
    const bool high = fill >= (r->in->integers ? INT16_MAX : INFINITY),
               low = fill <= (r->in->integers ? INT16_MIN : -INFINITY);
    p->reduce = "sum(";
    p->outside = r->outside;
    if (r->outside || (!high && !low))
        return;
    p->reduce = high ? "min(" : "max(";
    p->outside = infinity(r, high);
}

/* Returns the number of a param in a slice or a shift, as a text; NULL for any other token. */
static const char *bound_of(const fe_program_reader *r, const fe_token *t, arena *mem) {
    const uint32_t n = tensor_of(r, t);
    const fe_shared *param = n < r->out->tensors.len ? &r->out->tensors.at[n] : NULL;
    if (!param || !param->constant || !(param->val.at[0] >= 0 && param->val.at[0] < INT32_MAX))
        return NULL;
    return arena_printf(mem, "%.17g", param->val.at[0]);
}

/* Returns the reader at the sign of the assignment; the end where there is none. */
static fe_reader at_sign(fe_reader in) {
    while (in.token.kind != FE_END && !fe_at_sign(&in, '=') && !(fe_at_sign(&in, '+') && fe_peek(&in) == '='))
        fe_advance(&in);
    return in;
}

/* Whether the statement whose result is at the reader keeps what lies outside of a place by terms of its own:
 * a sum onto the result does so by itself, a semiring by its choices. */
static bool keeps_outside(const fe_program_reader *r, const fe_reader *in) {
    const fe_reader sign = at_sign(*in);
    return !r->outside && !fe_at_sign(&sign, '+');
}

/* Reads the access at the reader: params of its coordinates become numbers, and with steps each coordinate
 * that is a window becomes an index of its own; `left` is of a result. */
static placed read_access(fe_program_reader *r, fe_reader in, bool left, fe_steps *steps) {
    arena *mem = r->out->mem;
    placed p = {.indices = "", .mask = "", .inside = "", .within = "", .over = "", .whole = true};
    const char *from = in.token.at;
    uint32_t depth = 1;
    bool first = true;
    p.outside = r->outside;
    const bool keeps = left && keeps_outside(r, &in);
    if (!left)
        set_reduction(r, tensor_of(r, &in.token), &p);
    fe_advance(&in);
    fe_advance(&in);
    p.access = arena_strndup(mem, from, (size_t)(in.token.at - from));
    while (in.token.kind != FE_END && depth) {
        const fe_token token = in.token;
        const bool between = fe_at_sign(&in, ',') || (depth == 1 && fe_at_sign(&in, ')'));
        const char *end = token.at + token.length, *bound = bound_of(r, &token, mem);
        window w;
        if (first && steps && p.count < MOST && read_window(r, &in, left, &w)) {
            p.whole = p.whole && w.index.kind != FE_NAME && !w.of.ranges;
            add_window(r, &w, &token, keeps, &p, steps);
            first = false;
            continue;
        }
        depth += fe_at_sign(&in, '(');
        depth -= fe_at_sign(&in, ')');
        first = depth == 1 && fe_at_sign(&in, ',');
        p.whole = p.whole && between;
        p.bounds = p.bounds || bound;
        p.access = bound ? arena_printf(mem, "%s%s", p.access, bound)
                         : arena_printf(mem, "%s%.*s", p.access, (int)token.length, token.at);
        p.end = (size_t)(end - in.text);
        fe_advance(&in);
    }
    return p;
}

/* Returns what closes n masks, or with `outside` n choices. */
static const char *closing(uint32_t n, const char *outside, arena *mem) {
    const char *text = "";
    while (n--)
        text = outside ? arena_printf(mem, "%s, %s)", text, outside) : arena_printf(mem, "%s)", text);
    return text;
}

/* The right side as it is written anew. */
typedef struct {
    fe_program_reader *r;
    fe_steps *steps;
    const char *text; /* up to `from` */
    size_t from;
    size_t within; /* the end of an access around: a value there is an index, not a statement before */
    bool indexed;  /* the statement has indices, so that a count is a statement before */
    bool changed;
} right_side;

static void put(right_side *to, const fe_reader *in, size_t at, const char *text, size_t end) {
    to->text =
        arena_printf(to->r->out->mem, "%s%.*s%s", to->text, (int)(at - to->from), in->text + to->from, text);
    to->from = end;
    to->changed = true;
}

/* Writes the access at the reader; returns where it ends, or 0 after an error. */
static size_t write_access(right_side *to, const fe_reader *in) {
    arena *mem = to->r->out->mem;
    const fe_token *word = &in->token;
    const size_t at = (size_t)(word->at - in->text);
    const placed p = read_access(to->r, *in, false, to->steps);
    if (!p.count && !p.bounds) {
        to->within = p.end > to->within ? p.end : to->within;
        return at + word->length;
    }
    const char *text = !p.count ? p.access
                                : arena_printf(mem, "%s%s, %s%s%s)", p.reduce, p.indices, p.mask, p.access,
                                               closing(p.count, p.outside, mem));
    const char *what = arena_strndup(mem, word->at, word->length);
    if (p.count && p.whole && at >= to->within &&
        !fe_program_add_value(to->r, what, word->loc, text, to->steps, &text))
        return 0;
    put(to, in, at, text, p.end);
    return p.end;
}

/* Writes the gather at the reader; returns as write_access. */
static size_t write_gather(right_side *to, const fe_reader *in) {
    size_t end;
    const char *text = fe_program_gather(to->r, *in, &end);
    if (!text)
        return 0;
    put(to, in, (size_t)(in->token.at - in->text), text, end);
    return end;
}

/* Writes nnz(T) of a statement with indices as a scalar; returns as write_access. */
static size_t write_count(right_side *to, const fe_reader *word) {
    const size_t at = (size_t)(word->token.at - word->text);
    fe_reader in = *word;
    for (uint32_t i = 0; i < 3; i++) /* goes to the ')' of the tensor's name */
        fe_advance(&in);
    if (!fe_at_sign(&in, ')'))
        return word->pos;
    const char *text = arena_strndup(to->r->out->mem, word->token.at, in.pos - at);
    if (!fe_program_add_value(to->r, "nnz", word->token.loc, text, to->steps, &text))
        return 0;
    put(to, word, at, text, in.pos);
    return in.pos;
}

/* Writes the text from the reader on, with accesses and counts anew. */
static bool write_right(right_side *to, fe_reader in, size_t end) {
    to->text = "";
    to->from = (size_t)(in.token.at - in.text);
    while (in.token.kind != FE_END) {
        size_t next = in.pos;
        if (is_access(to->r, &in))
            next = fe_program_gathers(to->r, &in) ? write_gather(to, &in) : write_access(to, &in);
        else if (to->indexed && fe_is_word(&in.token, "nnz") && fe_peek(&in) == '(')
            next = write_count(to, &in);
        if (!next)
            return false;
        in.pos = next;
        fe_advance(&in);
    }
    to->text = arena_printf(to->r->out->mem, "%s%.*s", to->text, (int)(end > to->from ? end - to->from : 0),
                            in.text + to->from);
    return true;
}

/* A result without values has indices: the scalar's name is an index there, and in the whole statement. */
static bool is_new_result(fe_program_reader *r, fe_reader in) {
    const uint32_t result = tensor_of(r, &in.token);
    const fe_reader sign = at_sign(in);
    const bool known =
        result < r->out->tensors.len && (r->out->tensors.at[result].declared || fe_program_knows(r, result));
    bool names = false;
    for (; in.token.at < sign.token.at && in.token.kind != FE_END; fe_advance(&in))
        names = names || (tensor_of(r, &in.token) != result && is_scalar(r, &in.token));
    return names && !known;
}

/* Returns the reader behind the sign of the assignment. */
static fe_reader behind(fe_reader sign, bool adds) {
    fe_advance(&sign);
    if (adds)
        fe_advance(&sign);
    return sign;
}

/* Returns whether a result or an operand of the statement has indices. */
static bool has_indices(const fe_program_reader *r, fe_reader in) {
    bool indexed = fe_peek(&in) == '(';
    for (; in.token.kind != FE_END && !indexed; fe_advance(&in))
        indexed = is_access(r, &in);
    return indexed;
}

/* Writes the whole statement, whose result is at the reader: with scalars on the left its result keeps the
 * other values. NULL after an error. */
static const char *write_statement(const right_side *right, const placed *left, fe_reader in,
                                   const char *start, bool adds) {
    arena *mem = right->r->out->mem;
    if (fe_program_scatters(&in))
        return fe_program_scatter(right->r, in, adds ? "+=" : "=", right->text);
    if (!left->count)
        return arena_printf(mem, "%s%s", start, right->text);
    const char *outside = right->r->outside;
    const char *text = arena_printf(mem, "%s %s %s%s%s%s%s%s", left->access, adds ? "+=" : "=",
                                    *left->over ? "sum(" : "", left->over, left->mask, right->text,
                                    closing(left->count, outside && !adds ? left->access : outside, mem),
                                    *left->over ? ")" : "");
    if (fill_of(right->r, tensor_of(right->r, &in.token)) != 0 && !adds && !outside)
        return arena_printf(mem, "%s + unless(%s, %s)", text, left->within, left->access);
    for (uint32_t k = 0; k < left->count && !adds && !outside; k++)
        text = arena_printf(mem, "%s + %s%s%s", text, left->kept[k], left->access, closing(k + 1, NULL, mem));
    return text;
}

/* Sets what counts outside of a place in a statement of the semiring. E0154-semiring. */
static bool set_outside(fe_program_reader *r, const fe_in *in) {
    fe_semiring s;
    r->outside = NULL;
    if (!in->semiring)
        return true;
    if (!fe_find_semiring(in, r->out->mem, r->d, &s))
        return false;
    const uint16_t word = sam_operator_of(s.plus, !in->integers)->monoid.value;
    const double value = sam_word_number(word, !in->integers); /* a literal of 1e39 is infinite in bf16 */
    r->outside = arena_printf(r->out->mem, "%.9g", isinf(value) ? (value > 0 ? 1e39 : -1e39) : value);
    return true;
}

/* Writes params in the coordinates of the result as numbers; returns whether the result has some. */
static bool write_numbers(fe_program_reader *r, const fe_reader *in, fe_piece *out) {
    if (out->value || !is_access(r, in))
        return false;
    const placed p = read_access(r, *in, true, NULL);
    if (p.bounds)
        fe_program_write(
            r, arena_printf(r->out->mem, "%s%.*s", p.access, (int)(out->end - p.end), in->text + p.end), out);
    return p.bounds;
}

bool fe_program_coordinate(fe_program_reader *r, const fe_piece *piece, fe_piece *out, fe_steps *steps) {
    fe_in settings = {.integers = r->in->integers};
    const fe_piece plain = fe_program_semiring(r, piece, &settings);
    const fe_reader in = fe_read_piece(&plain), sign = at_sign(in);
    right_side right = {.r = r, .steps = steps};
    *out = *piece;
    if (write_numbers(r, &in, out)) {
        const fe_piece numbers = *out;
        return fe_program_coordinate(r, &numbers, out, steps);
    }
    if (!set_outside(r, &settings))
        return false;
    if (piece->value) {
        const bool ok = write_right(&right, in, piece->end);
        if (ok && right.changed)
            fe_program_write(r, right.text, out);
        return ok;
    }
    if (sign.token.kind == FE_END || is_new_result(r, in))
        return true;
    right.indexed = !r->within_multi && has_indices(r, in);
    const bool scatters = fe_program_scatters(&in);
    const placed left = is_access(r, &in) && !scatters ? read_access(r, in, true, steps) : (placed){0};
    const bool adds = fe_at_sign(&sign, '+');
    const fe_reader rest = behind(sign, adds);
    if (!write_right(&right, rest, plain.end))
        return false;
    if (!right.changed && !left.count && !scatters)
        return true;
    const char *first = piece->text + piece->first,
               *start = arena_strndup(r->out->mem, first, (size_t)(rest.token.at - first));
    const char *text = write_statement(&right, &left, in, start, adds);
    if (text && settings.semiring)
        text = arena_printf(r->out->mem, "%s semiring %s", text, settings.semiring);
    if (text)
        fe_program_write(r, text, out);
    return text;
}
