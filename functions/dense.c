/* dense.c - the functions of dense.h, as loops. */
#include "dense.h"

double dense_dot(int n, const double *b, const double *c) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += b[i] * c[i];
    return sum;
}

void dense_gemm(int rows, int columns, int inner, const double *b, const double *c, double *x) {
    for (int i = 0; i < rows; i++) {
        for (int k = 0; k < inner; k++) {
            for (int j = 0; j < columns; j++)
                x[i * columns + j] += b[i * inner + k] * c[k * columns + j];
        }
    }
}

void dense_gemv(int rows, int columns, const double *a, const double *x, double *y) {
    for (int i = 0; i < rows; i++)
        y[i] = dense_dot(columns, a + i * columns, x);
}

void dense_symv(int rows, const double *a, const double *x, double *y) {
    for (int i = 0; i < rows; i++) {
        y[i] += a[i * rows + i] * x[i];
        for (int k = i + 1; k < rows; k++) {
            y[i] += a[i * rows + k] * x[k];
            y[k] += a[i * rows + k] * x[i];
        }
    }
}

void dense_add(int n, const double *b, const double *c, double *x) {
    for (int i = 0; i < n; i++)
        x[i] = b[i] + c[i];
}

void dense_multiply(int n, const double *b, const double *c, double *x) {
    for (int i = 0; i < n; i++)
        x[i] = b[i] * c[i];
}

void dense_axpy(int n, double a, const double *x, const double *z, double *y) {
    for (int i = 0; i < n; i++)
        y[i] = a * x[i] + z[i];
}
