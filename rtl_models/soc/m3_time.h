/* m3_time.h - the time of an instruction on a Cortex-M3: cycle counts of its technical reference manual (ARM
 * DDI 0337, instruction set summary). */
#ifndef ONYX_RTL_MODELS_SOC_M3_TIME_H
#define ONYX_RTL_MODELS_SOC_M3_TIME_H

#include "rtl_models/soc/m3.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Cycles to refill the pipeline behind a branch: the manual's P, least and most. */
enum { M3_REFILL_LEAST = 1, M3_REFILL_MOST = 3 };

typedef struct {
    uint8_t least, most; /* cycles with memories that answer at once, without a refill */
    uint8_t halfwords;   /* of its code */
    uint8_t words;       /* loads and stores of data */
    bool refill;
    bool literal;                 /* the word is in the code's memory */
    bool reads_clock, sets_clock; /* the cycle counter */
} m3_time;

/* An instruction by its halfwords; `branched`: the next instruction is not the one behind. A load or store
 * within an IT block counts as executed. */
m3_time m3_time_of(uint32_t first, uint32_t second, bool branched);
/* The time of the last step. */
m3_time m3_last_time(const m3 *c);

#ifdef __cplusplus
}
#endif

#endif
