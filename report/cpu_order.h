/* cpu_order.h - what the order of loops on a core and their C share; private to report/cpu*.c. */
#ifndef ONYX_REPORT_CPU_ORDER_H
#define ONYX_REPORT_CPU_ORDER_H

#include "report/cpu.h"

/* Returns the expression; the number of an access; the place of a variable among the loops; the order of the
 * result. */
const sam_expr_data *cpu_expr_at(const cpu_plan *p, sam_expr e);
uint32_t cpu_access_of(const cpu_plan *p, sam_expr e);
uint32_t cpu_place_of(const cpu_plan *p, sam_var v);
uint32_t cpu_result_order(const cpu_plan *p);
/* Returns the level of the variable, or -1. */
int cpu_level_of(const cpu_access *a, sam_var v);
/* Removes directly nested sums; returns their variables, bit (handle - 1). */
uint64_t cpu_chain_of(const cpu_plan *p, sam_expr e, sam_expr *body);

#endif
