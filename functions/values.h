/* values.h - functions of one value or two that C's library lacks. */
double sigmoid(double x);
