/* exact.c - results of a statement's operations on numbers in double precision: the standard for the accuracy
 * of a result. */
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

static double divided(tile_dtype dtype, double x, double y) {
    return dtype == TILE_DTYPE_BF16 ? x / y : y == 0 ? 0 : trunc(x / y);
}

double tile_exact(tile_dtype dtype, sam_operation op, double x, double y) {
    switch (op) {
    case SAM_OPERATION_add:
        return x + y;
    case SAM_OPERATION_sub:
        return x - y;
    case SAM_OPERATION_mul:
    case SAM_OPERATION_times:
        return x * y;
    case SAM_OPERATION_square:
        return x * x;
    case SAM_OPERATION_div:
        return divided(dtype, x, y);
    case SAM_OPERATION_rem:
        return y == 0 ? x : fmod(x, y);
    case SAM_OPERATION_max:
    case SAM_OPERATION_smax:
        return x > y ? x : y;
    case SAM_OPERATION_min:
    case SAM_OPERATION_smin:
        return x < y ? x : y;
    case SAM_OPERATION_and:
    case SAM_OPERATION_or:
    case SAM_OPERATION_xor:
        return of_bits(dtype, op, x, y);
    case SAM_OPERATION_shl:
    case SAM_OPERATION_ashr:
        return shifted(dtype, op, x, y);
    case SAM_OPERATION_addhigh:
    case SAM_OPERATION_addlow:
        return infinite_sum(dtype, op == SAM_OPERATION_addhigh, x, y);
    case SAM_OPERATION_neg:
        return 0 - x;
    case SAM_OPERATION_abs:
        return fabs(x);
    case SAM_OPERATION_relu:
        return x > 0 ? x : 0;
    case SAM_OPERATION_exp:
        return dtype == TILE_DTYPE_BF16 ? exp(x) : of_words(dtype, op, x, y);
    case SAM_OPERATION_eq:
        return x == y;
    case SAM_OPERATION_ne:
        return x != y;
    case SAM_OPERATION_lt:
        return x < y;
    case SAM_OPERATION_le:
        return x <= y;
    case SAM_OPERATION_gt:
        return x > y;
    case SAM_OPERATION_ge:
        return x >= y;
    case SAM_OPERATION_land:
        return x != 0 && y != 0;
    case SAM_OPERATION_lor:
        return x != 0 || y != 0;
    case SAM_OPERATION_reach:
        return x;
    case SAM_OPERATION_when:
        return x != 0 ? y : 0;
    case SAM_OPERATION_unless:
        return x != 0 ? 0 : y;
    case SAM_OPERATION_umax:
    case SAM_OPERATION_umin:
    case SAM_OPERATION_lshr:
    case SAM_OPERATION_fgetfint:
    case SAM_OPERATION_fgetffrac:
    case SAM_OPERATION_fgetmant:
    case SAM_OPERATION_faddiexp:
        return of_words(dtype, op, x, y);
    case SAM_OPERATION_program:
    case SAM_OPERATIONS:
        break;
    }
    BUG("operation %d", (int)op);
}
