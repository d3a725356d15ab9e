/* m3_barrier.h - barriers of the core, for a machine with stores under way. */
#ifndef ONYX_RTL_MODELS_SOC_M3_BARRIER_H
#define ONYX_RTL_MODELS_SOC_M3_BARRIER_H

#include "rtl_models/soc/m3.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the last instruction was a DSB or DMB, reported once. */
bool m3_take_barrier(m3 *c);

#ifdef __cplusplus
}
#endif

#endif
