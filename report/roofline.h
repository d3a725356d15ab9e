/* roofline.h - least cycles of a kernel, and the causes of its cycles: for programs and for people. */
#ifndef ONYX_REPORT_ROOFLINE_H
#define ONYX_REPORT_ROOFLINE_H

#include "kernel/kernel.h"

/* Adds "roofline" to report.json, of a kernel that the cycle model ran. The second reads this member: a line
 * with the least cycles, of `array` cycles, and a line with the share of each cause. */
void compile_roofline_json(const compile_context *ctx, const compile_kernel *k, cJSON *json);
text_vec compile_roofline_lines(const cJSON *section, uint64_t array, arena *mem);

#endif
