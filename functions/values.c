/* values.c - functions of values absent from C's library. */
#include "values.h"

#include <float.h>
#include <math.h>

double sigmoid(double x) {
    return 1 / (1 + exp(-x));
}

/* x times the share of a normal distribution below x; of minus infinity minus 0. */
double gelu(double x) {
    return isinf(x) ? (x > 0 ? x : -0.0) : x * (0.5 * erfc(-x * sqrt(0.5)));
}

/* Returns the unit of the last of a bfloat16's 8 digits. */
static double unit_of(double x) {
    int e;
    frexp(x, &e);
    return ldexp(1, e - 8);
}

/* x is m times 2^e with m from 1 to 2. Where the logarithms of 2^e and of 2^(e+1) have the same unit, each of
 * both terms is rounded to half of that unit, so that the sum is off by less than one. Other rows are rounded
 * once: about 30 of 256, among them those next to 1 and subnormal numbers. */
double log_in_rows(double x) {
    int e;
    if (!(x >= FLT_MIN) || isinf(x))
        return log(x);
    const double m = 2 * frexp(x, &e), row = (e - 1) * log(2), unit = unit_of(row);
    if (e == 0 || e == 1 || unit != unit_of(row + log(2)))
        return log(x);
    return rint(row / unit) * unit + rint(log(m) / unit) * unit;
}
