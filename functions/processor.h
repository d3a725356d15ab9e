/* processor.h - functions for the processor of the chip, of int16 and bf16 words; freestanding C of integers.
 */
int quotient(int x, int y);
int rest(int x, int y);
int greatest_divisor(int x, int y);
int exponential(int x);
void softmax_by_table(int n, const short *in, short *out, int one);
void sort_by_heap(int n, const short *in, short *out, int sign, int one);
void largest_of(int n, int k, const short *in, short *out, int one);
void place_of(int n, const int *crd, int sign, const short *in, short *out, int one);
void sums_so_far(int n, const short *in, short *out);
void most_so_far(int n, const short *in, short *out, int one);
void product_of_matrices(int rows, int columns, int depth, const short *a, const short *b, short *c);
int product_of_vectors(int n, const short *a, const short *b);
