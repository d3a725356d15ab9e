/* Figure 4.17: OuterSPACE's SpM*SpM as two kernels, Y(i,k,j) = B(i,k) * C(k,j) in the order k, i, j, and
 * X(i,j) = sum of Y(i,k,j), next to a single kernel in three orders, I = J = 250, K = 100. B is stored by
 * columns, C by rows. The first kernel makes Y in the order k, i, j and the second reads Y as i, k, j;
 * OuterSPACE keeps a list for each row meanwhile, hence the conversion costs no cycles. */
#include "tests/bench/study.h"

enum { WAYS = 4, SHARES = 4 };

static const char *const way[WAYS] = {"multiplied, merged", "k, i, j", "i, k, j", "i, j, k"};
static const char *const entries[SHARES] = {"0.2", "0.05", "0.02", "0.005"};

static uint32_t count(const sam_graph *g, sam_primitive kind) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->nodes.len; i++)
        n += g->nodes.at[i].kind == kind;
    return n;
}

/* The blocks that the text names: three scanners in a row, a vector reducer, writers of two levels and of
 * values; and in the first kernel no reducer. */
static void look_at_blocks(study *s, const sam_graph *multiply, const sam_graph *merge) {
    study_expect(s,
                 count(merge, SAM_FIBERLOOKUP) == 3 && count(merge, SAM_VECTORREDUCER) == 1 &&
                     count(merge, SAM_FIBERWRITE) == 3 && count(merge, SAM_INTERSECT) == 0,
                 "merging has three scanners, a vector reducer and three writers");
    study_expect(s,
                 count(multiply, SAM_FIBERLOOKUP) == 4 && count(multiply, SAM_INTERSECT) == 1 &&
                     count(multiply, SAM_FIBERWRITE) == 4 && count(multiply, SAM_REDUCE) == 0 &&
                     count(multiply, SAM_VECTORREDUCER) == 0,
                 "multiplying has four scanners, an intersecter, four writers and no reducer");
}

static double one_kernel(study *s, const char *b, const char *schedule, const tile_tensor *operand) {
    const char *const formats[] = {"X:ss", b, strcmp(schedule, "reorder(i,j,k)") ? "C:ss" : "C:ss:1,0", NULL};
    study_kernel k = study_make(s, "X(i,j) = B(i,k) * C(k,j)", formats, schedule);
    return (double)study_run(s, &k, operand, 0).sim.cycles;
}

static void run(study *s) {
    static const char *const products[] = {"Y:sss:1,0,2", "B:ss:1,0", "C:ss", NULL};
    static const char *const sums[] = {"X:ss", "Y:sss", NULL};
    const char *csv = "entries,multiplied,merged,kij,ikj,ijk\n", *label[SHARES];
    double cycles[WAYS][SHARES];
    for (int e = 0; e < SHARES; e++) {
        tile_tensor operand[3] = {0}, middle[2] = {0};
        for (uint32_t t = 1; t < 3; t++)
            study_must(
                s, tile_generate(arena_printf(&s->f.mem, "%s:%s", t == 1 ? "250x100" : "100x250", entries[e]),
                                 names_intern(&s->f.names, t == 1 ? "B" : "C"), t - 1, 1, TILE_DTYPE_INT16,
                                 &s->f.mem, &s->f.diag, &operand[t]));
        study_kernel multiply = study_make(s, "Y(i,k,j) = B(i,k) * C(k,j)", products, "reorder(k,i,j)");
        study_kernel merge = study_make(s, "X(i,j) = Y(i,k,j)", sums, "reorder(i,k,j)");
        study_result y = study_run(s, &multiply, operand, 0);
        middle[1] = y.result;
        const double first = (double)y.sim.cycles, then = (double)study_run(s, &merge, middle, 0).sim.cycles;
        cycles[0][e] = first + then;
        cycles[1][e] = one_kernel(s, "B:ss:1,0", "reorder(k,i,j)", operand);
        cycles[2][e] = one_kernel(s, "B:ss", "reorder(i,k,j)", operand);
        cycles[3][e] = one_kernel(s, "B:ss", "reorder(i,j,k)", operand);
        label[e] = arena_printf(&s->f.mem, "%s full", entries[e]);
        csv = arena_printf(&s->f.mem, "%s%s,%.0f,%.0f,%.0f,%.0f,%.0f\n", csv, entries[e], first, then,
                           cycles[1][e], cycles[2][e], cycles[3][e]);
        if (!e)
            look_at_blocks(s, &multiply.graph, &merge.graph);
        study_expect(s, cycles[0][e] < cycles[3][e], "two kernels take fewer cycles than inner products");
        study_expect(s, cycles[0][e] > cycles[1][e] && cycles[0][e] < 3 * cycles[1][e],
                     "and up to three times those of one kernel that keeps the whole result");
    }
    plot p = study_bars("SpM*SpM by outer products, in two kernels and in one", "share of entries in B and C",
                        SHARES, label);
    study_add_cycles(s, "merge", csv, &p, WAYS, way, &cycles[0][0]);
}

int main(int argc, char **argv) {
    return study_main(argc, argv, run);
}
