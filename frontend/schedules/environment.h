/* environment.h - settings of the whole array in schedules. */
#ifndef ONYX_FRONTEND_ENVIRONMENT_H
#define ONYX_FRONTEND_ENVIRONMENT_H

#include "frontend/language/text.h"

/* Settings of environment(name,n) in a schedule: edges of sub-tiles along all loops ("") or one, or, without
 * a loop, copies of the kernel. */
enum { FE_COPIES_MOST = 64, FE_EDGE_MOST = 1 << 15 };
typedef struct {
    const char *loop;
    uint32_t value;
    src_loc loc;
} fe_environment;
typedef VEC(fe_environment) fe_environments;
/* Returns what a resource is that no schedule changes; NULL of other words. */
const char *fe_fixed_environment(const fe_token *name);
/* Reads "name,n"; a number of 0 is of a resource that is fixed. E0102, E0179. */
bool fe_take_environment(fe_reader *in, arena *mem, diagnostics *d, fe_environment *out);
/* Adds a setting, unless an earlier one has another number. E0179. */
bool fe_add_environment(fe_environments *all, const fe_environment *one, arena *mem, diagnostics *d);
/* Adds the settings of a schedule up to a refused setting, without messages, and ignores other commands:
 * fe_schedule refuses commands in their order. */
void fe_find_environment(const char *schedule, arena *mem, diagnostics *d, fe_environments *out);

#endif
