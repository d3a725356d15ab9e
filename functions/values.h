/* values.h - functions of one value or two that C's library lacks. */
double sigmoid(double x);
double least_multiple(double x, double y);
double rounded_root(double x);
double q15_product(double x, double y);
double q15_quotient(double x, double y);
