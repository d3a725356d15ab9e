/* processor.c - functions for the processor of the chip: int16 and bf16 words in integers alone. There is no
 * floating point, no heap, no library, no 64-bit quotient, no recursion, and no data but constants. What an
 * order of two words is asks `one`: 32767 of int16, else bf16. */
#include "processor.h"

enum { ONE_OF_INTEGERS = 32767, WORD = 0xffff };

/* 2^(-i/64), times 2^31. */
static const unsigned power[65] = {
    0x80000000, 0x7e9f0606, 0x7d41d96e, 0x7be86fba, 0x7a92be8b, 0x7940bb9e, 0x77f25cce, 0x76a7980f,
    0x75606374, 0x741cb528, 0x72dc8374, 0x719fc4b9, 0x70666f76, 0x6f307a41, 0x6dfddbcc, 0x6cce8ae1,
    0x6ba27e65, 0x6a79ad56, 0x69540ec9, 0x683199ed, 0x6712460b, 0x65f60a7f, 0x64dcdec3, 0x63c6ba64,
    0x62b39509, 0x61a3666d, 0x60962665, 0x5f8bccdb, 0x5e8451d0, 0x5d7fad59, 0x5c7dd7a4, 0x5b7ec8f2,
    0x5a82799a, 0x5988e209, 0x5891fac1, 0x579dbc57, 0x56ac1f75, 0x55bd1cdb, 0x54d0ad5a, 0x53e6c9da,
    0x52ff6b55, 0x521a8ad7, 0x51382182, 0x50582888, 0x4f7a9930, 0x4e9f6cd4, 0x4dc69cdd, 0x4cf022ca,
    0x4c1bf829, 0x4b4a169c, 0x4a7a77d4, 0x49ad1598, 0x48e1e9ba, 0x4818ee22, 0x47521cc6, 0x468d6fae,
    0x45cae0f2, 0x450a6abb, 0x444c0740, 0x438fb0cb, 0x42d561b4, 0x421d1462, 0x4166c34c, 0x40b268fa,
    0x40000000,
};

/* A larger bf16 has a larger key, except NaN. */
static int key_of(int word, int one) {
    return one == ONE_OF_INTEGERS || word >= 0 ? word : word ^ 0x7fff;
}

/* ---- quotients and roots --------------------------------------------------------------------- */

/* Toward 0; a quotient by 0 is 0, and the rest is x. -32768 / -1 wraps, like the array's products. */
int quotient(int x, int y) {
#ifdef __ARM_ARCH_7M__
    int q;
    __asm("sdiv %0, %1, %2" : "=r"(q) : "r"(x), "r"(y));
    return q;
#else
    return y == 0 ? 0 : x / y;
#endif
}

int rest(int x, int y) {
    return y == 0 ? x : x % y;
}

int greatest_divisor(int x, int y) {
    unsigned a = (unsigned)(x < 0 ? -x : x), b = (unsigned)(y < 0 ? -y : y);
    while (b) {
        const unsigned r = a % b;
        a = b;
        b = r;
    }
    return (int)a;
}

/* ---- exponentials ---------------------------------------------------------------------------- */

/* Returns 2^(-t/65536) as a number from above 2^30 to 2^31 and, in *n, its number of halvings. Straight lines
 * between the 65 values have a relative error below 1.5e-5. */
static unsigned power_of(unsigned t, unsigned *n) {
    const unsigned i = t >> 10 & 63, between = t & 1023;
    *n = t >> 16;
    return power[i] - (((power[i] - power[i + 1]) >> 4) * between >> 6);
}

/* Returns a bf16 in units of 2^-q, cut towards 0, with no magnitude above 2^30. */
static int fixed(int word, int q) {
    const int exponent = (word >> 7 & 0xff) - 127 - 7 + q;
    int size = (word & 0x7f) | 0x80;
    if ((word & 0x7f80) == 0 || exponent < -8)
        return 0;
    size = exponent > 22 ? 1 << 30 : exponent < 0 ? size >> -exponent : size << exponent;
    return word & 0x8000 ? -size : size;
}

enum { FINE = 20 };

/* Returns the distance of x below the largest, in units of 2^-20, in which the largest is `fine`; above 88
 * returns 89, whose power is below bf16. From 1024 on a bf16 is a multiple of 4: eighths then hold a smaller
 * distance exactly. */
static unsigned distance(int most, int fine, int x, int one) {
    enum { COARSE = 3, FAR = 89 };
    const int ten = 127 + 10;
    if (one == ONE_OF_INTEGERS)
        return (unsigned)(most - x > FAR ? FAR : most - x) << FINE;
    const int coarse = (most >> 7 & 0xff) >= ten || (x >> 7 & 0xff) >= ten, q = coarse ? COARSE : FINE;
    const unsigned d = (unsigned)(coarse ? fixed(most, q) : fine) - (unsigned)fixed(x, q);
    if (d > (unsigned)FAR << q || (coarse && d == 0 && most != x))
        return (unsigned)FAR << FINE;
    return d << (FINE - q);
}

/* Returns q * 2^-k as a bf16, where q is not 0 and below 2^31; to the nearest, even ones of two. */
static int to_bf16(unsigned q, int k) {
    while (q >= 0x10000) {
        q >>= 1;
        k--;
    }
    while (q < 0x8000) {
        q <<= 1;
        k++;
    }
    const int exponent = 127 + 15 - k;
    const unsigned word = ((unsigned)exponent << 7) + (q >> 8) - 0x80, below = q & 0xff;
    if (exponent <= 0)
        return 0;
    if (exponent >= 0xff)
        return 0x7f80;
    return (int)(word + (below > 0x80 || (below == 0x80 && (word & 1))));
}

/* The product of a distance and log2(e), in units of 2^-16. */
static unsigned halvings(unsigned d) {
    return (unsigned)((unsigned long long)d * 1512775 >> 24);
}

/* exp(x) over the sum of all exponentials: of bf16 within 2^-8 of the value, or 2^-120, of int16 within 3 of
 * 32767 times the value. */
void softmax_by_table(int n, const short *in, short *out, int one) {
    enum { KEPT = 8 };
    unsigned kept[KEPT], halved[KEPT]; /* exponentials of the first values */
    int most = in[0];
    unsigned long long sum = 0;
    for (int i = 1; i < n; i++)
        most = key_of(in[i], one) > key_of(most, one) ? in[i] : most;
    const int fine = fixed(most, FINE);
    for (int i = 0; i < n; i++) {
        unsigned times;
        const unsigned e = power_of(halvings(distance(most, fine, in[i], one)), &times);
        sum += times > 31 ? 0 : e >> times;
        if (i < KEPT) {
            kept[i] = e;
            halved[i] = times;
        }
    }
    unsigned high = (unsigned)(sum >> 32), low = (unsigned)sum;
    int shift = 0;
    for (; high; high >>= 1, shift++)
        low = low >> 1 | high << 31;
    const int small = !(low >> 31); /* a single value, the largest: 2^31 is the minimum */
    const unsigned divisor = (low << small) >> 16;
    for (int i = 0; i < n; i++) {
        unsigned times = i < KEPT ? halved[i] : 0;
        const unsigned e = i < KEPT ? kept[i] : power_of(halvings(distance(most, fine, in[i], one)), &times);
        const unsigned q = e / divisor;
        const int k = 16 + shift - small + (int)times;
        if (one != ONE_OF_INTEGERS)
            out[i] = (short)to_bf16(q, k);
        else
            out[i] = (short)(k > 31 ? 0 : ((unsigned)one * q + (1u << (k - 1))) >> k);
    }
}

/* exp(x) of a bf16, with a relative error below 2^-8. */
int exponential(int x) {
    enum { FAR = 89 };
    const int negative = x & 0x8000, size = x & 0x7fff, huge = size >= 0x42b2; /* 89 */
    unsigned times;
    if (huge)
        return negative ? 0 : 0x7f80;
    const unsigned t = halvings((unsigned)fixed(size, 20));
    if (negative) {
        const unsigned e = power_of(t, &times);
        return to_bf16(e >> 8, 23 + (int)times);
    }
    const unsigned whole = (t + WORD) >> 16;
    const unsigned e = power_of((whole << 16) - t, &times);
    return to_bf16(e >> 8, 23 + (int)times - (int)whole);
}

/* ---- along an index -------------------------------------------------------------------------- */

/* Lets the word at `at` sink in a heap whose largest key is at the top. */
static void sink(short *heap, int n, int at, int sign, int one) {
    for (int child = 2 * at + 1; child < n; child = 2 * at + 1) {
        if (child + 1 < n && sign * key_of(heap[child + 1], one) > sign * key_of(heap[child], one))
            child++;
        if (sign * key_of(heap[at], one) >= sign * key_of(heap[child], one))
            return;
        const short swap = heap[at];
        heap[at] = heap[child];
        heap[child] = swap;
        at = child;
    }
}

/* By a heap: O(n log n), without memory or recursion. Sign 1: the least first. */
void sort_by_heap(int n, const short *in, short *out, int sign, int one) {
    for (int i = 0; i < n; i++)
        out[i] = in[i];
    for (int i = n / 2; i-- > 0;)
        sink(out, n, i, sign, one);
    for (int last = n - 1; last > 0; last--) {
        const short swap = out[0];
        out[0] = out[last];
        out[last] = swap;
        sink(out, last, 0, sign, one);
    }
}

/* Keeps the k largest values, the first ones among equals; the others become 0. O(n * k). */
void largest_of(int n, int k, const short *in, short *out, int one) {
    for (int i = 0; i < n; i++)
        out[i] = 0;
    int before = 0x10000, first = 0; /* the last value kept: its key, and the first place for an equal one */
    while (k-- > 0) {
        int at = -1;
        for (int i = 0; i < n; i++) {
            const int key = key_of(in[i], one);
            const int left = key < before || (key == before && i >= first);
            if (left && (at < 0 || key > key_of(in[at], one)))
                at = i;
        }
        if (at < 0)
            return;
        out[at] = in[at];
        before = key_of(in[at], one);
        first = at + 1;
    }
}

/* Puts the coordinate of the first largest value at its place; for bf16 rounded to a word. Sign -1: of the
 * least. */
void place_of(int n, const int *crd, int sign, const short *in, short *out, int one) {
    int at = 0;
    for (int i = 0; i < n; i++) {
        at = sign * key_of(in[i], one) > sign * key_of(in[at], one) ? i : at;
        out[i] = 0;
    }
    out[at] = (short)(one == ONE_OF_INTEGERS || !crd[at] ? crd[at] : to_bf16((unsigned)crd[at], 0));
}

void sums_so_far(int n, const short *in, short *out) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        out[i] = (short)(sum += in[i]);
}

void most_so_far(int n, const short *in, short *out, int one) {
    for (int i = 0; i < n; i++)
        out[i] = i && key_of(out[i - 1], one) > key_of(in[i], one) ? out[i - 1] : in[i];
}

/* ---- tensors --------------------------------------------------------------------------------- */

void product_of_matrices(int rows, int columns, int depth, const short *a, const short *b, short *c) {
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            unsigned sum = 0;
            for (int k = 0; k < depth; k++)
                sum += (unsigned)(a[i * depth + k] * b[k * columns + j]);
            c[i * columns + j] = (short)sum;
        }
    }
}

int product_of_vectors(int n, const short *a, const short *b) {
    unsigned sum = 0;
    for (int i = 0; i < n; i++)
        sum += (unsigned)(a[i] * b[i]);
    return (short)sum;
}
