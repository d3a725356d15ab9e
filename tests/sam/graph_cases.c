#include "tests/sam/graph_cases.h"
#include "tests/quota.h"
#include "tests/sam/graph_equal.h"

enum { RUNS = 40 };

typedef struct {
    fixture *f;
    const graph_case *c;
    sam_graph g;
    note *n;
    bool fp;     /* operands and result are bfloat16 */
    quota shown; /* trivial: a result of one value */
} graph_run;

static char *dump(fixture *f, const sam_graph *g) {
    text_out out;
    text_begin(&out);
    sam_dump(g, out.stream);
    return text_end(&out, &f->mem);
}

static void round_trip(const graph_run *r) {
    sam_graph again;
    char *text = dump(r->f, &r->g);
    if (!sam_parse("dumped", text, strlen(text), &r->f->names, &r->f->diag, &again))
        fail_msg("%s: its own dump does not parse:\n%s", r->c->file, fixture_printed(r->f));
    if (!graphs_equal(&r->g, &again))
        fail_msg("%s: another graph after dump and parse", r->c->file);
    assert_string_equal(dump(r->f, &again), text);
}

/* The code of the first error, which must be located. */
static const char *refusal(const graph_run *r, uint32_t from) {
    for (uint32_t i = from; i < r->f->diag.list.len; i++) {
        const diagnostic *d = &r->f->diag.list.at[i];
        uint32_t line, col;
        if (d->kind == DIAG_ERROR && diag_line_col(&r->f->diag, d->loc, &line, &col))
            return d->code;
    }
    fail_msg("%s: refused without a located error\n%s", r->c->file, fixture_printed(r->f));
    return NULL;
}

/* ---- data ------------------------------------------------------------------------------------ */

/* A small integer as bfloat16: the upper half of the float. */
static uint16_t to_bf16(int16_t value) {
    float real = value;
    uint32_t word;
    memcpy(&word, &real, sizeof word);
    return (uint16_t)(word >> 16);
}

static int16_t from_bf16(uint16_t bits) {
    uint32_t word = (uint32_t)bits << 16;
    float real;
    memcpy(&real, &word, sizeof real);
    return (int16_t)real;
}

static note_tensor *tensor_named(const graph_run *r, name_id name) {
    for (uint8_t t = 0; t < r->n->n_tensors; t++)
        if (strcmp(r->n->tensor[t].name, names_text(&r->f->names, name)) == 0)
            return &r->n->tensor[t];
    return NULL;
}

static sam_tensor_levels levels_of(const graph_run *r, const sam_graph_tensor *shape, const note_tensor *t) {
    note_entries entries = note_stored(t, &r->f->mem);
    note_fill_empty(&entries, &r->f->mem);
    for (uint32_t i = 0; r->fp && i < entries.len; i++)
        entries.at[i].value = to_bf16((int16_t)entries.at[i].value);
    sam_tensor_levels levels =
        note_pack(&entries, shape->order, shape->level, shape->mode, t->dim, &r->f->mem);
    levels.name = shape->name;
    return levels;
}

/* Operands of the result's shape only. */
static bool any_stored(const graph_run *r, uint32_t cell) {
    for (uint8_t t = 1; t < r->n->n_tensors; t++)
        if (r->n->tensor[t].stored[cell])
            return true;
    return false;
}

/* ---- one run --------------------------------------------------------------------------------- */

static void compare(const graph_run *r, const sam_tensor_levels *got) {
    const sam_graph_tensor *shape = &r->g.tensors.at[0];
    const note_tensor *x = &r->n->tensor[0];
    uint32_t dim[SAM_MAX_ORDER] = {0};
    int found[NOTE_CELLS] = {0};
    bool written[NOTE_CELLS] = {0};
    note_entries entries = {0};
    for (uint32_t l = 0; l < shape->order; l++)
        dim[l] = x->dim[shape->mode[l]];
    const char *fault = note_unpack(got, shape->mode, dim, &r->f->mem, &entries);
    if (fault)
        fail_msg("%s: %s", r->c->file, fault);
    for (uint32_t i = 0; i < entries.len; i++) {
        uint32_t cell = 0;
        for (uint32_t m = 0; m < x->order; m++)
            cell = cell * x->dim[m] + entries.at[i].crd[m];
        written[cell] = true;
        found[cell] = r->fp ? from_bf16(entries.at[i].value) : (int16_t)entries.at[i].value;
    }
    for (uint32_t cell = 0; cell < x->cells; cell++)
        if (found[cell] != x->value[cell] &&
            !(r->c->when == GRAPH_STORED && !written[cell] && !any_stored(r, cell)))
            fail_msg("%s: cell %u is %d, expected %d", r->c->file, cell, found[cell], x->value[cell]);
}

/* NULL when the graph ran and its result is right, else the code of the error. */
static const char *run(graph_run *r) {
    sam_tensor_levels operands[NOTE_TENSORS];
    sam_sim_result result;
    uint32_t n = 0, before = r->f->diag.list.len;
    for (uint32_t t = 1; t < r->g.tensors.len; t++) {
        const note_tensor *tensor = tensor_named(r, r->g.tensors.at[t].name);
        if (tensor)
            operands[n++] = levels_of(r, &r->g.tensors.at[t], tensor);
    }
    note_evaluate(r->n);
    if (!sam_simulate(&r->g, operands, n, NULL, &r->f->diag, &result))
        return refusal(r, before);
    compare(r, &result.result);
    return NULL;
}

static void run_on(graph_run *r, prng *random, uint32_t percent, uint32_t *errors) {
    for (uint8_t v = 0; v < r->n->n_vars; v++)
        r->n->extent[v] = prng_below(random, 8) ? 3 + prng_below(random, 3) : 1 + prng_below(random, 2);
    assert_true(note_set_dimensions(r->n));
    for (uint8_t t = 1; t < r->n->n_tensors; t++)
        note_random_data(&r->n->tensor[t], random, r->n->tensor[t].order || !percent ? percent : 100,
                         r->fp ? 1 : -9, r->fp ? 2 : 9);
    const char *code = run(r);
    quota_add(&r->shown, !code,
              quota_constant(r->n->tensor[0].value, r->n->tensor[0].cells, sizeof(int16_t)));
    if (!code)
        return;
    ++*errors;
    if (!r->c->code || strcmp(code, r->c->code) != 0)
        fail_msg("%s: expected %s, found\n%s", r->c->file, r->c->code ? r->c->code : "the result",
                 fixture_printed(r->f));
    r->f->diag.list.len = r->f->diag.errors = 0; /* room for the errors of the next run */
}

static void check_runs(graph_run *r) {
    prng random = prng_seed(1);
    uint32_t errors = 0, on_full = 0;
    for (uint32_t k = 0; k < RUNS; k++)
        run_on(r, &random, (uint32_t[]){80, 60, 90, 40, 70, 20, 60, 90, 0, 80}[k % 10], &errors);
    for (uint32_t k = 0; k < RUNS / 4; k++)
        run_on(r, &random, 100, &on_full);
    if (!r->c->code && quota_failed(&r->shown))
        fail_msg("%s: hollow data", r->c->file);
    if (r->c->code && !errors)
        fail_msg("%s: right on all data, expected %s on some", r->c->file, r->c->code);
    if (r->c->when == GRAPH_FULL && on_full)
        fail_msg("%s: not right on full operands", r->c->file);
    if (r->c->when == GRAPH_NEVER && (errors != RUNS || on_full != RUNS / 4))
        fail_msg("%s: ran on some data", r->c->file);
}

void graph_case_check(fixture *f, const char *folder, const graph_case *c) {
    graph_run r = {.f = f, .c = c, .n = calloc(1, sizeof *r.n)};
    size_t length = 0;
    const char *path = arena_printf(&f->mem, "%s/%s", folder, c->file);
    const char *text = file_read(path, &f->mem, &length, &f->diag);
    if (!text || !sam_parse(path, text, length, &f->names, &f->diag, &r.g))
        fail_msg("%s: %s", c->file, fixture_printed(f));
    bool legal = sam_check(&r.g, &f->diag);
    if (legal != (c->expression != NULL) || (!legal && strcmp(refusal(&r, 0), c->code) != 0))
        fail_msg("%s: %s\n%s", c->file, legal ? "is legal" : "is not legal", fixture_printed(f));
    if (legal) {
        round_trip(&r);
        for (uint32_t i = 0; i < r.g.nodes.len; i++)
            r.fp = r.fp || r.g.nodes.at[i].fp;
        assert_true(note_parse(c->expression, r.n));
        check_runs(&r);
    }
    free(r.n);
}
