/* along.c - functions along an index. A fiber has at least one value: an empty fiber has no call. */
#include "along.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Less the largest value, to keep all powers finite. */
void softmax(int n, const double *in, double *out, double one) {
    double most = -INFINITY, sum = 0;
    for (int i = 0; i < n; i++)
        most = in[i] > most ? in[i] : most;
    for (int i = 0; i < n; i++)
        sum += out[i] = exp(in[i] - most);
    for (int i = 0; i < n; i++)
        out[i] *= one / sum;
}

static int ascending(const void *a, const void *b) {
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

void sort_ascending(int n, const double *in, double *out) {
    memcpy(out, in, (size_t)n * sizeof *in);
    qsort(out, (size_t)n, sizeof *out, ascending);
}

void sort_descending(int n, const double *in, double *out) {
    sort_ascending(n, in, out);
    for (int i = 0; i < n / 2; i++) {
        const double swap = out[i];
        out[i] = out[n - 1 - i];
        out[n - 1 - i] = swap;
    }
}

/* Keeps the k largest values, the first ones among equals; the others become 0. Sign -1: the least. */
void largest(int n, int k, double sign, const double *in, double *out) {
    for (int i = 0; i < n; i++) {
        int before = 0;
        for (int j = 0; j < n; j++)
            before += sign * in[j] > sign * in[i] || (in[j] == in[i] && j < i);
        out[i] = before < k ? in[i] : 0;
    }
}

void prefix_sum(int n, const double *in, double *out) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        out[i] = sum += in[i];
}

void prefix_max(int n, const double *in, double *out) {
    for (int i = 0; i < n; i++)
        out[i] = i && out[i - 1] > in[i] ? out[i - 1] : in[i];
}

void reverse(int n, const double *in, double *out) {
    for (int i = 0; i < n; i++)
        out[i] = in[n - 1 - i];
}

/* Puts the coordinate of the first largest value at its place; the others are 0. Coordinates count from
 * `first`. */
void place_of_largest(int n, const int *crd, int first, double sign, const double *in, double *out) {
    int at = 0;
    for (int i = 0; i < n; i++) {
        at = sign * in[i] > sign * in[at] ? i : at;
        out[i] = 0;
    }
    out[at] = crd[at] + first;
}

void normalise(int n, const double *in, double *out, double one) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += fabs(in[i]);
    for (int i = 0; i < n; i++)
        out[i] = sum > 0 ? in[i] * one / sum : 0;
}
