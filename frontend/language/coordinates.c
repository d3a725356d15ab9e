/* coordinates.c - prints the coordinate algebra of a statement: --dump coordinates (docs/dump.md).
 *
 * For each operation, operands first: the set of coordinates outside of which the operation equals its fill,
 * and the fill. Then for each loop its range: the set of the right side, restricted to the operands with the
 * loop's variable; other operands count as present everywhere. The complement of an operand with further
 * levels in inner loops also counts as everywhere: a stored row may have absent columns.
 */
#include "frontend/language/coordinates.h"
#include "frontend/language/cin_dump.h"
#include "frontend/language/statement.h"
#include "support/number.h"

#include "sam/coordinates.h"

enum { UNION, MEET, ATOM }; /* how tightly a text binds */

typedef struct {
    const char *text; /* NULL: every coordinate */
    int binds;
} set_text;

typedef struct {
    const fe_kernel *k;
    sam_algebra algebra;
    sam_var loop; /* the loop of the sets, or 0: all variables */
} printer;

static void stored(void *context, sam_expr access, void *out) {
    const printer *p = context;
    set_text *to = out;
    *to = (set_text){NULL, ATOM};
    if (!p->loop.v || fe_has_index(&p->k->s, access, p->loop))
        to->text = fe_expr_text(p->k, access, p->algebra.mem);
}

static void absent(void *context, sam_expr access, void *out) {
    const printer *p = context;
    const sam_statement *s = &p->k->s;
    set_text *to = out;
    stored(context, access, out);
    for (uint32_t m = 0; p->loop.v && m < sam_tensor_at(s, sam_expr_at(s, access)->tensor)->order; m++) {
        if (fe_loop_position(s, sam_expr_at(s, access)->index[m]) > fe_loop_position(s, p->loop))
            to->text = NULL;
    }
    if (to->text)
        to->text = arena_printf(p->algebra.mem, "not %s", to->text);
}

static const char *bound(const printer *p, const set_text *t, int binds) {
    return t->binds < binds ? arena_printf(p->algebra.mem, "(%s)", t->text) : t->text;
}

static void join(const printer *p, set_text *a, const set_text *b, const char *word, int binds) {
    if (strcmp(a->text, b->text) != 0)
        *a = (set_text){
            arena_printf(p->algebra.mem, "%s %s %s", bound(p, a, binds), word, bound(p, b, binds)), binds};
}

static void meet(void *context, sam_expr of, void *a, const void *b) {
    set_text *left = a;
    const set_text *right = b;
    (void)of;
    if (!left->text)
        *left = *right;
    else if (right->text)
        join(context, left, right, "and", MEET);
}

static void unite(void *context, sam_expr of, void *a, const void *b) {
    set_text *left = a;
    const set_text *right = b;
    (void)of;
    if (!right->text)
        *left = *right;
    else if (left->text)
        join(context, left, right, "or", UNION);
}

/* Returns the set as text, or NULL: every coordinate. */
static const char *text_of(printer *p, sam_set set) {
    static const set_text everywhere = {NULL, ATOM};
    static const sam_fold_by by = {sizeof everywhere, &everywhere, stored, meet, unite, absent};
    set_text text;
    sam_fold(&p->algebra, set, &by, p, &text);
    return text.text;
}

static void print_fill(const sam_statement *s, uint16_t word, FILE *out) {
    if (s->integers && (word == 0x7FFF || word == 0x8000))
        fputs(word == 0x7FFF ? "inf" : "-inf", out);
    else
        number_print(out, "%g", sam_word_number(word, !s->integers));
}

/* Operands first; returns where e has values. Constants of functions have no set. */
static sam_set print_subexprs(printer *p, sam_expr e, FILE *out) {
    const sam_statement *s = &p->k->s;
    const sam_expr_data *x = sam_expr_at(s, e);
    if (x->a.v)
        print_subexprs(p, x->a, out);
    if (x->b.v)
        print_subexprs(p, x->b, out);
    const sam_coordinates c = sam_coordinates_of(&p->algebra, s, e, NULL);
    if (x->kind == SAM_EXPR_LITERAL)
        return c.set;
    const char *set = c.set.v ? text_of(p, c.set) : "nowhere";
    fprintf(out, "%s: %s", fe_expr_text(p->k, e, p->algebra.mem), set ? set : "everywhere");
    if (set) {
        fputs("; else ", out);
        print_fill(s, c.fill, out);
    }
    fputc('\n', out);
    return c.set;
}

void fe_coordinates_dump(const sam_statement *s, FILE *out) {
    arena mem = {0};
    const fe_kernel k = {.s = *s};
    printer p = {.k = &k, .algebra = {.mem = &mem}};
    const sam_set set = print_subexprs(&p, s->rhs, out);
    for (uint32_t i = 0; i < s->loops.len; i++) {
        p.loop = s->loops.at[i];
        const bool all = s->everywhere && sam_is_result_var(s, p.loop);
        const char *runs = all ? NULL : set.v ? text_of(&p, set) : "nowhere";
        fprintf(out, "forall(%s): %s\n", fe_var_text(s, p.loop), runs ? runs : "everywhere");
    }
    arena_free(&mem);
}
