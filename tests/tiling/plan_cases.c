#include "tests/tiling/plan_cases.h"

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
sam_tensor tensor(builder *b, const char *spec, sam_var *index) {
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
void build(builder *b, fixture *f, const char *result, const char *const *words, const char *loops) {
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
            assert_true(!plan->boxes.at[run * c->copies + copy].idle || run + 1 == plan->runs.len);
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
            if (plan->boxes.at[run * c->copies + plan->outputs.at[o].copy].idle)
                lengths[o] = 0; /* malformed, if anybody read it */
        }
        if (!tile_collect_run(collector, run, words, lengths, &f->diag))
            fail_msg("%s", fixture_printed(f));
    }
}

/* Plans, runs all batches, and compares with both evaluations. False: refused, for want of capacity. */
bool try_plan(fixture *f, const sam_statement *s, const tile_tensor *operand, const plan_case *c,
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
    assert_true(counts->tile_pairs <= counts->possible && (counts->splits.len || runs == counts->tile_pairs));
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
uint32_t check_case(fixture *f, const sam_statement *s, const tile_tensor *operand, const plan_case *c) {
    tile_counts counts;
    if (!try_plan(f, s, operand, c, &counts))
        fail_msg("%s", fixture_printed(f));
    return (uint32_t)counts.expected.runs;
}

uint32_t check_plan(fixture *f, const sam_statement *s, const tile_tensor *operand, uint32_t edge) {
    const plan_case c = {.tiling = {.tile = edge, .mem_words = 1024}, .copies = 1};
    return check_case(f, s, operand, &c);
}

/* Operands of kernel k: extents and density by variant. */
void make_operands(fixture *f, builder *b, size_t k, uint32_t variant, tile_tensor *operand) {
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

/* X(i,j) = sum over k of B(i,k) * C(k,j) with full operands of 20 x 20. */
void build_full_product(builder *b, fixture *f, tile_tensor *operand) {
    build(b, f, "Xij:ss", (const char *const[]){"Bik:ss", "Ckj:ss:10", "*", "Sk", NULL}, "ijk");
    for (uint32_t t = 1; t < 3; t++)
        assert_true(tile_generate("20x20:1", b->s.tensors.at[t].name, t, 1, TILE_DTYPE_INT16, &f->mem,
                                  &f->diag, &operand[t]));
}

/* The whole plan at once, of a kernel with `n` streams each way. */
bool plan_all(fixture *f, const sam_statement *s, const tile_operands *in, const tile_options *options,
              const tile_stream *inputs, const tile_stream *outputs, uint32_t n, tile_plan *out) {
    tile_planner *p = tile_plan_begin(s, in, options, inputs, n, outputs, n, &f->mem, &f->diag);
    if (!p)
        return false;
    bool good = tile_plan_next(p, 0, &f->mem, out) != TILE_FAILED;
    tile_plan_end(p);
    return good;
}

tile_tensor one_entry(fixture *f, const char *name, uint32_t dim, uint32_t row, uint32_t col) {
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
