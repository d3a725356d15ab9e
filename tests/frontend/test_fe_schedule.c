/* frontend/: schedules. Every command lowers to kernels that compute the unscheduled statement, on random
 * data. */
#include "frontend/language/language.h"
#include "frontend/lowering/lowering.h"
#include "frontend/schedules/schedules.h"
#include "tests/frontend/dense.h"
#include "tests/frontend/lowered.h"
#include "tests/frontend/scheduled.h"

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
static bool expect_equal_if_lowered(fixture *f, fe_case c, uint32_t runs) {
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
        dense_random(&s, &random, 1 + run % 7, (uint32_t[]){5, 20, 50, 90, 0}[run % 5], data);
        dense_evaluate(&s, data);
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

static void expect_equal(fixture *f, fe_case c) {
    if (!expect_equal_if_lowered(f, c, 15))
        fail_msg("%s -s %s\n%s", c.expression, c.schedule, fixture_printed(f));
}

static void expect_all_equal(fixture *f, const char *expression, const char *const *schedule, size_t n) {
    for (size_t i = 0; i < n; i++)
        expect_equal(f, (fe_case){.expression = expression, .schedule = schedule[i]});
}

static void split_loops_compute_the_same(void **state) {
    fixture *f = *state;
    static const char *const schedule[] = {"split(i,i0,i1,2)",
                                           "split(i,i0,i1,3), split(j,j0,j1,2), reorder(i0,j0,i1,j1)",
                                           "split(k,k0,k1,2)",
                                           "split(k,k0,k1,2), reorder(i,k0,j,k1)",
                                           "split(k,k0,k1,4), reorder(k0,i,j,k1)",
                                           "split(i,i0,i1,4), split(i1,a,b,2), reorder(i0,a,j,b)",
                                           "split(i,i0,i1,2), split(i0,a,b,3)",
                                           "split(i,i0,i1,1)"};
    expect_all_equal(f, spmm, schedule, sizeof schedule / sizeof *schedule);
    expect_equal(f, (fe_case){.expression = spmm, .format = {"B:ds", "C:dd"}, .schedule = schedule[1]});
    expect_equal(f, (fe_case){.expression = spmm, .format = {"X:dd"}, .schedule = schedule[1]});
    expect_equal(f, (fe_case){.expression = plus, .schedule = schedule[1]});
    expect_equal(f, (fe_case){.expression = residual, .schedule = "split(i,i0,i1,3), split(j,j0,j1,2)"});
    expect_equal(f, (fe_case){.expression = "X(i,j) = B(i,j) + c(i)", .schedule = "split(j,j0,j1,3)"});
    expect_equal(f, (fe_case){.expression = "x(i) = B(i,i) * c(i)", .schedule = "split(i,i0,i1,2)"});
    expect_equal(f, (fe_case){.expression = "X(i,j) = B(i,k) * B(k,j)", .schedule = "split(k,k0,k1,2)"});
    expect_equal(f, (fe_case){.expression = "X(i,j) = B(i,k) * B(k,j)",
                              .schedule = "split(i,i0,i1,2),split(j,j0,j1,3),split(k,k0,k1,2)"});
    expect_equal(
        f, (fe_case){.expression = "x = B(i,j) * C(i,j)", .schedule = "split(j,j0,j1,2), reorder(j0,i,j1)"});
    expect_equal(f, (fe_case){.expression = mttkrp, .schedule = "split(k,k0,k1,2)"});
}

/* Expects `loops` loops of the only scheduled kernel, and a right result. */
static void expect_loops(fixture *f, fe_case c, uint32_t loops) {
    sam_statement s, expanded;
    fe_cin cin;
    assert_true(fe_case_schedule(f, &c, &s, &cin) && cin.kernels.len == 1);
    assert_true(fe_expand(&cin.kernels.at[0], &f->mem, &f->diag, &expanded));
    assert_int_equal(expanded.loops.len, loops);
    expect_equal(f, c);
}

/* The data have at most 7 coordinates along each loop: these bounds keep coordinates apart. */
static void fused_loops_are_one(void **state) {
    fixture *f = *state;
#define BOUNDS "bound(i,i,7,MaxExact), bound(j,j,7,MaxExact), "
    static const struct {
        fe_case c;
        uint32_t loops;
    } one[] = {
        {{.expression = plus, .schedule = BOUNDS "fuse(i,j,f)"}, 1},
        {{.expression = plus, .format = {"B:ds", "C:dd"}, .schedule = BOUNDS "fuse(j,i,f)"}, 1},
        {{.expression = plus, .format = {"X:dd", "B:dd", "C:dd"}, .schedule = BOUNDS "fuse(i,j,f)"}, 1},
        {{.expression = "X(i,j) = B(j,i) - C(i,j)", .format = {"C:ss:1,0"}, .schedule = BOUNDS "fuse(i,j,f)"},
         1},
        {{.expression = plus, .schedule = BOUNDS "fuse(i,j,f), split(f,f0,f1,3)"}, 2},
        {{.expression = plus, .schedule = BOUNDS "fuse(i,j,f), split(f,f0,f1,8), reorder(f1,f0)"}, 2},
        {{.expression = "x = B(i,j) * C(j,i)", .schedule = BOUNDS "fuse(i,j,f)"}, 1},
        {{.expression = "x = B(i,j) * C(i,j)", .schedule = BOUNDS "fuse(j,i,f), unroll(f,2)"}, 1},
        {{.expression = "X(i,j,k) = B(i,j,k) * C(k,j,i)",
          .schedule = BOUNDS "bound(k,kb,7,MaxExact), fuse(i,j,f), fuse(f,kb,g)"},
         1},
        {{.expression = "X(i,j,k) = B(i,j,k) + C(i,j,k)",
          .schedule = BOUNDS "bound(k,k,7,MaxExact), fuse(j,k,f), fuse(i,f,g), split(g,a,b,5)"},
         2},
        {{.expression = "X(i,j) = B(i,j,k) * c(k)", .schedule = BOUNDS "fuse(i,j,f)"}, 2},
        {{.expression = "X(i,j,l) = B(i,j,k) * C(k,l)", .schedule = BOUNDS "fuse(i,j,f), reorder(k,l,f)"}, 3},
        {{.expression = "x(k) = B(i,j,k) * C(i,j)", .schedule = BOUNDS "reorder(i,j,k), fuse(i,j,f)"}, 2},
        {{.expression = "X(i,j) = B(i,j) + sum(k, C(i,j,k) * d(k))", .schedule = BOUNDS "fuse(i,j,f)"}, 2},
        /* These statements have no level for both loops. */
        {{.expression = plus, .schedule = "bound(i,i,7,MaxExact), fuse(i,j,f)"}, 2},
        {{.expression = spmv, .schedule = BOUNDS "fuse(i,j,f)"}, 2},
        {{.expression = "X(i,j) = B(i,j) + c(i)", .schedule = BOUNDS "fuse(i,j,f)"}, 2},
        {{.expression = "X(i,j) = B(i,j) * C(i,i)", .schedule = BOUNDS "fuse(i,j,f)"}, 2},
        {{.expression = "x(i) = B(i,j)", .schedule = BOUNDS "fuse(i,j,f)"}, 2},
        {{.expression = plus, .schedule = BOUNDS "split(i,i0,i1,2), fuse(i1,j,f)"}, 3},
    };
#undef BOUNDS
    for (size_t n = 0; n < sizeof one / sizeof *one; n++)
        expect_loops(f, one[n].c, one[n].loops);
}

static void renamed_loops_compute_the_same(void **state) {
    fixture *f = *state;
    expect_equal(f, (fe_case){.expression = spmm, .schedule = "bound(i,ib,6,MaxExact), divide(ib,i0,i1,3)"});
    expect_equal(f, (fe_case){.expression = spmm, .schedule = "bound(i,ib,0,MinExact), reorder(ib,k,j)"});
    expect_equal(f, (fe_case){.expression = spmv, .schedule = "pos(j,jp,B)"});
    expect_equal(f, (fe_case){.expression = spmm, .schedule = "bound(i,i,6,MaxExact), divide(i,i0,i1,4)"});
    expect_equal(f, (fe_case){.expression = spmm, .schedule = "unroll(i,2), bound(i,ib,6,MaxExact)"});
    expect_equal(f, (fe_case){.expression = spmm, .schedule = "bound(i,ib,6,MaxExact), unroll(i,2)"});
    expect_equal(f, (fe_case){.expression = spmv, .schedule = "pos(i,ip,B), unroll(ip,2)"});
    expect_equal(f,
                 (fe_case){.expression = "x(i) = sum(j, B(i,j) * c(j)) * d(i)", .schedule = "reorder(j,i)"});
    expect_equal(f, (fe_case){.expression = "x(i) = -(sum(j, B(i,j)) * sum(k, C(i,k)))",
                              .schedule = "reorder(j,i,k)"});
}

/* Commands about loops absent from the graph change neither the values nor the remaining loops. */
static void hints_compute_the_same(void **state) {
    fixture *f = *state;
    static const struct {
        const char *expression, *schedule;
    } hint[] = {
        {spmv, "fuse(i,j,f)"},
        {spmv, "fuse(i,j,f), pos(f,fpos,B), split(fpos,block,fpos1,8), split(fpos1,warp,nz,2), "
               "reorder(block,warp,nz), precompute(B(i,j)*c(j),nz,nz_pre), unroll(nz_pre,2), "
               "parallelize(block,GPUBlock,IgnoreRaces), parallelize(warp,GPUWarp,Atomics)"},
        {spmv,
         "split(i,i0,i1,4), fuse(i1,j,f), pos(f,fp,B), divide(fp,p,q,3), parallelize(i0,GPUBlock,NoRaces)"},
        {spmm, "fuse(i,k,f), pos(f,fp,B), split(fp,p,q,4), reorder(p,j,q)"},
        {spmm, "pos(k,kp,B), split(kp,k0,k1,4), reorder(i,k0,j,k1), fuse(j,k1,f), unroll(i,2)"},
        {spmm, "pos(k,kp,B), split(kp,k0,k1,4), fuse(k0,k1,f), parallelize(f,CPUThread,NoRaces)"},
        {spmm, "split(i,i0,i1,3), split(j,j0,j1,3), reorder(i0,j0,i1,j1,k), fuse(i0,j0,f), fuse(i1,j1,g), "
               "parallelize(g,GPUThread,NoRaces)"},
        {mttkrp, "reorder(i,k,l,j), fuse(i,k,f), fuse(f,l,g), pos(g,gp,B), split(gp,a,b,8), reorder(a,b,j)"},
    };
    for (size_t i = 0; i < sizeof hint / sizeof *hint; i++)
        expect_equal(f, (fe_case){.expression = hint[i].expression, .schedule = hint[i].schedule});
}

static void precomputed_parts_are_kernels_of_their_own(void **state) {
    fixture *f = *state;
    static const char *const schedule[] = {
        "precompute(C(i,k)*D(k,j),{i,j},{iw,jw},w)",          "precompute(D(k,j)*C(i,k),{i,j},{i,j})",
        "precompute(B(i,j)*C(i,k),{i,j,k},{i,j,k},w)",        "precompute(B(i,j)*C(i,k),j,jw,w)",
        "precompute(D(k,j),{k,j},{kw,jw},d), reorder(jw,kw)", "precompute(C(i,k)*D(k,j),{},{})"};
    for (size_t i = 0; i < sizeof schedule / sizeof *schedule; i++)
        expect_equal(f, (fe_case){.expression = sddmm, .schedule = schedule[i]});
    expect_equal(
        f, (fe_case){.expression = spmm, .schedule = "reorder(i,k,j), precompute(B(i,k)*C(k,j),j,jw,w)"});
    expect_equal(f,
                 (fe_case){.expression = mttkrp,
                           .schedule = "precompute(B(i,k,l)*D(j,l),{i,j,k},{i,j,k},w), precompute(w(i,j,k),k,"
                                       "kw,v), split(kw,k0,k1,2)"});
    expect_equal(f, (fe_case){.expression = residual, .schedule = "precompute(sum(j,C(i,j)*d(j)),i,iw,w)"});
    expect_equal(f, (fe_case){.expression = residual, .schedule = "precompute(C(i,j)*d(j),i,iw,w)"});
    expect_equal(f, (fe_case){.expression = residual, .schedule = "precompute(C(i,j)*d(j),{i,j},{i,j},w)"});
    expect_equal(f, (fe_case){.expression = "x(i) = sum(j, B(i,j) * c(j) + d(j))",
                              .schedule = "precompute(B(i,j)*c(j),i,iw,w)"});
}

static fe_cin scheduled(fixture *f, const fe_case *c, sam_statement *s) {
    fe_cin cin;
    if (!fe_case_schedule(f, c, s, &cin))
        fail_msg("%s\n%s", c->expression, fixture_printed(f));
    return cin;
}

/* Compares a generated schedule with `expected` (NULL: none), and its result with the case.
 */
static void expect_scheduled(fixture *f, fe_case c, const char *schedule, const char *expected) {
    if (!expected) {
        assert_null(schedule);
        return;
    }
    assert_string_equal(schedule ? schedule : "nothing", expected);
    c.schedule = schedule;
    expect_equal(f, c);
}

/* The schedule that splits the kernel of a case: its text, and an equal result. */
static void expect_staged(fixture *f, fe_case c, fe_staging how, const char *expected) {
    sam_statement s;
    const fe_cin cin = scheduled(f, &c, &s);
    const char *schedule = fe_staged(&cin.kernels.at[0], how, &f->mem);
    expect_scheduled(f, c, schedule, expected);
}

static void stages_compute_the_same(void **state) {
    fixture *f = *state;
    const fe_case sampled = {.expression = "X(i,j) = D(i,j) * (B(i,k) * C(k,j) + E(i,j))"};
    expect_staged(f, sampled, FE_STAGE_PARTIAL_SUMS, "precompute(B(i,k) * C(k,j),{i,j},{i,j})");
    expect_staged(f, sampled, FE_STAGE_FACTORS, "precompute(sum(k, B(i,k) * C(k,j)) + E(i,j),{i,j},{i,j})");
    expect_staged(f, sampled, FE_STAGE_PHASES, NULL);
    const fe_case products = {.expression = "X(i,j) = -(B(i,j) + C(i,j)) * (D(i,j) - E(j,i))"};
    expect_staged(f, products, FE_STAGE_FACTORS,
                  "precompute(B(i,j) + C(i,j),{i,j},{i,j}), precompute(D(i,j) - E(j,i),{i,j},{i,j})");
    expect_staged(f, (fe_case){.expression = "x = (b + c) * d(i)"}, FE_STAGE_FACTORS, NULL);
    expect_staged(f, (fe_case){.expression = "X(i,j) = B(i,j) * C(i,j) - (d(i) - 2 * E(i,j) * f(j))"},
                  FE_STAGE_TERMS,
                  "precompute(B(i,j) * C(i,j),{i,j},{i,j}), precompute(2 * E(i,j) * f(j),{i,j},{i,j})");
    expect_staged(f, (fe_case){.expression = plus}, FE_STAGE_TERMS, NULL);
    const fe_case outer = {.expression = spmm, .schedule = "reorder(k,i,j)"};
    expect_staged(f, outer, FE_STAGE_PARTIAL_SUMS, NULL);
    expect_staged(f, outer, FE_STAGE_PHASES,
                  "reorder(k,i,j), precompute(B(i,k) * C(k,j),{k,i,j},{kw,iw,jw}), reorder(i,j,k)");
    expect_staged(f, (fe_case){.expression = "X(i,j) = kw(i,k) * B(k,j)"}, FE_STAGE_PHASES,
                  "precompute(kw(i,k) * B(k,j),{i,j,k},{iww,jww,kww}), reorder(i,j,k)");
    expect_staged(f, (fe_case){.expression = mttkrp, .schedule = "reorder(k,l,i,j)"}, FE_STAGE_PHASES,
                  "reorder(k,l,i,j), precompute(B(i,k,l) * C(j,k) * D(j,l),{k,l,i,j},{kw,lw,iw,jw}), "
                  "reorder(i,j,k,l)");
    expect_staged(f, (fe_case){.expression = spmm, .schedule = "split(i,i0,i1,2)"}, FE_STAGE_PHASES, NULL);
    expect_staged(f, (fe_case){.expression = plus}, FE_STAGE_PHASES, NULL);
}

/* The schedule that first sums a product along the variables `first`, and an equal result. */
static void expect_contracted(fixture *f, fe_case c, const char *first, const char *expected) {
    sam_statement s;
    sam_var order[4];
    const fe_product *product;
    const fe_cin cin = scheduled(f, &c, &s);
    const fe_kernel *k = &cin.kernels.at[0];
    const uint32_t n = (uint32_t)strlen(first);
    for (uint32_t i = 0; i < n; i++)
        order[i] = fe_find_var(&k->s, names_intern_n(k->s.names, &first[i], 1));
    assert_int_equal(fe_products(k, &f->mem, &product), 1);
    const fe_contraction sums = {product[0], order, n};
    const char *schedule = fe_contracted(k, &sums, 1, &f->mem);
    expect_scheduled(f, c, schedule, expected);
}

static void sums_in_turn_compute_the_same(void **state) {
    fixture *f = *state;
    const fe_case chain = {.expression = "y(i) = A(i,j) * B(j,k) * x(k)"};
    expect_contracted(f, chain, "k", "precompute(B(j,k) * x(k),{j},{j},w1)");
    expect_contracted(f, chain, "j", "precompute(A(i,j) * B(j,k),{i,k},{i,k},w1)");
    expect_contracted(f, chain, "jk", NULL); /* the last kernel has the last sum */
    expect_contracted(f, chain, "", NULL);
    expect_contracted(f, (fe_case){.expression = "X(i,l) = w1(i,j) * B(j,k) * C(k,l)"}, "k",
                      "precompute(B(j,k) * C(k,l),{l,j},{l,j},w2)");
    expect_contracted(f, (fe_case){.expression = "y(i) = b(i) - A(i,j) * B(j,k) * x(k) * c(j)"}, "k",
                      "precompute(B(j,k) * x(k),{j},{j},w1)");
    expect_contracted(f, (fe_case){.expression = "y(i) = c(i) * b(k) * A(i,j)"}, "k", NULL); /* a scalar */
}

static void copies_compute_the_same(void **state) {
    fixture *f = *state;
    static const struct {
        const char *expression, *order, *loops;
        const char *format[3];
    } c[] = {{spmm, "reorder(i,j,k)", "ijk", {NULL}},
             {spmm, "reorder(i,k,j)", "ikj", {NULL}},
             {spmm, "reorder(k,i,j)", "kij", {NULL}},
             {spmm, "reorder(j,k,i)", "jki", {"X:dd"}},
             {spmv, "reorder(i,j)", "ij", {"c:d"}},
             {spmv, "reorder(j,i)", "ji", {"x:d"}},
             {sddmm, "reorder(i,j,k)", "ijk", {NULL}},
             {residual, "reorder(i,j)", "ij", {NULL}},
             {plus, "reorder(i,j)", "ij", {"B:ds"}},
             {mttkrp, "reorder(i,j,k,l)", "ijkl", {NULL}},
             {mttkrp, "reorder(i,k,l,j)", "iklj", {NULL}},
             {"x = B(i,j) * C(i,j)", "reorder(i,j)", "ij", {NULL}},
             {"X(i,j) = B(i,j) + c(i)", "reorder(i,j)", "ij", {NULL}},
             {"x(i) = b(i) + c(i) * 2", "reorder(i)", "i", {NULL}},
             {"x(i) = 3 * b(i) - 2 * c(i)", "reorder(i)", "i", {NULL}},
             {"x(i) = 3 * sum(j, B(i,j) * (5 - c(j)))", "reorder(i,j)", "ij", {NULL}},
             {"x(i) = B(i,k) * c(k) + D(i,k) * e(k)", "reorder(i,k)", "ik", {NULL}}};
    for (size_t n = 0; n < sizeof c / sizeof *c; n++) {
        for (const char *loop = c[n].loops; *loop; loop++) {
            for (uint32_t copies = 2; copies <= 4; copies++) {
                fe_case one = {.expression = c[n].expression, .format = {c[n].format[0]}};
                one.schedule = arena_printf(&f->mem, "%s, unroll(%c,%u)", c[n].order, *loop, copies);
                expect_equal(f, one);
            }
        }
    }
    static const char *const schedule[] = {
        "unroll(i,2), unroll(j,3)",
        "unroll(i,2), unroll(j,2), unroll(k,2)",
        "parallelize(i,Lanes(2),NoRaces), parallelize(k,Lanes(3),Temporary)",
        "split(i,i0,i1,4), parallelize(i1,CPUVector,NoRaces)",
        "split(k,k0,k1,2), reorder(k0,i,j,k1), unroll(k0,2), unroll(i,3)",
        "parallelize(i,NotParallel,NoRaces)",
        "unroll(i,1)"};
    expect_all_equal(f, spmm, schedule, sizeof schedule / sizeof *schedule);
}

static void copies_are_in_the_graph(void **state) {
    fixture *f = *state;
    sam_statement s;
    fe_cin cin;
    scheduled_kernel one, four;
    fe_case plain = {.expression = spmm}, unrolled = {.expression = spmm, .schedule = "unroll(i,4)"};
    assert_true(fe_case_schedule(f, &plain, &s, &cin) && scheduled_lower(f, &cin.kernels.at[0], &one));
    assert_true(fe_case_schedule(f, &unrolled, &s, &cin) && scheduled_lower(f, &cin.kernels.at[0], &four));
    assert_int_equal(lowered_count(&four.g, SAM_ARRAYVALS), 4 * lowered_count(&one.g, SAM_ARRAYVALS));
    assert_int_equal(lowered_count(&four.g, SAM_REDUCE), 4);
    assert_int_equal(lowered_count(&four.g, SAM_FIBERWRITE), lowered_count(&one.g, SAM_FIBERWRITE));
    assert_int_equal(lowered_count(&four.g, SAM_PARALLELIZE), 2); /* B's and C's references */
    assert_int_equal(lowered_count(&four.g, SAM_SERIALIZE), 2);   /* j's coordinates, the values */
}

/* ---- at random ------------------------------------------------------------------------------- */

static const char *loop_name(const sam_statement *s, sam_var v) {
    return names_text(s->names, sam_var_at(s, v)->name);
}

/* A command about existing or absent loops. */
static const char *random_command(fixture *f, prng *random, const fe_cin *cin, uint32_t number) {
    const sam_statement *s = &cin->kernels.at[prng_below(random, cin->kernels.len)].s;
    uint32_t i = prng_below(random, s->loops.len), j = prng_below(random, s->loops.len);
    const char *a = loop_name(s, s->loops.at[i]), *b = loop_name(s, s->loops.at[j]);
    uint32_t n = 1 + prng_below(random, 4);
    switch (prng_below(random, 13)) {
    case 0:
        return arena_printf(&f->mem, "split(%s,p%u,q%u,%u)", a, number, number, n);
    case 1:
        return arena_printf(&f->mem, "unroll(%s,%u)", a, n);
    case 2:
        return arena_printf(&f->mem, "parallelize(%s,Lanes(%u),%s)", a, n, n % 2 ? "NoRaces" : "Temporary");
    case 3:
        return arena_printf(&f->mem, "bound(%s,p%u,9,MaxExact), divide(p%u,r%u,s%u,%u)", a, number, number,
                            number, number, n);
    case 4:
        return arena_printf(&f->mem, "pos(%s,p%u,B)", a, number);
    case 5:
        return arena_printf(&f->mem, "precompute(C(i,k)*D(k,j),{i,j},{i%u,j%u},w%u)", number, number, number);
    case 6:
        return arena_printf(&f->mem, "precompute(B(i,j),%s,%s)", n % 2 ? "i" : "j", n % 2 ? "i" : "j");
    case 8:
        return arena_printf(&f->mem, "fuse(%s,%s,p%u)", a, b, number);
    case 9:
        return arena_printf(&f->mem, "pos(%s,p%u,B), split(p%u,r%u,s%u,%u)", a, number, number, number,
                            number, n);
    case 10:
        return arena_printf(&f->mem, "parallelize(%s,%s,Atomics)", a, n % 2 ? "GPUBlock" : "CPUThread");
    case 11:
        return arena_printf(&f->mem, "precompute(B(i,j),%s,p%u)", a, number);
    case 7:
        return arena_printf(&f->mem, "precompute(%s,{},{})", n % 2 ? "C(i,k)*D(k,j)" : "B(i,j)*c(j)");
    default:
        return arena_printf(&f->mem, "reorder(%s,%s)", a, b);
    }
}

static void compute_random_schedule(fixture *f, uint32_t n, void *of) {
    static const char *const expression[] = {sddmm,
                                             spmv,
                                             residual,
                                             plus,
                                             "X(i,j) = B(i,j) + C(i,k) * D(k,j)",
                                             "x(i) = sum(j, B(i,j) * c(j)) * d(i)",
                                             "x = B(i,j) * c(j) * B(j,i)",
                                             "X(i,j) = (B(i,j) + c(j)) * C(i,k) * D(k,j)"};
    fe_random *r = of;
    fe_case c = {.expression = expression[n % (sizeof expression / sizeof *expression)]};
    sam_statement s;
    fe_cin cin;
    bool ok = fe_case_schedule(f, &c, &s, &cin);
    for (uint32_t k = 1 + prng_below(&r->random, 4); ok && k > 0; k--) {
        const char *command = random_command(f, &r->random, &cin, k);
        const char *longer = c.schedule ? arena_printf(&f->mem, "%s, %s", c.schedule, command) : command;
        fe_case next = {.expression = c.expression, .schedule = longer};
        diag_init(&f->diag, &f->mem);
        if (fe_case_schedule(f, &next, &s, &cin))
            c = next;
        else
            assert_true(diag_failed(&f->diag));
        diag_init(&f->diag, &f->mem);
        ok = fe_case_schedule(f, &c, &s, &cin);
    }
    assert_true(ok);
    scheduled_reads_back(f, c.expression, c.schedule ? c.schedule : "", NULL);
    r->accepted += expect_equal_if_lowered(f, c, 10);
}

static void random_schedules_compute_the_same(void **state) {
    (void)state;
    expect_accepted(11, 400, compute_random_schedule, 250);
}

RUN_TESTS(TEST(split_loops_compute_the_same), TEST(fused_loops_are_one), TEST(renamed_loops_compute_the_same),
          TEST(hints_compute_the_same), TEST(precomputed_parts_are_kernels_of_their_own),
          TEST(stages_compute_the_same), TEST(sums_in_turn_compute_the_same), TEST(copies_compute_the_same),
          TEST(copies_are_in_the_graph), TEST(random_schedules_compute_the_same))
