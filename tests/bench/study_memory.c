/* Figure 4.16: X(i,j) = sum of B(i,k) * C(k,j) with a constant number of nonzeros, over the dimension, on a
 * machine with finite memory as ExTensor's: a buffer on the chip filled from DRAM (68.256 GB/s), and a
 * processing element that holds a pair of sub-tiles of 128 x 128 while the next pair is loaded. Empty
 * sub-tiles are skipped. Four things go on side by side, and the longest is the run: a graph of the same
 * kernel that scans the sub-tiles, as the loops around the kernel; the words of the sub-tiles, a word a
 * cycle; the kernel on every pair; DRAM. Cycles are of 1 GHz.
 *
 * With more than MOST_PAIRS pairs only every Nth pair is simulated, and stands for N pairs.
 */
#include "tests/bench/study.h"

enum { EDGE = 128, MOST_PAIRS = 4000, DIMENSIONS = 7, COUNTS = 3, ENTRY_BYTES = 12 };

static const uint32_t dimension[DIMENSIONS] = {1024, 2048, 4096, 8192, 16384, 32768, 65536};
static const uint32_t nonzeros[COUNTS] = {1000, 5000, 25000};
static const double dram_bytes_a_cycle = 68.256;

/* The nonempty sub-tiles of a matrix, by their rows. */
typedef struct {
    tile_tensor grid;        /* an entry for each sub-tile */
    const tile_tensor *tile; /* as there */
    const uint32_t *row;     /* first sub-tile of each row of the grid, and the end */
} tiles;

typedef struct {
    study_kernel kernel, around;
    tiles b, c;
    uint64_t pairs, sequence, words, work, dram, result;
} machine;

typedef struct {
    uint64_t tile;
    uint32_t entry;
} place;

static int by_tile(const void *a, const void *b) {
    const place *p = a, *q = b;
    if (p->tile != q->tile)
        return p->tile < q->tile ? -1 : 1;
    return p->entry < q->entry ? -1 : p->entry > q->entry;
}

static tiles cut(study *s, const tile_tensor *t) {
    arena *mem = &s->f.mem;
    const uint32_t n = t->dim[0] / EDGE;
    place *order = arena_new_n(mem, place, t->nnz + 1);
    uint32_t *crd = arena_new_n(mem, uint32_t, 2 * t->nnz + 1), *row = arena_new_n(mem, uint32_t, n + 1);
    uint32_t *at = arena_new_n(mem, uint32_t, 2 * t->nnz + 1);
    uint16_t *val = arena_new_n(mem, uint16_t, t->nnz + 1), *ones = arena_new_n(mem, uint16_t, t->nnz + 1);
    tile_tensor *tile = arena_new_n(mem, tile_tensor, t->nnz + 1);
    uint32_t found = 0;
    for (uint32_t e = 0; e < t->nnz; e++)
        order[e] = (place){(uint64_t)(t->crd[2 * e] / EDGE) * n + t->crd[2 * e + 1] / EDGE, e};
    qsort(order, t->nnz, sizeof *order, by_tile);
    for (uint32_t e = 0; e < t->nnz; e++) {
        const uint32_t from = order[e].entry;
        if (!e || order[e].tile != order[e - 1].tile) {
            tile[found] = (tile_tensor){
                .name = t->name, .order = 2, .dim = {EDGE, EDGE}, .crd = crd + 2 * e, .val = val + e};
            at[2 * found] = (uint32_t)(order[e].tile / n);
            at[2 * found + 1] = (uint32_t)(order[e].tile % n);
            ones[found] = 1;
            found++;
            row[order[e].tile / n + 1] = found;
        }
        tile[found - 1].nnz++;
        crd[2 * e] = t->crd[2 * from] % EDGE;
        crd[2 * e + 1] = t->crd[2 * from + 1] % EDGE;
        val[e] = t->val[from];
    }
    for (uint32_t i = 1; i <= n; i++)
        row[i] = row[i] ? row[i] : row[i - 1];
    return (tiles){
        {.name = t->name, .order = 2, .dim = {n, n}, .nnz = found, .crd = at, .val = ones}, tile, row};
}

/* The sum of all products, without the kernel. */
static uint16_t sum_of_products(const tile_tensor *b, const tile_tensor *c) {
    uint32_t column[EDGE] = {0}, sum = 0;
    for (uint32_t e = 0; e < b->nnz; e++)
        column[b->crd[2 * e + 1]] += b->val[e];
    for (uint32_t e = 0; e < c->nnz; e++)
        sum += column[c->crd[2 * e]] * c->val[e];
    return (uint16_t)sum;
}

/* Runs a kernel on two operands; returns its cycles, after a look at the sum of the result's values. */
static uint64_t cycles_of(study *s, const study_kernel *k, const tile_tensor *b, const tile_tensor *c,
                          uint16_t want, uint64_t *stored) {
    const tile_tensor *operand[] = {b, c};
    arena mem = {0};
    sam_tensor_levels levels[2];
    sam_sim_result r;
    uint16_t sum = 0;
    for (uint32_t t = 0; t < 2; t++)
        study_must(s, tile_levels(operand[t], &k->packed.tensors.at[t + 1], &mem, &s->f.diag, &levels[t]));
    study_must(s, sam_simulate(&k->graph, levels, 2, NULL, &s->f.diag, &r));
    for (uint32_t i = 0; i < r.result.n_vals; i++)
        sum = (uint16_t)(sum + r.result.vals[i]);
    if (sum != want) {
        printf("the result adds up to %u, not %u\n", sum, want);
        exit(1);
    }
    *stored += r.stored;
    arena_free(&mem);
    return r.cycles;
}

/* All pairs in the order i, k, j of the loops around. */
static void run_pairs(study *s, machine *m) {
    uint64_t step = 1, in_step = 0, at = 0, cycles = 0, stored = 0;
    m->pairs = 0;
    for (uint32_t b = 0; b < m->b.grid.nnz; b++)
        m->pairs += m->c.row[m->b.grid.crd[2 * b + 1] + 1] - m->c.row[m->b.grid.crd[2 * b + 1]];
    step = m->pairs / MOST_PAIRS + 1;
    m->words = m->work = m->result = 0;
    for (uint32_t b = 0; b < m->b.grid.nnz; b++) {
        const uint32_t k = m->b.grid.crd[2 * b + 1];
        m->words += m->b.tile[b].nnz;
        for (uint32_t c = m->c.row[k]; c < m->c.row[k + 1]; c++, at++) {
            const tile_tensor *x = &m->b.tile[b], *y = &m->c.tile[c];
            m->words += y->nnz;
            if (at % step == 0) {
                in_step = m->pairs - at < step ? m->pairs - at : step;
                stored = 0;
                cycles = cycles_of(s, &m->kernel, x, y, sum_of_products(x, y), &stored);
                m->work += cycles * in_step;
                m->result += stored * in_step;
            }
        }
    }
}

static uint64_t longest(const machine *m) {
    const uint64_t all[] = {m->sequence, m->words, m->work, m->dram};
    uint64_t most = 0;
    for (uint32_t i = 0; i < 4; i++)
        most = all[i] > most ? all[i] : most;
    return most;
}

static uint64_t measure(study *s, machine *m, uint32_t dim, uint32_t nnz) {
    tile_tensor operand[2];
    for (uint32_t t = 0; t < 2; t++) {
        const char *spec =
            arena_printf(&s->f.mem, "%ux%u:%.12f", dim, dim, (double)nnz / (double)dim / (double)dim);
        study_must(s, tile_generate(spec, names_intern(&s->f.names, t ? "C" : "B"), t, 1, TILE_DTYPE_INT16,
                                    &s->f.mem, &s->f.diag, &operand[t]));
    }
    m->b = cut(s, &operand[0]);
    m->c = cut(s, &operand[1]);
    run_pairs(s, m);
    uint64_t stored = 0;
    m->sequence = cycles_of(s, &m->around, &m->b.grid, &m->c.grid, (uint16_t)m->pairs, &stored);
    m->dram = (uint64_t)((double)((operand[0].nnz + operand[1].nnz + m->result) * ENTRY_BYTES) /
                         dram_bytes_a_cycle);
    return longest(m);
}

/* Cycles saved by each further coordinate between dimensions d - 1 and d. */
static double gain(const double *cycles, uint32_t d) {
    return (cycles[d - 1] - cycles[d]) / (dimension[d] - dimension[d - 1]);
}

static void run(study *s) {
    /* Rows of sub-tiles of C are located in a step, other rows are scanned. */
    static const char *const inside[] = {"X:ss", "B:ss:1,0", "C:ss", NULL};
    static const char *const outside[] = {"X:ss", "B:ss", "C:ds", NULL};
    const char *expression = "X(i,j) = B(i,k) * C(k,j)", *label[DIMENSIONS], *names[COUNTS],
               *csv = "nonzeros,dimension,pairs,sequence,words,work,dram,cycles\n";
    double cycles[COUNTS][DIMENSIONS];
    uint32_t peak[COUNTS] = {0};
    machine m = {.kernel = study_make(s, expression, inside, "reorder(k,i,j)"),
                 .around = study_make(s, expression, outside, "reorder(i,k,j)")};
    study_skip(&m.kernel.graph);
    study_locate(&m.around.graph);
    for (uint32_t n = 0; n < COUNTS; n++) {
        names[n] = arena_printf(&s->f.mem, "%u nonzeros", nonzeros[n]);
        for (uint32_t d = 0; d < DIMENSIONS; d++) {
            cycles[n][d] = (double)measure(s, &m, dimension[d], nonzeros[n]);
            peak[n] = cycles[n][d] > cycles[n][peak[n]] ? d : peak[n];
            label[d] = arena_printf(&s->f.mem, "%u", dimension[d]);
            csv = arena_printf(&s->f.mem, "%s%u,%u,%llu,%llu,%llu,%llu,%llu,%.0f\n", csv, nonzeros[n],
                               dimension[d], (unsigned long long)m.pairs, (unsigned long long)m.sequence,
                               (unsigned long long)m.words, (unsigned long long)m.work,
                               (unsigned long long)m.dram, cycles[n][d]);
            printf("%u nonzeros, %u: %.0f cycles\n", nonzeros[n], dimension[d], cycles[n][d]);
            fflush(stdout);
        }
    }
    plot p = study_bars("SpM*SpM with constant nonzeros, finite memory", "dimension", DIMENSIONS, label);
    study_add_cycles(s, "memory", csv, &p, COUNTS, names, &cycles[0][0]);
    for (uint32_t n = 0; n < COUNTS; n++) {
        const double *c = cycles[n];
        study_expect(
            s, peak[n] > 0 && c[peak[n]] > 2 * c[0],
            "at small dimensions it takes longer the larger they are, since more sub-tiles are not empty");
        study_expect(s, !n || peak[n] >= peak[n - 1], "with more nonzeros that goes on to larger dimensions");
    }
    study_expect(s, cycles[0][DIMENSIONS - 1] < cycles[0][peak[0]] / 2,
                 "then less, since sub-tiles are skipped");
    study_expect(s, gain(cycles[0], DIMENSIONS - 1) < gain(cycles[0], DIMENSIONS - 2) / 2,
                 "and that saturates");
}

int main(int argc, char **argv) {
    return study_main(argc, argv, run);
}
