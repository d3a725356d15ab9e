/* integers.h - functions of int16 values; freestanding C of integers, without heap. */
int count_of_ones(int x);
int cubic_root(int x);
int binary_logarithm(int x);
int least_multiple(int x, int y);
int square_root(int x);
int q15_sum(int x, int y);
int q15_difference(int x, int y);
int floored_quotient(int x, int y);
int floored_rest(int x, int y);
int q15_product(int x, int y);
int q15_quotient(int x, int y);
