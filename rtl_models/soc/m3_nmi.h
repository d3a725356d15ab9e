/* m3_nmi.h - the core's NMI, and a reset from outside. */
#ifndef ONYX_RTL_MODELS_SOC_M3_NMI_H
#define ONYX_RTL_MODELS_SOC_M3_NMI_H

#include "rtl_models/soc/m3.h"

#ifdef __cplusplus
extern "C" {
#endif

void m3_nmi(m3 *c, bool level);
/* Stops the core, as a reset of the chip would. */
void m3_request_reset(m3 *c, const char *why);

#ifdef __cplusplus
}
#endif

#endif
