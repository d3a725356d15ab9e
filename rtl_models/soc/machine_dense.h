/* machine_dense.h - the streams of a machine that runs a dense program. */
#ifndef ONYX_COSIM_MACHINE_DENSE_H
#define ONYX_COSIM_MACHINE_DENSE_H

#include "rtl_models/soc/dense_side.h"
#include "rtl_models/soc/machine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As dense_side_stream_at; false without a dense program. */
bool machine_dense_stream(const machine *m, uint32_t i, dense_side_stream *out);

#ifdef __cplusplus
}
#endif

#endif
