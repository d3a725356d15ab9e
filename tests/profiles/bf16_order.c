/* Sums of bfloat16 numbers, added in the order of the array: written from docs/boards.md, with floats, and
 * using nothing of the compiler or of the models.
 *
 *   bf16_order make DIR                writes B.mtx, C.mtx, S.mtx (matrices) and c.mtx (a vector)
 *   bf16_order KERNEL TILE DIR X.mtx   exit 0 if every number of the result is, to the bit, what this order
 * gives
 *
 * KERNEL: spmv x(i)=B(i,k)*c(k); spmspm X(i,j)=B(i,k)*C(k,j); sddmm X(i,j)=S(i,j)*B(i,k)*C(k,j); inner a=B*S;
 * vectors, as spmspm by a vector reducer.
 * A sum in one pass over all k must give other bits somewhere: else the data would show nothing.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 40 };

/* A number, and whether the matrix stores the number. */
typedef struct {
    float value;
    bool there;
} entry;
typedef entry matrix[N][N];

/* The bfloat16 nearest to x, ties to even. Exact sums of two bfloat16 numbers may be rounded to float first:
 * it has more than twice the digits. */
static float bf16(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The product, exact in a float, cut to three bits more than a bfloat16 has; and rounded. */
static float product(float x, float y) {
    float exact = x * y;
    uint32_t bits;
    memcpy(&bits, &exact, sizeof bits);
    bits &= 0xffffe000u;
    memcpy(&exact, &bits, sizeof exact);
    return bf16(exact);
}

static uint32_t next(uint32_t *state, uint32_t below) {
    *state = *state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(*state >> 8) * below >> 24);
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool write_matrix(const char *folder, const char *name, uint32_t columns, uint32_t percent) {
    char path[4096];
    uint32_t state = (uint32_t)name[0], count = 0;
    static struct {
        uint32_t i, j;
        float value;
    } all[N * N];
    for (uint32_t i = 0; i < N; i++) {
        for (uint32_t j = 0; j < columns; j++) {
            if (next(&state, 100) >= percent)
                continue;
            int scale = (int)next(&state, 13) - 6;
            float value = (float)(128 + next(&state, 128)) / 128 * (next(&state, 2) ? -1 : 1);
            for (; scale > 0; scale--)
                value *= 2;
            for (; scale < 0; scale++)
                value /= 2;
            all[count].i = i + 1;
            all[count].j = j + 1;
            all[count++].value = value;
        }
    }
    snprintf(path, sizeof path, "%s/%s.mtx", folder, name);
    FILE *f = fopen(path, "w");
    if (!f)
        return false;
    fprintf(f, "%%%%MatrixMarket matrix coordinate real general\n%d %u %u\n", N, columns, count);
    for (uint32_t p = 0; p < count; p++)
        fprintf(f, "%u %u %.9g\n", all[p].i, all[p].j, (double)all[p].value);
    return fclose(f) == 0;
}

static bool read_matrix(const char *path, matrix out) {
    char line[256];
    unsigned rows, columns, count, i, j;
    double value;
    FILE *f = fopen(path, "r");
    memset(out, 0, sizeof(matrix));
    if (!f)
        return false;
    do {
        if (!fgets(line, sizeof line, f))
            return false;
    } while (line[0] == '%');
    bool good = sscanf(line, "%u %u %u", &rows, &columns, &count) == 3 && rows <= N && columns <= N;
    for (unsigned n = 0; good && n < count; n++) {
        good = fscanf(f, "%u %u %lf", &i, &j, &value) == 3 && i - 1 < N && j - 1 < N;
        if (good)
            out[i - 1][j - 1] = (entry){(float)value, true};
    }
    fclose(f);
    return good;
}

/* ---- the order of the array ------------------------------------------------------------------ */

/* A scalar reducer: starts at 0, and adds each value in float32. */
static void add(entry *sum, float value) {
    sum->value = (sum->there ? sum->value : 0) + value;
    sum->there = true;
}

/* A vector reducer: rounds each sum. */
static void add_rounding(entry *sum, float value) {
    add(sum, value);
    sum->value = bf16(sum->value);
}

/* Returns the sum that leaves a scalar reducer. */
static entry leaving(entry sum) {
    return (entry){bf16(sum.value), sum.there};
}

/* Adds the sum of a sub-tile in float32, as the host does, which rounds the last total alone. */
static void join(entry *total, entry part) {
    if (part.there)
        *total = total->there ? (entry){total->value + part.value, true} : part;
}

typedef struct {
    matrix b, c, s, vector;
    bool rounds; /* the reducer rounds each sum */
} operands;

/* Products of row i and column j over the sub-tiles of k; s may be NULL. */
static entry dot(operands *o, matrix c, const entry *s, int i, int j, int tile) {
    entry(*b)[N] = o->b;
    entry total = {0};
    for (int first = 0; first < N && (!s || s->there); first += tile) {
        entry part = {0};
        for (int k = first; k < first + tile && k < N; k++) {
            if (b[i][k].there && c[k][j].there)
                (o->rounds ? add_rounding : add)(&part,
                                                 s ? product(product(s->value, b[i][k].value), c[k][j].value)
                                                   : product(b[i][k].value, c[k][j].value));
        }
        join(&total, leaving(part));
    }
    return (entry){bf16(total.value), total.there};
}

/* Sums the rows of each pair of sub-tiles, and adds these sums. */
static entry inner(matrix b, matrix s, int tile) {
    entry total = {0};
    for (int top = 0; top < N; top += tile) {
        for (int left = 0; left < N; left += tile) {
            entry part = {0};
            for (int i = top; i < top + tile && i < N; i++) {
                entry row = {0};
                for (int j = left; j < left + tile && j < N; j++) {
                    if (b[i][j].there && s[i][j].there)
                        add(&row, product(b[i][j].value, s[i][j].value));
                }
                if (row.there)
                    add(&part, leaving(row).value);
            }
            join(&total, leaving(part));
        }
    }
    return (entry){bf16(total.value), total.there};
}

static bool compute(const char *kernel, operands *o, int tile, matrix out) {
    bool spmv = strcmp(kernel, "spmv") == 0, sddmm = strcmp(kernel, "sddmm") == 0;
    memset(out, 0, sizeof(matrix));
    if (strcmp(kernel, "inner") == 0) {
        out[0][0] = inner(o->b, o->s, tile);
        return true;
    }
    o->rounds = strcmp(kernel, "vectors") == 0;
    if (!spmv && !sddmm && !o->rounds && strcmp(kernel, "spmspm") != 0)
        return false;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < (spmv ? 1 : N); j++)
            out[i][j] = dot(o, spmv ? o->vector : o->c, sddmm ? &o->s[i][j] : NULL, i, j, tile);
    }
    return true;
}

/* Number of different entries; an absent entry is 0. */
static uint32_t differences(matrix got, matrix want, bool say) {
    uint32_t n = 0;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            float a = got[i][j].value, b = want[i][j].value;
            if (a == b)
                continue;
            n++;
            if (say)
                printf("(%d,%d) is %.9g, in the order of the array %.9g\n", i + 1, j + 1, (double)a,
                       (double)b);
        }
    }
    return n;
}

int main(int argc, char **argv) {
    static operands o;
    static matrix got, want, flat;
    char path[4096];
    static const struct {
        const char *name;
        uint32_t columns, percent;
        size_t at;
    } files[] = {{"B", N, 40, offsetof(operands, b)},
                 {"C", N, 40, offsetof(operands, c)},
                 {"S", N, 40, offsetof(operands, s)},
                 {"c", 1, 70, offsetof(operands, vector)}};
    bool make = argc == 3 && strcmp(argv[1], "make") == 0, good = make || argc == 5;
    for (int i = 0; good && i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s.mtx", argv[make ? 2 : 3], files[i].name);
        good = make ? write_matrix(argv[2], files[i].name, files[i].columns, files[i].percent)
                    : read_matrix(path, *(matrix *)((char *)&o + files[i].at));
    }
    if (!good || (!make && !read_matrix(argv[4], got))) {
        fprintf(stderr, "bf16_order make DIR | KERNEL TILE DIR X.mtx\n");
        return 2;
    }
    if (make)
        return 0;
    if (!compute(argv[1], &o, atoi(argv[2]), want) || !compute(argv[1], &o, N, flat))
        return 2;
    uint32_t wrong = differences(got, want, true), power = differences(flat, want, false);
    printf("%s: %u entries differ; %u would in another order\n", argv[1], wrong, power);
    return wrong != 0 || power == 0;
}
