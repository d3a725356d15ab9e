/* cin_parse.c - concrete index notation from its text, which cin_dump.c writes.
 *
 *   program    := "where" "(" program "," kernel ")" | kernel
 *   kernel     := "suchthat" "(" statement ("," relation)+ ")" | statement
 *   statement  := "forall" "(" variable "," statement ["," tag] ")" | values
 *   values     := "where" "(" values "," statement ")" | assignment
 *   assignment := access ("=" | "+=") terms
 *   relation   := "split" "(" i "," i0 "," i1 "," n ")" | "divide" "(" i "," i0 "," i1 "," n ")"
 *               | "order" "(" variable ("," variable)* ")" | "bind" "(" who ")"
 *               | "pos" "(" i "," ip "," tensor ")" | "fuse" "(" i "," j "," f ")"
 *               | "bound" "(" i "," ib "," n "," type ")"
 *   who        := "host" | function ["," "fix" "(" variable ("," variable)* ")"]
 *                 ("," "promote" "(" tensor "," place ")" | "," "tag" "(" tensor "," word ")")*
 *   tag        := "unroll" "(" n ")" | "parallelize" "(" unit "," strategy ")"
 *
 * The producer of a kernel's where fills a workspace with indices, before the consumer starts; that of a
 * value's where computes a scalar temporary at each point, and is a sum inside an expression of the IR.
 */
#include "frontend/language/cin_parse.h"
#include "frontend/language/access.h"
#include "frontend/language/calls.h"
#include "frontend/language/cin_dump.h"
#include "frontend/language/expression.h"
#include "frontend/language/relations.h"
#include "frontend/language/settings.h"
#include "frontend/language/statement.h"
#include "frontend/language/words.h"

/* ---- the brackets first ---------------------------------------------------------------------- */

typedef enum { RAW_ASSIGN, RAW_FORALL, RAW_WHERE, RAW_SUCHTHAT } raw_kind;

/* A statement whose expressions are not read yet: `at` is the reader at an assignment, at the tag of a forall
 * (or its closing parenthesis), at the first relation of a suchthat. */
typedef struct raw raw;
struct raw {
    raw_kind kind;
    fe_reader at;
    fe_token var;     /* forall */
    const raw *a, *b; /* body, or consumer and producer */
};

typedef struct {
    fe_reader in;
    fe_cin *cin;
    name_table *names;
    arena *mem;
    diagnostics *d;
    uint32_t depth;
} cin_reader;

/* Skips to the comma or the closing parenthesis that ends the current argument. */
static void skip_balanced(fe_reader *in, bool commas) {
    for (uint32_t depth = 0; in->token.kind != FE_END; fe_advance(in)) {
        bool closes = fe_at_sign(in, ')') || fe_at_sign(in, '}');
        if (depth == 0 && (closes || (!commas && fe_at_sign(in, ','))))
            return;
        if (fe_at_sign(in, '(') || fe_at_sign(in, '{'))
            depth++;
        depth -= closes;
    }
}

static const raw *read_raw(cin_reader *r);

static bool read_fields(cin_reader *r, raw *node) {
    fe_advance(&r->in);
    fe_advance(&r->in); /* skips the "(" that the caller saw */
    if (node->kind == RAW_FORALL) {
        node->var = r->in.token;
        if (node->var.kind != FE_NAME)
            return fe_expected(&r->in, "an index variable", r->d);
        fe_advance(&r->in);
        if (!fe_take_mark(&r->in, ',', r->d))
            return false;
    }
    node->a = read_raw(r);
    if (!node->a)
        return false;
    if (node->kind == RAW_WHERE) {
        node->b = fe_take_mark(&r->in, ',', r->d) ? read_raw(r) : NULL;
        if (!node->b)
            return false;
    }
    if (node->kind == RAW_SUCHTHAT && !fe_at_sign(&r->in, ','))
        return fe_expected(&r->in, "',' and a relation", r->d);
    bool more = node->kind != RAW_WHERE && fe_take_sign(&r->in, ',');
    node->at = r->in;
    if (more)
        skip_balanced(&r->in, true);
    return fe_take_mark(&r->in, ')', r->d);
}

static const raw *read_raw(cin_reader *r) {
    raw *node = arena_new(r->mem, raw);
    if (r->depth == FE_MAX_DEPTH) {
        diag_error(r->d, r->in.token.loc, "E0118-too-large", "nested more than %d deep", FE_MAX_DEPTH);
        return NULL;
    }
    node->at = r->in;
    bool forall = fe_at_call(&r->in, "forall"), where = fe_at_call(&r->in, "where");
    if (!forall && !where && !fe_at_call(&r->in, "suchthat")) {
        skip_balanced(&r->in, false);
        return node;
    }
    node->kind = forall ? RAW_FORALL : where ? RAW_WHERE : RAW_SUCHTHAT;
    r->depth++;
    bool ok = read_fields(r, node);
    r->depth--;
    return ok ? node : NULL;
}

static const raw *assignment_of(const raw *node) {
    while (node->kind != RAW_ASSIGN)
        node = node->a;
    return node;
}

/* Returns whether the producer fills a tensor: its target has indices, or the producer is a kernel. */
static bool fills_tensor(const raw *producer) {
    if (producer->kind == RAW_SUCHTHAT)
        return true;
    fe_reader in = assignment_of(producer)->at;
    fe_advance(&in);
    return fe_take_sign(&in, '(') ? !fe_at_sign(&in, ')') : fe_at_sign(&in, '_');
}

/* ---- relations and tags ---------------------------------------------------------------------- */

static bool read_var(fe_reader *in, fe_kernel *k, diagnostics *d, sam_var *v) {
    if (in->token.kind != FE_NAME)
        return fe_expected(in, "an index variable", d);
    *v = fe_use_var(&k->s, &in->token, d);
    fe_advance(in);
    return v->v != 0;
}

/* Reads a name not determined by the text. */
static bool read_name(fe_reader *in, name_table *names, const char *what, diagnostics *d, name_id *out) {
    if (in->token.kind != FE_NAME)
        return fe_expected(in, what, d);
    *out = names_intern_n(names, in->token.at, in->token.length);
    return fe_advance(in);
}

static bool read_arguments(fe_reader *in, fe_kernel *k, diagnostics *d, fe_relation *r) {
    if (!read_var(in, k, d, &r->var[0]) || !fe_take_mark(in, ',', d) || !read_var(in, k, d, &r->var[1]) ||
        !fe_take_mark(in, ',', d))
        return false;
    switch (r->kind) {
    case FE_SPLIT:
    case FE_DIVIDE:
        return read_var(in, k, d, &r->var[2]) && fe_take_mark(in, ',', d) &&
               fe_parse_number(in, 1, UINT16_MAX, d, &r->number);
    case FE_POS:
        return read_name(in, k->s.names, "a tensor", d, &r->tensor);
    case FE_FUSE:
        return read_var(in, k, d, &r->var[2]);
    case FE_BOUND:
        return fe_parse_number(in, 0, UINT16_MAX, d, &r->number) && fe_take_mark(in, ',', d) &&
               fe_parse_bound_type(in, d, &r->bound);
    }
    return false;
}

/* Reads the order of loops that foralls do not determine: the loop of a sum outside of the expression around
 * the sum. */
static bool read_order(fe_reader *in, fe_kernel *k, diagnostics *d) {
    fe_advance(in);
    fe_advance(in); /* skips the "(" that the caller saw */
    do {
        sam_var v = {0};
        src_loc loc = in->token.loc;
        if (!read_var(in, k, d, &v))
            return false;
        if (fe_loop_position(&k->s, v) < k->s.loops.len)
            return diag_error(d, loc, "E0150-cin", "'%s' is listed twice", fe_var_text(&k->s, v));
        vec_push(k->s.mem, &k->s.loops, v);
    } while (fe_take_sign(in, ','));
    return fe_take_mark(in, ')', d);
}

/* Reads statements about a call: fix(i,...), promote(T,place), tag(T,word). */
static bool read_said(fe_reader *in, fe_kernel *k, diagnostics *d) {
    const bool fixes = fe_at_call(in, "fix"), promotes = fe_at_call(in, "promote");
    fe_binding_note note = {.kind = promotes ? FE_PROMOTED : FE_TAGGED};
    sam_var v = {0};
    if (!fixes && !promotes && !fe_at_call(in, "tag"))
        return fe_expected(in, "fix(i), promote(T,place) or tag(T,word)", d);
    fe_advance(in);
    fe_advance(in); /* "(", which at_word has seen */
    if (fixes) {
        do {
            if (!read_var(in, k, d, &v))
                return false;
            k->binding.fixed |= (uint64_t)1 << (v.v - 1);
        } while (fe_take_sign(in, ','));
        return fe_take_mark(in, ')', d);
    }
    if (!read_name(in, k->s.names, "a tensor", d, &note.tensor) || !fe_take_mark(in, ',', d) ||
        !(promotes ? fe_parse_number(in, 0, SAM_MAX_ORDER - 1, d, &note.position)
                   : read_name(in, k->s.names, "a tag", d, &note.tag)))
        return false;
    vec_push(k->s.mem, &k->binding.notes, note);
    return fe_take_mark(in, ')', d);
}

/* Who computes the kernel, where the array does not. */
static bool read_binding(fe_reader *in, fe_kernel *k, diagnostics *d) {
    name_id who;
    fe_advance(in);
    fe_advance(in); /* skips the "(" that the caller saw */
    if (!read_name(in, k->s.names, "'host', or a function", d, &who))
        return false;
    k->on_host = true;
    const bool calls = strcmp(names_text(k->s.names, who), "host") != 0;
    if (calls)
        k->binding.function = who;
    while (calls && fe_take_sign(in, ',')) {
        if (!read_said(in, k, d))
            return false;
    }
    return fe_take_mark(in, ')', d);
}

/* Returns the bits of the first n variables of a relation. */
static uint64_t bits_of(const fe_relation *r, uint32_t n) {
    uint64_t bits = 0;
    for (uint32_t i = 0; i < n; i++)
        bits |= r->var[i].v ? (uint64_t)1 << (r->var[i].v - 1) : 0;
    return bits;
}

static bool read_relation(fe_reader *in, fe_kernel *k, diagnostics *d) {
    fe_relation r = {.loc = in->token.loc};
    if (fe_at_call(in, "order"))
        return read_order(in, k, d);
    if (fe_at_call(in, "bind"))
        return read_binding(in, k, d);
    r.kind = fe_at_call(in, "split")    ? FE_SPLIT
             : fe_at_call(in, "divide") ? FE_DIVIDE
             : fe_at_call(in, "pos")    ? FE_POS
             : fe_at_call(in, "fuse")   ? FE_FUSE
                                        : FE_BOUND;
    if (r.kind == FE_BOUND && !fe_at_call(in, "bound"))
        return fe_expected(in, "a relation such as split(i,i0,i1,4)", d);
    fe_advance(in);
    if (!fe_take_mark(in, '(', d) || !read_arguments(in, k, d, &r) || !fe_take_mark(in, ')', d))
        return false;
    /* Variables of earlier relations, or of this one, are not new: no variable comes from itself. */
    uint64_t open = UINT64_MAX, known = bits_of(&r, r.kind == FE_FUSE ? 2 : 1);
    for (uint32_t i = 0; i < k->relations.len; i++) {
        const fe_relation *before = &k->relations.at[i];
        known |= bits_of(before, 3);
        open &= ~bits_of(before, before->kind == FE_FUSE ? 2 : 1);
    }
    if (!fe_check_relation(k, &r, &open, &known, d))
        return false;
    vec_push(k->s.mem, &k->relations, r);
    return true;
}

static bool read_tag(fe_reader in, fe_kernel *k, sam_var loop, diagnostics *d) {
    fe_tag tag = {.kind = FE_UNROLL, .loop = loop, .loc = in.token.loc};
    bool unroll = fe_at_call(&in, "unroll"), parallel = true;
    if (fe_at_sign(&in, ')'))
        return true;
    if (!unroll && !fe_at_call(&in, "parallelize"))
        return fe_expected(&in, "unroll(n) or parallelize(unit,strategy)", d);
    fe_advance(&in);
    if (!fe_take_mark(&in, '(', d) || !(unroll ? fe_parse_number(&in, 1, FE_MAX_COPIES, d, &tag.copies)
                                               : fe_parse_parallel(&in, d, &tag, &parallel)))
        return false;
    if (!fe_take_mark(&in, ')', d))
        return false;
    if (!fe_at_sign(&in, ')'))
        return fe_expected(&in, "')'", d);
    if (!parallel)
        return true;
    fe_count_copies(k, &tag);
    if (!fe_tag_of(k, loop)) /* a sum in two places has its tag in both */
        vec_push(k->s.mem, &k->tags, tag);
    return true;
}

/* ---- statements ------------------------------------------------------------------------------ */

/* A scalar temporary and its value. */
typedef struct {
    name_id name;
    src_loc loc;
    sam_expr value;
    uint32_t uses;
} temporary;

typedef VEC(temporary) temporaries;

/* Orders the loops of one chain of foralls, outermost first, among the existing loops. */
static bool insert_loops(fe_kernel *k, const fe_vars *chain, diagnostics *d) {
    uint32_t from = 0; /* earlier loops were in the chain already */
    for (uint32_t i = 0; i < chain->len; i++) {
        uint32_t at = fe_loop_position(&k->s, chain->at[i]);
        if (at < k->s.loops.len) {
            if (at < from)
                return diag_error(d, sam_var_at(&k->s, chain->at[i])->loc, "E0150-cin",
                                  "'%s' is inside of another loop here and outside of it there",
                                  fe_var_text(&k->s, chain->at[i]));
            from = at + 1;
            continue;
        }
        uint32_t place = k->s.loops.len; /* before the next existing loop of the chain */
        for (uint32_t n = i + 1; n < chain->len && place == k->s.loops.len; n++)
            place = fe_loop_position(&k->s, chain->at[n]);
        if (place < from)
            place = from;
        vec_push(k->s.mem, &k->s.loops, chain->at[i]);
        for (uint32_t n = k->s.loops.len - 1; n > place; n--)
            k->s.loops.at[n] = k->s.loops.at[n - 1];
        k->s.loops.at[place] = chain->at[i];
        from = place + 1;
    }
    return true;
}

/* Replaces the temporaries under e by their values; sums must come from temporaries. */
static bool put_values(fe_kernel *k, sam_expr *e, temporaries *known, diagnostics *d) {
    sam_expr_data *x = sam_expr_at(&k->s, *e);
    if (x->kind == SAM_EXPR_SUM)
        return diag_error(d, x->loc, "E0150-cin", "a sum is a loop with '+=' here");
    if (x->kind == SAM_EXPR_ACCESS && !sam_tensor_at(&k->s, x->tensor)->order) {
        for (uint32_t t = 0; t < known->len; t++) {
            if (!name_eq(known->at[t].name, sam_tensor_at(&k->s, x->tensor)->name))
                continue;
            *e = known->at[t].value;
            known->at[t].uses++;
            return true;
        }
    }
    sam_expr a = x->a, b = x->b;
    if ((a.v && !put_values(k, &a, known, d)) || (b.v && !put_values(k, &b, known, d)))
        return false;
    sam_expr_at(&k->s, *e)->a = a;
    sam_expr_at(&k->s, *e)->b = b;
    return true;
}

/* *operation: the operation of a sum. */
static bool read_assignment(cin_reader *r, fe_kernel *k, const raw *node, bool reduces, uint8_t *operation,
                            sam_expr *value) {
    fe_reader in = node->at;
    sam_expr_data target = {0};
    if (in.token.kind != FE_NAME)
        return fe_expected(&in, "an assignment", r->d);
    if (!fe_parse_access(&in, &k->s, r->d, &target))
        return false;
    src_loc sign = in.token.loc;
    fe_call by = {.operation = SAM_OPERATION_add};
    bool named = in.token.kind == FE_NAME && fe_find_call(&in.token, &by) && by.reduces;
    bool adds = named || fe_at_sign(&in, '+');
    if (adds)
        fe_advance(&in);
    *operation = (uint8_t)by.operation;
    if (!fe_take_sign(&in, '='))
        return fe_expected(&in, "'=' or '+='", r->d);
    if (adds != reduces)
        return diag_error(r->d, sign, "E0150-cin",
                          reduces ? "a loop around this is a sum: write '+='"
                                  : "no loop around this is a sum: write '='");
    *value = fe_parse_terms(&in, &k->s, r->d);
    return value->v && (fe_at_sign(&in, ',') || fe_at_sign(&in, ')') || in.token.kind == FE_END ||
                        fe_expected(&in, "an operator or the end of the assignment", r->d));
}

static bool read_scope(cin_reader *r, fe_kernel *k, const raw *node, bool outer, sam_expr *value);

/* where(where(x = t1 + t2, producer of t1), producer of t2): inner ones first. */
static bool read_producers(cin_reader *r, fe_kernel *k, const raw *node, temporaries *known) {
    if (node->kind != RAW_WHERE)
        return true;
    if (!read_producers(r, k, node->a, known))
        return false;
    const fe_token *name = &assignment_of(node->b)->at.token;
    temporary t = {.loc = name->loc};
    if (fills_tensor(node->b)) {
        diag_error(r->d, name->loc, "E0150-cin", "only a scalar can be computed inside of loops");
        return diag_hint(r->d,
                         "a workspace with indices is filled by a kernel of its own, outside of all loops");
    }
    if (!read_scope(r, k, node->b, false, &t.value))
        return false;
    t.name = names_intern_n(r->names, name->at, name->length);
    vec_push(r->mem, known, t);
    return true;
}

/* foralls, producers, the assignment; the value includes the sums over loops of the scope. */
static bool read_scope(cin_reader *r, fe_kernel *k, const raw *node, bool outer, sam_expr *value) {
    fe_vars chain = {0}, sums = {0};
    for (; node->kind == RAW_FORALL; node = node->a) {
        sam_var v = fe_use_var(&k->s, &node->var, r->d);
        if (!v.v || !read_tag(node->at, k, v, r->d))
            return false;
        vec_push(r->mem, &chain, v);
        uint64_t roots = fe_roots_of(k, v);
        for (uint32_t root = 1; root <= k->s.vars.len; root++) {
            if ((roots >> (root - 1) & 1) && !(outer && sam_is_result_var(&k->s, (sam_var){root})))
                vec_push(r->mem, &sums, (sam_var){root});
        }
    }
    const raw *assignment = assignment_of(node);
    for (const raw *n = node; n != assignment; n = n->a) {
        if (n->kind == RAW_WHERE)
            continue;
        src_loc loc = n->kind == RAW_FORALL ? n->var.loc : n->at.token.loc;
        diag_error(r->d, loc, "E0150-cin", "a loop inside of the consumer of a where");
        return diag_hint(r->d, "the loops of an assignment are all around its where");
    }
    temporaries known = {0};
    uint8_t operation = 0;
    if (!insert_loops(k, &chain, r->d) || !read_producers(r, k, node, &known) ||
        !read_assignment(r, k, assignment, sums.len > 0, &operation, value) ||
        !put_values(k, value, &known, r->d))
        return false;
    for (uint32_t t = 0; t < known.len; t++) {
        if (known.at[t].uses == 1)
            continue;
        return diag_error(r->d, known.at[t].loc, "E0150-cin", "the temporary is used %u times, not once",
                          known.at[t].uses);
    }
    for (uint32_t i = sums.len; i-- > 0;) {
        bool again = false;
        for (uint32_t n = 0; n < i; n++)
            again = again || sums.at[n].v == sums.at[i].v;
        sam_expr_data sum = {.kind = SAM_EXPR_SUM,
                             .loc = sam_expr_at(&k->s, *value)->loc,
                             .a = *value,
                             .var = sums.at[i],
                             .operation = operation};
        if (again)
            continue;
        vec_push(k->s.mem, &k->s.exprs, sum);
        *value = (sam_expr){k->s.exprs.len};
    }
    return true;
}

static bool read_kernel(cin_reader *r, const raw *node) {
    /* The text has no data type, and may have operations of integers, absent in bfloat16. */
    fe_kernel k = {.s = {.mem = r->mem, .names = r->names, .integers = true}};
    sam_expr_data target = {0};
    fe_reader at = assignment_of(node)->at;
    if (at.token.kind != FE_NAME)
        return fe_expected(&at, "an assignment", r->d);
    if (!fe_parse_access(&at, &k.s, r->d, &target))
        return false;
    k.s.result = target.tensor;
    memcpy(k.s.result_index, target.index, sizeof target.index);
    if (node->kind == RAW_SUCHTHAT) {
        fe_reader in = node->at;
        do {
            if (!read_relation(&in, &k, r->d))
                return false;
        } while (fe_take_sign(&in, ','));
        if (!fe_take_mark(&in, ')', r->d))
            return false;
        node = node->a;
    }
    const fe_in no_formats = {0};
    if (!read_scope(r, &k, node, true, &k.s.rhs))
        return false;
    k.s.integers = false;
    fe_compact(&k.s);
    vec_push(r->mem, &r->cin->kernels, k);
    return fe_parse_formats(&no_formats, r->d, &k.s);
}

/* In where(where(result, w2), w1) w1 runs first. */
static bool read_program(cin_reader *r, const raw *node) {
    if (node->kind != RAW_WHERE || !fills_tensor(node->b))
        return read_kernel(r, node);
    return read_kernel(r, node->b) && read_program(r, node->a);
}

bool fe_cin_read(fe_reader in, name_table *names, arena *mem, diagnostics *d, fe_cin *out) {
    *out = (fe_cin){0};
    cin_reader r = {.in = in, .cin = out, .names = names, .mem = mem, .d = d};
    r.in.underscores = r.in.infinite = true;
    const raw *root = read_raw(&r);
    if (!root)
        return false;
    if (r.in.token.kind != FE_END)
        return fe_expected(&r.in, "the end", d);
    return read_program(&r, root) && fe_cin_check(out, d);
}

bool fe_cin_parse(const char *text, name_table *names, arena *mem, diagnostics *d, fe_cin *out) {
    return fe_cin_read(fe_read("<cin>", text, d), names, mem, d, out);
}

/* The sums of the loops are written out; the relations, the order and the copies of the loops are commands.
 */
bool fe_cin_expression(const char *path, const char *text, arena *mem, diagnostics *d,
                       const char **expression, const char **schedule) {
    fe_cin cin;
    name_table names;
    names_init(&names, mem);
    const fe_reader in = fe_read(path, text, d);
    if (!fe_cin_read(in, &names, mem, d, &cin))
        return false;
    const fe_kernel *k = &cin.kernels.at[0];
    if (cin.kernels.len > 1 || k->on_host) {
        diag_error(d, in.token.loc, "E0150-cin", "this is %s, and a file has one kernel of the array",
                   k->on_host ? "a kernel of the host" : "several kernels");
        return diag_hint(d, "an expression and -s \"precompute(e,{i},{iw},w)\" make several kernels");
    }
    const char *result = fe_access_text(&k->s, k->s.result, k->s.result_index, mem);
    *expression = arena_printf(mem, "%s = %s", result, fe_expr_text(k, k->s.rhs, mem));
    *schedule = fe_kernel_schedule(k, mem);
    return true;
}
