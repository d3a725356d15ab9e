/* single.c - products in single precision by a BLAS, for values exact in single precision: each product of
 * two bf16 is exact, and every sum is rounded to 24 bits. Uses the heap. */
#include <cblas.h>
#include <stdlib.h>

static float *singles(int n, const double *from) {
    float *to = malloc((size_t)n * sizeof *to);
    for (int i = 0; to && i < n; i++)
        to[i] = (float)from[i];
    return to;
}

void single_product(int rows, int columns, int depth, const double *a, const double *b, double *c) {
    float *x = singles(rows * depth, a), *y = singles(depth * columns, b), *z = singles(rows * columns, c);
    if (!x || !y || !z)
        abort();
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, columns, depth, 1, x, depth, y, columns, 0,
                z, columns);
    for (int i = 0; i < rows * columns; i++)
        c[i] = (double)z[i];
    free(x);
    free(y);
    free(z);
}
