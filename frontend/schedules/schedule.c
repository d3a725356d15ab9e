/* schedule.c - the schedule language, as in taco: commands that rewrite concrete index notation, one after
 * the other. Each checks its preconditions; expand.c and unroll.c decide the hardware's form of the result.
 * precompute is in precompute.c, words and numbers are in words.c. */
#include "frontend/schedules/schedule.h"
#include "frontend/language/expression.h"
#include "frontend/language/relations.h"
#include "frontend/language/settings.h"
#include "frontend/language/statement.h"
#include "frontend/language/words.h"
#include "frontend/schedules/environment.h"
#include "frontend/schedules/loops.h"
#include "frontend/schedules/macros.h"
#include "frontend/schedules/precompute.h"

/* ---- copies ---------------------------------------------------------------------------------- */

static bool add_tag(fe_scheduler *c, fe_kernel *k, fe_tag tag) {
    fe_drop_hint(c, k, tag.loop);
    const fe_tag *first = fe_tag_of(k, tag.loop);
    if (first && tag.hint) {
        diag_note(c->d, tag.loc, "this changes nothing: loop '%s' has %u copies already",
                  fe_var_text(&k->s, tag.loop), first->copies);
        return true;
    }
    if (first) {
        diag_error(c->d, c->name.loc, "E0145-second-tag", "loop '%s' has copies already",
                   fe_var_text(&k->s, tag.loop));
        return diag_note(c->d, first->loc, "the first command");
    }
    vec_push(c->mem, &k->tags, tag);
    return true;
}

/* Takes the name of an absent loop: of a workspace left out, or of a replaced loop. */
static bool take_absent(fe_scheduler *c) {
    if (c->in.token.kind != FE_NAME)
        return false;
    name_id name = names_intern_n(c->cin->kernels.at[0].s.names, c->in.token.at, c->in.token.length);
    bool known = false;
    for (uint32_t n = 0; n < c->cin->kernels.len; n++) {
        const fe_kernel *k = &c->cin->kernels.at[n];
        sam_var v = fe_find_var(&k->s, name);
        if (!v.v)
            continue;
        v = fe_bounded_by(k, v);
        if (fe_loop_position(&k->s, v) < k->s.loops.len)
            return false;
        known = true;
    }
    if (known)
        fe_advance(&c->in);
    return known;
}

static void note_absent(fe_scheduler *c, const fe_token *loop) {
    diag_note(c->d, c->name.loc, "this changes nothing: there is no loop '%.*s' in the graph",
              (int)loop->length, loop->at);
}

/* Reads how often a loop's body is wanted, as any number: more copies than a graph can have are a wish. */
static bool parse_copies(fe_scheduler *c, fe_tag *tag) {
    if (!fe_parse_number(&c->in, 0, UINT16_MAX, c->d, &tag->copies))
        return false;
    if (tag->copies <= FE_MAX_COPIES)
        return true;
    diag_note(c->d, tag->loc, "%u copies are more than a graph has; %u are made", tag->copies, FE_MAX_COPIES);
    tag->copies = FE_MAX_COPIES;
    return true;
}

static bool do_unroll(fe_scheduler *c) {
    fe_kernel *k = NULL;
    fe_tag tag = {.kind = FE_UNROLL, .loc = c->name.loc};
    const fe_token loop = c->in.token;
    const bool absent = take_absent(c);
    if ((!absent && !fe_parse_loop(c, &k, &tag.loop)) || !fe_take(c, ',') || !parse_copies(c, &tag))
        return false;
    if (absent)
        note_absent(c, &loop);
    else if (!tag.copies)
        diag_note(c->d, tag.loc, "this changes nothing: no copies are asked for");
    return absent || !tag.copies || add_tag(c, k, tag);
}

static bool is_sum(const fe_kernel *k, sam_var loop) {
    uint64_t roots = fe_roots_of(k, loop);
    for (uint32_t v = 1; v <= k->s.vars.len; v++) {
        if ((roots >> (v - 1) & 1) && !sam_is_result_var(&k->s, (sam_var){v}))
            return true;
    }
    return false;
}

/* Tells the effect of taco's words without a counterpart in the hardware. */
static void note_hint(fe_scheduler *c, const fe_kernel *k, const fe_tag *tag) {
    const char *loop = fe_var_text(&k->s, tag->loop);
    const char *lacks = tag->unit >= FE_BLOCK         ? "the array is no GPU: "
                        : tag->strategy == FE_ATOMICS ? "one reducer adds up, without atomic operations: "
                                                      : "";
    if (tag->copies > 1 && *lacks)
        diag_note(c->d, tag->loc, "%sthe body of loop '%s' has %u copies, one for each iteration", lacks,
                  loop, tag->copies);
    else if (tag->copies == 1 && fe_known_extent(k, tag->loop) != 1)
        diag_note(c->d, tag->loc, "%sthe iterations of loop '%s' run one after the other, since they are %s",
                  lacks, loop, fe_known_extent(k, tag->loop) ? "too many for copies" : "not known to be few");
}

/* A hint on a replaced loop has no effect, as in taco. */
static bool hints_at_absent(fe_scheduler *c) {
    const fe_reader start = c->in;
    diagnostics unheard;
    fe_tag tag = {.loc = c->name.loc};
    bool parallel;
    diag_init(&unheard, c->mem);
    if (take_absent(c) && fe_take_sign(&c->in, ',') && fe_parse_parallel(&c->in, &unheard, &tag, &parallel) &&
        tag.hint) {
        note_absent(c, &start.token);
        return true;
    }
    c->in = start;
    return false;
}

static bool do_parallelize(fe_scheduler *c) {
    fe_kernel *k = NULL;
    fe_tag tag = {.loc = c->name.loc};
    bool parallel;
    src_loc loop = c->in.token.loc;
    if (hints_at_absent(c))
        return true;
    if (!fe_parse_loop(c, &k, &tag.loop) || !fe_take(c, ',') ||
        !fe_parse_parallel(&c->in, c->d, &tag, &parallel))
        return false;
    if (!parallel)
        return true;
    if (tag.strategy == FE_NO_RACES && is_sum(k, tag.loop) && !tag.hint) {
        diag_error(c->d, loop, "E0146-race", "loop '%s' is a sum: its iterations race for one value",
                   fe_var_text(&k->s, tag.loop));
        return diag_hint(c->d, "use the strategy Temporary: the copies' values meet in one reducer");
    }
    fe_count_copies(k, &tag);
    note_hint(c, k, &tag);
    return add_tag(c, k, tag);
}

/* ---- reorder --------------------------------------------------------------------------------- */

/* The loops that a reorder lists, in its order. */
typedef struct {
    const fe_token *at;
    uint32_t n;
} listed_loops;

/* Reads the token's loop of a kernel; no loop if the kernel has none of this name. */
static sam_var loop_named(const fe_kernel *k, const fe_token *t) {
    sam_var v = fe_find_var(&k->s, names_intern_n(k->s.names, t->at, t->length));
    v = v.v ? fe_bounded_by(k, v) : v;
    return v.v && fe_loop_position(&k->s, v) < k->s.loops.len ? v : (sam_var){0};
}

/* The places of the kernel's listed loops receive the listed order; the other loops stay. */
static bool order_loops(const fe_scheduler *c, fe_kernel *k, listed_loops all) {
    fe_vars listed = {0};
    uint64_t in_list = 0;
    for (uint32_t i = 0; i < all.n; i++) {
        const sam_var v = loop_named(k, &all.at[i]);
        if (!v.v)
            continue;
        if (in_list >> (v.v - 1) & 1)
            return diag_error(c->d, all.at[i].loc, "E0114-schedule-variable", "'%s' is listed twice",
                              fe_var_text(&k->s, v));
        in_list |= (uint64_t)1 << (v.v - 1);
        vec_push(c->mem, &listed, v);
    }
    for (uint32_t i = 0, next = 0; i < k->s.loops.len; i++) {
        if (in_list >> (k->s.loops.at[i].v - 1) & 1)
            k->s.loops.at[i] = listed.at[next++];
    }
    if (listed.len > 1 || all.n == 1) {
        k->order_at = k->ordered ? k->order_at : c->name.loc;
        k->ordered = true;
    }
    return true;
}

/* Loops that the first loop's kernel lacks are those of another kernel, which takes its loops of the order.
 */
static bool do_reorder(fe_scheduler *c) {
    VEC(fe_token) names = {0};
    uint64_t ordered = 0; /* kernels, a bit for each */
    fe_kernel *first = NULL;
    const bool braces = fe_take_sign(&c->in, '{');
    do {
        const fe_token name = c->in.token;
        fe_kernel *k = first && name.kind == FE_NAME && loop_named(first, &name).v ? first : NULL;
        sam_var v;
        if (!fe_parse_loop(c, &k, &v))
            return false;
        first = first ? first : k;
        ordered |= (uint64_t)1 << (k - c->cin->kernels.at);
        vec_push(c->mem, &names, name);
    } while (fe_take_sign(&c->in, ','));
    bool ok = !braces || fe_want_sign(&c->in, '}', "'}'", c->d);
    const int several = __builtin_popcountll(ordered);
    if (several > 1)
        diag_note(c->d, c->name.loc, "each of %d kernels takes its own loops of these in this order",
                  several);
    for (uint32_t n = 0; n < c->cin->kernels.len; n++) {
        if (ordered >> n & 1)
            ok = ok && order_loops(c, &c->cin->kernels.at[n], (listed_loops){names.at, names.len});
    }
    return ok;
}

/* taco's assemble(A,Insert) or assemble(A,Append[,true]): when the result's levels are made. */
static bool do_assemble(fe_scheduler *c) {
    static const char *const when[] = {"Insert", "Append"}, *const apart[] = {"true", "false"};
    const fe_token name = c->in.token;
    if (name.kind != FE_NAME)
        return fe_syntax(c, "the result");
    const sam_statement *s = &c->cin->kernels.at[0].s;
    name_id tensor = names_intern_n(s->names, name.at, name.length);
    bool result = false;
    for (uint32_t n = 0; n < c->cin->kernels.len; n++)
        result = result || fe_find_tensor(&c->cin->kernels.at[n].s, tensor).v == 1;
    if (!result)
        return diag_error(c->d, name.loc, "E0103-unknown-tensor", "'%.*s' is not the result",
                          (int)name.length, name.at);
    fe_advance(&c->in);
    if (!fe_take(c, ','))
        return false;
    if (!fe_is_word(&c->in.token, when[0]) && !fe_is_word(&c->in.token, when[1]))
        return fe_syntax(c, "Insert or Append");
    fe_advance(&c->in);
    if (fe_take_sign(&c->in, ',')) {
        if (!fe_is_word(&c->in.token, apart[0]) && !fe_is_word(&c->in.token, apart[1]))
            return fe_syntax(c, "true or false");
        fe_advance(&c->in);
    }
    diag_note(c->d, c->name.loc,
              "this changes nothing: writers always build the result's levels while they compute");
    return true;
}

/* taco's mergeby(i,Gallop) and wsaccel(w,false): how loops of C go through coordinates. */
static bool do_nothing(fe_scheduler *c) {
    diag_note(c->d, c->name.loc,
              "this changes nothing: joiners merge coordinates, and workspaces are compressed");
    while (c->in.token.kind != FE_END && !fe_at_sign(&c->in, ')'))
        fe_advance(&c->in);
    return true;
}

static bool do_precompute(fe_scheduler *c) {
    return fe_precompute(&c->in, FE_TO_WORKSPACE, c->said, c->cin, c->d);
}

static bool do_bind(fe_scheduler *c) {
    return fe_precompute(&c->in, FE_TO_BIND, c->said, c->cin, c->d);
}

static bool do_map(fe_scheduler *c) {
    return fe_precompute(&c->in, FE_TO_MAP, c->said, c->cin, c->d);
}

/* ---- commands that expand to others --------------------------------------------------------------- */

static bool parse_command(fe_scheduler *c);

/* Applies commands separated by commas. */
static bool apply_text(const fe_scheduler *as, const char *text) {
    fe_scheduler c = *as;
    c.in = fe_read("<schedule>", text, c.d);
    c.in.underscores = true;
    c.in.functions = as->in.functions;
    bool good = true;
    while (good && c.in.token.kind != FE_END) {
        good = parse_command(&c);
        while (fe_take_sign(&c.in, ',') || fe_take_sign(&c.in, ';'))
            ;
    }
    return good;
}

/* Stardust's sPromote(): sums get scalars. */
static bool do_promote_sums(fe_scheduler *c) {
    return apply_text(c, fe_promoted(c->cin, c->mem));
}

/* Takes "loop, Reduction, n)" but for the last sign: Stardust's word for a sum that is taken in n lanes. */
static bool take_reduction(fe_scheduler *c) {
    fe_reader ahead = c->in;
    fe_kernel *k = NULL;
    sam_var v;
    uint32_t lanes;
    fe_advance(&ahead);
    if (!fe_take_sign(&ahead, ',') || !fe_is_word(&ahead.token, "Reduction"))
        return false;
    c->in.underscores = true;
    if (!fe_parse_loop(c, &k, &v) || !fe_take(c, ','))
        return false;
    fe_advance(&c->in);
    if (!fe_take(c, ',') || !fe_parse_number(&c->in, 1, UINT16_MAX, c->d, &lanes))
        return false;
    diag_note(c->d, c->name.loc,
              "this changes nothing: a reducer of loop '%s' takes one value in a cycle, in one lane",
              fe_var_text(&k->s, v));
    return true;
}

/* Stardust's parallel(i,Reduction,n). */
static bool do_parallel(fe_scheduler *c) {
    const uint32_t errors = c->d->errors;
    return take_reduction(c) || (c->d->errors == errors && fe_syntax(c, "a loop, Reduction and a number"));
}

/* Stardust's accelerate(e,f): expressions unsuitable as operands of f get workspaces, and calls of f compute
 * e. Stored operands need none: all operands lie in the global buffer during a kernel. */
static bool do_accelerate(fe_scheduler *c) {
    const uint32_t errors = c->d->errors;
    if (take_reduction(c) || c->d->errors != errors)
        return c->d->errors == errors;
    const char *text = fe_accelerated(&c->in, c->cin, c->d);
    return text && apply_text(c, text);
}

/* Stardust's communicate(X(i,j),j): the loop of a tensor's transfers. */
static bool do_communicate(fe_scheduler *c) {
    const fe_token name = c->in.token;
    const sam_statement *last = &c->cin->kernels.at[c->cin->kernels.len - 1].s;
    sam_statement s;
    sam_expr_data access;
    fe_kernel *k = NULL;
    sam_var v;
    fe_copy_statement(last, c->mem, &s);
    if (name.kind != FE_NAME)
        return fe_syntax(c, "a tensor");
    if (!fe_find_tensor(&s, names_intern_n(s.names, name.at, name.length)).v)
        return diag_error(c->d, name.loc, "E0103-unknown-tensor", "there is no tensor '%.*s'",
                          (int)name.length, name.at);
    if (!fe_parse_access(&c->in, &s, c->d, &access))
        return false;
    c->in.underscores = true;
    if (!fe_take(c, ',') || !fe_parse_loop(c, &k, &v))
        return false;
    diag_note(c->d, c->name.loc,
              "this changes nothing: of %.*s a sub-tile is in the array's memories, and a batch of them in "
              "the global buffer; --tile and --glb-tile say how much that is",
              (int)name.length, name.at);
    return true;
}

/* ---- statements for the next bind, or map ------------------------------------------------------ */

static bool do_fix(fe_scheduler *c) {
    fe_kernel *last = &c->cin->kernels.at[c->cin->kernels.len - 1];
    *c->said_at = c->name.loc;
    do {
        sam_var v;
        const src_loc loc = c->in.token.loc;
        if (!fe_parse_loop(c, &last, &v))
            return false;
        if (fe_making(last, v)) {
            diag_error(c->d, loc, "E0167-bind", "loop '%s' is a part of another", fe_var_text(&last->s, v));
            return diag_hint(c->d, "a call has the inner part whole, and one coordinate of the outer one");
        }
        c->said->fixed |= (uint64_t)1 << (v.v - 1);
    } while (fe_take_sign(&c->in, ','));
    return true;
}

/* Reads an operand of the last kernel. */
static bool parse_operand(fe_scheduler *c, sam_tensor *t) {
    const sam_statement *s = &c->cin->kernels.at[c->cin->kernels.len - 1].s;
    const fe_token at = c->in.token;
    if (at.kind != FE_NAME)
        return fe_syntax(c, "a tensor");
    *t = fe_find_tensor(s, names_intern_n(s->names, at.at, at.length));
    if (t->v <= 1)
        return diag_error(c->d, at.loc, "E0103-unknown-tensor", "the expression has no operand '%.*s'",
                          (int)at.length, at.at);
    fe_advance(&c->in);
    *c->said_at = c->name.loc;
    return fe_take(c, ',');
}

static bool do_promote(fe_scheduler *c) {
    const sam_statement *s = &c->cin->kernels.at[c->cin->kernels.len - 1].s;
    fe_binding_note note = {.kind = FE_PROMOTED};
    sam_tensor t;
    if (!parse_operand(c, &t))
        return false;
    uint32_t order = sam_tensor_at(s, t)->order;
    note.tensor = sam_tensor_at(s, t)->name;
    for (uint32_t i = 0; i < c->said->notes.len; i++)
        order +=
            c->said->notes.at[i].kind == FE_PROMOTED && name_eq(c->said->notes.at[i].tensor, note.tensor);
    if (order == SAM_MAX_ORDER)
        return diag_error(c->d, c->name.loc, "E0118-too-large", "more than %d indices", SAM_MAX_ORDER);
    if (!fe_parse_number(&c->in, 0, order, c->d, &note.position))
        return false;
    vec_push(c->mem, &c->said->notes, note);
    return true;
}

static bool do_tag(fe_scheduler *c) {
    const sam_statement *s = &c->cin->kernels.at[c->cin->kernels.len - 1].s;
    fe_binding_note note = {.kind = FE_TAGGED};
    sam_tensor t;
    if (!parse_operand(c, &t))
        return false;
    if (c->in.token.kind != FE_NAME)
        return fe_syntax(c, "a tag");
    note.tensor = sam_tensor_at(s, t)->name;
    note.tag = names_intern_n(s->names, c->in.token.at, c->in.token.length);
    vec_push(c->mem, &c->said->notes, note);
    return fe_advance(&c->in);
}

/* The command of the program has taken the settings: the loops stay. */
static bool do_environment(fe_scheduler *c) {
    fe_environment one;
    const char *is = fe_fixed_environment(&c->in.token);
    if (is)
        diag_note(c->d, c->name.loc, "this changes nothing: '%.*s' is %s", (int)c->in.token.length,
                  c->in.token.at, is);
    return fe_take_environment(&c->in, c->mem, c->d, &one) &&
           fe_add_environment(c->environments, &one, c->mem, c->d);
}

/* ---- the language ---------------------------------------------------------------------------- */

static const struct {
    const char *name, *usage;
    bool (*apply)(fe_scheduler *c);
    bool of_expression; /* which its arguments begin with */
} commands[] = {
    {"reorder", "reorder(i,j,...)", do_reorder, false},
    {"split", "split(i,i0,i1,size)", fe_do_split, false},
    {"divide", "divide(i,i0,i1,parts)", fe_do_split, false},
    {"pos", "pos(i,ip,B)", fe_do_pos, false},
    {"fuse", "fuse(i,j,f)", fe_do_fuse, false},
    {"precompute", "precompute(B(i,k)*C(k,j),{i,j},{iw,jw},w)", do_precompute, true},
    {"bind", "bind(b(i)/c(i),host)", do_bind, true},
    {"map", "map(B(i,k)*C(k,j),gemm)", do_map, true},
    {"fix", "fix(i,...)", do_fix, false},
    {"promote", "promote(B,0)", do_promote, false},
    {"tag", "tag(B,symmetric)", do_tag, false},
    {"bound", "bound(i,ib,extent,MaxExact)", fe_do_bound, false},
    {"unroll", "unroll(i,copies)", do_unroll, false},
    {"parallelize", "parallelize(i,Lanes(4),NoRaces)", do_parallelize, false},
    {"assemble", "assemble(X,Insert)", do_assemble, false},
    {"accelerate", "accelerate((A(i,k)+B(i,k))*C(k,j),gemm)", do_accelerate, true},
    {"sPromote", "sPromote()", do_promote_sums, false},
    {"communicate", "communicate(X(i,j),j)", do_communicate, true},
    {"environment", "environment(unroll,2)", do_environment, false},
    {"env", "env(unroll,2)", do_environment, false},
    {"parallel", "parallel(i,Reduction,16)", do_parallel, false},
    {"mergeby", "mergeby(i,Gallop)", do_nothing, false},
    {"wsaccel", "wsaccel(w,false)", do_nothing, false},
};

static bool parse_command(fe_scheduler *c) {
    c->name = c->in.token;
    c->usage = NULL;
    if (c->name.kind != FE_NAME)
        return fe_syntax(c, "a scheduling command such as reorder(i,j)");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (!fe_is_word(&c->name, commands[i].name))
            continue;
        c->usage = commands[i].usage;
        fe_advance(&c->in);
        c->in.underscores = !commands[i].of_expression;
        if (!fe_take(c, '(') || !commands[i].apply(c))
            return false;
        const bool list = commands[i].apply == do_reorder || commands[i].apply == do_fix;
        return fe_take_sign(&c->in, ')') || fe_syntax(c, list ? "',' or ')'" : "')'");
    }
    diag_error(c->d, c->name.loc, "E0113-schedule-command", "unknown scheduling command '%.*s'",
               (int)c->name.length, c->name.at);
    return diag_hint(c->d, "the commands are reorder, split, divide, pos, fuse, precompute, bind, map, "
                           "fix, promote, tag, bound, unroll, parallelize, assemble, accelerate, "
                           "sPromote, communicate, environment");
}

bool fe_schedule(const fe_in *in, const sam_statement *s, arena *mem, diagnostics *d, fe_cin *out) {
    fe_kernel only = {0};
    *out = (fe_cin){0};
    fe_copy_statement(s, mem, &only.s);
    while (only.s.tensors.at[only.s.tensors.len - 1].border.spare)
        only.s.tensors.len--; /* what only the host reads */
    for (uint32_t v = 0; in->extents && v < s->vars.len; v++) {
        if (!only.s.vars.at[v].extent)
            only.s.vars.at[v].extent = in->extents[v];
    }
    vec_push(mem, &out->kernels, only);
    fe_binding said = {0};
    src_loc said_at = {0};
    fe_environments environments = {0};
    const fe_scheduler all = {.in = {.functions = in->functions},
                              .cin = out,
                              .mem = mem,
                              .d = d,
                              .said = &said,
                              .said_at = &said_at,
                              .environments = &environments};
    for (uint32_t i = 0; i < in->n_schedule; i++) {
        if (!apply_text(&all, in->schedule[i]))
            return false;
    }
    if (said.fixed || said.notes.len) {
        diag_error(d, said_at, "E0167-bind", "this is about the bind or map that comes next, and none does");
        return diag_hint(d, "fix(i), bind(B(i,k)*c(k),dot)");
    }
    return fe_format_workspaces(in, s, out, d) && fe_cin_check(out, d);
}
