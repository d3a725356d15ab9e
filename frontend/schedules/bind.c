/* bind(e, host) makes a kernel for the host: operands of e that are not stored have workspaces. bind(e, f) is
 * the same for a described function f called by e. If f states an expression, the kernel is as for
 * precompute, with as many of the sums around e as f has, and calls of f compute the kernel; map(e, f) finds
 * the arguments. */
#include "frontend/schedules/bind.h"
#include "frontend/functions/described.h"
#include "frontend/functions/mapping.h"
#include "frontend/language/cin_dump.h"
#include "frontend/language/expression.h"
#include "frontend/language/load.h"
#include "frontend/language/relations.h"
#include "frontend/language/statement.h"
#include "frontend/schedules/split_subexprs.h"
#include "frontend/schedules/subexpr_singles.h"

/* Drops tensors after the first n without an access: for B(i+1), a window of B, the statement has only the
 * window. */
static void drop_unused(sam_statement *s, uint32_t n) {
    for (uint32_t e = 0; e < s->exprs.len; e++) {
        if (s->exprs.at[e].kind == SAM_EXPR_ACCESS && s->exprs.at[e].tensor.v > n)
            return;
    }
    s->tensors.len = n;
}

/* Reads the subexpression. */
bool fe_parse_subexpr(fe_reader *in, sam_statement *s, fe_subexpr_request *r, diagnostics *d) {
    const uint32_t vars = s->vars.len, tensors = s->tensors.len, exprs = s->exprs.len;
    src_loc first = in->token.loc;
    r->want = fe_parse_terms(in, s, d);
    in->underscores = true; /* as names of loops have */
    if (!r->want.v)
        return false;
    r->loc = sam_expr_at(s, r->want)->loc;
    fe_adopt_singles(s, vars, exprs, &r->want);
    drop_unused(s, tensors);
    if (s->vars.len != vars || s->tensors.len != tensors)
        return diag_error(d, r->loc, "E0151-subexpression", "the expression has no '%s'",
                          s->tensors.len != tensors ? fe_tensor_text(s, (sam_tensor){tensors + 1})
                                                    : fe_var_text(s, (sam_var){vars + 1}));
    r->loc = src_at(first.source, first.offset, in->token.loc.offset - first.offset);
    return true;
}

/* ---- bind(e, host) --------------------------------------------------------------------------- */

static bool unbound(const fe_user_function *f, const fe_subexpr_request *r, diagnostics *d,
                    fe_mismatch what) {
    diag_error(d, r->loc, "E0167-bind", "'%s' does not compute this: %s: %s", r->family ? r->family : f->name,
               fe_step_text(what.step), what.why);
    const bool tags = what.step == FE_CONSTRAINTS && f->described->states.tags.len;
    return diag_hint(
        d, tags ? "tag(T,word) before it says so of a tensor; a workspace as A(i,k) + A(k,i) is found "
                  "to be symmetric"
           : f->described->array ? "its description says what it computes"
                                 : "bind the call of the function alone, or bind(e,host)");
}

static bool has_type(const fe_user_function *f, const sam_statement *s, const fe_subexpr_request *r,
                     diagnostics *d) {
    const char *why = f->described->q15 ? "it is of q15, which saturates where int16 wraps and bf16 rounds"
                      : s->integers     ? "it is of no int16"
                                        : "it is of no bf16";
    return !f->other_type || unbound(f, r, d, (fe_mismatch){FE_DATATYPES, why});
}

/* Returns whether the described function computes the subexpression; checks the data type before the
 * operator. */
static bool computes(const fe_user_function *f, const sam_statement *s, const fe_subexpr_request *r,
                     diagnostics *d) {
    const sam_expr_data *x = sam_expr_at(s, r->want);
    if (!has_type(f, s, r, d))
        return false;
    if (x->kind == SAM_EXPR_SUM)
        return unbound(f, r, d, (fe_mismatch){FE_OPERATORS, "a reduction is an operator, and it has none"});
    return x->program == f->described->program ||
           unbound(f, r, d, (fe_mismatch){FE_OPERATORS, "the outermost one is not this function"});
}

/* Reads who computes the subexpression: the host, where *f is NULL, or a described function. */
static bool read_who(fe_reader *in, const fe_user_function **f, const char **family, diagnostics *d) {
    *f = NULL;
    *family = NULL;
    for (uint32_t i = 0; in->functions && i < in->functions->all.len; i++) {
        const fe_user_function *one = &in->functions->all.at[i];
        if (!one->described || one->described->rule)
            continue;
        if (fe_is_word(&in->token, one->name))
            *f = one;
        if (one->described->family && !*f && fe_is_word(&in->token, one->described->family)) {
            *f = one;
            *family = one->described->family;
        }
    }
    if (!*f && !fe_is_word(&in->token, "host")) {
        fe_expected(in, "'host', or a function of --functions that is described", d);
        return diag_hint(
            d, "--functions library has those that ship, --functions FILE.xf yours; 'onyx functions' "
               "lists them");
    }
    return fe_advance(in);
}

static bool is_scheduled(const fe_kernel *k, const fe_subexpr_request *r, diagnostics *d) {
    if (!k->relations.len && !k->tags.len)
        return false;
    diag_error(d, r->loc, "E0141-replaced-loop", "the kernel has been scheduled already");
    diag_hint(d, "bind first, then schedule the loops of the kernels on the array");
    diag_note(d, k->relations.len ? k->relations.at[0].loc : k->tags.at[0].loc, "by this");
    return true;
}

static bool bind_to_host(const fe_subexpr_request *r, const fe_kernel *reads, fe_cin *cin, arena *mem,
                         diagnostics *d) {
    fe_cin made = {0};
    fe_splitting t = {.s = reads->s, .mem = mem, .k = reads, .existing = cin, .out = &made};
    fe_search f = {.s = &t.s, .want = r->want, .mem = mem};
    if (!fe_find_subexpr(&f, r, d) || is_scheduled(reads, r, d))
        return false;
    const sam_expr at = *f.place;
    const bool whole = at.v == t.s.rhs.v && !f.others.len;
    const sam_expr subexpr = fe_split_for_host(&t, f.others.len ? r->want : at, true);
    if (whole) {
        t.s.rhs = subexpr;
    } else {
        const sam_expr value = fe_with_others(&f, &t.s, fe_split_out(&t, subexpr, true));
        *sam_expr_at(&t.s, at) = *sam_expr_at(&t.s, value);
    }
    fe_end_splitting(&t, whole);
    cin->kernels.len--;
    for (uint32_t n = 0; n < made.kernels.len; n++)
        vec_push(mem, &cin->kernels, made.kernels.at[n]);
    return true;
}

/* ---- bind(e, f) of a function with a stated expression ------------------------------------------- */

/* Returns whether the subexpression is the whole right side, except for sums inside. */
static bool is_all(const fe_search *f, uint64_t moved) {
    const sam_statement *s = f->s;
    const sam_expr *e = &s->rhs;
    for (const sam_expr_data *x; (x = sam_expr_at(s, *e))->kind == SAM_EXPR_SUM && e != f->place; e = &x->a) {
        if (!(moved >> (x->var.v - 1) & 1))
            return false;
    }
    return e == f->place && !f->others.len;
}

/* Makes the subexpression a kernel, in place if the subexpression is the whole right side. */
static fe_taken_out take_subexpr(const fe_search *f, const fe_subexpr_request *r, const fe_kernel *reads,
                                 uint64_t moved, const fe_cin *cin) {
    fe_taken_out t = {.whole = is_all(f, moved), .k = *reads};
    if (t.whole) {
        fe_copy_statement(f->s, f->mem, &t.k.s);
        fe_compact(&t.k.s);
    } else {
        t = fe_take_out(f, r, reads, moved, cin);
    }
    t.k.on_host = true;
    t.k.binding = r->said;
    return t;
}

/* Calls the checker with the subexpression as text. */
static bool is_permitted(const fe_user_function *f, const fe_kernel *k, const fe_subexpr_request *r,
                         diagnostics *d) {
    if (!f->described->checker)
        return true;
    sam_foreign *of = fe_load_described(f->described, r->loc, d) ? f->described->foreign : NULL;
    return of && (sam_foreign_checks(of, fe_expr_text(k, r->want, d->mem)) ||
                  (sam_foreign_ended(of, f->name, f->loc, d) &&
                   unbound(f, r, d,
                           (fe_mismatch){FE_CHECKER,
                                         arena_printf(d->mem, "%s refuses it", f->described->checker)})));
}

/* Returns whether calls can have blocks of the loops of a kernel: loops of split and divide, once. */
static bool are_sizes(const fe_kernel *k) {
    bool are = !k->tags.len;
    for (uint32_t i = 0; i < k->relations.len; i++) {
        const fe_relation *r = &k->relations.at[i];
        are = are && (r->kind == FE_SPLIT || r->kind == FE_DIVIDE) && !fe_making(k, r->var[0]);
    }
    return are;
}

/* Tries the subexpression with as many of the outer sums as possible, then with fewer. */
static bool find_call(const fe_search *f, const fe_subexpr_request *r, const fe_kernel *reads,
                      const fe_cin *cin, fe_taken_out *out) {
    const uint64_t all = fe_movable_sums(f, r);
    for (uint64_t moved = all;; moved = (moved - 1) & all) {
        sam_binding unused;
        *out = take_subexpr(f, r, reads, moved, cin);
        const fe_mismatch what = r->maps ? fe_find_mapping(&out->k, r->function, f->mem)
                                         : fe_match(&out->k, r->function, f->mem, &unused);
        if (what.step == FE_MATCHED)
            return true;
        if (what.step > r->failed->step)
            *r->failed = what;
        if (!moved)
            return false;
    }
}

/* Returns the cost of a mapping, from its fixed indices and promoted operands; another function of the family
 * may need fewer. */
static uint32_t effort(const fe_kernel *k) {
    uint32_t promoted = 0;
    for (uint32_t i = 0; i < k->binding.notes.len; i++)
        promoted += k->binding.notes.at[i].kind == FE_PROMOTED;
    return 64 * (uint32_t)__builtin_popcountll(k->binding.fixed) + promoted;
}

/* Tries the function, or all members of a named family; chooses the member of least effort. */
static bool find_member(const fe_search *f, fe_subexpr_request *r, const fe_functions *all,
                        const fe_kernel *reads, const fe_cin *cin, fe_taken_out *out) {
    const fe_user_function *best = NULL;
    fe_subexpr_request one = *r;
    for (uint32_t i = 0; i < all->all.len; i++) {
        fe_taken_out t;
        one.function = &all->all.at[i];
        if (one.function != r->function && !(r->family && fe_is_member(one.function, r->family)))
            continue;
        if (!find_call(f, &one, reads, cin, &t) || (best && effort(&t.k) >= effort(&out->k)))
            continue;
        *out = t;
        best = one.function;
    }
    r->function = best ? best : r->function;
    return best;
}

static bool bind_to_function(fe_subexpr_request *r, const fe_functions *all, fe_kernel *reads, fe_cin *cin,
                             arena *mem, diagnostics *d) {
    fe_search f = {.s = &reads->s, .want = r->want, .mem = mem};
    fe_taken_out t;
    if (!fe_find_subexpr(&f, r, d))
        return false;
    const bool whole = is_all(&f, fe_movable_sums(&f, r));
    if ((!whole || r->maps || !are_sizes(reads)) && is_scheduled(reads, r, d))
        return false;
    if ((!r->maps && !is_permitted(r->function, reads, r, d)) || !has_type(r->function, &reads->s, r, d))
        return false;
    if (!find_member(&f, r, all, reads, cin, &t))
        return unbound(r->function, r, d, *r->failed);
    if (r->maps && !is_permitted(r->function, reads, r, d)) /* a search asks it last */
        return false;
    t.k.binding.function = names_intern(reads->s.names, r->function->name);
    cin->kernels.at[cin->kernels.len - 1] = t.k;
    if (t.whole)
        return true;
    const sam_expr at = *f.place; /* invalid once the tree grows */
    fe_put_in_place(&f, reads, at, fe_access_to(&reads->s, &t), t.moved);
    vec_push(mem, &cin->kernels, *reads);
    return true;
}

/* Refuses fix, promote and tag for a function without a stated expression. */
static bool nothing_said(const fe_binding *said, const fe_subexpr_request *r, diagnostics *d) {
    if (!said->fixed && !said->notes.len)
        return true;
    diag_error(d, r->loc, "E0167-bind", "fix, promote and tag are for functions that state an expression");
    return diag_hint(d, "bind(e,gemm), for example");
}

bool fe_bind(fe_reader *in, fe_taking how, fe_binding *said, fe_cin *cin, diagnostics *d) {
    arena *mem = cin->kernels.at[0].s.mem;
    const fe_kernel *last = &cin->kernels.at[cin->kernels.len - 1];
    fe_kernel reads = *last;
    fe_mismatch failed = {FE_CHECKER, ""};
    fe_subexpr_request r = {.said = *said, .maps = how == FE_TO_MAP, .failed = &failed};
    fe_copy_statement(&last->s, mem, &reads.s);
    if (!fe_parse_subexpr(in, &reads.s, &r, d) || !fe_want_sign(in, ',', "',' and who computes it", d) ||
        !read_who(in, &r.function, &r.family, d))
        return false;
    if (r.maps && fe_at_sign(in, ',')) {
        diag_error(d, in->token.loc, "E0167-bind", "map has an expression and a function");
        return diag_hint(
            d, "map(S,backend,f,c) is Stardust's: here it is map(e,f), and what c says are commands "
               "such as split");
    }
    *said = (fe_binding){0};
    if (r.function && r.function->described->array && r.function->described->states.tags.len)
        fe_derive_tags(cin, &reads, in->functions, mem, &r.said);
    if (r.function && r.function->described->array)
        return bind_to_function(&r, in->functions, &reads, cin, mem, d);
    if (r.maps && !r.function) {
        diag_error(d, r.loc, "E0167-bind", "nothing is to be found for the host: it computes any expression");
        return diag_hint(d, "bind(e,host)");
    }
    return nothing_said(&r.said, &r, d) && (!r.function || computes(r.function, &reads.s, &r, d)) &&
           bind_to_host(&r, &reads, cin, mem, d);
}
