/* capability.c - what a described function computes, as an expression with conditions.
 *
 *   capability := access "=" terms ["when" all]            terms: of index notation
 *   all        := any ("&&" any)*
 *   any        := compared ("||" compared)*
 *   compared   := sum [("==" | "!=" | "<" | "<=" | ">" | ">=") sum]
 *   sum        := product (("+" | "-") product)*
 *   product    := factor (("*" | "/" | "%") factor)*
 *   factor     := number | index | "words" "(" T "," level ")" | "(" any ")"
 *
 * An index in a condition is how far it runs. words(T,l) is how many coordinates T has down to level l, as if
 * all were stored: what that level and those above it take at most.
 */
#include "frontend/functions/capability.h"
#include "frontend/language/cin_dump.h"
#include "frontend/language/parse.h"
#include "frontend/language/statement.h"

#include <inttypes.h>

typedef struct {
    fe_reader in;
    fe_capability *c;
    diagnostics *d;
} condition_reader;

static bool refuse(diagnostics *d, src_loc loc, const char *what, const char *hint) {
    diag_error(d, loc, "E0163-description", "%s", what);
    return diag_hint(d, "%s", hint);
}

/* ---- conditions -------------------------------------------------------------------------------- */

/* Precedence of operations, weakest first: the grammar's levels. */
enum { OR, COMPARE, SUM, PRODUCT, FACTOR };

static const struct {
    char sign;
    uint8_t level;
    const char *text;
} operations[] = {
    {FE_OR, OR, " || "},      {FE_EQ, COMPARE, " == "}, {FE_NE, COMPARE, " != "}, {'<', COMPARE, " < "},
    {FE_LE, COMPARE, " <= "}, {'>', COMPARE, " > "},    {FE_GE, COMPARE, " >= "}, {'+', SUM, " + "},
    {'-', SUM, " - "},        {'*', PRODUCT, " * "},    {'/', PRODUCT, " / "},    {'%', PRODUCT, " % "},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

/* Returns the row of a sign, at a level or at any (FACTOR); OPERATIONS: none. */
static uint32_t find_operation(char sign, uint32_t level) {
    uint32_t row = 0;
    while (row < OPERATIONS &&
           (operations[row].sign != sign || (level != FACTOR && operations[row].level != level)))
        row++;
    return row;
}

static bool is_truth(const fe_capability *c, uint32_t node) {
    const fe_condition_node *p = &c->nodes.at[node];
    return p->kind == FE_CONDITION_OPERATION && operations[find_operation(p->sign, FACTOR)].level <= COMPARE;
}

static bool add_node(condition_reader *r, fe_condition_node node, uint32_t *out) {
    vec_push(r->d->mem, &r->c->nodes, node);
    *out = r->c->nodes.len - 1;
    return true;
}

static bool read_level(condition_reader *r, uint32_t level, uint32_t *out);

static bool take_sign(condition_reader *r, char sign, const char *what) {
    return fe_take_sign(&r->in, sign) || fe_expected(&r->in, what, r->d);
}

/* Reads "(T, level)". */
static bool read_words(condition_reader *r, uint32_t *out) {
    fe_condition_node p = {.kind = FE_CONDITION_WORDS};
    const sam_statement *s = &r->c->s;
    if (!take_sign(r, '(', "'('"))
        return false;
    const fe_token t = r->in.token;
    p.tensor = t.kind == FE_NAME
                   ? fe_find_tensor(s, names_find(s->names, arena_strndup(r->d->mem, t.at, t.length)))
                   : p.tensor;
    if (!p.tensor.v)
        return refuse(r->d, t.loc, "expected a tensor of the capability", "words(A,1)");
    fe_advance(&r->in);
    if (!take_sign(r, ',', "',' and a level"))
        return false;
    const uint32_t order = sam_tensor_at(s, p.tensor)->order;
    p.level = fe_whole_number(&r->in.token, UINT32_MAX);
    if (p.level >= order)
        return refuse(r->d, r->in.token.loc,
                      arena_printf(r->d->mem, "%s has no such level", fe_tensor_text(s, p.tensor)),
                      "levels are counted from 0");
    fe_advance(&r->in);
    return take_sign(r, ')', "')'") && add_node(r, p, out);
}

static bool read_factor(condition_reader *r, uint32_t *out) {
    const fe_token t = r->in.token;
    const sam_statement *s = &r->c->s;
    if (fe_take_sign(&r->in, '('))
        return read_level(r, OR, out) && take_sign(r, ')', "')'");
    if (t.kind == FE_NUMBER) {
        const uint32_t number = fe_whole_number(&t, UINT32_MAX);
        fe_advance(&r->in);
        return number != UINT32_MAX ? add_node(r, (fe_condition_node){.number = number}, out)
                                    : refuse(r->d, t.loc, "expected a whole number", "i <= 64");
    }
    if (t.kind != FE_NAME)
        return fe_expected(&r->in, "a number, an index or words(T,level)", r->d);
    fe_advance(&r->in);
    if (fe_is_word(&t, "words"))
        return read_words(r, out);
    const sam_var v = fe_find_var(s, names_find(s->names, arena_strndup(r->d->mem, t.at, t.length)));
    if (!v.v)
        return refuse(r->d, t.loc, "expected an index of the capability", "i <= 64, words(A,1) <= 4096");
    return add_node(r, (fe_condition_node){.kind = FE_CONDITION_EXTENT, .var = v}, out);
}

/* Both sides of `||` are conditions, the sides of all other operators are numbers. */
static bool check_sides(condition_reader *r, const fe_condition_node *p, src_loc loc) {
    const bool wants = p->sign == FE_OR;
    return (is_truth(r->c, p->a) == wants && is_truth(r->c, p->b) == wants) ||
           refuse(r->d, loc, wants ? "expected conditions on both sides" : "expected numbers on both sides",
                  "compare numbers: i + k <= 64 || i == 1");
}

static bool read_level(condition_reader *r, uint32_t level, uint32_t *out) {
    if (level == FACTOR)
        return read_factor(r, out);
    if (!read_level(r, level + 1, out))
        return false;
    for (uint32_t row;
         r->in.token.kind == FE_SIGN && (row = find_operation(r->in.token.sign, level)) < OPERATIONS;) {
        fe_condition_node p = {.kind = FE_CONDITION_OPERATION, .sign = operations[row].sign, .a = *out};
        const src_loc loc = r->in.token.loc;
        fe_advance(&r->in);
        if (!read_level(r, level + 1, &p.b) || !check_sides(r, &p, loc) || !add_node(r, p, out))
            return false;
    }
    return true;
}

/* Reads what stands behind `when`. */
static bool read_conditions(condition_reader *r) {
    do {
        uint32_t node;
        const src_loc loc = r->in.token.loc;
        if (!read_level(r, OR, &node))
            return false;
        if (!is_truth(r->c, node))
            return refuse(r->d, loc, "a number is no condition", "compare it: i <= 64");
        vec_push(r->d->mem, &r->c->conditions, node);
    } while (fe_take_sign(&r->in, FE_AND));
    return r->in.token.kind == FE_END || fe_expected(&r->in, "'&&' or the end", r->d);
}

static int64_t apply(char sign, int64_t a, int64_t b) {
    int64_t out = 0;
    const int64_t end = (sign == '*' ? (a < 0) != (b < 0) : a < 0) ? INT64_MIN : INT64_MAX;
    switch (sign) {
    case '+':
        return __builtin_add_overflow(a, b, &out) ? end : out;
    case '-':
        return __builtin_sub_overflow(a, b, &out) ? end : out;
    case '*':
        return __builtin_mul_overflow(a, b, &out) ? end : out;
    case '/':
        return b ? a / b : 0;
    case '%':
        return b ? a % b : 0;
    case '<':
        return a < b;
    case '>':
        return a > b;
    case FE_LE:
        return a <= b;
    case FE_GE:
        return a >= b;
    case FE_EQ:
        return a == b;
    case FE_NE:
        return a != b;
    default:
        return a || b;
    }
}

static sam_var var_at_level(const sam_statement *s, const fe_condition_node *p, uint32_t level) {
    return sam_index_of(s, p->tensor)[sam_tensor_at(s, p->tensor)->mode[level]];
}

uint64_t fe_condition_vars(const fe_capability *c, uint32_t node) {
    const fe_condition_node *p = &c->nodes.at[node];
    uint64_t vars = 0;
    if (p->kind == FE_CONDITION_OPERATION)
        return fe_condition_vars(c, p->a) | fe_condition_vars(c, p->b);
    if (p->kind == FE_CONDITION_EXTENT)
        return (uint64_t)1 << (p->var.v - 1);
    for (uint32_t l = 0; p->kind == FE_CONDITION_WORDS && l <= p->level; l++)
        vars |= (uint64_t)1 << (var_at_level(&c->s, p, l).v - 1);
    return vars;
}

int64_t fe_condition_value(const fe_capability *c, uint32_t node, const uint32_t *extent) {
    const fe_condition_node *p = &c->nodes.at[node];
    int64_t value = p->kind == FE_CONDITION_NUMBER ? p->number : 1;
    if (p->kind == FE_CONDITION_OPERATION)
        return apply(p->sign, fe_condition_value(c, p->a, extent), fe_condition_value(c, p->b, extent));
    if (p->kind == FE_CONDITION_EXTENT)
        return extent[p->var.v - 1];
    for (uint32_t l = 0; p->kind == FE_CONDITION_WORDS && l <= p->level; l++)
        value = apply('*', value, extent[var_at_level(&c->s, p, l).v - 1]);
    return value;
}

static const char *node_text(const fe_capability *c, uint32_t node, uint32_t least, arena *mem) {
    const fe_condition_node *p = &c->nodes.at[node];
    switch (p->kind) {
    case FE_CONDITION_NUMBER:
        return arena_printf(mem, "%" PRId64, p->number);
    case FE_CONDITION_EXTENT:
        return fe_var_text(&c->s, p->var);
    case FE_CONDITION_WORDS:
        return arena_printf(mem, "words(%s,%u)", fe_tensor_text(&c->s, p->tensor), p->level);
    case FE_CONDITION_OPERATION:
        break;
    }
    const uint32_t row = find_operation(p->sign, FACTOR), level = operations[row].level;
    return arena_printf(mem, "%s%s%s%s%s", level < least ? "(" : "", node_text(c, p->a, level, mem),
                        operations[row].text, node_text(c, p->b, level + 1, mem), level < least ? ")" : "");
}

const char *fe_condition_text(const fe_capability *c, uint32_t node, arena *mem) {
    return node_text(c, node, OR, mem);
}

/* ---- the expression ---------------------------------------------------------------------------- */

/* Returns the position of the word `when` that begins conditions; the end without one. As a function, `when`
 * comes before a parenthesis, as an operand never; after an operand, a name begins nothing. */
static size_t find_when(const fe_piece *text) {
    fe_reader in = fe_read_piece(text);
    for (bool operand = false; in.token.kind != FE_END; fe_advance(&in)) {
        if (operand && fe_is_word(&in.token, "when"))
            return (size_t)(in.token.at - text->text);
        operand = in.token.kind == FE_NAME || in.token.kind == FE_NUMBER || fe_at_sign(&in, ')');
    }
    return text->end;
}

/* Requirements of the arrays of a call: plain accesses, one for each tensor. */
static bool check_accesses(const sam_statement *s, diagnostics *d) {
    const sam_var *first[64] = {0};
    first[s->result.v - 1] = s->result_index;
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        const sam_tensor_data *data = &s->tensors.at[t];
        if (s->tensors.len > 64 || data->called.v || data->windowed || data->structure != SAM_VALUES)
            return refuse(d, data->loc, "a function is handed whole arrays", "T(i,j), with indices alone");
        if (fe_find_var(s, data->name).v)
            return refuse(d, data->loc, "an index has the name of this tensor", "choose another name");
    }
    for (uint32_t e = 0; e < s->exprs.len; e++) {
        if (s->exprs.at[e].program)
            return refuse(d, s->exprs.at[e].loc, "what computes this is a function with loops, or of C",
                          "a capability is of operators, which can be compared");
    }
    for (uint32_t e = 0; e <= s->exprs.len; e++) {
        const bool result = e == s->exprs.len;
        const sam_expr_data *x = result ? NULL : &s->exprs.at[e];
        const sam_var *index = result ? s->result_index : x->index;
        if (!result && x->kind != SAM_EXPR_ACCESS)
            continue;
        const sam_tensor t = result ? s->result : x->tensor;
        const src_loc loc = result ? sam_tensor_at(s, t)->loc : x->loc;
        for (uint32_t m = 0; m < sam_tensor_at(s, t)->order; m++) {
            for (uint32_t n = 0; n < m; n++) {
                if (index[m].v == index[n].v)
                    return refuse(d, loc, "a tensor has an index twice", "arrays have an index each");
            }
            if (first[t.v - 1] && first[t.v - 1][m].v != index[m].v)
                return refuse(d, loc, "the tensor stands elsewhere with other indices",
                              "name it twice, as A and B");
        }
        first[t.v - 1] = index;
    }
    return true;
}

/* Arrays have dense levels; levels of a bitstream's tensors are compressed by default. */
static bool check_formats(const fe_capability_in *in, diagnostics *d, sam_statement *s) {
    for (uint32_t i = 0; i < in->n_formats; i++) {
        const char *colon = strchr(in->formats[i], ':');
        for (const char *c = colon ? colon + 1 : ""; *c && *c != ':'; c++) {
            if (in->sparse ? !strchr("ds", *c) : *c != 'd')
                return in->sparse
                           ? refuse(d, in->formats_loc, "a bitstream has dense and compressed levels",
                                    "B:ss, C:ds:1,0")
                           : refuse(d, in->formats_loc, "a function is handed arrays, whose levels are dense",
                                    "A:dd row by row, A:dd:1,0 column by column");
        }
    }
    for (uint32_t t = 0; t < s->tensors.len && !in->sparse; t++) {
        for (uint32_t l = 0; l < s->tensors.at[t].order; l++)
            s->tensors.at[t].level[l] = SAM_LEVEL_DENSE;
    }
    return true;
}

static bool read_tags(const fe_capability_in *in, diagnostics *d, fe_capability *out) {
    for (uint32_t i = 0; i < in->n_tags; i++) {
        const char *colon = strchr(in->tags[i], ':');
        fe_required_tag tag = {.tag = colon ? colon + 1 : ""};
        if (colon)
            tag.tensor = fe_find_tensor(
                &out->s,
                names_find(out->s.names, arena_strndup(d->mem, in->tags[i], (size_t)(colon - in->tags[i]))));
        if (tag.tensor.v <= 1 || !*tag.tag)
            return refuse(d, in->tags_loc, "expected an operand of the capability, ':' and a word",
                          "A:symmetric");
        vec_push(d->mem, &out->tags, tag);
    }
    return true;
}

bool fe_read_capability(const fe_capability_in *in, name_table *names, diagnostics *d, fe_capability *out) {
    fe_piece expression = in->text;
    *out = (fe_capability){0};
    expression.end = find_when(&in->text);
    const fe_in as = {.piece = &expression,
                      .formats = in->formats,
                      .n_formats = in->n_formats,
                      .functions = in->functions,
                      .integers = in->integers};
    if (!fe_parse(&as, names, d->mem, d, &out->s) || !check_accesses(&out->s, d) ||
        !check_formats(in, d, &out->s) || !read_tags(in, d, out))
        return false;
    if (expression.end == in->text.end)
        return true;
    condition_reader r = {
        .in = fe_read_piece(&(fe_piece){
            .source = in->text.source, .text = in->text.text, .first = expression.end, .end = in->text.end}),
        .c = out,
        .d = d};
    fe_advance(&r.in); /* skips `when` */
    return read_conditions(&r);
}

const char *fe_capability_text(const fe_capability *c, arena *mem) {
    const sam_statement *s = &c->s;
    const fe_kernel k = {.s = *s};
    const char *text = arena_printf(mem, "%s = %s", fe_access_text(s, s->result, s->result_index, mem),
                                    fe_expr_text(&k, s->rhs, mem));
    for (uint32_t i = 0; i < c->conditions.len; i++)
        text = arena_printf(mem, "%s%s%s", text, i ? " && " : " when ",
                            fe_condition_text(c, c->conditions.at[i], mem));
    return text;
}
