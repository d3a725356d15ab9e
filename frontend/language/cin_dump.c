/* cin_dump.c - concrete index notation written as text; the grammar is in cin_parse.c. */
#include <stdlib.h>

#include "frontend/language/calls.h"
#include "frontend/language/cin_dump.h"
#include "frontend/language/statement.h"
#include "frontend/language/words.h"
#include "sam/operators.h"
#include "support/number.h"

typedef struct {
    const fe_kernel *k;
    FILE *out;
    arena mem;
    fe_exprs sums;    /* sums.at[i] is written as temporary i + 1 */
    bool sums_inside; /* sums are written at their place, as in index notation */
} dump;

/* Text of an operation between its operands, and its precedence. */
typedef struct {
    const char *text;
    uint32_t strength;
} infix;

enum { COMPARISON = 3, SIGN = 10, ATOM = 11 };

static const infix infix_of_kind[] = {[SAM_EXPR_ADD] = {" + ", 8},
                                      [SAM_EXPR_SUB] = {" - ", 8},
                                      [SAM_EXPR_MUL] = {" * ", 9},
                                      [SAM_EXPR_DIV] = {" / ", 9},
                                      [SAM_EXPR_CALL] = {0}};
static const infix infix_of_operation[SAM_OPERATIONS] = {
    [SAM_OPERATION_lor] = {" || ", 1},         [SAM_OPERATION_land] = {" && ", 2},
    [SAM_OPERATION_eq] = {" == ", COMPARISON}, [SAM_OPERATION_ne] = {" != ", COMPARISON},
    [SAM_OPERATION_lt] = {" < ", COMPARISON},  [SAM_OPERATION_le] = {" <= ", COMPARISON},
    [SAM_OPERATION_gt] = {" > ", COMPARISON},  [SAM_OPERATION_ge] = {" >= ", COMPARISON},
    [SAM_OPERATION_or] = {" | ", 4},           [SAM_OPERATION_and] = {" & ", 6},
    [SAM_OPERATION_shl] = {" << ", 7},         [SAM_OPERATION_rem] = {" % ", 9},
    [SAM_OPERATION_ashr] = {" >> ", 7}};

/* Words of bf16 are joined by functions, since the signs are of integers. */
static infix infix_of(const sam_expr_data *x) {
    return x->kind == SAM_EXPR_CALL ? infix_of_operation[x->operation] : infix_of_kind[x->kind];
}

static uint32_t binding_strength(const sam_expr_data *x) {
    if (x->kind == SAM_EXPR_NEG || (x->kind == SAM_EXPR_LITERAL && x->literal < 0))
        return SIGN;
    return x->b.v && infix_of(x).text ? infix_of(x).strength : ATOM;
}

/* Finds a name for a temporary, not used by a tensor or a variable. */
static void dump_temporary(dump *p, uint32_t number) {
    const char *prefix = "t";
    for (;; prefix = arena_printf(&p->mem, "%st", prefix)) {
        name_id name = names_find(p->k->s.names, arena_printf(&p->mem, "%s%u", prefix, number));
        if (!name.v || (!fe_find_tensor(&p->k->s, name).v && !fe_find_var(&p->k->s, name).v))
            break;
    }
    fprintf(p->out, "%s%u", prefix, number);
}

static uint32_t temporary_of(const dump *p, sam_expr sum) {
    for (uint32_t i = 0; i < p->sums.len; i++) {
        if (p->sums.at[i].v == sum.v)
            return i + 1;
    }
    BUG("a sum without a temporary");
}

static void dump_expr(dump *p, sam_expr e, uint32_t least);

/* Operators bind from the left; comparisons do not stand beside each other. */
static void dump_binary(dump *p, const sam_expr_data *x) {
    infix i = infix_of(x);
    dump_expr(p, x->a, i.strength == COMPARISON ? i.strength + 1 : i.strength);
    fputs(i.text, p->out);
    dump_expr(p, x->b, i.strength + 1);
}

/* A scalar with the name of a variable is in parentheses, to be read as a scalar. */
static void dump_access(dump *p, const sam_expr_data *x) {
    const sam_tensor_data *t = sam_tensor_at(&p->k->s, x->tensor);
    const bool alone = !t->order && fe_find_var(&p->k->s, t->name).v;
    fprintf(p->out, alone ? "(%s)" : "%s", fe_access_text(&p->k->s, x->tensor, x->index, &p->mem));
}

/* Parentheses where the operator around e binds more than `least`. */
static void dump_expr(dump *p, sam_expr e, uint32_t least) {
    const sam_expr_data *x = sam_expr_at(&p->k->s, e);
    uint32_t strength = binding_strength(x);
    if (strength < least)
        fputc('(', p->out);
    switch (x->kind) {
    case SAM_EXPR_ACCESS:
        dump_access(p, x);
        break;
    case SAM_EXPR_LITERAL:
        number_print(p->out, "%.17g", x->literal);
        break;
    case SAM_EXPR_NEG:
        fputc('-', p->out);
        dump_expr(p, x->a, strength);
        break;
    case SAM_EXPR_SUM:
        if (p->sums_inside) {
            fprintf(p->out, "%s(%s, ", fe_reduction_text(x->operation), fe_var_text(&p->k->s, x->var));
            dump_expr(p, x->a, 0);
            fputc(')', p->out);
        } else {
            dump_temporary(p, temporary_of(p, e));
        }
        break;
    case SAM_EXPR_ADD:
    case SAM_EXPR_SUB:
    case SAM_EXPR_MUL:
    case SAM_EXPR_DIV:
        dump_binary(p, x);
        break;
    case SAM_EXPR_CALL:
        if (infix_of(x).text) {
            dump_binary(p, x);
            break;
        }
        fprintf(p->out, "%s(", x->program ? x->program->name : fe_function_text(x->operation));
        if (sam_takes_fiber(x))
            fprintf(p->out, "%s, ", fe_var_text(&p->k->s, x->var));
        dump_expr(p, x->a, 0);
        if (x->b.v) {
            fputs(", ", p->out);
            dump_expr(p, x->b, 0);
        }
        fputc(')', p->out);
        break;
    case SAM_EXPR_NONE:
        break;
    }
    if (strength < least)
        fputc(')', p->out);
}

const char *fe_expr_text(const fe_kernel *k, sam_expr e, arena *mem) {
    text_out text;
    text_begin(&text);
    dump p = {.k = k, .out = text.stream, .sums_inside = true};
    dump_expr(&p, e, 0);
    arena_free(&p.mem);
    return text_end(&text, mem);
}

static void dump_tag(const dump *p, sam_var loop) {
    const fe_tag *tag = fe_tag_of(p->k, loop);
    if (!tag)
        return;
    if (tag->kind == FE_UNROLL)
        fprintf(p->out, ", unroll(%u)", tag->copies);
    else if (tag->unit == FE_LANES)
        fprintf(p->out, ", parallelize(Lanes(%u),%s)", tag->copies, fe_strategy_text(tag->strategy));
    else
        fprintf(p->out, ", parallelize(%s,%s)", fe_unit_text(tag->unit), fe_strategy_text(tag->strategy));
}

/* forall(v, ...) of the scope around "target = body", with a where for each inner sum; temporary 0 is the
 * result. */
static void dump_scope(dump *p, const fe_scope *scope, uint32_t temporary) {
    const sam_statement *s = &p->k->s;
    fe_vars loops = fe_scope_loops(p->k, scope, &p->mem);
    fe_exprs inner = {0};
    fe_inner_sums(s, scope->body, &p->mem, &inner);
    uint32_t first = p->sums.len;
    bool reduces = temporary != 0;
    for (uint32_t i = 0; i < scope->vars.len; i++)
        reduces = reduces || !sam_is_result_var(s, scope->vars.at[i]);
    for (uint32_t i = 0; i < loops.len; i++)
        fprintf(p->out, "forall(%s, ", fe_var_text(s, loops.at[i]));
    for (uint32_t i = 0; i < inner.len; i++) {
        fputs("where(", p->out);
        vec_push(&p->mem, &p->sums, inner.at[i]);
    }
    if (temporary)
        dump_temporary(p, temporary);
    else
        fputs(fe_access_text(s, s->result, s->result_index, &p->mem), p->out);
    if (reduces && scope->operation)
        fprintf(p->out, " %s= ", fe_reduction_text(scope->operation));
    else
        fputs(reduces ? " += " : " = ", p->out);
    dump_expr(p, scope->body, 0);
    for (uint32_t i = 0; i < inner.len; i++) {
        fputs(", ", p->out);
        fe_scope sum = fe_sum_scope(s, inner.at[i], &p->mem);
        dump_scope(p, &sum, first + i + 1);
        fputc(')', p->out);
    }
    for (uint32_t i = loops.len; i-- > 0;) {
        dump_tag(p, loops.at[i]);
        fputc(')', p->out);
    }
}

static void dump_relation(const fe_kernel *k, const fe_relation *r, FILE *out) {
    static const char *const keyword[] = {[FE_SPLIT] = "split",
                                          [FE_DIVIDE] = "divide",
                                          [FE_POS] = "pos",
                                          [FE_FUSE] = "fuse",
                                          [FE_BOUND] = "bound"};
    const sam_statement *s = &k->s;
    fprintf(out, ", %s(%s,%s", keyword[r->kind], fe_var_text(s, r->var[0]), fe_var_text(s, r->var[1]));
    switch (r->kind) {
    case FE_SPLIT:
    case FE_DIVIDE:
        fprintf(out, ",%s,%u)", fe_var_text(s, r->var[2]), r->number);
        break;
    case FE_POS:
        fprintf(out, ",%s)", names_text(s->names, r->tensor));
        break;
    case FE_FUSE:
        fprintf(out, ",%s)", fe_var_text(s, r->var[2]));
        break;
    case FE_BOUND:
        fprintf(out, ",%u,%s)", r->number, fe_bound_text(r->bound));
        break;
    }
}

static void dump_command(const dump *p, const fe_tag *tag) {
    const char *loop = fe_var_text(&p->k->s, tag->loop);
    if (tag->kind == FE_UNROLL)
        fprintf(p->out, ", unroll(%s,%u)", loop, tag->copies);
    else if (tag->unit == FE_LANES)
        fprintf(p->out, ", parallelize(%s,Lanes(%u),%s)", loop, tag->copies, fe_strategy_text(tag->strategy));
    else
        fprintf(p->out, ", parallelize(%s,%s,%s)", loop, fe_unit_text(tag->unit),
                fe_strategy_text(tag->strategy));
}

const char *fe_kernel_schedule(const fe_kernel *k, arena *mem) {
    text_out text;
    text_begin(&text);
    const dump p = {.k = k, .out = text.stream};
    for (uint32_t r = 0; r < k->relations.len; r++)
        dump_relation(k, &k->relations.at[r], p.out);
    for (uint32_t i = 0; i < k->s.loops.len; i++)
        fprintf(p.out, "%s%s", i ? "," : ", reorder(", fe_var_text(&k->s, k->s.loops.at[i]));
    fputs(k->s.loops.len ? ")" : "", p.out);
    for (uint32_t t = 0; t < k->tags.len; t++)
        dump_command(&p, &k->tags.at[t]);
    const char *commands = text_end(&text, mem);
    return *commands ? commands + 2 : commands;
}

/* Collects the variables of the sums below e, and the variables of more than one of these sums, as bits v -
 * 1. */
static void collect_sums(const sam_statement *s, sam_expr e, uint64_t *once, uint64_t *twice) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (x->kind == SAM_EXPR_SUM) {
        uint64_t bit = (uint64_t)1 << (x->var.v - 1);
        *twice |= *once & bit;
        *once |= bit;
    }
    if (x->a.v)
        collect_sums(s, x->a, once, twice);
    if (x->b.v)
        collect_sums(s, x->b, once, twice);
}

/* Returns whether the foralls alone determine the order of the loops: not if a loop is in the chains of two
 * sums, which may order the loop differently. */
static bool foralls_say_order(const fe_kernel *k, arena *mem) {
    uint64_t once = 0, twice = 0;
    collect_sums(&k->s, k->s.rhs, &once, &twice);
    bool several = once & (once - 1);
    return fe_loops_nest(k, mem) && !(twice && several);
}

/* ", bind(gemm,fix(i),promote(c,1))". */
static void dump_binding(const fe_kernel *k, FILE *out) {
    const name_table *names = k->s.names;
    const fe_binding *b = &k->binding;
    if (!k->on_host)
        return;
    fprintf(out, ", bind(%s", b->function.v ? names_text(names, b->function) : "host");
    for (uint32_t v = 1, n = 0; v <= k->s.vars.len; v++) {
        if (b->fixed >> (v - 1) & 1)
            fprintf(out, "%s%s", n++ ? "," : ",fix(", fe_var_text(&k->s, (sam_var){v}));
    }
    fputs(b->fixed ? ")" : "", out);
    for (uint32_t i = 0; i < b->notes.len; i++) {
        const fe_binding_note *note = &b->notes.at[i];
        if (note->kind == FE_PROMOTED)
            fprintf(out, ",promote(%s,%u)", names_text(names, note->tensor), note->position);
        else
            fprintf(out, ",tag(%s,%s)", names_text(names, note->tensor), names_text(names, note->tag));
    }
    fputc(')', out);
}

static void dump_kernel(const fe_kernel *k, FILE *out) {
    dump p = {.k = k, .out = out};
    fe_scope outer = fe_outer_scope(&k->s, &p.mem);
    bool ordered = foralls_say_order(k, &p.mem), suchthat = k->relations.len || !ordered || k->on_host;
    if (suchthat)
        fputs("suchthat(", out);
    dump_scope(&p, &outer, 0);
    for (uint32_t r = 0; r < k->relations.len; r++)
        dump_relation(k, &k->relations.at[r], out);
    for (uint32_t i = 0; !ordered && i < k->s.loops.len; i++)
        fprintf(out, "%s%s", i ? "," : ", order(", fe_var_text(&k->s, k->s.loops.at[i]));
    if (!ordered)
        fputc(')', out);
    dump_binding(k, out);
    if (suchthat)
        fputc(')', out);
    arena_free(&p.mem);
}

void fe_cin_dump(const fe_cin *cin, FILE *out) {
    uint32_t last = cin->kernels.len - 1;
    for (uint32_t n = 0; n < last; n++)
        fputs("where(", out);
    dump_kernel(&cin->kernels.at[last], out);
    for (uint32_t n = last; n-- > 0;) {
        fputs(", ", out);
        dump_kernel(&cin->kernels.at[n], out);
        fputc(')', out);
    }
    fputc('\n', out);
}

void fe_dump(const sam_statement *s, FILE *out) {
    dump_kernel(&(fe_kernel){.s = *s}, out);
    fputc('\n', out);
}
