/* processor_time.h - the range of the processor's time beside the count of an instruction a cycle
 * (docs/cosim.md). */
#ifndef ONYX_KERNEL_PROCESSOR_TIME_H
#define ONYX_KERNEL_PROCESSOR_TIME_H

#include "kernel/kernel.h"

/* The processor's time of a run: `counted` array cycles, and more by `lag`, least and most. The text is NULL,
 * and nothing is added to the object, without a lag. */
const char *compile_processor_range(uint64_t counted, const uint64_t lag[2], arena *mem);
void compile_processor_range_json(uint64_t counted, const uint64_t lag[2], cJSON *to);

#endif
