/* tiling/: the reference against a point-by-point evaluation, and whole plans: every run's blocks are decoded
 * again, evaluated point by point, written as result streams, and collected. */
#include <math.h>

#include "tests/test.h"

#include "tiling/choose.h"
#include "tiling/sample.h"

/* ---- statements by hand ---------------------------------------------------------------------- */

typedef struct {
    fixture *f;
    sam_statement s;
} builder;

static sam_var var(builder *b, char letter) {
    char text[2] = {letter, 0};
    name_id name = names_intern(&b->f->names, text);
    for (uint32_t v = 0; v < b->s.vars.len; v++) {
        if (name_eq(b->s.vars.at[v].name, name))
            return (sam_var){v + 1};
    }
    vec_push(&b->f->mem, &b->s.vars, (sam_var_data){.name = name});
    return (sam_var){b->s.vars.len};
}

/* "Bik:ss" or "Ckj:ss:10": tensor, indices, formats, mode order. */
static sam_tensor tensor(builder *b, const char *spec, sam_var *index) {
    char name[2] = {spec[0], 0};
    sam_tensor_data t = {.name = names_intern(&b->f->names, name)};
    const char *format = strchr(spec, ':') + 1, *modes = strchr(format, ':');
    t.order = (uint32_t)(format - spec - 2);
    for (uint32_t m = 0; m < t.order; m++) {
        index[m] = var(b, spec[1 + m]);
        t.level[m] = format[m] == 'd' ? SAM_LEVEL_DENSE : SAM_LEVEL_COMPRESSED;
        t.mode[m] = (uint8_t)(modes ? modes[1 + m] - '0' : (int)m);
    }
    vec_push(&b->f->mem, &b->s.tensors, t);
    return (sam_tensor){b->s.tensors.len};
}

static sam_expr expr(builder *b, sam_expr_data x) {
    vec_push(&b->f->mem, &b->s.exprs, x);
    return (sam_expr){b->s.exprs.len};
}

/* Postfix: tensors, and '*', '+', '-', '~' (negate), "Sk" (sum over k). */
static void build(builder *b, fixture *f, const char *result, const char *const *words, const char *loops) {
    *b = (builder){.f = f, .s = {.mem = &f->mem, .names = &f->names}};
    b->s.result = tensor(b, result, b->s.result_index);
    sam_expr stack[16];
    uint32_t n = 0;
    for (; *words; words++) {
        sam_expr_data x = {0};
        static const char ops[] = "+-*";
        const char *op = strchr(ops, (*words)[0]);
        if ((*words)[0] == 'S' && (*words)[2] == '\0') {
            x = (sam_expr_data){.kind = SAM_EXPR_SUM, .var = var(b, (*words)[1]), .a = stack[--n]};
        } else if (op) {
            static const sam_expr_kind kind[] = {SAM_EXPR_ADD, SAM_EXPR_SUB, SAM_EXPR_MUL};
            x = (sam_expr_data){.kind = kind[op - ops], .a = stack[n - 2], .b = stack[n - 1]};
            n -= 2;
        } else if ((*words)[0] == '~') {
            x = (sam_expr_data){.kind = SAM_EXPR_NEG, .a = stack[--n]};
        } else {
            x.kind = SAM_EXPR_ACCESS;
            x.tensor = tensor(b, *words, x.index);
        }
        stack[n++] = expr(b, x);
    }
    b->s.rhs = stack[0];
    for (; *loops; loops++)
        vec_push(&f->mem, &b->s.loops, var(b, *loops));
}

/* ---- evaluation point by point --------------------------------------------------------------- */

static uint16_t look_up(const tile_tensor *t, const uint32_t *at) {
    for (uint64_t e = 0; e < t->nnz; e++) {
        if (!t->order || memcmp(t->crd + e * t->order, at, sizeof *at * t->order) == 0)
            return t->val[e];
    }
    return 0;
}

static uint16_t at_point(const sam_statement *s, const tile_tensor *operand, const uint32_t *extent,
                         sam_expr h, uint32_t *point) {
    const sam_expr_data *x = sam_expr_at(s, h);
    uint32_t at[SAM_MAX_ORDER];
    uint16_t total = 0;
    switch (x->kind) {
    case SAM_EXPR_ACCESS:
        for (uint32_t m = 0; m < sam_tensor_at(s, x->tensor)->order; m++)
            at[m] = point[x->index[m].v - 1];
        return look_up(&operand[x->tensor.v - 1], at);
    case SAM_EXPR_SUM:
        for (uint32_t c = 0; c < extent[x->var.v - 1]; c++) {
            point[x->var.v - 1] = c;
            total = (uint16_t)(total + at_point(s, operand, extent, x->a, point));
        }
        return total;
    case SAM_EXPR_NEG:
        return (uint16_t)-at_point(s, operand, extent, x->a, point);
    case SAM_EXPR_ADD:
        return (uint16_t)(at_point(s, operand, extent, x->a, point) +
                          at_point(s, operand, extent, x->b, point));
    case SAM_EXPR_SUB:
        return (uint16_t)(at_point(s, operand, extent, x->a, point) -
                          at_point(s, operand, extent, x->b, point));
    case SAM_EXPR_MUL:
        return (uint16_t)(at_point(s, operand, extent, x->a, point) *
                          at_point(s, operand, extent, x->b, point));
    case SAM_EXPR_DIV:
    case SAM_EXPR_CALL:
    case SAM_EXPR_LITERAL:
    case SAM_EXPR_NONE:
        break;
    }
    fail();
    return 0;
}

/* Every coordinate of the result in logical order, with its value; zeros left out. */
static void evaluate_all(fixture *f, const sam_statement *s, const tile_tensor *operand,
                         const uint32_t *extent, tile_tensor *out) {
    const sam_tensor_data *r = sam_tensor_at(s, s->result);
    uint32_t point[64] = {0};
    u32_vec crd = {0};
    u16_vec val = {0};
    uint64_t points = 1;
    *out = (tile_tensor){.name = r->name, .order = r->order};
    for (uint32_t m = 0; m < r->order; m++)
        points *= out->dim[m] = extent[s->result_index[m].v - 1];
    for (uint64_t p = 0; p < points; p++) {
        uint64_t rest = p;
        for (uint32_t m = r->order; m-- > 0; rest /= out->dim[m])
            point[s->result_index[m].v - 1] = (uint32_t)(rest % out->dim[m]);
        uint16_t value = at_point(s, operand, extent, s->rhs, point);
        if (!value)
            continue;
        for (uint32_t m = 0; m < r->order; m++)
            vec_push(&f->mem, &crd, point[s->result_index[m].v - 1]);
        vec_push(&f->mem, &val, value);
    }
    out->nnz = val.len;
    out->crd = crd.at;
    out->val = val.at;
}

/* ---- streams: decode a run's inputs, encode the kernel's outputs --------------------------------- */

typedef struct {
    const uint16_t *seg, *crd;
} decoded_level;

static void decode_fiber(const sam_tensor_data *t, const decoded_level *level, const uint16_t *vals,
                         uint32_t l, uint32_t ref, const uint32_t *edge, uint32_t *at, arena *mem,
                         u32_vec *crd, u16_vec *val) {
    if (l == t->order) {
        if (!vals[ref])
            return;
        for (uint32_t m = 0; m < t->order; m++)
            vec_push(mem, crd, at[m]);
        vec_push(mem, val, vals[ref]);
        return;
    }
    bool dense = t->level[l] == SAM_LEVEL_DENSE;
    assert_true(!(t->padded >> l & 1) ||
                (level[l].seg[ref] < level[l].seg[ref + 1] && level[l].crd[level[l].seg[ref]] == 0));
    assert_true(!(t->whole >> l & 1) ||
                level[l].seg[ref + 1] - (uint32_t)level[l].seg[ref] == edge[t->mode[l]]);
    uint32_t dim = edge[t->mode[l]], begin = dense ? ref * dim : level[l].seg[ref],
             end = dense ? begin + dim : level[l].seg[ref + 1];
    for (uint32_t p = begin; p < end; p++) {
        at[t->mode[l]] = dense ? p - begin : level[l].crd[p];
        decode_fiber(t, level, vals, l + 1, p, edge, at, mem, crd, val);
    }
}

/* Edges of a tensor's sub-tiles, by logical mode; the tensor is used once. */
static void edges_of(const sam_statement *s, const tile_plan *plan, uint32_t tensor_index, uint32_t *edge) {
    for (uint32_t e = 0; e < s->exprs.len; e++) {
        const sam_expr_data *x = &s->exprs.at[e];
        for (uint32_t m = 0; x->kind == SAM_EXPR_ACCESS && m < SAM_MAX_ORDER; m++) {
            if (x->tensor.v == tensor_index + 1 && x->index[m].v)
                edge[m] = plan->edge[x->index[m].v - 1];
        }
    }
}

/* The sub-tile that a run feeds to a tensor of a copy, as a small tensor of the tile's extent. */
static tile_tensor fed(fixture *f, const sam_statement *s, const tile_plan *plan, uint32_t run, uint32_t copy,
                       uint32_t tensor_index) {
    const sam_tensor_data *t = &s->tensors.at[tensor_index];
    decoded_level level[SAM_MAX_ORDER] = {{0}};
    const uint16_t *vals = NULL;
    uint32_t at[SAM_MAX_ORDER] = {0}, edge[SAM_MAX_ORDER] = {0};
    edges_of(s, plan, tensor_index, edge);
    for (uint32_t i = 0; i < plan->inputs.len; i++) {
        const tile_input *in = &plan->inputs.at[i];
        if (in->copy != copy || !name_eq(in->stream.tensor, t->name))
            continue;
        const tile_block *b = &in->blocks.at[plan->run_block.at[plan->runs.at[run].block_first + i]];
        const uint16_t *w = plan->words.at + b->first;
        if (in->stream.level == SAM_MODE_VALS) {
            assert_int_equal(b->length, w[0] + 1);
            vals = w + 1;
        } else {
            assert_int_equal(b->length, w[0] + 1 + w[w[0] + 1] + 1);
            level[in->stream.level] = (decoded_level){w + 1, w + w[0] + 2};
        }
    }
    u32_vec crd = {0};
    u16_vec val = {0};
    decode_fiber(t, level, vals, 0, 0, edge, at, &f->mem, &crd, &val);
    tile_tensor out = {.name = t->name, .order = t->order, .nnz = val.len, .crd = crd.at, .val = val.at};
    memcpy(out.dim, edge, sizeof out.dim);
    return out;
}

/* Result streams of a copy, in the kernel's output order. */
static void encode(fixture *f, const sam_statement *s, const tile_plan *plan, uint32_t copy,
                   const tile_tensor *r, const uint16_t **words, uint32_t *lengths) {
    sam_tensor_levels levels;
    assert_true(tile_levels(r, sam_tensor_at(s, s->result), &f->mem, &f->diag, &levels));
    for (uint32_t o = 0; o < plan->outputs.len; o++) {
        u16_vec w = {0};
        if (plan->outputs.at[o].copy != copy)
            continue;
        int l = plan->outputs.at[o].stream.level;
        if (l == SAM_MODE_VALS) {
            vec_push(&f->mem, &w, (uint16_t)levels.n_vals);
            for (uint32_t i = 0; i < levels.n_vals; i++)
                vec_push(&f->mem, &w, levels.vals[i]);
        } else {
            vec_push(&f->mem, &w, (uint16_t)levels.level[l].n_seg);
            for (uint32_t i = 0; i < levels.level[l].n_seg; i++)
                vec_push(&f->mem, &w, (uint16_t)levels.level[l].seg[i]);
            vec_push(&f->mem, &w, (uint16_t)levels.level[l].n_crd);
            for (uint32_t i = 0; i < levels.level[l].n_crd; i++)
                vec_push(&f->mem, &w, (uint16_t)levels.level[l].crd[i]);
        }
        assert_true(w.len <= plan->runs.at[0].bound_words + 0x10000);
        words[o] = w.at;
        lengths[o] = w.len;
    }
}

static void all_streams(fixture *f, const sam_statement *s, uint32_t tensor_index, tile_stream *out,
                        uint32_t *n) {
    (void)f;
    const sam_tensor_data *t = &s->tensors.at[tensor_index];
    for (uint32_t l = 0; l < t->order; l++) {
        if (t->level[l] == SAM_LEVEL_COMPRESSED)
            out[(*n)++] = (tile_stream){.tensor = t->name, .level = (int)l};
    }
    out[(*n)++] = (tile_stream){.tensor = t->name, .level = SAM_MODE_VALS};
}

/* The streams of all copies, the last copy's first. */
static uint32_t all_copies(const tile_stream *one, uint32_t n, uint32_t copies, tile_copy_stream *out) {
    for (uint32_t i = 0; i < n * copies; i++)
        out[i] = (tile_copy_stream){one[i / copies], copies - 1 - i % copies};
    return n * copies;
}

enum { MOST_COPIES = 4 };

typedef struct {
    tile_options tiling;
    uint32_t most_words; /* of a batch; 0: a single batch */
    uint32_t copies;
    tile_dispatch how;
    bool exact; /* the result's arrays are as long as the plan says, not only at most */
} plan_case;

/* An array that a block or an answer puts into a memory tile fits the tile's memory. */
static void check_arrays(const plan_case *c, int level, const uint16_t *words, uint32_t length) {
    assert_true(!c->tiling.bank_words || length <= c->tiling.bank_words);
    assert_true(words[0] <= c->tiling.mem_words);
    assert_true(level == SAM_MODE_VALS || words[words[0] + 1] <= c->tiling.mem_words);
}

static void check_blocks(const plan_case *c, const tile_plan *plan) {
    for (uint32_t i = 0; i < plan->inputs.len; i++) {
        const tile_input *in = &plan->inputs.at[i];
        for (uint32_t k = 0; k < in->blocks.len; k++)
            check_arrays(c, in->stream.level, plan->words.at + in->blocks.at[k].first,
                         in->blocks.at[k].length);
    }
}

/* Runs every run of a batch point by point and collects. */
static void check_batch(fixture *f, const sam_statement *s, const plan_case *c, const tile_plan *plan,
                        tile_collector *collector) {
    uint32_t local[64];
    for (uint32_t v = 0; v < s->vars.len; v++)
        local[v] = plan->edge[v];
    check_blocks(c, plan);
    for (uint32_t run = 0; run < plan->runs.len; run++) {
        tile_tensor sub[16], r;
        const uint16_t *words[8 * MOST_COPIES];
        uint32_t lengths[8 * MOST_COPIES];
        for (uint32_t copy = 0; copy < c->copies; copy++) {
            for (uint32_t t = 1; t < s->tensors.len; t++)
                sub[t] = fed(f, s, plan, run, copy, t);
            evaluate_all(f, s, sub, local, &r);
            encode(f, s, plan, copy, &r, words, lengths);
            assert_true(!plan->parts.at[run * c->copies + copy].idle || run + 1 == plan->runs.len);
        }
        uint32_t longest = 0;
        for (uint32_t o = 0; o < plan->outputs.len; o++) {
            uint32_t first = words[o][0], second = lengths[o] > first + 1 ? words[o][first + 1] : 0;
            longest = first > longest ? first : longest;
            longest = second > longest ? second : longest;
        }
        assert_true(longest <= plan->runs.at[run].bound_array);
        assert_true(!c->exact || longest == plan->runs.at[run].bound_array);
        for (uint32_t o = 0; o < plan->outputs.len; o++) {
            assert_true(lengths[o] <= plan->runs.at[run].bound_words);
            check_arrays(c, plan->outputs.at[o].stream.level, words[o], lengths[o]);
            if (plan->parts.at[run * c->copies + plan->outputs.at[o].copy].idle)
                lengths[o] = 0; /* malformed, if anybody read it */
        }
        if (!tile_collect_run(collector, run, words, lengths, &f->diag))
            fail_msg("%s", fixture_printed(f));
    }
}

/* Plans, runs all batches, and compares with both evaluations. False: refused, for want of capacity. */
static bool try_plan(fixture *f, const sam_statement *s, const tile_tensor *operand, const plan_case *c,
                     tile_counts *counts) {
    tile_operands in = {.operand = operand, .n = s->tensors.len};
    tile_stream inputs[16], outputs[16];
    tile_copy_stream all_in[16 * MOST_COPIES], all_out[16 * MOST_COPIES];
    uint32_t n_in = 0, n_out = 0, *extent = NULL;
    for (uint32_t t = 1; t < s->tensors.len; t++)
        all_streams(f, s, t, inputs, &n_in);
    all_streams(f, s, 0, outputs, &n_out);
    uint32_t n_all_in = all_copies(inputs, n_in, c->copies, all_in),
             n_all_out = all_copies(outputs, n_out, c->copies, all_out);
    assert_true(tile_extents(s, &in, &f->mem, &f->diag, &extent));
    tile_planner *p = tile_plan_begin(s, &in, &c->tiling, inputs, n_in, outputs, n_out, &f->mem, &f->diag);
    tile_plan one = {0}, plan;
    assert_non_null(p);
    tile_collector *collector = tile_collect_begin(s, &plan, extent, TILE_DTYPE_INT16, &f->mem);
    tile_step step;
    uint64_t runs = 0;
    while ((step = tile_plan_next(p, c->most_words, &f->mem, &one)) == TILE_BATCH) {
        assert_true(c->most_words || runs == 0);
        runs += one.runs.len;
        plan = one;
        if (c->copies > 1) {
            tile_unroll(&one, c->copies, c->how, all_in, n_all_in, all_out, n_all_out, &f->mem, &plan);
            assert_int_equal(plan.runs.len, (one.runs.len + c->copies - 1) / c->copies);
        }
        check_batch(f, s, c, &plan, collector);
    }
    *counts = *tile_plan_counts(p);
    assert_int_equal(counts->expected.runs, runs);
    assert_true(counts->pairs <= counts->possible && (counts->splits.len || runs == counts->pairs));
    assert_true(counts->most_words <= c->tiling.mem_words);
    assert_true(!c->tiling.bank_words || counts->most_bank_words <= c->tiling.bank_words);
    tile_plan_end(p);
    tile_tensor got, want, points;
    assert_true(tile_collect_end(collector, &f->mem, &got));
    if (step == TILE_FAILED)
        return false;
    assert_true(tile_reference(s, &in, &f->mem, &f->diag, &want));
    evaluate_all(f, s, operand, extent, &points);
    if (!tile_equal(&want, &points, TILE_DTYPE_INT16, &f->names, &f->diag) ||
        !tile_equal(&got, &want, TILE_DTYPE_INT16, &f->names, &f->diag))
        fail_msg("%s", fixture_printed(f));
    return true;
}

/* Plans a case that must not be refused; returns the number of runs of a copy. */
static uint32_t check_case(fixture *f, const sam_statement *s, const tile_tensor *operand,
                           const plan_case *c) {
    tile_counts counts;
    if (!try_plan(f, s, operand, c, &counts))
        fail_msg("%s", fixture_printed(f));
    return (uint32_t)counts.expected.runs;
}

static uint32_t check_plan(fixture *f, const sam_statement *s, const tile_tensor *operand, uint32_t edge) {
    const plan_case c = {.tiling = {.tile = edge, .mem_words = 1024}, .copies = 1};
    return check_case(f, s, operand, &c);
}

static const struct {
    const char *result, *words[12], *loops, *dims;
} kernels[] = {
    {"xi:s", {"bi:s", "ci:s", "*"}, "i", "i"},
    {"xi:s", {"bi:s", "ci:s", "+"}, "i", "i"},
    {"Xij:ss", {"Bij:ss"}, "ij", "ij"},
    {"Xij:ss", {"Bij:ss", "Cij:ss", "*"}, "ij", "ij"},
    {"Xij:ss", {"Bij:ss", "Cij:ds", "+"}, "ij", "ij"},
    {"xi:s", {"Bij:ss", "cj:d", "*", "Sj"}, "ij", "ij"},
    {"Xij:ss", {"Bik:ss", "Ckj:ss:10", "*", "Sk"}, "ijk", "ijk"},
    {"Xij:ss:10", {"Bik:ss:10", "Ckj:ss:10", "*", "Sk"}, "kji", "ijk"},
    {"yi:s", {"bi:s", "Aij:ss", "xj:s", "*", "Sj", "-"}, "ij", "ij"},
    {"yi:s", {"Aij:ss", "Sj", "~", "bi:s", "+"}, "ij", "ij"},
    {"Xij:ss", {"Dij:ss", "Bik:ss", "Ckj:ss:10", "*", "Sk", "*"}, "ijk", "ijk"},
    {"Xij:ss", {"Dij:ss", "Eij:ss", "+", "Bik:ss", "Ckj:ss:10", "*", "Sk", "*"}, "ijk", "ijk"},
    {"a:", {"Bij:ss", "Cij:ss", "*", "Sj", "Si"}, "ij", "ij"},
    {"xi:s", {"Bij:ss", "Sj", "Cik:ss", "Sk", "*"}, "ijk", "ijk"},
    {"Xij:ss", {"Bij:ss", "ci:s", "+"}, "ij", "ij"},
    {"Xij:ss", {"a:", "Bij:ss", "*"}, "ij", "ij"},
    {"Xijk:sss", {"Bijk:sss", "Cijk:dsd", "Dijk:dds", "*", "*"}, "ijk", "ijk"},
    {"Xijk:sss", {"Bijk:sds", "Cijk:ssd:201", "+"}, "kij", "ijk"},
};

/* By variant: no levels, the innermost levels, the rest, or all levels are padded; some of them with all
 * coordinates. */
static void pad_levels(sam_statement *s, uint32_t variant) {
    for (uint32_t t = 1; t < s->tensors.len; t++) {
        sam_tensor_data *d = &s->tensors.at[t];
        for (uint32_t l = 0; l < d->order; l++) {
            bool padded = variant & (l + 1 == d->order ? 1 : 2);
            d->padded |= (uint32_t)(padded && d->level[l] == SAM_LEVEL_COMPRESSED) << l;
            d->whole |= variant % 5 == 4 ? d->padded & 1u << l : 0;
        }
    }
}

/* Operands of kernel k: extents and density by variant. */
static void make_operands(fixture *f, builder *b, size_t k, uint32_t variant, tile_tensor *operand) {
    static const uint32_t extents[][3] = {{7, 9, 5}, {1, 8, 3}, {8, 1, 1}, {4, 4, 4}};
    static const char *const density[] = {"0.25", "0.02", "1", "0"};
    build(b, f, kernels[k].result, kernels[k].words, kernels[k].loops);
    for (uint32_t x = 0; x < b->s.exprs.len; x++) {
        const sam_expr_data *e = &b->s.exprs.at[x];
        if (e->kind != SAM_EXPR_ACCESS)
            continue;
        const char *spec = "";
        for (uint32_t m = 0; m < sam_tensor_at(&b->s, e->tensor)->order; m++) {
            uint32_t letter = (uint32_t)names_text(&f->names, b->s.vars.at[e->index[m].v - 1].name)[0] - 'i';
            spec = arena_printf(&f->mem, "%s%s%u", spec, m ? "x" : "", extents[variant % 4][letter]);
        }
        spec = arena_printf(&f->mem, "%s:%s", spec, density[variant / 4]);
        assert_true(tile_generate(spec, sam_tensor_at(&b->s, e->tensor)->name, e->tensor.v, k + 1,
                                  TILE_DTYPE_INT16, &f->mem, &f->diag, &operand[e->tensor.v - 1]));
    }
}

/* Each kernel on `variants` of the 16 variants of its operands. */
static void each_variant(fixture *f, uint32_t variants,
                         void (*one)(fixture *f, sam_statement *s, const tile_tensor *operand,
                                     uint32_t variant)) {
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        for (uint32_t variant = 0; variant < variants; variant++) {
            builder b;
            tile_tensor operand[16];
            make_operands(f, &b, k, variant % 16, operand);
            pad_levels(&b.s, variant / 4);
            one(f, &b.s, operand, variant);
        }
    }
}

static void check_plans(fixture *f, sam_statement *s, const tile_tensor *operand, uint32_t variant) {
    check_plan(f, s, operand, 3);
    pad_levels(s, variant);
    check_plan(f, s, operand, 0);
    const plan_case copies = {.tiling = {.tile = 3, .mem_words = 1024},
                              .copies = 2 + variant % 3,
                              .how = (tile_dispatch)(variant / 4 % 2)};
    check_case(f, s, operand, &copies);
}

static void plans_compute_what_the_statement_says(void **state) {
    each_variant(*state, 16, check_plans);
}

/* Twelve levels, stored in the order of the modes or the other way around, whole or cut in two along each. */
static void tensors_of_the_highest_order(void **state) {
    fixture *f = *state;
    static const char *const how[][3] = {
        {"Xabcdefghijkl:ssssssssssss", "Babcdefghijkl:ssssssssdsss", "abcdefghijkl"},
        {"Xabcdefghijkl:ssssssssssss:;:9876543210", "Babcdefghijkl:ssssssssssss:;:9876543210",
         "lkjihgfedcba"}};
    for (size_t i = 0; i < 2; i++) {
        builder b;
        tile_tensor operand[2];
        build(&b, f, how[i][0], (const char *const[]){how[i][1], NULL}, how[i][2]);
        assert_true(tile_generate("2x3x2x1x2x2x3x2x2x1x2x2:0.02", b.s.tensors.at[1].name, 1, 1,
                                  TILE_DTYPE_INT16, &f->mem, &f->diag, &operand[1]));
        assert_int_equal(check_plan(f, &b.s, operand, 3), 1);
        assert_true(check_plan(f, &b.s, operand, 1) == operand[1].nnz);
    }
}

/* X(i,j) = sum over k of B(i,k) * C(k,j) with full operands of 20 x 20. */
static void build_full_product(builder *b, fixture *f, tile_tensor *operand) {
    build(b, f, "Xij:ss", (const char *const[]){"Bik:ss", "Ckj:ss:10", "*", "Sk", NULL}, "ijk");
    for (uint32_t t = 1; t < 3; t++)
        assert_true(tile_generate("20x20:1", b->s.tensors.at[t].name, t, 1, TILE_DTYPE_INT16, &f->mem,
                                  &f->diag, &operand[t]));
}

static void try_edges(fixture *f, sam_statement *s, const tile_tensor *operand, uint32_t variant) {
    plan_case c = {.tiling = {.tile = 3, .mem_words = variant % 3 ? 1024 : 16},
                   .most_words = variant % 2 ? 40 : 0,
                   .copies = 1 + variant / 16};
    for (uint32_t v = 0; v < s->vars.len; v++) {
        c.tiling.edge[v] = (v + variant) % 3 ? 1 + (v * 5 + variant * 3) % 9 : 0;
        c.tiling.glb_edge[v] = (v + variant) % 4 ? 0 : 2 + (v + variant) % 12;
    }
    tile_counts counts;
    try_plan(f, s, operand, &c, &counts);
    f->diag.list.len = f->diag.unmappable = 0;
}

/* Sub-tiles and tiles for the global buffer are longer along one variable than along another. */
static void every_variable_may_have_its_own_edge(void **state) {
    fixture *f = *state;
    each_variant(f, 32, try_edges);
    builder b;
    tile_tensor operand[3];
    build_full_product(&b, f, operand);
    const plan_case c = {.tiling = {.tile = 5, .edge = {[0] = 10, [1] = 4}, .mem_words = 1024}, .copies = 1};
    tile_counts counts;
    assert_true(try_plan(f, &b.s, operand, &c, &counts));
    assert_int_equal(counts.expected.runs, 2 * 5 * 4);
}

static bool all_compressed(const sam_statement *s) {
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        for (uint32_t l = 0; l < s->tensors.at[t].order; l++) {
            if (sam_level_is_whole(&s->tensors.at[t], l))
                return false;
        }
    }
    return true;
}

/* Small memories: nearly everything is split; compressed operands are never refused. */
static void what_does_not_fit_is_split(void **state) {
    fixture *f = *state;
    uint32_t done = 0, refused = 0, split = 0;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        for (uint32_t variant = 0; variant < 16; variant++) {
            for (uint32_t words = 2; words < 30; words += 1 + words / 2) {
                builder b;
                tile_tensor operand[16];
                tile_counts counts;
                make_operands(f, &b, k, variant, operand);
                pad_levels(&b.s, words > 2 ? variant / 2 : 0);
                const plan_case c = {.tiling = {.tile = 5, .mem_words = words, .bank_words = 4 * words},
                                     .most_words = words % 2 ? 50 : 0,
                                     .copies = 1 + variant % 2};
                bool good = try_plan(f, &b.s, operand, &c, &counts);
                done += good;
                refused += !good;
                split += good && counts.splits.len;
                if (!good) {
                    if (all_compressed(&b.s) && words > 5) /* c(i) beside B(i,j) runs along a whole edge */
                        fail_msg("kernel %zu, %u words: %s", k, words, fixture_printed(f));
                    assert_non_null(strstr(fixture_printed(f), "E0330-capacity"));
                }
                f->diag.list.len = f->diag.unmappable = 0;
            }
        }
    }
    if (split < 300 || done < refused)
        fail_msg("%u done, of these %u with splits, %u refused", done, split, refused);
}

/* Coordinates that a graph without padding drops: coordinates of a loop without any coordinate of the next
 * loop. */
static void drop_all(tile_options *tiling, const sam_statement *s) {
    for (uint32_t l = 0; l + 1 < s->loops.len; l++)
        tiling->drops[s->loops.at[l].v - 1] = (uint8_t)s->loops.at[l + 1].v;
}

/* The planned room equals the used room for graphs that drop empty fibers: products of positive values
 * cancel nothing. Sums also get explicit zeros of empty sub-tiles: tests/flow/tile.test runs this case on
 * the array. */
static void results_are_as_long_as_planned(void **state) {
    fixture *f = *state;
    static const struct {
        const char *result, *words[8], *loops;
    } cases[] = {
        {"Xij:ss", {"Bik:ss", "Ckj:ss:10", "*", "Sk", NULL}, "ijk"},
        {"Xij:ss", {"Bik:ss", "Ckj:ss", "*", "Sk", NULL}, "ikj"},
        {"Xij:ss", {"Bik:ss:10", "Ckj:ss", "*", "Sk", NULL}, "kij"},
        {"Xij:ss", {"Bij:ss", "Cij:ss", "*", NULL}, "ij"},
        {"Xij:ss", {"Bijk:sss", "ck:s", "*", "Sk", NULL}, "ijk"},
        {"xj:s", {"Bij:ss", "ci:s", "*", "Si", NULL}, "ij"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        for (uint32_t variant = 0; variant < 40; variant++) {
            builder b;
            tile_tensor operand[16];
            tile_counts counts;
            plan_case c = {.tiling = {.tile = 5 + variant % 6, .mem_words = variant % 2 ? 1024 : 14},
                           .copies = 1,
                           .exact = true};
            build(&b, f, cases[k].result, cases[k].words, cases[k].loops);
            for (uint32_t t = 1; t < b.s.tensors.len; t++) {
                const char *extents = b.s.tensors.at[t].order == 3   ? "9x9x9"
                                      : b.s.tensors.at[t].order == 2 ? "9x9"
                                                                     : "9";
                assert_true(tile_generate(
                    arena_printf(&f->mem, "%s:0.%u:%u", extents, 1 + variant % 4, variant),
                    b.s.tensors.at[t].name, t, 1, TILE_DTYPE_INT16, &f->mem, &f->diag, &operand[t]));
            }
            drop_all(&c.tiling, &b.s);
            assert_true(try_plan(f, &b.s, operand, &c, &counts));
        }
    }
}

/* The whole plan at once, of a kernel with `n` streams each way. */
static bool plan_all(fixture *f, const sam_statement *s, const tile_operands *in, const tile_options *options,
                     const tile_stream *inputs, const tile_stream *outputs, uint32_t n, tile_plan *out) {
    tile_planner *p = tile_plan_begin(s, in, options, inputs, n, outputs, n, &f->mem, &f->diag);
    if (!p)
        return false;
    bool good = tile_plan_next(p, 0, &f->mem, out) != TILE_FAILED;
    tile_plan_end(p);
    return good;
}

/* All runs of a tile for the global buffer precede the runs of the next tile. */
static void tiles_for_the_global_buffer_come_one_by_one(void **state) {
    fixture *f = *state;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        for (uint32_t variant = 0; variant < 16; variant++) {
            for (uint32_t glb = 3; glb < 7; glb++) {
                builder b;
                tile_tensor operand[16];
                make_operands(f, &b, k, variant, operand);
                plan_case c = {.tiling = {.tile = 2, .glb_tile = glb, .mem_words = variant % 3 ? 1024 : 8},
                               .most_words = variant % 2 ? 40 : 0,
                               .copies = 1 + variant / 8};
                tile_counts counts;
                if (try_plan(f, &b.s, operand, &c, &counts))
                    assert_true(counts.glb_tiles <= counts.expected.runs && counts.loads >= counts.glb_tiles);
                f->diag.list.len = f->diag.unmappable = 0;
            }
        }
    }
    builder b;
    build(&b, f, "Xij:ss", (const char *const[]){"Bij:ss", NULL}, "ij");
    tile_tensor operand[2];
    assert_true(tile_generate("12x12:1", b.s.tensors.at[1].name, 0, 1, TILE_DTYPE_INT16, &f->mem, &f->diag,
                              &operand[1]));
    const tile_operands in = {operand, 2, TILE_DTYPE_INT16};
    const tile_options options = {.tile = 2, .glb_tile = 6, .mem_words = 1024, .bank_words = 1024};
    tile_plan plan;
    assert_true(plan_all(f, &b.s, &in, &options, NULL, NULL, 0, &plan));
    assert_int_equal(plan.runs.len, 36);
    for (uint32_t run = 0; run < 36; run++) {
        const uint32_t *at = plan.parts.at[run].origin;
        assert_int_equal(at[0] / 6 * 2 + at[1] / 6, run / 9);
    }
}

static tile_counts counts_of(fixture *f, const sam_statement *s, const tile_tensor *operand,
                             uint32_t glb_tile) {
    const plan_case c = {.tiling = {.tile = 2, .glb_tile = glb_tile, .mem_words = 1024, .bank_words = 520},
                         .copies = 1};
    tile_counts counts;
    assert_true(try_plan(f, s, operand, &c, &counts));
    return counts;
}

/* C is larger than its banks: every row of sub-tiles of B loads all of C, unless tiles group such rows. */
static void tiles_for_the_global_buffer_save_loads(void **state) {
    fixture *f = *state;
    builder b;
    tile_tensor operand[3];
    build_full_product(&b, f, operand);
    const tile_counts flat = counts_of(f, &b.s, operand, 0), tiled = counts_of(f, &b.s, operand, 10);
    assert_int_equal(flat.expected.runs, tiled.expected.runs);
    assert_int_equal(tiled.glb_tiles, 8);
    if (tiled.load_words >= flat.load_words)
        fail_msg("%u words, %u without", (uint32_t)tiled.load_words, (uint32_t)flat.load_words);
}

/* A row of an otherwise empty matrix holds too much: only its sub-tile is cut, along the row. */
static void only_what_is_too_full_is_split(void **state) {
    fixture *f = *state;
    builder b;
    build(&b, f, "Xij:ss", (const char *const[]){"Bij:ss", NULL}, "ij");
    uint32_t crd[2 * 69];
    uint16_t val[69];
    for (uint32_t e = 0; e < 69; e++) {
        crd[2 * e] = e < 64 ? 5 : 64 + e;
        crd[2 * e + 1] = e;
        val[e] = (uint16_t)(e + 1);
    }
    tile_tensor operand[2] = {
        {.order = 0},
        {.name = b.s.tensors.at[1].name, .order = 2, .dim = {192, 192}, .nnz = 69, .crd = crd, .val = val}};
    const plan_case c = {.tiling = {.tile = 64, .mem_words = 32}, .copies = 1};
    tile_counts counts;
    assert_true(try_plan(f, &b.s, operand, &c, &counts));
    assert_int_equal(counts.expected.runs, 3); /* two halves of the row, and the other sub-tile unchanged */
    assert_int_equal(counts.splits.len, 1);
    assert_int_equal(counts.splits.at[0].tiles, 1);
    assert_int_equal(counts.splits.at[0].most_words, 64);
    assert_int_equal(counts.splits.at[0].corner[0][0] + counts.splits.at[0].corner[0][1], 0);
    assert_int_equal(counts.most_words, 32);
}

static tile_tensor one_entry(fixture *f, const char *name, uint32_t dim, uint32_t row, uint32_t col) {
    uint32_t *crd = arena_new_n(&f->mem, uint32_t, 2);
    uint16_t *val = arena_new(&f->mem, uint16_t);
    crd[0] = row;
    crd[1] = col;
    *val = 3;
    return (tile_tensor){.name = names_intern(&f->names, name),
                         .order = 2,
                         .dim = {dim, dim},
                         .nnz = 1,
                         .crd = crd,
                         .val = val};
}

static uint32_t words_of_copy(const tile_plan *plan, uint32_t run, uint32_t copy) {
    uint32_t words = 0;
    for (uint32_t i = 0; i < plan->inputs.len; i++) {
        uint32_t block = plan->run_block.at[plan->runs.at[run].block_first + i];
        words += plan->inputs.at[i].copy == copy ? plan->inputs.at[i].blocks.at[block].length : 0;
    }
    return words;
}

static void copies_get_sub_tiles_of_like_size(void **state) {
    fixture *f = *state;
    builder b;
    build(&b, f, "xi:s", (const char *const[]){"bi:s", "ci:s", "*", NULL}, "i");
    tile_tensor operand[3];
    for (uint32_t t = 1; t < 3; t++)
        assert_true(tile_generate("90:0.5", b.s.tensors.at[t].name, t, 1, TILE_DTYPE_INT16, &f->mem, &f->diag,
                                  &operand[t]));
    const tile_operands in = {.operand = operand, .n = 3};
    const tile_options options = {.tile = 9, .mem_words = 1024};
    name_id x = b.s.tensors.at[0].name, bn = b.s.tensors.at[1].name;
    const tile_stream inputs[] = {{.tensor = bn, .level = 0}},
                      outputs[] = {{.tensor = x, .level = SAM_MODE_VALS}};
    const tile_copy_stream all_in[] = {{{.tensor = bn, .level = 0}, 0}, {{.tensor = bn, .level = 0}, 1}},
                           all_out[] = {{{.tensor = x, .level = SAM_MODE_VALS}, 0},
                                        {{.tensor = x, .level = SAM_MODE_VALS}, 1}};
    tile_plan one, two;
    assert_true(plan_all(f, &b.s, &in, &options, inputs, outputs, 1, &one));
    tile_unroll(&one, 2, TILE_DISPATCH_ORDER, all_in, 2, all_out, 2, &f->mem, &two);
    assert_int_equal(two.runs.len, 5);
    for (uint32_t run = 0; run < 5; run++) {
        assert_int_equal(two.parts.at[2 * run].origin[0], 18 * run);
        assert_int_equal(two.parts.at[2 * run + 1].origin[0], 18 * run + 9);
    }
    tile_unroll(&one, 2, TILE_DISPATCH_LOAD, all_in, 2, all_out, 2, &f->mem, &two);
    uint32_t before = UINT32_MAX, sum = 0;
    for (uint32_t part = 0; part < 10; part++) {
        uint32_t words = words_of_copy(&two, part / 2, part % 2);
        assert_true(words <= before);
        before = words;
        sum += two.parts.at[part].origin[0];
    }
    assert_int_equal(sum, 9 * 45); /* each pair once */
    /* Ten sub-tiles are dealt to three groups in turn: the first copy has four. */
    const tile_options grouped = {.tile = 9, .mem_words = 1024, .dealt = b.s.loops.at[0], .groups = 3};
    const tile_copy_stream third_in[] = {all_in[0], all_in[1], {{.tensor = bn, .level = 0}, 2}},
                           third_out[] = {all_out[0], all_out[1], {{.tensor = x, .level = SAM_MODE_VALS}, 2}};
    assert_true(plan_all(f, &b.s, &in, &grouped, inputs, outputs, 1, &one));
    tile_unroll(&one, 3, TILE_DISPATCH_BANKS, third_in, 3, third_out, 3, &f->mem, &two);
    assert_int_equal(two.runs.len, 4);
    for (uint32_t part = 0; part < 12; part++) {
        const tile_part *p = &two.parts.at[part];
        sum -= p->idle ? 0 : p->origin[0];
        assert_true(p->idle ? part > 9 : p->origin[0] / 9 % 3 == part % 3);
    }
    assert_int_equal(sum, 0);
}

static void sub_tiles_without_work_are_skipped(void **state) {
    fixture *f = *state;
    builder b;
    build(&b, f, "Xij:ss", (const char *const[]){"Bik:ss", "Ckj:ss:10", "*", "Sk", NULL}, "ijk");
    tile_tensor operand[3] = {{.order = 0}, one_entry(f, "B", 64, 0, 40), one_entry(f, "C", 64, 40, 63)};
    assert_int_equal(check_plan(f, &b.s, operand, 8), 1);
    operand[2] = one_entry(f, "C", 64, 8, 63);
    assert_int_equal(check_plan(f, &b.s, operand, 8), 0);
}

/* A plan's expected cycles are the sum of its works, each at the cost of the table. */
static void expected_cycles_are_those_of_the_works(void **state) {
#define ARRAY(NAME, name, cycles, each) cycles,
    static const double cost[TILE_WORKS] = {
#include "tiling/costs.def"
    };
#undef ARRAY
    fixture *f = *state;
    builder b;
    build(&b, f, "Xij:ss", (const char *const[]){"Bik:ss", "Ckj:ss:10", "*", "Sk", NULL}, "ijk");
    tile_tensor operand[3] = {{.order = 0}};
    for (uint32_t t = 1; t < 3; t++) {
        assert_true(
            tile_generate("60x60:0.2", (name_id){0}, t, 1, TILE_DTYPE_INT16, &f->mem, &f->diag, &operand[t]));
        operand[t].name = names_intern(&f->names, t == 1 ? "B" : "C");
    }
    const tile_operands in = {operand, 3, TILE_DTYPE_INT16};
    for (int extended = 0; extended < 2; extended++) {
        const tile_options options = {.tile = 16, .mem_words = 1024, .vector_reducer = extended};
        tile_candidate plan = {0};
        assert_true(tile_expect(&b.s, &in, &options, &plan));
        const tile_forecast *e = &plan.expected;
        double sum = 0;
        for (uint32_t w = 0; w < TILE_WORKS; w++)
            sum += e->work[w] * cost[w];
        assert_true(e->cycles > 1000 && fabs(sum - e->cycles) < 1e-6 * e->cycles);
        assert_true(e->work[TILE_START] == (double)e->runs && e->work[TILE_LOOP] == 3 * (double)e->runs);
        assert_true(e->work[TILE_SCAN] + e->work[TILE_TOKEN] + e->work[TILE_FIBER] > (double)e->runs);
    }
    /* A split run passes a dense level to its end, and begins a fiber at each coordinate. */
    build(&b, f, "xi:d", (const char *const[]){"Bij:ds", "Sj", NULL}, "ij");
    tile_candidate whole = {0}, split = {0};
    tile_options options = {.tile = 64, .mem_words = 256};
    assert_true(
        tile_generate("64x2:1", (name_id){0}, 1, 1, TILE_DTYPE_INT16, &f->mem, &f->diag, &operand[1]));
    operand[1].name = names_intern(&f->names, "B");
    const tile_operands one = {operand, 2, TILE_DTYPE_INT16};
    assert_true(tile_expect(&b.s, &one, &options, &whole) && whole.expected.runs == 1);
    options.mem_words = 72; /* which B's segments just fit */
    assert_true(tile_expect(&b.s, &one, &options, &split) && split.expected.runs == 2);
    assert_true(split.expected.cycles > 1.5 * whole.expected.cycles);
}

static void what_no_split_helps_is_refused(void **state) {
    fixture *f = *state;
    builder b;
    build(&b, f, "Xij:ss", (const char *const[]){"Bij:dd", NULL}, "ij");
    tile_tensor operand[2];
    assert_true(
        tile_generate("40x40:1", (name_id){0}, 0, 1, TILE_DTYPE_INT16, &f->mem, &f->diag, &operand[1]));
    operand[1].name = names_intern(&f->names, "B");
    tile_operands in = {operand, 2, TILE_DTYPE_INT16};
    tile_options options = {.tile = 40, .mem_words = 1024};
    tile_plan plan;
    assert_false(plan_all(f, &b.s, &in, &options, NULL, NULL, 0, &plan));
    assert_int_equal(f->diag.unmappable, 1);
    assert_non_null(strstr(fixture_printed(f), "needs 1600 words of one memory tile, which holds 1024"));
    build(&b, f, "Xij:dd", (const char *const[]){"Bij:ss", NULL}, "ij");
    assert_false(plan_all(f, &b.s, &in, &options, NULL, NULL, 0, &plan));
    assert_non_null(strstr(fixture_printed(f), "of the result may need 1600 words"));
    const tile_options open = {.mem_words = 1024}, along = {.edge = {[1] = 7}, .mem_words = 1024};
    assert_int_equal(tile_edge(&b.s, &open, (sam_var){1}), 32);
    assert_int_equal(tile_edge(&b.s, &along, (sam_var){1}), 32);
    assert_int_equal(tile_edge(&b.s, &along, (sam_var){2}), 7);
    assert_int_equal(tile_longest(&b.s, &along, (const uint32_t[]){5, 100}), 7);
}

static void disagreeing_dimensions_are_refused(void **state) {
    fixture *f = *state;
    builder b;
    build(&b, f, "Xij:ss", (const char *const[]){"Bik:ss", "Ckj:ss:10", "*", "Sk", NULL}, "ijk");
    tile_tensor operand[3] = {{.order = 0}, one_entry(f, "B", 64, 0, 40), one_entry(f, "C", 65, 40, 63)};
    uint32_t *extent;
    assert_false(
        tile_extents(&b.s, &(tile_operands){operand, 3, TILE_DTYPE_INT16}, &f->mem, &f->diag, &extent));
    assert_non_null(strstr(fixture_printed(f), "index k runs to 65 in C but to 64 in B"));
}

/* A .tns file without entries says nothing about its size. */
static void an_index_of_unknown_extent_is_refused(void **state) {
    fixture *f = *state;
    builder b;
    build(&b, f, "Xij:ss", (const char *const[]){"Bij:ss", NULL}, "ij");
    tile_tensor operand[2] = {{.order = 0}, {.order = 2, .dim_inferred = true}};
    uint32_t *extent;
    assert_false(
        tile_extents(&b.s, &(tile_operands){operand, 2, TILE_DTYPE_INT16}, &f->mem, &f->diag, &extent));
    assert_string_equal(fixture_printed(f),
                        "onyx: error: no operand tells how far index i runs [E0321-no-extent]\n"
                        "    help: say so with -d i:SIZE, or in a program file by an operand that has i\n");
}

/* Plans x(i) = b(i), where b has eight values and no zero. */
static void plan_copy(fixture *f, builder *b, uint32_t edge, tile_tensor *operand, uint32_t **extent,
                      tile_plan *plan) {
    build(b, f, "xi:s", (const char *const[]){"bi:s", NULL}, "i");
    assert_true(tile_generate("8:1", (name_id){0}, 0, 1, TILE_DTYPE_INT16, &f->mem, &f->diag, operand));
    operand->name = names_intern(&f->names, "b");
    const tile_tensor operands[2] = {{.order = 0}, *operand};
    const tile_operands in = {operands, 2, TILE_DTYPE_INT16};
    const tile_options options = {.tile = edge, .mem_words = 1024};
    const name_id x = names_intern(&f->names, "x");
    tile_stream inputs[2] = {{.tensor = operand->name, .level = 0},
                             {.tensor = operand->name, .level = SAM_MODE_VALS}};
    tile_stream outputs[2] = {{.tensor = x, .level = 0}, {.tensor = x, .level = SAM_MODE_VALS}};
    assert_true(tile_extents(&b->s, &in, &f->mem, &f->diag, extent));
    assert_true(plan_all(f, &b->s, &in, &options, inputs, outputs, 2, plan));
}

static void corrupt_result_streams_are_refused(void **state) {
    fixture *f = *state;
    builder b;
    tile_tensor operand;
    tile_plan plan;
    uint32_t *extent;
    plan_copy(f, &b, 0, &operand, &extent, &plan);
    static const struct {
        uint16_t level[6];
        uint32_t n;
        uint16_t vals[3];
        bool good;
    } cases[] = {
        {{2, 0, 2, 2, 1, 7}, 6, {2, 5, 6}, true},       {{2, 0, 2, 2, 1, 7}, 6, {1, 5, 6}, false},
        {{2, 0, 3, 2, 1, 7}, 6, {2, 5, 6}, false},      {{3, 0, 2, 2, 1, 7}, 6, {2, 5, 6}, false},
        {{2, 0, 2, 2, 1, 7}, 5, {2, 5, 6}, false},      {{2, 0, 1, 2, 1, 7}, 6, {2, 5, 6}, false},
        {{2, 0, 2, 2, 1, 0xffff}, 6, {2, 5, 6}, false},
    };
    uint32_t broken = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        broken += !cases[i].good;
        tile_collector *c = tile_collect_begin(&b.s, &plan, extent, TILE_DTYPE_INT16, &f->mem);
        const uint16_t *words[2] = {cases[i].level, cases[i].vals};
        uint32_t lengths[2] = {cases[i].n, cases[i].vals[0] + 1u};
        if (tile_collect_run(c, 0, words, lengths, &f->diag) != cases[i].good)
            fail_msg("case %zu", i);
        tile_tensor out;
        assert_true(tile_collect_end(c, &f->mem, &out));
        assert_int_equal(f->diag.mismatches, broken);
    }
    assert_int_equal(f->diag.errors, 0);
    const uint16_t *words[2] = {cases[0].level, cases[0].vals};
    const uint32_t lengths[2] = {cases[0].n, cases[0].vals[0] + 1u};
    for (uint32_t i = 0; i < 2; i++) { /* a good answer, but more than was planned */
        tile_collector *c = tile_collect_begin(&b.s, &plan, extent, TILE_DTYPE_INT16, &f->mem);
        plan.runs.at[0].bound_words = i ? 5 : 6;
        plan.runs.at[0].bound_array = i ? 2 : 1;
        assert_false(tile_collect_run(c, 0, words, lengths, &f->diag));
        assert_int_equal(f->diag.mismatches, broken + i + 1);
    }
}

/* Appends a stream in the format of docs/dump.md: its length, and words in pairs. */
static void put_stream(fixture *f, const uint16_t *words, uint32_t n, u32_vec *out) {
    vec_push(&f->mem, out, n);
    for (uint32_t i = 0; i < n; i += 2)
        vec_push(&f->mem, out, words[i] | (i + 1 < n ? (uint32_t)words[i + 1] << 16 : 0));
}

static const char *put_words_file(fixture *f, const u32_vec *words, size_t bytes) {
    const char *path = ONYX_BINARY_DIR "/test_tiling_plan-result.bin";
    file_out out;
    assert_true(file_create(&out, path, &f->mem, &f->diag));
    fwrite(words->at, 1, bytes, out.stream);
    assert_true(file_commit(&out, &f->diag));
    return path;
}

/* Reads a result of `runs` runs; returns false for an invalid result. */
static bool read_result(fixture *f, const builder *b, const tile_plan *plan, const uint32_t *extent,
                        const char *path, uint64_t runs, tile_tensor *x, uint64_t *cycles) {
    tile_results r;
    tile_collector *c = tile_collect_begin(&b->s, plan, extent, TILE_DTYPE_INT16, &f->mem);
    bool good = tile_results_open(&r, path, runs, &f->diag);
    if (good)
        good = tile_results_close(&r, tile_results_collect(&r, plan, c, &f->diag), &f->diag);
    *cycles = r.cycles;
    assert_true(tile_collect_end(c, &f->mem, x));
    return good;
}

/* A job's file has the plan's words, and a result that returns these words is the operand; a truncated,
 * extended or foreign result is refused. */
static void jobs_and_results_are_files(void **state) {
    fixture *f = *state;
    builder b;
    tile_tensor operand, x;
    tile_plan plan;
    uint32_t *extent;
    uint64_t cycles;
    plan_copy(f, &b, 4, &operand, &extent, &plan);
    assert_int_equal(plan.runs.len, 2);
    u32_vec job = {0}, result = {0};
    const uint32_t job_head[] = {
        0x4a584e4f, 1, 2, 2, plan.outputs.at[0].num_blocks, plan.outputs.at[1].num_blocks, 4};
    const uint32_t result_head[] = {0x52584e4f, 1, 2, 2};
    for (size_t i = 0; i < sizeof job_head / sizeof *job_head; i++)
        vec_push(&f->mem, &job, job_head[i]);
    for (size_t i = 0; i < sizeof result_head / sizeof *result_head; i++)
        vec_push(&f->mem, &result, result_head[i]);
    for (uint32_t twice = 0; twice < 2; twice++) {
        for (uint32_t run = 0; run < 2; run++) {
            if (!twice) {
                vec_push(&f->mem, &result, 100 + run); /* cycles */
                vec_push(&f->mem, &result, 2);
            }
            for (uint32_t i = 0; i < 2; i++) {
                const tile_block *block =
                    &plan.inputs.at[i].blocks.at[plan.run_block.at[plan.runs.at[run].block_first + i]];
                assert_int_equal(block->length, i ? 5 : 8);
                put_stream(f, plan.words.at + block->first, block->length, &job);
                if (!twice)
                    put_stream(f, plan.words.at + block->first, block->length, &result);
            }
        }
    }
    const char *path = ONYX_BINARY_DIR "/test_tiling_plan-job.bin";
    tile_job j;
    for (uint32_t keep = 0; keep < 2; keep++) {
        remove(path);
        assert_true(tile_job_begin(&j, path, false, &f->diag));
        for (uint32_t plans = 0; plans < 2; plans++)
            tile_job_add(&j, &plan);
        assert_int_equal(tile_job_end(&j, keep, &f->diag), keep);
        assert_int_equal(access(path, F_OK), keep ? 0 : -1);
    }
    size_t length;
    const char *bytes = file_read(path, &f->mem, &length, &f->diag);
    assert_non_null(bytes);
    assert_int_equal(length, 4 * job.len);
    assert_memory_equal(bytes, job.at, length);

    const size_t whole = 4 * (size_t)result.len;
    assert_true(read_result(f, &b, &plan, extent, put_words_file(f, &result, whole), 2, &x, &cycles));
    assert_int_equal(cycles, 201 + (UINT64_C(4) << 32));
    assert_int_equal(x.nnz, 8);
    assert_memory_equal(x.crd, operand.crd, sizeof *x.crd * 8);
    assert_memory_equal(x.val, operand.val, sizeof *x.val * 8);
    assert_int_equal(f->diag.errors, 0);
    assert_false(read_result(f, &b, &plan, extent, put_words_file(f, &result, whole), 3, &x, &cycles));
    vec_push(&f->mem, &result, 0);
    uint32_t refused = 1;
    for (size_t n = 0; n <= whole + 4; n += n < 16 || n > whole ? 1 : 2) {
        if (n != whole) {
            assert_false(read_result(f, &b, &plan, extent, put_words_file(f, &result, n), 2, &x, &cycles));
            refused++;
        }
    }
    for (uint32_t i = 0; i < 4; i++) {
        result.at[i]++;
        assert_false(read_result(f, &b, &plan, extent, put_words_file(f, &result, whole), 2, &x, &cycles));
        result.at[i]--;
        refused++;
    }
    assert_int_equal(f->diag.errors, refused);
    assert_non_null(strstr(fixture_printed(f), "is not a complete result of this job [E0342-job-result]"));
}

/* ---- --tile auto ----------------------------------------------------------------------------- */

static void generate_both(fixture *f, const builder *b, const char *first, const char *second,
                          tile_tensor *operand) {
    for (uint32_t t = 1; t < 3; t++)
        assert_true(tile_generate(t == 1 ? first : second, b->s.tensors.at[t].name, t, 1, TILE_DTYPE_INT16,
                                  &f->mem, &f->diag, &operand[t]));
}

static void assert_within(const sam_statement *s, const uint32_t *edge, const uint32_t *widest) {
    for (uint32_t v = 0; v < s->vars.len; v++)
        assert_true(edge[v] > 0 && edge[v] <= widest[v]);
}

/* No edge exceeds the kernel's limits: no chosen edge makes lowering fail (E0417), and the counted plan is
 * the returned plan. */
static void chosen_edges_are_within_their_limits(void **state) {
    fixture *f = *state;
    static const uint32_t limits[][3] = {{32768, 32768, 32768}, {32768, 256, 1024}, {3, 20, 1}};
    builder b;
    build(&b, f, "Xij:ss", (const char *const[]){"Bik:ss", "Ckj:ss:10", "*", "Sk", NULL}, "ijk");
    tile_tensor operand[3];
    const tile_operands in = {.operand = operand, .n = 3};
    generate_both(f, &b, "200x200:0.03", "200x200:0.03", operand);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        tile_options options = {.mem_words = 1024, .bank_words = 65536};
        tile_candidates tried;
        tile_candidate chosen = tile_choose(&b.s, &in, &options, limits[i], &f->mem, &tried), again = {0};
        assert_true(chosen.complete && tried.len > 1);
        for (uint32_t c = 0; c < tried.len; c++)
            assert_within(&b.s, tried.at[c].edge, limits[i]);
        assert_within(&b.s, chosen.edge, limits[i]);
        memcpy(options.edge, chosen.edge, sizeof options.edge);
        assert_true(tile_expect(&b.s, &in, &options, &again) && again.complete);
        assert_memory_equal(&again.expected, &chosen.expected, sizeof chosen.expected);
    }
    operand[2].dim[0] = 300; /* of k, whose extent in B is 200: no plan exists */
    tile_candidates tried;
    const tile_options options = {.mem_words = 4096};
    const uint32_t narrow[3] = {5, 6, 7};
    tile_candidate chosen = tile_choose(&b.s, &in, &options, narrow, &f->mem, &tried);
    assert_true(!chosen.complete && tried.len == 0);
    assert_within(&b.s, chosen.edge, narrow);
}

/* ---- choosing unasked -------------------------------------------------------------------------- */

/* Large operands are not cut as a whole: a sample's estimate approximates the whole. */
static void a_bounded_choice_estimates_the_whole(void **state) {
    fixture *f = *state;
    enum { STEPS = 1 << 20 };
    static const uint32_t widest[] = {32768, 32768};
    builder b;
    build(&b, f, "xi:s", (const char *const[]){"Bij:ss", "cj:s", "*", "Sj", NULL}, "ij");
    tile_tensor operand[3];
    const tile_operands in = {.operand = operand, .n = 3};
    generate_both(f, &b, "20000x30000:0.0005", "30000:0.5", operand);
    tile_options options = {.mem_words = 1024, .bank_words = 65536, .steps = STEPS};
    tile_candidates tried, again;
    const tile_candidate chosen = tile_choose(&b.s, &in, &options, widest, &f->mem, &tried),
                         same = tile_choose(&b.s, &in, &options, widest, &f->mem, &again);
    assert_true(!chosen.complete && tried.len > 4 && tried.len == again.len);
    assert_memory_equal(chosen.edge, same.edge, sizeof *chosen.edge * TILE_MAX_VARS);
    assert_true(chosen.predicted <= same.predicted && chosen.predicted >= same.predicted);
    tile_candidate all = {0};
    memcpy(options.edge, chosen.edge, sizeof options.edge);
    options.steps = 0;
    assert_true(tile_expect(&b.s, &in, &options, &all) && all.complete);
    assert_true(chosen.predicted > 0.7 * all.predicted && chosen.predicted < 1.4 * all.predicted);
    /* A sample common to several choices gives about the same estimate; small operands have no sample. */
    tile_operands part, none;
    options = (tile_options){.mem_words = 1024, .bank_words = 65536, .steps = STEPS};
    assert_true(tile_share_sample(&b.s, &in, &f->mem, &part, &options.share));
    const uint64_t entries = part.operand[1].nnz + part.operand[2].nnz;
    assert_true(entries > TILE_SHARED_SAMPLE / 4 && entries < TILE_SHARED_SAMPLE / 4 * 5);
    const tile_candidate shared = tile_choose(&b.s, &part, &options, widest, &f->mem, &tried);
    assert_true(options.share > 0 && options.share < 1 && !shared.complete);
    assert_true(shared.predicted > 0.7 * all.predicted && shared.predicted < 1.4 * all.predicted);
    generate_both(f, &b, "100x100:0.5", "100:0.5", operand);
    assert_false(tile_share_sample(&b.s, &in, &f->mem, &none, &options.share));
}

/* A sample is cut along each loop once, starting with the loop of most entries, until small enough; of a full
 * matrix the sample has its share, and adjacent coordinates within a block. */
static void a_sample_is_cut_along_each_loop_once(void **state) {
    fixture *f = *state;
    enum { ROWS = 64, COLUMNS = 48, BLOCKS = 8 };
    builder b;
    build(&b, f, "Xij:ss", (const char *const[]){"Bij:ss", NULL}, "ij");
    tile_tensor operand[2] = {0}, *t = &operand[1];
    const tile_operands in = {.operand = operand, .n = 2};
    uint32_t *crd = arena_new_n(&f->mem, uint32_t, 2 * ROWS * COLUMNS);
    uint16_t *val = arena_new_n(&f->mem, uint16_t, ROWS * COLUMNS);
    for (uint32_t e = 0; e < ROWS * COLUMNS; e++) {
        crd[2 * e] = e / COLUMNS;
        crd[2 * e + 1] = e % COLUMNS;
        val[e] = (uint16_t)e;
    }
    *t = (tile_tensor){.name = b.s.tensors.at[1].name,
                       .order = 2,
                       .dim = {ROWS, COLUMNS},
                       .nnz = ROWS * COLUMNS,
                       .crd = crd,
                       .val = val};
    static const struct {
        uint64_t most;
        uint32_t rows, columns; /* that are left */
    } cases[] = {{4000, ROWS, COLUMNS}, {2000, 32, COLUMNS}, {300, 8, 32}, {100, 8, 8}, {1, 8, 8}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        tile_sampled of;
        tile_sample(&b.s, &in, cases[k].most, &f->mem, &of);
        const tile_tensor *part = &of.in.operand[1];
        const uint32_t rows = cases[k].rows, columns = cases[k].columns;
        assert_int_equal(part->dim[0], rows);
        assert_int_equal(part->dim[1], columns);
        assert_int_equal(part->nnz, rows * columns);
        assert_true(fabs(of.share * ROWS * COLUMNS - rows * columns) < 1e-6);
        for (uint32_t e = 0; e < part->nnz; e++) {
            const uint32_t wide = rows == ROWS ? ROWS : rows / BLOCKS, i = e / columns;
            assert_int_equal(part->crd[2 * e], i);
            assert_int_equal(part->crd[2 * e + 1], e % columns);
            if (i % wide)
                assert_int_equal(part->val[e], part->val[e - columns] + COLUMNS);
        }
    }
}

/* Edges stated by the user stay. */
static void stated_edges_stay(void **state) {
    fixture *f = *state;
    static const uint32_t widest[] = {32768, 32768, 32768};
    builder b;
    build(&b, f, "Xij:ss", (const char *const[]){"Bik:ss", "Ckj:ss:10", "*", "Sk", NULL}, "ijk");
    tile_tensor operand[3];
    const tile_operands in = {.operand = operand, .n = 3};
    generate_both(f, &b, "100x100:0.03", "100x100:0.03", operand);
    tile_options options = {.mem_words = 1024, .bank_words = 65536, .edge = {0, 7}, .steps = 1 << 20};
    tile_candidates tried;
    const tile_candidate chosen = tile_choose(&b.s, &in, &options, widest, &f->mem, &tried);
    for (uint32_t c = 0; c < tried.len; c++)
        assert_int_equal(tried.at[c].edge[1], 7);
    assert_int_equal(chosen.edge[1], 7);
}

/* A workspace is expected where the reference has values; of too many only some, but along k all. */
static void workspaces_are_expected_where_they_are(void **state) {
    fixture *f = *state;
    builder b;
    build(&b, f, "Wkij:sss", (const char *const[]){"Bik:ss", "Ckj:ss", "*", NULL}, "kij");
    tile_tensor operand[3], want, got;
    const tile_operands in = {.operand = operand, .n = 3};
    double share = 0;
    for (uint32_t large = 0; large < 2; large++) {
        const char *spec = large ? "2000x2000:0.01" : "60x60:0.05";
        generate_both(f, &b, spec, spec, operand);
        assert_true(tile_workspace(&b.s, &in, large, &f->mem, &got, &share));
        if (large)
            break;
        assert_true(tile_reference(&b.s, &in, &f->mem, &f->diag, &want));
        assert_int_equal(got.nnz, want.nnz);
        assert_memory_equal(got.crd, want.crd, sizeof *got.crd * got.nnz * got.order);
        assert_true(share > 0.99 && share < 1.01);
    }
    /* 0.01 x 0.01 x 2000^3 of all */
    assert_true(share < 1 && got.dim[0] == 2000 && got.nnz <= 1 << 17);
    assert_true((double)got.nnz > 0.8 * share * 8e5 && (double)got.nnz < 1.2 * share * 8e5);
    /* An operand read in two ways is sampled for each way. */
    sam_tensor first = {0};
    for (uint32_t e = 0; e < b.s.exprs.len; e++) {
        sam_expr_data *x = &b.s.exprs.at[e];
        if (x->kind == SAM_EXPR_ACCESS)
            first = x->tensor = first.v ? first : x->tensor;
    }
    double products = 0, in_column[2000] = {0}, in_row[2000] = {0};
    const tile_tensor *squared = &operand[first.v - 1];
    for (uint64_t e = 0; e < squared->nnz; e++) {
        in_row[squared->crd[2 * e]]++;
        in_column[squared->crd[2 * e + 1]]++;
    }
    for (uint32_t k = 0; k < 2000; k++)
        products += in_column[k] * in_row[k];
    assert_true(tile_workspace(&b.s, &in, 1, &f->mem, &got, &share));
    assert_true(share < 1 && got.dim[0] == 2000 && got.nnz > 1 << 14 && got.nnz <= 1 << 17);
    assert_true(fabs((double)got.nnz - share * products) < 1e-6 * products);
}

enum { MET = 64, HUB = 3 };

static tile_tensor met_tensor(fixture *f, name_id name, const uint32_t *crd, uint64_t n) {
    uint16_t *val = arena_new_n(&f->mem, uint16_t, n);
    for (uint64_t e = 0; e < n; e++)
        val[e] = 1;
    return (tile_tensor){.name = name, .order = 2, .dim = {MET, MET}, .nnz = n, .crd = crd, .val = val};
}

/* Two operands of a product have their long fibers at the same coordinate: all products are expected. */
static void products_by_a_hub_are_expected(void **state) {
    fixture *f = *state;
    enum { LONG = 50 };
    builder b;
    build(&b, f, "Wkij:sss", (const char *const[]){"Bik:ss:10", "Ckj:ss", "*", NULL}, "kij");
    uint32_t *in_column = arena_new_n(&f->mem, uint32_t, 4 * MET),
             *in_row = arena_new_n(&f->mem, uint32_t, 4 * MET);
    uint64_t n = 0, m = 0, products = (uint64_t)LONG * LONG;
    for (uint32_t i = 0; i < MET; i++) { /* the hub, and a diagonal next to it */
        const uint32_t k = i < LONG ? HUB : i;
        in_column[n++] = i;
        in_column[n++] = k;
        for (uint32_t j = 0; i == HUB && j < LONG; j++) {
            in_row[m++] = HUB;
            in_row[m++] = j;
        }
        if (i >= LONG) {
            in_row[m++] = i;
            in_row[m++] = i;
            products++;
        }
    }
    tile_tensor operand[3] = {{.order = 0}};
    for (uint32_t t = 1; t < 3; t++) {
        const bool is_b = strcmp(names_text(b.s.names, b.s.tensors.at[t].name), "B") == 0;
        operand[t] = met_tensor(f, b.s.tensors.at[t].name, is_b ? in_column : in_row, (is_b ? n : m) / 2);
    }
    const tile_operands in = {.operand = operand, .n = 3};
    const tile_options options = {.mem_words = 1 << 14, .bank_words = 1 << 16, .edge = {MET, MET, MET}};
    tile_candidate whole = {0};
    assert_true(tile_expect(&b.s, &in, &options, &whole) && whole.expected.runs == 1);
    const double written = whole.expected.work[TILE_WRITE];
    assert_true(written > 0.8 * (double)products && written < 1.2 * (double)products);
}

/* Rows present in only one of two operands cost no work, though each operand has half of all rows. */
static void operands_that_do_not_meet_take_no_work(void **state) {
    fixture *f = *state;
    builder b;
    build(&b, f, "Wijk:sss", (const char *const[]){"Bik:ss", "Dij:ss", "*", NULL}, "ijk");
    uint32_t *crd[2] = {arena_new_n(&f->mem, uint32_t, 2 * MET), arena_new_n(&f->mem, uint32_t, 2 * MET)};
    for (uint32_t e = 0; e < MET; e++) {
        crd[0][2 * e] = e / 2;
        crd[1][2 * e] = e / 2 + MET / 2;
        crd[0][2 * e + 1] = crd[1][2 * e + 1] = e;
    }
    for (uint32_t meet = 0; meet < 2; meet++) {
        const tile_tensor operand[3] = {{.order = 0},
                                        met_tensor(f, b.s.tensors.at[1].name, crd[0], MET),
                                        met_tensor(f, b.s.tensors.at[2].name, crd[!meet], MET)};
        const tile_operands in = {.operand = operand, .n = 3};
        const tile_options options = {.mem_words = 1024, .bank_words = 1 << 16, .edge = {MET, MET, MET}};
        tile_candidate whole = {0};
        assert_true(tile_expect(&b.s, &in, &options, &whole));
        const double written = whole.expected.work[TILE_WRITE];
        assert_true(meet ? written > MET : written < 1);
    }
}

RUN_TESTS(TEST(products_by_a_hub_are_expected), TEST(operands_that_do_not_meet_take_no_work),
          TEST(a_sample_is_cut_along_each_loop_once), TEST(a_bounded_choice_estimates_the_whole),
          TEST(stated_edges_stay), TEST(workspaces_are_expected_where_they_are),
          TEST(plans_compute_what_the_statement_says), TEST(tensors_of_the_highest_order),
          TEST(every_variable_may_have_its_own_edge), TEST(copies_get_sub_tiles_of_like_size),
          TEST(sub_tiles_without_work_are_skipped), TEST(expected_cycles_are_those_of_the_works),
          TEST(what_no_split_helps_is_refused), TEST(what_does_not_fit_is_split),
          TEST(results_are_as_long_as_planned), TEST(tiles_for_the_global_buffer_come_one_by_one),
          TEST(only_what_is_too_full_is_split), TEST(tiles_for_the_global_buffer_save_loads),
          TEST(disagreeing_dimensions_are_refused), TEST(an_index_of_unknown_extent_is_refused),
          TEST(corrupt_result_streams_are_refused), TEST(jobs_and_results_are_files),
          TEST(chosen_edges_are_within_their_limits))
