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
    dense_data *stored_tensors; /* room for those of the kernel that runs */
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

static void run_kernel(fixture *f, const fe_case *c, const lowered *l, const store *all, arena *mem,
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
    if (!sam_simulate(&l->g, operands, n, NULL, mem, &f->diag, &result))
        fail_msg("%s -s %s\n%s", c->expression, c->schedule, fixture_printed(f));
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

/* All kernels on random data of every size and density; false if the schedule is right and not lowered. */
static bool expect_equal_if_lowered(fixture *f, fe_case c, uint32_t runs) {
    sam_statement s;
    fe_cin cin;
    lowered kernel[4];
    if (!fe_case_schedule(f, &c, &s, &cin))
        fail_msg("%s -s %s\n%s", c.expression, c.schedule, fixture_printed(f));
    assert_true(cin.kernels.len <= 4);
    for (uint32_t n = 0; n < cin.kernels.len; n++) {
        if (lower(f, &cin.kernels.at[n], &kernel[n]))
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
               "suchthat(forall(i, where(x(i) = t1 * d(i), forall(j, t1 += B(i,j) * c(j)))), order(j,i))");
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
    refuse_cin(f, "suchthat(forall(i0, x(i) = b(i)), split(i,i0,i,4))",
               "<cin>:1:35: error: 'i' is not new [E0150-cin]");
    refuse_cin(f, "suchthat(forall(i0, x(i) = b(i)), bound(i,i0,4,MaxExact), bound(i0,i,4,MaxExact))",
               "<cin>:1:59: error: 'i' is not new [E0150-cin]");
    refuse_cin(f, "suchthat(forall(ib, x(i) = b(i)), bound(i,ib,0,MaxExact))",
               "<cin>:1:35: error: a loop without iterations [E0150-cin]");
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

static void mistakes_are_answered(void **state) {
    static const struct {
        const char *expression, *schedule, *answer;
    } mistake[] = {
        {spmv, "reorder(i,k)",
         "<schedule>:1:11: error: the expression has no index variable 'k' [E0114-schedule-variable]\n"
         "    reorder(i,k)\n"
         "              ^\n"
         "    help: its variables are i, j\n"},
        {spmv, "reorder(i,i)",
         "<schedule>:1:11: error: 'i' is listed twice [E0114-schedule-variable]\n"
         "    reorder(i,i)\n"
         "              ^\n"},
        {spmv, "reorder i,j",
         "<schedule>:1:9: error: expected '(', found 'i' [E0102-syntax]\n"
         "    reorder i,j\n"
         "            ^\n"
         "    help: write reorder(i,j,...)\n"},
        {spmv, "reorder(i,j",
         "<schedule>:1:12: error: expected ',' or ')', found the end [E0102-syntax]\n"
         "    reorder(i,j\n"
         "               ^\n"
         "    help: write reorder(i,j,...)\n"},
        {spmv, "reorder(i,)",
         "<schedule>:1:11: error: expected an index variable, found ')' [E0102-syntax]\n"
         "    reorder(i,)\n"
         "              ^\n"
         "    help: write reorder(i,j,...)\n"},
        {spmv, "(i,j)",
         "<schedule>:1:1: error: expected a scheduling command such as reorder(i,j), found '(' "
         "[E0102-syntax]\n"
         "    (i,j)\n"
         "    ^\n"},
        {spmv, "interchange(i,j)",
         "<schedule>:1:1: error: unknown scheduling command 'interchange' [E0113-schedule-command]\n"
         "    interchange(i,j)\n"
         "    ^~~~~~~~~~~\n"
         "    help: the commands are reorder, split, divide, pos, fuse, precompute, bound, unroll, "
         "parallelize\n"},
        {spmv, "assemble(x,insert)",
         "<schedule>:1:1: does not fit: writers always build the result's levels while they compute "
         "[E0149-not-lowered]\n"
         "    assemble(x,insert)\n"
         "    ^~~~~~~~\n"},
        {spmv, "reorder(i,j), split(i,i0,j,4)",
         "<schedule>:1:26: error: 'j' is in use already [E0140-new-name]\n"
         "    reorder(i,j), split(i,i0,j,4)\n"
         "                             ^\n"
         "    help: choose a name that the expression and the schedule do not have\n"},
        {spmv, "split(i,B,i1,4)",
         "<schedule>:1:9: error: 'B' is in use already [E0140-new-name]\n"
         "    split(i,B,i1,4)\n"
         "            ^\n"
         "    help: choose a name that the expression and the schedule do not have\n"},
        {spmv, "split(i,i0,i1,0)",
         "<schedule>:1:15: error: 0 is no whole number from 1 to 65535 [E0142-number]\n"
         "    split(i,i0,i1,0)\n"
         "                  ^\n"},
        {spmv, "split(i,i0,i1,2.5)",
         "<schedule>:1:15: error: 2.5 is no whole number from 1 to 65535 [E0142-number]\n"
         "    split(i,i0,i1,2.5)\n"
         "                  ^~~\n"},
        {spmv, "split(i,i0,i1,n)",
         "<schedule>:1:15: error: expected a whole number, found 'n' [E0102-syntax]\n"
         "    split(i,i0,i1,n)\n"
         "                  ^\n"},
        {spmv, "split(i,i0,i1)",
         "<schedule>:1:14: error: expected ',', found ')' [E0102-syntax]\n"
         "    split(i,i0,i1)\n"
         "                 ^\n"
         "    help: write split(i,i0,i1,size)\n"},
        {spmv, "split(i,i0,i1,4), unroll(i,2)",
         "<schedule>:1:26: error: 'i' is no loop any more [E0141-replaced-loop]\n"
         "    split(i,i0,i1,4), unroll(i,2)\n"
         "                             ^\n"
         "    help: the loops are now i0, i1, j\n"
         "<schedule>:1:1: note: this replaced it\n"
         "    split(i,i0,i1,4), unroll(i,2)\n"
         "    ^~~~~\n"},
        {spmv, "split(k,k0,k1,4)",
         "<schedule>:1:7: error: the expression has no index variable 'k' [E0114-schedule-variable]\n"
         "    split(k,k0,k1,4)\n"
         "          ^\n"
         "    help: its variables are i, j\n"},
        {spmv, "divide(i,i0,i1,4)",
         "<schedule>:1:1: error: dividing loop 'i' by 4 needs to know its extent [E0147-bound]\n"
         "    divide(i,i0,i1,4)\n"
         "    ^~~~~~\n"
         "    help: say it with bound(i,ib,N,MaxExact) first, or split it into parts of a size\n"},
        {spmm, "split(i,i0,i1,6), split(i1,a,b,4)",
         "<schedule>:1:1: does not fit: its inner loop is split again, into parts that do not divide its "
         "size [E0149-not-lowered]\n"
         "    split(i,i0,i1,6), split(i1,a,b,4)\n"
         "    ^~~~~\n"
         "    help: use a size that is a multiple of 4\n"},
        {"x = sum(i, b(i) + 2)", "split(i,i0,i1,4)",
         "<schedule>:1:1: does not fit: the sum over this loop has a value where no operand does, so padding "
         "would change it [E0149-not-lowered]\n"
         "    split(i,i0,i1,4)\n"
         "    ^~~~~\n"
         "<expression>:1:5: note: the sum\n"
         "    x = sum(i, b(i) + 2)\n"
         "        ^~~~~~~~~~~~~~~~\n"},
        {spmv, "pos(j,jp,D)",
         "<schedule>:1:10: error: the expression has no operand 'D' [E0103-unknown-tensor]\n"
         "    pos(j,jp,D)\n"
         "             ^\n"},
        {spmv, "pos(j,jp,x)",
         "<schedule>:1:10: error: the expression has no operand 'x' [E0103-unknown-tensor]\n"
         "    pos(j,jp,x)\n"
         "             ^\n"},
        {spmv, "split(j,j0,j1,4), pos(j1,jp,B)",
         "<schedule>:1:19: error: loop 'j1' is a part of another: it has no positions [E0148-position]\n"
         "    split(j,j0,j1,4), pos(j1,jp,B)\n"
         "                      ^~~\n"
         "    help: use pos before the other commands\n"},
        {plus, "pos(j,jp,B)",
         "<schedule>:1:10: error: loop 'j' reaches coordinates that B does not store, so its positions are "
         "not enough [E0148-position]\n"
         "    pos(j,jp,B)\n"
         "             ^\n"
         "    help: only a loop over a product has the positions of one of its factors\n"},
        {spmv, "pos(j,jp,B), split(jp,a,b,4)",
         "<schedule>:1:14: does not fit: a stored tensor can be split by coordinates, not by positions "
         "[E0149-not-lowered]\n"
         "    pos(j,jp,B), split(jp,a,b,4)\n"
         "                 ^~~~~\n"
         "    help: unroll(jp,n) deals the positions out evenly; or split before there are positions\n"},
        {spmv, "pos(j,jp,E)",
         "<schedule>:1:10: error: the expression has no operand 'E' [E0103-unknown-tensor]\n"
         "    pos(j,jp,E)\n"
         "             ^\n"},
        {spmm, "fuse(i,k,f)",
         "<schedule>:1:1: error: loop 'k' is not directly inside of loop 'i' [E0143-not-nested]\n"
         "    fuse(i,k,f)\n"
         "    ^~~~\n"
         "    help: the loops run in the order i, j, k; reorder them first\n"},
        {residual, "fuse(i,j,f)",
         "<schedule>:1:1: error: loop 'j' is not directly inside of loop 'i' [E0143-not-nested]\n"
         "    fuse(i,j,f)\n"
         "    ^~~~\n"
         "    help: it is the loop of a sum that is only a part of the expression\n"},
        {spmv, "split(i,p,q,60000), split(p,r,s,60000), split(r,t,u,60000)",
         "<schedule>:1:1: error: a block of this loop would have more than 4294967295 coordinates "
         "[E0142-number]\n"
         "    split(i,p,q,60000), split(p,r,s,60000), split(r,t,u,60000)\n"
         "    ^~~~~\n"},
        {spmv, "fuse(i,j,f)",
         "<schedule>:1:1: does not fit: a stored level has one variable of the expression, or a part of one, "
         "never two [E0149-not-lowered]\n"
         "    fuse(i,j,f)\n"
         "    ^~~~\n"
         "    help: leave the loops apart: unroll either of them, or split one\n"},
        {spmv, "bound(i,ib,0,MaxExact)",
         "<schedule>:1:12: error: loop 'i' would have no iteration [E0147-bound]\n"
         "    bound(i,ib,0,MaxExact)\n"
         "               ^\n"},
        {spmv, "bound(i,ib,8,MaxExact), bound(ib,ic,9,MaxExact)",
         "<schedule>:1:37: error: loop 'ib' has the extent 8 already [E0147-bound]\n"
         "    bound(i,ib,8,MaxExact), bound(ib,ic,9,MaxExact)\n"
         "                                        ^\n"},
        {spmv, "bound(i,ib,8,AtMost)",
         "<schedule>:1:14: error: there is no bound type 'AtMost' [E0144-keyword]\n"
         "    bound(i,ib,8,AtMost)\n"
         "                 ^~~~~~\n"
         "    help: use one of MinExact, MinConstraint, MaxExact, MaxConstraint\n"},
        {spmv, "bound(i,ib,8,MaxConstraint)",
         "<schedule>:1:1: does not fit: loops start at 0, and their graph is the same for every extent "
         "[E0149-not-lowered]\n"
         "    bound(i,ib,8,MaxConstraint)\n"
         "    ^~~~~\n"
         "    help: MaxExact states the extent, and it is checked\n"},
        {spmv, "bound(i,ib,3,MinExact)",
         "<schedule>:1:1: does not fit: loops start at 0, and their graph is the same for every extent "
         "[E0149-not-lowered]\n"
         "    bound(i,ib,3,MinExact)\n"
         "    ^~~~~\n"
         "    help: MaxExact states the extent, and it is checked\n"},
        {spmv, "unroll(i,0)",
         "<schedule>:1:10: error: 0 is no whole number from 1 to 64 [E0142-number]\n"
         "    unroll(i,0)\n"
         "             ^\n"},
        {spmv, "unroll(i,65)",
         "<schedule>:1:10: error: 65 is no whole number from 1 to 64 [E0142-number]\n"
         "    unroll(i,65)\n"
         "             ^~\n"},
        {spmv, "unroll(i,2), unroll(i,2)",
         "<schedule>:1:14: error: loop 'i' has copies already [E0145-second-tag]\n"
         "    unroll(i,2), unroll(i,2)\n"
         "                 ^~~~~~\n"
         "<schedule>:1:1: note: the first command\n"
         "    unroll(i,2), unroll(i,2)\n"
         "    ^~~~~~\n"},
        {spmv, "unroll(i,2), split(i,i0,i1,2)",
         "<schedule>:1:14: error: loop 'i' has copies already [E0145-second-tag]\n"
         "    unroll(i,2), split(i,i0,i1,2)\n"
         "                 ^~~~~\n"
         "    help: say so after this command, about the loops it makes\n"
         "<schedule>:1:1: note: the first command\n"
         "    unroll(i,2), split(i,i0,i1,2)\n"
         "    ^~~~~~\n"},
        {spmv, "parallelize(j,Lanes(2),NoRaces)",
         "<schedule>:1:13: error: loop 'j' is a sum: its iterations race for one value [E0146-race]\n"
         "    parallelize(j,Lanes(2),NoRaces)\n"
         "                ^\n"
         "    help: use the strategy Temporary: the copies' values meet in one reducer\n"},
        {spmv, "parallelize(i,CPUThread,NoRaces)",
         "<schedule>:1:1: error: a CPUThread for each iteration of 'i' needs to know that there are 1 to 64 "
         "[E0147-bound]\n"
         "    parallelize(i,CPUThread,NoRaces)\n"
         "    ^~~~~~~~~~~\n"
         "    help: split it and parallelize the inner loop, or give a number of copies: Lanes(4)\n"},
        {spmv, "parallelize(i,GPUBlock,NoRaces)",
         "<schedule>:1:15: does not fit: the array has no GPU [E0149-not-lowered]\n"
         "    parallelize(i,GPUBlock,NoRaces)\n"
         "                  ^~~~~~~~\n"},
        {spmv, "parallelize(i,Tiles,NoRaces)",
         "<schedule>:1:15: error: there is no parallel unit 'Tiles' [E0144-keyword]\n"
         "    parallelize(i,Tiles,NoRaces)\n"
         "                  ^~~~~\n"
         "    help: use one of Lanes, CPUThread, CPUVector\n"},
        {spmv, "parallelize(i,Lanes,NoRaces)",
         "<schedule>:1:20: error: expected '(' and the number of lanes, found ',' [E0102-syntax]\n"
         "    parallelize(i,Lanes,NoRaces)\n"
         "                       ^\n"},
        {spmv, "parallelize(j,Lanes(2),Atomics)",
         "<schedule>:1:24: does not fit: the array has no atomic operation; Temporary adds up in one reducer "
         "[E0149-not-lowered]\n"
         "    parallelize(j,Lanes(2),Atomics)\n"
         "                           ^~~~~~~\n"},
        {spmv, "parallelize(i,Lanes(2),Often)",
         "<schedule>:1:24: error: there is no race strategy 'Often' [E0144-keyword]\n"
         "    parallelize(i,Lanes(2),Often)\n"
         "                           ^~~~~\n"
         "    help: use one of NoRaces, IgnoreRaces, Temporary, ParallelReduction\n"},
        {spmv, "parallelize(i,Lanes(2))",
         "<schedule>:1:23: error: expected ',' and a race strategy, found ')' [E0102-syntax]\n"
         "    parallelize(i,Lanes(2))\n"
         "                          ^\n"},
        {"x(i) = sum(j, B(i,j)) / d(i)", "reorder(j,i)",
         "<expression>:1:8: error: the sum over 'j' is only a part of what loop 'i' computes, but loop 'j' "
         "is outside of it [E0125-loop-order]\n"
         "    x(i) = sum(j, B(i,j)) / d(i)\n"
         "           ^~~~~~~~~~~~~~\n"
         "    help: put the loop of a partial sum inside: -s \"reorder(i,j)\"\n"},
        {sddmm, "precompute(E(i,k)*D(k,j),{i,j},{i,j},w)",
         "<schedule>:1:12: error: the expression has no 'E' [E0151-subexpression]\n"
         "    precompute(E(i,k)*D(k,j),{i,j},{i,j},w)\n"
         "               ^~~~~~~~~~~~~\n"},
        {sddmm, "precompute(B(i,k)*D(k,j),{i,j},{i,j},w)",
         "<schedule>:1:12: error: the right side has no such subexpression [E0151-subexpression]\n"
         "    precompute(B(i,k)*D(k,j),{i,j},{i,j},w)\n"
         "               ^~~~~~~~~~~~~\n"
         "    help: write factors or terms as they stand in the expression\n"},
        {sddmm, "precompute(C(i,k)*D(k,j),{i,l},{i,j},w)",
         "<schedule>:1:29: error: 'l' does not index the subexpression [E0151-subexpression]\n"
         "    precompute(C(i,k)*D(k,j),{i,l},{i,j},w)\n"
         "                                ^\n"},
        {sddmm, "precompute(C(i,k)*B(i,j),{i,j},{i},w)",
         "<schedule>:1:35: error: 2 variables, but 1 names for them [E0151-subexpression]\n"
         "    precompute(C(i,k)*B(i,j),{i,j},{i},w)\n"
         "                                      ^\n"},
        {sddmm, "precompute(C(i,k)*D(k,j),{i,j},{i,j},B)",
         "<schedule>:1:38: error: 'B' is in use already [E0140-new-name]\n"
         "    precompute(C(i,k)*D(k,j),{i,j},{i,j},B)\n"
         "                                         ^\n"
         "    help: choose a name that the expression and the schedule do not have\n"},
        {sddmm, "precompute(C(i,k)*D(k,j),{i,j},{k,j},w)",
         "<schedule>:1:33: error: 'k' is in use already [E0140-new-name]\n"
         "    precompute(C(i,k)*D(k,j),{i,j},{k,j},w)\n"
         "                                    ^\n"
         "    help: choose a name that the expression and the schedule do not have\n"},
        {sddmm, "precompute(C(i,k)*D(k,j))",
         "<schedule>:1:25: error: expected ',' and the variables of the workspace, found ')' [E0102-syntax]\n"
         "    precompute(C(i,k)*D(k,j))\n"
         "                            ^\n"},
        {sddmm, "split(i,i0,i1,2), precompute(C(i,k)*D(k,j),{i,j},{i,j},w)",
         "<schedule>:1:30: error: 'i' of the subexpression has been scheduled already [E0141-replaced-loop]\n"
         "    split(i,i0,i1,2), precompute(C(i,k)*D(k,j),{i,j},{i,j},w)\n"
         "                                 ^~~~~~~~~~~~~\n"
         "    help: precompute first, then schedule the loops of both kernels\n"
         "<schedule>:1:1: note: by this\n"
         "    split(i,i0,i1,2), precompute(C(i,k)*D(k,j),{i,j},{i,j},w)\n"
         "    ^~~~~\n"},
        {sddmm, "unroll(k,2), precompute(C(i,k)*D(k,j),{i,j},{i,j},w)",
         "<schedule>:1:25: error: 'k' of the subexpression has been scheduled already [E0141-replaced-loop]\n"
         "    unroll(k,2), precompute(C(i,k)*D(k,j),{i,j},{i,j},w)\n"
         "                            ^~~~~~~~~~~~~\n"
         "    help: precompute first, then schedule the loops of both kernels\n"
         "<schedule>:1:1: note: by this\n"
         "    unroll(k,2), precompute(C(i,k)*D(k,j),{i,j},{i,j},w)\n"
         "    ^~~~~~\n"},
        {sddmm, "precompute(C(i,k)*D(k,j),{i,j},{iw,jw},w), reorder(i,jw)",
         "<schedule>:1:54: error: loop 'jw' belongs to another kernel [E0143-not-nested]\n"
         "    precompute(C(i,k)*D(k,j),{i,j},{iw,jw},w), reorder(i,jw)\n"
         "                                                         ^~\n"
         "    help: a command is about the loops of one kernel\n"},
    };
    for (size_t i = 0; i < sizeof mistake / sizeof *mistake; i++)
        refuse(*state, mistake[i].expression, mistake[i].schedule, mistake[i].answer);
}

/* ---- at random ------------------------------------------------------------------------------- */

static const char *loop_name(const sam_statement *s, sam_var v) {
    return names_text(s->names, sam_var_at(s, v)->name);
}

/* A command about the loops that there are, or about ones that are not. */
static const char *random_command(fixture *f, prng *random, const fe_cin *cin, uint32_t number) {
    const sam_statement *s = &cin->kernels.at[prng_below(random, cin->kernels.len)].s;
    uint32_t i = prng_below(random, s->loops.len), j = prng_below(random, s->loops.len);
    const char *a = loop_name(s, s->loops.at[i]), *b = loop_name(s, s->loops.at[j]);
    uint32_t n = 1 + prng_below(random, 4);
    switch (prng_below(random, 9)) {
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
    case 7:
        return arena_printf(&f->mem, "precompute(%s,{},{})", n % 2 ? "C(i,k)*D(k,j)" : "B(i,j)*c(j)");
    default:
        return arena_printf(&f->mem, "reorder(%s,%s)", a, b);
    }
}

static void random_schedules_compute_the_same(void **state) {
    static const char *const expression[] = {sddmm,
                                             spmv,
                                             residual,
                                             plus,
                                             "X(i,j) = B(i,j) + C(i,k) * D(k,j)",
                                             "x(i) = sum(j, B(i,j) * c(j)) * d(i)",
                                             "x = B(i,j) * c(j) * B(j,i)",
                                             "X(i,j) = (B(i,j) + c(j)) * C(i,k) * D(k,j)"};
    (void)state;
    prng random = prng_seed(11);
    uint32_t accepted = 0;
    for (uint32_t n = 0; n < 400; n++) {
        fixture *f;
        fixture_set_up((void **)&f);
        fe_case c = {.expression = expression[n % (sizeof expression / sizeof *expression)]};
        sam_statement s;
        fe_cin cin;
        bool ok = fe_case_schedule(f, &c, &s, &cin);
        for (uint32_t k = 1 + prng_below(&random, 4); ok && k > 0; k--) {
            const char *command = random_command(f, &random, &cin, k);
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
        expect_cin(f, c.expression, c.schedule ? c.schedule : "", NULL);
        accepted += expect_equal_if_lowered(f, c, 10);
        fixture_tear_down((void **)&f);
    }
    assert_true(accepted > 250);
}

/* Text made of the languages' own pieces: accepted or refused, never worse; what is accepted reads back. */
static void random_texts_are_answered(void **state) {
    static const char *const piece[] = {
        "i",           "j",        "k",      "i0",        "w",       "(",
        ")",           ",",        "{",      "}",         "4",       "B(i,j)",
        "C(i,k)",      "*",        "split(", "fuse(",     "pos(",    "bound(",
        "precompute(", "unroll(",  "Lanes(", "NoRaces",   "forall(", "where(",
        "+=",          "=",        "x(i)",   "suchthat(", "t1",      "parallelize(",
        "reorder(",    "MaxExact", "$",      "-"};
    (void)state;
    prng random = prng_seed(5);
    uint32_t accepted = 0;
    for (uint32_t n = 0; n < 5000; n++) {
        fixture *f;
        fixture_set_up((void **)&f);
        static const char *const start[] = {"", "split(i,i0", "forall(i, ", "forall(i, x(i) = ", "unroll(i,"};
        const char *text = start[prng_below(&random, 5)];
        for (uint32_t length = prng_below(&random, 10); length > 0; length--)
            text =
                arena_printf(&f->mem, "%s%s", text, piece[prng_below(&random, sizeof piece / sizeof *piece)]);
        sam_statement s;
        fe_cin cin;
        fe_case c = {.expression = sddmm, .schedule = text};
        bool ok = n % 2 ? fe_case_schedule(f, &c, &s, &cin)
                        : fe_cin_parse(text, &f->names, &f->mem, &f->diag, &cin);
        assert_true(ok == !diag_failed(&f->diag));
        if (ok) {
            fe_cin again;
            assert_true(fe_cin_parse(cin_text(f, &cin), &f->names, &f->mem, &f->diag, &again));
            assert_true(fe_cin_equal(&cin, &again));
        }
        accepted += ok;
        fixture_tear_down((void **)&f);
    }
    assert_true(accepted > 20);
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
        TEST(mistakes_are_answered),
        TEST(random_schedules_compute_the_same),
        TEST(random_texts_are_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
