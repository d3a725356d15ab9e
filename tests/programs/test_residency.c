/* test_residency.c - which kernels of a program load what another one stores, so that both get one tile of
 * the global buffer; and which calls of functions the chip's processor may make in a list. */
#include "programs/calls.h"
#include "programs/programs.h"
#include "programs/queue.h"
#include "tests/frontend/fe_case.h"

/* A program whose statements are kernels as they are written. */
typedef struct {
    compile_application a;
    compile_kernels group;
} plan;

static void add_plans(fixture *f, const fe_steps *steps, uint32_t loops, plan *p) {
    for (uint32_t i = 0; i < steps->len; i++) {
        const fe_step *step = &steps->at[i];
        compile_statement_plan one = {.step = step, .loops = loops};
        add_plans(f, &step->body, loops + (step->kind == FE_STEP_REPEAT), p);
        one.kernel.lowered.statement = step->statement;
        if (step->kind == FE_STEP_ASSIGN)
            vec_push(&f->mem, &p->a.plans, one);
    }
}

static void read_program(fixture *f, const char *text, plan *p) {
    const fe_program_in in = {.name = "p.onx", .text = text, .length = strlen(text), .integers = true};
    *p = (plan){.group = {0}};
    if (!fe_program_parse(&in, &f->names, &f->mem, &f->diag, &p->a.program))
        fail_msg("%s\n%s", text, fixture_printed(f));
    add_plans(f, &p->a.program.steps, 0, p);
}

/* The statement in `producer` fills a workspace of the only plan, whose own kernel becomes `last`. */
static void cut_in_two(fixture *f, const char *producer, const char *last, plan *p) {
    compile_kernel *k = &p->a.plans.at[0].kernel, first = {.on_host = false};
    static const char *const dense[] = {"w:d"};
    const fe_in in[] = {{producer, .formats = dense, .n_formats = 1, .integers = true},
                        {last, .formats = dense, .n_formats = strchr(last, 'w') != NULL, .integers = true}};
    assert_true(fe_parse(&in[0], &f->names, &f->mem, &f->diag, &first.lowered.statement));
    assert_true(fe_parse(&in[1], &f->names, &f->mem, &f->diag, &k->lowered.statement));
    vec_push(&f->mem, &k->producers, first);
}

/* "0>1 x:x": the number of the storing kernel and of the loading one, and their names of the tensor. */
static const char *pairs_of(fixture *f, plan *p) {
    compile_context ctx = {.mem = &f->mem, .names = &f->names, .diag = &f->diag};
    for (uint32_t s = 0; s < p->a.plans.len; s++) {
        compile_kernel *k = &p->a.plans.at[s].kernel;
        for (uint32_t n = 0; n < k->producers.len; n++)
            vec_push(&f->mem, &p->group, &k->producers.at[n]);
        vec_push(&f->mem, &p->group, k);
    }
    const compile_colocated_list pairs = compile_list_colocated(&ctx, &p->a, &p->group);
    const char *text = "";
    for (uint32_t i = 0; i < pairs.len; i++) {
        const compile_colocated *one = &pairs.at[i];
        text = arena_printf(&f->mem, "%s%s%u>%u %s:%s", text, *text ? ", " : "", one->from, one->to,
                            names_text(&f->names, one->stored), names_text(&f->names, one->loaded));
    }
    return text;
}

#define TWO "tensor b: d = {0: 1, 2: 3}; tensor c: d = {0: 1, 2: 3}; "
static void kernels_load_the_stores_of_others(void **state) {
    fixture *f = *state;
    static const struct {
        const char *program, *pairs;
        const char *producer, *last; /* NULL: each statement is a kernel */
    } all[] = {
        {TWO "tensor x: d; x(i) = b(i) + c(i); y(i) = x(i) * c(i)", "0>1 x:x", NULL, NULL},
        {TWO "tensor x: s; x(i) = b(i) + c(i); y(i) = x(i) * c(i)", "", NULL, NULL},
        {TWO "tensor x: d; x(i) = b(i) + c(i); y(i) = b(i) * c(i)", "", NULL, NULL},
        {TWO "tensor x: d; x(i) = b(i) + c(i); b(i) = x(i) * c(i)", "0>1 x:x", NULL, NULL},
        {TWO "tensor x: d; repeat 3 { x(i) = b(i) + c(i); b(i) = x(i) * c(i) }", "0>1 x:x, 1>0 b:b", NULL,
         NULL},
        {TWO "tensor x: d; x(i) = b(i) + c(i); repeat 3 { b(i) = x(i) * c(i) + b(i) }", "1>1 b:bOld, 0>1 x:x",
         NULL, NULL},
        {TWO "tensor x: d; repeat 3 { x(i) = b(i) + c(i); swap b, x }", "0>0 x:b", NULL, NULL},
        {TWO "tensor x: d; repeat 3 { x(i) = b(i) + c(i); swap c, x; swap b, c }", "0>0 x:b", NULL, NULL},
        {TWO "tensor x: d; x(i) = b(i) * c(i)", "0>1 w:w", "w(i) = b(i) + c(i)", "x(i) = w(i) * c(i)"},
        {TWO "tensor x: d; x(i) = b(i) * c(i)", "", "w(i) = b(i) + c(i)", "x(i) = v(i) * c(i)"},
    };
    for (uint32_t i = 0; i < sizeof all / sizeof *all; i++) {
        plan p;
        read_program(f, all[i].program, &p);
        if (all[i].producer)
            cut_in_two(f, all[i].producer, all[i].last, &p);
        const char *pairs = pairs_of(f, &p);
        if (strcmp(pairs, all[i].pairs) != 0)
            fail_msg("%s: '%s' in place of '%s'", all[i].program, pairs, all[i].pairs);
    }
}

/* A call of a function with a form of operands that the processor reads; max stands for the function. */
static void calls_wait_if_their_operands_are_dense(void **state) {
    fixture *f = *state;
    static const struct {
        const char *expression;
        bool may;
    } all[] = {{"x(i) = max(b(i), c(i))", true},
               {"X(i,j) = max(B(i,j), C(i,j))", true},
               {"X(i,j) = max(B(i,j), C(j,i))", true},
               {"X(i,j) = max(B(i,j), c(j))", true},
               {"X(i,j) = min(B(i,j), 3)", true},
               {"X(i,j) = max(B(i,j), 3)", false},
               {"X(i,j) = max(B(i,j), c)", true},
               {"x(i) = max(b(i) + c(i), c(i))", false},
               {"x = max(b, c)", false},
               {"x(i) = max(b, 3)", false},
               {"x(i) = b(i) + c(i)", false},
               {"X(i,j) = max(B(i,i), C(i,j))", false},
               {"X(i,j,k) = max(B(i,j,k), 3)", false},
               {"x(i) = sum(j, max(B(i,j), c(i)))", false}};
    sam_program function = {.parameters = 2, .on_processor = true};
    for (uint32_t i = 0; i < 2 * (sizeof all / sizeof *all); i++) {
        const bool processor = i % 2;
        const char *expression = all[i / 2].expression;
        const fe_in in = {.expression = expression, .integers = true};
        compile_kernel k = {.on_processor = processor};
        sam_statement *s = &k.lowered.statement;
        if (!fe_parse(&in, &f->names, &f->mem, &f->diag, s))
            fail_msg("%s\n%s", expression, fixture_printed(f));
        for (uint32_t e = 0; e < s->exprs.len; e++) {
            if (s->exprs.at[e].kind == SAM_EXPR_CALL)
                s->exprs.at[e].program = &function;
        }
        if (compile_may_wait_calls(&k) != (all[i / 2].may && processor))
            fail_msg("%s: on the processor %d", expression, processor);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(kernels_load_the_stores_of_others, fixture_set_up, fixture_tear_down),
        cmocka_unit_test_setup_teardown(calls_wait_if_their_operands_are_dense, fixture_set_up,
                                        fixture_tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
