/* diagonals.c - a matrix stored by diagonals, times a vector: dense products along the diagonals.
 *
 * With diagonals at j - i = p, q, ... x(i) = B(i,j) * c(j) is x(i) = B0(i) * c0(i) + B1(i) * c1(i) + ...,
 * where B0(i) is B(i,i+p), and c0(i) is c(i+p): the kernel neither joins nor reduces. Adjacent diagonals are
 * a band, x(i) = sum(d, B(i,d) * c(i,d)), with the diagonals as columns. The host makes these operands, with
 * a copy of c for each diagonal.
 */
#include "kernel/diagonals.h"
#include "kernel/formats.h"

enum { DIAGONALS_MOST = 64, WRITTEN_MOST = 4 };

/* The product, its operands, and the diagonals: j - i for the result's index i, ascending. */
typedef struct {
    sam_tensor matrix, vector;
    bool by_columns; /* the result has the matrix's second index */
    uint32_t rows;   /* of the result */
    uint32_t n;
    int64_t at[DIAGONALS_MOST];
} along;

/* Finds x(i) = B(i,j) * c(j), or x(j) = B(i,j) * c(i), of integers, with B in a format of diagonals. */
static bool find_product(const compile_options *o, compile_context *ctx, const sam_statement *st,
                         along *out) {
    const sam_expr_data *sum = sam_expr_at(st, st->rhs);
    const sam_expr_data *product = sum->kind == SAM_EXPR_SUM ? sam_expr_at(st, sum->a) : sum;
    *out = (along){.n = 0};
    for (uint32_t t = 1; t <= st->tensors.len; t++) {
        if (compile_is_stored_so(o, ctx, st, (sam_tensor){t}, COMPILE_BY_DIAGONALS))
            out->matrix.v = t;
    }
    if (!out->matrix.v || !st->integers || st->general || st->everywhere || sum->kind != SAM_EXPR_SUM ||
        product->kind != SAM_EXPR_MUL || sam_tensor_at(st, st->result)->order != 1)
        return false;
    const sam_expr_data *b = sam_expr_at(st, product->a), *c = sam_expr_at(st, product->b);
    if (b->kind != SAM_EXPR_ACCESS || c->kind != SAM_EXPR_ACCESS)
        return false;
    if (c->tensor.v == out->matrix.v) {
        const sam_expr_data *swap = b;
        b = c;
        c = swap;
    }
    const sam_tensor_data *vector = sam_tensor_at(st, c->tensor);
    out->vector = c->tensor;
    out->by_columns = b->index[1].v == st->result_index[0].v;
    return b->tensor.v == out->matrix.v && c->tensor.v != out->matrix.v && vector->order == 1 &&
           !vector->windowed && !vector->structure && !vector->called.v && c->index[0].v == sum->var.v &&
           b->index[out->by_columns].v == st->result_index[0].v && b->index[!out->by_columns].v == sum->var.v;
}

/* Finds the diagonals; false for none, or too many. */
static bool find_diagonals(const tile_tensor *t, along *a) {
    a->rows = t->dim[a->by_columns];
    for (uint64_t e = 0; e < t->nnz; e++) {
        const int64_t at = (int64_t)t->crd[2 * e + !a->by_columns] - (int64_t)t->crd[2 * e + a->by_columns];
        uint32_t k = a->n;
        while (k > 0 && a->at[k - 1] > at)
            k--;
        if (k > 0 && a->at[k - 1] == at)
            continue;
        if (a->n == DIAGONALS_MOST)
            return false;
        memmove(&a->at[k + 1], &a->at[k], sizeof *a->at * (a->n - k));
        a->at[k] = at;
        a->n++;
    }
    return a->n > 0;
}

static uint32_t width_of(const along *a) {
    return (uint32_t)(a->at[a->n - 1] - a->at[0] + 1);
}
static bool is_written(const along *a) {
    return a->n <= WRITTEN_MOST;
}
static bool is_band(const along *a) {
    return a->n > 1 && a->at[a->n - 1] - a->at[0] + 1 <= 2 * (int64_t)a->n;
}

/* The name of an operand along a diagonal, or along all as a band. */
static const char *name_of(compile_context *ctx, const sam_statement *st, sam_tensor t, int diagonal) {
    const char *name = names_text(ctx->names, sam_tensor_at(st, t)->name);
    return diagonal < 0 ? arena_printf(ctx->mem, "%sBand", name)
                        : arena_printf(ctx->mem, "%sAlong%d", name, diagonal);
}

static bool are_free(compile_context *ctx, const sam_statement *st, const along *a) {
    bool free = true;
    for (int d = -1; d < WRITTEN_MOST; d++)
        free = free && compile_is_free(ctx, st, name_of(ctx, st, a->matrix, d)) &&
               compile_is_free(ctx, st, name_of(ctx, st, a->vector, d));
    return free;
}

typedef struct {
    u32_vec crd;
    VEC(double) val;
} entries;

static void add_entry(arena *mem, entries *all, uint32_t row, int64_t column, uint16_t word) {
    vec_push(mem, &all->crd, row);
    if (column >= 0)
        vec_push(mem, &all->crd, (uint32_t)column);
    vec_push(mem, &all->val, tile_to_double(TILE_DTYPE_INT16, word));
}

/* Makes both operands along a diagonal, or (-1) along all diagonals as a band. */
static void make_operands(compile_context *ctx, const sam_statement *st, const along *a, int diagonal,
                          const tile_tensor *data, tile_tensor *out) {
    const tile_tensor *b = &data[a->matrix.v - 1], *c = &data[a->vector.v - 1];
    const uint32_t rows = b->dim[a->by_columns], dim[2] = {rows, width_of(a)};
    const bool band = diagonal < 0;
    entries matrix = {0}, vector = {0};
    for (uint64_t e = 0; e < b->nnz; e++) {
        const uint32_t row = b->crd[2 * e + a->by_columns];
        const int64_t at = (int64_t)b->crd[2 * e + !a->by_columns] - row;
        if (band || at == a->at[diagonal])
            add_entry(ctx->mem, &matrix, row, band ? at - a->at[0] : -1, b->val[e]);
    }
    for (uint32_t k = band ? 0 : (uint32_t)diagonal; k < (band ? a->n : (uint32_t)diagonal + 1); k++) {
        for (uint64_t e = 0; e < c->nnz; e++) {
            const int64_t row = c->crd[e] - a->at[k];
            if (row >= 0 && row < rows)
                add_entry(ctx->mem, &vector, (uint32_t)row, band ? a->at[k] - a->at[0] : -1, c->val[e]);
        }
    }
    const struct {
        sam_tensor of;
        const entries *all;
    } both[2] = {{a->matrix, &matrix}, {a->vector, &vector}};
    for (uint32_t k = 0; k < 2; k++) {
        const char *name = name_of(ctx, st, both[k].of, diagonal);
        const bool ok = tile_from_entries(names_intern(ctx->names, name), band ? 2 : 1, dim,
                                          both[k].all->val.len, both[k].all->crd.at, both[k].all->val.at,
                                          TILE_DTYPE_INT16, name, ctx->mem, ctx->diag, &out[k]);
        BUG_IF(!ok, "%s has an entry outside", name);
    }
}

void compile_add_diagonals(const compile_options *o, compile_context *ctx, const sam_statement *st,
                           tile_tensor *data, uint32_t *n) {
    along a;
    if (!find_product(o, ctx, st, &a) || !find_diagonals(&data[a.matrix.v - 1], &a) || !are_free(ctx, st, &a))
        return;
    for (int d = is_band(&a) ? -1 : 0; d < (is_written(&a) ? (int)a.n : 0); d++) {
        make_operands(ctx, st, &a, d, data, &data[*n]);
        *n += 2;
    }
}

static void add_format(compile_context *ctx, compile_rewriting *r, const char *tensor, bool band) {
    vec_push(ctx->mem, &r->formats, arena_printf(ctx->mem, "%s:%s", tensor, band ? "dd" : "d"));
}

/* Makes the statement along the diagonals. Returns false if not expressible. */
static bool rewrite(compile_context *ctx, const fe_in *in, const sam_statement *st, const along *a, bool band,
                    compile_rewriting *r) {
    const char *x = names_text(ctx->names, sam_tensor_at(st, st->result)->name),
               *i = names_text(ctx->names, sam_var_at(st, st->result_index[0])->name);
    const char *d = strcmp(i, "d") == 0 ? "e" : "d", *text = arena_printf(ctx->mem, "%s(%s) =", x, i);
    text_vec dimensions = {0};
    *r = (compile_rewriting){.statement = arena_new(ctx->mem, sam_statement)};
    for (int k = band ? -1 : 0; k < (band ? 0 : (int)a->n); k++) {
        const char *b = name_of(ctx, st, a->matrix, k), *c = name_of(ctx, st, a->vector, k);
        text = band ? arena_printf(ctx->mem, "%s sum(%s, %s(%s,%s) * %s(%s,%s))", text, d, b, i, d, c, i, d)
                    : arena_printf(ctx->mem, "%s%s %s(%s) * %s(%s)", text, k ? " +" : "", b, i, c, i);
        add_format(ctx, r, b, band);
        add_format(ctx, r, c, band);
    }
    for (uint32_t f = 0; f < in->n_formats; f++) {
        const size_t length = strlen(x);
        if (strncmp(in->formats[f], x, length) == 0 && in->formats[f][length] == ':')
            vec_push(ctx->mem, &r->formats, in->formats[f]);
    }
    vec_push(ctx->mem, &dimensions, arena_printf(ctx->mem, "%s:%u", i, a->rows));
    if (band)
        vec_push(ctx->mem, &dimensions, arena_printf(ctx->mem, "%s:%u", d, width_of(a)));
    r->in = (fe_in){.expression = text,
                    .formats = r->formats.at,
                    .n_formats = r->formats.len,
                    .dimensions = dimensions.at,
                    .n_dimensions = dimensions.len,
                    .functions = in->functions,
                    .integers = in->integers};
    return fe_parse(&r->in, ctx->names, ctx->mem, ctx->diag, r->statement);
}

/* "diagonals -1, 0 and 3", shortened for many diagonals; each is j - i of B(i,j). */
static const char *list_of(compile_context *ctx, const along *a) {
    const char *all = plural(a->n, "diagonal", "diagonals");
    if (a->n > 2 * WRITTEN_MOST)
        return arena_printf(ctx->mem, "%u %s", a->n, all);
    for (uint32_t k = 0; k < a->n; k++)
        all = arena_printf(ctx->mem, "%s%s %lld", all,
                           !k             ? ""
                           : k + 1 < a->n ? ","
                                          : " and",
                           (long long)(a->by_columns ? -a->at[a->n - 1 - k] : a->at[k]));
    return all;
}

uint32_t compile_rewrite_diagonals(const compile_options *o, compile_context *ctx, const fe_in *in,
                                   const sam_statement *user, const compile_data *data,
                                   compile_rewriting *out) {
    along a;
    uint32_t n = 0;
    if (!find_product(o, ctx, user, &a))
        return 0;
    if (!find_diagonals(&data->operands.operand[a.matrix.v - 1], &a) || !are_free(ctx, user, &a))
        return 0;
    for (uint32_t band = 0; band < 2; band++) {
        if ((band ? !is_band(&a) : !is_written(&a)) || !rewrite(ctx, in, user, &a, band, &out[n]))
            continue;
        out[n].how =
            arena_printf(ctx->mem, "%s along %s of %s",
                         band ? "a dense band" : plural(a.n, "a dense product", "dense products"),
                         list_of(ctx, &a), names_text(ctx->names, sam_tensor_at(user, a.matrix)->name));
        out[n++].than = "re-packed";
    }
    return n;
}
