/* runs.c - operands stored by runs of equal values (RLE, PackBits): a single value of the result for each
 * run.
 *
 * X(i,j) = f(B(i,j), C(i,j), ...) changes along a row only with an operand. The row is cut into segments at
 * these changes, and a single value of each segment suffices: the kernel has the number of a segment for j. A
 * segment with an operand equal to 0 has no entry of this operand: an intersection never visits the segment.
 * The host makes the segments, and gives each coordinate of the result its segment's value.
 */
#include "kernel/runs.h"
#include "kernel/formats.h"

#include <stdlib.h>

/* The value along rows: at each place of the result, or under a sum. */
typedef struct {
    sam_var row, column;
    sam_expr value;
    bool summed;
} along_rows;

/* Finds the statement's indices along rows and across them: the result's or, for values added up along rows,
 * the first matrix's. */
static bool find_rows(const sam_statement *st, along_rows *out) {
    uint64_t over = 0;
    *out = (along_rows){.row = st->result_index[0], .column = st->result_index[1], .value = st->rhs};
    if (sam_tensor_at(st, st->result)->order == 2)
        return true;
    for (const sam_expr_data *x = sam_expr_at(st, out->value); x->kind == SAM_EXPR_SUM && !x->operation;
         x = sam_expr_at(st, out->value)) {
        over |= UINT64_C(1) << (x->var.v - 1);
        out->value = x->a;
        out->summed = true;
    }
    for (uint32_t e = st->exprs.len; e > 0; e--) {
        const sam_expr_data *x = &st->exprs.at[e - 1];
        if (x->kind != SAM_EXPR_ACCESS || sam_tensor_at(st, x->tensor)->order != 2)
            continue;
        out->row = x->index[0];
        out->column = x->index[1];
    }
    return out->summed && st->integers && out->column.v && out->row.v != out->column.v &&
           over >> (out->column.v - 1) & 1;
}

/* Returns whether e has nothing but values at the same place, of operands in runs, and such as are the same
 * along a row. */
static bool is_along_rows(const compile_options *o, compile_context *ctx, const sam_statement *st,
                          const along_rows *a, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(st, e);
    if (x->kind == SAM_EXPR_LITERAL)
        return true;
    if (x->kind == SAM_EXPR_SUM)
        return false;
    if (x->kind != SAM_EXPR_ACCESS)
        return (!x->a.v || is_along_rows(o, ctx, st, a, x->a)) &&
               (!x->b.v || is_along_rows(o, ctx, st, a, x->b));
    const sam_tensor_data *t = sam_tensor_at(st, x->tensor);
    if (t->fill || t->structure || t->windowed || t->called.v || x->tensor.v == st->result.v || t->order > 2)
        return false;
    return (t->order == 0 || x->index[0].v == a->row.v) &&
           (t->order < 2 ||
            (x->index[1].v == a->column.v && compile_is_stored_so(o, ctx, st, x->tensor, COMPILE_BY_RUNS)));
}

static const char *name_of(compile_context *ctx, const sam_tensor_data *t) {
    return arena_printf(ctx->mem, "%sRuns", names_text(ctx->names, t->name));
}
static const char *name_of_lengths(compile_context *ctx, const sam_tensor_data *first) {
    return arena_printf(ctx->mem, "%sLengths", names_text(ctx->names, first->name));
}

/* Returns the first operand stored in runs, if the statement can use segments; 0: it cannot. */
static sam_tensor find_first(const compile_options *o, compile_context *ctx, const sam_statement *st,
                             along_rows *a) {
    const sam_tensor_data *result = sam_tensor_at(st, st->result);
    sam_tensor first = {0};
    bool free = true;
    if (st->everywhere || result->order > 2 || result->fill || !find_rows(st, a) ||
        !is_along_rows(o, ctx, st, a, a->value))
        return first;
    for (uint32_t t = st->tensors.len; t > 0; t--) {
        const sam_tensor_data *one = sam_tensor_at(st, (sam_tensor){t});
        if (t == st->result.v || one->order != 2)
            continue;
        free = free && compile_is_free(ctx, st, name_of(ctx, one)) &&
               compile_is_free(ctx, st, name_of_lengths(ctx, one));
        first.v = t;
    }
    return free ? first : (sam_tensor){0};
}

/* The segments of a row during the search. */
typedef struct {
    arena *mem;
    u32_vec end; /* ends of the segments of all earlier rows */
    u32_vec at;  /* where values of this row change, in any order */
    uint32_t columns;
} cutting;

static uint16_t value_at(const tile_tensor *t, uint64_t e, uint32_t row, int64_t column) {
    return e < t->nnz && t->crd[2 * e] == row && t->crd[2 * e + 1] == column ? t->val[e] : 0;
}

/* Adds where values of the operand change along the row, whose entries begin at *e. */
static void add_changes(cutting *c, const tile_tensor *t, uint32_t row, uint64_t *e) {
    for (; *e < t->nnz && t->crd[2 * *e] == row; ++*e) {
        const uint32_t column = t->crd[2 * *e + 1];
        const uint16_t value = t->val[*e];
        if (column && (!*e || value_at(t, *e - 1, row, (int64_t)column - 1) != value))
            vec_push(c->mem, &c->at, column);
        if (column + 1 < c->columns && value_at(t, *e + 1, row, (int64_t)column + 1) != value)
            vec_push(c->mem, &c->at, column + 1);
    }
}

static int ascending(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Adds the ends of the row's segments. */
static void end_row(cutting *c) {
    if (c->at.len)
        qsort(c->at.at, c->at.len, sizeof *c->at.at, ascending);
    for (uint32_t i = 0; i < c->at.len; i++) {
        if (!i || c->at.at[i] != c->at.at[i - 1])
            vec_push(c->mem, &c->end, c->at.at[i]);
    }
    vec_push(c->mem, &c->end, c->columns);
    c->at.len = 0;
}

/* Makes an operand with the number of a segment for the column: its values at the segments' begins. */
static tile_tensor make_operand(compile_context *ctx, const tile_tensor *from, const uint32_t *dim,
                                const struct compile_runs *runs) {
    tile_tensor made = {.order = 2, .dim = {dim[0], dim[1]}};
    u32_vec crd = {0};
    VEC(uint16_t) val = {0};
    uint64_t e = 0;
    for (uint32_t row = 0; row < dim[0]; row++) {
        uint32_t begin = 0;
        for (uint32_t s = runs->first[row]; s < runs->first[row + 1]; s++) {
            while (e < from->nnz &&
                   (from->crd[2 * e] < row || (from->crd[2 * e] == row && from->crd[2 * e + 1] < begin)))
                e++;
            const uint16_t value = value_at(from, e, row, begin);
            begin = runs->end[s];
            if (!value)
                continue;
            vec_push(ctx->mem, &crd, row);
            vec_push(ctx->mem, &crd, s - runs->first[row]);
            vec_push(ctx->mem, &val, value);
        }
    }
    made.nnz = val.len;
    made.crd = crd.at;
    made.val = val.at;
    return made;
}

/* Makes the operand of the segments' lengths. */
static tile_tensor make_lengths(compile_context *ctx, const uint32_t *dim, const struct compile_runs *runs) {
    tile_tensor made = {.order = 2, .dim = {dim[0], dim[1]}};
    u32_vec crd = {0};
    VEC(uint16_t) val = {0};
    for (uint32_t row = 0; row < dim[0]; row++) {
        uint32_t begin = 0;
        for (uint32_t s = runs->first[row]; s < runs->first[row + 1]; s++) {
            vec_push(ctx->mem, &crd, row);
            vec_push(ctx->mem, &crd, s - runs->first[row]);
            vec_push(ctx->mem, &val, (uint16_t)(runs->end[s] - begin));
            begin = runs->end[s];
        }
    }
    made.nnz = val.len;
    made.crd = crd.at;
    made.val = val.at;
    return made;
}

void compile_add_runs(const compile_options *o, compile_context *ctx, const sam_statement *st,
                      compile_data *data, tile_tensor *operands) {
    along_rows a;
    const sam_tensor first = find_first(o, ctx, st, &a);
    if (!first.v)
        return;
    const uint32_t rows = data->extent[a.row.v - 1];
    uint32_t *begins = arena_new_n(ctx->mem, uint32_t, rows + 1), most = 1;
    uint64_t *at = arena_new_n(ctx->mem, uint64_t, st->tensors.len);
    cutting c = {.mem = ctx->mem, .columns = data->extent[a.column.v - 1]};
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t t = 0; t < st->tensors.len; t++) {
            if (t + 1 != st->result.v && st->tensors.at[t].order == 2)
                add_changes(&c, &operands[t], row, &at[t]);
        }
        end_row(&c);
        begins[row + 1] = c.end.len;
        most = begins[row + 1] - begins[row] > most ? begins[row + 1] - begins[row] : most;
    }
    struct compile_runs *runs = arena_new(ctx->mem, struct compile_runs);
    *runs = (struct compile_runs){.operand = names_intern(ctx->names, name_of(ctx, sam_tensor_at(st, first))),
                                  .summed = a.summed,
                                  .columns = c.columns,
                                  .first = begins,
                                  .end = c.end.at};
    for (uint32_t t = 0; t < st->tensors.len; t++) {
        const sam_tensor_data *one = &st->tensors.at[t];
        if (t + 1 == st->result.v || one->order != 2)
            continue;
        tile_tensor *made = &operands[data->operands.n++];
        *made = make_operand(ctx, &operands[t], (uint32_t[]){rows, most}, runs);
        made->name = names_intern(ctx->names, name_of(ctx, one));
    }
    if (a.summed) {
        tile_tensor *made = &operands[data->operands.n++];
        *made = make_lengths(ctx, (uint32_t[]){rows, most}, runs);
        made->name = names_intern(ctx->names, name_of_lengths(ctx, sam_tensor_at(st, first)));
    }
    data->runs = runs;
}

/* Multiplies the summed value by the segments' lengths. */
static void multiply(compile_context *ctx, const sam_statement *st, const along_rows *a, sam_tensor first,
                     sam_statement *s) {
    sam_tensor_data lengths = *sam_tensor_at(st, first);
    lengths.name = names_intern(ctx->names, name_of_lengths(ctx, sam_tensor_at(st, first)));
    vec_push(ctx->mem, &s->tensors, lengths);
    const sam_expr_data access = {.kind = SAM_EXPR_ACCESS,
                                  .loc = sam_expr_at(st, a->value)->loc,
                                  .tensor = {s->tensors.len},
                                  .index = {a->row, a->column}};
    vec_push(ctx->mem, &s->exprs, access);
    const sam_expr_data product = {
        .kind = SAM_EXPR_MUL, .loc = access.loc, .a = a->value, .b = {s->exprs.len}};
    vec_push(ctx->mem, &s->exprs, product);
    for (uint32_t e = 0; e < st->exprs.len; e++) {
        if (s->exprs.at[e].kind == SAM_EXPR_SUM && s->exprs.at[e].a.v == a->value.v)
            s->exprs.at[e].a.v = s->exprs.len;
    }
}

/* Makes the statement with the operands of segments, with their levels, and their formats in the form of
 * -f. */
static sam_statement statement_of(compile_context *ctx, const sam_statement *st, const along_rows *a,
                                  sam_tensor first) {
    sam_statement s = *st;
    memset(&s.tensors, 0, sizeof s.tensors);
    memset(&s.exprs, 0, sizeof s.exprs);
    s.vars.at = arena_new_n(ctx->mem, sam_var_data, st->vars.len);
    memcpy(s.vars.at, st->vars.at, st->vars.len * sizeof *s.vars.at);
    s.vars.at[a->column.v - 1].extent = 0;
    for (uint32_t e = 0; e < st->exprs.len; e++)
        vec_push(ctx->mem, &s.exprs, st->exprs.at[e]);
    for (uint32_t t = 0; t < st->tensors.len; t++) {
        sam_tensor_data one = st->tensors.at[t];
        if (t + 1 != s.result.v && one.order == 2)
            one.name = names_intern(ctx->names, name_of(ctx, &one));
        vec_push(ctx->mem, &s.tensors, one);
    }
    if (a->summed)
        multiply(ctx, st, a, first, &s);
    return s;
}

uint32_t compile_rewrite_runs(const compile_options *o, compile_context *ctx, const fe_in *in,
                              const sam_statement *user, const compile_data *data, compile_rewriting *out) {
    along_rows a;
    sam_tensor first = {0};
    if (data->runs)
        first = find_first(o, ctx, user, &a);
    if (!first.v)
        return 0;
    *out = (compile_rewriting){.statement = arena_new(ctx->mem, sam_statement),
                               .in = *in,
                               .how = "one value for each run of equal ones",
                               .than = "for each coordinate"};
    *out->statement = statement_of(ctx, user, &a, first);
    return 1;
}

void compile_expand_runs(compile_context *ctx, const compile_kernel *k, tile_tensor *result) {
    const struct compile_runs *runs = k->data.runs;
    const sam_statement *s = &k->lowered.statement;
    bool of_segments = false;
    for (uint32_t t = 0; runs && !runs->summed && t < s->tensors.len; t++)
        of_segments = of_segments || name_eq(sam_stored_name(&s->tensors.at[t]), runs->operand);
    if (!of_segments)
        return;
    u32_vec crd = {0};
    VEC(uint16_t) val = {0};
    for (uint64_t e = 0; e < result->nnz; e++) {
        const uint32_t row = result->crd[2 * e], s_at = runs->first[row] + result->crd[2 * e + 1];
        if (s_at >= runs->first[row + 1])
            continue;
        const uint32_t begin = s_at > runs->first[row] ? runs->end[s_at - 1] : 0;
        for (uint32_t column = begin; column < runs->end[s_at]; column++) {
            vec_push(ctx->mem, &crd, row);
            vec_push(ctx->mem, &crd, column);
            vec_push(ctx->mem, &val, result->val[e]);
        }
    }
    result->dim[1] = runs->columns;
    result->nnz = val.len;
    result->crd = crd.at;
    result->val = val.at;
}
