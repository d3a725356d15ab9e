#include "tests/frontend/schedule_cases.h"

quota schedule_data;

/* ---- kernels on data ------------------------------------------------------------------------- */

/* The tensors available while the kernels run, by name: the user's operands and the workspaces made up to
 * now. */
typedef struct {
    name_id name[DENSE_MAX_TENSORS];
    dense_tensor *tensor[DENSE_MAX_TENSORS];
    uint32_t n;
    dense_data *stored_tensors; /* room for the tensors of the running kernel */
} store;

static dense_tensor *stored(const store *all, name_id name) {
    for (uint32_t i = 0; i < all->n; i++) {
        if (name_eq(all->name[i], name))
            return all->tensor[i];
    }
    fail_msg("nothing holds a tensor");
    return NULL;
}

/* The cell of a tensor of the user's, or the next; false at the end. at[] counts from the last mode. */
static bool next_cell(const dense_tensor *t, uint32_t order, uint32_t *at) {
    for (uint32_t m = order; m-- > 0;) {
        if (++at[m] < t->dim[m])
            return true;
        at[m] = 0;
    }
    return false;
}

static uint32_t cell_at(const dense_tensor *t, uint32_t order, const uint32_t *at) {
    uint32_t cell = 0;
    for (uint32_t m = 0; m < order; m++)
        cell = cell * t->dim[m] + at[m];
    return cell;
}

/* Position of a source's coordinates in the view; false: the view leaves the coordinates out. */
static bool seen_at(const sam_tensor_data *t, const uint32_t *from, uint32_t *at) {
    const sam_view *view = &t->view;
    for (uint32_t m = 0; view->source.v && m < view->source_order; m++) {
        if (from[m] != from[view->equal[m]])
            return false;
    }
    for (uint32_t v = 0; v < t->order; v++) {
        uint32_t fused = 0;
        for (uint32_t m = 0; view->source.v && m < view->source_order; m++)
            fused += view->fused[m].onto == view->from[v].mode ? from[m] * view->fused[m].times : 0;
        at[v] = from[view->source.v ? view->from[v].mode : v];
        if (view->source.v)
            at[v] = (view->fused[view->from[v].mode].times ? fused : at[v]) / view->from[v].divide;
        if (view->source.v && view->from[v].modulo)
            at[v] %= view->from[v].modulo;
    }
    return true;
}

static void set_dims(const sam_tensor_data *t, const dense_tensor *source, dense_tensor *out) {
    out->cells = 1;
    for (uint32_t v = 0; v < t->order; v++) {
        uint32_t dim = source->dim[t->view.source.v ? t->view.from[v].mode : v];
        if (t->view.source.v) {
            uint32_t divide = t->view.from[v].divide, modulo = t->view.from[v].modulo,
                     times = t->view.fused[t->view.from[v].mode].times;
            dim *= times ? times : 1;
            dim = modulo ? modulo : (dim + divide - 1) / divide;
        }
        out->dim[v] = dim;
        out->cells *= dim;
    }
    assert_true(out->cells <= DENSE_MAX_CELLS);
}

/* The dense operand t of a kernel; ones have the dimensions of their variables. */
static void load(const scheduled_kernel *l, sam_tensor handle, const store *all, const uint32_t *dim_of_var,
                 dense_tensor *out) {
    const sam_tensor_data *t = sam_tensor_at(&l->s, handle);
    memset(out, 0, sizeof *out);
    if (t->ones) {
        out->cells = 1;
        for (uint32_t e = 0; e < l->s.exprs.len; e++) {
            const sam_expr_data *x = &l->s.exprs.at[e];
            for (uint32_t m = 0; x->kind == SAM_EXPR_ACCESS && x->tensor.v == handle.v && m < t->order; m++)
                out->dim[m] = dim_of_var[x->index[m].v - 1];
        }
        for (uint32_t m = 0; m < t->order; m++)
            out->cells *= out->dim[m];
        uint32_t at[SAM_MAX_ORDER] = {0};
        do {
            bool one = true; /* a compressed level has coordinate 0 only */
            for (uint32_t level = 0; level < t->order; level++)
                one = one && (t->level[level] == SAM_LEVEL_DENSE || at[t->mode[level]] == 0);
            out->at[cell_at(out, t->order, at)] = one;
        } while (next_cell(out, t->order, at));
        return;
    }
    const dense_tensor *source = stored(all, t->view.source.v ? t->view.source : t->name);
    uint32_t from[SAM_MAX_ORDER] = {0}, at[SAM_MAX_ORDER] = {0};
    uint32_t order = t->view.source.v ? t->view.source_order : t->order;
    set_dims(t, source, out);
    do {
        if (seen_at(t, from, at))
            out->at[cell_at(out, t->order, at)] = source->at[cell_at(source, order, from)];
    } while (next_cell(source, order, from));
}

static void find_dims(const scheduled_kernel *l, const store *all, uint32_t *dim_of_var) {
    for (uint32_t v = 0; v < l->s.vars.len; v++)
        dim_of_var[v] = l->s.vars.at[v].extent;
    for (uint32_t e = 0; e < l->s.exprs.len; e++) {
        const sam_expr_data *x = &l->s.exprs.at[e];
        dense_tensor dims;
        if (x->kind != SAM_EXPR_ACCESS || sam_tensor_at(&l->s, x->tensor)->ones)
            continue;
        const sam_tensor_data *t = sam_tensor_at(&l->s, x->tensor);
        set_dims(t, stored(all, t->view.source.v ? t->view.source : t->name), &dims);
        for (uint32_t m = 0; m < t->order; m++)
            dim_of_var[x->index[m].v - 1] = dims.dim[m];
    }
}

/* Moves the writers' output into the user's tensor `out`; every stored coordinate occurs once. */
static void unload(const sam_tensor_data *t, const sam_sim_result *r, uint32_t level, uint32_t fiber,
                   uint32_t *at, const dense_tensor *shape, dense_tensor *out) {
    if (level == t->order) {
        uint32_t to[SAM_MAX_ORDER] = {0}, order = t->view.source.v ? t->view.source_order : t->order;
        assert_true(fiber < r->result.n_vals);
        for (uint32_t v = 0; v < t->order; v++) {
            if (t->view.source.v)
                to[t->view.from[v].mode] += at[v] * t->view.from[v].divide;
            else
                to[v] = at[v];
        }
        for (uint32_t m = order; t->view.source.v && m-- > 0;) {
            if (t->view.fused[m].extent)
                to[m] = to[t->view.fused[m].onto] / t->view.fused[m].times % t->view.fused[m].extent;
        }
        for (uint32_t m = 0; t->view.source.v && m < order; m++)
            to[m] /= t->view.fused[m].times && !t->view.fused[m].extent ? t->view.fused[m].times : 1;
        for (uint32_t m = 0; t->view.source.v && m < order; m++)
            to[m] = to[t->view.equal[m]];
        for (uint32_t m = 0; m < order; m++) {
            if (to[m] >= out->dim[m])
                return; /* padding */
        }
        out->at[cell_at(out, order, to)] = r->result.vals[fiber];
        return;
    }
    const sam_level_data *data = &r->result.level[level];
    uint32_t mode = t->mode[level], dim = shape->dim[mode];
    bool dense = t->level[level] == SAM_LEVEL_DENSE;
    if (!dense)
        assert_true(fiber + 1 < data->n_seg);
    uint32_t from = dense ? fiber * dim : data->seg[fiber], to = dense ? from + dim : data->seg[fiber + 1];
    for (uint32_t p = from; p < to; p++) {
        at[mode] = dense ? p - from : data->crd[p];
        assert_true(at[mode] < dim);
        unload(t, r, level + 1, p, at, shape, out);
    }
}

static void run_kernel(fixture *f, const fe_case *c, const scheduled_kernel *l, const store *all, arena *mem,
                       dense_tensor *out) {
    const sam_statement *s = &l->s;
    dense_data *data = all->stored_tensors;
    uint32_t dims[64] = {0}, at[SAM_MAX_ORDER] = {0}, n = 0;
    sam_tensor_levels operands[DENSE_MAX_TENSORS];
    dense_tensor *shape = arena_new(mem, dense_tensor);
    sam_sim_result result;
    find_dims(l, all, dims);
    for (uint32_t t = 2; t <= s->tensors.len; t++) {
        load(l, (sam_tensor){t}, all, dims, &data->tensor[t - 1]);
        operands[n++] = dense_to_levels(s, data, (sam_tensor){t}, mem);
    }
    if (!sam_simulate(&l->g, operands, n, NULL, &f->diag, &result))
        fail_msg("%s -s %s\n%s", c->expression, c->schedule, fixture_printed(f));
    const sam_tensor_data *t = sam_tensor_at(s, s->result);
    for (uint32_t m = 0; m < t->order; m++)
        shape->dim[m] = dims[s->result_index[m].v - 1];
    unload(t, &result, 0, 0, at, shape, out);
}

/* The shape of a workspace: the dimensions of its variables, which have the producer's names. */
static void shape_workspace(const fe_kernel *k, const store *all, dense_tensor *out) {
    const sam_statement *s = &k->s;
    out->cells = 1;
    for (uint32_t m = 0; m < sam_tensor_at(s, s->result)->order; m++) {
        for (uint32_t e = 0; e < s->exprs.len; e++) {
            const sam_expr_data *x = &s->exprs.at[e];
            for (uint32_t i = 0; x->kind == SAM_EXPR_ACCESS && i < sam_tensor_at(s, x->tensor)->order; i++) {
                if (x->index[i].v == s->result_index[m].v)
                    out->dim[m] = stored(all, sam_tensor_at(s, x->tensor)->name)->dim[i];
            }
        }
        out->cells *= out->dim[m];
    }
    assert_true(out->cells <= DENSE_MAX_CELLS);
}

/* All kernels on random data of every size and density; false if the schedule is right and not lowered. */
bool expect_equal_if_lowered(fixture *f, fe_case c, uint32_t runs) {
    sam_statement s;
    fe_cin cin;
    scheduled_kernel kernel[4];
    if (!fe_case_schedule(f, &c, &s, &cin))
        fail_msg("%s -s %s\n%s", c.expression, c.schedule, fixture_printed(f));
    assert_true(cin.kernels.len <= 4);
    for (uint32_t n = 0; n < cin.kernels.len; n++) {
        if (scheduled_lower(f, &cin.kernels.at[n], &kernel[n]))
            continue;
        if (f->diag.errors)
            fail_msg("%s -s %s\n%s", c.expression, c.schedule, fixture_printed(f));
        return false;
    }
    dense_data *room = calloc(2, sizeof *room), *data = &room[0];
    prng random = prng_seed(s.exprs.len + 64 * s.tensors.len);
    for (uint32_t run = 0; run < runs; run++) {
        arena mem = {0};
        store all = {.n = s.tensors.len - 1, .stored_tensors = &room[1]};
        dense_random(&s, &random, 1 + run % 7, (uint32_t[]){20, 50, 90, 0, 35, 70, 10, 90, 50, 5}[run % 10],
                     data);
        dense_evaluate(&s, data);
        quota_add(&schedule_data, true, dense_is_constant(data));
        for (uint32_t t = 1; t < s.tensors.len; t++) {
            all.name[t - 1] = s.tensors.at[t].name;
            all.tensor[t - 1] = &data->tensor[t];
        }
        for (uint32_t n = 0; n < cin.kernels.len; n++) {
            dense_tensor *out = arena_new(&mem, dense_tensor);
            bool last = n + 1 == cin.kernels.len;
            if (last)
                memcpy(out->dim, data->tensor[0].dim, sizeof out->dim);
            else
                shape_workspace(&cin.kernels.at[n], &all, out);
            run_kernel(f, &c, &kernel[n], &all, &mem, out);
            all.name[all.n] = sam_tensor_at(&cin.kernels.at[n].s, cin.kernels.at[n].s.result)->name;
            all.tensor[all.n++] = out;
            for (uint32_t cell = 0; last && cell < data->tensor[0].cells; cell++) {
                if (out->at[cell] != data->tensor[0].at[cell])
                    fail_msg("%s -s %s: run %u, cell %u: %u, expected %u", c.expression, c.schedule, run,
                             cell, out->at[cell], data->tensor[0].at[cell]);
            }
        }
        arena_free(&mem);
    }
    free(room);
    return true;
}

void expect_equal(fixture *f, fe_case c) {
    if (!expect_equal_if_lowered(f, c, 15))
        fail_msg("%s -s %s\n%s", c.expression, c.schedule, fixture_printed(f));
}

void expect_all_equal(fixture *f, const char *expression, const char *const *schedule, size_t n) {
    for (size_t i = 0; i < n; i++)
        expect_equal(f, (fe_case){.expression = expression, .schedule = schedule[i]});
}
