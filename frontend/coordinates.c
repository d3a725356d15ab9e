/* coordinates.c - prints the coordinate algebra of a statement: --dump coordinates (docs/dump.md).
 *
 * Of each operation, operands first: the set of coordinates outside of which it is its fill, and the fill.
 * The sets are in normal form as sam/coordinates.h makes them: a complement stands at an operand only. Then
 * of each loop where it runs: the set of the right side with the operands that have the loop's variable, by
 * sam_fold, as lowering and tiling have it. The others say nothing about the loop, and a complement says
 * nothing about any: both are everywhere there, so a loop may visit what has no value.
 */
#include "frontend/coordinates.h"

#include "frontend/fe_int.h"
#include "sam/coordinates.h"

enum { UNION, MEET, ATOM }; /* how tightly a text binds */

typedef struct {
    const char *text; /* NULL: every coordinate */
    int binds;
} set_text;

typedef struct {
    const fe_kernel *k;
    arena *mem;
    sam_var loop; /* of which the sets are, or 0: of all variables */
} printer;

static const char *bound(const printer *p, const set_text *t, int binds) {
    return t->binds < binds ? arena_printf(p->mem, "(%s)", t->text) : t->text;
}

static void stored(void *context, sam_expr access, void *out) {
    const printer *p = context;
    set_text *to = out;
    *to = (set_text){NULL, ATOM};
    if (!p->loop.v || fe_has_index(&p->k->s, access, p->loop))
        to->text = fe_expr_text(p->k, access, p->mem);
}

/* What is everywhere leaves the other side. */
static void meet(void *context, sam_expr of, void *a, const void *b) {
    const printer *p = context;
    set_text *left = a;
    const set_text *right = b;
    (void)of;
    if (!left->text)
        *left = *right;
    else if (right->text && strcmp(left->text, right->text) != 0)
        *left =
            (set_text){arena_printf(p->mem, "%s and %s", bound(p, left, MEET), bound(p, right, MEET)), MEET};
}

static void unite(void *context, sam_expr of, void *a, const void *b) {
    const printer *p = context;
    set_text *left = a;
    const set_text *right = b;
    (void)of;
    if (!right->text)
        *left = *right;
    else if (left->text && strcmp(left->text, right->text) != 0)
        *left = (set_text){arena_printf(p->mem, "%s or %s", bound(p, left, UNION), bound(p, right, UNION)),
                           UNION};
}

/* The set as it is, complements too: sam_fold takes them for everything. */
static set_text whole(printer *context, const sam_algebra *algebra, sam_set set) {
    const sam_set_data *x = &algebra->sets.at[set.v - 1];
    set_text a = {NULL, ATOM}, b;
    switch (x->kind) {
    case SAM_SET_STORED:
        stored(context, x->of, &a);
        break;
    case SAM_SET_NOT:
        stored(context, algebra->sets.at[x->a.v - 1].of, &a);
        a.text = arena_printf(context->mem, "not %s", a.text);
        break;
    case SAM_SET_MEET:
    case SAM_SET_UNITE:
        a = whole(context, algebra, x->a);
        b = whole(context, algebra, x->b);
        (x->kind == SAM_SET_MEET ? meet : unite)(context, x->of, &a, &b);
        break;
    case SAM_SET_ALL:
        break;
    case SAM_SET_NONE:
        BUG("a set of no kind");
    }
    return a;
}

static void print_fill(const sam_statement *s, uint16_t word, FILE *out) {
    if (s->integers && (word == 0x7FFF || word == 0x8000))
        fputs(word == 0x7FFF ? "inf" : "-inf", out);
    else
        fprintf(out, "%g", sam_word_number(word, !s->integers));
}

/* Operands first. Constants of functions have no set. */
static void print_parts(printer *p, sam_expr e, FILE *out) {
    const sam_statement *s = &p->k->s;
    const sam_expr_data *x = sam_expr_at(s, e);
    sam_algebra algebra = {.mem = p->mem};
    if (x->kind == SAM_EXPR_LITERAL)
        return;
    if (x->a.v)
        print_parts(p, x->a, out);
    if (x->b.v)
        print_parts(p, x->b, out);
    const sam_coordinates c = sam_coordinates_of(&algebra, s, e, NULL);
    const char *set = c.set.v ? whole(p, &algebra, c.set).text : "nowhere";
    fprintf(out, "%s: %s", fe_expr_text(p->k, e, p->mem), set ? set : "everywhere");
    if (set) {
        fputs("; else ", out);
        print_fill(s, c.fill, out);
    }
    fputc('\n', out);
}

void fe_coordinates_dump(const sam_statement *s, FILE *out) {
    arena mem = {0};
    const fe_kernel k = {.s = *s};
    printer p = {&k, &mem, {0}};
    sam_algebra algebra = {.mem = &mem};
    print_parts(&p, s->rhs, out);
    const sam_coordinates c = sam_coordinates_of(&algebra, s, s->rhs, NULL);
    const set_text everywhere = {NULL, ATOM};
    const sam_fold_by by = {sizeof everywhere, &everywhere, stored, meet, unite};
    for (uint32_t i = 0; i < s->loops.len; i++) {
        set_text runs = everywhere;
        p.loop = s->loops.at[i];
        const bool all = s->everywhere && sam_is_result_var(s, p.loop);
        if (c.set.v && !all)
            sam_fold(&algebra, c.set, &by, &p, &runs);
        fprintf(out, "forall(%s): %s\n", names_text(s->names, sam_var_at(s, p.loop)->name),
                runs.text ? runs.text : "everywhere");
    }
    arena_free(&mem);
}
