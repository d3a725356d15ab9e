/* lowering.h - from a kernel to a SAM graph. */
#ifndef ONYX_FRONTEND_LOWERING_H
#define ONYX_FRONTEND_LOWERING_H

#include "frontend/lowering/build.h"
#include "frontend/lowering/distribute.h"
#include "frontend/lowering/expand.h"
#include "frontend/lowering/fuse.h"
#include "frontend/lowering/keep.h"
#include "frontend/lowering/lower.h"
#include "frontend/lowering/nest.h"
#include "frontend/lowering/pack.h"
#include "frontend/lowering/pad.h"
#include "frontend/lowering/rows.h"
#include "frontend/lowering/separate.h"
#include "frontend/lowering/unroll.h"

#endif
