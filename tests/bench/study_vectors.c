/* Figure 4.14: x(i) = b(i) * c(i) over 2000 coordinates, in seven ways to store and iterate, for three kinds
 * of vectors: uniformly random over their sparsity, runs over their length, blocks over their size. Split
 * vectors have 63 chunks of 32 coordinates, bit vectors words of 64 bits. Skipping is also shown with FIFOs
 * of 4 tokens: without a bound a scanner runs ahead while its intersecter discards the other operand, so that
 * a request comes too late for what is already queued. */
#include "tests/bench/study.h"

enum { SIZE = 2000, NONZEROS = 400, CHUNK = 32, FIFO_DEPTH = 4, MOST_POINTS = 16 };

typedef enum { DENSE, COMPRESSED, SKIPPING, SKIPPING_BOUNDED, SPLIT, BITS, BIT_TREE, WAYS } way;

static const char *const way_name[WAYS] = {"dense", "compressed", "skipping", "skipping, FIFOs of 4",
                                           "split", "bit vector", "bit tree"};
static const char *const way_column[WAYS] = {"dense", "compressed", "skipping", "skipping_fifo_4",
                                             "split", "bits",       "bit_tree"};

/* Two vectors, by coordinate; 0: not stored. */
typedef struct {
    uint16_t b[SIZE], c[SIZE];
} pair;

static uint16_t random_value(prng *random) {
    return (uint16_t)(1 + prng_below(random, 9));
}

/* ---- vectors --------------------------------------------------------------------------------- */

static void uniform(pair *p, double sparsity, prng *random) {
    uint32_t per_million = (uint32_t)(1e6 * (1 - sparsity));
    for (uint32_t i = 0; i < SIZE; i++) {
        p->b[i] = prng_below(random, 1000000) < per_million ? random_value(random) : 0;
        p->c[i] = prng_below(random, 1000000) < per_million ? random_value(random) : 0;
    }
}

/* Runs of b and of c in turn, without common coordinates, with equal gaps. */
static void runs(pair *p, uint32_t length, prng *random) {
    uint32_t count = NONZEROS / length, slot = SIZE / (2 * count);
    for (uint32_t r = 0; r < 2 * count; r++)
        for (uint32_t i = 0; i < length; i++)
            (r % 2 ? p->c : p->b)[r * slot + i] = random_value(random);
}

/* Blocks of b, each overlapped by a block of c that begins a quarter to three quarters of its length
 * later. */
static void blocks(pair *p, uint32_t length, prng *random) {
    uint32_t count = NONZEROS / length, slot = SIZE / count;
    for (uint32_t r = 0; r < count; r++) {
        uint32_t b = r * slot + prng_below(random, slot - 2 * length + 1);
        uint32_t c = b + length / 4 + prng_below(random, length / 2 + 1);
        for (uint32_t i = 0; i < length; i++) {
            p->b[b + i] = random_value(random);
            p->c[c + i] = random_value(random);
        }
    }
}

/* ---- runs of the kernel ---------------------------------------------------------------------- */

/* As a tensor of order 1, or of order 2 with chunks. */
static tile_tensor pack(study *s, const char *name, const uint16_t *at, bool split) {
    u32_vec crd = {0};
    u16_vec val = {0};
    for (uint32_t i = 0; i < SIZE; i++) {
        if (!at[i])
            continue;
        if (split)
            vec_push(&s->f.mem, &crd, i / CHUNK);
        vec_push(&s->f.mem, &crd, split ? i % CHUNK : i);
        vec_push(&s->f.mem, &val, at[i]);
    }
    tile_tensor t = {.name = names_intern(&s->f.names, name),
                     .order = split ? 2 : 1,
                     .dim = {SIZE},
                     .nnz = val.len,
                     .crd = crd.at,
                     .val = val.at};
    if (split) {
        t.dim[0] = (SIZE + CHUNK - 1) / CHUNK;
        t.dim[1] = CHUNK;
    }
    return t;
}

static double cycles_of(study *s, way w, const pair *p) {
    static const char *const vector[] = {"x:s", "b:s", "c:s", NULL};
    static const char *const dense[] = {"x:d", "b:d", "c:d", NULL};
    static const char *const matrix[] = {"x:ss", "b:ss", "c:ss", NULL};
    bool split = w == SPLIT || w == BIT_TREE;
    const tile_tensor operand[] = {[1] = pack(s, "b", p->b, split), [2] = pack(s, "c", p->c, split)};
    study_kernel k = study_make(s, split ? "x(i,j) = b(i,j) * c(i,j)" : "x(i) = b(i) * c(i)",
                                split        ? matrix
                                : w == DENSE ? dense
                                             : vector,
                                NULL);
    if (w == SKIPPING || w == SKIPPING_BOUNDED)
        study_skip(&k.graph);
    if (w == BITS || w == BIT_TREE)
        study_use_bits(&k.graph);
    return (double)study_run(s, &k, operand, w == SKIPPING_BOUNDED ? FIFO_DEPTH : 0).sim.cycles;
}

/* ---- sweeps ---------------------------------------------------------------------------------- */

typedef struct {
    uint32_t n;
    double x[MOST_POINTS], cycles[WAYS][MOST_POINTS];
} sweep;

static void measure(study *s, sweep *w, double x, const pair *p) {
    w->x[w->n] = x;
    for (way k = DENSE; k < WAYS; k++)
        w->cycles[k][w->n] = cycles_of(s, k, p);
    w->n++;
}

static void keep(study *s, const sweep *w, const char *name, const char *title, const char *x_label) {
    arena *mem = &s->f.mem;
    plot p = {.title = title,
              .x_label = x_label,
              .y_label = "cycles",
              .n = w->n,
              .x = w->x,
              .log_x = true,
              .log_y = true,
              .n_series = WAYS};
    const char *csv = name;
    for (way k = DENSE; k < WAYS; k++) {
        p.series[k] = (plot_series){way_name[k], w->cycles[k], false};
        csv = arena_printf(mem, "%s,%s", csv, way_column[k]);
    }
    for (uint32_t i = 0; i < w->n; i++) {
        csv = arena_printf(mem, "%s\n%g", csv, w->x[i]);
        for (way k = DENSE; k < WAYS; k++)
            csv = arena_printf(mem, "%s,%.0f", csv, w->cycles[k][i]);
    }
    csv = arena_printf(mem, "%s\n", csv);
    fputs(csv, stdout);
    study_add_text(s, arena_printf(mem, "vectors_%s.csv", name), csv);
    study_add_plot(s, arena_printf(mem, "vectors_%s.svg", name), &p);
}

static void sweep_sparsity(study *s) {
    static const double sparsity[] = {0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.975, 0.9875, 0.99375};
    sweep w = {0};
    prng random = prng_seed(1);
    uint32_t n = sizeof sparsity / sizeof *sparsity;
    for (uint32_t i = 0; i < n; i++) {
        pair *p = arena_new(&s->f.mem, pair);
        uniform(p, sparsity[i], &random);
        measure(s, &w, 1 - sparsity[i], p);
    }
    keep(s, &w, "density", "Uniformly random vectors", "density");
    bool same = true;
    for (uint32_t i = 0; i < n; i++)
        same = same && w.cycles[SKIPPING][i] <= w.cycles[COMPRESSED][i] &&
               w.cycles[SKIPPING][i] > 0.8 * w.cycles[COMPRESSED][i];
    study_expect(s, same, "random: skipping saves less than a fifth");
    study_expect(s, w.cycles[BITS][0] < w.cycles[COMPRESSED][0], "random, dense: bit vectors are ahead");
    study_expect(s, w.cycles[BITS][n - 1] > w.cycles[COMPRESSED][n - 1],
                 "random, sparsest: compressed is ahead of bit vectors");
    study_expect(s, w.cycles[DENSE][n - 1] > 10 * w.cycles[COMPRESSED][n - 1],
                 "random, sparsest: compressed is ten times ahead of dense");
}

/* Runs or blocks, over the divisors of the number of nonzeros. */
static sweep sweep_lengths(study *s, void (*make)(pair *, uint32_t, prng *), uint32_t longest) {
    sweep w = {0};
    prng random = prng_seed(2);
    for (uint32_t length = 1; length <= longest; length++) {
        if (NONZEROS % length)
            continue;
        pair *p = arena_new(&s->f.mem, pair);
        make(p, length, &random);
        measure(s, &w, length, p);
    }
    return w;
}

static void sweep_runs(study *s) {
    sweep w = sweep_lengths(s, runs, NONZEROS);
    uint32_t last = w.n - 1;
    keep(s, &w, "run_length", "Runs in turn", "run length");
    study_expect(s, w.cycles[SKIPPING][last] < 0.2 * w.cycles[COMPRESSED][last],
                 "long runs: skipping is five times ahead of compressed");
    bool ahead = true;
    for (uint32_t i = 0; i < w.n; i++)
        ahead = ahead && w.cycles[SKIPPING_BOUNDED][i] <= w.cycles[SKIPPING][i];
    study_expect(s, ahead, "runs: with short FIFOs skipping saves at least as much");
    study_expect(s, w.cycles[SPLIT][last] < 0.2 * w.cycles[SPLIT][0],
                 "runs: splitting gains with their length");
    study_expect(s, w.cycles[BITS][0] == w.cycles[BITS][last],
                 "runs: a bit vector does not mind their length");
    study_expect(s, w.cycles[BIT_TREE][last] < w.cycles[BITS][last], "long runs: the bit tree is ahead");
}

static void sweep_blocks(study *s) {
    sweep w = sweep_lengths(s, blocks, NONZEROS / 2);
    uint32_t last = w.n - 1;
    keep(s, &w, "block_size", "Overlapping blocks", "block size");
    study_expect(s, w.cycles[SKIPPING][last] < w.cycles[COMPRESSED][last],
                 "large blocks: skipping is ahead of compressed");
    study_expect(s, w.cycles[SPLIT][last] < w.cycles[COMPRESSED][last],
                 "large blocks: splitting is ahead of compressed");
    study_expect(s, w.cycles[BITS][last] < w.cycles[COMPRESSED][last], "large blocks: bit vectors are ahead");
}

static void run(study *s) {
    sweep_sparsity(s);
    sweep_runs(s);
    sweep_blocks(s);
}

int main(int argc, char **argv) {
    return study_main(argc, argv, run);
}
