/* m3_exceptions.h - priorities, exception entry and return; private to m3*.c. */
#ifndef ONYX_RTL_MODELS_SOC_M3_EXCEPTIONS_H
#define ONYX_RTL_MODELS_SOC_M3_EXCEPTIONS_H

#include "rtl_models/soc/m3_int.h"

/* Returns the priority of an exception. */
int m3_priority_of(const m3 *c, unsigned n);
/* Returns the current priority; a smaller number is stronger. With `masked`, PRIMASK and FAULTMASK count. */
int m3_running_priority(m3 *c, bool masked);
/* The strongest pending exception; 0 for none. Ties go to the lower number. */
unsigned m3_strongest(const m3 *c);
/* Stacks registers and begins a handler; makes a fault of an instruction pending, or escalates it; returns
 * from a handler. */
void m3_enter(m3 *c, unsigned n, uint32_t return_address);
void m3_take_fault(m3 *c, unsigned n, uint32_t status, uint32_t pc);
void m3_leave(m3 *c, uint32_t exc_return);

#endif
