/* frontend/: schedules. Every command lowers to kernels that compute the unscheduled statement, on random
 * data. */
#include "tests/frontend/schedule_cases.h"

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

TEST_PART(schedule_loops, TEST(split_loops_compute_the_same), TEST(fused_loops_are_one),
          TEST(renamed_loops_compute_the_same), TEST(hints_compute_the_same))

int main(void) {
    return schedule_loops() + schedule_copies();
}
