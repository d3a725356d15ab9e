/* tiling.h - sparse tensor files, level storage, coordinate-space sub-tiles, the runs a kernel needs, and an
 * independent evaluation of the statement.
 *
 * Values are raw 16-bit words: int16 (wrap-around) or bfloat16. Coordinates are 0-based here, 1-based in
 * files.
 */
#ifndef ONYX_TILING_H
#define ONYX_TILING_H

#include "tiling/collect.h"
#include "tiling/files.h"
#include "tiling/job.h"
#include "tiling/levels.h"
#include "tiling/operands.h"
#include "tiling/plan.h"
#include "tiling/unroll.h"

#endif
