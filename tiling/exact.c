/* exact.c - results of a statement's operations on numbers in double precision, as sam/operations.def has
 * them: the standard for the accuracy of a result. */
#include "sam/binding.h"
#include "tiling/numbers_int.h"

#include <math.h>

/* Returns whether both numbers are integers with exact bits. */
static bool are_whole(double x, double y) {
    return x == rint(x) && y == rint(y) && fabs(x) < 0x1p53 && fabs(y) < 0x1p53;
}

static double of_words(tile_dtype dtype, sam_operation op, double x, double y) {
    const bool fp = dtype == TILE_DTYPE_BF16;
    return sam_word_number(sam_operator_of(op, fp)->apply(sam_number_word(x, fp), sam_number_word(y, fp)),
                           fp);
}

static double of_bits(tile_dtype dtype, sam_operation op, double x, double y) {
    if (dtype == TILE_DTYPE_BF16 || !are_whole(x, y))
        return of_words(dtype, op, x, y);
    const int64_t a = (int64_t)x, b = (int64_t)y;
    return (double)(op == SAM_OPERATION_and ? (a & b) : op == SAM_OPERATION_or ? (a | b) : (a ^ b));
}

/* A sum whose largest and least number are infinite: the operand `first` of them stays, regardless of further
 * operands. */
static double infinite_sum(tile_dtype dtype, bool high, double x, double y) {
    const double most = dtype == TILE_DTYPE_BF16 ? (double)INFINITY : INT16_MAX;
    const double least = dtype == TILE_DTYPE_BF16 ? -(double)INFINITY : INT16_MIN;
    const double first = high ? most : least, second = high ? least : most;
    return x == first || y == first ? first : x == second || y == second ? second : x + y;
}

static double shifted(tile_dtype dtype, sam_operation op, double x, double y) {
    if (!(y >= 0 && y <= 64))
        return of_words(dtype, op, x, y);
    return op == SAM_OPERATION_shl ? ldexp(x, (int)y) : floor(ldexp(x, -(int)y));
}

double tile_exact(tile_dtype dtype, sam_operation op, double x, double y) {
    const bool fp = dtype == TILE_DTYPE_BF16;
    BUG_IF(op == SAM_OPERATION_program, "a program has no value here");
    switch (op) {
#define FP fp
#define OF_WORDS of_words(dtype, op, x, y)
#define OF_BITS of_bits(dtype, op, x, y)
#define SHIFTED shifted(dtype, op, x, y)
#define ABSORBING(high) infinite_sum(dtype, high, x, y)
#define NO_NUMBER NAN
#define OPERATION(name, on_int, on_fp, most, of_int, of_fp, word, exact)                                     \
    case SAM_OPERATION_##name:                                                                               \
        return exact;
#include "sam/operations.def"
#undef OPERATION
    case SAM_OPERATIONS:
        break;
    }
    BUG("operation %d", (int)op);
}
