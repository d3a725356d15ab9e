/* values.c - functions of values that C's library lacks. */
#include "values.h"

#include <math.h>

double sigmoid(double x) {
    return 1 / (1 + exp(-x));
}
