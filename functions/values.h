/* values.h - functions of one or two values absent from C's library. */
double sigmoid(double x);
double gelu(double x);
/* The natural logarithm of a bfloat16, less than one unit of its last place off: rows of numbers with one
 * exponent differ by a number, so that the array's tables have room for them. */
double log_in_rows(double x);
