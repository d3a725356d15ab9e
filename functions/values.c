/* values.c - functions of values. A Q15 is an int16 over 32768; what does not fit is the nearest that does.
 */
#include "values.h"

#include <math.h>

double sigmoid(double x) {
    return 1 / (1 + exp(-x));
}

double least_multiple(double x, double y) {
    double a = fabs(x), b = fabs(y);
    while (b != 0) {
        const double rest = fmod(a, b);
        a = b;
        b = rest;
    }
    return a == 0 ? 0 : fabs(x * y) / a;
}

double rounded_root(double x) {
    return x > 0 ? floor(sqrt(x)) : 0;
}

static double saturated(double x) {
    return fmin(fmax(floor(x), -32768), 32767);
}

double q15_product(double x, double y) {
    return saturated(x * y / 32768);
}

double q15_quotient(double x, double y) {
    return y == 0 ? 0 : saturated(x * 32768 / y);
}
