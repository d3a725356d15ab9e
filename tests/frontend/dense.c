/* dense.c - see dense.h. */
#include "tests/frontend/dense.h"
#include "tests/notation/notation.h"
#include "tests/quota.h"
#include "tests/test.h"

static void set_dimensions(const sam_statement *s, sam_tensor t, const sam_var *index, dense_data *out) {
    dense_tensor *tensor = &out->tensor[t.v - 1];
    tensor->cells = 1;
    for (uint32_t i = 0; i < sam_tensor_at(s, t)->order; i++) {
        tensor->dim[i] = out->dim_of_var[index[i].v - 1];
        tensor->cells *= tensor->dim[i];
    }
    assert_true(tensor->cells <= DENSE_MAX_CELLS);
}

/* Variables that index the same mode of one tensor in two places range over the same dimension. */
static void unify_dimensions(const sam_statement *s, dense_data *out) {
    for (uint32_t round = 0; round < s->vars.len; round++) {
        for (uint32_t a = 0; a < s->exprs.len; a++) {
            for (uint32_t b = 0; b < s->exprs.len; b++) {
                const sam_expr_data *x = &s->exprs.at[a], *y = &s->exprs.at[b];
                if (x->kind != SAM_EXPR_ACCESS || y->kind != SAM_EXPR_ACCESS || x->tensor.v != y->tensor.v)
                    continue;
                for (uint32_t i = 0; i < sam_tensor_at(s, x->tensor)->order; i++)
                    out->dim_of_var[y->index[i].v - 1] = out->dim_of_var[x->index[i].v - 1];
            }
        }
    }
}

/* 1 at every coordinate of a dense level, at 0 of a compressed one. */
static void make_ones(const sam_tensor_data *t, dense_tensor *out) {
    for (uint32_t c = 0; c < out->cells; c++) {
        uint32_t rest = c, at[SAM_MAX_ORDER];
        for (uint32_t m = t->order; m-- > 0; rest /= out->dim[m])
            at[m] = rest % out->dim[m];
        out->at[c] = 1;
        for (uint32_t l = 0; l < t->order; l++) {
            if (t->level[l] == SAM_LEVEL_COMPRESSED && at[t->mode[l]])
                out->at[c] = 0;
        }
    }
}

void dense_random(const sam_statement *s, prng *random, uint32_t max_dim, uint32_t percent, dense_data *out) {
    assert_true(s->tensors.len <= DENSE_MAX_TENSORS);
    memset(out->dim_of_var, 0, sizeof out->dim_of_var);
    for (uint32_t v = 0; v < s->vars.len; v++)
        out->dim_of_var[v] = 1 + prng_below(random, max_dim);
    unify_dimensions(s, out);
    set_dimensions(s, s->result, s->result_index, out);
    for (uint32_t e = 0; e < s->exprs.len; e++) {
        if (s->exprs.at[e].kind == SAM_EXPR_ACCESS)
            set_dimensions(s, s->exprs.at[e].tensor, s->exprs.at[e].index, out);
    }
    for (uint32_t t = 1; t < s->tensors.len; t++) {
        dense_tensor *tensor = &out->tensor[t];
        if (s->tensors.at[t].ones) {
            make_ones(&s->tensors.at[t], tensor);
            continue;
        }
        uint32_t own_percent = percent ? percent : prng_below(random, 2) * 40;
        for (uint32_t c = 0; c < tensor->cells; c++) {
            uint16_t cell = (uint16_t)(1 + prng_below(random, 9) - prng_below(random, 2) * 10);
            tensor->at[c] = prng_below(random, 100) < own_percent ? cell : 0;
        }
        uint32_t somewhere = prng_below(random, tensor->cells);
        if (own_percent && !tensor->at[somewhere])
            tensor->at[somewhere] = 7;
    }
}

static uint32_t cell_of(const sam_statement *s, const dense_data *data, sam_tensor t, const sam_var *index,
                        const uint32_t *point) {
    uint32_t cell = 0;
    for (uint32_t i = 0; i < sam_tensor_at(s, t)->order; i++)
        cell = cell * data->tensor[t.v - 1].dim[i] + point[index[i].v - 1];
    return cell;
}

static uint32_t evaluate(const sam_statement *s, const dense_data *data, sam_expr e, uint32_t *point) {
    const sam_expr_data *x = sam_expr_at(s, e);
    switch (x->kind) {
    case SAM_EXPR_ACCESS:
        return data->tensor[x->tensor.v - 1].at[cell_of(s, data, x->tensor, x->index, point)];
    case SAM_EXPR_LITERAL:
        return (uint32_t)(int32_t)x->literal;
    case SAM_EXPR_NEG:
        return 0u - evaluate(s, data, x->a, point);
    case SAM_EXPR_ADD:
        return evaluate(s, data, x->a, point) + evaluate(s, data, x->b, point);
    case SAM_EXPR_SUB:
        return evaluate(s, data, x->a, point) - evaluate(s, data, x->b, point);
    case SAM_EXPR_MUL:
        return evaluate(s, data, x->a, point) * evaluate(s, data, x->b, point);
    case SAM_EXPR_SUM: {
        uint32_t sum = 0;
        for (uint32_t i = 0; i < data->dim_of_var[x->var.v - 1]; i++) {
            point[x->var.v - 1] = i;
            sum += evaluate(s, data, x->a, point);
        }
        return sum;
    }
    case SAM_EXPR_DIV: {
        int a = (int16_t)evaluate(s, data, x->a, point), b = (int16_t)evaluate(s, data, x->b, point);
        return b ? (uint32_t)(a / b) : 0;
    }
    case SAM_EXPR_CALL:
    case SAM_EXPR_NONE:
        break;
    }
    fail_msg("no dense meaning");
    return 0;
}

static void evaluate_result(const sam_statement *s, dense_data *data, uint32_t index, uint32_t *point) {
    if (index == sam_tensor_at(s, s->result)->order) {
        uint32_t cell = cell_of(s, data, s->result, s->result_index, point);
        data->tensor[0].at[cell] = (uint16_t)evaluate(s, data, s->rhs, point);
        return;
    }
    uint32_t v = s->result_index[index].v - 1;
    for (uint32_t i = 0; i < data->dim_of_var[v]; i++) {
        point[v] = i;
        evaluate_result(s, data, index + 1, point);
    }
}

void dense_evaluate(const sam_statement *s, dense_data *data) {
    uint32_t point[64] = {0};
    evaluate_result(s, data, 0, point);
}

bool dense_is_constant(const dense_data *data) {
    return quota_constant(data->tensor[0].at, data->tensor[0].cells, sizeof *data->tensor[0].at);
}

/* ---- levels ---------------------------------------------------------------------------------- */

sam_tensor_levels dense_to_levels(const sam_statement *s, const dense_data *data, sam_tensor t, arena *mem) {
    const sam_tensor_data *format = sam_tensor_at(s, t);
    const dense_tensor *tensor = &data->tensor[t.v - 1];
    note_entries entries = {0};
    for (uint32_t c = 0; c < tensor->cells; c++) {
        note_entry e = {.value = tensor->at[c]};
        uint32_t rest = c;
        for (uint32_t m = format->order; m-- > 0; rest /= tensor->dim[m])
            e.crd[m] = rest % tensor->dim[m];
        if (e.value)
            vec_push(mem, &entries, e);
    }
    sam_tensor_levels levels =
        note_pack(&entries, format->order, format->level, format->mode, tensor->dim, mem);
    levels.name = format->name;
    return levels;
}
