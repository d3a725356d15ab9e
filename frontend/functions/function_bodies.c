/* Bodies of functions: blocks whose value is an expression, and programs with loops. */
#include "frontend/functions/function_bodies.h"
#include "frontend/language/calls.h"
#include "frontend/language/statement.h"

static bool read_statements(fe_function_reader *r, fe_values *values, sam_expr *returned);

bool fe_read_block(fe_function_reader *r, fe_values *values, sam_expr *returned) {
    return fe_expect_sign(r, '{') && read_statements(r, values, returned) && fe_expect_sign(r, '}');
}

static fe_values copy_values(const fe_function_reader *r, const fe_values *of) {
    fe_values copy = {0};
    for (uint32_t i = 0; i < of->len; i++)
        vec_push(r->f->s.mem, &copy, of->at[i]);
    return copy;
}

/* A variable has a value after an `if` if both sides have one. A program's variables keep their values on
 * both. */
static void join_values(fe_function_reader *r, src_loc loc, sam_expr condition, fe_values *yes,
                        const fe_values *no) {
    for (uint32_t i = 0; i < yes->len; i++) {
        bool both = i < no->len && no->at[i].v && yes->at[i].v;
        bool kept = both && r->program;
        yes->at[i] = kept   ? yes->at[i]
                     : both ? fe_choose(r, loc, condition, yes->at[i], no->at[i])
                            : (sam_expr){0};
    }
}

/* If one side returns, the following statements belong to the other side. */
static bool read_if(fe_function_reader *r, fe_values *values, sam_expr *returned) {
    src_loc loc = r->in.token.loc;
    fe_advance(&r->in);
    if (r->depth++ == FE_MAX_DEPTH / 2)
        return fe_refuse_function(r, loc, "ifs are nested too deep", "write conditions with && and ||");
    if (!fe_expect_sign(r, '('))
        return false;
    sam_expr condition = fe_read_terms(r, values), yes = {0}, no = {0};
    fe_values other = copy_values(r, values);
    if (!condition.v || !fe_expect_sign(r, ')') || !fe_read_block(r, values, &yes))
        return false;
    if (fe_take_word(r, "else") &&
        !(fe_at_word(r, "if") ? read_if(r, &other, &no) : fe_read_block(r, &other, &no)))
        return false;
    r->depth--;
    if (yes.v && !no.v) {
        *values = other;
        if (!read_statements(r, values, &no))
            return false;
    } else if (no.v && !yes.v) {
        if (!read_statements(r, values, &yes))
            return false;
    } else if (!yes.v) {
        join_values(r, loc, condition, values, &other);
        return true;
    }
    if (!yes.v || !no.v)
        return fe_refuse_function(r, loc, "one side of this if returns, and the other comes to no return",
                                  "let both return, or none and return afterwards");
    *returned = fe_choose(r, loc, condition, yes, no);
    return true;
}

sam_expr fe_add_parameter(const fe_function_reader *r, src_loc loc, sam_tensor t) {
    return fe_add_expr(&r->f->s, (sam_expr_data){.kind = SAM_EXPR_ACCESS, .loc = loc, .tensor = t});
}

static void add_step(const fe_function_reader *r, uint32_t kind, sam_expr e, uint32_t to) {
    vec_push(r->f->s.mem, &r->program->steps, ((sam_program_step){e, to, kind}));
}

/* Ended by a semicolon, or by the parenthesis of a `for`. */
static bool read_assignment(fe_function_reader *r, fe_values *values, char end) {
    static const char *const types[] = {"int", "float", "double", "bool"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (fe_at_word(r, types[i]) && fe_peek(&r->in) != '=') {
            fe_advance(&r->in);
            break;
        }
    }
    sam_statement *s = &r->f->s;
    if (r->in.token.kind != FE_NAME)
        return fe_expected(&r->in, "a variable, 'if' or 'return'", r->d);
    name_id name = names_intern_n(s->names, r->in.token.at, r->in.token.length);
    sam_tensor t = fe_find_tensor(s, name);
    src_loc loc = r->in.token.loc;
    if (!t.v && r->program && s->tensors.len == SAM_MAX_VARIABLES)
        return fe_refuse_function(r, loc, "a function with loops has up to 63 variables",
                                  "use one for several things");
    if (!t.v) {
        vec_push(s->mem, &s->tensors, (sam_tensor_data){.name = name, .loc = r->in.token.loc});
        t.v = s->tensors.len;
    }
    fe_advance(&r->in);
    if (!fe_expect_sign(r, '='))
        return false;
    sam_expr e = fe_read_terms(r, values);
    if (!e.v || !fe_expect_sign(r, end))
        return false;
    while (values->len < t.v)
        vec_push(s->mem, values, (sam_expr){0});
    values->at[t.v - 1] = r->program ? fe_add_parameter(r, loc, t) : e;
    if (r->program)
        add_step(r, SAM_STEP_SET, e, t.v);
    return true;
}

static bool read_return(fe_function_reader *r, const fe_values *values, sam_expr *returned) {
    fe_advance(&r->in);
    *returned = fe_read_terms(r, values);
    return returned->v && fe_expect_sign(r, ';');
}

static bool read_statement(fe_function_reader *r, fe_values *values, sam_expr *returned) {
    if (fe_at_word(r, "if"))
        return read_if(r, values, returned);
    return fe_at_word(r, "return") ? read_return(r, values, returned) : read_assignment(r, values, ';');
}

/* Reads up to the closing brace of the block; *returned is 0 without a return before. */
static bool read_statements(fe_function_reader *r, fe_values *values, sam_expr *returned) {
    *returned = (sam_expr){0};
    while (!fe_at_sign(&r->in, '}')) {
        if (returned->v)
            return fe_refuse_function(r, r->in.token.loc, "nothing comes here: all before it returns",
                                      "remove it");
        if (!read_statement(r, values, returned))
            return false;
    }
    return true;
}

static bool at_loop(const fe_function_reader *r) {
    return fe_at_word(r, "while") || fe_at_word(r, "for") || fe_at_word(r, "do");
}

bool fe_has_loop(const fe_function_reader *r) {
    fe_function_reader ahead = *r;
    uint32_t open = 0;
    do {
        if (at_loop(&ahead))
            return true;
        open += fe_at_sign(&ahead.in, '{') ? 1u : 0u;
        open -= open && fe_at_sign(&ahead.in, '}') ? 1u : 0u;
        fe_advance(&ahead.in);
    } while (open && ahead.in.token.kind != FE_END);
    return false;
}

static uint32_t next_step(const fe_function_reader *r) {
    return r->program->steps.len;
}

/* Step `at` continues at the next step. */
static void lead_here(const fe_function_reader *r, uint32_t at) {
    r->program->steps.at[at].to = next_step(r);
}

/* *ends: later steps are unreachable. */
static bool read_steps(fe_function_reader *r, fe_values *values, bool *ends);

static bool read_body(fe_function_reader *r, fe_values *values, bool *ends) {
    return fe_expect_sign(r, '{') && read_steps(r, values, ends) && fe_expect_sign(r, '}');
}

/* Reads the condition, and adds the step that skips the following steps. */
static bool read_condition(fe_function_reader *r, const fe_values *values) {
    if (!fe_expect_sign(r, '('))
        return false;
    sam_expr e = fe_read_terms(r, values);
    if (!e.v || !fe_expect_sign(r, ')'))
        return false;
    add_step(r, SAM_STEP_UNLESS, e, 0);
    return true;
}

static bool read_branches(fe_function_reader *r, fe_values *values, bool *ends) {
    src_loc loc = r->in.token.loc;
    fe_values other = copy_values(r, values);
    bool yes = false, no = false;
    fe_advance(&r->in);
    uint32_t over = next_step(r);
    if (!read_condition(r, values) || !read_body(r, values, &yes))
        return false;
    if (fe_take_word(r, "else")) {
        uint32_t behind = next_step(r);
        add_step(r, SAM_STEP_GO, (sam_expr){0}, 0);
        lead_here(r, over);
        if (!(fe_at_word(r, "if") ? read_branches(r, &other, &no) : read_body(r, &other, &no)))
            return false;
        over = behind;
    }
    lead_here(r, over);
    *ends = yes && no;
    if (yes)
        *values = other;
    else if (!no)
        join_values(r, loc, (sam_expr){0}, values, &other);
    return true;
}

/* A value assigned in a loop may be missing after the loop, since a loop may make no pass. */
static bool read_while(fe_function_reader *r, fe_values *values) {
    fe_values inside = copy_values(r, values);
    bool ends;
    uint32_t start = next_step(r);
    fe_advance(&r->in);
    if (!read_condition(r, values) || !read_body(r, &inside, &ends))
        return false;
    add_step(r, SAM_STEP_GO, (sam_expr){0}, start);
    lead_here(r, start);
    return true;
}

static bool read_do(fe_function_reader *r, fe_values *values, bool *ends) {
    uint32_t start = next_step(r);
    fe_advance(&r->in);
    if (!read_body(r, values, ends))
        return false;
    if (!fe_at_word(r, "while"))
        return fe_expected(&r->in, "'while'", r->d);
    fe_advance(&r->in);
    uint32_t over = next_step(r);
    if (!read_condition(r, values) || !fe_expect_sign(r, ';'))
        return false;
    add_step(r, SAM_STEP_GO, (sam_expr){0}, start);
    lead_here(r, over);
    return true;
}

/* The last line of the head is written first and computed after the body. */
static bool read_for(fe_function_reader *r, fe_values *values) {
    fe_advance(&r->in);
    if (!fe_expect_sign(r, '(') || !(fe_take_sign(&r->in, ';') || read_assignment(r, values, ';')))
        return false;
    uint32_t start = next_step(r);
    sam_expr goes_on = {0};
    bool ends;
    if (!fe_at_sign(&r->in, ';') && !(goes_on = fe_read_terms(r, values)).v)
        return false;
    if (!fe_expect_sign(r, ';'))
        return false;
    if (goes_on.v)
        add_step(r, SAM_STEP_UNLESS, goes_on, 0);
    fe_values inside = copy_values(r, values);
    sam_program_step last = {0};
    if (!fe_take_sign(&r->in, ')')) {
        if (!read_assignment(r, values, ')'))
            return false;
        last = r->program->steps.at[--r->program->steps.len];
    }
    *values = copy_values(r, &inside);
    if (!read_body(r, &inside, &ends))
        return false;
    if (last.e.v)
        add_step(r, last.kind, last.e, last.to);
    add_step(r, SAM_STEP_GO, (sam_expr){0}, start);
    if (goes_on.v)
        lead_here(r, start);
    return true;
}

static bool read_step(fe_function_reader *r, fe_values *values, bool *ends) {
    if (fe_at_word(r, "if"))
        return read_branches(r, values, ends);
    if (fe_at_word(r, "while"))
        return read_while(r, values);
    if (fe_at_word(r, "for"))
        return read_for(r, values);
    if (fe_at_word(r, "do"))
        return read_do(r, values, ends);
    if (!fe_at_word(r, "return"))
        return read_assignment(r, values, ';');
    sam_expr e;
    *ends = read_return(r, values, &e);
    if (*ends)
        add_step(r, SAM_STEP_RETURN, e, 0);
    return *ends;
}

static bool read_steps(fe_function_reader *r, fe_values *values, bool *ends) {
    *ends = false;
    if (r->depth++ == FE_MAX_DEPTH / 2)
        return fe_refuse_function(r, r->in.token.loc, "blocks are nested too deep",
                                  "write conditions with && and ||");
    while (!fe_at_sign(&r->in, '}')) {
        if (*ends)
            return fe_refuse_function(r, r->in.token.loc, "nothing comes here: all before it returns",
                                      "remove it");
        if (!read_step(r, values, ends))
            return false;
    }
    r->depth--;
    return true;
}

/* Calls a program of the parameters. */
static sam_expr call_program(const fe_function_reader *r, src_loc loc, sam_program *p) {
    sam_statement *s = &r->f->s;
    const sam_expr e =
        fe_add_call(s, loc, SAM_OPERATION_program, fe_add_parameter(r, loc, (sam_tensor){1}),
                    p->parameters == 2 ? fe_add_parameter(r, loc, (sam_tensor){2}) : (sam_expr){0});
    sam_expr_at(s, e)->program = p;
    return e;
}

sam_expr fe_guard_program(const fe_function_reader *r, const sam_program *of, uint32_t given) {
    arena *mem = r->f->s.mem;
    sam_program *p = arena_new(mem, sam_program);
    const uint32_t guards = (uint32_t)__builtin_popcount(given), end = guards + of->steps.len;
    const bool all = given == (1u << of->parameters) - 1;
    *p = *of;
    p->of.program = p;
    p->of.annihilator = (sam_special){true, all ? SAM_EACH : (int8_t)__builtin_ctz(given), 0};
    p->steps.at = NULL;
    p->steps.len = p->steps.cap = 0;
    for (uint32_t i = 0; i < of->parameters; i++) {
        if (given >> i & 1)
            vec_push(mem, &p->steps,
                     ((sam_program_step){fe_add_parameter(r, of->loc, (sam_tensor){i + 1}), end,
                                         SAM_STEP_UNLESS}));
    }
    for (uint32_t i = 0; i < of->steps.len; i++) {
        sam_program_step step = of->steps.at[i];
        step.to += step.kind == SAM_STEP_UNLESS || step.kind == SAM_STEP_GO ? guards : 0;
        vec_push(mem, &p->steps, step);
    }
    const sam_expr zero = fe_add_expr(&r->f->s, (sam_expr_data){.kind = SAM_EXPR_LITERAL, .loc = of->loc});
    vec_push(mem, &p->steps, ((sam_program_step){zero, 0, SAM_STEP_RETURN}));
    p->s = r->f->s;
    return call_program(r, of->loc, p);
}

bool fe_read_program(fe_function_reader *r, fe_values *values, src_loc loc, sam_expr *value) {
    sam_statement *s = &r->f->s;
    if (r->f->parameters > 2) {
        diag_error(r->d, loc, "E0160-loop", "a function with loops has one or two parameters, not %u",
                   r->f->parameters);
        return diag_hint(r->d, "the loops may stand in a function of two, which this one applies");
    }
    bool ends;
    sam_program *p = arena_new(s->mem, sam_program);
    *p = (sam_program){.name = r->f->name, .loc = r->f->loc, .parameters = r->f->parameters};
    p->of = (sam_operator){.fp = !s->integers, .program = p};
    r->program = p;
    bool ok = read_body(r, values, &ends);
    if (ok && !ends)
        ok = fe_refuse_function(r, loc, "the body can end without a return", "end it by return");
    r->program = NULL;
    p->s = *s;
    *value = call_program(r, loc, p);
    return ok;
}
