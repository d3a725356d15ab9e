/* Figure 4.12: X(i,j) = B(i,j) * sum over k of C(i,k) * D(j,k), B 95 % sparse, 250 x 250, C and D dense, K =
 * 1, 10, 100. Unfused, the dense product is computed first and then sampled. */
#include "tests/bench/study.h"

enum { SIZES = 3, WAYS = 4 };

static const char *const way[WAYS] = {"fused, coiterating", "fused, locating", "unfused, coiterating",
                                      "unfused, locating"};

static tile_tensor generate(study *s, const char *tensor, uint32_t number, const char *spec) {
    tile_tensor t;
    study_must(s, tile_generate(spec, names_intern(&s->f.names, tensor), number, 1, TILE_DTYPE_INT16,
                                &s->f.mem, &s->f.diag, &t));
    return t;
}

static double fused(study *s, bool locates, const tile_tensor *b, const tile_tensor *c,
                    const tile_tensor *d) {
    static const char *const formats[] = {"X:ss", "B:ss", "C:dd", "D:dd", NULL};
    const tile_tensor operand[] = {[1] = *b, [2] = *c, [3] = *d};
    study_kernel k = study_make(s, "X(i,j) = B(i,j) * C(i,k) * D(j,k)", formats, "reorder(i,j,k)");
    if (locates)
        study_locate(&k.graph);
    return (double)study_run(s, &k, operand, 0).sim.cycles;
}

static double unfused(study *s, bool locates, const tile_tensor *b, const tile_tensor *c,
                      const tile_tensor *d) {
    static const char *const product[] = {"T:dd", "C:dd", "D:dd", NULL};
    static const char *const sample[] = {"X:ss", "B:ss", "T:dd", NULL};
    const tile_tensor factors[] = {[1] = *c, [2] = *d};
    study_kernel first = study_make(s, "T(i,j) = C(i,k) * D(j,k)", product, "reorder(i,j,k)");
    study_result t = study_run(s, &first, factors, 0);
    const tile_tensor sampled[] = {[1] = *b, [2] = t.result};
    study_kernel second = study_make(s, "X(i,j) = B(i,j) * T(i,j)", sample, NULL);
    if (locates)
        study_locate(&second.graph);
    return (double)(t.sim.cycles + study_run(s, &second, sampled, 0).sim.cycles);
}

static void run(study *s) {
    static const char *const label[SIZES] = {"K = 1", "K = 10", "K = 100"};
    static const uint32_t size[SIZES] = {1, 10, 100};
    double cycles[WAYS][SIZES];
    const char *csv = "K,fused_coiterating,fused_locating,unfused_coiterating,unfused_locating\n";
    tile_tensor b = generate(s, "B", 0, "250x250:0.05");
    for (int i = 0; i < SIZES; i++) {
        const char *spec = arena_printf(&s->f.mem, "250x%u:1", size[i]);
        tile_tensor c = generate(s, "C", 1, spec), d = generate(s, "D", 2, spec);
        for (int w = 0; w < WAYS; w++)
            cycles[w][i] = (w < 2 ? fused : unfused)(s, w % 2, &b, &c, &d);
        csv = arena_printf(&s->f.mem, "%s%u,%.0f,%.0f,%.0f,%.0f\n", csv, size[i], cycles[0][i], cycles[1][i],
                           cycles[2][i], cycles[3][i]);
    }
    plot p = study_bars("SDDMM, fused and unfused", "size of the summed dimension", SIZES, label);
    study_add_cycles(s, "fusion", csv, &p, WAYS, way, &cycles[0][0]);
    for (int i = 0; i < SIZES; i++) {
        study_expect(s, cycles[2][i] > cycles[0][i] && cycles[3][i] > cycles[1][i],
                     arena_printf(&s->f.mem, "%s: unfused takes more cycles than fused", label[i]));
        study_expect(s, cycles[1][i] <= cycles[0][i],
                     arena_printf(&s->f.mem, "%s: locating takes no more cycles than coiterating", label[i]));
    }
    study_expect(s, cycles[2][2] > 10 * cycles[0][2],
                 "K = 100: unfused takes more than ten times the cycles");
    study_expect(s, cycles[0][0] > 1.5 * cycles[1][0], "K = 1: locating saves a third of the cycles");
    study_expect(s, cycles[0][2] < 1.1 * cycles[1][2], "K = 100: locating saves less than a tenth");
}

int main(int argc, char **argv) {
    return study_main(argc, argv, run);
}
