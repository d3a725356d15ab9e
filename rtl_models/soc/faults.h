/* faults.h - faults of the modelled chip, by name. */
#ifndef ONYX_RTL_MODELS_SOC_FAULTS_H
#define ONYX_RTL_MODELS_SOC_FAULTS_H

#include <string.h>

enum {
    FAULT_NONE,
#define FAULT(key, name, doc) FAULT_##key,
#include "rtl_models/soc/faults.def"
#undef FAULT
    FAULTS
};

/* Returns the number of a fault by its name; FAULT_NONE without one. */
static inline unsigned fault_find(const char *name) {
    static const char *const names[FAULTS] = {
        "",
#define FAULT(key, name, doc) name,
#include "rtl_models/soc/faults.def"
#undef FAULT
    };
    for (unsigned i = 1; i < FAULTS; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return FAULT_NONE;
}

#endif
