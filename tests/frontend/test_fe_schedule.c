/* frontend/: schedules. Every command lowers to kernels that compute what the unscheduled statement says, on
 * random data; concrete index notation reads back; every precondition is answered word for word. */
#include "tests/frontend/dense.h"
#include "tests/frontend/fe_case.h"

static const char *cin_text(fixture *f, const fe_cin *cin) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    fe_cin_dump(cin, out);
    fclose(out);
    const char *kept = arena_strndup(&f->mem, text, length ? length - 1 : 0);
    free(text);
    return kept;
}

/* ---- kernels on data ------------------------------------------------------------------------- */

/* One kernel, lowered. */
typedef struct {
    sam_statement s;
    sam_graph g;
} lowered;

static bool lower(fixture *f, const fe_kernel *k, lowered *out) {
    const fe_lower_options options = {.drop = true, .exact_stops = true};
    sam_statement expanded, packed;
    sam_graph once;
    return fe_expand(k, &f->mem, &f->diag, &expanded) && fe_check(&expanded, &f->diag) &&
           fe_pack(&expanded, &f->mem, &f->diag, &packed) && fe_fill(&packed, &f->mem, &f->diag, &out->s) &&
           fe_lower(&out->s, &options, &f->mem, &f->diag, &once) && sam_check(&once, &f->diag) &&
           fe_unroll(k, &once, &f->mem, &f->diag, &out->g) && sam_check(&out->g, &f->diag);
}

/* The tensors there are while the kernels run, by name: the user's operands and the workspaces so far. */
typedef struct {
    name_id name[DENSE_MAX_TENSORS];
    dense_tensor *tensor[DENSE_MAX_TENSORS];
    uint32_t n;
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

/* Where a source's coordinates lie in the view; false: the view leaves them out. */
static bool seen_at(const sam_tensor_data *t, const uint32_t *from, uint32_t *at) {
    const sam_view *view = &t->view;
    for (uint32_t m = 0; view->source.v && m < view->source_order; m++) {
        if (from[m] != from[view->equal[m]])
            return false;
    }
    for (uint32_t v = 0; v < t->order; v++) {
        at[v] = view->source.v ? from[view->from[v].mode] / view->from[v].divide : from[v];
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
            uint32_t divide = t->view.from[v].divide, modulo = t->view.from[v].modulo;
            dim = modulo ? modulo : (dim + divide - 1) / divide;
        }
        out->dim[v] = dim;
        out->cells *= dim;
    }
    assert_true(out->cells <= DENSE_MAX_CELLS);
}

/* The dense operand t of a kernel; ones have the dimensions of the variables they are indexed by. */
static void load(const lowered *l, sam_tensor handle, const store *all, const uint32_t *dim_of_var,
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
        for (uint32_t c = 0; c < out->cells; c++)
            out->at[c] = 1;
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

static void find_dims(const lowered *l, const store *all, uint32_t *dim_of_var) {
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

/* What the writers wrote, into the user's tensor `out`; every stored coordinate once. */
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

static void run_kernel(fixture *f, const lowered *l, const store *all, arena *mem, dense_tensor *out) {
    const sam_statement *s = &l->s;
    dense_data *data = arena_new(mem, dense_data);
    uint32_t dims[64] = {0}, at[SAM_MAX_ORDER] = {0}, n = 0;
    sam_tensor_levels operands[DENSE_MAX_TENSORS];
    dense_tensor *shape = arena_new(mem, dense_tensor);
    sam_sim_result result;
    find_dims(l, all, dims);
    for (uint32_t t = 2; t <= s->tensors.len; t++) {
        load(l, (sam_tensor){t}, all, dims, &data->tensor[t - 1]);
        operands[n++] = dense_to_levels(s, data, (sam_tensor){t}, mem);
    }
    if (!sam_simulate(&l->g, operands, n, NULL, mem, &f->diag, &result))
        fail_msg("%s", fixture_printed(f));
    const sam_tensor_data *t = sam_tensor_at(s, s->result);
    for (uint32_t m = 0; m < t->order; m++)
        shape->dim[m] = dims[s->result_index[m].v - 1];
    unload(t, &result, 0, 0, at, shape, out);
}

/* The shape of a workspace: its variables', which have the names of the producer's. */
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

/* All kernels on random data of every size and density. */
static void expect_equal(fixture *f, fe_case c) {
    sam_statement s;
    fe_cin cin;
    lowered kernel[4];
    if (!fe_case_schedule(f, &c, &s, &cin))
        fail_msg("%s -s %s\n%s", c.expression, c.schedule, fixture_printed(f));
    assert_true(cin.kernels.len <= 4);
    for (uint32_t n = 0; n < cin.kernels.len; n++) {
        if (!lower(f, &cin.kernels.at[n], &kernel[n]))
            fail_msg("%s -s %s\n%s", c.expression, c.schedule, fixture_printed(f));
    }
    prng random = prng_seed(s.exprs.len + 64 * s.tensors.len);
    for (uint32_t run = 0; run < 24; run++) {
        arena mem = {0};
        dense_data *data = arena_new(&mem, dense_data);
        store all = {.n = s.tensors.len - 1};
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
            run_kernel(f, &kernel[n], &all, &mem, out);
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
}

static const char spmm[] = "X(i,j) = B(i,k) * C(k,j)", spmv[] = "x(i) = B(i,j) * c(j)";
static const char sddmm[] = "X(i,j) = B(i,j) * C(i,k) * D(k,j)", residual[] = "x(i) = b(i) - C(i,j) * d(j)";
static const char mttkrp[] = "X(i,j) = B(i,k,l) * C(j,k) * D(j,l)", plus[] = "X(i,j) = B(i,j) + C(i,j)";

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
    for (size_t i = 0; i < sizeof schedule / sizeof *schedule; i++)
        expect_equal(f, (fe_case){.expression = spmm, .schedule = schedule[i]});
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

static void renamed_loops_compute_the_same(void **state) {
    fixture *f = *state;
    expect_equal(f, (fe_case){.expression = spmm, .schedule = "bound(i,ib,6,MaxExact), divide(ib,i0,i1,3)"});
    expect_equal(f, (fe_case){.expression = spmm, .schedule = "bound(i,ib,0,MinExact), reorder(ib,k,j)"});
    expect_equal(f, (fe_case){.expression = spmv, .schedule = "pos(j,jp,B)"});
    expect_equal(f, (fe_case){.expression = spmv, .schedule = "pos(i,ip,B), unroll(ip,2)"});
    expect_equal(f,
                 (fe_case){.expression = "x(i) = sum(j, B(i,j) * c(j)) * d(i)", .schedule = "reorder(j,i)"});
    expect_equal(f, (fe_case){.expression = "x(i) = -(sum(j, B(i,j)) * sum(k, C(i,k)))",
                              .schedule = "reorder(j,i,k)"});
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
    for (size_t i = 0; i < sizeof schedule / sizeof *schedule; i++)
        expect_equal(f, (fe_case){.expression = spmm, .schedule = schedule[i]});
}

static uint32_t count(const sam_graph *g, sam_primitive kind) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->nodes.len; i++)
        n += g->nodes.at[i].kind == kind;
    return n;
}

static void copies_are_in_the_graph(void **state) {
    fixture *f = *state;
    sam_statement s;
    fe_cin cin;
    lowered one, four;
    fe_case plain = {.expression = spmm}, unrolled = {.expression = spmm, .schedule = "unroll(i,4)"};
    assert_true(fe_case_schedule(f, &plain, &s, &cin) && lower(f, &cin.kernels.at[0], &one));
    assert_true(fe_case_schedule(f, &unrolled, &s, &cin) && lower(f, &cin.kernels.at[0], &four));
    assert_int_equal(count(&four.g, SAM_ARRAYVALS), 4 * count(&one.g, SAM_ARRAYVALS));
    assert_int_equal(count(&four.g, SAM_REDUCE), 4);
    assert_int_equal(count(&four.g, SAM_FIBERWRITE), count(&one.g, SAM_FIBERWRITE));
    assert_int_equal(count(&four.g, SAM_PARALLELIZE), 2); /* B's and C's references */
    assert_int_equal(count(&four.g, SAM_SERIALIZE), 2);   /* j's coordinates, the values */
}

/* ---- text ------------------------------------------------------------------------------------ */

static void expect_cin(fixture *f, const char *expression, const char *schedule, const char *expected) {
    sam_statement s;
    fe_cin cin, again;
    fe_case c = {.expression = expression, .schedule = schedule};
    if (!fe_case_schedule(f, &c, &s, &cin))
        fail_msg("%s", fixture_printed(f));
    const char *text = cin_text(f, &cin);
    if (expected)
        assert_string_equal(text, expected);
    if (!fe_cin_parse(text, &f->names, &f->mem, &f->diag, &again))
        fail_msg("%s\n%s", text, fixture_printed(f));
    if (!fe_cin_equal(&cin, &again) || !fe_cin_equal(&again, &cin))
        fail_msg("not equal: %s", text);
    assert_string_equal(cin_text(f, &again), text);
}

static void concrete_index_notation_reads_back(void **state) {
    fixture *f = *state;
    expect_cin(f, spmm, "reorder(i,k,j)", "forall(i, forall(k, forall(j, X(i,j) += B(i,k) * C(k,j))))");
    expect_cin(f, spmm,
               "split(j,j0,j1,8), reorder(i,j0,k,j1), parallelize(j1,CPUVector,NoRaces), unroll(i,2)",
               "suchthat(forall(i, forall(j0, forall(k, forall(j1, X(i,j) += B(i,k) * C(k,j), "
               "parallelize(CPUVector,NoRaces)))), unroll(2)), split(j,j0,j1,8))");
    expect_cin(
        f, sddmm, "precompute(C(i,k)*D(k,j),{i,j},{iw,jw},w), parallelize(k,Lanes(4),Temporary)",
        "where(forall(i, forall(j, X(i,j) = B(i,j) * w(i,j))), forall(iw, forall(jw, forall(k, w(iw,jw) += "
        "C(iw,k) * D(k,jw), parallelize(Lanes(4),Temporary)))))");
    expect_cin(
        f, spmm, "reorder(i,k,j), precompute(B(i,k)*C(k,j),j,jw,w)",
        "where(forall(i, forall(j, X(i,j) = w(i,j))), forall(i, forall(k, forall(jw, w(i,jw) += B(i,k) * "
        "C(k,jw)))))");
    expect_cin(f, sddmm, "precompute(C(i,k)*D(k,j),{},{})",
               "forall(i, forall(j, where(X(i,j) = B(i,j) * t1, forall(k, t1 += C(i,k) * D(k,j)))))");
    expect_cin(f, spmv, "pos(j,jp,B), bound(i,ib,8,MaxExact), divide(ib,i0,i1,2), unroll(jp,2)",
               "suchthat(forall(i0, forall(i1, forall(jp, x(i) += B(i,j) * c(j), unroll(2)))), pos(j,jp,B), "
               "bound(i,ib,8,MaxExact), divide(ib,i0,i1,2))");
    expect_cin(f, spmv, "fuse(i,j,f)", "suchthat(forall(f, x(i) += B(i,j) * c(j)), fuse(i,j,f))");
    expect_cin(f, "x(i) = sum(j, B(i,j) * c(j)) * d(i)", "reorder(j,i)",
               "forall(j, forall(i, x(i) += B(i,j) * c(j) * d(i)))");
    expect_cin(f, "x(i) = B(i,k) * c(k) + D(i,k) * e(k)", "unroll(k,2)", NULL);
    expect_cin(f, "x(i) = -(2 - b(i)) / (c(i) + sum(j, D(i,j) * t1)) - -3 * sum(k, E(i,k))", "", NULL);
    expect_cin(f, "x = b + c(i) * sum(j, D(i,j) * sum(k, E(j,k)))", "split(k,k0,k1,2)", NULL);
}

static void refuse_cin(fixture *f, const char *text, const char *expected) {
    fe_cin cin;
    diag_init(&f->diag, &f->mem);
    if (fe_cin_parse(text, &f->names, &f->mem, &f->diag, &cin))
        fail_msg("accepted: %s", text);
    const char *printed = fixture_printed(f), *line = strchr(printed, '\n');
    assert_string_equal(arena_strndup(&f->mem, printed, (size_t)(line - printed)), expected);
}

static void concrete_index_notation_is_checked(void **state) {
    fixture *f = *state;
    refuse_cin(f, "forall(i, x(i) += b(i))",
               "<cin>:1:16: error: no loop around this is a sum: write '=' [E0150-cin]");
    refuse_cin(f, "forall(i, forall(j, x(i) = B(i,j)))",
               "<cin>:1:26: error: a loop around this is a sum: write '+=' [E0150-cin]");
    refuse_cin(f, "forall(i, where(x(i) = b(i), forall(j, t += c(j))))",
               "<cin>:1:40: error: the temporary is used 0 times, not once [E0150-cin]");
    refuse_cin(f, "forall(i, where(forall(j, x(i) += w(j)), forall(k, w(k) = b(k))))",
               "<cin>:1:24: error: a loop inside of the consumer of a where [E0150-cin]");
    refuse_cin(f, "forall(i, where(x(i) = w(i), forall(k, w(k) = b(k))))",
               "<cin>:1:40: error: only a scalar can be computed inside of loops [E0150-cin]");
    refuse_cin(f, "forall(i, x(i) = sum(j, B(i,j)))",
               "<cin>:1:18: error: a sum is a loop with '+=' here [E0150-cin]");
    refuse_cin(f, "forall(i, x(i) = B(i,j))",
               "<cin>:1:18: error: an index of B is neither summed over nor in the result [E0130-statement]");
    refuse_cin(f, "forall(j, forall(i, x(i) = b(i)))",
               "<cin>:1:26: error: a loop around this is a sum: write '+=' [E0150-cin]");
    refuse_cin(f, "suchthat(forall(i, x(i) = b(i)), split(i,i0,i1,4))",
               "<cin>:1:22: error: 'i' binds nothing, but has a loop [E0150-cin]");
    refuse_cin(f, "where(forall(i, x(i) = b(i)), forall(j, w(j) = c(j)))",
               "<cin>:1:41: error: nothing reads the workspace 'w' [E0150-cin]");
    refuse_cin(f, "forall(i, x(i) = b(i), unroll(0))",
               "<cin>:1:31: error: 0 is no whole number from 1 to 64 [E0142-number]");
    refuse_cin(
        f, "forall(i, x(i) = b(i), twice)",
        "<cin>:1:24: error: expected unroll(n) or parallelize(unit,strategy), found 'twice' [E0102-syntax]");
    refuse_cin(f, "forall(i x(i) = b(i))", "<cin>:1:10: error: expected ',', found 'x' [E0102-syntax]");
    refuse_cin(f, "forall(i, x(i) = b(i)", "<cin>:1:22: error: expected ')', found the end [E0102-syntax]");
    refuse_cin(f, "forall(i, x(i) = b(i)) j",
               "<cin>:1:24: error: expected the end, found 'j' [E0102-syntax]");
    refuse_cin(f, "suchthat(forall(i, x(i) = b(i)), i0)",
               "<cin>:1:34: error: expected a relation such as split(i,i0,i1,4), found 'i0' [E0102-syntax]");
}

/* ---- messages -------------------------------------------------------------------------------- */

/* The whole answer to a schedule that must be refused, when it is applied or when it is lowered. */
static void refuse(fixture *f, const char *expression, const char *schedule, const char *expected) {
    sam_statement s;
    fe_cin cin;
    lowered out;
    fe_case c = {.expression = expression, .schedule = schedule};
    diag_init(&f->diag, &f->mem);
    bool ok = fe_case_schedule(f, &c, &s, &cin);
    for (uint32_t n = 0; ok && n < cin.kernels.len; n++)
        ok = lower(f, &cin.kernels.at[n], &out);
    if (ok)
        fail_msg("accepted: %s", schedule);
    assert_string_equal(fixture_printed(f), expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(split_loops_compute_the_same),
        TEST(renamed_loops_compute_the_same),
        TEST(precomputed_parts_are_kernels_of_their_own),
        TEST(copies_compute_the_same),
        TEST(copies_are_in_the_graph),
        TEST(concrete_index_notation_reads_back),
        TEST(concrete_index_notation_is_checked),
    };
    (void)refuse;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
