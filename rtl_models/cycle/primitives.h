/* primitives.h - tokens, modes and the ALU of the sparse primitives, equal in rtl/ and the cycle model
 * (cycle.h). */
#ifndef ONYX_RTL_PRIMITIVES_H
#define ONYX_RTL_PRIMITIVES_H

#include "boards/onyx/fabric.h"
#include "support/support.h"

/* ---- tokens ---------------------------------------------------------------------------------- */

/* 17 bits: data 0x00000 | value, stop of level n 0x10000 | n (0 = innermost), done, maybe ("no value here").
 */
#define RTL_STOP(level) (0x10000u | (uint32_t)(level))
#define RTL_DONE 0x10100u
#define RTL_MAYBE 0x10200u
/* Between the scanners of an accumulator only; bit 0: later tokens go to the read-out. */
#define RTL_ROUTE 0x10300u

static inline bool rtl_is_control(uint32_t token) {
    return token >> 16 & 1;
}
static inline bool rtl_is_stop(uint32_t token) {
    return (token & 0x10300) == 0x10000;
}
static inline bool rtl_is_done(uint32_t token) {
    return (token & 0x10300) == 0x10100;
}
static inline bool rtl_is_maybe(uint32_t token) {
    return (token & 0x10300) == 0x10200;
}
/* An element of a fiber: data or maybe. */
static inline bool rtl_is_item(uint32_t token) {
    return !rtl_is_stop(token) && !rtl_is_done(token);
}
static inline uint32_t rtl_stop_level(uint32_t stop) {
    return stop & 0xff;
}

/* ---- the PE tile ----------------------------------------------------------------------------- */

/* The values of the mode field, by the names of the primitives. */
typedef enum {
    RTL_PE_JOINER = ONYX_PE_MODE_INTERSECT_UNIT,
    RTL_PE_CRDDROP = ONYX_PE_MODE_CRDDROP,
    RTL_PE_CRDHOLD = ONYX_PE_MODE_CRDHOLD,
    RTL_PE_ALU = ONYX_PE_MODE_PE_ONYX,
    RTL_PE_REPEAT = ONYX_PE_MODE_REPEAT,
    RTL_PE_RSG = ONYX_PE_MODE_REPEATSIGNALGENERATOR,
    RTL_PE_REDUCE = ONYX_PE_MODE_REG_CR,
    RTL_PE_REGION_JOIN = ONYX_PE_MODE_REGION_JOIN
} rtl_pe_mode;

typedef enum {
    RTL_MEM_FIBER_ACCESS = ONYX_MEM_MODE_FIBER_ACCESS_16,
    RTL_MEM_VECTOR_REDUCE = ONYX_MEM_MODE_VEC_REDUCE
} rtl_mem_mode;
enum { RTL_VECTOR_COORDINATES = 1024 }; /* of a vector reducer */

/* The ALU and the bfloat16 unit of one PE: the 16-bit result of the instruction in CONFIG_SPACE[84:1],
 * `space` being words 0 to 2, for operands a and b. */
uint16_t rtl_alu_result(const uint32_t space[3], uint16_t a, uint16_t b);

/* Operations of reducers: the values of their field `op`. */
typedef enum {
#define REDUCTION(kind, name, value, bf16) RTL_BY_##kind = (value),
#include "boards/onyx/reductions.def"
#undef REDUCTION
} rtl_reduction;
/* The joiner by regions: regions of the output coordinates. */
enum { RTL_REGION_SIDE0 = 1, RTL_REGION_SIDE1 = 2, RTL_REGION_BOTH = 4 };

/* A value before combination: conjunctions and disjunctions use 0 or 1. */
static inline uint16_t rtl_entry(rtl_reduction by, uint16_t v) {
    return by == RTL_BY_LAND || by == RTL_BY_LOR ? v != 0 : v;
}
/* The entries a and b, combined as onyx_combine.sv does; a sum of bfloat16 is to nearest, ties to even, with
 * subnormals, and every NaN is 7fc0. */
uint16_t rtl_combine(rtl_reduction by, bool bf16, uint16_t a, uint16_t b);

#endif
