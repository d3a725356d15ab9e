/* integers.c - functions of int16 values in integers alone: no heap, no floating point, no library, so that a
 * processor without a unit for floating point can run them. By 0, a quotient and a rest are 0. */
#include "integers.h"

enum { LEAST = -32768, MOST = 32767 };

/* Returns how many of its 16 bits are 1. */
int count_of_ones(int x) {
    unsigned bits = (unsigned)x & 0xffff;
    int count = 0;
    for (; bits; bits &= bits - 1)
        count++;
    return count;
}

/* Rounded toward 0; 32 * 32 * 32 is beyond an int16. */
int cubic_root(int x) {
    const int size = x < 0 ? -x : x;
    int root = 0;
    while ((root + 1) * (root + 1) * (root + 1) <= size)
        root++;
    return x < 0 ? -root : root;
}

/* Rounded down; 0 for x <= 0. */
int binary_logarithm(int x) {
    int power = 0;
    while (x > 1) {
        x /= 2;
        power++;
    }
    return power;
}

static int saturated(int x) {
    return x < LEAST ? LEAST : x > MOST ? MOST : x;
}

/* The least common multiple; 0 if an operand is 0. */
int least_multiple(int x, int y) {
    int a = x < 0 ? -x : x, b = y < 0 ? -y : y;
    const int product = a * b;
    while (b) {
        const int left = a % b;
        a = b;
        b = left;
    }
    return a == 0 ? 0 : product / a;
}

/* Rounded down; 0 for negative x. Computes one bit after the other. */
int square_root(int x) {
    int root = 0;
    for (int bit = 128; bit; bit /= 2) {
        if (x > 0 && (root + bit) * (root + bit) <= x)
            root += bit;
    }
    return root;
}

int q15_sum(int x, int y) {
    return saturated(x + y);
}

int q15_difference(int x, int y) {
    return saturated(x - y);
}

int floored_quotient(int x, int y) {
    return y == 0 ? 0 : x / y - (x % y != 0 && (x < 0) != (y < 0));
}

int floored_rest(int x, int y) {
    return y == 0 ? 0 : x - y * floored_quotient(x, y);
}

/* A Q15 is an int16 over 32768; values saturate. */
int q15_product(int x, int y) {
    return saturated(floored_quotient(x * y, 1 << 15));
}

int q15_quotient(int x, int y) {
    return y == 0 ? 0 : saturated(floored_quotient(x * (1 << 15), y));
}
