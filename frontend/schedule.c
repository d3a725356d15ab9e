/* schedule.c - the schedule language, as in taco: commands that rewrite concrete index notation, one after
 * the other. Each checks its preconditions; expand.c and unroll.c decide the hardware's form of the result.
 * precompute is in precompute.c, words and numbers are in words.c. */
#include "frontend/environment.h"
#include "frontend/macros.h"

typedef struct {
    fe_reader in;
    fe_cin *cin;
    arena *mem;
    diagnostics *d;
    fe_token name;     /* of the command at hand */
    const char *usage; /* how to write it */
    fe_binding *said;  /* by fix, promote and tag, of the next bind or map */
    src_loc *said_at;
} scheduler;

static bool syntax(scheduler *c, const char *what) {
    fe_expected(&c->in, what, c->d);
    if (c->usage)
        diag_hint(c->d, "write %s", c->usage);
    return false;
}

static bool take(scheduler *c, char sign) {
    if (fe_take_sign(&c->in, sign))
        return true;
    return syntax(c, sign == ',' ? "','" : sign == '(' ? "'('" : "')'");
}

/* ---- names ----------------------------------------------------------------------------------- */

static const char *loop_list(const scheduler *c) {
    const char *list = "";
    for (uint32_t n = 0; n < c->cin->kernels.len; n++) {
        const sam_statement *s = &c->cin->kernels.at[n].s;
        for (uint32_t i = 0; i < s->loops.len; i++)
            list = arena_printf(c->mem, "%s%s%s", list, *list ? ", " : "", fe_var_text(s, s->loops.at[i]));
    }
    return list;
}

/* Returns the loop that bound made of v, which is known by both names; else v. */
static sam_var bounded(const fe_kernel *k, sam_var v) {
    const fe_relation *r = fe_replacing(k, v);
    return r && r->kind == FE_BOUND ? bounded(k, r->var[1]) : v;
}

/* Reads a loop of *k, or if NULL of the last kernel with a loop of this name. */
static bool parse_loop(scheduler *c, fe_kernel **k, sam_var *v) {
    const fe_token *t = &c->in.token;
    if (t->kind != FE_NAME)
        return syntax(c, "an index variable");
    name_id name = names_intern_n(c->cin->kernels.at[0].s.names, t->at, t->length);
    const fe_relation *gone = NULL;
    bool elsewhere = false;
    for (uint32_t n = c->cin->kernels.len; n-- > 0;) {
        fe_kernel *at = &c->cin->kernels.at[n];
        sam_var found = fe_find_var(&at->s, name);
        if (!found.v)
            continue;
        found = bounded(at, found);
        gone = gone ? gone : fe_replacing(at, found);
        bool loop = fe_loop_position(&at->s, found) < at->s.loops.len;
        elsewhere = elsewhere || loop;
        if (!loop || (*k && *k != at))
            continue;
        if (at->on_host) {
            diag_error(c->d, t->loc, "E0141-replaced-loop",
                       "'%.*s' is no loop: the host computes that kernel", (int)t->length, t->at);
            diag_hint(c->d, "schedule the loops of kernels that are not bound");
            return false;
        }
        *k = at;
        *v = found;
        fe_advance(&c->in);
        return true;
    }
    if (elsewhere) {
        diag_error(c->d, t->loc, "E0143-not-nested", "loop '%.*s' belongs to another kernel", (int)t->length,
                   t->at);
        diag_hint(c->d, "a command is about the loops of one kernel");
    } else if (gone) {
        diag_error(c->d, t->loc, "E0141-replaced-loop", "'%.*s' is no loop any more", (int)t->length, t->at);
        diag_hint(c->d, "the loops are now %s", loop_list(c));
        diag_note(c->d, gone->loc, "this replaced it");
    } else {
        diag_error(c->d, t->loc, "E0114-schedule-variable", "the expression has no index variable '%.*s'",
                   (int)t->length, t->at);
        diag_hint(c->d, "its variables are %s", loop_list(c));
    }
    return false;
}

static bool parse_new_loop(scheduler *c, fe_kernel *k, sam_var *v) {
    src_loc loc = c->in.token.loc;
    name_id name;
    if (!fe_parse_new_name(&c->in, c->cin, FE_NEW_VAR, c->d, &name))
        return false;
    if (k->s.vars.len == 64) {
        diag_error(c->d, loc, "E0118-too-large", "more than 64 index variables");
        return false;
    }
    vec_push(c->mem, &k->s.vars, (sam_var_data){.name = name, .loc = loc});
    *v = (sam_var){k->s.vars.len};
    return true;
}

/* Removes an earlier hint on a loop's copies. */
static void drop_hint(scheduler *c, fe_kernel *k, sam_var loop) {
    const fe_tag *tag = fe_tag_of(k, loop);
    if (!tag || !tag->hint)
        return;
    diag_note(c->d, tag->loc, "this no longer holds: a later command is about loop '%s'",
              fe_var_text(&k->s, loop));
    k->tags.at[tag - k->tags.at] = k->tags.at[--k->tags.len];
}

/* The relation's new loops take the place of the first replaced one. */
static bool relate(scheduler *c, fe_kernel *k, fe_relation r) {
    sam_var made[2];
    uint32_t n = fe_new_vars(&r, made), at = fe_loop_position(&k->s, r.var[0]);
    bool renames = r.kind == FE_BOUND || r.kind == FE_POS;
    for (uint32_t i = 0; i < (r.kind == FE_FUSE ? 2 : 1) && !renames; i++) {
        drop_hint(c, k, r.var[i]);
        const fe_tag *tag = fe_tag_of(k, r.var[i]);
        if (!tag)
            continue;
        diag_error(c->d, c->name.loc, "E0145-second-tag", "loop '%s' has copies already",
                   fe_var_text(&k->s, r.var[i]));
        diag_hint(c->d, "say so after this command, about the loops it makes");
        diag_note(c->d, tag->loc, "the first command");
        return false;
    }
    for (uint32_t t = 0; t < k->tags.len && renames; t++) {
        if (k->tags.at[t].loop.v == r.var[0].v)
            k->tags.at[t].loop = made[0];
    }
    vec_push(c->mem, &k->relations, r);
    k->s.loops.at[at] = made[0];
    if (r.kind == FE_FUSE) {
        memmove(k->s.loops.at + at + 1, k->s.loops.at + at + 2,
                (k->s.loops.len - at - 2) * sizeof *k->s.loops.at);
        k->s.loops.len--;
    } else if (n == 2) {
        vec_push(c->mem, &k->s.loops, made[1]);
        memmove(k->s.loops.at + at + 2, k->s.loops.at + at + 1,
                (k->s.loops.len - at - 2) * sizeof *k->s.loops.at);
        k->s.loops.at[at + 1] = made[1];
    }
    return true;
}

/* ---- the commands, each after its opening parenthesis ---------------------------------------- */

static bool do_split(scheduler *c) {
    fe_kernel *k = NULL;
    fe_relation r = {.kind = fe_is_word(&c->name, "split") ? FE_SPLIT : FE_DIVIDE, .loc = c->name.loc};
    if (!parse_loop(c, &k, &r.var[0]) || !take(c, ',') || !parse_new_loop(c, k, &r.var[1]) || !take(c, ',') ||
        !parse_new_loop(c, k, &r.var[2]) || !take(c, ',') ||
        !fe_parse_number(&c->in, 1, UINT16_MAX, c->d, &r.number))
        return false;
    if (r.kind == FE_DIVIDE && !fe_known_extent(k, r.var[0]) && !fe_is_position(k, r.var[0])) {
        const char *loop = fe_var_text(&k->s, r.var[0]);
        diag_error(c->d, c->name.loc, "E0147-bound", "dividing loop '%s' by %u needs to know its extent",
                   loop, r.number);
        diag_hint(c->d, "say it with -d %s:N or bound(%s,%sb,N,MaxExact), or split it into parts of a size",
                  loop, loop, loop);
        return false;
    }
    return relate(c, k, r);
}

/* Returns whether e has a value only where tensor t has a coordinate of v. */
static bool only_where(const sam_statement *s, sam_expr e, name_id t, sam_var v) {
    const sam_expr_data *x = sam_expr_at(s, e);
    switch (x->kind) {
    case SAM_EXPR_ACCESS:
        return name_eq(sam_tensor_at(s, x->tensor)->name, t) && fe_has_index(s, e, v);
    case SAM_EXPR_NEG:
    case SAM_EXPR_SUM:
    case SAM_EXPR_DIV:
        return only_where(s, x->a, t, v);
    case SAM_EXPR_ADD:
    case SAM_EXPR_SUB:
        return only_where(s, x->a, t, v) && only_where(s, x->b, t, v);
    case SAM_EXPR_MUL:
        return only_where(s, x->a, t, v) || only_where(s, x->b, t, v);
    case SAM_EXPR_LITERAL:
    case SAM_EXPR_CALL: /* not known to */
    case SAM_EXPR_NONE:
        break;
    }
    return false;
}

/* Every sum over v under e, or e itself where v is a variable of the result. */
static bool only_where_in_loop(const sam_statement *s, sam_expr e, name_id t, sam_var v) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (sam_is_result_var(s, v) || (x->kind == SAM_EXPR_SUM && x->var.v == v.v))
        return only_where(s, e, t, v);
    return (!x->a.v || only_where_in_loop(s, x->a, t, v)) && (!x->b.v || only_where_in_loop(s, x->b, t, v));
}

/* Returns whether the loops of `vars`, bit v - 1, need only stored coordinates of t. */
static bool only_where_in_loops(const sam_statement *s, name_id t, uint64_t vars) {
    bool only = true;
    for (uint32_t v = 1; v <= s->vars.len; v++)
        only = only && (!(vars >> (v - 1) & 1) || only_where_in_loop(s, s->rhs, t, (sam_var){v}));
    return only;
}

/* Returns whether the innermost level of t along one of `vars`, bit v - 1, is compressed in every use of
 * t. */
static bool compressed_at(const sam_statement *s, sam_tensor t, uint64_t vars) {
    const sam_tensor_data *data = sam_tensor_at(s, t);
    for (uint32_t e = 0; e < s->exprs.len; e++) {
        const sam_expr_data *x = &s->exprs.at[e];
        sam_level_format innermost = SAM_LEVEL_NONE;
        for (uint32_t l = 0; x->kind == SAM_EXPR_ACCESS && x->tensor.v == t.v && l < data->order; l++) {
            if (vars >> (x->index[data->mode[l]].v - 1) & 1)
                innermost = data->level[l];
        }
        if (innermost == SAM_LEVEL_DENSE)
            return false;
    }
    return true;
}

/* Returns whether a loop is a part of a split loop. Fused loops do not count: they keep their meaning. */
static bool is_part(const fe_kernel *k, sam_var v) {
    const fe_relation *r = fe_making(k, v);
    if (!r || r->kind == FE_FUSE)
        return false;
    return r->kind == FE_SPLIT || r->kind == FE_DIVIDE || is_part(k, r->var[0]);
}

static bool do_pos(scheduler *c) {
    fe_kernel *k = NULL;
    fe_relation r = {.kind = FE_POS, .loc = c->name.loc};
    if (!parse_loop(c, &k, &r.var[0]) || !take(c, ',') || !parse_new_loop(c, k, &r.var[1]) || !take(c, ','))
        return false;
    fe_token t = c->in.token;
    if (t.kind != FE_NAME)
        return syntax(c, "a tensor");
    r.tensor = names_intern_n(k->s.names, t.at, t.length);
    sam_tensor tensor = fe_find_tensor(&k->s, r.tensor);
    if (tensor.v <= 1) {
        diag_error(c->d, t.loc, "E0103-unknown-tensor", "the expression has no operand '%.*s'", (int)t.length,
                   t.at);
        return false;
    }
    fe_advance(&c->in);
    const char *loop = fe_var_text(&k->s, r.var[0]);
    uint64_t roots = fe_roots_of(k, r.var[0]);
    if (is_part(k, r.var[0])) {
        diag_error(c->d, c->name.loc, "E0148-position", "loop '%s' is a part of another: it has no positions",
                   loop);
        diag_hint(c->d, "use pos before the other commands");
        return false;
    }
    if (!only_where_in_loops(&k->s, r.tensor, roots)) {
        diag_error(c->d, t.loc, "E0148-position",
                   "loop '%s' reaches coordinates that %.*s does not store, so its positions are not enough",
                   loop, (int)t.length, t.at);
        diag_hint(c->d, "only a loop over a product has the positions of one of its factors");
        return false;
    }
    if (!compressed_at(&k->s, tensor, roots)) {
        diag_error(c->d, t.loc, "E0148-position", "%.*s is dense along '%s': it stores no positions",
                   (int)t.length, t.at, loop);
        return false;
    }
    return relate(c, k, r);
}

/* Returns whether a scope has both variables' loops, without an assignment of another scope between. */
static bool in_one_scope(const fe_kernel *k, const fe_scope *scope, sam_var a, sam_var b, arena *mem) {
    fe_vars loops = fe_scope_loops(k, scope, mem);
    bool has_a = false, has_b = false;
    for (uint32_t i = 0; i < loops.len; i++) {
        has_a = has_a || loops.at[i].v == a.v;
        has_b = has_b || loops.at[i].v == b.v;
    }
    if (has_a || has_b)
        return has_a && has_b;
    fe_exprs inner = {0};
    fe_inner_sums(&k->s, scope->body, mem, &inner);
    for (uint32_t i = 0; i < inner.len; i++) {
        fe_scope sum = fe_sum_scope(&k->s, inner.at[i], mem);
        if (in_one_scope(k, &sum, a, b, mem))
            return true;
    }
    return false;
}

/* Moves loop j to the place directly inside of loop i. */
static void move_inside(sam_statement *s, sam_var i, sam_var j) {
    uint32_t n = 0;
    sam_var *kept = arena_new_n(s->mem, sam_var, s->loops.len);
    for (uint32_t l = 0; l < s->loops.len; l++) {
        if (s->loops.at[l].v != j.v)
            kept[n++] = s->loops.at[l];
        if (s->loops.at[l].v == i.v)
            kept[n++] = j;
    }
    memcpy(s->loops.at, kept, n * sizeof *kept);
}

static bool do_fuse(scheduler *c) {
    fe_kernel *k = NULL;
    fe_relation r = {.kind = FE_FUSE, .loc = c->name.loc};
    if (!parse_loop(c, &k, &r.var[0]) || !take(c, ',') || !parse_loop(c, &k, &r.var[1]) || !take(c, ',') ||
        !parse_new_loop(c, k, &r.var[2]))
        return false;
    fe_scope outer = fe_outer_scope(&k->s, c->mem);
    if (!k->ordered && r.var[0].v != r.var[1].v)
        move_inside(&k->s, r.var[0], r.var[1]);
    uint32_t i = fe_loop_position(&k->s, r.var[0]), j = fe_loop_position(&k->s, r.var[1]);
    if (j == i + 1 && in_one_scope(k, &outer, r.var[0], r.var[1], c->mem))
        return relate(c, k, r);
    diag_error(c->d, c->name.loc, "E0143-not-nested", "loop '%s' is not directly inside of loop '%s'",
               fe_var_text(&k->s, r.var[1]), fe_var_text(&k->s, r.var[0]));
    if (j == i + 1)
        diag_hint(c->d, "it is the loop of a sum that is only a part of the expression");
    else
        diag_hint(c->d, "the loops run in the order %s; reorder them first", loop_list(c));
    return false;
}

static bool do_bound(scheduler *c) {
    fe_kernel *k = NULL;
    fe_relation r = {.kind = FE_BOUND, .loc = c->name.loc};
    if (!parse_loop(c, &k, &r.var[0]) || !take(c, ','))
        return false;
    const char *loop = fe_var_text(&k->s, r.var[0]);
    bool again = fe_is_word(&c->in.token, loop); /* bound(i,i,n,type): the loop keeps its name */
    if (again)
        fe_advance(&c->in);
    if ((!again && !parse_new_loop(c, k, &r.var[1])) || !take(c, ','))
        return false;
    src_loc number = c->in.token.loc;
    if (!fe_parse_number(&c->in, 0, UINT16_MAX, c->d, &r.number) || !take(c, ',') ||
        !fe_parse_bound_type(&c->in, c->d, &r.bound))
        return false;
    uint32_t known = fe_known_extent(k, r.var[0]);
    bool exact = r.bound == FE_MAX_EXACT;
    if (again && r.bound == FE_MIN_EXACT && !r.number)
        return true;
    if (again && !exact) {
        diag_unmappable(c->d, number, "E0149-not-lowered",
                        "loops start at 0, and their graph is the same for every extent");
        return false;
    }
    if (again && r.number && !known && !fe_making(k, r.var[0]))
        sam_var_at(&k->s, r.var[0])->extent = known = r.number;
    if (again && known == r.number && known)
        return true;
    if (exact && r.number && !again && (!known || known == r.number))
        return relate(c, k, r);
    if (exact) {
        diag_error(c->d, number, "E0147-bound",
                   !r.number ? "loop '%s' would have no iteration"
                   : known   ? "loop '%s' has the extent %u already"
                             : "nothing says how far the loop runs that '%s' is made of",
                   fe_var_text(&k->s, r.var[0]), known);
        if (r.number && !known)
            diag_hint(c->d, "state the extent of that loop, with bound or -d");
        return false;
    }
    return relate(c, k, r);
}

/* ---- copies ---------------------------------------------------------------------------------- */

static bool add_tag(scheduler *c, fe_kernel *k, fe_tag tag) {
    drop_hint(c, k, tag.loop);
    const fe_tag *first = fe_tag_of(k, tag.loop);
    if (first && tag.hint) {
        diag_note(c->d, tag.loc, "this changes nothing: loop '%s' has %u copies already",
                  fe_var_text(&k->s, tag.loop), first->copies);
        return true;
    }
    if (first) {
        diag_error(c->d, c->name.loc, "E0145-second-tag", "loop '%s' has copies already",
                   fe_var_text(&k->s, tag.loop));
        diag_note(c->d, first->loc, "the first command");
        return false;
    }
    vec_push(c->mem, &k->tags, tag);
    return true;
}

/* Takes the name of an absent loop: of a workspace left out, or of a replaced loop. */
static bool take_absent(scheduler *c) {
    if (c->in.token.kind != FE_NAME)
        return false;
    name_id name = names_intern_n(c->cin->kernels.at[0].s.names, c->in.token.at, c->in.token.length);
    bool known = false;
    for (uint32_t n = 0; n < c->cin->kernels.len; n++) {
        const fe_kernel *k = &c->cin->kernels.at[n];
        sam_var v = fe_find_var(&k->s, name);
        if (!v.v)
            continue;
        v = bounded(k, v);
        if (fe_loop_position(&k->s, v) < k->s.loops.len)
            return false;
        known = true;
    }
    if (known)
        fe_advance(&c->in);
    return known;
}

static void note_absent(scheduler *c, const fe_token *loop) {
    diag_note(c->d, c->name.loc, "this changes nothing: there is no loop '%.*s' in the graph",
              (int)loop->length, loop->at);
}

/* Reads how often a loop's body is wanted, as any number: more copies than a graph can have are a wish. */
static bool parse_copies(scheduler *c, fe_tag *tag) {
    if (!fe_parse_number(&c->in, 0, UINT16_MAX, c->d, &tag->copies))
        return false;
    if (tag->copies <= FE_MAX_COPIES)
        return true;
    diag_note(c->d, tag->loc, "%u copies are more than a graph has; %u are made", tag->copies, FE_MAX_COPIES);
    tag->copies = FE_MAX_COPIES;
    return true;
}

static bool do_unroll(scheduler *c) {
    fe_kernel *k = NULL;
    fe_tag tag = {.kind = FE_UNROLL, .loc = c->name.loc};
    const fe_token loop = c->in.token;
    const bool absent = take_absent(c);
    if ((!absent && !parse_loop(c, &k, &tag.loop)) || !take(c, ',') || !parse_copies(c, &tag))
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
static void note_hint(scheduler *c, const fe_kernel *k, const fe_tag *tag) {
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
static bool hints_at_absent(scheduler *c) {
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

static bool do_parallelize(scheduler *c) {
    fe_kernel *k = NULL;
    fe_tag tag = {.loc = c->name.loc};
    bool parallel;
    src_loc loop = c->in.token.loc;
    if (hints_at_absent(c))
        return true;
    if (!parse_loop(c, &k, &tag.loop) || !take(c, ',') || !fe_parse_parallel(&c->in, c->d, &tag, &parallel))
        return false;
    if (!parallel)
        return true;
    if (tag.strategy == FE_NO_RACES && is_sum(k, tag.loop) && !tag.hint) {
        diag_error(c->d, loop, "E0146-race", "loop '%s' is a sum: its iterations race for one value",
                   fe_var_text(&k->s, tag.loop));
        diag_hint(c->d, "use the strategy Temporary: the copies' values meet in one reducer");
        return false;
    }
    fe_count_copies(k, &tag);
    note_hint(c, k, &tag);
    return add_tag(c, k, tag);
}

/* ---- reorder --------------------------------------------------------------------------------- */

static bool do_reorder(scheduler *c) {
    fe_kernel *k = NULL;
    fe_vars listed = {0};
    do {
        src_loc loc = c->in.token.loc;
        sam_var v;
        if (!parse_loop(c, &k, &v))
            return false;
        for (uint32_t i = 0; i < listed.len; i++) {
            if (listed.at[i].v == v.v) {
                diag_error(c->d, loc, "E0114-schedule-variable", "'%s' is listed twice",
                           fe_var_text(&k->s, v));
                return false;
            }
        }
        vec_push(c->mem, &listed, v);
    } while (fe_take_sign(&c->in, ','));
    /* The places of the listed loops receive the listed order; the other loops stay. */
    uint64_t in_list = 0;
    for (uint32_t i = 0; i < listed.len; i++)
        in_list |= (uint64_t)1 << (listed.at[i].v - 1);
    for (uint32_t i = 0, next = 0; i < k->s.loops.len; i++) {
        if (in_list >> (k->s.loops.at[i].v - 1) & 1)
            k->s.loops.at[i] = listed.at[next++];
    }
    k->order_at = k->ordered ? k->order_at : c->name.loc;
    k->ordered = true;
    return true;
}

/* taco's assemble(A,Insert) or assemble(A,Append[,true]): when the result's levels are made. */
static bool do_assemble(scheduler *c) {
    static const char *const when[] = {"Insert", "Append"}, *const apart[] = {"true", "false"};
    const fe_token name = c->in.token;
    if (name.kind != FE_NAME)
        return syntax(c, "the result");
    const sam_statement *s = &c->cin->kernels.at[0].s;
    name_id tensor = names_intern_n(s->names, name.at, name.length);
    bool result = false;
    for (uint32_t n = 0; n < c->cin->kernels.len; n++)
        result = result || fe_find_tensor(&c->cin->kernels.at[n].s, tensor).v == 1;
    if (!result) {
        diag_error(c->d, name.loc, "E0103-unknown-tensor", "'%.*s' is not the result", (int)name.length,
                   name.at);
        return false;
    }
    fe_advance(&c->in);
    if (!take(c, ','))
        return false;
    if (!fe_is_word(&c->in.token, when[0]) && !fe_is_word(&c->in.token, when[1]))
        return syntax(c, "Insert or Append");
    fe_advance(&c->in);
    if (fe_take_sign(&c->in, ',')) {
        if (!fe_is_word(&c->in.token, apart[0]) && !fe_is_word(&c->in.token, apart[1]))
            return syntax(c, "true or false");
        fe_advance(&c->in);
    }
    diag_note(c->d, c->name.loc,
              "this changes nothing: writers always build the result's levels while they compute");
    return true;
}

static bool do_precompute(scheduler *c) {
    return fe_precompute(&c->in, FE_TO_WORKSPACE, c->said, c->cin, c->d);
}

static bool do_bind(scheduler *c) {
    return fe_precompute(&c->in, FE_TO_BIND, c->said, c->cin, c->d);
}

static bool do_map(scheduler *c) {
    return fe_precompute(&c->in, FE_TO_MAP, c->said, c->cin, c->d);
}

/* ---- commands that expand to others --------------------------------------------------------------- */

static bool parse_command(scheduler *c);

/* Applies commands separated by commas. */
static bool apply_text(const scheduler *as, const char *text) {
    scheduler c = *as;
    c.in = fe_read("<schedule>", text, c.d);
    c.in.underscores = true;
    c.in.functions = as->in.functions;
    fe_environments unused = {0};
    bool good = !strstr(text, "env") || fe_find_environment(text, c.mem, c.d, &unused);
    while (good && c.in.token.kind != FE_END) {
        good = parse_command(&c);
        while (fe_take_sign(&c.in, ',') || fe_take_sign(&c.in, ';'))
            ;
    }
    return good;
}

/* Stardust's sPromote(): sums get scalars. */
static bool do_promote_sums(scheduler *c) {
    return apply_text(c, fe_promoted(c->cin, c->mem));
}

/* Takes "loop, Reduction, n)" but for the last sign: Stardust's word for a sum that is taken in n lanes. */
static bool take_reduction(scheduler *c) {
    fe_reader ahead = c->in;
    fe_kernel *k = NULL;
    sam_var v;
    uint32_t lanes;
    fe_advance(&ahead);
    if (!fe_take_sign(&ahead, ',') || !fe_is_word(&ahead.token, "Reduction"))
        return false;
    c->in.underscores = true;
    if (!parse_loop(c, &k, &v) || !take(c, ','))
        return false;
    fe_advance(&c->in);
    if (!take(c, ',') || !fe_parse_number(&c->in, 1, UINT16_MAX, c->d, &lanes))
        return false;
    diag_note(c->d, c->name.loc,
              "this changes nothing: a reducer of loop '%s' takes one value in a cycle, in one lane",
              fe_var_text(&k->s, v));
    return true;
}

/* Stardust's parallel(i,Reduction,n). */
static bool do_parallel(scheduler *c) {
    const uint32_t errors = c->d->errors;
    return take_reduction(c) || (c->d->errors == errors && syntax(c, "a loop, Reduction and a number"));
}

/* Stardust's accelerate(e,f): expressions unsuitable as operands of f get workspaces, and calls of f compute
 * e. Stored operands need none: all operands lie in the global buffer during a kernel. */
static bool do_accelerate(scheduler *c) {
    const uint32_t errors = c->d->errors;
    if (take_reduction(c) || c->d->errors != errors)
        return c->d->errors == errors;
    const char *text = fe_accelerated(&c->in, c->cin, c->d);
    return text && apply_text(c, text);
}

/* Stardust's communicate(X(i,j),j): the loop of a tensor's transfers. */
static bool do_communicate(scheduler *c) {
    const fe_token name = c->in.token;
    const sam_statement *last = &c->cin->kernels.at[c->cin->kernels.len - 1].s;
    sam_statement s;
    sam_expr_data access;
    fe_kernel *k = NULL;
    sam_var v;
    fe_copy_statement(last, c->mem, &s);
    if (name.kind != FE_NAME)
        return syntax(c, "a tensor");
    if (!fe_find_tensor(&s, names_intern_n(s.names, name.at, name.length)).v) {
        diag_error(c->d, name.loc, "E0103-unknown-tensor", "there is no tensor '%.*s'", (int)name.length,
                   name.at);
        return false;
    }
    if (!fe_parse_access(&c->in, &s, c->d, &access))
        return false;
    c->in.underscores = true;
    if (!take(c, ',') || !parse_loop(c, &k, &v))
        return false;
    diag_note(c->d, c->name.loc,
              "this changes nothing: of %.*s a sub-tile is in the array's memories, and a batch of them in "
              "the global buffer; --tile and --glb-tile say how much that is",
              (int)name.length, name.at);
    return true;
}

/* ---- statements for the next bind, or map ------------------------------------------------------ */

static bool do_fix(scheduler *c) {
    fe_kernel *last = &c->cin->kernels.at[c->cin->kernels.len - 1];
    *c->said_at = c->name.loc;
    do {
        sam_var v;
        const src_loc loc = c->in.token.loc;
        if (!parse_loop(c, &last, &v))
            return false;
        if (fe_making(last, v)) {
            diag_error(c->d, loc, "E0167-bind", "loop '%s' is a part of another", fe_var_text(&last->s, v));
            diag_hint(c->d, "a call has the inner part whole, and one coordinate of the outer one");
            return false;
        }
        c->said->fixed |= (uint64_t)1 << (v.v - 1);
    } while (fe_take_sign(&c->in, ','));
    return true;
}

/* Reads an operand of the last kernel. */
static bool parse_operand(scheduler *c, sam_tensor *t) {
    const sam_statement *s = &c->cin->kernels.at[c->cin->kernels.len - 1].s;
    const fe_token at = c->in.token;
    if (at.kind != FE_NAME)
        return syntax(c, "a tensor");
    *t = fe_find_tensor(s, names_intern_n(s->names, at.at, at.length));
    if (t->v <= 1) {
        diag_error(c->d, at.loc, "E0103-unknown-tensor", "the expression has no operand '%.*s'",
                   (int)at.length, at.at);
        return false;
    }
    fe_advance(&c->in);
    *c->said_at = c->name.loc;
    return take(c, ',');
}

static bool do_promote(scheduler *c) {
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
    if (order == SAM_MAX_ORDER) {
        diag_error(c->d, c->name.loc, "E0118-too-large", "more than %d indices", SAM_MAX_ORDER);
        return false;
    }
    if (!fe_parse_number(&c->in, 0, order, c->d, &note.position))
        return false;
    vec_push(c->mem, &c->said->notes, note);
    return true;
}

static bool do_tag(scheduler *c) {
    const sam_statement *s = &c->cin->kernels.at[c->cin->kernels.len - 1].s;
    fe_binding_note note = {.kind = FE_TAGGED};
    sam_tensor t;
    if (!parse_operand(c, &t))
        return false;
    if (c->in.token.kind != FE_NAME)
        return syntax(c, "a tag");
    note.tensor = sam_tensor_at(s, t)->name;
    note.tag = names_intern_n(s->names, c->in.token.at, c->in.token.length);
    vec_push(c->mem, &c->said->notes, note);
    fe_advance(&c->in);
    return true;
}

/* Its settings were read before all commands (apply_text): the loops stay. */
static bool do_environment(scheduler *c) {
    if (fe_is_word(&c->in.token, "bp"))
        diag_note(c->d, c->name.loc,
                  "this changes nothing: 'bp' is a number of Stardust's target, not of the array");
    while (c->in.token.kind != FE_END && !fe_at_sign(&c->in, ')'))
        fe_advance(&c->in);
    return true;
}

/* ---- the language ---------------------------------------------------------------------------- */

static const struct {
    const char *name, *usage;
    bool (*apply)(scheduler *c);
    bool of_expression; /* which its arguments begin with */
} commands[] = {
    {"reorder", "reorder(i,j,...)", do_reorder, false},
    {"split", "split(i,i0,i1,size)", do_split, false},
    {"divide", "divide(i,i0,i1,parts)", do_split, false},
    {"pos", "pos(i,ip,B)", do_pos, false},
    {"fuse", "fuse(i,j,f)", do_fuse, false},
    {"precompute", "precompute(B(i,k)*C(k,j),{i,j},{iw,jw},w)", do_precompute, true},
    {"bind", "bind(b(i)/c(i),host)", do_bind, true},
    {"map", "map(B(i,k)*C(k,j),gemm)", do_map, true},
    {"fix", "fix(i,...)", do_fix, false},
    {"promote", "promote(B,0)", do_promote, false},
    {"tag", "tag(B,symmetric)", do_tag, false},
    {"bound", "bound(i,ib,extent,MaxExact)", do_bound, false},
    {"unroll", "unroll(i,copies)", do_unroll, false},
    {"parallelize", "parallelize(i,Lanes(4),NoRaces)", do_parallelize, false},
    {"assemble", "assemble(X,Insert)", do_assemble, false},
    {"accelerate", "accelerate((A(i,k)+B(i,k))*C(k,j),gemm)", do_accelerate, true},
    {"sPromote", "sPromote()", do_promote_sums, false},
    {"communicate", "communicate(X(i,j),j)", do_communicate, true},
    {"environment", "environment(unroll,2)", do_environment, false},
    {"env", "env(unroll,2)", do_environment, false},
    {"parallel", "parallel(i,Reduction,16)", do_parallel, false},
};

static bool parse_command(scheduler *c) {
    c->name = c->in.token;
    c->usage = NULL;
    if (c->name.kind != FE_NAME)
        return syntax(c, "a scheduling command such as reorder(i,j)");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (!fe_is_word(&c->name, commands[i].name))
            continue;
        c->usage = commands[i].usage;
        fe_advance(&c->in);
        c->in.underscores = !commands[i].of_expression;
        if (!take(c, '(') || !commands[i].apply(c))
            return false;
        const bool list = commands[i].apply == do_reorder || commands[i].apply == do_fix;
        return fe_take_sign(&c->in, ')') || syntax(c, list ? "',' or ')'" : "')'");
    }
    diag_error(c->d, c->name.loc, "E0113-schedule-command", "unknown scheduling command '%.*s'",
               (int)c->name.length, c->name.at);
    diag_hint(c->d, "the commands are reorder, split, divide, pos, fuse, precompute, bind, map, "
                    "fix, promote, tag, bound, unroll, parallelize, assemble, accelerate, "
                    "sPromote, communicate, environment");
    return false;
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
    const scheduler all = {.in = {.functions = in->functions},
                           .cin = out,
                           .mem = mem,
                           .d = d,
                           .said = &said,
                           .said_at = &said_at};
    for (uint32_t i = 0; i < in->n_schedule; i++) {
        if (!apply_text(&all, in->schedule[i]))
            return false;
    }
    if (said.fixed || said.notes.len) {
        diag_error(d, said_at, "E0167-bind", "this is about the bind or map that comes next, and none does");
        diag_hint(d, "fix(i), bind(B(i,k)*c(k),dot)");
        return false;
    }
    return fe_cin_check(out, d);
}
