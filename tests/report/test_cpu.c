/* Plans of a core's program: which statements have C, the order of the loops, and where operands are dense.
 */
#include "report/cpu.h"
#include "tests/frontend/fe_case.h"

/* The entries of the operands, in their order in the statement, and the extent of every index. */
typedef struct {
    fe_case of;
    uint32_t extent;
    uint64_t entries[4];
    const char *plan; /* loops, levels of each operand: d dense, s scanned; or why the statement has no C */
} plan_case;

/* Scanned operands come first where few entries are left; up to 2^24 rows of a factor are found in one step
 * (d); a full operand is dense; sums stay inside of the result's loops but for a workspace. */
static const plan_case cases[] = {
    {{"x(i) = B(i,j) * c(j)", {"B:ds", "c:d"}, NULL}, 100, {200, 100}, "ij idjs jd, 1 outside"},
    {{"x(i) = B(i,j) * c(j)", {"B:ss", "c:s"}, NULL}, 100, {200, 10}, "ji jsis js, 0 outside"},
    {{"x(i) = B(i,j) * c(j)", {"B:ss", "c:s"}, NULL}, 100, {200, 100}, "ij isjs jd, 1 outside"},
    {{"X(i,j) = B(i,k) * C(k,j)", {"B:ss", "C:ss"}, NULL}, 100, {200, 300}, "ikj isks kdjs, 1 outside"},
    {{"X(i,j) = B(i,k) * C(k,j)", {"B:ss", "C:ss"}, NULL}, 1 << 24, {200, 300}, "ikj isks kdjs, 1 outside"},
    {{"X(i,j) = B(i,k) * C(k,j)", {"B:ss", "C:ss"}, NULL},
     (1 << 24) + 1,
     {200, 300},
     "ikj isks ksjs, 1 outside"},
    {{"X(i,j) = B(i,k) * C(k,j)", {"X:dd", "B:ss", "C:ss"}, NULL},
     100,
     {200, 300},
     "ikj isks kdjs, 1 outside, dense"},
    {{"x(j) = B(i,j)", {"B:ss"}, NULL}, 100, {200}, "ji jsis, 1 outside"},
    {{"x = b(i) * c(i)", {NULL}, NULL}, 100, {5, 50}, "i is is, 0 outside, dense"},
    {{"X(i,j) = B(i,j) + C(i,j)", {NULL}, NULL}, 100, {5, 50}, "ij isjs isjs, 2 outside"},
    {{"X(i,j) = B(i,j) * C(j,i)", {NULL}, NULL}, 100, {5, 50}, "ij isjs isjs, 2 outside"},
    {{"X(i,j) = B(i,j) * c(i) * d(j)", {NULL}, NULL}, 100, {5, 50, 60}, "ij isjs is js, 2 outside"},
    {{"X(i,j) = B(i,k,l) * C(j,k) * D(j,l)", {NULL}, NULL},
     50,
     {100, 200, 300},
     "iklj isksls kdjs ldjs, 1 outside"},
    {{"x(i) = b(i) - C(i,j) * d(j)", {NULL}, NULL}, 50, {20, 200, 30}, "ij is isjs js, 1 outside"},
    {{"x(i) = B(i,j) * c(j) + D(i,k) * e(k)", {NULL}, NULL},
     50,
     {100, 20, 200, 30},
     "ikj isjs js isks ks, 1 outside"},
    {{"X(i,j) = B(i,j)", {"X:dd"}, NULL}, 16384, {5}, "ij isjs, 2 outside, dense"},
    {{"X(i,j) = B(i,j)", {"X:dd"}, NULL}, 16385, {5}, "the dense result has more than 2^28 values"},
    {{"X(i,j) = B(i,j)", {"X:ds"}, NULL}, 16385, {5}, "ij isjs, 2 outside"},
    {{"x(i) = max(b(i), c(i))", {NULL}, NULL}, 9, {5, 5}, "there are fills, or operations besides + - * /"},
    {{"x(i) = max(j, B(i,j))", {NULL}, NULL}, 9, {5, 5}, "there are fills, or operations besides + - * /"},
    {{"x(i) = B(i,i)", {NULL}, NULL}, 9, {5}, "an operand has an index twice"},
    {{"x(i) = B(i,j) * c(j)", {"B:uc"}, NULL},
     9,
     {5, 5},
     "a level of an operand is neither dense nor compressed"},
};

static const char *text_of(fixture *f, const cpu_plan *p) {
    const char *text = "";
    for (uint32_t i = 0; i < p->loops; i++)
        text = arena_printf(&f->mem, "%s%s", text,
                            names_text(p->st->names, sam_var_at(p->st, p->loop[i])->name));
    for (uint32_t a = 0; a < p->accesses; a++) {
        text = arena_printf(&f->mem, "%s ", text);
        for (uint32_t l = 0; l < p->access[a].order; l++)
            text = arena_printf(&f->mem, "%s%s%c", text,
                                names_text(p->st->names, sam_var_at(p->st, p->access[a].var[l])->name),
                                p->access[a].dense[l] ? 'd' : 's');
    }
    return arena_printf(&f->mem, "%s, %u outside%s", text, p->outer, p->dense ? ", dense" : "");
}

static void one_plan(fixture *f, uint32_t i, void *of) {
    (void)of;
    const plan_case *c = &cases[i];
    sam_statement s;
    fe_cin cin;
    cpu_plan p;
    tile_tensor operand[8] = {0};
    uint32_t extent[32], n = 0;
    assert_true(fe_case_schedule(f, &c->of, &s, &cin));
    const sam_statement *st = &cin.kernels.at[0].s;
    for (uint32_t v = 0; v < 32; v++)
        extent[v] = c->extent;
    for (uint32_t t = 0; t < st->tensors.len; t++)
        if (t + 1 != st->result.v)
            operand[t].nnz = c->entries[n++];
    const tile_operands in = {operand, st->tensors.len, TILE_DTYPE_INT16};
    cpu_choose(st, &in, extent, &p);
    const char *text = p.why ? p.why : text_of(f, &p);
    if (strcmp(text, c->plan) != 0)
        fail_msg("%s: %s, not %s", c->of.expression, text, c->plan);
}

static void plans(void **state) {
    (void)state;
    each_afresh(sizeof cases / sizeof *cases, one_plan, NULL);
}

RUN_TESTS(cmocka_unit_test(plans))
