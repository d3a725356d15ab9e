/* precompute.c - precompute(e, {i,...}, {iw,...}, w): a subexpression of the right side becomes the value of
 * a kernel of its own, w(iw,...) = e, which runs first; the right side then reads w(i,...).
 *
 * An unlisted variable of e is summed inside of the new kernel if a sum around e is over the variable,
 * nothing else in the sum has the variable, and only products are between (they distribute over the sum). Any
 * other is shared by both kernels, like a loop around taco's where, and becomes an index of w too: the
 * workspaces of all its iterations are kept.
 *
 * The subexpression may stand in the kernel of an earlier workspace, too.
 *
 * Without listed variables the temporary is a scalar at each point: a sum inside of the expression, or,
 * without a sum, an existing wire of the graph.
 */
#include "frontend/language/relations.h"
#include "frontend/language/statement.h"
#include "frontend/language/words.h"
#include "frontend/schedules/bind.h"

/* ---- the command's text ---------------------------------------------------------------------- */

static bool parse_from(fe_reader *in, const fe_kernel *k, fe_subexpr_request *r, diagnostics *d) {
    sam_var v = {0};
    if (in->token.kind != FE_NAME)
        return fe_expected(in, "an index variable", d);
    name_id name = names_intern_n(k->s.names, in->token.at, in->token.length);
    v = fe_find_var(&k->s, name);
    if (!v.v || !(fe_free_vars(&k->s, r->want) & fe_roots_of(k, v)))
        return diag_error(d, in->token.loc, "E0151-subexpression", "'%s' does not index the subexpression",
                          names_text(k->s.names, name));
    if (fe_lists_var(&r->from, v))
        return diag_error(d, in->token.loc, "E0114-schedule-variable", "'%s' is listed twice",
                          fe_var_text(&k->s, v));
    vec_push(k->s.mem, &r->from, v);
    return fe_advance(in);
}

/* Reads the same name again, or a new one. */
static bool parse_to(fe_reader *in, const fe_cin *cin, const fe_kernel *k, fe_subexpr_request *r,
                     diagnostics *d) {
    name_id name = {0};
    if (r->to.len == r->from.len)
        return diag_error(d, in->token.loc, "E0151-subexpression", "%u %s, but more names for them",
                          r->from.len, plural(r->from.len, "variable", "variables"));
    if (in->token.kind == FE_NAME)
        name = names_intern_n(k->s.names, in->token.at, in->token.length);
    bool keeps = name.v && name_eq(name, sam_var_at(&k->s, r->from.at[r->to.len])->name);
    if (!keeps && !fe_parse_new_name(in, cin, FE_NEW_VAR, d, &name))
        return false;
    if (keeps)
        fe_advance(in);
    for (uint32_t i = 0; i < r->to.len; i++) {
        if (name_eq(r->to.at[i], name))
            return diag_error(d, in->token.loc, "E0140-new-name", "'%s' is listed twice",
                              names_text(k->s.names, name));
    }
    vec_push(k->s.mem, &r->to, name);
    return true;
}

/* Reads "{i,j}" or "i"; with `second` the names are new ones. */
static bool parse_list(fe_reader *in, const fe_cin *cin, const fe_kernel *k, fe_subexpr_request *r,
                       bool second, diagnostics *d) {
    bool braces = fe_take_sign(in, '{');
    r->braces = r->braces || braces;
    if (braces && fe_take_sign(in, '}'))
        return true;
    do {
        if (!(second ? parse_to(in, cin, k, r, d) : parse_from(in, k, r, d)))
            return false;
    } while (braces && fe_take_sign(in, ','));
    return !braces || fe_want_sign(in, '}', "',' or '}'", d);
}

static bool parse_request(fe_reader *in, const fe_cin *cin, fe_kernel *k, fe_subexpr_request *r,
                          diagnostics *d) {
    if (!fe_parse_subexpr(in, &k->s, r, d) ||
        !fe_want_sign(in, ',', "',' and the variables of the workspace", d) ||
        !parse_list(in, cin, k, r, false, d) ||
        !fe_want_sign(in, ',', "',' and the variables' names in the new kernel", d) ||
        !parse_list(in, cin, k, r, true, d))
        return false;
    if (r->to.len != r->from.len)
        return diag_error(d, in->token.loc, "E0151-subexpression", "%u %s, but %u %s for them", r->from.len,
                          plural(r->from.len, "variable", "variables"), r->to.len,
                          plural(r->to.len, "name", "names"));
    return !fe_take_sign(in, ',') || fe_parse_new_name(in, cin, FE_NEW_TENSOR, d, &r->workspace);
}

/* Moves a loop of a sum that is now a subexpression of the expression inside of all outer loops. */
static void sink_loops(sam_statement *s, uint64_t bits) {
    fe_vars rest = {0};
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < s->loops.len; i++) {
            if ((bits >> (s->loops.at[i].v - 1) & 1) == pass)
                vec_push(s->mem, &rest, s->loops.at[i]);
        }
    }
    for (uint32_t i = 0; i < rest.len; i++)
        s->loops.at[i] = rest.at[i];
}

/* Returns whether commands were about a loop of the subexpression already, or about copies of a loop that
 * moves. */
static bool is_subexpr_scheduled(const fe_search *f, const fe_kernel *k, uint64_t moved) {
    const uint64_t vars = fe_free_vars(f->s, f->want);
    bool is = false;
    for (uint32_t v = 1; v <= k->s.vars.len; v++) {
        const bool tagged = (moved >> (v - 1) & 1) && fe_tag_of(k, (sam_var){v});
        is = is || ((vars >> (v - 1) & 1) && (fe_replacing(k, (sam_var){v}) || tagged));
    }
    return is;
}

/* A workspace inside of loops that were scheduled before: the graph goes without it, and what it would hold
 * is on a wire. Its loops are variables without a loop. */
static bool leave_out(const fe_subexpr_request *r, fe_kernel *k, arena *mem, diagnostics *d) {
    for (uint32_t i = 0; i < r->to.len; i++) {
        if (fe_find_var(&k->s, r->to.at[i]).v)
            continue;
        if (k->s.vars.len == 64)
            return diag_error(d, r->loc, "E0118-too-large", "more than 64 index variables");
        vec_push(mem, &k->s.vars, (sam_var_data){.name = r->to.at[i], .loc = r->loc});
    }
    diag_note(
        d, r->loc,
        "this gets no workspace, since loops of it are scheduled already; precompute first to have one");
    return true;
}

/* Returns the last kernel of the array whose right side has the subexpression; without one the last kernel.
 */
static uint32_t find_kernel(const fe_reader *in, const fe_cin *cin) {
    arena *mem = cin->kernels.at[0].s.mem;
    for (uint32_t n = cin->kernels.len; n-- > 0;) {
        fe_reader ahead = *in;
        fe_subexpr_request r = {0};
        sam_statement s;
        diagnostics unheard;
        diag_init(&unheard, mem);
        fe_copy_statement(&cin->kernels.at[n].s, mem, &s);
        fe_search f = {.s = &s, .mem = mem};
        const bool reads = !cin->kernels.at[n].on_host && fe_parse_subexpr(&ahead, &s, &r, &unheard);
        f.want = r.want;
        if (reads && fe_find_subexpr(&f, &r, &unheard))
            return n;
    }
    return cin->kernels.len - 1;
}

bool fe_precompute(fe_reader *in, fe_taking how, fe_binding *said, fe_cin *cin, diagnostics *d) {
    if (how != FE_TO_WORKSPACE)
        return fe_bind(in, how, said, cin, d);
    arena *mem = cin->kernels.at[0].s.mem;
    const uint32_t at_kernel = find_kernel(in, cin);
    fe_kernel reads = cin->kernels.at[at_kernel];
    fe_copy_statement(&cin->kernels.at[at_kernel].s, mem, &reads.s);
    fe_subexpr_request r = {0};
    if (!parse_request(in, cin, &reads, &r, d))
        return false;
    sam_statement *s = &reads.s;
    fe_search f = {.s = s, .want = r.want, .mem = mem};
    if (!fe_find_subexpr(&f, &r, d))
        return false;
    uint64_t moved = fe_movable_sums(&f, &r);
    if (is_subexpr_scheduled(&f, &reads, r.from.len ? moved : 0))
        return leave_out(&r, &cin->kernels.at[at_kernel], mem, d);
    const sam_expr at = *f.place; /* invalid once the tree grows */
    if (!r.from.len) {
        const sam_expr value = fe_with_sums(&f, s, r.want, moved);
        sink_loops(s, moved);
        fe_put_in_place(&f, &reads, at, value, moved);
        cin->kernels.at[at_kernel] = reads;
        return true;
    }
    const fe_taken_out t = fe_take_out(&f, &r, &reads, moved, cin);
    fe_put_in_place(&f, &reads, at, fe_access_to(s, &t), moved);
    vec_push(mem, &cin->kernels, reads);
    for (uint32_t n = cin->kernels.len - 1; n > at_kernel + 1; n--)
        cin->kernels.at[n] = cin->kernels.at[n - 1];
    cin->kernels.at[at_kernel] = t.k;
    cin->kernels.at[at_kernel + 1] = reads;
    return true;
}
