/* dense.h - sums and products of whole arrays, for descriptions that state an expression: docs/functions.md.
 * Matrices lie row by row. No array may be another one.
 */
#ifndef ONYX_FUNCTIONS_DENSE_H
#define ONYX_FUNCTIONS_DENSE_H

/* x[rows][columns] = b[rows][inner] c[inner][columns] */
void dense_gemm(int rows, int columns, int inner, const double *b, const double *c, double *x);
/* y[rows] = a[rows][columns] x[columns] */
void dense_gemv(int rows, int columns, const double *a, const double *x, double *y);
/* y = a x for a symmetric matrix; reads a[i][k] only for i <= k. */
void dense_symv(int rows, const double *a, const double *x, double *y);
double dense_dot(int n, const double *b, const double *c);
/* x = b + c, x = b c by coordinates, and y = a x + z */
void dense_add(int n, const double *b, const double *c, double *x);
void dense_multiply(int n, const double *b, const double *c, double *x);
void dense_axpy(int n, double a, const double *x, const double *z, double *y);

#endif
