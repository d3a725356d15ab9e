/* Loops that a schedule names, splits, fuses and bounds. */
#include "frontend/schedules/loops.h"
#include "frontend/language/relations.h"
#include "frontend/language/statement.h"
#include "frontend/language/words.h"

bool fe_syntax(fe_scheduler *c, const char *what) {
    fe_expected(&c->in, what, c->d);
    if (c->usage)
        diag_hint(c->d, "write %s", c->usage);
    return false;
}

bool fe_take(fe_scheduler *c, char sign) {
    return fe_take_sign(&c->in, sign) || fe_syntax(c, sign == ',' ? "','" : sign == '(' ? "'('" : "')'");
}

static const char *loop_list(const fe_scheduler *c) {
    const char *list = "";
    for (uint32_t n = 0; n < c->cin->kernels.len; n++) {
        const sam_statement *s = &c->cin->kernels.at[n].s;
        for (uint32_t i = 0; i < s->loops.len; i++)
            list = arena_printf(c->mem, "%s%s%s", list, *list ? ", " : "", fe_var_text(s, s->loops.at[i]));
    }
    return list;
}

sam_var fe_bounded_by(const fe_kernel *k, sam_var v) {
    const fe_relation *r = fe_replacing(k, v);
    return r && r->kind == FE_BOUND ? fe_bounded_by(k, r->var[1]) : v;
}

bool fe_parse_loop(fe_scheduler *c, fe_kernel **k, sam_var *v) {
    const fe_token *t = &c->in.token;
    if (t->kind != FE_NAME)
        return fe_syntax(c, "an index variable");
    name_id name = names_intern_n(c->cin->kernels.at[0].s.names, t->at, t->length);
    const fe_relation *gone = NULL;
    bool elsewhere = false;
    for (uint32_t n = c->cin->kernels.len; n-- > 0;) {
        fe_kernel *at = &c->cin->kernels.at[n];
        sam_var found = fe_find_var(&at->s, name);
        if (!found.v)
            continue;
        found = fe_bounded_by(at, found);
        gone = gone ? gone : fe_replacing(at, found);
        bool loop = fe_loop_position(&at->s, found) < at->s.loops.len;
        elsewhere = elsewhere || loop;
        if (!loop || (*k && *k != at))
            continue;
        if (at->on_host) {
            diag_error(c->d, t->loc, "E0141-replaced-loop",
                       "'%.*s' is no loop: the host computes that kernel", (int)t->length, t->at);
            return diag_hint(c->d, "schedule the loops of kernels that are not bound");
        }
        *k = at;
        *v = found;
        return fe_advance(&c->in);
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

/* Takes the name off a loop of other loops that the command replaces: fuse(b,f,f) gives the name to the new
 * loop. */
static void free_name(fe_scheduler *c, fe_kernel *k, sam_var replaced) {
    const name_id name = sam_var_at(&k->s, replaced)->name;
    if (c->in.token.kind != FE_NAME || !fe_making(k, replaced) ||
        !name_eq(name, names_intern_n(k->s.names, c->in.token.at, c->in.token.length)))
        return;
    uint32_t n = 0;
    sam_var_at(&k->s, replaced)->name = names_intern(
        k->s.names,
        fe_unused_name(&k->s, arena_printf(c->mem, "%s_", names_text(k->s.names, name)), &n, c->mem));
}

static bool parse_new_loop(fe_scheduler *c, fe_kernel *k, sam_var *v) {
    src_loc loc = c->in.token.loc;
    name_id name;
    if (!fe_parse_new_name(&c->in, c->cin, FE_NEW_VAR, c->d, &name))
        return false;
    if (k->s.vars.len == 64)
        return diag_error(c->d, loc, "E0118-too-large", "more than 64 index variables");
    vec_push(c->mem, &k->s.vars, (sam_var_data){.name = name, .loc = loc});
    *v = (sam_var){k->s.vars.len};
    return true;
}

void fe_drop_hint(fe_scheduler *c, fe_kernel *k, sam_var loop) {
    const fe_tag *tag = fe_tag_of(k, loop);
    if (!tag || !tag->hint)
        return;
    diag_note(c->d, tag->loc, "this no longer holds: a later command is about loop '%s'",
              fe_var_text(&k->s, loop));
    k->tags.at[tag - k->tags.at] = k->tags.at[--k->tags.len];
}

/* The relation's new loops take the place of the first replaced one. */
static bool relate(fe_scheduler *c, fe_kernel *k, fe_relation r) {
    sam_var made[2];
    uint32_t n = fe_new_vars(&r, made), at = fe_loop_position(&k->s, r.var[0]);
    bool renames = r.kind == FE_BOUND || r.kind == FE_POS;
    for (uint32_t i = 0; i < (r.kind == FE_FUSE ? 2 : 1) && !renames; i++) {
        fe_drop_hint(c, k, r.var[i]);
        const fe_tag *tag = fe_tag_of(k, r.var[i]);
        if (!tag)
            continue;
        diag_error(c->d, c->name.loc, "E0145-second-tag", "loop '%s' has copies already",
                   fe_var_text(&k->s, r.var[i]));
        diag_hint(c->d, "say so after this command, about the loops it makes");
        return diag_note(c->d, tag->loc, "the first command");
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

bool fe_do_split(fe_scheduler *c) {
    fe_kernel *k = NULL;
    fe_relation r = {.kind = fe_is_word(&c->name, "split") ? FE_SPLIT : FE_DIVIDE, .loc = c->name.loc};
    if (!fe_parse_loop(c, &k, &r.var[0]) || !fe_take(c, ',') || !parse_new_loop(c, k, &r.var[1]) ||
        !fe_take(c, ',') || !parse_new_loop(c, k, &r.var[2]) || !fe_take(c, ',') ||
        !fe_parse_number(&c->in, 1, UINT16_MAX, c->d, &r.number))
        return false;
    if (r.kind == FE_DIVIDE && !fe_known_extent(k, r.var[0]) && !fe_is_position(k, r.var[0])) {
        const char *loop = fe_var_text(&k->s, r.var[0]);
        diag_error(c->d, c->name.loc, "E0147-bound", "dividing loop '%s' by %u needs to know its extent",
                   loop, r.number);
        return diag_hint(c->d,
                         "say it with -d %s:N or bound(%s,%sb,N,MaxExact), or split it into parts of a size",
                         loop, loop, loop);
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

/* Returns whether a loop comes of a split loop. Fused loops do not count: they keep their meaning. */
static bool is_of_split(const fe_kernel *k, sam_var v) {
    const fe_relation *r = fe_making(k, v);
    if (!r || r->kind == FE_FUSE)
        return false;
    return r->kind == FE_SPLIT || r->kind == FE_DIVIDE || is_of_split(k, r->var[0]);
}

bool fe_do_pos(fe_scheduler *c) {
    fe_kernel *k = NULL;
    fe_relation r = {.kind = FE_POS, .loc = c->name.loc};
    if (!fe_parse_loop(c, &k, &r.var[0]) || !fe_take(c, ',') || !parse_new_loop(c, k, &r.var[1]) ||
        !fe_take(c, ','))
        return false;
    fe_token t = c->in.token;
    if (t.kind != FE_NAME)
        return fe_syntax(c, "a tensor");
    r.tensor = names_intern_n(k->s.names, t.at, t.length);
    sam_tensor tensor = fe_find_tensor(&k->s, r.tensor);
    if (tensor.v <= 1)
        return diag_error(c->d, t.loc, "E0103-unknown-tensor", "the expression has no operand '%.*s'",
                          (int)t.length, t.at);
    fe_advance(&c->in);
    const char *loop = fe_var_text(&k->s, r.var[0]);
    uint64_t roots = fe_roots_of(k, r.var[0]);
    if (is_of_split(k, r.var[0])) {
        diag_error(c->d, c->name.loc, "E0148-position", "loop '%s' is a part of another: it has no positions",
                   loop);
        return diag_hint(c->d, "use pos before the other commands");
    }
    if (!only_where_in_loops(&k->s, r.tensor, roots)) {
        diag_error(c->d, t.loc, "E0148-position",
                   "loop '%s' reaches coordinates that %.*s does not store, so its positions are not enough",
                   loop, (int)t.length, t.at);
        return diag_hint(c->d, "only a loop over a product has the positions of one of its factors");
    }
    if (!compressed_at(&k->s, tensor, roots))
        return diag_error(c->d, t.loc, "E0148-position", "%.*s is dense along '%s': it stores no positions",
                          (int)t.length, t.at, loop);
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

bool fe_do_fuse(fe_scheduler *c) {
    fe_kernel *k = NULL;
    fe_relation r = {.kind = FE_FUSE, .loc = c->name.loc};
    if (!fe_parse_loop(c, &k, &r.var[0]) || !fe_take(c, ',') || !fe_parse_loop(c, &k, &r.var[1]) ||
        !fe_take(c, ','))
        return false;
    free_name(c, k, r.var[0]);
    free_name(c, k, r.var[1]);
    if (!parse_new_loop(c, k, &r.var[2]))
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

bool fe_do_bound(fe_scheduler *c) {
    fe_kernel *k = NULL;
    fe_relation r = {.kind = FE_BOUND, .loc = c->name.loc};
    if (!fe_parse_loop(c, &k, &r.var[0]) || !fe_take(c, ','))
        return false;
    const char *loop = fe_var_text(&k->s, r.var[0]);
    bool again = fe_is_word(&c->in.token, loop); /* bound(i,i,n,type): the loop keeps its name */
    if (again)
        fe_advance(&c->in);
    if ((!again && !parse_new_loop(c, k, &r.var[1])) || !fe_take(c, ','))
        return false;
    src_loc number = c->in.token.loc;
    if (!fe_parse_number(&c->in, 0, UINT16_MAX, c->d, &r.number) || !fe_take(c, ',') ||
        !fe_parse_bound_type(&c->in, c->d, &r.bound))
        return false;
    uint32_t known = fe_known_extent(k, r.var[0]);
    bool exact = r.bound == FE_MAX_EXACT;
    if (again && r.bound == FE_MIN_EXACT && !r.number)
        return true;
    if (again && !exact)
        return diag_unmappable(c->d, number, "E0149-not-lowered",
                               "loops start at 0, and their graph is the same for every extent");
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
